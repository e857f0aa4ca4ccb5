"""Reports for hosts of code, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agentskills_lint import cli
from agentskills_lint.reporters import FORMATS

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line in this process, in a folder of a repository with one bad skill."""
    monkeypatch.setenv("COLUMNS", "110")
    (tmp_path / ".git").mkdir()
    (tmp_path / "site" / "pay").mkdir(parents=True)
    (tmp_path / "site" / "pay" / "SKILL.md").write_text("---\nname: pay\n---\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "site")

    def called(*words: str) -> tuple[int, str, str]:
        code = cli.main(["--isolated", "--select=SKL102", *words])
        return code, *capsys.readouterr()

    return called


def test_help_lists_every_format(call: Call) -> None:
    text = " ".join(call("--help")[1].split())
    assert f"--format FORMAT {', '.join(FORMATS)} (default: text) " in text


def test_paths_are_relative_to_the_repository_or_to_a_folder_of_choice(call: Call) -> None:
    start = "::error file={},line=1,col=1,endLine=1,endColumn=4,title=SKL102 description-missing::"
    assert call("--format=github")[1].startswith(start.format("site/pay/SKILL.md"))
    assert call("--format=github", "--sarif-root=.")[1].startswith(start.format("pay/SKILL.md"))
    run = json.loads(call("--format=sarif", "--sarif-root=pay", "--sarif-category=docs")[1])["runs"][0]
    assert run["automationDetails"] == {"id": "docs/"}
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "SKILL.md"}
    assert json.loads(call("--format=gitlab")[1])[0]["location"]["path"] == "site/pay/SKILL.md"


def test_several_reports_of_one_run(call: Call, tmp_path: Path) -> None:
    reports = [f"--report={name}={tmp_path / name}" for name in ("sarif", "summary", "junit")]
    code, out, err = call("--format=github", *reports)
    assert (code, out.count("\n"), err) == (1, 1, "")
    assert len(json.loads((tmp_path / "sarif").read_text(encoding="utf-8"))["runs"][0]["results"]) == 1
    assert "**1 error** in 1 file." in (tmp_path / "summary").read_text(encoding="utf-8")
    assert 'tests="1" failures="1"' in (tmp_path / "junit").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--sarif-root=nowhere", "argument --sarif-root: nowhere is no folder"),
        ("--sarif-category=/", "argument --sarif-category: the category has no name"),
    ],
)
def test_what_cannot_be_meant_is_refused(call: Call, option: str, message: str) -> None:
    assert call(option) == (2, "", f"agentskills-lint: error: {message} (--help lists the options)\n")
