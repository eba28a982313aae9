"""Files of a built folder, lists and reports that mean harm or are broken: a fault with a place, never a wait."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabricgen.cli.commands.plan import _write_files
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import BLUEPRINTS

SMALL = BLUEPRINTS / "leaf-spine.yaml"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built folder, to be copied."""
    from fabricgen.cli.main import run_command

    out = tmp_path_factory.mktemp("built") / "out"
    assert run_command(["build", str(SMALL), "-o", str(out), "--only", "devices,links,cables,addresses,bom,racks"]) == 0
    return out


@pytest.fixture
def built(once: Path, tmp_path: Path) -> Path:
    """A built folder of one's own."""
    return Path(shutil.copytree(once, tmp_path / "out"))


@pytest.mark.parametrize("name", ["manifest.json", "devices.csv", "links.csv", "bom.csv"])
def test_no_pipe_is_waited_for(built: Path, name: str, fabricgen: Any) -> None:
    """Nobody may ever write to it."""
    (built / name).unlink()
    os.mkfifo(built / name)
    ran = fabricgen("plan", built, SMALL)
    assert (ran.code, "it is no regular file" in ran.err) == (2, True), ran.err
    if name == "manifest.json":
        assert "it is no regular file" in fabricgen("build", SMALL, "-o", built).err


@pytest.mark.parametrize("name", ["list.csv", "sheet.xlsx", "sheet.csv"])
def test_no_list_that_is_a_pipe_is_waited_for(name: str, tmp_path: Path, fabricgen: Any) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    command = (
        ("bom", SMALL, "--prices", pipe) if name == "list.csv" else ("as-built", SMALL, pipe, "-o", tmp_path / "o")
    )
    ran = fabricgen(*command)
    assert (ran.code, "it is no regular file" in ran.err) == (2, True), ran.err


DEEP = "[" * 900 + "]" * 900


@pytest.mark.tenth
@pytest.mark.parametrize("cell", [DEEP, "9" * 6000, "1e999", "NaN", '{"a": 1}', "[1]"])
def test_a_bill_with_strange_cells_is_judged(cell: str, tmp_path: Path, fabricgen: Any) -> None:
    bill = tmp_path / "bom.json"
    assert fabricgen("bom", SMALL, "--format", "json", "-o", bill).code == 0
    rows = json.loads(bill.read_text(encoding="utf-8"))
    rows[0]["quantity"] = "CELL"
    bill.write_text(json.dumps(rows).replace('"CELL"', cell), encoding="utf-8")
    ran = fabricgen("bom", SMALL, "--diff", bill)
    assert ran.code == 2
    assert ": error[FG074]: " in ran.err


def test_a_number_of_too_many_digits_is_told(tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "config_db.json"
    for text, told in (('{"PORT": ' + "9" * 6000 + "}", "has too many digits"), ("[" * 100_000, "nested too deeply")):
        file.write_text(text, encoding="utf-8")
        ran = fabricgen("check", file)
        assert (ran.code, told in ran.out + ran.err) == (2, True)


def test_a_message_does_not_repeat_a_whole_file(tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "wishes.yaml"
    file.write_text("x" * 100_000, encoding="utf-8")
    ran = fabricgen("size", "--wishes", file)
    assert (ran.code, len(ran.err) < 5000, "characters more" in ran.err) == (2, True, True)


def test_a_price_list_of_more_than_its_size_is_not_read(tmp_path: Path, fabricgen: Any) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_bytes(b"part,unit_price\n" + b"a,1\n" * (2 << 20))
    ran = fabricgen("bom", SMALL, "--prices", prices)
    assert (ran.code, "prices.csv': it is larger than 8 MiB" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("name", ["manifest.json", "links.csv"])
def test_a_list_of_a_build_that_is_a_hole_is_not_read(built: Path, name: str, fabricgen: Any) -> None:
    """A sparse file may be larger than any memory."""
    os.truncate(built / name, 1 << 40)
    ran = fabricgen("plan", built, SMALL)
    assert (ran.code, f"{name}:1:1: error[FG028]" in ran.err, "larger than 2,048 MiB" in ran.err) == (2, True, True)


def test_an_error_of_the_system_names_its_file(tmp_path: Path, fabricgen: Any) -> None:
    ran = fabricgen("check", tmp_path / ("x" * 300))
    assert (ran.code, f"{'x' * 40}" in ran.err, "File name too long" in ran.err) == (2, True, True), ran.err


@pytest.mark.slow
def test_no_input_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Any) -> None:
    monkeypatch.chdir(tmp_path)
    prices, own = Path("prices.csv"), Path("own.yaml")
    archive = Path("prices.tar")
    for list_ in (prices, archive):
        list_.write_text("part,unit_price\n", encoding="utf-8")
    own.write_text("include: base.yaml\nname: own\n", encoding="utf-8")
    shutil.copy(BLUEPRINTS / "known-hardware.yaml", "base.yaml")
    shutil.copy(BLUEPRINTS / "known-hardware.csv", "known-hardware.csv")
    Path("link.csv").symlink_to("own.yaml")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for command in (
        ("bom", own, "-o", own),
        ("bom", own, "-o", "./own.yaml", "--format", "csv"),
        ("bom", own, "-o", "base.yaml"),
        ("bom", own, "-o", "known-hardware.csv"),
        ("bom", own, "--prices", prices, "-o", prices),
        ("wiring", own, "-o", "link.csv"),
        ("wiring", own, "-o", "known-hardware.csv"),
        ("view", own, "-o", own),
        ("analyze", own, "-o", own),
        ("build", own, "--prices", archive, "--archive", archive),
        ("schema", own, "-o", own),
    ):
        ran = fabricgen(*command)
        assert (ran.code, "name another file to write" in ran.err) == (2, True), (command, ran.err)
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before, command


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_new_files_have_the_mode_that_the_umask_leaves(umask: int, mode: int, tmp_path: Path, fabricgen: Any) -> None:
    earlier, new = tmp_path / "earlier.csv", tmp_path / "new.csv"
    earlier.touch()
    earlier.chmod(0o640)
    before = os.umask(umask)
    try:
        codes = {fabricgen("bom", SMALL, "-o", file).code for file in (earlier, new)}
    finally:
        os.umask(before)
    assert codes == {0}
    assert [file.stat().st_mode & 0o777 for file in (earlier, new)] == [0o640, mode]


def test_a_full_disk_leaves_no_part_of_what_is_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Any
) -> None:
    def full(_: int, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fabricgen.publish.files.write_all", full)
    ran = fabricgen("init", tmp_path / "own.yaml")
    assert (ran.code, "own.yaml: No space left on device" in ran.err, list(tmp_path.iterdir())) == (2, True, []), (
        ran.err
    )

    def some() -> Iterator[tuple[str, bytes]]:
        yield "configs/one/frr.conf", b"hostname one"
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new", tmp_path / "empty"):
        with pytest.raises(InputError, match=r"\[FG023\]: cannot write '.*': No space left on device"):
            _write_files(folder, some())
    assert [file.name for file in tmp_path.rglob("*")] == ["empty"]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_is_an_interruption(how: signal.Signals, tmp_path: Path) -> None:
    """What CI sends to a job that is cancelled: nothing stays that was written for a while, and no process."""
    code = """
import os, signal, sys
from fabricgen.publish import files
write = files.write_all
def write_all(descriptor, content):
    write(descriptor, content)
    print("writes", flush=True)
    signal.pause()
files.write_all = write_all
for number in (signal.SIGTERM, signal.SIGHUP):  # nohup, under which tests may run, has SIGHUP ignored
    signal.signal(number, signal.SIG_DFL)
from fabricgen.__main__ import main
main()
"""
    command = [sys.executable, "-c", code, "bom", str(SMALL), "-o", str(tmp_path / "bom.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "writes\n"
        assert list(tmp_path.glob(".fabricgen-*"))
        process.send_signal(how)
        try:
            _, said = process.communicate(timeout=300)
        finally:
            process.kill()  # or it would be waited for without end
    assert (process.returncode, "interrupted; no file is left half-written" in said) == (130, True), said
    assert list(tmp_path.iterdir()) == []
