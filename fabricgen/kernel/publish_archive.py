"""Publishing into one archive file: streamed, the same bytes every time, whole or not at all."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH105, PTH108, PTH113, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tarfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.publish_lock import claimed, sibling
from fabricgen.kernel.publish_manifest import MANIFEST, File, Ledger, PublishReport, disk_fault, disk_faults
from fabricgen.kernel.publish_stage import sync_folder

_BLOCK, _RECORD = 512, 10240
_MODE = 0o644


class _Sink(Protocol):
    def add(self, path: str, content: bytes) -> None: ...
    def close(self) -> None: ...
    def abandon(self) -> None: ...


class _Writer(Protocol):
    def write(self, data: bytes, /) -> int: ...


class _Tar:
    """Headers by `tarfile`, the rest by hand: its streams write again when they are collected."""

    def __init__(self, out: _Writer, end: Callable[[], object] = lambda: None) -> None:
        self._out, self._end, self._size = out, end, 0

    def _write(self, data: bytes) -> None:
        self._out.write(data)
        self._size += len(data)

    def add(self, path: str, content: bytes) -> None:
        info = tarfile.TarInfo(path)  # time, owner and group are 0 and nameless from the start
        info.size, info.mode = len(content), _MODE
        self._write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))
        self._write(content)
        self._write(bytes(-len(content) % _BLOCK))

    def close(self) -> None:
        self._write(bytes(2 * _BLOCK))
        self._write(bytes(-self._size % _RECORD))
        self._end()

    def abandon(self) -> None:
        pass


def _tar_zst(out: BinaryIO) -> _Sink:
    import zstandard

    compressor = zstandard.ZstdCompressor(level=3, threads=0, write_checksum=True)
    stream = compressor.stream_writer(out, closefd=False)
    return _Tar(stream, stream.close)


class _Zip:
    def __init__(self, out: BinaryIO) -> None:
        import zipfile

        self._zipfile = zipfile
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6)

    def add(self, path: str, content: bytes) -> None:
        info = self._zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
        info.create_system = 3  # Unix, also when written elsewhere
        info.external_attr = (0o100000 | _MODE) << 16
        self._zip.writestr(info, content, self._zipfile.ZIP_DEFLATED, 6)

    def close(self) -> None:
        self._zip.close()

    def abandon(self) -> None:
        with contextlib.suppress(OSError):
            self._zip.close()  # or its finaliser would write into a closed file


_KINDS: Mapping[str, Callable[[BinaryIO], _Sink]] = {".tar": _Tar, ".tar.zst": _tar_zst, ".zip": _Zip}


def publish_archive(target: Path, files: Iterable[File], *, header: Mapping[str, object]) -> PublishReport:
    """Write these files, in the order they come, and a manifest into a `.tar`, `.tar.zst` or `.zip`.

    The bytes depend on the files and the header alone (compressed: and on the release of the compression
    library). The target is replaced at the end; on any error it stays as it was. Raises InputError: FG020 the
    target is not a file, FG021 no such kind of archive, FG022 another build is writing it, FG023 the system
    refused; ValueError for paths that no producer may use; and, as they are, the errors of the producer.
    """
    kind = next((make for suffix, make in _KINDS.items() if target.name.endswith(suffix)), None)
    if kind is None:
        raise fault(
            "FG021",
            f"{target}: no archive is known by this suffix",
            hint=f"known: {', '.join(sorted(_KINDS))}",
        )
    with claimed(target) as real:
        if os.path.lexists(real) and not os.path.isfile(real):
            raise fault("FG020", f"{target} is not a file", hint="name a new archive")
        with disk_faults(target):
            _remove_leftovers(real)
        temporary = sibling(real, f"part-{secrets.token_hex(4)}")
        try:
            count = _write_archive(target, temporary, kind, files, Ledger(header))
            with disk_faults(target):
                os.replace(temporary, real)
            with contextlib.suppress(OSError):  # it has landed, however durably
                sync_folder(os.path.dirname(real))
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return PublishReport(count, 0, 0)


def _write_archive(
    target: Path, path: str, kind: Callable[[BinaryIO], _Sink], files: Iterable[File], ledger: Ledger
) -> int:
    with disk_faults(target):
        out = open(path, "xb")  # noqa: SIM115
    try:
        _fill(target, kind(out), files, ledger)
        with disk_faults(target):
            out.flush()
            os.fsync(out.fileno())
    finally:
        with contextlib.suppress(OSError):
            out.close()  # after a full disk it would fail once more
    return len(ledger.entries)


def _fill(target: Path, sink: _Sink, files: Iterable[File], ledger: Ledger) -> None:
    done = False
    try:
        for part, path, content in files:
            ledger.record(part, path, content)
            try:
                sink.add(path, content)
            except OSError as error:
                raise disk_fault(target, error) from error
        with disk_faults(target):
            sink.add(MANIFEST, ledger.manifest())
            sink.close()
        done = True
    finally:
        if not done:
            sink.abandon()


def _remove_leftovers(real: str) -> None:
    parent, prefix = os.path.split(sibling(real, "part-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}")
    for name in os.listdir(parent):
        if ours.fullmatch(name):
            os.unlink(os.path.join(parent, name))
