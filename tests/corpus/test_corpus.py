"""Real skills and sites, where the collection lies beside the checkout (see CONTRIBUTING.md).

`snapshot.tsv` counts the findings of each rule; `judged.tsv` says of every error and warning
on 200 files, drawn with a fixed seed, whether it is right, and why. `pytest --update` writes
the snapshot anew and adds lines that wait for a judgement.
"""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding, Report

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SNAPSHOT = Path(__file__).with_name("snapshot.tsv")
JUDGED = Path(__file__).with_name("judged.tsv")
DRAWN = 200
SEED = 2026

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real skills is not beside this checkout")


@pytest.fixture(scope="module")
def report() -> Report:
    """The report on the whole corpus, paths relative to it."""
    return lint(project([str(CORPUS)], cwd=str(CORPUS)), Config(level="note"))


def drawn(report: Report) -> set[str]:
    """The paths of the files that were judged by eye: skills of the usual name, whatever else is listed."""
    paths = sorted(skill.path for skill in report.skills if skill.path.lower().endswith(("/skill.md", "/skills.md")))
    return set(random.Random(SEED).sample(paths, DRAWN))


def counts(findings: tuple[Finding, ...]) -> list[tuple[str, str, int, int]]:
    """(rule, level, findings, files), sorted by rule."""
    files: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for finding in findings:
        files[finding.rule, finding.level].add(finding.path)
    total = Counter((finding.rule, finding.level) for finding in findings)
    return sorted((rule, level, number, len(files[rule, level])) for (rule, level), number in total.items())


def test_every_file_is_linted_without_an_internal_error(report: Report) -> None:
    assert [f"{f.path}: {f.message}" for f in report.findings if f.rule == "internal-error"] == []
    assert report.unread == ()
    on_disk = {path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("SKILL.md")}
    assert on_disk - {skill.path for skill in report.skills} == set()


def test_counts_are_those_of_the_snapshot(report: Report, update: bool) -> None:
    rows = [("rule", "level", "findings", "files"), *counts(report.findings)]
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    if update:
        SNAPSHOT.write_text(text, encoding="utf-8", newline="\n")
    assert text == SNAPSHOT.read_text(encoding="utf-8")


def _judged() -> dict[tuple[str, str, int], tuple[str, str]]:
    with JUDGED.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {(row["path"], row["rule"], int(row["line"])): (row["verdict"], row["why"]) for row in rows}


def test_every_error_and_warning_on_the_drawn_files_was_judged(report: Report, update: bool) -> None:
    sample = drawn(report)
    wanted = {(f.path, f.rule, f.line) for f in report.findings if f.path in sample and f.level != "note"}
    judged = _judged()
    if update:
        rows = ["path\trule\tline\tverdict\twhy"]
        for key in sorted(wanted):
            verdict, why = judged.get(key, ("unjudged", ""))
            rows.append("\t".join([*map(str, key), verdict, why]))
        JUDGED.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
        judged = _judged()
    assert sorted(wanted ^ judged.keys()) == []
    assert {verdict for verdict, _ in judged.values()} <= {"right", "wrong"}
    assert [key for key, (_, why) in judged.items() if not why] == []


def test_at_most_one_file_in_a_hundred_holds_a_wrong_finding(report: Report) -> None:
    wrong = {path for (path, _, _), (verdict, _) in _judged().items() if verdict == "wrong"}
    assert len(wrong) <= DRAWN // 100
