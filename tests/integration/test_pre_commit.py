"""The hooks as pre-commit runs them: installed from a copy of this checkout, in scratch repositories."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentskills_lint.cli import main
from agentskills_lint.discovery import project
from agentskills_lint.sources import Disk
from tests.integration.checkout import ROOT, copied, environment, need_registry, run, shared
from tests.support import clean_skill

HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
SITE = "public/.well-known/agent-skills"
DESCRIPTION = "Pays an invoice as {} does. Use when the user wants to pay, not for refunds."

Answer = tuple[int, dict[str, str], list[str]]
Commit = Callable[..., Answer]


def clean(name: str) -> str:
    return clean_skill("agentskills", f"name: {name}\ndescription: {DESCRIPTION.format(name)}")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def site(root: Path, *names: str) -> None:
    """A site with clean skills and the index that lists them."""
    entries = []
    for name in names:
        text = clean(name)
        put(root / SITE / name / "SKILL.md", text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        entries.append(
            {
                "name": name,
                "type": "skill-md",
                "description": DESCRIPTION.format(name),
                "url": f"/.well-known/agent-skills/{name}/SKILL.md",
                "digest": f"sha256:{digest}",
            }
        )
    schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    put(root / SITE / "index.json", json.dumps({"$schema": schema, "skills": entries}, indent=2) + "\n")


# Which files a hook is given


@pytest.mark.parametrize("hook", ["agentskills-lint", "agentskills-lint-fix"])
@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("SKILL.md", True),
        ("skills/pay/SKILL.md", True),
        (".claude/skills/pay/skill.md", True),
        ("skills/pay/Skill.MD", True),
        ("skills/pay/skills.md", True),
        (".well-known/agent-skills/index.json", True),
        ("public/.well-known/agent-skills/index.json", True),
        ("public/.well-known/skills/index.json", True),
        ("public/.well-known/agent-skills/pay.tar.gz", True),
        ("public/.well-known/agent-skills/pay/scripts/pay.py", True),
        ("public/.well-known/skills/pay/references/a b.md", True),
        ("skills.txt", True),
        ("public/agents.txt", True),
        ("public/llms.txt", True),
        ("robots.txt", True),
        ("skills/pay/scripts/pay.py", True),
        ("skills/pay/scripts/deep/er/pay.sh", True),
        ("scripts/pay.bash", True),
        (".claude/skills/pay/scripts/pay.pyw", True),
        ("skills/pay/scripts/pay", False),
        ("skills/pay/scripts/pay.js", False),
        ("skills/pay/scripts/pay.py.orig", False),
        ("skills/pay/pay.py", False),
        ("skills/pay/myscripts/pay.py", False),
        ("scripts", False),
        ("skills/pay/SKILL.md.orig", False),
        ("skills/pay/MYSKILL.md", False),
        ("skills/pay/SKILL.mdx", False),
        ("skills/pay/references/a.md", False),
        ("README.md", False),
        ("index.json", False),
        ("public/index.json", False),
        ("well-known/agent-skills/index.json", False),
        ("x.well-known/agent-skills/index.json", False),
        ("public/.well-known/agent-skills", False),
        ("public/.well-known/my-agent-skills/index.json", False),
        ("public/.well-known/security.txt", False),
        ("docs/myskills.txt", False),
        ("skills.txt.bak", False),
        ("requirements.txt", False),
    ],
)
def test_paths(hook: str, path: str, given: bool) -> None:
    # as pre-commit does it
    assert (re.search(HOOKS[hook]["files"], path) is not None) is given


def test_a_site_is_always_linted_whole_and_fixes_never_race() -> None:
    assert (HOOKS["agentskills-lint-site"]["always_run"], HOOKS["agentskills-lint-site"]["pass_filenames"]) == (
        True,
        False,
    )
    assert HOOKS["agentskills-lint-fix"]["require_serial"] is True
    assert [hook for hook in HOOKS if "files" not in HOOKS[hook]] == ["agentskills-lint-site"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("public/.well-known/agent-skills/README.md", "# All skills\n"),
        ("public/.well-known/agent-skills/pay/references/a.md", "# Notes\n"),
        ("public/.well-known/agent-skills/pay/assets/index.json", "{}\n"),
        ("public/.well-known/agent-skills/pay/assets/skills.txt", "one\ntwo\n"),
        ("public/.well-known/agent-skills/pay/scripts/pay.py", "print()\n"),
        ("scripts/deploy.py", "import yaml\nprint 'x', input()\n"),
        ("public/scripts/deploy.sh", "read -p 'Sure? ' answer\n"),
        ("public/robots.txt", "User-agent: *\nAllow: /\n"),
        ("public/llms.txt", "# Acme\n"),
        ("docs/skills.txt", "juggling\ncooking\n"),
        ("docs/agents.txt", "Smith\n"),
    ],
)
def test_a_file_that_is_given_and_is_no_skill_is_silent(
    path: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    site(tmp_path, "pay")
    put(tmp_path / path, text)
    monkeypatch.chdir(tmp_path)
    options = HOOKS["agentskills-lint"]["entry"].split()[1:]
    assert main([*options, "--isolated", "--format=flake8", path]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("hook", ["agentskills-lint", "agentskills-lint-fix"])
def test_scripts_of_a_repository_without_skills_are_silent(
    hook: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    put(tmp_path / "scripts/deploy.py", "import yaml\nprint(yaml, input())\n")
    monkeypatch.chdir(tmp_path)
    options = HOOKS[hook]["entry"].split()[1:]
    assert main([*options, "--isolated", "--format=flake8", "scripts/deploy.py"]) == 0
    assert capsys.readouterr() == ("", "")
    put(tmp_path / "SKILL.md", clean("deploy"))
    assert main([*options, "--isolated", "--format=flake8", "scripts/deploy.py"]) == 1
    assert re.findall(r"^(\S+): (SKL\d+)", capsys.readouterr().out, re.M) == [
        ("scripts/deploy.py:1:8", "SKL922"),
        ("scripts/deploy.py:2:13", "SKL921"),
    ]


def test_a_published_text_that_is_listed_is_a_skill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    site(tmp_path, "pay")
    index = tmp_path / SITE / "index.json"
    index.write_text(index.read_text("utf-8").replace("pay/SKILL.md", "pay.md"), "utf-8")
    put(tmp_path / SITE / "pay.md", "# Pay\n")
    monkeypatch.chdir(tmp_path)
    assert main(["--isolated", "--format=flake8", "--select=SKL004", f"{SITE}/pay.md"]) == 1
    assert capsys.readouterr().out.startswith(f"{SITE}/pay.md:1:1: SKL004 ")


def test_many_files_of_one_folder_cost_no_more_than_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    names = [f"skill-{number}" for number in range(200)]
    for name in names:
        put(tmp_path / "skills" / name / "SKILL.md", clean(name))
    asked: list[str] = []
    real = Disk.real
    monkeypatch.setattr(Disk, "real", lambda disk, path: asked.append(path) or real(disk, path))  # type: ignore[func-returns-value]
    found = project([f"skills/{name}/SKILL.md" for name in names[:100]], cwd=str(tmp_path))
    assert len(found.documents) == 200
    assert len(asked) < 1000


# What pre-commit makes of it


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The repository of the hooks and its commit."""
    repository = copied(tmp_path_factory)
    return repository, run(["git", "rev-parse", "HEAD"], repository, environment()).strip()


@pytest.fixture(scope="session")
def env(hooks: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which pre-commit has installed the hooks."""
    env = environment(PRE_COMMIT_HOME=str(shared(tmp_path_factory) / "pre-commit"))
    folder = tmp_path_factory.mktemp("install")
    run(["git", "init", "-q"], folder, env)
    configure(folder, hooks, {name: {} for name in HOOKS})
    told = run([*PRE_COMMIT, "install-hooks"], folder, env, None)
    if "error" in told.lower():
        need_registry(told, folder)
    return env


PRE_COMMIT = [sys.executable, "-m", "pre_commit"]


def configure(folder: Path, hooks: tuple[Path, str], wanted: dict[str, dict[str, Any]]) -> None:
    chosen = [{"id": name} | settings for name, settings in wanted.items()]
    config = {"repos": [{"repo": str(hooks[0]), "rev": hooks[1], "hooks": chosen}]}
    put(folder / ".pre-commit-config.yaml", yaml.safe_dump(config))


def answer(code: int, told: str) -> Answer:
    """The exit code, the verdict on each hook, and the findings of all."""
    verdicts = dict(re.findall(r"^(agentskills-lint[^.\n]*)\.+(?:\(.*\))?(\w+)$", told, re.M))
    findings = [" ".join(line.split(" ")[:2]) for line in told.splitlines() if re.search(r":\d+:\d+: SKL", line)]
    return code, verdicts, sorted(findings)


@pytest.fixture
def commit(tmp_path: Path, hooks: tuple[Path, str], env: dict[str, str]) -> Commit:
    """Commit all of a scratch repository with the first two hooks (or others) installed."""
    run(["git", "init", "-q", "-b", "main"], tmp_path, env)

    def call(wanted: dict[str, dict[str, Any]] | None = None) -> Answer:
        both: dict[str, dict[str, Any]] = {
            "agentskills-lint": {"args": ["--format=flake8"]},
            "agentskills-lint-site": {"args": ["--format=flake8"], "verbose": True},
        }
        configure(tmp_path, hooks, wanted or both)
        run([*PRE_COMMIT, "install"], tmp_path, env)
        run(["git", "add", "-A"], tmp_path, env)
        before = run(["git", "rev-list", "--all", "--count"], tmp_path, env)
        told = run(["git", "commit", "-q", "-m", "x"], tmp_path, env, None)
        return answer(int(before == run(["git", "rev-list", "--all", "--count"], tmp_path, env)), told)

    return call


LINT, WHOLE, FIX = (hook["name"] for hook in HOOKS.values())


@pytest.mark.clients
def test_a_clean_commit(tmp_path: Path, commit: Commit) -> None:
    site(tmp_path, "pay", "refund")
    put(tmp_path / "skills" / "ask" / "SKILL.md", clean("ask"))
    assert commit() == (0, {LINT: "Passed", WHOLE: "Passed"}, [])


@pytest.mark.clients
def test_a_bad_skill(tmp_path: Path, commit: Commit) -> None:
    put(tmp_path / "skills" / "ask" / "SKILL.md", clean("Ask"))
    put(tmp_path / "skills" / "tell" / "SKILL.md", clean("tell"))
    code, verdicts, findings = commit()
    assert (code, verdicts) == (1, {LINT: "Failed", WHOLE: "Failed"})
    assert findings == ["skills/ask/SKILL.md:2:7: SKL201"] * 2


@pytest.mark.clients
def test_an_edit_of_a_skill_alone_makes_the_index_stale(tmp_path: Path, commit: Commit) -> None:
    site(tmp_path, "pay", "refund")
    assert commit()[0] == 0
    put(tmp_path / SITE / "pay" / "SKILL.md", clean("pay") + "\nThank the user.\n")
    put(tmp_path / "README.md", "# All\n")
    assert commit({"agentskills-lint": {"args": ["--format=flake8"]}}) == (
        1,
        {LINT: "Failed"},
        [f"{SITE}/index.json:9:17: SKL807"],
    )


@pytest.mark.clients
def test_a_deletion_leaves_an_entry_that_leads_nowhere(tmp_path: Path, commit: Commit) -> None:
    site(tmp_path, "pay", "refund")
    assert commit()[0] == 0
    (tmp_path / SITE / "refund" / "SKILL.md").unlink()
    # no file is given to the first hook
    assert commit() == (1, {LINT: "Skipped", WHOLE: "Failed"}, [f"{SITE}/index.json:15:14: SKL803"])


@pytest.mark.clients
def test_thousands_of_files_come_in_batches_and_each_finding_once(
    tmp_path: Path, commit: Commit, env: dict[str, str]
) -> None:
    names = [f"skill-{'x' * 40}-{number}" for number in range(2500)]
    for number, name in enumerate(names):
        put(tmp_path / "skills" / name / "SKILL.md", clean("Bad" if number % 500 == 0 else name))
    code, verdicts, findings = commit({"agentskills-lint": {"args": ["--format=flake8", "--select=SKL201"]}})
    assert (code, verdicts) == (1, {LINT: "Failed"})
    assert findings == sorted(f"skills/{names[number]}/SKILL.md:2:7: SKL201" for number in range(0, 2500, 500))
    configured = (tmp_path / ".pre-commit-config.yaml").read_text("utf-8").replace("--format=flake8", "--format=text")
    put(tmp_path / ".pre-commit-config.yaml", configured)
    told = run([*PRE_COMMIT, "run", "--all-files"], tmp_path, env, 1)
    batches = [int(count) for count in re.findall(r"^(\d+) files? \(", told, re.M)]
    assert len(batches) > 1
    assert sum(batches) == 2500


@pytest.mark.clients
def test_a_repository_without_skills_is_silent(tmp_path: Path, commit: Commit, env: dict[str, str]) -> None:
    put(tmp_path / "README.md", "# Nothing\n")
    assert commit() == (0, {LINT: "Skipped", WHOLE: "Passed"}, [])
    told = run([*PRE_COMMIT, "run", "--all-files", "agentskills-lint-site"], tmp_path, env)
    assert re.sub(r"duration: .*s", "duration", told) == (
        f"{WHOLE}{'.' * (79 - len(WHOLE) - len('Passed'))}Passed\n- hook id: agentskills-lint-site\n- duration\n"
    )


@pytest.mark.clients
def test_fixes_fail_once_and_what_they_wrote_is_clean(tmp_path: Path, commit: Commit) -> None:
    site(tmp_path, "pay", "refund")
    skill = tmp_path / SITE / "pay" / "SKILL.md"
    skill.write_bytes(b"\xef\xbb\xbf" + skill.read_bytes() + b"\nThank the user.\n")
    stale = (tmp_path / SITE / "index.json").read_bytes()
    wanted: dict[str, dict[str, Any]] = {"agentskills-lint-fix": {"args": ["--format=flake8"]}}
    assert commit(wanted) == (1, {FIX: "Failed"}, [])
    assert skill.read_text("utf-8") == clean("pay") + "\nThank the user.\n"
    old, new = (hashlib.sha256(text).hexdigest().encode() for text in (clean("pay").encode(), skill.read_bytes()))
    assert (tmp_path / SITE / "index.json").read_bytes() == stale.replace(old, new)
    assert commit(wanted) == (0, {FIX: "Passed"}, [])


@pytest.mark.clients
def test_what_is_excluded_is_not_linted_though_it_is_given(tmp_path: Path, commit: Commit) -> None:
    put(tmp_path / "drafts" / "ask" / "SKILL.md", clean("Ask"))
    put(tmp_path / "skills" / "ask" / "SKILL.md", clean("ask"))
    assert commit()[::2] == (1, ["drafts/ask/SKILL.md:2:7: SKL201"] * 2)
    put(tmp_path / "agentskills-lint.toml", 'exclude = ["drafts/"]\n')
    assert commit() == (0, {LINT: "Passed", WHOLE: "Passed"}, [])


@pytest.mark.clients
def test_trying_a_checkout_before_it_is_released(tmp_path: Path, hooks: tuple[Path, str], env: dict[str, str]) -> None:
    put(tmp_path / "skills" / "ask" / "SKILL.md", clean("Ask"))
    run(["git", "init", "-q", "-b", "main"], tmp_path, env)
    run(["git", "add", "-A"], tmp_path, env)
    told = run([*PRE_COMMIT, "try-repo", hooks[0], "--all-files", "--verbose"], tmp_path, env, 1)
    assert answer(1, told)[1] == {LINT: "Failed", WHOLE: "Failed", FIX: "Failed"}
    # the hook that lints the whole tree is quiet
    assert len(re.findall(r"^skills/ask/SKILL\.md:2:7: error: .* \[SKL201 name-kebab-case\]", told, re.M)) == 3
    assert told.count("1 file (1 skill, 0 sites): 1 error, 0 warnings") == 2
