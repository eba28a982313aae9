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
    """The fill of a rack, and its stripes, one for each fabric with switches there: their fills, and whether they are
    at the rear as the ports are; where that is not known they are at the front.
    """

    fill: str
    is_dark: bool
    stripes: tuple[tuple[str, bool], ...]


class RackKinds:
    """The contents of a cluster's racks, and their units."""

    def __init__(self, cluster: Cluster, racks: FilledRacks) -> None:
        self._cluster, self._racks = cluster, racks
        self.table = cluster.plan.racks

    def name_hall(self, hall: int) -> str:
        """The name of a hall as labels have it, and its storey unless that is the ground floor."""
        hall_spec = self.table.halls[hall]
        storey = f", storey {hall_spec.storey}" if hall_spec.storey else ""
        return f"{locate_halls(self._cluster)[hall]}{storey}"

    def list_colours(self) -> list[tuple[str, str]]:
        """(fill, what it means) of the colours that racks of this cluster have."""
        swatches = choose_cluster_swatches(self._cluster)
        used_fills = {swatch.fill for swatch in self._racks.swatches}
        entries = [(NODE_SWATCH.fill, "nodes")]
        entries += [(swatch.fill, fabric) for fabric, swatch in swatches.items() if swatch.fill in used_fills]
        entries += [(EXTRA_SWATCH.fill, "other devices")] if EXTRA_SWATCH.fill in used_fills else []
        return [*entries, *([(PANEL_SWATCH.fill, "patch panels")] if self._cluster.plan.patching else [])]

    def find_kind(self, rack: int) -> RackKind:
        """The kind of a rack: pale with stripes for nodes, else the colour of its main fabric, or of panels."""
        devices = self._cluster.plan.devices
        numbers = [int(devices.device_class[row]) for row in self._racks.list_devices(rack)]
        kinds = [devices.classes[n].kind for n in numbers]
        swatches = [self._racks.swatches[n] for n in numbers]
        switch_swatches = [s for s, kind in zip(swatches, kinds, strict=True) if kind not in (NODE, EXTRA)]
        # the fabric with most switches is the main one; its code decides between equals, so that colours stay
        distinct = sorted(set(switch_swatches), key=lambda swatch: (-switch_swatches.count(swatch), swatch.code))
        sides = {swatch: self._racks.sides[n] for n, swatch in zip(numbers, swatches, strict=True)}
        stripes = [(swatch.fill, sides[swatch] == "rear") for swatch in distinct]
        if NODE in kinds:
            return _make_kind(NODE_SWATCH, stripes)
        if distinct:
            return _make_kind(distinct[0], stripes[1:])
        return _make_kind(EXTRA_SWATCH if kinds or not self._racks.has_panels(rack) else PANEL_SWATCH, [])

    def format_feeds(self, rack: int) -> tuple[tuple[str, ...], ...]:
        """The feeds of a rack as a further line of its name; empty where none are stated."""
        feeds = self._racks.list_feeds(rack)
        return ((f"({'+'.join(feeds)})",),) if feeds else ()

    @cached_property
    def _floor(self) -> FloorPlan:
        return FloorPlan(self._cluster.design)

    @property
    def _first_racks(self) -> tuple[int, ...]:
        """By unit, how many racks the units before it have; at the end, how many all units have."""
        return self._floor.first_racks

    @cached_property
    def kept(self) -> Mapping[tuple[int, int, int], str]:
        """(hall, row, column) of places without a rack that are kept for further network racks -> whose they are."""
        racks, areas = self.table, self._floor.areas
        occupied = set(zip(*(column.tolist() for column in (racks.hall, racks.row, racks.column)), strict=True))
        places = {(i, r, c): name for i in range(len(racks.halls)) for name, r, c in areas.list_run_positions(i)}
        return {position: name for position, name in sorted(places.items()) if position not in occupied}

    def _find_unit(self, rack: int) -> int:
        """The unit of a rack of units."""
        return bisect_right(self._first_racks, rack)

    def split_by_unit(self, racks: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """(name of the unit, its racks that stand side by side) for some racks."""
        table = self.table
        # racks of units come first in the table, those of the whole cluster behind them
        unit_racks = [rack for rack in racks if rack < self._first_racks[-1]]
        unit_racks.sort(key=lambda rack: (self._find_unit(rack), int(table.row[rack]), int(table.column[rack])))
        run: list[int] = []
        for rack in unit_racks:
            if run and not (
                self._find_unit(rack) == self._find_unit(run[-1])
                and table.row[rack] == table.row[run[-1]]
                and table.column[rack] == table.column[run[-1]] + 1
            ):
                # a rack's name is its unit's with `-rk01` or the like behind it
                yield table.names[run[0]].rpartition("-")[0], run
                run = []
            run.append(rack)
        if run:
            yield table.names[run[0]].rpartition("-")[0], run


def _make_kind(swatch: Swatch, stripes: Sequence[tuple[str, bool]]) -> RackKind:
    return RackKind(swatch.fill, swatch.ink == LIGHT, tuple(stripes))
