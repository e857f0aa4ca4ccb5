"""GitLab's Code Quality report (docs.gitlab.com, "Code Quality", "Code Quality report format")."""

from __future__ import annotations

import json
from typing import Any

from agentskills_lint.model import Finding, Level, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters._places import Places, advice, text

_SEVERITY: dict[Level, str] = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report, style: Style) -> str:
    """An array of issues, empty where nothing was found."""
    places = Places(report, style)
    return json.dumps([_issue(finding, places) for finding in report.shown], indent=2) + "\n"


def _issue(finding: Finding, places: Places) -> dict[str, Any]:
    place = places.place(finding)
    return {
        "description": "; ".join([f"{finding.code} {text(finding)}", *advice(finding)]),
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITY[finding.level],
        "location": {"path": place.path, "lines": {"begin": place.line}},
    }
