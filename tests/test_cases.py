"""The fixes of each rule as cases: `cases/<rule>.md` holds files before and after `--fix`.

A case is a heading, perhaps a line of options (`--unsafe-fixes --spec wsp,dualnova --origin URL`;
`--select RULE` adds one to that of the file) and fenced blocks. `yaml before` is the frontmatter of
pay-invoice/SKILL.md, `markdown before` its body, `file before PATH` a whole file; the same with
`after` is what the file becomes. Without a block `after` nothing may change. U+240D stands for a
carriage return, U+2420 for a blank, U+2409 for a tab, `[U+FEFF]` for a byte order mark, the same with
other numbers for what nobody sees, and `[sha256 of PATH]` for the digest of a file.
`pytest --update` writes the blocks `after` anew: read the difference.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from agentskills_lint.config import Config
from agentskills_lint.discovery import project
from agentskills_lint.engine import lint
from agentskills_lint.fixes import Fixed, fix
from agentskills_lint.model import Report
from agentskills_lint.rule import load_rules
from agentskills_lint.sources import Memory

RULES = {rule.id: rule for rule in load_rules()}
CASES = Path(__file__).with_name("cases")
SKILL = "pay-invoice/SKILL.md"
FRONT = "name: pay-invoice\ndescription: Pays an invoice by card. Use when the user wants to pay, not for refunds.\n"
BLOCK = re.compile(r"^(`{3,})(yaml|markdown|file) (before|after)(?: (\S+))?\n(.*?)^\1$", re.M | re.S)
DIGEST = re.compile(r"\[sha256 of ([^\]]+)\]")
SIGNS = {"\u240d": "\r", "\u2420": " ", "\u2409": "\t"}
UNSEEN = re.compile(r"\[U\+([0-9A-F]{4,6})\]")
INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
HEADING = re.compile(r"^## (.+)\n", re.M)


class Case(NamedTuple):
    """A case of a rule: its title, whether unsafe fixes are asked for, the settings, the text of its section."""

    rule: str
    title: str
    unsafe: bool
    settings: dict[str, object]
    section: str

    def files(self, when: str) -> dict[str, str]:
        """The files before or after, signs and digests written out."""
        found = {}
        for _, kind, moment, path, text in BLOCK.findall(self.section):
            if moment == when:
                for sign, meant in SIGNS.items():
                    text = text.replace(sign, meant)
                text = UNSEEN.sub(lambda number: chr(int(number[1], 16)), text)
                found[path or SKILL] = _wrapped(kind, text)
        whole = self.files("before") | found if when == "after" else found
        digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in whole.items()}
        return {path: DIGEST.sub(lambda match: digests[match[1]], text) for path, text in found.items()}


def _wrapped(kind: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if kind == "yaml":
        return f"---{newline}{text}---{newline}{newline}# Pay an invoice{newline}"
    if kind == "markdown":
        return f"---\n{FRONT}---\n".replace("\n", newline) + text
    return text


def _unwrapped(kind: str, text: str) -> str:
    if kind == "yaml":
        return re.sub(r"\A---\r?\n|---\r?\n\r?\n# Pay an invoice\r?\n\Z", "", text)
    return re.sub(r"\A---.*?\n---\r?\n", "", text, count=1, flags=re.S) if kind == "markdown" else text


def _cases(rule: str) -> list[Case]:
    text = (CASES / f"{rule}.md").read_text(encoding="utf-8")
    blocks = [block.span() for block in BLOCK.finditer(text)]
    heads = [head for head in HEADING.finditer(text) if not any(a <= head.start() < b for a, b in blocks)]
    found = []
    for head, end in zip(heads, [*(head.start() for head in heads[1:]), len(text)], strict=True):
        title, section = head[1], text[head.end() : end]
        words = next((line.split() for line in section.split("\n") if line.startswith("--")), [])
        settings: dict[str, object] = {"select": (rule,)}
        if "--select" in words:
            settings["select"] = (rule, words[words.index("--select") + 1])
        if "--spec" in words:
            settings["spec"] = tuple(words[words.index("--spec") + 1].split(","))
        if "--origin" in words:
            settings["origin"] = words[words.index("--origin") + 1]
        found.append(Case(rule, title, "--unsafe-fixes" in words, settings, section))
    return found


def _located(files: dict[str, str]) -> Memory:
    return Memory({f"/r/{path}": text.encode() for path, text in files.items()})


def _config(case: Case) -> Config:
    return Config(level="note", **case.settings)  # type: ignore[arg-type]


def _fixed(case: Case, files: dict[str, str]) -> Fixed:
    return fix(["."], _config(case), unsafe=case.unsafe, source=_located(files), cwd="/r", rules=tuple(RULES.values()))


def _report(case: Case, files: dict[str, str]) -> Report:
    found = project(["."], _config(case), source=_located(files), cwd="/r")
    return lint(found, _config(case), tuple(RULES.values()))


ALL = [case for path in sorted(CASES.glob("*.md")) for case in _cases(path.stem)]


def test_each_fixable_rule_has_cases_and_no_other() -> None:
    assert {case.rule for case in ALL} == {rule.id for rule in RULES.values() if rule.fix}
    titles = [(case.rule, case.title) for case in ALL]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.fix], ids=lambda rule: rule.id)
def test_cases_show_each_class_of_fix_that_a_rule_declares(rule: object) -> None:
    declared = RULES[rule.id]  # type: ignore[attr-defined]
    changing = [case for case in ALL if case.rule == declared.id and case.files("after")]
    assert {case.unsafe for case in changing} <= {True, False}
    offered = {
        finding.fix.safe
        for case in changing
        for finding in _report(case, case.files("before")).findings
        if finding.fix is not None and finding.rule == declared.id
    }
    assert (declared.fix == "safe") == (offered == {True})


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.rule}: {case.title}")
def test_case(case: Case, update: bool) -> None:
    before = case.files("before")
    fixed = _fixed(case, before)
    changed = {change.path: change.after.decode() for change in fixed.changes.values()}
    if update:
        _write(case, changed)
        case = next(other for other in _cases(case.rule) if other.title == case.title)
    assert changed == case.files("after")
    assert fixed.dropped == ()
    first = [finding for finding in _report(case, before).findings if finding.rule == case.rule]
    assert first != []
    after = before | changed
    left = [finding for finding in _report(case, after).findings if finding.rule == case.rule]
    assert [finding for finding in left if finding.fix is not None and (finding.fix.safe or case.unsafe)] == []
    assert len(left) < len(first) if changed else left == first
    assert _fixed(case, after).changes == {}


def _write(case: Case, changed: dict[str, str]) -> None:
    """Put what the engine makes of a case into its blocks `after`."""
    digests = {
        hashlib.sha256(text.encode()).hexdigest(): path for path, text in (case.files("before") | changed).items()
    }

    def anew(match: re.Match[str]) -> str:
        fence, kind, moment, path, _ = match.groups()
        if moment == "before":
            return match[0]
        text = _unwrapped(kind, changed.get(path or SKILL, ""))
        for digest, file in digests.items():
            text = text.replace(digest, f"[sha256 of {file}]")
        for sign, meant in SIGNS.items():
            if sign != "\u2420":
                text = text.replace(meant, sign)
        text = INVISIBLE.sub(lambda char: f"[U+{ord(char[0]):04X}]", text)
        text = re.sub(r" +$", lambda blanks: "\u2420" * len(blanks[0]), text, flags=re.M)
        return f"{fence}{kind} after{' ' + path if path else ''}\n{text}{fence}"

    file = CASES / f"{case.rule}.md"
    page = file.read_text(encoding="utf-8")
    section = f"## {case.title}\n{case.section}"
    assert page.count(section) == 1
    file.write_text(page.replace(section, BLOCK.sub(anew, section)), encoding="utf-8", newline="\n")
