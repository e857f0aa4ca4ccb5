"""Skills made up for measuring: the same for the same count, of three styles, 3 to 12 KB each."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import yaml

_SEED = 20
_SMALLEST, _LARGEST = 3_000, 12_000


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_VERBS = _listed("pay refund track export merge review deploy translate index audit archive import schedule verify")
_THINGS = _listed("invoice order report ticket branch image contract catalog release backup dataset mailbox calendar")
_FIELDS = _listed("id amount currency status customer_id created_at limit cursor locale reason retries notify")
_WORDS = _listed(
    "the a of and to when before after for with each every only once first then next until result request "
    "answer user assistant customer account number value field page file step table section example list "
    "open close send read write ask check confirm return keep skip repeat compare choose prepare collect "
    "missing empty valid recent pending complete partial daily small large careful exact short plain"
)
_FOREIGN = (
    "Für Rückfragen gilt: zuerst die Nummer prüfen, dann die Währung bestätigen.",
    "Réponds dans la langue de l'utilisateur, même si la clé de l'API est en anglais.",
    "请先确认金额和币种，再提交请求；失败时把服务器的答复告诉用户。",  # noqa: RUF001
    "支払いの前に、必ず利用者に金額を確認してください。",
    "Сначала проверьте номер заказа, затем подтвердите сумму.",
)
_MARKS = ("✅ ", "⚠️ ", "→ ", "• ", "")


class _Writer:
    """The parts from which bodies are put together, drawn from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.verb = chance.choice(_VERBS)
        self.thing = chance.choice(_THINGS)
        self.typeset = chance.random() < 0.75
        self.foreign = chance.random() < 0.3

    def words(self, least: int, most: int) -> str:
        return " ".join(self.chance.choices(_WORDS, k=self.chance.randint(least, most)))

    def sentence(self) -> str:
        inset = self.chance.random()
        text = self.words(6, 16).capitalize()
        if inset < 0.2:
            text += f" `{self.chance.choice(_FIELDS)}`"
        elif inset < 0.3:
            text += f" **{self.words(1, 3)}**"
        elif inset < 0.35 and self.typeset:
            text += " — " + self.words(3, 6)
        return text + "."

    def paragraph(self) -> str:
        if self.foreign and self.chance.random() < 0.4:
            return self.chance.choice(_FOREIGN)
        return " ".join(self.sentence() for _ in range(self.chance.randint(2, 5)))

    def heading(self, level: int) -> str:
        return "#" * level + " " + self.words(2, 5).capitalize()

    def bullets(self) -> str:
        mark = self.chance.choice(_MARKS) if self.typeset else ""
        return "\n".join(f"- {mark}{self.sentence()}" for _ in range(self.chance.randint(3, 8)))

    def steps(self) -> str:
        return "\n".join(f"{number}. {self.sentence()}" for number in range(1, self.chance.randint(4, 9)))

    def table(self) -> str:
        rows = (
            f"| `{field}` | {self.chance.choice(('string', 'integer', 'boolean'))} | {self.words(3, 8)} |"
            for field in self.chance.sample(_FIELDS, self.chance.randint(4, 9))
        )
        return "\n".join(("| field | type | meaning |", "| --- | --- | --- |", *rows))

    def links(self) -> str:
        name = self.chance.choice(_FIELDS)
        address = f"https://docs.acme.example/{self.thing}s/{name}#usage"
        return f"See [the notes](references/notes.md) and [{name}]({address}), or <https://acme.example/help>."

    def shell(self) -> str:
        field = self.chance.choice(_FIELDS)
        return f"```bash\nacme {self.thing}s {self.verb} --{field} 42 \\\n  --output table | head -n 20\n```"

    def json(self) -> str:
        pairs = ",\n".join(
            f'  "{field}": {self.chance.randint(1, 900)}'
            for field in self.chance.sample(_FIELDS, self.chance.randint(3, 7))
        )
        return f"```json\n{{\n{pairs}\n}}\n```"

    def python(self) -> str:
        lines = [f"def {self.verb}_{self.thing}(client, number):"]
        for field in self.chance.sample(_FIELDS, self.chance.randint(3, 8)):
            lines.append(f'    {field} = client.get("/{self.thing}s/{{}}".format(number), key="{field}")')
            lines.append(f"    if {field} is None:\n        raise LookupError(number)")
        return "```python\n" + "\n".join((*lines, "    return number")) + "\n```"

    def endpoint(self) -> str:
        method = self.chance.choice(("GET", "POST", "PATCH"))
        heading = f"### {method} /v1/{self.thing}s/{self.chance.choice(_FIELDS)}"
        return "\n\n".join((heading, self.sentence(), self.table(), self.json()))


def _guide(write: _Writer) -> list[str]:
    """A workflow in prose and lists."""
    parts = [write.heading(2), write.paragraph(), write.steps(), write.paragraph(), write.bullets()]
    return [*parts, write.links()] if write.chance.random() < 0.5 else parts


def _reference(write: _Writer) -> list[str]:
    """A web API: endpoints with tables and examples."""
    return [write.heading(2), write.paragraph(), *(write.endpoint() for _ in range(write.chance.randint(1, 3)))]


def _manual(write: _Writer) -> list[str]:
    """A tool: much code, little text."""
    return [
        write.heading(2),
        write.sentence(),
        write.shell(),
        write.heading(3),
        write.paragraph(),
        write.python(),
        write.bullets(),
    ]


_STYLES: tuple[Callable[[_Writer], list[str]], ...] = (_guide, _reference, _manual)


def _front(write: _Writer, name: str, number: int) -> str:
    what = f"{write.verb.capitalize()}s one {write.thing} and tells {write.words(4, 12)}."
    when = f"Use when the user wants to {write.verb} a {write.thing}, {write.words(3, 14)}."
    if number % 8 == 5:
        when = ""  # the slips of real skills, so that there is something to report
    lines = [f"name: {name}"]
    if number % 7 == 3:
        lines.append("author: acme")
    if number % 4 == 0:
        lines += ["description: >-", f"  {what}", f"  {when}"]
    else:
        lines.append(f"description: {what} {when}".rstrip())
    if number % 3 == 0:
        lines.append("license: MIT")
    if number % 5 < 2:
        lines += ["metadata:", "  author: acme", f'  version: "1.{number % 10}"']
    if number % 6 == 0:
        lines.append("allowed-tools: Bash(acme:*) Read")
    return "\n".join(lines)


def skill(number: int) -> tuple[str, str]:
    """The name and the text of a skill, by its number."""
    chance = random.Random(_SEED * 1_000_003 + number)  # noqa: S311
    write = _Writer(chance)
    name = f"{write.verb}-{write.thing}-{number}"
    size = chance.randint(_SMALLEST, _LARGEST - 2_500)
    style = _STYLES[number % len(_STYLES)]
    body = [f"# {write.verb.capitalize()} a {write.thing}", write.paragraph()]
    length = 0
    while length < size:
        parts = style(write)
        body += parts
        length += sum(len(part.encode()) + 2 for part in parts)
    return name, f"---\n{_front(write, name, number)}\n---\n\n" + "\n\n".join(body) + "\n"


def generate(folder: Path, count: int) -> None:
    """Write a number of skills below a folder."""
    for number in range(count):
        name, text = skill(number)
        references = folder / name / "references"
        references.mkdir(parents=True)
        (folder / name / "SKILL.md").write_bytes(text.encode())
        (references / "notes.md").write_bytes(b"# Notes\n")


def publish(root: Path, count: int) -> None:
    """A site of `count` skills as published ones are: each in index.json with its digest and in skills.txt."""
    generate(root / "skills", count)
    skills, lines = [], ["# Acme", "", "> What Acme sells, pays and ships.", "", "## Skills", ""]
    for number in range(count):
        name, text = skill(number)
        text = text.replace("\n", "\nversion: 1.0.0\n", 1)
        url = f"/skills/{name}/SKILL.md"
        (root / url[1:]).write_bytes(text.encode())
        description = " ".join(yaml.safe_load(text.split("---\n")[1])["description"].split())
        digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
        skills.append({"name": name, "type": "skill-md", "description": description, "url": url, "digest": digest})
        lines.append(f"- [{name}]({url}): {description}")
    well_known = root / ".well-known" / "agent-skills"
    well_known.mkdir(parents=True)
    index = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": skills}
    (well_known / "index.json").write_bytes(json.dumps(index, indent=2, ensure_ascii=False).encode())
    (root / "skills.txt").write_bytes("\n".join([*lines, ""]).encode())
