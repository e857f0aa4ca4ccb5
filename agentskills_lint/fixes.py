"""Fixes: choose, apply, lint again until nothing changes; nothing is written here."""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from agentskills_lint import discovery, engine
from agentskills_lint.config import Config
from agentskills_lint.documents import Source
from agentskills_lint.model import Edit, Finding, Report
from agentskills_lint.new_index import PATH, has_index, new_index
from agentskills_lint.rule import Rule, load_rules
from agentskills_lint.site import Project, Site
from agentskills_lint.sources import Disk, Overlay, posix
from agentskills_lint.text import BOM, Text

MAX_ROUNDS = 10
"""Rounds of fixes of documents, and as many of sites, after which fixing ends though there is more to fix."""

MAX_SMALL = 200
"""Rounds more in which one fix at a time is tried, to find the one that makes a file worse, and of syntax alone.

A parser tells the first fault of a file; the next one shows when that is mended.
"""

_SYNTAX = {"yaml-syntax", "json-syntax"}
"""Rules whose findings hide a whole tree from all others, which need not say so."""


class Dropped(NamedTuple):
    """A fix that was not kept, and why."""

    path: str
    line: int
    rule: str
    reason: str


class Change(NamedTuple):
    """A file before and after: its path as reports show it, its content; None where it did not exist.

    `follows` says that it has to agree with other files as they are after their own changes.
    """

    path: str
    before: bytes | None
    after: bytes
    follows: bool = False


class New(NamedTuple):
    """An index.json that was made: its path, the dialects it serves, what is left out with the reason.

    It serves none where there was nothing to list, and is not written.
    """

    path: str
    dialects: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


class Fixed(NamedTuple):
    """The outcome: what remains, what has changed by absolute path, fixes that were not kept, new indexes.

    `report.fixed` is how many findings were fixed, `ended` says that there were more when the rounds were used up.
    """

    report: Report
    changes: dict[str, Change]
    dropped: tuple[Dropped, ...]
    new: tuple[New, ...] = ()
    ended: bool = False


class _Chosen(NamedTuple):
    """A finding whose fix is applied, and what tells it from others while offsets move."""

    finding: Finding
    key: tuple[str, ...]


def fix(
    paths: Iterable[str],
    config: Config,
    *,
    unsafe: bool = False,
    stdin: tuple[str | None, bytes] | None = None,
    source: Source | None = None,
    cwd: str | None = None,
    installed: bool = False,
    changed: Iterable[str] | None = None,
    known: Set[str] = frozenset(),
    new_indexes: bool = False,
    rules: Sequence[Rule] | None = None,
) -> Fixed:
    """Fix what is shown at the level of the configuration and lint again, in memory.

    Arguments are those of `discovery.project`; `known` are fingerprints of findings that are left
    alone. With `new_indexes` a site that publishes skills and has no index.json gets one. Of a
    buffer on standard input nothing else is changed. Fixes of documents come first, until nothing
    changes, then those of sites: an edited SKILL.md has another digest. A fix after which its file
    has findings that it had not before is dropped.
    """
    task = _Task(
        tuple(paths), config, unsafe, stdin, source or Disk(), cwd, installed,
        None if changed is None else tuple(changed), known, new_indexes,
        tuple(rules) if rules is not None else load_rules(),
    )  # fmt: skip
    return _Fixing(task).fixed()


class _Task(NamedTuple):
    """The arguments of `fix`."""

    paths: tuple[str, ...]
    config: Config
    unsafe: bool
    stdin: tuple[str | None, bytes] | None
    source: Source
    cwd: str | None
    installed: bool
    changed: tuple[str, ...] | None
    known: Set[str]
    new_indexes: bool
    rules: tuple[Rule, ...]


class _Fixing:
    """The state of one call of `fix`."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        self.by_id = {rule.id: rule for rule in task.rules}
        self.changes: dict[str, Change] = {}
        self.seen: dict[str, set[bytes]] = {}
        self.single: set[str] = set()
        self.banned: set[tuple[str, ...]] = set()
        self.dropped: list[Dropped] = []
        self.new: dict[str, New] = {}
        self.settled: set[str] = set()
        """New indexes that were made anew when the skills had settled."""
        self.fixes = 0
        self.secrets: set[str] = set()
        """What no output shows: a difference shows what a fix has taken out."""

    def fixed(self) -> Fixed:
        project, report = self._lint()
        if self._add_indexes(project):  # skills are judged by the dialects to come
            project, report = self._lint()
        rounds: Counter[str] = Counter()
        while True:
            chosen, waiting = self._choose(report)
            if not chosen:
                if not self._add_indexes(project):
                    break
                project, report = self._lint()
                continue
            kind = self._kind(chosen)
            if rounds[kind] == (MAX_ROUNDS if kind in ("documents", "sites") else MAX_SMALL):
                break
            rounds[kind] += 1
            before = self.changes.copy()
            self._apply(project, chosen, kind)
            now_project, now = self._lint()
            worse = dict.fromkeys((file for file in chosen if self._is_worse(file, report, now)), "the file")
            if not worse and self._harms_others(chosen.keys(), report, now):
                worse = dict.fromkeys(chosen.keys() & _registries(project), "other files")
            for file, which in worse.items():
                self._take_back(file, chosen[file], before, f"{which} would have more findings after it")
            left = {_key(finding) for finding in now.shown}
            for file in chosen.keys() - worse.keys():
                done = [*chosen[file], *(other for other in waiting.get(file, ()) if other.key not in left)]
                self.fixes += len(done) if file not in self.new else 0
                self.seen[file].add(self.changes[file].after)
            project, report = self._lint() if worse else (now_project, now)
        changes = {file: change for file, change in self.changes.items() if change.before != change.after}
        ended = bool(self._choose(report)[0])
        findings = tuple(
            finding._replace(fix=None) if finding.fix is not None and _key(finding) in self.banned else finding
            for finding in report.findings
        )
        secrets = tuple(sorted(self.secrets, key=lambda secret: (-len(secret), secret)))
        report = report._replace(findings=findings, fixed=self.fixes, secrets=secrets)
        return Fixed(report, changes, tuple(self.dropped), tuple(self.new.values()), ended)

    def _lint(self) -> tuple[Project, Report]:
        buffers = {file: change.after for file, change in self.changes.items()}
        stdin = self.task.stdin
        if stdin is not None:
            stdin = stdin[0], buffers.pop(self._buffer, stdin[1])
        project = discovery.project(
            self.task.paths,
            self.task.config,
            stdin=stdin,
            source=Overlay(self.task.source, buffers) if buffers else self.task.source,
            cwd=self.task.cwd,
            installed=self.task.installed,
            changed=self.task.changed,
        )
        report = engine.lint(project, self.task.config, self.task.rules)
        self.secrets.update(report.secrets)
        return project, report

    @property
    def _buffer(self) -> str:
        """The absolute path of the text on standard input."""
        name = self.task.stdin[0] if self.task.stdin is not None else None
        return posix(os.path.join(self.task.cwd or os.getcwd(), name or "SKILL.md"))

    def _choose(self, report: Report) -> tuple[dict[str, list[_Chosen]], dict[str, list[_Chosen]]]:
        """The fixes of the next round by file, of documents while there are any, else of sites; those that wait."""
        candidates = [
            chosen
            for finding in report.shown
            if finding.fix is not None
            and (finding.fix.safe or self.task.unsafe)
            and finding.via is None
            and finding.fingerprint not in self.task.known
            and finding.location.file
            and (self.task.stdin is None or finding.location.file == self._buffer)
            and (finding.location.file not in self.new or finding.location.file in self.settled)
            and (chosen := _Chosen(finding, _key(finding))).key not in self.banned
        ]
        own = [chosen for chosen in candidates if not self._is_shared(chosen.finding)]
        picked: dict[str, list[_Chosen]] = {}
        waiting: dict[str, list[_Chosen]] = {}
        taken: dict[str, list[Edit]] = {}
        for chosen in own or candidates:
            file, found = chosen.finding.location.file, chosen.finding.fix
            others = taken.setdefault(file, [])
            if (
                found is None
                or (file in self.single and file in picked)
                or not all(_fits(edit, others) for edit in found.edits)
            ):
                waiting.setdefault(file, []).append(chosen)
                continue
            for edit in found.edits:
                at = bisect_left(others, edit)
                if others[at : at + 1] != [edit]:
                    others.insert(at, edit)
            picked.setdefault(file, []).append(chosen)
        return picked, waiting

    def _kind(self, chosen: dict[str, list[_Chosen]]) -> str:
        """The sort of a round: "single", "syntax", "sites" or "documents"."""
        if self.single.issuperset(chosen):
            return "single"
        findings = [one.finding for found in chosen.values() for one in found]
        if all(finding.rule in _SYNTAX for finding in findings):
            return "syntax"
        return "sites" if any(map(self._is_shared, findings)) else "documents"

    def _add_indexes(self, project: Project) -> bool:
        """Make the index of each site that lacks one, and make it anew when the skills have settled.

        Gives whether there is something to judge.
        """
        found = False
        for site in project.sites if self.task.new_indexes and self.task.stdin is None else ():
            file = f"{site.folder.path.rstrip('/')}/{PATH}"
            if file in self.settled or (file not in self.new and has_index(site)):
                continue
            index = new_index(site, self.task.config.provider)
            if index is None:
                continue
            if file in self.new:
                self.settled.add(file)
            path = posixpath.normpath(posixpath.join(site.path, PATH))
            known = self.new.get(file)
            self.new[file] = New(path, index.dialects, index.left_out)
            if index.dialects:
                self.changes[file] = Change(path, None, index.text.encode(), follows=True)
            found = found or known != self.new[file] or bool(index.dialects)
        return found

    def _apply(self, project: Project, chosen: dict[str, list[_Chosen]], kind: str) -> None:
        documents = {document.location: document for document in project.documents}
        sites = [document for site in project.sites for document in site.opened()]
        documents = {document.location: document for document in sites} | documents
        for file, found in chosen.items():
            document = documents[file]
            edits = {edit for one in found if one.finding.fix is not None for edit in one.finding.fix.edits}
            change = self.changes.get(file, Change(document.path, document.raw, document.raw))
            after = edited(document.raw, edits)
            self.seen.setdefault(file, {document.raw})
            self.changes[file] = change._replace(after=after, follows=change.follows or kind == "sites")

    def _is_worse(self, file: str, before: Report, after: Report) -> bool:
        """Whether a file has more findings of a rule that nothing had kept silent.

        Those of rules about several files do not count: another file may have changed in the same round.
        """
        if self.changes[file].after in self.seen[file]:
            return True
        old = Counter(finding.rule for finding in before.findings if finding.location.file == file)
        new = Counter(
            finding.rule for finding in after.findings if finding.location.file == file and not self._is_shared(finding)
        )
        return self._has_more(old, new)

    def _harms_others(self, chosen: Collection[str], before: Report, after: Report) -> bool:
        """Whether files that a round left alone have more findings: registries decide how skills are judged."""
        counts: list[dict[str, Counter[str]]] = []
        for report in (before, after):
            counts.append(defaultdict(Counter))
            for finding in report.findings:
                if finding.location.file not in chosen and not self._is_shared(finding):
                    counts[-1][finding.location.file][finding.rule] += 1
        old, new = counts
        return any(self._has_more(old[file], found) for file, found in new.items())

    def _has_more(self, old: Counter[str], new: Counter[str]) -> bool:
        """Whether there are more findings of a rule that nothing had kept silent."""
        return any(
            count > old[rule] and not any(need in old for need in self._needs(rule)) for rule, count in new.items()
        )

    def _is_shared(self, finding: Finding) -> bool:
        """Whether a finding comes from a rule about several files."""
        return self.by_id[finding.rule].subject in (Site, Project)

    def _needs(self, rule: str) -> Iterator[str]:
        """The rules whose findings keep one silent: what it needs, and a syntax that can be read."""
        yield from _SYNTAX - {rule}
        waiting, found = [rule], {rule}
        while waiting:
            known = self.by_id.get(waiting.pop())
            for need in known.needs if known is not None else ():
                if need not in found:
                    found.add(need)
                    waiting.append(need)
                    yield need

    def _take_back(self, file: str, chosen: list[_Chosen], before: dict[str, Change], reason: str) -> None:
        """Put a file back; the fix that made things worse is dropped, of several each is tried alone."""
        change = self.changes[file]
        self.changes[file] = before.get(file, change._replace(after=change.before or b""))
        if len(chosen) > 1:
            self.single.add(file)
            return
        finding = chosen[0].finding
        self.banned.add(chosen[0].key)
        self.single.discard(file)
        self.dropped.append(Dropped(finding.path, finding.line, finding.rule, reason))


def _registries(project: Project) -> set[str]:
    return {registry.location for site in project.sites for registry in site.registries}


def _key(finding: Finding) -> tuple[str, ...]:
    title = finding.fix.title if finding.fix is not None else ""
    return finding.location.file, finding.rule, title, finding.message


def _fits(edit: Edit, others: list[Edit]) -> bool:
    """Whether an edit is among others, which are sorted, or touches none: what stands beside one may depend on it."""
    at = bisect_left(others, edit)
    if others[at : at + 1] == [edit]:
        return True
    beside = others[max(at - 1, 0) : at + 1]
    return not any(edit.start <= other.end and other.start <= edit.end for other in beside)


def edited(raw: bytes, edits: Collection[Edit]) -> bytes:
    """The bytes of a file after edits of its text, which do not touch one another."""
    text = Text(raw)
    pieces, at = [], 0
    for start, end, new in sorted(edits):
        pieces += [text.string[at : max(start, 0)], new]
        at = end
    has_bom = text.bom and not any(edit.start < 0 for edit in edits)
    return (BOM if has_bom else b"") + "".join([*pieces, text.string[at:]]).encode()


def diff(changes: Iterable[Change]) -> str:
    """A unified diff of all changes, in the order of their paths; lines end at a line feed alone, as for patch."""
    import difflib

    parts: list[str] = []
    for path, old, new, _ in sorted(changes):
        before, after = (
            re.findall("[^\n]*\n|[^\n]+", raw.decode("utf-8", "surrogateescape")) for raw in (old or b"", new)
        )
        end = "\t" if " " in path else ""  # as git ends a name with blanks
        source = f"a/{path}{end}" if old is not None else "/dev/null"
        lines = difflib.unified_diff(before, after, source, f"b/{path}{end}")
        parts += (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(parts)
