"""The entries of an index.json: its own rules, and those of names, texts and addresses that hold there too."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.documents import Skill
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding
from agentskills_lint.registries import Index
from agentskills_lint.rule import load_rules
from tests.support import brief, clean_skill, fixed, only, report_on

PATH = ".well-known/agent-skills/index.json"
OLD_PATH = ".well-known/skills/index.json"
SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
HEX = hashlib.sha256(b"pay").hexdigest()
EMPTY = hashlib.sha256(b"").hexdigest()
URL = "https://acme.example/.well-known/agent-skills/pay/SKILL.md"
WHEN = "Pays an open invoice by card. Use when the user wants to pay, not for refunds."
SENTENCE = "Pay an open invoice by card when the user asks for it."

NEW = {"name": "pay", "type": "skill-md", "description": WHEN, "url": "pay/SKILL.md", "digest": f"sha256:{HEX}"}
OLD = {"name": "pay", "description": WHEN, "files": ["SKILL.md"]}
DUALNOVA = {"name": "pay", "title": "Pay", "description": SENTENCE, "url": URL}
PROVIDER = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example"}

ENTRIES: dict[str, dict[str, Any]] = {"discovery 0.2": NEW, "discovery 0.1": OLD, "dualnova": DUALNOVA}
TOPS: dict[str, dict[str, Any]] = {"discovery 0.2": {"$schema": SCHEMA}, "discovery 0.1": {}, "dualnova": PROVIDER}


def index(dialect: str, *entries: dict[str, Any], **top: Any) -> str:
    """An index with entries laid over the clean one of its dialect; a None takes a field away."""
    laid = [{**ENTRIES[dialect], **entry} for entry in entries]
    kept = [{key: value for key, value in entry.items() if value is not None} for entry in laid]
    return json.dumps({**TOPS[dialect], **top, "skills": kept}, indent=2)


def found(text: str, *rules: str, path: str = PATH, **config: Any) -> list[Finding]:
    findings = [f for f in report_on({path: text}, **config).findings if f.path == path]
    return [f for f in findings if f.rule in rules] if rules else findings


def marked(text: str, *rules: str, **config: Any) -> list[tuple[str, str, str]]:
    """(rule, level, what is underlined) of each finding."""
    return [(f.rule, f.level, text[f.span.start : f.span.end]) for f in found(text, *rules, **config)]


def cured(text: str, finding: Finding) -> Any:
    """What is read after the fix."""
    return json.loads(fixed(text, finding))


@pytest.mark.parametrize("dialect", ENTRIES)
def test_clean_indexes_give_nothing(dialect: str) -> None:
    other = {"name": "buy"} if dialect == "discovery 0.1" else {"name": "buy", "url": URL.replace("pay", "buy")}
    assert marked(index(dialect, {}, other), *MINE) == []


OWN = (
    "index-digest-format", "index-duplicate", "index-url-form", "index-url-escape", "index-type",
    "index-duplicate-url", "index-files-path", "index-files-order", "index-tags",
)  # fmt: skip
SHARED = (
    "name-kebab-case", "name-length", "name-letter-first", "name-unicode", "description-length",
    "description-sentence", "description-when", "language-tag", "language-unregistered", "language-canonical",
    "language-duplicate", "language-underscore", "url-absolute", "url-malformed", "url-insecure", "url-unreachable",
    "url-credentials", "contact-format", "email-obfuscated", "field-typo",
)  # fmt: skip
MINE = OWN + SHARED


def test_rules_that_hold_for_skills_hold_for_entries() -> None:
    both = [rule for rule in load_rules() if isinstance(rule.subject, tuple) and {Skill, Index} <= set(rule.subject)]
    assert sorted(rule.id for rule in both if rule.code < "SKL9") == sorted(SHARED)


# --- demands of the specs -------------------------------------------------------------------------

LONG = "Pays an open invoice by card when the user asks for it, " * 20

DEMANDS = [
    ("discovery 0.2", "Index Format: name keeps the naming rules", {"name": "Pay_Now"}, "name-kebab-case", "error"),
    ("discovery 0.2", "Index Format: name keeps the naming rules", {"name": "p" * 65}, "name-length", "error"),
    ("discovery 0.2", "Index Format: name keeps the naming rules", {"name": "café"}, "name-unicode", "error"),
    ("discovery 0.2", "Index Format: description, 1,024 at most", {"description": LONG}, "description-length", "error"),
    ("discovery 0.2", "Index Format: description says when", {"description": "Pays invoices of the shop by card."},
     "description-when", "note"),
    ("discovery 0.2", "Index Format: digest is sha256 and 64 digits", {"digest": HEX}, "index-digest-format", "error"),
    ("discovery 0.2", "Index Format: type and url agree", {"url": "pay.zip"}, "index-type", "error"),
    ("discovery 0.2", "URL Resolution: url is an RFC 3986 reference", {"url": "https://a b/SKILL.md"},
     "url-malformed", "error"),
    ("discovery 0.2", "Security Considerations", {"url": "/x/%2e%2e/SKILL.md"}, "index-url-escape", "error"),
    ("discovery 0.1", "Index Format: name keeps the naming rules", {"name": "Pay_Now"}, "name-kebab-case", "error"),
    ("discovery 0.1", "Index Format: name keeps the naming rules", {"name": "p" * 65}, "name-length", "error"),
    ("discovery 0.1", "Index Format: name keeps the naming rules", {"name": "café"}, "name-unicode", "error"),
    ("discovery 0.1", "Index Format: description, 1,024 at most", {"description": LONG}, "description-length", "error"),
    ("discovery 0.1", "Index Format: description says when", {"description": "Pays invoices of the shop by card."},
     "description-when", "note"),
    ("discovery 0.1", "Files Array: relative to the skill", {"files": ["SKILL.md", "/pay-invoice/a.md"]},
     "index-url-escape", "error"),
    ("discovery 0.1", "Files Array: forward slashes", {"files": ["SKILL.md", "a\\b.md"]}, "index-url-escape", "error"),
    ("discovery 0.1", "Files Array: no slash in front", {"files": ["SKILL.md", "/a.md"]}, "index-url-escape", "error"),
    ("discovery 0.1", "Files Array: no .. segment", {"files": ["SKILL.md", "a/../b"]}, "index-url-escape", "error"),
    ("discovery 0.1", "Files Array: printable ASCII", {"files": ["SKILL.md", "é.md"]}, "index-files-path", "error"),
    ("discovery 0.1", "Files Array: no ? # [ ]", {"files": ["SKILL.md", "a#b.md"]}, "index-files-path", "error"),
    ("discovery 0.1", "Files Array: SKILL.md first", {"files": ["a.md", "SKILL.md"]}, "index-files-order", "warning"),
    ("dualnova", "Skill summary fields: name is kebab-case", {"name": "Pay_Now"}, "name-kebab-case", "error"),
    ("dualnova", "Skill summary fields: name begins with a letter", {"name": "3d"}, "name-letter-first", "warning"),
    ("dualnova", "Skill summary fields: description is one sentence", {"description": f"Pay {'x' * 200}."},
     "description-sentence", "warning"),
    ("dualnova", "Skill summary fields: url is absolute", {"url": "pay/SKILL.md"}, "index-url-form", "error"),
    ("dualnova", "Skill summary fields: url", {"url": "https://acme.example:x/SKILL.md"}, "url-malformed", "error"),
    ("dualnova", "Skill summary fields: tags are small", {"tags": ["Billing"]}, "index-tags", "warning"),
    ("dualnova", "Skill summary fields: languages BCP 47", {"languages": ["english"]}, "language-tag", "error"),
    ("dualnova", "Skill summary fields: languages BCP 47", {"languages": ["jp"]}, "language-unregistered", "warning"),
    ("dualnova", "Skill summary fields: languages BCP 47", {"languages": ["pt-br"]}, "language-canonical", "note"),
    ("dualnova", "Skill summary fields: languages BCP 47", {"languages": ["en_US"]}, "language-underscore", "error"),
    ("dualnova", "Skill summary fields: execution_url", {"execution_url": "https://a%zz/"}, "url-malformed", "error"),
    ("dualnova", "Skill summary fields: execution_url absolute", {"execution_url": "/pay"}, "url-absolute", "warning"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "demand", "fields", "rule", "level"), DEMANDS)
def test_demands_on_entries(dialect: str, demand: str, fields: dict[str, Any], rule: str, level: str) -> None:
    path = OLD_PATH if dialect == "discovery 0.1" else PATH
    (finding,) = found(index(dialect, fields), *MINE, path=path)
    assert (finding.rule, finding.level) == (rule, level)


@pytest.mark.parametrize("dialect", ENTRIES)
def test_demand_name_identifies_the_skill(dialect: str) -> None:
    (finding,) = found(index(dialect, {}, {}), *MINE)
    assert (finding.rule, finding.level) == ("index-duplicate", "error")


@pytest.mark.parametrize(
    ("fields", "rule", "level"),
    [
        ({"provider_url": "https:/acme.example"}, "url-malformed", "error"),
        ({"provider_url": "acme.example"}, "url-absolute", "warning"),
        ({"contact": "call us"}, "contact-format", "warning"),
    ],
)
def test_demands_on_index_fields(fields: dict[str, Any], rule: str, level: str) -> None:
    text = index("dualnova", {}, **fields)
    assert marked(text, rule)[0][:2] == (rule, level)
    assert {f.rule for f in found(text, *MINE)} == {rule}


# --- digests --------------------------------------------------------------------------------------

BASE64 = base64.b64encode(bytes.fromhex(HEX)).decode()


@pytest.mark.parametrize(
    ("digest", "fault"),
    [
        (HEX, "lacks 'sha256:' before its digits"),
        (f"sha256:{HEX.upper()}", "has capital letters"),
        (f"SHA256:{HEX.upper()}", "has capital letters"),
        (f"SHA-256={HEX}", "begins with 'SHA-256=' and has capital letters"),
        (f"sha256-{HEX}", "begins with 'sha256-'"),
        (f"sha256: {HEX}", "begins with 'sha256: '"),
        (f" sha256:{HEX}\n", "has blanks around it"),
        (HEX.upper(), "lacks 'sha256:' before its digits and has capital letters"),
        (f"sha256-{BASE64}", "is written in base64, not in hex digits"),
        (f"sha256:{BASE64.rstrip('=')}", "is written in base64, not in hex digits"),
        (f"sha-256=:{BASE64}:", "is written in base64, not in hex digits"),
        ("sha256-" + BASE64.replace("+", "-").replace("/", "_"), "is written in base64, not in hex digits"),
    ],
)
def test_case_069_a_digest_in_another_form_is_rewritten(digest: str, fault: str) -> None:
    text = index("discovery 0.2", {"digest": digest})
    (finding,) = found(text, *MINE)
    assert (finding.rule, finding.level) == ("index-digest-format", "error")
    assert text[finding.span.start : finding.span.end] == json.dumps(digest)
    assert finding.message.endswith(fault)
    assert finding.fix is not None
    assert finding.fix.safe
    assert cured(text, finding)["skills"][0] == NEW


@pytest.mark.parametrize(
    ("digest", "fault"),
    [
        (f"sha256:{HEX[:63]}", "has 63 hex digits in place of 64"),
        (HEX + "0", "has 65 hex digits in place of 64"),
        (HEX[:40], "has 40 hex digits, the length of SHA-1, in place of 64"),
        (f"sha512:{HEX}{HEX}", "is a digest by sha512, not by SHA-256"),
        ("md5-00", "is a digest by md5, not by SHA-256"),
        ("sha256:c4d5e6f7...", "is cut short"),
        ("sha256:c4d5e6f7\u2026", "is cut short"),
        (f"sha256:{EMPTY}", "is the digest of an empty file"),
        (EMPTY.upper(), "is the digest of an empty file"),
        ("sha256-" + base64.b64encode(bytes.fromhex(EMPTY)).decode(), "is the digest of an empty file"),
        ("", "is empty"),
        (" ", "is empty"),
        ("sha256:{hex}", "is no SHA-256 digest"),
        ("sha256:", "is no SHA-256 digest"),
        (BASE64, "is no SHA-256 digest"),
        (f"sha256-{BASE64[:20]}", "is no SHA-256 digest"),
    ],
)
def test_case_069_a_digest_that_says_too_little_gets_no_fix(digest: str, fault: str) -> None:
    (finding,) = found(index("discovery 0.2", {"digest": digest}), *MINE)
    assert finding.rule == "index-digest-format"
    assert finding.message.endswith(fault)
    assert finding.fix is None
    assert finding.hint is not None


def test_case_069_the_key_sha256_becomes_digest() -> None:
    text = index("discovery 0.2", {"digest": None, "sha256": HEX})
    (finding,) = found(text, *MINE)
    assert brief([finding]) == [("index-digest-format", "error", 9, 7)]
    assert finding.location.end_column == 15
    assert finding.message == "the key 'sha256' holds the digest, but clients look for 'digest'"
    assert finding.fix is not None
    assert finding.fix.safe
    assert cured(text, finding)["skills"][0] == NEW


@pytest.mark.parametrize("value", [f"sha256:{HEX}", HEX.upper(), f"sha256-{BASE64}"])
def test_the_value_of_the_key_sha256_is_mended_too(value: str) -> None:
    text = index("discovery 0.2", {"digest": None, "sha256": value})
    (finding,) = found(text, *MINE)
    assert cured(text, finding)["skills"][0] == NEW


@pytest.mark.parametrize("value", [HEX[:63], "TODO", EMPTY, f"sha256:{EMPTY}"])
def test_a_useless_value_of_the_key_sha256_is_left_to_the_author(value: str) -> None:
    (finding,) = found(index("discovery 0.2", {"digest": None, "sha256": value}), "index-digest-format")
    assert finding.fix is None
    assert "the value '" in finding.message


def test_sha256_beside_a_digest_passes() -> None:
    assert found(index("discovery 0.2", {"sha256": HEX}), *MINE) == []
    text = index("discovery 0.2", {"sha256": HEX, "digest": HEX})
    assert marked(text, *MINE) == [("index-digest-format", "error", f'"{HEX}"')]


@pytest.mark.parametrize(
    "text",
    [
        index("discovery 0.1", {"digest": HEX, "sha256": HEX}),
        json.dumps({"skills": [{"id": "pay", "checksums": {"digest": HEX}}]}),
    ],
)
def test_digests_of_other_dialects_are_nobodys_business(text: str) -> None:
    assert found(text, "index-digest-format") == []


def test_a_digest_of_another_type_is_a_matter_of_the_schema() -> None:
    for value in (5, None, [HEX], {"sha256": HEX}, True):
        text = json.dumps({"$schema": SCHEMA, "skills": [{**NEW, "digest": value}]})
        assert found(text, "index-digest-format") == []


# --- what stands twice ----------------------------------------------------------------------------


def test_case_074_two_entries_with_one_name() -> None:
    text = index("dualnova", {}, {"url": f"{URL}?2"}, {"name": "buy", "url": f"{URL}?3"}, {"url": f"{URL}?4"})
    first, second = found(text, *MINE)
    assert brief([first, second]) == [("index-duplicate", "error", 13, 15), ("index-duplicate", "error", 25, 15)]
    assert first.location.end_column == 20
    assert first.message == "name 'pay' is listed twice"
    assert [(place.line, place.column, message) for place, message in second.related] == [(7, 15, "first listed here")]
    assert {demand.spec for demand in first.demands} == {"dualnova"}


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("pay", "PAY", "name 'PAY' differs from 'pay' in letter case alone"),
        ("café", "cafe\u0301", "name 'cafe\u0301' differs from 'café' in Unicode form alone"),
        ("straße", "STRASSE", "name 'STRASSE' differs from 'straße' in letter case alone"),
    ],
)
def test_case_074_names_that_a_file_system_takes_for_one(one: str, other: str, message: str) -> None:
    (finding,) = found(index("discovery 0.1", {"name": one}, {"name": other}), "index-duplicate")
    assert finding.message == message


def test_case_074_two_entries_with_one_url() -> None:
    text = index("discovery 0.2", {}, {"name": "buy"})
    (finding,) = found(text, *MINE)
    assert brief([finding]) == [("index-duplicate-url", "warning", 15, 14)]
    assert finding.message == "url 'pay/SKILL.md' is that of 'pay' too"
    assert [(place.line, place.column) for place, _ in finding.related] == [(8, 14)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pay/SKILL.md", "./pay/SKILL.md"),
        ("pay/SKILL.md", "/.well-known/agent-skills/pay/SKILL.md"),
        ("pay/SKILL.md", "/.well-known/skills/../agent-skills/pay/SKILL.md"),
        ("https://cdn.example/a", "https://cdn.example/a"),
    ],
)
def test_one_url_in_two_forms_is_one(one: str, other: str) -> None:
    assert marked(index("discovery 0.2", {"url": one}, {"name": "buy", "url": other}), "index-duplicate-url") == [
        ("index-duplicate-url", "warning", json.dumps(other))
    ]


def test_an_origin_makes_more_of_them_one() -> None:
    text = index("discovery 0.2", {}, {"name": "buy", "url": URL})
    assert found(text, "index-duplicate-url") == []
    assert len(found(text, "index-duplicate-url", origin="https://acme.example")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pay/SKILL.md", "pay/skill.md"),
        ("/skill?name=pay", "/skill?name=buy"),
        ("/all.md#pay", "/all.md#buy"),
        ("https://a.example/SKILL.md", "https://b.example/SKILL.md"),
        ("", ""),
    ],
)
def test_urls_that_differ(one: str, other: str) -> None:
    assert found(index("discovery 0.2", {"url": one}, {"name": "buy", "url": other}), "index-duplicate-url") == []


def test_an_entry_that_stands_there_twice_is_one_finding() -> None:
    assert [f.rule for f in found(index("discovery 0.2", {}, {}), *MINE)] == ["index-duplicate"]


def test_a_url_in_discovery_01_is_no_field_of_it() -> None:
    assert found(index("discovery 0.1", {"url": "x"}, {"name": "buy", "url": "x"}), *MINE) == []


# --- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("pay/SKILL.md", "write 'https://acme.example/.well-known/agent-skills/pay/SKILL.md'"),
        ("/pay/SKILL.md", "write 'https://acme.example/pay/SKILL.md'"),
        ("//acme.example/pay", "write 'https://acme.example/pay'"),
        ("//cdn.example/pay", "write the whole address, beginning with https://"),
    ],
)
def test_case_070_dualnova_wants_absolute_addresses(url: str, hint: str) -> None:
    text = index("dualnova", {"url": url})
    (finding,) = found(text, *MINE)
    assert brief([finding]) == [("index-url-form", "error", 10, 14)]
    assert finding.message == f"url '{url}' is relative; an absolute https URL is asked for"
    assert finding.hint == hint


@pytest.mark.parametrize("url", [URL, "HTTPS://acme.example/x", "{base}/pay", "$BASE/pay", "ftp://a.example/x"])
def test_absolute_addresses_pass(url: str) -> None:
    assert found(index("dualnova", {"url": url}), "index-url-form") == []


def test_case_070_discovery_allows_relative_addresses_and_a_hybrid_index_does_not() -> None:
    assert found(index("discovery 0.2", {}), *MINE) == []
    text = index("discovery 0.2", {"title": "Pay"}, **PROVIDER)
    assert [(f.rule, {d.spec for d in f.demands}) for f in found(text, *MINE)] == [("index-url-form", {"dualnova"})]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/x/%2e%2e/%2E%2e/etc/passwd", "it hides dots in percent escapes"),
        ("..%2f..%2fetc/passwd", "it hides a separator in a percent escape"),
        ("pay%5cSKILL.md", "it hides a separator in a percent escape"),
        ("pay\\SKILL.md", "it has a backslash, which some clients read as '/'"),
        ("/%252e%252e/x", "it hides dots in percent escapes"),
    ],
)
def test_urls_that_hide_where_they_lead(url: str, reason: str) -> None:
    text = index("discovery 0.2", {"url": url})
    (finding,) = found(text, *MINE)
    assert (finding.rule, finding.level) == ("index-url-escape", "error")
    assert text[finding.span.start : finding.span.end] == json.dumps(url)
    assert finding.message.endswith(f"hides where it leads: {reason}")


@pytest.mark.parametrize(
    "url",
    [
        "../skills/pay/SKILL.md", "/a/../b/SKILL.md", "https://acme.example/a/../SKILL.md", "pay/SKILL.md?x=\\",
        "https://gitlab.example/api/projects/acme%2Fskills/SKILL.md", "pay%20now/SKILL.md", "a..b/SKILL.md",
    ],
)  # fmt: skip
def test_urls_that_lead_where_they_say(url: str) -> None:
    assert found(index("discovery 0.2", {"url": url}), "index-url-escape") == []


@pytest.mark.parametrize("dialect", ["discovery 0.2", "discovery 0.1"])
@pytest.mark.parametrize("name", ["..", "../pay", "/etc/cron.d/x", "a\\..\\b", "C:\\pay", "%2e%2e", "a/../../b"])
def test_names_that_lead_out_of_the_folder_are_told_once(dialect: str, name: str) -> None:
    text = index(dialect, {"name": name})
    assert marked(text, *MINE) == [("index-url-escape", "error", json.dumps(name))]
    assert found(text, *MINE)[0].message.startswith("name ")


def test_a_name_that_is_only_odd_is_no_escape() -> None:
    for name in ("pay..now", "a/b", "...", "https://acme.example"):
        assert [f.rule for f in found(index("discovery 0.2", {"name": name}), *MINE)] == ["name-kebab-case"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../x.md", "leads out of the skill's folder: it has '..'"),
        ("/x.md", "leads out of the skill's folder: it is absolute"),
        ("C:/x.md", "leads out of the skill's folder: it is absolute"),
        ("a\\x.md", "has a backslash; paths use '/'"),
        ("..\\x.md", "leads out of the skill's folder: it has '..'"),
        ("%2e%2e/x.md", "leads out of the skill's folder: it hides dots in percent escapes"),
    ],
)
def test_files_that_lead_out_of_the_folder(path: str, message: str) -> None:
    text = index("discovery 0.1", {"files": ["SKILL.md", path]})
    assert marked(text, *MINE) == [("index-url-escape", "error", json.dumps(path))]
    assert found(text, *MINE)[0].message.endswith(message)


def test_files_that_are_fine() -> None:
    files = ["SKILL.md", "scripts/deploy.sh", "a b/c+d,e;f=g@h&i!j'k(l)m.md", "a..b.md", "...", "x:y.md", "%41.md", "~"]
    assert found(index("discovery 0.1", {"files": files}), *MINE) == []


def test_files_are_no_field_of_discovery_02() -> None:
    assert found(index("discovery 0.2", {"files": ["/pay/é.md", "../x", "SKILL.md"]}), *MINE) == []


# --- types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "url", "message"),
    [
        ("archive", "pay/SKILL.md", "type 'archive' contradicts the url, which leads to a Markdown file (.md)"),
        ("archive", "/PAY.MD#top", "type 'archive' contradicts the url, which leads to a Markdown file (.md)"),
        ("skill-md", "pay.zip", "type 'skill-md' contradicts the url, which leads to an archive (.zip)"),
        ("skill-md", "pay.tar.gz", "type 'skill-md' contradicts the url, which leads to an archive (.tar.gz)"),
        ("skill-md", "https://a.net/pay.tgz", "type 'skill-md' contradicts the url, which leads to an archive (.tgz)"),
    ],
)  # fmt: skip
def test_case_079_type_and_url_disagree(type_: str, url: str, message: str) -> None:
    text = index("discovery 0.2", {"type": type_, "url": url})
    (finding,) = found(text, *MINE)
    assert brief([finding]) == [("index-type", "error", 6, 15)]
    assert finding.message == message
    assert [(place.line, place.column, said) for place, said in finding.related] == [(8, 14, "the url")]


@pytest.mark.parametrize(
    ("type_", "url"),
    [
        ("archive", "pay.tgz"), ("archive", "pay.zip"), ("archive", "pay"), ("archive", "/get?file=SKILL.md"),
        ("archive", "/pay.md?format=zip"), ("skill-md", "/pay.zip?file=SKILL.md"), ("skill-md", "pay"),
        ("skill-md", "pay.txt"), ("skill-md", "/zip"), ("skill-md", "pay/SKILL.md#a.zip"), ("archive", ".well.mdx"),
        ("task", "pay.zip"), ("skill_md", "pay.zip"),
    ],
)  # fmt: skip
def test_case_079_types_that_may_be_right(type_: str, url: str) -> None:
    assert found(index("discovery 0.2", {"type": type_, "url": url}), "index-type") == []


def test_type_in_other_dialects_means_something_else() -> None:
    assert found(index("dualnova", {"type": "archive"}), *MINE) == []
    assert found(index("discovery 0.1", {"type": "archive", "url": "x.md"}), *MINE) == []


# --- files of discovery 0.1 -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "chars"),
    [("é.md", "'é'"), ("a?b#c.md", "'?' '#'"), ("a[1].md", "'[' ']'"), ("a\tb", "'\\t'"), ("\x7f", "'\\x7f'")],
)
def test_characters_of_paths(path: str, chars: str) -> None:
    text = index("discovery 0.1", {"files": ["SKILL.md", path]})
    assert marked(text, *MINE) == [("index-files-path", "error", json.dumps(path))]
    assert f" has {chars}; " in found(text, *MINE)[0].message


@pytest.mark.parametrize(
    "files", [["a.md", "SKILL.md"], ["a", "b", "SKILL.md"], ["a", "b", "SKILL.md", "c", "SKILL.md"]]
)
@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_skill_md_is_put_first(files: list[str], indent: Any) -> None:
    text = json.dumps({"skills": [{**OLD, "files": files}]}, indent=indent)
    (finding,) = found(text, *MINE)
    assert (finding.rule, text[finding.span.start : finding.span.end]) == ("index-files-order", '"SKILL.md"')
    at = files.index("SKILL.md")
    assert finding.message == f"'SKILL.md' is number {at + 1} of the files; it comes first by convention"
    after = fixed(text, finding)
    expected = ["SKILL.md", *files[:at], *files[at + 1 :]]
    assert after == json.dumps({"skills": [{**OLD, "files": expected}]}, indent=indent)


@pytest.mark.parametrize(
    "files", [["SKILL.md", "a"], ["SKILL.md", "a", "SKILL.md"], ["a", "skill.md"], ["a", "b/SKILL.md"], []]
)
def test_lists_that_have_skill_md_first_or_not_at_all(files: list[str]) -> None:
    assert found(index("discovery 0.1", {"files": files}), "index-files-order") == []


# --- tags and languages ---------------------------------------------------------------------------


def test_case_081_a_tag_with_capitals() -> None:
    text = index("dualnova", {"tags": ["pay", "Online-Shop", "ÄRA"]})
    first, second = found(text, *MINE)
    assert brief([first, second]) == [("index-tags", "warning", 13, 9), ("index-tags", "warning", 14, 9)]
    assert first.message == "tag 'Online-Shop' has capital letters; tags are lowercase"
    assert first.fix is not None
    assert first.fix.safe
    assert cured(text, first)["skills"][0]["tags"] == ["pay", "online-shop", "ÄRA"]
    assert cured(text, second)["skills"][0]["tags"] == ["pay", "Online-Shop", "ära"]


@pytest.mark.parametrize(
    "tags", [["pay", "über", "日本", "3d", "a/b c", ""], [], "Billing", [5, None, ["A"], {"A": "B"}]]
)
def test_case_081_tags_that_are_small_or_no_tags(tags: Any) -> None:
    assert found(index("dualnova", {"tags": tags}), "index-tags") == []


def test_tags_of_discovery_are_free() -> None:
    assert found(index("discovery 0.2", {"tags": ["Billing"]}), *MINE) == []


def test_fixes_of_languages_are_json() -> None:
    text = index("dualnova", {"languages": ["en", "pt-br", "es_MX", "EN"]})
    findings = {f.rule: f for f in found(text, *MINE)}
    assert sorted(findings) == ["language-canonical", "language-duplicate", "language-underscore"]
    read = {rule: cured(text, finding)["skills"][0]["languages"] for rule, finding in findings.items()}
    assert read == {
        "language-canonical": ["en", "pt-BR", "es_MX", "EN"],
        "language-duplicate": ["en", "pt-br", "es_MX"],
        "language-underscore": ["en", "pt-br", "es-MX", "EN"],
    }


def test_languages_of_each_entry_are_a_list_of_their_own() -> None:
    text = index("dualnova", {"languages": ["en"]}, {"name": "buy", "url": f"{URL}?2", "languages": ["en", "no"]})
    assert found(text, *MINE) == []


# --- names and texts ------------------------------------------------------------------------------


def test_the_name_of_an_entry_becomes_that_of_the_folder_to_which_it_leads() -> None:
    text = index("discovery 0.2", {"name": 'Pay "now"\t'})
    (finding,) = found(text, *MINE)
    assert brief([finding]) == [("name-kebab-case", "error", 5, 15)]
    assert "some clients then skip the whole index; write 'pay'" in finding.message
    assert fixed(text, finding) == index("discovery 0.2", {})


@pytest.mark.parametrize("url", ["Pay_Now/SKILL.md", "SKILL.md", "skills/SKILL.md", "pay-now.zip"])
def test_the_name_of_an_entry_is_not_rewritten_alone(url: str) -> None:
    (finding,) = found(index("discovery 0.2", {"name": "Pay_Now", "url": url}), "name-kebab-case")
    assert finding.fix is None  # whether the skill has the same wrong name, nobody knows here
    assert finding.hint == "the skill's own name has to be 'pay-now' as well"


def test_the_name_in_discovery_01_is_that_of_a_folder() -> None:
    text = index("discovery 0.1", {"name": "Pay_Now"})
    (finding,) = found(text, *MINE)
    assert finding.fix is None
    assert finding.hint == "clients look for the skill in a folder of that name: rename it to 'pay-now' as well"
    tree = {PATH: text, PATH.replace("index.json", "pay-now/SKILL.md"): clean_skill("discovery", "name: pay-now")}
    (finding,) = only(list(report_on(tree).findings), "name-kebab-case")
    assert fixed(text, finding) == text.replace("Pay_Now", "pay-now")


def test_a_name_that_is_wrong_in_entry_and_skill_is_two_findings() -> None:
    skill = f"---\nname: Pay\ndescription: {WHEN}\n---\n\n# Pay\n"
    report = report_on({PATH: index("discovery 0.2", {"name": "Pay"}), ".well-known/agent-skills/pay/SKILL.md": skill})
    assert [f.path for f in only(list(report.findings), "name-kebab-case")] == [
        PATH, ".well-known/agent-skills/pay/SKILL.md",
    ]  # fmt: skip


def test_a_name_of_the_publisher_is_no_name_of_a_skill() -> None:
    top = {"name": "ACME Inc.", "description": "x" * 1100, "languages": ["english"], "url": "a b"}
    assert found(index("discovery 0.2", {}, **top), *MINE) == []


def test_fields_of_an_index_in_a_skill_are_no_entries() -> None:
    front = "name: pay\nskills:\n  - name: Pay_Now\n    languages: [english]\n    url: a b\n"
    report = report_on({"pay/SKILL.md": f"---\n{front}description: {WHEN}\n---\n\n# Pay\n"})
    assert [f.rule for f in report.findings if f.rule in MINE] == []


def test_an_index_of_no_known_dialect_is_not_judged() -> None:
    text = json.dumps({"skills": [{"name": "Pay_Now", "path": "../x", "tags": ["A"], "languages": ["english"]}]})
    assert found(text, *MINE) == []


# --- addresses and people -------------------------------------------------------------------------


def test_part_of_a_url_is_underlined() -> None:
    text = index("discovery 0.2", {"url": "https://acme.example:99999/SKILL.md"})
    assert marked(text, *MINE) == [("url-malformed", "error", "99999")]
    escaped = text.replace("https://acme", "https:\\/\\/acme")
    assert marked(escaped, *MINE) == [("url-malformed", "error", '"https:\\/\\/acme.example:99999/SKILL.md"')]


def test_plain_http_in_an_index() -> None:
    text = index("discovery 0.2", {"url": "http://skills.northwind-trade.net/SKILL.md"})
    (finding,) = found(text, *MINE)
    assert (finding.rule, finding.level) == ("url-insecure", "warning")
    assert cured(text, finding)["skills"][0]["url"] == "https://skills.northwind-trade.net/SKILL.md"
    escaped = text.replace("http://", "http:\\/\\/")
    (finding,) = found(escaped, *MINE)
    assert finding.fix is None


def test_an_address_that_only_its_author_reaches() -> None:
    text = index("dualnova", {"url": "https://localhost/x", "execution_url": "https://shop.local/"})
    assert marked(text, *MINE) == [
        ("url-unreachable", "warning", '"https://localhost/x"'),
        ("url-unreachable", "warning", '"https://shop.local/"'),
    ]


def test_a_password_in_an_index_is_found_and_masked() -> None:
    text = index("discovery 0.2", {"url": "https://shop:k7Wq93zLtR@skills.northwind-trade.net/SKILL.md"})
    (finding,) = found(text, "url-credentials")
    assert "k7Wq93zLtR" not in finding.message
    assert finding.message.endswith("everyone who reads the index has it")


def test_a_sample_password_counts_in_a_field_and_not_in_a_text() -> None:
    address = "https://acme:password@skills.northwind-trade.net/SKILL.md"
    assert len(found(index("discovery 0.2", {"url": address}), "url-credentials")) == 1
    assert found(index("discovery 0.2", {"description": f"{WHEN} {address}"}), "url-credentials") == []


def test_contact_and_addresses_that_a_cdn_hid() -> None:
    text = index("dualnova", {}, contact="[email\u00a0protected]")
    assert [f.rule for f in found(text, *MINE)] == ["email-obfuscated"]
    assert found(index("dualnova", {}, contact="hello@acme.example"), *MINE) == []
    assert found(index("discovery 0.2", {}, contact="call us"), *MINE) == []


def test_unknown_fields_are_passed_over() -> None:
    assert found(index("discovery 0.2", {"execution_url": "a b", "languages": ["english"]}), *MINE) == []
    assert found(index("discovery 0.1", {"url": "a b", "execution_url": "http://x.acme.net/"}), *MINE) == []


# --- what holds for every input -------------------------------------------------------------------

RULES = [rule for rule in load_rules() if rule.id in MINE]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8),
    st.sampled_from([
        HEX, f"sha256:{HEX}", f"SHA256-{HEX}", f"sha256-{BASE64}", "SKILL.md", "../x", "a.zip", "skill-md", "archive",
        URL, "https://[", "http://h.acme.net/\\", "//", "%2e%2e", "Pay", "\ud800", "en_US", "EN", "en", "pt-br", SCHEMA,
        "https://a:b@c.net", "[email\u00a0protected]", "\u017f", "é", "İ", "\u0345",
    ]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
FIELDS = st.sampled_from(
    ["name", "type", "description", "url", "digest", "sha256", "files", "tags", "languages", "execution_url", "title"]
)
ENTRY = st.dictionaries(FIELDS, VALUES, max_size=8) | VALUES
INDEX = st.fixed_dictionaries(
    {"skills": st.lists(ENTRY, max_size=5) | VALUES},
    optional={"$schema": VALUES, "provider": VALUES, "provider_url": VALUES, "contact": VALUES},
)


@settings(max_examples=400)
@given(INDEX, st.booleans(), st.sampled_from([None, 1]))
def test_any_json_is_judged_and_fixes_leave_json(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "replace").decode()
    report = lint(memory_project({PATH: text}), Config(level="note"), RULES)
    assert report.crashed == 0
    for finding in report.findings:
        if finding.fix is not None:
            after = fixed(text, finding)
            assert after != text
            json.loads(after)
