"""Scripts that a skill bundles: which files they are, and what Python and shell make of them. None is ever run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentskills_lint.documents import Document, Folder, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Span

if TYPE_CHECKING:
    import ast

MAX_SCRIPTS = 300
"""Scripts of one skill that are looked at."""

MAX_FOLDERS = 100
"""Folders in which they are looked for."""

FOLDER = "scripts"

_ENDING = lazy(r"\.(?:pyw?|sh|bash)(?![\w/-])", re.A)
_BEFORE_ENDING = lazy(r"(?:\./)?((?:[\w@+-][\w.@+-]*/)*[\w@+-][\w.@+-]*)", re.A)
_NO_PATH = lazy(r"[^\w.@+/:~$-]", re.A)
_LONGEST = 200
"""Characters of a path that a SKILL.md names."""
_SHEBANG = lazy(rb"#![^\r\n]*?(?:\b(python|uv run)|[/ ](?:ba|da|k|z)?(sh)\b)")
_COOKIE = lazy(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.M | re.A)
_SHELL_COMMENT = lazy(r"""(?:[^'"#\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|(?<=[^\s])#)*?(?<!\S)(#)""")
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})

Language = Literal["python", "shell"]

_ENDINGS: dict[str, Language] = {"py": "python", "pyw": "python", "sh": "shell", "bash": "shell"}


class SyntaxFault(NamedTuple):
    """Why a script does not parse: in the words of Python, and where."""

    message: str
    where: Span


class Script(Document):
    """A Python or shell file that a skill bundles: in its folder `scripts/`, or named by its SKILL.md.

    `skill` is the skill that it belongs to, `relative` its path below the skill's folder. A text
    that is not UTF-8 is not readable, whatever encoding it declares.
    """

    kind = "script"
    is_ours = False
    _parsed: tuple[ast.Module | None, SyntaxFault | None] | None = None

    def __init__(
        self,
        path: str,
        location: str,
        raw: bytes,
        folder: Folder | None,
        skill: Skill,
        size: int | None = None,
        is_python: bool = False,
    ) -> None:
        super().__init__(path, location, raw, folder, size)
        self.skill = skill
        home = posixpath.dirname(skill.location).rstrip("/") + "/"
        self.relative = location.removeprefix(home)
        self.language: Language | None = "python" if is_python else language(self.name, raw)

    @property
    def module(self) -> ast.Module | None:
        """The syntax tree of a Python script, None where it does not parse; parsed once."""
        return self._parse()[0]

    @property
    def fault(self) -> SyntaxFault | None:
        """Why a Python script does not parse, None where it does or where that cannot be told."""
        return self._parse()[1]

    @property
    def encoding(self) -> str:
        """The encoding that a Python script declares on one of its first two lines (PEP 263), else ""."""
        found = _COOKIE.search(b"\n".join(self.raw[:400].splitlines()[:2]))
        return found[1].decode("ascii") if found else ""

    @property
    def is_test(self) -> bool:
        """Whether it is a test of other scripts, which nobody but its developers run."""
        name = self.name
        return (
            name.startswith("test_")
            or name.endswith(("_test.py", "_tests.py"))
            or name == "conftest.py"
            or not {"test", "tests"}.isdisjoint(self.relative.split("/")[:-1])
        )

    def comments(self) -> Iterator[tuple[int, int]]:
        """Start and end of each comment, from its number sign to the end of its line."""
        if self.language == "python" and self.module is not None:
            yield from self._python_comments()
            return
        for start in self.text.starts:
            end = self.text.line_bounds(start)[1]
            line = self.source[start:end].rstrip("\r\n")
            found = _SHELL_COMMENT.match(line)
            if found is not None:
                yield start + found.start(1), start + len(line)

    def _python_comments(self) -> Iterator[tuple[int, int]]:
        import io
        import tokenize

        try:
            for token in tokenize.generate_tokens(io.StringIO(self.source, newline=None).readline):
                if token.type == tokenize.COMMENT:
                    start = self.text.offset(token.start[0], token.start[1] + 1)
                    yield start, start + len(token.string)
        except (tokenize.TokenError, SyntaxError):
            return

    def release(self) -> None:
        """Let go of the syntax tree."""
        self._parsed = None

    def offset(self, line: int, column: int) -> int:
        """The offset of a place as `ast` tells it: a line from 1, a column in UTF-8 bytes from 0."""
        start, end = self.text.line_bounds(self.text.starts[min(line, len(self.text.starts)) - 1])
        text = self.source[start:end]
        if text.isascii():
            return start + min(column, len(text))
        return start + len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> Span:
        """The place of a node of the syntax tree, up to the end of its first line."""
        start = self.offset(node.lineno, node.col_offset)
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            return Span(start, self.offset(node.lineno, node.end_col_offset))
        return Span(start, start + len(self.source[start : self.text.line_bounds(start)[1]].rstrip("\r\n")))

    def _parse(self) -> tuple[ast.Module | None, SyntaxFault | None]:
        if self._parsed is None:
            self._parsed = self._read() if self.readable and self.language == "python" else (None, None)
        return self._parsed

    def _read(self) -> tuple[ast.Module | None, SyntaxFault | None]:
        import ast
        import warnings

        at = self.source.find("\0")
        if at >= 0:
            return None, SyntaxFault("it holds a null byte", Span(at, at + 1))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.source), None
        except SyntaxError as error:
            return None, self._fault(error)
        except (RecursionError, MemoryError, ValueError, OverflowError):
            return None, None  # too deep for Python, which says nothing of its syntax

    def _fault(self, error: SyntaxError) -> SyntaxFault:
        line = min(max(error.lineno or 1, 1), len(self.text.starts))
        start, end = self.text.line_bounds(self.text.starts[line - 1])
        stop = start + len(self.source[start:end].rstrip("\r\n"))
        at = min(start + max((error.offset or 1) - 1, 0), stop)
        until = stop
        if error.end_lineno == error.lineno and (error.end_offset or 0) > (error.offset or 1):
            until = min(start + (error.end_offset or 1) - 1, stop)
        return SyntaxFault(error.msg, Span(at, until))


def language(name: str, raw: bytes = b"") -> Language | None:
    """The language of a script by its name, else by its first line; None for every other."""
    stem, dot, ending = name.rpartition(".")
    if stem and dot:
        return _ENDINGS.get(ending.lower())
    shebang = _SHEBANG.match(raw[:200])
    return None if shebang is None else "python" if shebang[1] else "shell"


def named_by(skill: Skill) -> list[str]:
    """The scripts that a SKILL.md names, as relative paths in its folder; they are there, with this very case."""
    source, folder = skill.source, skill.folder
    if (
        folder is None
        or not skill.readable
        or len(folder.entries()) < 2
        or not any(ending in source for ending in (".py", ".sh", ".bash"))
    ):
        return []
    paths: dict[str, None] = {}
    for ending in _ENDING.finditer(source, skill.body.start):
        before = source[max(ending.start() - _LONGEST, skill.body.start) : ending.start()]
        word = _NO_PATH.split(before)[-1]
        named = _BEFORE_ENDING.fullmatch(word)
        if named is not None:
            paths[posixpath.normpath(named[1] + ending[0])] = None
    return [path for path in list(paths)[: 2 * MAX_SCRIPTS] if folder.find(path) == "file"]


def bundled(skill: Skill) -> list[str]:
    """The scripts of a skill, as relative paths: those in `scripts/`, whatever their depth, then those it names.

    Folders that hold a skill of their own are left to that one, and so are files of no kind.
    Files without an ending are among them: their first line tells what they are.
    """
    folder = skill.folder
    if folder is None or skill.via is not None:
        return []
    found: dict[str, None] = {}
    waiting = [FOLDER] if folder.entries().get(FOLDER) == "folder" else []
    for below in waiting:
        for name, kind in sorted(folder.entries(below).items()):
            path = f"{below}/{name}"
            if kind == "folder" and name not in _SKIPPED and name[0] != "." and len(waiting) < MAX_FOLDERS:
                if "SKILL.md" not in folder.entries(path) and path.count("/") < 8:
                    waiting.append(path)
            elif kind == "file" and (language(name) is not None or "." not in name):
                found[path] = None
    found.update(dict.fromkeys(path for path in named_by(skill) if not _is_nested(folder, path)))
    return list(found)[:MAX_SCRIPTS]


def belongs(skill: Skill, relative: str) -> bool:
    """Whether a file below a skill's folder is one of its scripts.

    All are, except in a folder that is a project of its own, such as the root of a repository:
    there it has to lie in `scripts/` or be named by the SKILL.md.
    """
    folder = skill.folder
    if folder is None:
        return False
    entries = folder.entries()
    if not any(name in entries for name in (".git", "pyproject.toml", "setup.py", "setup.cfg")):
        return True
    return relative.startswith(f"{FOLDER}/") or relative in named_by(skill)


def beside(script: Script) -> Iterator[str]:
    """The folders that may hold what a script needs, relative to its skill's folder.

    From the script's own folder up to the skill's, then up to the root of the repository.
    """
    path = posixpath.dirname(script.relative)
    while path:
        yield path
        path = posixpath.dirname(path)
    yield ""
    folder = script.skill.folder
    if folder is None or ".git" in folder.entries():
        return
    above = [posixpath.join(*[".."] * depth) for depth in range(1, 9)]
    root = next((path for path in above if folder.entries(path).get(".git") in ("folder", "file")), None)
    for path in above[: above.index(root) + 1] if root is not None else ():
        yield path


def _is_nested(folder: Folder, path: str) -> bool:
    """Whether another skill is nearer to a file."""
    parts = path.split("/")[:-1]
    return any("SKILL.md" in folder.entries("/".join(parts[: count + 1])) for count in range(len(parts)))
