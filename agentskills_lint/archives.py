"""Archives that hold a skill, known by their headers: nothing is unpacked but SKILL.md, in memory.

`tarfile` and `zipfile` read all headers, however many there are, and differ from one Python to
the next in what they refuse; these readers do bounded work on whatever bytes there are.
"""

from __future__ import annotations

import posixpath
import struct
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from agentskills_lint.documents import MAX_BYTES, Document, Folder, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Span
from agentskills_lint.wording import shown

MAX_ARCHIVE = 50_000_000
"""Bytes of an archive; a larger one is not looked into."""

MAX_MEMBERS = 10_000
"""Members of an archive; with more of them the rest is not looked at."""

MAX_NAME = 1_024
"""Characters of a member's name or of a link's target; no system unpacks longer ones everywhere."""

MAX_HEADERS = 4_000_000
"""Bytes that the extended headers of a tar archive take in all."""

MAX_UNPACKED = 100_000_000
"""Bytes of its members that a tar archive may declare; where there are more it is read no further."""

MAX_STREAMED = 120_000_000
"""Bytes that are unpacked of a .tar.gz, the members with their headers and the padding."""

MAX_STREAMS = 1_000
"""gzip streams, one behind the other, that a .tar.gz may consist of."""

MAX_HOPS = 40
"""Links that one path may lead through, as on Linux."""

MAX_STEPS = 200_000
"""Parts of paths that are followed to find where the links of one archive lead."""

MAX_DEPTH = 40
"""Folders, one in the other, that the tree of an archive's members shows."""

SKILL_NAME = "SKILL.md"

_PIECE = 65_536
_BLOCK = 512
_BACKSLASH = "has a backslash for a separator"
_DRIVE = lazy(r"[A-Za-z]:")

_ENDINGS = {
    ".tar.gz": "tar.gz", ".tgz": "tar.gz", ".zip": "zip", ".tar": "tar", ".tar.bz2": "tar.bz2", ".tbz2": "tar.bz2",
    ".tbz": "tar.bz2", ".tar.xz": "tar.xz", ".txz": "tar.xz", ".tar.zst": "tar.zst", ".tzst": "tar.zst",
    ".7z": "7z", ".rar": "rar", ".gz": "gz", ".skill": "zip",
}  # fmt: skip
"""Formats by the ending of a name; agents share skills as zip files named .skill."""

_MAGIC = {
    b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\x1f\x8b": "tar.gz", b"BZh": "tar.bz2", b"\xfd7zXZ\x00": "tar.xz",
    b"\x28\xb5\x2f\xfd": "tar.zst", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar",
}  # fmt: skip


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


class ArchiveFile(Document):
    """An archive that a registry lists, with what its headers tell; it has no text."""

    kind = "archive"
    is_text = False

    def __init__(self, path: str, location: str, raw: bytes, folder: Folder | None, size: int | None = None) -> None:
        """`raw` is empty where `size` exceeds MAX_ARCHIVE; like that of any document it is kept up to MAX_BYTES."""
        size = len(raw) if size is None else size
        super().__init__(path, location, b"", folder, size)
        self.raw = raw if size <= MAX_BYTES else b""
        self.archive = read(raw, self.name) if size <= MAX_ARCHIVE else _unread(self.name, size)

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


def named(path: str) -> str:
    """The format that a file name or the path of a URL tells by its ending, "" where none."""
    name = path.lower()
    return next((_ENDINGS[end] for end in sorted(_ENDINGS, key=len, reverse=True) if name.endswith(end)), "")


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


def read(raw: bytes, name: str) -> Archive:
    """What the headers of an archive tell; never raises, and does bounded work on any bytes."""
    found = _Found()
    kind = _format(raw, name)
    fault = excess = None
    try:
        if kind == "zip":
            _read_zip(raw, found)
        elif kind in ("tar.gz", "tar"):
            _read_tar(_Stream(raw, kind == "tar.gz", found), found)
        elif not kind:
            fault = _foreign(raw)
    except _BrokenError as error:
        fault = str(error)
    except _LimitError as error:
        excess = str(error)
    skill = found.skill if fault is None else None
    members = tuple(found.members)
    return Archive(kind, named(name), members, skill, fault, excess, found.unpacked, len(raw), found.streamed)


def _unread(name: str, size: int) -> Archive:
    excess = f"has {size:,} bytes, more than the {MAX_ARCHIVE:,} up to which it is looked into"
    return Archive(named(name), named(name), excess=excess, packed=size)


class _BrokenError(Exception):
    """The archive cannot be read further; completes "the archive …"."""


class _LimitError(Exception):
    """A limit was reached; completes "the archive …"."""


class _Found:
    """What has been read so far."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self.skill: bytes | None = None
        self.unpacked = 0
        self.streamed = 0

    def add(self, name: str, kind: str, size: int, target: str = "") -> Member:
        """Add a member, within the limits."""
        if len(self.members) >= MAX_MEMBERS:
            raise _LimitError(f"has more than {MAX_MEMBERS:,} members")
        longest = max(len(name), len(target))
        if longest > MAX_NAME:
            raise _BrokenError(f"has a member whose name takes {longest:,} characters, which most systems refuse")
        member = Member(name, kind, size, target)
        self.members.append(member)
        self.unpacked += size
        return member


def _parts(name: str) -> list[str]:
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]


def _format(raw: bytes, name: str) -> str:
    for magic, kind in _MAGIC.items():
        if raw.startswith(magic):
            return kind
    if raw[257:262] == b"ustar" or _has_checksum(raw[:_BLOCK]):
        return "tar"
    return "zip" if named(name) == "zip" and b"PK\x05\x06" in raw[-_LONGEST_END:] else ""


def _foreign(raw: bytes) -> str:
    """What stands there instead of an archive."""
    if not raw.strip():
        return "is empty"
    if raw.startswith(b"version https://git-lfs.github.com/"):
        return "is a Git LFS pointer, not the archive itself"
    start = raw[:512].lstrip().lower()
    what = "an HTML page" if start.startswith((b"<!doctype html", b"<html")) else "no archive"
    return f"is {what}: it begins with {shown(raw[:40].decode('utf-8', 'backslashreplace'), 24)}"


# --- tar ------------------------------------------------------------------------------------------


class _Stream:
    """The bytes of a tar archive in order, read once, packed by gzip or plain."""

    def __init__(self, raw: bytes, packed: bool, found: _Found) -> None:
        self._found = found
        self._pieces = self._inflated(raw) if packed else self._plain(raw)
        self._piece = b""
        self._at = 0

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        return b"".join(self._next(size))

    def skip(self, size: int) -> int:
        """Pass over bytes; gives how many there were."""
        return sum(map(len, self._next(size)))

    def drain(self) -> None:
        """Read to the end, so that a damaged rest is noticed."""
        for _ in self._pieces:
            pass

    def _next(self, size: int) -> Iterator[bytes]:
        while size > 0:
            if self._at == len(self._piece):
                piece = next(self._pieces, None)
                if piece is None:
                    return
                self._piece, self._at = piece, 0
            part = self._piece[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            yield part

    def _plain(self, raw: bytes) -> Iterator[bytes]:
        for at in range(0, len(raw), _PIECE):
            self._found.streamed += min(_PIECE, len(raw) - at)
            yield raw[at : at + _PIECE]

    def _inflated(self, raw: bytes) -> Iterator[bytes]:
        import zlib

        at = 0
        for number in range(MAX_STREAMS + 1):
            if not raw.startswith(b"\x1f\x8b", at):
                return  # what gzip passes over as well: padding behind the last stream
            if number == MAX_STREAMS:
                raise _LimitError(f"consists of more than {MAX_STREAMS:,} gzip streams")
            engine = zlib.decompressobj(31)
            rest = b""
            while not engine.eof:
                data = rest or raw[at : at + _PIECE]
                at += 0 if rest else len(data)
                try:
                    piece = engine.decompress(data, _PIECE)
                except zlib.error:
                    raise _BrokenError("is damaged: its compressed data cannot be read to the end") from None
                rest = engine.unconsumed_tail
                if not data and not piece and not engine.eof:
                    raise _BrokenError("is cut off: its compressed data end early")
                self._found.streamed += len(piece)
                if self._found.streamed > MAX_STREAMED:
                    raise _LimitError(f"unpacks to more than {MAX_STREAMED:,} bytes")
                if piece:
                    yield piece
            at -= len(engine.unused_data)


def _read_tar(stream: _Stream, found: _Found) -> None:
    """Read the headers of a tar archive (POSIX.1-2001 pax, ustar, GNU)."""
    common: dict[str, str] = {}
    extended: dict[str, str] = {}
    headers = 0
    while block := stream.read(_BLOCK):
        if len(block) < _BLOCK and (found.members or headers):
            raise _BrokenError("is cut off within a header")
        if not any(block):
            break
        if not _has_checksum(block):
            raise _BrokenError("has a damaged header" if found.members or headers else "has no tar archive in it")
        size, flag = _number(block[124:136]), block[156:157]
        if flag in (b"x", b"X", b"g", b"L", b"K"):
            headers += size
            if headers > MAX_HEADERS:
                raise _LimitError(f"has extended headers of more than {MAX_HEADERS:,} bytes")
            payload = stream.read(size)
            if len(payload) < size or stream.skip(-size % _BLOCK) < -size % _BLOCK:
                raise _BrokenError("is cut off within a header")
            if flag in (b"L", b"K"):
                extended["path" if flag == b"L" else "linkpath"] = _text(payload)
            else:
                (common if flag == b"g" else extended).update(_records(payload))
            continue
        facts = common | extended
        extended = {}
        if flag == b"V":  # the label of a volume
            continue
        stored = _decimal(facts["size"]) if "size" in facts else size
        declared = stored
        if flag == b"S":
            declared = _number(block[483:495])
            more = block[482]
            while more:
                headers += _BLOCK
                block_of_map = stream.read(_BLOCK)
                if len(block_of_map) < _BLOCK or headers > MAX_HEADERS:
                    raise _BrokenError("has a map of a sparse file without end")
                more = block_of_map[504]
        for key in ("GNU.sparse.realsize", "GNU.sparse.size"):
            declared = _decimal(facts[key]) if key in facts else declared
        _read_member(stream, found, block, facts, stored, declared)
    stream.drain()


def _read_member(
    stream: _Stream, found: _Found, block: bytes, facts: dict[str, str], stored: int, declared: int
) -> None:
    name = facts.get("GNU.sparse.name") or facts.get("path") or _name(block)
    flag = block[156:157]
    kind = {b"1": "hardlink", b"2": "symlink", b"3": "other", b"4": "other", b"5": "folder", b"6": "other"}.get(flag)
    if kind is None:
        kind = "folder" if flag in (b"\0", b"D") and name.endswith("/") else "file"
    holds = flag not in (b"1", b"2", b"3", b"4", b"5", b"6")
    target = facts.get("linkpath") or _text(block[157:257]) if kind in ("symlink", "hardlink") else ""
    member = found.add(name, kind, declared if holds else 0, target)
    if found.unpacked > MAX_UNPACKED:
        raise _LimitError(f"unpacks to {found.unpacked:,} bytes or more")
    if member.path == SKILL_NAME:
        found.skill = None
    if not holds:
        return
    if member.path == SKILL_NAME and stored == declared <= MAX_BYTES and kind == "file":
        found.skill = stream.read(stored)
        passed = len(found.skill)
    else:
        passed = stream.skip(stored)
    if passed < stored:
        raise _BrokenError(f"is cut off within {shown(name)}")
    stream.skip(-stored % _BLOCK)


def _name(block: bytes) -> str:
    name = _text(block[:100])
    prefix = _text(block[345:500]) if block[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def _number(field: bytes) -> int:
    """A number of a tar header: octal digits, or two's complement behind a set bit (GNU)."""
    if field[0] & 0x80:
        value = int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
        if field[0] & 0x40:
            raise _BrokenError("has a header with a negative size")
        return value
    digits = field.split(b"\0", 1)[0].strip()
    if digits.strip(b"01234567"):
        raise _BrokenError("has a header whose size is no number")
    return int(digits or b"0", 8)


def _decimal(digits: str) -> int:
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise _BrokenError("has a header whose size is no number")
    return int(digits)


def _has_checksum(block: bytes) -> bool:
    if len(block) < _BLOCK:
        return False
    digits = block[148:156].split(b"\0", 1)[0].strip()
    if not digits or digits.strip(b"01234567"):
        return False
    summed = block[:148] + b" " * 8 + block[156:]
    found, total = int(digits, 8), sum(summed)
    # some old programs add signed bytes
    return found == total or found == total - 256 * sum(byte >= 0x80 for byte in summed)


def _records(payload: bytes) -> dict[str, str]:
    """The records of an extended header: `LENGTH KEY=VALUE` and a line end each (POSIX pax)."""
    found = {}
    at = 0
    while at < len(payload) and payload[at]:
        blank = payload.find(b" ", at, at + 20)
        digits = payload[at:blank] if blank > 0 else b""
        length = int(digits) if digits.isdigit() else 0
        if length <= len(digits) + 1 or at + length > len(payload):
            raise _BrokenError("has an extended header that is damaged")
        key, _, value = payload[blank + 1 : at + length - 1].partition(b"=")
        if key in _KEYS:
            found[_KEYS[key]] = value.decode("utf-8", "surrogateescape")
        at += length
    return found


_KEYS = {
    key.encode(): key
    for key in ("path", "linkpath", "size", "GNU.sparse.name", "GNU.sparse.realsize", "GNU.sparse.size")
}
"""The keys of extended headers that matter here."""


# --- zip ------------------------------------------------------------------------------------------

_LONGEST_END = 65_557
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


def _read_zip(raw: bytes, found: _Found) -> None:
    """Read the central directory of a zip file (APPNOTE.TXT 6.3.10) and compare it with the local headers."""
    start, end, shift, count = _directory(raw)
    at = start
    spans: list[tuple[int, int]] = []
    skill: _Packed | None = None
    encrypted: str | None = None
    while at < end:
        if at + _CENTRAL.size > end or not raw.startswith(b"PK\x01\x02", at):
            raise _BrokenError("has a damaged directory of its members")
        (
            _, made_by, _, flags, method, _, _, crc, packed, size, name_length, extra_length, comment_length, _, _,
            attributes, offset,
        ) = _CENTRAL.unpack_from(raw, at)  # fmt: skip
        following = at + _CENTRAL.size + name_length + extra_length + comment_length
        if following > end:
            raise _BrokenError("has a damaged directory of its members")
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
        raise _BrokenError(f"lists {len(found.members):,} members, but says that it has {count:,}")
    spans.sort()
    if any(before[1] > behind[0] for before, behind in pairwise(spans)):
        raise _BrokenError("has members that share the same bytes, as zip bombs do")
    if encrypted is not None:
        raise _BrokenError(f"is encrypted: nobody can read {shown(encrypted)} without a password")
    if skill is not None:
        found.skill = _content(raw, skill, MAX_BYTES)
        found.streamed += len(found.skill)


def _directory(raw: bytes) -> tuple[int, int, int, int]:
    """Where the central directory starts and ends, what to add to its offsets, how many members it says to have."""
    at = _end_of(raw)
    if at is None:
        raise _BrokenError("is cut off: the directory at the end of a zip file is missing")
    _, disk, first_disk, _, count, size, offset, _ = _END.unpack_from(raw, at)
    end = at
    locator = at - _LOCATOR.size
    if locator >= 0 and raw.startswith(b"PK\x06\x07", locator):
        places = (_LOCATOR.unpack_from(raw, locator)[2], locator - _END64.size)
        last = locator - _END64.size
        found = [place for place in places if 0 <= place <= last and raw.startswith(b"PK\x06\x06", place)]
        if not found:
            raise _BrokenError(_NO_ZIP64)
        end = found[0]
        *_, disk, first_disk, _, count, size, offset = _END64.unpack_from(raw, end)
    if disk or first_disk:
        raise _BrokenError("is one part of several")
    start = end - size
    if start < 0 or start < offset:
        raise _BrokenError("is damaged: the directory of its members lies elsewhere than it says")
    if count > MAX_MEMBERS:
        raise _LimitError(f"says to have {count:,} members, more than {MAX_MEMBERS:,}")
    return start, end, start - offset, count


def _end_of(raw: bytes) -> int | None:
    """Where the end record starts: the last one whose comment reaches to the end, else the last one."""
    first = max(len(raw) - _LONGEST_END, 0)
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
    raise _BrokenError(_NO_ZIP64)


def _local(
    raw: bytes, at: int, limit: int, written: bytes, flags: int, method: int, sizes: tuple[int, int], name: str
) -> tuple[int, int]:
    """Where a member's content starts and ends; its local header has to say the same as the directory."""
    if at + _LOCAL.size > limit or not raw.startswith(b"PK\x03\x04", at):
        raise _BrokenError(f"is damaged: {shown(name)} is not where the directory says")
    _, _, own_flags, own_method, _, _, _, packed, size, name_length, extra_length = _LOCAL.unpack_from(raw, at)
    start = at + _LOCAL.size + name_length + extra_length
    if raw[at + _LOCAL.size : at + _LOCAL.size + name_length] != written:
        raise _BrokenError(f"says two things: what the directory calls {shown(name)} has another name where it lies")
    behind = own_flags & _SIZES_BEHIND or _FULL in (packed, size) or flags & _MASKED
    if own_method != method or (own_flags ^ flags) & _ENCRYPTED or (not behind and (packed, size) != sizes):
        raise _BrokenError(f"says two things: the directory and the header of {shown(name)} differ in size or method")
    if start + sizes[0] > limit:
        raise _BrokenError(f"is cut off within {shown(name)}")
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
        raise _BrokenError(f"is damaged: {name} cannot have {max(packed.size, length):,} bytes")
    data = raw[packed.start : packed.end]
    if packed.method == 8:
        try:
            data = zlib.decompressobj(-15).decompress(data, packed.size + 1)
        except zlib.error:
            raise _BrokenError(f"is damaged: {name} cannot be unpacked") from None
    elif packed.method != 0:
        raise _BrokenError(f"has {name} compressed by method {packed.method}; clients know deflate")
    if len(data) != packed.size or zlib.crc32(data) != packed.crc:
        raise _BrokenError(f"is damaged: {name} is not what its header says")
    return data
