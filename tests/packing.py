"""Archives for tests, made on the spot: right ones with the standard library, wrong ones byte by byte."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import re
import struct
import sys
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agentskills_lint.sources import Memory
from tests.support import clean_skill

WELL_KNOWN = ".well-known/agent-skills/"
INDEX = f"{WELL_KNOWN}index.json"
LISTED = re.compile(r"(?P<name>.+?)(?: -> (?P<target>.+)| \((?P<size>[0-9]+) MB\))?")


class Item(NamedTuple):
    """A member to pack. What is not None stands in the headers in place of what is true.

    `kind`: "file", "folder", "symlink", "hardlink" or "device"; `local` is the name in the local
    header of a zip file, `behind` says that the sizes stand behind the content there.
    """

    name: str | bytes
    content: bytes = b""
    kind: str = "file"
    target: str = ""
    size: int | None = None
    packed: int | None = None
    local: bytes | None = None
    local_size: int | None = None
    method: int = 8
    flags: int = 0
    crc: int | None = None
    extra: bytes = b""
    offset: int | None = None


TYPES = {
    "file": tarfile.REGTYPE, "folder": tarfile.DIRTYPE, "symlink": tarfile.SYMTYPE, "hardlink": tarfile.LNKTYPE,
    "device": tarfile.CHRTYPE,
}  # fmt: skip
MODES = {"file": 0o100644, "folder": 0o040755, "symlink": 0o120777, "hardlink": 0o100644, "device": 0o020666}


def tar(*items: Item, form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar archive as Python writes it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for item in items:
            assert isinstance(item.name, str)
            info = tarfile.TarInfo(item.name)
            info.type, info.linkname, info.size = TYPES[item.kind], item.target, len(item.content)
            archive.addfile(info, io.BytesIO(item.content))
    return stream.getvalue()


def tar_gz(*items: Item, form: int = tarfile.PAX_FORMAT) -> bytes:
    """The same, compressed."""
    return gzip.compress(tar(*items, form=form), mtime=0)


def block(name: bytes, size: int | bytes = 0, flag: bytes = b"0", target: bytes = b"", rest: bytes = b"") -> bytes:
    """A header of a tar archive; `rest` is written from offset 345 on."""
    length = size if isinstance(size, bytes) else b"%011o\0" % size
    head = struct.pack(
        "100s8s8s8s12s12s8s1s100s8s", name, b"644", b"0", b"0", length, b"0", b" " * 8, flag, target, b"ustar\x0000"
    )
    head = (head.ljust(345, b"\0") + rest).ljust(512, b"\0")
    return head[:148] + b"%06o\0 " % sum(head) + head[156:]


def padded(content: bytes) -> bytes:
    """Content up to the next block of a tar archive."""
    return content + b"\0" * (-len(content) % 512)


def zipped(*items: Item, prefix: bytes = b"", comment: bytes = b"", count: int | None = None) -> bytes:
    """A zip file, written here so that its headers can say anything."""
    out = bytearray(prefix)
    directory = bytearray()
    for item in items:
        name = item.name.encode() if isinstance(item.name, str) else item.name
        content = item.target.encode() if item.kind == "symlink" else item.content
        engine = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = engine.compress(content) + engine.flush() if item.method == 8 else content
        crc = zlib.crc32(content) if item.crc is None else item.crc
        size = len(content) if item.size is None else item.size
        packed = len(data) if item.packed is None else item.packed
        offset = len(out) - len(prefix) if item.offset is None else item.offset
        local = name if item.local is None else item.local
        local_size = size if item.local_size is None else item.local_size
        common = (item.flags, item.method, 0, 0x21, crc)
        if item.offset is None:
            out += (
                struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, *common, packed, local_size, len(local), 0) + local + data
            )
        directory += struct.pack(
            "<4s6H3L5H2L", b"PK\x01\x02", 3 << 8 | 20, 20, *common, packed, size, len(name), len(item.extra), 0, 0, 0,
            MODES[item.kind] << 16, offset,
        ) + name + item.extra  # fmt: skip
    start = len(out) - len(prefix)
    out += directory
    number = len(items) if count is None else count
    out += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, number, number, len(directory), start, len(comment)) + comment
    return bytes(out)


def skill(name: str = "wrangler") -> Item:
    """A SKILL.md without faults."""
    return Item("SKILL.md", clean_skill("agentskills", f"name: {name}\n{DESCRIPTION}").encode())


DESCRIPTION = "description: Deploys a worker. Use when the user wants to deploy, not for local runs."


def packed(path: str, lines: Iterable[str]) -> bytes:
    """The archive that a list of members stands for, in the format that its name tells.

    Each line names a member: `SKILL.md` is one without faults, a final slash makes a folder,
    `a -> b` is a symbolic link, `(400 MB)` what the header declares.
    """
    name = re.split(r"[.]", path.rpartition("/")[2], maxsplit=1)[0]
    items = []
    for line in lines:
        found = LISTED.fullmatch(line)
        assert found is not None, line
        member, target, size = found["name"], found["target"] or "", int(found["size"] or 0) * 1_000_000
        kind = "symlink" if target else "folder" if member.endswith("/") else "file"
        text = clean_skill("discovery", f"name: {name}") if member.endswith("SKILL.md") else "# Fields\n"
        content = text.encode() if kind == "file" else b""
        items.append(Item(member, content, kind, target, size or None, method=0 if size else 8))
    if path.endswith(".zip"):
        return zipped(*items)
    return bz2.compress(tar(*items)) if path.endswith(".bz2") else tar_gz(*items)


def site(files: Mapping[str, bytes], **fields: str) -> dict[str, str | bytes]:
    """A site whose index lists archives, right in everything but what is asked for."""
    entries = [
        {"name": name.split(".")[0], "type": "archive", "description": DESCRIPTION.removeprefix("description: "),
         "url": name, "digest": f"sha256:{hashlib.sha256(raw).hexdigest()}"} | fields
        for name, raw in files.items()
    ]  # fmt: skip
    index = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": entries}
    return {INDEX: json.dumps(index, indent=2)} | {f"{WELL_KNOWN}{name}": raw for name, raw in files.items()}


class Counted(Memory):
    """Counts what is read; `sizes` stand in for those of files that nobody wants to make."""

    def __init__(self, files: dict[str, bytes], sizes: dict[str, int] | None = None) -> None:
        super().__init__(files)
        self.read_paths: Counter[str] = Counter()
        self._sizes = sizes or {}

    def read(self, path: str, limit: int = sys.maxsize) -> bytes:
        self.read_paths[path] += 1
        if self._sizes.get(path, 0) > limit:
            raise OSError(f"larger than {limit} bytes")
        return super().read(path, limit)

    def status(self, path: str) -> tuple[str, int]:
        kind, size = super().status(path)
        return kind, self._sizes.get(path, size)


def located(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    """A tree below /r."""
    return {f"/r/{path}": raw if isinstance(raw, bytes) else raw.encode() for path, raw in files.items()}
