"""Patching: which cables go through panels; their medium is chosen for the whole channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.patching import policies_of
from fabricgen.design.model import Design
from fabricgen.wiring.cabling.end_numbers import Ends
from fabricgen.wiring.cabling.media import fits_segment
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.tables import CableTable, DeviceTable, Flags, Floats, Ints, LinkTable, RackTable

if TYPE_CHECKING:
    from fabricgen.wiring.patching.tables import Patching
    from fabricgen.wiring.patching.trunks import Hall, Laid

Choose = Callable[[Floats, tuple[CableProfile, ...]], tuple[Ints, Flags]]
"""For runs of all cables, m, the first of some media that serves each, and whether it reaches."""

ROUNDS = 4
"""Another fibre takes other panels, and so may lengthen channels: how often their media are chosen again."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The medium of each cable, whether it reaches, its policy (-1 for direct ones), and what they were laid as."""

    medium: Ints
    reaches: Flags
    policy: Ints
    ends: Ends
    laid: Laid | None = None


@dataclass(frozen=True, slots=True)
class Patchable:
    """What may be patched: a hall with policies; without any (`hall` is None) all cables stay direct."""

    media: tuple[CableProfile, ...]
    racks: RackTable
    hall: Hall | None = None

    @classmethod
    def of(
        cls,
        design: Design,
        devices: DeviceTable,
        racks: RackTable,
        links: LinkTable,
        media: tuple[CableProfile, ...],
        shelf: Shelf | None,
    ) -> Patchable:
        """What the policies of a blueprint may patch."""
        policies = policies_of(design)
        if not policies:
            return cls(media, racks)
        from fabricgen.wiring.patching.places import places_of
        from fabricgen.wiring.patching.trunks import Hall

        floor = design.loaded.blueprint.floor
        return cls(media, racks, Hall(floor, devices, racks, links, media, policies, places_of(design, racks), shelf))

    def choose(self, choose: Choose, ends: Ends, run_m: Floats) -> Choice:
        """Choose the medium of each cable.

        Of cables that a policy takes, those that copper serves stay direct; for others fibre is chosen whose reach is
        that of jumper, trunk and jumper together. Raises InputError where panels have no room.
        """
        direct = choose(run_m, self.media)
        found = Choice(*direct, np.full(len(run_m), -1, dtype=np.int32), ends)
        if self.hall is None:
            return found
        from fabricgen.wiring.patching.trunks import lay

        electrical = np.array([m.copper or m.medium == "COPPER" for m in self.media], dtype=bool)[found.medium]
        policy = np.where(electrical, -1, _wanted(self.hall, ends, len(run_m))).astype(np.int32)
        own, longest, laid = policy >= 0, run_m, None
        for _ in range(ROUNDS if own.any() else 0):
            medium, reaches = self._plugged(choose, longest, direct, own)
            if laid is None or (self._kind(medium) != self._kind(found.medium))[own].any():
                laid = lay(self.hall, ends, policy, medium)
            elif (medium == found.medium).all():
                break
            found = Choice(medium, reaches, policy, ends, laid)
            longest = np.where(own, np.maximum(longest, laid.length_m), run_m)
        return found

    def _kind(self, medium: Ints) -> Ints:
        """Media in whose place another of the same number changes nothing that is laid."""
        listed = self.hall is not None and self.hall.shelf is not None  # jumpers of a product list are for some media
        kinds = [(m.fibre, m.lanes_per_connector, m.stock_m, m.id if listed else "") for m in self.media]
        return np.array([kinds.index(kind) for kind in kinds], dtype=np.int32)[medium]

    def _plugged(self, choose: Choose, run_m: Floats, direct: tuple[Ints, Flags], own: Flags) -> tuple[Ints, Flags]:
        """Media whose fibre plugs in at both ends for patched cables, and for all that may share a cage with them.

        Others keep what was chosen for them as direct cables. Returns media, and whether they reach.
        """
        plugged = [i for i, m in enumerate(self.media) if (m.fibre and not m.attached) or "RJ45" in m.form_factors]
        medium, reaches = choose(run_m, tuple(self.media[i] for i in plugged))
        attached = np.array([m.attached for m in self.media], dtype=bool)[direct[0]]
        loose: Flags = own | ~attached
        medium = np.array(plugged, dtype=np.int32)[medium]
        return np.where(loose, medium, direct[0]).astype(np.int32), np.where(loose, reaches, direct[1])

    def patch(
        self, table: CableTable, ends: Ends, choice: Choice, kept: Ints
    ) -> tuple[CableTable, RackTable, Patching | None]:
        """The cables with the lengths of their channels, the racks with those of panels, and what is patched.

        `kept` are the cables of the choice that are left, once cables that are one assembly have been put together.
        """
        if self.hall is None or choice.laid is None:
            return table, self.racks, None
        from fabricgen.wiring.patching.trunks import lay

        policy = choice.policy[kept]
        laid, own = choice.laid if ends is choice.ends else lay(self.hall, ends, policy, table.medium), policy >= 0
        length_m, run_m = np.where(own, laid.length_m, table.length_m), np.where(own, laid.run_m, table.run_m)
        reach = np.array([m.reach_m for m in self.media])[table.medium]
        reaches = table.reaches & (~own | (length_m <= reach + 1e-9))
        return replace(table, length_m=length_m, run_m=run_m, reaches=reaches), laid.racks, laid.patching


def _wanted(hall: Hall, ends: Ends, cables: int) -> Ints:
    """The policy of each cable, -1 for none: all of its far ends in other places of its site, fibre fits its cages."""
    plugged = [m for m in hall.media if m.fibre and not m.attached]
    of_segment = np.full(len(hall.links.segments), -1, dtype=np.int32)
    for i, segment in enumerate(hall.links.segments):
        able = segment.tier is not None and not segment.km and any(fits_segment(segment, m) for m in plugged)
        takes = [n for n, p in enumerate(hall.policies) if able and p.takes(segment.fabric, segment.key)]
        of_segment[i] = takes[0] if takes else -1
    found = of_segment[hall.links.segment[ends.link]]
    a, b = (
        hall.racks.site[hall.devices.rack[d]] for d in (hall.links.a_device[ends.link], hall.links.b_device[ends.link])
    )
    a_place, b_place = hall.places_of(ends, found)
    found = np.where((a_place != b_place) & (a == b), found, -1)
    least, most = np.full(cables, len(hall.policies), dtype=np.int32), np.full(cables, -1, dtype=np.int32)
    np.minimum.at(least, ends.cable, found)
    np.maximum.at(most, ends.cable, found)
    return np.where(least == most, most, -1).astype(np.int32)
