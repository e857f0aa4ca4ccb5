"""Skills among each other: names and descriptions twice, skills within skills, files that nothing names."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator

from agentskills_lint.documents import Document, Folder, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Related, Span
from agentskills_lint.rule import Ask, advice, must, rule
from agentskills_lint.site import Listing, Project, Site
from agentskills_lint.specs import WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import shown

_UNREAD = ("field-empty", "field-type")


# --- one name for two skills ----------------------------------------------------------------------

_SHELVES = frozenset({"skills", "agent-skills", ".agents", ".claude", "agents"})
_LOCALE = lazy(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
_NO_SHELVES = frozenset({"tests", "test", "fixtures", "__fixtures__", "testdata", "templates"})
"""Folders below which names are repeated on purpose."""


def _clashes(project: Project) -> Iterator[tuple[Skill, Skill, str]]:
    """Each skill whose name another one on its shelf has already, with that other one and where it stands."""
    if project.installed:
        for skill, first in _shadowed(project):
            yield skill, first, first.path
    else:
        for skill, first in _on_one_shelf(project):
            yield skill, first, _own_folder(first)


def _shadowed(project: Project) -> Iterator[tuple[Skill, Skill]]:
    """Each installed skill whose name one has that clients find before it: they search the folders in order."""
    firsts: dict[str, Skill] = {}
    order = [f"{root.rstrip('/')}/" for root in project.installed]
    found = [(root, skill) for skill in project.skills for root in order if skill.location.startswith(root)]
    for _, skill in sorted(found, key=lambda pair: (order.index(pair[0]), pair[1].location)):
        name = skill.value("name")
        if name is None or skill.outer is not None:
            continue
        first = firsts.setdefault(unicodedata.normalize("NFC", name.strip()), skill)
        if first is not skill and not _is_one_file(first, skill):
            yield skill, first


def _on_one_shelf(project: Project) -> Iterator[tuple[Skill, Skill]]:
    shelves: dict[tuple[str, str], list[Skill]] = {}
    for skill in project.skills:
        name = skill.value("name")
        if name is None or skill.folder is None or skill.via is not None or skill.outer is not None:
            continue
        if skill.name.lower() != "skill.md":
            continue
        shelf = posixpath.dirname(skill.folder.path)
        shelves.setdefault((shelf, unicodedata.normalize("NFC", name.strip())), []).append(skill)
    for (shelf, name), skills in shelves.items():
        if len(skills) < 2 or not _NO_SHELVES.isdisjoint(shelf[len(project.root) :].split("/")):
            continue
        folders = {skill.location: _own_folder(skill) for skill in skills}
        if posixpath.basename(shelf) not in _SHELVES and name not in folders.values():
            continue  # one skill made for several clients, or several projects: no folder of skills
        if all(_LOCALE.fullmatch(folder) for folder in folders.values()):
            continue  # one skill in several languages
        first, *others = sorted(skills, key=lambda skill: (folders[skill.location] != name, skill.location))
        for other in others:
            if folders[other.location] != folders[first.location] and not _is_one_file(first, other):
                yield other, first


def _is_one_file(one: Skill, other: Skill) -> bool:
    """Whether two paths lead to one file, by a link."""
    if one.raw != other.raw or one.folder is None or other.folder is None:
        return False
    return one.folder.real(one.name) == other.folder.real(other.name)


def _own_folder(skill: Skill) -> str:
    return posixpath.basename(posixpath.dirname(skill.location))


def _title(skill: Skill) -> str:
    return skill.value("name") or _own_folder(skill)


def _name(skill: Skill) -> tuple[Document, Node | Span]:
    return skill, skill.field("name") or skill.anchor


@rule(
    "name-duplicate",
    "SKL205",
    on=Project,
    needs=_UNREAD,
    asked_by={"wsp": must(WSP + "#required-fields"), "advice": advice("warning")},
)
def name_duplicate(project: Project, ask: Ask) -> Iterator[Problem]:
    """Two skills in one folder of skills have the same name.

    Clients keep skills by name. Of two they load one and drop the other, often without a word,
    and which one differs from client to client. Skills within skills, fixtures and the
    translations of one skill are not compared. With --installed the folders of all clients count as
    one: a name in a later one is shadowed.

    ```tree bad
    === skills/pay-invoice/SKILL.md
    [clean skill]
    === frontmatter of skills/refund-invoice/SKILL.md
    name: pay-invoice # agentskills-lint: ignore[name-directory]
    description: Pays an invoice back. Use when the user wants a refund, not for payments.
    ```
    ```tree good
    === skills/pay-invoice/SKILL.md
    [clean skill]
    === frontmatter of skills/refund-invoice/SKILL.md
    name: refund-invoice
    description: Pays an invoice back. Use when the user wants a refund, not for payments.
    ```
    """
    for skill, first, where in _clashes(project):
        if skill.raw != first.raw:
            yield Problem(
                _name(skill),
                f"the name {shown(skill.value('name') or '')} is that of the skill in {shown(where)}, too"
                + (", which clients find first: this one is shadowed" if project.installed else ""),
                related=(Related(_name(first), "the other skill"),),
                hint="keep one of them"
                if project.installed
                else "give each skill a name of its own, and its folder the same",
            )


@rule("skill-copy", "SKL208", on=Project, needs=_UNREAD, asked_by={"advice": advice("note")})
def skill_copy(project: Project, ask: Ask) -> Iterator[Problem]:
    """A skill lies twice in one folder of skills.

    Both copies have one name, so clients drop one of them. Nothing is lost as long as the copies
    are equal, byte by byte; the first change to one of them makes it a matter of luck which is used.

    ```tree bad
    === frontmatter of skills/pay-invoice/SKILL.md
    name: pay-invoice # agentskills-lint: ignore[name-directory]
    === frontmatter of skills/pay-invoice-old/SKILL.md
    name: pay-invoice # agentskills-lint: ignore[name-directory]
    ```
    ```tree good
    === frontmatter of skills/pay-invoice/SKILL.md
    name: pay-invoice
    ```
    """
    for skill, first, where in _clashes(project):
        if skill.raw == first.raw:
            yield Problem(
                _name(skill),
                f"the skill is a copy of that in {shown(where)}",
                related=(Related(_name(first), "the same skill"),),
                hint="keep one of them, or link one folder to the other",
            )


# --- one description for two skills ---------------------------------------------------------------


@rule("description-duplicate", "SKL307", on=Site, needs=_UNREAD, asked_by={"advice": advice("warning")})
def description_duplicate(site: Site, ask: Ask) -> Iterator[Problem]:
    """Two skills of one registry have the same description.

    The description is all that an agent knows when it chooses between the skills of a site. With
    two that are equal but for white space it can only guess, and then carry out the wrong one.

    ```tree bad
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an invoice.
    - [Refund an invoice](/skills/refund-invoice/SKILL.md): Pays an invoice back.
    === frontmatter of skills/pay-invoice/SKILL.md
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    === frontmatter of skills/refund-invoice/SKILL.md
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ```
    ```tree good
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an invoice.
    - [Refund an invoice](/skills/refund-invoice/SKILL.md): Pays an invoice back.
    === frontmatter of skills/pay-invoice/SKILL.md
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    === frontmatter of skills/refund-invoice/SKILL.md
    description: Pays an invoice back. Use when the user wants a refund, not for payments.
    ```
    """
    first: dict[tuple[str, str], tuple[str, Document, Node]] = {}
    told: set[tuple[str, Span]] = set()
    for listing in site.entries():
        found = _described(site, listing)
        if found is None:
            continue
        name, document, node = found
        other, where, place = first.setdefault((listing.registry.site_path, " ".join(node.value.split())), found)
        key = document.location, node.span
        if other == name or key in told or key == (where.location, place.span):
            continue
        told.add(key)
        yield Problem(
            (document, node),
            f"the description is the same as that of {shown(other)}",
            related=(Related((where, place), f"the description of {shown(other)}"),),
            hint="say what this skill does that the other does not, and when to use it",
        )


def _described(site: Site, listing: Listing) -> tuple[str, Document, Node] | None:
    """The name and description of a listed skill: those of its SKILL.md where it is in the tree."""
    skill = site.skill_of(listing)
    if skill is not None:
        document: Document = skill
        name, node = skill.value("name") or listing.entry.name, skill.field("description")
    else:
        document, name, node = listing.registry, listing.entry.name, listing.entry.field("description")
    return (name, document, node) if name and node is not None and node.is_text else None


# --- skills within skills -------------------------------------------------------------------------


@rule("skill-nested", "SKL714", on=Skill, asked_by={"advice": advice("note")})
def skill_nested(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A skill lies in the folder of another skill.

    Clients that look for skills stop at a folder with a SKILL.md: what lies below belongs to that
    skill. As a document to which the outer skill sends the agent it is read all the same, so
    nothing is asked of its name and folder. A skill at the root of a repository or site, or above
    a folder of skills, has no claim on those below it, and what a registry lists stands for itself.

    ```tree bad
    === frontmatter of pay-invoice/refunds/SKILL.md
    description: Pays an invoice back. Use when the user wants a refund, not for payments.
    === pay-invoice/SKILL.md
    [clean skill]
    ```
    ```tree good
    === body of pay-invoice/SKILL.md
    # Pay an invoice

    For refunds see [their steps](references/refunds.md).
    === pay-invoice/references/refunds.md
    # Refunds
    ```
    """
    outer = skill.outer
    if outer is not None:
        yield Problem(
            skill.field("name") or skill.anchor,
            f"this skill lies in the folder of the skill {shown(_title(outer))}, where clients do not look for others",
            related=(Related(_name(outer), "the skill around it"),),
            hint="move its folder beside the other one, or rename the file if it is a document of that skill",
        )


# --- files that nothing names ---------------------------------------------------------------------

_FOLDERS = ("scripts", "references", "assets")
_QUIET_FOLDERS = frozenset(
    {"tests", "test", "__tests__", "fixtures", "__fixtures__", "testdata", "evals", "node_modules", "__pycache__"}
)
_QUIET = lazy(
    r"[._].*|(?:licen[cs]e|notice|copying|readme|changelog|makefile|dockerfile|third[-_]?party)[^/]*|"
    r"[^/]*(?:legal|trademark|copyright|attribution|disclaimer)[^/]*|"
    r"(?:package|package-lock|tsconfig|jsconfig|composer)\.json|requirements[^/]*\.txt|pyproject\.toml|"
    r"setup\.(?:py|cfg)|go\.(?:mod|sum)|cargo\.toml|[^/]*\.lock|pnpm-lock\.yaml|conftest\.py|test[-_.][^/]*|"
    r"[^/]*[-_.](?:tests?|spec)\.[^/.]+|[^/]*\.(?:pyc|map)"
)
"""Names of files that are there for people and tools: nobody has to mention them (lower case)."""
_TEXT = frozenset(
    {
        "md", "mdx", "markdown", "txt", "rst", "adoc", "html", "htm", "xml", "svg", "css", "json", "jsonc", "yaml",
        "yml", "toml", "ini", "cfg", "conf", "csv", "tsv", "py", "pyi", "ipynb", "sh", "bash", "zsh", "fish", "ps1",
        "bat", "cmd", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "vue", "svelte", "rb", "pl", "php", "lua",
        "go", "rs", "java", "kt", "swift", "c", "h", "cc", "cpp", "hpp", "cs", "r", "jl", "sql", "tf", "hcl", "j2",
        "tmpl", "tpl", "template",
    }
)  # fmt: skip
"""Endings of files that may mention others."""
_AS_A_WHOLE = (
    r"(?<![\w-]){}(?:/(?![\w@+-]|\.\w)|/?[`'\"*_)]{{0,3}}\s{{0,2}}(?:sub)?"
    r"(?:folder|director|dir\b|ordner|verzeichnis|carpeta|dossier|目录|文件夹|フォルダ|ディレクトリ|폴더|папк))"
)
"""How a folder is named as a whole: `references/`, `references/*.md`, the references folder."""
_FIRST_WORD = lazy(r"[a-z0-9]+[-_]", re.A)
_MOST_FILES = 300
_MOST_READ = 60
_MOST_BYTES = 1_000_000
_MOST_TRIES = 200
_LARGEST_READ = 200_000
"""How much is read of files that are mentioned; where that is not enough, nothing is said."""


@rule(
    "file-unreferenced",
    "SKL712",
    on=Skill,
    needs=("frontmatter-unclosed", "body-empty", "link-broken", "path-missing"),
    asked_by={"advice": advice("note")},
)
def file_unreferenced(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A script, reference or asset that nothing mentions.

    Agents read the body and what it sends them to. A file in `scripts/`, `references/` or
    `assets/` that is named nowhere is never opened: it was forgotten in the body, or it is left
    over. A name without its ending is enough, and so are a folder that is named as a whole and a
    file that is mentioned by another one. Licences, tests and hidden files need no mention. Of a
    skill at the root of a repository or site nothing is said: other things have files there.

    ```tree bad
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ---

    # Pay an invoice

    Ask for its number, then pay it by card.
    === pay-invoice/references/currencies.md
    # Currencies
    ```
    ```tree good
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ---

    # Pay an invoice

    Ask for its number, then pay it by card, in one of [these currencies](references/currencies.md).
    === pay-invoice/references/currencies.md
    # Currencies
    ```
    """
    folder = skill.folder
    if folder is None or skill.outer is not None or skill.name != "SKILL.md":
        return
    if folder.is_repository or (skill.site is not None and skill.site.path == folder.path):
        return  # other things than the skill have files there
    entries = folder.entries()
    below = [name for name in _FOLDERS if entries.get(name) == "folder"]
    if not below:
        return
    files = [path for name in below for path in _files(folder, name)]
    if len(files) > _MOST_FILES:
        return
    unnamed = _unnamed(folder, skill, [path for path in files if not _is_quiet(path)])
    if not unnamed:
        return
    shortened = unnamed if len(unnamed) < 4 else unnamed[:2]
    names = [shown(path) for path in shortened] + ([f"{len(unnamed) - 2} more"] if len(unnamed) > 3 else [])
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    is_one = len(unnamed) == 1
    count = "" if is_one else f"{len(unnamed)} files: "
    hint = f"say in the body when to use {'it' if is_one else 'them'}, or take {'it' if is_one else 'them'} out"
    yield Problem(skill.anchor, f"nothing mentions {count}{listed}", hint=hint)


def _files(folder: Folder, path: str) -> Iterator[str]:
    """The files below a folder of the skill, other skills and what is no one's own work aside."""
    waiting = [path]
    entered: set[str] = set()
    count = 0
    while waiting and count <= _MOST_FILES:
        at = waiting.pop()
        entries = folder.entries(at)
        real = folder.real(at)
        if "SKILL.md" in entries or real in entered:
            continue
        entered.add(real)
        for name, kind in sorted(entries.items()):
            if kind == "folder" and name not in _QUIET_FOLDERS and name[:1] != ".":
                waiting.append(f"{at}/{name}")
            elif kind == "file":
                count += 1
                yield f"{at}/{name}"


def _is_quiet(path: str) -> bool:
    return _QUIET.fullmatch(posixpath.basename(path).lower()) is not None


def _unnamed(folder: Folder, skill: Skill, files: list[str]) -> list[str]:
    """The files that neither the skill mentions nor a file that is mentioned; none where too much is to be read."""
    left = [path for path in files if posixpath.basename(path) not in skill.source]
    left = _left(left, skill.lower) if left else []
    if not left:
        return []
    waiting = _without(files, left) + list(_around(folder))
    read = size = 0
    while waiting and left:
        path = waiting.pop()
        _, dot, ending = posixpath.basename(path).rpartition(".")
        if dot and ending.lower() not in _TEXT:
            continue
        raw = folder.read(path)
        if not raw or len(raw) > _LARGEST_READ:
            continue
        read += 1
        size += len(raw)
        if read > _MOST_READ or size > _MOST_BYTES:
            return []
        still = _left(left, raw.decode("utf-8", "replace").lower())
        waiting += _without(left, still)
        left = still
    return left


def _without(paths: list[str], others: list[str]) -> list[str]:
    left = set(others)
    return [path for path in paths if path not in left]


def _around(folder: Folder) -> Iterator[str]:
    """The other files of a skill, two levels deep, which may mention some."""
    for name, kind in folder.entries().items():
        if kind == "file" and name != "SKILL.md":
            yield name
        elif kind == "folder" and name not in _FOLDERS and name not in _QUIET_FOLDERS and name[:1] != ".":
            yield from (f"{name}/{inner}" for inner, other in folder.entries(name).items() if other == "file")


def _left(files: list[str], lower: str) -> list[str]:
    """The files that a text in small letters does not mention, by name, without their ending, or with their folder."""
    left = [path for path in files if posixpath.basename(path).lower() not in lower]
    if not left:
        return []
    words = _spaced(lower)
    left = [
        path
        for path in left
        if not _has_words(words, posixpath.basename(path).lower())
        and not _has_prefix(lower, posixpath.basename(path).lower())
    ]
    folders: dict[str, bool] = {}
    return [path for path in left if not _is_named_as_a_whole(lower, posixpath.dirname(path), folders)]


def _spaced(text: str) -> str:
    """A text with a blank for what joins the words of file names."""
    return text.replace("_", " ").replace("-", " ").replace("\n", " ")


def _has_words(words: str, name: str) -> bool:
    """Whether a text speaks of a file without the ending of its name."""
    stem = _spaced(name.split(".", 1)[0]).strip()
    at = -1
    for _ in range(_MOST_TRIES):
        at = words.find(stem, at + 1) if stem else -1
        if at < 0:
            return False
        end = at + len(stem)
        if not words[max(at - 1, 0) : at].isalnum() and not words[end : end + 1].isalnum():
            return True
    return True


def _has_prefix(lower: str, name: str) -> bool:
    """Whether a text names a group of files by the first word of their names, as in `api-` or `api-*.md`."""
    prefix = _FIRST_WORD.match(name)
    return prefix is not None and any(f"{prefix[0]}{mark}" in lower for mark in "`*<{[")


def _is_named_as_a_whole(lower: str, folder: str, known: dict[str, bool]) -> bool:
    """Whether a text names a folder, or one around it, as a whole."""
    if folder not in known:
        name = posixpath.basename(folder).lower()
        found = name in lower and re.search(_AS_A_WHOLE.format(re.escape(name)), lower) is not None
        above = posixpath.dirname(folder)
        known[folder] = found or (above != "" and _is_named_as_a_whole(lower, above, known))
    return known[folder]
