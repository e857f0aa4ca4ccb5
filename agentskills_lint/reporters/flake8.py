"""flake8's default format, one line a finding: `path:line:col: CODE message`."""

from __future__ import annotations

from agentskills_lint.model import Report
from agentskills_lint.reporters import Style
from agentskills_lint.wording import escaped


def render(report: Report, style: Style) -> str:
    """One physical line for each shown finding."""
    return "".join(f"{escaped(f.path)}:{f.line}:{f.column}: {f.code} {escaped(f.message)}\n" for f in report.shown)
