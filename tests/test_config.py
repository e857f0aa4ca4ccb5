"""Configuration: files, layers, selection, and what is said of mistakes."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentskills_lint.config import (
    Choices,
    Config,
    ConfigError,
    Loaded,
    PathPatterns,
    as_toml,
    check,
    find,
    load,
)
from agentskills_lint.discovery import project
from agentskills_lint.documents import Skill
from agentskills_lint.engine import lint
from agentskills_lint.rule import Rule, advice
from tests.support import clean_skill


def _rule(id: str, code: str) -> Rule:
    return Rule(id, code, Skill, (), (), None, {"advice": advice("warning")}, lambda skill, ask: ())


RULES = (
    _rule("name-missing", "SKL101"),
    _rule("name-kebab-case", "SKL201"),
    _rule("name-length", "SKL202"),
    _rule("link-broken", "SKL706"),
)


def write(root: Path, name: str, text: str) -> str:
    root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
    root.joinpath(name).write_text(text, encoding="utf-8")
    return str(root / name)


def loaded(cwd: Path, options: dict[str, Any] | None = None, **how: Any) -> Loaded:
    return load(RULES, options or {}, str(cwd), **how)


def config_of(cwd: Path, text: str, options: dict[str, Any] | None = None) -> Config:
    write(cwd, "agentskills-lint.toml", text)
    return loaded(cwd, options).config


def problems_of(cwd: Path, text: str = "", options: dict[str, Any] | None = None, **how: Any) -> tuple[str, ...]:
    if text:
        write(cwd, "agentskills-lint.toml", text)
    with pytest.raises(ConfigError) as caught:
        loaded(cwd, options, **how)
    return caught.value.problems


def selected(config: Config) -> list[str]:
    ignored = Choices(config, RULES).ignored_ids("/r/a/SKILL.md")
    assert ignored == {rule.id for rule in RULES if not config.selects(rule)}
    return [rule.code for rule in RULES if rule.id not in ignored]


# Files


def test_every_setting_is_read(tmp_path: Path) -> None:
    base = tmp_path.as_posix()
    assert config_of(
        tmp_path,
        """
        select = ["ALL"]
        ignore = ["SKL2", "link-broken"]
        extend-select = ["name-length"]
        extend-ignore = ["SKL7"]
        exclude = ["fixtures/"]
        extend-exclude = ["./tmp"]
        force-exclude = true
        respect-gitignore = false
        spec = ["wsp"]
        extend-spec = ["claude"]
        level = "note"
        fail-on = "never"
        origin = "https://acme.example/docs/"
        suppressions = false

        [per-file-ignores]
        "a/**" = ["SKL1", "name-length"]

        [per-file-spec]
        "public/" = ["dualnova", "wsp"]

        [sections]
        "Error handling" = ["Errors", "When it fails"]

        [rules.name-missing]
        level = "off"
        [rules.SKL706]
        level = "error"
        """,
    ) == Config(
        select=("ALL",),
        ignore=("SKL2", "link-broken"),
        extend_select=("name-length",),
        extend_ignore=("SKL7",),
        exclude=(PathPatterns(base, "fixtures/"),),
        extend_exclude=(PathPatterns(base, "/tmp"),),
        force_exclude=True,
        respect_gitignore=False,
        spec=("wsp",),
        extend_spec=("claude",),
        level="note",
        fail_on="never",
        origin="https://acme.example/docs",
        suppressions=False,
        per_file_ignores=(PathPatterns(base, "a/**", ("SKL1", "name-length")),),
        per_file_spec=(PathPatterns(base, "public/", ("dualnova", "wsp")),),
        sections={"Error handling": ("Errors", "When it fails")},
        levels={"name-missing": "off", "link-broken": "error"},
    )


def test_the_nearest_file_is_used(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    names = []
    for path, text in (
        ("pyproject.toml", "[tool.agentskills-lint]\n"),
        (".agentskills-lint.toml", ""),
        ("agentskills-lint.toml", ""),
        ("a/pyproject.toml", "[tool.other]\nagentskills-lint = 1\n"),
        ("a/pyproject.toml", "[tool]\nagentskills-lint.level = 'note'\n"),
        ("a/b/.agentskills-lint.toml", ""),
    ):
        written = write(tmp_path, path, text)
        names.append(find(str(deep)) == written)
    assert names == [True, True, True, False, True, True]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("[project]\nname = 'x'\n", False),
        ("[project]\ndependencies = ['agentskills-lint']\n", False),
        ("[tool.agentskills-lint-extra]\n", False),
        ("[tool.agentskills-lint.rules.name-missing]\nlevel = 'off'\n", True),
        ("tool = 'agentskills-lint'\n", False),
        ("# agentskills-lint\nbroken = \n", False),
        ("[tool.agentskills-lint]\nbroken = \n", True),
        ("[tool.agentskills-lint]\nlevel = 'note'\n[tool.x]\nbroken = \n", True),
    ],
)
def test_a_pyproject_counts_only_with_our_table(tmp_path: Path, text: str, counts: bool) -> None:
    above = write(tmp_path, "agentskills-lint.toml", "")
    mine = write(tmp_path, "a/pyproject.toml", text)
    assert find(str(tmp_path / "a")) == (mine if counts else above)


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    assert loaded(tmp_path) == Loaded(Config(), ())
    write(tmp_path, "agentskills-lint.toml", 'level = "note"')
    assert loaded(tmp_path, isolated=True) == Loaded(Config(), ())
    assert loaded(tmp_path).config.level == "note"


def test_a_named_file_is_used_instead(tmp_path: Path) -> None:
    write(tmp_path, "agentskills-lint.toml", 'level = "note"')
    write(tmp_path, "ci/strict.toml", 'fail-on = "note"\nexclude = ["x"]')
    write(tmp_path, "ci/pyproject.toml", "[tool.agentskills-lint]\nlevel = 'error'\n")
    write(tmp_path, "none/pyproject.toml", "[tool.other]\n")
    config, files = loaded(tmp_path, file="ci/strict.toml")
    assert (config.level, config.fail_on) == (None, "note")
    assert config.exclude == (PathPatterns((tmp_path / "ci").as_posix(), "x"),)
    assert files == (str(tmp_path / "ci/strict.toml"),)
    assert loaded(tmp_path, file=str(tmp_path / "ci/pyproject.toml")).config.level == "error"
    assert problems_of(tmp_path, file="nope.toml") == ("--config: cannot read nope.toml: No such file or directory",)
    assert problems_of(tmp_path, file="ci") == ("--config: cannot read ci: Is a directory",)
    assert problems_of(tmp_path, file="none/pyproject.toml") == (
        "--config: none/pyproject.toml has no table [tool.agentskills-lint]",
    )


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_file_that_cannot_be_read_is_no_missing_file(tmp_path: Path) -> None:
    tmp_path.joinpath("agentskills-lint.toml").symlink_to("nowhere")
    assert problems_of(tmp_path) == ("--config: cannot read agentskills-lint.toml: No such file or directory",)


def test_extend_takes_the_settings_of_another_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        "base/lint.toml",
        'extend = "pyproject.toml"\nselect = ["SKL1"]\nextend-select = ["SKL7"]\nlevel = "note"\nexclude = ["x"]\n'
        'rules.name-length.level = "error"\nsections.Usage = ["Use"]\nper-file-ignores.a = ["SKL1"]\n',
    )
    write(tmp_path, "base/pyproject.toml", "[tool.agentskills-lint]\nfail-on = 'error'\nlevel = 'error'\n")
    write(
        tmp_path,
        "agentskills-lint.toml",
        'extend = "base/lint.toml"\nextend-select = ["SKL202"]\nextend-exclude = ["y"]\n'
        'rules.name-missing.level = "note"\nsections.Notes = ["Remarks"]\nper-file-ignores.b = ["SKL2"]\n',
    )
    config, files = loaded(tmp_path)
    base, here = (tmp_path / "base").as_posix(), tmp_path.as_posix()
    assert config == Config(
        select=("SKL1",),
        extend_select=("SKL7", "SKL202"),
        level="note",
        fail_on="error",
        exclude=(PathPatterns(base, "x"),),
        extend_exclude=(PathPatterns(here, "y"),),
        levels={"name-length": "error", "name-missing": "note"},
        sections={"Usage": ("Use",), "Notes": ("Remarks",)},
        per_file_ignores=(PathPatterns(here, "b", ("SKL2",)),),
    )
    assert files == tuple(
        str(tmp_path / name) for name in ("agentskills-lint.toml", "base/lint.toml", "base/pyproject.toml")
    )


def test_extend_in_a_circle_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "b.toml", 'level = "note"\nextend = "./x/../agentskills-lint.toml"\n')
    assert problems_of(tmp_path, 'extend = "b.toml"\n') == ("b.toml:2: extend: agentskills-lint.toml extends itself",)
    assert problems_of(tmp_path, '\nextend = "agentskills-lint.toml"\n') == (
        "agentskills-lint.toml:2: extend: agentskills-lint.toml extends itself",
    )


def test_problems_of_an_extended_file_name_that_file(tmp_path: Path) -> None:
    write(tmp_path, "base.toml", '\n\nlevel = "info"\n')
    assert problems_of(tmp_path, 'extend = "base.toml"\nselct = []\n') == (
        "base.toml:3: level: 'info' is none of error, warning or note",
        "agentskills-lint.toml:2: unknown setting 'selct', did you mean 'select'?",
    )
    assert problems_of(tmp_path, 'extend = "gone.toml"\n') == (
        "agentskills-lint.toml:1: extend: cannot read gone.toml: No such file or directory",
    )
    assert problems_of(tmp_path, "extend = 3\n") == (
        "agentskills-lint.toml:1: extend: expected a string, found an integer",
    )


# Mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\nselct = []", ["2: unknown setting 'selct', did you mean 'select'?"]),
        ("fail_on = 'note'", ["1: unknown setting 'fail_on', did you mean 'fail-on'?"]),
        ("zzz = 1", ["1: unknown setting 'zzz'"]),
        ("'a\\u001b' = 1", ["1: unknown setting 'a\\u001b'"]),
        ('"a\\u001b" = 1', ["1: unknown setting 'a\\x1b'"]),
        ("level = 'info'", ["1: level: 'info' is none of error, warning or note"]),
        ("level = 'Warning'", ["1: level: 'Warning' is none of error, warning or note, did you mean 'warning'?"]),
        ("fail-on = 'always'", ["1: fail-on: 'always' is none of error, warning, note or never"]),
        ("level = ['note']", ["1: level: expected a string, found a list"]),
        ("select = 'SKL1'", ['1: select: expected a list of strings, found a string, write ["SKL1"]']),
        ("select = 1", ["1: select: expected a list of strings, found an integer"]),
        ("select = []", ["1: select: an empty list would choose nothing"]),
        ("spec = []", ["1: spec: an empty list would choose nothing"]),
        (
            "select = [\n 'SKL1',\n 2,\n 'SKL9',\n]",
            ["3: select: expected a string, found an integer", "4: select: unknown rule 'SKL9'"],
        ),
        ("ignore = ['skl2']", ["1: ignore: unknown rule 'skl2', did you mean 'SKL2'?"]),
        ("ignore = ['all']", ["1: ignore: unknown rule 'all', did you mean 'ALL'?"]),
        ("ignore = ['']", ["1: ignore: unknown rule ''"]),
        (
            "ignore = ['Name_Kebab_Case']",
            ["1: ignore: unknown rule 'Name_Kebab_Case', did you mean 'name-kebab-case'?"],
        ),
        ("ignore = ['name-mising']", ["1: ignore: unknown rule 'name-mising', did you mean 'name-missing'?"]),
        ("spec = ['wps']", ["1: spec: unknown spec 'wps', did you mean 'wsp'?"]),
        (
            "extend-spec = ['q']",
            ["1: extend-spec: unknown spec 'q' (one of agentskills, discovery, dualnova, wsp, advice or claude)"],
        ),
        ("exclude = ['!']", ["1: exclude: pattern '!' is empty"]),
        ("exclude = ['a', '../b']", ["1: exclude: pattern '../b' cannot lead out of its folder with '..'"]),
        ("force-exclude = 'yes'", ["1: force-exclude: expected a boolean, found a string"]),
        ("force-exclude = 1", ["1: force-exclude: expected a boolean, found an integer"]),
        ("respect-gitignore = 1.5", ["1: respect-gitignore: expected a boolean, found a number"]),
        ("level = 2026-01-01", ["1: level: expected a string, found a date"]),
        ("origin = 'acme.example'", ["1: origin: 'acme.example' is no address that begins with https:// or http://"]),
        (
            "origin = 'https://a.example/?x'",
            ["1: origin: 'https://a.example/?x' has a query or a fragment, an origin has neither"],
        ),
        ("origin = 'https://u@a.example'", ["1: origin: 'https://u@a.example' holds a user name, an origin has none"]),
        ("origin = 'https://'", ["1: origin: 'https://' is no address of a site"]),
        ("origin = 'https://a b'", ["1: origin: 'https://a b' is no address of a site"]),
        ("per-file-ignores = ['a']", ["1: per-file-ignores: expected a table, found a list"]),
        (
            "[per-file-ignores]\n'a' = 'SKL1'",
            ['2: per-file-ignores.a: expected a list of strings, found a string, write ["SKL1"]'],
        ),
        (
            "[per-file-ignores]\n'!a' = ['SKL1']",
            ["2: per-file-ignores.!a: pattern '!a' begins with '!', but there is nothing here to take back"],
        ),
        ("[per-file-ignores]\na = [\n'nope']", ["3: per-file-ignores.a: unknown rule 'nope'"]),
        ("[per-file-spec]\na = ['wps']", ["2: per-file-spec.a: unknown spec 'wps', did you mean 'wsp'?"]),
        (
            "[sections]\nUsage = 'Use'",
            ['2: sections.Usage: expected a list of strings, found a string, write ["Use"]'],
        ),
        ("[sections]\nUsage = ['']", ["2: sections.Usage: a section's title is empty"]),
        ("rules = 1", ["1: rules: expected a table, found an integer"]),
        (
            "[rules]\nname-missing = 'off'",
            ['2: rules.name-missing: expected a table, found a string, write name-missing.level = "off"'],
        ),
        ("[rules.name-mising]\nlevel = 'off'", ["1: unknown rule 'name-mising', did you mean 'name-missing'?"]),
        ("[rules.SKL101]\nlevle = 'off'", ["2: unknown setting of a rule 'levle', did you mean 'level'?"]),
        (
            "[rules.SKL101]\nlevel = 'none'",
            ["2: rules.SKL101.level: 'none' is none of error, warning, note or off, did you mean 'note'?"],
        ),
        (
            "[tool.agentskills-lint]\nlevel = 'note'",
            ["1: tool.agentskills-lint: settings stand at the top of this file, not in a table"],
        ),
        ("a = 1\nselct =", ["2: Invalid value"]),
        ("level = 'note'\nlevel = 'note'\n", ["2: Cannot overwrite a value"]),
        ("a = [\n1,\n", ["2: Invalid value"]),
    ],
)
def test_mistakes_in_a_file_are_told_with_their_line(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert list(problems_of(tmp_path, text)) == [f"agentskills-lint.toml:{line}" for line in expected]


def test_all_mistakes_are_told_at_once_in_order(tmp_path: Path) -> None:
    text = '# ours\nlevel = "info"\n[rules.nope]\nlevel = "off"\n[sections]\nA = 1\n'
    assert problems_of(tmp_path, text, {"select": ["nope"], "spec": ["x"]}) == (
        "agentskills-lint.toml:2: level: 'info' is none of error, warning or note",
        "agentskills-lint.toml:3: unknown rule 'nope'",
        "agentskills-lint.toml:6: sections.A: expected a list of strings, found an integer",
        "--select: unknown rule 'nope'",
        "--spec: unknown spec 'x' (one of agentskills, discovery, dualnova, wsp, advice or claude)",
    )


def test_mistakes_in_pyproject_and_above_are_told_with_their_path(tmp_path: Path) -> None:
    path = write(tmp_path, "pyproject.toml", "[tool.agentskills-lint]\nlevle = 1\n[tool.other]\nx = 1\n")
    tmp_path.joinpath("a").mkdir()
    message = "2: unknown setting 'levle', did you mean 'level'?"
    assert problems_of(tmp_path) == (f"pyproject.toml:{message}",)
    assert problems_of(tmp_path / "a") == (f"{path}:{message}".replace(os.sep, "/"),)
    write(tmp_path, "pyproject.toml", "\n[tool]\nagentskills-lint = 3\n")
    assert problems_of(tmp_path) == ("pyproject.toml:3: expected a table, found an integer",)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"level = 'note'\n# \xff", "2: a byte that is not UTF-8"),
        (b"x = " + b"[" * 100_000, "1: nested too deeply"),
    ],
)
def test_a_file_that_is_no_toml(tmp_path: Path, raw: bytes, problem: str) -> None:
    tmp_path.joinpath("agentskills-lint.toml").write_bytes(raw)
    (found,) = problems_of(tmp_path)
    if sys.version_info >= (3, 12) and "nested" in problem:
        assert found.startswith("agentskills-lint.toml:1: ")
    else:
        assert found == f"agentskills-lint.toml:{problem}"


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    tmp_path.joinpath("agentskills-lint.toml").write_bytes(b"\xef\xbb\xbflevel = 'note'\r\n")
    assert loaded(tmp_path).config.level == "note"


# Layers


def test_options_replace_or_extend_what_the_file_says(tmp_path: Path) -> None:
    text = (
        'select = ["SKL1"]\nextend-select = ["SKL7"]\nignore = ["SKL202"]\nextend-ignore = ["SKL706"]\n'
        'exclude = ["a"]\nextend-exclude = ["b"]\nlevel = "note"\norigin = "https://a.example"\n'
        'extend-spec = ["claude"]\nper-file-spec.x = ["wsp"]\nper-file-ignores.x = ["SKL1"]\n'
    )
    write(tmp_path, "agentskills-lint.toml", text)
    cwd = tmp_path.joinpath("sub")
    cwd.mkdir()
    top, sub = tmp_path.as_posix(), cwd.as_posix()

    def with_options(**options: Any) -> Config:
        return loaded(cwd, {key.replace("_", "-"): value for key, value in options.items()}).config

    plain = with_options()
    assert with_options(select=["SKL2"]) == plain._replace(select=("SKL2",), extend_select=())
    assert with_options(extend_select=["SKL2"]) == plain._replace(extend_select=("SKL7", "SKL2"))
    assert with_options(ignore=["SKL1"]) == plain._replace(ignore=("SKL1",), extend_ignore=())
    assert with_options(extend_ignore=["SKL1"]) == plain._replace(extend_ignore=("SKL706", "SKL1"))
    assert with_options(exclude=["c"]) == plain._replace(exclude=(PathPatterns(sub, "c"),), extend_exclude=())
    assert with_options(extend_exclude=["c"]).extend_exclude == (PathPatterns(top, "b"), PathPatterns(sub, "c"))
    assert with_options(level="error", fail_on="never") == plain._replace(level="error", fail_on="never")
    assert with_options(spec=["dualnova"]) == plain._replace(spec=("dualnova",), extend_spec=(), per_file_spec=())
    assert with_options(extend_spec=["wsp"]) == plain._replace(extend_spec=("claude", "wsp"))
    assert with_options(suppressions=False) == plain._replace(suppressions=False)
    assert with_options(per_file_ignores="y:SKL7") == plain._replace(
        per_file_ignores=(PathPatterns(sub, "y", ("SKL7",)),)
    )


def test_what_is_selected_by_the_same_name_beats_what_lies_below_ignores(tmp_path: Path) -> None:
    text = 'ignore = ["SKL201", "SKL1"]\nrules.name-length.level = "off"\n'
    assert selected(config_of(tmp_path, text)) == ["SKL706"]
    assert selected(config_of(tmp_path, text, {"select": ["SKL2"]})) == []
    assert selected(config_of(tmp_path, text, {"select": ["name-kebab-case"]})) == ["SKL201"]
    assert selected(config_of(tmp_path, text, {"extend-select": ["SKL201", "SKL1"]})) == ["SKL101", "SKL201", "SKL706"]
    assert selected(config_of(tmp_path, text, {"select": ["SKL202"]})) == ["SKL202"]
    assert selected(config_of(tmp_path, text, {"select": ["SKL2"], "ignore": ["SKL201"]})) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/**:SKL1,name-length", {"a/**": ("SKL1", "name-length")}),
        ("a:SKL1 b:SKL2", {"a": ("SKL1",), "b": ("SKL2",)}),
        ("a,b:SKL1,SKL2  c:ALL", {"a": ("SKL1", "SKL2"), "b": ("SKL1", "SKL2"), "c": ("ALL",)}),
        ("a:SKL1,b:SKL2", {"a": ("SKL1",), "b": ("SKL2",)}),
        ("\n a : SKL1 , SKL2\n b:SKL7,\n", {"a": ("SKL1", "SKL2"), "b": ("SKL7",)}),
        ("a:SKL1 a:SKL2", {"a": ("SKL1", "SKL2")}),
        ("x:y/a.md:SKL1", {"x:y/a.md": ("SKL1",)}),
    ],
)
def test_per_file_ignores_in_the_form_of_flake8(tmp_path: Path, text: str, expected: dict[str, Any]) -> None:
    entries = loaded(tmp_path, {"per-file-ignores": text}).config.per_file_ignores
    assert {entry.pattern: entry.values for entry in entries} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ["'a' is not of the form pattern:rule"]),
        ("", []),
        ("a:SKL1 b", ["'b' is not of the form pattern:rule"]),
        ("a:SKL1,b,c:SKL2", ["unknown rule 'b'"]),
        ("a:", ["unknown rule ''"]),
        (":SKL1", ["pattern '' is empty"]),
        ("a:nope", ["unknown rule 'nope'"]),
    ],
)
def test_mistakes_in_per_file_ignores(tmp_path: Path, text: str, expected: list[str]) -> None:
    if expected:
        assert problems_of(tmp_path, options={"per-file-ignores": text}) == tuple(
            f"--per-file-ignores: {message}" for message in expected
        )
    else:
        assert loaded(tmp_path, {"per-file-ignores": text}).config == Config()


# What settings mean


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["SKL101", "SKL201", "SKL202", "SKL706"]),
        ({"select": ("ALL",)}, ["SKL101", "SKL201", "SKL202", "SKL706"]),
        ({"select": ("SKL2",)}, ["SKL201", "SKL202"]),
        ({"select": ("SKL20",)}, ["SKL201", "SKL202"]),
        ({"select": ("SKL",)}, ["SKL101", "SKL201", "SKL202", "SKL706"]),
        ({"select": ("link-broken", "SKL101")}, ["SKL101", "SKL706"]),
        ({"ignore": ("SKL2",)}, ["SKL101", "SKL706"]),
        ({"ignore": ("name-missing",)}, ["SKL201", "SKL202", "SKL706"]),
        ({"ignore": ("ALL",)}, []),
        ({"ignore": ("ALL",), "extend_select": ("SKL7",)}, ["SKL706"]),
        ({"select": ("SKL2",), "ignore": ("SKL201",)}, ["SKL202"]),
        ({"select": ("SKL201",), "ignore": ("SKL2",)}, ["SKL201"]),
        ({"select": ("SKL2",), "ignore": ("SKL2",)}, []),
        ({"select": ("name-length",), "ignore": ("SKL202",)}, []),
        ({"select": ("SKL1",), "extend_select": ("SKL7",)}, ["SKL101", "SKL706"]),
        ({"extend_select": ("SKL7",)}, ["SKL101", "SKL201", "SKL202", "SKL706"]),
        ({"ignore": ("SKL1",), "extend_ignore": ("SKL7",)}, ["SKL201", "SKL202"]),
        ({"levels": {"name-missing": "off", "name-length": "note"}}, ["SKL201", "SKL202", "SKL706"]),
        ({"select": ("SKL101",), "levels": {"name-missing": "off"}}, []),
    ],
)
def test_the_longest_selector_decides_and_ignoring_wins_ties(settings: dict[str, Any], expected: list[str]) -> None:
    assert selected(Config(**settings)) == expected


def test_per_file_ignores_add_up_for_files_that_match() -> None:
    config = Config(
        ignore=("SKL7",),
        per_file_ignores=(
            PathPatterns("/r", "drafts/", ("SKL1",)),
            PathPatterns("/r/", "/a/*.md", ("name-length",)),
            PathPatterns("/r/a", "*", ("SKL201",)),
        ),
    )

    def ignored(location: str) -> set[str]:
        return {rule.code for rule in RULES if rule.id in Choices(config, RULES).ignored_ids(location)}

    assert ignored("/r/x/SKILL.md") == {"SKL706"}
    assert ignored("/r/x/drafts/y/SKILL.md") == {"SKL706", "SKL101"}
    assert ignored("/r/a/SKILL.md") == {"SKL706", "SKL202", "SKL201"}
    assert ignored("/r/a/b/SKILL.md") == {"SKL706", "SKL201"}
    assert ignored("/elsewhere/drafts/SKILL.md") == {"SKL706"}


def test_matches_is_relative_to_the_folder_of_the_pattern() -> None:
    entry = PathPatterns("/r/s", "/a", ("claude",))
    choices = Choices(Config(per_file_spec=(entry, PathPatterns("/", "a/b", ("wsp",)))), RULES)
    assert choices.spec_choice("/r/s/a/SKILL.md")[0] == ("claude",)
    assert choices.spec_choice("/r/s/b/a/SKILL.md")[0] is None
    assert choices.spec_choice("/r/sa/a/SKILL.md")[0] is None
    assert choices.spec_choice("/a/b")[0] == ("wsp",)


def test_the_last_per_file_spec_that_matches_replaces_the_detection() -> None:
    config = Config(
        spec=("discovery",),
        extend_spec=("claude",),
        per_file_spec=(PathPatterns("/r", "site/**", ("wsp",)), PathPatterns("/r", "site/old/", ("dualnova",))),
    )
    assert Choices(config, RULES).spec_choice("/r/a/SKILL.md") == (("discovery",), ("claude",))
    assert Choices(config, RULES).spec_choice("/r/site/a/SKILL.md") == (("wsp",), ("claude",))
    assert Choices(config, RULES).spec_choice("/r/site/old/SKILL.md") == (("dualnova",), ("claude",))
    assert Choices(Config(), RULES).spec_choice("/r/a/SKILL.md") == (None, ())


def test_excluded_names_the_pattern() -> None:
    config = Config(
        exclude=(PathPatterns("/r", "old/"), PathPatterns("/r", "*.md"), PathPatterns("/r", "!SKILL.md")),
        extend_exclude=(PathPatterns("/r/sub", "/x"),),
    )
    assert config.excluded("/r/a/old", True) == "excluded by 'old/'"
    assert config.excluded("/r/old", False) is None
    assert config.excluded("/r/notes.md", False) == "excluded by '*.md'"
    assert config.excluded("/r/SKILL.md", False) is None
    assert config.excluded("/r/sub/x", True) == "excluded by '/x'"
    assert config.excluded("/r/x", True) is None
    assert config.excluded("/q/old", True) is None
    assert Config().excluded("/r/old", True) is None


@pytest.mark.parametrize(
    ("level", "fail_on", "shown"),
    [
        (None, "warning", "warning"),
        (None, "error", "warning"),
        (None, "note", "note"),
        (None, "never", "warning"),
        ("error", "note", "error"),
        ("note", "error", "note"),
        ("error", "never", "error"),
    ],
)
def test_what_makes_the_run_fail_is_shown_unless_a_level_is_stated(level: Any, fail_on: Any, shown: str) -> None:
    assert Config(level=level, fail_on=fail_on).shown_level == shown


def test_settings_reach_the_findings(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, f"{name}/SKILL.md", clean_skill("agentskills").replace("name: pay-invoice\n", ""))

    def found(**settings: Any) -> list[tuple[str, str, str]]:
        report = lint(project(["."], cwd=str(tmp_path)), Config(select=("SKL1",), **settings))
        return [(finding.path, finding.rule, finding.level) for finding in report.findings]

    base = tmp_path.as_posix()
    both = [("a/SKILL.md", "name-missing", "error"), ("b/SKILL.md", "name-missing", "error")]
    assert found() == both
    assert found(levels={"name-missing": "note"}) == [(path, rule, "note") for path, rule, _ in both]
    assert found(levels={"name-missing": "off"}) == []
    assert found(per_file_ignores=(PathPatterns(base, "a/", ("SKL101",)),)) == both[1:]
    assert found(per_file_spec=(PathPatterns(base, "b", ("advice",)),)) == both[:1]
    assert found(spec=("advice",)) == []


# Checking and printing


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"select": ("SKL2",)}, None),
        ({"select": ("nope",)}, "Config: select: unknown rule 'nope'"),
        ({"select": "SKL2"}, 'Config: select: expected a list of strings, found a string, write ["SKL2"]'),
        ({"spec": ("wps",)}, "Config: spec: unknown spec 'wps', did you mean 'wsp'?"),
        ({"level": "info"}, "Config: level: 'info' is none of error, warning or note"),
        ({"origin": "x"}, "Config: origin: 'x' is no address that begins with https:// or http://"),
        ({"levels": {"nope": "off"}}, "Config: unknown rule 'nope'"),
        (
            {"levels": {"name-missing": "of"}},
            "Config: rules.name-missing.level: 'of' is none of error, warning, note or off, did you mean 'off'?",
        ),
        ({"exclude": ("a",)}, "Config: exclude: expected a tuple of PathPatterns"),
        (
            {"exclude": (PathPatterns("/", "../a"),)},
            "Config: exclude: pattern '../a' cannot lead out of its folder with '..'",
        ),
        (
            {"per_file_ignores": (PathPatterns("/", "a", ("SKL9",)),)},
            "Config: per-file-ignores.a: unknown rule 'SKL9'",
        ),
        ({"suppressions": 0}, "Config: suppressions: expected a boolean, found an integer"),
    ],
)
def test_check_judges_what_was_made_by_hand(settings: dict[str, Any], problem: str | None) -> None:
    config = Config(**settings)
    if problem is None:
        check(config, RULES)
        return
    with pytest.raises(ConfigError) as caught:
        check(config, RULES)
    assert caught.value.problems == (problem,)
    assert str(caught.value) == problem
    assert isinstance(caught.value, ValueError)


def test_defaults_hold() -> None:
    check(Config(), RULES)
    assert Config(select=("SKL2",)).shown_level == "warning"


def test_settings_as_text_read_back_to_the_same(tmp_path: Path) -> None:
    base = tmp_path.as_posix()
    config = Config(
        select=("SKL1", "link-broken"),
        extend_ignore=("SKL2",),
        exclude=(PathPatterns(base, "a b/"), PathPatterns(base, '"\\#\x7f😀')),
        spec=("wsp",),
        level="note",
        fail_on="never",
        origin="https://a.example",
        levels={"name-missing": "off", "link-broken": "error"},
        sections={'Error "handling"': ("Errors",)},
        suppressions=False,
        per_file_ignores=(PathPatterns(base, "x/**", ("SKL1",)),),
        per_file_spec=(PathPatterns(base, "y", ("wsp", "dualnova")),),
    )
    assert config_of(tmp_path, as_toml(config)) == config


def test_default_settings_as_text() -> None:
    text = as_toml(Config())
    assert text == (
        'select = ["ALL"]\nignore = []\nextend-select = []\nextend-ignore = []\nexclude = []\nextend-exclude = []\n'
        '# spec: detected for each file\nextend-spec = []\nlevel = "warning"\nfail-on = "warning"\n'
        "# origin: unknown\n# provider: unknown\n# baseline: none\n"
        "force-exclude = false\nrespect-gitignore = true\nsuppressions = true\n"
    )
    tomllib.loads(text)
