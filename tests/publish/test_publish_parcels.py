"""Archives by several processes come out as from one, large tables that are started first too."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fabricgen.publish import FileBundle
from fabricgen.publish.archive import publish_archive
from fabricgen.publish.stage import TASK
from tests.publish.publishing import HEADER


def _switch(number: int) -> Iterator[tuple[str, bytes]]:
    """The files of a switch, of which some are far smaller than others."""
    size = 300 if number % 7 else 5
    yield f"configs/{number}/frr.conf", f"{number}\n".encode() * size


def _table(name: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    yield f"{name}.csv", (f"{name},{row}\n".encode() * 100 for row in range(30))


def _bundles() -> list[FileBundle]:
    """Forty tasks of switches, more than are made ahead, around tables that are started before them."""
    made = [FileBundle("configs", str(i), partial(_switch, i), cost=TASK) for i in range(40)]
    tables = [FileBundle(name, name, partial(_table, name), cost=5 * TASK) for name in ("cables", "links")]
    return [tables[0], *made, tables[1]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".tar", ".tar.zst", ".zip"])
def test_archives_do_not_depend_on_parcels(tmp_path: Path, kind: str) -> None:
    for jobs in (1, 2):
        publish_archive(tmp_path / f"{jobs}{kind}", _bundles(), header=HEADER, jobs=jobs)
    assert (tmp_path / f"1{kind}").read_bytes() == (tmp_path / f"2{kind}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"1{kind}", f"2{kind}"]
