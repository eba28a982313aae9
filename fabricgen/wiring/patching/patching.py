"""Patching: selects the cables that go through panels, and their medium, by the length of the whole channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.catalog.cable_models import ROUNDING_M, CableProfile
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.media.patching import list_patch_policies
from fabricgen.design.model import Design
from fabricgen.wiring.arrays import Flags, Floats, Ints
from fabricgen.wiring.cabling.end_numbers import CableEnds
from fabricgen.wiring.cabling.media import fits_segment
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.tables import CableTable, DeviceTable, LinkTable, RackTable

if TYPE_CHECKING:
    from fabricgen.wiring.patching.tables import Patching
    from fabricgen.wiring.patching.trunks import PatchingInput, PatchingResult

MediumChooser = Callable[[Floats, tuple[CableProfile, ...]], tuple[Ints, Flags]]
"""(runs of all cables in m, media) -> (the medium of each cable, an index of these media, int32; whether its reach
suffices, bool)."""

ROUNDS = 4
"""The most iterations of choosing media: another fibre needs other panels, which may lengthen channels."""


class MediumChoice(NamedTuple):
    """The medium of each cable, whether it reaches, its patching policy (-1 for none), and the trunks that were laid
    for the end rows `ends`; None where nothing is patched.
    """

    medium: Ints
    reaches: Flags
    policy: Ints
    ends: CableEnds
    laid: PatchingResult | None = None


class Patcher(NamedTuple):
    """Chooses media and patches cables; without patching policies (`inputs` is None) all cables are direct."""

    media: tuple[CableProfile, ...]
    racks: RackTable
    inputs: PatchingInput | None = None

    @classmethod
    def make_patcher(
        cls,
        design: Design,
        devices: DeviceTable,
        racks: RackTable,
        links: LinkTable,
        media: tuple[CableProfile, ...],
        shelf: Shelf | None,
    ) -> Patcher:
        """Return the patcher for the policies of a blueprint; without any its `inputs` are None."""
        policies = list_patch_policies(design)
        if not policies:
            return cls(media, racks)
        from fabricgen.wiring.patching.panels import list_patch_locations
        from fabricgen.wiring.patching.trunks import PatchingInput

        floor, names = design.loaded.blueprint.floor, FloorPlan(design).names
        places = list_patch_locations(design, racks)
        return cls(media, racks, PatchingInput(floor, devices, racks, links, media, policies, places, names, shelf))

    def settle_media(self, chooser: MediumChooser, ends: CableEnds, group: Ints, run_m: Floats) -> MediumChoice:
        """Return the medium of each cable, and trunks laid for the cables that are patched.

        Cables that copper can serve are not patched. For the others, a fibre is chosen whose reach covers jumper, trunk
        and jumper together. `group` is that of `CageSharing`. Raises InputError as `lay_trunks` does.
        """
        direct = chooser(run_m, self.media)
        choice = MediumChoice(*direct, np.full(len(run_m), -1, dtype=np.int32), ends)
        if self.inputs is None:
            return choice
        from fabricgen.wiring.patching.trunks import lay_trunks

        electrical = np.array([m.copper or m.medium == "COPPER" for m in self.media], dtype=bool)[choice.medium]
        # copper is not patched
        policy = np.where(electrical, -1, _find_cable_policies(self.inputs, ends, len(run_m))).astype(np.int32)
        # the direct run is the least that a channel can be
        is_patched, channel_m, laid = policy >= 0, run_m, None
        # a patched cable needs transceivers, which all that share its cages plug into
        plugs_in = np.zeros(len(group), dtype=bool)
        plugs_in[group[is_patched]] = True
        plugs_in = plugs_in[group]
        # a medium sets the trunks (how many lanes a connector has), these the length, and the length the medium;
        # lengths only grow, so that it settles
        for _ in range(ROUNDS if is_patched.any() else 0):
            medium, reaches = self._choose_pluggable(chooser, channel_m, direct, plugs_in)
            if laid is None or (self._number_kinds(medium) != self._number_kinds(choice.medium))[is_patched].any():
                laid = lay_trunks(self.inputs, ends, policy, medium)
            # nothing changed since the last round: trunks, lengths and media agree
            elif (medium == choice.medium).all():
                break
            choice = MediumChoice(medium, reaches, policy, ends, laid)
            # never shorter than before, or two media could take turns for ever
            channel_m = np.where(is_patched, np.maximum(channel_m, laid.length_m), run_m)
        return choice

    def _number_kinds(self, medium: Ints) -> Ints:
        """Return a number for the medium of each cable, int32; media of one number need the same panels and trunks."""
        listed = (
            self.inputs is not None and self.inputs.shelf is not None
        )  # jumpers of a product list are for some media
        kinds = [(m.fibre, m.lanes_per_connector, m.stock_m, m.id if listed else "") for m in self.media]
        return np.array([kinds.index(kind) for kind in kinds], dtype=np.int32)[medium]

    def _choose_pluggable(
        self, chooser: MediumChooser, run_m: Floats, direct: tuple[Ints, Flags], plugs_in: Flags
    ) -> tuple[Ints, Flags]:
        """Return (medium of each cable, whether it reaches): one with transceivers where `plugs_in`, that is for
        patched cables and all that share cages with them.

        Other cables with fixed ends keep the medium that was chosen for them as direct cables, given as `direct`.
        """
        # what may go through panels: fibre with transceivers, and twisted pair
        plugged = [i for i, m in enumerate(self.media) if (m.fibre and not m.attached) or "RJ45" in m.form_factors]
        medium, reaches = chooser(run_m, tuple(self.media[i] for i in plugged))
        attached = np.array([m.attached for m in self.media], dtype=bool)[direct[0]]
        is_chosen_anew: Flags = plugs_in | ~attached
        # `chooser` returned indexes of `plugged`
        medium = np.where(is_chosen_anew, np.array(plugged, dtype=np.int32)[medium], direct[0]).astype(np.int32)
        return medium, np.where(is_chosen_anew, reaches, direct[1])

    def patch_cables(
        self, table: CableTable, ends: CableEnds, choice: MediumChoice, remaining: Ints
    ) -> tuple[CableTable, RackTable, Patching | None]:
        """Return (cable table with the lengths of channels, rack table with patch racks, patching or None).

        `remaining` are the cables of `choice` that remain after assemblies were merged. A medium that is too short for
        its channel no longer reaches.
        """
        if self.inputs is None or choice.laid is None:
            return table, self.racks, None
        from fabricgen.wiring.patching.trunks import lay_trunks

        policy = choice.policy[remaining]
        laid, is_patched = (
            choice.laid if ends is choice.ends else lay_trunks(self.inputs, ends, policy, table.medium),
            policy >= 0,
        )
        length_m, run_m = (
            np.where(is_patched, laid.length_m, table.length_m),
            np.where(is_patched, laid.run_m, table.run_m),
        )
        reach = np.array([m.reach_m for m in self.media])[table.medium]
        reaches = table.reaches & (~is_patched | (length_m <= reach + ROUNDING_M))
        return replace(table, length_m=length_m, run_m=run_m, reaches=reaches), laid.racks, laid.patching


def _find_cable_policies(inputs: PatchingInput, ends: CableEnds, cables: int) -> Ints:
    """Return the policy of each cable, int32, -1 for none: the first policy that covers the links of all its ends.

    The ends have to be on one site, as far apart as the policy asks, and in different places unless a shuffle serves
    them; a medium with plugged fibre has to fit them.
    """
    plugged = [m for m in inputs.media if m.fibre and not m.attached]
    policy_of_segment = np.full(len(inputs.links.segments), -1, dtype=np.int32)
    for i, segment in enumerate(inputs.links.segments):
        is_patchable = segment.tier is not None and not segment.km and any(fits_segment(segment, m) for m in plugged)
        fitting = [
            n for n, p in enumerate(inputs.policies) if is_patchable and p.covers_links(segment.fabric, segment.key)
        ]
        # the first policy that covers a link is the one that applies
        policy_of_segment[i] = fitting[0] if fitting else -1
    policy_of_end = policy_of_segment[inputs.links.segment[ends.link]]
    a_site, b_site = (
        inputs.racks.site[inputs.devices.rack[d]]
        for d in (inputs.links.a_device[ends.link], inputs.links.b_device[ends.link])
    )
    a_place, b_place = inputs.find_places(ends, policy_of_end)
    # the last entry is that of no policy, -1
    shuffled = np.array([*(p.shuffles for p in inputs.policies), False], dtype=bool)[policy_of_end]
    # within one place a cable goes straight, unless it is to pass a shuffle; and no trunk leaves a site
    is_taken = ((a_place != b_place) | shuffled) & (a_site == b_site) & _are_across(inputs, ends, policy_of_end)
    policy_of_end = np.where(is_taken, policy_of_end, -1)
    # a breakout is patched only if all of its ends have one policy, so that lowest and highest agree
    lowest_policy = np.full(cables, len(inputs.policies), dtype=np.int32)
    highest_policy = np.full(cables, -1, dtype=np.int32)
    np.minimum.at(lowest_policy, ends.cable, policy_of_end)
    np.maximum.at(highest_policy, ends.cable, policy_of_end)
    return np.where(lowest_policy == highest_policy, highest_policy, -1).astype(np.int32)


def _are_across(inputs: PatchingInput, ends: CableEnds, policy: Ints) -> Flags:
    """Whether each cable end row goes as far as its policy (-1: none) asks: to another row, storey or hall; bool."""
    racks = inputs.racks
    storey = np.array([hall.storey for hall in racks.halls], dtype=np.int32)[racks.hall]
    a, b = (inputs.devices.rack[device[ends.link]] for device in (inputs.links.a_device, inputs.links.b_device))
    in_two_halls = racks.hall[a] != racks.hall[b]
    # by the word of a policy
    is_across = {
        None: np.ones(len(policy), dtype=bool),
        "row": in_two_halls | (racks.row[a] != racks.row[b]),
        "storey": storey[a] != storey[b],
        "hall": in_two_halls,
    }
    goes_far_enough: Flags = is_across[None].copy()
    for number, patch_policy in enumerate(inputs.policies):
        rows = policy == number
        goes_far_enough[rows] = is_across[patch_policy.spec.across][rows]
    return goes_far_enough
