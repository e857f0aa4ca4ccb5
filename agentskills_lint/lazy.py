"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")


class _Lazy:
    """Stands for a pattern; with the first use its methods become those of the compiled pattern."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled: re.Pattern[Any] = re.compile(*cast(tuple[str, int], self._source))
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern like that of `re.compile`, for searching, splitting and substituting.

    The rules have some 150 patterns, of which a plain skill needs a few: compiling them all
    would take half as long as Python itself takes to start.
    """
    return cast(re.Pattern[AnyStr], _Lazy(pattern, flags))
