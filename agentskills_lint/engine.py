"""One engine for everyone: plan the rules of a document, run them, filter, make the report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from agentskills_lint import suppress
from agentskills_lint.config import Choices, Config
from agentskills_lint.documents import Document, Skill
from agentskills_lint.model import (
    LEVELS,
    Demand,
    Directive,
    Failure,
    Finding,
    Level,
    Location,
    Problem,
    Related,
    Report,
    SiteFacts,
    SkillFacts,
    Span,
)
from agentskills_lint.rule import Ask, Clause, Rule, load_rules
from agentskills_lint.site import Project, specs_of
from agentskills_lint.specs import BUILDS_ON, known_fields
from agentskills_lint.trees import Node


class Group(NamedTuple):
    """Clauses with the same parameters: what the rule is asked with, how strongly, by whom."""

    ask: Ask
    level: Level
    demands: tuple[Demand, ...]


class Step(NamedTuple):
    """A rule of a plan; `reported` is False for a prerequisite that nobody asked to see.

    `plain` says that all selectors of the rule are names of top-level fields.
    """

    rule: Rule
    needs: tuple[str, ...]
    groups: tuple[Group, ...]
    reported: bool
    plain: bool


class Outcome(NamedTuple):
    """A problem of a document with the level and the demands of the clauses behind it."""

    rule: Rule
    problem: Problem
    span: Span
    level: Level
    demands: tuple[Demand, ...]


def lint(project: Project, config: Config, rules: Sequence[Rule] | None = None) -> Report:
    """Run all rules over a project.

    `rules` defaults to those of the package. Never raises for what a document holds: a rule
    that fails is a finding (SKL999) on its document, and the others go on.
    """
    run = _Run(project, config, tuple(rules) if rules is not None else load_rules())
    for document in project.documents:
        try:
            run.document(document)
        except Exception as error:
            run.failed(Failure(document, "suppression", f"{type(error).__name__}: {error}"))
        document.release()
    return run.report()


class _Run:
    """The state of one call of `lint`."""

    def __init__(self, project: Project, config: Config, rules: tuple[Rule, ...]) -> None:
        self.project = project
        self.config = config
        self.choices = Choices(config, rules)
        self.rules = rules
        self.by_name = {name: rule for rule in rules for name in (rule.id, rule.code)}
        self.plans: dict[tuple[Any, ...], list[Step]] = {}
        self.findings: list[tuple[Document, Outcome]] = []
        self.skills: list[tuple[Skill, dict[str, str]]] = []
        self.secrets: defaultdict[str, set[str]] = defaultdict(set)
        self.suppressed = 0
        self.crashed = 0

    def document(self, document: Document) -> None:
        """Judge one document."""
        reasons = self._specs(document)
        if isinstance(document, Skill):
            self.skills.append((document, reasons))
        ignored = self.choices.ignored_ids(document.location)
        outcomes, failures = self._run_rules(document, frozenset(reasons), ignored)
        self.secrets[document.path].update(outcome.problem.secret for outcome in outcomes if outcome.problem.secret)
        kept = self._suppress(document, outcomes, frozenset(reasons), ignored)
        self.findings.extend((document, outcome) for outcome in kept)
        for failure in failures:
            self.failed(failure)

    def failed(self, failure: Failure) -> None:
        """Report what went wrong in the linter itself, whatever rules are selected."""
        self.crashed += 1
        outcomes = self._judge(failure, frozenset({"advice"}), frozenset())
        self.findings.extend((failure.document, outcome) for outcome in outcomes)

    def _specs(self, document: Document) -> dict[str, str]:
        replaced, extended = self.choices.spec_choice(document.location)
        if replaced is not None:
            reasons = dict.fromkeys(replaced, "chosen")
        elif isinstance(document, Skill):
            reasons = specs_of(document, self.project.sites)
        else:
            reasons = {}
        reasons.update(dict.fromkeys(extended, "added"))
        for spec, base in BUILDS_ON.items():
            if spec in extended:
                reasons.setdefault(base, f"{spec} builds on it")
        reasons["advice"] = "always"
        return reasons

    def _plan(self, subject: type, specs: frozenset[str], ignored: frozenset[str]) -> list[Step]:
        key = (subject, specs, ignored)
        if key not in self.plans:
            self.plans[key] = list(self._steps(subject, specs, ignored))
        return self.plans[key]

    def _steps(self, subject: type, specs: frozenset[str], ignored: frozenset[str]) -> Iterator[Step]:
        ids = {rule.id: rule for rule in self.rules}
        wanted = [
            rule
            for rule in self.rules
            if issubclass(subject, rule.subject) and rule.id not in ignored and self._groups(rule, specs)
        ]
        ordered: dict[str, Rule] = {}

        def visit(rule: Rule) -> None:
            if rule.id in ordered:
                return
            for need in rule.needs:
                if need in ids:
                    visit(ids[need])
            ordered[rule.id] = rule

        for rule in wanted:
            visit(rule)
        reported = {rule.id for rule in wanted}
        for rule in ordered.values():
            if not issubclass(subject, rule.subject):
                continue
            groups = self._groups(rule, specs)
            if not groups:  # what no active spec asks for silences nothing
                continue
            plain = all(selector.replace("_", "a").replace("-", "a").isalnum() for selector in rule.at)
            yield Step(rule, tuple(_closure(rule, ids)), groups, rule.id in reported, plain)

    def _groups(self, rule: Rule, specs: frozenset[str]) -> tuple[Group, ...]:
        by_params: dict[tuple[tuple[str, Any], ...], list[tuple[str, Clause]]] = defaultdict(list)
        for spec, clause in rule.asked_by.items():
            if spec in specs:
                by_params[clause.params].append((spec, clause))
        override = self.config.level_of(rule.id)
        groups = []
        for params, clauses in by_params.items():
            strongest: Level = min((clause.level for _, clause in clauses), key=LEVELS.index)
            demands = tuple(Demand(spec, clause.strength, clause.url) for spec, clause in clauses)
            ask = Ask(
                known=known_fields(specs), sections=self.config.sections, origin=self.config.origin, **dict(params)
            )
            groups.append(Group(ask, override or strongest, demands))
        return tuple(groups)

    def _run_rules(
        self, document: Document, specs: frozenset[str], ignored: frozenset[str]
    ) -> tuple[list[Outcome], list[Failure]]:
        outcomes: list[Outcome] = []
        failures: list[Failure] = []
        fired: dict[str, list[Span]] = {}
        readable = document.readable
        fields = _fields(document) if readable else {}
        for step in self._plan(type(document), specs, ignored):
            rule, needs, groups, reported, plain = step
            if not readable and rule.subject is not Document:
                continue
            targets: Sequence[Node | None] = _WHOLE
            if rule.at:
                if plain:
                    targets = [fields[name] for name in rule.at if name in fields]
                else:
                    targets = list(_select(fields, rule.at))
            if fired and (blocked := [span for need in needs if need in fired for span in fired[need]]):
                targets = [node for node in targets if node is not None and not _touches(node, blocked)]
            for target in targets:
                try:
                    found = _ask(rule, groups, document, target)
                except Exception as error:
                    failures.append(Failure(document, rule.id, f"{type(error).__name__}: {error}"))
                    continue
                if found:
                    fired.setdefault(rule.id, []).extend(outcome.span for outcome in found)
                    if reported:
                        outcomes.extend(found)
        return outcomes, failures

    def _judge(self, subject: Directive | Failure, specs: frozenset[str], ignored: frozenset[str]) -> list[Outcome]:
        """Run the rules about something that is no document: a directive, a failure."""
        found = []
        for step in self._plan(type(subject), specs, ignored):
            found.extend(_ask(step.rule, step.groups, subject, None))
        return found

    def _suppress(
        self, document: Document, outcomes: list[Outcome], specs: frozenset[str], ignored: frozenset[str]
    ) -> list[Outcome]:
        if not self.config.suppressions or "agentskills-lint:" not in document.source:
            return outcomes
        directives = suppress.directives(document)
        cover = suppress.Cover(directives)
        used: set[tuple[Span, str]] = set()
        kept = []
        for outcome in outcomes:
            line = document.text.line_at(outcome.span.start)
            names = (outcome.rule.id, outcome.rule.code)
            hits = [(directive.span, name) for name in names for directive in cover.of(name, line)]
            used.update(hits)
            if hits:
                self.suppressed += 1
            else:
                kept.append(outcome)
        ran = {step.rule.id for step in self._plan(type(document), specs, ignored) if step.reported}
        for directive in directives:
            known = [(name, span) for name, span in directive.names if name in self.by_name]
            judged = directive._replace(
                unknown=tuple(pair for pair in directive.names if pair[0] not in self.by_name),
                unused=tuple(
                    pair for pair in known if (directive.span, pair[0]) not in used and self.by_name[pair[0]].id in ran
                ),
            )
            kept.extend(self._judge(judged, specs, ignored))
        return kept

    def report(self) -> Report:
        """All that was found, in order, with what was counted on the way."""
        seen: Counter[str] = Counter()
        findings = []
        line: _Line | None = None
        for document, outcome in sorted(self.findings, key=_order):
            number = document.text.line_at(min(outcome.span.start, len(document.source)))
            if line is None or line.document is not document or line.number != number:
                line = _line(document, number, self.secrets[document.path])
            findings.append(_finding(line, outcome, self.project.root, seen, self.secrets[document.path]))
        counts: dict[str, Counter[Level]] = defaultdict(Counter)
        for finding in findings:
            counts[finding.path][finding.level] += 1
        return Report(
            findings=tuple(findings),
            skills=tuple(
                _skill_facts(skill, reasons, counts[skill.path], self.secrets[skill.path])
                for skill, reasons in self.skills
            ),
            sites=tuple(
                SiteFacts(
                    site.path,
                    {registry.path: registry.dialects for registry in site.registries},
                    self.config.origin,
                    "set" if self.config.origin else "unknown",
                )
                for site in self.project.sites
            ),
            files=dict(Counter(document.kind for document in self.project.documents)),
            level=self.config.shown_level,
            suppressed=self.suppressed,
            passed_over=self.project.passed_over,
            unread=self.project.unread,
            crashed=self.crashed,
        )


def _closure(rule: Rule, ids: dict[str, Rule]) -> dict[str, None]:
    found: dict[str, None] = {}
    stack = list(rule.needs)
    while stack:
        need = stack.pop()
        if need in ids and need not in found:
            found[need] = None
            stack.extend(ids[need].needs)
    return found


def _fields(document: Document) -> dict[str, Node]:
    front = document.front if isinstance(document, Skill) else None
    return {node.key.value: node for node in front.items if node.key is not None} if front is not None else {}


def _select(fields: dict[str, Node], selectors: Iterable[str]) -> Iterator[Node]:
    for selector in selectors:
        if selector in fields:
            yield fields[selector]
        elif selector == "*":
            yield from fields.values()
        elif selector == "**":
            for value in fields.values():
                yield from value.walk()
        elif selector.endswith("[]"):
            node = fields.get(selector[:-2])
            if node is not None and node.kind == "list":
                yield from node.items
        elif "." in selector:
            name, _, below = selector.partition(".")
            node = fields.get(name)
            if node is not None and node.kind == "map":
                yield from (item for item in node.items if below in ("*", item.key.value if item.key else ""))


def _touches(node: Node, spans: list[Span]) -> bool:
    start, end = node.whole
    return any((span.start < end and start < span.end) or span.start == start or span.end == end for span in spans)


_WHOLE: tuple[None] = (None,)
"""The target of a rule that is given no node."""


def _ask(rule: Rule, groups: tuple[Group, ...], subject: Any, target: Node | None) -> list[Outcome]:
    """Ask a rule once a group; of several groups that find something, the strongest clause speaks."""
    best: list[Problem] = []
    strongest: Level | None = None
    demands: tuple[Demand, ...] = ()
    check = rule.check
    for ask, level, asking in groups:
        problems = [*check(subject, ask)] if target is None else [*check(target, subject, ask)]
        if not problems:
            continue
        demands += asking
        if strongest is None or LEVELS.index(level) < LEVELS.index(strongest):
            best, strongest = problems, level
    return _outcomes(rule, best, subject, strongest, demands) if strongest is not None else []


def _outcomes(
    rule: Rule, problems: list[Problem], subject: Any, level: Level, demands: tuple[Demand, ...]
) -> list[Outcome]:
    outcomes = [Outcome(rule, problem, _span(problem.where), level, demands) for problem in problems]
    if isinstance(subject, Document):
        for outcome in outcomes:
            start, end = outcome.span
            if not 0 <= start <= end <= len(subject.source):
                raise ValueError(f"span ({start}, {end}) is not in the text")
    return outcomes


def _span(where: Any) -> Span:
    if type(where) is Span:
        return where
    if type(where) is tuple:  # (document, place); headings and links are tuples with a span
        return _span(where[1])
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
    return Location(document.path, line, column, end_line, end_column)


class _Line(NamedTuple):
    """The line on which findings start: its text without secrets, and what of it goes into fingerprints."""

    document: Document
    number: int
    text: str
    identity: str


def _line(document: Document, number: int, secrets: set[str]) -> _Line:
    text = _hidden(document.text.line(number), secrets)
    return _Line(document, number, text, _digest(" ".join(text.split())))


def _digest(text: str) -> str:
    import hashlib  # a clean run needs none

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _finding(line: _Line, outcome: Outcome, root: str, seen: Counter[str], secrets: set[str]) -> Finding:
    rule, problem, span, level, demands = outcome
    document = line.document
    if secrets:
        problem = _masked(problem, secrets)
    related = []
    for where, message in problem.related:
        other = where[0] if type(where) is tuple else document
        related.append((_location(other, _span(where)), message))
    path = document.location.removeprefix(root.rstrip("/") + "/")
    identity = "\0".join((rule.id, path, line.identity))
    seen[identity] += 1
    return Finding(
        rule.code, rule.id, level, problem.message, _location(document, span), span, demands, demands[0].url,
        problem.fix, problem.hint, tuple(related), line.text, _digest(f"{identity}\0{seen[identity]}"),
    )  # fmt: skip


def _hidden(text: str, secrets: set[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "*" * len(secret))
    return text


def _masked(problem: Problem, secrets: set[str]) -> Problem:
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


def _skill_facts(skill: Skill, reasons: dict[str, str], counts: Counter[Level], secrets: set[str]) -> SkillFacts:
    name, description = skill.value("name"), skill.value("description")
    return SkillFacts(
        path=skill.path,
        name=_hidden(name, secrets) if name else None,
        description=_hidden(description, secrets) if description else None,
        specs=reasons,
        lines=skill.text.line_count,
        bytes=skill.size,
        body=skill.body_text if skill.readable else "",
        counts={level: counts[level] for level in LEVELS},
    )
