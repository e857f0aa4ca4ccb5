"""The version, the report formats, and the project's address as the package metadata has it."""

from __future__ import annotations

import os

VERSION = "0.1.0"


def formats() -> tuple[str, ...]:
    """The names of the report formats: the modules of `reporters` without a leading underscore."""
    names = os.listdir(os.path.join(os.path.dirname(__file__), "reporters"))
    return tuple(sorted(name[:-3] for name in names if name.endswith(".py") and name[0] != "_"))


def project_url() -> str:
    """The address in `[project.urls]` of pyproject.toml, "" where the package is not installed."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        found = metadata("agentskills-lint").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    return next((entry.split(", ", 1)[1] for entry in found if entry.startswith("Homepage")), "")


def rules_url() -> str:
    """The address of the folder that holds a page for each rule."""
    return f"{project_url()}/blob/main/docs/rules"
