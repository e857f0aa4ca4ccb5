"""What only HTTP shows: how a live site answers for its registries and for what they list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from http import HTTPStatus

from agentskills_lint.archives import named
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Related, Response
from agentskills_lint.registries import Index, SkillsTxt
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.site import Served, Site
from agentskills_lint.specs import DISCOVERY, DUALNOVA, WSP
from agentskills_lint.urls import parts_of
from agentskills_lint.wording import shown

MANY_HOPS = 3
"""Redirects in a row that no client minds."""

HOUR, DAY = 3600, 86_400

_HTTP = DISCOVERY + "#http-considerations"
_MAX_AGE = lazy(r"(?:^|[\s,])(?:s-maxage|max-age)\s*=\s*\"?([0-9]{1,12})", re.I | re.A)
_CHARSET = lazy(r";\s*charset\s*=\s*\"?([^\s;\"]+)", re.I)
_LOOPBACK = lazy(r"localhost|.+\.localhost|127(?:\.[0-9]{1,3}){3}|::1", re.I | re.A)
_TEXTS = frozenset({"text/markdown", "text/plain"})
_ARCHIVES = {"tar.gz": "application/gzip", "zip": "application/zip"}
_URL = 100
"""Characters of a URL that a message shows."""


# --------------------------------------------------------------------------------------------
# The answer itself


@rule(
    "http-status",
    "SKL941",
    on=Site,
    asked_by={
        "wsp": must(WSP + "#101-publisher-requirements"),
        "discovery": must(_HTTP),
        "dualnova": must(DUALNOVA + "#discovery"),
    },
)
def http_status(site: Site, ask: Ask) -> Iterator[Problem]:
    """Registries and what they list are served with status 200.

    Whatever else comes, after redirects, leaves an agent without the skill: an error, a name
    that no server knows, a certificate that nobody trusts, an answer that never ends. What is
    listed elsewhere counts, too: agents follow it there.

    ```http bad
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    ```
    ```http good
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    """
    for registry, where, _, response in site.served:
        if response.is_ok:
            continue
        said = _answer(response)
        if not registry.is_text:
            if _is_soft(site.probe) and response.status == 200:
                continue  # http-soft-404 says so
            if said is None:
                said = "answers with something else"
            message = f"the site has no index.json, skills.txt or agents.txt: {_path(response.url)} {said}"
            hint = f"publish one, such as {parts_of(response.url).path}"
            yield Problem((registry, where), message, hint=hint)
            continue
        yield Problem((registry, where), f"{shown(response.url, _URL)} {said}")


def _answer(response: Response) -> str | None:
    """What came in place of the file, None where something came."""
    if response.failure in ("redirects", "scheme", "url"):
        return response.reason
    way = f", after a redirect to {shown(response.final, _URL)}" if response.hops else ""
    if response.failure:
        return f"{response.reason}{way}"
    if response.status == 200:
        return None
    try:
        phrase = f" {HTTPStatus(response.status).phrase}"
    except ValueError:
        phrase = ""
    return f"answers {response.status}{phrase}{way}"


@rule("http-soft-404", "SKL947", on=Site, asked_by={"discovery": must(_HTTP)})
def http_soft_404(site: Site, ask: Ask) -> Iterator[Problem]:
    """A path that cannot exist answers 404.

    Single-page applications often answer every path with their home page and status 200. An
    agent then takes that page for a skill, and cannot tell whether a site has skills at all.

    ```http bad
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Cache-Control: max-age=3600
    Access-Control-Allow-Origin: *

    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    === https://acme.example/*
    Content-Type: text/html

    <!doctype html><title>Acme</title>
    ```
    ```http good
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Cache-Control: max-age=3600
    Access-Control-Allow-Origin: *

    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    ```
    """
    probe = site.probe
    if probe is None or not _is_soft(probe):
        return
    for registry, where, kind, _ in site.served:
        if kind == "registry" and isinstance(registry, Index) and (registry.discovery or not registry.is_text):
            what = f", after a redirect to {shown(probe.final, _URL)}" if probe.hops else ""
            message = f"{_path(probe.url)}, where no skill is, answers 200 instead of 404{what}"
            if not registry.is_text:
                message = f"the site has no index.json: {message}"
            yield Problem((registry, where), message)
            return


def _is_soft(probe: Response | None) -> bool:
    return probe is not None and probe.is_ok


@rule("http-head", "SKL948", on=Site, needs=("http-status",), asked_by={"discovery": must(_HTTP)})
def http_head(site: Site, ask: Ask) -> Iterator[Problem]:
    """HEAD is answered like GET, without the content.

    Clients ask with HEAD whether a file has changed before they fetch it. The index, one
    SKILL.md and one archive are tried: servers do not treat one file unlike the next.

    ```http bad
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Cache-Control: max-age=3600
    Access-Control-Allow-Origin: *
    HEAD: 405

    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    ```
    ```http good
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Cache-Control: max-age=3600
    Access-Control-Allow-Origin: *
    HEAD: 200

    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    ```
    """
    yield from _together(site, _head_fault)


def _head_fault(served: Served) -> str | None:
    get, head = served.response, served.response.head
    if head is None:
        return None
    if head.failure:
        return f"{head.reason} when it is asked with HEAD"
    if head.status != get.status:
        return f"answers GET with {get.status} and HEAD with {head.status}"
    for name in ("content-type", "content-length"):
        # the length of what is packed on the way is often left out or that of the file
        if name == "content-length" and (get.headers.get("content-encoding") or head.headers.get("content-encoding")):
            continue
        one, other = get.headers.get(name), head.headers.get(name)
        if one is not None and other is not None and one != other:
            title = name.title()
            return f"answers HEAD with {title} {shown(other)} and GET with {shown(one)}"
    return None


# --------------------------------------------------------------------------------------------
# Types


@rule(
    "http-content-type",
    "SKL942",
    on=Site,
    needs=("http-status",),
    asked_by={"discovery": must(_HTTP), "wsp": must(WSP + "#101-publisher-requirements")},
)
def http_content_type(site: Site, ask: Ask) -> Iterator[Problem]:
    """Files are served with the media type that their convention asks for.

    Browsers and clients decide by the type whether they show, save or refuse what they get:
    index.json is application/json, SKILL.md text/markdown or text/plain, an archive
    application/gzip or application/zip, skills.txt text/plain or text/markdown. Many servers know
    no Markdown, and call it application/octet-stream.

    ```http bad
    === items of https://acme.example/skills.txt
    Content-Type: application/octet-stream
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    ```http good
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    """
    yield from _together(site, _type_fault)


def _type_fault(served: Served) -> str | None:
    right = _right_types(served)
    if not right:
        return None
    given = served.response.headers.get("content-type")
    choice = " or ".join(sorted(right))
    if given is None:
        return f"has no Content-Type: it should be {choice}"
    media = _media_type(given)
    return None if media in right else f"is served as {shown(media)}, not as {choice}"


def _right_types(served: Served) -> frozenset[str]:
    """The media types that a file may have by the words of a spec; empty where none says so."""
    registry = served.registry
    if isinstance(registry, SkillsTxt):
        return _TEXTS if served.kind == "registry" else frozenset()
    if not isinstance(registry, Index) or not registry.discovery:
        return frozenset()
    if served.kind == "registry":
        return frozenset({"application/json"})
    if served.kind == "skill":
        return _TEXTS
    known = _ARCHIVES.get(named(parts_of(served.response.url).path)) if served.kind == "archive" else None
    return frozenset({known}) if known is not None else frozenset()


def _media_type(value: str) -> str:
    return value.partition(";")[0].strip().lower()


@rule(
    "http-media-type",
    "SKL950",
    on=Site,
    needs=("http-status", "http-content-type"),
    asked_by={"wsp": should(WSP + "#appendix-c-content-types", level="note")},
)
def http_media_type(site: Site, ask: Ask) -> Iterator[Problem]:
    """SKILL.md is served as text/markdown; charset=utf-8.

    Without a charset some clients read Latin-1, and every character beyond ASCII is broken.

    ```http bad
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    ```http good
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    """
    yield from _together(site, _charset_fault)


def _charset_fault(served: Served) -> str | None:
    if not isinstance(served.registry, SkillsTxt) or _type_fault(served) is not None:
        return None
    given = served.response.headers.get("content-type")
    if given is None:
        return "has no Content-Type"
    media = _media_type(given)
    if served.kind == "skill" and media != "text/markdown":
        return f"is served as {shown(media)}, not as text/markdown"
    charset = _CHARSET.search(given)
    if charset is None:
        return f"is served as {shown(media)} without 'charset=utf-8'"
    return None if charset[1].lower() in ("utf-8", "utf8") else f"is served with the charset {shown(charset[1])}"


# --------------------------------------------------------------------------------------------
# CORS and caching


@rule(
    "http-cors",
    "SKL943",
    on=Site,
    needs=("http-status",),
    asked_by={"dualnova": should(DUALNOVA + "#cors"), "discovery": should(_HTTP)},
)
def http_cors(site: Site, ask: Ask) -> Iterator[Problem]:
    """Scripts of other sites may read the index and the skills (CORS).

    Assistants that run in a browser see nothing of a file that is served without
    `Access-Control-Allow-Origin: *`, though everybody else can fetch it.

    ```http bad
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json

    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    ```
    ```http good
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Access-Control-Allow-Origin: *

    {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
    ```
    """
    yield from _together(site, _cors_fault, "send 'Access-Control-Allow-Origin: *' with these files")


def _cors_fault(served: Served) -> str | None:
    if not isinstance(served.registry, Index):
        return None
    allowed = served.response.headers.get("access-control-allow-origin")
    if allowed is None:
        return "is served without 'Access-Control-Allow-Origin: *'"
    # some servers name the origin that asked: it has no other meaning than the star
    if allowed.strip() == "*" or "agent.example" in allowed:
        return None
    return f"may be read by {shown(allowed)} alone: Access-Control-Allow-Origin should be '*'"


@rule(
    "http-cache",
    "SKL944",
    on=Site,
    needs=("http-status",),
    asked_by={"discovery": should(_HTTP), "wsp": should(WSP + "#81-caching-behavior")},
)
def http_cache(site: Site, ask: Ask) -> Iterator[Problem]:
    """Files are served with Cache-Control.

    Without it each client and proxy guesses how long a copy is good: some fetch every file anew,
    others keep an old skill for days.

    ```http bad
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Access-Control-Allow-Origin: *

    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    ```
    ```http good
    === https://acme.example/.well-known/agent-skills/index.json
    Content-Type: application/json
    Cache-Control: max-age=3600
    Access-Control-Allow-Origin: *

    {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
    ```
    """
    yield from _together(site, _cache_fault, "send, say, 'Cache-Control: public, max-age=3600' with these files")


def _cache_fault(served: Served) -> str | None:
    given = served.response.headers.get("cache-control", "")
    return None if given.strip() else "is served without Cache-Control"


@rule(
    "http-cache-duration",
    "SKL949",
    on=Site,
    needs=("http-status", "http-cache"),
    asked_by={"wsp": should(WSP + "#81-caching-behavior", level="note")},
)
def http_cache_duration(site: Site, ask: Ask) -> Iterator[Problem]:
    """Copies are good for about an hour (skills.txt) or a day (SKILL.md).

    These are the durations that the Web Skills Protocol recommends. Up to four times as long or as
    short is near enough. Responses that shared caches must not keep reach every client the slow way.

    ```http bad
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: no-cache

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    ```http good
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    """
    yield from _together(site, _duration_fault)


def _duration_fault(served: Served) -> str | None:
    given = served.response.headers.get("cache-control", "").strip()
    if not given or not isinstance(served.registry, SkillsTxt):
        return None
    right = HOUR if served.kind == "registry" else DAY
    ages = [int(age) for age in _MAX_AGE.findall(given)]
    words = {word.strip().partition("=")[0].lower() for word in given.split(",")}
    is_shared = words.isdisjoint({"private", "no-store", "no-cache"})
    if is_shared and any(right / 4 <= age <= right * 4 for age in ages):
        return None
    return f"is served with Cache-Control {shown(given)}; 'public, max-age={right}' is recommended"


# --------------------------------------------------------------------------------------------
# Where a URL leads


@rule(
    "http-insecure",
    "SKL945",
    on=Site,
    needs=("http-status", "url-insecure"),
    asked_by={"wsp": should(WSP + "#112-content-integrity")},
)
def http_insecure(site: Site, ask: Ask) -> Iterator[Problem]:
    """Skills are served over https, and no redirect leaves it.

    Whoever sits on the way can change what is served over http, and an agent does what it
    reads. Sites on the machine itself, at localhost, are let pass.

    ```http bad
    === items of http://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === http://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    ```http good
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    """
    yield from _together(site, _insecure_fault)


def _insecure_fault(served: Served) -> str | None:
    response = served.response
    plain = [url for url in response.hops if _is_insecure(url)]
    if _is_insecure(response.final):
        return "is served over http" if not response.hops else "redirects to http"
    return "redirects to http on its way" if plain else None


def _is_insecure(url: str) -> bool:
    parts = parts_of(url)
    return parts.scheme.lower() == "http" and _LOOPBACK.fullmatch(parts.hostname or "") is None


@rule(
    "http-redirect",
    "SKL946",
    on=Site,
    needs=("http-status", "http-insecure"),
    asked_by={"advice": advice("note", "https://www.rfc-editor.org/rfc/rfc9110#section-15.4")},
)
def http_redirect(site: Site, ask: Ask) -> Iterator[Problem]:
    """Redirects stay on their site, and are few.

    A client may refuse to follow a skill to another host, where it trusted this one; each
    redirect costs a request for each file.

    ```http bad
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Location: https://cdn.example/pay-invoice/SKILL.md

    === https://cdn.example/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    ```http good
    === items of https://acme.example/skills.txt
    Content-Type: text/plain; charset=utf-8
    Cache-Control: public, max-age=3600

    - [pay-invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice.
    === https://acme.example/skills/pay-invoice/SKILL.md
    Location: /v2/pay-invoice/SKILL.md

    === https://acme.example/v2/pay-invoice/SKILL.md
    Content-Type: text/markdown; charset=utf-8
    Cache-Control: public, max-age=86400

    [clean skill]
    ```
    """
    yield from _together(site, _redirect_fault)


def _redirect_fault(served: Served) -> str | None:
    response = served.response
    start = parts_of(response.url)
    for url in response.hops:
        hop = parts_of(url)
        if hop.netloc.lower() != start.netloc.lower():
            return f"redirects to another host, {shown(hop.netloc)}"
    if len(response.hops) > MANY_HOPS:
        return f"is reached after {len(response.hops)} redirects"
    return None


# --------------------------------------------------------------------------------------------
# Shared


def _path(url: str) -> str:
    """The path of a URL: of a file's own address the report shows the rest."""
    return shown(parts_of(url).path, _URL)


def _together(site: Site, fault: Callable[[Served], str | None], hint: str | None = None) -> Iterator[Problem]:
    """One problem for all that a registry names and that has the same fault: a server has it, not each file."""
    found: dict[tuple[int, str], list[Served]] = {}
    for served in site.served:
        if served.response.is_ok and served.registry.is_text and (said := fault(served)) is not None:
            found.setdefault((id(served.registry), said), []).append(served)
    for (_, said), group in found.items():
        first, *others = group
        same = {served.response.url: served for served in others if served.response.url != first.response.url}
        more = f" (and {len(same)} more)" if same else ""
        subject = _path(first.response.url) if first.kind == "registry" else shown(first.response.url, _URL)
        yield Problem(
            (first.registry, first.where),
            f"{subject} {said}{more}",
            related=tuple(
                Related((served.registry, served.where), f"the same holds for {shown(served.response.url, _URL)}")
                for served in list(same.values())[:3]
            ),
            hint=hint,
        )
