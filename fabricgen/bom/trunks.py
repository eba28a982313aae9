"""Parts of structured cabling, and the names of panels and trunks."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fabricgen.bom.need import OrderedPart
from fabricgen.catalog.patch_models import PanelProfile
from fabricgen.cluster import Cluster
from fabricgen.design.media.patching import FIBRES
from fabricgen.kernel.units import format_number
from fabricgen.wiring.arrays import Ints, Ints64, rank_within, unique_combinations
from fabricgen.wiring.patching.tables import Patching, PatchTable

SHORT = {"mmf-om4": "om4", "smf-os2": "os2"}
"""Short names of fibre types in names of trunks."""


class PatchParts:
    """Names and parts of the panels and trunks of a cluster with patching."""

    def __init__(self, cluster: Cluster, patching: Patching) -> None:
        self._cluster, self._patching = cluster, patching

    @cached_property
    def panels(self) -> list[str]:
        """The name of every panel: its rack, and its number there from the top."""
        panels, names = self._patching.panels, self._cluster.plan.racks.names
        from_top = rank_within(panels.rack, -panels.u)
        pairs = zip(panels.rack.tolist(), from_top.tolist(), strict=True)
        return [f"{names[rack]}-pp{position + 1:02d}" for rack, position in pairs]

    @cached_property
    def trunks(self) -> list[str]:
        """The name of every trunk: policy, the racks or rows that it joins, and its number among those of its kind."""
        trunks, panels = self._patching.trunks, self._patching.panels
        names, policies = self._patching.places, self._patching.policies
        ends = zip(panels.place[trunks.a_panel].tolist(), panels.place[trunks.b_panel].tolist(), strict=True)
        kinds = zip(trunks.policy.tolist(), trunks.fibre.tolist(), trunks.number.tolist(), strict=True)
        return [
            f"{policies[policy].name}:{names[a]}:{names[b]}:{SHORT[FIBRES[fibre]]}-{nth + 1}"
            for (a, b), (policy, fibre, nth) in zip(ends, kinds, strict=True)
        ]

    @cached_property
    def trunk_parts(self) -> tuple[tuple[OrderedPart, ...], Ints64]:
        """(distinct trunk parts, index of the part of each trunk)."""
        trunks = self._patching.trunks
        keys = trunks.policy, trunks.fibre, trunks.length_m
        first_rows, code = unique_combinations(*keys)
        combinations = zip(*(key[first_rows].tolist() for key in keys), strict=True)
        return tuple(self._make_trunk(policy, fibre, length) for policy, fibre, length in combinations), code

    def _make_trunk(self, policy: int, fibre: int, length_m: float) -> OrderedPart:
        """Return the part of a trunk of `length_m` m; `policy` and `fibre` are indexes of its policy and fibre type.

        It is named after the policy's product for trunks, or if there is none after its fibres and connectors.
        """
        patch_policy = self._patching.policies[policy]
        profile, spec, length = patch_policy.trunks[fibre], patch_policy.spec, format_number(length_m)
        kind = profile.id if profile else f"mpo{spec.base}-{SHORT[FIBRES[fibre]]}"  # no such trunk: FG635 reports it
        name = f"trunk-{kind}-{spec.trunk_fibres}f-type-{spec.method.lower()}-{length}m"
        pins = "not pinned" if profile and not profile.pinned else "pinned"
        ends = f"{spec.trunk_fibres // spec.base}x {patch_policy.panel.rear} {pins} at each end"
        text = f"{profile.name if profile else 'Trunk'}, {spec.trunk_fibres} fibres, {ends}, type {spec.method}"
        return OrderedPart(name, f"{text}, {length} m", "trunk", 0)

    @cached_property
    def panel_parts(self) -> tuple[tuple[OrderedPart, ...], Ints]:
        """(parts of panels, one for each policy; index of the part of each panel, int32)."""
        parts = tuple(
            OrderedPart(p.panel.id, f"Fibre shuffle, {p.panel.rack_units} U, {p.panel.name}", "shuffle", 0)
            if p.shuffles
            else OrderedPart(p.panel.id, f"Patch panel, {p.panel.rack_units} U, {p.panel.name}", "panel", 0)
            for p in self._patching.policies
        )
        return parts, self._patching.panels.policy

    def list_fibre_positions(self, patches: PatchTable, rows: Ints) -> tuple[list[str], Ints]:
        """Return (distinct texts for the fibres of a trunk's connector, index of the text of each patch, int32).

        `rows` are the rows of the patches in `patches`.
        """
        policy = self._patching.trunks.policy[patches.trunk[rows]]
        port_counts = np.array([len(p.panel.positions) for p in self._patching.policies], dtype=np.int32)[policy]
        keys = policy, patches.port[rows] % port_counts, patches.lanes[rows]
        first_rows, code = unique_combinations(*keys)
        combinations = zip(*(key[first_rows].tolist() for key in keys), strict=True)
        panels = [p.panel for p in self._patching.policies]
        texts = [_format_fibres(panels[number], port, lanes) for number, port, lanes in combinations]
        return texts, code.astype(np.int32)


def _format_fibres(panel: PanelProfile, port: int, lanes: int) -> str:
    """Return the positions in the rear connector that belong to a front port, as `1-4,9-12`.

    For an adapter, which has one front port for all positions, they are the positions of `lanes` lanes in use.
    """
    positions = panel.positions[port]
    # an adapter's lanes go out from the first positions and come in at the last
    used = sorted({*positions[:lanes], *positions[-lanes:]} if len(panel.positions) == 1 else positions)
    starts = [position for position in used if position - 1 not in used]
    ends = [position for position in used if position + 1 not in used]
    return ",".join(f"{a}-{b}" if a != b else f"{a}" for a, b in zip(starts, ends, strict=True))
