"""Scripts of the kinds that skills bundle, whole, and all that is said of them: `tests/scripts/*.txt`.

A script stands below its title. Lines of it that get a finding end in a comment with the code. Above
it stand frontmatter lines behind `| `, lines of the SKILL.md behind `> `, and behind `+ ` other files
of the skill with their text, a line end written as `\\n`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import CLEAN_FRONT, report_on, skill_text

SETS = Path(__file__).parent.parent / "scripts"
FRONT = "\n".join(CLEAN_FRONT["agentskills"].values()).replace("pay-invoice", "pay")
MARK = re.compile(r"  # (SKL\d+)$", re.M)


def cases(name: str) -> list[tuple[str, str]]:
    text = (SETS / f"{name}.txt").read_text(encoding="utf-8")
    found = re.findall(r"^=== (.+)\n((?:(?!=== ).*\n)*)", text, re.M)
    assert len(found) == text.count("=== ")
    return [(title, section) for title, section in found]


def said(section: str, path: str, shebang: str = "") -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """What is said of a script, and what its comments ask for: codes with lines."""
    above, script = re.fullmatch(r"((?:[|>+](?: [^\n]*)?\n)*)(.*)", section, re.S).groups()  # type: ignore[union-attr]
    lines = {sign: re.findall(rf"^\{sign} ?(.*)\n", above, re.M) for sign in "|>+"}
    body = "\n".join(["# Pay", "", *lines[">"], ""])
    script = shebang + script
    files: dict[str, str | bytes] = {"pay/SKILL.md": skill_text("\n".join([FRONT, *lines["|"]]), body)}
    for line in lines["+"]:
        name, _, text = line.partition(": ")
        files[f"pay/{name}"] = text.replace("\\n", "\n")
    files[f"pay/{path}"] = MARK.sub("", script)
    assert script.strip()
    wanted = [(mark[1], script.count("\n", 0, mark.start()) + 1) for mark in MARK.finditer(script)]
    findings = report_on(files, select=("SKL921", "SKL922", "SKL924", "SKL99")).findings
    return [(finding.code, finding.line) for finding in findings], wanted


@pytest.mark.parametrize(("title", "section"), [*cases("prompts-python"), *cases("dependencies")])
def test_python(title: str, section: str) -> None:
    found, wanted = said(section, "scripts/run.py")
    assert found == wanted


@pytest.mark.parametrize(("title", "section"), cases("prompts-shell"))
def test_shell(title: str, section: str) -> None:
    found, wanted = said(section, "scripts/run.sh", "#!/usr/bin/env bash\n")
    assert found == wanted
