"""What the parser makes of a body: exact places, whatever the text, the line ends and the containers are."""

from __future__ import annotations

import pytest

from agentskills_lint.markdown import CodeBlock, Link, Markdown, Piece, unescape
from agentskills_lint.model import Span

BASE = 100
"""Where the body stands in its document in these tests."""


def parsed(source: str) -> Markdown:
    return Markdown(source, BASE)


def at(source: str, span: Span) -> str:
    return source[span.start - BASE : span.end - BASE]


def targets(source: str) -> list[tuple[str, str, str]]:
    """(href, kind, the target as written) of each link."""
    return [(link.href, link.kind, at(source, link.target)) for link in parsed(source).links]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[a](b.md)", [("b.md", "inline", "b.md")]),
        ("see [a](<b c.md> 'title') now", [("b c.md", "inline", "b c.md")]),
        ('[a](b.md "t (x)")', [("b.md", "inline", "b.md")]),
        ("[a](m(1).md)", [("m(1).md", "inline", "m(1).md")]),
        ("[a](m\\(1.md)", [("m(1.md", "inline", "m\\(1.md")]),
        ("[a](b%20c.md)", [("b%20c.md", "inline", "b%20c.md")]),
        ("[a](b?x=1&amp;y=2)", [("b?x=1&y=2", "inline", "b?x=1&amp;y=2")]),
        ("[](b.md)", [("b.md", "inline", "b.md")]),
        ("[a]()", [("", "inline", "")]),
        ("[a\\](b](c.md)", [("c.md", "inline", "c.md")]),
        ("[`](`](c.md)", [("c.md", "inline", "c.md")]),
        ("[**](b)**](c.md)", [("b", "inline", "b")]),
        ("[![x](i.png)](z.md)", [("z.md", "inline", "z.md"), ("i.png", "inline", "i.png")]),
        ("![![a](b)](c)", [("c", "inline", "c"), ("b", "inline", "b")]),
        ("[a](\n  /x\n  'b')", [("/x", "inline", "/x")]),
        ("> [a](\n> b.md)\n", [("b.md", "inline", "[a](\n> b.md)")]),
        ("| a | b |\n|-|-|\n| `x\\|y` | [a](b.md) |\n", [("b.md", "inline", "b.md")]),
        ("# [a](b.md) title\n", [("b.md", "inline", "b.md")]),
        ("<https://a.example/x>", [("https://a.example/x", "autolink", "https://a.example/x")]),
        ("<a@b.example>", [("a@b.example", "email", "a@b.example")]),
        ("[t][r]\n\n[r]: </u v> 'x'\n", [("/u v", "reference", "/u v")]),
        ("[A  b][], [a B]\n\n[a b]: /u\n[A B]: /v\n", [("/u", "reference", "/u"), ("/u", "reference", "/u")]),
        ("[r]\n\n> - [r]: u.md\n", [("u.md", "reference", "u.md")]),
        ("[a](b c.md)", []),
        ("`[a](b.md)`", []),
        ("```\n[a](b.md)\n```\n", []),
        ("~~~~\n[a](b.md)\n~~~\n[a](c.md)\n~~~~\n", []),
        ("    [a](b.md)\n", []),
        ("<!-- [a](b.md) -->\n", []),
        ("- [ ] task\n", []),
        ("[a][missing]\n", []),
    ],
)
def test_links_with_their_targets(source: str, expected: list[tuple[str, str, str]]) -> None:
    assert targets(source) == expected


@pytest.mark.parametrize(
    "prefix",
    ["", "é ", "日本語 ", "😀 ", "a\u00a0b ", "&eacute; ", "«x» ", "<入力> ", "x <?php ?> é ", "e\u0301 ", "\u2028 "],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_positions_count_code_points(prefix: str, newline: str) -> None:
    source = newline.join([f"# {prefix}T `c`", "", f"{prefix}see [té](ü.md) and `co`", "", "```sh", "é", "```", ""])
    markdown = parsed(source)
    heading, link, span, code = markdown.headings[0], markdown.links[0], markdown.spans[1], markdown.code[0]
    assert at(source, heading.span) == f"# {prefix}T `c`"
    assert (link.href, link.text, at(source, link.span)) == ("ü.md", "té", "[té](ü.md)")
    assert at(source, link.target) == "ü.md"
    assert (span.text, at(source, span.span)) == ("co", "`co`")
    assert (code.info, code.content, code.closed, code.fenced) == (
        "sh",
        "é\n" if newline == "\n" else code.content,
        True,
        True,
    )
    assert at(source, Span(code.offset(0), code.offset(1))) == "é"


def test_labels_that_are_not_ascii_stay_apart() -> None:
    source = "[日本] [中国]\n\n[日本]: jp.md\n[中国]: cn.md\n"
    assert targets(source) == [("jp.md", "reference", "jp.md"), ("cn.md", "reference", "cn.md")]


def test_headings() -> None:
    source = (
        "# One *two* `three` ##\n\nSet\ntext\n---\n\n> ## In quote\n\n- ### In list &amp; \\# [l](m)\n\n####### none\n"
    )
    assert [(h.level, h.text, at(source, h.span)) for h in parsed(source).headings] == [
        (1, "One two three", "# One *two* `three` ##"),
        (2, "Set text", "Set\ntext\n---"),
        (2, "In quote", "## In quote"),
        (3, "In list & # l", "### In list &amp; \\# [l](m)"),
    ]


def code(source: str) -> list[tuple[str, str, str, bool, bool]]:
    return [(c.info, c.content, at(source, c.opening), c.closed, c.fenced) for c in parsed(source).code]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```py x\na\n```\n", ("py x", "a\n", "```py x", True, True)),
        ("```py\r\na\r\n\r\nb\r\n```\r\n", ("py", "a\n\nb\n", "```py", True, True)),
        ("- ```\n  a\n\n      b\n  ```\n", ("", "a\n\n    b\n", "```", True, True)),
        ("1. > ```sh\n   > a\n   > b\n   > ```\n", ("sh", "a\nb\n", "```sh", True, True)),
        ("> ```\n> a\n\nx\n", ("", "a\n", "```", False, True)),
        ("  ```\n  a\n b\n   ```\nz\n", ("", "a\nb\n", "```", True, True)),
        ("```\na\n    ```", ("", "a\n    ```", "```", False, True)),
        ("```\na", ("", "a", "```", False, True)),
        ("```", ("", "", "```", False, True)),
        ("```\n```", ("", "", "```", True, True)),
        ("```\n\n```", ("", "\n", "```", True, True)),
        ("````md\n```\nx\n```\n````\n", ("md", "```\nx\n```\n", "````md", True, True)),
        ("~~~ a`b\nx\n~~~~~  \n", ("a`b", "x\n", "~~~ a`b", True, True)),
        ("    a\n\n      b\n", ("", "a\n\n  b\n", "a\n\n      b\n", True, False)),
        ("-\t\tcode\n", ("", "code\n", "code\n", True, False)),
        ("- x\n\n\t\tcode\n", ("", "code\n", "code\n", True, False)),
    ],
)
def test_code_blocks(source: str, expected: tuple[str, str, str, bool, bool]) -> None:
    assert code(source) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        "```\nab\ncd\n```\n",
        "- ```\n  ab\n  cd\n  ```\n",
        "> 1. ~~~é\n>    ab\n>    cd\n>    ~~~\n",
        "é\r\n\r\n- ```\r\n  ab\r\n\r\n  cd\r\n  ```\r\n",
        "    ab\n    cd\n",
    ],
)
def test_offsets_into_code(source: str) -> None:
    block: CodeBlock = parsed(source).code[0]
    assert [at(source, Span(block.offset(i), block.offset(i) + 1)) for i in map(block.content.index, "abcd")] == list(
        "abcd"
    )


@pytest.mark.parametrize(
    ("info", "language"),
    [("Python", "python"), ("{.sh}", "sh"), ("js,ignore", "js"), ("", ""), ("json title=x", "json")],
)
def test_language_of_code(info: str, language: str) -> None:
    assert parsed(f"```{info}\nx\n```\n").code[0].language == language


def test_in_code() -> None:
    source = "a `b` c\n\n```\nd\n```\ne `f`\n"
    markdown = parsed(source)
    assert "".join(char if markdown.in_code(BASE + i) else "." for i, char in enumerate(source)) == (
        "..`b`....```\nd\n```...`f`."
    )


def test_breaks_in_titles_and_links_are_blanks() -> None:
    markdown = parsed("[a\nb\\\nc](d)\n\nSet\ntext  \nmore\n===\n")
    assert (markdown.links[0].text, markdown.headings[0].text) == ("a b c", "Set text more")


def test_code_spans_in_headings_links_and_tables() -> None:
    source = "# `h`\n\n[`l`](m)\n\n| a |\n|-|\n| `` t`u `` |\n"
    assert [(p.text, at(source, p.span)) for p in parsed(source).spans] == [
        ("h", "`h`"),
        ("l", "`l`"),
        ("t`u", "`` t`u ``"),
    ]


def test_html_blocks_are_whole() -> None:
    source = "<!-- a\n\nb -->\n\nx <b id='i'>y</b>\n\n<div>\nz\n</div>\n"
    assert parsed(source).html == [
        Piece("<!-- a\n\nb -->\n", Span(100, 114)),
        Piece("<b id='i'>", Span(117, 127)),
        Piece("</b>", Span(128, 132)),
        Piece("<div>\nz\n</div>\n", Span(134, 149)),
    ]


def test_top_level_blocks() -> None:
    source = "# A\n\npara `c`\n\n- x\n\n  y\n-\n\n| a | b |\n|-|-|\n| x |\n\n> q\n\n```\nc\n```\n<div>\n"
    assert [kind for kind, _ in parsed(source).blocks] == [
        "heading", "paragraph", "list", "table", "blockquote", "codeblock", "htmlblock",
    ]  # fmt: skip
    assert at(source, parsed(source).blocks[1][1]) == "para `c`\n"


def test_links_are_in_the_order_of_their_places() -> None:
    links: list[Link] = parsed("[![x](a)](b) ![y](c)\n").links
    assert [(link.href, link.image) for link in links] == [("b", False), ("a", True), ("c", True)]


def test_deep_nesting_is_no_recursion() -> None:
    source = "![" * 3000 + "](a)" * 3000
    assert {link.href for link in parsed(source).links} == {"a"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a\\_b", "a_b"),
        ("a\\b", "a\\b"),
        ("&lt;x&gt;", "<x>"),
        ("&copy", "&copy"),
        ("\\&lt;", "&lt;"),
        ("&#65;&#x42;&nope;", "AB&nope;"),
        ("a&b=c&copy=1", "a&b=c&copy=1"),
    ],
)
def test_unescape(written: str, read: str) -> None:
    assert unescape(written) == read
