"""The examples in the rules' documentation as trees of files."""

from __future__ import annotations

import hashlib
import json
import re

from agentskills_lint.rule import Example, Rule
from tests.packing import packed
from tests.support import CLEAN_LIST, clean_index, clean_skill, place_of

NAME = re.compile(r"^[\"']?name[\"']?[ \t]*:[ \t]*[\"']?([^\"'\n#]*?)[\"']?[ \t]*$", re.M)
REPEATED = re.compile(r"\[([0-9]+) times: (.+?)\](?=[^\]]|$)")
MORE = re.compile(r"^(.+)\n\(([0-9]+) more such lines\)$", re.M)
FILE = re.compile(r"^=== (?:(entry|items|frontmatter|body) of )?(.+)\n", re.M)
DIGEST = re.compile(r"\[sha256 of ([^\]]+)\]")
LISTED = re.compile(r"\]\(/?((?:skills|agents)/([a-z0-9-]+)/SKILL\.md)\)")
ARCHIVES = (".tar.gz", ".tar.bz2", ".zip")
INDEX = ".well-known/agent-skills/index.json"
OLD_INDEX = ".well-known/skills/index.json"
WHOLE = ("skill", "bytes", "tree", "json", "entry", "txt", "items", "http")
"""Languages of examples that are written for the first spec alone."""


def specs_of(rule: Rule, example: Example | None = None) -> list[str]:
    """The specs under which an example is tried: a whole file is written for the first one alone."""
    specs = list(dict.fromkeys(spec if spec != "advice" else "agentskills" for spec in rule.asked_by))
    return specs[:1] if example is not None and example.language in WHOLE else specs


def files_of(example: Example, spec: str) -> dict[str, bytes]:
    """The tree that an example stands for, laid over the clean skill of a spec.

    A line such as `(500 more such lines)` stands for as many copies of the line above it, and
    `[sha256 of FILE]` for the digest of a file of the tree, `[clean skill]` for a SKILL.md. An index.json or
    skills.txt, whole or the entries alone, comes with a clean skill for each entry that leads to its usual place.
    In a tree `=== entry of FILE`, `items of`, `frontmatter of` and `body of` say what is laid over a clean file.
    An archive is written as the list of its members.
    The answers of a live site are given by URL, header lines above the content.
    """
    example = example._replace(text=MORE.sub(lambda more: "\n".join([more[1]] * (int(more[2]) + 1)), example.text))
    if example.language == "tree":
        parts = FILE.split(example.text)
        sections = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
        return _digested({path: _laid_over(part, path, written_out(text), spec) for part, path, text in sections})
    if example.language == "http":
        parts = FILE.split(example.text.replace("[clean skill]", clean_skill("wsp")))
        answers = {}
        for part, url, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            head, _, body = text.partition("\n\n")
            answers[url] = f"{head}\n\n{_laid_over(part, url, body, spec)}".encode()
        return answers
    if example.language in ("json", "entry"):
        path = OLD_INDEX if example.language == "entry" and '"files"' in example.text else INDEX
        index = clean_index(example.text, spec, path) if example.language == "entry" else example.text
        return _digested({path: index} | _skills_of_index(index, spec, path))
    if example.language in ("txt", "items"):
        text = CLEAN_LIST + example.text if example.language == "items" else example.text
        skills = {path: clean_skill("wsp", f"name: {name}") for path, name in LISTED.findall(text)}
        return _digested({"skills.txt": text} | skills)
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


def _laid_over(part: str | None, path: str, text: str, spec: str) -> str:
    """A file of a tree: `part` says which part of a clean one the text is, None that it is whole."""
    name = f"name: {path.split('/')[-2]}" if "/" in path else ""
    match part:
        case "entry":
            return clean_index(text, spec, path)
        case "items":
            return CLEAN_LIST + text
        case "frontmatter":
            return clean_skill(spec, f"{name}\n{text}")
        case "body":
            return clean_skill(spec, name, "\n" + text)
    return clean_skill(spec, name) if text.strip() == "[clean skill]" else text


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
        return hashlib.sha256(raw.get(match[1], b"a file on another host, or none")).hexdigest()

    return {
        path: raw[path] if path.endswith(ARCHIVES) else DIGEST.sub(digest, text).encode()
        for path, text in files.items()
    }


def _skills_of_index(text: str, spec: str, path: str) -> dict[str, str]:
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
        place = place_of(url, path) if isinstance(url, str) else ""
        if place.endswith(".md") and isinstance(entry.get("description"), str):
            skills[place] = clean_skill(spec, f"name: {name}\ndescription: {json.dumps(entry['description'])}")
    return skills
