"""From outcomes to the findings of a report: places, fingerprints, and no word of a secret."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from agentskills_lint.documents import Document, Skill
from agentskills_lint.model import LEVELS, Demand, Finding, Level, Location, Problem, Related, SkillFacts, Span
from agentskills_lint.registries import Index
from agentskills_lint.rule import Rule


class Outcome(NamedTuple):
    """A problem of a document with the level and the demands of the clauses behind it."""

    rule: Rule
    problem: Problem
    span: Span
    level: Level
    demands: tuple[Demand, ...]


def findings_of(outcomes: Iterable[tuple[Document, Outcome]], root: str, secrets: Sequence[str]) -> list[Finding]:
    """The findings in the order of paths and places, masked, with fingerprints that are relative to `root`."""
    seen: Counter[str] = Counter()
    found = []
    line: _Line | None = None
    for document, outcome in sorted(outcomes, key=_order):
        number = document.text.line_at(min(outcome.span.start, len(document.source)))
        if line is None or line.document is not document or line.number != number:
            line = _line(document, number, secrets)
        found.append(_finding(line, outcome, root, seen, secrets))
    return found


def span_of(where: Any) -> Span:
    """The place of a node, a heading, a link, of a pair of document and place, or the place itself."""
    if type(where) is Span:
        return where
    if type(where) is tuple:  # (document, place); headings and links are tuples with a span
        return span_of(where[1])
    found: Span = where.span
    return found


def _order(pair: tuple[Document, Outcome]) -> tuple[Any, ...]:
    document, outcome = pair
    return document.path, outcome.span.start, outcome.rule.code, outcome.span.end


def _location(document: Document, span: Span) -> Location:
    length = len(document.source)
    start = min(max(span.start, 0), length)
    line, column = document.text.position(start)
    end_line, end_column = document.text.position(min(max(span.end, start), length))
    return Location(document.path, line, column, end_line, end_column, document.location)


class _Line(NamedTuple):
    """The line on which findings start: its text without secrets, and what of it goes into fingerprints."""

    document: Document
    number: int
    text: str
    identity: str


def _line(document: Document, number: int, secrets: Sequence[str]) -> _Line:
    text = _hidden(document.text.line(number), secrets)
    return _Line(document, number, text, _digest(" ".join(text.split())))


def _digest(text: str) -> str:
    import hashlib  # a clean run needs none

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _finding(line: _Line, outcome: Outcome, root: str, seen: Counter[str], secrets: Sequence[str]) -> Finding:
    rule, problem, span, level, demands = outcome
    document = line.document
    if secrets:
        problem = _masked(problem, secrets)
    if problem.fix is not None and (document.via is not None or document.response is not None):
        # nobody edits what is packed or served
        problem = problem._replace(fix=None, hint=problem.hint or problem.fix.title)
    related = []
    for where, message in problem.related:
        other = where[0] if type(where) is tuple else document
        related.append((_location(other, span_of(where)), message))
    path = document.location.removeprefix(root.rstrip("/") + "/")
    identity = "\0".join((rule.id, path, _identity(document, span) or line.identity))
    seen[identity] += 1
    return Finding(
        rule.code, rule.id, level, problem.message, _location(document, span), span, demands, demands[0].url,
        problem.fix, problem.hint, tuple(related), line.text, _digest(f"{identity}\0{seen[identity]}"),
        tuple(_location(document, Span(edit.start, edit.end)) for edit in problem.fix.edits) if problem.fix else (),
        _location(*document.via) if document.via is not None else None,
    )  # fmt: skip


def _identity(document: Document, span: Span) -> str | None:
    """What a finding in an index is told by: the entry's name, since JSON is laid out anew again and again."""
    if not isinstance(document, Index) or not document.entries:
        return None
    entry = document.entry_at(span.start)
    return f"entry {entry.name}" if entry is not None else "index"


def _hidden(text: str, secrets: Sequence[str]) -> str:
    """A text without secrets, of which the longest come first."""
    for secret in secrets:
        text = text.replace(secret, "*" * len(secret))
    return text


def _masked(problem: Problem, secrets: Sequence[str]) -> Problem:
    """A problem whose words show no secret; a fix that would have to show one is left out."""
    fix = problem.fix
    if fix is not None and any(_hidden(text, secrets) != text for text in (fix.title, *(e.text for e in fix.edits))):
        fix = None
    return problem._replace(
        message=_hidden(problem.message, secrets),
        fix=fix,
        related=tuple(Related(where, _hidden(message, secrets)) for where, message in problem.related),
        hint=_hidden(problem.hint, secrets) if problem.hint is not None else None,
    )


def facts_of(skill: Skill, reasons: dict[str, str], counts: Counter[Level], secrets: Sequence[str]) -> SkillFacts:
    """What a report tells of a skill, with how many findings it has of each level."""
    name, description = skill.value("name"), skill.value("description")
    return SkillFacts(
        path=skill.path,
        name=_hidden(name, secrets) if name else None,
        description=_hidden(description, secrets) if description else None,
        specs=reasons,
        lines=skill.text.line_count,
        bytes=skill.size,
        source=skill.source if skill.readable else "",  # the same object: a copy of each body would lie in memory
        body=skill.body.start,
        counts={level: counts[level] for level in LEVELS},
    )
