"""Kueue: levels that lie inside one another, by labels that the nodes have."""

from __future__ import annotations

from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.addons.kueue import DOMAIN, HOST, _nest_levels
from tests.conftest import built_files, example_cluster

TIERS = [f"fabric.topograph.run/tier-{tier}" for tier in range(4)]


def documents(text: bytes) -> list[Any]:
    return list(YAML(typ="safe").load_all(text.decode()))


@pytest.mark.parametrize(
    ("example", "levels"),
    [
        ("superpod-b300", [TIERS[1], TIERS[0], HOST]),
        ("four-tier", [TIERS[3], TIERS[2], TIERS[1], TIERS[0], HOST]),
        ("nvl72-gb200", [TIERS[1], DOMAIN, HOST]),  # a leaf has 24 nodes, and cuts through domains of 18
        ("ualink-pod", [TIERS[1], TIERS[0], DOMAIN, HOST]),
        ("rail-only", [TIERS[0], HOST]),
    ],
)
def test_every_node_has_the_labels_of_all_levels(example: str, levels: list[str]) -> None:
    files = built_files(example_cluster(example), "kueue", "kubernetes")
    topology, *flavors = documents(files["kueue/topology.yaml"])
    assert topology == {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Topology",
        "metadata": {"name": example},
        "spec": {"levels": [{"nodeLabel": label} for label in levels]},
    }
    nodes = [node["metadata"]["labels"] for node in documents(files["kubernetes/labels/topograph-1.0.yaml"]) if node]
    assert nodes
    assert all(label in labels for labels in nodes for label in levels[:-1])
    widths = [
        len({tuple(labels[label] for label in levels[:depth]) for labels in nodes}) for depth in range(len(levels))
    ]
    assert widths == sorted(widths)
    chosen = [flavor["spec"]["nodeLabels"] for flavor in flavors]
    assert all(flavor["spec"]["topologyName"] == example for flavor in flavors)
    assert all(sum(wanted.items() <= labels.items() for wanted in chosen) == 1 for labels in nodes)


def test_networks_that_no_link_joins_have_flavors_of_their_own() -> None:
    cluster = example_cluster("leaf-spine", "fabrics.compute.tiers.spine.per=pod", "pods.p1.count=2")
    _, *flavors = documents(built_files(cluster, "kueue")["kueue/topology.yaml"])
    assert [flavor["metadata"]["name"] for flavor in flavors] == ["leaf-spine-1", "leaf-spine-2"]
    assert len({*(str(flavor["spec"]["nodeLabels"]) for flavor in flavors)}) == 2


def test_domains_stand_between_what_they_are_in_and_what_is_in_them() -> None:
    tiers = {"hall": "aaaaaa", "row": "aabbbb", "cut": "abbaab", "shelf": "aabbcc"}
    assert _nest_levels(tiers, "xxyyyy") == ["hall", "row", DOMAIN, "shelf", HOST]
    assert _nest_levels(tiers, "") == [*tiers, HOST]
