"""The plan of AS numbers of each fabric, and how many numbers its tiers take; light, for lint's fast path."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.blueprint.sections.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.shape import count_reserved_places
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Interval, Intervals, count_numbers
from fabricgen.numbering.slot_counts import count_numbered_groups
from fabricgen.numbering.underlay import runs_bgp

AsnOwner = Literal["switch", "rack", "group"]
"""What has an AS number of its own: each switch, the switches of each rack, or those of each group."""


class AsnDemand(NamedTuple):
    """The AS numbers that a tier takes from `windows`: now, and once every reserved slot is filled.

    `path` is the place in the blueprint where the numbers are stated.
    """

    fabric: str
    tier: str
    path: Path
    windows: Intervals
    now: int
    reserved: int


def merge_asn_plans(design: Design, fabric: FabricDesign) -> tuple[AsnPlan, dict[str, Path]]:
    """Return the AS number plan of a fabric, its own keys laid over the cluster's, and the path of each key."""
    blueprint = design.loaded.blueprint
    values: dict[str, Any] = {}
    paths: dict[str, Path] = dict.fromkeys(AsnPlan.model_fields, ("routing", "asn"))
    fabric_plan = blueprint.fabrics[fabric.name].routing.asn
    for plan, path in ((blueprint.routing.asn, ("routing", "asn")), (fabric_plan, (*fabric.path, "routing", "asn"))):
        if plan is not None:
            values |= {key: getattr(plan, key) for key in plan.model_fields_set}
            paths |= dict.fromkeys(plan.model_fields_set, path)
    return AsnPlan.model_construct(**values), {key: (*path, key) for key, path in paths.items()}


def find_asn_owner(tier: TierDesign, plan: AsnPlan) -> AsnOwner:
    """Return what has an AS number of its own in a tier under a plan: each switch, rack or group.

    With peer links or a mesh it is always each switch, as it speaks eBGP with others of its tier.
    """
    if plan.plan == "per-switch" or tier.peer_links or tier.meshes or (tier.lowest and plan.plan == "rfc7938"):
        return "switch"
    return "rack" if tier.lowest else "group"


def list_tier_asns(design: Design, fabrics: Sequence[FabricDesign]) -> list[tuple[int, int]]:
    """Return (first, last) of all numbers that are stated for single tiers, ascending; pools leave them out."""
    plans = [merge_asn_plans(design, fabric)[0] for fabric in fabrics]
    return sorted(parse_asns(text) for plan in plans for text in plan.tiers.values())


def subtract_asns(pool: str, reserved: Sequence[tuple[int, int]]) -> Intervals:
    """Return the intervals of a pool without the reserved numbers, ascending.

    `pool` is a number or a range as text; `reserved` are (first, last), ascending.
    """
    next_number, last_of_pool = parse_asns(pool)
    windows = []
    # one more behind the pool, so that the numbers after the last reserved ones are a window, too
    for first_reserved, last_reserved in (*reserved, (last_of_pool + 1, last_of_pool + 1)):
        if first_reserved > next_number:
            windows.append(Interval(next_number, min(first_reserved, last_of_pool + 1) - next_number))
        next_number = max(next_number, last_reserved + 1)
        if next_number > last_of_pool:
            break
    return tuple(windows)


def list_asn_demands(design: Design) -> Iterator[AsnDemand]:
    """Yield the demand for AS numbers of every tier whose switches run BGP, except tiers with a single stated number.

    A tier with a stated range takes its numbers from that, others from the pool of their fabric without stated numbers.
    """
    speakers = [fabric for fabric in design.fabrics if runs_bgp(design, fabric)]
    stated_asns = list_tier_asns(design, speakers)
    for fabric in speakers:
        plan, paths = merge_asn_plans(design, fabric)
        for tier in fabric.tiers:
            path, windows = paths["pool"], subtract_asns(plan.pool, stated_asns)
            if tier.name in plan.tiers:
                first_asn, last_asn = parse_asns(plan.tiers[tier.name])
                path, windows = (*paths["tiers"], tier.name), (Interval(first_asn, last_asn - first_asn + 1),)
            if path == paths["pool"] or count_numbers(windows) > 1:
                in_use, reserved = _count_asns(tier, find_asn_owner(tier, plan))
                yield AsnDemand(fabric.name, tier.name, path, windows, in_use, max(in_use, reserved))


def _count_asns(tier: TierDesign, by: AsnOwner) -> tuple[int, int]:
    """Return how many numbers a tier takes, (now, with every reserved slot), with one for each `by`: switch, rack or
    group.
    """
    if by == "rack":
        planes = tier.sizes["plane"] if "plane" in tier.per else 1
        return tier.places * planes, count_reserved_places(tier.layout, tier.scope) * planes
    if by == "group":
        return tier.groups, count_numbered_groups(tier)
    return tier.switches, count_numbered_groups(tier) * tier.count
