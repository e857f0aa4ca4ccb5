"""`--baseline`: known findings stay silent, new ones do not, entries that are gone are said so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agentskills_lint import cli
from tests.cli.test_cli import Run
from tests.support import clean_skill

BAD = clean_skill("agentskills", "name: Pay_Invoice")
FILE = "known.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath(".git").mkdir()
    put("a", BAD)
    put("b", BAD)
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def call(*words: str) -> Run:
        capsys.readouterr()
        code = cli.main(["--isolated", "--select=SKL201,SKL101", f"--baseline={FILE}", *words])
        return Run(code, *capsys.readouterr())

    return call


def put(folder: str, text: str) -> None:
    Path(folder).mkdir(exist_ok=True)
    Path(folder, "SKILL.md").write_text(text, encoding="utf-8")


def entries() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(Path(FILE).read_text(encoding="utf-8"))["findings"]
    return found


def test_known_findings_stay_silent_and_new_ones_do_not(run: Callable[..., Run]) -> None:
    first = run("--write-baseline")
    written = f"agentskills-lint: note: the baseline {Path(FILE).absolute()} is written: 2 new, 0 gone, 2 in all\n"
    assert (first.code, first.err) == (0, written)
    assert first.out == "2 files (2 skills, 0 sites): 0 errors, 0 warnings, 2 in the baseline\n"
    assert [(entry["rule"], entry["path"], set(entry)) for entry in entries()] == [
        ("name-kebab-case", f"{folder}/SKILL.md", {"fingerprint", "rule", "path"}) for folder in "ab"
    ]
    assert run() == first._replace(err="")
    put("b", BAD.replace("name: Pay_Invoice\n", ""))
    found = run("--format=flake8")
    assert (found.code, found.out[:23]) == (1, "b/SKILL.md:1:1: SKL101 ")
    assert found.err == (
        "agentskills-lint: note: b/SKILL.md: the baseline's name-kebab-case is gone (--write-baseline removes it)\n"
    )


def test_lines_above_and_another_working_directory_change_nothing(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--write-baseline")
    put("a", BAD.replace("name:", "license: MIT\nname:"))
    monkeypatch.chdir("a")
    assert run("--baseline=../known.json", "..").code == 0
    assert run("--baseline=../known.json", ".").out.startswith("1 file (1 skill, 0 sites): 0 errors, 0 warnings, 1 in")


def test_writing_keeps_reasons_and_the_entries_of_files_that_were_not_looked_at(run: Callable[..., Run]) -> None:
    run("--write-baseline")
    data = json.loads(Path(FILE).read_text(encoding="utf-8"))
    for entry in data["findings"]:
        entry["reason"] = "the name is printed on leaflets"
    Path(FILE).write_text(json.dumps(data), encoding="utf-8")
    put("a", clean_skill("agentskills"))
    run("--write-baseline", "a")
    assert [(entry["path"], entry["reason"]) for entry in entries()] == [
        ("b/SKILL.md", "the name is printed on leaflets")
    ]
    Path("b/SKILL.md").unlink()
    assert run("a").err == (
        "agentskills-lint: note: b/SKILL.md: the baseline's name-kebab-case is gone (--write-baseline removes it)\n"
    )
    run("--write-baseline", "a")
    assert entries() == []


def test_what_a_run_did_not_judge_stays_and_is_not_called_gone(run: Callable[..., Run]) -> None:
    put("b", BAD.replace("name: Pay_Invoice\n", ""))
    run("--write-baseline")
    before = entries()
    assert [entry["rule"] for entry in before] == ["name-kebab-case", "name-missing"]
    put("b", clean_skill("agentskills", "name: b"))
    assert run("--ignore=SKL101").err == ""
    assert run("--ignore=SKL101", "--write-baseline").err.endswith(": 0 new, 0 gone, 2 in all\n")
    assert run("--ignore=SKL201", "--write-baseline").err.endswith(": 0 new, 1 gone, 1 in all\n")
    assert entries() == before[:1]


def test_what_is_hidden_stays_known(run: Callable[..., Run]) -> None:
    put("a", clean_skill("agentskills", "name: a\ndescription: Pays."))
    note = "--select=SKL3"
    assert run(note, "--level=note", "--write-baseline", "a").err.endswith(": 1 new, 0 gone, 1 in all\n")
    assert run(note, "--level=error", "--write-baseline", "a").err.endswith(": 0 new, 0 gone, 1 in all\n")


def test_files_of_a_site_archives_and_served_files_go_when_they_do(run: Callable[..., Run]) -> None:
    Path("skills.txt").write_text("# A\n\n## Skills\n\n- [Pay](/a/SKILL.md): Pays.\n", encoding="utf-8")
    Path("robots.txt").write_text("User-agent: *\nDisallow: /\n", encoding="utf-8")
    for folder in "ab":
        put(folder, clean_skill("wsp", f"name: {folder}"))
    robots = ("--select=robots-disallow", "--level=note")
    assert run(*robots, "--write-baseline").err.endswith(": 1 new, 0 gone, 1 in all\n")
    data = json.loads(Path(FILE).read_text(encoding="utf-8"))
    for number, path in enumerate(("x.tar.gz!SKILL.md", "a/SKILL.md!SKILL.md", "https://acme.example/skills.txt")):
        data["findings"].append({"fingerprint": str(number), "rule": "robots-disallow", "path": path})
    Path(FILE).write_text(json.dumps(data), encoding="utf-8")
    gone = "the baseline's robots-disallow is gone (--write-baseline removes it)\n"
    assert run(*robots).err == f"agentskills-lint: note: x.tar.gz!SKILL.md: {gone}"
    Path("robots.txt").write_text("User-agent: *\nAllow: /\n", encoding="utf-8")
    assert f"note: robots.txt: {gone}" in run(*robots).err


def test_what_is_known_is_not_fixed(run: Callable[..., Run]) -> None:
    run("--write-baseline", "a")
    assert run("--fix", "--unsafe-fixes").code == 0
    assert Path("a/SKILL.md").read_text(encoding="utf-8") == BAD
    assert Path("b/SKILL.md").read_text(encoding="utf-8") == BAD.replace("Pay_Invoice", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: Expecting property name enclosed in double quotes"),
        ("[]", "it is no baseline: an object with the list 'findings' is expected"),
        ('{"version": 2, "findings": []}', "it has version 2, this tool reads 1"),
        ('{"version": 1, "findings": [{}]}', "entry 1 is no object with the string 'fingerprint'"),
        ('{"version": 1, "findings": [{"fingerprint": "x", "rule": 1}]}', "entry 1 is no object with the string"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_file_that_is_no_baseline_is_told(run: Callable[..., Run], here: Path, text: str, message: str) -> None:
    Path(FILE).write_text(text, encoding="utf-8")
    found = run()
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"agentskills-lint: error: cannot read the baseline {here / FILE}: {message}")


def test_a_baseline_that_does_not_exist_or_is_not_named_is_told(
    run: Callable[..., Run], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run().err == (
        f"agentskills-lint: error: the baseline {here / FILE} does not exist (--write-baseline writes it)\n"
    )
    assert cli.main(["--isolated", "--write-baseline"]) == 2
    assert capsys.readouterr().err == (
        "agentskills-lint: error: --write-baseline needs --baseline FILE, or baseline in the configuration\n"
    )


def test_the_configuration_names_the_baseline_beside_itself(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("agentskills-lint.toml").write_text('baseline = "known.json"\nselect = ["SKL201"]\n', encoding="utf-8")
    monkeypatch.chdir("a")
    assert cli.main(["--write-baseline", ".."]) == 0
    assert (here / FILE).is_file()
    capsys.readouterr()
    assert cli.main([".."]) == 0
