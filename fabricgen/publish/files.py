"""Files and folders of a build: to write, list and hash them, and to lock its folder while one build writes into it."""

# A path is a string here and in the other publish modules: a Path object per file costs as much as the file.
# ruff: noqa: PTH102, PTH106, PTH108, PTH112, PTH116, PTH118, PTH120, PTH123

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.manifest import LOCK, MANIFEST, STAGE, report_disk_faults


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


_LONGEST = 120
"""The most bytes of a target's name that its companions have whole."""
_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP})
"""The errors of a file system without locks, such as Lustre mounted without `flock`: builds go on without a lock."""


def name_companion(real: str, kind: str) -> str:
    """Return the path of a hidden companion beside the target, `.NAME.fabricgen-KIND`; long names are cut to fit."""
    parent, name = os.path.split(real)
    if len(os.fsencode(name)) > _LONGEST:
        # a character has up to four bytes in UTF-8; the digest keeps names apart that begin alike
        name = f"{name[: _LONGEST // 4]}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return os.path.join(parent, f".{name}.fabricgen-{kind}")


def can_write_beside(real: str) -> bool:
    """Whether companions can be made beside the target."""
    return os.path.dirname(real) != real and os.access(os.path.dirname(real), os.W_OK | os.X_OK)


@contextlib.contextmanager
def hold_target(target: Path) -> Iterator[str]:
    """Within this context, hold the target against other builds; yield its real path, and make its parent folders.

    Raises InputError: FG022 if another build holds it, FG023 if the lock cannot be made.
    """
    real = os.path.realpath(target)
    new_folders: list[str] = []
    try:
        with report_disk_faults(target):
            _make_parents(os.path.dirname(real), new_folders)
            # beside the folder, if one may write there, since the folder itself may be exchanged for another
            inside = os.path.isdir(real) and not can_write_beside(real)
            path = os.path.join(real, LOCK) if inside else name_companion(real, "lock")
            descriptor = _acquire_lock(path)
        if descriptor is None:
            raise fault("FG022", f"another build is writing {target}", hint="wait for it, or choose another target")
        try:
            yield real
        finally:
            with contextlib.suppress(OSError):
                os.unlink(path)  # before letting go: who waits for this file sees that it is gone
            os.close(descriptor)
    finally:
        for folder in reversed(new_folders):
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # succeeds only where nothing was published


def _make_parents(folder: str, new_folders: list[str]) -> None:
    """Make a folder and the missing ones above it; add them to `new_folders`, from the top down."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        if os.path.lexists(folder):
            break
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        new_folders.append(path)


def _acquire_lock(path: str) -> int | None:
    """Return the descriptor of the locked file; None if another build holds it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError as error:
            # a file system without locks: builds there are not kept apart
            if error.errno in _NO_LOCKS:
                return descriptor
            os.close(descriptor)
            raise
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False)):
                return descriptor
        os.close(descriptor)  # its last holder removed the file between our open and our lock
