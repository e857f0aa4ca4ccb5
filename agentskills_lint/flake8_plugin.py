"""The flake8 plugin: the rules about scripts, on the Python files that flake8 visits, and skills in string literals."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from agentskills_lint.about import VERSION

if TYPE_CHECKING:
    import argparse
    import ast

    from agentskills_lint.documents import Document
    from agentskills_lint.model import Finding

# flake8 starts this for every file: whatever of ours is needed is imported where a file lies in a
# skill or holds one.


class Plugin:
    """What flake8 calls once a file, with its syntax tree."""

    name = "agentskills-lint"
    version = VERSION
    skill_literals = False
    skill_notes = False

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        self._tree = tree
        self._filename = filename
        self._lines = lines

    @classmethod
    def add_options(cls, manager: Any) -> None:
        """The settings of the plugin, on the command line and in flake8's configuration."""
        manager.add_option(
            "--skill-literals",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="lint string literals that hold a SKILL.md (off)",
        )
        manager.add_option(
            "--skill-notes",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="report notes of agentskills-lint, too (off)",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Take the settings; flake8 does so in each of its processes."""
        cls.skill_literals = bool(options.skill_literals)
        cls.skill_notes = bool(options.skill_notes)

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """(line from 1, column from 0, code and message, this class) of each finding."""
        skill = _skill_above(self._filename)
        if skill is not None:
            for finding in _script_findings(self._filename, "".join(self._lines), skill):
                if self._reports(finding):
                    yield finding.line, finding.column - 1, _told(finding), type(self)
        if self.skill_literals and any("---" in line for line in self._lines):
            from agentskills_lint.literals import literals

            for literal in literals(self._tree, self._lines):
                for finding in _literal_findings(self._filename, literal.value):
                    if self._reports(finding):
                        line, column = literal.position(finding.span.start)
                        yield line, column, _told(finding), type(self)

    def _reports(self, finding: Finding) -> bool:
        return self.skill_notes or finding.level != "note"


def _told(finding: Finding) -> str:
    from agentskills_lint.wording import escaped

    return f"{finding.code} {escaped(finding.message)}"


def _skill_above(filename: str) -> str | None:
    """The SKILL.md in whose folder a file lies, in the same repository."""
    folder, above = None, os.path.dirname(os.path.abspath(filename))
    while folder != above:
        folder = above
        skill = os.path.join(folder, "SKILL.md")
        if os.path.isfile(skill):
            return skill
        if os.path.exists(os.path.join(folder, ".git")):
            return None
        above = os.path.dirname(folder)
    return None


def _script_findings(filename: str, text: str, skill_path: str) -> Sequence[Finding]:
    """What the rules say of a Python file that lies in the folder of a skill."""
    from agentskills_lint.documents import Folder, Skill
    from agentskills_lint.scripts import Script, belongs
    from agentskills_lint.sources import Disk, posix

    source = Disk()
    location, skill_location = posix(filename), posix(skill_path)
    home = Folder(source, skill_location.rpartition("/")[0] or "/")
    try:
        raw = source.read(skill_location)
    except OSError:
        return ()
    skill = Skill(skill_path, skill_location, raw, home)
    if not belongs(skill, location[len(home.path.rstrip("/")) + 1 :]):
        return ()
    folder = Folder(source, location.rpartition("/")[0] or "/")
    script = Script(filename, location, text.encode("utf-8", "surrogatepass"), folder, skill, is_python=True)
    return _findings(script, home.path)


def _literal_findings(filename: str, text: str) -> Sequence[Finding]:
    """What the rules say of a SKILL.md that no folder is known of."""
    from agentskills_lint.documents import Skill
    from agentskills_lint.sources import posix

    location = f"{posix(filename)}/SKILL.md"
    try:
        skill = Skill(filename, location, text.encode(), None)
    except UnicodeEncodeError:  # a lone surrogate can be written in Python alone
        return ()
    if skill.front is None or skill.field("name") is None or skill.field("description") is None:
        return ()
    return _findings(skill, location)


def _findings(document: Document, root: str) -> Sequence[Finding]:
    from agentskills_lint.config import Config
    from agentskills_lint.engine import lint
    from agentskills_lint.site import Project, Scope

    scope = Scope((), frozenset({document.location}))
    return lint(Project((document,), (), root, scope), Config(level="note")).findings
