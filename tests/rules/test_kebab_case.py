"""The rules about the form of a skill's name."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding
from tests.support import brief, clean_skill, findings_in, fixed, only, report_on

ALL = ("agentskills", "discovery", "dualnova", "wsp")


def named(name: str, *specs: str, folder: str | None = None) -> list[Finding]:
    """The findings about names on a clean skill of the first spec."""
    text = clean_skill(specs[0], f"name: {name}")
    path = f"{folder if folder is not None else name}/SKILL.md"
    return [f for f in findings_in(text, *specs, path=path) if f.code.startswith("SKL2")]


# --- name-kebab-case ------------------------------------------------------------------------------

DEMANDS = [
    *[(spec, "only small letters, digits, hyphens", "PayInvoice", "name-kebab-case", "error") for spec in ALL],
    *[(spec, "only small letters, digits, hyphens", "pay_invoice", "name-kebab-case", "error") for spec in ALL],
    *[(spec, "only small letters, digits, hyphens", "pay invoice", "name-kebab-case", "error") for spec in ALL],
    *[(spec, "only small letters, digits, hyphens", "pay.invoice", "name-kebab-case", "error") for spec in ALL],
    *[(spec, "no hyphen at the start", "-pay", "name-kebab-case", "error") for spec in ALL],
    *[(spec, "no hyphen at the end", "pay-", "name-kebab-case", "error") for spec in ALL],
    *[(spec, "no two hyphens in a row", "pay--invoice", "name-kebab-case", "error") for spec in ALL],
    ("agentskills", "name: at most 64", "a" * 65, "name-length", "error"),
    ("discovery", "URI structure: at most 64", "a" * 65, "name-length", "error"),
    ("dualnova", "validator: a letter first", "3d-print", "name-letter-first", "warning"),
    ("discovery", "a to z only", "zahlung-für-alle", "name-unicode", "error"),
    ("dualnova", "a to z only", "zahlung-für-alle", "name-unicode", "error"),
    ("agentskills", "unicode in one breath with a to z", "zahlung-für-alle", "name-unicode", "note"),
    ("wsp", "kebab-case", "zahlung-für-alle", "name-unicode", "note"),
    ("claude", "reserved words", "claude-invoices", "name-reserved", "error"),
]


@pytest.mark.parametrize(("spec", "section", "name", "rule", "level"), DEMANDS)
def test_demand_on_the_form_of_a_name(spec: str, section: str, name: str, rule: str, level: str) -> None:
    assert brief(named(f'"{name}"', spec, folder=name)) == [(rule, level, 2, 7)]


DIRECTORY = [("agentskills", "error"), ("wsp", "error"), ("dualnova", "warning")]


@pytest.mark.parametrize(("spec", "level"), DIRECTORY)
def test_demand_that_the_name_is_that_of_the_directory(spec: str, level: str) -> None:
    assert brief(named("place-order", spec, folder="order")) == [("name-directory", level, 2, 7)]
    assert named("place-order", spec) == []


def test_discovery_does_not_ask_for_the_directory() -> None:
    assert named("place-order", "discovery", folder="order") == []


@pytest.mark.parametrize("spec", ALL)
@pytest.mark.parametrize("name", ["a", "pay", "pay-invoice", "a-b-c-d", "x1", "v2-api", "pay-2"])
def test_names_that_pass(spec: str, name: str) -> None:
    assert named(name, spec) == []


@pytest.mark.parametrize("spec", ["agentskills", "discovery", "wsp"])
@pytest.mark.parametrize("name", ["3d-print", "2fa"])
def test_case_045_a_leading_digit_passes_but_in_dualnova(spec: str, name: str) -> None:
    assert named(name, spec) == []


def test_case_045_all_reasons_in_one_finding() -> None:
    (found,) = named("Place_Order-", "agentskills", folder="place-order")
    assert brief([found]) == [("name-kebab-case", "error", 2, 7)]
    assert found.location.end_column == 19
    assert found.message == (
        "name 'Place_Order-' is not kebab-case: it has capital letters and underscores, ends with a hyphen;"
        " write 'place-order'"
    )
    assert found.fix is not None
    assert not found.fix.safe
    text = clean_skill("agentskills", "name: Place_Order-")
    assert fixed(text, found) == clean_skill("agentskills", "name: place-order")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Azure CLI", "azure-cli"),
        ('"Azure CLI"', '"azure-cli"'),
        ("'Azure CLI' # the tool", "'azure-cli' # the tool"),
        ("stitch::react-native", "stitch-react-native"),
        ("virtual-agent/ios", "virtual-agent-ios"),
        ("RedTeam", "red-team"),
        ("HTTPServer", "httpserver"),
        ("Überweisung", "uberweisung"),
        ('"12.5"', '"12-5"'),
    ],
)
def test_the_fix_keeps_quotes_and_comments(written: str, expected: str) -> None:
    text = clean_skill("agentskills", f"name: {written}")
    folder = expected.split(" #")[0].strip("'\"")
    (found,) = only(findings_in(text, "agentskills", path=f"{folder}/SKILL.md"), "name-kebab-case")
    assert fixed(text, found).split("\n")[1] == f"name: {expected}"


def test_case_045_the_name_of_the_folder_is_what_a_name_has_to_become() -> None:
    (found,) = named("Prisma ORM Guide", "agentskills", folder="prisma-expert")
    assert found.message == (
        "name 'Prisma ORM Guide' is not kebab-case: it has capital letters and blanks"
        " and differs from its folder 'prisma-expert'; write 'prisma-expert'"
    )
    text = clean_skill("agentskills", "name: Prisma ORM Guide")
    assert fixed(text, found) == clean_skill("agentskills", "name: prisma-expert")


@pytest.mark.parametrize(
    ("name", "folder", "better"),
    [
        ("Zoom iOS", "i-os", "zoom-i-os"),
        ("Place_Order", "order", "place-order"),
        ("PDF Tools", "PDF_Tools", "pdf-tools"),
    ],
)
def test_no_fix_that_name_directory_would_take_back(name: str, folder: str, better: str) -> None:
    (found,) = named(name, "agentskills", folder=folder)
    assert (found.rule, found.fix, found.hint) == (
        "name-kebab-case",
        None,
        f"rename the folder to '{better}' as well",
    )


@pytest.mark.parametrize("folder", ["place-order", "checkout", "order", "Order", "2026", "pay_order"])
@pytest.mark.parametrize("name", ["Place_Order", "place order", "place-order", "order", "PLACE--ORDER-", "checkout"])
def test_the_fixes_of_a_name_come_to_rest_in_one_step(name: str, folder: str) -> None:
    text = clean_skill("agentskills", f"name: {name}")
    for finding in findings_in(text, "agentskills", path=f"{folder}/SKILL.md"):
        if finding.rule in ("name-kebab-case", "name-directory") and finding.fix is not None:
            after = findings_in(fixed(text, finding), "agentskills", path=f"{folder}/SKILL.md")
            assert [f.rule for f in after if f.code.startswith("SKL2")] == []


def test_what_readers_make_of_a_name_comes_first() -> None:
    found = findings_in(clean_skill("agentskills", "name: 2026_03"), "agentskills", path="2026_03/SKILL.md")
    assert [f.rule for f in found if f.line == 2] == ["yaml-ambiguous"]


def test_no_fix_where_the_folder_has_the_same_name() -> None:
    (found,) = named("PDF_Tools", "agentskills")
    assert found.fix is None
    assert found.hint == "rename the folder to 'pdf-tools' as well"
    assert (
        found.message == "name 'PDF_Tools' is not kebab-case: it has capital letters and underscores; write 'pdf-tools'"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Pay", "has capital letters"),
        ("pay invoice", "has blanks"),
        ("pay\u00a0invoice", "has blanks"),
        ("pay_invoice", "has underscores"),
        ("pay/invoice", "has '/'"),
        ("pay(a)+b", "has '(', ')' and '+'"),
        ("pay\u200binvoice", "has '\\u200b'"),
        ("-pay", "begins with a hyphen"),
        ("pay-", "ends with a hyphen"),
        ("pay--it", "has two hyphens in a row"),
        ("---", "has two hyphens in a row, begins with a hyphen, ends with a hyphen"),
        ("Ä", "has capital letters"),
    ],
)
def test_reasons(name: str, reason: str) -> None:
    text = clean_skill("agentskills", f'name: "{name}"')
    (found,) = only(findings_in(text, "agentskills", path=f"{name.replace('/', '-')}/SKILL.md"), "name-kebab-case")
    assert f"is not kebab-case: it {reason}" in found.message


def test_a_name_of_which_nothing_is_left_gets_no_fix() -> None:
    (found,) = named('"!!"', "agentskills", folder="!!")
    assert found.fix is None
    assert found.hint == "write lowercase words of a to z and 0 to 9, joined by hyphens"


# --- name-length ----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["agentskills", "discovery"])
def test_case_048_characters_are_counted(spec: str) -> None:
    assert [f.rule for f in named("a" * 64, spec)] == []
    (found,) = named("a" * 66, spec)
    assert found.message == "the name has 66 characters, 2 more than the limit of 64"
    # 64 characters, 192 bytes
    assert [f.rule for f in named("字" * 64, spec)] == ["name-unicode"]


@pytest.mark.parametrize("spec", ["dualnova", "wsp"])
def test_no_limit_where_the_spec_has_none(spec: str) -> None:
    assert named("a" * 65, spec) == []


# --- name-directory -------------------------------------------------------------------------------


def test_case_041_the_name_differs_from_the_directory() -> None:
    (found,) = named("place-order", "agentskills", folder="buy")
    assert found.message == "name 'place-order' differs from the directory 'buy'"
    assert found.location.end_column == 18
    assert fixed(clean_skill("agentskills", "name: place-order"), found) == clean_skill("agentskills", "name: buy")
    assert found.fix is not None
    assert not found.fix.safe


@pytest.mark.parametrize(
    ("name", "folder"), [("zoom-ios", "ios"), ("pay-api", "pay"), ("acme-pay-api", "pay"), ("acme-pay-v2", "acme-pay")]
)
def test_no_fix_takes_the_vendor_out_of_a_name(name: str, folder: str) -> None:
    (found,) = named(name, "agentskills", folder=folder)
    assert found.message == f"name '{name}' differs from the directory '{folder}'"
    assert (found.fix, found.hint) == (None, f"rename the directory to '{name}', or write '{folder}'")


@pytest.mark.parametrize("folder", ["default", "skill", "src"])
def test_no_fix_towards_a_folder_that_could_hold_anything(folder: str) -> None:
    (found,) = named("place-order", "agentskills", folder=folder)
    assert (found.rule, found.fix, found.hint) == ("name-directory", None, "rename the directory to 'place-order'")
    (found,) = named("Place Order", "agentskills", folder=folder)
    assert (found.rule, found.fix, found.hint) == (
        "name-kebab-case",
        None,
        "rename the folder to 'place-order' as well",
    )


@pytest.mark.parametrize(("name", "folder"), [("radios", "ios"), ("pay", "acme-pay"), ("payment", "pay")])
def test_a_part_of_a_word_or_a_longer_folder_is_no_such_part(name: str, folder: str) -> None:
    (found,) = named(name, "agentskills", folder=folder)
    assert found.fix is not None
    assert found.fix.title == f"write {folder}"


def test_case_041_no_fix_towards_a_directory_that_is_not_kebab_case() -> None:
    (found,) = named("kami", "agentskills", folder="Kami")
    assert (found.rule, found.fix, found.hint) == ("name-directory", None, "rename the directory to 'kami'")


def test_case_041_it_can_be_suppressed() -> None:
    text = clean_skill("agentskills", "name: place-order # agentskills-lint: ignore[name-directory]")
    found = findings_in(text, "agentskills", path="order/SKILL.md")
    assert only(found, "name-directory") == []


def test_a_folder_of_digits_is_quoted() -> None:
    (found,) = named("year", "agentskills", folder="2026")
    assert fixed(clean_skill("agentskills", "name: year"), found).split("\n")[1] == 'name: "2026"'


def _tree(root: Path) -> Path:
    skill = root / "shop" / "order" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(clean_skill("agentskills", "name: place-order"), encoding="utf-8")
    return skill


def _directory_findings(argument: str) -> list[str]:
    report = lint(project([argument]), Config(spec=("agentskills",), level="note"))
    return [f.message for f in report.findings if f.rule == "name-directory"]


def test_case_042_the_same_from_every_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = _tree(tmp_path)
    expected = ["name 'place-order' differs from the directory 'order'"]
    monkeypatch.chdir(skill.parent)
    for argument in (".", "SKILL.md", "./SKILL.md", "../order", "..", str(skill), str(tmp_path)):
        assert _directory_findings(argument) == expected, argument
    monkeypatch.chdir(tmp_path)
    assert _directory_findings("shop/order/SKILL.md") == expected


def test_case_089_the_name_of_the_link_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = _tree(tmp_path / "elsewhere")
    links = tmp_path / "skills"
    links.mkdir()
    (links / "place-order").symlink_to(skill.parent, target_is_directory=True)
    monkeypatch.chdir(links)
    assert _directory_findings("place-order") == []


def test_a_skill_at_the_root_of_a_repository_has_no_directory() -> None:
    text = clean_skill("agentskills", "name: place-order")
    assert only(report_on({".git/HEAD": "ref: x", "SKILL.md": text}, ("agentskills",)).findings, "name-directory") == []
    assert len(only(report_on({"order/SKILL.md": text}, ("agentskills",)).findings, "name-directory")) == 1


@pytest.mark.parametrize(("path", "count"), [("public/skill.md", 0), ("order/skill.md", 1), ("public/SKILL.md", 1)])
def test_a_skill_published_at_the_root_of_a_site_has_no_directory(path: str, count: int) -> None:
    text = clean_skill("agentskills", "name: place-order")
    assert len(only(report_on({path: text}, ("agentskills",)).findings, "name-directory")) == count


def test_the_root_of_a_site_is_no_directory_of_a_skill() -> None:
    files = {
        "web/.well-known/agent-skills/index.json": "{}",
        "web/SKILL.md": clean_skill("agentskills", "name: place-order"),
    }
    assert only(report_on(files, ("agentskills",)).findings, "name-directory") == []


def test_names_that_are_not_kebab_case_are_reported_once() -> None:
    for name in ("Place-Order", "place--order", '"  "', "123", "[a]"):
        assert only(named(name, "agentskills", folder="order"), "name-directory") == []


# --- name-letter-first, name-reserved, name-unicode --------------------------------------------------


def test_letter_first_quotes_the_name() -> None:
    (found,) = named("3d-print", "dualnova")
    assert found.message == "name '3d-print' begins with a digit; a letter is wanted there"


@pytest.mark.parametrize("name", ["claude-helper", "my-anthropic-skill", "claude", "for-claude"])
def test_case_052_reserved_words(name: str) -> None:
    assert [f.rule for f in named(name, "claude")] == ["name-reserved"]
    assert named(name, "agentskills") == []


@pytest.mark.parametrize("name", ["claudette", "anthropics", "misanthropic", "pay-invoice"])
def test_case_052_parts_of_words_are_not_reserved(name: str) -> None:
    assert named(name, "claude") == []


def test_case_052_capital_letters_hide_nothing() -> None:
    assert [f.rule for f in named("ClaudeHelper", "claude")] == ["name-reserved"]


@pytest.mark.parametrize("name", ["日本語", "café-finder", "платёж", "ß", "pay-二"])
def test_other_lowercase_letters_are_a_matter_of_unicode_alone(name: str) -> None:
    for spec, level in (("agentskills", "note"), ("discovery", "error"), ("dualnova", "error"), ("wsp", "note")):
        assert [(f.rule, f.level) for f in named(name, spec)] == [("name-unicode", level)]


def test_the_message_lists_the_letters() -> None:
    (found,) = named("café-mañana", "agentskills")
    assert found.message == "name 'café-mañana' has 'é' 'ñ' beyond a to z, 0 to 9 and '-'"
    assert found.hint == "write 'cafe-manana'"
    (found,) = named("日本語-x", "agentskills")
    assert found.hint is None


def test_capital_letters_come_before_unicode() -> None:
    assert [f.rule for f in named("Café", "discovery")] == ["name-kebab-case"]


def test_names_that_differ_in_their_normal_form() -> None:
    name = unicodedata.normalize("NFC", "café")
    (found,) = named(name, "agentskills", folder=unicodedata.normalize("NFD", name))
    assert (found.rule, found.level) == ("name-unicode", "note")
    assert "the directory looks the same but is in the Unicode form NFD, not NFC" in found.message


def test_an_index_entry_gets_no_fix_since_the_skill_may_have_the_same_name() -> None:
    text = clean_skill("discovery", "name: Pay_Invoice")
    listed = {"name": "Pay_Invoice", "type": "skill-md", "description": "Pays.", "url": "Pay_Invoice/SKILL.md"}
    index = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [listed]}
    folder = ".well-known/agent-skills"
    files = {f"{folder}/index.json": json.dumps(index), f"{folder}/Pay_Invoice/SKILL.md": text}
    found = [f for f in report_on(files).findings if f.rule == "name-kebab-case" and f.path.endswith(".json")]
    assert [(f.fix, f.hint) for f in found] == [(None, "the skill's own name has to be 'pay-invoice' as well")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("caf\u00e9-finder", "write 'cafe-finder'"), ("p\u0430y", None), ("stra\u00dfe", None)],
)
def test_a_name_is_offered_where_no_letter_is_lost(name: str, hint: str | None) -> None:
    (found,) = only(findings_in(clean_skill("agentskills", f"name: {name}"), "agentskills"), "name-unicode")
    assert found.hint == hint
