"""The index.json of a site that has none, made from its skills."""

from __future__ import annotations

import hashlib
import json
import posixpath
from typing import Any, NamedTuple

from agentskills_lint.archives import named
from agentskills_lint.documents import Skill
from agentskills_lint.registries import WELL_KNOWN
from agentskills_lint.site import Site
from agentskills_lint.specs import SCHEMA_URI

_ARCHIVE = "of archives only you know the name and the description"
PATH = f"{WELL_KNOWN[0]}/index.json"
"""Where both drafts want it, below the root of the site."""


class NewIndex(NamedTuple):
    """The text of an index, the dialects that it serves, the paths that it does not list with the reason.

    It serves none where there is nothing to list.
    """

    text: str
    dialects: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def has_index(site: Site) -> bool:
    """Whether something stands where a new index would: a dangling link, too, is somebody's choice."""
    return "index.json" in site.folder.entries(WELL_KNOWN[0])


def new_index(site: Site, provider: str | None) -> NewIndex | None:
    """An index of the skills that a site publishes, None where nothing is published where it would stand.

    It serves discovery 0.2 always, DualNova's draft as well where the site's origin and its
    provider are known. Addresses are absolute then, else relative to the index.
    """
    skills = [
        (skill, path) for skill, path in site.skills_in(WELL_KNOWN[0]) if skill.outer is None and not skill.is_internal
    ]
    listed = [pair for pair in skills if pair[0].value("name") and pair[0].value("description")]
    archives = [name for name in sorted(site.folder.entries(WELL_KNOWN[0])) if named(name)]
    if not skills and not archives:
        return None
    left_out = (
        *((pair[0].path, "it has no name or no description") for pair in skills if pair not in listed),
        *((posixpath.normpath(posixpath.join(site.path, WELL_KNOWN[0], name)), _ARCHIVE) for name in archives),
    )
    if not listed:
        return NewIndex("", (), left_out)
    origin = site.origin.url.rstrip("/") if site.origin.url and provider else None
    base = f"{origin}/{WELL_KNOWN[0]}/" if origin else ""
    index: dict[str, Any] = {"$schema": SCHEMA_URI}
    if origin:
        index |= {"version": "1.0", "provider": provider, "provider_url": origin}
    index["skills"] = [_entry(skill, base, path.removeprefix(f"{WELL_KNOWN[0]}/")) for skill, path in listed]
    text = json.dumps(index, indent=2, ensure_ascii=False) + "\n"
    return NewIndex(text, ("discovery", "dualnova") if origin else ("discovery",), left_out)


def _entry(skill: Skill, base: str, path: str) -> dict[str, Any]:
    from urllib.parse import quote

    description = skill.value("description")
    entry: dict[str, Any] = {"name": skill.value("name")}
    if base:
        heading = next((heading.text for heading in skill.markdown.headings if heading.level == 1), "")
        entry["title"] = heading or str(skill.value("name")).replace("-", " ").capitalize()
    entry |= {"type": "skill-md", "description": " ".join((description or "").split()), "url": base + quote(path)}
    entry["digest"] = f"sha256:{hashlib.sha256(skill.raw).hexdigest()}"
    languages = skill.field("languages")
    if base and languages is not None and languages.kind == "list":
        entry["languages"] = [item.value for item in languages.items]
    if base and (landing := skill.value("url")):
        entry["execution_url"] = landing
    return entry
