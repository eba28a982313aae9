"""The network between accelerators as analyses read it: ranks, their ports, and what each tier joins.

A rank is an accelerator, or a node if no node of the cluster has accelerators. `Level` k of a network consists of
components: sets of switches that the tiers up to the k-th above the nodes join, single leaves at level 0. Traffic
between two ports stays below the first level at which they share a component, and uses the uplinks of every component
that it leaves; in a folded Clos with traffic spread evenly over equal paths (Al-Fares et al., SIGCOMM 2008) nothing
else limits it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.blueprint.dimensions import list_scopes
from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.design.capacity.bisection import list_chains
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierKey
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.kernel.diagnostics import InputError
from fabricgen.wiring.arrays import Flags, Floats, Ints64, join_components, rank_within
from fabricgen.wiring.tables import NODE, DeviceClass, WiringPlan

NONE = -1


@dataclass(frozen=True, slots=True)
class Ranks:
    """Accelerators in the order of nodes, as int64 columns.

    `device` is the row of the node, `accelerator` the number in the node from 0 (0 for a node without accelerators),
    `domain` the number of the scale-up domain; a node in none counts as one. `unit`, `pod` and `site` are those of the
    device table; `rail` counts from 1, 0 for none.
    `domain_gbps` (float64) is what a rank sends into its domain, Gb/s each way; 0 if that is not known. If scale-up has
    two tiers or nested domains, `domain` is the widest, and `first_tier` is the next one within it, of
    `first_tier_size` accelerators, each with `first_tier_gbps`; otherwise these three are those of the domain itself.
    """

    device: Ints64
    accelerator: Ints64
    domain: Ints64
    unit: Ints64
    pod: Ints64
    site: Ints64
    rail: Ints64
    domain_gbps: Floats
    first_tier: Ints64
    first_tier_gbps: Floats
    first_tier_size: Ints64

    def __len__(self) -> int:
        return len(self.device)


@dataclass(frozen=True, slots=True)
class Level:
    """What the tiers up to one of them join.

    `component` is the number of the component of each device row, int64; a device that no link joins is alone in its
    own. `out_gbps` is the bandwidth of the links that leave each component, by its number, Gb/s each way. `tiers` are
    the tiers that join here, () where links between sites or within a tier do. `hop_m` is the mean length of the cables
    above the level, m; 0 at the top.
    """

    tiers: tuple[TierKey, ...]
    component: Ints64
    out_gbps: Floats
    hop_m: float
    name: str = ""
    """`group` or `mesh` where links within a tier join it, within groups or between them; else ""."""


@dataclass(frozen=True, slots=True)
class Uplinks:
    """Links between switches of two tiers, as columns of one length.

    `lower` and `upper` are the device rows of their switches and `row` is the row of the link, int64. `gbps` is their
    speed and `length_m` the length of their cable, float64.
    """

    lower: Ints64
    upper: Ints64
    gbps: Floats
    length_m: Floats
    height: Ints64
    """How many tiers stand between the nodes and the lower switch."""
    row: Ints64


@dataclass(frozen=True, slots=True)
class Network:
    """The scale-out network of the accelerators of a fabric.

    `leaf`, int64 [ranks, ports], is the device row of the leaf at each port of a rank, -1 for none. `gbps`, float64 of
    the same shape, is the speed of the port, divided if accelerators share a NIC; `port_link` is the row of its link.
    """

    cluster: Cluster
    fabric: FabricDesign
    ranks: Ranks
    leaf: Ints64
    gbps: Floats
    port_link: Ints64
    levels: tuple[Level, ...]
    uplinks: Uplinks
    spans: tuple[Ints64, Ints64]
    """Rows of the switches at the two ends of every link between sites."""
    node_m: float
    """Mean length of the cables of nodes, m."""
    dark: Ints64 | None
    """Rows of the links that are missing in a network as found in the hall; None for a plan."""

    @property
    def what(self) -> str:
        """Return what the ranks are, in words: accelerators or nodes."""
        has_accelerators = any(nodes.profile.accelerators for nodes in self.cluster.design.layout.node_sets)
        return "accelerators" if has_accelerators else "nodes"

    @property
    def is_meshed(self) -> bool:
        """Whether switches of the network meet within a tier; then levels do not tell what joins ranks."""
        return has_meshes(self.cluster.design, self.fabric)

    @property
    def rank_gbps(self) -> float:
        """Return the median of what a rank can send to the network, Gb/s."""
        return find_median(self.gbps.sum(axis=1))

    @property
    def top(self) -> Level:
        """The widest level."""
        return self.levels[-1]

    def list_ports(self, chosen: Flags | None = None) -> tuple[Ints64, Ints64, Floats]:
        """Return (device row of the node, of the leaf, Gb/s) of every port that has a link.

        `chosen`, bool of the shape of `leaf`, chooses other ports.
        """
        rank, port = np.nonzero(self.leaf != NONE if chosen is None else chosen)
        return self.ranks.device[rank], self.leaf[rank, port], self.gbps[rank, port]

    def find_joining_level(self, source: Ints64, target: Ints64) -> Ints64:
        """Return the lowest level that joins each pair of ranks, int64; the number of levels if no level joins them.

        `source` and `target` are the ranks of the pairs. Ports of the same number are compared, since these are in one
        plane; the lowest level at which any of them meet counts.
        """
        levels = np.full(len(source), len(self.levels), dtype=np.int64)
        for port in range(self.leaf.shape[1]):
            a, b = self.leaf[source, port], self.leaf[target, port]
            both_wired = (a != NONE) & (b != NONE)
            for number in range(len(self.levels) - 1, -1, -1):
                component = self.levels[number].component
                # -1, of a port without a link, takes the last device's component: `both_wired` leaves it out
                joined = both_wired & (component[a] == component[b])
                np.minimum(levels, number, out=levels, where=joined)
        return levels


def list_networks(cluster: Cluster, dark: Ints64 | None = None, *, meshed: bool = False) -> Iterator[Network]:
    """Yield the networks of a cluster that join accelerators.

    They are the networks of NICs that belong to an accelerator; if there are none, the widest network of nodes with
    accelerators; if no node has any, the widest network of nodes. Networks whose switches meet within a tier are
    yielded only with `meshed`, since levels do not tell what joins their ranks. `dark` has the rows of the links that
    are missing in a cluster as found in the hall; None for a plan.
    """
    attaching = [f for f in cluster.design.fabrics if _list_attachments(f)]
    joining_accelerators = [f for f in attaching if any(a.profile.accelerators for a in _list_attachments(f))]
    candidates = joining_accelerators or attaching
    with_gpus = [f for f in candidates if any(leg.gpu is not None for a in _list_attachments(f) for leg in a.legs)]
    # a stable sort: of fabrics as wide as each other the first in the blueprint
    widest = sorted(candidates, key=lambda f: -max(sum(a.speed_gbps for _ in a.legs) for a in _list_attachments(f)))
    for fabric in with_gpus or widest[:1]:
        if meshed or not has_meshes(cluster.design, fabric):
            yield make_network(cluster, fabric, dark)


def has_meshes(design: Design, fabric: FabricDesign) -> bool:
    """Whether switches above a fabric's nodes meet within their tier along its dimensions."""
    return any(tier.meshes for chain in list_chains(design, fabric) for tier in chain)


def _list_attachments(fabric: FabricDesign) -> list[Attachment]:
    return [attachment for feed in fabric.node_feeds for _, attachment in feed.attachments]


def _count_ranks(design: Design, profile: NodeProfile) -> int:
    """Return the number of ranks of a node: its accelerators, or 1 if no node of the cluster has any."""
    if profile.accelerators:
        return profile.accelerators.count
    return 0 if any(nodes.profile.accelerators for nodes in design.layout.node_sets) else 1


def make_network(cluster: Cluster, fabric: FabricDesign, dark: Ints64 | None = None) -> Network:
    """Return the network of the accelerators whose nodes attach to a fabric.

    `dark` has the rows of the links that are missing, int64; None for a plan.
    """
    plan, design = cluster.plan, cluster.design
    lit_links = np.ones(len(plan.links), dtype=np.bool_)
    if dark is not None:
        lit_links[dark] = False
    ranks, first_rank_of_device = _make_ranks(cluster, fabric)
    leaf, gbps, link, rail = _find_ports(cluster, fabric, first_rank_of_device, len(ranks), lit_links)
    ranks = replace(ranks, rail=rail)
    heights = _find_heights(design, fabric)
    uplinks = _list_uplinks(plan, heights, lit_links)
    cable = plan.links.cable[link[link != NONE]]
    return Network(
        cluster,
        fabric,
        ranks,
        leaf,
        gbps,
        link,
        tuple(_list_levels(plan, heights, uplinks, lit_links)),
        uplinks,
        _span_ends(plan, _find_spans(plan, heights, lit_links)),
        _average_length_m(plan, cable),
        dark,
    )


def _find_heights(design: Design, fabric: FabricDesign) -> dict[TierKey, int]:
    """Return for each tier above a fabric's nodes how many tiers stand between the nodes and it."""
    heights: dict[TierKey, int] = {}
    for chain in list_chains(design, fabric):
        for tiers_below, tier in enumerate(chain):
            heights[tier.key] = max(tiers_below, heights.get(tier.key, 0))
    return heights


def _list_node_classes(plan: WiringPlan, fabric: FabricDesign) -> list[DeviceClass]:
    attached = {nodes.path for feed in fabric.node_feeds for nodes, _ in feed.attachments}
    return [cls for cls in plan.devices.classes if cls.kind == NODE and cls.path in attached and cls.count]


def _make_ranks(cluster: Cluster, fabric: FabricDesign) -> tuple[Ranks, Ints64]:
    """Return (the ranks, the first rank of each device row, int64, -1 for none); rails are set later."""
    plan, table = cluster.plan, cluster.plan.devices
    first_rank_of_device = np.full(len(table), NONE, dtype=np.int64)
    device_rows, accelerator_numbers, rates, rank_count = [], [], [], 0
    for cls in _list_node_classes(plan, fabric):
        profile = cls.profile
        per_node = _count_ranks(cluster.design, profile) if isinstance(profile, NodeProfile) else 0
        if not isinstance(profile, NodeProfile) or not per_node:
            continue
        devices = np.arange(cls.first, cls.first + cls.count, dtype=np.int64)
        # Ranks are numbered by class, then by node, then by accelerator.
        first_rank_of_device[devices] = rank_count + np.arange(cls.count) * per_node
        device_rows.append(np.repeat(devices, per_node))
        accelerator_numbers.append(np.tile(np.arange(per_node, dtype=np.int64), cls.count))
        rates.append(np.tile(_find_domain_rates(cluster.design, profile, per_node), (cls.count * per_node, 1)))
        rank_count += cls.count * per_node
    device = np.concatenate(device_rows) if device_rows else np.zeros(0, dtype=np.int64)
    unit, pod, site = (getattr(table, name)[device].astype(np.int64) for name in ("unit", "pod", "site"))
    accelerator = np.concatenate(accelerator_numbers) if device_rows else device
    domain_gbps, tier_gbps, tier_size = np.concatenate(rates).T if device_rows else np.zeros((3, 0))
    domain, first_tier = _number_domains(cluster, device)
    columns = (device, accelerator, domain, unit, pod, site, np.zeros_like(device), domain_gbps)
    return Ranks(*columns, first_tier, tier_gbps, tier_size.astype(np.int64)), first_rank_of_device


def _find_domain_rates(design: Design, profile: NodeProfile, per_node: int) -> tuple[float, float, float]:
    """Return (rate of an accelerator across its scale-up domain, rate within its first tier, size of the first tier).

    Rates are Gb/s each way, 0 if not known; the size is in accelerators.
    """
    from fabricgen.design.scale_up.domains import can_join, load_kind

    joined = sorted(
        (s for s in design.scale_up if can_join(profile, (s.below or s).profile)), key=lambda s: s.places.nodes
    )
    if joined:  # the widest of several domains, and the next one within it
        widest = joined[-1]
        tier = next((s for s in reversed(joined) if s.places.nodes < widest.places.nodes), widest)
        return widest.gbps_per_accelerator, tier.gbps_per_accelerator, tier.places.accelerators
    if not profile.scale_up:
        return 0.0, 0.0, per_node
    domain = design.catalog.scale_up(profile.scale_up)
    try:
        size = load_kind(domain, ()).size(domain, domain.accelerators or 0, domain.ports)
    except (InputError, ValueError):
        return 0.0, 0.0, per_node
    return (size.links_each * domain.link_gbps,) * 2 + (domain.accelerators or per_node,)


def _number_domains(cluster: Cluster, device: Ints64) -> tuple[Ints64, Ints64]:
    """Return (the widest scale-up domain, the next one within it or itself) of each rank's device, as numbers, int64.

    `device` are device rows. Domains of the blueprint have the first numbers; each node in none has one of its own.
    """
    table, layout = cluster.plan.devices, cluster.design.layout
    domains, domains_before = device + count_cluster_domains(cluster.design), 0
    # by rank, the nodes of its widest domain so far; 0 for a node in none
    first_tiers, domain_nodes = domains, np.zeros(len(device), dtype=np.int64)
    first_numbers = []
    for scale_up in cluster.design.scale_up:
        first_numbers.append((scale_up, domains_before))
        domains_before += scale_up.places.slots
    # the narrowest first, so that each wider domain has the one before it as its first tier
    for scale_up, first_number in sorted(first_numbers, key=lambda pair: pair[0].places.nodes):
        groups = _find_groups(
            scale_up, layout, *(column[device].astype(np.int64) for column in (table.pod, table.node))
        )
        is_wider = (groups != NONE) & (scale_up.places.nodes > domain_nodes)
        wider_domains = first_number + _domain_numbers(cluster, scale_up, device, groups)
        first_tiers = np.where(is_wider, np.where(domain_nodes > 0, domains, wider_domains), first_tiers)
        domains = np.where(is_wider, wider_domains, domains)
        domain_nodes = np.where(is_wider, scale_up.places.nodes, domain_nodes)
    return domains.astype(np.int64), first_tiers.astype(np.int64)


def count_cluster_domains(design: Design) -> int:
    """Return how many scale-up domains the blueprint has room for."""
    return sum(scale_up.places.slots for scale_up in design.scale_up)


def _find_groups(scale_up: ScaleUpDesign, layout: Layout, pod: Ints64, node: Ints64) -> Ints64:
    """Return for each node the number of its group in its unit, int64; -1 if it is in no domain of `scale_up`.

    A group is the nodes of a unit that share a domain. `pod` is the pod of each node, `node` its number in its unit.
    """
    kinds = layout.kinds
    groups = np.full((len(kinds), int(node.max(initial=0)) + 1), NONE, dtype=np.int64)
    for number, kind in enumerate(kinds):
        for group, nodes in enumerate(scale_up.places.groups.get(kind.name, ())):
            groups[number, [n for n in nodes if n < groups.shape[1]]] = group
    kind_of_pod = np.array([kinds.index(kind) for kind in layout.kind_of_pod], dtype=np.int64)
    return groups[kind_of_pod[pod], node]


def _domain_numbers(cluster: Cluster, scale_up: ScaleUpDesign, device: Ints64, group: Ints64) -> Ints64:
    """Return the number of each device's scale-up domain among those of `scale_up`, from 0; int64.

    `group` is what `_find_groups` returns; the number is meaningless for a device whose group is -1.
    """
    table, layout, places = cluster.plan.devices, cluster.design.layout, scale_up.places
    if places.per == "cluster":
        return np.zeros(len(device), dtype=np.int64)
    if places.per == "pod":
        numbers = np.zeros(len(layout.pods), dtype=np.int64)
        numbers[list(places.list_pods(layout))] = np.arange(len(places.list_pods(layout)))
        return numbers[table.pod[device]]
    return np.array(places.count_domains_before(layout), dtype=np.int64)[table.unit[device]] + group


def _find_ports(
    cluster: Cluster, fabric: FabricDesign, first_rank_of_device: Ints64, rank_count: int, lit_links: Flags
) -> tuple[Ints64, Floats, Ints64, Ints64]:
    """Return (leaf row, Gb/s, row of the link), arrays [ranks, ports], and the rail of each rank (0: none).

    `first_rank_of_device` is the first rank of each device row, -1 for a device without ranks. Ports of a rank are
    sorted by plane and rail. A port that does not exist, or whose link is not in `lit_links`, has -1 as its leaf and
    link and 0 Gb/s.
    """
    links = cluster.plan.links
    columns_by_leg: list[tuple[Ints64, Ints64, Floats]] = []
    for number, segment in enumerate(links.segments):
        attachment = segment.a
        if segment.fabric != fabric.name or not isinstance(attachment, Attachment):
            continue
        span = links.find_rows(number)
        rows = np.arange(span.start, span.stop, dtype=np.int64)
        rows = rows[first_rank_of_device[links.a_device[rows]] != NONE]
        for leg, accelerator, share in _list_served(attachment, _count_ranks(cluster.design, attachment.profile)):
            leg_rows = rows[links.a_port[rows] == leg]
            speed = np.full(len(leg_rows), segment.speed_gbps * share)
            columns_by_leg.append((first_rank_of_device[links.a_device[leg_rows]] + accelerator, leg_rows, speed))
    rank, row, speed = (np.concatenate([columns[i] for columns in columns_by_leg]) for i in range(3))
    # by rank, then by plane and rail: ports of one number are in one plane, on which comparisons of ranks rely
    order = np.lexsort((row, links.rail[row], links.plane[row], rank))
    rank, row, speed = rank[order].astype(np.int64), row[order].astype(np.int64), speed[order]
    port = rank_within(rank)
    shape = (rank_count, int(port.max(initial=0)) + 1)
    leaf, link = np.full(shape, NONE, dtype=np.int64), np.full(shape, NONE, dtype=np.int64)
    gbps, rail = np.zeros(shape), np.zeros(shape[0], dtype=np.int64)
    lit = lit_links[row]
    leaf[rank, port], link[rank, port] = np.where(lit, links.b_device[row], NONE), np.where(lit, row, NONE)
    gbps[rank, port] = np.where(lit, speed, 0.0)
    rail[rank[::-1]] = links.rail[row[::-1]]  # the first port of a rank is written last
    return leaf, gbps, link, rail


def _list_served(attachment: Attachment, count: int) -> list[tuple[int, int, float]]:
    """Return (port of a node, accelerator that it serves, fraction of the port that this one gets).

    If the profile does not say which accelerator a port serves, neighbouring accelerators share the ports in order.
    """
    legs = attachment.legs
    if count > 1 and all(leg.gpu is not None for leg in legs):
        return [(number, leg.gpu or 0, 1.0) for number, leg in enumerate(legs)]
    if len(legs) >= count:
        return [(number, number * count // len(legs), 1.0) for number in range(len(legs))]
    shared = [number * len(legs) // count for number in range(count)]
    return [(leg, number, 1 / shared.count(leg)) for number, leg in enumerate(shared)]


def _list_uplinks(plan: WiringPlan, heights: dict[TierKey, int], lit_links: Flags) -> Uplinks:
    """Return the links between the tiers above the nodes that are lit."""
    links = plan.links
    by_segment: list[tuple[Ints64, int, float]] = []  # (rows of links, height of their lower tier, Gb/s)
    for number, segment in enumerate(links.segments):
        lower, upper = segment.lower_tier, segment.tier
        if lower is None or upper is None or lower == upper or not {lower, upper} <= set(heights):
            continue
        span = links.find_rows(number)
        by_segment.append((span.start + np.flatnonzero(lit_links[span]), heights[lower], segment.speed_gbps))
    row_counts = [len(rows) for rows, _, _ in by_segment]
    row = np.concatenate([rows for rows, _, _ in by_segment]) if by_segment else np.zeros(0, dtype=np.int64)
    return Uplinks(
        links.a_device[row].astype(np.int64),
        links.b_device[row].astype(np.int64),
        np.repeat([speed for _, _, speed in by_segment], row_counts),
        plan.cables.length_m[links.cable[row]],
        np.repeat(np.array([height for _, height, _ in by_segment], dtype=np.int64), row_counts),
        row,
    )


def _list_levels(plan: WiringPlan, heights: dict[TierKey, int], uplinks: Uplinks, lit_links: Flags) -> Iterator[Level]:
    """Yield the levels: what leaves alone join, what leaves and spines join, and so on, then links between sites.

    The levels of switches that meet within a tier come last.
    """
    joined = np.arange(len(plan.devices), dtype=np.int64)
    for height in range(max(heights.values(), default=0) + 1):
        inside = uplinks.height < height
        joined = join_components(joined, uplinks.lower[inside], uplinks.upper[inside])
        tiers = tuple(sorted(key for key, tier_height in heights.items() if tier_height == height))
        leaving = uplinks.height == height
        out_gbps = np.bincount(joined[uplinks.lower[leaving]], uplinks.gbps[leaving], len(joined)).astype(np.float64)
        hops_m = uplinks.length_m[leaving]
        spans = _find_spans(plan, tiers, lit_links)
        if len(spans):
            ends = _span_ends(plan, spans)
            speed = np.array([segment.speed_gbps for segment in plan.links.segments])[plan.links.segment[spans]]
            for end in ends:
                out_gbps += np.bincount(joined[end], speed, len(joined))
            hops_m = 1000 * np.array([segment.km for segment in plan.links.segments])[plan.links.segment[spans]]
        yield Level(tiers, joined, out_gbps, float(hops_m.mean()) if len(hops_m) else 0.0)
        if len(spans):
            yield Level((), join_components(joined, *ends), np.zeros(len(joined)), 0.0)
    for name, rows in _list_mesh_rows(plan, heights, lit_links):
        joined = join_components(joined, *_span_ends(plan, rows))
        yield Level((), joined, np.zeros(len(joined)), 0.0, name)


def _list_mesh_rows(plan: WiringPlan, tiers: Collection[TierKey], lit_links: Flags) -> Iterator[tuple[str, Ints64]]:
    """Yield (name of the level, rows of its lit links) for links along dimensions of some tiers.

    Links within groups come first (`group`), then those between groups (`mesh`).
    """
    rows_by_level: dict[str, list[Ints64]] = {"group": [], "mesh": []}
    for number, segment in enumerate(plan.links.segments):
        if segment.mesh and segment.mesh.word == "mesh" and segment.tier in tiers:
            span = plan.links.find_rows(number)
            name = "mesh" if segment.mesh.dimension in list_scopes() else "group"
            rows_by_level[name].append(span.start + np.flatnonzero(lit_links[span]))
    yield from ((name, np.concatenate(rows)) for name, rows in rows_by_level.items() if rows)


def _span_ends(plan: WiringPlan, rows: Ints64) -> tuple[Ints64, Ints64]:
    return plan.links.a_device[rows].astype(np.int64), plan.links.b_device[rows].astype(np.int64)


def _find_spans(plan: WiringPlan, tiers: Collection[TierKey], lit_links: Flags) -> Ints64:
    """Return the rows of the lit links between sites of some tiers, int64."""
    rows = [
        np.arange(plan.links.find_rows(number).start, plan.links.find_rows(number).stop, dtype=np.int64)
        for number, segment in enumerate(plan.links.segments)
        if segment.km and segment.tier in tiers
    ]
    all_rows = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    lit_rows: Ints64 = all_rows[lit_links[all_rows]]
    return lit_rows


def find_median(values: Floats) -> float:
    """Return the median of some values, at least one; numpy's own would import its masked arrays first."""
    ordered = np.sort(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def _average_length_m(plan: WiringPlan, cable: Ints64) -> float:
    cabled = cable[cable != NONE]
    return float(plan.cables.length_m[cabled].mean()) if len(cabled) else 0.0
