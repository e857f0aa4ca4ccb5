"""Compares what a live site serves with the tree that it should come from, by digest."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator
from urllib.parse import quote

from agentskills_lint.archives import MAX_ARCHIVE
from agentskills_lint.live.build import Fetching
from agentskills_lint.live.fetch import UNCHECKED, Fetched, Wanted
from agentskills_lint.live.site import LiveSite
from agentskills_lint.model import Difference
from agentskills_lint.rules.hosting import published
from agentskills_lint.site import Site


def compare(tree: Site, live: LiveSite, fetching: Fetching) -> list[Difference]:
    """What of the files for agents is missing, stale or extra on a live site; sorted by URL."""
    files = {file.path: raw for file in published(tree) if (raw := tree.read(file.path, MAX_ARCHIVE)) is not None}
    known = {path: answer for path in files if (answer := _known(live, path)) is not None}
    rest = [path for path in files if path not in known]
    wanted = (Wanted(f"{live.path}/{quote(path)}", MAX_ARCHIVE, polite=True) for path in rest)
    known |= zip(rest, fetching.get(wanted), strict=True)
    found = []
    for path, raw in files.items():
        response, body = known[path]
        shown = posixpath.normpath(posixpath.join(tree.path, path))
        if response.failure in UNCHECKED:
            found.append(Difference("unknown", response.url, shown, response.reason))
        elif not response.is_ok:
            found.append(Difference("missing", response.url, shown, response.reason or f"answers {response.status}"))
        elif body != raw:
            reason = f"sha256:{_sha256(body)} is served, the tree has sha256:{_sha256(raw)}"
            if body.replace(b"\r\n", b"\n") == raw.replace(b"\r\n", b"\n"):
                reason += ": only the line ends differ"
            found.append(Difference("stale", response.url, shown, reason))
    for path, url in _served(live):
        if path not in files and tree.folder.find(path) != "file":
            found.append(Difference("extra", url, "", "the tree has no such file"))
    return sorted(found, key=lambda difference: difference.url)


def _known(live: LiveSite, path: str) -> Fetched | None:
    """How a live site answered for a path, with the content, where it was fetched before."""
    response = live.answer(path)
    body = live.read(path, MAX_ARCHIVE) if response is not None and response.is_ok else b""
    return Fetched(response, body) if response is not None and body is not None else None


def _served(live: LiveSite) -> Iterator[tuple[str, str]]:
    """The files for agents that are served below the root, with their URLs."""
    for registry in live.registries:
        yield registry.site_path, registry.location
    for listing in live.entries():
        target = live.target(listing)
        if target.kind == "file" and not target.path.startswith(("http:/", "https:/")):
            yield target.path, live.answers[target.path].url


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
