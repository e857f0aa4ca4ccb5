"""Fetches what a site serves: within budgets, and nothing that the site's owner has no business to reach."""

from __future__ import annotations

import asyncio
import ipaddress
import random
import socket
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpcore
import httpx

from agentskills_lint.about import VERSION, project_url
from agentskills_lint.documents import MAX_BYTES
from agentskills_lint.model import Response
from agentskills_lint.urls import join
from agentskills_lint.wording import shown

if TYPE_CHECKING:
    from protego import Protego

PRODUCT = "agentskills-lint"
"""The name by which a robots.txt may call the linter."""

MAX_REDIRECTS = 10
"""Redirects that are followed from one address."""

MAX_TOTAL = 500_000_000
"""Bytes that one run fetches in all."""

MAX_RETRIES = 3
"""Further tries after a 429 or 503."""

MAX_WAIT = 60.0
"""Seconds that a Retry-After may ask for; with more of them the answer counts as it is."""

CLIENT_ORIGIN = "https://agent.example"
"""The `Origin` of the requests: many servers send CORS headers only to those that have one."""

UNCHECKED = frozenset({"robots", "budget", "interrupted"})
"""Failures that say nothing of the server: nobody asked it."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AGAIN = frozenset({429, 503})
_ROBOTS = "/robots.txt"
_PIECE = 65_536
_FIRST_WAIT = 0.5
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_RESERVED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
        "5f00::/16", "fec0::/10",
    )
)  # fmt: skip
"""Networks that not every version of Python knows to be none of the public internet."""
_COMPATIBLE = ipaddress.ip_network("::/96")
_METADATA = frozenset({"168.63.129.16"})
"""Addresses of cloud providers that look public and answer to the machines inside alone."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class Options(NamedTuple):
    """How to fetch: `timeout` seconds a request, `total` seconds a run; `headers` go to the given origins alone."""

    concurrency: int = 8
    timeout: float = 20.0
    total: float = 600.0
    headers: tuple[tuple[str, str], ...] = ()
    user_agent: str | None = None
    ignore_robots: bool = False
    resolve: Resolve | None = None


class Wanted(NamedTuple):
    """A request: at most `limit` bytes are read; `polite` ones ask the host's robots.txt first."""

    url: str
    limit: int = MAX_BYTES
    method: str = "GET"
    polite: bool = False


class Fetched(NamedTuple):
    """An answer and its content, which is empty where no whole answer came."""

    response: Response
    body: bytes = b""


class _StopError(Exception):
    """Why a request ends: the kind of failure and the words that tell of it."""

    def __init__(self, kind: str, words: str, status: int = 0, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.status = status
        self.headers = headers or {}


class Fetcher:
    """One client for one run. `homes` are the addresses that were given; `tell` hears of (done, all).

    Use it as a context manager: `get` may be called several times within.
    """

    def __init__(self, options: Options, homes: Sequence[str], tell: Callable[[int, int], None] | None = None) -> None:
        self.options = options
        self.interrupted = False
        self._tell = tell
        self._done = self._all = self._bytes = 0
        self._deadline = 0.0
        self._homes = [urlsplit(home) for home in homes]
        self._origins = frozenset(map(_origin, self._homes))
        self._guard = _Guard(options.resolve or _resolved)
        self._robots: dict[str, asyncio.Task[Protego | str | None]] = {}
        self._known: dict[str, Fetched] = {}
        self._runner = asyncio.Runner()
        self._client: httpx.AsyncClient | None = None

    def __enter__(self) -> Fetcher:
        self._runner.__enter__()
        self._deadline = time.monotonic() + self.options.total
        return self

    def __exit__(self, *error: object) -> None:
        try:
            if self._client is not None:
                self._runner.run(self._client.aclose())
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self._runner.close()

    def get(self, wanted: Iterable[Wanted]) -> list[Fetched]:
        """Fetch all that is wanted, in the order given; after Ctrl-C the rest counts as interrupted. Never raises."""
        asked = list(wanted)
        found: dict[int, Fetched] = {}
        self._all += len(asked)
        if not self.interrupted:
            try:
                self._runner.run(self._work(asked, found))
            except KeyboardInterrupt:
                self.interrupted = True
        rest = "nobody asked: the run was interrupted"
        return [found.get(i) or Fetched(_failed(want.url, "interrupted", rest)) for i, want in enumerate(asked)]

    async def _work(self, asked: list[Wanted], found: dict[int, Fetched]) -> None:
        await self._open()
        waiting = iter(enumerate(asked))
        workers = [self._worker(waiting, found) for _ in range(min(self.options.concurrency, len(asked)))]
        await asyncio.gather(*workers)

    async def _open(self) -> None:
        if self._client is None:
            self._client = _client(self._guard, self.options)
            for home in self._homes:
                await self._guard.settle(home.hostname or "", home.port or (443 if home.scheme == "https" else 80))

    async def _worker(self, waiting: Iterator[tuple[int, Wanted]], found: dict[int, Fetched]) -> None:
        for number, wanted in waiting:
            found[number] = await self._fetched(wanted)
            self._done += 1
            if self._tell is not None:
                self._tell(self._done, self._all)

    async def _fetched(self, wanted: Wanted) -> Fetched:
        """Fetch one; a robots.txt, for which several ask, once."""
        if wanted.method != "GET" or not wanted.url.endswith(_ROBOTS):
            return await self._patient(wanted)
        if wanted.url not in self._known:
            self._known[wanted.url] = await self._patient(wanted)
        return self._known[wanted.url]

    async def _patient(self, wanted: Wanted) -> Fetched:
        """Fetch one, again where the server asks for patience or dropped an idle connection."""
        try:
            if wanted.polite:
                await self._mind_robots(wanted.url)
        except _StopError as error:
            return Fetched(_failed(wanted.url, error.kind, error.words))
        for attempt in range(MAX_RETRIES + 1):
            fetched = await self._tried(wanted)
            response = fetched.response
            wait = 0.0
            if response.status in _AGAIN and not response.failure:
                wait = _wait(response.headers.get("retry-after"), attempt)
            elif response.failure != "reset" or attempt > 0:
                return fetched
            if attempt == MAX_RETRIES or wait > MAX_WAIT or time.monotonic() + wait >= self._deadline:
                return fetched
            await asyncio.sleep(wait)
        return fetched

    async def _tried(self, wanted: Wanted) -> Fetched:
        left = self._deadline - time.monotonic()
        if left <= 0:
            return Fetched(_failed(wanted.url, "budget", f"nobody asked: the {self.options.total:g} seconds are over"))
        if self._bytes >= MAX_TOTAL:
            return Fetched(_failed(wanted.url, "budget", f"nobody asked: {MAX_TOTAL:,} bytes have been fetched"))
        hops: list[str] = []
        limit = min(self.options.timeout, left)
        try:
            async with asyncio.timeout(limit):
                return await self._followed(wanted, hops)
        except TimeoutError:
            stop = _StopError("timeout", f"gives no whole answer within {limit:.3g} seconds")
        except _StopError as error:
            stop = error
        except (httpx.InvalidURL, UnicodeError):
            stop = _StopError("url", "is no URL that can be fetched")
        except Exception as error:  # whatever a server sends, the run goes on
            stop = _told(error)
        final = hops[-1] if hops else wanted.url
        return Fetched(Response(wanted.url, final, stop.status, stop.headers, tuple(hops), stop.kind, stop.words))

    async def _followed(self, wanted: Wanted, hops: list[str]) -> Fetched:
        url = wanted.url
        seen: set[str] = set()
        while True:
            address = _checked(url, bool(hops))
            seen.add(url)
            async with self._sent(wanted.method, address) as answer:
                headers = _headers(answer)
                location = answer.headers.get("location") if answer.status_code in _REDIRECTS else None
                if location is None:
                    body = await self._body(answer, wanted.limit) if wanted.method == "GET" else b""
                    return Fetched(Response(wanted.url, url, answer.status_code, headers, tuple(hops)), body)
            try:
                url = join(address, location).partition("#")[0]
            except ValueError:
                raise _StopError("url", f"redirects to {shown(location, 80)}, which is no URL") from None
            hops.append(url)
            if wanted.polite and urlsplit(url).netloc != urlsplit(address).netloc:
                await self._mind_robots(url)
            if url in seen:
                raise _StopError("redirects", f"redirects in a circle, by way of {shown(url, 80)}")
            if len(hops) > MAX_REDIRECTS:
                raise _StopError("redirects", f"redirects more than {MAX_REDIRECTS} times")

    @asynccontextmanager
    async def _sent(self, method: str, url: str) -> AsyncIterator[httpx.Response]:
        """The answer to one request, open while its content is read."""
        assert self._client is not None  # noqa: S101
        parts = urlsplit(url)
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip", "Origin": CLIENT_ORIGIN}
        if _origin(parts) in self._origins:
            headers |= dict(self.options.headers)
        async with self._client.stream(method, url, headers=headers, follow_redirects=False) as answer:
            yield answer

    async def _body(self, answer: httpx.Response, limit: int) -> bytes:
        coding = answer.headers.get("content-encoding", "").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip"):
            raise _stop("encoding", f"answers in the encoding {shown(coding)}, which nobody asked for", answer)
        unpack = _Gzip() if coding.endswith("gzip") else None
        parts: list[bytes] = []
        size = 0
        async for piece in answer.aiter_raw(_PIECE):
            for part in (piece,) if unpack is None else unpack.feed(piece):
                parts.append(part)
                size += len(part)
                self._bytes += len(part)
                if size > limit:
                    raise _stop("size", f"answers with more than {limit:,} bytes", answer)
        if unpack is not None and not unpack.is_whole:
            raise _stop("encoding", "answers with gzip that is damaged or cut off", answer)
        return b"".join(parts)

    async def _mind_robots(self, url: str) -> None:
        """Raise _StopError where the host's robots.txt does not let this program fetch an address."""
        try:
            origin = _origin(urlsplit(_checked(url, False)))
        except _StopError:
            return
        if self.options.ignore_robots:
            return
        if origin not in self._robots:
            self._robots[origin] = asyncio.ensure_future(self._robots_of(origin))
        told = await asyncio.shield(self._robots[origin])
        if isinstance(told, str):
            raise _StopError("robots", told)
        if told is not None and not told.can_fetch(url, PRODUCT):
            raise _StopError("robots", "robots.txt does not allow it (--ignore-robots fetches it all the same)")

    async def _robots_of(self, origin: str) -> Protego | str | None:
        """The rules of a host; words where it answers with an error, which forbids all (RFC 9309, section 2.3.1.4)."""
        from protego import Protego

        response, body = await self._fetched(Wanted(f"{origin}{_ROBOTS}"))
        if response.status >= 500 or response.status == 429:
            return f"robots.txt answers {response.status}, so nothing may be fetched (--ignore-robots does it)"
        if response.failure and response.failure not in ("size", "redirects"):
            return None  # the request itself will tell
        return Protego.parse(body.decode("utf-8", "replace") if response.status == 200 else "")


class _Gzip:
    """Unpacks gzip piece by piece, never more than asked for at a time."""

    def __init__(self) -> None:
        self._reader = zlib.decompressobj(31)
        self.is_whole = False
        self._broken = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        while piece and not self._broken:
            if self._reader.eof:
                self._reader = zlib.decompressobj(31)
            try:
                yield self._reader.decompress(piece, _PIECE)
            except zlib.error:
                self._broken, self.is_whole = True, False
                return
            self.is_whole = self._reader.eof
            piece = self._reader.unconsumed_tail or self._reader.unused_data


class _Guard:
    """Which addresses a host name leads to, asked once a run, and whether they may be connected to.

    The addresses where the given sites live are allowed, whatever they are; of a given name that
    leads to public addresses as well only those.
    """

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._known: dict[str, asyncio.Task[Sequence[str]]] = {}
        self._allowed: set[str] = set()

    async def settle(self, host: str, port: int) -> None:
        """Allow the addresses of a given host."""
        try:
            found = await self._of(host, port)
        except _StopError:
            return
        if not any(barred(address) is None for address in found):
            self._allowed.update(found)

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host that may be connected to; raises _StopError where there are none."""
        found = await self._of(host, port)
        allowed = [address for address in found if address in self._allowed or barred(address) is None]
        if not allowed:
            raise _StopError("address", f"leads to {found[0]}, {barred(found[0])}: not fetched")
        return allowed

    async def _of(self, host: str, port: int) -> Sequence[str]:
        if host not in self._known:
            self._known[host] = asyncio.ensure_future(self._resolve(host, port))
        try:
            found = await asyncio.shield(self._known[host])
        except (OSError, UnicodeError) as error:
            code = getattr(error, "errno", None)
            if code == socket.EAI_AGAIN:
                raise _StopError("dns", f"cannot be reached: nobody answers for the name {shown(host)}") from None
            raise _StopError("dns", f"cannot be reached: there is no host {shown(host)}") from None
        if not found:
            raise _StopError("dns", f"cannot be reached: there is no host {shown(host)}")
        return found


async def _resolved(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def barred(address: str) -> str | None:
    """What keeps an IP address from being fetched on behalf of a stranger's site, None where nothing does."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (inner := _embedded(ip)) is not None:
        reason = barred(str(inner))
        return f"{reason} in disguise" if reason is not None else None
    if ip.is_unspecified:
        return "the unspecified address"
    if ip.is_loopback:
        return "a loopback address"
    if ip.is_link_local:
        return "a link-local address"
    if ip.is_multicast:
        return "a multicast address"
    if str(ip) in _METADATA:
        return "an address of a cloud's own services"
    is_public = ip.is_global and not ip.is_reserved and not any(ip in network for network in _RESERVED)
    return None if is_public else "a private or reserved address"


def _embedded(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for: mapped, compatible, 6to4, NAT64."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip in _NAT64 or (ip in _COMPATIBLE and int(ip) > 1):
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return None


class _GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the very addresses that were checked; names are resolved nowhere else."""

    def __init__(self, guard: _Guard) -> None:
        self._guard = guard
        self._below = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        found = await self._guard.addresses(host, port)
        for address in found[:-1]:
            try:
                return await self._below.connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore.ConnectError:
                continue
        return await self._below.connect_tcp(found[-1], port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await self._below.sleep(seconds)


def _client(guard: _Guard, options: Options) -> httpx.AsyncClient:
    """A client without proxies, cookies and passwords from elsewhere; SSL_CERT_FILE and SSL_CERT_DIR are heeded."""
    context = httpx.create_ssl_context()
    transport = httpx.AsyncHTTPTransport(verify=context)
    # httpx has no setting for the network backend of its pool
    transport._pool = httpcore.AsyncConnectionPool(
        ssl_context=context,
        max_connections=options.concurrency + 4,
        max_keepalive_connections=options.concurrency + 4,
        keepalive_expiry=30.0,
        http1=True,
        http2=find_spec("h2") is not None,
        network_backend=_GuardedBackend(guard),
    )
    agent = options.user_agent or f"{PRODUCT}/{VERSION} (+{project_url()})"
    client = httpx.AsyncClient(
        transport=transport, trust_env=False, timeout=options.timeout, headers={"User-Agent": agent}
    )
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


def _checked(url: str, redirected: bool) -> str:
    """An address without user and password; raises _StopError for what is not fetched by HTTP."""
    where = f"redirects to {shown(url, 80)}" if redirected else "is no address to fetch"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _StopError("url", f"{where}, which is no URL" if redirected else where) from None
    if parts.scheme.lower() not in ("http", "https"):
        raise _StopError("scheme", f"{where}: agents fetch http and https alone")
    if not parts.hostname or port == 0:
        raise _StopError("url", f"{where}: it names no host")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _origin(parts: SplitResult) -> str:
    """Scheme, host and port, the usual port left out."""
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower()
    try:
        port = parts.port
    except ValueError:
        port = None
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(scheme)
    return f"{scheme}://{host}" + (f":{port}" if port is not None and port != usual else "")


def _headers(answer: httpx.Response) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in answer.headers.multi_items():
        found[name.lower()] = f"{found[name.lower()]}, {value}" if name.lower() in found else value
    return found


def _wait(retry_after: str | None, attempt: int) -> float:
    """Seconds until the next try: what the server says, else longer each time."""
    value = (retry_after or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    if value:
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            until = None
        if until is not None:
            aware = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
            return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
    return _FIRST_WAIT * (1 << attempt) * (1 + random.random() / 4)  # noqa: S311


def _failed(url: str, kind: str, words: str) -> Response:
    return Response(url, url, 0, {}, (), kind, words)


def _stop(kind: str, words: str, answer: httpx.Response) -> _StopError:
    return _StopError(kind, words, answer.status_code, _headers(answer))


def _told(error: Exception) -> _StopError:
    """What an exception of the client says of the server."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _StopError("tls", f"has no certificate that can be trusted: {cause.verify_message}")
        if isinstance(cause, ssl.SSLError):
            return _StopError("tls", f"does not speak TLS as it should: {(cause.reason or 'error').lower()}")
        if isinstance(cause, ConnectionRefusedError):
            return _StopError("refused", "cannot be reached: the connection is refused")
    if isinstance(error, httpx.TimeoutException):
        return _StopError("timeout", "gives no answer in time")
    if isinstance(error, httpx.ConnectError):
        return _StopError("unreachable", "cannot be reached: no connection can be made")
    if isinstance(error, httpx.RemoteProtocolError):
        if "without sending a response" in str(error):
            return _StopError("reset", "closes the connection without an answer")
        return _StopError("protocol", f"does not speak HTTP as it should: {shown(str(error), 100)}")
    if isinstance(error, httpx.NetworkError):
        return _StopError("reset", "closes the connection before the answer is whole")
    return _StopError("protocol", f"cannot be fetched: {shown(str(error) or type(error).__name__, 100)}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop()
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting.extend(below for below in (cause.__cause__, cause.__context__) if below is not None)
        if isinstance(cause, BaseExceptionGroup):
            waiting.extend(cause.exceptions)
