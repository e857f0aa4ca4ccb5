"""The JSON report; its schema is schemas/report.schema.json."""

from __future__ import annotations

import json
from typing import Any

from agentskills_lint.about import VERSION, project_url
from agentskills_lint.model import LEVELS, Finding, Fix, Location, Report, Response, SkillFacts
from agentskills_lint.reporters import Style

_HEADERS = frozenset(
    {
        "access-control-allow-origin", "age", "allow", "cache-control", "content-encoding", "content-language",
        "content-length", "content-type", "date", "etag", "expires", "last-modified", "retry-after", "vary",
    }
)  # fmt: skip
"""Headers of live sites that a report shows; others may hold what is nobody's business."""


def render(report: Report, style: Style) -> str:
    """One object; everything outside ASCII is escaped, so that no text reaches a terminal raw."""
    return json.dumps(build(report), indent=2) + "\n"


def build(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    shown = report.shown
    skills = [_skill(skill) for skill in report.skills]
    return {
        "version": 1,
        "tool": {"name": "agentskills-lint", "version": VERSION, "url": project_url()},
        "sites": [
            {
                "path": site.path,
                "registries": [{"path": path, "dialects": list(found)} for path, found in site.registries.items()],
                "origin": site.origin,
                "originReason": site.origin_reason,
                "notChecked": [unchecked._asdict() for unchecked in site.unchecked],
            }
            for site in report.sites
        ],
        "skills": skills,
        **({"responses": [_response(response) for response in report.responses]} if report.responses else {}),
        **({"differences": [found._asdict() for found in report.differences]} if report.differences else {}),
        "findings": [_finding(finding) for finding in shown],
        "summary": {
            "files": report.files,
            "skills": len(report.skills),
            "sites": len(report.sites),
            "counts": {level: report.count(level) for level in LEVELS},
            "shown": len(shown),
            "hidden": len(report.findings) - len(shown),
            "suppressed": report.suppressed,
            "fixed": report.fixed,
            "baseline": report.known,
            "fixable": {
                "safe": sum(1 for f in shown if f.fix is not None and f.fix.safe),
                "unsafe": sum(1 for f in shown if f.fix is not None and not f.fix.safe),
            },
            "tokens": {part: sum(skill["tokens"][part] for skill in skills) for part in ("catalog", "body")},
            "passedOver": [{"path": path, "reason": reason} for path, reason in report.passed_over],
            "unread": [{"path": path, "reason": reason} for path, reason in report.unread],
            "internalErrors": report.crashed,
        },
    }


def _skill(skill: SkillFacts) -> dict[str, Any]:
    return {
        "path": skill.path,
        "name": skill.name,
        "description": skill.description,
        "specs": [{"spec": spec, "reason": reason} for spec, reason in skill.specs.items()],
        "lines": skill.lines,
        "bytes": skill.bytes,
        "tokens": {"catalog": skill.catalog_tokens, "body": skill.body_tokens},
        "counts": skill.counts,
    }


def _response(response: Response) -> dict[str, Any]:
    return {
        "url": response.url,
        "finalUrl": response.final,
        "status": response.status or None,
        "failure": response.failure or None,
        "reason": response.reason or None,
        "headers": {name: value for name, value in sorted(response.headers.items()) if name in _HEADERS},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "level": finding.level,
        "message": finding.message,
        **_location(finding.location),
        "specs": [demand._asdict() for demand in finding.demands],
        "url": finding.url,
        "hint": finding.hint,
        "fix": _fix(finding.fix) if finding.fix is not None else None,
        "related": [{**_location(location), "message": message} for location, message in finding.related],
        "fingerprint": finding.fingerprint,
    }


def _location(location: Location) -> dict[str, Any]:
    return {
        "path": location.path,
        "line": location.line,
        "column": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "edits": [{"start": edit.start, "end": edit.end, "text": edit.text} for edit in fix.edits],
    }
