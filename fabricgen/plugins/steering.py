"""How packets of a fabric come to their paths: what switches hash with, and the addresses that name a path by SRv6."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

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
        """Return the IPv6 destination of each path, the block and its identifiers (docs/srv6.md).

        [paths, levels] rows of `links`, -1 for none: upward from the link of the sender, downward to that of the
        receiver, which is the first column of `down`. Raises ValueError for a fabric without SRv6.
        """
        design = {fabric.name: fabric for fabric in self._cluster.design.fabrics}[self._fabric]
        block = self._cluster.intent(design).srv6
        if not block:
            raise ValueError(f"{self._fabric} has no SRv6")
        links, names = self._cluster.plan.links, self._cluster.addresses.identifiers

        def identify(rows: Ints64, at_b: bool) -> Ints64:
            # the link by its port, or the switch at its far end: where a packet goes to; 0 for none
            if block.links:
                own = self._cluster.views.list_local_identifiers(rows.astype(np.int32), np.full(len(rows), at_b))
            else:
                own = names[(links.a_device if at_b else links.b_device)[rows]].astype(np.int64)
            return np.where(rows >= 0, own, 0)

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
            level, own = cluster.design.levels[cls.key], cluster.design.catalog.naming(cls.nos).configuration.hash_seeds
            stated = choose_hash_seed(balancing, cls.tier, level)
            seeds[number] = stated if stated is not None else own[min(level, len(own) - 1)] if own else UNKNOWN
    mode = "" if design.protocol == "infiniband" else balancing.mode
    srv6 = cluster.intent(design).srv6
    return Steering(mode, bool(srv6), bool(srv6 and srv6.links), seeds[devices.device_class], cluster, fabric)
