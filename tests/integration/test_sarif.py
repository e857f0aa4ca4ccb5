"""SARIF as others judge it: the schema of the standard and Microsoft's SARIF Multitool with its GitHub rules.

Both come from the npm package `@microsoft/sarif-multitool-linux` (MIT) and are kept in pytest's
cache. Where they cannot be had the tests are skipped, in CI (`CI` is set) they fail.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Edit, Fix, Location, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters.sarif import render
from tests.reporters.shared import EMPTY, REPORT, finding

PACKAGE = "@microsoft/sarif-multitool-linux@5.7.0"
CONFIGURATION = Path(__file__).with_name("multitool.xml")
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
HOSTILE = "{0} {1:x} [a](b) \\ \x00 \u202e 😀 <b> \ud800 %25"

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the package is for Linux on x86-64"
    ),
]

Validate = Callable[[str], Counter[tuple[str, str]]]


@pytest.fixture(scope="session")
def multitool(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the unpacked npm package."""
    assert pytestconfig.cache is not None
    kept = pytestconfig.cache.mkdir("npm") / PACKAGE.rpartition("/")[2]
    if not kept.is_dir():
        fetched = tmp_path_factory.mktemp("npm")
        try:
            _fetch(fetched)
        except (OSError, subprocess.SubprocessError) as error:
            told = str(getattr(error, "stderr", "") or error).split("\n")[0]
            reason = f"npm cannot fetch {PACKAGE}: {told}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        try:
            shutil.move(fetched / "package", kept)
        except OSError:  # another worker was faster
            assert kept.is_dir()
    return kept


def _fetch(folder: Path) -> None:
    subprocess.run(
        ["npm", "pack", "--loglevel=error", PACKAGE],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")


@pytest.fixture(scope="session")
def schema(multitool: Path) -> jsonschema.Draft202012Validator:
    """The schema of SARIF 2.1.0."""
    found = json.loads((multitool / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert found["title"] == "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
    return jsonschema.Draft202012Validator(found)


@pytest.fixture
def validate(multitool: Path, schema: jsonschema.Draft202012Validator, tmp_path: Path) -> Validate:
    """Count the errors and warnings, by rule and level, of the schema and of the Multitool."""
    binary = multitool / "Sarif.Multitool"
    binary.chmod(0o755)

    def counted(text: str) -> Counter[tuple[str, str]]:
        log, verdict = tmp_path / "log.sarif", tmp_path / "verdict.sarif"
        log.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [binary, "validate", log, "--rule-kind", "Sarif;Ghas", "--config", CONFIGURATION, "--output", verdict,
             "--log", "ForceOverwrite"],
            # the machine may have no ICU, and the binary unpacks itself below the home folder otherwise
            env={
                **os.environ,
                "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
                "DOTNET_BUNDLE_EXTRACT_BASE_DIR": str(multitool.parent),
            },
            capture_output=True,
            text=True,
            timeout=300,
        )  # fmt: skip
        assert "Analysis completed successfully." in done.stdout, done.stdout + done.stderr
        (run,) = json.loads(verdict.read_text(encoding="utf-8-sig"))["runs"]
        read = json.loads(text)
        results = read["runs"][0]["results"]
        # the Multitool looks at all of them, jsonschema takes 15 s for 5,000
        read["runs"][0]["results"] = results[:: len(results) // 500 + 1]
        found = Counter(("schema", str(error.validator)) for error in schema.iter_errors(read))
        found.update((result["ruleId"], result.get("level", "warning")) for result in run.get("results", []))
        return found

    return counted


def test_both_do_complain(validate: Validate) -> None:
    log: dict[str, Any] = json.loads(render(REPORT, Style()))
    run = log["runs"][0]
    del run["results"][0]["message"]["text"]
    run["results"][1]["ruleIndex"] = 9999
    run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "file:///x"
    run["results"][2]["locations"][0]["physicalLocation"]["region"] = {"startLine": 0}
    del run["tool"]["driver"]["rules"][3]["help"]
    found = validate(json.dumps(log))
    assert {rule for rule, _ in found} >= {"schema", "GH1006", "GH1015", "GH2012", "SARIF1009"}
    assert found["schema", "minimum"] == 1
    assert found["schema", "anyOf"] == 1


@pytest.mark.parametrize(
    "report",
    [EMPTY, REPORT._replace(findings=REPORT.findings[:1]), REPORT._replace(level="note")],
    ids=["nothing", "one", "shared"],
)
def test_what_is_found_is_told_as_github_wants_it(report: Report, validate: Validate) -> None:
    assert validate(render(report, Style(category="docs"))) == Counter()


def test_messages_that_quote_anything(validate: Validate) -> None:
    location = Location("x/SKILL.md", 1, 1, 1, 1)
    bad = finding(
        "SKL101", "name-missing", "error", HOSTILE, location, "---", hint=HOSTILE,
        fix=Fix(HOSTILE, (Edit(-1, 0, ""), Edit(0, 0, HOSTILE)), True), edits=(location, location),
        related=((location, HOSTILE),),
    )  # fmt: skip
    inside = bad._replace(via=Location("index.json", 3, 1, 4, 1))
    report = EMPTY._replace(findings=(bad, inside), unread=((HOSTILE, HOSTILE),), crashed=1)
    assert validate(render(report, Style())) == Counter()


def test_paths_of_all_kinds(validate: Validate, tmp_path: Path) -> None:
    names = [
        "a blank",
        "[brackets]",
        "100%",
        "%41",
        "日本 é 😀",
        "c:olon",
        "a&b=c?d",
        "#hash",
        "+~@!$'()*,;",
        "back\\slash",
    ]
    for name in names:
        (tmp_path / "work" / name).mkdir(parents=True)
        (tmp_path / "work" / name / "SKILL.md").write_text("---\nname: x\n---\n", encoding="utf-8")
    (tmp_path / "work" / ".git").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "agentskills_lint", "--format=sarif", "--isolated", "."],
        cwd=tmp_path / "work",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    run = json.loads(done.stdout)["runs"][0]
    found = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
    assert len(found) == len(names)
    assert "c%3Aolon/SKILL.md" in found
    assert "%2541/SKILL.md" in found
    assert validate(done.stdout.decode()) == Counter()


def test_a_report_that_was_cut(validate: Validate, monkeypatch: pytest.MonkeyPatch) -> None:
    # the Multitool takes 18 s for the 5,000 results that are kept otherwise
    monkeypatch.setattr("agentskills_lint.reporters.sarif.MOST_RESULTS", 50)
    text = render(EMPTY._replace(findings=REPORT.findings[:3] * 20), Style())
    assert "Only the worst 50 of 60 findings" in text
    assert validate(text) == Counter()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real skills is not beside this checkout")
def test_the_whole_corpus(validate: Validate) -> None:
    report = lint(project([str(CORPUS)], cwd=str(CORPUS)), Config(level="note"))
    text = render(report, Style(root=str(CORPUS)))
    results = json.loads(text)["runs"][0]["results"]
    assert len(results) == min(len(report.findings), 5000) > 1000
    assert validate(text) == Counter()
