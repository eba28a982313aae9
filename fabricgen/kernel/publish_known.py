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

    seen: Seen
    ctime_ns: int
    sha256: str

    def holds(self, found: os.stat_result) -> bool:
        """Tell whether the file is as it was."""
        return (Seen.of(found), found.st_ctime_ns) == self[:2] and stat.S_ISREG(found.st_mode)
