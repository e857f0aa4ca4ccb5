"""Patterns in the manner of .gitignore, held against git itself."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from agentskills_lint.patterns import Patterns, fault


def ignored(lines: list[str], path: str) -> bool:
    """Whether a path (a folder where it ends in a slash) is ignored, itself or by a folder above it."""
    return Patterns(lines).covering(path.rstrip("/"), path.endswith("/")) is not None


@pytest.mark.parametrize(
    ("lines", "yes", "no"),
    [
        (["build"], ["build", "build/", "a/build", "build/x/y"], ["builds", "a/xbuild"]),
        (["build/"], ["build/", "a/build/x"], ["build"]),
        (["/build"], ["build", "build/x"], ["a/build"]),
        (["docs/build"], ["docs/build", "docs/build/x"], ["a/docs/build"]),
        (["*.md"], ["SKILL.md", "a/b.md", ".md"], ["a.mdx"]),
        (["skills*"], ["skills", "skills-old/x"], ["myskills"]),
        (["a*c"], ["ac", "abbc"], ["ab", "a/c"]),
        (["a/*/c"], ["a/b/c"], ["a/c", "a/b/b/c"]),
        (["**/tmp"], ["tmp", "a/b/tmp/x"], ["tmps"]),
        (["a/**"], ["a/b", "a/b/c"], ["a", "a/"]),
        (["a/**/z"], ["a/z", "a/b/z", "a/b/c/z"], ["z", "a/zz"]),
        (["a?c"], ["abc"], ["ac", "a/c"]),
        (["[ab]x", "[!c-e]y", "[^f]z"], ["ax", "ay", "gz"], ["cx", "dy", "fz"]),
        (["[]]", "[[:digit:]]v"], ["]", "1v"], ["[", "av"]),
        (["*.md", "!SKILL.md"], ["a.md"], ["SKILL.md", "x/SKILL.md"]),
        (["out/", "!out/keep"], ["out/keep", "out/x"], []),
        (["# comment", "", "  ", "!"], [], ["# comment", "comment"]),
        (["\\#x", "\\!y", "z\\ "], ["#x", "!y", "z "], ["x", "y", "z"]),
        (["spaces  "], ["spaces"], ["spaces  "]),
        (["[a", "b\\", "/", "[z-a]"], ["z"], ["[a", "b", "b\\", "a"]),
        (["crlf\r\n"], ["crlf"], ["crlf\r"]),
        (["日本*"], ["日本語"], ["日"]),
    ],
)
def test_reads_gitignore(lines: list[str], yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not ignored(lines, path)] == []
    assert [path for path in no if ignored(lines, path)] == []


def test_decides_by_the_last_pattern_and_names_it() -> None:
    patterns = Patterns(["a", "*.x", "!a", "b/"])
    assert patterns.decide("a", False) == (False, "!a")
    assert patterns.decide("q/1.x", False) == (True, "*.x")
    assert patterns.decide("b", False) is None
    assert patterns.decide("b", True) == (True, "b/")
    assert patterns.covering("b/c/d", False) == "b/"


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("/", "is empty"),
        ("!", "is empty"),
        ("#a", "begins with '#', so it is a comment (write '\\#')"),
        ("../a", "cannot lead out of its folder with '..'"),
        ("a/../b", "cannot lead out of its folder with '..'"),
        ("[a", "has a '[' without ']' or ends in a backslash, so it matches nothing"),
        ("a/b\\", "has a '[' without ']' or ends in a backslash, so it matches nothing"),
        ("a..b", None),
        ("\\#a", None),
        ("!a/**/b?[c]", None),
    ],
)
def test_fault_tells_why_a_pattern_can_match_nothing(pattern: str, why: str | None) -> None:
    assert fault(pattern) == why


def test_hostile_patterns_cost_little() -> None:
    started = time.process_time()
    patterns = Patterns(["x*" * 100 + "y", "/" + "**/x*/" * 40 + "y", "[a-z]*" * 60 + "!"])
    for _ in range(20):
        assert patterns.decide("x" * 250, False) is None
        assert patterns.decide("/".join(["xx"] * 60), False) is None
    assert time.process_time() - started < 2


_PARTS = ["a", "b", "-", ".", "SKILL.md", " ", "!", "#", "*", "?", "[ab]", "[!a]", "[^b-]", "[a-c]", "[]a]"]
_PARTS += ["[[:upper:]]", "[[:foo:]]", "[a", "[\\]a]", "[b-a]", "[a-]", "[!]]", "[a\\-c]", "[+-9]", "[--a]", "[!/]"]
_PARTS += ["\\a", "\\*", "\\!", "\\ ", "\\\\", "a", "b", "a"]


def _pattern(draw: random.Random) -> str:
    segments = [
        "**" if draw.random() < 0.2 else "".join(draw.choice(_PARTS) for _ in range(draw.randint(1, 4)))
        for _ in range(draw.randint(1, 3))
    ]
    return draw.choice(["", "", "!"]) + draw.choice(["", "", "/"]) + "/".join(segments) + draw.choice(["", "/", "  "])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here to compare with")
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_git(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for number in range(40):
        tree = tmp_path / str(number)
        tree.mkdir()
        lines = [_pattern(draw) for _ in range(draw.randint(1, 3))]
        for _ in range(25):
            names = ["".join(draw.choice("abAc-.]!#[+a") for _ in range(draw.randint(1, 3))) for _ in range(3)]
            path = tree.joinpath(*names[: draw.randint(1, 3)])
            if {".", "..", ".git"} & set(path.parts) or any(folder.is_file() for folder in path.parents):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.mkdir() if draw.random() < 0.5 else path.touch()
        tree.joinpath(".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
        paths = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*"))
        run = subprocess.run(
            ["git", "check-ignore", "--no-index", "-z", "--stdin"],
            input="\0".join(paths).encode(),
            capture_output=True,
            cwd=tree,
        )
        patterns = Patterns(lines)
        mine = [path for path in paths if patterns.covering(path, (tree / path).is_dir())]
        assert (lines, mine) == (lines, run.stdout.decode().split("\0")[:-1])
