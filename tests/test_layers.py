"""Who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import agentskills_lint

PACKAGE = Path(agentskills_lint.__file__).parent

BASE = {"about", "lazy", "model", "wording"}
READING = BASE | {"text", "trees", "markdown", "documents"}
ALLOWED: dict[str, set[str]] = {
    "about": set(),
    "lazy": set(),
    "model": {"tokens"},
    "wording": set(),
    "tokens": set(),
    "patterns": {"lazy"},
    "toml_lines": set(),
    "text": {"model"},
    "trees": {"model"},
    "json_tree": {"model", "trees"},
    "markdown": {"model"},
    "documents": {"lazy", "model", "text", "trees", "markdown"},
    "specs": set(),
    "site": {"documents", "specs", "text"},
    "sources": {"documents", "patterns", "site"},
    "rule": {"model", "rules", "specs"},  # the registry looks into the package of the rules
    "suppress": READING,
    "settings": {"lazy", "model", "patterns", "rule", "specs", "wording"},
    "config": {"model", "patterns", "rule", "settings", "toml_lines", "wording"},
    "engine": READING | {"config", "rule", "site", "specs", "suppress"},
    "explain": {"about", "rule", "specs"},
    "rules": READING | {"rule", "rules", "specs", "tokens"},
    "reporters": BASE | {"reporters"},
    "__init__": {"about", "config", "engine", "model", "rule", "sources"},
    "__main__": {"cli"},
    "cli": {"about", "config", "engine", "explain", "model", "reporters", "rule", "settings", "sources", "wording"},
}
FORBIDDEN_IN_RULES = {"os", "io", "pathlib", "subprocess", "socket", "httpx", "urllib.request"}


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update(
                {node.module}
                if node.module != "agentskills_lint"
                else {f"agentskills_lint.{a.name}" for a in node.names}
            )
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_modules_know_only_what_lies_below_them(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    unit = relative.parts[0].removesuffix(".py")
    ours = {name.split(".")[1] for name in _imports(path) if name.startswith("agentskills_lint.")}
    assert ours - ALLOWED[unit] - {unit} == set()
    if unit == "rules":
        assert _imports(path) & FORBIDDEN_IN_RULES == set()
