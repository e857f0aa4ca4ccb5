"""What git says has changed in the working tree: for `--changed`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence


class GitError(Exception):
    """Why git could not tell; the text is for the user."""


def changed_files(paths: Sequence[str], base_ref: str | None = None) -> list[str]:
    """Absolute paths of the files below some paths that differ from a commit, those included that are gone.

    Without `base_ref` that is HEAD: what is staged, what is not, what is new and not ignored. With it,
    it is the point where HEAD left `base_ref`. Each path is looked up in the repository that holds it, symbolic links
    followed, and what lies below it keeps its name. Raises GitError.
    """
    repositories: dict[str, list[str]] = {}
    found = set[str]()
    for path in map(os.path.abspath, paths):
        real = os.path.realpath(path)
        folder = real
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        root = _git(folder, "rev-parse", "--show-toplevel").rstrip("\n")
        if root not in repositories:
            repositories[root] = _differing(root, _base(root, base_ref))
        inside = os.path.join(real, "")
        files = (file for file in repositories[root] if file == real or file.startswith(inside))
        found.update(f"{path.rstrip(os.sep)}{file[len(real.rstrip(os.sep)) :]}" for file in files)
    return sorted(found)


def _base(root: str, base_ref: str | None) -> str:
    """The commit or tree to which a repository is compared."""
    if base_ref is None:
        head = _try(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        # nothing is committed yet
        return (head or _git(root, "hash-object", "-t", "tree", "--stdin")).strip()
    commit = _try(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base_ref}^{{commit}}")
    if commit is None:
        raise GitError(f"git knows no commit {base_ref!r} (a shallow clone has few: fetch-depth: 0 gets all)")
    found = _try(root, "merge-base", commit.strip(), "HEAD")
    if found is None:
        raise GitError(f"HEAD and {base_ref!r} have no commit in common (fetch-depth: 0 gets the whole history)")
    return found.strip()


def _differing(root: str, base: str) -> list[str]:
    """The files of a repository and of its submodules that differ from a commit."""
    options = ("--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z")
    differ = _git(root, "diff", *options, base)
    new = _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
    found = []
    for path in sorted({*differ.split("\0"), *new.split("\0")} - {""}):
        location = os.path.realpath(os.path.join(root, path)) if path.endswith("/") else os.path.join(root, path)
        if not os.path.exists(os.path.join(location, ".git")):
            found.append(location)
            continue
        commit = _try(root, "rev-parse", "--verify", "--quiet", f"{base}:{path.rstrip('/')}")
        known = commit is not None and _try(location, "cat-file", "-e", commit.strip()) is not None
        found += _differing(location, str(commit).strip() if known else _base(location, None))
    return found


def _try(cwd: str, *words: str) -> str | None:
    done = _run(cwd, words)
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None


def _git(cwd: str, *words: str) -> str:
    done = _run(cwd, words)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
        raise GitError(f"git {words[0]}: {said or f'exit code {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _run(cwd: str, words: tuple[str, ...]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ("git", *words), cwd=cwd, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror or error}") from None


def _environment() -> dict[str, str]:
    """Ours without what a hook says of the repository that it runs in: others are asked, too."""
    return {name: value for name, value in os.environ.items() if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX")}
