"""The frontmatter fields: their types, what they may hold, keys that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask, may, must, rule, should
from agentskills_lint.specs import (
    AGENTSKILLS,
    CLIENT_FIELDS,
    CLIENT_NAMESPACES,
    DISCOVERY,
    DUALNOVA,
    INDEXES,
    SEMVER,
    SEMVER_LIKE,
    SEMVER_NUMBER,
    SEMVER_SUFFIX,
    SPECS,
    WSP,
)
from agentskills_lint.trees import Node, yaml_tree
from agentskills_lint.wording import quoted, shown

_AGENTSKILLS = AGENTSKILLS + "#frontmatter"
_DISCOVERY = DISCOVERY + "#relationship-to-existing-specifications"
_DUALNOVA_REQUIRED = DUALNOVA + "#frontmatter--required-fields"
_DUALNOVA_OPTIONAL = DUALNOVA + "#frontmatter--optional-fields"
_WSP_REQUIRED = WSP + "#required-fields"
_WSP_OPTIONAL = WSP + "#optional-fields"

_TYPED = ("field-empty", "field-type")
_READ = ("yaml-anchor", "field-typo", "yaml-comment-cut")
"""What decides which value a field has at all."""


# --- what the rules about fields share ------------------------------------------------------------


def head(node: Node, document: Document) -> Span:
    """The first line of a value: findings on several lines are not shown in reviews."""
    start, end = node.span
    for newline in "\n\r":
        found = document.source.find(newline, start, end)
        end = found if found >= 0 else end
    return Span(start, start + len(document.source[start:end].rstrip()))


def written(text: str, style: str) -> str:
    """A text as a value on one line: in the style of old where it reads back as the same text."""
    if style == "":
        tree, _ = yaml_tree(f"k: {text}")
        node = tree.get("k") if tree is not None else None
        if node is not None and node.plain and node.value == text and node.tag == "str":
            return text
    return quoted(text, style or '"')


def _sort(node: Node) -> str:
    """What readers of both YAML 1.1 and 1.2 make of a value: a tag of `Node.tag`, "alias" or "tagged".

    Where the two differ (`no`, `1_000`, `1:30`) it is "str": yaml-ambiguous speaks of these. A
    date is one to most readers.
    """
    if node.given_tag is not None:
        name = node.given_tag.removeprefix("tag:yaml.org,2002:")
        return name if name in ("str", "int", "float", "bool", "null", "map") else "list" if name == "seq" else "tagged"
    tag = node.tag
    if tag in ("int", "float"):
        value = node.value
        return "str" if "_" in value or ":" in value or value.lstrip("+-").startswith("0b") else tag
    if tag == "bool":
        return tag if node.value.lower() in ("true", "false") else "str"
    return tag


_NAMES = {
    "int": "a number", "float": "a number", "bool": "a boolean", "date": "a date", "list": "a list",
    "map": "a mapping", "str": "text",
}  # fmt: skip


def _quoting(node: Node, safe: bool) -> Fix:
    return Fix("put it in quotes", (Edit(*node.span, quoted(node.value)),), safe)


_SEPARATORS = str.maketrans("", "", "-_. ")
_CLIENT_VARIANTS = {name.lower().translate(_SEPARATORS): name for name in CLIENT_FIELDS}
_OTHER_WORDS = frozenset(
    {"appversion", "contract", "contracts", "descriptor", "licensee", "openai", "provide", "provided", "provides"}
)


def meant(word: str, known: Iterable[str]) -> str | None:
    """The field that a key was meant to be: the same in other letters or with other separators, or a slip.

    A longer word that begins with the field (`authors`, `author_id`), its singular (`language`) and
    the fields of clients are words of their own.
    """
    bare = word.lower().translate(_SEPARATORS)
    if not bare or bare in _CLIENT_VARIANTS or bare in _OTHER_WORDS:
        return None
    near = []
    for field in sorted(known):
        target = field.lower().translate(_SEPARATORS)
        if bare == target:
            return field if word != field else None
        if _could_be_slip(bare, target) and not (bare + "s" == target == field):
            near.append((target, field))
    if not near:
        return None
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, "", bare, autojunk=False)
    best, found = 0.84, None
    for target, field in near:
        matcher.set_seq1(target)
        if len(target) >= 6 and (ratio := matcher.ratio()) >= best:
            best, found = ratio, field
        elif found is None and _are_swapped(bare, target):
            found = field
    return found


def _could_be_slip(bare: str, target: str) -> bool:
    if bare[0] != target[0] or abs(len(bare) - len(target)) > 2 or len(target) < 4:
        return False
    return not bare.startswith(target) or bare[len(target) :] == target[-1]


def _are_swapped(bare: str, target: str) -> bool:
    """Whether two letters changed places: neighbours in a short word."""
    pairs = [index for index, (a, b) in enumerate(zip(bare, target, strict=False)) if a != b]
    if len(pairs) != 2 or sorted(bare) != sorted(target):
        return False
    return len(target) >= 6 or pairs[1] == pairs[0] + 1


def _is_name(key: Node | None) -> bool:
    return key is not None and key.kind == "scalar" and key.value not in ("", "<<")


# --- types ----------------------------------------------------------------------------------------

_NOTHING: frozenset[str] = frozenset()
_FORMAT_STRINGS = frozenset({"name", "description", "license", "compatibility"})
_DUALNOVA_STRINGS = frozenset({"name", "description", "provider", "url", "contact", "mcp_server", "openapi"})
_DUALNOVA_BOOLEANS = frozenset({"requires_auth", "requires_payment"})
_WSP_STRINGS = frozenset({"name", "description", "author", "auth", "base_url", "contact"})
_VERSION = frozenset({"version"})
_METADATA = frozenset({"metadata"})

_TRUE = frozenset({"true", "yes", "on", "y"})
_FALSE = frozenset({"false", "no", "off", "n"})


@rule(
    "field-type",
    "SKL105",
    on=Skill,
    at=tuple(sorted(_FORMAT_STRINGS | _DUALNOVA_STRINGS | _DUALNOVA_BOOLEANS | _WSP_STRINGS | _VERSION | _METADATA)),
    needs=("field-empty", "yaml-anchor", "email-obfuscated"),
    fix="unsafe",
    asked_by={
        "agentskills": must(_AGENTSKILLS, strings=_FORMAT_STRINGS, scalars=_NOTHING, booleans=_NOTHING, maps=_METADATA),
        "discovery": must(_DISCOVERY, strings=_FORMAT_STRINGS, scalars=_NOTHING, booleans=_NOTHING, maps=_METADATA),
        "dualnova": must(
            _DUALNOVA_OPTIONAL, strings=_DUALNOVA_STRINGS, scalars=_VERSION, booleans=_DUALNOVA_BOOLEANS, maps=_NOTHING
        ),
        "wsp": must(_WSP_REQUIRED, strings=_WSP_STRINGS, scalars=_VERSION, booleans=_NOTHING, maps=_NOTHING),
    },
)
def field_type(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The value of a field has the wrong type.

    Clients that expect text and get a number, a list or a mapping fail on it or skip the
    skill. YAML decides by the look of a value: `2026` is a number, `true` a boolean and
    `[text]` a list, unless quotes stand around it; `"true"` in quotes is text. An optional
    field with nothing behind it counts as absent.

    ```yaml bad
    description: 2026
    ```
    ```yaml good
    description: "2026: pay an open invoice by card. Use when the user wants to pay, not for refunds."
    ```
    """
    name = node.key.value if node.key is not None else ""
    sort = _sort(node)
    if sort in ("null", "alias", "tagged"):
        return
    if name in ask.strings or name in ask.scalars:
        yield from _not_text(name, node, skill, sort, name in ask.strings)
    elif name in ask.booleans and sort != "bool":
        yield from _not_boolean(name, node, skill, sort)
    elif name in ask.maps and sort != "map":
        fix = None
        inner, _ = yaml_tree(node.value) if sort == "str" and node.value.startswith("{") else (None, None)
        if inner is not None and _is_plain_map(inner) and not {"\n", "\r"} & {*node.value}:
            fix = Fix("take the quotes off", (Edit(*node.span, node.value),), False)
        hint = None if fix is not None else f"write 'key: value' lines below {name!r}"
        yield Problem(head(node, skill), f"{name!r} must be a mapping, not {_NAMES[sort]}", fix, hint=hint)


def _is_plain_map(node: Node) -> bool:
    """Whether it is a mapping with keys of text alone: `{{x}}` is a mapping as a key."""
    keys = [inner.key for inner in node.walk() if inner.key is not None]
    return node.kind == "map" and all(key.kind == "scalar" for key in keys)


def _not_text(name: str, node: Node, skill: Skill, sort: str, strict: bool) -> Iterator[Problem]:
    if sort in ("list", "map"):
        fix = _with_commas(node, skill) if name == "compatibility" else None
        hint = f"write it as one text{', in quotes if the brackets belong to it' if node.style == 'flow' else ''}"
        message = f"{name!r} must be text, not {_NAMES[sort]}"
        yield Problem(head(node, skill), message, fix, hint=None if fix is not None else hint)
    elif strict and sort != "str":
        fix = _quoting(node, True) if node.given_tag is None else None
        yield Problem(node, f"{name!r} must be text, but {shown(node.value)} is {_NAMES[sort]} to YAML readers", fix)


def _texts(node: Node, skill: Skill) -> list[str]:
    """The items of a list of texts; none where it holds something else, or a comment that would be lost with it."""
    at = skill.source.find(":", node.key.span.end) + 1 if node.key is not None else 0
    if not at or node.given_tag is not None:
        return []
    for item in node.items:
        if item.kind != "scalar" or not item.is_text or item.given_tag is not None:
            return []
        if "#" in skill.source[at : item.span.start]:
            return []
        at = item.span.end
    behind = skill.text.line(skill.text.line_at(node.span.end))[skill.text.position(node.span.end)[1] - 1 :]
    if "#" in skill.source[at : node.span.end] or (node.style != "flow" and "#" in behind):
        return []
    return [item.value for item in node.items]


def _flat(node: Node, skill: Skill, text: str, title: str, safe: bool) -> Fix:
    """Write a text on the line of its key in place of a list."""
    colon = skill.source.find(":", node.key.span.end) if node.key is not None else node.span.start - 1
    around = [parent for parent in (skill.root, skill.field("metadata")) if parent is not None]
    in_flow = any(parent.style == "flow" and any(node is item for item in parent.items) for parent in around)
    return Fix(title, (Edit(colon + 1, node.span.end, f" {quoted(text) if in_flow else written(text, '')}"),), safe)


def _with_commas(node: Node, skill: Skill) -> Fix | None:
    texts = _texts(node, skill) if node.kind == "list" else []
    if not texts or any("," in text or "\n" in text for text in texts):
        return None
    return _flat(node, skill, ", ".join(texts), "write it as one text, with commas", False)


def _not_boolean(name: str, node: Node, skill: Skill, sort: str) -> Iterator[Problem]:
    word = node.value.lower() if sort == "str" else ""
    if node.plain and node.tag == "bool":
        return  # yes, no, on and off: yaml-ambiguous speaks of these
    truth = "true" if word in _TRUE else "false" if word in _FALSE else None
    fix = Fix(f"write {truth} without quotes", (Edit(*node.span, truth),), False) if truth and not node.block else None
    what = f"the text {shown(node.value)}" if sort == "str" else _NAMES[sort]
    yield Problem(
        head(node, skill), f"{name!r} must be true or false, not {what}", fix,
        hint=None if fix is not None else "write true or false, without quotes",
    )  # fmt: skip


# --- keys -----------------------------------------------------------------------------------------


@rule(
    "field-typo",
    "SKL113",
    on=(Skill, Index),
    at={Skill: "*", Index: ("*", "skills[]")},
    fix="unsafe",
    asked_by={
        "agentskills": should(_AGENTSKILLS),
        "discovery": should(_DISCOVERY),
        "dualnova": should(_DUALNOVA_OPTIONAL),
        "wsp": should(_WSP_OPTIONAL),
    },
)
def field_typo(node: Node, document: Skill | Index, ask: Ask) -> Iterator[Problem]:
    """A field's name is misspelt.

    Clients ignore keys that they do not know, so a slip in a key loses the value without a
    word. Capital letters and `_` in place of `-` count: names are compared letter by letter. In an index.json
    only optional fields are told: where a required one is missing, `index-schema` says so.

    ```yaml bad
    licence: MIT
    conatct: billing@acme.example
    ```
    ```yaml bad
    Description: Pays an open invoice.
    ```
    ```yaml good
    description: Pay an open invoice by card. Use when the user wants to pay, not for refunds.
    ```
    """
    if isinstance(document, Index):
        yield from _index_typos(node, document)
        return
    key = node.key
    if key is None or key.value in ask.known or key.value in CLIENT_FIELDS or not _is_name(key) or document.is_page:
        return
    field = meant(key.value, ask.known)
    if field is not None:
        yield _typo(key, field, document.field(field))


def _index_typos(node: Node, index: Index) -> Iterator[Problem]:
    """The misspelt keys of an entry, or that of one value of the index itself."""
    is_entry = node.key is None
    owner = node if is_entry else index.root
    known: dict[str, bool] = {}
    for dialect, table in INDEXES.items():
        for field in table.entry if is_entry else table.fields:
            required = field.required and dialect.partition("-")[0] in index.dialects
            known[field.name] = known.get(field.name, False) or required
    for key in [item.key for item in node.items] if is_entry else [node.key]:
        name = meant(key.value, known) if key is not None and key.value not in known else None
        other = owner.get(name) if name is not None and owner is not None else None
        if key is not None and name is not None and (other is not None or not known[name]):
            yield _typo(key, name, other)


def _typo(key: Node, field: str, other: Node | None) -> Problem:
    if other is None:
        fix = Fix(f"rename it to {field!r}", (Edit(*key.span, written(field, key.style)),), False)
        return Problem(key, f"unknown field {shown(key.value)}, did you mean {field!r}?", fix)
    return Problem(
        key, f"unknown field {shown(key.value)}, did you mean {field!r}, which is there too?",
        related=(Related(other.key, f"{field!r} is here"),),
        hint="keep one of the two",
    )  # fmt: skip


_ALL_FIELDS = frozenset().union(*(spec.fields for spec in SPECS.values()))


@rule(
    "field-misplaced",
    "SKL107",
    on=Skill,
    at="*",
    needs=("yaml-anchor", "duplicate-key"),
    fix="unsafe",
    asked_by={"agentskills": may(AGENTSKILLS + "#metadata-field"), "discovery": may(_DISCOVERY)},
)
def field_misplaced(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A field of another convention stands at the top level.

    The Agent Skills format has six fields; `version`, `author` and their like have their place
    under `metadata`, as strings. Strict validators refuse them at the top level. A skill that
    follows a web convention which asks for them there is not reported.

    ```yaml bad
    version: 1.0.0
    author: Acme # the billing team
    ```
    ```yaml bad
    version: 1.0
    metadata:
      team: billing
    ```
    ```yaml good
    metadata:
      version: "1.0.0"
      author: Acme # the billing team
    ```
    """
    key = node.key
    if key is None or not _is_misplaced(node, ask) or skill.is_page:
        return
    metadata = skill.field("metadata")
    if metadata is not None and (there := metadata.get(key.value)) is not None:
        yield Problem(
            key, f"{key.value!r} is no field of the format at the top level, and 'metadata' has it already",
            related=(Related(there, "here"),), hint="remove the line" if there.value == node.value else None,
        )  # fmt: skip
        return
    fix = _move(node, metadata, skill, ask)
    yield Problem(
        key, f"{key.value!r} is no field of the format at the top level; its place is under 'metadata'", fix,
        hint=None if fix is not None else "write it as one line of text below 'metadata:'",
    )  # fmt: skip


def _is_misplaced(node: Node, ask: Ask) -> bool:
    key = node.key
    return key is not None and key.value in _ALL_FIELDS and key.value not in ask.known and node.kind == "scalar"


class _Line(NamedTuple):
    """An entry of the frontmatter that stands on one line of its own; `text` is how it reads below metadata."""

    start: int
    end: int
    key: str
    value: str
    text: str
    has_comment: bool


def _line(node: Node, skill: Skill) -> _Line | None:
    text = skill.text
    number = text.line_at(node.whole.start)
    start = text.starts[number - 1]
    rest = text.line(number)[node.span.end - start :].rstrip()
    if node.whole.start != start or node.span.end > start + len(text.line(number)) or node.block or not node.is_text:
        return None
    if node.given_tag is not None or node.key is None or (rest and not rest.lstrip().startswith("#")):
        return None
    end = text.starts[number] if number < len(text.starts) else len(skill.source)
    value = skill.source[node.span.start : node.span.end] if node.tag == "str" else quoted(node.value)
    return _Line(start, end, node.key.value, node.value, f"{node.key.value}: {value}{rest}", bool(rest))


def _move(node: Node, metadata: Node | None, skill: Skill, ask: Ask) -> Fix | None:
    """Move a misplaced entry under `metadata`, and all others with it: so their fixes are one and the same."""
    items = skill.front.items if skill.front is not None else []
    keys = [item.key.value for item in items if item.key is not None]
    lines = [
        line
        for item in items
        if _is_misplaced(item, ask) and (line := _line(item, skill)) is not None and keys.count(line.key) == 1
    ]
    if metadata is not None:
        lines = [line for line in lines if metadata.get(line.key) is None]
    if "requires_auth" in ask.known and (metadata is None or metadata.kind != "map"):
        return None  # DualNova's reference validator reads no mappings (yaml-beyond-subset)
    names = [line.key for line in lines]
    if node.key is None or node.key.value not in names:
        return None
    edits = _insertion(lines, metadata, skill)
    if edits is None:
        return None
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return Fix(f"move {listed} under metadata", edits, False)


def _insertion(lines: list[_Line], metadata: Node | None, skill: Skill) -> tuple[Edit, ...] | None:
    newline = skill.text.newline
    gone = tuple(Edit(line.start, line.end, "") for line in lines)
    if metadata is None:
        # the block takes the place of its first entry
        block = "".join(f"  {line.text}{newline}" for line in lines)
        return (Edit(lines[0].start, lines[0].end, f"metadata:{newline}{block}"), *gone[1:])
    key = metadata.key
    if key is None or metadata.given_tag is not None or metadata.anchor is not None:
        return None
    if metadata.style == "flow":
        if any(line.has_comment for line in lines):
            return None
        quote = '"' if any(item.key is not None and item.key.style == '"' for item in metadata.items) else ""
        entries = ", ".join(f"{quote}{line.key}{quote}: {quoted(line.value)}" for line in lines)
        at = metadata.span.start + 1
        if metadata.items:
            entries += "," if skill.source[at].isspace() else ", "
        return (Edit(at, at, entries), *gone)
    if metadata.kind != "map" and not (metadata.plain and metadata.value == ""):
        return None
    number = skill.text.line_at(key.span.start) + 1
    at = skill.text.offset(number)
    first = metadata.items[0].key if metadata.items else None
    if metadata.items and (first is None or first.kind != "scalar" or first.span.start < at):
        return None
    indent = " " * (skill.text.position(first.span.start)[1] - 1) if first is not None else "  "
    block = "".join(f"{indent}{line.text}{newline}" for line in lines)
    return (Edit(at, at, block), *gone)


@rule(
    "field-unknown",
    "SKL106",
    on=Skill,
    at="*",
    needs=("field-typo", "yaml-anchor"),
    asked_by={
        "agentskills": may(_AGENTSKILLS),
        "discovery": may(_DISCOVERY),
        "dualnova": may(_DUALNOVA_OPTIONAL),
        "wsp": may(_WSP_OPTIONAL),
    },
)
def field_unknown(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A field that none of the active specs knows.

    Clients ignore what they do not know, so nothing breaks, but nothing happens either. The
    fields of single clients are named with the client. What is your own is at home under
    `metadata`.

    ```yaml bad
    model: small
    tier: 2
    ```
    ```yaml good
    description: Pay an open invoice by card when the user asks for it. Use when the user wants to pay.
    ```
    """
    key = node.key
    if key is None or key.value in ask.known or not _is_name(key) or skill.is_page:
        return
    if "metadata" in ask.known and _is_misplaced(node, ask):
        return  # field-misplaced speaks of it
    client = CLIENT_FIELDS.get(key.value)
    if client is not None:
        message = f"{key.value!r} is a field of {client}; other clients may ignore it"
        if key.value == "argument-hint" and node.kind == "list":
            source = shown(skill.source[node.span.start : node.span.end])
            yield Problem(key, f"{message}; it is text, and {source} is a list", hint="put it in quotes")
            return
        yield Problem(key, message)
        return
    field = _CLIENT_VARIANTS.get(key.value.lower().translate(_SEPARATORS))
    if field is not None:
        yield Problem(
            key, f"no client knows the field {shown(key.value)}; {CLIENT_FIELDS[field]} knows {field!r}",
            hint=f"write {field!r}",
        )  # fmt: skip
        return
    hint = "put it under 'metadata' if it is your own" if "metadata" in ask.known and node.kind == "scalar" else None
    yield Problem(
        key, f"unknown field {shown(key.value)}: no spec has it, and no client that this linter knows", hint=hint
    )


# --- version, api_version ----------------------------------------------------------------------------

_SEMVER = lazy(SEMVER, re.A)
_SEMVER_LIKE = lazy(SEMVER_LIKE, re.A)
_DATE = lazy(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_ALMOST = lazy(rf"[vV]?({SEMVER_NUMBER})(?:\.({SEMVER_NUMBER}))?(?:\.({SEMVER_NUMBER}))?({SEMVER_SUFFIX})", re.A)
_NUMBERS = lazy(r"[0-9]+(?:\.[0-9]+)*", re.A)


@rule(
    "version-format",
    "SKL108",
    on=Skill,
    at="version",
    needs=_TYPED,
    fix="unsafe",
    asked_by={
        "wsp": must(WSP + "#71-skill-versioning", strict=True),
        "dualnova": should(_DUALNOVA_REQUIRED, strict=False),
    },
)
def version_format(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The version is not written as the spec wants it.

    The Web Skills Protocol asks for Semantic Versioning: three numbers without leading zeros,
    then perhaps a pre-release and a build. DualNova's draft takes one, two or three numbers.
    Agents compare versions number by number, which `v1`, `latest` and `1.x` do not allow.

    ```yaml bad
    version: v1.0.0
    ```
    ```yaml good
    version: 1.0.0
    ```
    ```yaml good
    version: 2.1.0-rc.1+build.5
    ```
    """
    if node.kind != "scalar" or not node.is_text:
        return
    value = node.value
    if (_SEMVER if ask.strict else _SEMVER_LIKE).fullmatch(value):
        return
    wanted = "MAJOR.MINOR.PATCH" if ask.strict else "like a semantic version (1, 1.0 or 1.0.0)"
    better = _nearest_version(value, ask.strict)
    fix = None
    if better is not None and not node.block and node.given_tag is None:
        fix = Fix(f"write {better}", (Edit(*node.span, written(better, node.style)),), False)
    yield Problem(
        head(node, skill), f"version {shown(value)} is not {wanted}{_why(value, ask.strict)}", fix,
        hint=None if fix is not None else "write numbers such as 1.0.0",
    )  # fmt: skip


def _nearest_version(value: str, strict: bool) -> str | None:
    date = _DATE.fullmatch(value)
    if date is not None:
        return ".".join(str(int(number)) for number in date.groups())
    found = _ALMOST.fullmatch(value) if len(value) < 100 else None
    if found is None:
        return None
    return f"{found[1]}.{found[2] or 0}.{found[3] or 0}{found[4]}" if strict else value[1:]


def _why(value: str, strict: bool) -> str:
    if _DATE.fullmatch(value):
        return ": it is a date"
    if value[0] in "vV" and value[1:2].isdecimal():
        return f": it begins with {value[0]!r}"
    if not value.isascii():
        return ": it has characters other than ASCII"
    if value != value.strip():
        return ": it begins or ends with a blank"
    if _NUMBERS.fullmatch(value):
        count = value.count(".") + 1
        if count != 3 and (strict or count > 3):
            return f": it has {count} number{'s' * (count > 1)}"
        return ": it has a number with a leading zero"
    return ""


@rule(
    "api-version-type",
    "SKL112",
    on=Skill,
    at="api_version",
    needs=_READ,
    fix="safe",
    asked_by={"wsp": must(_WSP_OPTIONAL)},
)
def api_version_type(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The API version is read as a number or a date.

    `2` and `1.10` are numbers to YAML and `2026-03-01` is a date. A reader that compares the
    field with the API's own version, which is text, then finds another value: 1.1 instead of
    1.10.

    ```yaml bad
    api_version: 1.10
    ```
    ```yaml good
    api_version: "1.10"
    ```
    """
    sort = node.tag if node.given_tag is None else _sort(node)
    if sort in ("str", "null", "alias", "tagged"):
        return
    if node.kind != "scalar":
        yield Problem(head(node, skill), f"'api_version' must be text, not {_NAMES[sort]}", hint="write one text")
        return
    fix = _quoting(node, True) if node.given_tag is None else None
    yield Problem(node, f"'api_version' must be text, but {shown(node.value)} is {_NAMES[sort]} to YAML readers", fix)


# --- compatibility, metadata, license ----------------------------------------------------------------


@rule(
    "compatibility-length",
    "SKL109",
    on=Skill,
    at="compatibility",
    needs="field-type",
    asked_by={
        "agentskills": must(AGENTSKILLS + "#compatibility-field", max=500),
        "discovery": must(_DISCOVERY, max=500),
    },
)
def compatibility_length(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """`compatibility` is empty or longer than 500 characters.

    The field tells what a skill needs: a product, programs, network access. Most skills need
    nothing and leave it out. Instructions for installing belong in the body.

    ```yaml bad
    compatibility: ""
    ```
    ```yaml good
    compatibility: Needs git, jq and access to the internet
    ```
    """
    if node.kind != "scalar":
        return
    if not node.is_text:
        where = node.key if node.key is not None and node.plain else node
        yield Problem(where, "'compatibility' is empty", hint="remove the field, or say what the skill needs")
        return
    length = len(node.value.rstrip("\n"))
    if length > ask.max:
        yield Problem(
            head(node, skill), f"'compatibility' has {length} characters, {length - ask.max} more than {ask.max} allow",
            hint="keep what the skill needs, and move the rest into the body",
        )  # fmt: skip


@rule(
    "metadata-value",
    "SKL110",
    on=Skill,
    at="metadata.*",
    needs=("field-type", "yaml-anchor"),
    fix="unsafe",
    asked_by={
        "agentskills": must(AGENTSKILLS + "#metadata-field", level="warning"),
        "discovery": must(_DISCOVERY, level="warning"),
    },
)
def metadata_value(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A value of `metadata` is not a string.

    The format maps strings to strings. Most clients take more, some drop the skill: a number,
    a date or a list is then an error to them. Namespaces whose client documents other values
    (`openclaw`, `hermes`, `internal: true`) pass.

    ```yaml bad
    metadata:
      version: 1.5
    ```
    ```yaml good
    metadata:
      version: "1.5"
      openclaw:
        requires:
          bins: [jq]
    ```
    """
    key = node.key
    if key is None or key.value in CLIENT_NAMESPACES:
        return
    sort = _sort(node)
    if sort in ("str", "null", "alias", "tagged"):
        return
    name = shown(f"metadata.{key.value}")
    if sort in ("list", "map"):
        fix = _with_commas(node, skill)
        hint = f"write it as one text{', with commas' * (sort == 'list')}"
        message = f"{name} must be text, not {_NAMES[sort]}"
        yield Problem(head(node, skill), message, fix, hint=None if fix is not None else hint)
        return
    fix = _quoting(node, False) if node.given_tag is None else None
    yield Problem(node, f"{name} must be text, but {shown(node.value)} is {_NAMES[sort]} to YAML readers", fix)


@rule(
    "license-long",
    "SKL114",
    on=Skill,
    at="license",
    needs="field-type",
    asked_by={"agentskills": should(AGENTSKILLS + "#license-field", level="note", max=100)},
)
def license_long(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The licence is longer than a name.

    The name of a licence, or of a file with its text beside SKILL.md, is enough and can be
    compared. Terms and exceptions belong in that file.

    ```yaml bad
    license: >-
      Free for private use by natural persons; companies with more than ten employees need a written agreement
      with the author, which is given on request.
    ```
    ```yaml good
    license: Apache-2.0
    ```
    """
    length = len(node.value.strip()) if node.kind == "scalar" else 0
    if length > ask.max:
        yield Problem(
            head(node, skill), f"'license' has {length} characters; the name of a licence or of a file is enough",
            hint="put the terms into a file beside SKILL.md and name it here",
        )  # fmt: skip


_LICENSE = r"(?:LICEN[CS]E|COPYING|UNLICENSE|NOTICE|EULA)"
_LICENSE_FILE = lazy(
    rf"(?<![\w/.:@~-])(?:\.{{1,2}}/)*(?:[\w-]+/)*{_LICENSE}[\w-]*\.(?:txt|md|rst)(?![\w/-])", re.I | re.A
)
_LICENSE_BARE = lazy(
    rf"(?:(?:[Ss]ee|SEE|[Ii]n|IN) +(?:the +)?(?:file +)?)?({_LICENSE}(?:-[A-Z0-9.-]*[A-Z0-9])?)(?![\w/-]|\.\w)", re.A
)
_ELSEWHERE = lazy(r"://|\brepo(?:sitory)?\b|\broot\b|\bparent\b|\bproject\b|\bupstream\b", re.I | re.A)


@rule(
    "license-file",
    "SKL115",
    on=Skill,
    at="license",
    needs="field-type",
    asked_by={"agentskills": may(AGENTSKILLS + "#license-field")},
)
def license_file(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The licence names a file that is not there.

    Whoever installs the skill gets its folder alone, so the file must lie in it. Names such as
    `LICENSE.txt` and `see LICENSE` are looked up; a file of the repository that is called so
    in words is not.

    ```yaml bad
    license: Complete terms in LICENSE.txt
    ```
    ```yaml good
    license: MIT
    ```
    """
    if node.kind != "scalar" or skill.folder is None or skill.is_page or _ELSEWHERE.search(node.value):
        return
    name = _named_file(node.value)
    if name is None or skill.folder.find(name) is not None:
        return
    folder, _, last = name.rpartition("/")
    entries = skill.folder.entries(folder)
    stem = last.split(".")[0].lower()
    beside = next((entry for entry in sorted(entries) if entry.split(".")[0].lower() == stem), None)
    if beside is not None and beside.split(".")[0] == last:
        return  # LICENSE for LICENSE.txt
    at = skill.source.find(name, *node.span)
    yield Problem(
        Span(at, at + len(name)) if at >= 0 else head(node, skill),
        f"'license' names the file {shown(name)}, which is not in the skill's folder",
        hint=f"the folder has {shown(beside)}" if beside is not None else None,
    )


def _named_file(value: str) -> str | None:
    """The file that a licence plainly names, relative to the skill's folder."""
    if (found := _LICENSE_FILE.search(value)) is not None:
        return found[0]
    for bare in _LICENSE_BARE.finditer(value):
        if bare[0] != bare[1] or bare[1] == value.strip():
            return bare[1]
    return None


# --- allowed-tools ------------------------------------------------------------------------------------


def _tools(text: str) -> list[str] | None:
    """The tools between commas outside parentheses; None where that cannot be told for sure."""
    parts, part, depth = [], "", 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return None
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    parts = [piece.strip() for piece in (*parts, part)]
    return [piece for piece in parts if piece] if depth == 0 and not any(map(_has_blank, parts)) else None


def _has_blank(tool: str) -> bool:
    depth = 0
    for char in tool:
        depth += (char == "(") - (char == ")")
        if depth == 0 and char.isspace():
            return True
    return False


def _has_comma(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth <= 0 and char == ",":
            return True
    return False


@rule(
    "allowed-tools-format",
    "SKL111",
    on=Skill,
    at="allowed-tools",
    needs=_READ,
    fix="safe",
    asked_by={
        "agentskills": must(AGENTSKILLS + "#allowed-tools-field", level="warning"),
        "discovery": must(_DISCOVERY, level="warning"),
    },
)
def allowed_tools_format(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """`allowed-tools` is a list, not one text.

    The format wants the tools in one text with blanks between them. Some clients read a list
    as well, others then grant nothing or refuse the skill. Blanks inside parentheses belong
    to the tool.

    ```yaml bad
    allowed-tools: [Read, Bash(git add *)]
    ```
    ```yaml bad
    allowed-tools:
      - Read
      - Bash(git add *)
    ```
    ```yaml good
    allowed-tools: Read Bash(git add *)
    ```
    """
    sort = _sort(node)
    if sort in ("str", "null", "alias", "tagged"):
        return
    fix = _joined(node, skill) if sort == "list" else None
    yield Problem(
        head(node, skill), f"'allowed-tools' must be one text with blanks between the tools, not {_NAMES[sort]}", fix,
        hint=None if fix is not None else "write the tools on one line with blanks between them",
    )  # fmt: skip


def _joined(node: Node, skill: Skill) -> Fix | None:
    """The list as one text, unless a comment or a tool with a blank would be lost."""
    tools: list[str] = []
    for text in _texts(node, skill):
        found = _tools(text) if text else None
        if not found:
            return None
        tools += found
    return _flat(node, skill, " ".join(tools), "join the tools with blanks", True) if tools else None


@rule(
    "allowed-tools-commas",
    "SKL116",
    on=Skill,
    at="allowed-tools",
    needs=("allowed-tools-format", "yaml-anchor"),
    fix="safe",
    asked_by={"agentskills": may(AGENTSKILLS + "#allowed-tools-field"), "discovery": may(_DISCOVERY)},
)
def allowed_tools_commas(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Commas stand between the tools of `allowed-tools`.

    The format separates tools by blanks. A client that keeps to it takes `Read,` for the name
    of a tool, which none has. Commas inside parentheses belong to the tool.

    ```yaml bad
    allowed-tools: Read, Grep, Bash(git add *)
    ```
    ```yaml good
    allowed-tools: Read Grep Bash(git add *)
    ```
    """
    if node.kind != "scalar" or "," not in node.value or not _has_comma(node.value):
        return
    tools = _tools(node.value)
    fix = None
    if tools and not node.block and not {"\n", "\r"} & {*skill.source[node.span.start : node.span.end]}:
        text = written(" ".join(tools), node.style)
        fix = Fix("separate the tools by blanks", (Edit(*node.span, text),), True)
    yield Problem(
        head(node, skill), f"commas separate the tools in {shown(node.value)}; the format has blanks there", fix,
        hint=None if fix is not None else "write blanks instead of commas between the tools",
    )  # fmt: skip
