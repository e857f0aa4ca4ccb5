"""What git says has changed in the working tree: for `--changed`."""

from __future__ import annotations

import os
import subprocess


class GitError(Exception):
    """Why git could not tell; the text is for the user."""


def changed_files(cwd: str, base_ref: str | None = None) -> list[str]:
    """Absolute paths of all files that differ from a commit, those included that are gone.

    Without `base_ref` that is HEAD: what is staged, what is not, what is new and not ignored. With it,
    it is the point where HEAD left `base_ref`. Raises GitError.
    """
    root = _git(cwd, "rev-parse", "--show-toplevel").rstrip("\n")
    if base_ref is None:
        head = _try(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        base = head or _git(root, "hash-object", "-t", "tree", "--stdin")  # nothing is committed yet
    else:
        commit = _try(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base_ref}^{{commit}}")
        if commit is None:
            raise GitError(f"git knows no commit {base_ref!r} (a shallow clone has few: fetch-depth: 0 gets all)")
        found = _try(root, "merge-base", commit.strip(), "HEAD")
        if found is None:
            raise GitError(f"HEAD and {base_ref!r} have no commit in common (fetch-depth: 0 gets the whole history)")
        base = found
    differ = _git(root, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", base.strip())
    new = _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
    return [os.path.join(root, path) for path in sorted({*differ.split("\0"), *new.split("\0")} - {""})]


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
        return subprocess.run(("git", *words), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror or error}") from None
