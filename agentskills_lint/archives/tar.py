"""Reads the headers of tar archives, plain or packed by gzip."""

from __future__ import annotations

from collections.abc import Iterator

from agentskills_lint.archives.found import BrokenError, Found, LimitError
from agentskills_lint.archives.members import SKILL_NAME
from agentskills_lint.documents import MAX_BYTES
from agentskills_lint.wording import shown

MAX_HEADERS = 4_000_000
"""Bytes that the extended headers of a tar archive take in all."""

MAX_UNPACKED = 100_000_000
"""Bytes of its members that a tar archive may declare; where there are more it is read no further."""

MAX_STREAMED = 120_000_000
"""Bytes that are unpacked of a .tar.gz, the members with their headers and the padding."""

MAX_STREAMS = 1_000
"""gzip streams, one behind the other, that a .tar.gz may consist of."""

_PIECE = 65_536
_BLOCK = 512


class _Stream:
    """The bytes of a tar archive in order, read once, packed by gzip or plain."""

    def __init__(self, raw: bytes, packed: bool, found: Found) -> None:
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
                raise LimitError(f"consists of more than {MAX_STREAMS:,} gzip streams")
            engine = zlib.decompressobj(31)
            rest = b""
            while not engine.eof:
                data = rest or raw[at : at + _PIECE]
                at += 0 if rest else len(data)
                try:
                    piece = engine.decompress(data, _PIECE)
                except zlib.error:
                    raise BrokenError("is damaged: its compressed data cannot be read to the end") from None
                rest = engine.unconsumed_tail
                if not data and not piece and not engine.eof:
                    raise BrokenError("is cut off: its compressed data end early")
                self._found.streamed += len(piece)
                if self._found.streamed > MAX_STREAMED:
                    raise LimitError(f"unpacks to more than {MAX_STREAMED:,} bytes")
                if piece:
                    yield piece
            at -= len(engine.unused_data)


def read_tar(raw: bytes, packed: bool, found: Found) -> None:
    """Read the headers of a tar archive (POSIX.1-2001 pax, ustar, GNU), packed by gzip or plain."""
    stream = _Stream(raw, packed, found)
    common: dict[str, str] = {}
    extended: dict[str, str] = {}
    headers = 0
    while block := stream.read(_BLOCK):
        if len(block) < _BLOCK and (found.members or headers):
            raise BrokenError("is cut off within a header")
        if not any(block):
            break
        if not has_checksum(block):
            raise BrokenError("has a damaged header" if found.members or headers else "has no tar archive in it")
        size, flag = _number(block[124:136]), block[156:157]
        if flag in (b"x", b"X", b"g", b"L", b"K"):
            headers += size
            if headers > MAX_HEADERS:
                raise LimitError(f"has extended headers of more than {MAX_HEADERS:,} bytes")
            payload = stream.read(size)
            if len(payload) < size or stream.skip(-size % _BLOCK) < -size % _BLOCK:
                raise BrokenError("is cut off within a header")
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
                    raise BrokenError("has a map of a sparse file without end")
                more = block_of_map[504]
        for key in ("GNU.sparse.realsize", "GNU.sparse.size"):
            declared = _decimal(facts[key]) if key in facts else declared
        _read_member(stream, found, block, facts, stored, declared)
    stream.drain()


def _read_member(
    stream: _Stream, found: Found, block: bytes, facts: dict[str, str], stored: int, declared: int
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
        raise LimitError(f"unpacks to {found.unpacked:,} bytes or more")
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
        raise BrokenError(f"is cut off within {shown(name)}")
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
            raise BrokenError("has a header with a negative size")
        return value
    digits = field.split(b"\0", 1)[0].strip()
    if digits.strip(b"01234567"):
        raise BrokenError("has a header whose size is no number")
    return int(digits or b"0", 8)


def _decimal(digits: str) -> int:
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise BrokenError("has a header whose size is no number")
    return int(digits)


def has_checksum(block: bytes) -> bool:
    """Whether a block of 512 bytes is the header of a member, by the sum that it holds."""
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
            raise BrokenError("has an extended header that is damaged")
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
