"""`--fix` and `--diff` on real files: what is written, what is shown, what a failure leaves behind."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentskills_lint import cli
from agentskills_lint.specs import SCHEMA_URI
from tests.cli.test_cli import Run, command, process
from tests.support import clean_skill

BAD = clean_skill("agentskills", "name: pay\ndescription: Pays: an open invoice. Use when the user wants to pay.")
VALUE = "Pays: an open invoice. Use when the user wants to pay."
GOOD = BAD.replace(VALUE, f'"{VALUE}"')
WORD = clean_skill("agentskills", "name: Pay_Invoice")
"""One error with a safe fix (SKL008), one with an unsafe one (SKL201)."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath(".git").mkdir()
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def call(*words: str) -> Run:
        capsys.readouterr()
        code = cli.main(["--isolated", "--select=SKL008,SKL201", *words])
        return Run(code, *capsys.readouterr())

    return call


def put(path: str, text: str) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())
    return Path(path)


def test_fix_writes_what_is_safe_and_the_exit_code_is_that_of_what_remains(run: Callable[..., Run]) -> None:
    file, other = put("pay/SKILL.md", BAD), put("inv/SKILL.md", WORD)
    found = run("--fix", "pay")
    assert (found.code, found.err, file.read_text()) == (0, "", GOOD)
    assert found.out == "1 file (1 skill, 0 sites): 0 errors, 0 warnings\n1 finding fixed\n"
    found = run("--fix")
    assert (found.code, other.read_text()) == (1, WORD)
    assert found.out.endswith("2 files (2 skills, 0 sites): 1 error, 0 warnings\n1 can be fixed with --unsafe-fixes\n")
    found = run("--fix", "--unsafe-fixes")
    assert (found.code, other.read_text()) == (0, WORD.replace("Pay_Invoice", "inv"))


def test_diff_changes_nothing_and_is_what_patch_applies(run: Callable[..., Run], here: Path) -> None:
    file = put("pay/SKILL.md", BAD.replace("\n", "\r\n"))
    found = run("--diff")
    assert (found.code, found.err, file.read_bytes().decode()) == (1, "", BAD.replace("\n", "\r\n"))
    assert found.out.startswith("--- a/pay/SKILL.md\n+++ b/pay/SKILL.md\n@@ -1,6 +1,6 @@\n")
    done = process("--isolated", "--select=SKL008", "--diff", str(here))
    subprocess.run(["git", "init", "-q", "."], check=True)  # the folder .git is empty
    subprocess.run(["git", "apply", "-"], input=done.out.encode(), check=True)
    assert file.read_bytes().decode() == GOOD.replace("\n", "\r\n")
    assert run("--diff") == Run(0, "", "")


def test_the_text_on_standard_input_is_fixed_to_standard_output(here: Path) -> None:
    file = put("pay/SKILL.md", "on disk")
    for name in ((), ("--stdin-filename=pay/SKILL.md",)):
        done = process("--isolated", "--select=SKL008", "--fix", *name, "-", stdin=BAD.encode())
        assert (done.code, done.out) == (0, GOOD)
        assert done.err == "1 file (1 skill, 0 sites): 0 errors, 0 warnings\n1 finding fixed\n"
    assert file.read_text() == "on disk"
    done = process("--isolated", "--select=SKL008", "--fix", "-", stdin=GOOD.encode())
    assert (done.code, done.out) == (0, GOOD)
    done = process("--isolated", "--select=SKL201", "--fix", "--format=flake8", "-", stdin=WORD.encode())
    assert (done.code, done.out) == (1, WORD)
    assert done.err.startswith("-:2:7: SKL201 ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--unsafe-fixes"], "--unsafe-fixes needs --fix or --diff"),
        (["--fix", "-", "pay"], "--fix and --diff take no other path besides -"),
        (["--fix", "--diff"], "--fix and --diff contradict each other"),
        (["--fix", "--show-settings"], "--fix and --show-settings contradict each other"),
    ],
)
def test_options_that_make_no_sense_together_are_told(run: Callable[..., Run], words: list[str], message: str) -> None:
    found = run(*words)
    assert (found.code, found.out) == (2, "")
    assert found.err == f"agentskills-lint: error: {message} (--help lists the options)\n"


def test_mode_and_links_stay(run: Callable[..., Run], here: Path) -> None:
    file = put("real/pay/SKILL.md", BAD)
    file.chmod(0o640)
    Path("skills").mkdir()
    Path("skills/pay").symlink_to(here / "real" / "pay")
    assert run("--fix", "skills").code == 0
    assert Path("skills/pay").is_symlink()
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (GOOD, 0o640)
    assert os.listdir("real/pay") == ["SKILL.md"]


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")
def test_a_file_that_cannot_be_written_is_told_and_the_others_are_fixed(here: Path) -> None:
    import resource

    large, small = put("a/pay/SKILL.md", BAD + "pay\n" * 10_000), put("b/pay/SKILL.md", BAD)
    before = large.read_text()

    def no_more_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    words = command("--isolated", "--select=SKL008", "--fix", ".")
    done = subprocess.run(**words, capture_output=True, text=True, timeout=60, preexec_fn=no_more_room)
    assert done.stderr == "agentskills-lint: error: cannot write a/pay/SKILL.md: File too large\n"
    assert done.stdout.endswith("2 files (2 skills, 0 sites): 1 error, 0 warnings\n1 can be fixed with --fix\n")
    assert (done.returncode, large.read_text(), small.read_text()) == (2, before, GOOD)
    assert os.listdir("a/pay") == ["SKILL.md"]


def test_a_file_that_changed_meanwhile_is_left_alone(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    from agentskills_lint import fixes

    file = put("pay/SKILL.md", BAD)
    original = fixes.fix

    def slow(*arguments: object, **settings: object) -> fixes.Fixed:
        found = original(*arguments, **settings)  # type: ignore[arg-type]
        file.write_text("somebody was faster")
        return found

    monkeypatch.setattr(fixes, "fix", slow)
    found = run("--fix")
    assert (found.code, file.read_text()) == (2, "somebody was faster")
    assert found.err == "agentskills-lint: error: cannot write pay/SKILL.md: it was changed meanwhile\n"


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")
def test_a_kill_at_any_moment_leaves_each_file_wholly_old_or_wholly_new(here: Path) -> None:
    files = [put(f"{number}/pay/SKILL.md", BAD) for number in range(300)]
    words = command("--isolated", "--select=SKL008", "--fix", "--quiet", ".")
    old, new = BAD.encode(), GOOD.encode()
    counts = set()
    for attempt in range(30):
        for file in files:
            file.write_bytes(old)
        running = subprocess.Popen(**words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        watched = sorted(files, key=str)[attempt * 9]  # killed when this one is written: further on each time
        while running.poll() is None and time.monotonic() < deadline and watched.stat().st_size == len(old):
            pass
        running.send_signal(signal.SIGKILL)
        running.wait(timeout=60)
        found = [file.read_bytes() for file in files]
        assert set(found) <= {old, new}
        counts.add(found.count(new))
        if len([count for count in counts if 0 < count < len(files)]) >= 5:
            return
    pytest.fail(f"only these kills came between two files: {counts}")


# A new index


def test_a_site_without_an_index_gets_one_that_is_clean(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = "public/.well-known/agent-skills"
    for name in ("pay", "buy"):
        put(
            f"{folder}/{name}/SKILL.md",
            clean_skill("agentskills", f"name: {name}\ndescription: |\n  Lets a user\n  {name}.  Use it when asked."),
        )
    put(f"{folder}/pay/references/SKILL.md", "nested")
    put(f"{folder}/nameless/SKILL.md", "# No frontmatter\n")
    words = ["--isolated", "--fix", "--unsafe-fixes", "--write-index", "public"]
    cli.main([*words, "--select=SKL8", "--ignore=SKL804"])
    told = capsys.readouterr()
    assert told.err == (
        "agentskills-lint: note: public/.well-known/agent-skills/index.json: is written for Agent Skills Discovery via"
        " Well-Known URIs (with --origin and --provider Agent Skills draft 0.1 by DualNova, too)\n"
        "agentskills-lint: warning: public/.well-known/agent-skills/nameless/SKILL.md: left out of the index: it has no"
        " name or no description\n"
    )
    index = json.loads(Path(folder, "index.json").read_text())
    assert list(index) == ["$schema", "skills"]
    assert [list(entry) for entry in index["skills"]] == [["name", "type", "description", "url", "digest"]] * 2
    raw = Path(folder, "buy", "SKILL.md").read_bytes()
    assert index["skills"][0] == {
        "name": "buy",
        "type": "skill-md",
        "description": "Lets a user buy. Use it when asked.",
        "url": "buy/SKILL.md",
        "digest": f"sha256:{hashlib.sha256(raw).hexdigest()}",
    }
    assert cli.main(["--isolated", "--select=SKL8", "--ignore=SKL804", "public"]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out


def test_with_origin_and_provider_the_new_index_serves_both_dialects(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = "public/.well-known/agent-skills"
    front = "version: 1.0.0\nlanguages: [en, de]\nurl: https://acme.example/docs/pay"
    put(f"{folder}/pay-invoice/SKILL.md", clean_skill("dualnova", front))
    words = ["--isolated", "--origin=https://acme.example/docs", "--provider=Acme", "public"]
    assert cli.main([*words, "--diff", "--unsafe-fixes", "--write-index"]) == 1
    told = capsys.readouterr()
    assert told.out.startswith(
        "--- /dev/null\n+++ b/public/.well-known/agent-skills/index.json\n@@ -0,0 +1,21 @@\n+{\n"
    )
    assert told.err == (
        "agentskills-lint: note: public/.well-known/agent-skills/index.json: would be written for Agent Skills"
        " Discovery via Well-Known URIs and Agent Skills draft 0.1 by DualNova\n"
    )
    assert not Path(folder, "index.json").exists()
    assert cli.main([*words, "--fix", "--unsafe-fixes", "--write-index"]) == 0
    index = json.loads(Path(folder, "index.json").read_text())
    assert {key: value for key, value in index.items() if key != "skills"} == {
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "version": "1.0",
        "provider": "Acme",
        "provider_url": "https://acme.example/docs",
    }
    (entry,) = index["skills"]
    assert entry["title"] == "Pay an invoice"
    assert entry["url"] == "https://acme.example/docs/.well-known/agent-skills/pay-invoice/SKILL.md"
    assert (entry["languages"], entry["execution_url"]) == (["en", "de"], "https://acme.example/docs/pay")
    capsys.readouterr()
    assert cli.main([*words, "--level=note", "--format=flake8"]) == 0
    assert capsys.readouterr().out == ""


def test_a_misspelt_suppression_of_nothing_settles(run: Callable[..., Run]) -> None:
    file = put("pay/SKILL.md", GOOD + "\n<!-- agentskills-lint: ignore[name-kebabcase] -->\n")
    found = run("--fix", "--select=SKL990,SKL991,SKL201", "--level=note", "pay")
    assert (found.code, found.err) == (0, "")
    assert "agentskills-lint" not in file.read_text(encoding="utf-8")


SKILLS = ".well-known/agent-skills"
DESCRIPTION = "Pays an open invoice by card. Use when the user wants to pay, not for refunds."


def index_of(*names: str, **more: str) -> str:
    """An index of discovery 0.2 with the right digests."""
    entries = []
    for name in names:
        raw = Path(SKILLS, name, "SKILL.md").read_bytes()
        digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
        entries.append({"name": name, "type": "skill-md", "description": more.get("description", DESCRIPTION)})
        entries[-1] |= {"url": f"{name}/SKILL.md", "digest": digest}
    return json.dumps({"$schema": SCHEMA_URI, "skills": entries}, indent=2) + "\n"


def fix(capsys: pytest.CaptureFixture[str], *words: str) -> Run:
    code = cli.main(["--isolated", "--fix", *words])
    return Run(code, *capsys.readouterr())


def test_a_dozen_faults_of_syntax_are_mended_and_the_digest_follows(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = "".join(f"  k{number}: v{number}: w\n" for number in range(12))
    file = put(f"{SKILLS}/pay/SKILL.md", clean_skill("agentskills", f"name: pay\nmetadata:\n{faults.rstrip()}"))
    put(f"{SKILLS}/index.json", index_of("pay"))
    done = fix(capsys)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("0 errors, 0 warnings\n13 findings fixed\n")
    assert file.read_text().count(': w"\n') == 12
    assert Path(SKILLS, "index.json").read_text() == index_of("pay")


def test_an_index_waits_for_a_file_that_cannot_be_written(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentskills_lint import files

    put(f"{SKILLS}/pay/SKILL.md", clean_skill("agentskills", "name: pay\nlicense: 1.10"))
    before = index_of("pay")
    put(f"{SKILLS}/index.json", before)
    original = files.replace

    def refusing(path: str, content: bytes) -> None:
        if path.endswith("SKILL.md"):
            raise PermissionError(13, "Permission denied")
        original(path, content)

    monkeypatch.setattr(files, "replace", refusing)
    done = fix(capsys)
    assert done.code == 2
    assert done.err == (
        f"agentskills-lint: error: cannot write {SKILLS}/pay/SKILL.md: Permission denied\n"
        f"agentskills-lint: error: {SKILLS}/index.json is left as it was: it has to agree with what could not be"
        " written\n"
    )
    assert Path(SKILLS, "index.json").read_text() == before


def test_a_new_index_is_made_of_the_skills_as_they_are_after_their_fixes(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(f"{SKILLS}/a/SKILL.md", clean_skill("agentskills", "name: 1.10"))
    put(f"{SKILLS}/pay/SKILL.md", clean_skill("agentskills", "name: pay").replace("description:", "desciption:"))
    done = fix(capsys, "--unsafe-fixes", "--write-index", "--ignore=SKL307")
    assert (done.code, "left out" in done.err) == (0, False)
    assert Path(SKILLS, "index.json").read_text() == index_of("a", "pay")


def test_a_skill_behind_a_link_is_listed_and_an_archive_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("src/b/SKILL.md", clean_skill("agentskills", "name: b"))
    put(f"{SKILLS}/b.zip", "PK")
    words = ["--unsafe-fixes", "--write-index", "--ignore=SKL820"]
    done = fix(capsys, *words)
    assert done.err == (
        f"agentskills-lint: note: {SKILLS}/index.json: there is nothing to list\n"
        f"agentskills-lint: warning: {SKILLS}/b.zip: left out of the index: of archives only you know the name and the"
        " description\n"
    )
    os.symlink("../../src/b", Path(SKILLS, "b"))
    done = fix(capsys, *words)
    assert (done.code, done.err.count("left out")) == (0, 1)
    assert Path(SKILLS, "index.json").read_text() == index_of("b")


def test_a_fix_that_is_not_kept_is_offered_no_more(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(f"{SKILLS}/pay/SKILL.md", clean_skill("agentskills", "name: pay"))
    index = json.loads(index_of("pay")) | {"provider": "Acme"}
    index["skills"][0]["url"] = f"https://acme.example/{SKILLS}/pay/SKILL.md"
    put(f"{SKILLS}/index.json", json.dumps(index))
    words = ["--isolated", "--level=note", "--origin=https://acme.example", "--format=flake8"]
    assert cli.main(words) == 0
    before = capsys.readouterr().out
    assert "SKL817" in before
    done = fix(capsys, *words[1:3], "--unsafe-fixes")
    assert done.code == 0
    assert "a fix of index-both-dialects was not kept: other files would have more findings after it" in done.err
    assert "can be fixed" not in done.out
    assert Path(SKILLS, "index.json").read_text() == json.dumps(index)


def test_what_falls_away_with_another_fix_counts_as_fixed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("a/SKILL.md", clean_skill("agentskills", "name: a\u200b"))
    assert cli.main(["--isolated", "--select=SKL201,SKL203,SKL902"]) == 1
    assert "\n2 can be fixed with --unsafe-fixes\n" in capsys.readouterr().out
    assert fix(capsys, "--unsafe-fixes", "--select=SKL201,SKL203,SKL902").out.endswith("\n2 findings fixed\n")
