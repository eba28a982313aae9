"""Filling a stage: who makes a file compares it with the one that is there, and writes it if they differ."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH116

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fabricgen.publish.files import digest_of, new_file, same_content, same_files, write_all
from fabricgen.publish.known import Seen, Staged, mark_of
from fabricgen.publish.manifest import BESIDE, Content, Entry, Tally, ancestors, check_member, disk_fault
from fabricgen.publish.state import Memory

_CLASH = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR})
"""What a system answers where the new stage already holds something of that name."""


@dataclass(frozen=True, slots=True)
class Stager:
    """Puts files into `tree`, the stage of `real`, unless `real` holds the same, written by us.

    What the user edited stays, unless `force` is given: the new content is put beside it. Files that the `memory` has
    need not be read. With `resembles`, folders of the stage get mode and owner of those
    that they stand for.
    """

    target: Path
    real: str
    tree: str
    old: Mapping[str, Entry]
    memory: Memory
    resembles: bool
    force: bool = False
    made: set[str] = field(default_factory=set)

    def put(self, part: str, path: str, content: Content) -> Staged:
        """Stage one file; raises ValueError for a bad path, InputError FG023 when it cannot be written."""
        check_member(path)
        if isinstance(content, bytes):
            tally = Tally(content)
            (whole,) = tally
            seen = self._unchanged(path, tally.sha256, lambda: same_content(f"{self.real}/{path}", whole))
            if seen is not None:
                return Staged(part, path, tally.sha256, False, seen)
            place, kept, seen = self._place(path, tally.sha256)
            return Staged(part, place, tally.sha256, seen is None, seen or self._write(place, (whole,)), kept)
        return self._put_pieces(part, path, Tally(content))

    def _put_pieces(self, part: str, path: str, tally: Tally) -> Staged:
        """Pieces come once: they are written, and taken away again if they were there."""
        new = self._write(path, tally)
        staged = f"{self.tree}/{path}"
        old = self._unchanged(path, tally.sha256, lambda: same_files(f"{self.real}/{path}", staged))
        place, kept = path, tuple[str, ...]()
        if old is None:
            place, kept, old = self._place(path, tally.sha256)
        with self._faults(path):
            if old is not None:
                os.unlink(staged)
            elif kept:
                os.rename(staged, f"{self.tree}/{place}")
        return Staged(part, place, tally.sha256, old is None, old or new, kept)

    def _place(self, path: str, sha256: str) -> tuple[str, tuple[str, ...], Seen | None]:
        """Where content goes, the files of the user's that this passes by, and the file there if it is the same.

        It takes the place of what an earlier build wrote, there or beside it, and of nothing else.
        """
        kept: list[str] = []
        place = path
        ours: set[str] = set()
        with self._faults(path):
            while path in self.old:
                found = digest_of(f"{self.real}/{place}")
                ours.update(self.old[each].sha256 for each in (place, place + BESIDE) if each in self.old)
                if found == sha256 and place in self.old:
                    return place, tuple(kept), Seen.of(os.stat(f"{self.real}/{place}", follow_symlinks=False))
                if self.force or found is None or found in ours:
                    break
                kept.append(place)
                place += BESIDE
        return place, tuple(kept), None

    def _unchanged(self, path: str, sha256: str, same: Callable[[], bool]) -> Seen | None:
        """The file in the target, if we wrote it and it is the same."""
        entry = self.old.get(path)
        if entry is None or entry.sha256 != sha256:
            return None
        try:
            found = os.stat(f"{self.real}/{path}", follow_symlinks=False)
        except OSError:
            return None
        with self._faults(path):
            unchanged = self.memory.state.files.get(path) == mark_of(found, sha256) or same()
        return Seen.of(found) if unchanged else None

    def _write(self, path: str, pieces: Iterable[bytes]) -> Seen:
        with contextlib.ExitStack() as stack:
            with self._faults(path):
                self.folder_of(path)
                descriptor = stack.enter_context(new_file(f"{self.tree}/{path}"))
            for piece in pieces:
                with self._faults(path):
                    write_all(descriptor, piece)
            return Seen.of(os.fstat(descriptor))

    @contextlib.contextmanager
    def _faults(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _CLASH:
                raise ValueError(f"produced twice, or both a file and a folder: {path!r}") from error
            raise disk_fault(self.target / path, error) from error

    def folder_of(self, path: str) -> None:
        """Make the staged folders that lead to `path`, as far as no other process has; raises OSError."""
        end = path.rfind("/")
        if end < 0 or path[:end] in self.made:
            return
        for folder in reversed([each for each in ancestors(path) if each not in self.made]):
            with contextlib.suppress(FileExistsError):
                os.mkdir(f"{self.tree}/{folder}")
                if self.resembles:
                    resemble(f"{self.real}/{folder}", f"{self.tree}/{folder}")
            self.made.add(folder)


def resemble(old: str, new: str) -> None:
    """Give a staged folder the mode and owner of the folder it stands for, as far as one may."""
    try:
        was = os.stat(old, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return
    now = os.stat(new)
    if not stat.S_ISDIR(was.st_mode) or (was.st_mode, was.st_uid, was.st_gid) == (
        now.st_mode,
        now.st_uid,
        now.st_gid,
    ):
        return
    with contextlib.suppress(PermissionError):
        os.chown(new, was.st_uid, was.st_gid)
    with contextlib.suppress(PermissionError):
        os.chmod(new, stat.S_IMODE(was.st_mode))
