"""The JSON reader: json is the judge of syntax, places are exact, faults sit on the token."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentskills_lint.json_tree import json_tree
from agentskills_lint.trees import Fault, Node

READERS: dict[str, Any] = {"int": int, "float": float, "bool": lambda text: text == "true", "null": lambda text: None}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def plain(node: Node) -> Any:
    if node.kind == "map":
        return {item.key.value: plain(item) for item in node.items if item.key is not None}
    if node.kind == "list":
        return [plain(item) for item in node.items]
    return READERS.get(node.tag, str)(node.value)


def fault(source: str) -> Fault:
    root, found = json_tree(source)
    assert root is None
    assert found is not None
    return found


@given(VALUES, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_what_json_writes_is_read_back(value: Any, indent: Any, ascii_only: bool) -> None:
    source = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    root, found = json_tree(source)
    assert found is None
    assert root is not None
    assert plain(root) == json.loads(source)
    for node in root.walk():
        assert json.loads(source[node.span.start : node.span.end]) == plain(node)


@given(st.text(alphabet='{}[]:,"\\ \n01-.eEtrufalsn/N', max_size=30))
def test_json_is_the_judge(source: str) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        expected = json.loads(source, parse_constant=refuse)
    except ValueError:
        found = fault(source)
        assert 0 <= found.span.start <= found.span.end <= len(source)
    else:
        root, _ = json_tree(source)
        assert root is not None
        assert plain(root) == expected


@pytest.mark.parametrize(
    ("source", "detail", "token"),
    [
        ("[1,\n]", "trailing comma", ","),
        ('{"a": 1, }', "trailing comma", ","),
        ("// c\n{}", "comment", "/"),
        ('{"a": 1 /* c */}', "comment", "/"),
        ('{"a": NaN}', "constant", "NaN"),
        ("[-Infinity]", "constant", "-Infinity"),
        ('{"a": 01}', "number", "01"),
        ("[1.]", "number", "1."),
        ("[+1]", "number", "+1"),
        ("[True]", "value", "True"),
        ("{a: 1}", "key", "a"),
        ("{'a': 1}", "key", "'"),
        ('{"a" 1}', "colon", "1"),
        ('{"a": 1 "b": 2}', "comma", '"'),
        ("[1}", "bracket", "}"),
        ("[] x", "rest", "x"),
        ('{"a": "b\nc"}', "string", '"b'),
        (r'["\q"]', "string", r'"\q"]'),
        ("[1", "end", "["),
        ('{"a": [', "end", "["),
        ("", "end", ""),
        ("[\x0b1]", "value", "\x0b"),
    ],
)
def test_case_76_the_first_fault_sits_on_its_token(source: str, detail: str, token: str) -> None:
    found = fault(source)
    assert (found.kind, found.detail, source[found.span.start : found.span.end]) == ("syntax", detail, token)


def test_a_hundred_thousand_levels_are_refused() -> None:
    for source in ("[" * 100_000, '{"a":' * 100_000):
        assert fault(source).kind == "depth"


def test_duplicate_keys_escapes_and_surrogates_are_kept() -> None:
    root, _ = json_tree('{"\\u0061": 1, "a": 2, "\\ud83d\\ude00": "\\ud800"}')
    assert root is not None
    assert [(item.key.value, item.value) for item in root.items if item.key] == [
        ("a", "1"),
        ("a", "2"),
        ("😀", "\ud800"),
    ]
