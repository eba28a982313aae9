"""Patching: which cables go through panels, and how long their channels become; a medium is chosen for the channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.model import Design
from fabricgen.design.patching import PatchPolicy, policies_of
from fabricgen.plan.end_numbers import Ends
from fabricgen.plan.media import fits_segment
from fabricgen.plan.patch_panels import free_units, land, patch_racks, stand
from fabricgen.plan.patch_places import Places, places_of
from fabricgen.plan.patch_tables import PanelTable, Patching, PatchTable, TrunkTable
from fabricgen.plan.patch_ways import Trunks, Ways, trunks_of, ways_of
from fabricgen.plan.routes import run_between, stocked
from fabricgen.plan.tables import DeviceTable, Flags, Floats, Ints, LinkTable, RackTable

Choose = Callable[[Floats, tuple[CableProfile, ...]], tuple[Ints, Flags]]
"""The cheapest of some media for cables of some lengths, and whether it reaches."""

COPPER = ("DAC", "ACC", "AEC", "COPPER")
"""Media without fibre, which stay direct."""

ROUNDS = 4
"""A medium of another fibre moves panels, and so may lengthen channels: how often that is looked at again."""


@dataclass(frozen=True, slots=True)
class Cabled:
    """What cables are made of: lengths as stocked and as measured, m, media, racks with those of patch panels."""

    length_m: Floats
    run_m: Floats
    medium: Ints
    reaches: Flags
    racks: RackTable
    patching: Patching | None = None


@dataclass(frozen=True, slots=True)
class _Site:
    """What there is before anything is patched."""

    design: Design
    devices: DeviceTable
    racks: RackTable
    links: LinkTable
    ends: Ends
    policies: tuple[PatchPolicy, ...]
    places: Places

    def device(self, rows: Ints) -> tuple[Ints, Ints]:
        """Devices at the a and b end of cable end rows."""
        link = self.ends.link[rows]
        return self.links.a_device[link], self.links.b_device[link]


def patch(
    design: Design,
    devices: DeviceTable,
    racks: RackTable,
    links: LinkTable,
    ends: Ends,
    choose: Choose,
    lengths: tuple[Floats, Floats],
    media: tuple[CableProfile, ...],
) -> Cabled:
    """Choose the medium of every cable, of direct ones by their lengths (stocked, measured), of others by the channel.

    Raises InputError (FG086) where a rack has no room for its panels.
    """
    length_m, run_m = lengths
    medium, reaches = choose(length_m, media)
    policies = policies_of(design)
    if not policies:
        return Cabled(length_m, run_m, medium, reaches, racks)
    site = _Site(design, devices, racks, links, ends, policies, places_of(design, racks))
    own_medium = medium
    policy = np.where(_of_fibre(medium, media), _wanted(site, len(length_m), media), -1).astype(np.int32)
    laid = _Laid.nothing(site, policy)
    own, longest = policy >= 0, length_m
    for again in range(ROUNDS if own.any() else 0):
        chosen, reaches = _fibre_for(choose, longest, own_medium, own, media)
        if again and (chosen == medium).all():
            break
        medium, laid = chosen, _lay(site, policy, chosen, media)
        longest = np.where(own, np.maximum(longest, laid.length_m), length_m)
    channel = np.where(own, laid.length_m, length_m)
    reaches &= ~own | (channel <= np.array([m.reach_m for m in media])[medium])
    return Cabled(channel, np.where(own, laid.run_m, run_m), medium, reaches, laid.racks, laid.patching)


def _of_fibre(medium: Ints, media: tuple[CableProfile, ...]) -> Flags:
    """Whether the medium of each cable has any fibre; copper is short, and stays direct."""
    found: Flags = np.array([m.medium not in COPPER for m in media], dtype=bool)[medium]
    return found


def _fibre_for(
    choose: Choose, length_m: Floats, direct: Ints, own: Flags, media: tuple[CableProfile, ...]
) -> tuple[Ints, Flags]:
    """Media whose fibre is plugged in at both ends for cables that are patched, and for all that may share their cages.

    Others keep the medium that they have as direct cables.
    """
    plugged = [i for i, m in enumerate(media) if m.fibre and not m.attached]
    medium, reaches = choose(length_m, tuple(media[i] for i in plugged))
    medium = np.array(plugged, dtype=np.int32)[medium]
    loose = own | ~np.array([m.attached for m in media], dtype=bool)[direct]
    reach = np.array([m.reach_m for m in media])[direct]
    return np.where(loose, medium, direct).astype(np.int32), np.where(loose, reaches, length_m <= reach)


def _wanted(site: _Site, cables: int, media: tuple[CableProfile, ...]) -> Ints:
    """The policy of each cable, -1 for none: of fibre could carry it, and between two places of one site."""
    plugged = [m for m in media if m.fibre and not m.attached]
    of_segment = np.full(len(site.links.segments), -1, dtype=np.int32)
    for i, segment in enumerate(site.links.segments):
        able = segment.tier is not None and not segment.km and any(fits_segment(segment, m) for m in plugged)
        takes = [n for n, p in enumerate(site.policies) if able and p.takes(segment.fabric, segment.key)]
        of_segment[i] = takes[0] if takes else -1
    rows = np.arange(len(site.ends.link), dtype=np.int32)
    found = of_segment[site.links.segment[site.ends.link]]
    (a, b), at = _racks_of(site, rows), site.racks.site
    a_place, b_place = _places_of(site, found, rows)
    found = np.where((a_place != b_place) & (at[a] == at[b]), found, -1)
    least, most = np.full(cables, len(site.policies), dtype=np.int32), np.full(cables, -1, dtype=np.int32)
    np.minimum.at(least, site.ends.cable, found)
    np.maximum.at(most, site.ends.cable, found)
    return np.where(least == most, most, -1).astype(np.int32)


def _racks_of(site: _Site, rows: Ints) -> tuple[Ints, Ints]:
    a, b = site.device(rows)
    return site.devices.rack[a], site.devices.rack[b]


def _places_of(site: _Site, policy: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The places of both ends of cable end rows, whose policies say whether these are racks or rows."""
    whole_row = np.array([*(p.spec.at == "row-end" for p in site.policies), False], dtype=bool)[policy]
    a, b = _racks_of(site, rows)
    return site.places.of_racks(a, whole_row), site.places.of_racks(b, whole_row)


@dataclass(frozen=True, slots=True)
class _Laid:
    """What is patched, the racks with those of panels, and channels by cable: stocked and measured, m."""

    patching: Patching
    racks: RackTable
    length_m: Floats
    run_m: Floats

    @classmethod
    def nothing(cls, site: _Site, policy: Ints) -> _Laid:
        """Nothing patched."""
        zero, none = np.zeros(len(policy)), np.empty(0, dtype=np.int32)
        panels, patches = PanelTable(*[none] * 6), PatchTable(*[none] * 5)
        trunks = TrunkTable(none, none, none, none, none, none, none, none, np.empty(0))
        spread = np.zeros(len(policy), dtype=np.int32)
        return cls(
            Patching(site.policies, site.places.names, policy, zero, zero, spread, panels, trunks, patches),
            site.racks,
            zero,
            zero,
        )


def _lay(site: _Site, policy: Ints, medium: Ints, media: tuple[CableProfile, ...]) -> _Laid:
    """Panels, trunks and jumpers of the cables that have a policy; raises InputError where panels have no room."""
    rows = np.arange(len(site.ends.link), dtype=np.int32)
    places = _places_of(site, policy[site.ends.cable], rows)
    ways = ways_of(site.links, site.ends, policy, places, medium, media)
    trunks = trunks_of(ways, site.policies, len(site.places))
    landed = land(trunks, site.policies, site.places)
    free = free_units(site.devices, site.racks)
    panels = stand(landed.panels, site.policies, site.places, free, site.racks.names)
    panels, racks = patch_racks(panels, site.policies, site.places, site.racks)
    patches = _patches(ways, trunks, media, medium[site.ends.cable])
    a_panel, b_panel = landed.a_panel, landed.b_panel
    floor = site.design.loaded.blueprint.floor
    run = run_between(racks, floor, panels.rack[a_panel], panels.u[a_panel], panels.rack[b_panel], panels.u[b_panel])
    table = TrunkTable(
        trunks.policy,
        trunks.fibre,
        trunks.number,
        a_panel,
        landed.a_port,
        b_panel,
        landed.b_port,
        trunks.used,
        stocked(run),
    )
    first, last = _jumper_runs(site, racks, panels, table, patches, len(policy))
    length, trunk_run = np.zeros(len(policy)), np.zeros(len(policy))
    cable = site.ends.cable[patches.row]
    np.maximum.at(length, cable, table.length_m[patches.trunk])
    np.maximum.at(trunk_run, cable, run[patches.trunk])
    a_m, b_m = stocked(first), stocked(last)
    patching = Patching(site.policies, site.places.names, policy, a_m, b_m, ways.spread, panels, table, patches)
    return _Laid(patching, racks, length + a_m + b_m, trunk_run + first + last)


def _patches(ways: Ways, trunks: Trunks, media: tuple[CableProfile, ...], medium: Ints) -> PatchTable:
    """The front ports of every cable end row: those of its way, in the order of their connectors."""
    order = np.lexsort((trunks.nth, trunks.way))
    before = np.cumsum(ways.connectors) - ways.connectors
    each = ways.connectors[ways.of_row]
    nth = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    row, of = np.repeat(ways.rows, each), np.repeat(ways.of_row, each)
    port = order[before[of] + nth]
    most = np.array([m.lanes_per_connector for m in media], dtype=np.int32)[medium[row]]
    lanes = np.clip(ways.lanes[of] - nth * most, 0, most)
    flipped = ways.a_place[of] > ways.b_place[of]
    columns = (row, trunks.trunk_of[port], trunks.port[port], flipped, lanes)
    return PatchTable(*(column.astype(np.int32) for column in columns))


def _jumper_runs(
    site: _Site, racks: RackTable, panels: PanelTable, trunks: TrunkTable, patches: PatchTable, cables: int
) -> tuple[Floats, Floats]:
    """The longest run from the cages of each cable to its panels, at the a and the b end, m; 0 for direct ones."""
    floor, cable, flipped = site.design.loaded.blueprint.floor, site.ends.cable[patches.row], patches.flipped == 1
    first, last = trunks.a_panel[patches.trunk], trunks.b_panel[patches.trunk]
    found = []
    for device, panel in zip(
        site.device(patches.row), (np.where(flipped, last, first), np.where(flipped, first, last)), strict=True
    ):
        run = run_between(
            racks, floor, site.devices.rack[device], site.devices.u[device], panels.rack[panel], panels.u[panel]
        )
        longest = np.zeros(cables)
        np.maximum.at(longest, cable, run)
        found.append(longest)
    return found[0], found[1]
