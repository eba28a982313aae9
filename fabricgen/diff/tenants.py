"""What a change does to tenants: which nodes change hands, and on which switches VRFs appear or go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from fabricgen.blueprint.models import natural
from fabricgen.cluster import Cluster
from fabricgen.wiring.tenants import tenant_of_devices

_LISTED = 4


@dataclass(frozen=True, slots=True)
class TenantFigures:
    """The tenant of each node and extra device that has one, and the switches that each tenant's VRF is on, by name."""

    owners: Mapping[str, str] = field(default_factory=dict)
    vrfs: Mapping[str, frozenset[str]] = field(default_factory=dict)


def tenant_figures(cluster: Cluster) -> TenantFigures:
    """The figures of a compiled cluster."""
    tenants = cluster.design.tenants
    if not tenants:
        return TenantFigures()
    of_device = tenant_of_devices(cluster.design, cluster.plan.devices)
    owners = {cluster.names[row]: tenants[of_device[row]].name for row in np.flatnonzero(of_device >= 0).tolist()}
    return TenantFigures(owners, {tenant.name: frozenset(_switches(cluster, tenant.name)) for tenant in tenants})


def _switches(cluster: Cluster, tenant: str) -> Iterator[str]:
    """Names of the switches that a tenant's VRF is on: with ports of it, and those that it passes over links."""
    places = cluster.addresses.tenants[tenant]
    carried = places.carries(cluster.plan) & np.logical_or.reduce(
        [
            found.vrf_links[key].present
            for found in cluster.addresses.families
            for key in found.vrf_links
            if key[1] == tenant
        ]
        or [np.zeros(len(cluster.plan.links), dtype=bool)]
    )
    there = np.logical_or.reduce([ports > 0 for ports in places.ports.values()] or [places.passes > 0])
    there[cluster.plan.links.a_device[carried]] = True
    there[cluster.plan.links.b_device[carried]] = True
    yield from (cluster.names[row] for row in np.flatnonzero(there).tolist())


def tenant_reasons(old: TenantFigures, new: TenantFigures) -> Iterator[str]:
    """Sentences on nodes that change hands, and on the switches that VRFs appear on or go from with them."""
    moved: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in sorted(old.owners.keys() | new.owners.keys(), key=natural):
        pair = old.owners.get(name, "nobody"), new.owners.get(name, "nobody")
        if pair[0] != pair[1]:
            moved[pair].append(name)
    for (was, now), names in sorted(moved.items()):
        count = f"{len(names):,} nodes" if names[1:] else "a node"
        yield f"tenants: {was} -> {now}: {count}, {_few(names)}; the ports of their leaves change VRF"
    for tenant in sorted(old.vrfs.keys() | new.vrfs.keys(), key=natural):
        before, after = (side.vrfs.get(tenant, frozenset[str]()) for side in (old, new))
        for verb, switches in (("appears on", after - before), ("goes from", before - after)):
            if switches:
                yield f"tenants: VRF {tenant} {verb} {_few(sorted(switches, key=natural))}"


def _few(names: list[str]) -> str:
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
