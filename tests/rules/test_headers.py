"""The headers that a host's configuration sends."""

# a configuration a line is easier to compare than one in pieces
# ruff: noqa: E501

from __future__ import annotations

import json
import time

import pytest

from agentskills_lint.rules.headers import _azure_route, _vercel_source
from tests.rules.test_hosting import DISCOVERY_SITE, DUALNOVA_SITE, INDEX, SITES, SKILL, WSP_SITE, found, places
from tests.support import clean_skill

NETLIFY = "[build]\n"


def cors(files: dict[str, str | bytes], spec: str = "dualnova") -> list[tuple[str, int, int, int]]:
    findings = places(found(SITES[spec], "host-headers", files))
    assert all(level == "warning" for _, level, *_ in findings)
    return [(path, line, start, end) for path, _, line, start, end in findings]


def types(files: dict[str, str | bytes], spec: str = "discovery") -> list[tuple[str, int, int, int]]:
    findings = places(found(SITES[spec], "host-content-type", files))
    assert all(level == "warning" for _, level, *_ in findings)
    return [(path, line, start, end) for path, _, line, start, end in findings]


def vercel(*rules: tuple[str, str, str]) -> str:
    return json.dumps({"headers": [{"source": s, "headers": [{"key": k, "value": v}]} for s, k, v in rules]})


ALLOW = "  Access-Control-Allow-Origin: *\n"
DEMANDS = [
    # spec, section, files, rule, whether it is found
    ("dualnova", "CORS: the index", {"netlify.toml": NETLIFY, "_headers": f"/.well-known/agent-skills/*/SKILL.md\n{ALLOW}"}, "host-headers", True),
    ("dualnova", "CORS: every SKILL.md", {"netlify.toml": NETLIFY, "_headers": f"/{INDEX}\n{ALLOW}"}, "host-headers", True),
    ("dualnova", "CORS: both", {"netlify.toml": NETLIFY, "_headers": f"/.well-known/*\n{ALLOW}"}, "host-headers", False),
    ("discovery", "HTTP: servers should include CORS headers", {"netlify.toml": NETLIFY, "_headers": "/*\n  X-A: b\n"}, "host-headers", True),
    ("discovery", "HTTP: index.json is application/json", {"_headers": f"/{INDEX}\n  Content-Type: text/json\n"}, "host-content-type", True),
    ("discovery", "HTTP: SKILL.md is text/markdown", {"_headers": "/*.md\n  Content-Type: text/x-markdown\n"}, "host-content-type", True),
    ("discovery", "HTTP: or text/plain", {"_headers": "/*.md\n  Content-Type: text/plain\n"}, "host-content-type", False),
    ("wsp", "10.1 skills.txt is text/plain or text/markdown", {"_headers": "/skills.txt\n  Content-Type: text/html\n"}, "host-content-type", True),
    ("wsp", "10.1 text/plain", {"_headers": "/skills.txt\n  Content-Type: text/plain; charset=utf-8\n"}, "host-content-type", False),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "section", "files", "rule", "expected"), DEMANDS)
def test_demands(spec: str, section: str, files: dict[str, str | bytes], rule: str, expected: bool) -> None:
    assert bool(found(SITES[spec], rule, files)) is expected


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        # rules for other paths: the file as a whole lacks it
        ("_headers", "/api/*\n  X-A: b\n", ("_headers", 1, 1, 7)),
        ("_headers", "# ours\n/api/*\n  X-A: b\n", ("_headers", 1, 1, 7)),
        # a rule for these paths
        ("_headers", "/\n  A: b\n\n/.well-known/agent-skills/*\n  Cache-Control: no-store\n", ("_headers", 4, 1, 28)),
        ("netlify.toml", '[[headers]]\n  for = "/*"\n  [headers.values]\n    X-A = "b"\n', ("netlify.toml", 2, 9, 13)),
        ("netlify.toml", "[[headers]]\r\nfor = '/x'\r\nvalues = { X-A = 'b' }\r\n", ("netlify.toml", 1, 1, 12)),
        ("staticwebapp.config.json", '{"globalHeaders": {"X-A": "b"}}', ("staticwebapp.config.json", 1, 2, 17)),
        ("staticwebapp.config.json", '{"routes": [{"route": "/.well-known/*", "headers": {"X-A": "b"}}]}', ("staticwebapp.config.json", 1, 23, 39)),
    ],
)  # fmt: skip
def test_where_cors_is_missing(path: str, content: str, expected: tuple[str, int, int, int]) -> None:
    files: dict[str, str | bytes] = {"netlify.toml": NETLIFY} if path == "_headers" else {}
    assert cors(files | {path: content}) == [expected]


def test_message_counts_and_hints() -> None:
    (finding,) = found(DUALNOVA_SITE, "host-headers", {"netlify.toml": NETLIFY, "_headers": "/*\n  X-A: b\n"})
    assert finding.message == (
        "no Access-Control-Allow-Origin is set for '/.well-known/agent-skills/index.json' and 1 more, "
        "so assistants in a browser cannot read it"
    )
    assert finding.hint == "set 'Access-Control-Allow-Origin: *' for '/.well-known/agent-skills/*'"


@pytest.mark.parametrize(
    "files",
    [
        {"_headers": f"/*\n{ALLOW}"},
        {"_headers": f"/.well-known/*\n  access-control-allow-origin : *\n"},  # noqa: F541
        {"_headers": f"/.well-known/:folder/*\n{ALLOW}"},
        {"_headers": f"/*\n  ! Access-Control-Allow-Origin\n/.well-known/*\n{ALLOW}"},
        {"_headers": f"/*\n  X-A: b\n{ALLOW}  X-C: d\n"},
        {"_headers": f"https://acme.example/*\n{ALLOW}"},
        {"_headers": f"https://:project.pages.dev/*\n{ALLOW}"},
        {"netlify.toml": '[[headers]]\nfor = "/*"\nvalues = {Access-Control-Allow-Origin = "*"}\n'},
        {"netlify.toml": '[[headers]]\nfor = "/*"\n[headers.values]\n"access-control-allow-origin" = "*"\n'},
        {"netlify.toml": '[[headers]]\nfor = "/x"\n[headers.values]\nX-A = "b"\n', "_headers": f"/*\n{ALLOW}"},
        # no header configuration at all
        {"netlify.toml": '[build]\npublish = "."\n[[redirects]]\nfrom = "/a"\nto = "/b"\n'},
        {"vercel.json": '{"rewrites": []}'},
        {"staticwebapp.config.json": '{"navigationFallback": {"rewrite": "/index.html"}}'},
        {"staticwebapp.config.json": '{"mimeTypes": {".json": "application/json"}}'},
        {"staticwebapp.config.json": '{"globalHeaders": {"access-control-allow-origin": "*"}, "routes": [{"route": "/*", "headers": {"A": "b"}}]}'},
        # Cloudflare Pages sends it by itself, and Vercel does for static files
        {"_headers": "# Cloudflare Pages\n/*\n  X-A: b\n"},
        {"_headers": "https://acme.pages.dev/*\n  X-Robots-Tag: noindex\n"},
        {"_headers": f"/feed.xml\n{ALLOW}", "_routes.json": "{}"},
        {"_headers": f"/feed.xml\n{ALLOW}", "wrangler.toml": 'pages_build_output_dir = "."\n'},
        {"_headers": "/*\n  Link: </llms.txt>; rel=describedby\n"},
        {"vercel.json": vercel(("/(.*)", "X-Frame-Options", "DENY"))},
        # what cannot be read or told
        {"_headers": "", "netlify.toml": "[["},
        {"_headers": b"\xff\xfe/\0*\0"},
        {"vercel.json": "{"},
        {"vercel.json": '{"headers": {"a": 1}}'},
        {"vercel.json": vercel(("/fonts/(.*)", "Access-Control-Allow-Origin", "*"), ("/((?!api).*)", "Access-Control-Allow-Origin", "*"))},
        {"netlify.toml": "headers = 1\n"},
        {"netlify.toml": "[[headers]]\nfor = 1\nvalues = 2\n"},
        {"netlify.toml": "a = " + "[" * 5_000 + "# headers"},
    ],
)  # fmt: skip
def test_configurations_that_pass(files: dict[str, str | bytes]) -> None:
    files = {"netlify.toml": NETLIFY, **files} if set(files) == {"_headers"} and "ccess-" in str(files) else files
    assert cors(files) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # a host that may send it, and an author who sets it by hand for other paths
        ({"_headers": f"/.well-known/api-catalog\n{ALLOW}"}, [("_headers", 1, 1, 25)]),
        ({"vercel.json": vercel(("/fonts/(.*)", "Access-Control-Allow-Origin", "*"))}, [("vercel.json", 1, 1, 108)]),
        # Cloudflare's Workers send none; a removal takes away what Pages sends
        ({"_headers": "/*\n  X-A: b\n", "wrangler.jsonc": '{"assets": {"directory": "."}}'}, [("_headers", 1, 1, 3)]),
        ({"_headers": "# Cloudflare Pages\n/*\n  ! Access-Control-Allow-Origin\n"}, [("_headers", 2, 1, 3)]),
        ({"_headers": f"/*\n{ALLOW}\n/.well-known/*\n  ! Access-Control-Allow-Origin\n"}, [("_headers", 4, 1, 15)]),
    ],
)
def test_hosts_that_send_cors_by_themselves(
    files: dict[str, str | bytes], expected: list[tuple[str, int, int, int]]
) -> None:
    assert cors(files) == expected


def test_a_configuration_above_the_root_counts() -> None:
    site: dict[str, str | bytes] = {f"public/{path}": content for path, content in DUALNOVA_SITE.items()}
    text = '[build]\npublish = "public"\n\n[[headers]]\n  for = "/.well-known/*"\n  [headers.values]\n    X-A = "b"\n'
    (finding,) = found(site, "host-headers", {"netlify.toml": text})
    assert places([finding]) == [("netlify.toml", "warning", 5, 9, 25)]
    allowed = text.replace('X-A = "b"', 'Access-Control-Allow-Origin = "*"')
    assert found(site, "host-headers", {"netlify.toml": allowed}) == []
    assert found(site, "host-headers", {"netlify.toml": allowed, "public/_headers": "/*\n  X-A: b\n"}) == []


def test_wsp_asks_for_no_cors() -> None:
    assert found(WSP_SITE, "host-headers", {"netlify.toml": NETLIFY, "_headers": "/*\n  X-A: b\n"}) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"_headers": f"/{INDEX}\n  Content-Type: text/plain; charset=utf-8\n"}, [("_headers", 2, 17, 42)]),
        ({"_headers": "/*\n  Content-Type: text/html\n"}, [("_headers", 2, 17, 26)]),
        # Cloudflare joins the types of all rules that match
        ({"_headers": f"/{INDEX}\n  content-type: application/json\n/*\n  content-type: text/html\n"}, [("_headers", 4, 17, 26)]),
        ({"_headers": f"/*\n  content-type: text/html\n/{INDEX}\n  ! content-type\n  content-type: application/json\n/*.md\n  ! Content-Type\n"}, []),
        # Netlify does not say which one it takes
        ({"netlify.toml": NETLIFY, "_headers": f"/*\n  content-type: text/html\n/*.md\n  content-type: text/plain\n/{INDEX}\n  content-type: application/json\n"}, []),
        ({"netlify.toml": f'[[headers]]\nfor = "/{INDEX}"\n[headers.values]\nContent-Type = "text/json"\n'}, [("netlify.toml", 4, 16, 27)]),
        # Vercel takes the last one
        ({"vercel.json": vercel(("/(.*)", "Content-Type", "text/html"), ("/.well-known/:path*", "Content-Type", "application/json"))}, [("vercel.json", 1, 174, 192)]),
        ({"vercel.json": vercel((f"/{INDEX}", "Content-Type", "application/json"), ("/(.*).md", "content-type", "text/markdown"))}, []),
        ({"vercel.json": vercel(("/.well-known/:path((?!x).*)", "Content-Type", "text/html"))}, []),
        # Azure: the first route, then the types
        ({"staticwebapp.config.json": '{"mimeTypes": {".json": "text/json", ".md": "text/markdown"}}'}, [("staticwebapp.config.json", 1, 25, 36)]),
        ({"staticwebapp.config.json": '{"routes": [{"route": "/*.{json,xml}", "headers": {"Content-Type": "application/json"}}, {"route": "/*", "headers": {"Content-Type": "text/plain"}}]}'}, []),
        # nothing of ours
        ({"_headers": "/.well-known/api-catalog\n  Content-Type: application/linkset+json\n/badges/*\n  Content-Type: image/svg+xml\n"}, []),
        ({"_headers": "/.well-known/agent-skills/*/references/*\n  Content-Type: text/html\n"}, []),
        ({"_headers": "/  Content-Type: text/html\n/products/*  Content-Type: text/html\n"}, []),
        ({"_headers": f"https://other.example/{INDEX}\n  Content-Type: text/html\n"}, []),
        ({"_headers": "Content-Type: text/html\n"}, []),
    ],
)  # fmt: skip
def test_content_types(files: dict[str, str | bytes], expected: list[tuple[str, int, int, int]]) -> None:
    assert types(files) == expected


def test_the_message_tells_what_is_right() -> None:
    (finding,) = found(DISCOVERY_SITE, "host-content-type", {"_headers": "/.well-known/*\n  Content-Type: text/html\n"})
    assert finding.message == (
        "'/.well-known/agent-skills/index.json' and 1 more would be served as 'text/html', "
        "which should be application/json"
    )
    assert [location.path for location, _ in finding.related] == [INDEX, INDEX]


def test_archives_have_types_of_their_own() -> None:
    entry = {"name": "deploy", "type": "archive", "description": "d", "digest": "sha256:" + "0" * 64}
    index = {
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{**entry, "url": "deploy.tar.gz"}, {**entry, "name": "b", "url": "b.zip"}],
    }
    folder = ".well-known/agent-skills"
    site: dict[str, str | bytes] = {INDEX: json.dumps(index), f"{folder}/deploy.tar.gz": b"x", f"{folder}/b.zip": b"x"}
    text = "/*.tar.gz\n  Content-Type: application/x-tar\n/*.zip\n  Content-Type: application/zip\n"
    assert places(found(site, "host-content-type", {"_headers": text}))[0][2:] == (2, 17, 34)
    assert found(site, "host-content-type", {"_headers": text.replace("x-tar", "gzip")}) == []


@pytest.mark.parametrize(
    ("source", "path", "expected"),
    [
        ("/(.*)", "/a/b", True),
        ("/a/:path*", "/a", True),
        ("/a/:path*", "/a/b/c", True),
        ("/a/:path+", "/a", False),
        ("/a/:one", "/a/b", True),
        ("/a/:one", "/a/b/c", False),
        ("/a/:one?", "/a", True),
        ("/:file(.*)\\.md", "/a/b.md", True),
        ("/:file(.*).md", "/a/bXmd", False),
        ("/(a|b)/c", "/b/c", True),
        ("/:x(a|b)/c", "/d/c", False),
        ("/:x(\\d+)", "/12", True),
        ("/((?!api/).*)", "/a", None),
        ("/[a-z]+", "/a", False),
        ("/a)", "/a", None),
        ("/" + "(.*)a" * 20, "/a", None),
        ("/:a/:b/:c/:d", "/1/2/3/4", True),
    ],
)
def test_paths_of_vercel(source: str, path: str, expected: bool | None) -> None:
    assert _vercel_source(source)(path) is expected


@pytest.mark.parametrize(
    ("route", "path", "expected"),
    [
        ("/a", "/a", True),
        ("/a", "/a/b", False),
        ("/a/*", "/a/b/c", True),
        ("/admin*", "/administrator", True),
        ("/*.{json,md}", "/a/b.md", True),
        ("/*.{json,md}", "/a/b.mdx", False),
        ("/*.json", "/a.json", True),
        ("/*/a*", "/b/a", None),
    ],
)
def test_routes_of_azure(route: str, path: str, expected: bool | None) -> None:
    assert _azure_route(route)(path) is expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_headers", ("/" + "*a" * 4 + "*b\n  Content-Type: text/html\n") * 2_000),
        ("_headers", "/" + "*a" * 40_000 + "\n  Content-Type: text/html\n"),
        ("_headers", "/:a" * 30_000 + "\n  Content-Type: text/html\n"),
        ("_headers", "/x\n" + "  A: b\n" * 14_000),
        ("_headers", "/*\n" + "  A: b\n" * 1_000_000),
        ("netlify.toml", '[[headers]]\nfor = "/*"\n' * 4_000),
        ("netlify.toml", "headers = " + "{a = " * 10_000),
        ("netlify.toml", "headers.a" + ".a" * 45_000 + " = 1"),
        ("vercel.json", json.dumps({"headers": [{"source": "/(.*)(.*)(.*)(.*)x", "headers": [{"key": "content-type", "value": "a"}]}] * 900})),
        ("vercel.json", "[" * 100_000),
        ("vercel.json", '{"headers":' * 9_000),
        ("staticwebapp.config.json", '{"routes": [' + '{"route": "/*"},' * 6_000 + "{}]}"),
        (".vercelignore", ("**/" * 30 + "x\n") * 1_000),
        ("_config.yml", "a: " + "[" * 90_000),
    ],
    ids=range(14),
)  # fmt: skip
def test_hostile_configurations_take_bounded_time(name: str, text: str) -> None:
    skills: dict[str, str | bytes] = {
        f".well-known/agent-skills/{'a' * 40}{n}/SKILL.md": clean_skill("agentskills") for n in range(30)
    }
    started = time.perf_counter()
    for rule in ("host-headers", "host-content-type", "host-hides-files"):
        found(DISCOVERY_SITE | skills, rule, {name: text})
    assert time.perf_counter() - started < 12


def test_the_path_of_the_skill_is_what_counts() -> None:
    text = f"/{SKILL}\n  Content-Type: text/html\n"
    (finding,) = found(DISCOVERY_SITE, "host-content-type", {"_headers": text})
    assert finding.message.endswith("which should be text/markdown or text/plain")


def test_nothing_is_said_of_an_address_that_is_no_url() -> None:
    headers = "https://[/.well-known/*\n  Access-Control-Allow-Origin: *\n"
    assert found(DISCOVERY_SITE, "host-headers", {"_headers": headers}) == []


def test_of_two_types_that_are_joined_the_right_one_has_to_be_alone() -> None:
    text = f"/{INDEX}\n  Content-Type: application/json\n/*\n  Content-Type: text/html\n"
    (finding,) = found(DISCOVERY_SITE, "host-content-type", {"_headers": text})
    assert finding.message.startswith(f"'/{INDEX}' and 1 more would also be served as 'text/html', which should be")
    assert finding.message.endswith("application/json alone")
