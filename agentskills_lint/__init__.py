"""agentskills-lint: a linter for agent skills and the sites that publish them.

`lint` judges files and folders and returns a `Report` of `Finding`s; `Config` holds the
settings, by the names of the command line's options::

    from agentskills_lint import Config, lint

    report = lint(["public/"], Config(level="note"))
    for finding in report.findings:
        print(finding.path, finding.line, finding.rule, finding.message)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentskills_lint.about import VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from agentskills_lint.config import Config
    from agentskills_lint.model import Finding, Report

__version__ = VERSION
__all__ = ["Config", "Finding", "Report", "__version__", "lint"]


def lint(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], config: Config | None = None) -> Report:
    """Judge files, skill folders, folders of skills and published sites.

    `paths` are files or folders, or a single one; paths of the report are relative to the working directory.
    `config` defaults to `Config()`: no configuration file is read. Raises ValueError where the
    configuration names an unknown rule, spec or level; never for what a file holds.
    """
    import os

    from agentskills_lint import config as settings
    from agentskills_lint import discovery, engine
    from agentskills_lint.rule import load_rules

    chosen = config if config is not None else settings.Config()
    rules = load_rules()
    settings.check(chosen, rules)
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    project = discovery.project([os.fspath(path) for path in given], chosen)
    return engine.lint(project, chosen, rules)


def __getattr__(name: str) -> Any:
    # `--version` must not pay for the parsers
    if name == "Config":
        from agentskills_lint.config import Config

        return Config
    if name in ("Finding", "Report"):
        from agentskills_lint import model

        return getattr(model, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
