"""The Markdown summary, read back by a Markdown parser."""

from __future__ import annotations

import re
import string

import pytest
from pyromark import Markdown, Options

from agentskills_lint.model import Location
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.summary import MOST_BYTES, cell, render
from agentskills_lint.wording import escaped
from tests.reporters.shared import EMPTY, REPORT, finding

MARKDOWN = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_MATH)
HOSTILE = (
    "| a \\| b | <script>alert(1)</script> <img src=x onerror=y> &lt; **b** _i_ ~~s~~ `c` [l](https://evil.example)"
    " ![i](x.png) https://evil.example www.evil.example a@evil.example @user #12 :tada: $x$ \\* {0} ``` --- 1. # h"
    " \x1b\n\u202e"
)


def _text(markup: str) -> str:
    """What a reader sees of HTML."""
    import html

    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def _cells(text: str) -> list[list[str]]:
    """The HTML of the cells below the head, row by row."""
    _, *rows = re.findall(r"<tr>(.*?)</tr>", MARKDOWN.html(text), re.S)
    return [re.findall(r"<td>(.*?)</td>", row, re.S) for row in rows]


def test_a_table_lists_the_worst_first() -> None:
    report = REPORT._replace(level="note", findings=REPORT.findings[::-1])
    rows = [[_text(cell) for cell in row] for row in _cells(render(report, Style()))]
    assert [row[:2] for row in rows] == [
        ["error", "SKL008 yaml-syntax"],
        ["error", "SKL101 name-missing"],
        ["warning", "SKL706 link-broken"],
        ["note", "SKL707 link-anchor"],
    ]
    assert rows[1][2:] == [
        "skills/a b, 100%: [日本]/SKILL.md:1:1",
        "the frontmatter has no 'name'help: add 'name: demo'",
    ]


def test_counts_and_what_is_not_listed() -> None:
    lines = render(REPORT, Style()).split("\n")
    assert lines[:5] == [
        "### agentskills-lint",
        "",
        "**2 errors, 1 warning, 1 note** in 2 files. 1 finding below the level warning is not listed.",
        "",
        "- gone/SKILL&#46;md could not be read&#58; No such file or directory",
    ]
    assert render(EMPTY._replace(files={"skill": 1}), Style()) == "### agentskills-lint\n\nNo findings in 1 file.\n"


@pytest.mark.parametrize("field", ["message", "path", "hint"])
def test_nothing_that_is_quoted_becomes_markup(field: str) -> None:
    path = HOSTILE if field == "path" else "a"
    bad = finding(
        "SKL008", "yaml-syntax", "error", HOSTILE if field == "message" else "m", Location(path, 4, 2, 4, 3), "x",
        hint=HOSTILE if field == "hint" else None,
    )  # fmt: skip
    text = render(EMPTY._replace(findings=(bad, REPORT.findings[3]), level="note"), Style())
    rows = _cells(text)
    assert [len(row) for row in rows] == [4, 4]
    allowed = r"</?(?:code|span|br)>"
    cells = [cell for cell in rows[0][2:] if "evil" in cell]
    assert len(cells) == 1
    assert re.sub(allowed, "", cells[0]).count("<") == 0
    expected = {"message": "{}", "path": "{}:4:2", "hint": "mhelp: {}"}[field].replace("{}", escaped(HOSTILE))
    assert _text(cells[0]) == expected


def test_every_sign_of_ascii_stays_itself() -> None:
    assert _text(cell(string.punctuation)) == string.punctuation
    assert set(cell(string.printable)) & set('|`*_[]!~$\\{}@"^') == set()
    assert cell("@a #1 :b: c: d") == (
        "<span>&#64;</span>a <span>&#35;</span>1 <span>&#58;</span>b&#58; c&#58; d"
    )  # fmt: skip


def test_a_summary_has_room_for_a_mebibyte() -> None:
    many = tuple(REPORT.findings[0] for _ in range(30_000))
    text = render(REPORT._replace(findings=(*many, REPORT.findings[2])), Style())
    assert 990_000 < len(text.encode()) < MOST_BYTES + 100 < 1024 * 1024
    rows = text.count("\n| error |")
    assert text.endswith(f"|\n\n{30_001 - rows} lines more: a job summary has room for 1 MiB.\n")
