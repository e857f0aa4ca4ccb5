"""What a hostile site cannot make the linter do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agentskills_lint.live.fetch import CLIENT_ORIGIN
from agentskills_lint.live.network import barred
from tests.live.servers import Handler, Page, serving
from tests.live.support import CLEAN, INDEX, JSON, MARKDOWN, SKILL, entry, index, messages, places, run, site

BARRED = {
    "127.0.0.1": "a loopback address",
    "127.8.8.8": "a loopback address",
    "::1": "a loopback address",
    "0.0.0.0": "the unspecified address",
    "::": "the unspecified address",
    "169.254.169.254": "a link-local address",
    "fe80::1%eth0": "a link-local address",
    "224.0.0.1": "a multicast address",
    "ff02::1": "a multicast address",
    "10.0.0.1": "a private or reserved address",
    "172.16.0.1": "a private or reserved address",
    "192.168.1.1": "a private or reserved address",
    "100.64.0.1": "a private or reserved address",
    "100.100.100.200": "a private or reserved address",
    "192.0.0.192": "a private or reserved address",
    "198.18.0.1": "a private or reserved address",
    "240.0.0.1": "a private or reserved address",
    "255.255.255.255": "a private or reserved address",
    "fc00::1": "a private or reserved address",
    "fd00:ec2::254": "a private or reserved address",
    "2001:db8::1": "a private or reserved address",
    "168.63.129.16": "an address of a cloud's own services",
    "64:ff9b:1::a00:1": "a private or reserved address",
    "2001:0:a00:1::1": "a private or reserved address",
    "fec0::1": "a private or reserved address",
    "::ffff:127.0.0.1": "a loopback address in disguise",
    "::ffff:169.254.169.254": "a link-local address in disguise",
    "::127.0.0.1": "a loopback address in disguise",
    "64:ff9b::a00:1": "a private or reserved address in disguise",
    "64:ff9b::7f00:1": "a loopback address in disguise",
    "2002:a00:1::1": "a private or reserved address in disguise",
    "2002:7f00:1::": "a loopback address in disguise",
}


@pytest.mark.parametrize("address", BARRED)
def test_address_is_barred(address: str) -> None:
    assert barred(address) == BARRED[address]


@pytest.mark.parametrize(
    "address",
    [
        "93.184.215.14",
        "1.1.1.1",
        "172.32.0.1",
        "2606:4700::1111",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::",
    ],
)
def test_address_is_public(address: str) -> None:
    assert barred(address) is None


class Names:
    """A resolver with a table; how often it was asked."""

    def __init__(self, **names: Sequence[str]) -> None:
        self.names = {name.replace("_", "."): found for name, found in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.names.get(host, [host])


def test_a_listed_host_that_leads_inside_is_not_fetched() -> None:
    with serving(host="::1") as inside:  # not where the given site lives
        names = Names(acme_example=["127.0.0.1"], cdn_example=["::1"])
        listed = index(entry(f"http://cdn.example:{inside.port}{SKILL}"), entry(f"{inside.url}/x", name="x"))
        with serving(site({INDEX: Page(listed, JSON)})) as server:
            report = run(f"http://acme.example:{server.port}", resolve=names)
            assert messages(report, "http-status") == [
                f"'http://cdn.example:{inside.port}{SKILL}' leads to ::1, a loopback address: not fetched",
                f"'{inside.url}/x' leads to ::1, a loopback address: not fetched",
            ]
            assert inside.asked == []


def test_a_redirect_inside_is_not_followed() -> None:
    with serving(host="::1") as inside, serving(site({SKILL: Page("", {"Location": inside.url}, 302)})) as server:
        report = run(server.url)
        assert places(report, server.url) == [("http-status", "error", INDEX, 4, 52)]
        assert inside.asked == []


def test_a_listed_address_where_the_given_site_lives_is_fetched() -> None:
    with serving({"/SKILL.md": Page(CLEAN, MARKDOWN)}) as other, serving() as server:
        server.answers[INDEX] = Page(index(entry(f"{other.url}/SKILL.md")), JSON)
        assert messages(run(server.url), "http-status") == []
        assert "/SKILL.md" in other.paths


def test_a_public_site_that_calls_itself_local_too_opens_no_door() -> None:
    """A name with a public and a loopback address is no home: only the public one may be connected to."""
    with serving(site()) as server:
        names = Names(evil_example=["203.0.113.9", "1.1.1.1", "127.0.0.1"], local_example=["127.0.0.1"])
        report = run(f"http://evil.example:{server.port}", resolve=names, timeout=0.3)
        assert len(report.unread) == 1
        assert server.asked == []


def test_a_name_is_resolved_once() -> None:
    """Rebinding: what was checked is what is connected to, whatever the name leads to later."""

    class Rebinding(Names):
        async def __call__(self, host: str, port: int) -> Sequence[str]:
            await super().__call__(host, port)
            return ["127.0.0.1"] if self.asked.count(host) == 1 else ["169.254.169.254"]

    with serving(site()) as server:
        names = Rebinding()
        # each answer closes its connection
        for path, page in server.answers.items():
            assert isinstance(page, Page)
            server.answers[path] = page._replace(headers={**page.headers, "Connection": "close"})
        run(f"http://acme.example:{server.port}", resolve=names)
        assert names.asked == ["acme.example"]
        assert SKILL in server.paths


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "0177.0.0.1", "127.1"])
def test_other_ways_to_write_an_address_lead_to_the_same_check(host: str) -> None:
    with serving() as inside, serving(site(), host="::1") as server:
        listed = index(entry(f"http://{host}:{inside.port}/"))
        server.answers[INDEX] = Page(listed, JSON)
        (message,) = messages(run(server.url), "http-status")
        assert message.split("/' ")[1] == (
            "leads to 127.0.0.1, a loopback address: not fetched"
            if host != "0177.0.0.1"
            else "is no URL that can be fetched"
        )
        assert inside.asked == []


def test_headers_stay_with_the_given_origin() -> None:
    secret = ("Authorization", "Bearer s3cret")
    with serving({"/SKILL.md": Page(CLEAN, MARKDOWN), "/next": Page(CLEAN, MARKDOWN)}) as other:
        listed = index(entry(f"{other.url}/SKILL.md"), entry(name="moved", url="/moved"))
        moved = Page("", {"Location": f"{other.url}/next"}, 302)
        with serving(site({INDEX: Page(listed, JSON), "/moved": moved})) as server:
            run(server.url, headers=(secret,))
            assert {headers.get("Authorization") for _, _, headers in server.asked} == {"Bearer s3cret"}
            assert set(other.paths) == {"/SKILL.md", "/next", "/robots.txt"}
            assert {headers.get("Authorization") for _, _, headers in other.asked} == {None}
            assert {headers["Origin"] for _, _, headers in other.asked} == {CLIENT_ORIGIN}


def test_given_headers_are_all_sent_and_replace_our_own() -> None:
    asked: list[list[str]] = []

    def note(handler: Handler) -> None:
        asked.append([*handler.headers.get_all("X-Key", []), *handler.headers.get_all("Origin", [])])
        handler.server.answers["/noted"] = Page(CLEAN, MARKDOWN)
        handler.path = "/noted"
        handler.do_GET()

    with serving(site({SKILL: note})) as server:
        run(server.url, headers=(("X-Key", "1"), ("X-Key", "2"), ("origin", "https://staff.example")))
        assert asked == [["1", "2", "https://staff.example"]] * 2


def test_user_and_password_in_a_listed_url_are_not_sent() -> None:
    with serving(site()) as server:
        with_password = server.url.replace("//", "//user:pass@") + SKILL
        server.answers[INDEX] = Page(index(entry(with_password)), JSON)
        run(server.url)
        assert SKILL in server.paths
        assert {headers.get("Authorization") for _, _, headers in server.asked} == {None}


def test_cookies_are_not_kept() -> None:
    cookie = JSON | {"Set-Cookie": "id=7; Path=/"}
    with serving(site({INDEX: Page(index(entry()), cookie)})) as server:
        run(server.url)
        assert {headers.get("Cookie") for _, _, headers in server.asked} == {None}


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(site()) as server, serving() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        assert places(run(server.url)) == []
        assert proxy.asked == []


def test_comments_that_never_become_a_page_are_read_in_one_go() -> None:
    """A pattern that tries all ways to divide them would take years."""
    comments = Page("<!---->" * 60 + "x", {"Content-Type": "text/html"})
    with serving({"*": comments, INDEX: Page("<!---->" * 60 + "y", JSON)}) as server:
        assert [finding.rule for finding in run(server.url).findings] == ["json-syntax"]


ODD = [
    "", " ", "\n", "#", "?", "//", "///x", "http:", "http://", "https:///x", "http://[::1", "http://[::1]:x/",
    "http://a:b:c/", "http://acme.example:99999/", "http://acme.example:0/", "http://\u00e4.example/", "http://xn--/",
    "http://a..b/", "\\\\x\\y", "http:\\\\acme.example\\x", "javascript:alert(1)", "data:text/plain,x",
    "file:///etc/passwd", "ftp://acme.example/x", "gopher://127.0.0.1:70/", "mailto:a@b", "../../../../etc/passwd",
    "%2e%2e/%2e%2e/x", "/%00", "/%ff%fe", "/\ud800", "/\u202e", "x" * 5000, "http://" + "a" * 300 + ".example/",
    "/a b/SKILL.md", "/a%0d%0aX: y", "/a\r\nX: y", "/?\r\nX: y", "http://127.0.0.1@x.invalid/", "http://0/",
    "http://0x7f000001/", "//nowhere.invalid/x", "https:/x", "HTTP://NOWHERE.INVALID/", ".", "..", "/", "./",
    "SKILL.md",
]  # fmt: skip
"""Addresses that no publisher means."""


def test_odd_addresses_raise_nothing_and_smuggle_nothing() -> None:
    import json

    entries = [
        json.dumps({"name": f"n{n}", "type": "skill-md", "description": "d", "url": href, "digest": "sha256:0"})
        for n, href in enumerate(ODD)
    ]
    names = Names()
    with serving(site({INDEX: Page(index(*entries), JSON)})) as server:

        async def resolve(host: str, port: int) -> Sequence[str]:
            if host.endswith((".example", ".invalid")) or not host[0].isdigit():
                raise OSError("no such host")
            return await names(host, port) if host.count(".") == 3 else ["127.0.0.9"]

        report = run(server.url, resolve=resolve)
        assert report.crashed == 0
        assert report.unread == ()
        assert not any("X" in headers for _, _, headers in server.asked)
        assert not any(failure in ("", "protocol") for failure in (r.failure for r in report.responses) if failure)
    answers = {f"/{n}": Page("", {"Location": href}, 302) for n, href in enumerate(ODD) if href.isascii()}
    answers = {path: page for path, page in answers.items() if not set("\r\n") & set(page.headers["Location"])}
    entries = [entry(path, name=f"n{path[1:]}") for path in answers]
    with serving(site({INDEX: Page(index(*entries), JSON), **answers})) as server:
        report = run(server.url, resolve=resolve)
        assert report.crashed == 0
        assert len(report.responses) == len(answers) + 1
