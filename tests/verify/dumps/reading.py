"""Reads the text of a dump as `verify` does, and gives back what it says in a short form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.reading import read_all
from fabricgen.verify.sightings import Sightings


def read_dumps(arguments: Sequence[str], jobs: int = 0) -> tuple[Sightings, list[str], int]:
    """(who sees whom, files that are no dumps, number of files that are dumps)."""
    return read_all(arguments, jobs, optics=False)[:3]


def read(tmp_path: Path, dump: Any, file: str = "leaf-01.txt") -> Sightings:
    """What a dump says: a text, or a value that is written as JSON."""
    path = tmp_path / file
    path.write_text(dump if isinstance(dump, str) else json.dumps(dump), encoding="utf-8")
    return read_dumps([str(path)], jobs=1)[0]


def rows(seen: Sightings) -> list[tuple[str, str, Box | None, str, str, int]]:
    """(device by name or file, port, neighbour, its port, the port's description, state) of each row."""
    found = []
    for i in range(len(seen)):
        owner, neighbor = seen.boxes[seen.owner[i]], int(seen.neighbor[i])
        told = seen.texts[seen.port[i]], seen.texts[seen.far_port[i]], seen.texts[seen.far_text[i]]
        box = None if neighbor < 0 else seen.boxes[neighbor]
        found.append((owner.name or Path(owner.file).name, told[0], box, told[1], told[2], int(seen.state[i])))
    return found


def faults(tmp_path: Path, dump: Any, file: str = "leaf-01.txt") -> list[str]:
    """The faults of a dump as LINE:COLUMN: MESSAGE; each is FG065 and has a place in its file."""
    try:
        read(tmp_path, dump, file)
    except InputError as error:
        found = error.diagnostics
    else:
        return []
    assert {each.code for each in found} == {"FG065"}
    spans = [(each.span, each.message) for each in found]
    return [f"{span.line}:{span.column}: {message}" for span, message in spans if span is not None]
