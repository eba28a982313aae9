"""What is left after a loss, from the design, against the plan with the lost devices taken out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.capacity.failure import FailureAnalysis
from fabricgen.design.capacity.failure_domains import (
    FailureDomain,
    list_feed_failures,
    list_rack_failures,
    list_row_failures,
)
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.wiring.tables import SWITCH, WiringPlan
from tests.conftest import example_cluster, example_design
from tests.cuts import least_cut, node_rows


def blueprint(nodes: str, pods: str, tiers: str, more: str = "", floor: str = "") -> str:
    """A small cluster with one fabric, in racks of a few nodes or five switches."""
    return (
        f"fabricgen: 1\nname: small\nscalable_unit: {{nodes: {nodes}, racks: {{units: 12}}}}\n"
        f"pods: {{{pods}}}\nfloor: {{feeds: [A, B], cords: 1, racks_per_row: 4{floor}}}\n"
        f"fabrics: {{compute: {{protocol: roce, {more}tiers: {{{tiers}}}}}}}\n"
    )


SERVER = "1 x dgx-b200"
LEAF = "leaf: {switch: sn5600, per: su, count: 2, spread: stripe, racks: 2, uplinks: 4 x 400G}"
UNITS = blueprint(SERVER, "p1: {su: 4}", LEAF + ", spine: {switch: sn5600, count: 4, racks: 2}")
STACKED = UNITS.replace("racks: 2", "racks: 1")
WIDE = blueprint(SERVER, "p1: {su: 4}", LEAF + ", spine: {switch: sn5600, count: 4, racks: 4}", floor=", feed_per: row")
PLANES = blueprint(
    "1 x dgx-b300",
    "p1: {su: 2}",
    "leaf: {switch: sn5600, per: [su, plane], racks: 2}, spine: {switch: sn5600, per: plane, count: 4, racks: 2}",
    "planes: 2, ",
)
PODS = blueprint(
    SERVER,
    "p1: {su: 2, count: 2}",
    "leaf: {switch: sn5600, per: su, uplinks: 8 x 400G}, "
    "spine: {switch: sn5600, per: pod, count: 4, racks: 2, uplinks: 4 x 400G}, "
    "core: {switch: sn5600, per: spine, count: 2, racks: 2}",
)
STAGGERED = blueprint(
    SERVER,
    "p1: {su: 2, count: 2}",
    "leaf: {switch: sn5600, per: su, uplinks: 6 x 400G, oversubscription: 2}, "
    "spine: {switch: sn5600, per: pod, count: 6, uplinks: 2 x 400G}, "
    "core: {switch: sn5600, per: spine, count: 1, racks: 2}",
)
RAILS = blueprint(
    "2 x generic-server",
    "p1: {su: 2}",
    "leaf: {switch: sn5600, per: [su, rail], uplinks: 2 x 100G}, spine: {switch: sn5600, per: rail, count: 2}",
)
SMALL = {
    "units": UNITS,
    "stacked": STACKED,
    "wide": WIDE,
    "planes": PLANES,
    "pods": PODS,
    "staggered": STAGGERED,
    "rails": RAILS,
}


class Counted:
    """What of the bisection a node that runs on keeps, counted on the plan."""

    def __init__(self, plan: WiringPlan) -> None:
        self.plan, self.nodes, self.whole = plan, set(node_rows(plan)), least_cut(plan)

    def share(self, gone: set[int]) -> Fraction:
        """The share that is left without some devices; of an even number of nodes."""
        left = len(self.nodes - gone)
        return least_cut(self.plan, gone) * len(self.nodes) / left / self.whole

    def in_racks(self, racks: list[bool]) -> set[int]:
        """The devices of some racks."""
        return set(np.flatnonzero(np.array(racks)[self.plan.devices.rack]).tolist())


def switches_of(design: Design, cluster: Cluster, lost: FailureDomain) -> list[str]:
    """Tier, group and number of the switches of a rack, as the plan has them."""
    tiers = {(t.fabric, t.name): t for t in design.tiers}
    found = []
    for c in cluster.plan.devices.classes:
        if c.kind == SWITCH:
            names = [n for n, r in enumerate(cluster.plan.racks.names) if r == lost.name]
            here = np.isin(cluster.plan.devices.rack[c.rows], names)
            ordinals = cluster.plan.devices.ordinal[c.rows][here].tolist()
            found += [f"{c.fabric}.{c.tier} {divmod(o, tiers[c.fabric, c.tier].count)}" for o in ordinals]
    return sorted(found)


def check_racks(design: Design, cluster: Cluster) -> None:
    """Every network rack of the design holds what the one of its name holds in the plan, and none is left out."""
    racks = list(list_rack_failures(design, FloorPlan(design)))
    for lost in racks:
        mine = sorted(f"{key.fabric}.{key.tier} {g}" for key, held in lost.switches.items() for g in held)
        assert mine == switches_of(design, cluster, lost), lost.name
    holding = {
        cluster.plan.racks.names[r]
        for c in cluster.plan.devices.classes
        for r in cluster.plan.devices.rack[c.rows]
        if c.kind == SWITCH
    }
    shared = {name for name in holding if name.startswith("net-")}
    assert {lost.name for lost in racks if lost.name.startswith("net-")} == shared


@pytest.mark.parametrize("name", ["dual-tor", "leaf-spine", "two-site"])
def test_racks_hold_what_the_plan_puts_there(name: str) -> None:
    check_racks(example_design(name), example_cluster(name))


@pytest.mark.parametrize("name", SMALL)
def test_spots_are_those_of_the_plan(design_of, name: str) -> None:
    design = design_of(SMALL[name])
    cluster = build_cluster(design)
    floor, racks = FloorPlan(design), cluster.plan.racks
    columns = zip(racks.site.tolist(), racks.row.tolist(), racks.column.tolist(), racks.hall.tolist(), strict=True)
    spots = dict(zip(racks.names, columns, strict=True))
    for run in floor.runs:
        for place, _ in enumerate(floor.list_switches_by_rack(run)):
            assert floor.locate_run_rack(run, place) == spots[f"net-{run.name}-{place + 1:02d}"]
    first = [n for n in racks.names if n.startswith("p1-su01-")]
    assert [floor.locate_unit_rack(0, rack) for rack in range(floor.find_plan(0).racks)] == [spots[n] for n in first]
    check_racks(design, cluster)


@pytest.mark.tenth
@pytest.mark.parametrize("name", SMALL)
def test_a_loss_leaves_what_the_plan_says(design_of, name: str) -> None:
    """Exactly, where no node is lost with it; with nodes, those that run on keep no less than the design says."""
    design = design_of(SMALL[name])
    plan, floor, survival = (
        build_cluster(design).plan,
        FloorPlan(design),
        FailureAnalysis(design, design.fabric("compute")),
    )
    counted, racks = Counted(plan), plan.racks
    for tier in survival.chain:
        of_tier = next(c for c in plan.devices.classes if (c.kind, c.tier) == (SWITCH, tier.name))
        assert survival.analyze_switch_loss(tier).share == counted.share({of_tier.first}), tier.name
    for lost in list_rack_failures(design, floor):
        gone = counted.in_racks([rack == lost.name for rack in racks.names])
        assert survival.compute_remaining(lost).share == counted.share(gone), lost.name
    places = list(zip(racks.row.tolist(), racks.column.tolist(), strict=True))
    rows = {
        f"{'network row' if r < 0 else 'row'} {abs(r + (r >= 0))}": [r == row for row, _ in places] for r, _ in places
    }
    by_row = "feed_per: row" in SMALL[name]
    feeds = {f"feed {f}": [(r if by_row else r + c) % 2 == i for r, c in places] for i, f in enumerate("AB")}
    exact = 0
    for lost in (*list_row_failures(design, floor), *list_feed_failures(design, floor)):
        gone, said = counted.in_racks((rows | feeds)[lost.name]), survival.compute_remaining(lost).share
        if not gone & counted.nodes:
            exact += 1
            assert said <= counted.share(gone), lost.name
            if len(lost.switches) == 1 or lost.name.startswith("feed"):  # of several tiers the worst is said
                assert said == counted.share(gone), lost.name
        elif len(counted.nodes - gone) in (2, 4):
            assert said <= min(1, counted.share(gone)), lost.name
    assert exact


def test_a_plane_is_lost_whole(design_of) -> None:
    design = design_of(PLANES)
    counted, left = (
        Counted(build_cluster(design).plan),
        FailureAnalysis(design, design.fabric("compute")).analyze_plane_loss(),
    )
    first = set(np.flatnonzero(counted.plan.devices.plane == 0).tolist())
    assert left
    assert left.share == counted.share(first) == Fraction(1, 2)
    assert sum(left.gone.values()) == len(first)
    alone = design_of(RAILS)
    assert FailureAnalysis(alone, alone.fabric("compute")).analyze_plane_loss() is None


def test_what_planes_and_racks_of_their_own_are_worth(design_of) -> None:
    """Two planes in racks of their own keep half after any rack; in one rack a unit's nodes lose both."""
    shares = []
    for text in (PLANES, PLANES.replace("racks: 2", "racks: 1", 1)):
        design = design_of(text)
        survival = FailureAnalysis(design, design.fabric("compute"))
        shares.append(
            min(survival.compute_remaining(lost).share for lost in list_rack_failures(design, FloorPlan(design)))
        )
    assert shares == [Fraction(1, 2), 0]


FOUR_PODS = blueprint(
    SERVER,
    "p1: {su: 1, count: 4}",
    "leaf: {switch: sn5600, per: su, uplinks: 6 x 400G, oversubscription: 2}, "
    "spine: {switch: sn5600, per: pod, count: 3, uplinks: 2 x 400G}, core: {switch: sn5600, per: spine, count: 2}",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", [FOUR_PODS, PODS], ids=["four-pods", "pods"])
def test_any_two_switches_and_any_rack_of_cores_or_spines_leave_what_the_plan_says(design_of, text: str) -> None:
    """Where cores join the spines of one number, a lost core is no lost spine of every pod."""
    design = design_of(text)
    counted, survival = Counted(build_cluster(design).plan), FailureAnalysis(design, design.fabric("compute"))
    of_tier = {c.tier: c for c in counted.plan.devices.classes if c.kind == SWITCH}
    switches = [(t, n) for t in survival.chain for n in range(of_tier[t.name].count)]
    losses = [list(pair) for pair in combinations(switches, 2)]
    for tier in survival.chain[1:]:
        mine = [switch for switch in switches if switch[0] is tier]
        losses += [mine[first : first + size] for size in (3, 4, 5) for first in range(len(mine) - size + 1)]
    for lost in losses:
        gone: dict[TierKey, list[tuple[int, int]]] = {}
        for tier, number in lost:
            gone.setdefault(tier.key, []).append(divmod(number, tier.count))
        rows = {of_tier[tier.name].first + number for tier, number in lost}
        names = [f"{tier.name} {number}" for tier, number in lost]
        assert survival.compute_remaining(FailureDomain("some", gone)).share == counted.share(rows), names
