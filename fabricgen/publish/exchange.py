"""Letting two paths change places in one step, where the system can."""

from __future__ import annotations

import errno
import os
from functools import cache
from typing import Any

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
NO_EXCHANGE = frozenset(
    {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES}
)
"""What a system answers that cannot exchange these two, but may well let us write into a folder."""


def can_exchange() -> bool:
    """Tell whether the system knows how to, if not in every place."""
    return _renameat2() is not None


def exchange(one: str, other: str) -> None:
    """Let two paths change places; raises OSError."""
    import ctypes

    call = _renameat2()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), other)
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), other)


@cache
def _renameat2() -> Any:
    import ctypes

    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
