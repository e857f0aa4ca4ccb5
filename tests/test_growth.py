"""Four times the input takes about four times the work, whatever the input is made of."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.engine import lint
from agentskills_lint.rule import load_rules
from tests.support import CLEAN_FRONT, skill_text

RULES = load_rules()
FRONT = "\n".join(CLEAN_FRONT["agentskills"].values())
SIZE = 1000

MAKERS: dict[str, Callable[[int], str]] = {
    "addresses on one line": lambda n: skill_text(FRONT, "http://1.2.3.4/x " * n),
    "links on one line": lambda n: skill_text(FRONT, "[a](b.md) " * n),
    "links on many lines": lambda n: skill_text(FRONT, "[a](b.md)\n\n" * n),
    "different links": lambda n: skill_text(FRONT, "".join(f"[a](b{i}.md)\n" for i in range(n))),
    "references": lambda n: skill_text(
        FRONT, "".join(f"[r{i}]: x{i}.md\n" for i in range(n)) + "\n" + "".join(f"[r{i}] " for i in range(n))
    ),
    "images in images": lambda n: skill_text(FRONT, "![" * n + "](a)" * n),
    "suppressions on one line": lambda n: skill_text(FRONT, "<!-- agentskills-lint: ignore[link-broken] --> " * n),
    "suppressions of nothing": lambda n: skill_text(FRONT, "<!-- agentskills-lint: ignore[link-broken] -->\n\n" * n),
    "suppressions of something": lambda n: skill_text(
        FRONT, "<!-- agentskills-lint: ignore[link-broken] -->\n[a](b.md)\n\n" * n
    ),
    "suppressions in frontmatter": lambda n: skill_text(
        FRONT + "\n" + "".join(f"k{i}: v # agentskills-lint: ignore[field-unknown]\n" for i in range(n // 8))
    ),
    "headings": lambda n: skill_text(FRONT, "# h\n\n" * n),
    "underlined headings": lambda n: skill_text(FRONT, "a\n---\n" * n),
    "fences": lambda n: skill_text(FRONT, "```\na\n" * n),
    "code spans": lambda n: skill_text(FRONT, "`/home/maria/x` `scripts/pay.py` " * n),
    "backticks": lambda n: skill_text(FRONT, "".join("`" * (i % 90) + " " for i in range(n))),
    "brackets": lambda n: skill_text(FRONT, "[" * 20 * n),
    "comments in frontmatter": lambda n: skill_text(FRONT + "\n" + "# c\n" * n),
}


def work(text: str) -> float:
    """CPU seconds of one run, the better of two."""
    project = {"pay-invoice/SKILL.md": text}
    config = Config(level="note", spec=("agentskills", "dualnova", "wsp"))
    taken = []
    for _ in range(2):
        start = time.process_time()
        report = lint(memory_project(project), config, RULES)
        taken.append(time.process_time() - start)
        assert report.crashed == 0
    return min(taken)


@pytest.mark.parametrize("name", MAKERS)
def test_the_work_grows_with_the_input_and_not_with_its_square(name: str) -> None:
    # a square would be 16; a tenth of a millisecond keeps the clock's own steps out
    assert work(MAKERS[name](4 * SIZE)) < 10 * (work(MAKERS[name](SIZE)) + 0.0001)
