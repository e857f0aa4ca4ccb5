"""Inline script metadata (PEP 723): the blocks of a Python script, what they say, what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from agentskills_lint.model import Span
from agentskills_lint.text import Text
from agentskills_lint.toml_lines import Path, lines_of

_OPENING = re.compile(r"# /// ([a-zA-Z0-9-]+)")
_NEAR_OPENING = re.compile(r"[ \t]*#+[ \t]*/{2,4}[ \t]*script[ \t]*", re.I)
_NEAR_CLOSING = re.compile(r"[ \t]*#+[ \t]*/{2,4}[ \t]*")
_KEY = re.compile(r"[ \t]*#[ \t]*(?:dependencies|requires-python)[ \t]*=")
_AT_LINE = re.compile(r"\(at line ([0-9]+), column ([0-9]+)\)")
# PEP 440, in the forms that people write; "===" compares any text
_RELEASE = (
    r"v?(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:[-_.]?(?i:a|b|c|rc|alpha|beta|pre|preview|post|rev|r|dev)[-_.]?[0-9]*)*"
)
_VERSION = rf"(?:(?:~=|==|!=|<=?|>=?)[ \t]*{_RELEASE}(?:\.\*|\+[A-Za-z0-9._-]+)?|===[ \t]*[^\s,;)]+)"
_VERSIONS = rf"{_VERSION}(?:[ \t]*,[ \t]*{_VERSION})*[ \t]*,?"
_REQUIREMENT = re.compile(
    r"[ \t]*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)[ \t]*(?:\[[^\]]*\])?[ \t]*"
    rf"(?P<pin>\([ \t]*{_VERSIONS}[ \t]*\)|{_VERSIONS}|@[ \t]*[^\s;]+(?:[ \t]+(?=;))?)?[ \t]*(?:;.*)?"
)
_SPECIFIERS = re.compile(rf"[ \t]*{_VERSIONS}[ \t]*")
_WINDOW = 60
"""Lines in which the rest of a broken block is looked for."""


class Flaw(NamedTuple):
    """What is wrong with a block, where, and what would be right."""

    where: Span
    message: str
    hint: str | None = None


class Requirement(NamedTuple):
    """A dependency: as written, its place, the name of the distribution ("" where it is malformed), whether it has
    a version or an address."""

    text: str
    where: Span
    name: str
    is_pinned: bool


class Metadata(NamedTuple):
    """The blocks of type `script` of one file: what the first one says, and all flaws in their order."""

    data: dict[str, Any]
    requirements: tuple[Requirement, ...]
    flaws: tuple[Flaw, ...]


def read(text: Text) -> Metadata:
    """The inline metadata of a text."""
    if "//" not in text.string or "script" not in text.string.lower():  # as in most scripts
        return Metadata({}, (), ())
    return _Reader(text).metadata()


class _Block(NamedTuple):
    opening: int
    closing: int


class _Reader:
    def __init__(self, text: Text) -> None:
        self.text = text
        self.lines = [text.line(number) for number in range(1, text.line_count + 1)]
        self.flaws: list[Flaw] = []

    def metadata(self) -> Metadata:
        blocks = list(self._blocks())
        for block in blocks[1:]:
            where = self._line(block.opening)
            self.flaws.append(
                Flaw(where, f"a second block of script metadata; the first one is on line {blocks[0].opening + 1}")
            )
        data, requirements = self._content(blocks[0]) if blocks else ({}, ())
        return Metadata(data, requirements, tuple(sorted(self.flaws)))

    def _line(self, index: int) -> Span:
        start = self.text.starts[index]
        line = self.lines[index]
        return Span(start + len(line) - len(line.lstrip()), start + len(line.rstrip()))

    def _blocks(self) -> Iterator[_Block]:
        """The blocks that the regular expression of the PEP finds; a flaw for what it just misses."""
        index = 0
        while index < len(self.lines):
            line = self.lines[index]
            if "//" not in line or "#" not in line:
                index += 1
                continue
            opening = _OPENING.fullmatch(line)
            if opening is None:
                if _NEAR_OPENING.fullmatch(line) and self._has_keys(index + 1):
                    self.flaws.append(Flaw(self._line(index), "no tool reads this block", "write '# /// script'"))
                index += 1
                continue
            end = index + 1
            while end < len(self.lines) and (self.lines[end] == "#" or self.lines[end].startswith("# ")):
                end += 1
            closing = next((at for at in range(end - 1, index, -1) if self.lines[at] == "# ///"), None)
            if closing is not None:
                if opening[1] == "script":
                    yield _Block(index, closing)
            elif opening[1] == "script":
                self._unclosed(index, end)
            if opening[1] != "script" and opening[1].lower() == "script" and self._has_keys(index + 1):
                self.flaws.append(Flaw(self._line(index), "no tool reads this block", "write '# /// script'"))
            index = closing + 1 if closing is not None else end

    def _has_keys(self, index: int) -> bool:
        return any(_KEY.match(line) for line in self.lines[index : index + 12])

    def _unclosed(self, opening: int, end: int) -> None:
        for at in range(opening + 1, end):
            if _NEAR_CLOSING.fullmatch(self.lines[at]):
                self.flaws.append(Flaw(self._line(at), "this does not close the script metadata", "write '# ///'"))
                return
        rest = self.lines[end : end + _WINDOW]
        closing = next((at for at, line in enumerate(rest) if _NEAR_CLOSING.fullmatch(line)), None)
        if closing is None or not all(not line.strip() or line.lstrip().startswith("#") for line in rest[:closing]):
            self.flaws.append(
                Flaw(self._line(opening), "the block of script metadata is not closed", "end it with '# ///'")
            )
        elif closing == 0:
            self.flaws.append(Flaw(self._line(end), "this does not close the script metadata", "write '# ///'"))
        elif not rest[0].strip():
            start = self.text.starts[end]
            self.flaws.append(Flaw(Span(start, start), "a blank line breaks the script metadata off", "write '#'"))
        else:
            message = "this line breaks the script metadata off: it does not begin with a number sign and a blank"
            self.flaws.append(Flaw(self._line(end), message, f"write {_commented(rest[0])!r}"))

    def _content(self, block: _Block) -> tuple[dict[str, Any], tuple[Requirement, ...]]:
        import tomllib

        lines = [line[2:] if line[1:2] == " " else line[1:] for line in self.lines[block.opening + 1 : block.closing]]
        content = "\n".join(lines) + "\n"
        try:
            data = tomllib.loads(content)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            self._malformed(block, str(error), lines)
            return {}, ()
        places = lines_of(content)
        self._check(data, places, block)
        found = data.get("dependencies")
        if not isinstance(found, list):
            return data, ()
        return data, tuple(self._requirements(found, places, block))

    def _malformed(self, block: _Block, message: str, lines: list[str]) -> None:
        found = _AT_LINE.search(message)
        reason = message.partition(" (at ")[0]
        reason = reason[:1].lower() + reason[1:]
        if found is None or int(found[1]) > len(lines):
            where = self._line(block.closing)
        else:
            index = block.opening + int(found[1])
            column = int(found[2]) - 1 + len(self.lines[index]) - len(lines[int(found[1]) - 1])
            start = self.text.starts[index]
            at = min(start + column, start + len(self.lines[index]))
            where = Span(at, min(at + 1, start + len(self.lines[index])))
        self.flaws.append(Flaw(where, f"the script metadata is no TOML: {reason}"))

    def _place(self, places: dict[Path, int], path: Path, block: _Block) -> Span:
        line = places.get(path) or places.get(path[:1])
        if line is None:
            return self._line(block.opening)
        where = self._line(block.opening + line)
        return Span(min(where.start + 2, where.end), where.end)

    def _check(self, data: dict[str, Any], places: dict[Path, int], block: _Block) -> None:
        for key, value in data.items():
            where = self._place(places, (key,), block)
            if key == "dependencies":
                if not isinstance(value, list):
                    self.flaws.append(Flaw(where, "dependencies has to be a list of texts"))
            elif key == "requires-python":
                if not isinstance(value, str):
                    self.flaws.append(Flaw(where, "requires-python has to be a text", f'write ">={value}"'))
                elif not _SPECIFIERS.fullmatch(value):
                    hint = f'write ">={value.strip()}"' if re.fullmatch(r"\s*[0-9]+(?:\.[0-9]+)*\s*", value) else None
                    self.flaws.append(Flaw(where, f"requires-python {value!r} is no version specifier", hint))
            elif key == "tool":
                if not isinstance(value, dict):
                    self.flaws.append(Flaw(where, "tool has to be a table"))
            elif key == "project" and isinstance(value, dict) and {"dependencies", "requires-python"} & value.keys():
                self.flaws.append(
                    Flaw(where, "no tool looks into [project]: dependencies and requires-python stand on top")
                )
            else:
                self._unknown(key, where)

    def _unknown(self, key: str, where: Span) -> None:
        from agentskills_lint.wording import closest

        meant = closest(key.lower().replace("_", "-"), ("dependencies", "requires-python"), 0.75)
        if key.lower() in ("python", "python-requires", "python-version"):
            meant = "requires-python"
        if key.lower() in ("requires", "requirements"):
            meant = "dependencies"
        if meant is not None:
            self.flaws.append(Flaw(where, f"{key!r} means nothing to any tool; did you mean {meant!r}?"))

    def _requirements(self, found: list[Any], places: dict[Path, int], block: _Block) -> Iterator[Requirement]:
        from agentskills_lint.wording import shown

        after = 0
        for index, value in enumerate(found):
            path = ("dependencies", index)
            where = self._place(places, path, block)
            if not isinstance(value, str):
                self.flaws.append(Flaw(where, "a dependency has to be a text"))
                continue
            at = self.text.string.find(value, max(where.start, after), where.end)
            if at >= 0 and value:
                where = Span(at, at + len(value))
                after = where.end
            match = _REQUIREMENT.fullmatch(value)
            if match is None:
                self.flaws.append(Flaw(where, f"{shown(value)} is no dependency specifier", _likely(value)))
            yield Requirement(
                value, where, match["name"] if match else "", match is not None and match["pin"] is not None
            )


def _commented(line: str) -> str:
    return f"# {line.strip().lstrip('#').strip()}"


def _likely(value: str) -> str | None:
    found = re.fullmatch(r"([A-Za-z0-9._-]+)(?:[ \t]*=[ \t]*|[ \t]+)([0-9][\w.]*)", value.strip())
    return f'write "{found[1]}=={found[2]}"' if found is not None else None
