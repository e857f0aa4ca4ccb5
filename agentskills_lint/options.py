"""The options of the command line, and which of them contradict each other."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from agentskills_lint.console import PROGRAM, RunError, write

STDIN = "-"


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
        raise RunError(f"{message[:1].lower()}{message[1:]} (--help lists the options)")

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002
        write(self.format_help())


def parsed(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options and the paths, which may stand in any order; behind `--` everything is a path.

    Raises RunError for what cannot be meant.
    """
    end = argv.index("--") if "--" in argv else len(argv)
    parser = _parser()
    options, rest = parser.parse_known_args(argv[:end])
    for word in rest:
        if word.startswith("-") and word != STDIN:
            parser.error(_unknown_option(parser, word))
    paths = [*rest, *argv[end + 1 :]]
    if options.stdin_filename is not None and not paths:
        paths = [STDIN]
    for fault in _faults(options, paths):
        parser.error(fault)
    options.stdin = STDIN in paths
    if options.installed:
        paths += _installed(options.allow_empty)
    elif not paths:
        paths = ["."]
    return options, list(dict.fromkeys(paths))


_CONTRADICTIONS = (
    ("config", "isolated"),
    ("fix", "diff"),
    ("fix", "show_settings"),
    ("diff", "show_settings"),
    ("changed", "installed"),
    ("quiet", "verbose"),
)
_NEEDS = (
    ("base_ref", ("changed",), "--changed"),
    ("unsafe_fixes", ("fix", "diff"), "--fix or --diff"),
    ("write_index", ("unsafe_fixes",), "--unsafe-fixes with --fix or --diff"),
)
"""Options, each with those of which it needs one and how that is said."""

_FOR_FILES = ("fix", "diff", "changed")


def _faults(options: argparse.Namespace, paths: list[str]) -> Iterator[str]:
    """What is wrong with options and paths though each is right by itself."""
    given = {name for name, value in vars(options).items() if value not in (None, False)}
    for pair in _CONTRADICTIONS:
        if given.issuperset(pair):
            yield f"{' and '.join(map(_named, pair))} contradict each other"
    for name, others, said in _NEEDS:
        if name in given and given.isdisjoint(others):
            yield f"{_named(name)} needs {said}"
    if "" in paths:
        yield "a path is empty"
    if options.stdin_filename is not None and STDIN not in paths:
        yield f"--stdin-filename needs the path {STDIN}"
    for name in ("changed", "installed"):
        if name in given and STDIN in paths:
            yield f"{_named(name)} and {STDIN} contradict each other"
    if (options.fix or options.diff) and STDIN in paths and len(set(paths)) > 1:
        yield f"--fix and --diff take no other path besides {STDIN}"
    urls = [path for path in paths if is_url(path)]
    for url in urls:
        for name in _FOR_FILES:
            if name in given:
                yield f"{_named(name)} is for files, not for {_shown_url(url)}"
        if (fault := _url_fault(url)) is not None:
            yield f"{_shown_url(url)} {fault}"
    if options.compare is not None and not urls:
        yield "--compare needs the URL of a live site"
    targets = [os.path.abspath(path) for path in (options.output, *(file for _, file in options.report)) if path]
    if len(set(targets)) < len(targets):
        yield "two reports would be written to one file"


def _named(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _installed(allow_empty: bool) -> list[str]:
    """The folders in which this machine's clients look for skills."""
    from agentskills_lint.installed import roots

    found = roots(os.environ, os.path.expanduser("~"))
    if not found and not allow_empty:
        raise RunError("no folder of installed skills exists (SKILL_PATHS names more)")
    return found


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


_SETTINGS = (
    "level", "fail-on", "origin", "provider", "baseline", "force-exclude", "respect-gitignore", "suppressions",
)  # fmt: skip


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """The options that are settings, as a configuration file states them."""
    found: dict[str, Any] = {}
    for key in _SETTINGS:
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


_HOST = re.compile(
    r"(?!https?://)(?:[a-z][a-z0-9+.-]*:/{0,2})?((?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|ai|app|"
    r"example|[a-z]{2}(?=[:/]))|(?:[0-9]{1,3}\.){3}[0-9]{1,3})(?::[0-9]{1,5})?(?:/[^@\s]*)?)",
    re.I | re.A,
)


def is_url(path: str) -> bool:
    """Whether an argument is the address of a live site."""
    return path[:8].lower().startswith(("http://", "https://"))


def meant_address(path: str) -> str | None:
    """The URL that a path which names no file may stand for: a host alone, or one behind another scheme."""
    found = _HOST.fullmatch(path)
    if found is None:
        return None
    return ("http" if found[1].startswith(("localhost", "127.")) else "https") + f"://{found[1]}"
