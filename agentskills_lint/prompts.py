"""Where a Python or shell script waits for somebody who types. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.model import Span


class Prompt(NamedTuple):
    """A call that waits: its place (a node, or a span in a shell script), its name, what for."""

    where: ast.expr | Span
    name: str
    purpose: str


_ANSWER, _PASSWORD, _KEY, _DEBUGGER = "an answer", "a password", "a key", "a debugger"

_CALLS = {
    "input": _ANSWER, "raw_input": _ANSWER, "builtins.input": _ANSWER, "getpass.getpass": _PASSWORD,
    "click.prompt": _ANSWER, "click.confirm": _ANSWER, "click.pause": _KEY, "click.getchar": _KEY,
    "typer.prompt": _ANSWER, "typer.confirm": _ANSWER,
    "questionary.prompt": _ANSWER, "inquirer.prompt": _ANSWER, "PyInquirer.prompt": _ANSWER,
    "InquirerPy.prompt": _ANSWER,
    "inquirer.text": _ANSWER, "inquirer.confirm": _ANSWER, "inquirer.list_input": _ANSWER,
    "inquirer.checkbox": _ANSWER, "inquirer.password": _PASSWORD, "inquirer.editor": _ANSWER,
    "rich.prompt.Prompt.ask": _ANSWER, "rich.prompt.Confirm.ask": _ANSWER, "rich.prompt.IntPrompt.ask": _ANSWER,
    "rich.prompt.FloatPrompt.ask": _ANSWER, "rich.console.Console.input": _ANSWER, "rich.get_console.input": _ANSWER,
    "prompt_toolkit.prompt": _ANSWER, "prompt_toolkit.shortcuts.prompt": _ANSWER,
    "prompt_toolkit.shortcuts.confirm": _ANSWER, "prompt_toolkit.PromptSession.prompt": _ANSWER,
    "prompt_toolkit.shortcuts.PromptSession.prompt": _ANSWER,
    "pick.pick": _ANSWER, "simple_term_menu.TerminalMenu.show": _ANSWER,
    "msvcrt.getch": _KEY, "msvcrt.getche": _KEY, "msvcrt.getwch": _KEY, "readchar.readkey": _KEY,
    "readchar.readchar": _KEY,
    "breakpoint": _DEBUGGER, "pdb.set_trace": _DEBUGGER, "ipdb.set_trace": _DEBUGGER, "pudb.set_trace": _DEBUGGER,
    "IPython.embed": _DEBUGGER, "code.interact": _DEBUGGER,
}  # fmt: skip
_BUILTINS = frozenset({"input", "raw_input", "breakpoint"})
_CHAINED = (("questionary.", (".ask", ".unsafe_ask")), ("InquirerPy.inquirer.", (".execute",)))
_BATCH_OPTION = re.compile(
    r"""["' ,/|](?:-y|--(?:yes|assume-?yes|non-?interactive|no-?input|no-?prompts?|no-?interactive|no-?confirm"""
    r"""|batch|auto-?approve|unattended|skip-?(?:confirm(?:ation)?|prompts?)))["' ,/|)=]"""
)
"""An option that answers all questions beforehand."""

_ARGUMENTS = frozenset(
    {
        "args", "opts", "opt", "options", "arguments", "parsed", "parsed_args", "namespace", "ns", "cli_args", "flags",
        "FLAGS", "config", "cfg", "conf", "settings", "params", "ctx", "environ", "env",
    }
)  # fmt: skip
_FLAG = re.compile(
    r"_*(?:(?:is|be|run|all|use|assume|force|say|answer)_?)*(?:yes|y|auto\w*|force\w*|non_?interactive|no_?input|no_?prompt\w*"
    r"|interactive\w*|batch\w*|quiet|silent|skip\w*|dry_?run|ci|headless|unattended|confirmed|no_?confirm\w*"
    r"|(?:is_?a?_?|has_?)?tty\w*|allow_?prompt\w*|can_?prompt|yolo|prompt_user|ask_user)",
    re.I | re.A,
)
_LEAVES = frozenset({"exit", "_exit", "quit", "error", "abort", "die", "fail"})
_MOST_DEPTH = 5


def prompts(source: str, module: ast.Module) -> Iterator[Prompt]:
    """The calls of a Python script that wait, those left out that an option, a terminal test or a handler avoids."""
    has_option = _BATCH_OPTION.search(source) is not None
    reader = _Reader(module)
    for call in reader.calls:
        name = reader.name_of(call.func)
        purpose = reader.purpose(call, name)
        if purpose is None or (purpose != _DEBUGGER and has_option) or reader.is_avoidable(call):
            continue
        written = ast.unparse(call.func)
        yield Prompt(call.func, written if len(written) <= 40 and "\n" not in written else name, purpose)


class _Reader:
    """A module with what each node stands in, what names stand for, and which of them the caller chooses."""

    def __init__(self, module: ast.Module) -> None:
        self.parents: dict[ast.AST, ast.AST] = {}
        self.calls: list[ast.Call] = []
        self.sites: dict[str, list[ast.Call]] = {}
        self.names: dict[str, str] = {}
        self.bound: set[str] = set()
        self.chosen: set[str] = set()
        self._blocks: dict[ast.AST, dict[ast.stmt, list[ast.stmt]]] = {}
        self._exits: dict[int, int | None] = {}
        self._none: list[ast.stmt] = []
        assigned: list[tuple[str, ast.expr]] = []
        waiting: list[ast.AST] = [module]
        for node in waiting:
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                waiting.append(child)
            if isinstance(node, ast.Call):
                self.calls.append(node)
                func = node.func
                name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
                self.sites.setdefault(name, []).append(node)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self.names[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.names[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if not isinstance(self.parents.get(node), ast.ClassDef):
                    self.bound.add(node.name)
            elif isinstance(node, ast.arg):
                self.bound.add(node.arg)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.bound.add(node.id)
            elif isinstance(node, ast.Assign):
                assigned.extend((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name) and node.value:
                assigned.append((node.target.id, node.value))
        for name, value in assigned:
            if isinstance(value, ast.Call) and (told := self.name_of(value.func)) and name not in self.names:
                self.names[name] = told
                if told.rpartition(".")[2] in ("parse_args", "parse_known_args", "docopt", "parse_intermixed_args"):
                    self.chosen.add(name)
        for _ in range(2):
            self.chosen.update(name for name, value in assigned if self.is_choice(value))
        self.calls.sort(key=lambda call: (call.lineno, call.col_offset))

    def name_of(self, func: ast.expr, depth: int = 0) -> str:
        """The dotted name that is called, imports resolved; "" where there is none."""
        parts = []
        while depth < 50:
            depth += 1
            if isinstance(func, ast.Attribute):
                parts.append(func.attr)
                func = func.value
            elif isinstance(func, ast.Call) and parts:
                func = func.func
            elif isinstance(func, ast.Name):
                base = self.names.get(func.id, func.id)
                return ".".join([base, *reversed(parts)])
            else:
                return ""
        return ""

    def purpose(self, call: ast.Call, name: str) -> str | None:
        """What a call waits for, None where it does not wait."""
        if name in _BUILTINS and name in self.bound:
            return None
        if name in _CALLS:
            return _CALLS[name]
        for start, ends in _CHAINED:
            if name.startswith(start) and name.endswith(ends):
                return _ANSWER
        if name == "sys.stdin.readline" and self._follows_a_question(call):
            return _ANSWER
        if (
            name == "os.system"
            and call.args
            and isinstance(call.args[0], ast.Constant)
            and call.args[0].value == "pause"
        ):
            return _KEY
        return None

    def _follows_a_question(self, call: ast.Call) -> bool:
        """Whether something is printed without a line end just before: piped input needs no question."""
        statement: ast.AST = call
        while not isinstance(statement, ast.stmt):
            statement = self.parents[statement]
        block = self._block(self.parents[statement], statement)
        at = block.index(statement) if statement in block else 0
        for before in reversed(block[max(at - 2, 0) : at]):
            if not isinstance(before, ast.Expr) or not isinstance(before.value, ast.Call):
                return False
            name = self.name_of(before.value.func)
            if name == "sys.stdout.write":
                return True
            if name == "print":
                return any(word.arg == "end" for word in before.value.keywords)
            if name != "sys.stdout.flush":
                return False
        return False

    def is_avoidable(self, node: ast.expr, depth: int = 0, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the caller can keep a call from being made, or what follows from it is handled."""
        child: ast.AST = node
        while (parent := self.parents.get(child)) is not None:
            if self._is_guard(parent, child):
                return True
            if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
                if child not in parent.body or depth >= _MOST_DEPTH or parent.name in seen:
                    return False
                sites = [site for site in self.sites.get(parent.name, ()) if not self._lies_in(site, parent)]
                return bool(sites) and all(self.is_avoidable(site, depth + 1, seen | {parent.name}) for site in sites)
            child = parent
        return False

    def _lies_in(self, node: ast.AST, function: ast.AST) -> bool:
        while (parent := self.parents.get(node)) is not None:
            if parent is function:
                return True
            node = parent
        return False

    def _is_guard(self, parent: ast.AST, child: ast.AST) -> bool:
        if (
            isinstance(parent, ast.If | ast.While | ast.IfExp)
            and child is not parent.test
            and self.is_choice(parent.test)
        ):
            return True
        if isinstance(parent, ast.BoolOp):
            return any(self.is_choice(value) for value in parent.values[: parent.values.index(child)])  # type: ignore[arg-type]
        if isinstance(parent, ast.Try) and child in parent.body and any(map(_catches_the_end, parent.handlers)):
            return True
        if isinstance(child, ast.stmt):
            block = self._block(parent, child)
            if id(block) not in self._exits:
                self._exits[id(block)] = next(
                    (
                        before.lineno
                        for before in block
                        if isinstance(before, ast.If) and _leaves(before.body[-1]) and self.is_choice(before.test)
                    ),
                    None,
                )
            line = self._exits[id(block)]
            return line is not None and line < child.lineno
        return False

    def _block(self, parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which one stands."""
        if parent not in self._blocks:
            lists = [getattr(parent, field, ()) for field in ("body", "orelse", "finalbody")]
            self._blocks[parent] = {one: found for found in lists if isinstance(found, list) for one in found}
        return self._blocks[parent].get(statement, self._none)

    def is_choice(self, value: ast.expr, depth: int = 0) -> bool:
        """Whether a value is what the caller says: an option, an argument, the environment, a terminal or none."""
        if depth > _MOST_DEPTH:
            return False
        depth += 1
        if isinstance(value, ast.Name):
            return value.id in self.chosen or _FLAG.fullmatch(value.id) is not None or self._is_option(value)
        if isinstance(value, ast.Attribute):
            name = self.name_of(value)
            if name.startswith(("sys.argv", "os.environ")) or _FLAG.fullmatch(value.attr):
                return True
            return self._is_arguments(value.value)
        if isinstance(value, ast.Subscript):
            return self._is_arguments(value.value) or self.is_choice(value.value, depth)
        if isinstance(value, ast.Call):
            name = self.name_of(value.func)
            last = name.rpartition(".")[2]
            if last in ("isatty", "getenv", "is_terminal", "is_interactive") or _FLAG.fullmatch(last):
                return True
            if isinstance(value.func, ast.Attribute):
                owner = value.func.value
                if last == "get" and (self._is_arguments(owner) or self.is_choice(owner, depth)):
                    return True
                if last in ("lower", "strip", "upper", "casefold") and self.is_choice(owner, depth):
                    return True
            return name in (
                "bool",
                "str",
                "int",
                "len",
                "not",
                "any",
                "all",
                "getattr",
                "Path",
                "pathlib.Path",
            ) and any(self.is_choice(argument, depth) or self._is_arguments(argument) for argument in value.args[:1])
        parts: list[ast.expr] = []
        if isinstance(value, ast.BoolOp):
            parts = value.values
        elif isinstance(value, ast.UnaryOp):
            parts = [value.operand]
        elif isinstance(value, ast.Compare):
            parts = [value.left, *value.comparators]
        elif isinstance(value, ast.IfExp):
            parts = [value.test, value.body, value.orelse]
        elif isinstance(value, ast.NamedExpr):
            parts = [value.value]
        return any(self.is_choice(part, depth) for part in parts)

    def _is_arguments(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Attribute):
            return value.attr in _ARGUMENTS
        return isinstance(value, ast.Name) and (value.id in _ARGUMENTS or value.id in self.chosen)

    def _is_option(self, name: ast.Name) -> bool:
        """Whether a name is a parameter that callers may leave out, or one of a command line's function."""
        node: ast.AST | None = name
        while node is not None and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node = self.parents.get(node)
        if node is None:
            return False
        args = node.args
        plain = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr | None] = [
            *[None] * (len(plain) - len(args.defaults)),
            *args.defaults,
            *args.kw_defaults,
        ]
        for argument, default in zip([*plain, *args.kwonlyargs], defaults, strict=True):
            if argument.arg == name.id:
                if isinstance(default, ast.Constant):
                    return True
                return any(self._is_command(decorator) for decorator in node.decorator_list)
        return False

    def _is_command(self, decorator: ast.expr) -> bool:
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.name_of(func).rpartition(".")[2] in ("command", "option", "argument", "callback")


def _catches_the_end(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id == "EOFError" for kind in caught)


def _leaves(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        return name in _LEAVES
    return False


# Shell

_SHELL_MAY_WAIT = re.compile(r"\b(?:read|select)\b")
_SHELL_PIECE = re.compile(
    r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|(?<![^\s;|&(])#[^\n]*|<<<"""
    r"""|<<-?[ \t]*(?P<quote>['"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)""",
    re.S | re.A,
)
_SHELL_WORD = re.compile(
    r"(?<![\w./$\"'{=-])(?:while|until|for|do|done|if|then|elif|else|fi|case|esac|select|read)(?![\w./=-])|[{}()]", re.A
)
_AT_COMMAND = re.compile(
    r"(?:(?:^|[\n;&|({!)]|(?<!\w)(?:do|then|else|elif|if|while|until|time))[ \t]*)(?:[A-Za-z_]\w*=[^\s;&|]*[ \t]+)*",
    re.A,
)
_PIPED = re.compile(r"(?<!\|)\|&?\s*$")
_OPTIONS = re.compile(r"[ \t]+(-[A-Za-z]+)")
_ONE_KEY = re.compile(r"[ \t]-[A-Za-z]*[nN][ \t]*[0-9]")
_ASKING = re.compile(
    r"^[ \t]*(?:printf\b|echo[ \t]+-[a-zA-Z]*n|echo\b.*(?:[?:>\])]|\.\.\.|[Pp]ress\b.*)"
    r"[ \t]*(?:\\[cn])?[\"']?[ \t]*(?:>&2|1>&2)?[ \t]*$)"
)
_WIDTH = 300
"""Characters of a line that are looked at for a question."""
_STOP = re.compile(r"[;&|\n)]")
_INPUT = re.compile(r"[ \t]*(?:<(?!\()|<[ \t]*<\(|[0-9]*>[^<\n;&|]*<)")
_SHELL_GUARD = re.compile(
    r"-[zn][ \t]+\"?\$|\$#|\$\{?[A-Za-z_]*(?:YES|FORCE|INTERACTIVE|BATCH|AUTO|CONFIRM|CI\b|yes|force|interactive|batch)"
)
_TERMINAL = re.compile(r"\[[ \t]+(?:![ \t]+)?-t[ \t]+[0-9]|\btty[ \t]+-s\b|\$-|\$\{?PS1")


def shell_prompts(source: str) -> Iterator[Prompt]:
    """The reads of a shell script that wait for a terminal; piped and redirected ones wait for none."""
    if _SHELL_MAY_WAIT.search(source) is None or _TERMINAL.search(source) or _BATCH_OPTION.search(source):
        return
    masked = _masked(source)
    stack: list[tuple[str, bool, bool, list[Prompt]]] = [("", False, False, [])]
    condition = 0
    for word in _SHELL_WORD.finditer(masked):
        text, start, end = word[0], word.start(), word.end()
        if text in ("while", "until", "for", "if", "case", "{", "("):
            is_piped = _PIPED.search(masked, max(start - 20, 0), start) is not None
            condition = end
            stack.append((text, is_piped, False, []))
        elif text in ("elif",):
            condition = end
        elif text == "then" and len(stack) > 1:
            kind, is_piped, is_guarded, found = stack[-1]
            guard = _SHELL_GUARD.search(source, condition, start) is not None
            stack[-1] = kind, is_piped, is_guarded or guard, found
        elif text == "select" and _is_command(masked, start):
            stack.append(("select", False, False, [Prompt(Span(start, end), "select", _ANSWER)]))
        elif text == "read" and _is_command(masked, start):
            prompt = _read(source, masked, start, end)
            if prompt is not None and not stack[-1][2]:
                stack[-1][3].append(prompt)
        elif text in ("done", "fi", "esac", "}", ")") and len(stack) > 1:
            wanted = {
                "done": ("while", "until", "for", "select"),
                "fi": ("if",),
                "esac": ("case",),
                "}": ("{",),
                ")": ("(",),
            }
            if stack[-1][0] not in wanted[text]:
                continue
            _, is_piped, is_guarded, found = stack.pop()
            if (
                not is_piped
                and not stack[-1][2]
                and (_INPUT.match(masked, end) is None or "/dev/tty" in source[end : end + 30])
            ):
                stack[-1][3].extend(found)
    yield from sorted((prompt for entry in stack for prompt in entry[3]), key=lambda prompt: prompt.where)  # type: ignore[arg-type,return-value]


def _masked(source: str) -> str:
    """The text with comments, quoted text and here-documents blotted out, at the same length."""
    pieces: list[str] = []
    at = 0
    while (piece := _SHELL_PIECE.search(source, at)) is not None:
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
    if _PIPED.search(masked, max(start - 20, 0), start) is not None or _is_guarded_on_line(source, masked, line, start):
        return None
    stop = _STOP.search(masked, end, end + _WIDTH)
    rest = masked[end : stop.start() if stop is not None else end + _WIDTH]
    written = source[end : end + len(rest)]
    options = "".join(option[1:] for option in _OPTIONS.findall(rest))
    if "t" in options or "u" in options:
        return None
    if "<" in rest:
        return Prompt(Span(start, end), "read", _ANSWER) if "/dev/tty" in written else None
    if "s" in options:
        return Prompt(Span(start, end), "read", _PASSWORD)
    if "p" in options or _ONE_KEY.search(rest) or _follows_a_question(source, masked, line, start):
        return Prompt(Span(start, end), "read", _ANSWER)
    return None


def _is_guarded_on_line(source: str, masked: str, line: int, start: int) -> bool:
    """Whether a test of a variable stands before `&&` or `||` on the same line."""
    before = masked[line:start]
    return ("&&" in before or "||" in before) and _SHELL_GUARD.search(source, line, start) is not None


def _follows_a_question(source: str, masked: str, line: int, start: int) -> bool:
    """Whether what stands before, on the same line or the last one that is not blank, prints a question."""
    last = masked.rfind(";", line, start)
    if last >= 0:
        return _ASKING.match(source[max(line, last - _WIDTH) : last]) is not None
    above = source[max(line - _WIDTH, 0) : line].rstrip()
    return _ASKING.match(above[above.rfind("\n") + 1 :]) is not None
