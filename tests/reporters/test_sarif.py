"""SARIF: what GitHub code scanning asks for; the schema and Microsoft's validator are in tests/integration."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from agentskills_lint.model import Edit, Fix, Location, Problem, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.sarif import LONGEST_DESCRIPTION, MOST_RELATED, MOST_RESULTS, render, uri
from agentskills_lint.rule import load_rules
from tests.reporters.shared import EMPTY, ODD_PATH, REPORT, RULES, finding
from tests.support import clean_skill, report_on

RULES_HERE = load_rules()


def run_of(report: Report, style: Style | None = None) -> dict[str, Any]:
    log = json.loads(render(report, style or Style()))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    found: dict[str, Any] = log["runs"][0]
    return found


# Rules


def test_every_rule_is_in_every_run_with_all_that_github_asks_for() -> None:
    described = run_of(EMPTY)["tool"]["driver"]["rules"]
    assert [entry["id"] for entry in described] == [rule.code for rule in RULES_HERE]
    for entry, rule in zip(described, RULES_HERE, strict=True):
        assert re.fullmatch(r"(?:[A-Z0-9][a-z0-9]*)+", entry["name"])
        assert entry["name"].lower() == rule.id.replace("-", "")
        assert entry["shortDescription"]["text"] == f"{rule.summary}."
        assert 0 < len(entry["fullDescription"]["text"]) <= LONGEST_DESCRIPTION
        assert "\n" not in entry["fullDescription"]["text"]
        assert rule.id in entry["help"]["text"]
        assert rule.id in entry["help"]["markdown"]
        assert entry["helpUri"].endswith(f"/docs/rules/{rule.id}.md")
        assert entry["defaultConfiguration"] == {"level": rule.strongest}
        assert entry["properties"]["precision"] in ("very-high", "high", "medium")
        assert entry["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert 2 <= len(entry["properties"]["tags"]) <= 10
    assert len({entry["name"] for entry in described}) == len(described)


def test_security_rules_alone_have_a_security_severity() -> None:
    scores = {
        entry["id"]: entry["properties"].get("security-severity")
        for entry in run_of(EMPTY)["tool"]["driver"]["rules"]
        if "security" in entry["properties"]["tags"] or "security-severity" in entry["properties"]
    }
    expected = {rule.code for rule in RULES_HERE if re.fullmatch("SKL90[1-9]|SKL507", rule.code)}
    assert set(scores) == expected
    assert scores["SKL507"] == "7.5"
    assert [score for score in scores.values() if not 0 < float(score or 0) <= 10] == []


def test_a_long_description_is_cut_between_words() -> None:
    def check(*_: Any) -> Iterator[Problem]:
        yield from ()

    check.__doc__ = "Short.\n\n" + "four " * 300
    rule = RULES[0]
    long = type(rule)("a-b", "SKL1", rule.subject, (), (), None, rule.asked_by, check)
    described = json.loads(render(EMPTY, Style(), [long]))["runs"][0]["tool"]["driver"]["rules"][0]
    assert described["fullDescription"]["text"] == "four " * 203 + "four…"
    assert len(described["fullDescription"]["text"]) == 1020


# Results


def test_nothing_found_is_an_empty_array() -> None:
    run = run_of(EMPTY)
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    assert "automationDetails" not in run
    assert run["columnKind"] == "unicodeCodePoints"


def test_notes_stay_out_unless_the_level_shows_them() -> None:
    assert [result["ruleId"] for result in run_of(REPORT)["results"]] == ["SKL101", "SKL008", "SKL706"]
    every = run_of(REPORT._replace(level="note"))["results"]
    assert [(result["ruleId"], result["level"]) for result in every[3:]] == [("SKL707", "note")]


def test_rule_indices_lead_to_the_rule() -> None:
    run = run_of(REPORT._replace(level="note"))
    codes = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [codes[result["ruleIndex"]] for result in run["results"]] == [f.code for f in REPORT.findings]
    foreign = run_of(EMPTY._replace(findings=(REPORT.findings[0]._replace(code="OWN1"),)))["results"][0]
    assert (foreign["ruleId"], "ruleIndex" in foreign) == ("OWN1", False)


def test_related_locations_are_named_in_the_message() -> None:
    related = ((Location("a b", 2, 1, 3, 5), "the [first]"), (Location("c", 1, 2, 1, 3), "the \\ second"))
    bad = finding("SKL101", "name-missing", "error", "see [x](1)", Location("z", 1, 1, 1, 4), "---", related=related)
    result = run_of(EMPTY._replace(findings=(bad,)))["results"][0]
    assert result["message"]["text"] == (
        "see [x\\](1). See [the \\[first\\]](1). See [the \\\\ second](2)."
    )  # fmt: skip
    assert result["relatedLocations"] == [
        {
            "id": 1,
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b"},
                "region": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 2},
            },
            "message": {"text": "the [first]."},
        },
        {
            "id": 2,
            "physicalLocation": {
                "artifactLocation": {"uri": "c"},
                "region": {"startLine": 1, "startColumn": 2, "endLine": 1, "endColumn": 3},
            },
            "message": {"text": "the \\ second."},
        },
    ]
    many = bad._replace(related=related[:1] * 1500)
    assert len(run_of(EMPTY._replace(findings=(many,)))["results"][0]["relatedLocations"]) == MOST_RELATED


def test_what_lies_in_an_archive_is_told_at_its_entry() -> None:
    inner = Location("a.tar.gz!SKILL.md", 3, 5, 3, 9)
    bad = finding(
        "SKL201", "name-kebab-case", "error", "name 'X'", inner, "name: X",
        fix=Fix("write x", (Edit(0, 1, "x"),), True),
        edits=(inner,), related=((inner._replace(line=4), "the other"),), via=Location("index.json", 7, 9, 7, 20),
    )  # fmt: skip
    result = run_of(EMPTY._replace(findings=(bad,)))["results"][0]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "index.json"},
        "region": {"startLine": 7, "startColumn": 9, "endLine": 7, "endColumn": 20},
    }
    assert result["message"]["text"] == (
        "name 'X' (in a.tar.gz!SKILL.md:3:5). Fix: write x. See a.tar.gz!SKILL.md:4:5: the other."
    )
    assert not {"fixes", "relatedLocations"} & set(result)


def test_fixes_lead_to_the_text_that_our_own_fix_makes() -> None:
    """Applied by lines and columns alone, as a viewer does it, on a file with a mark, CRLF and astral characters."""
    source = '\ufeff---\r\nname: 😀_😀\r\ndescription: 😀 see: this\r\nversion: "1"\r\n---\r\n# T\r\n'
    report = report_on({"x/SKILL.md": source.encode()})
    fixes = {
        result["ruleId"]: result["fixes"][0]["artifactChanges"][0]["replacements"]
        for result in run_of(report)["results"]
        if "fixes" in result
    }
    ours = {f.code: f.fix for f in report.findings if f.fix is not None}
    assert set(fixes) == set(ours) >= {"SKL002", "SKL008"}
    assert fixes["SKL002"] == [{"deletedRegion": {"byteOffset": 0, "byteLength": 3}}]
    text = source[1:]
    for code, replacements in fixes.items():
        if code == "SKL002":
            continue
        for replacement, edit in zip(replacements, ours[code].edits, strict=True):
            region, lines = replacement["deletedRegion"], text.split("\r\n")
            start, end = (
                sum(len(line) + 2 for line in lines[: region[f"{side}Line"] - 1]) + region[f"{side}Column"] - 1
                for side in ("start", "end")
            )
            assert (start, end, replacement["insertedContent"]["text"]) == tuple(edit)


def test_fingerprints_survive_inserted_lines_and_another_indentation() -> None:
    before = clean_skill("wsp", "name: Pay_") + "\n- [a](b.md)\n"
    after = before.replace("\n- [a]", "\n\ntwo more lines\n\n   - [a]").replace("\nname:", "\nlicense: MIT\nname:")
    found = [
        {
            (result["ruleId"], result["partialFingerprints"]["agentskillsLint/v1"])
            for result in run_of(report_on({"pay/SKILL.md": text}))["results"]
        }
        for text in (before, after)
    ]
    assert {code for code, _ in found[0]} == {"SKL201", "SKL706"}
    assert found[0] == found[1]


def test_addresses_are_relative_references() -> None:
    assert uri("a b/[c]%/é:1") == "a%20b/%5Bc%5D%25/%C3%A9%3A1"
    assert uri("caf\udce9") == "caf%E9"
    assert uri("\ud800") == "%ED%A0%80"
    assert unquote(uri(ODD_PATH)) == ODD_PATH


def test_a_category_ends_in_a_slash() -> None:
    for category in ("docs", "docs/"):
        assert run_of(EMPTY, Style(category=category))["automationDetails"] == {"id": "docs/"}
    assert run_of(EMPTY, Style(category="a/b"))["automationDetails"] == {"id": "a/b/"}


# What goes wrong


def test_what_could_not_be_read_is_a_notification() -> None:
    assert run_of(REPORT)["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": {"text": "gone/SKILL.md could not be read: No such file or directory."},
                }
            ],
        }
    ]
    assert run_of(EMPTY._replace(crashed=1))["invocations"][0]["executionSuccessful"] is False


def test_github_takes_a_report_of_30_000_findings() -> None:
    """Its limits: 25,000 results of which 5,000 are kept, 25,000 rules, 20 tags a rule, 10 MB when packed."""
    warning, error = REPORT.findings[2], REPORT.findings[1]
    findings = tuple(
        (warning if number % 10 else error)._replace(fingerprint=f"{number * 2654435761 % 2**128:032x}")
        for number in range(30_000)
    )
    text = render(EMPTY._replace(findings=findings), Style())
    run = json.loads(text)["runs"][0]
    assert [result["level"] for result in run["results"]] == ["error"] * 3000 + ["warning"] * 2000
    assert len(run["results"]) == MOST_RESULTS
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {
            "level": "warning",
            "message": {"text": "Only the worst 5000 of 30000 findings are in this report."},
        }
    ]
    assert run["invocations"][0]["executionSuccessful"] is True
    assert len(gzip.compress(text.encode())) < 10_000_000
    assert len(run["tool"]["driver"]["rules"]) < 25_000
    assert max(len(rule["properties"]["tags"]) for rule in run["tool"]["driver"]["rules"]) < 20
