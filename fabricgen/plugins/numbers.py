"""Numbers that whole fabrics have: VLANs, and the pools that addresses are taken from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.plugins.columns import TableColumns, table_column, to_integer_array, to_text_array
from fabricgen.reports.table import Table


class Vlans(TableColumns):
    """VLANs of bridged nodes."""

    vid = table_column(to_integer_array, "Its id, int32.")
    fabric = table_column(to_text_array, "Its fabric.")
    tenant = table_column(to_text_array, "The tenant that has it alone.")
    number = table_column(to_integer_array, "Its number among those of the fabric, or of the tenant there, int32.")


class Pools(TableColumns):
    """Prefixes of the pools that addresses are taken from."""

    name = table_column(to_text_array, "The pool: `loopback`, or `compute.loopback` of a fabric's own.")
    prefix = table_column(to_text_array, "Its prefix, or one of several.")


def make_vlan_table(cluster: Cluster) -> Table:
    """Return VLANs of fabrics, each once for both families, then those of tenants."""
    rows = dict.fromkeys((*_list_fabric_vlans(cluster), *_list_tenant_vlans(cluster)))
    return Table("vlans", {name: [row[at] for row in rows] for at, name in enumerate(Vlans.names())})


def _list_fabric_vlans(cluster: Cluster) -> Iterator[tuple[int, str, str, int]]:
    # (VLAN, fabric, no tenant, number from 1) of the VLANs of hosts: as many as the switch with most subnets has
    for family in cluster.addresses.families:
        for fabric, subnets in family.subnets.items():
            rows = np.flatnonzero(subnets.gateway.present)
            vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
            count = int(subnets.count[rows].max(initial=0))
            yield from ((vlan + index, fabric, "", index + 1) for index in range(count))


def _list_tenant_vlans(cluster: Cluster) -> Iterator[tuple[int, str, str, int]]:
    for tenant in cluster.design.tenants:
        for fabric, vlans in tenant.vlans.items():
            yield from ((vlan, fabric, tenant.name, number) for number, vlan in enumerate(vlans, start=1))


def make_pool_table(cluster: Cluster) -> Table:
    """Return pools in the order in which they are drawn on; a prefix of several is the last one's."""
    name_by_prefix: dict[str, str] = {}
    for demand in list_pool_demands(cluster.design):
        if demand.now:
            blueprint = cluster.design.loaded.blueprint
            prefixes, name, _ = find_pool_prefixes(blueprint, demand.fabric, demand.pool, demand.family)
            name_by_prefix.update(dict.fromkeys(prefixes, name))
    return Table("pools", {"name": list(name_by_prefix.values()), "prefix": list(name_by_prefix)})
