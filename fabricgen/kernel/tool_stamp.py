"""Which fabricgen this is, down to an edited template: what an earlier one made is not taken for what this would."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from fabricgen import __version__
from fabricgen.kernel.resources import resource_dir

_PACKAGE = Path(__file__).resolve().parent.parent


def tool_stamp() -> str:
    """Digest of the release, of size and time of its files, and of what else decides how templates print."""
    try:
        jinja2 = version("jinja2")
    except PackageNotFoundError:
        jinja2 = ""
    facts = [__version__, sys.version, jinja2, *sorted(_facts(_PACKAGE)), *sorted(_facts(resource_dir("templates")))]
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _facts(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            found = os.stat(f"{place}/{name}")  # noqa: PTH116 - hundreds of files
            yield f"{place}/{name} {found.st_size} {found.st_mtime_ns}"
