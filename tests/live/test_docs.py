"""docs/live.md and the benchmark of live sites."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentskills_lint import archives, documents, options
from agentskills_lint.live import fetch
from agentskills_lint.rule import load_rules
from benchmarks import live

PAGE = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")


def test_all_options_and_their_defaults_are_on_the_page() -> None:
    (group,) = (group for group in options._parser()._action_groups if group.title == "live sites")
    for action in group._group_actions:
        row = re.search(rf"^\| `'?{action.option_strings[0]}[^`]*` \|(.*?)\|.*\|$", PAGE, re.M)
        assert row is not None, action.option_strings
        if isinstance(action.default, int | float) and not isinstance(action.default, bool):
            assert row[1].strip() == f"{action.default:g}"


def test_all_rules_about_http_are_on_the_page() -> None:
    rules = [rule.id for rule in load_rules() if rule.check.__module__.endswith(".http")]
    assert len(rules) == 10
    assert sorted(set(re.findall(r"\[(http-[a-z0-9-]+)\]\(rules/\1\.md\)", PAGE))) == sorted(rules)


def test_limits_are_those_of_the_code() -> None:
    assert f"{documents.MAX_BYTES // 1_000_000} MB a file" in PAGE
    assert f"{archives.MAX_ARCHIVE // 1_000_000} MB an archive" in PAGE
    assert f"{fetch.MAX_TOTAL // 1_000_000} MB a run" in PAGE
    assert f"{fetch.MAX_REDIRECTS} redirects" in PAGE
    assert fetch.MAX_RETRIES == 3
    assert fetch.MAX_WAIT == 60


def test_the_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert live.main(["--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["lint the live site", "fetch with httpx", "lint the tree"]
    assert all(run["wall"] > 0 and run["peak"] > 0 for runs in found.values() for run in runs)
