"""Cables along trays as the page draws them: as long as the plan says, to the tray and down included."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.export.view.boxes import find_tray_routes
from fabricgen.wiring.cabling.routes import RACK_WIDTH_M, Positions, join_positions, locate_devices, make_positions
from tests.conftest import example_cluster

HALLS = "floor.halls={h1: {rows: 8}, h2: {rows: 14, storey: 1}}"
TRAYS = "floor.trays={cross: ends, loop_m: 0.3, exits: {h1: [12, 3], h2: [-1, 2]}, risers: [[14, 1], [-3, -3]]}"
CASES = (
    ("full-cluster",),
    ("patched-hall",),
    ("patched-hall", "floor.trays.cross=2"),
    ("superpod-b300", "floor.trays.cross=4", "floor.slack=8%"),
    ("superpod-b300", HALLS, TRAYS, "floor.storey_m=6"),
)

WAYS = """() => {
  const trays = FG.way.trays, found = [];
  for (let link = 0; link < trays.cable.length; link += 1) {
    let length = 0;
    trays.way(link, (key, x0, y0, x1, y1) => {
      if (String(key)[0] !== "=") length += Math.abs(x1 - x0) + Math.abs(y1 - y0);
    });
    found.push(length / 100);
  }
  return found;
}"""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_drawn_routes_are_as_long_as_planned(case: tuple[str, ...], page: Any) -> None:
    cluster = example_cluster(*case)
    shown = page(cluster, f"way=hall&at={cluster.names[0]}")
    shown.wait_for_function("() => FG.way && FG.way.bundle")
    ways, plan = np.array(shown.evaluate(WAYS)), cluster.plan
    run = planned(cluster, ways)
    longest = np.zeros(len(plan.cables))
    cabled = plan.links.cable >= 0
    np.maximum.at(longest, plan.links.cable[cabled], run[cabled])
    stated = np.array([s.km > 0 for s in plan.links.segments])[plan.links.segment[plan.cables.end_link]]
    local = np.setdiff1d(np.arange(len(plan.cables)), plan.cables.end_cable[stated])
    assert len(local)
    assert longest[local] == pytest.approx(plan.cables.run_m[local], abs=0.02)


def test_a_tray_says_how_many_cables_it_has(page: Any) -> None:
    cluster = example_cluster("superpod-b300", "floor.trays.cross=4", "floor.slack=8%")
    (cross,) = find_tray_routes(cluster.plan, cluster.design.loaded.blueprint.floor).cross
    counts = [len(set(cluster.plan.links.cable[cross == i].tolist())) for i in range(int(cross.max()) + 1)]
    busiest = int(np.argmax(counts))
    shown = page(cluster, f"way=hall&at=tray:h1 cross tray {busiest + 1}")
    shown.wait_for_function("() => FG.way && FG.way.bundle")
    chosen = shown.evaluate("() => FG.state.chosen.id")
    assert shown.evaluate("() => FG.way.bundle.cables") == counts[busiest]
    assert shown.evaluate("id => FG.way.bundle.total.get(id)", chosen) == counts[busiest]
    shown.get_by_text(f"Cables on this tray · {counts[busiest]:,}").wait_for()


def planned(cluster: Cluster, ways: Any) -> Any:
    """The run of every link, m, from the length of its way along trays; of patched ones, that of all three pieces."""
    plan, floor = cluster.plan, cluster.design.loaded.blueprint.floor
    at = locate_devices(plan.devices, plan.racks, floor)
    halls, found = plan.racks.halls, np.zeros(len(plan.links))
    first = len(plan.devices)
    if plan.patching:
        panels = plan.patching.panels
        high = np.array([p.panel.rack_units for p in plan.patching.policies], dtype=np.int32)[panels.policy]
        none = np.zeros(len(panels), bool)
        at = join_positions(at, make_positions(plan.racks, floor, (panels.rack, panels.u, high), (none, none)))
    stops = panels_of_cables(cluster)
    for link, (a, b, cable) in enumerate(zip(plan.links.a_device, plan.links.b_device, plan.links.cable, strict=True)):
        places = [int(a), *(first + panel for panel in stops.get(int(cable), ())), int(b)]
        storeys = [halls[int(at.hall[place])].storey for place in places]
        up = sum(abs(one - other) for one, other in itertools.pairwise(storeys)) * floor.storey_m
        beside = sum(_beside(at, p, q) for p, q in itertools.pairwise(places))
        found[link] = (ways[link] + beside + up) * (1 + floor.slack) + 2 * floor.trays.loop_m * (len(places) - 1)
    return found


def _beside(at: Positions, a: int, b: int) -> float:
    """What a piece has beside its way along trays: up to them and down, or the way inside a rack, and across one."""
    across = max(at.depth[a], at.depth[b]) if (at.hot[a] and at.cold[b]) or (at.cold[a] and at.hot[b]) else 0
    if at.rack[a] == at.rack[b]:
        return float(abs(at.height[a] - at.height[b]) + RACK_WIDTH_M + across)
    return float(at.rise[a] + at.rise[b] + across)


def panels_of_cables(cluster: Cluster) -> dict[int, tuple[int, int]]:
    """(panel at the a end, panel at the b end) of each patched cable."""
    patching, found = cluster.plan.patching, dict[int, tuple[int, int]]()
    if patching:
        trunks, patches = patching.trunks, patching.patches
        for row, trunk, flipped in zip(patches.row, patches.trunk, patches.flipped, strict=True):
            ends = int(trunks.a_panel[trunk]), int(trunks.b_panel[trunk])
            found[int(cluster.plan.cables.end_cable[row])] = ends[::-1] if flipped else ends
    return found
