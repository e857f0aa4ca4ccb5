"""The form of a skill's name."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator

from agentskills_lint import specs
from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask, must, rule, should
from agentskills_lint.rules import json_edits
from agentskills_lint.rules.fields import head, written
from agentskills_lint.specs import AGENTSKILLS, DISCOVERY, DUALNOVA, SPECS, WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import kebab, shown

_READABLE = ("field-empty", "field-type", "yaml-ambiguous", "skill-nested", "index-schema", "index-url-escape")
_FORM = (*_READABLE, "name-kebab-case")

_AGENTSKILLS = AGENTSKILLS + "#name-field"
_DISCOVERY = DISCOVERY + "#uri-structure"
_DUALNOVA = DUALNOVA + "#frontmatter--required-fields"
_WSP = WSP + "#required-fields"

KEBAB = lazy(specs.KEBAB, re.A)
_NAMES = {Skill: "name", Index: "skills[].name"}
_ANYTHING = frozenset({"default", "skill", "skills", "agent-skills", "src", "main", "latest", "current", "template"})
"""Folders that say nothing of the skill in them."""
_MOST_ENTRIES = 1_000
"""Entries of an index of which each with a wrong name is compared with all others."""
_WEB_ROOTS = frozenset({"_site", "build", "dist", "docs", "html", "out", "public", "site", "static", "www"})


def _folder(skill: Document) -> str | None:
    """The name of the skill's own folder; None where it has none.

    The root of a repository, of a site or of an archive is none, nor is the folder whose content
    is published for a `/skill.md`, or that around a skill of another name, such as `pay.md`.
    """
    if not isinstance(skill, Skill) or skill.via is not None:
        return None
    folder, name = skill.folder, skill.folder_name
    if folder is not None and (folder.is_repository or (skill.site is not None and skill.site.path == folder.path)):
        return None
    if skill.name.lower() not in ("skill.md", "skills.md") or (skill.name == "skill.md" and name in _WEB_ROOTS):
        return None
    return name or None


def _listed_folder(index: Index, node: Node, better: str) -> str | None:
    """The folder in which an entry has its skill, where its name is one for the skill as well."""
    entry = index.entry_at(node.span.start)
    if entry is None:
        return None
    if index.discovery == "0.1":  # the name tells the folder
        found = index.folder is not None and index.folder.find(f"{better}/SKILL.md") == "file"
        return better if found else None
    folder = posixpath.basename(posixpath.dirname(entry.href))
    if not KEBAB.fullmatch(folder) or folder in _ANYTHING or len(index.entries) > _MOST_ENTRIES:
        return None
    others = (other for other in index.entries if other is not entry)
    taken = any(folder in (other.name, posixpath.basename(posixpath.dirname(other.href))) for other in others)
    return None if taken else folder


def _rename(node: Node, name: str) -> Fix | None:
    if node.block or node.given_tag is not None:
        return None
    return Fix(f"write {name}", (Edit(*node.span, written(name, node.style)),), False)


def _is_page(document: Document) -> bool:
    return isinstance(document, Skill) and document.is_page


def _names_a_skill(folder: str) -> bool:
    """Whether the name of a folder may be that of a skill, and not one that any skill could have."""
    return KEBAB.fullmatch(folder) is not None and folder not in _ANYTHING


def _is_part(words: str, name: str) -> bool:
    """Whether a name has some words in a row and others besides, as where a vendor stands before them."""
    return words != name and f"-{words}-" in f"-{name}-"


def _same(one: str, other: str) -> bool:
    """Whether two names are equal but for their Unicode normal form."""
    return one == other or unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def _faults(name: str) -> list[str]:
    """Why a name is not kebab-case; lowercase letters of any script count as such."""
    has = ["capital letters"] if name != name.lower() else []
    others = sorted({char for char in name if not char.isalnum() and char != "-" and not unicodedata.combining(char)})
    if any(char.isspace() for char in others):
        has.append("blanks")
    if "_" in others:
        has.append("underscores")
    has += [shown(char) for char in others if not char.isspace() and char != "_"][:5]
    if "--" in name:
        has.append("two hyphens in a row")
    faults = [f"has {has[0] if len(has) == 1 else ', '.join(has[:-1]) + ' and ' + has[-1]}"] if has else []
    if name.startswith("-"):
        faults.append("begins with a hyphen")
    if name.endswith("-"):
        faults.append("ends with a hyphen")
    return faults


@rule(
    "name-kebab-case",
    "SKL201",
    on=(Skill, Index),
    at=_NAMES,
    needs=_READABLE,
    fix="unsafe",
    asked_by={
        "agentskills": must(_AGENTSKILLS),
        "discovery": must(_DISCOVERY),
        "dualnova": must(_DUALNOVA),
        "wsp": must(_WSP),
    },
)
def name_kebab_case(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """Skill names are lowercase words joined by single hyphens.

    Clients make folders, commands and addresses from the name. Capital letters, blanks and
    other characters do not survive that everywhere: the skill is skipped, or found under a
    name that nobody typed. The folder bears the same name and is renamed with it. Names in an
    index.json are judged as well: some clients skip the whole index for one that is wrong.

    ```yaml bad
    name: PDF_Tools
    ```
    ```tree bad
    === place-order/SKILL.md
    ---
    name: Place_Order-
    description: Place an order when the user asks for it. Use when the user wants to buy, not for refunds.
    version: 1.0.0
    ---

    # Place an order

    Ask what the user wants to buy.
    ```
    ```yaml good
    name: pdf-tools
    ```
    """
    name = node.value
    if node.kind != "scalar" or _is_page(document) or KEBAB.fullmatch(name):
        return
    faults = _faults(name)
    if not faults:
        return
    better = kebab(name)
    folder = _folder(document)
    message = f"name {shown(name)} is not kebab-case: it {', '.join(faults)}"
    if folder is not None and folder not in (name, better):
        message += f" and differs from its folder {shown(folder)}"
        if _names_a_skill(folder) and not _is_part(folder, better):
            better = folder  # what name-directory would ask for next
    fix = None
    if isinstance(document, Index):
        message += "; some clients then skip the whole index"
        shelf = _listed_folder(document, node, better)
        if shelf is not None:
            better = shelf
            fix = Fix(f"write {shelf}", (json_edits.replaced(document.source, node, shelf),), False)
    if better and better != name:
        message += f"; write {shown(better)}"
    if not better or better == name:
        yield Problem(
            head(node, document), message, hint="write lowercase words of a to z and 0 to 9, joined by hyphens"
        )
    elif fix is not None:
        yield Problem(head(node, document), message, fix)
    elif isinstance(document, Index) and document.discovery == "0.1":
        yield Problem(
            head(node, document),
            message,
            hint=f"clients look for the skill in a folder of that name: rename it to {shown(better)} as well",
        )
    elif isinstance(document, Index):
        yield Problem(head(node, document), message, hint=f"the skill's own name has to be {shown(better)} as well")
    elif folder is not None and folder != better:
        yield Problem(head(node, document), message, hint=f"rename the folder to {shown(better)} as well")
    else:
        yield Problem(head(node, document), message, _rename(node, better))


@rule(
    "name-length",
    "SKL202",
    on=(Skill, Index),
    at=_NAMES,
    needs=_READABLE,
    asked_by={"agentskills": must(_AGENTSKILLS, max=64), "discovery": must(_DISCOVERY, max=64)},
)
def name_length(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """The name is longer than 64 characters.

    Clients refuse longer names. What the skill does and when belongs in the description.

    ```yaml bad
    name: pay-an-open-invoice-by-card-or-by-bank-transfer-and-send-the-receipt
    ```
    ```yaml good
    name: pay-invoice
    ```
    """
    length = len(node.value) if node.kind == "scalar" else 0
    if length > ask.max:
        yield Problem(
            head(node, document),
            f"the name has {length} characters, {length - ask.max} more than the limit of {ask.max}",
            hint="shorten the name and the folder's name with it"
            if isinstance(document, Skill)
            else "shorten the name",
        )


@rule(
    "name-directory",
    "SKL203",
    on=Skill,
    at="name",
    needs=(*_FORM, "name-length"),
    fix="unsafe",
    asked_by={
        "agentskills": must(_AGENTSKILLS),
        "wsp": must(WSP + "#43-subdirectory-naming"),
        "dualnova": must(_DUALNOVA, level="warning"),
    },
)
def name_directory(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The name differs from the skill's directory.

    Some clients know a skill by its name, others by its folder, and installers and web
    addresses use the folder. Where the two differ, a skill that one of them lists is not found
    by the other. A skill at the root of a repository or of a site has no folder of its own.
    Where the folder's name is a part of the name, as `ios` is of `acme-ios`, either may be meant.

    ```tree bad
    === checkout/SKILL.md
    ---
    name: place-order
    description: Place an order when the user asks for it. Use when the user wants to buy, not for refunds.
    version: 1.0.0
    ---

    # Place an order

    Ask what the user wants to buy.
    ```
    ```yaml good
    name: place-order
    ```
    """
    folder = _folder(skill)
    if node.kind != "scalar" or folder is None or skill.is_page or _same(node.value, folder):
        return
    is_part = _is_part(folder, node.value)
    fix = _rename(node, folder) if _names_a_skill(folder) and not is_part else None
    hint = f"rename the directory to {shown(node.value)}"
    if is_part:
        hint += f", or write {shown(folder)}"
    yield Problem(
        head(node, skill),
        f"name {shown(node.value)} differs from the directory {shown(folder)}",
        fix,
        hint=None if fix is not None else hint,
    )


@rule(
    "name-letter-first",
    "SKL204",
    on=(Skill, Index),
    at=_NAMES,
    needs=_FORM,
    asked_by={"dualnova": should(_DUALNOVA)},
)
def name_letter_first(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """The name begins with a digit.

    The validator of the DualNova draft wants a letter first. The other specs do not mind.

    ```yaml bad
    name: 3d-print
    ```
    ```yaml good
    name: print-3d
    ```
    """
    if node.kind == "scalar" and node.value[:1] in {*"0123456789"}:
        yield Problem(head(node, document), f"name {shown(node.value)} begins with a digit; a letter is wanted there")


@rule(
    "name-reserved",
    "SKL206",
    on=Skill,
    at="name",
    needs=_READABLE,
    asked_by={"claude": must(SPECS["claude"].url, words=frozenset({"anthropic", "claude"}))},
)
def name_reserved(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The name has a word that Claude reserves.

    Claude's apps and API refuse to take a skill whose name has the word `claude` or
    `anthropic`. No other client minds, so this is asked for by the profile `claude` alone.

    ```yaml bad
    name: claude-invoices
    ```
    ```yaml good
    name: invoices
    ```
    """
    found = [word for word in kebab(node.value).split("-") if word in ask.words] if node.kind == "scalar" else []
    if found:
        yield Problem(
            head(node, skill), f"name {shown(node.value)} has the word {found[0]!r}, which Claude reserves",
            hint="name the skill after what it does",
        )  # fmt: skip


@rule(
    "name-unicode",
    "SKL207",
    on=(Skill, Index),
    at=_NAMES,
    needs=_FORM,
    asked_by={
        "discovery": must(_DISCOVERY),
        "dualnova": must(_DUALNOVA),
        "agentskills": must(_AGENTSKILLS, level="note"),
        "wsp": must(_WSP, level="note"),
    },
)
def name_unicode(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """The name has letters beyond a to z.

    The Agent Skills format speaks of Unicode letters and of a to z in one breath; the other
    specs allow a to z, 0 to 9 and hyphens only. In addresses such letters are escaped, and a
    file system may store the folder's name in another Unicode form than the name is written in.

    ```yaml bad
    name: café-finder
    ```
    ```yaml good
    name: cafe-finder
    ```
    """
    name = node.value
    if node.kind != "scalar" or name.isascii() or _is_page(document):
        return
    better = kebab(name)
    letters = " ".join(dict.fromkeys(shown(char) for char in name if not char.isascii()))
    message = f"name {shown(name)} has {letters} beyond a to z, 0 to 9 and '-'"
    folder = _folder(document)
    if folder is not None and folder != name and _same(folder, name):
        message += f", and the directory looks the same but is in the Unicode form {_form(folder)}, not {_form(name)}"
    is_whole = KEBAB.fullmatch(better) is not None and sum(map(str.isalnum, better)) >= sum(map(str.isalnum, name))
    yield Problem(head(node, document), message, hint=f"write {shown(better)}" if is_whole else None)


def _form(text: str) -> str:
    """The Unicode normal form of a text."""
    return next((form for form in ("NFC", "NFD") if unicodedata.is_normalized(form, text)), "mixed")
