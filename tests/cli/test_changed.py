"""`--changed`: what git says has changed, with the sites it belongs to, deletions included."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentskills_lint import cli
from tests.cli.test_cli import Run
from tests.support import clean_skill

CLEAN = clean_skill("agentskills")
BAD = CLEAN.replace("name: pay-invoice\n", "")
FOLDER = "public/.well-known/agent-skills"
INDEX = {
    "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    "skills": [
        {
            "name": name,
            "type": "skill-md",
            "description": "d",
            "url": f"{name}/SKILL.md",
            "digest": f"sha256:{'0' * 64}",
        }
        for name in ("a", "b")
    ],
}


def git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *words],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def commit() -> None:
    git("add", "-A")
    git("commit", "-q", "-m", "x")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three bad skills and a site of two bad ones, all committed on the branch main."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    for path in ("skills/x/SKILL.md", "skills/y/SKILL.md", "skills/z é/SKILL.md", f"{FOLDER}/a/SKILL.md",
                 f"{FOLDER}/b/SKILL.md"):  # fmt: skip
        put(path, BAD)
    put(f"{FOLDER}/index.json", json.dumps(INDEX, indent=1))
    git("init", "-q", "-b", "main", ".")
    commit()
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def call(*words: str) -> Run:
        capsys.readouterr()
        code = cli.main(["--isolated", "--select=SKL101,SKL803", "--format=flake8", "--changed", *words])
        out, err = capsys.readouterr()
        places = [f"{line.rsplit(':', 3)[0]} {line.rsplit(':', 3)[3].split()[0]}" for line in out.splitlines()]
        return Run(code, "\n".join(places), err)

    return call


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def test_nothing_changed_is_nothing_found(run: Callable[..., Run]) -> None:
    assert run() == Run(0, "", "")


def test_what_is_staged_unstaged_or_new_is_linted(run: Callable[..., Run]) -> None:
    put("skills/x/SKILL.md", BAD + "staged\n")
    git("add", "-A")
    put("skills/z é/SKILL.md", BAD + "not staged\n")
    put("skills/new/SKILL.md", BAD)
    put(".gitignore", "ignored/\n")
    put("skills/ignored/SKILL.md", BAD)
    found = run()
    assert found == Run(1, "skills/new/SKILL.md SKL101\nskills/x/SKILL.md SKL101\nskills/z é/SKILL.md SKL101", "")


def test_a_file_of_a_skill_brings_its_skill(run: Callable[..., Run]) -> None:
    put("skills/x/references/deep/a.md", "text")
    put("skills/README.md", "text")
    assert run() == Run(1, "skills/x/SKILL.md SKL101", "")


def test_a_deletion_brings_the_registries_of_its_site(run: Callable[..., Run]) -> None:
    Path(f"{FOLDER}/b/SKILL.md").unlink()
    assert run() == Run(1, f"{FOLDER}/index.json SKL803", "")


def test_a_change_of_a_skill_brings_the_registries_but_not_the_other_skills(run: Callable[..., Run]) -> None:
    put(f"{FOLDER}/a/SKILL.md", BAD + "changed\n")
    put(f"{FOLDER}/index.json", json.dumps(INDEX).replace("b/SKILL.md", "c/SKILL.md"))
    commit()
    put(f"{FOLDER}/a/SKILL.md", BAD + "changed again\n")
    assert run() == Run(1, f"{FOLDER}/a/SKILL.md SKL101\n{FOLDER}/index.json SKL803", "")


def test_paths_narrow_what_has_changed(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "xy":
        put(f"skills/{name}/SKILL.md", BAD + "changed\n")
    assert run("skills/x") == Run(1, "skills/x/SKILL.md SKL101", "")
    monkeypatch.chdir("skills/y")
    assert run() == Run(1, "SKILL.md SKL101", "")


def test_what_is_excluded_or_never_holds_skills_stays_out(run: Callable[..., Run]) -> None:
    put("skills/x/SKILL.md", BAD + "changed\n")
    put("node_modules/p/SKILL.md", BAD)
    assert run("--exclude=x/") == Run(0, "", "")


def test_a_base_is_where_head_left_it(run: Callable[..., Run]) -> None:
    git("switch", "-q", "-c", "topic")
    put("skills/x/SKILL.md", BAD + "topic\n")
    commit()
    git("switch", "-q", "main")
    put("skills/y/SKILL.md", BAD + "main\n")
    commit()
    git("switch", "-q", "topic")
    assert run() == Run(0, "", "")
    assert run("--base-ref=main") == Run(1, "skills/x/SKILL.md SKL101", "")


def test_before_the_first_commit_everything_is_new(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("fresh/pay/SKILL.md", BAD)
    monkeypatch.chdir("fresh")
    git("init", "-q", ".")
    assert run() == Run(1, "pay/SKILL.md SKL101", "")
    git("add", "-A")
    assert run() == Run(1, "pay/SKILL.md SKL101", "")


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("no-such", "git knows no commit 'no-such' (a shallow clone has few: fetch-depth: 0 gets all)"),
        ("--output=x", "git knows no commit '--output=x' (a shallow clone has few: fetch-depth: 0 gets all)"),
        ("other", "HEAD and 'other' have no commit in common (fetch-depth: 0 gets the whole history)"),
    ],
)
def test_a_base_that_git_cannot_find_is_told(run: Callable[..., Run], ref: str, message: str) -> None:
    git("switch", "-q", "--orphan", "other")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("switch", "-q", "main")
    assert run(f"--base-ref={ref}") == Run(2, "", f"agentskills-lint: error: --changed: {message}\n")


def test_what_links_lead_to_and_other_repositories_are_looked_up_there(
    run: Callable[..., Run],
    here: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put("skills/x/SKILL.md", BAD + "\n")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "link").symlink_to(here)
    (outside / "skills").symlink_to(here / "skills")
    monkeypatch.chdir(outside)
    assert run("link") == Run(1, "link/skills/x/SKILL.md SKL101", "")
    assert run("skills") == Run(1, "skills/x/SKILL.md SKL101", "")
    assert run("skills/x/SKILL.md") == Run(1, "skills/x/SKILL.md SKL101", "")
    monkeypatch.chdir(here / "public")
    monkeypatch.setenv("GIT_DIR", str(here / ".git"))  # as in a hook of git
    assert run(str(outside / "link")).code == 1
    other = tmp_path_factory.mktemp("other")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.chdir(other)
    git("init", "-q", "-b", "main", ".")
    put("pay/SKILL.md", BAD)
    monkeypatch.chdir(here)
    there = f"{os.path.relpath(other)}/pay/SKILL.md SKL101"
    assert run(str(other), "skills/x") == Run(1, f"{there}\nskills/x/SKILL.md SKL101", "")


def test_submodules_are_looked_into(
    run: Callable[..., Run], here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    library = tmp_path_factory.mktemp("library")
    git("-C", str(library), "init", "-q", "-b", "main")
    put(str(library / "pay/SKILL.md"), BAD)
    git("-C", str(library), "add", "-A")
    git("-C", str(library), "commit", "-q", "-m", "x")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib")
    commit()
    assert run() == Run(0, "", "")
    put("lib/bill/SKILL.md", BAD)
    assert run() == Run(1, "lib/bill/SKILL.md SKL101", "")
    git("-C", "lib", "add", "-A")
    git("-C", "lib", "commit", "-q", "-m", "y")
    assert run() == Run(1, "lib/bill/SKILL.md SKL101", "")
    commit()
    assert run() == Run(0, "", "")
    assert run("--base-ref=HEAD~1") == Run(1, "lib/bill/SKILL.md SKL101", "")


def test_outside_of_a_repository_the_error_is_clear(
    here: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(outside.parent))
    monkeypatch.chdir(outside)
    assert cli.main(["--changed"]) == 2
    assert capsys.readouterr().err.startswith("agentskills-lint: error: --changed: git rev-parse: not a git repository")
    monkeypatch.setenv("PATH", "")
    assert cli.main(["--changed"]) == 2
    assert capsys.readouterr().err == "agentskills-lint: error: --changed: git is not installed\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--base-ref=main"], "--base-ref needs --changed"),
        (["--changed", "-"], "--changed and - contradict each other"),
    ],
)
def test_options_that_make_no_sense_together_are_told(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert cli.main(words) == 2
    assert capsys.readouterr().err == f"agentskills-lint: error: {message} (--help lists the options)\n"
