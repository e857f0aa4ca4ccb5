"""JUnit XML, held to what junit-10.xsd of Jenkins' xUnit plugin allows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Location, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.junit import render
from tests.reporters.shared import EMPTY, ODD_PATH, REPORT, finding
from tests.support import clean_skill, report_on

# element: (attributes that it must have, that it may have, elements that it may hold), from junit-10.xsd
SHAPES: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": ({"name"}, {"time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}
ILLEGAL = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HOSTILE = finding(
    "SKL008", "yaml-syntax", "error", "]]> & <b a='\"'> \0 \x0b \ufffe \ud800 \u2028 😀\nx",
    Location("a&<\"'>\x01/d", 4, 2, 4, 3), "x", hint="<&>\x00",
)  # fmt: skip
REAL = report_on({"pay-invoice/SKILL.md": clean_skill("wsp"), "bad/SKILL.md": "x"})


def _checked(text: str) -> ElementTree.Element:
    assert ILLEGAL.search(text) is None
    top = ElementTree.fromstring(text)
    for element in top.iter():
        must, may, inside = SHAPES[element.tag]
        assert must <= set(element.attrib) <= must | may
        assert {child.tag for child in element} <= inside
    for suite in (top, top[0]):
        assert suite.get("tests") == str(len(top.findall(".//testcase")))
        assert suite.get("failures") == str(len(top.findall(".//failure")))
        assert suite.get("errors") == str(len(top.findall(".//error")))
    return top


@pytest.mark.parametrize(
    "report",
    [EMPTY, REPORT._replace(level="note"), REAL, EMPTY._replace(findings=(HOSTILE,))],
    ids=["empty", "shared", "real", "hostile"],
)
def test_output_holds_to_the_schema(report: Report) -> None:
    _checked(render(report, Style()))


def test_findings_fail_notes_pass_and_what_cannot_be_read_is_an_error() -> None:
    top = _checked(render(REPORT._replace(level="note"), Style()))
    cases = top.findall(".//testcase")
    assert [(case.get("classname"), case.get("name"), [child.tag for child in case]) for case in cases] == [
        (ODD_PATH, "SKL101 name-missing 1:1", ["failure"]),
        (ODD_PATH, "SKL008 yaml-syntax 3:15", ["failure"]),
        ("z/SKILL.md", "SKL706 link-broken 7:205", ["failure"]),
        ("z/SKILL.md", "SKL707 link-anchor 8:1", ["system-out"]),
        ("gone/SKILL.md", "could not be read", ["error"]),
    ]
    assert cases[0][0].attrib == {"type": "error", "message": "the frontmatter has no 'name'"}
    assert cases[0][0].text == f"{ODD_PATH}:1:1\nhelp: add 'name: demo'\nhttps://agentskills.io/specification"
    assert cases[3][0].text == "'#top' is no heading\nz/SKILL.md:8:1"
    assert cases[4][0].attrib == {"type": "unread", "message": "No such file or directory"}


def test_a_clean_file_is_a_passed_test() -> None:
    top = _checked(render(REAL._replace(level="error"), Style()))
    assert [(case.get("classname"), case.get("name"), len(case)) for case in top.iter("testcase")] == [
        ("pay-invoice/SKILL.md", "no findings", 0),
        ("bad/SKILL.md", "SKL004 frontmatter-missing 1:1", 1),
    ]


def test_what_xml_has_no_place_for_is_escaped() -> None:
    case = next(_checked(render(EMPTY._replace(findings=(HOSTILE,)), Style())).iter("testcase"))
    assert case.get("classname") == "a&<\"'>\\x01/d"
    assert case[0].get("message") == "]]> & <b a='\"'> \\x00 \\x0b \\ufffe \\ud800 \\u2028 😀\\nx"
    assert case[0].text == "a&<\"'>\\x01/d:4:2\nhelp: <&>\\x00\nhttps://agentskills.io/specification"


def test_files_that_were_read_for_the_sake_of_others_are_no_tests(tmp_path: Path) -> None:
    index = {"skills": [{"name": name, "url": f"/.well-known/agent-skills/{name}/SKILL.md"} for name in "ab"]}
    folder = tmp_path / ".well-known" / "agent-skills"
    for name in "ab":
        (folder / name).mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(clean_skill("agentskills", f"name: {name}"), encoding="utf-8")
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    (tmp_path / ".git").mkdir()
    tests = {}
    for path in (".", ".well-known/agent-skills/a/SKILL.md"):
        report = lint(project([path], cwd=str(tmp_path)), Config(level="error", select=("SKL1",)))
        tests[path] = {case.get("classname") for case in _checked(render(report, Style())).iter("testcase")}
    assert tests["."] == {f".well-known/agent-skills/{name}" for name in ("a/SKILL.md", "b/SKILL.md", "index.json")}
    assert tests[".well-known/agent-skills/a/SKILL.md"] == {".well-known/agent-skills/a/SKILL.md"}


@pytest.mark.parametrize(
    ("fail_on", "failing"), [("never", set()), ("error", {"error"}), ("note", {"error", "warning", "note"})]
)
def test_what_fails_the_run_fails_as_a_test(fail_on: str, failing: set[str]) -> None:
    report = REPORT._replace(level="note")
    suite = ElementTree.fromstring(render(report, Style(fail_on=fail_on)))[0]
    failures = [failure.get("type") for failure in suite.iter("failure")]
    assert set(failures) == failing
    assert suite.get("failures") == str(len(failures))
    assert len(failures) == sum(found.level in failing for found in report.findings)
