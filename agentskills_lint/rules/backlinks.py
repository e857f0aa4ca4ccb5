"""What points at a site's skills from outside the registries: llms.txt and the JSON-LD of pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from agentskills_lint.documents import MAX_BYTES, Document
from agentskills_lint.json_tree import json_tree
from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import Markdown
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.registries import WELL_KNOWN, Index
from agentskills_lint.rule import Ask, advice, may, rule
from agentskills_lint.rules.hosting import first_line
from agentskills_lint.site import Listing, Site
from agentskills_lint.specs import DUALNOVA
from agentskills_lint.trees import Fault, Node
from agentskills_lint.wording import closest, shown

MAX_PAGES = 1_000
"""Pages that are opened in search of JSON-LD about skills."""

MAX_PAGE_BYTES = 100_000_000
"""Bytes of all these pages together."""

MAX_SCRIPTS = 200
"""JSON-LD scripts of one page that are read."""

MAX_ADDRESSES = 1_000
"""Addresses in an llms.txt, or in one JSON-LD script, that are followed."""

_URL = lazy(r"https?://[^\s<>()\[\]{}\"'`\\|]+")
_PLACEHOLDER = re.compile(r"[<>{}\[\]$*|]|/:|\.\.\.|%7B|\u2026")
_ELEMENT = lazy(r"<!--|<script(?=[\s/>])", re.I)
_SCRIPT_END = lazy(r"</script(?=[\s/>])", re.I)
_TEMPLATE = lazy(r"\{\{|\{%|<%|<\?|\$\{")
_HEAD = lazy(r"<(?:head|html)(?=[\s/>])", re.I)
_ARTIFACTS = (".md", ".json", ".zip", ".tar.gz", ".tgz")
_FAULTS = {
    "trailing comma": "a comma before the closing bracket",
    "comment": "a comment",
    "constant": "a value that JSON does not have",
    "string": "a string that is not closed on its line or has a wrong escape",
    "number": "a malformed number",
    "key": "something else where a key in double quotes should be",
    "comma": "no comma between two values",
    "colon": "no colon after a key",
    "end": "a bracket that is never closed",
    "rest": "something behind its end",
    "bracket": "a closing bracket of the wrong kind",
}


# --------------------------------------------------------------------------------------------
# llms.txt


@rule(
    "llms-txt-reference",
    "SKL852",
    on=Site,
    fix="unsafe",
    asked_by={"dualnova": may(DUALNOVA + "#discovery")},
)
def llms_txt_reference(site: Site, ask: Ask) -> Iterator[Problem]:
    """llms.txt does not mention the index of the skills.

    Assistants that read llms.txt first learn from it that the site has skills. A link in a list
    is usual, a sentence that names the address will do.

    ```tree bad
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === llms.txt
    # Acme

    > Invoices for everyone.
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === llms.txt
    # Acme

    > Invoices for everyone. See also https://acme.example/.well-known/agent-skills/index.json

    ```
    """
    llms = site.document("llms.txt")
    index = next((index for index in site.indexes if index.is_dualnova), None)
    if llms is None or index is None or not llms.readable or _mentions(llms.source, index):
        return
    if any(f"{folder}/index.json" in llms.source for folder in WELL_KNOWN):
        return  # llms-txt-broken says that it is elsewhere
    url = f"{site.origin.url or site.base}/{index.site_path}"
    newline = llms.text.newline
    text = f"{newline}## Agent skills{newline}{newline}- [Skill index]({url}){newline}"
    if not llms.source.endswith(("\n", "\r")):
        text = newline + text
    end = len(llms.source)
    yield Problem(
        (llms, first_line(llms)),
        f"llms.txt does not mention the index of the skills, {shown(url)}",
        Fix("add a section that links the index", (Edit(end, end, text),), False),
        related=(Related((index, first_line(index)), "the index"),),
    )


def _mentions(source: str, index: Index) -> bool:
    """Whether a text names an index or the folder that it stands in."""
    folder = posixpath.dirname(index.site_path)
    if index.site_path in source:
        return True
    return folder in source and re.search(re.escape(folder) + r"/?(?![\w/%-]|\.\w)", source) is not None


@rule(
    "llms-txt-broken",
    "SKL853",
    on=Site,
    asked_by={"dualnova": may(DUALNOVA + "#discovery"), "advice": advice("warning", "https://llmstxt.org/")},
)
def llms_txt_broken(site: Site, ask: Ask) -> Iterator[Problem]:
    """llms.txt names a skill or an index that is not there.

    An assistant that follows a dead link believes that the site has no skills.

    ```tree bad
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === llms.txt
    # Acme

    ## Agent skills

    - [Skill index](https://acme.example/.well-known/agent-skills/index.json)
    - [Pay](https://acme.example/.well-known/agent-skills/pay/SKILL.md)
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === llms.txt
    # Acme

    ## Agent skills

    - [Skill index](https://acme.example/.well-known/agent-skills/index.json)
    ```
    """
    llms = site.document("llms.txt")
    if llms is None or not llms.readable or not any(word in llms.source for word in ("SKILL.md", *WELL_KNOWN)):
        return
    missing = [
        (href, place, path)
        for href, place in islice(_addresses(llms.source), MAX_ADDRESSES)
        if (path := _missing(site, href, "llms.txt")) is not None
    ]
    if not missing:
        return
    told = _told(site)
    known = sorted(path.removeprefix(f"{site.folder.path.rstrip('/')}/") for path in site.listed)[:500]
    known += [registry.site_path for registry in site.registries]
    for count, (href, place, path) in enumerate(missing):
        if path in told:
            continue
        near = closest(path, known) if count < 20 else None
        yield Problem(
            (llms, place),
            f"{shown(href)} leads to no file of the site",
            hint=f"did you mean '/{near}'?" if near is not None else None,
        )


def _addresses(source: str) -> Iterator[tuple[str, Span]]:
    """The destinations of links and the bare URLs of a Markdown text, code blocks left out."""
    markdown = Markdown(source)
    blocks = [block.span for block in markdown.code]
    seen: set[int] = set()
    links = [(link.href, link.target) for link in markdown.links if not link.image and link.kind != "email"]
    bare = []
    for found in _URL.finditer(source) if "://" in source else ():
        href = found[0].rstrip(".,;:!?*_~")
        if source[found.end() : found.end() + 1] not in ("<", "{", "["):
            bare.append((href, Span(found.start(), found.start() + len(href))))
    for href, place in sorted(links + bare, key=lambda pair: pair[1]):
        if place.start in seen or any(block.start <= place.start < block.end for block in blocks):
            continue
        seen.add(place.start)
        yield href, place


# --------------------------------------------------------------------------------------------
# JSON-LD


class Script(NamedTuple):
    """A JSON-LD script of a page: its start tag, its text, and what that reads as."""

    tag: Span
    text: str
    root: Node | None
    fault: Fault | None

    @property
    def is_template(self) -> bool:
        """Whether a program writes the text before anybody reads it."""
        return _TEMPLATE.search(self.text) is not None or self.text.lstrip().startswith(("<!--", "//", "/*"))

    def properties(self) -> Iterator[Node]:
        """The strings below each additionalProperty."""
        seen: set[int] = set()
        for node in self.root.walk() if self.root is not None else ():
            if node.key is None or not node.key.value.endswith("additionalProperty"):
                continue
            for value in node.walk():
                if value.kind == "scalar" and value.tag == "str" and value.span.start not in seen:
                    seen.add(value.span.start)
                    yield value


@rule(
    "jsonld-backlink",
    "SKL854",
    on=Site,
    asked_by={"dualnova": may(DUALNOVA + "#discovery")},
)
def jsonld_backlink(site: Site, ask: Ask) -> Iterator[Problem]:
    """The page of an execution_url does not point back to its skill and the index.

    A JSON-LD `additionalProperty` whose value is the address lets an assistant that came by way of
    the page find the instructions for it.

    ```tree bad
    === entry of .well-known/agent-skills/index.json
    "execution_url": "https://acme.example/invoices"
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    === invoices.html
    <!doctype html>
    <html><head><title>Pay</title></head></html>
    ```
    ```tree good
    === entry of .well-known/agent-skills/index.json
    "execution_url": "https://acme.example/invoices"
    === .well-known/agent-skills/pay-invoice/SKILL.md
    [clean skill]
    === invoices.html
    <!doctype html>
    <html><head><title>Pay</title>
    <script type="application/ld+json">
    {"@type": "WebPage", "additionalProperty": [
     {"@type": "PropertyValue", "name": "agent-skill",
      "value": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md"},
     {"@type": "PropertyValue", "name": "agent-skills",
      "value": "https://acme.example/.well-known/agent-skills/index.json"}]}
    </script></head></html>
    ```
    """
    executed = _execution_pages(site)
    for path in _within_limits(site, executed):
        listings = executed[path]
        page = site.document(path)
        if page is None or not page.readable:
            continue
        scripts = list(json_ld(page))
        if any(script.fault is not None for script in scripts):
            continue
        values = [value.value for script in scripts for value in islice(script.properties(), MAX_ADDRESSES)]
        pointed = {site.resolve(value, path).path for value in values} - {""}
        lacking = [listing for listing in listings if site.target(listing).path not in pointed]
        registry = listings[0].registry
        names = ", ".join(shown(entry.name or entry.href) for _, entry in lacking[:3])
        what = [f"to the skill{'s' if len(lacking) > 1 else ''} {names}"] if lacking else []
        what += [] if registry.site_path in pointed else ["to the index"]
        if not what:
            continue
        yield Problem(
            (page, scripts[0].tag if scripts else _head(page)),
            f"no additionalProperty in JSON-LD points {' and '.join(what)}",
            related=tuple(Related((found, entry.where), "the skill") for found, entry in listings[:3]),
        )


@rule(
    "jsonld-wrong",
    "SKL858",
    on=Site,
    asked_by={
        "dualnova": may(DUALNOVA + "#discovery"),
        "advice": advice("warning", "https://schema.org/additionalProperty"),
    },
)
def jsonld_wrong(site: Site, ask: Ask) -> Iterator[Problem]:
    """JSON-LD about skills cannot be read, or points to what is not there.

    What a parser refuses is dropped as a whole, and a dead address tells an assistant that
    there is no skill.

    ```tree bad
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === index.html
    <!doctype html>
    <title>Acme</title>
    <script type="application/ld+json">
    {"@type": "WebSite", "additionalProperty": {"@type": "PropertyValue", "name": "agent-skill",
     "value": "https://acme.example/.well-known/agent-skills/pay/SKILL.md"}}
    </script>
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === index.html
    <!doctype html>
    <title>Acme</title>
    <script type="application/ld+json">
    {"@type": "WebSite", "additionalProperty": {"@type": "PropertyValue", "name": "agent-skills",
     "value": "https://acme.example/.well-known/agent-skills/index.json"}}
    </script>
    ```
    """
    told: set[str] | None = None
    executed = _execution_pages(site)
    for path in _pages_with_json_ld(site, list(executed)):
        page = site.document(path)
        if page is None or not page.readable:
            continue
        based = "<base" in page.source
        for script in json_ld(page):
            if script.fault is not None:
                if path in executed or _speaks_of_skills(script.text):
                    yield Problem((page, script.fault.span), f"no parser reads this JSON-LD: it has {_fault(script)}")
                continue
            for value in islice(script.properties(), MAX_ADDRESSES):
                if based and "://" not in value.value:
                    continue  # relative to another address than that of the page
                target = _missing(site, value.value, path)
                if target is None:
                    continue
                told = _told(site) if told is None else told
                if target not in told:
                    yield Problem((page, value), f"{shown(value.value)} leads to no file of the site")


def json_ld(page: Document) -> Iterator[Script]:
    """The JSON-LD of a page that can be judged.

    The page is searched for its scripts here, and selectolax reads them one by one: parsing a
    whole page takes time that grows with the square of its depth, and no places come of it.
    """
    source = page.source
    if "ld+json" not in page.lower:
        return
    at = count = 0
    while count < MAX_SCRIPTS and (found := _ELEMENT.search(source, at)) is not None:
        if found[0] == "<!--":
            at = source.find("-->", found.end())
            if at < 0:
                return
            continue
        closing = _SCRIPT_END.search(source, found.end())
        end = at = closing.start() if closing is not None else len(source)
        if "ld+json" not in source[found.start() : found.start() + 2_000].lower():
            continue
        count += 1
        script = _script(source, found.start(), end)
        if script is not None and not script.is_template and (script.fault is None or script.fault.kind == "syntax"):
            yield script


def _script(source: str, start: int, end: int) -> Script | None:
    """The script element that begins at an offset, None where it is no JSON-LD or empty."""
    from selectolax.lexbor import LexborHTMLParser

    element = source[start:end]
    node = LexborHTMLParser(f"{element}</script>").css_first("script")
    kind = (node.attributes.get("type") or "") if node is not None else ""
    if node is None or kind.partition(";")[0].strip().lower() != "application/ld+json":
        return None
    text = node.text()
    if not text.strip():
        return None
    plain = element.replace("\r\n", "\n").replace("\r", "\n")  # as the parser has read it
    if not plain.endswith(text):
        return None
    length = at = len(plain) - len(text)
    while (at_least := length + element[:at].count("\r\n")) != at:
        at = at_least
    root, fault = _shifted(element[at:], start + at)
    return Script(Span(start, start + len("<script")), element[at:], root, fault)


def _shifted(text: str, offset: int) -> tuple[Node | None, Fault | None]:
    """A JSON text read as a tree whose places are those in the page."""
    root, fault = json_tree(text)
    if fault is not None:
        fault = fault._replace(span=Span(fault.span.start + offset, fault.span.end + offset))
    for node in root.walk() if root is not None else ():
        node.span = Span(node.span.start + offset, node.span.end + offset)
        if node.key is not None:
            node.key.span = Span(node.key.span.start + offset, node.key.span.end + offset)
    return root, fault


def _execution_pages(site: Site) -> dict[str, list[Listing]]:
    """The pages of the tree where skills of DualNova are carried out, with the entries of these skills."""
    found: dict[str, list[Listing]] = {}
    for listing in site.entries():
        registry, entry = listing
        if not isinstance(registry, Index) or not registry.is_dualnova or site.target(listing).kind != "file":
            continue
        href, base = entry.text("execution_url"), registry.site_path
        if href is None:
            skill = site.skill_of(listing)
            href, base = (skill.value("url"), site.target(listing).path) if skill is not None else (None, "")
        page = _page(site, href, base) if href is not None else None
        if page is not None:
            found.setdefault(page, []).append(listing)
    return found


def _page(site: Site, href: str, base: str) -> str | None:
    """The HTML file that a host serves at an address."""
    target = site.resolve(href, base)
    if target.kind not in ("file", "folder", "missing"):
        return None
    path = target.path
    for candidate in (path, f"{path}/index.html".lstrip("/"), f"{path}.html"):
        if candidate.endswith((".html", ".htm")) and site.folder.find(candidate) == "file":
            return candidate
    return None


def _pages_with_json_ld(site: Site, first: list[str]) -> Iterator[str]:
    """Pages that may hold JSON-LD about skills: those given, the home page, then others of the tree."""
    known = dict.fromkeys([*first, "index.html"])
    others = (path for path in site.files() if path.endswith((".html", ".htm")) and path not in known)
    for path in _within_limits(site, chain(known, others)):
        if path in known:
            yield path
            continue
        raw = site.folder.read(path) or b""
        if b"ld+json" in raw.lower() and (b"agent-skills" in raw or b"SKILL.md" in raw):
            yield path


def _within_limits(site: Site, paths: Iterable[str]) -> Iterator[str]:
    """The pages that may be read: none larger than MAX_BYTES, and no more than all these limits allow."""
    total = 0
    for path in islice(paths, MAX_PAGES):
        size = site.folder.size(path)
        if size is None or size > MAX_BYTES:
            continue
        total += size
        if total > MAX_PAGE_BYTES:
            return
        yield path


def _head(page: Document) -> Span:
    found = _HEAD.search(page.source)
    return Span(found.start(), found.end()) if found is not None else first_line(page)


def _fault(script: Script) -> str:
    detail = script.fault.detail if script.fault is not None else ""
    return _FAULTS.get(detail, "something here that is no JSON value")


def _speaks_of_skills(text: str) -> bool:
    return "agent-skills" in text or "SKILL.md" in text


# --------------------------------------------------------------------------------------------
# Shared


def _missing(site: Site, href: str, base: str) -> str | None:
    """The path to which the address of a skill or an index leads where nothing stands there."""
    path = re.split(r"[?#]", href, maxsplit=1)[0]
    if "." not in path or _PLACEHOLDER.search(path) is not None or any(char <= " " for char in href):
        return None
    is_skill = posixpath.basename(path) == "SKILL.md"
    if not is_skill and not (path.endswith(_ARTIFACTS) and any(f"{folder}/" in path for folder in WELL_KNOWN)):
        return None
    target = site.resolve(href, base)
    return target.path if target.kind == "missing" else None


def _told(site: Site) -> set[str]:
    """The missing paths that the rules about registries report: those of entries, and an index that skills lack."""
    targets = map(site.target, site.entries())
    found = {target.path for target in targets if target.kind in ("missing", "failed")}
    return found.union(f"{folder}/index.json" for folder in WELL_KNOWN if site.skills_in(folder))
