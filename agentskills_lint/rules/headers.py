"""The headers that a host's configuration sends with index, skills and archives."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from agentskills_lint.documents import Document
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Related, Span
from agentskills_lint.registries import DISCOVERY_FILES, Index
from agentskills_lint.rule import Ask, must, rule, should
from agentskills_lint.rules.hosting import (
    MAX_CONFIG,
    Published,
    config_folders,
    first_line,
    json_config,
    published,
    shelf_of,
)
from agentskills_lint.site import Site
from agentskills_lint.specs import DISCOVERY, DUALNOVA, WSP
from agentskills_lint.trees import Node
from agentskills_lint.urls import parts_of
from agentskills_lint.wording import shown

if TYPE_CHECKING:
    from agentskills_lint.toml_lines import Path

MAX_BLOCKS = 500
"""Rules of a header configuration that are judged; hosts take a few hundred."""

MAX_PATH = 500
"""Characters of a path that patterns are tried on."""

MAX_DOTS = 500
"""Dots of a line of TOML; a key with more of them is no key of a host."""

_CORS = "access-control-allow-origin"
_TYPE = "content-type"
_LINE = lazy(r"[^\r\n]+")
_PATH_LINE = lazy(r"(?:[^\s]+:/)?/")
_PLACEHOLDER = lazy(r":[A-Za-z][A-Za-z0-9_]*")
_SOURCE_PART = lazy(r":([A-Za-z0-9_]+)(\([^()]*\))?([*+?]?)|(\([^()]*\))([*+?]?)|(\\.)|([^:()\\]+)|(.)", re.S)
_PLAIN_GROUP = lazy(r"(?:\.[*+]|\[\^/\][*+]|\\[dw][*+]|(?:[\w-]|\\.)+(?:\|(?:[\w-]|\\.)+)*)")


class Header(NamedTuple):
    """A response header that a configuration sets; `where` is the place of its value."""

    name: str
    value: str
    where: Span


class Block(NamedTuple):
    """A rule of a header configuration.

    `matches` tells of a path whether the rule holds for it, None where that cannot be told;
    `removed` are headers that it takes away before it sets its own.
    """

    document: Document
    where: Span
    matches: Callable[[str], bool | None]
    headers: tuple[Header, ...]
    removed: frozenset[str] = frozenset()


class Host(NamedTuple):
    """The header configuration for one host.

    `order`: "all" (what several rules set is joined), "last" or "first" (that rule alone counts);
    `cors` says whether the host sends CORS headers by itself: True, False, or None for unknown.
    `types` are content types by file name extension.
    """

    blocks: tuple[Block, ...]
    order: str
    cors: bool | None
    types: tuple[Header, ...] = ()
    every: Block | None = None

    def of(self, path: str, name: str) -> list[tuple[Block, Header]] | None:
        """What a path gets under the name of a header; None where a rule cannot be told to match and sets it."""
        found: list[tuple[Block, Header]] = []
        for block in self.blocks:
            sets = [header for header in block.headers if header.name == name]
            if not sets and name not in block.removed and self.order != "first":
                continue
            holds = block.matches(path)
            if holds is None:
                if sets:
                    return None
                continue
            if not holds:
                continue
            if name in block.removed or (sets and self.order == "last"):
                found = []
            found += [(block, header) for header in sets]
            if self.order == "first":
                break
        if not found and self.every is not None:
            found = [(self.every, header) for header in self.every.headers if header.name == name]
        return found

    def removes(self, path: str, name: str) -> bool:
        """Whether a rule takes a header away that the host would send."""
        return any(name in block.removed and block.matches(path) for block in self.blocks)


@rule(
    "host-headers",
    "SKL856",
    on=Site,
    asked_by={
        "dualnova": should(DUALNOVA + "#cors"),
        "discovery": should(DISCOVERY + "#http-considerations"),
    },
)
def host_headers(site: Site, ask: Ask) -> Iterator[Problem]:
    """No header lets pages of other origins read the index and the skills.

    Assistants that run in a browser can read only what comes with Access-Control-Allow-Origin.
    Hosts such as Netlify and Azure send it where their configuration says so and nowhere else.
    Where the host may send it by itself, as Cloudflare Pages does, a configuration is judged only
    if it sets the header for other paths by hand.

    ```tree bad
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === netlify.toml
    [[headers]]
      for = "/*"
      [headers.values]
        X-Frame-Options = "DENY"
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    === netlify.toml
    [[headers]]
      for = "/.well-known/*"
      [headers.values]
        Access-Control-Allow-Origin = "*"
    ```
    """
    files = [file for file in published(site) if file.path not in DISCOVERY_FILES and isinstance(file.document, Index)]
    if not files:
        return
    for host in _hosts(site):
        by_hand = any(header.name == _CORS for block in host.blocks for header in block.headers)
        lacking = [file for file in files if _lacks_cors(host, file, by_hand, site)]
        if not lacking:
            continue
        first = lacking[0]
        blocks = [block for block in host.blocks if any(block.matches(path) for path in _ways(site, first))]
        removing = [block for block in blocks if _CORS in block.removed]
        if blocks or host.every is not None:
            document, where, *_ = [*blocks[-1:], *removing[-1:]][-1] if blocks else host.every or blocks[0]
        else:
            document = host.blocks[0].document
            where = first_line(document)
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        yield Problem(
            (document, where),
            f"no Access-Control-Allow-Origin is set for {shown('/' + first.path)}{more}, "
            "so assistants in a browser cannot read it",
            related=tuple(Related((file.document, file.where), "published here") for file in lacking[:3]),
            hint=f"set 'Access-Control-Allow-Origin: *' for '{shelf_of(lacking)}*'",
        )


def _lacks_cors(host: Host, file: Published, by_hand: bool, site: Site) -> bool:
    found = [host.of(path, _CORS) for path in _ways(site, file)]
    if any(headers is None or headers for headers in found):
        return False
    if any(host.removes(path, _CORS) for path in _ways(site, file)):
        return True
    return host.cors is False or (host.cors is None and by_hand)


@rule(
    "host-content-type",
    "SKL859",
    on=Site,
    asked_by={
        "discovery": must(DISCOVERY + "#http-considerations", level="warning"),
        "wsp": must(WSP + "#101-publisher-requirements", level="warning"),
    },
)
def host_content_type(site: Site, ask: Ask) -> Iterator[Problem]:
    """The host serves an index, a skill or an archive with a wrong content type.

    Clients choose by the type how to read a response. An index is application/json, a SKILL.md
    text/markdown or text/plain, an archive application/gzip or application/zip.

    ```tree bad
    === .well-known/agent-skills/index.json
    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    === _headers
    /.well-known/*
      Content-Type: text/plain
    ```
    ```tree good
    === .well-known/agent-skills/index.json
    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    === _headers
    /.well-known/agent-skills/index.json
      Content-Type: application/json; charset=utf-8
    ```
    """
    wrong: dict[tuple[str, Span], tuple[Document, Header, bool, list[Published]]] = {}
    files = published(site)
    for host in _hosts(site):
        for file in files:
            right = _types_of(file.path)
            if right is None:
                continue
            found = [pair for path in _ways(site, file) for pair in host.of(path, _TYPE) or ()]
            extension = posixpath.splitext(file.path)[1]
            if not found:
                found = [(host.blocks[0], header) for header in host.types if header.name == extension]
            bad = [pair for pair in found if pair[1].value.partition(";")[0].strip().lower() not in right]
            if host.order == "any" and len(bad) < len(found):
                continue
            for block, header in bad:
                key = block.document.location, header.where
                wrong.setdefault(key, (block.document, header, len(found) > 1, []))[3].append(file)
    for document, header, joined, served in wrong.values():
        first = served[0]
        more = f" and {len(served) - 1} more" if len(served) > 1 else ""
        how, alone = ("would also be served as", " alone") if joined else ("would be served as", "")
        yield Problem(
            (document, header.where),
            f"{shown('/' + first.path)}{more} {how} {shown(header.value)}, "
            f"which should be {' or '.join((_types_of(first.path) or ())[:2])}{alone}",
            related=tuple(Related((file.document, file.where), "published here") for file in served[:3]),
        )


def _types_of(path: str) -> tuple[str, ...] | None:
    """The content types that a published file may have, None where nobody says."""
    name = posixpath.basename(path)
    if path in DISCOVERY_FILES:
        return "text/plain", "text/markdown"
    if name == "index.json":
        return ("application/json",)
    if name == "SKILL.md":
        return "text/markdown", "text/plain"
    if name.endswith((".tar.gz", ".tgz")):
        return "application/gzip", "application/x-gzip"
    if name.endswith(".zip"):
        return ("application/zip",)
    return None


def _hosts(site: Site) -> Iterator[Host]:
    """The header configurations in the tree, those one folder above the root included."""
    folders = config_folders(site)
    toml = [block for folder in folders for block in _netlify_blocks(site.document(f"{folder}netlify.toml"), site)]
    plain = _header_blocks(site.document("_headers"), site)
    if plain or toml:
        is_netlify = any(site.folder.find(f"{folder}netlify.toml") for folder in folders)
        # Cloudflare joins what several rules set; how Netlify chooses is not said
        yield Host((*plain, *toml), "any" if is_netlify else "all", False if is_netlify else _cloudflare_cors(site))
    for folder in folders:
        vercel = site.document(f"{folder}vercel.json")
        blocks = _vercel_blocks(vercel)
        if blocks:
            yield Host(blocks, "last", None)
        azure = site.document(f"{folder}staticwebapp.config.json")
        host = _azure(azure)
        if host is not None:
            yield host


def _cloudflare_cors(site: Site) -> bool | None:
    """Whether the host of a lone _headers sends CORS headers: Cloudflare Pages does, its Workers do not."""
    headers = site.document("_headers")
    said = headers.source.lower() if headers is not None else ""
    if "cloudflare pages" in said or "pages.dev" in said or site.folder.find("_routes.json"):
        return True
    for path in (f"{folder}wrangler.{kind}" for folder in config_folders(site) for kind in ("toml", "jsonc", "json")):
        config = site.document(path)
        if config is not None and "pages_build_output_dir" in config.source:
            return True
        if config is not None and "assets" in config.source:
            return False
    return False if "netlify" in said else None


def _header_blocks(document: Document | None, site: Site) -> list[Block]:
    """The rules of a _headers file, as Netlify and Cloudflare read it."""
    if document is None or not document.readable or len(document.source) > MAX_CONFIG:
        return []
    blocks: list[Block] = []
    headers: list[Header] = []
    removed: set[str] = set()
    for line in _LINE.finditer(document.source):
        text = line[0].strip()
        if not text or text.startswith("#"):
            continue
        start = line.start() + len(line[0]) - len(line[0].lstrip())
        if _PATH_LINE.match(text):
            if len(blocks) >= MAX_BLOCKS:
                break
            _close(blocks, headers, removed)
            blocks.append(Block(document, Span(start, start + len(text)), _splat(text, site), ()))
        elif text.startswith("!"):
            removed.add(text[1:].strip().rstrip(":").lower())
        elif ":" in text:
            name, _, value = text.partition(":")
            value = value.strip()
            at = start + len(text) - len(value)
            headers.append(Header(name.strip().lower(), value, Span(at, at + len(value))))
    _close(blocks, headers, removed)
    return blocks


def _close(blocks: list[Block], headers: list[Header], removed: set[str]) -> None:
    """Give the last rule what stands below its path; what stands above the first path is nobody's."""
    if blocks:
        blocks[-1] = blocks[-1]._replace(headers=tuple(headers), removed=frozenset(removed))
    headers.clear()
    removed.clear()


def _splat(pattern: str, site: Site) -> Callable[[str], bool | None]:
    """A path of Netlify or Cloudflare: `*` stands for anything, `:name` for what is between two slashes."""
    if "://" in pattern:
        parts = parts_of(pattern)
        origin = parts_of(site.origin.url or "")
        if not parts.netloc or parts.netloc.lower() != origin.netloc.lower():
            return lambda _path: None
        pattern = parts.path or "/"
    if pattern.count("*") + pattern.count(":") > 8:
        return lambda _path: None
    pieces = []
    for piece in pattern.split("*"):
        at, text = 0, ""
        for found in _PLACEHOLDER.finditer(piece):
            text += re.escape(piece[at : found.start()]) + "[^/]+"
            at = found.end()
        pieces.append(text + re.escape(piece[at:]))
    first, *rest = pieces
    # what stands before a further star is atomic: a hostile pattern cannot make the search try all combinations
    middle = "".join(f"(?>.*?{piece})" for piece in rest[:-1])
    return _full(first + middle + (f".*{rest[-1]}" if rest else ""))


def _full(expression: str) -> Callable[[str], bool | None]:
    compiled = re.compile(expression, re.S | re.A)
    return lambda path: compiled.fullmatch(path) is not None if len(path) <= MAX_PATH else None


def _netlify_blocks(document: Document | None, site: Site) -> list[Block]:
    """The [[headers]] tables of a netlify.toml."""
    if document is None or len(document.source) > MAX_CONFIG or "headers" not in document.source:
        return []
    import tomllib

    from agentskills_lint.toml_lines import lines_of

    source = document.source.replace("\r\n", "\n")
    if any(line.count(".") > MAX_DOTS for line in source.split("\n")):
        return []
    try:
        tables = tomllib.loads(source).get("headers")
        lines = lines_of(source) if tables else {}
    except (ValueError, RecursionError, IndexError):
        return []
    blocks = []
    for index, table in enumerate(tables[:MAX_BLOCKS] if isinstance(tables, list) else ()):
        path = table.get("for") if isinstance(table, dict) else None
        values = table.get("values") if isinstance(table, dict) else None
        if not isinstance(path, str) or not isinstance(values, dict):
            continue
        headers = tuple(
            Header(name.lower(), text, _toml_place(document, lines, ("headers", index, "values", name), text))
            for name, value in values.items()
            for text in (value if isinstance(value, list) else [value])
            if isinstance(text, str)
        )
        where = _toml_place(document, lines, ("headers", index, "for"), path)
        blocks.append(Block(document, where, _splat(path, site), headers))
    return blocks


def _toml_place(document: Document, lines: dict[Path, int], path: Path, value: str) -> Span:
    """Where a value stands: within its line, else that line."""
    start, end = document.text.line_bounds(document.text.starts[lines.get(path, 1) - 1])
    line = document.source[start:end].rstrip("\r\n")
    for quoted in (f'"{value}"', f"'{value}'"):
        at = line.rfind(quoted)
        if at >= 0:
            return Span(start + at, start + at + len(quoted))
    return Span(start + len(line) - len(line.lstrip()), start + len(line.rstrip()))


def _vercel_blocks(document: Document | None) -> tuple[Block, ...]:
    """The rules of `headers` in a vercel.json."""
    root = json_config(document)
    rules = root.get("headers") if root is not None else None
    if document is None or rules is None or rules.kind != "list":
        return ()
    blocks = []
    for item in rules.items[:MAX_BLOCKS]:
        source, sets = item.get("source"), item.get("headers")
        if source is None or sets is None:
            continue
        matches = _vercel_source(source.value)
        if item.get("has") is not None or item.get("missing") is not None:
            matches = _cannot_tell
        headers = [(entry.get("key"), entry.get("value")) for entry in sets.items]
        blocks.append(
            Block(
                document,
                source.span,
                matches,
                tuple(Header(k.value.lower(), v.value, v.span) for k, v in headers if k is not None and v is not None),
            )
        )
    return tuple(blocks)


def _cannot_tell(_path: str) -> bool | None:
    return None


def _vercel_source(source: str) -> Callable[[str], bool | None]:
    """A path in the manner of path-to-regexp; of regular expressions in it only plain ones are read."""
    text, wild = "", 0
    for part in _SOURCE_PART.finditer(source):
        name, pattern, many, group, group_many, escape, plain, other = part.groups()
        if other is not None:
            return _cannot_tell
        if plain is not None:
            text += re.escape(plain)
            continue
        if escape is not None:
            text += re.escape(escape[1:])
            continue
        custom = pattern or group
        if custom is not None and not _PLAIN_GROUP.fullmatch(custom[1:-1]):
            return _cannot_tell
        one = f"(?:{custom[1:-1]})" if custom is not None else "[^/]+"
        repeat = many if name is not None else group_many
        wild += bool(repeat) or custom in ("(.*)", "(.+)")
        if not repeat:
            text += one
            continue
        slash = text.endswith("/")
        text = text[:-1] if slash else text
        if repeat == "?":
            text += f"(?:/{one})?" if slash else f"(?:{one})?"
        else:
            text += ("(?:/.*)?" if slash else ".*") if repeat == "*" else ("/.+" if slash else ".+")
    return _full(text) if wild <= 2 else _cannot_tell


def _azure(document: Document | None) -> Host | None:
    """The headers of a staticwebapp.config.json: of routes the first that matches counts, before those for all."""
    root = json_config(document)
    if document is None or root is None:
        return None
    every = root.get("globalHeaders")
    types = root.get("mimeTypes")
    routes = root.get("routes")
    blocks = []
    for item in routes.items[:MAX_BLOCKS] if routes is not None else ():
        route, headers, methods = item.get("route"), item.get("headers"), item.get("methods")
        if route is None or (methods is not None and all(method.value != "GET" for method in methods.items)):
            continue
        blocks.append(Block(document, route.span, _azure_route(route.value), _pairs(headers)))
    if every is None and not any(block.headers for block in blocks) and types is None:
        return None
    where = every.key.span if every is not None and every.key is not None else first_line(document)
    return Host(
        tuple(blocks) or (Block(document, where, lambda _path: False, ()),),
        "first",
        every is None and not any(block.headers for block in blocks),
        tuple(_pairs(types)),
        Block(document, where, lambda _path: True, _pairs(every)) if every is not None else None,
    )


def _pairs(node: Node | None) -> tuple[Header, ...]:
    items = node.items if node is not None else []
    return tuple(Header(item.key.value.lower(), item.value, item.span) for item in items if item.key is not None)


def _azure_route(route: str) -> Callable[[str], bool | None]:
    """A route of Azure: one star at the end, or before a choice of extensions."""
    head, star, tail = route.partition("*")
    if "*" in tail or len(route) > 2_000:
        return _cannot_tell
    if not star:
        return lambda path: path == route
    if tail.startswith(".{") and tail.endswith("}"):
        ends = tuple(f".{extension.strip()}" for extension in tail[2:-1].split(","))
        return lambda path: path.startswith(head) and path.endswith(ends)
    return lambda path: path.startswith(head) and path.endswith(tail)


def _ways(site: Site, file: Published) -> tuple[str, ...]:
    """The paths under which a host may know a file."""
    return (f"/{file.path}", f"{site.base}/{file.path}") if site.base else (f"/{file.path}",)
