"""What a rule is: the decorator, the clauses that ask for it, its documentation, the registry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from agentskills_lint.model import LEVELS, Level, Problem

Check = Callable[..., Iterable[Problem]]
Selectors = str | tuple[str, ...]


class Clause(NamedTuple):
    """A sentence of a spec that asks for a rule.

    `strength` is the spec's own word (MUST, SHOULD, MAY) or "advice"; `level` follows from it
    unless the rule only infers or clients accept the fault. `params` reach the rule as `ask`.
    Where the spec `unless` is active the clause is void.
    """

    level: Level
    strength: str
    url: str
    params: tuple[tuple[str, Any], ...] = ()
    unless: str = ""


def must(url: str, level: Level = "error", **params: Any) -> Clause:
    """A MUST, a "required" or a type cell: an error unless said otherwise."""
    return Clause(level, "MUST", url, tuple(params.items()))


def should(url: str, level: Level = "warning", **params: Any) -> Clause:
    """A SHOULD, or what a reference validator warns of."""
    return Clause(level, "SHOULD", url, tuple(params.items()))


def may(url: str, level: Level = "note", **params: Any) -> Clause:
    """A MAY or a recommendation without force."""
    return Clause(level, "MAY", url, tuple(params.items()))


def advice(level: Level, url: str = "", unless: str = "", **params: Any) -> Clause:
    """Our own: no spec says so, the rule's documentation tells why."""
    return Clause(level, "advice", url, tuple(params.items()), unless)


class Example(NamedTuple):
    """A fenced block of a rule's documentation: `language`, whether it is good, its text."""

    language: str
    good: bool
    text: str


class Rule:
    """A rule and all that is derived from it. Made by `rule`, never changed.

    `subject` is the class whose instances the rule judges, or several; `at` are selectors of
    nodes of the frontmatter or of an index ("name", "languages[]", "rate_limit.agent",
    "skills[].url", "*" for every key, "**" for every value at any depth), by class where they
    differ: with them the rule is given each node that is there, without them the subject alone.
    A rule on Site or Project yields problems at (document, place). `severity` (above 0 to 10) is
    that of a security rule, None for all others.
    """

    def __init__(
        self,
        id: str,
        code: str,
        subject: type | tuple[type, ...],
        at: tuple[str, ...] | Mapping[type, tuple[str, ...]],
        needs: tuple[str, ...],
        fix: str | None,
        asked_by: Mapping[str, Clause],
        check: Check,
        severity: float | None = None,
        raw: bool = False,
        each: bool = False,
        masks: bool = False,
    ) -> None:
        self.id = id
        self.code = code
        self.subject = subject
        self.at = at
        self.needs = needs
        self.fix = fix
        self.asked_by = dict(asked_by)
        self.check = check
        self.severity = severity
        self.raw = raw
        self.each = each
        self.masks = masks

    def __repr__(self) -> str:
        return f"<Rule {self.code} {self.id}>"

    def selectors(self, subject: type) -> tuple[str, ...]:
        """The selectors of the nodes that it is given of a document of one class."""
        if isinstance(self.at, tuple):
            return self.at
        return next(selectors for known, selectors in self.at.items() if issubclass(subject, known))

    @property
    def doc(self) -> str:
        """The docstring with its indentation taken off ("" under python -OO)."""
        lines = (self.check.__doc__ or "").expandtabs().split("\n")
        margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
        return "\n".join([lines[0].strip(), *(line[margin:] for line in lines[1:])]).strip()

    @property
    def summary(self) -> str:
        """The first line of the documentation, without its full stop."""
        return self.doc.split("\n", 1)[0].rstrip(".") or self.id

    @property
    def explanation(self) -> str:
        """The paragraphs between the summary and the examples."""
        rest = self.doc.split("\n", 1)[1] if "\n" in self.doc else ""
        return re.split(r"^```", rest, maxsplit=1, flags=re.M)[0].strip()

    @property
    def examples(self) -> list[Example]:
        """The fenced blocks whose info string ends in good or bad."""
        found = re.finditer(r"^(`{3,})(\w+) (good|bad)\n(.*?)^\1$", self.doc, re.M | re.S)
        return [Example(m[2], m[3] == "good", m[4]) for m in found]

    @property
    def strongest(self) -> Level:
        """The strongest level that any spec gives it."""
        return min((clause.level for clause in self.asked_by.values()), key=LEVELS.index)


def rule(
    id: str,
    code: str,
    *,
    on: type | tuple[type, ...],
    asked_by: Mapping[str, Clause],
    at: Selectors | Mapping[type, Selectors] = (),
    needs: str | tuple[str, ...] = (),
    fix: str | None = None,
    severity: float | None = None,
    raw: bool = False,
    each: bool = False,
    masks: bool = False,
) -> Callable[[Check], Rule]:
    """Make a function a rule.

    The function is a pure generator of Problems: `check(subject, ask)`, or with `at`
    `check(node, subject, ask)`. A rule on several classes has selectors for each of them, such as
    `at={Skill: "name", Index: "skills[].name"}`. Its docstring is the rule's documentation: a summary line,
    paragraphs, then fenced examples with info strings such as `yaml bad` and `yaml good`.
    `asked_by` lists the strictest parameters first. `needs`: ids of rules whose findings
    silence this one on the same node. `fix` is the strongest class of fix it may offer.
    `raw` rules judge bytes: they run on files, too, that cannot be read as text. The clauses of an
    `each` rule speak for themselves: it is asked once a parameter set and all findings stay.
    What a `masks` rule finds has a `secret`: it runs even where nobody wants to see its findings.
    `severity` makes it a security rule and scores it as CVSS does: 9 is critical, 7 high, 4 medium.
    """

    def made(check: Check) -> Rule:
        selectors = {known: _several(names) for known, names in at.items()} if isinstance(at, Mapping) else _several(at)
        return Rule(id, code, on, selectors, _several(needs), fix, asked_by, check, severity, raw, each, masks)

    return made


def _several(names: Selectors) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


class Ask(SimpleNamespace):
    """What one call of a rule is asked with: the clause's parameters as attributes, and

    `known`: the frontmatter fields of all active specs; `sections`: extra section titles from
    the configuration; `origin`: the site's origin, or None.
    """

    known: frozenset[str]
    sections: Mapping[str, tuple[str, ...]]
    origin: str | None


def load_rules() -> tuple[Rule, ...]:
    """All rules in order of their codes, found in the modules of `agentskills_lint.rules`."""
    import importlib
    import os

    from agentskills_lint import rules as package

    # pkgutil would import inspect, ast and tokenize: 10 ms of each start
    modules = sorted(name[:-3] for folder in package.__path__ for name in os.listdir(folder) if name.endswith(".py"))
    found: set[Rule] = set()
    for module in modules:
        names = vars(importlib.import_module(f"{package.__name__}.{module}"))
        found.update(value for value in names.values() if isinstance(value, Rule))
    return tuple(sorted(found, key=lambda rule: rule.code))
