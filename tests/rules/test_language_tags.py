"""Languages as BCP 47 tags (SKL401 to SKL407)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentskills_lint.rules.language_tags import canonical, is_well_formed, unregistered
from tests.support import brief, clean_skill, findings_in, fixed, only

LANGUAGE_RULES = {
    "language-list", "language-tag", "language-unregistered", "language-canonical", "language-duplicate",
    "language-boolean", "language-underscore",
}  # fmt: skip


def language_findings(entry: str, spec: str = "dualnova") -> list[tuple[str, str, int, int]]:
    found = findings_in(clean_skill(spec, entry), spec)
    return brief([f for f in found if f.rule in LANGUAGE_RULES])


def judged(tag: str) -> list[tuple[str, str]]:
    """(rule, level) for one quoted tag in a list."""
    found = findings_in(clean_skill("dualnova", f'languages: ["{tag}"]'), "dualnova")
    return [(f.rule, f.level) for f in found if f.rule in LANGUAGE_RULES]


# --- case 63 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tag",
    [
        "en", "fil", "es-419", "pt-BR", "zh-Hans-CN", "zh-Hant", "cmn", "yue-Hant-HK", "sr-Latn-RS", "de-CH-1901",
        "sl-rozaj-biske", "x-acme", "en-x-acme", "und", "mul", "qaa", "qaa-Qaaa-QM-x-southern", "en-Latn", "en-US",
        "de-DE-u-co-phonebk", "i-default", "i-enochian", "zh-min", "no", "tl", "sh", "en-AA", "ja-Latn-hepburn",
    ],
)  # fmt: skip
def test_case_063_right_tags_are_silent(tag: str) -> None:
    assert judged(tag) == []


CANONICAL = [
    ("EN", "en"), ("en-us", "en-US"), ("EN-us", "en-US"), ("zh-HANS", "zh-Hans"), ("zh-hans-cn", "zh-Hans-CN"),
    ("X-ACME", "x-acme"), ("iw", "he"), ("iw-IL", "he-IL"), ("in", "id"), ("ji", "yi"), ("mo", "ro"),
    ("i-klingon", "tlh"), ("en-GB-oed", "en-GB-oxendict"), ("art-lojban", "jbo"), ("zh-yue", "yue"),
    ("zh-cmn", "cmn"), ("zh-cmn-Hans-CN", "cmn-Hans-CN"), ("sgn-ase", "ase"), ("sgn-US", "ase"),
    ("no-bok", "nb"), ("zh-min-nan", "nan"), ("de-DD", "de-DE"), ("my-BU", "my-MM"),
    ("ja-Latn-hepburn-heploc", "ja-Latn-hepburn-alalc97"), ("en-u-ca-gregory-t-de", "en-t-de-u-ca-gregory"),
    ("EN-x-A-B-US", "en-x-a-b-us"),
]  # fmt: skip


@pytest.mark.parametrize(("tag", "form"), CANONICAL)
def test_case_063_other_forms_are_notes(tag: str, form: str) -> None:
    assert judged(tag) == [("language-canonical", "note")]
    text = clean_skill("dualnova", f'languages: [fr, "{tag}"]')
    (found,) = only(findings_in(text, "dualnova"), "language-canonical")
    assert found.fix is not None
    assert found.fix.safe
    assert f'languages: [fr, "{form}"]\n' in fixed(text, found)
    assert canonical(form) == form


@pytest.mark.parametrize(
    ("tag", "message", "hint"),
    [
        ("English", "'English' is the name of a language, not its tag", "write en"),
        ("español", "'español' is the name of a language, not its tag", "write es"),
        ("python", "'python' does not begin with a language of two or three letters", None),
        ("e", "'e' does not begin with a language of two or three letters", None),
        ("a-DE", "'a-DE' does not begin with a language of two or three letters", None),
        ("1-DE", "'1-DE' does not begin with a language of two or three letters", None),
        ("en-", "'en-' has a hyphen with nothing beside it", "write en"),
        ("en--US", "'en--US' has a hyphen with nothing beside it", "write en-US"),
        ("-en", "'-en' has a hyphen with nothing beside it", "write en"),
        ("*", "'*' matches any language in a request; a skill lists the languages it has", None),
        ("de-419-DE", "'de-419-DE' has the subtag 'DE' where none of its kind can stand", None),
        ("en-US-Latn", "'en-US-Latn' has the subtag 'Latn' where none of its kind can stand", None),
        ("en-abcdefghi", "'en-abcdefghi' has the subtag 'abcdefghi' where none of its kind can stand", None),
        ("ar-a-aaa-b-bbb-a-ccc", "'ar-a-aaa-b-bbb-a-ccc' has the subtag 'a' twice", None),
        ("de-1996-1996", "'de-1996-1996' has the subtag '1996' twice", None),
        ("en-x", "'en-x' ends with 'x', which opens an extension that is not there", None),
        ("x", "'x' ends with 'x', which opens an extension that is not there", None),
        ("en-US.UTF-8", "'en-US.UTF-8' has '.'; language tags are made of letters, digits and hyphens", "write en-US"),
        ("en_US.UTF-8", "'en_US.UTF-8' has '_'; language tags are made of letters, digits and hyphens", "write en-US"),
        (" en", "' en' has ' '; language tags are made of letters, digits and hyphens", "write en"),
        ("ｅｎ", "'ｅｎ' has 'ｅ'; language tags are made of letters, digits and hyphens", None),  # noqa: RUF001
        ("", "an empty string is no language tag", None),
    ],
)
def test_case_063_malformed_tags_are_errors(tag: str, message: str, hint: str | None) -> None:
    assert judged(tag) == [("language-tag", "error")]
    (found,) = only(findings_in(clean_skill("dualnova", f'languages: ["{tag}"]'), "dualnova"), "language-tag")
    assert (found.message, found.hint) == (message, hint)
    assert (found.line, found.column, found.location.end_column) == (5, 13, 15 + len(tag))


def test_case_063_a_final_line_break_is_no_part_of_a_tag() -> None:
    assert judged("en\\n") == [("language-tag", "error")]


@pytest.mark.parametrize(
    ("tag", "message", "hint"),
    [
        ("jp", "'jp' is no registered language", "write ja"),
        ("cn", "'cn' is no registered language", "write zh"),
        ("xx", "'xx' is no registered language", None),
        ("abcd", "'abcd' is no registered language", None),
        ("zzz", "'zzz' is no registered language", None),
        ("eng", "'eng' is no registered language", "write en"),
        ("ger-AT", "'ger-AT': 'ger' is no registered language", "write de-AT"),
        ("en-UK", "'en-UK': 'UK' is no registered region", "write en-GB"),
        ("en-QQQ", "'en-QQQ': 'qqq' is no registered subtag of en", None),
        ("en-cmn", "'en-cmn': 'cmn' is no registered subtag of en", None),
        ("en-999", "'en-999': '999' is no registered region", None),
        ("en-Xxxx", "'en-Xxxx': 'Xxxx' is no registered script", None),
        ("en-foobar", "'en-foobar': 'foobar' is no registered variant", None),
        ("en-USA", "'en-USA': 'usa' is no registered subtag of en", None),
    ],
)
def test_case_063_unregistered_subtags_are_warnings(tag: str, message: str, hint: str | None) -> None:
    assert judged(tag) == [("language-unregistered", "warning")]
    (found,) = only(findings_in(clean_skill("dualnova", f'languages: ["{tag}"]'), "dualnova"), "language-unregistered")
    assert (found.message, found.hint) == (message, hint)


def test_case_063_underscore_keeps_its_quotes() -> None:
    text = clean_skill("dualnova", "languages: [en_US, 'pt_BR', \"zh_Hans_CN\"] # three")
    found = only(findings_in(text, "dualnova"), "language-underscore")
    assert brief(found) == [("language-underscore", "error", 5, column) for column in (13, 20, 29)]
    assert found[0].message == "'en_US' has an underscore; language tags have hyphens"
    for finding in reversed(found):
        text = fixed(text, finding)
    assert "languages: [en-US, 'pt-BR', \"zh-Hans-CN\"] # three\n" in text


def test_case_063_duplicates() -> None:
    text = clean_skill("dualnova", "languages: [en, es, EN, iw, he, es]")
    found = findings_in(text, "dualnova")
    assert brief([f for f in found if f.rule in LANGUAGE_RULES]) == [
        ("language-duplicate", "warning", 5, 21),
        ("language-canonical", "note", 5, 25),
        ("language-duplicate", "warning", 5, 29),
        ("language-duplicate", "warning", 5, 33),
    ]
    duplicates = only(found, "language-duplicate")
    assert [f.message for f in duplicates] == [
        "'EN' is the same as 'en'",
        "'he' is the same as 'iw'",
        "'es' is listed twice",
    ]
    assert [(f.related[0][0].column, f.related[0][1]) for f in duplicates] == [
        (13, "first listed here"),
        (25, "first listed here"),
        (17, "first listed here"),
    ]
    for finding in reversed(duplicates):
        text = fixed(text, finding)
    assert "languages: [en, es, iw]\n" in text


def test_duplicates_in_a_block_list_keep_comments() -> None:
    text = clean_skill("dualnova", "languages:\n  - en\n  - es\n  - en")
    (found,) = only(findings_in(text, "dualnova"), "language-duplicate")
    assert (found.line, found.column) == (8, 5)
    assert "languages:\n  - en\n  - es\n---\n" in fixed(text, found)
    text = clean_skill("dualnova", "languages:\n  - en # first\n  - en")
    (found,) = only(findings_in(text, "dualnova"), "language-duplicate")
    assert found.fix is None


def test_duplicates_are_found_without_dualnova_but_only_of_real_languages() -> None:
    assert language_findings("languages: [en, en]", "agentskills") == [("language-duplicate", "warning", 4, 17)]
    assert language_findings("languages: [python, python, rust, rust, js, js, c++, c++]", "agentskills") == []


# --- case 32 and the types --------------------------------------------------------------------------


def test_case_032_norway() -> None:
    text = clean_skill("dualnova", "languages: [no, en]")
    found = [f for f in findings_in(text, "dualnova") if f.line == 5]
    assert brief(found) == [("language-boolean", "error", 5, 13)]
    assert found[0].location.end_column == 15
    assert found[0].message == (
        "unquoted no is a boolean to YAML 1.1 readers, not a language; Norwegian may also be nb or nn"
    )
    assert found[0].fix is not None
    assert found[0].fix.safe
    after = fixed(text, found[0])
    assert 'languages: ["no", en]\n' in after
    assert language_findings('languages: ["no", en]') == []


@pytest.mark.parametrize("word", ["no", "No", "NO", "on", "off", "yes", "Yes", "y", "n", "N"])
def test_case_032_every_word_that_is_a_boolean_somewhere(word: str) -> None:
    assert language_findings(f"languages:\n  - en\n  - {word}") == [("language-boolean", "error", 7, 5)]


@pytest.mark.parametrize(
    "entry", ["languages: ['no']", 'languages: ["no"]', "languages: [nb, nn]", "languages:\n  - 'no'"]
)
def test_case_032_quotes_and_other_tags_pass(entry: str) -> None:
    assert language_findings(entry) == []


@pytest.mark.parametrize(
    ("entry", "message", "after"),
    [
        ("languages: en", "languages is the string 'en', not a list of language tags", "languages: [en]"),
        ("languages: en, es", "languages is the string 'en, es', not a list of language tags", "languages: [en, es]"),
        ('languages: "en es"', "languages is the string 'en es', not a list of language tags", "languages: [en, es]"),
        ("languages: no", "languages is the boolean 'no', not a list of language tags", 'languages: ["no"]'),
        ("languages: pt_BR", "languages is the string 'pt_BR', not a list of language tags", "languages: [pt_BR]"),
        (
            "languages: English and Spanish",
            "languages is the string 'English and Spanish', not a list of language tags",
            "",
        ),
        ("languages: 2", "languages is the number '2', not a list of language tags", ""),
    ],
)
def test_language_list_of_something_else(entry: str, message: str, after: str) -> None:
    text = clean_skill("dualnova", entry)
    (found,) = [f for f in findings_in(text, "dualnova") if f.rule in LANGUAGE_RULES]
    assert (found.rule, found.level, found.line, found.column) == ("language-list", "error", 5, 12)
    assert found.message == message
    if after:
        assert found.fix is not None
        assert found.fix.safe
        assert after + "\n" in fixed(text, found)
    else:
        assert found.fix is None
        assert found.hint == "write a list such as [en, es]"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("languages:", "languages is empty, not a list of language tags"),
        ('languages: ""', "languages is empty, not a list of language tags"),
        ("languages: {en: true}", "languages is a mapping, not a list of language tags"),
    ],
)
def test_language_list_points_at_the_key_where_the_value_says_nothing(entry: str, message: str) -> None:
    (found,) = only(findings_in(clean_skill("dualnova", entry), "dualnova"), "language-list")
    assert (found.line, found.column, found.location.end_column, found.message) == (5, 1, 10, message)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("5", "this language is the number 5, not a string"),
        ("true", "this language is the boolean true, not a string"),
        ("2026-03-01", "this language is the date 2026-03-01, not a string"),
        ("~", "this language is empty, not a string"),
        ("[en]", "this language is a list, not a string"),
        ("{en: es}", "this language is a mapping, not a string"),
    ],
)
def test_language_list_items(item: str, message: str) -> None:
    text = clean_skill("dualnova", f"languages: [en, {item}]")
    (found,) = [f for f in findings_in(text, "dualnova") if f.rule in LANGUAGE_RULES]
    assert (found.rule, found.level, found.line, found.column) == ("language-list", "error", 5, 17)
    assert found.message == message


def test_an_empty_list_says_nothing_wrong() -> None:
    assert language_findings("languages: []") == []


def test_language_rules_are_dualnovas() -> None:
    assert language_findings("languages: english", "agentskills") == []
    assert language_findings("languages: [english, jp, en_US, EN, no]", "wsp") == []


# --- demands and helpers ----------------------------------------------------------------------------

DEMANDS = [
    ("languages is an array", "languages: en", "language-list", "error"),
    ("validator: error when no array", "languages: {en: es}", "language-list", "error"),
    ("items are BCP 47 codes", "languages: [english]", "language-tag", "error"),
    ("items are BCP 47 codes", "languages: [jp]", "language-unregistered", "warning"),
    ("items are BCP 47 codes", "languages: [iw]", "language-canonical", "note"),
    ("items are BCP 47 codes", "languages: [no]", "language-boolean", "error"),
    ("items are BCP 47 codes", "languages: [en_GB]", "language-underscore", "error"),
    ("validator: warns on other items", "languages: [e]", "language-tag", "error"),
]


@pytest.mark.parametrize(("demand", "entry", "rule", "level"), DEMANDS)
def test_demand(demand: str, entry: str, rule: str, level: str) -> None:
    found = findings_in(clean_skill("dualnova", entry), "dualnova")
    assert [(f.rule, f.level) for f in found if f.rule in LANGUAGE_RULES] == [(rule, level)], demand


def test_the_registry_agrees() -> None:
    from langcodes.registry_parser import parse_registry

    for entry in parse_registry():  # type: ignore[no-untyped-call]
        name = entry.get("Subtag", entry.get("Tag"))
        if ".." in name:
            continue
        kind = entry["Type"]
        prefix = {"script": "en-", "region": "en-", "variant": "en-"}.get(kind, "")
        if kind == "extlang":
            prefix = entry["Prefix"][0] + "-"
        tag = prefix + name
        assert is_well_formed(tag), tag
        assert unregistered(tag) is None, tag
        preferred = entry.get("Preferred-Value")
        if kind == "extlang":
            assert canonical(tag) == preferred
        elif preferred or kind != "redundant":
            assert canonical(tag) == prefix + (preferred or name)


def test_common_tags_need_no_language_data() -> None:
    code = (
        "import sys\n"
        "from agentskills_lint.rules.language_tags import canonical, is_well_formed, unregistered\n"
        "for tag in ('en', 'pt-BR', 'zh-Hans-CN', 'es-419', 'jp', 'x-a'):\n"
        "    is_well_formed(tag), canonical(tag), unregistered(tag)\n"
        "sys.exit('langcodes' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_grammar_is_linear() -> None:
    for tag in ("en-" + "a1234-" * 20_000, "x-" + "a-" * 50_000, "en-a-" + "bb-" * 50_000, "-" * 100_000):
        is_well_formed(tag)
