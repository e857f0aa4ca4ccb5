"""The example site behind Debian's nginx: as it comes, and with the headers that docs/live.md asks for."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentskills_lint.config import Config
from tests.live.support import messages, places, run

ROOT = Path(__file__).parents[2]
ORIGIN = "https://rosewood.example"
INDEX = "/.well-known/agent-skills/index.json"

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(sys.platform != "linux", reason="nginx is tried as Debian packages it"),
]

CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {site};
        {rest}
    }}
}}
"""


@pytest.fixture(scope="module")
def nginx() -> str:
    """The program; in CI it has to be there or be installed."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if found is None and os.environ.get("CI") and os.getuid() == 0:
        for words in (["update"], ["install", "-y", "--no-install-recommends", "nginx-light"]):
            subprocess.run(["apt-get", "-q", *words], check=True, capture_output=True, timeout=300)
        found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if found is None or not Path("/etc/nginx/mime.types").is_file():
        reason = "nginx is not installed (apt-get install nginx-light)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextmanager
def serving(nginx: str, folder: Path, rest: str) -> Iterator[str]:
    """The example site behind nginx; gives its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = folder / "site"
    shutil.copytree(ROOT / "examples" / "clean", site)
    for path in (folder, *folder.parents):  # the worker may be another user
        if path.is_relative_to("/tmp") and path != Path("/tmp"):
            path.chmod(path.stat().st_mode | 0o055)
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, port=port, site=site, rest=rest), encoding="utf-8")
    server = subprocess.Popen([nginx, "-c", str(configuration)], stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None, server.stderr.read() if server.stderr else ""
                assert time.monotonic() < until
                time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate(timeout=10)


def documented() -> str:
    """The configuration that docs/live.md shows."""
    text = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    found = re.search(r"^```nginx\n(.*?)^```$", text, re.M | re.S)
    assert found is not None
    return found[1]


def test_the_documented_configuration_gives_nothing(nginx: str, tmp_path: Path) -> None:
    with serving(nginx, tmp_path, documented()) as url:
        report = run(url, Config(origin=ORIGIN))
        assert places(report, url) == []
        assert report.files == {"index": 1, "discovery": 1, "skill": 2}


def test_nginx_as_it_comes(nginx: str, tmp_path: Path) -> None:
    with serving(nginx, tmp_path, "") as url:
        report = run(url, Config(origin=ORIGIN))
        assert places(report, url) == [
            ("http-cors", "warning", INDEX, 1, 1),
            ("http-cache", "warning", INDEX, 1, 1),
            ("http-content-type", "error", INDEX, 12, 14),
            ("http-cache", "warning", "/skills.txt", 1, 1),
            ("http-media-type", "note", "/skills.txt", 1, 1),
            ("http-media-type", "note", "/skills.txt", 7, 20),
        ]
        assert messages(report, "http-content-type", url) == [
            "'/.well-known/agent-skills/order-flowers/SKILL.md' is served as 'application/octet-stream', "
            "not as text/markdown or text/plain"
        ]
        assert messages(report, "http-cache") == [
            f"'{INDEX}' is served without Cache-Control (and 1 more)",
            "'/skills.txt' is served without Cache-Control (and 1 more)",
        ]
        assert messages(report, "http-media-type", url) == [
            "'/skills.txt' is served as 'text/plain' without 'charset=utf-8'",
            "'/skills/track-order/SKILL.md' is served as 'application/octet-stream', not as text/markdown",
        ]
