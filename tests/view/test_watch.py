"""`view --watch`: a mistake is told at its line while the last good picture stays, and a save mends it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cli import watching
from fabricgen.cli.watched_files import list_read_files

TEXT = Path("blueprints/leaf-spine.yaml").read_text(encoding="utf-8")


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    """An example of one's own, with an include and a catalogue beside it."""
    file = tmp_path / "blueprint.yaml"
    file.write_text(TEXT, encoding="utf-8")
    return file


Watched = tuple[str, subprocess.Popen[str]]


@pytest.fixture
def watch() -> Iterator[Callable[[Path], Watched]]:
    """Watch a file: the address, and the process."""
    with ExitStack() as stack:

        def start(file: Path) -> Watched:
            command = [sys.executable, "-m", "fabricgen", "view", "--watch", str(file)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            stack.enter_context(process)
            stack.callback(process.kill)
            assert process.stdout
            return process.stdout.readline().strip(), process

        yield start


def save(file: Path, text: str) -> None:
    """Save as editors do: write another file, and put it in place."""
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def test_a_mistake_is_shown_at_its_line_and_a_save_mends_it(blueprint, watch, pages):
    address, process = watch(blueprint)
    page = pages.at(f"{address}#overlay=rail&x=50&y=40&z=9")
    version = page.evaluate("() => FG.block('watch').version")
    save(blueprint, TEXT.replace("switch: ", "swich: ", 1))
    page.wait_for_selector("#faults:not([hidden])")
    line = next(i for i, text in enumerate(TEXT.splitlines(), 1) if "switch: " in text)
    told = page.locator("#faults").inner_text()
    assert re.search(rf"blueprint\.yaml:{line}:\d+: error\[FG\d+\]: .*swich", told)
    assert "switch" in told.partition("hint:")[2]
    assert page.locator("#title").inner_text() == "leaf-spine", "the last good picture stays"
    page.wait_for_function("() => location.hash.includes('z=9')")
    save(blueprint, TEXT.replace("name: leaf-spine", "name: mended", 1))
    page.wait_for_function("was => FG.block('watch').version > was", arg=version)
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#title").inner_text() == "mended"
    assert not page.locator("#faults").is_visible()
    assert page.evaluate("() => [FG.state.overlay, Math.round(FG.camera.scale)]") == ["rail", 9]
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    assert process.stderr
    assert "Traceback" not in process.stderr.read()
    page.wait_for_selector("#status.ended")
    page.close()  # it asks twice a second, and the browser tells each time that nobody answers any more
    pages.faults.clear()


def test_a_blueprint_that_is_wrong_from_the_start_is_shown_once_it_is_right(blueprint, watch, pages):
    save(blueprint, "fabricgen: [\n")
    address, _ = watch(blueprint)
    page = pages.at(address, "#faults:not([hidden])")
    save(blueprint, TEXT)
    page.wait_for_selector("html[data-ready]")


@pytest.mark.slow
def test_only_the_token_and_the_own_name_of_the_host_are_answered(blueprint, watch):
    address, _ = watch(blueprint)
    parts = urlsplit(address)
    assert parts.hostname == "127.0.0.1"
    with urllib.request.urlopen(f"{address}state", timeout=300) as answer:
        assert json.load(answer).keys() == {"version", "faults"}
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{parts.port}/", timeout=300)
    for host in ("evil.example", f"evil.example:{parts.port}", "127.0.0.1"):
        asks = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=300)
        asks.request("GET", parts.path, headers={"Host": host})
        assert asks.getresponse().status == 403
        asks.close()


@pytest.mark.slow
def test_no_connection_stops_the_page(blueprint, watch):
    """Neither those that say nothing, more than a process may have open, nor those that are reset."""
    address, process = watch(blueprint)
    parts = urlsplit(address)
    with ExitStack() as stack:
        for number in range(600):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", parts.port), timeout=300))
            if number % 100 == 0:
                idle.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: 127.0.0.1:{parts.port}\r\n\r\n".encode())
                idle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                idle.close()  # with RST, while it is answered
        with urllib.request.urlopen(f"{address}state", timeout=300) as answer:
            assert json.load(answer)["faults"] == []
        assert len(list(Path(f"/proc/{process.pid}/task").iterdir())) < 200
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert process.stderr.read() == "Ctrl-C ends it\n"


@pytest.mark.slow
def test_a_connection_has_some_seconds(monkeypatch):
    """However it spends them: a byte at a time meets every timeout of a read."""
    monkeypatch.setattr(watching, "OPEN_S", 0.2)
    server = watching._Server(("127.0.0.1", 0), watching._Answers)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    with socket.create_connection(server.server_address, timeout=300) as slow:
        with suppress(ConnectionError):
            for _ in range(30_000):
                slow.sendall(b"G")
                time.sleep(0.01)
        with pytest.raises(ConnectionError):
            slow.sendall(b"G")
    server.shutdown()
    server.server_close()


def test_what_a_blueprint_reads_is_watched(tmp_path, blueprint):
    part = tmp_path / "part.yaml"
    part.write_text("description: a part\n", encoding="utf-8")
    blueprint.write_text("include: part.yaml\n" + re.sub(r"^description:.*\n", "", TEXT, flags=re.M), encoding="utf-8")
    (tmp_path / "catalog").mkdir()
    files = set(list_read_files(load_blueprint(str(blueprint))))
    assert {blueprint, part, tmp_path / "blueprint.lock.yaml", tmp_path / "catalog"} <= files


def test_a_watch_writes_no_file(fabricgen, blueprint, tmp_path):
    refused = fabricgen("view", blueprint, "--watch", "-o", tmp_path / "cluster.html")
    assert refused.code == 2
    assert "leave -o and --format out" in refused.err
