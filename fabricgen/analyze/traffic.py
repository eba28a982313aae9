"""Where traffic between accelerators is crowded: load on the uplinks of each component against what these carry.

Traffic is spread evenly over equal paths, as per-packet spraying does; what hashing makes of it is in `load_balance`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.network import NONE, Network
from fabricgen.wiring.arrays import Flags, Floats, Ints64


@dataclass(frozen=True, slots=True)
class Crowding:
    """How crowded a pattern of traffic is when every rank sends at the rate of its ports.

    `slowdown` is the highest load of uplinks over what they carry, at least 1; `level` that of the farthest pair, and
    len(levels) where some pair is joined by no network; `narrowest` the level whose uplinks are the most crowded, -1
    where none is beyond what it carries; `crossing` by level the share of the traffic that uses its uplinks.
    """

    slowdown: float
    level: int
    narrowest: int
    crossing: tuple[float, ...]
    balanced: float = 1.0
    """The share of its rate that the choice among equal paths leaves, of 1, which crowding may take already."""

    @property
    def times_slower(self) -> float:
        """How many times slower the pattern is than the ports, by crowding or by the choice among equal paths."""
        return max(self.slowdown, 1 / self.balanced)


def measure_crowding(network: Network, source: Ints64, target: Ints64, share: float = 1.0) -> Crowding:
    """The crowding of flows between pairs of ranks (int64 arrays of one length), each at a share of its rank's rate.

    Ports of one number talk to each other, so that planes stay apart. Pairs that no network joins are left out.
    """
    source, target = np.asarray(source), np.asarray(target)
    level = int(network.find_joining_level(source, target).max(initial=0))
    worst, narrowest, crossing = 1.0, NONE, []
    # a rank that sends several flows at its full rate is slowed by its own ports already, whatever the network has
    sent = np.bincount(source, minlength=len(network.ranks)).max(initial=1) * share
    worst = max(worst, float(sent))
    ports = []
    for port in range(network.leaf.shape[1]):
        joined = _find_joined(network, source, target, port)
        a, b = source[joined], target[joined]
        gbps = network.gbps[a, port] * share
        # what a port receives counts in its own rate: a 400G port cannot take what an 800G port sends
        received = np.asarray(np.bincount(b, gbps, len(network.ranks)), dtype=np.float64)
        worst = max(worst, _find_highest_ratio(received[None, :], network.gbps[:, port]))
        ports.append((network.leaf[a, port], network.leaf[b, port], gbps))
    total = sum(float(gbps.sum()) for _, _, gbps in ports)
    for number, step in enumerate(network.levels):
        carried = 0.0
        load = np.zeros((2, len(step.component)))
        for a, b, gbps in ports:
            leaves = step.component[a] != step.component[b]
            carried += float(gbps[leaves].sum())
            for side, end in enumerate((a, b)):
                load[side] += np.bincount(step.component[end[leaves]], gbps[leaves], load.shape[1])
        crossing.append(carried / total if total else 0.0)
        ratio = _find_highest_ratio(load, step.out_gbps)
        if ratio > worst:
            worst, narrowest = ratio, number
    return Crowding(worst, level, narrowest, tuple(crossing))


def _find_joined(network: Network, source: Ints64, target: Ints64, port: int) -> Flags:
    """Which flows the network joins at ports of that number: both ranks have one, and a way leads between them."""
    a, b = network.leaf[source, port], network.leaf[target, port]
    joined = (a != NONE) & (b != NONE)
    top = network.top.component
    joined[joined] = top[a[joined]] == top[b[joined]]
    return np.asarray(joined)


def measure_crowding_of_all(network: Network, ranks: Ints64) -> Crowding:
    """The crowding when every rank of a job sends as much to each other rank of it that is not in its domain.

    Where rails are networks of their own, traffic to another rail leaves by the accelerator of that rail in the
    sender's domain, as the PXN of NCCL does it (NVIDIA, Doubling all2all Performance with NCCL 2.12, 2022).
    """
    worst, narrowest, level, crossing = 1.0, NONE, 0, []
    domain = network.ranks.domain[ranks]
    port = [p for p in range(network.leaf.shape[1]) if (network.leaf[ranks, p] != NONE).any()]
    for number, step in enumerate(network.levels):
        load, total, carried = np.zeros(len(step.component)), 0.0, 0.0
        for p in port:
            leaf = network.leaf[ranks, p]
            wired = leaf != NONE
            gbps = network.gbps[ranks[wired], p]
            near, port_domain = step.component[leaf[wired]], domain[wired]
            wide = network.top.component[leaf[wired]]
            other_ports = count_other_ports(wide, port_domain)
            out = np.where(other_ports > 0, 1 - count_other_ports(near, port_domain) / np.maximum(other_ports, 1), 0.0)
            load += np.bincount(near, gbps * out, len(load))
            total, carried = total + float(gbps.sum()), carried + float((gbps * out).sum())
        crossing.append(carried / total if total else 0.0)
        if carried:
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
    """The highest load over capacity among components that have uplinks, or ports that have a rate."""
    wide = out_gbps > 0
    return float((load[:, wide] / out_gbps[wide]).max(initial=0.0))
