"""The steps of action.yml, with Python's standard library alone: `install`, then `lint`.

Inputs come by the environment, so that nothing of them is ever a shell's text. Python runs
isolated (`-I`): what is linted may be hostile, and must not be imported from the working directory.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path

TROUBLE = 2
"""The exit code of usage errors, as the command line has it."""


def install() -> int:
    """Make a virtual environment with the named version, or with this checkout; its Python is the output."""
    version = os.environ["INPUT_VERSION"].strip().removeprefix("v")
    if version and not re.fullmatch(r"[0-9][0-9A-Za-z.!+-]*", version):
        return _failed(f"the input version is no version: {version!r}")
    folder = Path(tempfile.mkdtemp(prefix="agentskills-lint-", dir=os.environ["RUNNER_TEMP"]))
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = f"agentskills-lint=={version}" if version else os.environ["GITHUB_ACTION_PATH"]
    done = subprocess.run(
        [python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted], check=False
    )
    if done.returncode:
        return _failed(f"agentskills-lint {version or 'of this checkout'} could not be installed")
    _output({"python": str(python)})
    return 0


def lint() -> int:
    """Lint once; text goes to the log, then annotations, the job summary, SARIF and the outputs."""
    folder = Path(os.environ["INPUT_WORKING_DIRECTORY"].strip() or ".").resolve()
    if not folder.is_dir():
        return _failed(f"the input working-directory is no folder: {folder}")
    try:
        extra = shlex.split(os.environ["INPUT_ARGS"])
    except ValueError as error:
        return _failed(f"the input args cannot be split: {error}")
    paths = [line.strip() for line in os.environ["INPUT_PATHS"].splitlines() if line.strip()]
    reports = Path(tempfile.mkdtemp(prefix="agentskills-lint-", dir=os.environ["RUNNER_TEMP"]))
    sarif = folder / (os.environ["INPUT_SARIF_FILE"].strip() or reports / "results.sarif")
    files = {"sarif": sarif} | {name: reports / name for name in ("github", "summary", "json")}
    options = ["--color=always", *(f"--report={name}={path}" for name, path in files.items()), *_given(folder)]
    code = _run([sys.executable, "-I", "-X", "utf8", "-m", "agentskills_lint", *options, *extra, "--", *paths], folder)
    if not files["json"].is_file():
        return _failed(f"agentskills-lint could not run (exit code {code}), see above") if code else 0
    _write(files["github"].read_bytes())
    if "GITHUB_STEP_SUMMARY" in os.environ:
        with open(os.environ["GITHUB_STEP_SUMMARY"], "ab") as file:
            file.write(files["summary"].read_bytes())
    counts = json.loads(files["json"].read_bytes())["summary"]["counts"]
    outputs = {f"{level}s": str(count) for level, count in counts.items()}
    # what is uploaded replaces what was there: alerts of files that were not read would be closed
    _output(outputs | ({"sarif-file": str(sarif)} if code < TROUBLE else {}))
    return code


def _given(folder: Path) -> list[str]:
    """The options that have an input of their own, and the root where no repository tells it."""
    options = {"config": "CONFIG", "fail-on": "FAIL_ON", "sarif-category": "CATEGORY"}
    given = {option: os.environ[f"INPUT_{name}"].strip() for option, name in options.items()}
    # actions/checkout leaves no .git where it finds no git
    if not any((above / ".git").exists() for above in (folder, *folder.parents)):
        given["sarif-root"] = os.environ.get("GITHUB_WORKSPACE", "")
    return [f"--{option}={value}" for option, value in given.items() if value]


def _run(command: list[str], folder: Path) -> int:
    """Run a command whose output holds text of files: the runner must not take that for commands of its own."""
    token = secrets.token_hex(16)
    _write(f"::stop-commands::{token}\n".encode())
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False)
    _write(f"::{token}::\n".encode())
    return done.returncode


def _output(values: Mapping[str, str]) -> None:
    """Set outputs of the step; a value may hold line breaks, but not a word that nobody knows beforehand."""
    end = secrets.token_hex(16)
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{name}<<{end}\n{value}\n{end}\n" for name, value in values.items())


def _failed(message: str) -> int:
    words = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    _write(f"::error title=agentskills-lint::{words}\n".encode(errors="backslashreplace"))
    return TROUBLE


def _write(content: bytes) -> None:
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit({"install": install, "lint": lint}[sys.argv[1]]())
