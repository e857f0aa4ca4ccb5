"""Which folders are sites, and which specs a skill answers to."""

from __future__ import annotations

import json

import pytest

from agentskills_lint.documents import Skill
from agentskills_lint.site import specs_of
from agentskills_lint.sources import memory_project
from tests.support import clean_skill

WELL_KNOWN = ".well-known/agent-skills/"
PLAIN = clean_skill("agentskills")
DISCOVERY = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}
DUALNOVA = {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example", "skills": []}
FILES = {"skills": [{"name": "pay-invoice", "files": ["SKILL.md"]}]}
HOME_GROWN = {"skills": [{"name": "pay-invoice", "path": "x"}]}
SKILLS_TXT = "# Acme\n\n## Skills\n\n- [Pay](/skills/pay-invoice/SKILL.md): Pays an invoice.\n"


def specs(files: dict[str, str], path: str) -> dict[str, str]:
    project = memory_project(files)
    (skill,) = [d for d in project.documents if d.path == path and isinstance(d, Skill)]
    return specs_of(skill, project.sites)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (DISCOVERY, ["discovery", "agentskills"]),
        (DUALNOVA, ["dualnova"]),
        (DISCOVERY | DUALNOVA, ["discovery", "dualnova", "agentskills"]),
        (FILES, ["discovery", "agentskills"]),
        (HOME_GROWN, ["discovery", "agentskills"]),
    ],
)
def test_case_067_the_index_beside_a_skill_decides(index: dict[str, object], expected: list[str]) -> None:
    path = f"{WELL_KNOWN}pay-invoice/SKILL.md"
    assert list(specs({f"{WELL_KNOWN}index.json": json.dumps(index), path: PLAIN}, path)) == expected


def test_an_index_that_cannot_be_read_leaves_the_folder_to_speak() -> None:
    path = f"{WELL_KNOWN}pay-invoice/SKILL.md"
    for text in ("{", "[]", "[" * 100_000):
        found = specs({f"{WELL_KNOWN}index.json": text, path: PLAIN}, path)
        assert found == {"discovery": "in a well-known folder", "agentskills": "discovery builds on it"}


def test_without_an_index_the_fields_tell_the_web_convention() -> None:
    path = f"{WELL_KNOWN}pay-invoice/SKILL.md"
    assert list(specs({path: clean_skill("dualnova", "provider: Acme")}, path)) == ["dualnova"]


def test_a_skill_listed_elsewhere_answers_to_that_registry() -> None:
    index = DUALNOVA | {"skills": [{"name": "pay-invoice", "url": "https://acme.example/s/pay-invoice/SKILL.md#x"}]}
    files = {f"{WELL_KNOWN}index.json": json.dumps(index), "s/pay-invoice/SKILL.md": PLAIN, "t/SKILL.md": PLAIN}
    assert specs(files, "s/pay-invoice/SKILL.md") == {"dualnova": f"listed in {WELL_KNOWN}index.json"}
    assert specs(files, "t/SKILL.md") == {"agentskills": "in no registry"}


def test_wsp_needs_a_list_link_to_a_skill() -> None:
    path = "skills/pay-invoice/SKILL.md"
    assert specs({"skills.txt": SKILLS_TXT, path: PLAIN}, path) == {
        "wsp": "listed in skills.txt",
        "agentskills": "wsp builds on it",
    }
    for foreign in ("User-agent: *\n", "# Skills\n\nSee skills/pay-invoice/SKILL.md\n", "- [a](b.md)\n"):
        assert specs({"skills.txt": foreign, path: PLAIN}, path) == {"agentskills": "in no registry"}


def test_a_skill_below_the_folder_of_the_discovery_file_answers_to_wsp() -> None:
    files = {"agents.txt": SKILLS_TXT.replace("/skills/", "/agents/"), "agents/other/SKILL.md": PLAIN}
    assert specs(files, "agents/other/SKILL.md") == {
        "wsp": "below the folder of agents.txt",
        "agentskills": "wsp builds on it",
    }


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("auth: none", ["agentskills", "wsp"]),
        ("provider: Acme", ["agentskills", "dualnova"]),
        ("languages: [en, es-MX]", ["agentskills", "dualnova"]),
        ("languages: [python, typescript]", ["agentskills"]),
        ("base_url: https://acme.example\nopenapi: https://acme.example/x", ["agentskills", "wsp", "dualnova"]),
        ("version: 1.0.0\nauthor: Acme", ["agentskills"]),
    ],
)
def test_a_skill_in_no_registry_is_told_by_its_fields(front: str, expected: list[str]) -> None:
    path = "pay-invoice/SKILL.md"
    assert list(specs({path: clean_skill("agentskills", front)}, path)) == expected
