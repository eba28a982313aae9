"""Design one fabric: its tiers in order, how nodes attach, and every count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from fabricgen.blueprint.fabric import DIMENSIONS, TIER_LEVELS, Fabric, Tier
from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design import sizing
from fabricgen.design.attach import attach
from fabricgen.design.extras import attach_extras
from fabricgen.design.layout import Layout
from fabricgen.design.model import Attachment, FabricDesign, TierDesign, Uplink
from fabricgen.design.shape import SCOPES, group_count, scope_of
from fabricgen.design.sizing import Ascent, Demand, TierSpec
from fabricgen.design.slots import SlotTable
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault

ManagedPorts = Callable[[str, int, int], int]
"""(scope of the lowest tier, groups, switches per group) -> most management ports one switch takes."""


@dataclass(frozen=True, slots=True)
class FabricContext:
    """What designing a fabric reads beside its own part of the blueprint."""

    blueprint: Blueprint
    catalog: Catalog
    layout: Layout


def design_fabric(context: FabricContext, name: str, managed: ManagedPorts, managed_switches: int) -> FabricDesign:
    """Size one fabric from the nodes up.

    Raises InputError where the blueprint cannot be wired: a radix too small, speeds that do not meet, unknown names.
    """
    spec = context.blueprint.fabrics[name]
    path: Path = ("fabrics", name)
    tiers = _tier_specs(context, name, spec, path)
    attachments = _attachments(context, name, spec, tiers[0].profile, path)
    sizes = {
        "rail": max(leg.rail for _, a in attachments for leg in a.legs),
        "plane": spec.planes,
        "port": max(leg.port for _, a in attachments for leg in a.legs),
    }
    table = SlotTable(context.layout, tiers[0].per, sizes, attachments)
    designed, per_switch = _tiers(context.layout, name, tiers, attachments, sizes, table, managed)
    extras = attach_extras(context.catalog, name, spec, designed, table, per_switch)
    return FabricDesign(
        name=name,
        protocol=spec.protocol,
        planes=spec.planes,
        rails=sizes["rail"],
        ports=sizes["port"],
        hosts=spec.hosts or {"roce": "routed", "ethernet": "bridged", "infiniband": "none"}[spec.protocol],
        attachments=attachments,
        tiers=designed,
        extras=extras,
        managed_switches=managed_switches,
        slots_per_switch=per_switch,
        path=path,
    )


def _attachments(
    context: FabricContext, name: str, spec: Fabric, switch: SwitchProfile, path: Path
) -> tuple[tuple[int, Attachment], ...]:
    """How each node set that has the role attaches; at least one must."""
    role = spec.attach or name
    having = [(i, s) for i, s in enumerate(context.layout.node_sets) if role in s.profile.roles]
    if not having:
        roles = sorted({r for s in context.layout.node_sets for r in s.profile.roles})
        raise fault(
            "FG014",
            f"fabric {name} attaches '{role}' ports, and no node has any",
            path=(*path, "attach") if spec.attach else path,
            hint=f"set `attach:`; {did_you_mean(role, roles)}",
        )
    found = tuple((i, attach(s.profile, role, spec, switch, path)) for i, s in having)
    if len({(a.speed_gbps, a.lane_gbps) for _, a in found}) > 1:
        speeds = ", ".join(f"{a.profile.id} {a.speed_gbps}G" for _, a in found)
        raise fault("FG103", f"nodes attach at unequal speeds: {speeds}", path=path, hint="state `speed:`")
    return found


def _tier_specs(context: FabricContext, name: str, spec: Fabric, path: Path) -> list[TierSpec]:
    """Tiers from the nodes up, names looked up and `per` completed."""
    ordered = _ordered(spec.tiers, path)
    found = []
    for i, tier_name in enumerate(ordered):
        tier, place = spec.tiers[tier_name], (*path, "tiers", tier_name)
        profile = context.catalog.switch(tier.switch, (*place, "switch"))
        wanted = "infiniband" if spec.protocol == "infiniband" else "ethernet"
        if profile.protocol != wanted:
            raise fault(
                "FG015",
                f"{profile.id} is a switch for {profile.protocol}, fabric {name} is {spec.protocol}",
                path=(*place, "switch"),
            )
        allowed = tier.oversubscription or (spec.oversubscription if i == 0 else None) or Fraction(1)
        nos = _nos(context, spec, tier_name, profile, place)
        found.append(TierSpec(tier_name, tier, _per(tier, ordered[:i], place), profile, nos, allowed, place))
    for lower, upper in pairwise(found):
        _check_nesting(lower, upper)
    return found


def _ordered(tiers: Mapping[str, Tier], path: Path) -> list[str]:
    """Tier names from the nodes up, whatever the order of their keys."""
    for reserved in sorted(set(tiers) & {*DIMENSIONS, "node"}):
        raise fault(
            "FG016",
            f"a tier cannot be called '{reserved}', which is a dimension or the nodes' own name",
            path=(*path, "tiers", reserved),
            hint="call it leaf, spine, core or by a name of its own",
        )
    levels: dict[str, float] = {}
    pending = dict(tiers)
    while pending:
        known = [n for n, t in pending.items() if (t.above in levels if t.above else n in TIER_LEVELS)]
        if not known:
            stuck = next(iter(pending))
            above = pending[stuck].above
            message = (
                f"tier {stuck} is above '{above}', which is no tier of this fabric"
                if above
                else f"tier '{stuck}' has no known place"
            )
            raise fault(
                "FG016",
                message,
                path=(*path, "tiers", stuck, *(("above",) if above else ())),
                hint=did_you_mean(above, tiers) if above else "say `above: TIER`, or use leaf, spine, core",
            )
        for tier_name in known:
            above = pending.pop(tier_name).above
            levels[tier_name] = levels[above] + 1 if above else TIER_LEVELS[tier_name]
    ordered = sorted(tiers, key=lambda n: (levels[n], n))
    for first, second in pairwise(ordered):
        if levels[first] == levels[second]:
            raise fault("FG016", f"tiers {first} and {second} stand at the same level", path=(*path, "tiers", second))
    return ordered


def _per(tier: Tier, lower: list[str], place: Path) -> tuple[str, ...]:
    """`per` with the places that contain a named one, in a fixed order."""
    usable = [*DIMENSIONS, *lower]
    for i, dimension in enumerate(tier.per):
        if dimension not in usable:
            raise fault(
                "FG017",
                f"'{dimension}' is nothing to group by here",
                path=(*place, "per", i),
                hint=did_you_mean(dimension, usable),
            )
    wanted = set(tier.per)
    narrowest = SCOPES.index(scope_of(tier.per))
    wanted |= set(SCOPES[1 : narrowest + 1])
    return tuple(d for d in usable if d in wanted)


def _check_nesting(lower: TierSpec, upper: TierSpec) -> None:
    below, above = scope_of(lower.per), scope_of(upper.per)
    if SCOPES.index(above) > SCOPES.index(below):
        place = {"all": "the whole fabric"}.get(below, f"a {below}")
        raise fault(
            "FG017",
            f"{upper.name} is per {above}, but its {lower.name} switches serve {place}",
            path=(*upper.path, "per"),
            hint=f"group {lower.name} per {above} as well, or {upper.name} more widely",
        )


def _nos(context: FabricContext, spec: Fabric, tier: str, profile: SwitchProfile, place: Path) -> str:
    """The NOS of a tier: as stated nearest to it, or the usual one of its switch."""
    if profile.protocol == "infiniband":
        return "opensm"
    for settings, where in ((spec.nos, place[:2]), (context.blueprint.nos, ())):
        for key in (tier, "all"):
            if key in settings:
                chosen = settings[key]
                if chosen not in profile.nos:
                    if key == "all" or where == ():
                        continue
                    raise fault(
                        "FG018",
                        f"{profile.id} does not run '{chosen}'",
                        path=(*where, "nos", tier),
                        hint=did_you_mean(chosen, profile.nos),
                    )
                return chosen
    return profile.nos[0]


def _tiers(
    layout: Layout,
    fabric: str,
    specs: list[TierSpec],
    attachments: tuple[tuple[int, Attachment], ...],
    sizes: dict[str, int],
    table: SlotTable,
    managed: ManagedPorts,
) -> tuple[tuple[TierDesign, ...], int]:
    """Size every tier from the nodes up; returns them and the node slots of a lowest switch."""
    first = attachments[0][1]
    demand = Demand(1, first.speed_gbps, first.lane_gbps, first.form_factor == "RJ45")
    designed: list[TierDesign] = []
    per_switch = 0
    for i, spec in enumerate(specs):
        up = sizing.ascent(spec, specs[i + 1] if i + 1 < len(specs) else None, demand, sizes)
        groups = group_count(layout, spec.per, sizes)
        if i == 0:
            slots = table.slots_per_group
            more = partial(managed, scope_of(spec.per), groups)
            count = sizing.smallest_count(spec, slots, demand, up, more)
            per_switch = -(-slots // count)
            needed = numbered = per_switch + more(count)
        else:
            uplink = designed[-1].uplink
            assert uplink is not None  # noqa: S101 - a tier below another has uplinks
            count = uplink.upper_count
            needed = uplink.lowers_per_group * uplink.share(0)
            numbered = uplink.numbered_lowers * uplink.share(0)
        demand = Demand(needed, demand.speed_gbps, demand.lane_gbps, demand.rj45)
        runs = sizing.fit(spec, demand, up)
        if runs is None:
            raise sizing.too_small(spec, demand, up)
        sizes[spec.name] = count
        tier = sizing.design_tier(fabric, spec, runs, groups, count, numbered)
        designed.append(_with_uplink(layout, specs, i, tier, up, sizes))
        if up is not None:
            demand = Demand(1, up.speed_gbps, up.lane_gbps)
    return tuple(designed), per_switch


def _with_uplink(
    layout: Layout, specs: list[TierSpec], i: int, tier: TierDesign, up: Ascent | None, sizes: dict[str, int]
) -> TierDesign:
    """Complete a tier with how it reaches the next one."""
    if up is None or tier.up is None:
        return tier
    upper = specs[i + 1]
    beyond = sizing.ascent(
        upper,
        specs[i + 2] if i + 2 < len(specs) else None,
        Demand(1, up.speed_gbps, up.lane_gbps),
        sizes | {upper.name: 1},
    )
    now, with_reserve = sizing.lowers_per_group(layout, tier, upper, sizes)
    count = sizing.upper_count(tier, tier.up, up, now, beyond)
    share = tier.up.count // up.groups_met
    by_slot = sizing.slots_fit(upper, up, with_reserve * -(-share // count), beyond)
    uplink = Uplink(
        upper=upper.name,
        upper_groups=up.groups_met,
        links_per_group=share,
        upper_count=count,
        lowers_per_group=now,
        numbered_lowers=with_reserve if by_slot else now,
        by_slot=by_slot,
    )
    return replace(tier, uplink=uplink)
