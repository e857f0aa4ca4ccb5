"""Bytes to text: decoding without loss, lines as editors count them, offsets to positions."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n|\r|\n")


class Text:
    """The text of a file, its byte order mark taken off and remembered.

    Offsets are code points into `string`, lines and columns count from 1. A line ends at
    `\\r\\n`, `\\r` or `\\n` and nowhere else (`str.splitlines` knows more ends than editors).
    `bad_byte` is the byte offset of the first byte that is not UTF-8, or None; such a text is
    decoded with U+FFFD so that positions before it hold. Text with a NUL in every other byte
    is UTF-16, though each of its bytes may be UTF-8: its first NUL counts as bad.
    """

    __slots__ = ("_starts", "bad_byte", "bom", "string")

    def __init__(self, raw: bytes) -> None:
        self.bom = raw.startswith(BOM)
        body = raw[3:] if self.bom else raw
        self.bad_byte: int | None = None
        try:
            self.string = body.decode()
        except UnicodeDecodeError as error:
            self.bad_byte = error.start + (3 if self.bom else 0)
            self.string = body.decode(errors="replace")
        else:
            if b"\0" in body[:64] and max(body[:64:2].count(0), body[1:64:2].count(0)) * 4 > len(body[:64]):
                self.bad_byte = raw.index(0)
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Offset of the first code point of each line."""
        if self._starts is None:
            if "\r" in self.string:
                self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.string))]
            else:
                lengths = [len(line) + 1 for line in self.string.split("\n")]
                lengths.pop()
                self._starts = list(accumulate(lengths, initial=0))
        return self._starts

    @property
    def line_count(self) -> int:
        """Number of lines as editors count them: a final line end adds none."""
        ends = len(self.starts) - 1 if "\r" in self.string else self.string.count("\n")
        return ends + (self.string[-1:] not in ("\r", "\n")) if ends else 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both from 1) of an offset; columns count code points."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int = 1) -> int:
        """The offset of a line and column; the reverse of `position`."""
        return self.starts[line - 1] + column - 1

    def line_at(self, offset: int) -> int:
        """The line (from 1) that holds an offset."""
        return bisect_right(self.starts, offset)

    def line_bounds(self, offset: int) -> tuple[int, int]:
        """Start and end of the line that holds an offset, its line end included."""
        index = bisect_right(self.starts, offset)
        return self.starts[index - 1], self.starts[index] if index < len(self.starts) else len(self.string)

    def line(self, number: int) -> str:
        """A line by its number (from 1), without its end."""
        start, end = self.line_bounds(self.starts[number - 1])
        return self.string[start:end].rstrip("\r\n")

    @property
    def newline(self) -> str:
        """The line end that a fix should write: that of the first line, else a line feed."""
        found = _LINE_END.search(self.string)
        return found[0] if found else "\n"
