"""What a part is for: the cables, devices and racks that need it, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from fabricgen.bom.bill import Bill, split_sets
from fabricgen.bom.need import Needs, OrderedPart, join_needs
from fabricgen.bom.ordered import filter_needs, map_numbers_to_models
from fabricgen.bom.owners import NONE, Grouping, Owners
from fabricgen.bom.sets import JOINT, split_set
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.cabling.plugs import number_cages
from fabricgen.wiring.cabling.routes import RACK_WIDTH_M, measure_ways_inside

COLUMNS = ("part", "kind", "quantity", "fabric", "site", "su", "rack", "device", "cage", "cable", "run_m", "inside_m")


def trace_part(bill: Bill, part: str) -> dict[str, list[Any]]:
    """Return the needs for a part as the columns of `COLUMNS`, one row for each need; a cell without a value is "".

    `part` is a name in the bill or on the order sheet. A name on the order sheet is a single piece, and then sets are
    counted in pieces, or it is the part number of a variant of a switch. The quantities sum to that of the bill or of
    the order sheet. A transceiver lists its device, its cage and every cable in that cage. Raises InputError (FG073)
    if neither the bill nor the order sheet has the part.
    """
    part_needs = [
        _convert_to_pieces(
            bill.needs.select_part(i), bill_part._replace(part=part), 1 if bill_part.part == part else count
        )
        for i, bill_part in enumerate(bill.needs.parts)
        for count, piece in [split_set(bill_part.part)]
        if part in (bill_part.part, piece)
    ]
    if not part_needs:
        numbers = map_numbers_to_models(bill.cluster, bill.lines)
        if part in numbers:
            index = next(i for i, bill_part in enumerate(bill.needs.parts) if bill_part.part == numbers[part])
            part_needs = [filter_needs(bill.cluster, bill.needs.select_part(index), part)]
        else:
            known_names = {line.part for line in (*bill.lines, *split_sets(bill.lines))} | set(numbers)
            hint = did_you_mean(part, known_names)
            raise fault("FG073", f"there is no part '{part}' in the bill of materials", hint=hint)
    return _list_columns(bill, join_needs(part_needs))


def _convert_to_pieces(needs: Needs, part: OrderedPart, count: int) -> Needs:
    """Return the needs of a set as needs of `part`, which is one of its `count` equal pieces."""
    return replace(needs, parts=(part,), quantity=needs.quantity * count)


def trace_all_parts(bill: Bill) -> dict[str, list[Any]]:
    """Return the needs for every part as the columns of `trace_part`, in the order of the bill's lines."""
    index = {part.part: i for i, part in enumerate(bill.needs.parts)}
    needs = join_needs([bill.needs.select_part(index[line.part]) for line in bill.lines])
    return _list_columns(bill, needs)


def _list_columns(bill: Bill, needs: Needs) -> dict[str, list[Any]]:
    """Return needs as the columns of `COLUMNS`, one row for each need."""
    cluster = bill.cluster
    owners = Owners(cluster, needs)
    parts = np.array([part.part for part in needs.parts], dtype=object)
    kinds = np.array([part.kind for part in needs.parts], dtype=object)
    cage, cables = _list_cages_and_cables(bill, needs)
    runs, inside = _list_runs(cluster, needs)
    for row, name, run_m in _list_trunks(cluster, needs):
        cables[row], runs[row] = name, run_m
    columns = (
        parts[needs.part].tolist(),
        kinds[needs.part].tolist(),
        needs.quantity.tolist(),
        *(_list_names(key) for key in (owners.fabrics(), owners.sites(), owners.units(), owners.racks())),
        _pick_names(cluster.name_column, needs.device),
        cage,
        cables,
        runs,
        inside,
    )
    return dict(zip(COLUMNS, columns, strict=True))


def _list_trunks(cluster: Cluster, needs: Needs) -> Iterator[tuple[int, str, float]]:
    """Yield (row in `needs`, name of the trunk, its run in m) for each need for a trunk.

    The needs for one part come in the order of trunks.csv.
    """
    if cluster.plan.patching is None:
        return
    parts, trunks = PatchParts(cluster, cluster.plan.patching), cluster.plan.patching.trunks
    kinds, code = parts.trunk_parts
    for number, kind in enumerate(kinds):
        rows = np.flatnonzero(np.array([part.part == kind.part for part in needs.parts])[needs.part])
        for row, trunk in zip(rows.tolist(), np.flatnonzero(code == number).tolist(), strict=False):
            yield row, parts.trunks[trunk], round(float(trunks.run_m[trunk]), 2)


def _list_runs(cluster: Cluster, needs: Needs) -> tuple[list[float | str], list[float | str]]:
    """Return (runs, ways inside racks) of the cable of each need, or of the jumper at its device: m, with slack.

    The way inside racks is the piece of the run between the device and the manager or tray. Both are "" for a need
    that is no cable; the way inside racks is "" for a patched cable and for fibre between sites as well.
    """
    plan, slack = cluster.plan, cluster.design.loaded.blueprint.floor.slack
    table, links, inside_m = plan.cables, plan.links, np.zeros(len(plan.cables))
    # the racks of both ends of each row
    a, b = (plan.devices.rack[column[table.end_link]] for column in (links.a_device, links.b_device))
    way_m = measure_ways_inside(plan.racks)
    np.maximum.at(inside_m, table.end_cable, np.where(a == b, RACK_WIDTH_M, way_m[a] + way_m[b]) * (1 + slack))
    is_stated = np.array([segment.km > 0 for segment in links.segments], dtype=bool)[links.segment[table.end_link]]
    inside_m[table.end_cable[is_stated]] = np.nan
    if plan.patching:
        inside_m[plan.patching.policy >= 0] = np.nan
    is_laid = (needs.cable >= 0) & (needs.end < 0)
    # from here on by need: a need without a cable (-1) reads the NaN at the end
    run_m, inside_m = (np.append(column, np.nan)[needs.cable] for column in (table.run_m, inside_m))
    if plan.patching:
        # whether the device of a jumper is that at the b end of its cable
        at_b = needs.device == np.append(links.b_device[table.end_link[table.find_first_rows()]], -1)[needs.cable]
        jumper_m = (np.append(column, np.nan)[needs.cable] for column in (plan.patching.b_run_m, plan.patching.a_run_m))
        run_m = np.where(needs.device >= 0, np.where(at_b, *jumper_m), run_m)
    runs = (np.where(is_laid, column, np.nan) for column in (run_m, inside_m))
    # NaN, which is not equal to itself, is no figure
    run, inside = (["" if m != m else round(m, 2) for m in column.tolist()] for column in runs)
    return run, inside


def _list_names(key: Grouping) -> list[str]:
    names = np.array(["" if name == NONE else name for name in key.names], dtype=object)
    group_names: list[str] = names[key.code].tolist()
    return group_names


def _pick_names(names: Any, rows: Ints) -> list[str]:
    """Return the name of each row of `rows`; "" for row -1."""
    # "" is added as the last name, which is the one that -1 indexes
    picked: list[str] = np.append(names, "")[rows].tolist()
    return picked


def _list_cages_and_cables(bill: Bill, needs: Needs) -> tuple[list[str], list[str]]:
    """Return (cages, cables): for each need the name of its cage, and the names of its cables.

    A part that plugs into a cage has the cage and the names of all cables in it, joined by `JOINT`. Any other part has
    "" and the name of its cable, or "" if it serves no cable.
    """
    table, ids = bill.cluster.plan.cables, np.array(bill.cluster.cable_ids, dtype=object)
    cages, cables = np.full(len(needs), "", dtype=object), np.append(ids, "")[needs.cable]
    plugged = np.flatnonzero(needs.end >= 0)
    if len(plugged):
        ends = needs.end[plugged]
        cages[plugged] = np.concatenate([column[table.end_link] for column in bill.cluster.cages])[ends]
        numbers = number_cages(bill.cluster.plan)
        of_end = np.concatenate([numbers.a, numbers.b])
        cables[plugged] = _join_names_by_cage(of_end, np.tile(table.end_cable, 2), numbers.count, ids)[of_end[ends]]
    return cages.tolist(), cables.tolist()


def _join_names_by_cage(cage: Ints, cable: Ints, cages: int, ids: Any) -> Any:
    """Return the names of the cables in each of `cages` cages, joined by `JOINT`: an object array of str.

    Row i says that cable `cable[i]`, a row of `ids`, is in cage `cage[i]`. Names are in the order of `ids`.
    """
    # (cage, cable) as one number, so that each pair is there once and sorted
    pairs = np.unique(cage.astype(np.int64) * len(ids) + cable)
    in_cage, cable_there = np.divmod(pairs, len(ids))
    first_pair = np.searchsorted(in_cage, np.arange(cages + 1))
    count = np.diff(first_pair)
    text = np.full(cages, "", dtype=object)
    # the nth cable of all cages in one step, for there are many cages with few cables each
    for nth in range(int(count.max(initial=0))):
        longer = np.flatnonzero(count > nth)
        text[longer] = text[longer] + (JOINT if nth else "") + ids[cable_there[first_pair[longer] + nth]]
    return text
