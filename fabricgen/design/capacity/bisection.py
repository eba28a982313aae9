"""Bisection bandwidth of a fabric, from the design alone, whole or after the loss of switches.

The bisection is the least bandwidth of the links crossed by any cut that leaves half of the node bandwidth on either
side (Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3). Nodes are never cut, since
scale-up joins the rails of a node, and switches fall on whichever side is cheaper. In a folded Clos (Al-Fares et al.,
SIGCOMM 2008) every place (a leaf, unit or pod) can send at most the lesser of what its parts can send and of its own
uplinks. The cost of taking part of a place is concave, so the worst cut takes whole places, the narrowest first, and at
most one in part. This is exact where places of a tier are alike but for one that has lost switches; in other cases the
figure never exceeds what some cut allows. Where links are dealt `uneven`, each upper switch counts with the fewest
links that a lower switch has to it, so the figure is at most that of the plan. Extra devices are not counted, a fabric
that shares tiers is treated as their only user, and omitted nodes of a pod are those of as few units as possible.
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
from fabricgen.design.capacity.mesh_cuts import compute_mesh_bisection
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.shape import count_racks_per_place, count_units_per_place, find_scope, is_part_of_unit

Number = Fraction | int
"""An exact number, an integer where it is whole: arithmetic of integers is many times as fast as that of fractions."""

Pods = tuple[tuple[str, Fraction], ...]
"""The contents of a place: the part of the cluster and the scalable units of each pod in it; racks count as a part of a
unit.
"""


class SwitchLoss(NamedTuple):
    """Switches of a tier that have failed: `switches` in each of `places` places and each of `strands` strands (0:
    all).

    A strand is a part of the fabric that is disjoint from the rest: one rail or plane by which every tier is grouped
    (`count_strands`). Where tiers are grouped by place (`per: su`), the failed switches are in one place. `of_class` is
    instead, by place that has lost some, how many failed of each class of numbers; in the first stands what has failed
    below.
    """

    switches: int
    places: int = 1
    strands: int = 1
    of_class: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class StrandPlace:
    """A place as seen from above, Gb/s: node ports, those that still work, uplinks; and its parts with how many of
    each.

    Where switches of one number are joined by those of the tier above, uplinks stand by class of numbers, and the
    switches of each class (`sliced`) fall on either side of a cut. `Sides` of a cut are bits, one for each class: 1
    where switches are on the other side than the nodes that are asked for.
    """

    size: Number
    works: Number
    up: tuple[Number, ...]
    parts: tuple[tuple[StrandPlace, int], ...] = ()
    sliced: bool = False
    _cuts: dict[tuple[Number, Sides], Number] = field(default_factory=dict, compare=False, repr=False)
    """Cuts that were asked for: each side of the switches above asks for the same ones."""

    def find_bisection(self) -> Number:
        """The least bandwidth between two halves of its nodes, Gb/s."""
        # sides are bits, one for each class of switches above: on which side of the cut it is
        every = (1 << len(self.up)) - 1
        half = _divide_exactly(self.size, 2)
        return min(self._find_cut_below(half, sides) for sides in (range(1, every + 1) if self.sliced else (every,)))

    def _find_cut(self, size: Number, beyond: Sides) -> Number:
        """The least bandwidth between nodes of this much bandwidth, with what of the tiers above is not `beyond` the
        cut, and all others, Gb/s.
        """
        if (size, beyond) not in self._cuts:
            all_sides = (1 << len(self.up)) - 1
            self._cuts[size, beyond] = min(
                sum(
                    # links between switches on different sides are cut
                    (up for number, up in enumerate(self.up) if (beyond ^ sides) >> number & 1),
                    self._find_cut_below(size, sides),
                )
                for sides in (range(all_sides + 1) if self.sliced else (0, all_sides))
            )
        return self._cuts[size, beyond]

    def _find_cut_below(self, size: Number, sides: Sides) -> Number:
        """The least bandwidth, Gb/s, of links below the place's own switches that join two halves of its nodes, one of
        them `size` of the nodes; `sides` says on which side its switches are.
        """
        if not self.parts:
            return _divide_exactly((size if sides else self.size - size) * self.works, self.size) if self.size else 0
        # (cost of moving one place to the other half, cost of leaving it, place, how many such places)
        costs: list[_Cost] = []
        for part, number in self.parts:
            without = part._find_cut(0, sides)
            costs.append((part._find_cut(part.size, sides) - without if part.size else 0, without, part, number))
        # what costs least for its size goes to the other half first; a rest that fits no whole place is shared out
        # exactly
        if len(costs) > 1:
            costs.sort(key=lambda costed: Fraction(costed[0]) / (costed[2].size or 1))
        total = sum(number * without for _, without, _, number in costs)
        spent: Number = 0
        rest = size
        for cost, _, part, number in costs:
            if part.size:
                places = min(number, rest // part.size)
                spent, rest = spent + places * cost, rest - places * part.size
        return total + (self._find_least_cost(costs, size, sides) if rest else spent)

    def _find_least_cost(self, costs: Sequence[_Cost], size: Number, sides: Sides) -> Number:
        """What nodes of this much bandwidth cost where one place is taken in part: of any kind, after as many of the
        narrowest kinds as go whole.
        """
        spent_by_rest: dict[tuple[int, Number], Number] = {}
        for index, (_, _, partly, _) in enumerate(costs):
            spent: Number = 0
            rest = size
            # the last round takes no place: it only looks at what all kinds leave over
            for kind, (cost, _, part, number) in enumerate((*costs, (0, 0, partly, 0))):
                if rest <= partly.size:
                    spent_by_rest.setdefault((index, rest), spent)
                places = min(number - (kind == index), rest // part.size) if part.size else 0
                spent, rest = spent + max(0, places) * cost, rest - max(0, places) * part.size
        return min(
            spent + costs[index][2]._find_cut(rest, sides) - costs[index][1]
            for (index, rest), spent in spent_by_rest.items()
        )


_Cost = tuple[Number, Number, StrandPlace, int]
"""What a part taken whole costs more than where it is left out, what that costs, the part, and how many there are."""
Sides = int
_ByClass = tuple[Fraction, ...]


def _divide_exactly(number: Number, divisor: Number) -> Number:
    """The exact quotient, an integer where it is whole."""
    return _reduce_to_integer(Fraction(number, divisor))


def _reduce_to_integer(number: Number) -> Number:
    """The number, as an integer where it is whole."""
    return number.numerator if number.denominator == 1 else number


def list_chain(design: Design, fabric: FabricDesign) -> tuple[TierDesign, ...]:
    """The tiers above a fabric's nodes, lower ones first, perhaps another fabric's; empty without nodes."""
    height = {tier.key: level for chain in list_chains(design, fabric) for level, tier in enumerate(chain)}
    return tuple(design.tier(key) for key in sorted(height, key=lambda key: height[key]))


def list_chains(design: Design, fabric: FabricDesign) -> tuple[tuple[TierDesign, ...], ...]:
    """By tier that a fabric's nodes attach to, the tiers from it up."""
    chains = []
    for leaf in design.list_leaf_tiers(fabric):
        chain = [leaf]
        while (uplink := chain[-1].uplink) is not None:
            chain.append(design.tier(uplink.upper))
        chains.append(tuple(chain))
    return tuple(chains)


def list_top_tiers(design: Design, fabric: FabricDesign) -> tuple[TierDesign, ...]:
    """The highest tiers above a fabric's nodes: one, or several where nothing joins the parts of the cluster."""
    return tuple(tier for tier in list_chain(design, fabric) if tier.uplink is None)


def count_strands(design: Design, fabric: FabricDesign) -> int:
    """How many disjoint networks the rails, planes and NIC ports divide a fabric's tiers into: of nodes that have most
    of them, where kinds of nodes differ.
    """
    chain = list_chain(design, fabric)
    grouping = [d for d in list_leg_dimensions() if chain and all(is_told(d, tier.per) for tier in chain)]
    independent = [d for d in grouping if find_dimension(d).follows not in grouping]
    return prod(fabric.sizes[d] for d in independent)


def compute_bisection(
    design: Design,
    fabric: FabricDesign,
    lost: Mapping[TierKey, SwitchLoss] | None = None,
    classes: tuple[int, ...] = (1,),
) -> Fraction:
    """Bandwidth across the worst cut of a fabric's nodes into halves, Gb/s each way; 0 where no nodes attach.

    `classes` are how many numbers of switches are of each class, where losses are told by class.
    """
    chain, strands = list_chain(design, fabric), count_strands(design, fabric)
    if not chain:
        return Fraction(0)
    if chain[-1].meshes:
        return _compute_mesh_bisection(design, fabric, chain[-1], lost or {})
    losses = {key: loss for key, loss in (lost or {}).items() if loss.switches or loss.of_class}
    bounds = sorted({min(loss.strands or strands, strands) for loss in losses.values()} | {strands})
    total, first = Fraction(0), 0
    for end in bounds:
        losses_here = {key: loss for key, loss in losses.items() if first < (loss.strands or strands)}
        root = _Strand(design, fabric, chain, strands, losses_here, classes).make_root_place()
        total, first = total + (end - first) * root.find_bisection(), end
    return total


def _compute_mesh_bisection(
    design: Design, fabric: FabricDesign, top: TierDesign, lost: Mapping[TierKey, SwitchLoss]
) -> Fraction:
    """The bisection of a fabric whose top switches meet within their tier, without lost ones of that tier."""
    per_node = max(_count_switches_of_node(fabric, leaf) for leaf in design.list_leaf_tiers(fabric))
    gone = lost[top.key].switches if top.key in lost else 0
    return compute_mesh_bisection(top, sum_node_bandwidth(design, fabric), per_node=per_node, gone=gone)


def _count_switches_of_node(fabric: FabricDesign, leaf: TierDesign) -> int:
    """On how many switches of a group, one after the other, the ports of a node are; all where nodes lie across."""
    groups = prod(leaf.sizes[d] for d in list_leg_dimensions() if d in leaf.per)
    runs = [
        (len(attachment.legs) // groups, feed.turn)
        for feed in fabric.feeds_of(leaf.key)
        for _, attachment in feed.attachments
    ]
    if any(turn % ports and ports % turn for ports, turn in runs):
        return leaf.count
    return min(leaf.count, max((-(-ports // turn) for ports, turn in runs), default=1))


def compute_bisection_per_accelerator(
    design: Design, fabric: FabricDesign, lost: Mapping[TierKey, SwitchLoss] | None = None
) -> Fraction | None:
    """What each accelerator in one half can send to the other half at once, Gb/s; None without accelerators.

    With full bisection this is the bandwidth of the accelerator's NICs.
    """
    number = count_accelerators(design, fabric)
    # half of the accelerators send
    return 2 * compute_bisection(design, fabric, lost) / number if number else None


def count_accelerators(design: Design, fabric: FabricDesign) -> int:
    """Accelerators in the nodes that attach to a fabric and are present."""
    layout = design.layout
    present = [(s.profile.accelerators, layout.count_present(s)) for s in fabric.node_sets]
    return sum(has.count * nodes for has, nodes in present if has)


def sum_node_bandwidth(design: Design, fabric: FabricDesign) -> int:
    """Bandwidth of all node ports of a fabric that are present, Gb/s."""
    return sum(_sum_bandwidth_by_part(design, fabric).values())


def _sum_bandwidth_by_part(design: Design, fabric: FabricDesign) -> Counter[str]:
    """Bandwidth of the node ports of a fabric that are present by part of the cluster, Gb/s."""
    bandwidth: Counter[str] = Counter()
    for feed in fabric.node_feeds:
        for nodes, attachment in feed.attachments:
            bandwidth[feed.part] += design.count_present(feed, nodes) * len(attachment.legs) * attachment.speed_gbps
    return bandwidth


class _Strand:
    """The places of one strand; where switches have failed, one place of each tier is the one `hit`."""

    def __init__(
        self,
        design: Design,
        fabric: FabricDesign,
        chain: tuple[TierDesign, ...],
        strands: int,
        lost: Mapping[TierKey, SwitchLoss],
        classes: tuple[int, ...] = (1,),
    ) -> None:
        # `chain` are the tiers from the nodes up, `classes` how many strands are alike, where losses tell them apart
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
        of_parts = _sum_bandwidth_by_part(design, fabric)
        self._unit_gbps = {
            part: of_parts[part] / (strands * number) if number else Fraction(0) for part, number in units.items()
        }

    def make_root_place(self) -> StrandPlace:
        """The whole strand as one place; where the top tier is grouped by place, spans join its places or
        nothing does.
        """
        tops, pods = list_top_tiers(self._design, self._fabric), _list_contents(self._layout)
        if len(tops) == 1 and find_scope(tops[0].per) == "all":
            intact = next(iter(self._list_shares_left(tops[0], 1, hit=True)), self._all)
            return self._make_place(tops[0], pods, self._spread_by_class(Fraction(0)), self._all, intact, hit=True)
        places: list[tuple[StrandPlace, int]] = []
        for top in tops:
            places += self._list_parts(
                top, "all", pods, self._count_switches_per_place(top) * _find_span_bandwidth(top), self._all, hit=True
            )
        return StrandPlace(self._sum_place_bandwidth(pods), 0, self._spread_by_class(Fraction(0)), tuple(places))

    def _list_parts(
        self, tier: TierDesign, above: str, pods: Pods, up: Fraction, meets: _ByClass, *, hit: bool
    ) -> tuple[tuple[StrandPlace, int], ...]:
        """(place, how many) of a tier within a wider place, each with `up` Gb/s of uplinks; `meets` are the shares of
        upper switches left.
        """
        parts = []
        if tier.layout.cluster is not None:
            pods = tuple(pod for pod in pods if pod[0] == tier.part)
        places = _split_place(tier.layout, above, tier.scope, pods)
        struck, one_hit = self._list_shares_left(tier, places.total(), hit=hit), tier.key in self._sliced
        for inside, number in sorted(places.items(), reverse=True):
            struck_here, struck = struck[:number], struck[number:]
            # where switches fail by number, only the first place is the one hit
            rows = [(intact, hit and not (one_hit and row)) for row, intact in enumerate(struck_here)]
            # (shares of its switches left, is it the one hit, how many such places); intact places last
            alike = [(*row, len(list(rows_of))) for row, rows_of in groupby(rows)]
            alike += [(self._all, False, number - len(struck_here))] * (len(struck_here) < number)
            for intact, lost, same in alike:
                reach = self._spread_by_class(up, meets, intact)
                parts.append((self._make_place(tier, inside, reach, meets, intact, hit=lost), same))
        return tuple(parts)

    def _list_shares_left(self, tier: TierDesign, number: int, *, hit: bool) -> list[_ByClass]:
        """The shares of a tier's switches that are left, one for each of its `number` places that has lost some or
        stands above one that has; `hit`: whether the place around these is where switches have failed.
        """
        loss, per_place = self._lost.get(tier.key), self._count_switches_per_place(tier)
        if not hit and (loss is None or loss.places or loss.of_class):
            return []
        if loss and loss.of_class:
            of_class = [per_place * weight for weight in self._weights]
            return [
                tuple(1 - n / in_class for n, in_class in zip(gone, of_class, strict=True)) for gone in loss.of_class
            ]
        if loss:
            return [(max(Fraction(0), 1 - loss.switches / per_place),) * len(self._all)] * (loss.places or number)
        return [self._all] * min(number, self._count_places_hit_below(tier))

    def _spread_by_class(self, gbps: Fraction, *shares: _ByClass) -> tuple[Number, ...]:
        """Uplinks by class of numbers, Gb/s, of which shares are left."""
        return tuple(
            _reduce_to_integer(prod(shares_of_class, start=gbps))
            for shares_of_class in zip(self._weights, *shares, strict=True)
        )

    def _count_places_hit_below(self, tier: TierDesign) -> int:
        """How many places of a tier have failed switches below them, where these are packed into as few as can be; 0
        for none.
        """
        most = 0
        for lower in self._lower[tier.key]:
            loss = self._lost.get(lower.key)
            places = loss.places if loss else self._count_places_hit_below(lower)
            if loss or places:
                # places of this tier that so many of the lower one fill; a loss by number has none, and is below one
                most = max(most, 1, ceil(Fraction(places * tier.places, lower.places)))
        return most

    def _make_place(
        self, tier: TierDesign, pods: Pods, up: tuple[Number, ...], meets: _ByClass, intact: _ByClass, *, hit: bool
    ) -> StrandPlace:
        """A place of a tier with its switches and all below; `meets` and `intact` are the shares of the switches above
        and of its own that are left.
        """
        size, scope = self._sum_place_bandwidth(pods), find_scope(tier.per)
        if not self._lower[tier.key]:
            return StrandPlace(size, size, up, tuple(self._list_leaves(tier, size, meets, hit=hit)))
        places: list[tuple[StrandPlace, int]] = []
        for lower in self._lower[tier.key]:
            places += self._list_parts(
                lower,
                scope,
                pods,
                self._count_switches_per_place(lower) * _sum_uplink_bandwidth(lower),
                intact,
                hit=hit,
            )
        return StrandPlace(size, size, up, tuple(places), sliced=tier.key in self._sliced)

    def _list_leaves(
        self, leaf: TierDesign, size: Number, meets: _ByClass, *, hit: bool
    ) -> Iterator[tuple[StrandPlace, int]]:
        """(leaf, how many) of a place, by the nodes they serve; leaves that lost switches apart from the others."""
        bunches = max(1, leaf.count // self._count_leaves_of_node(leaf))
        per_bunch, loss = self._count_switches_per_place(leaf) / bunches, self._lost.get(leaf.key)
        failed = Fraction(loss.switches) if loss and (hit or not loss.places) else Fraction(0)
        dead = min(bunches, int(failed // per_bunch))
        partly = 1 - (failed - dead * per_bunch) / per_bunch if dead < bunches and failed > dead * per_bunch else None
        up = per_bunch * (_sum_uplink_bandwidth(leaf) if leaf.uplink else _sum_peer_bandwidth(leaf))
        share = _divide_exactly(size, bunches)
        for alive, number in ((Fraction(0), dead), (partly, 1), (Fraction(1), bunches - dead - (partly is not None))):
            if alive is not None and number:
                yield (
                    StrandPlace(share, _reduce_to_integer(share * alive), self._spread_by_class(up * alive, meets)),
                    number,
                )

    def _count_leaves_of_node(self, leaf: TierDesign) -> int:
        """Over how many leaves of a group the ports of one node are spread."""
        groups = prod(leaf.sizes[d] for d in list_leg_dimensions() if d in leaf.per)
        feeds = self._fabric.feeds_of(leaf.key)
        # -(-a // b) rounds up; `turn` slots follow each other on one leaf
        most = max(-(-len(a.legs) // (groups * f.turn)) for f in feeds for _, a in f.attachments)
        return min(leaf.count, most)

    def _count_switches_per_place(self, tier: TierDesign) -> Fraction:
        """Switches of a tier in each of its places."""
        return Fraction(tier.switches, tier.places * self._strands)

    def _sum_place_bandwidth(self, pods: Pods) -> Number:
        """Bandwidth of the node ports of a place, Gb/s."""
        return _reduce_to_integer(sum(units * self._unit_gbps[part] for part, units in pods))


def _sum_uplink_bandwidth(tier: TierDesign) -> int:
    """Bandwidth of the uplinks of a switch that are wired, Gb/s; where they land unequally, what no cut is below."""
    uplink, up = tier.uplink, tier.up
    return uplink.full_load_links * up.speed_gbps if uplink and up else 0


def _sum_peer_bandwidth(tier: TierDesign) -> int:
    """Bandwidth between the two switches of a pair, Gb/s; 0 where a group has several pairs, as these are
    not joined.
    """
    peer_links = tier.peer_links
    return peer_links.run.bandwidth_gbps if peer_links and not peer_links.spans and tier.count == 2 else 0


def _find_span_bandwidth(tier: TierDesign) -> int:
    """Bandwidth of a switch to other sites, Gb/s; of the site that has least."""
    peer_links = tier.peer_links
    if peer_links is None or not peer_links.spans:
        return 0
    sites: Counter[int] = Counter()
    for span in peer_links.spans:
        sites.update(dict.fromkeys(span.sites, span.links))
    return min(sites.values()) * peer_links.run.speed_gbps


def _list_contents(layout: Layout, site: str = "") -> Pods:
    """The contents of a site, or of the cluster, in full units: omitted nodes are those of as few as possible."""
    kinds = layout.kind_of_pod
    missing = Counter(slot.pod for slot in layout.omitted if slot.node <= kinds[slot.pod].nodes)
    return tuple(
        (pod.part, pod.su - Fraction(missing[number], kind.nodes))
        for number, (pod, kind) in enumerate(zip(layout.pods, kinds, strict=True))
        if site in ("", pod.site)
    )


def _split_place(layout: Layout, upper: str, lower: str, pods: Pods) -> Counter[Pods]:
    """The places of a narrower scope within a place, by their contents, with how many of each."""
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
        # unary plus drops what counts 0
        return +counts
    units_in_all = sum((su for _, su in pods), Fraction(0))
    units_per_place, racks = count_racks_per_place(layout, lower), units_in_all * layout.racks_per_su
    units = max(1, ceil(units_in_all))
    # racks of one unit, or of the fraction of one; the last place of a unit may have fewer
    inside = int(racks / units_in_all) if units_in_all >= 1 else int(racks)
    return Counter(
        {
            ((part, Fraction(size, inside) * units_in_all / units),): units * number
            for size, number in Counter(
                min(units_per_place, inside - first) for first in range(0, inside, units_per_place)
            ).items()
        }
    )
