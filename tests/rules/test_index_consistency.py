"""Rules that hold an index.json against the files of its site."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project, project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding
from agentskills_lint.new_index import new_index
from agentskills_lint.rule import load_rules
from agentskills_lint.rules import index_consistency
from tests.support import brief, clean_skill, fixed, report_on

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
NEW, OLD = ".well-known/agent-skills", ".well-known/skills"
INDEX, OLD_INDEX = f"{NEW}/index.json", f"{OLD}/index.json"
PAY = f"{NEW}/pay-invoice/SKILL.md"
TEXT = clean_skill("discovery")
DESCRIPTION = "Pays an open invoice by card. Use when the user wants to pay, not for refunds."
DN_TEXT = clean_skill("dualnova")
DN_DESCRIPTION = "Pay an open invoice by card when the user asks for it."
MINE = {rule.id: rule for rule in load_rules() if rule.check.__module__ == index_consistency.__name__}
Files = Mapping[str, str | bytes]


def sha(content: str | bytes) -> str:
    return "sha256:" + hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def entry(**fields: object) -> dict[str, object]:
    return {
        "name": "pay-invoice",
        "type": "skill-md",
        "description": DESCRIPTION,
        "url": "pay-invoice/SKILL.md",
        "digest": sha(TEXT),
    } | fields


def new(*entries: object, **fields: object) -> str:
    return json.dumps({"$schema": SCHEMA, "skills": list(entries)} | fields, indent=2)


def old(*entries: object) -> str:
    return json.dumps({"skills": list(entries)}, indent=2)


def dn_entry(**fields: object) -> dict[str, object]:
    return {
        "name": "pay-invoice",
        "title": "Pay an invoice",
        "description": DN_DESCRIPTION,
        "url": f"https://acme.example/{PAY}",
    } | fields


def dualnova(*entries: object, **fields: object) -> str:
    head = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example"}
    return json.dumps(head | {"skills": list(entries)} | fields, indent=2)


def files_entry(*files: str, name: str = "pay-invoice") -> dict[str, object]:
    return {"name": name, "description": DESCRIPTION, "files": list(files)}


def found(files: Files, rule: str = "", **settings: Any) -> list[Finding]:
    """The findings of one rule of the module, or of all of them."""
    return [f for f in report_on(files, **settings).findings if (f.rule == rule if rule else f.rule in MINE)]


def token(files: Files, finding: Finding) -> str:
    text = files[finding.path]
    assert isinstance(text, str)
    return text[finding.span.start : finding.span.end]


def after(files: Files, finding: Finding) -> dict[str, str | bytes]:
    text = files[finding.path]
    assert isinstance(text, str)
    return {**files, finding.path: fixed(text, finding)}


def alone(files: Files, rule: str, **settings: Any) -> Finding:
    """The one finding of the module, which is that of the rule."""
    (finding,) = found(files, **settings)
    assert finding.rule == rule
    assert finding.location.line == finding.location.end_line
    return finding


CLEAN: list[Files] = [
    {INDEX: new(entry()), PAY: TEXT},
    {INDEX: new(entry(url=f"/{PAY}")), PAY: TEXT},
    {INDEX: dualnova(dn_entry()), PAY: DN_TEXT},
    {OLD_INDEX: old(files_entry("SKILL.md")), f"{OLD}/pay-invoice/SKILL.md": TEXT},
    {INDEX: old(files_entry("SKILL.md")), PAY: TEXT},
]


@pytest.mark.parametrize("files", CLEAN)
def test_sites_in_order(files: Files) -> None:
    assert [f for f in report_on(files).findings if f.level != "note"] == []
    assert found(files) == []


# --- SKL803 ---------------------------------------------------------------------------------------


def test_a_target_that_is_not_there() -> None:
    files = {INDEX: new(entry(name="refund", url="refund/SKILL.md"), entry()), PAY: TEXT}
    finding = alone(files, "index-target")
    assert (finding.level, finding.line, finding.column, finding.location.end_column) == ("error", 8, 14, 31)
    assert finding.message == "there is no '.well-known/agent-skills/refund/SKILL.md'"
    assert finding.fix is None


@pytest.mark.parametrize(
    ("href", "better"),
    [
        ("pay-invoice/skill.md", "pay-invoice/SKILL.md"),
        ("Pay-Invoice/SKILL.md", "pay-invoice/SKILL.md"),
        ("pay-invoice", "pay-invoice/SKILL.md"),
        ("pay-invoice/", "pay-invoice/SKILL.md"),
        ("pay-invoice/SKILL.md/", "pay-invoice/SKILL.md"),
        ("pay-invoice.md", "pay-invoice/SKILL.md"),
        ("pay-invocie/SKILL.md", "pay-invoice/SKILL.md"),
        ("/.well-known/skills/pay-invoice/SKILL.md", f"/{PAY}"),
        ("/pay-invoice/SKILL.md", f"/{PAY}"),
        (".well-known/agent-skills/pay-invoice/SKILL.md", "pay-invoice/SKILL.md"),
        ("https://acme.example/pay-invoice?v=2", f"https://acme.example/{PAY}?v=2"),
    ],
)
def test_case_070_what_a_url_was_meant_to_be(href: str, better: str) -> None:
    files = {INDEX: new(entry(url=href)), PAY: TEXT, "CNAME": "acme.example\n"}
    finding = alone(files, "index-target")
    assert finding.message.endswith("?") or href.endswith("/SKILL.md/")
    assert finding.fix is not None
    assert not finding.fix.safe
    assert finding.related[0][0].path == PAY
    fixed_files = after(files, finding)
    assert json.loads(fixed_files[INDEX])["skills"][0]["url"] == better
    assert found(fixed_files) == []


@pytest.mark.parametrize(
    ("href", "message"),
    [
        ("pay-invoice", "the url leads to the folder '.well-known/agent-skills/pay-invoice', not to a file"),
        ("/", "the url leads to the folder '/', not to a file"),
        ("pay-invoice/SKILL.md/", "'.well-known/agent-skills/pay-invoice/SKILL.md' is a file: the url ends with a '/'"),
        ("/skills/pay.html", "'skills/pay.html' is a page in HTML, not a SKILL.md"),
        ("/skills/pay", "'skills/pay' is a page in HTML, not a SKILL.md"),
        (
            "file:///srv/pay/SKILL.md",
            "no client follows 'file:///srv/pay/SKILL.md': agents fetch http and https, not file",
        ),
    ],
)
def test_targets_of_the_wrong_kind(href: str, message: str) -> None:
    page = "<!DOCTYPE html>\n<html></html>\n"
    files = {INDEX: new(entry(url=href)), PAY: TEXT, "skills/pay.html": page, "skills/pay": page}
    assert found(files, "index-target")[0].message.split("; did")[0] == message


@pytest.mark.parametrize("kind", ["archive", "skill-md"])
def test_no_suggestion_of_the_other_kind(kind: str) -> None:
    files: Files = {INDEX: new(entry(type=kind, url="pay-invoice")), f"{NEW}/pay-invoice.zip": b"PK", PAY: TEXT}
    (finding,) = found(files, "index-target")
    assert ("pay-invoice.zip" in finding.message) == (kind == "archive")


def test_no_fix_where_two_files_fit_or_another_entry_has_it() -> None:
    two = {INDEX: new(entry(url="x.md")), f"{NEW}/a/SKILL.md": TEXT, f"{NEW}/b/SKILL.md": TEXT}
    assert found(two, "index-target")[0].fix is None
    taken = {INDEX: new(entry(), entry(name="pay", url="pay-invoice")), PAY: TEXT}
    assert found(taken, "index-target")[0].fix is None


@pytest.mark.parametrize(
    "href",
    [
        "https://cdn.example/pay-invoice/SKILL.md",
        "//cdn.example/pay-invoice/SKILL.md",
        "https://raw.githubusercontent.com/acme/skills/main/pay-invoice/SKILL.md",
    ],
)
@pytest.mark.parametrize("origin", [None, "https://acme.example"])
def test_what_leads_elsewhere_is_not_called_broken(href: str, origin: str | None) -> None:
    files = {INDEX: new(entry(url=href), entry(name="b", url="b/SKILL.md", digest=sha("x"))), f"{NEW}/b/SKILL.md": "x"}
    assert found(files, "index-target", origin=origin) == []


def test_a_path_that_leaves_out_the_base_path_of_the_site() -> None:
    files = {INDEX: new(entry(url=f"/{PAY}")), PAY: TEXT}
    finding = alone(files, "index-target", origin="https://acme.github.io/docs")
    assert finding.message == (
        "the url leads to 'https://acme.github.io/.well-known/agent-skills/pay-invoice/SKILL.md', "
        "out of the site at https://acme.github.io/docs; did you mean '.well-known/agent-skills/pay-invoice/SKILL.md'?"
    )
    fixed_files = after(files, finding)
    assert json.loads(fixed_files[INDEX])["skills"][0]["url"] == f"/docs/{PAY}"
    assert found(fixed_files, origin="https://acme.github.io/docs") == []
    elsewhere = {INDEX: new(entry(url="/other/SKILL.md")), PAY: TEXT}
    assert found(elsewhere, "index-target", origin="https://acme.github.io/docs") == []


@pytest.mark.parametrize("href", ["%2e%2e/x/SKILL.md", "..\\x\\SKILL.md"])
def test_a_hidden_way_out_is_told_once(href: str) -> None:
    rules = [f.rule for f in report_on({INDEX: new(entry(url=href)), PAY: TEXT}).findings if f.level == "error"]
    assert rules.count("index-target") + rules.count("index-url-escape") == 1


def test_discovery_01_builds_the_path_from_the_name() -> None:
    files = {OLD_INDEX: old(files_entry("SKILL.md", name="pay-invocie")), f"{OLD}/pay-invoice/SKILL.md": TEXT}
    finding = alone(files, "index-target")
    assert token(files, finding) == '"pay-invocie"'
    assert finding.message == (
        "there is no '.well-known/skills/pay-invocie/SKILL.md', where clients look for this skill; "
        "did you mean '.well-known/skills/pay-invoice/SKILL.md'?"
    )
    assert finding.fix is None
    away = {OLD_INDEX: old(files_entry("SKILL.md")), "skills/pay-invoice/SKILL.md": TEXT}
    assert alone(away, "index-target").message == (
        "there is no '.well-known/skills/pay-invoice/SKILL.md', where clients look for this skill; "
        "it is at 'skills/pay-invoice/SKILL.md'"
    )


def test_an_index_of_which_nothing_is_there_is_one_finding() -> None:
    files = {INDEX: new(*(entry(name=f"s{i}", url=f"s{i}/SKILL.md") for i in range(9)))}
    finding = alone(files, "index-target")
    assert finding.message == (
        "none of the 9 listed skills is in this tree: the first should be '.well-known/agent-skills/s0/SKILL.md'"
    )
    assert finding.line == 8


def test_links_that_lead_nowhere_or_out_say_so(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / NEW).mkdir(parents=True)
    (site / ".git").mkdir()
    (tmp_path / "SKILL.md").write_text(TEXT)
    os.symlink(tmp_path / "SKILL.md", site / NEW / "out.md")
    os.symlink("gone.md", site / NEW / "dangling.md")
    (site / INDEX).write_text(new(entry(url="out.md"), entry(name="b", url="dangling.md")))
    findings = lint(project([str(site)]), Config(level="note")).findings
    assert [f.message for f in findings if f.rule == "index-target"] == [
        "no client follows 'out.md': a symbolic link leads out of the tree",
        "'.well-known/agent-skills/dangling.md' is a symbolic link that leads to nothing",
    ]


# --- SKL804 ---------------------------------------------------------------------------------------

REFUND = clean_skill("discovery", "name: refund")


def test_case_078_a_skill_that_the_index_leaves_out() -> None:
    files = {INDEX: new(entry()), PAY: TEXT, f"{NEW}/refund/SKILL.md": REFUND}
    finding = alone(files, "index-unlisted")
    assert brief([finding]) == [("index-unlisted", "warning", 3, 3)]
    assert token(files, finding) == '"skills"'
    assert finding.message == "the index leaves out 'refund', though it is published beside it"
    assert [(where.path, where.line) for where, _ in finding.related] == [(f"{NEW}/refund/SKILL.md", 2)]


INTERNAL = clean_skill("discovery", "name: refund\nmetadata:\n  internal: true")


@pytest.mark.parametrize(
    "more",
    [
        {f"{NEW}/refund/SKILL.md": INTERNAL},
        {f"{NEW}/pay-invoice/references/refund/SKILL.md": REFUND},
        {f"{NEW}/copy/SKILL.md": TEXT},
        {"refund/SKILL.md": REFUND},
        {".claude/skills/refund/SKILL.md": REFUND},
        {f"{NEW}/other-folder/SKILL.md": clean_skill("discovery", body="\n# Same name\n")},
    ],
)
def test_what_need_not_be_listed(more: Files) -> None:
    assert found({INDEX: new(entry()), PAY: TEXT, **more}, "index-unlisted") == []


def test_a_skill_that_an_entry_was_meant_to_name_is_said_once() -> None:
    files = {INDEX: new(entry(name="pay", url="pay-invocie/SKILL.md")), PAY: TEXT}
    assert [f.rule for f in found(files)] == ["index-target"]


def test_many_are_one_finding() -> None:
    skills = {f"{NEW}/s{i}/SKILL.md": clean_skill("discovery", f"name: s{i}") for i in range(30)}
    files = {INDEX: new(), **skills}
    finding = alone(files, "index-unlisted")
    assert finding.message == "the index leaves out 's0', 's1', 's10' and 27 more, though they are published beside it"
    assert len(finding.related) == 10
    assert found(after(files, finding)) == []
    assert len(json.loads(after(files, finding)[INDEX])["skills"]) == 30


B = clean_skill("discovery", "name: b")
LAYOUTS = [
    json.dumps({"$schema": SCHEMA, "skills": []}),
    json.dumps({"$schema": SCHEMA, "skills": []}, separators=(",", ":")),
    json.dumps({"$schema": SCHEMA, "skills": []}, indent=4) + "\n",
    json.dumps({"$schema": SCHEMA, "skills": []}, indent="\t"),
    json.dumps({"$schema": SCHEMA, "skills": [entry()]}),
    json.dumps({"$schema": SCHEMA, "skills": [entry()]}, separators=(",", ":")),
    json.dumps({"$schema": SCHEMA, "skills": [entry()]}, indent=2) + "\n",
    json.dumps({"$schema": SCHEMA, "skills": [entry()]}, indent="\t"),
    json.dumps({"$schema": SCHEMA, "skills": [entry(), entry(name="b", url="b/SKILL.md", digest=sha(B))]}, indent=3),
    f'{{\n  "$schema": "{SCHEMA}",\n  "skills": [\n    {json.dumps(entry())}\n  ]\n}}\n',
    f'{{\n"$schema": "{SCHEMA}",\n"skills": [ ]\n}}\n',
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("number", range(len(LAYOUTS)))
def test_a_new_entry_in_the_files_own_layout(number: int, newline: str) -> None:
    text = LAYOUTS[number]
    skills = {PAY: TEXT, f"{NEW}/refund/SKILL.md": REFUND, f"{NEW}/b/SKILL.md": B}
    if '"b"' not in text:
        del skills[f"{NEW}/b/SKILL.md"]
    files = {INDEX: text.replace("\n", newline), **skills}
    (finding,) = found(files, "index-unlisted")
    assert finding.fix is not None
    assert not finding.fix.safe
    result = after(files, finding)[INDEX]
    assert isinstance(result, str)
    assert found({**files, INDEX: result}, "index-unlisted") == []
    # the layout is what json.dumps would have made of the whole
    whole = json.loads(result)
    layouts: list[dict[str, Any]] = [{}, {"separators": (",", ":")}, *({"indent": step} for step in (2, 3, 4, "\t"))]
    for options in layouts:
        if json.dumps(json.loads(text), **options) == text.rstrip("\n"):
            assert result == (json.dumps(whole, **options) + text[len(text.rstrip("\n")) :]).replace("\n", newline)
            break
    else:
        assert result.startswith(files[INDEX][: files[INDEX].index("[") + 1])
    if newline == "\r\n":
        assert "\n" not in result.replace("\r\n", "")
    assert found({**files, INDEX: result}, "index-digest") == []


def test_entries_on_one_line_each_get_another_such_line() -> None:
    text = LAYOUTS[9]
    files = {INDEX: text, PAY: TEXT, f"{NEW}/refund/SKILL.md": REFUND}
    added = json.dumps(entry(name="refund", url="refund/SKILL.md", digest=sha(REFUND)))
    assert after(files, found(files, "index-unlisted")[0])[INDEX] == text.replace("}\n  ]", f"}},\n    {added}\n  ]")


def test_a_new_entry_of_each_dialect() -> None:
    refund = clean_skill("dualnova", "name: refund", "\n# Refund an invoice\n\nAsk, then refund.\n")
    files: Files = {INDEX: dualnova(dn_entry()), PAY: DN_TEXT, f"{NEW}/refund/SKILL.md": refund}
    result = json.loads(after(files, found(files, "index-unlisted")[0])[INDEX])
    assert result["skills"][1] == dn_entry(
        name="refund", title="Refund an invoice", url=f"https://acme.example/{NEW}/refund/SKILL.md"
    )
    both = new(
        dn_entry() | entry(url=f"https://acme.example/{PAY}"), provider="Acme", provider_url="https://acme.example"
    )
    files = {INDEX: both, PAY: TEXT, f"{NEW}/refund/SKILL.md": REFUND}
    result = json.loads(after(files, found(files, "index-unlisted")[0])[INDEX])
    assert list(result["skills"][1]) == list(result["skills"][0])
    assert result["skills"][1]["digest"] == sha(REFUND)
    shelf = {f"{OLD}/pay-invoice/SKILL.md": TEXT, f"{OLD}/refund/SKILL.md": REFUND, f"{OLD}/refund/a/b.md": "x"}
    files = {OLD_INDEX: old(files_entry("SKILL.md")), **shelf}
    result = json.loads(after(files, found(files, "index-unlisted")[0])[OLD_INDEX])
    assert result["skills"][1] == files_entry("SKILL.md", "a/b.md", name="refund")


@pytest.mark.parametrize(
    "front", ["name: Refund It", "description: ''", f"description: {'x' * 1025}", "name: ''", "name: [a]"]
)
def test_no_entry_for_a_skill_that_is_not_in_order_itself(front: str) -> None:
    skill = clean_skill("discovery", front if "name" in front else f"name: refund\n{front}")
    (finding,) = found({INDEX: new(entry()), PAY: TEXT, f"{NEW}/refund/SKILL.md": skill}, "index-unlisted")
    assert finding.fix is None


# --- SKL805, SKL806 -------------------------------------------------------------------------------


def test_case_077_another_name() -> None:
    files: dict[str, str | bytes] = {INDEX: dualnova(dn_entry(name="pay-bill")), PAY: DN_TEXT}
    (finding,) = found(files, "index-name")
    assert brief([finding]) == [("index-name", "error", 7, 15)]
    assert finding.message == "the skill to which this entry leads is named 'pay-invoice', not 'pay-bill'"
    assert (finding.related[0][0].path, finding.related[0][0].line, finding.related[0][0].column) == (PAY, 2, 7)
    assert found(after(files, finding)) == []
    files = {INDEX: new(entry(name="pay-bill")), PAY: TEXT}
    assert [f.level for f in found(files, "index-name")] == ["warning"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({INDEX: new(entry(name="pay")), f"{NEW}/pay/SKILL.md": TEXT}, "the skill breaks with its folder"),
        ({INDEX: new(entry(url="/a/pay/SKILL.md", name="pay")), "a/pay/SKILL.md": TEXT}, "so it does here"),
        ({INDEX: new(entry()), PAY: clean_skill("discovery", "name: 'pay-invoice'")}, "quotes are no difference"),
        ({INDEX: new(entry()), PAY: "# No frontmatter\n"}, "it has no name"),
        ({INDEX: new(entry()), PAY: clean_skill("discovery", "name:")}, "nor here"),
        ({OLD_INDEX: old(files_entry("SKILL.md", name="pay")), f"{OLD}/pay/SKILL.md": TEXT}, "0.1: name is path"),
    ],
)
def test_names_that_pass(files: Files, why: str) -> None:
    assert found(files, "index-name") == [], why


def test_a_name_is_not_copied_where_it_would_break_the_index() -> None:
    for name in ("Pay Invoice", "x" * 65):
        files = {
            INDEX: new(entry(name="pay", url="z/SKILL.md")),
            f"{NEW}/z/SKILL.md": clean_skill("discovery", f"name: {name}"),
        }
        assert found(files, "index-name")[0].fix is None
    files = {
        INDEX: new(entry(), entry(name="pay", url="z/SKILL.md")),
        PAY: TEXT,
        f"{NEW}/z/SKILL.md": TEXT + "\n",
    }
    assert found(files, "index-name")[0].fix is None


FOLDED = clean_skill(
    "discovery", "description: >\n  Pays an open invoice by card. Use when\n  the user wants to pay, not for refunds.\n"
)


@pytest.mark.parametrize(
    ("given", "skill"),
    [
        (DESCRIPTION, FOLDED),
        (DESCRIPTION.replace(" ", "  "), TEXT),
        (f" {DESCRIPTION}\n", TEXT),
        (DESCRIPTION, clean_skill("discovery", f'description: "{DESCRIPTION}"')),
        (DESCRIPTION, "# No frontmatter\n"),
    ],
)
def test_case_077_white_space_makes_no_difference(given: str, skill: str) -> None:
    assert found({INDEX: new(entry(description=given)), PAY: skill}, "index-description") == []


def test_case_077_another_description() -> None:
    files = {INDEX: new(entry(description="Pays an open invoice by card or cash.")), PAY: FOLDED}
    (finding,) = found(files, "index-description")
    assert brief([finding]) == [("index-description", "warning", 7, 22)]
    assert finding.message == (
        "the description differs from the skill's own at 'card or cash.', "
        "where that has 'card. Use when the user wants…'"
    )
    assert [(w.path, w.line, w.end_line) for w, _ in finding.related] == [(PAY, 3, 3)]
    result = after(files, finding)
    assert json.loads(result[INDEX])["skills"][0]["description"] == DESCRIPTION
    assert found(result, "index-description") == []


def test_a_description_that_is_cut_off_and_one_that_is_too_long_to_copy() -> None:
    files = {INDEX: new(entry(description="Pays an open invoice by card…")), PAY: TEXT}
    assert found(files, "index-description")[0].message == (
        "the description is only the beginning of the skill's own, which is 78 characters long"
    )
    long = clean_skill("discovery", f"description: {'x' * 1025}")
    assert found({INDEX: new(entry()), PAY: long}, "index-description")[0].fix is None


def test_a_file_in_ascii_stays_in_ascii() -> None:
    skill = clean_skill("discovery", "description: Zahlt eine Rechnung für den Benutzer \U0001f4b6 sofort.")
    files: Files = {INDEX: new(entry(description="Zahlt f\u00fcr dich.")), PAY: skill}
    for ascii_only in (True, False):
        text = json.dumps(json.loads(str(files[INDEX])), ensure_ascii=ascii_only)
        tree: Files = {**files, INDEX: text}
        result = str(after(tree, found(tree, "index-description")[0])[INDEX])
        assert result.isascii() == ascii_only
        assert found({**files, INDEX: result}, "index-description") == []


def test_dualnova_alone_gets_a_note_and_01_nothing() -> None:
    assert [
        f.level for f in found({INDEX: dualnova(dn_entry(description="Pay.")), PAY: DN_TEXT}, "index-description")
    ] == ["note"]
    files = {OLD_INDEX: old(files_entry("SKILL.md") | {"description": "Pay."}), f"{OLD}/pay-invoice/SKILL.md": TEXT}
    assert found(files, "index-description") == []


# --- SKL807 ---------------------------------------------------------------------------------------


UNIX = TEXT.encode()
DOS = UNIX.replace(b"\n", b"\r\n")
BOM = b"\xef\xbb\xbf"


def test_a_stale_digest() -> None:
    files = {INDEX: new(entry(digest=sha("old"))), PAY: TEXT}
    finding = alone(files, "index-digest")
    assert (finding.level, finding.line, finding.column, finding.location.end_column) == ("error", 9, 17, 90)
    assert finding.message == f"the digest is not that of '{PAY}', which is {sha(TEXT)}"
    assert [(w.path, w.line) for w, _ in finding.related] == [(PAY, 1)]
    assert finding.fix is not None
    assert finding.fix.safe
    assert after(files, finding)[INDEX] == new(entry())


@pytest.mark.parametrize(
    ("raw", "taken_of", "form"),
    [
        (UNIX, DOS, "with CRLF line ends"),
        (DOS, UNIX, "with LF line ends"),
        (UNIX, BOM + UNIX, "with a byte order mark"),
        (BOM + UNIX, UNIX, "without its byte order mark"),
        (UNIX, UNIX.rstrip(b"\n"), "without its final line end"),
        (UNIX.rstrip(b"\n"), UNIX, "with one final line end"),
        (UNIX + b"\n\n", UNIX, "with one final line end"),
        (UNIX, BOM + DOS, "with CRLF line ends and with a byte order mark"),
        (UNIX, DOS.rstrip(b"\r\n"), "with CRLF line ends and without its final line end"),
        (UNIX.replace(b"\n", b"\r\n", 3), UNIX, "with LF line ends"),
    ],
)
def test_case_068_the_digest_of_another_form(raw: bytes, taken_of: bytes, form: str) -> None:
    files: Files = {INDEX: new(entry(digest=sha(taken_of))), PAY: raw}
    (finding,) = found(files, "index-digest")
    assert finding.message == f"the digest is that of '{PAY}' {form}, not of the file as it is"
    assert finding.fix is None
    assert ("*.md -text" in (finding.hint or "")) == ("line ends" in form)


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ("*.md -text\n", True),
        ("*.md text eol=lf\n", True),
        ("# nothing\n* text=auto\n*.md text eol=lf\n", True),
        ("* binary\n", True),
        ("**/SKILL.md -text\n", True),
        ("* text=auto\n", False),
        ("*.md -text\n*.md text=auto\n", False),
        ("*.py -text\n", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("place", ["", "public/"])
def test_case_068_what_gitattributes_says_already(attributes: str, kept: bool, place: str) -> None:
    files: Files = {
        f"public/{INDEX}": new(entry(digest=sha(DOS))),
        f"public/{PAY}": UNIX,
        f"{place}.gitattributes": attributes,
    }
    (finding,) = found({**files, ".git/HEAD": "ref: refs/heads/main\n"}, "index-digest")
    assert (finding.hint or "").startswith("git keeps the line ends now" if kept else "git converts line ends")


@pytest.mark.parametrize("given", ["sha256:ABC", sha(TEXT).upper(), "sha256-" + "0" * 64, "", 5, None])
def test_a_digest_of_another_form_is_not_compared(given: object) -> None:
    assert found({INDEX: new(entry(digest=given)), PAY: TEXT}, "index-digest") == []


def test_digests_of_archives() -> None:
    raw = b"PK\x05\x06" + bytes(18)
    files: Files = {
        INDEX: new(entry(type="archive", url="pay-invoice.zip", digest=sha(b"x"))),
        f"{NEW}/pay-invoice.zip": raw,
    }
    (finding,) = found(files, "index-digest")
    assert finding.message == f"the digest is not that of '{NEW}/pay-invoice.zip', which is {sha(raw)}"
    assert finding.fix is not None
    assert (
        found({**files, INDEX: new(entry(type="archive", url="pay-invoice.zip", digest=sha(raw)))}, "index-digest")
        == []
    )


def test_large_archives_are_read_and_huge_ones_are_not() -> None:
    for size, expected in ((6_000_000, 1), (50_000_001, 0)):
        name = "pay-invoice.tar.gz"
        files: Files = {INDEX: new(entry(type="archive", url=name, digest=sha(b"x"))), f"{NEW}/{name}": bytes(size)}
        assert len(found(files, "index-digest")) == expected


# --- SKL810, SKL811 -------------------------------------------------------------------------------


def dn_site(front: str, **fields: object) -> dict[str, str | bytes]:
    return {INDEX: dualnova(dn_entry(**fields)), PAY: clean_skill("dualnova", front)}


@pytest.mark.parametrize(
    ("given", "own"),
    [
        (["en"], "[en]"),
        (["en", "es"], "[es, en]"),
        (["en-us"], "[en-US]"),
        (["en"], "en"),
        ([], "[en]"),
        ("en", "[es]"),
    ],
)
def test_languages_that_agree(given: object, own: str) -> None:
    assert found(dn_site(f"languages: {own}", languages=given), "index-languages") == []


def test_languages_that_are_on_one_side_alone() -> None:
    assert found(dn_site("version: 1.0.0", languages=["en"]), "index-languages") == []
    assert found(dn_site("languages: [en]"), "index-languages") == []


def test_other_languages() -> None:
    files = dn_site("languages: [en, fr]", languages=["en", "es"])
    finding = alone(files, "index-languages")
    assert (finding.level, finding.message) == ("warning", "the entry offers en, es, the skill en, fr")
    assert token(files, finding) == '"languages"'
    result = after(files, finding)
    assert result[INDEX] == dn_site("", languages=["en", "fr"])[INDEX]
    assert found(result) == []
    minified = {**files, INDEX: json.dumps(json.loads(str(files[INDEX])))}
    assert token(minified, alone(minified, "index-languages")) == '["en", "es"]'


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ("https://acme.example/pay", "https://acme.example/pay"),
        ("https://acme.example/pay/", "https://ACME.example/pay"),
        ("https://acme.example", "https://acme.example/"),
        ("https://acme.example/pay", "/checkout"),
        (None, "https://acme.example/pay"),
    ],
)
def test_pages_that_agree(given: str | None, own: str) -> None:
    fields = {"execution_url": given} if given else {}
    assert found(dn_site(f"url: {own}", **fields), "index-execution-url") == []


def test_another_page() -> None:
    files = dn_site("url: https://acme.example/checkout", execution_url="https://acme.example/pay")
    finding = alone(files, "index-execution-url")
    assert (finding.level, token(files, finding)) == ("warning", '"https://acme.example/pay"')
    assert finding.message == (
        "the entry sends users to 'https://acme.example/pay', the skill to 'https://acme.example/checkout'"
    )
    assert found(after(files, finding)) == []


# --- SKL814, SKL822 -------------------------------------------------------------------------------


def test_case_083_an_index_at_the_old_place() -> None:
    files: Files = {OLD_INDEX: new(entry()), f"{OLD}/pay-invoice/SKILL.md": TEXT}
    finding = alone(files, "index-location")
    assert brief([finding]) == [("index-location", "error", 1, 1)]
    assert finding.message == (
        "clients look for this index at '/.well-known/agent-skills/index.json' alone, "
        "not at '/.well-known/skills/index.json'"
    )
    files = {
        OLD_INDEX: dualnova(dn_entry(url=f"https://acme.example/{OLD}/pay-invoice/SKILL.md")),
        f"{OLD}/pay-invoice/SKILL.md": DN_TEXT,
    }
    assert [f.level for f in found(files, "index-location")] == ["error"]


SITE = {INDEX: new(entry()), PAY: TEXT}


def nested(folder: str, index: str = "", skill: str = TEXT) -> dict[str, str | bytes]:
    return {f"{folder}/{INDEX}": index or new(entry(), more=1), f"{folder}/{PAY}": skill}


def test_case_083_an_index_in_a_folder_of_a_site() -> None:
    (finding,) = found({**SITE, **nested("docs")}, "index-location")
    assert (finding.path, finding.level, finding.line, finding.column) == (f"docs/{INDEX}", "error", 1, 1)
    assert finding.message == "clients look for '/.well-known/' at the root of a site alone, not in '/docs/'"
    assert [w.path for w, _ in finding.related] == [INDEX]


@pytest.mark.parametrize(
    "files",
    [
        nested("docs"),
        {**nested("docs"), **nested("site")},
        {**SITE, **nested("public")},
        {**SITE, **nested("apps/web")},
        {**SITE, **nested("examples/shop")},
        {**SITE, **nested("docs", new(entry()))},
        {**SITE, **nested("docs"), "docs/CNAME": "docs.acme.example\n"},
        {**nested("docs"), "README.md": "x", ".git/HEAD": ""},
    ],
)
def test_sites_of_their_own(files: Files) -> None:
    assert found(files, "index-location") == []


def test_an_index_that_is_named_by_itself() -> None:
    project_ = memory_project({"agent-skills/index.json": new(entry())}, paths=("agent-skills/index.json",))
    assert [f.message for f in lint(project_, Config(level="note")).findings if f.rule == "index-location"] == [
        "clients look for this index at '/.well-known/agent-skills/index.json' alone, not at '/index.json'"
    ]


def test_skills_without_an_index() -> None:
    skills = {f"{NEW}/s{i}/SKILL.md": clean_skill("discovery", f"name: s{i}") for i in range(20)}
    finding = alone(skills, "index-missing")
    assert (finding.path, finding.level, finding.line, finding.column) == (f"{NEW}/s0/SKILL.md", "error", 1, 1)
    assert finding.message == (
        "this and 19 more skills are published without an index: there is no '.well-known/agent-skills/index.json'"
    )
    assert len(finding.related) == 10
    assert alone({PAY: TEXT}, "index-missing").message.startswith("this skill is published without an index")
    assert alone({f"{OLD}/pay-invoice/SKILL.md": TEXT}, "index-missing").message.endswith(
        "'.well-known/skills/index.json'"
    )


@pytest.mark.parametrize("index", ["{", "[]", "", '{"skills": [{"path": "x"}]}'])
def test_an_index_that_cannot_be_read_is_there(index: str) -> None:
    assert found({INDEX: index, PAY: TEXT}, "index-missing") == []
    assert found({INDEX: index, PAY: TEXT}, "index-unlisted") == []


def test_a_missing_index_comes_before_a_misplaced_one() -> None:
    files = {OLD_INDEX: new(entry(url=f"/{PAY}")), PAY: TEXT}
    assert [f.rule for f in found(files)] == ["index-missing"]
    assert found(files)[0].related[0][0].path == OLD_INDEX


def test_the_old_folder_needs_no_index_where_the_new_one_lists_its_skills() -> None:
    assert found({INDEX: new(entry(url=f"/{OLD}/pay-invoice/SKILL.md")), f"{OLD}/pay-invoice/SKILL.md": TEXT}) == []
    assert found({**SITE, f"{OLD}/pay-invoice/SKILL.md": TEXT}) == []
    assert [f.rule for f in found({**SITE, f"{OLD}/refund/SKILL.md": REFUND})] == ["index-missing"]


# --- SKL818, SKL825 -------------------------------------------------------------------------------


def shelf(*files: str, there: tuple[str, ...] = ("SKILL.md",)) -> dict[str, str | bytes]:
    tree: dict[str, str | bytes] = {OLD_INDEX: old(files_entry(*files))}
    tree |= {f"{OLD}/pay-invoice/{path}": TEXT if path == "SKILL.md" else "x" for path in there}
    return tree


@pytest.mark.parametrize(
    ("files", "there", "line", "message"),
    [
        (("a.md",), ("SKILL.md", "a.md"), 6, "'files' does not name SKILL.md"),
        (("skill.md",), ("SKILL.md",), 7, "'files' has 'skill.md', not 'SKILL.md'"),
        (("pay-invoice/SKILL.md",), ("SKILL.md",), 7, "'files' has 'pay-invoice/SKILL.md', not 'SKILL.md'"),
        (("SKILL.md", "a.md"), ("SKILL.md",), 8, "there is no 'a.md' in '.well-known/skills/pay-invoice'"),
        (
            ("SKILL.md", "A.md"),
            ("SKILL.md", "a.md"),
            8,
            "there is no 'A.md' in '.well-known/skills/pay-invoice'; did you mean 'a.md'?",
        ),
        (("SKILL.md", "refs"), ("SKILL.md", "refs/a.md"), 8, "'refs' is a folder: 'files' lists each file in it"),
    ],
)
def test_files_that_are_wrong(files: tuple[str, ...], there: tuple[str, ...], line: int, message: str) -> None:
    tree = shelf(*files, there=there)
    finding = alone(tree, "index-files")
    assert (finding.level, finding.line, finding.message) == ("error", line, message)


def test_case_072_one_bad_entry_is_said_of_that_entry_and_the_documentation_tells_what_it_costs() -> None:
    tree = {**shelf("SKILL.md"), OLD_INDEX: old(files_entry("SKILL.md"), files_entry("a.md", name="refund"))}
    tree |= {f"{OLD}/refund/SKILL.md": REFUND, f"{OLD}/refund/a.md": "x"}
    finding = alone(tree, "index-files")
    assert finding.line == 13
    assert "Some clients drop the whole index when one entry is bad" in " ".join(
        MINE["index-files"].explanation.split()
    )


@pytest.mark.parametrize("path", ["a b.md", "a%20b.md", "C++.md", "100%.md"])
def test_paths_with_escapes_or_without(path: str) -> None:
    there = ("SKILL.md", path if path != "a%20b.md" else "a b.md")
    assert found(shelf("SKILL.md", path, there=there), "index-files") == []


@pytest.mark.parametrize("path", ["/a.md", "../a.md", "a\\b.md", "../SKILL.md"])
def test_paths_that_leave_are_said_elsewhere(path: str) -> None:
    assert found(shelf("SKILL.md", path), "index-files") == []
    assert found(shelf(path), "index-files") == [] or "SKILL.md" not in path


def test_addresses_in_place_of_files_are_one_finding() -> None:
    address = "https://acme.example/pay-invoice/SKILL.md"
    tree = {OLD_INDEX: old(files_entry(address))}
    finding = alone(tree, "index-files")
    assert (finding.level, finding.line, token(tree, finding)) == ("error", 7, f'"{address}"')
    assert finding.message == f"'{address}' is an address; 'files' has paths below the skill's folder"
    assert finding.hint == "publish the files beside the index, or use version 0.2"
    several = {OLD_INDEX: old(files_entry("SKILL.md", address), *(files_entry(address, name=f"x{n}") for n in (1, 2)))}
    assert alone(several, "index-files").message.endswith("below the skill's folder (and in 2 more entries)")
    assert alone(several, "index-files").line == 8


def test_a_skill_that_is_not_there_is_said_once() -> None:
    assert [f.rule for f in found(shelf("SKILL.md", "a.md", there=()))] == ["index-target"]
    assert [f.rule for f in found(shelf("SKILL.md", "a.md", there=("a.md",)))] == ["index-target"]


def test_files_left_out() -> None:
    there = ("SKILL.md", "a.md", "refs/b.md", ".DS_Store", ".git/x", "node_modules/x.js", "refs/.keep", "__pycache__/x")
    tree = shelf("SKILL.md", there=there)
    finding = alone(tree, "index-files-unlisted")
    assert (finding.level, finding.line, token(tree, finding)) == ("warning", 6, '"files"')
    assert finding.message == "'files' leaves out 'a.md', 'refs/b.md', which clients then do not fetch"
    result = after(tree, finding)
    assert result[OLD_INDEX] == shelf("SKILL.md", "a.md", "refs/b.md")[OLD_INDEX]
    assert found(result) == []
    minified = {**tree, OLD_INDEX: json.dumps({"skills": [files_entry("SKILL.md")]})}
    finding = alone(minified, "index-files-unlisted")
    assert token(minified, finding) == '["SKILL.md"]'
    assert after(minified, finding)[OLD_INDEX] == json.dumps({"skills": [files_entry("SKILL.md", "a.md", "refs/b.md")]})


def test_files_that_are_wrong_come_before_files_left_out() -> None:
    assert [f.rule for f in found(shelf("SKILL.md", "b.md", there=("SKILL.md", "a.md")))] == ["index-files"]


# --- SKL819, SKL821, SKL828 -----------------------------------------------------------------------


def foreign(*hosts: str) -> str:
    return new(*(entry(name=f"s{i}", url=f"https://{host}/s{i}/SKILL.md") for i, host in enumerate(hosts)))


def test_every_skill_on_another_host() -> None:
    files = {INDEX: foreign("cdn.example", "cdn.example")}
    assert found(files) == []
    finding = alone(files, "index-foreign", origin="https://acme.example")
    assert (finding.level, token(files, finding)) == ("note", '"skills"')
    assert finding.message == "all 2 skills are on 'cdn.example', none on 'acme.example'"
    assert found({INDEX: foreign("cdn.example")}, "index-foreign", origin="https://acme.example")[0].message == (
        "the only skill is on 'cdn.example', not on 'acme.example'"
    )
    for hosts in (("cdn.example", "acme.example"), ("www.acme.example",), ("acme.example:8443",)):
        assert found({INDEX: foreign(*hosts)}, "index-foreign", origin="https://acme.example") == []


@pytest.mark.parametrize(
    ("name", "href"),
    [
        ("pay-invoice", "/skills/pay.md"),
        ("pay-invoice", "SKILL.md"),
        ("pay-invoice", "x-pay-invoice/SKILL.md"),
        ("pay-invoice", "pay-invoice/skill.md"),
    ],
)
def test_urls_that_some_clients_do_not_find(name: str, href: str) -> None:
    path = href.lstrip("/") if href.startswith("/") else f"{NEW}/{href}"
    files = {INDEX: new(entry(name=name, url=href)), path: TEXT}
    (finding,) = found(files, "index-url-unusual")
    assert (finding.level, token(files, finding)) == ("note", f'"{href}"')
    assert finding.message == ("the url does not end in 'pay-invoice/SKILL.md', which some clients build from the name")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, PAY),
        ({"url": "/skills/pay-invoice/SKILL.md?v=1#x"}, "skills/pay-invoice/SKILL.md"),
        ({"url": "pay%2Dinvoice/SKILL.md"}, PAY),
        ({"url": "https://cdn.example/pay-invoice/SKILL.md"}, PAY),
        ({"type": "archive", "url": "pay-invoice.tar.gz"}, f"{NEW}/pay-invoice.tar.gz"),
        ({"type": "archive", "url": "pay-invoice-1.2.zip"}, f"{NEW}/pay-invoice-1.2.zip"),
        ({"type": "archive", "url": "pay-invoice/skill.zip"}, f"{NEW}/pay-invoice/skill.zip"),
        ({"type": "content", "url": "/llms.txt"}, "llms.txt"),
        ({"name": "Pay Invoice", "url": "/pay.md"}, "pay.md"),
    ],
)
def test_urls_that_are_usual_or_judged_by_another_rule(fields: dict[str, object], path: str) -> None:
    assert found({INDEX: new(entry(**fields)), path: TEXT}, "index-url-unusual") == []


@pytest.mark.parametrize(
    ("href", "message"),
    [
        (f"https://cdn.example/{PAY}", "the skill is on 'cdn.example', the provider on 'acme.example'"),
        (
            "https://acme.example/skills/pay-invoice/SKILL.md",
            "the skill is not below '/.well-known/agent-skills/', where DualNova's draft has all skills",
        ),
        (f"https://www.acme.example/{PAY}", None),
    ],
)
def test_dualnova_has_a_fixed_place(href: str, message: str | None) -> None:
    files = {INDEX: dualnova(dn_entry(url=href)), PAY: DN_TEXT, "skills/pay-invoice/SKILL.md": DN_TEXT}
    assert [f.message for f in found(files, "index-url-unusual")] == ([message] if message else [])


def test_unusual_is_silent_where_everything_is_foreign() -> None:
    files = {INDEX: new(entry(url="https://cdn.example/pay.md"))}
    assert [f.rule for f in found(files)] == ["index-url-unusual"]
    assert [f.rule for f in found(files, origin="https://acme.example")] == ["index-foreign"]


def test_a_single_file_that_needs_others() -> None:
    skill = clean_skill(
        "discovery", body="\n# Pay\n\nSee [a](refs/a.md#x), [b](../b.md), [c](https://x.example), [d](gone.md).\n"
    )
    files = {
        INDEX: new(entry(digest=sha(skill))),
        PAY: skill,
        f"{NEW}/pay-invoice/refs/a.md": "# A\n",
        f"{NEW}/b.md": "x",
    }
    finding = alone(files, "index-type-resources")
    assert (finding.level, token(files, finding)) == ("note", '"skill-md"')
    assert finding.message == "clients fetch SKILL.md alone, which links to 'refs/a.md'"
    assert [(w.path, w.line, w.column) for w, _ in finding.related] == [(PAY, 8, 9)]
    bare = clean_skill("discovery", body="\n# Pay\n\nSee [itself](SKILL.md) and [b](../b.md).\n")
    assert found({**files, PAY: bare}, "index-type-resources") == []
    assert found({**files, INDEX: new(entry(type="archive", url="pay-invoice.zip"))}, "index-type-resources") == []


# --- demands --------------------------------------------------------------------------------------

HTML = {INDEX: new(entry(url="/pay.html")), "pay.html": "<!doctype html>"}
DEMANDS: list[tuple[str, str, Files, str, dict[str, Any]]] = [
    ("dualnova", "File layout: all below one fixed path", {OLD_INDEX: dualnova()}, "index-location", {}),
    (
        "dualnova",
        "File layout: all below one fixed path",
        {INDEX: dualnova(dn_entry(url="https://acme.example/pay-invoice/SKILL.md")), "pay-invoice/SKILL.md": DN_TEXT},
        "index-url-unusual",
        {},
    ),
    (
        "dualnova",
        "File layout: an index beside the skills",
        {PAY: clean_skill("dualnova", "provider: Acme")},
        "index-missing",
        {},
    ),
    (
        "dualnova",
        "File layout: a folder of its own for each skill",
        {INDEX: dualnova(dn_entry(url=f"https://acme.example/{NEW}/SKILL.md")), f"{NEW}/SKILL.md": DN_TEXT},
        "index-url-unusual",
        {},
    ),
    ("dualnova", "index.json: its address", {OLD_INDEX: dualnova()}, "index-location", {}),
    ("dualnova", "index.json: all skills", {INDEX: dualnova(), PAY: DN_TEXT}, "index-unlisted", {}),
    ("dualnova", "Skill summary fields: name", {INDEX: dualnova(dn_entry(name="pay")), PAY: DN_TEXT}, "index-name", {}),
    (
        "dualnova",
        "Skill summary fields: url",
        {INDEX: dualnova(dn_entry(url=f"https://acme.example/{NEW}/x/SKILL.md"))},
        "index-target",
        {},
    ),
    (
        "dualnova",
        "Skill summary fields: execution_url",
        dn_site("url: https://acme.example/a", execution_url="https://acme.example/b"),
        "index-execution-url",
        {},
    ),
    ("discovery 0.2", "URI Structure: an index", {PAY: TEXT}, "index-missing", {}),
    ("discovery 0.2", "URI Structure: its address", {OLD_INDEX: new()}, "index-location", {}),
    ("discovery 0.2", "URI Structure: url leads to the artifact", {INDEX: new(entry())}, "index-target", {}),
    (
        "discovery 0.2",
        "URI Structure: by convention below it",
        {INDEX: new(entry(url="/pay.md")), "pay.md": TEXT},
        "index-url-unusual",
        {},
    ),
    (
        "discovery 0.2",
        "Discovery Index: its address",
        {f"docs/{INDEX}": new(more=1), INDEX: new()},
        "index-location",
        {},
    ),
    ("discovery 0.2", "Discovery Index: all skills", {INDEX: new(), PAY: TEXT}, "index-unlisted", {}),
    (
        "discovery 0.2",
        "Index Format: the same description",
        {INDEX: new(entry(description="Pay.")), PAY: TEXT},
        "index-description",
        {},
    ),
    ("discovery 0.2", "Index Format: url is that of SKILL.md or archive", HTML, "index-target", {}),
    (
        "discovery 0.2",
        "Index Format: digest of the artifact",
        {INDEX: new(entry(digest=sha("x"))), PAY: TEXT},
        "index-digest",
        {},
    ),
    (
        "discovery 0.2",
        "URL Resolution: from the index, by RFC 3986",
        {INDEX: new(entry(url=PAY)), PAY: TEXT},
        "index-target",
        {},
    ),
    (
        "discovery 0.2",
        "URL Resolution: {name}/SKILL.md",
        {INDEX: new(entry(url="SKILL.md")), f"{NEW}/SKILL.md": TEXT},
        "index-url-unusual",
        {},
    ),
    ("discovery 0.2", "Integrity: raw bytes", {INDEX: new(entry(digest=sha(DOS))), PAY: UNIX}, "index-digest", {}),
    (
        "discovery 0.2",
        "Verification: nothing unverified",
        {INDEX: new(entry(digest=sha("x"))), PAY: TEXT},
        "index-digest",
        {},
    ),
    (
        "discovery 0.2",
        "Archive Distribution: skills with files are archives",
        {
            INDEX: new(entry()),
            PAY: clean_skill("discovery", body="\n# Pay\n\n[a](a.md)\n"),
            f"{NEW}/pay-invoice/a.md": "x",
        },
        "index-type-resources",
        {},
    ),
    (
        "discovery 0.2",
        "Security Considerations: allowed hosts",
        {INDEX: foreign("cdn.example")},
        "index-foreign",
        {"origin": "https://acme.example"},
    ),
    (
        "discovery 0.1",
        "URI Structure: the address of the index",
        {"x/index.json": old(files_entry("SKILL.md"))},
        "index-location",
        {"paths": ("x/index.json",)},
    ),
    ("discovery 0.1", "URI Structure: {name}/SKILL.md", shelf("SKILL.md", there=()), "index-target", {}),
    ("discovery 0.1", "Skill Directory Contents: SKILL.md", shelf("a.md", there=("a.md",)), "index-target", {}),
    ("discovery 0.1", "Discovery Index: there is one", {f"{OLD}/pay-invoice/SKILL.md": TEXT}, "index-missing", {}),
    (
        "discovery 0.1",
        "Discovery Index: all skills",
        {**shelf("SKILL.md"), f"{OLD}/refund/SKILL.md": REFUND},
        "index-unlisted",
        {},
    ),
    (
        "discovery 0.1",
        "Index Format: name is the folder's",
        {OLD_INDEX: old(files_entry("SKILL.md", name="pay"))},
        "index-target",
        {},
    ),
    (
        "discovery 0.1",
        "Index Format: files are all files",
        shelf("SKILL.md", there=("SKILL.md", "a.md")),
        "index-files-unlisted",
        {},
    ),
    (
        "discovery 0.1",
        "Index Format: clients build the address",
        {OLD_INDEX: old(files_entry("SKILL.md"))},
        "index-target",
        {},
    ),
    (
        "discovery 0.1",
        "Files Array: SKILL.md is among them",
        shelf("a.md", there=("SKILL.md", "a.md")),
        "index-files",
        {},
    ),
    ("discovery 0.1", "Files Array: files that are served", shelf("SKILL.md", "a.md"), "index-files", {}),
    (
        "article",
        "SKILL.md without a folder",
        {INDEX: dualnova(dn_entry(url=f"https://acme.example/{NEW}/SKILL.md")), f"{NEW}/SKILL.md": DN_TEXT},
        "index-url-unusual",
        {},
    ),
]


@pytest.mark.parametrize(
    ("spec", "demand", "files", "rule", "how"), DEMANDS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_demands(spec: str, demand: str, files: Files, rule: str, how: dict[str, Any]) -> None:
    origin = how.get("origin")
    paths = how.get("paths", (".",))
    config = Config(level="note", origin=origin)
    report = lint(memory_project(files, config, paths=paths), config)
    assert rule in [f.rule for f in report.findings]
    without = tuple(other for other in load_rules() if other.id != rule)
    report = lint(memory_project(files, config, paths=paths), config, without)
    assert rule not in [f.rule for f in report.findings]


def test_files_must_not_be_empty() -> None:
    """Discovery 0.1, Files Array: not empty. The schema says so where its rule runs."""
    tree = shelf()
    rules = [f.rule for f in report_on(tree).findings if f.level == "error"]
    assert len([rule for rule in rules if rule in ("index-files", "index-schema")]) == 1
    config = Config(level="note")
    report = lint(memory_project(tree), config, tuple(rule for rule in load_rules() if rule.id != "index-schema"))
    assert [f.message for f in report.findings if f.rule == "index-files"] == [
        "'files' is empty: it has to name SKILL.md at least"
    ]


# --- hostile input --------------------------------------------------------------------------------

WORDS = [
    "",
    ".",
    "..",
    "/",
    "\\",
    "\0",
    "%2e%2e",
    "\ud800",
    "pay-invoice",
    "SKILL.md",
    "a/b",
    "http://[",
    "\u202e",
    "x" * 300,
]
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [*WORDS, None, 1, True, [], {}, ["SKILL.md"], [None, "..", "a/../../b", "\ud800"], {"a": []}]
)
KEYS = ["name", "type", "description", "url", "digest", "files", "languages", "execution_url", "title"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(VALUES, st.dictionaries(st.sampled_from(KEYS), VALUES)), max_size=4),
    st.sampled_from(
        [{"$schema": SCHEMA}, {}, {"provider": "x", "provider_url": "http://["}, {"$schema": [], "provider": 1}]
    ),
    st.sampled_from([None, "https://acme.example", "https://acme.example/docs"]),
)
def test_hostile_entries_crash_nothing(entries: list[Any], head: dict[str, Any], origin: str | None) -> None:
    text = json.dumps(head | {"skills": [entry(), *entries]})
    files = {INDEX: text, OLD_INDEX: text, PAY: TEXT, f"{NEW}/refund/SKILL.md": REFUND, f"{OLD}/x/SKILL.md": "\0"}
    report = report_on(files, origin=origin)
    assert report.crashed == 0
    for finding in report.findings:
        if finding.rule in MINE and finding.fix is not None:
            json.loads(str(after(files, finding)[finding.path]))


# --- cost -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [{}, {"url": "gone/SKILL.md"}, {"digest": sha("x")}, {"description": "Pay."}])
def test_the_cost_grows_with_the_number_of_entries(fault: dict[str, object]) -> None:
    def seconds(count: int) -> float:
        names = [f"s{i}" for i in range(count)]
        texts = {name: clean_skill("discovery", f"name: {name}", "\n# Pay\n") for name in names}
        entries = [entry(name=name, url=f"{name}/SKILL.md", digest=sha(text)) | fault for name, text in texts.items()]
        files = {f"{NEW}/{name}/SKILL.md": text for name, text in texts.items()}
        sites = memory_project({INDEX: new(*entries), **files}).sites
        best = 9.0
        for _ in range(2):
            start = perf_counter()
            for rule in MINE.values():
                if rule.id != "index-location":
                    list(rule.check(sites[0], None))
            best = min(best, perf_counter() - start)
        return best

    small, large = seconds(60), seconds(480)
    assert large < 0.5 + small * 8 * 4


# --- what a review of sites has found -------------------------------------------------------------

REFUND_TEXT = clean_skill("discovery", "name: refund")


def pair(first: dict[str, object], second: dict[str, object]) -> dict[str, str | bytes]:
    """Two skills and an index with an entry for each."""
    two = entry(name="refund", url="refund/SKILL.md", digest=sha(REFUND_TEXT)) | second
    return {INDEX: new(entry() | first, two), PAY: TEXT, f"{NEW}/refund/SKILL.md": REFUND_TEXT}


def test_swapped_urls_are_one_fault_for_each_entry() -> None:
    files = pair({"url": "refund/SKILL.md"}, {"url": "pay-invoice/SKILL.md"})
    assert [f.rule for f in found(files)] == ["index-name", "index-name"]
    swapped = pair({"url": "refund/SKILL.md", "description": "x", "digest": sha("x")}, {"url": "pay-invoice/SKILL.md"})
    assert [f.rule for f in found(swapped)] == ["index-name", "index-name"]


def test_the_digest_of_another_skill_is_not_blessed() -> None:
    finding = alone(pair({"digest": sha(REFUND_TEXT)}, {}), "index-digest")
    assert finding.fix is None
    assert finding.message == f"the digest is that of '{NEW}/refund/SKILL.md', not of '{PAY}'"


def test_no_fix_of_a_digest_while_the_names_differ() -> None:
    files = {INDEX: new(entry(name="other", digest=sha("x"))), PAY: TEXT}
    assert [(f.rule, f.fix is None) for f in found(files)] == [("index-name", False), ("index-digest", True)]
    assert alone({INDEX: new(entry(digest=sha("x"))), PAY: TEXT}, "index-digest").fix is not None


def test_an_entry_that_leads_to_a_registry() -> None:
    itself = found({INDEX: new(entry(url=f"/{INDEX}"), x=1)})
    assert [(f.rule, f.message) for f in itself] == [
        ("index-target", "the url leads to the index itself, not to a skill")
    ]
    other = {INDEX: new(entry(url=f"/{OLD_INDEX}")), PAY: TEXT, OLD_INDEX: old()}
    assert [f.message for f in found(other, "index-target")] == [
        f"the url leads to '{OLD_INDEX}', which lists skills and is none"
    ]
    assert found(other, "index-digest") == []


def test_a_base_path_that_all_urls_share() -> None:
    files = pair({"url": f"/docs/{PAY}"}, {"url": f"/docs/{NEW}/refund/SKILL.md"})
    assert [f.rule for f in found(files) if f.rule != "index-description"] == []
    mixed = pair({"url": f"/docs/{PAY}"}, {"url": f"/{NEW}/refund/SKILL.md"})
    assert [f.rule for f in found(mixed)] == ["index-target"]
    stale = pair({"url": f"/docs/{PAY}", "digest": sha("x")}, {"url": f"/docs/{NEW}/refund/SKILL.md"})
    assert [f.rule for f in found(stale)] == ["index-digest"]
    on_disk = {f"public/{path}": text for path, text in {INDEX: new(entry(url=f"/public/{PAY}")), PAY: TEXT}.items()}
    assert [f.rule for f in found(on_disk)] == ["index-target"]


def test_a_copy_of_the_index_at_the_old_place_is_silent() -> None:
    right = new(entry(url=f"/{PAY}"))
    assert found({INDEX: right, OLD_INDEX: right, PAY: TEXT}, "index-location") == []
    assert len(found({INDEX: right, OLD_INDEX: right + "\n", PAY: TEXT}, "index-location")) == 1


@pytest.mark.parametrize(
    ("more", "is_made"),
    [
        ({f"src/pages/{INDEX}.ts": ""}, True),
        ({f"app/{INDEX}/route.ts": ""}, True),
        ({f"src/app/(site)/{INDEX}/route.js": ""}, True),
        ({f"src/routes/{INDEX}/+server.ts": ""}, True),
        ({f"app/{NEW}/[...path]/route.ts": ""}, True),
        ({f"public/{INDEX}.mjs": ""}, True),
        ({".gitignore": f"public/{INDEX}\n"}, True),
        ({"public/.gitignore": "index.json\n"}, True),
        ({".gitignore": "*.log\npublic\n!public\n"}, False),
        ({".gitignore": "/index.json\n"}, False),
        ({f"src/pages/{INDEX}.md": ""}, False),
        ({f"lib/{INDEX}.ts": ""}, False),
    ],
)
def test_an_index_that_is_made_by_the_build(more: dict[str, str], is_made: bool) -> None:
    files = {f"public/{PAY}": TEXT, **more}
    assert (found(files, "index-missing") == []) == is_made


def test_an_index_with_another_case_of_letters() -> None:
    finding = alone({PAY: TEXT, f"{NEW}/Index.json": "{}"}, "index-missing")
    assert finding.message.endswith("there is no '.well-known/agent-skills/index.json', only 'Index.json'")
    assert finding.hint == "rename it: addresses are compared letter by letter"


def test_a_well_known_folder_with_neither_index_nor_skill_is_no_site() -> None:
    assert memory_project({f"{NEW}/.gitkeep": "", f"{NEW}/x/y.py": ""}).sites == ()
    assert len(memory_project({f"{NEW}/a/pay.tar.gz": b""}).sites) == 1


def test_unlisted_is_silent_where_an_entry_says_nothing() -> None:
    for item in ("pay-invoice", {}, {"type": "skill-md"}):
        assert found({INDEX: new(item, entry(name="x", url="x")), PAY: TEXT}, "index-unlisted") == []
    assert len(found({INDEX: new(entry(name="x", url="https://b.example/x.md")), PAY: TEXT}, "index-unlisted")) == 1


def test_blanks_around_a_url_are_said_once() -> None:
    rules = [f.rule for f in report_on({INDEX: new(entry(url=f" /{PAY}")), PAY: TEXT}).findings if f.level == "error"]
    assert rules == ["url-malformed"]


def test_files_that_are_empty_and_folders_that_are_not_there() -> None:
    files = {OLD_INDEX: old(files_entry("SKILL.md", "a.md", " ", "scripts/")), f"{OLD}/pay-invoice/SKILL.md": TEXT}
    assert [f.message for f in found({**files, f"{OLD}/pay-invoice/a.md": ""}, "index-files")] == [
        "a path in 'files' is empty",
        f"there is no 'scripts/' in '{OLD}/pay-invoice', and 'files' lists no folders",
    ]
    there = {**files, f"{OLD}/pay-invoice/a.md": "", f"{OLD}/pay-invoice/scripts/x.py": ""}
    assert found(there, "index-files")[1].message == "'scripts/' is a folder: 'files' lists each file in it"


SLIPS = (
    ".well-known/agent_skills/index.json", ".well-known/agentskills/index.json", ".well-known/skill/index.json",
    ".well-known/agents-skills/index.json", ".well-known/Agent-Skills/index.json", ".well-known/agent-skills.json",
    ".well-known/skills.json", ".well-known/agent-skills/skills.json", ".well-known/agent-skills/Index.json",
    "agent-skills.json", "index.json",
)  # fmt: skip


@pytest.mark.parametrize("path", SLIPS)
@pytest.mark.parametrize("asked", [".", "public", "the file"])
def test_an_index_that_misses_its_place_by_a_slip(path: str, asked: str) -> None:
    url = "https://skills.example/pay-invoice/SKILL.md"
    files = {f"public/{path}": new(entry(url=url)), "public/robots.txt": ""}
    project_ = memory_project(files, paths=[f"public/{path}" if asked == "the file" else asked])
    findings = [f for f in lint(project_, Config(level="note")).findings if f.rule in MINE]
    assert [(f.path, f.rule, f.level, f.line, f.column) for f in findings] == [
        (f"public/{path}", "index-location", "error", 1, 1)
    ]
    assert findings[0].message == f"clients look for this index at '/{INDEX}' alone, not at '/{path}'"
    assert findings[0].hint == f"move it to '{INDEX}'"


@pytest.mark.parametrize(
    "files",
    [
        *({INDEX: new(entry(url=f"/{PAY}")), PAY: TEXT, path: new(entry())} for path in SLIPS),
        # no index of skills by its content
        {".well-known/skills.json": '{"skills": ["python", "sql"]}', "index.html": ""},
        {"agent-skills.json": old(files_entry("SKILL.md")), "index.html": ""},
        {"index.json": old(files_entry("SKILL.md")), "robots.txt": ""},
        {"index.json": new(entry()), "index.html": ""},
        {".well-known/agent-skills.json": "no JSON"},
        # a folder that is no site
        {"skills/index.json": new(entry()), "skills/pay-invoice/SKILL.md": TEXT},
        {".well-known/security.json": new(entry()), "index.html": ""},
        {INDEX: new(entry()), PAY: TEXT, "skills/index.json": new(entry()), "skills/index.html": ""},
    ],
)
def test_no_slip_where_the_index_is_at_its_place_or_the_file_is_none(files: Files) -> None:
    assert found(files, "index-location") == []


def test_skills_in_a_folder_with_a_slip_in_its_name() -> None:
    folder = ".well-known/agent_skills"
    finding = alone({f"{folder}/pay-invoice/SKILL.md": TEXT}, "index-missing")
    assert brief([finding]) == [("index-missing", "error", 1, 1)]
    assert finding.message == f"this skill is in '{folder}', where no client looks, not in '{NEW}'"
    assert finding.hint == f"move what is there to '{NEW}', with an index.json that has an entry for each skill"
    both = {f"{folder}/index.json": new(entry()), f"{folder}/pay-invoice/SKILL.md": TEXT}
    assert alone(both, "index-location").path == f"{folder}/index.json"
    foreign = {**both, f"{folder}/index.json": "[]"}
    assert alone(foreign, "index-missing").path == f"{folder}/pay-invoice/SKILL.md"
    listed = {INDEX: new(entry(url=f"/{folder}/pay-invoice/SKILL.md")), f"{folder}/pay-invoice/SKILL.md": TEXT}
    assert found(listed, "index-missing") == []
    assert memory_project({".well-known/skill/x.py": ""}).sites == ()


def test_an_index_elsewhere_has_to_move_to_the_skills() -> None:
    finding = alone({PAY: TEXT, f"{NEW}/skills.json": new(entry())}, "index-missing")
    assert finding.hint == f"move '{NEW}/skills.json' there"
    assert [(place.path, text) for place, text in finding.related] == [
        (f"{NEW}/skills.json", "an index that clients do not look for here")
    ]
    older = {PAY: TEXT, OLD_INDEX: old(files_entry("SKILL.md", name="refund")), f"{OLD}/refund/SKILL.md": REFUND}
    assert alone(older, "index-missing").hint == f"write '{INDEX}' with an entry for each skill"


@pytest.mark.parametrize(
    ("hrefs", "base"),
    [
        ([f"/docs/{PAY}"], "/docs"),
        (["/docs/pay-invoice/SKILL.md", "/docs/refund/SKILL.md"], "/docs"),
        # one entry alone may as well go through a folder that is not there
        (["/docs/pay-invoice/SKILL.md"], ""),
        (["/skills/pay-invoice/SKILL.md", "/skills/refund/SKILL.md"], ""),
        (["/docs/pay-invoice/SKILL.md", "/web/refund/SKILL.md"], ""),
    ],
)
def test_which_paths_tell_the_base_path_of_a_site(hrefs: list[str], base: str) -> None:
    entries = [entry(name=href.split("/")[-2], url=href) for href in hrefs]
    files = {INDEX: new(*entries), PAY: TEXT, "pay-invoice/SKILL.md": TEXT, "refund/SKILL.md": REFUND}
    (site,) = memory_project(files).sites
    assert (site.base, site.origin.url) == (base, None)


def test_the_base_path_of_a_known_origin() -> None:
    files = {INDEX: new(entry()), PAY: TEXT}
    for origin, base in (("https://acme.github.io/docs/", "/docs"), ("https://acme.example", "")):
        (site,) = memory_project(files, Config(origin=origin)).sites
        assert site.base == base


def test_what_is_marked_as_internal_needs_no_index() -> None:
    internal = clean_skill("agentskills", "metadata: {internal: true}")
    assert found({PAY: internal}, "index-missing") == []
    finding = alone({PAY: internal, f"{NEW}/refund/SKILL.md": REFUND}, "index-missing")
    assert (finding.path, finding.related) == (f"{NEW}/refund/SKILL.md", ())
    (site,) = memory_project({PAY: internal, f"{NEW}/refund/SKILL.md": REFUND}).sites
    made = new_index(site, None)
    assert made is not None
    assert [item["name"] for item in json.loads(made.text)["skills"]] == ["refund"]


def test_an_entry_without_a_key_lists_nothing() -> None:
    files = {INDEX: new({}, entry()), PAY: TEXT}
    (site,) = memory_project(files).sites
    assert [item.name for item in site.indexes[0].entries] == ["pay-invoice"]
    assert found(files) == []
    assert [(f.rule, f.line) for f in report_on(files).findings if f.level == "error"] == [("index-schema", 4)]


def test_copies_for_transport_are_not_meant() -> None:
    finding = alone({INDEX: new(entry()), f"{PAY}.gz": b"x", f"{PAY}.br": b"x"}, "index-target")
    assert (finding.message, finding.fix) == (f"there is no {PAY!r}", None)


def test_a_pointer_to_the_large_file_storage_is_one_finding() -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 123\n"
    errors = [f for f in report_on({INDEX: new(entry()), PAY: pointer}).findings if f.level == "error"]
    assert [(f.rule, f.message) for f in errors] == [
        ("frontmatter-missing", "the file has no frontmatter; it is a Git LFS pointer, not the file itself")
    ]


def test_the_page_of_a_project_lies_below_that_of_its_owner() -> None:
    url = f"https://acme.github.io/docs/{PAY}"
    report = report_on({INDEX: dualnova(dn_entry(url=url), provider_url="https://acme.github.io"), PAY: DN_TEXT})
    assert [f.rule for f in report.findings if f.level == "error"] == []
    assert report.sites[0].origin == "https://acme.github.io/docs"


def test_a_host_in_unicode_is_that_in_ascii() -> None:
    index = new(entry(url=f"https://b\u00fccher.example/{PAY}"))
    assert found({INDEX: index, PAY: TEXT}, "index-foreign", origin="https://xn--bcher-kva.example") == []


def test_a_link_out_of_the_tree_is_not_checked_and_not_broken(tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "pay-invoice" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(TEXT, encoding="utf-8")
    public = tmp_path / "public"
    (public / NEW).mkdir(parents=True)
    (public / INDEX).write_text(new(entry(url=f"/{PAY}")), encoding="utf-8")
    (public / NEW / "pay-invoice").symlink_to("../../../skills/pay-invoice")
    report = lint(project([str(public)]), Config(level="note"))
    assert [f.rule for f in report.findings if f.rule in MINE] == []
    assert [found.reason for found in report.sites[0].unchecked] == ["a symbolic link leads out of the tree"]


def test_the_hint_for_a_missing_url_names_the_entry() -> None:
    bare = {key: value for key, value in entry(name="refund").items() if key != "url"}
    (finding,) = (f for f in report_on({INDEX: new(bare)}).findings if f.rule == "index-schema")
    assert finding.hint == 'add "url": "/.well-known/agent-skills/refund/SKILL.md"'
