"""The configuration: what the settings mean, and their layers: defaults, file, command line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

from agentskills_lint.model import LEVELS, Level
from agentskills_lint.patterns import Patterns
from agentskills_lint.rule import Rule
from agentskills_lint.settings import KEYS, LISTS, TABLES, Keys, PathPatterns, Reader
from agentskills_lint.wording import escaped, shown

__all__ = ["Choices", "Config", "ConfigError", "Loaded", "PathPatterns", "as_toml", "check", "find", "load"]

FailOn: TypeAlias = Literal["error", "warning", "note", "never"]
Strength: TypeAlias = Literal["error", "warning", "note", "off"]

FILE_NAMES = ("agentskills-lint.toml", ".agentskills-lint.toml", "pyproject.toml")
"""Configuration files, those of one folder in the order in which they are preferred."""

_TABLE = ("tool", "agentskills-lint")


class ConfigError(ValueError):
    """Settings that cannot hold; `problems` are the messages, each with its place."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class Config(NamedTuple):
    """All settings of a run. The names are those of the options.

    `levels` maps rule ids to a level or "off"; `sections` maps a recommended section's title
    to more titles that count as it. `check` says whether the values can hold.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[PathPatterns, ...] = ()
    exclude: tuple[PathPatterns, ...] = ()
    extend_exclude: tuple[PathPatterns, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    spec: tuple[str, ...] = ()
    extend_spec: tuple[str, ...] = ()
    per_file_spec: tuple[PathPatterns, ...] = ()
    level: Level | None = None
    fail_on: FailOn = "warning"
    origin: str | None = None
    provider: str | None = None
    baseline: str | None = None
    levels: Mapping[str, Strength] = {}
    sections: Mapping[str, tuple[str, ...]] = {}
    suppressions: bool = True

    @property
    def shown_level(self) -> Level:
        """The lowest level that is shown: the stated one, else warning or what makes the run fail."""
        if self.level is not None or self.fail_on == "never":
            return self.level or "warning"
        return max("warning", self.fail_on, key=LEVELS.index)

    def level_of(self, rule_id: str) -> Level | None:
        """The level that the configuration gives a rule, or None."""
        level = self.levels.get(rule_id)
        return None if level == "off" else level

    def selects(self, rule: Rule) -> bool:
        """Whether a rule is selected: the longest selector that names it decides, ignoring wins ties."""
        if self.levels.get(rule.id) == "off":
            return False
        chosen = _best(self.select, rule) if self.select else 0
        added = _best(self.extend_select, rule)
        taken = _best((*self.ignore, *self.extend_ignore), rule)
        wanted = max((length for length in (chosen, added) if length is not None), default=None)
        return wanted is not None and (taken is None or wanted > taken)

    @property
    def excluded(self) -> Callable[[str, bool], str | None]:
        """A function of a path and whether it is a folder: why it is not walked into or linted, or None.

        The folders above the path are not looked at. Patterns are compiled here, once.
        """
        groups = _grouped((*self.exclude, *self.extend_exclude))

        def reason(location: str, is_folder: bool) -> str | None:
            for base, patterns in reversed(groups):
                found = patterns.decide(location[len(base) :], is_folder) if location.startswith(base) else None
                if found is not None:
                    return f"excluded by '{found.pattern}'" if found.ignored else None
            return None

        return reason


class Choices:
    """What a configuration decides for each file; patterns are compiled and rules matched once a run."""

    def __init__(self, config: Config, rules: Sequence[Rule]) -> None:
        self._config = config
        self._rules = tuple(rules)
        self._unselected = frozenset(rule.id for rule in rules if not config.selects(rule))
        self._ignores = [(_grouped((entry,))[0], entry.values) for entry in config.per_file_ignores]
        self._specs = [(_grouped((entry,))[0], entry.values) for entry in reversed(config.per_file_spec)]
        self._ignored: dict[tuple[str, ...], frozenset[str]] = {}

    def ignored_ids(self, location: str) -> frozenset[str]:
        """Ids of the rules that are not reported on a file (an absolute path)."""
        here = tuple(name for group, values in self._ignores if _covers(group, location) for name in values)
        if here not in self._ignored:
            named = frozenset(rule.id for rule in self._rules if _best(here, rule) is not None)
            self._ignored[here] = self._unselected | named
        return self._ignored[here]

    def spec_choice(self, location: str) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """For a file: the specs that replace the detection (None: detect), and those added to it.

        Of several patterns that match the last one counts.
        """
        for group, values in self._specs:
            if _covers(group, location):
                return values, self._config.extend_spec
        return self._config.spec or None, self._config.extend_spec


def _grouped(entries: Iterable[PathPatterns]) -> list[tuple[str, Patterns]]:
    """The patterns by folder (with its final slash), neighbours of one folder together."""
    groups: list[tuple[str, list[str]]] = []
    for entry in entries:
        base = entry.base.rstrip("/") + "/"
        if not groups or groups[-1][0] != base:
            groups.append((base, []))
        groups[-1][1].append(entry.pattern)
    return [(base, Patterns(lines)) for base, lines in groups]


def _covers(group: tuple[str, Patterns], location: str) -> bool:
    """Whether patterns in the manner of .gitignore match a file or one of its folders."""
    base, patterns = group
    return location.startswith(base) and patterns.covering(location[len(base) :], False) is not None


def _best(selectors: Iterable[str], rule: Rule) -> int | None:
    """How narrowly the narrowest of the selectors (id, code, prefix of a code, ALL) names a rule."""
    found = [
        len(rule.code) if selector == rule.id else 1 if selector == "ALL" else len(selector)
        for selector in selectors
        if selector in (rule.id, "ALL") or rule.code.startswith(selector)
    ]
    return max(found, default=None)


def check(config: Config, rules: Sequence[Rule]) -> None:
    """Raise ConfigError where a configuration names an unknown rule, spec or level, or holds a wrong type."""
    if config == Config():
        return
    reader = Reader("", lambda _: "Config", rules)
    for field in ("per_file_ignores", "exclude", "extend_exclude", "per_file_spec"):
        value = getattr(config, field)
        if not (isinstance(value, tuple) and all(isinstance(entry, PathPatterns) for entry in value)):
            raise ConfigError([f"Config: {field}: expected a tuple of PathPatterns"])
    reader.layer(_settings(config))
    if reader.problems:
        raise ConfigError(reader.problems)


def _settings(config: Config) -> dict[str, Any]:
    """What differs from the defaults, as it stands in a file."""
    found: dict[str, Any] = {}
    for field in config._fields:
        value = getattr(config, field)
        key = field.replace("_", "-")
        if value == Config._field_defaults[field]:
            continue
        if key.endswith("exclude") and key in LISTS:
            found[key] = [entry.pattern for entry in value]
        elif key.startswith("per-file-"):
            found[key] = {entry.pattern: list(entry.values) for entry in value}
        elif key == "levels":
            found["rules"] = {rule: {"level": level} for rule, level in value.items()}
        elif key == "sections":
            found[key] = {title: list(more) for title, more in value.items()}
        else:
            found[key] = list(value) if isinstance(value, tuple) else value
    return found


# Layers


_FORGETS = {
    "select": ("extend_select",),
    "ignore": ("extend_ignore",),
    "exclude": ("extend_exclude",),
    "spec": ("extend_spec", "per_file_spec"),
}
"""A setting that is stated makes the layers below forget these."""


def _over(below: Mapping[str, Any], above: Mapping[str, Any], rules: Iterable[Rule]) -> dict[str, Any]:
    """One layer over another: lists and values replace, `extend-` lists add, rules and sections merge.

    A rule that the upper layer selects by the very name by which the lower one ignores it is selected.
    """
    codes = {rule.id: rule.code for rule in rules}
    found = dict(below)
    for name in above:
        for forgotten in _FORGETS.get(name, ()):
            found.pop(forgotten, None)
    chosen = {codes.get(name, name) for key in ("select", "extend_select") for name in above.get(key, ())}
    for key in ("ignore", "extend_ignore"):
        if key in found:
            found[key] = tuple(name for name in found[key] if codes.get(name, name) not in chosen)
    if "levels" in found:
        found["levels"] = {
            rule: level
            for rule, level in found["levels"].items()
            if level != "off" or codes.get(rule, rule) not in chosen
        }
    for key, value in above.items():
        if key.startswith("extend_"):
            found[key] = (*found.get(key, ()), *value)
        elif key in ("levels", "sections"):
            found[key] = {**found.get(key, {}), **value}
        else:
            found[key] = value
    return found


class Loaded(NamedTuple):
    """A configuration, and the files that it was read from, the nearest first."""

    config: Config
    files: tuple[str, ...]


def load(
    rules: Sequence[Rule],
    options: Mapping[str, Any],
    cwd: str,
    file: str | None = None,
    isolated: bool = False,
) -> Loaded:
    """The configuration of a run: the defaults, under the file's settings, under the options.

    `options` are settings as a file states them; only per-file-ignores may be one string, in
    flake8's form. `file` replaces the search upward from the absolute folder `cwd`, `isolated`
    reads no file. Raises ConfigError with all problems at once.
    """
    files = _Files(rules, cwd)
    path = os.path.join(cwd, file) if file is not None else None if isolated else find(cwd)
    below = files.layer(path, "--config") if path is not None else {}
    reader = Reader(cwd.replace(os.sep, "/"), lambda keys: f"--{keys[0]}", rules, named=False)
    options = dict(options)
    if isinstance(options.get("per-file-ignores"), str):
        options["per-file-ignores"] = _per_file(options["per-file-ignores"], reader)
    above = reader.layer(options)
    problems = dict.fromkeys((*files.problems, *reader.problems))
    if problems:
        raise ConfigError(problems)
    return Loaded(Config(**_over(below, above, rules)), tuple(files.read_in.values()))


def _per_file(text: str, reader: Reader) -> dict[str, list[str]]:
    """flake8's form: `pattern[,pattern]:rule[,rule]`, entries divided by blanks, or ruff's, by commas."""
    found: dict[str, list[str]] = {}
    for entry in re.sub(r"\s*([:,])\s*", r"\1", text).split():
        patterns: list[str] = []
        waiting: list[str] = []
        for word in filter(None, entry.split(",")):
            pattern, colon, rule = word.rpartition(":")
            if colon:
                patterns, waiting = [*waiting, pattern], []
            elif patterns:
                rule = word
            else:
                waiting.append(word)
                continue
            for name in patterns:
                found.setdefault(name, []).append(rule)
        if waiting or not patterns:
            reader.wrong(("per-file-ignores",), f"{shown(entry)} is not of the form pattern:rule")
    return found


def find(cwd: str) -> str | None:
    """The nearest configuration file, looking upward; a pyproject.toml counts only with our table."""
    folder = cwd
    while True:
        for name in FILE_NAMES:
            path = os.path.join(folder, name)
            if (os.path.isfile(path) or os.path.islink(path)) and (name != "pyproject.toml" or _has_table(path)):
                return path
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _has_table(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError:
        return False
    if b"agentskills-lint" not in raw:
        return False
    import tomllib

    try:
        tool = tomllib.loads(raw.decode("utf-8-sig")).get("tool")
    except (ValueError, RecursionError):
        # only a line that may be our table makes somebody else's broken file ours to report
        return re.search(rb"^\s*\[\s*tool\s*\.\s*[\"']?agentskills-lint\b", raw, re.M) is not None
    return isinstance(tool, dict) and _TABLE[1] in tool


class _Files:
    """Reads a configuration file and those that it extends."""

    def __init__(self, rules: Sequence[Rule], cwd: str) -> None:
        self.problems: list[str] = []
        self.read_in: dict[str, str] = {}
        self._rules = rules
        self._cwd = cwd

    def layer(self, path: str, named_by: str) -> dict[str, Any]:
        """The layer of a file over that of the file it extends; `named_by` is the place that names it."""
        path, real = os.path.normpath(path), os.path.realpath(path)
        if real in self.read_in:
            self.problems.append(f"{named_by}: {self._shown(path)} extends itself")
            return {}
        self.read_in[real] = path
        text = self._text(path, named_by)
        document = self._document(path, text) if text is not None else None
        if text is None or document is None:
            return {}
        keys: Keys = _TABLE if os.path.basename(path) == "pyproject.toml" else ()
        settings: Any = document
        for key in keys:
            settings = settings.get(key) if isinstance(settings, dict) else None
        if settings is None:
            self.problems.append(f"{named_by}: {self._shown(path)} has no table [tool.agentskills-lint]")
            return {}

        @cache
        def lines() -> dict[Keys, int]:
            from agentskills_lint.toml_lines import lines_of

            return lines_of(text)

        def place(below: Keys) -> str:
            full = (*keys, *below)
            line = next((lines()[full[:end]] for end in range(len(full), 0, -1) if full[:end] in lines()), 1)
            return f"{self._shown(path)}:{line}"

        reader = Reader(os.path.dirname(path).replace(os.sep, "/"), place, self._rules)
        extended: dict[str, Any] = {}
        stated: dict[str, Any] = {}
        if not reader.expect((), settings, dict):
            pass
        elif not keys and isinstance(settings.get("tool"), dict) and _TABLE[1] in settings["tool"]:
            reader.wrong(_TABLE, "settings stand at the top of this file, not in a table")
        else:
            parent = settings.get("extend")
            if "extend" in settings and reader.expect(("extend",), parent, str):
                above = os.path.join(os.path.dirname(path), os.path.expanduser(parent))
                extended = self.layer(above, f"{place(('extend',))}: extend")
            stated = reader.layer({key: value for key, value in settings.items() if key != "extend"})
        self.problems.extend(reader.problems)
        return {} if self.problems else _over(extended, stated, self._rules)

    def _text(self, path: str, named_by: str) -> str | None:
        try:
            with open(path, "rb") as file:
                raw = file.read()
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            self.problems.append(f"{self._shown(path)}:{line}: a byte that is not UTF-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.problems.append(f"{named_by}: cannot read {self._shown(path)}: {reason}")
        return None

    def _document(self, path: str, text: str) -> dict[str, Any] | None:
        import tomllib

        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message, _, place = str(error).rpartition(" (at ")
            found = re.match(r"line (\d+)", place)
            line = int(found[1]) if found else text.rstrip("\n").count("\n") + 1
            self.problems.append(f"{self._shown(path)}:{line}: {escaped(message or place)}")
        except RecursionError:
            self.problems.append(f"{self._shown(path)}:1: nested too deeply")
        return None

    def _shown(self, path: str) -> str:
        return escaped(path.removeprefix(self._cwd.rstrip(os.sep) + os.sep).replace(os.sep, "/"))


# Settings as text


_IMPLIED = {
    "select": 'select = ["ALL"]',
    "spec": "# spec: detected for each file",
    "origin": "# origin: unknown",
    "provider": "# provider: unknown",
    "baseline": "# baseline: none",
    "level": 'level = "warning"',
}


def as_toml(config: Config) -> str:
    """The whole configuration as a file states it; a comment tells the folders of its patterns."""
    stated = _settings(config)
    lines, tables = [], []
    patterns = (*config.exclude, *config.extend_exclude, *config.per_file_ignores, *config.per_file_spec)
    bases = {entry.base for entry in patterns}
    if bases:
        lines.append(f"# patterns are relative to {' and '.join(escaped(base) for base in sorted(bases))}")
    for key in KEYS:
        value = stated.get(key)
        if value is None and key in _IMPLIED:
            lines.append(_IMPLIED[key])
        elif key == "rules":
            tables += [f"[rules.{_toml(rule)}]\nlevel = {_toml(of['level'])}\n" for rule, of in (value or {}).items()]
        elif key not in TABLES:
            default = [] if key in LISTS else Config._field_defaults[key.replace("-", "_")]
            lines.append(f"{key} = {_toml(default if value is None else value)}")
        elif value:
            entries = "".join(f"{_toml(name)} = {_toml(values)}\n" for name, values in value.items())
            tables.append(f"[{key}]\n{entries}")
    return "\n".join(["\n".join(lines) + "\n", *tables])


def _toml(value: Any) -> str:
    import json

    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
