"""pyromark's events to what rules look at: headings, links, code, HTML, blocks, all with spans.

The dialect is CommonMark with the extensions of GitHub; it is chosen here and nowhere else.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import pyromark

from agentskills_lint.model import Span

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
MARKDOWN = pyromark.Markdown(options=_OPTIONS)

Place: TypeAlias = dict[str, int]
"""The start and end of an event."""

_PLAIN = re.compile(r"[^ \t\r\n()\\]*")
_MARKER = r"\s*([-*+]|[0-9]{1,9}[.)])(?:[ \t]+|[ \t]*(?:\r\n|\r|\n)[ \t]*)?"
_QUOTES = frozenset({"BlockQuote", "FootnoteDefinition"})
_BLOCKS = frozenset({"List", "BlockQuote", "CodeBlock", "Heading", "HtmlBlock", "Table"})
"""Blocks that end the text with which a list item begins."""
_NO_LANGUAGE = str.maketrans(",{}", "   ")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Heading(NamedTuple):
    """`span` covers the heading from its marker to its end, `text` is without markup."""

    level: int
    text: str
    span: Span


class Link(NamedTuple):
    """A link or image. `href` is decoded as CommonMark does, percent escapes kept.

    kind: "inline", "reference", "autolink" or "email"; `target` is the span of the destination
    alone (for a reference: in its definition), `text` that of the link text without markup.
    """

    href: str
    kind: str
    image: bool
    span: Span
    target: Span
    text: str


class Target(NamedTuple):
    """A file or folder that a link names by a relative path.

    `written` is the destination before query and fragment; `paths` are its readings: decoded,
    letter by letter where that differs, and whole, since names may hold `#` and `?`.
    """

    link: Link
    written: str
    paths: tuple[str, ...]
    fragment: str

    @property
    def path(self) -> str:
        """The path that the link names, normalised."""
        return posixpath.normpath(self.paths[0])

    @property
    def leaves(self) -> bool:
        """Whether the path leads out of the folder that it is relative to."""
        return self.path == ".." or self.path.startswith("../")


class CodeBlock(NamedTuple):
    """A fenced or indented code block. `info` is the info string ("" when indented).

    `content` is the code without the prefixes of lists and quotes; `lines` gives, for each piece of
    it that stands in one run in the document, (offset in the content, offset in the document);
    `opening` is the span of the opening fence, `closed` whether a closing fence ends it.
    """

    info: str
    content: str
    span: Span
    lines: tuple[tuple[int, int], ...]
    opening: Span
    closed: bool
    fenced: bool

    @property
    def language(self) -> str:
        """The first word of the info string, lower case."""
        words = self.info.translate(_NO_LANGUAGE).split()
        return words[0].lower().lstrip(".") if words else ""

    def offset(self, index: int) -> int:
        """The document offset of an index into `content`."""
        at = bisect_right(self.lines, (index, 1 << 62)) - 1
        return self.lines[at][1] + index - self.lines[at][0] if at >= 0 else self.span.start


class Piece(NamedTuple):
    """A code span or a piece of HTML: its text and where it stands, delimiters included."""

    text: str
    span: Span


class ListItem(NamedTuple):
    """An item of a list that stands in no quote; all spans are within its document.

    `head` is the text that follows the `marker` up to the first block within, `list` tells the
    items of one list from those of another, `depth` is 0 at the top, `box` says whether the
    head begins with a task box.
    """

    span: Span
    marker: Span
    head: Span
    list: int
    depth: int
    box: bool


class Markdown:
    """The parsed body of a document. All spans are code points into the document.

    html: whole HTML blocks, and the single tags and comments within paragraphs.
    """

    __slots__ = (
        "_base", "_blocks", "_code_spans", "_definitions", "_places", "_shadow", "_source", "_spans", "_targets",
        "_tops", "code", "headings", "html", "links",
    )  # fmt: skip

    def __init__(self, source: str, base: int = 0) -> None:
        """Parse `source`, which stands at offset `base` of its document."""
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.code: list[CodeBlock] = []
        self.html: list[Piece] = []
        self._tops: list[tuple[Any, Place]] = []
        self._blocks: list[tuple[str, Span]] | None = None
        self._code_spans: list[Place] = []
        self._spans: list[Piece] | None = None
        self._definitions: dict[str, Place] | None = None
        self._targets: list[Target | None] | None = None
        self._source = source
        self._base = base
        # pyromark counts bytes. With a comma, which means nothing in Markdown, for every character
        # that is not ASCII, bytes are code points, and nothing but the flanks of emphasis changes.
        self._shadow = source
        self._places: Callable[[Place], Place] | None = None
        if not source.isascii():
            if "<?" in source or _has_foreign_label(source):
                self._places = _code_points(source)
            else:
                self._shadow = source.encode("ascii", "replace").replace(b"?", b",").decode()
        self._read()
        if len(self.links) > 1:
            self.links.sort(key=lambda link: link.span)

    @property
    def blocks(self) -> list[tuple[str, Span]]:
        """The top-level blocks in order; kind is pyromark's name in lower case, such as "paragraph"."""
        if self._blocks is None:
            kinds = [begun if type(begun) is str else next(iter(begun)) for begun, _ in self._tops]
            spans = [self._span(where) for _, where in self._tops]
            self._blocks = [(kind.lower(), span) for kind, span in zip(kinds, spans, strict=True)]
        return self._blocks

    @property
    def spans(self) -> list[Piece]:
        """The code spans; `text` is what stands between the backticks."""
        if self._spans is None:
            self._spans = [self._piece(where) for where in self._code_spans]
        return self._spans

    @property
    def targets(self) -> list[Target | None]:
        """What each of the links names, in their order; None where that is no relative path."""
        if self._targets is None:
            self._targets = [target_of(link) for link in self.links]
        return self._targets

    def list_items(self) -> list[ListItem]:
        """The items of all lists outside of quotes and footnotes, in order; reads the text once more."""
        found: list[ListItem] = []
        lists: list[int] = []
        opened: list[list[Any]] = []  # of each open item: its place in `found`, the end of its head, has it a box
        quotes = 0
        for event, where in self._events():
            begun = event.get("Start") if type(event) is dict else None
            ended = event.get("End") if type(event) is dict else None
            kind = begun if begun is None or type(begun) is str else next(iter(begun))
            if kind in _QUOTES:
                quotes += 1
            elif ended is not None and (ended if type(ended) is str else next(iter(ended))) in _QUOTES:
                quotes -= 1
            if kind in _BLOCKS and opened and opened[-1][1] is None:
                opened[-1][1] = where["start"]
            if quotes:
                continue
            if kind == "List":
                lists.append(where["start"])
            elif type(ended) is dict and "List" in ended:
                lists.pop()
            elif kind == "Item":
                opened.append([len(found), None, False])
                found.append(self._item(where, lists))
            elif type(event) is dict and "TaskListMarker" in event and opened:
                opened[-1][2] = True
            elif ended == "Paragraph" and opened and opened[-1][1] is None:
                opened[-1][1] = where["end"]
            elif ended == "Item":
                index, end, box = opened.pop()
                item = found[index]
                stop = where["end"] if end is None else max(end, item.head.start - self._base)
                text = self._source[item.head.start - self._base : stop]
                head = Span(item.head.start, item.head.start + len(text.rstrip()))
                found[index] = item._replace(head=head, box=box)
        return found

    def _item(self, where: Place, lists: list[int]) -> ListItem:
        marker = re.compile(_MARKER).match(self._source, where["start"], where["end"])  # skills need it not at all
        start, end, head = (marker.start(1), marker.end(1), marker.end()) if marker else (where["start"],) * 3
        text = self._source[start : where["end"]].rstrip()
        base = self._base
        return ListItem(
            Span(base + start, base + start + len(text)), Span(base + start, base + end),
            Span(base + head, base + head), base + lists[-1], len(lists) - 1, False,
        )  # fmt: skip

    def in_code(self, offset: int) -> bool:
        """Whether a document offset lies in a code block or a code span."""
        return _inside(self.code, offset) or _inside(self.spans, offset)

    def _events(self) -> Iterator[tuple[Any, Place]]:
        events: Any = MARKDOWN.events_with_range(self._shadow, merge_text=True)
        if self._places is None:
            return iter(events)
        places = self._places
        return ((event, places(where)) for event, where in events)

    def _span(self, where: Place) -> Span:
        return Span(self._base + where["start"], self._base + where["end"])

    def _piece(self, where: Place) -> Piece:
        return Piece(self._source[where["start"] : where["end"]].strip("`").strip(), self._span(where))

    def _text(self, event: dict[str, str], where: Place) -> str:
        if self._shadow is self._source:
            return event["Text"]
        return unescape(self._source[where["start"] : where["end"]])

    def _read(self) -> None:
        spans, tops = self._code_spans, self._tops
        block_end = 0
        html = "<" in self._source
        events = self._events()
        for event, where in events:
            if "Start" in event:
                begun = event["Start"]
                if where["start"] >= block_end and where["end"] > block_end:
                    block_end = where["end"]
                    tops.append((begun, where))
                if type(begun) is str:
                    if begun == "HtmlBlock":
                        self._html(where)
                elif "Heading" in begun:
                    # nearly every heading is a text and no more
                    first = next(events)
                    last = next(events) if "Text" in first[0] else None
                    if last is not None and "End" in last[0]:
                        self._heading(last, self._text(*first))
                    else:
                        self._gather(chain([first] if last is None else [first, last], events), begun, where)
                elif "Link" in begun or "Image" in begun:
                    self._gather(events, begun, where)
                elif "CodeBlock" in begun:
                    inner, place = next(events)
                    self._code_block(begun["CodeBlock"], where, inner.get("Text", ""), place)
            elif "Code" in event:
                spans.append(where)
            elif html and "InlineHtml" in event:
                self._html(where)

    def _html(self, where: Place) -> None:
        self.html.append(Piece(self._source[where["start"] : where["end"]], self._span(where)))

    def _gather(self, events: Iterator[tuple[Any, Place]], begun: dict[str, Any], where: Place) -> None:
        """Read a heading or link to its end, with the links and code spans within."""
        words: list[str] = []
        opened = [(begun, 0)]
        last_end = where["start"]
        for event, place in events:
            if "Text" in event:
                words.append(self._text(event, place))
            elif "Start" in event:
                if type(event["Start"]) is dict:
                    opened.append((event["Start"], len(words)))
                last_end = place["start"]
                continue
            elif "Code" in event:
                self._code_spans.append(place)
                words.append(self._piece(place).text)
            elif "InlineHtml" in event:
                self._html(place)
            elif "End" in event:
                ended = event["End"]
                if ended == "Link" or ended == "Image":
                    inner, first = opened.pop()
                    self._link(place, inner[ended], ended == "Image", last_end, "".join(words[first:]))
                elif type(ended) is dict:
                    opened.pop()
                    self._heading((event, place), "".join(words))
                if not opened:
                    return
            elif event == "SoftBreak" or event == "HardBreak":
                words.append(" ")
            last_end = place["end"]

    def _heading(self, ended: tuple[Any, Place], text: str) -> None:
        event, place = ended
        start = self._base + place["start"]
        span = Span(start, start + len(self._source[place["start"] : place["end"]].rstrip()))
        self.headings.append(Heading(int(event["End"]["Heading"][1]), text.strip(), span))

    def _link(self, where: Place, link: dict[str, str], image: bool, text_end: int, text: str) -> None:
        span, href, kind = self._span(where), link["dest_url"], link["link_type"]
        if kind == "Autolink" or kind == "Email":
            target = Span(span.start + 1, span.end - 1)
            href = self._source[where["start"] + 1 : where["end"] - 1]
        else:
            start, end = text_end, where["end"]
            if kind != "Inline":
                kind = "reference"
                start, end = self._definition(link["id"])
            opening = self._shadow.find("](" if kind == "Inline" else "]:", start, end)
            start, end = destination(self._shadow, opening + 2, end) if opening >= 0 else (start, start)
            if unescape(self._shadow[start:end]) == href:
                target = Span(self._base + start, self._base + end)
                href = unescape(self._source[start:end])
            else:  # the prefix of a quote or list stands in between
                target = span
        self.links.append(Link(href, kind.lower(), image, span, target, text))

    def _definition(self, label: str) -> tuple[int, int]:
        """Where the definition of a reference link stands."""
        if self._definitions is None:
            found: Any = MARKDOWN.reference_definitions(self._shadow)
            self._definitions = {}
            for name, definition in found.items():
                where = definition["span"] if self._places is None else self._places(definition["span"])
                self._definitions.setdefault(_folded(name), where)
        where = self._definitions.get(_folded(label), {"start": 0, "end": 0})
        return where["start"], where["end"]

    def _code_block(self, kind: str | dict[str, str], where: Place, content: str, place: Place) -> None:
        span = self._span(where)
        written = self._source[place["start"] : place["end"]] if content else ""
        lines: tuple[tuple[int, int], ...] = ((0, self._base + place["start"]),) if content else ()
        if len(written) == len(content):
            content = written
        else:
            content, lines = _without_prefixes(written, content, self._base + place["start"])
        if kind == "Indented":
            self.code.append(CodeBlock("", content, span, lines, span, True, False))
            return
        end = self._source.find("\n", where["start"], where["end"])
        first_line = self._source[where["start"] : end if end >= 0 else where["end"]].rstrip()
        marker = first_line[0] * 3
        info = first_line.lstrip(marker[0]).strip()
        rest = self._shadow[place["end"] if content else where["start"] + len(first_line) : where["end"]]
        opening = Span(span.start, span.start + len(first_line))
        self.code.append(CodeBlock(unescape(info), content, span, lines, opening, marker in rest, True))


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _without_prefixes(written: str, content: str, offset: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The code of a block as it stands in a list or quote, or between carriage returns, without them.

    `content` is the parser's view of the code; each of its lines is the end of a written line.
    """
    code: list[str] = []
    lines: list[tuple[int, int]] = []
    length = 0
    for line, seen in zip(_LINE.findall(written), content.split("\n"), strict=False):
        text = line.rstrip("\r\n")
        start = max(len(text) - len(seen), 0)
        lines.append((length, offset + start))
        code.append(text[start:] + ("\n" if line != text else ""))
        length += len(code[-1])
        offset += len(line)
    return "".join(code), tuple(lines)


_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|(&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)")


def unescape(text: str) -> str:
    """Take back the backslash escapes and entities of CommonMark (2.4 and 2.5)."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text or "&" in text else text


def _unescaped(match: re.Match[str]) -> str:
    from html import unescape as entity

    return match[1] or entity(match[2])


def _inside(pieces: list[Any], offset: int) -> bool:
    index = bisect_right(pieces, offset, key=lambda piece: piece.span.start) - 1
    return index >= 0 and offset < pieces[index].span.end


def _has_foreign_label(source: str) -> bool:
    """Whether a link or footnote may be defined under a label that is not ASCII."""
    end = source.find("]:")
    while end >= 0:
        start = source.rfind("[", max(0, end - 999), end)
        if start >= 0 and not source[start:end].isascii():
            return True
        end = source.find("]:", end + 2)
    return False


def _code_points(source: str) -> Callable[[Place], Place]:
    """A function that makes places in code points of places in UTF-8 bytes."""
    raw = source.encode()
    bytes_at = [0]
    chars_at = [0]
    for line in raw.split(b"\n"):
        bytes_at.append(bytes_at[-1] + len(line) + 1)
        chars_at.append(chars_at[-1] + (len(line) if line.isascii() else len(line.decode())) + 1)

    def offset(at: int) -> int:
        line = bisect_right(bytes_at, at) - 1
        start = bytes_at[line]
        return chars_at[line] + (len(raw[start:at].decode()) if at > start else 0)

    return lambda where: {"start": offset(where["start"]), "end": offset(where["end"])}


def target_of(link: Link) -> Target | None:
    """What a link names, None where that is no relative path."""
    href = link.href
    if not href or href[0] in "#?/" or link.kind in ("email", "autolink") or "\\" in href or _has_scheme(href):
        return None
    written = href.partition("#")[0].partition("?")[0]
    return Target(link, written, readings(written, href), href.partition("#")[2]) if written else None


def _has_scheme(href: str) -> bool:
    """Whether a destination begins with a scheme or a drive letter."""
    head, colon, rest = href.partition(":")
    if not colon or not head.isascii() or not head[:1].isalpha():
        return False
    return rest[:1] == "/" if len(head) == 1 else all(char.isalnum() or char in "+-." for char in head)


def readings(written: str, href: str) -> tuple[str, ...]:
    """The paths that a destination may name; `written` is the part before query and fragment."""
    if "%" not in href:
        return (written,) if written == href else (written, href)
    return tuple(dict.fromkeys((unquoted(written), written, unquoted(href), href)))


def unquoted(text: str) -> str:
    """The text with its percent escapes decoded."""
    if "%" not in text:
        return text
    from urllib.parse import unquote  # it imports ipaddress, and few links need it

    return unquote(text)


def destination(source: str, start: int, end: int) -> tuple[int, int]:
    """Where the link destination that begins at or after `start` stands (CommonMark 6.3)."""
    while start < end and source[start] in " \t\r\n":
        start += 1
    if source.startswith("<", start):
        close = source.find(">", start, end)
        return start + 1, close if close >= 0 else end
    at = _PLAIN.match(source, start, end).end()  # type: ignore[union-attr]
    if at == end or source[at] not in "(\\":
        return start, at
    depth, at = 0, start
    while at < end:
        char = source[at]
        if char == "\\":
            at += 1
        elif char in " \t\r\n" or (char == ")" and depth == 0):
            break
        elif char in "()":
            depth += 1 if char == "(" else -1
        at += 1
    return start, min(at, end)
