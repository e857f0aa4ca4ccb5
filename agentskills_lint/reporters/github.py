"""Workflow commands, which GitHub Actions turns into annotations, one line a finding."""

from __future__ import annotations

from agentskills_lint.model import Finding, Level, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters._places import Places, advice, text, worst_first
from agentskills_lint.wording import escaped

_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, style: Style) -> str:
    """A command for each shown finding, the worst first: a step shows ten of each level."""
    places = Places(report, style)
    lines = [
        f"::error title=agentskills-lint::{data(escaped(f'{path} could not be read: {reason}'))}"
        for path, reason in report.unread
    ]
    lines.extend(_command(finding, places) for finding in worst_first(report.shown))
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding, places: Places) -> str:
    place = places.place(finding)
    properties = {
        "file": escaped(place.path),
        "line": place.line,
        "col": place.column,
        "endLine": place.line,
        "endColumn": place.end_column,
        "title": f"{finding.code} {finding.rule}",
    }
    named = ",".join(f"{name}={attribute(str(value))}" for name, value in properties.items())
    message = "\n".join([text(finding), *advice(finding)])
    return f"::{_COMMANDS[finding.level]} {named}::{data(message)}"


def data(words: str) -> str:
    """A message as the runner reads it (`escapeData` in actions/toolkit, packages/core/src/command.ts)."""
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def attribute(words: str) -> str:
    """A property as the runner reads it (`escapeProperty`, in the same place)."""
    return data(words).replace(":", "%3A").replace(",", "%2C")
