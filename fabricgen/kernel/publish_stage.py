"""The stage: where a build grows, out of sight, until it can land."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH101, PTH102, PTH106, PTH108, PTH112, PTH113, PTH114, PTH116, PTH118, PTH208

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.kernel.publish_lock import sibling
from fabricgen.kernel.publish_manifest import LOCK, MANIFEST, STAGE, Entry, Ledger, ancestors, disk_fault

MARKER = "fabricgen-stage"
JOURNAL = "journal.json"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Listing:
    """What is in a folder: everything that is not a folder, and the folders."""

    files: frozenset[str]
    folders: frozenset[str]


@dataclass(frozen=True, slots=True)
class Changes:
    """What landing a stage means for the folder that is there now."""

    own: Mapping[str, Entry]
    """Manifest entries of the parts that are not being built."""
    keep: frozenset[str]
    keep_folders: frozenset[str]
    remove: frozenset[str]
    prune: frozenset[str]


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
    written: int = 0
    unchanged: list[str] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)

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
            _resemble(self.real, self.tree)
            shutil.copystat(self.real, self.tree)

    def put(self, part: str, path: str, content: bytes) -> None:
        """Stage one file; raises ValueError for a bad path, InputError FG023 when it cannot be written."""
        self.ledger.record(part, path, content)
        try:
            if path in self.old and same_content(f"{self.real}/{path}", content):
                self.unchanged.append(path)
            else:
                self.folder_of(path)
                write_file(f"{self.tree}/{path}", content)
                self.written += 1
        except OSError as error:
            raise disk_fault(self.target / path, error) from error

    def folder_of(self, path: str) -> None:
        """Make the staged folders that lead to `path`, with the modes they have in the target."""
        end = path.rfind("/")
        if end < 0 or path[:end] in self.folders:
            return
        for folder in reversed([each for each in ancestors(path) if each not in self.folders]):
            os.mkdir(f"{self.tree}/{folder}")
            self.folders.add(folder)
            if self.exists and not self.inside:
                _resemble(f"{self.real}/{folder}", f"{self.tree}/{folder}")

    def changes(self) -> Changes:
        """Compare with what is there now; raises InputError FG020 for files of the user in the way."""
        seen = scan(self.real, self.inside) if self.exists else Listing(frozenset(), frozenset())
        new, parts = self.ledger.entries.keys(), self.ledger.parts
        own = {
            path: entry
            for path, entry in self.old.items()
            if parts is not None and entry.part not in parts and path not in new
        }
        keep = (seen.files - self.old.keys()) | (seen.files & own.keys())
        ours = {folder for path in self.old for folder in ancestors(path)}
        keep_folders = seen.folders - ours
        keep_folders |= {folder for path in keep | keep_folders for folder in ancestors(path)}
        in_the_way = (keep & new) | (keep & self.ledger.folders) | (keep_folders & new)
        if in_the_way:
            raise _collisions(self.target, in_the_way)
        return Changes(
            own,
            keep,
            keep_folders,
            remove=frozenset((seen.files & self.old.keys()) - own.keys() - new),
            prune=frozenset(seen.folders - keep_folders - self.ledger.folders),
        )

    def discard(self) -> None:
        """Remove the stage, unless it holds a journal that the next run has to finish."""
        if not os.path.lexists(f"{self.place}/{JOURNAL}"):
            remove_stage(self.place)


def _collisions(target: Path, paths: frozenset[str]) -> InputError:
    return InputError(
        Diagnostic(
            "FG020",
            Severity.ERROR,
            f"{target / path} is in the way and was not written by fabricgen",
            hint="move it elsewhere, or build into another folder",
        )
        for path in sorted(paths)
    )


def _resemble(old: str, new: str) -> None:
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


def scan(root: str, skip_stage: bool = False) -> Listing:
    """List a folder without following links; our manifest and lock (and stage) are left out."""
    skipped = {MANIFEST, LOCK, STAGE} if skip_stage else {MANIFEST, LOCK}
    files: list[str] = []
    folders: list[str] = []
    todo = [""]
    while todo:
        prefix = todo.pop()
        with os.scandir(f"{root}/{prefix}") as entries:
            for entry in entries:
                path = prefix + entry.name
                if path in skipped:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                    todo.append(f"{path}/")
                else:
                    files.append(path)
    return Listing(frozenset(files), frozenset(folders))


def write_file(path: str, content: bytes, sync: bool = False) -> None:
    """Write a new file; raises OSError, also when there is one already."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        done = os.write(descriptor, content)
        while done < len(content):
            done += os.write(descriptor, memoryview(content)[done:])
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def same_content(path: str, content: bytes) -> bool:
    """Tell whether `path` is a regular file with this content; what cannot be read is not."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size != len(content):
            return False
        done = 0
        while chunk := os.read(descriptor, _CHUNK):
            if not content.startswith(chunk, done):
                return False
            done += len(chunk)
        return done == len(content)
    finally:
        os.close(descriptor)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
