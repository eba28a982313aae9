"""Where traffic between accelerators is crowded: the load on the uplinks of each component against their bandwidth.

Traffic is spread evenly over equal paths, as per-packet spraying does; `load_balance` tells what hashing does to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.network import NONE, Network
from fabricgen.wiring.arrays import Flags, Floats, Ints64


@dataclass(frozen=True, slots=True)
class Crowding:
    """How crowded a pattern of traffic is when every rank sends at the rate of its ports.

    `slowdown` is the highest load of ports or uplinks over their bandwidth, at least 1. `level` is the highest level
    that a pair needs, len(levels) if no network joins some pair. `narrowest` is the level whose uplinks are the most
    crowded, -1 if no uplinks have more load than bandwidth. `crossing` has for each level the fraction of the traffic
    that uses its uplinks.
    """

    slowdown: float
    level: int
    narrowest: int
    crossing: tuple[float, ...]
    balanced: float = 1.0
    """The fraction of the rate that the choice among equal paths leaves; it may include what crowding takes."""

    @property
    def times_slower(self) -> float:
        """How many times slower the pattern is than the ports, by crowding or by the choice among equal paths."""
        return max(self.slowdown, 1 / self.balanced)


def measure_crowding(network: Network, source: Ints64, target: Ints64, share: float = 1.0) -> Crowding:
    """Return the crowding of flows from the ranks `source` to the ranks `target`, int64 arrays of one length.

    Each flow is sent at the fraction `share` of its rank's rate. Ports of the same number talk to each other, so that
    planes stay apart. Ports of pairs that no network joins carry nothing.
    """
    source, target = np.asarray(source), np.asarray(target)
    level = int(network.find_joining_level(source, target).max(initial=0))
    worst, narrowest, crossing = 1.0, NONE, []
    # a rank that sends several flows at its full rate is slowed by its own ports already
    flow_rates = np.bincount(source, minlength=len(network.ranks)).max(initial=1) * share
    worst = max(worst, float(flow_rates))
    ports = []
    for port in range(network.leaf.shape[1]):
        joined = _find_joined(network, source, target, port)
        a, b = source[joined], target[joined]
        gbps = network.gbps[a, port] * share
        # received traffic is compared with the rate of the receiving port: a 400G port cannot take 800G
        received = np.asarray(np.bincount(b, gbps, len(network.ranks)), dtype=np.float64)
        worst = max(worst, _find_highest_ratio(received[None, :], network.gbps[:, port]))
        ports.append((network.leaf[a, port], network.leaf[b, port], gbps))
    total = sum(float(gbps.sum()) for _, _, gbps in ports)
    for number, step in enumerate(network.levels):
        crossing_gbps = 0.0
        load = np.zeros((2, len(step.component)))
        for a, b, gbps in ports:
            leaves = step.component[a] != step.component[b]
            crossing_gbps += float(gbps[leaves].sum())
            for direction, end in enumerate((a, b)):
                load[direction] += np.bincount(step.component[end[leaves]], gbps[leaves], load.shape[1])
        crossing.append(crossing_gbps / total if total else 0.0)
        ratio = _find_highest_ratio(load, step.out_gbps)
        if ratio > worst:
            worst, narrowest = ratio, number
    return Crowding(worst, level, narrowest, tuple(crossing))


def _find_joined(network: Network, source: Ints64, target: Ints64, port: int) -> Flags:
    """Return for each flow whether both ranks have a link at `port` and a path leads between them; bool."""
    a, b = network.leaf[source, port], network.leaf[target, port]
    joined = (a != NONE) & (b != NONE)
    top = network.top.component
    joined[joined] = top[a[joined]] == top[b[joined]]
    return np.asarray(joined)


def measure_crowding_of_all(network: Network, ranks: Ints64) -> Crowding:
    """Return the crowding if every rank of a job sends equally to each of its ranks outside the sender's domain.

    `ranks` are the rows of the job's ranks, int64. If rails are networks of their own, traffic to another rail leaves
    by the accelerator of that rail in the sender's domain, as the PXN of NCCL does it (NVIDIA, Doubling all2all
    Performance with NCCL 2.12, 2022).

    As many bytes leave a component as come in, so one direction is counted. Ranks that no network joins exchange
    nothing: they do not raise `level`, and a port without any target counts in `crossing` with its full rate.
    """
    worst, narrowest, level, crossing = 1.0, NONE, 0, []
    domain = network.ranks.domain[ranks]
    ports = [port for port in range(network.leaf.shape[1]) if (network.leaf[ranks, port] != NONE).any()]
    for number, step in enumerate(network.levels):
        load, total, crossing_gbps = np.zeros(len(step.component)), 0.0, 0.0
        for port in ports:
            leaf = network.leaf[ranks, port]
            wired = leaf != NONE
            gbps = network.gbps[ranks[wired], port]
            component, port_domain = step.component[leaf[wired]], domain[wired]
            targets = count_other_ports(network.top.component[leaf[wired]], port_domain)
            # the fraction of a port's traffic that leaves its component
            out = np.where(targets > 0, 1 - count_other_ports(component, port_domain) / np.maximum(targets, 1), 0.0)
            load += np.bincount(component, gbps * out, len(load))
            total, crossing_gbps = total + float(gbps.sum()), crossing_gbps + float((gbps * out).sum())
        crossing.append(crossing_gbps / total if total else 0.0)
        if crossing_gbps:
            level = number + 1
        ratio = _find_highest_ratio(load[None, :], step.out_gbps)
        if ratio > worst:
            worst, narrowest = ratio, number
    return Crowding(worst, level, narrowest, tuple(crossing))


def count_other_ports(component: Ints64, domain: Ints64) -> Floats:
    """Return for each port how many ports of other scale-up domains are in its connected part; float64.

    `component` and `domain` have a number for each port, int64.
    """
    # (domain, component) as one number
    key = domain * (int(component.max(initial=0)) + 1) + component
    order = np.argsort(key, kind="stable")  # of keys nearly in order, as ranks are: quick
    ordered = key[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(key)])
    size, same_domain = np.diff(np.r_[starts, len(key)]), np.empty(len(key), dtype=np.int64)
    same_domain[order] = np.repeat(size, size)
    return np.asarray(np.bincount(component)[component] - same_domain, dtype=np.float64)


def _find_highest_ratio(load: Floats, out_gbps: Floats) -> float:
    """Return the highest ratio of load to bandwidth, over the columns of `load` whose `out_gbps` is above 0; else 0.

    `load` has a row for each direction and a column for each component or port, Gb/s; `out_gbps` is their bandwidth.
    """
    has_bandwidth = out_gbps > 0
    return float((load[:, has_bandwidth] / out_gbps[has_bandwidth]).max(initial=0.0))
