"""Baselines: findings that are known stay silent until they are gone."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
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


def without(report: Report, known: Iterable[Known], rules: Collection[str]) -> tuple[Report, list[Known]]:
    """A report without the known findings, and the entries that match nothing any more.

    `rules` are the ids of those that ran. Of other rules, and of a file that was not looked at, nothing can be
    said: their entries are not among them.
    """
    entries = {entry.fingerprint: entry for entry in known}
    kept = tuple(finding for finding in report.findings if finding.fingerprint not in entries)
    met = {finding.fingerprint for finding in report.findings}
    looked_at = {_relative(location, report.root) for location in (*(at for _, at in report.documents), *report.opened)}
    stale = [
        entry
        for fingerprint, entry in entries.items()
        if fingerprint not in met
        and (entry.rule in rules or not entry.rule)
        and (entry.path in looked_at or _is_gone(entry.path, report.root))
    ]
    return report._replace(findings=kept, known=len(report.findings) - len(kept)), stale


def _is_gone(path: str, root: str) -> bool:
    """Whether a file of the tree is there no more; what is served is not, and what is packed has its archive's fate."""
    if path.startswith(("http://", "https://")):
        return False
    archive = path.rpartition("!")[0] or path
    return not any(os.path.lexists(os.path.join(root, file)) for file in (path, archive))


def written(report: Report, known: Iterable[Known], rules: Collection[str]) -> str:
    """A baseline of all shown findings of a report, and of what is known besides and not stale; reasons stay."""
    entries = {entry.fingerprint: entry for entry in known}
    _, stale = without(report, entries.values(), rules)
    for entry in stale:
        del entries[entry.fingerprint]
    for finding in report.shown:
        reason = entries[finding.fingerprint].reason if finding.fingerprint in entries else ""
        path = _relative(finding.location.file, report.root)
        entries[finding.fingerprint] = Known(finding.fingerprint, finding.rule, path, reason)
    ordered = sorted(entries.values(), key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
    findings = [{key: value for key, value in entry._asdict().items() if value} for entry in ordered]
    return json.dumps({"version": VERSION, "findings": findings}, indent=2) + "\n"


def _relative(location: str, root: str) -> str:
    return location.removeprefix(f"{root.rstrip('/')}/")
