"""topograph reads the model as its source does, and what it makes of nodes are the labels that we write."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import yaml

from fabricgen.cluster import Cluster
from tests.conftest import built_files, example_cluster
from tests.export.hostlist_reader import expanded
from tests.export.test_node_labels import labels_of, rows

DOMAIN, REGION = "accelerator.topology.test/domain", "topology.kubernetes.io/region"


@dataclass(frozen=True)
class Instance:
    """A node as the model has it: switches from the leaf up, scale-up domain, region."""

    layers: tuple[str, ...]
    domain: str
    region: str


def instances(cluster: Cluster) -> dict[str, Instance]:
    """Nodes of the model, after github.com/NVIDIA/topograph@aab33e1 (v1.0.0): pkg/models/model.go.

    UnmarshalYAML (a switch has a definition, children may have none), completeCapacityBlocks (a block has nodes, its
    switch is known, a node is in one block), buildSwitchMaps (one parent), getNetworkLayers (no circle).
    """
    ((_, content),) = ((path, content) for path, content in built_files(cluster, "topograph").items())
    model = yaml.safe_load(content)
    assert set(model) == {"switches", "blocks"}
    parent: dict[str, str] = {}
    for name, switch in model["switches"].items():
        assert switch is not None, name
        assert set(switch) <= {"switches"}
        for child in switch.get("switches", ()):
            assert parent.setdefault(child, name) == name
    known, found = {*model["switches"], *parent}, dict[str, Instance]()
    for block in model["blocks"]:
        assert set(block) <= {"switch", "nodes", "labels", "annotations"}
        assert block["nodes"]
        assert block["switch"] in known
        layers = [block["switch"]]
        while layers[-1] in parent:
            layers.append(parent[layers[-1]])
            assert len(layers) == len(set(layers))
        for node in (name for entry in block["nodes"] for name in expanded(entry)):
            assert node not in found
            told = block.get("annotations", {})
            found[node] = Instance(tuple(layers), told.get(DOMAIN, ""), block["labels"][REGION])
    return found


@pytest.mark.parametrize("name", ["nvl72-gb200", "two-site", "two-generations", "superpod-b200", "colossus-200k"])
def test_what_topograph_makes_of_the_model_is_what_labels_say(name: str) -> None:
    cluster = example_cluster(name)
    found, labels = instances(cluster), labels_of(cluster, "topograph-1.0")
    domain = "accelerator.topograph.run/domain"
    tiers = {
        node: {**{f"fabric.topograph.run/tier-{n}": switch for n, switch in enumerate(one.layers)}, domain: one.domain}
        for node, one in found.items()
    }
    assert {node: {key: value for key, value in told.items() if value} for node, told in tiers.items()} == labels
    sites = {row["device"]: row["site"] for row in rows(cluster, "devices")}
    assert {node: one.region for node, one in found.items()} == {node: sites[node] for node in found}


def test_a_switch_that_joins_nothing_is_there_too() -> None:
    """Leaves of unconnected fabrics have no parent: the model has no root over them."""
    tops = {one.layers[-1] for one in instances(example_cluster("two-generations")).values()}
    assert tops == {"xdr-leaf-01", "ndr-leaf-01"}
