"""The published JSON Schemas: current, usable on their own, of one mind with the rules."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentskills_lint import schemas
from agentskills_lint.about import project_url
from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding
from agentskills_lint.registries import Index
from agentskills_lint.rule import Rule, load_rules
from agentskills_lint.specs import BUILDS_ON, INDEXES, SCHEMA_URI, SKILL_FIELDS, SPECS
from tests.examples import files_of, specs_of
from tests.support import CLEAN_FRONT, clean_skill, skill_text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "schemas"
INDEX = ".well-known/agent-skills/index.json"

SKILL_RULES = {
    # what must be there
    "name-missing", "description-missing", "version-missing", "field-empty",
    # types; metadata and allowed-tools have rules of their own, since clients accept more
    "field-type", "metadata-value", "allowed-tools-format", "api-version-type", "rate-limit-type", "language-list",
    # what a pattern or a length tells of one value: the folder's name, other files and the body have no schema
    "name-kebab-case", "name-unicode", "name-length", "description-length", "compatibility-length", "version-format",
    "auth-method",
}  # fmt: skip
"""Rules that judge what JSON Schema can say of a frontmatter."""

INDEX_RULES = {
    "index-schema",
    # words and patterns that index-schema leaves to rules which say more
    "index-dialect", "index-digest-format", "index-files",
    "name-kebab-case", "name-unicode", "name-length", "description-length", "index-url-escape",
}  # fmt: skip
"""Rules that judge what JSON Schema can say of an index.json."""


def _with_needed(wanted: set[str]) -> list[Rule]:
    rules = {rule.id: rule for rule in load_rules()}
    waiting = [*wanted, "file-over-cap"]
    found: dict[str, Rule] = {}
    while waiting:
        name = waiting.pop()
        if name in rules and name not in found:
            found[name] = rules[name]
            waiting.extend(rules[name].needs)
    return list(found.values())


RULES = _with_needed(SKILL_RULES | INDEX_RULES)


class Core(yaml.SafeLoader):
    """YAML 1.2 core as editors read it: `no` and `1_0` are text, and so are dates."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  # PyYAML's own variable


for tag, pattern, first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)", "-+.0123456789"),
    ("float", r"\.(?:nan|NaN|NAN)", "."),
):  # fmt: skip
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), [*first])


def errors(schema: schemas.Schema, value: object) -> list[str]:
    return [f"{list(error.absolute_path)}: {error.message}" for error in schemas.validator(schema).iter_errors(value)]


# --- the files ----------------------------------------------------------------------------------------


def test_the_files_are_those_that_the_tables_give() -> None:
    wanted = {schemas.file_name(name): schemas.published(name) for name in schemas.names()}
    there = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
    assert {name: there.get(name) for name in wanted} == wanted
    assert there.keys() - wanted.keys() == {"report.schema.json"}


def test_each_spec_and_each_dialect_has_one() -> None:
    assert set(schemas.names()) == {
        "skill-agentskills", "skill-discovery", "skill-dualnova", "skill-wsp",
        "index-dualnova-0.1", "index-discovery-0.1", "index-discovery-0.2", "index-both",
    }  # fmt: skip


@pytest.mark.parametrize("name", schemas.names())
def test_each_is_a_schema_with_a_stable_address_and_words_for_editors(name: str) -> None:
    schema = schemas.published(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{project_url()}/raw/main/schemas/{name}.schema.json"
    report = json.loads((FOLDER / "report.schema.json").read_text(encoding="utf-8"))["$id"]
    assert schema["$id"].rpartition("/")[0] == report.rpartition("/")[0]
    assert schema["title"]
    assert schema["description"]
    parts = [schema, schema["properties"]["skills"]["items"]] if name.startswith("index-") else [schema]
    for part in parts:
        assert all(field["description"] for field in part["properties"].values())
        assert "additionalProperties" not in part  # clients ignore what they do not know
        for field in part["properties"].values():
            for example in field.get("examples", ()):
                assert errors(field, example) == []


def test_titles_are_told_apart() -> None:
    titles = [schemas.published(name)["title"] for name in schemas.names()]
    assert len(set(titles)) == len(titles)


def test_the_wheel_holds_them(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        for path in FOLDER.glob("*.json"):
            assert archive.read(f"agentskills_lint/json_schemas/{path.name}") == path.read_bytes()


def test_fields_of_the_specs_are_those_of_the_tables() -> None:
    for spec, fields in SKILL_FIELDS.items():
        assert {field.name for field in fields} == SPECS[spec].fields


def test_a_plain_skill_is_judged_without_jsonschema() -> None:
    code = (
        "import sys\nfrom agentskills_lint.discovery import memory_project\nfrom agentskills_lint.engine import lint\n"
        "from agentskills_lint.config import Config\n"
        "report = lint(memory_project({'pay/SKILL.md': '---\\nname: Pay\\n---\\n'}), Config())\n"
        "assert report.findings\nprint('jsonschema' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# --- as editors and hooks use them --------------------------------------------------------------------

ENTRY: dict[str, Any] = {
    "name": "pay-invoice",
    "type": "skill-md",
    "description": "Pays an open invoice by card.",
    "url": "/.well-known/agent-skills/pay-invoice/SKILL.md",
    "digest": f"sha256:{'9f' * 32}",
}
TITLED = {"title": "Pay an invoice", "tags": ["billing"], "languages": ["en"], "execution_url": "https://acme.example"}
CURRENT = {"$schema": SCHEMA_URI, "skills": [ENTRY]}
FORMER = {"skills": [{"name": "pay-invoice", "description": "Pays.", "files": ["SKILL.md", "references/A.md"]}]}
PROVIDED = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "contact": "a@acme.example"}
DUALNOVA = PROVIDED | {"$schema": "./index-dualnova-0.1.schema.json", "skills": [ENTRY | TITLED]}
DOCUMENTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("index-discovery-0.2", CURRENT, CURRENT | {"skills": [ENTRY | {"type": "skill"}]}),
    ("index-discovery-0.2", CURRENT, CURRENT | {"$schema": SCHEMA_URI + "/"}),
    ("index-discovery-0.1", FORMER, {"skills": [FORMER["skills"][0] | {"files": ["A.md"]}]}),
    ("index-discovery-0.1", FORMER, FORMER | {"$schema": "x"}),
    ("index-dualnova-0.1", DUALNOVA, DUALNOVA | {"version": 1.0}),
    ("index-both", DUALNOVA | CURRENT | {"skills": [ENTRY | TITLED]}, CURRENT),
    ("skill-agentskills", {"name": "pay", "description": "Pays.", "compatibility": "Needs jq"}, {"name": "pay"}),
    ("skill-discovery", {"name": "pay", "description": "P", "metadata": {"v": "1"}}, {"name": "P", "description": "P"}),
    ("skill-dualnova", {"name": "pay", "description": "P", "version": 1.0}, {"name": "pay", "description": "P"}),
    (
        "skill-wsp",
        {"name": "pay", "description": "P", "version": "1.0.0", "license": "MIT", "rate_limit": {"agent": "2/minute"}},
        {"name": "pay", "description": "Pays.", "version": "1.0.0", "license": 7},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "good", "bad"), DOCUMENTS)
def test_check_jsonschema_uses_them_as_they_are(
    name: str, good: dict[str, Any], bad: dict[str, Any], tmp_path: Path
) -> None:
    for label, value, status in (("good", good, 0), ("bad", bad, 1)):
        # a frontmatter is YAML, read as 1.2 there
        path = tmp_path / (f"{label}.json" if name.startswith("index-") else f"{label}.yaml")
        path.write_text(json.dumps(value) if path.suffix == ".json" else yaml.safe_dump(value), encoding="utf-8")
        schema = str(FOLDER / schemas.file_name(name))
        command = [sys.executable, "-m", "check_jsonschema", "--schemafile", schema, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == status, run.stdout + run.stderr


# --- the page about them ------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "schemas.md").read_text(encoding="utf-8")
ADDRESS = f"{project_url()}/raw/main/schemas/"


def _shown(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_page_lists_every_schema_by_its_address() -> None:
    files = {path.name for path in FOLDER.glob("*.json")}
    assert f"below `{ADDRESS}`" in PAGE
    assert set(re.findall(r"^\| `([\w.-]+)` \|", PAGE, re.M)) == files
    assert set(re.findall(rf"{re.escape(ADDRESS)}([\w.-]+)", PAGE)) < files


@pytest.mark.parametrize(("name", "status"), [("pay-invoice", 0), ("Pay_Invoice", 1)])
def test_the_commands_of_the_page_tell_good_from_bad(name: str, status: int, tmp_path: Path) -> None:
    path, index = tmp_path / "public" / INDEX, CURRENT | {"skills": [ENTRY | {"name": name}]}
    skill = tmp_path / "skills" / "pay-invoice" / "SKILL.md"
    for file, text in ((path, json.dumps(index)), (skill, clean_skill("wsp", f"name: {name}"))):
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    commands = [block.replace(ADDRESS, f"{FOLDER}/") for block in _shown("sh")]
    assert len(commands) == 2
    search = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command in commands:
        run = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=os.environ | search, capture_output=True, text=True, check=False
        )
        assert run.returncode == status, run.stdout + run.stderr


def test_the_settings_and_the_modeline_of_the_page_are_right() -> None:
    (settings,) = map(json.loads, _shown("json"))
    (mapping,) = settings["json.schemas"]
    assert mapping["url"] == SCHEMA_URI
    assert mapping["schema"] == {"$ref": schemas.published("index-discovery-0.2")["$id"]}
    (front,) = _shown("yaml")
    assert front.startswith(f"# yaml-language-server: $schema={schemas.published('skill-wsp')['$id']}\n")
    assert errors(schemas.published("skill-wsp"), yaml.load(front, Core)) == []


# --- of one mind with the rules -----------------------------------------------------------------------


def judged(files: dict[str, str], *spec: str) -> tuple[Finding, ...]:
    """The findings of the rules about shape and of those that come before them."""
    config = Config(spec=spec, level="note")
    return lint(memory_project(files), config, RULES).findings


def skill_agrees(spec: str, front: str) -> None:
    """A frontmatter is valid exactly when no rule about its shape speaks."""
    asked = (spec, BUILDS_ON[spec]) if spec in BUILDS_ON else (spec,)
    findings = judged({"pay/SKILL.md": skill_text(front)}, *asked)
    if any(f.rule == "file-over-cap" for f in findings):
        return  # too deep to be read, whatever it says
    found = [f for f in findings if f.rule in SKILL_RULES]
    assert bool(errors(schemas.skill_schema(spec), yaml.load(front, Core))) == bool(found), (front, found)


SHAPES = [
    "pay-invoice", '"Pay Invoice"', "café", '""', '" "', "null", "", "~", "7", "1.5", "1.0.0", "v1", "-1.0", "true",
    '"true"', "[a, b]", "[]", "[1]", "[[a]]", "{a: b}", "{a: 1}", "{a: }", "{openclaw: [1]}", "{agent: 20/minute}",
    "bearer", "none", "Bearer", "a" * 64, "a" * 65, "b" * 500, "b" * 501, "c" * 1024, "c" * 1025, "1", "1.10",
    "Bash(git:*) Read",
]  # fmt: skip
"""Values that readers of YAML 1.1 and 1.2 take for the same.

Of the others (`no`, `1_0`) yaml-ambiguous speaks, and dates are text to the readers of 1.2 alone.
"""


@st.composite
def frontmatters(draw: st.DrawFn, spec: str) -> str:
    """The clean frontmatter of a spec with some fields changed, added or left out."""
    names = sorted({*SPECS[spec].fields, *SPECS[BUILDS_ON.get(spec, spec)].fields, "tier"})
    changed = draw(st.dictionaries(st.sampled_from(names), st.sampled_from([*SHAPES, None]), max_size=3))
    lines = dict(CLEAN_FRONT[spec]) | {
        name: f"{name}: {value}" if value is not None else "" for name, value in changed.items()
    }
    return _without_blank_auth(line for line in lines.values() if line)


def _without_blank_auth(lines: Iterable[str]) -> str:
    """A frontmatter of lines; auth-method takes `auth: ""` for absent, which no list of words can say."""
    return "\n".join(line for line in lines if line not in ('auth: ""', 'auth: " "')) or "tier: 1"


@pytest.mark.parametrize("spec", SKILL_FIELDS)
@given(data=st.data())
def test_schema_and_rules_agree_on_random_frontmatters(spec: str, data: st.DataObject) -> None:
    skill_agrees(spec, data.draw(frontmatters(spec)))


@pytest.mark.parametrize("spec", SKILL_FIELDS)
def test_schema_and_rules_agree_on_each_shape_of_each_field(spec: str) -> None:
    for field in sorted(SPECS[spec].fields):
        for value in SHAPES:
            skill_agrees(spec, _without_blank_auth((CLEAN_FRONT[spec] | {field: f"{field}: {value}"}).values()))


def index_agrees(source: str) -> None:
    """An index is valid for the dialect that it follows exactly when no rule about its shape speaks."""
    index = Index(INDEX, INDEX, source.encode(), None)
    assert index.fault is None
    spec_names = [f"discovery-{index.discovery}"] if index.discovery else []
    spec_names += ["dualnova-0.1"] if index.is_dualnova else []
    nearest = ["dualnova-0.1" if index.nearest == "dualnova" else "discovery-0.2"]
    value = json.loads(source)
    wrong = [error for name in spec_names or nearest for error in errors(schemas.index_schema(name), value)]
    findings = judged({INDEX: source})
    assert [f for f in findings if f.rule == "internal-error"] == []
    found = [f for f in findings if f.rule in INDEX_RULES and f.path == INDEX and not _is_about_files(f)]
    assert bool(wrong) == bool(found), (source, wrong, [f.message for f in found])
    if index.is_dualnova and index.discovery == "0.2":
        assert bool(errors(schemas.both_schema(), value)) == bool(wrong)


def _is_about_files(finding: Finding) -> bool:
    """Whether one of these rules speaks of files that are missing, or of addresses: a schema cannot."""
    if finding.rule == "index-files":
        return not finding.message.startswith("'files' ")
    return finding.rule == "index-url-escape" and not finding.message.startswith("name ")


VALUES = st.sampled_from(
    ["", " ", "pay", "Pay Invoice", "zählen", "a" * 65, "b" * 1025, "skill-md", "archive", "1.0", "2.0", SCHEMA_URI,
     SCHEMA_URI + "/", ENTRY["digest"], ENTRY["digest"].upper(), "9f" * 32, "/pay/SKILL.md", 7, 1.0, None, True, [], {},
     ["a"], ["a", 1], ["SKILL.md"], {"name": "x"}]
)  # fmt: skip
ENTRY_KEYS = [*{field.name: None for table in INDEXES.values() for field in table.entry}, "sha256", "path"]
ROOT_KEYS = [*{field.name: None for table in INDEXES.values() for field in table.fields}, "tier"]
GONE = st.just(...)


@st.composite
def indexes(draw: st.DrawFn) -> str:
    """An index of one of the dialects, or of two, with some values changed, added or left out."""
    root: dict[str, Any] = {"skills": []}
    entry: dict[str, Any] = {}
    for part in draw(st.sets(st.sampled_from([0, 1, 2]), min_size=1)):
        root |= (CURRENT, FORMER, PROVIDED)[part]
        entry |= (ENTRY, FORMER["skills"][0], {key: ENTRY[key] for key in ("name", "description", "url")} | TITLED)[
            part
        ]
    items = [
        entry | draw(st.dictionaries(st.sampled_from(ENTRY_KEYS), VALUES | GONE, max_size=2))
        for _ in range(draw(st.integers(0, 2)))
    ]
    root["skills"] = [{key: value for key, value in item.items() if value is not ...} for item in items]
    if draw(st.booleans()):
        root["skills"].append(draw(VALUES))
    root |= draw(st.dictionaries(st.sampled_from(ROOT_KEYS), VALUES | GONE, max_size=2))
    return json.dumps({key: value for key, value in root.items() if value is not ...}, ensure_ascii=False)


@given(indexes())
def test_schema_and_rules_agree_on_random_indexes(source: str) -> None:
    index_agrees(source)


def test_schema_and_rules_agree_on_every_example() -> None:
    count = 0
    for rule in load_rules():
        for example in rule.examples:
            for spec in specs_of(rule, example):
                for path, raw in files_of(example, spec).items():
                    text = raw.decode("utf-8", "replace")
                    if path.endswith("/index.json"):
                        if Index(path, path, raw, None).tree is not None:
                            index_agrees(text.removeprefix("\ufeff"))
                            count += 1
                    elif spec in SKILL_FIELDS and (front := plain_front(text)) is not None:
                        skill_agrees(spec, front)
                        count += 1
    assert count > 300


def plain_front(text: str) -> str | None:
    """The frontmatter of a skill that readers of YAML 1.1 and 1.2 take for the same, else None."""
    found = re.match(r"---\n(.*?\n)---\n", text, re.S)
    if found is None:
        return None
    try:
        core, old = yaml.load(found[1], Core), yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError):
        return None
    return found[1] if isinstance(core, dict) and core == old else None
