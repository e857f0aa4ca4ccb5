"""SKL901: where it sits, what it says, and that nothing shows what was found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentskills_lint.about import formats
from agentskills_lint.reporters import Style, load
from tests.rules.test_security_recall import B32, HEX, TOKENS, checked, drawn, pem
from tests.support import brief, clean_skill, findings_in, only, report_on

TOKEN = checked("ghp_")


def skill(body: str, front: str = "") -> str:
    return clean_skill("wsp", front, f"\n# Pay an invoice\n\n{body}\n")


def secrets_in(body: str, front: str = "", spec: str = "wsp") -> list[tuple[str, str, int, int]]:
    return brief(only(findings_in(skill(body, front), spec), "secret"))


def test_the_place_is_the_token_and_the_message_does_not_show_it() -> None:
    (found,) = only(findings_in(skill(f"Call it with `{TOKEN}`."), "wsp"), "secret")
    assert (found.level, found.line, found.column, found.location.end_column) == ("error", 10, 15, 55)
    assert found.message == "here stands what looks like a GitHub token: everyone who reads the skill can use it"
    assert found.hint == "take it out and revoke it; tell where users get their own"
    assert found.snippet == f"Call it with `{'*' * 40}`."
    assert found.fix is None


@pytest.mark.parametrize("spec", ["agentskills", "dualnova", "wsp"])
def test_it_is_an_error_everywhere(spec: str) -> None:
    assert [found[1] for found in secrets_in(f"`{TOKEN}`", spec=spec)] == ["error"]


def test_it_is_found_in_the_frontmatter_and_in_comments() -> None:
    assert [found[2:] for found in secrets_in("x", f"metadata:\n  key: {TOKEN}")] == [(7, 8)]
    assert len(secrets_in(f"<!-- {TOKEN} -->")) == 1


def test_indexes_and_discovery_files_are_searched() -> None:
    index = {"skills": [{"name": "pay", "type": "skill-md", "description": f"Use {TOKEN}", "url": "/x"}]}
    files = {
        ".well-known/agent-skills/index.json": json.dumps(index),
        "skills.txt": f"# A\n\n> {TOKEN}\n\n## Skills\n\n- [P](/skills/p/SKILL.md): x\n",
    }
    found = only(list(report_on(files).findings), "secret")
    assert [finding.path for finding in found] == [".well-known/agent-skills/index.json", "skills.txt"]
    assert "reads the index" in found[0].message
    assert "reads the file" in found[1].message


def test_each_credential_is_one_finding() -> None:
    assert len(secrets_in(f"{TOKEN}\n{TOKEN}")) == 2
    assert len(secrets_in(f"Authorization: Bearer {TOKENS['JSON web token']()}")) == 1
    assert len(secrets_in("aws_access_key_id = AKIA" + drawn(16, B32) + "\naws_secret_access_key = " + drawn(40))) == 2


def test_the_password_of_a_web_address_is_told_by_its_own_rule() -> None:
    found = findings_in(skill(f"git clone https://bot:{TOKEN}@git.northwind-trade.net/x.git"), "wsp")
    assert [f.rule for f in found if f.level == "error"] == ["url-credentials"]
    found = findings_in(skill(f"git clone https://{TOKEN}@git.northwind-trade.net/x.git"), "wsp")
    assert [f.rule for f in found if f.level == "error"] == ["secret"]


def test_a_private_key_sits_on_its_first_line_and_all_lines_are_hidden() -> None:
    key = pem("RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA")
    text = skill(f"```\n{key}\n```\n" + f"\n[x](missing.md) {key.splitlines()[3]}")
    found = findings_in(text, "wsp")
    (secret,) = only(found, "secret")
    assert (secret.line, secret.column, secret.location.end_column) == (11, 1, 32)
    shown = " ".join(f.snippet + f.message for f in found)
    assert [line for line in key.splitlines()[1:-1] if line in shown] == []


def test_case_055_secrets_and_placeholders() -> None:
    assert len(secrets_in("ghp_" + drawn(36))) == 1
    assert len(secrets_in(pem("PRIVATE KEY", "MIIEvQIBADANBgkq"))) == 1
    assert len(secrets_in(f"Authorization: Bearer {TOKENS['JSON web token']()}")) == 1
    for body in (
        "YOUR_API_KEY", "sk-xxxx", "$API_KEY", "{token}", "AKIA" + "IOSFODNN7EXAMPLE", "risk-check", "task-brief",
        "-----BEGIN PRIVATE KEY-----\n...", "os.environ['API_KEY']",
    ):  # fmt: skip
        assert secrets_in(body) == [], body


DEMANDS = [
    ("wsp", "6.3: no credential, key or secret in a skill", f"Use `{TOKEN}`.", ["secret"]),
    ("wsp", "6.3: no password in an address", "https://bot:k7Wq93zLtR@api.northwind-trade.net", ["url-credentials"]),
    ("wsp", "10.1: no credentials or secrets", "api_key: " + drawn(32, HEX), ["secret"]),
]


@pytest.mark.parametrize(("spec", "section", "body", "expected"), DEMANDS)
def test_demands(spec: str, section: str, body: str, expected: list[str]) -> None:
    found = findings_in(skill(body), spec)
    assert [f.rule for f in found if f.level == "error"] == expected
    assert (spec, "MUST") in {(demand.spec, demand.strength) for f in found for demand in f.demands}


# No output shows it

SECRETS = {
    "token": TOKEN,
    "key": drawn(40),
    "password": "m4Xr28vKsB",
    "pem": pem("PRIVATE KEY", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"),
}
LEAKY = skill(
    f"Use `{SECRETS['token']}` and [this]({SECRETS['token']}.md).\n\n"
    f"```\nAPI_KEY={SECRETS['key']}\n```\n\npostgres://app:{SECRETS['password']}@db.northwind-trade.net/x\n\n"
    f"{SECRETS['pem']}\n",
    f"Name: {SECRETS['token']}\nbase_url: {SECRETS['token']}\nmetadata:\n  a: {SECRETS['token']}\n"
    f"description: Use {SECRETS['token']} to pay. Use when the user wants to pay.",
)
PARTS = [part for secret in SECRETS.values() for part in secret.splitlines() if "-----" not in part]


def leaks(text: str) -> list[str]:
    return [part for part in PARTS if part in text]


@pytest.mark.parametrize("name", formats())
def test_no_report_shows_a_secret(name: str) -> None:
    report = report_on({"pay-invoice/SKILL.md": LEAKY}, ("wsp", "agentskills"))
    assert len(only(list(report.findings), "secret")) >= 4
    assert leaks(LEAKY)
    text = load(name).render(report, Style())
    assert leaks(text) == []
    assert leaks(json.dumps(text)) == []


@pytest.mark.parametrize(
    "options", [["--diff", "--unsafe-fixes"], ["--fix", "--unsafe-fixes"], ["--verbose"], ["--format=json"]]
)
def test_the_command_shows_none(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "pay-invoice" / "SKILL.md"
    path.parent.mkdir()
    # fences with blanks behind them and a mark are fixed right beside the secrets
    path.write_text("\ufeff" + LEAKY.replace("\n---\n", "\n---  \n", 1), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "agentskills_lint", *options, str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode in (0, 1), run.stderr
    if options[0] == "--diff":
        assert "---" in run.stdout
    assert leaks(run.stdout + run.stderr) == []


def test_a_fingerprint_is_not_of_the_secret() -> None:
    one, other = (
        only(findings_in(skill(f"`{checked('ghp_', seed)}`"), "wsp"), "secret")[0].fingerprint for seed in (1, 2)
    )
    assert one == other


def test_bundled_scripts_are_searched_and_no_output_shows_what_is_there() -> None:
    script = f'#!/bin/bash\nread -p "go on? [{TOKEN}] " x\n'
    name = f"name: {TOKEN}"
    files = {"pay/SKILL.md": skill("Run `scripts/go.sh`.", name), "pay/scripts/go.sh": script}
    report = report_on(files)
    found = [f for f in report.findings if f.path == "pay/scripts/go.sh"]
    assert [(f.rule, f.line, f.column) for f in found] == [("script-interactive", 2, 1), ("secret", 2, 18)]
    assert found[1].message == "here stands what looks like a GitHub token: everyone who reads the script can use it"
    assert found[0].snippet == f'read -p "go on? [{"*" * 40}] " x'
    for format in formats():
        told = load(format).render(report, Style())
        assert TOKEN not in told
        assert TOKEN.lower().replace("_", "-") not in told  # what the name is advised to be


def test_no_output_shows_what_invisible_characters_spell() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in f"take {TOKEN}")
    (found,) = only(findings_in(skill(f"Pay{hidden} it."), "wsp"), "unicode-smuggling")
    assert found.message == f"45 invisible characters spell 'take {'*' * 40}'"
