"""Bisection bandwidth of a fabric, from the design alone, whole or after the loss of switches.

The bisection is the least bandwidth of the links crossed by any cut that leaves half of the node bandwidth on either
side (Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3). Nodes are never cut, since
scale-up joins the rails of a node, and switches fall on whichever side is cheaper. In a folded Clos (Al-Fares et al.,
SIGCOMM 2008) every place (a leaf, unit or pod) can send at most the lesser of what the places in it can send and of its
own uplinks. The cost of taking part of a place is concave, so the worst cut takes whole places, the narrowest first,
and at most one in part. This is exact if places of a tier are alike but for one that has lost switches; in other cases
the figure never exceeds what some cut allows. If links are dealt `uneven`, each upper switch counts with the fewest
links that a lower switch has to it, so the figure is at most that of the plan. Extra devices are not counted, a fabric
that shares tiers is treated as their only user, and omitted nodes of a pod are counted as those of as few units as
possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import ceil, prod
from typing import NamedTuple

from fabricgen.blueprint.dimensions import find_dimension, is_told, list_leg_dimensions
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.inside.meshes import compute_mesh_bisection
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.shape import count_racks_per_place, count_units_per_place, find_scope, is_part_of_unit
from fabricgen.kernel.grouping import sum_pairs

Number = Fraction | int
"""An exact number, an int if it is whole: arithmetic of ints is many times as fast as that of fractions."""

Pods = tuple[tuple[str, Fraction], ...]
"""The contents of a place: (part of the cluster, scalable units) of each pod in it; racks are fractions of a unit."""


class SwitchLoss(NamedTuple):
    """Switches of a tier that have failed: `switches` of them in each of `places` places (0: all) and of `strands`
    strands (0: all). A place is a unit, pod or other place that the tier is grouped by; a strand is one of the disjoint
    networks that rails or planes divide a fabric into (`count_strands`).

    If a tier above joins the switches of one number (`core per: spine`), `of_class` is used instead of `switches`. It
    has an entry for each place that has lost some: how many failed of each class, which is the numbers that have lost
    equally many switches in the same places. The first entry is of the place above lower places that have lost some.
    """

    switches: int
    places: int = 1
    strands: int = 1
    of_class: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class StrandPlace:
    """A place of a strand (leaves of the same nodes, a unit, a pod) as the tier above sees it. Uplinks are kept by
    class of switch numbers (`SwitchLoss.of_class`); with `sliced` each class may be on either side of a cut. `Sides`
    has a bit for each class: 1 if its switches are on the other side of the cut than the chosen nodes.
    """

    size: Number  # bandwidth of its node ports, Gb/s
    works: Number  # bandwidth of its node ports that still work, Gb/s
    up: tuple[Number, ...]  # bandwidth of its uplinks by class of numbers, Gb/s
    parts: tuple[tuple[StrandPlace, int], ...] = ()  # (place, how many) of the narrower places in it
    sliced: bool = False
    _cuts: dict[tuple[Number, Sides], Number] = field(default_factory=dict, compare=False, repr=False)
    """Results of `_find_cut`, by its parameters: each side of the switches above asks for the same ones."""

    def find_bisection(self) -> Number:
        """Return the least bandwidth between two halves of its nodes, Gb/s."""
        # a bit for each class of switches above: on which side of the cut it is
        all_sides = (1 << len(self.up)) - 1
        half = _divide_exactly(self.size, 2)
        return min(
            self._find_cut_below(half, sides) for sides in (range(1, all_sides + 1) if self.sliced else (all_sides,))
        )

    def _find_cut(self, size: Number, upper_sides: Sides) -> Number:
        """Return the least bandwidth, Gb/s, between all other nodes and chosen nodes of the bandwidth `size`, with
        upper switches on the sides `upper_sides`.
        """
        if (size, upper_sides) not in self._cuts:
            all_sides = (1 << len(self.up)) - 1
            self._cuts[size, upper_sides] = min(
                sum(
                    # links between switches on different sides are cut
                    (gbps for class_number, gbps in enumerate(self.up) if (upper_sides ^ sides) >> class_number & 1),
                    self._find_cut_below(size, sides),
                )
                for sides in (range(all_sides + 1) if self.sliced else (0, all_sides))
            )
        return self._cuts[size, upper_sides]

    def _find_cut_below(self, size: Number, sides: Sides) -> Number:
        """Return the least bandwidth, Gb/s, of links below this place's switches that join chosen nodes of the
        bandwidth `size` to all other nodes; `sides` says on which side of the cut these switches are.
        """
        if not self.parts:
            return _divide_exactly((size if sides else self.size - size) * self.works, self.size) if self.size else 0
        costs_unchosen = ((place._find_cut(0, sides), place, number) for place, number in self.parts)
        costs: list[_Cost] = [
            (place._find_cut(place.size, sides) - cost_unchosen if place.size else 0, cost_unchosen, place, number)
            for cost_unchosen, place, number in costs_unchosen
        ]
        # places that cost least for their size are chosen first; what fits no whole place is divided exactly
        if len(costs) > 1:
            costs.sort(key=lambda cost_row: Fraction(cost_row[0]) / (cost_row[2].size or 1))
        total = sum(number * cost_unchosen for _, cost_unchosen, _, number in costs)
        spent: Number = 0
        gbps_left = size
        for cost, _, place, number in costs:
            if place.size:
                chosen = min(number, gbps_left // place.size)
                spent, gbps_left = spent + chosen * cost, gbps_left - chosen * place.size
        return total + (self._find_least_cost(costs, size, sides) if gbps_left else spent)

    def _find_least_cost(self, costs: Sequence[_Cost], size: Number, sides: Sides) -> Number:
        """Return the least bandwidth, Gb/s, by which the cut grows if nodes of the bandwidth `size` are chosen: whole
        places in the order of `costs`, then a part of one more. Each kind of place is tried as the one divided.
        """
        spent_by_left: dict[tuple[int, Number], Number] = {}
        for index, (_, _, divided, _) in enumerate(costs):
            spent: Number = 0
            gbps_left = size
            # the last round takes no place: it looks only at what is left over after all kinds
            for kind, (cost, _, place, number) in enumerate((*costs, (0, 0, divided, 0))):
                if gbps_left <= divided.size:
                    spent_by_left.setdefault((index, gbps_left), spent)
                chosen = min(number - (kind == index), gbps_left // place.size) if place.size else 0
                spent, gbps_left = spent + max(0, chosen) * cost, gbps_left - max(0, chosen) * place.size
        return min(
            spent + divided._find_cut(gbps_left, sides) - cost_unchosen
            for (index, gbps_left), spent in spent_by_left.items()
            for _, cost_unchosen, divided, _ in (costs[index],)
        )


_Cost = tuple[Number, Number, StrandPlace, int]
"""(what choosing a place costs more than leaving it, what leaving it costs, the place, how many there are)"""
Sides = int
_ByClass = tuple[Fraction, ...]
"""A fraction for each class of numbers: of its switches, those that work."""


def _divide_exactly(number: Number, divisor: Number) -> Number:
    """Return the exact quotient, an int if it is whole."""
    return _reduce_to_integer(Fraction(number, divisor))


def _reduce_to_integer(number: Number) -> Number:
    """Return the number, as an int if it is whole."""
    return number.numerator if number.denominator == 1 else number


def list_chain(design: Design, fabric: FabricDesign) -> tuple[TierDesign, ...]:
    """Return the tiers above a fabric's nodes, lower ones first, perhaps of another fabric; empty without nodes."""
    height = {tier.key: level for chain in list_chains(design, fabric) for level, tier in enumerate(chain)}
    return tuple(design.tier(key) for key in sorted(height, key=lambda key: height[key]))


def list_chains(design: Design, fabric: FabricDesign) -> tuple[tuple[TierDesign, ...], ...]:
    """Return, for each tier that a fabric's nodes attach to, the tiers from it up."""
    chains = []
    for leaf in design.list_leaf_tiers(fabric):
        chain = [leaf]
        while (uplink := chain[-1].uplink) is not None:
            chain.append(design.tier(uplink.upper))
        chains.append(tuple(chain))
    return tuple(chains)


def list_top_tiers(design: Design, fabric: FabricDesign) -> tuple[TierDesign, ...]:
    """Return the highest tiers above a fabric's nodes; several if nothing joins the parts of the cluster."""
    return tuple(tier for tier in list_chain(design, fabric) if tier.uplink is None)


def count_strands(design: Design, fabric: FabricDesign) -> int:
    """Return into how many disjoint networks a fabric is divided by the rails, planes and NIC ports that all of its
    tiers are grouped by. If kinds of nodes have different numbers of them, the highest counts.
    """
    chain = list_chain(design, fabric)
    grouping = [d for d in list_leg_dimensions() if chain and all(is_told(d, tier.per) for tier in chain)]
    return prod(fabric.sizes[d] for d in grouping if find_dimension(d).follows not in grouping)


def compute_bisection(
    design: Design,
    fabric: FabricDesign,
    lost: Mapping[TierKey, SwitchLoss] | None = None,
    classes: tuple[int, ...] = (1,),
) -> Fraction:
    """Return the bandwidth across the worst cut of a fabric's nodes into halves, Gb/s each way; 0 if no nodes attach.
    `lost` has what each tier has lost; `classes` are how many numbers of switches each class has, if losses are by
    class (`SwitchLoss.of_class`).
    """
    chain, strands = list_chain(design, fabric), count_strands(design, fabric)
    if not chain:
        return Fraction(0)
    if chain[-1].meshes:
        return _compute_mesh_bisection(design, fabric, chain[-1], lost or {})
    losses = {key: loss for key, loss in (lost or {}).items() if loss.switches or loss.of_class}
    stops = sorted({min(loss.strands or strands, strands) for loss in losses.values()} | {strands})
    total, start = Fraction(0), 0
    # strands from `start` to before `stop` have lost the same switches: one of them is computed (0 strands mean all)
    for stop in stops:
        losses_here = {key: loss for key, loss in losses.items() if start < (loss.strands or strands)}
        root = _Strand(design, fabric, chain, strands, losses_here, classes).make_root_place()
        total, start = total + (stop - start) * root.find_bisection(), stop
    return total


def _compute_mesh_bisection(
    design: Design, fabric: FabricDesign, top: TierDesign, lost: Mapping[TierKey, SwitchLoss]
) -> Fraction:
    """Return the bisection of a fabric whose top switches are linked within their tier, Gb/s each way, after the losses
    of the top tier; those of other tiers are not considered.
    """
    per_node = max(_count_switches_of_node(fabric, leaf) for leaf in design.list_leaf_tiers(fabric))
    lost_switches = lost[top.key].switches if top.key in lost else 0
    return compute_mesh_bisection(top, sum_node_bandwidth(design, fabric), per_node=per_node, lost=lost_switches)


def _count_switches_of_node(fabric: FabricDesign, leaf: TierDesign) -> int:
    """Return over how many consecutive switches of a group the ports of a node are spread: all of the group if nodes
    straddle turns (the slots that a switch takes before the next one), as neither a node's ports nor a turn divides the
    other.
    """
    groups = prod(leaf.sizes[d] for d in list_leg_dimensions() if d in leaf.per)
    ports_and_turns = [
        (len(attachment.legs) // groups, feed.turn)
        for feed in fabric.feeds_of(leaf.key)
        for _, attachment in feed.attachments
    ]
    if any(turn % ports and ports % turn for ports, turn in ports_and_turns):
        return leaf.count
    return min(leaf.count, max((-(-ports // turn) for ports, turn in ports_and_turns), default=1))


def compute_bisection_per_accelerator(
    design: Design, fabric: FabricDesign, lost: Mapping[TierKey, SwitchLoss] | None = None
) -> Fraction | None:
    """Return what each accelerator in one half can send to the other half at once, Gb/s; None without accelerators.
    With full bisection this is the bandwidth of its NICs.
    """
    number = count_accelerators(design, fabric)
    # half of the accelerators send
    return 2 * compute_bisection(design, fabric, lost) / number if number else None


def count_accelerators(design: Design, fabric: FabricDesign) -> int:
    """Return the accelerators of the nodes that attach to a fabric and are present."""
    layout = design.layout
    present = [(s.profile.accelerators, layout.count_present(s)) for s in fabric.node_sets]
    return sum(accelerators.count * nodes for accelerators, nodes in present if accelerators)


def sum_node_bandwidth(design: Design, fabric: FabricDesign) -> int:
    """Return the bandwidth of all node ports of a fabric that are present, Gb/s."""
    return sum(_sum_bandwidth_by_part(design, fabric).values())


def _sum_bandwidth_by_part(design: Design, fabric: FabricDesign) -> Counter[str]:
    """Return the bandwidth of the node ports of a fabric that are present, by part of the cluster, Gb/s."""
    return sum_pairs(
        (feed.part, design.count_present(feed, nodes) * len(attachment.legs) * attachment.speed_gbps)
        for feed in fabric.node_feeds
        for nodes, attachment in feed.attachments
    )


class _Strand:
    """Makes the places of one strand. `hit`: whether switches of a `SwitchLoss` failed in a place or within it."""

    def __init__(
        self,
        design: Design,
        fabric: FabricDesign,
        chain: tuple[TierDesign, ...],
        strands: int,
        lost: Mapping[TierKey, SwitchLoss],
        classes: tuple[int, ...] = (1,),
    ) -> None:
        # `chain` are the tiers from the nodes up, `classes` how many numbers of switches each class of losses has
        self._design, self._layout, self._fabric = design, design.layout, fabric
        self._strands, self._lost = strands, lost
        self._sliced = {key for key, loss in lost.items() if loss.of_class}
        classes = classes if self._sliced else (1,)
        self._weights = tuple(Fraction(number, sum(classes)) for number in classes)
        self._all = (Fraction(1),) * len(self._weights)
        self._lower = {t.key: [u for u in chain if u.uplink and u.uplink.upper == t.key] for t in chain}
        units: dict[str, Fraction] = {}
        for part, su in _list_contents(design.layout):
            units[part] = units.get(part, Fraction(0)) + su
        gbps_of_part = _sum_bandwidth_by_part(design, fabric)
        self._unit_gbps = {
            part: gbps_of_part[part] / (strands * number) if number else Fraction(0) for part, number in units.items()
        }

    def make_root_place(self) -> StrandPlace:
        """Return the whole strand as one place. If its top tier is grouped by place, its places are the parts of one
        without switches: spans to other sites join them, or nothing does.
        """
        tops, pods = list_top_tiers(self._design, self._fabric), _list_contents(self._layout)
        if len(tops) == 1 and find_scope(tops[0].per) == "all":
            # no fractions: no switch of the top tier or below has failed
            alive = next(iter(self._list_fractions_left(tops[0], 1, hit=True)), self._all)
            return self._make_place(tops[0], pods, self._spread_by_class(Fraction(0)), self._all, alive, hit=True)
        places: list[tuple[StrandPlace, int]] = []
        for top in tops:
            places += self._list_parts(
                top, "all", pods, self._count_switches_per_place(top) * _find_span_bandwidth(top), self._all, hit=True
            )
        return StrandPlace(self._sum_place_bandwidth(pods), 0, self._spread_by_class(Fraction(0)), tuple(places))

    def _list_parts(
        self, tier: TierDesign, wider: str, pods: Pods, gbps: Fraction, upper: _ByClass, *, hit: bool
    ) -> tuple[tuple[StrandPlace, int], ...]:
        """Return the places of a tier in a place of the scope `wider` that holds `pods`, as (place, how many are
        alike). Each has `gbps` Gb/s of uplinks if all switches work; `upper` has, by class of switch numbers, which
        fraction of the switches above works.
        """
        counted = []
        if tier.layout.cluster is not None:
            pods = tuple(pod for pod in pods if pod[0] == tier.part)
        places = _split_place(tier.layout, wider, tier.scope, pods)
        alive_by_place, only_first_is_hit = (
            self._list_fractions_left(tier, places.total(), hit=hit),
            tier.key in self._sliced,
        )
        for contents, number in sorted(places.items(), reverse=True):
            alive_here, alive_by_place = alive_by_place[:number], alive_by_place[number:]
            # if switches fail by number, only the first place is hit
            states = [(alive, hit and not (only_first_is_hit and index)) for index, alive in enumerate(alive_here)]
            # (fractions of its switches that work, whether it is hit, how many alike follow); intact places are last
            runs = [(*state, len(list(run))) for state, run in groupby(states)]
            runs += [(self._all, False, number - len(alive_here))] * (len(alive_here) < number)
            for alive, is_hit, repeats in runs:
                reach = self._spread_by_class(gbps, upper, alive)
                counted.append((self._make_place(tier, contents, reach, upper, alive, hit=is_hit), repeats))
        return tuple(counted)

    def _list_fractions_left(self, tier: TierDesign, places: int, *, hit: bool) -> list[_ByClass]:
        """Return which fractions of switches still work, by class, for each of the `places` places of a tier in a wider
        place that has lost switches, itself or below. `hit`: whether switches failed in the wider place.
        """
        loss, per_place = self._lost.get(tier.key), self._count_switches_per_place(tier)
        # `places` is 0 if every place has lost switches: then it does not matter whether the wider place is hit
        if not hit and (loss is None or loss.places or loss.of_class):
            return []
        if loss and loss.of_class:
            sizes = [per_place * weight for weight in self._weights]
            return [
                tuple(1 - n / switches for n, switches in zip(failed, sizes, strict=True)) for failed in loss.of_class
            ]
        if loss:
            return [(max(Fraction(0), 1 - loss.switches / per_place),) * len(self._all)] * (loss.places or places)
        return [self._all] * min(places, self._count_places_hit_below(tier))

    def _spread_by_class(self, gbps: Fraction, *shares: _ByClass) -> tuple[Number, ...]:
        """Return `gbps` of uplinks divided over the classes of switch numbers, times the fractions `shares` of each
        class.
        """
        return tuple(
            _reduce_to_integer(prod(shares_of_class, start=gbps))
            for shares_of_class in zip(self._weights, *shares, strict=True)
        )

    def _count_places_hit_below(self, tier: TierDesign) -> int:
        """Return how many places of a tier have failed switches below them, packed into as few as possible; 0 for
        none.
        """
        places_hit = 0
        for lower in self._lower[tier.key]:
            loss = self._lost.get(lower.key)
            places = loss.places if loss else self._count_places_hit_below(lower)
            if loss or places:
                # as many places of this tier as the lower places fill; a loss by number counts as one place
                places_hit = max(places_hit, 1, ceil(Fraction(places * tier.places, lower.places)))
        return places_hit

    def _make_place(
        self, tier: TierDesign, pods: Pods, gbps: tuple[Number, ...], upper: _ByClass, alive: _ByClass, *, hit: bool
    ) -> StrandPlace:
        """Return the place of a tier that holds `pods`, with all places below it. `gbps` are its uplinks by class of
        numbers; `upper` and `alive` are the fractions of the switches above and of its own switches that still work.
        """
        size, scope = self._sum_place_bandwidth(pods), find_scope(tier.per)
        if not self._lower[tier.key]:
            return StrandPlace(size, size, gbps, tuple(self._list_leaves(tier, size, upper, hit=hit)))
        places: list[tuple[StrandPlace, int]] = []
        for lower in self._lower[tier.key]:
            places += self._list_parts(
                lower, scope, pods, self._count_switches_per_place(lower) * _sum_uplink_bandwidth(lower), alive, hit=hit
            )
        return StrandPlace(size, size, gbps, tuple(places), sliced=tier.key in self._sliced)

    def _list_leaves(
        self, leaf: TierDesign, size: Number, upper: _ByClass, *, hit: bool
    ) -> Iterator[tuple[StrandPlace, int]]:
        """Yield (a bunch of leaves: those that serve the same nodes, how many bunches are alike): failed ones, the one
        that has lost some leaves, intact ones. `size` is the bandwidth of the node ports of all bunches, Gb/s.
        """
        bunches = max(1, leaf.count // self._count_leaves_of_node(leaf))
        per_bunch, loss = self._count_switches_per_place(leaf) / bunches, self._lost.get(leaf.key)
        lost = Fraction(loss.switches) if loss and (hit or not loss.places) else Fraction(0)
        dead = min(bunches, int(lost // per_bunch))
        partial = 1 - (lost - dead * per_bunch) / per_bunch if dead < bunches and lost > dead * per_bunch else None
        up = per_bunch * (_sum_uplink_bandwidth(leaf) if leaf.uplink else _sum_peer_bandwidth(leaf))
        gbps = _divide_exactly(size, bunches)
        for alive, number in ((Fraction(0), dead), (partial, 1), (Fraction(1), bunches - dead - (partial is not None))):
            if alive is not None and number:
                yield (
                    StrandPlace(gbps, _reduce_to_integer(gbps * alive), self._spread_by_class(up * alive, upper)),
                    number,
                )

    def _count_leaves_of_node(self, leaf: TierDesign) -> int:
        """Return over how many leaves of a group the ports of one node are spread."""
        groups = prod(leaf.sizes[d] for d in list_leg_dimensions() if d in leaf.per)
        feeds = self._fabric.feeds_of(leaf.key)
        # -(-a // b) rounds up; `turn` slots follow each other on one leaf
        leaves = max(-(-len(a.legs) // (groups * f.turn)) for f in feeds for _, a in f.attachments)
        return min(leaf.count, leaves)

    def _count_switches_per_place(self, tier: TierDesign) -> Fraction:
        """Return how many switches of a tier each of its places has in a strand."""
        return Fraction(tier.switches, tier.places * self._strands)

    def _sum_place_bandwidth(self, pods: Pods) -> Number:
        """Return the bandwidth of the node ports of a place, Gb/s."""
        return _reduce_to_integer(sum(units * self._unit_gbps[part] for part, units in pods))


def _sum_uplink_bandwidth(tier: TierDesign) -> int:
    """Return the bandwidth of those wired uplinks of a switch that can be full at once (`full_load_links`), Gb/s."""
    uplink, up = tier.uplink, tier.up
    return uplink.full_load_links * up.speed_gbps if uplink and up else 0


def _sum_peer_bandwidth(tier: TierDesign) -> int:
    """Return the bandwidth between the switches of a pair, Gb/s; 0 if a group is not one pair (several are apart)."""
    return tier.peer_links.run.bandwidth_gbps if tier.peer_links and tier.count == 2 else 0


def _find_span_bandwidth(tier: TierDesign) -> int:
    """Return the bandwidth of a switch to other sites, Gb/s, at the site where it is least; 0 without spans. Spans are
    cut with the sites that they join; `compute_mesh_bisection` cuts a tier along its dimensions.
    """
    gbps_by_site = sum_pairs((site, span.links * span.run.speed_gbps) for span in tier.spans for site in span.sites)
    return min(gbps_by_site.values(), default=0)


def _list_contents(layout: Layout, site: str = "") -> Pods:
    """Return (part of the cluster, number of units) for each pod of a site, or of the cluster if `site` is "". Omitted
    nodes are subtracted as the fraction of a unit that they make up.
    """
    kinds = layout.kind_of_pod
    missing = Counter(slot.pod for slot in layout.omitted if slot.node <= kinds[slot.pod].nodes)
    return tuple(
        (pod.part, pod.su - Fraction(missing[number], kind.nodes))
        for number, (pod, kind) in enumerate(zip(layout.pods, kinds, strict=True))
        if site in ("", pod.site)
    )


def _split_place(layout: Layout, upper: str, lower: str, pods: Pods) -> Counter[Pods]:
    """Return the places of the scope `lower` in one of the scope `upper` that holds `pods`: how many have which
    contents.
    """
    if upper == lower:
        return Counter({pods: 1})
    if lower == "site":
        return Counter(_list_contents(layout, site) for site in layout.sites)
    if lower == "pod":
        return Counter((pod,) for pod in pods)
    part = pods[0][0] if pods else ""
    if count_units_per_place(layout, lower) and not is_part_of_unit(lower):
        units_per_place, counts = count_units_per_place(layout, lower), Counter[Pods]()
        for _, su in pods:
            counts[(part, Fraction(units_per_place)),] += int(su // units_per_place)
            counts[(part, su % units_per_place),] += 1 if su % units_per_place else 0
        # unary plus drops contents with a count of 0
        return +counts
    units_in_all = sum((su for _, su in pods), Fraction(0))
    units_per_place, racks = count_racks_per_place(layout, lower), units_in_all * layout.racks_per_su
    units = max(1, ceil(units_in_all))
    # racks of one unit, or of the fraction of one; the last place of a unit may have fewer
    racks_per_unit = int(racks / units_in_all) if units_in_all >= 1 else int(racks)
    return Counter(
        {
            ((part, Fraction(size, racks_per_unit) * units_in_all / units),): units * number
            for size, number in Counter(
                min(units_per_place, racks_per_unit - first_rack)
                for first_rack in range(0, racks_per_unit, units_per_place)
            ).items()
        }
    )
