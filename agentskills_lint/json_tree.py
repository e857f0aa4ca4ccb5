"""A positioned reader of JSON (RFC 8259): the same tree as YAML's, the place of the first fault."""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in typeshed

from agentskills_lint.model import Span
from agentskills_lint.trees import MAX_DEPTH, Fault, Node

_BLANKS = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.A)
_WORD = re.compile(r"[-+.\w]+", re.A)
_WORDS = {"true": "bool", "false": "bool", "null": "null"}


def json_tree(source: str) -> tuple[Node | None, Fault | None]:
    """Read a JSON text (RFC 8259); duplicate keys are kept in order.

    Returns the root and None, or None and the first fault: its `detail` says what stands there
    ("trailing comma", "comment", "constant", "string", "number", "key", "value", "comma",
    "colon", "end", "rest", "bracket"); kind "depth" where the nesting exceeds MAX_DEPTH.
    """
    stack: list[Node] = []
    root: Node | None = None
    key: Node | None = None
    at = _blank_end(source, 0)
    expect = "value"  # value, first (value or closing), key, colon, next (comma or closing), end
    while True:
        char = source[at : at + 1]
        if expect == "end":
            return (root, None) if not char else (None, _fault(source, at, "rest"))
        if not char:
            where = stack[-1].span.start if stack else max(at - 1, 0)
            return None, Fault("syntax", Span(where, min(where + 1, len(source))), "end")
        if source.startswith(("//", "/*", "#"), at):
            return None, _fault(source, at, "comment")
        if expect in ("first", "next") and stack and char == ("}" if stack[-1].kind == "map" else "]"):
            node = stack.pop()
            node.span = Span(node.span.start, at + 1)
            at += 1
            expect = "next" if stack else "end"
            key = None
        elif expect == "next":
            if char != ",":
                return None, _fault(source, at, "bracket" if char in "]}" else "comma")
            comma = at
            at = _blank_end(source, at + 1)
            if source[at : at + 1] in ("]", "}"):
                return None, Fault("syntax", Span(comma, comma + 1), "trailing comma")
            expect = "key" if stack[-1].kind == "map" else "value"
            continue
        elif expect == "key" or (expect == "first" and stack[-1].kind == "map"):
            if char != '"':
                return None, _fault(source, at, "key")
            key, at = _string(source, at)
            if key is None:
                return None, _fault(source, at, "string")
            expect = "colon"
        elif expect == "colon":
            if char != ":":
                return None, _fault(source, at, "colon")
            at += 1
            expect = "value"
        else:
            value, end, wrong = _value(source, at)
            if value is None:
                return None, _fault(source, end, wrong)
            value.key = key
            if stack:
                stack[-1].items.append(value)
            else:
                root = value
            at, key = end, None
            if value.kind == "scalar":
                expect = "next" if stack else "end"
            else:
                if len(stack) >= MAX_DEPTH:
                    return None, Fault("depth", Span(at - 1, at))
                stack.append(value)
                expect = "first"
        at = _blank_end(source, at)


def _blank_end(source: str, at: int) -> int:
    found = _BLANKS.match(source, at)
    return found.end() if found is not None else at


def _string(source: str, at: int) -> tuple[Node | None, int]:
    """The string that begins at a quote, with the offset behind it; None where it is malformed."""
    try:
        value, end = scanstring(source, at + 1, True)
    except ValueError:
        return None, at
    return Node("scalar", value, "json", Span(at, end)), end


def _value(source: str, at: int) -> tuple[Node | None, int, str]:
    """The scalar or the opening bracket at an offset, with the offset behind it, else what is wrong."""
    char = source[at]
    if char == '"':
        node, end = _string(source, at)
        return node, end, "string"
    if char in "{[":
        return Node("map" if char == "{" else "list", "", "json", Span(at, at + 1)), at + 1, ""
    number = _NUMBER.match(source, at)
    word = _WORD.match(source, at)
    if word is None:
        return None, at, "value"
    if number is not None and number.end() == word.end():
        node = Node("scalar", number[0], "json", Span(*number.span()))
        node._tag = "int" if number[0].lstrip("-").isdigit() else "float"
        return node, number.end(), ""
    if word[0] in _WORDS:
        node = Node("scalar", word[0], "json", Span(*word.span()))
        node._tag = _WORDS[word[0]]
        return node, word.end(), ""
    if word[0] in ("NaN", "Infinity", "-Infinity"):
        return None, at, "constant"
    return None, at, "number" if char in "-+.0123456789" else "value"


def _fault(source: str, at: int, detail: str) -> Fault:
    """A fault at the token that begins at an offset."""
    word = _WORD.match(source, at)
    if detail == "string":
        line = source.find("\n", at)
        return Fault("syntax", Span(at, line if line >= 0 else len(source)), detail)
    return Fault("syntax", Span(at, word.end() if word else min(at + 1, len(source))), detail)
