"""Published sites, the documents of a run, and which specs each skill answers to."""

from __future__ import annotations

import json
import posixpath
import re
from typing import Any, NamedTuple

from agentskills_lint.documents import Document, Folder, Skill
from agentskills_lint.specs import BUILDS_ON, TELLING_FIELDS
from agentskills_lint.text import Text

WELL_KNOWN = (".well-known/agent-skills", ".well-known/skills")
"""Folders of a site that hold an index.json: that of the current drafts, that of discovery 0.1."""

DISCOVERY_FILES = {"skills.txt": "skills", "agents.txt": "agents"}
"""WSP's discovery files and the folder that goes with each."""

_LIST_LINK = re.compile(r"^[ \t]*[-*+][ \t]+\[[^\]\n]*\]\([ \t]*<?([^)>\s]*SKILL\.md)", re.M)
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", re.A)


class Registry(NamedTuple):
    """A file that lists skills: its path below the site's root, its dialects, what it lists.

    `dialects` is empty for an index.json of no known dialect; `listed` are paths of SKILL.md
    files below the root, as far as they can be told.
    """

    path: str
    dialects: tuple[str, ...]
    listed: frozenset[str]


class Site:
    """A published site: its root folder, the path that reports show for it, its registries."""

    def __init__(self, folder: Folder, path: str) -> None:
        self.folder = folder
        self.path = path
        self.registries = tuple(_registries(folder))

    @property
    def dialects(self) -> frozenset[str]:
        """All dialects of all registries."""
        return frozenset(dialect for registry in self.registries for dialect in registry.dialects)


class Project(NamedTuple):
    """Everything that one run looks at.

    `documents` are in the order of their paths; `root` is the absolute folder to which
    fingerprints and SARIF paths are relative: the repository's, else the working directory.
    `passed_over` and `unread` hold (path, reason) pairs.
    """

    documents: tuple[Document, ...]
    sites: tuple[Site, ...]
    root: str
    passed_over: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


def is_site_root(folder: Folder) -> bool:
    """Whether a folder is the root of a published site (house rules: README, "Sites")."""
    entries = folder.entries()
    if ".well-known" in entries:
        well_known = folder.entries(".well-known")
        if well_known.get("agent-skills") == "folder" or well_known.get("skills") == "folder":
            return True
    return any(entries.get(name) == "file" and _wsp_links(folder, name) for name in DISCOVERY_FILES)


def _wsp_links(folder: Folder, name: str) -> list[str]:
    raw = folder.read(name)
    return _LIST_LINK.findall(Text(raw).string) if raw is not None and b"SKILL.md" in raw else []


def _registries(folder: Folder) -> list[Registry]:
    found = []
    for well_known in WELL_KNOWN:
        path = f"{well_known}/index.json"
        if folder.find(path) == "file":
            found.append(_index(folder, path))
    found.extend(
        Registry(name, ("wsp",), frozenset(_site_path(link, name) for link in links))
        for name in DISCOVERY_FILES
        if folder.entries().get(name) == "file" and (links := _wsp_links(folder, name))
    )
    return found


def _index(folder: Folder, path: str) -> Registry:
    try:
        value = json.loads(Text(folder.read(path) or b"").string)
    except (ValueError, RecursionError):
        return Registry(path, (), frozenset())
    if not isinstance(value, dict):
        return Registry(path, (), frozenset())
    skills = value.get("skills")
    entries = [entry for entry in skills if isinstance(entry, dict)] if isinstance(skills, list) else []
    links = [entry["url"] for entry in entries if isinstance(entry.get("url"), str)]
    return Registry(path, _index_dialects(value, entries), frozenset(_site_path(link, path) for link in links))


def _index_dialects(index: dict[str, Any], entries: list[dict[str, Any]]) -> tuple[str, ...]:
    found = []
    if "$schema" in index or any(entry.keys() & {"files", "digest", "type"} for entry in entries):
        found.append("discovery")
    if "provider" in index or "provider_url" in index:
        found.append("dualnova")
    return tuple(found)


def _site_path(link: str, base: str) -> str:
    """The path below the site's root to which a link of the file `base` leads, the host ignored."""
    path = re.sub(r"^[a-z]+://[^/]*", "", link.split("#")[0].split("?")[0], flags=re.I)
    return posixpath.normpath(posixpath.join("/" + posixpath.dirname(base), path)).lstrip("/")


def specs_of(skill: Skill, sites: tuple[Site, ...]) -> dict[str, str]:
    """The specs that a skill answers to, each with the reason (house rules: README, "Specs")."""
    found: dict[str, str] = {}
    unsaid = None  # a well-known folder whose index does not say which convention holds
    for site in sites:
        root = site.folder.path.rstrip("/") + "/"
        if not skill.location.startswith(root):
            continue
        path = skill.location[len(root) :]
        for registry in site.registries:
            listed = path in registry.listed
            if not listed and not _holds(registry.path, path):
                continue
            where = posixpath.normpath(posixpath.join(site.path, registry.path))
            reason = f"listed in {where}" if listed else f"below the folder of {where}"
            found |= {dialect: reason for dialect in registry.dialects if dialect not in found}
        if path.startswith(tuple(f"{folder}/" for folder in WELL_KNOWN)):
            unsaid = "in a well-known folder"
    if not found:
        found = _told_by_fields(skill)
        if unsaid is not None and "dualnova" not in found:
            found["discovery"] = unsaid
        if unsaid is None:
            found = {"agentskills": "in no registry", **found}
    for dialect, base in BUILDS_ON.items():
        if dialect in found:
            found.setdefault(base, f"{dialect} builds on it")
    return found


def _holds(registry: str, path: str) -> bool:
    folder = DISCOVERY_FILES.get(registry, posixpath.dirname(registry))
    return path.startswith(folder + "/")


def _told_by_fields(skill: Skill) -> dict[str, str]:
    found = {}
    names = [node.key.value for node in skill.front.items if node.key is not None] if skill.front is not None else []
    for dialect, fields in TELLING_FIELDS.items():
        told = next((name for name in names if name in fields and (name != "languages" or _are_tags(skill))), None)
        if told is not None:
            found[dialect] = f"has the field {told}"
    return found


def _are_tags(skill: Skill) -> bool:
    """Whether `languages` speaks of human languages: skills also list programming languages there."""
    node = skill.field("languages")
    return node is not None and all(
        item.kind == "scalar" and _LANGUAGE_TAG.fullmatch(item.value) for item in node.items or [node]
    )
