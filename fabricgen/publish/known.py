"""Files as the file system tells of them: enough to see that one was not written to since."""

from __future__ import annotations

import os
from typing import NamedTuple, TypeAlias

Mark: TypeAlias = str
"""What the system said of a file when its digest was known, and that digest: size, mtime_ns, inode, ctime_ns, mode and
SHA-256, with blanks between. Text, since thousands of these are read, compared and written by each build."""


class Seen(NamedTuple):
    """A file as it was found or left: a later write changes one of these."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> Seen:
        """What the system says of a file."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)

    @classmethod
    def told(cls, mark: Mark) -> Seen:
        """What a mark says of a file."""
        size, mtime_ns, inode, _ = mark.split(" ", 3)
        return cls(int(size), int(mtime_ns), int(inode))


def mark_of(found: os.stat_result, sha256: str) -> Mark:
    """The mark of a file whose digest is known."""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino} {found.st_ctime_ns} {found.st_mode} {sha256}"


class Staged(NamedTuple):
    """What became of a file: written into the stage, or found unchanged in the target."""

    part: str
    path: str
    sha256: str
    written: bool
    found: Seen | Mark
    kept: tuple[str, ...] = ()
    """Files that the user edited, the one that was made first: this lies beside them."""

    @property
    def seen(self) -> Seen:
        """The file as it was left."""
        return Seen.told(self.found) if isinstance(self.found, str) else self.found
