"""index.json as JSON: each fault in words of its own, at its token."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentskills_lint.model import Finding
from tests.support import brief, findings_in, fixed, only, report_on

INDEX = ".well-known/agent-skills/index.json"
URI = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
EMPTY = f'{{"$schema": "{URI}", "skills": []}}'
BOM = "\ufeff"

QUOTES = 'if it is text, put it in "quotes"'
BEHIND = "remove what stands behind the end, or the bracket that ended it too early"
CLOSE = "add a double quote at its end; a line break inside a text is written as \\n"
INNER = 'a quote inside a text is written as \\"'
SPACE = "write a plain space, or nothing"
AROUND = 'write {"skills": ...} around the array'

DEMANDS = [
    ("dualnova", "index.json", "JSON, not something like it", '{"provider": "Acme",}', "json-syntax", "error"),
    ("dualnova", "index.json", "an object at its root", "[]", "json-syntax", "error"),
    ("dualnova", "index.json", "no byte order mark", BOM + '{"provider": "A"}', "json-byte-order-mark", "error"),
    ("discovery", "Index Format", "JSON, not something like it", f'{{"$schema": "{URI}",}}', "json-syntax", "error"),
    ("discovery", "Index Format", "JSON without a byte order mark", BOM + EMPTY, "json-byte-order-mark", "error"),
    ("discovery", "0.1: Index Format", "JSON, one object", '{"skills": [}', "json-syntax", "error"),
    ("discovery", "0.1: Index Format", "one array", '{"skills": [], "skills": []}', "json-duplicate-key", "warning"),
]  # fmt: skip


def on_index(source: str | bytes, *spec: str) -> list[Finding]:
    return findings_in(source, *(spec or ("discovery",)), path=INDEX)


def fault(source: str) -> Finding:
    (found,) = on_index(source)
    assert (found.rule, found.level) == ("json-syntax", "error")
    return found


@pytest.mark.parametrize(("spec", "section", "demand", "source", "rule", "level"), DEMANDS)
def test_demand(spec: str, section: str, demand: str, source: str, rule: str, level: str) -> None:
    assert [finding.level for finding in only(on_index(source, spec), rule)] == [level]


@pytest.mark.parametrize(
    ("source", "token", "message", "hint"),
    [
        ('{"a": 1,}', ",", "a comma before '}', behind which nothing follows", "remove the comma"),
        ('{"a": [1,\n ]}', ",", "a comma before ']', behind which nothing follows", "remove the comma"),
        ('// c\n{"a": 1}', "//", "a comment (//): JSON has none", "remove it"),
        ('{"a": 1 /* c */}', "/*", "a comment (/*): JSON has none", "remove it"),
        ('{"a": 1} # c', "#", "a comment (#): JSON has none", "remove it"),
        ('{"a": NaN}', "NaN", "NaN is no JSON value", "write null, or leave the key out"),
        ('{"a": -Infinity}', "-Infinity", "-Infinity is no JSON value", "write null, or leave the key out"),
        ('{"a": True}', "True", "True is no JSON value", "write true"),
        ('{"a": None}', "None", "None is no JSON value", "write null"),
        ('{"a": undefined}', "undefined", "undefined is no JSON value", "write null"),
        ('{"a": pay-it}', "pay-it", "the text 'pay-it' is not in quotes", "put the whole text in double quotes"),
        ('{"a": /x}', "/", "'/' where a value should stand", "put the text in double quotes"),
        ('{"a": }', "}", "'}' where a value should stand", "write a value, or null"),
        ('{"a": [1,,2]}', ",", "',' where a value should stand", "remove the comma"),
        ('{"a": 01}', "01", "'01' is no JSON number: it begins with a zero", QUOTES),
        ('{"a": +1}', "+1", "'+1' is no JSON number: it begins with a plus sign", QUOTES),
        ('{"a": 1.}', "1.", "'1.' is no JSON number: a digit is missing beside the point", QUOTES),
        ('{"a": 0x1f}', "0x1f", "'0x1f' is no JSON number: it is hexadecimal", QUOTES),
        ('{"a": 1.0.0}', "1.0.0", "'1.0.0' is no JSON number: it has other characters than digits", QUOTES),
        ("{'a': 1}", "'", '"\'" is no quote in JSON', 'write double quotes (")'),
        ("{\"a\": 'b'}", "'", '"\'" is no quote in JSON', 'write double quotes (")'),
        ('{"a": `b`}', "`", "'`' is no quote in JSON", 'write double quotes (")'),
        ("{\u201ca\u201d: 1}", "\u201c", "a typographic quote (\u201c)", 'write plain double quotes (")'),
        ('{"a":\u00a01}', "\u00a0", "the character U+00A0, which is no blank in JSON", SPACE),
        ('{"a": 1,\u200b"b": 2}', "\u200b", "the character U+200B, which is no blank in JSON", SPACE),
        ("{name: 1}", "name", "the key 'name' is not in quotes", 'write "name"'),
        ("{,}", ",", "a comma where a key should stand", "remove the comma"),
        ('{"a": 1, [2]}', "[", "'[' where a key should stand", 'write a key in double quotes, such as "name"'),
        ('{"a" 1}', "1", "the key before this has no colon behind it", "write ':' between the key and its value"),
        ('{"a" = 1}', "=", "the key before this has no colon behind it", "write ':' instead of '='"),
        ('{"a": 1 "b": 2}', '"', "a comma is missing before a text", "add ',' behind the value before it"),
        ('{"a": [{} {}]}', "{", "a comma is missing before an object", "add ',' behind the value before it"),
        ('{"a": "say "hi" now"}', "hi", "'hi' right behind the end of a text", INNER),
        ('{"a": [1}', "}", "'}' cannot close what '[' has opened", "write ']'"),
        ('{"a": 1]', "]", "']' cannot close what '{' has opened", "write '}'"),
        ('{"a": [1]', "{", "the file ends before the object that begins here", "add '}' at its end"),
        ('{"a": [1', "[", "the file ends before the array that begins here", "add ']' at its end"),
        ('{"a": 1}}', "}", "one closing bracket too many", BEHIND),
        ("{} {}", "{", "an object behind the end of the index", BEHIND),
        ('{"a": "b\n}', '"b', "the text that begins here is not closed on its line", CLOSE),
        ('{"a": "b', '"b', "the text that begins here is not closed on its line", CLOSE),
        ('{"a": "b\tc"}', "\t", "a tab inside a text", "write \\t, or a space"),
        ('{"a": "b\x01c"}', "\x01", "the control character U+0001 inside a text", "remove it"),
        (r'{"a": "C:\Users"}', r"\U", r"\U is no escape that JSON knows", "write \\\\ for a backslash"),
        (r'{"a": "\u12"}', r"\u", "four hexadecimal digits are missing behind \\u", "write \\\\ for a backslash"),
        ("[]", "[", "the index must be an object, not an array", AROUND),
        ('[{"name": "pay"}]', "[", "the index must be an object, not an array", AROUND),
        ('"skills"', '"skills"', "the index must be an object, not text", 'write {"skills": [...]}'),
        ("12", "12", "the index must be an object, not a number", 'write {"skills": [...]}'),
        ("1.5", "1.5", "the index must be an object, not a number", 'write {"skills": [...]}'),
        ("null", "null", "the index must be an object, not null", 'write {"skills": [...]}'),
        ("true", "true", "the index must be an object, not a boolean", 'write {"skills": [...]}'),
    ],
)  # fmt: skip
def test_case_076_each_fault_says_what_to_type(source: str, token: str, message: str, hint: str) -> None:
    found = fault(source)
    assert (source[slice(*found.span)], found.message, found.hint) == (token, message, hint)
    assert found.location.line == found.location.end_line


def test_case_076_an_empty_file_is_one_finding_of_its_own() -> None:
    for source in ("", " \n\t\n"):
        assert [finding.rule for finding in on_index(source)] == ["empty-file"]


def test_case_076_the_right_line_and_column_in_every_layout() -> None:
    lines = '{\r\n\t"skills": [\r\n\t\t{"name": "pay"},\r\n\t]\r\n}'
    assert brief(on_index(lines)) == [("json-syntax", "error", 3, 18)]
    astral = '{"a": "\U0001f600", "\\ud83d\\ude00": "\U0001f600", }'
    assert brief(on_index(astral)) == [("json-syntax", "error", 1, astral.index(", }") + 1)]
    minified = f'{{"$schema":"{URI}","skills":[{",".join(["{}"] * 3000)},]}}'
    assert brief(on_index(minified)) == [("json-syntax", "error", 1, len(minified) - 2)]
    marked = on_index(BOM + "{,}")
    assert brief(marked) == [("json-syntax", "error", 1, 2), ("json-byte-order-mark", "error", 1, 1)][::-1]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_hundred_thousand_levels_are_one_finding(opening: str) -> None:
    found = fault(opening * 100_000)
    assert found.message == "the nesting is deeper than 64 levels"
    assert (found.line, found.column) == (1, 64 * len(opening) + 1)


def test_many_levels_that_are_not_too_many_pass() -> None:
    source = f'{{"$schema": "{URI}", "skills": [], "x": {"[" * 60}{"]" * 60}}}'
    assert brief(only(on_index(source), "json-syntax")) == []


def test_a_merge_conflict_is_no_riddle_of_json() -> None:
    source = '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> theirs\n}\n'
    assert [finding.rule for finding in on_index(source)] == ["merge-conflict"]


def test_bytes_that_are_no_text_are_no_matter_of_json() -> None:
    assert [finding.rule for finding in on_index(b'{"a": "\xff"}')] == ["not-utf8"]


def test_what_no_client_would_mind_passes() -> None:
    for source in (
        EMPTY,
        f"\n\n{EMPTY}\r\n\t ",
        EMPTY[:-1] + r', "x": "\ud83d\ude00 \ud800 \u0000 \" \\ \/", "y": [-0.0e+1, 1E400, null, true], "": {}}',
        EMPTY[:-1] + f', "digits": {"9" * 5000}}}',
    ):
        assert only(on_index(source), "json-syntax") == []


@given(st.text(alphabet="{}[]:,\"'\\ \n\t\r01-.eEtrufalsnN/#\x01\u201c\u00a0", max_size=40))
def test_every_text_that_json_refuses_is_one_finding(source: str) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    found = on_index(source)
    try:
        value = json.loads(source, parse_constant=refuse)
    except ValueError:
        expected = "json-syntax" if source.strip() else "empty-file"
        assert [finding.rule for finding in found] == [expected]
    else:
        assert len(only(found, "json-syntax")) == (0 if isinstance(value, dict) else 1)


def test_a_link_that_git_has_written_as_text_is_said_to_be_one() -> None:
    (found,) = on_index("../../other/index.json\n")
    assert brief([found]) == [("json-syntax", "error", 1, 1)]
    assert found.location.end_column == 23
    assert found.message == "the file holds nothing but a path: git has written a symbolic link as text"


# --- byte order mark --------------------------------------------------------------------------------


def test_case_076_a_byte_order_mark_is_an_error_and_reading_goes_on() -> None:
    source = BOM + EMPTY
    (found,) = on_index(source)
    assert brief([found]) == [("json-byte-order-mark", "error", 1, 1)]
    assert found.message == "a byte order mark (U+FEFF) stands before the JSON text, which has none"
    assert found.fix is not None
    assert found.fix.safe
    assert fixed(source, found) == EMPTY
    assert brief(on_index(BOM + '{"$schema": "x", "skills": []}')) == [
        ("json-byte-order-mark", "error", 1, 1),
        ("index-dialect", "error", 1, 13),
    ]


def test_a_mark_before_what_is_no_text_is_not_its_fault() -> None:
    assert [finding.rule for finding in on_index(b"\xef\xbb\xbf{\xff}")] == ["not-utf8"]


def test_a_second_mark_is_a_character_that_does_not_belong_there() -> None:
    found = only(on_index(BOM + BOM + EMPTY), "json-syntax")
    assert [finding.message for finding in found] == ["the character U+FEFF, which is no blank in JSON"]


# --- duplicate keys ---------------------------------------------------------------------------------


def test_the_second_of_two_equal_keys_is_found_at_any_depth() -> None:
    source = EMPTY[:-1] + ',\n "x": [{"a": 1, "b": {"c": 2, "\\u0063": 3}}]}'
    (found,) = on_index(source)
    assert brief([found]) == [("json-duplicate-key", "warning", 2, source.splitlines()[1].index('"\\u') + 1)]
    assert found.message == "the key 'c' stands twice in one object; most readers keep the last value alone"
    ((where, words),) = found.related
    assert (where.line, where.column, words) == (2, source.splitlines()[1].index('"c"') + 1, "the first one")


def test_a_key_that_stands_often_is_one_finding() -> None:
    source = EMPTY[:-1] + ', "x": {' + ", ".join(['"a": 1'] * 5000) + "}}"
    assert [f.message for f in on_index(source)] == [
        "the key 'a' stands 5000 times in one object; most readers keep the last value alone"
    ]


def test_equal_keys_of_different_objects_pass() -> None:
    source = (
        EMPTY[:-1] + ', "x": [{"a": 1}, {"a": 1}], "A": 1, "a": {"a": {"a": 1}}, "\\ud83d\\ude00": 1, "\\ud83d": 2}'
    )
    assert on_index(source) == []


def test_files_that_are_no_index_are_not_read_as_json() -> None:
    assert only(report_on({"index.json": "{,}", "pay/SKILL.md": "x"}).findings, "json-syntax") == []


@pytest.mark.parametrize("start", ["<!DOCTYPE html>", "\n  <html lang='en'>", "<!doctype HTML>"])
def test_a_page_saved_as_the_index(start: str) -> None:
    path = "web/.well-known/agent-skills/index.json"
    (finding,) = report_on({path: f"{start}<body>Not found</body>"}).findings
    assert (finding.rule, finding.message) == ("json-syntax", "the file is an HTML page, not JSON")
