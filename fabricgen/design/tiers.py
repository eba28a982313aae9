"""The tiers of all fabrics as written: names looked up, `per` completed, and which tier is linked up to which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

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
from fabricgen.design.shape import depth, scope_of
from fabricgen.design.slots import parts_of, within_pod
from fabricgen.design.tier_order import tier_order
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault


@dataclass(frozen=True, slots=True)
class FabricContext:
    """What designing fabrics reads beside their own parts of the blueprint."""

    blueprint: Blueprint
    catalog: Catalog
    layout: Layout


@dataclass(frozen=True, slots=True)
class TierSpec:
    """A tier as written, with what it refers to looked up."""

    fabric: str
    name: str
    part: str
    """The part of the cluster that it serves; "" too where it serves all."""
    spec: Tier
    per: tuple[str, ...]
    profile: SwitchProfile
    nos: str
    allowed: Fraction
    path: Path
    layout: Layout = field(compare=False, repr=False)
    """The units that it serves."""
    upper: TierKey | None = None
    links_of: str = ""
    """The fabric that its links upwards belong to: that of the tier which asks for them."""
    takes_nodes: bool = False
    for_reserve: bool = False
    """Whether it is sized for every reserved slot."""
    before: SizedBefore | None = None
    """How it was sized, as the lock says."""
    fewest_uplinks: bool = False
    """Whether it was built before more uplinks were weighed, and its lock does not say how it was sized."""
    pod_path: Path = ()
    """Where a pod states what its switches have instead; () where none does."""
    pod_states: frozenset[str] = frozenset()
    """The keys that the pod states."""

    def path_of(self, key: str) -> Path:
        """Where a key of the tier is stated: by the tier, or by a pod that has its own."""
        return (*(self.pod_path if key in self.pod_states else self.path), key)

    @property
    def cages(self) -> Mapping[str, tuple[int, ...]]:
        """Cages kept for a purpose."""
        rising = ("up", "peer")
        return {role: tuple(sorted(c)) if role in rising else c for role, c in self.spec.cages.items()}

    def stated_ways(self, speed_gbps: int) -> int:
        """Into how many ports of a speed, Gb/s, its cages are stated to be split; 0 where nothing is stated."""
        mode = self.spec.find_breakout(speed_gbps)
        return mode.ways if mode else 0

    def of_purpose(self, kind: PortKind, *purposes: str) -> PortKind:
        """A kind of down port, of the first of some purposes that cages are kept for."""
        return replace(kind, purpose=next((purpose for purpose in purposes if purpose in self.spec.cages), ""))

    def kind_for(self, fabric: str, kind: PortKind, *, extra: str = "") -> PortKind:
        """The kind of down port for nodes of a fabric, or for its `extra` devices."""
        return self.of_purpose(kind, *((f"extra.{extra}",) if extra else ()), f"down.{fabric}")

    def kind_below(self, lower: TierKey, kind: PortKind) -> PortKind:
        """The kind of down port for the links of a lower tier."""
        own = (f"down.{lower.name}",) if lower.fabric == self.fabric else ()
        return self.of_purpose(kind, *own, f"down.{lower.fabric}")

    def kind_managing(self, kind: PortKind) -> PortKind:
        """The kind of down port for management ports."""
        return self.of_purpose(kind, "down.management", f"down.{self.fabric}")

    @property
    def free_ports(self) -> int:
        """Ports of the first kind of down ports that no node, switch or device gets: spare ones and reserved ones."""
        return self.spec.spare_ports + sum(kept.ports for kept in self.spec.reserved_ports.values())

    @property
    def reserved_cages(self) -> tuple[int, ...]:
        """Cages that are reserved for a named purpose."""
        return tuple(cage for _, kept in sorted(self.spec.reserved_ports.items()) for cage in kept.cages)

    @property
    def key(self) -> TierKey:
        """The tier by fabric and name."""
        return TierKey.of(self.fabric, self.name, self.part)

    @property
    def turn(self) -> int:
        """Its part's place in the order in which parts came to the cluster; 0 where it serves all."""
        cluster = self.layout.cluster
        return cluster.part_order.index(self.part) if cluster else 0


def meet(one: TierSpec, other: TierSpec) -> bool:
    """Whether two tiers have a part of the cluster in common: the same, or one of them serves all."""
    return one.part == other.part or one.layout.cluster is None or other.layout.cluster is None


def tier_specs(context: FabricContext, names: Sequence[str]) -> dict[TierKey, TierSpec]:
    """Every tier of some fabrics, lower ones before those they are linked up to.

    Raises InputError for unknown names, tiers without a place, and `per` that does not nest.
    """
    found: dict[TierKey, TierSpec] = {}
    for name in names:
        found |= {spec.key: spec for spec in _of_fabric(context, name)}
    for name in names:
        _link_across(context.blueprint.fabrics[name], name, found)
    for spec in found.values():
        if spec.upper is not None:
            _check_nesting(spec, found[spec.upper])
        bare = all(other.upper != spec.key for other in found.values())
        if spec.spec.spread == "uneven" and (spec.takes_nodes or bare):
            what = f"{'no tier is below' if bare else 'nodes attach to'} {spec.fabric} {spec.name}"
            raise fault(
                "FG089",
                f"{what}: `spread: uneven` deals the links of tiers below, not those of nodes",
                path=(*spec.path, "spread"),
                hint="say it of the tier above, such as the spine; node ports are dealt by `block` or `stripe`",
            )
    return _from_below(found)


def _of_fabric(context: FabricContext, name: str) -> list[TierSpec]:
    """Tiers of one fabric, the chain from the nodes up before those that hang below others.

    Those that are per pod or narrower are there for every part of the cluster with nodes in the fabric, part after
    part as these came; those that are wider come with the first.
    """
    spec, path = context.blueprint.fabrics[name], ("fabrics", name)
    chain = tier_order({n: t for n, t in spec.tiers.items() if not hangs(t)}, spec.tiers, path)
    ordered = [*chain, *sorted(n for n, t in spec.tiers.items() if hangs(t))]
    for hanging in ordered[len(chain) :]:
        if idle := [lower for lower in spec.tiers[hanging].above if "." not in lower]:
            message = (
                f"{hanging} hangs below {spec.tiers[hanging].below}, and is above no {idle[0]}: nothing joins them"
            )
            hint = "take `above` away, or `below`"
            raise fault("FG016", message, path=(*path, "tiers", hanging, "above"), hint=hint)
    sites = context.layout.tells_sites
    per = {n: _per(spec.tiers[n], ordered[:i], (*path, "tiers", n), sites=sites) for i, n in enumerate(ordered)}
    joined = bool(chain) and any("." in above for above in spec.tiers[chain[0]].above)
    takes_nodes = bool(chain) and (not joined or _asks_for_nodes(context, name))
    uppers = dict(pairwise(chain))
    found = []
    for turn, part in enumerate(parts_of(context.blueprint, context.layout, name)):
        for i, tier in enumerate(ordered):
            if turn and not within_pod(per[tier]):
                continue
            one = _spec(context, name, tier, per[tier], part)
            if i == 0 and not joined:
                one = replace(one, allowed=one.spec.oversubscription or spec.oversubscription or Fraction(1))
            if tier in uppers:
                above = TierKey.of(name, uppers[tier], part if within_pod(per[uppers[tier]]) else "")
                one = replace(one, upper=above, links_of=name)
            found.append(replace(one, takes_nodes=i == 0 and takes_nodes))
    return found


def _spec(context: FabricContext, name: str, tier_name: str, per: tuple[str, ...], part: str) -> TierSpec:
    """A tier of a fabric in a part of the cluster, or in all of it where the tier is wider than a pod."""
    spec, place = context.blueprint.fabrics[name], ("fabrics", name, "tiers", tier_name)
    layout, tier, lock = context.layout, spec.tiers[tier_name], context.layout.lock
    if within_pod(per):
        layout = layout.of_part(part)
        own = layout.parts[0].tiers.get(f"{name}.{tier_name}")
        tier = own.over(tier) if own else tier
    else:
        part, own = "", None
    # the line that states the switch: of the tier, or of a pod that has its own
    stated = (*layout.parts[0].path, f"{name}.{tier_name}") if own and own.switch else place
    profile = context.catalog.switch(tier.switch, (*stated, "switch"))
    if scope_of(per) == "rack" or tier.stand == "rack-top":
        profile = _within_racks(profile, layout)
    _check_protocol(profile, name, spec, stated)
    before = lock.find_words(SIZED).get(name_holder(TierKey.of(name, tier_name, part).text, per))
    one = TierSpec(
        fabric=name,
        name=tier_name,
        part=part,
        spec=tier,
        per=per,
        profile=profile,
        nos=_nos(context, spec, tier_name, profile, place),
        allowed=tier.oversubscription or Fraction(1),
        path=place,
        layout=layout,
        for_reserve=(tier.size_for or spec.size_for) == "reserve",
        before=parse_sized(before) if before else None,
        fewest_uplinks=SIZED not in lock.words and name in lock.of("vlans"),
        pod_path=(*layout.parts[0].path, f"{name}.{tier_name}") if own else (),
        pod_states=frozenset(own.stated if own else ()),
    )
    _check_cages(one)
    _check_purposes(context.blueprint, spec, one)
    return one


def _within_racks(profile: SwitchProfile, layout: Layout) -> SwitchProfile:
    """The profile of switches on top of the racks of nodes; it draws nothing of its own where all these racks have its
    draw in their published power.
    """
    racks = {part.kind.node_rack.id: part.kind.node_rack for part in layout.parts}
    if not all(profile.id in rack.powers for rack in racks.values()):
        return profile
    return _drawing_nothing(profile, " and ".join(sorted(racks)))


@lru_cache(maxsize=64)
def _drawing_nothing(profile: SwitchProfile, racks: str) -> SwitchProfile:
    """A profile whose draw is in the power of racks; one object for each, by which what its face holds is known."""
    counted = Power(counted_in=f"the published power of {racks}")
    return profile.model_copy(update={"power_w": counted})


def _asks_for_nodes(context: FabricContext, name: str) -> bool:
    """Whether nodes attach to a fabric whose lowest tier is above a tier of another: by `attach`, by its name where
    that is a NIC role of theirs, or by a fabric that it carries.
    """
    fabrics = context.blueprint.fabrics
    if fabrics[name].attach or any(fabric.carried_by == name for fabric in fabrics.values()):
        return True
    return any(nodes.attaches(name, name) for nodes in context.layout.node_sets)


def hangs(tier: Tier) -> bool:
    """Whether a tier hangs below another of its fabric and takes no nodes: a border.

    One below a tier of another fabric is the top of its own fabric instead.
    """
    return tier.below is not None and "." not in tier.below


def _check_protocol(profile: SwitchProfile, name: str, spec: Fabric, place: Path) -> None:
    wanted = "infiniband" if spec.protocol == "infiniband" else "ethernet"
    if profile.protocol != wanted:
        raise fault(
            "FG015",
            f"{profile.id} is a switch for {profile.protocol}, fabric {name} is {spec.protocol}",
            path=(*place, "switch"),
            hint="take a switch of that protocol (`fabricgen catalog` lists them), or change `protocol`",
        )


def _check_cages(spec: TierSpec) -> None:
    """Raise InputError (FG109, FG063) where cages are kept that the switch has not, or for two purposes."""
    profile, tier, place = spec.profile, spec.spec, spec.path_of("cages")
    taken: dict[int, str] = {}
    for role, cages in sorted(tier.cages.items()):
        if max(cages) > profile.cage_count:
            raise fault(
                "FG109",
                f"{profile.id} has cages 1 to {profile.cage_count}, `{role}` asks for cage {max(cages)}",
                path=(*place, role),
                hint=f"keep within 1-{profile.cage_count}, or take a larger switch",
            )
        for cage in cages:
            if taken.setdefault(cage, role) != role:
                raise fault("FG109", f"cage {cage} is kept for both {taken[cage]} and {role}", path=(*place, role))
    for name, kept in sorted(tier.reserved_ports.items()):
        own = (*spec.path_of("reserved_ports"), name, "cages")
        if kept.cages and max(kept.cages) > profile.cage_count:
            raise fault(
                "FG063",
                f"{profile.id} has cages 1 to {profile.cage_count}, cage {max(kept.cages)} is reserved for {name}",
                path=own,
                hint=f"keep within 1-{profile.cage_count}, or take a larger switch",
            )
        for cage in kept.cages:
            if taken.setdefault(cage, name) != name:
                raise fault(
                    "FG063",
                    f"cage {cage} is reserved for {name}, and kept for {taken[cage]} as well",
                    path=own,
                    hint="keep these cages apart",
                )


def _check_purposes(blueprint: Blueprint, fabric: Fabric, tier: TierSpec) -> None:
    """Raise InputError (FG137) where cages are kept for what is not there."""
    extras = {name for other in blueprint.fabrics.values() for name in other.extra}
    known = [f"down.{name}" for name in (*blueprint.fabrics, *fabric.tiers, "management")]
    known += [f"extra.{name}" for name in sorted(extras)]
    for role in sorted(tier.cages):
        if "." in role and role not in known:
            raise fault(
                "FG137",
                f"cages are kept for '{role}', which is no fabric, tier or device here",
                path=(*tier.path_of("cages"), role),
                hint=did_you_mean(role, known),
            )


def _per(tier: Tier, lower: list[str], place: Path, *, sites: bool) -> tuple[str, ...]:
    """`per` with the places that contain a named one, and without what follows from another, in a fixed order; of
    several sites each has its own tiers.
    """
    usable = [*list_dimension_names(), *lower]
    for i, dimension in enumerate(tier.per):
        if dimension not in usable:
            none = "leave `per` out where one group is all"
            hint = did_you_mean(dimension, usable) if len(dimension) > 1 else none
            raise fault("FG017", f"cannot group by '{dimension}'", path=(*place, "per", i), hint=hint)
    wanted = set(tier.per)
    narrowest = max(depth(scope_of(tier.per)), depth("site") if sites else 0)
    wanted |= set(list_scopes()[1 : narrowest + 1])
    wanted -= {one.name for one in DIMENSIONS if one.follows in wanted}
    return tuple(d for d in usable if d in wanted)


def _check_nesting(lower: TierSpec, upper: TierSpec) -> None:
    below, above = scope_of(lower.per), scope_of(upper.per)
    if depth(above) > depth(below):
        place = {WHOLE: "the whole fabric"}.get(below, f"a {below}")
        raise fault(
            "FG017",
            f"{upper.name} is per {above}, but its {lower.name} switches serve {place}",
            path=(*upper.path, "per"),
            hint=f"group {lower.name} per {above} as well, or {upper.name} more widely",
        )
    foreign = [d for d in upper.per if upper.fabric != lower.fabric and d not in list_dimension_names()]
    if foreign:
        raise fault(
            "FG017",
            f"{upper.fabric}.{upper.name} is grouped by '{foreign[0]}', which {lower.fabric}.{lower.name} has none of",
            path=lower.path,
            hint="join a tier that is grouped by places, rails or planes",
        )


def _link_across(fabric: Fabric, name: str, found: dict[TierKey, TierSpec]) -> None:
    """Enter the links that `below` and `above: FABRIC.TIER` ask for."""
    for tier_name, tier in fabric.tiers.items():
        own, place = TierKey(name, tier_name), ("fabrics", name, "tiers", tier_name)
        pairs = [(_key(above, name), own, "above") for above in tier.above if "." in above]
        pairs += [(own, _key(tier.below, name), "below")] if tier.below else []
        for lower, upper, word in pairs:
            other = lower if word == "above" else upper
            if not _named(found, other):
                known = dict.fromkeys(f"{key.fabric}.{key.name}" if key.fabric != name else key.name for key in found)
                asked = getattr(tier, word) if word == "below" else ".".join(other)
                raise fault(
                    "FG016",
                    f"tier {tier_name} is {word} '{asked}', which is no tier here",
                    path=(*place, word),
                    hint=did_you_mean(asked, [one for one in known if one != tier_name]),
                )
            for spec in _named(found, lower):
                above = next((s for s in _named(found, upper) if s.layout is spec.layout), _named(found, upper)[0])
                _check_joint(spec, above, (*place, word))
                found[spec.key] = replace(spec, upper=above.key, links_of=name)
                if word == "above" and fabric.oversubscription and spec.spec.oversubscription is None:
                    found[spec.key] = replace(found[spec.key], allowed=fabric.oversubscription)


def _named(found: Mapping[TierKey, TierSpec], key: TierKey) -> list[TierSpec]:
    """The tiers of a fabric and name, of all parts of the cluster."""
    return [spec for other, spec in found.items() if (other.fabric, other.name) == key]


def _check_joint(lower: TierSpec, upper: TierSpec, path: Path) -> None:
    """Raise InputError where a tier cannot be linked up to another: of another protocol, or linked up already."""
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


def _key(text: str, fabric: str) -> TierKey:
    return TierKey(*text.split(".")) if "." in text else TierKey(fabric, text)


def _from_below(specs: dict[TierKey, TierSpec]) -> dict[TierKey, TierSpec]:
    """The same, lower tiers first; raises InputError where tiers are linked up in a circle.

    What hangs below a tier that is grouped by switches of another comes after that other, whose number it meets.
    """
    found: dict[TierKey, TierSpec] = {}
    pending = dict(specs)
    while pending:
        waiting = {spec.upper for spec in pending.values() if spec.upper}
        waiting |= {
            key
            for key, spec in pending.items()
            if spec.upper
            for dimension in specs[spec.upper].per
            if any((other.fabric, other.name) == (spec.upper.fabric, dimension) for other in pending)
            and (key.fabric, key.name) != (spec.upper.fabric, dimension)
        }
        free = [key for key in pending if key not in waiting]
        if not free:
            key = next(iter(pending))
            raise _circle(key, pending)
        found |= {key: pending.pop(key) for key in free}
    return found


def _circle(key: TierKey, pending: Mapping[TierKey, TierSpec]) -> InputError:
    """The refusal of tiers that lie below each other, named in turn."""
    chain = [key]
    while (upper := pending[chain[-1]].upper) is not None and upper not in chain:
        chain.append(upper)
    first = chain.index(upper) if upper else 0
    circle = " below ".join(f"{k.fabric}.{k.name}" for k in (*chain[first:], chain[first]))
    return fault(
        "FG016",
        f"tiers are linked up in a circle: {circle}",
        path=pending[chain[first]].path,
        hint="take `below` or `above` off one of them",
    )


def _nos(context: FabricContext, spec: Fabric, tier: str, profile: SwitchProfile, place: Path) -> str:
    """The NOS of a tier: as stated nearest to it, or the usual one of its switch."""
    if profile.protocol == "infiniband":
        return SUBNET_NOS
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
                        hint=did_you_mean(chosen, context.catalog.list_usable_nos(profile) or profile.nos),
                    )
                return chosen
    return context.catalog.find_usual_nos(profile)
