"""The rooms of NOSes, `fabricgen/nos/NAME/`, whose modules are what fabricgen can do with a NOS; nothing lists them.

A room may have `writer.py` (writes the files of a switch or fabric), `reader.py` (reads such files), `statements.py`
and `differences.yaml` (how two configurations are compared). The name is the word in blueprints under `nos:`.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

PACKAGE = "fabricgen.nos"


@cache
def list_nos(part: str) -> tuple[str, ...]:
    """Return the sorted names of the NOSes whose room has a module named `part`, without importing any."""
    rooms = (entry for folder in import_module(PACKAGE).__path__ for entry in os.scandir(folder) if entry.is_dir())
    return tuple(sorted(room.name for room in rooms if os.path.exists(f"{room.path}/{part}.py")))  # noqa: PTH110 - the path is text


def load_part(nos: str, part: str) -> ModuleType:
    """Return a module of a NOS's room, imported. Raises KeyError if there is none."""
    if nos not in list_nos(part):
        raise KeyError(nos)
    return import_module(f"{PACKAGE}.{nos}.{part}")


def find_room_file(nos: str, name: str) -> Path:
    """Return the path of a data file in a NOS's room, whether or not the file exists."""
    return Path(import_module(PACKAGE).__path__[0], nos, name)
