"""The linter about itself: suppressions that do nothing, rules that failed."""

from __future__ import annotations

from collections.abc import Iterator

from agentskills_lint.model import Directive, Edit, Failure, Fix, Problem, Span
from agentskills_lint.rule import Ask, advice, rule


def _without(directive: Directive, name: str, span: Span) -> Fix:
    """Take the name out of the directive, or the directive away when nothing is left of it."""
    others = [place for other, place in directive.names if place != span]
    if not others:
        return Fix("remove the suppression", (Edit(*directive.span, ""),), True)
    before = [place for place in others if place.end <= span.start]
    if before:
        return Fix(f"remove {name}", (Edit(before[-1].end, span.end, ""),), True)
    return Fix(f"remove {name}", (Edit(span.start, others[0].start, ""),), True)


@rule("suppression-unknown", "SKL990", on=Directive, fix="safe", asked_by={"advice": advice("warning")})
def suppression_unknown(directive: Directive, ask: Ask) -> Iterator[Problem]:
    """A suppression names no rule.

    A misspelt id suppresses nothing, and the reader believes that it does.

    ```markdown bad
    <!-- agentskills-lint: ignore[link-brokn] moved soon -->
    See the guide.
    ```
    ```markdown good
    <!-- agentskills-lint: ignore[link-broken] moved soon -->
    See [the guide](references/guide.md).
    ```
    """
    if not directive.names:
        yield Problem(
            directive.span,
            "the suppression names no rule; write ignore[rule-id]",
            Fix("remove the suppression", (Edit(*directive.span, ""),), True),
        )
    for name, span in directive.unknown:
        yield Problem(span, f"{name!r} is no rule", _without(directive, name, span))


@rule("suppression-unused", "SKL991", on=Directive, fix="safe", asked_by={"advice": advice("note")})
def suppression_unused(directive: Directive, ask: Ask) -> Iterator[Problem]:
    """A suppression suppresses nothing.

    What it once hid is mended, or it stands at the wrong place.

    ```markdown bad
    <!-- agentskills-lint: ignore[link-broken] moved soon -->
    No link stands here.
    ```
    ```markdown good
    No link stands here.
    ```
    """
    for name, span in directive.unused:
        yield Problem(span, f"nothing here is suppressed by {name!r}", _without(directive, name, span))


@rule("internal-error", "SKL999", on=Failure, asked_by={"advice": advice("error")})
def internal_error(failure: Failure, ask: Ask) -> Iterator[Problem]:
    """A rule or parser of the linter failed on this file.

    It is our bug, never yours: the other rules and files were judged all the same, and the
    exit code is 2. A report with the file that shows it helps.
    """
    yield Problem(Span(0, 0), f"rule {failure.rule!r} failed: {failure.error}; this is a bug of agentskills-lint")
