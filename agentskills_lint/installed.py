"""The folders in which clients on this machine look for skills."""

from __future__ import annotations

import os
from collections.abc import Mapping


def roots(environment: Mapping[str, str], home: str) -> list[str]:
    """The folders of installed skills, in the order in which clients search them, without links.

    `SKILL_PATHS`, `$CODEX_HOME/skills`, `~/.codex/skills`, `~/.claude/skills`, `~/.agents/skills`
    (Skill Search, Local roots). Those of the two variables are explicit: they are listed though they
    do not exist, so that the run reports them; a default one that is missing is left out.
    """
    explicit = [path for path in environment.get("SKILL_PATHS", "").split(os.pathsep) if path.strip()]
    if codex := environment.get("CODEX_HOME", ""):
        explicit.append(os.path.join(codex, "skills"))
    defaults = [os.path.join(home, client, "skills") for client in (".codex", ".claude", ".agents")]
    found = [*explicit, *(path for path in defaults if os.path.isdir(path))]
    return list(dict.fromkeys(os.path.realpath(os.path.expanduser(path)) for path in found))
