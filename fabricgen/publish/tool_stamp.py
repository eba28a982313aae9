"""Which fabricgen this is, down to an edited template: what an earlier one made is not taken for what this would."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from fabricgen import __version__
from fabricgen.kernel.resources import resource_dir

_PACKAGE = Path(__file__).resolve().parent.parent


def tool_stamp() -> str:
    """Digest of the release, of size and time of its files and of Jinja2's, which decide how templates print.

    What a package calls itself is told by its metadata, whose reader loads e-mail and sockets: 12 ms of every build.
    """
    jinja2 = find_spec("jinja2")
    places = jinja2.submodule_search_locations if jinja2 else None
    return stamp_of([_PACKAGE, resource_dir("templates"), *map(Path, places or ())], __version__, sys.version)


def stamp_of(folders: Iterable[Path], *told: str) -> str:
    """Digest of what is told, and of size and time of the files in some folders."""
    facts = [*told, *(fact for folder in folders for fact in sorted(_facts(folder)))]
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _facts(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            found = os.stat(f"{place}/{name}")  # noqa: PTH116 - hundreds of files
            yield f"{place}/{name} {found.st_size} {found.st_mtime_ns}"
