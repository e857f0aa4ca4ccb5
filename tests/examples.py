"""The examples in the rules' documentation as trees of files."""

from __future__ import annotations

import re

from agentskills_lint.rule import Example, Rule
from tests.support import clean_skill

NAME = re.compile(r"^[\"']?name[\"']?[ \t]*:[ \t]*[\"']?([^\"'\n#]*?)[\"']?[ \t]*$", re.M)
REPEATED = re.compile(r"\[([0-9]+) times: (.+?)\](?=[^\]]|$)")
MORE = re.compile(r"^(.+)\n\(([0-9]+) more such lines\)$", re.M)
FILE = re.compile(r"^=== (.+)\n", re.M)


def specs_of(rule: Rule, example: Example | None = None) -> list[str]:
    """The specs under which an example is tried: a whole file is written for the first one alone."""
    specs = list(dict.fromkeys(spec if spec != "advice" else "agentskills" for spec in rule.asked_by))
    whole = example is not None and example.language in ("skill", "bytes", "tree")
    return specs[:1] if whole else specs


def files_of(example: Example, spec: str) -> dict[str, bytes]:
    """The tree that an example stands for, laid over the clean skill of a spec.

    A line such as `(500 more such lines)` stands for as many copies of the line above it.
    """
    example = example._replace(text=MORE.sub(lambda more: "\n".join([more[1]] * (int(more[2]) + 1)), example.text))
    if example.language == "tree":
        parts = FILE.split(example.text)
        return {path: written_out(text).encode() for path, text in zip(parts[1::2], parts[2::2], strict=True)}
    if example.language == "bytes":
        raw = example.text.rstrip("\n").encode().decode("unicode_escape").encode("latin-1")
        return {f"{_folder(raw.decode(errors='replace'))}/SKILL.md": raw}
    if example.language == "skill":
        text = example.text
    elif example.language == "yaml":
        text = clean_skill(spec, written_out(example.text))
    else:
        text = clean_skill(spec, body="\n" + written_out(example.text))
    return {f"{_folder(text)}/SKILL.md": text.encode()}


def written_out(text: str) -> str:
    """An example's text without shorthand: `[9 times: x]` repeats, U+240D stands for a carriage return."""
    return REPEATED.sub(lambda match: match[2] * int(match[1]), text).replace("\u240d", "\r")


def _folder(text: str) -> str:
    found = NAME.search(text)
    return found[1].replace("/", "-") if found and found[1] else "pay-invoice"
