"""What tests share: linting texts in memory, clean skills of each spec, short views of findings."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding, Report
from agentskills_lint.specs import SCHEMA_URI

CLEAN_FRONT = {
    "agentskills": {
        "name": "name: pay-invoice",
        "description": "description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.",
    },
    "dualnova": {
        "name": "name: pay-invoice",
        "description": "description: Pay an open invoice by card when the user asks for it.",
        "version": "version: 1.0.0",
    },
    "wsp": {
        "name": "name: pay-invoice",
        "description": "description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.",
        "version": "version: 1.0.0",
        "base_url": "base_url: https://api.acme.example/v1",
    },
}
CLEAN_FRONT["discovery"] = CLEAN_FRONT["advice"] = CLEAN_FRONT["claude"] = CLEAN_FRONT["agentskills"]
"""Frontmatter entries, by key, of a skill that gives no finding at all under the spec."""

CLEAN_BODY = """
# Pay an invoice

## When to invoke this skill

When the user wants to pay an invoice that is open.

## What this skill does

It pays one invoice by card and returns a receipt.

## Step-by-step flow for the assistant

1. Ask for the invoice number.
2. Confirm the amount with the user.

## Workflow

1. Look the invoice up.
2. Pay it.

## Endpoints

POST https://api.acme.example/v1/payments

## Parameters

| name | meaning |
| --- | --- |
| invoice | its number, required |

## Request examples

```json
{"invoice": "R-100"}
```

## Response format

```json
{"receipt": "Q-7"}
```

## Error handling

Tell the user what the API said.

## Authentication

None is needed.

## Notes

Ten payments a minute.

## Information the assistant should provide to the user

The receipt.

## Common follow-up questions

Can it be undone? No.

## Fallback

Ask the user to write to billing@acme.example.
"""

CLEAN_LIST = "# Acme\n\n> Invoices and payments.\n\n## Skills\n\n"
"""What stands above the list items of a skills.txt that gives no finding."""


def skill_text(front: str, body: str = CLEAN_BODY) -> str:
    """A SKILL.md of frontmatter lines and a body."""
    return f"---\n{front.strip(chr(10))}\n---\n{body}"


def clean_skill(spec: str, front: str = "", body: str = CLEAN_BODY) -> str:
    """The clean skill of a spec; lines of `front` replace the entries of the same key."""
    entries = dict(CLEAN_FRONT[spec])
    for block in re.findall(r"^\S.*(?:\n(?:[ \t-].*)?)*", front, re.M):
        key = re.match(r"[\"']?([^:\"']*)", block)
        entries[key[1] if key else block] = block.rstrip("\n")
    return skill_text("\n".join(entries.values()), body)


def clean_index(entries: str, spec: str, path: str) -> str:
    """An index.json at a path, of entries that blank lines divide: pairs laid over a clean one, or a whole object.

    What pairs only DualNova's draft or only discovery 0.1 has decides on the dialect, else the spec.
    """
    texts = entries.strip("\n").split("\n\n")
    found = [json.loads(text if text.startswith("{") else f"{{{text}}}") for text in texts]
    keys = {key for pairs in found for key in pairs}
    index: dict[str, Any] = {"$schema": SCHEMA_URI}
    dialect = "0.2"
    if spec == "dualnova" or not keys.isdisjoint(("title", "languages", "execution_url", "tags")):
        index = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example"}
        dialect = "dualnova"
    elif "files" in keys:
        index, dialect = {}, "0.1"
    index["skills"] = [
        pairs if text.startswith("{") else _clean_entry(pairs, dialect, path, spec) | pairs
        for text, pairs in zip(texts, found, strict=True)
    ]
    return json.dumps(index, indent=2, ensure_ascii=False) + "\n"


def _clean_entry(pairs: dict[str, Any], dialect: str, path: str, spec: str) -> dict[str, Any]:
    name = pairs.get("name", "pay-invoice")
    entry = {"name": name, "description": CLEAN_FRONT[spec]["description"].removeprefix("description: ")}
    if dialect == "0.1":
        return entry | {"files": ["SKILL.md"]}
    if dialect == "dualnova":
        home = posixpath.dirname(path)
        return entry | {"title": "Pay an invoice", "url": f"https://acme.example/{home}/{name}/SKILL.md"}
    entry |= {"type": "skill-md", "url": f"{name}/SKILL.md"} | pairs
    return entry | {"digest": f"sha256:[sha256 of {place_of(entry['url'], path)}]"}


def place_of(url: str, path: str) -> str:
    """Where a url leads that stands in the index.json at a path of https://acme.example."""
    bare = url.removeprefix("https://acme.example")
    if "://" in bare:
        return "another host"
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(path), bare)).lstrip("/")


def report_on(files: Mapping[str, str | bytes], spec: Sequence[str] = (), **settings: object) -> Report:
    """The report on a tree of files in memory, or on the answers of a live site by URL; every level is shown."""
    config = Config(spec=tuple(spec), level="note", **settings)  # type: ignore[arg-type]
    if any(path.startswith(("http://", "https://")) for path in files):
        from tests.canned import canned_project

        answers = {url: text if isinstance(text, bytes) else text.encode() for url, text in files.items()}
        return lint(canned_project(answers, config), config)
    return lint(memory_project(files, config), config)


def findings_in(text: str | bytes, *spec: str, path: str = "pay-invoice/SKILL.md", **settings: object) -> list[Finding]:
    """All findings on one file in memory; with `spec` nothing is detected."""
    return list(report_on({path: text}, spec, **settings).findings)


def brief(findings: Sequence[Finding]) -> list[tuple[str, str, int, int]]:
    """(rule id, level, line, column) of each finding."""
    return [(f.rule, f.level, f.line, f.column) for f in findings]


def only(findings: Sequence[Finding], rule: str) -> list[Finding]:
    """The findings of one rule."""
    return [finding for finding in findings if finding.rule == rule]


def fixed(text: str, finding: Finding) -> str:
    """The text after a finding's fix; offsets do not count a byte order mark, which stands at -1."""
    assert finding.fix is not None
    shift = 1 if text.startswith("\ufeff") else 0
    for edit in sorted(finding.fix.edits, reverse=True):
        text = text[: edit.start + shift] + edit.text + text[edit.end + shift :]
    return text
