"""Why a frontmatter is no YAML: the cause, its place, what to type; told from the source lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from agentskills_lint.documents import Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Span
from agentskills_lint.specs import CLIENT_FIELDS, SPECS
from agentskills_lint.trees import Fault, yaml_tree
from agentskills_lint.wording import quoted, shown

_LINE = lazy(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ENTRY_START = lazy(r"[ ]*(?:-[ ]+)*")
_QUOTED = lazy(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")
_COLON = lazy(r":(?=[ \t]|$)")
_LOST_COLON = lazy(
    r"(?P<indent>[ ]*(?:-[ ]+)*)(?P<key>[A-Za-z_][\w.-]*)[ ]?"
    r"(?P<colon>:(?![\s:/\\])|:[\u00a0\u2000-\u200b\u202f\u205f\u3000]+|[\uff1a\ufe55\ufe13\ua789][ ]*|[ ]?=[ ]*)"
    r"(?P<value>.*)"
)
_FIRST_WORD = lazy(r"[A-Za-z_][\w-]*(?=[ \t]|$)", re.A)
_LAST_WORD = lazy(r"[A-Za-z_][\w-]*\Z", re.A)
_FIELD = lazy(r"[a-z][a-z0-9_-]*")
_COMMENT = lazy(r"[ \t]#")
_MOJIBAKE = lazy("[\ufffd\x80-\x9f\ue000-\uf8ff]")
_OPENERS = frozenset("\"'`([{<*/\\\u201c\u2018\u00ab")
_TYPOGRAPHIC = "\u201c\u201d\u201e\u2018\u2019\u00ab"
_HIDDEN_BREAK = lazy("[\x85\u2028\u2029]")
_BLANKS = lazy(r"[ \t]*")
_ITEM = lazy(r"[^,\]}\r\n]*")
_HEX = lazy(r"[0-9a-fA-F]*")
_ESCAPED = lazy(r"\\(?!\")")

_FIELDS = frozenset().union(*(spec.fields for spec in SPECS.values()), CLIENT_FIELDS) | {
    "author", "origin", "tags", "category", "title", "source", "triggers", "type", "keywords",
}  # fmt: skip
_TEXT_FIELDS = frozenset({"name", "description", "when_to_use", "argument-hint", "compatibility", "license"})


class Entry(NamedTuple):
    """`key: value` on one line; all places are offsets into the document, `column` counts from 0."""

    column: int
    key: str
    key_start: int
    colon: int
    value_start: int
    value: str


class Line(NamedTuple):
    """A line of the frontmatter, without its end."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset behind the last character that is no blank."""
        return self.start + len(self.text.rstrip(" \t"))

    @property
    def first(self) -> int:
        """The offset of the first character that is no blank."""
        return self.start + len(self.text) - len(self.text.lstrip(" \t"))

    @property
    def indent(self) -> int:
        """How many blanks the line starts with."""
        return self.first - self.start

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing, or nothing but a comment."""
        return self.text.lstrip(" \t")[:1] in ("", "#")

    @property
    def entry(self) -> Entry | None:
        """Its key and value, where it has a colon that YAML takes for one."""
        text = self.text
        start = _ENTRY_START.match(text).end()  # type: ignore[union-attr]
        if text.startswith(("#", "[", "{"), start):
            return None
        key = _QUOTED.match(text, start)
        if key is not None:
            behind = _BLANKS.match(text, key.end()).end()  # type: ignore[union-attr]
            colon = _COLON.match(text, behind)
            name = key[0][1:-1]
        else:
            colon = _COLON.search(text, start)
            name = text[start : colon.start()].rstrip() if colon is not None else ""
        if colon is None or not name or _COMMENT.search(text, start, colon.start()):
            return None
        behind = len(text) - len(text[colon.end() :].lstrip(" \t"))
        value = text[behind:].rstrip()
        return Entry(start, name, self.start + start, self.start + colon.start(), self.start + behind, value)


class Block:
    """The frontmatter of a skill, line by line, and where the parser stopped."""

    def __init__(self, skill: Skill, content: Span, fault: Fault) -> None:
        """`content` is what stands between the fences, `fault` why it could not be read."""
        self.skill = skill
        self.source = skill.source
        self.content = content
        self.fault = fault
        self.at = fault.span.start
        self.lines = [
            Line(found.start(), found[0].rstrip("\r\n"))
            for found in _LINE.finditer(skill.source, *self.content)
            if found.end() > found.start()
        ] or [Line(self.content.start, "")]
        self.index = self.index_of(self.at)

    @property
    def line(self) -> Line:
        """The line on which the parser stopped."""
        return self.lines[self.index]

    def index_of(self, offset: int) -> int:
        """The index of the line that holds an offset; the last one for an offset behind the block."""
        return next((i for i, line in enumerate(self.lines) if offset < line.start), len(self.lines)) - 1

    @property
    def keys(self) -> set[str]:
        """The keys of all lines, nested ones included."""
        return {entry.key for line in self.lines if (entry := line.entry) is not None}

    def before(self, index: int) -> Iterator[tuple[int, Line]]:
        """The lines with content above a line, from the nearest."""
        for i in range(index - 1, -1, -1):
            if not self.lines[i].is_empty:
                yield i, self.lines[i]

    def owner(self, index: int) -> tuple[int, Entry] | None:
        """The entry above a line that is indented less: the line may belong to its value."""
        indent = self.lines[index].indent
        for i, line in self.before(index):
            if line.indent < indent:
                return (i, line.entry) if line.entry is not None else None
        return None

    def value_span(self, index: int, entry: Entry) -> tuple[Span, bool]:
        """Where the value of an entry stands, its wrapped lines included; whether it has any."""
        end = entry.value_start + len(entry.value)
        wrapped = False
        for line in self.lines[index + 1 :]:
            if line.text.strip(" \t") and line.indent <= entry.column:
                break
            if line.text.strip(" \t"):
                end, wrapped = line.end, True
        return Span(entry.value_start, end), wrapped

    def token(self, start: int) -> Span:
        """From an offset to the end of its line."""
        return Span(start, max(self.lines[self.index_of(start)].end, min(start + 1, len(self.source))))

    def mends(self, edits: Iterable[Edit]) -> bool:
        """Whether the parser gets past the edited places, so that a fix leads somewhere."""
        text, shift = self.source[self.content.start : self.content.end], self.content.start
        end = grown = 0
        for edit in sorted(edits, reverse=True):
            text = text[: edit.start - shift] + edit.text + text[edit.end - shift :]
            end = max(end, edit.end - shift)
            grown += len(edit.text) - (edit.end - edit.start)
        _, fault = yaml_tree(text)
        return fault is None or fault.span.start >= end + grown

    def fix(self, title: str, *edits: Edit, safe: bool = False) -> Fix | None:
        """A fix, if it mends something."""
        return Fix(title, edits, safe) if edits and self.mends(edits) else None

    def quote(self, span: Span, safe: bool = False) -> Fix | None:
        """Put quotes around what stands at a span, so that readers get it as it is written."""
        text = self.source[span.start : span.end]
        style = "'" if '"' in text or "\\" in text else '"'
        if "\n" not in text and "\r" not in text:
            written = quoted(text, style)
        else:
            written = style + (text.replace("'", "''") if style == "'" else text) + style
        return self.fix("put the value in quotes", Edit(*span, written), safe=safe)


def diagnose(skill: Skill) -> Problem | None:
    """What keeps the frontmatter from being read as YAML, None where the parser is content."""
    if skill.fences is None:
        return None
    if skill.fault is None:
        content = skill.fences.content
        front = skill.source[content.start : content.end]
        return _collection_as_key(skill) if "{" in front or "[" in front or "? " in front else None
    if skill.fault.kind not in ("syntax", "documents"):
        return None
    block = Block(skill, skill.fences.content, skill.fault)
    found = _cause(block) or _unknown(block)
    return found._replace(hint=None if found.fix is not None else found.hint or "put the value in quotes")


def _cause(block: Block) -> Problem | None:
    if block.fault.kind == "documents":
        return Problem(
            block.token(block.at),
            "a second YAML document starts here; the frontmatter is one",
            hint="write '---' alone on a line to close the frontmatter, or put the text in quotes",
        )
    for line in (block.line, block.lines[block.index_of(block.fault.context or block.at)]):
        hidden = _HIDDEN_BREAK.search(line.text)
        if hidden is not None:
            start = line.start + hidden.start()
            return Problem(
                Span(start, start + 1),
                f"U+{ord(hidden[0]):04X} ends the line to YAML, though editors show none of it",
                block.fix("write a blank", Edit(start, start + 1, " ")),
                hint="write a blank in its place",
            )
    for words, cause in _CAUSES:
        if words in block.fault.detail:
            found = cause(block)
            if found is not None:
                return found
    return None


def _unknown(block: Block) -> Problem:
    if block.at >= block.content.end or not block.source[block.at : block.line.end]:
        last = next((line for _, line in block.before(len(block.lines))), block.lines[-1])
        return Problem(Span(last.first, max(last.end, last.first + 1)), "the YAML ends too early behind this line")
    token = block.token(block.at)
    return Problem(
        token,
        f"the frontmatter cannot be read as YAML from {shown(block.source[token.start : token.end], 30)} on",
        hint="put the value in quotes, or write it below its key after '>-', indented",
    )


def lost_colon(line: Line) -> Problem | None:
    """A line whose colon YAML does not see: no blank, a wrong blank or a wrong colon."""
    found = _LOST_COLON.fullmatch(line.text)
    if found is None or line.entry is not None:
        return None
    key, colon = found["key"], found["colon"]
    span = Span(line.start + found.start("colon"), line.start + found.end("colon"))
    if colon == ":":
        what = f"no blank follows the colon of {shown(key)}, so that YAML sees one word"
    elif "=" in colon:
        what = f"{shown(key)} is set with '='; YAML wants a colon and a blank"
    elif colon.startswith(":"):
        what = f"a no-break space (U+{ord(colon[1]):04X}) follows the colon of {shown(key)}; YAML wants a blank"
    else:
        what = f"{shown(key)} is followed by U+{ord(colon[0]):04X}, which only looks like a colon"
    edits = (Edit(line.start + found.end("key"), span.end, ": " if found["value"] else ":"),)
    return Problem(span, what, Fix(f"write '{key}: '", edits, False))


def first_line(skill: Skill, content: Span) -> Line:
    """The first line of the frontmatter that holds something."""
    block = Block(skill, content, Fault("", content))
    return next((line for line in block.lines if not line.is_empty), block.lines[0])


def _collection_as_key(skill: Skill) -> Problem | None:
    for parent in skill.root.walk() if skill.root is not None else ():
        for node in parent.items:
            key = node.key
            if key is None or key.kind not in ("map", "list"):
                continue
            line = skill.text.line_at(key.span.start)
            where = Span(key.span.start, min(key.span.end, skill.text.offset(line) + len(skill.text.line(line))))
            written = skill.source[parent.span.start : parent.span.end]
            if not written.startswith("{{"):
                message = "a list or mapping is used as a key, which most readers refuse"
                return Problem(where, message, hint="write plain text as the key")
            where = Span(parent.span.start, min(parent.span.end, skill.text.offset(line) + len(skill.text.line(line))))
            edit = Edit(*parent.span, quoted(written, "'" if '"' in written else '"'))
            fix = Fix("put the value in quotes", (edit,), False) if "\n" not in written else None
            return Problem(where, "a placeholder in braces is a mapping to YAML; put the value in quotes", fix)
    return None


def _colon(block: Block) -> Problem | None:
    """A colon that YAML takes for that of a key, where there can be none."""
    entry = block.line.entry
    if entry is not None and entry.colon == block.at:
        return _misplaced_key(block, entry)
    if entry is not None and entry.colon < block.at:
        if entry.value[:1] in ("'", '"'):
            return _left_over(block, entry)
        if entry.value[:1] in ("[", "{"):
            return _quote_value(
                block, block.index, entry, block.at, "a second ': ' stands inside one entry in brackets"
            )
        return _joined_lines(block, entry) or _colon_in_value(block, block.index, entry)
    owner = block.owner(block.index)
    if owner is not None and owner[1].value:
        return _colon_in_value(block, *owner)
    return None


def _colon_in_value(block: Block, index: int, entry: Entry) -> Problem:
    span, wrapped = block.value_span(index, entry)
    where = Span(block.at, block.at + 1)
    text = block.source[span.start : span.end]
    what = f"the unquoted value of {shown(entry.key)} holds ': ', which YAML takes for the end of a key"
    if entry.value[:1] in _TYPOGRAPHIC:
        what += "; typographic quotes do not quote"
    if wrapped and re.search(r"[\r\n][ \t]*- ", text):
        return Problem(where, what, hint=f"write '{entry.key}: >-' and the text on the lines below, indented")
    fix = block.quote(span, safe=not wrapped and _COMMENT.search(text) is None)
    return Problem(where, f"{what}; put the whole value in quotes", fix)


def _joined_lines(block: Block, entry: Entry) -> Problem | None:
    """Two entries on one line: the line break between them was lost."""
    word = _LAST_WORD.search(block.source, entry.value_start, block.at)
    if word is None or word.start() <= entry.value_start:
        return None
    before = block.source[word.start() - 1]
    taken = block.keys
    mojibake = _MOJIBAKE.match(before) is not None
    if before in " \t":
        joined = word[0] in ("name", "description", "version", "license") and word[0] not in taken
    else:
        joined = mojibake or (
            not before.isalnum() and before not in _OPENERS and before not in "_-." and word[0] in _FIELDS
        )
        joined = joined or (before == "." and word[0] in _FIELDS and word[0] not in taken)
        joined = joined or (before > "\u2e80" and word[0] in _FIELDS)
    if not joined:
        return None
    newline = block.skill.text.newline + " " * entry.column
    end = word.start() - 1 if mojibake else word.start()
    end = entry.value_start + len(block.source[entry.value_start : end].rstrip(" \t"))
    cause = f" (a wrong conversion left U+{ord(before):04X} in its place)" if mojibake else ""
    return Problem(
        Span(word.start(), block.at + 1),
        f"{shown(word[0] + ':')} starts a new entry, but the line break before it is missing{cause}",
        block.fix("break the line", Edit(end, word.start(), newline)),
        hint=f"put '{word[0]}:' on a line of its own",
    )


def _misplaced_key(block: Block, entry: Entry) -> Problem | None:
    """A key at an indentation where there can be none, or below a line that is no entry."""
    above = next(block.before(block.index), None)
    if above is None:
        return None
    index, line = above
    if line.indent >= block.line.indent:
        owner = block.owner(block.index)
        if owner is None:
            return lost_colon(line) or _no_entry(block, index)
        index = owner[0]
        line = block.lines[index]
    parent = line.entry
    if parent is None:
        return lost_colon(line)
    if not parent.value:
        return None
    if _FIELD.fullmatch(entry.key) and (
        entry.key in _FIELDS or (parent.key not in _TEXT_FIELDS and len(parent.value) < 40)
    ):
        return Problem(
            Span(entry.key_start, entry.colon),
            f"{shown(entry.key)} is indented below {shown(parent.key)}, which has a value already",
            block.fix(f"indent it like '{parent.key}'", Edit(block.line.start, entry.key_start, " " * parent.column)),
            hint=f"indent it like {shown(parent.key)}, or take the value of {shown(parent.key)} away",
        )
    return _colon_in_value(block, index, parent)


def _no_colon(block: Block) -> Problem | None:
    """A line at the indentation of keys that has no colon."""
    context = block.fault.context
    return _no_entry(block, block.index_of(context)) if context is not None else None


_FOREIGN = (
    ("```", "a Markdown fence stands in the frontmatter", "take the line away; '---' lines are the fences"),
    ("<!--", "an HTML comment stands in the frontmatter", "YAML comments start with '#'"),
    ("//", "YAML comments start with '#', not with '//'", "write '#'"),
    ("* ", "list items start with '- ' in YAML, not with '* '", "write '- ' and indent the items below their key"),
    ("• ", "list items start with '- ' in YAML, not with '• '", "write '- ' and indent the items below their key"),
    ("**", "Markdown emphasis stands in the frontmatter", "write 'key: value' without asterisks"),
)


def _no_entry(block: Block, index: int) -> Problem | None:
    line = block.lines[index]
    text = line.text.strip(" \t")
    lost = lost_colon(line)
    if lost is not None:
        return lost
    where = Span(line.first, line.end)
    for start, message, hint in _FOREIGN:
        if text.startswith(start):
            return Problem(where, message, hint=hint)
    word = _FIRST_WORD.match(text)
    if word is not None and word[0] in _FIELDS and word[0] not in block.keys:
        end = line.first + word.end()
        return Problem(
            Span(line.first, end),
            f"no colon follows {shown(word[0])}",
            block.fix("write the colon", Edit(end, end, ":")),
            hint=f"write '{word[0]}: '",
        )
    above = next(
        ((i, above.entry) for i, above in block.before(index) if above.indent <= line.indent and above.entry), None
    )
    if text.startswith("-"):
        return Problem(
            Span(line.first, line.first + 1),
            "a list item needs a blank after its '-'",
            block.fix("write the blank", Edit(line.first + 1, line.first + 1, " ")),
            hint="write '- '",
        )
    if above is not None and above[1].column == line.indent and above[1].value[:1] not in ("'", '"', "[", "{"):
        key, edits = above[1].key, []
        if key == "name":  # names are one word: it is the key of this line that was lost
            return Problem(
                where, f"{shown(text, 40)} is no entry: it has no key", hint="write 'description: ' before it"
            )
        for other in block.lines[above[0] + 1 :]:
            if other.entry is not None and other.indent <= above[1].column:
                break
            if other.text.strip(" \t"):
                edits.append(Edit(other.start, other.start, "  "))
        return Problem(
            where,
            f"{shown(text, 40)} is no entry; a wrapped value of {shown(key)} must be indented",
            block.fix("indent the wrapped lines", *edits),
            hint="indent the line by two spaces",
        )
    return Problem(
        where, f"{shown(text, 40)} is neither 'key: value' nor the rest of a value", hint="write it as 'key: value'"
    )


def _behind_value(block: Block) -> Problem | None:
    """Something stands where the next entry should start."""
    line = block.line
    before = block.source[line.start : block.at].rstrip()
    entry = line.entry
    if before.strip(" -"):
        first = before.lstrip(" -")
        value = entry.value if entry is not None and entry.value_start < block.at else first
        if value[:1] in ("'", '"'):
            return _left_over(block, entry if value is not first else None)
        if value[:1] in ("[", "{"):
            return _behind_brackets(block, entry)
        if value[:1] in ("*", "&", "!"):
            return _indicator_at(block, block.source.index(value, line.start))
        return None
    owner = block.owner(block.index)
    if owner is not None and owner[1].value[:1] in ("|", ">"):
        text = shown(line.text.strip(" \t"), 40)
        return Problem(
            Span(line.first, line.end),
            f"{text} is indented less than the first line of the block of {shown(owner[1].key)}",
            hint="indent all lines of the block at least as far as its first line",
        )
    if block.source.startswith("- ", block.at):
        return _list_item(block)
    char = block.source[block.at : block.at + 1]
    if char and char in "]},:":
        where = Span(block.at, block.at + 1)
        if char in ",:":
            return Problem(where, f"nothing stands before {shown(char)}", hint="write 'key: value'")
        return _closes_nothing(block, where)
    cut = _cut_by_comment(block)
    if cut is not None:
        return cut
    if entry is not None:
        return _key_indentation(block, entry)
    return _no_entry(block, block.index)


def _list_item(block: Block) -> Problem:
    line = block.line
    above = next((other.entry for _, other in block.before(block.index) if other.indent <= line.indent), None)
    where = Span(block.at, block.at + 1)
    if above is not None and above.column == line.indent and above.value:
        return Problem(
            where,
            f"a list item follows {shown(above.key)}, which has a value already",
            hint=f"take the value of {shown(above.key)} away, or put the items below a key of their own",
        )
    return Problem(
        where, "this item is indented unlike the other items of its list", hint="indent all items of a list alike"
    )


def _cut_by_comment(block: Block) -> Problem | None:
    """A wrapped plain value that a ` #` ends before its last line."""
    index, above = next(block.before(block.index), (0, block.lines[0]))
    owner = (index, above.entry) if above.entry is not None else block.owner(index)
    comment = _COMMENT.search(above.text)
    if owner is None or comment is None or owner[1].value[:1] in ("", "'", '"', "|", ">", "[", "{"):
        return None
    if block.line.indent <= owner[1].column:
        return None
    start = above.start + comment.start() + 1
    return Problem(
        Span(start, above.end),
        f"' #' starts a comment, which ends the value of {shown(owner[1].key)} before its next line; put it in quotes",
        block.quote(block.value_span(*owner)[0]),
    )


def _key_indentation(block: Block, entry: Entry) -> Problem | None:
    columns: list[int] = []
    for _, line in block.before(block.index):
        other = line.entry
        if other is not None and other.column not in columns and (not columns or other.column < min(columns)):
            columns.append(other.column)
    if not columns:
        return Problem(
            Span(entry.key_start, entry.colon),
            f"{shown(entry.key)} follows list items; a list and keys cannot stand side by side",
            hint="put the list below a key of its own",
        )
    near = min(columns, key=lambda column: abs(column - entry.column))
    if near == entry.column:
        return None
    return Problem(
        Span(entry.key_start, entry.colon),
        f"{shown(entry.key)} is indented by {entry.column}, but the keys above it by {near}",
        block.fix(f"indent by {near}", Edit(block.line.start, entry.key_start, " " * near)),
        hint="indent all keys of a mapping alike",
    )


def _left_over(block: Block, entry: Entry | None) -> Problem | None:
    """Text behind a closing quote."""
    start = (
        entry.value_start
        if entry is not None
        else block.line.first + len(block.line.text.lstrip()) - len(block.line.text.lstrip(" -"))
    )
    mark = block.source[start]
    end = block.line.end
    rest = block.source[block.at : end]
    if block.at - 1 == start and rest[:1] != mark:
        return _earlier_quote(block, mark)
    inner = block.source[start + 1 : end - 1]
    if rest == ",":
        return Problem(
            Span(block.at, end),
            "a comma follows the closing quote; YAML entries end without one",
            block.fix("take the comma away", Edit(block.at, end, "")),
        )
    whole = Span(start, end)
    if end - 1 > start and block.source[end - 1] == mark and not rest.startswith(mark):
        closing = block.source.rfind(mark, start + 1, block.at)
        written = re.sub(r"''|\\?'", "''", inner) if mark == "'" else re.sub(r"(?<!\\)\"", r"\\" + '"', inner)
        how = "double it" if mark == "'" else 'write \\" for it'
        return Problem(
            Span(closing, closing + 1),
            f"this {mark} ends the quoted value, and {shown(rest, 30)} is left over; {how} inside the quotes",
            block.fix("escape the inner quotes", Edit(start + 1, end - 1, written)),
        )
    return Problem(
        Span(block.at, end),
        f"{shown(rest, 40)} follows the closing quote of the value; quote all of it or nothing",
        block.quote(whole),
    )


def _earlier_quote(block: Block, mark: str) -> Problem | None:
    for _, line in block.before(block.index):
        entry = line.entry
        if entry is not None and entry.value.startswith(mark) and entry.value.count(mark) % 2:
            return _open_quote(block, entry.value_start)
    return None


def _unclosed_quote(block: Block) -> Problem | None:
    context = block.fault.context
    return _open_quote(block, context) if context is not None else None


def _open_quote(block: Block, start: int) -> Problem:
    mark = block.source[start]
    end = block.lines[block.index_of(start)].end
    return Problem(
        Span(start, start + 1),
        f"the quote {mark} that opens here is never closed",
        block.fix("close the quote at the end of the line", Edit(end, end, mark)),
        hint=f"write {mark} at the end of the value",
    )


def _escape(block: Block) -> Problem | None:
    """A backslash in double quotes before something that is no escape."""
    slash = block.source.rfind("\\", block.content.start, block.at)
    context = block.fault.context if block.fault.context is not None else slash
    if slash < 0:
        return None
    end = _HEX.match(block.source, slash + 2).end() if block.source[slash + 1 : slash + 2] in "xuU" else slash + 2  # type: ignore[union-attr]
    index = block.index_of(slash)
    entry = block.lines[index].entry
    start = entry.value_start if entry is not None and entry.value_start >= context else context
    edits = [
        Edit(found.start(), found.start() + 1, "\\\\")
        for found in _ESCAPED.finditer(block.source, start, block.lines[index].end)
    ]
    return Problem(
        Span(slash, max(end, slash + 1)),
        f"{shown(block.source[slash:end])} is no escape inside double quotes; double the backslash",
        block.fix("double the backslashes", *edits),
        hint="use single quotes, in which a backslash is a backslash",
    )


_MEANING = {
    "@": "YAML reserves '@'",
    "`": "YAML reserves the backtick",
    "%": "'%' starts a directive in YAML",
    "*": "'*' starts an alias in YAML",
    "&": "'&' starts an anchor in YAML",
    "!": "'!' starts a tag in YAML",
    ">": "'>' starts a folded block in YAML",
    "|": "'|' starts a literal block in YAML",
    "?": "'? ' starts a key in YAML",
    "-": "'- ' starts a list item in YAML, which cannot stand on the line of a key",
}


def _indicator(block: Block) -> Problem | None:
    context = block.fault.context
    at = block.at
    if at >= block.content.end:
        return _open_at_end(block)
    if context is not None and block.source[context : context + 1] in ("*", "&", "!", ">", "|"):
        at = context
    return _indicator_at(block, at)


def _open_at_end(block: Block) -> Problem | None:
    """A bracket that is open where the frontmatter ends."""
    for index, line in block.before(len(block.lines)):
        entry = line.entry
        if entry is not None and entry.value[:1] in ("[", "{"):
            span, _ = block.value_span(index, entry)
            missing = _open_brackets(block.source[span.start : span.end])
            return _never_closed(block, span.start, span.end, missing) if missing else None
    return None


def _never_closed(block: Block, start: int, end: int, missing: str) -> Problem:
    return Problem(
        Span(start, start + 1),
        f"{shown(block.source[start])} is never closed",
        block.fix(f"write {shown(missing)} at the end", Edit(end, end, missing)),
        hint=f"close it with {shown(missing)}",
    )


def _indicator_at(block: Block, at: int) -> Problem | None:
    """A value starts with a character that means something to YAML."""
    char = block.source[at : at + 1]
    index = block.index_of(at)
    line = block.lines[index]
    if not char or char == "\t":
        return _tab(block)
    meaning = _MEANING.get(char, f"nothing can start with {shown(char)} in YAML")
    where = Span(at, at + 1)
    entry = line.entry
    if entry is not None and entry.value_start == at:
        span, wrapped = block.value_span(index, entry)
        newline = block.skill.text.newline + " " * (entry.column + 2)
        if char in ">|" and entry.value[1:2] in (" ", "\t"):
            moved = at + 1 + len(entry.value[1:]) - len(entry.value[1:].lstrip())
            return Problem(
                where,
                f"{meaning}, whose text starts on the next line",
                block.fix("move the text to the next line", Edit(at + 1, moved, newline)),
            )
        if char == "-" and entry.key not in _TEXT_FIELDS:
            return Problem(
                where, meaning, block.fix("move the item to the next line", Edit(entry.colon + 1, at, newline))
            )
        if line.first < entry.key_start and entry.key.count("(") > entry.key.count(")"):  # - Bash(git log: *)
            item = Span(entry.key_start, line.end)
            return Problem(where, f"{meaning}; put the item in quotes", block.quote(item))
        return Problem(
            where, f"{meaning}; put the value in quotes", block.quote(span if wrapped else Span(at, line.end))
        )
    if entry is None and block.source[line.start : at].strip(" -") == "":
        if line.first == at:
            return _no_entry(block, index)
        return Problem(where, f"{meaning}; put the item in quotes", block.quote(Span(at, line.end)))
    text = block.source[at : _item_end(block.source, at)]
    if not text:
        return Problem(where, f"nothing stands before {shown(char)}", hint="write a value, or take the comma away")
    return Problem(where, f"{meaning}; put {shown(text, 30)} in quotes", block.quote(Span(at, at + len(text))))


def _tab(block: Block) -> Problem | None:
    """A tab where YAML wants spaces."""
    at = block.at
    if block.source[at : at + 1] != "\t":
        return None
    end = at
    while block.source.startswith("\t", end):
        end += 1
    if block.source[block.line.start : at].strip():
        blanks = _BLANKS.match(block.source, at).end()  # type: ignore[union-attr]
        start = len(block.source[:at].rstrip(" "))
        return Problem(
            Span(at, end),
            "a tab stands where YAML wants a blank",
            block.fix("write a blank", Edit(start, blanks, " " if blanks < block.line.end else "")),
        )
    edits = []
    for line in block.lines:
        lead = line.text[: line.indent]
        if "\t" in lead:
            edits.append(Edit(line.start, line.first, lead.replace("\t", "  ") if line.end > line.first else ""))
    return Problem(
        Span(at, end),
        "a tab indents this line; YAML allows spaces only",
        block.fix("indent with spaces", *edits),
        hint="indent with two spaces",
    )


def _brackets(block: Block) -> Problem | None:
    """Something is wrong inside brackets or braces."""
    start = block.fault.context
    if start is None:
        return None
    index = block.index_of(start)
    line = block.lines[index]
    entry = line.entry
    end = block.value_span(index, entry)[0].end if entry is not None and entry.value_start <= start else line.end
    missing = _open_brackets(block.source[start:end])
    got = block.fault.detail.rsplit("got ", 1)[-1].strip("'\"")
    mark = block.source[start]
    if missing and (got == "<stream end>" or block.at >= end):
        return _never_closed(block, start, end, missing)
    where = Span(block.at, block.at + 1)
    if got == "?":
        before = block.source[line.start : block.at]
        at = block.at - len(re.split(r"[,\[\]{}\r\n][ \t]*", before)[-1])
        end = _item_end(block.source, block.at)
        return Problem(
            where,
            "Python's YAML reader stops at a '?' inside brackets; put the item in quotes",
            block.quote(Span(at, end), safe=True),
        )
    if got in ("]", "}"):
        due = "]" if mark == "[" else "}"
        return Problem(
            where, f"{shown(mark)} is closed by {shown(got)}", block.fix(f"write {shown(due)}", Edit(*where, due))
        )
    if got == ":":
        return Problem(
            where, "a second ': ' stands inside one entry in brackets", hint="put the text of the entry in quotes"
        )
    if entry is not None and entry.value_start == start and mark == "[" and not _QUOTED.search(entry.value):
        return _quote_value(block, index, entry, block.at, "'[' starts a list in YAML")
    if got in ("<scalar>", "[", "{"):
        behind = start + len(block.source[start : block.at].rstrip())
        return Problem(
            where,
            f"a comma is missing before {shown(block.source[block.at : block.line.end], 30)}",
            block.fix("write a comma", Edit(behind, behind, ",")),
            hint="separate the items by commas, or put the whole value in quotes",
        )
    return None


def _item_end(source: str, start: int) -> int:
    """Where an item of a flow collection ends: before a comma, a bracket or the end of the line."""
    return start + len(_ITEM.match(source, start)[0].rstrip())  # type: ignore[index]


def _open_brackets(text: str) -> str:
    """The closing brackets that a text of one line lacks, in the order in which they are due."""
    due: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char in "\"'" and (found := _QUOTED.match(text, at)) is not None:
            at = found.end()
            continue
        if char in "[{":
            due.append("]" if char == "[" else "}")
        elif due and char == due[-1]:
            due.pop()
        at += 1
    return "".join(reversed(due))


def _behind_brackets(block: Block, entry: Entry | None) -> Problem | None:
    if entry is None:
        return None
    char, surplus = entry.value[0], block.source[block.at : block.line.end]
    if not surplus.strip("]}"):
        return _closes_nothing(block, Span(block.at, block.line.end))
    what = f"a value that starts with {shown(char)} is a {'list' if char == '[' else 'mapping'} to YAML, and"
    rest = block.source[block.at : block.line.end]
    return _quote_value(block, block.index, entry, block.at, f"{what} {shown(rest, 30)} is left over")


def _closes_nothing(block: Block, where: Span) -> Problem:
    surplus = shown(block.source[where.start : where.end])
    return Problem(
        where,
        f"{surplus} closes nothing",
        block.fix(f"take {surplus} away", Edit(*where, "")),
        hint=f"take {surplus} away, or put the value in quotes",
    )


def _quote_value(block: Block, index: int, entry: Entry, at: int, what: str) -> Problem:
    span, _ = block.value_span(index, entry)
    return Problem(Span(at, at + 1), f"{what}; put the whole value in quotes", block.quote(span))


def _second_root(block: Block) -> Problem | None:
    """Something behind a root that is complete."""
    line = block.line
    first = next((other for other in block.lines if not other.is_empty), line)
    lost = lost_colon(first)
    if lost is not None:
        return lost
    for _, above in [(block.index, line), *block.before(block.index)]:
        if above.text.startswith("%"):
            return Problem(
                Span(above.start, above.start + 1), _MEANING["%"], hint="start the line with another character"
            )
        if above.text.rstrip() == "...":
            return Problem(
                Span(above.start, above.end), "'...' ends the YAML, but more follows", hint="take the line away"
            )
    return Problem(
        block.token(block.at),
        f"the YAML is complete before {shown(block.source[block.at : line.end], 30)}; the frontmatter is one mapping",
        hint="write all of it as 'key: value' lines at the left margin",
    )


_CAUSES: tuple[tuple[str, Callable[[Block], Problem | None]], ...] = (
    ("mapping values are not allowed", _colon),
    ("could not find expected ':'", _no_colon),
    ("expected <block end>", _behind_value),
    ("escape", _escape),
    ("while scanning a quoted scalar", _unclosed_quote),
    ("expected the node content", _indicator),
    ("while parsing a flow", _brackets),
    ("that cannot start any token", _indicator),
    ("while scanning an a", _indicator),
    ("while scanning a block scalar", _indicator),
    ("while scanning a tag", _indicator),
    ("while parsing a tag", _indicator),
    ("while parsing a node", _indicator),
    ("sequence entries are not allowed", _indicator),
    ("mapping keys are not allowed", _indicator),
    ("while scanning a directive", _indicator),
    ("expected '<document start>'", _second_root),
)
