"""Tables of halls, racks, models, VLANs and pools, and of nodes that are near each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.cluster import Cluster
from fabricgen.export.locality import Locality, group_nodes
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.plugins.columns import (
    TableColumns,
    table_column,
    to_flag_array,
    to_float_array,
    to_integer_array,
    to_text_array,
)
from fabricgen.reports.table import Table


class Halls(TableColumns):
    """Halls, grouped by site."""

    name = table_column(to_text_array, "Its name, which another site may have too.")
    site = table_column(to_text_array, "Name of its site.")
    storey = table_column(to_integer_array, "Its storey, int32; 0 is the ground floor.")


class Racks(TableColumns):
    """Racks, in the order of racks.csv."""

    name = table_column(to_text_array, "Its name.", "rack")
    site = table_column(to_text_array, "Name of its site.")
    hall = table_column(to_text_array, "Name of its hall.")
    place = table_column(to_text_array, "Where it stands, as labels and drawings say it.")
    row = table_column(
        to_integer_array, "Its row in the hall, from 1, int32; those before the first count down from -1."
    )
    column = table_column(to_integer_array, "Its place in the row, counted as rows are, int32.")
    x_m = table_column(to_float_array, "Its centre along rows, in the site's coordinates, m, float64.")
    y_m = table_column(to_float_array, "Its centre across rows, m, float64.")
    kind = table_column(to_text_array, "Id of its profile in the catalogue.")
    units = table_column(to_integer_array, "Rack units inside, int32.")
    weight_kg = table_column(to_float_array, "Weight of what is in it, kg, float64; NaN where unknown.")
    power_w = table_column(to_float_array, "Power of its devices, W, float64; NaN where unknown.")
    feeds = table_column(to_text_array, "Its power feeds, `A+B`, where the floor names any.")


class Models(TableColumns):
    """Models of devices, racks and transceivers: those of the plan, whether or not one is there at a phase."""

    model = table_column(to_text_array, "Id of its profile in the catalogue, or the part number of a transceiver.")
    kind = table_column(to_text_array, "`node`, of extra devices too, `switch`, `rack` or `transceiver`.")
    vendor = table_column(to_text_array, "Who makes it; '' where many do.")
    part_number = table_column(to_text_array, "What is ordered.")
    description = table_column(to_text_array, "What it is, for people.")
    units = table_column(to_integer_array, "Height in rack units, inside of a rack, int32; 0 for a transceiver.")


def make_hall_table(cluster: Cluster) -> Table:
    """Return the halls, in the order of the plan."""
    halls, sites = cluster.plan.racks.halls, cluster.design.layout.sites
    rows = [(hall.name, sites[hall.site], hall.storey) for hall in halls]
    return Table("halls", {name: [row[at] for row in rows] for at, name in enumerate(Halls.names())})


def make_model_table(cluster: Cluster) -> Table:
    """Return the models: of devices by their first device, then of racks, then of transceivers."""
    device_profiles = {cls.profile.id: cls.profile for cls in cluster.plan.devices.classes}
    rack_profiles = {kind.id: kind for kind in cluster.plan.racks.kinds}
    optics = dict.fromkeys(chain(*(column.vocabulary.tolist() for column in CableParts(cluster).list_transceivers())))
    rows = [
        *(_describe_model(profile) for profile in (*device_profiles.values(), *rack_profiles.values())),
        *((part, "transceiver", "", part, "", 0) for part in optics if part),
    ]
    return Table("models", {name: [row[at] for row in rows] for at, name in enumerate(Models.names())})


def _describe_model(profile: NodeProfile | SwitchProfile | RackProfile) -> tuple[str, str, str, str, str, int]:
    """Return a row of `Models`: (id, kind, vendor, part number, description, rack units)."""
    if isinstance(profile, SwitchProfile):
        text = f"{profile.vendor} {profile.model}"
        return profile.id, profile.kind, profile.vendor, profile.part_number, text, profile.rack_units
    units = profile.units if isinstance(profile, RackProfile) else profile.rack_units
    return profile.id, profile.kind, profile.vendor, "", profile.name, units


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
    """Return the VLANs of fabrics, each once though IPv4 and IPv6 share it, then those of tenants."""
    rows = dict.fromkeys((*_list_fabric_vlans(cluster), *_list_tenant_vlans(cluster)))
    return Table("vlans", {name: [row[at] for row in rows] for at, name in enumerate(Vlans.names())})


def _list_fabric_vlans(cluster: Cluster) -> Iterator[tuple[int, str, str, int]]:
    """Yield (VLAN, fabric, "" for no tenant, number from 1) of each VLAN of bridged hosts, address family by family.

    A VLAN of both IPv4 and IPv6 comes twice. A fabric has as many VLANs, with consecutive ids, as its switch with the
    most subnets has.
    """
    for family in cluster.addresses.families:
        for fabric, subnets in family.subnets.items():
            rows = np.flatnonzero(subnets.gateway.present)
            vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
            count = int(subnets.count[rows].max(initial=0))
            yield from ((vlan + index, fabric, "", index + 1) for index in range(count))


def _list_tenant_vlans(cluster: Cluster) -> Iterator[tuple[int, str, str, int]]:
    """Yield (VLAN, fabric, tenant, number from 1) of each VLAN that a tenant has alone."""
    for tenant in cluster.design.tenants:
        for fabric, vlans in tenant.vlans.items():
            yield from ((vlan, fabric, tenant.name, number) for number, vlan in enumerate(vlans, start=1))


def make_pool_table(cluster: Cluster) -> Table:
    """Return the prefixes of pools (name, prefix), in the order in which addresses are taken from them.

    A prefix that several pools share is listed once, with the name of the last one.
    """
    name_by_prefix: dict[str, str] = {}
    for demand in list_pool_demands(cluster.design):
        if demand.now:
            blueprint = cluster.design.loaded.blueprint
            prefixes, name, _ = find_pool_prefixes(blueprint, demand.fabric, demand.pool, demand.family)
            name_by_prefix.update(dict.fromkeys(prefixes, name))
    return Table("pools", {"name": list(name_by_prefix.values()), "prefix": list(name_by_prefix)})


class Groups(TableColumns):
    """Groups of nodes, tier by tier from the leaves up: the nodes of a group reach the same switches of its tier."""

    name = table_column(to_text_array, "What the names of its switches have in common; no other group has it.")
    tier = table_column(to_text_array, "What its tier is called.")
    level = table_column(to_integer_array, "How many tiers are below it, int32; 0 for a logical leaf.")
    above = table_column(
        to_integer_array, "The group of the next tier that it lies in, a row, int32; -1 in the last one."
    )
    switches = table_column(
        to_flag_array, "Whether it has switches of its tier, bool; if not, it is the group below it."
    )


class Places(TableColumns):
    """Nodes of scalable units, in the order of `devices`."""

    node = table_column(to_text_array, "The name of the node.")
    device = table_column(to_integer_array, "The node, a row of `devices`, int32.")
    group = table_column(to_integer_array, "Its logical leaf, a row of `groups`, int32; -1 where it is on no network.")
    domain = table_column(to_text_array, "The scale-up domain that it shares with other nodes of the network.")


def make_place_tables(cluster: Cluster) -> tuple[Groups, Places]:
    """Return groups of nodes, and the places of nodes in them; raises InputError (FG155) if no fabric joins nodes."""
    locality = group_nodes(cluster)
    nodes = np.sort(np.concatenate((locality.nodes, locality.others)))
    is_grouped = np.isin(nodes, locality.nodes)
    group, domain = np.full(len(nodes), -1), np.full(len(nodes), "", dtype=object)
    group[is_grouped], domain[is_grouped] = locality.tiers[0].group, locality.domains.texts()
    columns = {"node": cluster.name_column[nodes], "device": nodes, "group": group, "domain": domain}
    places = Table("places", {name: column.tolist() for name, column in columns.items()})
    return Groups(_make_group_table(locality)), Places(places)


def _make_group_table(locality: Locality) -> Table:
    """Return the groups of all tiers, a row each, with the row of the group above; -1 at the top."""
    tiers = locality.tiers
    ends = np.cumsum([len(tier.names) for tier in tiers])
    above = np.full(ends[-1], -1)
    for lower, upper, end in zip(tiers, tiers[1:], ends, strict=False):
        # groups are numbered on from tier to tier; the `group` columns are both by node
        above[end - len(lower.names) + lower.group] = end + upper.group
    rows = [
        (name, tier.kind, level, has_switches)
        for level, tier in enumerate(tiers)
        for name, has_switches in zip(tier.names, tier.has_switches, strict=True)
    ]
    columns = dict(zip(("name", "tier", "level", "switches"), zip(*rows, strict=True), strict=True))
    return Table("groups", {**columns, "above": above.tolist()})
