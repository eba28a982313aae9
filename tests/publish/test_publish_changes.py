"""What a build changes in a folder is the same, whether all of it is listed or only what is near."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabricgen.publish.changes import compared, listed_near
from fabricgen.publish.files import scan
from fabricgen.publish.manifest import Entry, Ledger, ancestors, check_path, manifest_bytes, parse_manifest

STEP = st.sampled_from("abc")
PATH = st.lists(STEP, min_size=1, max_size=3).map("/".join)
PATHS = st.frozensets(PATH, max_size=8)


@settings(max_examples=300)
@given(produced=PATHS, ours=PATHS, users=PATHS, empty=PATHS, rewritten=PATHS, own=PATHS, missing=PATHS, links=PATHS)
def test_what_changes_is_told_alike_by_all_of_a_folder_and_by_what_is_near(
    produced: frozenset[str],
    ours: frozenset[str],
    users: frozenset[str],
    empty: frozenset[str],
    rewritten: frozenset[str],
    own: frozenset[str],
    missing: frozenset[str],
    links: frozenset[str],
) -> None:
    """Files of ours, of other parts and of the user's, some gone, some replaced by folders or by links to folders."""
    ledger = Ledger({}, frozenset({"a"}))
    produced, earlier = _files(produced), _files(ours | own)
    ours, own = ours & earlier, own & earlier
    for path in sorted(produced):
        ledger.record("a", path, "")
    others = own - produced
    old = {path: Entry("", "b" if path in others else "a") for path in ours | others}
    with tempfile.TemporaryDirectory() as folder:
        root, outside = Path(folder, "root"), Path(folder, "outside")
        for inside in ("a", "b", "c"):
            (outside / inside).mkdir(parents=True)
            (outside / inside / "a").write_text("the user's", encoding="utf-8")
        root.mkdir()
        for path in sorted((ours - missing) | others | users):
            _put(root, path)
        for path in sorted(empty):
            if _free(root, path):
                (root / path).mkdir(parents=True, exist_ok=True)
        for path in sorted(links):
            if _free(root, path) and not (root / path).exists():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).symlink_to(outside)
        assume(all(_plain(root, path) and (root / path).is_file() for path in others))
        real = str(root)
        unchanged = {path for path in produced & ours - rewritten if (root / path).is_file() and _plain(root, path)}
        whole = compared(scan(real), old, ledger)
        near = compared(listed_near(real, old, ledger, sorted(produced - unchanged)), old, ledger)
    assert (near.remove, near.prune, near.in_the_way) == (whole.remove, whole.prune, whole.in_the_way)
    assert near.own == whole.own
    assert near.keep <= whole.keep


def _files(paths: frozenset[str]) -> frozenset[str]:
    """Those of some paths that can all be files: none is a folder that leads to another."""
    return paths - {folder for path in paths for folder in ancestors(path)}


def _plain(root: Path, path: str) -> bool:
    return not any((root / each).is_symlink() for each in (path, *ancestors(path)))


def _free(root: Path, path: str) -> bool:
    """Whether something can be made here: nothing on the way is a file or link, nor is this."""
    return all(not (root / each).is_symlink() and not (root / each).is_file() for each in (path, *ancestors(path)))


def _put(root: Path, path: str) -> None:
    if _free(root, path) and not (root / path).is_dir():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x", encoding="utf-8")


@pytest.mark.parametrize(
    "path", ["", "a/", "a/.", "a/..", "a//y", "a/b\\c", "a/y\0", "a/x/y", "../y", "/y", "a/x", "a"]
)
def test_no_bad_path_is_entered_beside_a_good_one(path: str) -> None:
    ledger = Ledger({})
    ledger.record("part", "a/x", "00")
    with pytest.raises(ValueError, match=r"posix path|produced twice|a file and a folder"):
        ledger.record("part", path, "00")
    ledger.record("part", "a/y", "00")
    assert [*ledger.entries] == ["a/x", "a/y"]


@given(st.frozensets(st.text("./\\\0\nab", max_size=5), min_size=1, max_size=4))
def test_a_manifest_is_read_if_each_of_its_paths_stays_below_its_folder(paths: frozenset[str]) -> None:
    files = {path: Entry("00", "part") for path in paths}
    assert parse_manifest(manifest_bytes({}, files)) == (files if all(map(_stays, paths)) else None)


def _stays(path: str) -> bool:
    try:
        check_path(path)
    except ValueError:
        return False
    return True
