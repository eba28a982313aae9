"""Content in pieces: the same files and archives as if it came whole, without standing in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fabricgen.publish import FileBundle, PublishReport, publish_folder
from fabricgen.publish.archive import publish_archive
from tests.publish.publishing import HEADER, expected, tree

PIECES = [b"cable,fabric\n", b"", b"c1,compute\n" * 100_000, b"\n"]
PATH = "lists/cables.csv"


def made(pieces: list[bytes], *, whole: bool) -> list[FileBundle]:
    def make() -> Iterator[tuple[str, bytes | Iterator[bytes]]]:
        yield PATH, b"".join(pieces) if whole else iter(pieces)

    return [FileBundle("cables", "cables", make)]


@pytest.mark.parametrize("kind", [".tar", ".tar.zst", ".zip"])
def test_archives_do_not_depend_on_pieces(tmp_path: Path, kind: str) -> None:
    for whole in (False, True):
        publish_archive(tmp_path / f"{whole}{kind}", made(PIECES, whole=whole), header=HEADER)
    assert (tmp_path / f"False{kind}").read_bytes() == (tmp_path / f"True{kind}").read_bytes()


def test_folders_do_not_depend_on_pieces(target: Path) -> None:
    publish = partial(publish_folder, target, header=HEADER)
    assert publish(made(PIECES, whole=False)) == PublishReport(1, 0, 0)
    assert tree(target) == expected([("cables", PATH, b"".join(PIECES))])
    inode = (target / PATH).stat().st_ino
    assert publish(made(PIECES, whole=False)) == PublishReport(0, 1, 0)
    assert (target / PATH).stat().st_ino == inode
    assert publish(made([*PIECES, b"more"], whole=False)) == PublishReport(1, 0, 0)
    assert tree(target) == expected([("cables", PATH, b"".join(PIECES) + b"more")])


@pytest.mark.parametrize("name", ["out", "out.tar", "out.zip"])
def test_a_fault_between_pieces_leaves_nothing(tmp_path: Path, name: str) -> None:
    def broken() -> Iterator[bytes]:
        yield PIECES[0]
        raise OSError("of theirs")

    publish = publish_archive if "." in name else publish_folder
    with pytest.raises(OSError, match="of theirs"):
        publish(tmp_path / name, [FileBundle("cables", "cables", lambda: [(PATH, broken())])], header=HEADER)
    assert not any(tmp_path.iterdir())
