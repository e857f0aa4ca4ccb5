"""SARIF 2.1.0, as GitHub code scanning reads it.

The properties and limits are those of "SARIF support for code scanning" on docs.github.com.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from agentskills_lint.about import VERSION, project_url, rules_url
from agentskills_lint.explain import explain, levels
from agentskills_lint.model import Edit, Finding, Fix, Level, Location, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters._places import Places, advice, text, where, worst_first
from agentskills_lint.rule import Rule, load_rules
from agentskills_lint.wording import escaped

MOST_RESULTS = 5000
"""GitHub refuses more than 25,000 results a run and keeps 5,000, not always the worst."""

MOST_RELATED = 100
"""Locations of a result that GitHub shows; it refuses more than 1,000."""

LONGEST_DESCRIPTION = 1024
"""Characters of a description that GitHub takes."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_BRACKET, _ESCAPED = re.compile(r"[][\\]"), r"\\\g<0>"
_PRECISION: dict[Level, str] = {"error": "very-high", "warning": "high", "note": "medium"}
_SEVERITY: dict[Level, str] = {"error": "error", "warning": "warning", "note": "recommendation"}


def render(report: Report, style: Style, rules: Sequence[Rule] | None = None) -> str:
    """One run with all rules; `rules` defaults to those of the package."""
    return json.dumps(build(report, style, load_rules() if rules is None else rules), indent=2) + "\n"


def build(report: Report, style: Style, rules: Sequence[Rule]) -> dict[str, Any]:
    """The log as plain values."""
    places = Places(report, style)
    shown = worst_first(report.shown)
    index = {rule.code: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "agentskills-lint",
                "version": VERSION,
                "semanticVersion": VERSION,
                "informationUri": project_url(),
                "rules": list(_rules(rules)),
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, len(shown))],
        "results": [_result(finding, places, index) for finding in shown[:MOST_RESULTS]],
    }
    if style.category:
        # all up to the last slash is the category ("runAutomationDetails object")
        run["automationDetails"] = {"id": style.category.rstrip("/") + "/"}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(report: Report, shown: int) -> dict[str, Any]:
    told = [("error", f"{path} could not be read: {reason}") for path, reason in report.unread]
    if shown > MOST_RESULTS:
        told.append(("warning", f"Only the worst {MOST_RESULTS} of {shown} findings are in this report"))
    notifications = [{"level": level, "message": {"text": _sentence(escaped(words))}} for level, words in told]
    return {
        "executionSuccessful": not report.unread and not report.crashed,
        "toolExecutionNotifications": notifications,
    }


# Rules


def _rules(rules: Sequence[Rule]) -> Iterator[dict[str, Any]]:
    pages = rules_url()
    for rule in rules:
        page = f"{pages}/{rule.id}.md"
        yield {
            "id": rule.code,
            "name": "".join(part.capitalize() for part in rule.id.split("-")),
            "shortDescription": {"text": _sentence(rule.summary)},
            "fullDescription": {"text": _shortened(rule.explanation or rule.summary)},
            "help": {"text": _visible(explain(rule)), "markdown": _visible(_markdown(rule, page))},
            "helpUri": page,
            "defaultConfiguration": {"level": rule.strongest},
            "properties": _properties(rule),
        }


def _properties(rule: Rule) -> dict[str, Any]:
    topic = rule.check.__module__.rpartition(".")[2].replace("_", "-")
    kinds = ["agent-skills", topic, *(spec for spec in rule.asked_by if spec != "advice")]
    found: dict[str, Any] = {
        # GitHub lists what is tagged so under "security"; a tag may stand once (SARIF 2.1.0, section 3.8.2)
        "tags": kinds if rule.severity is None else list(dict.fromkeys(["security", *kinds])),
        # what only infers is never an error (CONTRIBUTING.md, levels): the level tells how sure a rule is
        "precision": _PRECISION[rule.strongest],
        "problem.severity": _SEVERITY[rule.strongest],
    }
    if rule.severity is not None:
        found["security-severity"] = f"{rule.severity:.1f}"
    return found


def _markdown(rule: Rule, page: str) -> str:
    examples = [
        f"{'Good' if example.good else 'Bad'}:\n\n````{example.language}\n{example.text}````"
        for example in rule.examples
    ]
    asked = "\n".join(f"- {line}" for line in levels(rule))
    link = f"[{rule.code} {rule.id}]({page})"
    return "\n\n".join([rule.explanation or _sentence(rule.summary), *examples, f"Asked by:\n\n{asked}", link]) + "\n"


def _visible(words: str) -> str:
    return "\n".join(escaped(line) for line in words.split("\n"))


def _shortened(words: str) -> str:
    plain = _sentence(" ".join(words.split()))
    if len(plain) <= LONGEST_DESCRIPTION:
        return plain
    cut = plain[: LONGEST_DESCRIPTION - 1]
    return cut[: max(cut.rfind(" "), 1)] + "…"


def _sentence(words: str) -> str:
    # the first sentence is all that GitHub shows where space is short
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


# Results


def _result(finding: Finding, places: Places, index: dict[str, int]) -> dict[str, Any]:
    place = places.place(finding)
    # what lies in an archive is no file of the repository: it is named in the message alone
    related = [] if finding.via else finding.related[:MOST_RELATED]
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": _message(finding)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(place.path)},
                    "region": _region(place.line, place.column, place.end_column),
                }
            }
        ],
        "partialFingerprints": {"agentskillsLint/v1": finding.fingerprint},
    }
    if finding.code in index:
        found["ruleIndex"] = index[finding.code]
    if related:
        found["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(places.of(location))},
                    "region": _region_of(location),
                },
                "message": {"text": _plain(_sentence(escaped(message)))},
            }
            for number, (location, message) in enumerate(related, 1)
        ]
    if finding.fix is not None and finding.edits and not finding.via:
        found["fixes"] = [_fix(finding.fix, finding, uri(place.path))]
    return found


def _message(finding: Finding) -> str:
    sentences = [_plain(text(finding)), *(_plain(f"{line[0].upper()}{line[1:]}") for line in advice(finding))]
    for number, (location, message) in enumerate(finding.related[:MOST_RELATED], 1):
        if finding.via:
            sentences.append(_plain(f"See {escaped(where(location))}: {escaped(message)}"))
        else:
            # GitHub links related locations that the message names (SARIF 2.1.0, section 3.11.6)
            sentences.append(f"See [{_BRACKET.sub(_ESCAPED, escaped(message))}]({number})")
    return " ".join(_sentence(sentence) for sentence in sentences)


def _plain(words: str) -> str:
    """Words that quote a file make no link."""
    return words.replace("](", "\\](")


def _region(line: int, column: int, end_column: int) -> dict[str, int]:
    return {"startLine": line, "startColumn": column, "endLine": line, "endColumn": end_column}


def _region_of(location: Location) -> dict[str, int]:
    end = location.end_column if location.end_line == location.line else location.column + 1
    return _region(location.line, location.column, end)


def _fix(fix: Fix, finding: Finding, address: str) -> dict[str, Any]:
    return {
        "description": {"text": _plain(_sentence(escaped(fix.title if fix.safe else f"{fix.title} (unsafe)")))},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": address},
                "replacements": [
                    _replacement(edit, place) for edit, place in zip(fix.edits, finding.edits, strict=True)
                ],
            }
        ],
    }


def _replacement(edit: Edit, place: Location) -> dict[str, Any]:
    """An edit by lines and columns: viewers disagree whether offsets count a byte order mark."""
    if edit.start < 0:
        # the mark itself is at no line and column
        return {"deletedRegion": {"byteOffset": 0, "byteLength": 3}}
    deleted = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return {"deletedRegion": deleted, "insertedContent": {"text": edit.text}}


def uri(path: str) -> str:
    """A relative reference (RFC 3986): a colon would end a scheme, bytes that are no text stay bytes.

    What is served keeps its URL; hosts of code show no place for it, other viewers do.
    """
    if path.startswith(("http://", "https://")):
        return quote(path, safe="/:?#[]@!$&'()*+,;=%~", errors="surrogatepass")
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(path, errors="surrogatepass")
