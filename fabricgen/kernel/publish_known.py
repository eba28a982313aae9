"""Files as the file system tells of them: enough to see that one was not written to since."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple


class Seen(NamedTuple):
    """A file as it was found or left: a later write changes one of these."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> Seen:
        """What the system says of a file."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)


class Known(NamedTuple):
    """What the system said of a file when its digest was known, with the time at which anything last changed of it."""

    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int
    sha256: str

    @classmethod
    def of(cls, found: os.stat_result, sha256: str) -> Known:
        """What the system says of a file whose digest is known."""
        return cls(*Seen.of(found), found.st_ctime_ns, sha256)

    def holds(self, found: os.stat_result) -> bool:
        """Tell whether the file is as it was."""
        now = found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns
        return now == self[:4] and stat.S_ISREG(found.st_mode)


class Staged(NamedTuple):
    """What became of a file: written into the stage, or found unchanged in the target."""

    part: str
    path: str
    sha256: str
    written: bool
    seen: Seen | Known
