"""Single files and folders: to write them, read them, list them, and make them durable."""

# Plain strings for paths: see lock.py.
# ruff: noqa: PTH116, PTH123

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fabricgen.publish.manifest import LOCK, MANIFEST, STAGE


@dataclass(frozen=True, slots=True)
class FolderListing:
    """The paths in a folder: everything that is no folder, and the folders."""

    files: frozenset[str]
    folders: frozenset[str]


def list_folder(root: str, skip_stage: bool = False) -> FolderListing:
    """List a folder without following links; our manifest and lock, and with `skip_stage` our stage, are left out."""
    skipped = {MANIFEST, LOCK, STAGE} if skip_stage else {MANIFEST, LOCK}
    files, folders, todo = set[str](), set[str](), [""]
    while todo:
        prefix = todo.pop()
        with os.scandir(f"{root}/{prefix}") as entries:
            kinds = {prefix + entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
        inner = {path for path, is_folder in kinds.items() if is_folder and path not in skipped}
        folders |= inner
        files |= kinds.keys() - inner - skipped
        todo += [f"{path}/" for path in inner]
    return FolderListing(frozenset(files), frozenset(folders))


@contextmanager
def open_new_file(path: str, mode: int = 0o666) -> Iterator[int]:
    """Within this context, write to the yielded descriptor of a new file with a mode, less the umask. Raises
    OSError, also if there is a file already.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Write content, in as many steps as the system takes; raises OSError."""
    done = os.write(descriptor, content)
    while done < len(content):
        done += os.write(descriptor, memoryview(content)[done:])


def write_file(path: str, content: bytes, sync: bool = False) -> None:
    """Write a new file, with `sync` to the disk; raises OSError, also if there is a file already."""
    with open_new_file(path) as descriptor:
        write_all(descriptor, content)
        if sync:
            os.fsync(descriptor)


def compute_digest(path: str) -> str | None:
    """Return the SHA-256, in hexadecimal, of a file; "" for a link and for a file that cannot be read, None for a
    folder or nothing.
    """
    try:
        mode = os.stat(path, follow_symlinks=False).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        return None
    if not stat.S_ISREG(mode):
        return ""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def sync_folder(path: str) -> None:
    """Make the names in a folder durable; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Replacing a file: whoever reads it sees the old content or the new, never a part of either.


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside another and put it in its place; the earlier one stays as it is if writing fails or is
    stopped.

    The file gets the permissions of the earlier one; a new one has those that the umask leaves. The name of the file
    beside cannot be guessed, so that nobody can have laid out a link there. Raises OSError.
    """
    earlier = path.stat().st_mode & 0o777 if path.exists() else None
    temporary = path.parent / f".fabricgen-{secrets.token_hex(8)}"
    with open_new_file(str(temporary), 0o666 if earlier is None else 0o600) as descriptor:
        try:
            write_all(descriptor, content)
            if earlier is not None:
                os.fchmod(descriptor, earlier)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
