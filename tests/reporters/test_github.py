"""Workflow commands, read back as the runner of GitHub Actions reads them."""

from __future__ import annotations

import re

from agentskills_lint.model import Location
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.github import attribute, data, render
from tests.reporters.shared import EMPTY, ODD_PATH, REPORT, finding

HOSTILE = finding(
    "SKL008",
    "yaml-syntax",
    "error",
    "::set-env name=A::b\r\n::error::x, 100%0A",
    Location("a,b:c%\n/d", 4, 2, 4, 3),
    "x",
)


def _read(text: str) -> list[tuple[str, dict[str, str], str]]:
    """(command, properties, message) of each line, as `ActionCommand.TryParseV2` of the runner takes it apart."""
    found = []
    for line in text.split("\n")[:-1]:
        match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
        assert match, line
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        properties = {name: _unescaped(value, "%3A:", "%2C,") for name, value in pairs}
        found.append((match[1], properties, _unescaped(match[3])))
    return found


def _unescaped(text: str, *more: str) -> str:
    for pair in (*more, "%0A\n", "%0D\r", "%25%"):
        text = text.replace(pair[:3], pair[3:])
    return text


def test_commands_come_worst_first_and_say_what_to_do() -> None:
    report = REPORT._replace(level="note", findings=REPORT.findings[::-1], unread=())
    assert _read(render(report, Style())) == [
        (
            "error",
            {"file": ODD_PATH, "line": "3", "col": "15", "endLine": "3", "endColumn": "18",
             "title": "SKL008 yaml-syntax"},
            "50 % of ':' is\\r\\n too\\x1b[31m much \\u202e\nfix: quote the value",
        ),
        (
            "error",
            {"file": ODD_PATH, "line": "1", "col": "1", "endLine": "1", "endColumn": "4",
             "title": "SKL101 name-missing"},
            "the frontmatter has no 'name'\nhelp: add 'name: demo'",
        ),
        (
            "warning",
            {"file": "z/SKILL.md", "line": "7", "col": "205", "endLine": "7", "endColumn": "213",
             "title": "SKL706 link-broken"},
            "'guide.md' leads to nothing\nunsafe fix: write 'guides.md'",
        ),
        (
            "notice",
            {"file": "z/SKILL.md", "line": "8", "col": "1", "endLine": "8", "endColumn": "5",
             "title": "SKL707 link-anchor"},
            "'#top' is no heading",
        ),
    ]  # fmt: skip


def test_nothing_that_is_quoted_becomes_a_command_or_a_property() -> None:
    text = render(EMPTY._replace(findings=(HOSTILE,)), Style())
    assert text == (
        "::error file=a%2Cb%3Ac%25\\n/d,line=4,col=2,endLine=4,endColumn=3,title=SKL008 yaml-syntax::"
        "::set-env name=A::b\\r\\n::error::x, 100%250A\n"
    )


def test_escapes_are_those_of_the_toolkit() -> None:
    assert data("a%\r\nb:,c") == "a%25%0D%0Ab:,c"
    assert attribute("a%\r\nb:,c") == "a%25%0D%0Ab%3A%2Cc"


def test_a_file_that_could_not_be_read_is_an_error() -> None:
    report = EMPTY._replace(unread=(("a%b", "No such file"),))
    assert render(report, Style()) == "::error title=agentskills-lint::a%25b could not be read: No such file\n"


def test_a_clean_report_says_nothing() -> None:
    assert render(EMPTY, Style()) == ""
