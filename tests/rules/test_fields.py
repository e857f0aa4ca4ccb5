"""The rules about the frontmatter fields: types, unknown keys, formats."""

from __future__ import annotations

import pytest

from agentskills_lint.model import Finding
from agentskills_lint.rules.fields import meant
from agentskills_lint.specs import CLIENT_FIELDS, CLIENT_NAMESPACES, SPECS, known_fields
from tests.support import brief, clean_skill, findings_in, fixed, only, report_on

ALL = ("agentskills", "discovery", "dualnova", "wsp")
FORMAT = ("agentskills", "discovery")


def found_in(front: str, *specs: str) -> list[Finding]:
    """What the rules of this module say of a clean skill with other frontmatter."""
    return [f for f in findings_in(clean_skill(specs[0], front), *specs) if "SKL105" <= f.code <= "SKL116"]


def rules_in(front: str, *specs: str) -> list[str]:
    return [f.rule for f in found_in(front, *specs)]


def after_fix(front: str, spec: str, rule: str) -> str:
    """The frontmatter lines below the clean skill's own, after the fix of a rule's first finding."""
    text = clean_skill(spec, front)
    changed = fixed(text, only(findings_in(text, spec), rule)[0])
    assert only(findings_in(changed, spec), "yaml-syntax") == []
    own = clean_skill(spec).split("\n---\n")[0].split("\n")
    return "\n".join(line for line in changed.split("\n---\n")[0].split("\n") if line not in own)


# --- the demands of the specs ---------------------------------------------------------------------

DEMANDS = [
    *[(spec, "required: name is text", "name: 123", "field-type", "error") for spec in ALL],
    *[(spec, "required: description is text", "description: [a]", "field-type", "error") for spec in ALL],
    ("agentskills", "license is text", "license: 2", "field-type", "error"),
    ("agentskills", "metadata is a map", "metadata: text", "field-type", "error"),
    ("agentskills", "compatibility is text", "compatibility: {a: b}", "field-type", "error"),
    ("wsp", "5.3: author is text", "author: [a]", "field-type", "error"),
    ("wsp", "5.3: auth is text", "auth: true", "field-type", "error"),
    ("wsp", "5.3: base_url is text", "base_url: [a]", "field-type", "error"),
    ("wsp", "5.3: contact is text", "contact: 5", "field-type", "error"),
    ("wsp", "5.3: api_version is text", "api_version: 2", "api-version-type", "error"),
    ("dualnova", "provider is a name", "provider: 7", "field-type", "error"),
    ("dualnova", "url is text", "url: [a]", "field-type", "error"),
    ("dualnova", "contact is text", "contact: {a: b}", "field-type", "error"),
    ("dualnova", "mcp_server is text", "mcp_server: true", "field-type", "error"),
    ("dualnova", "openapi is text", "openapi: 3.1", "field-type", "error"),
    ("dualnova", "requires_auth is true or false", "requires_auth: maybe", "field-type", "error"),
    ("dualnova", "requires_payment is true or false", "requires_payment: 1", "field-type", "error"),
    *[(spec, "the known fields", "tier: 2", "field-unknown", "note") for spec in ALL],
    *[(spec, "the known fields", "desciption: x", "field-typo", "warning") for spec in ALL],
    *[(spec, "further fields go under metadata", "provider: Acme", "field-misplaced", "note") for spec in FORMAT],
    ("wsp", "7.1: semantic versioning", "version: '1.0'", "version-format", "error"),
    ("dualnova", "like a semantic version", "version: latest", "version-format", "warning"),
    *[(spec, "compatibility: 1 to 500", 'compatibility: ""', "compatibility-length", "error") for spec in FORMAT],
    *[
        (spec, "compatibility: 1 to 500", f"compatibility: {'a' * 501}", "compatibility-length", "error")
        for spec in FORMAT
    ],
    *[(spec, "metadata: strings to strings", "metadata:\n  a: 1", "metadata-value", "warning") for spec in FORMAT],
    *[(spec, "allowed-tools: one text", "allowed-tools: [Read]", "allowed-tools-format", "warning") for spec in FORMAT],
    *[(spec, "allowed-tools: blanks", "allowed-tools: Read, Grep", "allowed-tools-commas", "note") for spec in FORMAT],
    ("agentskills", "license: short", f"license: {'a' * 101}", "license-long", "note"),
    ("agentskills", "license: a bundled file", "license: see LICENSE.txt", "license-file", "note"),
]


@pytest.mark.parametrize(("spec", "section", "front", "rule", "level"), DEMANDS)
def test_demand(spec: str, section: str, front: str, rule: str, level: str) -> None:
    assert [(f.rule, f.level) for f in found_in(front, spec)] == [(rule, level)]


@pytest.mark.parametrize("spec", ALL)
def test_every_field_of_a_spec_is_known_to_it(spec: str) -> None:
    for field in SPECS[spec].fields - {"name", "description", "version"}:
        assert not {"field-unknown", "field-typo", "field-misplaced"} & set(rules_in(f"{field}: x", spec)), field


def test_wsp_knows_the_fields_of_the_format_it_inherits() -> None:
    assert known_fields(frozenset({"wsp"})) == SPECS["wsp"].fields | SPECS["agentskills"].fields
    assert known_fields(frozenset({"dualnova"})) == SPECS["dualnova"].fields
    assert rules_in("license: MIT", "wsp") == []


# --- field-type -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("front", "message", "result"),
    [
        ("name: 123", "'name' must be text, but '123' is a number to YAML readers", 'name: "123"'),
        ("description: 2026", "'description' must be text, but '2026' is a number to YAML readers",
         'description: "2026"'),
        ("license: 1.5 # x", "'license' must be text, but '1.5' is a number to YAML readers", 'license: "1.5" # x'),
        ("license: true", "'license' must be text, but 'true' is a boolean to YAML readers", 'license: "true"'),
        ("license: 2026-03-01", "'license' must be text, but '2026-03-01' is a date to YAML readers",
         'license: "2026-03-01"'),
        ("license: 010", "'license' must be text, but '010' is a number to YAML readers", 'license: "010"'),
    ],
)  # fmt: skip
def test_numbers_are_put_in_quotes(front: str, message: str, result: str) -> None:
    (found,) = only(findings_in(clean_skill("agentskills", front), "agentskills", path="123/SKILL.md"), "field-type")
    assert found.message == message
    assert found.fix is not None
    assert found.fix.safe
    assert after_fix(front, "agentskills", "field-type") == result


@pytest.mark.parametrize("value", ["!!str 123", '"123"', "'true'", "123a", "~", "", "null", "> \n  123", "1e", "v1"])
def test_text_that_looks_like_something_else(value: str) -> None:
    assert rules_in(f"license: {value}", "agentskills") == []


@pytest.mark.parametrize("value", ["yes", "no", "On", "1_000", "1:30"])
def test_what_readers_differ_about_is_for_yaml_ambiguous(value: str) -> None:
    found = findings_in(clean_skill("agentskills", f"license: {value}"), "agentskills")
    assert [f.rule for f in found if f.line == 4] == ["yaml-ambiguous"]


@pytest.mark.parametrize(
    ("value", "what", "hint"),
    [
        ("[a, b]", "a list", "write it as one text, in quotes if the brackets belong to it"),
        ("{a: b}", "a mapping", "write it as one text, in quotes if the brackets belong to it"),
        ("\n  - a\n  - b", "a list", "write it as one text"),
        ("\n  a: b", "a mapping", "write it as one text"),
        ("!!seq [a]", "a list", "write it as one text, in quotes if the brackets belong to it"),
    ],
)
def test_lists_and_mappings_are_not_text(value: str, what: str, hint: str) -> None:
    (found,) = found_in(f"license: {value}", "agentskills")
    assert (found.rule, found.message, found.hint, found.fix) == (
        "field-type",
        f"'license' must be text, not {what}",
        hint,
        None,
    )
    assert found.location.line == found.location.end_line


def test_the_place_is_the_first_line_of_the_value() -> None:
    (found,) = found_in("license:\n  - MIT\n  - ISC", "agentskills")
    assert (found.line, found.column, found.location.end_column) == (5, 3, 8)


@pytest.mark.parametrize("value", ["true", "false", "True", "FALSE", "", "null", "!!bool true"])
def test_case_035_booleans(value: str) -> None:
    assert only(findings_in(clean_skill("dualnova", f"requires_auth: {value}"), "dualnova"), "field-type") == []


@pytest.mark.parametrize("value", ["yes", "no", "On", "OFF"])
def test_case_035_other_words_for_true_are_for_yaml_ambiguous(value: str) -> None:
    found = findings_in(clean_skill("dualnova", f"requires_auth: {value}"), "dualnova")
    assert [f.rule for f in found if f.line == 5] == ["yaml-ambiguous"]


@pytest.mark.parametrize(
    ("value", "truth"),
    [('"true"', "true"), ("'No'", "false"), ('"off"', "false"), ("y", "true"), ("n", "false"), ('"yes" # x', "true")],
)
def test_case_035_text_where_a_boolean_is_expected(value: str, truth: str) -> None:
    (found,) = found_in(f"requires_auth: {value}", "dualnova")
    assert (found.rule, found.level, found.line, found.column) == ("field-type", "error", 5, 16)
    word = value.split()[0].strip("\"'")
    assert found.message == f"'requires_auth' must be true or false, not the text {word!r}"
    assert found.fix is not None
    assert not found.fix.safe
    assert after_fix(f"requires_auth: {value}", "dualnova", "field-type") == "requires_auth: " + value.replace(
        value.split()[0], truth
    )


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("maybe", "the text 'maybe'"),
        ("1", "a number"),
        ("[true]", "a list"),
        ("{a: b}", "a mapping"),
        ("2026-01-01", "a date"),
    ],
)
def test_what_is_no_boolean_at_all(value: str, what: str) -> None:
    (found,) = found_in(f"requires_payment: {value}", "dualnova")
    assert (found.message, found.fix) == (f"'requires_payment' must be true or false, not {what}", None)
    assert found.hint == "write true or false, without quotes"


@pytest.mark.parametrize(
    ("value", "what"),
    [("2026-08-21", "a date"), ("text", "text"), ("[a]", "a list"), ("7", "a number"), ("yes", "text")],
)
def test_case_037_metadata_must_be_a_mapping(value: str, what: str) -> None:
    (found,) = found_in(f"metadata: {value}", "agentskills")
    assert brief([found]) == [("field-type", "error", 4, 11)]
    assert found.message == f"'metadata' must be a mapping, not {what}"
    assert found.hint == "write 'key: value' lines below 'metadata'"


def test_a_mapping_in_quotes_is_taken_out_of_them() -> None:
    front = """metadata: '{"openclaw": {"emoji": "x"}}'"""
    assert after_fix(front, "agentskills", "field-type") == 'metadata: {"openclaw": {"emoji": "x"}}'
    (found,) = found_in('metadata: "{not a mapping"', "agentskills")
    assert found.fix is None


@pytest.mark.parametrize("front", ["metadata:", "metadata: {}", "metadata:\n  a: b", "metadata: !!map {a: b}"])
def test_metadata_that_passes(front: str) -> None:
    assert rules_in(front, "agentskills") == []


@pytest.mark.parametrize(
    ("spec", "front"), [("agentskills", "auth: [a]"), ("wsp", "provider: [a]"), ("dualnova", "author: [a]")]
)
def test_fields_are_judged_where_a_spec_knows_them(spec: str, front: str) -> None:
    assert "field-type" not in rules_in(front, spec)


def test_the_union_of_the_active_specs_is_judged() -> None:
    front = 'auth: [a]\nrequires_auth: "true"\nlicense: 1'
    assert rules_in(front, "wsp", "dualnova", "agentskills").count("field-type") == 3


@pytest.mark.parametrize("spec", ["wsp", "dualnova"])
def test_a_version_must_be_one_value(spec: str) -> None:
    assert rules_in("version: [1, 0, 0]", spec) == ["field-type"]
    assert rules_in("version:\n  major: 1", spec) == ["field-type"]


@pytest.mark.parametrize("front", ["license: *x", "license: &x MIT", "license: !custom MIT"])
def test_anchors_and_tags_are_for_another_rule(front: str) -> None:
    found = findings_in(clean_skill("agentskills", front), "agentskills")
    assert only(found, "field-type") == []


# --- field-typo -----------------------------------------------------------------------------------

TYPOS = [
    ("agentskills", "licence", "license"),
    ("agentskills", "License", "license"),
    ("agentskills", "lisence", "license"),
    ("agentskills", "descriptoin", "description"),
    ("agentskills", "desciption", "description"),
    ("agentskills", "discription", "description"),
    ("agentskills", "DESCRIPTION", "description"),
    ("agentskills", "allowed_tools", "allowed-tools"),
    ("agentskills", "allowedTools", "allowed-tools"),
    ("agentskills", "allow-tools", "allowed-tools"),
    ("agentskills", "allowed-tool", "allowed-tools"),
    ("agentskills", "compatability", "compatibility"),
    ("agentskills", "meta_data", "metadata"),
    ("agentskills", "metdata", "metadata"),
    ("agentskills", "nmae", "name"),
    ("wsp", "baseurl", "base_url"),
    ("wsp", "base-url", "base_url"),
    ("wsp", "baseUrl", "base_url"),
    ("wsp", "rate-limit", "rate_limit"),
    ("wsp", "apiVersion", "api_version"),
    ("wsp", "verison", "version"),
    ("wsp", "autor", "author"),
    ("wsp", "Auth", "auth"),
    ("dualnova", "requires-auth", "requires_auth"),
    ("dualnova", "required_auth", "requires_auth"),
    ("dualnova", "mcpServer", "mcp_server"),
    ("dualnova", "lanugages", "languages"),
    ("dualnova", "openApi", "openapi"),
    ("dualnova", "URL", "url"),
]


@pytest.mark.parametrize(("spec", "key", "field"), TYPOS)
def test_slips_are_found(spec: str, key: str, field: str) -> None:
    (found,) = only(found_in(f"{key}: some text", spec), "field-typo")
    assert (found.level, found.column, found.location.end_column) == ("warning", 1, len(key) + 1)
    assert found.message.startswith(f"unknown field {key!r}, did you mean {field!r}")
    assert rules_in(f"{key}: some text", spec).count("field-unknown") == 0


NO_TYPOS = [
    "models", "sources", "tags", "authors", "author_id", "languages", "language", "license_url", "licensee", "names",
    "displayName", "display_name", "metadata_version", "meta", "tools", "context", "content", "contents", "contract",
    "contracts", "contacts", "descriptor", "version_info", "versions", "versioning", "revision", "conversion",
    "requires", "requirements", "required", "provides", "provide", "providers", "openai", "open", "urls", "uri", "rate",
    "limit", "rate_limits", "base", "database_url", "user_invocable", "user-invokable", "disallowedTools",
    "disallowed_tools", "compatible_tools", "type", "title", "auto_invoke", "authority", "oauth", "summary", "platform",
    "argument_hint", "api", "app_version", "server", "mcp", "mcp_servers", "category", "trigger", "references", "model",
    "hooks", "agent",
]  # fmt: skip


@pytest.mark.parametrize("key", NO_TYPOS)
def test_other_words_are_no_slips(key: str) -> None:
    known = known_fields(frozenset(ALL))
    assert meant(key, known) is None or key in known


@pytest.mark.parametrize("key", sorted(CLIENT_FIELDS))
def test_fields_of_clients_are_no_slips(key: str) -> None:
    for spec in ALL:
        assert rules_in(f"{key}: some text", spec) == ["field-unknown"]


def test_known_fields_are_no_slips_of_each_other() -> None:
    known = known_fields(frozenset(ALL))
    assert [field for field in known if meant(field, known) is not None] == []


@pytest.mark.parametrize(
    ("front", "result"),
    [
        ("licence: MIT # ours", "license: MIT # ours"),
        ('"licence": MIT', '"license": MIT'),
        ("'licence' : MIT", "'license' : MIT"),
        ("Metadata:\n  team: billing", "metadata:\n  team: billing"),
    ],
)
def test_the_key_is_renamed(front: str, result: str) -> None:
    assert after_fix(front, "agentskills", "field-typo") == result


def test_case_053_a_near_miss() -> None:
    (found,) = found_in("descriptoin: x", "agentskills")
    assert brief([found]) == [("field-typo", "warning", 4, 1)]
    assert found.message == "unknown field 'descriptoin', did you mean 'description', which is there too?"
    assert found.fix is None
    assert found.hint == "keep one of the two"
    assert found.related[0][0].line == 3


def test_a_slip_in_a_required_field_is_missing_and_repairable() -> None:
    text = clean_skill("agentskills").replace("\ndescription:", "\ndesciption:")
    found = findings_in(text, "agentskills")
    assert [f.rule for f in found if f.level != "note"] == ["description-missing", "field-typo"]
    assert fixed(text, found[1]) == clean_skill("agentskills")


# --- field-misplaced ------------------------------------------------------------------------------


def test_case_053_a_version_in_a_skill_that_no_site_publishes() -> None:
    (found,) = found_in("version: 1.0.0", "agentskills")
    assert brief([found]) == [("field-misplaced", "note", 4, 1)]
    assert found.message == "'version' is no field of the format at the top level; its place is under 'metadata'"
    for spec in ("wsp", "dualnova"):
        assert rules_in("version: 1.0.0", spec, "agentskills") == []
    assert rules_in("author: Acme", "wsp", "agentskills") == []


@pytest.mark.parametrize(
    ("front", "result"),
    [
        ("version: 1.0.0", "metadata:\n  version: 1.0.0"),
        ("version: 1.0", 'metadata:\n  version: "1.0"'),
        ("version: 1.0.0 # bump me", "metadata:\n  version: 1.0.0 # bump me"),
        ("version: '1.0.0'", "metadata:\n  version: '1.0.0'"),
        ("version: 1.0.0\nlicense: MIT\nauthor: Acme", "metadata:\n  version: 1.0.0\n  author: Acme\nlicense: MIT"),
        ("version: 1.0.0\nmetadata:", "metadata:\n  version: 1.0.0"),
        ("version: 1.0.0\nmetadata:\n  # who\n  team: x", "metadata:\n  version: 1.0.0\n  # who\n  team: x"),
        ("metadata:\n    team: x\nauthor: Acme", "metadata:\n    author: Acme\n    team: x"),
        ("metadata: {team: x}\nauthor: Acme", 'metadata: {author: "Acme", team: x}'),
        ('metadata: {"team": "x"}\nauthor: Acme', 'metadata: {"author": "Acme", "team": "x"}'),
        ('metadata: { "team": "x" }\nauthor: Acme', 'metadata: {"author": "Acme", "team": "x" }'),
        ("metadata: {}\nauthor: Acme", 'metadata: {author: "Acme"}'),
        ("metadata:\n  text: |\n    long\nversion: 2.0.0", "metadata:\n  version: 2.0.0\n  text: |\n    long"),
        ("author: >\n  Acme\nversion: 2.0.0", "author: >\n  Acme\nmetadata:\n  version: 2.0.0"),
    ],
)
def test_entries_are_moved_under_metadata(front: str, result: str) -> None:
    text = clean_skill("agentskills", front)
    found = [f for f in only(findings_in(text, "agentskills"), "field-misplaced") if f.fix is not None]
    changed = fixed(text, found[0])
    assert all(f.fix == found[0].fix and f.fix is not None and not f.fix.safe for f in found)
    assert changed == clean_skill("agentskills", result)
    assert [f.rule for f in findings_in(changed, "agentskills") if f.rule in ("metadata-value", "yaml-syntax")] == []


def test_line_ends_are_kept() -> None:
    text = clean_skill("agentskills", "version: 1.0.0\nauthor: Acme").replace("\n", "\r\n")
    found = only(findings_in(text, "agentskills"), "field-misplaced")
    changed = fixed(text, found[1])
    assert "\r\nmetadata:\r\n  version: 1.0.0\r\n  author: Acme\r\n---\r\n" in changed
    assert changed.count("\n") == changed.count("\r\n")


@pytest.mark.parametrize(
    "front",
    [
        "author: >\n  Acme",
        "author: Acme\n  and Sons",
        'author: "Acme\n  and Sons"',
        "author:",
        "metadata: text\nauthor: Acme",
        "metadata: null\nauthor: Acme",
        "metadata: {team: x}\nauthor: Acme # ours",
    ],
)
def test_no_fix_where_something_would_be_lost(front: str) -> None:
    (found,) = only(found_in(front, "agentskills"), "field-misplaced")
    assert found.fix is None
    assert found.hint == "write it as one line of text below 'metadata:'"


@pytest.mark.parametrize(("there", "hint"), [("1.0.0", "remove the line"), ("2.0.0", None)])
def test_what_metadata_has_already_is_not_moved(there: str, hint: str | None) -> None:
    (found,) = found_in(f"version: 1.0.0\nmetadata:\n  version: {there}", "agentskills")
    assert found.message == "'version' is no field of the format at the top level, and 'metadata' has it already"
    assert (found.fix, found.hint, found.related[0][0].line) == (None, hint, 6)


@pytest.mark.parametrize("front", ["languages: [python, go]", "url:\n  - a", "contact: {a: b}"])
def test_lists_are_unknown_rather_than_misplaced(front: str) -> None:
    assert rules_in(front, "agentskills") == ["field-unknown"]


# --- field-unknown --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "message", "hint"),
    [
        ("model", "'model' is a field of Claude Code; other clients may ignore it", None),
        ("homepage", "'homepage' is a field of OpenClaw; other clients may ignore it", None),
        ("platforms", "'platforms' is a field of Hermes; other clients may ignore it", None),
        ("user_invocable", "no client knows the field 'user_invocable'; Claude Code knows 'user-invocable'",
         "write 'user-invocable'"),
        ("tier", "unknown field 'tier': no spec has it, and no client that this linter knows",
         "put it under 'metadata' if it is your own"),
    ],
)  # fmt: skip
def test_messages_of_unknown_fields(key: str, message: str, hint: str | None) -> None:
    (found,) = found_in(f"{key}: text", "agentskills")
    assert (found.rule, found.level, found.line, found.column) == ("field-unknown", "note", 4, 1)
    assert (found.message, found.hint, found.location.end_column) == (message, hint, len(key) + 1)


def test_case_053_fields_of_clients_are_named() -> None:
    for key in ("disable-model-invocation", "argument-hint", "context", "agent", "hooks", "user-invocable"):
        assert CLIENT_FIELDS[key] == "Claude Code"
    assert not CLIENT_FIELDS.keys() & known_fields(frozenset(SPECS))


def test_each_unknown_field_once() -> None:
    assert rules_in("tier: 2\nmodel: x\ntags: [a]\nversion: 1.0.0\nlicence: MIT", "agentskills") == [
        "field-unknown", "field-unknown", "field-unknown", "field-misplaced", "field-typo",
    ]  # fmt: skip


@pytest.mark.parametrize("front", ["? [a, b]\n: x", "<<: {a: b}", "? \n: x"])
def test_keys_that_are_no_names(front: str) -> None:
    assert "field-unknown" not in rules_in(front, "agentskills")


def test_a_page_has_fields_of_its_own() -> None:
    page = "---\ntitle: Skill\nDescription: x\nversion: 1.0.0\n---\n\n# Skill\n"
    files = {"docs/skill.md": page, "docs/other.md": page, "docs/third.md": page}
    assert [f.rule for f in report_on(files, ("agentskills",)).findings if f.code.startswith("SKL1")] == []


# --- version-format, api-version-type ----------------------------------------------------------------

SEMVER = [
    "1.0.0",
    "0.0.1",
    "1.0.0-rc.1",
    "1.0.0+b1",
    "1.0.0-alpha.1+exp.sha-5114f85",
    "2026.3.1",
    "1.0.0-0a",
    "10.20.30",
]
NO_SEMVER = [
    "1.0", "1", "v1.0.0", "01.0.0", "1.0.0-01", "1.0.x", "^1.0.0", "latest", "1.0.0.0", "2026.03.01", "1.0.0-\u03b1",
    "\uff11.0.0", "1.0.0-", "1.0.0+", "1.0.0-a..b", " 1.0.0", "1.0.0 ", "1.0.0\\n", "1,0,0", "-1.0.0",
]  # fmt: skip


@pytest.mark.parametrize("value", SEMVER)
def test_case_061_semantic_versions(value: str) -> None:
    assert rules_in(f"version: {value}", "wsp") == []
    assert rules_in(f"version: {value}", "dualnova") == []


@pytest.mark.parametrize("value", NO_SEMVER)
def test_case_061_what_is_no_semantic_version(value: str) -> None:
    (found,) = found_in(f'version: "{value}"', "wsp")
    assert brief([found]) == [("version-format", "error", 4, 10)]


@pytest.mark.parametrize("value", ["1", "1.0", "1.0.0", "1.0.0+b", "1.2-beta", "0", "2026.03.01"])
def test_case_061_versions_like_it(value: str) -> None:
    assert rules_in(f'version: "{value}"', "dualnova") == []
    assert only(findings_in(clean_skill("dualnova", f"version: {value}"), "dualnova"), "version-format") == []


@pytest.mark.parametrize("value", ["v1", "latest", "1.0.0.0", "1.x", "\uff11", "1.", ".1", "1.0\\n"])
def test_case_061_versions_not_like_it(value: str) -> None:
    assert [(f.rule, f.level) for f in found_in(f'version: "{value}"', "dualnova")] == [("version-format", "warning")]


def test_case_061_huge_numbers_and_hostile_versions_cost_nothing() -> None:
    assert rules_in(f"version: {'9' * 5000}.0.0", "wsp") == []
    assert rules_in(f"version: 1.0.0-{'1' * 20000}!", "wsp") == ["version-format"]
    assert rules_in(f"version: 1.0.0-{'a.' * 10000}!", "wsp") == ["version-format"]


def test_case_033_the_source_counts_not_the_number() -> None:
    (found,) = only(findings_in(clean_skill("wsp", "version: 1.10"), "wsp"), "version-format")
    assert found.message == "version '1.10' is not MAJOR.MINOR.PATCH: it has 2 numbers"
    assert after_fix("version: 1.10", "wsp", "version-format") == "version: 1.10.0"
    assert only(findings_in(clean_skill("dualnova", "version: 0"), "dualnova"), "version-missing") == []
    assert rules_in("version: 1.0", "dualnova") == []


@pytest.mark.parametrize(
    ("spec", "value", "result"),
    [
        ("wsp", "v1.0.0", "1.0.0"),
        ("wsp", "V2.1.0-rc.1", "2.1.0-rc.1"),
        ("wsp", "1.0", "1.0.0"),
        ("wsp", "2 # first", "2.0.0 # first"),
        ("wsp", '"1.0"', '"1.0.0"'),
        ("wsp", "'v1'", "'1.0.0'"),
        ("wsp", "1.2-beta", "1.2.0-beta"),
        ("dualnova", "v1.0.0", "1.0.0"),
        ("dualnova", "v1.10", '"1.10"'),
    ],
)
def test_obvious_versions_are_repaired(spec: str, value: str, result: str) -> None:
    (found,) = only(findings_in(clean_skill(spec, f"version: {value}"), spec), "version-format")
    assert found.fix is not None
    assert not found.fix.safe
    expected = clean_skill(spec, f"version: {result}")
    assert fixed(clean_skill(spec, f"version: {value}"), found) == expected
    assert only(findings_in(expected, spec), "version-format") == []


@pytest.mark.parametrize("value", ["latest", "1.0.x", "01.0.0", "1.0.0.0", "2026.03.01", "vv1", "1.0.0-\u03b1"])
def test_other_versions_get_a_hint(value: str) -> None:
    (found,) = only(findings_in(clean_skill("wsp", f"version: {value}"), "wsp"), "version-format")
    assert (found.fix, found.hint) == (None, "write numbers such as 1.0.0")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("v1.0.0", ": it begins with 'v'"),
        ("1", ": it has 1 number"),
        ("1.0", ": it has 2 numbers"),
        ("1.0.0.0", ": it has 4 numbers"),
        ("01.0.0", ": it has a number with a leading zero"),
        ("1.0.0-\u03b1", ": it has characters other than ASCII"),
        ("latest", ""),
        ("version-1", ""),
    ],
)
def test_why_a_version_is_none(value: str, why: str) -> None:
    (found,) = only(findings_in(clean_skill("wsp", f'version: "{value}"'), "wsp"), "version-format")
    assert found.message == f"version {value!r} is not MAJOR.MINOR.PATCH{why}"


def test_the_strictest_version_format_holds() -> None:
    assert brief(only(found_in("version: '1.0'", "wsp", "dualnova"), "version-format")) == [
        ("version-format", "error", 4, 10)
    ]


@pytest.mark.parametrize(
    ("value", "what"), [("2", "a number"), ("1.10", "a number"), ("2026-03-01", "a date"), ("true", "a boolean")]
)
def test_api_versions_are_text(value: str, what: str) -> None:
    (found,) = found_in(f"api_version: {value} # x", "wsp")
    assert (found.line, found.column, found.location.end_column) == (6, 14, 14 + len(value))
    assert found.message == f"'api_version' must be text, but {value!r} is {what} to YAML readers"
    assert found.fix is not None
    assert found.fix.safe
    assert after_fix(f"api_version: {value} # x", "wsp", "api-version-type") == f'api_version: "{value}" # x'


@pytest.mark.parametrize("value", ["v2", '"2"', "1.2.3", "!!str 2", "", "2026-03"])
def test_api_versions_that_pass(value: str) -> None:
    assert rules_in(f"api_version: {value}", "wsp") == []


def test_an_api_version_is_one_value() -> None:
    (found,) = found_in("api_version: [1]", "wsp")
    assert (found.message, found.fix) == ("'api_version' must be text, not a list", None)


# --- compatibility, metadata, license ----------------------------------------------------------------


def test_case_048_compatibility_counts_characters() -> None:
    assert rules_in(f"compatibility: {'字' * 500}", "agentskills") == []
    (found,) = found_in(f"compatibility: {'字' * 503}", "agentskills")
    assert found.message == "'compatibility' has 503 characters, 3 more than 500 allow"
    assert (found.line, found.column) == (4, 16)


def test_long_compatibility_over_several_lines_stands_on_its_first() -> None:
    words = "\n  ".join(["word " * 20] * 6)
    (found,) = found_in(f"compatibility: >\n  {words}", "agentskills")
    assert (found.line, found.location.end_line) == (4, 4)


@pytest.mark.parametrize(("value", "column"), [("", 1), (" null", 1), (' "  "', 16), (" ''", 16)])
def test_compatibility_may_not_be_empty(value: str, column: int) -> None:
    (found,) = found_in(f"compatibility:{value}", "agentskills")
    assert (found.message, found.column) == ("'compatibility' is empty", column)


def test_case_037_values_of_metadata() -> None:
    found = found_in(
        "metadata:\n  tool:\n    bins: [jq]\n  version: 1.3\n  updated: 2026-03-06\n  beta: true", "agentskills"
    )
    assert brief(found) == [
        ("metadata-value", "warning", 6, 5),
        ("metadata-value", "warning", 7, 12),
        ("metadata-value", "warning", 8, 12),
        ("metadata-value", "warning", 9, 9),
    ]
    assert [f.message for f in found] == [
        "'metadata.tool' must be text, not a mapping",
        "'metadata.version' must be text, but '1.3' is a number to YAML readers",
        "'metadata.updated' must be text, but '2026-03-06' is a date to YAML readers",
        "'metadata.beta' must be text, but 'true' is a boolean to YAML readers",
    ]
    assert [f.fix is None for f in found] == [True, False, False, False]


@pytest.mark.parametrize("key", sorted(CLIENT_NAMESPACES))
def test_case_037_namespaces_of_clients_pass(key: str) -> None:
    assert rules_in(f"metadata:\n  {key}:\n    requires: [jq]", "agentskills") == []
    assert rules_in(f"metadata:\n  {key}: true", "agentskills") == []


def test_case_037_one_scalar_one_finding() -> None:
    found = findings_in(clean_skill("agentskills", "metadata:\n  version: 1.10"), "agentskills")
    assert [f.rule for f in found if f.line == 5] == ["metadata-value"]


@pytest.mark.parametrize("value", ["text", "'1.0'", "1.0.0", "", "~", "|\n    a\n    b", "!!str 1.0", "v2"])
def test_strings_in_metadata_pass(value: str) -> None:
    assert rules_in(f"metadata:\n  key: {value}", "agentskills") == []


def test_values_of_metadata_are_put_in_quotes() -> None:
    assert after_fix("metadata: {a: 1, b: x}", "agentskills", "metadata-value") == 'metadata: {a: "1", b: x}'


def test_nobody_asks_for_metadata_in_the_web_specs_alone() -> None:
    assert rules_in("metadata:\n  a: 1", "dualnova") == ["field-unknown"]


LICENSES = [
    ("Complete terms in LICENSE.txt", "LICENSE.txt"),
    ("See LICENSE.md for terms", "LICENSE.md"),
    ("see LICENSE", "LICENSE"),
    ("SEE LICENSE IN LICENSE", "LICENSE"),
    ("LICENSE", "LICENSE"),
    ("See the file COPYING", "COPYING"),
    ("MIT (see licenses/LICENSE-MIT.txt)", "licenses/LICENSE-MIT.txt"),
    ("Proprietary. See LICENSE.", "LICENSE"),
    ("MIT, in LICENSE-MIT", "LICENSE-MIT"),
]


@pytest.mark.parametrize(("value", "name"), LICENSES)
def test_files_that_a_license_names(value: str, name: str) -> None:
    text = clean_skill("agentskills", f"license: {value}")
    (found,) = only(findings_in(text, "agentskills"), "license-file")
    assert found.message == f"'license' names the file {name!r}, which is not in the skill's folder"
    assert text.split("\n")[3][found.column - 1 : found.location.end_column - 1] == name
    files = {"pay-invoice/SKILL.md": text, f"pay-invoice/{name}": "x"}
    assert only(report_on(files, ("agentskills",)).findings, "license-file") == []


@pytest.mark.parametrize(
    "value",
    [
        "MIT", "Apache-2.0", "MIT License", "BSD 3-Clause License", "Proprietary",
        "GPL-3.0-or-later WITH Classpath-exception-2.0", "https://acme.example/LICENSE.txt",
        "See LICENSE in the repository root", "LICENSE of the parent project",
        "Licensed as the code", "see the licence of acme", "CC-BY-4.0", "UNLICENSED",
        "a licence in English", "see license terms", "me@license.md",
    ],
)  # fmt: skip
def test_licenses_that_name_no_file(value: str) -> None:
    assert rules_in(f"license: {value}", "agentskills") == []


@pytest.mark.parametrize(
    ("value", "there", "hint"),
    [
        ("see LICENSE", "LICENSE.txt", "none"),
        ("see LICENSE.md", "LICENSE.txt", "the folder has 'LICENSE.txt'"),
        ("see LICENSE.txt", "license.txt", "the folder has 'license.txt'"),
        ("see ../LICENSE.txt", "x", None),
    ],
)
def test_license_files_are_looked_up_by_listing(value: str, there: str, hint: str | None) -> None:
    files = {"pay-invoice/SKILL.md": clean_skill("agentskills", f"license: {value}"), f"pay-invoice/{there}": "x"}
    found = only(report_on(files, ("agentskills",)).findings, "license-file")
    assert [f.hint for f in found] == ([] if hint == "none" else [hint])


def test_a_license_above_the_skill_is_found_where_it_is_named_so() -> None:
    files = {"a/pay/SKILL.md": clean_skill("agentskills", "license: see ../LICENSE.txt"), "a/LICENSE.txt": "x"}
    assert only(report_on(files, ("agentskills",)).findings, "license-file") == []


# --- allowed-tools ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (" [Read, Bash(git:*)]", " Read Bash(git:*)"),
        (" [ Read , 'Bash(git add *)' ] # these", " Read Bash(git add *) # these"),
        ("\n  - Read\n  - Bash(git add *)", " Read Bash(git add *)"),
        ("\n- Read\n- Write", " Read Write"),
        (' ["Read, Write", "Bash(a, b)"]', " Read Write Bash(a, b)"),
        (' ["*"]', ' "*"'),
        (' ["Bash(git: *)"]', ' "Bash(git: *)"'),
    ],
)
def test_case_038_a_list_is_joined_with_blanks(value: str, result: str) -> None:
    (found,) = found_in(f"allowed-tools:{value}", "agentskills")
    assert (found.rule, found.level) == ("allowed-tools-format", "warning")
    assert found.message == "'allowed-tools' must be one text with blanks between the tools, not a list"
    assert found.fix is not None
    assert found.fix.safe
    assert after_fix(f"allowed-tools:{value}", "agentskills", "allowed-tools-format") == f"allowed-tools:{result}"
    assert rules_in(f"allowed-tools:{result}", "agentskills") == []


@pytest.mark.parametrize(
    "value",
    [
        "\n  - Read # to look\n  - Write",
        "\n  # all\n  - Read",
        "\n  - Read\n  - Write # last",
        " [Azure MCP/docs, Read]",
        " [Bash(git, Read]",
        " []",
        " [[Read]]",
    ],
)
def test_case_038_nothing_is_lost_by_the_join(value: str) -> None:
    (found,) = only(found_in(f"allowed-tools:{value}", "agentskills"), "allowed-tools-format")
    assert (found.fix, found.hint) == (None, "write the tools on one line with blanks between them")


def test_case_038_a_comment_below_the_list_stays() -> None:
    front = "allowed-tools: [Read, ]\n  # x"
    assert after_fix(front, "agentskills", "allowed-tools-format") == "allowed-tools: Read\n  # x"


@pytest.mark.parametrize(("value", "what"), [("{Read: true}", "a mapping"), ("true", "a boolean"), ("5", "a number")])
def test_allowed_tools_of_other_kinds(value: str, what: str) -> None:
    (found,) = found_in(f"allowed-tools: {value}", "agentskills")
    assert found.message == f"'allowed-tools' must be one text with blanks between the tools, not {what}"


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("Read, Grep", "Read Grep"),
        ("Read,Grep,", "Read Grep"),
        ('"Bash(git add *), Read"', '"Bash(git add *) Read"'),
        ("'Read, Grep' # both", "'Read Grep' # both"),
        ("Bash(a, b), Read", "Bash(a, b) Read"),
        ("Bash(python -c (x, y)), Read", "Bash(python -c (x, y)) Read"),
    ],
)
def test_case_038_commas_become_blanks(value: str, result: str) -> None:
    (found,) = found_in(f"allowed-tools: {value}", "agentskills")
    assert brief([found]) == [("allowed-tools-commas", "note", 4, 16)]
    assert found.fix is not None
    assert found.fix.safe
    assert after_fix(f"allowed-tools: {value}", "agentskills", "allowed-tools-commas") == f"allowed-tools: {result}"


@pytest.mark.parametrize("value", ["Read, Azure MCP/docs", ">\n  Read,\n  Grep", ")Read, Grep", "Read,\n  Grep"])
def test_commas_that_cannot_be_replaced_for_sure(value: str) -> None:
    (found,) = only(found_in(f"allowed-tools: {value}", "agentskills"), "allowed-tools-commas")
    assert (found.fix, found.hint) == (None, "write blanks instead of commas between the tools")


@pytest.mark.parametrize(
    "value", ["Read Grep", "Bash(git add *, git rm *) Read", "Bash(git, Read", "mcp__a__b Read", "", '""', "Read"]
)
def test_allowed_tools_that_pass(value: str) -> None:
    assert rules_in(f"allowed-tools: {value}", "agentskills") == []


def test_misspelt_optional_keys_of_an_index() -> None:
    index = """{
  "version": "1.0",
  "provider": "Acme",
  "provider_url": "https://acme.example",
  "contcat": "help@acme.example",
  "skills": [
    {
      "name": "pay-invoice",
      "title": "Pay an invoice",
      "desciption": "Pays an open invoice by card.",
      "url": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md",
      "langauges": ["en"],
      "executionUrl": "https://acme.example/pay",
      "Tags": ["pay"], "tags": ["billing"],
      "image": "pay.png"
    }
  ]
}
"""
    report = report_on(
        {
            ".well-known/agent-skills/index.json": index,
            ".well-known/agent-skills/pay-invoice/SKILL.md": clean_skill("dualnova"),
        }
    )
    found = [finding for finding in report.findings if finding.rule in ("field-typo", "index-schema")]
    assert [(f.level, f.line, f.column, f.message) for f in found] == [
        ("warning", 5, 3, "unknown field 'contcat', did you mean 'contact'?"),
        ("error", 7, 5, "the entry 'pay-invoice' has no 'description'; did you mean 'desciption' to be 'description'?"),
        ("warning", 12, 7, "unknown field 'langauges', did you mean 'languages'?"),
        ("warning", 13, 7, "unknown field 'executionUrl', did you mean 'execution_url'?"),
        ("warning", 14, 7, "unknown field 'Tags', did you mean 'tags', which is there too?"),
    ]
    assert '"languages": ["en"]' in fixed(index, found[2])


@pytest.mark.parametrize("value", ["2026-12-01", '"2026-12-01"'])
def test_a_date_is_no_version(value: str) -> None:
    text = clean_skill("wsp", f"version: {value}")
    (found,) = only(findings_in(text, "wsp"), "version-format")
    assert found.message == "version '2026-12-01' is not MAJOR.MINOR.PATCH: it is a date"
    assert f"version: {value.replace('2026-12-01', '2026.12.1')}\n" in fixed(text, found)


def test_case_005_brackets_of_a_hint_make_a_list() -> None:
    found = only(findings_in(clean_skill("agentskills", "argument-hint: [path]"), "agentskills"), "field-unknown")
    said = "'argument-hint' is a field of Claude Code; other clients may ignore it; it is text, and '[path]' is a list"
    assert [(f.level, f.message, f.hint) for f in found] == [("note", said, "put it in quotes")]
