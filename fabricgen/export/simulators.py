"""Networks of accelerators in the forms that simulators read: dimensions, and wired graphs.

Dimensions are those of ASTRA-sim's analytical model, each of which multiplies the number of accelerators. Source:
github.com/astra-sim/astra-network-analytical@599a0473: common/network-parser/NetworkParser.cpp (keys, more than one NPU
in a dimension), congestion_unaware/multi-dim-topology/MultiDimTopology.cpp (the first dimension varies fastest over
numbers), basic-topology/*.cpp (a message takes latency once in FullyConnected, twice in a Switch, for each hop of a
Ring, and its bytes at the bandwidth of one link), common/NetworkFunction.cpp (1 GB/s is 2^30 bytes a second).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from fabricgen.analyze.collectives.model import find_domain_profile
from fabricgen.analyze.latency import latency_us
from fabricgen.analyze.network import NONE, Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.models import SwitchProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.kinds import mesh, torus
from fabricgen.export.table import File, make_csv_file
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Floats, Ints64

TOLERANCE = 1e-9
"""Shares and rates that differ by less than this are equal."""
GBPS_OF_GB = 8 * 2**30 / 1e9
"""Gb/s in a GB/s of the analytical model."""


@dataclass(frozen=True, slots=True)
class NetworkDimension:
    """A dimension: its building block, the accelerators along it, the speed (Gb/s) and latency (ns) of one of its
    links, and its name.
    """

    topology: str
    npus: int
    gbps: float
    ns: float
    label: str


def list_dimensions(network: Network) -> tuple[NumberedAccelerators, list[NetworkDimension]]:
    """Return the accelerators in the order that the dimensions need, and the dimensions: the scale-up domain, then
    levels.

    A level whose parts are unequal makes one dimension with the level above it, provided that a rank sends as much
    through both; its latency is that of the farther level. Raises InputError (FG146) if the network is not regular
    enough.
    """
    numbers = number_accelerators(network)
    size, kinds = numbers.size, np.unique(numbers.kind)
    if size.min() != size.max():
        raise make_refusal(
            network, f"its scale-up domains have from {size.min()} to {size.max()} accelerators", "domains of one size"
        )
    if len(kinds) > 1:
        names = " and ".join(profile.id for profile in numbers.profiles)
        raise make_refusal(network, f"its scale-up domains are {names}", "one kind of domain")
    domain = numbers.profiles[kinds[0]] if kinds[0] != NONE else None
    domain_dimensions = list(_list_domain_dimensions(numbers, domain)) if domain else []
    grid = numbers.rows.reshape(len(size), -1)
    if domain and domain.shape == "torus":
        cells = torus.list_coordinates(domain, domain.dims)
        # accelerators are in order block by block; in ASTRA-sim the first axis turns fastest over all of them
        grid = grid[:, sorted(range(len(cells)), key=lambda cell: cells[cell][::-1])]
    parts_by_level = _find_parts(network, grid)
    network_dimensions = [*domain_dimensions, *_list_level_dimensions(numbers, parts_by_level)]
    if not network_dimensions:
        raise make_refusal(network, "one accelerator is no network", "two or more")
    # domains of one leaf next to each other, then those of one part of the level above, and so on
    return replace(
        numbers, rows=grid[np.lexsort([part for part in parts_by_level if part is not None])].ravel()
    ), network_dimensions


def _list_domain_dimensions(numbers: NumberedAccelerators, domain: ScaleUpDomainProfile) -> Iterator[NetworkDimension]:
    """Yield the dimensions in a scale-up domain; raises InputError (FG146) if it is wired in a form without any."""
    size, step_us = int(numbers.size[0]), numbers.step_us
    if domain.shape == "switched":
        gbps = numbers.reduce_bandwidth(domain, float(numbers.network.ranks.domain_gbps[0]))
        # us to ns, halved: a message takes the latency of a Switch twice
        yield NetworkDimension("Switch", size, gbps, 500 * step_us, domain.id)
    elif domain.shape in ("mesh", "point_to_point"):
        pair = numbers.reduce_bandwidth(domain, domain.links_per_pair * domain.link_gbps)
        yield NetworkDimension("FullyConnected", size, pair, 1000 * step_us, domain.id)
    elif domain.shape == "torus" and prod(domain.dims) == size and not domain.switches:
        links_per_axis = domain.links_per_neighbour or (1,) * len(domain.dims)
        for number, (length, links) in enumerate(zip(domain.dims, links_per_axis, strict=True), start=1):
            if length > 1 and links:
                gbps = numbers.reduce_bandwidth(domain, links * domain.link_gbps)
                yield NetworkDimension("Ring", length, gbps, 1000 * step_us, f"axis {number} of {domain.id}")
    else:
        raise make_refusal(
            numbers.network,
            f"{domain.id} is a {domain.shape} of {size:,} accelerators whose form its switches set",
            "a domain that is switched, a full mesh, or a torus of fixed dimensions",
        )


def _find_parts(network: Network, grid: Ints64) -> list[Ints64 | None]:
    """Return, for each level of the network, the part of the network that each scale-up domain is in; int64.

    A part is named by the index of the first domain in it. A level has None if ports of one domain are in different
    parts. `grid` has the rows of the accelerators in the network, one line for each domain. Raises InputError (FG146)
    if an accelerator lacks a port.
    """
    leaf = network.leaf[grid].reshape(len(grid), -1)
    if (leaf == NONE).any():
        lacking = int((network.leaf == NONE).any(axis=1).sum())
        raise make_refusal(network, f"{lacking:,} of {grid.size:,} accelerators lack a port", "the same ports on all")
    first_domains: list[Ints64 | None] = []
    for level in network.levels:
        columns = np.stack([_find_first_equal(column) for column in level.component[leaf].T])
        first_domains.append(columns[0] if (columns == columns[0]).all() else None)
    return first_domains


def _find_first_equal(column: Ints64) -> Ints64:
    """Return, for each entry of a column, the index of the first entry with the same value."""
    _, first_index, inverse = np.unique(column, return_index=True, return_inverse=True)
    return first_index[inverse]


def _list_level_dimensions(
    numbers: NumberedAccelerators, parts_by_level: list[Ints64 | None]
) -> Iterator[NetworkDimension]:
    """Yield the dimensions of the network, from the leaf up; raises InputError (FG146) if levels are too irregular."""
    network, constants = numbers.network, numbers.constants
    nic_us = min(steps.nic_us for _, steps in constants.latency.ring.protocols)
    rates = list(_list_rates(network))
    # the part of each domain at the last level that was dealt with, and the first level after that
    lower_part, lowest = np.arange(len(numbers.size)), 0
    for number, part in enumerate(parts_by_level):
        # how many parts of the level below each part of this level joins; if unequal, the level goes with the next one
        joined_parts = np.zeros(2) if part is None else np.unique(part[np.unique(lower_part)], return_counts=True)[1]
        if part is None or joined_parts.min() != joined_parts.max():
            continue
        lower_part = part
        # a level that joins nothing new is no dimension
        if joined_parts[0] > 1:
            if abs(rates[number] - rates[lowest]) > TOLERANCE:
                narrowing = (
                    f"{name_level(network, lowest)} switches do not all join as many scale-up domains, and a rank "
                    f"sends {rates[lowest]:,.6g} Gb/s to others there, {rates[number]:,.6g} Gb/s beyond"
                )
                raise make_refusal(network, narrowing, "as many at each switch, or no narrowing above them")
            us = nic_us + latency_us(network, number, constants) - latency_us(network, 0, constants)
            name = " and ".join(name_level(network, level) for level in range(lowest, number + 1))
            gbps = rates[number] * constants.efficiency.network.reached
            # us to ns, halved: ASTRA-sim counts the latency of a switch twice, to it and from it
            yield NetworkDimension("Switch", int(joined_parts[0]), gbps, 500 * us, name)
        lowest = number + 1
    if (lower_part != lower_part[0]).any():
        group_count = len(np.unique(lower_part))
        raise make_refusal(
            network, f"{group_count:,} groups of scale-up domains do not all reach each other", "one network"
        )


def _list_rates(network: Network) -> Iterator[float]:
    """Yield, by level, the Gb/s at which a rank can send to the ranks that it meets there, when all ranks send.

    It is the speed of its ports, times the least of the shares (`_compute_shares`) that levels below pass on. Raises
    InputError (FG146) if ranks differ.
    """
    rank_gbps = network.gbps.sum(axis=1)
    if rank_gbps.max() - rank_gbps.min() > TOLERANCE:
        raise make_refusal(
            network, f"its accelerators have from {rank_gbps.min():g} to {rank_gbps.max():g} Gb/s", "the same for all"
        )
    passed_share = 1.0
    for number, level in enumerate(network.levels):
        yield float(rank_gbps[0]) * passed_share
        if number + 1 < len(network.levels):
            shares = _compute_shares(level.component[network.leaf.ravel()], network.gbps.ravel(), level.out_gbps)
            if shares.max() - shares.min() > TOLERANCE:
                raise make_refusal(
                    network,
                    f"{name_level(network, number)} switches pass on from {shares.min():.1%} to {shares.max():.1%} of "
                    "what their accelerators send",
                    "the same share for all",
                )
            # a wider level does not bring back what a lower level has held back
            passed_share = min(passed_share, float(shares[0]))


def _compute_shares(component: Ints64, gbps: Floats, out_gbps: Floats) -> Floats:
    """Return which share of its ranks' traffic, at most 1, each component with ranks passes on upwards. A component is
    a set of joined switches; `component` (its number) and `gbps` are by port of a rank, `out_gbps` is by component.
    """
    sent = np.bincount(component, gbps, len(out_gbps))
    return np.minimum(1.0, out_gbps[sent > 0] / sent[sent > 0])


def name_level(network: Network, number: int) -> str:
    """Return the name of level `number` (from 0): its tiers, or `site` if links between sites make it."""
    level = network.levels[number]
    return level.name or "/".join(sorted({key.name for key in level.tiers})) or "site"


# Accelerators as simulators number them: those of one scale-up domain follow each other.

CONSTANTS = "usual"
"""The profile of constants from which latency and efficiency are read."""


@dataclass(frozen=True, slots=True)
class NumberedAccelerators:
    """Accelerators in the order of their numbers: `rows` (int64) are rows of the network's ranks.

    By scale-up domain (int64): `starts` is its first number, `size` its number of accelerators, `kind` the index of its
    profile in `profiles`, -1 for a domain of one accelerator.
    """

    network: Network
    constants: ConstantsProfile
    rows: Ints64
    starts: Ints64
    size: Ints64
    kind: Ints64
    profiles: tuple[ScaleUpDomainProfile, ...]

    @property
    def step_us(self) -> float:
        """Time in us of a step in a domain, with that in both accelerators: the least of a ring in any protocol."""
        return min(steps.scale_up_us for _, steps in self.constants.latency.ring.protocols)

    def reduce_bandwidth(self, profile: ScaleUpDomainProfile, gbps: float) -> float:
        """Return the part of a bandwidth within a domain that is reached, Gb/s."""
        return gbps * self.constants.efficiency.find_domain_efficiency(profile.id).reached


def number_accelerators(network: Network) -> NumberedAccelerators:
    """Return the accelerators numbered by domain, in the order of nodes.

    Raises InputError (FG146) for a domain of several accelerators without a profile or a bandwidth.
    """
    ranks, catalog = network.ranks, network.cluster.design.catalog
    _, first_rank, domain_of_rank, size = np.unique(
        ranks.domain, return_index=True, return_inverse=True, return_counts=True
    )
    # domains in the order of their first ranks, and ranks by domain
    rows, domains_in_order = np.argsort(first_rank[domain_of_rank], kind="stable"), np.argsort(first_rank)
    first_rank, size = first_rank[domains_in_order], size[domains_in_order]
    classes, class_of_domain = np.unique(
        network.cluster.plan.devices.device_class[ranks.device[first_rank]], return_inverse=True
    )
    # a rank of each class of nodes, which stands for the class
    class_ranks = [int(first_rank[np.flatnonzero(class_of_domain == number)[0]]) for number in range(len(classes))]
    names = [find_domain_profile(network, rank) for rank in class_ranks]
    profiles = sorted(set(names) & set(catalog.ids("scale_up")))
    profile_of_class = np.array([profiles.index(name) if name in profiles else -1 for name in names], dtype=np.int64)
    kind = np.where(size > 1, profile_of_class[class_of_domain], -1)
    is_unknown = (size > 1) & ((kind < 0) | (ranks.domain_gbps[first_rank] == 0))
    if is_unknown.any():
        raise make_refusal(
            network,
            f"{int(is_unknown.sum()):,} nodes with several accelerators each do not say how these are joined",
            "a scale-up domain whose bandwidth is known: `scale_up` of the node's profile names it",
        )
    used_profiles, starts = tuple(catalog.scale_up(name) for name in profiles), np.cumsum(size) - size
    return NumberedAccelerators(network, catalog.constants(CONSTANTS), rows, starts, size, kind, used_profiles)


def make_refusal(network: Network, problem: str, needed: str) -> InputError:
    """Return FG146, that a network cannot be given in a simulator's form, located at the fabric."""
    name = network.fabric.name
    return network.cluster.design.loaded.locate_error(
        fault("FG146", f"{name}: {problem}", path=("fabrics", name), hint=f"the simulator takes {needed}")
    )


def make_numbers_file(numbers: NumberedAccelerators, folder: str, above: Iterable[tuple[str, int]] = ()) -> File:
    """Return FABRIC-ids.csv: what each number is.

    `above` are the (kind, row of the device) of the numbers above the accelerators.
    """
    network, name = numbers.network, numbers.network.cluster.name_column
    ranks, vertices_above = network.ranks, list(above)
    device = [*ranks.device[numbers.rows].tolist(), *(row for _, row in vertices_above)]
    kinds = [network.what.removesuffix("s")] * len(ranks) + [kind for kind, _ in vertices_above]
    return make_csv_file(
        Table(
            f"{folder}/{network.fabric.name}-ids",
            {
                "id": list(range(len(device))),
                "kind": list(kinds),
                "device": name[device].tolist(),
                "accelerator": [*ranks.accelerator[numbers.rows].tolist(), *[""] * len(vertices_above)],
            },
        )
    )


# The wired graph as ns-3 has it for ASTRA-sim and SimAI: vertices by number, and the links between them.
# Both read the topology as numbers between blanks: the counts of vertices, switches and links, the switches, then each
# link with its ends, rate, delay and error rate. Sources: github.com/astra-sim/astra-network-ns3@8fd36047:
# scratch/common.h and github.com/aliyun/SimAI@cef83f9d:astra-sim-alibabacloud/astra-sim/network_frontend/ns3/common.h
# (SetupNetwork, CalculateRoute). Routes are the shortest by links. Between two vertices they know one interface only
# (nbr2if), so that parallel links become one with the sum of their rates. A switch has no delay of its own, so that
# half of its delay is in each of its links. An address has 16 bits for the vertex; a link's is
# 10.(n / 254 + 1).(n % 254 + 1).0; switches have 1,024 ports (switch-mmu.h: pCnt).

MOST_VERTICES, MOST_LINKS, MOST_NEIGHBOURS = 2**16, 254 * 255, 1024


@dataclass(frozen=True, slots=True)
class PacketLinks:
    """Links, one row each: numbers of both ends (int64), Gb/s each way, ns of delay."""

    a: Ints64
    b: Ints64
    gbps: Floats
    ns: Floats


@dataclass(frozen=True, slots=True)
class PacketTopology:
    """A wired graph. Accelerators have the lowest numbers; then come the scale-up domains whose accelerators are joined
    by switches, a vertex each; then `switches`.

    `domains` has the first accelerator of each of these domains, `switches` are rows of devices; both int64.
    """

    numbers: NumberedAccelerators
    domains: Ints64
    switches: Ints64
    links: PacketLinks

    @property
    def vertices(self) -> int:
        """Number of vertices: accelerators, scale-up domains that switches join, switches."""
        return len(self.numbers.rows) + len(self.domains) + len(self.switches)

    def list_vertices_above(self) -> Iterator[tuple[str, int]]:
        """Yield the kind and device row of each vertex above the accelerators."""
        ranks = self.numbers.network.ranks
        yield from (("domain", int(ranks.device[self.numbers.rows[first]])) for first in self.domains)
        yield from (("switch", int(row)) for row in self.switches)

    def format_links(self) -> Iterator[str]:
        """Yield a line for each link as both simulators read it, without errors.

        Rates that are not whole Gb/s are in bit/s.
        """
        columns = (column.tolist() for column in (self.links.a, self.links.b, self.links.gbps, self.links.ns))
        for a, b, gbps, ns in zip(*columns, strict=True):
            rate = f"{int(gbps)}Gbps" if float(gbps).is_integer() else f"{round(gbps * 1e9)}bps"
            yield f"{a} {b} {rate} {round(ns)}ns 0\n"

    def list_rates(self) -> list[int]:
        """Return the rates of links in bit/s, ascending: KMAX_MAP, KMIN_MAP and PMAX_MAP must name those of
        switches.
        """
        return sorted({round(gbps * 1e9) for gbps in self.links.gbps.tolist()})


def build_topology(numbers: NumberedAccelerators, *, domains_first: bool) -> PacketTopology:
    """Return the wired graph of a network; raises InputError (FG146) if ns-3 cannot hold it.

    The reader takes the rate of NICs, by which it grades its PFC thresholds, from the first link of the first
    accelerator. With `domains_first` that is a link to the scale-up domain, as in SimAI's own topologies
    (inputs/topo/gen_Topo_Template.py).
    """
    switched_domains, inside = _list_domain_links(numbers)
    a, b, gbps, ns = _list_wired_links(numbers)
    # accelerators have the first numbers, then switches of domains, then those of the network
    switches = np.unique(np.r_[b, a[a >= 0]])
    number_by_device = np.zeros(len(numbers.network.cluster.plan.devices), dtype=np.int64)
    number_by_device[switches] = len(numbers.rows) + len(switched_domains) + np.arange(len(switches))
    number_by_rank = np.empty(len(numbers.rows), dtype=np.int64)
    number_by_rank[numbers.rows] = np.arange(len(numbers.rows))
    # a lower end of -1 - n is rank n
    ends = number_by_device[np.maximum(a, 0)]
    ends[a < 0] = number_by_rank[-1 - a[a < 0]]
    wired = PacketLinks(ends, number_by_device[b], gbps, ns)
    links = _join_links(inside, wired) if domains_first else _join_links(wired, inside)
    graph = PacketTopology(numbers, switched_domains, switches, links)
    _check_limits(graph)
    return graph


def _list_wired_links(numbers: NumberedAccelerators) -> tuple[Ints64, Ints64, Floats, Floats]:
    """Return (lower end, switch, Gb/s, ns of delay) as columns: a row for each port of a rank, then for each link
    between switches.

    A lower end of -1 - n is rank n; other lower ends, and all switches, are rows of the device table.
    """
    network, plan = numbers.network, numbers.network.cluster.plan
    is_wired = network.leaf != NONE
    rank_of_port = np.nonzero(is_wired)[0]
    tiers = {key for level in network.levels for key in level.tiers}
    rows, speeds, distances = [network.port_link[is_wired]], [network.gbps[is_wired]], [np.zeros(int(is_wired.sum()))]
    for number, segment in enumerate(plan.links.segments):
        is_inside = {segment.lower_tier, segment.tier} <= tiers
        if is_inside and (segment.km or not segment.mesh):
            span = plan.links.find_rows(number)
            rows.append(np.arange(span.start, span.stop, dtype=np.int64))
            speeds.append(np.full(len(rows[-1]), float(segment.speed_gbps)))
            distances.append(np.full(len(rows[-1]), float(segment.km)))
    row, stated_km = np.concatenate(rows), np.concatenate(distances)
    cable = plan.links.cable[row]
    # links of a backplane have no cable and no length
    metres = np.where(stated_km > 0, 1000 * stated_km, np.where(cable == NONE, 0.0, plan.cables.length_m[cable]))
    upper, lower = plan.links.b_device[row].astype(np.int64), plan.links.a_device[row].astype(np.int64)
    half_switch_ns = _read_switch_latencies(numbers) / 2
    ns = metres * numbers.constants.latency.medium.fibre_ns_per_m + half_switch_ns[lower] + half_switch_ns[upper]
    # set last: it is no device row, and latencies were read by rows
    lower[: len(rank_of_port)] = -1 - rank_of_port
    return lower, upper, np.concatenate(speeds), ns


def _read_switch_latencies(numbers: NumberedAccelerators) -> Floats:
    """Return, by device row, the latency from port to port in ns; 0 for anything but a switch."""
    table, latency = numbers.network.cluster.plan.devices, numbers.constants.latency
    switch_profiles = [c.profile if isinstance(c.profile, SwitchProfile) else None for c in table.classes]
    class_ns: Floats = np.array([latency.switch_ns(profile) or 0.0 if profile else 0.0 for profile in switch_profiles])
    return class_ns[table.device_class]


def _list_domain_links(numbers: NumberedAccelerators) -> tuple[Ints64, PacketLinks]:
    """Return the first accelerators of the domains that switches join, and the links within domains.

    The switches of a domain are one vertex, half a step from each accelerator; accelerators of a mesh are joined
    directly.
    """
    network, ns = numbers.network, 1000 * numbers.step_us
    switched_domains, link_rows, vertex = [], [], len(numbers.rows)
    for kind, profile in enumerate(numbers.profiles):
        for domain in np.flatnonzero(numbers.kind == kind).tolist():
            first_accelerator, size = int(numbers.starts[domain]), int(numbers.size[domain])
            if profile.shape == "switched":
                switched_domains.append(first_accelerator)
                gbps = numbers.reduce_bandwidth(
                    profile, float(network.ranks.domain_gbps[numbers.rows[first_accelerator]])
                )
                link_rows += [(first_accelerator + index, vertex, gbps, ns / 2) for index in range(size)]
                vertex += 1
            elif profile.shape in ("mesh", "point_to_point"):
                gbps = numbers.reduce_bandwidth(profile, profile.link_gbps)
                link_rows += [
                    (first_accelerator + mesh_link.accelerator, first_accelerator + mesh_link.far, gbps, ns)
                    for mesh_link in mesh.links(profile, size)
                ]
            else:
                raise make_refusal(
                    network,
                    f"accelerators of {profile.id} pass on what others send, which no accelerator of ns-3 does",
                    "domains that are switched, or full meshes",
                )
    columns = np.array(link_rows, dtype=np.float64).reshape(-1, 4).T
    return np.array(switched_domains, dtype=np.int64), PacketLinks(
        columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2], columns[3]
    )


def _join_links(*link_tables: PacketLinks) -> PacketLinks:
    """Return the links of some tables as one table, in order; links of one pair of vertices become one link, with their
    rates (Gb/s) added up and the longest of their delays (ns). `a` is the lower vertex of a link.
    """
    a, b, gbps, ns = (
        np.concatenate([getattr(table, name) for table in link_tables]) for name in ("a", "b", "gbps", "ns")
    )
    lower, upper = np.minimum(a, b), np.maximum(a, b)
    # one number for both vertices
    _, first_index, pair_of_link = np.unique(lower * 2**32 + upper, return_index=True, return_inverse=True)
    longest_ns = np.zeros(len(first_index))
    np.maximum.at(longest_ns, pair_of_link, ns)
    # back from the order of vertices to that of links, because the reader looks at the first link
    order = np.argsort(first_index)
    first_rows = first_index[order]
    return PacketLinks(
        lower[first_rows],
        upper[first_rows],
        np.bincount(pair_of_link, gbps)[order].astype(np.float64),
        longest_ns[order],
    )


def _check_limits(graph: PacketTopology) -> None:
    """Raise InputError (FG146) if the reader's numbers do not suffice for a graph."""
    neighbours = np.bincount(np.r_[graph.links.a, graph.links.b]).max()
    for number, limit, what in (
        (graph.vertices, MOST_VERTICES, "accelerators, scale-up domains and switches"),
        (len(graph.links.a), MOST_LINKS, "links between neighbours"),
        (int(neighbours), MOST_NEIGHBOURS, "neighbours of one switch"),
    ):
        if number > limit:
            raise make_refusal(
                graph.numbers.network,
                f"{number:,} {what}",
                f"up to {limit:,}; build a part (`--phase`), or a smaller pod",
            )
