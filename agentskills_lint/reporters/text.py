"""The report for a person at a terminal."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator

from agentskills_lint.model import LEVELS, Finding, Report, SkillFacts
from agentskills_lint.reporters import Style
from agentskills_lint.reporters._places import advice
from agentskills_lint.wording import escaped

MOST_OF_ONE_RULE = 10
"""Findings of one rule in one file that are shown; the rest is folded into a line."""

WIDTH = 100
"""Columns of a source line that are shown around the finding."""

_COLORS = {"error": "31;1", "warning": "33;1", "note": "36;1", "path": "1", "caret": "32;1", "dim": "2"}


def render(report: Report, style: Style) -> str:
    """Findings with their source line, then what was asked for, then the summary."""
    parts = list(_findings(report, style))
    parts.extend(_differences(report, style))
    if style.verbose:
        parts.extend(_choices(report, style))
    if style.show_files:
        parts.append(_files(report))
    if style.statistics and report.shown:
        parts.append(_statistics(report))
    if not style.quiet:
        parts.append(_summary(report, style))
    return "".join(f"{part}\n" for part in parts)


def _paint(text: str, color: str, style: Style) -> str:
    return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if style.color else text


def _findings(report: Report, style: Style) -> Iterator[str]:
    shown = report.shown
    totals = Counter((finding.path, finding.rule) for finding in shown)
    printed: Counter[tuple[str, str]] = Counter()
    for finding in shown:
        key = finding.path, finding.rule
        printed[key] += 1
        if printed[key] <= MOST_OF_ONE_RULE:
            yield _finding(finding, style)
        elif printed[key] == totals[key]:
            more = totals[key] - MOST_OF_ONE_RULE
            path = _paint(escaped(finding.path), "path", style)
            yield f"{path}: {more} more of {finding.rule} ({finding.code}) in this file\n"


def _finding(finding: Finding, style: Style) -> str:
    location = f"{escaped(finding.path)}:{finding.line}:{finding.column}"
    level = _paint(finding.level, finding.level, style)
    rule = _paint(f"[{finding.code} {finding.rule}]", "dim", style)
    asked = ", ".join(str(demand) for demand in finding.demands)
    lines = [f"{_paint(location, 'path', style)}: {level}: {escaped(finding.message)} {rule} ({asked})"]
    source, caret = excerpt(finding)
    if source.strip():
        lines.append(f"    {source}")
        lines.append(f"    {_paint(caret, 'caret', style)}")
    for place, message in finding.related:
        lines.append(f"    see {escaped(place.path)}:{place.line}:{place.column}: {escaped(message)}")
    lines += (f"    {line}" for line in advice(finding))
    return "\n".join(lines) + "\n"


def excerpt(finding: Finding) -> tuple[str, str]:
    """The source line, cut to WIDTH around the finding, and the line of carets below it."""
    line = finding.snippet
    start = min(finding.column - 1, len(line))
    end = finding.location.end_column - 1 if finding.location.end_line == finding.line else len(line)
    end = min(max(end, start + 1), len(line) + 1)
    first = 0 if len(line) <= WIDTH or start < WIDTH * 2 // 3 else start - WIDTH // 3
    last = min(len(line), first + WIDTH)
    before, marked = escaped(_tabless(line[first:start])), escaped(_tabless(line[start : min(end, last)]))
    after = escaped(_tabless(line[min(end, last) : last]))
    cut = "…" if first else ""
    source = f"{cut}{before}{marked}{after}{'…' if last < len(line) else ''}"
    return source, " " * _columns(cut + before) + "^" * max(_columns(marked), 1)


def _tabless(text: str) -> str:
    return text.replace("\t", "    ")


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes: East Asian wide characters take two, marks none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


def _differences(report: Report, style: Style) -> Iterator[str]:
    for kind, url, path, reason in report.differences:
        level = _paint(kind, "error", style)
        tree = f" (see {escaped(path)})" if path else ""
        yield f"{_paint(escaped(url), 'path', style)}: {level}: {escaped(reason)}{tree}\n"


def _choices(report: Report, style: Style) -> Iterator[str]:
    for skill in report.skills:
        specs = ", ".join(f"{spec} ({escaped(reason)})" for spec, reason in skill.specs.items())
        yield _paint(f"{escaped(skill.path)}: judged by {specs}", "dim", style)
    for site in report.sites:
        found = ", ".join(
            f"{path} ({' and '.join(dialects) or 'no known dialect'})" for path, dialects in site.registries.items()
        )
        origin = f"origin {escaped(site.origin)} ({escaped(site.origin_reason)})" if site.origin else "origin unknown"
        yield _paint(f"{escaped(site.path)}: site with {escaped(found) or 'no registry'}, {origin}", "dim", style)
        for path, line, url, reason in site.unchecked:
            yield _paint(f"{escaped(path)}:{line}: not checked: {escaped(url)}: {escaped(reason)}", "dim", style)
    for path, reason in report.passed_over:
        yield _paint(f"{escaped(path)}: passed over: {escaped(reason)}", "dim", style)


def _files(report: Report) -> str:
    rows: list[tuple[str, ...]] = [("skill", "lines", "bytes", "catalog tokens", "body tokens", "specs")]
    rows += [_row(skill) for skill in report.skills]
    if len(report.skills) > 1:
        total = [sum(int(row[column]) for row in rows[1:]) for column in range(1, 5)]
        rows.append(("total", *map(str, total), ""))
    widths = [max(_columns(row[column]) for row in rows) for column in range(6)]
    lines = [
        "  ".join(
            [row[0] + " " * (widths[0] - _columns(row[0])), *(row[i].rjust(widths[i]) for i in range(1, 5)), row[5]]
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _row(skill: SkillFacts) -> tuple[str, ...]:
    specs = " ".join(spec for spec in skill.specs if spec != "advice")
    numbers = (skill.lines, skill.bytes, skill.catalog_tokens, skill.body_tokens)
    return escaped(skill.path), *map(str, numbers), specs


def _statistics(report: Report) -> str:
    counts = Counter((finding.code, finding.rule, finding.level) for finding in report.shown)
    width = len(str(max(counts.values())))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{count:>{width}}  {code}  {level:7}  {rule}\n" for (code, rule, level), count in ordered)


def _summary(report: Report, style: Style) -> str:
    files = sum(report.files.values())
    looked = f"{_count(files, 'file')} ({_count(len(report.skills), 'skill')}, {_count(len(report.sites), 'site')})"
    found = [f"{_count(report.count(level), level)}" for level in LEVELS if LEVELS.index(level) <= _rank(report)]
    hidden = len(report.findings) - len(report.shown)
    rest = []
    if hidden:
        lowest = LEVELS[_rank(report) + 1 :]
        rest.append(f"{_count(hidden, 'note' if lowest == ('note',) else 'finding')} hidden (--level note shows all)")
    if report.suppressed:
        rest.append(f"{report.suppressed} suppressed")
    if report.known:
        rest.append(f"{report.known} in the baseline")
    if unchecked := sum(len(site.unchecked) for site in report.sites):
        told = "" if style.verbose else " (--verbose tells which)"
        rest.append(f"{unchecked} listed {'address' if unchecked == 1 else 'addresses'} not checked{told}")
    if report.differences:
        rest.append(_count(len(report.differences), "difference"))
    if report.passed_over:
        rest.append(f"{len(report.passed_over)} passed over{'' if style.verbose else ' (--verbose tells why)'}")
    if report.unread:
        rest.append(f"{len(report.unread)} not read")
    if report.crashed:
        rest.append(f"{_count(report.crashed, 'internal error')}")
    return f"{looked}: {', '.join([*found, *rest])}{_fixes(report)}"


def _fixes(report: Report) -> str:
    """A second line: what was fixed and what can be."""
    safe = sum(finding.fix is not None and finding.fix.safe for finding in report.shown)
    unsafe = sum(finding.fix is not None and not finding.fix.safe for finding in report.shown)
    parts = [f"{_count(report.fixed, 'finding')} fixed"] if report.fixed else []
    if safe:
        parts.append(f"{safe} can be fixed with --fix")
    if unsafe:
        parts.append(f"{unsafe} {'more' if safe else 'can be fixed'} with --unsafe-fixes")
    return f"\n{', '.join(parts)}" if parts else ""


def _rank(report: Report) -> int:
    return LEVELS.index(report.level)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
