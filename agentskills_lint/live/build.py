"""Makes documents and a site of what a live site serves, the same as those of a tree."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol
from urllib.parse import quote, unquote, urlsplit

from agentskills_lint.archives import MAX_ARCHIVE, ArchiveFile
from agentskills_lint.config import Config
from agentskills_lint.discovery import REGISTRIES, TEXT_NAMES, is_archive
from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill
from agentskills_lint.live.fetch import UNCHECKED, Fetched, Wanted
from agentskills_lint.live.site import AbsentIndex, AbsentSkillsTxt, Beside, LiveSite, Tree, home
from agentskills_lint.model import Response, Span
from agentskills_lint.registries import DISCOVERY_FILES, WELL_KNOWN, Index, RegistryDocument, SkillsTxt, has_evidence
from agentskills_lint.site import PAGES_HOSTS, Listing, Project, Scope, Served
from agentskills_lint.trees import Node
from agentskills_lint.urls import resolve

MAX_SKILLS = 5_000
"""Listed files of a site that are fetched unless said otherwise, and files to which skills link that are asked for."""

MAX_PAGES = 50
"""Pages on which skills are carried out, and addresses in llms.txt and such pages, that are looked at."""

PROBE = "agentskills-lint-asks-for-what-is-not-there"
"""The name of a skill that no site has."""

_GONE = (404, 410)
_CONTEXT = ("robots.txt", "llms.txt")
_HTML = re.compile(rb"\s*(?:<!--(?>.*?-->)\s*)*+<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S)
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
        self._missing: set[str] = set()
        for root in given.roots:
            answers = self._first_round(root)
            registries = self._registries(answers)
            if registries:
                break
        if not registries and all(answers[path].response.status == 0 for path in REGISTRIES):
            self.unreachable = answers[given.named or REGISTRIES[0]].response.reason
            return
        self._root, self._tree = root, Tree(root)
        self._folder = Folder(self._tree, root)
        found = tuple(self._registry(path, answers[path]) for path in registries)
        absent = None if registries else self._absent(answers)
        for path in _CONTEXT:
            if answers[path].response.is_ok:
                self._add_text(path, answers[path])
        self.site = LiveSite(root, self._folder, found, self.documents, self._placed, config.origin)
        self.site.probe = answers[PROBE].response
        self._is_soft = self.site.probe.is_ok
        listed = [*self._second_round(), *self._older_files()]
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
            if response.status not in _GONE and not response.is_ok:
                self.passed_over[response.url] = response.reason or f"answers {response.status}"
        return answers

    def _registries(self, answers: Mapping[str, Fetched]) -> list[str]:
        """The registries that are served; none where nothing else tells that a skills.txt or agents.txt is one."""
        found = [path for path in REGISTRIES if self._is_there(path, answers)]
        is_wsp = "wsp" in (*self._config.spec, *self._config.extend_spec)
        is_site = any(
            path not in DISCOVERY_FILES or is_wsp or path == self._given.named or has_evidence(answers[path].body)
            for path in found
        )
        return found if is_site else []

    def _is_there(self, path: str, answers: Mapping[str, Fetched]) -> bool:
        """Whether a file is served, and not the page that the host shows for whatever is not there."""
        (response, body), probe = answers[path], answers[PROBE]
        if not response.is_ok or (probe.response.is_ok and body == probe.body):
            return False
        return _HTML.match(body) is None or not (probe.response.is_ok or path in DISCOVERY_FILES)

    def _registry(self, path: str, fetched: Fetched) -> RegistryDocument:
        kind = SkillsTxt if path in DISCOVERY_FILES else Index
        url = fetched.response.url
        document = kind(url, url, fetched.body, None)
        document.site_path = path
        if kind is Index and not any(isinstance(known, Index) for known in self._placed.values()):
            ((head, _),) = self._fetching.get([Wanted(url, method="HEAD")])
            fetched = _with_head(fetched, head)
        self._add(path, document, fetched)
        return document

    def _absent(self, answers: Mapping[str, Fetched]) -> RegistryDocument:
        """The registry that is missed where there is none at all: the one that was named, else the index."""
        path = self._given.named or REGISTRIES[0]
        kind = AbsentSkillsTxt if path in DISCOVERY_FILES else AbsentIndex
        response = answers[path].response
        document = kind(response.url, response.url, b"", None)
        document.site_path = path
        document.response = self._responses[response.url] = response
        self.documents[document.location] = document
        self.passed_over.pop(response.url, None)
        return document

    def _add(self, path: str, document: Document, fetched: Fetched) -> None:
        """A document of the run."""
        self.documents[document.location] = document
        self._place(path, document, fetched)

    def _add_text(self, path: str, fetched: Fetched) -> None:
        """A file that rules open by its path and that is no document of the run."""
        self._place(path, Document(fetched.response.url, fetched.response.url, fetched.body, None), fetched)

    def _place(self, path: str, document: Document, fetched: Fetched) -> None:
        document.response = self._responses[fetched.response.url] = fetched.response
        self._tree.add(path, fetched.body)
        self._placed[f"{self._root}/{path}"] = document

    def _fetch(self, wanted: Mapping[str, Wanted]) -> dict[str, Fetched]:
        """Fetch what belongs at each path, and keep how it was answered."""
        found = dict(zip(wanted, self._fetching.get(wanted.values()), strict=True))
        for path, (response, _) in found.items():
            self.site.answers[path] = self._responses[response.url] = response
            if response.status in _GONE:
                self._missing.add(posixpath.normpath(f"{self._root}/{path}"))
        return found

    def _second_round(self) -> list[tuple[Listing, str]]:
        """What the registries list; gives each entry with the path at which the tree has what it leads to."""
        listed: list[tuple[Listing, str]] = []
        wanted: dict[str, Wanted] = {}
        first: dict[str, Listing] = {}
        for listing in self.site.entries():
            address = self.site.address(listing)
            path = self.site.place(address)
            if not listing.entry.href.strip() or address.kind == "refused" or not path:
                continue
            listed.append((listing, path))
            archive = isinstance(listing.registry, Index) and is_archive(listing.entry, urlsplit(address.url).path)
            first.setdefault(path, listing)
            limit = MAX_ARCHIVE if archive else MAX_BYTES
            wanted.setdefault(path, Wanted(self.site.url(address), limit, polite=True))
        found = self._fetch(dict(islice(wanted.items(), self._max_skills)))
        words = f"nobody asked: the first {self._max_skills:,} are fetched (--max-skills fetches more)"
        for path, (url, *_) in islice(wanted.items(), self._max_skills, None):
            self.site.answers[path] = Response(url, url, 0, {}, (), "budget", words)
        for path, head in self._heads({path: wanted[path].limit for path in found}, found):
            found[path] = _with_head(found[path], head)
        for path, fetched in found.items():
            self._add_listed(path, first[path], wanted[path].limit == MAX_ARCHIVE, fetched)
        return listed

    def _heads(self, limits: Mapping[str, int], found: Mapping[str, Fetched]) -> Iterator[tuple[str, Response]]:
        """HEAD of one skill and one archive, as their limits tell: servers do not tell one file from the next."""
        samples: dict[int, tuple[str, str]] = {}
        for path, (response, _) in found.items() if any(index.discovery for index in self.site.indexes) else ():
            if response.is_ok and response.url.startswith(f"{home(self._root)}/"):
                samples.setdefault(limits[path], (path, response.url))
        answers = self._fetching.get(Wanted(url, method="HEAD", polite=True) for _, url in samples.values())
        for (path, _), answer in zip(samples.values(), answers, strict=True):
            yield path, answer.response

    def _add_listed(self, path: str, listing: Listing, archive: bool, fetched: Fetched) -> None:
        response, body = fetched
        self.site.answers[path] = self._responses[response.url] = response
        known = self._placed.get(f"{self._root}/{path}")
        if not response.is_ok or (known is not None and known.location in self.documents):
            return
        if archive:
            document = ArchiveFile(response.url, response.url, body, None)
            self._add(path, document, fetched)
            skill = document.inner((listing.registry, listing.entry.where), self._folder)
            if skill is not None:
                skill.response = response
                self.documents[skill.location] = self._placed[f"{self._root}/{path}!SKILL.md"] = skill
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
        addresses = [self.site.address(listing) for listing in listings[: self._max_skills]]
        paths = [self.site.place(address) for address in addresses]
        wanted = [Wanted(self.site.url(address), polite=True) for address in addresses]
        for path, fetched in self._fetch(dict(zip(paths, wanted, strict=True))).items():
            # what is not served is told by http-status, not by what looks for files of a tree
            self._tree.add(path, fetched.body if fetched.response.is_ok else None)
        return zip(listings, paths, strict=False)

    def _third_round(self) -> None:
        """Where skills, llms.txt and the pages where skills are carried out lead to."""
        self._add_pages()
        pages: dict[str, Wanted] = {}
        files: dict[str, Wanted] = {}
        for place, document in self._placed.items():
            base = place[len(self._root) + 1 :]
            if isinstance(document, Skill):
                hrefs, method, wanted = self._own_files(document, base), "HEAD", files
            elif document.location not in self.documents and document.name != "robots.txt":
                hrefs, method, wanted = _references(document.source), "GET", pages
            else:
                continue
            for href in hrefs:
                address = resolve(href, base, self.site.origin.url)
                path = self.site.place(address)
                if address.kind == "path" and path and self.site.answer(path) is None:
                    wanted.setdefault(path, Wanted(self.site.url(address), method=method, polite=True))
        for path, (response, body) in self._fetch(dict(islice(pages.items(), MAX_PAGES))).items():
            if response.is_ok:
                self._tree.add(path, body)
        for path, (response, _) in self._fetch(dict(islice(files.items(), self._max_skills))).items():
            if response.is_ok:
                self._tree.add(path, None)

    def _own_files(self, skill: Skill, path: str) -> Iterator[str]:
        """The relative links of a skill in a folder of its own, on a host that tells what is there from what is not."""
        is_moved = skill.response is None or skill.response.hops
        if self._is_soft or is_moved or skill.via is not None or "/" not in path or "?" in path or ":/" in path:
            return
        skill.folder = Beside(self._tree, posixpath.dirname(f"{self._root}/{path}"), self._missing)
        skill.site = Beside(self._tree, self._root, self._missing)
        if "](" in skill.source:
            yield from (target.written for target in skill.markdown.targets if target is not None and not target.leaves)
            skill.release()

    def _add_pages(self) -> None:
        """The pages where skills of DualNova are carried out."""
        pages: dict[str, Wanted] = {}
        for listing in self.site.entries():
            if not isinstance(listing.registry, Index) or not listing.registry.is_dualnova:
                continue
            href, base = listing.entry.text("execution_url"), listing.registry.site_path
            if href is None:
                skill = self.site.skill_of(listing)
                href, base = (skill.value("url"), self.site.target(listing).path) if skill is not None else (None, "")
            address = resolve(href, base, self.site.origin.url) if href is not None else None
            if address is not None and address.kind == "path" and self.site.place(address) not in self.site.answers:
                pages.setdefault(self.site.place(address), Wanted(self.site.url(address), polite=True))
        for path, fetched in self._fetch(dict(islice(pages.items(), MAX_PAGES))).items():
            if fetched.response.is_ok and _HTML.match(fetched.body) is not None:
                is_named = path.endswith((".html", ".htm"))
                self._add_text(path if is_named else f"{path}/index.html".lstrip("/"), fetched)

    def _served(self, absent: RegistryDocument | None, listed: list[tuple[Listing, str]]) -> Iterator[Served]:
        if absent is not None and absent.response is not None:
            yield Served(absent, Span(0, 0), "registry", absent.response)
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


def _with_head(fetched: Fetched, head: Response) -> Fetched:
    """An answer together with that to HEAD, where somebody asked."""
    return fetched if head.failure in UNCHECKED else fetched._replace(response=fetched.response._replace(head=head))


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
