"""The command line with URLs: options, exit codes, reports, progress, Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from agentskills_lint.about import formats
from agentskills_lint.cli import main
from agentskills_lint.documents import MAX_BYTES
from tests.live.servers import Handler, Page, serving
from tests.live.support import CLEAN, INDEX, JSON, MARKDOWN, SKILL, entry, index, site
from tests.packing import Item, tar_gz

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "report.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(site()) as server:
        assert main([server.url]) == 0
        assert capsys.readouterr().out == "2 files (1 skill, 1 site): 0 errors, 0 warnings\n"
        server.answers[SKILL] = Page("", {}, 404)
        assert main([server.url]) == 1
        assert f"{server.url}{INDEX}:4:52: error: " in capsys.readouterr().out
        url = server.url
    assert main([url]) == 2
    told = capsys.readouterr()
    assert told.err == f"agentskills-lint: error: {url}: cannot be reached: the connection is refused\n"
    assert "1 not read" in told.out


def test_paths_and_urls_in_one_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pay-invoice"
    folder.mkdir()
    (folder / "SKILL.md").write_text(CLEAN.replace("name: pay-invoice", "name: Pay"), encoding="utf-8")
    with serving(site()) as server:
        assert main(["pay-invoice", server.url, "--level", "note"]) == 1
        told = capsys.readouterr().out
        assert "pay-invoice/SKILL.md:2:7: error: " in told
        assert server.url not in told
        assert "3 files (2 skills, 1 site): 1 error" in told


def test_a_tree_and_what_became_of_it_are_no_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, page in site().items():
        file = tmp_path / "public" / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        assert isinstance(page, Page)
        file.write_text(str(page.body), encoding="utf-8")
    with serving(site()) as server:
        assert main(["public", server.url, "--level", "note"]) == 0
        told = capsys.readouterr().out
        assert told == "4 files (2 skills, 2 sites): 0 errors, 0 warnings, 0 notes\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://user:pass@acme.example/"], "'http://acme.example/' has a user and a password, which reports would"),
        (["http://"], "'http://' is no URL of a host"),
        (["https://acme.example:99999"], "'https://acme.example:99999' is no URL"),
        (["https://[::1"], "'https://[::1' is no URL"),
        (["https://acme.example", "--fix"], "--fix is for files, not for 'https://acme.example'"),
        (["https://acme.example", "--diff"], "--diff is for files"),
        (["https://acme.example", "--changed"], "--changed is for files"),
        (["https://acme.example", "--concurrency", "0"], "argument --concurrency: expected a whole number above 0"),
        (["https://acme.example", "--timeout", "-1"], "argument --timeout: expected seconds above 0"),
        (["https://acme.example", "--header", "s3cret"], "argument --header: expected 'Name: value'"),
        (["https://acme.example", "--header", "A: s3cret\u00e9"], "argument --header: a header is a line of ASCII"),
        (["--compare", "."], "--compare needs the URL of a live site"),
    ],
)
def test_wrong_usage(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "s3cret" not in told
    assert "pass@" not in told


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("acme.example", "https://acme.example"),
        ("www.acme.fr/docs/", "https://www.acme.fr/docs/"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("ftp://acme.com/", "https://acme.com/"),
        ("https:/acme.com", "https://acme.com"),
    ],
)
def test_a_path_that_may_be_a_host(path: str, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([path]) == 2
    told = capsys.readouterr().err
    assert told == f"agentskills-lint: error: {path}: No such file or directory; for a live site write {address}\n"


@pytest.mark.parametrize("path", ["SKIL.md", "docs/acme.com", "v1.0", "./acme.com", "a b.com", "x:y@acme.com"])
def test_a_path_that_is_none(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([path]) == 2
    assert capsys.readouterr().err == f"agentskills-lint: error: {path}: No such file or directory\n"


def test_options_reach_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(site({"/robots.txt": "User-agent: *\nDisallow: /\n"})) as server:
        words = ["--header", "X-Staging: s3cret", "--user-agent", "ours/1", "--level", "note", "-v"]
        main([server.url, *words])
        told = capsys.readouterr()
        assert {headers["X-Staging"] for _, _, headers in server.asked} == {"s3cret"}
        assert {headers["User-Agent"] for _, _, headers in server.asked} == {"ours/1"}
        assert "s3cret" not in told.out + told.err
        assert "(--ignore-robots fetches it all the same)" in told.out
        assert SKILL not in server.paths
        main([server.url, "--ignore-robots"])
        assert SKILL in server.paths


def test_the_json_report_tells_how_files_are_served(capsys: pytest.CaptureFixture[str]) -> None:
    with serving() as server:
        server.answers.update(site({"/old": Page("", {"Location": SKILL}, 301)}))
        listed = index(entry("/old"), entry("http://nowhere.invalid/SKILL.md", name="nowhere"))
        server.answers[INDEX] = Page(listed, JSON | {"Set-Cookie": "id=7", "X-Token": "s3cret"})
        assert main([server.url, "--format", "json"]) == 1
        report = json.loads(capsys.readouterr().out)
        jsonschema.validate(report, SCHEMA)
        by_url = {found["url"].removeprefix(server.url): found for found in report["responses"]}
        assert list(by_url) == [INDEX, "/old", "http://nowhere.invalid/SKILL.md"]
        assert by_url["/old"]["finalUrl"] == server.url + SKILL
        assert by_url["/old"]["status"] == 200
        assert by_url["/old"]["headers"]["content-type"] == "text/markdown; charset=utf-8"
        assert by_url["http://nowhere.invalid/SKILL.md"]["status"] is None
        assert by_url["http://nowhere.invalid/SKILL.md"]["failure"] == "dns"
        assert set(by_url[INDEX]["headers"]) == {
            "access-control-allow-origin", "cache-control", "content-length", "content-type", "date",
        }  # fmt: skip


def test_sarif_anchors_to_the_url(capsys: pytest.CaptureFixture[str]) -> None:
    path = "/.well-known/agent-skills/a%20b/SKILL.md"
    text = CLEAN.replace("name: pay-invoice", "name: Pay")
    with serving({INDEX: Page(index(entry(path, text)), JSON), path: Page(text, MARKDOWN)}) as server:
        main([server.url, "--format", "sarif", "--select", "name-kebab-case"])
        (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": server.url + path}
        assert place["region"] == {"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 10}
        assert "fixes" not in result


def test_escapes_of_a_server_never_reach_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\x9b2J\x9d0;owned\x9c"
    listed = index(entry(f"/{evil}", name=evil))
    answers = {
        INDEX: Page(listed, JSON | {"Content-Type": f"text/{evil}", "Cache-Control": f"private, {evil}"}),
        "/skills.txt": Page(f"# {evil}\n\n## Skills\n\n- [a](/{evil}/SKILL.md)\n", {"Content-Type": evil}),
        "*": Page("", {"Location": f"/{evil}/x"}, 302),
    }
    with serving(answers) as server:
        reports = [f"--report={name}={name}" for name in formats()]
        assert main([server.url, "--level", "note", "-v", *reports]) == 1
    told = capsys.readouterr()
    written = [(tmp_path / name).read_text(encoding="utf-8") for name in formats()]
    assert len(written) == 8
    for text in (told.out, told.err, *written):
        assert set("\x1b\x07\x9b\x9c\x9d").isdisjoint(text)
    assert all("owned" in text for text in (told.out, *written))


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def write(path: str, text: str) -> None:
        file = tmp_path / "public" / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")

    other = CLEAN.replace("pay-invoice", "get-refund").replace("Pays an open", "Pays back an")
    there = SKILL.replace("pay-invoice", "get-refund")
    listed = index(entry(), entry(there, other, "get-refund").replace("Pays an open", "Pays back an"))
    write(INDEX, listed)
    write(SKILL, CLEAN)
    write(there, other)
    with serving(site({INDEX: Page(listed, JSON), there: Page(other, MARKDOWN)})) as server:
        assert main([server.url, "--compare", "public"]) == 0
        assert "difference" not in capsys.readouterr().out
        assert [method for method, path, _ in server.asked if path == SKILL] == ["GET", "HEAD"]  # once for both

        server.answers[SKILL] = Page(CLEAN.replace("\n", "\r\n"), MARKDOWN)
        server.answers[there] = Page("", {}, 404)
        gone = entry("/gone/SKILL.md", name="gone")
        server.answers[INDEX] = Page(index(entry(), gone), JSON)
        server.answers["/gone/SKILL.md"] = Page(CLEAN, MARKDOWN)
        assert main([server.url, "--compare", "public", "--format", "json"]) == 1
        report = json.loads(capsys.readouterr().out)
        jsonschema.validate(report, SCHEMA)
        found = [(d["kind"], d["url"].removeprefix(server.url), d["path"]) for d in report["differences"]]
        assert found == [
            ("missing", there, f"public{there}"),
            ("stale", INDEX, f"public{INDEX}"),
            ("stale", SKILL, f"public{SKILL}"),
            ("extra", "/gone/SKILL.md", ""),
        ]
        assert report["differences"][0]["reason"] == "answers 404"
        assert report["differences"][2]["reason"].endswith(": only the line ends differ")
        main([server.url, "--compare", "public", "--select", "SKL94"])
        told = capsys.readouterr().out
        assert f"{server.url}/gone/SKILL.md: extra: the tree has no such file\n" in told
        assert "4 differences" in told
        (tmp_path / "empty").mkdir()
        assert main([server.url, "--compare", "empty"]) == 2
        assert "--compare: empty holds no site" in capsys.readouterr().err


def test_a_large_archive_is_compared_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = "/.well-known/agent-skills/pay-invoice.tar.gz"
    packed = tar_gz(Item("SKILL.md", CLEAN.encode()), Item("a.bin", random.Random(1).randbytes(MAX_BYTES)))
    folder = tmp_path / "public" / ".well-known" / "agent-skills"
    folder.mkdir(parents=True)
    (folder / "index.json").write_text(index(entry(url, packed, kind="archive")), encoding="utf-8")
    (folder / "pay-invoice.tar.gz").write_bytes(packed)
    zipped = JSON | {"Content-Type": "application/gzip"}
    with serving({INDEX: Page((folder / "index.json").read_bytes(), JSON), url: Page(packed, zipped)}) as server:
        assert main([server.url, "--compare", "public"]) == 0
        capsys.readouterr()
        server.answers[url] = Page(packed + b"\0", zipped)
        assert main([server.url, "--compare", "public", "--ignore", "ALL", "--select", "http-status"]) == 1
        assert f"{server.url}{url}: stale: sha256:" in capsys.readouterr().out


def slow(handler: Handler) -> None:
    handler.close_connection = True
    handler.server.over.wait(20)


def test_ctrl_c_shows_what_is_known() -> None:
    listed = index(entry(content=CLEAN + "\n"), entry("/slow/SKILL.md", name="slow"))
    with serving(site({INDEX: Page(listed, JSON), "/slow/SKILL.md": slow})) as server:
        command = [sys.executable, "-m", "agentskills_lint", server.url, "-v"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            until = time.monotonic() + 20
            while "/slow/SKILL.md" not in server.paths or SKILL not in server.paths:
                assert time.monotonic() < until
                time.sleep(0.02)
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=20)
        assert child.returncode == 130
        assert err == "agentskills-lint: error: interrupted: this is what was known\n"
        assert f"{server.url}{INDEX}:4" in out
        assert "index-digest" in out
        assert f"{server.url}{INDEX}:5: not checked: /slow/SKILL.md: nobody asked: the run was interrupted" in out


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = pty.openpty()
    with serving(site()) as server:
        command = [sys.executable, "-m", "agentskills_lint", server.url]
        environment = os.environ | {"TERM": "xterm"}
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, check=False, timeout=30)
        os.close(theirs)
        shown = os.read(ours, 65_536).decode()
        os.close(ours)
        assert run.returncode == 0
        assert b"requests" not in run.stdout
        assert shown.startswith("\r\x1b[K1 of 7 requests")
        assert shown.endswith("\r\x1b[K")
        main([server.url])
        assert capsys.readouterr().err == ""


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import agentskills_lint

    for name in list(sys.modules):
        if name.startswith(("httpx", "httpcore", "agentskills_lint.live")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(agentskills_lint, "live")
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" not in path])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    assert main(["https://acme.example", "--isolated"]) == 2
    assert capsys.readouterr().err == ("agentskills-lint: error: a URL needs the package httpx (pip install httpx)\n")


def test_a_run_without_urls_imports_no_client(tmp_path: Path) -> None:
    code = (
        "import sys; from agentskills_lint.cli import main; main(['.', '--allow-empty']);"
        "names = ('httpx', 'httpcore', 'asyncio', 'ssl', 'agentskills_lint.live');"
        "print([name for name in names if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("[]\n")
