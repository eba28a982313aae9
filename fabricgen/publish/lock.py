"""One build at a time into one target: a lock that the kernel releases even if the build is killed."""

# A path is a string here and in the other publish modules: a Path object per file costs as much as the file.
# ruff: noqa: PTH102, PTH106, PTH108, PTH112, PTH116, PTH118, PTH120

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.manifest import LOCK, report_disk_faults

_LONGEST = 120
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
