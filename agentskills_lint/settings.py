"""The settings by name: which values each takes, what is wrong with a value, reading them from plain data."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from agentskills_lint.lazy import lazy
from agentskills_lint.model import LEVELS
from agentskills_lint.patterns import fault
from agentskills_lint.rule import Rule
from agentskills_lint.specs import SPECS
from agentskills_lint.wording import closest, escaped, shown

FAIL_ON = (*LEVELS, "never")
STRENGTHS = (*LEVELS, "off")

Keys: TypeAlias = tuple[str | int, ...]
"""The way to a value: keys from the root down, items of a list by their index."""

Judge: TypeAlias = Callable[[str, Sequence[Rule]], str | None]
"""What is wrong with a value, or None."""

_ORIGIN = lazy(r"https?://(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::[0-9]{1,5})?(?:/[!-~]*)?", re.I)


class PathPatterns(NamedTuple):
    """Values for the files that a pattern matches; `base` is the absolute folder it is relative to."""

    base: str
    pattern: str
    values: tuple[str, ...] = ()


def unknown_rule(name: str, rules: Iterable[Rule]) -> str:
    """That no rule has this name, with the name that was probably meant."""
    ids, codes = [rule.id for rule in rules], [rule.code for rule in rules]
    lower, upper = name.strip().lower().replace("_", "-"), name.strip().upper()
    if lower in ids:
        likely: str | None = lower
    elif upper and (upper == "ALL" or any(code.startswith(upper) for code in codes)):
        likely = upper
    else:
        likely = closest(lower, ids, 0.6) or closest(upper, codes)
    return f"unknown rule {shown(name)}{meant(likely)}"


def meant(word: str | None) -> str:
    """The end of a message that offers what was probably meant."""
    return f", did you mean {shown(word)}?" if word else ""


def _selector(value: str, rules: Sequence[Rule]) -> str | None:
    known = value == "ALL" or (value != "" and any(value == rule.id or rule.code.startswith(value) for rule in rules))
    return None if known else unknown_rule(value, rules)


def _spec(value: str, _rules: Sequence[Rule]) -> str | None:
    if value in SPECS:
        return None
    return f"unknown spec {shown(value)}{meant(closest(value.lower(), SPECS, 0.6)) or f' (one of {_either(SPECS)})'}"


def _pattern(value: str, _rules: Sequence[Rule]) -> str | None:
    found = fault(value)
    return f"pattern {shown(value)} {found}" if found else None


def _single_pattern(value: str, _rules: Sequence[Rule]) -> str | None:
    found = "begins with '!', but there is nothing here to take back" if value.startswith("!") else fault(value)
    return f"pattern {shown(value)} {found}" if found else None


def _title(value: str, _rules: Sequence[Rule]) -> str | None:
    return None if value.strip() else "a section's title is empty"


def _one_of(choices: Sequence[str]) -> Judge:
    def judge(value: str, _rules: Sequence[Rule]) -> str | None:
        if value in choices:
            return None
        return f"{shown(value)} is none of {_either(choices)}{meant(closest(value.lower(), choices, 0.6))}"

    return judge


def _origin(value: str, _rules: Sequence[Rule]) -> str | None:
    if not re.match(r"https?://", value, re.I):
        return f"{shown(value)} is no address that begins with https:// or http://"
    if "?" in value or "#" in value:
        return f"{shown(value)} has a query or a fragment, an origin has neither"
    if "@" in value.split("/")[2]:
        return f"{shown(value)} holds a user name, an origin has none"
    return None if _ORIGIN.fullmatch(value) else f"{shown(value)} is no address of a site"


def _provider(value: str, _rules: Sequence[Rule]) -> str | None:
    return None if value.strip() else "the provider has no name"


def _file(value: str, _rules: Sequence[Rule]) -> str | None:
    return "the file has no name" if not value.strip() or "\0" in value else None


def _either(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}"


LISTS: dict[str, Judge] = {
    "select": _selector,
    "ignore": _selector,
    "extend-select": _selector,
    "extend-ignore": _selector,
    "exclude": _pattern,
    "extend-exclude": _pattern,
    "spec": _spec,
    "extend-spec": _spec,
}
"""Lists of strings, with the judge of an item."""

TEXTS: dict[str, Judge] = {
    "level": _one_of(LEVELS),
    "fail-on": _one_of(FAIL_ON),
    "origin": _origin,
    "provider": _provider,
    "baseline": _file,
}
"""Strings."""

FLAGS = ("force-exclude", "respect-gitignore", "suppressions")
"""Booleans."""

TABLES: dict[str, tuple[Judge, Judge]] = {
    "per-file-ignores": (_single_pattern, _selector),
    "per-file-spec": (_single_pattern, _spec),
    "sections": (_title, _title),
}
"""Tables of lists of strings, with the judges of a key and of an item."""

KEYS = (*LISTS, *TEXTS, *FLAGS, *TABLES, "rules")

_WORDS = {
    str: "a string", bool: "a boolean", int: "an integer", float: "a number", list: "a list",
    tuple: "a list", dict: "a table",
}  # fmt: skip


class Reader:
    """Turns the settings of one layer (a file's table, the command line's options) into fields of Config.

    `place(keys)` says where a value stands, `named` whether messages still have to name the
    setting; patterns are relative to `base`. What is wrong goes to `problems`.
    """

    def __init__(self, base: str, place: Callable[[Keys], str], rules: Sequence[Rule], named: bool = True) -> None:
        self.problems: list[str] = []
        self._base = base
        self._place = place
        self._rules = rules
        self._named = named

    def layer(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that the settings state."""
        found: dict[str, Any] = {}
        for key, value in settings.items():
            field = key.replace("-", "_")
            if key in LISTS:
                values = self._strings((key,), value, LISTS[key])
                found[field] = self._patterns(values) if key.endswith("exclude") else values
                if key in ("select", "spec") and value == []:
                    self.wrong((key,), "an empty list would choose nothing")
            elif key in TABLES:
                found[field] = self._table(key, value)
            elif key in TEXTS:
                found[field] = self._text((key,), value, TEXTS[key])
            elif key in FLAGS:
                self.expect((key,), value, bool)
                found[field] = value
            elif key == "rules":
                found["levels"] = self._levels(value)
            else:
                self.unknown((key,), "setting", (*KEYS, "extend"))
        if isinstance(found.get("origin"), str):
            found["origin"] = found["origin"].rstrip("/")
        if isinstance(found.get("baseline"), str):
            found["baseline"] = os.path.join(self._base, os.path.expanduser(found["baseline"]))
        return found

    def wrong(self, keys: Keys, message: str) -> None:
        """Note a problem of a setting."""
        about = ".".join(escaped(key) for key in keys if isinstance(key, str)) if self._named else ""
        self.problems.append(f"{self._place(keys)}: {about}{': ' if about else ''}{message}")

    def unknown(self, keys: Keys, kind: str, known: Iterable[str]) -> None:
        """Note a key that nobody knows."""
        key = str(keys[-1])
        likely = closest(key.lower().replace("_", "-"), known, 0.6)
        self.problems.append(f"{self._place(keys)}: unknown {kind} {shown(key)}{meant(likely)}")

    def expect(self, keys: Keys, value: Any, wanted: type, hint: str = "") -> bool:
        """Whether a value has a type; notes a problem where not."""
        if isinstance(value, wanted) or (wanted is list and isinstance(value, tuple)):
            return True
        found = _WORDS.get(type(value), "a date" if hasattr(value, "isoformat") else type(value).__name__)
        expected = "a list of strings" if wanted is list else _WORDS[wanted]
        self.wrong(keys, f"expected {expected}, found {found}{hint}")
        return False

    def _strings(self, keys: Keys, value: Any, judge: Judge) -> tuple[str, ...]:
        hint = f', write ["{escaped(value)}"]' if isinstance(value, str) else ""
        if not self.expect(keys, value, list, hint):
            return ()
        for index, item in enumerate(value):
            self._text((*keys, index), item, judge)
        return tuple(value)

    def _text(self, keys: Keys, value: Any, judge: Judge) -> Any:
        if self.expect(keys, value, str) and (problem := judge(value, self._rules)):
            self.wrong(keys, problem)
        return value

    def _patterns(self, values: Iterable[str]) -> tuple[PathPatterns, ...]:
        return tuple(PathPatterns(self._base, _plain(value)) for value in values if isinstance(value, str))

    def _table(self, name: str, value: Any) -> dict[str, tuple[str, ...]] | tuple[PathPatterns, ...]:
        judge_key, judge = TABLES[name]
        table = {}
        if self.expect((name,), value, dict):
            for key, item in value.items():
                if problem := judge_key(key, self._rules):
                    self.wrong((name, key), problem)
                table[key] = self._strings((name, key), item, judge)
        if name == "sections":
            return table
        return tuple(PathPatterns(self._base, _plain(pattern), values) for pattern, values in table.items())

    def _levels(self, value: Any) -> dict[str, str]:
        """`rules.<id>.level`; a rule may be named by its code."""
        found: dict[str, str] = {}
        if not self.expect(("rules",), value, dict):
            return found
        by_name = {name: rule.id for rule in self._rules for name in (rule.id, rule.code)}
        for name, settings in value.items():
            keys = ("rules", name)
            if name not in by_name:
                self.problems.append(f"{self._place(keys)}: {unknown_rule(name, self._rules)}")
            hint = f', write {escaped(name)}.level = "{escaped(settings)}"' if isinstance(settings, str) else ""
            if not self.expect(keys, settings, dict, hint):
                continue
            for key, level in settings.items():
                if key == "level":
                    found[by_name.get(name, name)] = self._text((*keys, key), level, _one_of(STRENGTHS))
                else:
                    self.unknown((*keys, key), "setting of a rule", ("level",))
        return found


def _plain(pattern: str) -> str:
    """`./x` is what a shell would call it: git would match nothing."""
    return pattern[1:] if pattern.startswith("./") else pattern
