"""What a manifest takes: paths that stay below their folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.publish.manifest import Ledger, ManifestEntry, check_path, parse_manifest, write_manifest


@pytest.mark.parametrize(
    "path", ["", "a/", "a/.", "a/..", "a//y", "a/b\\c", "a/y\0", "a/x/y", "../y", "/y", "a/x", "a"]
)
def test_no_bad_path_is_entered_beside_a_good_one(path: str) -> None:
    ledger = Ledger({})
    ledger.record_file("part", "a/x", "00")
    with pytest.raises(ValueError, match=r"posix path|produced twice|a file and a folder"):
        ledger.record_file("part", path, "00")
    ledger.record_file("part", "a/y", "00")
    assert [*ledger.entries] == ["a/x", "a/y"]


@given(st.frozensets(st.text("./\\\0\nab", max_size=5), min_size=1, max_size=4))
def test_a_manifest_is_read_if_each_of_its_paths_stays_below_its_folder(paths: frozenset[str]) -> None:
    files = {path: ManifestEntry("00", "part") for path in paths}
    assert parse_manifest(write_manifest({}, files)) == (files if all(map(_stays, paths)) else None)


def _stays(path: str) -> bool:
    try:
        check_path(path)
    except ValueError:
        return False
    return True
