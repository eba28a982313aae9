"""Size the tiers of linked fabrics from the nodes up: switches, ports, and how each tier is linked to the one above."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fabricgen.blueprint.sections.fabric import SpanSpec
from fabricgen.design.fabric_model import Feed, NodeFeed, TierKey, Uplink
from fabricgen.design.inside.derived import complete_mesh
from fabricgen.design.inside.meshes import check_meshes
from fabricgen.design.layout import Layout
from fabricgen.design.management.load import ManagedPorts
from fabricgen.design.media.gearing import LinkOptics
from fabricgen.design.ports import (
    PortDemand,
    PortKind,
    PortPlacement,
    SwitchDemand,
    count_needed,
    find_down_class,
    find_largest,
)
from fabricgen.design.shape import Coarser, count_groups, count_lowers, find_scope, list_group_ranks, spans_units
from fabricgen.design.sizing.arithmetic import (
    LowerTier,
    UplinkPlan,
    check_all_met,
    choose_count,
    count_uppers,
    explain_radix,
    explain_small,
    fit_ports,
    is_uneven,
    plan_uplinks,
)
from fabricgen.design.sizing.inside_ports import demand_inside_ports
from fabricgen.design.sizing.kept import KeptAbove, LaidPorts, find_kept_count, is_sized_as_before, place_upward
from fabricgen.design.sizing.kept_front import KeptFront, name_ports_beside_nodes
from fabricgen.design.sizing.node_ports import (
    DownPorts,
    NodeDemand,
    NodePorts,
    Reserve,
    SlotAssignment,
    lay_feeds,
    list_purposes,
)
from fabricgen.design.sizing.port_fit import explain_no_count
from fabricgen.design.sizing.spread import RunPorts, is_nested
from fabricgen.design.sizing.wider_uplinks import Fits, widen_uplinks
from fabricgen.design.tiers import TierSpec, have_common_part
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Intervals

MANAGEMENT = PortKind(1, 1, rj45=True)
"""The kind of port for switches' management ports, unless nodes already use RJ45 ports of the leaf."""


@dataclass(frozen=True, slots=True)
class SizedTier:
    """A tier with its switches and ports; `uplink` and the final `placement` follow when the tier above is sized."""

    spec: TierSpec
    groups: int
    count: int
    demand: SwitchDemand
    placement: PortPlacement
    feeds: tuple[Feed, ...]
    node_feeds: dict[str, tuple[NodeFeed, ...]]
    used: tuple[int, ...]
    """Ports of each run that nodes, lower tiers and management ports use on the fullest switch."""
    numbered: tuple[int, ...]
    """Ports of each run that are numbered: for the units there are, or for all reserved ones."""
    reserved: tuple[int, ...]
    """Ports of each run that all reserved units would take, numbered or not."""
    uplink_plan: UplinkPlan | None
    uplink: Uplink | None = None
    for_extras: tuple[tuple[PortKind, int], ...] = ()
    """Ports of each switch that are set aside for extra devices, by kind."""
    slots: int = 0
    """Node ports of the fullest group that a lowest tier is sized for, all kinds together."""
    narrow: bool = False
    """Whether ports beside those of nodes are numbered for the units there are, for want of room for reserved ones."""
    reach: tuple[int, ...] = ()
    """By run, how many ports the links of lower switches are spread over; all for runs beyond the end of the tuple."""
    taken: tuple[Intervals, ...] = ()
    """By run, the ports of nodes and management where the lock keeps some."""

    @property
    def needed_uplinks(self) -> int:
        """The fewest uplinks within the oversubscription; 0 at the top."""
        up = self.uplink_plan
        return count_needed(self.demand.down_gbps, up.kind.speed_gbps, self.spec.allowed) if up else 0

    def find_run_ports(self, run: int) -> RunPorts:
        """Which down ports of a run serve which purpose."""
        wide, taken = spans_units(self.spec.per), self.taken[run] if run < len(self.taken) else ()
        return RunPorts(self.placement.downs[run], run, self.feeds, self.reach, wide=wide, taken=taken)


class TierSizing:
    """Sizes the tiers of linked fabrics."""

    def __init__(
        self,
        layout: Layout,
        specs: Mapping[TierKey, TierSpec],
        sizes: Mapping[TierKey, Mapping[str, int]],
        coarser: Mapping[TierKey, Coarser],
        demands: Mapping[TierKey, tuple[NodeDemand, ...]],
        managed: Mapping[TierKey, ManagedPorts],
        reserve: Mapping[tuple[TierKey, PortKind], Reserve],
        spans: Mapping[TierKey, Mapping[str, SpanSpec]],
        crowded: Collection[TierKey],
        lean: Collection[TierKey],
        optics: Callable[[TierSpec, TierSpec], LinkOptics],
    ) -> None:
        """`crowded` are lowest tiers where extra devices need the ports that reserved units would have, `lean` those
        where they need the ports that more uplinks than the fewest would take; `sizes` and `coarser` are by tier;
        `optics` are those that the links of a tier to the one above may have.
        """
        self._optics = optics
        self._layout, self._specs, self._coarser = layout, specs, coarser
        self._sizes = {key: dict(sizes_of_tier) for key, sizes_of_tier in sizes.items()}
        self._demands, self._managed, self._reserve, self._spans = demands, managed, reserve, spans
        self._crowded, self._lean = crowded, lean
        self.sized_tiers: dict[TierKey, SizedTier] = {}

    def size_tiers(self) -> dict[TierKey, SizedTier]:
        """Size every tier, lower ones first; raises InputError where one cannot be."""
        for key, stated in self._specs.items():
            node_ports = sum(NodePorts(stated, self._demands.get(key, ())).slots) if stated.spec.mesh else 0
            spec = complete_mesh(stated, node_ports, self._sizes[key])
            check_meshes(spec)
            below = [sized for sized in self.sized_tiers.values() if sized.spec.upper == key]
            # parts of a cluster that came first keep their ports: the first of a list decides and is laid first
            below.sort(key=lambda sized: sized.spec.turn)
            sized = self._size_upper(spec, below) if below and not spec.takes_nodes else self._size_lowest(spec, below)
            self._note_count(sized)
            self.sized_tiers[key] = sized
        return self.sized_tiers

    def _note_count(self, sized: SizedTier) -> None:
        """Enter the switches of a tier's groups among the sizes of the tiers of its fabric that may be grouped by them;
        raises InputError (FG092) where a tier of all parts of the cluster is, and parts have different numbers.
        """
        spec = sized.spec
        for key, tier in self._specs.items():
            if tier.fabric != spec.fabric or not have_common_part(tier, spec):
                continue
            count = self._sizes[key].setdefault(spec.name, sized.count)
            if count != sized.count and spec.name in tier.per:
                raise fault(
                    "FG092",
                    f"{tier.name} is grouped by {spec.name}, of which groups have {count} switches in one part of the "
                    f"cluster and {sized.count} in {spec.part or 'another'}",
                    path=(*tier.path, "per"),
                    hint=f"state one `count` of {spec.name}, or group {tier.name} `per: pod`",
                )
            self._sizes[key][spec.name] = max(count, sized.count)

    def _list_extras(self, spec: TierSpec, switches: int) -> dict[PortKind, int]:
        """Further ports of each switch for extra devices, by kind, beyond those that are left over anyway."""
        return {
            kind: reserve.count_ports(switches) for (key, kind), reserve in self._reserve.items() if key == spec.key
        }

    def _count_groups(self, spec: TierSpec) -> int:
        return count_groups(spec.layout, spec.per, self._sizes[spec.key])

    def _plan_uplinks(self, spec: TierSpec, main: PortDemand | None) -> UplinkPlan | None:
        upper = self._specs[spec.upper] if spec.upper else None
        # how many switches a group has is not known yet; one switch meets one value of its own dimension
        sizes = self._sizes[upper.key] | {spec.name: 1} if upper else {}
        return plan_uplinks(spec, upper, main, sizes, self._optics(spec, upper)) if upper else None

    def _demand_inside(self, spec: TierSpec, main: PortKind | None, count: int) -> tuple[PortDemand, ...]:
        """Ports for links inside the tier on each of `count` switches of a group."""
        return demand_inside_ports(spec, self._spans.get(spec.key, {}), self._sizes[spec.key], main, count)

    def _size_lowest(self, spec: TierSpec, lowers: Sequence[SizedTier]) -> SizedTier:
        """Size a tier that nodes, and perhaps switches of `lowers`, attach to, or one of extra devices alone."""
        groups, demands = self._count_groups(spec), self._demands.get(spec.key, ())
        below = [self._make_lower(spec, sized) for sized in lowers]
        main = self._find_main_kind(spec)
        up = self._plan_uplinks(spec, DownPorts(spec).port_demand(main) if main else None)
        nodes = NodePorts(spec, demands)

        ports_for = partial(self._add_lowest_ports, spec, nodes, below)

        def demand_for(assignment: SlotAssignment, *, now: bool = False, by_slot: bool = False) -> SwitchDemand:
            more = self._list_extras(spec, groups * assignment.count)
            return ports_for(assignment, now=now, by_slot=by_slot)[0].switch_demand(
                more, self._demand_inside(spec, main, assignment.count)
            )

        if not nodes.slots and not spec.spec.count:
            raise explain_no_count(spec)
        assignment = self._assign_slots(spec, nodes, demand_for, up)
        demand = demand_for(assignment, now=not spec.for_reserve)
        if fit_ports(spec, demand, up) is None:
            raise explain_small(spec, demand, up)
        # with ports for all reserved units as well: later units then move nothing
        roomy = demand_for(assignment, now=not spec.for_reserve, by_slot=True)
        differs, crowded = roomy != demand, self._is_crowded(spec)  # numbered by reserved slot, if that fits too
        by_slot = differs and not crowded and fit_ports(spec, roomy, up) is not None
        demand = roomy if by_slot else demand
        downs, places = ports_for(assignment, now=True, by_slot=by_slot)
        slot_feeds = nodes.make_feeds(assignment, places[: len(demands)])
        feeds: tuple[Feed, ...] = ()
        if spec.key in self._managed:
            used, room = (
                self._count_managed(spec, groups * assignment.count, by_slot=flag) for flag in (False, by_slot)
            )
            feeds = (Feed(TierKey("", ""), *places[len(demands)], used, room, by_slot=by_slot),)
        places_below = places[len(places) - len(below) :]  # behind those of nodes and of management
        feeds += self._land_links(
            spec, assignment.count, lowers, below, places_below, by_slot=by_slot or spec.for_reserve
        )
        purposes = list_purposes(demands, slot_feeds, feeds)
        front = KeptFront(self._layout.lock, spec.key, spec.profile)  # its ports stay, others are laid beside
        demand, placement, laid, taken = front.place_demand(
            demand, purposes, lambda wanted: fit_ports(spec, wanted, up)
        )
        node_feeds, feeds = lay_feeds(demands, slot_feeds, feeds, [laid[purpose.name] for purpose in purposes])
        in_use, numbered = downs.sum_ports(len(placement.downs))
        kept = tuple(self._list_extras(spec, groups * assignment.count).items())
        # what the reserve would take is told even where it is not numbered
        full, _ = ports_for(replace(assignment, slots=nodes.reserved), now=False, by_slot=by_slot)
        reserved = tuple(map(max, numbered, full.sum_ports(len(placement.downs))[1]))
        sized = SizedTier(
            spec, groups, assignment.count, demand, placement, feeds, node_feeds, in_use, numbered, reserved, up
        )
        narrow = differs and not by_slot and bool(feeds)
        return replace(sized, for_extras=kept, slots=sum(nodes.slots), taken=taken, narrow=narrow)

    def _find_main_kind(self, spec: TierSpec) -> PortKind | None:
        """The kind of a lowest tier's first down ports: those of nodes, else of extra devices; None without either."""
        demands = self._demands.get(spec.key, ())
        return demands[0].kind if demands else next((kind for key, kind in self._reserve if key == spec.key), None)

    def _add_lowest_ports(
        self,
        spec: TierSpec,
        nodes: NodePorts,
        below: Sequence[LowerTier],
        assignment: SlotAssignment,
        *,
        now: bool,
        by_slot: bool = False,
    ) -> tuple[DownPorts, list[tuple[int, int]]]:
        """(down ports of a lowest tier's switch; (run, first port) of those for each kind of node, management, and each
        lower tier).
        """
        main, leaves = self._find_main_kind(spec), self._count_groups(spec) * assignment.count
        downs, counts = DownPorts(spec), nodes.count_ports(assignment, now=now)
        demands = self._demands.get(spec.key, ())
        places = [downs.add_purpose(d.kind, *count) for d, count in zip(demands, counts, strict=True)]
        if spec.key in self._managed:
            managed = [self._count_managed(spec, leaves, by_slot=flag) for flag in (False, by_slot)]
            places.append(downs.add_purpose(spec.managing_kind(main if main and main.rj45 else MANAGEMENT), *managed))
        for tier in below:
            share = tier.count_links_to_each(assignment.count)
            room = tier.count_numbered(by_slot=by_slot or spec.for_reserve)
            places.append(downs.add_purpose(tier.kind, (tier.now if now else room) * share, room * share))
        return downs, places

    def _is_crowded(self, spec: TierSpec) -> bool:
        """Whether ports beside those of nodes have no room for reserved units, or had none by the lock."""
        return spec.key in self._crowded or self._find_dealing(name_ports_beside_nodes(spec.key)) == "unit"

    def _land_links(
        self,
        spec: TierSpec,
        count: int,
        lowers: Sequence[SizedTier],
        below: Sequence[LowerTier],
        places: Sequence[tuple[int, int]],
        *,
        by_slot: bool,
    ) -> tuple[Feed, ...]:
        """Link lower tiers up to a lowest one of `count` switches a group; `places` are (run, first port) of each."""
        feeds = []
        for sized, tier, place in zip(lowers, below, places, strict=True):
            share = tier.count_links_to_each(count)
            self._connect_lower(sized, spec, count, tier.stretch_to(count) or tier, by_slot=by_slot, per_connector=0)
            links = Feed(sized.spec.key, *place, tier.now * share, tier.count_numbered(by_slot=by_slot) * share, share)
            feeds.append(links._replace(by_slot=by_slot, beside_nodes=True))
        return tuple(feeds)

    def _count_managed(self, spec: TierSpec, leaves: int, *, by_slot: bool) -> int:
        """The most management ports of one of so many leaves."""
        return self._managed[spec.key](find_scope(spec.per), leaves, spec.for_reserve, by_slot)

    def _assign_slots(
        self,
        spec: TierSpec,
        nodes: NodePorts,
        demand_for: Callable[[SlotAssignment], SwitchDemand],
        up: UplinkPlan | None,
    ) -> SlotAssignment:
        """The number of leaves in a group, and which node slots are numbered: with the reserved ones, if all of them
        fit.
        """

        def assign_counted(slots: tuple[int, ...]) -> SlotAssignment:
            count = choose_count(spec, list(slots), lambda count: demand_for(SlotAssignment(count, slots)), up)
            return SlotAssignment(count, slots)

        dealing = self._find_dealing(spec.key.text)
        assigned = assign_counted(nodes.slots)
        # without a reserve, or where the lock says that ports were dealt unit by unit: only what is there now
        if not nodes.grows or dealing == "unit" or (spec.key in self._crowded and not dealing):
            return assigned
        full = replace(assigned, slots=nodes.reserved, by_slot=True)
        # every slot keeps its number for later nodes, if the switches have the ports
        if spec.for_reserve or fit_ports(spec, demand_for(full), up):
            return full
        # it did not fit, and no lock says that slots were numbered: those in use are dealt anew
        if not dealing:
            return assigned
        in_use = replace(assigned, slots=nodes.in_use)
        return replace(
            in_use if fit_ports(spec, demand_for(in_use), up) else assign_counted(nodes.in_use), by_slot=True
        )

    def _size_upper(self, spec: TierSpec, lowers: list[SizedTier]) -> SizedTier:
        """Size a tier above others: as many switches as divide the lower uplinks equally and have enough ports."""
        present = [self._make_lower(spec, sized) for sized in lowers]
        below = [tier._replace(now=tier.slots) for tier in present] if spec.for_reserve else present
        up = self._plan_uplinks(spec, DownPorts(spec).port_demand(below[0].kind))
        demand_for = partial(self._demand_ports, spec)

        def fits(count: int, met: list[LowerTier]) -> bool:
            return fit_ports(spec, demand_for(count, met, by_slot=False), up) is not None

        # a count in the lock holds as long as what it was derived from is unchanged
        before = find_kept_count(spec) if is_sized_as_before(lowers[0].spec, _count_uplinks(lowers[0])) else 0
        chief = lowers[0].spec
        check_all_met(spec, below)
        lean = before or chief.fewest_uplinks or chief.key in self._lean or is_uneven(spec)
        wide = below if lean else widen_uplinks(spec, below, fits)  # lean: no more uplinks than are needed
        count, met = count_uppers(spec, wide, fits, kept=before)
        if not count:
            raise explain_radix(spec, below, up, partial(demand_for, by_slot=False), fits)
        full = demand_for(count, met, by_slot=True)
        # all that may come is asked for now, to see whether it would fit
        full = full._replace(downs=tuple(replace(wanted, count=wanted.needed) for wanted in full.downs))
        dealing, roomy = self._find_dealing(spec.key.text), spec.for_reserve or fit_ports(spec, full, up) is not None
        by_slot = dealing == "slot" or (roomy and not dealing)
        # the reserve no longer fits: what is in use keeps its numbers, the rest goes
        if by_slot and not roomy:
            met = [tier._replace(slots=tier.count_numbered(by_slot=False)) for tier in met]
        demand = demand_for(count, met, by_slot=by_slot)
        placement = fit_ports(spec, demand, up)
        if placement is None:
            raise explain_small(spec, demand, up)
        # sized for what may come, counted for what is there
        met = [tier._replace(now=now.now) for tier, now in zip(met, present, strict=True)]
        downs, places = self._add_ports(spec, count, met, by_slot=by_slot)
        feeds = []
        for sized, tier, (run, first) in zip(lowers, met, places, strict=True):
            links = 1 if tier.lands_unevenly(count) else -(-tier.share // count)
            in_use = tier.count_used(count, by_slot=by_slot)
            room = tier.count_ports(tier.count_numbered(by_slot=by_slot), count)
            per = placement.downs[run].per_connector
            nested = self._connect_lower(sized, spec, count, tier, by_slot=by_slot, per_connector=per)
            feeds.append(Feed(sized.spec.key, run, first, in_use, room, links, nested))
        used, numbered = downs.sum_ports(len(placement.downs))
        laid = LaidPorts(placement, tuple(feeds), self._find_reach(spec, demand, up))
        front, first = KeptAbove(self._layout.lock, spec), lowers[0].spec.turn
        if front.known or lowers[-1].spec.turn > first:  # parts that came first are laid alone, others beside them
            early = [tier for tier, sized in zip(met, lowers, strict=True) if sized.spec.turn == first]
            _, where = self._add_ports(spec, count, early, by_slot=by_slot)
            fit = fit_ports(spec, demand_for(count, early, by_slot=by_slot), up)
            some = tuple(f._replace(run=run, first=at) for f, (run, at) in zip(feeds, where, strict=False))
            alone = LaidPorts(fit, some, laid.reach) if fit else None
            laid = front.place_demand(demand, laid, alone, lambda wanted: fit_ports(spec, wanted, up))
        self._note_fewest(lowers[0], spec, below, fits)
        groups = self._count_groups(spec)
        kept = tuple(self._list_extras(spec, groups * count).items())
        sized = SizedTier(
            spec, groups, count, demand, laid.placement, laid.feeds, {}, used, numbered, numbered, up, for_extras=kept
        )
        return replace(sized, reach=(laid.reach,))

    def _add_ports(
        self, spec: TierSpec, count: int, lowers: Sequence[LowerTier], *, by_slot: bool
    ) -> tuple[DownPorts, list[tuple[int, int]]]:
        """The down ports of each of `count` upper switches, and (run, first port) of those for each lower tier."""
        downs = DownPorts(spec)
        places = []
        for tier in lowers:
            in_use, room = tier.count_used(count, by_slot=by_slot), tier.count_numbered(by_slot=by_slot)
            places.append(downs.add_purpose(tier.kind, in_use, tier.count_ports(room, count)))
        return downs, places

    def _demand_ports(self, spec: TierSpec, count: int, lowers: Sequence[LowerTier], *, by_slot: bool) -> SwitchDemand:
        """The demand on each of `count` upper switches of a group."""
        more = self._list_extras(spec, self._count_groups(spec) * count)
        downs, _ = self._add_ports(spec, count, lowers, by_slot=by_slot)
        return downs.switch_demand(more, self._demand_inside(spec, lowers[0].kind, count))

    def _note_fewest(self, sized: SizedTier, upper: TierSpec, below: list[LowerTier], fits: Fits) -> None:
        """Note what the fewest uplinks of the first lower tier would be, and the switches above them, where it has more
        than these and none is stated.
        """
        linked, up = self.sized_tiers[sized.spec.key], sized.uplink_plan
        stated = sized.spec.spec.uplinks
        if up is None or linked.uplink is None or upper.spec.count or (stated and stated.count):
            return
        fewest = -(-sized.needed_uplinks // up.groups_met)
        if fewest < linked.uplink.links_per_group:
            count, _ = count_uppers(upper, [below[0]._replace(share=fewest), *below[1:]], fits)
            uplink = linked.uplink._replace(fewest=(fewest * up.groups_met, count))
            self.sized_tiers[sized.spec.key] = replace(linked, uplink=uplink)

    def _find_reach(self, spec: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> int:
        """The most down ports of the first kind on an upper switch: links are spread over these however many lower
        switches there are.
        """
        bare = DownPorts(spec).port_demand(demand.downs[0].kind)

        def reaches_all(ports: int) -> bool:
            demanded = replace(bare, count=max(0, ports - spec.free_ports), ports=ports)
            return fit_ports(spec, demand._replace(downs=(demanded,)), up) is not None

        chosen = find_down_class(spec.profile, bare)
        return find_largest(reaches_all, spec.profile.count_split_ports(*chosen)) if chosen else 0

    def _find_dealing(self, holder: str) -> str:
        """How the lock numbers the down ports of a holder, a tier or some of its ports: by reserved `slot`, by existing
        `unit`, or "" where it does not say.
        """
        return self._layout.numbering.dealing.get(holder, "")

    def _make_lower(self, upper: TierSpec, sized: SizedTier) -> LowerTier:
        """A lower tier as one of this tier's groups sees it."""
        up = sized.uplink_plan
        assert up is not None  # noqa: S101 - it is linked up to this tier
        assert sized.placement.up is not None  # noqa: S101 - the same
        sizes, coarser = self._sizes[sized.spec.key], self._coarser[sized.spec.key]
        now, slots, in_use = count_lowers(sized.spec, sized.count, upper, sizes, coarser)
        least = in_use if self._find_dealing(upper.key.text) == "slot" else 0
        # equal, since uplinks are a multiple of the groups
        share = sized.placement.up.count // up.groups_met
        kind = upper.choose_link_kind(sized.spec.key, up.upper_kind)
        tier = LowerTier(sized.spec.name, kind, now, slots, share, least, partial(self._can_stretch, sized, up))
        ranks = partial(list_group_ranks, sized.spec, sized.count, upper, sizes, coarser)
        return tier._replace(uneven=up.uneven, ranks=ranks)

    def _can_stretch(self, sized: SizedTier, up: UplinkPlan, share: int) -> bool:
        """Whether a lower switch can have `share` links to each upper group: its uplinks are not stated and the ports
        fit.
        """
        stated = sized.spec.spec.uplinks
        return not (stated and stated.count) and self._stretch_uplinks(sized, up, share) is not None

    def _stretch_uplinks(self, sized: SizedTier, up: UplinkPlan, share: int) -> PortPlacement | None:
        """The ports of a lower switch with `share` links to each upper group; None when they do not fit."""
        return place_upward(sized.spec, sized.demand, share * up.groups_met, up.kind)[1]

    def _connect_lower(
        self, sized: SizedTier, upper: TierSpec, count: int, tier: LowerTier, *, by_slot: bool, per_connector: int
    ) -> bool:
        """Enter the uplinks of a lower tier to this one; returns whether its links are spread in the nested order.

        `per_connector` is that of the ports here; 0 where these lie beside those of nodes, in the order of the links.
        """
        up, placement = sized.uplink_plan, sized.placement
        assert up is not None  # noqa: S101 - it is linked up to this tier
        assert placement.up is not None  # noqa: S101 - the same
        if tier.share != placement.up.count // up.groups_met:
            placement = self._stretch_uplinks(sized, up, tier.share) or placement
        assert placement.up is not None  # noqa: S101 - the same
        uneven = tier.lands_unevenly(count)
        # the nested order (spread.py) is for links that are dealt in turn to switches with ports of their own
        in_turn = per_connector and not uneven and not (upper.spec.parallel and tier.share > count)
        nested = bool(in_turn) and is_nested(tier.share, count, placement.up.per_connector, per_connector)
        uplink = Uplink(
            fabric=sized.spec.links_of,
            upper=upper.key,
            upper_groups=up.groups_met,
            links_per_group=tier.share,
            upper_count=count,
            lowers_per_group=tier.now,
            by_slot=by_slot,
            nested=nested,
            uneven=uneven,
        )
        self.sized_tiers[sized.spec.key] = replace(sized, placement=placement, uplink=uplink)
        return nested


def _count_uplinks(sized: SizedTier) -> int:
    """Uplinks of each switch, before the tier above is sized."""
    return sized.placement.up.count if sized.placement.up else 0
