"""The files that list a site's skills: index.json in its dialects, skills.txt and agents.txt."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from agentskills_lint.documents import MAX_BYTES, Document, Folder, MarkdownDocument
from agentskills_lint.json_tree import json_tree
from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import Heading, Link, ListItem, Markdown
from agentskills_lint.model import Span
from agentskills_lint.specs import SCHEMA_URI
from agentskills_lint.trees import Node

WELL_KNOWN = (".well-known/agent-skills", ".well-known/skills")
"""Folders of a site that hold an index.json: that of the current drafts, that of discovery 0.1."""

DISCOVERY_FILES = {"skills.txt": "skills", "agents.txt": "agents"}
"""WSP's discovery files and the folder that goes with each."""

INDEX_SLIPS = ("agent-skills.json", "agent_skills.json", "agentskills.json", "index.json")
"""Names at a site's root under which an index is found that belongs into a well-known folder."""

SITE_FILES = ("index.html", "robots.txt", "sitemap.xml", "llms.txt", "CNAME")
"""Files that a folder has where it is the root of a site."""

_SEPARATOR = lazy(r"\s*(?:[:\uff1a]|[-=]{1,3}>|[\u2010-\u2015\u2192\u2212]+|-{1,3}(?=\s|\Z)|[|~,;](?=\s|\Z))?\s*")
_COMMENT = lazy(r"<!--[^<>]*-->")
_SKILLS_TITLE = lazy(r"\b(?:skills?|agents?|optional)\b", re.I)
_SKILL_PATH = lazy(r"(?:https?://[^/?#]*)?/?(?:\.\.?/)*(?:skills|agents)(?:/|(?![^?#]))", re.I)
_LINE = lazy(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_KEY = lazy(r"[A-Za-z_][\w-]*[ \t]*:|---[ \t]*(?![^\r\n])", re.A)
_FRONT_MATTER = 4096
"""Code points in which the end of a frontmatter is looked for."""


class Entry(NamedTuple):
    """One skill that a registry lists.

    `node` is the JSON object, None in a discovery file; `span` covers the whole entry. `href`
    is the address as written ("" where there is none), `where` its place; of an entry of
    discovery 0.1 the address is built from its name.
    """

    node: Node | None
    span: Span
    name: str | None
    description: str | None
    href: str
    where: Span

    def field(self, name: str) -> Node | None:
        """The value of a key of a JSON entry, or None."""
        return self.node.get(name) if self.node is not None and self.node.kind == "map" else None

    def text(self, name: str) -> str | None:
        """The text of a string of a JSON entry that is not blank, or None."""
        return _string(self.field(name))


class RegistryDocument(Document):
    """What Index and SkillsTxt share; `site_path` is the path below the site's root."""

    site_path: str = ""
    entries: tuple[Entry, ...] = ()
    _starts: list[int] | None = None

    @property
    def dialects(self) -> tuple[str, ...]:
        """The specs that the file follows, by its content."""
        return ()

    def entry_at(self, offset: int) -> Entry | None:
        """The entry that covers an offset."""
        if self._starts is None:
            self._starts = [entry.span.start for entry in self.entries]
        at = bisect_right(self._starts, offset) - 1
        return self.entries[at] if at >= 0 and offset < self.entries[at].span.end else None


class Index(RegistryDocument):
    """An index.json.

    `root` is the JSON value, None where it could not be read: `fault` tells why. `discovery`
    is the version of Cloudflare's draft that the file follows ("0.2", "0.1" or None),
    `is_dualnova` whether it is DualNova's; both may hold. `declared` is the text of `$schema`.
    """

    kind = "index"

    def __init__(self, path: str, location: str, raw: bytes, folder: Folder | None, size: int | None = None) -> None:
        super().__init__(path, location, raw, folder, size)
        self.root, self.fault = json_tree(self.source) if self.readable else (None, None)
        skills = self.root.get("skills") if self.root is not None and self.root.kind == "map" else None
        self.skills = skills
        """The value of the key `skills`, or None."""
        items = [item for item in skills.items if item.kind == "map"] if skills is not None else []
        self.declared = _string(self.root.get("$schema")) if self.root is not None else None
        self.is_dualnova, self.discovery = (
            _dialects(self.root, skills, items) if self.root is not None else (False, None)
        )
        self.entries = tuple(self._entry(item) for item in items if item.items) if self.dialects else ()

    @property
    def dialects(self) -> tuple[str, ...]:
        """ "discovery", "dualnova", both, or none where the content shows no known dialect."""
        return (("discovery",) if self.discovery else ()) + (("dualnova",) if self.is_dualnova else ())

    @property
    def nearest(self) -> str:
        """The dialect to which an index of no known dialect comes nearest: "discovery" where nothing tells."""
        if self.root is None:
            keys = {key for key in ("$schema", "digest", "title", "provider") if f'"{key}"' in self.source}
        else:
            items = self.skills.items if self.skills is not None else []
            keys = _keys(self.root).union(*map(_keys, items)) - (_keys(self.root) & {"title"})
        return "dualnova" if keys & {"title", "provider"} and not keys & {"$schema", *_DIGESTS} else "discovery"

    @property
    def tree(self) -> Node | None:
        """The root object of an index of a known dialect: of another nothing but that can be said."""
        return self.root if self.root is not None and self.root.kind == "map" and self.dialects else None

    def _entry(self, node: Node) -> Entry:
        name = node.get("name")
        url = node.get("url")
        if self.discovery == "0.1" and not self.is_dualnova:
            url = name  # discovery 0.1: clients derive the path from the name
            href = f"{name.value}/SKILL.md" if name is not None and name.is_text else ""
        else:
            href = _string(url) or ""
        where = url.span if url is not None else Span(node.span.start, node.span.start + 1)
        return Entry(node, node.span, _string(name), _string(node.get("description")), href, where)


class Item(NamedTuple):
    """A list item of a discovery file.

    `entry` is what its first link tells, None where it has none; `link` is that link, `others` are
    the links behind it. `separator` stands between the link and the `description`, which is None
    where nothing is said.
    """

    place: ListItem
    entry: Entry | None = None
    link: Link | None = None
    others: tuple[Link, ...] = ()
    separator: Span | None = None
    description: Span | None = None

    @property
    def leads_to_skill(self) -> bool:
        """Whether its link leads to a file called SKILL.md, in any case of letters."""
        return self.link is not None and last_part(self.link.href).lower() == "skill.md"


class Section(NamedTuple):
    """What stands below an H2 of a discovery file; of what stands above the first one `heading` is None.

    `lists_skills` says whether at least one item seems to be meant as an entry, `others` are the
    top-level blocks that are neither lists nor headings, comments aside.
    """

    heading: Heading | None
    items: tuple[Item, ...]
    others: tuple[tuple[str, Span], ...]
    lists_skills: bool


class SkillsTxt(MarkdownDocument, RegistryDocument):
    """A skills.txt or agents.txt: WSP's discovery file where a list item links a SKILL.md.

    `entries` are the list items that link a file called SKILL.md, whatever its case; `items` are
    all list items.
    """

    kind = "discovery"

    def __init__(self, path: str, location: str, raw: bytes, folder: Folder | None, size: int | None = None) -> None:
        super().__init__(path, location, raw, folder, size)
        self._body = _front_end(self.source)
        self._items: tuple[Item, ...] | None = None
        self._sections: tuple[Section, ...] | None = None
        items = self.items if "skill.md" in self.source.lower() else ()
        self._evidence = any(_is_evidence(item, self.source) for item in items)
        found = (item.entry for item in items if item.entry is not None and item.leads_to_skill)
        self.entries = tuple(found) if self.readable else ()

    @property
    def dialects(self) -> tuple[str, ...]:
        """ "wsp" where there is evidence of it."""
        return ("wsp",) if self._evidence else ()

    @property
    def body(self) -> Span:
        """All, without the frontmatter of a site generator."""
        return Span(self._body, len(self.source))

    @property
    def items(self) -> tuple[Item, ...]:
        """The list items in order, those in quotes aside."""
        if self._items is None:
            self._items = tuple(_items(self.markdown, self.source))
        return self._items

    @property
    def headings(self) -> list[Heading]:
        """The headings that stand in no list and no quote."""
        tops = {span.start for kind, span in self.markdown.blocks if kind == "heading"}
        return [heading for heading in self.markdown.headings if heading.span.start in tops]

    @property
    def sections(self) -> tuple[Section, ...]:
        """What stands above the first H2, then each H2 with what stands below it."""
        if self._sections is None:
            self._sections = tuple(self._read_sections())
        return self._sections

    def _read_sections(self) -> Iterator[Section]:
        headings: list[Heading | None] = [None, *(found for found in self.headings if found.level == 2)]
        starts = [found.span.start if found is not None else -1 for found in headings]
        items: list[list[Item]] = [[] for _ in headings]
        others: list[list[tuple[str, Span]]] = [[] for _ in headings]
        for item in self.items:
            items[bisect_right(starts, item.place.span.start) - 1].append(item)
        for kind, span in self.markdown.blocks:
            is_comment = kind == "htmlblock" and self.source[span.start : span.end].lstrip().startswith("<!--")
            if kind not in ("heading", "list", "rule") and not is_comment:
                others[bisect_right(starts, span.start) - 1].append((kind, span))
        for heading, below, beside in zip(headings, items, others, strict=True):
            named = heading is not None and _SKILLS_TITLE.search(heading.text) is not None
            meant = any(
                seems_entry(item, self.source) or (named and begins_with_link(item, self.source)) for item in below
            )
            yield Section(heading, tuple(below), tuple(beside), meant)


def last_part(href: str) -> str:
    """The last part of the path of a URL, without query and fragment, percent escapes decoded."""
    path = href.partition("#")[0].partition("?")[0]
    return unquote(path[path.rfind("/") + 1 :])


def seems_entry(item: Item, source: str) -> bool:
    """Whether a list item seems to be meant as an entry: it names a SKILL.md, or links into a skill directory."""
    if item.leads_to_skill:
        return True
    href = item.link.href if item.link is not None else ""
    head = source[item.place.head.start : item.place.head.end]
    return "skill.md" in head.lower() or _SKILL_PATH.match(href) is not None


def has_evidence(raw: bytes) -> bool:
    """Whether the bytes of a skills.txt or agents.txt show that it is WSP's."""
    if b"SKILL.md" not in raw or len(raw) > MAX_BYTES:
        return False
    return bool(SkillsTxt("", "", raw, None).dialects)


def is_slip(name: str) -> bool:
    """Whether a name below /.well-known/ was meant as that of skills and is none that clients know."""
    bare = "".join(filter(str.isalpha, name.lower().removesuffix(".json"))).removesuffix("s")
    return bare in ("agentskill", "agentsskill", "skill") and f".well-known/{name}" not in WELL_KNOWN


def stray_indexes(root: Folder) -> list[str]:
    """The paths below a site's root of indexes that no client finds, by a slip in a name; none beside a right one.

    By content they are of a known dialect, outside of /.well-known/ of one that names itself.
    """
    entries = root.entries()
    found = [name for name in INDEX_SLIPS if name in entries]
    if found and ".well-known" in root.path.split("/"):
        return []  # a part of a site, no root
    if "index.json" in found:
        marks = {".well-known", *SITE_FILES, *DISCOVERY_FILES} - {"index.html"}  # any folder may have a page
        if entries.keys().isdisjoint(marks):
            found.remove("index.json")
    if ".well-known" in entries:
        if any(root.find(f"{folder}/index.json") for folder in WELL_KNOWN):
            return []
        for name in filter(is_slip, root.entries(".well-known")):
            found += [f".well-known/{name}", f".well-known/{name}/index.json"]
        inside = ((folder, name) for folder in WELL_KNOWN for name in root.entries(folder))
        found += [f"{folder}/{name}" for folder, name in inside if is_slip(name) or name.lower() == "index.json"]
    return [path for path in found if path.lower().endswith(".json") and _is_stray(root, path)]


def _is_stray(root: Folder, path: str) -> bool:
    raw = root.read(path) if root.find(path) == "file" else None
    if raw is None or b'"skills"' not in raw:
        return False
    index = Index("", "", raw, None)
    names_itself = index.is_dualnova or (index.declared is not None and is_current(index.declared))
    return names_itself or (index.dialects != () and path.startswith(".well-known/"))


def begins_with_link(item: Item, source: str) -> bool:
    """Whether no word stands before the link of an item; a task box and marks of emphasis may."""
    if item.link is None:
        return False
    lead = source[item.place.head.start + (3 if item.place.box else 0) : item.link.span.start]
    return not any(map(str.isalnum, lead))


def _is_evidence(item: Item, source: str) -> bool:
    return item.link is not None and last_part(item.link.href) == "SKILL.md" and begins_with_link(item, source)


def _items(markdown: Markdown, source: str) -> Iterator[Item]:
    links = [link for link in markdown.links if not link.image]
    starts = [link.span.start for link in links]
    for place in markdown.list_items():
        first, last = (bisect_left(starts, at) for at in place.head)
        if first == last:
            yield Item(place)
            continue
        link, *others = links[first:last]
        # comments count for nothing; blanks in their place keep the offsets
        rest = _COMMENT.sub(lambda found: " " * len(found[0]), source[link.span.end : place.head.end]).rstrip()
        separator = _SEPARATOR.match(rest)
        stop = separator.end() if separator is not None else 0
        start = link.span.end
        description = Span(start + stop, start + len(rest)) if any(map(str.isalnum, rest[stop:])) else None
        text = " ".join(rest[stop:].split()) if description is not None else None
        entry = Entry(None, Span(place.span.start, place.head.end), link.text or None, text, link.href, link.target)
        yield Item(place, entry, link, tuple(others), Span(start, start + stop), description)


def _front_end(source: str) -> int:
    """Where the frontmatter that some site generators take off ends, 0 where there is none."""
    if not source.startswith("---"):
        return 0
    for number, line in enumerate(_LINE.finditer(source, 0, _FRONT_MATTER)):
        if number == 0 and line[0].rstrip() != "---":
            return 0
        if number > 0 and line[0].rstrip() == "---":
            return line.end()
        if number == 1 and _KEY.match(line[0]) is None:
            return 0
    return 0


def _string(node: Node | None) -> str | None:
    return node.value if node is not None and node.tag == "str" and node.is_text else None


_DIGESTS = frozenset({"digest", "sha256"})
"""Keys that only entries of discovery 0.2 have; the second is a wide-spread mistake for the first."""


def is_current(declared: str) -> bool:
    """Whether a `$schema` means that of discovery 0.2.0, written exactly so or not quite."""
    return _bare(declared) == _bare(SCHEMA_URI)


def _bare(address: str) -> str:
    """An address without that in which careless copies differ: scheme, case, slashes, fragment, blanks."""
    return address.strip().lower().partition("#")[0].partition("://")[2].removeprefix("www.").rstrip("/")


def _keys(node: Node) -> set[str]:
    return {item.key.value for item in node.items if item.key is not None}


def _dialects(root: Node, skills: Node | None, items: list[Node]) -> tuple[bool, str | None]:
    """Whether an index is DualNova's, and the version of the discovery draft that it follows.

    By content, since clients ignore what they do not know: both may hold. What bears the marks
    of neither is of no known dialect, though it has a list of skills.
    """
    if root.kind != "map":
        return False, None
    entries = [_keys(item) for item in items]
    schema = root.get("$schema")
    is_current_schema = schema is not None and is_current(schema.value)
    has_digests = any(keys & _DIGESTS for keys in entries)
    has_files = any("files" in keys for keys in entries)
    providers = sum(root.get(key) is not None for key in ("provider", "provider_url"))
    if providers and not (is_current_schema or has_digests or has_files):
        return True, None  # a `$schema` of one's own is for editors
    version = None
    if is_current_schema:
        version = "0.2"
    elif entries and schema is None and all("files" in keys for keys in entries):
        version = "0.1"
    elif has_digests:
        version = "0.2"
    elif has_files:
        version = "0.1"
    elif _has_types(items, schema is not None):
        version = "0.2"
    elif skills is not None and skills.kind == "list" and not skills.items:
        version = "0.1" if schema is None else "0.2"
    number = root.get("version")
    marks = providers + any("title" in keys for keys in entries) + (number is not None and number.value == "1.0")
    return providers > 0 and marks >= 3, version


def _has_types(items: list[Node], is_declared: bool) -> bool:
    """Whether entries have a type and an address, as those of discovery 0.2 do.

    Home-grown lists have types of their own; only a `$schema` tells what was meant by these.
    """
    for item in items:
        found = item.get("type")
        if found is not None and item.get("url") is not None and (is_declared or found.value in _TYPES):
            return True
    return False


_TYPES = frozenset({"skill-md", "archive"})
