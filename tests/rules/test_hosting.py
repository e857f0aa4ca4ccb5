"""robots.txt and what hosts leave out."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from protego import Protego

from agentskills_lint.model import Finding
from agentskills_lint.rules.hosting import Barriers
from tests.support import clean_skill, only, report_on

INDEX = ".well-known/agent-skills/index.json"
SKILL = ".well-known/agent-skills/pay-invoice/SKILL.md"
DISCOVERY_INDEX = {
    "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    "skills": [
        {
            "name": "pay-invoice",
            "type": "skill-md",
            "description": "Pays an open invoice by card.",
            "url": "/.well-known/agent-skills/pay-invoice/SKILL.md",
            "digest": "sha256:" + "0" * 64,
        }
    ],
}
DUALNOVA_INDEX = {
    "version": "1.0",
    "provider": "Acme",
    "provider_url": "https://acme.example",
    "skills": [
        {
            "name": "pay-invoice",
            "title": "Pay",
            "description": "Pay an open invoice by card when the user asks for it.",
            "url": f"https://acme.example/{SKILL}",
            "execution_url": "https://acme.example/appointment",
        }
    ],
}
DISCOVERY_SITE: dict[str, str | bytes] = {INDEX: json.dumps(DISCOVERY_INDEX), SKILL: clean_skill("agentskills")}
DUALNOVA_SITE: dict[str, str | bytes] = {INDEX: json.dumps(DUALNOVA_INDEX), SKILL: clean_skill("dualnova")}
WSP_SITE: dict[str, str | bytes] = {
    "skills.txt": "# Acme\n\n> Pays.\n\n## Skills\n\n- [pay-invoice](/skills/pay-invoice/SKILL.md): Pays.\n",
    "skills/pay-invoice/SKILL.md": clean_skill("wsp"),
}
SITES = {"discovery": DISCOVERY_SITE, "dualnova": DUALNOVA_SITE, "wsp": WSP_SITE}


def found(site: dict[str, str | bytes], rule: str, files: dict[str, str | bytes]) -> list[Finding]:
    report = report_on(site | files)
    assert report.crashed == 0
    return only(report.findings, rule)


def places(findings: list[Finding]) -> list[tuple[str, str, int, int, int]]:
    return [(f.path, f.level, f.line, f.column, f.location.end_column) for f in findings]


def robots(spec: str, text: str | bytes) -> list[tuple[str, int, int, int]]:
    return [place[1:] for place in places(found(SITES[spec], "robots-disallow", {"robots.txt": text}))]


DEMANDS = [
    # spec, section, robots.txt, level of the finding or None
    ("wsp", "9.1 no conflict between robots.txt and the skills", "User-agent: *\nDisallow: /skills/\n", "error"),
    ("wsp", "9.1 robots.txt and skills side by side", "User-agent: *\nDisallow: /admin/\n", None),
    ("wsp", "seed: robots.txt comes before everything", "User-agent: *\nDisallow: /\n", "error"),
    ("dualnova", "crawling is assumed to be allowed", "User-agent: *\nDisallow: /.well-known/\n", "warning"),
    ("dualnova", "crawling is assumed to be allowed", "User-agent: *\nAllow: /\n", None),
    ("discovery", "ours", "User-agent: *\nDisallow: /.well-known/\n", "warning"),
]


@pytest.mark.parametrize(("spec", "section", "text", "level"), DEMANDS)
def test_demands(spec: str, section: str, text: str, level: str | None) -> None:
    assert [found[0] for found in robots(spec, text)] == ([level] if level else [])


def test_the_line_that_decides_is_named_with_what_it_hides() -> None:
    text = (
        "User-agent: *\nAllow: /\nDisallow: /.wrangler/\nDisallow: /.well-known/agent-skills/\nContent-Signal: ai=yes\n"
    )
    (finding,) = found(DISCOVERY_SITE, "robots-disallow", {"robots.txt": text})
    assert places([finding]) == [("robots.txt", "warning", 4, 11, 37)]
    assert finding.message == (
        "'/.well-known/agent-skills/' keeps every agent from '/.well-known/agent-skills/index.json' and 1 more, "
        "which the site publishes for agents"
    )
    assert [location.path for location, _ in finding.related] == [INDEX, INDEX]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "User-agent: *\nDisallow:\n",
        "User-agent: *\nDisallow: /skill\nAllow: /skills\n",
        "User-agent: *\nAllow: /\nDisallow: /*?*\nDisallow: /search\n",
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
        "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
        "User-agent: *\nDisallow: /account$\nDisallow: /skills$\n",
        "User-agent: *\nContent-Signal: search=no, ai-input=no, ai-train=no\nCrawl-delay: 10\n",
        "Disallow: /\nUser-agent: *\nAllow: /\n",
        "User-agent: *\nDisallow: /skills/\nAllow: /skills/\nAllow: /skills.txt\n",
        "User-agent: *\nDisallow: skills/\n",
        "User-agent: *\nDisallow: /Skills/\n",
        "User-agent: *\nAllow: /\nDisallow: /**/.*\nAllow: /.well-known/\n",
        "# User-agent: *\n# Disallow: /\n",
        "<!doctype html>\n<title>Not found</title>\n",
        "Sitemap: https://acme.example/sitemap.xml\nHost: acme.example\n",
    ],
)
def test_what_hides_nothing_passes(text: str) -> None:
    assert robots("wsp", text) == []


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("\ufeffUser-agent: *\r\nDisallow: /skills/\r\n", [(2, 11, 19)]),
        ("user-AGENT : *\rDISALLOW:/skills/ # none\r", [(2, 10, 18)]),
        ("User-agent: a\nUser-agent: *\nUser-agent: b\n\nDisallow: /skills/\n", [(5, 11, 19)]),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: a\n\nUser-agent: *\nDisallow: /*/SKILL.md$\n", [(7, 11, 23)]),
        ("User-agent: *\nDisallow: /s\nDisallow: /skills/pay\n", [(2, 11, 13), (3, 11, 22)]),
        ("User-agent: *\nDisallow: /%73kills/\n", [(2, 11, 21)]),
        ("User-agent: *\nSitemap: https://acme.example/s.xml\nDisallow: /skills/\n", [(3, 11, 19)]),
        ("User agent *\nDisalow /skills/\n", [(2, 9, 17)]),
        ("User-agent: *\nDisallow: *\n", [(2, 11, 12)]),
        ("User-agent: *\nDisallow: /skills/\nAllow: /skills/p\n", []),
        ("User-agent: *\nDisallow: /skills/pay\nAllow: /skills/\n", [(2, 11, 22)]),
    ],
)  # fmt: skip
def test_rfc_9309(text: str, where: list[tuple[int, int, int]]) -> None:
    assert [place[1:] for place in robots("wsp", text)] == where


SHELVES = ["/.well-known/agent-skills/", "/skills.txt", "/skills/"]


def test_the_places_where_skills_are_published_are_told_once() -> None:
    files: dict[str, str | bytes] = {
        f".well-known/agent-skills/s{n}/SKILL.md": clean_skill("agentskills", f"name: s{n}") for n in range(9)
    }
    (finding,) = found(DISCOVERY_SITE | files, "robots-disallow", {"robots.txt": "User-agent: *\nDisallow: /\n"})
    assert finding.hint == (
        "add a rule below the same User-agent, 'Allow: /.well-known/agent-skills/', or disallow less"
    )
    places = [(location.path, location.line, location.column) for location, _ in finding.related]
    assert len(places) == len(set(places)) == 2


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: *\nDisallow: /\n", SHELVES),
        ("User-agent: *\nDisallow: /skills.txt\n", ["/skills.txt"]),
        ("User-agent: *\nDisallow: /skills.txt$\n", ["/skills.txt$"]),
        ("User-agent: *\nDisallow: /skills\n", ["/skills.txt", "/skills/"]),
        ("User-agent: *\nDisallow: /skills/pay-invoice\n", ["/skills/pay-invoice/"]),
        ("User-agent: *\nDisallow: /skills/pay-invoice/S\n", ["/skills/pay-invoice/SKILL.md"]),
        ("User-agent: *\nDisallow: /.well-known\n", ["/.well-known/agent-skills/"]),
        ("User-agent: *\nDisallow: /*.txt$\n", ["/skills.txt"]),
        ("User-agent: *\nDisallow: /*s*k*i*l*l*s*.*t*x*t*\n", []),
    ],
)
def test_the_hint_proposes_rules_that_let_agents_through(text: str, allowed: list[str]) -> None:
    (finding,) = found(WSP_SITE | DISCOVERY_SITE, "robots-disallow", {"robots.txt": text})
    assert finding.hint is not None
    assert re.findall("'Allow: ([^']+)'", finding.hint) == allowed
    rules = Protego.parse(text + "".join(f"Allow: {path}\n" for path in allowed))
    urls = ["/skills.txt", "/skills/pay-invoice/SKILL.md", f"/{INDEX}", f"/{SKILL}"]
    assert all(rules.can_fetch(url, "*") for url in urls) is bool(allowed)
    places = [(location.path, location.line, location.column) for location, _ in finding.related]
    assert len(places) == len(set(places))


def test_only_the_first_500_kib_count() -> None:
    filler = "# x\n" * 127_990
    assert len(filler) < 512_000
    assert robots("wsp", f"{filler}User-agent: *\nDisallow: /\n") != []
    assert robots("wsp", f"{filler}# {'x' * 30}\nUser-agent: *\nDisallow: /\n") == []
    cut = f"User-agent: *\n{filler}"
    cut += "#" * (512_000 - len(cut) - len("\nDisallow: /")) + "\nDisallow: /nothing\n"
    assert robots("wsp", cut) == []  # the limit falls behind "Disallow: /"


def test_below_a_path_of_the_host_nobody_reads_robots_txt() -> None:
    index = DISCOVERY_INDEX | {
        "skills": [{**DISCOVERY_INDEX["skills"][0], "url": f"https://acme.github.io/docs/{SKILL}"}]  # type: ignore[dict-item]
    }
    files: dict[str, str | bytes] = {INDEX: json.dumps(index), "robots.txt": "User-agent: *\nDisallow: /\n"}
    assert found(DISCOVERY_SITE, "robots-disallow", files) == []


def test_skills_outside_the_registries_are_no_business_of_robots_txt() -> None:
    files: dict[str, str | bytes] = {
        ".claude/skills/pay-invoice/SKILL.md": clean_skill("agentskills"),
        "robots.txt": "User-agent: *\nDisallow: /.claude/\n",
    }
    assert found(DISCOVERY_SITE, "robots-disallow", files) == []


PATTERNS = st.sampled_from(
    ["/", "/a", "/a/", "/a/b", "/*", "/*b", "/a*", "/a$", "/a/b$", "*", "", "/%61", "/a/*/", "a", "/\u00e9", "/a b",
     "/\x0b", "/\u2028", "/b\x85"]
)  # fmt: skip
FIELDS = st.sampled_from(
    ["Disallow: ", "disallow:", "Allow: ", "User-agent: ", "Disallow ", "Disalow: ", "Crawl-delay: ", "Sitemap: ",
     "Content-Signal: ", "User agent ", "Noindex: ", " Disallow : ", "x"]
)  # fmt: skip
AGENTS = st.sampled_from(["*", "a", "", "*a", "* # all"])
LINES = st.one_of(
    st.builds("".join, st.tuples(FIELDS, PATTERNS)),
    st.builds("User-agent: {}".format, AGENTS),
    st.sampled_from(["", "# x", "\x0bDisallow: /", "\u2028User-agent: *"]),
)


@given(
    st.lists(LINES, max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["/", "/a", "/a/b", "/b", "/a/c/b?x=1"]),
)
@example(["User-agent: *", "Disallow: /a", "Disallow: /a/"], "\n", "/a/b")
def test_the_line_agrees_with_protego(lines: list[str], newline: str, url: str) -> None:
    text = newline.join(lines)
    for char in "\x0b\x85\u2028":
        text = text.replace(char, "\ufffd")
    barrier = Barriers(text).deciding(url)
    if Protego.parse(text).can_fetch(url, "*"):
        return
    assert barrier is not None
    start, end = barrier.span
    assert " ".join(text[start:end].split()) == barrier.pattern
    field = max(text.rfind(end, 0, start) for end in "\r\n") + 1
    turned = f"{text[:field]}Allow: {barrier.pattern}{text[end:]}"
    assert Protego.parse(turned).can_fetch(url, "*")


def test_a_huge_robots_txt_takes_bounded_time() -> None:
    lines = "".join(f"Disallow: /*a{number}b*c\n" for number in range(24_000))
    started = time.perf_counter()
    files: dict[str, str | bytes] = {
        f".well-known/agent-skills/s{n}/SKILL.md": clean_skill("agentskills", f"name: s{n}") for n in range(100)
    }
    (finding,) = found(
        DISCOVERY_SITE | files, "robots-disallow", {"robots.txt": f"User-agent: *\nDisallow: /\n{lines}"}
    )
    assert finding.line == 2
    assert time.perf_counter() - started < 10


# --------------------------------------------------------------------------------------------
# What hosts leave out


def hidden(site: dict[str, str | bytes], **files: str) -> list[tuple[str, str, int, int, int]]:
    return places(found(site, "host-hides-files", {name.replace("__", "."): text for name, text in files.items()}))


def test_case_087_jekyll_drops_dot_folders() -> None:
    config = "title: Acme\n\ninclude:\n  - _pages\n"
    (finding,) = found(DISCOVERY_SITE, "host-hides-files", {"_config.yml": config})
    assert places([finding]) == [("_config.yml", "warning", 3, 1, 8)]
    assert finding.message == (
        "Jekyll publishes no folder that begins with a dot, so '/.well-known/agent-skills/index.json' will not be found"
    )
    assert finding.hint == (
        "add 'include: [.well-known]' to _config.yml, or an empty file .nojekyll if no page needs Jekyll"
    )
    assert [location.path for location, _ in finding.related] == [INDEX]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"_config.yml": "title: Acme\n"}, [("_config.yml", "warning", 1, 1, 12)]),
        ({"_config.yml": "title: Acme\n", ".nojekyll": ""}, []),
        ({"Gemfile": 'source "https://rubygems.org"\ngem "jekyll"\n'}, [("Gemfile", "warning", 2, 1, 13)]),
        ({"Gemfile": "  gem 'github-pages', group: :jekyll_plugins\n"}, [("Gemfile", "warning", 1, 3, 21)]),
        ({"Gemfile": 'gem "rails"\n# gem "jekyll"\ngem "jekyll-feed"\n'}, []),
        # the folder is kept, the skill in it is still made a page
        ({"_config.yml": "include: [.well-known]\n"}, [("_config.yml", "warning", 1, 1, 8)]),
        ({"_config.yml": 'include: ["/.well-known/"]\nmarkdown_ext: markdown\n'}, []),
        # Hexo, Jupyter Book, another source folder, what cannot be read
        ({"_config.yml": "title: Acme\nnew_post_name: :title.md\n"}, []),
        ({"_config.yml": "title: Acme\n", "_toc.yml": "root: intro\n"}, []),
        ({"_config.yml": "title: Acme\nsource: src\n"}, []),
        ({"_config.yml": "title: [Acme\n"}, []),
        ({"_config.yml": "- a\n"}, []),
        ({"_config.yml": ""}, []),
        ({"_config.yml": b"\xff\xfe"}, []),
        ({".vercelignore": "node_modules\n.*\n"}, [(".vercelignore", "warning", 2, 1, 3)]),
        ({".vercelignore": ".*\n!.well-known\n"}, []),
        ({".gcloudignore": "/.well-known/\r\n"}, [(".gcloudignore", "warning", 1, 1, 14)]),
        ({".gcloudignore": ".git\n.gitignore\n#!include:.gitignore\n/node_modules/\n"}, []),
        ({".assetsignore": "*.md\n"}, [(".assetsignore", "warning", 1, 1, 5)]),
        # what npm leaves out of a package says nothing of the site
        ({".npmignore": ".well-known\n.*\n"}, []),
    ],
)
def test_hosts_that_leave_files_out(
    files: dict[str, str | bytes], expected: list[tuple[str, str, int, int, int]]
) -> None:
    assert places(found(DISCOVERY_SITE, "host-hides-files", files)) == expected


@pytest.mark.parametrize(
    ("hosting", "column"),
    [
        # it matches files that begin with a dot, not files in folders that do
        ({"public": ".", "ignore": ["firebase.json", "**/.*", "**/node_modules/**"]}, None),
        ({"public": ".", "ignore": ["**/.*/**"]}, 40),
        ({"public": "./", "ignore": ["a", ".well-known/**"]}, 46),
        ([{"public": "dist", "ignore": ["**/*"]}, {"public": ".", "ignore": ["**/*.md"]}], 81),
        ({"public": "dist", "ignore": ["**/*"]}, None),
        ({"public": ".", "ignore": ["**", "!.well-known/**"]}, None),
        ({"public": ".", "ignore": ["*.md", "index.json"]}, None),
        ({"public": "."}, None),
        (None, None),
        ("x", None),
    ],
)
def test_firebase(hosting: object, column: int | None) -> None:
    config = json.dumps({"hosting": hosting})
    where = [(f.path, f.line, f.column) for f in found(DISCOVERY_SITE, "host-hides-files", {"firebase.json": config})]
    assert where == ([("firebase.json", 1, column)] if column else [])


def test_jekyll_makes_pages_of_skills_outside_of_dot_folders() -> None:
    (finding,) = found(WSP_SITE, "host-hides-files", {"_config.yml": "title: Acme\n"})
    assert finding.message == (
        "Jekyll turns Markdown with a frontmatter into HTML, so '/skills/pay-invoice/SKILL.md' will not be found"
    )


def test_the_configuration_one_folder_above_is_looked_at() -> None:
    site: dict[str, str | bytes] = {f"public/{path}": content for path, content in DISCOVERY_SITE.items()}
    (finding,) = found(site, "host-hides-files", {"_config.yml": "source: public\n"})
    assert places([finding]) == [("_config.yml", "warning", 1, 1, 15)]
    assert found(site, "host-hides-files", {"_config.yml": "title: Acme\n"}) == []
    assert places(found(site, "host-hides-files", {".vercelignore": "**/.well-known\n"})) == [
        (".vercelignore", "warning", 1, 1, 15)
    ]
    assert found(site, "host-hides-files", {".vercelignore": "public\n"}) == []


def test_a_repository_ends_the_search_above() -> None:
    site: dict[str, str | bytes] = {f"public/{path}": content for path, content in DISCOVERY_SITE.items()}
    files: dict[str, str | bytes] = {"_config.yml": "source: public\n", "public/.git/HEAD": "x"}
    assert found(site, "host-hides-files", files) == []


def test_a_finding_above_the_argument_is_reported_because_of_what_it_hides() -> None:
    from agentskills_lint.config import Config
    from agentskills_lint.discovery import memory_project
    from agentskills_lint.engine import lint

    site = {f"public/{path}": content for path, content in DISCOVERY_SITE.items()} | {"_config.yml": "source: public\n"}
    report = lint(memory_project(site, paths=["public"]), Config(level="note"))
    assert [f.path for f in only(report.findings, "host-hides-files")] == ["_config.yml"]


def below(base: str) -> dict[str, str | bytes]:
    """A site whose entries tell the path below which it stands on a host that nobody knows."""
    return DISCOVERY_SITE | {INDEX: json.dumps(DISCOVERY_INDEX).replace('"/.well-known', f'"{base}/.well-known')}


@pytest.mark.parametrize(("base", "levels"), [("", ["warning"]), ("/docs", [])])
def test_nobody_reads_the_robots_txt_of_a_site_below_a_path(base: str, levels: list[str]) -> None:
    files: dict[str, str | bytes] = {"robots.txt": "User-agent: *\nDisallow: /.well-known/\n"}
    assert [f.level for f in found(below(base), "robots-disallow", files)] == levels


@pytest.mark.parametrize(("base", "levels"), [("", ["warning"]), ("/docs", [])])
def test_headers_may_be_set_for_the_path_below_which_a_site_stands(base: str, levels: list[str]) -> None:
    text = '[[headers]]\n  for = "/docs/.well-known/*"\n  [headers.values]\n    Access-Control-Allow-Origin = "*"\n'
    assert [f.level for f in found(below(base), "host-headers", {"netlify.toml": text})] == levels


def test_the_address_of_the_index_has_the_path_below_which_the_site_stands() -> None:
    index = {key: value for key, value in DUALNOVA_INDEX.items() if key != "provider_url"}
    text = json.dumps(index).replace("https://acme.example/.well-known", "/docs/.well-known")
    (finding,) = found(DUALNOVA_SITE | {INDEX: text}, "llms-txt-reference", {"llms.txt": "# Acme\n"})
    assert finding.message == f"llms.txt does not mention the index of the skills, '/docs/{INDEX}'"
