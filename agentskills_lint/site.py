"""Published sites, the documents of a run, and which specs each skill answers to."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from agentskills_lint.archives import ArchiveFile
from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill
from agentskills_lint.model import Response, Span
from agentskills_lint.registries import (
    DISCOVERY_FILES,
    WELL_KNOWN,
    Entry,
    Index,
    RegistryDocument,
    has_evidence,
    is_slip,
    stray_indexes,
)
from agentskills_lint.specs import BUILDS_ON, TELLING_FIELDS
from agentskills_lint.urls import Address, parts_of, resolve

NEVER_ENTERED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".cache",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
    }
)  # fmt: skip
"""Folders that hold no skills of the project's own."""

MAX_FILES = 20_000
"""Files of a site that `Site.files` lists."""

CODE_HOSTS = frozenset(
    {
        "github.com", "raw.githubusercontent.com", "gist.githubusercontent.com", "gitlab.com", "bitbucket.org",
        "codeberg.org", "cdn.jsdelivr.net", "unpkg.com",
    }
)  # fmt: skip
"""Hosts that serve files of repositories: none of them is the origin of a site."""

PAGES_HOSTS = (".github.io", ".gitlab.io")
"""Hosts whose sites stand below a path by custom."""

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", re.A)
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,}", re.A)


class Origin(NamedTuple):
    """The address of a site's root, None where nobody tells it, and how it was found."""

    url: str | None
    reason: str


class Target(NamedTuple):
    """Where a reference leads.

    kind: "file", "folder" or "missing" (in the tree), "elsewhere" (another host or path),
    "unknown" (absolute, while the origin is unknown), "refused" (`reason` tells why), "failed" (a live
    site does not serve it). `path` is
    that below the site's root, `url` the absolute address.
    """

    kind: str
    path: str
    url: str
    reason: str = ""


class Listing(NamedTuple):
    """An entry together with the registry in which it stands."""

    registry: RegistryDocument
    entry: Entry


class Served(NamedTuple):
    """How a live site answered for a registry or for what one of its entries names.

    `kind` is "registry", "skill", "archive" or "file", one of those that an entry of discovery 0.1 lists;
    `where` is the place in the registry that names the URL. A registry that is not served is an empty document.
    """

    registry: RegistryDocument
    where: Span
    kind: str
    response: Response


class Site:
    """A published site.

    `folder` is its root, `path` what reports show for it, `registries` its index.json and
    skills.txt files, those of no known dialect included. `documents` are those of the run by
    absolute path, `lookup` gives one of them at a path, links followed; what links lead to has
    to be below one of `bounds`, paths without links. A live site has answers in `served`, in `probe` that to
    a request for a skill which cannot exist, and in `responses` all of them; they are empty for a tree.
    """

    served: tuple[Served, ...] = ()
    probe: Response | None = None
    responses: tuple[Response, ...] = ()

    def __init__(
        self,
        folder: Folder,
        path: str,
        registries: tuple[RegistryDocument, ...],
        documents: Mapping[str, Document],
        lookup: Callable[[str], Document | None],
        origin: str | None = None,
        bounds: tuple[str, ...] = (),
        in_repository: bool = True,
    ) -> None:
        self.folder = folder
        self.path = path
        self.registries = registries
        self._documents = documents
        self._lookup = lookup
        self._bounds = bounds
        self._in_repository = in_repository
        self._files: dict[str, Document | None] = {}
        self._targets: dict[tuple[str, int], Target] = {}
        self._listed: dict[str, list[Listing]] | None = None
        below = folder.entries(".well-known") if ".well-known" in folder.entries() else {}
        slips = (f".well-known/{name}" for name, kind in sorted(below.items()) if kind == "folder" and is_slip(name))
        self.shelves = (*WELL_KNOWN, *slips)
        """The folders below /.well-known/ that hold skills: those of the drafts, then those with a slip in the name."""
        self.origin = _origin(self, origin)
        self.base = parts_of(self.origin.url).path.rstrip("/") if self.origin.url is not None else _base(self)
        """The path of the root on its host, such as "/docs", which entries tell where the origin is unknown; or ""."""

    @property
    def dialects(self) -> frozenset[str]:
        """All dialects of all registries."""
        return frozenset(dialect for registry in self.registries for dialect in registry.dialects)

    @property
    def indexes(self) -> tuple[Index, ...]:
        """The index.json files of a known dialect."""
        return tuple(found for found in self.registries if isinstance(found, Index) and found.dialects)

    @property
    def skills(self) -> list[Skill]:
        """The skills below the root, in the order of their paths."""
        root = f"{self.folder.path.rstrip('/')}/"
        return [
            document
            for location, document in sorted(self._documents.items())
            if isinstance(document, Skill) and location.startswith(root)
        ]

    def skills_in(self, *folders: str) -> list[tuple[Skill, str]]:
        """The skills below folders of the site, each with its path below the root; those in archives aside.

        A folder right below one of them may be a symbolic link to a skill of the tree.
        """
        root = f"{self.folder.path.rstrip('/')}/"
        below = tuple(f"{root}{folder}/" for folder in folders)
        skills = (skill for skill in self.skills if skill.via is None and skill.location.startswith(below))
        found = {skill.location: (skill, skill.location[len(root) :]) for skill in skills}
        linked = []
        for folder in folders:
            for name, kind in self.folder.entries(folder).items():
                path = f"{folder}/{name}/SKILL.md"
                if kind == "folder" and root + path not in found and self.folder.find(path) == "file":
                    skill = self.skill(path)
                    if skill is not None and skill.location not in found:
                        linked.append((skill, path))
        return sorted([*found.values(), *linked], key=lambda pair: pair[1]) if linked else list(found.values())

    def entries(self) -> Iterator[Listing]:
        """The entries of all registries of a known dialect, in order."""
        for registry in self.registries:
            if registry.dialects:
                for entry in registry.entries:
                    yield Listing(registry, entry)

    def resolve(self, href: str, base: str) -> Target:
        """Where a reference leads that stands in the file at `base`, below the root (RFC 3986, section 5)."""
        return self._found(resolve(href, base, self.origin.url, self.base))

    def target(self, listing: Listing) -> Target:
        """Where an entry leads; one without an address is "missing" with the path ""."""
        key = listing.registry.site_path, listing.entry.span.start
        if key not in self._targets:
            href = listing.entry.href
            found = self.resolve(href, listing.registry.site_path) if href.strip() else Target("missing", "", "")
            self._targets[key] = found
        return self._targets[key]

    def skill(self, path: str) -> Skill | None:
        """The skill at a path below the root, among the documents of the run."""
        found = self._lookup(self._location(path)) or self._lookup(self.folder.real(path))
        return found if isinstance(found, Skill) else None

    def skill_of(self, listing: Listing) -> Skill | None:
        """The skill to which an entry leads, that inside an archive included."""
        target = self.target(listing)
        if target.kind != "file":
            return None
        inner = self._lookup(f"{self._location(target.path)}!SKILL.md")
        return inner if isinstance(inner, Skill) else self.skill(target.path)

    def archive_of(self, listing: Listing) -> ArchiveFile | None:
        """The archive to which an entry leads, where it was opened."""
        target = self.target(listing)
        found = self._lookup(self._location(target.path)) if target.kind == "file" else None
        return found if isinstance(found, ArchiveFile) else None

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes | None:
        """The bytes of a file below the root, None where there is none that can be read or that is larger."""
        found = self._lookup(self._location(path))
        if found is not None and found.size <= MAX_BYTES:
            return found.raw
        return self.folder.read(path, limit)

    def document(self, path: str) -> Document | None:
        """A text file of the site that is no registry and no skill, such as robots.txt or ../netlify.toml."""
        if path not in self._files:
            raw = self.folder.read(path) if self.folder.find(path) == "file" else None
            shown = posixpath.normpath(posixpath.join(self.path, path))
            location = posixpath.normpath(self._location(path))
            self._files[path] = Document(shown, location, raw, self.folder) if raw is not None else None
        return self._files[path]

    def opened(self) -> list[Document]:
        """What `document` has given so far."""
        return [document for document in self._files.values() if document is not None]

    def files(self) -> Iterator[str]:
        """The paths of all files below the root, folders that hold none of the site's own left out."""
        waiting, entered, count = [""], set[str](), 0
        while waiting:
            folder = waiting.pop()
            real = self.folder.real(folder)
            if real in entered:  # links may lead in circles
                continue
            entered.add(real)
            for name, kind in sorted(self.folder.entries(folder).items()):
                path = f"{folder}/{name}" if folder else name
                if kind == "folder" and name not in NEVER_ENTERED and self._is_inside(path):
                    waiting.append(path)
                elif kind == "file":
                    yield path
                    if (count := count + 1) >= MAX_FILES:
                        return

    @property
    def listed(self) -> dict[str, list[Listing]]:
        """The entries that lead to each file of the tree, by its absolute path; also to skills in archives."""
        if self._listed is None:
            self._listed = {}
            for listing in self.entries():
                target = self.target(listing)
                if target.kind == "file":
                    skill = self.skill_of(listing)
                    location = skill.location if skill is not None else self._location(target.path)
                    self._listed.setdefault(location, []).append(listing)
        return self._listed

    def unchecked(self) -> Iterator[tuple[Listing, str]]:
        """The entries that lead out of the tree, each with the reason why nobody looked there."""
        for listing in self.entries():
            target = self.target(listing)
            if target.kind == "elsewhere":
                yield listing, target.reason or f"not below {self.origin.url}"
            elif target.kind == "unknown":
                yield listing, "the origin of the site is unknown (--origin tells it)"

    def _location(self, path: str) -> str:
        return f"{self.folder.path.rstrip('/')}/{path}"

    def _found(self, address: Address) -> Target:
        if address.kind != "path":
            return Target(address.kind, "", address.url, address.reason)
        kind = self.folder.find(address.path) if address.path else "folder"
        if kind is None or (kind == "file" and address.url.partition("?")[0].endswith("/")):
            return Target("missing", address.path, address.url)
        if kind == "file" and not self._is_inside(address.path):
            # without a repository nobody knows where the tree ends
            refused = "refused" if self._in_repository else "elsewhere"
            return Target(refused, address.path, address.url, "a symbolic link leads out of the tree")
        return Target("file" if kind == "file" else "folder", address.path, address.url)

    def _is_inside(self, path: str) -> bool:
        """Whether what stands at a path is in the tree, links followed."""
        if not self._bounds or self._lookup(self._location(path)) is not None:
            return True
        real = self.folder.real(path)
        return any(real == bound or real.startswith(f"{bound.rstrip('/')}/") for bound in self._bounds)


class Scope(NamedTuple):
    """What a run was asked to judge: folders and files by absolute path; `muted` are files never reported on."""

    folders: tuple[str, ...]
    files: frozenset[str]
    muted: frozenset[str] = frozenset()

    def holds(self, location: str) -> bool:
        """Whether findings on a file are asked for."""
        if location in self.muted:
            return False
        return location in self.files or location.startswith(self.folders)


class Project(NamedTuple):
    """Everything that one run looks at.

    `documents` are in the order of their paths; `root` is the absolute folder to which
    fingerprints and SARIF paths are relative: the repository's, else the working directory.
    Documents outside `scope` are there because others have to agree with them. `passed_over`
    and `unread` hold (path, reason) pairs. `installed` are the folders, in their order, in which a
    client looks for skills: a name in a later one is shadowed.
    """

    documents: tuple[Document, ...]
    sites: tuple[Site, ...]
    root: str
    scope: Scope = Scope(("",), frozenset())
    passed_over: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    installed: tuple[str, ...] = ()

    @property
    def skills(self) -> Iterator[Skill]:
        """The skills in order, those outside the scope included."""
        return (document for document in self.documents if isinstance(document, Skill))


def is_site_root(folder: Folder, every_discovery_file: bool = False) -> bool:
    """Whether a folder is the root of a published site (house rules: README, "Sites").

    With `every_discovery_file` a skills.txt or agents.txt needs no evidence of WSP.
    """
    entries = folder.entries()
    if ".well-known" in entries:
        for name, kind in folder.entries(".well-known").items():
            path = f".well-known/{name}"
            if kind == "folder" and (path in WELL_KNOWN or is_slip(name)) and _publishes(folder, path):
                return True
    if stray_indexes(folder):
        return True
    return any(
        entries.get(name) == "file" and (every_discovery_file or has_evidence(folder.read(name) or b""))
        for name in DISCOVERY_FILES
    )


def _publishes(folder: Folder, path: str) -> bool:
    """Whether a well-known folder holds an index, a skill or an archive, the skills at most two folders deep."""
    waiting = [(path, 0)]
    while waiting:
        above, depth = waiting.pop()
        for name, kind in folder.entries(above).items():
            if kind == "folder" and depth < 2 and name not in NEVER_ENTERED:
                waiting.append((f"{above}/{name}", depth + 1))
            elif kind != "folder" and name.lower().endswith(("index.json", ".md", ".zip", ".tar.gz", ".tgz")):
                return True
    return False


def _origin(site: Site, configured: str | None) -> Origin:
    """The origin: set, else what provider_url says, else a CNAME file, else the host of entries that lead here."""
    if configured:
        return Origin(configured, "set")
    hosts = _leading_hosts(site)
    for index in site.indexes:
        provider = index.root.get("provider_url") if index.root is not None else None
        url = provider.value.strip() if provider is not None and provider.tag == "str" else ""
        parts = _split(url)
        if parts is not None:
            base = f"{parts.scheme.lower()}://{parts.netloc}"
            with_path = f"{base}{parts.path.rstrip('/')}"
            twins = [host for host in hosts if _without_www(host) == _without_www(base)]  # www and not www: one site
            below = [host for host in hosts if host.startswith(f"{base}/")]  # the page of a project, not of its owner
            found = with_path if with_path in hosts else next(iter((*twins, *below)), base)
            return Origin(found, f"provider_url in {index.path}")
    if site.folder.find("CNAME") == "file":
        host = (site.folder.read("CNAME") or b"").decode("ascii", "replace").strip()
        if _HOST.fullmatch(host):
            named = f"https://{host.lower()}"
            twins = [host for host in hosts if _without_www(host) == _without_www(named)]
            return Origin(next(iter(twins), named), f"{posixpath.normpath(posixpath.join(site.path, 'CNAME'))}")
    if hosts:
        (url, count), *_ = hosts.most_common(1)
        return Origin(url, f"{count} listed {'address leads' if count == 1 else 'addresses lead'} to files here")
    return Origin(None, "unknown")


def _base(site: Site) -> str:
    """The one path below which every path from the root of the host leads to a file of the tree, else "".

    That is a project site of GitHub Pages, say. A path through folders above the root on the disk is a mistake;
    so may a folder be that one entry alone goes through, unless /.well-known/ follows, or one that is called skills.
    """
    found, count = "", 0
    for _, entry in site.entries():
        if not entry.href.startswith("/") or entry.href.startswith("//"):
            continue
        path = f"/{resolve(entry.href, '', None).path}"
        prefix, well_known, _ = path.partition("/.well-known/")
        if not well_known:
            prefix = "/".join(path.split("/")[:2])
        if (found and prefix != found) or not prefix or prefix[1:] in DISCOVERY_FILES.values():
            return ""
        found = prefix
        count += 2 if well_known else 1
        if site.folder.find(path[1:]) is not None or site.folder.find(path[len(prefix) + 1 :] or ".") != "file":
            return ""
    is_on_disk = site.folder.path.endswith(found) and not site.folder.is_repository
    return "" if is_on_disk or count < 2 else found


def _without_www(origin: str) -> str:
    return origin.replace("://www.", "://", 1)


def _leading_hosts(site: Site) -> Counter[str]:
    """The origins, some with a path, under which listed absolute addresses lead to files of the tree."""
    found: Counter[str] = Counter()
    for _, entry in site.entries():
        parts = _split(entry.href)
        if parts is None or (parts.hostname or "") in CODE_HOSTS:
            continue
        base = f"{parts.scheme.lower()}://{parts.netloc}"
        path = resolve(entry.href, "", base).path
        if path and site.folder.find(path) == "file":
            found[base] += 1
            continue
        prefix, well_known, rest = f"/{path}".partition("/.well-known/")
        if not well_known and (parts.hostname or "").endswith(PAGES_HOSTS):
            first, _, rest = path.partition("/")
            prefix = f"/{first}"
        inner = f".well-known/{rest}" if well_known else rest
        if prefix and inner and site.folder.find(inner) == "file":
            found[base + prefix] += 1
    return found


class _Parts(NamedTuple):
    scheme: str
    netloc: str
    hostname: str | None
    path: str


def _split(url: str) -> _Parts | None:
    """The parts of an absolute http address, None for everything else."""
    parts = parts_of(url)
    host = parts.hostname
    if parts.scheme.lower() not in ("http", "https") or not host or any(char <= " " for char in url):
        return None
    return _Parts(parts.scheme, parts.netloc.rpartition("@")[2], host, parts.path)


def specs_of(skill: Skill, sites: Iterable[Site]) -> dict[str, str]:
    """The specs that a skill answers to, each with the reason (house rules: README, "Specs")."""
    found: dict[str, str] = {}
    unsaid = None  # a well-known folder whose index does not say which convention holds
    for site in sites:
        root = site.folder.path.rstrip("/") + "/"
        below = skill.location.startswith(root)
        listed = {id(listing.registry) for listing in site.listed.get(skill.location, ())}
        if not below and not listed:
            continue
        path = skill.location[len(root) :] if below else ""
        for registry in site.registries:
            is_listed = id(registry) in listed
            if not is_listed and not _holds(registry.site_path, path):
                continue
            reason = f"listed in {registry.path}" if is_listed else f"below the folder of {registry.path}"
            found |= {dialect: reason for dialect in registry.dialects if dialect not in found}
        if path.startswith(tuple(f"{folder}/" for folder in site.shelves)):
            unsaid = "in a well-known folder"
    if not found:
        found = _told_by_fields(skill)
        if unsaid is not None and "dualnova" not in found:
            found["discovery"] = unsaid
        if unsaid is None:
            found = {"agentskills": "in no registry", **found}
    for dialect, base in BUILDS_ON.items():
        if dialect in found:
            found.setdefault(base, f"{dialect} builds on it")
    return found


def _holds(registry: str, path: str) -> bool:
    folder = DISCOVERY_FILES.get(registry, posixpath.dirname(registry))
    return folder != "" and path.startswith(folder + "/")


def _told_by_fields(skill: Skill) -> dict[str, str]:
    found = {}
    names = [node.key.value for node in skill.front.items if node.key is not None] if skill.front is not None else []
    for dialect, fields in TELLING_FIELDS.items():
        told = next((name for name in names if name in fields and (name != "languages" or _are_tags(skill))), None)
        if told is not None:
            found[dialect] = f"has the field {told}"
    return found


def _are_tags(skill: Skill) -> bool:
    """Whether `languages` speaks of human languages: skills also list programming languages there."""
    node = skill.field("languages")
    return node is not None and all(
        item.kind == "scalar" and _LANGUAGE_TAG.fullmatch(item.value) for item in node.items or [node]
    )
