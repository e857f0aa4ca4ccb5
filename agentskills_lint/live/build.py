"""Makes documents and a site of what a live site serves, the same as those of a tree."""

from __future__ import annotations

import contextlib
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol
from urllib.parse import quote, unquote, urlsplit

from agentskills_lint.archives import MAX_ARCHIVE, ArchiveFile
from agentskills_lint.config import Config
from agentskills_lint.discovery import REGISTRIES, TEXT_NAMES, is_archive
from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill
from agentskills_lint.live.fetch import UNCHECKED, Fetched, Wanted
from agentskills_lint.model import Response, Span
from agentskills_lint.registries import DISCOVERY_FILES, WELL_KNOWN, Index, RegistryDocument, SkillsTxt, has_evidence
from agentskills_lint.site import PAGES_HOSTS, Listing, Origin, Project, Scope, Served, Site, Target
from agentskills_lint.trees import Node
from agentskills_lint.urls import Address, join, resolve

MAX_SKILLS = 5_000
"""Listed files of a site that are fetched unless said otherwise."""

MAX_PAGES = 50
"""Pages on which skills are carried out, and addresses in llms.txt and such pages, that are looked at."""

PROBE = "agentskills-lint-asks-for-what-is-not-there"
"""The name of a skill that no site has."""

_CONTEXT = ("robots.txt", "llms.txt")
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S)
_SCHEME = re.compile(r"(https?):/+")
_REFERENCE = re.compile(r"/SKILL\.md|\.well-known/(?:agent-)?skills/")
_LEFT = re.compile(r"[^\s<>()\[\]{}\"'`|\\]*\Z")
_RIGHT = re.compile(r"[^\s<>()\[\]{}\"'`|\\]*")
_LONGEST = 500
"""Characters on either side of what shows that an address leads to a skill or an index."""


class Fetching(Protocol):
    """What fetches: the answers come in the order of what is wanted."""

    def get(self, wanted: Iterable[Wanted]) -> list[Fetched]:
        """Fetch; never raises."""


class _Given(NamedTuple):
    """What an argument says: where the root of the site may be, and which of its registries it names."""

    roots: tuple[str, ...]
    named: str | None


class _Tree:
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
        content = self._files.get(self._below(path))
        if content is None:
            raise FileNotFoundError(path)
        if len(content) > limit:
            raise OSError(f"larger than {limit} bytes")
        return content

    def entries(self, path: str) -> dict[str, str]:
        return self._folders.get(_SCHEME.sub(r"\1://", path, count=1), {})

    listing = entries

    def status(self, path: str) -> tuple[str, int]:
        content = self._files.get(self._below(path))
        if content is not None:
            return "file", len(content)
        if self.entries(path):
            return "folder", 0
        raise FileNotFoundError(2, "not fetched", path)

    def target(self, path: str) -> str | None:  # noqa: ARG002
        return None

    def real(self, path: str) -> str:
        return path

    def _below(self, path: str) -> str:
        return _SCHEME.sub(r"\1://", path, count=1).removeprefix(f"{self._root}/")


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
        location = self._location(path)
        if path not in self._files:
            self._files[path] = self._placed.get(location)
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


def _origin(root: str, registries: Iterable[RegistryDocument]) -> Origin:
    """The root that was given, or the host to which all of a site has moved, as to www."""
    for registry in registries:
        answer = registry.response
        if answer is not None and answer.hops and home(answer.final) != home(root):
            moved = home(answer.final) + urlsplit(root).path
            if answer.final == f"{moved}/{registry.site_path}":
                return Origin(moved, "where the address that was given redirects to")
    return Origin(root, "the address that was given")


class _AbsentIndex(Index):
    """An index.json that is not served."""

    is_text = False

    @property
    def dialects(self) -> tuple[str, ...]:
        return ("discovery", "dualnova")


class _AbsentSkillsTxt(SkillsTxt):
    """A skills.txt or agents.txt that is not served."""

    is_text = False

    @property
    def dialects(self) -> tuple[str, ...]:
        return ("wsp",)


def project(
    urls: Sequence[str],
    fetching: Fetching,
    config: Config = Config(),  # noqa: B008  # it cannot be changed
    max_skills: int = MAX_SKILLS,
) -> Project:
    """The documents and sites of live sites, each given by the URL of its host, a page or a registry."""
    documents: dict[str, Document] = {}
    sites: list[LiveSite] = []
    passed_over: dict[str, str] = {}
    unread: dict[str, str] = {}
    for url in urls:
        gathered = _Gathered(_given(url), fetching, config, max_skills)
        if gathered.unreachable is not None:
            unread[url] = gathered.unreachable
            continue
        if any(site.path == gathered.site.path for site in sites):
            continue
        documents.update(gathered.documents)
        passed_over.update(gathered.passed_over)
        sites.append(gathered.site)
    return Project(
        tuple(documents[location] for location in sorted(documents)),
        tuple(sites),
        "",
        Scope(tuple(f"{site.path}/" for site in sites), frozenset(documents)),
        tuple(sorted(passed_over.items())),
        tuple(sorted(unread.items())),
    )


def merged(tree: Project, live: Project) -> Project:
    """One project of what lies in a tree and what is served."""
    found = {document.location: document for document in (*tree.documents, *live.documents)}
    return tree._replace(
        documents=tuple(found[location] for location in sorted(found)),
        sites=(*tree.sites, *live.sites),
        scope=Scope((*tree.scope.folders, *live.scope.folders), tree.scope.files | live.scope.files, tree.scope.muted),
        passed_over=tuple(sorted((*tree.passed_over, *live.passed_over))),
        unread=tuple(sorted((*tree.unread, *live.unread))),
    )


def home(url: str) -> str:
    """Scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"


def _given(url: str) -> _Given:
    parts = urlsplit(url)
    base, path = home(url), parts.path
    for name in REGISTRIES:
        if path.endswith(f"/{name}"):
            return _Given((base + path[: -len(name) - 1],), name)
    before, well_known, _ = path.partition("/.well-known/")
    if well_known:
        return _Given((base + before,), None)
    own = path if "." not in posixpath.basename(path) else posixpath.dirname(path)
    roots = [base, base + own.rstrip("/")]
    if (parts.hostname or "").endswith(PAGES_HOSTS):
        roots = [base + "/".join(own.split("/")[:2]).rstrip("/"), base]
    return _Given(tuple(dict.fromkeys(roots)), None)


class _Gathered:
    """All that is fetched of one site, in rounds: registries, what they list, what belongs to it."""

    site: LiveSite

    def __init__(self, given: _Given, fetching: Fetching, config: Config, max_skills: int) -> None:
        self._given = given
        self._fetching = fetching
        self._config = config
        self._max_skills = max_skills
        self.documents: dict[str, Document] = {}
        self.passed_over: dict[str, str] = {}
        self.unreachable: str | None = None
        self._responses: dict[str, Response] = {}
        self._placed: dict[str, Document] = {}
        for root in given.roots:
            answers = self._first_round(root)
            registries = {path: answers[path] for path in REGISTRIES if self._is_there(path, answers)}
            if registries:
                break
        self._root, self._tree = root, _Tree(root)
        self._folder = Folder(self._tree, root)
        asked = [answers[path].response for path in REGISTRIES]
        if not registries and all(response.status == 0 for response in asked):
            named = answers[given.named or REGISTRIES[0]].response
            self.unreachable = named.reason
            return
        self._probe = answers[PROBE].response
        found = tuple(self._registry(path, fetched) for path, fetched in registries.items())
        absent = None if registries else self._absent(answers)
        for path in _CONTEXT:
            if answers[path].response.is_ok:
                self._add_text(path, answers[path])
        self.site = LiveSite(root, self._folder, found, self.documents, self._placed, config.origin)
        self.site.probe = self._probe
        listed = self._second_round()
        self._third_round()
        self.site.served = tuple(self._served(absent, listed))
        self.site.responses = tuple(self._responses[url] for url in sorted(self._responses))

    def _first_round(self, root: str) -> dict[str, Fetched]:
        """The registries, what stands beside them, and a skill that cannot exist."""
        paths = {path: f"{root}/{path}" for path in REGISTRIES}
        paths |= {path: f"{home(root)}/{path}" for path in _CONTEXT}
        paths[PROBE] = f"{root}/{WELL_KNOWN[0]}/{PROBE}/SKILL.md"
        found = self._fetching.get(Wanted(url) for url in paths.values())
        answers = dict(zip(paths, found, strict=True))
        for path in REGISTRIES:
            response = answers[path].response
            if response.status in (404, 410) or response.is_ok:
                continue
            words = response.reason or f"answers {response.status}"
            self.passed_over[response.url] = words
        return answers

    def _is_there(self, path: str, answers: Mapping[str, Fetched]) -> bool:
        """Whether a registry is served, and not the page that the host shows for whatever is not there."""
        response, body = answers[path]
        if not response.is_ok:
            return False
        probe = answers[PROBE]
        if probe.response.is_ok and (body == probe.body or _HTML.match(body) is not None):
            return False
        if path not in DISCOVERY_FILES:
            return True
        is_asked = path == self._given.named or "wsp" in (*self._config.spec, *self._config.extend_spec)
        return is_asked or has_evidence(body)

    def _registry(self, path: str, fetched: Fetched) -> RegistryDocument:
        kind = SkillsTxt if path in DISCOVERY_FILES else Index
        url = fetched.response.url
        document = kind(url, url, fetched.body, None)
        document.site_path = path
        if path == REGISTRIES[0] or (path == REGISTRIES[1] and f"{self._root}/{REGISTRIES[0]}" not in self.documents):
            fetched = self._with_head(fetched)
        self._add(path, document, fetched)
        return document

    def _absent(self, answers: Mapping[str, Fetched]) -> tuple[RegistryDocument, Response]:
        """The registry that is missed where there is none at all: the one that was named, else the index."""
        path = self._given.named or REGISTRIES[0]
        kind = _AbsentSkillsTxt if path in DISCOVERY_FILES else _AbsentIndex
        response = answers[path].response
        document = kind(response.url, response.url, b"", None)
        document.site_path = path
        document.response = self._responses[response.url] = response
        self.documents[document.location] = document
        self.passed_over.pop(response.url, None)
        return document, response

    def _with_head(self, fetched: Fetched) -> Fetched:
        ((head, _),) = self._fetching.get([Wanted(fetched.response.url, method="HEAD")])
        return fetched if head.failure in UNCHECKED else fetched._replace(response=fetched.response._replace(head=head))

    def _add(self, path: str, document: Document, fetched: Fetched) -> None:
        document.response = self._responses[fetched.response.url] = fetched.response
        self._tree.add(path, fetched.body)
        self._placed[f"{self._root}/{path}"] = document
        self.documents[document.location] = document

    def _add_text(self, path: str, fetched: Fetched) -> None:
        """A file that rules open by its path and that is no document of the run."""
        document = Document(fetched.response.url, fetched.response.url, fetched.body, None)
        document.response = self._responses[fetched.response.url] = fetched.response
        self._tree.add(path, fetched.body)
        self._placed[f"{self._root}/{path}"] = document

    def _second_round(self) -> list[tuple[Listing, str]]:
        """What the registries list; gives each entry with the path at which the tree has what it leads to."""
        listed: list[tuple[Listing, str]] = []
        wanted: dict[str, tuple[str, Listing, bool]] = {}
        for listing in self.site.entries():
            if not listing.entry.href.strip():
                continue
            address = self.site.address(listing)
            path = self.site.place(address)
            if address.kind == "refused" or not path:
                continue
            listed.append((listing, path))
            archive = isinstance(listing.registry, Index) and is_archive(listing.entry, urlsplit(address.url).path)
            wanted.setdefault(path, (self.site.url(address), listing, archive))
        chosen = list(wanted.items())[: self._max_skills]
        found = self._fetching.get(
            Wanted(url, MAX_ARCHIVE if archive else MAX_BYTES, polite=True) for _, (url, _, archive) in chosen
        )
        for path, (url, _, _) in list(wanted.items())[self._max_skills :]:
            words = f"nobody asked: the first {self._max_skills:,} are fetched (--max-skills fetches more)"
            self.site.answers[path] = Response(url, url, 0, {}, (), "budget", words)
        heads = self._heads([(path, archive) for path, (_, _, archive) in chosen], found)
        for (path, (_, listing, archive)), fetched in zip(chosen, found, strict=True):
            head = heads.get(path)
            if head is not None:
                fetched = fetched._replace(response=fetched.response._replace(head=head))
            self._add_listed(path, listing, archive, fetched)
        return listed + [(listing, path) for listing, path in self._older_files()]

    def _heads(self, paths: list[tuple[str, bool]], found: list[Fetched]) -> dict[str, Response]:
        """HEAD of one skill and one archive: servers do not tell one file from the next."""
        if not any(index.discovery for index in self.site.indexes):
            return {}
        samples: dict[bool, tuple[str, str]] = {}
        for (path, archive), fetched in zip(paths, found, strict=True):
            if fetched.response.is_ok and fetched.response.url.startswith(f"{home(self._root)}/"):
                samples.setdefault(archive, (path, fetched.response.url))
        answers = self._fetching.get(Wanted(url, method="HEAD", polite=True) for _, url in samples.values())
        return {
            path: answer.response
            for (path, _), answer in zip(samples.values(), answers, strict=True)
            if answer.response.failure not in UNCHECKED
        }

    def _add_listed(self, path: str, listing: Listing, archive: bool, fetched: Fetched) -> None:
        response, body = fetched
        self.site.answers[path] = response
        self._responses[response.url] = response
        known = self._placed.get(f"{self._root}/{path}")
        if not response.is_ok or (known is not None and known.location in self.documents):
            return
        if archive:
            document = ArchiveFile(response.url, response.url, body, None)
            self._add(path, document, fetched)
            skill = document.inner((listing.registry, listing.entry.where), self._folder)
            if skill is not None:
                skill.response = response
                self.documents[skill.location] = skill
                self._placed[f"{self._root}/{path}!SKILL.md"] = skill
            return
        self._tree.add(path, body)
        name = posixpath.basename(urlsplit(response.url).path)
        is_markdown = response.headers.get("content-type", "").lower().startswith("text/markdown")
        if name.lower().endswith(TEXT_NAMES) or is_markdown or ("." not in name and _HTML.match(body) is None):
            site = self._folder if response.url.startswith(f"{self._root}/") else None
            skill = Skill(response.url, response.url, body, None, site=site)
            skill.name = unquote(name)
            self._add(path, skill, fetched)

    def _older_files(self) -> Iterator[tuple[Listing, str]]:
        """The files beside SKILL.md that entries of discovery 0.1 list; gives a listing for each that is fetched."""
        listings: list[Listing] = []
        for index in self.site.indexes:
            for entry in index.entries if index.discovery == "0.1" and not index.is_dualnova else ():
                files = entry.field("files")
                for item in files.items if files is not None and files.kind == "list" else ():
                    if _is_plain(item) and entry.name and item.value != "SKILL.md":
                        href = quote(f"{entry.name}/{item.value}")
                        listings.append(Listing(index, entry._replace(href=href, where=item.span, span=item.span)))
        listings = listings[: self._max_skills]
        addresses = [self.site.address(listing) for listing in listings]
        wanted = [Wanted(self.site.url(address), polite=True) for address in addresses]
        for listing, address, fetched in zip(listings, addresses, self._fetching.get(wanted), strict=True):
            path = self.site.place(address)
            self.site.answers[path] = self._responses[fetched.response.url] = fetched.response
            # what is not served is told by http-status, not by what looks for files of a tree
            self._tree.add(path, fetched.body if fetched.response.is_ok else None)
            yield listing, path

    def _third_round(self) -> None:
        """What llms.txt and the pages where skills are carried out say of skills, and where that leads."""
        self._add_pages()
        wanted: dict[str, str] = {}
        for place, document in self._placed.items():
            if document.location in self.documents or document.name == "robots.txt":
                continue
            base = place[len(self._root) + 1 :]
            for href in _references(document.source):
                address = resolve(href, base, self.site.origin.url)
                path = self.site.place(address)
                if (
                    address.kind == "path"
                    and path not in self.site.answers
                    and f"{self._root}/{path}" not in self._placed
                ):
                    wanted.setdefault(path, self.site.url(address))
        chosen = list(wanted.items())[:MAX_PAGES]
        answers = self._fetching.get(Wanted(url, polite=True) for _, url in chosen)
        for (path, _), (response, body) in zip(chosen, answers, strict=True):
            self.site.answers[path] = self._responses[response.url] = response
            if response.is_ok:
                self._tree.add(path, body)

    def _add_pages(self) -> None:
        """The pages where skills of DualNova are carried out."""
        pages: dict[str, str] = {}
        for listing in self.site.entries():
            if not isinstance(listing.registry, Index) or not listing.registry.is_dualnova:
                continue
            href, base = listing.entry.text("execution_url"), listing.registry.site_path
            if href is None:
                skill = self.site.skill_of(listing)
                href, base = (skill.value("url"), self.site.target(listing).path) if skill is not None else (None, "")
            address = resolve(href, base, self.site.origin.url) if href is not None else None
            if address is not None and address.kind == "path":
                pages.setdefault(self.site.place(address), self.site.url(address))
        chosen = [(path, url) for path, url in pages.items() if path not in self.site.answers][:MAX_PAGES]
        found = self._fetching.get(Wanted(url, polite=True) for _, url in chosen)
        for (path, _), fetched in zip(chosen, found, strict=True):
            self.site.answers[path] = self._responses[fetched.response.url] = fetched.response
            if fetched.response.is_ok and _HTML.match(fetched.body) is not None:
                is_named = path.endswith((".html", ".htm"))
                self._add_text(path if is_named else f"{path}/index.html".lstrip("/"), fetched)

    def _served(
        self, absent: tuple[RegistryDocument, Response] | None, listed: list[tuple[Listing, str]]
    ) -> Iterator[Served]:
        if absent is not None:
            yield Served(absent[0], Span(0, 0), "registry", absent[1])
        for registry in self.site.registries:
            if registry.response is not None:
                end = len(registry.text.line(1))
                yield Served(registry, Span(0, max(end, min(1, len(registry.source)))), "registry", registry.response)
        for (registry, entry), path in listed:
            answer = self.site.answers[path]
            if answer.failure in UNCHECKED:
                continue
            kind = "skill"
            if entry.span == entry.where:
                kind = "file" if entry.node is not None else kind
            elif isinstance(registry, Index) and is_archive(entry, urlsplit(answer.url).path):
                kind = "archive"
            yield Served(registry, entry.where, kind, answer)


def _references(source: str) -> Iterator[str]:
    """What looks like the address of a skill or an index, in Markdown or HTML."""
    for found in islice(_REFERENCE.finditer(source), 1_000):
        left = _LEFT.search(source[max(found.start() - _LONGEST, 0) : found.start()])
        right = _RIGHT.match(source, found.end(), found.end() + _LONGEST)
        yield f"{left[0] if left else ''}{found[0]}{right[0] if right else ''}".rstrip(".,;:")


def _is_plain(item: Node) -> bool:
    """Whether an item of `files` is a path that stays in the skill's folder."""
    path = item.value
    return item.is_text and not path.startswith("/") and "\\" not in path and ".." not in path and "://" not in path
