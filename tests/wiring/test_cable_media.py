"""The medium of cables in odd places: splitters with unused legs, cages that cables of many kinds share, fibre beside
optical cables, and lanes that nothing carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.bom.cables import CableParts
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.lint.engine import lint
from fabricgen.wiring.cabling.media import MediaFit, _choose_common_media, _MediaRequirements

DesignOf = Callable[..., Design]

NDR200 = """\
fabricgen: 1
name: splitters
scalable_unit: {nodes: 4 x mi300x-8, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 1}}
fabrics:
  compute:
    protocol: infiniband
    speed: 200G
    tiers:
      leaf: {switch: qm9700, per: [rack, rail]}
cabling: {prefer: [DAC], products: [nvidia-linkx]}
"""

AOC_IN_TWO_RACKS = """\
fabricgen: 1
name: two-racks
scalable_unit: {nodes: 2 x mi300x-8, racks: {nodes_per_rack: 1}}
pods: {p1: {su: 1}}
fabrics:
  compute:
    protocol: infiniband
    tiers:
      leaf: {switch: qm9700, per: [su, rail], stand: rack-top}
cabling: {prefer: [AOC], allow: [AOC], copper_to_m: 1}
"""

ODD_SWITCH = """\
kind: switch
id: odd
vendor: Odd
model: Odd
protocol: ethernet
asic: Odd
throughput_gbps: 3328
cages:
- {count: 64, form_factor: QSFP112, lanes: 4, lane_gbps: 13, breakouts: {"1": [52]}}
rack_units: 1
power_w: {max: 100}
nos: [sonic]
source: made up for a test
tag: R
"""

ODD_NODE = """\
kind: node
id: odd-node
name: Odd
vendor: Odd
roles:
  compute:
    form_factor: QSFP112
    lanes: 4
    lane_gbps: 13
    speeds: [52]
    ports: [{rail: 1, name: NIC1, cage: NIC1}]
rack_units: 1
power_w: {max: 100}
source: made up for a test
tag: R
"""


@pytest.mark.parametrize("nodes", [3, 4])
def test_a_splitter_over_both_connectors_is_ordered_whole_whatever_is_used(design_of: DesignOf, nodes: int) -> None:
    """Four ways of 200G over the two connectors of a cage: MCP7Y40 has four legs, and none is sold with three."""
    cluster = build_cluster(design_of(NDR200, [f"scalable_unit.nodes={nodes} x mi300x-8"]))
    parts = CableParts(cluster)
    assert cluster.plan.cables.connectors.tolist() == [2] * 8
    assert [widths.tolist() for widths in parts.widths] == [[4] * 8, [8] * 8]
    assert {part.split("-")[0] for part in parts.parts[0]} == {"MCP7Y40"}


@pytest.mark.parametrize("cables", [2, 1000])
def test_a_medium_that_all_lists_sell_wins_however_many_cables_share_its_cages(cables: int) -> None:
    """All but one cable would rather have the first medium, which the product lists do not sell for that one."""
    unsold = np.array([[True, False], [False, False]])
    rank = np.array([[2.0, 1], [0, 1]])
    fit = MediaFit(Catalog().cables[:2], np.full((2, 2), 9.0), np.ones((2, 2), dtype=bool), unsold, rank)
    segment, flags = np.minimum(np.arange(cables, dtype=np.int32), 1), np.ones(cables, dtype=bool)
    requirements = _MediaRequirements(segment, flags, flags, ~flags, np.full(cables, 5.0))
    chosen = 1 - segment, flags.copy()
    medium, reaches = _choose_common_media(fit, requirements, np.zeros(cables, dtype=np.int64), chosen)
    assert set(medium.tolist()) == {1}
    assert reaches.all()


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ((), {("aoc-100g", 2, -1): 8}),
        (
            ("cabling.patch.nodes={fabrics: compute, between: node-leaf, trunk_fibres: 144}",),
            {("sr8-100g", 1, -1): 8, ("sr8-100g", 1, 0): 8},
        ),
    ],
)
def test_cables_that_share_a_cage_with_a_patched_one_plug_into_its_transceiver(
    design_of: DesignOf, sets: Sequence[str], expected: dict[tuple[str, int, int], int]
) -> None:
    """A leaf at the top of one of two racks: of each of its cages one fibre stays in the rack, one goes over panels."""
    plan = build_cluster(design_of(AOC_IN_TWO_RACKS, sets)).plan
    cables = plan.cables
    policy = plan.patching.policy.tolist() if plan.patching else [-1] * len(cables)
    media = [cables.media[i].id for i in cables.medium]
    assert Counter(zip(media, cables.connectors.tolist(), policy, strict=True)) == expected


def test_lanes_that_nothing_carries_are_a_finding(tmp_path: Path) -> None:
    for kind, name, text in (("switches", "odd", ODD_SWITCH), ("nodes", "odd-node", ODD_NODE)):
        (tmp_path / "catalog" / kind).mkdir(parents=True)
        (tmp_path / "catalog" / kind / f"{name}.yaml").write_text(text)
    blueprint = tmp_path / "odd.yaml"
    blueprint.write_text(
        "name: odd\nscalable_unit: {nodes: 2 x odd-node}\n"
        "fabrics: {compute: {protocol: ethernet, speed: 52G, tiers: {leaf: {switch: odd, per: rail}}}}\n"
    )
    design = build_design(load_blueprint(str(blueprint)))
    found = {d.code: d.message for d in lint(design, build_cluster(design)).findings}
    assert "no medium carries 13G lanes between these cages" in found["FG602"]
