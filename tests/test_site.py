"""Which folders are sites, their origin, where their entries lead, which specs a skill answers to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project, project
from agentskills_lint.documents import Skill
from agentskills_lint.engine import lint
from agentskills_lint.settings import PathPatterns
from agentskills_lint.site import Site, specs_of
from tests.support import clean_skill, report_on

WELL_KNOWN = ".well-known/agent-skills/"
PLAIN = clean_skill("agentskills")
DISCOVERY = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
DUALNOVA = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
FILES = {"skills": [{"name": "pay-invoice", "files": ["SKILL.md"]}]}
HOME_GROWN = {"skills": [{"name": "pay-invoice", "path": "x"}]}
SKILLS_TXT = "# Acme\n\n## Skills\n\n- [Pay](/skills/pay-invoice/SKILL.md): Pays an invoice.\n"


def specs(files: dict[str, str], path: str) -> dict[str, str]:
    project = memory_project(files)
    (skill,) = [d for d in project.documents if d.path == path and isinstance(d, Skill)]
    return specs_of(skill, project.sites)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (DISCOVERY, ["discovery", "agentskills"]),
        (DUALNOVA, ["dualnova"]),
        (DISCOVERY | DUALNOVA, ["discovery", "dualnova", "agentskills"]),
        (FILES, ["discovery", "agentskills"]),
        (HOME_GROWN, ["discovery", "agentskills"]),
    ],
)
def test_case_067_the_index_beside_a_skill_decides(index: dict[str, object], expected: list[str]) -> None:
    path = f"{WELL_KNOWN}pay-invoice/SKILL.md"
    assert list(specs({f"{WELL_KNOWN}index.json": json.dumps(index), path: PLAIN}, path)) == expected


def test_an_index_that_cannot_be_read_leaves_the_folder_to_speak() -> None:
    path = f"{WELL_KNOWN}pay-invoice/SKILL.md"
    for text in ("{", "[]", "[" * 100_000):
        found = specs({f"{WELL_KNOWN}index.json": text, path: PLAIN}, path)
        assert found == {"discovery": "in a well-known folder", "agentskills": "discovery builds on it"}


def test_without_an_index_the_fields_tell_the_web_convention() -> None:
    path = f"{WELL_KNOWN}pay-invoice/SKILL.md"
    assert list(specs({path: clean_skill("dualnova", "provider: Acme")}, path)) == ["dualnova"]


def test_a_skill_listed_elsewhere_answers_to_that_registry() -> None:
    index = DUALNOVA | {"skills": [{"name": "pay-invoice", "url": "https://acme.example/s/pay-invoice/SKILL.md#x"}]}
    files = {f"{WELL_KNOWN}index.json": json.dumps(index), "s/pay-invoice/SKILL.md": PLAIN, "t/SKILL.md": PLAIN}
    assert specs(files, "s/pay-invoice/SKILL.md") == {"dualnova": f"listed in {WELL_KNOWN}index.json"}
    assert specs(files, "t/SKILL.md") == {"agentskills": "in no registry"}


def test_wsp_needs_a_list_link_to_a_skill() -> None:
    path = "skills/pay-invoice/SKILL.md"
    assert specs({"skills.txt": SKILLS_TXT, path: PLAIN}, path) == {
        "wsp": "listed in skills.txt",
        "agentskills": "wsp builds on it",
    }
    for foreign in ("User-agent: *\n", "# Skills\n\nSee skills/pay-invoice/SKILL.md\n", "- [a](b.md)\n"):
        assert specs({"skills.txt": foreign, path: PLAIN}, path) == {"agentskills": "in no registry"}


def test_a_skill_below_the_folder_of_the_discovery_file_answers_to_wsp() -> None:
    files = {"agents.txt": SKILLS_TXT.replace("/skills/", "/agents/"), "agents/other/SKILL.md": PLAIN}
    assert specs(files, "agents/other/SKILL.md") == {
        "wsp": "below the folder of agents.txt",
        "agentskills": "wsp builds on it",
    }


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("auth: none", ["agentskills", "wsp"]),
        ("provider: Acme", ["agentskills", "dualnova"]),
        ("languages: [en, es-MX]", ["agentskills", "dualnova"]),
        ("languages: [python, typescript]", ["agentskills"]),
        ("base_url: https://acme.example\nopenapi: https://acme.example/x", ["agentskills", "wsp", "dualnova"]),
        ("version: 1.0.0\nauthor: Acme", ["agentskills"]),
    ],
)
def test_a_skill_in_no_registry_is_told_by_its_fields(front: str, expected: list[str]) -> None:
    path = "pay-invoice/SKILL.md"
    assert list(specs({path: clean_skill("agentskills", front)}, path)) == expected


# The origin


def entry(url: str, name: str = "pay") -> dict[str, str]:
    return {"name": name, "type": "skill-md", "description": "d", "url": url, "digest": "sha256:" + "0" * 64}


def site_of(index: Mapping[str, object], *more: str, config: Config = Config(), **files: str) -> Site:  # noqa: B008
    texts = {f"public/{WELL_KNOWN}index.json": json.dumps(index)} | {f"public/{path}": PLAIN for path in more}
    texts |= {f"public/{path}": text for path, text in files.items()}
    (site,) = memory_project(texts, config).sites
    return site


PAY = f"{WELL_KNOWN}pay/SKILL.md"
HERE = "https://acme.example/.well-known/agent-skills/pay/SKILL.md"


def test_the_origin_that_is_set_wins() -> None:
    index = DUALNOVA | {"skills": [entry(HERE)]}
    site = site_of(index, PAY, config=Config(origin="https://www.acme.example"), CNAME="c.example")
    assert site.origin == ("https://www.acme.example", "set")
    assert [(unchecked[0].entry.href, unchecked[1]) for unchecked in site.unchecked()] == [
        (HERE, "not below https://www.acme.example")
    ]


@pytest.mark.parametrize(
    ("provider", "url", "origin"),
    [
        ("https://acme.example", HERE, "https://acme.example"),
        ("HTTPS://acme.example/", HERE, "https://acme.example"),
        ("https://acme.example/about", HERE, "https://acme.example"),
        ("https://acme.example/docs/", HERE.replace("example/", "example/docs/"), "https://acme.example/docs"),
        ("https://other.example", HERE, "https://other.example"),
    ],
)
def test_case_081_the_origin_is_that_of_provider_url(provider: str, url: str, origin: str) -> None:
    site = site_of(DUALNOVA | {"provider_url": provider, "skills": [entry(url)]}, PAY, CNAME="c.example")
    assert site.origin == (origin, f"provider_url in public/{WELL_KNOWN}index.json")


@pytest.mark.parametrize("provider", ["acme", "ftp://acme.example", "https://", "https://[::1", "https://a b", 7, None])
def test_a_provider_url_that_is_none_is_passed_over_for_the_cname(provider: object) -> None:
    site = site_of(DUALNOVA | {"provider_url": provider, "skills": [entry(HERE)]}, PAY, CNAME="Acme.example\n")
    assert site.origin == ("https://acme.example", "public/CNAME")


@pytest.mark.parametrize("cname", ["", "two words.example", "localhost", "\x00", "https://acme.example", "a..example"])
def test_a_cname_that_names_no_host_is_passed_over(cname: str) -> None:
    site = site_of(DISCOVERY | {"skills": [entry(HERE)]}, PAY, CNAME=cname)
    assert site.origin == ("https://acme.example", "1 listed address leads to files here")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        (HERE, "https://acme.example"),
        ("https://acme.example:8443/.well-known/agent-skills/pay/SKILL.md", "https://acme.example:8443"),
        ("https://user:word@acme.example/.well-known/agent-skills/pay/SKILL.md", "https://acme.example"),
        ("https://acme.github.io/docs/.well-known/agent-skills/pay/SKILL.md", "https://acme.github.io/docs"),
        ("https://acme.example/a/b/.well-known/agent-skills/pay/SKILL.md", "https://acme.example/a/b"),
        ("https://acme.github.io/docs/s/pay/SKILL.md", "https://acme.github.io/docs"),
        ("https://acme.example/docs/s/pay/SKILL.md", None),
        ("https://raw.githubusercontent.com/acme/x/main/.well-known/agent-skills/pay/SKILL.md", None),
        ("https://acme.example/.well-known/agent-skills/gone/SKILL.md", None),
        ("/.well-known/agent-skills/pay/SKILL.md", None),
        ("https://[::1/", None),
        ("", None),
    ],
)
def test_the_origin_is_the_host_of_an_address_that_leads_to_a_file(url: str, origin: str | None) -> None:
    site = site_of(DISCOVERY | {"skills": [entry(url)]}, PAY, "s/pay/SKILL.md")
    reason = "1 listed address leads to files here" if origin else "unknown"
    assert site.origin == (origin, reason)


def test_of_several_hosts_the_one_counts_that_leads_to_most_files() -> None:
    urls = [HERE, HERE.replace("pay", "buy"), HERE.replace("acme", "cdn")]
    site = site_of(DISCOVERY | {"skills": [entry(url) for url in urls]}, PAY, PAY.replace("pay", "buy"))
    assert site.origin == ("https://acme.example", "2 listed addresses lead to files here")
    assert [(listing.entry.href, reason) for listing, reason in site.unchecked()] == [
        (urls[2], "not below https://acme.example")
    ]


def test_absolute_addresses_are_not_checked_while_the_origin_is_unknown() -> None:
    skills = [entry("https://acme.example/gone/SKILL.md"), entry("/gone/SKILL.md")]
    report = report_on({f"public/{WELL_KNOWN}index.json": json.dumps(DISCOVERY | {"skills": skills}, indent=1)})
    (facts,) = report.sites
    reason = "the origin of the site is unknown (--origin tells it)"
    assert facts.unchecked == ((f"public/{WELL_KNOWN}index.json", 8, "https://acme.example/gone/SKILL.md", reason),)
    assert (facts.origin, facts.origin_reason) == (None, "unknown")


# Where entries lead


@pytest.mark.parametrize(
    ("url", "kind", "path"),
    [
        ("pay/SKILL.md", "file", PAY),
        ("./pay/SKILL.md?v=1#top", "file", PAY),
        ("pay%2FSKILL.md", "refused", ""),
        ("p%61y/SKILL.md", "file", PAY),
        ("/.well-known/agent-skills/pay/SKILL.md", "file", PAY),
        ("pay/", "folder", f"{WELL_KNOWN}pay"),
        ("pay/skill.md", "missing", f"{WELL_KNOWN}pay/skill.md"),
        ("../../s/pay/SKILL.md", "file", "s/pay/SKILL.md"),
        ("../../../../s/pay/SKILL.md", "file", "s/pay/SKILL.md"),
        ("%2e%2e/%2e%2e/s/pay/SKILL.md", "refused", ""),
        ("data:text/markdown,x", "refused", ""),
        ("//cdn.example/SKILL.md", "unknown", ""),
        ("", "missing", ""),
    ],
)
def test_an_entry_leads_to_a_file_of_the_tree_or_nobody_looks(url: str, kind: str, path: str) -> None:
    site = site_of(DISCOVERY | {"skills": [entry(url)]}, PAY, "s/pay/SKILL.md")
    (listing,) = site.entries()
    target = site.target(listing)
    assert (target.kind, target.path) == (kind, path)
    skill = site.skill_of(listing)
    assert (skill.path if skill else None) == (f"public/{path}" if kind == "file" else None)


def test_an_entry_of_discovery_0_1_leads_where_its_name_says() -> None:
    index = {"skills": [{"name": "pay", "files": ["SKILL.md"]}]}
    files = {".well-known/skills/index.json": json.dumps(index), ".well-known/skills/pay/SKILL.md": PLAIN}
    (site,) = memory_project(files).sites
    (listing,) = site.entries()
    assert site.target(listing).path == ".well-known/skills/pay/SKILL.md"


def test_a_listed_file_of_another_name_is_a_skill() -> None:
    index = DISCOVERY | {"skills": [entry("/s/pay.md"), entry("/s/pay.html"), entry("/s/gone.md")]}
    files = {f"{WELL_KNOWN}index.json": json.dumps(index), "s/pay.md": PLAIN, "s/pay.html": "<p>", "s/x.md": PLAIN}
    assert [document.path for document in memory_project(files).documents] == [f"{WELL_KNOWN}index.json", "s/pay.md"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_what_a_link_leads_to_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "SKILL.md").write_text(PLAIN)
    public = tmp_path / "tree" / "public"
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (public / WELL_KNOWN).mkdir(parents=True)
    (public / WELL_KNOWN / "index.json").write_text(json.dumps(DISCOVERY | {"skills": [entry("pay/SKILL.md")]}))
    (public / WELL_KNOWN / "pay").symlink_to(tmp_path / "secret")
    found = project(["public"], cwd=str(tmp_path / "tree"))
    (site,) = found.sites
    (listing,) = site.entries()
    assert site.target(listing)[:2] == ("refused", PAY)
    assert site.target(listing).reason == "a symbolic link leads out of the tree"
    assert [document.path for document in found.documents] == [f"public/{WELL_KNOWN}index.json"]
    (tmp_path / "tree" / ".git").rmdir()  # nobody knows then where the tree ends
    (site,) = project(["public"], cwd=str(tmp_path / "tree")).sites
    assert [(listing.entry.href, reason) for listing, reason in site.unchecked()] == [
        ("pay/SKILL.md", "a symbolic link leads out of the tree")
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_an_index_that_is_a_link_out_of_the_tree_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text(json.dumps(DISCOVERY))
    public = tmp_path / "tree" / "public"
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (public / WELL_KNOWN).mkdir(parents=True)
    (public / WELL_KNOWN / "index.json").symlink_to(tmp_path / "index.json")
    found = project(["."], cwd=str(tmp_path / "tree"))
    assert found.documents == ()
    assert found.passed_over == (
        (f"public/{WELL_KNOWN}index.json", f"link that leads out of the tree, to {tmp_path.as_posix()}/index.json"),
    )


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_that_lead_in_circles_are_walked_once(tmp_path: Path) -> None:
    (tmp_path / WELL_KNOWN).mkdir(parents=True)
    (tmp_path / WELL_KNOWN / "index.json").write_text("{}")
    (tmp_path / "x").mkdir()
    for name in "ab":
        (tmp_path / "x" / name).symlink_to(tmp_path / "x")
    (tmp_path / "x" / "page.html").write_text("")
    (site,) = project(["."], cwd=str(tmp_path)).sites
    assert sorted(site.files()) == [f"{WELL_KNOWN}index.json", "x/page.html"]


@pytest.mark.parametrize("url", ["/x\0/SKILL.md", "/\ud800/SKILL.md", "\0", "/%00/SKILL.md"])
def test_addresses_that_no_file_can_have_lead_nowhere(tmp_path: Path, url: str) -> None:
    (tmp_path / WELL_KNOWN).mkdir(parents=True)
    (tmp_path / WELL_KNOWN / "index.json").write_text(json.dumps(DISCOVERY | {"skills": [entry(url)]}))
    config = Config()
    report = lint(project(["."], cwd=str(tmp_path)), config)
    assert report.crashed == 0


def test_large_files_beside_the_index_are_not_read(tmp_path: Path) -> None:
    (tmp_path / WELL_KNOWN).mkdir(parents=True)
    (tmp_path / WELL_KNOWN / "index.json").write_text(json.dumps(DISCOVERY))
    for name in (
        "robots.txt",
        "llms.txt",
        "_headers",
        "CNAME",
        "index.html",
        "skills.txt",
        ".gitignore",
        "vercel.json",
    ):
        with (tmp_path / name).open("wb") as file:
            file.truncate(3_000_000_000)
    report = lint(project(["."], cwd=str(tmp_path)), Config())
    assert report.crashed == 0


def test_www_and_not_www_are_one_site() -> None:
    site = site_of(DUALNOVA | {"provider_url": "https://www.acme.example", "skills": [entry(HERE)]}, PAY)
    assert site.origin == ("https://acme.example", f"provider_url in public/{WELL_KNOWN}index.json")


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_skill_that_is_published_by_a_link_is_found_where_it_stands(tmp_path: Path) -> None:
    public = tmp_path / "public"
    (tmp_path / "skills" / "pay").mkdir(parents=True)
    (tmp_path / "skills" / "pay" / "SKILL.md").write_text(PLAIN)
    (public / WELL_KNOWN).mkdir(parents=True)
    (public / WELL_KNOWN / "index.json").write_text(json.dumps(DISCOVERY | {"skills": [entry("pay/SKILL.md")]}))
    (public / WELL_KNOWN / "pay").symlink_to(tmp_path / "skills" / "pay")
    found = project(["."], cwd=str(tmp_path))
    (site,) = found.sites
    (listing,) = site.entries()
    skill = site.skill_of(listing)
    assert skill is not None
    assert skill.path == "skills/pay/SKILL.md"
    assert specs_of(skill, found.sites)["discovery"] == f"listed in public/{WELL_KNOWN}index.json"


# What an argument brings along

TREE = {
    f"public/{WELL_KNOWN}index.json": json.dumps(DISCOVERY | {"skills": [entry("pay/SKILL.md")]}),
    f"public/{PAY}": PLAIN,
    f"public/{WELL_KNOWN}buy/SKILL.md": PLAIN,
    "public/robots.txt": "",
    "skills/a/SKILL.md": PLAIN,
    "skills/b/SKILL.md": PLAIN,
    "skills/c/nested/SKILL.md": PLAIN,
    "skills/README.md": "",
    ".git/config": "",
}
PUBLIC = [f"public/{WELL_KNOWN}buy/SKILL.md", f"public/{WELL_KNOWN}index.json", f"public/{PAY}"]


@pytest.mark.parametrize(
    ("path", "documents", "asked"),
    [
        (f"public/{PAY}", PUBLIC, [f"public/{PAY}"]),
        (f"public/{WELL_KNOWN}pay", PUBLIC, [f"public/{PAY}"]),
        (f"public/{WELL_KNOWN}index.json", PUBLIC, [f"public/{WELL_KNOWN}index.json"]),
        ("public/robots.txt", PUBLIC, []),
        ("public", PUBLIC, PUBLIC),
        ("skills/a/SKILL.md", ["skills/a/SKILL.md", "skills/b/SKILL.md"], ["skills/a/SKILL.md"]),
        ("skills/a", ["skills/a/SKILL.md", "skills/b/SKILL.md"], ["skills/a/SKILL.md"]),
    ],
)
def test_an_argument_brings_its_site_and_the_skills_beside_it(
    path: str, documents: list[str], asked: list[str]
) -> None:
    found = memory_project(TREE, paths=(path,))
    assert [document.path for document in found.documents] == documents
    assert [document.path for document in found.documents if found.scope.holds(document.location)] == asked
    assert found.passed_over == ()


def test_a_file_of_a_site_that_is_no_document_counts_as_linted() -> None:
    config = Config()
    report = lint(memory_project(TREE, config, paths=("public/robots.txt",)), config)
    assert report.files == {"file": 1}
    assert report.skills == ()


def test_an_index_that_is_named_itself_is_one_wherever_it_stands() -> None:
    found = memory_project({"out/index.json": json.dumps(DISCOVERY), "x.json": "{}"}, paths=("out/index.json",))
    assert [(type(d).__name__, d.path) for d in found.documents] == [("Index", "out/index.json")]
    assert [site.path for site in found.sites] == ["out"]


@pytest.mark.parametrize("pattern", ["index.json", "public/.well-known/agent-skills/index.json"])
def test_an_index_that_is_excluded_is_read_and_never_reported_on(pattern: str) -> None:
    config = Config(exclude=(PathPatterns("/repository/", pattern),), level="note")
    report = lint(memory_project(TREE | {f"public/{WELL_KNOWN}index.json": json.dumps(DISCOVERY)}, config), config)
    assert [f.path for f in report.findings if f.path.endswith("index.json")] == []
    assert report.files == {"skill": 5}
    assert report.skills[0].specs["discovery"] == f"below the folder of public/{WELL_KNOWN}index.json"


def test_what_is_asked_for_is_reported_on_though_a_folder_above_is_excluded() -> None:
    config = Config(exclude=(PathPatterns("/repository/", "public/"),))
    assert lint(memory_project(TREE, config, paths=("public",)), config).files == {"index": 1, "skill": 2}


def test_a_listed_file_that_is_excluded_is_read_and_never_reported_on() -> None:
    config = Config(exclude=(PathPatterns("/repository/", "s/"),), level="note")
    files = {f"{WELL_KNOWN}index.json": json.dumps(DISCOVERY | {"skills": [entry("/s/pay.md")]}), "s/pay.md": "x"}
    report = lint(memory_project(files, config), config)
    assert report.files == {"index": 1}
    assert [f.path for f in report.findings if f.path == "s/pay.md"] == []


# Nested skills


def test_a_skill_in_the_folder_of_another_is_told_so_but_not_below_a_repository() -> None:
    files = dict.fromkeys(["SKILL.md", "a/SKILL.md", "a/b/c/SKILL.md", "d/SKILL.md"], PLAIN) | {".git/config": ""}
    outer = {d.path: d.outer and d.outer.path for d in memory_project(files).documents if isinstance(d, Skill)}
    assert outer == {"SKILL.md": None, "a/SKILL.md": None, "a/b/c/SKILL.md": "a/SKILL.md", "d/SKILL.md": None}
