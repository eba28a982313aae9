"""The switches that the VRFs of tenants are on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fabricgen.cluster import Cluster

Vrfs = Mapping[str, frozenset[str]]
"""The names of the switches that a tenant's VRF is on, by tenant."""


def list_tenant_vrfs(cluster: Cluster) -> Vrfs:
    """Return, for each tenant, the names of the switches that its VRF is on.

    These are the switches that have ports of the tenant, and those at the ends of links between switches that carry its
    VRF.
    """
    return {tenant.name: frozenset(_list_vrf_switches(cluster, tenant.name)) for tenant in cluster.design.tenants}


def _list_vrf_switches(cluster: Cluster, tenant: str) -> Iterator[str]:
    # the switches that a tenant's VRF is on: those with its ports, and those at links between switches that carry it
    links, has_vrf = cluster.plan.links, np.zeros(len(cluster.plan.devices), dtype=bool)
    for ports in cluster.addresses.tenants[tenant].ports.values():
        has_vrf |= ports > 0
    for family in cluster.addresses.families:
        for pairs in (pairs for (_, vrf), pairs in family.vrf_links.items() if vrf == tenant):
            rows = np.flatnonzero(pairs.present)
            has_vrf[links.a_device[rows]] = has_vrf[links.b_device[rows]] = True
    yield from (cluster.names[row] for row in np.flatnonzero(has_vrf).tolist())
