"""Patterns in the manner of .gitignore, read as git reads them (gitignore(5)), at no cost at start-up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from agentskills_lint.lazy import lazy

_SPECIAL = lazy(r"[*?\[\\]")
_STARS = lazy(r"\*\*+")
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r" \t-\r", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_NOTHING = "(?!)"


class Decision(NamedTuple):
    """What the last pattern that names a path says of it."""

    ignored: bool
    pattern: str


class Patterns:
    """The lines of one .gitignore, or the patterns of a setting: the last that matches decides.

    Paths are relative to the folder that the patterns belong to, with forward slashes. Plain
    names and patterns with a single star, which is nearly all of them, need no regular expression.
    """

    __slots__ = ("_affixes", "_globs", "_literals", "_rules")

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules: list[tuple[str, bool, bool]] = []
        self._literals: dict[str, list[int]] = {}
        self._affixes: list[tuple[int, str, str]] = []
        self._globs: list[tuple[int, bool, re.Pattern[str]]] = []
        for line in lines:
            self._add(line)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def decide(self, path: str, is_folder: bool) -> Decision | None:
        """What the patterns say of a path itself; the folders above it are not looked at."""
        name = path.rpartition("/")[2]
        hits = [*self._literals.get(f"/{path}", ()), *self._literals.get(name, ())]
        for index, prefix, suffix in self._affixes:
            if name.startswith(prefix) and name.endswith(suffix) and len(name) >= len(prefix) + len(suffix):
                hits.append(index)
        for index, by_name, glob in self._globs:
            if glob.fullmatch(name if by_name else path):
                hits.append(index)
        for index in sorted(hits, reverse=True):
            text, ignored, folders_only = self._rules[index]
            if is_folder or not folders_only:
                return Decision(ignored, text)
        return None

    def covering(self, path: str, is_folder: bool) -> str | None:
        """The pattern that ignores a path or a folder above it, or None."""
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            found = self.decide("/".join(parts[:count]), is_folder or count < len(parts))
            if found is not None and found.ignored:
                return found.pattern
        return None

    def _add(self, line: str) -> None:
        text = _trimmed(line)
        if not text or text.startswith("#"):
            return
        glob = text[1:] if text.startswith("!") else text
        folders_only = glob.endswith("/")
        if folders_only:
            glob = glob[:-1]
        anchored = "/" in glob
        glob = glob.removeprefix("/")
        if glob.startswith("**/") and "/" not in glob[3:]:
            anchored, glob = False, glob[3:]
        if not glob:
            return
        index = len(self._rules)
        self._rules.append((text, not text.startswith("!"), folders_only))
        if _SPECIAL.search(glob) is None:
            self._literals.setdefault(f"/{glob}" if anchored else glob, []).append(index)
            return
        prefix, star, suffix = glob.partition("*")
        if star and not anchored and _SPECIAL.search(prefix + suffix) is None:
            self._affixes.append((index, prefix, suffix))
        else:
            self._globs.append((index, not anchored, re.compile(_regex(glob), re.S)))


def fault(pattern: str) -> str | None:
    """Why a pattern of a setting can never match, or None."""
    text = _trimmed(pattern)
    glob = text.removeprefix("!").strip("/")
    if text.startswith("#"):
        return "begins with '#', so it is a comment (write '\\#')"
    if not glob:
        return "is empty"
    if ".." in glob.split("/"):
        return "cannot lead out of its folder with '..'"
    if _NOTHING in _regex(glob):
        return "has a '[' without ']' or ends in a backslash, so it matches nothing"
    return None


def _trimmed(line: str) -> str:
    """A line without the blanks at its end, but for one that a backslash holds."""
    text = line.removesuffix("\n").removesuffix("\r")
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(text) else bare


def _regex(glob: str) -> str:
    """A regular expression for whole paths.

    What stands before a further star is atomic: the leftmost shortest match of each piece is as
    good as any other, and a hostile pattern cannot make the search try all combinations.
    """
    groups: list[list[str]] = [[]]
    for part in _segments(glob):
        if _STARS.fullmatch(part):
            groups.append([])
        else:
            groups[-1].append(_segment(part))
    if len(groups) == 1:
        return "/".join(groups[0])
    found = "".join(f"{part}/" for part in groups[0])
    for group in groups[1:-1]:
        if group:
            found += f"(?>(?:[^/]+/)*?{''.join(f'{part}/' for part in group)})"
    return found + (f"(?:[^/]+/)*{'/'.join(groups[-1])}" if groups[-1] else ".+")


def _segments(glob: str) -> list[str]:
    """The parts between slashes; a slash in brackets divides nothing."""
    parts, start, at = [], 0, 0
    while at < len(glob):
        if glob[at] == "/":
            parts.append(glob[start:at])
            start = at + 1
        end = _class(glob, at)[1] if glob[at] == "[" else at + (2 if glob[at] == "\\" else 1)
        at = end if end is not None else len(glob)
    return [*parts, glob[start:]]


def _segment(part: str) -> str:
    """A regular expression for one name."""
    pieces: list[str] = []
    piece, at = "", 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            if piece or not pieces:
                pieces.append(piece)
            piece = ""
        elif char == "?":
            piece += "[^/]"
        elif char == "[":
            chars, end = _class(part, at - 1)
            if end is None:
                return _NOTHING
            piece, at = piece + chars, end
        elif char == "\\":
            if at == len(part):
                return _NOTHING
            piece, at = piece + re.escape(part[at]), at + 1
        else:
            piece += re.escape(char)
    if not pieces:
        return piece
    middle = "".join(f"(?>[^/]*?{text})" for text in pieces[1:])
    return f"{pieces[0]}{middle}[^/]*{piece}"


def _class(glob: str, start: int) -> tuple[str, int | None]:
    """The bracket expression at an offset as a regular expression, and its end; None: there is no end."""
    at = start + 1
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    found, first, last = "", True, ""
    while first or glob[at : at + 1] != "]":
        first = False
        char = glob[at : at + 1]
        if not char:
            return _NOTHING, None
        named = re.compile(r"\[:([^\]]*?):\]").match(glob, at)
        if named:
            if named[1] not in _CLASSES:
                return _NOTHING, None
            found, last, at = found + _CLASSES[named[1]], "", named.end()
            continue
        if char == "-" and last and glob[at + 1 : at + 2] not in ("", "]"):
            at += 2 if glob[at + 1] == "\\" else 1
            if at >= len(glob):
                return _NOTHING, None
            if last < glob[at]:
                found += f"{_quoted(last)}-{_quoted(glob[at])}"
            last, at = "", at + 1
            continue
        if char == "\\":
            at += 1
            char = glob[at : at + 1]
            if not char:
                return _NOTHING, None
        found, last, at = found + _quoted(char), char, at + 1
    if not found:
        return "[^/]" if negated else _NOTHING, at + 1
    return f"(?!/)[{'^' if negated else ''}{found}]", at + 1


def _quoted(char: str) -> str:
    return char if char.isalnum() else f"\\{char}"
