"""The rules about what only HTTP shows, on answers that are written down; tests/live has the servers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agentskills_lint.model import Finding
from tests.support import clean_skill, report_on

SITE = "https://acme.example"
INDEX = f"{SITE}/.well-known/agent-skills/index.json"
SKILL = f"{SITE}/.well-known/agent-skills/pay-invoice/SKILL.md"
TXT = f"{SITE}/skills.txt"
WSP_SKILL = f"{SITE}/skills/pay-invoice/SKILL.md"

JSON = "Content-Type: application/json\nCache-Control: max-age=3600\nAccess-Control-Allow-Origin: *\n"
MARKDOWN = "Content-Type: text/markdown; charset=utf-8\nCache-Control: max-age=86400\nAccess-Control-Allow-Origin: *\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\nCache-Control: max-age=3600\n"

DISCOVERY_INDEX = """{
"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
"skills": [
{"url": "URL", "name": "pay-invoice"}
]}
"""
DUALNOVA_INDEX = """{
"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example",
"skills": [
{"url": "URL", "name": "pay-invoice", "title": "Pay", "description": "Pays."}
]}
"""
SKILLS_TXT = """# Acme

> Invoices.

## Skills

- [Pay](/skills/pay-invoice/SKILL.md): Pays an open invoice.
"""


def http(headers: str, body: str) -> str:
    return f"{headers}\n{body}"


def without(headers: str, name: str, value: str | None = None) -> str:
    """Headers without one of them, or with another value of it."""
    lines = [line for line in headers.splitlines() if not line.startswith(f"{name}:")]
    return "".join(f"{line}\n" for line in [*lines, *([f"{name}: {value}"] if value is not None else [])])


def discovery(index: str = JSON, skill: str = MARKDOWN, url: str = SKILL) -> dict[str, str]:
    return {
        INDEX: http(index, DISCOVERY_INDEX.replace("URL", url)),
        SKILL: http(skill, clean_skill("discovery")),
    }


def dualnova(index: str = JSON, skill: str = MARKDOWN) -> dict[str, str]:
    return {
        INDEX: http(index, DUALNOVA_INDEX.replace("URL", SKILL)),
        SKILL: http(skill, clean_skill("dualnova")),
    }


def wsp(txt: str = PLAIN, skill: str = MARKDOWN) -> dict[str, str]:
    return {TXT: http(txt, SKILLS_TXT), WSP_SKILL: http(skill, clean_skill("wsp"))}


def found(answers: Mapping[str, str], code: str = "SKL94,SKL950") -> list[Finding]:
    return [f for f in report_on(answers).findings if f.code in ("SKL950",) or f.code.startswith("SKL94")]


def brief(answers: Mapping[str, str]) -> list[tuple[str, str, str, int, int]]:
    return [(f.rule, f.level, f.path.removeprefix(SITE), f.line, f.column) for f in found(answers)]


AT_INDEX = ("/.well-known/agent-skills/index.json", 1, 1)
AT_URL = ("/.well-known/agent-skills/index.json", 4, 9)
AT_TXT = ("/skills.txt", 1, 1)
AT_LINK = ("/skills.txt", 7, 9)

# (spec, section, answers, expected): each fails without the rule
DEMANDS = [
    ("wsp", "10.1", wsp(txt=without(PLAIN, "Content-Type", "application/pdf")),
     ("http-content-type", "error", *AT_TXT)),
    ("wsp", "10.1", {TXT: wsp()[TXT]}, ("http-status", "error", *AT_LINK)),
    ("wsp", "3.1", {f"{SITE}/": "\n"}, ("http-status", "error", *AT_INDEX)),
    ("wsp", "8.1", wsp(txt=without(PLAIN, "Cache-Control")), ("http-cache", "warning", *AT_TXT)),
    ("wsp", "8.1", wsp(skill=without(MARKDOWN, "Cache-Control")), ("http-cache", "warning", *AT_LINK)),
    ("wsp", "8.1", wsp(txt=without(PLAIN, "Cache-Control", "max-age=30")),
     ("http-cache-duration", "note", *AT_TXT)),
    ("wsp", "8.1", wsp(skill=without(MARKDOWN, "Cache-Control", "private, max-age=86400")),
     ("http-cache-duration", "note", *AT_LINK)),
    ("wsp", "App. C", wsp(skill=without(MARKDOWN, "Content-Type", "text/plain; charset=utf-8")),
     ("http-media-type", "note", *AT_LINK)),
    ("wsp", "App. C", wsp(txt=without(PLAIN, "Content-Type", "text/plain")), ("http-media-type", "note", *AT_TXT)),
    ("wsp", "11.2", {url.replace("https:", "http:"): text for url, text in wsp().items()},
     ("http-insecure", "warning", "http://acme.example/skills.txt", 1, 1)),
    ("dualnova", "Discovery", {INDEX: dualnova()[INDEX]}, ("http-status", "error", *AT_URL)),
    ("dualnova", "CORS", dualnova(index=without(JSON, "Access-Control-Allow-Origin")),
     ("http-cors", "warning", *AT_INDEX)),
    ("dualnova", "CORS", dualnova(skill=without(MARKDOWN, "Access-Control-Allow-Origin")),
     ("http-cors", "warning", *AT_URL)),
    ("discovery", "HTTP", discovery(index=without(JSON, "Content-Type", "text/plain")),
     ("http-content-type", "error", *AT_INDEX)),
    ("discovery", "HTTP", discovery(skill=without(MARKDOWN, "Content-Type", "application/octet-stream")),
     ("http-content-type", "error", *AT_URL)),
    ("discovery", "HTTP", {INDEX: discovery()[INDEX]}, ("http-status", "error", *AT_URL)),
    ("discovery", "HTTP", discovery(index=JSON + "HEAD: 405\n"), ("http-head", "error", *AT_INDEX)),
    ("discovery", "HTTP", discovery(skill=MARKDOWN + "HEAD: 501\n"), ("http-head", "error", *AT_URL)),
    ("discovery", "HTTP", {**discovery(), f"{SITE}/*": "Content-Type: text/html\n\n<!doctype html>\n"},
     ("http-soft-404", "error", *AT_INDEX)),
    ("discovery", "HTTP", discovery(index=without(JSON, "Cache-Control")), ("http-cache", "warning", *AT_INDEX)),
    ("discovery", "HTTP", discovery(index=without(JSON, "Access-Control-Allow-Origin")),
     ("http-cors", "warning", *AT_INDEX)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "expected"),
    [pytest.param(*demand[2:], id=f"{demand[0]} {demand[1]} {demand[3][0]}") for demand in DEMANDS],
)
def test_demand(answers: dict[str, str], expected: tuple[str, str, str, int, int]) -> None:
    assert brief(answers) == [expected]


@pytest.mark.parametrize("answers", [discovery(), dualnova(), wsp()])
def test_what_is_served_well(answers: dict[str, str]) -> None:
    assert brief(answers) == []


@pytest.mark.parametrize(
    "answers",
    [
        discovery(index=without(JSON, "Content-Type", "Application/JSON; charset=UTF-8")),
        discovery(skill=without(MARKDOWN, "Content-Type", "text/plain")),
        discovery(index=without(JSON, "Access-Control-Allow-Origin", "https://agent.example")),
        dualnova(index=without(without(JSON, "Content-Type", "text/plain"), "Cache-Control")),
        dualnova(skill=without(MARKDOWN, "Content-Type", "application/octet-stream")),
        wsp(txt=without(PLAIN, "Content-Type", "text/markdown;charset=UTF-8")),
        wsp(txt=without(PLAIN, "Content-Type", 'text/plain; charset="utf-8"')),
        wsp(txt=without(PLAIN, "Cache-Control", "public, s-maxage=3600, max-age=60")),
        wsp(txt=without(PLAIN, "Cache-Control", "max-age=900")),
        wsp(txt=without(PLAIN, "Cache-Control", "max-age=14400, must-revalidate")),
        {url.replace("https://acme.example", "http://localhost:8000"): text for url, text in wsp().items()},
        {url.replace("https://acme.example", "http://127.0.0.1"): text for url, text in wsp().items()},
        {url.replace("https://acme.example", "http://[::1]"): text for url, text in wsp().items()},
    ],
)
def test_look_alikes_pass(answers: dict[str, str]) -> None:
    assert brief(answers) == []


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ("Content-Type: text/html", "'/skills.txt' is served as 'text/html', not as text/markdown or text/plain"),
        ("", "'/skills.txt' has no Content-Type: it should be text/markdown or text/plain"),
    ],
)
def test_wrong_types_are_named(headers: str, said: str) -> None:
    answers = wsp(txt=f"{headers}\nCache-Control: max-age=3600\n".lstrip("\n"))
    assert [f.message for f in found(answers)] == [said]


def test_one_fault_of_a_server_is_one_finding() -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    entries = "".join(f"- [{n}](/skills/{n}/SKILL.md): Does {n}.\n" for n in names)
    plain, markdown = without(PLAIN, "Cache-Control"), without(MARKDOWN, "Cache-Control")
    answers = {TXT: http(plain, f"# Acme\n\n> Letters.\n\n## Skills\n\n{entries}")}
    answers |= {f"{SITE}/skills/{n}/SKILL.md": http(markdown, clean_skill("wsp", f"name: {n}")) for n in names}
    (finding,) = found(answers)
    assert (finding.line, finding.column) == (1, 1)
    assert finding.message == "'/skills.txt' is served without Cache-Control (and 6 more)"
    assert [(place.line, place.column) for place, _ in finding.related] == [(7, 7), (8, 7), (9, 7)]
    answers[TXT] = answers[TXT].replace("charset=utf-8\n", "charset=utf-8\nCache-Control: max-age=3600\n", 1)
    (finding,) = found(answers)
    assert (finding.line, finding.column) == (7, 7)
    assert finding.message == f"'{SITE}/skills/a/SKILL.md' is served without Cache-Control (and 5 more)"


@pytest.mark.parametrize(
    ("get", "head", "said"),
    [
        (JSON, "HEAD: 404\n", "answers GET with 200 and HEAD with 404"),
        (JSON, "HEAD: 200\n", None),
    ],
)
def test_head_is_compared_with_get(get: str, head: str, said: str | None) -> None:
    expected = [] if said is None else [f"'/.well-known/agent-skills/index.json' {said}"]
    assert [f.message for f in found(discovery(index=get + head))] == expected


def test_redirects() -> None:
    def moved(*hops: str) -> dict[str, str]:
        answers = wsp()
        del answers[WSP_SKILL]
        for one, other in zip((WSP_SKILL, *hops), hops, strict=False):
            answers[one] = f"Location: {other}\n\n"
        answers[hops[-1]] = wsp()[WSP_SKILL]
        return answers

    assert brief(moved(f"{SITE}/1", f"{SITE}/2", f"{SITE}/3")) == []
    assert [f.message for f in found(moved(*(f"{SITE}/{n}" for n in range(4))))] == [
        f"'{WSP_SKILL}' is reached after 4 redirects"
    ]
    (finding,) = found(moved("https://cdn.example/x/SKILL.md"))
    assert (finding.rule, finding.level, finding.line, finding.column) == ("http-redirect", "note", *AT_LINK[1:])
    assert finding.message == f"'{WSP_SKILL}' redirects to another host, 'cdn.example'"
    assert [f.message for f in found(moved("http://acme.example/x", f"{SITE}/y"))] == [
        f"'{WSP_SKILL}' redirects to http on its way"
    ]
    assert [f.message for f in found(moved("http://acme.example/x"))] == [f"'{WSP_SKILL}' redirects to http"]


def test_an_insecure_address_is_said_once() -> None:
    plain = WSP_SKILL.replace("https:", "http:")
    answers = {TXT: wsp()[TXT].replace("(/skills/pay-invoice/SKILL.md)", f"({plain})"), plain: wsp()[WSP_SKILL]}
    (finding,) = (f for f in report_on(answers).findings if "insecure" in f.rule)
    assert (finding.rule, finding.line, finding.column) == ("url-insecure", 7, 9)


def test_nothing_is_said_of_a_tree() -> None:
    tree = {"skills.txt": SKILLS_TXT, "skills/pay-invoice/SKILL.md": clean_skill("wsp")}
    assert found(tree) == []
