"""Where documents come from: the disk, an editor's buffer over the disk, memory."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill, Source
from agentskills_lint.patterns import Patterns
from agentskills_lint.site import DISCOVERY_FILES, Project, Site, is_site_root

NEVER_ENTERED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".cache",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
    }
)  # fmt: skip
"""Folders that hold no skills of the project's own."""

ALWAYS_ENTERED = frozenset({".well-known", ".claude", ".agents", ".codex", ".github"})
"""Folders that are entered though a .gitignore names them."""

SKILL_NAMES = frozenset({"skill.md", "skills.md"})

STDIN = "-"
"""The path that stands for standard input."""

Excluded = Callable[[str, bool], str | None]
"""(absolute path, is it a folder) to the reason for passing it over, or None."""


_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Disk:
    """The file system."""

    def read(self, path: str) -> bytes:
        """The bytes of a regular file; raises OSError, for anything else too."""
        # a pipe that somebody named SKILL.md must not stop the run
        descriptor = os.open(path, _READ)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("not a regular file")
            found = os.read(descriptor, status.st_size + 1)
            while len(found) != status.st_size and (more := os.read(descriptor, 1 << 20)):
                found += more  # it changed since, or came in parts
            return found
        finally:
            os.close(descriptor)

    def entries(self, path: str) -> dict[str, str]:
        """Name to kind; links count as what they lead to, dangling ones are "link", pipes and devices "other"."""
        try:
            return self.listing(path)
        except OSError:
            return {}

    def listing(self, path: str) -> dict[str, str]:
        """The entries of a folder; raises OSError."""
        with os.scandir(path) as found:
            return {entry.name: _kind(entry) for entry in found}

    def status(self, path: str) -> tuple[str, int]:
        """The kind ("file", "folder", "other") and the size in bytes; raises OSError."""
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            return "folder", 0
        return "file" if stat.S_ISREG(found.st_mode) else "other", found.st_size

    def target(self, path: str) -> str | None:
        """Where a symbolic link leads in the end, None for what is no link."""
        return posix(os.path.realpath(path)) if os.path.islink(path) else None

    def real(self, path: str) -> str:
        """The path with all symbolic links resolved."""
        return posix(os.path.realpath(path))


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_dir():
            return "folder"
        if entry.is_file():
            return "file"
        return "link" if entry.is_symlink() and not os.path.exists(entry.path) else "other"
    except OSError:
        return "link"


class Memory:
    """A tree of files given as absolute path to bytes; for tests, examples and embedders."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises FileNotFoundError."""
        if path not in self._files:
            raise FileNotFoundError(path)
        return self._files[path]

    def entries(self, path: str) -> dict[str, str]:
        """Name to kind, folders from the paths of the files."""
        prefix = path.rstrip("/") + "/"
        found: dict[str, str] = {}
        for name in self._files:
            if name.startswith(prefix):
                first, *rest = name[len(prefix) :].split("/")
                found[first] = "folder" if rest else "file"
        return found

    listing = entries

    def status(self, path: str) -> tuple[str, int]:
        """The kind and the size; raises FileNotFoundError."""
        if path in self._files:
            return "file", len(self._files[path])
        if self.entries(path):
            return "folder", 0
        raise FileNotFoundError(2, "No such file or directory", path)

    def target(self, path: str) -> str | None:  # noqa: ARG002
        """None: there are no links."""
        return None

    def real(self, path: str) -> str:
        """The path itself."""
        return path


class Overlay:
    """Buffers over another source, by absolute path: what an editor has not saved yet."""

    def __init__(self, below: Source, buffers: Mapping[str, bytes]) -> None:
        self._below = below
        self._above = Memory(buffers)
        self._paths = frozenset(buffers)

    def read(self, path: str) -> bytes:
        """The buffer, else what lies below."""
        return self._above.read(path) if path in self._paths else self._below.read(path)

    def entries(self, path: str) -> dict[str, str]:
        """What lies below, with the buffers and the folders that lead to them."""
        return self._below.entries(path) | self._above.entries(path)

    def listing(self, path: str) -> dict[str, str]:
        """The same; raises OSError where there is neither."""
        return self._above.entries(path) or self._below.listing(path)

    def status(self, path: str) -> tuple[str, int]:
        """The kind and the size of the buffer, else of what lies below; raises OSError."""
        try:
            return self._below.status(path) if path not in self._paths else self._above.status(path)
        except OSError:
            return self._above.status(path)

    def target(self, path: str) -> str | None:
        """Where a link below leads; a buffer is no link."""
        return None if path in self._paths else self._below.target(path)

    def real(self, path: str) -> str:
        """The path below with all symbolic links resolved."""
        return self._below.real(path)


def posix(path: str) -> str:
    """An absolute, normalised path with forward slashes."""
    return os.path.abspath(path).replace(os.sep, "/")


class _Ignores(NamedTuple):
    """A .gitignore: the folder it stands in, how reports show it, its patterns."""

    folder: str
    shown: str
    patterns: Patterns


class _Place(NamedTuple):
    """A folder to walk: its path, its path without links, the .gitignore files from the top down."""

    path: str
    real: str
    ignores: tuple[_Ignores, ...]


class Discovery:
    """Walks the arguments of one run and gathers its documents, sites and what was passed over."""

    def __init__(
        self, source: Source, cwd: str, excluded: Excluded, respect_gitignore: bool, force_exclude: bool
    ) -> None:
        self._source = source
        self._cwd = posix(cwd)
        self._root = self._cwd
        self._relative: tuple[str, ...] = ()
        self._excluded = excluded
        self._respect_gitignore = respect_gitignore
        self._force_exclude = force_exclude
        self._documents: dict[str, Document] = {}
        self._sites: dict[str, Site] = {}
        self._checked_roots: set[str] = set()
        self._checked_above: set[str] = set()
        self._repositories: dict[str, str | None] = {}
        self._folders: dict[str, Folder] = {}
        self._listings: dict[str, dict[str, str]] = {}
        self._entered: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._trees: list[str] = []
        self._linked_folders: list[_Place] = []
        self._linked_files: list[tuple[str, str]] = []
        self._passed_over: dict[str, str] = {}
        self._unread: dict[str, str] = {}

    def project(self, paths: Iterable[str], stdin: tuple[str | None, bytes] | None = None) -> Project:
        """Read all that the paths name; `stdin` is the (file name or None, content) of a buffer."""
        arguments = {self._located(path): path for path in paths}
        buffer = None
        if stdin is not None and stdin[0] is not None:
            buffer = self._located(stdin[0])
            self._source = Overlay(self._source, {buffer: stdin[1]})
        self._root = self._common_root([*arguments, *([buffer] if buffer else [])])
        self._relative = tuple(at for at, path in arguments.items() if not os.path.isabs(path))
        for location, path in arguments.items():
            self._argument(location, path)
        if buffer is not None:
            self._explicit_file(buffer)
        elif stdin is not None:
            self._documents[STDIN] = Skill(STDIN, f"{self._cwd.rstrip('/')}/SKILL.md", stdin[1], None)
        self._follow_links()
        return Project(
            tuple(self._documents[path] for path in sorted(self._documents)),
            tuple(self._sites[path] for path in sorted(self._sites)),
            self._root,
            tuple(sorted(self._passed_over.items())),
            tuple(sorted(self._unread.items())),
        )

    def shown(self, location: str) -> str:
        """A path as reports show it.

        Relative below the working directory, inside its repository, and below or above an
        argument that is itself relative; absolute elsewhere.
        """
        if location == self._cwd:
            return "."
        if _is_below(location, self._cwd):
            return location[len(self._cwd.rstrip("/")) + 1 :]
        in_tree = self._root != "/" and _is_below(self._cwd, self._root) and _is_below(location, self._root)
        given = any(path == location or _is_below(location, path) for path in self._relative)
        return posixpath.relpath(location, self._cwd) if in_tree or given else location

    def _located(self, path: str) -> str:
        return posix(os.path.join(self._cwd, path))

    def _common_root(self, locations: list[str]) -> str:
        """The repository that holds all arguments, else the innermost folder that does."""
        try:
            common = posixpath.commonpath(locations) if locations else self._cwd
        except ValueError:
            return self._cwd
        if self._kind(common) != "folder":
            common = posixpath.dirname(common)
        return self._repository(common) or common

    def _repository(self, path: str) -> str | None:
        """The innermost folder at or above a path that holds a repository."""
        tried: list[str] = []
        found: str | None = None
        for folder in (path, *_above(path)):
            if folder in self._repositories:
                found = self._repositories[folder]
                break
            tried.append(folder)
            if self._kind(f"{folder.rstrip('/')}/.git") is not None:
                found = folder
                break
        self._repositories.update(dict.fromkeys(tried, found))
        return found

    def _kind(self, path: str) -> str | None:
        try:
            return self._source.status(path)[0]
        except (OSError, ValueError):
            return None

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
        if self._force_exclude and (reason := self._excluded_above(location, kind == "folder")) is not None:
            self._passed_over[self.shown(location)] = reason
        elif kind == "folder" and posixpath.basename(location).lower() != "skill.md":
            self._enclosing_sites(location)
            repository = self._repository(location)
            self._trees.append(self._source.real(repository or location))
            self._walk(_Place(location, self._source.real(location), self._ignores_above(location)), explicit=True)
        else:
            self._explicit_file(location)

    def _explicit_file(self, location: str) -> None:
        self._enclosing_sites(location)
        name = posixpath.basename(location).lower()
        if name in SKILL_NAMES or name.endswith(".md"):
            self._add(location, self._source.real(location), explicit=True)
        else:
            self._passed_over[self.shown(location)] = "no kind of file that is linted"

    def _excluded_above(self, location: str, is_folder: bool) -> str | None:
        for folder in reversed(list(_above(location))):
            if (reason := self._excluded(folder, True)) is not None:
                return reason
        return self._excluded(location, is_folder)

    def _enclosing_sites(self, location: str) -> None:
        """A site above the argument, in its repository, decides the specs of what lies below it."""
        repository = self._repository(location)
        for path in _above(location) if repository != location else ():
            if path in self._checked_above:
                return
            self._checked_above.add(path)
            # a folder high up may hold very many files: it is listed only where it may be a site
            base = path.rstrip("/")
            if any(self._kind(f"{base}/{name}") for name in (".well-known", *DISCOVERY_FILES)):
                self._site(path)
            if path == repository:
                return

    def _site(self, path: str) -> None:
        if path in self._checked_roots:
            return
        self._checked_roots.add(path)
        if is_site_root(self._folder(path)):
            self._sites[path] = Site(self._folder(path), self.shown(path))

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
        ignores = place.ignores
        if self._respect_gitignore:
            if ".git" in entries:
                ignores = ()
            if entries.get(".gitignore") == "file":
                ignores = (*ignores, *self._ignores_of(place.path))
        below = []
        for name, kind in entries.items():
            path = f"{place.path.rstrip('/')}/{name}"
            if kind == "folder" and name.lower() != "skill.md":
                reason, inner = self._judge_folder(path, name, ignores)
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
        return below

    def _judge_folder(
        self, path: str, name: str, ignores: tuple[_Ignores, ...]
    ) -> tuple[str | None, tuple[_Ignores, ...]]:
        """Why a folder is passed over, or None; and the .gitignore files that hold inside it."""
        if name in NEVER_ENTERED:
            return "never holds skills", ()
        if (reason := self._excluded(path, True)) is not None:
            return reason, ()
        if (reason := _ignored(ignores, path, True)) is not None:
            return (None, ()) if name in ALWAYS_ENTERED else (reason, ())
        return None, ignores

    def _found(self, path: str, real: str, kind: str, ignores: tuple[_Ignores, ...]) -> None:
        reason = self._excluded(path, False) or _ignored(ignores, path, False)
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
        return any(real == tree or _is_below(real, tree) for tree in self._trees)

    def _ignores_of(self, path: str) -> list[_Ignores]:
        location = f"{path.rstrip('/')}/.gitignore"
        try:
            text = self._source.read(location).decode("utf-8", "surrogateescape")
        except OSError:
            return []
        return [_Ignores(path, self.shown(location), Patterns(text.removeprefix("\ufeff").split("\n")))]

    def _ignores_above(self, location: str) -> tuple[_Ignores, ...]:
        """The .gitignore files that hold for an argument: none where the argument itself is ignored."""
        if not self._respect_gitignore or (root := self._repository(location)) is None:
            return ()
        found: tuple[_Ignores, ...] = ()
        for path in [*(above for above in reversed(list(_above(location))) if len(above) >= len(root)), location]:
            if _ignored(found, path, True) is not None:
                found = ()
            if path != location:
                found = (*found, *self._ignores_of(path))
        return found

    def _add(self, location: str, real: str, explicit: bool = False) -> None:
        if location in self._documents:
            return
        folder = self._folder(posixpath.dirname(location))
        above = _above(location) if self._sites else ()
        site = next((self._sites[root].folder for root in above if root in self._sites), None)
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

    def _content(self, location: str) -> tuple[bytes, int]:
        kind, size = self._source.status(location)
        if kind != "file":
            return b"", 0
        if size > MAX_BYTES:
            return b"", size
        raw = self._source.read(location)
        return raw, len(raw)


def _ignored(ignores: tuple[_Ignores, ...], path: str, is_folder: bool) -> str | None:
    """Why git ignores a path whose folder it does not ignore, or None: the nearest .gitignore decides."""
    for folder, shown, patterns in reversed(ignores):
        found = patterns.decide(path[len(folder.rstrip("/")) + 1 :], is_folder)
        if found is not None:
            return f"ignored by '{found.pattern}' in {shown}" if found.ignored else None
    return None


def _above(location: str) -> Iterator[str]:
    """The folders above a path, from the innermost."""
    path = location
    while (parent := path.rsplit("/", 1)[0] or "/") != path:
        path = parent
        yield path


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/") and path != folder


def _folder_name(location: str) -> str:
    return posixpath.basename(posixpath.dirname(location))


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def project(
    paths: Iterable[str],
    excluded: Excluded = lambda _path, _is_folder: None,
    stdin: tuple[str | None, bytes] | None = None,
    source: Source | None = None,
    cwd: str | None = None,
    respect_gitignore: bool = True,
    force_exclude: bool = False,
) -> Project:
    """Gather the documents that the paths name: files, skill folders, folders of skills, sites.

    What is given as a path is linted whatever is excluded (unless `force_exclude`) or ignored;
    `excluded` and .gitignore decide what is walked into. `stdin` is the (file name or None,
    content) of a buffer that stands for the file. Paths are relative to `cwd`.
    """
    discovery = Discovery(source or Disk(), cwd or os.getcwd(), excluded, respect_gitignore, force_exclude)
    return discovery.project(paths, stdin)


def memory_project(files: Mapping[str, str | bytes], root: str = "/repository") -> Project:
    """A project of files in memory, by path relative to its root; nothing of the disk is seen."""
    located = {
        f"{root}/{path}": content if isinstance(content, bytes) else content.encode() for path, content in files.items()
    }
    return project([root], source=Memory(located), cwd=root)
