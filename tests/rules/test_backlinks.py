"""What llms.txt and the JSON-LD of pages say of skills."""

# a page a line is easier to compare than one in pieces
# ruff: noqa: E501

from __future__ import annotations

import json
import sys
import time

import pytest

from agentskills_lint.rules import backlinks
from agentskills_lint.sources import Memory
from tests.rules.test_hosting import (
    DISCOVERY_SITE,
    DUALNOVA_INDEX,
    DUALNOVA_SITE,
    INDEX,
    SKILL,
    WSP_SITE,
    found,
    places,
)
from tests.support import fixed, report_on

INDEX_URL = f"https://acme.example/{INDEX}"
SKILL_URL = f"https://acme.example/{SKILL}"
MISSING = "https://acme.example/.well-known/agent-skills/refund/SKILL.md"


def page(*values: object, head: str = "", key: str = "additionalProperty") -> str:
    properties = [{"@type": "PropertyValue", "name": "agent-skill", "value": value} for value in values]
    data = json.dumps({"@context": "https://schema.org", "@type": "WebPage", key: properties})
    return f'<!doctype html>\n<html><head>{head}\n<script type="application/ld+json">{data}</script>\n</head></html>\n'


DEMANDS = [
    # spec, section, rule, files, whether it is found
    ("Discovery 2: a section of llms.txt links the index", "llms-txt-reference", {"llms.txt": "# Acme\n"}, True),
    ("Discovery 2", "llms-txt-reference", {"llms.txt": f"# Acme\n\n## Agent skills\n\n- Skill index: {INDEX_URL}\n"}, False),
    ("seed: a sentence names the index", "llms-txt-reference", {"llms.txt": f"# Acme\n\n(see also: {INDEX_URL})\n"}, False),
    ("Relationship: llms.txt links the index", "llms-txt-reference", {"llms.txt": f"# Acme\n\n- [Pay]({SKILL_URL})\n"}, True),
    ("Discovery 2: it links the skills as well", "llms-txt-broken", {"llms.txt": f"# Acme\n\n- Pay: {MISSING}\n"}, True),
    ("Discovery 2", "llms-txt-broken", {"llms.txt": f"# Acme\n\n- Pay: {SKILL_URL}\n"}, False),
    ("Discovery 3: the page points to the SKILL.md", "jsonld-backlink", {"appointment.html": page(INDEX_URL)}, True),
    ("Discovery 3: and to the index", "jsonld-backlink", {"appointment.html": page(SKILL_URL)}, True),
    ("Discovery 3: both", "jsonld-backlink", {"appointment.html": page(SKILL_URL, INDEX_URL)}, False),
    ("Relationship: the page points to the SKILL.md", "jsonld-backlink", {"appointment/index.html": "<p>x"}, True),
    ("Discovery 3: pointing to something", "jsonld-wrong", {"appointment.html": page(MISSING)}, True),
]  # fmt: skip


@pytest.mark.parametrize(("section", "rule", "files", "expected"), DEMANDS)
def test_demands(section: str, rule: str, files: dict[str, str | bytes], expected: bool) -> None:
    assert bool(found(DUALNOVA_SITE, rule, files)) is expected


# --------------------------------------------------------------------------------------------
# llms.txt


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("# Acme\n", f"\n## Agent skills\n\n- [Skill index]({INDEX_URL})\n"),
        ("# Acme", f"\n\n## Agent skills\n\n- [Skill index]({INDEX_URL})\n"),
        ("# Acme\r\n", f"\r\n## Agent skills\r\n\r\n- [Skill index]({INDEX_URL})\r\n"),
    ],
)
def test_the_fix_adds_a_section(text: str, added: str) -> None:
    (finding,) = found(DUALNOVA_SITE, "llms-txt-reference", {"llms.txt": text})
    assert places([finding]) == [("llms.txt", "note", 1, 1, 7)]
    assert finding.message == f"llms.txt does not mention the index of the skills, '{INDEX_URL}'"
    assert finding.fix is not None
    assert not finding.fix.safe
    assert fixed(text, finding) == text + added
    assert found(DUALNOVA_SITE, "llms-txt-reference", {"llms.txt": text + added}) == []


@pytest.mark.parametrize(
    "text",
    [
        f"# A\n\nSkills: `/{INDEX}`\n",
        "# A\n\nSkills live below https://acme.example/.well-known/agent-skills/.\n",
        "# A\n\n[skills](/.well-known/agent-skills)\n",
        "",
        b"\xff\xfe#\0",
    ],
)
def test_any_mention_of_the_index_will_do(text: str | bytes) -> None:
    assert found(DUALNOVA_SITE, "llms-txt-reference", {"llms.txt": text}) == []


def test_only_dualnova_asks_for_a_reference() -> None:
    assert found(DISCOVERY_SITE, "llms-txt-reference", {"llms.txt": "# Acme\n"}) == []
    assert found(WSP_SITE, "llms-txt-reference", {"llms.txt": "# Acme\n"}) == []
    assert found(DUALNOVA_SITE, "llms-txt-reference", {}) == []


def test_a_dead_link_is_a_warning_at_its_address() -> None:
    text = f"# Acme\n\n- [Pay]({MISSING} 'x'): y\n- see <{MISSING}>, {MISSING}.\n"
    findings = found(DUALNOVA_SITE, "llms-txt-broken", {"llms.txt": text})
    assert places(findings) == [
        ("llms.txt", "warning", 3, 9, 70),
        ("llms.txt", "warning", 4, 8, 69),
        ("llms.txt", "warning", 4, 72, 133),
    ]
    assert findings[0].message == f"{MISSING[:59]!r} leads to no file of the site".replace(
        MISSING[:59], MISSING[:59] + "…"
    )


def test_a_near_path_is_offered() -> None:
    text = f"# Acme\n\n- [Pay]({SKILL_URL.replace('invoice', 'invoices')})\n"
    (finding,) = found(DUALNOVA_SITE, "llms-txt-broken", {"llms.txt": text})
    assert finding.hint == f"did you mean '/{SKILL}'?"


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://raw.githubusercontent.com/acme/x/main/skills/pay/SKILL.md)",
        "[page](https://acme.example/developers/skill.md)",
        "[page](/docs/pay.md) [catalog](/.well-known/api-catalog) [card](/.well-known/mcp/server-card.json)",
        "https://acme.example/.well-known/agent-skills/<name>/SKILL.md",
        "https://acme.example/.well-known/agent-skills/{name}/SKILL.md",
        "[x](/.well-known/agent-skills/:name/SKILL.md) [y](/skills/*/SKILL.md)",
        "```\nhttps://acme.example/.well-known/agent-skills/refund/SKILL.md\n```",
        "    https://acme.example/.well-known/agent-skills/refund/SKILL.md",
        f"[ok]({SKILL_URL}#pay) [ok]({SKILL_URL}?v=1) [ok](/{SKILL}) [ok](./{INDEX})",
        "![x](/refund/SKILL.md)",
        "https://acme.example/.well-known/agent-skills/",
        "the file /skills/refund/SKILL.md",
    ],
)
def test_links_that_are_no_business_of_ours(text: str) -> None:
    assert found(DUALNOVA_SITE, "llms-txt-broken", {"llms.txt": f"# Acme\n\n{text}\n"}) == []


def test_what_the_index_lacks_is_told_there_alone() -> None:
    index = json.dumps(DUALNOVA_INDEX).replace("pay-invoice/SKILL.md", "refund/SKILL.md")
    text = f"# Acme\n\n- {MISSING}\n"
    assert found(DUALNOVA_SITE, "llms-txt-broken", {INDEX: index, "llms.txt": text}) == []
    site: dict[str, str | bytes] = {SKILL: DUALNOVA_SITE[SKILL], "CNAME": "acme.example\n"}
    assert found(site, "llms-txt-broken", {"llms.txt": f"# Acme\n\n- {INDEX_URL}\n"}) == []


def test_without_an_origin_absolute_addresses_are_not_judged() -> None:
    text = f"# Acme\n\n- {MISSING}\n- [x](/skills/refund/SKILL.md)\n"
    assert [f.line for f in found(WSP_SITE, "llms-txt-broken", {"llms.txt": text})] == [4]


# --------------------------------------------------------------------------------------------
# JSON-LD


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"appointment.html": page(INDEX_URL)}, [("appointment.html", "note", 3, 1, 8)]),
        ({"appointment.html": "<!doctype html>\n<HTML lang=en>\n"}, [("appointment.html", "note", 2, 1, 6)]),
        ({"appointment/index.html": "<p>Book</p>\n"}, [("appointment/index.html", "note", 1, 1, 12)]),
        ({"appointment": "x", "index.html": "<p>"}, []),
        ({"appointment.html": page(f"/{SKILL}", ".well-known/agent-skills/index.json")}, []),
        ({"appointment.html": page([{"@id": SKILL_URL}, {"url": INDEX_URL}])}, []),
        ({"appointment.html": page(SKILL_URL, INDEX_URL, key="schema:additionalProperty")}, []),
        ({"appointment.html": page(SKILL_URL, INDEX_URL, key="sameAs")}, [("appointment.html", "note", 3, 1, 8)]),
        ({"appointment.html": page(SKILL_URL).replace("<script", "<script>x=1</script><script")}, [("appointment.html", "note", 3, 21, 28)]),
    ],
)  # fmt: skip
def test_backlinks(files: dict[str, str | bytes], expected: list[tuple[str, str, int, int, int]]) -> None:
    assert places(found(DUALNOVA_SITE, "jsonld-backlink", files)) == expected


def test_the_message_names_what_is_lacking() -> None:
    (finding,) = found(DUALNOVA_SITE, "jsonld-backlink", {"appointment.html": "<p>"})
    assert finding.message == "no additionalProperty in JSON-LD points to the skill 'pay-invoice' and to the index"
    assert [location.path for location, _ in finding.related] == [INDEX]


def test_the_url_of_the_skill_tells_the_page_too() -> None:
    from tests.support import clean_skill

    index = {**DUALNOVA_INDEX, "skills": [{**DUALNOVA_INDEX["skills"][0]}]}  # type: ignore[dict-item]
    del index["skills"][0]["execution_url"]  # type: ignore[attr-defined]
    files: dict[str, str | bytes] = {
        INDEX: json.dumps(index),
        SKILL: clean_skill("dualnova", "url: https://acme.example/pay"),
        "pay.html": "<p>",
    }
    assert [f.path for f in found(DUALNOVA_SITE, "jsonld-backlink", files)] == ["pay.html"]


def test_a_dead_pointer_is_told_at_its_value() -> None:
    text = page(MISSING, INDEX_URL)
    (finding,) = found(DUALNOVA_SITE, "jsonld-wrong", {"index.html": text})
    assert (finding.level, finding.line) == ("warning", 3)
    assert text[finding.span.start : finding.span.end] == f'"{MISSING}"'


def test_places_hold_behind_windows_line_ends_and_wide_characters() -> None:
    text = page(MISSING, head="<title>\u00e9\U0001f600</title>").replace("\n", "\r\n").replace(">{", ">\r\n \r\n{")
    (finding,) = found(DUALNOVA_SITE, "jsonld-wrong", {"docs/a.html": text})
    assert text[finding.span.start : finding.span.end] == f'"{MISSING}"'
    assert finding.line == 5


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('{"a": "agent-skills",}', "no parser reads this JSON-LD: it has a comma before the closing bracket"),
        ('{"a": "agent-skills"', "no parser reads this JSON-LD: it has a bracket that is never closed"),
        ("{'a': 'SKILL.md'}", "no parser reads this JSON-LD: it has something else where a key in double quotes should be"),
        ('{"a": agent-skills}', "no parser reads this JSON-LD: it has something here that is no JSON value"),
        ('{"a": "b",}', None),
        ('{{ page.ld | jsonify }} "agent-skills"', None),
        ('<!-- {"a": "agent-skills",} -->', None),
        ("  ", None),
        ("[" * 5_000 + '"agent-skills"' + "]" * 5_000, None),
    ],
)  # fmt: skip
def test_json_ld_that_cannot_be_read(script: str, expected: str | None) -> None:
    for kind in ("application/ld+json", "APPLICATION/LD+JSON"):
        text = f'<title>x</title><script type="{kind}">{script}</script>'
        findings = found(DUALNOVA_SITE, "jsonld-wrong", {"index.html": text})
        assert [f.message for f in findings] == ([expected] if expected else [])


def test_on_an_execution_page_any_fault_is_told_and_nothing_else() -> None:
    text = '<script type="application/ld+json">{"a": "b",}</script>'
    assert [f.line for f in found(DUALNOVA_SITE, "jsonld-wrong", {"appointment.html": text})] == [1]
    assert found(DUALNOVA_SITE, "jsonld-backlink", {"appointment.html": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        f'<!-- <script type="application/ld+json">{{"additionalProperty": "{MISSING}"}}</script> -->',
        f'<script>var x = \'<script type="application/ld+json">{{"additionalProperty": "{MISSING}"}}\'</script>',
        f'<script type="application/json">{{"additionalProperty": "{MISSING}", "ld+json": 1}}</script>',
        f'<script type="application/ld+json">{{"description": "{MISSING}"}}</script>',
        '<script type="application/ld+json">{"additionalProperty": {"value": "see SKILL.md of agent-skills"}}</script>',
        '<script type="application/ld+json">{"additionalProperty": {"value": 5, "name": "agent-skills"}}</script>',
        f'<script type="application/ld+json">{{"additionalProperty": "{SKILL_URL}"}}</script>',
        '<base href="https://cdn.example/"><script type="application/ld+json">{"additionalProperty": "x/SKILL.md"}</script>',
        '<script type="application/ld+json">{"additionalProperty": "https://other.example/x/SKILL.md"}</script>',
        f'<script type="application/ld+json">{{"additionalProperty": "{MISSING}"}}'.replace("refund", "{id}"),
    ],
)  # fmt: skip
def test_what_is_no_pointer_passes(text: str) -> None:
    assert found(DUALNOVA_SITE, "jsonld-wrong", {"index.html": text}) == []


@pytest.mark.parametrize(
    "tag", ["<SCRIPT TYPE='application/LD+json'>", "<script\nid='a>b'\ntype=application/ld+json >"]
)
def test_start_tags_are_read_as_html(tag: str) -> None:
    text = f'{tag}{{"additionalProperty": "{MISSING}"}}</ScRiPt >'
    if "LD+" in tag:
        text = f"<!-- ld+json -->{text}"
    findings = found(DUALNOVA_SITE, "jsonld-wrong", {"index.html": text})
    assert [text[f.span.start : f.span.end] for f in findings] == [f'"{MISSING}"']


def test_other_pages_are_read_where_they_speak_of_skills() -> None:
    files: dict[str, str | bytes] = {f"p{number:04}.html": "<p>" for number in range(50)}
    files |= {"a/b.html": page(MISSING), "a/c.html": page("https://acme.example/x"), "d.txt": page(MISSING)}
    assert [f.path for f in found(DUALNOVA_SITE, "jsonld-wrong", files)] == ["a/b.html"]


@pytest.mark.parametrize(
    "text",
    [
        "<div>" * 900_000 + page(MISSING),
        "<a " + " ".join(f"a{number}" for number in range(500_000)) + ">" + page(MISSING),
        "<script type=application/ld+json>{}</script>" * 100_000,
        "<script type=application/ld+json " * 140_000,
        "<!--" * 1_000_000,
        page(MISSING).replace("[", "[" * 1_000_000, 1),
        '<script type="application/ld+json">{"additionalProperty": [' + '"a/SKILL.md",' * 300_000 + "1]}</script>",
        '<script type="application/ld+json">' + '{"additionalProperty":' * 60 + "1" + "}" * 60,
    ],
    ids=range(8),
)
def test_hostile_pages_take_bounded_time(text: str) -> None:
    started = time.perf_counter()
    found(DUALNOVA_SITE, "jsonld-wrong", {"index.html": text})
    assert time.perf_counter() - started < 20


# --------------------------------------------------------------------------------------------
# Limits

HUGE = [
    "robots.txt", "llms.txt", "_headers", "vercel.json", "netlify.toml", "staticwebapp.config.json", "_config.yml",
    "Gemfile", "index.html", "other.html", "appointment.html", "firebase.json", ".vercelignore", "CNAME",
]  # fmt: skip


def test_huge_files_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    plain_read, plain_status = Memory.read, Memory.status

    def reading(self: Memory, path: str, limit: int = sys.maxsize) -> bytes:
        if path.endswith(tuple(f"/{name}" for name in HUGE)) and limit < 3_000_000_000:
            raise OSError("too large")
        read.append(path.rpartition("/")[2])
        return plain_read(self, path, limit)

    def status(self: Memory, path: str) -> tuple[str, int]:
        kind, size = plain_status(self, path)
        return kind, 3_000_000_000 if path.endswith(tuple(f"/{name}" for name in HUGE)) else size

    monkeypatch.setattr(Memory, "read", reading)
    monkeypatch.setattr(Memory, "status", status)
    report = report_on(DUALNOVA_SITE | WSP_SITE | {name: page(MISSING) for name in HUGE})
    assert report.crashed == 0
    assert "skills.txt" in read
    assert sorted(set(read) & set(HUGE)) == []


@pytest.mark.parametrize(("name", "value"), [("MAX_PAGES", 3), ("MAX_PAGE_BYTES", 900), ("MAX_BYTES", 100)])
def test_the_pages_that_are_read_are_bounded(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes] = {f"p{n}.html": page(MISSING) for n in range(9)}
    assert len(found(DUALNOVA_SITE, "jsonld-wrong", files)) == 9
    monkeypatch.setattr(backlinks, name, value)
    assert len(found(DUALNOVA_SITE, "jsonld-wrong", files)) < 4


def test_the_index_in_another_folder_is_told_once() -> None:
    text = "# Acme\n\n> B.\n\n- [Skills](https://acme.example/.well-known/skills/index.json)\n"
    report = report_on({**DUALNOVA_SITE, "llms.txt": text}, origin="https://acme.example")
    assert [f.rule for f in report.findings if f.path == "llms.txt"] == ["llms-txt-broken"]
