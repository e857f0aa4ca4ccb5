"""The shape of index.json: dialects told apart by content, one finding a cause, at its token."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

import pytest

from agentskills_lint.model import Finding
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask
from agentskills_lint.rules.index_shape import index_schema
from agentskills_lint.specs import SCHEMA_URI
from tests.support import brief, clean_skill, fixed, only, report_on

NEW = ".well-known/agent-skills/index.json"
OLD = ".well-known/skills/index.json"
HEX = "9f" * 32
ENTRY: dict[str, Any] = {
    "name": "pay-invoice",
    "type": "skill-md",
    "description": "Pays an open invoice by card. Use when the user wants to pay, not for refunds.",
    "url": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md",
    "digest": f"sha256:{HEX}",
}
CURRENT: dict[str, Any] = {"$schema": SCHEMA_URI, "skills": [ENTRY]}
OLD_ENTRY: dict[str, Any] = {"name": "pay-invoice", "description": ENTRY["description"], "files": ["SKILL.md"]}
FORMER: dict[str, Any] = {"skills": [OLD_ENTRY]}
TITLED = {key: ENTRY[key] for key in ("name", "description", "url")} | {"title": "Pay an invoice"}
PROVIDED = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example"}
DUALNOVA = PROVIDED | {"skills": [TITLED]}
BOTH = CURRENT | PROVIDED | {"skills": [ENTRY | TITLED]}

MINE = ("index-schema", "index-dialect", "index-both-dialects", "index-outdated", "json-syntax")


def without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if key not in keys}


def entries(index: dict[str, Any], *items: Any) -> dict[str, Any]:
    return index | {"skills": list(items)}


def text(index: object) -> str:
    return index if isinstance(index, str) else json.dumps(index, indent=2, ensure_ascii=False)


def findings(
    index: object,
    *rules: str,
    spec: tuple[str, ...] = (),
    path: str = NEW,
    beside: dict[str, str] | None = None,
) -> list[Finding]:
    files = {path: text(index)} | (beside or {})
    return [found for found in report_on(files, spec).findings if found.rule in (rules or MINE)]


def told(index: object, rule: str = "index-schema", **more: Any) -> list[tuple[str, str]]:
    """(the text at the finding's place, the message) of each finding of a rule."""
    source = text(index)
    return [(source[slice(*found.span)], found.message) for found in findings(index, rule, **more)]


def dialects(index: object) -> tuple[str | None, bool]:
    found = Index(NEW, NEW, text(index).encode(), None)
    return found.discovery, found.is_dualnova


# --- which dialect ------------------------------------------------------------------------------------

UNKNOWN = "https://acme.example/schema.json"


@pytest.mark.parametrize(
    ("index", "discovery", "dualnova"),
    [
        (CURRENT, "0.2", False),
        (DUALNOVA, None, True),
        (FORMER, "0.1", False),
        (BOTH, "0.2", True),
        # what `$schema` says holds, written a little wrong or with the fields of old
        (CURRENT | {"$schema": SCHEMA_URI + "/"}, "0.2", False),
        (CURRENT | {"skills": []}, "0.2", False),
        ({"$schema": SCHEMA_URI}, "0.2", False),
        ({"$schema": SCHEMA_URI, "skills": [OLD_ENTRY]}, "0.2", False),
        ({"$schema": SCHEMA_URI, "skills": [{"id": "pay"}]}, "0.2", False),
        ({"$schema": "http://schemas.agentskills.io/discovery/0.2.0/schema.json#", "skills": {}}, "0.2", False),
        # an invented one says that there is one
        ({"$schema": UNKNOWN, "skills": [without(ENTRY, "digest") | {"sha256": HEX}]}, "0.2", False),
        ({"$schema": UNKNOWN, "skills": [without(ENTRY, "digest") | {"type": "content"}]}, "0.2", False),
        ({"$schema": UNKNOWN, "skills": []}, "0.2", False),
        ({"$schema": UNKNOWN, "skills": [OLD_ENTRY]}, "0.1", False),
        ({"$schema": UNKNOWN, "skills": [{"id": "pay", "path": "pay.md"}]}, None, False),
        ({"$schema": UNKNOWN, "tools": []}, None, False),
        ({"$schema": 7, "skills": [ENTRY]}, "0.2", False),
        ({"$schema": None, "skills": []}, "0.2", False),
        # none at all
        ({"skills": [ENTRY]}, "0.2", False),
        ({"skills": [without(ENTRY, "digest")]}, "0.2", False),
        ({"skills": [without(ENTRY, "digest") | {"type": "tool"}]}, None, False),
        ({"skills": [ENTRY | OLD_ENTRY]}, "0.1", False),
        ({"skills": [OLD_ENTRY, without(OLD_ENTRY, "files")]}, "0.1", False),
        ({"skills": [OLD_ENTRY, ENTRY]}, "0.2", False),
        ({"skills": []}, "0.1", False),
        ({"version": "1.0", "skills": [OLD_ENTRY]}, "0.1", False),
        # fields of clients make no second dialect
        (CURRENT | {"provider": "Acme"}, "0.2", False),
        (CURRENT | {"version": "0.2.0", "provider": "Acme", "provider_url": "https://acme.example"}, "0.2", False),
        (CURRENT | {"provider": "Acme", "skills": [ENTRY | {"title": "Pay"}]}, "0.2", False),
        (CURRENT | {"version": "1.0", "skills": [ENTRY | {"title": "Pay"}]}, "0.2", False),
        (CURRENT | PROVIDED, "0.2", True),
        (DUALNOVA | {"$schema": UNKNOWN}, None, True),
        ({"provider": "Acme", "skills": []}, None, True),
        ({"provider_url": "https://acme.example"}, None, True),
        (DUALNOVA | {"skills": [TITLED | {"type": "skill-md"}]}, None, True),
        (DUALNOVA | {"skills": [TITLED | {"digest": HEX}]}, "0.2", True),
        # home-grown
        ({"skills": [{"name": "pay", "description": "Pays.", "path": "pay/SKILL.md"}]}, None, False),
        ({"version": "1.0", "skills": [{"name": "pay", "title": "Pay", "url": "pay/SKILL.md"}]}, None, False),
        ({"skills": ["pay", "refund"]}, None, False),
        ({"skills": {"pay": "pay/SKILL.md"}}, None, False),
        ({"tools": [{"digest": "x"}]}, None, False),
        ({}, None, False),
        ([], None, False),
        ("7", None, False),
        ("{,}", None, False),
    ],
)  # fmt: skip
def test_case_067_the_dialect_is_that_of_the_content(index: object, discovery: str | None, dualnova: bool) -> None:
    assert dialects(index) == (discovery, dualnova)


@pytest.mark.parametrize(
    ("index", "nearest"),
    [
        ({"skills": [{"name": "pay", "title": "Pay"}]}, "dualnova"),
        ({"title": "Our skills", "skills": [{"name": "pay"}]}, "discovery"),
        ({"skills": [{"name": "pay"}]}, "discovery"),
        ({}, "discovery"),
        ("[]", "discovery"),
        ('{"provider": "Acme",}', "dualnova"),
        ('{"$schema": "x", "skills": [{"title": "x",}]}', "discovery"),
        ('{"skills": [{"title": "x", "digest": "x",}]}', "discovery"),
    ],
)
def test_case_067_an_index_of_none_is_near_to_one(index: object, nearest: str) -> None:
    assert Index(NEW, NEW, text(index).encode(), None).nearest == nearest


@pytest.mark.parametrize("index", [CURRENT, FORMER, DUALNOVA, BOTH])
def test_case_067_each_dialect_passes_by_itself(index: dict[str, Any]) -> None:
    path = OLD if index is FORMER else NEW
    assert [f for f in findings(index, path=path) if f.level != "note"] == []


def test_case_067_a_hybrid_is_held_to_both() -> None:
    index = entries(BOTH, without(ENTRY | TITLED, "digest", "title"))
    assert [(f.message, [d.spec for d in f.demands]) for f in findings(index, "index-schema")] == [
        ("the entry 'pay-invoice' has no 'digest'", ["discovery"]),
        ("the entry 'pay-invoice' has no 'title'", ["dualnova"]),
    ]
    index = entries(BOTH, without(ENTRY | TITLED, "name"))
    assert [(f.message, [d.spec for d in f.demands]) for f in findings(index, "index-schema")] == [
        ("entry 1 has no 'name'", ["discovery", "dualnova"])
    ]


# --- index-schema -------------------------------------------------------------------------------------


def _who(name: str) -> str:
    return "entry 1" if name == "name" else "the entry 'pay-invoice'"


DEMANDS: list[tuple[str, str, object, str, str]] = [
    *[
        (
            "discovery 0.2", f"{name} is required", entries(CURRENT, without(ENTRY, name)),
            "{", f"{_who(name)} has no '{name}'",
        )
        for name in ("name", "type", "description", "url", "digest")
    ],
    ("discovery 0.2", "skills is required", {"$schema": SCHEMA_URI}, "{", "the index has no 'skills'"),
    (
        "discovery 0.2", "skills is an array", CURRENT | {"skills": {}},
        "{", "'skills' must be an array, not an object",
    ),
    ("discovery 0.2", "an entry is an object", entries(CURRENT, "pay"), '"pay"', "entry 1 must be an object, not text"),
    (
        "discovery 0.2", "$schema is required", {"skills": [{"name": "pay-invoice", "description": "Pays."}]},
        "{", "the index follows no known dialect; the nearest is Agent Skills Discovery 0.2, for which '$schema' is "
        "missing at the top and 'type', 'url' and 'digest' in each entry",
    ),
    ("discovery 0.2", "$schema is a URI", CURRENT | {"$schema": 2}, "2", "'$schema' must be text, not a number"),
    (
        "discovery 0.2", "type is skill-md or archive", entries(CURRENT, ENTRY | {"type": "task"}),
        '"task"', "'type' is 'task', which is neither 'skill-md' nor 'archive'; clients skip the entry",
    ),
    (
        "discovery 0.2", "files is gone, type, url and digest have come", entries(CURRENT, OLD_ENTRY),
        "{", "the entry 'pay-invoice' has no 'type', 'url' or 'digest'",
    ),
    *[
        (
            "discovery 0.1", f"{name} is required", entries(FORMER, without(OLD_ENTRY, name), OLD_ENTRY), "{",
            f"{_who(name)} has no '{name}'; some clients then drop the whole index",
        )
        for name in ("name", "description", "files")
    ],
    (
        "discovery 0.1", "files is an array", entries(FORMER, OLD_ENTRY | {"files": "SKILL.md"}),
        '"SKILL.md"', "'files' must be an array, not text",
    ),
    (
        "discovery 0.1", "one skills array", {"skills": "pay"}, "{",
        "the index follows no known dialect; the nearest is Agent Skills Discovery 0.2, for which '$schema' is missing "
        "at the top and 'skills' must be an array, not text",
    ),
    *[
        ("dualnova", f"{name} is required", without(DUALNOVA, name), "{", f"the index has no '{name}'")
        for name in ("version", "provider", "provider_url", "skills")
    ],
    *[
        (
            "dualnova", f"{name} is required", entries(DUALNOVA, without(TITLED, name)),
            "{", f"{_who(name)} has no '{name}'",
        )
        for name in ("name", "title", "description", "url")
    ],
    ("dualnova", "skills is an array", DUALNOVA | {"skills": None}, "null", "'skills' must be an array, not null"),
    (
        "dualnova", "description is a paragraph", DUALNOVA | {"description": []},
        "[", "'description' must be text, not an array",
    ),
    (
        "dualnova", "tags is an array", entries(DUALNOVA, TITLED | {"tags": "booking"}),
        '"booking"', "'tags' must be an array, not text",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "demand", "index", "token", "message"), DEMANDS)
def test_demand(spec: str, demand: str, index: object, token: str, message: str) -> None:
    assert told(index, path=OLD if spec == "discovery 0.1" else NEW) == [(token, message)]
    assert {found.level for found in findings(index, "index-schema")} == {"error"}


@pytest.mark.parametrize(
    ("change", "token", "message"),
    [
        ({"version": 1.0}, "1.0", "'version' must be text, not a number"),
        ({"skills": [TITLED | {"tags": "x"}]}, '"x"', "'tags' must be an array, not text"),
        ({"skills": [TITLED | {"languages": "en"}]}, '"en"', "'languages' must be an array, not text"),
        ({"skills": [TITLED | {"tags": ["a", 1, True]}]}, "1", "'tags' may hold nothing but text, not a number"),
        ({"skills": [[]]}, "[", "entry 1 must be an object, not an array"),
        ({"skills": [TITLED, "pay"]}, '"pay"', "entry 2 must be an object, not text"),
        ({"skills": [{}]}, "{", "entry 1 has no 'name', 'title', 'description' or 'url'"),
        ({"skills": [TITLED | {"url": 7}]}, "7", "'url' must be text, not a number"),
        ({"skills": [TITLED | {"url": " "}]}, '" "', "'url' is blank"),
        ({"provider": ""}, '""', "'provider' is empty"),
        ({"version": ""}, '""', "'version' is empty"),
        ({"provider": {"name": "Acme"}}, "{", "'provider' must be text, not an object"),
        ({"contact": None}, "null", "'contact' must be text, not null"),
    ],
)
def test_case_081_one_finding_at_the_value(change: dict[str, Any], token: str, message: str) -> None:
    index = DUALNOVA | change
    assert told(index, spec=("dualnova",)) == [(token, message)]
    assert [f.rule for f in findings(index, spec=("dualnova",))] == ["index-schema"]


def test_case_081_a_trailing_slash_and_capital_tags_are_no_matter_of_shape() -> None:
    index = DUALNOVA | {"provider_url": "https://acme.example/", "skills": [TITLED | {"tags": ["Billing"]}]}
    assert told(index) == []


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"type": "task"}, "write 'skill-md'"),
        ({"type": "task", "url": "/pay/SKILL.md?v=1#top"}, "write 'skill-md'"),
        ({"type": "zip", "url": "pay.tar.gz"}, "write 'archive'"),
        (
            {"type": "content", "url": "/feed.xml"},
            "write 'skill-md' for a SKILL.md, 'archive' for a bundle with one; an index lists nothing else",
        ),
        ({"name": ""}, "write the name, as text"),
        ({"name": 12}, 'write "12", in quotes'),
        ({"description": None}, "write a value, or leave the key out"),
    ],
)
def test_hints_tell_what_to_type(change: dict[str, Any], hint: str | None) -> None:
    (found,) = findings(entries(CURRENT, ENTRY | change), "index-schema")
    assert found.hint == hint


def test_a_missing_field_is_shown_where_another_key_stands_for_it() -> None:
    entry = {
        "id": "pay-invoice",
        "Type": "skill-md",
        "summary": "Pays.",
        "path": "pay/SKILL.md",
        "digest": f"sha256:{HEX}",
    }
    index = entries(CURRENT, entry)
    (found,) = findings(index, "index-schema")
    assert found.message == (
        "entry 1 has no 'name', 'type', 'description' or 'url'; did you mean 'id' to be 'name', 'Type' to be 'type', "
        "'summary' to be 'description' and 'path' to be 'url'?"
    )
    assert found.hint == "rename 'id', rename 'Type', rename 'summary', rename 'path'"
    source = text(index).splitlines()
    assert [
        (source[where.line - 1][where.column - 1 : where.end_column - 1], words) for where, words in found.related
    ] == [
        ('"id"', "is this the name?"),
        ('"Type"', "is this the type?"),
        ('"summary"', "is this the description?"),
        ('"path"', "is this the url?"),
    ]
    (found,) = findings(entries(CURRENT, OLD_ENTRY), "index-schema")
    assert [words for _, words in found.related] == ["version 0.2 has no 'files'"]
    assert found.hint == (
        'add "type": "skill-md", "url": "/.well-known/agent-skills/pay-invoice/SKILL.md", '
        '"digest": "sha256:..." with the 64 hex digits of the file'
    )


@pytest.mark.parametrize(
    "index",
    [
        entries(CURRENT, without(ENTRY, "digest") | {"sha256": HEX}),  # index-digest-format
        entries(CURRENT, ENTRY | {"digest": HEX}),  # index-digest-format
        entries(CURRENT, ENTRY | {"name": "../pay"}),  # index-url-escape
        entries(CURRENT, ENTRY | {"name": "Pay Invoice"}),  # name-kebab-case
        entries(CURRENT, ENTRY | {"name": "zählen"}),  # name-unicode
        entries(CURRENT, ENTRY | {"name": "a" * 65}),  # name-length
        entries(CURRENT, ENTRY | {"description": "ö" * 1025}),  # description-length
        entries(FORMER, OLD_ENTRY | {"files": []}),  # index-files
        {"skills": [ENTRY]},  # index-dialect: no `$schema`
        CURRENT | {"$schema": UNKNOWN},  # index-dialect
        DUALNOVA | {"version": "2.0"},  # index-dialect
    ],
)
def test_what_other_rules_say_is_not_said_twice(index: dict[str, Any]) -> None:
    assert told(index) == []


@pytest.mark.parametrize(
    "index",
    [
        CURRENT | {"updated": None, "skills": [ENTRY | {"license": 7, "tags": "x", "title": None}]},
        entries(CURRENT, ENTRY | {"type": "archive", "url": "../x.zip"}),
        entries(CURRENT, ENTRY | {"name": "a" * 64, "description": "ö" * 1024}),
        entries(CURRENT, ENTRY | {"sha256": HEX}),
        CURRENT | {"skills": []},
        DUALNOVA
        | {"contact": "help@acme.example", "skills": [TITLED | {"tags": [], "execution_url": "x", "name": "a" * 65}]},
        {"skills": []},
        '{"skills": [' + json.dumps(OLD_ENTRY)[:-1] + ', "size": ' + "9" * 5000 + "}]}",
    ],
)
def test_what_no_dialect_forbids_passes(index: object) -> None:
    assert told(index) == []


@pytest.mark.parametrize(
    ("index", "missing"),
    [
        ({"skills": [{"id": "a"}, {"id": "b"}]},
         "'$schema' is missing at the top and 'name', 'type', 'description', 'url' and 'digest' in each entry"),
        ({"skills": [{"name": "a", "url": "x"}, {"name": "b", "description": "B"}]},
         "'$schema' is missing at the top and 'type', 'description', 'url' and 'digest' in entries"),
        ({"skills": ["pay"]}, "'$schema' is missing at the top and each entry must be an object"),
        ({"tools": []}, "'$schema' and 'skills' are missing at the top"),
        ({"$schema": UNKNOWN, "tools": []}, "the right '$schema' and 'skills' are missing at the top"),
        ({"$schema": "", "skills": ""},
         "the right '$schema' is missing at the top and 'skills' must be an array, not text"),
        ({"$schema": UNKNOWN, "skills": [{"name": "a", "description": "A", "url": "x"}]},
         "the right '$schema' is missing at the top and 'type' and 'digest' in each entry"),
        ({}, "'$schema' and 'skills' are missing at the top"),
    ],
)  # fmt: skip
def test_an_index_of_no_known_dialect_is_one_finding(index: dict[str, Any], missing: str) -> None:
    source = text(index)
    (found,) = findings(index)
    assert brief([found]) == [("index-schema", "error", 1, 1)]
    assert source[slice(*found.span)] == "{"
    assert found.message == (
        "the index follows no known dialect; the nearest is Agent Skills Discovery 0.2, for which " + missing
    )


def test_an_index_near_to_dualnova_is_told_what_that_lacks() -> None:
    (found,) = findings({"skills": [without(TITLED, "url")]})
    assert found.message == (
        "the index follows no known dialect; the nearest is DualNova's Agent Skills draft 0.1, for which 'version', "
        "'provider' and 'provider_url' are missing at the top and 'url' in each entry"
    )
    assert [demand.spec for demand in found.demands] == ["dualnova"]


def test_a_spec_that_is_asked_for_is_judged_whatever_the_content() -> None:
    assert told(CURRENT, spec=("dualnova",)) == [
        ("{", "the index has no 'version', 'provider' or 'provider_url'"),
        ("{", "the entry 'pay-invoice' has no 'title'"),
    ]
    assert told(DUALNOVA, spec=("discovery",)) == [("{", "the entry 'pay-invoice' has no 'type' or 'digest'")]


def test_positions_hold_on_one_line_and_behind_escapes() -> None:
    source = f'{{"$schema":"{SCHEMA_URI}","\\ud83d\\ude00":"\U0001f600","skills":[{{"n\\u0061me":"Pay","url":7}}]}}'
    found = findings(source, "index-schema")
    at = source.index('{"n\\u') + 1
    assert brief(found) == [("index-schema", "error", 1, at), ("index-schema", "error", 1, source.index(":7") + 2)]
    assert found[0].message == "the entry 'Pay' has no 'type', 'description' or 'digest'"


def test_the_last_of_equal_keys_is_judged_as_readers_do() -> None:
    source = text(CURRENT).replace('"type": "skill-md"', '"type": "x", "type": "skill-md"')
    assert told(source) == []
    source = text(CURRENT).replace('"type": "skill-md"', '"type": "skill-md", "type": "x"')
    assert [token for token, _ in told(source)] == ['"x"']


@pytest.mark.parametrize("entry", [{"x": 1}, [], {"name": " ", "type": "t", "url": 1, "digest": []}])
def test_work_grows_with_the_number_of_entries(entry: object) -> None:
    def cost(count: int) -> float:
        index = Index(NEW, NEW, json.dumps(entries(CURRENT, *[entry] * count)).encode(), None)
        begun = time.process_time()
        assert len(list(index_schema.check(index, Ask(dialect="discovery")))) in range(1, 101)
        return time.process_time() - begun

    cost(10)
    small = min(cost(250) for _ in range(3))
    assert min(cost(1000) for _ in range(2)) < 10 * small


@pytest.mark.parametrize("entry", [{}, {"x": 1}, "pay", {"name": " "}])
def test_a_fault_of_many_entries_is_one_finding(entry: object) -> None:
    def messages(count: int) -> list[str]:
        index = Index(NEW, NEW, json.dumps(entries(CURRENT, *[entry] * count)).encode(), None)
        return [problem.message for problem in index_schema.check(index, Ask(dialect="discovery"))]

    alone = messages(1)
    assert len(messages(20)) == 20 * len(alone)
    assert messages(3000) == [f"{message}; 2,999 more entries have the same fault" for message in alone]


def test_a_digest_under_another_key_hides_no_fault_of_others() -> None:
    both = [{"name": "pay", "sha256": "0"}] * 30 + [{"name": "pay"}] * 30
    index = Index(NEW, NEW, json.dumps(entries(CURRENT, *both)).encode(), None)
    assert [problem.message for problem in index_schema.check(index, Ask(dialect="discovery"))] == [
        "the entry 'pay' has no 'type', 'description' or 'url'; 29 more entries have the same fault",
        "the entry 'pay' has no 'type', 'description', 'url' or 'digest'; 29 more entries have the same fault",
    ]


@pytest.mark.parametrize("key", ["skill", "Skills", "skils"])
def test_a_key_that_is_nearly_skills(key: str) -> None:
    index = Index(NEW, NEW, json.dumps({"$schema": SCHEMA_URI, key: []}).encode(), None)
    (problem,) = index_schema.check(index, Ask(dialect="discovery"))
    assert problem.message == f"the index has no 'skills'; did you mean '{key}' to be 'skills'?"


# --- index-dialect ------------------------------------------------------------------------------------

VARIANTS = [
    (SCHEMA_URI + "/", "a slash at the end"),
    (SCHEMA_URI.replace("https", "http"), "http:"),
    (SCHEMA_URI + "#", "a '#'"),
    (SCHEMA_URI.replace("https", "http") + "/#", "http: and a '#' and a slash at the end"),
    (SCHEMA_URI.replace("://", "://www."), "'www.'"),
    (SCHEMA_URI.upper().replace("HTTPS", "https"), "capital letters"),
    (f" {SCHEMA_URI}", "blanks"),
]


@pytest.mark.parametrize(("address", "difference"), VARIANTS)
def test_case_067_a_variant_of_the_address_is_another_one(address: str, difference: str) -> None:
    (found,) = findings(CURRENT | {"$schema": address}, "index-dialect")
    assert found.message.endswith(
        f" differs from that of version 0.2 by {difference}, so clients do not read the index"
    )
    assert (found.level, found.line, found.column, found.hint) == ("error", 2, 14, f'write "{SCHEMA_URI}"')
    assert told(CURRENT | {"$schema": address}) == []


@pytest.mark.parametrize(
    "address",
    [
        "https://agentskills.io/schemas/v0.2.0/index.json",
        "https://agentskills.io/schemas/agent-skills-index-v0.2.json",
        "https://raw.githubusercontent.com/cloudflare/agent-skills-discovery-rfc/main/schema/index.schema.json",
        "https://schemas.agentskills.io/discovery/0.3.0/schema.json",
        "https://json-schema.org/draft/2020-12/schema",
        "schemas.agentskills.io/discovery/0.2.0/schema.json",
        "x",
    ],
)
def test_case_067_an_invented_address_is_unknown_and_checking_goes_on(address: str) -> None:
    index = {"$schema": address, "skills": [ENTRY | {"type": "task"}, without(ENTRY, "url")]}
    (found,) = findings(index, "index-dialect")
    assert found.message.startswith("the '$schema' '")
    assert found.message.endswith("' is unknown, so clients do not read the index")
    assert found.hint == f'write "{SCHEMA_URI}"'
    assert len(told(index)) == 2


@pytest.mark.parametrize(("address", "word"), [("", "empty"), (" ", "blank")])
def test_an_address_that_is_none(address: str, word: str) -> None:
    assert told(CURRENT | {"$schema": address}, "index-dialect") == [
        (f'"{address}"', f"'$schema' is {word}, so clients do not read the index")
    ]


def test_an_index_in_the_shape_of_0_2_without_its_address() -> None:
    (found,) = findings({"skills": [ENTRY]})
    assert brief([found]) == [("index-dialect", "error", 1, 1)]
    assert found.location.end_column == 2
    assert found.message == (
        "the index has no '$schema', so clients take it for version 0.1, whose entries have 'files'"
    )
    assert found.hint == f'add "$schema": "{SCHEMA_URI}"'


@pytest.mark.parametrize(("value", "message"), [
    (UNKNOWN, f"clients do not read an index with the unknown '$schema' '{UNKNOWN}'; version 0.1, whose entries have "
     "'files', has none"),
    (1, "an index of version 0.1 has no '$schema'"),
])  # fmt: skip
def test_an_index_of_0_1_has_no_address(value: object, message: str) -> None:
    index = {"$schema": value} | FORMER
    assert told(index, "index-dialect", path=OLD) == [(json.dumps(value), message)]
    assert told(index, path=OLD) == []


@pytest.mark.parametrize("version", ["0.1", "1", "1.0.0", "2.0"])
def test_case_067_an_unknown_version_of_dualnova_is_a_warning(version: str) -> None:
    (found,) = findings(DUALNOVA | {"version": version})[:1]
    assert brief([found]) == [("index-dialect", "warning", 2, 14)]
    assert found.message == f"version '{version}' is not '1.0', the only one that the draft knows"
    assert found.hint == 'write "1.0"'


@pytest.mark.parametrize(
    "index",
    [
        CURRENT,
        CURRENT | {"version": "0.2.0"},
        FORMER | {"version": "7"},
        DUALNOVA,
        DUALNOVA | {"$schema": UNKNOWN},
        without(DUALNOVA, "version"),  # index-schema
        DUALNOVA | {"version": 2},  # index-schema
        CURRENT | {"$schema": 2},  # index-schema
        {"$schema": UNKNOWN, "tools": []},  # of no dialect
    ],
)
def test_what_says_its_version_or_is_told_otherwise(index: dict[str, Any]) -> None:
    assert told(index, "index-dialect") == []


# --- index-both-dialects ------------------------------------------------------------------------------

PAY = ".well-known/agent-skills/pay-invoice/SKILL.md"
SKILL = clean_skill("discovery")
REAL = ENTRY | {"digest": f"sha256:{hashlib.sha256(SKILL.encode()).hexdigest()}"}


def test_an_index_of_dualnova_gets_what_discovery_wants() -> None:
    source = text(DUALNOVA)
    (found,) = findings(source, "index-both-dialects", beside={PAY: SKILL})
    assert (found.level, found.line, found.column) == ("note", 1, 1)
    assert found.message == (
        "clients of discovery 0.2 could read this index as well if it had '$schema' and, in each entry, 'type' "
        "and 'digest'"
    )
    assert found.fix is not None
    assert not found.fix.safe
    after = fixed(source, found)
    assert json.loads(after) == DUALNOVA | {"$schema": SCHEMA_URI, "skills": [REAL | TITLED]}
    assert text(json.loads(after)) == after.rstrip()
    assert [f for f in findings(after, beside={PAY: SKILL}) if f.rule in MINE] == []
    assert dialects(after) == ("0.2", True)


@pytest.mark.parametrize(
    "index",
    [
        DUALNOVA | {"$schema": UNKNOWN},
        json.dumps(DUALNOVA, separators=(",", ":")),
        json.dumps(DUALNOVA),
        json.dumps(DUALNOVA, indent="\t"),
        DUALNOVA | {"skills": [TITLED | {"type": "skill-md"}]},
    ],
)
def test_the_fix_keeps_to_the_layout(index: object) -> None:
    source = text(index)
    (found,) = findings(source, "index-both-dialects", beside={PAY: SKILL})
    after = fixed(source, found)
    value = json.loads(after)
    assert (value["$schema"], value["skills"]) == (SCHEMA_URI, [REAL | TITLED])
    assert ("\n" in after) == ("\n" in source)


@pytest.mark.parametrize(
    "entry",
    [
        TITLED | {"url": "https://cdn.example/pay/SKILL.md"},
        TITLED | {"url": "https://acme.example/gone/SKILL.md"},
        TITLED | {"type": "page"},
    ],
)
def test_without_the_file_nothing_is_written(entry: dict[str, Any]) -> None:
    (found,) = findings(entries(DUALNOVA, entry), "index-both-dialects", beside={PAY: SKILL})
    assert found.fix is None
    assert found.hint == f"write the SHA-256 of each file; {SCHEMA_URI} is the $schema"


@pytest.mark.parametrize("extra", [
    {"publisher": {"name": "Acme", "url": "https://acme.example"}},
    {"provider": "Acme", "publisher": {"url": "https://acme.example"}},
    {"publisher": "Acme"},
])  # fmt: skip
def test_an_index_of_0_2_with_a_publisher_gets_what_dualnova_wants(extra: dict[str, Any]) -> None:
    index = {"$schema": SCHEMA_URI} | extra | {"skills": [REAL]}
    source = text(index)
    (found,) = findings(source, "index-both-dialects", beside={PAY: SKILL})
    assert found.level == "note"
    assert found.message.endswith("and, in each entry, 'title'")
    assert found.fix is not None
    assert not found.fix.safe
    value = json.loads(fixed(source, found))
    assert value == index | PROVIDED | {"skills": [REAL | {"title": "Pay invoice"}]}
    assert findings(value, "index-schema", "index-dialect", "index-both-dialects", beside={PAY: SKILL}) == []


def test_titles_without_a_provider_are_told_and_nothing_is_invented() -> None:
    (found,) = findings(entries(CURRENT, REAL | {"title": "Pay"}), "index-both-dialects", beside={PAY: SKILL})
    assert found.fix is None
    assert found.message == (
        "clients of DualNova's draft could read this index as well if it had 'version', 'provider' and 'provider_url'"
    )


@pytest.mark.parametrize(
    "index",
    [
        CURRENT,
        BOTH,
        FORMER | {"publisher": "Acme"},
        FORMER | PROVIDED,
        entries(CURRENT | {"publisher": "Acme"}, ENTRY | {"url": "pay/SKILL.md"}),
        CURRENT | {"publisher": "Acme", "$schema": UNKNOWN},
        entries(CURRENT | {"publisher": "Acme"}, without(ENTRY, "digest")),
        entries(DUALNOVA, without(TITLED, "title")),
        entries(DUALNOVA),
        {"skills": [TITLED]},
    ],
)
def test_of_an_index_that_has_other_faults_or_lacks_much_nothing_is_said(index: dict[str, Any]) -> None:
    assert told(index, "index-both-dialects") == []


# --- index-outdated -----------------------------------------------------------------------------------


def test_case_083_an_index_of_0_1_is_outdated() -> None:
    (found,) = findings(FORMER, "index-outdated", path=OLD)
    assert brief([found]) == [("index-outdated", "note", 2, 3)]
    assert found.location.end_column == 11
    assert found.message == (
        "the index follows version 0.1; clients of 0.2 look at /.well-known/agent-skills/index.json and want '$schema' "
        "and, in each entry, 'type', 'url' and 'digest'"
    )


def test_an_index_of_0_1_at_the_new_place_has_nothing_to_be_published_beside() -> None:
    (found,) = findings(FORMER, "index-outdated", path=NEW)
    assert found.message == (
        "the index follows version 0.1; clients of 0.2 want '$schema' and, in each entry, 'type', 'url' and 'digest'"
    )
    assert found.hint == (
        "write it in version 0.2; for older clients publish this one at /.well-known/skills/index.json"
    )
    (found,) = findings(FORMER, "index-outdated", path=NEW, beside={OLD: text(FORMER)})
    assert found.hint == "write it in version 0.2"


def test_case_083_an_old_index_beside_a_new_one_is_fine() -> None:
    assert findings(FORMER, "index-outdated", path=OLD, beside={NEW: text(CURRENT)}) == []


def test_case_083_two_old_ones_are_one_finding() -> None:
    (found,) = findings(FORMER, "index-outdated", path=OLD, beside={NEW: text(FORMER)})
    assert found.path == NEW
    assert [(where.path, words) for where, words in found.related] == [(OLD, "this one, too")]


@pytest.mark.parametrize("index", [CURRENT, DUALNOVA, {"skills": [{"name": "pay", "path": "x"}]}])
def test_other_dialects_are_not_outdated(index: dict[str, Any]) -> None:
    assert only(findings(index, path=OLD), "index-outdated") == []
