"""The plugin as flake8 runs it: the installed flake8, and the oldest one that is supported, on small projects."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.integration.checkout import ROOT, environment, need_registry, run

OLDEST = "7.0.0"
SKILL = "---\nname: pay\ndescription: Pays an open invoice by card. Use when the user wants to pay.\n---\n# Pay\n"
SCRIPT = 'import yaml\n\nx = input("Which? ")\nprint(yaml, x)\n'
LITERALS = '''\
"""Skills in string literals."""
A = """---
name: Pay_It
description: Pays an open invoice by card. Use when the user wants to pay.
---
# Pay
"""
B = (
    "---\\n"
    "name: Pay_It\\ndescription: Pays an open \\U0001f600 invoice. Use when the user wants to pay.\\n---\\n"  # c
    "# Pay\\n"
)
C = '---\\x0aname: \\x50ay_It\\ndescription: Pays \\N{EURO SIGN} by card. Use when the user wants to pay.\\n---\\n# Pay'
D = r"""---
name: Pay_It
description: Pays an \\open invoice. Use when the user wants to pay.
---
# Pay
"""
E = """\\
---
name: "\\
Pay_It"
description: Pays an open invoice by card. Use when the user wants to pay.
---
# Pay
"""
F = f"""---
name: Pay_It
description: {A}
---
"""
G = """---
name: Pay_It
---
No description.
"""
H = """
---
name: Pay_It
description: It does not begin with a fence.
---
"""
J = b"---\\nname: Pay_It\\ndescription: bytes\\n---\\n"
'''
Answer = list[tuple[str, int, int, str]]


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    put(
        tmp_path,
        {
            "skills/pay/SKILL.md": SKILL,
            "skills/pay/scripts/run.py": SCRIPT,
            "src/tool.py": SCRIPT,
            "tests/literals.py": LITERALS,
        },
    )
    return tmp_path


def flake8(root: Path, *options: str, code: int | None = None, **env: str) -> Answer:
    """The findings that flake8 prints: path, line, column, code."""
    told = run([sys.executable, "-m", "flake8", "--max-line-length=200", *options], root, environment(**env), code)
    lines = [
        re.fullmatch(r"\.?/?(.+?):([0-9]+):([0-9]+): (\w+) (.+)", line.replace("\\", "/")) for line in told.splitlines()
    ]
    assert all(lines), told
    return sorted((m[1], int(m[2]), int(m[3]), m[4]) for m in lines if m)


RUN = "skills/pay/scripts/run.py"
FOUND = [(RUN, 1, 8, "SKL922"), (RUN, 3, 5, "SKL921")]


def test_scripts_of_skills_are_linted_and_no_other_file_is(project: Path) -> None:
    assert flake8(project, code=1) == FOUND


def test_the_plugin_tells_its_name_and_version() -> None:
    from agentskills_lint.about import VERSION

    assert f"agentskills-lint: {VERSION}" in run(
        [sys.executable, "-m", "flake8", "--version"], ROOT, environment()
    ).replace("\n", " ")


def test_several_jobs_find_the_same(project: Path) -> None:
    put(project, {f"skills/pay/scripts/s{number}.py": SCRIPT for number in range(20)})
    put(project, {f"src/m{number}.py": SCRIPT for number in range(20)})
    alone = flake8(project, "-j", "1", "--skill-literals")
    assert flake8(project, "-j", "2", "--skill-literals") == alone
    assert len(alone) == 2 * 21 + 5


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--select=SKL"], FOUND),
        (["--select=SKL921"], FOUND[1:]),
        (["--select=E"], []),
        (["--extend-select=SKL"], FOUND),
        (["--ignore=SKL922"], FOUND[1:]),
        (["--extend-ignore=SKL"], []),
        (["--per-file-ignores=skills/*:SKL921"], FOUND[:1]),
        (["--exclude=skills"], []),
        (["skills/pay/scripts/run.py"], FOUND),
    ],
)
def test_the_options_of_flake8_hold(project: Path, options: list[str], found: Answer) -> None:
    assert flake8(project, *options) == found


def test_noqa_and_our_own_comments_suppress(project: Path) -> None:
    text = SCRIPT.replace('")\n', '")  # noqa: SKL921\n').replace(
        "yaml\n\n", "yaml  # agentskills-lint: ignore[SKL922]\n\n"
    )
    put(project, {RUN: text})
    assert flake8(project, code=0) == []
    assert flake8(project, "--disable-noqa") == FOUND[1:]


def test_a_configuration_file_switches_on(project: Path) -> None:
    put(project, {"setup.cfg": "[flake8]\nskill-literals = true\nselect = SKL2\n"})
    assert [found[0] for found in flake8(project)] == ["tests/literals.py"] * 5


def test_literals_are_told_at_their_true_place(project: Path) -> None:
    assert flake8(project, "--skill-literals", "tests") == [
        ("tests/literals.py", 3, 7, "SKL201"),
        ("tests/literals.py", 10, 12, "SKL201"),
        ("tests/literals.py", 13, 19, "SKL201"),
        ("tests/literals.py", 15, 7, "SKL201"),
        ("tests/literals.py", 22, 7, "SKL201"),
    ]


def test_literals_are_off_by_default(project: Path) -> None:
    assert flake8(project, "tests", code=0) == []


def test_notes_need_an_option(project: Path) -> None:
    block = '# /// script\n# dependencies = ["PyYAML"]\n# ///\nimport yaml\n\nprint(yaml)\n'
    put(project, {RUN: block})
    assert flake8(project, "skills", code=0) == []
    assert flake8(project, "--skill-notes", "skills") == [(RUN, 2, 20, "SKL925")]


def test_standard_input_under_a_name(project: Path) -> None:
    command = [sys.executable, "-m", "flake8", "--stdin-display-name", RUN, "-"]
    done = subprocess.run(
        command, cwd=project, input="x = input()\n", check=False, text=True, capture_output=True, env=environment()
    )
    assert done.stdout.replace("\\", "/").startswith(f"{RUN}:1:5: SKL921 input() waits")
    assert done.stderr == ""


def test_a_script_that_does_not_parse_is_left_to_flake8(project: Path) -> None:
    put(project, {RUN: "x = (\n"})
    assert {found[3] for found in flake8(project, "skills")} == {"E902"} or {
        found[3] for found in flake8(project, "skills")
    } == {"E999"}


HOSTILE: dict[str, tuple[bytes, list[tuple[int, int, str]]]] = {
    "null.py": (b"x = 1\nprint('\0')\n", []),
    "cookie.py": (b"# -*- coding: latin-1 -*-\nprint('\xe9', input())\n", [(2, 12, "SKL921")]),
    "no-cookie.py": (b"print('\xe9', input())\n", [(1, 12, "SKL921")]),  # flake8 takes it for latin-1
    "unknown-cookie.py": (b"# -*- coding: nonsense -*-\nprint(1)\n", []),
    "utf-16.py": ("print(1)\n".encode("utf-16"), []),
    "mark.py": ("\ufeffx = input()\n".encode(), [(1, 5, "SKL921")]),
    "returns.py": (b"x = input()\ry = input()\r", [(1, 5, "SKL921"), (2, 5, "SKL921")]),
    "windows.py": (b"y = '''\r\n'''; z = input()\r\n", [(2, 10, "SKL921")]),
    "form-feed.py": (b"x = 1\n\x0c\ny = input()\n", [(3, 5, "SKL921")]),
    "separators.py": ("s = '\u2028\x85'\ny = input()\n".encode(), [(2, 5, "SKL921")]),
    "nested.py": (b"x = " + b"(" * 300 + b")" * 300 + b"\n", []),
    "empty.py": (b"", []),
    "a name é.py": (b"input()\n", [(1, 1, "SKL921")]),
    "surrogate.py": (b"A = '---\\nname: x\\ndescription: \\ud83d y\\n---\\n'\n", []),
    "joined.py": (b"x = 1\nA = '---\\nname: P_y\\n' f'description: {x} y\\n---\\n'\n", []),
    "indented.py": (
        b'from textwrap import dedent\nA = dedent("""\\\n  ---\n  name: P_y\n  description: x\n  ---\n""")\n',
        [],
    ),
}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_hostile_files_give_no_traceback(project: Path, jobs: str) -> None:
    for name, (raw, _) in HOSTILE.items():
        (project / "skills/pay/scripts" / name).write_bytes(raw)
    for name, raw in {"a/SKILL.md": b"\xff\xfe\0", "b/SKILL.md": b"", "c/SKILL.md/x": b""}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(raw)
        (project / name[0] / "run.py").write_bytes(b"input()\n")
    command = [sys.executable, "-m", "flake8", "--select=SKL", "--skill-literals", "-j", jobs, "."]
    done = subprocess.run(
        command, cwd=project, check=False, text=True, encoding="utf-8", capture_output=True, env=environment()
    )
    assert (done.returncode, done.stderr) == (1, "")
    lines = [re.fullmatch(r"\.[/\\](.+):(\d+):(\d+): (SKL9\w+) .+", line) for line in done.stdout.splitlines()]
    found = sorted((m[1].replace("\\", "/"), int(m[2]), int(m[3]), m[4]) for m in lines if m)
    wanted = [(f"skills/pay/scripts/{name}", *one) for name, (_, told) in HOSTILE.items() for one in told]
    assert found == sorted([*wanted, *FOUND, ("a/run.py", 1, 1, "SKL921"), ("b/run.py", 1, 1, "SKL921")])


def test_columns_count_characters_in_windows_files_too(project: Path) -> None:
    put(project, {RUN: 'y = "é😀"; x = input()\r\nprint(x, y)\r\n'})
    assert flake8(project, "--select=SKL") == [(RUN, 1, 15, "SKL921")]


def test_the_linter_says_the_same(project: Path) -> None:
    command = [sys.executable, "-m", "agentskills_lint", "--isolated", "--format=flake8", "--select=SKL92", "skills"]
    ours = run(command, project, environment(), 1)
    theirs = run([sys.executable, "-m", "flake8", "--select=SKL", "skills"], project, environment(), 1)
    assert theirs == ours


def test_nothing_of_ours_is_imported_for_other_files(project: Path) -> None:
    code = (
        "import sys\n"
        "from flake8.main.cli import main\n"
        "main(['-j', '1', 'src'])\n"
        "print(*(name for name in sys.modules if name.startswith('agentskills_lint')))"
    )
    told = run([sys.executable, "-c", code], project, environment()).split()
    assert sorted(told) == ["agentskills_lint", "agentskills_lint.about", "agentskills_lint.flake8_plugin"]


def test_the_page_shows_commands_that_run(project: Path) -> None:
    page = (ROOT / "docs" / "flake8.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S)
    (settings,) = re.findall(r"^```ini\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) >= 2
    for block in blocks:
        command, *shown = block.splitlines()
        assert command.startswith("$ flake8 ")
        words = shlex.split(command[2:])
        told = run([sys.executable, "-m", *words], project, environment(), None)
        assert told.replace("\\", "/").splitlines() == shown
    put(project, {".flake8": settings})
    assert flake8(project) == [(RUN, 1, 8, "SKL922")]


@pytest.fixture(scope="session")
def oldest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the oldest flake8."""
    folder = tmp_path_factory.mktemp("oldest-flake8")
    words = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(folder)]
    done = subprocess.run([*words, f"flake8=={OLDEST}"], check=False, text=True, capture_output=True, timeout=300)
    if done.returncode != 0:
        need_registry(done.stderr, folder)
    return folder


@pytest.mark.clients
@pytest.mark.skipif(sys.version_info >= (3, 13), reason=f"flake8 {OLDEST} is older than this Python")
def test_the_oldest_flake8_finds_the_same(project: Path, oldest: Path) -> None:
    path = os.pathsep.join([str(oldest), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = run([sys.executable, "-m", "flake8", "--version"], project, environment(PYTHONPATH=path))
    assert told.startswith(OLDEST)
    options = ["--skill-literals", "-j", "2"]
    assert flake8(project, *options, PYTHONPATH=path) == flake8(project, *options)
    assert flake8(project, "--select=SKL921", PYTHONPATH=path) == FOUND[1:]


@pytest.mark.parametrize(
    ("source", "value", "places"),
    [
        ('"""---\nname"""', "---\nname", [(1, 3), (1, 4), (1, 5), (1, 6), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4)]),
        (r'"---\nab"', "---\nab", [(1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (1, 7), (1, 8)]),
        (r'"---\n" "a"', "---\na", [(1, 1), (1, 2), (1, 3), (1, 4), (1, 9), (1, 10)]),
        ('r"""---\n\\n"""', "---\n\\n", [(1, 4), (1, 5), (1, 6), (1, 7), (2, 0), (2, 1), (2, 2)]),
        (
            "(\n  '---\\n'  # one\n  U\"a\\x62\" \\\n  '''\\\nc''')",
            "---\nabc",
            [(2, 3), (2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (5, 0), (5, 1)],
        ),
        (r"'---\n\N{EURO SIGN}\'\\\101x'", "---\n€'\\Ax", [(1, at) for at in (1, 2, 3, 4, 6, 19, 21, 23, 27, 28)]),
        ("é = '---\\n\\u20acx'", "---\n€x", [(1, 5), (1, 6), (1, 7), (1, 8), (1, 10), (1, 16), (1, 17)]),
    ],
)
def test_places_of_characters(source: str, value: str, places: list[tuple[int, int]]) -> None:
    import ast

    from agentskills_lint.literals import _placed

    text = textwrap.dedent(source)
    (node,) = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    literal = _placed(node, value, text.splitlines(keepends=True))
    assert node.value == value
    assert list(literal.places) == places
    assert literal.position(99) == places[-1]
