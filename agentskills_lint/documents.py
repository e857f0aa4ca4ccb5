"""The kinds of file that the linter knows, parsed on first use; faults are stored, never raised."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import Markdown
from agentskills_lint.model import Response, Span
from agentskills_lint.text import Text
from agentskills_lint.trees import Fault, Node, yaml_tree

MAX_BYTES = 5_000_000
"""A larger file is reported (SKL026), not read."""

MAX_FRONTMATTER = 65_536
"""Code points of a frontmatter; a larger one is reported (SKL026), not parsed."""

_LATE = 16_384
"""Code points in which a frontmatter is looked for that does not stand first."""

LFS_POINTER = b"version https://git-lfs.github.com/"
"""How a file begins that git has not fetched from the large file storage."""

_REST_OF_FENCE = lazy(r"[ \t]*(?![^\r\n])")
_LINE_END = lazy(r"\r\n|\r|\n")
_TELLING_KEY = lazy(r"(?<![^\r\n])[\"']?(?:name|description)[\"']?[ \t]*:", re.I)
_ENTRY = lazy(r"[ \t]|-(?:[ \t]|$)|[\"']?[A-Za-z_][\w .-]*[\"']?[ \t]*:(?:[ \t]|$)")
_BODY_START = lazy(r"#{1,6}[ \t]+\S|`{3}")
_MANGLED_KEY = lazy(r"#{1,6}[ \t]+(?:name|description):", re.I)
_NEAR_FENCE = lazy(r"(?:[ \t]+---|---[ \t]*[^ \t].*|----+|--|[\u2013\u2014]+|\*{3,}|={3,}|\.{3}|`{3})[ \t]*")
_PATH_LINE = lazy(r"\.{0,2}/?[\w@.+-]+(?:/[\w@.+-]+)+")


class Source(Protocol):
    """Where bytes come from. Paths are absolute, with forward slashes."""

    def read(self, path: str, limit: int = ...) -> bytes:
        """The bytes of a regular file; raises OSError, also where it has more than the limit."""

    def entries(self, path: str) -> dict[str, str]:
        """Name to kind ("file", "folder", "other", "link" for a dangling one); empty where unreadable."""

    def listing(self, path: str) -> dict[str, str]:
        """The same; raises OSError."""

    def status(self, path: str) -> tuple[str, int]:
        """The kind ("file", "folder", "other") and the size in bytes; raises OSError."""

    def target(self, path: str) -> str | None:
        """Where a symbolic link leads in the end, None for what is no link."""

    def real(self, path: str) -> str:
        """The path with all symbolic links resolved."""


class Folder:
    """A directory as rules see it: names by listing, so that case counts on every system."""

    __slots__ = ("_entries", "_found", "_source", "path")

    def __init__(self, source: Source, path: str, listings: dict[str, dict[str, str]] | None = None) -> None:
        """`listings` holds what was listed already, by path; folders of one run share it."""
        self._source = source
        self._entries: dict[str, dict[str, str]] = {} if listings is None else listings
        self._found: dict[str, str | None] = {}
        self.path = path

    @property
    def name(self) -> str:
        """The last part of the path."""
        return posixpath.basename(self.path)

    def entries(self, relative: str = "") -> dict[str, str]:
        """Name to kind of this folder or of one below or beside it."""
        path = posixpath.normpath(posixpath.join(self.path, relative)) if relative else self.path
        if path not in self._entries:
            self._entries[path] = self._source.entries(path)
        return self._entries[path]

    def find(self, relative: str) -> str | None:
        """The kind of what stands at a relative path ("file" or "folder"), case-sensitive, or None.

        Of a folder that is served it is "unknown" for what nobody asked the host for.
        """
        if relative not in self._found:
            self._found[relative] = self._find(relative)
        return self._found[relative]

    def _find(self, relative: str) -> str | None:
        base = self.path.rstrip("/")
        if ".." in relative or "//" in relative or relative[:1] in ("", "/", "."):
            path = posixpath.normpath(posixpath.join(self.path, relative))
            if path == self.path or self.path.startswith(path.rstrip("/") + "/"):
                return "folder"
            here = base if path.startswith(base + "/") else posixpath.commonpath([self.path, path]).rstrip("/")
            parts = path[len(here) :].strip("/").split("/")
        else:
            here, parts = base, relative.rstrip("/").split("/")
        kind: str | None = "folder"
        for part in parts:
            if kind != "folder":
                return None
            if part == ".":
                continue
            entries = self._entries.get(here or "/")
            if entries is None:
                entries = self._entries[here or "/"] = self._source.entries(here or "/")
            kind = entries.get(part)
            here = f"{here}/{part}"
        return None if kind == "link" else kind

    def read(self, relative: str, limit: int = MAX_BYTES) -> bytes | None:
        """The bytes of a file at a relative path, None where it cannot be read or is larger than the limit."""
        try:
            return self._source.read(posixpath.normpath(posixpath.join(self.path, relative)), limit)
        except (OSError, ValueError):
            return None

    def size(self, relative: str) -> int | None:
        """The size in bytes of a file at a relative path, None where there is none."""
        try:
            kind, size = self._source.status(posixpath.normpath(posixpath.join(self.path, relative)))
        except (OSError, ValueError):
            return None
        return size if kind == "file" else None

    def real(self, relative: str) -> str:
        """The absolute path of what stands at a relative path, all symbolic links resolved."""
        path = posixpath.normpath(posixpath.join(self.path, relative))
        try:
            return self._source.real(path)
        except ValueError:  # no file system has a file of that name
            return path

    @property
    def is_repository(self) -> bool:
        """Whether it is the root of a git repository."""
        return ".git" in self.entries()


class Document:
    """A file: `path` as reports show it, `location` absolute or a URL, its bytes and its text.

    `size` is that of the file in bytes; `raw` is empty where it exceeds MAX_BYTES. `source` is
    the text as one string, without its byte order mark; `readable` says whether the file can be
    judged as text at all. `name` is that of the file without its folders.
    `kind` names the sort of file for counts; `folder` is None where no disk stands behind it.
    `via` is the document and the place in it that names this one, where this one stands inside
    an archive and cannot be shown by itself. Without `is_text` no rule judges it by itself,
    and where it is not `is_ours` those alone that name its class: other formats have other laws.
    `response` is the answer of the server, where the document was fetched.
    """

    kind = "file"
    is_text = True
    is_ours = True
    via: tuple[Document, Span] | None = None
    response: Response | None = None
    _lower: str | None = None

    def __init__(self, path: str, location: str, raw: bytes, folder: Folder | None, size: int | None = None) -> None:
        self.path = path
        self.location = location
        self.raw = raw
        self.size = len(raw) if size is None else size
        self.folder = folder
        self.name = posixpath.basename(location)
        self.text = Text(raw)
        self.source = self.text.string
        self.readable = (
            self.size <= MAX_BYTES
            and self.text.bad_byte is None
            and self.source != ""
            and not self.source.isspace()
            and not self.is_path
        )

    @property
    def folder_name(self) -> str | None:
        """The name of the folder that it lies in, which of what was fetched the URL tells; None where none is known."""
        if self.folder is not None:
            return self.folder.name
        if self.response is None:
            return None
        return unquote(posixpath.basename(posixpath.dirname(urlsplit(self.location).path))) or None

    def release(self) -> None:
        """Let go of what can be made again: a large tree need not lie in memory as a whole."""
        self._lower = None

    @property
    def lower(self) -> str:
        """The text in small letters, to look for words in: a few capitals become two characters."""
        if self._lower is None:
            self._lower = self.source.lower()
        return self._lower

    @property
    def tree(self) -> Node | None:
        """The mapping whose nodes the selectors of rules name, None where there is none."""
        return None

    @property
    def is_path(self) -> bool:
        """Whether the whole text is one relative path: a git symlink that was checked out as text."""
        text = self.source
        if len(text) > 300 or "/" not in text:
            return False
        text = text.strip()
        return (text.startswith("../") or text.lower().endswith(".md")) and _PATH_LINE.fullmatch(text) is not None


class MarkdownDocument(Document):
    """A Markdown file, with or without a frontmatter."""

    _markdown: Markdown | None = None

    @property
    def body(self) -> Span:
        """The place of what is Markdown."""
        return Span(0, len(self.source))

    @property
    def markdown(self) -> Markdown:
        """The parsed body; parsed once."""
        if self._markdown is None:
            start = self.body.start
            self._markdown = Markdown(self.source[start:], start)
        return self._markdown

    def release(self) -> None:
        """Let go of the parsed body, too."""
        super().release()
        self._markdown = None


class Fences(NamedTuple):
    """Where the frontmatter stands: the fences without their line ends, and what is between.

    `closing` is None where the block is not closed before the body begins, `near_miss` what
    looks like a fence then; `first` says whether the opening fence is the first thing in the file.
    """

    opening: Span
    content: Span
    closing: Span | None
    body: int
    first: bool
    near_miss: Span | None = None


class Skill(MarkdownDocument):
    """A SKILL.md: frontmatter and Markdown body, whatever its file name is.

    `front` is the mapping of the frontmatter, None where there is none that can be read;
    `root` is the frontmatter's value whatever it is, `fault` why it could not be read.
    `site` is the folder of the published site that holds the skill, if any; `outer` the skill
    in whose folder this one lies, if any.
    """

    kind = "skill"
    outer: Skill | None = None

    def __init__(
        self,
        path: str,
        location: str,
        raw: bytes,
        folder: Folder | None,
        size: int | None = None,
        site: Folder | None = None,
    ) -> None:
        super().__init__(path, location, raw, folder, size)
        self.site = site
        self.fences: Fences | None = None
        self.root: Node | None = None
        self.fault: Fault | None = None
        if self.readable:
            self._read_front()

    @property
    def front(self) -> Node | None:
        """The frontmatter's mapping."""
        return self.root if self.root is not None and self.root.kind == "map" else None

    @property
    def tree(self) -> Node | None:
        """The frontmatter's mapping."""
        return self.front

    def field(self, name: str) -> Node | None:
        """The value of a top-level frontmatter key, or None."""
        front = self.front
        return front.get(name) if front is not None else None

    def value(self, name: str) -> str | None:
        """The text of a top-level scalar that is neither null nor blank, or None."""
        node = self.field(name)
        return node.value if node is not None and node.is_text else None

    @property
    def body(self) -> Span:
        """The body's place: all behind the frontmatter, or the whole file where there is none."""
        return Span(self.fences.body if self.fences else 0, len(self.source))

    @property
    def body_text(self) -> str:
        """The body as written."""
        return self.source[self.body.start :]

    @property
    def anchor(self) -> Span:
        """Where findings about what the frontmatter lacks stand: the opening fence."""
        return self.fences.opening if self.fences else Span(0, len(self.text.line(1)))

    @property
    def is_internal(self) -> bool:
        """Whether `internal: true` below `metadata` says that it is not for others."""
        metadata = self.field("metadata")
        node = metadata.get("internal") if metadata is not None and metadata.kind == "map" else None
        return node is not None and node.kind == "scalar" and node.value.strip().lower() in ("true", "yes")

    @property
    def is_page(self) -> bool:
        """Whether a file with a name like skill.md is a page of that name and no skill.

        A `name` in the frontmatter makes a skill. Without it, pages beside it make it one of
        them, and only a folder of skills around it makes it a skill.
        """
        if self.name == "SKILL.md" or self.folder is None or not self.readable or self.field("name") is not None:
            return False
        if self.fault is not None and _TELLING_KEY.search(self.source, 0, self.body.start) is not None:
            return False
        pages = [name for name in self.folder.entries() if name.lower().endswith((".md", ".mdx"))]
        return len(pages) > 2 or "skills" not in self.folder.path.split("/")[-3:-1]

    def _read_front(self) -> None:
        source = self.source
        opening = _fence_at(source, 0)
        first = opening is not None
        if opening is None:
            opening = self._late_opening()
        if opening is None:
            return
        start = _next_line(source, opening.end)
        closing = _next_fence(source, start)
        limit = len(source)
        if closing is not None:
            limit = closing.start
            self.fences = Fences(opening, Span(start, limit), closing, _next_line(source, closing.end), first)
            self._parse(self.fences.content)
            if self.front is not None:
                return
        end, near_miss = _front_end(source, start, limit)
        if closing is not None and not _body_begins(source, start, end, limit, near_miss):
            return
        self.fences = self.root = self.fault = None
        if any(_ENTRY.match(line) for line in _LINE_END.split(source[start:end])):
            self.fences = Fences(opening, Span(start, end), None, end, first, near_miss)
            self._parse(self.fences.content)

    def _late_opening(self) -> Span | None:
        """An opening fence below something else, where what follows is plainly frontmatter."""
        source = self.source
        code: Markdown | None = None
        opening = _next_fence(source, 0)
        while opening is not None and opening.start < _LATE:
            start = _next_line(source, opening.end)
            closing = _next_fence(source, start)
            if closing is None:
                return None
            key = _TELLING_KEY.search(source, start, closing.start)
            before = source[: opening.start]
            if (
                key is not None
                and closing.start - start <= MAX_FRONTMATTER
                and before.rfind("<!--") <= before.rfind("-->")
            ):
                tree, _ = yaml_tree(source[start : closing.start])
                is_front = tree.kind == "map" if tree is not None else not source[start : key.start()].strip()
                if is_front and ("```" in before or "~~~" in before):
                    code = code or Markdown(source)
                    is_front = not code.in_code(opening.start)
                if is_front:
                    return opening
            opening = closing
        return None

    def _parse(self, content: Span) -> None:
        if content.end - content.start > MAX_FRONTMATTER:
            self.fault = Fault("depth", self.fences.opening if self.fences else content, "size")
            return
        self.root, self.fault = yaml_tree(self.source[content.start : content.end], content.start)


def _fence_at(source: str, offset: int) -> Span | None:
    """The fence that starts at an offset: three hyphens and blanks up to the end of the line."""
    if not source.startswith("---", offset) or (offset > 0 and source[offset - 1] not in "\r\n"):
        return None
    rest = _REST_OF_FENCE.match(source, offset + 3)
    return Span(offset, rest.end()) if rest is not None else None


def _next_fence(source: str, start: int) -> Span | None:
    """The first fence at or behind an offset."""
    while (start := source.find("---", start)) >= 0:
        fence = _fence_at(source, start)
        if fence is not None:
            return fence
        start += 3
    return None


def _next_line(source: str, offset: int) -> int:
    """The start of the next line, from the end of a line."""
    found = _LINE_END.match(source, offset)
    return found.end() if found is not None else offset


def _front_end(source: str, start: int, limit: int) -> tuple[int, Span | None]:
    """Where an unclosed frontmatter seems to end, and the line that may have been its fence.

    It ends at what looks like a fence, or after a blank line where what follows is no entry.
    """
    near_miss: Span | None = None
    seen = blank = False
    while start < limit:
        found = _LINE_END.search(source, start, limit)
        stop, following = found.span() if found is not None else (limit, limit)
        line = source[start:stop]
        is_entry = _ENTRY.match(line) is not None
        if not line.strip():
            blank = True
        elif _MANGLED_KEY.match(line):
            near_miss = near_miss or Span(start, stop)
            seen, blank = True, False
        elif seen and _NEAR_FENCE.fullmatch(line):
            return start, Span(start, stop)
        elif not is_entry and (blank or (not seen and not line.startswith("#"))):
            return start, near_miss
        else:
            seen, blank = seen or is_entry, False
        start = following
    return limit, near_miss


def _body_begins(source: str, start: int, end: int, limit: int, near_miss: Span | None) -> bool:
    """Whether the body begins at `end`, so that the fence at `limit` is a thematic break in it."""
    if end >= limit or end - start > MAX_FRONTMATTER:
        return False
    following = [line for line in _LINE_END.split(source[end : min(limit, end + _LATE)]) if line.strip()]
    is_near_miss = near_miss is not None and near_miss.start == end
    if not is_near_miss and not _BODY_START.match(following[0]):
        return False
    entries = [_ENTRY.match(line) is not None for line in following[1:] if not line.startswith("#")]
    if all(entries) and not (is_near_miss and not entries):
        return False
    above, fault = yaml_tree(source[start:end])
    return fault is None and (above is None or above.kind == "map")
