"""Bundles and the order of pulling: what goes together, how many, and what comes first."""

from __future__ import annotations

import re
from itertools import groupby

import numpy as np
import pytest

from fabricgen.export.files import cables
from fabricgen.export.technician.cable_bundles import FIBRE, MOST, PullPlan, pull_plan
from tests.conftest import example_cluster

NAMES = ("leaf-spine", "two-site", "nvl72-gb200", "superpod-b300")


@pytest.fixture(params=NAMES)
def plan(request: pytest.FixtureRequest) -> PullPlan:
    return pull_plan(example_cluster(request.param))


@pytest.mark.parametrize("name", [*NAMES, "full-cluster", "multi-plane"])
def test_a_bundle_is_no_thicker_than_its_kind_allows(name: str) -> None:
    """The two fibres of a twin-port cage are two: 24 such cables would be 48."""
    cluster = example_cluster(name)
    plan = pull_plan(cluster)
    columns = cables.table(cluster).columns
    fibres = {
        cable: int(found[1] or found[2]) if (found := re.match(r"(\d+)x |fibre-[^-]+-[^-]+-(\d+)x-", part)) else 1
        for cable, part in zip(columns["cable"], columns["part"], strict=True)
    }
    thick = np.bincount(plan.bundle, weights=[fibres[cable] for cable in cluster.cable_ids])
    assert (thick <= np.array(MOST)[plan.kind]).all()
    assert len(set(plan.names.tolist())) == len(plan.names)


def test_cables_of_a_bundle_leave_one_rack_and_follow_one_another(plan: PullPlan) -> None:
    assert sorted(plan.order.tolist()) == list(range(1, len(plan.order) + 1))
    walk = np.argsort(plan.order)
    for column in (plan.bundle, plan.step[plan.bundle]):
        assert (np.diff(column[walk]) >= 0).all()
    for ends in (plan.home, plan.away):  # to one rack
        assert len({(int(bundle), int(rack)) for bundle, rack in zip(plan.bundle, ends, strict=True)}) == len(
            plan.names
        )


def test_within_a_step_copper_lies_below_fibre_and_far_racks_come_before_near_ones(plan: PullPlan) -> None:
    for step in range(len(plan.steps)):
        mine = np.flatnonzero(plan.step == step).tolist()
        assert [plan.kind[i] == FIBRE for i in mine] == sorted(plan.kind[i] == FIBRE for i in mine)
        for kind in set(plan.kind[mine].tolist()):
            pairs: dict[str, float] = {}
            racks = [plan.names[i].split(":")[0] for i in mine if plan.kind[i] == kind]
            for pair, length in zip(racks, (plan.longest_m[i] for i in mine if plan.kind[i] == kind), strict=True):
                pairs[pair] = max(pairs.get(pair, 0), length)
            assert [pair for pair, _ in groupby(racks)] == list(pairs)  # bundles of a pair are together
            assert list(pairs.values()) == sorted(pairs.values(), reverse=True)


def test_what_goes_farthest_is_pulled_first() -> None:
    steps = pull_plan(example_cluster("two-site")).steps
    assert steps[0] == "east.h1.N01 to west.h1.N01"  # 40 km between the sites
    kinds = ["inside" if s.startswith("inside") else "along" if s.startswith("along") else "between" for s in steps]
    assert kinds == sorted(kinds, key=["between", "along", "inside"].index)


def test_a_hand_checked_order() -> None:
    """Uplinks of the farther leaf, then of the nearer; then along the row from the nodes of either unit."""
    plan = pull_plan(example_cluster("leaf-spine"))
    assert plan.steps == ("h1.R01 to h1.N01", "along h1.R01")
    assert plan.names.tolist() == [
        "h1.R01.04/h1.N01.01:compute-F1",
        "h1.R01.02/h1.N01.01:compute-F1",
        "h1.R01.01/h1.R01.02:compute-F1",
        "h1.R01.03/h1.R01.04:compute-F1",
    ]


def test_a_unit_within_the_reserve_changes_no_bundle_that_was_there() -> None:
    before, after = (example_cluster("superpod-b300", f"pods.p1.su={su}") for su in (2, 3))
    named = []
    for cluster in (before, after):
        plan = pull_plan(cluster)
        named.append(dict(zip(cluster.cable_ids, plan.names[plan.bundle].tolist(), strict=True)))
    node_cables = [cable for cable in named[0] if cable.startswith("p1-su")]
    assert len(node_cables) > 1000
    assert {cable: named[1][cable] for cable in node_cables} == {cable: named[0][cable] for cable in node_cables}
