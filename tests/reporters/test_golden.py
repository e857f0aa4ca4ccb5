"""Each reporter over one shared report, whole. `pytest --update` writes the files anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentskills_lint.reporters import FORMATS, Style, load, sarif
from tests.reporters.shared import EMPTY, REPORT, RULES

GOLDEN = Path(__file__).parents[1] / "golden"

CASES = {
    **{f"report.{name}": (name, Style()) for name in FORMATS},
    "report.color.text": ("text", Style(color=True)),
    "report.all.text": ("text", Style(verbose=True, statistics=True, show_files=True)),
    "report.quiet.text": ("text", Style(quiet=True)),
}


@pytest.mark.parametrize("file", sorted(CASES))
def test_output_is_as_recorded(file: str, update: bool) -> None:
    name, style = CASES[file]
    rendered = (sarif.render(REPORT, style, RULES) if name == "sarif" else load(name).render(REPORT, style)).encode()
    if update:
        (GOLDEN / file).write_bytes(rendered)
    assert rendered == (GOLDEN / file).read_bytes()


def test_every_format_has_a_golden_file() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(CASES)


def test_text_of_an_empty_report() -> None:
    assert load("text").render(EMPTY, Style()) == "0 files (0 skills, 0 sites): 0 errors, 0 warnings\n"
    assert load("text").render(EMPTY, Style(quiet=True)) == ""


def test_flake8_of_an_empty_report() -> None:
    assert load("flake8").render(EMPTY, Style()) == ""


def test_case_115_no_control_or_bidi_character_reaches_a_terminal() -> None:
    for name in FORMATS:
        text = load(name).render(REPORT._replace(level="note"), Style(verbose=True, show_files=True))
        assert [char for char in text if not char.isprintable() and char != "\n"] == []


def test_many_findings_of_one_rule_in_one_file_are_folded_in_the_text_alone() -> None:
    first = REPORT.findings[2]
    many = tuple(first._replace(location=first.location._replace(line=line)) for line in range(1, 13))
    report = REPORT._replace(findings=(*many, REPORT.findings[0]))
    text = load("text").render(report, Style())
    assert [line for line in text.splitlines() if "link-broken" in line][9:] == [
        "z/SKILL.md:10:205: warning: 'guide.md' leads to nothing [SKL706 link-broken] (agentskills MUST)",
        "z/SKILL.md: 2 more of link-broken (SKL706) in this file",
    ]
    assert "name-missing" in text
    assert load("flake8").render(report, Style()).count("SKL706") == 12
    assert load("json").render(report, Style()).count('"rule": "link-broken"') == 12
