"""Places in the hall, by device and port, as ends of the cables that a cluster has there."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.as_built.matching import Matcher
from fabricgen.cable_overrides.cage_resolver import CagePosition
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.verify.cabling import PlannedCabling, cabling_of
from fabricgen.wiring.tables import Ints64


class Place(NamedTuple):
    """A port of a device, as links.csv calls it."""

    device: str
    port: str


class LinkEnd(NamedTuple):
    """An end of a link: the row of the link, and whether it is its upper end."""

    row: int
    upper: bool


class Places:
    """Finds what a cluster has at places: its links as they are now, with the overrides so far."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.matcher = cluster, Matcher(cluster)

    @cached_property
    def device_rows(self) -> dict[str, int]:
        """The row of every device, by name."""
        return {name: row for row, name in enumerate(self.cluster.names)}

    @cached_property
    def _by_device(self) -> tuple[tuple[Ints64, Ints64], ...]:
        """For the lower and the upper ends: (rows of links sorted by device, where those of each device begin)."""
        links, count = self.cluster.plan.links, len(self.cluster.names)
        found = []
        for device in (links.a_device, links.b_device):
            order = np.argsort(device, kind="stable")
            found.append((order, np.searchsorted(device[order], np.arange(count + 1))))
        return tuple(found)

    def planned_at(self, device: str, port: str) -> LinkEnd | None:
        """The link end that the plan has at a place; None for a spare port."""
        number = self.device_rows.get(device)
        if number is None:
            return None
        for upper, (order, start) in enumerate(self._by_device):
            for row in order[start[number] : start[number + 1]].tolist():
                if self.cluster.port_names.ports[upper][row] == port and self.cluster.plan.links.cable[row] >= 0:
                    return LinkEnd(row, bool(upper))
        return None

    def place_of(self, end: LinkEnd) -> Place:
        """Where the plan has a link end now."""
        links = self.cluster.plan.links
        device = int((links.b_device if end.upper else links.a_device)[end.row])
        return Place(self.cluster.names[device], str(self.cluster.port_names.ports[end.upper][end.row]))

    def cable_of(self, end: LinkEnd) -> str:
        """The id of the cable of a link end."""
        return self.cluster.cable_ids[int(self.cluster.plan.links.cable[end.row])]

    def end_of(self, end: LinkEnd) -> CableEnd:
        """The end of the cable that carries a link, by its original plan."""
        cable = int(self.cluster.plan.links.cable[end.row])
        return next(each for each in self.matcher.cables.ends(cable, upper=end.upper) if end.row in each.rows)

    @cached_property
    def _plugs(self) -> tuple[PlannedCabling, list[int]]:
        """The planned cabling, and the row of each of its links."""
        return cabling_of(self.cluster), np.flatnonzero(self.cluster.plan.links.cable >= 0).tolist()

    def rows_of_plug(self, end: LinkEnd) -> list[int]:
        """The rows of the links that run through the plug at the end of one of them, in their order."""
        cabling, rows = self._plugs
        number = bisect_left(rows, end.row)
        return [rows[port >> 1] for port in cabling.ports_of_plug(int(cabling.plug[2 * number + end.upper]))]

    def is_one_plug(self, end: LinkEnd) -> bool:
        """Whether the end of the cable that carries a link is one plug: a redline moves the whole end."""
        return set(self.end_of(end).rows) <= set(self.rows_of_plug(end))

    def spot(self, place: Place, end: CableEnd) -> CagePosition:
        """The position that a place is for an end of a cable; raises InputError (FG077, FG080, FG082) for none."""
        return self.matcher.spot(f"{place.device}:{place.port}", end)


# Refusals of what cannot be accepted, located at the id that asks for it.

CANNOT = "FG076"


def refused(asked: str, message: str, hint: str = "") -> InputError:
    """The error (FG076) of an id of `--accept`."""
    return fault(CANNOT, message, hint=hint, span=Span(f"--accept {asked}", 1, 1))
