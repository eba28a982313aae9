"""A file of gigabytes on its way to disk."""

from __future__ import annotations

import contextlib
import io
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STEP = 64 << 20
"""Bytes after which the system is told."""
_BACK = 8 * _STEP
"""How far back it is told of: what was not yet on disk the first time is by then."""


class LargeFile(io.FileIO):
    """A new file that is written from its start to its end, and not read here.

    The system would keep all of it in memory, at the cost of what else is there, and go to disk late. Told that the
    file is not needed, it goes at once and uses the same memory again: gigabytes take a quarter of the time, and
    hardly anything is left to wait for at the end.
    """

    def __init__(self, path: str) -> None:
        """Make the file; raises OSError, FileExistsError where there is one."""
        super().__init__(path, "xb")
        self._size = self._told = 0

    def write(self, data: ReadableBuffer, /) -> int:
        """Append bytes, as many as the system takes."""
        written = super().write(data)
        self._size += written
        if self._size >= self._told + _STEP:
            self._told = self._size
            self._leave()
        return written

    def _leave(self) -> None:
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):  # a hint, which not every file system takes
                start = max(0, self._size - _BACK)
                os.posix_fadvise(self.fileno(), start, self._size - start, os.POSIX_FADV_DONTNEED)
