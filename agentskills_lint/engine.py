"""One engine for everyone: plan the rules of a document, run them, filter, make the report."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from agentskills_lint import suppress
from agentskills_lint.config import Choices, Config
from agentskills_lint.documents import Document, Skill
from agentskills_lint.findings import Outcome, facts_of, findings_of, span_of
from agentskills_lint.model import (
    LEVELS,
    Demand,
    Directive,
    Failure,
    Level,
    Problem,
    Report,
    SiteFacts,
    Span,
    Unchecked,
)
from agentskills_lint.plans import Group, Plans
from agentskills_lint.registries import Index, RegistryDocument
from agentskills_lint.rule import Ask, Rule, load_rules
from agentskills_lint.scripts import Script
from agentskills_lint.site import Project, Site, specs_of
from agentskills_lint.specs import BUILDS_ON
from agentskills_lint.trees import Node
from agentskills_lint.wording import kebab


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
        self.plans = Plans(rules, config)
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
        for failure in self._run_rules(judged) if document.is_text else ():
            self.failed(failure)

    def several(self, subject: Site | Project) -> None:
        """Judge what several files have to agree on.

        Each problem answers to the specs of the document that it sits on; a rule is silent where
        one that it needs has fired.
        """
        sites: tuple[Site, ...] = (subject,) if isinstance(subject, Site) else ()
        for rule, needs in self.plans.about(type(subject)):
            params = next(iter(rule.asked_by.values())).params
            origin = sites[0].origin.url if sites else self.config.origin
            ask = Ask(known=frozenset(), sections=self.config.sections, origin=origin, **dict(params))
            try:
                problems = list(rule.check(subject, ask))
                for problem in problems:
                    self._place(rule, needs, problem, sites)
            except Exception as error:
                self.failed(Failure(self._some_document(subject), rule.id, f"{type(error).__name__}: {error}"))

    def _place(self, rule: Rule, needs: tuple[str, ...], problem: Problem, sites: tuple[Site, ...]) -> None:
        document, place = problem.where
        judged = self.judged.get(document.location)
        if judged is None:  # a file of a site that is no document of the run
            specs = frozenset(dialect for site in sites for dialect in site.dialects) | {"advice"}
            judged = Judged(document, specs, self.choices.ignored_ids(document.location))
            self.judged[document.location] = judged
        groups = self.plans.groups(rule, judged.specs)
        span = span_of(place)
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

    def _origin(self, document: Document) -> str | None:
        """The address of the innermost site that holds a document, else the one that is set."""
        around = [
            site for site in self.project.sites if document.location.startswith(f"{site.folder.path.rstrip('/')}/")
        ]
        innermost = max(around, key=lambda site: len(site.folder.path), default=None)
        return self.config.origin if innermost is None else innermost.origin.url

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

    def _run_rules(self, judged: Judged) -> list[Failure]:
        document, fired = judged.document, judged.fired
        failures: list[Failure] = []
        readable = document.readable
        tree = document.tree if readable else None
        fields = _fields(tree) if tree is not None else {}
        for step in self.plans.plan(type(document), judged.specs, judged.ignored, self._origin(document)):
            rule, needs, groups, reported, at, names = step
            if not readable and not rule.raw:
                continue
            targets: Sequence[Node | None] = _WHOLE
            if names:
                targets = [fields[name] for name in names if name in fields]
            elif at:
                targets = [node for parts in at for node in _select(tree, parts)] if tree is not None else []
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
                    self._hide(found)
                    if reported:
                        judged.outcomes.extend(found)
        return failures

    def _look_for_secrets(self, judged: Judged) -> None:
        """Ask the rules that mask alone, of a document that was not asked for."""
        for step in self.plans.plan(type(judged.document), judged.specs, judged.ignored):
            if step.rule.masks:
                self._hide(_ask(step.rule, step.groups, judged.document, None))

    def _hide(self, outcomes: Sequence[Outcome]) -> None:
        """Note the secrets of findings: no output shows them, whether these are reported or not."""
        for secret in (outcome.problem.secret for outcome in outcomes):
            lines = [line for line in map(str.strip, (secret or "").split("\n")) if len(line) > 3]
            self.secrets.update(lines)
            self.secrets.update(filter(None, map(kebab, lines)))  # what names are advised to be

    def _judge(self, subject: Directive | Failure, specs: frozenset[str], ignored: frozenset[str]) -> list[Outcome]:
        """Run the rules about something that is no document: a directive, a failure."""
        found = []
        for step in self.plans.plan(type(subject), specs, ignored):
            if step.reported:
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
        plan = self.plans.plan(type(document), judged.specs, judged.ignored) if asked else ()
        ran = judged.ran | {step.rule.id for step in plan if step.reported}
        rules = self.plans.by_name
        for directive in directives if asked else ():
            known = [(name, span) for name, span in directive.names if name in rules]
            named = directive._replace(
                unknown=tuple(pair for pair in directive.names if pair[0] not in rules),
                unused=tuple(
                    pair for pair in known if (directive.span, pair[0]) not in used and rules[pair[0]].id in ran
                ),
                rules=rules,
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
                kept = self._kept(judged)
                if kept and isinstance(judged.document, Skill) and not self._is_asked(judged.document):
                    self._look_for_secrets(judged)
                self.findings.extend((judged.document, outcome) for outcome in kept)
            except Exception as error:
                self.failed(Failure(judged.document, "suppression", f"{type(error).__name__}: {error}"))
            judged.document.release()
        secrets = tuple(sorted(self.secrets, key=lambda secret: (-len(secret), secret)))
        findings = findings_of(self.findings, self.project.root, secrets)
        counts: dict[str, Counter[Level]] = defaultdict(Counter)
        for finding in findings:
            counts[finding.path][finding.level] += 1
        return Report(
            findings=tuple(findings),
            skills=tuple(facts_of(skill, reasons, counts[skill.path], secrets) for skill, reasons in self.skills),
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
            opened=tuple(document.location for site in self.project.sites for document in site.opened()),
        )

    def _files(self) -> dict[str, int]:
        """How many files of each kind were asked for, those of a site that are no documents included."""
        counts = Counter(document.kind for document in self.project.documents if self._is_asked(document))
        others = self.project.scope.files - {document.location for document in self.project.documents}
        return dict(counts) | ({"file": len(others)} if others else {})


def _fields(node: Node) -> dict[str, Node]:
    """The values of a mapping by their keys, the last one where a key is repeated."""
    return {item.key.value: item for item in node.items if item.key is not None}


def _select(node: Node, parts: Sequence[str]) -> Iterator[Node]:
    """The nodes below one to which a selector leads, given as its parts: `name[]` is the items of a list, `*` all."""
    first, *rest = parts
    name = first.removesuffix("[]")
    if name == "**":
        found = [below for item in node.items for below in item.walk()]
    elif name == "*":
        found = list(_fields(node).values())
    else:
        item = node.get(name)
        found = [] if item is None else [item]
    if name != first:
        found = [item for several in found if several.kind == "list" for item in several.items]
    if not rest:
        yield from found
        return
    for inner in found:
        if inner.kind == "map":
            yield from _select(inner, rest)


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
    outcomes = [Outcome(rule, problem, span_of(problem.where), level, demands) for problem in problems]
    if isinstance(subject, Document):
        for outcome in outcomes:
            start, end = outcome.span
            if not 0 <= start <= end <= len(subject.source):
                raise ValueError(f"span ({start}, {end}) is not in the text")
    return outcomes
