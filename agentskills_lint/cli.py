"""The command line: options, what goes where, exit codes; the work is done by the library."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, NoReturn

from agentskills_lint.console import (
    PROGRAM,
    RunError,
    progress,
    say,
    shows_progress,
    standard_input,
    tell,
    wants_color,
    write,
)
from agentskills_lint.options import STDIN, is_url, meant_address, parsed, settings_of

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

MOST_REASONS = 10
"""Paths that the message about an empty run names, of those that were passed over."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit code; never raises."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _main(words)
    except RunError as error:
        for message in error.messages:
            tell("error", message)
        return TROUBLE
    except KeyboardInterrupt:
        tell("error", "interrupted")
        return INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else CLEAN
    except Exception as error:
        if "-v" in words or "--verbose" in words:
            import traceback

            traceback.print_exc()
        tell("error", f"internal error: {type(error).__name__}: {error} (--verbose shows where)")
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


def _main(argv: list[str]) -> int:
    options, paths = parsed(argv)
    if options.version:
        write(_version())
        return CLEAN

    from agentskills_lint.config import ConfigError, load
    from agentskills_lint.rule import load_rules

    rules = load_rules()
    if options.list_rules:
        write(_listing(rules, options.format == "json"))
        return CLEAN
    if options.explain:
        write(_explanations(options.explain, rules))
        return CLEAN
    try:
        config, files = load(rules, settings_of(options), os.getcwd(), options.config, options.isolated)
    except ConfigError as error:
        raise RunError(*error.problems) from None
    except FileNotFoundError:
        raise RunError("the working directory does not exist any more") from None
    if not any(config.selects(rule) for rule in rules):
        raise RunError("no rule is selected")

    from agentskills_lint import discovery, engine

    known = _baseline(config, options)
    urls = [path for path in paths if is_url(path)]
    given = [path for path in paths if path != STDIN and path not in urls]
    stdin = (options.stdin_filename, standard_input()) if STDIN in paths else None
    changed = _changed(given, options)
    if options.fix or options.diff:
        return _fix(given, config, stdin, changed, known, options)
    project = discovery.project(given, config, stdin=stdin, installed=options.installed, changed=changed)
    differences: list[Difference] = []
    interrupted = False
    if urls:
        project, differences, interrupted = _with_live(project, urls, config, options)
    report = engine.lint(project, config, rules)._replace(differences=tuple(differences))
    if options.show_settings:
        write(_shown_settings(config, files, report))
        return CLEAN
    code = _finish(report, config, known, paths, options)
    return INTERRUPTED if interrupted else code


def _with_live(
    project: Project, urls: Sequence[str], config: Config, options: argparse.Namespace
) -> tuple[Project, list[Difference], bool]:
    """A project with the sites at some URLs besides, how they differ from a tree, whether Ctrl-C ended the fetching."""
    try:
        from agentskills_lint.live import build, fetch
    except ModuleNotFoundError as error:
        if error.name not in ("httpx", "httpcore"):
            raise
        raise RunError(f"a URL needs the package {error.name} (pip install httpx)") from None
    settings = fetch.Options(
        concurrency=options.concurrency,
        timeout=options.timeout,
        total=options.total_timeout,
        headers=tuple(options.header),
        user_agent=options.user_agent,
        ignore_robots=options.ignore_robots,
    )
    with fetch.Fetcher(settings, urls, progress()) as fetcher:
        live = build.project(urls, fetcher, config, options.max_skills)
        differences = _differences(live, fetcher, config, options.compare) if options.compare is not None else []
        interrupted = fetcher.interrupted
    gc.collect()  # requests leave circles behind, which `run` lets lie
    if shows_progress():
        say("\r\x1b[K")
    if interrupted:
        tell("error", "interrupted: this is what was known")
    return build.merged(project, live), differences, interrupted


def _differences(live: Project, fetcher: Fetcher, config: Config, folder: str) -> list[Difference]:
    """How the live sites differ from the one whose root a folder is, or that it holds."""
    from agentskills_lint import deployed, discovery
    from agentskills_lint.live.site import LiveSite
    from agentskills_lint.sources import posix

    sites = discovery.project([folder], config).sites
    sites = tuple(site for site in sites if site.folder.path == posix(folder)) or sites
    if len(sites) != 1:
        raise RunError(f"--compare: {folder} holds {'several sites' if sites else 'no site'}")
    return [
        difference
        for site in live.sites
        if isinstance(site, LiveSite)
        for difference in deployed.compare(sites[0], site, fetcher)
    ]


def _changed(paths: Sequence[str], options: argparse.Namespace) -> list[str] | None:
    """The files that git says have changed; None where everything is linted."""
    if not options.changed:
        return None
    from agentskills_lint.changed import GitError, changed_files

    try:
        return changed_files(paths, options.base_ref)
    except GitError as error:
        raise RunError(f"--changed: {error}") from None


def _baseline(config: Config, options: argparse.Namespace) -> tuple[Known, ...]:
    """The findings that are known; none where the baseline is to be written for the first time."""
    from agentskills_lint.baseline import BaselineError, read

    if config.baseline is None:
        if options.write_baseline:
            raise RunError("--write-baseline needs --baseline FILE, or baseline in the configuration")
        return ()
    try:
        with open(config.baseline, encoding="utf-8-sig") as file:
            return read(file.read())
    except FileNotFoundError:
        if options.write_baseline:
            return ()
        raise RunError(f"the baseline {config.baseline} does not exist (--write-baseline writes it)") from None
    except (BaselineError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(f"cannot read the baseline {config.baseline}: {reason}") from None


def _finish(
    report: Report, config: Config, known: tuple[Known, ...], paths: Sequence[str], options: argparse.Namespace
) -> int:
    """Publish a report; gives the exit code."""
    if config.baseline is not None:
        from agentskills_lint import baseline
        from agentskills_lint.rule import load_rules

        rules = frozenset(rule.id for rule in load_rules() if config.selects(rule))
        if options.write_baseline:
            from agentskills_lint import files

            text = baseline.written(report, known, rules)
            try:
                files.replace(config.baseline, text.encode())
            except OSError as error:
                raise RunError(f"cannot write the baseline {config.baseline}: {error.strerror or error}") from None
            before, known = {entry.fingerprint for entry in known}, baseline.read(text)
            after = {entry.fingerprint for entry in known}
            counts = f"{len(after - before)} new, {len(before - after)} gone, {len(after)} in all"
            tell("note", f"the baseline {config.baseline} is written: {counts}")
        report, stale = baseline.without(report, known, rules)
        for entry in stale:
            tell("note", f"{entry.path}: the baseline's {entry.rule} is gone (--write-baseline removes it)")
    for path, reason in report.unread:
        address = meant_address(path)
        tell("error", f"{path}: {reason}" + (f"; for a live site write {address}" if address is not None else ""))
    allow_empty = options.allow_empty or options.changed
    code = _exit_code(report, config, options.exit_zero, allow_empty)
    if _is_empty(report) and not report.unread and not allow_empty:
        _tell_empty(report, paths)
    return TROUBLE if _publish(report, config.fail_on, options) else code


def _fix(
    paths: list[str],
    config: Config,
    stdin: tuple[str | None, bytes] | None,
    changed: list[str] | None,
    known: tuple[Known, ...],
    options: argparse.Namespace,
) -> int:
    """Fix what can be fixed: write it, or show the difference; then report what remains."""
    from agentskills_lint import discovery, engine, files, fixes
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
        tell("note", "no index.json was written: each site has one, or no skill below .well-known/agent-skills/")
    for path, dialects, left_out in fixed.new:
        served = " and ".join(SPECS[dialect].title for dialect in dialects)
        verb = "would be" if options.diff else "is"
        hint = "" if len(dialects) > 1 else f" (with --origin and --provider {SPECS['dualnova'].title}, too)"
        tell("note", f"{path}: {verb} written for {served}{hint}" if dialects else f"{path}: there is nothing to list")
        for skill, reason in left_out:
            tell("warning", f"{skill}: left out of the index: {reason}")
    for path, line, rule, reason in fixed.dropped:
        tell("warning", f"{path}:{line}: a fix of {rule} was not kept: {reason}")
    if fixed.ended:
        tell("warning", f"there is more to fix after {fixes.MAX_ROUNDS} rounds: run it again")
    if options.diff:
        difference = fixes.diff(fixed.changes.values())
        for secret in fixed.report.secrets:  # such a hunk is for reading, patch refuses it
            difference = difference.replace(secret, "*" * len(secret))
        if sys.stdout is not None and sys.stdout.isatty():
            write("".join(f"{escaped(line)}\n" for line in difference.split("\n")[:-1]))
        else:
            write(difference.encode("utf-8", "surrogateescape"))
        return TROUBLE if fixed.report.unread else FINDINGS if fixed.changes else CLEAN
    failed = False
    for location, change in sorted(fixed.changes.items(), key=lambda item: item[1].follows) if stdin is None else ():
        if failed and change.follows:
            tell("error", f"{change.path} is left as it was: it has to agree with what could not be written")
            continue
        try:
            files.replace_unchanged(location, change.before, change.after)
        except OSError as error:
            tell("error", f"cannot write {change.path}: {error.strerror or error}")
            failed = True
    if stdin is not None:
        (content,) = (change.after for change in fixed.changes.values()) if fixed.changes else (stdin[1],)
        write(content)
    report = fixed.report
    if failed:  # what remains is more than would have
        project = discovery.project(paths, config, installed=options.installed, changed=changed)
        report = engine.lint(project, config)
    code = _finish(report, config, known, paths, options)
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
    tell("error", f"nothing to lint in {', '.join(paths)} (--allow-empty makes this no error)")
    for path, reason in report.passed_over[:MOST_REASONS]:
        tell("note", f"{path}: passed over: {reason}")
    if len(report.passed_over) > MOST_REASONS:
        tell("note", f"{len(report.passed_over) - MOST_REASONS} more were passed over (--verbose lists them)")


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
        raise RunError(*(f"--explain: {message}" for message in unknown or ["no rule is named"]))
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


def _publish(report: Report, fail_on: str, options: argparse.Namespace) -> bool:
    """Write all reports; gives whether one could not be written."""
    from agentskills_lint import files, reporters
    from agentskills_lint.sources import posix

    linted = {location for _, location in report.documents}
    for path in (options.output, *(file for _, file in options.report)):
        if path and posix(path) in linted:
            raise RunError(f"the report would overwrite {path}, which is linted")
    failed = False
    to_file = options.output is not None and options.output != STDIN
    main_report = (options.format or "text", options.output if to_file else None)
    stream = sys.stderr if options.fix and options.stdin else sys.stdout  # there the fixed text goes
    for name, path in [*options.report, main_report]:
        text = reporters.load(name).render(report, _style(options, fail_on, None if path else stream))
        if path is None:
            write(text, name != "text", stream)
            continue
        try:
            files.replace(path, text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            tell("error", f"cannot write {path}: {getattr(error, 'strerror', None) or error}")
            failed = True
    return failed


def _style(options: argparse.Namespace, fail_on: str, stream: IO[str] | None) -> Style:
    from agentskills_lint.reporters import Style

    return Style(
        color=options.color == "always" or (options.color == "auto" and stream is not None and wants_color(stream)),
        verbose=options.verbose,
        quiet=options.quiet,
        statistics=options.statistics,
        show_files=options.show_files,
        root=options.sarif_root or "",
        category=options.sarif_category or "",
        fail_on=fail_on,
    )
