"""Whether an index.json can be read at all (RFC 8259)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask, must, rule, should
from agentskills_lint.specs import DISCOVERY, DUALNOVA
from agentskills_lint.trees import MAX_DEPTH, Fault, Node
from agentskills_lint.wording import shown

_DISCOVERY = DISCOVERY + "#index-format"
_DUALNOVA = DUALNOVA + "#indexjson"

_GOOD_CHARS = lazy(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*')
_NAME = lazy(r"[\w.$-]+", re.A)
_TYPOGRAPHIC = frozenset("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb\u2033")
_WORDS = {"true": "true", "false": "false", "none": "null", "null": "null", "nil": "null", "undefined": "null"}


@rule(
    "json-syntax",
    "SKL017",
    on=Index,
    raw=True,
    needs=("not-utf8", "file-over-cap", "empty-file", "merge-conflict"),
    asked_by={"discovery": must(_DISCOVERY), "dualnova": must(_DUALNOVA)},
)
def json_syntax(index: Index, ask: Ask) -> Iterator[Problem]:
    """An index.json is not JSON, or no object.

    A client that cannot read the index sees no skill of the site at all, and says nothing. JSON
    is stricter than it looks: no comma behind the last entry, no comments, double quotes around
    every key and every text, and a line break inside a text is written as `\\n`. What stands
    behind the first fault is not looked at until that one is gone.

    ```json bad
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": [],
    }
    ```
    ```json bad
    []
    ```
    ```json good
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": []
    }
    ```
    """
    if index.fault is not None:
        found = _explained(index.source, index.fault)
        yield Problem(found.span, found.message, hint=found.hint)
    elif not index.readable:
        if index.is_path:
            end = len(index.source.rstrip())
            hint = "check links out (git config core.symlinks true), or publish a copy of the file"
            yield Problem(
                Span(0, end), "the file holds nothing but a path: git has written a symbolic link as text", hint=hint
            )
    elif index.root is not None and index.root.kind != "map":
        root = index.root
        hint = 'write {"skills": ...} around the array' if root.kind == "list" else 'write {"skills": [...]}'
        yield Problem(first_token(root), f"the index must be an object, not {called(root)}", hint=hint)


def first_token(node: Node) -> Span:
    """The place of a value on one line: of an object or an array its opening bracket."""
    return node.span if node.kind == "scalar" else Span(node.span.start, node.span.start + 1)


def called(node: Node) -> str:
    """What kind of value it is, with its article."""
    return _CALLED.get(node.tag, "a number")


_CALLED = {"map": "an object", "list": "an array", "str": "text", "bool": "a boolean", "null": "null"}


def is_html(text: str) -> bool:
    """Whether a text begins as an HTML page does."""
    return text.lstrip()[:9].lower().startswith(("<!doctype", "<html", "<head", "<body"))


class _Words(NamedTuple):
    """What a fault is: the narrowest place, what is wrong there, what to type."""

    span: Span
    message: str
    hint: str | None


def _explained(source: str, fault: Fault) -> _Words:
    start, end = fault.span
    if source[start] == "<" and is_html(source[start : start + 100]):
        page = _NAME.match(source, start + 1)
        stop = page.end() if page is not None else start + 1
        hint = "is it a server's answer that was saved? publish the index itself"
        return _Words(Span(start, stop), "the file is an HTML page, not JSON", hint)
    char, token = source[start : start + 1], source[start:end]
    if fault.kind == "depth":
        return _Words(fault.span, f"the nesting is deeper than {MAX_DEPTH} levels", "an index needs three")
    match fault.detail:
        case "trailing comma":
            closing = source[end:].lstrip(" \t\r\n")[:1]
            return _Words(fault.span, f"a comma before {closing!r}, behind which nothing follows", "remove the comma")
        case "comment":
            two = source[start : start + 2]
            mark = two if two in ("//", "/*") else char
            return _Words(Span(start, start + len(mark)), f"a comment ({mark}): JSON has none", "remove it")
        case "constant":
            return _Words(fault.span, f"{token} is no JSON value", "write null, or leave the key out")
        case "number":
            return _Words(
                fault.span,
                f"{shown(token)} is no JSON number: {_number_fault(token)}",
                'if it is text, put it in "quotes"',
            )
        case "string":
            return _string_fault(source, start, end)
        case "end":
            what, closing = ("object", "}") if char == "{" else ("array", "]")
            return _Words(
                fault.span, f"the file ends before the {what} that begins here", f"add {closing!r} at its end"
            )
        case "bracket":
            opening, closing = ("[", "]") if char == "}" else ("{", "}")
            return _Words(fault.span, f"{char!r} cannot close what {opening!r} has opened", f"write {closing!r}")
        case "rest" if char == "#" or source.startswith(("//", "/*"), start):
            return _explained(source, fault._replace(detail="comment"))
        case "rest":
            what = (
                "one closing bracket too many"
                if char in "]}"
                else f"{_name(source, start)} behind the end of the index"
            )
            return _Words(fault.span, what, "remove what stands behind the end, or the bracket that ended it too early")
    if (odd := _odd_char(source, start)) is not None:
        return odd
    if fault.detail == "key":
        return _key_fault(source, start, fault.span)
    if fault.detail == "colon":
        hint = f"write ':' instead of {char!r}" if char == "=" else "write ':' between the key and its value"
        return _Words(fault.span, "the key before this has no colon behind it", hint)
    if fault.detail == "comma":
        return _comma_fault(source, start, fault.span)
    return _value_fault(source, start, fault.span)


def _odd_char(source: str, start: int) -> _Words | None:
    """Quotes other than the double one, and characters that nobody sees."""
    char = source[start]
    if char == "'" or char == "`":
        return _Words(Span(start, start + 1), f"{shown(char)} is no quote in JSON", 'write double quotes (")')
    if char in _TYPOGRAPHIC:
        return _Words(Span(start, start + 1), f"a typographic quote ({char})", 'write plain double quotes (")')
    if not char.isprintable() or char.isspace():
        what = f"the character U+{ord(char):04X}, which is no blank in JSON"
        return _Words(Span(start, start + 1), what, "write a plain space, or nothing")
    return None


def _number_fault(token: str) -> str:
    if token[0] == "+":
        return "it begins with a plus sign"
    bare = token.lstrip("-")
    if bare[:2].lower() == "0x":
        return "it is hexadecimal"
    if bare[:1] == "0" and bare[1:2].isdigit():
        return "it begins with a zero"
    if bare[:1] == "." or bare[-1:] == ".":
        return "a digit is missing beside the point"
    return "it has other characters than digits"


def _key_fault(source: str, start: int, span: Span) -> _Words:
    found = _NAME.match(source, start)
    if found is not None:
        return _Words(Span(*found.span()), f"the key {shown(found[0])} is not in quotes", f'write "{found[0][:60]}"')
    char = source[start]
    if char == ",":
        return _Words(span, "a comma where a key should stand", "remove the comma")
    return _Words(span, f"{shown(char)} where a key should stand", 'write a key in double quotes, such as "name"')


def _comma_fault(source: str, start: int, span: Span) -> _Words:
    if source[start - 1] == '"':
        hint = 'a quote inside a text is written as \\"'
        return _Words(span, f"{_name(source, start)} right behind the end of a text", hint)
    return _Words(span, f"a comma is missing before {_name(source, start)}", "add ',' behind the value before it")


def _value_fault(source: str, start: int, span: Span) -> _Words:
    char = source[start]
    found = _NAME.match(source, start)
    if found is not None:
        word = found[0]
        if word.lower() in _WORDS:
            return _Words(Span(*found.span()), f"{word} is no JSON value", f"write {_WORDS[word.lower()]}")
        return _Words(
            Span(*found.span()), f"the text {shown(word)} is not in quotes", "put the whole text in double quotes"
        )
    if char in ",]}":
        hint = "remove the comma" if char == "," else "write a value, or null"
        return _Words(span, f"{char!r} where a value should stand", hint)
    return _Words(span, f"{shown(char)} where a value should stand", "put the text in double quotes")


def _string_fault(source: str, start: int, end: int) -> _Words:
    found = _GOOD_CHARS.match(source, start + 1)
    at = found.end() if found is not None else start + 1
    char = source[at : at + 1]
    if char == "\\" and source[at + 1 : at + 2] not in ("", "\n", "\r"):
        escape = source[at : at + 2]
        if escape == "\\u":
            return _Words(
                Span(at, at + 2), "four hexadecimal digits are missing behind \\u", "write \\\\ for a backslash"
            )
        return _Words(Span(at, at + 2), f"{escape} is no escape that JSON knows", "write \\\\ for a backslash")
    if char in ("", "\n", "\r", "\\"):
        text = source[start:end].rstrip()
        hint = "add a double quote at its end; a line break inside a text is written as \\n"
        return _Words(Span(start, start + len(text)), "the text that begins here is not closed on its line", hint)
    if char == "\t":
        return _Words(Span(at, at + 1), "a tab inside a text", "write \\t, or a space")
    return _Words(Span(at, at + 1), f"the control character U+{ord(char):04X} inside a text", "remove it")


def _name(source: str, start: int) -> str:
    """What stands at an offset, as a message names it."""
    found = _NAME.match(source, start)
    if found is not None:
        return shown(found[0], 20)
    char = source[start]
    return {'"': "a text", "{": "an object", "[": "an array"}.get(char, shown(char))


@rule(
    "json-byte-order-mark",
    "SKL023",
    on=Index,
    raw=True,
    needs=("not-utf8", "file-over-cap", "empty-file"),
    fix="safe",
    asked_by={"discovery": must(_DISCOVERY), "dualnova": must(_DUALNOVA)},
)
def json_byte_order_mark(index: Index, ask: Ask) -> Iterator[Problem]:
    """An index.json begins with a byte order mark.

    RFC 8259 forbids the mark, and `JSON.parse` and most other readers stop at it: the whole index
    is lost for a character that no editor shows. Editors write it when a file is saved as *UTF-8
    with BOM*. Reading goes on behind it, so that other faults are seen as well.

    ```json bad
    \ufeff{
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": []
    }
    ```
    ```json good
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": []
    }
    ```
    """
    if index.text.bom:
        fix = Fix("remove the byte order mark", (Edit(-1, 0, ""),), True)
        yield Problem(Span(0, 0), "a byte order mark (U+FEFF) stands before the JSON text, which has none", fix)


@rule(
    "json-duplicate-key",
    "SKL025",
    on=Index,
    needs="json-syntax",
    asked_by={"discovery": should(_DISCOVERY), "dualnova": should(_DUALNOVA)},
)
def json_duplicate_key(index: Index, ask: Ask) -> Iterator[Problem]:
    """An object in index.json has the same key twice.

    Most readers keep the last of the two values and drop the first without a word, some the
    other way round, and strict ones refuse the file (RFC 8259, section 4). Keys are compared as
    they read: `"\\u006eame"` is `"name"`.

    ```json bad
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": [],
      "updated": "2026-05-01",
      "updated": "2026-06-01"
    }
    ```
    ```json good
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": [],
      "updated": "2026-06-01"
    }
    ```
    """
    for node in index.root.walk() if index.root is not None else ():
        if node.kind != "map":
            continue
        keys = [item.key for item in node.items if item.key is not None]
        if len({key.value for key in keys}) == len(keys):
            continue
        found: dict[str, list[Node]] = {}
        for key in keys:
            found.setdefault(key.value, []).append(key)
        for name, (first, *others) in found.items():
            if others:
                times = "twice" if len(others) == 1 else f"{len(others) + 1} times"
                yield Problem(
                    others[0],
                    f"the key {shown(name)} stands {times} in one object; most readers keep the last value alone",
                    related=(Related(first, "the first one"),),
                    hint="keep one of them",
                )
