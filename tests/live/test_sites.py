"""Live sites as a whole: what is fetched, what is found where, that a clean one gives nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from tests.live.servers import Handler, Page, serving
from tests.live.support import (
    CLEAN,
    CLEAN_WSP,
    INDEX,
    JSON,
    MARKDOWN,
    PLAIN,
    SKILL,
    SKILLS_TXT,
    entry,
    fetched,
    index,
    messages,
    places,
    run,
    site,
    wsp_site,
)
from tests.packing import Item, tar_gz
from tests.support import clean_skill

DUALNOVA = """{
"version": "1.0", "provider": "Acme", "provider_url": "%s",
"skills": [
{"name": "pay-invoice", "title": "Pay", "description": "Pays an open invoice.", "url": "%s", "execution_url": "%s"}
]}
"""


def test_a_site_without_faults_gives_nothing() -> None:
    with serving(site()) as server:
        report = run(server.url)
        assert places(report) == []
        assert report.files == {"index": 1, "skill": 1}
        assert [s.path for s in report.skills] == [server.url + SKILL]
        assert list(report.skills[0].specs) == ["discovery", "agentskills", "advice"]
        assert report.unread == report.passed_over == ()
    with serving(wsp_site()) as server:
        report = run(server.url)
        assert places(report) == []
        assert report.files == {"discovery": 1, "skill": 1}


def test_what_is_asked_for_and_how_often() -> None:
    with serving(site()) as server:
        run(server.url)
        assert sorted(server.paths) == sorted(
            [
                INDEX,
                INDEX,  # HEAD
                "/.well-known/skills/index.json",
                "/skills.txt",
                "/agents.txt",
                "/llms.txt",
                "/robots.txt",
                "/.well-known/agent-skills/agentskills-lint-asks-for-what-is-not-there/SKILL.md",
                SKILL,
                SKILL,  # HEAD
            ]
        )
        assert sorted(method for method, _, _ in server.asked).count("HEAD") == 2
        agents = {headers["User-Agent"] for _, _, headers in server.asked}
        assert len(agents) == 1
        (agent,) = agents
        assert agent.startswith("agentskills-lint/")
        assert "(+https://" in agent


@pytest.mark.parametrize(
    "path",
    ["", "/", INDEX, "/skills.txt", "/docs/guide.html", "/docs/", "/.well-known/agent-skills/pay-invoice/SKILL.md"],
)
def test_host_page_and_registry_lead_to_the_same_site(path: str) -> None:
    with serving(site()) as server:
        report = run(server.url + path)
        assert [s.path for s in report.sites] == [server.url]
        assert places(report) == []
        assert len(report.skills) == 1


def test_a_site_below_a_path_is_found_where_the_host_has_none() -> None:
    answers = {f"/docs{path}": answer for path, answer in wsp_site().items()}
    answers["/docs/skills.txt"] = Page(SKILLS_TXT.replace("(/skills", "(skills"), PLAIN)
    with serving(answers) as server:
        for path in ("/docs", "/docs/", "/docs/skills.txt"):
            report = run(server.url + path)
            assert [s.path for s in report.sites] == [f"{server.url}/docs"]
            assert [s.path for s in report.skills] == [f"{server.url}/docs/skills/pay-invoice/SKILL.md"]
            assert places(report) == []


def test_rules_of_documents_see_a_fetched_skill() -> None:
    text = CLEAN.replace("name: pay-invoice", "name: Pay_Invoice").replace("## Workflow", "See [it](missing.md).")
    with serving(site({INDEX: Page(index(entry(content=text)), JSON), SKILL: Page(text, MARKDOWN)})) as server:
        found = run(server.url)
        assert ("name-kebab-case", "error", SKILL, 2, 7) in places(found, server.url)
        assert messages(found, "link-broken") == ["the link leads to nothing: there is no 'missing.md'"]
        assert all(finding.fix is None for finding in found.findings)


def test_the_folder_in_the_url_is_the_skills_own() -> None:
    text = clean_skill("discovery", "name: pay-bill")
    with serving(site({INDEX: Page(index(entry(content=text)), JSON), SKILL: Page(text, MARKDOWN)})) as server:
        assert ("name-directory", "error", SKILL, 2, 7) in places(run(server.url), server.url)


def test_digests_are_taken_of_the_bytes_that_are_served() -> None:
    with serving(site({SKILL: Page(CLEAN + "\n", MARKDOWN)})) as server:
        found = places(run(server.url), server.url)
        assert [place[:4] for place in found] == [("index-digest", "error", INDEX, 4)]


def test_an_archive_is_looked_into() -> None:
    archive = tar_gz(Item("SKILL.md", CLEAN.encode()), Item("LICENSE", b"MIT\n"))
    url = "/.well-known/agent-skills/pay-invoice.tar.gz"
    listed = Page(index(entry(url, archive, kind="archive")), JSON)
    with serving({INDEX: listed, url: Page(archive, JSON | {"Content-Type": "application/gzip"})}) as server:
        report = run(server.url)
        assert places(report) == []
        assert report.files == {"index": 1, "archive": 1, "skill": 1}
        assert [skill.path for skill in report.skills] == [f"{server.url}{url}!SKILL.md"]
    with serving({INDEX: listed, url: Page(archive, JSON | {"Content-Type": "application/x-gzip"})}) as server:
        report = run(server.url)
        assert places(report, server.url) == [("http-content-type", "error", INDEX, 4, 51)]
        assert messages(report, "http-content-type", server.url) == [
            f"'{url}' is served as 'application/x-gzip', not as application/gzip"
        ]


def test_skills_on_another_host_are_followed() -> None:
    with serving({"/v2/pay-invoice/SKILL.md": Page(CLEAN, MARKDOWN)}) as cdn:
        there = f"{cdn.url}/v2/pay-invoice/SKILL.md"
        with serving({INDEX: Page(index(entry(there)), JSON)}) as server:
            report = run(server.url)
            assert [s.path for s in report.skills] == [there]
            assert report.sites[0].unchecked == ()
            assert {f.rule for f in report.findings if f.level == "error"} == set()
        cdn.answers["/v2/pay-invoice/SKILL.md"] = Page(CLEAN + " ", MARKDOWN)
        with serving({INDEX: Page(index(entry(there)), JSON)}) as server:
            assert "index-digest" in {f.rule for f in run(server.url).findings}


def test_a_query_tells_two_files_apart() -> None:
    one, two = clean_skill("discovery"), clean_skill("discovery", "name: get-refund")
    listed = index(entry("/skill?name=pay-invoice", one), entry("/skill?name=get-refund", two, "get-refund"))
    answers = {INDEX: Page(listed, JSON)}
    with serving(answers) as server:
        server.answers["/skill?name=pay-invoice"] = Page(one, MARKDOWN)
        server.answers["/skill?name=get-refund"] = Page(two, MARKDOWN)
        report = run(server.url)
        assert sorted(skill.name or "" for skill in report.skills) == ["get-refund", "pay-invoice"]
        assert "index-digest" not in {f.rule for f in report.findings}


def test_an_origin_stands_for_the_site_that_is_checked_before_it_goes_public() -> None:
    listed = Page(index(entry("https://acme.example" + SKILL)), JSON)
    with serving(site({INDEX: listed})) as server:
        assert places(run(server.url, Config(origin="https://acme.example"))) == []
        assert SKILL in server.paths


def test_relative_addresses_are_seen_from_where_a_redirect_leads() -> None:
    moved = {"/v2/skills.txt": Page(SKILLS_TXT.replace("(/skills", "(skills"), PLAIN)}
    moved["/v2/skills/pay-invoice/SKILL.md"] = Page(CLEAN_WSP, MARKDOWN)
    with serving({"/skills.txt": Page("", {"Location": "/v2/skills.txt"}, 302), **moved}) as server:
        report = run(server.url)
        assert [s.path for s in report.skills] == [f"{server.url}/v2/skills/pay-invoice/SKILL.md"]
        assert "http-status" not in {f.rule for f in report.findings}


def test_a_host_that_has_moved_is_one_site_with_its_new_address() -> None:
    with serving(site()) as there, serving() as here:
        there.answers[INDEX] = Page(index(entry(there.url + SKILL)), JSON)
        here.answers["*"] = lambda handler: Handler.do_GET(moved(handler, there.url))
        report = run(here.url)
        found = [place for place in places(report, here.url) if place[0] != "url-unreachable"]
        assert found == [("http-redirect", "note", INDEX, 1, 1)]
        assert report.sites[0].origin == there.url
        assert report.sites[0].origin_reason == "where the address that was given redirects to"
        assert [skill.path for skill in report.skills] == [there.url + SKILL]
        assert SKILL not in here.paths


def moved(handler: Handler, there: str) -> Handler:
    """A handler that is about to redirect to the same path on another host."""
    handler.server.answers[handler.path] = Page("", {"Location": there + handler.path}, 301)
    return handler


def test_files_of_discovery_0_1_are_fetched_one_by_one() -> None:
    listed = '{"skills": [{"name": "pay-invoice", "description": "Pays.",\n"files": ["SKILL.md", "a.md", "b.md"]}]}\n'
    folder = "/.well-known/skills"
    answers = {
        f"{folder}/index.json": Page(listed, JSON),
        f"{folder}/pay-invoice/SKILL.md": Page(CLEAN, MARKDOWN),
        f"{folder}/pay-invoice/a.md": Page("# A\n", MARKDOWN),
    }
    with serving(answers) as server:
        report = run(server.url)
        found = [place for place in places(report, server.url) if place[1] == "error"]
        assert found == [("http-status", "error", f"{folder}/index.json", 2, 31)]


def test_pages_of_execution_are_asked_for_their_backlinks() -> None:
    skill = clean_skill("dualnova", "description: Pays an open invoice.")
    page = "<!doctype html>\n<html>\n<head><title>Pay</title></head></html>\n"
    with serving() as server:
        listed = DUALNOVA % (server.url, server.url + SKILL, server.url + "/pay")
        server.answers.update({INDEX: Page(listed, JSON), SKILL: Page(skill, MARKDOWN), "/pay": Page(page, JSON)})
        found = places(run(server.url), server.url)
        assert ("jsonld-backlink", "note", "/pay", 2, 1) in found


def test_robots_txt_and_llms_txt_are_judged_at_their_urls() -> None:
    robots = Page("User-agent: *\nDisallow: /.well-known/\n", PLAIN)
    with serving(site({"/robots.txt": robots, "/llms.txt": Page("# Acme\n", PLAIN)})) as server:
        report = run(server.url)
        assert ("robots-disallow", "warning", "/robots.txt", 2, 11) in places(report, server.url)
        assert SKILL not in server.paths
        assert [(u.url, u.line) for u in report.sites[0].unchecked] == [(SKILL, 4)]
        assert report.sites[0].unchecked[0].reason.startswith("robots.txt does not allow it")
        report = run(server.url, ignore_robots=True)
        assert SKILL in server.paths
        assert report.sites[0].unchecked == ()
        assert "http-status" not in {f.rule for f in report.findings}


def test_a_byte_order_mark_hides_no_line_of_robots_txt() -> None:
    with serving(site({"/robots.txt": Page("\ufeffUser-agent: *\nDisallow: /\n", PLAIN)})) as server:
        run(server.url)
        assert SKILL not in server.paths


def test_an_index_of_skills_that_are_all_elsewhere() -> None:
    with serving({"/pay-invoice/SKILL.md": Page(CLEAN, MARKDOWN)}, host="::1") as cdn:
        listed = Page(index(entry(f"{cdn.url}/pay-invoice/SKILL.md")), JSON)
        with serving({INDEX: listed}) as server:
            (message,) = messages(run([server.url, cdn.url]), "index-foreign")
            assert message == "the only skill is on '::1', not on '127.0.0.1'"


def test_files_to_which_skills_link_are_asked_for() -> None:
    links = "See [a](ref/a.md#x), [b](b.md), [it](/c.md), [there](../d.md). Run `python scripts/e.py`."
    text = CLEAN.replace("## Workflow", f"{links}\n\n## Workflow").replace(
        "\nname:", "\nlicense: See LICENSE.txt\nname:"
    )
    folder = SKILL.removesuffix("SKILL.md")
    beside = {folder + "ref/a.md": Page("# A\n", MARKDOWN), folder + "x.md": Page("# X\n", MARKDOWN)}
    with serving(
        site({INDEX: Page(index(entry(content=text)), JSON), SKILL: Page(text, MARKDOWN), **beside})
    ) as server:
        report = run(server.url)
        # of what nobody asked for nothing is said
        rules = [finding.rule for finding in report.findings]
        assert rules == ["index-type-resources", "link-broken", "link-sibling"]
        assert messages(report, "link-broken") == ["the link leads to nothing: there is no 'b.md'"]
        assert messages(report, "index-type-resources") == ["clients fetch SKILL.md alone, which links to 'ref/a.md'"]
        asked = [(method, path) for method, path, _ in server.asked if path.startswith(folder) and path != SKILL]
        assert sorted(asked) == [("HEAD", folder + "b.md"), ("HEAD", folder + "ref/a.md")]
        assert sum(method == "HEAD" for method, *_ in server.asked) == 4
        server.answers["*"] = Page("<!doctype html>", {})  # whatever is asked for is there: it tells nothing
        assert {finding.rule for finding in run(server.url).findings} == {"http-soft-404"}
        server.answers["*"] = Page("", {}, 405)  # nor does a refusal
        assert messages(run(server.url), "link-broken") == []
    folder = "/.well-known/skills/pay-invoice/"
    listed = '{"skills": [{"name": "pay-invoice", "description": "Pays.",\n"files": ["SKILL.md", "b.md"]}]}\n'
    answers = {
        "/.well-known/skills/index.json": Page(listed, JSON),
        **{folder + name: Page(text, MARKDOWN) for name in ("SKILL.md", "b.md", "ref/a.md", "x.md")},
    }
    with serving(answers) as server:
        (message,) = messages(run(server.url), "index-files-unlisted")
        assert message == "'files' leaves out 'ref/a.md', which clients then do not fetch"


def test_links_of_skills_without_a_folder_of_their_own_are_not_followed() -> None:
    text = CLEAN.replace("## Workflow", "See [it](missing.md).\n\n## Workflow")
    urls = "/SKILL.md", "/get?file=skills/pay-invoice/SKILL.md", "/old/pay-invoice/SKILL.md"
    listed = index(*(entry(url, text) for url in urls))
    answers = {INDEX: Page(listed, JSON), urls[0]: Page(text, MARKDOWN), urls[1]: Page(text, MARKDOWN)}
    moved = {urls[2]: Page("", {"Location": "/new/SKILL.md"}, 302), "/new/SKILL.md": Page(text, MARKDOWN)}
    with serving({**answers, **moved}) as server:
        report = run(server.url)
        assert len(report.skills) == 3
        assert not any("missing" in path for path in server.paths)
        assert {finding.rule for finding in report.findings}.isdisjoint({"link-broken", "name-directory"})


def test_a_file_of_another_convention_is_named_where_a_site_has_registries() -> None:
    other = Page("# Agent access\n\nContact: work@acme.example\n", PLAIN)
    with serving(site({"/agents.txt": other})) as server:
        assert places(run(server.url), server.url) == [("skills-txt-foreign", "note", "/agents.txt", 1, 1)]
        del server.answers[INDEX]
        assert places(run(server.url), server.url) == [("http-status", "error", INDEX, 1, 1)]
        server.answers |= site({"/agents.txt": Page("<!doctype html><title>Agents</title>", {})})
        assert places(run(server.url), server.url) == []


def test_robots_of_other_hosts_are_respected_and_asked_for_once() -> None:
    with serving({"/robots.txt": Page("User-agent: agentskills-lint\nDisallow: /\n", PLAIN)}) as cdn:
        listed = index(entry(cdn.url + "/a/SKILL.md"), entry(cdn.url + "/b/SKILL.md", name="b"))
        with serving({INDEX: Page(listed, JSON)}) as server:
            report = run(server.url)
            assert cdn.paths == ["/robots.txt"]
            assert len(report.sites[0].unchecked) == 2


def test_robots_of_a_host_to_which_a_redirect_leads_are_respected() -> None:
    with serving({"/robots.txt": Page("User-agent: *\nDisallow: /\n", PLAIN)}) as cdn, serving(site()) as server:
        server.answers[SKILL] = Page("", {"Location": f"{cdn.url}/pay.md"}, 302)
        report = run(server.url)
        assert cdn.paths == ["/robots.txt"]
        assert [unchecked.url for unchecked in report.sites[0].unchecked] == [SKILL]
        run(server.url, ignore_robots=True)
        assert "/pay.md" in cdn.paths


def test_a_robots_txt_that_fails_forbids_all() -> None:
    with serving(site({"/robots.txt": Page("", {}, 500)})) as server:
        report = run(server.url)
        assert SKILL not in server.paths
        assert [u.reason for u in report.sites[0].unchecked] == [
            "robots.txt answers 500, so nothing may be fetched (--ignore-robots does it)"
        ]


def test_more_skills_than_wanted_are_counted_as_not_checked() -> None:
    listed = index(entry(), entry("/b/SKILL.md", name="b"), entry("/c/SKILL.md", name="c"))
    with serving(site({INDEX: Page(listed, JSON)})) as server:
        report = run(server.url, max_skills=1)
        assert [u.url for u in report.sites[0].unchecked] == ["/b/SKILL.md", "/c/SKILL.md"]
        assert "/b/SKILL.md" not in server.paths
        assert "http-status" not in {f.rule for f in report.findings}


def test_a_site_with_nothing_is_one_finding() -> None:
    with serving() as server:
        report = run(server.url)
        assert places(report, server.url) == [("http-status", "error", INDEX, 1, 1)]
        assert messages(report, "http-status") == [
            f"the site has no index.json, skills.txt or agents.txt: '{INDEX}' answers 404 Not Found"
        ]
        report = run(server.url + "/skills.txt")
        assert places(report, server.url) == [("http-status", "error", "/skills.txt", 1, 1)]


def test_a_page_for_everything_is_no_registry() -> None:
    home = Page("<!doctype html><title>Acme</title>", {"Content-Type": "text/html"})
    with serving({"*": home}) as server:
        report = run(server.url)
        assert places(report, server.url) == [("http-soft-404", "error", INDEX, 1, 1)]
    with serving(site({"*": home})) as server:
        report = run(server.url)
        assert places(report, server.url) == [("http-soft-404", "error", INDEX, 1, 1)]
        assert [s.registries for s in report.sites] == [{INDEX[1:]: ("discovery",)}]


def test_addresses_in_llms_txt_and_pages_are_followed() -> None:
    llms = "# Acme\n\n- [Index](/.well-known/agent-skills/index.json)\n- [Gone](/skills/gone/SKILL.md)\n"
    with serving(site({"/llms.txt": Page(llms, PLAIN)})) as server:
        found = places(run(server.url), server.url)
        assert found == [("llms-txt-broken", "warning", "/llms.txt", 4, 10)]
    both = {"/llms.txt": Page(f"# Acme\n\n- [Pay]({SKILL})\n", PLAIN), SKILL: Page("", {}, 404)}
    with serving(site(both)) as server:  # one cause, one finding
        assert [place[0] for place in places(run(server.url))] == ["http-status"]


def test_several_sites_in_one_run() -> None:
    with serving(site()) as one, serving(wsp_site({"/skills/pay-invoice/SKILL.md": Page("", {}, 404)})) as two:
        report = run([one.url, two.url, one.url])
        assert [s.path for s in report.sites] == [one.url, two.url]
        assert places(report, two.url) == [("http-status", "error", "/skills.txt", 7, 20)]


def test_other_registries_that_fail_are_passed_over() -> None:
    with serving(site({"/skills.txt": Page("", {}, 500), "/agents.txt": Page("", {}, 403)})) as server:
        report = run(server.url)
        assert places(report) == []
        assert report.passed_over == (
            (server.url + "/agents.txt", "answers 403"),
            (server.url + "/skills.txt", "answers 500"),
        )


def test_ipv6() -> None:
    with serving(site(), host="::1") as server:
        assert server.url.startswith("http://[::1]:")
        assert places(run(server.url)) == []


def test_rules_do_not_know_a_live_site_from_a_tree() -> None:
    """The example with findings gives the same ones, at the same places, whether it is read or fetched."""
    root = Path(__file__).parents[2] / "examples" / "findings"
    types = {".json": JSON, ".md": MARKDOWN, ".txt": PLAIN}
    answers = {f"/{f.relative_to(root).as_posix()}": f for f in sorted(root.rglob("*")) if f.is_file()}
    tree = lint(project([str(root)]), Config(level="note"))
    (origin,) = (s.origin for s in tree.sites)
    with serving({path: Page(f.read_bytes(), types[f.suffix]) for path, f in answers.items()}) as server:
        live = run(server.url, Config(origin=origin))
    read = [
        (f.rule, f.level, f.location.file.removeprefix(str(root)), f.line, f.column, f.message) for f in tree.findings
    ]
    seen = [(f.rule, f.level, f.path.removeprefix(server.url), f.line, f.column, f.message) for f in live.findings]
    lost = {"index-target", "skills-txt-target"}  # http-status says what the server answers
    assert len(read) >= 8
    assert [place for place in seen if place[0] != "http-status"] == [place for place in read if place[0] not in lost]
    assert [place[:5] for place in seen if place[0] == "http-status"] == [
        ("http-status", *place[1:5]) for place in read if place[0] in lost
    ]


def test_fetched_documents_are_those_of_the_project() -> None:
    with serving(site()) as server:
        found = fetched(server.url)
        assert [d.location for d in found.documents] == [server.url + INDEX, server.url + SKILL]
        assert all(d.response is not None and d.response.status == 200 for d in found.documents)
