"""What a part is for: the cables, devices and racks that need it, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fabricgen.bom.bill import Bill, single_pieces
from fabricgen.bom.need import Needs, Part, joined
from fabricgen.bom.ordered import models_of_numbers, needs_of_number
from fabricgen.bom.owners import NONE, Grouping, Owners
from fabricgen.bom.sets import JOINT, pieces_of
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.cabling.cables import number_cages

COLUMNS = ("part", "kind", "quantity", "fabric", "site", "su", "rack", "device", "cage", "cable")


def trace(bill: Bill, part: str) -> dict[str, list[Any]]:
    """The needs for a part, in the columns of `COLUMNS`; "" where a row has no such value.

    The part is one of the bill, or one of the order sheet: a single piece, of which sets are then counted in
    pieces, or the part number of a switch.
    Quantities sum to that of the bill, or of the order sheet. A transceiver lists its device, its cage and every cable
    in that cage. Raises InputError (FG073) where neither has such a part.
    """
    sets = [(i, each, *pieces_of(each.part)) for i, each in enumerate(bill.needs.parts)]
    found = [
        _in_pieces(bill.needs.of(i), replace(each, part=part), 1 if each.part == part else count)
        for i, each, count, piece in sets
        if part in (each.part, piece)
    ]
    if not found:
        numbers = models_of_numbers(bill.cluster, bill.lines)
        if part in numbers:
            index = next(i for i, each in enumerate(bill.needs.parts) if each.part == numbers[part])
            found = [needs_of_number(bill.cluster, bill.needs.of(index), part)]
        else:
            known = {line.part for line in (*bill.lines, *single_pieces(bill.lines))} | set(numbers)
            hint = did_you_mean(part, known)
            raise fault("FG073", f"there is no part '{part}' in the bill of materials", hint=hint)
    return _columns(bill, joined(found))


def _in_pieces(needs: Needs, part: Part, count: int) -> Needs:
    """The needs of one part as needs of the `count` pieces that each is."""
    return replace(needs, parts=(part,), quantity=needs.quantity * count)


def trace_all(bill: Bill) -> dict[str, list[Any]]:
    """The needs for every part, in the order of the bill's lines; as `trace`."""
    place = {each.part: i for i, each in enumerate(bill.needs.parts)}
    found = joined([bill.needs.of(place[line.part]) for line in bill.lines])
    return _columns(bill, found)


def _columns(bill: Bill, needs: Needs) -> dict[str, list[Any]]:
    cluster = bill.cluster
    owners = Owners(cluster, needs)
    parts = np.array([part.part for part in needs.parts], dtype=object)
    kinds = np.array([part.kind for part in needs.parts], dtype=object)
    cage, cables = _at_ends(bill, needs)
    columns = (
        parts[needs.part].tolist(),
        kinds[needs.part].tolist(),
        needs.quantity.tolist(),
        *(_names(key) for key in (owners.fabrics(), owners.sites(), owners.units(), owners.racks())),
        _picked(cluster.name_column, needs.device),
        cage,
        cables,
    )
    return dict(zip(COLUMNS, columns, strict=True))


def _names(key: Grouping) -> list[str]:
    names = np.array(["" if name == NONE else name for name in key.names], dtype=object)
    found: list[str] = names[key.code].tolist()
    return found


def _picked(names: Any, rows: Ints) -> list[str]:
    """Names by index; "" for -1."""
    found: list[str] = np.append(names, "")[rows].tolist()
    return found


def _at_ends(bill: Bill, needs: Needs) -> tuple[list[str], list[str]]:
    """(cage, cables) of each need: where a piece plugs into a cage, the cage and all cables in it; else
    its own cable.
    """
    table, ids = bill.cluster.plan.cables, np.array(bill.cluster.cable_ids, dtype=object)
    cages, cables = np.full(len(needs), "", dtype=object), np.append(ids, "")[needs.cable]
    at = np.flatnonzero(needs.end >= 0)
    if len(at):
        ends = needs.end[at]
        cages[at] = np.concatenate([column[table.end_link] for column in bill.cluster.cages])[ends]
        numbers = number_cages(bill.cluster.plan)
        of_end = np.concatenate([numbers.a, numbers.b])
        cables[at] = _joined_by_cage(of_end, np.tile(table.end_cable, 2), numbers.count, ids)[of_end[ends]]
    return cages.tolist(), cables.tolist()


def _joined_by_cage(cage: Ints, cable: Ints, cages: int, ids: Any) -> Any:
    """The names of the cables in each cage, ascending and joined; object array of str."""
    pairs = np.unique(cage.astype(np.int64) * len(ids) + cable)
    in_cage, cable_there = np.divmod(pairs, len(ids))
    first = np.searchsorted(in_cage, np.arange(cages + 1))
    count = np.diff(first)
    text = np.full(cages, "", dtype=object)
    text[count > 0] = ids[cable_there[first[:-1][count > 0]]]
    for nth in range(1, int(count.max(initial=0))):
        more = np.flatnonzero(count > nth)
        text[more] = text[more] + JOINT + ids[cable_there[first[more] + nth]]
    return text
