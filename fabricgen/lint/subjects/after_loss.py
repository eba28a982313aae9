"""What remains of fabrics after a loss, and what is cut off at a phase of the build-up, for the rules on failures.

The remaining bisection is held against the limits in `lint.limits.after_loss`.
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
    """Whether the remaining share of the bisection is below a limit (None for no limit) by more than rounding."""
    return limit is not None and float(remaining.share) < limit - 1e-9


def name_further_tiers(tiers: Sequence[TierDesign]) -> str:
    """Return the end of a message that applies to further tiers: `; storage spine, inband spine too`; "" for none."""
    return f"; {', '.join(tier.text for tier in tiers)} too" if tiers else ""


def write_loss_message(fabric: FabricDesign, remaining: RemainingBisection, kind: str, limit: float) -> str:
    """Return the message of a finding: what is left of a fabric after a loss, and the limit `after_loss.KIND`."""
    share_text = format_percent(float(remaining.share))
    text = describe_remaining(fabric.name, share_text, remaining.after, describe_lost_switches(remaining))
    return f"{text}, `after_loss.{kind}` asks for {format_percent(limit)}"


def find_worst_losses(
    design: Design, list_domains: Callable[[Design, FloorPlan], Iterable[FailureDomain]], limit: float | None
) -> Iterator[tuple[FabricDesign, RemainingBisection, TierDesign]]:
    """Yield (fabric, what remains, the tier that loses the largest share of its switches) for the worst loss of
    each fabric, if it leaves less than a limit; None is no limit. `list_domains` returns what may be lost at once.
    """
    if limit is None:
        return
    losses = list(list_domains(design, FloorPlan(design)))
    for fabric, survival in list_failure_analyses(design):
        worst = min(map(survival.compute_remaining, losses), key=lambda remaining: remaining.share, default=None)
        if worst is not None and is_below_limit(worst, limit):
            tiers = [tier for tier in survival.chain if worst.gone.get(tier.key)]
            yield fabric, worst, max(tiers, key=lambda tier: worst.gone[tier.key] / tier.switches)


def advise_more_racks(design: Design, tier: TierDesign, remaining: RemainingBisection, limit: float) -> str:
    """Return the advice over how many racks to spread a tier, so that the loss of one rack leaves `limit` of the
    bisection; every rack of the tier is taken to cost the same share.
    """
    if limit >= 1:
        return "no number of racks keeps everything: lower the limit"
    # what is lost shrinks with the number of racks; 1e-9 keeps a share such as 0.1 from adding one by its last bit
    racks = ceil(count_racks_of_tier(design, tier) * float(1 - remaining.share) / (1 - limit) - 1e-9)
    if racks > tier.per_place:
        too_few = f"{tier.name} has {tier.per_place} switches per place, too few for any number of racks"
        return f"{too_few}: add switches or planes"
    return f"spread the {tier.name} switches over more racks: `racks: {racks}` or more"


# Which devices are left without links of a kind if some devices and links are absent.


def find_lost_groups(links: LinkTable, segments: list[int], groups: Ints, gone: Flags) -> tuple[Flags, list[int]]:
    """Return (flags of the links of lost groups, numbers of the lost groups), of groups into which links are divided.

    `groups` has the number of the group of each link, such as the device at one end; below 0 for a link without a
    group. A group is lost if it has links in `segments` and all of these are `gone`; `gone` and the flags have one
    entry a link.
    """
    import numpy as np

    grouped, group_count = np.isin(links.segment, segments) & (groups >= 0), int(groups.max(initial=0)) + 1
    links_of, gone_of = (np.bincount(groups[rows], minlength=group_count) for rows in (grouped, grouped & gone))
    lost_groups: list[int] = np.flatnonzero((links_of > 0) & (links_of == gone_of)).tolist()
    return grouped & np.isin(groups, lost_groups), lost_groups


def find_cut_off_devices(plan: WiringPlan, present: Presence, segments: list[int]) -> list[int]:
    """Return the rows of the present devices that have links in `segments`, all of them absent.

    Only devices at the lower ends of links count, such as nodes, and leaves below spines.
    """
    import numpy as np

    # an absent device is of no group
    lower = np.where(present.devices[plan.links.a_device], plan.links.a_device, -1)
    return find_lost_groups(plan.links, segments, lower, ~present.links)[1]


def list_uplink_segments(plan: WiringPlan, fabric: str) -> list[int]:
    """Return the indices of the segments of links from switches of a fabric to the tier above; peer links and links to
    management ports are left out.
    """
    from fabricgen.wiring.tables import ManagementPort

    return [
        i
        for i, s in enumerate(plan.links.segments)
        if s.lower_tier and s.lower_tier.fabric == fabric and not s.mesh
        if s.lower != "node" and not isinstance(s.a, ManagementPort)
    ]


def list_host_segments(plan: WiringPlan, fabric: str) -> list[int]:
    """Return the indices of the segments of a fabric's links to nodes, extra devices and management ports of
    switches.
    """
    from fabricgen.wiring.tables import ManagementPort

    segments = enumerate(plan.links.segments)
    return [i for i, s in segments if s.fabric == fabric and (s.lower == "node" or isinstance(s.a, ManagementPort))]


def list_peer_segments(plan: WiringPlan, fabric: str) -> list[int]:
    """Return the indices of the segments of a fabric's peer links, which join two switches of a tier at one site."""
    segments = enumerate(plan.links.segments)
    return [i for i, s in segments if s.tier and s.tier.fabric == fabric and s.mesh and not s.km]


# Phases to be judged: the one that was asked for, or every one of the blueprint.


class JudgedPhase(NamedTuple):
    """A phase: its name, what it selects, and which devices and links of the whole cluster are present at it."""

    name: str
    selection: Selection
    there: Presence


def list_judged_phases(cluster: Cluster) -> tuple[Cluster, Iterator[JudgedPhase]]:
    """Return (the whole cluster, its phases to be judged): the phase that the cluster was cut down to, else every phase
    of the blueprint; a cluster that was cut down to a lab has none.
    """
    from fabricgen.design.phase_selection import select_phase
    from fabricgen.phases.presence import find_presence

    phase = cluster.phase
    whole_cluster = phase.whole if phase else cluster
    design = whole_cluster.design
    if phase is None:
        judged = {name: select_phase(design, name) for name in design.loaded.blueprint.phases}
    else:
        judged = {} if phase.lab else {phase.name: phase.selection}
    return whole_cluster, (
        JudgedPhase(name, selection, find_presence(design, whole_cluster.plan, selection))
        for name, selection in judged.items()
    )
