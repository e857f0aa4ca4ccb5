"""Suppression comments: where they stand and which lines they cover."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from agentskills_lint.documents import Document, MarkdownDocument, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Directive, Span
from agentskills_lint.scripts import Script
from agentskills_lint.trees import Node

_DIRECTIVE = lazy(r"(agentskills-lint:[ \t]*(ignore-file|ignore)(?![\w-]))[ \t]*(?:\[([^\]\n]*)\])?")
_NAME = lazy(r"[^,\s]+")
_MEANT = lazy(
    r"(?:#+|<!--)[ \t]*(agentskills-lint[ \t]*[:-]?[ \t]*"
    r"(?:ignore|disable|suppress|skip|noqa|allow|nolint|off)(?:-?(file)|-next-line|-line|-next)?)(?![\w-])",
    re.I | re.A,
)
"""What other linters write, and what was meant to be ours."""
_WORD = lazy(r"[ \t,]*([\w-]+)[)\]]?", re.A)
_BEFORE_WORDS = lazy(r"[ \t]*[=:(\[]?")
_MOST_WORDS = 20


_MANY_LINES = 100
_LARGEST_BLOCK = 10_000
"""Code points of a block of comments: a larger one stands for itself alone."""


def directives(document: Document) -> list[Directive]:
    """All suppression comments of a document, in order; text in code blocks is none."""
    if isinstance(document, Script) and document.readable:
        return list(_comments(document))
    if not isinstance(document, MarkdownDocument) or not document.readable:
        return []
    return [*(_front(document) if isinstance(document, Skill) else ()), *_body(document)]


def may_hold(source: str) -> bool:
    """Whether a text may hold a suppression; a cheap test, most have none."""
    return "kills-lint" in source or "kills-Lint" in source or "KILLS-LINT" in source


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
    source = document.source
    match = _DIRECTIVE.search(source, start, end)
    if match is not None and match[3] is not None:
        found = _NAME.finditer(source, match.start(3), match.end(3))
        names = tuple((name[0], Span(*name.span())) for name in found)
        if names:
            return Directive(whole, names, None if match[2] == "ignore-file" else lines)
    right = match[1] if match is not None else ""
    if match is None and (match := _MEANT.match(source, start, end)) is not None:
        right = "agentskills-lint: ignore-file" if match[2] else "agentskills-lint: ignore"
    if match is None:
        return None
    head = Span(*match.span(1))
    words = tuple(_words(source, head.end, end))
    return Directive(whole, (), lines, written=match[1], right=right, head=head, words=words)


def _words(source: str, start: int, end: int) -> Iterator[tuple[str, Span]]:
    """The words behind the head of a directive, up to what is none; a closing bracket belongs to the last one."""
    before = _BEFORE_WORDS.match(source, start, end)
    at = before.end() if before is not None else start
    for _ in range(_MOST_WORDS):
        word = _WORD.match(source, at, end)
        if word is None:
            return
        at = word.end()
        yield word[1], Span(word.start(1), at)


def _comments(script: Script) -> Iterator[Directive]:
    """`# agentskills-lint: ignore[...]` at the end of a line, or above the next line that is code."""
    text, source = script.text, script.source
    count = text.line_count
    for start, end in script.comments():
        if not may_hold(source[start:end]):
            continue
        line = text.line_at(start)
        lines = line, line
        if not source[text.offset(line) : start].strip():
            following = line
            while following < min(count, line + _MANY_LINES) and text.line(following).strip()[:1] in ("", "#"):
                following += 1
            lines = line, following
        found = _directive(script, start, end, lines, Span(start, end))
        if found is not None:
            yield found


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


def _body(document: MarkdownDocument) -> Iterator[Directive]:
    """`<!-- agentskills-lint: ignore[...] -->`: its own block, or the block that starts next."""
    if not may_hold(document.source):
        return
    text, blocks = document.text, document.markdown.blocks
    starts = [span.start for _, span in blocks]
    for piece in document.markdown.html:
        start = piece.span.start
        while (start := document.source.find("<!--", start, piece.span.end)) >= 0:
            close = document.source.find("-->", start, piece.span.end)
            end = close + 3 if close >= 0 else piece.span.end
            index = bisect_right(starts, start) - 1
            lines = (text.line_at(start), text.line_at(start))
            if index >= 0 and start < blocks[index][1].end:
                kind, own = blocks[index]
                if (
                    kind == "htmlblock"
                    and own.end - own.start < _LARGEST_BLOCK
                    and not document.source[own.start : own.end].replace(document.source[start:end], "").strip()
                ):
                    own = blocks[index + 1][1] if index + 1 < len(blocks) else own
                    lines = (lines[0], text.line_at(max(own.end - 1, own.start)))
                else:
                    lines = (text.line_at(own.start), text.line_at(max(own.end - 1, own.start)))
            found = _directive(document, start, end, lines, Span(start, end))
            if found is not None:
                yield found
            start = end
