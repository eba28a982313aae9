"""The contents of files, folders, archives and standard input; archives are unpacked in memory only."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import zstandard

from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.text_input import read_bytes
from fabricgen.verify.dumps._content import CODE

MOST_BYTES = 512 * 1024 * 1024
"""The largest file that is read, packed and unpacked, bytes."""

MOST_UNPACKED = 4 * MOST_BYTES
"""The most that all files of an archive together may unpack to, bytes."""

LEAST_UNPACKED, MOST_TIMES = 128 * 1024 * 1024, 200
"""What any archive may unpack to, bytes, and how many times its size a larger one may: dumps take 40 to 100."""

MOST_OF_A_HEADER = 1024 * 1024
"""The most bytes between two files of a tar archive: long names, which are held in memory."""

MOST_FILES = 200_000
"""The most files of a folder or an archive."""

MOST_NESTED = 3
"""The most archives inside each other: `show techsupport` of SONiC has compressed files in an archive."""

_PACKED = {b"\x1f\x8b": gzip, b"\xfd7zXZ\x00": lzma, b"BZh": bz2}
_ZSTD, _ZIP, _ZIP_ENTRY = b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PK\x01\x02"
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zstandard.ZstdError,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,  # of an encrypted archive
)
"""Exceptions that reading a damaged archive may raise."""


@dataclass(frozen=True, slots=True)
class DumpSource:
    """A file to read; `path` is None for standard input, and `shown` is its name for people.

    `named`: the user named this file, so that it must be a dump. `argument` is the index of the argument it comes from.
    """

    path: Path | None
    shown: str
    named: bool
    argument: int


def list_sources(arguments: list[str]) -> Iterator[DumpSource]:
    """List the files of arguments, those of folders sorted by name; raises InputError for too many files.

    Symbolic links in a folder are followed only to files in the same folder.
    """
    for number, argument in enumerate(arguments):
        path = Path(argument)
        if argument == "-":
            yield DumpSource(None, "-", True, number)
        elif path.is_dir():
            yield from (
                DumpSource(file, _format_path(argument, path, file), False, number)
                for file in _list_files(path, argument)
            )
        else:
            yield DumpSource(path, argument, True, number)


def _format_path(argument: str, folder: Path, file: Path) -> str:
    return f"{argument.rstrip('/') or '/'}/{file.relative_to(folder).as_posix()}"


def _list_files(folder: Path, shown: str) -> Iterator[Path]:
    """Yield the regular files below a folder, by name; named pipes and devices are left out, since they could block."""
    real_folder, count = os.path.realpath(folder), 0
    for folder_path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = Path(folder_path, name)
            if file.is_symlink() and not os.path.realpath(file).startswith(f"{real_folder}{os.sep}"):
                continue
            if file.is_file():
                count += 1
                if count > MOST_FILES:
                    raise fault(CODE, f"more than {MOST_FILES:,} files", span=Span(shown, 1, 1))
                yield file


def read_contents(source: DumpSource) -> Iterator[tuple[str, bytes]]:
    """Yield (name for people, bytes) of a file, or of each file in an archive.

    Raises InputError for a file that is too large, damaged, or cannot be read.
    """
    if source.path is None:
        _check(sys.stdin is not None, source.shown, "standard input is closed")
        # one byte more than allowed shows that it is too large
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        data = read_bytes(source.path, source.shown, limit=MOST_BYTES)
    # bounded by the size of the archive, so that a small file cannot fill the memory
    most = min(MOST_UNPACKED, max(LEAST_UNPACKED, MOST_TIMES * len(data)))
    yield from _Unpacking(source.shown, most).unpack_archive(source.shown, data, 0)


@dataclass
class _Unpacking:
    """Unpacks a file and counts what comes out, since an archive may unpack to more than fits into memory.

    `most` is the most that may come out, bytes; `unpacked` and `count` are the bytes and files so far.
    """

    shown: str
    most: int
    unpacked: int = 0
    count: int = 0

    def unpack_archive(self, shown: str, data: bytes, depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield (name, content) of each file in `data`: a zip, a tar, a compressed or a plain file, or nested archives.

        `shown` is the name of the file in messages, and `depth` the number of archives around it. Raises InputError for
        an archive that is damaged, too large or nested too deeply.
        """
        _check(len(data) <= MOST_BYTES, shown, f"it is larger than {_format_mib(MOST_BYTES)}")
        packed = _open_packed(data)
        if packed is None and not _is_tar(data) and not data.startswith(_ZIP):
            yield shown, data
            return
        _check(depth < MOST_NESTED, shown, f"more than {MOST_NESTED} archives lie in each other")
        try:
            if data.startswith(_ZIP):
                yield from self._unpack_zip(shown, data, depth)
            # the first block of a tar is its header, 512 bytes
            elif packed is None or _is_tar(packed.read(512)):
                yield from self._unpack_tar(shown, _open_packed(data) or io.BytesIO(data), depth)
            else:
                yield from self.unpack_archive(
                    shown, self._read_stream(_open_packed(data) or io.BytesIO(data)), depth + 1
                )
        except _DAMAGE as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
            _check(False, shown, f"the archive is damaged: {reason}")

    def _unpack_tar(self, shown: str, stream: IO[bytes], depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield (name, content) of the files in a tar; more bytes than its headers announce are an error."""
        counted_stream = _CountedReader(self, stream)
        with tarfile.open(fileobj=cast(IO[bytes], counted_stream), mode="r|") as archive:
            for member in archive:
                self._count_file(shown)
                name = f"{shown}/{member.name.removeprefix('./')}"
                _check(
                    not member.isfile() or member.size <= MOST_BYTES,
                    name,
                    f"it is larger than {_format_mib(MOST_BYTES)}",
                )
                stored_bytes = member.size
                if member.sparse is not None:  # holes of a sparse file take no bytes in the archive
                    holes: Any = member.sparse
                    stored_bytes = sum(size for _, size in holes)
                    self.count_bytes(member.size)
                counted_stream.allowed = stored_bytes + MOST_OF_A_HEADER
                member_stream = archive.extractfile(member) if member.isfile() else None
                if member_stream is not None:
                    yield from self.unpack_archive(name, member_stream.read(), depth + 1)

    def _unpack_zip(self, shown: str, data: bytes, depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield (name, content) of each file of a zip archive, and of the archives in it."""
        _check(data.count(_ZIP_ENTRY) <= MOST_FILES, shown, f"it has more than {MOST_FILES:,} files")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:  # holds all entries in memory
            for member in archive.infolist():
                self._count_file(shown)
                if member.is_dir():
                    continue
                name = f"{shown}/{member.filename}"
                with archive.open(member) as member_stream:
                    yield from self.unpack_archive(name, self._read_stream(member_stream), depth + 1)

    def _count_file(self, shown: str) -> None:
        self.count += 1
        _check(self.count <= MOST_FILES, shown, f"it has more than {MOST_FILES:,} files")

    def _read_stream(self, stream: IO[bytes]) -> bytes:
        data = stream.read(min(MOST_BYTES, self.most - self.unpacked) + 1)
        self.count_bytes(len(data))
        return data

    def count_bytes(self, size: int) -> None:
        """Count bytes that came out; raises InputError if they are too many."""
        self.unpacked += size
        _check(self.unpacked <= self.most, self.shown, f"it unpacks to more than {_format_mib(self.most)}")


@dataclass
class _CountedReader:
    """A stream for a tar archive, whose headers may be wrong; `allowed` bytes may come up to the next file."""

    unpacking: _Unpacking
    stream: IO[bytes]
    allowed: int = MOST_OF_A_HEADER

    def read(self, size: int) -> bytes:
        """Read the next bytes; raises InputError if they are too many."""
        data = self.stream.read(size)
        self.allowed -= len(data)
        self.unpacking.count_bytes(len(data))
        _check(self.allowed >= 0, self.unpacking.shown, "the archive has a name that is too long")
        return data


def _open_packed(data: bytes) -> IO[bytes] | None:
    """Open compressed data as a stream; None for data that is not compressed."""
    stream: Any = io.BytesIO(data)
    for mark, module in _PACKED.items():
        if data.startswith(mark):
            opened: IO[bytes] = module.open(stream)
            return opened
    if data.startswith(_ZSTD):
        # larger windows are refused, since they would fill the memory; a file of several frames is one stream
        reader = zstandard.ZstdDecompressor(max_window_size=128 << 20).stream_reader(stream, read_across_frames=True)
        return io.BufferedReader(reader)
    return None


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _format_mib(size: int) -> str:
    return f"{size >> 20:,} MiB"


def _check(good: bool, shown: str, why: str) -> None:
    if not good:
        raise fault(CODE, f"cannot read '{shown}': {why}", span=Span(shown, 1, 1))
