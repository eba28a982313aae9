"""Extra devices of a fabric: which devices, the tier they attach to, and how many ports they need."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from fabricgen.blueprint.models import make_natural_key
from fabricgen.blueprint.sections.fabric import Extra
from fabricgen.catalog.models import NodeProfile
from fabricgen.design.attach import attach_profile
from fabricgen.design.fabric_model import Attachment, ExtraSet, TierKey
from fabricgen.design.media.gearing import find_node_optics
from fabricgen.design.ports import PortKind
from fabricgen.design.tiers import FabricContext, TierSpec
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.grouping import sum_pairs


class ExtraDemand(NamedTuple):
    """Extra devices of one name in a fabric, and the tier and kind of port that they attach to."""

    fabric: str
    name: str
    spec: Extra
    devices: tuple[str, ...]
    attachment: Attachment
    tier: TierKey
    path: Path
    kind: PortKind
    """The kind of their ports."""
    first_leg: int = 0
    """The first of the legs that they attach by: legs before it belong to another set of the same devices."""

    @property
    def legs(self) -> range:
        """The indices of the legs that each device attaches by, among the legs of the attachment."""
        return range(self.first_leg, len(self.attachment.legs))

    @property
    def ports(self) -> int:
        """How many ports all of these devices need together."""
        return len(self.devices) * len(self.legs)


def list_extra_demands(
    context: FabricContext, fabric: str, specs: Mapping[TierKey, TierSpec], leaves: Sequence[TierKey]
) -> list[ExtraDemand]:
    """Return the extra devices of a fabric, by name; they attach to the first of its `leaves` unless stated otherwise.

    If sets name the same devices, each takes the devices' next ports. Raises InputError for unknown profiles, tiers
    (FG016), roles (FG014) and sites (FG012), and if no port is left (FG014).
    """
    spec = context.blueprint.fabrics[fabric]
    leaf, demands = next(iter(leaves), None), []
    plugged = _list_locked_devices(context)
    used_legs: dict[tuple[str, str, str], int] = {}
    for name, extra in sorted(spec.extra.items(), key=lambda name_and_extra: make_natural_key(name_and_extra[0])):
        path: Path = ("fabrics", fabric, "extra", name)
        tier_key = _find_tier(extra, fabric, specs, leaf, path)
        profile = context.catalog.node(extra.device, (*path, "device"))
        nic_role = extra.attach or _choose_role(profile, spec.attach or fabric, path)
        tier = specs[tier_key]
        devices_and_roles = [(extra.device, nic_role, device) for device in extra.names]
        # legs that earlier sets with the same devices took come before
        first_leg = max((used_legs.get(device_and_role, 0) for device_and_role in devices_and_roles), default=0)
        if nic_role in profile.roles and first_leg >= len(profile.roles[nic_role].ports):
            message = f"all {first_leg} '{nic_role}' ports of {extra.names[0]} are those of its other extra sets"
            raise fault("FG014", message, path=path, hint="state `ports` of these, so that some are left")
        attachment = attach_profile(
            profile,
            nic_role,
            spec,
            tier.profile,
            path,
            ports=None if extra.ports is None else first_leg + extra.ports,
            speed=extra.speed,
            split=False,
            optics=find_node_optics(context.blueprint, context.catalog, fabric, tier, profile.id, extra.media),
            breakout=tier.find_stated_breakout,
        )
        if extra.site is not None and extra.site not in context.layout.sites:
            raise fault(
                "FG012",
                f"there is no site '{extra.site}'",
                path=(*path, "site"),
                hint=did_you_mean(extra.site, context.layout.sites),
            )
        kind = tier.choose_node_kind(fabric, attachment.kind, extra=name)
        devices = _name_devices(name, extra, plugged)
        used_legs |= dict.fromkeys(devices_and_roles, len(attachment.legs))
        demands.append(ExtraDemand(fabric, name, extra, devices, attachment, tier_key, path, kind, first_leg))
    return demands


def _list_locked_devices(context: FabricContext) -> set[str]:
    """Return the names of the extra devices that have ports in the lock, except names that the blueprint states."""
    extras = [extra for fabric in context.blueprint.fabrics.values() for extra in fabric.extra.values()]
    plugged = {holder.split()[1] for holder in context.layout.lock.find_words("extras")}
    return plugged.difference(*(extra.names for extra in extras))


def _name_devices(name: str, extra: Extra, plugged: Collection[str]) -> tuple[str, ...]:
    """Return the names of the extra devices of the set `name`: as stated, else `name-1`, `name-2` and so on, or `name`
    for a single device. If exactly one of `name` and `name-1` is in `plugged`, the devices that have ports in the lock,
    the first device keeps it.
    """
    if extra.names:
        return extra.names
    numbered_name, *other_names = (f"{name}-{i + 1}" for i in range(extra.quantity))
    has_no_number = name in plugged if (name in plugged) != (numbered_name in plugged) else not other_names
    return (name if has_no_number else numbered_name, *other_names)


def _find_tier(
    extra: Extra, fabric: str, specs: Mapping[TierKey, TierSpec], leaf: TierKey | None, path: Path
) -> TierKey:
    """Return the tier that extra devices attach to: the one that `to` names, else the lowest.

    Raises InputError (FG016) for an unknown tier.
    """
    if extra.to is None:
        lowest = leaf or next((key for key in specs if key.fabric == fabric), None)
        if lowest is not None:
            return _find_tier_by_name(specs, lowest.fabric, lowest.name, extra.site)
    owner = leaf.fabric if leaf else fabric
    tiers = list(dict.fromkeys(key.name for key in specs if key.fabric == owner))
    if extra.to in tiers:
        return _find_tier_by_name(specs, owner, extra.to, extra.site)
    raise fault(
        "FG016",
        f"there is no tier '{extra.to}' here",
        path=(*path, "to"),
        hint=did_you_mean(extra.to or "", tiers),
    )


def _find_tier_by_name(specs: Mapping[TierKey, TierSpec], fabric: str, name: str, site: str | None) -> TierKey:
    """Return the tier of a fabric and name.

    If each part of the cluster has one, it is that of the first part with a pod at `site`, or of the first part if
    `site` is None.
    """
    keys_and_specs = [
        (tier_key, spec) for tier_key, spec in specs.items() if (tier_key.fabric, tier_key.name) == (fabric, name)
    ]
    at_site = [
        tier_key
        for tier_key, spec in keys_and_specs
        if site is None or any(pod.site == site for pod in spec.layout.pods)
    ]
    return (at_site or [tier_key for tier_key, _ in keys_and_specs])[0]


def _choose_role(profile: NodeProfile, fabric_role: str, path: Path) -> str:
    """Return the NIC role by which an extra device attaches: the fabric's role, else the only one that it has.

    Raises InputError (FG014) if it has several others.
    """
    if fabric_role in profile.roles:
        return fabric_role
    if len(profile.roles) == 1:
        return next(iter(profile.roles))
    raise fault(
        "FG014",
        f"{profile.id} has no '{fabric_role}' ports",
        path=path,
        hint=f"say `attach:` with one of {', '.join(sorted(profile.roles))}",
    )


def count_ports_on_named_switch(demands: Sequence[ExtraDemand]) -> Counter[tuple[TierKey, PortKind]]:
    """Return, by tier and kind of port, the most ports that extra devices with stated `switches` need on one switch."""
    return sum_pairs(
        ((demand.tier, demand.kind), -(-demand.ports // len(set(demand.spec.switches))))
        for demand in demands
        if demand.spec.switches
    )


def count_ports_on_fullest_switch(extras: Sequence[ExtraSet], tier: TierKey, kind: PortKind) -> int:
    """Return the most ports of a kind that extra devices use on one switch, without ports of omitted slots."""
    counts = Counter(
        link.switch
        for extra in extras
        if extra.tier == tier and extra.kind == kind
        for link in extra.links
        if not link.in_hole
    )
    return max(counts.values(), default=0)
