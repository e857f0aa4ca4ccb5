"""Reads an archive of whatever format its bytes show."""

from __future__ import annotations

from agentskills_lint.archives import named
from agentskills_lint.archives.found import BrokenError, Found, LimitError
from agentskills_lint.archives.members import Archive
from agentskills_lint.archives.tar import has_checksum, read_tar
from agentskills_lint.archives.zip import LONGEST_END, read_zip
from agentskills_lint.documents import LFS_POINTER
from agentskills_lint.wording import shown

_MAGIC = {
    b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\x1f\x8b": "tar.gz", b"BZh": "tar.bz2", b"\xfd7zXZ\x00": "tar.xz",
    b"\x28\xb5\x2f\xfd": "tar.zst", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar",
}  # fmt: skip


def read(raw: bytes, name: str) -> Archive:
    """What the headers of an archive tell; never raises, and does bounded work on any bytes."""
    found = Found()
    kind = _format(raw, name)
    fault = excess = None
    try:
        if kind == "zip":
            read_zip(raw, found)
        elif kind in ("tar.gz", "tar"):
            read_tar(raw, kind == "tar.gz", found)
        elif not kind:
            fault = _foreign(raw)
    except BrokenError as error:
        fault = str(error)
    except LimitError as error:
        excess = str(error)
    skill = found.skill if fault is None else None
    members = tuple(found.members)
    return Archive(kind, named(name), members, skill, fault, excess, found.unpacked, len(raw), found.streamed)


def _format(raw: bytes, name: str) -> str:
    for magic, kind in _MAGIC.items():
        if raw.startswith(magic):
            return kind
    if raw[257:262] == b"ustar" or has_checksum(raw[:512]):
        return "tar"
    return "zip" if named(name) == "zip" and b"PK\x05\x06" in raw[-LONGEST_END:] else ""


def _foreign(raw: bytes) -> str:
    """What stands there instead of an archive."""
    if not raw.strip():
        return "is empty"
    if raw.startswith(LFS_POINTER):
        return "is a Git LFS pointer, not the archive itself"
    start = raw[:512].lstrip().lower()
    what = "an HTML page" if start.startswith((b"<!doctype html", b"<html")) else "no archive"
    return f"is {what}: it begins with {shown(raw[:40].decode('utf-8', 'backslashreplace'), 24)}"
