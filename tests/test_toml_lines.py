"""Lines of keys and values in TOML."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from agentskills_lint.toml_lines import lines_of

TEXT = '''# comment = 1
a = 1
b.c = [ # [x]
  "x,]", 'y"', # z
  """m
n""", {q = 1, "r s".t = [2,
 3]},
]
[t]
x = true
"quo\\u0041ted" = '#'
[t.u."v.w"]
d = 1979-05-27 07:32:00
[[arr]]
n=1
[[arr]]
n = {}
[arr.sub]
z=""
[ arr . 'deep' ]
k = [[], [ ]]
e = """"quoted""""
f = \'\'\'
\'\'\'
g = 1.5
'''


def test_every_key_and_item_has_its_line() -> None:
    assert lines_of(TEXT) == {
        ("a",): 2,
        ("b",): 3,
        ("b", "c"): 3,
        ("b", "c", 0): 4,
        ("b", "c", 1): 4,
        ("b", "c", 2): 5,
        ("b", "c", 3): 6,
        ("b", "c", 3, "q"): 6,
        ("b", "c", 3, "r s"): 6,
        ("b", "c", 3, "r s", "t"): 6,
        ("b", "c", 3, "r s", "t", 0): 6,
        ("b", "c", 3, "r s", "t", 1): 7,
        ("t",): 9,
        ("t", "x"): 10,
        ("t", "quoAted"): 11,
        ("t", "u"): 12,
        ("t", "u", "v.w"): 12,
        ("t", "u", "v.w", "d"): 13,
        ("arr",): 14,
        ("arr", 0): 14,
        ("arr", 0, "n"): 15,
        ("arr", 1): 16,
        ("arr", 1, "n"): 17,
        ("arr", 1, "sub"): 18,
        ("arr", 1, "sub", "z"): 19,
        ("arr", 1, "deep"): 20,
        ("arr", 1, "deep", "k"): 21,
        ("arr", 1, "deep", "k", 0): 21,
        ("arr", 1, "deep", "k", 1): 21,
        ("arr", 1, "deep", "e"): 22,
        ("arr", 1, "deep", "f"): 23,
        ("arr", 1, "deep", "g"): 25,
    }


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = {path} if path else set()
    for key, item in items:
        found |= _paths(item, (*path, key))
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_finds_what_tomllib_finds(end: str) -> None:
    text = TEXT.replace("\n", end)
    assert set(lines_of(text)) == _paths(tomllib.loads(text))
    assert lines_of(text) == lines_of(TEXT)


def test_empty_text_has_no_lines() -> None:
    assert lines_of("") == {}
    assert lines_of("# only a comment") == {}
