"""Suppression comments: where they stand and which lines they cover."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Directive, Span
from agentskills_lint.trees import Node

_DIRECTIVE = lazy(r"agentskills-lint:[ \t]*(ignore-file|ignore)\b[ \t]*(?:\[([^\]\n]*)\])?")
_NAME = lazy(r"[^,\s]+")


_MANY_LINES = 100
_LARGEST_BLOCK = 10_000
"""Code points of a block of comments: a larger one stands for itself alone."""


def directives(document: Document) -> list[Directive]:
    """All suppression comments of a document, in order; text in code blocks is none."""
    if not isinstance(document, Skill) or not document.readable:
        return []
    return [*_front(document), *_body(document)]


class Cover:
    """Which directives cover a line for a rule; built once, so that many of them stay cheap."""

    def __init__(self, found: Iterable[Directive]) -> None:
        self._near: dict[tuple[str, int], list[Directive]] = {}
        self._wide: dict[str, list[Directive]] = {}
        for directive in found:
            for name, _ in directive.names:
                if directive.lines is None or directive.lines[1] - directive.lines[0] > _MANY_LINES:
                    self._wide.setdefault(name, []).append(directive)
                    continue
                for line in range(directive.lines[0], directive.lines[1] + 1):
                    self._near.setdefault((name, line), []).append(directive)

    def of(self, name: str, line: int) -> list[Directive]:
        """The directives that name a rule by this id or code and cover a line (from 1)."""
        wide = [
            directive
            for directive in self._wide.get(name, ())
            if directive.lines is None or directive.lines[0] <= line <= directive.lines[1]
        ]
        return wide + self._near.get((name, line), [])


def _directive(document: Document, start: int, end: int, lines: tuple[int, int], whole: Span) -> Directive | None:
    match = _DIRECTIVE.search(document.source, start, end)
    if match is None:
        return None
    names = tuple(
        (name[0], Span(name.start(), name.end()))
        for name in (_NAME.finditer(document.source, match.start(2), match.end(2)) if match[2] else ())
    )
    return Directive(whole, names, None if match[1] == "ignore-file" else lines)


def _front(skill: Skill) -> Iterator[Directive]:
    """`# agentskills-lint: ignore[...]` at the end of a line, or above the entry that starts next."""
    if skill.fences is None:
        return
    text, content = skill.text, skill.fences.content
    scalars = [node.span for node in skill.root.walk() if node.kind == "scalar"] if skill.root is not None else []
    entries = skill.root.items if skill.root is not None else []
    at = content.start
    while (at := skill.source.find("#", at, content.end)) >= 0:
        line = text.line_at(at)
        end = text.offset(line) + len(text.line(line))
        before = skill.source[text.offset(line) : at]
        if (before and not before[-1].isspace()) or any(span.start < at < span.end for span in scalars):
            at += 1
            continue
        if before.strip():
            lines = (line, line)
        else:
            lines = _entry_lines(skill, entries, end) or (line, line)
            if line == text.line_at(skill.fences.opening.start) + 1:
                lines = (line - 1, lines[1])
        found = _directive(skill, at, end, lines, Span(at, end))
        if found is not None:
            yield found
        at = end


def _entry_lines(skill: Skill, entries: list[Node], after: int) -> tuple[int, int] | None:
    """The lines of the innermost entry that starts first behind an offset."""
    for node in entries:
        start, end = node.whole
        if start >= after:
            return skill.text.line_at(start), skill.text.line_at(max(end - 1, start))
        if end > after and node.items:
            return _entry_lines(skill, node.items, after)
    return None


def _body(skill: Skill) -> Iterator[Directive]:
    """`<!-- agentskills-lint: ignore[...] -->`: its own block, or the block that starts next."""
    if skill.source.find("agentskills-lint:", skill.body.start) < 0:
        return
    text, blocks = skill.text, skill.markdown.blocks
    starts = [span.start for _, span in blocks]
    for piece in skill.markdown.html:
        start = piece.span.start
        while (start := skill.source.find("<!--", start, piece.span.end)) >= 0:
            close = skill.source.find("-->", start, piece.span.end)
            end = close + 3 if close >= 0 else piece.span.end
            index = bisect_right(starts, start) - 1
            lines = (text.line_at(start), text.line_at(start))
            if index >= 0 and start < blocks[index][1].end:
                kind, own = blocks[index]
                if (
                    kind == "htmlblock"
                    and own.end - own.start < _LARGEST_BLOCK
                    and not skill.source[own.start : own.end].replace(skill.source[start:end], "").strip()
                ):
                    own = blocks[index + 1][1] if index + 1 < len(blocks) else own
                    lines = (lines[0], text.line_at(max(own.end - 1, own.start)))
                else:
                    lines = (text.line_at(own.start), text.line_at(max(own.end - 1, own.start)))
            found = _directive(skill, start, end, lines, Span(start, end))
            if found is not None:
                yield found
            start = end
