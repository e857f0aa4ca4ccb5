"""The documents and sites of a run: walks the arguments, reads what is linted, says what was passed over."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agentskills_lint.archives import MAX_ARCHIVE, ArchiveFile, named
from agentskills_lint.config import Config
from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill, Source
from agentskills_lint.exclusions import Exclusions, Ignores
from agentskills_lint.registries import (
    DISCOVERY_FILES,
    INDEX_SLIPS,
    WELL_KNOWN,
    Entry,
    Index,
    RegistryDocument,
    SkillsTxt,
    stray_indexes,
)
from agentskills_lint.scripts import Script, belongs, bundled, language
from agentskills_lint.site import NEVER_ENTERED, Listing, Project, Scope, Site, is_site_root
from agentskills_lint.sources import Disk, Memory, Overlay, above, is_below, kind_of, posix

SHELVES = frozenset({"skills", "agent-skills"})
"""Names of folders whose folders are skills."""

SKILL_NAMES = frozenset({"skill.md", "skills.md"})

_NEAR_NAMES = frozenset({"skill", "skill.mdx", "skill.markdown", "skill.txt", "skill.md.txt", "skill.mkd"})
"""Names of files that were perhaps meant to be skills."""

REGISTRIES = (*(f"{folder}/index.json" for folder in WELL_KNOWN), *DISCOVERY_FILES)
"""Where a site's registries stand, below its root."""

TEXT_NAMES = (".md", ".mdx", ".markdown", ".txt")
"""Endings of what an entry may name as its SKILL.md; everything else is no text of a skill."""

STDIN = "-"
"""The path that stands for standard input."""


class _Place(NamedTuple):
    """A folder to walk: its path, its path without links, the .gitignore files from the top down."""

    path: str
    real: str
    ignores: tuple[Ignores, ...]


class Discovery:
    """Walks the arguments of one run and gathers its documents, sites and what was passed over."""

    def __init__(self, source: Source, cwd: str, config: Config, installed: bool) -> None:
        self._source = source
        self._cwd = posix(cwd)
        self._root = self._cwd
        self._relative: tuple[str, ...] = ()
        self._config = config
        self._exclusions = Exclusions(source, config.excluded, config.respect_gitignore and not installed, self.shown)
        self._every_discovery_file = "wsp" in (*config.spec, *config.extend_spec)
        self._installed = installed
        self._documents: dict[str, Document] = {}
        self._roots: dict[str, Folder] = {}
        self._sites: tuple[Site, ...] = ()
        self._asked_folders: list[str] = []
        self._asked_files: set[str] = set()
        self._muted: set[str] = set()
        self._asked_scripts: dict[str, str] = {}
        self._checked_roots: set[str] = set()
        self._checked_above: set[str] = set()
        self._folders: dict[str, Folder] = {}
        self._listings: dict[str, dict[str, str]] = {}
        self._entered: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._trees: list[str] = []
        self._linked_folders: list[_Place] = []
        self._linked_files: list[tuple[str, str]] = []
        self._passed_over: dict[str, str] = {}
        self._unread: dict[str, str] = {}

    def project(
        self,
        paths: Iterable[str],
        stdin: tuple[str | None, bytes] | None = None,
        changed: Iterable[str] | None = None,
    ) -> Project:
        """Read all that the paths name, of `changed` files what lies there; `stdin` is a buffer and its name."""
        arguments = {self._located(path): path for path in paths}
        buffer = None
        if stdin is not None and stdin[0] is not None:
            buffer = self._located(stdin[0])
            self._source = Overlay(self._source, {buffer: stdin[1]})
        self._root = self._common_root([*arguments, *([buffer] if buffer else [])])
        self._relative = tuple(at for at, path in arguments.items() if not os.path.isabs(path))
        for location, path in arguments.items() if changed is None else ():
            self._argument(location, path)
        for location in map(self._located, changed or ()):
            if any(location == path or is_below(location, path) for path in arguments):
                self._changed_file(location)
        if buffer is not None:
            self._explicit_file(buffer)
        elif stdin is not None:
            self._documents[STDIN] = Skill(STDIN, f"{self._cwd.rstrip('/')}/SKILL.md", stdin[1], None)
            self._asked_files.add(self._documents[STDIN].location)
        self._follow_links()
        self._add_context()
        self._read_sites()
        self._add_scripts()
        self._nest()
        return Project(
            tuple(self._documents[path] for path in sorted(self._documents)),
            self._sites,
            self._root,
            Scope(tuple(self._asked_folders), frozenset(self._asked_files), frozenset(self._muted)),
            tuple(sorted(self._passed_over.items())),
            tuple(sorted(self._unread.items())),
            tuple(folder.rstrip("/") for folder in self._asked_folders) if self._installed else (),
        )

    def shown(self, location: str) -> str:
        """A path as reports show it.

        Relative below the working directory, inside its repository, and below or above an
        argument that is itself relative; absolute elsewhere.
        """
        if location == self._cwd:
            return "."
        if is_below(location, self._cwd):
            return location[len(self._cwd.rstrip("/")) + 1 :]
        in_tree = self._root != "/" and is_below(self._cwd, self._root) and is_below(location, self._root)
        given = any(path == location or is_below(location, path) for path in self._relative)
        return posixpath.relpath(location, self._cwd) if in_tree or given else location

    def _located(self, path: str) -> str:
        return posix(os.path.join(self._cwd, path))

    def _common_root(self, locations: list[str]) -> str:
        """The repository that holds all arguments, else the working directory, else the innermost folder that does."""
        try:
            common = posixpath.commonpath(locations) if locations else self._cwd
        except ValueError:
            return self._cwd
        if kind_of(self._source, common) != "folder":
            common = posixpath.dirname(common)
        below = common == self._cwd or is_below(common, self._cwd)
        return self._exclusions.repository(common) or (self._cwd if below else common)

    def _folder(self, path: str) -> Folder:
        if path not in self._folders:
            self._folders[path] = Folder(self._source, path, self._listings)
        return self._folders[path]

    def _argument(self, location: str, path: str) -> None:
        try:
            kind, _ = self._source.status(location)
        except (OSError, ValueError) as error:
            self._unread[path] = _reason(error)
            return
        reason = self._exclusions.configured(location, kind == "folder") if self._config.force_exclude else None
        if reason is not None:
            self._passed_over[self.shown(location)] = reason
        elif kind == "folder" and posixpath.basename(location).lower() != "skill.md":
            self._asked_folders.append(f"{location.rstrip('/')}/")
            self._enclosing_sites(location)
            repository = self._exclusions.repository(location)
            self._trees.append(self._source.real(repository or location))
            self._walk(self._start(location), explicit=True)
        else:
            self._explicit_file(location)

    def _explicit_file(self, location: str) -> None:
        self._enclosing_sites(location)
        name = posixpath.basename(location).lower()
        if name in INDEX_SLIPS:
            self._site(posixpath.dirname(location))
        if self._is_script(location):
            pass
        elif name not in SKILL_NAMES and self._is_published(location):
            pass  # a skill only where a registry lists it
        elif name in DISCOVERY_FILES or (name == "index.json" and self._may_be_index(location)):
            self._explicit_registry(location, name)
        elif name in SKILL_NAMES or name.endswith(".md"):
            # a hook passes all files that changed: skill.md may be a page among them, SKILL.md never is
            is_meant = name not in SKILL_NAMES or posixpath.basename(location) == "SKILL.md"
            self._add(location, self._source.real(location), explicit=is_meant)
        elif not any(is_below(location, root) for root in self._roots):
            self._passed_over[self.shown(location)] = "no kind of file that is linted"
            return
        self._asked_files.add(location)

    def _may_be_index(self, location: str) -> bool:
        """Whether an index.json stands in a well-known folder or lists skills: all sorts of files bear that name."""
        if location.endswith(REGISTRIES):
            return True
        try:
            return b'"skills"' in self._content(location)[0]
        except OSError:
            return False

    def _is_script(self, location: str) -> bool:
        """Whether a file is a script of the skill in whose folder it lies; the skill is read then, not judged."""
        if language(posixpath.basename(location)) is None:
            return False
        repository = self._exclusions.repository(location) or ""
        for folder in above(location):
            skill = f"{folder.rstrip('/')}/SKILL.md"
            if kind_of(self._source, skill) == "file":
                self._add(skill, self._source.real(skill))
                found = self._documents.get(skill)
                if not isinstance(found, Skill) or not belongs(found, location[len(folder.rstrip("/")) + 1 :]):
                    return False
                self._asked_scripts[location] = skill
                return True
            if folder == repository:
                break
        return False

    def _changed_file(self, location: str) -> None:
        """A file that changed or is gone: what it is, the skill that it belongs to, the registries of its site."""
        around = list(above(location))
        inside = location.removeprefix(self._exclusions.repository(location) or "")  # a checkout may lie anywhere
        names = set(posixpath.dirname(inside).split("/"))
        if not names.isdisjoint(NEVER_ENTERED) or (reason := self._exclusions.configured(location, False)) is not None:
            if names.isdisjoint(NEVER_ENTERED):
                self._passed_over[self.shown(location)] = str(reason)
            return
        self._enclosing_sites(location)
        for root in self._roots:
            if is_below(location, root):
                paths = (location, *(f"{root.rstrip('/')}/{name}" for name in REGISTRIES))
                self._asked_files.update(path for path in paths if kind_of(self._source, path) == "file")
        skill = location if posixpath.basename(location).lower() in SKILL_NAMES else None
        if skill is None or kind_of(self._source, skill) != "file":
            repository = self._exclusions.repository(location) or self._root
            candidates = (f"{folder.rstrip('/')}/SKILL.md" for folder in around if len(folder) >= len(repository))
            skill = next((path for path in candidates if kind_of(self._source, path) == "file"), None)
        if skill is not None:
            self._add(skill, self._source.real(skill))
            self._asked_files.add(skill)
            if kind_of(self._source, location) == "file" and self._is_script(location):
                self._asked_files.add(location)

    def _explicit_registry(self, location: str, name: str) -> None:
        """A registry that is named itself is one wherever it stands; the site is that around it."""
        root = posixpath.dirname(location)
        if name == "index.json":
            root = f"{root}/".partition("/.well-known/")[0].rstrip("/") or "/"
        if not any(root == known or is_below(root, known) for known in self._roots):
            self._roots[root] = self._folder(root)
        self._add_registry(location)

    def _is_published(self, location: str) -> bool:
        """Whether a file lies in the well-known folder of a site and is not its index."""
        below = (location[len(root.rstrip("/")) + 1 :] for root in self._roots if is_below(location, root))
        return any(path not in REGISTRIES and is_below(path, folder) for path in below for folder in WELL_KNOWN)

    def _enclosing_sites(self, location: str) -> None:
        """A site above the argument, in its repository, decides the specs of what lies below it."""
        repository = self._exclusions.repository(location)
        for path in above(location) if repository != location else ():
            if path in self._checked_above:
                return
            self._checked_above.add(path)
            # a folder high up may hold very many files: it is listed only where it may be a site
            base = path.rstrip("/")
            if any(kind_of(self._source, f"{base}/{name}") for name in (".well-known", *DISCOVERY_FILES)):
                self._site(path)
            if path == repository:
                return

    def _site(self, path: str) -> None:
        if path in self._checked_roots:
            return
        self._checked_roots.add(path)
        if is_site_root(self._folder(path), self._every_discovery_file):
            self._roots[path] = self._folder(path)

    def _start(self, path: str) -> _Place:
        return _Place(path, self._source.real(path), self._exclusions.ignores_above(path))

    def _walk(self, start: _Place, explicit: bool = False) -> None:
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if place.real in self._entered:
                continue
            self._entered[place.real] = place.path
            waiting.extend(self._enter(place, explicit and place is start))

    def _enter(self, place: _Place, explicit: bool) -> list[_Place]:
        """Add the skills of a folder; gives the folders below that are to be entered."""
        folder = self._folder(place.path)
        entries = folder.entries()
        if not entries:
            try:
                self._source.listing(place.path)
            except OSError as error:
                self._unread[self.shown(place.path)] = _reason(error)
                return []
        if "pyvenv.cfg" in entries and not explicit:
            self._passed_over[self.shown(place.path)] = "virtual environment"
            return []
        self._site(place.path)
        ignores = self._exclusions.inside(place.path, entries, place.ignores)
        below = []
        for name, kind in entries.items():
            path = f"{place.path.rstrip('/')}/{name}"
            if kind == "folder" and name.lower() != "skill.md":
                if self._installed and "SKILL.md" in entries:
                    continue
                reason, inner = self._exclusions.of_folder(path, name, ignores)
                if name == ".git":  # every repository has one: not worth a word
                    continue
                if reason is not None:
                    self._passed_over[self.shown(path)] = reason
                elif (target := self._source.target(path)) is not None:
                    self._linked_folders.append(_Place(path, target, inner))
                else:
                    below.append(_Place(path, f"{place.real.rstrip('/')}/{name}", inner))
            elif name.lower() in SKILL_NAMES:
                self._found(path, f"{place.real.rstrip('/')}/{name}", kind, ignores)
            elif name.lower() in _NEAR_NAMES and kind == "file":
                self._passed_over[self.shown(path)] = "no skill by its name: clients read SKILL.md"
        return below

    def _found(self, path: str, real: str, kind: str, ignores: tuple[Ignores, ...]) -> None:
        reason = self._exclusions.of(path, False, ignores)
        if reason is not None:
            self._passed_over[self.shown(path)] = reason
        elif kind == "link":
            self._unread[self.shown(path)] = "dangling symbolic link"
        elif (target := self._source.target(path)) is not None:
            self._linked_files.append((path, target))
        else:
            self._add(path, real)

    def _follow_links(self) -> None:
        """What links lead to is linted once, where it really stands if that is in the tree."""
        while self._linked_folders:
            waiting, self._linked_folders = sorted(self._linked_folders, key=lambda place: place.path), []
            for place in waiting:
                if place.real in self._entered:
                    self._passed_over[self.shown(place.path)] = f"link to {self.shown(self._entered[place.real])}"
                elif not self._is_inside(place.real):
                    self._passed_over[self.shown(place.path)] = f"link that leads out of the tree, to {place.real}"
                else:
                    self._walk(place)
        for path, target in sorted(self._linked_files):
            known = self._files.get(target)
            if known is not None and _folder_name(known) == _folder_name(path):
                self._passed_over[self.shown(path)] = f"link to {self.shown(known)}"
            elif not self._is_inside(target):
                self._passed_over[self.shown(path)] = f"link that leads out of the tree, to {target}"
            else:
                self._add(path, target)

    def _is_inside(self, real: str) -> bool:
        return self._installed or any(real == tree or is_below(real, tree) for tree in self._trees)

    def _add(self, location: str, real: str, explicit: bool = False) -> None:
        if location in self._documents:
            return
        folder = self._folder(posixpath.dirname(location))
        around = above(location) if self._roots else ()
        site = next((self._roots[root] for root in around if root in self._roots), None)
        try:
            raw, size = self._content(location)
            skill = Skill(self.shown(location), location, raw, folder, size, site)
        except OSError as error:
            self._unread[self.shown(location)] = _reason(error)
            return
        except Exception as error:
            self._unread[self.shown(location)] = f"internal error: {type(error).__name__}: {error}"
            return
        if not explicit and skill.is_page:
            self._passed_over[self.shown(location)] = "a page, no skill"
            return
        self._documents[location] = skill
        self._files.setdefault(real, location)

    def _add_context(self) -> None:
        """What has to agree with the arguments though it is none: the rest of their sites, the skills beside them."""
        told = dict(self._passed_over), dict(self._unread)
        for root in sorted(self._roots):
            if not any(root == entered or is_below(root, entered) for entered in self._entered):
                self._trees.append(self._source.real(self._exclusions.repository(root) or root))
                self._walk(self._start(root), explicit=True)
        shelves = (posixpath.dirname(posixpath.dirname(document.location)) for document in self._documents.values())
        for shelf in dict.fromkeys(shelves):
            if shelf in self._entered or not is_below(shelf, self._exclusions.repository(shelf) or shelf):
                continue
            for name, kind in self._folder(shelf).entries().items():
                beside = f"{shelf}/{name}/SKILL.md"
                if kind == "folder" and self._folder(f"{shelf}/{name}").entries().get("SKILL.md") == "file":
                    self._add(beside, self._source.real(beside))
        self._follow_links()
        self._passed_over, self._unread = told

    def _read_sites(self) -> None:
        """The registries of all sites, then what they list and no walk has found."""
        for root, folder in sorted(self._roots.items()):
            for path in (*REGISTRIES, *stray_indexes(folder)):
                if folder.find(path) == "file":
                    self._add_registry(f"{root.rstrip('/')}/{path}")
        for path in [path[:-1].rstrip("/") or "/" for path in self._asked_folders]:
            for name in DISCOVERY_FILES:
                if self._folder(path).entries().get(name) == "file":
                    self._add_registry(f"{path.rstrip('/')}/{name}")
        found = []
        for root, folder in sorted(self._roots.items()):
            registries = tuple(
                document
                for _, document in sorted(self._documents.items())
                if isinstance(document, RegistryDocument) and self._root_of(document.location) == root
            )
            for registry in registries:
                registry.site_path = registry.location[len(root.rstrip("/")) + 1 :]
            site = Site(
                folder,
                self.shown(root),
                registries,
                self._documents,
                self._lookup,
                self._config.origin,
                tuple(self._trees),
                self._exclusions.repository(root) is not None,
            )
            self._add_listed(site)
            found.append(site)
        self._sites = tuple(found)

    def _root_of(self, location: str) -> str | None:
        return next((root for root in above(location) if root in self._roots), None)

    def _lookup(self, location: str) -> Document | None:
        return self._documents.get(location) or self._documents.get(self._files.get(location, ""))

    def _add_registry(self, location: str) -> None:
        if location in self._documents:
            return
        kind = Index if location.endswith(".json") else SkillsTxt
        try:
            raw, size = self._content(location)
        except OSError as error:
            self._unread[self.shown(location)] = _reason(error)
            return
        if (target := self._source.target(location)) is not None and not self._is_inside(target):
            self._passed_over[self.shown(location)] = f"link that leads out of the tree, to {target}"
            return
        self._documents[location] = kind(
            self.shown(location), location, raw, self._folder(posixpath.dirname(location)), size
        )
        self._mute_excluded(location)

    def _mute_excluded(self, location: str) -> None:
        """What is excluded is read where a site needs it, and never reported on."""
        if location in self._asked_files:
            return
        path, is_folder = location, False
        while f"{path}/" not in self._asked_folders:  # what is asked for is not excluded by what lies above it
            if self._exclusions.of(path, is_folder) is not None:
                self._muted.add(location)
                return
            path, is_folder = posixpath.dirname(path), True
            if path == posixpath.dirname(path):
                return

    def _add_listed(self, site: Site) -> None:
        """Skills that a registry lists under another name than SKILL.md, or where nobody walks."""
        for listing in site.entries():
            target = site.target(listing)
            location = f"{site.folder.path.rstrip('/')}/{target.path}"
            if target.kind != "file" or self._lookup(location) is not None:
                continue
            if isinstance(listing.registry, Index) and is_archive(listing.entry, location):
                self._add_archive(location, listing, site.folder)
            elif location.lower().endswith(TEXT_NAMES):
                real = self._source.real(location)
                if self._lookup(real) is None:
                    self._add(location, real, explicit=True)
                    self._mute_excluded(location)

    def _add_archive(self, location: str, listing: Listing, root: Folder) -> None:
        """An archive that an index lists, and the skill in it."""
        try:
            _, size = self._source.status(location)
            raw = self._source.read(location) if size <= MAX_ARCHIVE else b""
            folder = self._folder(posixpath.dirname(location))
            archive = ArchiveFile(self.shown(location), location, raw, folder, size)
            skill = archive.inner((listing.registry, listing.entry.where), root)
        except OSError as error:
            self._unread[self.shown(location)] = _reason(error)
            return
        except Exception as error:
            self._unread[self.shown(location)] = f"internal error: {type(error).__name__}: {error}"
            return
        self._documents[location] = archive
        self._mute_excluded(location)
        if skill is not None:
            self._documents[skill.location] = skill
            for chosen in (self._asked_files, self._muted):
                if location in chosen:
                    chosen.add(skill.location)

    def _add_scripts(self) -> None:
        """The scripts of the skills in the folders that are asked for, and those that are asked for themselves."""
        for location, skill in self._asked_scripts.items():
            self._add_script(location, skill)
        folders = tuple(self._asked_folders)
        for document in list(self._documents.values()) if folders else ():
            if not isinstance(document, Skill) or not document.location.startswith(folders):
                continue
            if document.name.lower() not in SKILL_NAMES or document.location in self._muted:
                continue
            home = posixpath.dirname(document.location).rstrip("/")
            ignores: dict[str, tuple[Ignores, ...]] = {}
            for relative in bundled(document):
                location = f"{home}/{relative}"
                if location in self._documents:
                    continue
                reason = self._exclusions.below(home, relative, ignores)
                if reason is not None:
                    self._passed_over[self.shown(location)] = reason
                else:
                    self._add_script(location, document.location)

    def _add_script(self, location: str, skill: str) -> None:
        """A script; one that a link leads to is read where it really stands, if that is in the tree."""
        owner = self._documents.get(skill)
        real = self._source.real(location)
        asked = location in self._asked_scripts
        if not isinstance(owner, Skill) or (not asked and (real in self._files or not self._is_inside(real))):
            return
        self._files.setdefault(real, location)
        try:
            raw, size = self._content(location)
        except OSError as error:
            self._unread[self.shown(location)] = _reason(error)
            return
        folder = self._folder(posixpath.dirname(location))
        script = Script(self.shown(location), location, raw, folder, owner, size)
        if script.language is not None:
            self._documents[location] = script

    def _nest(self) -> None:
        """Tell each skill in whose folder it lies.

        Not that of a skill which stands for more than itself: at the root of a repository or site,
        or above a folder of skills. What a registry lists stands for itself wherever it lies.
        """
        holders = {
            posixpath.dirname(document.location): document
            for document in self._documents.values()
            if isinstance(document, Skill)
            and document.name == "SKILL.md"
            and document.folder is not None
            and document.via is None
        }
        for document in self._documents.values():
            if not isinstance(document, Skill) or document.folder is None:
                continue
            outer = next((at for at in above(document.folder.path) if at in holders), None)
            if (
                outer is not None
                and outer not in self._roots
                and not self._folder(outer).is_repository
                and not self._is_collection(outer, document.folder.path)
                and not any(document.location in site.listed for site in self._sites)
            ):
                document.outer = holders[outer]

    def _is_collection(self, folder: str, below: str) -> bool:
        """Whether a folder is or holds a shelf of skills, and is no skill on such a shelf itself."""
        if posixpath.basename(folder) in SHELVES:
            return True
        if _folder_name(folder) in SHELVES:
            return False
        between = below[len(folder.rstrip("/")) + 1 :].split("/")[:-1]
        return not SHELVES.isdisjoint(between) or not SHELVES.isdisjoint(self._folder(folder).entries())

    def _content(self, location: str) -> tuple[bytes, int]:
        """The bytes of a document and how many it has; of one that is too large or no file there are none."""
        try:
            raw = self._source.read(location, MAX_BYTES)
        except OSError:
            kind, size = self._source.status(location)
            if kind == "file" and size <= MAX_BYTES:
                raise
            return b"", size
        return raw, len(raw)


def is_archive(entry: Entry, location: str) -> bool:
    """Whether an entry leads to an archive, by its name or by what the entry says of it."""
    name = location.lower()
    return named(name) != "" or (entry.text("type") == "archive" and not name.endswith(TEXT_NAMES))


def _folder_name(location: str) -> str:
    return posixpath.basename(posixpath.dirname(location))


def _reason(error: Exception) -> str:
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return "no path holds a null byte"  # versions of Python say it differently
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def project(
    paths: Iterable[str],
    config: Config = Config(),  # noqa: B008  # it cannot be changed
    *,
    stdin: tuple[str | None, bytes] | None = None,
    source: Source | None = None,
    cwd: str | None = None,
    installed: bool = False,
    changed: Iterable[str] | None = None,
) -> Project:
    """Gather the documents that the paths name: files, skill folders, folders of skills, sites.

    What is given as a path is linted whatever is excluded (unless `force_exclude`) or ignored;
    `exclude` and .gitignore decide what is walked into. `stdin` is the (file name or None,
    content) of a buffer that stands for the file. Paths are relative to `cwd`. With `installed`
    the paths are folders in which a client looks for skills, in its order: nothing is looked for
    below a skill, links are followed wherever they lead, .gitignore does not count. `changed` are
    files, some of them gone: of what lies below the paths they alone are judged, with the skills
    that they belong to and the registries of their sites.
    """
    return Discovery(source or Disk(), cwd or os.getcwd(), config, installed).project(paths, stdin, changed)


def memory_project(
    files: Mapping[str, str | bytes],
    config: Config = Config(),  # noqa: B008  # it cannot be changed
    *,
    paths: Iterable[str] = (".",),
    root: str = "/repository",
) -> Project:
    """A project of files in memory, by path relative to its root; nothing of the disk is seen."""
    located = {
        f"{root}/{path}": content if isinstance(content, bytes) else content.encode() for path, content in files.items()
    }
    return project(paths, config, source=Memory(located), cwd=root)
