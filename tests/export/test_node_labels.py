"""Labels of Kubernetes nodes say where the plan has them, under keys and in the syntax that Kubernetes takes."""

from __future__ import annotations

import csv
import re
from collections import defaultdict

import pytest
import yaml

from fabricgen.cluster import Cluster
from fabricgen.export.integrations import kubernetes
from fabricgen.export.locality import make_label_value
from fabricgen.export.table import ExportContext
from tests.conftest import built_files, bytes_of, example_cluster

NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""Name and prefix of a key, and a value: kubernetes.io, "Labels and Selectors", syntax and character set."""

KEYS = {
    "topograph-1.0": ("fabric.topograph.run/tier-0", "accelerator.topograph.run/domain"),
    "topograph-0.3": ("network.topology.nvidia.com/leaf", "network.topology.nvidia.com/accelerator"),
    "topograph-0.1": ("network.topology.nvidia.com/block", "network.topology.nvidia.com/accelerator"),
}


def labels_of(cluster: Cluster, preset: str) -> dict[str, dict[str, str]]:
    """Labels by node; each node once, each label as Kubernetes takes it."""
    written = dict(kubernetes.files(cluster, ExportContext()))
    text = bytes_of(written[f"kubernetes/labels/{preset}.yaml"])
    told = [each for each in yaml.load_all(text, Loader=yaml.CSafeLoader) if each]
    found = {}
    for each in told:
        assert set(each) == {"apiVersion", "kind", "metadata"}
        assert (each["apiVersion"], each["kind"], set(each["metadata"])) == ("v1", "Node", {"name", "labels"})
        for key, value in each["metadata"]["labels"].items():
            prefix, _, name = key.partition("/")
            assert PREFIX.fullmatch(prefix), key
            assert len(prefix) <= 253
            assert NAME.fullmatch(name), key
            assert max(len(name), len(value)) <= 63
            assert NAME.fullmatch(value), value
        found[each["metadata"]["name"]] = each["metadata"]["labels"]
    assert len(found) == len(told)
    return found


def rows(cluster: Cluster, table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(built_files(cluster, table)[f"{table}.csv"].decode().splitlines()))


@pytest.mark.parametrize("preset", KEYS)
def test_nodes_share_labels_as_they_share_leaves_and_domains(preset: str) -> None:
    """The 18 trays of a rack have one domain, nodes on the same leaves one first tier, and all the tier above."""
    cluster, (tier, domain) = example_cluster("nvl72-gb200"), KEYS[preset]
    labels = labels_of(cluster, preset)
    leaves = defaultdict[str, set[str]](set)
    domains = {}
    for row in rows(cluster, "endpoints"):
        leaves[row["node"]].add(row["leaf"])
        domains[row["node"]] = row["domain"]
    assert {node: told[domain] for node, told in labels.items()} == domains
    same = defaultdict[str, set[frozenset[str]]](set)
    for node, told in labels.items():
        same[told[tier]].add(frozenset(leaves[node]))
    assert sorted(map(len, same.values())) == [1] * 6
    assert len(set.union(*same.values())) == 6
    (above,) = {tuple(value for key, value in told.items() if key not in (tier, domain)) for told in labels.values()}
    assert above == ("compute-spine",)


def test_tiers_lie_within_each_other_and_end_where_links_do() -> None:
    """Four tiers over two sites, of which three have keys in older releases; no value over unconnected fabrics."""
    labels, three = (labels_of(example_cluster("two-site"), name) for name in ("topograph-1.0", "topograph-0.3"))
    tiers = [list(told.items()) for told in labels.values()]
    assert {tuple(key for key, _ in told) for told in tiers} == {
        tuple(f"fabric.topograph.run/tier-{number}" for number in range(4))
    }
    for lower, upper in ((0, 1), (1, 2), (2, 3)):
        above = {(told[lower][1], told[upper][1]) for told in tiers}
        assert len(above) == len({low for low, _ in above})
    assert len({told[3][1] for told in tiers}) == 1
    assert {node: list(told.values())[:3] for node, told in labels.items()} == {
        node: list(told.values()) for node, told in three.items()
    }
    apart = labels_of(example_cluster("two-generations"), "topograph-1.0")
    of_kind = defaultdict[str, set[str]](set)
    for node, told in apart.items():
        of_kind[node.split("-")[2]].update(told.values())
    assert not set.intersection(*of_kind.values())


def test_places_are_those_of_devices() -> None:
    cluster = example_cluster("two-site")
    halls = {row["rack"]: row["place"].rpartition(".R")[0] for row in rows(cluster, "racks")}
    assert labels_of(cluster, "places") == {
        row["device"]: {
            "topology.kubernetes.io/region": row["site"],
            "topology.kubernetes.io/zone": halls[row["rack"]],
            "topology.rook.io/rack": row["rack"],
        }
        for row in rows(cluster, "devices")
        if row["tier"] == "node"
    }


def test_a_value_that_is_none_is_its_hash() -> None:
    """As github.com/NVIDIA/topograph@v1.0.0 has it: pkg/engines/k8s/labeler_test.go, leaf of Node304."""
    long = "S3very-very-long-id-to-check-label-value-limits-of-63-characters"
    assert (make_label_value(long[:63]), make_label_value(long)) == (long[:63], "xf946c4acef2d5939")
    assert NAME.fullmatch(make_label_value("-"))
