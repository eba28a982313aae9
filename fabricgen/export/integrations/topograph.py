"""topograph/: the cluster as a model of NVIDIA topograph, whose engines derive topologies and labels from it; on
request.

Source: github.com/NVIDIA/topograph@aab33e1 (v1.0.0): docs/modeling.md and pkg/models/model.go: a switch has one parent,
only blocks have nodes, each node is in one block, names of nodes are ranges with brackets at their end. All tiers are
written, even those that join only one group, so that the k8s engine's labels are those of kubernetes/labels/.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.locality import (
    REGION,
    ZONE,
    Locality,
    LogicalLeaf,
    group_nodes,
    list_hostlists,
    list_leaves,
    list_node_places,
    make_label_value,
)
from fabricgen.export.table import ExportContext, File

DOMAIN = "accelerator.topology.test/domain"
"""The annotation by which a model names the scale-up domain."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield topograph/NAME.yaml; raises InputError (FG155) if no fabric joins nodes."""
    locality_groups, name = group_nodes(cluster), cluster.design.loaded.blueprint.name
    leaf_list = list(list_leaves(locality_groups))
    lines = [
        f"# {name}: {len(locality_groups.nodes):,} nodes",
        *_write_switches(leaf_list),
        *_write_blocks(locality_groups, leaf_list),
        "",
    ]
    yield f"topograph/{name}.yaml", "\n".join(lines).encode()


def rows(cluster: Cluster) -> int:
    """Return the work of writing the file, counted in rows of links.csv: about one for each device."""
    return len(cluster.plan.devices)


def _write_switches(leaf_list: list[LogicalLeaf]) -> Iterator[str]:
    """Yield the YAML of groups as switches: each group that holds other groups, with the names of these.

    A logical leaf that is in no other group is listed as well, with nothing below it.
    """
    groups_by_upper: dict[str, dict[str, None]] = {}
    for leaf in leaf_list:
        for lower, upper in pairwise(leaf.path):
            groups_by_upper.setdefault(upper, {})[lower] = None
        if len(leaf.path) == 1:
            groups_by_upper.setdefault(leaf.path[0], {})
    yield "switches:"
    for name, groups in groups_by_upper.items():
        yield f"  {dumps(name)}: {dumps({'switches': list(groups)} if groups else {})}"


def _write_blocks(locality_groups: Locality, leaf_list: list[LogicalLeaf]) -> Iterator[str]:
    """Yield blocks: the nodes of a logical leaf that share domain, site and hall."""
    yield "blocks:"
    domain, names = locality_groups.domains.read(0, len(locality_groups.nodes)), locality_groups.names
    node_places = list_node_places(locality_groups)
    for leaf in leaf_list:
        nodes_by_place: dict[tuple[str, str, str], list[int]] = {}
        for node in leaf.nodes:
            nodes_by_place.setdefault((domain[node], *node_places[node][:2]), []).append(node)
        for (node_domain, site, hall), nodes in nodes_by_place.items():
            yield f"- switch: {dumps(leaf.path[0])}"
            yield f"  nodes: {dumps(list_hostlists(names[nodes].tolist()))}"
            yield f"  labels: {dumps({REGION: make_label_value(site), ZONE: make_label_value(hall)})}"
            if node_domain:
                yield f"  annotations: {dumps({DOMAIN: node_domain})}"
