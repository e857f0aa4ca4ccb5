"""Where a shell script waits for somebody who types. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.model import Span
from agentskills_lint.prompts import ANSWER, BATCH, PASSWORD

_MAY_WAIT = re.compile(r"\b(?:read|select)\b")
_PIECE = re.compile(
    r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|(?<![^\s;|&(])#[^\n]*|<<<"""
    r"""|<<-?[ \t]*(?P<quote>['"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)""",
    re.S | re.A,
)
_WORD = re.compile(
    r"(?<![\w./$\"'{=-])(?:while|until|for|do|done|if|then|elif|else|fi|case|in|esac|select|read|return|exit|continue"
    r"|break)(?![\w./=-])|[{}()]",
    re.A,
)
_AT_COMMAND = re.compile(
    r"(?:(?:^|[\n;&|({!)]|(?<!\w)(?:do|then|else|elif|if|while|until|time))[ \t]*)(?:[A-Za-z_]\w*=[^\s;&|]*[ \t]+)*",
    re.A,
)
_PIPED = re.compile(r"(?<!\|)\|&?\s*$")
_OPTIONS = re.compile(r"[ \t]+(-[A-Za-z]+)")
_NO_ECHO = re.compile(r"\bstty[ \t]+-echo\b")
_ONE_KEY = re.compile(r"[ \t]-[A-Za-z]*[nN][ \t]*[0-9]")
_ASKING = re.compile(
    r"^[ \t]*(?:printf\b|echo[ \t]+-[a-zA-Z]*n|echo\b.*(?:[?:>\])]|\.\.\.|[Pp]ress\b.*)"
    r"[ \t]*(?:\\[cn])?[\"']?[ \t]*(?:>&2|1>&2)?[ \t]*$)"
)
_WIDTH = 300
"""Characters of a line that are looked at for a question."""
_STOP = re.compile(r"[;&|\n)]")
_INPUT = re.compile(r"[ \t]*(?:<(?!\()|<[ \t]*<\(|[0-9]*>[^<\n;&|]*<)")
_MODE = (
    r"\$\{?(?:CI\b|\w*(?i:yes|force|interactive|batch|auto|confirm|skip|quiet|silent|dry_?run|prompt|assume"
    r"|unattended|mode\b))"
)
_SPARES = re.compile(rf"-n[ \t]+\"?\$|{_MODE}", re.A)
"""A test that finds an answer or a mode: to leave behind it spares the question."""
_SPARES_ON_LINE = re.compile(rf"-n[ \t]+\"?\$[^|\n]*&&|-z[ \t]+\"?\$[^&\n]*\|\||{_MODE}.*(?:&&|\|\|)", re.A)
_GUARD = re.compile(
    rf"{_MODE}|-[zn][ \t]+\"?\$|-v[ \t]+\w|\$\{{?[1-9@*#]|=[ \t]*(?:\"\"|'')"
    r"|\[[ \t]+(?:![ \t]+)?\"?\$\{?\w+(?::-)?\}?\"?[ \t]+\]|\$\{?(?:opt|arg|option|cmd|command|flag|action)\b",
    re.A,
)
"""A test that the caller decides: of an argument, an option, a variable that may be set."""
_TERMINAL = re.compile(
    r"(?:\[|\btest)[ \t]+(?:![ \t]+)?-t[ \t]+[0-9]|\btty[ \t]+-s\b|\$-|\$\{?PS1|^[ \t]*exec[ \t]+0?<", re.M
)
_BATCH = re.compile(rf"(?:^|[|(;]|\bin)[ \t]*[\"']?{BATCH}[\"']?(?:=\*)?[ \t]*[|)]|=[ \t]*[\"']?{BATCH}\b", re.M)
_ENDS = {"done": ("while", "until", "for", "select"), "fi": ("if",), "esac": ("case",), "}": ("{",), ")": ("(",)}


class Prompt(NamedTuple):
    """A command that waits: where, its name, what for."""

    where: Span
    name: str
    purpose: str


class _Frame:
    """A compound command that is open: what opened it, whether something is piped into it, whether the caller
    decides that it runs, whether it leaves, and the prompts in it."""

    def __init__(self, kind: str, is_piped: bool = False) -> None:
        self.kind = kind
        self.is_piped = is_piped
        self.is_guarded = False
        self.spares = False
        self.prompts: list[Prompt] = []


def shell_prompts(source: str) -> Iterator[Prompt]:
    """The reads of a shell script that wait for a terminal; piped and redirected ones wait for none."""
    if _MAY_WAIT.search(source) is None or _TERMINAL.search(source) or _BATCH.search(source):
        return
    masked = _masked(source)
    stack = [_Frame("")]
    condition = 0
    for word in _WORD.finditer(masked):
        text, start, end = word[0], word.start(), word.end()
        top = stack[-1]
        if text in ("while", "until", "for", "if", "case", "{", "("):
            condition = end if text in ("if", "case") else condition
            stack.append(_Frame(text, _PIPED.search(masked, max(start - _WIDTH, 0), start) is not None))
            stack[-1].is_guarded = text == "(" and masked[max(start - 3, 0) : start] in (":-$", ":=$")
        elif text == "elif":
            condition = end
        elif text == "then" or (text == "in" and top.kind == "case"):
            top.is_guarded = top.is_guarded or _GUARD.search(source, condition, start) is not None
            top.spares = _SPARES.search(source, condition, start) is not None
            condition = end
        elif text in ("return", "exit", "continue", "break"):
            line = max(masked.rfind("\n", 0, start) + 1, start - _WIDTH)
            if _SPARES_ON_LINE.search(source, line, start):
                top.is_guarded = True
            elif top.kind == "if" and top.spares and len(stack) > 1:
                stack[-2].is_guarded = True
        elif text == "select" and _is_command(masked, start):
            stack.append(_Frame("select"))
            stack[-1].prompts.append(Prompt(Span(start, end), "select", ANSWER))
        elif text == "read" and _is_command(masked, start):
            prompt = _read(source, masked, start, end)
            if prompt is not None and not top.is_guarded:
                top.prompts.append(prompt)
        elif top.kind in _ENDS.get(text, ()):
            stack.pop()
            is_fed = _INPUT.match(masked, end) is not None and "/dev/tty" not in source[end : end + 30]
            if not top.is_piped and not is_fed and not stack[-1].is_guarded:
                stack[-1].prompts.extend(top.prompts)
    yield from sorted(prompt for frame in stack for prompt in frame.prompts)


def _masked(source: str) -> str:
    """The text with comments, quoted text and here-documents blotted out, at the same length."""
    pieces: list[str] = []
    at = 0
    while (piece := _PIECE.search(source, at)) is not None:
        pieces.append(source[at : piece.start()])
        text = piece[0]
        at = piece.end()
        if piece["word"]:
            pieces.append(text)
            line = source.find("\n", at)
            if line < 0:
                continue
            close = re.compile(rf"^\t*{piece['word']}$", re.M).search(source, line)
            stop = close.end() if close is not None else len(source)
            pieces.append(source[at:line])
            pieces.append("".join(char if char == "\n" else " " for char in source[line:stop]))
            at = stop
        elif text[0] in "#":
            pieces.append(" " * len(text))
        elif text == "<<<":
            pieces.append(text)
        else:
            pieces.append("".join(char if char == "\n" else "x" for char in text) if text != "\\\n" else "  ")
    pieces.append(source[at:])
    return "".join(pieces)


def _is_command(masked: str, start: int) -> bool:
    """Whether a word stands where a command begins."""
    line = max(masked.rfind("\n", 0, start), start - _WIDTH, 0)
    before = masked[line:start]
    return any(found.end() == len(before) for found in _AT_COMMAND.finditer(before))


def _read(source: str, masked: str, start: int, end: int) -> Prompt | None:
    """A `read` that asks somebody something, None for one that reads what is piped or redirected."""
    line = max(masked.rfind("\n", 0, start) + 1, start - _WIDTH)
    if _PIPED.search(masked, max(start - _WIDTH, 0), start) is not None or (
        re.search(r"&&|\|\|", masked[line:start]) and _GUARD.search(source, line, start)
    ):
        return None
    stop = _STOP.search(masked, end, end + _WIDTH)
    rest = masked[end : stop.start() if stop is not None else end + _WIDTH]
    written = source[end : end + len(rest)]
    options = "".join(option[1:] for option in _OPTIONS.findall(rest))
    if "t" in options or "u" in options:
        return None
    if "<" in rest:
        return Prompt(Span(start, end), "read", ANSWER) if "/dev/tty" in written else None
    if "s" in options or _NO_ECHO.search(masked, max(start - _WIDTH, 0), start):
        return Prompt(Span(start, end), "read", PASSWORD)
    if "p" in options or _ONE_KEY.search(rest) or _follows_a_question(source, masked, line, start):
        return Prompt(Span(start, end), "read", ANSWER)
    return None


def _follows_a_question(source: str, masked: str, line: int, start: int) -> bool:
    """Whether what stands before, on the same line or the last one that is not blank, prints a question."""
    last = masked.rfind(";", line, start)
    if last >= 0:
        return _ASKING.match(source[max(line, last - _WIDTH) : last]) is not None
    above = source[max(line - _WIDTH, 0) : line].rstrip()
    return _ASKING.match(above[above.rfind("\n") + 1 :]) is not None
