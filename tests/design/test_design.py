"""Labels, connectors and counts of whole designs."""

from __future__ import annotations

import pytest

from fabricgen.export.files import cables
from tests.conftest import EXAMPLES, example_cluster


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_two_cable_ends_have_the_same_labels(name: str) -> None:
    table = cables.make_table(example_cluster(name))
    labels = list(zip(table.columns["label_a"], table.columns["label_b"], strict=True))
    assert len(set(labels)) == len(labels)


def test_fibres_have_a_connector_for_every_four_lanes() -> None:
    table = cables.make_table(example_cluster("superpod-b300"))
    fibres = {p for p, f in zip(table.columns["part"], table.columns["fabric"], strict=True) if f == "compute"}
    assert all(part.startswith("2x ") for part in fibres)


ODD = """
fabricgen: 1
name: odd
scalable_unit: {nodes: 67 x dgx-b200}
fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: su}}}}
"""


def test_a_prime_number_of_nodes_takes_no_leaf_each(design_of) -> None:
    assert design_of(ODD).fabric("oob").tiers[0].count == 2
