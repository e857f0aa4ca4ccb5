"""The index.json of a site that has none, made from its skills."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from agentskills_lint.documents import Skill
from agentskills_lint.registries import WELL_KNOWN
from agentskills_lint.site import Site
from agentskills_lint.specs import SCHEMA_URI

PATH = f"{WELL_KNOWN[0]}/index.json"
"""Where both drafts want it, below the root of the site."""


class NewIndex(NamedTuple):
    """The text of an index, the dialects that it serves, the skills that it cannot list with the reason."""

    text: str
    dialects: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def new_index(site: Site, provider: str | None) -> NewIndex | None:
    """The index of a site without one, None where it has one or publishes no skill.

    It serves discovery 0.2 always, DualNova's draft as well where the site's origin and its
    provider are known. Addresses are absolute then, else relative to the index.
    """
    if "index.json" in site.folder.entries(WELL_KNOWN[0]):  # a dangling link, too, is somebody's choice
        return None
    skills = [
        (skill, path) for skill, path in site.skills_in(WELL_KNOWN[0]) if skill.outer is None and not skill.is_internal
    ]
    listed = [pair for pair in skills if pair[0].value("name") and pair[0].value("description")]
    left_out = tuple((pair[0].path, "it has no name or no description") for pair in skills if pair not in listed)
    if not listed:
        return None
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
