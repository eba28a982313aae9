"""A file that is replaced whole: whoever reads it sees the old content or the new, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write beside a file and put that in its place; an earlier one stays as it is if writing fails or is stopped.

    The name beside is one that nobody can have laid out before, as a link for example. Raises OSError.
    """
    handle, temporary = tempfile.mkstemp(prefix=".fabricgen-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
