"""Design linked fabrics: how nodes attach, their tiers, their extra devices, and every count."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from fabricgen.blueprint.dimensions import DIMENSIONS, find_leg_number, list_leg_dimensions
from fabricgen.blueprint.scalars import ALL_KINDS
from fabricgen.catalog.models import NodeProfile
from fabricgen.design.attach import attach_profile
from fabricgen.design.extras.demands import (
    ExtraDemand,
    count_ports_on_fullest_switch,
    count_ports_on_named_switch,
    list_extra_demands,
)
from fabricgen.design.extras.kept_ports import read_extra_reserves, sort_reserves_by_cage
from fabricgen.design.extras.placement import ExtraPortAllocator
from fabricgen.design.fabric_model import Attachment, ExtraSet, FabricDesign, Leg, TierDesign, TierKey
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.inside.meshes import list_grid
from fabricgen.design.joining import check_bonds, check_dimensions_meet, check_host_ports, check_spans, shares_ports
from fabricgen.design.layout import Layout
from fabricgen.design.management.load import ManagedPorts
from fabricgen.design.media.gearing import find_node_optics, find_uplink_optics
from fabricgen.design.ports import PortKind
from fabricgen.design.sizing.arithmetic import is_uneven
from fabricgen.design.sizing.kept import is_sized_as_before
from fabricgen.design.sizing.links_inside import make_links_inside
from fabricgen.design.sizing.node_ports import NodeDemand, Reserve
from fabricgen.design.sizing.sized_tier import SizedTier
from fabricgen.design.sizing.tiers import TierSizing
from fabricgen.design.slots import SlotTable
from fabricgen.design.tiers import FabricContext, TierSpec, have_common_part, is_border, list_tier_specs
from fabricgen.kernel.diagnostics import InputError, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs, sum_pairs

VRF_NAME_MAX = 11
"""Longest VRF name, beside the `Vrf_` that SONiC wants before it (sonic-vrf.yang: 15 in all)."""

Pairs = tuple[tuple[NodeSet, Attachment], ...]
"""(nodes of a unit, how they attach)"""

ROUNDS = 8
"""How many times tiers are sized, at most, to make room for extra devices."""


class ManagementNeeds(NamedTuple):
    """What the management fabric connects besides nodes: the management ports of switches and other managed devices."""

    fabric: str
    ports: Callable[[Layout], ManagedPorts]
    """Makes a counter of management ports on leaves, for the layout of the cluster or of a part of it."""
    devices: int
    """How many managed devices there are."""


def design_fabrics(
    context: FabricContext, names: Sequence[str], managing: ManagementNeeds | None
) -> list[FabricDesign]:
    """Size fabrics that are linked with each other, from the nodes up.

    Raises InputError if the blueprint cannot be wired: too few ports, speeds that do not meet, unknown names.
    """
    return _LinkedFabrics(context, names, managing).design()


class _LinkedFabrics:
    """Designs fabrics that are linked with each other: their tiers are sized together."""

    def __init__(self, context: FabricContext, names: Sequence[str], managing: ManagementNeeds | None) -> None:
        self.context, self.names, self.managing = context, names, managing
        self.fabrics = context.blueprint.fabrics
        self.specs = list_tier_specs(context, names)
        self.leaves = {name: self._find_leaves(name) for name in names}
        for name in names:
            check_spans(self.fabrics[name], name)
        check_host_ports(self.fabrics, names)
        check_bonds(self.fabrics, names)
        self._check_management_leaves()
        management_leaves = self.leaves.get(managing.fabric, ()) if managing else ()
        self._managed = {leaf: managing.ports(self.specs[leaf].layout) for leaf in management_leaves if managing}
        self.attachments = {name: self._attach_nodes(name) for name in names}
        self.sizes = {key: self._count_sizes(spec) for key, spec in self.specs.items()}
        self.coarser = {key: self._map_coarser(spec) for key, spec in self.specs.items()}
        check_dimensions_meet(self.specs, self.sizes)
        self.demands: dict[TierKey, tuple[NodeDemand, ...]] = {}
        for name in names:
            for (leaf, part), pairs in self.attachments[name].items():
                self.demands[leaf] = (*self.demands.get(leaf, ()), *self._list_node_demands(name, leaf, part, pairs))

    def _check_management_leaves(self) -> None:
        """Raise InputError (FG103) if leaves that take management ports, which are RJ45, have no RJ45 cages."""
        managing = self.managing
        for leaf in self.leaves.get(managing.fabric, ()) if managing and managing.devices else ():
            cages = self.specs[leaf].profile.cages
            if managing and not any(cage.form_factor == "RJ45" for cage in cages):
                raise fault(
                    "FG103",
                    f"management ports are RJ45, {leaf.fabric} {leaf.name} {self.specs[leaf].profile.id} has "
                    f"{cages[0].form_factor} down ports",
                    path=("fabrics", managing.fabric, "also"),
                    hint="attach switches to a fabric whose leaves have RJ45 ports, such as sn2201",
                )

    def design(self) -> list[FabricDesign]:
        """Size the tiers, anew while extra devices find too few ports, and return the fabrics with these ports."""
        extras = [
            d for name in self.names for d in list_extra_demands(self.context, name, self.specs, self.leaves[name])
        ]
        ports_wanted = sum_pairs(((demand.tier, demand.kind), demand.ports) for demand in extras)
        most_on_named_switches = count_ports_on_named_switch(extras)
        fed_tiers = {spec.upper for spec in self.specs.values() if spec.upper} | set(self.demands)
        layout = self.context.layout
        reserve = sort_reserves_by_cage(layout, read_extra_reserves(layout, self.specs), extras, self.specs, fed_tiers)
        for key, ports in ports_wanted.items():
            if key[0] not in fed_tiers:
                reserve[key] = Reserve(max(most_on_named_switches[key], reserve.get(key, Reserve()).per_switch), ports)
        crowded_tiers: set[TierKey] = set()
        frugal_tiers: set[TierKey] = set()
        for _ in range(ROUNDS):
            sized_tiers = self._make_sizing(reserve, crowded_tiers, frugal_tiers).size_tiers()
            allocator = self._make_allocator(sized_tiers)
            # three steps make room for extra devices, in this order, and each sizes anew: no more uplinks than are
            # needed, no ports for reserved units, larger tiers
            generous = {key for key, _ in ports_wanted if _has_more_uplinks(sized_tiers[key])} - frugal_tiers
            if generous and (
                any(n > allocator.count_available(*key) for key, n in ports_wanted.items() if key[0] in generous)
                or not self._do_all_extras_fit(sized_tiers, extras, ports_wanted)
            ):
                frugal_tiers |= generous
                continue
            with_reserve = {key for key, _ in ports_wanted if _keeps_reserve(sized_tiers[key])} - crowded_tiers
            if with_reserve and not self._do_all_extras_fit(sized_tiers, extras, ports_wanted):
                crowded_tiers |= with_reserve
                continue
            # leaves of accelerators do not grow for a few extra devices, which take ports that are left over
            growing = {key: ports for key, ports in ports_wanted.items() if not self._is_for_gpus(key)}
            missing = {
                key: Reserve(most_on_named_switches[key], ports)
                for key, ports in growing.items()
                if not reserve.get(key, Reserve()).total and ports > allocator.count_available(*key)
            }
            if not missing:
                allocated, tiers = self._allocate_extras(sized_tiers, extras, ports_wanted)
                ports_on_fullest = {
                    key: count_ports_on_fullest_switch(allocated, *key)
                    for key in growing
                    # extra devices raise the oversubscription above the allowed one: more uplinks are needed
                    if (tiers[key[0]].oversubscription or 0) > tiers[key[0]].allowed
                }
                reserves = {key: reserve.get(key, Reserve()) for key in ports_on_fullest}
                missing = {
                    k: Reserve(n, reserves[k].total) for k, n in ports_on_fullest.items() if n > reserves[k].per_switch
                }
            if not missing:
                break
            reserve |= missing
        allocated, tiers = self._allocate_extras(sized_tiers, extras, ports_wanted)
        return [self._make_fabric_design(name, sized_tiers, tiers, extras, allocated) for name in self.names]

    def _make_allocator(self, sized_tiers: Mapping[TierKey, SizedTier]) -> ExtraPortAllocator:
        sizes = {key: self._count_tier_sizes(sized.spec, sized_tiers) for key, sized in sized_tiers.items()}
        return ExtraPortAllocator(self.context, sized_tiers, self.demands, sizes)

    def _count_tier_sizes(self, spec: TierSpec, sized_tiers: Mapping[TierKey, SizedTier]) -> dict[str, int]:
        """Return how many values each dimension has that a tier may be grouped by: rail, plane and so on, and tiers of
        its fabric, whose values are the switches of a group.
        """
        sizes = dict(self.sizes[spec.key])
        for sized in sized_tiers.values():
            if sized.spec.fabric == spec.fabric and have_common_part(sized.spec, spec):
                sizes[sized.spec.name] = max(sizes.get(sized.spec.name, 0), sized.count)
        return sizes

    def _allocate_extras(
        self,
        sized_tiers: Mapping[TierKey, SizedTier],
        extras: Sequence[ExtraDemand],
        ports_wanted: Mapping[tuple[TierKey, PortKind], int],
    ) -> tuple[list[ExtraSet], dict[TierKey, TierDesign]]:
        """Return the extra devices with the ports that they get, and the design of each tier with these ports counted
        as used; raises InputError (FG104) if a device finds too few ports.
        """
        allocator = self._make_allocator(sized_tiers)
        allocator.keep_locked_ports(extras)
        allocated = [allocator.allocate_ports(demand, ports_wanted[demand.tier, demand.kind]) for demand in extras]
        return allocated, {
            key: self._make_tier_design(sized, sized_tiers, allocated) for key, sized in sized_tiers.items()
        }

    def _do_all_extras_fit(
        self,
        sized_tiers: Mapping[TierKey, SizedTier],
        extras: Sequence[ExtraDemand],
        ports_wanted: Mapping[tuple[TierKey, PortKind], int],
    ) -> bool:
        """Whether all extra devices find ports on the sized tiers; the ports that they would get are dropped."""
        try:
            self._allocate_extras(sized_tiers, extras, ports_wanted)
        except InputError:
            return False
        return True

    def _is_for_gpus(self, key: tuple[TierKey, PortKind]) -> bool:
        """Whether GPUs attach by this kind of port to this tier (`key`). If so, no leaves are added for extra devices
        that need ports of the kind.
        """
        demands = self.demands.get(key[0], ())
        has_gpus = any(leg.gpu is not None for d in demands[:1] for _, a in d.attachments for leg in a.legs)
        return has_gpus and demands[0].kind == key[1]

    def _make_sizing(
        self,
        reserve: Mapping[tuple[TierKey, PortKind], Reserve],
        crowded: Collection[TierKey],
        lean: Collection[TierKey],
    ) -> TierSizing:
        """Return the sizing of all tiers with the ports that `reserve` keeps for extra devices.

        Tiers in `crowded` keep no ports for reserved units, tiers in `lean` get no more uplinks than they need. A
        fabric's `spans` belong to its highest tier.
        """
        management_ports = {}
        if self.managing and self.managing.fabric in self.names:
            management_ports = {leaf: self._managed[leaf] for leaf in self.leaves[self.managing.fabric]}
        spans = {
            max(keys_of_fabric, key=list(self.specs).index): self.fabrics[name].spans
            for name in self.names
            if self.fabrics[name].spans and (keys_of_fabric := [key for key in self.specs if key.fabric == name])
        }
        shapes = self.sizes, self.coarser
        layout, demands = self.context.layout, self.demands
        optics = partial(find_uplink_optics, self.context.blueprint, self.context.catalog)
        return TierSizing(layout, self.specs, *shapes, demands, management_ports, reserve, spans, crowded, lean, optics)

    def _find_leaves(self, name: str) -> tuple[TierKey, ...]:
        """Return the tiers that nodes of a fabric attach to: its own lowest tiers, or those of the fabric that carries
        it.

        Raises InputError (FG016) if the carrier has no tiers here.
        """
        carrier = self.fabrics[name].carried_by
        if carrier is not None and (carrier not in self.names or self.fabrics[carrier].carried_by):
            carriers = [n for n in self.fabrics if n != name and not self.fabrics[n].carried_by]
            raise fault(
                "FG016",
                f"fabric {name} is carried by '{carrier}', which has no tiers here",
                path=("fabrics", name, "carried_by"),
                hint=did_you_mean(carrier, carriers),
            )
        owner = carrier or name
        return tuple(key for key, spec in self.specs.items() if key.fabric == owner and spec.takes_nodes)

    def _attach_nodes(self, name: str) -> dict[tuple[TierKey, str], Pairs]:
        """Return how nodes attach to a fabric: by (leaf, part of the cluster), a (node set, attachment) for each set
        with ports there; empty if the fabric uses its carrier's ports. Raises InputError (FG014) if no node has its NIC
        role. A fabric that states no role needs no nodes if tiers of other fabrics are linked up to its leaves.
        """
        leaves, spec, path = self.leaves[name], self.fabrics[name], ("fabrics", name)
        if shares_ports(spec):
            return {}
        role = spec.attach or name
        joins = any(lower.upper in leaves and lower.fabric != name for lower in self.specs.values())
        sets = [s for leaf in leaves for s in self.specs[leaf].layout.node_sets]
        if leaves and not any(s.attaches_to(name, role) for s in sets) and not (joins and spec.attach is None):
            roles = sorted({r for s in sets for r in s.profile.roles if name not in s.skip})
            skipped = any(role in s.profile.roles for s in sets)
            raise fault(
                "FG014",
                f"fabric {name} attaches '{role}' ports, and "
                + ("all nodes that have any skip it" if skipped else "no node has any"),
                path=(*path, "attach") if spec.attach else path,
                hint=f"take {name} off a `skip`" if skipped else f"set `attach:`; {did_you_mean(role, roles)}",
            )
        self._check_nic_modes(name, {s.profile.id for s in sets if s.attaches_to(name, role)})
        attachments = {}
        for leaf in leaves:
            tier = self.specs[leaf]
            for part, layout in tier.layout.by_part.items():
                attachments[leaf, part] = tuple(
                    (nodes, self._attach_profile(nodes.profile, role, name, tier))
                    for nodes in layout.node_sets
                    if nodes.attaches_to(name, role)
                )
        return attachments

    def _check_nic_modes(self, name: str, kinds: Collection[str]) -> None:
        """Raise InputError (FG014) if `nic` states a mode for a kind of node that does not attach to a fabric."""
        unknown = next((kind for kind in self.fabrics[name].nic if kind not in (ALL_KINDS, *kinds)), None)
        if unknown is not None:
            raise fault(
                "FG014",
                f"`nic` has a mode for {unknown}, and no node of {name} is one",
                path=("fabrics", name, "nic", unknown),
                hint=did_you_mean(unknown, kinds) or f"its nodes are {', '.join(sorted(kinds)) or 'none'}",
            )

    def _attach_profile(self, node: NodeProfile, role: str, fabric: str, leaf: TierSpec) -> Attachment:
        """Return how nodes of a profile attach to a leaf."""
        optics = find_node_optics(self.context.blueprint, self.context.catalog, fabric, leaf, node.id)
        path = ("fabrics", fabric)
        return attach_profile(
            node, role, self.fabrics[fabric], leaf.profile, path, optics=optics, breakout=leaf.find_stated_breakout
        )

    def _count_sizes(self, spec: TierSpec) -> dict[str, int]:
        """Return how many values each inner dimension (rail, rail group, plane, port) has on a tier: the highest number
        among its legs (`_list_legs`), 1 without legs.
        """
        legs = self._list_legs(spec.fabric, spec)
        return {name: max((find_leg_number(name, leg) for leg in legs), default=1) for name in list_leg_dimensions()}

    def _list_legs(self, name: str, spec: TierSpec) -> list[Leg]:
        """Return the legs (logical node ports) that count for the tier `spec` of the fabric `name`: those of nodes of
        this fabric and of others on the same leaves, if the leaves serve a part of the cluster in common with the tier.
        Those of the owner of the leaves come first.

        A fabric without nodes has the legs of the first fabric below it, none if there is none.
        """
        leaves = self.leaves[name]
        if not leaves:
            fabrics_below = [
                s.fabric for s in self.specs.values() if s.upper and s.upper.fabric == name and s.fabric != name
            ]
            return self._list_legs(fabrics_below[0], spec) if fabrics_below else []
        leaves_in_common = [leaf for leaf in leaves if have_common_part(self.specs[leaf], spec)]
        # the owner of the switches first (False sorts before True)
        sharing = sorted((n for n in self.names if self.leaves[n] == leaves), key=lambda n: n != leaves[0].fabric)
        return [leg for n in sharing for leg in self._list_legs_of_fabric(n, leaves_in_common)]

    def _list_legs_of_fabric(self, name: str, leaves: Collection[TierKey]) -> list[Leg]:
        """Return the legs of the nodes of a fabric, of every profile that attaches to one of `leaves`."""
        pairs = [
            pair
            for (leaf, _), pairs_on_leaf in self.attachments[name].items()
            if leaf in leaves
            for pair in pairs_on_leaf
        ]
        return [leg for _, attachment in pairs for leg in attachment.legs]

    def _map_coarser(self, spec: TierSpec) -> dict[str, tuple[int, ...]]:
        """Return, for each dimension that follows from a finer one, its number (from 0) for each number of the finer
        one: `{"rail_group": (0, 0, 1, 1)}`.
        """
        coarser = {}
        for dimension in DIMENSIONS:
            if dimension.follows:
                # backwards, so that of several legs with one finer number the first one counts
                legs = reversed(self._list_legs(spec.fabric, spec))
                number_by_finer = {
                    find_leg_number(dimension.follows, leg): find_leg_number(dimension.name, leg) - 1 for leg in legs
                }
                size = self.sizes[spec.key][dimension.follows]
                coarser[dimension.name] = tuple(number_by_finer.get(n + 1, 0) for n in range(size))
        return coarser

    def _list_node_demands(self, name: str, leaf: TierKey, part: str, attached: Pairs) -> list[NodeDemand]:
        """Return the node ports of a fabric on a leaf, for nodes of a part of the cluster: one demand for each kind of
        port, in the order of the node sets.
        """
        spec = self.specs[leaf]
        by_kind = group_pairs(
            ((spec.choose_node_kind(name, attachment.kind), attachment.links_per_connector > 1), (nodes, attachment))
            for nodes, attachment in attached
        )
        per, layout, sizes = spec.per, spec.layout.of_part(part), self.sizes[leaf]
        return [
            NodeDemand(name, part, kind, tuple(pairs), SlotTable(layout, per, sizes, tuple(pairs)))
            for (kind, _), pairs in by_kind.items()
        ]

    def _make_fabric_design(
        self,
        name: str,
        sized_tiers: Mapping[TierKey, SizedTier],
        tiers: Mapping[TierKey, TierDesign],
        demands: Sequence[ExtraDemand],
        allocated: Sequence[ExtraSet],
    ) -> FabricDesign:
        """Return the design of one fabric, from sized tiers and the ports that its extra devices were given."""
        spec, leaves, sizes = self.fabrics[name], self._list_attached_leaves(name), self._count_fabric_sizes(name)
        legs = self._list_legs_of_fabric(name, leaves)
        own_keys = [key for key in self.specs if key.fabric == name]
        return FabricDesign(
            name=name,
            protocol=spec.protocol,
            sizes=sizes,
            planes=spec.planes if legs else sizes["plane"],
            rails=max((leg.rail for leg in legs), default=0),
            hosts=spec.hosts or {"roce": "routed", "ethernet": "bridged", "infiniband": "none"}[spec.protocol],
            vrf=self._choose_vrf(name),
            leaves=leaves,
            node_feeds=tuple(feed for leaf in leaves for feed in sized_tiers[leaf].node_feeds.get(name, ())),
            # from the nodes up, tiers that hang below others last
            tiers=tuple(tiers[key] for key in sorted(own_keys, key=lambda key: is_border(self.specs[key].spec))),
            extras=tuple(e for d, e in zip(demands, allocated, strict=True) if d.fabric == name),
            managed_devices=self.managing.devices if self.managing and self.managing.fabric == name else 0,
            path=("fabrics", name),
            shares_ports=shares_ports(spec),
            tagged=spec.host_ports == "tagged",
            bond=spec.bond or "",
            address_per=spec.address_per,
        )

    def _list_attached_leaves(self, name: str) -> tuple[TierKey, ...]:
        """Return the leaf tiers of a fabric, or of its carrier, that its nodes attach to; all if none attaches."""
        spec = self.fabrics[name]
        # a fabric that shares ports has no attachments of its own: its nodes attach by the ports of its carrier
        attaching = spec.carried_by if spec.carried_by and shares_ports(spec) else name
        attached = {leaf for (leaf, _part), pairs in self.attachments[attaching].items() if pairs}
        return tuple(leaf for leaf in self.leaves[name] if leaf in attached) or self.leaves[name]

    def _count_fabric_sizes(self, name: str) -> dict[str, int]:
        """Return how many values each leg dimension (rail, plane and so on) has, at most, on the tiers that a fabric's
        nodes attach to, or on its own tiers if there are no nodes.
        """
        tier_keys = self.leaves[name] or [tier_key for tier_key in self.specs if tier_key.fabric == name]
        return {
            dimension: max((self.sizes[tier_key][dimension] for tier_key in tier_keys), default=1)
            for dimension in list_leg_dimensions()
        }

    def _choose_vrf(self, name: str) -> str:
        """Return the VRF of a fabric that another carries, or whose tiers hang below another's: as stated, else of its
        name. For all other fabrics, and for `vrf: default`, return "". Raises InputError (FG112) for a name that SONiC
        does not take.
        """
        spec = self.fabrics[name]
        hangs_below_another = any(tier.below is not None and not is_border(tier) for tier in spec.tiers.values())
        if not (spec.carried_by or hangs_below_another) or spec.vrf == "default":
            return ""
        if spec.vrf in ("mgmt", "global") or (spec.vrf is None and len(name) > VRF_NAME_MAX):
            raise fault(
                "FG112",
                f"'{spec.vrf or name}' cannot be the VRF of {name}: SONiC takes {VRF_NAME_MAX} characters, and 'mgmt' "
                "is the switches' own",
                path=("fabrics", name, *(("vrf",) if spec.vrf else ())),
                hint="state a shorter `vrf`",
            )
        return spec.vrf or name

    def _make_tier_design(
        self, sized: SizedTier, sized_tiers: Mapping[TierKey, SizedTier], allocated: Sequence[ExtraSet]
    ) -> TierDesign:
        """Return the design of one sized tier; its down ports in use include those of extra devices."""
        spec, placement = sized.spec, sized.placement
        uplinks_below = [d.uplink for d in sized_tiers.values() if d.uplink and d.uplink.upper == spec.key]
        return TierDesign(
            fabric=spec.fabric,
            name=spec.name,
            part=spec.part,
            profile=spec.profile,
            nos=spec.nos,
            per=spec.per,
            groups=sized.groups,
            count=sized.count,
            max_count=max([sized.count, *(uplink.links_per_group for uplink in uplinks_below)]),
            downs=tuple(
                replace(run, count=used + count_ports_on_fullest_switch(allocated, spec.key, down.kind))
                for run, used, down in zip(placement.downs, sized.used, sized.demand.downs, strict=True)
            ),
            numbered=sized.numbered,
            feeds=sized.feeds,
            reach=sized.reach,
            up=placement.up,
            links_inside=make_links_inside(self.fabrics[spec.fabric], spec, sized),
            grid=list_grid(spec, sized.count),
            uplink=sized.uplink,
            allowed=spec.allowed,
            for_extras=sized.for_extras,
            lowest=spec.takes_nodes or not uplinks_below,
            for_reserve=spec.for_reserve,
            path=spec.path,
            layout=spec.layout,
            sizes=self._count_tier_sizes(spec, sized_tiers),
            coarser=self.coarser[spec.key],
            slots=sized.slots,
            narrow=sized.narrow,
            needed_uplinks=sized.needed_uplinks,
            reserved=tuple(
                (name, reservation.ports, reservation.cages)
                for name, reservation in sorted(spec.spec.reserved_ports.items())
            ),
            uneven=is_uneven(spec),
        )


def _has_more_uplinks(sized: SizedTier) -> bool:
    """Whether a tier was given more uplinks than the fewest, to save switches above it, and not as the lock has it."""
    return bool(sized.uplink and sized.uplink.fewest[0]) and not is_sized_as_before(sized.spec, sized.uplinks)


def _keeps_reserve(sized: SizedTier) -> bool:
    """Whether a tier numbers ports for reserved units, which extra devices could have instead."""
    nodes = any(feed.by_slot for feeds in sized.node_feeds.values() for feed in feeds)
    return not sized.spec.for_reserve and (nodes or any(feed.by_slot for feed in sized.feeds))
