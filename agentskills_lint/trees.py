"""One positioned tree for YAML and JSON values.

YAML is read from libyaml's event stream (the pure Python parser where it is missing): no
Python value is ever constructed, an alias is a leaf, so neither a tag nor an alias bomb can
do anything. Values are kept as written; `Node.tag` says what a YAML 1.1 reader makes of them.

The two parsers disagree here and there. The pure one is the judge, since `yaml.safe_load` is
what most clients call: it reads again what libyaml refuses, and it alone reads what
`_is_read_differently` finds, so that trees and faults are the same with and without libyaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from agentskills_lint.model import Span

MAX_DEPTH = 64
"""Levels of nesting that are read; deeper files are reported (SKL026), not parsed."""

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_BOOL = re.compile(r"(?:yes|no|true|false|on|off)", re.I | re.A)
_INT = re.compile(r"[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)", re.A)
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    re.A,
)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}"
    r":[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?",
    re.A,
)
_MIXED_CASE = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]+", re.A)
_TAG_START = re.compile(r"(?:^|[\s\[{,])!")
_BLOCK_COMMENT = re.compile(r"[|>][-+0-9]*#")
_HUGE_ESCAPE = re.compile(r"\\U(?!0010|000)[0-9a-fA-F]{8}")
_BLANKS = " \t\r\n\x85\u2028\u2029"
_span: Any = tuple.__new__  # what Span() does, without its call of a Python function
_SURROGATE = re.compile("[\ud800-\udfff]")
_CORE = "tag:yaml.org,2002:"
_GIVEN = {"!": "str"} | {_CORE + name: name for name in ("str", "int", "float", "bool", "null")}


class Node:
    """A value with its place.

    kind: "scalar", "map", "list" or "alias". value: text after unquoting and folding (""
    for collections). style: "" plain, "'", '"', "|" or ">"; flow collections have "flow",
    JSON values "json". span: the value, code points into the document; quotes, a tag and an
    anchor are included. key: the Node of the key under which it stands. items: the values of
    a map in order, the elements of a list. given_tag and anchor: as the parser resolves them.
    """

    __slots__ = ("_tag", "anchor", "given_tag", "items", "key", "kind", "span", "style", "value")

    def __init__(self, kind: str, value: str, style: str, span: Span) -> None:
        self.kind = kind
        self.value = value
        self.style = style
        self.span = span
        self.key: Node | None = None
        self.items: list[Node] = []
        self.anchor: str | None = None
        self.given_tag: str | None = None
        self._tag: str | None = None

    @property
    def plain(self) -> bool:
        """Whether it is a scalar without quotes, so that readers guess its type."""
        return self.kind == "scalar" and self.style == ""

    @property
    def block(self) -> bool:
        """Whether it is a literal or folded block scalar."""
        return self.style in ("|", ">")

    @property
    def tag(self) -> str:
        """What a YAML 1.1 reader makes of it: str, int, float, bool, null, date, map, list, alias."""
        if self._tag is None:
            if self.kind != "scalar":
                self._tag = self.kind
            elif self.given_tag is not None:
                self._tag = _GIVEN.get(self.given_tag, "str")
            else:
                self._tag = resolve(self.value) if self.style == "" else "str"
        return self._tag

    @property
    def is_text(self) -> bool:
        """Whether it is a scalar that is neither null nor blank, whatever type readers give it."""
        return self.kind == "scalar" and self.tag != "null" and not self.value.isspace() and self.value != ""

    @property
    def whole(self) -> Span:
        """From the start of its key, if it has one, to the end of its value."""
        return Span(self.key.span.start if self.key else self.span.start, self.span.end)

    def get(self, name: str) -> Node | None:
        """The value of a key of a map (the last one where the key is repeated), else None."""
        found = None
        for item in self.items:
            if item.key is not None and item.key.value == name:
                found = item
        return found

    def __getitem__(self, name: str) -> Node:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def walk(self) -> Iterator[Node]:
        """This node and all below it, keys left out, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.items))


def resolve(value: str) -> str:
    """What YAML 1.1 as PyYAML reads it makes of a plain scalar: str, int, float, bool, null, date."""
    if value == "":
        return "null"
    first = value[0]
    if first in "0123456789-+.":
        if _INT.fullmatch(value):
            return "int"
        if _FLOAT.fullmatch(value):
            return "float"
        if first in "0123456789" and _DATE.fullmatch(value):
            return "date"
        return "str"
    if first in "yYnNtTfFoO~":
        if value in ("~", "null", "Null", "NULL"):
            return "null"
        if _BOOL.fullmatch(value) and _MIXED_CASE.fullmatch(value):
            return "bool"
    return "str"


class Fault(NamedTuple):
    """Why a text could not be read as a tree: `kind` "syntax", "depth" or "documents".

    `span` is where the parser stopped, `context` the offset where that which it was reading
    began (an open quote, a bracket, a line without a colon). `detail` is the parser's own
    words, for telling causes apart; messages to users are written by the rules.
    """

    kind: str
    span: Span
    detail: str = ""
    context: int | None = None


_DIFFERS = Fault("differs", Span(0, 0))
"""Inside this module: the two parsers read a text differently, the pure one has to."""


def yaml_tree(source: str, base: int = 0, loader: Any = LOADER) -> tuple[Node | None, Fault | None]:
    """Read one YAML document; `base` is the offset of `source` in its document.

    Returns the root (None for an empty document or a fault) and the fault, if any.
    """
    if loader is not yaml.SafeLoader and _is_read_differently(source):
        loader = yaml.SafeLoader
    try:
        root, fault = _build(source, base, loader)
    except (yaml.YAMLError, ValueError, OverflowError, IndexError) as error:
        # chr() refuses "\\UFFFFFFFF" in the pure scanner; the binding of libyaml encodes first
        if loader is yaml.SafeLoader:
            return None, _fault(error, source, base)
        fault = _DIFFERS
    return yaml_tree(source, base, yaml.SafeLoader) if fault is _DIFFERS else (root, fault)


def _is_read_differently(source: str) -> bool:
    """Whether a text holds what the two parsers are known to read differently."""
    return (
        "\t" in source
        or "\ufeff" in source
        or ("!" in source and _TAG_START.search(source) is not None)
        or ("#" in source and _BLOCK_COMMENT.search(source) is not None)
    )


def _fault(error: Exception, source: str, base: int) -> Fault:
    context = None
    detail = str(error)
    if isinstance(error, yaml.reader.ReaderError):
        at, detail = int(error.position), error.reason
    elif isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        at = mark.index if mark else 0
        context = base + error.context_mark.index if error.context_mark else None
        detail = f"{error.context or ''}: {error.problem or ''}"
    else:
        found = _HUGE_ESCAPE.search(source)
        at, detail = (found.start() + 1, "found unknown escape character 'U'") if found else (0, detail)
    at = base + min(at, len(source))
    return Fault("syntax", Span(at, min(at + 1, base + len(source))), detail, context)


def _build(source: str, base: int, loader: Any) -> tuple[Node | None, Fault | None]:
    root: Node | None = None
    stack: list[Node] = []
    parent: Node | None = None
    pending: Node | None = None  # a key that waits for its value
    keys: list[Node | None] = []
    pure = loader is yaml.SafeLoader
    next_event = loader(source).get_event
    while (name := type(event := next_event())) is not yaml.StreamEndEvent:
        start = event.start_mark.index
        if name is yaml.ScalarEvent:
            style = event.style or ""
            value = event.value
            end = event.end_mark.index
            if style == "":
                in_flow = parent is not None and parent.style == "flow"
                if in_flow and not pure and ("?" in value or (value == "" and pending is None)):
                    return None, _DIFFERS
                if value == "":
                    if pending is not None and event.anchor is None and event.tag is None:
                        start = end = _behind_colon(source, pending.span.end - base, start)
                elif source[end - 1] in _BLANKS:
                    end = start + len(source[start:end].rstrip(_BLANKS))
            elif style == '"':
                if _SURROGATE.search(value):
                    value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            elif style != "'":
                end = start + len(source[start:end].rstrip(_BLANKS))
            node = Node("scalar", value, style, _span(Span, (base + start, base + end)))
        elif name is yaml.MappingStartEvent:
            node = Node("map", "", "flow" if event.flow_style else "", Span(base + start, base + start))
        elif name is yaml.SequenceStartEvent:
            node = Node("list", "", "flow" if event.flow_style else "", Span(base + start, base + start))
        elif name is yaml.AliasEvent:
            node = Node("alias", event.anchor, "*", Span(base + start, base + event.end_mark.index))
        elif name is yaml.MappingEndEvent or name is yaml.SequenceEndEvent:
            node = stack.pop()
            pending = keys.pop()
            parent = stack[-1] if stack else None
            if node.style == "flow":
                end = base + event.end_mark.index
            else:
                end = max(node.items[-1].span.end, node.span.start) if node.items else node.span.start
            node.span = Span(node.span.start, end)
            continue
        elif name is yaml.DocumentStartEvent and root is not None:
            at = base + start
            return root, Fault("documents", Span(at, min(at + 3, base + len(source))))
        else:
            continue
        if name is not yaml.AliasEvent:
            node.anchor = event.anchor
            node.given_tag = event.tag
        if parent is None:
            root = node
        elif parent.kind == "list":
            parent.items.append(node)
        elif pending is None:
            pending = node
        else:
            node.key = pending
            parent.items.append(node)
            pending = None
        if node.kind == "map" or node.kind == "list":
            if len(stack) >= MAX_DEPTH:
                return None, Fault("depth", Span(node.span.start, node.span.start + 1))
            # a collection used as a key leaves `pending` set to itself
            keys.append(pending)
            stack.append(node)
            parent = node
            pending = None
    return root, None


def _behind_colon(source: str, key_end: int, otherwise: int) -> int:
    """Where an empty value stands: right behind its colon (the parsers' marks differ in flow style)."""
    while source.startswith((" ", "\t"), key_end):
        key_end += 1
    return key_end + 1 if source.startswith(":", key_end) else otherwise
