"""Where nodes are near each other: groups of them in the network of accelerators, and the group of each node."""

from __future__ import annotations

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locality import Locality, group_nodes
from fabricgen.plugins.columns import TableColumns, table_column, to_flag_array, to_integer_array, to_text_array
from fabricgen.reports.table import Table


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
    """Return the groups and who is in them; raises InputError (FG155) if no fabric joins nodes."""
    locality = group_nodes(cluster)
    nodes = np.sort(np.concatenate((locality.nodes, locality.others)))
    is_grouped = np.isin(nodes, locality.nodes)
    group, domain = np.full(len(nodes), -1), np.full(len(nodes), "", dtype=object)
    group[is_grouped], domain[is_grouped] = locality.tiers[0].group, locality.domains.texts()
    columns = {"node": cluster.name_column[nodes], "device": nodes, "group": group, "domain": domain}
    places = Table("places", {name: column.tolist() for name, column in columns.items()})
    return Groups(_make_group_table(locality)), Places(places)


def _make_group_table(locality: Locality) -> Table:
    # groups of all tiers, one a row, each with the row of the group above it; -1 at the top
    tiers = locality.tiers
    ends = np.cumsum([len(tier.names) for tier in tiers])
    above = np.full(ends[-1], -1)
    for lower, upper, end in zip(tiers, tiers[1:], ends, strict=False):
        # groups of all tiers are numbered in one row, tier after tier; both columns are by node
        above[end - len(lower.names) + lower.group] = end + upper.group
    rows = [
        (name, tier.kind, level, has_switches)
        for level, tier in enumerate(tiers)
        for name, has_switches in zip(tier.names, tier.has_switches, strict=True)
    ]
    columns = dict(zip(("name", "tier", "level", "switches"), zip(*rows, strict=True), strict=True))
    return Table("groups", {**columns, "above": above.tolist()})
