"""The rules about skills among each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding, Report
from tests.support import clean_skill, report_on

OTHER = "description: Pays an invoice back. Use when the user wants a refund, not for payments."


def skill(name: str, front: str = "", spec: str = "agentskills") -> str:
    return clean_skill(spec, f"name: {name}\n{front}")


def of(rule: str, report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def clashes(files: Mapping[str, str], *specs: str) -> list[tuple[str, str, str]]:
    report = report_on(files, specs)
    found = [*of("name-duplicate", report), *of("skill-copy", report)]
    return sorted((f.path, f.rule, f.level) for f in found)


DEMANDS_ON_FILES = [
    ("scripts: the body lists those that there are", "pay/scripts/charge.py", "file-unreferenced", "pay/SKILL.md"),
    ("auxiliary files: fetched when the document names them", "pay/assets/x.json", "file-unreferenced", "pay/SKILL.md"),
    ("search: nothing is looked for below a skill", "pay/inner/SKILL.md", "skill-nested", "pay/inner/SKILL.md"),
]


@pytest.mark.parametrize(("section", "path", "rule", "where"), DEMANDS_ON_FILES)
def test_demand_on_the_files_of_a_skill(section: str, path: str, rule: str, where: str) -> None:
    files = {"pay/SKILL.md": skill("pay"), path: skill("inner") if path.endswith("SKILL.md") else "{}"}
    report = report_on(files, ("agentskills",))
    assert [(f.rule, f.level, f.path) for f in report.findings] == [(rule, "note", where)]


# --- SKL205 and SKL208 ----------------------------------------------------------------------------

DEMANDS = [
    ("wsp", "required fields: the name identifies one skill", "name-duplicate", "error"),
    ("agentskills", "name collisions: one is shadowed, with a warning", "name-duplicate", "warning"),
]


@pytest.mark.parametrize(("spec", "section", "rule", "level"), DEMANDS)
def test_demand_that_a_name_is_that_of_one_skill(spec: str, section: str, rule: str, level: str) -> None:
    files = {"skills/pay/SKILL.md": skill("pay", spec=spec), "skills/refund/SKILL.md": skill("pay", OTHER, spec)}
    report = report_on(files, (spec,))
    (found,) = of(rule, report)
    assert (found.path, found.level, found.line, found.column) == ("skills/refund/SKILL.md", level, 2, 7)
    assert found.location.end_column == 10
    assert found.message == "the name 'pay' is that of the skill in 'pay', too"
    assert [(place.path, place.line, place.column) for place, _ in found.related] == [("skills/pay/SKILL.md", 2, 7)]


def test_a_copy_is_a_note() -> None:
    files = {"skills/pay/SKILL.md": skill("pay"), "skills/pay-old/SKILL.md": skill("pay")}
    (found,) = of("skill-copy", report_on(files, ("agentskills",)))
    assert (found.path, found.level, found.line) == ("skills/pay-old/SKILL.md", "note", 2)
    assert found.message == "the skill is a copy of that in 'pay'"
    assert clashes(files, "wsp") == [("skills/pay-old/SKILL.md", "skill-copy", "note")]


def test_the_skill_whose_folder_bears_the_name_is_the_first() -> None:
    files = {
        "skills/a-copy-of-pay/SKILL.md": skill("pay"),
        "skills/b/SKILL.md": skill("pay", OTHER),
        "skills/pay/SKILL.md": skill("pay"),
    }
    assert clashes(files) == [
        ("skills/a-copy-of-pay/SKILL.md", "skill-copy", "note"),
        ("skills/b/SKILL.md", "name-duplicate", "warning"),
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("pay", '"pay"', True),
        ("pay", "'pay '", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("pay", "Pay", False),
        ("pay", "pay-2", False),
    ],
)
def test_names_are_compared_as_read(one: str, other: str, same: bool) -> None:
    files = {"skills/pay/SKILL.md": skill(one), "skills/refund/SKILL.md": skill(other, OTHER)}
    assert bool(clashes(files)) == same


PASSING = {
    "one shelf each": ("plugins/x/skills/pay/SKILL.md", "plugins/y/skills/pay/SKILL.md"),
    "one client each": (".claude/skills/pay/SKILL.md", ".cursor/skills/pay/SKILL.md"),
    "builds for several clients": ("dist/claude/SKILL.md", "dist/codex/SKILL.md"),
    "the old and the new well-known folder": (
        ".well-known/skills/pay/SKILL.md",
        ".well-known/agent-skills/pay/SKILL.md",
    ),
    "a document of the skill": ("skills/pay/SKILL.md", "skills/pay/references/SKILL.md"),
    "fixtures": ("tests/skills/pay/SKILL.md", "tests/skills/pay-2/SKILL.md"),
    "languages": ("skills/en/SKILL.md", "skills/zh-CN/SKILL.md"),
    "one folder": ("skills/pay/SKILL.md", "skills/pay/skill.md"),
}


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("front", ["", OTHER])
def test_the_same_name_elsewhere(name: str, front: str) -> None:
    one, other = PASSING[name]
    assert clashes({one: skill("pay"), other: skill("pay", front)}) == []


def test_documents_of_one_skill_are_not_compared_with_each_other() -> None:
    below = {f"skills/zoom/{part}/SKILL.md": skill("zoom-part", f"license: {part}") for part in ("ios", "android")}
    assert clashes({"skills/zoom/SKILL.md": skill("zoom"), **below}) == []


@pytest.mark.parametrize("name", ["", '" "', "[a]", "null"])
def test_skills_without_a_name_are_left_out(name: str) -> None:
    assert clashes({"skills/a/SKILL.md": skill(name), "skills/b/SKILL.md": skill(name, OTHER)}) == []


def test_a_clash_with_a_skill_beside_the_argument_is_found(tmp_path: Path) -> None:
    for name, front in (("pay", ""), ("refund", OTHER)):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(skill("pay", front), encoding="utf-8")
    (tmp_path / ".git").mkdir()
    report = lint(project([str(tmp_path / "skills" / "pay")]), Config(level="note"))
    assert [Path(f.path).parent.name for f in of("name-duplicate", report)] == ["refund"]


# --- cases ----------------------------------------------------------------------------------------


def test_case_088_hidden_folders_are_entered_and_their_copies_are_none_of_ours() -> None:
    entered = [".claude", ".agents", ".github", ".codex", ".cursor", ".well-known"]
    skipped = [".git", "node_modules/x", ".venv/lib"]
    files = {f"{folder}/skills/pay/SKILL.md": skill("pay") for folder in entered + skipped}
    report = report_on(files, ("agentskills",))
    assert sorted(s.path for s in report.skills) == sorted(f"{folder}/skills/pay/SKILL.md" for folder in entered)
    assert of("skill-copy", report) == []


def test_case_089_a_link_to_a_skill_is_no_copy_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = tmp_path / "skills"
    (shelf / "pay").mkdir(parents=True)
    (shelf / "pay" / "SKILL.md").write_text(skill("pay"), encoding="utf-8")
    (shelf / "alias").symlink_to("pay", target_is_directory=True)
    (shelf / "linked").mkdir()
    (shelf / "linked" / "SKILL.md").symlink_to("../pay/SKILL.md")
    (shelf / "copied").mkdir()
    (shelf / "copied" / "SKILL.md").write_text(skill("pay"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    report = lint(project(["skills"]), Config(level="note"))
    assert [f.path for f in of("skill-copy", report)] == ["skills/copied/SKILL.md"]
    assert of("name-duplicate", report) == []


def test_case_090_nested_skills_and_same_names() -> None:
    files = {
        "a/SKILL.md": skill("a"),
        "a/references/b/SKILL.md": skill("b"),
        "skills/pay/SKILL.md": skill("pay"),
        "skills/pay-too/SKILL.md": skill("pay", OTHER),
        "skills/pay-copy/SKILL.md": skill("pay"),
        "tests/skills/pay/SKILL.md": skill("pay"),
        "tests/skills/pay-too/SKILL.md": skill("pay", OTHER),
    }
    report = report_on(files, ("agentskills",))
    found = [(f.path, f.rule, f.level) for f in report.findings if f.rule in NAMED]
    assert found == [
        ("a/references/b/SKILL.md", "skill-nested", "note"),
        ("skills/pay-copy/SKILL.md", "skill-copy", "note"),
        ("skills/pay-too/SKILL.md", "name-duplicate", "warning"),
    ]


NAMED = ("skill-nested", "skill-copy", "name-duplicate")


# --- SKL307 ---------------------------------------------------------------------------------------

SAME = "description: Pays an invoice. Use when the user wants to pay, not for refunds."


def listed(*paths: str) -> str:
    return "# Acme\n\n" + "".join(f"- [{path.split('/')[1]}](/{path}): It helps\n" for path in paths)


def test_two_skills_of_a_registry_with_one_description() -> None:
    folded = "description: >-\n  Pays an invoice. Use when the user\n  wants to pay, not for refunds."
    files = {
        "skills.txt": listed("skills/pay/SKILL.md", "skills/refund/SKILL.md"),
        "skills/pay/SKILL.md": skill("pay", SAME, "wsp"),
        "skills/refund/SKILL.md": skill("refund", folded, "wsp"),
    }
    (found,) = of("description-duplicate", report_on(files))
    assert (found.path, found.level, found.line, found.column) == ("skills/refund/SKILL.md", "warning", 3, 14)
    assert found.message == "the description is the same as that of 'pay'"
    assert [(place.path, place.line) for place, _ in found.related] == [("skills/pay/SKILL.md", 3)]


def test_the_description_of_an_entry_stands_for_a_skill_elsewhere() -> None:
    entry = {
        "type": "skill-md",
        "description": "Pays an invoice. Use when the user wants to pay, not for refunds.",
        "digest": f"sha256:{'0' * 64}",
    }
    index = {
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            entry | {"name": name, "url": f"https://other.example/{name}/SKILL.md"} for name in ("pay", "refund")
        ],
    }
    path = ".well-known/agent-skills/index.json"
    (found,) = of(
        "description-duplicate", report_on({path: json.dumps(index, indent=2)}, origin="https://acme.example")
    )
    assert (found.path, found.line) == (path, 13)


@pytest.mark.parametrize(
    "files",
    [
        {
            "skills.txt": listed("skills/pay/SKILL.md", "skills/refund/SKILL.md"),
            "skills/pay/SKILL.md": skill("pay", SAME, "wsp"),
            "skills/refund/SKILL.md": skill("refund", OTHER, "wsp"),
        },
        {  # copies have a finding of their own
            "skills.txt": listed("skills/pay/SKILL.md", "skills/pay-2/SKILL.md"),
            "skills/pay/SKILL.md": skill("pay", SAME, "wsp"),
            "skills/pay-2/SKILL.md": skill("pay", SAME, "wsp"),
        },
        {  # listed twice, in two registries
            "skills.txt": listed("skills/pay/SKILL.md", "skills/pay/SKILL.md"),
            "agents.txt": listed("skills/pay/SKILL.md"),
            "skills/pay/SKILL.md": skill("pay", SAME, "wsp"),
        },
        {  # in no registry
            "skills/pay/SKILL.md": skill("pay", SAME),
            "skills/refund/SKILL.md": skill("refund", SAME),
        },
        {  # nothing to compare
            "skills.txt": listed("skills/pay/SKILL.md", "skills/refund/SKILL.md"),
            "skills/pay/SKILL.md": skill("pay", "description:", "wsp"),
            "skills/refund/SKILL.md": skill("refund", "description:", "wsp"),
        },
    ],
)
def test_descriptions_that_pass(files: Mapping[str, str]) -> None:
    assert of("description-duplicate", report_on(files)) == []


# --- SKL714 ---------------------------------------------------------------------------------------


def test_a_skill_within_a_skill() -> None:
    files = {"zoom/SKILL.md": skill("zoom"), "zoom/ios/SKILL.md": skill("zoom-ios")}
    report = report_on(files, ("agentskills",))
    (found,) = report.findings
    assert (found.rule, found.level, found.path, found.line, found.column) == (
        "skill-nested", "note", "zoom/ios/SKILL.md", 2, 7,
    )  # fmt: skip
    assert found.message == "this skill lies in the folder of the skill 'zoom', where clients do not look for others"
    assert [(place.path, place.line) for place, _ in found.related] == [("zoom/SKILL.md", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "# iOS\n\nHow to build it.\n",
        "---\nname: Zoom iOS\n---\n\n# iOS\n\nHow to build it.\n",
        "---\ntitle: iOS\n---\n\n# iOS\n\nHow to build it.\n",
        f"---\nname: {'a' * 65}\ndescription: Builds the app for iOS. Use when asked to.\n---\n\n# iOS\n\nBuild it.\n",
    ],
)
def test_nothing_is_asked_of_the_identity_of_a_document(text: str) -> None:
    files = {"zoom/SKILL.md": skill("zoom"), "zoom/ios/SKILL.md": text}
    report = report_on(files, ("agentskills",))
    assert [(f.rule, f.path) for f in report.findings if f.level != "note"] == []
    assert [(f.path, f.line) for f in of("skill-nested", report)] == [
        ("zoom/ios/SKILL.md", 2 if "\nname" in text else 1)
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("---\nname: ios\ndescription: For: it\n---\n\n# iOS\n\nBuild it.\n", "yaml-syntax"),
        ("# iOS\n\nSee [the steps](steps.md).\n", "link-broken"),
    ],
)
def test_real_faults_of_a_document_are_told(text: str, rule: str) -> None:
    report = report_on({"zoom/SKILL.md": skill("zoom"), "zoom/ios/SKILL.md": text}, ("agentskills",))
    assert [f.rule for f in report.findings if f.level != "note"] == [rule]


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("SKILL.md", "skills/pay/SKILL.md"),
        ("plugin/SKILL.md", "plugin/skills/pay/SKILL.md"),
        ("plugin/SKILL.md", "plugin/.claude/skills/pay/SKILL.md"),
        ("skills/SKILL.md", "skills/pay/SKILL.md"),
        ("site/SKILL.md", "site/.well-known/agent-skills/pay/SKILL.md"),
    ],
)
def test_a_skill_above_a_folder_of_skills_claims_none_of_them(outer: str, inner: str) -> None:
    assert of("skill-nested", report_on({outer: skill("tools"), inner: skill("pay")}, ("agentskills",))) == []


def test_a_template_beside_a_folder_of_skills_is_not_nested() -> None:
    files = {
        "kit/SKILL.md": skill("kit"),
        "kit/skills/pay/SKILL.md": skill("pay"),
        "kit/template/SKILL.md": skill("template"),
    }
    assert of("skill-nested", report_on(files, ("agentskills",))) == []


def test_a_skill_on_a_shelf_claims_what_lies_in_it_even_a_shelf() -> None:
    files = {"skills/zoom/SKILL.md": skill("zoom"), "skills/zoom/skills/ios/SKILL.md": skill("ios")}
    assert [f.path for f in of("skill-nested", report_on(files, ("agentskills",)))] == [
        "skills/zoom/skills/ios/SKILL.md"
    ]


def test_what_a_registry_lists_stands_for_itself() -> None:
    files = {
        "skills.txt": listed("skills/pay/SKILL.md", "skills/pay/refund/SKILL.md"),
        "skills/pay/SKILL.md": skill("pay", SAME, "wsp"),
        "skills/pay/refund/SKILL.md": skill("refunds", OTHER, "wsp"),
    }
    report = report_on(files)
    assert of("skill-nested", report) == []
    assert [f.path for f in of("name-directory", report)] == ["skills/pay/refund/SKILL.md"]


# --- SKL712 ---------------------------------------------------------------------------------------


def unreferenced(body: str, files: Mapping[str, str | bytes]) -> list[str]:
    tree = {f"pay-invoice/{path}": text for path, text in files.items()}
    text = clean_skill("agentskills", body=f"\n# Pay\n\n{body}\n")
    report = report_on({**tree, "pay-invoice/SKILL.md": text}, ("agentskills",))
    return [f.message for f in of("file-unreferenced", report)]


@pytest.mark.parametrize(
    "path", ["scripts/charge.py", "references/currencies.md", "assets/logo.png", "scripts/lib/x/a.sh"]
)
def test_a_file_that_nothing_mentions(path: str) -> None:
    assert unreferenced("Pay it.", {path: "x"}) == [f"nothing mentions '{path}'"]


def test_it_stands_at_the_top() -> None:
    files = {"pay-invoice/SKILL.md": clean_skill("agentskills"), "pay-invoice/scripts/x.py": ""}
    (found,) = of("file-unreferenced", report_on(files, ("agentskills",)))
    assert (found.level, found.line, found.column, found.location.end_column) == ("note", 1, 1, 4)


def test_many_files_are_one_finding() -> None:
    files = {f"assets/{letter}1.txt": "" for letter in "abcde"}
    assert unreferenced("Pay it.", files) == ["nothing mentions 5 files: 'assets/a1.txt', 'assets/b1.txt' and 3 more"]
    del files["assets/d1.txt"], files["assets/e1.txt"]
    assert unreferenced("Pay it.", files) == [
        "nothing mentions 3 files: 'assets/a1.txt', 'assets/b1.txt' and 'assets/c1.txt'"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "See [the list](references/api-errors.md).",
        "Run `cat references/api-errors.md`.",
        "It stands in api-errors.md.",
        "See the API errors.",
        "| `api_errors` | what can go wrong |",
        "Read what is in `references/`.",
        "Everything in the references folder counts.",
        "全部在 references 目录。",
        "```\npay-invoice/\n  references/\n```",
        "for file in references/*.md",
        "Open `references/{topic}.md`.",
        "Files that begin with `api-` tell of the API.",
    ],
)
def test_ways_to_mention_a_file(body: str) -> None:
    assert unreferenced(body, {"references/api-errors.md": "# Errors"}) == []


@pytest.mark.parametrize(
    "body",
    [
        "See references/other.md.",
        "No reference is made.",
        "See the capi-errorss.",
        "An API has errors.",
        "Take `preferences/`.",
        "It pays.",
    ],
)
def test_what_is_no_mention(body: str) -> None:
    files = {"references/api-errors.md": "# Errors", "references/other.md": ""}
    assert "nothing mentions" in "".join(unreferenced(body, files))


def test_a_folder_below_is_mentioned_with_its_files() -> None:
    files = {"assets/icons/a.svg": "", "assets/fonts/b.ttf": ""}
    assert unreferenced("Icons stand in `icons/`.", files) == ["nothing mentions 'assets/fonts/b.ttf'"]
    assert unreferenced("Copy the assets directory.", files) == []


def test_files_lead_to_files() -> None:
    files = {
        "scripts/pay.py": "from lib import helper_one\n",
        "scripts/lib/helper_one.py": "import subprocess\nsubprocess.run(['helper-two.sh'])\n",
        "scripts/lib/helper-two.sh": "echo\n",
        "scripts/left.py": "import left_too\n",
        "scripts/left_too.py": "",
    }
    assert unreferenced("Run `scripts/pay.py`.", files) == [
        "nothing mentions 2 files: 'scripts/left.py' and 'scripts/left_too.py'"
    ]


def test_other_files_of_the_skill_may_mention_them() -> None:
    assert unreferenced("Pay.", {"agents/openai.yaml": "icon: ./assets/logo.svg\n", "assets/logo.svg": ""}) == []
    assert unreferenced("Pay.", {"guide.md": "Run scripts/pay.py.\n", "scripts/pay.py": ""}) == []


@pytest.mark.parametrize(
    "path",
    [
        "scripts/__init__.py",
        "scripts/.env.example",
        "scripts/LICENSE",
        "assets/OFL-LICENSE.txt".replace("OFL-LICENSE", "LICENSE-OFL"),
        "references/TRADEMARK-LEGAL-STATEMENT.md",
        "scripts/requirements.txt",
        "scripts/package-lock.json",
        "scripts/tests/pay.py",
        "scripts/test_pay.py",
        "scripts/pay.test.ts",
        "scripts/node_modules/x/index.js",
        "references/README.md",
        "references/deep/SKILL.md",
        "templates/invoice.md",
    ],
)
def test_files_that_need_no_mention(path: str) -> None:
    assert unreferenced("Pay it.", {path: ""}) == []


@pytest.mark.parametrize("path", ["SKILL.md", "site/SKILL.md", "page/skill.md"])
def test_what_belongs_to_a_repository_or_site_is_not_judged(path: str) -> None:
    files = {
        ".git/HEAD": "",
        "site/.well-known/agent-skills/index.json": "{}",
        "assets/x.css": "",
        "site/assets/x.css": "",
        "page/assets/x.css": "",
        path: skill("pay"),
    }
    assert of("file-unreferenced", report_on(files, ("agentskills",))) == []


def test_folders_that_link_to_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "pay" / "scripts").mkdir(parents=True)
    (tmp_path / "pay" / "SKILL.md").write_text(skill("pay"), encoding="utf-8")
    for name in ("a", "b"):
        (tmp_path / "pay" / "scripts" / name).symlink_to(".", target_is_directory=True)
    (tmp_path / "pay" / "scripts" / "left.py").write_text("", encoding="utf-8")
    (found,) = of("file-unreferenced", lint(project([str(tmp_path)]), Config(level="note")))
    assert found.message == "nothing mentions 'scripts/left.py'"


def test_broken_links_come_first() -> None:
    assert unreferenced("See [the list](references/list.md).", {"references/lists/all.md": ""}) == []


def test_too_much_to_be_read_is_not_judged() -> None:
    files = {f"scripts/f{number}.py": "" for number in range(400)}
    assert unreferenced("Pay it.", files) == []


def test_files_that_are_no_text_or_very_large_do_no_harm() -> None:
    files: dict[str, str | bytes] = {
        "scripts/pay.py": b"\xff\xfe\x00import helper\n",
        "scripts/helper.py": b"x" * 300_000,
        "scripts/left.py": "",
    }
    assert unreferenced("Run `scripts/pay.py`.", files) == ["nothing mentions 'scripts/left.py'"]
