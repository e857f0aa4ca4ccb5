"""Where references lead: RFC 3986, the paths below a site's root, what nobody may follow."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentskills_lint.urls import Address, hidden, join, parts_of, resolve, written

BASE = ".well-known/agent-skills/index.json"
ORIGIN = "https://acme.example"
PAGES = "https://acme.github.io/docs"

NORMAL = [  # RFC 3986, section 5.4.1
    ("g:h", "g:h"),
    ("g", "http://a/b/c/g"),
    ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"),
    ("..", "http://a/b/"),
    ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"),
    ("../../", "http://a/"),
    ("../../g", "http://a/g"),
]

ABNORMAL = [  # section 5.4.2; "http:g" as browsers and urllib read it, which the section allows
    ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http://a/b/c/g"),
]


@pytest.mark.parametrize(("href", "url"), NORMAL + ABNORMAL)
def test_the_examples_of_rfc_3986(href: str, url: str) -> None:
    assert join("http://a/b/c/d;p?q", href) == url


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("http://a/x/../y", "http://a/y"),
        ("http://a/../../y", "http://a/y"),
        ("//g/x/./y", "http://g/x/y"),
        ("x//y", "http://a/b/c/x//y"),
        ("HTTP://A/x", "http://A/x"),
    ],
)
def test_absolute_references_lose_their_dots_as_well(href: str, url: str) -> None:
    assert join("http://a/b/c/d", href) == url


PATHS = [
    # from the index, as RFC 3986 says: relative, from the root, absolute
    ("pay/SKILL.md", ORIGIN, ".well-known/agent-skills/pay/SKILL.md"),
    ("./pay/SKILL.md", ORIGIN, ".well-known/agent-skills/pay/SKILL.md"),
    ("../skills/pay/SKILL.md", ORIGIN, ".well-known/skills/pay/SKILL.md"),
    ("/skills/pay/SKILL.md", ORIGIN, "skills/pay/SKILL.md"),
    ("/skills/pay/SKILL.md", None, "skills/pay/SKILL.md"),
    ("https://acme.example/skills/pay/SKILL.md", ORIGIN, "skills/pay/SKILL.md"),
    ("//acme.example/skills/pay/SKILL.md", ORIGIN, "skills/pay/SKILL.md"),
    ("../../../../../etc/passwd", ORIGIN, "etc/passwd"),
    # query and fragment do not choose the file
    ("pay/SKILL.md?v=2", ORIGIN, ".well-known/agent-skills/pay/SKILL.md"),
    ("pay/SKILL.md#steps", ORIGIN, ".well-known/agent-skills/pay/SKILL.md"),
    ("pay/SKILL.md?a=../x#b/../c", ORIGIN, ".well-known/agent-skills/pay/SKILL.md"),
    ("?v=2", ORIGIN, BASE),
    # folders, the root
    ("pay/", ORIGIN, ".well-known/agent-skills/pay"),
    ("/", ORIGIN, ""),
    ("https://acme.example", ORIGIN, ""),
    ("https://acme.example?x", ORIGIN, ""),
    # percent escapes are decoded once
    ("pay%2Dinvoice/SKILL.md", ORIGIN, ".well-known/agent-skills/pay-invoice/SKILL.md"),
    ("a%20b/SKILL.md", ORIGIN, ".well-known/agent-skills/a b/SKILL.md"),
    ("a%2520b/SKILL.md", ORIGIN, ".well-known/agent-skills/a%20b/SKILL.md"),
    ("caf%C3%A9/SKILL.md", ORIGIN, ".well-known/agent-skills/café/SKILL.md"),
    ("café/SKILL.md", ORIGIN, ".well-known/agent-skills/café/SKILL.md"),
    ("100%/SKILL.md", ORIGIN, ".well-known/agent-skills/100%/SKILL.md"),
    ("caf%E9/SKILL.md", ORIGIN, ".well-known/agent-skills/caf\udce9/SKILL.md"),
    ("v1.2..3/SKILL.md", ORIGIN, ".well-known/agent-skills/v1.2..3/SKILL.md"),
    # host and scheme: case, default ports, userinfo, both schemes, a final dot
    ("HTTPS://ACME.example/x", ORIGIN, "x"),
    ("http://acme.example/x", ORIGIN, "x"),
    ("https://acme.example:443/x", ORIGIN, "x"),
    ("http://acme.example:80/x", ORIGIN, "x"),
    ("https://acme.example:/x", ORIGIN, "x"),
    ("https://user:secret@acme.example/x", ORIGIN, "x"),
    ("https://acme.example./x", ORIGIN, "x"),
    ("https://acme.example:8443/x", "https://acme.example:8443", "x"),
    ("https://[2001:db8::1]/x", "https://[2001:DB8::1]:443", "x"),
    ("https://xn--bcher-kva.example/x", "https://bücher.example", "x"),
    # an origin with a path
    ("pay/SKILL.md", PAGES, ".well-known/agent-skills/pay/SKILL.md"),
    ("/docs/pay/SKILL.md", PAGES, "pay/SKILL.md"),
    ("/docs", PAGES, ""),
    ("https://acme.github.io/docs/pay/SKILL.md", PAGES + "/", "pay/SKILL.md"),
]


@pytest.mark.parametrize(("href", "origin", "path"), PATHS)
def test_references_lead_to_paths_below_the_root(href: str, origin: str | None, path: str) -> None:
    found = resolve(href, BASE, origin)
    assert (found.kind, found.path, found.reason) == ("path", path, "")


@pytest.mark.parametrize(
    ("href", "origin"),
    [
        ("https://cdn.example/x", ORIGIN),
        ("//cdn.example/x", ORIGIN),
        ("https://acme.example.evil.example/x", ORIGIN),
        ("https://acme.example@evil.example/x", ORIGIN),
        ("https://acme.example:8443/x", ORIGIN),
        ("https://www.acme.example/x", ORIGIN),
        ("https://[2001:db8::80]/x", "https://[2001:db8::8080]"),
        ("https://registry.example/@acme%2Fpay", ORIGIN),
        ("/pay/SKILL.md", PAGES),
        ("/docs-old/pay/SKILL.md", PAGES),
        ("https://acme.github.io/docs/../x", PAGES),
        ("../../../x", PAGES),
    ],
)
def test_what_leads_elsewhere(href: str, origin: str) -> None:
    assert resolve(href, BASE, origin)[:2] == ("elsewhere", "")


def test_an_absolute_address_is_unknown_while_nobody_tells_the_origin() -> None:
    assert resolve("https://acme.example/x#y", BASE, None) == Address("unknown", "", "https://acme.example/x")


HIDDEN = [
    "%2e%2e/%2e%2e/etc/passwd",
    "%2E%2E/etc/passwd",
    ".%2e/etc/passwd",
    "%2e./etc/passwd",
    "%2e/pay/SKILL.md",
    "..%2fetc/passwd",
    "..%5cetc/passwd",
    "pay%2fSKILL.md",
    "pay%5CSKILL.md",
    "pay%252fSKILL.md",
    "%252e%252e/etc/passwd",
    "%25252e%25252e/etc/passwd",
    "%2525252e%2525252e/etc/passwd",
    "SKILL.md%00.html",
    "SKILL.md%2500.html",
    "%c0%ae%c0%ae/etc/passwd",
    "%C1%9Cetc/passwd",
    "%e0%80%ae%e0%80%ae/etc/passwd",
    "%f0%80%80%ae/etc/passwd",
    "%u002e%u002e/etc/passwd",
    "..\\etc\\passwd",
    "pay\\SKILL.md",
    "/a/../%2e%2e/etc/passwd",
    "https://acme.example/%2e%2e/etc/passwd",
    "https://acme.example\\@evil.example/x",
    "C:\\Users\\x",
]


@pytest.mark.parametrize("href", HIDDEN)
def test_hidden_ways_out_are_refused(href: str) -> None:
    for origin in (ORIGIN, None) if "//" not in href else (ORIGIN,):
        found = resolve(href, BASE, origin)
        assert found.kind == "refused"
        assert found.path == ""
        assert found.reason


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("%2e%2e/x", "it hides dots in percent escapes"),
        ("a%2fb", "it hides a separator in a percent escape"),
        ("a\\b", "it has a backslash, which some clients read as '/'"),
        ("%c0%ae/x", "it has percent escapes that are no UTF-8"),
        ("file:///etc/passwd", "agents fetch http and https, not file"),
        ("mailto:billing@acme.example", "agents fetch http and https, not mailto"),
        ("javascript:alert(1)", "agents fetch http and https, not javascript"),
        ("https:///x", "it is no URL"),
        ("///x", "it is no URL"),
        ("https://[::1/x", "it is no URL"),
        ("https://a\u2100b.example/x", "it is no URL"),
    ],
)
def test_a_refusal_has_its_reason(href: str, reason: str) -> None:
    found = resolve(href, BASE, ORIGIN)
    assert (found.kind, found.reason) == ("refused", reason)


@pytest.mark.parametrize("folder", ["a?b", "a#b", "100%", "a b", "café", "%2e", "caf\udce9"])
def test_the_path_of_the_file_itself_is_no_url(folder: str) -> None:
    assert resolve("pay/SKILL.md", f"{folder}/index.json", None).path == f"{folder}/pay/SKILL.md"


def test_the_url_has_no_fragment_and_no_dots() -> None:
    assert resolve("../a/./b?c#d", BASE, ORIGIN).url == "https://acme.example/.well-known/a/b?c"


PIECES = [*"ab/.:%@[]?#\\2eEfF05cC \t\n\0-&;=", "..", "//", "http:", "https://acme.example", "é", "\ud800"]
NASTY = st.lists(st.sampled_from(PIECES), max_size=24).map("".join) | st.text(max_size=30)


@given(NASTY, NASTY, st.sampled_from([None, ORIGIN, PAGES, "https://[::1]", "x", "", "https://"]))
def test_hostile_input_never_raises_and_never_leaves(href: str, base: str, origin: str | None) -> None:
    found = resolve(href, base, origin)
    assert found.kind in ("path", "elsewhere", "unknown", "refused")
    assert bool(found.reason) == (found.kind == "refused")
    assert not found.path.startswith("/")
    assert ".." not in found.path.split("/")
    assert "\0" not in found.path or "\0" in href + base


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\\\0"), min_size=1))
def test_a_quoted_name_leads_to_the_file_of_that_name(name: str) -> None:
    found = resolve(quote(name, safe=""), "index.json", ORIGIN)
    if found.kind == "path":
        assert found.path == (name if name not in (".", "..") else "")
    else:
        assert "%" in name or name in (".", "..")


@given(st.lists(st.sampled_from(["a", "b", ".", ".."]), max_size=8), st.sampled_from(["", "/"]))
def test_plain_dots_are_resolved_as_paths_are(parts: list[str], front: str) -> None:
    import posixpath

    href = front + "/".join(parts)
    if href.startswith("//") or not href:
        return
    expected = posixpath.normpath(posixpath.join("/x/y", href)).lstrip("/")
    assert resolve(href, "x/y/index.json", ORIGIN).path == expected


@pytest.mark.parametrize(
    ("like", "origin", "expected"),
    [
        ("pay/SKILL.md", None, "../skills/a%20b/SKILL.md"),
        ("/pay/SKILL.md", None, "/.well-known/skills/a%20b/SKILL.md"),
        ("/docs/pay/SKILL.md", PAGES, "/docs/.well-known/skills/a%20b/SKILL.md"),
        ("https://acme.example/pay?v=2#x", ORIGIN, "https://acme.example/.well-known/skills/a%20b/SKILL.md?v=2#x"),
        ("//acme.example/pay", ORIGIN, "//acme.example/.well-known/skills/a%20b/SKILL.md"),
    ],
)
def test_a_reference_is_written_as_another_one(like: str, origin: str | None, expected: str) -> None:
    assert written(".well-known/skills/a b/SKILL.md", like, BASE, origin) == expected


@given(
    st.lists(st.text(st.characters(exclude_characters="/\0\\"), min_size=1), min_size=1, max_size=4),
    st.sampled_from(["x", "/x", "https://acme.example/x", "?v#f"]),
)
def test_what_is_written_leads_back(parts: list[str], like: str) -> None:
    path = "/".join(parts)
    if any(part in (".", "..") or "%" in part for part in parts) or not path.isprintable():
        return
    assert resolve(written(path, like, BASE, ORIGIN), BASE, ORIGIN).path == path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/../b.md", False), ("a%20b.md", False), ("a\\b", True), ("%2e%2e/b", True), ("a%2fb", True),
        ("%252e%252e/b", True),
    ],
)  # fmt: skip
def test_paths_that_hide_where_they_lead(path: str, expected: bool) -> None:
    assert (hidden(path) is not None) is expected


@pytest.mark.parametrize("url", ["http://[/a", "//[/a", "http://a\u2100b/c", "https://[*/a"])
def test_the_parts_of_what_is_no_url_are_empty(url: str) -> None:
    assert parts_of(url) == ("", "", "", "", "")


def test_the_parts_of_a_url() -> None:
    assert parts_of("https://a.example/b?c#d") == ("https", "a.example", "/b", "c", "d")
