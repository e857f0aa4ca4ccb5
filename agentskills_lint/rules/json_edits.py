"""Edits of JSON texts in the style of what is there: strings, lists, new entries of a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from agentskills_lint.model import Edit
from agentskills_lint.trees import Node

Value = str | Sequence[str]
Pairs = Sequence[tuple[str, Value]]
"""The keys and values of a new object, in order."""


def literal(text: str, like: str = "") -> str:
    """A JSON string; escaped to ASCII where `like`, the literal that it replaces, is."""
    plain = json.dumps(text, ensure_ascii=False)
    if ("\\u" in like and like.isascii()) or any("\ud800" <= char <= "\udfff" for char in plain):
        return json.dumps(text)
    return plain


def replaced(source: str, node: Node, text: str) -> Edit:
    """The edit that gives a string another text."""
    return Edit(*node.span, literal(text, source[node.span.start : node.span.end]))


class _Style(NamedTuple):
    """How objects of a list are written.

    `before` stands in front of the first object, `gap` behind the comma between two, `close` in
    front of the list's bracket; `lead` in front of the first key, `comma` between two, `end` in
    front of the closing brace, `colon` between key and value. `unit` is one step of
    indentation, `key_line` the line break in front of a key.
    """

    before: str
    gap: str
    close: str
    lead: str
    comma: str
    end: str
    colon: str
    unit: str
    key_line: str


def appended(source: str, items: Node, key: Node, root: Node, objects: Sequence[Pairs], newline: str) -> Edit:
    """The edit that puts objects at the end of the list that stands under a key of the root."""
    style = _style_of(source, items) or _style_of_root(source, key, items, root, newline)
    texts = [_object(pairs, style) for pairs in objects]
    if items.items:
        end = items.items[-1].span.end
        return Edit(end, end, "".join(f",{style.gap}{text}" for text in texts))
    inside = f",{style.gap}".join(texts)
    return Edit(*items.span, f"[{style.before}{inside}{style.close}]")


def filled(source: str, items: Node, values: Sequence[str], newline: str) -> Edit:
    """The edit that puts strings at the end of a list of strings."""
    if not items.items:
        return Edit(*items.span, _list(values, None, ""))
    last = items.items[-1]
    before = source[items.items[-2].span.end : last.span.start] if len(items.items) > 1 else None
    if before is None:
        start = source[items.span.start + 1 : last.span.start]
        before = "," + (start if _breaks(start) else _blank(source, items))
    if not before.startswith(","):
        before = f",{newline}" if newline in before else ", "
    return Edit(last.span.end, last.span.end, "".join(before + literal(value) for value in values))


def rewritten(source: str, items: Node, values: Sequence[str]) -> Edit:
    """The edit that gives a list of strings other ones, in its own layout."""
    if not items.items:
        return Edit(*items.span, _list(values, None, ""))
    start, end = items.items[0].span.start, items.items[-1].span.end
    between = source[items.items[0].span.end : items.items[1].span.start] if len(items.items) > 1 else None
    if between is None:
        lead = source[items.span.start + 1 : start]
        between = "," + (lead if _breaks(lead) else _blank(source, items))
    return Edit(start, end, between.join(literal(value) for value in values))


def _blank(source: str, items: Node) -> str:
    """What goes behind a comma of a list in one line: nothing where nothing stands behind the colon of its key."""
    return "" if items.key is not None and source[items.key.span.end : items.span.start] == ":" else " "


def _object(pairs: Pairs, style: _Style) -> str:
    parts = []
    for key, value in pairs:
        if isinstance(value, str):
            text = literal(value)
        else:
            text = _list(value, f"{style.key_line}{style.unit}" if style.key_line else None, style.key_line)
        parts.append(f"{literal(key)}{style.colon}{text}")
    return "{" + style.lead + style.comma.join(parts) + style.end + "}"


def _list(values: Sequence[str], before: str | None, close: str) -> str:
    texts = [literal(value) for value in values]
    if before is None:
        return "[" + ", ".join(texts) + "]"
    return "[" + ",".join(f"{before}{text}" for text in texts) + close + "]"


def _style_of(source: str, items: Node) -> _Style | None:
    """The style of the last object of a list, None where there is none to go by."""
    models = [item for item in items.items if item.kind == "map" and item.items and item.items[0].key is not None]
    if not models:
        return None
    model = models[-1]
    first = model.items[0]
    first_key = first.key.span if first.key is not None else first.span
    at = items.items.index(model)
    start = items.items[at - 1].span.end if at else items.span.start + 1
    before = source[start : model.span.start].rpartition(",")[2]
    colon = source[first_key.end : first.span.start]
    lead = source[model.span.start + 1 : first_key.start]
    second = model.items[1].key if len(model.items) > 1 else None
    comma = source[first.span.end : second.span.start] if second is not None else f",{lead or ' '}"
    end = source[model.items[-1].span.end : model.span.end - 1]
    if at == 0 and len(items.items) == 1 and not _breaks(before) and not _breaks(lead):
        before = "" if colon == ":" else " "  # [{...}] says nothing of what stands between two
    unit = _unit(before, lead)
    has_lines = any(_breaks(source[item.span.start : item.span.end]) for item in model.items if item.kind == "list")
    return _Style("", before, "", lead, comma, end, colon, unit, comma.removeprefix(",") if has_lines else "")


def _style_of_root(source: str, key: Node, items: Node, root: Node, newline: str) -> _Style:
    """The style that goes with the layout of the root object."""
    above = source[root.span.start + 1 : key.span.start]
    colon = source[key.span.end : items.span.start]
    colon = colon if colon.strip() == ":" and not _breaks(colon) else ": "
    if not _breaks(above):
        comma = ", " if colon.endswith(" ") else ","
        return _Style("", comma[1:], "", "", comma, "", colon, "", "")
    unit = above.replace("\r", "\n").rpartition("\n")[2]
    line = newline + unit
    return _Style(line + unit, line + unit, line, line + unit * 2, f",{line}{unit * 2}", line + unit, colon, unit, "")


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _unit(before: str, lead: str) -> str:
    outer, inner = before.rpartition("\n")[2], lead.rpartition("\n")[2]
    return inner.removeprefix(outer) if inner.startswith(outer) else inner
