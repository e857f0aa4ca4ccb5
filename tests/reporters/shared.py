"""One report for all reporters: an astral character, a multi-line span, odd characters in the path."""

from __future__ import annotations

from collections.abc import Iterator

from agentskills_lint.documents import Skill
from agentskills_lint.model import (
    Demand,
    Edit,
    Finding,
    Fix,
    Level,
    Location,
    Problem,
    Report,
    SiteFacts,
    SkillFacts,
    Span,
)
from agentskills_lint.rule import Ask, advice, must, rule, should

ODD_PATH = "skills/a b, 100%: [日本]/SKILL.md"


def finding(
    code: str,
    rule: str,
    level: Level,
    message: str,
    location: Location,
    snippet: str,
    fix: Fix | None = None,
    hint: str | None = None,
    related: tuple[tuple[Location, str], ...] = (),
    demands: tuple[Demand, ...] = (Demand("agentskills", "MUST", "https://agentskills.io/specification"),),
    edits: tuple[Location, ...] = (),
    via: Location | None = None,
) -> Finding:
    """A finding with a fingerprint made of its code."""
    return Finding(
        code, rule, level, message, location, Span(0, 1), demands, demands[0].url, fix, hint, related, snippet,
        code.lower().encode().hex().ljust(32, "0"), edits, via,
    )  # fmt: skip


REPORT = Report(
    findings=(
        finding(
            "SKL101",
            "name-missing",
            "error",
            "the frontmatter has no 'name'",
            Location(ODD_PATH, 1, 1, 1, 4),
            "---",
            hint="add 'name: demo'",
        ),
        finding(
            "SKL008",
            "yaml-syntax",
            "error",
            "50 % of ':' is\r\n too\x1b[31m much \u202e",
            Location(ODD_PATH, 3, 15, 4, 3),
            "😀 日本語: see: \tthis",
            fix=Fix("quote the value", (Edit(4, 9, '"x"'),), True),
            edits=(Location(ODD_PATH, 3, 10, 4, 3),),
            related=((Location("other/SKILL.md", 2, 1, 2, 5), "the first one"),),
            demands=(
                Demand("agentskills", "MUST", "https://agentskills.io/specification"),
                Demand("wsp", "SHOULD", "https://github.com/0xtresser/Web-Skills-Protocol/blob/main/SPEC.md"),
            ),
        ),
        finding(
            "SKL706",
            "link-broken",
            "warning",
            "'guide.md' leads to nothing",
            Location("z/SKILL.md", 7, 205, 7, 213),
            "x" * 200 + "[a](guide.md)" + "y" * 200,
            fix=Fix("write 'guides.md'", (Edit(4, 9, "guides.md"),), False),
            edits=(Location("z/SKILL.md", 7, 205, 7, 213),),
        ),
        finding(
            "SKL707",
            "link-anchor",
            "note",
            "'#top' is no heading",
            Location("z/SKILL.md", 8, 1, 8, 5),
            "#top",
            demands=(Demand("advice", "advice", ""),),
        ),
    ),
    skills=(
        SkillFacts(
            ODD_PATH,
            None,
            "d",
            {"agentskills": "in no registry", "advice": "always"},
            9,
            120,
            "Pay the bill.",
            {"error": 2, "warning": 0, "note": 0},
        ),
        SkillFacts(
            "z/SKILL.md",
            "z",
            None,
            {"wsp": "listed in skills.txt", "agentskills": "wsp builds on it", "advice": "always"},
            8,
            1200,
            "pay " * 4000,
            {"error": 0, "warning": 1, "note": 1},
        ),
    ),
    sites=(SiteFacts(".", {"skills.txt": ("wsp",), ".well-known/skills/index.json": ()}, None, "unknown"),),
    files={"skill": 2},
    level="warning",
    suppressed=1,
    passed_over=(("node_modules", "never holds skills"),),
    unread=(("gone/SKILL.md", "No such file or directory"),),
    crashed=0,
)


@rule(
    "name-missing",
    "SKL101",
    on=Skill,
    asked_by={"agentskills": must("https://agentskills.io/specification"), "advice": advice("note")},
)
def name_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter has no `name`.

    Agents
    show it.

    ```yaml bad
    title: \u202ePay
    ```
    """
    yield from ()


@rule("yaml-syntax", "SKL008", on=Skill, asked_by={"wsp": should("https://wsp.example/#1")}, severity=7.5)
def yaml_syntax(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter is not valid YAML."""
    yield from ()


RULES = (yaml_syntax, name_missing)
"""Rules of this report's own, so that no page of a real one is recorded here."""
EMPTY = Report((), (), (), {}, "warning", 0, (), (), 0)
