"""The tiers of all fabrics as written: names looked up, `per` completed, and which tier is linked up to which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fabricgen.blueprint.beside.sized import SIZED, SizedBefore, name_holder, parse_sized
from fabricgen.blueprint.dimensions import DIMENSIONS, WHOLE, list_dimension_names, list_scopes
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.fabric import SUBNET_NOS, Fabric, Tier
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.catalog.profile import Power
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.layout import Layout
from fabricgen.design.ports import PortKind
from fabricgen.design.shape import find_depth, find_scope
from fabricgen.design.slots import is_within_pod, list_fabric_parts
from fabricgen.design.tier_order import order_tiers
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault


class FabricContext(NamedTuple):
    """What the design of fabrics reads besides their own sections of the blueprint."""

    blueprint: Blueprint
    catalog: Catalog
    layout: Layout


@dataclass(frozen=True, slots=True)
class TierSpec:
    """A tier as written, with what it refers to looked up."""

    fabric: str
    name: str
    part: str
    """The part of the cluster that it serves; "" if it has no name, and if the tier serves all parts."""
    spec: Tier
    per: tuple[str, ...]
    profile: SwitchProfile
    nos: str
    allowed: Fraction
    """The highest oversubscription (downlink over uplink bandwidth) that it is to have."""
    path: Path
    layout: Layout = field(compare=False, repr=False)
    """The units that it serves."""
    upper: TierKey | None = None
    """The tier that it is linked up to; None at the top."""
    links_of: str = ""
    """The fabric that owns its uplinks: that of the tier whose specification asks for them."""
    takes_nodes: bool = False
    for_reserve: bool = False
    """Whether it is sized for every reserved slot."""
    before: SizedBefore | None = None
    """How the lock says that it was sized."""
    fewest_uplinks: bool = False
    """Whether its lock is from before locks kept sizes, when tiers always had the fewest uplinks."""
    pod_path: Path = ()
    """Where a pod states the tier for its own switches; () if none does."""
    pod_states: frozenset[str] = frozenset()
    """The keys of the tier that the pod states."""

    def path_of(self, key: str) -> Path:
        """Return where a key of the tier is stated: by the tier, or by a pod that states it for its switches."""
        return (*(self.pod_path if key in self.pod_states else self.path), key)

    @property
    def cages(self) -> Mapping[str, tuple[int, ...]]:
        """The cages kept for each purpose; for uplinks and peer links in rising order."""
        sorted_roles = ("up", "peer")
        return {
            role: tuple(sorted(cages)) if role in sorted_roles else cages for role, cages in self.spec.cages.items()
        }

    def find_stated_breakout(self, speed_gbps: int) -> int:
        """Return into how many ports of a speed, Gb/s, its cages are stated to be split; 0 if nothing is stated."""
        mode = self.spec.find_breakout(speed_gbps)
        return mode.ways if mode else 0

    def choose_purpose(self, kind: PortKind, *purposes: str) -> PortKind:
        """Return a kind of down port for the first of `purposes` that the tier keeps cages for, with "" for none."""
        return kind._replace(purpose=next((purpose for purpose in purposes if purpose in self.spec.cages), ""))

    def choose_node_kind(self, fabric: str, kind: PortKind, *, extra: str = "") -> PortKind:
        """Return the kind of down port for nodes of a fabric, or for its extra device `extra`."""
        return self.choose_purpose(kind, *((f"extra.{extra}",) if extra else ()), f"down.{fabric}")

    def choose_link_kind(self, lower: TierKey, kind: PortKind) -> PortKind:
        """Return the kind of down port for the links of a lower tier."""
        purpose_of_tier = (f"down.{lower.name}",) if lower.fabric == self.fabric else ()
        return self.choose_purpose(kind, *purpose_of_tier, f"down.{lower.fabric}")

    @property
    def free_ports(self) -> int:
        """How many down ports of each switch, of their first kind, stay free: spare and reserved ones."""
        return self.spec.spare_ports + sum(reservation.ports for reservation in self.spec.reserved_ports.values())

    @property
    def reserved_cages(self) -> tuple[int, ...]:
        """The cages that are reserved for a named purpose."""
        return tuple(cage for _, reservation in sorted(self.spec.reserved_ports.items()) for cage in reservation.cages)

    @property
    def key(self) -> TierKey:
        """The tier by fabric and name."""
        return TierKey.of(self.fabric, self.name, self.part)

    @property
    def turn(self) -> int:
        """The rank of its part in the order in which parts came to the cluster; 0 if it serves all parts."""
        cluster = self.layout.cluster
        return cluster.part_order.index(self.part) if cluster else 0


def have_common_part(a: TierSpec, b: TierSpec) -> bool:
    """Whether two tiers serve a part of the cluster in common: the same part, or one of them serves all."""
    return a.part == b.part or a.layout.cluster is None or b.layout.cluster is None


def list_tier_specs(context: FabricContext, names: Sequence[str]) -> dict[TierKey, TierSpec]:
    """Return every tier of some fabrics, lower tiers before those they are linked up to.

    Raises InputError for unknown names, for tiers without a place in the order, for a `per` that does not nest (FG017),
    and for `spread: uneven` on a tier that has nodes or no tier below (FG089).
    """
    specs: dict[TierKey, TierSpec] = {}
    for name in names:
        specs |= {spec.key: spec for spec in _list_fabric_tiers(context, name)}
    for name in names:
        _link_across(context.blueprint.fabrics[name], name, specs)
    for spec in specs.values():
        if spec.upper is not None:
            _check_nesting(spec, specs[spec.upper])
        is_bottom = all(other_spec.upper != spec.key for other_spec in specs.values())
        if spec.spec.spread == "uneven" and (spec.takes_nodes or is_bottom):
            reason = f"{'no tier is below' if is_bottom else 'nodes attach to'} {spec.fabric} {spec.name}"
            raise fault(
                "FG089",
                f"{reason}: `spread: uneven` deals the links of tiers below, not those of nodes",
                path=(*spec.path, "spread"),
                hint="say it of the tier above, such as the spine; node ports are dealt by `block` or `stripe`",
            )
    return _order_from_below(specs)


def _list_fabric_tiers(context: FabricContext, name: str) -> list[TierSpec]:
    """Return the tiers of one fabric: the chain from the nodes up, then the tiers that hang below others.

    A tier per pod or narrower is there once for each part of the cluster with nodes in the fabric, in the order in
    which parts came; a wider tier is there once, with the first part. Raises InputError as `list_tier_specs` does.
    """
    spec, path = context.blueprint.fabrics[name], ("fabrics", name)
    chain = order_tiers({n: t for n, t in spec.tiers.items() if not is_border(t)}, spec.tiers, path)
    ordered = [*chain, *sorted(n for n, t in spec.tiers.items() if is_border(t))]
    for hanging in ordered[len(chain) :]:
        if unjoined := [lower for lower in spec.tiers[hanging].above if "." not in lower]:
            message = (
                f"{hanging} hangs below {spec.tiers[hanging].below}, and is above no {unjoined[0]}: nothing joins them"
            )
            hint = "take `above` away, or `below`"
            raise fault("FG016", message, path=(*path, "tiers", hanging, "above"), hint=hint)
    sites = context.layout.has_tiers_per_site
    per = {
        n: _complete_per(spec.tiers[n], ordered[:i], (*path, "tiers", n), sites=sites) for i, n in enumerate(ordered)
    }
    joins_other_fabric = bool(chain) and any("." in upper_tier for upper_tier in spec.tiers[chain[0]].above)
    takes_nodes = bool(chain) and (not joins_other_fabric or _asks_for_nodes(context, name))
    uppers = dict(pairwise(chain))
    specs = []
    for part_number, part_name in enumerate(list_fabric_parts(context.blueprint, context.layout, name)):
        for i, tier in enumerate(ordered):
            if part_number and not is_within_pod(per[tier]):
                continue
            tier_spec = _make_tier_spec(context, name, tier, per[tier], part_name)
            if i == 0 and not joins_other_fabric:
                tier_spec = replace(
                    tier_spec, allowed=tier_spec.spec.oversubscription or spec.oversubscription or Fraction(1)
                )
            if tier in uppers:
                upper_tier = TierKey.of(name, uppers[tier], part_name if is_within_pod(per[uppers[tier]]) else "")
                tier_spec = replace(tier_spec, upper=upper_tier, links_of=name)
            specs.append(replace(tier_spec, takes_nodes=i == 0 and takes_nodes))
    return specs


def _make_tier_spec(context: FabricContext, name: str, tier_name: str, per: tuple[str, ...], part: str) -> TierSpec:
    """Return a tier of a fabric in a part of the cluster, or in all of it if `per` makes it wider than a pod."""
    spec, path = context.blueprint.fabrics[name], ("fabrics", name, "tiers", tier_name)
    layout, tier, lock = context.layout, spec.tiers[tier_name], context.layout.lock
    # a tier within pods is sized by its pod alone, which may state keys of its own; a wider one by the whole cluster
    if is_within_pod(per):
        layout = layout.of_part(part)
        pod_tier = layout.parts[0].tiers.get(f"{name}.{tier_name}")
        tier = pod_tier.lay_over(tier) if pod_tier else tier
    else:
        part, pod_tier = "", None
    # where the switch is stated: by the tier, or by a pod for its own switches
    stated = (*layout.parts[0].path, f"{name}.{tier_name}") if pod_tier and pod_tier.switch else path
    profile = context.catalog.switch(tier.switch, (*stated, "switch"))
    if find_scope(per) == "rack" or tier.stand == "rack-top":
        profile = _count_draw_in_racks(profile, layout)
    _check_protocol(profile, name, spec, stated)
    size_line = lock.find_words(SIZED).get(name_holder(TierKey.of(name, tier_name, part).text, per))
    tier_spec = TierSpec(
        fabric=name,
        name=tier_name,
        part=part,
        spec=tier,
        per=per,
        profile=profile,
        nos=_choose_nos(context, spec, tier_name, profile, path),
        allowed=tier.oversubscription or Fraction(1),
        path=path,
        layout=layout,
        for_reserve=(tier.size_for or spec.size_for) == "reserve",
        before=parse_sized(size_line) if size_line else None,
        # a fabric whose lock is from before locks kept sizes was wired with the fewest uplinks, and stays so
        fewest_uplinks=SIZED not in lock.words and name in lock.find_allocations("vlans"),
        pod_path=(*layout.parts[0].path, f"{name}.{tier_name}") if pod_tier else (),
        pod_states=frozenset(pod_tier.stated if pod_tier else ()),
    )
    _check_cages(tier_spec)
    _check_purposes(context.blueprint, spec, tier_spec)
    return tier_spec


def _count_draw_in_racks(profile: SwitchProfile, layout: Layout) -> SwitchProfile:
    """Return a switch profile without power of its own if the published power of all node racks' types includes it."""
    racks = {part.kind.node_rack.id: part.kind.node_rack for part in layout.parts}
    if not all(profile.id in rack.powers for rack in racks.values()):
        return profile
    return _drop_draw(profile, " and ".join(sorted(racks)))


@lru_cache(maxsize=64)
def _drop_draw(profile: SwitchProfile, racks: str) -> SwitchProfile:
    """Return a profile whose power is counted in that of racks; cached, so that equal profiles are one object."""
    counted = Power(counted_in=f"the published power of {racks}")
    return profile.model_copy(update={"power_w": counted})


def _asks_for_nodes(context: FabricContext, name: str) -> bool:
    """Whether nodes attach to a fabric: it states `attach`, carries another, or its name is a role of NICs of nodes."""
    fabrics = context.blueprint.fabrics
    if fabrics[name].attach or any(fabric.carried_by == name for fabric in fabrics.values()):
        return True
    return any(nodes.attaches_to(name, name) for nodes in context.layout.node_sets)


def is_border(tier: Tier) -> bool:
    """Whether a tier is a border: it hangs below another tier of its fabric and takes no nodes."""
    return tier.below is not None and "." not in tier.below


def _check_protocol(profile: SwitchProfile, name: str, spec: Fabric, path: Path) -> None:
    """Raise InputError (FG015) if a switch has another protocol than its fabric."""
    protocol = "infiniband" if spec.protocol == "infiniband" else "ethernet"
    if profile.protocol != protocol:
        raise fault(
            "FG015",
            f"{profile.id} is a switch for {profile.protocol}, fabric {name} is {spec.protocol}",
            path=(*path, "switch"),
            hint="take a switch of that protocol (`fabricgen catalog` lists them), or change `protocol`",
        )


def _check_cages(spec: TierSpec) -> None:
    """Raise InputError (FG109, FG063) if cages are kept that the switch does not have, or one for two purposes."""
    profile, tier, path = spec.profile, spec.spec, spec.path_of("cages")
    role_by_cage: dict[int, str] = {}
    for role, cages in sorted(tier.cages.items()):
        if max(cages) > profile.cage_count:
            raise fault(
                "FG109",
                f"{profile.id} has cages 1 to {profile.cage_count}, `{role}` asks for cage {max(cages)}",
                path=(*path, role),
                hint=f"keep within 1-{profile.cage_count}, or take a larger switch",
            )
        for cage in cages:
            if role_by_cage.setdefault(cage, role) != role:
                raise fault(
                    "FG109", f"cage {cage} is kept for both {role_by_cage[cage]} and {role}", path=(*path, role)
                )
    for name, reserved in sorted(tier.reserved_ports.items()):
        cages_path = (*spec.path_of("reserved_ports"), name, "cages")
        if reserved.cages and max(reserved.cages) > profile.cage_count:
            raise fault(
                "FG063",
                f"{profile.id} has cages 1 to {profile.cage_count}, cage {max(reserved.cages)} is reserved for {name}",
                path=cages_path,
                hint=f"keep within 1-{profile.cage_count}, or take a larger switch",
            )
        for cage in reserved.cages:
            if role_by_cage.setdefault(cage, name) != name:
                raise fault(
                    "FG063",
                    f"cage {cage} is reserved for {name}, and kept for {role_by_cage[cage]} as well",
                    path=cages_path,
                    hint="keep these cages apart",
                )


def _check_purposes(blueprint: Blueprint, fabric: Fabric, tier: TierSpec) -> None:
    """Raise InputError (FG137) if cages are kept for a fabric, tier or device that does not exist."""
    extras = {name for any_fabric in blueprint.fabrics.values() for name in any_fabric.extra}
    purposes = [f"down.{name}" for name in (*blueprint.fabrics, *fabric.tiers, "management")]
    purposes += [f"extra.{name}" for name in sorted(extras)]
    for role in sorted(tier.cages):
        if "." in role and role not in purposes:
            raise fault(
                "FG137",
                f"cages are kept for '{role}', which is no fabric, tier or device here",
                path=(*tier.path_of("cages"), role),
                hint=did_you_mean(role, purposes),
            )


def _complete_per(tier: Tier, lower: list[str], path: Path, *, sites: bool) -> tuple[str, ...]:
    """Return `per` in a fixed order, with the places that contain a named place (with `sites` the site), and without
    dimensions that follow from another. `lower` are the tiers below. Raises InputError (FG017) for unknown words.
    """
    usable = [*list_dimension_names(), *lower]
    for i, dimension in enumerate(tier.per):
        if dimension not in usable:
            leave_out_hint = "leave `per` out where one group is all"
            hint = (
                "switches inside nodes are those of `scale_up`, `per: node`, which a tier above `joins`"
                if dimension == "node"
                else did_you_mean(dimension, usable)
                if len(dimension) > 1
                else leave_out_hint
            )
            raise fault("FG017", f"cannot group by '{dimension}'", path=(*path, "per", i), hint=hint)
    dimensions = set(tier.per)
    narrowest = max(find_depth(find_scope(tier.per)), find_depth("site") if sites else 0)
    dimensions |= set(list_scopes()[1 : narrowest + 1])
    dimensions -= {dimension_type.name for dimension_type in DIMENSIONS if dimension_type.follows in dimensions}
    return tuple(d for d in usable if d in dimensions)


def _check_nesting(lower: TierSpec, upper: TierSpec) -> None:
    """Raise InputError (FG017) if the upper `per` has a narrower place, or has a tier and the two fabrics differ."""
    lower_scope, upper_scope = find_scope(lower.per), find_scope(upper.per)
    if find_depth(upper_scope) > find_depth(lower_scope):
        whole_or_place = {WHOLE: "the whole fabric"}.get(lower_scope, f"a {lower_scope}")
        raise fault(
            "FG017",
            f"{upper.name} is per {upper_scope}, but its {lower.name} switches serve {whole_or_place}",
            path=(*upper.path, "per"),
            hint=f"group {lower.name} per {upper_scope} as well, or {upper.name} more widely",
        )
    foreign = [d for d in upper.per if upper.fabric != lower.fabric and d not in list_dimension_names()]
    if foreign:
        raise fault(
            "FG017",
            f"{upper.fabric}.{upper.name} is grouped by '{foreign[0]}', which {lower.fabric}.{lower.name} has none of",
            path=lower.path,
            hint="join a tier that is grouped by places, rails or planes",
        )


def _link_across(fabric: Fabric, name: str, specs: dict[TierKey, TierSpec]) -> None:
    """Link the tiers of a fabric up to others as their `below` and `above: FABRIC.TIER` ask, in `specs`.

    Raises InputError if a tier is unknown (FG016), has an upper tier already (FG016), or has another protocol (FG015).
    """
    for tier_name, tier in fabric.tiers.items():
        own_key, path = TierKey(name, tier_name), ("fabrics", name, "tiers", tier_name)
        links = [(_parse_key(text, name), own_key, "above") for text in tier.above if "." in text]
        links += [(own_key, _parse_key(tier.below, name), "below")] if tier.below else []
        for lower, upper, stated_key in links:
            other_key = lower if stated_key == "above" else upper
            if not _find_by_name(specs, other_key):
                names_known = dict.fromkeys(
                    f"{key.fabric}.{key.name}" if key.fabric != name else key.name for key in specs
                )
                text_asked = getattr(tier, stated_key) if stated_key == "below" else ".".join(other_key)
                raise fault(
                    "FG016",
                    f"tier {tier_name} is {stated_key} '{text_asked}', which is no tier here",
                    path=(*path, stated_key),
                    hint=did_you_mean(
                        text_asked, [known_name for known_name in names_known if known_name != tier_name]
                    ),
                )
            for spec in _find_by_name(specs, lower):
                upper_spec = next(
                    (s for s in _find_by_name(specs, upper) if s.layout is spec.layout), _find_by_name(specs, upper)[0]
                )
                _check_joint(spec, upper_spec, (*path, stated_key))
                specs[spec.key] = replace(spec, upper=upper_spec.key, links_of=name)
                if stated_key == "above" and fabric.oversubscription and spec.spec.oversubscription is None:
                    specs[spec.key] = replace(specs[spec.key], allowed=fabric.oversubscription)


def _find_by_name(specs: Mapping[TierKey, TierSpec], key: TierKey) -> list[TierSpec]:
    """Return the tiers of a fabric and name, of all parts of the cluster."""
    return [spec for spec_key, spec in specs.items() if (spec_key.fabric, spec_key.name) == key]


def _check_joint(lower: TierSpec, upper: TierSpec, path: Path) -> None:
    """Raise InputError if a tier has another protocol than its upper tier (FG015), or two upper tiers (FG016)."""
    names = f"{lower.fabric}.{lower.name}", f"{upper.fabric}.{upper.name}"
    if lower.profile.protocol != upper.profile.protocol:
        raise fault(
            "FG015",
            f"{' and '.join(names)} cannot be cabled together: {lower.profile.protocol} and {upper.profile.protocol}",
            path=path,
            hint="link fabrics of one protocol; routers between them are extra devices",
        )
    if lower.upper is not None:
        raise fault(
            "FG016",
            f"{names[0]} is linked up to {lower.upper.fabric}.{lower.upper.name} already",
            path=path,
            hint=f"a tier has one tier above it: take this `{path[-1]}` away, or name another tier",
        )


def _parse_key(text: str, fabric: str) -> TierKey:
    return TierKey(*text.split(".")) if "." in text else TierKey(fabric, text)


def _order_from_below(specs: dict[TierKey, TierSpec]) -> dict[TierKey, TierSpec]:
    """Return tiers by key, each after the tiers that are linked up to it. If a tier is grouped by one of the tiers
    below it, this one comes before the others below it.

    Raises InputError if tiers are linked up in a circle (FG016), or if one is grouped by a tier above it (FG017).
    """
    ordered: dict[TierKey, TierSpec] = {}
    pending = dict(specs)
    while pending:
        # a tier waits while a tier that is linked up to it is pending
        waiting_keys = {spec.upper for spec in pending.values() if spec.upper}
        waiting_keys |= {
            key
            for key, spec in pending.items()
            if spec.upper
            for dimension in specs[spec.upper].per
            if any((pending_key.fabric, pending_key.name) == (spec.upper.fabric, dimension) for pending_key in pending)
            and (key.fabric, key.name) != (spec.upper.fabric, dimension)
        }
        ready_keys = [key for key in pending if key not in waiting_keys]
        if not ready_keys:
            key = next(iter(pending))
            raise _explain_circle(key, pending)
        for key in ready_keys:
            ordered[key] = pending.pop(key)
            names_above = {other_key.name for other_key in pending if other_key.fabric == key.fabric}
            names_above -= {other_key.name for other_key in ordered if other_key.fabric == key.fabric}
            if grouped_by_above := sorted(names_above & {*specs[key].per}):
                message = f"{key.name} cannot be grouped by {grouped_by_above[0]}, which is above it"
                raise fault("FG017", message, path=(*specs[key].path, "per"), hint="group it by what is below it")
    return ordered


def _explain_circle(key: TierKey, pending: Mapping[TierKey, TierSpec]) -> InputError:
    """Return the error (FG016) for tiers that lie below each other, which names them in turn."""
    chain = [key]
    while (upper := pending[chain[-1]].upper) is not None and upper not in chain:
        chain.append(upper)
    start = chain.index(upper) if upper else 0
    circle = " below ".join(f"{tier_key.fabric}.{tier_key.name}" for tier_key in (*chain[start:], chain[start]))
    return fault(
        "FG016",
        f"tiers are linked up in a circle: {circle}",
        path=pending[chain[start]].path,
        hint="take `below` or `above` off one of them",
    )


def _choose_nos(context: FabricContext, spec: Fabric, tier: str, profile: SwitchProfile, path: Path) -> str:
    """Return the NOS of a tier: as stated for the tier, else for all tiers, by its fabric, else by the cluster; else
    the usual one of its switch.

    A NOS that the switch does not run is passed over, or refused (FG018) if the fabric states it for this tier.
    """
    if profile.protocol == "infiniband":
        return SUBNET_NOS
    for settings, path_of_settings in ((spec.nos, path[:2]), (context.blueprint.nos, ())):
        for tier_or_all in (tier, "all"):
            if tier_or_all in settings:
                stated_nos = settings[tier_or_all]
                if stated_nos not in profile.nos:
                    if tier_or_all == "all" or path_of_settings == ():
                        continue
                    raise fault(
                        "FG018",
                        f"{profile.id} does not run '{stated_nos}'",
                        path=(*path_of_settings, "nos", tier),
                        hint=did_you_mean(stated_nos, context.catalog.list_usable_nos(profile) or profile.nos),
                    )
                return stated_nos
    return context.catalog.find_usual_nos(profile)
