"""One module a format: `render(report, style) -> str`; what formats share has a leading underscore."""

from __future__ import annotations

import importlib
from typing import NamedTuple, Protocol, cast

from agentskills_lint.about import formats
from agentskills_lint.model import Report

FORMATS: tuple[str, ...] = formats()
"""The names of the formats."""


class Style(NamedTuple):
    """How a report is wanted: for people, then for hosts of code.

    `root` is the folder to which a host's paths are relative ("": the report's own root),
    `category` tells several SARIF reports on one commit apart, `fail_on` is the lowest level that fails
    a run, or "never".
    """

    color: bool = False
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    show_files: bool = False
    root: str = ""
    category: str = ""
    fail_on: str = "warning"


class Reporter(Protocol):
    """A module of this package."""

    def render(self, report: Report, style: Style) -> str:
        """The whole output, with a final newline unless it is empty."""


def load(name: str) -> Reporter:
    """The reporter of a format; raises ModuleNotFoundError for a name that is not in FORMATS."""
    return cast(Reporter, importlib.import_module(f"{__name__}.{name}"))
