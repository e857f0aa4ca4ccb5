"""The command line: options, what goes where, exit codes; the work is done by the library."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from agentskills_lint.baseline import Known
    from agentskills_lint.config import Config
    from agentskills_lint.live.fetch import Fetcher
    from agentskills_lint.model import Difference, Report
    from agentskills_lint.reporters import Style
    from agentskills_lint.rule import Rule
    from agentskills_lint.site import Project

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

    from agentskills_lint import discovery, engine

    known = _baseline(config, options)
    urls = [path for path in paths if _is_url(path)]
    given = [path for path in paths if path != STDIN and path not in urls]
    stdin = (options.stdin_filename, _standard_input()) if STDIN in paths else None
    changed = _changed(options)
    if options.fix or options.diff:
        return _fix(given, config, stdin, changed, known, options)
    project = discovery.project(given, config, stdin=stdin, installed=options.installed, changed=changed)
    differences: list[Difference] = []
    interrupted = False
    if urls:
        project, differences, interrupted = _with_live(project, urls, config, options)
    report = engine.lint(project, config, rules)._replace(differences=tuple(differences))
    if options.show_settings:
        _write(_shown_settings(config, files, report))
        return CLEAN
    code = _finish(report, config, known, paths, options)
    return INTERRUPTED if interrupted else code


def _is_url(path: str) -> bool:
    return path[:8].lower().startswith(("http://", "https://"))


def _with_live(
    project: Project, urls: Sequence[str], config: Config, options: argparse.Namespace
) -> tuple[Project, list[Difference], bool]:
    """A project with the sites at some URLs besides, how they differ from a tree, whether Ctrl-C ended the fetching."""
    try:
        from agentskills_lint.live import build, fetch
    except ModuleNotFoundError as error:
        if error.name not in ("httpx", "httpcore"):
            raise
        raise _RunError(f"a URL needs the package {error.name} (pip install httpx)") from None
    settings = fetch.Options(
        concurrency=options.concurrency,
        timeout=options.timeout,
        total=options.total_timeout,
        headers=tuple(options.header),
        user_agent=options.user_agent,
        ignore_robots=options.ignore_robots,
    )
    with fetch.Fetcher(settings, urls, _progress()) as fetcher:
        live = build.project(urls, fetcher, config, options.max_skills)
        differences = _differences(live, fetcher, config, options.compare) if options.compare is not None else []
        interrupted = fetcher.interrupted
    gc.collect()  # requests leave circles behind, which `run` lets lie
    if _shows_progress():
        _say("\r\x1b[K")
    if interrupted:
        _tell("error", "interrupted: this is what was known")
    return build.merged(project, live), differences, interrupted


def _differences(live: Project, fetcher: Fetcher, config: Config, folder: str) -> list[Difference]:
    """How the live sites differ from the one whose root a folder is, or that it holds."""
    from agentskills_lint import deployed, discovery
    from agentskills_lint.live.site import LiveSite
    from agentskills_lint.sources import posix

    sites = discovery.project([folder], config).sites
    sites = tuple(site for site in sites if site.folder.path == posix(folder)) or sites
    if len(sites) != 1:
        raise _RunError(f"--compare: {folder} holds {'several sites' if sites else 'no site'}")
    return [
        difference
        for site in live.sites
        if isinstance(site, LiveSite)
        for difference in deployed.compare(sites[0], site, fetcher)
    ]


def _shows_progress() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _progress() -> Callable[[int, int], None] | None:
    """Tells a terminal how many requests are done, ten times a second at most; elsewhere nobody is told."""
    import time

    if not _shows_progress():
        return None
    last = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.1:
            last = now
            _say(f"\r\x1b[K{done} of {total} requests")

    return tell


def _say(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _mute(sys.stderr)


def _changed(options: argparse.Namespace) -> list[str] | None:
    """The files that git says have changed; None where everything is linted."""
    if not options.changed:
        return None
    from agentskills_lint.changed import GitError, changed_files

    try:
        return changed_files(os.getcwd(), options.base_ref)
    except GitError as error:
        raise _RunError(f"--changed: {error}") from None


def _baseline(config: Config, options: argparse.Namespace) -> tuple[Known, ...]:
    """The findings that are known; none where the baseline is to be written for the first time."""
    from agentskills_lint.baseline import BaselineError, read

    if config.baseline is None:
        if options.write_baseline:
            raise _RunError("--write-baseline needs --baseline FILE, or baseline in the configuration")
        return ()
    try:
        with open(config.baseline, encoding="utf-8-sig") as file:
            return read(file.read())
    except FileNotFoundError:
        if options.write_baseline:
            return ()
        raise _RunError(f"the baseline {config.baseline} does not exist (--write-baseline writes it)") from None
    except (BaselineError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _RunError(f"cannot read the baseline {config.baseline}: {reason}") from None


def _finish(
    report: Report, config: Config, known: tuple[Known, ...], paths: Sequence[str], options: argparse.Namespace
) -> int:
    """Publish a report; gives the exit code."""
    if config.baseline is not None:
        from agentskills_lint import baseline

        if options.write_baseline:
            from agentskills_lint import files

            text = baseline.written(report, known)
            try:
                files.replace(config.baseline, text.encode())
            except OSError as error:
                raise _RunError(f"cannot write the baseline {config.baseline}: {error.strerror or error}") from None
            known = baseline.read(text)
        report, stale = baseline.without(report, known)
        for entry in stale:
            _tell("note", f"{entry.path}: the baseline's {entry.rule} is gone (--write-baseline removes it)")
    for path, reason in report.unread:
        _tell("error", f"{path}: {reason}")
    allow_empty = options.allow_empty or options.changed
    code = _exit_code(report, config, options.exit_zero, allow_empty)
    if _is_empty(report) and not report.unread and not allow_empty:
        _tell_empty(report, paths)
    return TROUBLE if _publish(report, options) else code


def _fix(
    paths: list[str],
    config: Config,
    stdin: tuple[str | None, bytes] | None,
    changed: list[str] | None,
    known: tuple[Known, ...],
    options: argparse.Namespace,
) -> int:
    """Fix what can be fixed: write it, or show the difference; then report what remains."""
    from agentskills_lint import files, fixes
    from agentskills_lint.specs import SPECS
    from agentskills_lint.wording import escaped

    fixed = fixes.fix(
        paths,
        config,
        unsafe=options.unsafe_fixes,
        stdin=stdin,
        installed=options.installed,
        changed=changed,
        new_indexes=options.write_index,
        known=frozenset(entry.fingerprint for entry in known),
    )
    if options.write_index and not fixed.new:
        _tell("note", "no index.json was written: each site has one, or publishes no skill where it would stand")
    for path, dialects, left_out in fixed.new:
        served = " and ".join(SPECS[dialect].title for dialect in dialects)
        verb = "would be" if options.diff else "is"
        hint = "" if len(dialects) > 1 else f" (with --origin and --provider {SPECS['dualnova'].title}, too)"
        _tell("note", f"{path}: {verb} written for {served}{hint}")
        for skill, reason in left_out:
            _tell("warning", f"{skill}: left out of the index: {reason}")
    for path, line, rule, reason in fixed.dropped:
        _tell("warning", f"{path}:{line}: a fix of {rule} was not kept: {reason}")
    if options.diff:
        difference = fixes.diff(fixed.changes.values())
        for secret in fixed.report.secrets:  # such a hunk is for reading, patch refuses it
            difference = difference.replace(secret, "*" * len(secret))
        if sys.stdout is not None and sys.stdout.isatty():
            _write("".join(f"{escaped(line)}\n" for line in difference.split("\n")[:-1]))
        else:
            _write(difference.encode("utf-8", "surrogateescape"))
        return TROUBLE if fixed.report.unread else FINDINGS if fixed.changes else CLEAN
    failed = False
    for location, change in fixed.changes.items() if stdin is None else ():
        try:
            files.replace_unchanged(location, change.before, change.after)
        except OSError as error:
            _tell("error", f"cannot write {change.path}: {error.strerror or error}")
            failed = True
    if stdin is not None:
        (content,) = (change.after for change in fixed.changes.values()) if fixed.changes else (stdin[1],)
        _write(content)
    code = _finish(fixed.report, config, known, paths, options)
    return TROUBLE if failed else code


def _exit_code(report: Report, config: Config, exit_zero: bool, allow_empty: bool) -> int:
    from agentskills_lint.model import LEVELS

    if report.unread or report.crashed or (_is_empty(report) and not allow_empty):
        return TROUBLE
    if exit_zero or config.fail_on == "never":
        return CLEAN
    failing = LEVELS[: LEVELS.index(config.fail_on) + 1]
    if report.differences:
        return FINDINGS
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
    urls = [path for path in paths if _is_url(path)]
    if urls and (options.fix or options.diff or options.changed):
        option = "--fix" if options.fix else "--diff" if options.diff else "--changed"
        parser.error(f"{option} is for files, not for {_shown_url(urls[0])}")
    if options.compare is not None and not urls:
        parser.error("--compare needs the URL of a live site")
    for url in urls:
        if (fault := _url_fault(url)) is not None:
            parser.error(f"{_shown_url(url)} {fault}")
    for one, other in (("fix", "diff"), ("fix", "show_settings"), ("diff", "show_settings")):
        if getattr(options, one) and getattr(options, other):
            parser.error(f"--{one} and --{other.replace('_', '-')} contradict each other")
    if (options.fix or options.diff) and STDIN in paths and len(set(paths)) > 1:
        parser.error(f"--fix and --diff take no other path besides {STDIN}")
    if options.write_index and not options.unsafe_fixes:
        parser.error("--write-index needs --unsafe-fixes with --fix or --diff")
    if options.base_ref is not None and not options.changed:
        parser.error("--base-ref needs --changed")
    if options.changed and (STDIN in paths or options.installed):
        parser.error(f"--changed and {STDIN if STDIN in paths else '--installed'} contradict each other")
    if options.unsafe_fixes and not (options.fix or options.diff):
        parser.error("--unsafe-fixes needs --fix or --diff")
    if options.quiet and options.verbose:
        parser.error("--quiet and --verbose contradict each other")
    targets = [os.path.abspath(path) for path in (options.output, *(file for _, file in options.report)) if path]
    if len(set(targets)) < len(targets):
        parser.error("two reports would be written to one file")
    if options.installed:
        if STDIN in paths:
            parser.error(f"--installed and {STDIN} contradict each other")
        from agentskills_lint.installed import roots

        paths += roots(os.environ, os.path.expanduser("~"))
        if not paths:
            raise _RunError("no folder of installed skills exists (SKILL_PATHS names more)")
    options.stdin = STDIN in paths
    return options, list(dict.fromkeys(paths)) or ["."]


def _url_fault(url: str) -> str | None:
    """What keeps a URL from being the address of a site, or None."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is no URL"
    if "@" in parts.netloc:
        return "has a user and a password, which reports would show: --header is for them"
    if not host or port == 0 or any(char <= " " for char in url):
        return "is no URL of a host"
    return None


def _shown_url(url: str) -> str:
    """A URL without user and password."""
    from agentskills_lint.wording import shown

    scheme, _, rest = url.partition("://")
    return shown(f"{scheme}://{rest.rpartition('@')[2]}")


def _unknown_option(parser: _Parser, word: str) -> str:
    from agentskills_lint.wording import closest, shown

    name = word.split("=")[0]
    known = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    likely = closest(name, known, 0.6) if name.startswith("--") else None
    hint = f", did you mean {likely}?" if likely else f" (a path that begins with - stands behind -- or as ./{word})"
    return f"unknown option {shown(name)}{hint}"


def _parser() -> _Parser:
    from agentskills_lint.about import formats

    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [OPTIONS] [PATH ...]",
        description="Lint agent skills and the sites that publish them.",
        epilog="PATH is a file, a skill folder, a folder of skills or a published site, the URL of a live site, or -"
        " for standard input; the default is the current folder. Exit codes: 0 nothing at or above the fail level,"
        " 1 findings, 2 usage, configuration, unreadable input or nothing to lint.",
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
    add("--changed", action="store_true", help="only what git says has changed since the last commit, with its sites")
    add("--base-ref", metavar="REF", help="with --changed: since HEAD left this branch or commit")
    add("--installed", action="store_true", help="lint the skills that are installed on this machine, too")
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
    add("--baseline", metavar="FILE", help="findings that this file lists stay silent")
    add("--write-baseline", action="store_true", help="write all findings that are shown into the baseline")
    add("--no-suppressions", **_flag(False, "suppressions"), help="heed no comment that suppresses findings")

    add = parser.add_argument_group("levels and exit code").add_argument
    add("--level", metavar="LEVEL", help="lowest level shown: error, warning (default) or note")
    add(
        "--fail-on",
        metavar="LEVEL",
        help="lowest level that gives exit code 1: error, warning (default), note or never",
    )
    add("--exit-zero", action="store_true", help="findings do not change the exit code")

    add = parser.add_argument_group("fixes").add_argument
    add("--fix", action="store_true", help="repair what can be repaired without changing its meaning")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: repair also what wants a look")
    add("--write-index", action="store_true", help="with both: write the index.json of a site that has none")
    add("--provider", metavar="NAME", help="who publishes the site, for an index.json that is written")
    add("--diff", action="store_true", help="change nothing, show the repairs; exit code 1 when there are any")

    add = parser.add_argument_group("output").add_argument
    add("--format", type=_format, metavar="FORMAT", help=f"{', '.join(formats())} (default: text)")
    add("-o", "--output", type=_target, metavar="FILE", help="write the report to a file")
    add("--report", action="append", type=_report, default=[], metavar="FORMAT=FILE", help="write one more report")
    add("--sarif-root", type=_folder, metavar="DIR", help="what paths are relative to in reports for GitHub and others")
    add("--sarif-category", type=_category, metavar="NAME", help="tells several SARIF reports on one commit apart")
    add("--color", type=_color, default="auto", metavar="WHEN", help="auto (default), always or never")
    add("-q", "--quiet", action="store_true", help="findings only, no summary")
    add("-v", "--verbose", action="store_true", help="say what was passed over and by which specs files are judged")
    add("--statistics", action="store_true", help="count the findings of each rule")
    add("--show-files", action="store_true", help="list the skills with their size in tokens")

    add = parser.add_argument_group("live sites").add_argument
    add("--compare", type=_folder, metavar="DIR", help="say where what is served differs from this tree")
    add(
        "--header",
        type=_header,
        action="append",
        default=[],
        metavar="HEADER",
        help="send 'Name: value' to the URL's host",
    )
    add("--user-agent", type=_header_value, metavar="TEXT", help="the name under which files are fetched")
    add("--concurrency", type=_count, default=8, metavar="N", help="requests at the same time (default: 8)")
    add("--timeout", type=_seconds, default=20.0, metavar="SECONDS", help="for one request (default: 20)")
    add("--total-timeout", type=_seconds, default=600.0, metavar="SECONDS", help="for all of them (default: 600)")
    add("--max-skills", type=_count, default=5000, metavar="N", help="listed files that are fetched (default: 5000)")
    add("--ignore-robots", action="store_true", help="fetch what robots.txt forbids: for sites of your own")

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


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) is None:
        raise argparse.ArgumentTypeError("expected 'Name: value'")  # the text may hold a secret
    return name, _header_value(value.strip())


def _header_value(text: str) -> str:
    if not text.isascii() or not text.isprintable():
        raise argparse.ArgumentTypeError("a header is a line of ASCII characters")
    return text


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError("expected a whole number above 0")
    return int(text)


def _seconds(text: str) -> float:
    if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.A) is None or float(text) <= 0:
        raise argparse.ArgumentTypeError("expected seconds above 0")
    return float(text)


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


def _folder(path: str) -> str:
    if not os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{path} is no folder")
    return path


def _category(name: str) -> str:
    if not name.strip("/"):
        raise argparse.ArgumentTypeError("the category has no name")
    return name


def _report(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or path in ("", STDIN):
        raise argparse.ArgumentTypeError("expected FORMAT=FILE")
    return _format(name), path


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The options that are settings, as a configuration file states them."""
    found: dict[str, Any] = {}
    for key in (
        "level",
        "fail-on",
        "origin",
        "provider",
        "baseline",
        "force-exclude",
        "respect-gitignore",
        "suppressions",
    ):
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
    from agentskills_lint import files, reporters
    from agentskills_lint.sources import posix

    linted = {location for _, location in report.documents}
    for path in (options.output, *(file for _, file in options.report)):
        if path and posix(path) in linted:
            raise _RunError(f"the report would overwrite {path}, which is linted")
    failed = False
    to_file = options.output is not None and options.output != STDIN
    main_report = (options.format or "text", options.output if to_file else None)
    stream = sys.stderr if options.fix and options.stdin else sys.stdout  # there the fixed text goes
    for name, path in [*options.report, main_report]:
        text = reporters.load(name).render(report, _style(options, None if path else stream))
        if path is None:
            _write(text, name != "text", stream)
            continue
        try:
            files.replace(path, text.encode("utf-8", "backslashreplace"))
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
        root=options.sarif_root or "",
        category=options.sarif_category or "",
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


def _write(text: str | bytes, binary: bool = False, to: IO[str] | None = None) -> None:
    """Write to standard output: what is for machines as UTF-8, what is for people as the terminal can."""
    stream: Any = to or sys.stdout
    if not text:
        return
    if stream is None:
        raise _RunError("standard output is closed")
    try:
        if isinstance(text, bytes) or (binary and hasattr(stream, "buffer")):
            stream.flush()
            stream.buffer.write(text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace"))
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
