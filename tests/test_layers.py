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
    "archives": {"documents", "lazy", "model", "wording"},
    "specs": set(),
    "schemas": {"about", "specs"},
    "urls": {"lazy"},
    "registries": {"documents", "json_tree", "lazy", "markdown", "model", "specs", "text", "trees"},
    "site": {"archives", "documents", "model", "registries", "specs", "urls"},
    "sources": {"documents"},
    "exclusions": {"documents", "patterns", "site", "sources"},
    "discovery": {"archives", "config", "documents", "exclusions", "registries", "scripts", "site", "sources"},
    "live": {
        "about", "archives", "config", "discovery", "documents", "live", "model", "registries", "site", "trees", "urls",
        "wording",
    },
    "deployed": {"archives", "live", "model", "rules", "site"},
    "rule": {"model", "rules", "specs"},  # the registry looks into the package of the rules
    "scripts": {"documents", "lazy", "model"},
    "prompts": set(),
    "shell_prompts": {"model", "prompts"},
    "inline_metadata": {"model", "text", "toml_lines", "wording"},
    "dependencies": {"documents", "inline_metadata", "scripts"},
    "suppress": READING | {"scripts"},
    "settings": {"lazy", "model", "patterns", "rule", "specs", "wording"},
    "config": {"model", "patterns", "rule", "settings", "toml_lines", "wording"},
    "plans": {"config", "documents", "model", "rule", "site", "specs"},
    "findings": {"documents", "model", "registries", "rule"},
    "engine": READING | {
        "config", "findings", "plans", "registries", "rule", "scripts", "site", "specs", "suppress", "wording"
    },
    "changed": set(),
    "new_index": {"archives", "documents", "registries", "site", "specs"},
    "files": set(),
    "baseline": {"model"},
    "installed": set(),
    "fixes": {"config", "discovery", "documents", "engine", "model", "new_index", "rule", "site", "sources", "text"},
    "explain": {"about", "rule", "specs"},
    "rules": READING | {
        "archives", "dependencies", "inline_metadata", "json_tree", "patterns", "prompts", "registries", "rule",
        "rules", "schemas", "scripts", "shell_prompts", "site", "specs", "tokens", "toml_lines", "urls",
    },
    "reporters": BASE | {"explain", "reporters", "rule"},
    "literals": set(),
    "flake8_plugin": BASE | {"config", "documents", "engine", "literals", "rule", "scripts", "site", "sources"},
    "__init__": {"about", "config", "discovery", "engine", "model", "rule"},
    "__main__": {"cli"},
    "console": {"wording"},
    "options": {"about", "console", "installed", "reporters", "wording"},
    "cli": {
        "about", "baseline", "changed", "config", "console", "deployed", "discovery", "engine", "explain", "files",
        "fixes", "live", "model", "options", "reporters", "rule", "settings", "site", "sources", "specs", "wording",
    },
}  # fmt: skip
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
