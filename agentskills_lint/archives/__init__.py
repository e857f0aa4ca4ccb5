"""Archives that hold a skill, known by their headers: nothing is unpacked but SKILL.md, in memory.

`tarfile` and `zipfile` read all headers, however many there are, and differ from one Python to
the next in what they refuse; these readers do bounded work on whatever bytes there are.
"""

from __future__ import annotations

from agentskills_lint.archives.members import SKILL_NAME, Archive, Members
from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill
from agentskills_lint.model import Span

MAX_ARCHIVE = 50_000_000
"""Bytes of an archive; a larger one is not looked into."""

_ENDINGS = {
    ".tar.gz": "tar.gz", ".tgz": "tar.gz", ".zip": "zip", ".tar": "tar", ".tar.bz2": "tar.bz2", ".tbz2": "tar.bz2",
    ".tbz": "tar.bz2", ".tar.xz": "tar.xz", ".txz": "tar.xz", ".tar.zst": "tar.zst", ".tzst": "tar.zst",
    ".7z": "7z", ".rar": "rar", ".gz": "gz", ".skill": "zip",
}  # fmt: skip
"""Formats by the ending of a name; agents share skills as zip files named .skill."""


class ArchiveFile(Document):
    """An archive that a registry lists, with what its headers tell; it has no text."""

    kind = "archive"
    is_text = False

    def __init__(self, path: str, location: str, raw: bytes, folder: Folder | None, size: int | None = None) -> None:
        """`raw` is empty where `size` exceeds MAX_ARCHIVE; like that of any document it is kept up to MAX_BYTES."""
        size = len(raw) if size is None else size
        super().__init__(path, location, b"", folder, size)
        self.raw = raw if size <= MAX_BYTES else b""
        if size > MAX_ARCHIVE:
            self.archive = _unread(self.name, size)
            return
        from agentskills_lint.archives.reading import read  # few runs meet an archive

        self.archive = read(raw, self.name)

    def inner(self, via: tuple[Document, Span], site: Folder | None) -> Skill | None:
        """The SKILL.md at the root as a document, None where there is none that can be read."""
        root = f"{self.location}!"
        declared = [member for member in self.archive.members if member.path == SKILL_NAME and member.kind == "file"]
        raw, size = self.archive.skill, None
        if raw is None and self.archive.is_complete and declared and declared[-1].size > MAX_BYTES:
            raw, size = b"", declared[-1].size
        if raw is None:
            return None
        folder = Folder(Members(self.archive, root), root)
        skill = Skill(f"{self.path}!{SKILL_NAME}", f"{root}{SKILL_NAME}", raw, folder, size, site)
        skill.name = SKILL_NAME
        skill.via = via
        return skill


def named(path: str) -> str:
    """The format that a file name or the path of a URL tells by its ending, "" where none."""
    name = path.lower()
    return next((_ENDINGS[end] for end in sorted(_ENDINGS, key=len, reverse=True) if name.endswith(end)), "")


def _unread(name: str, size: int) -> Archive:
    excess = f"has {size:,} bytes, more than the {MAX_ARCHIVE:,} up to which it is looked into"
    return Archive(named(name), named(name), excess=excess, packed=size)
