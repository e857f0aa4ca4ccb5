"""Archives that an index lists: structure, formats, size, names that collide."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentskills_lint.archives import ArchiveFile
from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding, Report
from agentskills_lint.rules import archives as rules
from tests.packing import INDEX, WELL_KNOWN, Counted, Item, block, located, site, skill, tar, tar_gz, zipped
from tests.support import brief, report_on

SITES = Path(__file__).parents[3] / "shared" / "corpus" / "sites"
RULES = (
    "index-archive", "index-archive-format", "index-archive-needless", "index-archive-size", "index-archive-collision",
)  # fmt: skip
MORE = Item("references/commands.md", b"# Commands\n")
Pack = Callable[..., bytes]


def of_archives(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule in RULES]


def findings(raw: bytes, name: str = "wrangler.tar.gz", **fields: str) -> list[Finding]:
    return of_archives(report_on(site({name: raw}, **fields)))


def told(raw: bytes, name: str = "wrangler.tar.gz", **fields: str) -> list[tuple[str, str]]:
    return [(finding.rule, finding.message) for finding in findings(raw, name, **fields)]


# Structure

WHOLE = "pack the folder's content, with SKILL.md at the top"
INSIDE = "pack what is in the folder, not the folder"
ALIKE = "has names that are one on macOS and Windows"


@pytest.mark.parametrize(
    ("items", "message", "hint"),
    [
        ([Item("wrangler/SKILL.md"), Item("wrangler/a.md")], ": it lies in the folder 'wrangler'",
         "pack what is in the folder: tar -czf wrangler.tar.gz -C wrangler ."),
        ([Item("My Skill/SKILL.md")], ": it lies in the folder 'My Skill'", INSIDE),
        ([Item("a/b/SKILL.md")], ": it lies in the folder 'a/b'", INSIDE),
        ([Item("a/SKILL.md"), Item("b/SKILL.md")], ", but several in folders: 'a', 'b'",
         "pack each skill into an archive of its own"),
        ([Item("skill.md"), MORE], ", but 'skill.md', which clients do not look for", "rename it to SKILL.md"),
        ([Item("README.md")], "", WHOLE),
        ([Item("SKILL.md", kind="folder"), MORE], "", WHOLE),
        ([], ": it is empty", WHOLE),
        ([Item("a/", kind="folder"), Item("._a")], ": it is empty", WHOLE),
    ],
)  # fmt: skip
def test_without_a_skill_at_the_root(items: list[Item], message: str, hint: str) -> None:
    found = [finding for finding in findings(tar_gz(*items)) if finding.rule == "index-archive"]
    assert brief(found) == [("index-archive", "error", 8, 14)]
    assert found[0].location.end_column == 31
    assert found[0].message == f"'wrangler.tar.gz' has no SKILL.md at its root{message}"
    assert found[0].hint == hint
    ((place, words),) = found[0].related
    assert (place.path, words) == (f"{WELL_KNOWN}wrangler.tar.gz", "the archive")


def test_how_to_pack_a_zip_file() -> None:
    (found,) = findings(zipped(Item("wrangler/SKILL.md"), Item("wrangler/a.md")), "wrangler.zip")
    assert found.hint == "pack what is in the folder: cd wrangler && zip -r ../wrangler.zip ."


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x", "has '..' in it"), ("a/../../x", "has '..' in it"), ("a/../x", "has '..' in it"),
        ("..\\x", "has '..' in it"), ("/etc/x", "is absolute"), ("\\x", "is absolute"),
        ("C:\\x", "begins with a drive letter"), ("a\\x", "has a backslash for a separator"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("pack", "file"), [(tar_gz, "wrangler.tar.gz"), (zipped, "wrangler.zip")])
def test_names_that_clients_refuse(name: str, why: str, pack: Pack, file: str) -> None:
    assert told(pack(skill(), Item(name, b"x")), file) == [
        ("index-archive", f"'{file}' holds '{name}': a name that {why}, which clients refuse")
    ]


def test_a_name_with_a_nul_is_shown_on_one_line() -> None:
    assert told(zipped(skill(), Item(b"a\0b")), "wrangler.zip") == [
        ("index-archive", r"'wrangler.zip' holds 'a\x00b': a name that has a NUL character, which clients refuse")
    ]


def test_names_are_told_once_a_kind_and_shortened() -> None:
    items = [skill(), *(Item(f"../{number}") for number in range(5)), Item("/a"), Item("../" + "x" * 90)]
    assert told(tar_gz(*items)) == [
        ("index-archive", "'wrangler.tar.gz' holds '../0', '../1', '../2' and 3 more: a name that has '..' in it, "
         "which clients refuse"),
        ("index-archive", "'wrangler.tar.gz' holds '/a': a name that is absolute, which clients refuse"),
    ]  # fmt: skip


def test_a_skill_under_a_wrong_name_is_not_missed_as_well() -> None:
    for name in ("/SKILL.md", "../SKILL.md", "C:\\SKILL.md"):
        assert [rule for rule, _ in told(tar_gz(Item(name), MORE))] == ["index-archive"]


@pytest.mark.parametrize(
    ("items", "pairs"),
    [
        ([Item("a", kind="symlink", target="..")], "'a -> ..'"),
        ([Item("a", kind="symlink", target="/etc/passwd")], "'a -> /etc/passwd'"),
        ([Item("a", kind="symlink", target="."), Item("b/c", kind="symlink", target="../a/..")], "'b/c -> ../a/..'"),
        ([Item("a", kind="symlink", target=".."), Item("a/x")], "'a -> ..'"),
    ],
)
@pytest.mark.parametrize(("pack", "file"), [(tar_gz, "wrangler.tar.gz"), (zipped, "wrangler.zip")])
def test_links_that_lead_out(items: list[Item], pairs: str, pack: Pack, file: str) -> None:
    assert told(pack(skill(), MORE, *items), file) == [
        ("index-archive", f"'{file}' holds a link that leads out of the skill, or nowhere: {pairs}")
    ]


def test_hard_links_and_devices() -> None:
    assert told(tar_gz(skill(), Item("a", kind="hardlink", target="../x"), Item("null", kind="device"))) == [
        ("index-archive", "'wrangler.tar.gz' holds a link that leads out of the skill, or nowhere: 'a -> ../x'"),
        ("index-archive", "'wrangler.tar.gz' holds 'null': a device or pipe, which is no file of a skill"),
    ]


def test_a_skill_that_is_a_link_to_nothing_and_one_that_is_a_device() -> None:
    raw = tar_gz(Item("SKILL.md", kind="symlink", target="nope.md"), Item("references/a.md"))
    assert told(raw) == [
        ("index-archive", "'wrangler.tar.gz' has no SKILL.md at its root, but a link to 'nope.md', which is not in it")
    ]
    assert told(tar_gz(Item("SKILL.md", kind="device"), Item("references/a.md"))) == [
        ("index-archive", "'wrangler.tar.gz' holds 'SKILL.md': a device or pipe, which is no file of a skill")
    ]


def test_a_link_whose_name_something_else_bears() -> None:
    raw = tar_gz(skill(), Item("a", kind="symlink", target="SKILL.md"), Item("a", b"x"))
    assert ("index-archive", "'wrangler.tar.gz' holds 'a' as a link and as something else, so that it is open what it "
            "leads to") in told(raw)  # fmt: skip


@pytest.mark.parametrize(
    "raw",
    [
        tar_gz(skill(), MORE),
        tar_gz(Item("./", kind="folder"), skill()._replace(name="./SKILL.md"), MORE),
        tar_gz(skill(), MORE, Item("a", kind="symlink", target="SKILL.md")),
        tar_gz(skill(), MORE, Item("b", kind="hardlink", target="SKILL.md")),
        tar_gz(skill()._replace(name="AGENTS.md"), Item("SKILL.md", kind="symlink", target="AGENTS.md")),
        tar_gz(skill(), Item("references/a..b.md"), Item("references/.hidden"), Item("references/a:b")),
        tar_gz(skill(), Item("examples/SKILL.md"), Item("skill/SKILL.md")),
    ],
)
def test_right_archives_pass(raw: bytes) -> None:
    assert told(raw) == []


@pytest.mark.parametrize(
    ("raw", "message", "hint"),
    [
        (b"<!doctype html>", "is an HTML page: it begins with '<!doctype html>'", "pack the skill again"),
        (tar_gz(skill(), MORE)[:200], "is cut off: its compressed data end early", "pack the skill again"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer, not the archive itself",
         "fetch the file itself with: git lfs pull"),
        (zipped(skill(), Item("x", b"x", flags=1)), "is encrypted: nobody can read 'x' without a password",
         "pack the skill again"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_once(raw: bytes, message: str, hint: str) -> None:
    (found,) = findings(raw)
    assert (found.rule, found.level, found.message, found.hint) == (
        "index-archive", "error", f"'wrangler.tar.gz' {message}", hint
    )  # fmt: skip


def test_an_index_that_is_not_of_discovery_asks_for_no_archives() -> None:
    index = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example",
             "skills": [{"name": "wrangler", "url": "wrangler.tar.gz", "title": "T", "description": "d"}]}  # fmt: skip
    files: dict[str, str | bytes] = {INDEX: json.dumps(index)}
    files[f"{WELL_KNOWN}wrangler.tar.gz"] = tar_gz(Item("x/SKILL.md"))
    assert of_archives(report_on(files)) == []


def test_each_entry_is_told_and_the_archive_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = rules._structure

    def counting(file: ArchiveFile) -> Iterator[rules.Told]:
        calls.append(file.name)
        return real(file)

    monkeypatch.setattr(rules, "_structure", counting)
    files = site({"wrangler.tar.gz": tar_gz(Item("x/SKILL.md"), MORE)})
    index = json.loads(str(files[INDEX]))
    index["skills"] *= 50
    source = Counted(located(files | {INDEX: json.dumps(index, indent=2)}))
    report = lint(project(["."], source=source, cwd="/r"), Config(level="note"))
    lines = [finding.line for finding in report.findings if finding.rule == "index-archive"]
    assert lines == [8 + 7 * number for number in range(50)]
    assert calls == ["wrangler.tar.gz"]
    assert source.read_paths[f"/r/{WELL_KNOWN}wrangler.tar.gz"] <= 2  # the digest may read it again


# Formats


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("wrangler.tar.bz2", bz2.compress(tar(skill(), MORE)),
         "'wrangler.tar.bz2' is a tar.bz2 archive; clients read .tar.gz and .zip"),
        ("wrangler.tar", tar(skill(), MORE),
         "'wrangler.tar' is a tar archive that is not compressed; clients read .tar.gz and .zip"),
        ("wrangler.7z", b"7z\xbc\xaf\x27\x1c", "'wrangler.7z' is a 7z archive; clients read .tar.gz and .zip"),
        ("wrangler.zip", tar_gz(skill(), MORE),
         "'wrangler.zip' is a tar.gz archive by its content, but not by its name"),
        ("wrangler.tar.gz", zipped(skill(), MORE),
         "'wrangler.tar.gz' is a zip archive by its content, but not by its name"),
        ("wrangler.tar.gz", b"Rar!\x1a\x07\0", "'wrangler.tar.gz' is a rar archive; clients read .tar.gz and .zip"),
    ],
)  # fmt: skip
def test_formats_that_clients_need_not_read(name: str, raw: bytes, message: str) -> None:
    found = findings(raw, name)
    assert brief(found) == [("index-archive-format", "warning", 8, 14)]
    assert (found[0].message, found[0].hint) == (message, "pack the skill as .tar.gz or .zip")


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("wrangler.tgz", tar_gz(skill(), MORE)), ("wrangler.TAR.GZ", tar_gz(skill(), MORE)),
        ("wrangler", tar_gz(skill(), MORE)), ("wrangler", zipped(skill(), MORE)),
        ("wrangler.zip", zipped(skill(), MORE)),
    ],
)  # fmt: skip
def test_case_079_formats_that_clients_read(name: str, raw: bytes) -> None:
    assert told(raw, name) == []


def test_of_what_lies_elsewhere_the_address_alone_is_judged() -> None:
    def of_url(url: str) -> list[tuple[str, str]]:
        return told(b"", url=url)

    assert of_url("https://cdn.example/wrangler.rar") == [
        ("index-archive-format", "by its address this is a rar archive; clients read .tar.gz and .zip")
    ]
    for url in ("wrangler.tar.gz", "wrangler.zip", "wrangler.tgz", "wrangler", "wrangler.rar?as=zip", "a.zip#x.rar"):
        assert of_url(f"https://cdn.example/{url}") == []
    assert of_url("missing.rar") == []  # that is another rule's


# What need not be packed


@pytest.mark.parametrize(
    "items",
    [
        [skill()], [Item("./", kind="folder"), skill()._replace(name="./SKILL.md")],
        [skill(), Item("references/", kind="folder")], [skill(), Item(".DS_Store", b"x")],
    ],
)  # fmt: skip
def test_an_archive_of_one_file(items: list[Item]) -> None:
    found = findings(tar_gz(*items))
    assert brief(found) == [("index-archive-needless", "warning", 8, 14)]
    assert found[0].message == "'wrangler.tar.gz' holds nothing but SKILL.md"
    assert found[0].hint == "publish SKILL.md itself, with the type 'skill-md' and a digest of its own"


def test_an_archive_of_more_than_one_file_is_needed() -> None:
    for items in ([skill(), Item("LICENSE")], [skill(), Item("a", kind="symlink", target="SKILL.md")]):
        assert told(tar_gz(*items)) == []
    assert told(tar_gz(skill()), type="skill-md") == []  # it says already that it is none


# Size


@pytest.mark.parametrize(
    ("raw", "name", "message"),
    [
        (zipped(skill(), Item("a", size=100_000_000, method=0)), "wrangler.zip",
         "unpacks to 100,001,002 bytes, more than 100,000,000"),
        (zipped(skill(), Item("a", size=20_000_000, method=0)), "wrangler.zip",
         "unpacks to 20,001,002 bytes, {times:,} times its size, as bombs do"),
        (tar_gz(skill(), Item("a", bytes(20_000_000))), "wrangler.tar.gz",
         "unpacks to 20,001,002 bytes, {times:,} times its size, as bombs do"),
        (zipped(skill(), Item("a", size=10**9, method=0))[:-1], "wrangler.zip", ""),  # it cannot be read at all
        (tar(skill())[:1536] + block(b"a", 2**33 - 1), "wrangler.tar", "unpacks to 8,589,935,593 bytes or more"),
        (zipped(skill(), MORE, count=60_000), "wrangler.zip", "says to have 60,000 members, more than 10,000"),
    ],
)  # fmt: skip
def test_archives_that_unpack_to_very_much(raw: bytes, name: str, message: str) -> None:
    found = [(f.level, f.line, f.column, f.message) for f in findings(raw, name) if f.rule == "index-archive-size"]
    words = message.format(times=20_001_002 // len(raw))
    expected = [("warning", 8, 14, f"'{name}' {words}; clients may refuse it")] if message else []
    assert found == expected


def test_an_archive_over_the_cap_is_told_by_its_size() -> None:
    path = f"/r/{WELL_KNOWN}wrangler.tar.gz"
    source = Counted(located(site({"wrangler.tar.gz": b"x"})), {path: 60_000_000})
    report = lint(project(["."], source=source, cwd="/r"), Config(level="note"))
    assert [(f.rule, f.message) for f in of_archives(report)] == [
        ("index-archive-size", "'wrangler.tar.gz' has 60,000,000 bytes, more than the 50,000,000 up to which it is "
         "looked into; clients may refuse it")
    ]  # fmt: skip


def test_large_and_well_packed_archives_pass() -> None:
    for raw in (
        zipped(skill(), Item("a", size=9_000_000, method=0)),
        zipped(skill(), Item("a", bytes(range(256)) * 800, method=0), Item("b", size=20_000_000, method=0)),
    ):
        assert told(raw, "wrangler.zip") == []


# Names that collide


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([Item("a/Guide.md"), Item("a/guide.md")], f"{ALIKE}: 'a/Guide.md' and 'a/guide.md'"),
        ([Item("skill.md")], f"{ALIKE}: 'SKILL.md' and 'skill.md'"),
        ([Item("Stra\u00dfe"), Item("STRASSE")], f"{ALIKE}: 'Stra\u00dfe' and 'STRASSE'"),
        ([Item("caf\u00e9"), Item("cafe\u0301")], f"{ALIKE}: 'caf\u00e9' and 'cafe\u0301'"),
        ([Item("a", kind="folder"), Item("A")], f"{ALIKE}: 'a' and 'A'"),
        ([skill()], "has members of the same name: 'SKILL.md'"),
        ([Item("._SKILL.md")], "holds what macOS adds: '._SKILL.md'"),
        ([Item("__MACOSX/._SKILL.md")], "holds what macOS adds: '__MACOSX/._SKILL.md'"),
        ([Item("B"), Item("b"), Item("._b")],
         f"{ALIKE}: 'B' and 'b', and holds what macOS adds: '._b'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("pack", "file"), [(tar_gz, "wrangler.tar.gz"), (zipped, "wrangler.zip")])
def test_names_that_collide(items: list[Item], message: str, pack: Pack, file: str) -> None:
    found = findings(pack(skill(), MORE, *items), file)
    assert brief(found) == [("index-archive-collision", "warning", 8, 14)]
    assert found[0].message == f"'{file}' {message}"


def test_names_that_do_not_collide() -> None:
    items = [
        Item("a", kind="folder"),
        Item("a/", kind="folder"),
        Item("A", kind="folder"),
        Item("b/x"),
        Item("c/X"),
        Item(".DS_Store"),
    ]
    assert told(tar_gz(skill(), *items)) == []


# What the draft demands

DEMANDS = [
    # section, what is demanded, input, rule and level
    ("Supported Formats", "tar.gz or zip", ("w.tar", tar(skill(), MORE)), ("index-archive-format", "warning")),
    ("Archive Structure", "no wrapper", ("w.zip", zipped(Item("w/SKILL.md"), MORE)), ("index-archive", "error")),
    ("Archive Structure", "SKILL.md at the root", ("w.zip", zipped(MORE)), ("index-archive", "error")),
    ("Archive Structure", "no ..", ("w.zip", zipped(skill(), Item("../a"))), ("index-archive", "error")),
    ("Archive Structure", "no absolute path", ("w.zip", zipped(skill(), Item("/a"))), ("index-archive", "error")),
    ("Archive Safety", "no symbolic link out", ("w.zip", zipped(skill(), Item("a", kind="symlink", target=".."))),
     ("index-archive", "error")),
    ("Archive Safety", "no hard link out", ("w.tgz", tar_gz(skill(), Item("a", kind="hardlink", target="../b"))),
     ("index-archive", "error")),
    ("Archive Safety", "unpacked size", ("w.zip", zipped(skill(), Item("a", size=10**9, method=0))),
     ("index-archive-size", "warning")),
    ("Distribution Guidance", "SKILL.md alone is no archive", ("w.zip", zipped(skill())),
     ("index-archive-needless", "warning")),
]  # fmt: skip


@pytest.mark.parametrize(("section", "demand", "archive", "expected"), DEMANDS)
def test_demands(section: str, demand: str, archive: tuple[str, bytes], expected: tuple[str, str]) -> None:
    name, raw = archive
    assert [(finding.rule, finding.level) for finding in findings(raw, name)] == [expected]


# Real archives


@pytest.mark.skipif(not SITES.is_dir(), reason="the corpus of real sites is not beside this checkout")
def test_the_archive_of_kiro_generator_is_right() -> None:
    root = SITES / "kiro-generator__kiro-generator"
    report = lint(project([str(root)], cwd=str(root)), Config(level="note"))
    assert of_archives(report) == []
    inside = [finding for finding in report.findings if finding.path.endswith("kg-helper.tar.gz!SKILL.md")]
    assert brief(inside)[:1] == [("body-heading", "note", 11, 1)]
    assert [skill.path for skill in report.skills] == [".well-known/agent-skills/kg-helper.tar.gz!SKILL.md"]


@pytest.mark.skipif(not SITES.is_dir(), reason="the corpus of real sites is not beside this checkout")
@pytest.mark.parametrize("name", ["mdm-cli-inspection", "mdmind-map-authoring"])
def test_the_archives_of_mdmind_are_wrapped_and_littered(name: str) -> None:
    root = SITES / "dudash__mdmind"
    report = lint(project([str(root)], cwd=str(root)), Config(level="note"))
    assert of_archives(report) == []  # its index is of no known dialect
    raw = (root / WELL_KNOWN / f"{name}.tar.gz").read_bytes()
    assert told(raw, f"{name}.tar.gz") == [
        ("index-archive", f"'{name}.tar.gz' has no SKILL.md at its root: it lies in the folder '{name}'"),
        ("index-archive-collision",
         f"'{name}.tar.gz' holds what macOS adds: '._{name}', '{name}/._references', '{name}/._agents' and 6 more"),
    ]  # fmt: skip
