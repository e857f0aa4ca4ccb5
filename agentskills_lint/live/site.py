"""A site as it is served: what was fetched as a tree of files, and where its entries lead."""

from __future__ import annotations

import contextlib
import posixpath
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import quote, urlsplit

from agentskills_lint.documents import Document, Folder
from agentskills_lint.live.fetch import UNCHECKED
from agentskills_lint.model import Response
from agentskills_lint.registries import Index, RegistryDocument, SkillsTxt
from agentskills_lint.site import Listing, Origin, Site, Target
from agentskills_lint.urls import Address, join, resolve

_SCHEME = re.compile(r"(https?):/+")


class Tree:
    """What was fetched as a tree of files: absolute paths are URLs, even where `//` was folded to `/`.

    What is there but was not fetched has no content (None).
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._files: dict[str, bytes | None] = {}
        self._folders: dict[str, dict[str, str]] = {root: {}}

    def add(self, path: str, content: bytes | None) -> None:
        """Add a file at a path below the root."""
        if not path or path in self._files:
            return
        self._files[path] = content
        kind = "file"
        while path:
            above, _, name = path.rpartition("/")
            folder = self._folders.setdefault(f"{self._root}/{above}" if above else self._root, {})
            if name in folder:
                return
            folder[name] = kind
            path, kind = above, "folder"

    def read(self, path: str, limit: int = sys.maxsize) -> bytes:
        """The content of a file; raises OSError, also where it is longer than the limit."""
        content = self._files.get(self._below(path))
        if content is None:
            raise FileNotFoundError(path)
        if len(content) > limit:
            raise OSError(f"larger than {limit} bytes")
        return content

    def entries(self, path: str) -> dict[str, str]:
        """Name to kind of what was fetched of a folder."""
        return self._folders.get(_SCHEME.sub(r"\1://", path, count=1), {})

    listing = entries

    def status(self, path: str) -> tuple[str, int]:
        """The kind and the size in bytes; raises OSError."""
        content = self._files.get(self._below(path))
        if content is not None:
            return "file", len(content)
        if self.entries(path):
            return "folder", 0
        raise FileNotFoundError(2, "not fetched", path)

    def target(self, path: str) -> str | None:  # noqa: ARG002
        """None: nothing is a link."""
        return None

    def real(self, path: str) -> str:
        """The path itself."""
        return path

    def _below(self, path: str) -> str:
        return _SCHEME.sub(r"\1://", path, count=1).removeprefix(f"{self._root}/")


class Beside(Folder):
    """A folder of which a host gives no listing: of what nobody asked for nobody knows whether it is there."""

    __slots__ = ("_missing",)

    def __init__(self, tree: Tree, path: str, missing: Collection[str]) -> None:
        """`missing` are the absolute paths, `//` folded to `/`, that are known to lead to nothing."""
        super().__init__(tree, path)
        self._missing = missing

    def find(self, relative: str) -> str | None:
        """The kind of what stands at a relative path: "file", "folder", "unknown", None for what is missing."""
        path = posixpath.normpath(posixpath.join(self.path, relative))
        return super().find(relative) or (None if path in self._missing else "unknown")


class LiveSite(Site):
    """A site as it is served; addresses on other hosts were followed as well.

    What is not below the root stands at a path that begins with its scheme: https:/cdn.example/SKILL.md.
    """

    def __init__(
        self,
        root: str,
        folder: Folder,
        registries: tuple[RegistryDocument, ...],
        documents: Mapping[str, Document],
        placed: dict[str, Document],
        origin: str | None,
    ) -> None:
        """`placed` are the documents by the absolute path at which the tree has them; `origin` is that of a setting."""
        self._placed = placed
        self._root = root
        self._staged = origin is not None
        self.answers: dict[str, Response] = {}
        found = Origin(origin, "set") if origin is not None else _origin(root, registries)
        super().__init__(folder, root, registries, documents, placed.get, found.url)
        self.origin = found

    def address(self, listing: Listing) -> Address:
        """Where an entry leads, seen from where its registry was found in the end."""
        registry = listing.registry
        href = listing.entry.href
        if registry.response is not None and registry.response.hops:
            with contextlib.suppress(ValueError):
                href = join(registry.response.final, href)
        return resolve(href, registry.site_path, self.origin.url)

    def url(self, address: Address) -> str:
        """The URL that is fetched for an address: that of the site that is checked where another origin is set."""
        if address.kind != "path" or not self._staged:
            return address.url
        query = address.url.partition("?")[2]
        return f"{self._root}/{quote(address.path)}" + (f"?{query}" if query else "")

    def place(self, address: Address) -> str:
        """The path at which the tree has what an address leads to."""
        query = address.url.partition("?")[2]
        if address.kind == "path":
            return f"{address.path}?{query}" if query else address.path
        return address.url.replace("://", ":/", 1)

    def answer(self, path: str) -> Response | None:
        """How the site answered for a path, None where nobody asked."""
        known = self._placed.get(self._location(path))
        return self.answers.get(path) or (known.response if known is not None else None)

    def target(self, listing: Listing) -> Target:
        """Where an entry leads: "failed" where the site does not serve it, "elsewhere" where nobody asked."""
        key = listing.registry.site_path, listing.entry.span.start
        if key not in self._targets:
            address = self.address(listing)
            found = self._found(address) if listing.entry.href.strip() else Target("missing", "", "")
            self._targets[key] = found._replace(kind="failed") if found.kind == "missing" and found.path else found
        return self._targets[key]

    def unchecked(self) -> Iterator[tuple[Listing, str]]:
        """The entries whose address nobody asked for, each with the reason."""
        for listing in self.entries():
            target = self.target(listing)
            if target.kind in ("elsewhere", "unknown"):
                yield listing, target.reason or "not fetched"

    def document(self, path: str) -> Document | None:
        """A fetched text file that is no registry and no skill."""
        if path not in self._files:
            self._files[path] = self._placed.get(self._location(path))
        return self._files[path]

    def _found(self, address: Address) -> Target:
        if address.kind == "refused":
            return Target("refused", "", address.url, address.reason)
        path = self.place(address)
        answer = self.answers.get(path)
        if answer is None:
            if address.kind == "path" and (not path or self.folder.find(path) == "folder"):
                return Target("folder", path, address.url)
            return Target("elsewhere", path, address.url)
        if answer.is_ok:
            return Target("file", path, address.url)
        if answer.failure in UNCHECKED:
            return Target("elsewhere", path, address.url, answer.reason)
        return Target("missing" if answer.status in (404, 410) else "failed", path, address.url, answer.reason)


class AbsentIndex(Index):
    """An index.json that is not served."""

    is_text = False

    @property
    def dialects(self) -> tuple[str, ...]:
        """Those that want one."""
        return ("discovery", "dualnova")


class AbsentSkillsTxt(SkillsTxt):
    """A skills.txt or agents.txt that is not served."""

    is_text = False

    @property
    def dialects(self) -> tuple[str, ...]:
        """That which wants one."""
        return ("wsp",)


def home(url: str) -> str:
    """Scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"


def _origin(root: str, registries: Iterable[RegistryDocument]) -> Origin:
    """The root that was given, or the host to which all of a site has moved, as to www."""
    for registry in registries:
        answer = registry.response
        if answer is not None and answer.hops and home(answer.final) != home(root):
            moved = home(answer.final) + urlsplit(root).path
            if answer.final == f"{moved}/{registry.site_path}":
                return Origin(moved, "where the address that was given redirects to")
    return Origin(root, "the address that was given")
