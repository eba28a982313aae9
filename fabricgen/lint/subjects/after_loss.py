"""Shared by the rules on failures: the remaining bisection of every fabric, against the limits in
`lint.limits.after_loss`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.design.capacity.failure import (
    RemainingBisection,
    describe_lost_switches,
    describe_remaining,
    format_percent,
    list_failure_analyses,
)
from fabricgen.design.capacity.failure_domains import FailureDomain
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan, count_racks_of_tier
from fabricgen.design.model import Design

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.phase_selection import Selection
    from fabricgen.phases.presence import Presence
    from fabricgen.wiring.arrays import Flags, Ints
    from fabricgen.wiring.tables import LinkTable, WiringPlan


def is_below_limit(remaining: RemainingBisection, limit: float | None) -> bool:
    """Whether the remaining share is below a limit; tolerant of rounding, as limits are typed decimals."""
    return limit is not None and float(remaining.share) < limit - 1e-9


def name_further_tiers(tiers: Sequence[TierDesign]) -> str:
    """Text for further tiers that a finding applies to: `; storage spine, inband spine too`."""
    return f"; {', '.join(tier.text for tier in tiers)} too" if tiers else ""


def write_loss_message(fabric: FabricDesign, remaining: RemainingBisection, kind: str, limit: float) -> str:
    """What is left of a fabric after a loss, and the limit: the message of a finding."""
    text = describe_remaining(
        fabric.name, format_percent(float(remaining.share)), remaining.after, describe_lost_switches(remaining)
    )
    return f"{text}, `after_loss.{kind}` asks for {format_percent(limit)}"


def find_worst_losses(
    design: Design, list_domains: Callable[[Design, FloorPlan], Iterable[FailureDomain]], limit: float | None
) -> Iterator[tuple[FabricDesign, RemainingBisection, TierDesign]]:
    """The worst loss of every fabric that leaves less than a limit: (fabric, what remains, tier that loses the largest
    share).
    """
    if limit is None:
        return
    losses = list(list_domains(design, FloorPlan(design)))
    for fabric, survival in list_failure_analyses(design):
        worst = min(
            (survival.compute_remaining(loss) for loss in losses), key=lambda remaining: remaining.share, default=None
        )
        if worst is not None and is_below_limit(worst, limit):
            tiers = [tier for tier in survival.chain if worst.gone.get(tier.key)]
            yield fabric, worst, max(tiers, key=lambda tier: worst.gone[tier.key] / tier.switches)


def advise_more_racks(design: Design, tier: TierDesign, remaining: RemainingBisection, limit: float) -> str:
    """Over how many racks to spread a tier so that the loss of one keeps the limit; all racks cost alike."""
    if limit >= 1:
        return "no number of racks keeps everything: lower the limit"
    # what is lost shrinks with the number of racks; 1e-9 keeps a share such as 0.1 from adding one by its last bit
    racks = ceil(count_racks_of_tier(design, tier) * float(1 - remaining.share) / (1 - limit) - 1e-9)
    per_place = tier.per_place
    if racks > per_place:
        return (
            f"{tier.name} has {per_place} switches per place, too few for any number of racks: add switches or planes"
        )
    return f"spread the {tier.name} switches over more racks: `racks: {racks}` or more"


# Which devices are left without links of a kind, where some devices and links are not there.


def find_lost_groups(links: LinkTable, segments: list[int], groups: Ints, gone: Flags) -> tuple[Flags, list[int]]:
    """(links, groups) of those all of whose links in some segments are gone; below 0 a link is of no group."""
    import numpy as np

    grouped, most = np.isin(links.segment, segments) & (groups >= 0), int(groups.max(initial=0)) + 1
    links_of, gone_of = (np.bincount(groups[rows], minlength=most) for rows in (grouped, grouped & gone))
    numbers: list[int] = np.flatnonzero((links_of > 0) & (links_of == gone_of)).tolist()
    return grouped & np.isin(groups, numbers), numbers


def find_cut_off_devices(plan: WiringPlan, present: Presence, segments: list[int]) -> list[int]:
    """Rows of the devices that are there, are the lower ends of links of some segments, and of none that is there."""
    import numpy as np

    # devices that are not there are of no group
    lower = np.where(present.devices[plan.links.a_device], plan.links.a_device, -1)
    return find_lost_groups(plan.links, segments, lower, ~present.links)[1]


def list_uplink_segments(plan: WiringPlan, fabric: str) -> list[int]:
    """The segments of links from switches of a fabric to the tier above, without peer links and management ports."""
    from fabricgen.wiring.tables import ManagementPort

    return [
        i
        for i, s in enumerate(plan.links.segments)
        if s.lower_tier and s.lower_tier.fabric == fabric and not s.mesh
        if s.lower != "node" and not isinstance(s.a, ManagementPort)
    ]


def list_host_segments(plan: WiringPlan, fabric: str) -> list[int]:
    """The segments of a fabric's links to nodes, extra devices and the management ports of switches."""
    from fabricgen.wiring.tables import ManagementPort

    segments = enumerate(plan.links.segments)
    return [i for i, s in segments if s.fabric == fabric and (s.lower == "node" or isinstance(s.a, ManagementPort))]


def list_peer_segments(plan: WiringPlan, fabric: str) -> list[int]:
    """The segments of peer links of a fabric: between two switches of a tier at one site."""
    segments = enumerate(plan.links.segments)
    return [i for i, s in segments if s.tier and s.tier.fabric == fabric and s.mesh and not s.km]


# Phases to be judged: the one that was asked for, or every one of the blueprint.


class JudgedPhase(NamedTuple):
    """A phase: its name, what it selects, and which devices and links of the whole cluster are there."""

    name: str
    selection: Selection
    there: Presence


def list_judged_phases(cluster: Cluster) -> tuple[Cluster, Iterator[JudgedPhase]]:
    """(the whole cluster, its phases to be judged): with `--phase` that one, else all; a lab is none."""
    from fabricgen.design.phase_selection import select_phase
    from fabricgen.phases.presence import find_presence

    phase = cluster.phase
    whole_cluster = phase.whole if phase else cluster
    if phase is None:
        judged = {
            name: select_phase(whole_cluster.design, name) for name in whole_cluster.design.loaded.blueprint.phases
        }
    else:
        judged = {} if phase.lab else {phase.name: phase.selection}
    return whole_cluster, (
        JudgedPhase(name, selection, find_presence(whole_cluster.design, whole_cluster.plan, selection))
        for name, selection in judged.items()
    )
