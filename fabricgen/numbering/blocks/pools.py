"""Pools of numbers, from which addresses and AS numbers are allocated, and words that explain why a pool is too
small.
"""

import ipaddress
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import show_interval
from fabricgen.blueprint.dimensions import WHOLE
from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.shape import (
    count_places,
    count_reserved_places,
    find_scope,
    is_within_unit,
    list_inner_dimensions,
)
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Interval, Intervals
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.blocks.family import Family, filter_prefixes
from fabricgen.numbering.slot_counts import count_group_slots, group_capacity


class NumberPool(NamedTuple):
    """A pool: the kind of its numbers, its name in messages, the intervals it consists of, and its path in the
    blueprint.

    `code` and `hint` are those of the error for a pool that is too small.
    """

    kind: str
    name: str
    windows: Intervals
    path: Path
    code: str
    hint: str = ""
    wanted: int = 0
    """How many numbers all users of the pool together ask for; 0 if that is not known."""

    @property
    def text(self) -> str:
        """The intervals of the pool, as text."""
        return ", ".join(show_interval(self.kind, window) for window in self.windows)


def find_pool_prefixes(
    blueprint: Blueprint, fabric: str, name: str, family: Family
) -> tuple[tuple[str, ...], str, Path]:
    """Return the prefixes, the name in messages and the path of a pool in one family: the fabric's own pool, the
    cluster's, or the default one.

    `fabric` is "" for the cluster.
    """
    fabric_prefixes = filter_prefixes(getattr(blueprint.fabrics[fabric].pools, name), family) if fabric else ()
    if fabric_prefixes:
        return fabric_prefixes, f"{fabric}.{name}", ("fabrics", fabric, "pools", name)
    return filter_prefixes(getattr(blueprint.pools, name), family) or family.default_pools[name], name, ("pools", name)


def find_pool(blueprint: Blueprint, fabric: str, name: str, family: Family) -> NumberPool:
    """Return the pool of a name that a fabric ("" for the cluster) draws on in one family: its own, the cluster's,
    or the default one.
    """
    prefixes, shown, path = find_pool_prefixes(blueprint, fabric, name, family)
    networks = [ipaddress.ip_network(prefix) for prefix in prefixes]
    windows = tuple(Interval(int(network.network_address), network.num_addresses) for network in networks)
    return NumberPool(family.kind, f"pool {shown}", windows, path, "FG024")


# Words that explain the size of a block of addresses: it has room for the switches that may come.


class Need(NamedTuple):
    """Whom numbers are for, as messages say it.

    `what` is the subject of the sentence, and `numbers` how many a block has. `size` says why it has so many, and
    `smaller` which keys would make it smaller; "" if there is nothing to say.
    """

    what: str
    numbers: int = 0
    size: str = ""
    smaller: str = ""

    @property
    def verb(self) -> str:
        """`need` or `needs`: of all subjects only those that begin with nodes or switches are plural."""
        return "need" if self.what.startswith(("nodes ", "switches")) else "needs"


def explain_tier_need(
    design: Design, tier: TierDesign, subject: str, per_switch: int, size_text: str, slots: int
) -> Need:
    """Return what a tier needs of a pool, in numbers and in words for an error: an address or block for each switch.

    A block has `per_switch` addresses, `size_text` names it, and `slots` counts switches with the reserved ones. If
    growth reserves them, the words say which growth, and which settings would need less.
    """
    numbers = round_up_to_power_of_two(slots if per_switch > 1 else slots + 1) * per_switch
    switches = f"{slots} switch{'es' * (slots != 1)}" + (
        " after the first, which stays unused" if per_switch == 1 else ""
    )
    if slots == tier.switches:
        return Need(subject, numbers, f"{size_text} each for {switches}")
    size = f"{size_text} each for {switches}, of which there {'is' if tier.switches == 1 else 'are'} {tier.switches}"
    if design.layout.lock.held or slots != count_group_slots(design.fabric(tier.fabric), tier) * group_capacity(tier):
        return Need(subject, numbers, f"{size}; the lock keeps the others")
    growth = list(_list_growth(design, design.fabric(tier.fabric), tier))
    smaller = [
        key
        for _, key, slots_without in growth
        if key and round_up_to_power_of_two(slots_without) < round_up_to_power_of_two(slots)
    ]
    reasons = " and ".join(reason for reason, _, _ in growth)
    size = f"{size}, so that growth changes no address: {reasons}" if reasons else size
    return Need(subject, numbers, size, " or ".join(dict.fromkeys(smaller)))


def _list_growth(design: Design, fabric: FabricDesign, tier: TierDesign) -> Iterator[tuple[str, str, int]]:
    """Yield (words, setting, slots) for each way in which a tier may grow, for the message of a pool that is too small.

    The words say what numbers are reserved for, the setting what would reserve fewer ("" for none), and `slots` how
    many slots the tier would have if nothing were reserved for this growth.
    """
    layout, scope = tier.layout, find_scope(tier.per)
    slots = count_group_slots(fabric, tier) * group_capacity(tier)
    tiers_by_name = {
        t.name: t for name in list_inner_dimensions(tier.per) for t in fabric.list_tiers_beside(tier, name)
    }
    for growing in (tier, *(tiers_by_name[d] for d in list_inner_dimensions(tier.per) if d in tiers_by_name)):
        capacity = group_capacity(growing)
        if capacity > growing.count:
            # the slots if the group had room for today's switches only
            slots_without = slots // capacity * round_up_to_power_of_two(growing.count)
            links_below = design.list_links_below(growing.key)
            if not links_below or growing.max_count <= growing.count:
                yield f"{growing.name} has room for {capacity} in a group", "", slots_without
                continue
            lower, _ = max(links_below, key=lambda tier_links: tier_links[1].links_per_group)
            yield (
                (
                    f"{growing.name} can grow to {capacity} in a group, one for each "
                    f"of the {growing.max_count} uplinks of a {lower.name}"
                ),
                f"fewer `uplinks` on {lower.name}",
                slots_without,
            )
    places, in_use = count_reserved_places(layout, scope), count_places(layout, scope)
    if scope != WHOLE and places > in_use:
        by_unit = layout.unit_slots > layout.units and (scope == "su" or is_within_unit(scope))
        word = "scalable unit" if scope == "su" else scope
        yield (
            f"{places} {word}s are reserved ({in_use} in use)",
            "a lower `reserve`" * by_unit,
            slots // places * in_use,
        )
