"""The page on fixes shows what the command prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from agentskills_lint.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "fixes.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_the_page_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (skill,) = _blocks("markdown")
    monkeypatch.chdir(tmp_path)
    file = Path("skills/pay/SKILL.md")
    file.parent.mkdir(parents=True)
    file.write_text(skill, encoding="utf-8")
    codes = []
    for block in _blocks("console"):
        for command, shown in re.findall(r"^\$ agentskills-lint (.+)\n((?:(?!\$ ).*\n)*)", block, re.M):
            if "--write-index" in command:
                shutil.copytree("skills/pay", "public/.well-known/agent-skills/pay")
            codes.append(main(["--isolated", *command.split()]))
            out, err = capsys.readouterr()
            assert f"$ {command}\n{err}{out}" == f"$ {command}\n{shown}"
    assert codes == [1, 1, 0, 0]
    fixed = 'name: pay # the short one\ndescription: "Pays an open invoice: by card or by bank transfer. Use'
    assert fixed in file.read_text(encoding="utf-8")
