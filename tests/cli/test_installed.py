"""`--installed`: where skills of this machine are looked for, in which order, what is shadowed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentskills_lint.cli import main
from agentskills_lint.installed import roots
from tests.support import clean_skill

symlinks = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


def put(root: Path, *names: str, description: str = "") -> None:
    for name in names:
        folder = root / name
        folder.mkdir(parents=True)
        front = f"name: {folder.name}" + (f"\ndescription: {description}" if description else "")
        (folder / "SKILL.md").write_text(clean_skill("agentskills", front), encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and a working directory elsewhere."""
    for name in ("SKILL_PATHS", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "home"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str], str]]:
    """The exit code, the findings (the flake8 format, without the rule's words) and standard error."""

    def call(*options: str) -> tuple[int, list[str], str]:
        code = main(["--isolated", "--installed", "--format=flake8", "--level=note", *options])
        out, err = capsys.readouterr()
        return code, [" ".join(line.split(" ")[:2]) for line in out.splitlines()], err

    return call


def test_roots_come_in_the_order_of_the_clients(home: Path) -> None:
    for folder in ("a/skills", "codex/skills", ".codex/skills", ".claude/skills", ".agents/skills"):
        (home / folder).mkdir(parents=True)
    environment = {"SKILL_PATHS": f"{home}/a/skills{os.pathsep}{os.pathsep}{home}/gone", "CODEX_HOME": f"{home}/codex"}
    assert [Path(path).relative_to(home.resolve()).as_posix() for path in roots(environment, str(home))] == [
        "a/skills", "gone", "codex/skills", ".codex/skills", ".claude/skills", ".agents/skills",
    ]  # fmt: skip


def test_a_root_that_is_named_twice_counts_once_and_missing_defaults_are_left_out(home: Path) -> None:
    (home / ".codex" / "skills").mkdir(parents=True)
    environment = {"SKILL_PATHS": f"{home}/.codex/../.codex/skills", "CODEX_HOME": f"{home}/.codex"}
    assert roots(environment, str(home)) == [str((home / ".codex" / "skills").resolve())]


@symlinks
def test_a_root_that_is_a_link_counts_once(home: Path) -> None:
    (home / ".agents" / "skills").mkdir(parents=True)
    (home / ".claude").mkdir()
    (home / ".claude" / "skills").symlink_to(home / ".agents" / "skills")
    assert roots({}, str(home)) == [str((home / ".agents" / "skills").resolve())]


def test_nothing_installed_is_exit_code_2(home: Path, run: Callable[..., tuple[int, list[str], str]]) -> None:
    code, found, told = run()
    assert (code, found) == (2, [])
    assert told == "agentskills-lint: error: no folder of installed skills exists (SKILL_PATHS names more)\n"


def test_a_missing_explicit_root_is_reported_and_the_others_go_on(
    home: Path, run: Callable[..., tuple[int, list[str], str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home / ".claude" / "skills", "pay")
    monkeypatch.setenv("SKILL_PATHS", str(home / "gone"))
    code, found, told = run()
    assert (code, found) == (2, [])
    assert told == f"agentskills-lint: error: {(home / 'gone').resolve()}: No such file or directory\n"


def test_nothing_is_looked_for_below_a_skill(
    home: Path, run: Callable[..., tuple[int, list[str], str]], capsys: pytest.CaptureFixture[str]
) -> None:
    put(home / ".claude" / "skills", "pay", "pay/references/BAD")
    assert run() == (0, [], "")
    main(["--isolated", "--installed", "--show-files"])
    assert "1 file (1 skill, 0 sites)" in capsys.readouterr().out


@symlinks
def test_an_installed_link_is_followed_out_of_the_folder_and_linted_once(
    home: Path, run: Callable[..., tuple[int, list[str], str]]
) -> None:
    put(home / "elsewhere", "pay", description="x")
    for client in (".claude", ".agents"):
        (home / client / "skills").mkdir(parents=True)
        (home / client / "skills" / "pay").symlink_to(home / "elsewhere" / "pay")
    _, found, _ = run("--select=SKL304,SKL305,SKL30")
    assert {line.split(":")[0] for line in found} == {str((home / ".agents").resolve() / "skills" / "pay" / "SKILL.md")}


def test_what_gitignore_names_is_installed_all_the_same(
    home: Path, run: Callable[..., tuple[int, list[str], str]]
) -> None:
    put(home / ".claude" / "skills", "pay")
    (home / ".git").mkdir()
    (home / ".gitignore").write_text("*\n")
    code, _, told = run()
    assert (code, told) == (0, "")


def test_a_name_that_a_later_root_repeats_is_shadowed(
    home: Path, run: Callable[..., tuple[int, list[str], str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home / ".agents" / "skills", "pay", "buy")
    put(home / ".claude" / "skills", "pay", description="Another one.")
    put(home / "first", "buy", description="Another one.")
    put(home / ".codex" / "skills", "pay")
    monkeypatch.setenv("SKILL_PATHS", str(home / "first"))
    code, found, _ = run("--select=SKL205,SKL208")
    real = home.resolve()
    assert (code, sorted(found)) == (
        1,
        [
            f"{real}/.agents/skills/buy/SKILL.md:2:7: SKL205",
            f"{real}/.agents/skills/pay/SKILL.md:2:7: SKL208",
            f"{real}/.claude/skills/pay/SKILL.md:2:7: SKL205",
        ],
    )


def test_a_machine_without_any_is_empty(home: Path, run: Callable[..., tuple[int, list[str], str]]) -> None:
    assert run() == (2, [], "agentskills-lint: error: no folder of installed skills exists (SKILL_PATHS names more)\n")
    put(home.parent / "work", "pay")  # the working directory is not what was asked for
    assert run("--allow-empty") == (0, [], "")
