"""Single files and folders: write, compare, list, make durable."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH116

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fabricgen.publish.manifest import LOCK, MANIFEST, STAGE

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Listing:
    """What is in a folder: everything that is not a folder, and the folders."""

    files: frozenset[str]
    folders: frozenset[str]


def scan(root: str, skip_stage: bool = False, start: str = "") -> Listing:
    """List a folder, or what is below `start` in it (which ends in /), without following links.

    Our manifest and lock (and stage) are left out.
    """
    skipped = {MANIFEST, LOCK, STAGE} if skip_stage else {MANIFEST, LOCK}
    files: list[str] = []
    folders: list[str] = []
    todo = [start]
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


@contextmanager
def new_file(path: str) -> Iterator[int]:
    """Make a file and give its descriptor; raises OSError, also when there is one already."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Write, however often the system has to be asked; raises OSError."""
    done = os.write(descriptor, content)
    while done < len(content):
        done += os.write(descriptor, memoryview(content)[done:])


def write_file(path: str, content: bytes, sync: bool = False) -> None:
    """Write a new file; raises OSError, also when there is one already."""
    with new_file(path) as descriptor:
        write_all(descriptor, content)
        if sync:
            os.fsync(descriptor)


def same_content(path: str, content: bytes) -> bool:
    """Tell whether `path` is a regular file with this content; what cannot be read is not."""
    with _readable(path) as descriptor:
        if descriptor is None or os.fstat(descriptor).st_size != len(content):
            return False
        done = 0
        while chunk := os.read(descriptor, _CHUNK):
            if not content.startswith(chunk, done):
                return False
            done += len(chunk)
        return done == len(content)


def same_files(one: str, other: str) -> bool:
    """Tell whether both are regular files with the same content; what cannot be read is not."""
    with _readable(one) as left, _readable(other) as right:
        if left is None or right is None or os.fstat(left).st_size != os.fstat(right).st_size:
            return False
        while chunk := os.read(left, _CHUNK):
            if chunk != os.read(right, len(chunk)):
                return False
        return not os.read(right, 1)


def digest_of(path: str) -> str | None:
    """SHA-256, in hexadecimal, of a file; "" for a link or what cannot be read, None for a folder or nothing."""
    try:
        mode = os.stat(path, follow_symlinks=False).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        return None
    with _readable(path) as descriptor:
        if descriptor is None:
            return ""
        digest = hashlib.sha256()
        while chunk := os.read(descriptor, _CHUNK):
            digest.update(chunk)
        return digest.hexdigest()


@contextmanager
def _readable(path: str) -> Iterator[int | None]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield None
        return
    try:
        yield descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    finally:
        os.close(descriptor)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
