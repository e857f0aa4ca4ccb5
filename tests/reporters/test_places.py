"""Paths below the repository's root, from any working directory; ranges on one line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Location, Report
from agentskills_lint.reporters import FORMATS, Style
from agentskills_lint.reporters._places import Place, Places, text, worst_first
from tests.reporters.shared import EMPTY, REPORT, finding

SKILL = "---\nname: pay\n---\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a skill, a link to it, and a link to a folder outside."""
    root = tmp_path / "re po"
    for folder in (root / ".git", root / "skills" / "pay", tmp_path / "outside" / "pay"):
        folder.mkdir(parents=True)
    for folder in (root / "skills" / "pay", tmp_path / "outside" / "pay"):
        (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return root


def paths(where: Iterable[str | Path], cwd: Path, root: Path | None = None) -> set[str]:
    report = lint(project([str(path) for path in where], cwd=str(cwd)), Config())
    places = Places(report, Style(root=str(root or "")))
    return {places.place(finding).path for finding in report.findings}


def test_paths_are_the_same_from_every_working_directory(repository: Path) -> None:
    for where, cwd in (
        (["."], repository),
        (["."], repository / "skills"),
        (["SKILL.md"], repository / "skills" / "pay"),
        (["re po/skills"], repository.parent),
        ([repository], Path("/")),
    ):
        assert paths(where, cwd) == {"skills/pay/SKILL.md"}, (where, cwd)


def test_a_root_of_ones_own(repository: Path) -> None:
    assert paths(["."], repository, repository / "skills") == {"pay/SKILL.md"}
    assert paths(["."], repository, repository.parent) == {"re po/skills/pay/SKILL.md"}
    assert paths(["."], repository, repository / ".git") == {"../skills/pay/SKILL.md"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_resolved_as_long_as_they_stay_in_the_repository(repository: Path) -> None:
    (repository / ".claude").mkdir()
    (repository / ".claude" / "skills").symlink_to("../skills")
    assert paths([".claude/skills/pay/SKILL.md"], repository) == {"skills/pay/SKILL.md"}
    (repository / "far").symlink_to("../outside")
    assert paths(["far/pay/SKILL.md"], repository) == {"far/pay/SKILL.md"}
    alias = repository.parent / "alias"
    alias.symlink_to(repository)
    assert paths(["skills"], alias) == {"skills/pay/SKILL.md"}
    assert paths(["skills"], alias, repository) == {"skills/pay/SKILL.md"}


def test_a_report_without_a_root_keeps_the_paths_that_it_shows() -> None:
    places = Places(EMPTY, Style())
    assert places.of(Location("a/b", 1, 1, 1, 1)) == "a/b"
    assert places.of(Location("a/b", 1, 1, 1, 1, "/x/a/b")) == "a/b"
    rooted = Places(EMPTY._replace(root="/x"), Style())
    assert rooted.of(Location("b", 1, 1, 1, 1, "/x/a/b")) == "a/b"
    assert rooted.of(Location("-", 1, 1, 1, 1)) == "-"


def test_a_range_ends_on_the_line_where_it_starts() -> None:
    places = Places(EMPTY, Style())
    found = [
        places.place(finding("SKL101", "name-missing", "error", "m", location, "12345"))
        for location in (Location("a", 2, 2, 2, 4), Location("a", 2, 2, 3, 1), Location("a", 2, 7, 4, 9))
    ]
    assert found == [Place("a", 2, 2, 4), Place("a", 2, 2, 6), Place("a", 2, 7, 7)]


def archived(via: Location) -> Report:
    inner = Location("site/demo.tar.gz!SKILL.md", 3, 5, 3, 9, "/r/site/demo.tar.gz!SKILL.md")
    return EMPTY._replace(
        root="/r", findings=(finding("SKL201", "name-kebab-case", "error", "name 'X'", inner, "name: X", via=via),)
    )


def test_what_lies_in_an_archive_is_shown_at_the_entry_that_names_it() -> None:
    report = archived(Location("index.json", 7, 9, 7, 20, "/r/site/index.json"))
    assert Places(report, Style()).place(report.findings[0]) == Place("site/index.json", 7, 9, 20)
    assert text(report.findings[0]) == "name 'X' (in site/demo.tar.gz!SKILL.md:3:5)"
    several = archived(Location("index.json", 7, 9, 8, 2, "/r/site/index.json"))
    assert Places(several, Style()).place(several.findings[0]) == Place("site/index.json", 7, 9, 10)


def test_the_worst_come_first_and_otherwise_keep_their_order() -> None:
    codes = [f.code for f in worst_first(reversed(REPORT.findings))]
    assert codes == ["SKL008", "SKL101", "SKL706", "SKL707"]


def test_what_formats_share_is_no_format() -> None:
    assert FORMATS == ("flake8", "github", "gitlab", "json", "junit", "sarif", "summary", "text")
