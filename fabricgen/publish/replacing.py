"""A file that is replaced whole: whoever reads it sees the old content or the new, never a part."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from fabricgen.publish.files import new_file, write_all


def replace_file(path: Path, content: bytes) -> None:
    """Write beside a file and put that in its place; an earlier one stays as it is if writing fails or is stopped.

    It has the permissions of the earlier one; a new one has those that the umask leaves. The name beside is one that
    nobody can have laid out before, as a link for example. Raises OSError.
    """
    earlier = path.stat().st_mode & 0o777 if path.exists() else None
    temporary = path.parent / f".fabricgen-{secrets.token_hex(8)}"
    with new_file(str(temporary), 0o666 if earlier is None else 0o600) as descriptor:
        try:
            write_all(descriptor, content)
            if earlier is not None:
                os.fchmod(descriptor, earlier)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
