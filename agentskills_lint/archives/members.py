"""What an archive holds: its members, and the tree that they make."""

from __future__ import annotations

import posixpath
import unicodedata
from typing import NamedTuple

from agentskills_lint.documents import MAX_BYTES
from agentskills_lint.lazy import lazy

MAX_HOPS = 40
"""Links that one path may lead through, as on Linux."""

MAX_STEPS = 200_000
"""Parts of paths that are followed to find where the links of one archive lead."""

MAX_DEPTH = 40
"""Folders, one in the other, that the tree of an archive's members shows."""

SKILL_NAME = "SKILL.md"

_BACKSLASH = "has a backslash for a separator"
_DRIVE = lazy(r"[A-Za-z]:")


class Member(NamedTuple):
    """What an archive holds under a name, as the name is written.

    kind: "file", "folder", "symlink", "hardlink" or "other" (devices, pipes); `size` is that
    which the header declares, `target` where a link leads.
    """

    name: str
    kind: str
    size: int
    target: str = ""

    @property
    def path(self) -> str:
        """The path below the archive's root, "" for the root itself; a backslash separates, too."""
        return "/".join(_parts(self.name))

    @property
    def is_clutter(self) -> bool:
        """Whether macOS made it beside a file of the author's."""
        parts = _parts(self.name)
        return "__MACOSX" in parts or any(part.startswith("._") or part == ".DS_Store" for part in parts)


class Archive(NamedTuple):
    """An archive as its headers tell.

    `format` is what the content is: "tar.gz", "zip", "tar", one that is only known by its first
    bytes ("tar.bz2", "tar.xz", "tar.zst", "7z", "rar"), or "" for none; `named` is what the name
    says. `skill` are the bytes of SKILL.md at the root, None where there is none that can be read.
    `fault` completes "the archive …" where it cannot be read as a whole, `excess` where a limit
    ended the reading. `unpacked` is the sum of the declared sizes, `packed` that of the archive,
    `streamed` counts the bytes that were unpacked on the way to the headers and to SKILL.md.
    """

    format: str
    named: str
    members: tuple[Member, ...] = ()
    skill: bytes | None = None
    fault: str | None = None
    excess: str | None = None
    unpacked: int = 0
    packed: int = 0
    streamed: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all members are known."""
        return self.format in ("tar.gz", "zip", "tar") and self.fault is None and self.excess is None


class Members:
    """The members of an archive as a source of folders; no contents but those of SKILL.md.

    What macOS adds to an archive is no part of the skill and left out. `root` is the path that
    stands for the archive's own root.
    """

    def __init__(self, archive: Archive, root: str = "") -> None:
        self._archive = archive
        self._root = root
        self._steps = 0
        self._links: dict[str, str] = {}
        self._folders: dict[str, dict[str, str]] = {"": {}}
        self._sizes: dict[str, int] = {}
        self.disputed: list[Member] = []
        """Links whose name something else bears as well, so that it is open what they lead to."""
        for member in archive.members:
            if flaw(member.name) in (None, _BACKSLASH):
                self._add(member)

    def _add(self, member: Member) -> None:
        path = member.path
        parts = path.split("/")
        target = self._target(member)
        known_target = self._links.get(folded(path))
        if target is not None:
            self._links.setdefault(folded(path), target)
        if not path or len(parts) > MAX_DEPTH or member.is_clutter:
            return
        for depth, part in enumerate(parts[:-1]):
            folder = "/".join(parts[:depth])
            self._folders.setdefault(folder, {}).setdefault(part, "folder")
        siblings = self._folders.setdefault("/".join(parts[:-1]), {})
        known = siblings.get(parts[-1])
        if known is not None and known_target != target:
            self.disputed.append(member)
        if target is not None:
            siblings[parts[-1]] = "link"
        else:
            siblings[parts[-1]] = "file" if member.kind == "hardlink" else member.kind
            self._sizes[path] = member.size
            if member.kind == "folder":
                self._folders.setdefault(path, {})

    def _target(self, member: Member) -> str | None:
        """Where a symbolic link leads; a hard link to one is one as well."""
        if member.kind == "symlink":
            return member.target.replace("\\", "/")
        return self._links.get(folded("/".join(_parts(member.target)))) if member.kind == "hardlink" else None

    def leaves(self, member: Member) -> bool:
        """Whether a link leads out of the archive or in a circle, directly or by other links."""
        if member.target.startswith(("/", "\\")) or _DRIVE.match(member.target):
            return True
        if member.kind == "hardlink" and self._resolved(member.target.replace("\\", "/")) is None:
            return True
        target = self._target(member)
        if target is None:
            return False
        path = f"{posixpath.dirname(member.path)}/{target}"
        # a link on the way may turn out to be a folder
        plain = posixpath.normpath(path.lstrip("/") or ".")
        return plain == ".." or plain.startswith("../") or self._resolved(path) is None

    def _resolved(self, path: str) -> str | None:
        """A path with its links followed, None where it leaves the root or never ends."""
        waiting = path.split("/")[::-1]
        done: list[str] = []
        hops = 0
        while waiting:
            self._steps += 1
            part = waiting.pop()
            if self._steps > MAX_STEPS or (part == ".." and not done):
                return None
            if part == "..":
                done.pop()
            elif part not in ("", "."):
                target = self._links.get(folded("/".join([*done, part])))
                if target is None:
                    done.append(part)
                    continue
                hops += 1
                if hops > MAX_HOPS or target.startswith("/"):
                    return None
                waiting.extend(target.split("/")[::-1])
        return "/".join(done)

    def _inside(self, path: str) -> str | None:
        """A path of this source as one below the archive's root, links followed."""
        if path == self._root:
            return ""
        below = path.startswith(f"{self._root}/")
        return self._resolved(path[len(self._root) + 1 :]) if below else None

    def _kind(self, path: str | None) -> str:
        if path is None:
            return "link"
        if path in self._folders:
            return "folder"
        return self._folders.get(posixpath.dirname(path), {}).get(posixpath.basename(path), "link")

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:  # noqa: ARG002  # it is never larger
        """The bytes of SKILL.md; raises OSError for everything else."""
        if self._archive.skill is None or self._inside(path) != SKILL_NAME:
            raise OSError("it is packed in an archive")
        return self._archive.skill

    def entries(self, path: str) -> dict[str, str]:
        """Name to kind of the members of a folder."""
        inside = self._inside(path)
        found = self._folders.get(inside, {}) if inside is not None else {}
        return {
            name: kind if kind != "link" else self._kind(self._resolved(f"{inside}/{name}"))
            for name, kind in found.items()
        }

    listing = entries

    def status(self, path: str) -> tuple[str, int]:
        """The kind and the declared size; raises OSError."""
        inside = self._inside(path)
        kind = self._kind(inside)
        if kind == "link" or inside is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        return kind, self._sizes.get(inside, 0)

    def target(self, path: str) -> str | None:  # noqa: ARG002
        """None: where a link leads, its entry says already."""
        return None

    def real(self, path: str) -> str:
        """The path itself."""
        return path


def flaw(name: str) -> str | None:
    """Why no client may unpack a member of this name, or not everywhere; completes "its name …"."""
    if "\0" in name:
        return "has a NUL character"
    if name.startswith(("/", "\\")):
        return "is absolute"
    parts = _parts(name)
    if parts and _DRIVE.match(parts[0]):
        return "begins with a drive letter"
    if ".." in parts:
        return "has '..' in it"
    return _BACKSLASH if "\\" in name else None


def folded(path: str) -> str:
    """A path as file systems compare it that fold case and Unicode forms."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _parts(name: str) -> list[str]:
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
