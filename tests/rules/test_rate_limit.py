"""Rules about rate limits."""

from __future__ import annotations

import pytest

from agentskills_lint.model import Finding
from agentskills_lint.rules.rate_limit import limit_of
from tests.support import brief, clean_skill, findings_in, fixed, skill_text

FRONT = """
name: pay-invoice
description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
version: 1.0.0
"""


def of(front: str, newline: str = "\n") -> list[Finding]:
    text = skill_text(FRONT + front).replace("\n", newline)
    return [f for f in findings_in(text, "wsp") if f.rule.startswith("rate-limit")]


def limits(agent: str) -> list[tuple[str, str, int, int]]:
    return brief(of(f"rate_limit:\n  agent: {agent}\n"))


def test_case_040_a_string_becomes_a_mapping() -> None:
    text = skill_text(FRONT + "rate_limit: 20/minute\n")
    (finding,) = findings_in(text, "wsp")
    assert brief([finding]) == [("rate-limit-type", "error", 5, 13)]
    assert finding.location.end_column == 22
    assert finding.message == "'rate_limit' must be a mapping with 'agent', 'api' or both, not text"
    assert "rate_limit:\n  agent: 20/minute\n---\n" in fixed(text, finding)
    assert finding.fix is not None
    assert not finding.fix.safe
    assert findings_in(fixed(text, finding), "wsp") == []


def test_case_040_a_number_names_no_unit() -> None:
    (finding,) = of("rate_limit:\n  agent: 20\n")
    assert brief([finding]) == [("rate-limit-syntax", "warning", 6, 10)]
    assert finding.message == "the rate limit '20' names no unit of time"


def test_case_040_unknown_entry() -> None:
    text = skill_text(FRONT + "rate_limit:\n  agents: 20/minute\n")
    (finding,) = findings_in(text, "wsp")
    assert brief([finding]) == [("rate-limit-key", "warning", 6, 3)]
    assert finding.message == "'rate_limit' has no entry 'agents'; did you mean 'agent'?"
    assert "  agent: 20/minute\n" in fixed(text, finding)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rate_limit: '20/minute'  # for agents\n", "rate_limit:\n  agent: '20/minute'  # for agents\n"),
        ("rate_limit: 20 per minute\n", "rate_limit:\n  agent: 20 per minute\n"),
        ("rate_limit:\n  20/minute\n", "rate_limit:\n  agent: 20/minute\n"),
        ('"rate_limit" : 20/minute\n', '"rate_limit" :\n  agent: 20/minute\n'),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_mapping_keeps_quotes_comments_and_line_ends(before: str, after: str, newline: str) -> None:
    text = skill_text(FRONT + before).replace("\n", newline)
    (finding,) = (f for f in findings_in(text, "wsp") if f.rule == "rate-limit-type")
    assert fixed(text, finding) == skill_text(FRONT + after).replace("\n", newline)


def test_mapping_in_flow_style() -> None:
    text = (
        "---\n{name: pay-invoice, version: 1.0.0, rate_limit: 20/minute, "
        "description: Pays an invoice. Use when one is open}\n---\n# T\n"
    )
    (finding,) = (f for f in findings_in(text, "wsp") if f.rule == "rate-limit-type")
    assert "rate_limit: {agent: 20/minute}, desc" in fixed(text, finding)


@pytest.mark.parametrize(
    ("value", "sort"),
    [
        ("[20/minute, 9/hour]", "a list"),
        ("\n  - agent: 20/minute", "a list"),
        ("20", "a single value"),
        ("true", "a single value"),
        ("be gentle", "text"),
        (">\n  20/minute", "text"),
    ],
)
def test_no_mapping_and_no_fix(value: str, sort: str) -> None:
    (finding,) = of(f"rate_limit: {value}\n")
    assert (finding.rule, finding.message.rsplit("not ")[-1], finding.fix) == ("rate-limit-type", sort, None)
    assert finding.hint == "write 'agent: 20/minute' indented below 'rate_limit:'"


@pytest.mark.parametrize("value", ["", " null", " ~", "\n  agent: 5/second", " {agent: 5/second, api: 9/second}"])
def test_nothing_and_mappings_pass(value: str) -> None:
    assert of(f"rate_limit:{value}\n") == []


@pytest.mark.parametrize("value", ["1/second", "20/minute", "'20/minute'", '"600/hour"', "100000/day"])
def test_case_059_canonical(value: str) -> None:
    assert limits(value) == []


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("20 per minute", "20/minute"),
        ("20/minutes", "20/minute"),
        ("20/MINUTE", "20/minute"),
        ("20/min", "20/minute"),
        ("20 / minute", "20/minute"),
        ("20/h", "20/hour"),
        ("20/hr", "20/hour"),
        ("10/sec", "10/second"),
        ("10/s", "10/second"),
        ("5/d", "5/day"),
        ("5 a day", "5/day"),
        ("10 rps", "10/second"),
        ("10rps", "10/second"),
        ("60 RPM", "60/minute"),
        ("60 qps", "60/second"),
        ("100 requests/minute", "100/minute"),
        ("100 requests per minute", "100/minute"),
        ("100 req/min", "100/minute"),
        ("100 calls an hour", "100/hour"),
        ("1,000/day", "1000/day"),
        ("10_000/day", "10000/day"),
        ("020/minute", "20/minute"),
        ("20 per 1 minute", "20/minute"),
    ],
)
def test_case_059_variants_with_their_canonical_form(value: str, canonical: str) -> None:
    text = skill_text(f"{FRONT}rate_limit:\n  agent: {value}\n")
    (finding,) = findings_in(text, "wsp")
    assert brief([finding]) == [("rate-limit-canonical", "note", 6, 10)]
    assert finding.message == f"the rate limit '{value}' is commonly written '{canonical}'"
    assert finding.fix is not None
    assert finding.fix.safe
    assert f"\n  agent: {canonical}\n---" in fixed(text, finding)


@pytest.mark.parametrize(("written", "after"), [("'20/min'", "'20/minute'"), ('"20/min" # x', '"20/minute" # x')])
def test_canonical_form_keeps_quotes_and_comments(written: str, after: str) -> None:
    text = skill_text(f"{FRONT}rate_limit:\n  api: {written}\n")
    (finding,) = findings_in(text, "wsp")
    assert fixed(text, finding) == skill_text(f"{FRONT}rate_limit:\n  api: {after}\n")


def test_canonical_form_of_a_block_scalar_is_a_hint() -> None:
    (finding,) = of("rate_limit:\n  agent: >-\n    20/min\n")
    assert (finding.rule, finding.fix, finding.hint) == ("rate-limit-canonical", None, "write 20/minute")


@pytest.mark.parametrize("value", ["20/m", "20 per m", "20/M"])
def test_case_059_m_has_two_meanings(value: str) -> None:
    (finding,) = of(f"rate_limit:\n  agent: {value}\n  api: 1/minute\n")
    assert brief([finding]) == [("rate-limit-canonical", "note", 6, 10)]
    assert finding.message == f"the rate limit '{value}' can mean minutes or months"
    assert (finding.fix, finding.hint) == (None, "write 20/minute where minutes are meant")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("unlimited", "is no number of calls in a unit of time"),
        ("none", "is no number of calls in a unit of time"),
        ("20", "names no unit of time"),
        ("0/minute", "allows no call at all"),
        ("0 per day", "allows no call at all"),
        ("1.5/second", "has a fraction, but calls are counted in whole numbers"),
        ("20/week", "counts by 'week', which is no second, minute, hour or day"),
        ("20/month", "counts by 'month', which is no second, minute, hour or day"),
        ("20/year", "counts by 'year', which is no second, minute, hour or day"),
        ("20/minuet", "counts by 'minuet', which is no unit; did you mean 'minute'?"),
        ("20/fortnight", "counts by 'fortnight', which is no unit"),
        ("20/2 minutes", "counts by a period of several units, which the format cannot say"),
        ("5/30seconds", "counts by a period of several units, which the format cannot say"),
        ("20/minute;100/hour", "names more than one limit or a burst, which the format cannot say"),
        ("20/minute, burst 5", "names more than one limit or a burst, which the format cannot say"),
        ("/minute", "is no number of calls in a unit of time"),
        ("-20/minute", "is no number of calls in a unit of time"),
        ("\uff12\uff10/minute", "is no number of calls in a unit of time"),
        ("20//minute", "is no number of calls in a unit of time"),
        ("1" * 20 + "/minute", "has a number that no client can count to"),
    ],
)
def test_case_059_no_limit(value: str, why: str) -> None:
    (finding,) = of(f"rate_limit:\n  agent: {value}\n  api: 5/minute\n")
    assert brief([finding]) == [("rate-limit-syntax", "warning", 6, 10)]
    assert finding.message == f"the rate limit '{value}' {why}"
    assert finding.hint is not None


def test_huge_numbers_are_no_integers() -> None:
    (finding,) = of("rate_limit:\n  agent: " + "9" * 5000 + "/minute\n")
    assert finding.rule == "rate-limit-syntax"
    assert len(finding.message) < 200
    assert limit_of("9" * 15 + "/day") is not None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "the rate limit is empty"),
        (' ""', "the rate limit is empty"),
        (" [20/minute]", "a rate limit is a text such as '20/minute', not a list"),
        (" {count: 20}", "a rate limit is a text such as '20/minute', not a mapping"),
    ],
)
def test_limits_are_texts(value: str, message: str) -> None:
    (finding,) = of(f"rate_limit:\n  agent:{value}\n")
    assert (finding.rule, finding.message) == ("rate-limit-syntax", message)


@pytest.mark.parametrize(
    ("key", "near"),
    [("Agent", "agent"), ("API", "api"), ("agent_limit", "agent"), ("apis", "api"), ("agnet", "agent")],
)
def test_near_misses_of_entries(key: str, near: str) -> None:
    text = skill_text(f"{FRONT}rate_limit:\n  {key}: 5/minute\n")
    (finding,) = findings_in(text, "wsp")
    assert brief([finding]) == [("rate-limit-key", "warning", 6, 3)]
    assert f"\n  {near}: 5/minute\n---" in fixed(text, finding)


@pytest.mark.parametrize(
    "front", ["requests: 20", "per: minute", "user: 5/minute", "agent: 5/minute\n  agents: 9/minute"]
)
def test_other_entries_have_no_fix(front: str) -> None:
    (finding,) = of(f"rate_limit:\n  {front}\n")
    assert (finding.rule, finding.fix) == ("rate-limit-key", None)


def test_empty_mapping() -> None:
    assert brief(of("rate_limit: {}\n")) == [("rate-limit-key", "warning", 5, 13)]


@pytest.mark.parametrize(
    ("agent", "api", "fires"),
    [
        ("10/second", "100/minute", True),
        ("101/minute", "100/minute", True),
        ("2/minute", "100/hour", True),
        ("5/hour", "100/day", True),
        ("1 rps", "59 rpm", True),
        ("100/minute", "100/minute", False),
        ("60/minute", "1/second", False),
        ("24/day", "1/hour", False),
        ("100/hour", "2/minute", False),
    ],
)
def test_the_order_is_that_of_rates(agent: str, api: str, fires: bool) -> None:
    found = [f for f in of(f"rate_limit:\n  agent: {agent}\n  api: {api}\n") if f.rule == "rate-limit-order"]
    assert brief(found) == [("rate-limit-order", "warning", 6, 10)] * fires
    assert [(location.line, location.column) for f in found for location, _ in f.related] == [(7, 8)] * fires


def test_the_order_is_not_asked_of_what_cannot_be_read() -> None:
    assert [f.rule for f in of("rate_limit:\n  agent: 10/second\n  api: many\n")] == ["rate-limit-syntax"]


DEMANDS = [
    ("5.3 rate_limit is an object", "rate_limit: 20/minute", "rate-limit-type"),
    ("5.3 it holds agent, api or both", "rate_limit: {}", "rate-limit-key"),
    ("App. B the two are strings", "rate_limit: {agent: [1]}", "rate-limit-syntax"),
    ("App. B number, slash, unit", "rate_limit: {agent: often}", "rate-limit-syntax"),
    ("App. B number, slash, unit", "rate_limit: {agent: 20 per minute}", "rate-limit-canonical"),
    (
        "11.3 agent takes precedence and is the stricter",
        "rate_limit: {agent: 9/minute, api: 8/minute}",
        "rate-limit-order",
    ),
]


@pytest.mark.parametrize(("demand", "front", "expected"), DEMANDS)
def test_demands_of_wsp(demand: str, front: str, expected: str) -> None:
    (finding,) = of(front + "\n")
    assert finding.rule == expected
    assert [d.spec for d in finding.demands] == ["wsp"]


@pytest.mark.parametrize("spec", ["agentskills", "dualnova", "discovery"])
def test_other_specs_do_not_ask(spec: str) -> None:
    assert [f for f in findings_in(clean_skill(spec, "rate_limit: often"), spec) if f.rule.startswith("rate")] == []
