"""How racks are drawn on a floor plan: by their contents, unit by unit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.export.drawings.rack_contents import EXTRA_SWATCH, NODE_SWATCH, PANEL_SWATCH, FilledRacks
from fabricgen.export.locations import locate_halls
from fabricgen.export.palette import LIGHT, Swatch, choose_cluster_swatches
from fabricgen.wiring.tables import EXTRA, NODE


@dataclass(frozen=True, slots=True)
class RackKind:
    """The fill of a rack, and its stripes, one for each fabric with switches in it.

    A stripe is its fill and whether it is at the rear, as the ports are; if their side is not known it is at the front.
    """

    fill: str
    is_dark: bool
    stripes: tuple[tuple[str, bool], ...]


class RackKinds:
    """The contents of a cluster's racks, and the units that racks belong to."""

    def __init__(self, cluster: Cluster, racks: FilledRacks) -> None:
        self._cluster, self._racks = cluster, racks
        self.table = cluster.plan.racks

    def name_hall(self, hall: int) -> str:
        """Return the name of a hall as on labels, with its storey unless that is the ground floor."""
        hall_spec = self.table.halls[hall]
        storey = f", storey {hall_spec.storey}" if hall_spec.storey else ""
        return f"{locate_halls(self._cluster)[hall]}{storey}"

    def list_colours(self) -> list[tuple[str, str]]:
        """Return (fill, meaning) of the colours that racks of this cluster have."""
        swatches = choose_cluster_swatches(self._cluster)
        used_fills = {swatch.fill for swatch in self._racks.swatches}
        entries = [(NODE_SWATCH.fill, "nodes")]
        entries += [(swatch.fill, fabric) for fabric, swatch in swatches.items() if swatch.fill in used_fills]
        entries += [(EXTRA_SWATCH.fill, "other devices")] if EXTRA_SWATCH.fill in used_fills else []
        return [*entries, *([(PANEL_SWATCH.fill, "patch panels")] if self._cluster.plan.patching else [])]

    def find_kind(self, rack: int) -> RackKind:
        """Return the kind of a rack: pale with stripes for nodes, else the colour of its main fabric, or of panels."""
        devices = self._cluster.plan.devices
        numbers = [int(devices.device_class[row]) for row in self._racks.list_devices(rack)]
        kinds = [devices.classes[n].kind for n in numbers]
        swatches = [self._racks.swatches[n] for n in numbers]
        switch_swatches = [s for s, kind in zip(swatches, kinds, strict=True) if kind not in (NODE, EXTRA)]
        # the fabric with most switches is the main one; between equals its code decides, so that colours are stable
        fabric_swatches = sorted(set(switch_swatches), key=lambda swatch: (-switch_swatches.count(swatch), swatch.code))
        sides = {swatch: self._racks.sides[n] for n, swatch in zip(numbers, swatches, strict=True)}
        stripes = [(swatch.fill, sides[swatch] == "rear") for swatch in fabric_swatches]
        if NODE in kinds:
            return _make_kind(NODE_SWATCH, stripes)
        if fabric_swatches:
            return _make_kind(fabric_swatches[0], stripes[1:])
        return _make_kind(EXTRA_SWATCH if kinds or not self._racks.has_panels(rack) else PANEL_SWATCH, [])

    def format_feeds(self, rack: int) -> tuple[tuple[str, ...], ...]:
        """Return the feeds of a rack as a further line of its name, or nothing if no feeds are stated."""
        feeds = self._racks.list_feeds(rack)
        return ((f"({'+'.join(feeds)})",),) if feeds else ()

    @cached_property
    def _floor(self) -> FloorPlan:
        return FloorPlan(self._cluster.design)

    @cached_property
    def kept(self) -> Mapping[tuple[int, int, int], str]:
        """(hall, row, column) of places without a rack that are kept for future network racks -> the name of
        the rack.
        """
        racks, areas = self.table, self._floor.areas
        occupied = set(zip(*(column.tolist() for column in (racks.hall, racks.row, racks.column)), strict=True))
        places = {(i, r, c): name for i in range(len(racks.halls)) for name, r, c in areas.list_run_positions(i)}
        return {position: name for position, name in sorted(places.items()) if position not in occupied}

    def _find_unit(self, rack: int) -> int:
        """Return the number of the unit that a rack belongs to."""
        # `first_racks` has, by unit, the number of racks in the units before it
        return bisect_right(self._floor.first_racks, rack)

    def split_by_unit(self, racks: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """Yield the name of a unit and its racks that stand side by side; a unit in several rows is yielded several
        times.
        """
        table = self.table
        # racks of units come first in the table, racks of the whole cluster after them
        unit_racks = [rack for rack in racks if rack < self._floor.first_racks[-1]]
        unit_racks.sort(key=lambda rack: (self._find_unit(rack), int(table.row[rack]), int(table.column[rack])))
        neighbours: list[int] = []
        for rack in unit_racks:
            if neighbours and not (
                self._find_unit(rack) == self._find_unit(neighbours[-1])
                and table.row[rack] == table.row[neighbours[-1]]
                and table.column[rack] == table.column[neighbours[-1]] + 1
            ):
                # the name of a rack is that of its unit followed by `-rk01` or the like
                yield table.names[neighbours[0]].rpartition("-")[0], neighbours
                neighbours = []
            neighbours.append(rack)
        if neighbours:
            yield table.names[neighbours[0]].rpartition("-")[0], neighbours


def _make_kind(swatch: Swatch, stripes: Sequence[tuple[str, bool]]) -> RackKind:
    return RackKind(swatch.fill, swatch.ink == LIGHT, tuple(stripes))
