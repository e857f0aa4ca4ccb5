"""A Markdown summary, for the page of a GitHub Actions run or a comment."""

from __future__ import annotations

import re

from agentskills_lint.about import rules_url
from agentskills_lint.model import LEVELS, Finding, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters._places import Places, advice, text, worst_first
from agentskills_lint.wording import escaped

MOST_BYTES = 1_000_000
"""GitHub drops a step's summary of more than 1 MiB (docs.github.com, "Workflow commands", job summaries)."""

_SIGNS = re.compile(r"""(?P<lone>[@#]|:(?=\w))|[]!"$%&*+.:;<=>?[\\^_`{|}~]""")
"""ASCII punctuation but for `,'()/-`, which means nothing alone; `lone` begins a mention, a reference, an emoji."""


def render(report: Report, style: Style) -> str:
    """Counts, then a table of the findings, the worst first, as far as there is room."""
    lines = ["### agentskills-lint\n", f"\n{_counts(report)}\n"]
    if report.unread:
        lines.append("\n")
    lines.extend(f"- {cell(f'{path} could not be read: {reason}')}\n" for path, reason in report.unread)
    shown = worst_first(report.shown)
    if shown:
        lines.append("\n| level | rule | place | what is wrong |\n| --- | --- | --- | --- |\n")
    places = Places(report, style)
    pages = rules_url()
    lines.extend(_row(finding, places, pages) for finding in shown)
    return _fitting(lines)


def _fitting(lines: list[str]) -> str:
    room = MOST_BYTES
    for number, line in enumerate(lines):
        room -= len(line.encode())
        if room < 0:
            left = _count(len(lines) - number, "line")
            return f"{''.join(lines[:number])}\n{left} more: a job summary has room for 1 MiB.\n"
    return "".join(lines)


def _counts(report: Report) -> str:
    files = _count(sum(report.files.values()), "file")
    found = [_count(report.count(level), level) for level in LEVELS if report.count(level)]
    hidden = len(report.findings) - len(report.shown)
    if not found:
        return f"No findings in {files}."
    rest = f" {_count(hidden, 'finding')} below the level {report.level} {'is' if hidden == 1 else 'are'} not listed."
    return f"**{', '.join(found)}** in {files}.{rest if hidden else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _row(finding: Finding, places: Places, pages: str) -> str:
    place = places.place(finding)
    rule = f"[{finding.code}]({pages}/{finding.rule}.md) {cell(finding.rule)}"
    at = f"<code>{cell(f'{place.path}:{place.line}:{place.column}')}</code>"
    words = "<br>".join(cell(line) for line in [text(finding), *advice(finding)])
    return f"| {finding.level} | {rule} | {at} | {words} |\n"


def cell(words: str) -> str:
    """Text that stays text in a table: an entity never stands for a sign of Markdown (CommonMark 0.31, 2.5).

    The sign of a mention, a reference or an emoji stands alone in its element, since GitHub looks
    for those in the text that Markdown has left.
    """
    return _SIGNS.sub(_entity, escaped(words))


def _entity(match: re.Match[str]) -> str:
    entity = f"&#{ord(match[0])};"
    return f"<span>{entity}</span>" if match["lone"] else entity
