"""Fetches what a site serves, within budgets: size, time, redirects, patience, robots.txt."""

from __future__ import annotations

import asyncio
import random
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpx

from agentskills_lint.about import VERSION, project_url
from agentskills_lint.documents import MAX_BYTES
from agentskills_lint.live.network import Guard, Resolve, StopError, client, told
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
_PORTS = {"http": 80, "https": 443}


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


class Fetcher:
    """One client for one run. `given` are the URLs of the sites; `tell` hears of (done, all).

    Use it as a context manager: `get` may be called several times within.
    """

    def __init__(self, options: Options, given: Sequence[str], tell: Callable[[int, int], None] | None = None) -> None:
        self.options = options
        self.interrupted = False
        self._tell = tell
        self._done = self._all = self._bytes = 0
        self._deadline = 0.0
        self._homes = [urlsplit(url) for url in given]
        self._origins = frozenset(map(_origin, self._homes))
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
        rest = StopError("interrupted", "nobody asked: the run was interrupted")
        return [found.get(number) or _failed(want.url, rest) for number, want in enumerate(asked)]

    async def _work(self, asked: list[Wanted], found: dict[int, Fetched]) -> None:
        if self._client is None:
            agent = self.options.user_agent or f"{PRODUCT}/{VERSION} (+{project_url()})"
            guard = Guard(self.options.resolve)
            self._client = client(guard, self.options.concurrency + 4, self.options.timeout, agent)
            for home in self._homes:
                try:
                    async with asyncio.timeout(self.options.timeout):
                        await guard.settle(home.hostname or "", home.port or _PORTS[home.scheme])
                except TimeoutError:
                    continue
        waiting = iter(enumerate(asked))
        workers = [self._worker(waiting, found) for _ in range(min(self.options.concurrency, len(asked)))]
        await asyncio.gather(*workers)

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
        except StopError as error:
            return _failed(wanted.url, error)
        for attempt in range(MAX_RETRIES):
            fetched = await self._tried(wanted)
            response = fetched.response
            wait = 0.0
            if response.status in _AGAIN and not response.failure:
                wait = _wait(response.headers.get("retry-after"), attempt)
            elif response.failure != "reset" or attempt > 0:
                return fetched
            if wait > MAX_WAIT or time.monotonic() + wait >= self._deadline:
                return fetched
            await asyncio.sleep(wait)
        return await self._tried(wanted)

    async def _tried(self, wanted: Wanted) -> Fetched:
        left = self._deadline - time.monotonic()
        if left <= 0:
            words = f"nobody asked: the {self.options.total:g} seconds are over"
            return _failed(wanted.url, StopError("budget", words))
        if self._bytes >= MAX_TOTAL:
            return _failed(wanted.url, StopError("budget", f"nobody asked: {MAX_TOTAL:,} bytes have been fetched"))
        hops: list[str] = []
        limit = min(self.options.timeout, left)
        try:
            async with asyncio.timeout(limit):
                return await self._followed(wanted, hops)
        except TimeoutError:
            stop = StopError("timeout", f"gives no whole answer within {limit:.3g} seconds")
        except StopError as error:
            stop = error
        except Exception as error:  # whatever a server sends, the run goes on
            stop = told(error)
        return _failed(wanted.url, stop, tuple(hops))

    async def _followed(self, wanted: Wanted, hops: list[str]) -> Fetched:
        assert self._client is not None  # noqa: S101
        url = wanted.url
        seen: set[str] = set()
        while True:
            address = _checked(url, bool(hops))
            seen.add(url)
            headers = self._headers(address)
            async with self._client.stream(wanted.method, address, headers=headers, follow_redirects=False) as answer:
                location = answer.headers.get("location") if answer.status_code in _REDIRECTS else None
                if location is None:
                    body = await self._body(answer, wanted.limit) if wanted.method == "GET" else b""
                    received = dict(answer.headers)
                    return Fetched(Response(wanted.url, url, answer.status_code, received, tuple(hops)), body)
            try:
                url = join(address, location).partition("#")[0]
            except ValueError:
                raise StopError("url", f"redirects to {shown(location, 80)}, which is no URL") from None
            hops.append(url)
            if wanted.polite and urlsplit(url).netloc != urlsplit(address).netloc:
                await self._mind_robots(url)
            if url in seen:
                raise StopError("redirects", f"redirects in a circle, by way of {shown(url, 80)}")
            if len(hops) > MAX_REDIRECTS:
                raise StopError("redirects", f"redirects more than {MAX_REDIRECTS} times")

    def _headers(self, url: str) -> list[tuple[str, str]]:
        """What is sent to an address: the headers of the options to the given origins alone."""
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip", "Origin": CLIENT_ORIGIN}
        own = self.options.headers if _origin(urlsplit(url)) in self._origins else ()
        replaced = {name.lower() for name, _ in own}
        return [pair for pair in headers.items() if pair[0].lower() not in replaced] + list(own)

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
        """Raise StopError where the host's robots.txt does not let this program fetch an address."""
        if self.options.ignore_robots:
            return
        try:
            origin = _origin(urlsplit(_checked(url, False)))
        except StopError:
            return  # the request itself will tell
        if origin not in self._robots:
            self._robots[origin] = asyncio.ensure_future(self._robots_of(origin))
        rules = await asyncio.shield(self._robots[origin])
        if isinstance(rules, str):
            raise StopError("robots", rules)
        if rules is not None and not rules.can_fetch(url, PRODUCT):
            raise StopError("robots", "robots.txt does not allow it (--ignore-robots fetches it all the same)")

    async def _robots_of(self, origin: str) -> Protego | str | None:
        """The rules of a host; words where it answers with an error, which forbids all (RFC 9309, section 2.3.1.4)."""
        from protego import Protego

        response, body = await self._fetched(Wanted(f"{origin}{_ROBOTS}"))
        if response.status >= 500 or response.status == 429:
            return f"robots.txt answers {response.status}, so nothing may be fetched (--ignore-robots does it)"
        if response.failure and response.failure not in ("size", "redirects"):
            return None  # the request itself will tell
        return Protego.parse(body.decode("utf-8-sig", "replace") if response.status == 200 else "")


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


def _checked(url: str, redirected: bool) -> str:
    """An address without user and password; raises StopError for what is not fetched by HTTP."""
    where = f"redirects to {shown(url, 80)}" if redirected else "is no address to fetch"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise StopError("url", f"{where}, which is no URL" if redirected else where) from None
    if parts.scheme.lower() not in _PORTS:
        raise StopError("scheme", f"{where}: agents fetch http and https alone")
    if not parts.hostname or port == 0:
        raise StopError("url", f"{where}: it names no host")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _origin(parts: SplitResult) -> str:
    """Scheme, host and port, the usual port left out; of parts whose port is a number."""
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" + (f":{parts.port}" if parts.port not in (None, _PORTS.get(scheme)) else "")


def _wait(retry_after: str | None, attempt: int) -> float:
    """Seconds until the next try: what the server says, else longer each time."""
    value = (retry_after or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return _FIRST_WAIT * (1 << attempt) * (1 + random.random() / 4)  # noqa: S311
    aware = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)


def _failed(url: str, stop: StopError, hops: tuple[str, ...] = ()) -> Fetched:
    return Fetched(Response(url, hops[-1] if hops else url, stop.status, stop.headers, hops, stop.kind, stop.words))


def _stop(kind: str, words: str, answer: httpx.Response) -> StopError:
    return StopError(kind, words, answer.status_code, dict(answer.headers))
