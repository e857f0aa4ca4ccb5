"""The flake8 format, read back by those who read flake8's."""

from __future__ import annotations

import re

from diff_cover.violationsreporters.violations_reporter import flake8_driver
from flake8.formatting.default import Default

from agentskills_lint.model import Location
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.flake8 import render
from tests.reporters.shared import REPORT, finding

FIELDS = {"path": r".+?", "row": r"[0-9]+", "col": r"[0-9]+", "code": r"[A-Z]{1,3}[0-9]{0,3}", "text": r".*"}
HOSTILE = finding(
    "SKL008", "yaml-syntax", "error", "two\nlines\r\nand a\ttab", Location("C:/a b/x\ny/SKILL.md", 4, 2, 4, 3), "x"
)


def _pattern() -> re.Pattern[str]:
    """flake8's own default format as a pattern."""
    plain = re.sub(r"%\((?:bold|cyan|red|reset)\)s", "", Default.error_format)
    parts = re.split(r"%\((\w+)\)[sd]", plain)
    return re.compile("".join(f"(?P<{p}>{FIELDS[p]})" if i % 2 else re.escape(p) for i, p in enumerate(parts)))


def test_case_114_lines_match_flake8s_own_format() -> None:
    lines = render(REPORT._replace(level="note"), Style()).splitlines()
    parsed = [match.groupdict() for line in lines if (match := _pattern().fullmatch(line))]
    assert [(p["path"], p["row"], p["col"], p["code"]) for p in parsed] == [
        ("skills/a b, 100%: [日本]/SKILL.md", "1", "1", "SKL101"),
        ("skills/a b, 100%: [日本]/SKILL.md", "3", "15", "SKL008"),
        ("z/SKILL.md", "7", "205", "SKL706"),
        ("z/SKILL.md", "8", "1", "SKL707"),
    ]
    assert len(lines) == 4


def test_diff_cover_reads_every_line() -> None:
    report = REPORT._replace(findings=tuple(f for f in REPORT.findings if ":" not in f.path))
    assert flake8_driver.parse_reports([render(report, Style())]) == {
        "z/SKILL.md": [(7, "SKL706 'guide.md' leads to nothing")]
    }


def test_case_114_a_finding_is_one_physical_line_whatever_it_quotes() -> None:
    text = render(REPORT._replace(findings=(HOSTILE,)), Style())
    assert text == "C:/a b/x\\ny/SKILL.md:4:2: SKL008 two\\nlines\\r\\nand a\\ttab\n"
