"""Laying trunks: panels, trunks and jumpers of cables that are patched, and how long their channels are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.patching import PatchPolicy
from fabricgen.wiring.cabling.end_numbers import Ends
from fabricgen.wiring.cabling.offers import jumper_lengths
from fabricgen.wiring.cabling.routes import Stands, run_between, stands, stands_at, together
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.cabling.stock import fibre_m, order_m
from fabricgen.wiring.patching.panels import free_units, land, patch_racks, stand
from fabricgen.wiring.patching.places import Places
from fabricgen.wiring.patching.tables import PanelTable, Patching, PatchTable, TrunkTable
from fabricgen.wiring.patching.ways import Trunks, Ways, jumper_widths, trunks_of, ways_of
from fabricgen.wiring.tables import DeviceTable, Flags, Floats, Ints, LinkTable, RackTable, distinct


@dataclass(frozen=True, slots=True)
class Hall:
    """What stands and is linked before anything is patched."""

    floor: Floor
    devices: DeviceTable
    racks: RackTable
    links: LinkTable
    media: tuple[CableProfile, ...]
    policies: tuple[PatchPolicy, ...]
    places: Places
    shelf: Shelf | None = None
    """Product lists that jumpers are ordered from."""

    def devices_of(self, ends: Ends, rows: Ints) -> tuple[Ints, Ints]:
        """Devices at the a and b end of cable end rows."""
        return self.links.a_device[ends.link[rows]], self.links.b_device[ends.link[rows]]

    def places_of(self, ends: Ends, policy: Ints) -> tuple[Ints, Ints]:
        """Places of both ends of every cable end row, whose policies (-1: none) say whether these are racks or rows."""
        whole_row: Flags = np.array([*(p.spec.at == "row-end" for p in self.policies), False], dtype=bool)[policy]
        a, b = (
            self.devices.rack[device] for device in (self.links.a_device[ends.link], self.links.b_device[ends.link])
        )
        return self.places.of_racks(a, whole_row), self.places.of_racks(b, whole_row)


@dataclass(frozen=True, slots=True)
class Laid:
    """What is patched, the racks with those of panels, and channels by cable: stocked and measured, m; 0 for others."""

    patching: Patching
    racks: RackTable
    length_m: Floats
    run_m: Floats


def lay(hall: Hall, ends: Ends, policy: Ints, medium: Ints) -> Laid:
    """Panels, trunks and jumpers of the cables that have a policy; raises InputError where panels have no room."""
    ways = ways_of(hall.links, ends, policy, hall.places_of(ends, policy[ends.cable]), medium, hall.media)
    trunks = trunks_of(ways, hall.policies, len(hall.places))
    landed = land(trunks, hall.policies, hall.places)
    free = free_units(hall.devices, hall.racks)
    panels = stand(landed.panels, hall.policies, hall.places, free, hall.racks.names)
    panels, racks = patch_racks(panels, hall.policies, hall.places, hall.racks)
    patches = _patches(ways, trunks, hall.media, medium[ends.cable])
    at, first = _stands(hall, panels, racks), np.int32(len(hall.devices))
    run = run_between(at, racks, hall.floor, first + landed.a_panel, first + landed.b_panel)
    kinds = trunks.policy, trunks.fibre, trunks.number
    landings = landed.a_panel, landed.a_port, landed.b_panel, landed.b_port
    table = TrunkTable(*kinds, *landings, trunks.used, fibre_m(run))
    jumpers = _jumper_runs(hall, ends, (at, racks), table, patches, len(policy))
    widths = jumper_widths(hall.links, ends, ways.split)
    a_m, b_m = (_stocked(hall, end, (medium, policy), widths[end], jumper) for end, jumper in enumerate(jumpers))
    cable = ends.cable[patches.row]
    length_m, run_m = a_m + b_m, jumpers[0] + jumpers[1]
    length_m += _longest(table.length_m[patches.trunk], cable, len(policy))
    run_m += _longest(run[patches.trunk], cable, len(policy))
    patching = Patching(hall.policies, hall.places.names, policy, a_m, b_m, ways.split, panels, table, patches)
    return Laid(patching, racks, length_m, run_m)


def _patches(ways: Ways, trunks: Trunks, media: tuple[CableProfile, ...], medium: Ints) -> PatchTable:
    """The front ports of every cable end row: those of its way, in the order of their connectors."""
    each = ways.connectors[ways.of_row]
    nth = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    row, of = np.repeat(ways.rows, each), np.repeat(ways.of_row, each)
    port = trunks.start[of] + nth
    most = np.array([m.lanes_per_connector for m in media], dtype=np.int32)[medium[row]]
    lanes = np.clip(ways.lanes[of] - nth * most, 0, most)
    flipped = ways.a_place[of] > ways.b_place[of]
    columns = (row, trunks.trunk_of[port], trunks.port[port], flipped, lanes)
    return PatchTable(*(column.astype(np.int32) for column in columns))


def _stands(hall: Hall, panels: PanelTable, racks: RackTable) -> Stands:
    """Where devices stand, and after them panels, whose ports look to where those of most devices do."""
    height = np.array([p.panel.rack_units for p in hall.policies], dtype=np.int32)[panels.policy]
    none = np.zeros(len(panels), dtype=bool)
    spots = stands_at(racks, hall.floor, (panels.rack, panels.u, height), none)
    return together(stands(hall.devices, racks, hall.floor), spots)


def _jumper_runs(
    hall: Hall, ends: Ends, where: tuple[Stands, RackTable], trunks: TrunkTable, patches: PatchTable, cables: int
) -> tuple[Floats, Floats]:
    """The longest run from the cages of each cable to its panels, at the a and the b end, m; 0 for direct ones."""
    cable, flipped = ends.cable[patches.row], patches.flipped == 1
    first, last = (np.int32(len(hall.devices)) + panel[patches.trunk] for panel in (trunks.a_panel, trunks.b_panel))
    sides = np.where(flipped, last, first), np.where(flipped, first, last)
    a, b = (
        _longest(run_between(*where, hall.floor, device, panel), cable, cables)
        for device, panel in zip(hall.devices_of(ends, patches.row), sides, strict=True)
    )
    return a, b


def _longest(length_m: Floats, cable: Ints, cables: int) -> Floats:
    """The greatest length of each cable, m."""
    found = np.zeros(cables)
    np.maximum.at(found, cable, length_m)
    return found


def _stocked(hall: Hall, end: int, of: tuple[Ints, Ints], widths: tuple[Ints, Ints], run_m: Floats) -> Floats:
    """What is ordered of fibre for the runs of jumpers at the a (0) or b (1) end, m; 0 for direct cables.

    `of` is medium and policy of each cable, `widths` the far ends and lanes of its jumper there.
    """
    (medium, policy), media = of, hall.media
    found = np.zeros(len(run_m))
    for i in distinct(medium[policy >= 0]):
        rows = np.flatnonzero((medium == i) & (policy >= 0))
        found[rows] = order_m(media[i], run_m[rows])
    if hall.shelf:
        usual = [[p.is_usual(m, end) for m in media] for p in hall.policies]
        rows = np.flatnonzero(policy >= 0)
        rows = rows[np.array(usual, dtype=bool)[policy[rows], medium[rows]]]
        sold_m = jumper_lengths(hall.shelf, media, (medium[rows], *(w[rows] for w in widths)), run_m[rows])
        found[rows] = np.where(np.isnan(sold_m), found[rows], sold_m)
    return found
