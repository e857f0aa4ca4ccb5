"""What holds for every input: nothing raises, places lie in the text, runs repeat."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentskills_lint.config import Config
from agentskills_lint.discovery import memory_project
from agentskills_lint.engine import lint
from agentskills_lint.model import Report
from agentskills_lint.rule import load_rules
from tests.support import clean_skill

RULES = load_rules()
SPECS = ("agentskills", "discovery", "dualnova", "wsp", "claude")

PIECES = (
    "---", "\n", "\r\n", "\r", "name", "description", "version", "languages", "rate_limit", "auth", "metadata",
    "allowed-tools", "contact", "url", ": ", ":", " #", "- ", "[", "]", "{", "}", "'", '"', "|", ">", "&a", "*a",
    "!!int", "\t", "  ", "1.10", "no", "2026-01-01", "https://", "localhost", "a@b.example", "```", "~~~", "`",
    "[a](b.md)", "[a][b]", "[b]: c.md", "<!-- agentskills-lint: ignore[x] -->", "# H", "> q", "| a |\n| - |",
    "\ufeff", "\u200b", "\u2028", "\x85", "\x00", "日本語", "😀", "é", "\ufffd", "<b>", "&amp;", "\\", "TODO",
    "<<<<<<< a", "curl -H 'Authorization: x'", "GET /x", "../x", "C:\\x", "%", "@", "=", "...",
)  # fmt: skip


def judge(raw: bytes) -> Report:
    files = {"pay/SKILL.md": raw, "pay/references/a.md": b"# A\n\n[b](b.md)\n"}
    report = lint(memory_project(files), Config(level="note", spec=SPECS), RULES)
    assert [f.message for f in report.findings if f.rule == "internal-error"] == []
    for finding in report.findings:
        place = finding.location
        assert 1 <= place.line <= place.end_line
        assert place.column >= 1
        assert (place.end_line, place.end_column) >= (place.line, place.column)
        assert finding.message.strip() == finding.message != ""
        assert finding.message.isprintable()
    return report


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_judged(raw: bytes) -> None:
    judge(raw)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_pieces_of_skills_in_any_order_are_judged(pieces: list[str]) -> None:
    judge("".join(pieces).encode())


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.sampled_from(PIECES), max_size=20))
def test_frontmatter_of_pieces_is_judged(front: list[str], body: list[str]) -> None:
    judge(f"---\nname: pay\n{''.join(front)}\n---\n{''.join(body)}".encode())


@settings(max_examples=200)
@given(st.data())
def test_a_clean_skill_with_one_change_is_judged_alike_twice(data: st.DataObject) -> None:
    text = clean_skill(data.draw(st.sampled_from(SPECS)))
    at = data.draw(st.integers(0, len(text)))
    end = min(len(text), at + data.draw(st.integers(0, 30)))
    raw = (text[:at] + data.draw(st.sampled_from(PIECES)) + text[end:]).encode()
    assert judge(raw) == judge(raw)
