"""The engine on small rules of its own: prerequisites, parameters, levels, failures, fingerprints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.documents import Document, Skill
from agentskills_lint.engine import _Cover, lint
from agentskills_lint.model import Edit, Fix, Problem, Related, Report, Span
from agentskills_lint.registries import Index, SkillsTxt
from agentskills_lint.rule import Ask, Clause, Rule, advice, load_rules, may, must, should
from agentskills_lint.site import Project, Site
from agentskills_lint.trees import Node
from tests.support import skill_text

URL = "https://example.org/"
INTERNAL = tuple(rule for rule in load_rules() if rule.id == "internal-error")


def make(
    id: str,
    code: str,
    check: Callable[..., Any],
    at: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
    asked_by: dict[str, Clause] | None = None,
    on: type = Skill,
    **kinds: bool,
) -> Rule:
    return Rule(id, code, on, at, needs, None, asked_by or {"advice": advice("warning")}, check, **kinds)


def run(rules: list[Rule], text: str | bytes, path: str = "pay/SKILL.md", **settings: Any) -> Report:
    return lint(memory_project({path: text}), Config(level="note", **settings), (*rules, *INTERNAL))


def told(report: Report) -> list[tuple[str, str, int]]:
    return [(f.rule, f.message, f.line) for f in report.findings]


def every_node(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    yield Problem(node, node.value or node.kind)


def capitals(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    if node.value.isupper():
        yield Problem(node, "capitals")


TEXT = skill_text("name: PAY\ndescription: pay\nlanguages: [EN, de]\nrate_limit:\n  agent: FAST\n  api: slow")


@pytest.mark.parametrize(
    ("selectors", "messages"),
    [
        (("name",), ["PAY"]),
        (("missing", "description"), ["pay"]),
        (("languages[]",), ["EN", "de"]),
        (("languages",), ["list"]),
        (("name[]",), []),
        (("rate_limit.agent",), ["FAST"]),
        (("rate_limit.*",), ["FAST", "slow"]),
        (("*",), ["PAY", "pay", "list", "map"]),
    ],
)
def test_selectors(selectors: tuple[str, ...], messages: list[str]) -> None:
    assert [f.message for f in run([make("all", "SKL100", every_node, selectors)], TEXT).findings] == messages


def test_a_prerequisite_silences_the_node_and_no_other() -> None:
    first = make("first", "SKL101", capitals, ("*", "languages[]"))
    second = make("second", "SKL100", every_node, ("name", "description", "languages[]"), ("first",))
    assert told(run([first, second], TEXT)) == [
        ("first", "capitals", 2),
        ("second", "pay", 3),
        ("first", "capitals", 4),
        ("second", "de", 4),
    ]


def test_prerequisites_are_transitive_and_run_though_nobody_selects_them() -> None:
    first = make("first", "SKL101", capitals, ("*",))
    second = make("second", "SKL102", lambda node, skill, ask: iter(()), ("name",), ("first",))
    third = make("third", "SKL103", every_node, ("name", "description"), ("second",))
    report = run([first, second, third], TEXT, select=("third",))
    assert told(report) == [("third", "pay", 3)]


def test_a_prerequisite_that_no_active_spec_asks_for_silences_nothing() -> None:
    first = make("first", "SKL101", capitals, ("name",), asked_by={"wsp": must(URL)})
    second = make("second", "SKL102", every_node, ("name",), ("first",))
    assert told(run([first, second], TEXT, spec=("agentskills",))) == [("second", "PAY", 2)]
    assert told(run([first, second], TEXT, spec=("wsp",))) == [("first", "capitals", 2)]


def test_a_rule_without_selector_is_silenced_in_the_document() -> None:
    first = make("first", "SKL101", capitals, ("name",))
    second = make("second", "SKL102", lambda skill, ask: [Problem(skill.anchor, "whole")], (), ("first",))
    assert told(run([first, second], TEXT)) == [("first", "capitals", 2)]
    assert told(run([first, second], TEXT.replace("PAY", "pay"))) == [("second", "whole", 1)]


def longer_than(skill: Skill, ask: Ask) -> Iterator[Problem]:
    if len(skill.body_text) > ask.max:
        yield Problem(Span(ask.max, ask.max + 1), f"over {ask.max}")


LIMITS = {"wsp": should(URL, max=20), "dualnova": must(URL, max=40), "agentskills": may(URL, max=60)}


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (10, []),
        (30, [("over 20", "warning", ["wsp"])]),
        (50, [("over 40", "error", ["wsp", "dualnova"])]),
        (70, [("over 40", "error", ["wsp", "dualnova", "agentskills"])]),
    ],
)
def test_of_several_limits_the_strongest_clause_speaks_for_all(size: int, expected: list[Any]) -> None:
    rule = make("limit", "SKL100", longer_than, asked_by=LIMITS)
    report = run([rule], skill_text("name: pay", "x" * size), spec=("wsp", "dualnova", "agentskills"))
    assert [(f.message, f.level, [d.spec for d in f.demands]) for f in report.findings] == expected


def test_equal_levels_take_the_first_clause() -> None:
    clauses = {"wsp": should(URL, max=20), "dualnova": should(URL, max=40)}
    rule = make("limit", "SKL100", longer_than, asked_by=clauses)
    report = run([rule], skill_text("name: pay", "x" * 90), spec=("wsp", "dualnova"))
    assert [(f.message, [str(d) for d in f.demands]) for f in report.findings] == [
        ("over 20", ["wsp SHOULD", "dualnova SHOULD"])
    ]


def test_clauses_with_equal_parameters_share_the_strongest_level() -> None:
    clauses = {"agentskills": may(URL), "wsp": must(URL), "dualnova": should(URL)}
    rule = make("all", "SKL100", every_node, ("name",), asked_by=clauses)
    report = run([rule], TEXT, spec=("agentskills", "dualnova"))
    assert [(f.level, [str(d) for d in f.demands]) for f in report.findings] == [
        ("warning", ["agentskills MAY", "dualnova SHOULD"])
    ]


def test_the_configured_level_wins_and_off_silences() -> None:
    rule = make("all", "SKL100", every_node, ("name",))
    assert [f.level for f in run([rule], TEXT, levels={"all": "error"}).findings] == ["error"]
    assert run([rule], TEXT, levels={"all": "off"}).findings == ()


def broken(skill: Skill, ask: Ask) -> Iterator[Problem]:
    yield Problem(skill.anchor, "before")
    raise ZeroDivisionError("of mine")


def test_case_120_a_failing_rule_is_a_finding_and_the_others_go_on() -> None:
    report = run([make("broken", "SKL100", broken), make("all", "SKL101", every_node, ("name",))], TEXT)
    assert told(report) == [
        (
            "internal-error",
            "rule 'broken' failed: ZeroDivisionError: of mine; this is a bug of agentskills-lint",
            1,
        ),
        ("all", "PAY", 2),
    ]
    assert report.crashed == 1


def test_a_span_outside_the_text_is_a_failure_of_the_rule() -> None:
    report = run([make("far", "SKL100", lambda skill, ask: [Problem(Span(5, 10_000), "far")])], TEXT)
    assert told(report) == [
        ("internal-error", "rule 'far' failed: ValueError: span (5, 10000) is not in the text; "
         "this is a bug of agentskills-lint", 1)
    ]  # fmt: skip


def test_an_unreadable_document_gets_the_rules_about_reading_alone() -> None:
    def always(document: Document, ask: Ask) -> Iterator[Problem]:
        yield Problem(Span(0, 0), "seen")

    rules = [make("bytes", "SKL100", always, on=Document, raw=True), make("skill", "SKL101", always)]
    assert [f.rule for f in run(rules, b"\xff").findings] == ["bytes"]
    assert [f.rule for f in run(rules, "name").findings] == ["bytes", "skill"]


def fingerprints(text: str, path: str = "pay/SKILL.md") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for finding in run([make("all", "SKL100", every_node, ("*", "languages[]"))], text, path).findings:
        found.setdefault(finding.message, []).append(finding.fingerprint)
    return found


def test_case_108_fingerprints_survive_inserted_lines_and_indentation() -> None:
    before = fingerprints(TEXT)
    after = fingerprints(TEXT.replace("name:", "license: MIT\nname:").replace("description:", "description:  "))
    assert {message: after[message] for message in before} == before
    assert len({value for values in before.values() for value in values}) == 6


def test_fingerprints_tell_equal_lines_apart_and_files_too() -> None:
    twice = fingerprints(skill_text("languages: [a, a]"))["a"]
    assert len(set(twice)) == 2
    assert fingerprints(TEXT, "other/SKILL.md")["PAY"] != fingerprints(TEXT)["PAY"]


def test_findings_are_sorted_by_path_and_place() -> None:
    rule = make("all", "SKL100", every_node, ("name", "description"))
    files = {"b/SKILL.md": skill_text("description: d\nname: n"), "a/SKILL.md": skill_text("name: n")}
    report = lint(memory_project(files), Config(level="note"), (rule,))
    assert [(f.path, f.line, f.message) for f in report.findings] == [
        ("a/SKILL.md", 2, "n"),
        ("b/SKILL.md", 2, "d"),
        ("b/SKILL.md", 3, "n"),
    ]


def test_related_places_may_be_in_another_document() -> None:
    other = Document("index.json", "/index.json", b"{}\n{}", None)

    def check(skill: Skill, ask: Ask) -> Iterator[Problem]:
        from agentskills_lint.model import Related

        yield Problem(skill.anchor, "m", related=(Related((other, Span(3, 5)), "there"),))

    report = run([make("rel", "SKL100", check)], TEXT)
    assert [(place.path, place.line, place.column, text) for place, text in report.findings[0].related] == [
        ("index.json", 2, 1, "there")
    ]


def test_a_secret_is_masked_in_every_finding_of_the_document() -> None:
    def leak(skill: Skill, ask: Ask) -> Iterator[Problem]:
        place = Span(skill.source.index("s3cret"), skill.source.index("s3cret") + 6)
        yield Problem(place, "a secret", secret="s3cret")

    def gossip(skill: Skill, ask: Ask) -> Iterator[Problem]:
        fix = Fix("quote s3cret", (Edit(0, 0, "x"),), True)
        yield Problem(skill.anchor, "has s3cret", fix, (Related(skill.anchor, "s3cret here"),), "drop s3cret")

    text = skill_text("name: pay\ndescription: at s3cret.example")
    report = run([make("leak", "SKL100", leak), make("gossip", "SKL101", gossip)], text)
    assert "s3cret" not in repr(report.findings)
    assert [skill.description for skill in report.skills] == ["at ******.example"]
    assert [(f.message, f.snippet) for f in report.findings] == [
        ("has ******", "---"),
        ("a secret", "description: at ******.example"),
    ]
    assert run([make("gossip", "SKL101", gossip)], text).findings[0].message == "has s3cret"


def test_a_failure_outside_the_rules_is_told_and_the_other_documents_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(document: Document) -> list[Any]:
        raise RecursionError("too deep")

    monkeypatch.setattr("agentskills_lint.suppress.directives", fails)
    files = {"a/SKILL.md": skill_text("name: a # agentskills-lint: ignore[x]"), "b/SKILL.md": skill_text("name: b")}
    rule = make("all", "SKL100", every_node, ("name",))
    report = lint(memory_project(files), Config(level="note"), (rule, *INTERNAL))
    assert [(f.path, f.rule) for f in report.findings] == [
        ("a/SKILL.md", "internal-error"),
        ("b/SKILL.md", "all"),
    ]
    assert report.crashed == 1


# Registries, sites, all files

INDEX = """{
  "provider": "Acme", "provider_url": "https://acme.example",
  "skills": [{"name": "pay", "tags": ["A", "B"]}, {"name": "PAY"}]
}
"""
SITE = {
    "site/.well-known/agent-skills/index.json": INDEX,
    "site/.well-known/agent-skills/pay/SKILL.md": skill_text("name: pay"),
    "other/pay/SKILL.md": skill_text("name: pay"),
}


def run_on(rules: list[Rule], files: dict[str, str], paths: tuple[str, ...] = (".",), **settings: Any) -> Report:
    config = Config(level="note", **settings)
    return lint(memory_project(files, config, paths=paths), config, (*rules, *INTERNAL))


def test_selectors_reach_into_the_entries_of_an_index() -> None:
    rules = [make("all", "SKL100", every_node, ("version", "skills[].tags[]", "skills[].name"), on=Index)]
    assert told(run_on(rules, SITE)) == [("all", "pay", 3), ("all", "A", 3), ("all", "B", 3), ("all", "PAY", 3)]


def test_an_index_of_no_known_dialect_has_no_nodes() -> None:
    rules = [make("all", "SKL100", every_node, ("skills[].name",), on=Index)]
    assert told(run_on(rules, SITE | {"site/.well-known/agent-skills/index.json": '{"skills": [{"name": "x"}]}'})) == []


def at_entries(site: Site, ask: Ask) -> Iterator[Problem]:
    for registry, entry in site.entries():
        name = entry.field("name")
        assert name is not None
        skills = [skill for skill in site.skills if skill.value("name") == name.value.lower()]
        yield Problem(
            (registry, name),
            f"{name.value} at {ask.origin}",
            related=tuple(Related((s, s.anchor), "the skill") for s in skills),
        )


def test_a_problem_of_a_site_answers_to_the_specs_of_its_document() -> None:
    clauses = {"wsp": must(URL + "w"), "dualnova": should(URL + "d"), "advice": advice("note")}
    report = run_on([make("entry", "SKL800", at_entries, asked_by=clauses, on=Site)], SITE)
    assert [(f.message, f.level, [d.spec for d in f.demands]) for f in report.findings] == [
        ("pay at https://acme.example", "warning", ["dualnova", "advice"]),
        ("PAY at https://acme.example", "warning", ["dualnova", "advice"]),
    ]
    assert [(place.path, place.line) for place, _ in report.findings[0].related] == [
        ("site/.well-known/agent-skills/pay/SKILL.md", 1)
    ]
    report = run_on([make("entry", "SKL800", at_entries, asked_by={"wsp": must(URL)}, on=Site)], SITE)
    assert report.findings == ()


def test_a_site_rule_is_silent_where_what_it_needs_has_fired() -> None:
    rules = [
        make("caps", "SKL800", capitals, ("skills[].name",), on=Index),
        make("entry", "SKL801", at_entries, needs=("caps",), on=Site),
    ]
    found = [("caps", "capitals", 3), ("entry", "pay at https://acme.example", 3)]
    assert sorted(told(run_on(rules, SITE))) == found
    assert told(run_on(rules, SITE, select=("SKL801",))) == found[1:]


def test_a_finding_is_told_when_its_other_side_was_asked_for() -> None:
    rules = [
        make("entry", "SKL800", at_entries, on=Site),
        make("name", "SKL200", every_node, ("name",)),
        make("index", "SKL801", every_node, ("provider",), on=Index),
    ]
    skill, index = "site/.well-known/agent-skills/pay/SKILL.md", "site/.well-known/agent-skills/index.json"
    both = [("entry", "pay at https://acme.example", 3), ("entry", "PAY at https://acme.example", 3)]
    report = run_on(rules, SITE, (skill,))
    assert (told(report), report.files) == ([*both, ("name", "pay", 2)], {"skill": 1})
    report = run_on(rules, SITE, (index,))
    assert (told(report), report.files) == ([("index", "Acme", 2), *both], {"index": 1})
    assert told(run_on(rules, SITE, ("other",))) == [("name", "pay", 2)]


def test_a_site_rule_that_fails_is_told_on_a_registry_and_the_others_go_on() -> None:
    def fails(site: Site, ask: Ask) -> Iterator[Problem]:
        raise KeyError("x")

    report = run_on([make("bad", "SKL800", fails, on=Site), make("entry", "SKL801", at_entries, on=Site)], SITE)
    assert [f.rule for f in report.findings] == ["internal-error", "entry", "entry"]
    assert report.findings[0].path == "site/.well-known/agent-skills/index.json"
    assert report.crashed == 1


def test_project_rules_see_all_skills() -> None:
    def names(project: Project, ask: Ask) -> Iterator[Problem]:
        for skill in project.skills:
            yield Problem((skill, skill.anchor), skill.path)

    report = run_on([make("all", "SKL200", names, on=Project)], SITE)
    assert [f.message for f in report.findings] == ["other/pay/SKILL.md", "site/.well-known/agent-skills/pay/SKILL.md"]


def test_a_clause_is_void_where_the_spec_is_active_that_it_names() -> None:
    rules = [make("foreign", "SKL830", lambda d, ask: [Problem(Span(0, 0), "seen")], on=SkillsTxt,
                  asked_by={"advice": advice("note", unless="wsp")})]  # fmt: skip
    assert [f.rule for f in run_on(rules, {"skills.txt": "# CV\n"}).findings] == ["foreign"]
    assert run_on(rules, {"skills.txt": "# CV\n"}, spec=("wsp",)).findings == ()
    assert run_on(rules, {"skills.txt": "# A\n\n- [x](/skills/x/SKILL.md)\n"}).findings == ()


def test_each_clause_speaks_for_itself_where_a_rule_says_so() -> None:
    def limits(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
        yield Problem(node, "same")
        yield Problem(node, f"max {ask.max}")

    clauses = {"wsp": should(URL + "w", max=2), "dualnova": must(URL + "d", max=1)}
    rules = [make("each", "SKL100", limits, ("name",), asked_by=clauses, each=True)]
    report = run(rules, skill_text("name: pay"), spec=("wsp", "dualnova"))
    assert [(f.message, f.level, [d.spec for d in f.demands]) for f in report.findings] == [
        ("same", "error", ["wsp", "dualnova"]),
        ("max 2", "warning", ["wsp"]),
        ("max 1", "error", ["dualnova"]),
    ]


def test_a_rule_on_several_classes_has_selectors_for_each() -> None:
    both = Rule("both", "SKL100", (Skill, Index), {Skill: ("name",), Index: ("skills[].name",)}, (), None,
                {"advice": advice("warning")}, every_node)  # fmt: skip
    front = "name: PAY\nskills:\n  - name: no entry"
    index = json.dumps({"name": "Acme", "skills": [{"name": "pay", "files": []}, {"name": "buy", "files": []}, "x"]})
    report = run_on([both], {"pay/SKILL.md": skill_text(front), "site/.well-known/skills/index.json": index})
    assert [f.message for f in report.findings] == ["PAY", "pay", "buy"]


PLACES = st.tuples(st.integers(0, 12), st.integers(0, 4)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


@given(st.lists(PLACES, max_size=6), PLACES)
def test_a_cover_knows_what_touches_it(spans: list[Span], place: Span) -> None:
    expected = any(
        (span.start < place.end and place.start < span.end) or span.start == place.start or span.end == place.end
        for span in spans
    )
    assert _Cover(spans).touches(place) is expected


def test_rules_about_a_skill_know_the_origin_of_its_site() -> None:
    body = "---\nname: pay\ndescription: d\nversion: 1.0.0\n---\n\nPOST https://collect.other.net/payments\n"
    files = {
        "a/skills.txt": "# A\n\n## Skills\n\n- [Pay](/skills/pay/SKILL.md): Pays.\n",
        "a/skills/pay/SKILL.md": body,
        "b/pay/SKILL.md": body,
    }
    config = Config(select=("off-origin-endpoint",), spec=("wsp",))
    assert lint(memory_project(files, config), config).findings == ()
    found = lint(memory_project({**files, "a/CNAME": "www.acme.example\n"}, config), config).findings
    assert [(f.path, f.line, f.message) for f in found] == [
        (
            "a/skills/pay/SKILL.md",
            7,
            "the request goes to 'collect.other.net', which is not the site's (www.acme.example)",
        )
    ]
    everywhere = Config(select=config.select, spec=config.spec, origin="https://acme.example")
    assert len(lint(memory_project(files, everywhere), everywhere).findings) == 2
