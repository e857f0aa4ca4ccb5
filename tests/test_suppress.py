"""Suppression comments: what they cover, what they do not, and what watches over them."""

from __future__ import annotations

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.documents import Skill
from agentskills_lint.engine import lint
from agentskills_lint.model import Problem, Span
from agentskills_lint.rule import Ask, Rule, advice, load_rules
from tests.support import brief, clean_skill, findings_in, fixed, skill_text


def _lines_with_x(skill: Skill, ask: Ask) -> list[Problem]:
    """Every line that holds XX is a finding at its XX."""
    found = []
    at = -1
    while (at := skill.source.find("XX", at + 1)) >= 0:
        found.append(Problem(Span(at, at + 2), "XX"))
    return found


MARK = Rule("mark", "SKL998", Skill, (), (), None, {"advice": advice("warning")}, _lines_with_x)
WATCHERS = tuple(rule for rule in load_rules() if rule.id.startswith("suppression-"))


def _lines(text: str, suppressions: bool = True) -> tuple[list[int], int, list[tuple[str, int]]]:
    """Lines that are still reported, how many were suppressed, what the watchers say."""
    config = Config(level="note", suppressions=suppressions)
    report = lint(memory_project({"pay/SKILL.md": text}), config, (MARK, *WATCHERS))
    return (
        [f.line for f in report.findings if f.rule == "mark"],
        report.suppressed,
        [(f.rule, f.line) for f in report.findings if f.rule != "mark"],
    )


FRONT_CASES = {
    "its own line": ("name: XX # agentskills-lint: ignore[mark] known\ndescription: XX", [3], 1),
    "by code": ("name: XX # agentskills-lint: ignore[SKL998]\ndescription: XX", [3], 1),
    "several names": ("name: XX # agentskills-lint: ignore[mark, suppression-unused]\ndescription: x", [], 1),
    "the entry that starts next": (
        "name: a\n# agentskills-lint: ignore[mark]\ndescription: >\n  XX\n  XX\nlicense: XX",
        [7],
        2,
    ),
    "an item of a list": ("tags:\n  - a\n  # agentskills-lint: ignore[mark]\n  - XX\n  - XX", [6], 1),
    "the whole file": ("# agentskills-lint: ignore-file[mark]\nname: XX\ndescription: XX", [], 2),
    "not in quotes": ('name: "XX # agentskills-lint: ignore[mark]"', [2], 0),
    "not in a block scalar": ("description: |\n  # agentskills-lint: ignore[mark]\n  XX", [4], 0),
    "not a word before": ("name: XX#agentskills-lint: ignore[mark]", [2], 0),
}


@pytest.mark.parametrize("name", FRONT_CASES)
def test_comment_in_frontmatter(name: str) -> None:
    front, lines, suppressed = FRONT_CASES[name]
    assert _lines(skill_text(front, "\nBody.\n"))[:2] == (lines, suppressed)


def test_first_line_of_frontmatter_covers_the_opening_fence() -> None:
    text = skill_text("# agentskills-lint: ignore[name-missing] a fragment\ndescription: Pays bills. Use when asked.")
    assert [f for f in brief(findings_in(text, "agentskills")) if f[0] == "name-missing"] == []
    late = skill_text("description: Pays bills. Use when asked.\n# agentskills-lint: ignore[name-missing]")
    assert ("name-missing", "error", 1, 1) in brief(findings_in(late, "agentskills"))


BODY_CASES = {
    "the paragraph that starts next": ("<!-- agentskills-lint: ignore[mark] why -->\n\nXX\nXX\n\nXX\n", [9], 2),
    "the same block": ("XX <!-- agentskills-lint: ignore[mark] -->\n\nXX\n", [6], 1),
    "the fence that starts next": ("<!-- agentskills-lint: ignore[mark] -->\n```\nXX\n\nXX\n```\nXX\n", [10], 2),
    "the table that starts next": (
        "<!-- agentskills-lint: ignore[mark] -->\n\n| a |\n| - |\n| XX |\n\nXX\n",
        [10],
        1,
    ),
    "the list that starts next": ("<!-- agentskills-lint: ignore[mark] -->\n\n- XX\n- XX\n\nXX\n", [9], 2),
    "the whole file from below": ("XX\n\n<!-- agentskills-lint: ignore-file[mark] -->\n", [], 1),
    "inside a code block it is text": ("```\n<!-- agentskills-lint: ignore[mark] -->\n```\nXX\n", [7], 0),
    "inside a code span it is text": ("XX `<!-- agentskills-lint: ignore[mark] -->`\n", [4], 0),
    "two in one comment line": (
        "<!-- agentskills-lint: ignore[mark] --> <!-- agentskills-lint: ignore[mark] -->\n\nXX\n",
        [],
        1,
    ),
}


@pytest.mark.parametrize("name", BODY_CASES)
def test_comment_in_body(name: str) -> None:
    body, lines, suppressed = BODY_CASES[name]
    assert _lines(skill_text("name: pay", body))[:2] == (lines, suppressed)


def test_case_101_unknown_and_unused_are_told() -> None:
    text = skill_text("name: pay", "<!-- agentskills-lint: ignore[mark, mork] -->\n\nclean\n")
    assert _lines(text)[2] == [("suppression-unused", 4), ("suppression-unknown", 4)]


def test_a_directive_without_names_is_told() -> None:
    assert _lines(skill_text("name: pay", "<!-- agentskills-lint: ignore -->\n\nXX\n"))[::2] == (
        [6],
        [("suppression-unknown", 4)],
    )


def test_a_rule_that_did_not_run_is_not_unused() -> None:
    text = clean_skill("agentskills", body="\n# T\n\n<!-- agentskills-lint: ignore[mark, link-broken] -->\n\nclean\n")
    report = lint(memory_project({"pay-invoice/SKILL.md": text}), Config(level="note"), WATCHERS)
    assert [(f.rule, f.message) for f in report.findings] == [
        ("suppression-unknown", "'mark' is no rule"),
        ("suppression-unknown", "'link-broken' is no rule"),
    ]
    ignored = lint(
        memory_project({"pay-invoice/SKILL.md": text}), Config(level="note", ignore=("mark",)), (MARK, *WATCHERS)
    )
    assert [f.message for f in ignored.findings] == ["'link-broken' is no rule"]


def test_no_suppressions_ignores_them_all() -> None:
    text = skill_text("name: XX # agentskills-lint: ignore[mark]", "<!-- agentskills-lint: ignore-file[mork] -->\nXX\n")
    assert _lines(text, suppressions=False) == ([2, 5], 0, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!-- agentskills-lint: ignore[mork] -->", ""),
        ("<!-- agentskills-lint: ignore[mork, mark] why -->", "<!-- agentskills-lint: ignore[mark] why -->"),
        ("<!-- agentskills-lint: ignore[mark, mork] why -->", "<!-- agentskills-lint: ignore[mark] why -->"),
    ],
)
def test_fix_takes_out_the_name_or_the_comment(before: str, after: str) -> None:
    text = skill_text("name: pay", f"{before}\nXX\n")
    report = lint(memory_project({"pay/SKILL.md": text}), Config(level="note"), (MARK, *WATCHERS))
    assert fixed(text, report.findings[0]) == skill_text("name: pay", f"{after}\nXX\n")


UNSOUND = [
    ("agentskills-lint: ignore link-broken moved", "agentskills-lint: ignore[link-broken] moved"),
    ("agentskills-lint: ignore: link-broken, SKL707", "agentskills-lint: ignore[link-broken, SKL707]"),
    ("agentskills-lint: ignore(link-broken) moved", "agentskills-lint: ignore[link-broken] moved"),
    ("agentskills-lint: ignore[link-broken", "agentskills-lint: ignore[link-broken]"),
    ("agentskills-lint: ignore-file link-broken", "agentskills-lint: ignore-file[link-broken]"),
    ("agentskills-lint: ignore link-brokn", "agentskills-lint: ignore[link-broken]"),
    ("agentskills-lint ignore[link-broken]", "agentskills-lint: ignore[link-broken]"),
    ("agentskills-lint: disable[link-broken] moved", "agentskills-lint: ignore[link-broken] moved"),
    ("agentskills-lint: disable=link-broken,link-anchor", "agentskills-lint: ignore[link-broken, link-anchor]"),
    ("agentskills-lint-disable-next-line link-broken", "agentskills-lint: ignore[link-broken]"),
    ("agentskills-lint: disable-file link-broken", "agentskills-lint: ignore-file[link-broken]"),
    ("agentskills-lint: noqa: SKL706", "agentskills-lint: ignore[SKL706]"),
    ("AgentSkills-Lint: Ignore[Link-Broken] moved", "agentskills-lint: ignore[link-broken] moved"),
    ("AGENTSKILLS-LINT: IGNORE[SKL706]", "agentskills-lint: ignore[SKL706]"),
    ("agentskills-lint: ignore[link-brokn]", "agentskills-lint: ignore[link-broken]"),
    ("agentskills-lint: ignore[skl706]", "agentskills-lint: ignore[SKL706]"),
]


@pytest.mark.parametrize(("written", "right"), UNSOUND)
def test_what_looks_like_a_suppression_is_told_and_mended(written: str, right: str) -> None:
    text = clean_skill("agentskills", body=f"\n# T\n\n<!-- {written} -->\nSee [it](no.md).\n")
    found = [f for f in findings_in(text, "agentskills") if f.rule == "suppression-unknown"]
    assert [f.level for f in found] == ["warning"]
    assert found[0].fix is not None
    assert found[0].fix.safe
    mended = fixed(text, found[0])
    assert f"<!-- {right} -->" in mended
    assert [f.rule for f in findings_in(mended, "agentskills") if f.rule == "link-broken"] == []


def test_the_same_in_frontmatter() -> None:
    text = skill_text("name: a # agentskills-lint: disable name-directory", "\n# T\n")
    (found,) = [f for f in findings_in(text, "agentskills") if f.rule == "suppression-unknown"]
    assert found.message == (
        "'agentskills-lint: disable' suppresses nothing; write agentskills-lint: ignore[name-directory]"
    )
    assert fixed(text, found).split("\n")[1] == "name: a # agentskills-lint: ignore[name-directory]"


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("agentskills-lint: ignore moved soon", "the suppression names no rule; write ignore[rule-id]"),
        ("agentskills-lint: ignore[]", "the suppression names no rule; write ignore[rule-id]"),
        (
            "agentskills-lint: off",
            "'agentskills-lint: off' suppresses nothing; write agentskills-lint: ignore[rule-id]",
        ),
        ("agentskills-lint: ignore[SKL799]", "'SKL799' is no rule"),
        ("agentskills-lint: ignore[link-broken, link-brokn]", "'link-brokn' is no rule"),
        ("agentskills-lint: ignore[*]", "'*' is no rule"),
    ],
)
def test_what_cannot_be_mended_is_taken_out(comment: str, message: str) -> None:
    text = clean_skill("agentskills", body=f"\n# T\n\n<!-- {comment} -->\nSee [it](no.md).\n")
    (found,) = [f for f in findings_in(text, "agentskills") if f.rule == "suppression-unknown"]
    assert found.message == message
    assert found.fix is not None
    assert found.fix.title.startswith("remove")


@pytest.mark.parametrize(
    "comment",
    [
        "agentskills-lint ignores this",
        "we run agentskills-lint",
        "agentskills-lint: fine",
        "skip agentskills-lint here",
    ],
)
def test_other_comments_are_none(comment: str) -> None:
    text = clean_skill("agentskills", body=f"\n# T\n\n<!-- {comment} -->\nText.\n")
    assert [f for f in findings_in(text, "agentskills") if f.rule.startswith("suppression-")] == []
