"""Fixing on small rules of its own: order, overlaps, rounds, what is dropped; the difference that is shown."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentskills_lint.config import Config
from agentskills_lint.documents import Skill
from agentskills_lint.fixes import MAX_ROUNDS, Change, Dropped, Fixed, diff, edited, fix
from agentskills_lint.model import Edit, Fix, Problem, Span
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask, Rule, advice
from agentskills_lint.site import Site
from agentskills_lint.sources import Memory
from agentskills_lint.trees import Node
from tests.support import skill_text

ROOT = "/repository"


def make(
    id: str, code: str, check: Callable[..., Any], at: tuple[str, ...] = (), on: type = Skill, **more: Any
) -> Rule:
    level = more.pop("level", "warning")
    return Rule(id, code, on, at, more.pop("needs", ()), "unsafe", {"advice": advice(level)}, check, **more)


def replacing(old: str, new: str, safe: bool = True) -> Callable[..., Iterator[Problem]]:
    """A rule that finds each occurrence of a text in a node and would replace it."""

    def check(node: Node, document: Skill, ask: Ask) -> Iterator[Problem]:
        at = document.source.find(old, node.span.start, node.span.end)
        if at >= 0:
            edit = Edit(at, at + len(old), new)
            yield Problem(Span(at, at + len(old)), f"{old} found", Fix(f"write {new}", (edit,), safe))

    return check


def run(rules: list[Rule], files: dict[str, str | bytes], unsafe: bool = False, **settings: Any) -> Fixed:
    located = {f"{ROOT}/{path}": text if isinstance(text, bytes) else text.encode() for path, text in files.items()}
    return fix(["."], Config(**settings), unsafe=unsafe, source=Memory(located), cwd=ROOT, rules=rules)


def after(fixed: Fixed) -> dict[str, str]:
    return {change.path: change.after.decode() for change in fixed.changes.values()}


PAY = skill_text("name: pay\ndescription: one two", "# Pay\n")


def test_fixes_of_several_findings_are_applied_in_one_round() -> None:
    rules = [
        make("one", "SKL100", replacing("one", "1"), ("description",)),
        make("two", "SKL101", replacing("two", "2"), ("description",)),
    ]
    fixed = run(
        rules, {"a/SKILL.md": PAY, "b/SKILL.md": PAY.replace("\n", "\r\n"), "c/SKILL.md": skill_text("name: c")}
    )
    expected = PAY.replace("one two", "1 2")
    assert after(fixed) == {"a/SKILL.md": expected, "b/SKILL.md": expected.replace("\n", "\r\n")}
    assert (fixed.report.fixed, fixed.report.findings, fixed.dropped) == (4, (), ())


def test_unsafe_fixes_wait_to_be_asked_for() -> None:
    rules = [make("one", "SKL100", replacing("one", "1", safe=False), ("description",))]
    assert run(rules, {"a/SKILL.md": PAY}).changes == {}
    assert after(run(rules, {"a/SKILL.md": PAY}, unsafe=True)) == {"a/SKILL.md": PAY.replace("one", "1")}


def test_what_is_below_the_level_or_suppressed_is_left_alone() -> None:
    rules = [make("one", "SKL100", replacing("one", "1"), ("description",), level="note")]
    assert run(rules, {"a/SKILL.md": PAY}).changes == {}
    assert run(rules, {"a/SKILL.md": PAY}, level="note").report.fixed == 1
    suppressed = PAY.replace("one two", "one two # agentskills-lint: ignore[one]")
    assert run(rules, {"a/SKILL.md": suppressed}, level="note").changes == {}
    assert run(rules, {"a/SKILL.md": PAY}, level="note", ignore=("one",)).changes == {}


def test_overlapping_fixes_wait_for_the_next_round() -> None:
    rules = [
        make("one", "SKL100", replacing("one t", "ONE T"), ("description",)),
        make("two", "SKL101", replacing("two", "2"), ("description",)),
        make("caps", "SKL102", replacing("Two", "2"), ("description",), needs=("one",)),
    ]
    assert after(run(rules, {"a/SKILL.md": PAY})) == {"a/SKILL.md": PAY.replace("one two", "ONE 2")}


def test_a_fix_with_several_edits_is_applied_whole_or_not_at_all() -> None:
    def both(skill: Skill, ask: Ask) -> Iterator[Problem]:
        if "one" in skill.source:
            edits = tuple(Edit(skill.source.index(w), skill.source.index(w) + 3, w.upper()) for w in ("one", "two"))
            yield Problem(edits[0], "both", Fix("write both", edits, True))

    def both_at(skill: Skill, ask: Ask) -> Iterator[Problem]:
        for problem in both(skill, ask):
            yield problem._replace(where=Span(0, 0))

    rules = [
        make("two", "SKL100", replacing("two", "2"), ("description",)),
        make("both", "SKL101", both_at),
    ]
    fixed = run(rules, {"a/SKILL.md": PAY})
    assert after(fixed) == {"a/SKILL.md": PAY.replace("one two", "ONE TWO")}


def test_equal_edits_of_two_rules_merge() -> None:
    rules = [
        make("one", "SKL100", replacing("one", "1"), ("description",)),
        make("uno", "SKL101", replacing("one", "1"), ("description",)),
    ]
    fixed = run(rules, {"a/SKILL.md": PAY})
    assert (after(fixed), fixed.report.fixed) == ({"a/SKILL.md": PAY.replace("one", "1")}, 2)


def test_documents_settle_before_sites() -> None:
    index = '{"provider": "Acme", "skills": [{"name": "old", "url": "pay/SKILL.md"}]}'
    text = skill_text("name: payy")

    def same_name(site: Site, ask: Ask) -> Iterator[Problem]:
        for listing in site.entries():
            skill, name = site.skill_of(listing), listing.entry.field("name")
            assert skill is not None
            assert name is not None
            if skill.value("name") != name.value:
                edit = Edit(*name.span, f'"{skill.value("name")}"')
                yield Problem((listing.registry, name), "differs", Fix("write it", (edit,), True))

    rules = [
        make("name", "SKL100", replacing("payy", "pay"), ("name",)),
        make("index", "SKL800", same_name, on=Site),
    ]
    folder = ".well-known/agent-skills"
    fixed = run(rules, {f"{folder}/index.json": index, f"{folder}/pay/SKILL.md": text})
    assert after(fixed) == {
        f"{folder}/index.json": index.replace("old", "pay"),
        f"{folder}/pay/SKILL.md": text.replace("payy", "pay"),
    }
    assert fixed.report.fixed == 2


def test_a_fix_that_makes_its_file_worse_is_dropped_and_the_others_are_kept() -> None:
    rules = [
        make("one", "SKL100", replacing("one", "bad"), ("description",)),
        make("two", "SKL101", replacing("two", "2"), ("description",)),
        make("bad", "SKL102", lambda n, d, a: [Problem(n, "bad")] if "bad" in n.value else [], ("description",)),
    ]
    fixed = run(rules, {"a/SKILL.md": PAY, "b/SKILL.md": PAY.replace("one", "")})
    assert after(fixed) == {
        "a/SKILL.md": PAY.replace("two", "2"),
        "b/SKILL.md": PAY.replace("one", "").replace("two", "2"),
    }
    assert fixed.dropped == (Dropped("a/SKILL.md", 3, "one", "the file would have more findings after it"),)
    assert [f.rule for f in fixed.report.findings] == ["one"]


def test_a_finding_that_something_fixed_had_kept_silent_makes_nothing_worse() -> None:
    rules = [
        make("one", "SKL100", replacing("one", "bad"), ("description",)),
        make("bad", "SKL102", replacing("bad", "good"), ("description",), needs=("one",)),
    ]
    assert after(run(rules, {"a/SKILL.md": PAY})) == {"a/SKILL.md": PAY.replace("one", "good")}


def test_rules_that_undo_each_other_end_and_the_file_is_one_of_both() -> None:
    rules = [
        make("one", "SKL100", replacing("one", "uno"), ("description",)),
        make("uno", "SKL101", replacing("uno", "one"), ("description",), needs=("one",)),
    ]
    fixed = run(rules, {"a/SKILL.md": PAY})
    assert [d.rule for d in fixed.dropped] == ["uno"]
    assert after(fixed) == {"a/SKILL.md": PAY.replace("one", "uno")}


def test_an_endless_fix_ends_after_some_rounds() -> None:
    rules = [make("more", "SKL100", replacing("one", "one and one"), ("description",))]
    fixed = run(rules, {"a/SKILL.md": PAY})
    assert fixed.report.fixed == MAX_ROUNDS
    assert after(fixed)["a/SKILL.md"].count("and") == MAX_ROUNDS
    assert fixed.ended
    assert not run(rules, {"a/SKILL.md": PAY.replace("one", "two")}).ended


def test_the_time_grows_with_the_number_of_fixes() -> None:
    def check(skill: Skill, ask: Ask) -> Iterator[Problem]:
        for found in re.finditer("q", skill.source):
            yield Problem(Span(*found.span()), "q", Fix("write p", (Edit(*found.span(), "p"),), True))

    taken = []
    for count in (5_000, 20_000):
        start = time.process_time()
        fixed = run([make("p", "SKL100", check)], {"a/SKILL.md": PAY + "q\n" * count})
        taken.append(time.process_time() - start)
        assert fixed.report.fixed == count
    assert taken[1] < 8 * taken[0]


def test_nothing_is_written_and_a_second_run_changes_nothing() -> None:
    rules = [make("one", "SKL100", replacing("one", "1"), ("description",))]
    source = Memory({f"{ROOT}/a/SKILL.md": PAY.encode()})
    first = fix(["."], Config(), source=source, cwd=ROOT, rules=rules)
    assert source.read(f"{ROOT}/a/SKILL.md") == PAY.encode()
    again = Memory({file: change.after for file, change in first.changes.items()})
    assert fix(["."], Config(), source=again, cwd=ROOT, rules=rules).changes == {}


def test_of_a_buffer_on_standard_input_nothing_else_is_changed() -> None:
    rules = [make("one", "SKL100", replacing("one", "1"), ("description",))]
    source = Memory({f"{ROOT}/a/SKILL.md": PAY.encode(), f"{ROOT}/b/SKILL.md": PAY.encode()})
    for name, path in ((None, "-"), ("a/SKILL.md", "a/SKILL.md"), ("new/SKILL.md", "new/SKILL.md")):
        fixed = fix([], Config(), stdin=(name, PAY.encode()), source=source, cwd=ROOT, rules=rules)
        assert after(fixed) == {path: PAY.replace("one", "1")}


@pytest.mark.parametrize(
    ("raw", "edits", "expected"),
    [
        (b"abc", [Edit(1, 2, "X")], b"aXc"),
        (b"abc", [Edit(3, 3, "!"), Edit(0, 0, "?")], b"?abc!"),
        ("\ufeffabc".encode(), [Edit(0, 1, "é")], "\ufeffébc".encode()),
        ("\ufeffabc".encode(), [Edit(-1, 0, "")], b"abc"),
        ("\ufeffabc".encode(), [Edit(-1, 0, ""), Edit(2, 3, "")], b"ab"),
        ("é😀x\r\n".encode(), [Edit(2, 3, "y")], "é😀y\r\n".encode()),
        (b"abc", [Edit(-1, 0, "")], b"abc"),
    ],
)
def test_edits_count_code_points_behind_the_byte_order_mark(raw: bytes, edits: list[Edit], expected: bytes) -> None:
    assert edited(raw, edits) == expected


def test_the_difference_is_what_patch_reads() -> None:
    changes = [
        Change("z/SKILL.md", b"a\nb", b"a\nc"),
        Change("a b/SKILL.md", b"x\r\ny\x0cz\r\n", b"x\ny\x0cz\r\n"),
    ]
    assert diff(changes) == (
        "--- a/a b/SKILL.md\t\n+++ b/a b/SKILL.md\t\n@@ -1,2 +1,2 @@\n-x\r\n+x\n y\x0cz\r\n"
        "--- a/z/SKILL.md\n+++ b/z/SKILL.md\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
        "\\ No newline at end of file\n"
    )


def test_what_json_index_rules_fix_is_edited_in_place() -> None:
    index = '\ufeff{\t"provider":"Acme",\r\n"skills":[{"name":"Pay 😀"}]}'
    rules = [make("name", "SKL800", replacing("Pay", "pay"), ("skills[].name",), on=Index)]
    fixed = run(rules, {".well-known/agent-skills/index.json": index})
    assert after(fixed) == {".well-known/agent-skills/index.json": index.replace("Pay", "pay")}


def test_what_other_files_have_to_follow_does_not_make_a_fix_worse() -> None:
    def taken(site: Site, ask: Ask) -> Iterator[Problem]:
        for skill in site.skills:
            if skill.value("name") == "pay":
                yield Problem((skill, skill.anchor), "the index has another digest")

    rules = [make("name", "SKL100", replacing("payy", "pay"), ("name",)), make("digest", "SKL800", taken, on=Site)]
    folder = ".well-known/agent-skills"
    text = skill_text("name: payy")
    fixed = run(rules, {f"{folder}/index.json": '{"skills": []}', f"{folder}/pay/SKILL.md": text})
    assert after(fixed) == {f"{folder}/pay/SKILL.md": text.replace("payy", "pay")}
    assert (fixed.dropped, [found.rule for found in fixed.report.findings]) == ((), ["digest"])


def test_what_a_syntax_error_had_hidden_makes_nothing_worse() -> None:
    bad = make("bad", "SKL102", lambda n, d, a: [Problem(n, "bad")] if "bad" in n.value else [], ("description",))
    kept = run([make("yaml-syntax", "SKL008", replacing("one", "bad"), ("description",)), bad], {"a/SKILL.md": PAY})
    assert (after(kept), kept.dropped) == ({"a/SKILL.md": PAY.replace("one", "bad")}, ())
    dropped = run([make("other", "SKL008", replacing("one", "bad"), ("description",)), bad], {"a/SKILL.md": PAY})
    assert ([found.rule for found in dropped.dropped], dropped.changes) == (["other"], {})
