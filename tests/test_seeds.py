"""The complete SKILL.md of the articles that the project began with, linted as it is printed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import findings_in

SEEDS = Path(__file__).parents[2] / "shared" / "seeds"

pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="the articles are not beside this checkout")


def printed(article: str) -> str:
    """The example: from the fence above its name to the line that names the fallback address."""
    text = (SEEDS / article).read_text(encoding="utf-8")
    start = text.index("---\nname: book-discovery-call")
    end = text.index("\n", text.index("## Fallback", start) + len("## Fallback\n"))
    return text[start : end + 1]


@pytest.mark.parametrize("article", ["001_e791507d8861c138.txt", "003_978e5e7120fd0a6b.txt"])
def test_the_obfuscated_addresses_are_found_and_nothing_else(article: str) -> None:
    text = printed(article)
    findings = findings_in(text, path="book-discovery-call/SKILL.md")
    last = text.count("\n")
    column = text.splitlines()[-1].index("[email") + 1
    assert [(f.rule, f.level, f.line, f.column) for f in findings if f.level != "note"] == [
        ("email-obfuscated", "warning", 7, 10),
        ("email-obfuscated", "warning", last, column),
    ]
    assert {demand.spec for f in findings for demand in f.demands} <= {"agentskills", "dualnova", "advice"}
