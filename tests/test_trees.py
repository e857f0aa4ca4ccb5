"""The positioned YAML tree: places, readings, and the same outcome from both parsers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint import documents, trees
from agentskills_lint.documents import Skill
from agentskills_lint.model import Span
from agentskills_lint.trees import MAX_DEPTH, Fault, Node, resolve, yaml_tree
from tests.support import brief, clean_skill, findings_in

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"

ATOMS = (
    "a", "b: ", "name: ", "- ", "? ", "?", "what?", ": ", ":", "\n", "\n  ", "\n ", "\n- ", "\n  - ", "\t", " ", "'",
    '"', "''", "[", "]", "{", "}", ",", ", ", "#", " #", "&a ", "*a ", "!", "!!str ", "!x ", "!<x> ", "!e!x ", "|",
    "|-\n  ", "|2\n", "|+\n", ">", "> ", "---", "--- ", "...", "\n---\n", "\n...\n", "%", "%YAML 1.2\n", "%TAG ! x\n",
    "@", "`", "\\", "\\n", "\\x41", "\\/", "\\ud83d", "\\U0001F600", "\\UFFFFFFFF", "\\\n", "\x85", "\u2028",
    "\u2029", "\ufeff", "\u00a0", "\r", "\r\n", "é", "😀", "\U000e0041", "~", "null", "1.0", "<<: ", "0", "key", "=",
    "\x07", "\x00", "\ufffe", "http://x", "name: x\n", "description: foo bar\n",
)  # fmt: skip

pieces = st.lists(st.sampled_from(ATOMS), max_size=14).map("".join)


def shape(node: Node | None) -> Any:
    """Everything that a node says."""
    if node is None:
        return None
    return (
        node.kind, node.value, node.style, node.span, node.anchor, node.given_tag, node.tag, shape(node.key),
        [shape(item) for item in node.items],
    )  # fmt: skip


def both(source: str) -> tuple[Any, Any]:
    """What yaml_tree makes of a text with libyaml and without it."""
    outcomes = []
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        root, fault = yaml_tree(source, 0, loader)
        outcomes.append((shape(root), fault))
    return outcomes[0], outcomes[1]


def every(node: Node) -> list[Node]:
    """A node, those below it, and their keys."""
    found = [node]
    for item in node.items:
        found += every(item) + (every(item.key) if item.key is not None and item.key is not item else [])
    return found


def root_of(source: str) -> Node:
    root, fault = yaml_tree(source)
    assert fault is None
    assert root is not None
    return root


# --- places and readings ---------------------------------------------------------------------------------------------


def test_spans_cover_values_with_their_quotes() -> None:
    source = "a: x y  # c\nb: 'q'\nc: \"é😀\"\nd: [1, {e: f}]\ng: >-\n  one\n  two\n\nh:\n  - i\n"
    root = root_of(source)
    spans = {item.key.value: source[slice(*item.span)] for item in root.items if item.key}
    assert spans == {
        "a": "x y", "b": "'q'", "c": '"é😀"', "d": "[1, {e: f}]", "g": ">-\n  one\n  two", "h": "- i"
    }  # fmt: skip
    assert root["g"].value == "one two"
    assert root["c"].value == "é😀"
    assert source[slice(*root["h"].whole)] == "h:\n  - i"
    assert root.span == Span(0, source.index("- i") + 3)


def test_base_shifts_every_place() -> None:
    root, _ = yaml_tree("a: [b]", 100)
    assert root is not None
    assert [node.span for node in every(root)] == [(100, 106), (103, 106), (104, 105), (100, 101)]
    assert yaml_tree("a: b: c", 100)[1] == Fault("syntax", Span(104, 105), ": mapping values are not allowed here")


@pytest.mark.parametrize(
    ("source", "offset"), [("a:\nb: 1", 2), ("a:   \nb: 1", 2), ("{a: , b: 1}", 3), ("a :\n", 3), ("a: # c\n", 2)]
)
def test_an_empty_value_stands_behind_its_colon(source: str, offset: int) -> None:
    node = root_of(source)["a"]
    assert (node.value, node.tag, node.span) == ("", "null", (offset, offset))


@pytest.mark.parametrize(
    ("source", "tag"),
    [
        ("no", "bool"), ("'no'", "str"), ("nO", "str"), ("y", "str"), ("1", "int"), ("1.10", "float"), ("0o7", "str"),
        ("010", "int"), ("1:30", "int"), ("1_0", "int"), ("1e3", "str"), ("1.0e+3", "float"), ("-.5", "str"),
        (".5", "float"), ("2026-03-01", "date"), ("2026-3-1", "str"), ("~", "null"), ("NULL", "null"), ("", "null"),
        ("!!str no", "str"), ("!!int '1'", "int"), ("! 1", "str"), ("!own 1", "str"), ("[a]", "list"), ("{}", "map"),
        ("*a", "alias"), ("|\n  1", "str"), ("٣", "str"), ("1\u0663", "str"),
    ],
)  # fmt: skip
def test_tags_are_those_of_a_yaml_11_reader(source: str, tag: str) -> None:
    assert root_of(f"k: {source}\n")["k"].tag == tag


def test_readings_are_those_of_pyyaml() -> None:
    loader: Any = yaml.SafeLoader("")
    rng = random.Random(5)
    for _ in range(20_000):
        value = "".join(rng.choice("0123456789-+.:_eExobTYyNnsltruafOIF ~") for _ in range(rng.randint(1, 8)))
        tag = loader.resolve(yaml.ScalarNode, value, (True, False)).rsplit(":", 1)[1]
        assert resolve(value) == {"timestamp": "date"}.get(tag, tag), value


def test_surrogate_escapes_become_the_character_they_stand_for() -> None:
    root = root_of('a: "\\ud83d\\ude00 \\ud83d"')
    assert root["a"].value == "😀 \ufffd"


def test_a_repeated_key_gives_the_last_value() -> None:
    root = root_of("a: 1\na: 2\n")
    assert root["a"].value == "2"
    assert root.get("b") is None
    with pytest.raises(KeyError):
        root["b"]


def test_a_collection_as_key_keeps_the_tree_whole() -> None:
    root = root_of("? [a, b]\n: {c: d}\ne: f\n")
    assert [(item.key.kind, item.kind) for item in root.items if item.key] == [("list", "map"), ("scalar", "scalar")]


def test_an_alias_is_a_leaf_however_much_it_stands_for() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    root = root_of("\n".join(lines))
    assert len(list(root.walk())) == 1 + 30 * 10
    assert root["a1"].anchor == "a1"
    assert (root["a1"].items[0].kind, root["a1"].items[0].value) == ("alias", "a0")


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "at", "context"),
    [
        ("a: b: c", 4, None),
        ('a: "b', 5, 3),
        ("a: [b", 5, 3),
        ("a: b\nc\nd: e", 7, 5),
        ('a: "\\UFFFFFFFF"', 5, None),
        ("a: \x00", 3, None),
    ],
)
def test_faults_say_where_the_parser_stopped_and_what_it_was_reading(source: str, at: int, context: int | None) -> None:
    root, fault = yaml_tree(source)
    assert root is None
    assert fault is not None
    assert (fault.kind, fault.span.start, fault.context) == ("syntax", at, context)


def test_a_second_document_is_a_fault_and_the_first_is_kept() -> None:
    root, fault = yaml_tree("a: b\n--- \nc: d\n")
    assert fault == Fault("documents", Span(5, 8))
    assert root is not None
    assert root["a"].value == "b"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
@pytest.mark.parametrize("loader", [yaml.CSafeLoader, yaml.SafeLoader])
def test_deep_nesting_is_a_fault_of_its_own(opening: str, loader: Any) -> None:
    root, fault = yaml_tree(opening * 100_000, 0, loader)
    assert root is None
    assert fault is not None
    assert fault.kind == "depth"
    assert fault.span.start == len(opening) * MAX_DEPTH


def test_deep_block_nesting_is_a_fault_too() -> None:
    source = "\n".join(" " * i + "a:" for i in range(1_000))
    _, fault = yaml_tree(source)
    assert fault is not None
    assert fault.kind == "depth"


def test_nesting_up_to_the_limit_is_read() -> None:
    root, fault = yaml_tree("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert fault is None
    assert root is not None
    assert len(list(root.walk())) == MAX_DEPTH


def test_lone_surrogates_in_a_text_are_a_fault() -> None:
    root, fault = yaml_tree("a: \ud800")
    assert root is None
    assert fault is not None
    assert fault.span == (3, 4)


# --- the same with and without libyaml -------------------------------------------------------------------------------


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")
class TestParity:
    @settings(max_examples=1_500, deadline=None)
    @given(pieces)
    def test_pieces(self, source: str) -> None:
        with_libyaml, without = both(source)
        assert with_libyaml == without

    @settings(max_examples=300, deadline=None)
    @given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
    def test_any_text(self, source: str) -> None:
        with_libyaml, without = both(f"name: {source}")
        assert with_libyaml == without

    @pytest.mark.parametrize(
        "source",
        [
            "name:\tdemo", "a: |# x\n  b", "a: ![x]", "a: [what?, b]", "a: {? , b: c}", "{a: }", "[? ]", "\n\ufeffa: b",
            'a: "\\ud83d\\ude00"', "a: !\tb", "{\u00a0a\u00a0: }", "a: 'b'\u2029\ufeff", "a: >#\n", "%---\n---\n",
        ],
    )  # fmt: skip
    def test_what_libyaml_reads_differently(self, source: str) -> None:
        with_libyaml, without = both(source)
        assert with_libyaml == without

    @pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus lies beside the checkout, not here")
    def test_corpus(self) -> None:
        blocks = 0
        for path in sorted(CORPUS.rglob("*.[mM][dD]")):
            if path.name.lower() in ("skill.md", "skills.md") and path.is_file():
                skill = Skill(path.name, f"/x/{path.name}", path.read_bytes(), None)
                if skill.fences is not None:
                    blocks += 1
                    with_libyaml, without = both(skill.source[slice(*skill.fences.content)])
                    assert with_libyaml == without, path
        assert blocks > 1_000

    @pytest.mark.parametrize(
        "front",
        [
            "description: Use when: paying",
            "metadata:\n\tteam: billing",
            "tags: [what?, b]",
            "metadata: {a: , b: no}",
            "license: !own MIT",
            "tags: [no, 1.10, 2026-01-01]",
            "license: 'MIT' BSD",
        ],
    )
    def test_findings(self, front: str, monkeypatch: pytest.MonkeyPatch) -> None:
        text = clean_skill("wsp", front)
        found = findings_in(text, "wsp", "dualnova")
        assert brief(found)
        monkeypatch.setattr(documents, "yaml_tree", lambda source, base=0: yaml_tree(source, base, yaml.SafeLoader))
        monkeypatch.setattr(trees, "LOADER", yaml.SafeLoader)
        assert findings_in(text, "wsp", "dualnova") == found


# --- properties ------------------------------------------------------------------------------------------------------


@settings(max_examples=1_000, deadline=None)
@given(pieces, st.integers(0, 50))
def test_nothing_raises_and_places_lie_in_the_text(source: str, base: int) -> None:
    root, fault = yaml_tree(source, base)
    end = base + len(source)
    if fault is not None:
        assert base <= fault.span.start <= fault.span.end <= end
        assert fault.context is None or base <= fault.context <= end
    for node in every(root) if root is not None else []:
        assert base <= node.span.start <= node.span.end <= end
        assert node.whole.start <= node.span.end
        for item in node.items:
            assert node.span.start <= item.span.start <= item.span.end <= node.span.end
            assert (item.key is not None) == (node.kind == "map")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n\x85\u2028\u2029"), max_size=30))
def test_a_quoted_value_reads_back(value: str) -> None:
    written = "'" + value.replace("'", "''") + "'"
    root, fault = yaml_tree(f"a: {written}")
    if fault is None:
        assert root is not None
        assert root["a"].value == value
        assert root["a"].span == (3, 3 + len(written))
    else:
        assert fault.detail == "special characters are not allowed"
