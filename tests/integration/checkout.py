"""A copy of this checkout as a repository of its own, and whether the package registry can be reached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def shared(factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of one run share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def environment(**more: str) -> dict[str, str]:
    """The environment without what a commit hook or a user's own settings would change."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT", "SKIP"))}
    author = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return kept | author | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | more


def run(words: Sequence[str | Path], folder: Path, env: Mapping[str, str], code: int | None = 0) -> str:
    """What a command prints on both streams; `code` is the exit code that it must have."""
    done = subprocess.run(
        words, cwd=folder, env=env, check=False, text=True, encoding="utf-8", timeout=500,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert code is None or done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def copied(factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit: the files of this checkout as they are now, what git ignores left out."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    target = shared(factory) / "agentskills-lint"
    if target.is_dir():
        return target
    made = factory.mktemp("checkout") / "repository"
    made.mkdir()
    env = environment()
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "-z"], ROOT, env)
    for name in sorted({*listed.split("\0")} - {""}):
        if (ROOT / name).is_file():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, made / name)
    run(["git", "init", "-q", "-b", "main"], made, env)
    run(["git", "add", "-A"], made, env)
    run(["git", "commit", "-q", "-m", "x"], made, env)
    try:
        made.rename(target)
    except OSError:  # another worker was faster
        assert target.is_dir()
    return target


def need_registry(told: str, folder: Path) -> None:
    """Something could not be installed: skip where no registry answers, else fail with what was told."""
    answer = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "-d", folder, "hatchling"],
        check=False,
        capture_output=True,
    )
    if answer.returncode == 0 or os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip("pip reaches no package registry")
