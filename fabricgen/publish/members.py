"""Members of archives: their bytes, made wherever it suits, and the frames that hold them together.

A member's bytes do not depend on what stands before it. So any process may make them, and whoever writes the archive
need only put them in their order.
"""

from __future__ import annotations

import contextlib
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol, TypeAlias

from fabricgen.publish.manifest import Content, Tally, disk_faults

COPIED = 1 << 20
"""Bytes that are read at a time."""
_BLOCK, _RECORD = 512, 10240
_MODE = 0o644
_SIZE, _CHECKSUM = slice(124, 135), slice(148, 154)
"""Octal digits in the header of a tar archive."""
_TOO_LARGE = 8**11
"""Bytes, for the size in such a header."""
_DEFLATE_LEVEL, _ZSTD_LEVEL = 6, 3


class Member(NamedTuple):
    """What is known of a member once it is written: its start, and its sizes here and outside, in bytes."""

    part: str
    path: str
    sha256: str
    start: int
    stored: int
    size: int
    crc: int = 0


class Out(Protocol):
    """Where members are written."""

    def write(self, data: bytes | memoryview, /) -> int:
        """Append bytes, as a binary file does."""

    def tell(self) -> int:
        """How many bytes stand before what comes next."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where members of `target` are made: what comes in pieces is laid down in `folder` until its size is known."""

    target: Path
    folder: str

    @contextlib.contextmanager
    def collected(self, pieces: Iterable[bytes], small: bool) -> Iterator[Iterable[bytes]]:
        """Pieces at hand after all of them have come; raises InputError FG023 when the disk is full."""
        if small:
            yield list(pieces)
            return
        with disk_faults(self.target):
            laid_down = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
        with laid_down:
            for piece in pieces:
                with disk_faults(self.target):
                    laid_down.write(piece)
            laid_down.seek(0)
            yield iter(partial(laid_down.read, COPIED), b"")

    def write(self, out: Out, pieces: Iterable[bytes]) -> None:
        """Write what is at hand; raises InputError FG023 when that cannot be."""
        with disk_faults(self.target):
            for piece in pieces:
                out.write(piece)


MakeMember: TypeAlias = Callable[[Desk, Out, str, str, Content], Member]


def tar_member(desk: Desk, out: Out, part: str, path: str, content: Content) -> Member:
    """Write header, content and padding."""
    start, tally = out.tell(), Tally(content)
    with desk.collected(tally, small=isinstance(content, bytes)) as pieces:
        desk.write(out, chain((tar_header(path, tally.size),), pieces, (bytes(-tally.size % _BLOCK),)))
    return Member(part, path, tally.sha256, start, tally.size, tally.size)


def tar_header(path: str, size: int) -> bytes:
    """The header of a file of so many bytes, as `tarfile` makes it: no time, and owner and group 0 and nameless.

    Where name and size fit into the oldest format, they and the checksum are filled into what all headers share.
    """
    if len(path) > tarfile.LENGTH_NAME or not path.isascii() or size >= _TOO_LARGE:
        return _made_by_tarfile(path, size, tarfile.PAX_FORMAT)
    blank, checksum = _blank_header()
    header, name, digits = bytearray(blank), path.encode(), b"%011o" % size
    header[: len(name)] = name
    header[_SIZE] = digits
    header[_CHECKSUM] = b"%06o" % (checksum + sum(name) + sum(digits))
    return bytes(header)


@cache
def _blank_header() -> tuple[bytes, int]:
    """A header without name and size, and its checksum, to which each of their bytes adds its value."""
    header = _made_by_tarfile("", 0, tarfile.USTAR_FORMAT)
    return header, int(header[_CHECKSUM], 8) - sum(header[_SIZE])


def _made_by_tarfile(path: str, size: int, form: Literal[0, 2]) -> bytes:
    info = tarfile.TarInfo(path)
    info.size, info.mode = size, _MODE
    return info.tobuf(form, "utf-8", "surrogateescape")


def zip_member(desk: Desk, out: Out, part: str, path: str, content: Content) -> Member:
    """Write header and deflated content."""
    start, tally, packed = out.tell(), Tally(content), Deflated()
    with desk.collected(packed.pieces(tally), small=isinstance(content, bytes)) as pieces:
        member = Member(part, path, tally.sha256, start, packed.size, tally.size, packed.crc)
        desk.write(out, chain((zip_entry(member).FileHeader(),), pieces))
    return member


class Deflated:
    """Content on its way into a zip archive: its checksum, and its size there."""

    def __init__(self) -> None:
        self.crc = self.size = 0

    def pieces(self, content: Iterable[bytes]) -> Iterator[bytes]:
        """Deflate; the bytes do not depend on how the content is cut."""
        deflate = zlib.compressobj(_DEFLATE_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        for piece in content:
            self.crc = zlib.crc32(piece, self.crc)
            yield self._counted(deflate.compress(piece))
        yield self._counted(deflate.flush())

    def _counted(self, piece: bytes) -> bytes:
        self.size += len(piece)
        return piece


def zip_entry(member: Member) -> zipfile.ZipInfo:
    """What a zip archive says of a member."""
    info = zipfile.ZipInfo(member.path, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3  # Unix, also when written elsewhere
    info.external_attr = (0o100000 | _MODE) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    info.CRC, info.compress_size, info.file_size = member.crc, member.stored, member.size
    info.header_offset = member.start
    return info


class Frame(Protocol):
    """What stands around members: they are written to `out`, told by `enter`, and closed at the end."""

    out: Out

    def enter(self, member: Member) -> None:
        """Note a member that stands in `out`, and where."""

    def close(self) -> None:
        """Write what ends the archive."""


class TarFrame:
    """Nothing but an end."""

    def __init__(self, out: Out) -> None:
        self.out: Out = out

    def enter(self, member: Member) -> None:
        """Members of tar archives are not listed."""

    def close(self) -> None:
        """Write two empty blocks, and fill the record."""
        self.out.write(bytes(2 * _BLOCK))
        self.out.write(bytes(-self.out.tell() % _RECORD))


class _Counted:
    """A stream that knows how much was written to it."""

    def __init__(self, write: Callable[[bytes | memoryview], int]) -> None:
        self._write, self._size = write, 0

    def write(self, data: bytes | memoryview, /) -> int:
        self._size += len(data)
        return self._write(data)

    def tell(self) -> int:
        return self._size


class TarZstFrame(TarFrame):
    """One Zstandard frame around a tar archive, since readers may stop after the first."""

    def __init__(self, out: BinaryIO) -> None:
        import zstandard

        # Threads would finish sooner and pack otherwise: one is what every machine has.
        compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, threads=0, write_checksum=True)
        self._stream = compressor.stream_writer(out, closefd=False)
        super().__init__(_Counted(self._stream.write))

    def close(self) -> None:
        """End the tar archive, then the frame."""
        super().close()
        self._stream.close()  # type: ignore[no-untyped-call]


class ZipFrame:
    """The central directory, written by `zipfile`."""

    def __init__(self, out: BinaryIO) -> None:
        self.out: Out = out
        self._file = out
        self._entries: list[zipfile.ZipInfo] = []

    def enter(self, member: Member) -> None:
        """List a member."""
        self._entries.append(zip_entry(member))

    def close(self) -> None:
        """Write the directory."""
        with zipfile.ZipFile(self._file, "w") as directory:  # goes on where the file stands
            directory.filelist.extend(self._entries)


FORMATS: Mapping[str, tuple[MakeMember, Callable[[BinaryIO], Frame]]] = {
    ".tar": (tar_member, TarFrame),
    ".tar.zst": (tar_member, TarZstFrame),
    ".zip": (zip_member, ZipFrame),
}
"""How members are made, and what holds them, by suffix."""
