"""The file and its frontmatter as bytes and YAML."""

from __future__ import annotations

import codecs
import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint.documents import MAX_BYTES, MAX_FRONTMATTER, Document, Skill
from agentskills_lint.model import Finding
from agentskills_lint.rule import load_rules
from agentskills_lint.rules import syntax
from agentskills_lint.rules.yaml_faults import diagnose
from tests.support import brief, clean_skill, findings_in, fixed, only, report_on, skill_text

SPECS = ("agentskills", "discovery", "dualnova", "wsp")
FRONT = "name: pay-invoice\ndescription: Pays an open invoice by card. Use when the user asks for it.\n"
BODY = "\n# Pay an invoice\n\nAsk for the number.\n"
TEXT = f"---\n{FRONT}---\n{BODY}"


def mine(text: str | bytes, *spec: str, path: str = "pay-invoice/SKILL.md") -> list[Finding]:
    """The findings of this module's rules."""
    return [found for found in findings_in(text, *spec, path=path) if found.code < "SKL100"]


def places(text: str | bytes, *spec: str, path: str = "pay-invoice/SKILL.md") -> list[tuple[str, str, int, int]]:
    return brief(mine(text, *spec or ("agentskills",), path=path))


def fault(front: str) -> Finding:
    """The one finding on a frontmatter that is no YAML."""
    found = findings_in(skill_text(front, BODY), "agentskills")
    assert [(f.rule, f.level) for f in found if f.level != "note"] == [("yaml-syntax", "error")], brief(found)
    return only(found, "yaml-syntax")[0]


def cured(front: str) -> str:
    """The frontmatter after the fix, which has to make it valid."""
    text = skill_text(front, BODY)
    after = fixed(text, fault(front))
    assert mine(after, "agentskills") == [], after
    return after.removeprefix("---\n").removesuffix(f"---\n{BODY}")


def source_of(finding: Finding, text: str) -> str:
    return text[finding.span.start : finding.span.end]


def test_a_plain_skill_passes() -> None:
    assert places(TEXT, *SPECS) == []


# --- bytes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "place", "words"),
    [
        (b"---\ndesc: caf\xe9 au lait\n---\n", (2, 10), "byte 0xE9 is not UTF-8; the file looks like Windows-1252"),
        ("日本 a\né".encode() + b"\x93x", (2, 2), "byte 0x93"),
        ("---\nname: 日本語の説明\n".encode("gb18030"), (2, 7), "East Asian"),
        (TEXT.encode("utf-16"), (1, 1), "UTF-16"),
        (TEXT.encode("utf-16-be"), (1, 1), "UTF-16"),
        (TEXT.encode("utf-16-le"), (1, 2), "UTF-16"),
        (b"PK\x03\x04\x14\x00\x08\xff", (1, 8), "ZIP"),
        (codecs.BOM_UTF8 + b"a\xff", (1, 2), "0xFF"),
        ("# é日".encode()[:-1], (1, 4), "ends in the middle of a character"),
    ],
)
def test_case_014_bytes_that_are_not_utf8(raw: bytes, place: tuple[int, int], words: str) -> None:
    found = findings_in(raw, *SPECS)
    assert brief(found) == [("not-utf8", "error", *place)]
    assert words in found[0].message


@pytest.mark.parametrize("text", ["日本語 — é 😀", "\ufffd", "a\x00b" * 5])
def test_utf8_of_any_kind_passes(text: str) -> None:
    assert only(findings_in(TEXT + text, "agentskills"), "not-utf8") == []


def test_case_013_a_byte_order_mark() -> None:
    found = mine(codecs.BOM_UTF8 + TEXT.encode(), *SPECS)
    assert brief(found) == [("byte-order-mark", "warning", 1, 1)]
    assert found[0].fix is not None
    assert found[0].fix.safe
    assert fixed("\ufeff" + TEXT, found[0]) == TEXT


def test_a_byte_order_mark_shifts_no_column() -> None:
    found = only(findings_in(codecs.BOM_UTF8 + b"--- \n" + TEXT[4:].encode(), "agentskills"), "frontmatter-fence")
    assert brief(found) == [("frontmatter-fence", "warning", 1, 4)]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "the file is empty"),
        (codecs.BOM_UTF8, "the file is empty"),
        (b" \n\t\r\n", "nothing but blanks"),
        (codecs.BOM_UTF8 + b"\n\r\n", "nothing but blanks"),
        ("\u3000\n".encode(), "nothing but blanks"),
    ],
)
def test_case_031_empty_files(raw: bytes, words: str) -> None:
    found = findings_in(raw, *SPECS)
    assert brief(found) == [("empty-file", "error", 1, 1)]
    assert words in found[0].message


def test_case_031_a_directory_called_skill_md() -> None:
    found = report_on({"pay/SKILL.md/readme.txt": "x"}, SPECS).findings
    assert brief(found) == [("empty-file", "error", 1, 1)]
    assert "is a directory" in found[0].message


@pytest.mark.parametrize("char", ["\x00", "\x07", "\x1b", "\x7f", "\x80", "\x9d", "\ufffe"])
def test_case_015_control_characters_in_the_frontmatter(char: str) -> None:
    found = findings_in(skill_text(f"name: pay-invoice\ndescription: a{char}b", BODY), *SPECS)
    assert brief(found) == [("control-character", "error", 3, 15)]
    assert f"U+{ord(char):04X}" in found[0].message


@pytest.mark.parametrize("char", ["\x00", "\x08", "\x1b"])
def test_control_characters_in_the_body(char: str) -> None:
    assert places(TEXT + f"\na {char} b\n") == [("control-character", "error", 10, 3)]


@pytest.mark.parametrize("text", ["a\tb", "a\fb", "caf\u00e9\u00a0b", "a\u0085b"])
def test_what_is_no_control_character(text: str) -> None:
    assert only(findings_in(TEXT + text, "agentskills"), "control-character") == []


def test_symlink_text() -> None:
    found = findings_in("../../../shared/skills/pay-invoice/SKILL.md", *SPECS)
    assert brief(found) == [("symlink-text", "warning", 1, 1)]
    assert "'../../../shared/skills/pay-invoice/SKILL.md'" in found[0].message
    assert brief(findings_in("../pay/SKILL.md\n", "agentskills")) == [("symlink-text", "warning", 1, 1)]


@pytest.mark.parametrize("text", ["See ../pay/SKILL.md", "and/or", "../a/b.md\n../c/d.md"])
def test_a_line_that_is_not_only_a_path_is_no_symlink(text: str) -> None:
    assert only(findings_in(text, "agentskills"), "symlink-text") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## \ufffd Usage", 9),
        ("It\xe2\x80\x99s", 9),
        ("It\u00e2\u20ac\u2122s", 9),
        ("caf\u00c3\u00a9", 9),
        ("\u00c2\u00a310", 9),
        ("\uf0b7 a bullet of a symbol font", 9),
    ],
)
def test_mojibake(text: str, line: int) -> None:
    assert places(TEXT + text + "\n") == [("mojibake", "note", line, TEXT.count("x") + places(TEXT + text)[0][3])]
    assert only(findings_in(f"{TEXT}`{text}`\n\n```\n{text}\n```\n", "agentskills"), "mojibake") == []


@pytest.mark.parametrize("text", ["NÃO é só", "Ângela", "ðæ", "\uf120 an icon", "漢字。", "â ê î"])
def test_accents_and_icons_are_no_mojibake(text: str) -> None:
    assert only(findings_in(TEXT + text, "agentskills"), "mojibake") == []


def test_several_bad_characters_are_one_finding() -> None:
    found = only(findings_in(TEXT + "a \ufffd b \ufffd\n", "agentskills"), "mojibake")
    assert len(found) == 1
    assert "1 more" in found[0].message


# --- line ends -------------------------------------------------------------------------------------------------------


def test_case_011_crlf_is_read_like_lf() -> None:
    text = clean_skill("agentskills", "license: 010").replace("\n", "\r\n")
    assert brief(findings_in(text, "agentskills")) == brief(findings_in(text.replace("\r\n", "\n"), "agentskills"))


@pytest.mark.parametrize(
    ("text", "place", "counts", "after"),
    [
        ("a\nb\r\nc\n", (2, 1), "2 lines end with LF, 1 with CRLF", "a\nb\nc\n"),
        ("a\r\nb\nc\r\n", (2, 1), "2 lines end with CRLF, 1 with LF", "a\r\nb\r\nc\r\n"),
        ("a\nb\rc\n", (2, 1), "2 lines end with LF, 1 with CR", "a\nb\nc\n"),
        ("a\r\nb\r\r\nc\r\n", (2, 1), "3 lines end with CRLF, 1 with CR", "a\r\nb\r\nc\r\n"),
    ],
)
def test_mixed_line_endings(text: str, place: tuple[int, int], counts: str, after: str) -> None:
    found = only(findings_in(text, "agentskills"), "mixed-line-endings")
    assert brief(found) == [("mixed-line-endings", "warning", *place)]
    assert found[0].message == counts
    assert fixed(text, found[0]) == after


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_one_kind_of_line_ending_passes(newline: str) -> None:
    assert only(findings_in(TEXT.replace("\n", newline), "agentskills"), "mixed-line-endings") == []


def crlf(files: dict[str, str | bytes]) -> list[tuple[str, str]]:
    return [(found.path, found.level) for found in only(list(report_on(files).findings), "crlf-line-endings")]


def test_crlf_beside_skills_with_lf() -> None:
    ended = TEXT.replace("\n", "\r\n")
    assert crlf({"s/a/SKILL.md": ended, "s/b/SKILL.md": TEXT, "s/c/SKILL.md": TEXT}) == [("s/a/SKILL.md", "note")]
    assert crlf({"s/a/SKILL.md": ended, "s/b/SKILL.md": ended, "s/c/SKILL.md": ended}) == []
    assert crlf({"s/a/SKILL.md": ended, "s/b/SKILL.md": ended, "s/c/SKILL.md": TEXT}) == []
    assert crlf({"s/a/SKILL.md": ended}) == []
    assert crlf({"s/a/SKILL.md": TEXT, "s/b/SKILL.md": TEXT}) == []
    # what lies beside a repository is none of its skills
    assert crlf({"a/SKILL.md": ended, "a/.git/HEAD": "x", "b/SKILL.md": TEXT, "c/SKILL.md": TEXT}) == []


def test_crlf_under_a_digest() -> None:
    ended = TEXT.replace("\n", "\r\n")
    path = ".well-known/agent-skills/pay-invoice/SKILL.md"
    index = ".well-known/agent-skills/index.json"
    assert crlf({path: ended, index: '{"skills": [{"digest": "sha256:0"}]}'}) == [(path, "note")]
    assert crlf({path: ended, index: '{"skills": []}'}) == []
    found = only(list(report_on({path: ended, index: '{"sha256": ""}'}).findings), "crlf-line-endings")[0]
    assert fixed(ended, found) == TEXT


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_file_size() -> None:
    text = TEXT + "x" * (102_400 - len(TEXT.encode()) - 1) + "\n"
    assert len(text.encode()) == 102_400
    assert only(findings_in(text, "wsp"), "file-size") == []
    found = only(findings_in(text + "é", "wsp"), "file-size")
    assert brief(found) == [("file-size", "warning", 1, 1)]
    assert found[0].message == "the file has 102,402 bytes; 102,400 (100 KB) are the limit"
    assert only(findings_in(text + "é", "agentskills"), "file-size") == []


def test_file_over_cap() -> None:
    found = findings_in(b"x" * (MAX_BYTES + 1), *SPECS)
    assert brief(found) == [("file-over-cap", "error", 1, 1)]


@pytest.mark.parametrize(
    ("front", "place"),
    [
        ("name: pay-invoice\ndescription: " + "x" * MAX_FRONTMATTER, (1, 1)),
        ("name: pay-invoice\nmetadata: " + "[" * 100 + "]" * 100, (3, 74)),
        ("name: pay-invoice\nmetadata:\n" + "\n".join("  " * i + "a:" for i in range(1, 100)), (67, 129)),
    ],
)
def test_frontmatter_over_the_cap(front: str, place: tuple[int, int]) -> None:
    assert brief(findings_in(skill_text(front, BODY), *SPECS)) == [("file-over-cap", "error", *place)]


# --- fences ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [
        ("# Pay\n\nText.\n", "the file has no frontmatter", "start the file"),
        ("**name:** demo\n**description:** d\n", "the metadata stands in the text", "'---'"),
        ("> name: demo\n\n# Pay\n", "the metadata stands in the text", "'---'"),
        ("# Pay\n\n```yaml\nname: demo\n```\n", "in a code block", "'---'"),
        ("# Pay\n\n```yaml\n---\nname: demo\n---\n```\n", "in a code block", "'---'"),
        ("+++\nname = 'x'\n+++\n", "the metadata is TOML", "YAML"),
        ('{"name": "x"}\n\n# Pay\n', "the metadata is JSON", "YAML"),
        ("name: demo\ndescription: d\n\n# Pay\n", "stands without fences", "'---'"),
        ("---yaml\nname: demo\n---\n", "'---yaml' is no fence", "'---' alone"),
        ("----\nname: demo\n----\n", "'----' is no fence", "'---' alone"),
        ("<!--\n---\nname: demo\n---\n-->\n\n# Pay\n", "no frontmatter", ""),
    ],
)
def test_case_025_no_frontmatter(text: str, words: str, hint: str) -> None:
    found = findings_in(text, *SPECS)
    assert [f[:4] for f in brief(found) if f[1] == "error"] == [("frontmatter-missing", "error", 1, 1)]
    missing = only(found, "frontmatter-missing")[0]
    assert words in missing.message
    assert hint in (missing.hint or "")


@pytest.mark.parametrize(
    ("above", "safe", "after"),
    [
        ("\n\n", True, TEXT),
        ("<!-- generated -->\n", True, f"---\n{FRONT}---\n\n<!-- generated -->\n{BODY}"),
        ("<!-- a\nb -->\n\n<!-- c -->\n", True, f"---\n{FRONT}---\n\n<!-- a\nb -->\n\n<!-- c -->\n{BODY}"),
        ("# Pay\n\n", None, ""),
        ("> Related: [[x]]\n\n", None, ""),
    ],
)
def test_case_016_something_above_the_frontmatter(above: str, safe: bool | None, after: str) -> None:
    text = above + TEXT
    found = findings_in(text, *SPECS)
    assert [f for f in brief(found) if f[0].startswith(("frontmatter", "yaml"))] == [
        ("frontmatter-not-first", "error", 1, 1)
    ]
    assert f"starts on line {above.count(chr(10)) + 1}" in found[0].message
    assert (found[0].fix.safe if found[0].fix is not None else None) is safe
    if found[0].fix is not None:
        assert fixed(text, found[0]) == after
    else:
        assert found[0].hint


def test_case_016_the_block_below_is_read_all_the_same() -> None:
    text = f"\n---\n{FRONT}license: no\n---\n{BODY}"
    assert [f for f in brief(findings_in(text, "agentskills")) if f[2] == 5] != []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("--- \n" + TEXT[4:], (1, 4)),
        ("---\t\r\n" + TEXT[4:].replace("\n", "\r\n"), (1, 4)),
        (f"---\n{FRONT}---  \n{BODY}", (4, 4)),
        (f"---\n{FRONT}--- ", (4, 4)),
    ],
)
def test_case_017_blanks_behind_a_fence(text: str, place: tuple[int, int]) -> None:
    found = [f for f in mine(text, *SPECS) if f.rule != "mixed-line-endings"]
    assert brief(found) == [("frontmatter-fence", "warning", *place)]
    assert only(mine(fixed(text, found[0]), *SPECS), "frontmatter-fence") == []


@pytest.mark.parametrize("text", [f"---\n{FRONT}---", f"---\n{FRONT}---\n{BODY}"])
def test_case_019_a_closing_fence_at_the_end(text: str) -> None:
    assert places(text, *SPECS) == []


def test_case_019_an_empty_block() -> None:
    found = findings_in("---\n---\nbody\n", *SPECS)
    assert [f for f in brief(found) if f[1] == "error"] == [("yaml-not-mapping", "error", 1, 1)]
    assert found[0].message == "the frontmatter is empty"


def test_case_021_hyphens_inside_a_value() -> None:
    text = clean_skill("agentskills", "description: Converts a---b tables. Use when the user has one.")
    assert places(text, "agentskills") == []


def test_case_023_rules_and_look_alikes_in_the_body() -> None:
    text = TEXT + "\n---\n\nmore\n\n```yaml\n---\nx: 1\n---\n```\n\n---\n\n\ufffd\n"
    assert places(text, *SPECS) == [("mojibake", "note", text.count("\n"), 1)]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (f"---\n{FRONT}\n# Pay\n\nText.\n", None),
        (f"---\n{FRONT}", None),
        (f"---\n{FRONT}\n# Pay\n\nText.\n\n---\n\nMore.\n", None),
        (f"---\n{FRONT}----\n\n# Pay\n", (4, "'----'")),
        (f"---\n{FRONT}--- end\n\n# Pay\n", (4, "'--- end'")),
        (f"---\n{FRONT}  ---\n\n# Pay\n", (4, "'  ---'")),
        ("---\n\n## name: pay\nversion: 1.0.0\n\n# Pay\n\nText.\n\n---\n", (3, "'## name: pay'")),
    ],
)
def test_an_unclosed_frontmatter(text: str, near: tuple[int, str] | None) -> None:
    found = [f for f in findings_in(text, *SPECS) if f.level == "error" and f.code < "SKL200"]
    assert brief(found) == [("frontmatter-unclosed", "error", 1, 1)]
    assert [(place.line, f"{words}") for place, words in found[0].related] == (
        [(near[0], "not a fence")] if near else []
    )
    if near:
        assert near[1] in found[0].message


# --- YAML ------------------------------------------------------------------------------------------------------------

DESCRIPTION = "description: Pays invoices. Use when asked to."


def test_case_001_a_colon_in_a_value() -> None:
    found = fault("name: pay-invoice\ndescription: Use when: paying an invoice")
    assert (found.line, found.column, found.location.end_column) == (3, 22, 23)
    assert "': '" in found.message
    assert found.fix is not None
    assert found.fix.safe
    assert cured("name: pay-invoice\ndescription: Use when: paying an invoice") == (
        'name: pay-invoice\ndescription: "Use when: paying an invoice"\n'
    )


@pytest.mark.parametrize(
    ("value", "written", "safe"),
    [
        ("Use when: paying", '"Use when: paying"', True),
        ('Use "x": paying', "'Use \"x\": paying'", True),
        ("It's C:\\x: paying", "'It''s C:\\x: paying'", True),
        ("Triggers:", '"Triggers:"', True),
        ("\u201cUse: paying\u201d", '"\u201cUse: paying\u201d"', True),
        ("Use: one # two", '"Use: one # two"', False),
        ("one\n  two: three\n  four", '"one\n  two: three\n  four"', False),
        ("Use: one\n  two", '"Use: one\n  two"', False),
    ],
)
def test_case_001_the_fix_quotes_the_value(value: str, written: str, safe: bool) -> None:
    front = f"name: pay-invoice\ndescription: {value}"
    text = skill_text(front, BODY)
    found = fault(front)
    assert found.fix is not None
    assert found.fix.safe is safe
    after = fixed(text, found)
    assert f"description: {written}\n---" in after
    assert only(mine(after, "agentskills"), "yaml-syntax") == []


def test_case_001_crlf_is_kept() -> None:
    text = skill_text("name: pay-invoice\ndescription: Use: x\n  and y", BODY).replace("\n", "\r\n")
    found = only(findings_in(text, "agentskills"), "yaml-syntax")[0]
    assert 'description: "Use: x\r\n  and y"\r\n---' in fixed(text, found)


FAULTS = [
    # case 3 and its kin: a value starts with a sign of YAML's own
    ("author: @acme", (4, 9, 10), "YAML reserves '@'", 'author: "@acme"'),
    ("author: `acme` x", (4, 9, 10), "backtick", 'author: "`acme` x"'),
    ("author: %acme", (4, 9, 10), "'%' starts a directive", 'author: "%acme"'),
    ("author: *bold* start", (4, 9, 10), "'*' starts an alias", 'author: "*bold* start"'),
    ("author: **bold** start", (4, 9, 10), "'*' starts an alias", 'author: "**bold** start"'),
    ("author: *bold start", (4, 9, 10), "'*' starts an alias", 'author: "*bold start"'),
    ("globs: *.py", (4, 8, 9), "'*' starts an alias", 'globs: "*.py"'),
    ("globs:\n  - **/*.ts", (5, 5, 6), "'*' starts an alias", 'globs:\n  - "**/*.ts"'),
    ("author: & sons", (4, 9, 10), "'&' starts an anchor", 'author: "& sons"'),
    ("author: !<x y", (4, 9, 10), "'!' starts a tag", 'author: "!<x y"'),
    ("author: > text here", (4, 9, 10), "starts on the next line", "author: >\n  text here"),
    ("author: |text", (4, 9, 10), "'|' starts a literal block", 'author: "|text"'),
    ("python: >=3.10", (4, 9, 10), "'>' starts a folded block", 'python: ">=3.10"'),
    ("author: , and more", (4, 9, 10), "nothing can start with ','", 'author: ", and more"'),
    ("author: ] x", (4, 9, 10), "nothing can start with ']'", 'author: "] x"'),
    ("author: ? x", (4, 9, 10), "'? ' starts a key", 'author: "? x"'),
    ("author: - x", (4, 9, 10), "'- ' starts a list item", "author:\n  - x"),
    ("license: - x", (4, 10, 11), "'- ' starts a list item", 'license: "- x"'),
    ("tags: [a, @b]", (4, 11, 12), "put '@b' in quotes", 'tags: [a, "@b"]'),
    ("tags: [a, `b c`, d]", (4, 11, 12), "put '`b c`' in quotes", 'tags: [a, "`b c`", d]'),
    ("tags:\n  - `a` b\n  - c", (5, 5, 6), "put the item in quotes", 'tags:\n  - "`a` b"\n  - c'),
    # case 5: brackets as placeholders
    ("argument-hint: [path] [--full]", (4, 23, 24), "'[--full]' is left over", 'argument-hint: "[path] [--full]"'),
    ("argument-hint: [path [--full]]", (4, 22, 23), "starts a list", 'argument-hint: "[path [--full]]"'),
    ("tags: [what?, b]", (4, 12, 13), "Python's YAML reader stops at a '?'", 'tags: ["what?", b]'),
    ("tags: [https://a.example/?q=1]", (4, 26, 27), "'?'", 'tags: ["https://a.example/?q=1"]'),
    ("tags: [a, b", (4, 7, 8), "'[' is never closed", "tags: [a, b]"),
    ("tags: [a, b\nauthor: c", (4, 7, 8), "'[' is never closed", "tags: [a, b]\nauthor: c"),
    ('metadata: {"a": {"b": ["}"]}', (4, 11, 12), "'{' is never closed", 'metadata: {"a": {"b": ["}"]}}'),
    ('metadata: {"a": {"b": "c"}}}', (4, 28, 29), "'}' closes nothing", 'metadata: {"a": {"b": "c"}}'),
    ('metadata: {"a": "b" "c": "d"}', (4, 21, 22), "a comma is missing", 'metadata: {"a": "b", "c": "d"}'),
    ("tags: ['a' 'b']", (4, 12, 13), "a comma is missing", "tags: ['a', 'b']"),
    ("tags: [a}", (4, 9, 10), "'[' is closed by '}'", "tags: [a]"),
    ("metadata: {a: b}\n}\nauthor: c", (5, 1, 2), "'}' closes nothing", "metadata: {a: b}\n\nauthor: c"),
    ("author: a\n, b: c", (5, 1, 2), "nothing stands before ','", None),
    ("tags: [a: b: c]", (4, 12, 13), "a second ': '", None),
    ("tags: [a,, b]", (4, 10, 11), "nothing stands before ','", None),
    ('metadata: {"a": {"bins": ["x"], ["y"]}}', (4, 33, 38), "a list or mapping is used as a key", None),
    ("author: {{author}}", (4, 9, 19), "a placeholder in braces", 'author: "{{author}}"'),
    ("author: {{ a }} and b", (4, 17, 18), "'and b' is left over", 'author: "{{ a }} and b"'),
    # case 9: tabs
    ("author:\tdemo", (4, 8, 9), "a tab stands where YAML wants a blank", "author: demo"),
    ("metadata:\n\ta: b\n\tc: d", (5, 1, 2), "a tab indents this line", "metadata:\n  a: b\n  c: d"),
    # quotes
    ('author: "Foo" bar', (4, 15, 18), "'bar' follows the closing quote", "author: '\"Foo\" bar'"),
    ("author: 'don't do'", (4, 13, 14), "this ' ends the quoted value", "author: 'don''t do'"),
    ("author: 'don\\'t do'", (4, 14, 15), "this ' ends the quoted value", "author: 'don''t do'"),
    ('author: "a "b" c"', (4, 12, 13), 'this " ends the quoted value', 'author: "a \\"b\\" c"'),
    ('author: "a": b', (4, 12, 15), "': b' follows the closing quote", "author: '\"a\": b'"),
    ('author: "a",', (4, 12, 13), "a comma follows the closing quote", 'author: "a"'),
    ('author: "a', (4, 9, 10), "never closed", 'author: "a"'),
    ('author: "a\nlicense: "MIT"', (4, 9, 10), "never closed", 'author: "a"\nlicense: "MIT"'),
    ('author: "C:\\Users"', (4, 12, 14), "'\\U' is no escape", 'author: "C:\\\\Users"'),
    ('author: "a\\d+"', (4, 11, 13), "'\\d' is no escape", 'author: "a\\\\d+"'),
    ('author: "\\UFFFFFFFF"', (4, 10, 20), "is no escape", 'author: "\\\\UFFFFFFFF"'),
    # lines
    ("author: a\nand b", (5, 1, 6), "a wrapped value of 'author' must be indented", "author: a\n  and b"),
    ("author: >\na\nb", (5, 1, 2), "a wrapped value of 'author' must be indented", "author: >\n  a\n  b"),
    ("author: a\n homepage: b", (5, 2, 10), "indented below 'author'", "author: a\nhomepage: b"),
    ("author: a\n  Note: b", (5, 7, 8), "': '", 'author: "a\n  Note: b"'),
    ("author: a #b\n  c", (4, 11, 13), "' #' starts a comment", 'author: "a #b\n  c"'),
    ("author: |\n    a\n  b", (6, 3, 4), "indented less than the first line", None),
    ("metadata:\n    a: b\n  c: d", (6, 3, 4), "indented by 2", "metadata:\n    a: b\n    c: d"),
    ("tags:\n  - a\n - b", (6, 2, 3), "indented unlike", None),
    ("author: a\n- b", (5, 1, 2), "a list item follows 'author'", None),
    ("license MIT\nauthor: a", (4, 1, 8), "no colon follows 'license'", "license: MIT\nauthor: a"),
    ("license:MIT\nauthor: a", (4, 8, 9), "no blank follows the colon", "license: MIT\nauthor: a"),
    ("license:\u00a0MIT\nauthor: a", (4, 8, 10), "no-break space (U+00A0)", "license: MIT\nauthor: a"),
    ("license\uff1aMIT\nauthor: a", (4, 8, 9), "U+FF1A, which only looks like a colon", "license: MIT\nauthor: a"),
    ("license = MIT\nauthor: a", (4, 9, 11), "is set with '='", "license: MIT\nauthor: a"),
    ("tags:\n-a\n- b", (5, 1, 2), "a list item needs a blank", "tags:\n- a\n- b"),
    ("tags:\n* a", (5, 1, 4), "list items start with '- '", None),
    ("```yaml\nauthor: a", (4, 1, 8), "a Markdown fence", None),
    ("<!-- x -->\nauthor: a", (4, 1, 11), "an HTML comment", None),
    ("// x\nauthor: a", (4, 1, 5), "YAML comments start with '#'", None),
    ("%x\nauthor: a", (4, 1, 2), "'%' starts a directive", None),
    ("...\nauthor: a", (4, 1, 4), "'...' ends the YAML", None),
    ("--- x\nauthor: a", (4, 1, 6), "a second YAML document", None),
    ("author: a\u2028b c", (4, 10, 11), "U+2028 ends the line", "author: a b c"),
    # two entries on one line
    ("tags: x\u3002license: MIT", (4, 9, 17), "the line break before it is missing", "tags: x\u3002\nlicense: MIT"),
    ("tags: x\ufffdlicense: MIT", (4, 9, 17), "wrong conversion left U+FFFD", "tags: x\nlicense: MIT"),
    ("tags: x license: MIT", (4, 9, 17), "the line break before it is missing", "tags: x\nlicense: MIT"),
]


@pytest.mark.parametrize(("lines", "place", "words", "after"), FAULTS)
def test_case_003_case_005_case_009_faults_of_yaml(
    lines: str, place: tuple[int, int, int], words: str, after: str | None
) -> None:
    front = f"name: pay-invoice\n{DESCRIPTION}\n{lines}"
    found = fault(front)
    assert (found.line, found.column, found.location.end_column) == place
    assert found.location.end_line == found.line
    assert words in found.message
    assert not found.message.endswith(".")
    if after is None:
        assert found.fix is None
        assert found.hint
    else:
        assert found.hint is None
        assert fixed(skill_text(front, BODY), found) == skill_text(f"name: pay-invoice\n{DESCRIPTION}\n{after}", BODY)
        assert only(mine(fixed(skill_text(front, BODY), found), "agentskills"), "yaml-syntax") == []


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ("name:pay-invoice\n" + DESCRIPTION, 2),
        ("name\uff1apay-invoice\n" + DESCRIPTION, 2),
        ("name pay-invoice\n" + DESCRIPTION, 2),
        ("**name:** pay-invoice\n**description:** d", 2),
        ('"name" pay', 2),
        ('{"name": "pay"}\nlicense: MIT', 3),
        ("- a\nname: b", 3),
    ],
)
def test_faults_on_the_first_line(front: str, line: int) -> None:
    assert fault(front).line == line


def test_a_line_below_the_name_lost_its_key() -> None:
    found = fault("name: pay-invoice\nPays an open invoice by card.\nlicense: MIT")
    assert (found.line, found.column, found.fix) == (3, 1, None)
    assert found.message == "'Pays an open invoice by card.' is no entry: it has no key"
    assert found.hint == "write 'description: ' before it"


def test_a_text_that_only_speaks_of_fields_is_quoted_and_not_broken() -> None:
    front = 'name: pay-invoice\ndescription: Fill the fields "name: x" and (license: y) in'
    assert "put the whole value in quotes" in fault(front).message


def test_a_fix_that_leads_nowhere_is_not_offered() -> None:
    assert fault(f"name: pay-invoice\n{DESCRIPTION}\nauthor: a: b\n  - c: d").fix is None


def test_two_faults_are_told_one_after_the_other() -> None:
    front = f"name: pay-invoice\n{DESCRIPTION}\nauthor: a: b\nlicense: c: d"
    once = fixed(skill_text(front, BODY), fault(front))
    found = only(mine(once, "agentskills"), "yaml-syntax")
    assert brief(found) == [("yaml-syntax", "error", 5, 11)]
    assert places(fixed(once, found[0])) == []


def test_case_001_nothing_else_is_said_of_the_frontmatter_but_the_body_is_checked() -> None:
    text = skill_text("name: X Y\ndescription: Use: x\nlicense: no\nlicense: 1.10", BODY + "\ufffd\n\n<<<<<<< a\nb\n")
    assert [(f.rule, f.line) for f in findings_in(text, *SPECS) if f.line < 7] == [("yaml-syntax", 3)]


@pytest.mark.parametrize(
    ("front", "place", "words"),
    [
        ("- a", (2, 1), "a list"),
        ("just text", (2, 1), "plain text"),
        ("~", (2, 1), "plain text"),
        ("[a, b]", (2, 1), "a list"),
        ("# only a comment", (1, 1), "empty"),
        ("name:pay-invoice", (2, 5), "no blank follows the colon"),
        ("name\uff1apay\ndescription\uff1ad", (2, 5), "U+FF1A"),
        ("name = pay", (2, 6), "'='"),
    ],
)
def test_case_029_no_mapping(front: str, place: tuple[int, int], words: str) -> None:
    found = [f for f in findings_in(skill_text(front, BODY), *SPECS) if f.level == "error"]
    assert brief(found) == [("yaml-not-mapping", "error", *place)]
    assert words in found[0].message


def test_case_026_a_key_given_twice() -> None:
    text = skill_text('name: pay-invoice\ndescription: Pays. Use when asked to.\n"name": other', BODY)
    found = mine(text, "agentskills")
    assert brief(found) == [("duplicate-key", "error", 4, 1)]
    assert [(place.line, place.column) for place, _ in found[0].related] == [(2, 1)]


def test_case_026_keys_are_compared_at_every_level() -> None:
    front = FRONT + "metadata:\n  a: 1\n  b: {c: 1, c: 2, c: 3}\n  a: 2\nother:\n  - {d: 1, d: 1}\n"
    found = only(findings_in(skill_text(front, BODY), "agentskills"), "duplicate-key")
    assert sorted((f.line, f.column) for f in found) == [(6, 13), (6, 19), (7, 3), (9, 12)]


def test_keys_that_only_look_alike_pass() -> None:
    assert places(skill_text(FRONT + "metadata:\n  A: x\n  a: x\n  '1': x\n  1: x\n", BODY)) == []


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ("license: &ref start", (4, 10, 14), "'&ref' is an anchor"),
        ("metadata:\n  a: &x b\n  c: *x", (5, 6, 8), "'&x' is an anchor"),
        ("metadata: {a: *x}", (4, 15, 17), "'*x' is an alias"),
        ("metadata:\n  <<: {a: b}", (5, 3, 5), "'<<' merges"),
        ("license: !!python/object/apply:os.system [id]", (4, 10, 41), "is a tag"),
        ("license: !custom x", (4, 10, 17), "'!custom' is a tag"),
        ("license: !!str &x y", (4, 16, 18), "'&x' is an anchor"),
        ("&x license: y", (4, 1, 3), "'&x' is an anchor"),
    ],
)
def test_case_027_and_028_anchors_aliases_and_tags(lines: str, place: tuple[int, int, int], words: str) -> None:
    found = only(findings_in(skill_text(FRONT + lines, BODY), "agentskills"), "yaml-anchor")
    assert [(f.level, f.line, f.column, f.location.end_column) for f in found] == [("error", *place)]
    assert words in found[0].message


@pytest.mark.parametrize(
    "lines",
    ["license: R&D * 2 ! now", "license: '&x *y !z'", "metadata:\n  v: !!str 1.0", "homepage: https://a.b/?c&d"],
)
def test_signs_inside_a_text_are_no_anchors(lines: str) -> None:
    assert places(skill_text(FRONT + lines, BODY)) == []


def test_case_027_an_alias_bomb_costs_nothing() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 200)]
    started = time.perf_counter()
    found = only(findings_in(skill_text(FRONT + "\n".join(lines), BODY), *SPECS), "yaml-anchor")
    assert time.perf_counter() - started < 2
    assert brief(found) == [("yaml-anchor", "error", 4, 5)]


# --- readings --------------------------------------------------------------------------------------------------------


def ambiguous(lines: str, *spec: str) -> list[tuple[int, int, int]]:
    found = only(findings_in(skill_text(FRONT + lines, BODY), *spec or ("agentskills",)), "yaml-ambiguous")
    assert all(f.level == "warning" for f in found)
    return [(f.line, f.column, f.location.end_column) for f in found]


@pytest.mark.parametrize(
    "value",
    [
        "no", "No", "NO", "yes", "on", "Off", "y", "N", "010", "0o10", "08", "007", "0b11", "1_000", "1:30", "1:30:00",
        "1:30.5", "1_0.5", "1e3", "1.5e3", "-010", "2026-03-01", "2026-03-01 10:00:00", "2026-03-01T10:00:00Z", "1.10",
        "2.20", "10.00", "=",
    ],
)  # fmt: skip
def test_values_that_readers_disagree_about(value: str) -> None:
    assert ambiguous(f"x-tags:\n  - {value}") == [(5, 5, 5 + len(value))]
    for written in (f"'{value}'", f'"{value}"', f"!!str {value}", f"{value} and more"):
        assert ambiguous(f"x-tags:\n  - {written}") == []


@pytest.mark.parametrize(
    "value",
    [
        "true", "false", "True", "FALSE", "null", "~", "1", "-1", "1.0", "1.1", "0.1", "1.0.0", "0", "00", "0x1F", "e3",
        "nope", "yess", "nO", "1-2", "2026-03", "v1.10", "12:3x", ".inf", "1,000", "0.0", "10%", "+", "-", ".", "0.30",
        "127.0.0.1", "No, thanks", "+49 30 123",
    ],
)  # fmt: skip
def test_values_that_all_readers_read_alike(value: str) -> None:
    assert ambiguous(f"x-tags:\n  - {value}") == []
    assert ambiguous(f"x-field: {value}") == []


@pytest.mark.parametrize("lines", ["temperature: 0.70", "x-price: 1.50", "x-score: 10.0", "x-default: 2.50"])
def test_quantities_pass(lines: str) -> None:
    assert ambiguous(lines) == []


@pytest.mark.parametrize(("lines", "place"), [("x-version: 0.10", (4, 12, 16)), ("python: 3.10", (4, 9, 13))])
def test_versions_do_not(lines: str, place: tuple[int, int, int]) -> None:
    assert ambiguous(lines) == [place]


def test_keys_are_read_too() -> None:
    assert ambiguous("on:\n  push: x\nmetadata:\n  no: x\n  010: z\n") == [(4, 1, 3), (7, 3, 5), (8, 3, 6)]


def test_flow_and_nested_values_are_read_too() -> None:
    assert ambiguous("hooks: {a: [no, {b: 010}], on: x}") == [(4, 13, 15), (4, 21, 24), (4, 28, 30)]


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        ("x-tags: [no, en]", 'x-tags: ["no", en]'),
        ("x-tags:\n  - 2026-03-01 # day", 'x-tags:\n  - "2026-03-01" # day'),
        ("x-date: 2026-03-01", 'x-date: "2026-03-01"'),
        ("x-version: 1.10", 'x-version: "1.10"'),
        ("on: push", '"on": push'),
    ],
)
def test_the_fix_quotes_what_is_meant_as_text(lines: str, after: str) -> None:
    text = skill_text(FRONT + lines, BODY)
    found = only(findings_in(text, "agentskills"), "yaml-ambiguous")
    assert found[0].fix is not None
    assert found[0].fix.safe
    assert fixed(text, found[0]) == skill_text(FRONT + after, BODY)


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ("user-invocable: no", "write false, or put it in quotes if it is meant as text"),
        ("x-flag: On", "write true, or put it in quotes if it is meant as text"),
        ("x-mode: 0755", "put it in quotes if it is meant as text"),
        ("x-size: 1e3", "put it in quotes if it is meant as text"),
    ],
)
def test_where_a_switch_or_a_number_may_be_meant_there_is_no_fix(lines: str, hint: str) -> None:
    found = only(findings_in(skill_text(FRONT + lines, BODY), "agentskills"), "yaml-ambiguous")
    assert [(f.fix, f.hint) for f in found] == [(None, hint)]


def test_case_032_norway() -> None:
    front = FRONT + "version: 1.0.0\nlanguages: [no, en]"
    found = [f for f in findings_in(skill_text(front, BODY), "dualnova") if f.line == 5]
    assert [(f.rule, f.column) for f in found] == [("language-boolean", 13)]
    assert "False" not in found[0].message
    assert ambiguous("x-languages: [no, en]") == [(4, 15, 17)]
    assert ambiguous("x-languages:\n  - NO\n  - No\n") == [(5, 5, 7), (6, 5, 7)]


@pytest.mark.parametrize(("version", "expected"), [("1.0", []), ("1.10", [(4, 10, 14)]), ("2.20", [(4, 10, 14)])])
def test_case_033_versions_of_dualnova(version: str, expected: list[tuple[int, int, int]]) -> None:
    text = skill_text(f"{FRONT}version: {version}", BODY)
    found = [f for f in findings_in(text, "dualnova") if f.rule in ("yaml-ambiguous", "version-format", "field-type")]
    assert [(f.line, f.column, f.location.end_column) for f in found] == expected


@pytest.mark.parametrize(
    ("lines", "spec"),
    [
        ("version: 1.10", "wsp"),
        ("version: 1.0.0\nrequires_auth: yes", "dualnova"),
        ("version: 1.0.0\napi_version: 1.10", "wsp"),
        ("metadata:\n  version: 1.10", "agentskills"),
        ("metadata:\n  created: 2026-01-01", "agentskills"),
        ("version: 1.0.0\nrate_limit:\n  agent: 010", "wsp"),
        ("license: no", "agentskills"),
    ],
)
def test_case_033_and_035_one_finding_for_one_value(lines: str, spec: str) -> None:
    text = skill_text(FRONT + lines, BODY)
    last = 3 + lines.count("\n") + 1
    found = [f for f in findings_in(text, spec) if f.line == last and f.level != "note"]
    assert len(found) == 1, brief(found)


# --- comments --------------------------------------------------------------------------------------------------------


def cut(lines: str) -> list[tuple[int, int, int]]:
    found = only(findings_in(skill_text(lines, BODY), "agentskills"), "yaml-comment-cut")
    assert all(f.level == "warning" for f in found)
    return [(f.line, f.column, f.location.end_column) for f in found]


def test_case_002_a_comment_cuts_the_value() -> None:
    text = skill_text("name: pay-invoice\ndescription: Handle tag #urgent items", BODY)
    found = only(findings_in(text, "agentskills"), "yaml-comment-cut")
    assert [(f.line, f.column, source_of(f, text)) for f in found] == [(3, 25, "#urgent items")]
    assert found[0].fix is not None
    assert not found[0].fix.safe
    assert 'description: "Handle tag #urgent items"\n' in fixed(text, found[0])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("license: MIT #2", [(2, 14, 16)]),
        ("tags:\n  - a #b\n  - c", [(3, 7, 9)]),
        ("metadata:\n  channel: see #billing", [(3, 16, 24)]),
        ("license: wrapped\n  text #b", [(3, 8, 10)]),
        ("author: #acme", [(2, 9, 14)]),
        ("license: # TODO", [(2, 10, 16)]),
    ],
)
def test_text_that_is_lost(lines: str, expected: list[tuple[int, int, int]]) -> None:
    assert cut(lines) == expected


@pytest.mark.parametrize(
    "lines",
    [
        "license: MIT # see LICENSE",
        "license: MIT  #see LICENSE",
        "license: MIT ##",
        "license: 'MIT' #x",
        'license: "MIT #x"',
        "license: MIT#x",
        "license: |\n  MIT #x",
        "version: 1.0 #x",
        "flag: true #x",
        "tags: # the tags\n  - a",
        "tags: #the-tags\n  - a",
        "metadata: # optional\n  a: b",
        "x-author: # none yet",
        "license: MIT # agentskills-lint: ignore[x]",
        "license: MIT #",
        "tags: [a, b] #x",
    ],
)
def test_ordinary_comments_pass(lines: str) -> None:
    assert cut(lines) == []


def test_case_002_an_emptied_description_is_an_error_of_its_own() -> None:
    text = skill_text("name: pay-invoice\ndescription: # todo", BODY)
    assert [(f.rule, f.level) for f in findings_in(text, "agentskills") if f.line == 3] == [("field-empty", "error")]


# --- the reference validator's subset --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ("description: >\n  Pay an open invoice by card when asked.", (3, 14, 15), "a block of text"),
        ("description: |-\n  Pay an open invoice by card when asked.", (3, 14, 16), "a block of text"),
        ("description: Pay an open invoice\n  by card when asked.", (3, 14, 33), "wrapped"),
        ("languages:\n  - en\n  - es", (5, 3, 7), "a list on lines of its own"),
        ("metadata:\n  a: b", (5, 3, 7), "a mapping"),
        ("metadata: {a: b}", (4, 11, 17), "a mapping"),
        ("languages: [en,\n  es]", (4, 12, 16), "wrapped"),
    ],
)
def test_case_006_beyond_the_subset(lines: str, place: tuple[int, int, int], words: str) -> None:
    entries = {
        line.split(":")[0]: line for line in ("name: pay-invoice", "description: Pay an open invoice when asked.")
    }
    entries["version"] = "version: 1.0.0"
    entries.pop(lines.split(":")[0], None)
    front = "\n".join(entries.values() if lines.startswith("description") else [*entries.values(), lines])
    if lines.startswith("description"):
        front = f"name: pay-invoice\n{lines}\nversion: 1.0.0"
    else:
        front = f"name: pay-invoice\ndescription: Pay an open invoice when asked.\n{lines}\nversion: 1.0.0"
    text = skill_text(front, BODY)
    found = only(findings_in(text, "dualnova"), "yaml-beyond-subset")
    assert [(f.level, f.line, f.column, f.location.end_column) for f in found] == [("warning", *place)]
    assert words in found[0].message
    assert only(findings_in(text, "agentskills", "wsp"), "yaml-beyond-subset") == []


@pytest.mark.parametrize(
    "lines", ["languages: [en, es]", "requires_auth: false", "url: 'https://a.example'", "contact:"]
)
def test_what_the_reference_validator_reads_passes(lines: str) -> None:
    assert only(findings_in(skill_text(FRONT + lines, BODY), "dualnova"), "yaml-beyond-subset") == []


# --- file names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD", "SKILLS.md"])
def test_case_044_the_file_name(name: str) -> None:
    found = only(findings_in(TEXT, *SPECS, path=f"skills/pay-invoice/{name}"), "skill-file-name")
    assert brief(found) == [("skill-file-name", "error", 1, 1)]
    assert f"'{name}'" in found[0].message
    assert "git mv" in (found[0].hint or "")


def test_case_044_both_names() -> None:
    files: dict[str, str | bytes] = {"s/pay-invoice/SKILL.md": TEXT, "s/pay-invoice/skill.md": TEXT}
    found = only(list(report_on(files, SPECS).findings), "skill-file-name")
    assert [(f.path, f.line) for f in found] == [("s/pay-invoice/skill.md", 1)]
    assert "stands beside it" in found[0].message


@pytest.mark.parametrize(
    "files",
    [
        {"pay-invoice/SKILL.md": TEXT},
        {"skill.md": TEXT, "robots.txt": "x"},
        {"public/skill.md": TEXT, "public/llms.txt": "x"},
        {"docs/skill.md": "---\ntitle: Skills\ndescription: d\n---\n", "docs/a.md": "x", "docs/b.md": "x"},
        {".github/PULL_REQUEST_TEMPLATE/skill.md": "<p>\n"},
        {"skills/SKILLS.md": "# All our skills\n"},
    ],
)
def test_case_044_pages_of_that_name_pass(files: dict[str, str | bytes]) -> None:
    found = [f for f in report_on(files, SPECS).findings if f.code < "SKL200" and f.level == "error"]
    assert brief(found) == [] or [f.rule for f in found] == ["version-missing"]


@pytest.mark.parametrize("path", ["skills/pay/skill.md", "skills/acme/pay/Skill.md"])
def test_case_044_a_skill_without_frontmatter_in_a_folder_of_skills(path: str) -> None:
    found = [f.rule for f in findings_in("# Pay\n\nText.\n", "agentskills", path=path) if f.level == "error"]
    assert found == ["frontmatter-missing", "skill-file-name"]


# --- merge conflicts -------------------------------------------------------------------------------------------------

CONFLICT = "<<<<<<< HEAD\na: b\n=======\na: c\n>>>>>>> topic\n"


def test_a_merge_conflict_in_the_frontmatter() -> None:
    found = findings_in(f"---\n{FRONT}{CONFLICT}---\n{BODY}", *SPECS)
    assert [f for f in brief(found) if f[1] == "error"] == [("merge-conflict", "error", 4, 1)]
    assert "'<<<<<<< HEAD'" in found[0].message


@pytest.mark.parametrize("text", [f"{CONFLICT}{TEXT}", f"<<<<<<< HEAD\n{TEXT}=======\n{TEXT}>>>>>>> x\n"])
def test_a_merge_conflict_around_the_frontmatter(text: str) -> None:
    assert [f.rule for f in findings_in(text, *SPECS) if f.code < "SKL100"] == ["merge-conflict"]


def test_a_merge_conflict_in_the_body() -> None:
    assert places(TEXT + CONFLICT, *SPECS) == [("merge-conflict", "error", 9, 1)]
    diff3 = "<<<<<<< ours\na\n||||||| base\nb\n=======\nc\n>>>>>>> theirs\n"
    assert places((TEXT + diff3).replace("\n", "\r\n"), *SPECS) == [("merge-conflict", "error", 9, 1)]


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{CONFLICT}```\n",
        "```diff\n<<<<<<< HEAD\n```\n\n=======\n\n```\n>>>>>>> x\n```\n",
        "Lines like `<<<<<<< HEAD` mark a conflict.\n",
        "Title\n=======\n\n>>>>>>> quoted seven times\n",
        "<<<<<<< HEAD\n\nalone\n",
        "    <<<<<<< HEAD\n    =======\n    >>>>>>> x\n",
        "<<<<<<<< HEAD\n========\n>>>>>>>> x\n",
    ],
)
def test_conflict_markers_that_are_none(text: str) -> None:
    assert only(findings_in(TEXT + "\n" + text, "agentskills"), "merge-conflict") == []


# --- demands of the specs --------------------------------------------------------------------------------------------

_NAME = "name: pay-invoice\n"

_FORMAT = "SKILL.md format, Skill Directory Contents, wsp 5.2"
_BLOCK = f"---\n{_NAME}"

DEMANDS = [
    # (specs, section, what is demanded, input, rule, place)
    (SPECS, "wsp 3.2, SKILL.md format", "text in UTF-8", b"# caf\xe9\n", "not-utf8", (1, 6)),
    (SPECS, "wsp 3.2, Directory structure", "a document", b"", "empty-file", (1, 1)),
    (SPECS, f"wsp 1.2.1, {_FORMAT}", "frontmatter", "# Pay\n", "frontmatter-missing", (1, 1)),
    (SPECS, f"{_FORMAT}, guides", "that comes first", f"\n{TEXT}", "frontmatter-not-first", (1, 1)),
    (SPECS, f"{_FORMAT}, validator", "and is closed", f"{_BLOCK}\n# Pay\n", "frontmatter-unclosed", (1, 1)),
    (SPECS, f"{_FORMAT}, guides", "that is YAML", f"{_BLOCK}license: a: b\n---\n", "yaml-syntax", (3, 11)),
    (SPECS, _FORMAT, "and holds fields", "---\n- a\n---\n", "yaml-not-mapping", (2, 1)),
    (SPECS, _FORMAT, "each once", f"{_BLOCK}name: pay-invoice\n---\n", "duplicate-key", (3, 1)),
    (SPECS, _FORMAT, "in YAML's characters", f"{_BLOCK}license: \x01\n---\n", "control-character", (3, 10)),
    (("dualnova",), "validator", "a subset", f"{_BLOCK}tags:\n  - a\n---\n", "yaml-beyond-subset", (4, 3)),
    (("wsp",), "8.3 and 10.1", "100 KB at most", TEXT + "x" * 102_400, "file-size", (1, 1)),
]


@pytest.mark.parametrize(
    ("spec", "text", "rule", "place"),
    [
        pytest.param(spec, text, rule, place, id=f"{spec}-{rule}")
        for specs, _, _, text, rule, place in DEMANDS
        for spec in specs
    ],
)
def test_demands(spec: str, text: str | bytes, rule: str, place: tuple[int, int]) -> None:
    level = "warning" if rule in ("yaml-beyond-subset", "file-size") else "error"
    assert brief(only(findings_in(text, spec), rule)) == [(rule, level, *place)]


@pytest.mark.parametrize("spec", SPECS)
def test_demand_that_the_file_is_called_skill_md(spec: str) -> None:
    """wsp 4.2 and 5.1, File layout, Directory structure, Skill Directory Contents."""
    found = only(findings_in(TEXT, spec, path="skills/pay-invoice/Skill.md"), "skill-file-name")
    assert brief(found) == [("skill-file-name", "error", 1, 1)]
    assert [demand.spec for demand in found[0].demands] == [spec]


def test_guides_want_the_fence_to_be_exact() -> None:
    assert places("--- \n" + TEXT[4:]) == [("frontmatter-fence", "warning", 1, 4)]


# --- robustness ------------------------------------------------------------------------------------------------------

ATOMS = (
    "name: pay", "description: ", "license", "metadata:", "tags", ": ", ":", "\n", "\n  ", "\n - ", "\n- ", "- ", "'",
    '"', "[", "]", "{", "}", "{{", "}}", ",", " #", "#", "&a", "*a", "!x", "|", ">", "> ", "%", "@", "`", "?", "? ",
    "=", "\\", "\\U", "\\x", "\t", "\u00a0", "\uff1a", "\u3002", "\ufffd", "\u2028", "\x85", "\r", "\r\n", "...",
    "--- x", "<<", "no", "1.10", "text", "```", "<!--", "//", "* ", "é", "😀",
)  # fmt: skip


@settings(max_examples=3_000, deadline=None)
@given(st.lists(st.sampled_from(ATOMS), max_size=16).map("".join))
def test_every_fault_is_diagnosed(front: str) -> None:
    text = f"---\nname: pay\n{front}\n---\n{BODY}"
    skill = Skill("SKILL.md", "/r/pay/SKILL.md", text.encode(), None)
    if skill.fences is None or skill.fences.closing is None:
        return
    problem = diagnose(skill)
    if problem is None:
        assert skill.fault is None or skill.fault.kind == "depth"
        return
    content = skill.fences.content
    assert content.start <= problem.where.start < problem.where.end <= content.end + 3
    assert problem.message.isprintable()
    assert (problem.fix is None) != (problem.hint is None)
    if problem.fix is not None:
        after = text
        for edit in sorted(problem.fix.edits, reverse=True):
            assert content.start <= edit.start <= edit.end <= content.end
            after = after[: edit.start] + edit.text + after[edit.end :]
        assert after != text


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n#"), min_size=1, max_size=40))
def test_the_quoted_value_is_the_value_as_it_was_written(value: str) -> None:
    value = f"a {value}: b".rstrip()
    text = skill_text(f"name: pay-invoice\ndescription: {value}", BODY)
    for found in only(findings_in(text, "agentskills"), "yaml-syntax"):
        if found.fix is not None and found.fix.safe:
            after = fixed(text, found)
            skill = Skill("SKILL.md", "/r/pay/SKILL.md", after.encode(), None)
            assert skill.value("description") == value.strip(" \t")


@pytest.mark.parametrize(
    "front",
    [
        "description: " + "a: " * 15_000,
        "description: '" + "it's " * 10_000,
        'description: "' + '\\d"' * 10_000,
        "a: [" + "{" * 60 + "b: c: d," * 5_000,
        "\n".join(f"k{i}: v" for i in range(5_000)) + "\nx: y: z",
        "\n".join(["text"] * 10_000),
        "\tx: y\n" * 8_000,
        "x: &" + "a" * 50_000,
        "# c\n" * 15_000 + "x: y: z",
    ],
    ids=range(9),
)
def test_large_faults_are_diagnosed_in_bounded_time(front: str) -> None:
    started = time.perf_counter()
    mine(skill_text(front, BODY), *SPECS)
    assert time.perf_counter() - started < 6


def test_no_rule_needs_itself_in_the_end() -> None:
    needs = {rule.id: rule.needs for rule in load_rules()}
    for start in needs:
        waiting, seen = list(needs[start]), set()
        while waiting:
            need = waiting.pop()
            assert need != start
            if need not in seen:
                seen.add(need)
                waiting.extend(needs.get(need, ()))


def test_rules_on_unreadable_documents_leave_the_file_alone() -> None:
    raw = bytes(range(256))
    document = Document("a", "/a", raw, None)
    assert list(syntax.empty_file.check(document, None)) == []
    assert document.raw == raw


def test_fixes_are_safe_to_read_by_pyyaml() -> None:
    front = 'name: pay-invoice\ndescription: It\'s "x": C:\\y'
    text = fixed(skill_text(front, BODY), fault(front))
    assert yaml.safe_load(text.split("---\n")[1])["description"] == 'It\'s "x": C:\\y'


def test_a_page_saved_as_a_skill() -> None:
    findings = findings_in("<!DOCTYPE html>\n<html><body>name: x</body></html>\n", "agentskills")
    assert [f.message for f in findings if f.rule == "frontmatter-missing"] == [
        "the file has no frontmatter; it is an HTML page"
    ]
