"""The command line: options, what goes where, exit codes; the work is done by the library."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from agentskills_lint.config import Config
    from agentskills_lint.model import Report
    from agentskills_lint.reporters import Style
    from agentskills_lint.rule import Rule

# `--version` and `--help` must not pay for the parsers: what is ours is imported where it is used

CLEAN, FINDINGS, TROUBLE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes. TROUBLE: usage, configuration, unreadable input, internal error, nothing to lint."""

PROGRAM = "agentskills-lint"
STDIN = "-"
MOST_REASONS = 10
"""Paths that the message about an empty run names, of those that were passed over."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit code; never raises."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _main(words)
    except _RunError as error:
        for message in error.messages:
            _tell("error", message)
        return TROUBLE
    except KeyboardInterrupt:
        _tell("error", "interrupted")
        return INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else CLEAN
    except Exception as error:
        if "-v" in words or "--verbose" in words:
            import traceback

            traceback.print_exc()
        _tell("error", f"internal error: {type(error).__name__}: {error} (--verbose shows where)")
        return TROUBLE


def run() -> NoReturn:
    """The command: run `main` and leave at once; taking the modules down would cost a tenth of a short run."""
    # what is read is kept until the report is written: collecting finds nothing and costs a quarter of the run
    gc.disable()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


class _RunError(Exception):
    """What ends the run with exit code 2."""

    def __init__(self, *messages: str) -> None:
        self.messages = messages
        super().__init__(*messages)


def _main(argv: list[str]) -> int:
    options, paths = _parsed(argv)
    if options.version:
        _write(_version())
        return CLEAN

    from agentskills_lint.config import ConfigError, load
    from agentskills_lint.rule import load_rules

    rules = load_rules()
    if options.list_rules:
        _write(_listing(rules, options.format == "json"))
        return CLEAN
    if options.explain:
        _write(_explanations(options.explain, rules))
        return CLEAN
    try:
        config, files = load(rules, _settings(options), os.getcwd(), options.config, options.isolated)
    except ConfigError as error:
        raise _RunError(*error.problems) from None
    except FileNotFoundError:
        raise _RunError("the working directory does not exist any more") from None
    if not any(config.selects(rule) for rule in rules):
        raise _RunError("no rule is selected")

    from agentskills_lint import engine, sources

    project = sources.project(
        [path for path in paths if path != STDIN],
        config.excluded,
        stdin=(options.stdin_filename, _standard_input()) if STDIN in paths else None,
        respect_gitignore=config.respect_gitignore,
        force_exclude=config.force_exclude,
    )
    linted = {document.location for document in project.documents}
    for path in (options.output, *(file for _, file in options.report)):
        if path and sources.posix(path) in linted:
            raise _RunError(f"the report would overwrite {path}, which is linted")
    report = engine.lint(project, config, rules)
    if options.show_settings:
        _write(_shown_settings(config, files, report))
        return CLEAN
    for path, reason in report.unread:
        _tell("error", f"{path}: {reason}")
    code = _exit_code(report, config, options.exit_zero, options.allow_empty)
    if _is_empty(report) and not report.unread and not options.allow_empty:
        _tell_empty(report, paths)
    return TROUBLE if _publish(report, options) else code


def _exit_code(report: Report, config: Config, exit_zero: bool, allow_empty: bool) -> int:
    from agentskills_lint.model import LEVELS

    if report.unread or report.crashed or (_is_empty(report) and not allow_empty):
        return TROUBLE
    if exit_zero or config.fail_on == "never":
        return CLEAN
    failing = LEVELS[: LEVELS.index(config.fail_on) + 1]
    return FINDINGS if any(report.count(level) for level in failing) else CLEAN


def _is_empty(report: Report) -> bool:
    return not any(report.files.values())


def _tell_empty(report: Report, paths: Sequence[str]) -> None:
    _tell("error", f"nothing to lint in {', '.join(paths)} (--allow-empty makes this no error)")
    for path, reason in report.passed_over[:MOST_REASONS]:
        _tell("note", f"{path}: passed over: {reason}")
    if len(report.passed_over) > MOST_REASONS:
        _tell("note", f"{len(report.passed_over) - MOST_REASONS} more were passed over (--verbose lists them)")


# The options


class _Formatter(argparse.HelpFormatter):
    """argparse makes one for every option; left to itself it loads shutil for the width."""

    def __init__(self, prog: str, **settings: Any) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=max(min(columns, 110) - 2, 40), **settings)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _RunError(f"{message[:1].lower()}{message[1:]} (--help lists the options)")

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002
        _write(self.format_help())


def _parsed(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options and the paths, which may stand in any order; behind `--` everything is a path."""
    end = argv.index("--") if "--" in argv else len(argv)
    parser = _parser()
    options, rest = parser.parse_known_args(argv[:end])
    for word in rest:
        if word.startswith("-") and word != STDIN:
            parser.error(_unknown_option(parser, word))
    paths = [*rest, *argv[end + 1 :]]
    if options.stdin_filename is not None and STDIN not in paths:
        if paths:
            parser.error(f"--stdin-filename needs the path {STDIN}")
        paths = [STDIN]
    if "" in paths:
        parser.error("a path is empty")
    if options.isolated and options.config is not None:
        parser.error("--config and --isolated contradict each other")
    if options.quiet and options.verbose:
        parser.error("--quiet and --verbose contradict each other")
    targets = [os.path.abspath(path) for path in (options.output, *(file for _, file in options.report)) if path]
    if len(set(targets)) < len(targets):
        parser.error("two reports would be written to one file")
    return options, list(dict.fromkeys(paths)) or ["."]


def _unknown_option(parser: _Parser, word: str) -> str:
    from agentskills_lint.wording import closest, shown

    name = word.split("=")[0]
    known = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    likely = closest(name, known, 0.6) if name.startswith("--") else None
    hint = f", did you mean {likely}?" if likely else f" (a path that begins with - stands behind -- or as ./{word})"
    return f"unknown option {shown(name)}{hint}"


def _parser() -> _Parser:
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [OPTIONS] [PATH ...]",
        description="Lint agent skills and the sites that publish them.",
        epilog="PATH is a file, a skill folder, a folder of skills or a published site, or - for standard input; the"
        " default is the current folder. Exit codes: 0 nothing at or above the fail level, 1 findings,"
        " 2 usage, configuration, unreadable input or nothing to lint.",
        allow_abbrev=False,
        formatter_class=_Formatter,
    )
    add = parser.add_argument_group("what is linted").add_argument
    add("--exclude", action="append", metavar="PATTERNS", help="do not walk into these (as in .gitignore)")
    add("--extend-exclude", action="append", metavar="PATTERNS", help="the same, besides those of the configuration")
    add("--force-exclude", **_flag(True), help="exclude paths that are given on the command line, too")
    add("--respect-gitignore", **_flag(True), help=argparse.SUPPRESS)
    add("--no-respect-gitignore", **_flag(False, "respect_gitignore"), help="walk into what .gitignore files name")
    add("--stdin-filename", type=_target, metavar="FILE", help="the file that the text on standard input stands for")
    add("--allow-empty", action="store_true", help="nothing to lint is no error")

    add = parser.add_argument_group("which rules").add_argument
    add("--select", action="append", metavar="RULES", help="only these: codes, beginnings of codes, ids or ALL")
    add("--ignore", action="append", metavar="RULES", help="not these; the longest name of a rule decides")
    add("--extend-select", action="append", metavar="RULES", help="these besides those of the configuration")
    add("--extend-ignore", action="append", metavar="RULES", help="not these, besides those of the configuration")
    add("--per-file-ignores", action="append", metavar="PATTERN:RULES", help="not these in files that match")
    add("--spec", action="append", metavar="SPECS", help="judge by these specs instead of those that are detected")
    add("--extend-spec", action="append", metavar="SPECS", help="judge by these specs, too")
    add("--origin", metavar="URL", help="the address at which the site is published")
    add("--no-suppressions", **_flag(False, "suppressions"), help="heed no comment that suppresses findings")

    add = parser.add_argument_group("levels and exit code").add_argument
    add("--level", metavar="LEVEL", help="lowest level shown: error, warning (default) or note")
    add(
        "--fail-on",
        metavar="LEVEL",
        help="lowest level that gives exit code 1: error, warning (default), note or never",
    )
    add("--exit-zero", action="store_true", help="findings do not change the exit code")

    add = parser.add_argument_group("output").add_argument
    add("--format", type=_format, metavar="FORMAT", help="text (default), flake8 or json")
    add("-o", "--output", type=_target, metavar="FILE", help="write the report to a file")
    add("--report", action="append", type=_report, default=[], metavar="FORMAT=FILE", help="write one more report")
    add("--color", type=_color, default="auto", metavar="WHEN", help="auto (default), always or never")
    add("-q", "--quiet", action="store_true", help="findings only, no summary")
    add("-v", "--verbose", action="store_true", help="say what was passed over and by which specs files are judged")
    add("--statistics", action="store_true", help="count the findings of each rule")
    add("--show-files", action="store_true", help="list the skills with their size in tokens")

    add = parser.add_argument_group("configuration").add_argument
    add("--config", metavar="FILE", help="use this file, not the nearest agentskills-lint.toml or pyproject.toml")
    add("--isolated", action="store_true", help="use no configuration file")
    add("--show-settings", action="store_true", help="print the settings, and why files are judged by which specs")

    add = parser.add_argument_group("about").add_argument
    add("--list-rules", action="store_true", help="list all rules (with --format json as JSON)")
    add("--explain", action="append", nargs="+", metavar="RULE", help="print the documentation of rules")
    add("--version", action="store_true", help="print the version")
    return parser


def _flag(value: bool, dest: str | None = None) -> Any:
    """An option without a value that says nothing when it is not given: the configuration decides then."""
    return {"action": "store_const", "const": value, "default": None} | ({"dest": dest} if dest else {})


def _format(name: str) -> str:
    from agentskills_lint.reporters import FORMATS

    return _choice(name, FORMATS)


def _color(name: str) -> str:
    return _choice(name, ("auto", "always", "never"))


def _choice(name: str, choices: Sequence[str]) -> str:
    if name not in choices:
        from agentskills_lint.wording import shown

        raise argparse.ArgumentTypeError(f"{shown(name)} is none of {', '.join(choices)}")
    return name


def _target(path: str) -> str:
    if not path:
        raise argparse.ArgumentTypeError("the file has no name")
    return path


def _report(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or path in ("", STDIN):
        raise argparse.ArgumentTypeError("expected FORMAT=FILE")
    return _format(name), path


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The options that are settings, as a configuration file states them."""
    found: dict[str, Any] = {}
    for key in ("level", "fail-on", "origin", "force-exclude", "respect-gitignore", "suppressions"):
        value = getattr(options, key.replace("-", "_"))
        if value is not None:
            found[key] = value
    for key in ("select", "ignore", "extend-select", "extend-ignore", "spec", "extend-spec"):
        values = getattr(options, key.replace("-", "_"))
        if values is not None:
            found[key] = re.findall(r"[^\s,]+", ",".join(values))
    for key in ("exclude", "extend-exclude"):
        values = getattr(options, key.replace("-", "_"))
        if values is not None:
            found[key] = [part.strip() for value in values for part in value.split(",") if part.strip()]
    if options.per_file_ignores is not None:
        found["per-file-ignores"] = "\n".join(options.per_file_ignores)
    return found


# What is printed


def _version() -> str:
    from importlib.machinery import PathFinder

    from agentskills_lint.about import VERSION

    python = ".".join(str(part) for part in sys.version_info[:3])
    package = PathFinder.find_spec("yaml")
    folders = list(package.submodule_search_locations or ()) if package is not None else []
    if PathFinder.find_spec("yaml._yaml", folders) is not None:
        return f"{PROGRAM} {VERSION} (Python {python}, PyYAML with libyaml)\n"
    return (
        f"{PROGRAM} {VERSION} (Python {python}, PyYAML without libyaml)\n"
        "note: PyYAML was installed without its C loader: the findings are the same, but reading is slower\n"
    )


def _listing(rules: Sequence[Rule], as_json: bool) -> str:
    if as_json:
        import json

        from agentskills_lint.explain import listing

        return json.dumps(listing(rules), indent=2) + "\n"
    rows: list[tuple[str, ...]] = [
        (rule.code, rule.strongest, rule.fix or "-", rule.id, rule.summary) for rule in rules
    ]
    rows.insert(0, ("code", "level", "fix", "id", "summary"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "".join(
        "  ".join([*(text.ljust(width) for text, width in zip(row[:4], widths, strict=True)), row[4]]) + "\n"
        for row in rows
    )


def _explanations(groups: Sequence[Sequence[str]], rules: Sequence[Rule]) -> str:
    from agentskills_lint.explain import explain
    from agentskills_lint.settings import unknown_rule

    by_name = {name: rule for rule in rules for name in (rule.id, rule.code, rule.code.lower())}
    names = [name for group in groups for word in group for name in word.split(",") if name]
    found = {
        name: [by_name[name]] if name in by_name else [rule for rule in rules if rule.code.startswith(name.upper())]
        for name in names
    }
    unknown = [unknown_rule(name, rules) for name in names if not found[name]]
    if unknown or not names:
        raise _RunError(*(f"--explain: {message}" for message in unknown or ["no rule is named"]))
    return "\n".join(explain(rule) for name in names for rule in found[name])


def _shown_settings(config: Config, files: Sequence[str], report: Report) -> str:
    from agentskills_lint.config import as_toml
    from agentskills_lint.wording import escaped

    lines = [f"# read from {escaped(path)}\n" for path in files] or ["# no configuration file\n"]
    lines.append(as_toml(config))
    if report.skills:
        lines.append("\n# judged by:\n")
    for skill in report.skills:
        specs = ", ".join(f"{spec} ({reason})" for spec, reason in skill.specs.items())
        lines.append(f"# {escaped(skill.path)}: {escaped(specs)}\n")
    return "".join(lines)


# Where it goes


def _publish(report: Report, options: argparse.Namespace) -> bool:
    """Write all reports; gives whether one could not be written."""
    from agentskills_lint import reporters

    failed = False
    to_file = options.output is not None and options.output != STDIN
    main_report = (options.format or "text", options.output if to_file else None)
    for name, path in [*options.report, main_report]:
        text = reporters.load(name).render(report, _style(options, None if path else sys.stdout))
        if path is None:
            _write(text, binary=name != "text")
            continue
        try:
            _replace(path, text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            _tell("error", f"cannot write {path}: {getattr(error, 'strerror', None) or error}")
            failed = True
    return failed


def _style(options: argparse.Namespace, stream: IO[str] | None) -> Style:
    from agentskills_lint.reporters import Style

    return Style(
        color=options.color == "always" or (options.color == "auto" and stream is not None and _wants_color(stream)),
        verbose=options.verbose,
        quiet=options.quiet,
        statistics=options.statistics,
        show_files=options.show_files,
    )


def _wants_color(stream: IO[str]) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise _RunError("standard input is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise _RunError(f"cannot read standard input: {error.strerror or error}") from None


def _write(text: str, binary: bool = False) -> None:
    """Write to standard output: what is for machines as UTF-8, what is for people as the terminal can."""
    stream = sys.stdout
    if not text:
        return
    if stream is None:
        raise _RunError("standard output is closed")
    try:
        if binary and hasattr(stream, "buffer"):
            stream.flush()
            stream.buffer.write(text.encode("utf-8", "backslashreplace"))
        else:
            encoding = stream.encoding or "utf-8"
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as error:
        # the reader has seen enough (`| head`): what was found stays what it is
        _mute(stream)
        if not isinstance(error, BrokenPipeError) and not (sys.platform == "win32" and error.errno == 22):
            raise _RunError(f"cannot write to standard output: {error.strerror or error}") from None


def _mute(stream: IO[str]) -> None:
    """Lead a stream nowhere, so that the interpreter does not complain of it at the end."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except OSError:
        return


def _tell(kind: str, message: str) -> None:
    """A line on standard error; when that is gone, too, there is nobody to tell."""
    from agentskills_lint.wording import escaped

    stream = sys.stderr
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    line = f"{PROGRAM}: {kind}: {escaped(message)}\n"
    try:
        stream.write(line.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError:
        _mute(stream)


def _replace(path: str, content: bytes) -> None:
    """Write a file whole or not at all; a link stays a link, a device or pipe is written to."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    temporary = f"{path}.{os.urandom(4).hex()}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
