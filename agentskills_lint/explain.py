"""Rules for readers: `--explain`, `--list-rules`, and the parts of the documentation pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentskills_lint.about import rules_url
from agentskills_lint.rule import Rule
from agentskills_lint.specs import SPECS


def explain(rule: Rule) -> str:
    """A rule's documentation as plain text for a terminal."""
    asked = "\n".join(f"  {line}" for line in levels(rule))
    fix = f"fix: {rule.fix}" if rule.fix else "fix: none"
    return f"{rule.code} {rule.id}\n\n{rule.doc}\n\n{fix}\nasked by:\n{asked}\n"


def levels(rule: Rule) -> list[str]:
    """Who asks for the rule, how strongly, and where it says so."""
    lines = []
    for spec, clause in rule.asked_by.items():
        params = "".join(f", {name} {value}" for name, value in clause.params if isinstance(value, int | str))
        words = f"{clause.strength}, {clause.level}" if clause.strength != "advice" else clause.level
        lines.append(f"{spec}: {words}{params}{f' ({clause.url})' if clause.url else ''}")
    return lines


def listing(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """All rules as plain values, in the order of their codes."""
    pages = rules_url()
    return [
        {
            "code": rule.code,
            "id": rule.id,
            "level": {spec: rule.asked_by[spec].level if spec in rule.asked_by else None for spec in SPECS},
            "fix": rule.fix,
            "summary": rule.summary,
            "url": f"{pages}/{rule.id}.md",
        }
        for rule in rules
    ]
