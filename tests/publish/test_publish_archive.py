"""Publishing: archives hold what a folder would."""

from __future__ import annotations

import errno
import io
import random
import resource
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard

from fabricgen.publish import PublishReport
from tests.publish.publishing import A, B, File, expected, failing, only_entry, pack, publish, refusal, tree

KINDS = [".tar", ".tar.zst", ".zip"]
LONG: File = ("configs", "configs/" + "x" * 120 + "/" + "y" * 120 + ".json", b"long" * 1000)


def extract(path: Path, into: Path) -> None:
    into.mkdir()
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as zipped:
            assert zipped.testzip() is None
            zipped.extractall(into)
        return
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tarred:
        assert all((m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) == (0, 0, 0, "", "", 0o644) for m in tarred)
        tarred.extractall(into, filter="data")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("files", [[], A, [*B, LONG]])
def test_an_archive_holds_what_a_folder_would(tmp_path: Path, kind: str, files: list[File]) -> None:
    target = tmp_path / "new" / f"out{kind}"
    assert pack(target, iter(files)) == PublishReport(len(files), 0, 0)
    assert only_entry(target.parent, target.name)
    extract(target, tmp_path / "extracted")
    publish(tmp_path / "folder", files)
    assert tree(tmp_path / "extracted") == tree(tmp_path / "folder") == expected(files)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_archive_twice_is_the_same_bytes(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tmp_path / f"first{kind}"
    pack(first, A)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setattr("time.time", lambda: 2e9)
    second = tmp_path / f"second{kind}"
    pack(second, B)
    pack(second, A)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), OSError(errno.ENOENT, "of theirs")])
def test_a_failed_archive_changes_nothing(tmp_path: Path, kind: str, error: BaseException) -> None:
    target = tmp_path / f"out{kind}"
    pack(target, A)
    before = target.read_bytes()
    with pytest.raises(type(error)) as caught:
        pack(target, failing(B, error))
    assert caught.value is error
    assert target.read_bytes() == before
    assert only_entry(tmp_path, target.name)


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Let the system refuse to write more bytes than that into a file."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 9000, 60_000, 100_000])
def test_a_full_disk_leaves_the_old_archive(tmp_path: Path, kind: str, size: int) -> None:
    """Whether what is full is the place of a single file, of a few, or of the archive."""
    chance = random.Random(20)
    large: list[File] = [("configs", str(number), chance.randbytes(10_000)) for number in range(15)]
    target = tmp_path / f"out{kind}"
    pack(target, A)
    before = target.read_bytes()
    with no_file_larger_than(size):
        code, message = refusal(lambda: pack(target, large))
    assert (code, message) == ("FG023", f"cannot write {target}: File too large")
    assert target.read_bytes() == before
    assert only_entry(tmp_path, target.name)


@pytest.mark.parametrize("name", ["out", "out.tgz", "out.zst", "out.tar.gz"])
def test_other_archives_are_unknown(tmp_path: Path, name: str) -> None:
    assert refusal(lambda: pack(tmp_path / name, A))[0] == "FG021"
    assert not any(tmp_path.iterdir())


def test_a_folder_is_refused_as_archive(tmp_path: Path) -> None:
    (tmp_path / "out.tar").mkdir()
    assert refusal(lambda: pack(tmp_path / "out.tar", A))[0] == "FG020"


def test_a_link_to_an_archive_is_followed_and_leftovers_go(tmp_path: Path) -> None:
    (tmp_path / "link.zip").symlink_to("out.zip")
    (tmp_path / ".out.zip.fabricgen-part-0123abcd").touch()
    (tmp_path / ".out.zip.fabricgen-part-4567cdef").mkdir()
    (tmp_path / ".out.zip.fabricgen-part-4567cdef" / "archive").touch()
    pack(tmp_path / "link.zip", A)
    assert (tmp_path / "link.zip").is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"link.zip", "out.zip"}
