"""Scripts that a skill bundles: no questions, declared dependencies, sound metadata, syntax that parses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Span
from agentskills_lint.rule import Ask, advice, rule, should
from agentskills_lint.scripts import Script
from agentskills_lint.specs import AGENTSKILLS
from agentskills_lint.wording import shown

if TYPE_CHECKING:
    from agentskills_lint.dependencies import Import

GUIDE = "https://agentskills.io/skill-creation/using-scripts"
PEP = "https://peps.python.org/pep-0723/"

_MAY_WAIT = lazy(
    r"input[ \t]*\(|getpass|click|typer|[iI]nquirer|questionary|prompt_toolkit|rich|readline[ \t]*\(|getw?ch|readkey"
    r"|readchar|set_trace|breakpoint|simple_term_menu|\bpick\b|IPython|\binteract\b|pause"
)
_PYTHON_2_PRINT = lazy(r"[ \t]*print[ \t]+[^(=.\s]")
_PYTHON_2_EXCEPT = lazy(r"[ \t]*except[ \t]+[\w.]+[ \t]*,[ \t]*(?:e|ex|err|exc|error|msg|why|detail|inst)[ \t]*:", re.A)
_PYTHON_2_OTHER = lazy(
    r"[ \t]*(?:exec[ \t]+[\"'\w]|raise[ \t]+\w+[ \t]*,[ \t]*[\"'\w])|.*[^\w\"'](?:0[0-7]{2,}\b|ur[\"'])|.*<>", re.A
)
_PYTHON_2_SHEBANG = lazy(r"#![^\r\n]*(?:python2|jython|pypy(?![3\w]))")
_OTHER_SHEBANG = lazy(r"#![^\r\n]*(?:node|bash|/sh\b|ruby|perl|sage|xonsh|coconut)")
_NEWER = lazy(
    r"[ \t]*type[ \t]+\w+[^=]*=|[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*\[|[ \t]*lazy[ \t]+(?:import|from)\b"
    r"|.*(?<![\w\"'])(?:[tT][rR]?|[rR][tT])[\"']|[ \t]*except\*?[ \t]+[\w.]+[ \t]*,",
    re.A,
)
_NESTED = lazy(
    r".*(?<![\w\"'])(?:[fF][rR]?|[rR][fF])(?:\"[^\"{]*\{[^}]*(?:[\"\\#]|$)|'[^'{]*\{[^}]*(?:['\\#]|$))", re.A
)
_TEMPLATE = lazy(
    r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|<<[A-Z_]+>>|__[A-Z_]+__[ \t]*$|\$\{[A-Z_]+\}|(?<![\w\])])\[[A-Z][A-Z _-]+\]"
)
_CONFLICT = lazy(r"(?:<{7}|>{7}) |={7}$")
_MAGIC = lazy(r"[ \t]*[%!][\w(./]")


@rule(
    "script-interactive",
    "SKL921",
    on=Script,
    needs="script-syntax",
    asked_by={"advice": advice("warning", f"{GUIDE}#avoid-interactive-prompts")},
)
def script_interactive(script: Script, ask: Ask) -> Iterator[Problem]:
    """A bundled script waits for somebody who types.

    Agents run scripts without a terminal: a question, a password prompt or a menu is never
    answered, and the script hangs or ends with an error. Take the value from an option, an
    environment variable or piped input. Nothing is said where the question can be avoided: behind
    a test of an option, an argument, the environment or the terminal, in a script with an
    option such as `--yes`, or where the end of input is caught. Nor of shell scripts that read
    what is piped or redirected, nor of tests.

    ```tree bad
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    number = input("Which invoice? ")
    print(f"paid {number}")
    ```
    ```tree good
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    import sys

    number = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()
    print(f"paid {number}")
    ```
    """
    if not script.is_test:
        if script.language == "shell":
            from agentskills_lint.shell_prompts import shell_prompts

            for prompt in shell_prompts(script.source):
                yield _waits(prompt.where, f"'{prompt.name}'", prompt.purpose)
        elif script.module is not None and _MAY_WAIT.search(script.source):
            from agentskills_lint.prompts import prompts

            for call in prompts(script.source, script.module):
                yield _waits(script.span(call.where), f"{call.name}()", call.purpose)


def _waits(where: object, name: str, purpose: str) -> Problem:
    if purpose == "a debugger":
        return Problem(where, f"{name} stops the script for a debugger", hint="take it out")
    hint = "take it from an option, an environment variable or piped input"
    return Problem(where, f"{name} waits for {purpose}, which no agent can type", hint=hint)


@rule(
    "script-dependency",
    "SKL922",
    on=Script,
    needs=("script-syntax", "script-metadata"),
    asked_by={"agentskills": should(f"{AGENTSKILLS}#optional-directories")},
)
def script_dependency(script: Script, ask: Ask) -> Iterator[Problem]:
    """A bundled script imports what nothing declares.

    Who installs the skill has no way to know that a package is missing until the script fails.
    Inline metadata (PEP 723) lets `uv run` and `pipx run` install it by themselves. Nothing is
    said where a requirements file, another manifest, the field `compatibility`, the SKILL.md or the
    script itself tells of the package, of imports whose failure is caught, of modules that lie in
    the skill or where the script puts them on its path, and of tests.

    ```tree bad
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    import yaml

    print(yaml.safe_load("paid: true"))
    ```
    ```tree good
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    # /// script
    # dependencies = ["PyYAML>=6"]
    # ///
    import yaml

    print(yaml.safe_load("paid: true"))
    ```
    """
    if script.is_test or script.language != "python":
        return
    from agentskills_lint.dependencies import distribution, undeclared

    for one in undeclared(script):
        name = distribution(one.name)
        brought = "" if name.lower() == one.name.lower() else f" (from {name})"
        yield Problem(
            _import_place(script, one),
            f"nothing declares {shown(one.name)}{brought}, which the script imports",
            hint=f'declare it in the script: # /// script, # dependencies = ["{name}"], # ///',
        )


def _import_place(script: Script, one: Import) -> Span:
    where = script.span(one.where)
    at = script.source.find(one.name, where.start, where.end)
    return Span(at, at + len(one.name)) if at >= 0 else where


@rule(
    "script-metadata",
    "SKL923",
    on=Script,
    asked_by={"advice": advice("warning", PEP)},
)
def script_metadata(script: Script, ask: Ask) -> Iterator[Problem]:
    """The inline metadata of a script cannot be read.

    Tools find a block by its exact lines, `# /// script` and `# ///`, with a number sign and a
    blank before all that stands between. What they miss they ignore without a word, and the
    script runs without its dependencies; what they find has to be TOML with a list of
    `dependencies` and a `requires-python`, in a single block.

    ```tree bad
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    # /// script
    # dependencies = "PyYAML>=6"
    # ///
    print("paid")
    ```
    ```tree good
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    # /// script
    # requires-python = ">=3.11"
    # dependencies = ["PyYAML>=6"]
    # ///
    print("paid")
    ```
    """
    if script.language != "python":
        return
    from agentskills_lint.inline_metadata import read

    for flaw in read(script.text).flaws:
        yield Problem(flaw.where, flaw.message, hint=flaw.hint)


@rule("script-syntax", "SKL924", on=Script, raw=True, asked_by={"advice": advice("warning")})
def script_syntax(script: Script, ask: Ask) -> Iterator[Problem]:
    """A bundled Python script does not parse.

    It fails before its first line runs. It is parsed with the Python that runs the linter, which
    the message names; nothing is said where the syntax of a newer version may be the reason, of
    templates that are filled in before they run, and of scripts whose first line asks for Python 2.

    ```tree bad
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    print "paid"
    ```
    ```tree good
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    print("paid")
    ```
    """
    if script.language != "python" or not script.raw:
        return
    bad = script.text.bad_byte
    if bad is not None:
        if script.encoding == "":
            at = len(script.raw[:bad].decode("utf-8", "replace").removeprefix("\ufeff"))
            message = "the script is not UTF-8 and declares no other encoding: Python refuses it"
            yield Problem(Span(at, min(at + 1, len(script.source))), message)
        return
    fault = script.fault
    if fault is None:
        return
    reason = _why(script, fault.where, fault.message)
    if reason is not None:
        yield Problem(fault.where, reason)


def _why(script: Script, where: Span, message: str) -> str | None:
    """What is told of a syntax error, None where another Python or a template may be the reason."""
    import sys

    source = script.source
    start, end = script.text.line_bounds(where.start)
    line = source[start:end].rstrip("\r\n")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if _CONFLICT.match(line):
        return "the script does not parse: a merge conflict is left in it"
    if _PYTHON_2_PRINT.match(line) or _PYTHON_2_EXCEPT.match(line) or _PYTHON_2_OTHER.match(line[:400]):
        if _PYTHON_2_SHEBANG.match(source):
            return None
        if _PYTHON_2_PRINT.match(line):
            return "'print' without parentheses is Python 2, which no agent has any more"
        return "this is Python 2, which no agent has any more"
    if (
        _OTHER_SHEBANG.match(source)
        or _TEMPLATE.search(line[:400])
        or _MAGIC.match(line)
        or _NEWER.match(line[:400])
        or (sys.version_info < (3, 12) and _NESTED.match(line[:400]))
        or message.startswith(("f-string", "t-string"))
        or _needs_newer(script)
    ):
        return None
    return f"the script does not parse with Python {version}: {message[:1].lower() + message[1:]}"


def _needs_newer(script: Script) -> bool:
    """Whether the script asks for a Python that is newer than this one."""
    import sys

    from agentskills_lint.inline_metadata import read

    wanted = read(script.text).data.get("requires-python")
    found = re.search(r">=?\s*3\.([0-9]+)", wanted) if isinstance(wanted, str) else None
    return found is not None and int(found[1]) > sys.version_info[1]


@rule(
    "script-dependency-unpinned",
    "SKL925",
    on=Script,
    needs="script-metadata",
    asked_by={"advice": advice("note", f"{GUIDE}#self-contained-scripts")},
)
def script_dependency_unpinned(script: Script, ask: Ask) -> Iterator[Problem]:
    """An inline dependency has no version.

    The script then runs with whatever version is the newest on that day, and breaks with one
    that changes what it calls. A lockfile beside it (`uv lock --script`) or `exclude-newer` in
    `[tool.uv]` do as well.

    ```tree bad
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    # /// script
    # dependencies = ["PyYAML"]
    # ///
    print("paid")
    ```
    ```tree good
    === pay-invoice/SKILL.md
    [clean skill]
    === pay-invoice/scripts/pay.py
    # /// script
    # dependencies = ["PyYAML>=6,<7"]
    # ///
    print("paid")
    ```
    """
    if script.language != "python" or _is_locked(script):
        return
    from agentskills_lint.inline_metadata import read

    metadata = read(script.text)
    tool = metadata.data.get("tool")
    if isinstance(tool, dict) and isinstance(tool.get("uv"), dict) and "exclude-newer" in tool["uv"]:
        return
    for requirement in metadata.requirements:
        if requirement.name and not requirement.is_pinned:
            hint = f'write a range such as "{requirement.name}>=1.2,<2"'
            yield Problem(requirement.where, f"{shown(requirement.text)} has no version", hint=hint)


def _is_locked(script: Script) -> bool:
    return script.folder is not None and script.folder.find(f"{script.name}.lock") == "file"
