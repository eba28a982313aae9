"""Optics of two designs of one size: two tiers of eight 100G planes, and three tiers of 64 ports of 800G.

A GPU's 800G crosses two cables, of four transceivers, in two tiers and three cables, of six, in three: two thirds of
the optics, and 3/5 of the switches, as published (Araujo et al., arXiv:2605.04333, on multi-plane topologies of MRC).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.export.files import bom
from fabricgen.export.table import ExportContext
from fabricgen.pipeline import compile_design
from tests.conftest import BLUEPRINTS

UNITS = 16
"""Scalable units of both, of 256 GPUs each: more GPUs than the 2,048 that two tiers of 64 ports carry."""

THREE_TIERS = """
fabricgen: 1
name: three-tier
scalable_unit: {nodes: 32 x dgx-b300-8p, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 4, count: 4}}
fabrics:
  compute:
    protocol: roce
    media: [DR]
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, per: [pod, rail]}
      core: {switch: sn5600, per: rail}
nos: sonic
"""


def bought(cluster: Cluster, kind: str) -> int:
    """Pieces of a kind in the bill of materials."""
    columns = bom.make_table(cluster, ExportContext()).columns
    return sum(int(n) for n, of in zip(columns["quantity"], columns["kind"], strict=True) if of == kind)


@pytest.fixture(scope="module")
def two_tiers() -> Cluster:
    sets = (f"pods.p1.su={UNITS}", "fabrics.compute.media=[DR]")
    return build_cluster(compile_design(str(BLUEPRINTS / "multi-plane.yaml"), sets))


@pytest.fixture(scope="module")
def three_tiers(tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    file = Path(tmp_path_factory.mktemp("three")) / "three-tier.yaml"
    file.write_text(THREE_TIERS)
    return build_cluster(compile_design(str(file)))


def test_eight_planes_take_four_transceivers_a_gpu_and_three_tiers_take_six(
    two_tiers: Cluster, three_tiers: Cluster
) -> None:
    gpus = UNITS * 32 * 8
    assert (bought(two_tiers, "transceiver"), bought(three_tiers, "transceiver")) == (4 * gpus, 6 * gpus)


def test_eight_planes_take_three_fifths_of_the_switches(two_tiers: Cluster, three_tiers: Cluster) -> None:
    assert (bought(two_tiers, "switch"), bought(three_tiers, "switch")) == (192, 320)
