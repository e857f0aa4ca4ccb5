"""Scripts that a skill bundles: prompts, dependencies, inline metadata, syntax, and which files they are."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from agentskills_lint import discovery
from agentskills_lint.config import Config, PathPatterns
from agentskills_lint.discovery import memory_project
from agentskills_lint.documents import MAX_BYTES
from agentskills_lint.engine import lint
from agentskills_lint.model import Finding
from agentskills_lint.scripts import MAX_SCRIPTS
from tests.support import brief, report_on

FRONT = "---\nname: pay\ndescription: Pays an open invoice by card. Use when the user wants to pay.\n---\n"
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
ONLY = ("SKL92", "SKL99")


def linted(
    script: str | bytes, name: str = "scripts/run.py", body: str = "# Pay\n", front: str = FRONT, **more: str | bytes
) -> list[Finding]:
    """The findings on one script of a skill; `more` are files beside it, `/` written as `__`, `.` as `_dot_`."""
    files: dict[str, str | bytes] = {"pay/SKILL.md": front + body, f"pay/{name}": script}
    files |= {f"pay/{path.replace('__', '/').replace('_dot_', '.')}": text for path, text in more.items()}
    return list(report_on(files, select=ONLY).findings)


def python(code: str, **more: Any) -> list[Finding]:
    return linted(textwrap.dedent(code).lstrip("\n"), **more)


def shell(code: str) -> list[Finding]:
    return linted(textwrap.dedent(code).lstrip("\n"), "scripts/run.sh")


def told(findings: list[Finding]) -> list[tuple[str, int, str]]:
    return [(f.rule, f.line, f.message) for f in findings]


# SKL921, Python


def test_input_is_told_with_its_place() -> None:
    (finding,) = python("""
        def ask():
            return input("Which? ")

        print(ask())
    """)
    assert brief([finding]) == [("script-interactive", "warning", 2, 12)]
    assert finding.location.end_column == 17
    assert finding.message == "input() waits for an answer, which no agent can type"
    assert finding.hint == "take it from an option, an environment variable or piped input"
    assert [str(demand) for demand in finding.demands] == ["advice"]


def test_the_column_counts_characters() -> None:
    (finding,) = python('name = "é😀"; x = input("?")\n')
    assert (finding.line, finding.column, finding.location.end_column) == (1, 18, 23)


PROMPTS = [
    ("input()", "input()", "an answer"),
    ("import getpass\ngetpass.getpass()", "getpass.getpass()", "a password"),
    ("from getpass import getpass as secret\nsecret('? ')", "secret()", "a password"),
    ("import builtins\nbuiltins.input('?')", "builtins.input()", "an answer"),
    ("import click\nclick.prompt('Name')", "click.prompt()", "an answer"),
    ("from click import confirm\nconfirm('Sure?', abort=True)", "confirm()", "an answer"),
    ("import click\nclick.pause()", "click.pause()", "a key"),
    ("import typer\ntyper.confirm('Sure?')", "typer.confirm()", "an answer"),
    ("import questionary\nquestionary.text('Name?').ask()", "questionary.text('Name?').ask()", "an answer"),
    ("import questionary as q\nq.select('x', choices=['a']).unsafe_ask()", None, "an answer"),
    ("import inquirer\ninquirer.prompt([])", "inquirer.prompt()", "an answer"),
    ("from InquirerPy import inquirer\ninquirer.text(message='?').execute()", None, "an answer"),
    ("from rich.prompt import Prompt\nPrompt.ask('Name')", "Prompt.ask()", "an answer"),
    ("from rich import prompt\nprompt.Confirm.ask('Sure?')", "prompt.Confirm.ask()", "an answer"),
    ("from rich.console import Console\nc = Console()\nc.input('Name ')", "c.input()", "an answer"),
    ("from prompt_toolkit import PromptSession\ns = PromptSession()\ns.prompt('> ')", "s.prompt()", "an answer"),
    ("from prompt_toolkit import prompt\nprompt('> ')", "prompt()", "an answer"),
    ("import sys\nprint('Name: ', end='')\nsys.stdin.readline()", "sys.stdin.readline()", "an answer"),
    ("import sys\nsys.stdout.write('? ')\nsys.stdout.flush()\nx = sys.stdin.readline()", None, "an answer"),
    ("import msvcrt\nmsvcrt.getch()", "msvcrt.getch()", "a key"),
    ("import os\nos.system('pause')", "os.system()", "a key"),
    ("while True:\n    input('> ')", "input()", "an answer"),
    ("def confirm(question):\n    return input(question)\n\nconfirm('Sure?')", "input()", "an answer"),
    ("import os\nif os.path.exists('x'):\n    input('Overwrite? ')", "input()", "an answer"),
    ("items = [1, 2]\nif len(items) > 1:\n    input('Which? ')", "input()", "an answer"),
    ("try:\n    input('?')\nexcept KeyboardInterrupt:\n    pass", "input()", "an answer"),
    ("x = {'a': [input('?') for _ in range(3)]}", "input()", "an answer"),
]


@pytest.mark.parametrize(("code", "name", "purpose"), PROMPTS)
def test_what_waits(code: str, name: str | None, purpose: str) -> None:
    modules = "pip install click typer questionary inquirer InquirerPy rich prompt_toolkit\n"
    (finding,) = linted(code + "\n", body=f"# Pay\n\n{modules}")
    assert finding.rule == "script-interactive"
    assert finding.message.endswith(f" waits for {purpose}, which no agent can type")
    assert name is None or finding.message.startswith(name)


def test_debuggers_are_told_in_their_own_words() -> None:
    found = python("""
        import pdb
        breakpoint()
        pdb.set_trace()
    """)
    assert told(found) == [
        ("script-interactive", 2, "breakpoint() stops the script for a debugger"),
        ("script-interactive", 3, "pdb.set_trace() stops the script for a debugger"),
    ]
    assert found[0].hint == "take it out"


PASSING = [
    "import sys\ndata = sys.stdin.read()",
    "import sys\nfor line in sys.stdin:\n    print(line)",
    "import sys\nline = sys.stdin.readline()",
    "import sys\nwhile line := sys.stdin.readline():\n    print(line)",
    "import sys\nprint('ready')\nline = sys.stdin.readline()",
    "import sys\nx = input('?') if sys.stdin.isatty() else 'default'",
    "import sys\nif sys.stdin.isatty():\n    x = input('?')",
    "import sys\nif not sys.stdin.isatty():\n    sys.exit('no terminal')\nx = input('?')",
    "import sys\ninteractive = sys.stdin.isatty()\nif interactive:\n    x = input('?')",
    "import sys\ndef ask():\n    if not sys.stdout.isatty():\n        return None\n    return input('?')\nask()",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('-f')\nargs = p.parse_args()\n"
    "if not args.f:\n    input('?')",
    "import argparse\np = argparse.ArgumentParser()\no = p.parse_args()\nname = o.name or input('?')",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--yes', action='store_true')\ninput('Sure?')",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('-y', '--assume', action='store_true')\ninput('?')",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--no-input', action='store_true')\ninput('?')",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--non-interactive')\ninput('?')",
    "import sys\nname = sys.argv[1] if len(sys.argv) > 1 else input('?')",
    "import sys\nif len(sys.argv) < 2:\n    name = input('?')",
    "import os\ntoken = os.environ.get('TOKEN') or input('Token: ')",
    "import os, getpass\ntoken = os.getenv('TOKEN')\nif not token:\n    token = getpass.getpass()",
    "import os\nif 'TOKEN' not in os.environ:\n    input('Token: ')",
    "def run(yes):\n    if not yes:\n        input('Sure?')\nrun(True)",
    "def run(force=False):\n    if not force and input('Sure?') != 'y':\n        return\nrun()",
    "def run(password=None):\n    if password is None:\n        password = input('?')\nrun()",
    "def ask():\n    return input('?')\n\ndef main(args):\n    if args.interactive:\n        ask()\nmain(None)",
    "def a():\n    return input('?')\n\ndef b():\n    return a()\n\n"
    "def main(options):\n    if not options.quiet:\n        b()",
    "class Tool:\n    def run(self):\n        if self.interactive:\n            input('?')\nTool()",
    "try:\n    x = input('?')\nexcept EOFError:\n    x = 'default'",
    "while True:\n    try:\n        line = input()\n    except (EOFError, KeyboardInterrupt):\n        break",
    "def input(x):\n    return x\n\ninput('?')",
    "input = iter([1]).__next__\ninput()",
    "from helpers import input\ninput('?')",
    "def run(input):\n    return input('?')",
    "class A:\n    def input(self):\n        return 1\nA().input()",
    "print('call input() yourself')",
    '"""Never use input()."""',
    "# input('?')",
    "def prompt(x):\n    return x\nprompt('a')",
    "class LLM:\n    def prompt(self, x):\n        return x\nLLM().prompt('hello')",
    "import subprocess\nsubprocess.run(['x'], input='y')",
    "parser = None\nparser.ask('x')",
    "import click\n@click.command()\n@click.option('--name', prompt=True)\ndef run(name):\n    print(name)",
    "import click\n@click.command()\n@click.argument('name', required=False)\ndef run(name):\n"
    "    if not name:\n        name = click.prompt('Name')\nrun()",
    "import os\nif os.environ.get('DEBUG'):\n    breakpoint()",
    "import fileinput\nfor line in fileinput.input():\n    print(line)",
    "import getpass\nprint(getpass.getuser())",
]


@pytest.mark.parametrize("code", PASSING)
def test_what_waits_for_nobody(code: str) -> None:
    body = "# Pay\n\npip install click\n"
    assert told(linted(code + "\n", body=body, scripts__helpers_dot_py="x = 1\n")) == []


def test_tests_of_scripts_wait_for_nobody() -> None:
    assert linted("import pytest\ninput('?')\n", "scripts/test_run.py") == []
    assert linted("import pytest\ninput('?')\n", "scripts/run_test.py") == []
    assert linted("import pytest\ninput('?')\n", "scripts/tests/run.py") == []
    assert [f.code for f in linted("import pytest\ninput('?')\n", "scripts/testing/run.py")] == ["SKL922", "SKL921"]


def test_a_chain_of_functions_is_followed_to_a_depth() -> None:
    chain = "".join(f"def f{number}(a):\n    f{number + 1}(a)\n" for number in range(2_000))
    assert [f.code for f in linted(f"{chain}def f2000(a):\n    a or input()\nf0(1)\n")] == ["SKL921"]
    assert linted("def f(a):\n    g(a)\ndef g(a):\n    f(a)\n    if a:\n        input()\n") != []


# SKL921, shell

SHELL_PROMPTS = [
    'read -p "Name? " name',
    'read -rp "Name? " name',
    "read -r -p 'Sure? ' -n 1 answer",
    "read -s password",
    "read -n1 key",
    "IFS= read -rsp 'Password: ' password",
    'echo -n "Name: "\nread name',
    'printf "Sure? "\nread answer',
    'echo "Continue? [y/N]"\nread -r answer',
    'echo "Press enter to go on"\nread',
    'printf "Name: "; read name',
    'if [ -f out ]; then\n  read -p "Overwrite? " answer\nfi',
    'while true; do\n  read -p "> " line\ndone',
    'confirm() {\n  read -p "Sure? " answer\n}\nconfirm',
    "read answer < /dev/tty",
    "while read -p '> ' x; do :; done < /dev/tty",
    'name=$(read -p "x" y; echo "$y")',
    "select x in a b; do break; done",
    'echo hi && read -p "x" y',
    'case $answer in\n  a) read -p "x" y ;;\nesac',
    'cat <<EOF\nread -p in a document\nEOF\nread -p "x" y',
]


@pytest.mark.parametrize("code", SHELL_PROMPTS)
def test_what_waits_in_a_shell(code: str) -> None:
    (finding,) = linted(f"#!/bin/bash\n{code}\n", "scripts/run.sh")
    assert finding.rule == "script-interactive"
    assert finding.level == "warning"
    assert finding.message.startswith(("'read' waits for ", "'select' waits for an answer"))
    lines = code.split("\n")
    word = finding.message.split("'")[1]
    assert lines[finding.line - 2][finding.column - 1 :].startswith(word)


def test_a_password_is_told_as_one() -> None:
    (finding,) = shell("read -s password\n")
    assert finding.message == "'read' waits for a password, which no agent can type"
    assert (finding.column, finding.location.end_column) == (1, 5)


SHELL_PASSING = [
    "while read -r line; do echo $line; done < file",
    "while IFS= read -r line; do\n  echo $line\ndone < <(ls)",
    'while read -p "x" line; do :; done <<< "$text"',
    "ls | while read -r f; do echo $f; done",
    'ls |\nwhile read -p "x" f; do echo $f; done',
    "echo x | read y",
    'read -p "x" y <<< "$z"',
    "read -r y < file",
    "read -r first rest",
    "read -t 5 -p 'Sure? ' answer",
    "read -u 3 -p x line",
    'cat <<EOF\nread -p "x" y\nEOF',
    "cat <<-'EOF'\n\tread -p x y\n\tEOF",
    'echo "read -p x y"',
    "# read -p x y",
    "echo read -p x y",
    "./read -p x y",
    "read_config -p x",
    "readonly -p",
    'if [ -t 0 ]; then\n  read -p "Sure? " x\nfi',
    'if [ -z "$NAME" ]; then\n  read -p "Name? " NAME\nfi',
    '[ -z "${1:-}" ] && read -p "Name? " name',
    'if [ "$FORCE" != 1 ]; then read -p "Sure? " x; fi',
    'case "$1" in\n  -y|--yes) yes=1 ;;\nesac\nread -p "Sure? " x',
    '{\n  read -p "x" a\n  read -p "y" b\n} < file',
    "for f in *; do echo; done",
    "tty -s || exit 1\nread -p x y",
    "select_one x",
    "git select x",
    "read -cn cword",
    'echo "done"\nread -r line',
]


@pytest.mark.parametrize("code", SHELL_PASSING)
def test_what_waits_for_nobody_in_a_shell(code: str) -> None:
    assert told(linted(f"#!/bin/bash\n{code}\n", "scripts/run.sh")) == []


# SKL922


def test_an_import_that_nothing_declares() -> None:
    (finding,) = python("""
        import os
        from yaml import safe_load
        import yaml
    """)
    assert brief([finding]) == [("script-dependency", "warning", 2, 6)]
    assert finding.location.end_column == 10
    assert finding.message == "nothing declares 'yaml' (from PyYAML), which the script imports"
    assert finding.hint == 'declare it in the script: # /// script, # dependencies = ["PyYAML"], # ///'
    assert [str(demand) for demand in finding.demands] == ["agentskills SHOULD"]


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import requests", ["requests"]),
        ("import os, requests as r, sys", ["requests"]),
        ("import numpy.linalg", ["numpy"]),
        ("from bs4 import BeautifulSoup", ["bs4"]),
        ("import cv2\nimport PIL.Image", ["cv2", "PIL"]),
        ("def run():\n    import httpx", ["httpx"]),
        ("if True:\n    import httpx", ["httpx"]),
        ("class A:\n    import httpx", ["httpx"]),
        ("with open('x'):\n    import httpx", ["httpx"]),
        ("match 1:\n    case 1:\n        import httpx", ["httpx"]),
        ("try:\n    import httpx\nfinally:\n    pass", ["httpx"]),
        ("try:\n    import httpx\nexcept ValueError:\n    pass", ["httpx"]),
        ("try:\n    pass\nexcept ImportError:\n    pass\nelse:\n    import httpx", ["httpx"]),
        ("from google.cloud import storage", ["google"]),
        ("import sys\nif sys.platform == 'win32':\n    import win32api", ["win32api"]),
    ],
)
def test_what_has_to_be_declared(code: str, modules: list[str]) -> None:
    found = linted(code + "\n")
    assert [(f.rule, f.message.split("'")[1]) for f in found] == [("script-dependency", name) for name in modules]


@pytest.mark.parametrize(
    "code",
    [
        "import json, tomllib, sqlite3, tkinter",
        "import distutils, imp, cgi, asyncore, telnetlib",
        "import compression.zstd, annotationlib",
        "import urllib2",
        "from . import helper\nfrom .helper import x\nfrom .. import y",
        "import helper\nfrom helper import x",
        "import package.module",
        "import shared",
        "import deep",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy",
        "import typing\nif typing.TYPE_CHECKING:\n    from numpy import array",
        "try:\n    import yaml\nexcept ImportError:\n    yaml = None",
        "try:\n    import yaml\nexcept (ModuleNotFoundError, ValueError):\n    yaml = None",
        "try:\n    import yaml\nexcept Exception:\n    yaml = None",
        "try:\n    import yaml\nexcept:\n    yaml = None",
        "try:\n    import ruamel.yaml as yaml\nexcept ImportError:\n    import yaml2 as yaml\n"
        "try:\n    import yaml2\nexcept ImportError:\n    raise",
        "try:\n    import orjson as json\nexcept ImportError:\n    import json",
        "import contextlib\nwith contextlib.suppress(ImportError):\n    import yaml",
        "import sys\nif sys.version_info >= (3, 11):\n    import tomllib\nelse:\n    import tomli as tomllib",
        "from importlib.util import find_spec\nif find_spec('yaml'):\n    import yaml",
        "import bpy, bmesh",
        "import google.colab",
        "import __main__, _private",
        '"""Run me: pip install pyyaml"""\nimport yaml',
        '"""Tool.\n\nRequirements:\n    - PyYAML\n    - pillow\n"""\nimport yaml\nfrom PIL import Image',
        "# requires: beautifulsoup4\nfrom bs4 import BeautifulSoup",
        "# uv run --with pyyaml run.py\nimport yaml",
        "print('pip install PyYAML')\nimport yaml",
    ],
)
def test_what_needs_no_declaration(code: str) -> None:
    beside = {
        "scripts__helper_dot_py": "x = 1\n",
        "scripts__package__module_dot_py": "x = 1\n",
        "lib__shared_dot_py": "x = 1\n",
        "core__sub__deep_dot_py": "x = 1\n",
    }
    assert told(linted(code + "\n", **beside)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "PyYAML==6.0.1\nrequests[socks] >= 2 ; python_version > '3'\n"),
        ("scripts/requirements.txt", "pyyaml\nrequests\n"),
        ("requirements-dev.txt", "pyyaml\nrequests\n"),
        ("requirements/base.txt", "pyyaml\nrequests\n"),
        ("pyproject.toml", '[project]\ndependencies = ["PyYAML>=6", "requests~=2.0"]\n'),
        ("setup.cfg", "[options]\ninstall_requires =\n    pyyaml\n    requests\n"),
        ("setup.py", "setup(install_requires=['pyyaml', 'requests'])\n"),
        ("environment.yml", "dependencies:\n  - pyyaml=6.0\n  - requests\n"),
        ("Pipfile", '[packages]\npyyaml = "*"\nrequests = "*"\n'),
        ("scripts/setup.sh", "pip install pyyaml requests\n"),
        ("README.md", "# Pay\n\n## Requirements\n\n- PyYAML\n- requests\n"),
        ("Dockerfile", "RUN pip install pyyaml requests\n"),
    ],
)
def test_manifests_declare(path: str, text: str) -> None:
    files = {
        "pay/SKILL.md": f"{FRONT}# Pay\n",
        "pay/scripts/run.py": "import yaml\nimport requests\n",
        f"pay/{path}": text,
    }
    assert told(list(report_on(files, select=ONLY).findings)) == []
    del files[f"pay/{path}"]
    assert len(report_on(files, select=ONLY).findings) == 2


def test_a_manifest_at_the_root_of_the_repository_declares() -> None:
    files = {
        ".git/HEAD": "ref: x\n",
        "pyproject.toml": '[project]\ndependencies = ["pyyaml"]\n',
        ".claude/skills/pay/SKILL.md": f"{FRONT}# Pay\n",
        ".claude/skills/pay/scripts/run.py": "import yaml\n",
    }
    assert told(list(report_on(files, select=ONLY).findings)) == []


@pytest.mark.parametrize("path", ["shared", "skills/shared", "src", "lib/python"])
def test_modules_beside_the_skill_need_no_declaration(path: str) -> None:
    script = "import sys\nsys.path.insert(0, '../../shared')\nimport common\n"
    files = {
        ".git/HEAD": "ref: x\n",
        "skills/pay/SKILL.md": f"{FRONT}# Pay\n",
        "skills/pay/scripts/run.py": script,
        f"{path}/common.py": "",
    }
    is_seen = path != "lib/python"  # two folders down
    assert [f.code for f in report_on(files, select=ONLY).findings] == ([] if is_seen else ["SKL922"])
    files["skills/pay/scripts/run.py"] = script.replace("sys.path.insert", "print")
    assert [f.code for f in report_on(files, select=ONLY).findings] == ([] if path == "src" else ["SKL922"])


@pytest.mark.parametrize(
    "body",
    [
        "```bash\npip install pyyaml requests\n```\n",
        "```bash\nuv run --with pyyaml --with requests scripts/run.py\n```\n",
        "## Dependencies\n\n- **PyYAML**: reads\n- requests: fetches\n",
        "## Requirements\n\nPython 3.11, pyyaml and requests\n",
        "Needs `PyYAML>=6` and `requests`.\n",
        "```python\nimport yaml\nimport requests\n```\n",
    ],
)
def test_the_skill_declares(body: str) -> None:
    assert told(linted("import yaml\nimport requests\n", body=body)) == []


@pytest.mark.parametrize(
    "field",
    [
        "compatibility: Needs Python 3.11 with PyYAML and requests",
        "dependencies: pyyaml>=6, requests",
        "metadata:\n  requires: pyyaml requests",
    ],
)
def test_the_frontmatter_declares(field: str) -> None:
    front = FRONT.replace("---\n", f"---\n{field}\n", 1)
    assert told(linted("import yaml\nimport requests\n", front=front)) == []


@pytest.mark.parametrize(
    "body", ["It sends requests that need a key.\n", "Reads a yaml file.\n", "Rich text, one click, requests.\n"]
)
def test_a_word_declares_nothing(body: str) -> None:
    found = linted("import yaml\nimport requests\n", body=body)
    assert [f.message.split("'")[1] for f in found] == ["yaml", "requests"]


@pytest.mark.parametrize(
    ("dependency", "code"),
    [
        ("PyYAML>=6", "import yaml"),
        ("pillow", "from PIL import Image"),
        ("opencv_python.headless>=4", "import cv2"),
        ("beautifulsoup4", "import bs4"),
        ("scikit-learn", "import sklearn"),
        ("python-dotenv", "import dotenv"),
        ("python-slugify", "import slugify"),
        ("pyserial", "import serial"),
        ("google-cloud-storage", "from google.cloud import storage"),
        ("pandas", "import pandas\nimport numpy"),
        ("boto3", "import boto3\nimport botocore"),
        ("some-distribution", "import unheard_of"),
    ],
)
def test_inline_metadata_declares(dependency: str, code: str) -> None:
    block = f'# /// script\n# dependencies = ["{dependency}"]\n# ///\n'
    found = [f for f in linted(f"{block}{code}\n") if f.rule != "script-dependency-unpinned"]
    assert told(found) == []


def test_a_requirement_that_is_used_declares_nothing_else() -> None:
    block = '# /// script\n# dependencies = ["requests>=2"]\n# ///\n'
    found = linted(f"{block}import requests\nimport yaml\nimport unheard_of\n")
    assert [f.message.split("'")[1] for f in found] == ["yaml", "unheard_of"]


def test_shell_scripts_import_nothing() -> None:
    assert shell("import yaml\n") == []


# SKL923


def metadata(*lines: str) -> list[Finding]:
    found = linted("\n".join([*lines, "print(1)", ""]))
    return [f for f in found if f.rule == "script-metadata"]


FLAWS = [
    (["# /// script", "# dependencies = []"], 1, 1, "the block of script metadata is not closed"),
    (["# /// script", "# dependencies = []", "# //"], 3, 1, "this does not close the script metadata"),
    (["# /// script", "# dependencies = []", "# /// "], 3, 1, "this does not close the script metadata"),
    (["# /// script", "# dependencies = []", "#///"], 3, 1, "this does not close the script metadata"),
    (
        ["# /// script", "#dependencies = []", "# ///"], 2, 1,
        "this line breaks the script metadata off: it does not begin with a number sign and a blank",
    ),
    (["# /// script", "", "# dependencies = []", "# ///"], 2, 1, "a blank line breaks the script metadata off"),
    (["#/// script", "# dependencies = []", "# ///"], 1, 1, "no tool reads this block"),
    (["# ///script", "# dependencies = []", "# ///"], 1, 1, "no tool reads this block"),
    (["# /// Script", "# dependencies = []", "# ///"], 1, 1, "no tool reads this block"),
    (["# /// script ", "# dependencies = []", "# ///"], 1, 1, "no tool reads this block"),
    (["  # /// script", "  # requires-python = '>=3'", "  # ///"], 1, 3, "no tool reads this block"),
    (
        ["# /// script", "# dependencies = []", "# ///", "", "# /// script", "# dependencies = []", "# ///"], 5, 1,
        "a second block of script metadata; the first one is on line 1",
    ),
    (["# /// script", "# dependencies = [", "# ///"], 3, 1, "the script metadata is no TOML: invalid value"),
    (["# /// script", "# dependencies = 'x'", "# ///"], 2, 3, "dependencies has to be a list of texts"),
    (["# /// script", "# dependencies = [1]", "# ///"], 2, 3, "a dependency has to be a text"),
    (["# /// script", "# requires-python = 3.11", "# ///"], 2, 3, "requires-python has to be a text"),
    (["# /// script", "# requires-python = '3.11'", "# ///"], 2, 3, "requires-python '3.11' is no version specifier"),
    (["# /// script", "# tool = 1", "# ///"], 2, 3, "tool has to be a table"),
    (
        ["# /// script", "# dependencies = [", "#   'a>=1',", "#   'b=2',", "# ]", "# ///"], 4, 6,
        "'b=2' is no dependency specifier",
    ),
    (["# /// script", "# dependencies = ['a 2.0']", "# ///"], 2, 20, "'a 2.0' is no dependency specifier"),
    (
        ["# /// script", "# requires_python = '>=3'", "# ///"], 2, 3,
        "'requires_python' means nothing to any tool; did you mean 'requires-python'?",
    ),
    (
        ["# /// script", "# dependancies = []", "# ///"], 2, 3,
        "'dependancies' means nothing to any tool; did you mean 'dependencies'?",
    ),
    (
        ["# /// script", "# requires-python = '>=3.x'", "# ///"], 2, 3,
        "requires-python '>=3.x' is no version specifier",
    ),
    (["# /// script", "# dependencies = ['a==*']", "# ///"], 2, 20, "'a==*' is no dependency specifier"),
    (["# /// script", "# dependencies = ['a^1.2']", "# ///"], 2, 20, "'a^1.2' is no dependency specifier"),
    (["# /// script", "# dependencies = ['a>=latest']", "# ///"], 2, 20, "'a>=latest' is no dependency specifier"),
    (["# /// script", "# dependencies = ['./a']", "# ///"], 2, 20, "'./a' is no dependency specifier"),
    (
        ["# /// script", "# [project]", "# dependencies = []", "# ///"], 2, 3,
        "no tool looks into [project]: dependencies and requires-python stand on top",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "line", "column", "message"), FLAWS)
def test_metadata_that_is_malformed(lines: list[str], line: int, column: int, message: str) -> None:
    (finding,) = metadata(*lines)
    assert brief([finding]) == [("script-metadata", "warning", line, column)]
    assert finding.message == message


def test_what_would_be_right_is_told() -> None:
    (finding,) = metadata("# /// script", "# dependencies = ['b = 2.1']", "# ///")
    assert finding.hint == 'write "b==2.1"'
    (finding,) = metadata("# /// script", "# requires-python = '3.11'", "# ///")
    assert finding.hint == 'write ">=3.11"'
    (finding,) = metadata("# /// script", "#dependencies = []", "# ///")
    assert finding.hint == "write '# dependencies = []'"


def test_a_fault_in_the_toml_is_told_at_its_place() -> None:
    (finding,) = metadata("# /// script", "# dependencies = []", "# dependencies = []", "# ///")
    assert finding.line == 3
    assert finding.message.startswith("the script metadata is no TOML: ")


@pytest.mark.parametrize(
    "lines",
    [
        ["# /// script", "# ///"],
        ["# /// script", "# requires-python = '>=3.11,<4'", "# dependencies = []", "#", "# [tool.x]", "# ///"],
        ["# /// script", "# dependencies = ['a[b,c]>=1,!=2', 'd @ https://x.example/d.zip']", "# ///"],
        ["# /// script", "# dependencies = ['e ; sys_platform == \"x\"']", "# ///"],
        ["# /// script", "# dependencies = ['a (>=1)', 'b~=2.0', 'c==1.*', 'd===x']", "# ///"],
        ["# /// script", "# dependencies = ['a>=1!2.0rc1', 'b==1.0.post1.dev2+local.1', 'c<2.0A1,>v1']", "# ///"],
        ["# /// pyproject", "# x", "# ///"],
        ["# /// script", "# dependencies = []", "# ///", "", "# /// other", "# x = 1", "# ///"],
        ["# see // script"],
        ["#/// script"],
        ["url = 'https://x.example/script'"],
        ["# /// script", "# [tool.x]", "# y = 1", "# ///"],
        ["# /// script", "# extra = 1", "# ///"],
    ],
)  # fmt: skip
def test_metadata_that_is_sound(lines: list[str]) -> None:
    assert told(metadata(*lines)) == []


def test_metadata_with_windows_line_ends() -> None:
    assert linted('# /// script\r\n# dependencies = ["PyYAML>=6"]\r\n# ///\r\nimport yaml\r\n') == []


# SKL924


@pytest.mark.parametrize(
    ("code", "line", "column", "message"),
    [
        ("x = 1\nprint 'paid'\n", 2, 1, "'print' without parentheses is Python 2, which no agent has any more"),
        ("try:\n    pass\nexcept OSError, e:\n    pass\n", 3, 8, "this is Python 2, which no agent has any more"),
        ("<<<<<<< HEAD\nx = 1\n=======\n", 1, 1, "the script does not parse: a merge conflict is left in it"),
        ("x = 1\ny = \0\n", 2, 5, f"the script does not parse with Python {VERSION}: it holds a null byte"),
        ("def f():\nreturn 1\n", 2, 1, f"the script does not parse with Python {VERSION}: expected an indented block"),
        ("x = (\n", 1, 5, f"the script does not parse with Python {VERSION}: '(' was never closed"),
        ("x = 'a\n", 1, 5, f"the script does not parse with Python {VERSION}: unterminated string literal"),
        ("é = '😀'; x = )\n", 1, 14, f"the script does not parse with Python {VERSION}: unmatched ')'"),
        ("x = 1\nprint(f'a {x}' x)\n", 2, 7, f"the script does not parse with Python {VERSION}: invalid syntax"),
        ("y = T[KEY] +\n", 1, 13, f"the script does not parse with Python {VERSION}: invalid syntax"),
        ("print(“a”)\n", 1, 7, f"the script does not parse with Python {VERSION}: invalid character"),
        ("```python\nx = 1\n```\n", 1, 1, f"the script does not parse with Python {VERSION}: invalid syntax"),
    ],
)  # fmt: skip
def test_scripts_that_do_not_parse(code: str, line: int, column: int, message: str) -> None:
    (finding,) = linted(code)
    assert brief([finding]) == [("script-syntax", "warning", line, column)]
    assert finding.message.startswith(message)


def test_bytes_that_are_not_utf8_need_a_declaration() -> None:
    (finding,) = linted(b"x = 1\nprint('\xe9')\n")
    assert brief([finding]) == [("script-syntax", "warning", 2, 8)]
    assert finding.message == "the script is not UTF-8 and declares no other encoding: Python refuses it"
    assert linted(b"# -*- coding: latin-1 -*-\nprint('\xe9')\n") == []
    assert linted(b"#!/usr/bin/python3\n# vim: set fileencoding=latin-1 :\nprint('\xe9')\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "type X[T] = list[T]\ndef f[T](x: T) -> T: ...\nclass A[T]: ...\n",
        "x = f'{'a'}'\n",
        "x = f'{\n    1\n}'\n",
        "x = f'{1 # a\n}'\n",
        "x = [NAME]\ny = {\n    [TO DO],\n}\n",
        "x = t'{1}'\n",
        "try:\n    pass\nexcept A, B:\n    pass\n",
        "lazy import json\n",
        "#!/usr/bin/env python2\nprint 'x'\n",
        "x = {{ name }} {% if a %}\n",
        "%pip install x\n",
        "!ls\n",
        "#!/usr/bin/env node\nconst x = 1;\n",
        "# /// script\n# requires-python = '>=3.99'\n# ///\nx = 1 newer syntax\n",
        "",
        "\n\n",
        "\ufeffprint(1)\n",
        "x = 1\r\nif x:\r\n    pass\r\n",
        "x = '\\d'\nassert (x, 'y')\nx is 'z'\n",
        "x" + "+x" * 30_000 + "\n",
    ],
)
def test_scripts_whose_syntax_may_be_right(code: str) -> None:
    assert told(linted(code)) == []


def test_what_is_huge_is_left_alone() -> None:
    assert linted(b"x = (\n" + b"#" * MAX_BYTES) == []


def test_shell_scripts_are_not_parsed() -> None:
    assert shell("if [\n") == []


# SKL925


def test_dependencies_without_a_version() -> None:
    found = linted('# /// script\n# dependencies = ["a>=1", "b", "c[d]; sys_platform == \'x\'"]\n# ///\nprint(1)\n')
    assert brief(found) == [
        ("script-dependency-unpinned", "note", 2, 28),
        ("script-dependency-unpinned", "note", 2, 33),
    ]
    assert found[0].message == "'b' has no version"
    assert found[0].hint == 'write a range such as "b>=1.2,<2"'
    assert (found[0].column, found[0].location.end_column) == (28, 29)


def test_locked_dependencies_need_no_version() -> None:
    text = '# /// script\n# dependencies = ["b"]\n# ///\nprint(1)\n'
    assert linted(text, scripts__run_dot_py_dot_lock="version = 1\n") == []
    newer = (
        '# /// script\n# dependencies = ["b"]\n# [tool.uv]\n# exclude-newer = "2026-01-01T00:00:00Z"\n# ///\nprint(1)\n'
    )
    assert linted(newer) == []


# Which files are scripts

ASKS = "input('?')\n"


def found_in(files: dict[str, str | bytes], *paths: str, **settings: Any) -> list[str]:
    config = Config(level="note", select=("SKL921",), **settings)
    project = memory_project(files, config, paths=paths or (".",))
    return [f.path for f in lint(project, config).findings]


SKILL = f"{FRONT}# Pay\n"


@pytest.mark.parametrize(
    ("path", "body", "is_found"),
    [
        ("scripts/run.py", "", True),
        ("scripts/deep/er/run.py", "", True),
        ("scripts/run.pyw", "", True),
        ("scripts/run.txt", "", False),
        ("scripts/node_modules/run.py", "", False),
        ("scripts/.venv/run.py", "", False),
        ("run.py", "", False),
        ("run.py", "[run](run.py)", True),
        ("run.py", "Run `run.py`.", True),
        ("run.py", "Run `./run.py --now`.", True),
        ("tools/run.py", "```\npython tools/run.py x\n```", True),
        ("tools/run.py", "```\npython other/tools/run.py x\n```", False),
        ("tools/run.py", "see tools/run.pyc", False),
        ("tools/run.py", "see Tools/run.py", False),
        ("tools/inner/SKILL.md", "", False),
    ],
)
def test_which_files_are_scripts(path: str, body: str, is_found: bool) -> None:
    assert found_in({"pay/SKILL.md": SKILL + body, f"pay/{path}": ASKS}) == ([f"pay/{path}"] if is_found else [])


def test_a_shebang_tells_the_language() -> None:
    files: dict[str, str | bytes] = {"pay/SKILL.md": SKILL}
    for name, line in {"a": "python3", "b": "env -S uv run --script", "c": "node", "d": ""}.items():
        files[f"pay/scripts/{name}"] = f"#!/usr/bin/{line}\n{ASKS}" if line else ASKS
    files["pay/scripts/e"] = "#!/bin/bash\nread -p x y\n"
    assert found_in(files) == ["pay/scripts/a", "pay/scripts/b", "pay/scripts/e"]


def test_the_innermost_skill_owns_a_script() -> None:
    files: dict[str, str | bytes] = {
        "pay/SKILL.md": f"{SKILL}Run inner/scripts/run.py and scripts/sub/x.py.\n",
        "pay/inner/SKILL.md": SKILL,
        "pay/inner/scripts/run.py": ASKS,
        "pay/scripts/sub/SKILL.md": SKILL,
        "pay/scripts/sub/x.py": ASKS,
    }
    assert found_in(files) == ["pay/inner/scripts/run.py"]


def test_a_script_that_is_given_is_linted_by_itself() -> None:
    files: dict[str, str | bytes] = {
        "pay/SKILL.md": SKILL,
        "pay/scripts/a.py": ASKS,
        "pay/scripts/b.py": ASKS,
        "pay/core/c.py": ASKS,
        "other/d.py": ASKS,
    }
    assert found_in(files, "pay/scripts/a.py") == ["pay/scripts/a.py"]
    assert found_in(files, "pay/core/c.py") == ["pay/core/c.py"]
    assert found_in(files, "pay/SKILL.md") == []
    assert found_in(files, "other/d.py") == []


def test_in_a_project_only_what_is_bundled_is_linted() -> None:
    files: dict[str, str | bytes] = {
        "SKILL.md": f"{SKILL}Run tool.py.\n",
        "pyproject.toml": "",
        "src/a.py": ASKS,
        "scripts/b.py": ASKS,
        "tool.py": ASKS,
    }
    assert found_in(files) == ["scripts/b.py", "tool.py"]
    assert found_in(files, "src/a.py") == []
    assert found_in(files, "tool.py") == ["tool.py"]


def test_what_is_excluded_or_ignored_is_not_linted() -> None:
    files: dict[str, str | bytes] = {
        ".git/HEAD": "ref: x\n",
        "pay/SKILL.md": SKILL,
        "pay/scripts/a.py": ASKS,
        "pay/scripts/out/b.py": ASKS,
        "pay/scripts/c.py": ASKS,
        "pay/scripts/.gitignore": "c.py\n",
        ".gitignore": "out/\n",
    }
    assert found_in(files) == ["pay/scripts/a.py"]
    assert found_in(files, respect_gitignore=False) == ["pay/scripts/a.py", "pay/scripts/c.py", "pay/scripts/out/b.py"]
    excluded = (PathPatterns("/repository", "pay/scripts/a.py"), PathPatterns("/repository", "out/"))
    assert found_in(files, respect_gitignore=False, exclude=excluded) == ["pay/scripts/c.py"]


def test_the_number_of_scripts_is_bounded() -> None:
    files: dict[str, str | bytes] = {"pay/SKILL.md": SKILL}
    files |= {f"pay/scripts/s{number:04}.py": "" for number in range(MAX_SCRIPTS + 50)}
    project = memory_project(files)
    assert sum(document.kind == "script" for document in project.documents) == MAX_SCRIPTS


def test_links_are_followed_in_the_tree_alone(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pay" / "scripts").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (tmp_path / "pay" / "SKILL.md").write_text(SKILL, encoding="utf-8")
    (tmp_path / "shared" / "common.py").write_text(ASKS, encoding="utf-8")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.py"
    outside.write_text(ASKS, encoding="utf-8")
    try:
        (tmp_path / "pay" / "scripts" / "common.py").symlink_to(tmp_path / "shared" / "common.py")
        (tmp_path / "pay" / "scripts" / "again.py").symlink_to(tmp_path / "shared" / "common.py")
        (tmp_path / "pay" / "scripts" / "out.py").symlink_to(outside)
        (tmp_path / "pay" / "scripts" / "loop").symlink_to(tmp_path / "pay" / "scripts")
    except OSError:
        pytest.skip("no links here")
    config = Config(select=("SKL921",))
    found = lint(discovery.project([str(tmp_path)], config), config).findings
    assert [Path(f.location.file).name for f in found] == ["again.py"]


def test_a_script_that_changed_is_linted(tmp_path: Path) -> None:
    (tmp_path / "pay" / "scripts").mkdir(parents=True)
    (tmp_path / "pay" / "SKILL.md").write_text(SKILL, encoding="utf-8")
    for name in "ab":
        (tmp_path / "pay" / "scripts" / f"{name}.py").write_text(ASKS, encoding="utf-8")
    config = Config(select=("SKL921",))
    changed = [str(tmp_path / "pay" / "scripts" / "a.py"), str(tmp_path / "pay" / "scripts" / "gone.py")]
    found = lint(discovery.project([str(tmp_path)], config, changed=changed), config).findings
    assert [Path(f.location.file).name for f in found] == ["a.py"]


def test_rules_on_every_file_leave_scripts_alone() -> None:
    files: dict[str, str | bytes] = {
        "pay/SKILL.md": SKILL,
        "pay/scripts/__init__.py": "",
        "pay/scripts/a.sh": b"echo \xe9\n",
        "pay/scripts/b.sh": "<<<<<<< HEAD\n",
        "pay/scripts/c.py": "\ufeff" + "x = 1\n",
    }
    assert [f.path for f in report_on(files).findings if "scripts/" in f.path] == []


def test_scripts_are_counted() -> None:
    report = report_on({"pay/SKILL.md": SKILL, "pay/scripts/a.py": "", "pay/scripts/b.sh": ""})
    assert report.files == {"skill": 1, "script": 2}


# Suppressions


@pytest.mark.parametrize(
    "code",
    [
        "x = input('?')  # agentskills-lint: ignore[script-interactive]\n",
        "# agentskills-lint: ignore[SKL921] on purpose\nx = input('?')\n",
        "# agentskills-lint: ignore[SKL921]\n\n# more\nx = input('?')\n",
        "# agentskills-lint: ignore-file[SKL921]\nx = 1\nx = input('?')\n",
        "'''\n# no comment\n'''\nx = input('#')  # agentskills-lint: ignore[SKL921]\n",
    ],
)
def test_comments_suppress(code: str) -> None:
    assert told(linted(code)) == []
    assert [f.rule for f in linted(code.replace("agentskills-lint", "x"))] == ["script-interactive"]


@pytest.mark.parametrize(
    "code",
    [
        "read -p x y  # agentskills-lint: ignore[SKL921]\n",
        "# agentskills-lint: ignore[SKL921]\nread -p 'x # y' y\n",
        "read -p 'x # y' y # agentskills-lint: ignore[script-interactive]\n",
    ],
)
def test_comments_suppress_in_a_shell(code: str) -> None:
    assert told(linted(code, "scripts/run.sh")) == []


def test_suppressions_that_do_nothing_are_told() -> None:
    found = linted("x = 1  # agentskills-lint: ignore[SKL921]\ny = 2  # agentskills-lint: ignore[nothing]\n")
    assert [(f.rule, f.line, f.column) for f in found] == [
        ("suppression-unused", 1, 35),
        ("suppression-unknown", 2, 35),
    ]
    text = "x = '# agentskills-lint: ignore[SKL921]'\ninput('?')\n"
    assert [f.rule for f in linted(text)] == ["script-interactive"]


def test_a_broken_script_can_be_suppressed() -> None:
    assert linted("x = (  # agentskills-lint: ignore[SKL924]\n") == []


# Demands of the specs (coverage.md)

DEMANDS = [
    ("agentskills", "scripts/: stand alone or document what they depend on", "import yaml\n", "script-dependency"),
    ("advice", "using-scripts: dependencies are declared inside the script", "import yaml\n", "script-dependency"),
    ("advice", "using-scripts: the block is one that tools read", "# /// script\nx = 1\n", "script-metadata"),
    (
        "advice", "using-scripts: dependencies have versions",
        "# /// script\n# dependencies = ['a']\n# ///\n", "script-dependency-unpinned",
    ),
    ("advice", "using-scripts: no script waits for input", ASKS, "script-interactive"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "demand", "code", "rule"), DEMANDS)
def test_demands(spec: str, demand: str, code: str, rule: str) -> None:
    assert [f.rule for f in linted(code)] == [rule]


# Work grows with the input


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("run.sh", "read -p 'x' y\n"),
        ("run.sh", "if [ a ]; then\n"),
        ("run.sh", "echo 'a' \"b\" # c\n"),
        ("run.sh", "echo ????"),
        ("run.sh", "<<A "),
        ("run.sh", "(read "),
        ("run.py", "# /// script\n"),
        ("run.py", "# x // y script\n"),
        ("run.py", "#/// script\n# dependencies = 1\n"),
        ("run.py", "x = input('?')\n"),
        ("run.py", "def f(a, b):\n    if not a:\n        input('?')\n    f(b, a)\n"),
        ("run.py", "try:\n    x = int(y)\nexcept ValueError:\n    input('?')\n"),
        ("run.sh", "if $yes; then exit; fi; "),
        ("run.sh", "case in in read "),
        ("run.py", "import a, b\n"),
        ("run.py", "import a, sys; sys.path; "),
        ("run.py", "import a  # pip pip pip pip pip\n"),
        ("run.py", "# pip pip pip uv add: **\n* a\nimport b\n"),
    ],
)
def test_twice_the_text_takes_no_more_than_a_few_times_the_work(name: str, piece: str) -> None:
    import time

    def seconds(count: int) -> float:
        files = {"pay/SKILL.md": SKILL, f"pay/scripts/{name}": piece * count}
        config = Config(select=("SKL92",))
        project = memory_project(files, config)
        start = time.process_time()
        lint(project, config)
        return time.process_time() - start

    seconds(10)
    small = min(seconds(2_000) for _ in range(2))
    assert seconds(8_000) < 12 * small + 0.5
