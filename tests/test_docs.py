"""The hand-written pages tell the truth."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from agentskills_lint import rule as rule_module
from agentskills_lint.cli import main
from agentskills_lint.config import Config, load
from agentskills_lint.discovery import memory_project
from agentskills_lint.documents import Skill
from agentskills_lint.engine import lint
from agentskills_lint.rule import Rule, load_rules
from agentskills_lint.settings import KEYS
from agentskills_lint.specs import AGENTSKILLS
from agentskills_lint.trees import Node
from agentskills_lint.wording import shown

ROOT = Path(__file__).parents[1]


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def test_the_configuration_page_shows_every_setting_and_all_of_it_loads(tmp_path: Path) -> None:
    (block,) = _blocks("docs/configuration.md", "toml")
    file = tmp_path / "agentskills-lint.toml"
    file.write_text(block, encoding="utf-8")
    config, files = load(load_rules(), {}, str(tmp_path), None, False)
    assert [Path(name).name for name in files] == ["agentskills-lint.toml"]
    assert config.origin == "https://acme.example"
    assert config.levels == {"body-length": "note"}
    assert [key for key in KEYS if key not in tomllib.loads(block) and f"# {key} = " not in block] == []


def test_the_rule_of_the_contributors_page_works() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^````python\n(.*?)^````$", text, re.M | re.S)
    names = {**vars(rule_module), "Skill": Skill, "Node": Node, "shown": shown, "AGENTSKILLS": AGENTSKILLS}
    exec(block.replace("-> Iterator[Problem]", ""), names)
    rule = names["name_too_long"]
    assert isinstance(rule, Rule)
    bad, good = (f"---\n{example.text}description: d\n---\n# A\n" for example in rule.examples)
    config = Config(level="note")
    found = [lint(memory_project({"SKILL.md": text}, config), config, (rule,)).findings for text in (bad, good)]
    said = "'a-name-that-goes-on-and-on-and-never-ends-so-that-nobody-re…' has 65 characters, of which 64 are allowed"
    assert [[(f.level, f.line, f.column, f.message) for f in findings] for findings in found] == [
        [("error", 2, 7, said)],
        [],
    ]


def test_the_configuration_of_the_readme_loads(tmp_path: Path) -> None:
    (block,) = _blocks("README.md", "toml")
    (tmp_path / "agentskills-lint.toml").write_text(block, encoding="utf-8")
    config, _ = load(load_rules(), {}, str(tmp_path), None, False)
    assert config.ignore == ("description-when",)


def test_the_readme_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = next(block for block in _blocks("README.md", "console") if "agentskills-lint public/" in block)
    line = next(line.strip() for line in shown.splitlines() if line.startswith("    description: "))
    folder = tmp_path / "public" / ".well-known" / "agent-skills"
    (folder / "pay").mkdir(parents=True)
    (folder / "pay" / "SKILL.md").write_bytes(
        f"---\nname: pay\n{line}\n---\n\n# Pay\n\nAsk for the invoice.\n".encode()
    )
    entry = {
        "name": "pay",
        "type": "skill-md",
        "description": "Pays a bill.",
        "url": "pay/SKILL.md",
        "digest": "sha256:1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014",
    }
    index = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [entry]}
    (folder / "index.json").write_text(json.dumps(index, indent=2), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["--isolated", "public/"]) == 1
    assert f"$ agentskills-lint public/\n{capsys.readouterr().out}" == shown


def test_the_readme_shows_python_that_runs(tmp_path: Path) -> None:
    (block,) = _blocks("README.md", "python")
    compile(block, "README.md", "exec")
    from agentskills_lint import Config, lint

    (tmp_path / "pay").mkdir()
    (tmp_path / "pay" / "SKILL.md").write_bytes(b"")
    report = lint([tmp_path], Config(level="note"))
    assert [(finding.rule, finding.line) for finding in report.findings] == [("empty-file", 1)]
