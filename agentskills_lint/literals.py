"""Python string literals that hold a SKILL.md, and where each of their characters stands in the file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_BETWEEN = re.compile(r"(?:[ \t\f\r\n]+|\\\r?\n|#[^\r\n]*)*")
_OPENING = re.compile(r"(?P<prefix>[rRuU]?)(?P<quotes>\"\"\"|'''|\"|')")
_PIECE = re.compile(
    r"\\(?:\r\n|[\r\n]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\}|.)|\r\n|[\s\S]"
)
_FENCES = re.compile(r"---[ \t]*\r?\n(?:.*\n)??---[ \t]*(?:\r?\n|\Z)", re.S)


class Literal(NamedTuple):
    """A literal: its value, its first line (from 1) and column (from 0), and where each character stands.

    `places` is empty where that cannot be told.
    """

    value: str
    line: int
    column: int
    places: tuple[tuple[int, int], ...]

    def position(self, offset: int) -> tuple[int, int]:
        """Line (from 1) and column (from 0) of a character of the value, else where the literal begins."""
        if not self.places:
            return self.line, self.column
        return self.places[min(offset, len(self.places) - 1)]


def literals(tree: ast.AST, lines: Sequence[str]) -> Iterator[Literal]:
    """The plain string literals that begin as a SKILL.md does and hold a name and a description."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr) or type(node).__name__ == "TemplateStr":
            continue
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, str) and "name" in value and "description" in value and _FENCES.match(value):
                yield _placed(node, value, lines)
            continue
        waiting.extend(ast.iter_child_nodes(node))


def _placed(node: ast.Constant, value: str, lines: Sequence[str]) -> Literal:
    first = lines[node.lineno - 1]
    column = len(first.encode()[: node.col_offset].decode("utf-8", "ignore"))
    text = "".join(lines[node.lineno - 1 : node.end_lineno])
    last = lines[(node.end_lineno or node.lineno) - 1].encode()
    end = len(text) - len(last.decode()) + len(last[: node.end_col_offset].decode("utf-8", "ignore"))
    offsets = _offsets(text[:end], column, value)
    starts = list(accumulate((len(line) for line in lines[node.lineno - 1 : node.end_lineno]), initial=0))
    places = []
    row = 0
    for offset in offsets:
        while row + 1 < len(starts) and starts[row + 1] <= offset:
            row += 1
        places.append((node.lineno + row, offset - starts[row]))
    return Literal(value, node.lineno, column, tuple(places))


def _offsets(text: str, at: int, value: str) -> list[int]:
    """Where each character of a literal's value stands in its text, and its end; empty where the two do not agree."""
    characters: list[str] = []
    offsets: list[int] = []
    end = at
    while at < len(text):
        at = _skipped(text, at)
        opening = _OPENING.match(text, at)
        if opening is None:
            break
        at = opening.end()
        quotes = opening["quotes"]
        is_raw = opening["prefix"] in ("r", "R") and opening["prefix"] != ""
        while at < len(text) and not text.startswith(quotes, at):
            piece = _PIECE.match(text, at)
            if piece is None:
                return []
            read = piece[0] if is_raw else _read(piece[0])
            characters.extend(read)
            offsets.extend(range(at, at + len(read)) if is_raw else [at] * len(read))
            at = piece.end()
        end = at
        at += len(quotes)
    return [*offsets, end] if "".join(characters) == value else []


def _skipped(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found is not None else at


def _read(piece: str) -> str:
    if piece == "\r\n":
        return "\n"
    if len(piece) == 1:
        return piece
    if piece[1] in "\r\n":
        return ""
    try:
        found = ast.literal_eval(f'"{piece}"') if piece[1] not in "\"'" else piece[1]
    except (SyntaxError, ValueError):
        return piece
    return found if isinstance(found, str) else piece
