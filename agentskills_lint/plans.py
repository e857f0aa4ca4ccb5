"""Which rules judge a document, in which order, and with what each is asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from agentskills_lint.config import Config
from agentskills_lint.documents import Document
from agentskills_lint.model import LEVELS, Demand, Level
from agentskills_lint.rule import Ask, Clause, Rule
from agentskills_lint.site import Project, Site
from agentskills_lint.specs import known_fields


class Group(NamedTuple):
    """Clauses with the same parameters: what the rule is asked with, how strongly, by whom."""

    ask: Ask
    level: Level
    demands: tuple[Demand, ...]


class Step(NamedTuple):
    """A rule of a plan; `reported` is False for a prerequisite that nobody asked to see.

    `needs` are the rules that silence it, their own needs included. `at` are the parts of its selectors; where all
    of them are names of top-level fields, `names` are these.
    """

    rule: Rule
    needs: tuple[str, ...]
    groups: tuple[Group, ...]
    reported: bool
    at: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]


class Plans:
    """The plans of one run, each made once."""

    def __init__(self, rules: Sequence[Rule], config: Config) -> None:
        self.by_name = {name: rule for rule in rules for name in (rule.id, rule.code)}
        self._rules = rules
        self._config = config
        self._needs: dict[str, tuple[str, ...]] = {}
        for rule in rules:
            self._add(rule)
        self._plans: dict[tuple[Any, ...], list[Step]] = {}

    def plan(
        self, subject: type, specs: frozenset[str], ignored: frozenset[str], origin: str | None = None
    ) -> list[Step]:
        """The rules about one kind of document, each behind those that it needs; `origin` is that of its site."""
        key = (subject, specs, ignored, origin)
        if key not in self._plans:
            self._plans[key] = list(self._steps(*key))
        return self._plans[key]

    def about(self, subject: type[Site | Project]) -> list[tuple[Rule, tuple[str, ...]]]:
        """The selected rules about several documents with their needs, each behind those that it needs."""
        wanted = self._with_needs(
            rule for rule in self._rules if issubclass(subject, rule.subject) and self._config.selects(rule)
        )
        rules = [(self.by_name[id], needs) for id, needs in self._needs.items() if id in wanted]
        return [(rule, needs) for rule, needs in rules if issubclass(subject, rule.subject)]

    def groups(self, rule: Rule, specs: frozenset[str], origin: str | None = None) -> tuple[Group, ...]:
        """How a rule is asked on behalf of these specs; empty where none of them asks for it."""
        by_params: dict[tuple[tuple[str, Any], ...], list[tuple[str, Clause]]] = defaultdict(list)
        for spec, clause in rule.asked_by.items():
            if spec in specs and clause.unless not in specs:
                by_params[clause.params].append((spec, clause))
        override = self._config.level_of(rule.id)
        groups = []
        for params, clauses in by_params.items():
            strongest: Level = min((clause.level for _, clause in clauses), key=LEVELS.index)
            demands = tuple(Demand(spec, clause.strength, clause.url) for spec, clause in clauses)
            ask = Ask(known=known_fields(specs), sections=self._config.sections, origin=origin, **dict(params))
            groups.append(Group(ask, override or strongest, demands))
        return tuple(groups)

    def _add(self, rule: Rule) -> None:
        """Note what a rule needs, behind what those need that it needs."""
        if rule.id in self._needs:
            return
        found: dict[str, None] = {}
        for need in rule.needs:
            if need in self.by_name:
                self._add(self.by_name[need])
                found |= dict.fromkeys((need, *self._needs[need]))
        self._needs[rule.id] = tuple(found)

    def _with_needs(self, rules: Iterator[Rule]) -> set[str]:
        return {id for rule in rules for id in (rule.id, *self._needs[rule.id])}

    def _steps(
        self, subject: type, specs: frozenset[str], ignored: frozenset[str], origin: str | None
    ) -> Iterator[Step]:
        reported = {
            rule.id
            for rule in self._rules
            if _judges(rule, subject) and rule.id not in ignored and self.groups(rule, specs)
        }
        # rules about several documents need some of this one's, too
        several = (rule for rule in self._rules if rule.subject in (Site, Project) and self._config.selects(rule))
        masking = (rule for rule in self._rules if rule.masks)
        wanted = self._with_needs(chain((self.by_name[id] for id in reported), several, masking))
        for id, needs in self._needs.items():
            rule = self.by_name[id]
            # what no active spec asks for silences nothing
            if id not in wanted or not _judges(rule, subject) or not (groups := self.groups(rule, specs, origin)):
                continue
            at = tuple(tuple(selector.split(".")) for selector in rule.selectors(subject))
            plain = all(len(parts) == 1 and parts[0][-1] not in "*]" for parts in at)
            yield Step(rule, needs, groups, id in reported, at, tuple(name for name, *_ in at) if plain else ())


def _judges(rule: Rule, subject: type) -> bool:
    """Whether a rule judges a class of subjects; one on every document judges those of our formats alone."""
    if rule.subject is Document and issubclass(subject, Document) and not subject.is_ours:
        return False
    return issubclass(subject, rule.subject)
