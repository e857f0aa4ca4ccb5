"""docs/ci.md: its configurations are read by those they are written for, its commands run."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentskills_lint.about import VERSION, project_url
from tests.integration.checkout import ROOT, environment, run
from tests.integration.test_pre_commit import HOOKS, PRE_COMMIT, answer, clean, env, hooks, put, site

__all__ = ["env", "hooks"]  # fixtures

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


PRE_COMMIT_CONFIG, WORKFLOW, GITLAB = blocks("yaml")
COMMANDS = [line[2:] for block in blocks("console") for line in block.splitlines()]


def lint(command: str, folder: Path) -> tuple[int, str]:
    words = shlex.split(command)
    assert words[0] == "agentskills-lint"
    done = subprocess.run(
        [sys.executable, "-m", "agentskills_lint", *words[1:]], cwd=folder, env=environment(), capture_output=True,
        text=True, encoding="utf-8",
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository whose site has one error, committed on main and as origin/main."""
    site(tmp_path, "pay")
    put(tmp_path / "public" / "skills" / "ask" / "SKILL.md", clean("Ask"))
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "x"],
                  ["update-ref", "refs/remotes/origin/main", "HEAD"]):  # fmt: skip
        run(["git", *words], tmp_path, environment())
    return tmp_path


@pytest.mark.parametrize(
    ("schema", "text"),
    [("github-workflows", WORKFLOW), ("gitlab-ci", GITLAB)],
)
def test_the_schemas_of_those_who_read_them_hold(schema: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text(text)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    if schema == "gitlab-ci":
        command += ["--data-transform", "gitlab-ci"]
    done = subprocess.run([*command, "x.yml"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok -- validation done\n"), done.stdout


def test_the_page_names_this_version_and_this_project() -> None:
    assert re.findall(r"agentskills-lint@v(\S+)|rev: v(\S+)", PAGE) == [("", VERSION), (VERSION, "")]
    (repository,) = yaml.safe_load(PRE_COMMIT_CONFIG)["repos"]
    assert repository["repo"] == project_url()
    assert {hook["id"] for hook in repository["hooks"]} == set(HOOKS)
    assert re.findall(r"^\| `(agentskills-lint\S*)` \|", PAGE, re.M) == list(HOOKS)


def test_the_workflow_uses_what_the_action_has() -> None:
    (job,) = yaml.safe_load(WORKFLOW)["jobs"].values()
    assert set(job["steps"][-1]["with"]) <= set(ACTION["inputs"])
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \|", PAGE.split("| input |")[1].split("The outputs")[0], re.M)
    assert [name for name, _ in rows] == list(ACTION["inputs"])
    stated = {name: default.strip("`") for name, default in rows if default.startswith("`")}
    assert stated == {name: given["default"] for name, given in ACTION["inputs"].items() if given["default"]}
    assert f"The outputs are {', '.join(f'`{name}`' for name in [*ACTION['outputs']][:-1])} and `sarif-file`." in PAGE


@pytest.mark.clients
def test_the_pre_commit_configuration_runs(
    here: Path, hooks: tuple[Path, str], env: dict[str, str], tmp_path: Path
) -> None:
    told = PRE_COMMIT_CONFIG.replace(project_url(), str(hooks[0])).replace(f"v{VERSION}", hooks[1])
    put(here / ".pre-commit-config.yaml", told)
    run(["git", "add", "-A"], here, env)
    printed = run([*PRE_COMMIT, "run", "--all-files"], here, env, 1)
    assert list(answer(1, printed)[1].values()) == ["Failed"] * 3
    put(here / "public" / "skills" / "ask" / "SKILL.md", clean("ask"))
    assert list(answer(0, run([*PRE_COMMIT, "run", "--all-files"], here, env))[1].values()) == ["Passed"] * 3


def test_the_commands_run(here: Path) -> None:
    fail, reports, changed, since, write, read = [word for word in COMMANDS if not word.startswith("pip ")]
    assert lint(fail, here)[0] == 1
    assert lint(reports, here)[0] == 1
    assert (here / "agentskills-lint.xml").read_text("utf-8").startswith("<?xml ")
    assert json.loads((here / "agentskills-lint.sarif").read_bytes())["version"] == "2.1.0"
    for command in (changed, since):
        assert lint(command, here) == (0, "0 files (0 skills, 0 sites): 0 errors, 0 warnings\n")
    put(here / "public" / "skills" / "ask" / "SKILL.md", clean("Ask") + "\nMore.\n")
    assert lint(changed, here)[0] == 1
    run(["git", "commit", "-q", "-a", "-m", "y"], here, environment())
    assert lint(changed, here)[0] == 0
    assert lint(since, here)[0] == 1
    assert lint(write, here)[0] == 0
    assert lint(read, here)[0] == 0
    put(here / "public" / "skills" / "tell" / "SKILL.md", clean("Tell"))
    assert lint(read, here)[0] == 1
    put(here / "agentskills-lint.toml", 'baseline = "skills-baseline.json"\n')
    shutil.rmtree(here / "public" / "skills" / "tell")
    assert lint("agentskills-lint", here)[0] == 0


def test_the_commands_of_gitlab_and_jenkins_run(here: Path) -> None:
    job: dict[str, Any] = yaml.safe_load(GITLAB)["skills"]
    assert lint(job["script"][1], here)[0] == 1
    assert {kind: (here / file).is_file() for kind, file in job["artifacts"]["reports"].items()} == {
        "codequality": True,
        "junit": True,
    }
    (pipeline,) = blocks("groovy")
    assert pipeline.count("{") == pipeline.count("}")
    command = re.search(r"sh 'pip install agentskills-lint && (.*?)'", pipeline)
    shown = re.search(r"junit '(.*?)'", pipeline)
    assert command is not None
    assert shown is not None
    assert lint(command[1], here)[0] == 1
    assert (here / shown[1]).is_file()
