"""Where bytes come from: the disk, an editor's buffer over the disk, memory."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping

from agentskills_lint.documents import Source

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Disk:
    """The file system; what was listed once is taken to stay a link or none."""

    def __init__(self) -> None:
        self._plain: dict[str, frozenset[str]] = {}
        self._real: dict[str, str] = {}

    def read(self, path: str, limit: int = sys.maxsize) -> bytes:
        """The bytes of a regular file; raises OSError, for anything else too and for one of more bytes."""
        # a pipe that somebody named SKILL.md must not stop the run
        descriptor = os.open(path, _READ)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("not a regular file")
            if status.st_size > limit:
                raise OSError(f"larger than {limit} bytes")
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
        except (OSError, ValueError):
            return {}

    def listing(self, path: str) -> dict[str, str]:
        """The entries of a folder; raises OSError."""
        with os.scandir(path) as scanned:
            found = list(scanned)
        self._plain[path] = frozenset(entry.name for entry in found if not entry.is_symlink())
        return {entry.name: _kind(entry) for entry in found}

    def status(self, path: str) -> tuple[str, int]:
        """The kind ("file", "folder", "other") and the size in bytes; raises OSError."""
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            return "folder", 0
        return "file" if stat.S_ISREG(found.st_mode) else "other", found.st_size

    def target(self, path: str) -> str | None:
        """Where a symbolic link leads in the end, None for what is no link."""
        return None if self._is_plain(path) or not os.path.islink(path) else posix(os.path.realpath(path))

    def real(self, path: str) -> str:
        """The path with all symbolic links resolved."""
        above, names = path, list[str]()
        while above not in self._real and self._is_plain(above):
            above, _, name = above.rpartition("/")
            names.append(name)
        if above not in self._real:
            self._real[above] = posix(os.path.realpath(above or "/"))
        if not names:
            return self._real[above]
        name, *folders = names
        folder = "/".join((self._real[above].rstrip("/"), *reversed(folders)))
        self._real[path.rpartition("/")[0]] = folder
        return f"{folder}/{name}"

    def _is_plain(self, path: str) -> bool:
        """Whether a folder was listed in which the path is no link."""
        folder, _, name = path.rpartition("/")
        return name in self._plain.get(folder or "/", ())


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
        self._folders: dict[str, dict[str, str]] = {}
        for path in self._files:
            kind = "file"
            while path:
                folder, _, name = path.rpartition("/")
                entries = self._folders.setdefault(folder, {})
                if name in entries:
                    break
                entries[name] = kind
                path, kind = folder, "folder"

    def read(self, path: str, limit: int = sys.maxsize) -> bytes:
        """The bytes of a file; raises OSError where there is none or where it has more."""
        if path not in self._files:
            raise FileNotFoundError(path)
        if len(self._files[path]) > limit:
            raise OSError(f"larger than {limit} bytes")
        return self._files[path]

    def entries(self, path: str) -> dict[str, str]:
        """Name to kind, folders from the paths of the files."""
        return dict(self._folders.get(path.rstrip("/"), {}))

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

    def read(self, path: str, limit: int = sys.maxsize) -> bytes:
        """The buffer, else what lies below."""
        return self._above.read(path, limit) if path in self._paths else self._below.read(path, limit)

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


def kind_of(source: Source, path: str) -> str | None:
    """The kind of what stands at a path, links followed, or None."""
    try:
        return source.status(path)[0]
    except (OSError, ValueError):
        return None


def above(path: str) -> Iterator[str]:
    """The folders above a path, from the innermost."""
    while (parent := path.rsplit("/", 1)[0] or "/") != path:
        path = parent
        yield path


def is_below(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, at any depth."""
    return path.startswith(folder.rstrip("/") + "/") and path != folder
