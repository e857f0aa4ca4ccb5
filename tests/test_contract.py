"""What every rule promises, asked of the registry."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from agentskills_lint.documents import Document, MarkdownDocument, Skill
from agentskills_lint.model import LEVELS, Directive, Failure, Finding, Report
from agentskills_lint.registries import Index, SkillsTxt
from agentskills_lint.reporters import FORMATS, Style, load
from agentskills_lint.rule import Example, Rule, load_rules
from agentskills_lint.scripts import Script
from agentskills_lint.site import Project, Site
from agentskills_lint.specs import SPECS
from tests.examples import files_of, specs_of
from tests.support import fixed, report_on

RULES = load_rules()
CATALOGUE = Path(__file__).parents[2] / "shared" / "design" / "rules.tsv"

DEVIATIONS: dict[str, str] = {}
"""Rules whose levels or fix class differ from the catalogue on purpose, with the reason."""

CASES = [
    pytest.param(rule, example, spec, id=f"{rule.id}-{spec}-{'good' if example.good else 'bad'}-{number}")
    for rule in RULES
    for number, example in enumerate(rule.examples)
    for spec in specs_of(rule, example)
]


def _report(example: Example, spec: str) -> Report:
    return report_on(files_of(example, spec), (spec,))


def _described(findings: list[Finding]) -> list[tuple[str, str, int, int, str]]:
    return [(f.rule, f.level, f.line, f.column, f.message) for f in findings]


def test_ids_codes_and_summaries_are_unique() -> None:
    for values in (
        [rule.id for rule in RULES],
        [rule.code for rule in RULES],
        [rule.summary for rule in RULES],
    ):
        assert [value for value, count in Counter(values).items() if count > 1] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_documentation_has_summary_reason_and_examples(rule: Rule) -> None:
    assert rule.doc.split("\n", 1)[0].endswith(".")
    assert len(rule.summary) <= 80
    assert len(rule.explanation) > 30
    if rule.subject is Failure:
        return
    assert any(example.good for example in rule.examples)
    assert any(not example.good for example in rule.examples)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_clauses_name_their_spec(rule: Rule) -> None:
    assert rule.asked_by
    for spec, clause in rule.asked_by.items():
        assert clause.level in LEVELS
        assert (clause.strength == "advice") == (spec == "advice")
        if spec != "advice":
            assert clause.url.startswith(SPECS[spec].url)


def test_rules_about_several_files_are_asked_once() -> None:
    several = [rule for rule in RULES if rule.subject in (Site, Project)]
    assert [rule.id for rule in several if len({clause.params for clause in rule.asked_by.values()}) > 1] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_prerequisites_exist(rule: Rule) -> None:
    assert [need for need in rule.needs if need not in {other.id for other in RULES}] == []


def test_prerequisites_run_in_no_circle() -> None:
    import graphlib

    order = list(graphlib.TopologicalSorter({rule.id: rule.needs for rule in RULES}).static_order())
    assert {rule.id for rule in RULES} <= set(order)


@pytest.mark.parametrize(("rule", "example", "spec"), CASES)
def test_example(rule: Rule, example: Example, spec: str) -> None:
    report = _report(example, spec)
    mine = [f for f in report.findings if f.rule == rule.id]
    others = [f for f in report.findings if f.rule != rule.id]
    if example.good:
        assert _described(mine) == []
        assert _described([f for f in others if f.level != "note"]) == []
    else:
        assert mine, _described(others)
        assert _described([f for f in others if f.level == "error"]) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_declared_fix_is_offered_and_cures(rule: Rule) -> None:
    offered = set()
    for example in rule.examples:
        for spec in specs_of(rule, example):
            files = files_of(example, spec)
            findings = [f for f in report_on(files, (spec,)).findings if f.rule == rule.id and f.fix is not None]
            for finding in findings[:1]:
                assert finding.fix is not None
                offered.add("safe" if finding.fix.safe else "unsafe")
                before = files[finding.path].decode()
                files[finding.path] = fixed(before, finding).encode()
                assert files[finding.path] != before.encode()
                left = [f for f in report_on(files, (spec,)).findings if f.rule == rule.id]
                assert len(left) < len(
                    [f for f in report_on(files_of(example, spec), (spec,)).findings if f.rule == rule.id]
                )
    allowed = {None: set(), "safe": {"safe"}, "unsafe": {"safe", "unsafe"}}[rule.fix]
    assert offered <= allowed
    assert bool(offered) == (rule.fix is not None)


@pytest.fixture(scope="module")
def one_finding_a_rule() -> Report:
    """A report with the first finding of each rule on its first bad example."""
    reports = [
        (rule, _report(example, specs_of(rule, example)[0]))
        for rule in RULES
        for example in [example for example in rule.examples if not example.good][:1]
    ]
    found = [next(f for f in report.findings if f.rule == rule.id) for rule, report in reports]
    return reports[0][1]._replace(findings=tuple(found))


@pytest.mark.parametrize("name", FORMATS)
def test_every_reporter_renders_every_rule(name: str, one_finding_a_rule: Report) -> None:
    text = load(name).render(one_finding_a_rule, Style())
    assert [finding.code for finding in one_finding_a_rule.shown if finding.code not in text] == []
    assert text.endswith("\n")


def test_nothing_is_changed_by_a_run() -> None:
    for rule in RULES:
        for example in rule.examples:
            files = files_of(example, specs_of(rule)[0])
            before = dict(files)
            first = report_on(files, (specs_of(rule)[0],))
            assert files == before
            assert report_on(files, (specs_of(rule)[0],)) == first


def test_registry_survives_optimised_python() -> None:
    code = "from agentskills_lint.rule import load_rules; print(*(r.code for r in load_rules()))"
    run = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [rule.code for rule in RULES]


def test_subjects_are_those_of_the_engine() -> None:
    subjects = {Document, MarkdownDocument, Skill, Index, SkillsTxt, Site, Project, Script, Directive, Failure}
    found = {kind for rule in RULES for kind in (rule.subject if isinstance(rule.subject, tuple) else (rule.subject,))}
    assert found == subjects


@pytest.mark.skipif(not CATALOGUE.is_file(), reason="the catalogue of rules lies beside the checkout, not here")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_levels_and_fix_class_are_those_of_the_catalogue(rule: Rule) -> None:
    with CATALOGUE.open(encoding="utf-8") as file:
        rows = {row["code"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    row = rows[rule.code]
    assert rule.id == row["id"]
    if rule.id in DEVIATIONS:
        return
    columns = ("agentskills", "discovery", "dualnova", "wsp", "advice")
    assert {spec: rule.asked_by[spec].level if spec in rule.asked_by else "-" for spec in columns} == {
        spec: row[spec] for spec in columns
    }
    assert (rule.fix or "-") == row["fix"]
