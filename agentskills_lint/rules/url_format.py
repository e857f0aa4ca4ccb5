"""Addresses: URLs in the frontmatter and in links, contacts, what a CDN leaves of an e-mail address."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Span
from agentskills_lint.registries import Index, SkillsTxt
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.scripts import Script
from agentskills_lint.specs import DISCOVERY, DUALNOVA, WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import shown

URL_FIELDS = ("url", "mcp_server", "openapi", "base_url")
"""Frontmatter fields whose value is the address of something that an agent opens or calls."""

_URLS = {Skill: URL_FIELDS, Index: ("provider_url", "skills[].url", "skills[].execution_url")}
_ABSOLUTE_URLS = {Skill: URL_FIELDS, Index: ("provider_url", "skills[].execution_url")}

_DUALNOVA_FIELDS = DUALNOVA + "#frontmatter--optional-fields"
_WSP_FIELDS = WSP + "#optional-fields"
_SAME_NODE = (
    "field-empty", "field-type", "yaml-ambiguous", "placeholder-text", "email-obfuscated", "index-schema",
    "index-url-escape",
)  # fmt: skip

_PARTS = lazy(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):"
    r"(?P<slashes>//)?(?:(?P<user>[^/?#]*)@)?(?P<host>\[[^\]/?#]*\]?|[^/?#:]*)(?::(?P<port>[^/?#]*))?(?:[/?#].*)?",
    re.A | re.S,
)
_TEMPLATE = lazy(r"\$?\{\{?[^{}]*\}?\}|<[A-Za-z][A-Za-z0-9_ .-]*>|\$[A-Za-z_][A-Za-z0-9_]*|%[sd]\b", re.A)
_BLANK = lazy(r"[\s\x00-\x1f\x7f\u200b\ufeff]")
_BLANK_NAMES = {" ": "a blank", "\t": "a tab", "\r": "a line break", "\n": "a line break"}
_FOREIGN = lazy(r"[\\\"<>^`{|}]")
_BAD_ESCAPE = lazy(r"%(?![0-9A-Fa-f]{2})[^\s]{0,2}")
_BARE_HOST = lazy(r"[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?::[0-9]+)?(?:[/?#].*)?", re.A)
_LABEL = lazy(r"(?!-)[A-Za-z0-9_%-]{1,63}(?<!-)", re.A)
_BARE_PORT = lazy(r"[A-Za-z0-9-]+:[0-9]+(?:[/?#].*)?", re.A)
_IPV4 = lazy(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}", re.A)
_NUMBERS = lazy(r"[0-9]+(?:\.[0-9]+)*", re.A)


_PASSWORD = lazy(r"(://[^/?#@:]*:)[^/?#@]+@")


class Url(NamedTuple):
    """The parts of an absolute URL as written; the host is in lower case, without a final dot."""

    scheme: str
    user: str | None
    host: str
    port: str | None


def split(text: str) -> Url | None:
    """The parts of an absolute URL with an authority, None for everything else."""
    found = _PARTS.fullmatch(text)
    if found is None or found["slashes"] is None:
        return None
    return Url(found["scheme"].lower(), found["user"], found["host"].lower().rstrip("."), found["port"])


class Fault(NamedTuple):
    """What is wrong with a URL, and where in its text."""

    start: int
    end: int
    message: str


def fault(text: str) -> Fault | None:
    """Why a text is no URL at all, judged on the raw text: parsers clean silently.

    Placeholders such as `{id}`, `<tenant>` and `$HOST` count as what they stand for, letters
    of other scripts as their encoded form; a relative reference may be well-formed.
    """
    plain = _TEMPLATE.sub(lambda match: "x" * len(match[0]), text)
    if (found := _BLANK.search(plain)) is not None:
        start, end = found.span()
        where = "begins with" if start == 0 else "ends with" if not text[end:].strip() else "holds"
        return Fault(start, end, f"{where} {_BLANK_NAMES.get(found[0], 'an invisible character')}")
    if (found := _FOREIGN.search(plain)) is not None:
        if found[0] == "\\":
            return Fault(*found.span(), "has a backslash, which browsers read as '/' and other clients do not")
        return Fault(*found.span(), f"has {shown(found[0])}, which no URL can hold")
    if (found := _BAD_ESCAPE.search(plain)) is not None:
        return Fault(*found.span(), f"has the escape {shown(found[0])}, but '%' needs two hex digits after it")
    parts = _PARTS.fullmatch(plain)
    if parts is None or parts["scheme"].lower() not in ("http", "https"):
        return None
    if parts["slashes"] is None:
        end = parts.end("scheme") + 1
        return Fault(0, end, f"has no '//' after {shown(text[:end])}")
    return _authority_fault(parts, text)


def _authority_fault(parts: re.Match[str], text: str) -> Fault | None:
    host, port = parts["host"], parts["port"]
    where = parts.span("host")
    if host.lower() in ("http", "https") and port == "":
        return Fault(parts.start("scheme"), parts.end("port"), "names its scheme twice")
    if not host:
        start = parts.end("slashes")
        return Fault(start - 2, start, "names no host")
    if text[slice(*parts.span("port"))] != (port or ""):
        port = None  # a placeholder
    if port and not (re.fullmatch(r"[0-9]+", port, re.A) and len(port.lstrip("0")) < 6 and int(port) < 65536):
        return Fault(*parts.span("port"), f"has the port {shown(port)}, but ports are numbers up to 65535")
    if host[0] == "[":
        reason = _ipv6_fault(host)
        return Fault(*where, reason) if reason else None
    if text[slice(*where)] != host:
        return None
    name = host.removesuffix(".")
    if _NUMBERS.fullmatch(name) and name.count(".") == 3:
        numbers = [int(part[:4]) for part in name.split(".")]
        return Fault(*where, f"has the address {shown(host)}, with a number over 255") if max(numbers) > 255 else None
    for label in name.split("."):
        if not label:
            return Fault(*where, f"has the host {shown(host)}, with an empty label between its dots")
        if label.isascii() and _LABEL.fullmatch(label) is None:
            return Fault(*where, f"has the host {shown(host)}, of which {shown(label)} is no host name")
    return None


def _ipv6_fault(host: str) -> str | None:
    if host[-1] != "]":
        return f"has {shown(host)} as its host, without the closing ']'"
    import ipaddress

    try:
        ipaddress.IPv6Address(host[1:-1])
    except ValueError:
        return f"has the host {shown(host)}, which is no IPv6 address"
    return None


_UNREACHABLE_NAMES = ("localhost", "local", "internal", "test", "lan", "home.arpa", "invalid")
_SAMPLE_WORDS = frozenset(
    {
        "example", "examples", "sample", "test", "domain", "host", "hostname", "server", "foo", "bar", "baz", "acme",
        "dummy", "fake", "evil", "attacker", "malicious", "hacker", "victim", "target", "my", "mysite", "mydomain",
        "myserver", "mycompany", "company", "site", "website", "xxx",
    }
)  # fmt: skip
_IDENTIFIER_HOST = lazy(
    r"(?:www\.)?w3\.org|(?:www\.)?(?:json-schema|schema|purl|xmlns|rdfs|sitemaps|opengis|omg)\.(?:org|com|net)"
    r"|(?:schemas?|ns|xmlns|xml|purl)\..+|ogp\.me|.*\.w3\.org|maven\.apache\.org|relaxng\.org|docbook\.org",
    re.A,
)
_IDENTIFIER_PATH = lazy(r"/(?:schemas?|ns|xmlns|dtd|namespaces?)(?:/|$)", re.A | re.I)


def _octets(host: str) -> list[int] | None:
    return [int(part) for part in host.split(".")] if _IPV4.fullmatch(host) else None


def unreachable(host: str) -> str | None:
    """Why nobody outside the publisher's machine or network reaches a host, None where they may."""
    if host.startswith("["):
        import ipaddress

        try:
            address = ipaddress.IPv6Address(host[1:-1].partition("%")[0])
        except ValueError:
            return None
        if address.is_loopback or address.is_unspecified:
            return "the visitor's own machine"
        if address.is_link_local or address in ipaddress.ip_network("fc00::/7"):
            return "an address in a private network"
        return None
    octets = _octets(host)
    if octets is not None:
        first, second = octets[:2]
        if first in (0, 127):
            return "the visitor's own machine"
        private = first == 10 or (first, second) in ((192, 168), (169, 254))
        if private or (first == 172 and 16 <= second <= 31) or (first == 100 and 64 <= second <= 127):
            return "an address in a private network"
        return None
    for name in _UNREACHABLE_NAMES:
        if host == name or host.endswith("." + name):
            return (
                "the visitor's own machine" if name == "localhost" else f"a name under .{name}, which is never public"
            )
    return None if "." in host or not host.isascii() else "a host name without a dot, which is never public"


def _is_sample(host: str) -> bool:
    """Whether a host stands for another: example.com, your-host.acme.dev, 192.0.2.1."""
    octets = _octets(host)
    if octets is not None:
        return tuple(octets[:3]) in ((192, 0, 2), (198, 51, 100), (203, 0, 113))
    words = re.split(r"[._-]", host)
    return any(word in _SAMPLE_WORDS or word.startswith(("your", "example")) for word in words)


def _told(text: str, limit: int = 60) -> str:
    """A URL for a message, without its password."""
    return shown(_PASSWORD.sub(r"\1***@", text), limit)


def _fields(document: Document) -> Iterator[Node]:
    """The addresses in the frontmatter of a skill or in an index."""
    nodes: list[Node | None] = []
    if isinstance(document, Skill):
        nodes = [document.field(name) for name in URL_FIELDS]
    elif isinstance(document, Index) and document.tree is not None:
        nodes = [document.tree.get("provider_url")]
        nodes += [entry.field(name) for entry in document.entries for name in ("url", "execution_url")]
    for node in nodes:
        if node is not None and node.is_text and _is_known(node, document):
            yield node


def _addresses(document: Document) -> Iterator[tuple[str, Span, int]]:
    """The addresses in fields and entries: the text, its place, where it stands letter by letter (-1: nowhere)."""
    for node in _fields(document):
        yield node.value, node.span, document.source.find(node.value, *node.span) if not node.block else -1
    for entry in document.entries if isinstance(document, SkillsTxt) else ():
        yield entry.href, entry.where, document.source.find(entry.href, *entry.where)


def _is_known(node: Node, document: Document) -> bool:
    """Whether a field of an index has a meaning there: clients pass over those that their spec does not know."""
    if not isinstance(document, Index) or document.is_dualnova:
        return True
    return document.discovery == "0.2" and node.key is not None and node.key.value == "url"


def _inside(node: Node, document: Document, start: int, end: int) -> Span:
    """The place of a part of a value: exact where the value is written as it is read, else the whole value."""
    first = document.source.find(node.value, *node.span)
    return Span(first + start, first + end) if first >= 0 and not node.block and start < end else node.span


# --- the frontmatter's URLs ---------------------------------------------------------------------


@rule(
    "url-malformed",
    "SKL502",
    on=(Skill, Index),
    at=_URLS,
    needs=_SAME_NODE,
    asked_by={
        "discovery": must(DISCOVERY + "#url-resolution"),
        "dualnova": must(_DUALNOVA_FIELDS),
        "wsp": must(_WSP_FIELDS),
    },
)
def url_malformed(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A URL breaks the grammar of URLs.

    Blanks, backslashes, half escapes, impossible hosts and ports: some clients clean them away,
    others go to another address or refuse. The text is judged as it stands in the file, so what
    a lenient parser would mend counts as well. Placeholders such as `{tenant}` are fine. The
    addresses in an index.json are judged as well.

    ```yaml bad
    base_url: https://api.acme.example:80800/v1
    ```
    ```yaml bad
    base_url: https://api.acme.example/price list
    ```
    ```yaml good
    base_url: https://api.acme.example:8080/price%20list
    ```
    """
    if not node.is_text or not _is_known(node, document):
        return
    found = fault(node.value)
    if found is not None:
        yield Problem(
            _inside(node, document, found.start, found.end), f"the URL {_told(node.value)} {found.message}",
            hint=_repaired(node.value),
        )  # fmt: skip


def _repaired(text: str) -> str | None:
    """The URL without what surely does not belong to it."""
    guess = re.sub(r"[\r\n\t\u200b\ufeff]", "", text).strip().strip("<>").replace("\\", "/").replace(" ", "%20")
    guess = re.sub(r"^(https?:)/{0,2}(?:https?:/{0,2})?(?=[^/])", r"\1//", guess, flags=re.I | re.A)
    return f"write {_told(guess, 200)}" if guess != text and fault(guess) is None and split(guess) is not None else None


@rule(
    "url-absolute",
    "SKL501",
    on=(Skill, Index),
    at=_ABSOLUTE_URLS,
    needs=(*_SAME_NODE, "url-malformed"),
    asked_by={"dualnova": should(_DUALNOVA_FIELDS), "wsp": should(_WSP_FIELDS)},
)
def url_absolute(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A URL field holds something else than an absolute http or https URL.

    An agent often has the file's text and not the address it came from: it cannot call a
    path, and it will not open `mailto:` or `file:` to run a skill.

    ```yaml bad
    base_url: /api/v1
    ```
    ```yaml good
    base_url: https://api.acme.example/v1
    ```
    """
    value = node.value
    if not node.is_text or not _is_known(node, document) or _TEMPLATE.match(value):
        return
    parts = _PARTS.fullmatch(value)
    scheme = parts["scheme"].lower() if parts is not None else ""
    if scheme in ("http", "https"):
        return
    host = _BARE_HOST.fullmatch(value) or _BARE_PORT.fullmatch(value)
    if value.startswith("//"):
        message, hint = f"{_told(value)} has no scheme", f"write {_told('https:' + value, 200)}"
    elif host is not None:
        message, hint = f"{_told(value)} has no scheme", f"write {_told('https://' + value, 200)}"
    elif scheme and parts is not None and (parts["slashes"] or "." not in scheme):
        message, hint = f"{_told(value)} is a {scheme}: URL, not an http or https URL", "write an address with https://"
    else:
        origin = (ask.origin or "https://your-site").rstrip("/")
        message = f"{_told(value)} is a relative address, which an agent cannot call"
        hint = f"write {shown(origin + '/' + value.lstrip('./'), 200)}"
    yield Problem(node, f"{message}; {_field(node)} needs an absolute https URL", hint=hint)


def _field(node: Node) -> str:
    return f"'{node.key.value}'" if node.key is not None else "this"


# --- URLs wherever an agent follows them --------------------------------------------------------

_REQUEST = lazy(
    r"\b(?:(?:curl|wget|httpie|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|GET|POST|PUT|PATCH|DELETE|git clone|npm|npx"
    r"|pip3? install)\s|(?:fetch|axios(?:\.[a-z]+)?|requests\.[a-z]+|httpx\.[a-z]+|urlopen)\()",
    re.A,
)
_WARNING_WORDS = lazy(
    r"\b(?:wrong|bad|insecure|unsafe|never|don'?t|do not|avoid|vulnerab|attack|malicious|instead of)"
    r"|\u274c|\u2717|\U0001f6ab",
    re.I,
)
_PLAIN_URL = lazy(r"http://[^\s\"'`<>()\[\]{}|\\^]*[^\s\"'`<>()\[\]{}|\\^.,;:!?*]", re.A)


@rule(
    "url-insecure",
    "SKL503",
    on=(Skill, Index, SkillsTxt),
    fix="unsafe",
    asked_by={"wsp": should(WSP + "#112-content-integrity"), "advice": advice("warning")},
)
def url_insecure(document: Document, ask: Ask) -> Iterator[Problem]:
    """An agent is sent to a public host over plain HTTP.

    Whoever sits between the agent and the host can read what it sends and change what it gets,
    and a skill's instructions are worth changing. Judged are the URL fields, the
    entries of registries, links, and the addresses of requests and downloads in the body; local
    hosts, sample hosts and namespaces are not. The fix is unsafe, since the host may not serve
    HTTPS yet.

    ```yaml bad
    base_url: http://api.acme.example/v1
    ```
    ```markdown bad
    See the [price list](http://prices.northwind-trade.net/list) before you answer.
    ```
    ```markdown good
    See the [price list](https://prices.northwind-trade.net/list) before you answer.

    The page uses the namespace `http://www.w3.org/2000/svg`, and
    `curl http://localhost:8080/health` tells whether the service runs.
    ```
    """
    for text, where, start in _addresses(document):
        url = split(text)
        if url is not None and url.scheme == "http" and _is_public(url.host) and fault(text) is None:
            yield _insecure(where, text, url, start)
    first = document.source.find("http://")
    if first < 0 or not isinstance(document, Skill):
        return
    seen: set[int] = set()
    for link in document.markdown.links:
        url = split(link.href) if link.href[:7].lower() == "http://" else None
        if url is not None and _is_followed(url.host, link.href):
            written = document.source[link.target.start : link.target.end]
            exact = link.target.start if written[:7].lower() == "http://" else -1
            if link.target.start not in seen:
                seen.add(link.target.start)
                yield _insecure(link.target, link.href, url, exact)
    yield from _insecure_requests(document, seen, max(first, document.body.start))


_NEAR = 300


def _insecure_requests(skill: Skill, seen: set[int], start: int) -> Iterator[Problem]:
    source = skill.source
    at = source.find("http://", start)
    while at >= 0:
        found = _PLAIN_URL.match(source, at)
        url = split(found[0]) if found is not None else None
        if found is not None and url is not None and at not in seen and _is_followed(url.host, found[0]):
            # what is said of the address stands near it, also where a line has no end
            start, end = skill.text.line_bounds(at)
            start, end = max(start, at - _NEAR), min(end, at + _NEAR)
            if _REQUEST.search(source, start, at) and not _WARNING_WORDS.search(source, start, end):
                yield _insecure(Span(*found.span()), found[0], url, at)
        at = source.find("http://", at + 7)


def _is_public(host: str) -> bool:
    return bool(host) and not _TEMPLATE.search(host) and unreachable(host) is None


def _is_followed(host: str, text: str) -> bool:
    return (
        _is_public(host)
        and not _is_sample(host)
        and _IDENTIFIER_HOST.fullmatch(host) is None
        and _IDENTIFIER_PATH.search(text) is None
    )


def _insecure(where: Span, text: str, url: Url, start: int) -> Problem:
    message = f"{_told(text)} goes over plain HTTP, where others can read and change it"
    if start < 0 or url.port or _octets(url.host) is not None or url.host.startswith("["):
        return Problem(where, message, hint="serve it over HTTPS and write https://")
    return Problem(where, message, Fix("write https://", (Edit(start, start + 4, "https"),), False))


@rule("url-unreachable", "SKL504", on=(Skill, Index, SkillsTxt), asked_by={"advice": advice("warning")})
def url_unreachable(document: Document, ask: Ask) -> Iterator[Problem]:
    """A published URL leads to a machine that nobody else can reach.

    `localhost`, private addresses and names under `.local`, `.internal` or `.test` work on the
    author's machine or network only. Judged are the URL fields, the entries of registries, and in
    a skill that is published on a site its links too; commands and code may name what they like.

    ```yaml bad
    base_url: http://localhost:3000/v1
    ```
    ```yaml good
    base_url: https://api.acme.example/v1
    ```
    """
    for text, where, _ in _addresses(document):
        url = split(text)
        if url is not None and (reason := _why_unreachable(url)) is not None and fault(text) is None:
            yield Problem(where, f"{_told(text)} is unreachable for others: {shown(url.host)} is {reason}")
    # a skill in a repository may well open a page of the reader's own machine
    if not isinstance(document, Skill) or (document.site is None and ask.known.isdisjoint(URL_FIELDS)):
        return
    for link in document.markdown.links:
        url = split(link.href) if "://" in link.href else None
        if url is not None and (reason := _why_unreachable(url)) is not None:
            yield Problem(link.target, f"{_told(link.href)} is unreachable for others: {shown(url.host)} is {reason}")


def _why_unreachable(url: Url) -> str | None:
    if url.scheme not in ("http", "https") or not url.host or _TEMPLATE.search(url.host):
        return None
    return unreachable(url.host)


_USER_INFO = lazy(r"://([^\s/?#@:\"'`<>()\[\]]*):([^\s/?#@\"'`<>()\[\]]+)@(?=[^\s/?#\"'`<>()\[\]])")
_SAMPLE_SECRET = lazy(
    r".*\.\.\..*|(?:your|my|the|some|real)?[-_]?"
    r"(?:user(?:name)?|login|name|email|id|key|pass(?:word|wd|wrd|phrase)?|pwd?|secret|token|api[-_]?key"
    r"|(?:personal[-_]?)?access[-_]?token|pat|credentials?)"
    r"|(?:your|my|example|sample|dummy|fake|test|redacted|change[-_]?me|placeholder|foo|bar)[-_a-z0-9]*",
    re.A | re.I,
)
_ALL_CAPITALS = lazy(r"[A-Z]+(?:[_-][A-Z0-9]+)*", re.A)


@rule(
    "url-credentials",
    "SKL507",
    on=(Skill, Index, SkillsTxt, Script),
    asked_by={"wsp": must(WSP + "#63-security-requirements"), "advice": advice("warning")},
    severity=7.5,
    masks=True,
)
def url_credentials(document: Document, ask: Ask) -> Iterator[Problem]:
    """A URL carries a user name and a password.

    A published skill is read by everyone, and so is the password; URLs also end up in logs and
    histories. Say in the text where credentials come from, and name a placeholder.

    ```markdown bad
    Send the order to https://shop:k7Wq93zLtR@orders.northwind-trade.net/v1.
    ```
    ```markdown good
    Send the order to https://orders.northwind-trade.net/v1 with the user's own token, or clone
    https://USER:TOKEN@git.northwind-trade.net/orders.git with both filled in.
    ```
    """
    source = document.source
    if "@" not in source or "://" not in source:
        return
    fields: list[Span] | None = None
    for found in _USER_INFO.finditer(source):
        if not source[max(found.start() - 5, 0) : found.start()].lower().endswith(("http", "https")):
            continue
        user, secret = found[1], found[2]
        host = re.match(r"[^\s/?#:\"'`<>)]*", source[found.end() : found.end() + 255])
        name = host[0].lower().rstrip(".,") if host is not None else ""
        if fields is None:
            fields = sorted(node.span for node in _fields(document))
        at = bisect_right(fields, (found.start(), len(source))) - 1
        in_field = at >= 0 and found.start() < fields[at].end
        if _TEMPLATE.search(f"{user}:{secret}") or secret[0] in "$%{" or _is_filler(secret):
            continue
        if not in_field and (_SAMPLE_SECRET.fullmatch(secret) or _is_sample(name) or unreachable(name) is not None):
            continue
        yield Problem(
            Span(found.start(1), found.end(2)),
            f"the URL of {shown(name)} carries the password of {shown(user)}: "
            f"everyone who reads the {'file' if isinstance(document, SkillsTxt) else document.kind} has it",
            hint="take the user name and the password out of the URL, and change the password",
            secret=secret,
        )


def _is_filler(secret: str) -> bool:
    return re.fullmatch(r"[xX*.\u2022\u2026_-]+", secret) is not None or _ALL_CAPITALS.fullmatch(secret) is not None


# --- people -------------------------------------------------------------------------------------

_HOST_LABEL = r"[^\s@\"<>()\[\],;:\\/?#.]+"
_ADDRESS = lazy(rf"(?:\"[^\"\s]{{1,62}}\"|[^\s@\"<>()\[\],;:\\]{{1,64}})@{_HOST_LABEL}(?:\.{_HOST_LABEL})+")
_OTHER_WAYS = ("tel:", "sms:", "xmpp:", "sip:", "sips:", "matrix:", "geo:", "acct:")
_DECODED = lazy(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")


@rule(
    "contact-format",
    "SKL505",
    on=(Skill, Index),
    at="contact",
    needs=("email-obfuscated", "field-empty", "field-type", "yaml-ambiguous", "placeholder-text", "index-schema"),
    asked_by={"dualnova": should(_DUALNOVA_FIELDS), "wsp": should(_WSP_FIELDS)},
)
def contact_format(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A contact is neither an e-mail address nor a URL.

    Agents hand the contact to the user or open it when something fails, so it has to work as
    it stands: one address, or one absolute URL.

    ```yaml bad
    contact: "@acme_support"
    ```
    ```yaml good
    contact: support@acme.example
    ```
    """
    value = node.value
    if not node.is_text or _is_contact(value):
        return
    addresses = _ADDRESS.findall(value)
    hint = "write one e-mail address or one https URL"
    if len(addresses) == 1:
        hint = f"write {shown(addresses[0])}"
    elif _BARE_HOST.fullmatch(value):
        hint = f"write {shown('https://' + value)}"
    elif value.startswith("/") and ask.origin:
        hint = f"write {shown(ask.origin.rstrip('/') + value)}"
    what = "is neither an e-mail address nor a URL"
    if addresses:
        what = "is more than an e-mail address" if len(addresses) == 1 else "is more than one e-mail address"
    yield Problem(node, f"contact {shown(value)} {what}", hint=hint)


def _is_contact(value: str) -> bool:
    lower = value.lower()
    if lower.startswith("mailto:"):
        return _ADDRESS.fullmatch(value[7:].partition("?")[0]) is not None
    if lower.startswith(("http://", "https://")):
        url = split(value)
        return url is not None and url.host != "" and fault(value) is None
    return _ADDRESS.fullmatch(value) is not None or (lower.startswith(_OTHER_WAYS) and _BLANK.search(value) is None)


_OBFUSCATED = lazy(
    r"\[email(?:[ \xa0]|&#160;|&#xA0;|&nbsp;)protected\\?\]"
    r"(?:\]?\([^()\s]*/cdn-cgi/l/email-protection(?:#([0-9a-f]+))?\))?",
    re.I,
)
_LISTED = lazy(r"email[ \xa0]protected", re.I)
_CODED = lazy(r"data-cfemail=\"([0-9a-f]+)\"", re.I)


@rule("email-obfuscated", "SKL506", on=(Skill, Index), asked_by={"advice": advice("warning")})
def email_obfuscated(document: Document, ask: Ask) -> Iterator[Problem]:
    """An e-mail address was replaced by a CDN's address protection.

    Copied from a web page whose e-mail addresses are hidden from robots, the skill holds the
    words "email protected" in brackets where an address stood. A browser shows the address,
    an agent reads the words; in YAML the brackets even make a list of them.

    ```yaml bad
    author: [email\u00a0protected]
    ```
    ```markdown bad
    If the form does not work, write to [email protected] instead.
    ```
    ```markdown good
    If the form does not work, write to help@acme.example instead.
    ```
    """
    source = document.source
    if "protected" not in source or "[email" not in source:
        return
    for top in document.tree.items if document.tree is not None else ():
        for node in top.walk():
            if _is_obfuscated(node):
                yield _obfuscated(node.span, f"{_field(top)} holds", None)
                break
    if not isinstance(document, Skill):
        return
    for found in _OBFUSCATED.finditer(source, document.body.start):
        if _is_quoted(document, found):
            continue
        coded = found[1]
        start = found.start()
        if coded is None:
            before = _CODED.search(source, source.rfind("<", 0, start), start)
            coded = before[1] if before is not None else None
        while source[start - 1] in "[\\" and found[0][-1] == ")":
            start -= 1
        yield _obfuscated(Span(start, found.end()), "here stands", coded)


def _is_obfuscated(node: Node) -> bool:
    if node.kind == "list":
        words = [item.value for item in node.items]
        return node.style == "flow" and len(words) == 1 and _LISTED.fullmatch(words[0]) is not None
    return node.kind == "scalar" and "protected" in node.value.lower() and _OBFUSCATED.search(node.value) is not None


def _is_quoted(skill: Skill, found: re.Match[str]) -> bool:
    """Whether a code span holds nothing else: the text speaks of the words themselves."""
    start, end = found.span()
    return skill.source[start - 1 : start] == "`" and skill.source[end : end + 1] == "`"


def _obfuscated(where: Span, what: str, coded: str | None) -> Problem:
    address = _decoded(coded) if coded else None
    return Problem(
        where,
        f"{what} a CDN's '[email protected]' in place of an e-mail address",
        hint=f"write {shown(address)}" if address else "write the address that the web page shows",
    )


def _decoded(coded: str) -> str | None:
    """The address behind Cloudflare's code: each byte combined with the first one."""
    if len(coded) % 2 or len(coded) > 600:
        return None
    raw = bytes.fromhex(coded)
    address = bytes(byte ^ raw[0] for byte in raw[1:]).decode(errors="replace").partition("?")[0]
    return address if _DECODED.fullmatch(address) else None
