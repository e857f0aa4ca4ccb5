"""Every pattern of the security rules takes time that grows with the text, whatever the text is.

The patterns are found in the modules and the texts are made of the patterns: what each part repeats, over and over,
whole matches, and matches that fail at their last character.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from agentskills_lint.rules import hidden_text, orders, secrets, security

SIZES = (64, 256, 1_024, 4_096, 16_384)
"""Characters of all texts; small ones first, so that a hopeless pattern fails and does not hang."""

LARGE = (65_536, 262_144, 1_048_576)
"""Characters of the two texts that take longest."""

GENEROUS = 8
"""Four times the text may take eight times as long: square growth takes sixteen."""

ENOUGH = 1.0
"""Seconds for a text after which no larger one is tried: slow, but in proportion so far."""

NOISE = 0.02
"""Seconds that a busy machine adds."""


def _patterns() -> list[Any]:
    found = {}
    for module in (hidden_text, orders, secrets, security):
        for name, value in vars(module).items():
            if type(value).__name__ == "_Lazy" or isinstance(value, re.Pattern):
                found[f"{module.__name__.rpartition('.')[2]}.{name}"] = value
    return [pytest.param(value, id=name) for name, value in found.items()]


def _sample(parsed: Any, often: int, last: bool = False) -> str:
    """A text that a parsed pattern matches, more or less: repeats come `often`, of branches the first or the last."""
    text = ""
    for kind, value in parsed:
        if kind in (sre.LITERAL, sre.NOT_LITERAL):
            text += chr(value) if kind is sre.LITERAL else ("x" if value != ord("x") else "y")
        elif kind is sre.ANY:
            text += "x"
        elif kind is sre.IN:
            text += _member(value)
        elif kind is sre.BRANCH:
            text += _sample(value[1][-1 if last else 0], often, last)
        elif kind is sre.SUBPATTERN:
            text += _sample(value[3], often, last)
        elif kind is sre.ATOMIC_GROUP:
            text += _sample(value, often, last)
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, inner = value
            text += _sample(inner, often, last) * min(max(least, often), most)
    return text


def _member(items: Any) -> str:
    """A character of a class; of a negated one a letter or a blank that is not excluded."""
    if items[0][0] is sre.NEGATE:
        excluded = {value for kind, value in items[1:] if kind is sre.LITERAL}
        return next(char for char in "x y-" if ord(char) not in excluded)
    kind, value = items[-1]
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.RANGE:
        return chr(value[1])
    return {sre.CATEGORY_SPACE: " ", sre.CATEGORY_DIGIT: "7", sre.CATEGORY_NOT_SPACE: "x"}.get(value, "x")


def _repeated(parsed: Any) -> Iterator[str]:
    """What each repeat in a pattern repeats."""
    for kind, value in parsed:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield _sample(value[2], 1)
            yield from _repeated(value[2])
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from _repeated(branch)
        elif kind in (sre.SUBPATTERN, sre.ATOMIC_GROUP, sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeated(value[-1] if kind is not sre.ATOMIC_GROUP else value)


def _attacks(source: str, flags: int) -> list[str]:
    """Units of texts on which a pattern may work in vain."""
    parsed = parser.parse(source, flags)
    units = dict.fromkeys(_repeated(parsed))
    for often in (1, 3):
        for last in (False, True):
            whole = _sample(parsed, often, last)
            units |= dict.fromkeys((whole, whole[:-1], whole[: len(whole) // 2], f"{whole[:-1]}\0"))
    return [unit for unit in units if unit]


@pytest.mark.parametrize("pattern", _patterns())
def test_time_grows_with_the_text(pattern: Any) -> None:
    source, flags = pattern._source if hasattr(pattern, "_source") else (pattern.pattern, pattern.flags)
    compiled = re.compile(source, flags)
    attacks = _attacks(source if isinstance(source, str) else source.decode("latin-1"), flags)
    slowest = [(_held(compiled, unit, SIZES, 0.001), unit) for unit in attacks]
    for spent, unit in sorted(slowest)[-2:]:
        _held(compiled, unit, LARGE, spent)


def _held(compiled: Any, unit: str, sizes: Sequence[int], before: float) -> float:
    """The seconds that the largest text takes; fails where one takes much longer than the one before."""
    for size in sizes:
        text: Any = (unit * (size // len(unit) + 1))[:size] + "\x01"
        if isinstance(compiled.pattern, bytes):
            text = text.encode("latin-1")
        start = time.process_time()
        for _ in compiled.finditer(text):
            pass
        spent = time.process_time() - start
        assert spent < GENEROUS * before + NOISE, (unit, size, spent, before)
        before = max(spent, 0.001)
        if spent > ENOUGH:
            break
    return before
