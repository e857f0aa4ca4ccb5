"""Whether agents can reach what a site publishes: robots.txt, what hosts hide, headers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from agentskills_lint.documents import Document, Skill
from agentskills_lint.json_tree import json_tree
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Related, Span
from agentskills_lint.patterns import Patterns
from agentskills_lint.registries import DISCOVERY_FILES, WELL_KNOWN, Index
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.site import Site
from agentskills_lint.specs import DUALNOVA, WSP
from agentskills_lint.trees import Node, yaml_tree
from agentskills_lint.urls import parts_of
from agentskills_lint.wording import shown

if TYPE_CHECKING:
    from protego import Protego

MAX_ROBOTS = 512_000
"""Bytes of a robots.txt that crawlers have to read (RFC 9309, section 2.5)."""

MAX_MATCHES = 200_000
"""Lines of a robots.txt times files that are looked up in it."""

_MOST_LINES = 6
"""Lines of a robots.txt that a hint proposes."""

MAX_CONFIG = 100_000
"""Code points of a host's configuration; a longer one is not judged."""

_JEKYLL = "https://jekyllrb.com/docs/configuration/options/"

# what Python's splitlines, by which protego divides a text, takes for a line end and RFC 9309 does not
_FALSE_LINE_END = lazy(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_LINE = lazy(r"[^\r\n]+")
# the fields, and their misspellings, that protego and the crawlers of search engines know
_AGENT_FIELD = "user-agent", "useragent", "user agent"
_DISALLOW_FIELD = "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"
_OTHER_FIELDS = "allow", "crawl-delay", "crawl delay", "request-rate", "request rate", "visit-time", "visit time"
_SITE_FIELDS = "sitemap", "sitemaps", "site-map", "host"
_FIELDS = frozenset((*_AGENT_FIELD, *_DISALLOW_FIELD, *_OTHER_FIELDS, *_SITE_FIELDS))
_GEM = lazy(r"^[ \t]*gem[ \t]+[\"'](?:jekyll|github-pages)[\"']", re.M)
_NO_JEKYLL = frozenset(
    {
        # Hexo's keys
        "new_post_name", "skip_render", "post_asset_folder", "deploy",
        # those of Jupyter Book
        "launch_buttons", "sphinx", "execute", "parse", "only_build_toc_files",
    }
)  # fmt: skip


class Published(NamedTuple):
    """A file that a site publishes for agents: its path below the root, its URL path, who names it, and where."""

    path: str
    url: str
    document: Document
    where: Span


# --------------------------------------------------------------------------------------------
# robots.txt


class Barrier(NamedTuple):
    """A Disallow line that holds for every agent: its path, and where that stands."""

    pattern: str
    span: Span


@rule(
    "robots-disallow",
    "SKL851",
    on=Site,
    asked_by={
        "wsp": must(WSP + "#91-robotstxt-rfc-9309"),
        "dualnova": should(DUALNOVA + "#relationship-to-existing-standards"),
        "advice": advice("warning", "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2"),
    },
)
def robots_disallow(site: Site, ask: Ask) -> Iterator[Problem]:
    """robots.txt keeps every agent from skills, or from the files that list them.

    Agents respect robots.txt: what a group for `*` disallows is not fetched, so a skill behind
    such a line is published and yet out of reach. The longest path that matches decides, and
    Allow wins a tie (RFC 9309). Rules for named crawlers are the site's own choice.

    ```tree bad
    === robots.txt
    User-agent: *
    Disallow: /skills/
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    ```tree good
    === robots.txt
    User-agent: *
    Disallow: /internal/
    === items of skills.txt
    - [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
    === skills/pay-invoice/SKILL.md
    [clean skill]
    ```
    """
    robots = site.document("robots.txt")
    if robots is None or site.base:
        return  # crawlers read the robots.txt of a host's root alone
    text = crawled(robots)
    barriers = Barriers(text)
    if not barriers.found:
        return
    from protego import Protego

    rules = Protego.parse(text)
    hidden: dict[Barrier, list[Published]] = {}
    for file in published(site)[: max(5, MAX_MATCHES // (text.count("\n") + 1))]:
        barrier = None if rules.can_fetch(file.url, "*") else barriers.deciding(file.url)
        if barrier is not None:
            hidden.setdefault(barrier, []).append(file)
    for barrier, files in hidden.items():
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        places = {(file.document.path, file.where): file for file in files}
        yield Problem(
            (robots, barrier.span),
            f"{shown(barrier.pattern)} keeps every agent from {shown('/' + files[0].path)}{more}, "
            "which the site publishes for agents",
            related=tuple(Related((file.document, file.where), "published here") for file in list(places.values())[:3]),
            hint=_hint(barrier, files),
        )


def _hint(barrier: Barrier, files: list[Published]) -> str:
    """The Allow lines that let agents through to all files, or the advice to disallow less where they are many."""
    lines = list(_allowing(barrier, files))
    if None in lines or len(lines) > _MOST_LINES:
        return "disallow less; these files are for agents"
    told = [f"'Allow: {line}'" for line in lines]
    what = "a rule" if len(told) == 1 else "rules"
    return f"add {what} below the same User-agent, {', '.join(told)}, or disallow less"


def _allowing(barrier: Barrier, files: list[Published]) -> Iterator[str | None]:
    """The paths of Allow lines that win against a barrier, as few as can be; None for a file that none lets through."""
    shelves: dict[str, list[Published]] = {}
    for file in files:
        shelves.setdefault(_shelf(file), []).append(file)
    for shelf, below in shelves.items():
        for path in (shelf, _url_of(shelf_of(below))):
            if path != "/" and _lets_through(path, barrier, below):
                yield path
                break
        else:
            for file in below[: _MOST_LINES + 1]:
                exact = (file.url, f"{file.url}$")
                yield next((path for path in exact if _lets_through(path, barrier, [file])), None)


def _shelf(file: Published) -> str:
    """The URL path of the folder for agents that holds a file, its own where it stands at the root."""
    path = f"/{file.path}"
    for folder in (*WELL_KNOWN, *DISCOVERY_FILES.values()):
        if path.startswith(f"/{folder}/"):
            return f"/{folder}/"
    folder = posixpath.dirname(path).rstrip("/")
    return _url_of(f"{folder}/") if folder else file.url


def _url_of(path: str) -> str:
    return quote(path, errors="surrogateescape")


def _lets_through(path: str, barrier: Barrier, files: list[Published]) -> bool:
    """Whether an Allow line wins against a barrier, the strongest that holds for the files."""
    from protego import Protego

    rules = Protego.parse(f"User-agent: *\nDisallow: {barrier.pattern}\nAllow: {path}")
    return _octets(path) >= _octets(barrier.pattern) and all(rules.can_fetch(file.url, "*") for file in files)


def crawled(robots: Document) -> str:
    """The part of a robots.txt that crawlers read, divided into lines by nothing but line ends."""
    text = robots.source
    if len(robots.raw) > MAX_ROBOTS:
        text = text[: len(robots.raw[:MAX_ROBOTS].decode(errors="replace").removeprefix("\ufeff"))]
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]  # half a rule says something else
    return _FALSE_LINE_END.sub("\ufffd", text)


class Barriers:
    """The Disallow lines of the groups for every agent; `found` in the order of the file.

    protego is the judge of a whole file and of each single line, but tells no lines: the groups
    are found here, by the same reading.
    """

    def __init__(self, text: str) -> None:
        self.found = list(_disallowed(text))
        self._by_length = sorted(dict.fromkeys(self.found), key=lambda barrier: -_octets(barrier.pattern))
        self._parsed: dict[str, Protego] = {}

    def deciding(self, url: str) -> Barrier | None:
        """The line with the longest path that matches a URL; the first one of equals."""
        return next((barrier for barrier in self._by_length if self._forbids(barrier.pattern, url)), None)

    def _forbids(self, pattern: str, url: str) -> bool:
        parsed = self._parsed.get(pattern)
        if parsed is None:
            from protego import Protego

            parsed = self._parsed[pattern] = Protego.parse(f"User-agent: *\nDisallow: {pattern}")
        return not parsed.can_fetch(url, "*")


def _disallowed(text: str) -> Iterator[Barrier]:
    holds = in_agents = False
    for line in _LINE.finditer(text):
        bare = line[0].partition("#")[0].strip()
        field, value = _field(bare)
        if field in _AGENT_FIELD:
            holds = (holds and in_agents) or value == "*"
            in_agents = True
        elif field and field not in _SITE_FIELDS:
            in_agents = False
            if holds and value and field in _DISALLOW_FIELD:
                start = line.end() - len(line[0].lstrip()) + len(field)
                start = text.index(value.split()[0], start)
                end = line.start() + len(line[0].partition("#")[0].rstrip())
                yield Barrier(value, Span(start, end))


def _field(line: str) -> tuple[str, str]:
    """The field, lower case, and the value of a line without blanks around it; crawlers forgive a missing colon."""
    name, colon, value = line.partition(":")
    name = name.strip().lower()
    if colon and (name in _FIELDS or not value or value[0].isspace()):
        return name, value.strip()
    words = line.split()
    for count in (1, 2):
        field = " ".join(words[:count]).lower()
        if field in _FIELDS:
            return field, " ".join(words[count:])
    return (name, value.strip()) if colon else ("", "")


def _octets(pattern: str) -> int:
    """The length of a path as RFC 9309 counts it, whether its characters are escaped or not."""
    return len(quote(unquote_to_bytes(pattern), safe="/*$=~"))


# --------------------------------------------------------------------------------------------
# What hosts leave out


@rule(
    "host-hides-files",
    "SKL855",
    on=Site,
    asked_by={"advice": advice("warning", _JEKYLL)},
)
def host_hides_files(site: Site, ask: Ask) -> Iterator[Problem]:
    """The host leaves out skills, or does not serve them as they are.

    Jekyll, which GitHub Pages runs by default, leaves out folders that begin with a dot, and turns
    Markdown with a frontmatter into HTML pages: no SKILL.md is found at its address. An empty
    file .nojekyll stops both. Ignore files of other hosts can leave `.well-known` out as well.

    ```tree bad
    === .well-known/agent-skills/index.json
    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    === _config.yml
    title: Acme
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    === _config.yml
    title: Acme
    include: [.well-known]
    ```
    """
    files = published(site)
    if not files:
        return
    yield from _jekyll(site, files)
    for name in (".vercelignore", ".gcloudignore", ".assetsignore"):
        for folder in config_folders(site) if name != ".assetsignore" else ("",):
            yield from _ignored(site, f"{folder}{name}", files)
    for folder in config_folders(site):
        yield from _left_out_by_firebase(site, f"{folder}firebase.json", files)


def _jekyll(site: Site, files: list[Published]) -> Iterator[Problem]:
    if site.folder.find(".nojekyll") is not None:
        return
    told = _jekyll_config(site)
    if told is None:
        return
    config, where, includes = told
    dotted = [file for file in files if file.path.startswith(".")]
    if dotted and not includes:
        yield Problem(
            (config, where),
            f"Jekyll publishes no folder that begins with a dot, so {shown('/' + dotted[0].path)} will not be found",
            related=(Related((dotted[0].document, dotted[0].where), "published here"),),
            hint="add 'include: [.well-known]' to _config.yml, or an empty file .nojekyll if no page needs Jekyll",
        )
        return
    for file in files:
        skill = site.skill(file.path)
        if skill is not None and skill.fences is not None and skill.fences.first and file.path.endswith(".md"):
            yield Problem(
                (config, where),
                f"Jekyll turns Markdown with a frontmatter into HTML, so {shown('/' + file.path)} will not be found",
                related=(Related((file.document, file.where), "published here"),),
                hint="copy the file behind Jekyll's build, or add an empty file .nojekyll if no page needs Jekyll",
            )
            return


def _jekyll_config(site: Site) -> tuple[Document, Span, bool] | None:
    """What shows that Jekyll builds a site, where, and whether its configuration includes .well-known."""
    for folder in config_folders(site):
        config = site.document(f"{folder}_config.yml")
        if config is not None and config.readable and len(config.source) <= MAX_CONFIG:
            root, _ = yaml_tree(config.source)
            if root is None or root.kind != "map" or site.folder.find(f"{folder}_toc.yml") is not None:
                return None  # Jupyter Book has a file of this name, too
            keys = {item.key.value for item in root.items if item.key is not None}
            source = root.get("source")
            below = posixpath.normpath(source.value) if source is not None else "."
            if keys & _NO_JEKYLL or below != (site.folder.name if folder else ".") or "markdown_ext" in keys:
                return None
            included = root.get("include")
            where = included.key.span if included is not None and included.key is not None else first_line(config)
            return config, where, included is not None and _includes_dots(included)
        if folder == "":
            gems = site.document("Gemfile")
            found = _GEM.search(gems.source) if gems is not None and "gem" in gems.source else None
            if gems is not None and found is not None:
                return gems, Span(found.start() + len(found[0]) - len(found[0].lstrip()), found.end()), False
    return None


def _includes_dots(included: Node) -> bool:
    values = [item.value for item in included.items] or [included.value]
    return any(value.strip("/").split("/")[0] in (".well-known", ".*", "*", ".well-known*") for value in values)


def _ignored(site: Site, path: str, files: list[Published]) -> Iterator[Problem]:
    """A file in the manner of .gitignore that keeps published files from being uploaded."""
    ignore = site.document(path)
    if ignore is None or not ignore.readable or len(ignore.source) > MAX_CONFIG:
        return
    patterns = Patterns(line[0] for line in _LINE.finditer(ignore.source))
    prefix = f"{site.folder.name}/" if path.startswith("../") else ""
    if prefix and patterns.covering(prefix.rstrip("/"), True) is not None:
        return  # the folder as a whole is built elsewhere
    for file in files:
        pattern = patterns.covering(prefix + file.path, False)
        if pattern is None:
            continue
        line = next(line for line in reversed(list(_LINE.finditer(ignore.source))) if line[0].rstrip() == pattern)
        yield Problem(
            (ignore, Span(line.start(), line.start() + len(pattern))),
            f"{shown(pattern)} keeps {shown('/' + file.path)} from being published",
            related=(Related((file.document, file.where), "published here"),),
            hint=f"add a line '!{pattern.split('/')[0]}' below it, or ignore less",
        )
        return


def _left_out_by_firebase(site: Site, path: str, files: list[Published]) -> Iterator[Problem]:
    """Patterns of `ignore` match whole paths of files: the usual `**/.*` leaves out no file in a dot folder."""
    config = site.document(path)
    root = json_config(config)
    if config is None or root is None:
        return
    hosting = root.get("hosting")
    public = site.folder.name if path.startswith("../") else "."
    for target in (hosting.items if hosting.kind == "list" else [hosting]) if hosting is not None else ():
        folder = target.get("public")
        ignore = target.get("ignore")
        if folder is None or ignore is None or posixpath.normpath(folder.value) != public:
            continue
        if any(item.value.startswith("!") for item in ignore.items):
            continue
        for item in ignore.items:
            pattern = Patterns([item.value])
            for file in files:
                if ("/" not in item.value and "/" in file.path) or pattern.decide(file.path, False) is None:
                    continue
                yield Problem(
                    (config, item.span),
                    f"{shown(item.value)} keeps {shown('/' + file.path)} from being published",
                    related=(Related((file.document, file.where), "published here"),),
                )
                return


# --------------------------------------------------------------------------------------------
# Shared


def published(site: Site) -> list[Published]:
    """The files for agents: registries, what they list, skills in their folders."""
    found: dict[str, Published] = {}
    for registry in site.registries:
        if registry.dialects or isinstance(registry, Index):
            found[registry.site_path] = _published(site, registry.site_path, registry, first_line(registry))
    for listing in site.entries():
        target = site.target(listing)
        if target.kind == "file" and target.path not in found:
            parts = parts_of(target.url)
            url = parts.path + (f"?{parts.query}" if parts.query else "")
            found[target.path] = Published(target.path, url, listing.registry, listing.entry.where)
    shelves = (DISCOVERY_FILES[r.name.lower()] for r in site.registries if r.dialects == ("wsp",))
    for skill, path in site.skills_in(*WELL_KNOWN, *shelves):
        if path not in found:
            found[path] = _published(site, path, _registry_beside(site, path) or skill, None)
    return list(found.values())


def _published(site: Site, path: str, document: Document, where: Span | None) -> Published:
    return Published(path, "/" + quote(path), document, where if where is not None else _place_in(document))


def _registry_beside(site: Site, path: str) -> Document | None:
    """The index of the well-known folder that holds a path."""
    for registry in site.registries:
        if isinstance(registry, Index) and path.startswith(f"{posixpath.dirname(registry.site_path)}/"):
            return registry
    return None


def _place_in(document: Document) -> Span:
    return document.anchor if isinstance(document, Skill) else first_line(document)


def first_line(document: Document) -> Span:
    """Where findings about what a file lacks stand."""
    end = document.text.line_bounds(0)[1]
    return Span(0, max(len(document.source[:end].rstrip("\r\n")), min(1, len(document.source))))


def shelf_of(files: list[Published]) -> str:
    """The folder, as a URL path, that holds all files."""
    return f"/{posixpath.commonpath([posixpath.dirname(file.path) for file in files])}/".replace("//", "/")


def config_folders(site: Site) -> tuple[str, ...]:
    """Where configurations of a site stand: in its root and, unless that is a repository, one folder above."""
    return ("",) if site.folder.is_repository or site.folder.path in ("", "/") else ("", "../")


def json_config(document: Document | None) -> Node | None:
    """The object of a JSON configuration, None where there is none that can be read."""
    if document is None or not document.readable or len(document.source) > MAX_CONFIG:
        return None
    root, _ = json_tree(document.source)
    return root if root is not None and root.kind == "map" else None
