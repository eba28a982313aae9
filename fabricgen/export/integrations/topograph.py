"""topograph/: the cluster as a model of NVIDIA topograph, whose engines write topologies and labels of it; on request.

Source: github.com/NVIDIA/topograph@aab33e1 (v1.0.0): docs/modeling.md and pkg/models/model.go: a switch has one parent,
only blocks have nodes, each node is in one block, names of nodes are ranges with brackets at their end. All tiers are
told, those too that join but one group, so that the k8s engine's labels are those of kubernetes/labels/.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.kubernetes.labels import REGION, ZONE, label_value, places
from fabricgen.export.locality.model import Leaf, Locality, hostlists, leaves, locality
from fabricgen.export.table import ExportContext, File

ON_REQUEST = True
DOMAIN = "accelerator.topology.test/domain"
"""The annotation by which a model tells the scale-up domain."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield topograph/NAME.yaml; raises InputError (FG155) where no fabric joins nodes."""
    found, name = locality(cluster), cluster.design.loaded.blueprint.name
    held = list(leaves(found))
    lines = [f"# {name}: {len(found.nodes):,} nodes", *_switches(held), *_blocks(found, held), ""]
    yield f"topograph/{name}.yaml", "\n".join(lines).encode()


def rows(cluster: Cluster) -> int:
    """Work, in rows of links.csv: about as many as there are devices."""
    return len(cluster.plan.devices)


def _switches(held: list[Leaf]) -> Iterator[str]:
    """Groups with those below them; a logical leaf that nothing joins to others, too."""
    below: dict[str, dict[str, None]] = {}
    for leaf in held:
        for lower, upper in pairwise(leaf.path):
            below.setdefault(upper, {})[lower] = None
        if len(leaf.path) == 1:
            below.setdefault(leaf.path[0], {})
    yield "switches:"
    for name, groups in below.items():
        yield f"  {dumps(name)}: {dumps({'switches': list(groups)} if groups else {})}"


def _blocks(found: Locality, held: list[Leaf]) -> Iterator[str]:
    """The nodes of a logical leaf that share domain, site and hall."""
    yield "blocks:"
    domain, names, where = found.domains.read(0, len(found.nodes)), found.names, places(found)
    for leaf in held:
        alike: dict[tuple[str, str, str], list[int]] = {}
        for node in leaf.nodes:
            alike.setdefault((domain[node], *where[node][:2]), []).append(node)
        for (of, site, hall), nodes in alike.items():
            yield f"- switch: {dumps(leaf.path[0])}"
            yield f"  nodes: {dumps(hostlists(names[nodes].tolist()))}"
            yield f"  labels: {dumps({REGION: label_value(site), ZONE: label_value(hall)})}"
            if of:
                yield f"  annotations: {dumps({DOMAIN: of})}"
