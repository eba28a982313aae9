"""The files of a switch without a line, a field or a leaf of them: each in turn, with what stands below it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

from fabricgen.nos.cumulus.reading.spelling import make_tree, read_settings
from fabricgen.nos.junos import statements as junos
from tests.drift import test_eos_law as eos
from tests.drift import test_nvue_law as nvue
from tests.drift import test_sonic_law as sonic
from tests.drift.frr_texts import ENDS, indent_of, lines_above
from tests.drift.test_frr_law import UNSAID
from tests.parity.switches import Files


class Loss(NamedTuple):
    """What is taken away and where it stood, with `#` for its numbers; the files without it are made when asked for."""

    what: str
    files: Callable[[], Files]


Left: TypeAlias = Iterator[tuple[str, bool, Callable[[], str]]]
"""What is taken away, whether the NOS does the same without it as drift has it, and what is left."""


def losses(files: Files) -> Iterator[Loss]:
    """Yield the files of a switch without each line, field and leaf in turn, one of each shape.

    What says a default of the NOS stays.
    """
    known = set()
    for name, text in files.items():
        kind = name if name == junos.FILE else name.rpartition(".")[2]
        takers = {"json": fields_lost, "yaml": leaves_lost, junos.FILE: statements_lost}
        for where, is_default, make in takers.get(kind, lines_lost)(text):
            what = re.sub(r"\d+", "#", where)
            if what not in known and not is_default:
                known.add(what)
                yield Loss(what, partial(_without, files, name, make))


def _without(files: Files, name: str, make: Callable[[], str]) -> Files:
    return {**files, name: make()}


def lines_lost(text: str) -> Left:
    """A text of indented sections without each line and what stands below it; a banner is one line."""
    lines = re.findall(r"^banner \S+\n(?:.*\n)*?EOF\n|.*\n", text, re.M)
    for at, line in enumerate(lines):
        if ENDS.fullmatch(line.rstrip()) or line.lstrip().startswith("!") or line in ("end\n", "\n"):
            continue
        below = (n for n in range(at + 1, len(lines)) if indent_of(lines[n]) <= indent_of(line))
        rest = lines[next(below, len(lines)) :]
        where = [" ".join(up.split()) for up in (*reversed(lines_above(lines, at)), line)]
        is_default = eos.is_default(" ".join(where)) or any(re.fullmatch(one, where[-1]) for one in UNSAID)
        yield " / ".join(where), is_default, partial("".join, lines[:at] + rest)


def fields_lost(text: str) -> Left:
    """Tables of SONiC without each row, each field of one, and each value of a list."""
    tables = json.loads(text)
    for table, rows in tables.items():
        for key, row in rows.items():
            others = {name: other for name, other in rows.items() if name != key}
            yield f"{table} {key}", False, partial(json.dumps, {**tables, table: others})
            for field, left in sonic.without_each_field(row):
                is_default = field not in left and sonic.is_default(table, key, field, row)
                without = {**tables, table: {**rows, key: left}}
                yield f"{table} {key} {field}", is_default, partial(json.dumps, without)


def statements_lost(text: str) -> Left:
    """A configuration of Junos without each of its statements."""
    stated = {path: value for path, value in junos.read_statements({junos.FILE: text}).items() if len(path) > 1}
    for path, value in stated.items():
        left = {other: said for other, said in stated.items() if other != path}
        yield " ".join((*path, value)).strip(), False, partial(_as_lines, left)


def _as_lines(stated: dict[tuple[str, ...], str]) -> str:
    return junos.files_of(stated)[junos.FILE]


def leaves_lost(text: str) -> Left:
    """A tree of NVUE without each of its leaves."""
    stated = read_settings(text)
    for path in nvue.leaves(stated):
        value = stated[path]
        left = {other: said for other, said in stated.items() if other != path}
        is_default = nvue.is_unsaid(path, value, stated)
        yield " ".join((*path, value)).strip(), is_default, partial(_dump, left)


def _dump(stated: dict[tuple[str, ...], str]) -> str:
    return json.dumps([{"set": make_tree(stated)}])
