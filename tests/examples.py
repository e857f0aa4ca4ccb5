"""The examples in the rules' documentation as trees of files."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re

from agentskills_lint.rule import Example, Rule
from tests.packing import packed
from tests.support import clean_skill

NAME = re.compile(r"^[\"']?name[\"']?[ \t]*:[ \t]*[\"']?([^\"'\n#]*?)[\"']?[ \t]*$", re.M)
REPEATED = re.compile(r"\[([0-9]+) times: (.+?)\](?=[^\]]|$)")
MORE = re.compile(r"^(.+)\n\(([0-9]+) more such lines\)$", re.M)
FILE = re.compile(r"^=== (.+)\n", re.M)
DIGEST = re.compile(r"\[sha256 of ([^\]]+)\]")
LISTED = re.compile(r"\]\(/?((?:skills|agents)/([a-z0-9-]+)/SKILL\.md)\)")
ARCHIVES = (".tar.gz", ".tar.bz2", ".zip")
INDEX = ".well-known/agent-skills/index.json"


def specs_of(rule: Rule, example: Example | None = None) -> list[str]:
    """The specs under which an example is tried: a whole file is written for the first one alone."""
    specs = list(dict.fromkeys(spec if spec != "advice" else "agentskills" for spec in rule.asked_by))
    whole = example is not None and example.language in ("skill", "bytes", "tree", "json", "txt", "http")
    return specs[:1] if whole else specs


def files_of(example: Example, spec: str) -> dict[str, bytes]:
    """The tree that an example stands for, laid over the clean skill of a spec.

    A line such as `(500 more such lines)` stands for as many copies of the line above it, and
    `[sha256 of FILE]` for the digest of a file of the tree. An index.json or skills.txt comes with a
    clean skill for each entry that leads to its usual place. An archive is written as the list of its members.
    The answers of a live site are given by URL, header lines above the content.
    """
    example = example._replace(text=MORE.sub(lambda more: "\n".join([more[1]] * (int(more[2]) + 1)), example.text))
    if example.language == "tree":
        parts = FILE.split(example.text)
        return _digested({path: written_out(text) for path, text in zip(parts[1::2], parts[2::2], strict=True)})
    if example.language == "http":
        parts = FILE.split(example.text.replace("[clean skill]", clean_skill("wsp")))
        return {url: text.encode() for url, text in zip(parts[1::2], parts[2::2], strict=True)}
    if example.language == "json":
        return _digested({INDEX: example.text} | _skills_of_index(example.text, spec))
    if example.language == "txt":
        skills = {path: clean_skill("wsp", f"name: {name}") for path, name in LISTED.findall(example.text)}
        return _digested({"skills.txt": example.text} | skills)
    if example.language == "bytes":
        raw = example.text.rstrip("\n").encode().decode("unicode_escape").encode("latin-1")
        return {f"{_folder(raw.decode(errors='replace'))}/SKILL.md": raw}
    if example.language == "skill":
        text = example.text
    elif example.language == "yaml":
        text = clean_skill(spec, written_out(example.text))
    else:
        text = clean_skill(spec, body="\n" + written_out(example.text))
    return {f"{_folder(text)}/SKILL.md": text.encode()}


def written_out(text: str) -> str:
    """An example's text without shorthand: `[9 times: x]` repeats, U+240D stands for a carriage return."""
    return REPEATED.sub(lambda match: match[2] * int(match[1]), text).replace("\u240d", "\r")


def _folder(text: str) -> str:
    found = NAME.search(text)
    return found[1].replace("/", "-") if found and found[1] else "pay-invoice"


def _digested(files: dict[str, str]) -> dict[str, bytes]:
    raw = {
        path: packed(path, text.splitlines()) if path.endswith(ARCHIVES) else text.encode()
        for path, text in files.items()
    }

    def digest(match: re.Match[str]) -> str:
        return hashlib.sha256(raw[match[1]]).hexdigest()

    return {
        path: raw[path] if path.endswith(ARCHIVES) else DIGEST.sub(digest, text).encode()
        for path, text in files.items()
    }


def _skills_of_index(text: str, spec: str) -> dict[str, str]:
    """A clean skill where each entry leads, with the entry's name and description."""
    try:
        index = json.loads(text)
    except ValueError:
        return {}
    skills = {}
    for entry in index.get("skills", ()) if isinstance(index, dict) else ():
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            continue
        url = entry.get("url", f"{name}/SKILL.md")
        path = re.sub(r"^https://acme\.example/", "/", url) if isinstance(url, str) else ""
        path = posixpath.normpath(posixpath.join("/", posixpath.dirname(INDEX), path)).lstrip("/")
        if path.endswith(".md") and isinstance(entry.get("description"), str):
            skills[path] = clean_skill(spec, f"name: {name}\ndescription: {json.dumps(entry['description'])}")
    return skills
