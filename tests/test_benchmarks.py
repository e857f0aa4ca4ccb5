"""The benchmarks run; no time is asserted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from benchmarks import flake8, floor, run
from benchmarks.corpus import generate, publish, skill


def test_the_generator_makes_the_same_clean_skills_each_time(tmp_path: Path) -> None:
    generate(tmp_path, 5)
    made = {path.parent.name: path.read_bytes() for path in tmp_path.glob("*/SKILL.md")}
    assert made == {name: text.encode() for name, text in map(skill, range(5))}
    assert all(3_000 < len(text) < 12_000 for text in made.values())
    assert len({text.split(b"\n## ")[0] for text in made.values()}) == 5
    found = lint(project([str(tmp_path)]), Config(level="warning"))
    assert len(found.skills) == 5
    assert [str(finding) for finding in found.findings if finding.level == "error"] == []


def test_the_site_that_is_measured_is_whole(tmp_path: Path) -> None:
    publish(tmp_path, 4)
    found = lint(project([str(tmp_path)]), Config(level="warning"))
    assert found.files == {"index": 1, "skill": 4, "discovery": 1}
    assert [site.registries for site in found.sites] == [
        {".well-known/agent-skills/index.json": ("discovery",), "skills.txt": ("wsp",)}
    ]
    assert [f.message for f in found.findings if f.level == "error"] == []


def test_skills_have_the_size_and_the_mixture_that_the_readme_tells() -> None:
    texts = [skill(number)[1] for number in range(60)]
    sizes = [len(text.encode()) for text in texts]
    assert min(sizes) > 3_000
    assert max(sizes) < 12_000
    assert 0.5 < sum(not text.isascii() for text in texts) / len(texts) < 1
    for part in ("\n## ", "\n- ", "\n1. ", "\n| ", "```json", "```python", "](references/notes.md)"):
        assert sum(part in text for text in texts) >= 10, part


def test_the_floor_reads_all_skills_and_stumbles_over_none(tmp_path: Path) -> None:
    generate(tmp_path, 3)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "SKILL.md").write_bytes(b"---\nname: [\n---\n# \xff\n")
    (tmp_path / "README.md").write_bytes(b"# no skill\n")
    paths = list(floor.skills(str(tmp_path)))
    assert len(paths) == 4
    assert floor.parse(str(tmp_path / "broken" / "SKILL.md")) == 3  # a heading: start, text, end
    assert all(floor.parse(path) > 50 for path in paths if "broken" not in path)


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs os.wait4")
@pytest.mark.parametrize("given", [True, False], ids=["corpus", "generated"])
def test_a_quick_run_measures_all_comparisons(tmp_path: Path, capsys: pytest.CaptureFixture[str], given: bool) -> None:
    generate(tmp_path / "skills", 2)
    peer = f"{sys.executable} benchmarks/floor.py {{}}"
    arguments = ["--quick", "--json", "--peer", peer, *(["--corpus", str(tmp_path / "skills")] if given else [])]
    assert run.main(arguments) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["skills"] == (2 if given else 5)
    assert [pair["title"] for pair in figures["comparisons"]] == ["start", "skills", "site", "growth", "peer"]
    for pair in figures["comparisons"]:
        ours, theirs = pair["commands"]
        assert len(ours["seconds"]) == len(theirs["seconds"]) >= 1
        assert pair["ratio"] == ours["median"] / theirs["median"] > 0


def test_the_table_tells_medians_and_ratios() -> None:
    pair = run.Pair("skills", ("lint all skills", "floor"), ([0.3, 0.2, 0.4], [0.1, 0.2, 0.2]))
    assert run.table(7, [pair]).splitlines() == [
        "7 skills, CPU time, medians of alternating runs",
        "",
        "                                         ratio  lowest highest",
        "skills     lint all skills    300.0 ms    1.50    1.00    3.00",
        "                     floor    200.0 ms",
    ]


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs os.wait4")
def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="exit code 2"):
        run.cpu_seconds((sys.executable, "-c", "raise SystemExit(2)"), run.environment(""))


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs os.wait4")
def test_flake8_is_measured_with_and_without_the_plugin(capsys: pytest.CaptureFixture[str]) -> None:
    assert flake8.main(["--quick", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["files"] == 5
    assert [pair["title"] for pair in figures["comparisons"]] == ["plugin", "literals"]
    assert all(pair["ratio"] > 0 for pair in figures["comparisons"])
