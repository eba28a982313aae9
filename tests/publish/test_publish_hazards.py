"""Publishing: full disks, interrupts, mounts, locks and other builds."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import fabricgen.publish.folder as folders
import fabricgen.publish.stage as stages
from fabricgen.kernel.diagnostics import InputError
from fabricgen.publish import Content, FileBundle, publish_folder, recover_build
from fabricgen.publish.folder import can_exchange
from tests.publish.publishing import HEADER, A, B, File, bundles_of, expected, only_entry, pack, publish, refusal, tree


@pytest.mark.parametrize("step", ["write", "open", "mkdir", "fsync"])
def test_a_full_disk_changes_nothing(target: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(target, A)
    before = tree(target)
    real = getattr(os, step)

    def full(first: object, *rest: object, **named: object) -> object:
        writes = not rest or not isinstance(rest[0], int) or rest[0] & os.O_CREAT
        if writes and "lock" not in str(first):
            raise OSError(errno.ENOSPC, "No space left on device", first)
        return real(first, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, step, full)
        code, message = refusal(lambda: publish(target, B))
    assert code == "FG023"
    assert message.startswith(f"cannot write {target}")
    assert message.endswith(": No space left on device")
    assert tree(target) == before
    assert only_entry(target.parent, "out")


def test_an_unwritable_folder_is_found_before_the_first_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, A)
    before = tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "leaf-2" not in str(path) and real(path, mode))
    code, message = refusal(lambda: publish(tmp_path, B))
    assert (code, message) == ("FG023", f"cannot write {tmp_path}/configs/leaf-2: Permission denied")
    assert tree(tmp_path) == before


def test_a_step_that_fails_is_finished_by_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    publish(target, A)
    monkeypatch.setattr(folders, "is_exchangeable", lambda real: False)
    real = os.replace

    def stuck(source: str, destination: str) -> None:
        if destination.endswith(".cfg"):
            raise PermissionError(errno.EPERM, "Operation not permitted", source)
        real(source, destination)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stuck)
        with pytest.raises(InputError, match="next build finishes it"):
            publish(target, B)
    assert recover_build(target)
    assert tree(target) == expected(B)
    assert not recover_build(target)


def test_an_interrupt_while_the_journal_is_applied_still_lands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, A)
    monkeypatch.chdir(tmp_path)
    interrupts = iter([KeyboardInterrupt()])
    real = os.replace

    def interrupted(source: str, destination: str) -> None:
        for interrupt in interrupts:
            raise interrupt
        real(source, destination)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path, B)
    assert tree(tmp_path) == expected(B)


@pytest.mark.parametrize("below", ["", "configs"])
def test_the_current_folder_is_written_in_place(tmp_path: Path, below: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    publish(target, A)
    inode = target.stat().st_ino
    monkeypatch.chdir(target / below)
    publish(Path("..") if below else Path(), B)
    assert target.stat().st_ino == inode
    assert tree(target) == expected(B)
    assert only_entry(tmp_path, "out")


def test_an_exchange_gives_a_new_folder_with_the_old_mode(tmp_path: Path) -> None:
    target = tmp_path / "out"
    publish(target, A)
    target.chmod(0o2750)
    (target / "configs").chmod(0o711)
    inode = target.stat().st_ino
    publish(target, B)
    if can_exchange():
        assert target.stat().st_ino != inode
    assert target.stat().st_mode & 0o7777 == 0o2750
    assert (target / "configs").stat().st_mode & 0o7777 == 0o711


def test_a_target_with_mounts_is_written_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    publish(target, A)
    inode = target.stat().st_ino
    monkeypatch.setattr(folders, "list_mount_points", lambda: ["/", f"{target}/kept"])
    publish(target, B)
    assert target.stat().st_ino == inode
    monkeypatch.setattr(folders, "list_mount_points", lambda: ["/", f"{target}/configs"])
    code, message = refusal(lambda: publish(target, A))
    assert (code, message) == ("FG023", f"cannot write {target}/configs: another file system is mounted here")
    assert tree(target) == expected(B)


def test_an_unwritable_parent_means_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    target.mkdir()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(tmp_path) and real(path, mode))
    inode = target.stat().st_ino
    for files in (A, B):
        publish(target, files)
        assert tree(target) == expected(files)
    assert target.stat().st_ino == inode


def test_a_file_saved_while_the_trees_change_places_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    publish(target, A)
    (target / "notes.md").write_bytes(b"old")
    real = folders.exchange_paths

    def saving(one: str, other: str) -> None:
        (target / "notes.new").write_bytes(b"new")
        (target / "notes.new").replace(target / "notes.md")
        (target / "late").mkdir()
        (target / "late" / "too.md").write_bytes(b"late")
        real(one, other)

    monkeypatch.setattr(folders, "exchange_paths", saving)
    publish(target, B)
    assert tree(target) == expected(B, {"notes.md": b"new", "late/too.md": b"late"})


def test_an_edit_saved_during_a_build_is_not_lost(target: Path) -> None:
    publish(target, A)
    edited = target / "links.csv"

    def saving() -> list[tuple[str, Content]]:
        edited.write_bytes(b"edited by hand")  # after links.csv was staged
        return [("bom.csv", b"part\n")]

    during = [*bundles_of(B[:3]), FileBundle("bom", "bom.csv", saving)]
    code, message = refusal(lambda: publish_folder(target, during, header=HEADER))
    assert (code, message) == ("FG020", f"{edited} was saved while this build ran; nothing was published")
    assert tree(target) == expected(A, {"links.csv": b"edited by hand"})
    publish(target, B)
    assert edited.read_bytes() == b"edited by hand"
    assert (target / "links.csv.new").read_bytes() == B[0][2]


def test_an_edit_saved_while_the_trees_change_places_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    publish(target, A)
    real = folders.exchange_paths

    def saving(one: str, other: str) -> None:
        (target / "links.csv").write_bytes(b"edited by hand")
        real(one, other)

    with monkeypatch.context() as patch:
        patch.setattr(folders, "exchange_paths", saving)
        publish(target, B)
    assert tree(target) == expected(B, {"links.csv": b"edited by hand"})
    publish(target, B)
    assert (target / "links.csv.new").read_bytes() == B[0][2]


@pytest.mark.parametrize("suffix", ["", ".tar"])
def test_two_builds_into_one_target_are_refused(target: Path, suffix: str) -> None:
    place = target.with_suffix(suffix)
    run = publish if not suffix else pack

    def meanwhile() -> Iterator[File]:
        yield A[0]
        assert refusal(lambda: run(place, B)) == ("FG022", f"another build is writing {place}")
        yield from A[1:]

    run(place, meanwhile())
    assert only_entry(target.parent, place.name)
    run(place, B)


def test_a_file_system_without_locks_is_used(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    publish(target, A)
    assert tree(target) == expected(A)


def test_a_lock_file_left_behind_does_not_matter(target: Path) -> None:
    (target.parent / ".out.fabricgen-lock").touch()
    publish(target, A)
    assert only_entry(target.parent, "out")


def test_only_stages_of_ours_are_removed(target: Path) -> None:
    parent = target.parent
    ours = [parent / ".out.fabricgen-stage-0123abcd", parent / ".out.fabricgen-stage-00000000"]
    others = [
        parent / ".out.fabricgen-stage-mine",
        parent / ".other.fabricgen-stage-0123abcd",
        parent / ".out.fabricgen-stage-11111111",
    ]
    for each in (*ours, *others):
        each.mkdir()
    (ours[0] / stages.MARKER).touch()
    (ours[0] / "tree").mkdir()
    (ours[0] / "tree" / "x").touch()
    (others[1] / stages.MARKER).touch()
    (others[2] / "no marker").touch()
    publish(target, A)
    assert {path.name for path in parent.iterdir()} == {"out", *(path.name for path in others)}


def test_a_journal_of_others_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, A)
    stage = tmp_path / ".fabricgen-stage"
    stage.mkdir()
    (stage / stages.MARKER).touch()
    (stage / stages.JOURNAL).write_text('{"remove": ["../../precious"], "prune": [], "replace": []}')
    assert refusal(lambda: publish(tmp_path, B))[0] == "FG020"


def test_recovering_nothing_is_fine(tmp_path: Path) -> None:
    assert not recover_build(tmp_path / "no" / "such")
    assert not recover_build(tmp_path / "none")
    assert not any(tmp_path.iterdir())


def test_long_names_are_fine(target: Path) -> None:
    long = target.with_name("ü" * 120)
    for files in (A, B):
        publish(long, files)
        assert tree(long) == expected(files)
    pack(long.with_suffix(".tar"), A)


def test_big_files_are_compared_and_written_in_full(target: Path) -> None:
    big = bytes(range(256)) * 10_000
    publish(target, [("x", "big", big)])
    assert publish(target, [("x", "big", big)]).unchanged == 1
    changed = big[:-1] + b"!"
    assert publish(target, [("x", "big", changed)]).written == 1
    assert (target / "big").read_bytes() == changed
