"""Where a skill points: links and images, anchors, files named in code, paths of one machine."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.documents import Folder, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import Link, Markdown, Target, readings, unquoted
from agentskills_lint.model import Edit, Fix, Problem, Span
from agentskills_lint.rule import Ask, advice, may, rule, should
from agentskills_lint.rules.body_sections import stray_fence
from agentskills_lint.specs import AGENTSKILLS, WSP
from agentskills_lint.text import Text
from agentskills_lint.wording import closest, shown

_REFERENCES = AGENTSKILLS + "#file-references"
_AUXILIARY = WSP + "#44-auxiliary-files"

_SPLIT = ("frontmatter-missing", "frontmatter-unclosed")


# --- what links name ------------------------------------------------------------------------------

_SCHEME = lazy(r"[A-Za-z][A-Za-z0-9+.-]+:", re.A)
_DRIVE = lazy(r"[A-Za-z]:[\\/]", re.A)
_MARKDOWN_FILES = (".md", ".markdown", ".mdx")
_SUBSCRIPT = lazy(r"[\w.,:*+ -]*", re.A)

_TEMPLATE = lazy(
    r"[{}<>$*|]|\.\.\.|…|%7[BD]|%s\b|(?<![A-Za-z])(?:X{2,}|N{2,}|YYYY)(?![A-Za-z])|"
    r"(?:^|/)(?:path/to|(?:your|my|some)[-_]|(?:xxx|foo|bar|baz)\b)",
    re.A,
)
_PLACEHOLDERS = frozenset(
    {
        "url", "uri", "link", "href", "path", "file", "filename", "filepath", "src", "source", "target", "image", "img",
        "address", "anchor", "placeholder", "website", "page", "permalink", "string", "text", "todo", "tbd", "x", "y",
        "http", "https", "example", "relative-path", "relative/path", "image-url", "image_url", "link-url", "link_url",
        "file_path", "file-path",
    }
)  # fmt: skip
_NEAR_SCHEME = lazy(r"(?P<scheme>[a-z]{3,7})(?P<mark>:/{0,3}|//)(?=[a-z0-9-]+\.[a-z0-9])", re.A | re.I)
_BARE_HOST = lazy(r"(?:www\.[a-z0-9-]+\.|(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|app)/)", re.A | re.I)
_BLANK_TO_FILL = lazy(r"\[[A-Z][A-Za-z0-9 ,.'/&-]{2,}\](?![(\[:])", re.A)


_LONGEST_LINE = 2000
"""Characters of a line in which blanks to fill in are looked for: longer ones are no prose."""
_MOST_GUESSES = 200
"""Names for which a near miss is looked for, in one file."""
_MOST_STEPS = 1000
_A_FEW = 3
"""Links with one cause that are reported one by one; more are one finding."""


def _found(target: Target, folder: Folder) -> str | None:
    """The reading that names something below or beside a folder."""
    return next((path for path in target.paths if folder.find(path) is not None), None)


def _missing_folder(folder: Folder, path: str) -> str | None:
    """The first folder on the way to a path that is not there, None where the last step alone fails."""
    parts = path.split("/")
    ways = ("/".join(parts[:count]) for count in range(1, len(parts)) if parts[count - 1] != "..")
    return next((way for way in ways if folder.find(way) != "folder"), None)


class _Nowhere(NamedTuple):
    """A link that leads to nothing, with the missing folder that is to blame, if any."""

    folder: str | None
    problem: Problem


def _folded(found: list[_Nowhere]) -> Iterator[Problem]:
    """One problem for all links into one missing folder, where there are more than a few."""
    counts = Counter(nowhere.folder for nowhere in found)
    told: set[str] = set()
    for folder, problem in found:
        if folder is None or counts[folder] <= _A_FEW:
            yield problem
        elif folder not in told:
            told.add(folder)
            message = f"{counts[folder]} links lead to nothing: there is no folder {shown(folder)}"
            yield Problem(problem.where, message, hint=problem.hint or "add the folder, or take the links out")


def targets(skill: Skill) -> Iterator[Target]:
    """The relative links and images of the body."""
    return (target for target in skill.markdown.targets if target is not None)


def _is_template(skill: Skill, target: Target) -> bool:
    """Whether a destination that names nothing was never meant to: a placeholder, prose that looks like a link."""
    link, written = target.link, target.written
    if _TEMPLATE.search(written) or written.lower() in _PLACEHOLDERS:
        return True
    before = skill.source[max(link.span.start - 1, 0) : link.span.start]
    if "." not in written and (_is_word(before) or (_SUBSCRIPT.fullmatch(link.text) and not link.text[:1].isalpha())):
        return True  # names[0](x), [0, 2](a/b)
    start, end = skill.text.line_bounds(link.span.start)
    if end - start > _LONGEST_LINE:
        return False
    blanks = [found.start() for found in _BLANK_TO_FILL.finditer(skill.source, start, end)]
    links = skill.markdown.links if blanks else []
    return any(not any(other.span.start <= blank < other.span.end for other in links) for blank in blanks)


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _stray_start(skill: Skill) -> int:
    """From where on code may be read as text, so that a link there may be none."""
    stray = stray_fence(skill)
    return len(skill.source) if stray is None else stray.where.start


# --- links that lead nowhere ----------------------------------------------------------------------


@rule(
    "link-broken",
    "SKL706",
    on=Skill,
    needs=_SPLIT,
    fix="unsafe",
    asked_by={"agentskills": should(_REFERENCES), "wsp": should(_AUXILIARY)},
)
def link_broken(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A relative link or image leads to nothing.

    Agents open the files that the body links to, and give up or guess where there is none.
    Names are compared letter by letter, as on a web server: `GUIDE.md` is not `guide.md`. A
    folder counts as something, and so does a file whose name has to be decoded. Destinations
    such as `{file}`, `path/to/file` and `url` are placeholders. A link that begins with `/` is
    checked where the root of the published site is known and it names a file; elsewhere it is told where
    the skill itself has that file. So are web addresses whose `https://` is missing or misspelt.

    ```tree bad
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    ---

    # Pay an invoice

    What the fields mean: [the guide](references/guid.md).
    === pay-invoice/references/guide.md
    # Fields
    ```
    ```tree good
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    ---

    # Pay an invoice

    What the fields mean: [the guide](references/guide.md).
    === pay-invoice/references/guide.md
    # Fields
    ```
    """
    folder = skill.folder
    if folder is None:
        return
    seen: set[Span] = set()
    guesses: dict[str, str | None] = {}
    nowhere: list[_Nowhere] = []
    strayed = -1
    for link, named in zip(skill.markdown.links, skill.markdown.targets, strict=True):
        target = named
        if target is None:
            if (target := _below_root(link)) is None:
                if (address := _meant_address(link.href)) is not None and link.span.start < _stray_start(skill):
                    yield _no_address(skill, link, address)
                continue
            if skill.site is None:
                if _found(target, folder) is not None and link.target not in seen:
                    seen.add(link.target)
                    yield _rooted(target)
                continue
            folder = skill.site
        else:
            folder = skill.folder or folder
        if target.leaves or _found(target, folder) is not None or link.target in seen or _is_template(skill, target):
            continue
        if strayed < 0:
            strayed = _stray_start(skill)
        if link.span.start >= strayed:
            break
        seen.add(link.target)
        problem = _broken(skill, target, folder, guesses)
        nowhere.append(
            _Nowhere(_missing_folder(folder, target.path) if guesses[target.path] is None else None, problem)
        )
    yield from _folded(nowhere)


def _below_root(link: Link) -> Target | None:
    """The file below a site's root that a link such as `/skills/order/SKILL.md` names; routes pass."""
    href = link.href
    if not href.startswith("/") or href.startswith("//"):
        return None
    written = href.partition("#")[0].partition("?")[0]
    name = posixpath.basename(written)
    if "." not in name.strip(".") or _is_home(href):  # path-absolute speaks of homes
        return None
    return Target(link, written, tuple(path.lstrip("/") for path in readings(written, href)), href.partition("#")[2])


def _rooted(target: Target) -> Problem:
    """A link from a root to a file of the skill, which no published site holds."""
    link, path = target.link, target.path
    fix = None
    if link.target != link.span:
        fix = Fix("take the '/' off", (Edit(link.target.start, link.target.start + 1, ""),), False)
    message = f"the link begins at a root, which an installed skill does not have; the file is {shown(path)}"
    return Problem(link.target, message, fix, hint=None if fix is not None else f"link to {path}")


def _meant_address(href: str) -> str | None:
    """The web address that a destination with a broken scheme, or with none, was meant to be."""
    found = _NEAR_SCHEME.match(href)
    if found is None:
        return f"https://{href}" if _BARE_HOST.match(href) else None
    scheme, mark = found["scheme"].lower(), found["mark"]
    if scheme in ("http", "https"):
        return None if mark == "://" else f"{scheme}://{href[found.end() :]}"
    near = closest(scheme, ("https", "http"), 0.7) if mark == "://" else None
    return None if near is None else f"{near}://{href[found.end() :]}"


def _no_address(skill: Skill, link: Link, address: str) -> Problem:
    what = "image" if link.image else "link"
    fix = None
    if skill.source[slice(*link.target)] == link.href:
        fix = Fix(f"link to {address}", (Edit(*link.target, address),), False)
    message = f"the {what} leads to nothing: {shown(link.href)} is no web address; did you mean {shown(address)}?"
    return Problem(link.target, message, fix, hint=None if fix is not None else f"link to {address}")


def _broken(skill: Skill, target: Target, folder: Folder, guesses: dict[str, str | None]) -> Problem:
    link = target.link
    what = "image" if link.image else "link"
    if target.path not in guesses:
        guesses[target.path] = similar(folder, target.path) if len(guesses) < _MOST_GUESSES else None
    near = guesses[target.path]
    if near is None and (address := _meant_address(link.href)) is not None:
        return _no_address(skill, link, address)
    if near is None:
        return Problem(link.target, f"the {what} leads to nothing: there is no {shown(target.paths[0])}")
    written = skill.source[link.target.start : link.target.end]
    rooted = "/" if written.startswith("/") else "./" if written.startswith("./") else ""
    end = min((at for mark in "?#" if (at := written.find(mark)) >= 0), default=len(written))
    spaced = skill.source[max(link.target.start - 1, 0) : link.target.start] != "<"
    new = rooted + re.sub(r"[ ()<>%?#]" if spaced else r"[<>%?#]", lambda match: f"%{ord(match[0]):02X}", near)
    fix = None
    if link.target != link.span and not near.startswith("../"):  # what lies there is not installed with the skill
        fix = Fix(f"link to {near}", (Edit(link.target.start, link.target.start + end, new),), False)
    message = f"the {what} leads to nothing: there is no {shown(target.paths[0])}; did you mean {shown(near)}?"
    hint = None if fix is not None else f"link to {near}"
    return Problem(link.target, message, fix, hint=hint)


_SUBFOLDERS = ("references", "reference", "scripts", "assets", "docs", "examples", "templates", "resources")


_COMMON_NAMES = frozenset({"skill.md", "readme.md", "index.md", "changelog.md", "license.md", "package.json"})


def similar(folder: Folder, path: str) -> str | None:
    """What a path that names nothing was meant to name: a near miss, or the same name in another folder."""
    near = _near(folder, "", path.split("/"))
    if near is not None:
        return near
    name = posixpath.basename(path)
    if "." not in name:
        return None
    moved = [posixpath.join(below, path) for below in _SUBFOLDERS]
    if name.lower() not in _COMMON_NAMES:
        moved += [posixpath.join(below, name) for below in ("", *_SUBFOLDERS)]
    found = next((candidate for candidate in moved if folder.find(candidate) == "file"), None)
    return found or next((above + path for above in _above(folder) if folder.find(above + path) == "file"), None)


def _above(folder: Folder) -> Iterator[str]:
    """The folders above, as relative paths, up to the root of the repository."""
    above = "../"
    while len(above) < 30 and posixpath.normpath(posixpath.join(folder.path, above)) != "/":
        yield above
        if ".git" in folder.entries(above):
            return
        above += "../"


def _near(folder: Folder, base: str, parts: list[str]) -> str | None:
    part, *rest = parts
    entries = folder.entries(base)
    if part in entries and rest:
        return _near(folder, posixpath.join(base, part), rest) if entries[part] == "folder" else None
    kind = "folder" if rest else "file"
    names = [name for name, other in entries.items() if other == kind and name != part]
    for name in _alike(part, names):
        path = posixpath.join(base, name)
        if not rest:
            return path
        if folder.find(posixpath.join(path, *rest)) is not None:
            return posixpath.join(path, *rest)
    return None


def _alike(word: str, names: list[str]) -> Iterator[str]:
    lower = word.casefold()
    yield from (name for name in names if name.casefold() == lower)
    yield from (name for name in names if posixpath.splitext(name)[0].casefold() == lower)
    near = closest(lower, [name.casefold() for name in names], 0.8)
    yield from (name for name in names if name.casefold() == near)


@rule("link-outside", "SKL708", on=Skill, needs=_SPLIT, asked_by={"agentskills": should(_REFERENCES)})
def link_outside(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A link leads out of the skill to nothing, or names a place on one machine.

    A skill is copied, zipped and published as one folder, and paths in it start there. What a
    `file:` address, a drive letter or `\\\\` name exists on one machine at best. A link to a file
    that does exist beside the skill is told apart, by `link-sibling`.

    ```markdown bad
    # Pay an invoice

    The terms are in [another folder](../../terms/payment.md).
    ```
    ```markdown bad
    # Pay an invoice

    The terms are in [a file](file:///srv/terms/payment.md).
    ```
    ```markdown good
    # Pay an invoice

    The terms are [published](https://acme.example/terms).
    ```
    """
    strayed = -1
    nowhere: list[_Nowhere] = []
    bounds = _Bounds(skill.folder)
    for link, target in zip(skill.markdown.links, skill.markdown.targets, strict=True):
        found = _outside(skill, link, target, bounds)
        if found is None:
            continue
        if strayed < 0:
            strayed = _stray_start(skill)
        if link.span.start < strayed:
            nowhere.append(found)
    yield from _folded(nowhere)


def _outside(skill: Skill, link: Link, target: Target | None, bounds: _Bounds) -> _Nowhere | None:
    href = link.href
    if link.kind != "email" and ("\\" in href or ":" in href):
        relative = "link to a file of the skill, by its path from the skill's folder"
        if href[:5].lower() == "file:":
            return _Nowhere(None, Problem(link.target, f"{shown(href)} is a file on one machine", hint=relative))
        if _DRIVE.match(href):
            return _Nowhere(None, Problem(link.target, f"{shown(href)} is a path on one machine", hint=relative))
        if "\\" in href and not _SCHEME.match(href) and not _TEMPLATE.search(href):
            message = f"the link {shown(href)} has a backslash, which separates no folders"
            return _Nowhere(None, Problem(link.target, message, hint=f"write {shown(href.replace(chr(92), '/'))}"))
    if target is None or not target.leaves or skill.folder is None:
        return None
    there = _found(target, skill.folder)
    if (there is not None and bounds.hold(there)) or _is_template(skill, target):
        return None
    if skill.site is not None and "." not in posixpath.basename(target.path):
        return None
    hint = "copy what the skill needs into its folder, or link to where it is published"
    if there is not None:
        message = f"the link leaves the repository: {shown(target.paths[0])} is a file on one machine"
        return _Nowhere(None, Problem(link.target, message, hint=hint))
    message = f"the link leaves the skill and leads to nothing: there is no {shown(target.paths[0])}"
    return _Nowhere(_missing_folder(skill.folder, target.path), Problem(link.target, message, hint=hint))


class _Bounds:
    """How far paths from a folder may climb: to the root of its repository, where it has one."""

    __slots__ = ("_folder", "_steps")

    def __init__(self, folder: Folder | None) -> None:
        self._folder = folder
        self._steps = -1

    def hold(self, path: str) -> bool:
        """Whether a relative path stays inside."""
        if self._folder is not None and self._steps < 0:
            self._steps = self._steps_to_root(self._folder)
        return posixpath.normpath(path).split("/").count("..") <= self._steps

    def _steps_to_root(self, folder: Folder) -> int:
        if folder.is_repository:
            return 0
        steps = enumerate(_above(folder), 1)
        return next((count for count, above in steps if ".git" in folder.entries(above)), _MOST_STEPS)


@rule(
    "link-sibling",
    "SKL717",
    on=Skill,
    needs=_SPLIT,
    asked_by={"agentskills": should(_REFERENCES, level="note"), "wsp": should(_AUXILIARY, level="note")},
)
def link_sibling(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A link leads to a file beside the skill that is not part of it.

    In the repository it works. Whoever installs the one skill, or fetches it from a site, gets
    its folder and nothing around it, and the agent finds nothing behind the link. Another skill
    is better named than linked: agents look skills up by name. Skills that a project keeps for
    itself, in `.claude/` or the like, may link to what is around them.

    ```tree bad
    === skills/pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    ---

    # Pay an invoice

    What the fields mean: [the guide](../shared/guide.md).
    === skills/shared/guide.md
    # Fields
    ```
    ```tree good
    === skills/pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    ---

    # Pay an invoice

    What the fields mean: [the guide](references/guide.md).
    === skills/pay-invoice/references/guide.md
    # Fields
    ```
    """
    folder = skill.folder
    if folder is None or _is_at_home(folder):
        return
    shipped = _shipped(skill)
    bounds = _Bounds(folder)
    found: dict[str, Link] = {}
    for target in targets(skill):
        if not target.leaves or (there := _found(target, folder)) is None or not bounds.hold(there):
            continue
        where = posixpath.normpath(posixpath.join(folder.path, there))
        if where != shipped and not where.startswith(f"{shipped}/"):
            found.setdefault(target.path, target.link)
    if len(found) > _A_FEW:
        first, second, *more = found
        yield Problem(
            found[first].target,
            f"{len(found)} links lead out of the skill: to {shown(first)}, {shown(second)} and {len(more)} more, "
            "which are not installed with it",
            hint="copy what the skill needs into its folder, link to where it is published, or name the other skill",
        )
        return
    for path, link in found.items():
        yield Problem(
            link.target,
            f"the link leads out of the skill: {shown(path)} is not installed with it",
            hint="name the other skill instead of linking to its file"
            if posixpath.basename(path) in ("SKILL.md", "")
            else "copy what the skill needs into its folder, or link to where it is published",
        )


def _is_at_home(folder: Folder) -> bool:
    """Whether a skill stands in the folder of a client, such as .claude: it is used where it stands."""
    return any(part[:1] == "." and part != ".well-known" for part in folder.path.split("/")[-5:-1])


def _shipped(skill: Skill) -> str:
    """The folder with which a document of a skill is installed: that of the outermost skill around it."""
    while skill.outer is not None:
        skill = skill.outer
    return skill.folder.path.rstrip("/") if skill.folder is not None else ""


# --- anchors --------------------------------------------------------------------------------------

_NO_SLUG = lazy(r"[^\w\- ]")
_ID = lazy(r"\b(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)", re.I)
_HEADING_ID = lazy(r"\{#([^\s}]+)\}")
_LINE_ANCHOR = lazy(r"L[0-9]+(?:C[0-9]+)?(?:-L?[0-9]+(?:C[0-9]+)?)?", re.A)
_HYPHENS = lazy(r"-+")
_MAX_FILES = 50


def slug(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    title = title.strip().lower()
    if title.isascii():
        return _NO_SLUG.sub("", title).replace(" ", "-")
    kept = (char for char in title if char in "- " or char.isalnum() or unicodedata.category(char) in _WORD_CLASSES)
    return "".join(kept).replace(" ", "-")


_WORD_CLASSES = frozenset({"Mn", "Mc", "Me", "Pc"})


def anchors(markdown: Markdown, source: str) -> set[str]:
    """All that a fragment can name in a Markdown text, lower case."""
    found: set[str] = set()
    count: dict[str, int] = {}
    for heading in markdown.headings:
        text = heading.text
        if "{#" in text:
            found.update(name.lower() for name in _HEADING_ID.findall(text))
            text = _HEADING_ID.sub("", text)
        base = slug(text)
        number = count.get(base, 0)
        count[base] = number + 1
        found.add(f"{base}-{number}" if number else base)
    for piece in markdown.html:
        found.update(name.lower() for name in _ID.findall(piece.text))
    if "[^" in source:
        found.update(f"fn-{name.lower()}" for name in re.findall(r"\[\^([^\]\s]+)\]", source))
    return found


@rule("link-anchor", "SKL707", on=Skill, needs=(*_SPLIT, "fence-unclosed"), asked_by={"advice": advice("note")})
def link_anchor(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A link names a heading that is not there.

    Renderers then stay at the top of the page, and an agent that searches for the heading finds
    nothing. Anchors are those that GitHub makes of headings, and the ids in HTML, in this file
    and in Markdown files of the skill.

    ```markdown bad
    # Pay an invoice

    See [what can go wrong](#errors).

    ## Error handling

    Tell the user what the API said.
    ```
    ```markdown good
    # Pay an invoice

    See [what can go wrong](#error-handling).

    ## Error handling

    Tell the user what the API said.
    ```
    """
    own: set[str] | None = None
    others: dict[str, set[str] | None] = {}
    for link, target in zip(skill.markdown.links, skill.markdown.targets, strict=True):
        path, sharp, fragment = link.href.partition("#")
        if not sharp or not fragment or link.kind in ("email", "autolink"):
            continue
        known: set[str] | None
        if path == "":
            own = anchors(skill.markdown, skill.source) if own is None else own
            known = own
        else:
            known = _anchors_of(skill, target, others)
        name = unquoted(fragment).lower().removeprefix("user-content-")
        if known is None or _is_known(name, known) or _LINE_ANCHOR.fullmatch(fragment) or name == "top":
            continue
        if name[0] in ":!/?" or "=" in name or _TEMPLATE.search(fragment):
            continue  # a text fragment, a route, a page number, a placeholder
        near = closest(name, known, 0.6)
        where = f" in {shown(unquoted(path))}" if path else ""
        start = skill.source.find("#", link.target.start, link.target.end)
        yield Problem(
            Span(start if start >= 0 else link.target.start, link.target.end),
            f"no heading{where} has the anchor {shown(fragment)}",
            hint=f"did you mean #{near}?" if near else None,
        )


def _is_known(name: str, known: set[str]) -> bool:
    if name in known:
        return True
    # other renderers join what GitHub leaves as several hyphens
    bare = _HYPHENS.sub("-", name).strip("-")
    return any(_HYPHENS.sub("-", anchor).strip("-") == bare for anchor in known)


def _anchors_of(skill: Skill, target: Target | None, others: dict[str, set[str] | None]) -> set[str] | None:
    """The anchors of a Markdown file of the skill, None where they cannot be told."""
    if target is None or skill.folder is None or target.leaves or not target.path.lower().endswith(_MARKDOWN_FILES):
        return None
    path = target.path
    if path not in others:
        text = _text(skill.folder, path) if len(others) < _MAX_FILES and skill.folder.find(path) == "file" else None
        others[path] = anchors(Markdown(text), text) if text else None
    return others[path]


def _text(folder: Folder, path: str) -> str | None:
    """A file's text, None where it is empty, too large or no UTF-8."""
    raw = folder.read(path)
    if not raw or len(raw) > 500_000:
        return None
    text = Text(raw)
    return text.string if text.bad_byte is None and not text.string.isspace() else None


# --- chains of references -------------------------------------------------------------------------

_INLINE = lazy(r"\]\([ \t]*<?([^)\s>#?]+)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>#?]+)", re.M)


@rule("link-depth", "SKL709", on=Skill, needs=_SPLIT, asked_by={"agentskills": should(_REFERENCES)})
def link_depth(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A linked file leads on to files that the skill itself does not name.

    Agents read what the body links to; what those files link to in turn they often miss or
    read in part. Folders do not count, only steps from file to file. Naming every file in the
    body keeps all of them one step away.

    ```tree bad
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ---

    # Pay an invoice

    What the fields mean: [the guide](references/guide.md).
    === pay-invoice/references/guide.md
    # Fields

    The currencies stand [in a list](currencies.md).
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

    What the fields mean: [the guide](references/guide.md), with [the currencies](references/currencies.md).
    === pay-invoice/references/guide.md
    # Fields

    The currencies stand [in a list](currencies.md).
    === pay-invoice/references/currencies.md
    # Currencies
    ```
    """
    folder = skill.folder
    if folder is None:
        return
    first: dict[str, Link] = {}
    for target in targets(skill):
        path = target.path
        if target.leaves or target.link.image or not path.lower().endswith(_MARKDOWN_FILES):
            continue
        if posixpath.basename(path).lower() != "skill.md":  # another skill leads to files of its own
            first.setdefault(path, target.link)
    for path, link in list(first.items())[:_MAX_FILES]:
        if folder.find(path) != "file" or path == skill.name:
            continue
        beyond = [other for other in _leads_to(folder, path) if other not in first and not _is_named(skill, other)]
        if beyond:
            more = f" and {len(beyond) - 1} more" if len(beyond) > 1 else ""
            yield Problem(
                link.target,
                f"{shown(path)} leads on to {shown(beyond[0])}{more}, which the skill does not name",
                hint="name these files in SKILL.md too, or put what they say into the file that links to them",
            )


def _is_named(skill: Skill, path: str) -> bool:
    """Whether the body speaks of a file, as a link or in words; SKILL.md and licences need no naming."""
    name = posixpath.basename(path)
    return name == skill.name or name.upper().startswith(("LICENSE", "README")) or path in skill.source


def _leads_to(folder: Folder, path: str) -> list[str]:
    """The files of the skill to which a Markdown file links, as paths from the skill's folder."""
    raw = folder.read(path)
    if not raw or len(raw) > 500_000 or (b"](" not in raw and b"]:" not in raw):
        return []
    text = Text(raw).string
    base = posixpath.dirname(path)
    if not any(_file(folder, base, found[1] or found[2]) for found in _INLINE.finditer(text)):
        return []
    found = (
        _file(folder, base, target.paths[0])
        for target in Markdown(text).targets
        if target is not None and not target.link.image
    )
    return [other for other in dict.fromkeys(found) if other is not None and other != path]


def _file(folder: Folder, base: str, written: str) -> str | None:
    """The file that a path in a reference names, from that reference or from the skill's folder."""
    if ":" in written or written.startswith("/"):
        return None
    for start in dict.fromkeys((base, "")):
        path = posixpath.normpath(posixpath.join(start, unquoted(written)))
        if not path.startswith("..") and folder.find(path) == "file":
            return path
    return None


# --- paths in code --------------------------------------------------------------------------------

_HOME = lazy(
    r"(?<![\w.~$%}{>):/\\-])(?:/(?:Users|home)/|[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/))"
    r"([^\s/\\`'\"<>()\[\]{}$,;:|*%]+)([^\s`'\"<>()\[\],;|]*)",
    re.A,
)
_NOBODY = lazy(
    r"your[\w.-]*|(?:my|the|some|dev|test|demo|example|sample|local|windows)?[-_.]?(?:users?|user[-_.]?(?:name|id))?[0-9]*|"
    r"dev|test|tester|demo|example|sample|admin|guest|project|projects|repo|work|workspace|xxx|name|me|you|someone|"
    r"somebody|alice|bob|john|jane|joe|jdoe|john[-_.]?doe|jane[-_.]?doe|doe|foo|bar|baz|x|u|runner\w*|node|vscode|ubuntu|"
    r"debian|ec2-user|jovyan|coder|app|appuser|git|claude|codex|sandbox|agent|oai|linuxbrew|codespace|gitpod|daytona|"
    r"azureuser|opc|pi|root|circleci|vagrant|docker|shared|public|default|all|www|www-data|deploy|deployer|nonroot|"
    r"steam|postgres|airflow|hadoop|jenkins|gitlab-runner|builder|bot|service|server|container\w*|kali|arch|nixos|"
    r"homeassistant|n8n|redis|spark|jupyter|colab|kasm-user|mambauser|micromamba|e2b|developer|dev[-_.]?user|"
    r"my[-_.]?\w*name|[^a-z]*",
    re.A | re.I,
)
"""Names that stand for anybody, or for the one account of a container or cloud machine."""


@rule("path-absolute", "SKL713", on=Skill, needs=_SPLIT, asked_by={"agentskills": should(_REFERENCES)})
def path_absolute(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A command or link names a folder in its author's home.

    `/Users/maria/…` exists on one machine: everywhere else the command fails, and the path
    tells strangers who wrote it. Paths of a skill's own files start at its folder; `~` and
    `$HOME` are the home of whoever runs it. Placeholders such as `/home/user` and the
    homes of containers and cloud machines pass.

    ````markdown bad
    # Pay an invoice

    ```bash
    python /Users/maria/skills/pay-invoice/scripts/pay.py R-100
    ```
    ````
    ````markdown good
    # Pay an invoice

    ```bash
    python ~/tools/pay.py R-100
    ```
    ````
    """
    source = skill.source
    if "/Users/" not in source and "/home/" not in source and ("\\" not in source or "\\Users\\" not in source):
        return
    seen: set[str] = set()
    for found in _HOME.finditer(source, skill.body.start):
        path = found[0].rstrip(".")
        if path in seen or _NOBODY.fullmatch(found[1]) or not _is_path_in_use(skill, found.start()):
            continue  # of drive letters in links link-outside speaks
        seen.add(path)
        yield Problem(
            Span(found.start(), found.start() + len(path)),
            f"{shown(path)} exists on one machine only",
            hint="start at the skill's folder, or write ~ for the home of whoever runs it",
        )


def _is_path_in_use(skill: Skill, offset: int) -> bool:
    markdown = skill.markdown
    return markdown.in_code(offset) or any(
        link.target.start <= offset < link.target.end and not _DRIVE.match(link.href) for link in markdown.links
    )


def _is_home(path: str) -> bool:
    """Whether a path begins with somebody's home."""
    found = _HOME.match(path)
    return found is not None and not _NOBODY.fullmatch(found[1])


_FILE = lazy(r"(?:scripts|references|assets)/[\w@+-][\w./@+-]*\.[A-Za-z0-9]{1,8}(?![\w{<*$\[(/%…])", re.A)
_ROOT = lazy(
    r"(?:^|[^\w/.}>)~-])(?:\./|\$\{?[A-Z_]*(?:SKILL|BASE)[A-Z_]*\}?/|\{(?:baseDir|skill_?[dD]ir|SKILL_DIR)\}/)?\Z",
    re.A,
)
"""What may stand before such a path: nothing that makes it part of a longer one, or a name of the skill's folder."""
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh", "powershell", "ps1", "terminal", "shellsession", "cmd"})
_MADE = lazy(
    r"\b(?:creat|writ|sav|generat|output|produc|e\.g|example|such as|for instance|mkdir|touch|tee|add|put|extract|mov|"
    r"renam|stor|scaffold|like|named?|instead|bundl|optional|if (?:present|there|it|you)|could|might|would|should)|"
    r">>?[ \t]|[✗✘❌]|创建|生成|例如|保存|输出|作成|出力|例",
    re.I,
)


@rule(
    "path-missing",
    "SKL715",
    on=Skill,
    needs=(*_SPLIT, "fence-unclosed"),
    asked_by={"agentskills": may(_REFERENCES), "wsp": may(_AUXILIARY)},
)
def path_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The body names a script, reference or asset that does not exist.

    Paths in `code` are how most skills point to their files, and nothing fails until an agent
    runs them. Asked are paths below `scripts/`, `references/` and `assets/` in code spans and
    shell commands; what the text says to create, examples and placeholders pass.

    ````markdown bad
    # Pay an invoice

    ```bash
    python scripts/pay.py R-100
    ```
    ````
    ```tree good
    === pay-invoice/SKILL.md
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    ---

    # Pay an invoice

    Run `scripts/pay.py`.
    === pay-invoice/scripts/pay.py
    print("paid")
    ```
    """
    source, folder = skill.source, skill.folder
    if folder is None:
        return
    seen: set[str] = set()
    for start, end in _named_files(source, skill.body.start):
        written = source[start:end]
        if folder.find(written) is not None:
            continue
        path = posixpath.normpath(written)
        if path in seen or not path.startswith(("scripts/", "references/", "assets/")):
            continue
        if not _is_command(skill, start):
            continue
        stem = posixpath.splitext(posixpath.basename(path))[0].lower()
        if _TEMPLATE.search(path) or stem in _PLACEHOLDERS or source.endswith("](", 0, start):
            continue
        line = skill.text.line(skill.text.line_at(start))
        if _MADE.search(line.replace(written, "")) or any(folder.find(above + path) for above in _above(folder)):
            continue
        seen.add(path)
        near = similar(folder, path)
        yield Problem(
            Span(start, end),
            f"there is no {shown(path)}",
            hint=f"did you mean {near}?" if near else None,
        )


def _named_files(source: str, start: int) -> list[tuple[int, int]]:
    """Where files below the three folders are named, in order."""
    found = []
    for folder in ("scripts/", "references/", "assets/"):
        at = start - 1
        while (at := source.find(folder, at + 1)) >= 0:
            match = _FILE.match(source, at)
            if match is not None and _ROOT.search(source[max(at - 40, 0) : at]):
                found.append(match.span())
    return sorted(found)


def _is_command(skill: Skill, offset: int) -> bool:
    """Whether an offset lies in a code span outside of links, or in a block of commands."""
    markdown = skill.markdown
    for block in markdown.code:
        if block.span.start <= offset < block.span.end:
            return block.language in _SHELLS
    return markdown.in_code(offset) and not any(link.span.start <= offset < link.span.end for link in markdown.links)
