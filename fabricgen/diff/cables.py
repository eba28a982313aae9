"""Cables and optics of two sides: what is pulled, re-plugged, bought or removed.

A cable is identified by its id: the device and connector of its common end. It can change in these ways:

- `moved`: one of its ends is gone, and it now reaches another device; or a link that it carried goes elsewhere, such as
  when a cable between two switches becomes a breakout to three;
- `re-terminated`: one of its ends is gone, and it still reaches the same devices, at other cages;
- `leg-added`, `leg-removed`: a breakout has more or fewer ends, and the others are not re-plugged;
- `other-medium`, `other-length`, `other-part`: it is another cable between the same places;
- `relabelled`: nothing moves, but its labels have another text;
- `reassigned`: it belongs to another fabric (the legs of a splitter may belong to several).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from fabricgen.diff.delta import Delta, compare_rows
from fabricgen.diff.listing import COLUMNS, Column, Listing, Lists, Rows, find_among, find_rows, make_column
from fabricgen.diff.matching import match_rows
from fabricgen.diff.texts import Flags

CableEnd: TypeAlias = tuple[str, str, str, str]
"""The two cages that a cable joins: a_device, a_cage, b_device, b_cage."""

Cage: TypeAlias = tuple[str, str]
"""(device, name of a cage on it)"""

CABLE_CHANGES: Mapping[str, tuple[str, ...]] = {
    "moved": ("ends",),
    "re-terminated": ("ends",),
    "leg-added": ("ends",),
    "leg-removed": ("ends",),
    "other-medium": ("medium",),
    "other-length": ("length_m",),
    "other-part": ("part",),
    "relabelled": ("labels",),
    "reassigned": ("fabric",),
}
"""Way in which a cable changes -> the columns of `list_cables` that then differ; of the four ways for `ends`,
`_name_ends_change` chooses one."""

OPTIC_CHANGES: Mapping[str, tuple[str, ...]] = {"swapped": ("part",)}


def compare_cable_ends(
    sides: tuple[Listing, Listing], changed_ends: ChangedCables, rerouted: Collection[str] = ()
) -> Delta:
    """Return the difference of the cables of both sides, whose lists have a row for each end.

    Only cables with `changed_ends` are compared. `rerouted` are the ids of cables that carried a link which now goes
    elsewhere: if such a cable gets or loses a leg, it counts as moved.
    """
    old, new = (
        list_cables(side.pick_rows(np.flatnonzero(find_among(changed_ends.cables, side["cable"])))) for side in sides
    )
    return compare_cables(old, new, rerouted)


def list_cables(ends: Listing) -> Listing:
    """Return a list with one row for each cable from a list with one row for each of its ends.

    The cell `ends` has all ends of the cable, and `labels` their labels, both sorted; `fabric` has the names of its
    fabrics, joined by " + ". Other columns are those of the first end row.
    """
    end_rows, starts = _sort_by_cable(ends["cable"])
    # values that all ends of a cable share are read from its first row
    bounds, first_rows = [*starts.tolist(), len(end_rows)], end_rows[starts]
    columns: dict[str, Column] = {
        name: ends[name][first_rows] for name in ("cable", "part", "medium", "length_m", "a_device")
    }
    fabrics = ends["fabric"][end_rows].tolist()
    columns["fabric"] = make_column([" + ".join(sorted(set(fabrics[start:stop]))) for start, stop in pairwise(bounds)])
    for name, joined in (("ends", ("a_device", "a_cage", "b_device", "b_cage")), ("labels", ("label_a", "label_b"))):
        rows = list(zip(*(ends[column][end_rows].tolist() for column in joined), strict=True))
        columns[name] = make_column(
            [
                (rows[start],) if stop - start == 1 else tuple(sorted(rows[start:stop]))
                for start, stop in pairwise(bounds)
            ]
        )
    return Listing(columns)


def _sort_by_cable(ids: Column) -> tuple[Rows, Rows]:
    """Return (end rows sorted by cable, where each cable begins among them), int64; `ids` has the cable of each row.

    Cables are in the order in which they first occur.
    """
    rows = np.arange(len(ids))
    # where the cable changes; the slice is for lists without rows
    starts = np.flatnonzero(np.r_[True, np.asarray(ids[1:] != ids[:-1], dtype=bool)][: len(ids)])
    # if each cable begins once, its rows are together, as a build writes them
    if len(set(ids[starts].tolist())) == len(starts):
        return rows, starts
    number_of_id = {cable_id: number for number, cable_id in enumerate(dict.fromkeys(ids.tolist()))}
    cable_number = find_rows(number_of_id, ids)
    rows = np.argsort(cable_number, kind="stable")
    return rows, np.searchsorted(cable_number[rows], np.arange(len(number_of_id)))


def compare_cables(old: Listing, new: Listing, rerouted: Collection[str] = ()) -> Delta:
    """Return the difference of two lists of `list_cables`; `rerouted` as in `compare_cable_ends`.

    A cable whose ends differ has one of the ways moved, re-terminated, leg-added and leg-removed, and is not
    relabelled.
    """
    delta = compare_rows("cables", ("cable",), CABLE_CHANGES, (old, new), "a_device")
    old_ends, new_ends = old["ends"][delta.was].tolist(), new["ends"][delta.now].tolist()
    cable_ids = old["cable"][delta.was].tolist()
    kinds = [
        "moved" if kind.startswith("leg-") and cable_id in rerouted else kind
        for cable_id, kind in zip(cable_ids, map(_name_ends_change, old_ends, new_ends), strict=True)
    ]
    flags: dict[str, Flags] = dict(delta.ways)
    for kind_of_change in ("moved", "re-terminated", "leg-added", "leg-removed"):
        flags[kind_of_change] = np.array([kind == kind_of_change for kind in kinds], dtype=bool)
    flags["relabelled"] = delta.ways["relabelled"] & ~delta.differs["ends"]
    return replace(delta, ways=flags)


def _name_ends_change(old: tuple[CableEnd, ...], new: tuple[CableEnd, ...]) -> str:
    """Return how the ends of a cable changed, as a word of `CABLE_CHANGES`; "" for no change."""
    if old == new:
        return ""
    old_ends, new_ends = set(old), set(new)
    if old_ends <= new_ends:
        return "leg-added"
    if new_ends <= old_ends:
        return "leg-removed"
    same_devices = {(a, b) for a, _, b, _ in old_ends} == {(a, b) for a, _, b, _ in new_ends}
    return "re-terminated" if same_devices else "moved"


def list_optics(ends: Listing, cages: Collection[Cage]) -> Listing:
    """Return a list of the transceivers in some cages, with the columns device, cage and part; a row for each cage.

    `ends` are cable end rows. Cables in one twin-port cage share a transceiver; cages without one are left out.
    """
    part_of_cage: dict[Cage, str] = {}
    devices = frozenset(device for device, _ in cages)
    for end in ("a", "b"):
        rows = np.flatnonzero(
            find_among(devices, ends[f"{end}_device"]) & ~find_among(("",), ends[f"{end}_transceiver"])
        )
        parts = ends[f"{end}_transceiver"][rows].tolist()
        part_of_cage.update(
            (cage, part) for cage, part in zip(_list_cages(ends, end, rows), parts, strict=True) if cage in cages
        )
    return Listing.of(
        {
            "device": [device for device, _ in part_of_cage],
            "cage": [cage for _, cage in part_of_cage],
            "part": list(part_of_cage.values()),
        }
    )


def _list_cages(ends: Listing, end: str, rows: Rows) -> list[Cage]:
    """Return the cages at the a or b end (`end`) of some cable end rows, in their order."""
    return list(zip(ends[f"{end}_device"][rows].tolist(), ends[f"{end}_cage"][rows].tolist(), strict=True))


def compare_optics(old: Listing, new: Listing, changed_ends: ChangedCables) -> Delta:
    """Return the transceivers to plug in, to remove and to swap, by cage, in the cages of changed cable ends.

    `old` and `new` are the cable end rows of both sides.
    """
    rows_by_side = ((old, changed_ends.gone), (new, changed_ends.come))
    cages = frozenset(
        cage for ends, rows in rows_by_side for end in ("a", "b") for cage in _list_cages(ends, end, rows)
    )
    optics = list_optics(old, cages), list_optics(new, cages)
    return compare_rows("optics", ("device", "cage"), OPTIC_CHANGES, optics, "device")


# Cable ends, links and devices that differ between two sides; only these are compared in detail, since most are
# unchanged.


@dataclass(frozen=True)
class ChangedCables:
    """Rows of cable ends that only one side has (`gone`: in old, `come`: in new), and the ids of their cables."""

    gone: Rows
    come: Rows
    cables: frozenset[str]


def find_changed_cables(old: Listing, new: Listing) -> ChangedCables:
    """Return the cable end rows that only one of two sides has, compared in all columns of `COLUMNS`."""
    gone, come, _, _ = match_rows([(old[name], new[name]) for name in COLUMNS["cables"]])
    return ChangedCables(gone, come, frozenset([*old["cable"][gone].tolist(), *new["cable"][come].tolist()]))


def find_links_to_compare(lists: Lists, changed: Rows, devices: Collection[str], cables: Collection[str]) -> Rows:
    """Return the rows of links that are `changed`, or at one of some devices, or on one of some cables; int64."""
    links = lists.links
    must_compare = (
        find_among(devices, links["a_device"])
        | find_among(devices, links["b_device"])
        | find_among(cables, links["cable"])
    )
    must_compare[changed] = True
    return np.flatnonzero(must_compare)


def list_changed_devices(delta: Delta) -> frozenset[str]:
    """Return the names of devices that are added, removed or changed."""
    names = delta.old["device"][np.concatenate([delta.removed, delta.was])], delta.new["device"][delta.added]
    return frozenset(name for column in names for name in column.tolist())
