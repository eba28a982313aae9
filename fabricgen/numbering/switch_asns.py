"""AS numbers of switches: allocated in blocks by the plan, and checked for sessions between neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, parse_adopted_section
from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.blueprint.sections.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.intervals import Interval
from fabricgen.numbering.asn import find_asn_owner, list_tier_asns, merge_asn_plans, subtract_asns
from fabricgen.numbering.blocks.block_allocator import BlockAllocator, Slots
from fabricgen.numbering.blocks.pools import Need, NumberPool
from fabricgen.numbering.names import index_default_names
from fabricgen.numbering.slots import find_group_slots, find_rack_slots, find_switch_slots
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.wiring.arrays import Flags, Ints64, all_alike, unique_inverse
from fabricgen.wiring.tables import WiringPlan


def check_sessions(design: Design, plan: WiringPlan, names: Sequence[str], asn: Ints64) -> None:
    """Raise InputError (FG049) if two neighbours have one AS number: an iBGP session would pass no routes on.

    The error is at the line that states the number.
    """
    links = plan.links
    switch_segments = [i for i, s in enumerate(links.segments) if isinstance(s.a, PortRun) and isinstance(s.b, PortRun)]
    slices = [links.find_rows(i) for i in switch_segments]
    # the empty array serves designs without links between switches
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(rows.start, rows.stop) for rows in slices)])
    lower_asn = asn[links.a_device[rows]]
    links_of_one_asn = rows[(lower_asn == asn[links.b_device[rows]]) & (lower_asn > 0)]
    if not len(links_of_one_asn):
        return
    link = links_of_one_asn[0]
    end_devices = [int(links.a_device[link]), int(links.b_device[link])]
    lower_name, upper_name = (names[end] for end in end_devices)
    raise fault(
        "FG049",
        f"{lower_name} and {upper_name} are neighbours and would both have AS number {int(asn[end_devices[0]])}",
        path=_find_asn_source(design, plan, names, end_devices),
        hint="sessions are eBGP: give one of them another number, or take the plan `rfc7938` or `per-switch`",
    )


def _find_asn_source(design: Design, plan: WiringPlan, names: Sequence[str], switches: Sequence[int]) -> Path:
    """Return the path that the AS number of two switches comes from: an override of one of them, their tier, or the
    plan.
    """
    overrides = design.loaded.blueprint.address_of
    for switch in switches:
        if names[switch] in overrides and overrides[names[switch]].asn is not None:
            return ("address_of", names[switch], "asn")
    adopted = {
        adopted_key.device: adopted_key
        for adopted_key in parse_adopted_section(design.layout.lock.find_words(ADOPTED))
        if adopted_key.what == "asn"
    }
    defaults = index_default_names(design, plan.devices) if adopted else {}
    for adopted_key in adopted.values():
        if defaults.get(adopted_key.device) in switches:
            return (ADOPTED, adopted_key.text())
    cls = plan.devices.classes[plan.devices.device_class[switches[0]]]
    numbers, paths = merge_asn_plans(design, design.fabric(cls.fabric))
    return (*paths["tiers"], cls.tier) if cls.tier in numbers.tiers else paths["plan"]


# The allocation of AS numbers: which switches share one, and which pool it comes from.
# `rfc7938` gives the switches of a group above the leaves one number, so that no route climbs twice, and each leaf
# its own; `per-rack` gives the leaves of a place one; `per-switch` each switch its own. Numbers stated for a tier
# come first.


def allocate_asns(design: Design, fabrics: tuple[FabricDesign, ...], blocks: BlockAllocator) -> dict[TierKey, Ints64]:
    """Return the AS numbers of the switches by tier, int64; fabrics do not share numbers.

    Raises InputError if a pool is too small, and for numbers stated for tiers that do not exist.
    """
    check_asn_tiers(design)
    tiers = [(fabric, tier) for fabric in fabrics for tier in reversed(fabric.tiers)]
    plans = {fabric.name: merge_asn_plans(design, fabric) for fabric in fabrics}
    # tiers with stated numbers first (False sorts before True); the sort is stable, so that others stay from the top
    # down
    tiers.sort(key=lambda pair: pair[1].name not in plans[pair[0].name][0].tiers)
    reserved = list_tier_asns(design, fabrics)
    asns: dict[TierKey, Ints64] = {}
    for fabric, tier in tiers:
        plan, paths = plans[fabric.name]
        slots = _find_slots(fabric, tier, plan, blocks)
        pool = _make_fabric_pool(plan.pool, reserved, paths["pool"])
        if tier.name in plan.tiers:
            pool = _make_tier_pool(plan.tiers[tier.name], (*paths["tiers"], tier.name))
            # a single number is that of every switch of the tier: all have slot 0
            slots = slots if pool.windows[0].size > 1 else Slots(slots.name, 0 * slots.number, 1, 0 * slots.layer)
        asns[tier.key] = blocks.allocate_numbers(pool, slots, Need(tier.key.text))
    return asns


def _make_fabric_pool(text: str, reserved: Sequence[tuple[int, int]], path: Path) -> NumberPool:
    """Return a pool of AS numbers, a number or a range as text, without those `reserved` for tiers, each (first, last).

    Raises InputError (FG025) if none are left.
    """
    windows = subtract_asns(text, reserved)
    hint = "4200000000-4294967294 is private and large (RFC 6996)"
    if not windows:
        raise fault("FG025", f"tiers take all AS numbers {text}: none are left", path=path, hint=hint)
    return NumberPool("asns", "AS number pool", windows, path, "FG025", hint)


def _make_tier_pool(text: str, path: Path) -> NumberPool:
    """Return the number or the range of numbers that is stated for one tier, as a pool of its own."""
    first_asn, last_asn = parse_asns(text)
    hint = "a number belongs to one tier of one fabric; a range needs one for each switch that may come"
    return NumberPool(
        "asns", "AS number range of the tier", (Interval(first_asn, last_asn - first_asn + 1),), path, "FG025", hint
    )


def _find_slots(fabric: FabricDesign, tier: TierDesign, plan: AsnPlan, blocks: BlockAllocator) -> Slots:
    """Return the slot of every switch, from which its AS number follows: by switch, rack or group, as the plan says.

    Switches with the same slot share a number.
    """
    by = find_asn_owner(tier, plan)
    if by == "switch":
        return find_switch_slots(fabric, tier, blocks.remember_capacity)
    if by == "rack":
        return find_rack_slots(tier)
    return find_group_slots(fabric, tier, blocks.remember_capacity)


def check_asn_tiers(design: Design) -> None:
    """Raise InputError (FG016) for numbers stated for a tier that no fabric with BGP has."""
    blueprint = design.loaded.blueprint
    speakers = [fabric for fabric in design.fabrics if runs_bgp(design, fabric)]
    tiers_by_fabric = {fabric.name: {tier.name for tier in fabric.tiers} for fabric in speakers}
    plans: list[tuple[Path, AsnPlan | None, set[str]]] = [
        ((), blueprint.routing.asn, set().union(*tiers_by_fabric.values()))
    ]
    plans += [
        (("fabrics", name), blueprint.fabrics[name].routing.asn, tiers) for name, tiers in tiers_by_fabric.items()
    ]
    for path, plan, tiers in plans:
        for name in sorted(set(plan.tiers if plan else ()) - tiers):
            raise fault(
                "FG016",
                f"there is no tier '{name}' that runs BGP here",
                path=(*path, "routing", "asn", "tiers", name),
                hint=did_you_mean(name, tiers),
            )


def flag_shared_asns(tiers: Sequence[tuple[slice, TierDesign]], asn: Ints64) -> Flags:
    """Return whether a device shares its AS number with another that it reaches through the tiers above; bool by
    device.

    Two leaves with one number count, and so do switches of different groups. Switches of one group above the leaves do
    not: they need no routes of each other (RFC 7938, 5.2.1). `tiers` are the rows and the design of each tier.
    """
    unit = np.arange(len(asn), dtype=np.int64)
    for rows, tier in tiers:
        if not tier.lowest:  # the first row of a group stands for all of it
            unit[rows] = unit[rows] - (unit[rows] - rows.start) % tier.count
    numbered = asn > 0
    numbers, codes = unique_inverse(asn[numbered])
    shared = np.zeros(len(asn), dtype=bool)
    shared[numbered] = ~all_alike(codes, unit[numbered].astype(np.int32), len(numbers))[codes]
    for rows, tier in tiers:
        if not tier.up and not tier.links_inside:
            shared[rows] = False
    return shared
