"""Archives by several processes: parcels that lie where others lay, and early ones, come out as from one process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fabricgen.publish import Bundle, large_file
from fabricgen.publish.archive import publish_archive
from fabricgen.publish.bundles import TASK
from tests.publish.publishing import HEADER


def _switch(number: int) -> Iterator[tuple[str, bytes]]:
    """The files of a switch, of which some are far smaller than those that lay there before."""
    size = 300 if number % 7 else 5
    yield f"configs/{number}/frr.conf", f"{number}\n".encode() * size


def _table(name: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    yield f"{name}.csv", (f"{name},{row}\n".encode() * 100 for row in range(30))


def _bundles() -> list[Bundle]:
    """Forty tasks of switches, more than there are places, around tables that are started before them."""
    made = [Bundle("configs", str(i), partial(_switch, i), cost=TASK) for i in range(40)]
    tables = [Bundle(name, name, partial(_table, name), cost=5 * TASK) for name in ("cables", "links")]
    return [tables[0], *made, tables[1]]


@pytest.mark.parametrize("kind", [".tar", ".tar.zst", ".zip"])
def test_archives_do_not_depend_on_parcels(tmp_path: Path, kind: str) -> None:
    for jobs in (1, 2):
        publish_archive(tmp_path / f"{jobs}{kind}", _bundles(), header=HEADER, jobs=jobs)
    assert (tmp_path / f"1{kind}").read_bytes() == (tmp_path / f"2{kind}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"1{kind}", f"2{kind}"]


@pytest.mark.parametrize("taken", [True, False])
def test_a_large_file_holds_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: bool) -> None:
    told: list[tuple[int, int]] = []

    def advise(_file: int, start: int, length: int, _advice: int) -> None:
        told.append((start, length))
        if not taken:
            raise OSError("not on this file system")

    monkeypatch.setattr(os, "posix_fadvise", advise, raising=False)
    monkeypatch.setattr(os, "POSIX_FADV_DONTNEED", 4, raising=False)
    monkeypatch.setattr(large_file, "_STEP", 1000)
    monkeypatch.setattr(large_file, "_BACK", 1500)
    pieces = [bytes([i]) * 400 for i in range(6)]
    with large_file.LargeFile(str(tmp_path / "x")) as out:
        for piece in pieces:
            assert out.write(piece) == len(piece)
    assert (tmp_path / "x").read_bytes() == b"".join(pieces)
    assert told == [(0, 1200), (900, 1500)]
