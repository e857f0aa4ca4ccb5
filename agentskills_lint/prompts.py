"""Where a Python script waits for somebody who types. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple


class Prompt(NamedTuple):
    """A call that waits: where, its name, what for."""

    where: ast.expr
    name: str
    purpose: str


ANSWER, PASSWORD, _KEY, _DEBUGGER = "an answer", "a password", "a key", "a debugger"

_CALLS = {
    call: purpose
    for purpose, calls in {
        ANSWER: """
            input raw_input builtins.input six.moves.input click.prompt click.confirm typer.prompt typer.confirm
            questionary.prompt PyInquirer.prompt InquirerPy.prompt inquirer.prompt inquirer.text inquirer.confirm
            inquirer.list_input inquirer.checkbox inquirer.editor rich.prompt.Prompt.ask rich.prompt.Confirm.ask
            rich.prompt.IntPrompt.ask rich.prompt.FloatPrompt.ask rich.console.Console.input rich.get_console.input
            prompt_toolkit.prompt prompt_toolkit.shortcuts.prompt prompt_toolkit.shortcuts.confirm
            prompt_toolkit.PromptSession.prompt prompt_toolkit.shortcuts.PromptSession.prompt pick.pick
            simple_term_menu.TerminalMenu.show
        """,
        PASSWORD: "getpass.getpass inquirer.password",
        _KEY: "click.pause click.getchar msvcrt.getch msvcrt.getche msvcrt.getwch readchar.readkey readchar.readchar",
        _DEBUGGER: "breakpoint pdb.set_trace ipdb.set_trace pudb.set_trace IPython.embed code.interact",
    }.items()
    for call in calls.split()
}
_BUILTINS = frozenset({"input", "raw_input", "breakpoint"})
_CHAINED = (("questionary.", (".ask", ".unsafe_ask")), ("InquirerPy.inquirer.", (".execute",)))
BATCH = (
    r"(?:-y|--(?:yes|assume-?yes|non-?interactive|no-?input|no-?prompts?|no-?interactive|no-?confirm"
    r"|batch|auto-?approve|unattended|skip-?(?:confirm(?:ation)?|prompts?)))"
)
_BATCH_OPTION = re.compile(BATCH)
"""An option that answers all questions beforehand."""

_COMMANDS = frozenset({"run", "call", "check_call", "check_output", "Popen", "system", "popen", "execvp", "execlp"})
"""Calls that give options to other programs."""

_PARSERS = frozenset({"parse_args", "parse_known_args", "parse_intermixed_args", "docopt", "getopt", "gnu_getopt"})
_ARGUMENTS = re.compile(
    r"(?:cli_)?args|opts?|options|arguments|parsed(?:_args)?|namespace|ns|flags|FLAGS|config|cfg|conf|settings|params"
    r"|ctx|env(?:iron)?"
)
_FLAG = re.compile(
    r"_*(?:(?:is|be|run|all|use|assume|force|say|answer)_?)*(?:yes|y|auto\w*|force\w*|non_?interactive|no_?input|no_?prompt\w*"
    r"|interactive\w*|batch\w*|quiet|silent|skip\w*|dry_?run|ci|headless|unattended|confirmed|no_?confirm\w*"
    r"|(?:is_?a?_?|has_?)?tty\w*|allow_?prompt\w*|can_?prompt|yolo|debug\w*|disable\w*|prompt|ask|prompt_user|ask_user)",
    re.I | re.A,
)
_LEAVES = frozenset({"exit", "_exit", "quit", "error", "abort", "die", "fail"})
_TERMINAL_CALLS = frozenset({"isatty", "is_terminal", "is_interactive"})
_STORES = frozenset({"getenv", "get_password", "authenticators"})
"""Calls that look up what somebody has set before: the environment, a keyring, a netrc file."""

_KEEPING = frozenset(
    {"bool", "str", "int", "len", "not", "any", "all", "getattr", "list", "enumerate", "Path", "pathlib.Path"}
)
"""Calls whose result is as much the caller's as their first argument."""

_JUMPS = (ast.Return, ast.Continue, ast.Break)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_MOST_DEPTH = 5
_MOST_SITES = 50


def prompts(source: str, module: ast.Module) -> Iterator[Prompt]:
    """The calls of a Python script that wait, those left out that an option, a terminal test or a handler avoids."""
    reader = _Reader(module)
    has_option = _BATCH_OPTION.search(source) is not None and reader.takes_batch_option()
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
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.options: list[ast.Constant] = []
        self.bound: set[tuple[ast.AST, str]] = set()
        self.chosen: set[str] = set()
        self._blocks: dict[ast.AST, dict[ast.stmt, list[ast.stmt]]] = {}
        self._exits: dict[int, int | None] = {}
        self._given: dict[tuple[ast.AST, str], bool] = {}
        self._none: list[ast.stmt] = []
        assigned: list[tuple[str, ast.expr, ast.AST]] = []
        self.module = module
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
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _BATCH_OPTION.search(node.value):
                self.options.append(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if not isinstance(node, ast.ClassDef):
                    self.functions[node.name] = node
                self._bind(self.parents[node], node.name)
            elif isinstance(node, ast.arg):
                self._bind(node, node.arg)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._bind(node, node.id)
            elif isinstance(node, ast.Assign):
                assigned.extend((name, node.value, node) for target in node.targets for name in _named(target))
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
                assigned.extend((name, node.value, node) for name in _named(node.target))
            elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
                assigned.extend((name, node.iter, node) for name in _named(node.target))
        for name, value, node in assigned:
            if isinstance(value, ast.Name) and value.id in _BUILTINS:
                self.bound.discard((self._scope(node), name))
                self.names[name] = value.id
            elif isinstance(value, ast.Call) and (told := self.name_of(value.func)):
                if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
                    self.names.setdefault(name, told)
                if told.rpartition(".")[2] in _PARSERS:
                    self.chosen.add(name)
        telling = [self._scope(site) for name in _TERMINAL_CALLS | _PARSERS for site in self.sites.get(name, ())]
        self.tellers = {scope.name for scope in telling if isinstance(scope, ast.FunctionDef)}
        """Functions that look for a terminal or read the command line."""
        for _ in range(2):
            self.chosen.update(
                name
                for name, value, node in assigned
                if self.is_choice(value) or (isinstance(value, ast.Constant) and self._is_guarded(node))
            )
            self._exits.clear()
            self._given.clear()
        self.handlers = {
            argument.id
            for call in self.calls
            if any(self.name_of(first).startswith("signal.SIG") for first in call.args[:1])
            for argument in call.args
            if isinstance(argument, ast.Name)
        }
        """Functions that run where somebody sends a signal, such as a key of the terminal."""
        self.calls.sort(key=lambda call: (call.lineno, call.col_offset))

    def _scope(self, node: ast.AST) -> ast.AST:
        """The function, class or module in which a node stands."""
        while not isinstance(node, _SCOPES):
            node = self.parents[node]
        return node

    def _bind(self, node: ast.AST, name: str) -> None:
        if name in _BUILTINS:
            self.bound.add((self._scope(node), name))

    def _is_bound(self, node: ast.AST, name: str) -> bool:
        """Whether a name of a built-in function stands for another where a node is; names of classes only in them."""
        scope = here = self._scope(node)
        while (scope, name) not in self.bound or (isinstance(scope, ast.ClassDef) and scope is not here):
            if isinstance(scope, ast.Module):
                return False
            scope = self._scope(self.parents[scope])
        return True

    def takes_batch_option(self) -> bool:
        """Whether the script itself has an option that answers all questions beforehand."""
        for option in self.options:
            parent = self.parents[option]
            if isinstance(parent, ast.List | ast.Tuple | ast.Set):
                parent = self.parents[parent]
            if isinstance(parent, ast.Expr):
                if "docopt" in self.names and option.value == ast.get_docstring(self.module, clean=False):
                    return True
            elif _BATCH_OPTION.fullmatch(str(option.value)) and (
                isinstance(parent, ast.Compare | ast.MatchValue)
                or (isinstance(parent, ast.Call) and self.name_of(parent.func).rpartition(".")[2] not in _COMMANDS)
            ):
                return True
        return False

    def name_of(self, func: ast.expr) -> str:
        """The dotted name that is called, imports resolved; "" where there is none."""
        parts: list[str] = []
        for _ in range(50):
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
        if name in _BUILTINS and isinstance(call.func, ast.Name) and self._is_bound(call, call.func.id):
            return None
        if name in _CALLS:
            return _CALLS[name]
        if any(name.startswith(start) and name.endswith(ends) for start, ends in _CHAINED):
            return ANSWER
        if name == "sys.stdin.readline" and self._follows_a_question(call):
            return ANSWER
        is_pause = name == "os.system" and [getattr(argument, "value", None) for argument in call.args] == ["pause"]
        return _KEY if is_pause else None

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

    def is_avoidable(self, node: ast.AST, depth: int = 0, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the caller can keep a call from being made, or what follows from it is handled."""
        child = node
        while (parent := self.parents.get(child)) is not None:
            if self._is_guard(parent, child):
                return True
            if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
                if child not in parent.body or depth >= _MOST_DEPTH or parent.name in seen:
                    return False
                if parent.name in self.handlers:
                    return True
                sites = self._calls_of(parent)
                avoided = all(self.is_avoidable(site, depth + 1, seen | {parent.name}) for site in sites)
                return (bool(sites) and avoided) or self._is_guarded(parent)
            child = parent
        return False

    def _is_guarded(self, child: ast.AST) -> bool:
        """Whether something stands where the caller chooses that it does, in its own function."""
        while (parent := self.parents.get(child)) is not None:
            if self._is_guard(parent, child):
                return True
            if isinstance(parent, _SCOPES):
                return False
            child = parent
        return False

    def _calls_of(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Call]:
        """The first calls of a function, those left out that it makes itself."""
        return [site for site in self.sites.get(function.name, ())[:_MOST_SITES] if not self._lies_in(site, function)]

    def _lies_in(self, node: ast.AST, function: ast.AST) -> bool:
        while (parent := self.parents.get(node)) is not None:
            if parent is function:
                return True
            node = parent
        return False

    def _is_guard(self, parent: ast.AST, child: ast.AST) -> bool:
        if isinstance(parent, ast.If | ast.While | ast.IfExp):
            if child is not parent.test and self.is_choice(parent.test):
                return True
        elif isinstance(parent, ast.Match):
            if child is not parent.subject and self.is_choice(parent.subject):
                return True
        elif isinstance(parent, ast.For | ast.AsyncFor):
            if child in parent.body and self.is_choice(parent.iter):
                return True
        elif isinstance(parent, ast.BoolOp):
            return any(self.is_choice(value) for value in parent.values[: parent.values.index(child)])  # type: ignore[arg-type]
        elif isinstance(parent, ast.With | ast.AsyncWith):
            if child in parent.body and any(map(self._suppresses_the_end, parent.items)):
                return True
        elif isinstance(parent, ast.Try | ast.TryStar):
            if child in parent.body and any(map(_catches_the_end, parent.handlers)):
                return True
            if child in parent.handlers and any(map(self._looks_up_a_choice, parent.body)):
                return True
        if not isinstance(child, ast.stmt):
            return False
        block = self._block(parent, child)
        if id(block) not in self._exits:
            self._exits[id(block)] = next((before.lineno for before in block if self._spares(before)), None)
        line = self._exits[id(block)]
        return line is not None and line < child.lineno

    def _suppresses_the_end(self, item: ast.withitem) -> bool:
        call = item.context_expr
        return (
            isinstance(call, ast.Call)
            and self.name_of(call.func) in ("contextlib.suppress", "suppress")
            and any(isinstance(kind, ast.Name) and kind.id == "EOFError" for kind in call.args)
        )

    def _looks_up_a_choice(self, statement: ast.stmt) -> bool:
        """Whether a statement fails where an argument or a variable of the environment is missing."""
        return any(isinstance(node, ast.Subscript | ast.Call) and self.is_choice(node) for node in ast.walk(statement))

    def _spares(self, statement: ast.stmt) -> bool:
        """Whether a statement leaves where the caller chose so, in a function that it calls or by itself."""
        if isinstance(statement, ast.If):
            return _leaves(statement.body[-1]) and self.is_choice(statement.test) and not self._misses(statement.test)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = self.functions.get(self.name_of(statement.value.func).rpartition(".")[2])
            return function is not None and any(
                isinstance(inner, ast.If) and not isinstance(inner.body[-1], _JUMPS) and self._spares(inner)
                for inner in function.body
            )
        return False

    def _misses(self, test: ast.expr) -> bool:
        """Whether a test finds an argument missing: to leave then spares nobody a question."""
        if isinstance(test, ast.BoolOp):
            return all(map(self._misses, test.values))
        if isinstance(test, ast.UnaryOp):
            return not self._is_mode(test.operand)
        if isinstance(test, ast.Compare):
            return isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Is | ast.NotIn) or isinstance(test.left, ast.Call)
        return False

    def _is_mode(self, value: ast.expr) -> bool:
        """Whether a value tells how to run, such as whether there is a terminal, not what to work on."""
        if isinstance(value, ast.BoolOp):
            return any(map(self._is_mode, value.values))
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            return _FLAG.fullmatch(str(value.slice.value).lstrip("-").replace("-", "_")) is not None
        name = self.name_of(value.func if isinstance(value, ast.Call) else value).rpartition(".")[2]
        return name in _TERMINAL_CALLS or _FLAG.fullmatch(name) is not None

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
            return value.id in self.chosen or _FLAG.fullmatch(value.id) is not None or self._is_option(value, depth)
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
            if last in _STORES or last in _TERMINAL_CALLS or _FLAG.fullmatch(last):
                return True
            if last in self.tellers and name in (last, f"self.{last}"):
                return True
            if isinstance(value.func, ast.Attribute):
                owner = value.func.value
                if last == "get" and (self._is_arguments(owner) or self.is_choice(owner, depth)):
                    return True
                if last in ("lower", "strip", "upper", "casefold") and self.is_choice(owner, depth):
                    return True
            return name in _KEEPING and any(
                self.is_choice(argument, depth) or self._is_arguments(argument) for argument in value.args[:1]
            )
        parts: list[ast.AST] = []
        if isinstance(value, ast.BoolOp | ast.UnaryOp | ast.Compare | ast.IfExp | ast.NamedExpr):
            parts = list(ast.iter_child_nodes(value))
        elif isinstance(value, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            parts = [part for loop in value.generators for part in (loop.iter, *loop.ifs)]
        return any(isinstance(part, ast.expr) and self.is_choice(part, depth) for part in parts)

    def _is_arguments(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Attribute):
            return _ARGUMENTS.fullmatch(value.attr) is not None
        return isinstance(value, ast.Name) and (value.id in self.chosen or _ARGUMENTS.fullmatch(value.id) is not None)

    def _is_option(self, name: ast.Name, depth: int) -> bool:
        """Whether a name is a parameter that callers may leave out, that all of them choose, or of a command line."""
        node: ast.AST = name
        while not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (above := self.parents.get(node)) is None:
                return False
            node = above
        plain = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        optional = plain[len(plain) - len(node.args.defaults) :]
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        optional += [argument.arg for argument, default in named if default is not None]
        if name.id in optional:
            return True
        if name.id not in plain and name.id not in {argument.arg for argument in node.args.kwonlyargs}:
            return False
        if any(map(self._is_command, node.decorator_list)):
            return True
        key = node, name.id
        if key not in self._given:
            self._given[key] = False  # functions may call one another
            at = plain.index(name.id) - (plain[0] in ("self", "cls")) if name.id in plain else None
            sites = self._calls_of(node)
            self._given[key] = bool(sites) and all(self._is_passed(site, name.id, at, depth) for site in sites)
        return self._given[key]

    def _is_passed(self, site: ast.Call, name: str, at: int | None, depth: int) -> bool:
        """Whether a call passes a choice for a parameter, by its name or at its place."""
        for word in site.keywords:
            if word.arg == name:
                return self.is_choice(word.value, depth)
        return at is not None and 0 <= at < len(site.args) and self.is_choice(site.args[at], depth)

    def _is_command(self, decorator: ast.expr) -> bool:
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.name_of(func).rpartition(".")[2] in ("command", "option", "argument", "callback")


def _named(target: ast.expr) -> Iterator[str]:
    """The names that an assignment binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _named(part)


def _catches_the_end(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id == "EOFError" for kind in caught)


def _leaves(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        return name in _LEAVES
    return isinstance(statement, (*_JUMPS, ast.Raise))
