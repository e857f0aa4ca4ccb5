"""What an index.json says, held against the files of its site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from agentskills_lint.archives import MAX_ARCHIVE
from agentskills_lint.documents import LFS_POINTER, MAX_BYTES, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Fix, Problem, Related, Span
from agentskills_lint.patterns import Patterns
from agentskills_lint.registries import WELL_KNOWN, Entry, Index
from agentskills_lint.rule import Ask, advice, may, must, rule, should
from agentskills_lint.rules import json_edits
from agentskills_lint.rules.links import similar, targets
from agentskills_lint.site import NEVER_ENTERED, Listing, Project, Site, Target
from agentskills_lint.specs import DISCOVERY, DUALNOVA, KEBAB
from agentskills_lint.text import BOM
from agentskills_lint.trees import Node
from agentskills_lint.urls import host_of, is_absolute, parts_of, written
from agentskills_lint.wording import several, shown

_FORMAT = DISCOVERY + "#index-format"
_INDEX = DISCOVERY + "#discovery-index"
_STRUCTURE = DISCOVERY + "#uri-structure"
_FILES = DISCOVERY + "#v010"
_SUMMARY = DUALNOVA + "#skill-summary-fields-entries-in-skills"
_LAYOUT = DUALNOVA + "#file-layout"

_NAME = lazy(KEBAB)
_PACKED = lazy(r"\.md\.(?:gz|br|zst)\Z", re.I)
"""Copies that a server keeps for transport."""
_TAG = lazy(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*", re.A)
_DIGEST = lazy(r"sha256:([0-9a-f]{64})", re.A)
_HTML = lazy(rb"[\xef\xbb\xbf\s]*<(?:!doctype|html)\b", re.I)
_ARCHIVE = lazy(r"\.(?:tar\.gz|tgz|zip|tar|tar\.bz2|tar\.xz)\Z", re.I)

_MOST_GUESSES = 20
"""Targets of a site for which a near miss is looked for among the names around."""

_MOST_RELATED = 10
"""Other places that one finding shows."""

_MOST_FILES = 1000
"""Files of a skill that are compared with those that an index lists."""


def _listings(site: Site) -> Iterator[tuple[Index, Entry]]:
    """The entries of all index.json files of a known dialect."""
    for index in site.indexes:
        for entry in index.entries:
            yield index, entry


def _target(site: Site, index: Index, entry: Entry) -> Target:
    return site.target(Listing(index, entry))


def _skill_of(site: Site, index: Index, entry: Entry) -> Skill | None:
    return site.skill_of(Listing(index, entry))


def _is_old(index: Index) -> bool:
    """Whether an index follows discovery 0.1 alone: there the name is the path."""
    return index.discovery == "0.1" and not index.is_dualnova


def _is_archive(entry: Entry, href: str) -> bool:
    return entry.text("type") == "archive" or _ARCHIVE.search(_path_of(href)) is not None


def _path_of(href: str) -> str:
    """The path of a reference as written, query and fragment taken off."""
    return re.split(r"[?#]", href, maxsplit=1)[0]


def _place(skill: Skill, name: str) -> tuple[Skill, Span]:
    """Where a skill says something: the value, or its key where the value has several lines."""
    node = skill.field(name)
    if node is None:
        return skill, skill.anchor
    one_line = skill.text.line_at(node.span.start) == skill.text.line_at(max(node.span.end - 1, node.span.start))
    return skill, node.span if one_line or node.key is None else node.key.span


def _single(index: Index, node: Node) -> Span:
    """A value that stands on one line, else its key."""
    one_line = index.text.line_at(node.span.start) == index.text.line_at(node.span.end)
    return node.span if one_line or node.key is None else node.key.span


def _count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


# --- where entries lead ---------------------------------------------------------------------------


class _Guesser:
    """What the targets that are missing were meant to be, from the files of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._left = _MOST_GUESSES
        self._named: dict[str, list[str]] | None = None
        self._folders: dict[str, list[str]] | None = None
        self._taken = {site.target(listing).path for listing in site.entries() if site.target(listing).kind == "file"}

    def guess(self, index: Index, entry: Entry, path: str) -> str | None:
        """The one file that fits a path at which there is none, None where none does or several do."""
        archive = _is_archive(entry, path)
        ways = [self._slips(index, entry, path, archive), self._near(path), self._of_name(entry, archive)]
        if _is_old(index):
            ways.insert(0, self._of_folder(entry.name or ""))
        for paths in ways:
            found = [
                posixpath.normpath(tried)
                for tried in paths
                if self._site.folder.find(tried) == "file"
                and (_ARCHIVE.search(tried) is not None) == archive
                and not _PACKED.search(tried)
            ]
            found = [tried for tried in dict.fromkeys(found) if not tried.startswith("../")]
            free = [tried for tried in found if tried not in self._taken]
            if found:
                return free[0] if len(free) == 1 else None
        return None

    def _slips(self, index: Index, entry: Entry, path: str, archive: bool) -> Iterator[str]:
        """The everyday slips: a folder in place of its SKILL.md, the old folder's name, a path from the root."""
        base = posixpath.dirname(index.site_path)
        stem = _ARCHIVE.sub("", path) if archive else path.removesuffix(".md")
        if path:
            yield from (
                (path + ".tar.gz", path + ".zip", path + ".tgz")
                if archive
                else (f"{path}/SKILL.md", f"{stem}/SKILL.md", f"{path}.md")
            )
            new, old = WELL_KNOWN
            for one, other in ((new, old), (old, new)):
                if path.startswith(one + "/"):
                    yield other + path[len(one) :]
            yield posixpath.join(base, path)
        href = _path_of(entry.href)
        if "://" not in href and not href.startswith("/") and index.discovery != "0.1":
            below = posixpath.normpath(unquote(href))
            if not below.startswith(".."):
                yield below
        name = entry.name or ""
        if not archive and _NAME.fullmatch(name):
            yield posixpath.join(base, name, "SKILL.md")

    def _near(self, path: str) -> Iterator[str]:
        if self._left > 0 and path:
            self._left -= 1
            found = similar(self._site.folder, path)
            if found is not None:
                yield found

    def _of_name(self, entry: Entry, archive: bool) -> list[str]:
        """The published skills that bear the entry's name."""
        if archive or not entry.name:
            return []
        if self._named is None:
            self._named = {}
            for skill, path in _published(self._site):
                self._named.setdefault(skill.value("name") or "", []).append(path)
        return self._named.get(entry.name, [])

    def _of_folder(self, name: str) -> list[str]:
        """The skills of the tree, published or not, in a folder of that name."""
        if self._folders is None:
            self._folders = {}
            root = f"{self._site.folder.path.rstrip('/')}/"
            for skill in self._site.skills:
                path = skill.location[len(root) :]
                if skill.name == "SKILL.md":
                    self._folders.setdefault(posixpath.basename(posixpath.dirname(path)), []).append(path)
        return self._folders.get(name, [])


def _published(site: Site) -> list[tuple[Skill, str]]:
    """The skills below the well-known folders of a site, with their paths below its root; internal ones aside."""
    return _skills_in(site, *site.shelves)


def _skills_in(site: Site, *folders: str) -> list[tuple[Skill, str]]:
    found = site.skills_in(*folders)
    return [(skill, path) for skill, path in found if skill.name == "SKILL.md" and not skill.is_internal]


@rule(
    "index-target",
    "SKL803",
    on=Site,
    needs=("index-schema", "name-kebab-case", "index-url-escape", "url-malformed"),
    fix="unsafe",
    asked_by={"discovery": must(_FORMAT), "dualnova": must(_SUMMARY)},
)
def index_target(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index entry leads to no file of the site.

    Clients fetch what `url` names, resolved against the address of the index; for the `files`
    form of discovery 0.1 they build `{name}/SKILL.md` beside the index. Where nothing is there,
    the skill cannot be used, nor where a folder, a page in HTML or another list of skills is.
    Names are compared letter by letter, as on a web server.

    An address on another host, or below another path than the site's, is counted as not checked
    and never called broken; a path that only lacks that of the site is told. Where more than four
    entries are all that there is and none leads to a file, one finding tells it: the skills are
    likely made by a build. Entries of 0.1 with whole addresses in `files` are told by index-files.

    ```entry bad
    "type": "archive",
    "url": "pay-invoice.tar.gz"
    ```
    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "url": "pay-invoice/skill.md"
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```entry good
    "url": "pay-invoice/SKILL.md"
    ```
    """
    guesser: _Guesser | None = None
    for index in site.indexes:
        lost = []
        for entry in index.entries:
            if not entry.href.strip() or (_is_old(index) and _address(entry) is not None):
                continue
            target = _target(site, index, entry)
            if target.kind in ("missing", "folder") or (target.kind == "elsewhere" and not target.reason):
                guesser = guesser or _Guesser(site)
                lost.append((entry, target, _meant(site, index, entry, target, guesser)))
            elif (reason := _unfit(site, index, entry, target)) is not None:
                yield Problem((index, entry.where), reason)
        nowhere = [entry for entry, target, guess in lost if target.kind == "missing" and guess is None]
        if len(nowhere) == len(index.entries) > 4:
            yield Problem(
                (index, nowhere[0].where),
                f"none of the {len(nowhere)} listed skills is in this tree: the first should be "
                f"{shown(_target(site, index, nowhere[0]).path)}",
                hint="are they made by a build? then lint what it puts out",
            )
            continue
        for entry, target, guess in lost:
            yield from _lost(site, index, entry, target, guess)


def _meant(site: Site, index: Index, entry: Entry, target: Target, guesser: _Guesser) -> str | None:
    """The file to which an entry was meant to lead, None where it cannot be told."""
    if target.kind == "elsewhere":
        return _without_prefix(site, index, entry)
    return guesser.guess(index, entry, target.path)


def _address(entry: Entry) -> Node | None:
    """The first of the files of an entry that is an address in place of a path, which index-files tells."""
    files = entry.field("files")
    return next((item for item in files.items if "://" in item.value), None) if files is not None else None


def _without_prefix(site: Site, index: Index, entry: Entry) -> str | None:
    """The file that a path from the root of the host names below the root of the site, which is deeper."""
    href = entry.href
    if not href.startswith("/") or href.startswith("//"):
        return None
    path = unquote(_path_of(href)).strip("/")
    return path if path and ".." not in path and site.folder.find(path) == "file" else None


def _unfit(site: Site, index: Index, entry: Entry, target: Target) -> str | None:
    """Why what an entry leads to cannot be a skill, None where it can."""
    if target.kind == "refused":
        return f"no client follows {shown(entry.href)}: {target.reason}"
    if target.kind != "file":
        return None
    if target.path == index.site_path:
        return "the url leads to the index itself, not to a skill"
    if target.path.endswith(("/index.json", ".txt")) and any(r.site_path == target.path for r in site.registries):
        return f"the url leads to {shown(target.path)}, which lists skills and is none"
    if _is_archive(entry, target.path) or site.skill(target.path) is not None:
        return None
    if not target.path.lower().endswith((".html", ".htm")):
        size = site.folder.size(target.path)
        if size is None or size > MAX_BYTES or not _HTML.match((site.read(target.path) or b"")[:200]):
            return None
    return f"{shown(target.path)} is a page in HTML, not a SKILL.md"


def _lost(site: Site, index: Index, entry: Entry, target: Target, guess: str | None) -> Iterator[Problem]:
    """Say that an entry leads to no file, with what was meant where that is plain."""
    if target.kind == "elsewhere":
        if guess is None:
            return
        message = f"the url leads to {shown(target.url, 80)}, out of the site at {site.origin.url}"
    elif target.kind == "folder":
        message = f"the url leads to the folder {shown(target.path or '/')}, not to a file"
    else:
        parent, name = posixpath.split(target.path)
        dangling = site.folder.entries(parent).get(name) == "link" if not parent.startswith("..") else False
        message = f"there is no {shown(target.path)}"
        if dangling:
            message = f"{shown(target.path)} is a symbolic link that leads to nothing"
        elif _is_old(index):
            message += ", where clients look for this skill"
            if guess is not None and posixpath.basename(posixpath.dirname(guess)) == entry.name:
                skill = site.skill(guess)
                related = (Related(_place(skill, "name"), "this skill"),) if skill is not None else ()
                yield Problem((index, entry.where), f"{message}; it is at {shown(guess)}", None, related)
                return
        elif target.url.partition("?")[0].endswith("/") and site.folder.find(target.path) == "file":
            yield _instead(site, index, entry, f"{shown(target.path)} is a file: the url ends with a '/'", target.path)
            return
    yield _instead(site, index, entry, message, guess)


def _instead(site: Site, index: Index, entry: Entry, message: str, guess: str | None) -> Problem:
    where = index, entry.where
    if guess is None:
        return Problem(where, message)
    skill = site.skill(guess)
    related = (Related(_place(skill, "name"), "is this the skill?"),) if skill is not None else ()
    node = entry.field("url")
    if node is None or _is_old(index):
        return Problem(where, f"{message}; did you mean {shown(guess)}?", None, related)
    href = written(guess, entry.href, index.site_path, site.origin.url or site.base)
    fix = Fix(f"write {shown(href)}", (json_edits.replaced(index.source, node, href),), False)
    return Problem(where, f"{message}; did you mean {shown(guess)}?", fix, related)


@rule(
    "index-unlisted",
    "SKL804",
    on=Site,
    needs=("index-schema",),
    fix="unsafe",
    asked_by={
        "discovery": must(_INDEX, level="warning"),
        "dualnova": must(DUALNOVA + "#indexjson", level="warning"),
    },
)
def index_unlisted(site: Site, ask: Ask) -> Iterator[Problem]:
    """A published skill is missing from the index beside it.

    Agents know of the skills that the index names and of no others. A skill counts as published
    when it lies in the folder of the index; it counts as listed when an entry leads to it or
    bears its name. A skill with `metadata.internal: true` is left out on purpose. The fix adds
    an entry in the layout of the file.

    ```tree bad
    === .well-known/agent-skills/index.json
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": []
    }
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```tree good
    === entry of .well-known/agent-skills/index.json
    "url": "pay-invoice/SKILL.md"
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    """
    indexes = [index for index in site.indexes if index.skills is not None and index.skills.kind == "list"]
    if not indexes:
        return
    names = {entry.name for _, entry in _listings(site)}
    published = _published(site)
    holders = {posixpath.dirname(path) for _, path in published}
    copies = {skill.raw for skill, _ in published if skill.location in site.listed}
    published = [
        (skill, path)
        for skill, path in published
        if skill.location not in site.listed and skill.value("name") not in names and skill.raw not in copies
    ]
    if not published:
        return
    meant = _meant_by_others(site)
    for index in indexes:
        if index.skills is None or any(_says_nothing(index, item) for item in index.skills.items):
            continue  # index-schema says so, and nobody knows which skill was meant
        folder = posixpath.dirname(index.site_path)
        left_out = [
            (skill, path)
            for skill, path in published
            if path.startswith(f"{folder}/") and path not in meant and not _is_nested(path, folder, holders)
        ]
        if left_out and index.skills is not None and index.skills.key is not None:
            yield _unlisted(site, index, index.skills, index.skills.key, left_out)


def _says_nothing(index: Index, item: Node) -> bool:
    """Whether an entry neither names a skill nor leads to one."""
    return item.kind != "map" or not any(
        field is not None and field.tag == "str" and field.is_text
        for field in (item.get("name"), None if _is_old(index) else item.get("url"))
    )


def _meant_by_others(site: Site) -> set[str]:
    """The files that entries were meant to lead to: what is wrong there is said there."""
    found: set[str] = set()
    guesser: _Guesser | None = None
    for index, entry in _listings(site):
        target = _target(site, index, entry)
        if target.kind in ("missing", "folder") and entry.href.strip():
            guesser = guesser or _Guesser(site)
            guess = _meant(site, index, entry, target, guesser)
            if guess is not None:
                found.add(guess)
    return found


def _is_nested(path: str, folder: str, holders: set[str]) -> bool:
    """Whether a SKILL.md lies inside of another skill below the folder of the index."""
    above = posixpath.dirname(posixpath.dirname(path))
    while len(above) > len(folder):
        if above in holders:
            return True
        above = posixpath.dirname(above)
    return False


def _unlisted(site: Site, index: Index, skills: Node, key: Node, left_out: list[tuple[Skill, str]]) -> Problem:
    names = [skill.value("name") or posixpath.basename(posixpath.dirname(path)) for skill, path in left_out]
    subject = "it is" if len(names) == 1 else "they are"
    related = tuple(Related(_place(skill, "name"), "published here") for skill, _ in left_out[:_MOST_RELATED])
    return Problem(
        (index, key.span),
        f"the index leaves out {several(names, 40)}, though {subject} published beside it",
        _listing_fix(site, index, skills, key, left_out),
        related,
        "add an entry, or mark what is not for others with 'metadata: {internal: true}'",
    )


def _listing_fix(site: Site, index: Index, skills: Node, key: Node, left_out: list[tuple[Skill, str]]) -> Fix | None:
    """New entries for the skills of which all can be said that an entry has to say."""
    objects = []
    names: set[str] = set()
    model = index.entries[-1].node if index.entries else None
    order = [item.key.value for item in model.items if item.key is not None] if model is not None else []
    for skill, path in left_out:
        name = skill.value("name") or ""
        pairs = _pairs(site, index, skill, path)
        if pairs is None or name in names:
            continue
        names.add(name)
        rank = {key: place for place, key in enumerate(order)}
        objects.append(sorted(pairs, key=lambda pair: rank.get(pair[0], len(rank))))
    if not objects or index.root is None:
        return None
    edit = json_edits.appended(index.source, skills, key, index.root, objects, index.text.newline)
    return Fix(f"add {_count(len(objects), 'entry')}", (edit,), False)


def _pairs(site: Site, index: Index, skill: Skill, path: str) -> list[tuple[str, json_edits.Value]] | None:
    """What an entry for a skill says, None where the skill or the site leaves something open."""
    name, description = skill.value("name"), _folded(skill.value("description") or "")
    if name is None or not _NAME.fullmatch(name) or len(name) > 64 or not 0 < len(description) <= 1024:
        return None
    if index.is_dualnova and not name[0].isalpha():
        return None
    folder = posixpath.dirname(path)
    if _is_old(index):
        if folder != posixpath.join(posixpath.dirname(index.site_path), name):
            return None
        return [("name", name), ("description", description), ("files", _files_below(site, folder))]
    origin = site.origin.url
    like = next((e.href for e in index.entries if _target(site, index, e).kind == "file"), "/")
    if index.is_dualnova and "://" not in like:
        if origin is None:
            return None
        like = f"{parts_of(origin).scheme}://{parts_of(origin).netloc}"
    pairs: list[tuple[str, json_edits.Value]] = [("name", name)]
    if index.is_dualnova:
        pairs.append(("title", _title(skill) or name.replace("-", " ").capitalize()))
    if index.discovery == "0.2":
        pairs.append(("type", "skill-md"))
    pairs += [
        ("description", description),
        ("url", written(path, _path_of(like), index.site_path, origin or site.base)),
    ]
    if index.discovery == "0.2":
        digest = _sha256(skill.raw)
        pairs.append(("digest", f"sha256:{digest}"))
    elif index.discovery == "0.1":
        pairs.append(("files", _files_below(site, folder)))
    return pairs


def _title(skill: Skill) -> str:
    return next((heading.text for heading in skill.markdown.headings if heading.level == 1), "")


def _folded(text: str) -> str:
    return " ".join(text.split())


# --- what entries say of their skills -------------------------------------------------------------


def _described(site: Site, key: str) -> Iterator[tuple[Index, Entry, Node, Skill]]:
    """The entries that have a key and lead to a skill of the tree, with the value and the skill."""
    for index in site.indexes:
        if _is_old(index):
            continue  # there the name is the path, and nothing else has to agree
        for entry in index.entries:
            node = entry.field(key)
            skill = _skill_of(site, index, entry) if node is not None else None
            if node is not None and skill is not None:
                yield index, entry, node, skill


def _misnamed(site: Site, index: Index, entry: Entry) -> Skill | None:
    """The skill to which an entry leads, where it bears another name than the entry."""
    skill = _skill_of(site, index, entry) if entry.name else None
    name = skill.value("name") if skill is not None else None
    if skill is None or name is None or name == entry.name or skill.folder_name == entry.name:
        return None
    return skill


def _is_astray(site: Site, index: Index, entry: Entry, names: set[str | None]) -> bool:
    """Whether an entry leads to the skill of another entry, which index-name says."""
    skill = _misnamed(site, index, entry)
    return skill is not None and skill.value("name") in names


@rule(
    "index-name",
    "SKL805",
    on=Site,
    needs=("index-schema", "name-kebab-case", "index-target"),
    fix="unsafe",
    asked_by={"dualnova": must(_SUMMARY), "advice": advice("warning")},
)
def index_name(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index entry and its skill have different names.

    People see the name of the entry and agents call the skill by the name in its SKILL.md; where
    the two differ, what was chosen cannot be found. Nothing is said where the entry has the name
    of the skill's folder: then it is the skill that has to change, and `name-directory` says so.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "name": "pay-bill",
    "url": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md"
    === frontmatter of .well-known/agent-skills/pay-invoice/SKILL.md
    name: pay-invoice
    ```
    ```entry good
    "name": "pay-invoice",
    "url": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md"
    ```
    """
    names = _names(site)
    for index, entry, node, skill in _described(site, "name"):
        name = skill.value("name")
        if name is None or _misnamed(site, index, entry) is None:
            continue
        fix = None
        if _NAME.fullmatch(name) and len(name) <= 64 and name not in names[index.site_path]:
            fix = Fix(f"write {shown(name)}", (json_edits.replaced(index.source, node, name),), False)
        yield Problem(
            (index, node),
            f"the skill to which this entry leads is named {shown(name)}, not {shown(entry.name or '')}",
            fix,
            (Related(_place(skill, "name"), "the skill's own name"),),
        )


def _names(site: Site) -> dict[str, set[str | None]]:
    """The names that each index lists, by its path."""
    return {index.site_path: {entry.name for entry in index.entries} for index in site.indexes}


@rule(
    "index-description",
    "SKL806",
    on=Site,
    needs=("index-schema", "index-target"),
    fix="unsafe",
    asked_by={"discovery": should(_FORMAT), "advice": advice("note")},
)
def index_description(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index entry describes its skill in other words than the SKILL.md.

    Agents choose a skill by the description in the index and read that of the SKILL.md later. Two
    texts drift apart, and the one that is forgotten promises what the skill no longer does. Line
    breaks and runs of blanks make no difference.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "description": "Pays an open invoice."
    === frontmatter of .well-known/agent-skills/pay-invoice/SKILL.md
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ```
    ```entry good
    "description": "Pays an open invoice by card. Use when the user wants to pay, not for refunds."
    ```
    """
    names = _names(site)
    for index, entry, node, skill in _described(site, "description"):
        text = skill.value("description")
        mine, own = _folded(entry.description or ""), _folded(text or "")
        if not mine or text is None or mine == own or _is_astray(site, index, entry, names[index.site_path]):
            continue
        fix = None
        if 0 < len(own) <= 1024:
            fix = Fix("write the skill's own description", (json_edits.replaced(index.source, node, own),), False)
        yield Problem(
            (index, node),
            f"the description {_difference(mine, own)}",
            fix,
            (Related(_place(skill, "description"), "the skill's own description"),),
        )


def _difference(mine: str, own: str) -> str:
    if own.startswith(mine.rstrip(".… ")):
        return f"is only the beginning of the skill's own, which is {_count(len(own), 'character')} long"
    if mine.startswith(own.rstrip(". ")):
        return "says more than the skill's own"
    at = next((i for i, (a, b) in enumerate(zip(mine, own, strict=False)) if a != b), 0)
    at = mine.rfind(" ", 0, at) + 1
    if at < 20:
        return "differs from the skill's own"
    return f"differs from the skill's own at {shown(mine[at:], 30)}, where that has {shown(own[at:], 30)}"


# --- digests --------------------------------------------------------------------------------------


@rule(
    "index-digest",
    "SKL807",
    on=Site,
    needs=("index-schema", "index-digest-format", "index-target"),
    fix="safe",
    asked_by={"discovery": must(DISCOVERY + "#integrity-and-verification")},
)
def index_digest(site: Site, ask: Ask) -> Iterator[Problem]:
    """A digest in the index is not that of the file.

    Clients compare the SHA-256 of the bytes that they get with `digest` and refuse the skill when
    the two differ. Take the digest anew after every change, best as a step of the build.

    Where another form of the same text has the digest (other line ends, a byte order mark, a
    final line end more or less), the finding says which, and offers no fix: the next checkout
    would break it again. The usual cause is git, which converts line ends on Windows. A line
    `*.md -text` in .gitattributes keeps the bytes as they were committed; `*.md text eol=lf` gives
    everyone LF.

    There is no fix either where the digest is that of another listed file, or where the skill has
    another name than the entry: then it is the address that may be wrong. What is no skill at all
    has its finding from index-target, an entry that leads to the skill of another one from index-name.

    ```entry bad
    "url": "pay-invoice/SKILL.md",
    "digest": "sha256:ad5c9ae3f9b4ac1a1ac4f1b5f5cbb1c2a0f8a4e4d0b7cba9d4a2b2e4b1f0c3d5"
    ```
    ```entry good
    "url": "pay-invoice/SKILL.md",
    "digest": "sha256:[sha256 of .well-known/agent-skills/pay-invoice/SKILL.md]"
    ```
    """
    digests: dict[str, str | None] = {}
    stale = []
    for index in site.indexes:
        if index.discovery != "0.2":
            continue
        names = {entry.name for entry in index.entries}
        for entry in index.entries:
            node = entry.field("digest")
            given = _DIGEST.fullmatch(node.value) if node is not None and node.tag == "str" else None
            target = _target(site, index, entry) if given is not None else None
            if node is None or given is None or target is None or target.kind != "file":
                continue
            path = target.path
            if path not in digests:
                raw = _bytes(site, path)
                digests[path] = _sha256(raw) if raw is not None else None
            actual = digests[path]
            if actual is None or actual == given[1] or _unfit(site, index, entry, target) is not None:
                continue
            if (_bytes(site, path) or b"").startswith(LFS_POINTER):
                continue  # that it is one is told where it lies
            if not _is_astray(site, index, entry, names):
                stale.append((index, entry, node, path, given[1], actual))
    owners = {digest: path for path, digest in digests.items()}
    for index, entry, node, path, digest, actual in stale:
        yield _mismatch(site, index, entry, node, path, digest, actual, owners.get(digest))


def _bytes(site: Site, path: str) -> bytes | None:
    size = site.folder.size(path)
    return site.read(path, MAX_ARCHIVE) if size is not None else None


def _sha256(raw: bytes) -> str:
    import hashlib  # most runs take no digest

    return hashlib.sha256(raw).hexdigest()


def _mismatch(
    site: Site, index: Index, entry: Entry, node: Node, path: str, given: str, actual: str, owner: str | None
) -> Problem:
    """What is wrong with a digest; `owner` is another listed file that has it."""
    raw = _bytes(site, path) or b""
    form = _other_form(raw, given) if not _is_archive(entry, path) and len(raw) <= MAX_BYTES else None
    listed = _skill_of(site, index, entry)
    name = listed.value("name") if listed is not None else None
    message, fix, hint = f"the digest is not that of {shown(path)}, which is sha256:{actual}", None, None
    if form is not None:
        other, by_lines = form
        message = f"the digest is that of {shown(path)} {other}, not of the file as it is"
        hint = _line_ends_hint(site, path) if by_lines else "take the digest of the bytes that the site serves"
    elif owner is not None:
        message = f"the digest is that of {shown(owner)}, not of {shown(path)}"
        hint = "the digest or the url of this entry is that of another one"
    elif name is not None and name != entry.name:  # is it the right skill at all?
        hint = "make sure that the entry leads to the right skill"
    else:
        edit = json_edits.replaced(index.source, node, f"sha256:{actual}")
        fix = Fix("write the digest of the file", (edit,), True)
    skill = site.skill(path)
    related = (Related((skill, skill.anchor), "the file"),) if skill is not None else ()
    return Problem((index, node), message, fix, related, hint)


def _other_form(raw: bytes, digest: str) -> tuple[str, bool] | None:
    """The form of a text that has a digest, and whether its line ends make the difference."""
    bom = raw.startswith(BOM)
    bare = raw[len(BOM) :] if bom else raw
    unix = bare.replace(b"\r\n", b"\n")
    lines = {"": bare, "with LF line ends": unix, "with CRLF line ends": unix.replace(b"\n", b"\r\n")}
    for ends, text in lines.items():
        if ends and text == bare:
            continue
        newline = b"\r\n" if b"\r\n" in text else b"\n"
        stripped = text.rstrip(b"\r\n")
        finals = {"": text, "without its final line end": stripped, "with one final line end": stripped + newline}
        for final, whole in finals.items():
            if final and whole == text:
                continue
            for mark, form in {"": raw[: len(BOM) * bom] + whole, _mark(bom): whole if bom else BOM + whole}.items():
                words = [word for word in (ends, final, mark) if word]
                if words and _sha256(form) == digest:
                    return " and ".join(words), bool(ends)
    return None


def _mark(bom: bool) -> str:
    return "without its byte order mark" if bom else "with a byte order mark"


def _line_ends_hint(site: Site, path: str) -> str:
    """What keeps git from converting the line ends of a file, by the nearest .gitattributes."""
    found = (f"{above}.gitattributes" for above in _upwards(site) if site.folder.find(f"{above}.gitattributes"))
    nearest = next(found, None)
    text = (site.folder.read(nearest) or b"").decode("utf-8", "replace") if nearest is not None else ""
    if _keeps_line_ends(text, posixpath.basename(path)):
        return "git keeps the line ends now (.gitattributes): check the file out anew, then take the digest again"
    return (
        "git converts line ends: write '*.md -text' (or '*.md text eol=lf') into .gitattributes, "
        "then take the digest of what the site serves"
    )


def _upwards(site: Site) -> Iterator[str]:
    """What leads from the root to each folder around it, itself first, as far as the repository goes."""
    above = ""
    for _ in range(12):
        yield above
        if ".git" in site.folder.entries(above or ".") or posixpath.normpath(f"{site.folder.path}/{above}") == "/":
            return
        above += "../"


def _keeps_line_ends(text: str, name: str) -> bool:
    """Whether a .gitattributes fixes the line ends of a file; its last line for a file counts."""
    from fnmatch import fnmatchcase

    keeps = False
    for line in text.splitlines()[:1000]:
        pattern, *attributes = line.split() or [""]
        if pattern and not pattern.startswith("#") and fnmatchcase(name, pattern.rpartition("/")[2]):
            if "-text" in attributes or "binary" in attributes or "eol=lf" in attributes:
                keeps = True
            elif "text=auto" in attributes or "text" in attributes or "eol=crlf" in attributes:
                keeps = False
    return keeps


# --- what only DualNova's entries say -------------------------------------------------------------


@rule(
    "index-languages",
    "SKL810",
    on=Site,
    needs=("index-schema", "index-target"),
    fix="unsafe",
    asked_by={"advice": advice("warning")},
)
def index_languages(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index entry offers a skill in other languages than the SKILL.md.

    An agent that looks for a skill in the user's language goes by the index; what it then reads
    in the SKILL.md should say the same. Order and letter case make no difference, and a list
    that is on one side alone is no contradiction.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "languages": ["en", "es"]
    === frontmatter of .well-known/agent-skills/pay-invoice/SKILL.md
    languages: [en]
    ```
    ```entry good
    "languages": ["en"]
    ```
    """
    for index, _, node, skill in _described(site, "languages"):
        mine, own = _tags(node), _tags(skill.field("languages"))
        if not index.is_dualnova or not mine or not own or set(map(str.lower, mine)) == set(map(str.lower, own)):
            continue
        yield Problem(
            (index, _single(index, node)),
            f"the entry offers {', '.join(mine[:8])}, the skill {', '.join(own[:8])}",
            Fix("write the skill's own languages", (json_edits.rewritten(index.source, node, own),), False),
            (Related(_place(skill, "languages"), "the skill's own languages"),),
        )


def _tags(node: Node | None) -> list[str] | None:
    """The language tags of a list, None where it is none."""
    if node is None or node.kind != "list":
        return None
    if not all(item.kind == "scalar" and item.is_text and _TAG.fullmatch(item.value) for item in node.items):
        return None
    return [item.value for item in node.items]


@rule(
    "index-execution-url",
    "SKL811",
    on=Site,
    needs=("index-schema", "index-target", "url-malformed"),
    fix="unsafe",
    asked_by={"advice": advice("warning")},
)
def index_execution_url(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index entry sends users to another page than the SKILL.md.

    `execution_url` of the entry and `url` of the SKILL.md both name the page where a user carries
    the skill out. Where they differ, one of them is old, and users land on the wrong page.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "execution_url": "https://acme.example/old-checkout"
    === frontmatter of .well-known/agent-skills/pay-invoice/SKILL.md
    url: https://acme.example/checkout
    ```
    ```entry good
    "execution_url": "https://acme.example/checkout"
    ```
    """
    for index, entry, node, skill in _described(site, "execution_url"):
        mine, own = entry.text("execution_url"), skill.value("url")
        if not index.is_dualnova or mine is None or own is None or not is_absolute(own) or _page(mine) == _page(own):
            continue
        yield Problem(
            (index, node),
            f"the entry sends users to {shown(mine)}, the skill to {shown(own)}",
            Fix(f"write {shown(own)}", (json_edits.replaced(index.source, node, own),), False),
            (Related(_place(skill, "url"), "the skill's own page"),),
        )


def _host(url: str) -> str:
    """The host of an address without its port and `www.`, in ASCII, "" where there is none."""
    return host_of(url).removeprefix("www.")


def _page(url: str) -> tuple[str, ...]:
    """What tells one page from another: letter case of scheme and host and a final slash do not."""
    parts = parts_of(url.strip())
    return parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query, parts.fragment


# --- where an index stands ------------------------------------------------------------------------

_ROOTS = frozenset(
    {
        "public", "static", "dist", "build", "out", "output", "_site", "site", "www", "web", "htdocs", "html",
        "public_html", "wwwroot", "src", "assets", "app", "apps", "packages", "examples", "example", "test", "tests",
        "fixtures", "testdata", "templates", "template", "samples", "sites",
    }
)  # fmt: skip
"""Folders that are published as a root of their own, or hold such folders."""


@rule(
    "index-location",
    "SKL814",
    on=Project,
    needs=("index-schema",),
    asked_by={"discovery": must(_STRUCTURE), "dualnova": must(_LAYOUT)},
)
def index_location(project: Project, ask: Ask) -> Iterator[Problem]:
    """The index stands where no client looks for it.

    The address is fixed: clients ask the root of the host, or of the path that the site has to
    itself, for `/.well-known/agent-skills/index.json`. The older `/.well-known/skills/` is the
    place of the older format without `$schema`; that format may move to the new place as well.
    An index in a folder of a site that has an index itself, such as `docs/.well-known/`, is not
    found either; a folder that is a site root by custom, such as `public`, and a copy of the index
    above pass, as does a site on a host of its own and a copy at `/.well-known/skills/` for clients of old.

    An index that misses its place by a slip is looked for as well: in a folder such as
    `.well-known/agent_skills/`, as `.well-known/agent-skills.json`, or at the root of the site.

    ```tree bad
    === .well-known/skills/index.json
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": []
    }
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {
      "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      "skills": []
    }
    ```
    """
    places = [f"{folder}/index.json" for folder in WELL_KNOWN]
    for site in project.sites:
        for index in site.indexes:
            start = index.root.span.start if index.root is not None else 0
            brace = Span(start, start + 1)
            old = _is_old(index)
            if index.site_path not in (places if old else places[:1]):
                if not old and site.folder.find(places[0]) != "file" and _skills_in(site, WELL_KNOWN[0]):
                    continue  # index-missing says so
                if index.site_path == places[1] and any(
                    other.site_path == places[0] and other.raw == index.raw for other in site.indexes
                ):
                    continue  # a copy for clients of old
                yield Problem(
                    (index, brace),
                    f"clients look for this index at '/{places[old]}' alone, not at {shown('/' + index.site_path)}",
                    hint=f"move it to '{places[old]}'",
                )
            elif (outer := _enclosing(project, site)) is not None and _is_misplaced(site, outer, index):
                below = site.folder.path[len(outer.folder.path.rstrip("/")) + 1 :]
                related = tuple(Related((other, Span(0, 0)), "the index of the site") for other in outer.indexes[:1])
                yield Problem(
                    (index, brace),
                    f"clients look for '/.well-known/' at the root of a site alone, not in {shown('/' + below + '/')}",
                    None,
                    related,
                    "list its skills in the index at the root",
                )


def _enclosing(project: Project, site: Site) -> Site | None:
    """The innermost other site in whose tree a site lies."""
    around = [
        other
        for other in project.sites
        if other is not site and site.folder.path.startswith(f"{other.folder.path.rstrip('/')}/")
    ]
    return max(around, key=lambda other: len(other.folder.path), default=None)


def _is_misplaced(site: Site, outer: Site, index: Index) -> bool:
    """Whether a site inside of another one is no site of its own."""
    if not outer.indexes or any(other.raw == index.raw for other in outer.indexes):
        return False
    below = site.folder.path[len(outer.folder.path.rstrip("/")) + 1 :].lower().split("/")
    if not _ROOTS.isdisjoint(below):
        return False
    if site.origin.url is None:
        return True
    return outer.origin.url is not None and _host(site.origin.url) == _host(outer.origin.url)


@rule(
    "index-missing",
    "SKL822",
    on=Site,
    asked_by={"discovery": must(_STRUCTURE), "dualnova": must(_LAYOUT)},
)
def index_missing(site: Site, ask: Ask) -> Iterator[Problem]:
    """Skills lie in a well-known folder that has no index.json.

    Clients read `index.json` first and fetch what it lists. They cannot list a folder: without
    an index none of the skills in it is ever found. The same holds for a folder whose name is not
    quite right, such as `.well-known/agent_skills/`.

    Nothing is said where the index comes of the site's build or code: where a route handler
    answers for it, or a .gitignore names it and not the skills beside it. Skills in the older
    `.well-known/skills/` pass where an index elsewhere lists them, those with
    `metadata: {internal: true}` anywhere.

    ```tree bad
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```tree good
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    === entry of .well-known/agent-skills/index.json
    "url": "pay-invoice/SKILL.md"
    ```
    """
    indexes = {index.site_path for index in site.indexes}
    for folder in site.shelves:
        is_slip = folder not in WELL_KNOWN
        if f"{folder}/index.json" in indexes or (not is_slip and site.folder.find(f"{folder}/index.json") == "file"):
            continue
        skills = _skills_in(site, folder)
        if folder != WELL_KNOWN[0] and skills:
            names = {entry.name for _, entry in _listings(site)}
            skills = [
                (skill, path)
                for skill, path in skills
                if skill.location not in site.listed and skill.value("name") not in names
            ]
        if not skills or _is_made(site, folder, skills[0][1]):
            continue
        first = skills[0][0]
        alike = next((name for name in sorted(site.folder.entries(folder)) if name.lower() == "index.json"), None)
        others = tuple(Related((skill, skill.anchor), "so is this skill") for skill, _ in skills[1 : _MOST_RELATED + 1])
        elsewhere = tuple(
            Related((index, Span(0, 0)), "an index that clients do not look for here")
            for index in site.indexes[:1]
            if folder == WELL_KNOWN[0]
        )
        subject = "this skill is" if len(skills) == 1 else f"this and {_count(len(skills) - 1, 'more skill')} are"
        message = f"{subject} published without an index: there is no '{folder}/index.json'"
        hint = f"write '{folder}/index.json' with an entry for each skill"
        if is_slip:
            message = f"{subject} in {shown(folder)}, where no client looks, not in '{WELL_KNOWN[0]}'"
            hint = f"move what is there to '{WELL_KNOWN[0]}', with an index.json that has an entry for each skill"
        elif alike is not None:
            message += f", only {shown(alike)}"
            hint = "rename it: addresses are compared letter by letter"
        elif elsewhere and not _is_old(site.indexes[0]):
            hint = f"move {shown(site.indexes[0].site_path)} there"
        yield Problem((first, first.anchor), message, None, elsewhere + others, hint)


_ROUTES = ("app", "pages", "routes", "app/routes", "server/routes", "functions")
"""Folders in which frameworks look for the code that answers a request."""

_HANDLER = lazy(
    r"(?:index\.json(?:\.(?:get\.)?|/(?:route|\+server|index)\.)|\[+(?:\.\.\.)?\w+\]+(?:/route)?\.)(?:[cm]?[jt]s|[jt]sx)"
)


def _is_made(site: Site, folder: str, skill: str) -> bool:
    """Whether the index of a well-known folder is made by the build or by the code of the site.

    That is so where a route handler answers for it, or where a .gitignore names the index and not
    the skill beside it.
    """
    base = site.folder.path.rstrip("/")
    for above in _upwards(site):
        if any(_has_handler(site, posixpath.join(above, routes, folder)) for routes in _routes(site, above)):
            return True
        if site.folder.find(f"{above}.gitignore") == "file":
            lines = (site.folder.read(f"{above}.gitignore") or b"").decode("utf-8", "replace").splitlines()
            home = posixpath.normpath(f"{base}/{above}").rstrip("/")
            index_path, skill_path = (f"{base}/{path}"[len(home) + 1 :] for path in (f"{folder}/index.json", skill))
            ignored = Patterns(lines[:1000])
            if ignored.covering(index_path, False) and not ignored.covering(skill_path, False):
                return True
    return False


def _routes(site: Site, above: str) -> Iterator[str]:
    """The folders of routes of a folder, those of Next.js that group others in brackets included."""
    if not above:
        yield ""
    for source in ("", "src"):
        inside = site.folder.entries(posixpath.join(above, source) or ".")
        for routes in _ROUTES:
            if inside.get(routes.partition("/")[0]) != "folder":
                continue
            path = posixpath.join(source, routes)
            yield path
            if routes in ("app", "routes"):
                below = site.folder.entries(posixpath.join(above, path))
                yield from (f"{path}/{name}" for name, kind in below.items() if kind == "folder" and name[:1] == "(")


def _has_handler(site: Site, folder: str) -> bool:
    """Whether code in a folder answers a request for the index.json there."""
    if site.folder.find(folder) != "folder":
        return False
    for name, kind in site.folder.entries(folder).items():
        if kind == "folder" and name.startswith(("index.json", "[")):
            if any(_HANDLER.fullmatch(f"{name}/{inner}") for inner in site.folder.entries(f"{folder}/{name}")):
                return True
        elif kind == "file" and _HANDLER.fullmatch(name):
            return True
    return False


# --- the `files` of discovery 0.1 -----------------------------------------------------------------


@rule(
    "index-files",
    "SKL818",
    on=Site,
    needs=("index-schema", "index-url-escape", "index-files-path"),
    asked_by={"discovery": must(_FILES)},
)
def index_files(site: Site, ask: Ask) -> Iterator[Problem]:
    """The `files` of an index entry name what is not there, or leave SKILL.md out.

    In an index of discovery 0.1 `files` is all that clients know of a skill: they fetch each path
    from the skill's folder. A path that leads to nothing fails the download, and an entry without
    SKILL.md is no skill. Some clients drop the whole index when one entry is bad. Whole addresses
    are no paths; one finding tells of all that an index has.

    ```entry bad
    "files": ["SKILL.md", "references/fields.md"]
    ```
    ```entry good
    "files": ["SKILL.md"]
    ```
    """
    for index in site.indexes:
        addresses = []
        for entry in index.entries if index.discovery == "0.1" else ():
            if (address := _address(entry)) is not None:
                addresses.append(address)
            else:
                yield from _files_faults(site, index, entry)
        if addresses:
            more = f" (and in {_count(len(addresses) - 1, 'more entry')})" if len(addresses) > 1 else ""
            message = f"{shown(addresses[0].value)} is an address; 'files' has paths below the skill's folder{more}"
            yield Problem((index, addresses[0]), message, hint="publish the files beside the index, or use version 0.2")


def _files_faults(site: Site, index: Index, entry: Entry) -> Iterator[Problem]:
    node = entry.field("files")
    if node is None or node.kind != "list":
        return
    items = [item for item in node.items if item.kind == "scalar"]
    alike = None
    if not any(item.value == "SKILL.md" for item in items):
        alike = next((item for item in items if posixpath.basename(item.value).lower() == "skill.md"), None)
        if not node.items:
            said = "'files' is empty: it has to name SKILL.md at least"
            yield Problem((index, _single(index, node)), said, hint='write ["SKILL.md"]')
        elif alike is None:
            yield Problem((index, _single(index, node)), "'files' does not name SKILL.md", hint='put "SKILL.md" first')
        else:
            yield Problem((index, alike), f"'files' has {shown(alike.value)}, not 'SKILL.md'")
    folder = _folder_of(index, entry)
    if folder is None or site.folder.find(folder) != "folder":
        return  # index-target says so
    for item in items:
        path = item.value
        if item.tag == "str" and not path.strip():
            yield Problem((index, item), "a path in 'files' is empty", hint="take it out")
        if not item.is_text or item is alike or path == "SKILL.md":
            continue
        if any(site.folder.find(f"{folder}/{reading}") == "file" for reading in (path, unquote(path))):
            continue
        if site.folder.find(f"{folder}/{path}") == "folder":
            yield Problem((index, item), f"{shown(path)} is a folder: 'files' lists each file in it")
        elif path.endswith("/"):
            yield Problem((index, item), f"there is no {shown(path)} in {shown(folder)}, and 'files' lists no folders")
        else:
            near = similar(site.folder, f"{folder}/{path}") or ""
            meant = f"; did you mean {shown(near[len(folder) + 1 :])}?" if near.startswith(f"{folder}/") else ""
            yield Problem((index, item), f"there is no {shown(path)} in {shown(folder)}{meant}")


def _folder_of(index: Index, entry: Entry) -> str | None:
    """The folder of a skill in discovery 0.1, below the site's root; None where the name cannot be one."""
    name = entry.name
    if name is None or "/" in name or "\\" in name or name.strip(". ") == "":
        return None
    return posixpath.join(posixpath.dirname(index.site_path), name)


def _files_below(site: Site, folder: str) -> list[str]:
    """The files of a skill's folder as `files` lists them: SKILL.md first, what begins with a dot left out."""
    found: list[str] = []
    waiting = [""]
    entered = 0
    while waiting and len(found) < _MOST_FILES and entered < _MOST_FILES:
        below = waiting.pop()
        entered += 1
        for name, kind in sorted(site.folder.entries(posixpath.join(folder, below)).items()):
            if name.startswith((".", "__")) or name in NEVER_ENTERED or name == "Thumbs.db":
                continue
            path = posixpath.join(below, name)
            if kind == "folder" and path.count("/") < 20:
                waiting.append(path)
            elif kind == "file":
                found.append(path)
    return sorted(found, key=lambda path: (path != "SKILL.md", path))


_MANIFESTS = frozenset({"package.json", "pyproject.toml", "Cargo.toml", "go.mod"})
"""Files that mark the folder of a program, of which a skill needs a part at most."""


@rule(
    "index-files-unlisted",
    "SKL825",
    on=Site,
    needs=("index-schema", "index-files", "index-files-path"),
    fix="unsafe",
    asked_by={"discovery": must(_FILES, level="warning")},
)
def index_files_unlisted(site: Site, ask: Ask) -> Iterator[Problem]:
    """A skill has files that its index entry does not list.

    Clients of discovery 0.1 fetch the files that `files` names and no others: a reference or a
    script that is left out is missing when the skill needs it. Names that begin with a dot are
    not counted.

    ```tree bad
    === entry of .well-known/skills/index.json
    "files": ["SKILL.md"]
    === .well-known/skills/pay-invoice/SKILL.md
    [clean skill]
    === .well-known/skills/pay-invoice/references/fields.md
    # Fields
    ```
    ```tree good
    === entry of .well-known/skills/index.json
    "files": ["SKILL.md", "references/fields.md"]
    === .well-known/skills/pay-invoice/SKILL.md
    [clean skill]
    === .well-known/skills/pay-invoice/references/fields.md
    # Fields
    ```
    """
    for index in site.indexes:
        if index.discovery != "0.1":
            continue
        for entry in index.entries:
            node, folder = entry.field("files"), _folder_of(index, entry)
            if node is None or node.kind != "list" or folder is None or _address(entry) is not None:
                continue
            if next(_files_faults(site, index, entry), None):
                continue
            known = {reading for item in node.items for reading in (item.value, unquote(item.value))}
            missing = [path for path in _files_below(site, folder) if posixpath.normpath(path) not in known]
            if not missing:
                continue
            edit = json_edits.filled(index.source, node, missing, index.text.newline)
            is_package = not _MANIFESTS.isdisjoint(missing)  # the skill stands amid the program that it is about
            yield Problem(
                (index, _single(index, node)),
                f"'files' leaves out {several(missing, 40)}, which clients then do not fetch",
                None if is_package else Fix(f"add {_count(len(missing), 'file')}", (edit,), False),
                tuple(
                    Related(_place(skill, "name"), "the skill")
                    for skill in [site.skill(f"{folder}/SKILL.md")]
                    if skill is not None
                ),
                "list what the skill needs, or publish nothing else beside it" if is_package else None,
            )


# --- what surprises clients -----------------------------------------------------------------------


@rule(
    "index-foreign",
    "SKL819",
    on=Site,
    needs=("index-schema",),
    asked_by={"discovery": should(DISCOVERY + "#security-considerations", level="note")},
)
def index_foreign(site: Site, ask: Ask) -> Iterator[Problem]:
    """Every skill of the index is on another host than the site.

    A skill is trusted because of the host that it comes from, and clients may fetch from allowed
    hosts alone. An index that lists nothing of its own is also what a copied example looks like.
    Nothing is said while the site's own host is unknown: `--origin` tells it.

    ```tree bad
    === CNAME
    acme.example
    === entry of .well-known/agent-skills/index.json
    "url": "https://skills.example/pay-invoice/SKILL.md"
    ```
    ```entry good
    "url": "pay-invoice/SKILL.md"
    ```
    """
    for index in site.indexes:
        if not _is_foreign(site, index) or index.skills is None or index.skills.key is None:
            continue
        hosts, own = several(_host(entry.href) for entry in index.entries), shown(_host(site.origin.url or ""))
        count = len(index.entries)
        yield Problem(
            (index, index.skills.key.span),
            f"all {count} skills are on {hosts}, none on {own}"
            if count > 1
            else f"the only skill is on {hosts}, not on {own}",
            None,
            (Related((index, index.entries[0].where), "the first of them"),),
        )


def _is_foreign(site: Site, index: Index) -> bool:
    """Whether every entry leads to another host than the site's, which is known."""
    if site.origin.url is None or not index.entries:
        return False
    own = _host(site.origin.url)
    return all(
        _target(site, index, entry).kind != "refused" and _host(entry.href) not in ("", own) for entry in index.entries
    )


@rule(
    "index-url-unusual",
    "SKL821",
    on=Site,
    needs=("index-schema", "index-target", "index-url-form", "index-url-escape", "index-type"),
    asked_by={
        "discovery": may(DISCOVERY + "#url-resolution"),
        "dualnova": must(_LAYOUT, level="note"),
    },
)
def index_url_unusual(site: Site, ask: Ask) -> Iterator[Problem]:
    """An index entry has a url that some clients do not find.

    The usual address of a skill ends in `{name}/SKILL.md`, and there are clients that build it
    from the name and never read `url`. An archive usually bears the name of its skill. In a
    DualNova index skills also lie below `/.well-known/agent-skills/` and on the host of
    `provider_url`. Any other address is allowed: this is a note.

    ```entry bad
    "url": "/downloads/pay-invoice.md"
    ```
    ```entry good
    "url": "pay-invoice/SKILL.md"
    ```
    """
    for index in site.indexes:
        if _is_old(index) or (index.discovery and _is_foreign(site, index)):
            continue
        provider = index.root.get("provider_url") if index.root is not None else None
        home = _host(provider.value) if provider is not None and provider.tag == "str" else ""
        for entry in index.entries:
            known = index.is_dualnova or entry.text("type") in ("skill-md", "archive")
            if entry.name and _NAME.fullmatch(entry.name) and entry.href.strip() and known:
                if _misnamed(site, index, entry) is not None:
                    continue  # index-name says so
                reason = _unusual(site, index, entry, entry.name, home)
                if reason is not None:
                    yield Problem((index, entry.where), reason)


def _unusual(site: Site, index: Index, entry: Entry, name: str, home: str) -> str | None:
    """What is unusual about the url of an entry, None where nothing is."""
    target = _target(site, index, entry)
    if target.kind not in ("file", "elsewhere", "unknown"):
        return None
    path = f"/{target.path}" if target.kind == "file" else unquote(parts_of(target.url).path)
    if _is_archive(entry, path):
        if index.discovery and name not in path:
            return f"the path of this archive does not have its skill's name, {shown(name)}"
    elif not path.endswith(f"/{name}/SKILL.md"):
        return f"the url does not end in {shown(name + '/SKILL.md')}, which some clients build from the name"
    if home and "://" in entry.href and (host := _host(target.url)) != home:
        return f"the skill is on {shown(host)}, the provider on {shown(home)}"
    if index.is_dualnova and f"/{WELL_KNOWN[0]}/" not in path:
        return f"the skill is not below '/{WELL_KNOWN[0]}/', where DualNova's draft has all skills"
    return None


@rule(
    "index-type-resources",
    "SKL828",
    on=Site,
    needs=("index-schema", "index-target", "index-type"),
    asked_by={"discovery": should(DISCOVERY + "#archive-distribution", level="note")},
)
def index_type_resources(site: Site, ask: Ask) -> Iterator[Problem]:
    """A skill listed as a single file links to further files of its own.

    With `"type": "skill-md"` clients fetch SKILL.md and nothing else: the references and scripts
    to which it links do not come along. A skill with files of its own is published as an
    archive, with `"type": "archive"`.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "type": "skill-md",
    "url": "pay-invoice/SKILL.md"
    === body of .well-known/agent-skills/pay-invoice/SKILL.md
    # Pay an invoice

    Read what [the fields](references/fields.md) mean, then pay it.
    === .well-known/agent-skills/pay-invoice/references/fields.md
    # Fields
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
    for index in site.indexes:
        if index.discovery != "0.2":
            continue
        for entry in index.entries:
            node = entry.field("type")
            if node is None or node.value != "skill-md":
                continue
            skill = _skill_of(site, index, entry)
            own = _own_files(site, _target(site, index, entry).path, skill) if skill is not None else []
            if skill is None or not own:
                continue
            names = several((path for path, _ in own), 40)
            yield Problem(
                (index, node),
                f"clients fetch SKILL.md alone, which links to {names}",
                None,
                tuple(Related((skill, place), "a link to a file of its own") for _, place in own[:3]),
                'publish the skill as an archive, with "type": "archive"',
            )


def _own_files(site: Site, place: str, skill: Skill) -> list[tuple[str, Span]]:
    """The files beside a skill, which stands at a place below the root, to which it links; where the links stand."""
    above = posixpath.dirname(place)
    if not skill.readable or "](" not in skill.source or len(site.folder.entries(above)) < 2:
        return []
    found = []
    for target in targets(skill):
        kinds = {path: site.folder.find(posixpath.join(above, path)) for path in target.paths if not target.leaves}
        path = next((path for path, kind in kinds.items() if kind is not None), None)
        if path is not None and kinds[path] == "file" and posixpath.normpath(path) != skill.name:
            found.append((posixpath.normpath(path), target.link.target))
    skill.release()
    return found
