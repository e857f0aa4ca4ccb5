"""Reads the directory of zip files, and holds it against the headers of the members."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import NamedTuple

from agentskills_lint.archives.found import MAX_MEMBERS, MAX_NAME, BrokenError, Found, LimitError
from agentskills_lint.archives.members import SKILL_NAME
from agentskills_lint.documents import MAX_BYTES
from agentskills_lint.wording import shown

LONGEST_END = 65_557
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_ENCRYPTED, _SIZES_BEHIND, _UTF8, _MASKED = 0x1, 0x8, 0x800, 0x2000
_FULL = 0xFFFFFFFF
_NO_ZIP64 = "says to be of the format zip64, but lacks what belongs to it"


class _Packed(NamedTuple):
    """Where the content of a member of a zip file lies."""

    name: str
    method: int
    crc: int
    start: int
    end: int
    size: int


def read_zip(raw: bytes, found: Found) -> None:
    """Read the central directory of a zip file (APPNOTE.TXT 6.3.10) and compare it with the local headers."""
    start, end, shift, count = _directory(raw)
    at = start
    spans: list[tuple[int, int]] = []
    skill: _Packed | None = None
    encrypted: str | None = None
    while at < end:
        if at + _CENTRAL.size > end or not raw.startswith(b"PK\x01\x02", at):
            raise BrokenError("has a damaged directory of its members")
        (
            _, made_by, _, flags, method, _, _, crc, packed, size, name_length, extra_length, comment_length, _, _,
            attributes, offset,
        ) = _CENTRAL.unpack_from(raw, at)  # fmt: skip
        following = at + _CENTRAL.size + name_length + extra_length + comment_length
        if following > end:
            raise BrokenError("has a damaged directory of its members")
        written = raw[at + _CENTRAL.size : at + _CENTRAL.size + name_length]
        extra = raw[at + _CENTRAL.size + name_length : at + _CENTRAL.size + name_length + extra_length]
        size, packed, offset = _wide(extra, size, packed, offset)
        name = _decoded(written, flags)
        spot = _local(raw, offset + shift, start, written, flags, method, (packed, size), name)
        content = _Packed(name, method, crc, *spot, size)
        kind = _zip_kind(name, made_by >> 8, attributes >> 16)
        target = ""
        if flags & (_ENCRYPTED | _MASKED):
            encrypted = encrypted or name
        elif kind == "symlink":
            target = _content(raw, content, MAX_NAME).decode("utf-8", "surrogateescape")
        member = found.add(name, kind, size, target)
        if member.path == SKILL_NAME:
            skill = content if kind == "file" and size <= MAX_BYTES else None
        spans.append((offset + shift, spot[1]))
        at = following
    if len(found.members) != count:
        raise BrokenError(f"lists {len(found.members):,} members, but says that it has {count:,}")
    spans.sort()
    if any(before[1] > behind[0] for before, behind in pairwise(spans)):
        raise BrokenError("has members that share the same bytes, as zip bombs do")
    if encrypted is not None:
        raise BrokenError(f"is encrypted: nobody can read {shown(encrypted)} without a password")
    if skill is not None:
        found.skill = _content(raw, skill, MAX_BYTES)
        found.streamed += len(found.skill)


def _directory(raw: bytes) -> tuple[int, int, int, int]:
    """Where the central directory starts and ends, what to add to its offsets, how many members it says to have."""
    at = _end_of(raw)
    if at is None:
        raise BrokenError("is cut off: the directory at the end of a zip file is missing")
    _, disk, first_disk, _, count, size, offset, _ = _END.unpack_from(raw, at)
    end = at
    locator = at - _LOCATOR.size
    if locator >= 0 and raw.startswith(b"PK\x06\x07", locator):
        places = (_LOCATOR.unpack_from(raw, locator)[2], locator - _END64.size)
        last = locator - _END64.size
        found = [place for place in places if 0 <= place <= last and raw.startswith(b"PK\x06\x06", place)]
        if not found:
            raise BrokenError(_NO_ZIP64)
        end = found[0]
        *_, disk, first_disk, _, count, size, offset = _END64.unpack_from(raw, end)
    if disk or first_disk:
        raise BrokenError("is one part of several")
    start = end - size
    if start < 0 or start < offset:
        raise BrokenError("is damaged: the directory of its members lies elsewhere than it says")
    if count > MAX_MEMBERS:
        raise LimitError(f"says to have {count:,} members, more than {MAX_MEMBERS:,}")
    return start, end, start - offset, count


def _end_of(raw: bytes) -> int | None:
    """Where the end record starts: the last one whose comment reaches to the end, else the last one."""
    first = max(len(raw) - LONGEST_END, 0)
    last = at = raw.rfind(b"PK\x05\x06", first)
    while at >= 0:
        if at + _END.size <= len(raw) and at + _END.size + _END.unpack_from(raw, at)[-1] == len(raw):
            return at
        at = raw.rfind(b"PK\x05\x06", first, at + 3)
    return last if 0 <= last <= len(raw) - _END.size else None


def _wide(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """The sizes and the offset, from the zip64 field where they do not fit in 32 bits."""
    if _FULL not in (size, packed, offset):
        return size, packed, offset
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<2H", extra, at)
        if tag == 1:
            numbers = iter(struct.unpack_from(f"<{min(length, len(extra) - at - 4) // 8}Q", extra, at + 4))
            wide = [next(numbers, None) if value == _FULL else value for value in (size, packed, offset)]
            if None not in wide:
                return tuple(wide)  # type: ignore[return-value]  # three numbers
            break
        at += 4 + length
    raise BrokenError(_NO_ZIP64)


def _local(
    raw: bytes, at: int, limit: int, written: bytes, flags: int, method: int, sizes: tuple[int, int], name: str
) -> tuple[int, int]:
    """Where a member's content starts and ends; its local header has to say the same as the directory."""
    if at + _LOCAL.size > limit or not raw.startswith(b"PK\x03\x04", at):
        raise BrokenError(f"is damaged: {shown(name)} is not where the directory says")
    _, _, own_flags, own_method, _, _, _, packed, size, name_length, extra_length = _LOCAL.unpack_from(raw, at)
    start = at + _LOCAL.size + name_length + extra_length
    if raw[at + _LOCAL.size : at + _LOCAL.size + name_length] != written:
        raise BrokenError(f"says two things: what the directory calls {shown(name)} has another name where it lies")
    behind = own_flags & _SIZES_BEHIND or _FULL in (packed, size) or flags & _MASKED
    if own_method != method or (own_flags ^ flags) & _ENCRYPTED or (not behind and (packed, size) != sizes):
        raise BrokenError(f"says two things: the directory and the header of {shown(name)} differ in size or method")
    if start + sizes[0] > limit:
        raise BrokenError(f"is cut off within {shown(name)}")
    return start, start + sizes[0]


def _zip_kind(name: str, system: int, mode: int) -> str:
    if name.endswith(("/", "\\")):
        return "folder"
    kind = mode & 0o170000 if system in (3, 19) else 0  # Unix, macOS
    return {0o120000: "symlink", 0o040000: "folder", 0: "file", 0o100000: "file"}.get(kind, "other")


def _decoded(name: bytes, flags: int) -> str:
    """A member's name: UTF-8 where it says or seems so, else the code page of the IBM PC (APPNOTE, appendix D)."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("utf-8", "surrogateescape") if flags & _UTF8 else name.decode("cp437")


def _content(raw: bytes, packed: _Packed, most: int) -> bytes:
    """The content of a member that declares no more than `most` bytes."""
    import zlib

    name = shown(packed.name)
    length = packed.end - packed.start
    if packed.size > most or length > 2 * most:
        raise BrokenError(f"is damaged: {name} cannot have {max(packed.size, length):,} bytes")
    data = raw[packed.start : packed.end]
    if packed.method == 8:
        try:
            data = zlib.decompressobj(-15).decompress(data, packed.size + 1)
        except zlib.error:
            raise BrokenError(f"is damaged: {name} cannot be unpacked") from None
    elif packed.method != 0:
        raise BrokenError(f"has {name} compressed by method {packed.method}; clients know deflate")
    if len(data) != packed.size or zlib.crc32(data) != packed.crc:
        raise BrokenError(f"is damaged: {name} is not what its header says")
    return data
