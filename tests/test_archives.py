"""Archives are read by their headers alone, with bounded work on any bytes; the skill inside is linted in place."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import struct
import tarfile
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint.archives import MAX_ARCHIVE, ArchiveFile, named
from agentskills_lint.archives.found import MAX_MEMBERS, MAX_NAME
from agentskills_lint.archives.members import MAX_STEPS, Archive, Member, Members, flaw
from agentskills_lint.archives.reading import read
from agentskills_lint.archives.tar import MAX_HEADERS, MAX_STREAMED, MAX_STREAMS, MAX_UNPACKED
from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project, project
from agentskills_lint.documents import MAX_BYTES, Folder, Skill
from agentskills_lint.engine import lint
from agentskills_lint.model import Report
from agentskills_lint.sources import Memory
from tests.packing import (
    DESCRIPTION,
    INDEX,
    WELL_KNOWN,
    Counted,
    Item,
    block,
    located,
    padded,
    site,
    skill,
    tar,
    tar_gz,
    zipped,
)
from tests.support import brief, report_on

PLAIN = (skill(), Item("references/commands.md", b"# Commands\n"))
FORMS = [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT]
Pack = Callable[..., bytes]


def names(archive: Archive) -> list[str]:
    return [member.name for member in archive.members]


def standard_zip(*items: Item, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for item in items:
            archive.writestr(str(item.name), item.content)
    return stream.getvalue()


# What headers tell


@pytest.mark.parametrize("form", FORMS)
def test_a_tar_archive_as_python_writes_it(form: int) -> None:
    items = (*PLAIN, Item("scripts", kind="folder"), Item("a", kind="symlink", target="SKILL.md"),
             Item("b", kind="hardlink", target="SKILL.md"), Item("c", kind="device"))  # fmt: skip
    size = len(PLAIN[0].content)
    members = (
        Member("SKILL.md", "file", size), Member("references/commands.md", "file", 11), Member("scripts/", "folder", 0),
        Member("a", "symlink", 0, "SKILL.md"), Member("b", "hardlink", 0, "SKILL.md"), Member("c", "other", 0),
    )  # fmt: skip
    raw = tar_gz(*items, form=form)
    found = read(raw, "wrangler.tar.gz")
    assert found == Archive(
        "tar.gz", "tar.gz", members, PLAIN[0].content, None, None, size + 11, len(raw), found.streamed
    )
    assert found.streamed == len(gzip.decompress(raw))
    plain = read(tar(*items, form=form), "wrangler.tar")
    assert (plain.format, plain.members, plain.skill) == ("tar", members, PLAIN[0].content)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_file_as_python_writes_it(method: int) -> None:
    found = read(standard_zip(*PLAIN, Item("scripts/"), method=method), "wrangler.zip")
    assert [(member.name, member.kind, member.size) for member in found.members] == [
        ("SKILL.md", "file", len(PLAIN[0].content)), ("references/commands.md", "file", 11), ("scripts/", "folder", 0)
    ]  # fmt: skip
    assert (found.format, found.skill, found.fault, found.is_complete) == ("zip", PLAIN[0].content, None, True)
    assert found.streamed == len(PLAIN[0].content)  # nothing else is unpacked


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_a_dot_in_front_of_the_name_is_the_root(pack: Pack) -> None:
    found = read(pack(Item("./", kind="folder"), skill()._replace(name="./SKILL.md")), "x.tar.gz")
    assert found.skill == skill().content
    assert [member.path for member in found.members] == ["", "SKILL.md"]


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_of_two_members_named_skill_the_last_counts(pack: Pack) -> None:
    assert read(pack(skill("a"), skill("b")), "x").skill == skill("b").content


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_a_skill_that_is_too_large_is_not_unpacked(pack: Pack) -> None:
    found = read(pack(Item("SKILL.md", b"\0" * (MAX_BYTES + 1))), "x")
    assert (found.skill, found.fault, found.members[0].size) == (None, None, MAX_BYTES + 1)


TEXT = st.text(st.characters(exclude_characters="\0/\\", exclude_categories=["Cs"]), min_size=1, max_size=40)
PATHS = st.lists(TEXT.filter(lambda part: part not in (".", "..")), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(PATHS, st.binary(max_size=900), max_size=6), st.sampled_from(FORMS[:2]))
@settings(max_examples=100)
def test_python_finds_the_same_in_a_tar_archive(files: dict[str, bytes], form: int) -> None:
    raw = tar_gz(*(Item(name, content) for name, content in files.items()), form=form)
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        expected = [(info.name, info.size) for info in archive]
    found = read(raw, "x.tar.gz")
    assert [(member.name, member.size) for member in found.members] == expected
    assert found.fault is None


@given(st.dictionaries(PATHS, st.binary(max_size=900), max_size=6))
@settings(max_examples=100)
def test_python_finds_the_same_in_a_zip_file(files: dict[str, bytes]) -> None:
    raw = standard_zip(*(Item(name, content) for name, content in files.items()))
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        expected = [(info.filename, info.file_size) for info in archive.infolist()]
    found = read(raw, "x.zip")
    assert [(member.name, member.size) for member in found.members] == expected
    assert found.fault is None


def test_long_names_of_both_kinds() -> None:
    name, target = "a/" * 150 + "b.md", "c/" * 150 + "d.md"
    for form in FORMS[:2]:
        found = read(tar_gz(Item(name), Item("l", kind="symlink", target=target), form=form), "x.tar.gz")
        assert found.members == (Member(name, "file", 0), Member("l", "symlink", 0, target))


def test_a_name_in_two_fields() -> None:
    raw = block(b"SKILL.md", rest=b"wrangler") + bytes(1024)
    assert names(read(raw, "x.tar")) == ["wrangler/SKILL.md"]


def test_a_sparse_file_declares_its_real_size() -> None:
    old = block(b"a", 512, b"S", rest=bytes(138) + b"%011o\0" % 90_000) + bytes(512)
    mapped = block(b"m", 0, b"S", rest=bytes(137) + b"\1" + b"%011o\0" % 80_000) + bytes(512)
    record = b"29 GNU.sparse.realsize=90000\n"
    new = block(b"x", len(record), b"x") + padded(record) + block(b"b", 512) + bytes(512)
    label = block(b"a label of the volume", 0, b"V")
    found = read(label + old + mapped + new + block(b"c") + bytes(1024), "x.tar")
    assert [(member.name, member.size) for member in found.members] == [
        ("a", 90_000), ("m", 80_000), ("b", 90_000), ("c", 0)
    ]  # fmt: skip


def test_an_archive_without_an_end_mark_and_one_with_padding() -> None:
    raw = tar(*PLAIN).rstrip(b"\0")
    for whole in (padded(raw), tar(*PLAIN) + bytes(20_000)):
        assert read(gzip.compress(whole), "x.tgz").is_complete
    assert read(tar_gz(*PLAIN) + bytes(100), "x.tgz").is_complete
    assert read(tar_gz(), "x.tgz") == read(tar_gz(), "x.tgz")._replace(members=(), fault=None)


def test_several_gzip_streams_are_one_archive() -> None:
    raw = tar(*PLAIN)
    found = read(gzip.compress(raw[:700]) + gzip.compress(b"") + gzip.compress(raw[700:]), "x.tar.gz")
    assert (names(found), found.fault) == (["SKILL.md", "references/commands.md"], None)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (bz2.compress(tar(*PLAIN)), "tar.bz2"),
        (lzma.compress(tar(*PLAIN)), "tar.xz"),
        (b"\x28\xb5\x2f\xfd rest", "tar.zst"),
        (b"7z\xbc\xaf\x27\x1c rest", "7z"),
        (b"Rar!\x1a\x07\x01\x00", "rar"),
    ],
)
def test_other_formats_are_known_and_left_alone(raw: bytes, kind: str) -> None:
    assert read(raw, "x.zip") == Archive(kind, "zip", packed=len(raw))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a/wrangler.tar.gz", "tar.gz"), ("wrangler.TGZ", "tar.gz"), ("wrangler.zip", "zip"), ("wrangler.skill", "zip"),
        ("wrangler.tar", "tar"), ("a.tar.bz2", "tar.bz2"), ("wrangler.gz", "gz"), ("wrangler", ""), ("a.zip/b.md", ""),
    ],
)  # fmt: skip
def test_the_format_that_a_name_tells(path: str, kind: str) -> None:
    assert named(path) == kind


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("SKILL.md", None), ("./a", None), ("a..b/c...md", None), ("a/.hidden", None), ("scripts/a:b", None),
        ("..", "has '..' in it"), ("../a", "has '..' in it"), ("a/../b", "has '..' in it"), ("", None),
        ("./../a", "has '..' in it"),
        ("/etc/passwd", "is absolute"), ("\\\\host\\share", "is absolute"), ("C:\\a", "begins with a drive letter"),
        ("c:a", "begins with a drive letter"), ("./C:/a", "begins with a drive letter"),
        ("..\\a", "has '..' in it"), ("a\\..\\..\\b", "has '..' in it"), ("a\\b", "has a backslash for a separator"),
        ("a\0b", "has a NUL character"),
    ],
)  # fmt: skip
def test_names_that_clients_refuse(name: str, found: str | None) -> None:
    assert flaw(name) == found


# What cannot be read


def changed(raw: bytes, at: int, new: bytes) -> bytes:
    return raw[:at] + new + raw[at + len(new) :]


ZIP = zipped(*PLAIN)
CENTRAL = ZIP.index(b"PK\x01\x02")
END = ZIP.index(b"PK\x05\x06")
NO_ZIP64 = "says to be of the format zip64, but lacks what belongs to it"
DAMAGED = "is damaged: its compressed data cannot be read to the end"
OTHER = Item("b", b"x" * 90)


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", "is empty"),
        (b" \r\n", "is empty"),
        (b"<!DOCTYPE html>\n<html>", "is an HTML page: it begins with '<!DOCTYPE html>\\n<html>'"),
        (b"# Wrangler\n", "is no archive: it begins with '# Wrangler\\n'"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "is a Git LFS pointer, not the archive itself"),
        (gzip.compress(b"# Wrangler\n", mtime=0), "has no tar archive in it"),
        (gzip.compress(b"a" * 5000, mtime=0), "has no tar archive in it"),
        (tar_gz(*PLAIN)[:-9], "is cut off: its compressed data end early"),
        (changed(tar_gz(*PLAIN), 40, b"????"), DAMAGED),
        (changed(tar_gz(*PLAIN), len(tar_gz(*PLAIN)) - 8, b"????"), DAMAGED),
        (tar(*PLAIN)[:700], "is cut off within 'SKILL.md'"),
        (padded(tar(skill()).rstrip(b"\0")) + block(b"a")[:300], "is cut off within a header"),
        (block(b"a") + b"?" * 512, "has a damaged header"),
        (block(b"a", b"8" * 12), "has a header whose size is no number"),
        (block(b"a", b"\xff" * 12), "has a header with a negative size"),
        (block(b"x", 9, b"x") + padded(b"99 path=a\n"), "has an extended header that is damaged"),
        (block(b"x", 9, b"x") + padded(b"9 size=a\n") + block(b"a"), "has a header whose size is no number"),
        (block(b"x", 9, b"x"), "is cut off within a header"),
        (block(b"a", 0, b"S", rest=bytes(137) + b"\1"), "has a map of a sparse file without end"),
        (ZIP[:-1], "is cut off: the directory at the end of a zip file is missing"),
        (ZIP[:60], "is cut off: the directory at the end of a zip file is missing"),
        (ZIP[:100] + ZIP[120:], "is damaged: the directory of its members lies elsewhere than it says"),
        (changed(ZIP, CENTRAL, b"XX"), "has a damaged directory of its members"),
        (changed(ZIP, CENTRAL + 28, b"\xff\xff"), "has a damaged directory of its members"),
        (changed(ZIP, END + 4, b"\1"), "is one part of several"),
        (zipped(*PLAIN, count=3), "lists 2 members, but says that it has 3"),
        (zipped(skill(), OTHER._replace(offset=7)), "is damaged: 'b' is not where the directory says"),
        (zipped(skill(), OTHER._replace(offset=2**31)), "is damaged: 'b' is not where the directory says"),
        (zipped(skill(), OTHER, OTHER._replace(name="SKILL.md", offset=0)),
         "says two things: the directory and the header of 'SKILL.md' differ in size or method"),
        (zipped(skill(), skill()._replace(offset=0)), "has members that share the same bytes, as zip bombs do"),
        (zipped(skill(), OTHER._replace(local=b"../b")),
         "says two things: what the directory calls 'b' has another name where it lies"),
        (zipped(skill(), OTHER._replace(local_size=1)),
         "says two things: the directory and the header of 'b' differ in size or method"),
        (zipped(skill(), OTHER._replace(packed=5000)), "is cut off within 'b'"),
        (zipped(skill(), OTHER._replace(flags=1)), "is encrypted: nobody can read 'b' without a password"),
        (zipped(skill()._replace(crc=1)), "is damaged: 'SKILL.md' is not what its header says"),
        (zipped(skill()._replace(size=10)), "is damaged: 'SKILL.md' is not what its header says"),
        (zipped(skill()._replace(size=4_000_000)), "is damaged: 'SKILL.md' is not what its header says"),
        (zipped(skill()._replace(method=14)), "has 'SKILL.md' compressed by method 14; clients know deflate"),
        (zipped(skill(), OTHER._replace(size=2**32 - 1)), NO_ZIP64),
        (zipped(skill(), OTHER._replace(size=2**32 - 1, extra=b"\1\0\4\0abcd")), NO_ZIP64),
        (zipped(skill(), Item("l", kind="symlink", target="a" * (MAX_NAME + 1))),
         f"is damaged: 'l' cannot have {MAX_NAME + 1:,} bytes"),
    ],
)  # fmt: skip
def test_why_an_archive_cannot_be_read(raw: bytes, fault: str) -> None:
    found = read(raw, "wrangler.tar.gz" if raw[:2] == b"\x1f\x8b" else "wrangler.zip" if b"PK" in raw else "wrangler")
    assert (found.fault, found.skill, found.is_complete) == (fault, None, False)


def test_members_of_a_zip_bomb_that_quote_each_other_are_seen() -> None:
    inner = zipped(OTHER)[: zipped(OTHER).index(b"PK\x01\x02")]
    outer = Item("a", inner, method=0)
    raw = zipped(outer, OTHER._replace(offset=30 + 1))
    assert read(raw, "x.zip").fault == "has members that share the same bytes, as zip bombs do"


def test_a_zip_file_behind_something_else_and_with_a_comment() -> None:
    for raw in (zipped(*PLAIN, prefix=b"#!/bin/sh\n" * 9), zipped(*PLAIN, comment=b"PK\x05\x06" + b"x" * 40)):
        found = read(raw, "x.zip")
        assert (names(found), found.skill, found.fault) == (
            ["SKILL.md", "references/commands.md"],
            skill().content,
            None,
        )


def test_zip64_is_read() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive, archive.open("SKILL.md", "w", force_zip64=True) as file:
        file.write(skill().content)
    assert read(stream.getvalue(), "x.zip").skill == skill().content
    wide = b"\x55\x54\4\0abcd" + b"\1\0\10\0" + struct.pack("<Q", 2**40)  # behind a field of another kind
    found = read(zipped(skill(), OTHER._replace(size=2**32 - 1, extra=wide)), "x.zip")
    assert (found.members[1].size, found.fault) == (2**40, None)
    end = zipped(*PLAIN)
    at = end.index(b"PK\x05\x06")
    start, size = end.index(b"PK\x01\x02"), at - end.index(b"PK\x01\x02")
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 2, 2, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    masked = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    for last in (masked, end[at:]):
        assert read(end[:at] + record + locator + last, "x.zip").is_complete
    lost = struct.pack("<4sLQL", b"PK\x06\x07", 0, 2**60, 1)
    assert read(end[:at] + b"?" * 56 + lost + masked, "x.zip").fault == NO_ZIP64
    lying = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 2**63, 2**63, size, start)
    assert read(end[:at] + lying + locator + masked, "x.zip").excess == (
        f"says to have {2**63:,} members, more than 10,000"
    )


def test_names_of_a_zip_file_in_the_code_page_of_the_pc() -> None:
    assert names(read(zipped(Item(b"caf\x82.md")), "x.zip")) == ["café.md"]
    assert names(read(zipped(Item("café.md".encode())), "x.zip")) == ["café.md"]
    assert names(read(zipped(Item(b"caf\x82.md", flags=0x800)), "x.zip")) == ["caf\udc82.md"]


@pytest.mark.parametrize("raw", [tar_gz(*PLAIN), tar(*PLAIN), ZIP], ids=["tar.gz", "tar", "zip"])
def test_wherever_it_is_cut_it_is_not_taken_for_whole(raw: bytes) -> None:
    whole = read(raw, "x.zip")
    for size in range(0, len(raw), 7):
        found = read(raw[:size], "x.zip")
        assert not found.is_complete or found.format == "tar"
        assert len(found.members) <= len(whole.members)


# Bounds: members, names, headers, bytes


def test_a_bomb_is_left_when_it_declares_too_much() -> None:
    huge = read(gzip.compress(block(b"a", b"\x80" + b"\xff" * 11)), "x.tar.gz")
    assert huge.excess == f"unpacks to {2**88 - 1:,} bytes or more"
    assert huge.streamed == 512
    sparse = b"35 GNU.sparse.realsize=9000000000\n"
    assert read(block(b"x", len(sparse) - 1, b"x") + padded(sparse), "x.tar").fault is not None
    sparse = b"34 GNU.sparse.realsize=9000000000\n"
    found = read(block(b"x", len(sparse), b"x") + padded(sparse) + block(b"a"), "x.tar")
    assert found.excess == "unpacks to 9,000,000,000 bytes or more"


def test_the_stream_of_a_bomb_is_left_in_time_with_little_memory() -> None:
    zeros = gzip.compress(bytes(10_000_000))
    bombs = [tar_gz(skill()) + zeros * 40, gzip.compress(block(b"a", MAX_UNPACKED - 1)) + zeros * 40]
    for raw in bombs:
        tracemalloc.start()
        found = read(raw, "x.tar.gz")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.excess == f"unpacks to more than {MAX_STREAMED:,} bytes"
        assert MAX_STREAMED < found.streamed <= MAX_STREAMED + 65_536
        assert peak < 2_000_000
    assert read(bombs[0], "x").skill == skill().content


def test_a_header_of_headers_is_left_in_time() -> None:
    payload = b"5 a=\n" * 200_000
    raw = gzip.compress((block(b"p", len(payload), b"x") + padded(payload) + block(b"a")) * 9)
    found = read(raw, "x.tar.gz")
    assert found.excess == f"has extended headers of more than {MAX_HEADERS:,} bytes"
    assert found.streamed <= MAX_HEADERS + 3 * 65_536
    for flag in (b"L", b"K", b"g", b"X"):
        assert read(block(b"p", 2**32, flag), "x.tar").excess == found.excess


def test_many_gzip_streams_are_left_in_time() -> None:
    found = read(gzip.compress(b"") * (MAX_STREAMS + 1), "x.tar.gz")
    assert found.excess == f"consists of more than {MAX_STREAMS:,} gzip streams"
    assert read(gzip.compress(b"") * MAX_STREAMS, "x.tar.gz").excess is None


def test_many_members_are_left_in_time() -> None:
    raw = b"".join(block(b"%d" % number) for number in range(MAX_MEMBERS + 1))
    found = read(gzip.compress(raw), "x.tar.gz")
    assert (len(found.members), found.excess) == (MAX_MEMBERS, f"has more than {MAX_MEMBERS:,} members")
    files = [Item(str(number)) for number in range(MAX_MEMBERS + 1)]
    many = read(zipped(*files), "x.zip")
    assert (many.members, many.excess) == ((), f"says to have {MAX_MEMBERS + 1:,} members, more than {MAX_MEMBERS:,}")
    lying = read(zipped(*files, count=1), "x.zip")
    assert (len(lying.members), lying.excess) == (MAX_MEMBERS, f"has more than {MAX_MEMBERS:,} members")


def test_a_name_without_end_is_no_name() -> None:
    expected = f"has a member whose name takes {MAX_NAME + 1:,} characters, which most systems refuse"
    for form in FORMS[:2]:
        assert read(tar(Item("a" * (MAX_NAME + 1)), form=form), "x.tar").fault == expected
        assert read(tar(Item("a", kind="symlink", target="a" * (MAX_NAME + 1)), form=form), "x").fault == expected
        assert read(tar(Item("a" * MAX_NAME), form=form), "x.tar").fault is None
    assert read(zipped(Item("a" * (MAX_NAME + 1))), "x.zip").fault == expected


def test_one_skill_of_many_is_unpacked() -> None:
    raw = zipped(*(Item("SKILL.md", bytes(4_000_000)) for _ in range(20)))
    assert read(raw, "x.zip").streamed == 4_000_000


@given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\0", block(b"a")]))
@settings(max_examples=300)
def test_no_bytes_raise(raw: bytes, start: bytes) -> None:
    for name in ("x.tar.gz", "x.zip", "x"):
        found = read(start + raw, name)
        assert found.fault is not None or found.excess is not None or found.format


REAL = [tar(*PLAIN, Item("l", kind="symlink", target="a"), Item("n" * 150)), tar_gz(*PLAIN), ZIP,
        zipped(*PLAIN, Item("l", kind="symlink", target="a"))]  # fmt: skip


@given(st.sampled_from(REAL), st.integers(0, 2**32), st.integers(1, 12))
@settings(max_examples=300, deadline=None)
def test_no_change_of_a_real_archive_raises(raw: bytes, seed: int, times: int) -> None:
    chance = random.Random(seed)
    broken = bytearray(raw)
    for _ in range(times):
        at = chance.randrange(len(broken))
        broken[at : at + chance.choice([0, 1, 1, 1, 30])] = chance.randbytes(chance.choice([1, 1, 1, 20]))
    for at in range(0, len(broken) - 511, 512):  # a header is judged only where its checksum is right
        if broken[at + 257 : at + 262] == b"ustar":
            total = sum(broken[at : at + 148]) + 256 + sum(broken[at + 156 : at + 512])
            broken[at + 148 : at + 156] = b"%06o\0 " % total
    found = read(bytes(broken), "x.zip")
    tree = Members(found, "/r")
    for member in found.members:
        assert member.path.isprintable() or member.path
        tree.leaves(member)
    assert set(tree.entries("/r").values()) <= {"file", "folder", "other", "link"}
    assert found.skill is None or len(found.skill) <= MAX_BYTES


# Links


@pytest.mark.parametrize(
    ("items", "leaving"),
    [
        ([("l", "SKILL.md")], []),
        ([("a/l", "../SKILL.md")], []),
        ([("a/l", "..")], []),
        ([("l", "nothing/there")], []),
        ([("l", "..")], ["l"]),
        ([("a/l", "../../b")], ["a/l"]),
        ([("l", "a/../../b")], ["l"]),
        ([("l", "/etc")], ["l"]),
        ([("l", "C:\\a")], ["l"]),
        ([("l", "..\\a")], ["l"]),
        ([("a", "b/c"), ("l", "a/../../..")], ["l"]),
        ([("a", "."), ("l", "a/..")], ["l"]),  # not by its letters, but by the link in it
        ([("a", "."), ("l", "A/..")], ["l"]),  # where case does not count
        ([("l", "a/.."), ("a", ".")], ["l"]),  # in any order
        ([("a/b/c", "."), ("l", "a/b/c/../../..")], ["l"]),
        ([("x/y", ".."), ("l", "x/y/..")], ["l"]),
        ([("a", "b"), ("b", "c"), ("c", "..")], ["a", "b", "c"]),
        ([("a", "a")], ["a"]),
        ([("a", "b"), ("b", "a")], ["a", "b"]),
        ([("/".join("x" * 60) + "/l", "../" * 61)], ["/".join("x" * 60) + "/l"]),
    ],
)
@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_links_that_lead_out(items: list[tuple[str, str]], leaving: list[str], pack: Pack) -> None:
    found = read(pack(skill(), *(Item(name, kind="symlink", target=target) for name, target in items)), "x")
    tree = Members(found)
    assert [member.name for member in found.members if member.kind == "symlink" and tree.leaves(member)] == leaving


@pytest.mark.parametrize(
    ("items", "leaving"),
    [
        ([Item("b", kind="hardlink", target="SKILL.md")], []),
        ([Item("a/b", kind="hardlink", target="SKILL.md")], []),
        ([Item("b", kind="hardlink", target="../x")], ["b"]),
        ([Item("a/b", kind="hardlink", target="../x")], ["a/b"]),
        ([Item("b", kind="hardlink", target="/etc/passwd")], ["b"]),
        ([Item("a/b/l", kind="symlink", target="../.."), Item("b", kind="hardlink", target="a/b/l")], ["b"]),
    ],
)
def test_hard_links_that_lead_out(items: list[Item], leaving: list[str]) -> None:
    found = read(tar_gz(skill(), *items), "x.tar.gz")
    tree = Members(found)
    assert [member.name for member in found.members if tree.leaves(member)] == leaving


def test_a_link_whose_name_something_else_bears() -> None:
    link = Item("a", kind="symlink", target="b")
    for other in (Item("a"), Item("a/", kind="folder"), link._replace(target="c")):
        for pair in ((link, other), (other, link)):
            assert [member.path for member in Members(read(tar_gz(*pair), "x")).disputed] == ["a"]
    assert Members(read(tar_gz(link, link), "x")).disputed == []


def test_links_without_end_cost_a_bounded_number_of_steps() -> None:
    links = [block(b"l%d" % number, 0, b"2", b"l%d/../l%d" % (number + 1, number + 1)) for number in range(5000)]
    tree = Members(read(b"".join(links), "x.tar"))
    for member in tree._archive.members:
        tree.leaves(member)
    assert tree._steps <= MAX_STEPS + 5000 * 2


# The members as a tree


def test_members_are_a_tree_without_contents() -> None:
    items = (*PLAIN, Item("a\\b.md"), Item("l", kind="symlink", target="references"), Item("../out"), Item("/abs"),
             Item("m", kind="symlink", target="nothing"), Item("scripts/", kind="folder"),
             Item("p", kind="device"), Item("._SKILL.md"), Item("__MACOSX/._a"))  # fmt: skip
    folder = Folder(Members(read(tar_gz(*items), "x"), "/r/x.tar.gz!"), "/r/x.tar.gz!")
    assert folder.entries() == {
        "SKILL.md": "file", "references": "folder", "a": "folder", "l": "folder", "m": "link", "scripts": "folder",
        "p": "other",
    }  # fmt: skip
    assert folder.entries("l") == {"commands.md": "file"}
    for path, kind in [
        ("references/commands.md", "file"), ("l/commands.md", "file"), ("./SKILL.md", "file"), ("a/b.md", "file"),
        ("scripts", "folder"), ("references/x.md", None), ("m", None), ("../x", None), ("../../etc", None),
        ("out", None),
    ]:  # fmt: skip
        assert folder.find(path) == kind, path
    assert folder.read("SKILL.md") == skill().content
    assert folder.read("references/commands.md") is None
    assert folder.size("references/commands.md") == 11
    assert folder.size("nothing") is None
    assert Members(read(tar_gz(*items), "x"), "/r").target("/r/l") is None
    assert folder.real("SKILL.md") == "/r/x.tar.gz!/SKILL.md"


# The skill inside


FAULTY = (
    "---\nname: Wrangler\n" + DESCRIPTION + "\n---\n\n# Wrangler\n\nSee [commands](references/commands.md)\n"
    "and [more](references/more.md).\n"
).encode()


@pytest.mark.parametrize(
    ("name", "pack"), [("wrangler.tar.gz", tar_gz), ("wrangler.tgz", tar_gz), ("wrangler.zip", zipped)]
)
def test_the_skill_in_an_archive_is_linted_where_it_is(name: str, pack: Pack) -> None:
    report = report_on(site({name: pack(skill()._replace(content=FAULTY), PLAIN[1])}))
    path = f"{WELL_KNOWN}{name}!SKILL.md"
    inside = [finding for finding in report.findings if finding.path == path]
    assert brief(inside) == [("name-kebab-case", "error", 2, 7), ("link-broken", "warning", 9, 12)]
    kebab = inside[0]
    assert (kebab.fix, kebab.edits, kebab.hint) == (None, (), "write wrangler")
    assert kebab.location.file == f"/repository/{path}"
    assert kebab.via is not None
    assert (kebab.via.path, kebab.via.line, kebab.via.column, kebab.via.end_column) == (INDEX, 8, 14, 16 + len(name))
    (facts,) = report.skills
    assert (facts.path, facts.specs["discovery"]) == (path, f"listed in {INDEX}")
    assert report.files == {"archive": 1, "skill": 1, "index": 1}


def test_a_right_skill_in_an_archive_gives_no_finding() -> None:
    linking = skill()._replace(content=skill().content + b"\nSee [the commands](references/commands.md).\n")
    assert brief(report_on(site({"wrangler.tar.gz": tar_gz(linking, PLAIN[1])})).findings) == []


def test_the_name_of_the_archive_is_not_that_of_a_folder() -> None:
    report = report_on(site({"v2.tar.gz": tar_gz(skill(), PLAIN[1])}, name="wrangler"))
    assert [f.rule for f in report.findings if f.rule in ("name-directory", "skill-file-name", "skill-nested")] == []


def test_the_name_of_the_archive_is_proposed_where_there_is_none() -> None:
    nameless = skill()._replace(content=f"---\n{DESCRIPTION}\n---\n\n# Wrangler\n".encode())
    report = report_on(site({"wrangler.tar.gz": tar_gz(nameless, PLAIN[1])}))
    (found,) = [finding for finding in report.findings if finding.rule == "name-missing"]
    assert found.hint is not None
    assert "name: wrangler" in found.hint
    assert "tar" not in found.hint


def test_a_skill_below_an_archive_is_not_inside_of_it() -> None:
    files = site({"wrangler.tar.gz": tar_gz(*PLAIN)}) | {f"{WELL_KNOWN}a/b/SKILL.md": skill("b").content}
    (other,) = [d for d in memory_project(files).documents if isinstance(d, Skill) and d.via is None]
    assert other.outer is None


def test_a_skill_that_is_too_large_is_told_so_in_its_place() -> None:
    report = report_on(site({"wrangler.zip": zipped(Item("SKILL.md", bytes(MAX_BYTES + 1)), PLAIN[1])}))
    found = [(f.path, f.rule) for f in report.findings if f.path.endswith("!SKILL.md")]
    assert found == [(f"{WELL_KNOWN}wrangler.zip!SKILL.md", "file-over-cap")]


def test_suppressions_hold_inside() -> None:
    text = FAULTY.replace(b"name: Wrangler", b"name: Wrangler # agentskills-lint: ignore[name-kebab-case]")
    report = report_on(site({"wrangler.zip": zipped(skill()._replace(content=text), PLAIN[1])}))
    assert [f.rule for f in report.findings if f.path.endswith("!SKILL.md")] == ["link-broken"]


def test_the_type_or_the_name_makes_an_archive() -> None:
    raw = tar_gz(*PLAIN)

    def kinds(name: str, kind: str) -> Counter[str]:
        return Counter(d.kind for d in memory_project(site({name: raw}, type=kind)).documents)

    assert (
        kinds("wrangler", "archive") == kinds("wrangler.tar.gz", "skill-md") == {"index": 1, "archive": 1, "skill": 1}
    )
    assert kinds("wrangler.md", "archive") == {"index": 1, "skill": 1}  # the type is wrong, not the file
    assert kinds("wrangler", "skill-md") == {"index": 1}


def test_what_a_list_of_links_leads_to_is_no_archive_of_a_skill() -> None:
    text = "# Acme\n\n## Skills\n\n- [Pay](/skills/pay/SKILL.md): Pays.\n- [All of it](/all.zip): A download.\n"
    files: dict[str, str | bytes] = {"skills.txt": text, "all.zip": zipped(*PLAIN)}
    files["skills/pay/SKILL.md"] = skill("pay").content
    assert Counter(d.kind for d in memory_project(files).documents) == {"discovery": 1, "skill": 1}


def test_an_archive_is_read_once_however_often_it_is_listed() -> None:
    files = site({"wrangler.tar.gz": tar_gz(*PLAIN)})
    index = json.loads(str(files[INDEX]))
    index["skills"] *= 30
    source = Counted(located(files | {INDEX: json.dumps(index)}))
    lint(project(["."], source=source, cwd="/r"), Config(level="note"))
    assert source.read_paths[f"/r/{WELL_KNOWN}wrangler.tar.gz"] == 1


def test_an_archive_over_the_cap_is_not_read() -> None:
    path = f"/r/{WELL_KNOWN}wrangler.tar.gz"
    source = Counted(located(site({"wrangler.tar.gz": tar_gz(*PLAIN)})), {path: MAX_ARCHIVE + 1})
    found = project(["."], source=source, cwd="/r")
    assert source.read_paths[path] == 0
    (file,) = [document for document in found.documents if isinstance(document, ArchiveFile)]
    assert (file.size, file.archive.excess) == (
        MAX_ARCHIVE + 1, "has 50,000,001 bytes, more than the 50,000,000 up to which it is looked into"
    )  # fmt: skip


def test_the_bytes_of_an_archive_are_kept_as_those_of_any_file() -> None:
    raw = zipped(*PLAIN, Item("a", random.Random(1).randbytes(MAX_BYTES), method=0))
    files = site({"small.zip": ZIP, "large.zip": raw})
    found = memory_project(files)
    kept = {d.name: len(d.raw) for d in found.documents if isinstance(d, ArchiveFile)}
    assert kept == {"small.zip": len(ZIP), "large.zip": 0}
    (place,) = found.sites
    assert place.read(f"{WELL_KNOWN}large.zip") is None
    assert place.read(f"{WELL_KNOWN}large.zip", MAX_ARCHIVE) == raw
    assert place.read(f"{WELL_KNOWN}small.zip") == ZIP
    assert [f.rule for f in lint(found, Config()).findings if f.rule == "index-digest"] == []


def arguments(*paths: str, config: Config | None = None, files: dict[str, str | bytes] | None = None) -> Report:
    files = files or site({"wrangler.zip": zipped(skill()._replace(content=FAULTY), Item("../x"))})
    config = config or Config(level="note")
    return lint(project(paths, config, source=Memory(located(files)), cwd="/r"), config)


@pytest.mark.parametrize("path", [".", INDEX, WELL_KNOWN, f"{WELL_KNOWN}wrangler.zip"])
def test_whatever_is_asked_for_brings_the_archive_along(path: str) -> None:
    rules = [(f.path, f.rule) for f in arguments(path).findings if f.rule in ("index-archive", "name-kebab-case")]
    assert rules == [(INDEX, "index-archive"), (f"{WELL_KNOWN}wrangler.zip!SKILL.md", "name-kebab-case")]


def test_another_file_of_the_site_does_not() -> None:
    files = site({"wrangler.zip": zipped(Item("../x"), skill())}) | {"a/SKILL.md": skill("a").content}
    assert [f.rule for f in arguments("a/SKILL.md", files=files).findings if f.path != "a/SKILL.md"] == []


def test_the_skill_in_an_archive_is_listed_and_found() -> None:
    (place,) = memory_project(site({"wrangler.tar.gz": tar_gz(*PLAIN)})).sites
    (listing,) = place.entries()
    inner = place.skill_of(listing)
    assert inner is not None
    assert place.listed == {f"/repository/{WELL_KNOWN}wrangler.tar.gz!SKILL.md": [listing]}
    file = place.archive_of(listing)
    assert file is not None
    assert file.archive.skill == inner.raw
    assert (file.readable, file.source, file.is_text) == (False, "", False)
