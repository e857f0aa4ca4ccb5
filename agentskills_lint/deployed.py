"""Compares what a live site serves with the tree that it should come from, by digest."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator
from urllib.parse import quote

from agentskills_lint.archives import MAX_ARCHIVE
from agentskills_lint.live.build import Fetching, LiveSite
from agentskills_lint.live.fetch import UNCHECKED, Wanted
from agentskills_lint.model import Difference
from agentskills_lint.rules.hosting import published
from agentskills_lint.site import Site


def compare(tree: Site, live: LiveSite, fetching: Fetching) -> list[Difference]:
    """What of the files for agents is missing, stale or extra on a live site; sorted by URL."""
    files = _files(tree)
    urls = {path: f"{live.path}/{quote(path)}" for path in files}
    answers = fetching.get(Wanted(url, MAX_ARCHIVE, polite=True) for url in urls.values())
    found = []
    for path, (response, body) in zip(files, answers, strict=True):
        shown = posixpath.normpath(posixpath.join(tree.path, path))
        raw = files[path]
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


def _files(tree: Site) -> dict[str, bytes]:
    """The files for agents by their path below the root."""
    files: dict[str, bytes] = {}
    for file in published(tree):
        raw = tree.read(file.path)
        if raw is not None:
            files[file.path] = raw
    return files


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
