"""Extra devices: dealt over the down ports that node slots leave free.

Spare ports come first, place by place from the first, so that growth moves nothing. Where a tier has too few of them
the ports of omitted slots are used: these move with the slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fabricgen.blueprint.fabric import Extra, Fabric
from fabricgen.blueprint.models import natural
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.design.attach import attach
from fabricgen.design.layout import Layout
from fabricgen.design.model import Attachment, ExtraLink, ExtraSet, TierDesign
from fabricgen.design.shape import scope_count, scope_of
from fabricgen.design.slots import SlotTable
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault


def attach_extras(
    catalog: Catalog,
    fabric: str,
    spec: Fabric,
    tiers: tuple[TierDesign, ...],
    table: SlotTable,
    slots_per_switch: int,
) -> tuple[ExtraSet, ...]:
    """Deal the ports of a fabric's extra devices over free down ports.

    The ports of one device land on different switches where there are enough. Raises InputError for unknown
    profiles, tiers and roles, and when a tier has no port left.
    """
    free: dict[str, Iterator[tuple[int, int]]] = {}
    found: list[ExtraSet] = []
    for name, extra in sorted(spec.extra.items(), key=lambda item: natural(item[0])):
        path: Path = ("fabrics", fabric, "extra", name)
        tier = _tier(extra, tiers, path)
        profile = catalog.node(extra.device, (*path, "device"))
        role = extra.attach or _role(profile, spec.attach or fabric, path)
        attachment = attach(profile, role, spec, tier.profile, path, ports=extra.ports, split=False)
        if (attachment.speed_gbps, attachment.lane_gbps) != (tier.down.speed_gbps, tier.down.lane_gbps):
            raise fault(
                "FG103",
                f"{profile.id} attaches at {attachment.speed_gbps}G, the down ports of {tier.name} are "
                f"{tier.down.speed_gbps}G",
                path=path,
                hint="choose another role with `attach:`, or another tier with `to:`",
            )
        if tier.name not in free:
            holes = _holes(tier, table, slots_per_switch) if tier is tiers[0] else []
            free[tier.name] = _free_ports(table.layout, tier, holes, _wanted(catalog, fabric, spec, tier, tiers))
        ports = free[tier.name]
        found.append(
            ExtraSet(
                name,
                attachment,
                extra.count,
                tier.name,
                _deal(name, extra, attachment, tier, ports, path),
                path,
            )
        )
    return tuple(found)


def _wanted(catalog: Catalog, fabric: str, spec: Fabric, tier: TierDesign, tiers: tuple[TierDesign, ...]) -> int:
    """Ports that all extra devices of a tier take."""
    total = 0
    for name, extra in spec.extra.items():
        path: Path = ("fabrics", fabric, "extra", name)
        if _tier(extra, tiers, path) is tier:
            profile = catalog.node(extra.device, (*path, "device"))
            role = profile.roles.get(extra.attach or _role(profile, spec.attach or fabric, path))
            total += extra.count * (extra.ports or (len(role.ports) if role else 0))
    return total


def _tier(extra: Extra, tiers: tuple[TierDesign, ...], path: Path) -> TierDesign:
    if extra.to is None:
        return tiers[0]
    for tier in tiers:
        if tier.name == extra.to:
            return tier
    raise fault(
        "FG016",
        f"there is no tier '{extra.to}' here",
        path=(*path, "to"),
        hint=did_you_mean(extra.to, [t.name for t in tiers]),
    )


def _role(profile: NodeProfile, usual: str, path: Path) -> str:
    if usual in profile.roles:
        return usual
    if len(profile.roles) == 1:
        return next(iter(profile.roles))
    raise fault(
        "FG014",
        f"{profile.id} has no '{usual}' ports",
        path=path,
        hint=f"say `attach:` with one of {', '.join(sorted(profile.roles))}",
    )


def _deal(
    name: str,
    extra: Extra,
    attachment: Attachment,
    tier: TierDesign,
    free: Iterator[tuple[int, int]],
    path: Path,
) -> tuple[ExtraLink, ...]:
    wanted = [(device, leg) for device in range(extra.count) for leg in range(len(attachment.legs))]
    ports = list(islice(free, len(wanted)))
    if len(ports) < len(wanted):
        raise fault(
            "FG104",
            f"{name} needs {len(wanted)} down ports of {tier.name}, {len(ports)} are free",
            path=path,
            hint=f"state a higher `count` of {tier.name}, omit a node slot (`omit`), or take a larger switch",
        )
    return tuple(
        ExtraLink(f"{name}-{device + 1}" if extra.count > 1 else name, leg, switch, slot)
        for (device, leg), (switch, slot) in zip(wanted, ports, strict=True)
    )


def _free_ports(
    layout: Layout, tier: TierDesign, holes: list[tuple[int, int]], wanted: int
) -> Iterator[tuple[int, int]]:
    """Free (switch, down port) in the order they are used; the switches of a place take turns."""
    if wanted > tier.spare_ports * tier.switches:
        yield from _in_turns(holes)
    each = tier.switches // scope_count(layout, scope_of(tier.per))
    for first in range(0, tier.switches, each):
        for spare in range(tier.spare_ports):
            for switch in range(first, first + each):
                yield switch, tier.numbered_ports + spare


def _in_turns(holes: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ports of omitted slots, one of each switch before the second of any."""
    turns: dict[int, int] = {}
    found: list[tuple[int, int, int]] = []
    for switch, port in holes:
        found.append((turns.get(switch, 0), switch, port))
        turns[switch] = turns.get(switch, 0) + 1
    yield from ((switch, port) for _, switch, port in sorted(found))


def _holes(tier: TierDesign, table: SlotTable, slots_per_switch: int) -> list[tuple[int, int]]:
    """(switch, down port) of every omitted slot of a lowest tier."""
    return [(group * tier.count + slot // slots_per_switch, slot % slots_per_switch) for group, slot in table.holes()]
