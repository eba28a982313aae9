"""Size the tiers of linked fabrics from the nodes up: switches, ports, and how each is linked to the tier above."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from fabricgen.blueprint.sections.fabric import SpanSpec
from fabricgen.design.fabric_model import Feed, TierKey, Uplink
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
    find_down_class,
    find_largest,
)
from fabricgen.design.shape import Coarser, count_groups, count_lowers, find_scope, list_group_ranks
from fabricgen.design.sizing.arithmetic import (
    LowerTier,
    UplinkPlan,
    check_uplinks_reach_all,
    choose_count,
    count_uppers,
    explain_radix,
    explain_small,
    fit_ports,
    is_uneven,
    plan_uplinks,
)
from fabricgen.design.sizing.kept import KeptAbove, LaidPorts, find_kept_count, is_sized_as_before, place_upward
from fabricgen.design.sizing.kept_front import KeptFront, name_ports_beside_nodes
from fabricgen.design.sizing.links_inside import demand_inside_ports
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
from fabricgen.design.sizing.sized_tier import SizedTier
from fabricgen.design.sizing.spread import is_nested
from fabricgen.design.sizing.wider_uplinks import Fits, widen_uplinks
from fabricgen.design.tiers import TierSpec, have_common_part
from fabricgen.kernel.diagnostics import fault

MANAGEMENT = PortKind(1, 1, rj45=True)
"""The kind of port for switches' management ports, unless nodes already use RJ45 ports of the leaf."""


class TierSizing:
    """Sizes the tiers of linked fabrics, lower tiers first."""

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
        """By tier: `sizes` is how many values each leg dimension has, `managed` counts management ports, `reserve` has
        the ports to keep for extra devices. `crowded` are lowest tiers where these need the ports that reserved units
        would have; `lean` are tiers where they need the ports that more uplinks than the fewest would take.
        `optics(tier, upper)` are the optics that links of a tier to the tier above may have.
        """
        self._optics = optics
        self._layout, self._specs, self._coarser = layout, specs, coarser
        self._sizes = {key: dict(sizes_of_tier) for key, sizes_of_tier in sizes.items()}
        self._demands, self._managed, self._reserve, self._spans = demands, managed, reserve, spans
        self._crowded, self._lean = crowded, lean
        self.sized_tiers: dict[TierKey, SizedTier] = {}

    def size_tiers(self) -> dict[TierKey, SizedTier]:
        """Size every tier, lower ones first, and return them by key; raises InputError if a tier cannot be sized."""
        for key, stated in self._specs.items():
            node_ports = sum(NodePorts(stated, self._demands.get(key, ())).slots) if stated.spec.mesh else 0
            spec = complete_mesh(stated, node_ports, self._sizes[key])
            check_meshes(spec)
            below = [sized for sized in self.sized_tiers.values() if sized.spec.upper == key]
            # parts of the cluster that came first keep their ports: the first lower tier decides and gets ports first
            below.sort(key=lambda sized: sized.spec.turn)
            sized = self._size_upper(spec, below) if below and not spec.takes_nodes else self._size_lowest(spec, below)
            self._note_count(sized)
            self.sized_tiers[key] = sized
        return self.sized_tiers

    def _note_count(self, sized: SizedTier) -> None:
        """Record how many switches a group of a tier has, for tiers of its fabric that may be grouped by them; raises
        InputError (FG092) if a tier of the whole cluster is, and parts of the cluster have different numbers.
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
        """Return how many ports each switch sets aside for extra devices, by kind, beyond ports that are left over
        anyway.
        """
        return {
            kind: reserve.count_ports(switches) for (key, kind), reserve in self._reserve.items() if key == spec.key
        }

    def _count_groups(self, spec: TierSpec) -> int:
        return count_groups(spec.layout, spec.per, self._sizes[spec.key])

    def _plan_uplinks(self, spec: TierSpec, main: PortDemand | None) -> UplinkPlan | None:
        upper = self._specs[spec.upper] if spec.upper else None
        # how many switches a group of this tier has is not known yet; each meets one value of its own dimension
        sizes = self._sizes[upper.key] | {spec.name: 1} if upper else {}
        return plan_uplinks(spec, upper, main, sizes, self._optics(spec, upper)) if upper else None

    def _demand_inside(self, spec: TierSpec, main: PortKind | None, count: int) -> tuple[PortDemand, ...]:
        """Return the ports for links inside the tier that each of `count` switches of a group needs."""
        return demand_inside_ports(spec, self._spans.get(spec.key, {}), self._sizes[spec.key], main, count)

    def _size_lowest(self, spec: TierSpec, lowers: Sequence[SizedTier]) -> SizedTier:
        """Size a tier that nodes attach to, perhaps with switches of lower tiers, or a tier of extra devices alone, and
        link the lower tiers up to it. Raises InputError if switches have too few ports or nothing gives their number.
        """
        groups, demands = self._count_groups(spec), self._demands.get(spec.key, ())
        lower_tiers = [self._make_lower(spec, sized) for sized in lowers]
        main_kind = self._find_main_kind(spec)
        plan = self._plan_uplinks(spec, DownPorts(spec).port_demand(main_kind) if main_kind else None)
        nodes = NodePorts(spec, demands)

        ports_for = partial(self._add_lowest_ports, spec, nodes, lower_tiers)

        def demand_for(assignment: SlotAssignment, *, now: bool = False, by_slot: bool = False) -> SwitchDemand:
            for_extras = self._list_extras(spec, groups * assignment.count)
            return ports_for(assignment, now=now, by_slot=by_slot)[0].switch_demand(
                for_extras, self._demand_inside(spec, main_kind, assignment.count)
            )

        if not nodes.slots and not spec.spec.count:
            raise explain_no_count(spec)
        assignment = self._assign_slots(spec, nodes, demand_for, plan)
        demand = demand_for(assignment, now=not spec.for_reserve)
        if fit_ports(spec, demand, plan) is None:
            raise explain_small(spec, demand, plan)
        # ports are numbered for all reserved units if these fit: later units then move nothing
        with_reserve = demand_for(assignment, now=not spec.for_reserve, by_slot=True)
        reserve_counts, crowded = with_reserve != demand, self._is_crowded(spec)
        by_slot = reserve_counts and not crowded and fit_ports(spec, with_reserve, plan) is not None
        demand = with_reserve if by_slot else demand
        downs, first_ports = ports_for(assignment, now=True, by_slot=by_slot)
        slot_feeds = nodes.make_feeds(assignment, first_ports[: len(demands)])
        feeds: tuple[Feed, ...] = ()
        if spec.key in self._managed:
            used, numbered = (
                self._count_managed(spec, groups * assignment.count, by_slot=flag) for flag in (False, by_slot)
            )
            feeds = (Feed(TierKey("", ""), *first_ports[len(demands)], used, numbered, by_slot=by_slot),)
        # links of lower tiers come behind nodes and management
        link_ports = first_ports[len(first_ports) - len(lower_tiers) :]
        feeds += self._land_links(
            spec, assignment.count, lowers, lower_tiers, link_ports, by_slot=by_slot or spec.for_reserve
        )
        purposes = list_purposes(demands, slot_feeds, feeds)
        front = KeptFront(self._layout.lock, spec.key, spec.profile)  # its ports stay, others are placed beside them
        demand, placement, ports_of, taken_ports = front.place_demand(
            demand, purposes, lambda wanted: fit_ports(spec, wanted, plan)
        )
        node_feeds, feeds = lay_feeds(demands, slot_feeds, feeds, [ports_of[purpose.name] for purpose in purposes])
        in_use, ports_numbered = downs.sum_ports(len(placement.downs))
        for_extras = tuple(self._list_extras(spec, groups * assignment.count).items())
        # the ports that the reserve would take are counted even if they are not numbered
        full_downs, _ = ports_for(replace(assignment, slots=nodes.reserved), now=False, by_slot=by_slot)
        reserved = tuple(map(max, ports_numbered, full_downs.sum_ports(len(placement.downs))[1]))
        sized = SizedTier(
            spec, groups, assignment.count, demand, placement, feeds, node_feeds, in_use, ports_numbered, reserved, plan
        )
        narrow = reserve_counts and not by_slot and bool(feeds)
        return replace(sized, for_extras=for_extras, slots=sum(nodes.slots), taken=taken_ports, narrow=narrow)

    def _find_main_kind(self, spec: TierSpec) -> PortKind | None:
        """Return the kind of a lowest tier's first down ports: of nodes, else of extra devices; None without both."""
        demands = self._demands.get(spec.key, ())
        return demands[0].kind if demands else next((kind for key, kind in self._reserve if key == spec.key), None)

    def _add_lowest_ports(
        self,
        spec: TierSpec,
        nodes: NodePorts,
        lower_tiers: Sequence[LowerTier],
        assignment: SlotAssignment,
        *,
        now: bool,
        by_slot: bool = False,
    ) -> tuple[DownPorts, list[tuple[int, int]]]:
        """Return (down ports of a lowest tier's switch, (run, first port) of each purpose): nodes by kind of port,
        management, lower tiers. With `now` ports of existing units count as in use, else all numbered ones; with
        `by_slot` ports of management and lower tiers are numbered for reserved units too.
        """
        main_kind, leaves = self._find_main_kind(spec), self._count_groups(spec) * assignment.count
        downs, counts = DownPorts(spec), nodes.count_ports(assignment, now=now)
        demands = self._demands.get(spec.key, ())
        first_ports = [downs.add_purpose(demand.kind, *count) for demand, count in zip(demands, counts, strict=True)]
        if spec.key in self._managed:
            managed_ports = [self._count_managed(spec, leaves, by_slot=flag) for flag in (False, by_slot)]
            kind = main_kind if main_kind and main_kind.rj45 else MANAGEMENT
            purpose = spec.choose_purpose(kind, "down.management", f"down.{spec.fabric}")
            first_ports.append(downs.add_purpose(purpose, *managed_ports))
        for tier in lower_tiers:
            links = tier.count_links_to_each(assignment.count)
            numbered = tier.count_numbered(by_slot=by_slot or spec.for_reserve)
            first_ports.append(downs.add_purpose(tier.kind, (tier.now if now else numbered) * links, numbered * links))
        return downs, first_ports

    def _is_crowded(self, spec: TierSpec) -> bool:
        """Whether ports of management and lower tiers are not numbered for reserved units, for lack of room now or by
        the lock.
        """
        return spec.key in self._crowded or self._find_dealing(name_ports_beside_nodes(spec.key)) == "unit"

    def _land_links(
        self,
        spec: TierSpec,
        count: int,
        lowers: Sequence[SizedTier],
        lower_tiers: Sequence[LowerTier],
        first_ports: Sequence[tuple[int, int]],
        *,
        by_slot: bool,
    ) -> tuple[Feed, ...]:
        """Link lower tiers up to a lowest tier of `count` switches a group, and return the ports of each lower tier.
        `first_ports` has (run, first port) of each.
        """
        feeds = []
        for sized_lower, tier, run_and_port in zip(lowers, lower_tiers, first_ports, strict=True):
            links_to_each = tier.count_links_to_each(count)
            self._connect_lower(
                sized_lower, spec, count, tier.round_links_up(count) or tier, by_slot=by_slot, per_connector=0
            )
            feed = Feed(
                sized_lower.spec.key,
                *run_and_port,
                tier.now * links_to_each,
                tier.count_numbered(by_slot=by_slot) * links_to_each,
                links_to_each,
            )
            feeds.append(feed._replace(by_slot=by_slot, beside_nodes=True))
        return tuple(feeds)

    def _count_managed(self, spec: TierSpec, leaves: int, *, by_slot: bool) -> int:
        """Return how many management ports the fullest of `leaves` leaves serves."""
        return self._managed[spec.key](find_scope(spec.per), leaves, spec.for_reserve, by_slot)

    def _assign_slots(
        self,
        spec: TierSpec,
        nodes: NodePorts,
        demand_for: Callable[[SlotAssignment], SwitchDemand],
        plan: UplinkPlan | None,
    ) -> SlotAssignment:
        """Return the number of leaves in a group, and which node slots are numbered: those of all reserved units if
        these fit, else those of the units that exist, or those up to the last in use if the lock numbers by slot.
        """

        def assign_counted(slots: tuple[int, ...]) -> SlotAssignment:
            count = choose_count(spec, list(slots), lambda count: demand_for(SlotAssignment(count, slots)), plan)
            return SlotAssignment(count, slots)

        dealing = self._find_dealing(spec.key.text)
        for_present_units = assign_counted(nodes.slots)
        # without a reserve, or if by the lock ports were dealt unit by unit: only the units that exist
        if not nodes.grows or dealing == "unit" or (spec.key in self._crowded and not dealing):
            return for_present_units
        for_all_units = replace(for_present_units, slots=nodes.reserved, by_slot=True)
        # every slot keeps its number for later nodes, if the switches have the ports
        if spec.for_reserve or fit_ports(spec, demand_for(for_all_units), plan):
            return for_all_units
        # the reserve does not fit, and no lock says that its slots were numbered: number the units that exist
        if not dealing:
            return for_present_units
        up_to_last_in_use = replace(for_present_units, slots=nodes.in_use)
        return replace(
            up_to_last_in_use if fit_ports(spec, demand_for(up_to_last_in_use), plan) else assign_counted(nodes.in_use),
            by_slot=True,
        )

    def _size_upper(self, spec: TierSpec, lowers: list[SizedTier]) -> SizedTier:
        """Size a tier above others, as many switches as divide the lower uplinks equally and have enough ports, and
        link the lower tiers up to it. Raises InputError if no number of switches suffices.
        """
        lowers_now = [self._make_lower(spec, sized) for sized in lowers]
        lowers_in_reserve = [tier._replace(now=tier.slots) for tier in lowers_now] if spec.for_reserve else lowers_now
        plan = self._plan_uplinks(spec, DownPorts(spec).port_demand(lowers_in_reserve[0].kind))
        demand_for = partial(self._demand_ports, spec)

        def fits(count: int, tiers: list[LowerTier]) -> bool:
            return fit_ports(spec, demand_for(count, tiers, by_slot=False), plan) is not None

        first_lower = lowers[0].spec
        # a count in the lock holds as long as what it was derived from is unchanged
        kept_count = find_kept_count(spec) if is_sized_as_before(first_lower, lowers[0].uplinks) else 0
        check_uplinks_reach_all(spec, lowers_in_reserve)
        has_fewest = kept_count or first_lower.fewest_uplinks or first_lower.key in self._lean or is_uneven(spec)
        widened = lowers_in_reserve if has_fewest else widen_uplinks(spec, lowers_in_reserve, fits)
        count, linked = count_uppers(spec, widened, fits, kept_count=kept_count)
        if not count:
            raise explain_radix(spec, lowers_in_reserve, plan, partial(demand_for, by_slot=False), fits)
        full = demand_for(count, linked, by_slot=True)
        # all ports of the reserve are demanded as if in use, to see whether they would fit
        full = full._replace(downs=tuple(replace(wanted, count=wanted.needed) for wanted in full.downs))
        reserve_fits = spec.for_reserve or fit_ports(spec, full, plan) is not None
        dealing = self._find_dealing(spec.key.text)
        by_slot = dealing == "slot" or (reserve_fits and not dealing)
        # if the reserve no longer fits, ports in use keep their numbers and others lose theirs
        if by_slot and not reserve_fits:
            linked = [tier._replace(slots=tier.count_numbered(by_slot=False)) for tier in linked]
        demand = demand_for(count, linked, by_slot=by_slot)
        placement = fit_ports(spec, demand, plan)
        if placement is None:
            raise explain_small(spec, demand, plan)
        # sized for the reserve, but ports in use are counted for the units that exist
        linked = [tier._replace(now=tier_now.now) for tier, tier_now in zip(linked, lowers_now, strict=True)]
        downs, first_ports = self._add_ports(spec, count, linked, by_slot=by_slot)
        feeds = []
        for sized, tier, (run, first_port) in zip(lowers, linked, first_ports, strict=True):
            links = 1 if tier.lands_unevenly(count) else -(-tier.links // count)
            in_use = tier.count_used(count, by_slot=by_slot)
            numbered = tier.count_ports(tier.count_numbered(by_slot=by_slot), count)
            per_connector = placement.downs[run].links_per_connector
            nested = self._connect_lower(sized, spec, count, tier, by_slot=by_slot, per_connector=per_connector)
            feeds.append(Feed(sized.spec.key, run, first_port, in_use, numbered, links, nested))
        laid = LaidPorts(placement, tuple(feeds), self._find_reach(spec, demand, plan))
        laid = self._keep_early_ports(
            spec, count, demand, laid, list(zip(lowers, linked, strict=True)), plan, by_slot=by_slot
        )
        self._note_fewest(lowers[0], spec, lowers_in_reserve, fits)
        groups = self._count_groups(spec)
        used, ports_numbered = downs.sum_ports(len(placement.downs))
        return SizedTier(
            *(spec, groups, count, demand, laid.placement, laid.feeds, {}, used, ports_numbered, ports_numbered, plan),
            for_extras=tuple(self._list_extras(spec, groups * count).items()),
            reach=(laid.reach,),
        )

    def _keep_early_ports(
        self,
        spec: TierSpec,
        count: int,
        demand: SwitchDemand,
        laid: LaidPorts,
        linked: Sequence[tuple[SizedTier, LowerTier]],
        plan: UplinkPlan | None,
        *,
        by_slot: bool,
    ) -> LaidPorts:
        """Return `laid` changed so that early ports stay where they were, and others lie beside them: the ports in the
        lock, else those that the part of the cluster which came first would have alone. It is unchanged for one part
        without cages in the lock.
        """
        front, first_turn = KeptAbove(self._layout.lock, spec), linked[0][0].spec.turn
        if not front.is_in_lock and linked[-1][0].spec.turn <= first_turn:
            return laid
        early_tiers = [tier for sized, tier in linked if sized.spec.turn == first_turn]
        _, early_ports = self._add_ports(spec, count, early_tiers, by_slot=by_slot)
        placement = fit_ports(spec, self._demand_ports(spec, count, early_tiers, by_slot=by_slot), plan)
        ports_and_feeds = zip(early_ports, laid.feeds, strict=False)
        feeds = tuple(feed._replace(run=run, first=first_port) for (run, first_port), feed in ports_and_feeds)
        laid_alone = LaidPorts(placement, feeds, laid.reach) if placement else None
        return front.place_demand(demand, laid, laid_alone, lambda wanted: fit_ports(spec, wanted, plan))

    def _add_ports(
        self, spec: TierSpec, count: int, lowers: Sequence[LowerTier], *, by_slot: bool
    ) -> tuple[DownPorts, list[tuple[int, int]]]:
        """Return the down ports of each of `count` upper switches, and (index of a run, first port) by lower tier."""
        downs = DownPorts(spec)
        first_ports = []
        for tier in lowers:
            in_use, numbered = tier.count_used(count, by_slot=by_slot), tier.count_numbered(by_slot=by_slot)
            first_ports.append(downs.add_purpose(tier.kind, in_use, tier.count_ports(numbered, count)))
        return downs, first_ports

    def _demand_ports(self, spec: TierSpec, count: int, lowers: Sequence[LowerTier], *, by_slot: bool) -> SwitchDemand:
        """Return the demand on each of `count` upper switches of a group."""
        for_extras = self._list_extras(spec, self._count_groups(spec) * count)
        downs, _ = self._add_ports(spec, count, lowers, by_slot=by_slot)
        return downs.switch_demand(for_extras, self._demand_inside(spec, lowers[0].kind, count))

    def _note_fewest(self, sized: SizedTier, upper: TierSpec, lower_tiers: list[LowerTier], fits: Fits) -> None:
        """Record the fewest uplinks that the first of the lower tiers could have, and how many upper switches these
        would need (`Uplink.fewest`), if it has more uplinks, and neither number is stated.
        """
        sized_lower, plan = self.sized_tiers[sized.spec.key], sized.uplink_plan
        stated = sized.spec.spec.uplinks
        if plan is None or sized_lower.uplink is None or upper.spec.count or (stated and stated.count):
            return
        fewest_links = -(-sized.needed_uplinks // plan.groups_met)
        if fewest_links < sized_lower.uplink.links_per_group:
            count, _ = count_uppers(upper, [lower_tiers[0]._replace(links=fewest_links), *lower_tiers[1:]], fits)
            uplink = sized_lower.uplink._replace(fewest=(fewest_links * plan.groups_met, count))
            self.sized_tiers[sized.spec.key] = replace(sized_lower, uplink=uplink)

    def _find_reach(self, spec: TierSpec, demand: SwitchDemand, plan: UplinkPlan | None) -> int:
        """Return the most down ports of the first kind that an upper switch can have: links are spread over all of
        these, however few links there are.
        """
        demand_of_kind = DownPorts(spec).port_demand(demand.downs[0].kind)

        def reaches_all(ports: int) -> bool:
            demanded = replace(demand_of_kind, count=max(0, ports - spec.free_ports), ports=ports)
            return fit_ports(spec, demand._replace(downs=(demanded,)), plan) is not None

        class_and_ways = find_down_class(spec.profile, demand_of_kind)
        return find_largest(reaches_all, spec.profile.count_split_ports(*class_and_ways)) if class_and_ways else 0

    def _find_dealing(self, holder: str) -> str:
        """Return how the lock numbers down ports: by reserved `slot`, by existing `unit`, or "" if it does not say.

        `holder` is a tier, `compute spine`, for its ports to nodes or, without nodes, to lower tiers; or `compute leaf
        beside nodes`, for ports of management and lower tiers on a tier that nodes attach to.
        """
        return self._layout.numbering.dealing.get(holder, "")

    def _make_lower(self, upper: TierSpec, sized: SizedTier) -> LowerTier:
        """Return a lower tier as one group of the upper tier sees it."""
        up = sized.uplink_plan
        assert up is not None  # noqa: S101 - it is linked up to this tier
        assert sized.placement.up is not None  # noqa: S101 - the same
        sizes, coarser = self._sizes[sized.spec.key], self._coarser[sized.spec.key]
        now, slots, in_use = count_lowers(sized.spec, sized.count, upper, sizes, coarser)
        min_numbered = in_use if self._find_dealing(upper.key.text) == "slot" else 0
        # the division is exact, as uplinks are a multiple of the groups
        links = sized.placement.up.count // up.groups_met
        kind = upper.choose_link_kind(sized.spec.key, up.upper_kind)
        tier = LowerTier(
            sized.spec.name, kind, now, slots, links, min_numbered, partial(self._can_have_links, sized, up)
        )
        ranks = partial(list_group_ranks, sized.spec, sized.count, upper, sizes, coarser)
        return tier._replace(uneven=up.uneven, list_ranks=ranks)

    def _can_have_links(self, sized: SizedTier, up: UplinkPlan, links: int) -> bool:
        """Whether a lower switch can have `links` links to each upper group: uplinks are not stated, and they fit."""
        stated = sized.spec.spec.uplinks
        return not (stated and stated.count) and self._place_uplinks(sized, up, links) is not None

    def _place_uplinks(self, sized: SizedTier, up: UplinkPlan, links: int) -> PortPlacement | None:
        """Return the ports of a lower switch with `links` links to each upper group; None if they do not fit."""
        return place_upward(sized.spec, sized.demand, links * up.groups_met, up.kind)[1]

    def _connect_lower(
        self, sized: SizedTier, upper: TierSpec, count: int, tier: LowerTier, *, by_slot: bool, per_connector: int
    ) -> bool:
        """Record the uplinks of a lower tier, and return whether its links are spread in the nested order.
        `per_connector` is how many ports a connector has at the upper end; 0 if nodes attach to the upper tier, whose
        other ports are used in the order of the links.
        """
        up, placement = sized.uplink_plan, sized.placement
        assert up is not None  # noqa: S101 - it is linked up to this tier
        assert placement.up is not None  # noqa: S101 - the same
        if tier.links != placement.up.count // up.groups_met:
            placement = self._place_uplinks(sized, up, tier.links) or placement
        assert placement.up is not None  # noqa: S101 - the same
        uneven = tier.lands_unevenly(count)
        # the nested order (spread.py) is for links that are dealt in turn to switches with ports of their own
        in_turn = per_connector and not uneven and not (upper.spec.parallel and tier.links > count)
        nested = bool(in_turn) and is_nested(tier.links, count, placement.up.links_per_connector, per_connector)
        uplink = Uplink(
            fabric=sized.spec.links_of,
            upper=upper.key,
            upper_groups=up.groups_met,
            links_per_group=tier.links,
            upper_count=count,
            lowers_per_group=tier.now,
            by_slot=by_slot,
            nested=nested,
            uneven=uneven,
        )
        self.sized_tiers[sized.spec.key] = replace(sized, placement=placement, uplink=uplink)
        return nested
