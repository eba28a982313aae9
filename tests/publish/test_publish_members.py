"""Headers of archive members, held against those of the standard library."""

from __future__ import annotations

import tarfile

import pytest

from fabricgen.publish.members import tar_header

LARGEST = 8**11 - 1
"""Bytes that eleven octal digits can say."""


@pytest.mark.parametrize("size", [0, 1, 511, 119_808, LARGEST, LARGEST + 1])
@pytest.mark.parametrize(
    "path",
    ["a", "configs/leaf-01/config_db.json", "a b/~!", f"d/{98 * 'n'}", f"d/{99 * 'n'}", f"{90 * 'd'}/{90 * 'n'}", "ü"],
)
def test_headers_are_those_of_tarfile(path: str, size: int) -> None:
    info = tarfile.TarInfo(path)
    info.size, info.mode = size, 0o644
    assert tar_header(path, size) == info.tobuf(tarfile.PAX_FORMAT)
