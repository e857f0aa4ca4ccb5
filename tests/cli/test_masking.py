"""No output shows a secret, whatever is selected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentskills_lint.reporters import FORMATS
from tests.cli.test_cli import Run, here, put, run
from tests.rules.test_security_recall import checked

__all__ = ["here", "run"]

TOKEN = checked("ghp_")
LEAKY = f"""---
name: Pay
description: Pays bills, never refunds. Use it with {TOKEN} when a bill is due.
license: {TOKEN}
---

# Pay

See [the guide](missing/{TOKEN}.md) and [this](HTTP://acme.example/{TOKEN}).
"""


@pytest.mark.parametrize(
    "choice",
    [
        ("--level=note",),
        ("--select=SKL7,SKL2,SKL3", "--level=note"),
        ("--ignore=secret", "--level=note"),
        ("--per-file-ignores=*:SKL9", "--level=note"),
        ("--spec=dualnova", "--select=SKL3,SKL7", "--level=note"),
    ],
    ids=" ".join,
)
def test_in_no_format(run: Callable[..., Run], choice: tuple[str, ...]) -> None:
    put("pay", LEAKY)
    for name in FORMATS:
        found = run(*choice, f"--format={name}", "pay")
        assert found.out
        assert TOKEN not in found.out + found.err


def test_nor_in_a_difference_nor_in_a_baseline(run: Callable[..., Run], here: Path) -> None:
    put("pay", LEAKY)
    found = run("--select=SKL2", "--diff", "--unsafe-fixes", "pay")
    assert (found.code, "+name: pay" in found.out, TOKEN in found.out) == (1, True, False)
    assert run("--ignore=secret", "--baseline=known.json", "--write-baseline", "pay").code == 0
    assert TOKEN not in (here / "known.json").read_text(encoding="utf-8")


def test_nor_of_a_skill_that_was_not_asked_for(run: Callable[..., Run]) -> None:
    other = checked("gho_")
    for folder, token in (("pay", TOKEN), ("bill", other)):
        put(f"skills/{folder}", f"---\nname: pay # {token}\ndescription: Pays {folder}s.\n---\n\n# Pay\n\nAsk.\n")
    found = run("--select=name-duplicate", "--level=note", "skills/pay/SKILL.md")
    assert "skills/bill/SKILL.md:2:7: " in found.out
    assert other not in found.out + found.err
