"""GitLab's Code Quality report."""

from __future__ import annotations

import json

import jsonschema
import pytest

from agentskills_lint.model import Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.gitlab import render
from tests.reporters.shared import EMPTY, ODD_PATH, REPORT
from tests.support import clean_skill, report_on

# docs.gitlab.com, "Code Quality", the table of properties below "Code Quality report format"
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!/|\./)"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
LINKS = "[a](b.md) [a](b.md)\n\n[a](b.md)\n"
REAL = report_on({"pay/SKILL.md": clean_skill("wsp", "name: Pay_") + LINKS, "old/SKILL.md": "x", "new/SKILL.md": "x"})


@pytest.mark.parametrize("report", [EMPTY, REPORT._replace(level="note"), REAL], ids=["empty", "shared", "real"])
def test_output_holds_to_the_documented_format(report: Report) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render(report, Style())))


def test_an_issue() -> None:
    issues = json.loads(render(REPORT._replace(level="note"), Style()))
    assert issues[0] == {
        "description": "SKL101 the frontmatter has no 'name'; help: add 'name: demo'",
        "check_name": "name-missing",
        "fingerprint": "736b6c31303100000000000000000000",
        "severity": "major",
        "location": {"path": ODD_PATH, "lines": {"begin": 1}},
    }
    assert [issue["severity"] for issue in issues] == ["major", "major", "minor", "info"]


def test_fingerprints_are_unique() -> None:
    """GitLab shows one issue of those that share one."""
    issues = json.loads(render(REAL, Style()))
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert [issue["check_name"] for issue in issues].count("link-broken") == 3
    assert len(set(fingerprints)) == len(fingerprints) == len(REAL.findings)


def test_a_clean_report_is_an_empty_array() -> None:
    assert render(EMPTY, Style()) == "[]\n"
