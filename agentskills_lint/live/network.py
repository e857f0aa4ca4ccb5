"""Connects to hosts, and to no address that the owner of a stranger's site has no business to reach."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import httpcore
import httpx

from agentskills_lint.wording import shown

_RESERVED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
        "5f00::/16", "fec0::/10",
    )
)  # fmt: skip
"""Networks that not every version of Python knows to be none of the public internet."""
_METADATA = frozenset({"168.63.129.16"})
"""Addresses of cloud providers that look public and answer to the machines inside alone."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class StopError(Exception):
    """Why a request ends: the kind of failure and the words that tell of it, and what of an answer had come."""

    def __init__(self, kind: str, words: str, status: int = 0, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.status = status
        self.headers = headers or {}


class Guard(httpcore.AsyncNetworkBackend):
    """Resolves each host name once a run, and connects to the very addresses that were checked.

    The addresses where the given sites live are allowed, whatever they are; of a given name that
    leads to public addresses as well only those.
    """

    def __init__(self, resolve: Resolve | None = None) -> None:
        self._resolve = resolve or _resolved
        self._below = httpcore.AnyIOBackend()
        self._known: dict[str, asyncio.Task[Sequence[str]]] = {}
        self._allowed: set[str] = set()

    async def settle(self, host: str, port: int) -> None:
        """Allow the addresses of a given host."""
        try:
            found = await self._addresses(host, port)
        except StopError:
            return
        if not any(barred(address) is None for address in found):
            self._allowed.update(found)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that lets us; each gets its part of the time. Raises StopError for none."""
        found = await self._addresses(host, port)
        allowed = [address for address in found if address in self._allowed or barred(address) is None]
        if not allowed:
            raise StopError("address", f"leads to {found[0]}, {barred(found[0])}: not fetched")
        part = timeout / len(allowed) if timeout is not None else None
        for address in allowed[:-1]:
            try:
                return await self._below.connect_tcp(address, port, part, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._below.connect_tcp(allowed[-1], port, part, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._below.sleep(seconds)

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        if host not in self._known:
            self._known[host] = asyncio.ensure_future(self._resolve(host, port))
        try:
            found = await asyncio.shield(self._known[host])
        except (OSError, UnicodeError) as error:
            if getattr(error, "errno", None) == socket.EAI_AGAIN:
                raise StopError("dns", f"cannot be reached: nobody answers for the name {shown(host)}") from None
            found = ()
        if not found:
            raise StopError("dns", f"cannot be reached: there is no host {shown(host)}")
        return found


async def _resolved(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
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
    if ip in _NAT64 or (ip in _COMPATIBLE and int(ip) > 1):
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


class _Transport(httpx.AsyncBaseTransport):
    """A pool of httpcore for httpx, whose own transport takes no network backend."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        answer = await self._pool.handle_async_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Stream(answer), extensions=answer.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Stream(httpx.AsyncByteStream):
    """The content of an answer, as it comes."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._answer.aiter_stream()

    async def aclose(self) -> None:
        await self._answer.aclose()


def client(guard: Guard, connections: int, timeout: float, user_agent: str) -> httpx.AsyncClient:
    """A client without proxies, cookies and passwords from elsewhere; SSL_CERT_FILE and SSL_CERT_DIR are heeded."""
    from http.cookiejar import DefaultCookiePolicy

    pool = httpcore.AsyncConnectionPool(
        ssl_context=httpx.create_ssl_context(),
        max_connections=connections,
        max_keepalive_connections=connections,
        keepalive_expiry=30.0,
        http2=find_spec("h2") is not None,
        network_backend=guard,
    )
    headers = {"User-Agent": user_agent}
    made = httpx.AsyncClient(transport=_Transport(pool), trust_env=False, timeout=timeout, headers=headers)
    made.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return made


def told(error: Exception) -> StopError:
    """What an exception of the client says of the server."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return StopError("tls", f"has no certificate that can be trusted: {cause.verify_message}")
        if isinstance(cause, ssl.SSLError):
            return StopError("tls", f"does not speak TLS as it should: {(cause.reason or 'error').lower()}")
        if isinstance(cause, ConnectionRefusedError):
            return StopError("refused", "cannot be reached: the connection is refused")
    if isinstance(error, httpcore.TimeoutException):
        return StopError("timeout", "gives no answer in time")
    if isinstance(error, httpcore.ConnectError):
        return StopError("unreachable", "cannot be reached: no connection can be made")
    if isinstance(error, httpcore.RemoteProtocolError):
        if "without sending a response" in str(error):
            return StopError("reset", "closes the connection without an answer")
        return StopError("protocol", f"does not speak HTTP as it should: {shown(str(error), 100)}")
    if isinstance(error, httpcore.NetworkError):
        return StopError("reset", "closes the connection before the answer is whole")
    if isinstance(error, httpx.InvalidURL | UnicodeError):
        return StopError("url", "is no URL that can be fetched")
    return StopError("protocol", f"cannot be fetched: {shown(str(error) or type(error).__name__, 100)}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and all that led to it."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__cause__, cause.__context__]
        if isinstance(cause, BaseExceptionGroup):
            waiting += cause.exceptions
