"""Where a URL of a published site leads: RFC 3986 resolution, mapped to a path below the site's root."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from agentskills_lint.lazy import lazy

UNKNOWN_ORIGIN = "https://site.invalid"
"""Stands for the origin of a site that nobody told (RFC 2606, section 2)."""

_SEPARATORS = lazy(r"%2f|%5c|%00", re.I)
_FORGED_UTF8 = lazy(r"%c[01]%|%e0%[89]|%f0%8|%u[0-9a-f]{4}", re.I)  # overlong forms, the %uXXXX of old servers
_DEFAULT_PORT = lazy(r":(?:80|443)?\Z", re.A)
_NO_HOST = lazy(r"[\x00- ]*(?:https?:)?//", re.I)
_ROUNDS = 4


class Address(NamedTuple):
    """A resolved reference.

    kind: "path" (below the site's root: `path` is without the slash in front, percent-decoded
    once, "" for the root itself), "elsewhere" (another host, or below another path of this one),
    "unknown" (absolute, while nobody knows the site's origin), "refused" (`reason` tells why no
    client may follow it). `url` is the absolute URL without its fragment.
    """

    kind: str
    path: str
    url: str
    reason: str = ""


def resolve(href: str, base_path: str, origin: str | None, prefix: str = "") -> Address:
    """Resolve a reference that stands in the file at `base_path`, below the root of a site.

    `origin` is the address of the root, such as https://acme.example or, with a path,
    https://acme.github.io/docs; None where it is unknown: `prefix` is then the path of the root. Never raises.
    """
    root = (origin or UNKNOWN_ORIGIN + prefix).rstrip("/")
    try:
        url = join(f"{root}/{quote(base_path, _KEPT, errors='surrogateescape')}", href)
        parts = urlsplit(url)
        home = urlsplit(root)
        written = urlsplit(href)
    except ValueError:
        return Address("refused", "", href, "it is no URL")
    url = url.partition("#")[0]
    scheme = parts.scheme.lower()
    if (reason := _escape(written.path, "\\" in written.netloc, False)) is not None:
        return Address("refused", "", url, reason)
    if scheme not in ("http", "https"):
        return Address("refused", "", url, f"agents fetch http and https, not {scheme}")
    if _authority(parts.netloc) != _authority(home.netloc):
        return Address("elsewhere" if origin else "unknown", "", url)
    if (reason := _escape(written.path, False, True)) is not None:
        return Address("refused", "", url, reason)
    prefix = home.path.rstrip("/")
    path = parts.path or "/"
    if path != prefix and not path.startswith(f"{prefix}/"):
        return Address("elsewhere", "", url)
    decoded = unquote(path[len(prefix) :], errors="surrogateescape")
    return Address("path", posixpath.normpath(decoded).strip("/") if decoded.strip("/") else "", url)


_KEPT = "/:@!$&'()*+,;=~"
"""Characters of a path that need no percent escape (RFC 3986, section 3.3)."""


def join(base: str, href: str) -> str:
    """The absolute URL of a reference (RFC 3986, section 5.2); raises ValueError for what is no URL.

    `urljoin` leaves the dots of an absolute reference and drops empty segments; this does not.
    """
    parts = urlsplit(href)
    if not parts.netloc and _NO_HOST.match(href):
        raise ValueError("no host")
    if parts.scheme and (parts.netloc or parts.scheme.lower() not in ("http", "https")):
        return parts._replace(path=_without_dots(parts.path)).geturl() if parts.netloc else href
    if parts.path and not parts.netloc:
        above = urlsplit(base)
        path = parts.path if parts.path.startswith("/") else f"{above.path.rpartition('/')[0]}/{parts.path}"
        return parts._replace(scheme=above.scheme, netloc=above.netloc, path=_without_dots(path)).geturl()
    joined = urlsplit(urljoin(base, href))
    return joined._replace(path=_without_dots(joined.path)).geturl()


def parts_of(url: str) -> SplitResult:
    """The parts of a URL; those of an empty one where `urlsplit` raises ValueError."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def is_absolute(url: str) -> bool:
    """Whether a URL is a whole one of http or https."""
    parts = parts_of(url)
    return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)


def written(path: str, like: str, base_path: str, origin: str | None) -> str:
    """A reference to a path below the root, written as another one in the file at `base_path` is.

    An absolute reference keeps its host, one from the root stays one, a relative one stays relative;
    query and fragment are kept.
    """
    quoted = quote(path, _KEPT, errors="surrogateescape")
    tail = like[len(re.split(r"[?#]", like, maxsplit=1)[0]) :]
    try:
        parts = urlsplit(like)
        prefix = urlsplit(origin or "").path.rstrip("/")
    except ValueError:
        return quoted
    if parts.netloc:
        scheme = f"{parts.scheme}:" if parts.scheme else ""
        return f"{scheme}//{parts.netloc}{prefix}/{quoted}{tail}"
    if parts.path.startswith("/"):
        return f"{prefix}/{quoted}{tail}"
    relative = posixpath.relpath(
        f"/{quoted}", f"/{quote(posixpath.dirname(base_path), _KEPT, errors='surrogateescape')}"
    )
    return f"./{relative}{tail}" if ":" in relative.split("/")[0] else f"{relative}{tail}"


def _without_dots(path: str) -> str:
    """A path without the segments `.` and `..` (RFC 3986, section 5.2.4): none leads above the root."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            del kept[max(len(kept) - 1, 1) :]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)


def hidden(path: str) -> str | None:
    """Why a path may lead elsewhere than it seems to, or None."""
    return _escape(path, False, True)


def _escape(path: str, is_split: bool, separators: bool) -> str | None:
    """Why a path tries to leave the place that it seems to name, or None.

    Plain `..` is resolved by every client alike (RFC 3986, section 5.2.4); hidden in percent
    escapes or behind backslashes it is not; `is_split` tells of a backslash in front of the path.
    Escaped separators are an everyday thing on other hosts: they count where `separators` says so.
    """
    if is_split or "\\" in path:
        return "it has a backslash, which some clients read as '/'"
    if "%" not in path:
        return None
    if _FORGED_UTF8.search(path):
        return "it has percent escapes that are no UTF-8"
    plain = _dots(path)
    text = path
    for _ in range(_ROUNDS):
        if separators and _SEPARATORS.search(text):
            return "it hides a separator in a percent escape"
        decoded = unquote(text, errors="surrogateescape")
        if _dots(decoded.replace("\\", "/")) > plain:
            return "it hides dots in percent escapes"
        if decoded == text:
            break
        text = decoded
    return None


def _dots(path: str) -> int:
    segments = path.split("/")
    return segments.count("..") + segments.count(".")


def host_of(url: str) -> str:
    """The host of an address without its port, in ASCII and small letters, "" where there is none."""
    return _in_ascii(parts_of(url).hostname or "")


def _authority(netloc: str) -> str:
    """Host and port without the default ports; http and https of one host are one site."""
    return _in_ascii(_DEFAULT_PORT.sub("", netloc.rpartition("@")[2].lower()))


def _in_ascii(host: str) -> str:
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return host
    return host.removesuffix(".")
