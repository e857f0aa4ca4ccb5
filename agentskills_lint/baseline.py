"""Baselines: findings that are known stay silent until they are gone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import NamedTuple

from agentskills_lint.model import Report

VERSION = 1
"""Raised when a file of an older tool could be read wrongly."""


class BaselineError(ValueError):
    """A file that is no baseline; the text says why."""


class Known(NamedTuple):
    """A finding of a baseline: `path` is relative to the repository; `reason` is a person's own words."""

    fingerprint: str
    rule: str
    path: str
    reason: str


def read(text: str) -> tuple[Known, ...]:
    """The entries of a baseline file; raises BaselineError."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise BaselineError(f"line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise BaselineError("it is nested too deeply") from None
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise BaselineError("it is no baseline: an object with the list 'findings' is expected")
    if data.get("version") != VERSION:
        raise BaselineError(f"it has version {json.dumps(data.get('version'))}, this tool reads {VERSION}")
    found = []
    for number, entry in enumerate(data["findings"], 1):
        values = [entry.get(key, "") if isinstance(entry, dict) else None for key in Known._fields]
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) < len(values) or not texts[0]:
            raise BaselineError(f"entry {number} is no object with the string 'fingerprint'")
        found.append(Known(*texts))
    return tuple(found)


def without(report: Report, known: Iterable[Known]) -> tuple[Report, list[Known]]:
    """A report without the known findings, and the entries that match nothing any more.

    Of a file that was not looked at nothing can be said: its entries are not among them.
    """
    entries = {entry.fingerprint: entry for entry in known}
    kept = tuple(finding for finding in report.findings if finding.fingerprint not in entries)
    met = {finding.fingerprint for finding in report.findings}
    looked_at = {_relative(location, report.root) for _, location in report.documents}
    stale = [
        entry
        for fingerprint, entry in entries.items()
        if fingerprint not in met
        and (entry.path in looked_at or not os.path.lexists(os.path.join(report.root, entry.path)))
    ]
    return report._replace(findings=kept, known=len(report.findings) - len(kept)), stale


def written(report: Report, known: Iterable[Known]) -> str:
    """A baseline of all shown findings of a report; reasons of known entries stay, as do those of other files."""
    entries = {entry.fingerprint: entry for entry in known}
    _, stale = without(report, entries.values())
    shown = {
        finding.fingerprint: Known(
            finding.fingerprint,
            finding.rule,
            _relative(finding.location.file, report.root),
            entries[finding.fingerprint].reason if finding.fingerprint in entries else "",
        )
        for finding in report.shown
    }
    met = {finding.fingerprint for finding in report.findings}
    gone = {entry.fingerprint for entry in stale} | met - shown.keys()
    kept = {fingerprint: entry for fingerprint, entry in entries.items() if fingerprint not in gone} | shown
    ordered = sorted(kept.values(), key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
    findings = [{key: value for key, value in entry._asdict().items() if value} for entry in ordered]
    return json.dumps({"version": VERSION, "findings": findings}, indent=2) + "\n"


def _relative(location: str, root: str) -> str:
    return location.removeprefix(f"{root.rstrip('/')}/")
