"""A new Clos variant is data only: networks that no example has, from blueprints alone, wired as their text says."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.summary import summarize_design
from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.engine import lint

# Top of rack in two planes, with spines of a pod and plane, and cores that join spines of one number in a plane.
TWIN_TOR = """
fabricgen: 1
name: twin-tor
scalable_unit: {nodes: 8 x hpn-node, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 3, count: 2}}
fabrics:
  compute:
    protocol: roce
    planes: 2
    tiers:
      tor: {switch: 7060x6-64pe, per: [rack, plane]}
      spine: {switch: 7060x6-64pe, per: [pod, plane], count: 4}
      core: {switch: 7060x6-64pe, per: [plane, spine], count: 4}
"""

# Each port of a dual-port NIC has leaves of its own (`port`), which share spines; names nobody else uses.
PORT_SPLIT = """
fabricgen: 1
name: port-split
scalable_unit: {nodes: 16 x hpn-node}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    tiers:
      edge: {switch: 7060x6-64pe, per: [su, port]}
      middle: {switch: 7060x6-64pe, above: edge, count: 8}
"""

# Five tiers of small switches; the fifth joins everything.
FIVE_TIERS = """
fabricgen: 1
name: five
scalable_unit: {nodes: 4 x generic-server}
pods: {a1: {su: 2, count: 2}, b1: {su: 2, count: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      tor: {switch: sn4700, per: [su, rail], uplinks: 4 x 400G}
      agg: {switch: sn4700, per: pod, count: 4, uplinks: 4 x 400G}
      core: {switch: sn4700, per: agg, count: 2, uplinks: 8 x 400G}
      zone: {switch: sn4700, per: core, above: core, count: 4, uplinks: 8 x 400G}
      roof: {switch: sn4700, above: zone, count: 4}
"""

# Rails in four pairs over pods of unlike size; a pod's spines take any pair, a group of cores for each spine number.
PAIRS_OF_RAILS = """
fabricgen: 1
name: pairs
scalable_unit: {nodes: 16 x mi300x-8}
pods: {p1: {su: 4}, p2: {su: 2, reserve: 4}}
fabrics:
  compute:
    protocol: roce
    rail_groups: [[1, 5], [2, 6], [3, 7], [4, 8]]
    tiers:
      leaf: {switch: 7060x6-64pe, per: [su, rail-group]}
      spine: {switch: 7060x6-64pe, per: pod, count: 8, uplinks: 64 x 400G}
      core: {switch: 7060x6-64pe, per: spine, count: 4}
"""

# Name, blueprint, switches by tier, links by pair, and the upper switches that each lower one meets (links to each).
VARIANTS = [
    (
        TWIN_TOR,
        # 4 nodes x 8 NICs a rack and plane: 32 x 200G down and up, 8 to each of 4 spines; 6 ToRs x 8 = 48 down, 48 up
        {"tor": 24, "spine": 16, "core": 32},
        {"node-tor": 768, "tor-spine": 768, "spine-core": 768},
        {"tor": (4, 8), "spine": (4, 12)},
    ),
    (
        PORT_SPLIT,
        # 16 nodes x 8 NICs = 128 x 200G down and up, 16 to each of 8
        {"edge": 8, "middle": 8},
        {"node-edge": 1024, "edge-middle": 1024},
        {"edge": (8, 16)},
    ),
    (
        FIVE_TIERS,
        {"tor": 16, "agg": 16, "core": 8, "zone": 8, "roof": 4},
        {"node-tor": 64, "tor-agg": 64, "agg-core": 64, "core-zone": 64, "zone-roof": 64},
        {"tor": (4, 1), "agg": (2, 2), "core": (4, 2), "zone": (4, 2)},
    ),
    (
        PAIRS_OF_RAILS,
        # 16 nodes x 2 rails: 32 down and up, 4 to each of 8; a core has 16 of each of two spines
        {"leaf": 24, "spine": 16, "core": 32},
        {"node-leaf": 768, "leaf-spine": 768, "spine-core": 1024},
        {"leaf": (8, 4), "spine": (4, 16)},
    ),
]


def meetings(cluster: Cluster) -> dict[str, set[tuple[int, int]]]:
    """For each lower tier: (upper switches that one switch meets, links to each) as the plan has them."""
    links, devices = cluster.plan.links, cluster.plan.devices
    tiers = [devices.classes[c].tier for c in devices.device_class.tolist()]
    pairs = Counter(zip(links.a_device.tolist(), links.b_device.tolist(), strict=True))
    met: dict[int, list[int]] = defaultdict(list)
    for (a, _), count in pairs.items():
        if tiers[a] not in ("", "node"):
            met[a].append(count)
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for a, counts in met.items():
        found[tiers[a]] |= {(len(counts), count) for count in counts}
    return dict(found)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v[0].split("name: ")[1].split()[0])
def test_a_variant_is_sized_wired_and_judged_from_its_text(variant, design_of) -> None:
    text, switches, links, met = variant
    design = design_of(text)
    figures = summarize_design(design)["fabrics"]["compute"]
    assert figures["switches"] == switches
    assert figures["links"] == links
    cluster = build_cluster(design)
    assert len(set(cluster.names)) == len(cluster.names)
    (fabric,) = design.fabrics
    segments = Counter(np.array([s.key for s in cluster.plan.links.segments])[cluster.plan.links.segment].tolist())
    assert segments == {count.key: count.links for count in count_links(design, fabric)}
    assert len(cluster.plan.cables) == sum(count.cables for count in count_links(design, fabric))
    assert meetings(cluster) == {tier: {pair} for tier, pair in met.items()}
    serious = [d.text() for d in lint(design, cluster).findings if d.severity >= Severity.ERROR]
    assert serious == []
