"""Who answers in place of NetBox may want to break what asks: every answer ends in time, in a message."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import socketserver
import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any, ClassVar

import pytest

from fabricgen.push import client
from fabricgen.push.client import NetBox, RefusedError, TokenMask
from tests.conftest import BLUEPRINTS
from tests.push.netbox_server import TOKEN, FakeNetBox

pytestmark = pytest.mark.slow

Said = Callable[[str, str], Iterator[bytes]]
"""What is sent for (path with its query, token), piece by piece."""


class _Server(socketserver.BaseRequestHandler):
    """Sends what it is told to, and counts it, until who asked has gone."""

    said: ClassVar[Said]
    sent: ClassVar[int] = 0

    def handle(self) -> None:
        """Answer one request."""
        with contextlib.suppress(OSError):
            asked = self.request.recv(65536).decode()
            token = next((line.split()[-1] for line in asked.splitlines() if line.startswith("Authorization")), "")
            for piece in type(self).said(asked.split()[1], token):
                self.request.sendall(piece)
                type(self).sent += len(piece)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Server) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def _answer(content: object, status: str = "200 OK", headers: str = "") -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _always(answer: bytes) -> Said:
    return lambda path, _: iter([_answer({"netbox-version": "4.4.10"}) if path.startswith("/api/status/") else answer])


def _refusal(url: str, said: Said) -> RefusedError:
    _Server.said, _Server.sent = staticmethod(said), 0
    with pytest.raises(RefusedError) as refused:
        list(NetBox(url, TOKEN).list_records("dcim/sites"))
    assert refused.value.diagnostics[0].code == "FG164"
    assert TOKEN not in str(refused.value)
    return refused.value


def _page(*rows: object, count: int = 1) -> bytes:
    return _answer({"count": count, "results": rows})


SITE = {"id": 1, "display": "site1", "name": "site1", "tags": []}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (_answer(b"[" * 100_000), "with application/json, not with JSON"),
        (_answer(b'{"a":' * 100_000), "not with JSON"),
        (_answer(b"[" * 900 + b"]" * 900), "not with JSON"),
        (_answer(b"\xff\xfe\x00"), "not with JSON"),
        (_answer({"count": 10**30, "results": []}), "no page of records"),
        (_answer({"count": "1", "results": [SITE]}), "no page of records"),
        (_answer({"count": 1, "results": {"id": 1}}), "no page of records"),
        (_page(SITE | {"tags": 7}), "not as NetBox has it: record 1: tags: 7 is not of type 'array'"),
        (_page(SITE | {"tags": [7]}), "record 1: tags.0: 7 is not of type 'object'"),
        (_page({"id": 1, "tags": []}), "record 1: 'display' is a required property"),
        (_page(SITE | {"id": "1"}), "a record: id: '1' is not of type 'integer'"),
        (_page(SITE, SITE, count=2), "has a record twice"),
        (_answer({"count": 10**30, "results": [SITE]}), "goes on after 10,000,000 records"),
        (_answer({}, headers="Content-Encoding: gzip\r\n"), "no page of records"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{}", "cannot be reached"),
        (b"SSH-2.0-OpenSSH\r\n", "cannot be reached"),
        (b"", "cannot be reached"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_answer_is_told_by_what_is_wrong(
    url: str, answer: bytes, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "TRIES", 0)
    assert told in str(_refusal(url, _always(answer)))


def test_a_body_of_three_gigabytes_is_not_read(url: str) -> None:
    def said(_path: str, _token: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 3000000000\r\n\r\n"
        yield from iter(lambda: bytes(1 << 20), b"")

    assert "GET dcim/sites is larger than 16 MiB" in str(_refusal(url, said))
    assert _Server.sent < 64 << 20


@pytest.mark.parametrize("step", [1, 1000])
def test_pages_without_end_have_one(url: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page says that there is more than it has, with records that were not there before."""
    monkeypatch.setattr(client, "ADDED", 20)

    def said(path: str, _token: str) -> Iterator[bytes]:
        first = int(path.partition("offset=")[2].partition("&")[0])
        rows = [SITE | {"id": number} for number in range(first, first + step)]
        yield _page(*rows, count=first + 2 * step)

    assert "GET dcim/sites goes on after" in str(_refusal(url, said))


def test_all_reading_ends_in_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ALL_S", 0)
    assert "is not at its end, and all reading has 0 s" in str(_refusal(url, _always(_page(SITE, count=2))))


def _slowly(content: bytes) -> Iterator[bytes]:
    for byte in content:
        yield bytes([byte])
        time.sleep(0.02)


@pytest.mark.parametrize(
    "said",
    [
        lambda _path, _token: _slowly(_page(SITE)),
        lambda _path, _token: _slowly(b"HTTP/1.1 200 OK\r\n" + b"X-Slow: 1\r\n" * 99),
        lambda _path, _token: iter([_answer({}, "503 Busy", "Retry-After: 86400\r\n")]),
    ],
    ids=["a byte at a time", "headers without end", "come back tomorrow"],
)
def test_a_slow_answer_is_given_up(url: str, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """No read of these takes long; all of them together do."""
    monkeypatch.setattr(client, "READ_S", 0.2)
    started = time.monotonic()
    assert "no whole answer within 0.2 s at GET dcim/sites" in str(_refusal(url, said))
    assert time.monotonic() - started < 2 * 60


def _spelled(token: str) -> list[str]:
    raw = token.encode()
    return [
        token,
        token.upper(),
        token[3:30],
        raw.hex(),
        *(base64.b64encode(word.encode() + raw + b"!").decode() for word in ("", "T", "To", "Token ")),
        base64.urlsafe_b64encode(raw).decode(),
        "".join(f"%{byte:02X}" for byte in raw),
    ]


@pytest.mark.parametrize("spelled", _spelled(TOKEN))
def test_a_token_that_is_echoed_is_masked(url: str, spelled: str) -> None:
    told = str(_refusal(url, _always(_answer({"detail": f"what is {spelled}?"}, "403 Forbidden"))))
    shown = told.partition("what is ")[2].partition("?")[0]
    assert "***" in shown
    assert not any(spelled[start : start + 12] in shown for start in range(len(spelled) - 11))


def test_a_token_in_escapes_of_json_is_masked(url: str) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in TOKEN)
    told = str(_refusal(url, _always(_answer(f'{{"detail": "what is {escaped}?"}}'.encode(), "403 Forbidden"))))
    assert ("what is ***?" in told, TOKEN in told) == (True, False), told


def test_all_else_is_not_masked() -> None:
    content = b'{"a": "0123456789ab-not", "b": "\xff"}'
    assert TokenMask(TOKEN).mask_token(content) == b'{"a": "***-not", "b": "\xff"}'
    assert TokenMask("x" + TOKEN[1:]).mask_token(b"nothing of it") == b"nothing of it"


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("http://[::1", "the URL is where NetBox is"),
        ("https://[::1", "the URL is where NetBox is"),
        ("https://netbox:99999999", "the URL is where NetBox is"),
        ("https://netbox:a", "the URL is where NetBox is"),
        ("https://net\tbox", "the URL is where NetBox is"),
        ("https://", "the URL is where NetBox is"),
        ("https://netbox?a=1", "the URL has more than a path"),
        ("http://127.0.0.1:1", "--plain-http"),
        ("HTTP://127.0.0.1:1", "--plain-http"),
    ],
)
def test_no_request_is_made_to_a_wrong_url(
    place: str, told: str, fabricgen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("a connection was made"))
    small = BLUEPRINTS / "leaf-spine.yaml"
    for command in (
        ("push", "netbox", small, "--url", place),
        ("plan", f"netbox:{place}", small),
        ("lock", small, "--import", f"netbox:{place}"),
    ):
        ran = fabricgen(*command, "--token", "env:NETBOX_TOKEN")
        assert (ran.code, told in ran.err, TOKEN in ran.err) == (2, True, False)


def test_a_token_in_place_of_its_name_is_not_shown(fabricgen: Any) -> None:
    options = ("--url", "https://netbox", "--token", f"env:{TOKEN}")
    ran = fabricgen("push", "netbox", BLUEPRINTS / "leaf-spine.yaml", *options)
    assert (ran.code, TOKEN in ran.err, "which is not set" in ran.err) == (2, False, True)


def _with(found: FakeNetBox, path: str, **fields: object) -> None:
    next(iter(found.held[path].values())).update(fields)


@pytest.mark.parametrize(
    ("path", "fields", "told"),
    [
        ("dcim/devices", {"tags": 7}, "tags: 7 is not of type 'array'"),
        ("dcim/devices", {"position": "1"}, "position: '1' is not of type 'number', 'null'"),
        ("dcim/devices", {"position": 1e300}, "position: 1e+300 is greater than the maximum"),
        ("dcim/devices", {"site": None}, "site: None is not of type 'object'"),
        ("ipam/ip-addresses", {"assigned_object_type": 5}, "assigned_object_type: 5 is not of type"),
        ("dcim/cables", {"a_terminations": [{}]}, "'object_type' is a required property"),
        ("dcim/interfaces", {"speed": [1]}, "speed: [1] is not of type 'number', 'null'"),
    ],
)
def test_a_record_that_is_not_netboxs_is_named(
    pushed: FakeNetBox, path: str, fields: dict[str, object], told: str, fabricgen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)
    _with(pushed, path, **fields)
    sides = (f"netbox:{pushed.url}", BLUEPRINTS / "leaf-spine.yaml", "--set", "pods.p1.su=1")
    ran = fabricgen("plan", *sides, "--plain-http", "--token", "env:NETBOX_TOKEN")
    assert (ran.code, f"answered to GET {path} is not as NetBox has it" in ran.err) == (2, True), ran.err
    assert told in ran.err


@pytest.mark.slow
def test_names_of_a_netbox_forge_no_line(pushed: FakeNetBox, fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do they speak to the terminal."""
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)
    small = (BLUEPRINTS / "leaf-spine.yaml", "--set", "pods.p1.su=1", "--plain-http", "--token", "env:NETBOX_TOKEN")
    for path, name in (("dcim/devices", "name"), ("ipam/ip-addresses", "description"), ("dcim/cables", "label")):
        for record in pushed.held[path].values():
            record[name] = f"\x1b[2J\nerror: {record.get(name)}"
    for ran in (
        fabricgen("plan", f"netbox:{pushed.url}", *small),
        fabricgen("push", "netbox", "--url", pushed.url, *small),
    ):
        assert ran.code == 1, ran.err
        assert "\x1b" not in ran.out + ran.err
        assert not any(line.startswith("error: ") for line in (ran.out + ran.err).splitlines())
