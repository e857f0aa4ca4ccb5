"""Servers that fail, in every way that a server can: one finding each, at the entry that names the URL."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import struct
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from agentskills_lint.live import fetch
from tests.live.servers import Authority, Handler, Page, Reply, serving
from tests.live.support import CLEAN, INDEX, JSON, MARKDOWN, SKILL, entry, index, messages, places, run, site

ENTRY = (INDEX, 4, 52)


def head(handler: Handler, *lines: str) -> None:
    """The head of an answer, as it is written."""
    handler.close_connection = True
    handler.wfile.write("\r\n".join(["HTTP/1.1 200 OK", "Content-Type: text/markdown", *lines, "", ""]).encode())


def slow_headers(handler: Handler) -> None:
    handler.close_connection = True
    handler.server.over.wait(3)


def slow_body(handler: Handler) -> None:
    """A byte from time to time: no single wait is long."""
    head(handler, "Content-Length: 1000")
    with contextlib.suppress(OSError):
        for _ in range(60):
            handler.wfile.write(b"-")
            if handler.server.over.wait(0.05):
                return


def endless(handler: Handler) -> None:
    head(handler)
    with contextlib.suppress(OSError):
        for _ in range(200):
            handler.wfile.write(b"-" * 65_536)


def truncated(handler: Handler) -> None:
    head(handler, "Content-Length: 1000")
    handler.wfile.write(b"---\n")


def reset(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def mute(handler: Handler) -> None:
    handler.close_connection = True


def bad_chunks(handler: Handler) -> None:
    head(handler, "Transfer-Encoding: chunked")
    handler.wfile.write(b"zz\r\n---\r\n0\r\n\r\n")


def no_http(handler: Handler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")


def zipped(content: bytes) -> Page:
    return Page(content, MARKDOWN | {"Content-Encoding": "gzip"})


BOMB = gzip.compress(bytes(50_000_000), 9)

FAULTS: list[tuple[str, Reply | Page, str]] = [
    ("404", Page("no\n", {}, 404), "answers 404 Not Found"),
    ("410", Page("no\n", {}, 410), "answers 410 Gone"),
    ("500", Page("no\n", {}, 500), "answers 500 Internal Server Error"),
    ("unknown status", Page("no\n", {}, 599), "answers 599"),
    ("no content", Page("", {"Content-Length": "0"}, 204), "answers 204 No Content"),
    ("endless body", endless, "answers with more than 5,000,000 bytes"),
    ("gzip bomb", zipped(BOMB), "answers with more than 5,000,000 bytes"),
    ("gzip cut off", zipped(gzip.compress(CLEAN.encode())[:-9]), "answers with gzip that is damaged or cut off"),
    ("no gzip", zipped(CLEAN.encode()), "answers with gzip that is damaged or cut off"),
    ("odd encoding", Page("x", {"Content-Encoding": "br"}), "answers in the encoding 'br', which nobody asked for"),
    ("cut off", truncated, "does not speak HTTP as it should: 'peer closed connection without sending complete"),
    ("reset", reset, "closes the connection before the answer is whole"),
    ("mute", mute, "closes the connection without an answer"),
    ("bad chunking", bad_chunks, "does not speak HTTP as it should: "),
    ("no HTTP", no_http, "does not speak HTTP as it should: "),
    ("a circle", Page("", {"Location": SKILL}, 302), "redirects in a circle, by way of '{base}" + SKILL + "'"),
    ("to file:", Page("", {"Location": "file:///etc/passwd"}, 302), "redirects to 'file:///etc/passwd': agents fetch "
     "http and https alone"),
    ("to nowhere", Page("", {"Location": "http://"}, 302), "redirects to 'http://', which is no URL"),
    ("to the metadata service", Page("", {"Location": "http://169.254.169.254/latest/"}, 301),
     "leads to 169.254.169.254, a link-local address: not fetched, after a redirect to 'http://169.254.169.254/latest/'"),
    ("to a private host", Page("", {"Location": "http://10.0.0.7/"}, 307),
     "leads to 10.0.0.7, a private or reserved address: not fetched"),
    ("to a 404", Page("", {"Location": "/gone.md"}, 302),
     "answers 404 Not Found, after a redirect to '{base}/gone.md'"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "said"), [pytest.param(*fault[1:], id=fault[0]) for fault in FAULTS])
def test_fault(answer: Reply | Page, said: str) -> None:
    with serving(site({SKILL: answer})) as server:
        report = run(server.url)
        found = [place for place in places(report, server.url) if place[0] != "http-head"]
        assert found == [("http-status", "error", *ENTRY)]
        (message,) = messages(report, "http-status")
        assert message.startswith(f"'{server.url}{SKILL}' " + said.replace("{base}", server.url))
        (finding,) = (f for f in report.findings if f.rule == "http-status")
        assert finding.location.end_column == 52 + len(SKILL) + 2
        assert report.skills == ()


@pytest.mark.parametrize("answer", [slow_headers, slow_body])
def test_slow_answers_end_with_the_timeout(answer: Reply) -> None:
    with serving(site({SKILL: answer})) as server:
        report = run(server.url, timeout=0.3)
        assert places(report, server.url) == [("http-status", "error", *ENTRY)]
        assert messages(report, "http-status", server.url) == [f"'{SKILL}' gives no whole answer within 0.3 seconds"]


def test_the_total_time_ends_the_run() -> None:
    listed = index(*(entry(f"/{n}/SKILL.md", name=f"n{n}") for n in range(9)))
    slow: dict[str, Reply] = {f"/{n}/SKILL.md": slow_headers for n in range(9)}
    with serving({INDEX: Page(listed, JSON), **slow}) as server:
        report = run(server.url, timeout=0.3, total=0.9, concurrency=1)
        reasons = [unchecked.reason for unchecked in report.sites[0].unchecked]
        assert set(reasons) == {"nobody asked: the 0.9 seconds are over"}
        assert len(reasons) + len(messages(report, "http-status")) == 9
        assert len(reasons) >= 6


def test_the_bytes_of_a_run_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MAX_TOTAL", 300)
    with serving(site()) as server:  # the index alone is longer
        reasons = [unchecked.reason for unchecked in run(server.url).sites[0].unchecked]
        assert reasons == ["nobody asked: 300 bytes have been fetched"]
        assert SKILL not in server.paths


def test_redirects_are_followed_ten_times_at_most() -> None:
    hops = {f"/{n}": Page("", {"Location": f"/{n + 1}"}, 308) for n in range(20)}
    with serving(site({INDEX: Page(index(entry("/0")), JSON), **hops})) as server:
        assert messages(run(server.url), "http-status", server.url) == ["'/0' redirects more than 10 times"]
        assert "/10" in server.paths
        assert "/11" not in server.paths
        server.answers["/10"] = Page(CLEAN, MARKDOWN)
        report = run(server.url)
        assert messages(report, "http-status") == []
        assert messages(report, "http-redirect", server.url) == ["'/0' is reached after 10 redirects"]


def test_refused_and_unknown_hosts_are_told_apart() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        listed = index(
            entry(f"http://127.0.0.1:{port}/SKILL.md"), entry("http://nowhere.invalid/SKILL.md", name="nowhere")
        )
        with serving({INDEX: Page(listed, JSON)}) as server:
            found = run(server.url)
        assert messages(found, "http-status") == [
            f"'http://127.0.0.1:{port}/SKILL.md' cannot be reached: the connection is refused",
            "'http://nowhere.invalid/SKILL.md' cannot be reached: there is no host 'nowhere.invalid'",
        ]


def test_a_name_that_nobody_answers_for_is_no_unknown_host() -> None:
    async def busy(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    url = "http://acme.example"
    assert run(url, resolve=busy).unread == ((url, "cannot be reached: nobody answers for the name 'acme.example'"),)

    async def silent(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    assert run(url, resolve=silent, timeout=0.2).unread == ((url, "gives no whole answer within 0.2 seconds"),)


def test_an_address_that_does_not_answer_leaves_time_for_the_next() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["::1", "127.0.0.1"]

    with serving(site()) as server, contextlib.ExitStack() as opened:
        deaf = opened.enter_context(socket.socket(socket.AF_INET6))
        deaf.bind(("::1", server.port))
        deaf.listen(0)
        for _ in range(4):  # the queue of those who wait to be accepted is full
            waiting = opened.enter_context(socket.socket(socket.AF_INET6))
            waiting.setblocking(False)
            waiting.connect_ex(("::1", server.port))
        assert places(run(f"http://acme.example:{server.port}", resolve=resolve, timeout=1.0)) == []
        assert SKILL in server.paths


def test_a_site_that_cannot_be_reached_is_not_read() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        assert run(url).unread == ((url, "cannot be reached: the connection is refused"),)
    assert run("http://nowhere.invalid").unread == (
        ("http://nowhere.invalid", "cannot be reached: there is no host 'nowhere.invalid'"),
    )
    with serving({"*": slow_headers}) as server:
        assert run(server.url, timeout=0.3).unread == ((server.url, "gives no whole answer within 0.3 seconds"),)


def test_too_many_requests_are_tried_again_when_the_server_says() -> None:
    asked: list[float] = []

    def busy(handler: Handler) -> None:
        asked.append(time.monotonic())
        page = Page("", {"Retry-After": "1"}, 429) if len(asked) == 1 else Page(CLEAN, MARKDOWN)
        handler.server.answers["/once"] = page
        handler.path = "/once"
        handler.do_GET()

    with serving(site({SKILL: busy})) as server:
        assert places(run(server.url)) == []
        assert asked[1] - asked[0] >= 1


def test_a_connection_that_is_dropped_once_is_tried_again() -> None:
    def once(handler: Handler) -> None:
        handler.server.answers[SKILL] = Page(CLEAN, MARKDOWN)
        reset(handler)

    with serving(site({SKILL: once})) as server:
        assert places(run(server.url)) == []
        assert server.paths.count(SKILL) == 3  # the last is HEAD


@pytest.mark.parametrize("value", ["120", "3600", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_server_that_asks_for_too_much_patience_is_a_finding(value: str) -> None:
    with serving(site({SKILL: Page("", {"Retry-After": value}, 429)})) as server:
        report = run(server.url)
        assert messages(report, "http-status", server.url) == [f"'{SKILL}' answers 429 Too Many Requests"]
        assert server.paths.count(SKILL) == 1


def test_waits_between_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=30)
    assert 28 < fetch._wait(format_datetime(soon, usegmt=True), 0) <= 30
    assert fetch._wait("7", 0) == 7
    assert fetch._wait("Mon, 01 Jan 2001 00:00:00 GMT", 0) == 0
    assert 0.5 <= fetch._wait(None, 0) < 0.7
    for value in ("soon", "-5", "1e9", "Mon, 01 Jan 99999999999 00:00:00 GMT", "\u0661"):
        assert 2 <= fetch._wait(value, 2) < 2.6
    monkeypatch.setattr(fetch, "_FIRST_WAIT", 0.01)
    with serving(site({SKILL: Page("", {}, 503)})) as server:
        assert messages(run(server.url), "http-status", server.url) == [f"'{SKILL}' answers 503 Service Unavailable"]
        assert server.paths.count(SKILL) == fetch.MAX_RETRIES + 1


def test_gzip_is_unpacked_before_the_digest_is_taken() -> None:
    with serving(site({SKILL: zipped(gzip.compress(CLEAN.encode()))})) as server:
        assert places(run(server.url)) == []
    two = gzip.compress(CLEAN[:100].encode()) + gzip.compress(CLEAN[100:].encode())
    with serving(site({SKILL: zipped(two)})) as server:
        assert places(run(server.url)) == []


def test_a_byte_order_mark_is_found_in_what_is_served() -> None:
    marked = b"\xef\xbb\xbf" + CLEAN.encode()
    listed = Page(index(entry(content=marked)), JSON)
    with serving(site({INDEX: listed, SKILL: Page(marked, MARKDOWN)})) as server:
        assert places(run(server.url), server.url) == [("byte-order-mark", "warning", SKILL, 1, 1)]


def test_latin_1_is_found_in_what_is_served() -> None:
    latin = CLEAN.replace("card", "caf\u00e9").encode("latin-1")
    page = Page(latin, MARKDOWN | {"Content-Type": "text/markdown; charset=iso-8859-1"})
    listed = Page(index(entry(content=latin)), JSON)
    with serving(site({INDEX: listed, SKILL: page})) as server:
        found = places(run(server.url), server.url)
        assert [place[:4] for place in found if place[1] == "error"] == [("not-utf8", "error", SKILL, 3)]


# TLS


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def test_a_certificate_of_ones_own_authority(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(site(), context=authority.context("127.0.0.1")) as server:
        assert server.url.startswith("https://")
        report = run(server.url)
        assert report.unread == (
            (
                server.url,
                "has no certificate that can be trusted: unable to get local issuer certificate",
            ),
        )
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert places(run(server.url)) == []


def test_names_reach_the_server_that_is_connected_to(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with serving(site(), context=authority.context("acme.example")) as server:
        url = f"https://acme.example:{server.port}"
        assert places(run(url, resolve=resolve)) == []
        assert {headers["Host"] for _, _, headers in server.asked} == {f"acme.example:{server.port}"}
        other = f"https://other.example:{server.port}"
        ((_, reason),) = run(other, resolve=resolve).unread
        assert reason.startswith("has no certificate that can be trusted: Hostname mismatch")


def test_other_faults_of_tls(authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with serving(site(), context=authority.context("127.0.0.1", days=-1)) as server:
        ((_, reason),) = run(server.url).unread
        assert reason == "has no certificate that can be trusted: certificate has expired"
    with serving(site()) as server:  # plain HTTP where TLS is spoken
        ((_, reason),) = run(server.url.replace("http:", "https:"), timeout=2.0).unread
        assert reason.startswith("does not speak TLS as it should: ")
