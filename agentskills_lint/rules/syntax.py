"""The file and its frontmatter as bytes and YAML: what keeps clients from reading them at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentskills_lint.documents import (
    LFS_POINTER,
    MAX_BYTES,
    MAX_FRONTMATTER,
    Document,
    Fences,
    MarkdownDocument,
    Skill,
)
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.registries import WELL_KNOWN, RegistryDocument
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.rules.yaml_faults import diagnose, first_line, lost_colon
from agentskills_lint.specs import AGENTSKILLS, DISCOVERY, DUALNOVA, SPECS, WSP
from agentskills_lint.trees import MAX_DEPTH, Node
from agentskills_lint.wording import quoted, shown

_FORMAT = {
    "agentskills": must(AGENTSKILLS + "#skill-md-format"),
    "discovery": must(DISCOVERY + "#skill-directory-contents"),
    "dualnova": must(DUALNOVA + "#skillmd-format"),
    "wsp": must(WSP + "#52-structure"),
}
_YAML = _FORMAT | {"agentskills": must(AGENTSKILLS + "#frontmatter"), "wsp": must(WSP + "#53-yaml-frontmatter")}
_NAMED = {
    "agentskills": must(AGENTSKILLS + "#directory-structure"),
    "discovery": must(DISCOVERY + "#skill-directory-contents"),
    "dualnova": must(DUALNOVA + "#file-layout"),
    "wsp": must(WSP + "#51-file-name-and-location"),
}
_UNREAD = ("not-utf8", "empty-file", "symlink-text", "file-over-cap")
_FRONT = ("merge-conflict", "control-character", "file-over-cap")


def _first_line(document: Document) -> Span:
    return Span(0, len(document.text.line(1)))


def _wrong_encoding(raw: bytes, bad: int) -> str:
    """What is wrong with bytes that are not UTF-8, with the likely encoding."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or raw[bad] == 0:
        return "the file is UTF-16, it seems, and not UTF-8"
    byte = f"byte 0x{raw[bad]:02X} is not UTF-8"
    for start, what in ((b"PK\x03\x04", "a ZIP archive"), (b"\x1f\x8b", "a gzip archive"), (b"%PDF", "a PDF")):
        if raw.startswith(start):
            return f"{byte}; the file looks like {what}"
    if raw[bad] >= 0xC2 and len(raw) - bad < 4 and all(0x80 <= following < 0xC0 for following in raw[bad + 1 :]):
        return f"{byte}; the file ends in the middle of a character"
    if sum(following >= 0x80 for following in raw[bad : bad + 4]) >= 3:
        return f"{byte}; the file looks like an East Asian encoding such as GBK or Shift JIS"
    return f"{byte}; the file looks like Windows-1252"


@rule("not-utf8", "SKL001", on=Document, raw=True, needs="file-over-cap", asked_by=_FORMAT)
def not_utf8(document: Document, ask: Ask) -> Iterator[Problem]:
    """The file is not encoded in UTF-8.

    Clients decode skills as UTF-8 and give up at the first byte that is none, or they guess
    and show wrong letters. Editors on Windows still save UTF-16 or Windows-1252 now and then.

    ```bytes bad
    ---
    name: pay-invoice
    description: Pays the bill of a caf\\xe9 when the user asks for it.
    ---
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    bad = document.text.bad_byte
    if bad is None:
        return
    offset = len(document.raw[3 if document.text.bom else 0 : bad].decode())
    yield Problem(Span(offset, offset + 1), _wrong_encoding(document.raw, bad), hint="save the file as UTF-8")


@rule(
    "byte-order-mark", "SKL002", on=MarkdownDocument, raw=True, needs=(*_UNREAD, "skills-txt-foreign"), fix="safe",
    asked_by={"advice": advice("warning")},
)  # fmt: skip
def byte_order_mark(document: MarkdownDocument, ask: Ask) -> Iterator[Problem]:
    """The file starts with a byte order mark.

    Several loaders compare the first bytes with `---`; with the invisible mark before them
    they see no frontmatter and skip the skill.

    ```bytes bad
    \\xef\\xbb\\xbf---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    if document.text.bom:
        is_published = _has_right_digest(document)
        yield Problem(
            Span(0, 0),
            "a byte order mark (U+FEFF) stands before the first character; some loaders then see no "
            + ("frontmatter" if document.kind == "skill" else "title"),
            None if is_published else Fix("remove the byte order mark", (Edit(-1, 0, ""),), True),
            hint="save the file without it, then write its new digest into the index" if is_published else None,
        )


def _has_right_digest(document: Document) -> bool:
    """Whether an index of the site has the digest of these very bytes.

    Without the mark, or with other line ends, the index would name another form of the same
    text, of which nobody can tell which is meant: index-digest offers no fix for that.
    """
    if not isinstance(document, Skill) or document.site is None:
        return False
    indexes = [document.site.read(f"{folder}/index.json") or b"" for folder in WELL_KNOWN]
    if not any(b"sha256" in raw for raw in indexes):
        return False
    import hashlib  # most runs take no digest

    digest = hashlib.sha256(document.raw).hexdigest().encode()
    return any(digest in raw for raw in indexes)


@rule("empty-file", "SKL003", on=Document, raw=True, needs=("not-utf8", "file-over-cap"), asked_by=_FORMAT)
def empty_file(document: Document, ask: Ask) -> Iterator[Problem]:
    """The file is empty, or no file at all.

    An interrupted copy or a failed export leaves such files behind; clients skip them, mostly
    without a word.

    ```bytes bad
    \\n\\n
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    if document.readable or document.size > MAX_BYTES or document.source.strip():
        return
    if not isinstance(document, MarkdownDocument | RegistryDocument):
        return
    kind = document.folder.entries().get(document.name, "file") if document.folder is not None else "file"
    if kind == "folder":
        yield Problem(Span(0, 0), f"{shown(document.name)} is a directory; a file of that name is expected")
    elif document.size == 0 and kind != "file":
        yield Problem(Span(0, 0), f"{shown(document.name)} is not a regular file")
    else:
        yield Problem(Span(0, 0), "the file is empty" if not document.source else "the file holds nothing but blanks")


_BOLD_METADATA = lazy(r"^[ \t>#]*[*_]{0,2}(name|description)[*_]{0,2}[ \t]*:", re.M | re.I)
_CODE_METADATA = lazy(r"^[ \t]*(?:```|~~~)[ \t]*(?:ya?ml)?[ \t]*\r?\n(?:---[ \t]*\r?\n)?[ \t]*name:", re.M | re.I)
_BARE_METADATA = lazy(r"(?:name|description):[ \t]", re.I)


def _instead_of_frontmatter(skill: Skill) -> tuple[str, str]:
    """What stands where the frontmatter should, and what to do about it."""
    head = skill.source[:4096]
    first = skill.text.line(1).strip()
    if first.startswith("---") and first != "---":
        return f"{shown(first, 30)} is no fence", "write '---' alone on the first line"
    if first == "---":
        return "the first line is indented or opens nothing", "put 'key: value' lines between two '---' lines"
    if first == "+++":
        return "the metadata is TOML", "write it as YAML between two '---' lines"
    if skill.raw.startswith(LFS_POINTER):
        return "it is a Git LFS pointer, not the file itself", "fetch it with 'git lfs pull' before it is published"
    if head.lstrip()[:9].lower().startswith(("<!doctype", "<html")):
        return "it is an HTML page", "save the SKILL.md itself, not the page that shows it or a server's answer"
    if first.startswith("{"):
        return "the metadata is JSON", "write it as YAML between two '---' lines"
    if _BARE_METADATA.match(head):
        return "the metadata stands without fences", "put a '---' line above and below it"
    if _CODE_METADATA.search(head):
        return "the metadata stands in a code block", "take the block's fences away and start the file with '---'"
    if _BOLD_METADATA.search(head):
        return "the metadata stands in the text", "write it as YAML between two '---' lines at the top"
    return "", "start the file with '---', 'name: ...', 'description: ...', '---', each on its own line"


@rule("frontmatter-missing", "SKL004", on=Skill, needs="merge-conflict", asked_by=_FORMAT)
def frontmatter_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The file has no frontmatter.

    Name and description are read from the block between two `---` lines at the top. Without
    it no client knows what the skill is for, so none loads it.

    ```skill bad
    # Pay an invoice

    **name:** pay-invoice
    **description:** Pays an open invoice by card.
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    if skill.fences is None and skill.outer is None:  # a document of the skill around it needs none
        found, hint = _instead_of_frontmatter(skill)
        yield Problem(skill.anchor, "the file has no frontmatter" + (f"; {found}" if found else ""), hint=hint)


_LICENCE = lazy(r"SPDX-|\bcopyright\b|\blicen[cs]ed?\b", re.I)
_COMMENTS = lazy(r"(?:\s*<!--(?:(?!-->).)*-->)+\s*", re.S)


@rule(
    "frontmatter-not-first", "SKL005", on=Skill, needs=("merge-conflict", "frontmatter-missing"), fix="safe",
    asked_by=_FORMAT,
)  # fmt: skip
def frontmatter_not_first(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Something stands above the frontmatter.

    The opening `---` has to be the first thing in the file: a blank line, a generator's
    comment or a licence header above it hides name and description from most loaders. Put
    such text below the closing fence, or behind a `#` inside the frontmatter.

    ```skill bad
    <!-- generated -->
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    # generated
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    fences = skill.fences
    if fences is None or fences.first:
        return
    stray = skill.source[: fences.opening.start]
    line = skill.text.line_at(fences.opening.start)
    edits = [Edit(0, fences.opening.start, "")]
    if not stray.strip():
        what, fix, hint = "blank lines stand above it", Fix("remove the blank lines", tuple(edits), True), None
    elif stray.lstrip().startswith("%YAML ") and len(_LINE_END.split(stray.strip())) == 1:
        what, fix, hint = "a YAML directive stands above it", Fix("remove the directive", tuple(edits), True), None
    elif _LICENCE.search(stray) and all(text.startswith("#") for text in stray.split("\n") if text.strip()):
        start = fences.content.start  # it is a comment of YAML as well
        edits.append(Edit(start, start, stray.strip() + skill.text.newline))
        what, fix, hint = "a licence stands above it", Fix("move it below the '---'", tuple(edits), True), None
    elif _COMMENTS.fullmatch(stray):
        edits.append(_below(skill, fences, stray))
        what, fix, hint = "a comment stands above it", Fix("move the comment below it", tuple(edits), True), None
    else:
        first = _LINE_END.split(stray.strip(), maxsplit=1)[0].rstrip()
        what, fix, hint = f"{shown(first, 30)} stands above it", None, "move it below the closing '---'"
    message = f"the frontmatter starts on line {line}, but it has to start the file; {what}"
    yield Problem(_first_line(skill), message, fix, hint=hint)


def _below(skill: Skill, fences: Fences, text: str) -> Edit:
    """Put a text at the start of the body."""
    newline = skill.text.newline
    before = "" if skill.source[fences.body - 1 : fences.body] in ("\n", "\r") else newline
    return Edit(fences.body, fences.body, f"{before}{newline}{text.strip()}{newline}")


@rule("frontmatter-fence", "SKL006", on=Skill, fix="safe", asked_by={"advice": advice("warning")})
def frontmatter_fence(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Blanks follow a fence of the frontmatter.

    Some loaders look for a line that is `---` and nothing else; to them a fence with a blank
    behind it is no fence, and the skill has no frontmatter.

    ```bytes bad
    ---\\x20
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    if skill.fences is None:
        return
    for name, fence in (("opening", skill.fences.opening), ("closing", skill.fences.closing)):
        if fence is not None and fence.end - fence.start > 3:
            blanks = Span(fence.start + 3, fence.end)
            yield Problem(
                blanks,
                f"blanks follow the {name} fence; some loaders want '---' alone on the line",
                Fix("remove the blanks", (Edit(*blanks, ""),), True),
            )


@rule("frontmatter-unclosed", "SKL007", on=Skill, needs="merge-conflict", asked_by=_FORMAT)
def frontmatter_unclosed(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter is never closed.

    Without a second `---` line the whole file is metadata to a loader: it fails to read it as
    YAML, or takes a thematic break further down for the end.

    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0

    # Pay an invoice

    Ask for the invoice number.
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    fences = skill.fences
    if fences is None or fences.closing is not None:
        return
    line = skill.text.line_at(fences.content.end)
    near = fences.near_miss
    if near is None:
        yield Problem(
            fences.opening,
            "the frontmatter that opens here is never closed",
            hint=f"write '---' alone on a line above line {line}" if fences.content.end < len(skill.source) else None,
        )
        return
    written = f"{shown(skill.source[near.start : near.end], 30)} on line {skill.text.line_at(near.start)}"
    yield Problem(
        fences.opening,
        f"the frontmatter that opens here is never closed; {written} is no fence",
        related=(Related(near, "not a fence"),),
        hint="the closing fence is '---' alone on a line, at the left margin",
    )


@rule("yaml-syntax", "SKL008", on=Skill, needs=(*_FRONT, "frontmatter-unclosed"), fix="unsafe", asked_by=_YAML)
def yaml_syntax(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter is not valid YAML.

    One fault is enough: loaders then know nothing of the skill, and most skip it silently.
    By far the commonest cause is a description with `: ` in it and no quotes around it. Next
    come values that start with a sign of YAML's own (`@`, a backtick, `*`, `[`), wrapped lines
    that are not indented, tabs, and quotes that end too early.

    Only the first fault is reported, at the character that causes it; the body is checked all
    the same.

    ```yaml bad
    description: Pays an invoice by card when the user asks for it, in one of two ways: at once or later.
    ```
    ```yaml good
    description: "Pays an invoice by card when the user asks for it, in one of two ways: at once or later."
    ```
    """
    if skill.fences is not None and skill.fences.closing is not None:
        problem = diagnose(skill)
        if problem is not None:
            yield problem


@rule("yaml-not-mapping", "SKL009", on=Skill, needs="yaml-syntax", asked_by=_YAML)
def yaml_not_mapping(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter is no list of `key: value` entries.

    It is empty, or a YAML list, or plain text: valid YAML perhaps, but without a name and a
    description that a client could find.

    ```skill bad
    ---
    - pay-invoice
    ---

    # Pay an invoice

    Ask for the invoice number.
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    fences, root = skill.fences, skill.root
    if fences is None or fences.closing is None or skill.fault is not None or skill.front is not None:
        return
    if root is None:
        yield Problem(fences.opening, "the frontmatter is empty", hint="write at least a name and a description")
        return
    line = first_line(skill, fences.content)
    lost = lost_colon(line) if root.kind == "scalar" else None
    if lost is not None:
        yield lost._replace(fix=None, hint=lost.fix.title if lost.fix is not None else None)
        return
    what = {"list": "a list", "alias": "an alias"}.get(root.kind, "plain text")
    yield Problem(
        Span(root.span.start, max(line.end, root.span.start)),
        f"the frontmatter is {what}; it has to hold 'key: value' lines",
        hint="write 'name: ...' and 'description: ...'",
    )


@rule("duplicate-key", "SKL010", on=Skill, needs="yaml-syntax", asked_by=_YAML)
def duplicate_key(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A key of the frontmatter is given twice.

    Some loaders keep the last value, some the first, and strict ones refuse the file. Quotes
    make no other key of it: `"name"` is `name`.

    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    version: 1.1.0
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    stack = [skill.root] if skill.root is not None else []
    while stack:
        parent = stack.pop()
        stack.extend(item for item in parent.items if item.items)
        if parent.kind != "map" or len({item.key.value for item in parent.items if item.key}) == len(parent.items):
            continue
        seen: dict[tuple[str, str], Node] = {}
        for key in (item.key for item in parent.items):
            if key is None or key.kind != "scalar":
                continue
            first = seen.setdefault((key.tag, key.value), key)
            if first is not key:
                yield Problem(
                    key,
                    f"{shown(key.value)} is given twice; some readers keep the last value, others refuse the file",
                    related=(Related(first, "first given here"),),
                )


_PROPERTY_START = lazy(r"(?<!\S)[&*!]\S|[\[{,:][&*!]|<<")
_PROPERTY = lazy(r"[&*!][^\s,\[\]{}]*")
_PLAIN_TAGS = frozenset(
    {"!", *("tag:yaml.org,2002:" + name for name in ("str", "int", "float", "bool", "null", "map", "seq"))}
)


@rule("yaml-anchor", "SKL011", on=Skill, needs="yaml-syntax", asked_by={"advice": advice("error")})
def yaml_anchor(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter uses an anchor, an alias, a merge key or a custom tag.

    Strict loaders refuse them, others follow them into values that grow beyond memory or, for
    tags, into code. Most often nobody meant them: text that starts with `&`, `*` or `!` was
    left without quotes, and a part of it is lost.

    ```yaml bad
    metadata:
      team: &team billing
      owner: *team
    ```
    ```yaml good
    metadata:
      team: billing
      owner: "&team"
    ```
    """
    if skill.root is None or skill.fences is None:
        return
    content = skill.fences.content
    front = skill.source[content.start : content.end]
    if not ("&" in front or "*" in front or "!" in front or "<<" in front) or not _PROPERTY_START.search(front):
        return
    seen = set()
    for value in skill.root.walk():
        for node in (value.key, value) if value.key is not None else (value,):
            for kind, where, message in _properties(skill, node, node is value.key):
                if kind not in seen:
                    seen.add(kind)
                    yield Problem(where, message, hint="put the text in quotes, or write the value out")


def _properties(skill: Skill, node: Node, is_key: bool) -> Iterator[tuple[str, Span, str]]:
    start = node.span.start
    if node.kind == "alias":
        yield "anchor", node.span, f"{shown('*' + node.value)} is an alias, which strict loaders refuse"
    elif is_key and node.plain and node.value == "<<":
        yield "anchor", node.span, "'<<' merges another mapping, which strict loaders refuse"
    if node.anchor is not None:
        found = skill.source.find("&" + node.anchor, start)
        where = Span(found, found + 1 + len(node.anchor)) if found >= 0 else Span(start, start + 1)
        yield "anchor", where, f"{shown('&' + node.anchor)} is an anchor, not text; strict loaders refuse it"
    if node.given_tag is not None and node.given_tag not in _PLAIN_TAGS:
        at = skill.source.find("!", start)
        tag = _PROPERTY.match(skill.source, at)
        where = Span(at, tag.end() if tag is not None else at + 1)
        yield "tag", where, f"{shown(skill.source[where.start : where.end])} is a tag, not text; loaders refuse it"


_TYPE_RULES = (
    "yaml-syntax", "field-empty", "field-type", "metadata-value", "api-version-type", "rate-limit-type",
    "language-list", "language-boolean", "version-format",
)  # fmt: skip
_TRUE_11 = frozenset({"yes", "on", "y"})
_FALSE_11 = frozenset({"no", "off", "n"})
_FIRST = frozenset("yYnNoO0123456789+-.=")
_LEADING_ZERO = lazy(r"[-+]?0[0-9_]+")
_FLOAT_12 = lazy(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)")
_OCTAL_12 = lazy(r"0o[0-7]+")
_DECIMAL = lazy(r"[-+]?[0-9]+\.[0-9]+")
_QUANTITY = lazy(
    r"temperature|price|cost|weight|score|threshold|rat(?:e|io)|timeout|amount|fee|budget|limit|default|min|max|top_?p"
    r"|confidence|probability|duration|seconds|delay|factor|penalty|percent",
    re.I,
)
_TEXT_FIELDS = frozenset().union(*(spec.fields for spec in SPECS.values())) - {"requires_auth", "requires_payment"}


def _may_differ(value: str) -> bool:
    """A cheap test that sorts out nearly all values: by the first character and the length."""
    return value[:1] in _FIRST and value != "" and len(value) < (4 if value[0] in "yYnNoO" else 40)


def _readings(value: str, tag: str, key: str) -> tuple[str, str] | None:
    """How two readers differ about a plain scalar: (what they make of it, what it is called)."""
    lower = value.lower()
    if (lower in _TRUE_11 or lower in _FALSE_11) and value in (lower, lower.capitalize(), lower.upper()):
        truth = "true" if lower in _TRUE_11 else "false"
        return f"{shown(value)} is {truth} to YAML 1.1 readers and text to others", "word"
    if tag == "int":
        if ":" in value:
            return f"{shown(value)} is a number in base 60 to YAML 1.1 readers and text to others", "text"
        if "_" in value or value.lstrip("-+").startswith("0b"):
            return f"{shown(value)} is a number to YAML 1.1 readers and text to others", "text"
        if _LEADING_ZERO.fullmatch(value) and value.strip("-+0"):
            if int(value, 8) == int(value):
                return f"{shown(value)} is the number {int(value)} to readers", "number"
            return f"{shown(value)} is octal to YAML 1.1 readers and decimal to others", "number"
    elif tag == "float":
        if ":" in value or "_" in value:
            return f"{shown(value)} is a number to YAML 1.1 readers and text to others", "text"
        if _DECIMAL.fullmatch(value) and value.endswith("0") and not _is_quantity(value, key):
            number = value.rstrip("0")
            number += "0" if number.endswith(".") else ""
            return (f"{shown(value)} is the number {number} to readers", "number") if number != value else None
    elif tag == "date":
        return f"{shown(value)} is a date to YAML 1.1 readers and text to others", "text"
    elif tag == "str":
        if _FLOAT_12.fullmatch(value) or _OCTAL_12.fullmatch(value):
            return f"{shown(value)} is text to YAML 1.1 readers and a number to others", "number"
        if _LEADING_ZERO.fullmatch(value):
            return f"{shown(value)} is text to YAML 1.1 readers and a decimal number to others", "number"
        if value == "=":
            return "'=' is a value of its own kind to YAML 1.1 readers, which refuse it", "text"
    return None


def _is_quantity(value: str, key: str) -> bool:
    """Whether a decimal number is one rather than a version: 0.30, price: 1.50."""
    return "version" not in key.lower() and (value.lstrip("-+").startswith("0.") or _QUANTITY.search(key) is not None)


@rule(
    "yaml-ambiguous", "SKL012", on=Skill, at="**", needs=_TYPE_RULES, fix="safe", asked_by={"advice": advice("warning")}
)
def yaml_ambiguous(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A value without quotes means different things to different YAML readers.

    YAML 1.1 reads `no` as false, `010` as eight, `1:30` as ninety and `2026-03-01` as a date;
    YAML 1.2 does not. Version `1.10` is the number 1.1 to both. Agents use readers of both
    kinds, so put quotes around what is meant as text; for a switch write `true` or `false`.

    ```yaml bad
    tags: [off, on-call]
    ```
    ```yaml good
    tags: ["off", on-call]
    ```
    """
    key = node.key
    if key is not None and key.plain and key.given_tag is None and _may_differ(key.value):
        found = _readings(key.value, key.tag, "")
        if found is not None:
            yield Problem(key, f"the key {found[0]}; put it in quotes", _quoting(key))
    if node.style != "" or node.given_tag is not None or not _may_differ(node.value):
        return
    name = key.value if key is not None else ""
    found = _readings(node.value, node.tag, name)
    if found is None:
        return
    reading, sort = found
    metadata = skill.field("metadata")
    is_text = key is None or name in _TEXT_FIELDS or (metadata is not None and any(node is it for it in metadata.items))
    if sort == "word" and not is_text:
        truth = "true" if node.value.lower() in _TRUE_11 else "false"
        yield Problem(node, reading, hint=f"write {truth}, or put it in quotes if it is meant as text")
    elif sort == "number" and "version" not in name.lower():
        yield Problem(node, reading, hint="put it in quotes if it is meant as text")
    else:
        yield Problem(node, f"{reading}; put it in quotes", _quoting(node))


def _quoting(node: Node) -> Fix:
    return Fix("put it in quotes", (Edit(*node.span, quoted(node.value)),), True)


_COMMENT = lazy(r"[ \t]+(#[^\r\n]*)")
_EMPTY_IS_REPORTED = frozenset({"name", "description", "version"})
"""Fields whose emptiness another rule reports."""


@rule(
    "yaml-comment-cut", "SKL013", on=Skill, needs="yaml-syntax", fix="unsafe", asked_by={"advice": advice("warning")}
)  # fmt: skip
def yaml_comment_cut(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Text behind ` #` is a comment to YAML and lost.

    A `#` behind a blank starts a comment, in the middle of a sentence too: channel names,
    issue numbers and hashtags end the value without a word of warning. A comment that is
    meant has a blank behind its `#` and passes.

    ```yaml bad
    description: Pays an open invoice when the user asks for it and posts the receipt to #billing at once.
    ```
    ```yaml good
    description: "Pays an open invoice when the user asks for it and posts the receipt to #billing at once."
    license: MIT # see LICENSE
    ```
    """
    if skill.front is None or skill.fences is None:
        return
    content = skill.fences.content
    front = skill.source[content.start : content.end]
    if " #" not in front and "\t#" not in front:
        return
    for node in skill.front.walk():
        comment = _COMMENT.match(skill.source, node.span.end) if node.plain and node.tag in ("str", "null") else None
        if comment is not None and not comment[1].startswith("# agentskills-lint:"):
            problem = _cut(node, comment, skill)
            if problem is not None:
                yield problem


def _cut(node: Node, comment: re.Match[str], skill: Skill) -> Problem | None:
    """The problem of a plain value with a comment behind it, None where the comment is meant as one."""
    text = comment[1].rstrip()
    start = comment.start(1)
    is_glued = len(text) > 1 and text[1] not in " \t#!"
    name = node.key.value if node.key is not None else ""
    if node.value == "":
        if name in _EMPTY_IS_REPORTED or not (is_glued or name in _TEXT_FIELDS):
            return None
        message = f"{shown(name)} is empty: all behind it is a comment to YAML"
        first = start
    else:
        if not is_glued or start - node.span.end != 1:
            return None
        message = f"{shown(text, 40)} is a comment to YAML and lost"
        first = node.span.start
    where = Span(start, start + len(text))
    edit = Edit(first, where.end, _requoted(skill.source[first : where.end]))
    return Problem(where, f"{message}; put the value in quotes", Fix("put the value in quotes", (edit,), False))


def _requoted(text: str) -> str:
    """A plain value in quotes, its wrapped lines left as they are."""
    style = "'" if '"' in text or "\\" in text else '"'
    if "\n" in text or "\r" in text:
        return style + (text.replace("'", "''") if style == "'" else text) + style
    return quoted(text, style)


@rule("yaml-beyond-subset", "SKL014", on=Skill, at="*",
      needs=("yaml-syntax", "field-empty", "field-type", "rate-limit-type"),
      asked_by={"dualnova": should(DUALNOVA + "#skillmd-format")})  # fmt: skip
def yaml_beyond_subset(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A value is written in a way that the reference validator misreads.

    That validator reads YAML with a small parser of its own: one-line text, booleans, numbers
    and lists in brackets. To it `description: >` is the text `>`, and the lines below are new
    fields or nothing.

    ```yaml bad
    description: >
      Pay an open invoice by card when the user asks for it.
    ```
    ```yaml good
    description: Pay an open invoice by card when the user asks for it.
    languages: [en, es]
    ```
    """
    first = _LINE_END.search(skill.source, *node.span)
    if first is None and (node.kind == "scalar" or node.style == "flow") and node.kind != "map":
        return
    end = first.start() if first is not None else node.span.end
    name = shown(node.key.value) if node.key is not None else "the value"
    if node.block:
        what, hint = "a block of text", "write the text on one line, in quotes"
    elif node.kind == "map":
        what, hint = "a mapping", None
    elif node.kind == "list" and node.style != "flow":
        what, hint = "a list on lines of its own", "write the list in brackets, on one line"
    else:
        what, hint = "wrapped over several lines", "write the value on one line"
    yield Problem(Span(node.span.start, end), f"{name} is {what}, which the reference validator misreads", hint=hint)


_PAGE_ROOT = frozenset(
    {
        "robots.txt", "llms.txt", "llms-full.txt", "sitemap.xml", "index.html", "favicon.ico", "CNAME", "_headers",
        "_redirects", ".well-known", "docs.json", "mint.json", "mkdocs.yml", "_config.yml",
    }
)  # fmt: skip
"""Names that mark a folder as the root of a site or of its documentation."""


@rule("skill-file-name", "SKL015", on=Skill, raw=True, asked_by=_NAMED)
def skill_file_name(document: Skill, ask: Ask) -> Iterator[Problem]:
    """The file is not called SKILL.md, letter by letter.

    Clients look for exactly that name. On macOS and Windows a `skill.md` is found all the
    same, on Linux and on web servers it is not, so the skill works for its author alone. A
    page `/skill.md` at the root of a site passes.

    ```tree bad
    === pay-invoice/skill.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    Ask for the invoice number.
    ```
    ```tree good
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    if document.folder is None:
        return
    entries = document.folder.entries()
    name = document.name
    if name not in entries:
        # a buffer or a file system that ignores case: what the listing says counts
        name = next((entry for entry in entries if entry.lower() == name.lower()), name)
    if name == "SKILL.md" or name.lower() not in ("skill.md", "skills.md"):
        return
    if document.is_page or not _PAGE_ROOT.isdisjoint(entries):
        return
    beside = "SKILL.md" in entries
    yield Problem(
        _first_line(document),
        f"the file is called {shown(name)}; clients look for 'SKILL.md'"
        + (", which stands beside it" if beside else ""),
        hint="remove one of the two files"
        if beside
        else f"rename it in two steps where case is ignored: git mv {name} x.md && git mv x.md SKILL.md",
    )


_LINE_END = lazy(r"\r\n|\r|\n")
_END_NAMES = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}


@rule(
    "mixed-line-endings", "SKL016", on=MarkdownDocument, raw=True, needs=(*_UNREAD, "skills-txt-foreign"), fix="safe",
    asked_by={"advice": advice("warning")},
)  # fmt: skip
def mixed_line_endings(document: MarkdownDocument, ask: Ask) -> Iterator[Problem]:
    """The file mixes two kinds of line endings.

    Git and editors turn such a file into one kind or the other, and a digest of it is wrong
    afterwards. Loaders that split at LF keep a CR at the end of some values.

    ```bytes bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.\\r
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    source = document.source
    if "\r" not in source:
        return
    both = source.count("\r\n")
    counts = {"\n": source.count("\n") - both, "\r\n": both, "\r": source.count("\r") - both}
    usual = max(counts, key=lambda end: counts[end])
    if counts[usual] == sum(counts.values()):
        return
    odd = [found for found in _LINE_END.finditer(source) if found[0] != usual]
    # CR CR LF is one line end that was converted twice
    edits = [Edit(*end.span(), "" if end[0] == "\r" and source.startswith("\r\n", end.end()) else usual) for end in odd]
    line = document.text.line_at(odd[0].start())
    others = " and ".join(f"{counts[end]} with {_END_NAMES[end]}" for end in counts if end != usual and counts[end])
    yield Problem(
        Span(document.text.offset(line), odd[0].start()),
        f"{counts[usual]} lines end with {_END_NAMES[usual]}, {others}",
        Fix(f"end all lines with {_END_NAMES[usual]}", tuple(edits), True),
    )


@rule("file-size", "SKL018", on=MarkdownDocument, raw=True, needs="file-over-cap",
      asked_by={"wsp": should(WSP + "#83-file-size-limits", skill=102_400, discovery=51_200)})  # fmt: skip
def file_size(document: MarkdownDocument, ask: Ask) -> Iterator[Problem]:
    """The file is larger than the specification advises.

    An agent that fetches it pays for every byte. Move the details of a skill into files below
    `references/` that it reads when it needs them, those of a discovery file into the skills. A
    KB counts as 1,024 bytes here.

    ```markdown bad
    # Pay an invoice

    [4000 times: Ask for the invoice number. ]
    ```
    ```markdown good
    # Pay an invoice

    Ask for the invoice number. The currencies are in [a table](https://acme.example/currencies).
    ```
    """
    limit = {"skill": ask.skill, "discovery": ask.discovery}.get(document.kind)
    if limit is not None and document.size > limit:
        yield Problem(
            _first_line(document),
            f"the file has {document.size:,} bytes; {limit:,} ({limit // 1024} KB) are the limit",
            hint="shorten it" if document.kind == "discovery" else "move details into files below references/",
        )


_CONTROLS = lazy(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_CONTROL_BYTES = (0x00, 0x07, 0x08, 0x0B, 0x1B, 0x7F)
"""Those that are looked for in a body; to look for all would cost more than all else here."""


@rule("control-character", "SKL019", on=Skill, asked_by=_YAML)
def control_character(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The file holds a control character.

    YAML allows none but tab and line ends, so a loader refuses the whole frontmatter. In the
    body they make tools take the file for a binary one. They come from a wrong conversion or
    from text that was copied out of a terminal.

    ```bytes bad
    ---
    name: pay-invoice
    description: Pays an open\\x08 invoice by card when the user asks for it.
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    fault = skill.fault
    if fault is not None and fault.detail == "special characters are not allowed":
        code = ord(skill.source[fault.span.start])
        why = ", left by a wrong conversion" if 0x80 <= code < 0xA0 else ""
        sort = "a control character" if code < 0xA0 else "no character of a text"
        yield Problem(fault.span, f"U+{code:04X} is {sort}{why}; YAML does not allow it", hint="delete it")
    elif any(byte in skill.raw for byte in _CONTROL_BYTES):
        found = _CONTROLS.search(skill.source)
        if found is not None:
            where = Span(*found.span())
            yield Problem(where, f"U+{ord(found[0]):04X} is a control character", hint="delete it")


_MARKER = lazy(r"(?<![^\r\n])(?:(<{7})(?: [^\r\n]*)?|(={7})|(>{7})(?: [^\r\n]*)?)(?![^\r\n])")


@rule(
    "merge-conflict", "SKL020", on=Document, raw=True, needs=("not-utf8", "file-over-cap", "skills-txt-foreign"),
    asked_by={"advice": advice("error")},
)  # fmt: skip
def merge_conflict(document: Document, ask: Ask) -> Iterator[Problem]:
    """A merge conflict was committed with its markers.

    No loader can read a frontmatter with them, and an agent would follow both versions of the
    text. Documents that show conflict markers in a code block pass.

    ```skill bad
    ---
    name: pay-invoice
    <<<<<<< HEAD
    description: Pays an open invoice by card when the user asks for it.
    =======
    description: Pays invoices.
    >>>>>>> topic
    ---

    # Pay an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    source = document.source
    if "<" not in source or "<<<<<<<" not in source:
        return
    front_end = document.body.start if isinstance(document, Skill) and document.fences is not None else 0
    opening: re.Match[str] | None = None
    divided = False
    for found in _MARKER.finditer(source):
        if found.start() < front_end:
            if not found[2]:
                yield _conflict(source, found, _MARKER.search(source, found.end()))
                return
        elif found[1]:
            opening, divided = found, False
        elif found[2]:
            divided = True
        elif opening is not None and divided and not _in_code(document, opening.start(), found.start()):
            yield _conflict(source, opening, found)
            return


def _conflict(source: str, opening: re.Match[str], closing: re.Match[str] | None) -> Problem:
    related = (Related(Span(*closing.span()), "another marker"),) if closing is not None else ()
    where = Span(*opening.span())
    message = f"a merge conflict was committed: {shown(opening[0], 40)}"
    return Problem(where, message, related=related, hint="keep one version and delete the marker lines")


def _in_code(document: Document, *offsets: int) -> bool:
    return isinstance(document, MarkdownDocument) and all(document.markdown.in_code(offset) for offset in offsets)


@rule("symlink-text", "SKL021", on=Skill, raw=True, asked_by={"advice": advice("warning")})
def symlink_text(document: Skill, ask: Ask) -> Iterator[Problem]:
    """The file is a symbolic link that git checked out as text.

    Where links are switched off, as on Windows by default, git writes the target's path into
    an ordinary file. Clients then read one line instead of a skill.

    ```bytes bad
    ../../skills/pay-invoice/SKILL.md
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    if document.is_path:
        path = shown(document.source.strip())
        yield Problem(
            _first_line(document),
            f"the file holds nothing but the path {path}: a symbolic link that was checked out as text",
            hint="set git's core.symlinks to true and check the file out again, or copy the skill here",
        )


_TWICE_ENCODED = lazy(rb"\xc3(?:[\x82\x83\xa2\xb0]\xc2|\xa2\xe2\x82\xac)")
_MOJIBAKE = lazy(
    "\ufffd|[\xc2\xc3\xe2\xf0][\x80-\x84\x86-\x9f]+|\xe2\u20ac.|[\xc2\xc3][\xa0-\xbf]"
    "|(?<![^\n])[ \t]*[\uf0a7\uf0b7](?=[ \t])"
)


@rule("mojibake", "SKL022", on=Skill, needs="yaml-syntax", asked_by={"advice": advice("note")})
def mojibake(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A wrong conversion has damaged the text.

    Replacement characters, leftovers of Windows-1252 read as UTF-8 or the other way round,
    bullets of a symbol font: the letters that once stood there are lost to the reader. Code
    blocks and code spans pass.

    ```markdown bad
    # Pay an invoice

    Pay at the caf\ufffd.
    ```
    ```markdown good
    # Pay an invoice

    Pay at the café.
    ```
    """
    raw, source = skill.raw, skill.source
    if source.isascii():
        return
    if not ("\ufffd" in source or "\uf0b7" in source or "\uf0a7" in source) and not (
        b"\xc3" in raw and _TWICE_ENCODED.search(raw)
    ):
        return
    found = [match for match in _MOJIBAKE.finditer(source) if not skill.markdown.in_code(match.start())]
    if found:
        text = found[0][0].strip()
        name = "U+FFFD, the replacement character," if text == "\ufffd" else shown(text)
        more = f" (and {len(found) - 1} more in this file)" if len(found) > 1 else ""
        yield Problem(
            Span(found[0].end() - len(text), found[0].end()),
            f"{name} is what a wrong conversion left here{more}",
            hint="write the character that is meant",
        )


@rule("crlf-line-endings", "SKL024", on=Skill, needs="mixed-line-endings", fix="safe",
      asked_by={"advice": advice("note")})  # fmt: skip
def crlf_line_endings(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Lines end with CRLF beside skills with LF, or under a digest.

    Git may store another kind of line ending than it checks out, and then the published bytes
    differ from those that the digest was taken of. A line `*.md text eol=lf` in .gitattributes
    settles it. A repository that has CRLF everywhere passes.

    ```tree bad
    === skills/pay-invoice/SKILL.md
    ---␍
    name: pay-invoice␍
    description: Pays an open invoice by card when the user asks for it.␍
    ---␍
    ␍
    # Pay an invoice␍
    === skills/refund-invoice/SKILL.md
    ---
    name: refund-invoice
    description: Refunds a paid invoice when the user asks for it.
    ---

    # Refund an invoice
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card when the user asks for it.
    version: 1.0.0
    ---

    # Pay an invoice

    ## When to invoke this skill

    When the user wants to pay an invoice.
    ```
    """
    end = skill.source.find("\n") - 1
    if end < 0 or skill.source[end] != "\r":
        return
    if _digest_covers(skill):
        what = "a digest covers this file, and git may change its CRLF line ends"
    elif _siblings_have_lf(skill):
        what = "the lines end with CRLF, those of the skills beside it with LF"
    else:
        return
    if _has_right_digest(skill):
        hint = "keep the bytes by a line '*.md -text' in .gitattributes, or write LF and then the new digest"
        yield Problem(Span(0, end), what, hint=hint)
        return
    edits = []
    at = -1
    while (at := skill.source.find("\r\n", at + 1)) >= 0:
        edits.append(Edit(at, at + 1, ""))
    yield Problem(Span(0, end), what, Fix("end all lines with LF", tuple(edits), True))


def _digest_covers(skill: Skill) -> bool:
    if skill.site is None or "/.well-known/" not in skill.location:
        return False
    for folder in WELL_KNOWN:
        if skill.location.startswith(f"{skill.site.path.rstrip('/')}/{folder}/"):
            index = skill.site.read(f"{folder}/index.json") or b""
            return b'"digest"' in index or b'"sha256"' in index
    return False


def _siblings_have_lf(skill: Skill) -> bool:
    """Whether most of the first few skills beside this one have LF line ends."""
    if skill.folder is None or skill.folder.is_repository:
        return False
    own = skill.folder.name
    names = [name for name, kind in skill.folder.entries("..").items() if kind == "folder" and name != own]
    found = [skill.folder.read(f"../{name}/SKILL.md") for name in sorted(names)[:5]]
    ends = [b"\r\n" in raw[:400] for raw in found if raw]
    return len(ends) > 0 and sum(ends) * 2 < len(ends)


@rule("file-over-cap", "SKL026", on=Document, raw=True, asked_by={"advice": advice("error")})
def file_over_cap(document: Document, ask: Ask) -> Iterator[Problem]:
    """The file is too large, or nested too deeply, to be read at all.

    Every reader has a limit. This one reads files up to 5,000,000 bytes, frontmatter up to
    65,536 characters and 64 levels of nesting; what lies beyond is reported, not judged.

    ```yaml bad
    metadata: [70 times: [][70 times: ]]
    ```
    ```yaml good
    metadata:
      team: billing
    ```
    """
    if document.size > MAX_BYTES:
        yield Problem(Span(0, 0), f"the file has {document.size:,} bytes; {MAX_BYTES:,} are read at most")
    elif isinstance(document, Skill) and document.fault is not None and document.fault.kind == "depth":
        message = f"the frontmatter nests deeper than {MAX_DEPTH} levels"
        if document.fault.detail == "size":
            message = f"the frontmatter has more than {MAX_FRONTMATTER:,} characters"
        yield Problem(document.fault.span, message)
