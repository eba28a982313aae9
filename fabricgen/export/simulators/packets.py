"""A network as ns-3 has it for ASTRA-sim and SimAI: vertices by number, and the wired links between them.

Both read the topology as numbers between blanks: how many vertices, switches and links, the switches, then each link
with its ends, rate, delay and error rate. Sources: github.com/astra-sim/astra-network-ns3@8fd36047:scratch/common.h
and github.com/aliyun/SimAI@cef83f9d:astra-sim-alibabacloud/astra-sim/network_frontend/ns3/common.h (SetupNetwork,
CalculateRoute). Routes are the shortest by links. Of two vertices they know one interface only (nbr2if), so that
parallel links are told as one of their sum; a switch has no delay of its own, so that half of it is in each of its
links. An address has 16 bits for the vertex; a link's is 10.(n / 254 + 1).(n % 254 + 1).0; switches have 1,024 ports
(switch-mmu.h: pCnt).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.network import NONE
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.scale_up.kinds import mesh
from fabricgen.export.simulators.dimensions import NumberedAccelerators, make_refusal
from fabricgen.wiring.arrays import Floats, Ints64

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
    """Accelerators have the lowest numbers, then come scale-up domains that switches join, then `switches`.

    `domains` are the first accelerators of these domains, `switches` rows of devices (both int64).
    """

    numbers: NumberedAccelerators
    domains: Ints64
    switches: Ints64
    links: PacketLinks

    @property
    def vertices(self) -> int:
        """How many vertices there are: accelerators, scale-up domains that switches join, switches."""
        return len(self.numbers.rows) + len(self.domains) + len(self.switches)

    def list_vertices_above(self) -> Iterator[tuple[str, int]]:
        """(kind, device row) of the vertices above the accelerators."""
        ranks = self.numbers.network.ranks
        yield from (("domain", int(ranks.device[self.numbers.rows[first]])) for first in self.domains)
        yield from (("switch", int(row)) for row in self.switches)

    def format_links(self) -> Iterator[str]:
        """The links as both simulators read them, without errors; rates that are no whole Gb/s in bit/s."""
        columns = (column.tolist() for column in (self.links.a, self.links.b, self.links.gbps, self.links.ns))
        for a, b, gbps, ns in zip(*columns, strict=True):
            rate = f"{int(gbps)}Gbps" if float(gbps).is_integer() else f"{round(gbps * 1e9)}bps"
            yield f"{a} {b} {rate} {round(ns)}ns 0\n"

    def list_rates(self) -> list[int]:
        """The rates of links of switches, bit/s, ascending: those that KMAX_MAP, KMIN_MAP and PMAX_MAP must name."""
        return sorted({round(gbps * 1e9) for gbps in self.links.gbps.tolist()})


def build_topology(numbers: NumberedAccelerators, *, domains_first: bool) -> PacketTopology:
    """The wired graph of a network; raises InputError (FG146) where ns-3 cannot hold it.

    The first link of the first accelerator tells the reader the rate of NICs, by which it grades its PFC thresholds;
    SimAI's own topologies have the scale-up domain there (inputs/topo/gen_Topo_Template.py).
    """
    switched_domains, inside = _list_domain_links(numbers)
    a, b, gbps, ns = _list_wired_links(numbers)
    # accelerators have the first numbers, then switches of domains, then those of the network
    switches = np.unique(np.r_[b, a[a >= 0]])
    number_by_device = np.zeros(len(numbers.network.cluster.plan.devices), dtype=np.int64)
    number_by_device[switches] = len(numbers.rows) + len(switched_domains) + np.arange(len(switches))
    number_by_rank = np.empty(len(numbers.rows), dtype=np.int64)
    number_by_rank[numbers.rows] = np.arange(len(numbers.rows))
    ends = number_by_device[np.maximum(a, 0)]
    ends[a < 0] = number_by_rank[-1 - a[a < 0]]
    wired = PacketLinks(ends, number_by_device[b], gbps, ns)
    links = _join_links(inside, wired) if domains_first else _join_links(wired, inside)
    graph = PacketTopology(numbers, switched_domains, switches, links)
    _check_limits(graph)
    return graph


def _list_wired_links(numbers: NumberedAccelerators) -> tuple[Ints64, Ints64, Floats, Floats]:
    """(lower end, switch, Gb/s, ns) of ports and of links between switches; -1 - n is rank n, others device rows."""
    network, plan = numbers.network, numbers.network.cluster.plan
    is_wired = network.leaf != NONE
    port = np.nonzero(is_wired)[0]
    tiers = {key for level in network.levels for key in level.tiers}
    rows, speeds, distances = [network.port_link[is_wired]], [network.gbps[is_wired]], [np.zeros(int(is_wired.sum()))]
    for number, segment in enumerate(plan.links.segments):
        is_inside = {segment.lower_tier, segment.tier} <= tiers
        if is_inside and (segment.km or segment.lower_tier != segment.tier):
            span = plan.links.find_rows(number)
            rows.append(np.arange(span.start, span.stop, dtype=np.int64))
            speeds.append(np.full(len(rows[-1]), float(segment.speed_gbps)))
            distances.append(np.full(len(rows[-1]), float(segment.km)))
    row, long_km = np.concatenate(rows), np.concatenate(distances)
    cable = plan.links.cable[row]
    # links of a backplane have no cable and no length
    metres = np.where(long_km > 0, 1000 * long_km, np.where(cable == NONE, 0.0, plan.cables.length_m[cable]))
    upper, lower = plan.links.b_device[row].astype(np.int64), plan.links.a_device[row].astype(np.int64)
    half_switch_ns = _read_switch_latencies(numbers) / 2
    ns = metres * numbers.constants.latency.medium.fibre_ns_per_m + half_switch_ns[lower] + half_switch_ns[upper]
    # set last: it is no device row, and latencies were read by rows
    lower[: len(port)] = -1 - port
    return lower, upper, np.concatenate(speeds), ns


def _read_switch_latencies(numbers: NumberedAccelerators) -> Floats:
    """By device row its latency from port to port, ns; 0 for what is no switch."""
    table, latency = numbers.network.cluster.plan.devices, numbers.constants.latency
    class_latencies = (
        latency.switch_ns(c.profile) if isinstance(c.profile, SwitchProfile) else 0.0 for c in table.classes
    )
    class_ns: Floats = np.array([ns or 0.0 for ns in class_latencies])
    return class_ns[table.device_class]


def _list_domain_links(numbers: NumberedAccelerators) -> tuple[Ints64, PacketLinks]:
    """First accelerators of the domains that switches join, and the links within domains.

    Switches of a domain are one vertex, half a step from each accelerator; those of a mesh are joined themselves.
    """
    network, ns = numbers.network, 1000 * numbers.step_us
    switched_domains, link_rows, vertex = [], [], len(numbers.rows)
    for kind, profile in enumerate(numbers.profiles):
        for domain in np.flatnonzero(numbers.kind == kind).tolist():
            first, size = int(numbers.starts[domain]), int(numbers.size[domain])
            if profile.shape == "switched":
                switched_domains.append(first)
                gbps = numbers.reduce_bandwidth(profile, float(network.ranks.domain_gbps[numbers.rows[first]]))
                link_rows += [(first + index, vertex, gbps, ns / 2) for index in range(size)]
                vertex += 1
            elif profile.shape in ("mesh", "point_to_point"):
                gbps = numbers.reduce_bandwidth(profile, profile.link_gbps)
                link_rows += [
                    (first + mesh_link.accelerator, first + mesh_link.far, gbps, ns)
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


def _join_links(*parts: PacketLinks) -> PacketLinks:
    """Links in order; those of one pair become one with their rates added up, and the longest delay."""
    a, b, gbps, ns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("a", "b", "gbps", "ns"))
    low, high = np.minimum(a, b), np.maximum(a, b)
    # both vertices as one number
    _, first, inverse = np.unique(low * 2**32 + high, return_index=True, return_inverse=True)
    longest = np.zeros(len(first))
    np.maximum.at(longest, inverse, ns)
    # back from the order of vertices into that of the links: the reader looks at the first one
    order = np.argsort(first)
    first_rows = first[order]
    summed: Floats = np.bincount(inverse, gbps)[order].astype(np.float64)
    return PacketLinks(low[first_rows], high[first_rows], summed, longest[order])


def _check_limits(graph: PacketTopology) -> None:
    """Raise InputError (FG146) where the reader's numbers do not suffice."""
    neighbours = np.bincount(np.r_[graph.links.a, graph.links.b]).max()
    for number, most, counted in (
        (graph.vertices, MOST_VERTICES, "accelerators, scale-up domains and switches"),
        (len(graph.links.a), MOST_LINKS, "links between neighbours"),
        (int(neighbours), MOST_NEIGHBOURS, "neighbours of one switch"),
    ):
        if number > most:
            network = graph.numbers.network
            raise make_refusal(
                network, f"{number:,} {counted}", f"up to {most:,}; build a part (`--phase`), or a smaller pod"
            )
