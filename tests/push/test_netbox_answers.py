"""Who answers in place of NetBox is told, by what is wrong; what was not read is not taken to be absent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, ClassVar

import pytest

from fabricgen.push import client
from fabricgen.push.client import NetBox, RefusedError


class _Answers(BaseHTTPRequestHandler):
    """Gives one answer to everything; None is not to answer until the test has given up."""

    answer: ClassVar[tuple[str, bytes] | None] = None
    given_up: ClassVar[Event] = Event()

    def do_GET(self) -> None:
        if self.answer is None:
            self.given_up.wait()
            return
        kind, content = self.answer
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815 - as the server calls it

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


JSON = "application/json"
LOGIN = ("text/html", b"<html>Log in</html>")


def _page(count: int, *rows: object) -> tuple[str, bytes]:
    return JSON, json.dumps({"count": count, "next": None, "results": rows}).encode()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (LOGIN, "answered 200 to GET dcim/sites with text/html, not with JSON"),
        ((JSON, b'{"count": 1, "res'), "not with JSON"),
        ((JSON, b"[]"), "no page of records"),
        ((JSON, b'{"netbox-version": "4.4.10"}'), "no page of records"),
        (_page(1, None), "a record: None is not of type 'object'"),
        (_page(1, {"name": "site1"}), "is a required property"),
        (_page(1000), "no page of records"),
    ],
)
def test_answers_that_are_none_of_netbox_are_told(url: str, answer: tuple[str, bytes], said: str) -> None:
    """A page without its records would be taken for a NetBox that has none, and the plan for what is to be made."""
    _Answers.answer = answer
    with pytest.raises(RefusedError) as refused:
        list(NetBox(url, "secret").list_records("dcim/sites"))
    assert said in str(refused.value)
    assert "before /api/" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_records_that_were_not_made_are_told(url: str) -> None:
    _Answers.answer = (JSON, b'[{"id": 1}]')
    with pytest.raises(RefusedError, match="not the 2 records that were sent"):
        NetBox(url, "secret").create_records("dcim/sites", [{"name": "a"}, {"name": "b"}])


@pytest.mark.slow
def test_a_server_that_says_nothing_is_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has some seconds for the first answer, and not the minutes of a batch of cables."""
    monkeypatch.setattr(client, "TRIES", 0)
    monkeypatch.setattr(client, "FIRST_S", 0.1)
    _Answers.answer = None
    try:
        with pytest.raises(RefusedError, match=r"cannot be reached: no whole answer within 0\.1 s at GET status"):
            NetBox(url, "secret").version()
    finally:
        _Answers.given_up.set()
