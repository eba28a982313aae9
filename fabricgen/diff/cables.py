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

OPTIC_CHANGES: Mapping[str, tuple[str, ...]] = {"swapped": ("part",)}


def compare_cable_ends(
    sides: tuple[Listing, Listing], changed_ends: ChangedCables, rerouted: Collection[str] = ()
) -> Delta:
    """Compare cables by their end rows; `rerouted` are cables that carried a link which now goes elsewhere."""
    old, new = (
        list_cables(side.pick_rows(np.flatnonzero(find_among(changed_ends.cables, side["cable"])))) for side in sides
    )
    return compare_cables(old, new, rerouted)


def list_cables(ends: Listing) -> Listing:
    """List cables from their end rows: one row for each cable, with all its ends, sorted, in one cell."""
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
    """Return end rows sorted by cable, and where each cable begins among them; a build lists them in that order."""
    rows = np.arange(len(ids))
    # where the cable changes; the slice is for lists without rows
    starts = np.flatnonzero(np.r_[True, np.asarray(ids[1:] != ids[:-1], dtype=bool)][: len(ids)])
    # if each cable begins once, its rows are together, as a build writes them
    if len(set(ids[starts].tolist())) == len(starts):
        return rows, starts
    number = {name: i for i, name in enumerate(dict.fromkeys(ids.tolist()))}
    cable = find_rows(number, ids)
    rows = np.argsort(cable, kind="stable")
    return rows, np.searchsorted(cable[rows], np.arange(len(number)))


def compare_cables(old: Listing, new: Listing, rerouted: Collection[str] = ()) -> Delta:
    """Compare two lists of `list_cables`; `rerouted` as in `compare_cable_ends`."""
    delta = compare_rows("cables", ("cable",), CABLE_CHANGES, (old, new), "a_device")
    was, now = old["ends"][delta.was].tolist(), new["ends"][delta.now].tolist()
    names = old["cable"][delta.was].tolist()
    kinds = [
        "moved" if kind.startswith("leg-") and name in rerouted else kind
        for name, kind in zip(names, map(_name_ends_change, was, now), strict=True)
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
    was, now = set(old), set(new)
    if was <= now:
        return "leg-added"
    if now <= was:
        return "leg-removed"
    same_devices = {(a, b) for a, _, b, _ in was} == {(a, b) for a, _, b, _ in now}
    return "re-terminated" if same_devices else "moved"


def list_optics(ends: Listing, cages: Collection[Cage]) -> Listing:
    """List the transceivers in some cages, by cage; cables in one twin-port cage share one."""
    optics: dict[Cage, str] = {}
    devices = frozenset(device for device, _ in cages)
    for side in ("a", "b"):
        rows = np.flatnonzero(
            find_among(devices, ends[f"{side}_device"]) & ~find_among(("",), ends[f"{side}_transceiver"])
        )
        parts = ends[f"{side}_transceiver"][rows].tolist()
        optics.update(
            (cage, part) for cage, part in zip(_list_cages(ends, side, rows), parts, strict=True) if cage in cages
        )
    return Listing.of(
        {
            "device": [device for device, _ in optics],
            "cage": [cage for _, cage in optics],
            "part": list(optics.values()),
        }
    )


def _list_cages(ends: Listing, side: str, rows: Rows) -> list[Cage]:
    return list(zip(ends[f"{side}_device"][rows].tolist(), ends[f"{side}_cage"][rows].tolist(), strict=True))


def compare_optics(old: Listing, new: Listing, changed_ends: ChangedCables) -> Delta:
    """Transceivers to plug in, to remove and to swap, by cage, from cable end rows."""
    changed = ((old, changed_ends.gone), (new, changed_ends.come))
    cages = frozenset(cage for ends, rows in changed for side in ("a", "b") for cage in _list_cages(ends, side, rows))
    sides = list_optics(old, cages), list_optics(new, cages)
    return compare_rows("optics", ("device", "cage"), OPTIC_CHANGES, sides, "device")


# Cable ends, links and devices that differ between two sides; only these are compared in detail, since most are
# unchanged.


@dataclass(frozen=True)
class ChangedCables:
    """Rows of cable ends that only one side has (`gone`: in old, `come`: in new), and the ids of their cables."""

    gone: Rows
    come: Rows
    cables: frozenset[str]


def find_changed_cables(old: Listing, new: Listing) -> ChangedCables:
    """Compare cable end rows of two sides in all columns of `COLUMNS`."""
    gone, come, _, _ = match_rows([(old[name], new[name]) for name in COLUMNS["cables"]])
    return ChangedCables(gone, come, frozenset([*old["cable"][gone].tolist(), *new["cable"][come].tolist()]))


def find_links_to_compare(lists: Lists, changed: Rows, devices: Collection[str], cables: Collection[str]) -> Rows:
    """Return the rows of links that changed (`changed`), or whose device or cable did; ascending."""
    links = lists.links
    chosen = (
        find_among(devices, links["a_device"])
        | find_among(devices, links["b_device"])
        | find_among(cables, links["cable"])
    )
    chosen[changed] = True
    return np.flatnonzero(chosen)


def list_changed_devices(delta: Delta) -> frozenset[str]:
    """Return the names of devices that are added, removed or changed."""
    names = delta.old["device"][np.concatenate([delta.removed, delta.was])], delta.new["device"][delta.added]
    return frozenset(name for column in names for name in column.tolist())
