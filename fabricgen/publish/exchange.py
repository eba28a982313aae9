"""Letting two folders change places in one step, where the system can."""

# Plain strings for paths: see lock.py.
# ruff: noqa: PTH109, PTH123

from __future__ import annotations

import errno
import os
import re
from functools import cache
from typing import Any

from fabricgen.publish.lock import can_write_beside

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
NO_EXCHANGE = frozenset(
    {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES}
)
"""What a system answers that cannot exchange these two, but may well let us write into a folder."""


def can_exchange() -> bool:
    """Tell whether the system knows how to, if not in every place."""
    return _load_renameat2() is not None


def is_exchangeable(real: str) -> bool:
    """Tell whether a folder may be exchanged for one beside it: nobody works in it, and nothing is mounted there."""
    if not (can_write_beside(real) and can_exchange()):
        return False
    try:
        current = os.getcwd()
    except OSError:
        current = ""
    return not any(f"{path}/".startswith(f"{real}/") for path in [current, *list_mount_points()])


def list_mount_points() -> list[str]:
    """List what is mounted; a tree with mounts in it cannot be swapped away and deleted."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
            fields = [line.split(" ")[4] for line in table]
    except OSError:
        return []
    # the kernel writes blanks and the like in mount points as octal escapes
    return [re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field) for field in fields]


def exchange_paths(old: str, new: str) -> None:
    """Let two paths change places; raises OSError."""
    import ctypes

    call = _load_renameat2()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), new)
    if call(_AT_FDCWD, os.fsencode(old), _AT_FDCWD, os.fsencode(new), _RENAME_EXCHANGE):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), new)


@cache
def _load_renameat2() -> Any:
    import ctypes

    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
