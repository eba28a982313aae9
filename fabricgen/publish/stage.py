"""The stage: where a build grows, out of sight, until it can land."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH102, PTH104, PTH106, PTH108, PTH112, PTH113, PTH114, PTH118, PTH208

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.publish.changes import Changes, compared, edited_among, listed_near, staying
from fabricgen.publish.files import Listing, scan, write_file
from fabricgen.publish.known import Staged
from fabricgen.publish.lock import sibling
from fabricgen.publish.manifest import STAGE, Entry, Ledger
from fabricgen.publish.stager import Stager, resemble
from fabricgen.publish.state import Memory

MARKER = "fabricgen-stage"
JOURNAL = "journal.json"
_LARGE = 1 << 20
"""Bytes of a file that it takes a millisecond to remove."""


@dataclass(slots=True)
class Stage:
    """A build on its way to `real`: staged in `place`, which is inside the target or beside it."""

    target: Path
    real: str
    place: str
    old: Mapping[str, Entry]
    ledger: Ledger
    exists: bool
    inside: bool
    memory: Memory
    force: bool = False
    """Whether what the user edited is replaced and removed like all else that an earlier build wrote."""
    staged: list[Staged] = field(default_factory=list)
    linked: bool = False
    """Whether unchanged files were linked into the stage, which the file system takes for a change."""

    @property
    def written(self) -> list[str]:
        """Files that differ from those in the target, or are not there."""
        return [each.path for each in self.staged if each.written]

    @property
    def unchanged(self) -> list[str]:
        """Files that the target holds already."""
        return [each.path for each in self.staged if not each.written]

    @property
    def tree(self) -> str:
        """The folder that holds the staged files."""
        return f"{self.place}/tree"

    def open(self) -> None:
        """Make the stage; raises OSError."""
        os.mkdir(self.place, 0o700)
        write_file(f"{self.place}/{MARKER}", b"written by fabricgen, safe to delete\n")
        os.mkdir(self.tree)
        if self.exists and not self.inside:
            resemble(self.real, self.tree)
            shutil.copystat(self.real, self.tree)

    def stager(self) -> Stager:
        """What fills the stage, in any process."""
        return Stager(
            self.target, self.real, self.tree, self.old, self.memory, self.exists and not self.inside, self.force
        )

    def enter(self, staged: Staged) -> None:
        """Note what became of a file; raises ValueError for one that no producer may make."""
        self.ledger.record(staged.part, staged.path, staged.sha256)
        self.ledger.edited.update(dict.fromkeys(staged.kept, staged.path))
        self.staged.append(staged)

    def move_inside(self) -> None:
        """Go on inside the target, from where files are moved one by one; raises OSError."""
        place = f"{self.real}/{STAGE}"
        os.rename(self.place, place)
        self.place, self.inside = place, True

    def changes(self, near: bool = False) -> Changes:
        """Compare with what is there now, or near what changes; raises InputError FG020 for files in the way.

        A file that was edited and is made no more is the user's from here on.
        """
        if not self.force:
            for path in edited_among(self.real, self.old, self.old.keys() - staying(self.old, self.ledger)):
                self.ledger.edited[path] = ""
            self.old = {path: entry for path, entry in self.old.items() if self.ledger.edited.get(path) != ""}
        if not self.exists:
            seen = Listing(frozenset(), frozenset())
        elif near:
            seen = listed_near(self.real, self.old, self.ledger, self.written)
        else:
            seen = scan(self.real, self.inside)
        found = compared(seen, self.old, self.ledger)
        if found.in_the_way:
            raise _collisions(self.target, found.in_the_way)
        return found

    @contextlib.contextmanager
    def unlinking(self) -> Iterator[None]:
        """Remove what large files replaced while a block does something else: the system takes long to forget them.

        Only these, since threads of Python's own code wait for each other, and only once a stage has landed. Where
        files were linked, all of it goes before the block: with one name less they are changed.
        """
        if self.linked:
            self.discard()
        helper = threading.Thread(target=self._unlink_large)
        helper.start()
        try:
            yield
        finally:
            helper.join()

    def _unlink_large(self) -> None:
        if os.path.lexists(f"{self.place}/{JOURNAL}"):
            return
        for each in self.staged:
            if each.written and each.seen.size >= _LARGE:
                with contextlib.suppress(OSError):
                    os.unlink(f"{self.tree}/{each.path}")

    def discard(self) -> None:
        """Remove the stage, unless it holds a journal that the next run has to finish."""
        if not os.path.lexists(f"{self.place}/{JOURNAL}"):
            remove_stage(self.place)


def _collisions(target: Path, paths: frozenset[str]) -> InputError:
    return InputError(
        Diagnostic(
            "FG020",
            Severity.ERROR,
            f"{target / path} is in the way and was not written by fabricgen, or edited since",
            hint="move it elsewhere, or build into another folder",
        )
        for path in sorted(paths)
    )


def new_place(real: str) -> str:
    """Name a stage beside the target that no other run uses."""
    return sibling(real, f"stage-{secrets.token_hex(4)}")


def remove_stage(place: str) -> None:
    """Remove a stage of ours: a real folder with our marker, or empty; anything else is left alone."""
    if os.path.islink(place) or not os.path.isdir(place):
        return
    with contextlib.suppress(OSError):
        if os.path.isfile(f"{place}/{MARKER}"):
            shutil.rmtree(f"{place}/tree", ignore_errors=True)
            for name in {*os.listdir(place)} - {MARKER}:
                os.unlink(f"{place}/{name}")
            os.unlink(f"{place}/{MARKER}")  # last, so that a later run knows whose the rest is
        os.rmdir(place)


def remove_leftovers(real: str) -> None:
    """Remove the stages that killed runs left beside the target; the caller holds its lock."""
    parent, prefix = os.path.split(sibling(real, "stage-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}")
    with contextlib.suppress(PermissionError):
        for name in os.listdir(parent):
            if ours.fullmatch(name):
                remove_stage(os.path.join(parent, name))
