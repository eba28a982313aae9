"""The figures of a candidate, from its design, and from its wiring plan if it is shown.

The design counts switches, links and bandwidth exactly. For cables, optics, power, price and latency it gives lower
bounds: a transceiver in every cage with a cable, except links in racks, which copper may carry, and cables of length 0.
The wiring plan, which knows lengths and so media, parts and prices, counts these exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from fabricgen.catalog.cable_models import CableProfile, CageLanes
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.loads import Device, has_optics, planned_w
from fabricgen.design.capacity.bisection import compute_bisection, sum_node_bandwidth
from fabricgen.design.capacity.failure import FailureAnalysis
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.inside.meshes import count_mesh_cables
from fabricgen.design.media.gearing import LinkPort, find_light_rate
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.size.mesh_figures import (
    count_least_hops,
    describe_routing,
    find_mesh_link_losses,
    list_mesh_links,
    measure_hops,
    measure_longest_m,
    sum_longest_path_m,
)

if TYPE_CHECKING:
    from fabricgen.bom.bill import BillLine
    from fabricgen.cluster import Cluster


Prices: TypeAlias = Mapping[str, float] | None
"""Price of one piece by part; None where prices are not known at all."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a candidate has and costs; before it is wired, costs are lower bounds.

    A figure that nobody knows is None, such as the power if a switch has no power figure. `power_w` is that of switches
    and optics; `latency_ns` is one way over the longest path; `bisection` is a fraction of 1.
    """

    switches: Mapping[str, int]
    links: int
    cables: int
    optics: int
    power_w: float | None
    hops: int
    bisection: float
    switch_power_w: float | None
    nodes_power_w: float | None
    latency_ns: float | None = None
    price: float | None = None
    growth: int | None = None
    """Links that are re-plugged when it grows; None if growth is not wished for, or is not possible."""
    optics_by_kind: Mapping[str, int] = field(default_factory=dict)
    cables_by_kind: Mapping[str, int] = field(default_factory=dict)
    optics_power_w: float = 0
    power_basis: str = ""
    """Basis of the power of its switches: their maximum or typical draw, an estimate, or unknown."""
    racks: int = 0
    network_racks: int = 0
    longest_m: float = 0
    unpriced: int = 0
    """Pieces without a price that are neither switches nor transceivers."""
    without_price: tuple[str, ...] = ()
    """Switches and transceivers without a price; if there are any, the candidate has no price."""
    part_names: frozenset[str] = frozenset()
    """Names under which the prices of its bill are looked up."""
    lost: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By tier: the fraction of the bisection that one lost switch leaves, and the node ports that lose their link."""
    lost_link: Mapping[str, float] = field(default_factory=dict)
    """By lower end, `node` or a tier: the fraction of the bisection that one lost link leaves."""
    nic_links: int = 1
    """Links of a NIC to the fabric, over all planes."""
    nics_cut_off: int = 0
    """NICs that the loss of one switch leaves without any link, at most."""
    routing: tuple[str, ...] = ()
    """How switches that meet within a tier are routed, and which links shortest paths leave idle: a line for each."""

    @property
    def draw_w(self) -> float:
        """What it draws with its nodes, W; an unknown draw counts as 0."""
        return (self.power_w or 0) + (self.nodes_power_w or 0)

    def on(self, axis: str) -> float | None:
        """Return its value on an axis of `AXES`; None if it is unknown."""
        if axis == "switches":
            return sum(self.switches.values())
        if axis == "left":
            fractions = (*(loss["bisection_left"] for loss in self.lost.values()), *self.lost_link.values())
            return min(fractions, default=1.0)
        name = {"power": "power_w", "latency": "latency_ns", "loss": "nics_cut_off"}.get(axis, axis)
        value: float | None = getattr(self, name)
        return value


def find_figures(design: Design, prices: Prices) -> Figures:
    """Return the figures of a design without expanding it into a wiring plan; costs are lower bounds."""
    fabric = design.fabrics[0]
    ends, is_meshed = list(_list_cage_ends(design, fabric)), any(tier.meshes for tier in fabric.tiers)
    nodes_gbps = sum_node_bandwidth(design, fabric)
    switch_w = _sum_watts((planned_w(tier.profile), tier.switches) for tier in fabric.tiers)
    added_w = sum(end.count * end.least_w for end in ends if not has_optics(end.device))
    return Figures(
        switches={tier.name: tier.switches for tier in fabric.tiers},
        links=sum(links for *_, links in (*_list_tier_links(design, fabric), *list_mesh_links(fabric))),
        cables=_count_least_cables(design, fabric),
        optics=sum(end.count for end in ends),
        power_w=None if switch_w is None else switch_w + added_w,
        # switches on a way through the top tier: up all tiers and down again
        hops=count_least_hops(fabric) if is_meshed else 2 * len(fabric.tiers) - 1,
        # a half of the nodes can send half of the bandwidth of all
        bisection=float(2 * compute_bisection(design, fabric) / nodes_gbps) if is_meshed or fabric.tiers[1:] else 1.0,
        switch_power_w=switch_w,
        nodes_power_w=_sum_watts(
            (planned_w(s.profile), design.layout.count_present(s)) for s in design.layout.node_sets
        ),
        latency_ns=_sum_switches_ns(design, fabric, count_least_hops(fabric) if is_meshed else None),
        price=None if prices is None else _sum_least_price(fabric, ends, prices),
        power_basis=fabric.tiers[0].profile.power_w.basis,
        nic_links=_count_nic_links(fabric),
        nics_cut_off=_count_cut_off_nics(fabric),
        routing=describe_routing(design),
    )


def add_losses(designed: Figures, design: Design) -> Figures:
    """Return the figures of a design with what the loss of one switch and of one link leaves of its bisection."""
    fabric = design.fabrics[0]
    failures = FailureAnalysis(design, fabric)
    return replace(designed, lost=_find_switch_losses(failures, fabric), lost_link=_find_link_losses(failures, fabric))


def _count_nic_links(fabric: FabricDesign) -> int:
    """Return how many links the NIC with the fewest links has."""
    legs = (Counter(leg.rail for leg in attachment.legs) for _, attachment in fabric.attachments)
    return min(min(by_rail.values()) for by_rail in legs)


def _count_cut_off_nics(fabric: FabricDesign) -> int:
    """Return how many NICs lose all links with one switch: those of a full leaf, or 0 if the fabric has planes."""
    leaf = next(tier for tier in fabric.tiers if tier.lowest)
    # with planes, each NIC has links to other leaves as well
    return 0 if fabric.planes > 1 else -(-leaf.downs[0].count // _count_nic_links(fabric))


def _sum_watts(watts: Iterator[tuple[float | None, int]]) -> float | None:
    """Return the sum of (power of a piece in W, pieces), W; None if the power of any piece is not known."""
    total = 0.0
    for piece_w, count in watts:
        if piece_w is None:
            return None
        total += piece_w * count
    return total


def _list_tier_links(design: Design, fabric: FabricDesign) -> Iterator[tuple[str, TierDesign, int]]:
    """Yield (name of the lower tier, upper tier, links) for each pair of tiers.

    Nodes are the tier `node`, with an entry for each way in which they attach.
    """
    for feed in fabric.node_feeds:
        for nodes, attachment in feed.attachments:
            yield "node", design.tier(feed.leaf), design.count_present(feed, nodes) * len(attachment.legs)
    for tier in fabric.tiers:
        if tier.uplink and tier.up:
            per_switch = tier.uplink.links_per_group * tier.uplink.upper_groups
            yield tier.name, design.tier(tier.uplink.upper), tier.switches * per_switch


def _count_least_cables(design: Design, fabric: FabricDesign) -> int:
    """Return a lower bound of the number of cables between nodes and switches and between switches.

    Links share a breakout cable at their lower end if its connector is split, else at their upper end. Nodes whose leaf
    is in their rack are counted with one cable for each of their cages, since a single copper cable may fill it.
    """
    cables = 0
    for lower, upper, links in _list_tier_links(design, fabric):
        up = None if lower == "node" else fabric.tier(lower).up
        if lower == "node" and upper.scope == "rack":  # one of copper may fill a cage that two fibres would
            cables += sum(
                _count_cages(attachment) * design.layout.count_present(nodes)
                for nodes, attachment in fabric.attachments
            )
            continue
        at_lower = (
            up.links_per_connector
            if up
            else max(attachment.links_per_connector for _, attachment in fabric.attachments)
        )
        cables += -(-links // (at_lower if at_lower > 1 else upper.downs[0].links_per_connector))
    return cables + sum(count_mesh_cables(tier, mesh) for tier, mesh, _ in list_mesh_links(fabric))


def _count_cages(attachment: Attachment) -> int:
    """Return the number of cages of a node that its links are plugged into."""
    return len({leg.cage for leg in attachment.legs})


@dataclass(frozen=True, slots=True)
class _Ends:
    """Equal cages of equal devices with a transceiver in each; `media` are the modules that may be in them.

    `count` is the number of cages. `top` is the OSFP plug that they take, finned or flat, "" for others. `gbps` is the
    speed of a cage with all of its ports, and `lane_gbps` that of a lane.
    """

    device: Device
    count: int
    form_factor: str
    top: str
    gbps: int
    lane_gbps: float
    media: tuple[CableProfile, ...]

    @property
    def least_w(self) -> float:
        """The power of the most frugal transceiver, W."""
        lanes = self.gbps / self.lane_gbps
        return min((medium.end_power_w(lanes) or 0 for medium in self.media), default=0)


def _list_cage_ends(design: Design, fabric: FabricDesign) -> Iterator[_Ends]:
    """Yield the cages at both ends of the links of each pair of tiers and of each mesh.

    Links within racks of NICs that are not split are left out, since copper may carry them.
    """
    for lower, upper, links in _list_tier_links(design, fabric):
        run = upper.downs[0]
        up = None if lower == "node" else fabric.tier(lower).up
        if up:
            yield _make_ends(
                fabric.tier(lower).profile, -(-links // up.ways), up, _list_modules(design.catalog, up, run)
            )
            yield _make_ends(upper.profile, -(-links // run.ways), run, _list_modules(design.catalog, run, up))
            continue
        for nodes, attachment in fabric.attachments:
            cages = _count_cages(attachment)
            gbps = len(attachment.legs) // cages * attachment.speed_gbps
            # copper has no modules to count
            if upper.scope != "rack" or attachment.links_per_connector > 1:
                count = design.layout.count_present(nodes) * cages
                cage = (attachment.form_factor, attachment.top)
                fits = _list_modules(design.catalog, attachment, run)
                yield _Ends(nodes.profile, count, *cage, gbps, attachment.lane_gbps, fits)
                yield _make_ends(
                    upper.profile, -(-links // run.ways), run, _list_modules(design.catalog, run, attachment)
                )
    for tier, mesh, links in list_mesh_links(fabric):
        modules = _list_modules(design.catalog, mesh.run, mesh.run)
        yield _make_ends(tier.profile, -(-2 * links // mesh.run.ways), mesh.run, modules)


def _list_modules(catalog: Catalog, port: LinkPort, far: LinkPort) -> tuple[CableProfile, ...]:
    """Return the profiles of the modules that a port may have for links to the port `far`."""
    light, geared = find_light_rate(catalog, port, far), catalog.gearboxes
    media = (c for c in catalog.cables if c.fibre and c.selectable and light in c.lane_gbps)
    at = CageLanes(port.form_factor, port.lane_gbps, port.speed_gbps)
    return tuple(dict.fromkeys(module for c in media if (module := c.find_module_at(at, light, geared))))


def _make_ends(device: Device, count: int, run: PortRun, media: tuple[CableProfile, ...]) -> _Ends:
    return _Ends(device, count, run.form_factor, run.top, run.ways * run.speed_gbps, run.lane_gbps, media)


def _sum_least_price(fabric: FabricDesign, ends: list[_Ends], prices: Mapping[str, float]) -> float:
    """Return the price of the switches and of the cheapest transceivers; a part without a price counts as 0."""
    from fabricgen.wiring.cabling.end_kinds import EndKind

    total = sum(prices.get(tier.profile.id, 0) * tier.switches for tier in fabric.tiers)
    for end in ends:
        kind = EndKind(end.form_factor, end.gbps, end.lane_gbps, top=end.top)
        total += end.count * min((prices.get(kind.find_transceiver_part(medium), 0) for medium in end.media), default=0)
    return total


def _sum_switches_ns(design: Design, fabric: FabricDesign, hops: int | None = None) -> float | None:
    """Return the latency of the switches of the longest path, ns; None if it is not known.

    The path passes a switch of each tier on the way up and on the way down, and one of the top tier. If the switches of
    the only tier meet, `hops` says how many of them it passes.
    """
    latency = design.catalog.constants().latency
    latencies = [latency.switch_ns(tier.profile) for tier in fabric.tiers]
    known_latencies = [ns for ns in latencies if ns is not None]
    if hops is not None:
        return hops * known_latencies[0] if known_latencies else None
    return 2 * sum(known_latencies) - known_latencies[-1] if len(known_latencies) == len(latencies) else None


def count_replugged(now: Design, grown: Design) -> int:
    """Return how many links between switches get another upper end when a design becomes the grown one.

    A lower switch has U links to S upper ones of a group, U/S to each; with S' >= S upper ones and U' links, the lesser
    of U/S and U'/S' stays on each of the S, and all others move. Only links of lower switches that exist already count.
    """
    moved = 0
    fabric, later = now.fabrics[0], grown.fabrics[0]
    for tier in fabric.tiers:
        old, new = tier.uplink, later.tier(tier.name).uplink
        if old is None or new is None:
            continue
        stay = min(Fraction(old.links_per_group, old.upper_count), Fraction(new.links_per_group, new.upper_count))
        staying = min(old.upper_count, new.upper_count) * int(stay)
        moved += max(0, old.links_per_group - staying) * old.upper_groups * tier.switches
    return moved


def measure_figures(cluster: Cluster, designed: Figures, prices: Prices) -> Figures:
    """Return the figures of a design, `designed`, with those that the wiring plan of the cluster counts exactly."""
    import numpy as np

    from fabricgen.bom.bill import make_bill
    from fabricgen.bom.cables import CableParts
    from fabricgen.bom.need import count_installed
    from fabricgen.bom.optics import sum_rack_optics
    from fabricgen.bom.prices import list_part_names
    from fabricgen.bom.sources import transceivers
    from fabricgen.design.capacity.counts import count_links

    design = cluster.design
    fabric, cables = design.fabrics[0], cluster.plan.cables
    counts = count_links(design, fabric)
    parts = CableParts(cluster)
    # only prices need the whole bill
    bill = make_bill(cluster) if prices is not None else None
    installed = count_installed([transceivers.needs(cluster, parts)])
    by_kind = {part.part: count for part, count in installed.items() if count}
    media = np.bincount(cables.medium, minlength=len(cables.media)).tolist()
    cables_by_kind = {medium.id: count for medium, count in zip(cables.media, media, strict=True) if count}
    # an active optical cable has a module at each end, which the bill has as parts of the cable
    fixed = {m.id: 2 * cables_by_kind[m.id] for m in cables.media if m.id in cables_by_kind and m.medium == "AOC"}
    racks = sum_rack_optics(cluster, parts)
    node_racks = len(set(cluster.plan.devices.rack[cluster.plan.devices.node >= 0].tolist()))
    price, unpriced, without = _price_lines(bill.lines, prices or {}) if bill else (None, 0, ())
    hops = measure_hops(cluster) if designed.routing else None
    switch_w, switches_ns = designed.switch_power_w, _sum_switches_ns(design, fabric, hops)
    per_m = design.catalog.constants().latency.medium.fibre_ns_per_m
    # the longest path has the longest cable of each kind of link twice: up, and down
    path_m = 2 * float(measure_longest_m(cluster).sum()) if hops is None else sum_longest_path_m(cluster, hops)
    return replace(
        designed,
        links=sum(count.links for count in counts),
        cables=len(cables),
        optics=sum(by_kind.values()) + sum(fixed.values()),
        power_w=None if switch_w is None else switch_w + float(racks.added_w.sum()),
        optics_power_w=float(racks.power_w.sum()),
        latency_ns=None if switches_ns is None else switches_ns + per_m * path_m,
        hops=hops or designed.hops,
        price=price,
        unpriced=unpriced,
        without_price=without,
        part_names=frozenset(list_part_names(bill)) if bill and prices else frozenset(),
        optics_by_kind=by_kind | fixed,
        cables_by_kind=cables_by_kind,
        racks=len(cluster.plan.racks),
        network_racks=len(cluster.plan.racks) - node_racks,
        longest_m=float(cables.length_m.max(initial=0)),
    )


def _price_lines(lines: tuple[BillLine, ...], prices: Mapping[str, float]) -> tuple[float | None, int, tuple[str, ...]]:
    """Return (price of all lines but nodes, other pieces without a price, switches and transceivers without one).

    If any switch, line card or transceiver has no price, the price is None and no other pieces are counted.
    """
    from fabricgen.bom.prices import as_price, price_units
    from fabricgen.bom.sets import find_price

    total, unpriced, without = 0, 0, set()
    for line in lines:
        price = find_price(line.part, prices)
        if line.kind == "node":
            continue
        if price is not None:
            total += price_units(price) * (line.quantity + line.spares)
        elif line.kind in ("switch", "line-card", "transceiver"):
            without.add(line.part)
        else:
            unpriced += line.quantity
    if without:
        return None, 0, tuple(sorted(without))
    return float(as_price(total)), unpriced, ()


def _find_switch_losses(failures: FailureAnalysis, fabric: FabricDesign) -> dict[str, dict[str, float]]:
    """Return, by tier, the fraction of the bisection that one lost switch leaves and the node ports it cuts off."""
    losses = {}
    for tier in fabric.tiers:
        left = float(failures.analyze_switch_loss(tier).share) if failures.whole else 0.0
        ports = tier.downs[0].count if tier.lowest else 0
        losses[tier.name] = {"bisection_left": round(left, 4), "node_ports": ports}
    return losses


def _find_link_losses(failures: FailureAnalysis, fabric: FabricDesign) -> dict[str, float]:
    """Return, by lower end (`node` or a tier), the fraction of the bisection that one lost link leaves.

    A lost link is counted as `analyze` counts a lost cable. A full group of switches sends as much as its uplinks or
    its downlinks carry, whichever is less; the bisection falls by as much as that falls in the group of the link.
    """
    if any(tier.meshes for tier in fabric.tiers):
        return find_mesh_link_losses(fabric, float(failures.whole))
    leaf, losses = next(tier for tier in fabric.tiers if tier.lowest), {}
    link_gbps = leaf.downs[0].speed_gbps
    # bandwidth of all links below a group of switches of the tier, Gb/s
    down_gbps = leaf.downs[0].count * link_gbps
    for name, tier in (("node", leaf), *((tier.name, tier) for tier in fabric.tiers if tier.uplink)):
        groups = tier.count if name != "node" and not tier.lowest else 1
        up_gbps = groups * tier.uplink.full_load_links * tier.up.speed_gbps if tier.uplink and tier.up else down_gbps
        if name == "node":
            lost_gbps = min(down_gbps, up_gbps) - min(down_gbps - link_gbps, up_gbps)
        elif tier.up and tier.uplink:
            lost_gbps = min(down_gbps, up_gbps) - min(down_gbps, up_gbps - tier.up.speed_gbps)
            upper = next(upper for upper in fabric.tiers if upper.key == tier.uplink.upper)
            # all switches below one group of the tier above send together
            lower_switches = tier.switches * tier.uplink.upper_groups * upper.count // upper.switches
            down_gbps = min(down_gbps, up_gbps) * (lower_switches // groups)
        losses[name] = round(max(0.0, 1 - lost_gbps / float(failures.whole)), 6) if failures.whole else 0.0
    return losses
