"""The rules about which frontmatter fields must be there."""

from __future__ import annotations

import pytest

from tests.support import brief, clean_skill, findings_in, only, report_on, skill_text

ALL = ("agentskills", "discovery", "dualnova", "wsp")
TELLING = "description: Pay an open invoice by card. Use when the user wants to pay, not for refunds."


def without(spec: str, key: str) -> str:
    lines = [line for line in clean_skill(spec).split("\n") if not line.startswith(f"{key}:")]
    return "\n".join(lines)


DEMANDS = [
    *[(spec, "required fields: name", "name", "name-missing") for spec in ALL],
    *[(spec, "required fields: description", "description", "description-missing") for spec in ALL],
    ("dualnova", "required fields: version", "version", "version-missing"),
    ("wsp", "7.1: version in every skill", "version", "version-missing"),
]


@pytest.mark.parametrize(("spec", "section", "field", "rule"), DEMANDS)
def test_demand_that_a_field_is_there(spec: str, section: str, field: str, rule: str) -> None:
    assert brief(only(findings_in(without(spec, field), spec), rule)) == [(rule, "error", 1, 1)]
    assert only(findings_in(clean_skill(spec), spec), rule) == []


EMPTY = [
    *[(spec, name) for spec in ALL for name in ("name", "description")],
    ("dualnova", "version"),
    ("wsp", "version"),
]


@pytest.mark.parametrize(("spec", "field"), EMPTY)
@pytest.mark.parametrize("value", ["", " null", " ~", ' ""', " ' '", ' "\\t"', " |\n  ", " # todo", "   "])
def test_demand_that_a_required_field_is_not_empty(spec: str, field: str, value: str) -> None:
    found = findings_in(clean_skill(spec, f"{field}:{value}"), spec)
    assert [(f.rule, f.level) for f in found if f.level == "error"] == [("field-empty", "error")]


@pytest.mark.parametrize("spec", ["agentskills", "discovery"])
@pytest.mark.parametrize("field", ["version", "license", "author"])
def test_a_field_that_nobody_requires_may_be_empty(spec: str, field: str) -> None:
    assert only(findings_in(clean_skill(spec, f"{field}:"), spec), "field-empty") == []


def test_missing_fields_stand_on_the_opening_fence() -> None:
    text = skill_text("license: MIT")
    found = [f for f in findings_in(text, "wsp", "agentskills") if f.rule.endswith("-missing")]
    assert brief(found) == [
        ("name-missing", "error", 1, 1),
        ("description-missing", "error", 1, 1),
        ("version-missing", "error", 1, 1),
    ]
    assert [f.location.end_column for f in found] == [4, 4, 4]
    assert [f.message for f in found] == [
        f"the frontmatter has no {name!r}" for name in ("name", "description", "version")
    ]
    assert found[0].hint == "add 'name: pay-invoice'"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("skills/pdf-tools/SKILL.md", "add 'name: pdf-tools'"),
        ("skills/PDF Tools/SKILL.md", "add 'name: pdf-tools'"),
        ("skills/日本/SKILL.md", "add 'name: my-skill'"),
    ],
)
def test_the_hint_offers_a_name_that_the_skill_can_have(path: str, hint: str) -> None:
    (found,) = only(findings_in(without("agentskills", "name"), "agentskills", path=path), "name-missing")
    assert found.hint == hint


def test_the_root_of_a_repository_lends_no_name() -> None:
    files = {".git/HEAD": "ref: x", "SKILL.md": without("agentskills", "name")}
    (found,) = only(report_on(files, ("agentskills",)).findings, "name-missing")
    assert found.hint == "add 'name: my-skill'"


@pytest.mark.parametrize(
    ("field", "key", "rule"),
    [
        ("name", "Name", "name-missing"),
        ("name", "nmae", "name-missing"),
        ("description", "desciption", "description-missing"),
        ("description", "Description", "description-missing"),
        ("description", "descriptions", "description-missing"),
        ("description", "summary", "description-missing"),
        ("version", "Version", "version-missing"),
    ],
)
def test_what_stands_for_the_missing_field_is_named(field: str, key: str, rule: str) -> None:
    text = clean_skill("wsp").replace(f"\n{field}:", f"\n{key}:")
    (found,) = only(findings_in(text, "wsp"), rule)
    assert found.message == f"the frontmatter has no {field!r}, but {key!r}"
    assert found.hint == f"write {field!r} instead of {key!r}"
    ((where, message),) = found.related
    assert text.split("\n")[where.line - 1][where.column - 1 : where.end_column - 1] == key
    assert message == f"is this the {field}?"


def test_a_version_under_metadata_is_named() -> None:
    text = without("wsp", "version").replace("\n---\n", '\nmetadata:\n  version: "2.0.1"\n---\n', 1)
    (found,) = only(findings_in(text, "wsp"), "version-missing")
    assert (found.line, found.message) == (1, "the frontmatter has no 'version' at its top level")
    assert found.hint == "add 'version: 2.0.1' at the top level"
    assert found.related[0][0].line == 6


def test_other_fields_hide_nothing() -> None:
    text = without("agentskills", "description").replace("\n---\n", "\ntitle: Pay\nintent: pay\n---\n", 1)
    (found,) = only(findings_in(text, "agentskills"), "description-missing")
    assert found.message == "the frontmatter has no 'description'"


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: a: b\n---\nText.\n",  # does not parse
        "---\n- a\n---\nText.\n",  # no mapping
        "---\n---\nText.\n",  # empty
        "Text without frontmatter.\n",
        "",
    ],
)
def test_one_cause_one_finding(text: str) -> None:
    found = findings_in(text, "wsp")
    assert [f.rule for f in found if f.code.startswith("SKL1")] == []
    assert found


def test_a_page_called_skill_is_no_skill() -> None:
    page = "---\ntitle: Skill\n---\n\n# Skill\n\nA word.\n"
    files = {"docs/skill.md": page, "docs/other.md": page, "docs/third.md": page}
    assert [f.rule for f in report_on(files, ("wsp",)).findings if f.code.startswith("SKL1")] == []


def test_case_002_a_comment_that_empties_the_description() -> None:
    (found,) = only(findings_in(clean_skill("agentskills", "description: # pays"), "agentskills"), "field-empty")
    assert brief([found]) == [("field-empty", "error", 3, 1)]
    assert found.location.end_column == 12
    assert found.message == "'description' is empty"
    assert found.hint == "put the text in quotes, since '#' starts a comment"


def test_case_049_a_blank_description() -> None:
    (found,) = only(findings_in(clean_skill("agentskills", 'description: "  "'), "agentskills"), "field-empty")
    assert brief([found]) == [("field-empty", "error", 3, 14)]
    assert (found.message, found.location.end_column) == ("'description' is blank", 18)
    assert found.hint == "say what the skill does and when to use it"


@pytest.mark.parametrize(
    ("front", "message", "column"),
    [
        ("name:", "'name' is empty", 1),
        ("name: ''", "'name' is empty", 7),
        ("name: null", "'name' is null, which is no value", 7),
        ("name: ~", "'name' is ~, which is no value", 7),
    ],
)
def test_messages_of_empty_fields(front: str, message: str, column: int) -> None:
    (found,) = only(findings_in(clean_skill("agentskills", front), "agentskills"), "field-empty")
    assert (found.message, found.line, found.column) == (message, 2, column)


@pytest.mark.parametrize("front", ['name: "null"', "name: '~'", "name: !!str null", "name: nulls", 'version: "0"'])
def test_what_only_looks_empty(front: str) -> None:
    assert only(findings_in(clean_skill("wsp", front), "wsp"), "field-empty") == []


def test_empty_lists_are_of_another_kind() -> None:
    found = findings_in(clean_skill("agentskills", "description: []"), "agentskills")
    assert [f.rule for f in found if f.level == "error"] == ["field-type"]
