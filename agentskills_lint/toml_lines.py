"""Where keys and values stand in a TOML text: tomllib, which judges the syntax, gives no lines."""

from __future__ import annotations

import re
import tomllib

Path = tuple[str | int, ...]
"""Keys from the root down; the items of an array by their index."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}' r"|'''(?:[^']|'(?!''))*'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'", re.S
)
_BARE = re.compile(r"[^\s.=\[\]{},#\"']+")
_OTHER = re.compile(r"[^,\]}#\n]*")


def lines_of(text: str) -> dict[Path, int]:
    """The line (from 1) of each key and array item of a text that tomllib has read."""
    return _Scanner(text).lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._arrays: dict[Path, int] = {}
        table: Path = ()
        while self._skip_blank() < len(text):
            if text.startswith("[", self.at):
                table = self._header()
            else:
                self._entry(table)

    def _skip_blank(self) -> int:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _note(self, path: Path) -> None:
        line = self.text.count("\n", 0, self.at) + 1
        for depth in range(1, len(path) + 1):
            self.lines.setdefault(path[:depth], line)

    def _header(self) -> Path:
        double = self.text.startswith("[[", self.at)
        self.at += 2 if double else 1
        self._skip_blank()
        path: Path = ()
        for part in self._key():
            path = (*path, part)
            if path in self._arrays:
                path = (*path, self._arrays[path])
        if double:
            base = path[:-1] if isinstance(path[-1], int) else path
            self._arrays[base] = self._arrays.get(base, -1) + 1
            path = (*base, self._arrays[base])
        self._note(path)
        self.at = self.text.index("]", self.at) + (2 if double else 1)
        return path

    def _key(self) -> tuple[str, ...]:
        """The parts of a dotted key; leaves the scanner behind its last part."""
        parts = []
        while True:
            if self.text[self.at] in "\"'":
                token = _STRING.match(self.text, self.at)
                parts.append(str(tomllib.loads(f"key = {token[0]}")["key"]) if token else "")
            else:
                token = _BARE.match(self.text, self.at)
                parts.append(token[0] if token else "")
            self.at = token.end() if token else self.at
            dot = _DOT.match(self.text, self.at)
            if dot is None:
                return tuple(parts)
            self.at = dot.end()

    def _entry(self, table: Path) -> None:
        start = self.at
        path = (*table, *self._key())
        end, self.at = self.at, start
        self._note(path)
        self.at = self.text.index("=", end) + 1
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip_blank()
        if self.text.startswith("[", self.at):
            self._items(path, "]")
        elif self.text.startswith("{", self.at):
            self._items(path, "}")
        else:
            token = _STRING.match(self.text, self.at) or _OTHER.match(self.text, self.at)
            self.at = token.end() if token else self.at

    def _items(self, path: Path, closing: str) -> None:
        self.at += 1
        index = 0
        while self._skip_blank() < len(self.text) and self.text[self.at] != closing:
            if self.text[self.at] == ",":
                self.at += 1
            elif closing == "}":
                self._entry(path)
            else:
                self._note((*path, index))
                self._value((*path, index))
                index += 1
        self.at += 1
