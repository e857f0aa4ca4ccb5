"""Archives that an index lists: what they hold, under which names, how large it is."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from agentskills_lint.archives import ArchiveFile, named
from agentskills_lint.archives.members import SKILL_NAME, Archive, Member, Members, flaw, folded
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Related, Span
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.site import Listing, Site
from agentskills_lint.specs import DISCOVERY
from agentskills_lint.wording import several, shown

_PLAIN_NAME = lazy(r"[\w.+-]+", 0)

Told = tuple[str, str | None]
"""A message and a hint."""


def _opened(site: Site, judge: Callable[[ArchiveFile], Iterable[Told]], of_type: str = "") -> Iterator[Problem]:
    """What a function says of each archive that was opened, at each entry that leads to it."""
    told: dict[str, list[Told]] = {}
    for listing in site.entries():
        file = site.archive_of(listing)
        if file is None or (of_type and listing.entry.text("type") != of_type):
            continue
        if file.location not in told:
            told[file.location] = list(judge(file))
        for message, hint in told[file.location]:
            yield _problem(listing, file, message, hint)


def _problem(listing: Listing, file: ArchiveFile, message: str, hint: str | None) -> Problem:
    related = (Related((file, Span(0, 0)), "the archive"),)
    return Problem((listing.registry, listing.entry.where), message, related=related, hint=hint)


# --- structure and safety -------------------------------------------------------------------------


@rule(
    "index-archive",
    "SKL816",
    on=Site,
    needs="index-schema",
    asked_by={"discovery": must(DISCOVERY + "#archive-structure")},
)
def index_archive(site: Site, ask: Ask) -> Iterator[Problem]:
    """An archive has no SKILL.md at its root, or clients must refuse it.

    Clients unpack the archive and read SKILL.md where they unpacked it: in a folder inside the
    archive it is not found. They refuse the whole archive where a name in it is absolute or has
    `..` in it, where a link leads out of the skill, or where it cannot be read to the end. Of
    the archive only the headers and SKILL.md are read here; SKILL.md is linted like any other.

    In these examples an archive is shown as the list of what is in it.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.tar.gz"
    === .well-known/agent-skills/pay-invoice.tar.gz
    pay-invoice/SKILL.md
    pay-invoice/references/fields.md
    ```
    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.zip"
    === .well-known/agent-skills/pay-invoice.zip
    SKILL.md
    references/home -> ../../..
    ../.bashrc
    ```
    ```tree good
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.tar.gz"
    === .well-known/agent-skills/pay-invoice.tar.gz
    SKILL.md
    references/fields.md
    ```
    """
    yield from _opened(site, _structure)


def _structure(file: ArchiveFile) -> Iterator[Told]:
    archive = file.archive
    name = shown(file.name)
    if archive.fault is not None:
        hint = "fetch the file itself with: git lfs pull" if "LFS" in archive.fault else "pack the skill again"
        yield f"{name} {archive.fault}", hint
    flawed = [(member.name, found) for member in archive.members if (found := flaw(member.name)) is not None]
    for found in dict.fromkeys(found for _, found in flawed):
        names = several(member for member, other in flawed if other == found)
        yield (
            f"{name} holds {names}: a name that {found}, which clients refuse",
            "name members by their path in the skill",
        )
    yield from _links(archive, name)
    others = [member.name for member in archive.members if member.kind == "other"]
    if others:
        yield f"{name} holds {several(others)}: a device or pipe, which is no file of a skill", None
    if archive.is_complete:
        yield from _missing(archive, file.name, [member for member, _ in flawed])


def _links(archive: Archive, name: str) -> Iterator[Told]:
    links = [member for member in archive.members if member.kind in ("symlink", "hardlink")]
    if not links:
        return
    tree = Members(archive)
    leaving = [member for member in links if tree.leaves(member)]
    disputed = [member for member in tree.disputed if member not in leaving]
    if leaving:
        pairs = several(f"{member.name} -> {member.target}" for member in leaving)
        yield (
            f"{name} holds a link that leads out of the skill, or nowhere: {pairs}",
            "put the file itself into the archive",
        )
    if disputed:
        names = several(member.name for member in disputed)
        yield f"{name} holds {names} as a link and as something else, so that it is open what it leads to", None


def _missing(archive: Archive, name: str, flawed: list[str]) -> Iterator[Told]:
    """That there is no SKILL.md at the root, and where there is one instead."""
    kinds = {member.path: member.kind for member in archive.members}
    links = [member for member in archive.members if member.path == SKILL_NAME and "link" in member.kind]
    if links and posixpath.normpath(links[-1].target) not in kinds:
        told = f"{shown(name)} has no {SKILL_NAME} at its root, but a link to {shown(links[-1].target)}"
        yield f"{told}, which is not in it", "put the file itself into the archive"
    if kinds.get(SKILL_NAME, "folder") != "folder":
        return  # of a device it is said that it is one
    if any(posixpath.basename(found.replace("\\", "/")) == SKILL_NAME for found in flawed):
        return
    fault = f"{shown(name)} has no {SKILL_NAME} at its root"
    files = [member.path for member in archive.members if member.kind != "folder" and not member.is_clutter]
    inside = [path for path in files if posixpath.basename(path) == SKILL_NAME]
    near = [path for path in files if path.lower() == SKILL_NAME.lower()]
    if near:
        yield f"{fault}, but {shown(near[0])}, which clients do not look for", f"rename it to {SKILL_NAME}"
    elif len(inside) == 1:
        folder = posixpath.dirname(inside[0])
        yield f"{fault}: it lies in the folder {shown(folder)}", _how_to_pack(archive.format, name, folder)
    elif inside:
        where = several(posixpath.dirname(path) for path in inside)
        yield f"{fault}, but several in folders: {where}", "pack each skill into an archive of its own"
    else:
        yield f"{fault}{'' if files else ': it is empty'}", f"pack the folder's content, with {SKILL_NAME} at the top"


def _how_to_pack(kind: str, name: str, folder: str) -> str:
    if not _PLAIN_NAME.fullmatch(name) or not _PLAIN_NAME.fullmatch(folder) or name.startswith("-"):
        return "pack what is in the folder, not the folder"
    if kind == "zip":
        return f"pack what is in the folder: cd {folder} && zip -r ../{name} ."
    return f"pack what is in the folder: tar -czf {name} -C {folder} ."


# --- formats --------------------------------------------------------------------------------------


@rule(
    "index-archive-format",
    "SKL826",
    on=Site,
    needs="index-schema",
    asked_by={"discovery": should(DISCOVERY + "#supported-formats")},
)
def index_archive_format(site: Site, ask: Ask) -> Iterator[Problem]:
    """An archive is neither a .tar.gz nor a .zip.

    These two formats every client reads, others hardly any. Where a server does not tell the
    format, clients take it from the ending of the address, so that has to be the right one.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.tar.bz2"
    === .well-known/agent-skills/pay-invoice.tar.bz2
    SKILL.md
    references/fields.md
    ```
    ```tree good
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.zip"
    === .well-known/agent-skills/pay-invoice.zip
    SKILL.md
    references/fields.md
    ```
    """
    for listing in site.entries():
        if listing.entry.text("type") != "archive":
            continue
        file = site.archive_of(listing)
        if file is not None:
            message = _format(file)
            if message is not None:
                yield _problem(listing, file, message, "pack the skill as .tar.gz or .zip")
            continue
        target = site.target(listing)
        ending = named(listing.entry.href.partition("#")[0])
        if target.kind in ("elsewhere", "unknown") and ending not in ("", *_FORMATS):
            yield Problem(
                (listing.registry, listing.entry.where),
                f"by its address this is {_title(ending)}; clients read .tar.gz and .zip",
                hint="pack the skill as .tar.gz or .zip",
            )


_FORMATS = ("tar.gz", "zip")


def _title(kind: str) -> str:
    other = {"tar": "a tar archive that is not compressed", "gz": "a single file packed by gzip"}
    return other.get(kind, f"a {kind} archive")


def _format(file: ArchiveFile) -> str | None:
    kind, ending = file.archive.format, file.archive.named
    name = shown(file.name)
    if file.archive.fault is not None or not kind:
        return None
    if kind not in _FORMATS:
        return f"{name} is {_title(kind)}; clients read .tar.gz and .zip"
    return f"{name} is a {kind} archive by its content, but not by its name" if ending not in ("", kind) else None


# --- what need not be packed ----------------------------------------------------------------------


@rule(
    "index-archive-needless",
    "SKL827",
    on=Site,
    needs=("index-schema", "index-archive"),
    asked_by={"discovery": should(DISCOVERY + "#distribution-guidance")},
)
def index_archive_needless(site: Site, ask: Ask) -> Iterator[Problem]:
    """An archive holds SKILL.md alone.

    A skill of one file is published as that file: clients need not unpack it, and people and
    search engines can read it where it is.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.tar.gz"
    === .well-known/agent-skills/pay-invoice.tar.gz
    SKILL.md
    ```
    ```entry good
    "type": "skill-md",
    "url": "pay-invoice/SKILL.md"
    ```
    """
    yield from _opened(site, _needless, "archive")


def _needless(file: ArchiveFile) -> Iterator[Told]:
    archive = file.archive
    found = {member.path for member in archive.members if member.kind != "folder" and not member.is_clutter}
    if archive.is_complete and found == {SKILL_NAME}:
        yield (
            f"{shown(file.name)} holds nothing but {SKILL_NAME}",
            f"publish {SKILL_NAME} itself, with the type 'skill-md' and a digest of its own",
        )


# --- size -----------------------------------------------------------------------------------------


@rule(
    "index-archive-size",
    "SKL860",
    on=Site,
    needs="index-schema",
    asked_by={
        "discovery": should(DISCOVERY + "#security-considerations", size=100_000_000, ratio=100, small=10_000_000)
    },
)
def index_archive_size(site: Site, ask: Ask) -> Iterator[Problem]:
    """An archive unpacks to very much.

    Clients guard against archives that fill the disk, and leave those alone that look like
    one: more than 100 MB, a hundredfold of the packed size (from 10 MB on), or thousands
    of members. An agent reads but a few kilobytes of a skill; large data is better fetched
    when it is needed. What counts is the size that the archive's headers declare.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.zip"
    === .well-known/agent-skills/pay-invoice.zip
    SKILL.md
    assets/model.bin (400 MB)
    ```
    ```tree good
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.zip"
    === .well-known/agent-skills/pay-invoice.zip
    SKILL.md
    assets/model.bin (4 MB)
    ```
    """

    def judge(file: ArchiveFile) -> Iterator[Told]:
        excess = _excess(file.archive, ask)
        if excess is not None:
            hint = "leave large data out of the archive, and have the skill fetch them"
            yield f"{shown(file.name)} {excess}; clients may refuse it", hint

    yield from _opened(site, judge)


def _excess(archive: Archive, ask: Ask) -> str | None:
    if archive.excess is not None or archive.fault is not None:
        return archive.excess
    if archive.unpacked > ask.size:
        return f"unpacks to {archive.unpacked:,} bytes, more than {ask.size:,}"
    times = archive.unpacked // max(archive.packed, 1)
    if archive.unpacked > ask.small and times > ask.ratio:
        return f"unpacks to {archive.unpacked:,} bytes, {times:,} times its size, as bombs do"
    return None


# --- names that collide ---------------------------------------------------------------------------


@rule(
    "index-archive-collision",
    "SKL862",
    on=Site,
    needs="index-schema",
    asked_by={"advice": advice("warning")},
)
def index_archive_collision(site: Site, ask: Ask) -> Iterator[Problem]:
    """An archive has names that collide, or the litter of macOS.

    On macOS and Windows `Guide.md` and `guide.md` are one file: of the two, one overwrites
    the other. Of two members with the very same name it depends on the client which one
    stays. The tar and the archiver of macOS add a file `._guide.md`, or a folder `__MACOSX`, for
    what only a Mac understands; elsewhere an agent finds binary files that look like Markdown.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.tar.gz"
    === .well-known/agent-skills/pay-invoice.tar.gz
    SKILL.md
    references/Fields.md
    references/fields.md
    ```
    ```tree good
    === entry of .well-known/agent-skills/index.json
    "type": "archive",
    "url": "pay-invoice.tar.gz"
    === .well-known/agent-skills/pay-invoice.tar.gz
    SKILL.md
    references/fields.md
    ```
    """
    yield from _opened(site, _collisions)


def _collisions(file: ArchiveFile) -> Iterator[Told]:
    members = [member for member in file.archive.members if member.path]
    said, hints = [], []
    twice = [
        name for name, count in Counter(member.path for member in members if _is_file(member)).items() if count > 1
    ]
    by_folded: dict[str, dict[str, bool]] = {}
    for member in members:
        names = by_folded.setdefault(folded(member.path), {})
        names[member.path] = names.get(member.path, False) or _is_file(member)
    alike = [
        " and ".join(map(shown, list(names)[:2]))
        for names in by_folded.values()
        if len(names) > 1 and any(names.values())
    ]
    clutter = [member.path for member in members if member.is_clutter and not member.path.endswith(".DS_Store")]
    if alike:
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        said.append(f"has names that are one on macOS and Windows: {alike[0]}{more}")
        hints.append("rename one of them")
    if twice:
        said.append(f"has members of the same name: {several(twice)}")
        hints.append("pack the skill again from the start")
    if clutter:
        said.append(f"holds what macOS adds: {several(clutter)}")
        hints.append(_without_clutter(file.archive.format))
    if said:
        yield f"{shown(file.name)} {', and '.join(said)}", "; ".join(hints)


def _is_file(member: Member) -> bool:
    return member.kind != "folder"


def _without_clutter(kind: str) -> str:
    if kind == "zip":
        return "pack on the command line, not in the Finder: zip -r -X NAME ."
    return "pack with: COPYFILE_DISABLE=1 tar -czf NAME ."
