"""The Markdown body: its title, its recommended sections, its length, its code blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint import tokens
from agentskills_lint.documents import Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import CodeBlock, Heading
from agentskills_lint.model import Problem, Related, Span
from agentskills_lint.rule import Ask, advice, may, must, rule, should
from agentskills_lint.rules.section_titles import find, titles_of
from agentskills_lint.specs import AGENTSKILLS, DISCOVERY, DUALNOVA, WSP
from agentskills_lint.trees import yaml_tree
from agentskills_lint.wording import shown

_DUALNOVA_BODY = DUALNOVA + "#body--recommended-structure"

_SPLIT = ("frontmatter-missing", "frontmatter-unclosed")


def first_line(skill: Skill) -> Span:
    """The first line of the body that is not blank; the opening fence where there is none."""
    source, start = skill.source, skill.body.start
    rest = source[start:]
    if not rest or rest.isspace():
        return skill.anchor
    start += len(rest) - len(rest.lstrip())
    text = skill.text
    line = text.line_at(start)
    return Span(start, text.offset(line) + len(text.line(line).rstrip()))


def _title(skill: Skill) -> Heading | None:
    return next((heading for heading in skill.markdown.headings if heading.level == 1), None)


@rule(
    "body-empty",
    "SKL701",
    on=Skill,
    needs=("frontmatter-unclosed", "yaml-syntax"),
    asked_by={
        "dualnova": should(_DUALNOVA_BODY, least=100),
        "wsp": must(WSP + "#52-structure", least=1),
        "agentskills": must(AGENTSKILLS + "#skill-md-format", level="warning", least=1),
        "discovery": must(DISCOVERY + "#skill-directory-contents", level="warning", least=1),
    },
)
def body_empty(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The body is empty or too short to teach anything.

    The frontmatter says when a skill is of use, the body what to do then. Without one an agent
    loads the skill and knows no more than before.

    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    ---
    ```
    ```markdown good
    # Pay an invoice

    Ask for the number of the invoice, look it up, name the amount to the user and pay it when the
    user agrees.
    ```
    """
    start = skill.body.start
    length = len(skill.source[start : start + 2 * ask.least].strip())  # most bodies are told by their beginning
    if length < ask.least:
        length = len(skill.body_text.strip())
    if length == 0:
        yield Problem(skill.anchor, "the skill has no body", hint="write below the frontmatter what an agent should do")
    elif length < ask.least:
        message = f"the body has {length} characters, fewer than {ask.least}"
        yield Problem(first_line(skill), message, hint="say what an agent should do, step by step")


@rule(
    "body-heading",
    "SKL702",
    on=Skill,
    needs=(*_SPLIT, "body-empty", "fence-unclosed"),
    asked_by={"dualnova": should(_DUALNOVA_BODY), "advice": advice("note")},
)
def body_heading(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The body does not begin with its one H1 title.

    The title tells readers and agents what they have before them. Text above it belongs to
    nothing, and with a second title the body reads like two skills in one file.

    ```markdown bad
    ## Pay an invoice

    Ask for the number of the invoice, look it up, name the amount to the user and pay it when the
    user agrees.
    ```
    ```markdown bad
    # Pay an invoice

    Ask for the number of the invoice, look it up, name the amount to the user and pay it.

    # Refund an invoice

    Ask why.
    ```
    ```markdown good
    # Pay an invoice

    Ask for the number of the invoice, look it up, name the amount to the user and pay it when the
    user agrees.
    ```
    """
    titles = [heading for heading in skill.markdown.headings if heading.level == 1]
    if not titles:
        if not any("<h1" in piece.text.lower() for piece in skill.markdown.html):
            yield _untitled(skill)
        return
    if len(titles) > 1:
        yield Problem(
            titles[1],
            f"the body has {len(titles)} H1 titles" if len(titles) > 2 else "the body has a second H1 title",
            related=(Related(titles[0], "the first title"),),
            hint="make it an H2, '## …', and the headings below it one level lower",
        )
        return
    if not skill.source[skill.body.start : titles[0].span.start].strip():
        return
    kind, start = next(((kind, span.start) for kind, span in skill.markdown.blocks if kind != "htmlblock"), ("", 0))
    if kind != "heading" and start < titles[0].span.start:
        related = (Related(titles[0], "the title"),)
        yield Problem(_line_from(skill, start), "text stands above the H1 title", related=related)


def _untitled(skill: Skill) -> Problem:
    """Of a body without a title: where it begins, comments aside."""
    message, hint = "the body has no H1 title", "begin the body with '# Title'"
    headings = skill.markdown.headings
    kind, span = next((block for block in skill.markdown.blocks if block[0] != "htmlblock"), ("", None))
    if span is None:
        return Problem(first_line(skill), message, hint=hint)
    if kind == "heading" and headings:
        return Problem(headings[0], f"{message}; it begins with an H{headings[0].level}", hint=hint)
    return Problem(_line_from(skill, span.start), f"{message}; it begins with text", hint=hint)


def _line_from(skill: Skill, start: int) -> Span:
    """The rest of a line, from an offset, without blanks around it."""
    text = skill.text
    line = text.line_at(start)
    end = text.offset(line) + len(text.line(line).rstrip())
    return Span(end - len(skill.source[start:end].lstrip()), end)


_DUALNOVA_SECTIONS = (
    "When to invoke this skill",
    "What this skill does",
    "Step-by-step flow for the assistant",
    "Information the assistant should provide to the user",
    "Common follow-up questions",
    "Fallback",
)
_WSP_SECTIONS = (
    "Endpoints",
    "Parameters",
    "Request examples",
    "Response format",
    "Error handling",
    "Workflow",
    "Authentication",
    "Notes",
)


@rule(
    "section-missing",
    "SKL703",
    on=Skill,
    needs=(*_SPLIT, "body-empty", "fence-unclosed"),
    asked_by={
        "dualnova": may(_DUALNOVA_BODY, titles=_DUALNOVA_SECTIONS),
        "wsp": may(WSP + "#recommended-sections", titles=_WSP_SECTIONS),
    },
)
def section_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A recommended section is missing.

    Agents find their way by headings: what to call and with what, what comes back, what to do
    when it fails. Other wording counts, in several languages, and so do the titles that the
    configuration names under `sections`. A section that would have nothing to say need not be
    there. Authentication is asked for only where the skill needs it, by `auth-section`.

    ```markdown bad
    # Pay an invoice

    Ask for the number of the invoice, look it up, name the amount to the user and pay it when the
    user agrees.
    ```
    ````markdown good
    # Pay an invoice

    ## When to use it

    When an invoice is open.

    ## Overview

    It pays by card.

    ## Workflow

    1. Look the invoice up.
    2. Pay it.

    ## Endpoint

    POST https://api.acme.example/v1/payments

    ## Parameters and examples

    ```json
    {"invoice": "R-100"}
    ```

    ## Response

    A receipt.

    ## Information for the user

    The number of the receipt.

    ## Questions and errors

    What the API said.

    ## Fallback

    Ask the user to write to billing@acme.example.

    ## Notes

    Ten payments a minute.
    ````
    """
    titles = titles_of(skill)
    missing = [name for name in ask.titles if name != "Authentication" and find(titles, name, ask.sections) is None]
    if missing:
        names = ", ".join(f"'{name}'" for name in missing)
        yield Problem(
            _title(skill) or first_line(skill),
            f"recommended section{'s' if len(missing) > 1 else ''} missing: {names}",
            hint="add what has something to say, or name your title for it in the configuration under 'sections'",
        )


# --- length ---------------------------------------------------------------------------------------


@rule(
    "body-length",
    "SKL704",
    on=Skill,
    needs=_SPLIT,
    asked_by={
        "wsp": should(WSP + "#writing-guidelines", lines=300, of_body=False),
        "dualnova": should(_DUALNOVA_BODY, lines=400, of_body=True),
        "agentskills": should(AGENTSKILLS + "#progressive-disclosure", lines=500, of_body=False),
    },
)
def body_length(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The skill is longer than agents should have to load at once.

    An agent reads the whole file whenever the skill is used, and all of it counts against its
    context. What is needed now and then belongs in files of its own, which the body links to.
    The limits are 300 lines for Web Skills, 400 of the body for DualNova and 500 for the
    Agent Skills format.

    ```markdown bad
    # Pay an invoice

    Ask for the number of the invoice, look it up and pay it. What each field means:

    - the number, as it stands on the invoice
    (500 more such lines)
    ```
    ```markdown good
    # Pay an invoice

    Ask for the number of the invoice, look it up and pay it. What each field of an invoice means
    stands in a file of its own that is read when it is needed.
    ```
    """
    text = skill.text
    skipped = text.line_at(skill.body.start) - 1 if ask.of_body else 0
    count = text.line_count - skipped
    if count > ask.lines:
        line = skipped + ask.lines + 1
        start = text.offset(line)
        what = "body" if ask.of_body else "file"
        yield Problem(
            Span(start, start + len(text.line(line))),
            f"the {what} has {count} lines, more than {ask.lines}",
            hint="move what is not always needed to files in references/ and link to them",
        )


@rule(
    "token-budget",
    "SKL705",
    on=Skill,
    needs=(*_SPLIT, "body-length"),
    asked_by={"agentskills": should(AGENTSKILLS + "#progressive-disclosure", budget=5000)},
)
def token_budget(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The body costs an agent more tokens than it should.

    All of the body enters the agent's context when the skill is used, and stays there while it
    works. Tables of fields, long examples and special cases cost nothing until they are needed
    when they stand in files of their own. Tokens are estimated, in the same way for all
    scripts; the models themselves differ by some percent.

    ```markdown bad
    # Pay an invoice

    The number stands on the invoice, on the right of the first page, above the date and the address.
    (400 more such lines)
    ```
    ```markdown good
    # Pay an invoice

    Ask for the number of the invoice, look it up and pay it. What each field of an invoice means
    stands in a file of its own that is read when it is needed.
    ```
    """
    if not tokens.may_exceed(skill.raw, len(skill.source), ask.budget):
        return
    count = tokens.estimate(skill.body_text)
    if count > ask.budget:
        yield Problem(
            first_line(skill),
            f"the body has about {count:,} tokens, more than {ask.budget:,}",
            hint="move what is not always needed to files in references/ and link to them",
        )


# --- code blocks ----------------------------------------------------------------------------------

_MARKER = lazy(r"`{3,}|~{3,}")
_INNER = lazy(r"^ {0,3}(`{3,}|~{3,})[ \t]*[^\s`~][^\n`]{0,60}$", re.M)
_NEAR = lazy(r"^[ \t]*(`{2,}|~{2,})[^\n`]{0,60}$", re.M)
_HTML_FENCE = lazy(r"^ {0,3}(?:`{3,}|~{3,})", re.M)
_VERBATIM = ("<!--", "<pre", "<script", "<style", "<textarea", "<?")


class Stray(NamedTuple):
    """A fence that does not do what it was meant to: "overrun", "unclosed" or "html".

    `near` is what tells so: the fence that the block runs over, what looks like its end, the tag.
    """

    kind: str
    where: Span
    end: int
    near: Span | None


def stray_fence(skill: Skill) -> Stray | None:
    """The first fence of a body from which on code and text change places, or None."""
    if "```" not in skill.source and "~~~" not in skill.source:
        return None
    markdown = skill.markdown
    found = next((stray for block in markdown.code if (stray := _stray_block(skill, block)) is not None), None)
    for piece in markdown.html:
        if found is not None and piece.span.start > found.where.start:
            break
        if ("```" in piece.text or "~~~" in piece.text) and not piece.text.lower().startswith(_VERBATIM):
            fences = list(_HTML_FENCE.finditer(piece.text))
            if len(fences) % 2:
                start = piece.span.start + fences[-1].start()
                line = skill.text.line_at(start)
                where = Span(start, skill.text.offset(line) + len(skill.text.line(line)))
                return Stray("html", where, piece.span.end, Span(piece.span.start, piece.span.start + 1))
    return found


def _stray_block(skill: Skill, block: CodeBlock) -> Stray | None:
    if not block.fenced or (block.closed and "```" not in block.content and "~~~" not in block.content):
        return None
    opening = skill.source[block.opening.start : block.opening.end]
    found = _MARKER.match(opening)
    marker = found[0] if found is not None else "```"
    if block.closed and marker not in block.content:
        return None
    inner = next((found for found in _INNER.finditer(block.content) if found[1].startswith(marker)), None)
    if block.closed and inner is None:
        return None
    near = inner or (_NEAR.search(block.content) if marker[:2] in block.content else None)
    span = None
    if near is not None:
        span = Span(block.offset(near.start(1)), block.offset(near.end() - 1) + 1)
    return Stray("overrun" if block.closed else "unclosed", block.opening, block.span.end, span)


@rule("fence-unclosed", "SKL710", on=Skill, needs=_SPLIT, asked_by={"advice": advice("warning")})
def fence_unclosed(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A code fence does not end where it should.

    A fence that never closes turns the rest of the file into code. A block that holds another
    fence of the same length ends at the end of the inner one, and from there on text is read
    as code and code as text. A fence right below an HTML tag opens no block at all. One finding
    a file, since the first fault decides how the rest is read.

    ````markdown bad
    # Pay an invoice

    ```bash
    pay --invoice R-100

    ## What comes back

    A receipt.
    ````
    `````markdown bad
    # Pay an invoice

    ```markdown
    ## Receipt

    ```json
    {"receipt": "Q-7"}
    ```
    ```

    Send it to the user.
    `````
    `````markdown good
    # Pay an invoice

    ````markdown
    ## Receipt

    ```json
    {"receipt": "Q-7"}
    ```
    ````

    Send it to the user.
    `````
    """
    stray = stray_fence(skill)
    if stray is None:
        return
    text = skill.text
    if stray.kind == "overrun" and stray.near is not None:
        line = text.line_at(stray.near.start)
        fence = skill.source[stray.near.start : stray.near.end]
        marker = skill.source[stray.where.start] * (len(fence) - len(fence.lstrip("`~")) + 1)
        yield Problem(
            stray.where,
            f"the code block runs to line {text.line_at(stray.end - 1)}, over the opening fence {shown(fence)} "
            f"of line {line}",
            related=(Related(stray.near, "this fence opens no block"),),
            hint="remove this fence, if it was to end a block that has ended already"
            if _is_left_over(skill, stray)
            else f"close the block above line {line}, or begin and end it with {marker} if it is to hold that one",
        )
    elif stray.kind == "html" and stray.near is not None:
        yield Problem(
            stray.where,
            "the code fence stands in HTML, where it opens no block, but its end does",
            related=(Related(stray.near, "the HTML begins here and lasts to the next blank line"),),
            hint="leave a blank line between the tag and the fence",
        )
    elif stray.end < len(skill.source.rstrip()):
        yield Problem(stray.where, "the code fence is not closed before its list or quote ends", related=_near(stray))
    elif skill.source[stray.where.end :].isspace() or stray.where.end == len(skill.source):
        yield Problem(stray.where, "a code fence opens at the end of the file", hint="remove it")
    else:
        yield Problem(
            stray.where,
            "the code fence is never closed, so the rest of the file is code",
            related=_near(stray),
            hint="remove it, if it was to end a block that has ended already"
            if _is_left_over(skill, stray)
            else "close it where the code ends, by a line of as many fence characters and nothing else",
        )


def _is_left_over(skill: Skill, stray: Stray) -> bool:
    """Whether an opening fence looks like an end: it names no language, and a blank line follows."""
    fence = skill.source[stray.where.start : stray.where.end].strip()
    line = skill.text.line_at(stray.where.start)
    return not fence.strip("`~") and line < skill.text.line_count and not skill.text.line(line + 1).strip()


def _near(stray: Stray) -> tuple[Related, ...]:
    return (Related(stray.near, "this does not close it"),) if stray.near is not None else ()


_YAML = frozenset({"yaml", "yml"})
_STRING = lazy(r'"(?:[^"\\\n]|\\.)*"')
_PLACEHOLDER = lazy(
    r"\.\.\.|…|<[^<>\n]{1,80}>|\{\{|\$\{|\$[A-Za-z_(]|\{%|%[A-Z_]+%|\[[A-Z][A-Za-z _-]*\]|\|(?![-+]?[ \t]*\r?$)",
    re.M,
)
_COMMENT = lazy(r"//|/\*|(?:^|[\s,{\[])#", re.M)
_COUNTEREXAMPLE = lazy(r"\b(?:wrong|incorrect|invalid|broken|bad|avoid|never|don't|not valid)\b|❌|✗|✘|🚫", re.I)
_LITERALS = lazy(r"(?:True|False|None)\b")
_MAX_CODE = 50_000


@rule(
    "code-block-syntax",
    "SKL711",
    on=Skill,
    needs=(*_SPLIT, "fence-unclosed"),
    asked_by={"advice": advice("note")},
)
def code_block_syntax(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A JSON or YAML example cannot be parsed.

    Agents copy examples into requests and files, where the slip makes them fail. Comments,
    ellipses, placeholders, fragments and several values in one block are examples too and pass.

    ````markdown bad
    # Pay an invoice

    ```json
    {"invoice": "R-100",}
    ```
    ````
    ````markdown bad
    # Pay an invoice

    ```yaml
    summary: Payment: done
    ```
    ````
    ````markdown good
    # Pay an invoice

    ```json
    {"invoice": "R-100", "amount": <cents>, ...}
    ```

    ```yaml
    summary: "Payment: done"
    ```
    ````
    """
    for block in skill.markdown.code:
        code = block.content
        if not block.info or len(code) > _MAX_CODE:
            continue
        language = block.language
        found = _json_fault(code) if language == "json" else _yaml_fault(code) if language in _YAML else None
        if found is None or _is_counterexample(skill, block):
            continue
        start = block.offset(min(found[0], max(len(code) - 1, 0)))
        line = skill.text.line_at(start)
        end = skill.text.offset(line) + len(skill.text.line(line))
        name = "JSON" if language == "json" else "YAML"
        yield Problem(Span(min(start, end), min(start + 1, end)), f"the example is no {name}: {found[1]}")


def _is_counterexample(skill: Skill, block: CodeBlock) -> bool:
    """Whether the block, or the text right above it, says that it shows what not to write."""
    return _COUNTEREXAMPLE.search(skill.source, max(block.span.start - 150, 0), block.span.end) is not None


def _json_fault(code: str) -> tuple[int, str] | None:
    """Where and why a block is no JSON, None where it is or was not meant to be all of it."""
    try:
        json.loads(code)
    except RecursionError:
        return None
    except ValueError as error:
        if not isinstance(error, json.JSONDecodeError):
            return None  # a number of more digits than Python reads
        bare = _STRING.sub('""', code)
        if _PLACEHOLDER.search(bare) or _COMMENT.search(bare) or code.lstrip()[:1] not in ("{", "["):
            return None
        return _json_cause(code, error.pos, error.msg)
    return None


def _json_cause(code: str, at: int, reason: str) -> tuple[int, str] | None:
    before, rest = code[:at].rstrip(), code[at:].lstrip()
    if not rest:
        return None  # a beginning without its end
    if reason == "Extra data":
        return (at, "a closing bracket too many") if rest[0] in "]}" else None
    if reason.startswith("Illegal trailing comma"):
        return at, "a comma stands before the closing bracket"
    if reason.startswith(("Expecting value", "Expecting property name")):
        if rest[0] in "]}" and before.endswith(","):
            return len(before) - 1, "a comma stands before the closing bracket"
        if rest[0] == "'":
            return at, "strings stand in double quotes"
        literal = _LITERALS.match(rest)
        if literal is not None:
            return at, f"{literal[0]} is Python; write {'null' if literal[0] == 'None' else literal[0].lower()}"
    elif reason.startswith("Expecting ',' delimiter"):
        if rest[0] in '"{[' and before[-1] in '"}]0123456789el':
            return at, "a comma is missing, or a backslash before a quote inside a string"
        if before[-1] == '"' and rest[0].isalnum():
            return at, "a quote inside a string needs a backslash before it"
    elif reason.startswith("Invalid \\escape"):
        return at, "the backslash stands before a character that it cannot escape"
    elif reason.startswith("Invalid control character"):
        return at, "a string runs over the end of its line" if code[
            at
        ] in "\r\n" else "a string holds a control character"
    return None  # a word or nothing in place of a value


_YAML_CAUSES = {
    "mapping values are not allowed": "a value that holds ': ' needs quotes around it",
    "cannot start any token": "the value needs quotes around it",
    "expected <block end>": "this does not fit what stands above it",
    "end of stream": "a quote is not closed",
}


def _yaml_fault(code: str) -> tuple[int, str] | None:
    """Where and why a block is no YAML; what could be notes, templates or several documents passes."""
    tree, fault = yaml_tree(code)
    if tree is not None or fault is None or fault.kind != "syntax" or _PLACEHOLDER.search(code):
        return None
    at = fault.span.start
    if code[at : at + 1] == "\t":
        return at, "a tab indents the line"
    if "mapping values" in fault.detail and ": " not in code[code.rfind("\n", 0, at) + 1 : at]:
        return None  # prose
    return next(((at, message) for cause, message in _YAML_CAUSES.items() if cause in fault.detail), None)


# --- examples -------------------------------------------------------------------------------------

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_REQUEST_LINE = lazy(
    rf"(?<![\w/-])(?:{'|'.join(_METHODS)})`?[ \t]+`?((?:https?://[^\s`)|]+|/(?=[\w{{:<$])[^\s`)|]*))", re.A
)
"""A request such as `GET /v1/payments`; the group is what is called."""


def request_lines(skill: Skill) -> Iterator[re.Match[str]]:
    """The request lines of the body, in code and outside of it."""
    source, end = skill.source, skill.body.start
    for at in sorted(at for method in _METHODS for at in _places_of(method, source, end)):
        found = _REQUEST_LINE.match(source, at) if at >= end else None
        if found is not None:
            end = found.end()
            yield found


def _places_of(word: str, text: str, start: int) -> Iterator[int]:
    while (start := text.find(word, start)) >= 0:
        yield start
        start += len(word)


@rule(
    "body-examples",
    "SKL716",
    on=Skill,
    needs=(*_SPLIT, "body-empty", "fence-unclosed"),
    asked_by={"wsp": should(WSP + "#writing-guidelines", level="note")},
)
def body_examples(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The body names requests but shows none.

    From `POST /payments` alone an agent has to guess the headers and the shape of what is sent
    and comes back. A block with one whole request and its response says it all.

    ```markdown bad
    # Pay an invoice

    Send POST /payments with the number of the invoice.
    ```
    ````markdown good
    # Pay an invoice

    Send POST /payments with the number of the invoice:

    ```json
    {"invoice": "R-100"}
    ```
    ````
    """
    if skill.markdown.code:
        return
    found = next(request_lines(skill), None)
    if found is not None:
        yield Problem(
            Span(found.start(), found.end()),
            f"the body names the request {shown(found[0])}, but no code block shows one",
            hint="add a code block with a whole request, and one with its response",
        )
