"""Publishing: what lands, what is kept, what is refused, and that a failure leaves no trace."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from fabricgen.publish import PublishReport, publish_folder
from tests.publish.publishing import A, B, File, bundles_of, expected, failing, only_entry, pack, publish, refusal, tree


def test_a_new_target_is_made_with_its_parents(target: Path) -> None:
    deep = target / "deep" / "down"
    assert publish(deep, A) == PublishReport(5, 0, 0)
    assert tree(deep) == expected(A)
    assert only_entry(deep.parent, "down")


def test_an_empty_target_is_used(target: Path) -> None:
    target.mkdir()
    publish(target, A)
    assert tree(target) == expected(A)
    assert only_entry(target.parent, "out")


def test_a_build_without_files_is_a_manifest(target: Path) -> None:
    publish(target, [])
    assert tree(target) == expected([])


def test_a_rebuild_replaces_removes_and_prunes(target: Path) -> None:
    publish(target, A)
    assert publish(target, B) == PublishReport(3, 1, 2)
    assert tree(target) == expected(B)
    assert not (target / "configs" / "leaf-2").exists()
    assert only_entry(target.parent, "out")


def test_unchanged_files_keep_inode_and_time(target: Path, request: pytest.FixtureRequest) -> None:
    publish(target, A)
    path = target / "configs/leaf-1/config_db.json"
    os.utime(path, ns=(10**18, 10**18))
    before = path.stat()
    publish(target, B)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_nlink == 1
    if "no links" not in request.node.name:
        assert path.stat().st_ino == before.st_ino


def test_the_same_build_again_touches_nothing(target: Path) -> None:
    publish(target, A)
    before = {path: path.stat().st_ino for path in [target, *target.rglob("*")]}
    assert publish(target, A) == PublishReport(0, 5, 0)
    assert {path: path.stat().st_ino for path in [target, *target.rglob("*")]} == before


def test_the_users_own_files_are_kept(target: Path) -> None:
    publish(target, A)
    own: dict[str, bytes | str | None] = {
        "notes.md": b"mine",
        "configs/leaf-2/patch": b"mine too",
        "photos/row-1/.keep": b"",
        "empty/er": None,
        "configs/leaf-1/empty": None,
        "latest": "links.csv",
        "gone": "nowhere/at/all",
    }
    for name, content in own.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            (target / name).mkdir()
        elif isinstance(content, str):
            (target / name).symlink_to(content)
        else:
            (target / name).write_bytes(content)
    publish(target, B)
    assert tree(target) == expected(B, own)
    publish(target, [])
    assert tree(target) == expected([], own)


def test_files_that_the_user_deleted_are_made_again(target: Path) -> None:
    publish(target, A)
    (target / "configs/leaf-1/config_db.json").unlink()
    shutil.rmtree(target / "configs/leaf-2")
    (target / "links.csv").unlink()
    publish(target, A)
    assert tree(target) == expected(A)


def test_files_and_folders_of_ours_may_change_places(target: Path) -> None:
    one: list[File] = [("x", "a", b"1"), ("x", "b/c/d", b"2")]
    two: list[File] = [("x", "a/e/f", b"3"), ("x", "b", b"4")]
    for files in (one, two, one):
        publish(target, files)
        assert tree(target) == expected(files)


@pytest.mark.parametrize(
    ("own", "named"),
    [
        ("configs/leaf-3/é.cfg", "configs/leaf-3/é.cfg"),
        ("configs/leaf-3", "configs/leaf-3"),
        ("bom.csv/mine", "bom.csv"),
    ],
)
def test_a_file_of_the_user_in_the_way_is_named(target: Path, own: str, named: str) -> None:
    publish(target, [each for each in A if each[0] != "bom"])
    (target / own).parent.mkdir(parents=True, exist_ok=True)
    (target / own).write_bytes(b"mine")
    before = tree(target)
    code, message = refusal(lambda: publish(target, B))
    assert code == "FG020"
    assert str(target / named) in message
    assert tree(target) == before
    assert only_entry(target.parent, "out")


def test_an_empty_folder_of_the_user_in_the_way_is_named(target: Path) -> None:
    publish(target, [])
    (target / "bom.csv" / "deep").mkdir(parents=True)
    assert refusal(lambda: publish(target, B))[0] == "FG020"
    assert (target / "bom.csv" / "deep").is_dir()


def test_only_some_parts(target: Path) -> None:
    publish(target, A)
    (target / "bom.csv").write_bytes(b"edited: not ours to mend now")
    new: list[File] = [("configs", "configs/leaf-9/frr.conf", b"new")]
    assert publish(target, new, frozenset({"configs"})) == PublishReport(1, 0, 3)
    both = [A[0], A[4], *new]
    assert tree(target) == {**expected(both), "bom.csv": b"edited: not ours to mend now"}


def test_only_some_parts_of_nothing(target: Path) -> None:
    publish(target, A[:1], frozenset({"links"}))
    assert tree(target) == expected(A[:1])


def test_a_part_that_is_not_being_built_is_a_defect(target: Path) -> None:
    with pytest.raises(ValueError, match="not being built"):
        publish(target, A, frozenset({"links"}))
    assert not target.exists()


@pytest.mark.parametrize(
    "content",
    [None, b"not json", b"[]", b"{}", b'{"files": 1}', b'{"files": {"a": 1}}', b'{"files": {"../a": {}}}'],
)
def test_a_folder_of_others_is_refused(target: Path, content: bytes | None) -> None:
    target.mkdir()
    (target / "thesis.tex").write_bytes(b"years of work")
    if content is not None:
        (target / "manifest.json").write_bytes(content)
    before = tree(target)
    code, message = refusal(lambda: publish(target, A))
    assert (code, message) == ("FG020", f"{target} is not empty and was not written by fabricgen")
    assert tree(target) == before
    assert only_entry(target.parent, "out")


def test_a_file_is_refused_as_target(target: Path) -> None:
    target.write_bytes(b"a file")
    assert refusal(lambda: publish(target, A))[0] == "FG020"
    assert refusal(lambda: publish(target / "below", A))[0] == "FG023"
    assert target.read_bytes() == b"a file"


def test_a_link_to_a_folder_is_followed(target: Path) -> None:
    real = target.parent / "elsewhere" / "real"
    target.symlink_to(real)
    for files in (A, B):
        publish(target, files)
        assert tree(real) == expected(files)
    assert target.is_symlink()


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), OSError(errno.ENOENT, "of theirs")])
@pytest.mark.parametrize("count", [0, 3])
def test_an_error_of_the_producer_changes_nothing(target: Path, error: BaseException, count: int) -> None:
    with pytest.raises(type(error)) as caught:
        publish(target / "deep", failing(B[:count], error))
    assert caught.value is error
    assert not target.exists()
    publish(target, A)
    (target / "mine").write_bytes(b"mine")
    before = tree(target)
    with pytest.raises(type(error)):
        publish(target, failing(B[:count], error))
    assert tree(target) == before
    assert only_entry(target.parent, "out")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a",
        "a//b",
        "a/",
        "./a",
        "a/.",
        "..",
        "a/../b",
        "a\\b",
        "a\0b",
        "manifest.json",
        ".fabricgen-stage/x",
    ],
)
def test_a_path_that_leaves_the_target_is_a_defect(target: Path, path: str) -> None:
    with pytest.raises(ValueError, match=r"posix path|reserved"):
        publish(target, [("x", path, b"")])
    with pytest.raises(ValueError, match=r"posix path|reserved"):
        pack(target.with_suffix(".tar"), [("x", path, b"")])
    assert not any(target.parent.iterdir())


@pytest.mark.parametrize(("one", "two"), [("a", "a"), ("a", "a/b"), ("a/b/c", "a/b")])
def test_paths_that_exclude_each_other_are_a_defect(target: Path, one: str, two: str) -> None:
    with pytest.raises(ValueError, match=r"twice|both a file and a folder"):
        publish(target, [("x", one, b""), ("x", two, b"")])


def test_the_header_must_leave_room_for_the_files(target: Path) -> None:
    with pytest.raises(ValueError, match="files"):
        publish_folder(target, bundles_of(A), header={"files": 1})
    assert not target.exists()


def test_a_header_may_be_nested(target: Path) -> None:
    header = {"version": "1", "zones": {"b": ["x\n", 2], "a": None}, "1": 'qu"ote'}
    publish_folder(target, bundles_of(A), header=header)
    text = (target / "manifest.json").read_text()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1) + "\n"
    assert {key: json.loads(text)[key] for key in header} == header
