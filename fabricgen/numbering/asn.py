"""Which AS number plan holds where, and how many numbers it takes; light, for lint's fast path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, adopted_of
from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.blueprint.sections.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import reserved_places
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.intervals import Interval, Intervals, total
from fabricgen.numbering.blocks.block_allocator import BlockAllocator, Slots
from fabricgen.numbering.blocks.pools import Need, NumberPool
from fabricgen.numbering.names import default_rows
from fabricgen.numbering.slot_counts import numbered_groups
from fabricgen.numbering.slots import group_slots, rack_slots, switch_slots
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.wiring.groups import all_alike
from fabricgen.wiring.tables import Flags, Ints64, LinkTable, WiringPlan, unique_inverse

Sharers = Literal["switch", "rack", "group"]
"""What has an AS number of its own."""


@dataclass(frozen=True, slots=True)
class AsnDemand:
    """The AS numbers that a tier takes from `windows`: now, and once every reserved slot is filled."""

    fabric: str
    tier: str
    path: Path
    """Where the numbers are stated."""
    windows: Intervals
    now: int
    reserved: int


def asn_plan(design: Design, fabric: FabricDesign) -> tuple[AsnPlan, dict[str, Path]]:
    """(AS number plan of a fabric, its own keys over the cluster's; the path of each key)."""
    blueprint = design.loaded.blueprint
    stated: dict[str, Any] = {}
    paths: dict[str, Path] = dict.fromkeys(AsnPlan.model_fields, ("routing", "asn"))
    own = blueprint.fabrics[fabric.name].routing.asn
    for plan, path in ((blueprint.routing.asn, ("routing", "asn")), (own, (*fabric.path, "routing", "asn"))):
        if plan is not None:
            stated |= {key: getattr(plan, key) for key in plan.model_fields_set}
            paths |= dict.fromkeys(plan.model_fields_set, path)
    return AsnPlan.model_construct(**stated), {key: (*path, key) for key, path in paths.items()}


def sharers(tier: TierDesign, plan: AsnPlan) -> Sharers:
    """What has a number of its own under a plan; always each switch of a pair with peer links, which speaks eBGP."""
    paired = tier.peer_links is not None and not tier.peer_links.spans
    if plan.plan == "per-switch" or paired or (tier.lowest and plan.plan == "rfc7938"):
        return "switch"
    return "rack" if tier.lowest else "group"


def kept_for_tiers(design: Design, fabrics: Sequence[FabricDesign]) -> list[tuple[int, int]]:
    """(first, last) of all numbers stated for tiers, ascending; pools leave them out."""
    plans = [asn_plan(design, fabric)[0] for fabric in fabrics]
    return sorted(parse_asns(text) for plan in plans for text in plan.tiers.values())


def left_of(pool: str, kept: Sequence[tuple[int, int]]) -> Intervals:
    """The numbers of a pool without those that are kept, ascending."""
    first, last = parse_asns(pool)
    windows = []
    for low, high in (*kept, (last + 1, last + 1)):
        if low > first:
            windows.append(Interval(first, min(low, last + 1) - first))
        first = max(first, high + 1)
        if first > last:
            break
    return tuple(windows)


def asn_demands(design: Design) -> Iterator[AsnDemand]:
    """The demand of every tier whose switches run BGP, except tiers with one stated number."""
    speakers = [fabric for fabric in design.fabrics if runs_bgp(design, fabric)]
    kept = kept_for_tiers(design, speakers)
    for fabric in speakers:
        plan, paths = asn_plan(design, fabric)
        for tier in fabric.tiers:
            path, windows = paths["pool"], left_of(plan.pool, kept)
            if tier.name in plan.tiers:
                first, last = parse_asns(plan.tiers[tier.name])
                path, windows = (*paths["tiers"], tier.name), (Interval(first, last - first + 1),)
            if path == paths["pool"] or total(windows) > 1:
                now, reserved = _numbers(tier, sharers(tier, plan))
                yield AsnDemand(fabric.name, tier.name, path, windows, now, max(now, reserved))


def _numbers(tier: TierDesign, by: Sharers) -> tuple[int, int]:
    """Numbers that a tier takes now, and with every reserved slot."""
    if by == "rack":
        planes = tier.sizes["plane"] if "plane" in tier.per else 1
        return tier.places * planes, reserved_places(tier.layout, tier.scope) * planes
    if by == "group":
        return tier.groups, numbered_groups(tier)
    return tier.switches, numbered_groups(tier) * tier.count


# Checks that switches at both ends of a link have different AS numbers, as eBGP sessions require.


def check_sessions(design: Design, plan: WiringPlan, names: Sequence[str], asn: Ints64) -> None:
    """Raise InputError where two neighbours have one AS number: an iBGP session would pass no routes on.

    The error is at the line that states the number.
    """
    links = plan.links
    between = [i for i, s in enumerate(links.segments) if isinstance(s.a, PortRun) and isinstance(s.b, PortRun)]
    same = next((row for i in between for row in _alike(links, links.rows_of(i), asn)), None)
    if same is None:
        return
    ends = [int(links.a_device[same]), int(links.b_device[same])]
    one, other = (names[end] for end in ends)
    raise fault(
        "FG049",
        f"{one} and {other} are neighbours and would both have AS number {int(asn[ends[0]])}",
        path=_stated(design, plan, names, ends),
        hint="sessions are eBGP: give one of them another number, or take the plan `rfc7938` or `per-switch`",
    )


def _alike(links: LinkTable, rows: slice, asn: Ints64) -> list[int]:
    """The rows of those links, among some, whose ends have the same AS number."""
    lower = asn[links.a_device[rows]]
    alike: list[int] = np.flatnonzero((lower == asn[links.b_device[rows]]) & (lower > 0)).tolist()
    return [rows.start + i for i in alike]


def _stated(design: Design, plan: WiringPlan, names: Sequence[str], ends: Sequence[int]) -> Path:
    """The path that the AS number of two switches comes from: a single device, a tier, or the plan."""
    own = design.loaded.blueprint.address_of
    for end in ends:
        if names[end] in own and own[names[end]].asn is not None:
            return ("address_of", names[end], "asn")
    adopted = {key.device: key for key in adopted_of(design.layout.lock.words_of(ADOPTED)) if key.what == "asn"}
    defaults = default_rows(design, plan.devices) if adopted else {}
    for key in adopted.values():
        if defaults.get(key.device) in ends:
            return (ADOPTED, key.text())
    cls = plan.devices.classes[plan.devices.device_class[ends[0]]]
    numbers, paths = asn_plan(design, design.fabric(cls.fabric))
    return (*paths["tiers"], cls.tier) if cls.tier in numbers.tiers else paths["plan"]


# The allocation of AS numbers: which switches share one, and which pool it comes from.
# `rfc7938` gives the switches of a group above the leaves one number, so that no route climbs twice, and each leaf
# its own; `per-rack` gives the leaves of a place one; `per-switch` each switch its own. Numbers stated for a tier
# come first.


def allocate_asns(design: Design, fabrics: tuple[FabricDesign, ...], blocks: BlockAllocator) -> dict[TierKey, Ints64]:
    """AS numbers of the switches by tier, int64; fabrics do not share numbers.

    Raises InputError when a pool is too small, and for numbers of tiers that do not exist.
    """
    check_asn_tiers(design)
    tiers = [(fabric, tier) for fabric in fabrics for tier in reversed(fabric.tiers)]
    plans = {fabric.name: asn_plan(design, fabric) for fabric in fabrics}
    tiers.sort(key=lambda pair: pair[1].name not in plans[pair[0].name][0].tiers)
    kept = kept_for_tiers(design, fabrics)
    found: dict[TierKey, Ints64] = {}
    for fabric, tier in tiers:
        plan, paths = plans[fabric.name]
        slots = _slots(fabric, tier, plan, blocks)
        source = _pool(plan.pool, kept, paths["pool"])
        if tier.name in plan.tiers:
            source = _of_tier(plan.tiers[tier.name], (*paths["tiers"], tier.name))
            slots = slots if source.windows[0].size > 1 else Slots(slots.name, 0 * slots.number, 1, 0 * slots.layer)
        found[tier.key] = blocks.numbers(source, slots, Need(tier.key.text))
    return found


def _pool(text: str, kept: Sequence[tuple[int, int]], path: Path) -> NumberPool:
    """The pool of AS numbers, without the numbers stated for tiers."""
    windows = left_of(text, kept)
    hint = "4200000000-4294967294 is private and large (RFC 6996)"
    if not windows:
        raise fault("FG025", f"tiers take all AS numbers {text}: none are left", path=path, hint=hint)
    return NumberPool("asns", "AS number pool", windows, path, "FG025", hint)


def _of_tier(text: str, path: Path) -> NumberPool:
    first, last = parse_asns(text)
    hint = "a number belongs to one tier of one fabric; a range needs one for each switch that may come"
    return NumberPool("asns", "AS number range of the tier", (Interval(first, last - first + 1),), path, "FG025", hint)


def _slots(fabric: FabricDesign, tier: TierDesign, plan: AsnPlan, blocks: BlockAllocator) -> Slots:
    """The slot of every switch from which its number follows; switches with one slot share a number."""
    by = sharers(tier, plan)
    if by == "switch":
        return switch_slots(fabric, tier, blocks.capacity)
    if by == "rack":
        return rack_slots(tier)
    return group_slots(fabric, tier, blocks.capacity)


def check_asn_tiers(design: Design) -> None:
    """Raise InputError (FG016) where numbers are stated for a tier that no fabric with BGP has."""
    blueprint = design.loaded.blueprint
    speakers = [fabric for fabric in design.fabrics if runs_bgp(design, fabric)]
    known = {fabric.name: {tier.name for tier in fabric.tiers} for fabric in speakers}
    plans: list[tuple[Path, AsnPlan | None, set[str]]] = [((), blueprint.routing.asn, set().union(*known.values()))]
    plans += [(("fabrics", name), blueprint.fabrics[name].routing.asn, tiers) for name, tiers in known.items()]
    for path, plan, tiers in plans:
        for name in sorted(set(plan.tiers if plan else ()) - tiers):
            raise fault(
                "FG016",
                f"there is no tier '{name}' that runs BGP here",
                path=(*path, "routing", "asn", "tiers", name),
                hint=did_you_mean(name, tiers),
            )


def shares_asn(tiers: Sequence[tuple[slice, TierDesign]], asn: Ints64) -> Flags:
    """Whether a device shares its AS number with another that it reaches through the tiers above; bool, one a device.

    Switches of one group above the leaves are no such others, since they need no routes of each other (RFC 7938,
    5.2.1). Leaves do, and so do switches of different groups.
    """
    unit = np.arange(len(asn), dtype=np.int64)
    for rows, tier in tiers:
        if not tier.lowest:
            unit[rows] = unit[rows] - (unit[rows] - rows.start) % tier.count
    numbered = asn > 0
    numbers, place = unique_inverse(asn[numbered])
    found = np.zeros(len(asn), dtype=bool)
    found[numbered] = ~all_alike(place, unit[numbered].astype(np.int32), len(numbers))[place]
    for rows, tier in tiers:
        if not tier.up and tier.peer_links is None:
            found[rows] = False
    return found
