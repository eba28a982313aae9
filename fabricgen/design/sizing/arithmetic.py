"""The arithmetic of sizing: uplinks of a switch, switches of a group, and what is said when a radix is too small.

The rule for the number of upper switches (NVIDIA's published SuperPOD tables follow it): uplinks must land as a
whole number of links on every switch of the group above, so it is the smallest divisor of the uplinks U that is at
least ceil(L x U / R), for L lower switches and R down ports of an upper one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fabricgen.design.layout import Layout
from fabricgen.design.ports import (
    Ask,
    Asks,
    Face,
    PortKind,
    down_class,
    largest,
    most_downlinks,
    place,
    up_class,
    uplink_speed,
    uplinks_needed,
)
from fabricgen.design.shape import child_numbers, inner, scope_of
from fabricgen.design.sizing.port_fit import cause, kept_text, no_port, ports_for
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, fault


@dataclass(frozen=True, slots=True)
class Ascent:
    """How a tier meets the one above: kind of the ports, and how many groups each switch meets."""

    upper: TierSpec
    kind: PortKind
    groups_met: int
    stated_count: int | None


def ascent(tier: TierSpec, upper: TierSpec | None, main: Ask | None, sizes: Mapping[str, int]) -> Ascent | None:
    """Work out the kind of a tier's uplinks and the upper groups each of its switches meets.

    `main` are the tier's chief downlinks, `sizes` those of the upper tier's fabric. Raises InputError when no speed
    suits both switches.
    """
    if upper is None:
        return None
    below = None
    if main is not None:
        chosen = down_class(tier.profile, main)
        if chosen is None:
            raise no_port(tier, main.kind)
        below = chosen[0]
    stated = tier.spec.uplinks.speed_gbps if tier.spec.uplinks else None
    above = tier.profile.cages[up_class(tier.profile, below)]
    speed = stated or uplink_speed(tier.profile, below, main.kind.speed_gbps if main else above.speed_gbps)
    for cage in sorted(upper.profile.cages, key=lambda c: -c.count * c.speed_gbps):
        lane = min(above.lane_gbps, cage.lane_gbps)
        if cage.form_factor != "RJ45" and cage.split_for(speed, lane) and above.split_for(speed, lane):
            groups = 1
            for dimension in inner(upper.per):
                if dimension not in tier.per and dimension != tier.name:
                    groups *= sizes[dimension]
            return Ascent(upper, PortKind(speed, lane), groups, upper.spec.count)
    raise fault(
        "FG103",
        f"{tier.name} {tier.profile.id} and {upper.name} {upper.profile.id} have no {speed}G port in common: "
        f"these offer {tier.profile.speeds_text} and {upper.profile.speeds_text}",
        path=(*tier.path, "uplinks") if stated else (*upper.path, "switch"),
        hint="state `uplinks:` with a speed that both offer",
    )


def _with_uplinks(tier: TierSpec, asks: Asks, up: Ascent | None) -> tuple[Asks, Face | None]:
    """(what is asked of a switch, its uplinks included, and where they are placed, None when its face has too few).

    Uplinks are as stated, or the fewest within the oversubscription that land equally. Of stated ones that the upper
    groups do not share equally the rest stays unwired. Raises InputError where there is none for each group.
    """
    if up is None:
        return asks, place(tier.profile, asks)
    groups = up.groups_met
    if tier.spec.uplinks and tier.spec.uplinks.count:
        stated = tier.spec.uplinks.count
        if stated < groups:
            raise _too_few(tier, up, stated)
        whole = asks.upward(stated // groups * groups, up.kind)
        return whole, place(tier.profile, whole)
    needed = uplinks_needed(asks.down_gbps, up.kind.speed_gbps, tier.allowed)
    landing = groups * (up.stated_count or 1)
    for count in dict.fromkeys((-(-needed // landing) * landing, -(-needed // groups) * groups, needed)):
        whole = asks.upward(count, up.kind)
        face = place(tier.profile, whole)
        if face and count < groups:
            raise _too_few(tier, up, count)
        if face:
            return whole, face
    return asks.upward(needed, up.kind), None


def _too_few(tier: TierSpec, up: Ascent, uplinks: int) -> InputError:
    """The refusal of uplinks that do not reach every group above."""
    return fault(
        "FG111",
        f"{tier.name} has {uplinks} uplink{'s' * (uplinks != 1)} for {up.groups_met} groups of {up.upper.name}",
        path=(*tier.path, "uplinks") if tier.spec.uplinks else tier.path,
        hint=f"give it {up.groups_met} or a multiple, or group {up.upper.name} by fewer dimensions",
    )


def fit(tier: TierSpec, asks: Asks, up: Ascent | None) -> Face | None:
    """Place a switch's ports; None when its face has too few."""
    return _with_uplinks(tier, asks, up)[1]


def smallest_count(tier: TierSpec, slots: list[int], asks_for: Callable[[int], Asks], up: Ascent | None) -> int:
    """Switches for a group: stated, or the fewest that share the node slots of each kind equally.

    `slots` are those of the fullest group, by kind of port; `asks_for` gives what each of so many switches must offer.
    Where these would be twice as many as are needed (67 slots divide by 67 only) it is the fewest that suffice.
    Raises InputError when none is enough.
    """
    if tier.spec.count:
        return tier.spec.count
    most = max(slots, default=1)
    if not fit(tier, asks_for(most), up):
        raise too_small(tier, asks_for(most), up)
    fewest = 1 + most - largest(lambda fewer: fit(tier, asks_for(1 + most - fewer), up) is not None, most)
    for count in range(fewest, min(most, 2 * fewest) + 1):
        if all(number % count == 0 for number in slots) and fit(tier, asks_for(count), up):
            return count
    return fewest


@dataclass(frozen=True, slots=True)
class Below:
    """A tier's lower neighbours as an upper group sees them: switches now and by slot, and the links of each."""

    name: str
    kind: PortKind
    now: int
    slots: int
    share: int
    """Links of each lower switch to one upper group."""
    least: int
    """Ranks that must have ports: to the last slot in use where the lock numbers by slot, else 0."""
    stretch: Callable[[int], bool]
    """Whether a lower switch could have so many links instead."""

    def numbered(self, *, by_slot: bool) -> int:
        """Ranks that have ports."""
        return self.slots if by_slot else max(self.now, self.least)

    def stretched(self, count: int) -> Below | None:
        """The same with links rounded up to land equally on so many switches, or None."""
        share = -(-self.share // count) * count
        if share == self.share:
            return self
        return replace(self, share=share) if self.stretch(share) else None


def upper_count(
    upper: TierSpec, below: list[Below], fits: Callable[[int, list[Below]], bool]
) -> tuple[int, list[Below]]:
    """Switches in an upper group, by the rule at the head of this file, and how its lower neighbours then meet it.

    Where several tiers lie below, the first one's uplinks decide and the others' are rounded up. Returns 0 when no
    number suffices.
    """
    stated = upper.spec.count
    if stated:
        found = [b.stretched(stated) or b for b in below]
        return (stated, found) if fits(stated, found) else (0, below)
    chief = below[0].share
    for count in range(1, chief + 1):
        if chief % count == 0:
            met = [b.stretched(count) for b in below]
            found = [b for b in met if b is not None]
            if len(found) == len(below) and fits(count, found):
                return count, found
    return 0, below


def lowers_per_group(
    layout: Layout, lower: TierSpec, count: int, upper: TierSpec, sizes: Mapping[str, int]
) -> tuple[int, int, int]:
    """Lower switches in the fullest upper group: by unit there is, with every reserved slot taken, and the slots to the
    last one that is in use."""
    each = within(lower.per, lower.name, count, upper.per, sizes)
    scopes = scope_of(lower.per), scope_of(upper.per)
    by_unit, by_slot = (child_numbers(layout, *scopes, by_slot=by_slot) for by_slot in (False, True))
    in_use = (one.numbers[-1].end for one in by_slot if one.numbers)
    now, slots = (max(one.span for one in found) for found in (by_unit, by_slot))
    return now * each, slots * each, max(in_use, default=0) * each


def within(per: tuple[str, ...], name: str, count: int, upper_per: tuple[str, ...], sizes: Mapping[str, int]) -> int:
    """Lower switches of one lower place that meet the same upper group; `sizes` are of the lower tier's fabric."""
    each = 1 if name in upper_per else count
    for dimension in inner(per):
        each *= 1 if dimension in upper_per else sizes[dimension]
    return each


def radix(tier: TierSpec, ask: Ask, beyond: Ascent | None) -> int:
    """Most downlinks of a tier's switch beside the uplinks its oversubscription calls for, and what is kept free."""
    bare = Asks((ask,), ranges=tuple(tier.cages.items()))
    up = beyond.kind if beyond else None
    return most_downlinks(tier.profile, bare, up, tier.allowed, spare_ports=tier.spec.spare_ports)


def too_small(tier: TierSpec, asks: Asks, up: Ascent | None) -> InputError:
    """The refusal of a switch whose face is too small: what is needed, what there is, what would fit."""
    for ask in asks.downs:
        if down_class(tier.profile, ask) is None:
            return no_port(tier, ask.kind)
    whole, _ = _with_uplinks(tier, asks, up)
    needs = [f"{ask.needed} downlinks of {ask.kind.speed_gbps}G" for ask in asks.downs]
    needs += [f"{ask.count} peer links of {ask.kind.speed_gbps}G" for ask in asks.peers]
    needs += [f"{whole.up.count} uplinks of {whole.up.kind.speed_gbps}G"] if whole.up else []
    code, why = cause(tier, whole)
    return fault(
        code,
        f"{tier.name} {tier.profile.id} needs {' and '.join(needs)}; it has {_offer(tier, whole, up)}{why}",
        path=(*tier.path, "count") if tier.spec.count else tier.path,
    )


def _offer(tier: TierSpec, asks: Asks, up: Ascent | None) -> str:
    """The ports of a face for what is asked of it, in words, with their speeds."""
    chosen = down_class(tier.profile, asks.downs[0]) if asks.downs else None
    if chosen is None:
        return "no down port"
    main, above = asks.downs[0], up_class(tier.profile, chosen[0])
    text = f"{ports_for(tier, *chosen, 'down')} down ports of {main.kind.speed_gbps}G"
    if asks.up is None and not asks.peers:
        return text
    if above == chosen[0] and not tier.spec.cages:
        stated = tier.spec.count or (tier.spec.uplinks and tier.spec.uplinks.count) or asks.peers
        enough = f", enough for {radix(tier, main, up)} downlinks at {float(tier.allowed):.3g}:1"
        return text.replace("down ports", "ports") + (" in all" if stated else enough)
    for ask, role in ((asks.up, "up"), *((ask, "peer") for ask in asks.peers)):
        ways = tier.profile.split_for(above, ask.kind.speed_gbps, ask.kind.lane_gbps) if ask else None
        if ask and ways:
            text += f" and {ports_for(tier, above, ways, role)} {role} ports of {ask.kind.speed_gbps}G"
    return f"{text} in the cages that `cages` keeps" if tier.spec.cages else text


def radix_fault(upper: TierSpec, below: list[Below], beyond: Ascent | None, ask: Ask) -> InputError:
    """The refusal of an upper tier whose switches have too few ports for what lies below."""
    stated = upper.spec.count
    chief = below[0]
    needed = sum(b.now * -(-b.share // (stated or chief.share)) for b in below)
    lowers = " and ".join(f"{b.now} {b.name} switches with {b.share} uplinks each" for b in below)
    lowers += " in all reserved units" if upper.for_reserve else ""
    return fault(
        "FG101",
        f"{upper.name} {upper.profile.id} needs {needed} down ports of {chief.kind.speed_gbps}G on each of "
        f"{stated or chief.share} switches, for {lowers}; it has {radix(upper, ask, beyond)}{kept_text(upper)}"
        f"{f' beside uplinks at {float(upper.allowed):.3g}:1' if beyond else ''}",
        path=(*upper.path, "count") if stated else upper.path,
    )
