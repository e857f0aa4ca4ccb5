"""One report for all reporters: an astral character, a multi-line span, odd characters in the path."""

from __future__ import annotations

from agentskills_lint.model import (
    Demand,
    Edit,
    Finding,
    Fix,
    Level,
    Location,
    Report,
    SiteFacts,
    SkillFacts,
    Span,
)

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
) -> Finding:
    """A finding with a fingerprint made of its code."""
    return Finding(
        code, rule, level, message, location, Span(0, 1), demands, demands[0].url, fix, hint, related, snippet,
        code.lower().encode().hex().ljust(32, "0"),
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
EMPTY = Report((), (), (), {}, "warning", 0, (), (), 0)
