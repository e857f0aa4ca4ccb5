"""Where a host of code shows a finding: a path below the repository's root, a range on one line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from agentskills_lint.model import LEVELS, Finding, Location, Report
from agentskills_lint.reporters import Style
from agentskills_lint.wording import escaped


class Place(NamedTuple):
    """A range of one line, columns in code points from 1, the end exclusive."""

    path: str
    line: int
    column: int
    end_column: int


class Places:
    """The paths of one report as its host knows them, whatever the working directory was."""

    def __init__(self, report: Report, style: Style) -> None:
        root = style.root or report.root
        self._root = _absolute(root) if root else ""
        self._paths: dict[str, str] = {}

    def path(self, file: str, shown: str) -> str:
        """The path below the root, with forward slashes; `shown` where no absolute path is known.

        Symbolic links are resolved, since GitHub shows no alert behind one ("Resolving symlinks
        before generating SARIF results", docs.github.com, "SARIF support for code scanning"); one
        that leads out of the root stays as it is.
        """
        if _is_url(file):
            return file  # what is served is in no repository
        if not file or not self._root:
            return shown
        if file not in self._paths:
            self._paths[file] = self._below(file)
        return self._paths[file]

    def _below(self, file: str) -> str:
        real, root = _real(file), _real(self._root).rstrip("/") + "/"
        if real.startswith(root):
            return real[len(root) :]
        try:
            return os.path.relpath(_absolute(file), self._root).replace(os.sep, "/")
        except ValueError:  # another drive
            return _absolute(file)

    def of(self, location: Location) -> str:
        """The path of a location."""
        return self.path(location.file, location.path)

    def place(self, finding: Finding) -> Place:
        """Where a finding is shown: what lies in an archive is shown at the entry that names it."""
        location = finding.via or finding.location
        last = location.column + 1 if finding.via else len(finding.snippet) + 1
        end = location.end_column if location.end_line == location.line else max(last, location.column)
        return Place(self.of(location), location.line, location.column, end)


def text(finding: Finding) -> str:
    """The message on one line, with the place inside the archive where there is one."""
    inside = f" (in {where(finding.location)})" if finding.via else ""
    return escaped(finding.message + inside)


def advice(finding: Finding) -> list[str]:
    """What to do, a line each: the fix, the hint."""
    lines = []
    if finding.fix is not None:
        lines.append(f"{'fix' if finding.fix.safe else 'unsafe fix'}: {escaped(finding.fix.title)}")
    if finding.hint is not None:
        lines.append(f"help: {escaped(finding.hint)}")
    return lines


def where(location: Location) -> str:
    """A place as reports show it."""
    return f"{location.path}:{location.line}:{location.column}"


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """By level, otherwise in their order: hosts drop what comes last."""
    return sorted(findings, key=lambda finding: LEVELS.index(finding.level))


def _is_url(file: str) -> bool:
    return file.startswith(("http://", "https://"))


def _absolute(path: str) -> str:
    return os.path.abspath(path).replace(os.sep, "/")


def _real(path: str) -> str:
    return os.path.realpath(path).replace(os.sep, "/")
