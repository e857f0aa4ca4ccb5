"""What the tests of live sites share: sites, runs against them, short views of findings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from agentskills_lint.config import Config
from agentskills_lint.engine import lint
from agentskills_lint.live import build
from agentskills_lint.live.fetch import Fetcher, Options
from agentskills_lint.model import Finding, Report
from agentskills_lint.site import Project
from tests.live.servers import Page, Reply
from tests.support import clean_skill

INDEX = "/.well-known/agent-skills/index.json"
SKILL = "/.well-known/agent-skills/pay-invoice/SKILL.md"
SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
DESCRIPTION = "Pays an open invoice by card. Use when the user wants to pay, not for refunds."

JSON = {
    "Content-Type": "application/json",
    "Cache-Control": "public, max-age=3600",
    "Access-Control-Allow-Origin": "*",
}
MARKDOWN = JSON | {"Content-Type": "text/markdown; charset=utf-8", "Cache-Control": "public, max-age=86400"}
PLAIN = JSON | {"Content-Type": "text/plain; charset=utf-8"}

CLEAN = clean_skill("discovery")
CLEAN_WSP = clean_skill("wsp")
SKILLS_TXT = """# Acme

> Invoices and payments.

## Skills

- [Pay an invoice](/skills/pay-invoice/SKILL.md): Pays an open invoice by card.
"""


def sha256(content: str | bytes) -> str:
    import hashlib

    raw = content.encode() if isinstance(content, str) else content
    return "sha256:" + hashlib.sha256(raw).hexdigest()


def entry(url: str = SKILL, content: str | bytes = CLEAN, name: str = "pay-invoice", kind: str = "skill-md") -> str:
    """An entry of an index, on one line: its url begins in column 49 where the name is pay-invoice."""
    return json.dumps({"name": name, "type": kind, "url": url, "digest": sha256(content), "description": DESCRIPTION})


def index(*entries: str) -> str:
    """An index of discovery 0.2, each entry on a line of its own from the fourth."""
    return f'{{\n"$schema": "{SCHEMA}",\n"skills": [\n' + ",\n".join(entries) + "\n]}\n"


def site(more: Mapping[str, Page | str | bytes | Reply] | None = None) -> dict[str, Page | str | bytes | Reply]:
    """The answers of a site without any fault, with others in place of them or besides."""
    return {
        INDEX: Page(index(entry()), JSON),
        SKILL: Page(CLEAN, MARKDOWN),
        **(more or {}),
    }


def wsp_site(more: Mapping[str, Page | str | bytes | Reply] | None = None) -> dict[str, Page | str | bytes | Reply]:
    """A site that follows WSP, without any fault."""
    return {
        "/skills.txt": Page(SKILLS_TXT, PLAIN),
        "/skills/pay-invoice/SKILL.md": Page(CLEAN_WSP, MARKDOWN),
        **(more or {}),
    }


def fetched(
    urls: str | Sequence[str], config: Config | None = None, max_skills: int = 5000, **options: object
) -> Project:
    """The project of live sites."""
    given = [urls] if isinstance(urls, str) else list(urls)
    settings = Options(**{"timeout": 5.0, **options})  # type: ignore[arg-type]
    with Fetcher(settings, given) as fetcher:
        return build.project(given, fetcher, config or Config(), max_skills)


def run(urls: str | Sequence[str], config: Config | None = None, max_skills: int = 5000, **options: object) -> Report:
    """The report on live sites; every level is shown."""
    config = (config or Config())._replace(level="note")
    return lint(fetched(urls, config, max_skills, **options), config)


def places(findings: Report | Sequence[Finding], base: str = "") -> list[tuple[str, str, str, int, int]]:
    """(rule, level, URL without the base, line, column) of each finding."""
    found = findings.findings if isinstance(findings, Report) else findings
    return [(f.rule, f.level, f.path.removeprefix(base), f.line, f.column) for f in found]


def messages(report: Report, rule: str, base: str = "\0") -> list[str]:
    """The messages of one rule."""
    return [finding.message.replace(base, "") for finding in report.findings if finding.rule == rule]
