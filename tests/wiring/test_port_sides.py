"""Which aisle ports face in racks of nodes, and what a cable that crosses a rack takes for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.bom.variants import find_class_variant
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.lint.engine import lint

DesignOf = Callable[..., Design]

NVL72 = """\
fabricgen: 1
name: sides
scalable_unit: {nodes: 18 x gb200-tray, racks: {type: nvl72-gb200, devices: {shelf: 8 x power-shelf}}}
pods: {p1: {su: 1}}
scale_up: {nvlink: {domain: nvl72-gb200, per: rack}}
fabrics:
  compute: {protocol: infiniband, tiers: {leaf: {switch: qm9700, per: [su, rail]}}}
  oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201, per: rack}}}
"""
BESIDE = {"gb200-tray": 18, "nvlink5-tray": 9, "power-shelf": 8}
DEPTH, WAY, UNIT = 1.068, 0.6, 0.04445


@pytest.fixture
def built(design_of: DesignOf) -> Callable[..., Cluster]:
    return lambda *sets: build_cluster(design_of(NVL72, sets))


def crossings(cluster: Cluster) -> dict[str, Counter[float]]:
    """What cables of SN2201 inside a rack take beyond the way there, m, by the profile at their other end."""
    devices, links, cables = (getattr(cluster.plan, name) for name in ("devices", "links", "cables"))
    found: dict[str, Counter[float]] = {}
    for cable, link in zip(cables.end_cable.tolist(), cables.end_link.tolist(), strict=True):
        ends = [int(links.a_device[link]), int(links.b_device[link])]
        profiles = {devices.classes[devices.device_class[end]].profile.id: end for end in ends}
        if "sn2201" in profiles and len(set(devices.rack[ends].tolist())) == 1:
            inside = abs(int(np.diff(devices.u[ends])[0])) * UNIT + WAY
            beyond = float(cables.run_m[cable]) - inside * (1 + cluster.design.loaded.blueprint.floor.slack)
            (other,) = profiles.keys() - {"sn2201"}
            found.setdefault(other, Counter())[round(beyond, 3)] += 1
    return found


def airflow(cluster: Cluster, profile: str) -> set[str | None]:
    """The airflow of all switches of a model."""
    variants = (find_class_variant(cluster, cls) for cls in cluster.plan.devices.classes if cls.profile.id == profile)
    return {variant.airflow for variant in variants if variant}


def test_copper_in_a_rack_crosses_it_where_its_switch_faces_the_other_aisle(built: Callable[..., Cluster]) -> None:
    """Trays and shelves of NVL72 have their ports in front, and so has a switch that stands among them."""
    usual = built()
    across = round(DEPTH * (1 + usual.design.loaded.blueprint.floor.slack), 3)
    assert airflow(usual, "sn2201") == {"intake"}
    assert crossings(usual) == {profile: {0.0: count} for profile, count in BESIDE.items()}
    turned = built("fabrics.oob.tiers.leaf.airflow=exhaust")
    assert crossings(turned) == {profile: {across: count} for profile, count in BESIDE.items()}


def test_a_lock_from_before_keeps_airflow_and_lengths(built: Callable[..., Cluster]) -> None:
    """It was made when the side of compute trays alone was known, and SN2201 were ordered with their ports behind."""
    usual = built()
    old = Lock("sides", {}, {"floor rules": 3})
    kept = build_cluster(build_design(replace(usual.design.loaded, lock=old)))
    across = round(DEPTH * (1 + usual.design.loaded.blueprint.floor.slack), 3)
    assert (airflow(kept, "sn2201"), kept.lock.rooms["floor rules"]) == ({"exhaust"}, 3)
    assert crossings(kept) == {"gb200-tray": {across: 18}, "nvlink5-tray": {0.0: 9}, "power-shelf": {0.0: 8}}
    told = [d.message for d in lint(kept.design, kept).findings if d.code == "FG649"]
    assert len(told) == 1
    assert "too short to cross a rack" in told[0]


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (["scalable_unit={nodes: 4 x dgx-b300}"], "intake"),
        (["scalable_unit={nodes: 4 x dgx-b200}"], "exhaust"),
        (["scalable_unit={nodes: 4 x mi300x-8}"], "exhaust"),  # nobody says where their ports are: as listed first
        (["scalable_unit={nodes: {gpu: 2 x dgx-b300, old: 2 x dgx-b200}}"], "exhaust"),  # on both sides
        (["scalable_unit={nodes: 4 x dgx-b300}", "fabrics.oob.tiers.leaf.stand=unit-end"], "exhaust"),
    ],
)
def test_switches_in_racks_of_nodes_face_their_aisle(design_of: DesignOf, sets: list[str], expected: str) -> None:
    alone = ["scale_up={}", "fabrics.compute.tiers.leaf={switch: sn5600, per: su}", "fabrics.compute.protocol=roce"]
    cluster = build_cluster(design_of(NVL72, [*sets, *alone]))
    assert airflow(cluster, "sn2201") == {expected}


def test_patched_cables_cross_no_rack(design_of: DesignOf) -> None:
    """Panels are mounted as suits what they join, so nothing is said of switches that are joined through them."""
    sets = ["scalable_unit={nodes: 4 x dgx-b300}", "scale_up={}", "fabrics.compute.protocol=roce"]
    sets += ["fabrics.compute.tiers.leaf={switch: sn4700, per: su, airflow: exhaust}", "fabrics.oob.also=[]"]
    sets += ["fabrics.compute.speed=400G"]
    for patch, told in (({}, 1), ({"all": {"fabrics": "compute", "between": "node-leaf"}}, 0)):
        cluster = build_cluster(design_of(NVL72, [*sets, f"cabling.patch={patch}"]))
        found = [d.message for d in lint(cluster.design, cluster).findings if d.code == "FG659"]
        assert len(found) == told, found
