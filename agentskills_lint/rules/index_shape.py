"""The shape of an index.json: the fields of its dialect, their types, which dialect it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.registries import WELL_KNOWN, Entry, Index, is_current
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.rules.json_edits import literal
from agentskills_lint.rules.json_syntax import called, first_token
from agentskills_lint.site import Listing, Site
from agentskills_lint.specs import DISCOVERY, DUALNOVA, INDEXES, KEBAB, SCHEMA_URI, Field, IndexTable
from agentskills_lint.trees import Node
from agentskills_lint.urls import is_absolute
from agentskills_lint.wording import closest, shown

_DUALNOVA = DUALNOVA + "#index-fields"

_CURRENT = f"{WELL_KNOWN[0]}/index.json"

_UNREADABLE = ("not-utf8", "file-over-cap", "empty-file", "merge-conflict", "json-syntax")


# --- index-schema ---------------------------------------------------------------------------------


@rule(
    "index-schema",
    "SKL801",
    on=Index,
    needs=_UNREADABLE,
    each=True,
    asked_by={
        "discovery": must(DISCOVERY + "#index-format", dialect="discovery"),
        "dualnova": must(_DUALNOVA, dialect="dualnova"),
    },
)
def index_schema(index: Index, ask: Ask) -> Iterator[Problem]:
    """The index lacks fields of its dialect, or has values of another type.

    Clients read an index by the fields that its dialect names. An entry without them is left
    out, and some clients then drop the whole index, so that one slip hides all skills of the
    site. The dialects are version 0.2 of the discovery draft, its version 0.1 and DualNova's
    draft; `schemas/` has a JSON Schema of each.

    An index in a format of one's own is one finding: it names the nearest dialect and what is
    missing for it.

    ```entry bad
    "type": "skill",
    "url": "pay-invoice/SKILL.md"
    ```
    ```entry bad
    {
      "name": "pay-invoice",
      "description": "Pays an open invoice by card. Use when the user wants to pay, not for refunds.",
      "url": "pay-invoice/SKILL.md"
    }
    ```
    ```json good
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": [
        {
          "name": "pay-invoice",
          "type": "skill-md",
          "description": "Pays an open invoice by card. Use when the user wants to pay, not for refunds.",
          "url": "pay-invoice/SKILL.md",
          "digest": "sha256:[sha256 of .well-known/agent-skills/pay-invoice/SKILL.md]"
        }
      ]
    }
    ```
    """
    root = index.root
    if root is None or root.kind != "map":
        return
    if not index.dialects:
        yield _foreign(index, root, ask.dialect)
        return
    dialect = "dualnova-0.1" if ask.dialect == "dualnova" else f"discovery-{index.discovery or '0.2'}"
    alike: dict[tuple[object, ...], list[tuple[Problem, int]]] = {}
    for path, (error, *others), count in _faults(index, dialect):
        place = _place(index, root, path)
        problem: Problem | None = None
        if error.validator == "required":
            missing = [name for name in error.missing if not _is_said_elsewhere(name, place.node)]
            problem = _lacks(missing, place, dialect) if missing else None
            kind: tuple[object, ...] = (len(path), tuple(missing))
        else:
            error = min((error, *others), key=lambda fault: _ORDER.index(fault.validator))
            problem = _wrong(error, place)
            kind = (len(path), *path[2:3], error.validator)
        if problem is not None:
            alike.setdefault(kind, []).append((problem, count))
    for problems in alike.values():
        total = sum(count for _, count in problems)
        if total <= _MOST_ALIKE:
            yield from (problem for problem, _ in problems)
        else:
            first = problems[0][0]
            yield first._replace(message=f"{first.message}; {total - 1:,} more entries have the same fault")


_MOST_ALIKE = 20
"""Entries with the same fault that are told one by one."""


class _Fault(NamedTuple):
    """What the JSON Schema says: the keyword, its value, the missing keys where it is `required`."""

    validator: str
    wanted: Any
    missing: tuple[str, ...] = ()


_ORDER = ("type", "enum", "pattern")
_OTHER_RULES = frozenset(
    {
        ("enum", "$schema"),  # index-dialect
        ("not", "$schema"),  # index-dialect
        ("pattern", "digest"),  # index-digest-format
        ("contains", "files"),  # index-files
        ("maxLength", "name"),  # name-length
        ("maxLength", "description"),  # description-length
    }
)
"""Keywords and keys of which another rule speaks, in more words."""

Path = tuple[str | int, ...]


def _faults(index: Index, dialect: str) -> Iterator[tuple[Path, list[_Fault], int]]:
    """What is wrong, by the place of the value, with the number of entries for which it speaks.

    Of a list of texts its first item speaks for all, and of many entries of the same shape the first one.
    """
    import json

    from agentskills_lint import schemas

    # numbers are only told from texts, and those of thousands of digits are no int for Python
    value = json.loads(index.source, parse_int=float)
    shapes: dict[object, list[int]] = {}
    skills = value.get("skills")
    if isinstance(skills, list):
        fields = INDEXES[dialect].entry
        for number, entry in enumerate(skills):
            shapes.setdefault(_shape(entry, fields), []).append(number)
        asked = sorted(n for numbers in shapes.values() for n in numbers[: 1 if len(numbers) > _MOST_ALIKE else None])
        value["skills"] = [skills[number] for number in asked]
    counts = {numbers[0]: len(numbers) for numbers in shapes.values() if len(numbers) > _MOST_ALIKE}
    found: dict[Path, list[_Fault]] = {}
    last: Path = ()
    for error in schemas.validator(schemas.index_schema(dialect)).iter_errors(value):
        path: Path = tuple(error.absolute_path)
        keyword = str(error.validator)
        if path and (keyword, path[-1]) in _OTHER_RULES:
            continue
        if keyword == "required":
            missing = tuple(name for name in error.validator_value if name not in error.instance)
            found[path] = [_Fault(keyword, None, missing)]  # the same for each of the keys
        elif len(path) < 4:
            found.setdefault(path, []).append(_Fault(keyword, error.validator_value))
        elif path[:3] != last:
            last = path[:3]
            found[path] = [_Fault(keyword, error.validator_value)]
    for path, errors in found.items():
        if len(path) > 1 and isinstance(path[1], int):
            number = asked[path[1]]
            yield (path[0], number, *path[2:]), errors, counts.get(number, 1)
        else:
            yield path, errors, 1


def _shape(entry: object, fields: tuple[Field, ...]) -> object:
    """What the schema looks at in an entry: two of the same shape have the same faults."""
    if not isinstance(entry, dict):
        return type(entry)
    shape = (_shape_of(entry[field.name], field) if field.name in entry else None for field in fields)
    return (isinstance(entry.get("sha256"), str), *shape)  # of the latter index-digest-format speaks


def _shape_of(value: object, field: Field) -> object:
    if isinstance(value, str):
        return value in field.words if field.words else 2 if not value else 3 if value.isspace() else str
    if isinstance(value, list):
        return next((at for at, item in enumerate(value) if not isinstance(item, str)), list)
    return type(value)


class _Place(NamedTuple):
    """A value that the schema speaks of, what holds it, the entry in which it stands and its number from 1."""

    node: Node
    holder: Node
    entry: Node | None
    number: int

    @property
    def owner(self) -> str:
        """What has or lacks a field: the index, or one of its entries."""
        if self.entry is None:
            return "the index"
        name = self.entry.get("name")
        if name is not None and name.tag == "str" and name.is_text:
            return f"the entry {shown(name.value)}"
        return f"entry {self.number}"


def _place(index: Index, root: Node, path: Path) -> _Place:
    node = holder = root
    entry, number = None, 0
    for depth, part in enumerate(path):
        holder = node
        if depth == 0 and part == "skills" and index.skills is not None:
            node = index.skills  # a search for each of many entries would take its time
        else:
            node = node.items[part] if isinstance(part, int) else node[part]
        if depth == 1 and isinstance(part, int):
            entry, number = node, part + 1
    return _Place(node, holder, entry, number)


def _is_said_elsewhere(name: str, owner: Node) -> bool:
    """Whether another rule speaks of a missing key."""
    if name == "$schema":
        return True  # index-dialect
    instead = owner.get("sha256")
    return name == "digest" and instead is not None and instead.tag == "str"  # index-digest-format


def _listed(names: list[str], word: str = "and") -> str:
    return _joined([f"'{name}'" for name in names], word)


def _joined(names: list[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


_INSTEAD = {
    "name": ("id", "slug", "skill", "skill_name"),
    "description": ("summary", "desc", "about"),
    "url": ("path", "href", "link", "file", "skill_url", "archive_url", "endpoint", "entrypoint", "location"),
    "title": ("label", "display_name", "displayName"),
    "skills": ("skill", "entries", "items", "agent_skills", "agentSkills"),
    "files": ("file", "resources", "entry"),
    "digest": ("hash", "checksum", "sha", "integrity"),
    "provider": ("publisher", "organization", "organisation", "author"),
}
"""Keys that are found in place of those that clients look for."""


def _instead(name: str, owner: Node, table: tuple[Field, ...]) -> Node | None:
    """The key that stands where another one should, or None."""
    known = {field.name for field in table}
    keys = {item.key.value: item.key for item in owner.items if item.key is not None and item.key.value not in known}
    for key in _INSTEAD.get(name, ()):
        if key in keys:
            return keys[key]
    exact = next((key for text, key in keys.items() if text.lower().replace("-", "_") == name), None)
    near = closest(name, keys) if exact is None and len(keys) <= 30 else None
    return keys[near] if near is not None else exact


def _lacks(missing: list[str], place: _Place, dialect: str) -> Problem:
    table = INDEXES[dialect].fields if place.entry is None else INDEXES[dialect].entry
    message = f"{place.owner} has no {_listed(missing, 'or')}"
    instead = {name: key for name in missing if (key := _instead(name, place.node, table)) is not None}
    if instead:
        slips = [f"{shown(key.value)} to be '{name}'" for name, key in instead.items()]
        message += f"; did you mean {_joined(slips)}?"
    related = [Related(key, f"is this the {name}?") for name, key in instead.items()]
    if place.entry is not None:
        files = place.entry.get("files") if dialect == "discovery-0.2" else None
        if files is not None and files.key is not None:
            related.append(Related(files.key, "version 0.2 has no 'files'"))
        if dialect == "discovery-0.1":
            message += "; some clients then drop the whole index"
    samples = [
        f'"{field.name}": {_sample(field, place.entry)}'
        for field in table
        if field.name in missing and field.name not in instead
    ]
    todo = [f"rename {shown(key.value)}" for key in instead.values()] + (
        [f"add {', '.join(samples)}"] if samples else []
    )
    return Problem(first_token(place.node), message, related=tuple(related), hint=", ".join(todo))


def _sample(field: Field, entry: Node | None) -> str:
    if field.type in ("entries", "texts"):
        return f'["{field.example}"]' if field.example else "[...]"
    if field.name == "digest":
        return '"sha256:..." with the 64 hex digits of the file'
    name = entry.get("name") if entry is not None and field.name == "url" else None
    if name is not None and name.tag == "str" and re.fullmatch(KEBAB, name.value):
        return f'"{field.example.replace("pay-invoice", name.value)}"'
    return f'"{field.words[0] if field.words else field.example}"'


def _wrong(fault: _Fault, place: _Place) -> Problem | None:
    node = place.node
    where = first_token(node)
    if fault.validator == "type":
        return _wrong_type(place, {"string": "text", "array": "an array", "object": "an object"}[fault.wanted])
    name = node.key.value if node.key is not None else ""
    if name != "type" and (node.value == "" or node.value.isspace()):
        return Problem(where, f"{name!r} is {'blank' if node.value else 'empty'}", hint=f"write the {name}, as text")
    if name == "type":
        wanted = _listed(list(fault.wanted), "nor")
        message = f"{name!r} is {shown(node.value)}, which is neither {wanted}; clients skip the entry"
        return Problem(where, message, hint=_type_hint(place.holder))
    return None  # name-kebab-case, name-unicode; of the version index-dialect


def _wrong_type(place: _Place, wanted: str) -> Problem:
    node, key = place.node, place.node.key
    where = first_token(node)
    if node is place.entry:
        message = f"{place.owner} must be an object, not {called(node)}"
        return Problem(where, message, hint='write {"name": ...}, or remove it')
    if key is None:
        of = place.holder.key
        return Problem(where, f"{of.value if of is not None else ''!r} may hold nothing but text, not {called(node)}")
    hint: str | None = None
    if node.tag == "null":
        hint = "write a value, or leave the key out"
    elif node.kind == "scalar" and wanted == "text":
        hint = f'write "{shown(node.value)[1:-1]}", in quotes'
    elif node.tag == "str" and wanted == "an array":
        hint = "put [ ] around it"
    return Problem(where, f"{key.value!r} must be {wanted}, not {called(node)}", hint=hint)


def _type_hint(entry: Node) -> str:
    """What to write as the type, by the entry's address."""
    url = entry.get("url")
    path = re.split("[?#]", url.value, maxsplit=1)[0].lower() if url is not None else ""
    if path.endswith(".md"):
        return "write 'skill-md'"
    if path.endswith((".zip", ".tar.gz", ".tgz")):
        return "write 'archive'"
    return "write 'skill-md' for a SKILL.md, 'archive' for a bundle with one; an index lists nothing else"


def _foreign(index: Index, root: Node, dialect: str) -> Problem:
    """An index of no known dialect: what it lacks for the nearest."""
    table = INDEXES["dualnova-0.1" if dialect == "dualnova" else "discovery-0.2"]
    missing = [f"'{name}'" for name in table.missing(item.key.value for item in root.items if item.key is not None)]
    if table.fields[0].name == "$schema" and root.get("$schema") is not None:
        missing.insert(0, "the right '$schema'")
    parts = [f"{_joined(missing)} {'is' if len(missing) == 1 else 'are'} missing at the top"] if missing else []
    related = []
    skills = index.skills
    if skills is None:
        key = _instead("skills", root, table.fields)
        related = [Related(key, "are these the skills?")] if key is not None else []
    elif skills.kind != "list":
        parts.append(f"'skills' must be an array, not {called(skills)}")
    elif skills.items and not any(item.kind == "map" for item in skills.items):
        parts.append("each entry must be an object")
    else:
        in_entries, everywhere = _missing_in_entries(skills, table)
        if in_entries:
            verb = "" if missing else " is missing" if len(in_entries) == 1 else " are missing"
            parts.append(f"{_listed(in_entries)}{verb} in {'each entry' if everywhere else 'entries'}")
    message = f"the index follows no known dialect; the nearest is {table.title}, for which {' and '.join(parts)}"
    return Problem(first_token(root), message, related=tuple(related), hint=f"see {table.url}")


def _missing_in_entries(skills: Node, table: IndexTable) -> tuple[list[str], bool]:
    """What is missing in entries, and whether all of them lack all of it."""
    lacking = [
        table.missing_in_entry(part.key.value for part in item.items if part.key is not None)
        for item in skills.items
        if item.kind == "map"
    ]
    names = [field.name for field in table.entry if any(field.name in missing for missing in lacking)]
    return names, all(missing == names for missing in lacking)


# --- index-dialect --------------------------------------------------------------------------------


@rule(
    "index-dialect",
    "SKL802",
    on=Index,
    needs=_UNREADABLE,
    each=True,
    asked_by={
        "discovery": must(DISCOVERY + "#versioning", dialect="discovery"),
        "dualnova": should(_DUALNOVA, dialect="dualnova"),
    },
)
def index_dialect(index: Index, ask: Ask) -> Iterator[Problem]:
    """The index does not say which version it follows, or names one that nobody knows.

    Clients of the discovery draft compare `$schema` letter by letter with the addresses that
    they know. An index with another one, be it only a slash at the end, is not read. Without any
    they take the index for version 0.1, whose entries have other fields. There is one address
    for version 0.2 and none for 0.1; addresses on agentskills.io that tools have made up are
    unknown to all clients. DualNova's draft has `"version": "1.0"` for the same purpose.

    ```json bad
    {
      "$schema": "https://agentskills.io/schemas/v0.2.0/index.json",
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
    root = index.tree
    if root is None:
        return
    if ask.dialect == "dualnova":
        version = root.get("version") if index.is_dualnova else None
        if version is not None and version.tag == "str" and version.is_text and version.value != "1.0":
            message = f"version {shown(version.value)} is not '1.0', the only one that the draft knows"
            yield Problem(version, message, hint='write "1.0"')
        return
    declared = root.get("$schema")
    if declared is None:
        if index.discovery == "0.2":
            yield Problem(
                first_token(root),
                "the index has no '$schema', so clients take it for version 0.1, whose entries have 'files'",
                hint=f'add "$schema": "{SCHEMA_URI}"',
            )
    elif declared.tag != "str":
        if index.discovery == "0.1":
            yield Problem(first_token(declared), "an index of version 0.1 has no '$schema'", hint="remove it")
    elif index.discovery == "0.1":
        yield Problem(
            declared, f"clients do not read an index with the unknown '$schema' {shown(declared.value)}; "
            "version 0.1, whose entries have 'files', has none",
            hint="remove it, or publish the index in version 0.2",
        )  # fmt: skip
    elif index.discovery == "0.2" and declared.value != SCHEMA_URI:
        yield Problem(declared, _unknown(declared.value), hint=f'write "{SCHEMA_URI}"')


def _unknown(address: str) -> str:
    if not address.strip():
        return f"'$schema' is {'blank' if address else 'empty'}, so clients do not read the index"
    if not is_current(address):
        return f"the '$schema' {shown(address)} is unknown, so clients do not read the index"
    faults = []
    if address != address.strip():
        faults.append("blanks")
    bare = address.strip()
    scheme = bare.partition("://")[0]
    if scheme != "https":
        faults.append(f"{scheme}:")
    if "#" in bare:
        faults.append("a '#'")
    if bare.partition("#")[0].endswith("/"):
        faults.append("a slash at the end")
    if "://www." in bare.lower():
        faults.append("'www.'")
    if bare != bare.lower():
        faults.append("capital letters")
    listed = " and ".join(faults)
    return (
        f"the '$schema' {shown(address)} differs from that of version 0.2 by {listed}, so clients do not read the index"
    )


# --- index-both-dialects --------------------------------------------------------------------------


@rule("index-both-dialects", "SKL817", on=Site, fix="unsafe", asked_by={"advice": advice("note")})
def index_both_dialects(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index could serve the clients of both drafts with a few more fields.

    Version 0.2 of the discovery draft and DualNova's draft share the address of the index, the
    key `skills` and the names of the entries' main fields; clients ignore what they do not know.
    A complete index of DualNova's needs `$schema`, and `type` and `digest` in each entry. An index of
    version 0.2 is told where it has a provider or titles already, so that only a few fields are
    missing. Where they can be taken from the site, the fix adds them.

    ```json bad
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "publisher": {"name": "Acme", "url": "https://acme.example"},
      "skills": [
        {
          "name": "pay-invoice",
          "type": "skill-md",
          "description": "Pays an open invoice by card. Use when the user wants to pay, not for refunds.",
          "url": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md",
          "digest": "sha256:[sha256 of .well-known/agent-skills/pay-invoice/SKILL.md]"
        }
      ]
    }
    ```
    ```entry good
    "url": "pay-invoice/SKILL.md"
    ```
    """
    for index in site.indexes:
        root = index.tree
        if root is None or not index.entries or index.skills is None:
            continue
        if index.is_dualnova and index.discovery is None and _is_complete(index, root, "dualnova-0.1"):
            yield _for_discovery(site, index, root)
        elif index.discovery == "0.2" and not index.is_dualnova and _is_complete(index, root, "discovery-0.2"):
            problem = _for_dualnova(site, index, root)
            if problem is not None:
                yield problem


def _is_complete(index: Index, root: Node, dialect: str) -> bool:
    """Whether all that a dialect requires is there, so that nothing else comes first."""
    table = INDEXES[dialect]
    if index.skills is None or any(item.kind != "map" for item in index.skills.items):
        return False
    return _has_all(root, table.fields) and all(_has_all(item, table.entry) for item in index.skills.items)


def _has_all(owner: Node, fields: tuple[Field, ...]) -> bool:
    for field in fields:
        node = owner.get(field.name)
        if node is None:
            if field.required:
                return False
        elif field.type == "text":
            if node.tag != "str" or not node.is_text or (field.words and node.value not in field.words):
                return False
        elif node.kind != "list" or (field.type == "texts" and any(item.tag != "str" for item in node.items)):
            return False
    return True


def _could(drafts: str, top: list[str], inside: list[str]) -> str:
    parts = [_listed(top)] if top else []
    if inside:
        parts.append(f"in each entry, {_listed(inside)}")
    return f"clients of {drafts} could read this index as well if it had {' and, '.join(parts)}"


def _for_discovery(site: Site, index: Index, root: Node) -> Problem:
    """What an index of DualNova's lacks for clients of discovery."""
    declared = root.get("$schema")
    edits = [_added(index, root, [("$schema", SCHEMA_URI)])]
    if declared is not None:
        edits = [Edit(*declared.span, literal(SCHEMA_URI))]
    inside: set[str] = set()
    can_add = True
    for entry in index.entries:
        pairs = _pairs_for_discovery(site, index, entry)
        inside.update(name for name, _ in pairs)
        if entry.node is not None and pairs:
            edits.append(_added(index, entry.node, [(name, value or "") for name, value in pairs]))
        can_add = can_add and all(value for _, value in pairs)
    fix = Fix("add what clients of discovery 0.2 need", tuple(edits), False) if can_add else None
    message = _could("discovery 0.2", ["$schema"], sorted(inside, reverse=True))
    hint = f"write the SHA-256 of each file; {SCHEMA_URI} is the $schema" if fix is None else None
    return Problem((index, first_token(root)), message, fix, hint=hint)


def _pairs_for_discovery(site: Site, index: Index, entry: Entry) -> list[tuple[str, str | None]]:
    """What an entry lacks, the values None where the site does not tell them."""
    import hashlib

    target = site.target(Listing(index, entry))
    raw = site.read(target.path) if target.kind == "file" and target.path.lower().endswith(".md") else None
    digest = f"sha256:{hashlib.sha256(raw).hexdigest()}" if raw is not None else None
    if (kind := entry.field("type")) is not None:
        return [("digest", digest if kind.value == "skill-md" else None)]
    return [("type", "skill-md" if raw is not None else None), ("digest", digest)]


def _for_dualnova(site: Site, index: Index, root: Node) -> Problem | None:
    """What an index of discovery 0.2 lacks for clients of DualNova's draft, where that is little."""
    untitled = [entry for entry in index.entries if entry.text("title") is None]
    provider = _provider(root)
    if (provider is None and untitled) or not all(is_absolute(entry.href) for entry in index.entries):
        return None
    values = {"version": "1.0", "provider": provider, "provider_url": _provider_url(site, root)}
    missing = [name for name in values if root.get(name) is None]
    if not missing and not untitled:
        return None
    version = root.get("version")
    can_add = all(values[name] for name in missing) and (version is None or version.value == "1.0")
    edits = [_added(index, root, [(name, values[name] or "") for name in missing])] if missing else []
    for entry in untitled:
        can_add = can_add and entry.field("title") is None
        words = (entry.name or "").replace("-", " ")
        if entry.node is not None:
            edits.append(_added(index, entry.node, [("title", words[:1].upper() + words[1:])]))
    fix = Fix("add what clients of DualNova's draft need", tuple(edits), False) if can_add else None
    message = _could("DualNova's draft", missing, ["title"] if untitled else [])
    return Problem((index, first_token(root)), message, fix)


def _provider(root: Node) -> str | None:
    """The name of who publishes the skills, as the index tells it."""
    for key in ("provider", "publisher"):
        node = root.get(key)
        if node is not None and node.kind == "map":
            node = node.get("name")
        if node is not None and node.tag == "str" and node.is_text:
            return node.value
    return None


def _provider_url(site: Site, root: Node) -> str | None:
    """The address of the site: that of the publisher, else the origin."""
    publisher = root.get("publisher")
    node = publisher.get("url") if publisher is not None else None
    if node is not None and is_absolute(node.value):
        return node.value
    return site.origin.url


def _added(index: Index, owner: Node, pairs: list[tuple[str, str]]) -> Edit:
    """The edit that adds keys to an object, in front of `skills` in that of the root, else at the end."""
    source = index.source
    keys = [item.key for item in owner.items if item.key is not None]
    lead = source[owner.span.start + 1 : keys[0].span.start]
    colon = source[keys[0].span.end : owner.items[0].span.start]
    comma = source[owner.items[0].span.end : keys[1].span.start] if len(keys) > 1 else f",{lead or ' '}"
    text = comma.join(f"{literal(key)}{colon}{literal(value)}" for key, value in pairs)
    if owner is index.root and index.skills is not None and index.skills.key is not None:
        at = index.skills.key.span.start
        return Edit(at, at, text + comma)
    end = owner.items[-1].span.end
    return Edit(end, end, comma + text)


# --- index-outdated -------------------------------------------------------------------------------


@rule("index-outdated", "SKL861", on=Site, asked_by={"advice": advice("note", DISCOVERY + "#v020")})
def index_outdated(site: Site, ask: Ask) -> Iterator[Problem]:
    """The index follows version 0.1 of the discovery draft, and none follows 0.2.

    Version 0.2 has moved the index from `/.well-known/skills/` to `/.well-known/agent-skills/` and
    replaced `files` by `type`, `url` and `digest`. Clients of 0.2 do not look at the old address. An
    index of 0.1 for older clients beside one of 0.2 is fine.

    ```entry bad
    "files": ["SKILL.md"]
    ```
    ```entry good
    "type": "skill-md",
    "url": "pay-invoice/SKILL.md"
    ```
    """
    old = [index for index in site.indexes if index.discovery == "0.1"]
    if not old or any(index.discovery == "0.2" for index in site.indexes):
        return
    index, *others = old
    look, hint = f"look at /{_CURRENT} and ", "publish an index of version 0.2 there, beside this one for older clients"
    if index.site_path == _CURRENT:
        look, hint = "", "write it in version 0.2"
        if not others:
            hint += "; for older clients publish this one at /.well-known/skills/index.json"
    yield Problem(
        (index, _skills_key(index)),
        f"the index follows version 0.1; clients of 0.2 {look}want '$schema' and, in each entry, "
        "'type', 'url' and 'digest'",
        related=tuple(Related((other, _skills_key(other)), "this one, too") for other in others),
        hint=hint,
    )


def _skills_key(index: Index) -> Span:
    key = index.skills.key if index.skills is not None else None
    return key.span if key is not None else Span(0, 0)
