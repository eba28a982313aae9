"""The outlets of rack PDUs: what the cords of a rack plug into, by kind and number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from fabricgen.bom.sources.power_cords import ENDS, corded
from fabricgen.cluster import Cluster

_OUTLETS = {"C14": "C13", "C20": "C19"}
"""Plug of a cord -> the outlet that takes it (IEC 60320-1)."""

_OPEN, _UNKNOWN = "inlets not published", "supplies not published"


@dataclass(frozen=True, slots=True)
class RackCords:
    """(outlet, cords of a device, devices) of each rack, by its row."""

    of_rack: Mapping[int, Sequence[tuple[str, int, int]]]

    def on_each(self, rack: int, feeds: int, pdus: int) -> Counter[str]:
        """Outlets that each of so many PDUs on every feed of a rack needs, by kind: cords are spread over all."""
        found: Counter[str] = Counter()
        for outlet, cords, devices in self.of_rack.get(rack, ()):
            found[outlet] += devices * ceil(cords / feeds)
        return Counter({outlet: ceil(count / pdus) for outlet, count in found.items()})


def outlets_of_racks(cluster: Cluster) -> RackCords:
    """The cords of all racks without a busbar, whether they are ordered or come with their device."""
    found: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for cls, rows in corded(cluster):
        psu = cls.profile.psu
        outlet = _UNKNOWN if psu is None else _OUTLETS[ENDS[psu.inlet][1]] if psu.inlet else _OPEN
        racks, counts = np.unique(cluster.plan.devices.rack[rows], return_counts=True)
        for rack, count in zip(racks.tolist(), counts.tolist(), strict=True):
            found[rack].append((outlet, psu.count if psu else 1, count))
    return RackCords(found)


def kinds_of(outlets: Counter[str]) -> tuple[str, ...]:
    """The kinds of outlets that are needed, as specifications name them: `c13`, `c19`, `open` where nobody says."""
    open_too = ("open",) if outlets[_OPEN] or outlets[_UNKNOWN] else ()
    return (*(kind.lower() for kind in _OUTLETS.values() if outlets[kind]), *open_too)


def outlets_text(outlets: Counter[str]) -> str:
    """The outlets of a PDU, for its description: `, at least 6 x C13, 12 x C19`."""
    known = [f"{outlets[kind]} x {kind}" for kind in _OUTLETS.values() if outlets[kind]]
    if outlets[_OPEN]:
        known.append(f"{outlets[_OPEN]} for cords of inlets not published")
    if outlets[_UNKNOWN]:
        known.append(f"{'and ' if known else ''}for {outlets[_UNKNOWN]} devices of unknown supplies")
    return f", outlets at least: {', '.join(known)}" if known else ""
