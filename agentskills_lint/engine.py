"""One engine for everyone: plan the rules of a document, run them, filter, make the report."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
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
    Unchecked,
)
from agentskills_lint.registries import Index, RegistryDocument
from agentskills_lint.rule import Ask, Clause, Rule, load_rules
from agentskills_lint.scripts import Script
from agentskills_lint.site import Project, Site, specs_of
from agentskills_lint.specs import BUILDS_ON, known_fields
from agentskills_lint.trees import Node


class Group(NamedTuple):
    """Clauses with the same parameters: what the rule is asked with, how strongly, by whom."""

    ask: Ask
    level: Level
    demands: tuple[Demand, ...]


class Step(NamedTuple):
    """A rule of a plan; `reported` is False for a prerequisite that nobody asked to see.

    `at` are the selectors of the rule; `plain` says that all of them are names of top-level fields.
    """

    rule: Rule
    needs: tuple[str, ...]
    groups: tuple[Group, ...]
    reported: bool
    at: tuple[tuple[str, ...], ...]
    plain: bool


class Outcome(NamedTuple):
    """A problem of a document with the level and the demands of the clauses behind it."""

    rule: Rule
    problem: Problem
    span: Span
    level: Level
    demands: tuple[Demand, ...]


class Judged:
    """What is known of one document in a run: who asks, what was found, which rules ran."""

    def __init__(self, document: Document, specs: frozenset[str], ignored: frozenset[str]) -> None:
        self.document = document
        self.specs = specs
        self.ignored = ignored
        self.outcomes: list[Outcome] = []
        self.fired: dict[str, list[Span]] = {}
        self.ran: set[str] = set()
        self._covers: dict[tuple[str, ...], _Cover] = {}

    def is_touched(self, place: Span, needs: tuple[str, ...]) -> bool:
        """Whether one of the needed rules fired on a place."""
        count = sum(len(self.fired[need]) for need in needs if need in self.fired)
        if not count:
            return False
        cover = self._covers.get(needs)
        if cover is None or cover.count != count:
            cover = _Cover([span for need in needs for span in self.fired.get(need, ())])
            self._covers[needs] = cover
        return cover.touches(place)


class _Cover:
    """Many places, asked whether another one touches any of them."""

    def __init__(self, spans: list[Span]) -> None:
        self.count = len(spans)
        spans = sorted(spans)
        self._starts = [span.start for span in spans]
        self._furthest = list(accumulate((span.end for span in spans), max))
        self._edges = ({span.start for span in spans}, {span.end for span in spans})

    def touches(self, place: Span) -> bool:
        """Whether a place overlaps one of them, or begins or ends with it."""
        before = bisect_left(self._starts, place.end)
        if before and self._furthest[before - 1] > place.start:
            return True
        return place.start in self._edges[0] or place.end in self._edges[1]


def lint(project: Project, config: Config, rules: Sequence[Rule] | None = None) -> Report:
    """Run all rules over a project: those of each document, then those of sites, then those of all files.

    `rules` defaults to those of the package. Never raises for what a document holds: a rule
    that fails is a finding (SKL999) on its document, and the others go on.
    """
    run = _Run(project, config, tuple(rules) if rules is not None else load_rules())
    for document in project.documents:
        run.document(document)
        document.release()
    for site in project.sites:
        run.several(site)
    run.several(project)
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
        self.judged: dict[str, Judged] = {}
        self.findings: list[tuple[Document, Outcome]] = []
        self.skills: list[tuple[Skill, dict[str, str]]] = []
        self.secrets: set[str] = set()
        self.suppressed = 0
        self.crashed = 0

    def document(self, document: Document) -> None:
        """Judge one document by itself."""
        asked = self._is_asked(document)
        reasons = self._specs(document)
        if asked and isinstance(document, Skill):
            self.skills.append((document, reasons))
        judged = Judged(document, frozenset(reasons), self.choices.ignored_ids(document.location))
        self.judged[document.location] = judged
        if not asked and isinstance(document, Skill):
            return  # it is there because others have to agree with it
        failures = self._run_rules(judged) if document.is_text else []
        self.secrets.update(
            line
            for found in judged.outcomes
            if found.problem.secret
            for line in map(str.strip, found.problem.secret.split("\n"))
            if len(line) > 3
        )
        for failure in failures:
            self.failed(failure)

    def several(self, subject: Site | Project) -> None:
        """Judge what several files have to agree on.

        Each problem answers to the specs of the document that it sits on; a rule is silent where
        one that it needs has fired.
        """
        sites: tuple[Site, ...] = (subject,) if isinstance(subject, Site) else ()
        for rule in self._rules_of(type(subject)):
            params = next(iter(rule.asked_by.values())).params
            origin = sites[0].origin.url if sites else self.config.origin
            ask = Ask(known=frozenset(), sections=self.config.sections, origin=origin, **dict(params))
            needs = tuple(_closure(rule, self.by_name))
            try:
                problems = list(rule.check(subject, ask))
                for problem in problems:
                    self._place(rule, needs, problem, sites)
            except Exception as error:
                self.failed(Failure(self._some_document(subject), rule.id, f"{type(error).__name__}: {error}"))

    def _rules_of(self, subject: type) -> list[Rule]:
        """The rules about several documents that are selected, after those that they need."""
        ids = {rule.id: rule for rule in self.rules}
        ordered: dict[str, Rule] = {}
        for rule in self.rules:
            if issubclass(subject, rule.subject) and self.config.selects(rule):
                _visit(rule, ids, ordered)
        return [rule for rule in ordered.values() if issubclass(subject, rule.subject)]

    def _place(self, rule: Rule, needs: tuple[str, ...], problem: Problem, sites: tuple[Site, ...]) -> None:
        document, place = problem.where
        judged = self.judged.get(document.location)
        if judged is None:  # a file of a site that is no document of the run
            specs = frozenset(dialect for site in sites for dialect in site.dialects) | {"advice"}
            judged = Judged(document, specs, self.choices.ignored_ids(document.location))
            self.judged[document.location] = judged
        groups = self._groups(rule, judged.specs)
        span = _span(place)
        whole = place.whole if isinstance(place, Node) else span
        if not groups or judged.is_touched(whole, needs):
            return
        judged.fired.setdefault(rule.id, []).append(span)
        if rule.id in judged.ignored:
            return
        judged.ran.add(rule.id)
        level = min((group.level for group in groups), key=LEVELS.index)
        demands = tuple(demand for group in groups for demand in group.demands)
        judged.outcomes.extend(_outcomes(rule, [problem], document, level, demands))

    def _some_document(self, subject: Site | Project) -> Document:
        registries: tuple[Document, ...] = subject.registries if isinstance(subject, Site) else ()
        nothing = Document(".", self.project.root, b"", None)
        return next(iter((*registries, *self.project.documents, nothing)))

    def _is_asked(self, document: Document) -> bool:
        scope = self.project.scope
        if document.via is not None and document.location not in scope.muted and scope.holds(document.via[0].location):
            return True
        return scope.holds(document.location)

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
        elif isinstance(document, Script):
            reasons = specs_of(document.skill, self.project.sites)
        elif isinstance(document, RegistryDocument):
            reasons = dict.fromkeys(document.dialects, "by its content")
            if not reasons and isinstance(document, Index):
                reasons = {document.nearest: "the nearest dialect"}
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
            if _concerns(rule, subject) and rule.id not in ignored and self._groups(rule, specs)
        ]
        ordered: dict[str, Rule] = {}
        for rule in wanted:
            _visit(rule, ids, ordered)
        for rule in self.rules:  # what rules about several documents need
            if rule.subject in (Site, Project) and self.config.selects(rule):
                _visit(rule, ids, ordered)
        reported = {rule.id for rule in wanted}
        for rule in ordered.values():
            if not _concerns(rule, subject):
                continue
            groups = self._groups(rule, specs)
            if not groups:  # what no active spec asks for silences nothing
                continue
            at = tuple(tuple(selector.split(".")) for selector in rule.selectors(subject))
            plain = all(len(parts) == 1 and parts[0][-1] not in "*]" for parts in at)
            yield Step(rule, tuple(_closure(rule, ids)), groups, rule.id in reported, at, plain)

    def _groups(self, rule: Rule, specs: frozenset[str]) -> tuple[Group, ...]:
        by_params: dict[tuple[tuple[str, Any], ...], list[tuple[str, Clause]]] = defaultdict(list)
        for spec, clause in rule.asked_by.items():
            if spec in specs and clause.unless not in specs:
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

    def _run_rules(self, judged: Judged) -> list[Failure]:
        document, fired = judged.document, judged.fired
        failures: list[Failure] = []
        readable = document.readable
        fields = _fields(document) if readable else {}
        for step in self._plan(type(document), judged.specs, judged.ignored):
            rule, needs, groups, reported, at, plain = step
            if not readable and not rule.raw:
                continue
            targets: Sequence[Node | None] = _WHOLE
            if at:
                targets = [fields[name] for (name,) in at if name in fields] if plain else list(_select(fields, at))
            if fired and not fired.keys().isdisjoint(needs):
                targets = [node for node in targets if node is not None and not judged.is_touched(node.whole, needs)]
            for target in targets:
                try:
                    found = _ask(rule, groups, document, target)
                except Exception as error:
                    failures.append(Failure(document, rule.id, f"{type(error).__name__}: {error}"))
                    continue
                if found:
                    fired.setdefault(rule.id, []).extend(outcome.span for outcome in found)
                    if reported:
                        judged.outcomes.extend(found)
        return failures

    def _judge(self, subject: Directive | Failure, specs: frozenset[str], ignored: frozenset[str]) -> list[Outcome]:
        """Run the rules about something that is no document: a directive, a failure."""
        found = []
        for step in self._plan(type(subject), specs, ignored):
            found.extend(_ask(step.rule, step.groups, subject, None))
        return found

    def _kept(self, judged: Judged) -> list[Outcome]:
        """What is reported on a document: what was asked for and no comment suppresses."""
        asked = self._is_asked(judged.document)
        outcomes = [outcome for outcome in judged.outcomes if asked or self._concerns(judged.document, outcome)]
        document = judged.document
        if not self.config.suppressions or not suppress.may_hold(document.source):
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
        plan = self._plan(type(document), judged.specs, judged.ignored) if asked else ()
        ran = judged.ran | {step.rule.id for step in plan if step.reported}
        for directive in directives if asked else ():
            known = [(name, span) for name, span in directive.names if name in self.by_name]
            named = directive._replace(
                unknown=tuple(pair for pair in directive.names if pair[0] not in self.by_name),
                unused=tuple(
                    pair for pair in known if (directive.span, pair[0]) not in used and self.by_name[pair[0]].id in ran
                ),
                rules=self.by_name,
            )
            kept.extend(self._judge(named, judged.specs, judged.ignored))
        return kept

    def _concerns(self, document: Document, outcome: Outcome) -> bool:
        """Whether a finding outside of what was asked for is about something inside."""
        scope = self.project.scope
        others = [where[0] for where, _ in outcome.problem.related if type(where) is tuple]
        return document.location not in scope.muted and any(scope.holds(other.location) for other in others)

    def report(self) -> Report:
        """All that was found, in order, with what was counted on the way."""
        for judged in self.judged.values():
            try:
                self.findings.extend((judged.document, outcome) for outcome in self._kept(judged))
            except Exception as error:
                self.failed(Failure(judged.document, "suppression", f"{type(error).__name__}: {error}"))
            judged.document.release()
        seen: Counter[str] = Counter()
        findings = []
        secrets = tuple(sorted(self.secrets, key=lambda secret: (-len(secret), secret)))
        line: _Line | None = None
        for document, outcome in sorted(self.findings, key=_order):
            number = document.text.line_at(min(outcome.span.start, len(document.source)))
            if line is None or line.document is not document or line.number != number:
                line = _line(document, number, secrets)
            findings.append(_finding(line, outcome, self.project.root, seen, secrets))
        counts: dict[str, Counter[Level]] = defaultdict(Counter)
        for finding in findings:
            counts[finding.path][finding.level] += 1
        return Report(
            findings=tuple(findings),
            skills=tuple(_skill_facts(skill, reasons, counts[skill.path], secrets) for skill, reasons in self.skills),
            sites=tuple(
                SiteFacts(
                    site.path,
                    {registry.site_path: registry.dialects for registry in site.registries},
                    *site.origin,
                    tuple(
                        Unchecked(registry.path, registry.text.line_at(entry.where.start), entry.href, reason)
                        for (registry, entry), reason in site.unchecked()
                    ),
                )
                for site in self.project.sites
            ),
            files=self._files(),
            level=self.config.shown_level,
            suppressed=self.suppressed,
            passed_over=self.project.passed_over,
            unread=self.project.unread,
            crashed=self.crashed,
            root=self.project.root,
            documents=tuple((d.path, d.location) for d in self.project.documents if self._is_asked(d)),
            responses=tuple(response for site in self.project.sites for response in site.responses),
            secrets=secrets,
        )

    def _files(self) -> dict[str, int]:
        """How many files of each kind were asked for, those of a site that are no documents included."""
        counts = Counter(document.kind for document in self.project.documents if self._is_asked(document))
        others = self.project.scope.files - {document.location for document in self.project.documents}
        return dict(counts) | ({"file": len(others)} if others else {})


def _concerns(rule: Rule, subject: type) -> bool:
    """Whether a rule judges a class of subjects; one on every document judges those of our formats alone."""
    if rule.subject is Document and issubclass(subject, Document) and not subject.is_ours:
        return False
    return issubclass(subject, rule.subject)


def _visit(rule: Rule, ids: dict[str, Rule], ordered: dict[str, Rule]) -> None:
    """Add a rule behind those that it needs."""
    if rule.id in ordered:
        return
    for need in rule.needs:
        if need in ids:
            _visit(ids[need], ids, ordered)
    ordered[rule.id] = rule


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
    tree = document.tree
    return {node.key.value: node for node in tree.items if node.key is not None} if tree is not None else {}


def _select(fields: dict[str, Node], selectors: Iterable[Sequence[str]]) -> Iterator[Node]:
    """The nodes that selectors lead to, given as their parts: `name`, `name[]` for the items of a list, `*` for all."""
    for first, *rest in selectors:
        name = first.removesuffix("[]")
        if name in fields:
            found = [fields[name]]
        elif name == "*":
            found = list(fields.values())
        elif name == "**":
            found = [node for value in fields.values() for node in value.walk()]
        else:
            continue
        if name != first:
            found = [item for node in found if node.kind == "list" for item in node.items]
        if not rest:
            yield from found
            continue
        for node in found:
            if node.kind == "map":
                yield from _select({item.key.value: item for item in node.items if item.key is not None}, (rest,))


_WHOLE: tuple[None] = (None,)
"""The target of a rule that is given no node."""


def _ask(rule: Rule, groups: tuple[Group, ...], subject: Any, target: Node | None) -> list[Outcome]:
    """Ask a rule once a group; of several groups that find something, the strongest clause speaks.

    The groups of a rule that says `each` speak for themselves; where they say the same of the
    same place, it is said once.
    """
    best: list[Problem] = []
    strongest: Level | None = None
    demands: tuple[Demand, ...] = ()
    outcomes: list[Outcome] = []
    check = rule.check
    if len(groups) == 1:
        ((ask, level, asking),) = groups
        problems = [*check(subject, ask)] if target is None else [*check(target, subject, ask)]
        return _outcomes(rule, problems, subject, level, asking) if problems else []
    for ask, level, asking in groups:
        problems = [*check(subject, ask)] if target is None else [*check(target, subject, ask)]
        if not problems:
            continue
        if rule.each:
            outcomes = _merged(outcomes, _outcomes(rule, problems, subject, level, asking))
            continue
        demands += asking
        if strongest is None or LEVELS.index(level) < LEVELS.index(strongest):
            best, strongest = problems, level
    return outcomes + (_outcomes(rule, best, subject, strongest, demands) if strongest is not None else [])


def _merged(outcomes: list[Outcome], more: list[Outcome]) -> list[Outcome]:
    """Both lists, equal problems once: at the stronger level, asked for by both."""
    found = {(outcome.span, outcome.problem.message): outcome for outcome in outcomes}
    for outcome in more:
        key = outcome.span, outcome.problem.message
        known = found.get(key)
        if known is not None:
            outcome = outcome._replace(
                level=min(known.level, outcome.level, key=LEVELS.index), demands=known.demands + outcome.demands
            )
        found[key] = outcome
    return list(found.values())


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
        related.append((_location(other, _span(where)), message))
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


def _skill_facts(skill: Skill, reasons: dict[str, str], counts: Counter[Level], secrets: Sequence[str]) -> SkillFacts:
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
