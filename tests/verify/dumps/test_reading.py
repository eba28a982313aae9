"""Dumps are read from files, folders, archives and standard input; what is broken is told, all of it."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import sys
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import zstandard

from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.dumps import _sources
from tests.verify.dumps.reading import read_dumps

ENTRY = {"lldp_rem_sys_name": "spine-01", "lldp_rem_chassis_id": "02:00:00:00:00:0a", "lldp_rem_port_id": "etp1"}
DUMP = json.dumps({"LLDP_ENTRY_TABLE:Ethernet0": ENTRY}).encode()
TEXTS = {"leaf-01.json": DUMP, "more/leaf-02.json": DUMP, "README.md": b"# Dumps of Monday\n", "more/x.bin": b"\0\1"}


def told(*arguments: Path | str) -> list[str]:
    """The faults of arguments, as CODE FILE:LINE:COLUMN MESSAGE."""
    with pytest.raises(InputError) as error:
        read_dumps([str(each) for each in arguments], jobs=1)
    return [f"{each.code} {each.span} {each.message}" for each in error.value.diagnostics]


def tarred() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in TEXTS.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("leaf-03.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    return stream.getvalue()


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in TEXTS.items():
            archive.writestr(name, data)
    return stream.getvalue()


def test_folders_are_read_by_name_and_what_is_no_dump_is_listed(tmp_path: Path) -> None:
    for name, data in TEXTS.items():
        (tmp_path / "hall" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "hall" / name).write_bytes(data)
    seen, ignored, files = read_dumps([f"{tmp_path}/hall/"], jobs=1)
    shown = [seen.boxes[owner].file.removeprefix(str(tmp_path)) for owner in sorted(seen.agents)]
    assert shown == ["/hall/leaf-01.json", "/hall/more/leaf-02.json"]
    assert [name.removeprefix(str(tmp_path)) for name in ignored] == ["/hall/README.md", "/hall/more/x.bin"]
    assert files == 2


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("d.tar", tarred()),
        ("d.tar.gz", gzip.compress(tarred())),
        ("d.tar.xz", lzma.compress(tarred())),
        ("d.tar.zst", zstandard.compress(tarred())),
        ("d.zip", zipped()),
    ],
)
def test_archives_are_read_in_memory(tmp_path: Path, name: str, data: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    seen, ignored, files = read_dumps([str(file)], jobs=1)
    assert [seen.boxes[owner].file for owner in sorted(seen.agents)] == [
        f"{file}/leaf-01.json",
        f"{file}/more/leaf-02.json",
    ]
    assert sorted(ignored) == [f"{file}/README.md", f"{file}/more/x.bin"]
    assert (files, list(tmp_path.iterdir())) == (2, [file])


def test_files_of_an_archive_may_be_compressed_themselves(tmp_path: Path) -> None:
    (tmp_path / "leaf-01.json.gz").write_bytes(gzip.compress(DUMP))
    assert len(read_dumps([str(tmp_path / "leaf-01.json.gz")], jobs=1)[0]) == 1
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(tmp_path / "leaf-01.json.gz", "dump/leaf-01.json.gz")
    assert len(read_dumps([str(tmp_path / "outer.zip")], jobs=1)[0]) == 1


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(DUMP)))
    assert read_dumps(["-"], jobs=1)[0].boxes[0].file == "-"


def test_links_out_of_a_folder_and_pipes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(DUMP)
    hall = tmp_path / "hall"
    (hall / "deep").mkdir(parents=True)
    (hall / "leaf-01.json").write_bytes(DUMP)
    (hall / "deep" / "leaf-02.json").symlink_to("../leaf-01.json")
    (hall / "out.json").symlink_to("../secret.json")
    (hall / "round").symlink_to(".")
    os.mkfifo(hall / "pipe.json")
    seen = read_dumps([str(hall)], jobs=1)[0]
    assert [Path(seen.boxes[owner].file).name for owner in sorted(seen.agents)] == ["leaf-01.json", "leaf-02.json"]


def test_all_faults_of_all_files_are_told(tmp_path: Path) -> None:
    texts = {
        "a.json": b'{"lldp": {"interface": ',
        "b.txt": b"hello\n",
        "c.csv": b"device,port,neighbor\n",
        "d.bin": b"\0",
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    found = told(*(tmp_path / name for name in (*texts, "gone.json")))
    assert [each.replace(f"{tmp_path}/", "") for each in found] == [
        "FG065 a.json:1:24 this is no JSON: expecting value",
        "FG065 b.txt:1:1 'b.txt' is none of the dumps that are read",
        "FG065 c.csv:1:1 there is no column 'neighbor_port'",
        "FG065 d.bin:1:1 'd.bin' is a binary file",
        "FG001 gone.json:1:1 cannot read 'gone.json': no such file",
    ]


def test_broken_json_in_a_folder_is_a_fault_and_a_log_is_none(tmp_path: Path) -> None:
    (tmp_path / "leaf-01.json").write_bytes(DUMP)
    (tmp_path / "leaf.log").write_bytes(b"[2026-11-25 12:00] started\n{x}\n")
    assert read_dumps([str(tmp_path)], jobs=1)[1] == [f"{tmp_path}/leaf.log"]
    (tmp_path / "leaf-02.json").write_bytes(DUMP[:-1])
    assert told(tmp_path) == [f"FG065 {tmp_path}/leaf-02.json:1:{len(DUMP)} this is no JSON: expecting ',' delimiter"]


def test_an_argument_without_a_dump_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("nothing")
    assert told(tmp_path) == [f"FG065 {tmp_path}:1:1 there is no dump in '{tmp_path}'"]


def test_at_most_fifty_faults_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("device,port,neighbor,neighbor_port\n" + ",1,b,2\n" * 99)
    (tmp_path / "b.csv").write_text("device,port,neighbor,neighbor_port\n" + ",1,b,2\n" * 99)
    found = told(tmp_path / "a.csv", tmp_path / "b.csv")
    assert len(found) == 51
    assert found[-1].endswith("a.csv:51:1 there are more faults")


def test_encodings(tmp_path: Path) -> None:
    text = "device,port,neighbor,neighbor_port\na,1,b\xfcro,2\n" + "a,2,c,3\n" * 20
    for encoding, name in (
        ("utf-8", "b\xfcro"),
        ("utf-8-sig", "b\xfcro"),
        ("utf-16", "b\xfcro"),
        ("latin-1", "b\ufffdro"),
    ):
        (tmp_path / "a.csv").write_bytes(text.encode(encoding))
        assert read_dumps([str(tmp_path / "a.csv")], jobs=1)[0].boxes[1].name == name
    (tmp_path / "a.csv").write_bytes(text.encode("utf-8") + b"\xff\xfe" * 100)
    assert "is a binary file" in told(tmp_path / "a.csv")[0]


def test_what_grows_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sources, "MOST_BYTES", 1000)
    monkeypatch.setattr(_sources, "MOST_UNPACKED", 3000)
    monkeypatch.setattr(_sources, "MOST_FILES", 50)
    (tmp_path / "big.json").write_bytes(b" " * 1001)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b" " * 10_000_000)[:900])
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(51):
            archive.writestr(f"{number}", "")
    (tmp_path / "many.zip").write_bytes((tmp_path / "many.zip").read_bytes())
    nested = DUMP
    for _ in range(5):
        nested = gzip.compress(nested)
    (tmp_path / "nested.gz").write_bytes(nested)
    assert "larger than" in told(tmp_path / "big.json")[0]
    assert "larger than" in told(tmp_path / "bomb.gz")[0] or "damaged" in told(tmp_path / "bomb.gz")[0]
    monkeypatch.setattr(_sources, "MOST_BYTES", 100_000)
    assert "more than 50 files" in told(tmp_path / "many.zip")[0]
    assert "archives lie in each other" in told(tmp_path / "nested.gz")[0]


def test_damaged_archives_are_told(tmp_path: Path) -> None:
    for name, data in (
        ("a.zip", zipped()),
        ("a.tar.gz", gzip.compress(tarred())),
        ("a.tar.zst", zstandard.compress(tarred())),
    ):
        for end in range(6, len(data), len(data) // 7):
            (tmp_path / name).write_bytes(data[:end])
            assert all(each.startswith("FG065 ") for each in told(tmp_path / name))


def test_controls_of_terminals_are_spelled_out(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("device,port,neighbor,neighbor_port\na\x1b[31m,1\x07,b\u202e,2\x1b]0;\n")
    seen = read_dumps([str(tmp_path / "a.csv")], jobs=1)[0]
    assert all(text.isprintable() for text in (*seen.texts, *(name for box in seen.boxes for name in box)))


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    for number in range(200):
        entry = ENTRY | {"lldp_rem_sys_name": f"spine-{number % 7}"}
        (tmp_path / f"leaf-{number:03}.json").write_text(json.dumps({"LLDP_ENTRY_TABLE:Ethernet0": entry}))
    one, several = (read_dumps([str(tmp_path)], jobs=jobs)[0] for jobs in (1, 3))
    assert (one.boxes, one.texts, one.agents, one.lists_all) == (
        several.boxes,
        several.texts,
        several.agents,
        several.lists_all,
    )
    for name in ("owner", "port", "neighbor", "far_port", "far_text", "state"):
        assert np.array_equal(getattr(one, name), getattr(several, name))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("----\nLLDP neighbors:\n----\nInterface:    eth1, via: LLDP\n", "lldpctl -f json0"),
        ("lldp.eno1.via=LLDP\nlldp.eno1.rid=4\n", "lldpctl -f json0"),
        ("Last table change time   : 0:00:02 ago\n", "| json"),
        ("Device ID           Local Intf     Hold-time  Capability      Port ID\n", "device, port, neighbor"),
    ],
)
def test_the_hint_says_how_the_dump_is_made_instead(tmp_path: Path, text: str, hint: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    for argument in (tmp_path, tmp_path / "a.txt"):
        with pytest.raises(InputError) as error:
            read_dumps([str(argument)], jobs=1)
        assert hint in error.value.diagnostics[0].hint


@pytest.mark.slow
def test_names_longer_than_any_protocol_carries_are_cut(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    path = tmp_path / "leaf-01.json"
    path.write_text(json.dumps({"lldpNeighbors": [{"port": "1", "neighborDevice": long, "neighborPort": long}]}))
    seen = read_dumps([str(path)], jobs=1)[0]
    (neighbor,) = (seen.boxes[number] for number in seen.neighbor)
    assert len(neighbor.name) <= 510
    assert neighbor.name.endswith("... (3,000,000 characters)")
    assert seen.texts[seen.far_port[0]] == "x" * 510
