"""The linter about itself: suppressions that do nothing, rules that failed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agentskills_lint.model import Directive, Edit, Failure, Fix, Problem, Span
from agentskills_lint.rule import Ask, advice, rule
from agentskills_lint.wording import closest, shown


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

    A misspelt id suppresses nothing, and the reader believes that it does. Nor do forgotten
    brackets, capital letters and the words of other linters, such as `disable`.

    ```markdown bad
    <!-- agentskills-lint: ignore[link-brokn] moved soon -->
    See the guide.
    ```
    ```markdown bad
    <!-- agentskills-lint: disable link-broken -->
    See the guide.
    ```
    ```markdown good
    <!-- agentskills-lint: ignore[link-broken] moved soon -->
    See [the guide](references/guide.md).
    ```
    """
    if not directive.names:
        yield _unsound(directive)
    for name, span in directive.unknown:
        meant = _meant(name, directive.rules)
        if meant is None or any(meant == other for other, _ in directive.names):
            hint = "name the rules one by one" if name in ("*", "all") else None
            yield Problem(span, f"{name!r} is no rule", _without(directive, name, span), hint=hint)
        else:
            fix = Fix(f"write {meant}", (Edit(*span, meant),), True)
            yield Problem(span, f"{name!r} is no rule; did you mean {meant!r}?", fix)


def _unsound(directive: Directive) -> Problem:
    """Of a comment that suppresses nothing: what it was meant to be, as far as it names rules."""
    names: list[str] = []
    end = directive.head.end
    for word, span in directive.words:
        meant = _meant(word, directive.rules)
        if meant is None:
            break
        names.append(meant)
        end = span.end
    if names:
        text = f"{directive.right}[{', '.join(dict.fromkeys(names))}]"
        fix = Fix(f"write {text}", (Edit(directive.head.start, end, text),), True)
        fault = (
            "the suppression has no brackets around its rules"
            if directive.written == directive.right
            else f"{shown(directive.written)} suppresses nothing"
        )
        return Problem(directive.span, f"{fault}; write {text}", fix)
    fix = Fix("remove the suppression", (Edit(*directive.span, ""),), True)
    if directive.written == directive.right:
        return Problem(directive.span, "the suppression names no rule; write ignore[rule-id]", fix)
    message = f"{shown(directive.written)} suppresses nothing; write {directive.right}[rule-id]"
    return Problem(directive.span, message, fix)


def _meant(name: str, rules: Collection[str]) -> str | None:
    """The rule that a name stands for, None where that cannot be told; codes are too much alike to guess."""
    if name in rules:
        return name
    found = next((rule for rule in rules if rule.lower() == name.lower()), None)
    if found is None and "-" in name:
        name = name.lower()
        ends = name[0], name[-1]
        alike = [
            rule
            for rule in rules
            if "-" in rule and abs(len(rule) - len(name)) < 4 and (rule[0] == ends[0] or rule[-1] == ends[1])
        ]
        found = closest(name, alike)
    return found


@rule(
    "suppression-unused",
    "SKL991",
    on=Directive,
    needs="suppression-unknown",  # of a misspelt name nobody knows whether it is used
    fix="safe",
    asked_by={"advice": advice("note")},
)
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
