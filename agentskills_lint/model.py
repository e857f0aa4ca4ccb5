"""What the linter speaks of: spans, fixes, problems, findings, the report."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from agentskills_lint import tokens

Level: TypeAlias = Literal["error", "warning", "note"]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""From the strongest to the weakest; the index is the rank."""


class Span(NamedTuple):
    """Code-point offsets into the text of one document, end exclusive."""

    start: int
    end: int


class Edit(NamedTuple):
    """Replace the code points from `start` to `end` (exclusive) by `text`; a byte order mark is at -1."""

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """Edits of one document that are applied together or not at all.

    `title` completes the sentence "Fix: ..."; `safe` says that the meaning stays the same.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool


class Related(NamedTuple):
    """Another place that explains a problem; `where` is a Span or anything that has a `span`."""

    where: Any
    message: str


class Problem(NamedTuple):
    """What a rule yields.

    `where` is a Span, a Node (its value's span is used) or a pair (document, Span or Node);
    `hint` says what to do where no fix can be offered as edits; `secret` is a text of the
    document that no output may show: the engine masks it in all findings of the document.
    """

    where: Any
    message: str
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    hint: str | None = None
    secret: str | None = None


class Location(NamedTuple):
    """A range of a file: 1-based lines, 1-based columns in code points, end column exclusive.

    `path` is the file as reports show it, `file` its absolute path ("" where no file is known).
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""


class Demand(NamedTuple):
    """Who asks: a spec and how strong its words are, such as ("wsp", "MUST")."""

    spec: str
    strength: str
    url: str

    def __str__(self) -> str:
        return self.spec if self.spec == self.strength else f"{self.spec} {self.strength}"


class Finding(NamedTuple):
    """A problem with everything a reporter needs; made by the engine alone.

    `related` holds (location, message) pairs, `snippet` the source line where the finding
    starts, `fingerprint` 32 hex digits that survive inserted lines and re-indentation. `edits`
    are the places of the fix's edits, in their order. `via` is the entry that names the archive
    where the finding's document lies inside one: hosts can show that place alone.
    """

    code: str
    rule: str
    level: Level
    message: str
    location: Location
    span: Span
    demands: tuple[Demand, ...]
    url: str
    fix: Fix | None
    hint: str | None
    related: tuple[tuple[Location, str], ...]
    snippet: str
    fingerprint: str
    edits: tuple[Location, ...] = ()
    via: Location | None = None

    @property
    def path(self) -> str:
        """The path as reports show it."""
        return self.location.path

    @property
    def line(self) -> int:
        """The line where the finding starts, from 1."""
        return self.location.line

    @property
    def column(self) -> int:
        """The column where the finding starts, from 1."""
        return self.location.column


class SkillFacts(NamedTuple):
    """What the report says of one skill, findings aside.

    `specs` maps each active spec to the reason why it is active; `source` is the text, and `body` the offset at
    which it goes on below the frontmatter.
    """

    path: str
    name: str | None
    description: str | None
    specs: dict[str, str]
    lines: int
    bytes: int
    source: str
    counts: dict[Level, int]
    body: int = 0

    @property
    def catalog_tokens(self) -> int:
        """About how many tokens name and description cost, which agents load always."""
        return tokens.estimate(f"{self.name or ''}: {self.description or ''}")

    @property
    def body_tokens(self) -> int:
        """About how many tokens the body costs, which agents load when the skill is used."""
        return tokens.estimate(self.source[self.body :])


class Response(NamedTuple):
    """How a URL was answered.

    `final` is where redirects led, `hops` their addresses in order; `status` is 0 where no answer came. `headers`
    are in lower case. `failure` names the kind of what went wrong, and `reason` completes "the address …" then.
    `head` is the answer to a HEAD request, where one was sent.
    """

    url: str
    final: str
    status: int
    headers: Mapping[str, str]
    hops: tuple[str, ...] = ()
    failure: str = ""
    reason: str = ""
    head: Response | None = None

    @property
    def is_ok(self) -> bool:
        """Whether the whole content was served."""
        return self.status == 200 and not self.failure


class Difference(NamedTuple):
    """What is served otherwise than the tree has it.

    `kind` is "missing" (in the tree, not served), "stale" (served with other content), "extra" (served, not in
    the tree) or "unknown" (nobody asked); `path` is the file of the tree as reports show it, "" for what is
    extra; `reason` tells more.
    """

    kind: str
    url: str
    path: str
    reason: str


class Unchecked(NamedTuple):
    """An address that leads out of the tree, where it stands (a line from 1), why nobody looked there."""

    path: str
    line: int
    url: str
    reason: str


class SiteFacts(NamedTuple):
    """What the report says of one published site.

    `path` is its root, `registries` maps each to its specs, `unchecked` are the listed addresses
    that lead out of the tree.
    """

    path: str
    registries: dict[str, tuple[str, ...]]
    origin: str | None
    origin_reason: str
    unchecked: tuple[Unchecked, ...] = ()


class Report(NamedTuple):
    """The outcome of one run.

    `findings` are all that were not suppressed, sorted by path and position, hidden ones
    included; `shown` says which of them a reporter prints. `passed_over` and `unread` hold
    (path, reason) pairs, `documents` (path as shown, absolute path) pairs of all that was linted;
    `root` is the absolute folder to which paths are relative where a host wants its own; `fixed`
    is how many findings were fixed before, `known` how many a baseline keeps silent. `responses` tell how the
    files of live sites were served, and `differences` where they differ from a tree that was compared. `secrets` are
    texts of the documents that no output may show, `opened` the absolute paths of files such as robots.txt at which
    rules looked besides.
    """

    findings: tuple[Finding, ...]
    skills: tuple[SkillFacts, ...]
    sites: tuple[SiteFacts, ...]
    files: dict[str, int]
    level: Level
    suppressed: int
    passed_over: tuple[tuple[str, str], ...]
    unread: tuple[tuple[str, str], ...]
    crashed: int
    root: str = ""
    documents: tuple[tuple[str, str], ...] = ()
    fixed: int = 0
    known: int = 0
    responses: tuple[Response, ...] = ()
    differences: tuple[Difference, ...] = ()
    secrets: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()

    @property
    def shown(self) -> list[Finding]:
        """The findings at or above the level, in order."""
        worst = LEVELS.index(self.level)
        return [f for f in self.findings if LEVELS.index(f.level) <= worst]

    def count(self, level: Level) -> int:
        """How many findings have this level, hidden ones included."""
        return sum(1 for finding in self.findings if finding.level == level)


class Failure(NamedTuple):
    """A rule or parser that raised on a document: our bug, reported as SKL999."""

    document: Any
    rule: str
    error: str


class Directive(NamedTuple):
    """A suppression comment: its place, the rules it names, the lines that it covers.

    `names` holds (name as written, its span); `lines` is (first, last), both from 1 and
    included, None for the whole file. The engine fills `unknown` (names of no rule), `unused`
    (names of rules that ran and found nothing there) and `rules`, the ids and codes of all rules.
    A comment that only looks like a suppression has no names: `written` is what stands at `head`
    for `right`, and `words` are those behind it, which may be rules, a closing bracket included.
    """

    span: Span
    names: tuple[tuple[str, Span], ...]
    lines: tuple[int, int] | None
    unknown: tuple[tuple[str, Span], ...] = ()
    unused: tuple[tuple[str, Span], ...] = ()
    rules: Collection[str] = ()
    written: str = ""
    right: str = ""
    head: Span = Span(0, 0)
    words: tuple[tuple[str, Span], ...] = ()
