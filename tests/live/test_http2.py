"""HTTP/2, where the package for it is installed: a real server over TLS."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.live.servers import Authority, Page
from tests.live.support import places, run, site

pytest.importorskip("h2")


class Served:
    """A server of HTTP/2 and nothing else; `asked` are the paths, `most` how many connections there were."""

    def __init__(self, context: ssl.SSLContext) -> None:
        context.set_alpn_protocols(["h2"])
        self._context = context
        self.answers = site()
        self.asked: list[str] = []
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._socket.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def start(self) -> None:
        self._threads[0].start()

    def stop(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            plain.settimeout(5)
            thread = threading.Thread(target=self._talk, args=(plain,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _talk(self, plain: socket.socket) -> None:
        from h2.config import H2Configuration
        from h2.connection import H2Connection
        from h2.events import RequestReceived

        with suppress(OSError), self._context.wrap_socket(plain, server_side=True) as stream:
            connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
            connection.initiate_connection()
            stream.sendall(connection.data_to_send())
            while data := stream.recv(65_536):
                for event in connection.receive_data(data):
                    if isinstance(event, RequestReceived) and event.stream_id and event.headers:
                        headers = {str(name): str(value) for name, value in event.headers}
                        self._answer(connection, event.stream_id, headers[":method"], headers[":path"])
                stream.sendall(connection.data_to_send())

    def _answer(self, connection: object, stream_id: int, method: str, path: str) -> None:
        from h2.connection import H2Connection

        assert isinstance(connection, H2Connection)
        self.asked.append(path)
        page = self.answers.get(path, Page("", {}, 404))
        assert isinstance(page, Page)
        body = page.body.encode() if isinstance(page.body, str) else page.body
        headers = [(":status", str(page.status)), ("content-length", str(len(body)))]
        headers += [(name.lower(), value) for name, value in page.headers.items()]
        is_empty = method == "HEAD" or not body
        connection.send_headers(stream_id, headers, end_stream=is_empty)
        if not is_empty:
            connection.send_data(stream_id, body, end_stream=True)


@contextmanager
def serving(context: ssl.SSLContext) -> Iterator[Served]:
    server = Served(context)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def test_http_2_over_one_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with serving(authority.context("127.0.0.1")) as server:
        report = run(server.url)
        assert places(report) == []
        assert report.files == {"index": 1, "skill": 1}
        assert len(server.asked) == 10
        assert server.connections < 10
