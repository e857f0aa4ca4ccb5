"""The discovery files of WSP, skills.txt and agents.txt: their form, what they list, where they stand."""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote

from agentskills_lint.documents import Document, Folder, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import Heading
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.registries import (
    DISCOVERY_FILES,
    SITE_FILES,
    Index,
    Item,
    Section,
    SkillsTxt,
    begins_with_link,
    last_part,
    seems_entry,
)
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.rules.hosting import first_line
from agentskills_lint.site import Listing, Project, Site, Target
from agentskills_lint.specs import TELLING_FIELDS, WSP
from agentskills_lint.trees import Node
from agentskills_lint.urls import parts_of, written
from agentskills_lint.wording import closest, several, shown

_FORMAT = WSP + "#32-discovery-file-format"
_LOCATION = WSP + "#31-discovery-file-location"
_GRAMMAR = WSP + "#appendix-a-discovery-file-grammar"

_FORM = "- [Name](/skills/name/SKILL.md): what the skill does"
_DIRECTORIES = tuple(f"{folder}/" for folder in DISCOVERY_FILES.values())
_MANY = 5
"""Findings of one cause that are still told one by one."""


def _line_of(document: Document, span: Span) -> Span:
    """The first line of what may span several."""
    _, end = document.text.line_bounds(span.start)
    line = document.source[span.start : min(span.end, end)].rstrip()
    return Span(span.start, span.start + len(line))


def _titles(document: SkillsTxt) -> list[Heading]:
    return [heading for heading in document.headings if heading.level == 1]


def _anchor(document: SkillsTxt) -> Span:
    """Where findings on what the file lacks stand: its title, else its first line."""
    titles = _titles(document)
    return _line_of(document, titles[0].span) if titles else first_line(document)


def _judged(document: SkillsTxt) -> Iterator[Item]:
    """The list items that have to be entries."""
    for section in document.sections:
        is_list = section.heading is not None and section.lists_skills
        for item in section.items:
            if seems_entry(item, document.source) or (is_list and begins_with_link(item, document.source)):
                yield item


def _lists(section: Section) -> list[list[Item]]:
    """The items of a section, list by list."""
    found: defaultdict[int, list[Item]] = defaultdict(list)
    for item in section.items:
        found[item.place.list].append(item)
    return list(found.values())


def _more(count: int, what: str) -> str:
    """A remark on what else has the fault."""
    return f" (and {count} more {what})" if count else ""


@rule("skills-txt-foreign", "SKL830", on=SkillsTxt, asked_by={"advice": advice("note", unless="wsp")})
def skills_txt_foreign(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """The file bears the name of a discovery file and is none.

    Many unlike things are called skills.txt or agents.txt. Only where a list item links a
    SKILL.md is it read as a discovery file of the Web Skills Protocol. A file that is meant as
    one is invisible to its clients as long as no item does.

    ```txt bad
    # Acme

    ## Skills

    pay-invoice: pays an open invoice by card
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    if document.dialects:
        return
    table = _table_of_skills(document)
    yield Problem(
        first_line(document),
        "skills stand in a table, where no client of WSP looks for them; nothing more was checked"
        if table is not None
        else "no list item links a SKILL.md, so this is no discovery file of WSP; nothing more was checked",
        related=(Related(_line_of(document, table), "the table"),) if table is not None else (),
        hint="a skill is listed as '- [Name](/skills/name/SKILL.md): description'",
    )


def _table_of_skills(document: SkillsTxt) -> Span | None:
    """The first table that links skills of the tree."""
    folder = document.folder
    if folder is None or not document.readable or "|" not in document.source or "SKILL.md" not in document.source:
        return None
    tables = [span for kind, span in document.markdown.blocks if kind == "table"]
    starts = [span.start for span in tables]
    for link in document.markdown.links if tables else ():
        at = bisect_right(starts, link.span.start) - 1
        if link.image or last_part(link.href) != "SKILL.md" or at < 0 or link.span.start >= tables[at].end:
            continue
        path = unquote(parts_of(link.href).path).lstrip("/")
        if ".." not in path and folder.find(path) == "file":
            return tables[at]
    return None


_TIGHT_TITLE = lazy(r"(?<![^\r\n])#(?=[^#\s])")


@rule("skills-txt-title", "SKL831", on=SkillsTxt, needs="merge-conflict", asked_by={"wsp": must(_FORMAT)})
def skills_txt_title(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """The discovery file has no title, or more than one.

    One heading of level 1 names the site. Sections such as Skills are headings of level 2.

    ```txt bad
    # Acme

    > Invoices and payments.

    # More of Acme

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    ```txt good
    # Acme

    > Invoices and payments.

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    titles = _titles(document)
    if not titles:
        tight = _TIGHT_TITLE.search(document.source, document.body.start)
        if tight is not None:
            where = Span(tight.start(), tight.end())
            yield Problem(
                where, "no heading: a blank has to follow the '#'", hint="write '# ' and the name of the site"
            )
        else:
            hint = "begin the file with '# ' and the name of the site"
            yield Problem(first_line(document), "no heading of level 1 names the site", hint=hint)
        return
    first, *others = titles
    if not first.text:
        where = _line_of(document, first.span)
        yield Problem(where, "the heading of level 1 is empty; it names the site", hint="write '# ' and the name")
    for title in others if len(others) <= _MANY else others[:1]:
        more = len(others) - 1 if len(others) > _MANY else 0
        yield Problem(
            _line_of(document, title.span),
            f"{shown(title.text)} is another heading of level 1; only one names the site" + _more(more, "of them"),
            related=(Related(_line_of(document, first.span), "the first one"),),
            hint="make it a section with '##', or plain text",
        )


@rule("skills-txt-summary", "SKL832", on=SkillsTxt, needs="merge-conflict", asked_by={"wsp": should(_FORMAT)})
def skills_txt_summary(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """The discovery file has no summary of the site.

    A blockquote below the title tells agents in a sentence or two what the site is, which they
    need to make sense of the skills.

    ```txt bad
    # Acme

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    ```txt good
    # Acme

    > Invoices and payments for small companies.

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    quotes = (document.source[span.start : span.end] for kind, span in document.markdown.blocks if kind == "blockquote")
    if not any(any(map(str.isalnum, quote)) for quote in quotes):
        yield Problem(
            _anchor(document),
            "no blockquote describes the site",
            hint="write '> ' and a sentence about the site below the title",
        )


@rule("skills-txt-sections", "SKL833", on=SkillsTxt, needs="merge-conflict", asked_by={"wsp": must(_FORMAT)})
def skills_txt_sections(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """Skills stand in no section, or a section lists none.

    Headings of level 2 divide the file into sections, each of which is a list of skills.
    Everything else, such as notes on sign-in or limits, stands above the first section.

    ```txt bad
    # Acme

    > Invoices and payments.

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.

    ## Limits

    Ten payments a minute.
    ```
    ```txt good
    # Acme

    > Invoices and payments.

    Ten payments a minute.

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    opening, *sections = document.sections
    early = [item for item in opening.items if seems_entry(item, document.source)]
    if early:
        missing = "before the first section" if sections else "in no section; the file has no heading of level 2"
        message = f"this entry stands {missing}" + _more(len(early) - 1, "like it")
        yield Problem(_line_of(document, early[0].place.span), message, hint="write '## Skills' above the list")
    elif not sections:
        yield Problem(
            _anchor(document),
            "no section lists skills: the file has no heading of level 2",
            hint=f"write '## Skills' and below it '{_FORM}'",
        )
    empty = []
    for section in sections:
        if section.heading is not None and not section.heading.text:
            where = _line_of(document, section.heading.span)
            yield Problem(where, "the section has no name", hint="write a name behind '##', such as Skills")
        elif section.heading is not None and not section.lists_skills:
            empty.append((section.heading, section))
    for heading, section in empty if len(empty) <= _MANY else empty[:1]:
        more = len(empty) - 1 if len(empty) > _MANY else 0
        has_text = section.items or section.others
        yield Problem(
            _line_of(document, heading.span),
            f"section {shown(heading.text)} lists no skill" + _more(more, "sections like it"),
            hint="move its text above the first section" if has_text else f"list its skills as '{_FORM}'",
        )


_GAP = lazy(r"\]([ \t]+)\(")


@rule("skills-txt-entry", "SKL834", on=SkillsTxt, needs="merge-conflict", asked_by={"wsp": must(_GRAMMAR)})
def skills_txt_entry(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """A list item has not the form of an entry.

    Agents and their tools take `- [Name](address): description` as one skill. A link of another
    kind, or words in front of it, hide the skill from those that look for this form.

    ```items bad
    - **[Pay an invoice](/skills/pay-invoice/SKILL.md)**: Pays an open invoice by card.
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    judged = {item.place.span for item in _judged(document)}
    for section in document.sections:
        for items in _lists(section):
            bare = []
            for item in items:
                if item.place.span in judged:
                    problem = _fault(item, document)
                    if problem is not None:
                        yield problem
                else:
                    bare.append(item)
            if section.heading is not None and 0 < len(bare) < len(items):
                yield Problem(
                    _line_of(document, bare[0].place.span),
                    "the list item is no entry: it links no skill" + _more(len(bare) - 1, "of this list"),
                    hint=f"write '{_FORM}', or move it above the first section",
                )


def _fault(item: Item, document: SkillsTxt) -> Problem | None:
    """What is wrong with the form of an entry, None where it is right."""
    source, link, head = document.source, item.link, item.place.head
    if link is None or link.kind == "autolink":
        gap = _GAP.search(source, head.start, head.end) if link is None else None
        if gap is not None:
            where = Span(*gap.span(1))
            return Problem(where, "a blank stands between name and address, so this is no link", hint="remove it")
        where = _line_of(document, link.span if link is not None else item.place.span)
        message = "the entry has no name, the address stands alone" if link else "the list item is no entry: no link"
        return Problem(where, message, hint=f"write '{_FORM}'")
    if source[head.start : link.span.start].strip():
        lead = _line_of(document, Span(head.start, link.span.start))
        what = "a task box" if item.place.box else shown(source[lead.start : lead.end])
        return Problem(lead, f"{what} stands before the link; an entry begins with it", hint=f"write '{_FORM}'")
    where = _line_of(document, link.span)
    if not any(char.isprintable() and not char.isspace() for char in link.text):
        return Problem(where, "the entry has no name", hint="write the skill's name between the brackets")
    if link.kind == "reference":
        hint = f"write '({link.href})' behind the name"
        return Problem(where, "the entry gives its address elsewhere, by a reference", hint=hint)
    if link.target != link.span and source[link.target.start - 2 : link.target.start] != "](":
        what = "in angle brackets" if source[link.target.start - 1] == "<" else "behind a blank"
        return Problem(link.target, f"the address stands {what}; it has to follow the parenthesis directly")
    if link.target != link.span and link.target.end + 1 != link.span.end:
        where = _line_of(document, Span(link.target.end, link.span.end - 1))
        return Problem(where, "something follows the address; the parentheses hold nothing else", hint="remove it")
    has_colon = item.separator is not None and ":" in source[item.separator.start : item.separator.end]
    second = next((other for other in item.others if last_part(other.href) == "SKILL.md"), None)
    if second is not None and not has_colon:
        return Problem(
            _line_of(document, second.span), "the list item links a second skill", hint="give each skill its own item"
        )
    return None


def _files(site: Site) -> list[SkillsTxt]:
    """The discovery files of a site, skills.txt first as clients look for it first."""
    found = [registry for registry in site.registries if isinstance(registry, SkillsTxt) and registry.readable]
    return sorted(found, key=lambda registry: registry.name != "skills.txt")


def _placed(site: Site) -> list[SkillsTxt]:
    """Those of them whose addresses count from the root of this site."""
    return [registry for registry in _files(site) if _outer_root(registry) is None]


@rule("skills-txt-target", "SKL835", on=Site, fix="unsafe", asked_by={"wsp": must(_FORMAT)})
def skills_txt_target(site: Site, ask: Ask) -> Iterator[Problem]:
    """An entry leads to no SKILL.md.

    Agents fetch the address of the entry that fits and follow what they find. It has to be that
    of the skill's SKILL.md itself, in this spelling: most servers tell `skill.md` from it. An
    address on another host is not looked up.

    ```items bad
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    - [Cancel an invoice](/skills/cancel-invoice/SKILL.md?v=2): Cancels an invoice.
    ```
    ```tree bad
    === items of skills.txt
    - [Refund](/skills/refund/): Refunds a payment.
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/refund/SKILL.md
    [clean skill]
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    for registry, item, target, meant in _astray(site):
        if item.entry is None or item.link is None:
            continue
        href = item.entry.href
        if target.kind == "refused":
            yield Problem((registry, item.entry.where), f"no agent can follow {shown(href)}: {target.reason}")
        elif not href.strip():
            yield Problem((registry, _line_of(registry, item.link.span)), "the entry has no address")
        elif meant is None:
            yield Problem((registry, item.entry.where), _what_instead(href, target))
        else:
            message = f"{_what_instead(href, target)}; did you mean {shown(meant)}?"
            skill = site.skill(meant)
            related = (Related((skill, skill.anchor), "is this the skill?"),) if skill is not None else ()
            yield Problem((registry, item.entry.where), message, _relink(site, registry, item, meant), related)


def _astray(site: Site) -> Iterator[tuple[SkillsTxt, Item, Target, str | None]]:
    """The entries that lead to no SKILL.md, with the path of the one that is likely meant."""
    spare: dict[str, list[str]] | None = None
    for registry in _placed(site):
        for item in _judged(registry):
            if item.entry is None:
                continue
            target = site.target(Listing(registry, item.entry))
            is_named = last_part(item.entry.href) == "SKILL.md"
            if is_named and target.kind not in ("missing", "folder", "refused"):
                continue
            meant = None
            if target.kind in ("missing", "folder", "file") and item.entry.href.strip():
                spare = _spare(site) if spare is None else spare
                meant = _meant(site, target, spare)
            yield registry, item, target, meant


def _what_instead(href: str, target: Target) -> str:
    """What an entry leads to that is no SKILL.md."""
    name = last_part(href)
    if name == "SKILL.md":
        what = "a folder of that name" if target.kind == "folder" else "nothing"
        return f"{shown(href)} leads to {what}: there is no file {shown(target.path)}"
    if target.kind == "folder" or not name:
        return f"{shown(href)} leads to a folder, not to the SKILL.md in it"
    if name.lower() == "skill.md":
        return f"{shown(href)} does not end in 'SKILL.md', in capitals"
    return f"{shown(href)} leads to no SKILL.md"


def _spare(site: Site) -> dict[str, list[str]]:
    """The paths of the skills that no discovery file lists, by the name of their folder."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, skill in _published(site):
        if not _is_listed(site, skill):
            found[path.split("/")[-2]].append(path)
    return found


def _meant(site: Site, target: Target, spare: dict[str, list[str]]) -> str | None:
    """The path of the one SKILL.md that an entry is likely meant to lead to."""
    path = target.path
    stem, ending = posixpath.splitext(path)
    guesses = [posixpath.join(path, "SKILL.md")] if target.kind == "folder" else []
    if posixpath.basename(stem).lower() in ("skill", "skills"):
        guesses.append(posixpath.join(posixpath.dirname(path), "SKILL.md"))
    elif ending or target.kind == "missing":
        guesses += [posixpath.join(stem, "SKILL.md"), posixpath.join(path, "SKILL.md")]
    for guess in guesses:
        if guess != path and site.folder.find(guess) == "file":
            return guess
    if target.kind != "missing":
        return None
    parts = [part for part in stem.split("/") if part.lower() not in ("skill", "skills", "agents")]
    name = parts[-1] if parts else ""
    near = name if name in spare else closest(name, spare) if 0 < len(spare) <= 50 else None
    return spare[near][0] if near is not None and len(spare[near]) == 1 else None


def _relink(site: Site, registry: SkillsTxt, item: Item, meant: str) -> Fix | None:
    """Write another path into an entry, with the rest of its address as it is."""
    link = item.link
    if link is None or link.target == link.span or link.kind != "inline":
        return None
    href = _written(site, registry, meant, registry.source[link.target.start : link.target.end])
    return Fix(f"link {meant}", (Edit(*link.target, href),), False)


def _written(site: Site, registry: SkillsTxt, path: str, like: str) -> str:
    """The address of a file of the site, in the form of another one."""
    return written(path, like, registry.site_path, site.origin.url or site.base)


@rule("skills-txt-description", "SKL836", on=SkillsTxt, needs="merge-conflict", asked_by={"wsp": should(_FORMAT)})
def skills_txt_description(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """An entry does not say what its skill does.

    Agents compare the user's wish with the descriptions in this file before they fetch any
    skill. Without one only the name speaks.

    ```items bad
    - [Pay an invoice](/skills/pay-invoice/SKILL.md)
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    for item in _judged(document):
        if item.link is not None and item.description is None and _fault(item, document) is None:
            name = shown(item.link.text)
            yield Problem(
                _line_of(document, item.link.span),
                f"the entry {name} has no description",
                hint="write ': ' behind the link, then what the skill does",
            )


@rule(
    "skills-txt-convention", "SKL837", on=Site, needs="skills-txt-target",
    asked_by={"wsp": should(WSP + "#41-directory-location")},
)  # fmt: skip
def skills_txt_convention(site: Site, ask: Ask) -> Iterator[Problem]:
    """A listed skill lies outside the directory that goes with the file.

    skills.txt goes with /skills/, agents.txt with /agents/. Clients follow other paths as well,
    yet people, and rules such as those in robots.txt, count on the usual ones. A file that has
    an identical twin of the other name may keep to either directory.

    ```tree bad
    === items of skills.txt
    - [Pay an invoice](/agents/pay-invoice/SKILL.md): Pays an open invoice by card.
    === agents/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    files = _placed(site)
    twins = len(files) == 2 and _first_difference(files[0], files[1]) is None
    for registry in files[:1] if twins else files:
        paths = []
        for entry in registry.entries:
            target = site.target(Listing(registry, entry))
            if target.kind == "file":
                paths.append((entry, target.path.split("/")[0]))
        own = DISCOVERY_FILES[registry.name.lower()]
        if twins and paths and own not in {folder for _, folder in paths}:
            own = "agents" if own == "skills" else "skills"
        other = "agents" if own == "skills" else "skills"
        crossed = [entry for entry, folder in paths if folder == other]
        strange = [entry for entry, folder in paths if folder not in (own, other)]
        for found, fault in (
            (crossed, f"lies in /{other}/; the skills of {registry.name} belong in /{own}/"),
            (strange, "lies neither in /skills/ nor in /agents/"),
        ):
            if found:
                message = f"{shown(found[0].href)} {fault}" + _more(len(found) - 1, "like it")
                yield Problem((registry, found[0].where), message)


def _first_difference(first: SkillsTxt, second: SkillsTxt) -> tuple[int, int] | None:
    """The line of each file, from 1, from which on they differ, line endings aside; None where they do not."""
    lines = [
        [text.text.line(number).rstrip() for number in range(1, text.text.line_count + 1)] for text in (first, second)
    ]
    for found in lines:
        while found and not found[-1]:
            found.pop()
    ours, theirs = lines
    if ours == theirs:
        return None
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    return min(at, max(len(ours) - 1, 0)) + 1, min(at, max(len(theirs) - 1, 0)) + 1


@rule("skills-txt-differs", "SKL838", on=Site, asked_by={"wsp": should(_LOCATION)})
def skills_txt_differs(site: Site, ask: Ask) -> Iterator[Problem]:
    """skills.txt and agents.txt do not say the same.

    A site may publish both for the sake of clients that know one name only, with the same
    content. Clients take the first that they find, skills.txt, and never see what stands in the
    other alone.

    ```tree bad
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === items of agents.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card or by direct debit.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```tree good
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === items of agents.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    """
    files = _files(site)
    if len(files) != 2 or not files[1].dialects:
        return
    skills, agents = files
    difference = _first_difference(skills, agents)
    if difference is None:
        return
    theirs, ours = difference
    text = agents.text
    line = text.line(ours)
    where = Span(text.offset(ours), text.offset(ours) + len(line))
    related = Related((skills, Span(skills.text.offset(theirs), skills.text.offset(theirs))), "the line there")
    if not skills.dialects:
        message = f"clients look for {skills.name} first, and that lists no skill"
    else:
        message = f"{agents.name} differs from {skills.name}, which clients take where both exist, from here on"
    yield Problem(
        (agents, where), message, related=(related,), hint="publish one file under both names, or one of them"
    )


@rule("skills-txt-duplicate", "SKL839", on=Site, needs="skills-txt-target", asked_by={"advice": advice("warning")})
def skills_txt_duplicate(site: Site, ask: Ask) -> Iterator[Problem]:
    """Two entries lead to one skill.

    The second costs every agent tokens and tells nothing, or tells something else. Mostly the
    address was forgotten when an entry was copied.

    ```items bad
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    - [Cancel an invoice](/skills/pay-invoice/SKILL.md): Cancels an open invoice.
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    for registry in _files(site):
        seen: dict[str, Span] = {}
        for entry in registry.entries if registry.dialects else ():
            target = site.target(Listing(registry, entry))
            if target.kind == "refused":
                continue
            address = target.path or target.url
            if address in seen:
                yield Problem(
                    (registry, entry.where),
                    f"{shown(entry.href)} is listed already",
                    related=(Related((registry, seen[address]), "the first entry"),),
                    hint="keep one of the two, or give this one the address of its own skill",
                )
            seen.setdefault(address, entry.where)


def _published(site: Site) -> Iterator[tuple[str, Skill]]:
    """The skills that stand where WSP puts them, by their path below the root; internal ones aside."""
    for skill, path in site.skills_in(*DISCOVERY_FILES.values()):
        if skill.name != "SKILL.md" or skill.outer is not None:
            continue
        parts = path.split("/")[1:-1]
        if not skill.is_internal and parts and not any(part[0] in "._" for part in parts):
            yield path, skill


def _is_listed(site: Site, skill: Skill) -> bool:
    return any(isinstance(listing.registry, SkillsTxt) for listing in site.listed.get(skill.location, ()))


@rule(
    "skills-txt-unlisted", "SKL840", on=Site, fix="unsafe",
    asked_by={"wsp": should(WSP + "#101-publisher-requirements")},
)  # fmt: skip
def skills_txt_unlisted(site: Site, ask: Ask) -> Iterator[Problem]:
    """A published skill is not listed.

    Agents learn of skills from the discovery file alone; what it does not list they never find.
    Skills with `internal: true` below `metadata` pass.

    ```tree bad
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    === skills/refund/SKILL.md
    [clean skill]
    ```
    ```tree good
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    - [Refund](/skills/refund/SKILL.md): Refunds a payment to the card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    === frontmatter of skills/refund/SKILL.md
    description: Refunds a payment to the card. Use when the user wants the money back.
    ```
    """
    files = _placed(site)
    if not files:
        return
    registry = next((found for found in files if found.dialects), files[0])
    meant = _named_otherwise(site, files)
    # what nobody could check may be the very skill, at another name of the host
    meant |= {unquote(parts_of(listing.entry.href).path).lstrip("/") for listing, _ in site.unchecked()}
    missing = [(path, skill) for path, skill in _published(site) if not _is_listed(site, skill) and path not in meant]
    twins = len(files) == 2 and _first_difference(files[0], files[1]) is None
    groups = [missing] if len(missing) > _MANY else [[found] for found in missing]
    for group in groups:
        where, fix = _adding(site, registry, group)
        fix = None if twins else fix  # the other one would have to follow
        told = several(path.removesuffix("/SKILL.md") for path, _ in group)
        yield Problem(
            (registry, where),
            f"{told} {'is' if len(group) == 1 else 'are'} not listed here",
            fix,
            tuple(Related((skill, skill.anchor), "the skill") for _, skill in group),
            None
            if fix is not None
            else f"write '- [Name](/{group[0][0]}): what the skill does' into a section{' of both' if twins else ''}",
        )


_PUBLISHED = lazy(r"\b(?:skills|agents)/[^\s()<>\[\]]*SKILL\.md")


def _named_otherwise(site: Site, files: list[SkillsTxt]) -> set[str]:
    """The paths of skills that entries mean, though they do not lead there: other rules speak of these."""
    found = {meant for *_, meant in _astray(site) if meant is not None}
    for registry in files:
        for item in registry.items:
            if item.link is None:
                found.update(_PUBLISHED.findall(registry.source[item.place.head.start : item.place.head.end]))
            for link in item.others:
                found.add(site.resolve(link.href, registry.site_path).path)
            if item.entry is not None and item.leads_to_skill:
                target = site.target(Listing(registry, item.entry))
                if target.kind == "unknown":
                    found.add(unquote(parts_of(target.url).path.lstrip("/")))
                elif target.kind == "refused":
                    found.add(_unhidden(parts_of(item.entry.href).path))
    return found


def _unhidden(path: str) -> str:
    """Where a path leads that no agent may follow, below the root: its escapes and backslashes read."""
    for _ in range(4):
        path = unquote(path)
    return posixpath.normpath("/" + path.replace("\\", "/")).lstrip("/")


def _adding(site: Site, registry: SkillsTxt, missing: list[tuple[str, Skill]]) -> tuple[Span, Fix | None]:
    """Where skills are missing, and the fix that lists them at the end of the last list that suits them."""
    folder = missing[0][0].split("/")[0]
    best: tuple[tuple[bool, bool], Heading, list[Item]] | None = None
    for section in registry.sections:
        for items in _lists(section):
            paths = [_path(site, registry, item) for item in items if item.leads_to_skill]
            if section.heading is None or not paths:
                continue
            is_usual = not _is_optional_title(section.heading.text)
            rank = is_usual, any(path.startswith(f"{folder}/") for path in paths)
            if best is None or rank >= best[0]:
                best = rank, section.heading, items
    if best is None:
        return _anchor(registry), None
    _, heading, items = best
    lines = _entries_like(site, registry, items, missing)
    gap = registry.text.newline * (2 if _is_loose(registry, items) else 1)
    at = items[-1].place.span.end
    title = f"list {missing[0][0]}" if len(missing) == 1 else f"list {len(missing)} skills"
    return _line_of(registry, heading.span), Fix(title, (Edit(at, at, "".join(gap + line for line in lines)),), False)


def _is_optional_title(text: str) -> bool:
    return text.strip().casefold() == "optional"


def _is_loose(registry: SkillsTxt, items: list[Item]) -> bool:
    """Whether blank lines stand between the items of a list."""
    if len(items) < 2:
        return False
    between = registry.source[items[-2].place.span.end : items[-1].place.marker.start]
    return between.count("\n") + between.replace("\r\n", "\n").count("\r") > 1


def _entries_like(
    site: Site, registry: SkillsTxt, items: list[Item], missing: list[tuple[str, Skill]]
) -> Iterator[str]:
    """Entries for skills, written as those of a list are."""
    last = items[-1].place.marker
    source, marker = registry.source, registry.source[last.start : last.end]
    indent = source[registry.text.line_bounds(last.start)[0] : last.start]
    like, are_names = "/", True
    for item in items:
        if item.link is not None and item.leads_to_skill:
            path = _path(site, registry, item)
            like = item.link.href.partition("#")[0].partition("?")[0] if path else like
            are_names = are_names and [item.link.text] == path.split("/")[-2:-1]
    for path, skill in missing:
        if marker[:-1].isdecimal():
            marker = f"{int(marker[:-1]) + 1}{marker[-1]}"
        name = path.split("/")[-2]
        title = name if are_names else name.replace("-", " ").replace("_", " ").capitalize()
        description = _first_sentence(skill.value("description") or "")
        yield f"{indent}{marker} [{title}]({_written(site, registry, path, like)})" + (
            f": {description}" if description else ""
        )


def _path(site: Site, registry: SkillsTxt, item: Item) -> str:
    return site.target(Listing(registry, item.entry)).path if item.entry is not None else ""


def _first_sentence(text: str) -> str:
    words = " ".join(text.split())
    end = words.find(". ")
    return words if end < 0 else words[: end + 1]


_MARKS = {"-": "a hyphen", "\u2013": "a dash", "\u2014": "a dash", "\uff1a": "a full-width colon"}


@rule(
    "skills-txt-separator", "SKL841", on=SkillsTxt, needs="merge-conflict", fix="safe",
    asked_by={"wsp": must(_GRAMMAR, level="warning")},
)  # fmt: skip
def skills_txt_separator(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """An entry has another mark in place of its hyphen or colon.

    The grammar has a hyphen before the link and a colon behind it. Readers that go by it lose
    the skill where the hyphen is missing, and the description where the colon is.

    ```items bad
    * [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    ```items bad
    - [Pay an invoice](/skills/pay-invoice/SKILL.md) - Pays an open invoice by card.
    ```
    ```items good
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    source = document.source
    judged = {item.place.span for item in _judged(document)}
    for section in document.sections:
        for items in _lists(section):
            entries = [item for item in items if item.place.span in judged]
            if not entries:
                continue
            first = items[0].place.marker
            mark = source[first.start : first.end]
            if mark != "-":
                yield Problem(
                    first,
                    f"the entry begins with {shown(mark)}; it should be a hyphen"
                    + _more(len(items) - 1, "in this list"),
                    Fix("begin the entries with hyphens", tuple(Edit(*item.place.marker, "-") for item in items), True),
                )
            yield from _separators(document, entries)


def _separators(document: SkillsTxt, entries: list[Item]) -> Iterator[Problem]:
    """What stands in place of the colons of a list, once a mark."""
    found: defaultdict[str, list[tuple[Span, Edit]]] = defaultdict(list)
    for item in entries:
        if item.separator is None or item.description is None or _fault(item, document) is not None:
            continue
        mark = document.source[item.separator.start : item.separator.end].strip()
        if mark == ":":
            continue
        where = _line_of(document, item.separator)
        if mark:
            start = document.source.index(mark, item.separator.start)
            where = Span(start, start + len(mark))
        elif where.end == where.start:
            end = item.description.start
            where = Span(end, end + 1) if item.separator.end == item.separator.start else Span(where.start, where.start)
        found[mark].append((where, Edit(item.separator.start, item.description.start, ": ")))
    for mark, places in found.items():
        what = f"{_MARKS.get(mark, shown(mark))} stands" if mark else "nothing stands"
        yield Problem(
            places[0][0],
            f"{what} between link and description; it should be a colon" + _more(len(places) - 1, "in this list"),
            Fix("write a colon behind the link", tuple(edit for _, edit in places), True),
        )


@rule(
    "skills-txt-order", "SKL842", on=SkillsTxt, needs="merge-conflict",
    asked_by={"wsp": must(_FORMAT, level="warning")},
)  # fmt: skip
def skills_txt_order(document: SkillsTxt, ask: Ask) -> Iterator[Problem]:
    """The parts of the discovery file stand in another order.

    First the title, right below it the blockquote, then notes as plain paragraphs, then the
    sections with nothing but skills. Agents that want to save tokens read the file in this
    order and leave off where they have what they need.

    ```txt bad
    # Acme

    Ten payments a minute.

    > Invoices and payments.

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    ```txt good
    # Acme

    > Invoices and payments.

    Ten payments a minute.

    ## Skills

    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    ```
    """
    source = document.source
    titles = _titles(document)
    blocks = [
        (kind, span)
        for kind, span in document.markdown.blocks
        if kind != "htmlblock" or not source[span.start : span.end].lstrip().startswith("<!--")
    ]
    title = titles[0].span if titles else None
    others = {further.span.start for further in titles[1:]}  # skills-txt-title speaks of these
    is_late = title is not None and blocks[0][1].start < title.start
    if document.body.start > 0 and (document.folder is None or "_config.yml" not in document.folder.entries()):
        hint = "remove it unless the site's build does"
        yield Problem(first_line(document), "a frontmatter stands above the title", hint=hint)
    elif title is not None and is_late:
        line = document.text.line_at(blocks[0][1].start)
        message = f"the title has to come first; other text stands above it, on line {line}"
        yield Problem(_line_of(document, title), message)
    _, *sections = document.sections
    end = sections[0].heading.span.start if sections and sections[0].heading is not None else len(source)
    quotes = [span for kind, span in blocks if kind == "blockquote" and span.start < end]
    for number, quote_span in enumerate(quotes):
        if number > 0:
            yield Problem(
                _line_of(document, quote_span),
                "a second blockquote; one describes the site",
                related=(Related(_line_of(document, quotes[0]), "the first one"),),
                hint="join the two with a line that holds '>' alone, or make this one plain text",
            )
        elif title is not None and any(
            title.start < span.start < quote_span.start and span.start not in others for _, span in blocks
        ):
            message = "the blockquote that describes the site has to follow the title directly"
            yield Problem(_line_of(document, quote_span), message)
    judged = {item.place.span for item in _judged(document)}
    for section in sections:
        if section.heading is None or not section.lists_skills:
            continue
        texts = sorted(_texts(section, judged))
        if title is not None and section.heading.span.start < title.start:  # what follows a late title goes with it
            texts = [span for span in texts if span < title]
        if texts:
            yield Problem(
                _line_of(document, texts[0]),
                f"other text stands in section {shown(section.heading.text)}, which is a list of skills"
                + _more(len(texts) - 1, "places" if len(texts) > 2 else "place"),
                hint="move it above the first section",
            )


def _texts(section: Section, judged: set[Span]) -> Iterator[Span]:
    """What in a section is no entry: blocks that are no lists, and lists without entries."""
    yield from (span for _, span in section.others)
    for items in _lists(section):
        if not any(item.place.span in judged for item in items):
            yield items[0].place.span


def _outer_root(registry: SkillsTxt) -> str | None:
    """The folder, relative to its own, at whose root a discovery file should stand; None where it stands right.

    It stands wrong inside .well-known, and where its addresses lead to skills only from the
    root of a site further up.
    """
    folder = registry.folder
    if folder is None or not registry.entries:
        return None
    parts = folder.path.split("/")
    if ".well-known" in parts:
        return "../" * (len(parts) - parts.index(".well-known"))
    paths = [parts_of(entry.href).path for entry in registry.entries if entry.href.startswith("/")]
    paths = [unquote(path).lstrip("/") for path in paths if "//" not in path and ".." not in path]
    if not paths or any(folder.find(path) == "file" for path in paths):
        return None
    above = ""
    for depth in range(min(len(parts) - 1, 6)):
        if folder.entries(above or ".").get(".git") is not None:
            return None
        above += "../"
        inside = parts[len(parts) - depth - 1]
        if inside not in DISCOVERY_FILES.values() and not _is_site(folder, above):
            down = "/".join(parts[len(parts) - depth - 1 :])  # an address by way of this folder counts from above it
            candidates = [path for path in paths if path.startswith(f"{down}/")]
        else:
            candidates = paths
        if any(folder.find(above + path) == "file" for path in candidates):
            return above
    return None


def _is_site(folder: Folder, relative: str) -> bool:
    """Whether a folder above a discovery file shows that a site has its root there."""
    entries = folder.entries(relative)
    if entries.get(".well-known") == "folder":
        below = folder.entries(f"{relative}.well-known")
        return "agent-skills" in below or "skills" in below
    return any(entries.get(name) == "file" for name in DISCOVERY_FILES)


@rule("skills-txt-location", "SKL843", on=Project, asked_by={"wsp": must(_LOCATION, level="warning")})
def skills_txt_location(project: Project, ask: Ask) -> Iterator[Problem]:
    """The discovery file is missing from the root of the site.

    Clients ask for /skills.txt, then for /agents.txt, letter by letter, and nowhere else. Skills
    with the fields of the Web Skills Protocol in /skills/ stay unknown where neither is there, or
    where it has them in a table.

    ```tree bad
    === items of .well-known/skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```tree good
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    """
    served: set[str] = set()
    foreign: dict[str, SkillsTxt] = {}
    roots = {site.folder.path for site in project.sites}
    for document in project.documents:
        if not isinstance(document, SkillsTxt) or document.folder is None:
            continue
        above = _outer_root(document) if document.dialects else None
        name = document.name.lower()
        if document.dialects and above is None and document.name != name:
            above = ""  # servers compare letter by letter
        if above is not None:
            root = posixpath.normpath(posixpath.join(document.folder.path, above))
            served.add(root)
            message = f"clients look for /{name} at the root of the site alone"
            yield Problem((document, first_line(document)), message, hint=f"move it to {posixpath.join(above, name)}")
        elif document.dialects:
            served.add(document.folder.path)
        else:
            foreign.setdefault(document.folder.path, document)
    orphans: defaultdict[str, list[tuple[Skill, Node]]] = defaultdict(list)
    for skill in project.skills:
        parts = skill.location.rsplit("/", 3)
        if len(parts) != 4 or parts[1] not in DISCOVERY_FILES.values() or skill.folder is None:
            continue
        root, key = parts[0] or "/", _telling_key(skill)
        if root not in served and key is not None:
            orphans[root].append((skill, key))
    for root, skills in orphans.items():
        first, key = skills[0]
        entries = first.folder.entries("../..") if first.folder is not None else {}
        has_file = any(entries.get(name) == "file" for name in DISCOVERY_FILES)
        if not (root in roots or any(entries.get(name) == "file" for name in SITE_FILES)):
            continue
        lists = foreign.get(root)
        if has_file and lists is None:
            continue  # a run that was asked for one file has not read it
        related = [Related((skill, skill.anchor), "another one") for skill, _ in skills[1:]]
        lack = "the site has no skills.txt"
        if lists is not None:
            lack = f"the site's {lists.name} lists no skill"
            if (table := _table_of_skills(lists)) is not None:
                lack = f"the site's {lists.name} has its skills in a table"
                related.insert(0, Related((lists, _line_of(lists, table)), "the table"))
        _, directory, folder, _ = first.location.rsplit("/", 3)
        file = next(name for name, below in DISCOVERY_FILES.items() if below == directory)
        yield Problem(
            (first, key),
            f"{shown(key.value)} is a field of WSP, but {lack}" + _more(len(skills) - 1, "skills like this"),
            related=tuple(related),
            hint=f"list it in /{file} as '- [Name](/{directory}/{folder}/SKILL.md): what the skill does'",
        )


def _telling_key(skill: Skill) -> Node | None:
    """The first field by which a skill shows that it follows WSP."""
    nodes = skill.front.items if skill.front is not None else []
    return next((node.key for node in nodes if node.key is not None and node.key.value in TELLING_FIELDS["wsp"]), None)


@rule("registries-disagree", "SKL857", on=Site, asked_by={"advice": advice("warning")})
def registries_disagree(site: Site, ask: Ask) -> Iterator[Problem]:
    """One registry of the site lists a skill that the other does not.

    A client knows index.json or skills.txt, seldom both, so what an agent finds on the site
    depends on its client. Nothing is said where the two have no skill in common, of skills on
    other hosts, and of those that skills.txt lists under "Optional".

    ```tree bad
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === entry of .well-known/agent-skills/index.json
    "name": "pay-invoice",
    "url": "/skills/pay-invoice/SKILL.md"

    "name": "refund",
    "url": "refund/SKILL.md"
    === skills/pay-invoice/SKILL.md
    [clean skill]
    === .well-known/agent-skills/refund/SKILL.md
    [clean skill]
    ```
    ```tree good
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === entry of .well-known/agent-skills/index.json
    "name": "pay-invoice",
    "url": "/skills/pay-invoice/SKILL.md"
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    """
    files = [registry for registry in _files(site) if registry.dialects]
    indexes = [index for index in site.indexes if index.skills is not None]
    if not files or not indexes:
        return
    in_files = [(listing, _identity(site, listing)) for file in files for listing in _listings(file)]
    in_indexes = [(listing, _identity(site, listing)) for index in indexes for listing in _listings(index)]
    known_to_files = frozenset().union(*(identity for _, identity in in_files))
    known_to_indexes = frozenset().union(*(identity for _, identity in in_indexes))
    if known_to_files.isdisjoint(known_to_indexes):
        return
    optional = set[tuple[str, Span]]().union(*map(_optional, files))
    only_files = [
        listing
        for listing, identity in in_files
        if identity.isdisjoint(known_to_indexes)
        and _exists(site, listing)
        and (listing.registry.site_path, listing.entry.span) not in optional
    ]
    only_indexes = [
        listing
        for listing, identity in in_indexes
        if identity.isdisjoint(known_to_files) and _exists(site, listing) and not _is_told_as_unlisted(site, listing)
    ]
    yield from _disagreements(files[0], _anchor(files[0]), only_indexes)
    skills = indexes[0].skills
    if skills is not None and skills.key is not None:
        yield from _disagreements(indexes[0], skills.key.span, only_files)


def _listings(registry: Index | SkillsTxt) -> list[Listing]:
    return [Listing(registry, entry) for entry in registry.entries]


def _identity(site: Site, listing: Listing) -> frozenset[tuple[str, str]]:
    """What an entry and one of another registry have in common where both mean one skill."""
    target = site.target(listing)
    skill = site.skill_of(listing)
    found = {("file", skill.location)} if skill is not None else set()
    names = [skill.value("name") if skill is not None else None]
    if isinstance(listing.registry, Index):
        names.append(listing.entry.name)
    else:
        names += (target.path or parts_of(target.url).path).split("/")[-2:-1]
    return frozenset(found | {("name", name.casefold()) for name in names if name})


def _exists(site: Site, listing: Listing) -> bool:
    """Whether an entry leads to a file of the site; what lies elsewhere each registry may list or not."""
    return site.target(listing).kind == "file"


def _optional(file: SkillsTxt) -> set[tuple[str, Span]]:
    """The places of the entries in the section of skills that matter less."""
    return {
        (file.site_path, item.entry.span)
        for section in file.sections
        if section.heading is not None and _is_optional_title(section.heading.text)
        for item in section.items
        if item.entry is not None
    }


def _is_told_as_unlisted(site: Site, listing: Listing) -> bool:
    """Whether skills-txt-unlisted speaks of the skill to which an entry leads."""
    target = site.target(listing)
    return target.kind == "file" and target.path.startswith(_DIRECTORIES)


def _disagreements(registry: Index | SkillsTxt, where: Span, missing: list[Listing]) -> Iterator[Problem]:
    """Say which skills a registry lacks, all at once."""
    if not missing:
        return
    names = [shown(listing.entry.name or listing.entry.href) for listing in missing]
    *firsts, last = names if len(names) <= _MANY else [*names[:3], f"{len(names) - 3} more"]
    told = f"{', '.join(firsts)} and {last}" if firsts else last
    sources = list(dict.fromkeys(listing.registry.path for listing in missing))
    yield Problem(
        (registry, where),
        f"{told} {'is' if len(names) == 1 else 'are'} listed in {' and '.join(sources)}, but not here",
        related=tuple(
            Related((listing.registry, _line_of(listing.registry, listing.entry.where)), "listed here")
            for listing in missing
        ),
        hint="list each skill in both, so that all clients find it",
    )
