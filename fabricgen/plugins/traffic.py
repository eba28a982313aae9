"""How packets of a fabric come to their paths, and what the analysis expects the network to reach.

Switches hash packets, or these name their path by SRv6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fabricgen.analyze.asked import Question, read_job
from fabricgen.analyze.collectives.model import find_domain_profile, make_team
from fabricgen.analyze.hash_shares import find_balancing_mode
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.sections.collectives import busbw_gbytes, find_quickest
from fabricgen.cluster import Cluster
from fabricgen.views.balancing import choose_hash_seed, find_balancing
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.tables import SWITCH

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Steering:
    """How packets of a fabric come to their paths.

    `mode` is that of `load_balance`: `hash`, `dynamic`, `spray` or `cluster`; in InfiniBand, whose subnet manager
    chooses the ports, "". `srv6` is whether packets may name their path, and `links` whether they name links rather
    than switches.
    """

    mode: str
    srv6: bool
    links: bool
    seeds: Ints
    """What the hash of each device begins with, by row of `devices`, int32; -1 where that is not known."""
    _cluster: Cluster = field(repr=False)
    _fabric: str = field(repr=False)

    def write_addresses(self, up: Ints64, down: Ints64) -> list[str]:
        """Return the IPv6 destination that names each path: the block and its identifiers (docs/srv6.md).

        `up` and `down` are [paths, levels] rows of `links`, -1 for none: upward from the sender's link, and downward to
        the receiver's, which is the first column of `down`. Raises ValueError for a fabric without SRv6.
        """
        design = {fabric.name: fabric for fabric in self._cluster.design.fabrics}[self._fabric]
        block = self._cluster.intent(design).srv6
        if not block:
            raise ValueError(f"{self._fabric} has no SRv6")
        links, names = self._cluster.plan.links, self._cluster.addresses.identifiers

        def identify(rows: Ints64, at_b: bool) -> Ints64:
            """Return the SRv6 identifier for the step over each link of `rows` from one end, that at b or at a; 0 for a
            row -1.

            It is that of the port at this end if identifiers name links, else that of the switch at the other end.
            """
            if block.links:
                identifiers = self._cluster.views.list_local_identifiers(
                    rows.astype(np.int32), np.full(len(rows), at_b)
                )
            else:
                identifiers = names[(links.a_device if at_b else links.b_device)[rows]].astype(np.int64)
            # what was read for row -1 is that of another link
            return np.where(rows >= 0, identifiers, 0)

        last = down[:, 0].astype(np.int32)
        columns = [] if block.links else [names[links.b_device[up[:, 0]]].astype(np.int64)]
        columns += [identify(up[:, level], False) for level in range(1, up.shape[1])]
        columns += [identify(down[:, level], True) for level in range(down.shape[1] - 1, 0, -1)]
        columns.append(self._cluster.views.list_local_identifiers(last, np.full(len(last), True)))
        chains = np.stack(columns, axis=1).tolist()
        return [str(block.make_address(filter(None, chain))) for chain in chains]


def make_steering(cluster: Cluster, fabric: str) -> Steering:
    """Return how packets of a fabric come to their paths; raises KeyError for a fabric that there is not."""
    design = {design.name: design for design in cluster.design.fabrics}[fabric]
    blueprint, devices = cluster.design.loaded.blueprint, cluster.plan.devices
    balancing = find_balancing(blueprint.fabrics[fabric].routing, blueprint.routing)
    seeds = np.full(len(devices.classes), UNKNOWN, dtype=np.int32)
    for number, cls in enumerate(devices.classes):
        if cls.kind == SWITCH:
            level = cluster.design.levels[cls.key]
            stated = choose_hash_seed(balancing, cls.tier, level)
            # a NOS has seeds of its own by level, the last of which serves all levels above
            nos_seeds = cluster.design.catalog.naming(cls.nos).configuration.hash_seeds or (UNKNOWN,)
            seeds[number] = nos_seeds[min(level, len(nos_seeds) - 1)] if stated is None else stated
    mode = "" if design.protocol == "infiniband" else balancing.mode
    srv6 = cluster.intent(design).srv6
    return Steering(mode, bool(srv6), bool(srv6 and srv6.links), seeds[devices.device_class], cluster, fabric)


class Busbw(NamedTuple):
    """What a collective is expected to reach: bus bandwidth as nccl-tests tells it, GB/s, and a remark on it, or ""."""

    gbytes: float
    remark: str


def find_reached(cluster: Cluster) -> dict[str, float]:
    """Return which share of its line rate, up to 1, each fabric reaches."""
    network = cluster.design.catalog.constants().efficiency.network
    protocols = {"infiniband": "infiniband", "roce": "ethernet", "ethernet": "ethernet"}
    return {fabric.name: network.find_reached(protocols[fabric.protocol]) for fabric in cluster.design.fabrics}  # type: ignore[arg-type]


def find_balancing_modes(cluster: Cluster) -> dict[str, str]:
    """Return by fabric how its switches choose among equal paths: `hash`, `dynamic`, `spray` or `cluster`."""
    return {fabric.name: find_balancing_mode(cluster, fabric) for fabric in cluster.design.fabrics}


def expect_busbw(cluster: Cluster, fabric: str, collective: str, size: int, job: str) -> Busbw | None:
    """Return which bus bandwidth a collective of a job (`all`, `2048`, `all@p1/su2`) reaches with messages of `size`
    bytes.

    None if the fabric joins no accelerators, or nothing is known of the collective. Raises InputError (FG145) for what
    is no job.
    """
    whole = cluster.phase.whole if cluster.phase else cluster
    constants = whole.design.catalog.constants()
    network = next((network for network in list_networks(whole) if network.fabric.name == fabric), None)
    if network is None or network.what != "accelerators":
        return None
    team = make_team(network, read_job(network, job), Question(constants).constants)
    best = find_quickest(team, collective, size)
    if best is None:
        return None
    measured = constants.efficiency.find_measured(find_domain_profile(network, int(team.job.ranks[0])))
    algorithm, timed = best
    remark = measured.says if measured and algorithm == "in_switch" else ""
    return Busbw(busbw_gbytes(team, collective, size, timed.us), remark)
