"""The discovery files of WSP: form, targets, what they list, where they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project, project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding
from agentskills_lint.registries import SkillsTxt, has_evidence
from tests.support import clean_skill, fixed, only, report_on

SHARED = Path(__file__).parents[3] / "shared"
CODES = {*(f"SKL{number}" for number in range(830, 844)), "SKL857"}
LISTED = re.compile(r"\b((?:skills|agents)/([a-z0-9-]+)/SKILL\.md)")

HEAD = "# Acme\n\n> Invoices and payments.\n\n"
PAY = "- [Pay](/skills/pay/SKILL.md): Pays an invoice.\n"
GOOD = HEAD + "## Skills\n\n" + PAY
"""The entry stands on line 7."""

PAY_SKILL = clean_skill("wsp", "name: pay")
B_SKILL = clean_skill("wsp", "name: b")
WELL_KNOWN = ".well-known/agent-skills/"

Brief = list[tuple[str, str, int, int]]


def tree(text: str, name: str = "skills.txt", **more: str) -> dict[str, str]:
    """A site with the discovery file and a clean skill behind each usual path that it names."""
    files = {path: clean_skill("wsp", f"name: {skill}") for path, skill in LISTED.findall(text)}
    return files | {name: text} | more


def findings(files: dict[str, str | bytes] | dict[str, str], *spec: str, **settings: object) -> list[Finding]:
    """What the rules of this topic find."""
    return [found for found in report_on(files, spec, **settings).findings if found.code in CODES]


def told(text: str, *spec: str, name: str = "skills.txt", **more: str) -> Brief:
    """(rule without its prefix, level, line, column) of what is found on a discovery file."""
    found = findings(tree(text, name, **more), *spec)
    return [(f.rule.removeprefix("skills-txt-"), f.level, f.line, f.column) for f in found if f.path == name]


def the(text: str, rule: str, *spec: str, **more: str) -> Finding:
    """The one finding of a rule."""
    (found,) = only(findings(tree(text, **more), *spec), rule)
    return found


def test_a_clean_file_gives_nothing() -> None:
    assert findings(tree(GOOD)) == findings(tree(GOOD), "wsp") == []
    assert findings(tree(GOOD.replace("/skills", "/agents"), "agents.txt")) == []


# --- foreign files


FOREIGN = [
    "User-agent: *\nAllow: /\n",
    "# Skills\n\nSee [the skill](/skills/pay/SKILL.md).\n",
    "# Acme\n\n## Skills\n\n- [Pay](/pay.md)\n- [Pay](/pay.md)\n",
    "# Acme\n\n```\n- [Pay](/skills/pay/SKILL.md): Pays.\n```\n",
    "# Acme\n\n<!--\n- [Pay](/skills/pay/SKILL.md): Pays.\n-->\n",
    "# Acme\n\n> - [Pay](/skills/pay/SKILL.md): Pays.\n",
    "# Acme\n\n## Skills\n\n- How to pay: [here](/skills/pay/SKILL.md)\n",
    "# Acme\n\n## Skills\n\n- [Pay](/skills/pay/skill.md): Pays.\n",
    "# Acme\n\n- ![Pay](/skills/pay/SKILL.md)\n",
    "\n# Acme\n",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_a_foreign_file_gets_one_note_and_no_more(text: str) -> None:
    assert [(f.rule, f.level, f.line, f.column) for f in report_on({"skills.txt": text, "x/a.md": ""}).findings] == [
        ("skills-txt-foreign", "note", 1, 1)
    ]


@pytest.mark.parametrize("raw", [b"\xef\xbb\xbfCV\n", b"a\r\nb\n", b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"])
def test_the_bytes_of_a_foreign_file_are_its_own_affair(raw: bytes) -> None:
    assert [f.rule for f in report_on({"agents.txt": raw}).findings] == ["skills-txt-foreign"]


@pytest.mark.parametrize("text", FOREIGN)
def test_asked_for_wsp_every_file_is_judged(text: str) -> None:
    found = told(text, "wsp")
    assert "foreign" not in {rule for rule, *_ in found}
    assert {rule for rule, *_ in found} & {"sections", "entry", "target"}


@pytest.mark.parametrize(
    "entry",
    [
        "- [Pay](/skills/pay/SKILL.md)",
        "* [Pay](/skills/pay/SKILL.md?v=1#x)",
        "+ [Pay](https://acme.example/skills/pay/SKILL.md)",
        "1. [Pay](skills/pay/SKILL.md)",
        "- [Pay](</skills/pay/SKILL.md>)",
        "- **[Pay](/skills/pay/SKILL.md)**: Pays.",
        "- [ ] [Pay](/skills/pay/SKILL.md)",
        "- [Pay][r]\n\n[r]: /skills/pay/SKILL.md",
        "- Payments\n  - [Pay](/skills/pay/SKILL.md)",
    ],
)
def test_evidence_of_wsp_is_a_list_item_that_begins_with_a_link(entry: str) -> None:
    assert has_evidence(f"# Acme\n\n{entry}\n".encode())


def test_evidence_is_found_in_a_file_that_is_no_text() -> None:
    raw = GOOD.encode().replace(b"Invoices", b"\xe9")
    assert [(f.rule, f.level, f.line, f.column) for f in report_on({"skills.txt": raw}).findings] == [
        ("not-utf8", "error", 3, 3)
    ]


# --- reading


def read(text: str) -> SkillsTxt:
    return SkillsTxt("skills.txt", "/skills.txt", text.encode(), None)


def test_entries_are_read_from_list_items() -> None:
    text = HEAD + (
        "## Skills\n\n"
        "- [Pay](/skills/pay/SKILL.md): Pays an\n  invoice, see [terms](/terms.md).\n"
        "  - [Nested](/skills/nested/SKILL.md) - deep\n"
        "- [Guide](/guide.md): no skill\n"
        "- <!-- [Old](/skills/old/SKILL.md) -->\n"
        "- `[Code](/skills/code/SKILL.md)`\n"
        "- [Umlaut ä](/skills/ä/SKILL.md) <!-- note -->\n"
    )
    entries = read(text).entries
    assert [(e.name, e.href, e.description) for e in entries] == [
        ("Pay", "/skills/pay/SKILL.md", "Pays an invoice, see [terms](/terms.md)."),
        ("Nested", "/skills/nested/SKILL.md", "deep"),
        ("Umlaut ä", "/skills/ä/SKILL.md", None),
    ]
    assert [text[e.where.start : e.where.end] for e in entries] == [e.href for e in entries]
    assert text[slice(*entries[0].span)].startswith("- [Pay]")
    assert text[slice(*entries[0].span)].endswith("(/terms.md).")
    document = read(text)
    assert document.entry_at(entries[1].where.start) == entries[1]


def test_sections_are_told_by_headings_of_level_2() -> None:
    text = "Acme\n====\n\nSkills\n------\n\n### Payments\n\n" + PAY + "\n> ## Quoted\n\n## Optional\n"
    sections = read(text).sections
    assert [(s.heading and s.heading.text, len(s.items), s.lists_skills) for s in sections] == [
        (None, 0, False),
        ("Skills", 1, True),
        ("Optional", 0, False),
    ]


def test_a_frontmatter_is_no_part_of_the_text() -> None:
    document = read("---\nlayout: null\n---\n" + GOOD)
    assert [heading.text for heading in document.headings] == ["Acme", "Skills"]
    assert read("---\n\n# Acme\n\n---\n").body.start == 0
    assert read("---\n---\n# Acme\n").body.start == 8


# --- cases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # no H1
        (GOOD.replace("# Acme\n", "Acme\n", 1), [("title", "error", 1, 1)]),
        (GOOD.replace("# Acme", "#Acme", 1), [("title", "error", 1, 1)]),
        # two
        (GOOD + "\n# Beta\n", [("title", "error", 9, 1)]),
        # no H2, no entries
        ("# Acme\n\n> Invoices.\n", [("sections", "error", 1, 1)]),
        (HEAD + PAY, [("sections", "error", 5, 1)]),
        (HEAD + "### Skills\n\n" + PAY, [("sections", "error", 7, 1)]),
        # an entry before the first H2
        (HEAD + PAY + "\n## Optional\n\n- [B](/skills/b/SKILL.md): B.\n", [("sections", "error", 5, 1)]),
        # an H3 inside an H2
        (HEAD + "## Skills\n\n### Money\n\n" + PAY, []),
        # other markers
        (GOOD.replace("- [", "* ["), [("separator", "warning", 7, 1)]),
        (GOOD.replace("- [", "+ ["), [("separator", "warning", 7, 1)]),
        (GOOD.replace("- [", "1. ["), [("separator", "warning", 7, 1)]),
        # a blank between name and address
        (GOOD + "- [x] (/skills/b/SKILL.md): B.\n", [("entry", "error", 8, 6)]),
        (GOOD + "- [Name] (/skills/b/SKILL.md): B.\n", [("entry", "error", 8, 9)]),
        # a task is no link
        (GOOD + "- [ ] task\n", [("entry", "error", 8, 1)]),
        (GOOD + "- [ ] [B](/skills/b/SKILL.md): B.\n", [("entry", "error", 8, 3)]),
        # no description
        (GOOD + "- [B](/skills/b/SKILL.md)\n", [("description", "warning", 8, 3)]),
        (GOOD + "- [B](/skills/b/SKILL.md):\n", [("description", "warning", 8, 3)]),
        # a dash instead of the colon
        (GOOD + "- [B](/skills/b/SKILL.md) \u2013 B.\n", [("separator", "warning", 8, 27)]),
        (GOOD + "- [B](/skills/b/SKILL.md) - B.\n", [("separator", "warning", 8, 27)]),
        # a summary of several lines
        (GOOD.replace("payments.", "payments.\n> For small companies."), []),
        # setext headings
        ("Acme\n====\n\n> Invoices.\n\nSkills\n------\n\n" + PAY, []),
        (
            "Acme\n====\n\nBeta\n====\n\n> Invoices.\n\nSkills\n------\n\n" + PAY,
            [("title", "error", 4, 1)],
        ),
        # Optional in any case of letters: no clause of the catalogue speaks of it
        (GOOD + "\n## optional\n\n- [B](/skills/b/SKILL.md): B.\n", []),
    ],
)  # fmt: skip
def test_case_084_structure(text: str, expected: Brief) -> None:
    assert told(text, "wsp") == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("- [B](/skills/b/): B.", [("target", "error", 8, 7)]),
        ("- [B](/skills/b): B.", [("target", "error", 8, 7)]),
        ("- [B](/skills/b.html): B.", [("target", "error", 8, 7)]),
        ("- [B](/skills/b/skill.md): B.", [("target", "error", 8, 7)]),
        # query and fragment lead to the same file
        ("- [B](/skills/b/SKILL.md?v=1): B.", []),
        ("- [B](/skills/b/SKILL.md#x): B.", []),
        ("- [B](skills/c/SKILL.md): B.", []),
        ("- [B](./skills/c/SKILL.md): B.", []),
        # not in the form of the grammar
        ("- [B][r]: B.\n\n[r]: /skills/b/SKILL.md", [("entry", "error", 8, 3)]),
        ("- [B](</skills/b/SKILL.md>): B.", [("entry", "error", 8, 8)]),
        ('- [B](/skills/b/SKILL.md "B"): B.', [("entry", "error", 8, 25)]),
        ("- [B](/skills/b/SKILL.md), [C](/skills/c/SKILL.md)", [("entry", "error", 8, 28)]),
        ("- [B](/skills/b/SKILL.md): B, unlike [C](/skills/pay/SKILL.md).", []),
        # nothing there, twice the same, another directory
        ("- [B](/skills/gone/b.md): B.", [("target", "error", 8, 7)]),
        ("- [B](/skills/pay/SKILL.md): B.", [("duplicate", "warning", 8, 7)]),
        ("- [B](/agents/b/SKILL.md): B.", [("convention", "warning", 8, 7)]),
        ("- [B](/more/agents/b/SKILL.md): B.", [("convention", "warning", 8, 7)]),
        # in comments and code
        ("<!-- - [B](/skills/gone/SKILL.md): B. -->", []),
        ("- [B](/skills/b/SKILL.md): `[C](/skills/gone/SKILL.md)`", []),
    ],
)
def test_case_085_links(entry: str, expected: Brief) -> None:
    text = GOOD + entry + "\n"
    places = {"/skills/b": "skills/b", "skills/c/": "skills/c", "(/agents/b": "agents/b", "/more/": "more/agents/b"}
    found = [place for part, place in places.items() if part in entry]
    more = {f"{place}/SKILL.md": clean_skill("wsp", f"name: {place[-1]}") for place in (*found, "skills/pay")}
    problems = findings({"skills.txt": text} | more)
    assert [(f.rule.removeprefix("skills-txt-"), f.level, f.line, f.column) for f in problems] == expected


# --- what the spec demands


DEMANDS = [
    ("2", tree(GOOD, **{"skills/b/SKILL.md": B_SKILL}), [("unlisted", "warning", 5, 1)]),
    (
        "3.1 root",
        {".well-known/skills.txt": GOOD, "skills/pay/SKILL.md": PAY_SKILL},
        [("location", "warning", 1, 1)],
    ),
    (
        "3.1 both",
        tree(GOOD, **{"agents.txt": GOOD.replace("Pays", "Clears")}),
        [("differs", "warning", 7, 1), ("convention", "warning", 7, 9)],
    ),
    ("3.2 H1", tree(GOOD.replace("# Acme\n\n", "", 1)), [("title", "error", 1, 1)]),
    ("3.2 blockquote", tree(GOOD.replace("> Invoices and payments.\n\n", "")), [("summary", "warning", 1, 1)]),
    ("3.2 H2", tree(GOOD.replace("## ", "")), [("sections", "error", 7, 1)]),
    ("3.2 order", tree("## Skills\n\n" + PAY + "\n# Acme\n\n> Invoices.\n"), [("order", "warning", 5, 1)]),
    ("3.2 entry", tree(GOOD + "- B\n"), [("entry", "error", 8, 1)]),
    ("3.2 colon", tree(GOOD + "- [B](/skills/b/SKILL.md) B\n"), [("separator", "warning", 8, 26)]),
    ("3.2 link", tree(GOOD + "- [B](/b.html): B\n"), [("target", "error", 8, 7)]),
    ("3.2 description", tree(GOOD + "- [B](/skills/b/SKILL.md)\n"), [("description", "warning", 8, 3)]),
    (
        "4.1 directories",
        tree(GOOD + "- [B](/b/SKILL.md): B\n", **{"b/SKILL.md": B_SKILL}),
        [("convention", "warning", 8, 7)],
    ),
    ("4.1 name", tree(GOOD, "agents.txt"), [("convention", "warning", 7, 9)]),
    ("5.1 file name", tree(GOOD + "- [B](/skills/b/Skill.md): B\n"), [("target", "error", 8, 7)]),
    ("10.1 one entry", tree(GOOD + "\n## Optional\n"), [("sections", "error", 9, 1)]),
    ("10.1 SKILL.md", {"skills.txt": GOOD}, [("target", "error", 7, 9)]),
    ("App. A site-header, one", tree(GOOD.replace("##", "#")), [("sections", "error", 7, 1), ("title", "error", 5, 1)]),
    ("App. A site-header, first", tree("Welcome.\n\n" + GOOD), [("order", "warning", 3, 1)]),
    ("App. A site-desc, one", tree(GOOD.replace("##", "> More.\n\n##")), [("order", "warning", 5, 1)]),
    ("App. A site-desc, place", tree(GOOD.replace("> ", "Hello.\n\n> ")), [("order", "warning", 5, 1)]),
    ("App. A prose-sections", tree(GOOD + "\nTen a minute.\n"), [("order", "warning", 9, 1)]),
    ("App. A skill-sections", {"skills.txt": "# Acme\n\n> Invoices.\n\n- Pay\n"}, [("sections", "error", 1, 1)]),
    ("App. A section-header", tree(GOOD.replace("## Skills", "##")), [("sections", "error", 5, 1)]),
    ("App. A skill-list, one", tree(GOOD + "\n## Limits\n\nTen a minute.\n"), [("sections", "error", 9, 1)]),
    (
        "App. A skill-list, in a section",
        tree(HEAD + PAY + "\n## More\n\n- [B](/skills/b/SKILL.md): B\n"),
        [("sections", "error", 5, 1)],
    ),
    ("App. A skill-list, nothing else", tree(GOOD.replace("- [", "All:\n\n- [")), [("order", "warning", 7, 1)]),
    ("App. A skill-entry", tree(GOOD + "- Pay: [B](/skills/b/SKILL.md)\n"), [("entry", "error", 8, 3)]),
    ("App. A skill-entry, hyphen", tree(GOOD.replace("- [", "* [")), [("separator", "warning", 7, 1)]),
    ("App. A skill-name", tree(GOOD + "- [ ](/skills/b/SKILL.md): B\n"), [("entry", "error", 8, 3)]),
    ("App. A skill-url", tree(GOOD.replace("/skills/", "/agents/")), [("convention", "warning", 7, 9)]),
    ("App. A skill-desc", tree(GOOD + "- [B](/skills/b/SKILL.md): \n"), [("description", "warning", 8, 3)]),
    ("App. D", tree(GOOD + "- [B](/agents/b/SKILL.md): B\n"), [("convention", "warning", 8, 7)]),
]  # fmt: skip


@pytest.mark.parametrize(("demand", "files", "expected"), DEMANDS, ids=[demand for demand, *_ in DEMANDS])
def test_demands_of_the_spec(demand: str, files: dict[str, str], expected: Brief) -> None:
    found = findings(files, "wsp")
    assert sorted((f.rule.removeprefix("skills-txt-"), f.level, f.line, f.column) for f in found) == sorted(expected)


# --- parts


def test_messages_speak_of_what_is_there() -> None:
    assert the(GOOD + "\n# Beta\n", "skills-txt-title").message == (
        "'Beta' is another heading of level 1; only one names the site"
    )
    many = "# Acme\n" + "# More\n" * 7 + GOOD.split("\n", 1)[1]
    assert the(many, "skills-txt-title").message.endswith("(and 6 more of them)")
    assert the(GOOD.replace("# Acme", "#Acme", 1), "skills-txt-title").message.startswith("no heading: a blank")
    empty = GOOD.replace("# Acme", "#", 1)
    assert the(empty, "skills-txt-title").message == "the heading of level 1 is empty; it names the site"
    sections = "".join(f"\n## Part {n}\n\nText.\n" for n in range(7))
    assert the(GOOD + sections, "skills-txt-sections").message.endswith("(and 6 more sections like it)")


def test_an_empty_blockquote_says_nothing() -> None:
    assert told(GOOD.replace("> Invoices and payments.", ">")) == [("summary", "warning", 1, 1)]


def test_comments_and_rules_are_no_text() -> None:
    assert told("<!-- made by hand -->\n" + GOOD + "\n---\n\n<!-- end -->\n") == []


def test_lists_of_facts_above_the_sections_are_prose() -> None:
    assert told(HEAD + "- Ten a minute\n- [Terms](/terms.html)\n\n## Skills\n\n" + PAY) == []


def test_a_section_of_other_links_is_one_finding() -> None:
    links = "\n## Documentation\n\n- [Guide](/guide.md): Guide\n- [Help](https://acme.example/help): Help\n"
    assert told(GOOD + links) == [("sections", "error", 9, 1)]
    assert told(GOOD + links.replace("Documentation", "More skills")) == [
        ("target", "error", 11, 11),
        ("target", "error", 12, 10),
    ]


def test_notes_below_an_entry_are_told_once_a_section() -> None:
    text = GOOD + "  - needs a key\n- [B](/skills/b/SKILL.md): B\n  - needs none\n\nThat is all.\n"
    found = the(text, "skills-txt-order")
    assert (found.line, found.column) == (8, 3)
    assert found.message == "other text stands in section 'Skills', which is a list of skills (and 2 more places)"


def test_a_late_title_hides_no_other_fault() -> None:
    assert told("Welcome.\n\n" + GOOD.replace("- [", "All:\n\n- [")) == [
        ("order", "warning", 3, 1),
        ("order", "warning", 9, 1),
    ]


def test_an_item_without_a_skill_among_entries_is_told_once_a_list() -> None:
    text = GOOD + "- Soon: [more](https://acme.example)\n- and more\n"
    found = the(text, "skills-txt-entry")
    assert (found.line, found.message) == (8, "the list item is no entry: it links no skill (and 1 more of this list)")
    assert told(text) == [("entry", "error", 8, 1)]


def test_a_description_may_run_on() -> None:
    assert told(GOOD.replace("Pays an", "Pays\n  an")) == []
    assert told(GOOD.replace(": Pays", ":Pays")) == []
    assert told(GOOD.replace(": Pays", ":\n  Pays")) == []
    assert told(GOOD.rstrip() + " <!-- agentskills-lint: ignore[skills-txt-target] -->\n") == []


def test_a_frontmatter_is_for_jekyll_alone() -> None:
    text = "---\nlayout: null\n---\n" + GOOD
    assert told(text) == [("order", "warning", 1, 1)]
    assert told(text, **{"_config.yml": "title: Acme\n"}) == []


@pytest.mark.parametrize(
    ("entry", "expected", "column"),
    [
        ("- [B](/skills/b/SKILL.md) - B", "- [B](/skills/b/SKILL.md): B", 27),
        ("- [B](/skills/b/SKILL.md) -- B", "- [B](/skills/b/SKILL.md): B", 27),
        ("- [B](/skills/b/SKILL.md)— B", "- [B](/skills/b/SKILL.md): B", 26),
        ("- [B](/skills/b/SKILL.md) → B", "- [B](/skills/b/SKILL.md): B", 27),
        ("- [B](/skills/b/SKILL.md) -> B", "- [B](/skills/b/SKILL.md): B", 27),
        ("- [B](/skills/b/SKILL.md)\uff1aB", "- [B](/skills/b/SKILL.md): B", 26),
        ("- [B](/skills/b/SKILL.md) | B", "- [B](/skills/b/SKILL.md): B", 27),
        ("- [B](/skills/b/SKILL.md) B", "- [B](/skills/b/SKILL.md): B", 26),
        ("- [B](/skills/b/SKILL.md)B", "- [B](/skills/b/SKILL.md): B", 26),
        ("- [B](/skills/b/SKILL.md) (new): B", "- [B](/skills/b/SKILL.md): (new): B", 26),
        ("- [B](/skills/b/SKILL.md)-like", "- [B](/skills/b/SKILL.md): -like", 26),
        ("- [B](/skills/b/SKILL.md)\n  B", "- [B](/skills/b/SKILL.md): B", 26),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_separators_become_colons(entry: str, expected: str, column: int, newline: str) -> None:
    text = (GOOD + entry + "\n").replace("\n", newline)
    found = the(text, "skills-txt-separator")
    assert (found.level, found.line, found.column) == ("warning", 8, column)
    assert found.fix is not None
    assert found.fix.safe
    assert fixed(text, found) == (GOOD + expected + "\n").replace("\n", newline)
    assert told(fixed(text, found)) == []


def test_the_marks_of_a_list_are_one_finding() -> None:
    text = HEAD + "## Skills\n\n" + "".join(f"{n}. [S{n}](/skills/s{n}/SKILL.md) - Does {n}.\n" for n in range(1, 13))
    found = findings(tree(text))
    assert [(f.line, f.column, f.message) for f in found] == [
        (7, 1, "the entry begins with '1.'; it should be a hyphen (and 11 more in this list)"),
        (7, 30, "a hyphen stands between link and description; it should be a colon (and 11 more in this list)"),
    ]
    text = fixed(text, found[0])
    assert told(fixed(text, the(text, "skills-txt-separator"))) == []


def test_a_full_stop_is_no_description() -> None:
    assert told(GOOD + "- [B](/skills/b/SKILL.md).\n") == [("description", "warning", 8, 3)]


# --- targets


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/skills/b/", "/skills/b/SKILL.md"),
        ("/skills/b", "/skills/b/SKILL.md"),
        ("skills/b/skill.md", "skills/b/SKILL.md"),
        ("/skills/b/SKILLS.md", "/skills/b/SKILL.md"),
        ("/skills/b.html", "/skills/b/SKILL.md"),
        ("/skills/b.md#top", "/skills/b/SKILL.md#top"),
        ("/skills/refunds/SKILL.md", "/skills/refund/SKILL.md"),
        ("/agents/refund/SKILL.md?v=1", "/skills/refund/SKILL.md?v=1"),
        ("/refund", "/skills/refund/SKILL.md"),
        ("https://acme.example/skills/b/", "https://acme.example/skills/b/SKILL.md"),
    ],
)
def test_a_plain_mistake_in_an_address_is_mended(href: str, expected: str) -> None:
    text = GOOD + f"- [B]({href}): B.\n"
    files = {
        "skills.txt": text,
        "skills/pay/SKILL.md": PAY_SKILL,
        "skills/b/SKILL.md": B_SKILL,
        "skills/refund/SKILL.md": clean_skill("wsp", "name: refund"),
    }
    (found,) = only(findings(files, origin="https://acme.example"), "skills-txt-target")
    assert found.level == "error"
    assert found.fix is not None
    assert not found.fix.safe
    assert fixed(text, found) == GOOD + f"- [B]({expected}): B.\n"


@pytest.mark.parametrize(
    ("href", "message"),
    [
        ("/skills/Gone/SKILL.md", "'/skills/Gone/SKILL.md' leads to nothing: there is no file 'skills/Gone/SKILL.md'"),
        ("/skills/pay/SKILL.md/", "'/skills/pay/SKILL.md/' leads to a folder, not to the SKILL.md in it"),
        ("/b.pdf", "'/b.pdf' leads to no SKILL.md"),
        ("https://other.example/b.html", "'https://other.example/b.html' leads to no SKILL.md"),
        ("/a/%2e%2e/SKILL.md", "no agent can follow '/a/%2e%2e/SKILL.md': it hides dots in percent escapes"),
        ("mailto:a@b.example", "no agent can follow 'mailto:a@b.example': agents fetch http and https, not mailto"),
        ("", "the entry has no address"),
    ],
)
def test_addresses_that_lead_to_no_skill(href: str, message: str) -> None:
    found = the(GOOD + f"- [B]({href}): B.\n", "skills-txt-target", **{"b.pdf": "x"})
    assert (found.message, found.fix) == (message, None)


@pytest.mark.parametrize("href", ["https://other.example/skills/b/SKILL.md", "//other.example/agents/b/SKILL.md"])
def test_what_leads_elsewhere_is_not_checked(href: str) -> None:
    assert told(GOOD + f"- [B]({href}): B.\n") == []
    files = tree(GOOD + f"- [B]({href}): B.\n")
    assert (
        findings({path: text for path, text in files.items() if "/b/" not in path}, origin="https://acme.example") == []
    )


def test_a_markdown_file_that_an_entry_links_is_not_taken_for_a_skill() -> None:
    report = report_on(tree(GOOD + "- [Guide](/guide.md): Guide.\n", **{"guide.md": "# Guide\n"}))
    assert [(f.path, f.rule) for f in report.findings if f.level == "error"] == [("skills.txt", "skills-txt-target")]


# --- what is listed


def skills(*names: str) -> dict[str, str]:
    return {
        f"skills/{name}/SKILL.md": clean_skill("wsp", f"name: {name}\ndescription: Does {name}. Use it often.")
        for name in names
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PAY, PAY + "- [Pay back](/skills/pay-back/SKILL.md): Does pay-back.\n"),
        (PAY.rstrip("\n"), PAY + "- [Pay back](/skills/pay-back/SKILL.md): Does pay-back."),
        (
            "- [pay](skills/pay/SKILL.md): Pays.\n",
            "- [pay](skills/pay/SKILL.md): Pays.\n- [pay-back](skills/pay-back/SKILL.md): Does pay-back.\n",
        ),
        (
            "* [P](https://acme.example/skills/pay/SKILL.md): Pays.\n\n  More.\n",
            "* [P](https://acme.example/skills/pay/SKILL.md): Pays.\n\n  More.\n"
            "* [Pay back](https://acme.example/skills/pay-back/SKILL.md): Does pay-back.\n",
        ),
        (
            "1. [P](/skills/pay/SKILL.md): Pays.\n\n2. [B](/skills/b/SKILL.md): B.\n",
            "1. [P](/skills/pay/SKILL.md): Pays.\n\n2. [B](/skills/b/SKILL.md): B.\n\n"
            "3. [Pay back](/skills/pay-back/SKILL.md): Does pay-back.\n",
        ),
        (
            PAY + "  - needs a key\n\n## Optional\n\n- [B](/skills/b/SKILL.md): B.\n",
            PAY + "  - needs a key\n- [Pay back](/skills/pay-back/SKILL.md): Does pay-back.\n\n"
            "## Optional\n\n- [B](/skills/b/SKILL.md): B.\n",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_unlisted_skill_is_added_in_the_style_of_the_file(before: str, after: str, newline: str) -> None:
    text = (HEAD + "## Skills\n\n" + before).replace("\n", newline)
    found = the(
        text, "skills-txt-unlisted", **skills("pay", "b", "pay-back") if "/b/" in before else skills("pay", "pay-back")
    )
    assert (found.level, found.line, found.column) == ("warning", 5, 1)
    assert found.message == "'skills/pay-back' is not listed here"
    assert [(where.path, where.line) for where, _ in found.related] == [("skills/pay-back/SKILL.md", 1)]
    assert found.fix is not None
    assert not found.fix.safe
    assert fixed(text, found) == (HEAD + "## Skills\n\n" + after).replace("\n", newline)


def test_many_unlisted_skills_are_one_finding() -> None:
    names = [f"s{n}" for n in range(9)]
    found = the(GOOD, "skills-txt-unlisted", **skills(*names))
    assert found.message == "'skills/s0', 'skills/s1', 'skills/s2' and 6 more are not listed here"
    assert told(fixed(GOOD, found), **skills(*names)) == []
    assert len(only(findings(tree(GOOD, **skills("a", "b", "c"))), "skills-txt-unlisted")) == 3


def test_of_twins_neither_is_changed_alone() -> None:
    found = findings(tree(GOOD, **{"agents.txt": GOOD}, **skills("b")), "wsp")
    (finding,) = only(found, "skills-txt-unlisted")
    assert (finding.path, finding.fix) == ("skills.txt", None)
    assert finding.hint == "write '- [Name](/skills/b/SKILL.md): what the skill does' into a section of both"


def test_case_078_what_needs_no_entry() -> None:
    more = {
        "skills/internal/SKILL.md": clean_skill("wsp", "name: internal\nmetadata:\n  internal: true"),
        "skills/_template/SKILL.md": clean_skill("wsp", "name: template"),
        "skills/pay/examples/inner/SKILL.md": clean_skill("wsp", "name: inner"),
        "drafts/later/SKILL.md": clean_skill("wsp", "name: later"),
        "skills/SKILL.md": clean_skill("wsp", "name: skills"),
        "SKILL.md": clean_skill("wsp", "name: acme"),
    }
    assert told(GOOD, **more) == []


def test_a_skill_in_a_damaged_entry_is_not_unlisted() -> None:
    assert told(GOOD + "- [B] (/skills/b/SKILL.md): B.\n", **skills("b")) == [("entry", "error", 8, 6)]


def test_unlisted_where_no_list_is_gets_a_hint() -> None:
    (found,) = only(findings({"skills.txt": "# Acme\n\n> Invoices.\n", **skills("b")}, "wsp"), "skills-txt-unlisted")
    assert (found.line, found.fix) == (1, None)
    assert found.hint == "write '- [Name](/skills/b/SKILL.md): what the skill does' into a section"


def test_one_target_twice() -> None:
    text = GOOD + "\n## Optional\n\n- [Again](https://acme.example/skills/pay/SKILL.md#x): Again.\n"
    (found,) = findings(tree(text), origin="https://acme.example")
    assert (found.rule, found.level, found.line, found.column) == ("skills-txt-duplicate", "warning", 11, 11)
    assert [(where.line, where.column) for where, _ in found.related] == [(7, 9)]
    # the same missing file twice is two wrong targets
    missing = "- [G](/skills/gone/SKILL.md): G.\n"
    assert [f.rule for f in findings({"skills.txt": GOOD + missing * 2, **skills("pay")})] == ["skills-txt-target"] * 2


# --- two files


def both(ours: str, theirs: str, *names: str) -> list[tuple[str, str, int, int]]:
    files = tree(ours) | tree(theirs, "agents.txt")
    return [(f.path, f.rule, f.line, f.column) for f in findings(files)]


@pytest.mark.parametrize("twin", [GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip("\n"), GOOD + "\n\n"])
def test_an_identical_twin_passes(twin: str) -> None:
    assert both(GOOD, twin) == []
    agents = GOOD.replace("/skills/", "/agents/")
    assert both(agents, agents) == []


def test_twins_that_mix_directories_are_told_once() -> None:
    text = GOOD + "- [B](/agents/b/SKILL.md): B.\n"
    assert both(text, text) == [("skills.txt", "skills-txt-convention", 8, 7)]


@pytest.mark.parametrize(
    ("theirs", "line", "there"),
    [
        (GOOD.replace("Pays", "Clears"), 7, 7),
        (GOOD + "- [B](/skills/b/SKILL.md): B.\n", 8, 7),
        (GOOD.replace("# Acme", "# Beta", 1), 1, 1),
    ],
)
def test_files_that_differ(theirs: str, line: int, there: int) -> None:
    files = tree(GOOD) | tree(theirs, "agents.txt")
    (found,) = only(findings(files), "skills-txt-differs")
    assert (found.path, found.level, found.line, found.column) == ("agents.txt", "warning", line, 1)
    ((where, _),) = found.related
    assert (where.path, where.line) == ("skills.txt", there)


def test_a_shorter_file_differs_at_its_end() -> None:
    files = tree(GOOD + "- [B](/skills/b/SKILL.md): B.\n") | {"agents.txt": GOOD}
    (found,) = only(findings(files), "skills-txt-differs")
    assert (found.path, found.line) == ("agents.txt", 7)


def test_a_foreign_file_beside_the_discovery_file() -> None:
    files = tree(GOOD, **{"agents.txt": "User-agent: *\n"})
    assert [(f.path, f.rule) for f in findings(files)] == [("agents.txt", "skills-txt-foreign")]
    files = tree(GOOD.replace("/skills/", "/agents/"), "agents.txt", **{"skills.txt": "My CV\n"})
    (found,) = only(findings(files), "skills-txt-differs")
    assert found.message == "clients look for skills.txt first, and that lists no skill"


@pytest.mark.parametrize("text", ["# A\n\n# B\n\n> x\n\n", "# A\n\n> x\n\n# B\n\n", "# A\n\nB\n===\n\n> x\n\n"])
def test_a_second_title_is_told_once(text: str) -> None:
    assert [rule for rule, *_ in told(text + "## Skills\n\n" + PAY)] == ["title"]


def test_a_hidden_address_is_told_once() -> None:
    text = GOOD + "- [B](/skills/%2e%2e/skills/b/SKILL.md): Does b.\n"
    (found,) = findings(tree(GOOD) | {"skills.txt": text, **skills("b")})
    assert (found.rule, found.line, found.column) == ("skills-txt-target", 8, 7)


TABLE = HEAD + "## Skills\n\n| skill | use |\n|---|---|\n| [Pay](/skills/pay/SKILL.md) | Pays. |\n"


def test_skills_that_stand_in_a_table() -> None:
    (found,) = findings({"skills.txt": TABLE, "skills/pay/SKILL.md": WSP_SKILL, "x.txt": ""})
    assert (found.rule, found.level, found.line, found.column) == ("skills-txt-foreign", "note", 1, 1)
    assert found.message == "skills stand in a table, where no client of WSP looks for them; nothing more was checked"
    assert [(where.line, text) for where, text in found.related] == [(7, "the table")]


def test_skills_of_wsp_that_a_site_lists_in_a_table() -> None:
    foreign, found = findings({"skills.txt": TABLE, "skills/pay/SKILL.md": WSP_SKILL, "index.html": ""})
    assert (foreign.path, foreign.rule, foreign.level) == ("skills.txt", "skills-txt-foreign", "note")
    assert (found.path, found.rule, found.level) == ("skills/pay/SKILL.md", "skills-txt-location", "warning")
    assert found.message == "'base_url' is a field of WSP, but the site's skills.txt has its skills in a table"
    assert found.hint == "list it in /skills.txt as '- [Name](/skills/pay/SKILL.md): what the skill does'"
    assert [(place.path, place.line, text) for place, text in found.related] == [("skills.txt", 7, "the table")]


# --- where it stands


@pytest.mark.parametrize(
    ("place", "hint"),
    [
        (".well-known/skills.txt", "move it to ../skills.txt"),
        (".well-known/agent-skills/skills.txt", "move it to ../../skills.txt"),
        ("skills/skills.txt", "move it to ../skills.txt"),
    ],
)
def test_a_file_below_the_root(place: str, hint: str) -> None:
    files = {f"public/{place}": GOOD, "public/skills/pay/SKILL.md": PAY_SKILL}
    (found,) = findings(files)
    assert (found.rule, found.level, found.line, found.column) == ("skills-txt-location", "warning", 1, 1)
    assert (found.path, found.hint) == (f"public/{place}", hint)


def test_a_file_whose_name_has_capitals() -> None:
    files = {"SKILLS.TXT": GOOD, "skills/pay/SKILL.md": PAY_SKILL}
    report = lint(memory_project(files, paths=["SKILLS.TXT"]), Config(level="note"))
    (found,) = report.findings
    assert (found.rule, found.level, found.line, found.column) == ("skills-txt-location", "warning", 1, 1)
    assert found.message == "clients look for /skills.txt at the root of the site alone"
    assert (found.hint, report.crashed) == ("move it to skills.txt", 0)


@pytest.mark.parametrize("folder", ["docs", "web/docs"])
def test_a_file_whose_addresses_count_from_a_folder_above(folder: str) -> None:
    text = GOOD.replace("/skills", f"/{folder}/skills")
    files = {f"{folder}/skills.txt": text, f"{folder}/skills/pay/SKILL.md": PAY_SKILL, "index.html": ""}
    (found,) = findings(files)
    assert (found.path, found.rule, found.line, found.column) == (f"{folder}/skills.txt", "skills-txt-location", 1, 1)
    assert found.hint == f"move it to {'../' * len(folder.split('/'))}skills.txt"


def test_a_file_in_a_folder_of_a_site() -> None:
    files = {
        "docs/skills.txt": GOOD,
        "skills/pay/SKILL.md": PAY_SKILL,
        ".well-known/agent-skills/index.json": '{"skills": [{"name": "pay", "files": ["SKILL.md"]}]}',
        ".well-known/agent-skills/pay/SKILL.md": PAY_SKILL,
    }
    assert [(f.path, f.rule) for f in findings(files)] == [("docs/skills.txt", "skills-txt-location")]


@pytest.mark.parametrize(
    "files",
    [
        # sites of their own below another
        tree(GOOD) | {f"examples/{path}": text for path, text in tree(GOOD).items()},
        # sources that a build puts together
        {"static/skills.txt": GOOD, "static/skills/pay/SKILL.md": PAY_SKILL, **skills("pay")},
        # relative addresses
        {f"docs/{path}": text for path, text in tree(GOOD.replace("/skills", "skills")).items()} | skills("pay"),
        # a foreign file
        {".well-known/skills.txt": "# Tools\n", **skills("pay")},
    ],
)
def test_files_that_stand_right(files: dict[str, str]) -> None:
    assert only(findings(files), "skills-txt-location") == []


WSP_SKILL = clean_skill("wsp", "name: pay\nauth: none")


@pytest.mark.parametrize("mark", ["index.html", "robots.txt", ".well-known/agent-skills/x.md"])
def test_skills_of_wsp_without_a_discovery_file(mark: str) -> None:
    files = {f"public/{mark}": "", "public/skills/pay/SKILL.md": WSP_SKILL, "public/agents/b/SKILL.md": WSP_SKILL}
    (found,) = findings(files)
    assert (found.path, found.rule, found.level) == ("public/agents/b/SKILL.md", "skills-txt-location", "warning")
    assert (found.line, found.column) == (5, 1)
    assert found.message == "'base_url' is a field of WSP, but the site has no skills.txt (and 1 more skills like this)"
    assert found.hint == "list it in /agents.txt as '- [Name](/agents/b/SKILL.md): what the skill does'"


def test_skills_of_wsp_beside_a_file_that_lists_none() -> None:
    files = {"index.html": "", "skills.txt": "My CV\n", "skills/pay/SKILL.md": WSP_SKILL}
    found = only(findings(files), "skills-txt-location")
    assert [f.message for f in found] == ["'base_url' is a field of WSP, but the site's skills.txt lists no skill"]


@pytest.mark.parametrize(
    "files",
    [
        # a repository of skills is no site
        {"skills/pay/SKILL.md": WSP_SKILL},
        {"index.html": "", ".claude/skills/pay/SKILL.md": WSP_SKILL},
        {"index.html": "", "skills/pay/SKILL.md": clean_skill("agentskills", "name: pay")},
        {"index.html": "", "pay/SKILL.md": WSP_SKILL},
        # listed by another protocol
        {
            ".well-known/agent-skills/index.json": json.dumps(
                {"skills": [{"name": "pay", "url": "/skills/pay/SKILL.md", "type": "skill-md", "digest": ""}]}
            ),
            "skills/pay/SKILL.md": WSP_SKILL,
        },
        tree(GOOD) | {"index.html": "", "agents/pay/SKILL.md": WSP_SKILL},
    ],
)
def test_skills_that_need_no_discovery_file(files: dict[str, str]) -> None:
    assert only(findings(files), "skills-txt-location") == []


# --- two registries


def index(*names: str, **urls: str) -> str:
    urls = {name: f"{name}/SKILL.md" for name in names} | urls
    entries = [
        {"name": name, "type": "skill-md", "description": "Does it.", "url": url, "digest": ""}
        for name, url in urls.items()
    ]
    return json.dumps({"skills": entries}, indent=1)


def test_a_skill_that_the_index_alone_lists() -> None:
    files = tree(GOOD) | {f"{WELL_KNOWN}index.json": index("pay", "refund")}
    files |= {f"{WELL_KNOWN}{name}/SKILL.md": clean_skill("wsp", f"name: {name}") for name in ("pay", "refund")}
    (found,) = only(findings(files), "registries-disagree")
    assert (found.path, found.level, found.line, found.column) == ("skills.txt", "warning", 1, 1)
    assert found.message == f"'refund' is listed in {WELL_KNOWN}index.json, but not here"
    ((where, _),) = found.related
    assert (where.path, where.line) == (f"{WELL_KNOWN}index.json", 14)


def test_a_skill_that_the_discovery_file_alone_lists() -> None:
    text = GOOD + "- [Refund](/skills/refund/SKILL.md): Refunds.\n"
    files = tree(text) | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md")}
    (found,) = only(findings(files), "registries-disagree")
    assert (found.path, found.level, found.line, found.column) == (f"{WELL_KNOWN}index.json", "warning", 2, 2)
    assert found.message == "'Refund' is listed in skills.txt, but not here"
    assert [(where.path, where.line, where.column) for where, _ in found.related] == [("skills.txt", 8, 12)]


@pytest.mark.parametrize(("count", "told"), [(2, "'s0' and 's1'"), (5, "'s0', 's1', 's2', 's3' and 's4'")])
def test_missing_skills_are_one_finding(count: int, told: str) -> None:
    names = [f"s{n}" for n in range(count)]
    text = GOOD + "".join(f"- [{name}](/skills/{name}/SKILL.md): Does.\n" for name in names)
    (found,) = only(
        findings(tree(text) | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md")}), "registries-disagree"
    )
    assert found.message == f"{told} are listed in skills.txt, but not here"
    assert [(where.path, where.line) for where, _ in found.related] == [("skills.txt", 8 + n) for n in range(count)]


def test_many_missing_skills_are_one_finding() -> None:
    names = [f"s{n}" for n in range(8)]
    files = tree(GOOD) | {f"{WELL_KNOWN}index.json": index("pay", *names)}
    files |= {f"{WELL_KNOWN}{name}/SKILL.md": clean_skill("wsp", f"name: {name}") for name in ("pay", *names)}
    (found,) = only(findings(files), "registries-disagree")
    assert found.message == f"'s0', 's1', 's2' and 5 more are listed in {WELL_KNOWN}index.json, but not here"
    assert len(found.related) == 8


@pytest.mark.parametrize(
    "files",
    [
        # the same skills under either address
        tree(GOOD) | {f"{WELL_KNOWN}index.json": index("pay"), f"{WELL_KNOWN}pay/SKILL.md": WSP_SKILL},
        tree(GOOD) | {f"{WELL_KNOWN}index.json": index(Payment="/skills/pay/SKILL.md")},
        # two lists with nothing in common
        tree(GOOD) | {f"{WELL_KNOWN}index.json": index("x", "y"), f"{WELL_KNOWN}x/SKILL.md": WSP_SKILL},
        # what leads nowhere, and what skills-txt-unlisted speaks of
        tree(GOOD) | {f"{WELL_KNOWN}index.json": index("pay", "gone"), f"{WELL_KNOWN}pay/SKILL.md": WSP_SKILL},
        tree(GOOD, **skills("b"))
        | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md", b="/skills/b/SKILL.md")},
        # what lies on another host, and what matters less
        tree(f"{GOOD}- [Refund](https://other.example/refund/SKILL.md): Refunds.\n")
        | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md")},
        tree(GOOD) | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md", b="https://other.example/b/SKILL.md")},
        tree(f"{GOOD}\n## optional\n\n- [Refund](/skills/refund/SKILL.md): Refunds.\n")
        | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md")},
        # an index of no known dialect
        tree(GOOD) | {f"{WELL_KNOWN}index.json": '{"skills": [{"name": "pay"}, {"name": "b"}]}'},
    ],
)  # fmt: skip
def test_registries_that_need_not_agree(files: dict[str, str]) -> None:
    assert only(findings(files), "registries-disagree") == []


@pytest.mark.parametrize("address", ["http://[/SKILL.md", "//[/SKILL.md", "http://a\u2100b/SKILL.md", "/[/SKILL.md"])
def test_no_address_crashes_a_rule(address: str) -> None:
    text = f"{GOOD}- [C]({address}): Cancels.\n"
    files = tree(text) | {f"{WELL_KNOWN}index.json": index(pay="/skills/pay/SKILL.md", c=address)}
    report = report_on(files)
    assert report.crashed == 0
    where = [(f.path, f.line, f.column) for f in only(list(report.findings), "skills-txt-target")]
    assert where == [("skills.txt", 8, 7)]


# --- bytes


def test_a_discovery_file_over_50_kb() -> None:
    filler = "x" * 51_200
    text = GOOD.replace("invoice.", filler)
    (found,) = only(list(report_on(tree(text)).findings), "file-size")
    assert (found.path, found.level, found.line, found.column) == ("skills.txt", "warning", 1, 1)
    assert found.message == f"the file has {len(text):,} bytes; 51,200 (50 KB) are the limit"
    assert found.hint == "shorten it"
    exact = text[: 51_200 - 1] + "\n"
    assert only(list(report_on(tree(exact)).findings), "file-size") == []


def test_the_rules_of_bytes_speak_of_discovery_files() -> None:
    def rules(raw: bytes, *spec: str) -> list[tuple[str, str, str]]:
        files: dict[str, str | bytes] = {**skills("pay"), "skills.txt": raw}
        found = report_on(files, spec).findings
        return [(f.rule, f.level, f.message) for f in found if f.path == "skills.txt"]

    assert rules(b"\xef\xbb\xbf" + GOOD.encode()) == [
        (
            "byte-order-mark",
            "warning",
            "a byte order mark (U+FEFF) stands before the first character; some loaders then see no title",
        )
    ]
    assert rules(GOOD.replace("\n", "\r\n", 2).encode()) == [
        ("mixed-line-endings", "warning", "5 lines end with LF, 2 with CRLF")
    ]
    conflict = GOOD + "<<<<<<< HEAD\n- [B](/skills/pay/SKILL.md)\n=======\n>>>>>>> topic\n"
    assert [found[0] for found in rules(conflict.encode())][:1] == ["merge-conflict"]
    assert {found[0] for found in rules(conflict.encode())} <= {"merge-conflict", "skills-txt-duplicate"}
    assert [found[:2] for found in rules(b"", "wsp") if found[1] == "error"] == [("empty-file", "error")]
    assert [found[:2] for found in rules(b" \n", "wsp") if found[1] == "error"] == [("empty-file", "error")]


# --- published examples and sites


SPEC = SHARED / "specs" / "web-skills-protocol-0.1.md"


@pytest.mark.skipif(not SPEC.is_file(), reason="the spec lies beside the checkout, not here")
def test_the_published_examples_of_the_spec_give_nothing() -> None:
    fences = re.findall(r"^```markdown\n(# .*?)^```$", SPEC.read_text(encoding="utf-8"), re.M | re.S)
    examples = [text for text in fences if "/SKILL.md)" in text]
    assert len(examples) == 5
    for text in examples:
        name = "agents.txt" if "/agents/" in text else "skills.txt"
        found = findings(tree(text, name))
        assert [f.rule for f in found if f.level == "error"] == []
        assert [f.rule for f in found] in ([], ["skills-txt-summary"])


SITE = SHARED / "corpus" / "sites" / "0xtresser__Web-Skills-Protocol"


@pytest.mark.skipif(not SITE.is_dir(), reason="the real sites lie beside the checkout, not here")
def test_the_sites_of_the_author_of_the_spec_miss_five_skills() -> None:
    config = Config(level="note")
    found = [f for f in lint(project([str(SITE)], config), config).findings if f.code in CODES]
    assert [(Path(f.path).parent.name, f.rule, f.level, f.line, f.column) for f in found] == [
        ("examples_bobs-store", "skills-txt-target", "error", 15, 21),
        ("examples_bobs-store", "skills-txt-target", "error", 16, 14),
        ("examples_devtools-saas", "skills-txt-target", "error", 10, 20),
        ("examples_devtools-saas", "skills-txt-target", "error", 11, 15),
        ("examples_devtools-saas", "skills-txt-target", "error", 15, 21),
    ]


def test_what_another_name_of_the_host_lists_is_no_unlisted_skill() -> None:
    entry = "- [Pay](https://www.acme.example/skills/pay/SKILL.md): Pays.\n"
    for more in ({"CNAME": "acme.example"}, {}):
        text = HEAD + "## Skills\n\n" + entry
        found = report_on(
            {"skills.txt": text, **skills("pay"), **more},
            ("wsp",),
            origin="https://other.example" if not more else None,
        )
        assert [f.rule for f in found.findings if f.path == "skills.txt"] == []
