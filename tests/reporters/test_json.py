"""The JSON report against its schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from agentskills_lint.model import Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.json import render
from tests.reporters.shared import EMPTY, REPORT
from tests.support import clean_skill, report_on

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "report.schema.json").read_text(encoding="utf-8"))
REAL = report_on(
    {"pay/SKILL.md": clean_skill("wsp", "name: Pay_\nauth: token"), "skill.md": "x", "e/SKILL.md": b"\xff"}
)


@pytest.mark.parametrize(
    "report", [EMPTY, REPORT, REPORT._replace(level="note"), REAL], ids=["empty", "shared", "notes", "real"]
)
def test_output_holds_to_the_schema(report: Report) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render(report, Style())))


def test_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_schema_refuses_what_is_not_there() -> None:
    value = json.loads(render(REPORT, Style()))
    del value["findings"][0]["fingerprint"]
    assert [error.validator for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(value)] == ["required"]


def test_output_is_ascii() -> None:
    assert render(REPORT, Style()).isascii()
