"""Bytes to text, and where the frontmatter of a skill stands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint.documents import MAX_BYTES, MAX_FRONTMATTER, Document, Folder, Skill
from agentskills_lint.sources import Memory
from agentskills_lint.text import Text

FRONT = "name: pay\ndescription: Pays. Use when asked to.\n"


def skill(text: str | bytes, path: str = "/r/pay/SKILL.md", *others: str) -> Skill:
    raw = text if isinstance(text, bytes) else text.encode()
    folder = Folder(Memory({path: raw, **dict.fromkeys(others, b"")}), path.rpartition("/")[0])
    return Skill(path, path, raw, folder)


def front_of(text: str) -> tuple[str | None, bool, bool]:
    """(content of the frontmatter, whether it is closed, whether it stands first)."""
    fences = skill(text).fences
    return (text[slice(*fences.content)], fences.closing is not None, fences.first) if fences else (None, False, False)


# --- text ------------------------------------------------------------------------------------------------------------


def test_lines_end_as_editors_end_them() -> None:
    text = Text("a\r\nb\rc\nd\x0be\x85f\u2028g\n".encode())
    assert [text.line(number) for number in range(1, text.line_count + 1)] == ["a", "b", "c", "d\x0be\x85f\u2028g"]
    assert text.newline == "\r\n"
    assert text.position(text.string.index("g")) == (4, 7)


@pytest.mark.parametrize(
    ("raw", "bad", "string"),
    [
        (b"caf\xe9 x", 3, "caf\ufffd x"),
        (b"\xef\xbb\xbfab\xff", 5, "ab\ufffd"),
        (b"ok", None, "ok"),
        ("日".encode()[:2], 0, "\ufffd"),
        ("---\nname: x\n".encode("utf-16"), 0, None),
        ("---\nname: x\n".encode("utf-16-le"), 1, None),
        ("---\nname: x\n".encode("utf-16-be"), 0, None),
        (b"one NUL \0 makes no UTF-16", None, "one NUL \0 makes no UTF-16"),
    ],
)
def test_bytes_that_are_not_utf8_are_found(raw: bytes, bad: int | None, string: str | None) -> None:
    text = Text(raw)
    assert text.bad_byte == bad
    assert string is None or text.string == string


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(["a", "é", "😀", "\r", "\n", "\r\n", "\x85", "\u2028", "\x0c", " "])).map("".join))
def test_positions_and_offsets_are_each_others_reverse(string: str) -> None:
    text = Text(string.encode())
    assert text.string == string
    for offset in range(len(string) + 1):
        line, column = text.position(offset)
        assert 1 <= line <= len(text.starts)
        assert text.offset(line, column) == offset
        assert text.line_at(offset) == line
    assert "".join(text.line(i + 1) for i in range(len(text.starts))) == string.replace("\r", "").replace("\n", "")


# --- frontmatter -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_frontmatter_is_found_whatever_the_line_ends(newline: str) -> None:
    found = skill(f"---\n{FRONT}---\n\n# T\n".replace("\n", newline))
    assert found.fences is not None
    assert found.fences.first
    assert found.value("description") == "Pays. Use when asked to."
    assert found.source[slice(*found.fences.opening)] == "---"
    assert found.body_text == f"{newline}# T{newline}"
    assert found.anchor == (0, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"---\n{FRONT}---", (FRONT, True, True)),
        (f"--- \t\n{FRONT}---  \n# T\n", (FRONT, True, True)),
        ("---\n---\nbody", ("", True, True)),
        ("---\n- a\n---\n", ("- a\n", True, True)),
        ("---\ndescription: a---b\n---\n", ("description: a---b\n", True, True)),
        ("---\ndescription: |\n  a\n   ---\n  b\n---\n# T\n", ("description: |\n  a\n   ---\n  b\n", True, True)),
        ("---yaml\nname: x\n---\n# T\n", (None, False, False)),
        ("----\nname: x\n----\n", (None, False, False)),
        ("# T\n\ntext\n\n---\n\nmore\n\n---\n", (None, False, False)),
        ("---\n\n# A rule, then a title\n\ntext\n", (None, False, False)),
        ("---\n\n# A rule, then a title\n\ntext\n\n---\n\nmore\n", (None, False, False)),
        (f"# T\n\n```yaml\n---\n{FRONT}---\n```\n", (None, False, False)),
        (f"<!--\n---\n{FRONT}---\n-->\n# T\n", (None, False, False)),
        (f"\n---\n{FRONT}---\n", (FRONT, True, False)),
        (f"<!-- x -->\n---\n{FRONT}---\n", (FRONT, True, False)),
        (f"# T\n\n---\n{FRONT}---\n", (FRONT, True, False)),
        (f"x\n---\n\nname: a: b\n{FRONT}---\n", (f"\nname: a: b\n{FRONT}", True, False)),
        (f"{'x' * 20_000}\n---\n{FRONT}---\n", (None, False, False)),
        # not closed
        (f"---\n{FRONT}\n# T\n\ntext\n", (FRONT + "\n", False, True)),
        (f"---\n{FRONT}", (FRONT, False, True)),
        (f"---\n{FRONT}\n# T\n\ntext\n\n---\n\nmore\n", (FRONT + "\n", False, True)),
        (f"---\n{FRONT}----\n# T\n\n---\ntext\n", (FRONT, False, True)),
        (f"---\n{FRONT}  ---\n\n# T\n", (FRONT, False, True)),
        (f"---\n{FRONT}***\n\n# T\n", (FRONT, False, True)),
        (f"---\n{FRONT}...\n\n# T\n\ntext\n\n---\n", (FRONT, False, True)),
        ("---\n\n## name: pay\nversion: 1.0.0\n\n# T\n\ntext\n", ("\n## name: pay\nversion: 1.0.0\n\n", False, True)),
        # a comment that looks like a heading ends nothing
        ("---\nname: x\n\n# more\nlicense: a: b\n---\n", ("name: x\n\n# more\nlicense: a: b\n", True, True)),
        ("---\nname: x\n...\nlicense: MIT\n---\n", ("name: x\n...\nlicense: MIT\n", True, True)),
    ],
)
def test_where_the_frontmatter_stands(text: str, expected: tuple[str | None, bool, bool]) -> None:
    assert front_of(text) == expected


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (f"---\n{FRONT}---end\n# T\n", "---end"),
        (f"---\n{FRONT}----\n# T\n", "----"),
        (f"---\n{FRONT}\u2014\n# T\n", "\u2014"),
        (f"---\n{FRONT}   ---\n# T\n", "   ---"),
        ("---\n\n## name: pay\nversion: 1\n\n# T\n\ntext\n", "## name: pay"),
        (f"---\n{FRONT}\n# T\n\n----\n", None),
    ],
)
def test_what_may_have_been_the_closing_fence(text: str, near: str | None) -> None:
    fences = skill(text).fences
    assert fences is not None
    assert (text[slice(*fences.near_miss)] if fences.near_miss else None) == near


def test_an_unclosed_frontmatter_is_read_as_far_as_it_seems_to_go() -> None:
    found = skill(f"---\n{FRONT}\n# T\n\na: b: c\n")
    assert found.value("name") == "pay"
    assert found.fault is None
    assert found.body_text == "# T\n\na: b: c\n"


def test_a_frontmatter_over_the_cap_is_not_parsed() -> None:
    found = skill(f"---\nname: pay\ndescription: {'x' * MAX_FRONTMATTER}\n---\n")
    assert found.front is None
    assert found.fault is not None
    assert (found.fault.kind, found.fault.detail, found.fault.span) == ("depth", "size", (0, 3))


def test_fields_of_a_frontmatter() -> None:
    found = skill("---\nname: pay\nlicense:\nversion: '  '\ntags: [a]\n---\n")
    assert [found.value(name) for name in ("name", "license", "version", "tags", "url")] == ["pay", *[None] * 4]
    assert found.field("license") is not None
    assert skill("---\n- a\n---\n").field("a") is None


# --- files that are no text, pages that are no skills ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "readable", "is_path"),
    [
        ("../../skills/pay/SKILL.md", False, True),
        ("../shared/skills/pay\n", False, True),
        ("skills/pay/SKILL.md", False, True),
        ("and/or", True, False),
        ("see ../pay/SKILL.md", True, False),
        ("# T\n", True, False),
        ("", False, False),
        (" \n\t\n\u3000", False, False),
        ("\ufeff", False, False),
    ],
)
def test_what_can_be_judged_as_text(text: str, readable: bool, is_path: bool) -> None:
    document = Document("a", "/a", text.encode(), None)
    assert (document.readable, document.is_path) == (readable, is_path)


def test_a_file_over_the_cap_is_not_readable() -> None:
    assert not Document("a", "/a", b"", None, MAX_BYTES + 1).readable
    assert Document("a", "/a", b"x", None, MAX_BYTES).readable


@pytest.mark.parametrize(
    ("path", "text", "others", "page"),
    [
        ("/r/pay/SKILL.md", "# T\n", (), False),
        ("/r/pay/skill.md", f"---\n{FRONT}---\n", (), False),
        ("/r/pay/skill.md", "---\nname: a: b\n---\n", (), False),
        ("/r/skills/pay/skill.md", "# T\n", (), False),
        ("/r/skills/acme/pay/skill.md", "# T\n", ("/r/skills/acme/pay/README.md",), False),
        ("/r/docs/skill.md", "# T\n", (), True),
        ("/r/docs/skill.md", "---\ntitle: Skills\n---\n", ("/r/docs/a.md", "/r/docs/b.mdx"), True),
        ("/r/skills/docs/skill.md", "# T\n", ("/r/skills/docs/a.md", "/r/skills/docs/b.md"), True),
        ("/r/skills/SKILLS.md", "# All skills\n", (), True),
        ("/r/docs/skill.md", "", (), False),
    ],
)
def test_which_files_are_pages(path: str, text: str, others: tuple[str, ...], page: bool) -> None:
    assert skill(text, path, *others).is_page is page


# --- robustness ------------------------------------------------------------------------------------------------------

PIECES = (
    "---", "--- ", "----", "---x", "\n", "\r\n", "\r", "\n\n", "name: x", "text", "name:", "description: y", "# T",
    "## name: x", "```", "~~~", "<!--", "-->", "...", "***", " ", "\t", "- a", "[", "{", "a: b: c", "\ufeff", "\x85",
    "\u2028", "\x00", "é", "😀", "'", '"', ": ", "|", ">", "&a", "*a",
)  # fmt: skip


@settings(max_examples=1_000, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_places_lie_in_the_text(text: str) -> None:
    found = skill(text)
    end = len(found.source)
    assert 0 <= found.anchor.start <= found.anchor.end <= end
    assert found.body.end == end
    assert isinstance(found.markdown.headings, list)
    if found.fences is None:
        assert (found.root, found.fault) == (None, None)
        return
    opening, content, closing, body, first, near = found.fences
    assert 0 <= opening.start < opening.end <= content.start <= content.end <= body <= end
    assert first == (opening.start == 0)
    assert found.source[opening.start : opening.end].rstrip(" \t") == "---"
    if closing is not None:
        assert content.end == closing.start < closing.end <= body
    if near is not None:
        assert closing is None
        assert content.start <= near.start <= near.end <= end


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_make_a_skill(raw: bytes) -> None:
    found = skill(b"---\nname: " + raw)
    assert 0 <= found.anchor.start <= found.anchor.end <= len(found.source)
    skill(raw)


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + "[" * 100_000,
        "---\n" + "- " * 100_000 + "\n---\n",
        "---\nname: x\n" + "# h\n\ntext\n\n" * 40_000 + "---\n",
        "x\n" + "---\nname: x: y\n" * 50_000,
        "---\n" * 200_000,
        "-" * 1_000_000,
        "---\nname: x\n" + "\n---x" * 200_000,
        "# T\n\n" + "```\n---\nname: x\n---\n```\n" * 20_000,
        "---\nname: " + "a: " * 20_000 + "\n---\n",
        "---\n" + "\n# h\n\nname: x: y\n" * 3_000 + "---\n",
    ],
    ids=range(10),
)
def test_large_files_are_read_in_bounded_time(text: str) -> None:
    started = time.perf_counter()
    skill(text)
    assert time.perf_counter() - started < 5
