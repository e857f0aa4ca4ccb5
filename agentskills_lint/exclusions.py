"""What is passed over in a tree, and why: by its name, by the configuration, by .gitignore files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from agentskills_lint.documents import MAX_BYTES, Source
from agentskills_lint.patterns import Patterns
from agentskills_lint.site import NEVER_ENTERED
from agentskills_lint.sources import above, kind_of

ALWAYS_ENTERED = frozenset({".well-known", ".claude", ".agents", ".codex", ".github"})
"""Folders that are entered though a .gitignore names them."""

_LONGEST_PATTERN = 4096
"""Characters of a line of a .gitignore; a longer one names no path that a system allows."""


class Ignores(NamedTuple):
    """A .gitignore: the folder it stands in, how reports show it, its patterns."""

    folder: str
    shown: str
    patterns: Patterns


class Exclusions:
    """Why paths are passed over in one run; `excluded` is what the configuration says of a path."""

    def __init__(
        self,
        source: Source,
        excluded: Callable[[str, bool], str | None],
        respect_gitignore: bool,
        shown: Callable[[str], str],
    ) -> None:
        self._source = source
        self._excluded = excluded
        self._respect_gitignore = respect_gitignore
        self._shown = shown
        self._repositories: dict[str, str | None] = {}

    def repository(self, path: str) -> str | None:
        """The innermost folder at or above a path that holds a repository."""
        tried: list[str] = []
        found: str | None = None
        for folder in (path, *above(path)):
            if folder in self._repositories:
                found = self._repositories[folder]
                break
            tried.append(folder)
            if kind_of(self._source, f"{folder.rstrip('/')}/.git") is not None:
                found = folder
                break
        self._repositories.update(dict.fromkeys(tried, found))
        return found

    def ignores_above(self, location: str) -> tuple[Ignores, ...]:
        """The .gitignore files that hold for an argument: none where the argument itself is ignored."""
        if not self._respect_gitignore or (root := self.repository(location)) is None:
            return ()
        found: tuple[Ignores, ...] = ()
        for path in [*(folder for folder in reversed(list(above(location))) if len(folder) >= len(root)), location]:
            if _ignored(found, path, True) is not None:
                found = ()
            if path != location:
                found = self.ignores_in(path, found)
        return found

    def ignores_in(self, folder: str, around: tuple[Ignores, ...]) -> tuple[Ignores, ...]:
        """The .gitignore files that hold inside a folder that has one or none, given those around it."""
        location = f"{folder.rstrip('/')}/.gitignore"
        try:
            text = self._source.read(location, MAX_BYTES).decode("utf-8", "surrogateescape")
        except OSError:
            return around
        lines = [line for line in text.removeprefix("\ufeff").split("\n") if len(line) <= _LONGEST_PATTERN]
        return (*around, Ignores(folder, self._shown(location), Patterns(lines)))

    def inside(self, folder: str, entries: Mapping[str, str], around: tuple[Ignores, ...]) -> tuple[Ignores, ...]:
        """The same for a folder that was listed; a repository heeds nothing around it."""
        if not self._respect_gitignore:
            return ()
        around = () if ".git" in entries else around
        return self.ignores_in(folder, around) if entries.get(".gitignore") == "file" else around

    def configured(self, location: str, is_folder: bool) -> str | None:
        """Why the configuration excludes a path or a folder above it, or None."""
        for folder in reversed(list(above(location))):
            if (reason := self._excluded(folder, True)) is not None:
                return reason
        return self._excluded(location, is_folder)

    def of(self, path: str, is_folder: bool, ignores: tuple[Ignores, ...] = ()) -> str | None:
        """Why a path is passed over whose folder is not, or None."""
        return self._excluded(path, is_folder) or _ignored(ignores, path, is_folder)

    def of_folder(self, path: str, name: str, ignores: tuple[Ignores, ...]) -> tuple[str | None, tuple[Ignores, ...]]:
        """Why a folder is not entered, or None; and the .gitignore files around that hold inside it."""
        if name in NEVER_ENTERED:
            return "never holds skills", ()
        reason = self.of(path, True, ignores)
        if name in ALWAYS_ENTERED and self._excluded(path, True) is None:
            return None, () if reason is not None else ignores
        return reason, ignores if reason is None else ()

    def below(self, home: str, relative: str, known: dict[str, tuple[Ignores, ...]]) -> str | None:
        """Why a file below a skill's folder is passed over, by itself or by a folder between, or None.

        `known` keeps the .gitignore files that hold in each folder.
        """
        if home not in known and self._respect_gitignore:
            known[home] = self.ignores_in(home, self.ignores_above(home))
        ignores = known.get(home, ())
        path = home
        *folders, name = relative.split("/")
        for folder in folders:
            path = f"{path}/{folder}"
            if (reason := self.of(path, True, ignores)) is not None:
                return reason
            if path not in known and self._respect_gitignore:
                known[path] = self.ignores_in(path, ignores)
            ignores = known.get(path, ())
        return self.of(f"{path}/{name}", False, ignores)


def _ignored(ignores: tuple[Ignores, ...], path: str, is_folder: bool) -> str | None:
    """Why git ignores a path whose folder it does not ignore, or None: the nearest .gitignore decides."""
    for folder, shown, patterns in reversed(ignores):
        found = patterns.decide(path[len(folder.rstrip("/")) + 1 :], is_folder)
        if found is not None:
            return f"ignored by '{found.pattern}' in {shown}" if found.ignored else None
    return None
