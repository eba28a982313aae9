"""The switches that VRFs of tenants are on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fabricgen.cluster import Cluster

Vrfs = Mapping[str, frozenset[str]]
"""By tenant, names of the switches that its VRF is on."""


def tenant_vrfs(cluster: Cluster) -> Vrfs:
    """The switches with ports of each tenant, and those whose links carry its VRF."""
    return {tenant.name: frozenset(_switches(cluster, tenant.name)) for tenant in cluster.design.tenants}


def _switches(cluster: Cluster, tenant: str) -> Iterator[str]:
    links, there = cluster.plan.links, np.zeros(len(cluster.plan.devices), dtype=bool)
    for ports in cluster.addresses.tenants[tenant].ports.values():
        there |= ports > 0
    for found in cluster.addresses.families:
        for pairs in (pairs for (_, vrf), pairs in found.vrf_links.items() if vrf == tenant):
            rows = np.flatnonzero(pairs.present)
            there[links.a_device[rows]] = there[links.b_device[rows]] = True
    yield from (cluster.names[row] for row in np.flatnonzero(there).tolist())
