"""Publishing into one archive file: streamed, with the same bytes every time, whole or not at all."""

# Plain strings for paths: see files.py.
# ruff: noqa: PTH102, PTH112, PTH105, PTH108, PTH113, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.files import hold_target, name_companion, open_new_file, sync_folder, write_all
from fabricgen.publish.manifest import MANIFEST, Ledger, Private, PublishReport, Tally, check_member, report_disk_faults
from fabricgen.publish.stage import FileBundle, Told, ignore_bundle, run_in_tasks

_COPIED = 1 << 20
"""Bytes that are read, and written, at a time."""
_RELEASED = 64 << 20
"""Bytes of an archive after which the system may drop them from its cache."""
_MODE, _PRIVATE = 0o644, 0o600
"""The modes of members: of usual ones, and of those with a secret in them."""
_ZSTD_LEVEL = 3


class Archive(Protocol):
    """An archive that is written from its start to its end."""

    def add(self, path: str, size: int, content: BinaryIO, mode: int = _MODE) -> None:
        """Append a file: the next `size` bytes of `content`."""

    def close(self) -> None:
        """Write the end of the archive, and leave its file open."""


class Tar:
    """A tar archive without times, whose owner and group are 0 and have no names."""

    def __init__(self, out: BinaryIO) -> None:
        self._tar = tarfile.TarFile(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8")

    def add(self, path: str, size: int, content: BinaryIO, mode: int = _MODE) -> None:
        """Append a file: the next `size` bytes of `content`."""
        info = tarfile.TarInfo(path)
        info.size, info.mode = size, mode
        self._tar.addfile(info, content)

    def close(self) -> None:
        """Write the end of the archive."""
        self._tar.close()


class TarZst(Tar):
    """A tar archive in one Zstandard frame, since readers may stop after the first frame."""

    def __init__(self, out: BinaryIO) -> None:
        import zstandard

        # several threads would be faster, but pack to other bytes, and not every machine has them
        compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, threads=0, write_checksum=True)
        self._stream = compressor.stream_writer(out, closefd=False)
        super().__init__(self._stream)

    def close(self) -> None:
        """End the tar archive, then the frame."""
        super().close()
        self._stream.close()  # type: ignore[no-untyped-call]


class Zip:
    """A zip archive whose files all have the first time that a zip can hold."""

    def __init__(self, out: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(out, "w")

    def add(self, path: str, size: int, content: BinaryIO, mode: int = _MODE) -> None:
        """Append a file: the next `size` bytes of `content`."""
        # the first day that a zip can hold: the clock is never read, so that archives have the same bytes every time
        info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
        info.create_system = 3  # Unix, also when written elsewhere
        # the upper half is the mode as of Unix: a regular file, and its permissions
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        info.file_size = size
        with self._zip.open(info, "w") as member:
            while size:
                size -= member.write(content.read(min(_COPIED, size)))

    def close(self) -> None:
        """Write the directory."""
        self._zip.close()


FORMATS: Mapping[str, Callable[[BinaryIO], Archive]] = {".tar": Tar, ".tar.zst": TarZst, ".zip": Zip}
"""Suffix of the file -> class of its archive."""


def publish_archive(
    target: Path,
    bundles: Iterable[FileBundle],
    *,
    header: Mapping[str, object],
    parts: frozenset[str] | None = None,
    jobs: int = 1,
    tell: Told = ignore_bundle,
) -> PublishReport:
    """Write these files, in their order, and a manifest into a `.tar`, `.tar.zst` or `.zip`.

    Up to `jobs` processes make files; `tell` is called with each bundle that is done. The bytes depend on the files and
    the header alone (if compressed, also on the release of the compression library). The target is replaced at the end;
    on any error it stays as it was. `parts` were asked for by name; `header` has the further keys of the manifest.
    Raises InputError: FG020 the target is not a file, FG021 no such kind of archive, FG022 another build is writing it,
    FG023 the system refused, FG030 one of `parts` has no file; ValueError for paths that no producer may use; and
    errors of the producers as they are.
    """
    open_format = next((open_format for suffix, open_format in FORMATS.items() if target.name.endswith(suffix)), None)
    if open_format is None:
        raise fault(
            "FG021",
            f"{target}: no format of archives has this suffix",
            hint=f"known: {', '.join(sorted(FORMATS))}",
        )
    with hold_target(target) as real:
        if os.path.lexists(real) and not os.path.isfile(real):
            raise fault("FG020", f"{target} is not a file", hint="name a new archive")
        folder = name_companion(real, f"part-{secrets.token_hex(4)}")
        with report_disk_faults(target):
            _remove_leftovers(real)
            os.mkdir(folder, 0o700)
        try:
            with _open_new_file(target, f"{folder}/archive", flushed=os.path.lexists(real)) as out:
                archive, ledger = open_format(out), Ledger(header, parts)
                try:
                    _fill_archive(archive, out, _Packing(target, folder), tuple(bundles), ledger, jobs, tell)
                except BaseException:
                    with contextlib.suppress(Exception):
                        archive.close()  # or it would be closed by chance, after its file
                    raise
            with report_disk_faults(target):
                os.replace(f"{folder}/archive", real)
            with contextlib.suppress(OSError):  # it has landed, however durably
                sync_folder(os.path.dirname(real))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return PublishReport(len(ledger.entries), 0, 0)


@contextlib.contextmanager
def _open_new_file(target: Path, path: str, *, flushed: bool) -> Iterator[BinaryIO]:
    """Within this context, write a new file. If it takes the place of an earlier one (`flushed`), it is first
    flushed to the disk, as the earlier one would be lost with it.
    """
    with report_disk_faults(target):
        out = open(path, "xb", _COPIED)  # noqa: SIM115
    try:
        yield out
        with report_disk_faults(target):
            out.flush()
            if flushed:
                os.fsync(out.fileno())
    finally:
        with contextlib.suppress(OSError):
            out.close()  # after a full disk it would fail once more


class _Member(NamedTuple):
    """A file on its way into the archive; `size` is in bytes."""

    part: str
    path: str
    sha256: str
    size: int
    mode: int


class _Parcel(NamedTuple):
    """The files of a task, written one after another into the file `place`."""

    place: str
    members: list[list[_Member]]
    """The members of each bundle, in order."""


@dataclass(frozen=True, slots=True)
class _Packing:
    """The work of a worker: make the files of bundles and put them into files of `folder`."""

    target: Path
    folder: str

    def __call__(self, bundles: Sequence[FileBundle]) -> _Parcel:
        path = f"{self.folder}/{secrets.token_hex(8)}"
        with contextlib.ExitStack() as stack:
            with report_disk_faults(self.target):
                descriptor = stack.enter_context(open_new_file(path))
            return _Parcel(path, [list(self._write_members(bundle, descriptor)) for bundle in bundles])

    def _write_members(self, bundle: FileBundle, descriptor: int) -> Iterator[_Member]:
        """Write the files of a bundle one after another into an open file; yield each as a member."""
        for path, content in bundle.make():
            check_member(path)
            tally = Tally(content)
            for piece in tally:
                with report_disk_faults(self.target):
                    write_all(descriptor, piece)
            mode = _PRIVATE if isinstance(content, Private) else _MODE
            yield _Member(bundle.part, path, tally.sha256, tally.size, mode)


def _fill_archive(
    archive: Archive,
    out: BinaryIO,
    packing: _Packing,
    bundles: Sequence[FileBundle],
    ledger: Ledger,
    jobs: int,
    tell: Told,
) -> None:
    """Put the files of all bundles into the archive, as workers have made them, then the manifest; free the system's
    cache of the output on the way.
    """
    released = 0
    for task, parcel in run_in_tasks(bundles, packing, jobs):
        with report_disk_faults(packing.target):
            content = open(parcel.place, "rb", _COPIED)  # noqa: SIM115
            os.unlink(parcel.place)  # before it is read: what is not written out by now need never be
        with content:
            for bundle, members in zip(task, parcel.members, strict=True):
                for member in members:
                    ledger.record_file(member.part, member.path, member.sha256)
                    if member.mode == _PRIVATE:
                        os.fchmod(out.fileno(), _PRIVATE)  # who reads the archive reads the member
                    with report_disk_faults(packing.target):
                        archive.add(member.path, member.size, content, member.mode)
                tell(bundle)
        if out.tell() - released >= _RELEASED:
            released = out.tell()
            _release_cache(out)
    manifest = ledger.write_manifest_bytes()
    with report_disk_faults(packing.target):
        archive.add(MANIFEST, len(manifest), BytesIO(manifest))
        archive.close()


def _release_cache(out: BinaryIO) -> None:
    """Tell the system that the written bytes are not read again, so that gigabytes go to the disk as they come."""
    if hasattr(os, "posix_fadvise"):
        with contextlib.suppress(OSError):  # a hint, which not every file system takes
            os.posix_fadvise(out.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _remove_leftovers(real: str) -> None:
    """Remove what a killed build of this archive left beside it; `real` is the archive's path without links."""
    parent, prefix = os.path.split(name_companion(real, "part-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}")
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        if ours.fullmatch(name) and os.path.isdir(path):
            shutil.rmtree(path)
        elif ours.fullmatch(name):
            os.unlink(path)
