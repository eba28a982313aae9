"""Labels that say where the nodes of a Kubernetes cluster are, under the keys that a release of a tool has.

Sources: github.com/NVIDIA/topograph: pkg/engines/k8s/labeler.go of v0.1.0 and of v0.3.0 to v0.5.0 (keys by tier; more
tiers than keys are left out), pkg/topology/topology.go of v1.0.0; too long a value is its 64-bit FNV-1a hash there
(checkLabel). Region and zone: kubernetes.io, "Well-Known Labels, Annotations and Taints"; rack: Rook's documentation,
"OSD Topology". Syntax: kubernetes.io, "Labels and Selectors".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.locality.model import Locality, list_leaves
from fabricgen.export.locations import locate_halls

_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_BATCH_NODES = 4096


@dataclass(frozen=True, slots=True)
class Preset:
    """Keys of a release: of tiers from the leaf up, or a form by the tier's number, and of scale-up domains."""

    name: str
    domain: str
    tiers: tuple[str, ...] = ()
    form: str = ""

    def find_key(self, tier: int) -> str:
        """The key of a tier, which counts from 0 at the leaf; "" where the release has none."""
        if self.form:
            return self.form.format(tier)
        return self.tiers[tier] if tier < len(self.tiers) else ""


_NVIDIA = "network.topology.nvidia.com"
PRESETS = (
    Preset("topograph-1.0", "accelerator.topograph.run/domain", form="fabric.topograph.run/tier-{}"),
    Preset("topograph-0.3", f"{_NVIDIA}/accelerator", tuple(f"{_NVIDIA}/{tier}" for tier in ("leaf", "spine", "core"))),
    Preset(
        "topograph-0.1",
        f"{_NVIDIA}/accelerator",
        tuple(f"{_NVIDIA}/{tier}" for tier in ("block", "spine", "datacenter")),
    ),
)
"""By the first release that has the keys; 0.3 holds to 0.5."""
REGION, ZONE, RACK = "topology.kubernetes.io/region", "topology.kubernetes.io/zone", "topology.rook.io/rack"


def write_network_labels(locality: Locality, preset: Preset) -> Iterator[bytes]:
    """Resources of Node with their tiers and scale-up domains."""
    domain = locality.domains.read(0, len(locality.nodes))
    node_labels: list[tuple[int, tuple[tuple[str, str], ...]]] = []
    for leaf in list_leaves(locality):
        tiers = tuple((preset.find_key(tier), name) for tier, name in enumerate(leaf.path) if preset.find_key(tier))
        node_labels += [
            (node, (*tiers, *([(preset.domain, domain[node])] if domain[node] else ()))) for node in leaf.nodes
        ]
    return _write_resources(locality, f"labels of {preset.name.replace('-', ' ')}", node_labels)


def write_place_labels(locality: Locality) -> Iterator[bytes]:
    """Resources of Node with site, hall and rack."""
    labels = [tuple(zip((REGION, ZONE, RACK), node_place, strict=True)) for node_place in list_node_places(locality)]
    return _write_resources(locality, "site, hall and rack", list(enumerate(labels)))


def list_node_places(locality: Locality) -> list[tuple[str, str, str]]:
    """Site, hall and rack of each node."""
    cluster, racks = locality.cluster, locality.cluster.plan.racks
    halls, node_racks = locate_halls(cluster), cluster.plan.devices.rack[locality.nodes].tolist()
    sites = (cluster.sites[row] for row in locality.nodes.tolist())
    return [(site, halls[racks.hall[rack]], racks.names[rack]) for site, rack in zip(sites, node_racks, strict=True)]


def _write_resources(
    locality: Locality, title: str, node_labels: list[tuple[int, tuple[tuple[str, str], ...]]]
) -> Iterator[bytes]:
    """Nodes in the order in which they are told, some thousand at a time."""
    names = [name.lower() for name in locality.names.tolist()]  # as kubelet takes the host's own (--hostname-override)
    texts_by_labels = dict[tuple[tuple[str, str], ...], str]()
    yield f"# {_read_cluster_name(locality.cluster)}: {title} of {len(names):,} nodes\n".encode()
    for start in range(0, len(node_labels), _BATCH_NODES):
        block = []
        for node, labels in node_labels[start : start + _BATCH_NODES]:
            if labels not in texts_by_labels:
                texts_by_labels[labels] = "".join(
                    f"    {key}: {dumps(make_label_value(value))}\n" for key, value in labels
                )
            block.append(
                f"---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {dumps(names[node])}\n"
                f"  labels:\n{texts_by_labels[labels]}"
            )
        yield "".join(block).encode()


def _read_cluster_name(cluster: Cluster) -> str:
    return cluster.design.loaded.blueprint.name


def make_label_value(text: str) -> str:
    """A text as the value of a label: as it is, or `x` and its hash where that is too long or no such value."""
    if _VALUE.fullmatch(text):
        return text
    digest = 0xCBF29CE484222325
    for byte in text.encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"x{digest:x}"
