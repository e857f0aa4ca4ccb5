"""One module a format: `render(report, style) -> str`; they know the model and nothing of files."""

from __future__ import annotations

import importlib
import os
from typing import NamedTuple, Protocol, cast

from agentskills_lint.model import Report

FORMATS: tuple[str, ...] = tuple(
    sorted(name[:-3] for name in os.listdir(__path__[0]) if name.endswith(".py") and name != "__init__.py")
)
"""The names of the formats."""


class Style(NamedTuple):
    """How a person wants to see a report; machine formats look at none of it."""

    color: bool = False
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    show_files: bool = False


class Reporter(Protocol):
    """A module of this package."""

    def render(self, report: Report, style: Style) -> str:
        """The whole output, with a final newline unless it is empty."""


def load(name: str) -> Reporter:
    """The reporter of a format; raises ModuleNotFoundError for a name that is not in FORMATS."""
    return cast(Reporter, importlib.import_module(f"{__name__}.{name}"))
