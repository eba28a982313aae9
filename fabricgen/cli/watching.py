"""`view --watch`: the page on loopback, built anew at every save of a file that the blueprint reads.

The page asks every half second whether there is a newer one. A fault leaves the last good picture in place, and is
shown beside it. The address has a random token, and requests under another name of the host are refused, so that no
other page in the browser, and no name that is pointed at this machine, reaches it.
"""

from __future__ import annotations

import json
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.cli.watched_files import WatchedFiles, let_interrupts_through, list_read_files
from fabricgen.kernel.diagnostics import Diagnostic, InputError, make_printable

PAUSE_S = 0.2
"""Seconds between looks at the files."""

MOST_OPEN, OPEN_S = 64, 10
"""The most connections at once, and the seconds that each has: the page opens one at a time, and closes it."""

Made = tuple[str, LoadedBlueprint]
"""A page, and the blueprint that it was made of."""


@dataclass
class Shown:
    """What is served: the last good page, its version, and the present faults of the blueprint."""

    page: bytes
    version: int = 0
    faults: list[dict[str, str]] = field(default_factory=list)

    @property
    def state(self) -> bytes:
        """What the page polls every half second, as JSON: `version`, and `faults`, a mapping of texts each."""
        return json.dumps({"version": self.version, "faults": self.faults}).encode()


class Watch:
    """Builds the page of a blueprint, and again whenever one of its files changes."""

    def __init__(self, blueprint: str, make: Callable[[int], Made], empty: Callable[[int], str]) -> None:
        """Take `make`, which builds the page of a version, and `empty`, which makes a page without a picture for as
        long as there is no good one.
        """
        self._blueprint, self._make = Path(blueprint), make
        self.watched = WatchedFiles(self._blueprint)
        self.shown = Shown(empty(0).encode())

    def build_page(self) -> None:
        """Build the page; the faults of a blueprint that cannot be used are kept and printed."""
        number = self.shown.version + 1
        self.watched.note_stamps()
        try:
            page, loaded = self._make(number)
        except InputError as error:
            self.watched.files |= {Path(d.span.file) for d in error.diagnostics if d.span}
            self.shown.faults = [_describe_fault(diagnostic) for diagnostic in error.diagnostics]
            for diagnostic in error.diagnostics:
                click.echo(diagnostic.text(), err=True)
            return
        self.watched.files = {self._blueprint, *list_read_files(loaded)}
        self.shown = Shown(page.encode(), number)


def _describe_fault(diagnostic: Diagnostic) -> dict[str, str]:
    """Return a diagnostic as the page shows it: safe to print, by place, code, severity, message and hint."""
    return {
        "place": make_printable(str(diagnostic.span)) if diagnostic.span else "",
        "code": diagnostic.code,
        "severity": diagnostic.severity.label,
        "message": make_printable(diagnostic.message),
        "hint": make_printable(diagnostic.hint),
    }


def serve_page(watch: Watch, *, tell: Callable[[str], None]) -> None:
    """Serve a watched page on loopback until interrupted; `tell` is called with its address."""
    token = secrets.token_urlsafe(16)

    class Answers(_Answers):
        """Answers about this watch."""

        shown = property(lambda _: watch.shown)
        home = f"/{token}/"

    server = _Server(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    let_interrupts_through()
    try:
        tell(f"http://127.0.0.1:{server.server_port}/{token}/")
        watch.build_page()
        watch.watched.follow_changes(watch.build_page, PAUSE_S)
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    """A server that connections cannot exhaust: the oldest are ended if there are too many, and each after a while."""

    daemon_threads = True
    request_queue_size = MOST_OPEN

    def __init__(self, address: tuple[str, int], answers: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, answers)
        self._since: dict[Any, float] = {}
        """The open connections, oldest first, and the time since which each is open."""

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own, and note when it began."""
        self._since[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self._since.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End connections that are too many or too old; called after each connection, and twice a second."""
        ends, connections = time.monotonic() - OPEN_S, list(self._since.items())
        for rank, (connection, since) in enumerate(reversed(connections)):
            if rank >= MOST_OPEN or since < ends:
                with suppress(OSError):  # it has ended by itself
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about connections that were reset, or ended by `service_actions`."""


class _Answers(BaseHTTPRequestHandler):
    """Answers requests for the page and for its state."""

    timeout = OPEN_S
    shown: Any
    home: str
    server: ThreadingHTTPServer

    def do_GET(self) -> None:
        """Answer a request for the page or its state; all others are refused."""
        port = self.server.server_port
        if self.headers.get("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path == self.home:
            self._send_content(self.shown.page, "text/html; charset=utf-8")
        elif self.path == f"{self.home}state":
            self._send_content(self.shown.state, "application/json")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_content(self, content: bytes, kind: str) -> None:
        """Send content of a MIME type, which no other page may frame and no cache keeps."""
        self.send_response(HTTPStatus.OK)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(content))),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Print nothing about requests."""
