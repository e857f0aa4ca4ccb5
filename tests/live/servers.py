"""Real HTTP servers on loopback, each ended by the test that starts it."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

Reply = Callable[["Handler"], None]


class Page(NamedTuple):
    """An answer: its content, status and headers."""

    body: str | bytes = ""
    headers: Mapping[str, str] = {}
    status: int = 200


class Handler(BaseHTTPRequestHandler):
    """Answers by the table of its server."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, dict(self.headers.items())))
        found = self.server.answers.get(self.path, self.server.answers.get("*", Page("not here\n", {}, 404)))
        if callable(found):
            found(self)
            return
        page = found if isinstance(found, Page) else Page(found)
        body = page.body.encode() if isinstance(page.body, str) else page.body
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        if "Content-Length" not in page.headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server with a table of answers by path; "*" answers for all other paths."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host: str, context: ssl.SSLContext | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.answers: dict[str, Page | str | bytes | Reply] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.over = threading.Event()
        self._context = context
        super().__init__((host, 0), Handler)
        shown = f"[{host}]" if ":" in host else host
        self.port: int = self.server_address[1]
        self.url = f"{'https' if context else 'http'}://{shown}:{self.port}"

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        connection, address = super().get_request()
        connection.settimeout(10)
        return connection, address

    def finish_request(self, request: Any, client_address: Any) -> None:
        # the handshake belongs to the thread of the connection
        if self._context is not None:
            request = self._context.wrap_socket(request, server_side=True)
        try:
            super().finish_request(request, client_address)
        finally:
            if self._context is not None:
                request.close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are no fault."""

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [path for _, path, _ in self.asked]


@contextlib.contextmanager
def serving(
    answers: Mapping[str, Page | str | bytes | Reply] | None = None,
    host: str = "127.0.0.1",
    context: ssl.SSLContext | None = None,
) -> Iterator[Server]:
    """A running server."""
    server = Server(host, context)
    server.answers.update(answers or {})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


class Authority:
    """A certificate authority of one's own, with a certificate for the names that are asked for."""

    def __init__(self, folder: Path) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        self._x509, self._hashes, self._serialization, self._ec = x509, hashes, serialization, ec
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        constraints = x509.BasicConstraints(ca=True, path_length=None)
        # Python 3.13 holds certificates to RFC 5280, by which an authority says what its key is for
        uses = dict.fromkeys(
            ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "crl_sign", "encipher_only", "decipher_only"), False,
        )  # fmt: skip
        certificate = (
            self._builder(self._name, self._key.public_key())
            .add_extension(constraints, critical=True)
            .add_extension(x509.KeyUsage(key_cert_sign=True, **uses), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def _builder(self, name: Any, public_key: Any, days: int = 30) -> Any:
        now = datetime.datetime.now(datetime.UTC)
        return (
            self._x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(public_key)
            .serial_number(self._x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=60))
            .not_valid_after(now + datetime.timedelta(days=days))
        )

    def context(self, *names: str, days: int = 30) -> ssl.SSLContext:
        """What a server needs that is called so; with negative days its certificate has expired."""
        x509, serialization = self._x509, self._serialization
        key = self._ec.generate_private_key(self._ec.SECP256R1())
        alternatives = [
            x509.IPAddress(ipaddress.ip_address(name)) if name[0].isdigit() or ":" in name else x509.DNSName(name)
            for name in names
        ]
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        certificate = (
            self._builder(x509.Name([]), key.public_key(), days)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=True)
            .add_extension(authority, critical=False)
            .sign(self._key, self._hashes.SHA256())
        )
        file = self._folder / f"{abs(hash(names))}{days}.pem"
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context
