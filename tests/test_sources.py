"""What is found on disk, what is passed over and why, what cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.documents import MAX_BYTES, Skill
from agentskills_lint.engine import lint
from agentskills_lint.settings import PathPatterns
from agentskills_lint.site import Project
from agentskills_lint.sources import Disk, Memory, Overlay
from tests.support import clean_skill

NEVER = "never holds skills"

symlinks = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository, so that nothing above it counts."""
    tmp_path.joinpath(".git").mkdir()
    return tmp_path


def grow(root: Path, *paths: str) -> None:
    """Make files; those named SKILL.md are skills, a path that ends in a slash is a folder."""
    for path in paths:
        if path.endswith("/"):
            root.joinpath(path).mkdir(parents=True, exist_ok=True)
            continue
        root.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        root.joinpath(path).write_text(clean_skill("agentskills"), encoding="utf-8")


def ignore(root: Path, folder: str, *lines: str) -> None:
    root.joinpath(folder).mkdir(parents=True, exist_ok=True)
    root.joinpath(folder, ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")


def look(root: Path, *paths: str, **settings: object) -> Project:
    return project(paths or ["."], Config(**settings), cwd=str(root))  # type: ignore[arg-type]


def names(found: Project) -> list[str]:
    return [document.path for document in found.documents if found.scope.holds(document.location)]


def over(found: Project) -> dict[str, str]:
    """What was passed over, the repository's own folder aside."""
    return dict(found.passed_over)


# Walking


def test_case_088_hidden_folders_are_entered_and_others_passed_over_aloud(here: Path) -> None:
    hidden = [f"{name}/skills/a/SKILL.md" for name in (".agents", ".claude", ".codex", ".github", ".opencode")]
    grow(here, *hidden, ".well-known/agent-skills/a/SKILL.md", "node_modules/a/SKILL.md", "env/pyvenv.cfg")
    grow(here, "env/lib/a/SKILL.md", ".git/a/SKILL.md", "x/__pycache__/SKILL.md")
    found = look(here)
    assert names(found) == [".agents/skills/a/SKILL.md", ".claude/skills/a/SKILL.md", ".codex/skills/a/SKILL.md",
                            ".github/skills/a/SKILL.md", ".opencode/skills/a/SKILL.md",
                            ".well-known/agent-skills/a/SKILL.md"]  # fmt: skip
    assert found.passed_over == (
        ("env", "virtual environment"),
        ("node_modules", NEVER),
        ("x/__pycache__", NEVER),
    )
    assert found.unread == ()


def test_case_088_an_explicit_path_is_always_linted(here: Path) -> None:
    grow(here, "node_modules/a/SKILL.md", "env/pyvenv.cfg", "env/a/SKILL.md", "build/a/SKILL.md")
    ignore(here, ".", "build/", "SKILL.md")
    assert names(look(here, "node_modules")) == []
    assert names(look(here, "node_modules", respect_gitignore=False)) == ["node_modules/a/SKILL.md"]
    assert names(look(here, "env", respect_gitignore=False)) == ["env/a/SKILL.md"]
    assert names(look(here, "build")) == ["build/a/SKILL.md"]
    assert names(look(here, "build/a/SKILL.md")) == ["build/a/SKILL.md"]
    assert names(look(here)) == []


def test_a_file_of_another_name_is_linted_when_it_is_given(here: Path) -> None:
    grow(here, "a/skill.md", "a/README.md", "a/notes.txt", "a/SKILLS.md")
    assert names(look(here)) == ["a/SKILLS.md", "a/skill.md"]
    found = look(here, "a/README.md", "a/notes.txt")
    assert names(found) == ["a/README.md"]
    assert over(found) == {"a/notes.txt": "no kind of file that is linted"}


def test_arguments_that_overlap_give_each_file_once(here: Path) -> None:
    grow(here, "a/SKILL.md", "a/b/SKILL.md")
    found = look(here, "a/b", "a", ".", "a/SKILL.md", "./a/../a/b/SKILL.md", str(here / "a"))
    assert names(found) == ["a/SKILL.md", "a/b/SKILL.md"]
    assert over(found) == {}


@contextmanager
def nested(root: Path, name: str, depth: int) -> Iterator[None]:
    """Folders too deep for a path to name them, with a skill in the last; taken away again step by step."""
    back = os.getcwd()
    os.chdir(root)
    for _ in range(depth):
        os.mkdir(name)
        os.chdir(name)
    Path("SKILL.md").write_text(clean_skill("agentskills"), encoding="utf-8")
    os.chdir(back)
    try:
        yield
    finally:
        os.chdir(root)
        for _ in range(depth):
            os.chdir(name)
        os.remove("SKILL.md")
        for _ in range(depth):
            os.chdir("..")
            os.rmdir(name)
        os.chdir(back)


@pytest.mark.skipif(os.name == "nt", reason="paths are shorter there")
def test_folders_may_be_nested_deeper_than_python_recurses(here: Path) -> None:
    with nested(here, "d", 1500):
        assert names(look(here)) == [f"{'d/' * 1500}SKILL.md"]
        assert names(look(here, "/".join(["d"] * 1500))) == [f"{'d/' * 1500}SKILL.md"]


@pytest.mark.skipif(os.name == "nt", reason="paths have another limit")
def test_a_path_too_long_to_be_read_is_told_and_the_others_go_on(here: Path) -> None:
    grow(here, "a/SKILL.md")
    with nested(here, "d" * 250, 20):
        found = look(here)
    assert names(found) == ["a/SKILL.md"]
    assert [reason for _, reason in found.unread] == ["File name too long"]


# .gitignore


def test_gitignore_decides_what_is_walked_into(here: Path) -> None:
    grow(here, "a/SKILL.md", "build/SKILL.md", "a/out/SKILL.md", "b/keep/SKILL.md", "b/drop/SKILL.md", "c/SKILL.md")
    ignore(here, ".", "build/", "/b/*", "!/b/keep", "c/SKILL.md")
    ignore(here, "a", "out")
    found = look(here)
    assert names(found) == ["a/SKILL.md", "b/keep/SKILL.md"]
    assert over(found) == {
        "a/out": "ignored by 'out' in a/.gitignore",
        "b/drop": "ignored by '/b/*' in .gitignore",
        "build": "ignored by 'build/' in .gitignore",
        "c/SKILL.md": "ignored by 'c/SKILL.md' in .gitignore",
    }
    assert len(names(look(here, respect_gitignore=False))) == 6


def test_the_nearest_gitignore_decides(here: Path) -> None:
    grow(here, "a/tmp/SKILL.md", "b/tmp/SKILL.md")
    ignore(here, ".", "tmp")
    ignore(here, "a", "!tmp")
    assert names(look(here)) == ["a/tmp/SKILL.md"]


def test_gitignore_above_the_argument_holds_up_to_the_repository(tmp_path: Path) -> None:
    grow(tmp_path, "r/.git/", "r/a/tmp/SKILL.md", "r/a/b/SKILL.md")
    ignore(tmp_path, ".", "b")
    ignore(tmp_path, "r", "/a/tmp")
    for root, argument in ((tmp_path / "r", "a"), (tmp_path / "r" / "a", "."), (tmp_path, "r/a")):
        assert [document.location for document in look(root, argument).documents] == [
            (tmp_path / "r/a/b/SKILL.md").as_posix()
        ]
    grow(tmp_path, "n/a/b/SKILL.md")
    ignore(tmp_path, "n", "b")
    assert names(look(tmp_path / "n" / "a")) == ["b/SKILL.md"], "no repository, so nothing above counts"
    assert names(look(tmp_path / "n")) == []


def test_what_is_inside_an_ignored_argument_counts(here: Path) -> None:
    grow(here, "public/a/SKILL.md", "public/tmp/SKILL.md", "public/x/SKILL.md")
    ignore(here, ".", "public/", "x")
    ignore(here, "public", "tmp")
    assert names(look(here)) == []
    assert names(look(here, "public")) == ["public/a/SKILL.md", "public/x/SKILL.md"]
    assert names(look(here, "public/tmp")) == ["public/tmp/SKILL.md"]
    assert names(look(here / "public" / "x")) == ["SKILL.md"]


@pytest.mark.parametrize("folder", [".well-known", ".claude", ".agents", ".codex", ".github"])
def test_folders_of_skills_are_entered_though_ignored(here: Path, folder: str) -> None:
    grow(here, f"{folder}/skills/a/SKILL.md", f"{folder}/skills/b/SKILL.md")
    ignore(here, ".", f"{folder}/", ".*")
    ignore(here, f"{folder}/skills", "b")
    assert names(look(here)) == [f"{folder}/skills/a/SKILL.md"]


def test_a_repository_inside_has_its_own_rules(here: Path) -> None:
    grow(here, "vendor/.git/", "vendor/a/SKILL.md", "vendor/b/SKILL.md")
    ignore(here, ".", "a")
    ignore(here, "vendor", "b")
    assert names(look(here)) == ["vendor/a/SKILL.md"]


def test_a_gitignore_that_is_no_text_does_no_harm(here: Path) -> None:
    grow(here, "a/SKILL.md", "b/SKILL.md", "c/.gitignore/", "c/SKILL.md")
    here.joinpath(".gitignore").write_bytes(b"\xef\xbb\xbfa/\r\n\xff\xfe[\n\\\n[z-\n")
    assert names(look(here)) == ["b/SKILL.md", "c/SKILL.md"]


# Exclusion


def excluding(root: Path, *patterns: str) -> tuple[PathPatterns, ...]:
    return tuple(PathPatterns(f"{root.as_posix()}/", pattern) for pattern in patterns)


def test_excluded_paths_are_passed_over_unless_they_are_given(here: Path) -> None:
    grow(here, "a/SKILL.md", "old/b/SKILL.md", "c/SKILL.md")
    exclude = excluding(here, "old/", "c/SKILL.md")
    found = look(here, exclude=exclude)
    assert names(found) == ["a/SKILL.md"]
    assert over(found) == {"c/SKILL.md": "excluded by 'c/SKILL.md'", "old": "excluded by 'old/'"}
    assert names(look(here, "old", "c/SKILL.md", exclude=exclude)) == ["c/SKILL.md", "old/b/SKILL.md"]


def test_force_exclude_holds_for_given_paths_and_the_folders_above_them(here: Path) -> None:
    grow(here, "a/SKILL.md", "old/b/SKILL.md", "c/SKILL.md")
    exclude = excluding(here, "old/", "c/SKILL.md")
    found = look(here, "a", "old", "old/b", "old/b/SKILL.md", "c/SKILL.md", exclude=exclude, force_exclude=True)
    assert names(found) == ["a/SKILL.md"]
    assert over(found) == {
        "c/SKILL.md": "excluded by 'c/SKILL.md'",
        "old": "excluded by 'old/'",
        "old/b": "excluded by 'old/'",
        "old/b/SKILL.md": "excluded by 'old/'",
    }
    assert found.unread == ()


# Symbolic links


@symlinks
def test_case_089_a_linked_folder_is_linted_once_where_it_really_stands(here: Path) -> None:
    grow(here, "skills/pay/SKILL.md", ".claude/")
    here.joinpath(".claude/skills").symlink_to("../skills")
    here.joinpath("again").symlink_to("skills/pay")
    found = look(here)
    assert names(found) == ["skills/pay/SKILL.md"]
    assert over(found) == {".claude/skills": "link to skills", "again": "link to skills/pay"}


@symlinks
def test_case_089_loops_end(here: Path) -> None:
    grow(here, "a/SKILL.md")
    here.joinpath("a/up").symlink_to("..")
    here.joinpath("a/self").symlink_to("self")
    here.joinpath("a/me").symlink_to(".")
    found = look(here)
    assert names(found) == ["a/SKILL.md"]
    assert over(found) == {"a/me": "link to a", "a/up": "link to ."}
    assert found.unread == ()


@symlinks
def test_case_089_a_link_out_of_the_tree_is_not_followed(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    grow(outside, "x/SKILL.md")
    grow(here, "a/SKILL.md", "pay/")
    here.joinpath("out").symlink_to(outside)
    here.joinpath("pay/SKILL.md").symlink_to(outside / "x/SKILL.md")
    found = look(here)
    assert names(found) == ["a/SKILL.md"]
    assert over(found) == {
        "out": f"link that leads out of the tree, to {outside}",
        "pay/SKILL.md": f"link that leads out of the tree, to {outside}/x/SKILL.md",
    }
    assert names(look(here, "out", "pay/SKILL.md")) == ["out/x/SKILL.md", "pay/SKILL.md"]


@symlinks
def test_case_089_a_link_inside_the_repository_is_followed_out_of_the_argument(here: Path) -> None:
    grow(here, "skills/pay/SKILL.md", ".claude/skills/")
    here.joinpath(".claude/skills/pay").symlink_to("../../skills/pay")
    here.joinpath(".claude/skills/two").symlink_to("../../skills/pay")
    found = look(here, ".claude")
    assert names(found) == [".claude/skills/pay/SKILL.md"]
    assert over(found) == {".claude/skills/two": "link to .claude/skills/pay"}


@symlinks
def test_case_089_without_a_repository_the_argument_is_the_tree(tmp_path: Path) -> None:
    grow(tmp_path, "skills/pay/SKILL.md", "mine/a/SKILL.md", "other/b/SKILL.md")
    tmp_path.joinpath("mine/pay").symlink_to("../skills/pay")
    found = look(tmp_path, "mine", "other")
    assert names(found) == ["mine/a/SKILL.md", "other/b/SKILL.md"]
    assert over(found) == {"mine/pay": f"link that leads out of the tree, to {tmp_path}/skills/pay"}


@symlinks
def test_case_089_dangling_links(here: Path) -> None:
    grow(here, "a/", "b/SKILL.md")
    here.joinpath("a/SKILL.md").symlink_to("nowhere")
    here.joinpath("a/folder").symlink_to("nowhere")
    found = look(here)
    assert names(found) == ["b/SKILL.md"]
    assert found.unread == (("a/SKILL.md", "dangling symbolic link"),)
    assert look(here, "a/SKILL.md").unread == (("a/SKILL.md", "No such file or directory"),)


@symlinks
def test_case_089_a_linked_file_counts_under_its_own_folder_name(here: Path) -> None:
    grow(here, "skills/pay/SKILL.md", "copy/pay/", "copy/order/")
    here.joinpath("copy/pay/SKILL.md").symlink_to("../../skills/pay/SKILL.md")
    here.joinpath("copy/order/SKILL.md").symlink_to("../../skills/pay/SKILL.md")
    found = look(here)
    assert names(found) == ["copy/order/SKILL.md", "skills/pay/SKILL.md"]
    assert over(found) == {"copy/pay/SKILL.md": "link to skills/pay/SKILL.md"}
    folders = [document.folder.name for document in found.documents if document.folder]
    assert folders == ["order", "pay"]


# What is no readable file


def test_a_folder_named_like_a_skill_is_a_document(here: Path) -> None:
    grow(here, "a/SKILL.md/", "b/SKILL.md")
    for found in (look(here), look(here, "a/SKILL.md", "b/SKILL.md")):
        assert [(document.path, document.raw == b"") for document in found.documents] == [
            ("a/SKILL.md", True),
            ("b/SKILL.md", False),
        ]
        assert found.unread == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_opened(here: Path) -> None:
    grow(here, "a/")
    os.mkfifo(here / "a/SKILL.md")
    for found in (look(here), look(here, "a/SKILL.md")):
        assert [(document.path, document.raw, document.size) for document in found.documents] == [
            ("a/SKILL.md", b"", 0)
        ]
    with pytest.raises(OSError, match="not a regular file"):
        Disk().read(str(here / "a/SKILL.md"))
    assert look(here).documents[0].folder.read("SKILL.md") is None  # type: ignore[union-attr]


def test_a_file_over_the_cap_is_not_read(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(here, "a/SKILL.md")
    os.truncate(here / "a/SKILL.md", 50_000_000)
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    (document,) = look(here, "a/SKILL.md").documents
    assert (document.raw, document.size) == (b"", 50_000_000)
    assert document.size > MAX_BYTES


def test_a_file_that_vanishes_is_told_and_the_others_go_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(here, "a/SKILL.md", "b/SKILL.md", "c/SKILL.md")
    read = Disk.read

    def reading(self: Disk, path: str, limit: int) -> bytes:
        if path.endswith("b/SKILL.md"):
            os.remove(path)
        if path.endswith("c/SKILL.md"):
            raise PermissionError(13, "Permission denied")
        return read(self, path, limit)

    monkeypatch.setattr(Disk, "read", reading)
    found = look(here)
    assert names(found) == ["a/SKILL.md"]
    assert found.unread == (("b/SKILL.md", "No such file or directory"), ("c/SKILL.md", "Permission denied"))


def test_a_folder_that_may_not_be_read_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(here, "a/SKILL.md", "b/c/SKILL.md")
    listing = Disk.listing

    def listed(self: Disk, path: str) -> dict[str, str]:
        if path.endswith("/b"):
            raise PermissionError(13, "Permission denied")
        return listing(self, path)

    monkeypatch.setattr(Disk, "listing", listed)
    found = look(here)
    assert names(found) == ["a/SKILL.md"]
    assert found.unread == (("b", "Permission denied"),)


def test_a_page_that_is_named_is_passed_over_as_when_it_is_walked(here: Path) -> None:
    page = here / ".github/PULL_REQUEST_TEMPLATE/skill.md"
    page.parent.mkdir(parents=True)
    page.write_text("# What the new skill does\n", encoding="utf-8")
    for found in (look(here), look(here, ".github/PULL_REQUEST_TEMPLATE/skill.md")):
        assert names(found) == []
        assert over(found)[".github/PULL_REQUEST_TEMPLATE/skill.md"] == "a page, no skill"
    page.write_text("---\nname: pay\n---\n", encoding="utf-8")
    assert names(look(here, ".github/PULL_REQUEST_TEMPLATE/skill.md")) == [".github/PULL_REQUEST_TEMPLATE/skill.md"]


def test_a_name_that_no_client_reads_is_said(here: Path) -> None:
    grow(here, "a/SKILL.mdx", "b/skill.md.txt", "c/SKILL", "d/SKILL.md", "e/skill/")
    found = look(here)
    assert names(found) == ["d/SKILL.md"]
    said = "no skill by its name: clients read SKILL.md"
    assert over(found) == {"a/SKILL.mdx": said, "b/skill.md.txt": said, "c/SKILL": said}


def test_an_argument_that_is_not_there_is_told_as_it_was_written(here: Path) -> None:
    grow(here, "a/SKILL.md")
    found = look(here, "a", "./nope", "a/SKILL.md/x", "nul\0byte")
    assert names(found) == ["a/SKILL.md"]
    assert found.unread == (
        ("./nope", "No such file or directory"),
        ("a/SKILL.md/x", "Not a directory"),
        ("nul\0byte", "no path holds a null byte"),
    )


def test_a_parser_that_fails_costs_one_file_only(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(here, "a/SKILL.md", "b/SKILL.md")

    def reading(self: Skill) -> None:
        if self.path.startswith("a/"):
            raise RecursionError("too deep")

    monkeypatch.setattr(Skill, "_read_front", reading)
    found = look(here)
    assert names(found) == ["b/SKILL.md"]
    assert found.unread == (("a/SKILL.md", "internal error: RecursionError: too deep"),)


@pytest.mark.skipif(os.name != "posix" or os.sys.platform == "darwin", reason="names are text here")  # type: ignore[attr-defined]
def test_a_name_that_is_no_text_is_no_hindrance(here: Path) -> None:
    folder = os.fsencode(here) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/SKILL.md", "w", encoding="utf-8") as file:
        file.write(clean_skill("agentskills"))
    found = look(here)
    assert names(found) == ["caf\udce9/SKILL.md"]
    assert lint(found, Config()).skills[0].path == "caf\udce9/SKILL.md"


# Standard input and other sources


def test_a_buffer_stands_for_a_file(here: Path) -> None:
    grow(here, "a/SKILL.md", "b/SKILL.md")
    found = project(["."], stdin=("a/SKILL.md", b"new"), cwd=str(here))
    assert [(document.path, document.raw == b"new") for document in found.documents] == [
        ("a/SKILL.md", True),
        ("b/SKILL.md", False),
    ]


def test_a_buffer_needs_no_file_on_disk(here: Path) -> None:
    found = project([], stdin=("new/pay/SKILL.md", b"---\n"), cwd=str(here))
    (document,) = found.documents
    assert (document.path, document.raw) == ("new/pay/SKILL.md", b"---\n")
    assert document.folder is not None
    assert document.folder.name == "pay"
    assert document.folder.entries() == {"SKILL.md": "file"}
    assert document.folder.entries("..") == {"pay": "folder"}
    assert found.unread == ()


def test_a_buffer_without_a_name_has_no_folder(here: Path) -> None:
    grow(here, "SKILL.md")
    found = project(["SKILL.md"], stdin=(None, b"text"), cwd=str(here))
    assert [(document.path, document.folder is None) for document in found.documents] == [
        ("-", True),
        ("SKILL.md", False),
    ]


def test_an_overlay_shows_buffers_over_what_lies_below() -> None:
    overlay = Overlay(Memory({"/r/a/1": b"one", "/r/2": b"two"}), {"/r/a/1": b"new", "/r/b/c/3": b"three"})
    assert overlay.read("/r/a/1") == b"new"
    assert overlay.read("/r/2") == b"two"
    assert overlay.entries("/r") == {"a": "folder", "2": "file", "b": "folder"}
    assert overlay.listing("/r/b") == {"c": "folder"}
    assert overlay.status("/r/b/c/3") == ("file", 5)
    assert overlay.status("/r/b") == ("folder", 0)
    assert overlay.status("/r/2") == ("file", 3)
    for missing in (lambda: overlay.status("/r/x"), lambda: overlay.read("/r/x")):
        with pytest.raises(FileNotFoundError):
            missing()


# From anywhere


def _fingerprints(root: Path, *paths: str) -> Mapping[str, str]:
    report = lint(look(root, *paths), Config(select=("SKL101",)))
    return {finding.fingerprint: finding.path for finding in report.findings}


def _two_skills(root: Path, *more: str) -> Mapping[str, str]:
    grow(root, "skills/a/", "skills/b/", *more)
    for name in "ab":
        root.joinpath(f"skills/{name}/SKILL.md").write_text("---\ndescription: Pays.\n---\n# A\n", encoding="utf-8")
    return _fingerprints(root, "skills")


def test_in_a_repository_findings_are_the_same_from_every_working_directory(tmp_path: Path) -> None:
    root = tmp_path / "root"
    there = _two_skills(root, ".git/")
    assert list(there.values()) == ["skills/a/SKILL.md", "skills/b/SKILL.md"]
    for cwd, argument in (
        (root / "skills", "."),
        (root / "skills" / "a", ".."),
        (tmp_path, "root/skills"),
        (Path("/"), str(root / "skills")),
    ):
        assert _fingerprints(cwd, argument).keys() == there.keys()
    assert _fingerprints(root / "skills/a", "SKILL.md", "../b/SKILL.md").keys() == there.keys()
    assert _fingerprints(root).keys() == there.keys()


def test_outside_of_one_findings_are_the_same_whatever_the_arguments(tmp_path: Path) -> None:
    there = _two_skills(tmp_path / "root")
    for arguments in ((".",), ("skills/a", "skills/b"), ("skills/b/SKILL.md", "skills/a/SKILL.md"), ()):
        found = _fingerprints(tmp_path / "root", *arguments)
        assert found.keys() == there.keys()
    assert list(_fingerprints(tmp_path / "root", "skills/a").values()) == ["skills/a/SKILL.md"]
    assert _fingerprints(tmp_path / "root", "skills/a").items() <= there.items()


def test_paths_are_shown_relative_to_the_working_directory(tmp_path: Path) -> None:
    grow(tmp_path, "r/.git/", "r/a/SKILL.md", "r/b/c/SKILL.md", "other/SKILL.md")
    a, b, other = (tmp_path / part for part in ("r/a/SKILL.md", "r/b/c/SKILL.md", "other/SKILL.md"))
    assert names(look(tmp_path / "r", str(a), str(b))) == ["a/SKILL.md", "b/c/SKILL.md"]
    assert names(look(tmp_path / "r" / "b", "../a", ".")) == ["../a/SKILL.md", "c/SKILL.md"]
    assert names(look(tmp_path / "other", str(a))) == [a.as_posix()]
    assert names(look(Path("/"), str(other))) == [other.as_posix().lstrip("/")]


def test_the_enclosing_site_of_a_file_decides_its_specs(tmp_path: Path) -> None:
    grow(tmp_path, "s/skills/a/SKILL.md", "s/.well-known/agent-skills/b/SKILL.md")
    tmp_path.joinpath("s/skills.txt").write_text("# S\n\n## Skills\n\n- [A](/skills/a/SKILL.md): a\n", encoding="utf-8")
    for cwd, argument in ((tmp_path, "s/skills/a/SKILL.md"), (tmp_path / "s/skills/a", "."), (tmp_path, "s")):
        found = look(cwd, argument)
        assert [site.folder.path for site in found.sites] == [(tmp_path / "s").as_posix()]
        specs = [facts.specs for facts in lint(found, Config()).skills if ".well-known" not in facts.path]
        assert [sorted(each) for each in specs] == [["advice", "agentskills", "wsp"]]


def test_a_site_above_the_repository_does_not_count(tmp_path: Path) -> None:
    grow(tmp_path, "r/.git/", "r/skills/a/SKILL.md", ".well-known/agent-skills/a/SKILL.md")
    for argument in ("r", "r/skills", "r/skills/a/SKILL.md"):
        assert look(tmp_path, argument).sites == ()
    assert [site.path for site in look(tmp_path, ".").sites] == ["."]


def test_a_relative_argument_outside_the_working_directory_stays_relative(tmp_path: Path) -> None:
    for name in ("here", "there/pay"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "there" / "pay" / "SKILL.md").write_bytes(b"x")
    cwd = str(tmp_path / "here")
    assert [d.path for d in project(["../there"], cwd=cwd).documents] == ["../there/pay/SKILL.md"]
    absolute = (tmp_path / "there").as_posix()
    assert [d.path for d in project([absolute], cwd=cwd).documents] == [f"{absolute}/pay/SKILL.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_named_like_a_skill_is_no_regular_file(here: Path) -> None:
    here.joinpath("pay").mkdir()
    os.mkfifo(here / "pay" / "SKILL.md")
    for path in ("pay", "pay/SKILL.md"):
        found = lint(project([path], cwd=str(here)), Config())
        assert [(f.rule, f.message) for f in found.findings] == [("empty-file", "'SKILL.md' is not a regular file")]
