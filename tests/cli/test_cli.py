"""The command line: options, exit codes, streams and files; real processes where the process matters."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import agentskills_lint
from agentskills_lint import cli
from agentskills_lint.about import VERSION
from agentskills_lint.documents import Skill
from agentskills_lint.reporters import FORMATS
from agentskills_lint.rule import Rule, advice, load_rules
from tests.support import clean_skill

CLEAN = clean_skill("agentskills")
NAMELESS = CLEAN.replace("name: pay-invoice\n", "")
WARNED = CLEAN + "\n<!-- agentskills-lint: ignore[no-such-rule] -->\n"
NOTED = CLEAN + "\n<!-- agentskills-lint: ignore[name-missing] -->\n"

RULES = "--select=SKL101,SKL990,SKL991"
"""An error (name-missing), a warning (suppression-unknown) and a note (suppression-unused)."""

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a repository with one clean skill."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath(".git").mkdir()
    put("pay-invoice", CLEAN)
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """The command line in this process."""

    def call(*words: str) -> Run:
        capsys.readouterr()
        code = cli.main(list(words))
        return Run(code, *capsys.readouterr())

    return call


def put(folder: str, text: str, name: str = "SKILL.md") -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, name).write_text(text, encoding="utf-8")


def command(*words: str, program: Sequence[str] = ("-m", "agentskills_lint")) -> dict[str, Any]:
    path = str(Path(agentskills_lint.__file__).parents[1])
    return {"args": [sys.executable, *program, *words], "env": {**os.environ, "PYTHONPATH": path}}


def process(*words: str, stdin: bytes = b"", environment: dict[str, str] | None = None, encoding: str = "utf-8") -> Run:
    """The command line in a process of its own."""
    settings = command(*words)
    settings["env"] |= environment or {}
    done = subprocess.run(**settings, input=stdin, capture_output=True, timeout=60)
    return Run(done.returncode, done.stdout.decode(encoding, "surrogateescape"), done.stderr.decode(encoding))


def places(out: str) -> list[str]:
    """The flake8 report without its messages."""
    found = [re.fullmatch(r"([^:]+:\d+:\d+: SKL\d{3}) .+", line) for line in out.splitlines()]
    return [match[1] if match else "?" for match in found]


NAMELESS_PLACE = "a/SKILL.md:1:1: SKL101"


# Exit codes


def test_nothing_found_is_0_and_findings_are_1(run: Callable[..., Run]) -> None:
    assert run(RULES, "--format=flake8") == Run(0, "", "")
    put("a", NAMELESS)
    found = run(RULES, "--format=flake8")
    assert (found.code, places(found.out), found.err) == (1, [NAMELESS_PLACE], "")


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (NAMELESS, [], 1),
        (NAMELESS, ["--fail-on=error"], 1),
        (NAMELESS, ["--fail-on=never"], 0),
        (NAMELESS, ["--exit-zero"], 0),
        (NAMELESS, ["--ignore=name-missing"], 0),
        (WARNED, [], 1),
        (WARNED, ["--level=error"], 1),
        (WARNED, ["--fail-on=error"], 0),
        (WARNED, ["--fail-on=error", "--level=error"], 0),
        (WARNED, ["--no-suppressions"], 0),
        (NOTED, [], 0),
        (NOTED, ["--level=note"], 0),
        (NOTED, ["--fail-on=note"], 1),
        (NOTED, ["--fail-on=note", "--exit-zero"], 0),
    ],
)
def test_case_119_the_exit_code_is_that_of_the_fail_level_in_every_format(
    run: Callable[..., Run], text: str, options: list[str], code: int
) -> None:
    put("a", text)
    for name in FORMATS:
        assert run(RULES, f"--format={name}", *options).code == code
    assert run(RULES, "-o", "out.txt", "--report", "json=out.json", *options) == Run(code, "", "")
    assert run(RULES, "--quiet", *options).code == code


def test_what_cannot_be_read_is_2_and_the_others_go_on(run: Callable[..., Run]) -> None:
    put("a", NAMELESS)
    found = run(RULES, "--format=flake8", "a", "nope", "pay-invoice")
    assert (found.code, places(found.out)) == (2, [NAMELESS_PLACE])
    assert found.err == "agentskills-lint: error: nope: No such file or directory\n"
    for options in (["--exit-zero"], ["--fail-on=never"], ["--allow-empty"], ["--format=json"]):
        assert run(RULES, "a", "nope", *options).code == 2


def test_a_rule_that_fails_is_2(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def bomb(skill: Skill, ask: object) -> Any:
        raise ZeroDivisionError("no")

    rule = Rule("bomb", "SKL000", Skill, (), (), None, {"advice": advice("note")}, bomb)
    rules = (rule, *load_rules())
    monkeypatch.setattr("agentskills_lint.rule.load_rules", lambda: rules)
    put("a", NAMELESS)
    found = run("--select=SKL101,SKL000", "--format=flake8", "--exit-zero", "a")
    assert found.code == 2
    assert NAMELESS_PLACE in places(found.out)


def test_nothing_to_lint_is_2_and_says_where_it_looked(run: Callable[..., Run], here: Path) -> None:
    for name in ("empty", "other", ".git", "node_modules"):
        Path(name).mkdir(exist_ok=True)
    assert run("empty", "other", "--format=flake8") == Run(
        2, "", "agentskills-lint: error: nothing to lint in empty, other (--allow-empty makes this no error)\n"
    )
    put("notes", "text", "notes.txt")
    assert run("notes/notes.txt", "--format=flake8").err == (
        "agentskills-lint: error: nothing to lint in notes/notes.txt (--allow-empty makes this no error)\n"
        "agentskills-lint: note: notes/notes.txt: passed over: no kind of file that is linted\n"
    )
    assert run("empty", "--allow-empty", "--format=flake8") == Run(0, "", "")
    assert run("empty", "--exit-zero").code == 2
    assert json.loads(run("empty", "--format=json").out)["findings"] == []


def test_an_empty_run_names_ten_of_the_paths_that_were_passed_over(run: Callable[..., Run]) -> None:
    for number in range(12):
        put(f"tree/n{number:02}/node_modules", CLEAN)
    lines = run("tree").err.splitlines()
    assert lines[0] == "agentskills-lint: error: nothing to lint in tree (--allow-empty makes this no error)"
    assert lines[1] == "agentskills-lint: note: tree/n00/node_modules: passed over: never holds skills"
    assert lines[11:] == ["agentskills-lint: note: 2 more were passed over (--verbose lists them)"]


def test_a_working_directory_that_is_gone_is_2(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "getcwd", gone)
    assert run() == Run(2, "", "agentskills-lint: error: the working directory does not exist any more\n")


def test_no_rule_selected_is_2(run: Callable[..., Run]) -> None:
    assert run("--ignore=ALL") == Run(2, "", "agentskills-lint: error: no rule is selected\n")


def test_an_internal_error_is_2_without_a_traceback(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(name: str) -> Any:
        raise KeyError("style")

    monkeypatch.setattr("agentskills_lint.reporters.load", failing)
    message = "agentskills-lint: error: internal error: KeyError: 'style' (--verbose shows where)\n"
    assert run() == Run(2, "", message)
    shown = run("--verbose").err
    assert shown.startswith("Traceback (most recent call last):\n")
    assert shown.endswith(message)


# Usage


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--selct=SKL1"], "unknown option '--selct', did you mean --select? (--help lists the options)"),
        (["--sel", "SKL1"], "unknown option '--sel', did you mean --select? (--help lists the options)"),
        (["a", "-x"], "unknown option '-x' (a path that begins with - stands behind -- or as ./-x)"),
        (["--format", "josn"], "argument --format: 'josn' is none of"),
        (["--format"], "argument --format: expected one argument"),
        (["--color=yes"], "argument --color: 'yes' is none of auto, always, never"),
        (["--report", "json"], "argument --report: expected FORMAT=FILE"),
        (["--report", "json="], "argument --report: expected FORMAT=FILE"),
        (["--report", "xml=a"], "argument --report: 'xml' is none of"),
        (["-o", ""], "argument -o/--output: the file has no name"),
        (["-o", "a", "--report", "json=./a"], "two reports would be written to one file"),
        (["--quiet", "-v"], "--quiet and --verbose contradict each other"),
        (["--config=a", "--isolated"], "--config and --isolated contradict each other"),
        (["a", "--stdin-filename=x"], "--stdin-filename needs the path -"),
        ([""], "a path is empty"),
        (["--select", "nope,SKL1"], "--select: unknown rule 'nope'\n"),
        (["--ignore", "name-mising"], "--ignore: unknown rule 'name-mising', did you mean 'name-missing'?\n"),
        (["--extend-select", "skl101"], "--extend-select: unknown rule 'skl101', did you mean 'SKL101'?\n"),
        (["--select="], "--select: an empty list would choose nothing\n"),
        (["--spec=wps"], "--spec: unknown spec 'wps', did you mean 'wsp'?\n"),
        (["--level=info"], "--level: 'info' is none of error, warning or note\n"),
        (["--fail-on=warn"], "--fail-on: 'warn' is none of error, warning, note or never, did you mean 'warning'?\n"),
        (["--origin=acme.example"], "--origin: 'acme.example' is no address that begins with https:// or http://\n"),
        (["--exclude=../x"], "--exclude: pattern '../x' cannot lead out of its folder with '..'\n"),
        (["--per-file-ignores=a"], "--per-file-ignores: 'a' is not of the form pattern:rule\n"),
        (["--explain", "name-mising"], "--explain: unknown rule 'name-mising', did you mean 'name-missing'?\n"),
        (["--explain"], "argument --explain: expected at least one argument"),
        (["--config=nope.toml"], "--config: cannot read nope.toml: No such file or directory\n"),
        (["\x1b[31m", "--level=\x1b"], "--level: '\\x1b' is none of error, warning or note\n"),
    ],
)
def test_mistakes_are_one_line_on_standard_error(run: Callable[..., Run], words: list[str], message: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"agentskills-lint: error: {message}")
    assert err.count("\n") == 1


def test_all_mistakes_of_file_and_options_are_told(run: Callable[..., Run], here: Path) -> None:
    here.joinpath("agentskills-lint.toml").write_text('levle = "note"\n\nselect = ["nope"]\n', encoding="utf-8")
    assert run("--level=x", "--spec=y") == Run(
        2,
        "",
        "agentskills-lint: error: agentskills-lint.toml:1: unknown setting 'levle', did you mean 'level'?\n"
        "agentskills-lint: error: agentskills-lint.toml:3: select: unknown rule 'nope'\n"
        "agentskills-lint: error: --level: 'x' is none of error, warning or note\n"
        "agentskills-lint: error: --spec: unknown spec 'y'"
        " (one of agentskills, discovery, dualnova, wsp, advice or claude)\n",
    )
    assert run("--isolated", RULES).code == 0


def test_options_and_paths_stand_in_any_order(run: Callable[..., Run]) -> None:
    put("a", NAMELESS)
    put("b", NAMELESS)
    put("-c", NAMELESS)
    both = [NAMELESS_PLACE, "b/SKILL.md:1:1: SKL101"]
    for words in (
        [RULES, "a", "--format", "flake8", "b"],
        ["a", RULES, "--format=flake8", "--", "b"],
        ["--format=flake8", "b", "a", "--select", "SKL101", "a"],
    ):
        assert places(run(*words).out) == both
    for words in (["--", "-c"], ["--", "-c/SKILL.md", "a"], ["./-c"]):
        assert "-c/SKILL.md:1:1: SKL101" in places(run(RULES, "--format=flake8", *words).out)


def test_selectors_are_divided_by_commas_or_blanks_and_add_up(run: Callable[..., Run]) -> None:
    put("a", NAMELESS.replace("# Pay", "<!-- agentskills-lint: ignore[nope] -->\n\n# Pay", 1))
    text = [
        ("--select=SKL1,SKL990", 2),
        ("--select=name-missing suppression-unknown", 2),
        ("--select=SKL101 --select=SKL990", 2),
        ("--select=SKL990", 1),
        ("--select=SKL99 --extend-select=SKL101", 2),
        ("--select=SKL1,SKL990 --ignore=SKL9", 2),
        ("--select=SKL1,SKL9 --ignore=SKL990", 1),
        ("--select=SKL1,SKL9 --ignore=SKL990 --extend-ignore=name-missing", 0),
    ]
    for options, count in text:
        words = re.split(r" (?=--)", options)
        assert len(run("--format=flake8", "a", *words).out.splitlines()) == count, options


def test_patterns_of_the_command_line_are_relative_to_the_working_directory(
    run: Callable[..., Run], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("x/a", "x/b", "x/old/c"):
        put(name, NAMELESS)
    monkeypatch.chdir(here / "x")

    def found(*words: str) -> list[str]:
        return [place.split("/")[-2] for place in places(run(RULES, "--format=flake8", *words).out)]

    assert found() == ["a", "b", "c"]
    assert found("--exclude=/old,b") == ["a"]
    assert found("--exclude=/x/a") == ["a", "b", "c"]
    assert found("--exclude", "a", "--extend-exclude", "old/") == ["b"]
    assert found("--exclude=a", "a", "b") == ["a", "b"]
    assert found("--exclude=a", "--force-exclude", "a", "b") == ["b"]
    assert found("--per-file-ignores", "a:SKL101 old/**:name-missing") == ["b"]
    assert found("--per-file-ignores=a:SKL1", "--per-file-ignores=b:SKL1") == ["c"]
    here.joinpath(".gitignore").write_text("old\n", encoding="utf-8")
    assert found() == ["a", "b"]
    assert found("--no-respect-gitignore") == ["a", "b", "c"]


def test_specs_and_configuration_reach_the_run(run: Callable[..., Run], here: Path) -> None:
    put("a", NAMELESS)
    assert run("--select=SKL101", "--spec=advice", "a").code == 0
    assert run("--select=SKL101", "--spec=advice, wsp", "a").code == 1
    assert run("--select=SKL101", "--spec=advice", "--extend-spec=wsp", "a").code == 1
    here.joinpath("agentskills-lint.toml").write_text('select = ["SKL1"]\n[rules.name-missing]\nlevel = "note"\n')
    assert run("a").code == 0
    assert run("--isolated", "--select=SKL101", "a").code == 1
    here.joinpath("other.toml").write_text('select = ["SKL1"]\nfail-on = "never"\n')
    assert run("--config", "other.toml", "a").code == 0


# Standard input


def test_standard_input_stands_for_a_file(run: Callable[..., Run], here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(text: str, *words: str) -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return run("--format=flake8", RULES, *words)

    place = "pay-invoice/SKILL.md:1:1: SKL101"
    for words in (["-", "--stdin-filename=pay-invoice/SKILL.md"], ["--stdin-filename", "pay-invoice/SKILL.md"]):
        assert places(piped(NAMELESS, *words).out) == [place]
        assert piped(CLEAN, *words) == Run(0, "", "")
    assert places(piped(NAMELESS, ".", "-", "--stdin-filename=pay-invoice/SKILL.md").out) == [place]
    assert places(piped(NAMELESS, "--stdin-filename=new/SKILL.md").out) == ["new/SKILL.md:1:1: SKL101"]
    assert places(piped(NAMELESS, "-").out) == ["-:1:1: SKL101"]
    assert piped(NAMELESS, "--stdin-filename=a.txt").code == 2
    monkeypatch.setattr(sys, "stdin", None)
    assert run("-") == Run(2, "", "agentskills-lint: error: standard input is closed\n")


def test_standard_input_is_read_as_bytes(here: Path) -> None:
    found = process("-", "--format=flake8", "--select=SKL101", stdin=NAMELESS.replace("\n", "\r\n").encode() + b"\xff")
    assert found.err == ""
    assert found.code in (0, 1)


# Output


def test_reports_are_written_to_files(run: Callable[..., Run], here: Path) -> None:
    put("a", NAMELESS)
    found = run(RULES, "a", "-o", "main.txt", "--report", "json=r/one.json", "--report", "flake8=two.txt")
    assert found.code == 2
    assert found.err == "agentskills-lint: error: cannot write r/one.json: No such file or directory\n"
    assert places(here.joinpath("two.txt").read_text(encoding="utf-8")) == [NAMELESS_PLACE]
    assert "name-missing" in here.joinpath("main.txt").read_text(encoding="utf-8")
    here.joinpath("r").mkdir()
    found = run(RULES, "a", "--format=flake8", "--report", "json=r/one.json")
    assert (found.code, places(found.out), found.err) == (1, [NAMELESS_PLACE], "")
    assert json.loads(here.joinpath("r/one.json").read_text(encoding="utf-8"))["findings"][0]["rule"] == "name-missing"
    assert places(run(RULES, "a", "--format=flake8", "-o", "-").out) == [NAMELESS_PLACE]
    assert sorted(path.name for path in here.iterdir()) == [".git", "a", "main.txt", "pay-invoice", "r", "two.txt"]


def test_a_file_that_cannot_be_replaced_stays_as_it_was(
    run: Callable[..., Run], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.joinpath("out.txt").write_text("old", encoding="utf-8")

    def failing(source: str, target: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", failing)
    assert run(RULES, "-o", "out.txt") == Run(
        2, "", "agentskills-lint: error: cannot write out.txt: Permission denied\n"
    )
    assert here.joinpath("out.txt").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in here.iterdir()) == [".git", "out.txt", "pay-invoice"]


@posix_only
def test_files_keep_their_mode_and_links_stay_links(run: Callable[..., Run], here: Path) -> None:
    here.joinpath("real.txt").touch(mode=0o640)
    here.joinpath("link.txt").symlink_to("real.txt")
    umask = os.umask(0o027)
    try:
        assert run(RULES, "-o", "link.txt", "--report", "json=new.json").code == 0
    finally:
        os.umask(umask)
    assert here.joinpath("link.txt").is_symlink()
    assert here.joinpath("real.txt").stat().st_mode & 0o777 == 0o640
    assert here.joinpath("real.txt").read_text(encoding="utf-8") != ""
    assert here.joinpath("new.json").stat().st_mode & 0o777 == 0o640
    assert run(RULES, "-o", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("options", "environment", "colored"),
    [
        ([], {}, False),
        (["--color=always"], {}, True),
        (["--color=always"], {"NO_COLOR": "1"}, True),
        (["--color=never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": ""}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colors(
    run: Callable[..., Run],
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    environment: dict[str, str],
    colored: bool,
) -> None:
    put("a", NAMELESS)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run(RULES, *options).out) == colored
    assert run(RULES, "-o", "out.txt", "--report", "text=more.txt", *options).code == 1
    for name in ("out.txt", "more.txt"):
        assert ("\x1b[" in here.joinpath(name).read_text(encoding="utf-8")) == ("--color=always" in options)


@posix_only
@pytest.mark.parametrize(
    ("environment", "colored"), [({}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)]
)
def test_a_terminal_gets_colors(here: Path, environment: dict[str, str], colored: bool) -> None:
    import pty

    put("a", NAMELESS)
    leader, follower = pty.openpty()
    settings = command(RULES)
    settings["env"] |= {"TERM": "xterm", **environment}
    with subprocess.Popen(**settings, stdout=follower, stdin=follower, stderr=subprocess.PIPE) as started:
        os.close(follower)
        output = b""
        try:
            while chunk := os.read(leader, 4096):
                output += chunk
        except OSError:
            pass
        assert started.wait(60) == 1
    os.close(leader)
    assert (b"\x1b[" in output) == colored
    assert b"name-missing" in output


def test_style_reaches_the_reporter(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    styles = []

    class Reporter:
        def render(self, report: Any, style: Any) -> str:
            styles.append(tuple(style))
            return ""

    monkeypatch.setattr("agentskills_lint.reporters.load", lambda name: Reporter())
    for option in ("--color=always", "--verbose", "--quiet", "--statistics", "--show-files"):
        assert run(option) == Run(0, "", "")
    assert styles == [(*(index == place for place in range(5)), "", "", "warning") for index in range(5)]
    assert run("--sarif-root=.", "--sarif-category=docs", "--fail-on=error") == Run(0, "", "")
    assert styles[5] == (False, False, False, False, False, ".", "docs", "error")


# The process


def test_a_console_without_unicode_is_no_hindrance(here: Path) -> None:
    put("日本 é", CLEAN.replace("name: pay-invoice\n", ""))
    for encoding in ("cp1252", "ascii", "utf-8"):
        environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        text = process(RULES, "日本 é", "nö", environment=environment, encoding=encoding)
        assert text.code == 2
        assert text.err == "agentskills-lint: error: nö: No such file or directory\n".replace(
            "ö", "\\xf6" if encoding == "ascii" else "ö"
        )
        assert ("\\u65e5\\u672c" in text.out) == (encoding != "utf-8")
        flat = process(RULES, "日本 é", "--format=flake8", environment=environment)
        assert (places(flat.out), flat.err) == (["日本 é/SKILL.md:1:1: SKL101"], "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names are text elsewhere")
def test_a_path_that_is_no_text_is_printed(here: Path) -> None:
    folder = os.fsencode(here) + b"/caf\xe9"
    os.mkdir(folder)
    Path(os.fsdecode(folder), "SKILL.md").write_text(NAMELESS, encoding="utf-8")
    for name in FORMATS:
        found = process("--select=SKL101", f"--format={name}")
        assert (found.code, found.err) == (1, "")
        assert {"sarif": "caf%E9", "summary": "caf&#92;udce9"}.get(name, "caf\\udce9") in found.out


@posix_only
def test_a_closed_pipe_leaves_the_exit_code_and_no_traceback(here: Path) -> None:
    for number in range(300):
        put(f"many/skill-{number}", NAMELESS)
    for words, code in (([RULES], 1), ([RULES, "--format=json"], 1), ([RULES, "--exit-zero"], 0), (["--help"], 0)):
        reader, writer = os.pipe()
        os.close(reader)
        with subprocess.Popen(**command(*words), stdout=writer, stderr=subprocess.PIPE) as started:
            os.close(writer)
            _, err = started.communicate(timeout=60)
        assert (started.returncode, err) == (code, b"")


@posix_only
def test_a_reader_that_stops_early_leaves_the_exit_code(here: Path) -> None:
    for number in range(600):
        put(f"many/skill-{number}", NAMELESS)
    with subprocess.Popen(**command(RULES, "--format=json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        assert os.read(started.stdout.fileno(), 1) == b"{"
        started.stdout.close()
        err = started.stderr.read()
        assert (started.wait(60), err) == (1, b"")


@posix_only
def test_output_that_cannot_be_written_is_2(here: Path) -> None:
    for redirected, message in ((">&-", b"agentskills-lint: error: standard output is closed\n"), (">&- 2>&-", b"")):
        settings = command("--format=json")
        settings["args"] = ["sh", "-c", f'exec "$@" {redirected}', "sh", *settings["args"]]
        done = subprocess.run(**settings, capture_output=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (2, b"", message)
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            done = subprocess.run(**command("--format=json"), stdout=full, stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == 2
        assert done.stderr == b"agentskills-lint: error: cannot write to standard output: No space left on device\n"


@posix_only
def test_an_interrupt_is_130_without_a_traceback(here: Path) -> None:
    with subprocess.Popen(
        **command("-", "--verbose"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as started:
        assert started.stdin is not None
        # the process is inside the run as soon as it takes more than the pipe can hold
        started.stdin.write(b"x" * 1_000_000)
        started.stdin.flush()
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, b"", b"agentskills-lint: error: interrupted\n")


# About


def test_version(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    python = ".".join(str(part) for part in sys.version_info[:3])
    assert run("--version") == Run(0, f"agentskills-lint {VERSION} (Python {python}, PyYAML with libyaml)\n", "")
    found = PathFinder.find_spec
    monkeypatch.setattr(
        PathFinder,
        "find_spec",
        lambda name, path=None, target=None: None if name == "yaml._yaml" else found(name, path),
    )
    assert run("--version").out == (
        f"agentskills-lint {VERSION} (Python {python}, PyYAML without libyaml)\n"
        "note: PyYAML was installed without its C loader: the findings are the same, but reading is slower\n"
    )


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(here: Path, option: str) -> None:
    code = f"import sys, agentskills_lint.cli as c; c.main([{option!r}]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(**command(program=("-c", code)), capture_output=True, text=True, check=True)
    assert done.stdout
    ours = {name for name in done.stderr.split() if name.startswith("agentskills_lint")}
    names = ("", ".about", ".cli", ".console", ".options")
    assert ours == {f"agentskills_lint{name}" for name in names}
    assert not {"yaml", "pyromark", "json", "shutil", "inspect", "dataclasses"} & set(done.stderr.split())


def test_a_plain_run_loads_nothing_that_it_does_not_need(here: Path) -> None:
    here.joinpath(".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    here.joinpath("pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    code = "import sys, agentskills_lint.cli as c; c.main([]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(**command(program=("-c", code)), capture_output=True, text=True, check=True)
    heavy = {"asyncio", "dataclasses", "difflib", "httpx", "importlib.metadata", "jsonschema", "langcodes", "pathspec",
             "pygls", "rich", "tempfile", "tomllib", "subprocess", "shutil", "argparse.shutil"}  # fmt: skip
    assert heavy & set(done.stderr.split()) == set()


def test_help_names_every_option_of_the_issue(run: Callable[..., Run]) -> None:
    text = run("--help").out
    assert text.startswith("usage: agentskills-lint [OPTIONS] [PATH ...]\n")
    for option in (
        "--stdin-filename", "--spec", "--extend-spec", "--format", "--report", "--output", "--select", "--ignore",
        "--extend-select", "--extend-ignore", "--per-file-ignores", "--exclude", "--extend-exclude", "--level",
        "--fail-on", "--exit-zero", "--quiet", "--verbose", "--statistics", "--show-files", "--show-settings",
        "--list-rules", "--explain", "--origin", "--config", "--isolated", "--version", "--allow-empty",
        "--no-suppressions", "--color", "--sarif-root", "--sarif-category",
    ):  # fmt: skip
        assert f"{option} " in text or f"{option}\n" in text, option


def test_list_rules(run: Callable[..., Run]) -> None:
    rules = load_rules()
    table = run("--list-rules").out.splitlines()
    assert re.fullmatch(r"code +level +fix +id +summary", table[0])
    assert [line.split()[0] for line in table[1:]] == [rule.code for rule in rules]
    missing = next(rule for rule in rules if rule.id == "name-missing")
    assert re.search(rf"(?m)^SKL101  error +- +name-missing +{re.escape(missing.summary)}$", "\n".join(table))
    listed = json.loads(run("--list-rules", "--format=json").out)
    assert [entry["code"] for entry in listed] == [rule.code for rule in rules]
    assert set(listed[0]) == {"code", "id", "level", "fix", "summary", "url"}


def test_explain_takes_ids_and_codes(run: Callable[..., Run]) -> None:
    one = run("--explain", "name-missing")
    assert one.code == 0
    assert one.out.startswith("SKL101 name-missing\n")
    assert run("--explain", "SKL101") == run("--explain", "skl101") == one
    several = run("--explain", "name-missing", "SKL990")
    assert several == run("--explain", "SKL101,SKL990") == run("--explain=SKL101", "--explain=SKL990")
    assert [line for line in several.out.splitlines() if re.match(r"SKL\d{3} ", line)] == [
        "SKL101 name-missing",
        "SKL990 suppression-unknown",
    ]


def test_show_settings_is_a_configuration_file_with_the_reasons(run: Callable[..., Run], here: Path) -> None:
    here.joinpath("agentskills-lint.toml").write_text('level = "note"\nexclude = ["old"]\n', encoding="utf-8")
    shown = run("--show-settings", "--select=SKL1", "--fail-on=error", "--spec=wsp")
    assert shown == Run(
        0,
        f"# read from {here}/agentskills-lint.toml\n".replace(os.sep, "/")
        + f"# patterns are relative to {here.as_posix()}\n"
        'select = ["SKL1"]\nignore = []\nextend-select = []\nextend-ignore = []\nexclude = ["old"]\n'
        'extend-exclude = []\nspec = ["wsp"]\nextend-spec = []\nlevel = "note"\nfail-on = "error"\n'
        "# origin: unknown\n# provider: unknown\n# baseline: none\n"
        "force-exclude = false\nrespect-gitignore = true\nsuppressions = true\n"
        "\n# judged by:\n# pay-invoice/SKILL.md: wsp (chosen), advice (always)\n",
        "",
    )
    here.joinpath("again.toml").write_text(shown.out, encoding="utf-8")
    again = run("--show-settings", "--config=again.toml").out
    assert again == shown.out.replace("agentskills-lint.toml", "again.toml")
    assert run("--show-settings", "--isolated").out.startswith('# no configuration file\nselect = ["ALL"]\n')


def test_the_package_is_a_program(here: Path) -> None:
    assert process("--version").out.startswith(f"agentskills-lint {VERSION} ")
    assert process("--version", "--bad").code == 2


@pytest.mark.parametrize("options", [["-o", "a/SKILL.md"], ["--report", "json=./a/SKILL.md"]])
def test_a_report_never_overwrites_what_is_linted(run: Callable[..., Run], options: list[str]) -> None:
    put("a", NAMELESS)
    done = run("a", *options)
    assert (done.code, done.out) == (2, "")
    assert (
        done.err
        == f"agentskills-lint: error: the report would overwrite {options[1].removeprefix('json=')}, which is linted\n"
    )
    assert Path("a/SKILL.md").read_text(encoding="utf-8") == NAMELESS
