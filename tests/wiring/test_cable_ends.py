"""Ends of cables as columns: in the order of cables, by segment, and numbered once where two numberings are one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.design.ports import PortRun
from fabricgen.wiring.cabling import routes
from fabricgen.wiring.cabling.end_numbers import (
    CableEnds,
    EndNumbers,
    number_cages_of_ports,
    number_device_connectors,
    number_ends,
    number_two_kinds,
)
from tests.conftest import example_cluster

SHARED_BREAKOUTS = ("scalable_unit.nodes={a: 3 x mi300x-8, b: 3 x mi300x-8}", "pods={p1: {su: 2}}")
"""Nodes of two lines of the blueprint share splitters of their leaves, so that links of segments take turns."""


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return example_cluster("mi300x-roce", *SHARED_BREAKOUTS)


@pytest.mark.parametrize("name", ["superpod-b200", "superpod-b300", "nvl72-gb200"])
def test_two_numberings_are_one_only_where_all_cages_have_one_connector(name: str) -> None:
    plan = example_cluster(name).plan
    one, other = number_two_kinds(plan.devices, plan.links, number_device_connectors, number_cages_of_ports)
    for found, place_of in ((one, number_device_connectors), (other, number_cages_of_ports)):
        alone = number_ends(plan.devices, plan.links, place_of)
        assert found.count == alone.count
        assert (found.a == alone.a).all()
        assert (found.b == alone.b).all()
    assert (one is other) == (one.count == other.count)


def test_both_cases_are_among_the_examples() -> None:
    plans = [example_cluster(name).plan for name in ("superpod-b200", "superpod-b300")]
    numbers = [
        number_two_kinds(plan.devices, plan.links, number_device_connectors, number_cages_of_ports) for plan in plans
    ]
    assert {one is other for one, other in numbers} == {True, False}


def test_connectors_of_twin_and_single_cages_of_a_switch_are_told_apart() -> None:
    twin, single = PortRun(8, 400, 100, 0, (31, 32, 33, 34), 2, 2), PortRun(2, 200, 100, 1, (65, 66), 1, 1)
    numbers = [number_device_connectors(run, np.arange(run.count, dtype=np.int32)).tolist() for run in (twin, single)]
    assert len(set(numbers[0] + numbers[1])) == 10


def test_rows_of_ends_are_found_by_cable() -> None:
    cable = np.array([0, 0, 1, 2, 2, 2], dtype=np.int32)
    ends = CableEnds(cable, np.arange(6), np.ones(6, dtype=np.int32), EndNumbers(cable, cable, 3))
    assert (ends.first.tolist(), ends.last.tolist()) == ([0, 2, 3], [1, 2, 5])
    assert ends.find_longest(np.array([1.0, 4, 2, 3, 5, 4])).tolist() == [4, 2, 5]


def test_a_cluster_without_cables_has_no_ends() -> None:
    none = np.zeros(0, dtype=np.int32)
    ends = CableEnds(none, np.zeros(0, dtype=np.int64), none, EndNumbers(none, none, 0))
    assert (len(ends.first), len(ends.last), len(ends.find_longest(np.zeros(0)))) == (0, 0, 0)


@pytest.mark.parametrize("name", ["mi300x-roce", "superpod-b200"])
def test_ends_of_segments_are_all_ends(name: str, cluster: Cluster) -> None:
    found = cluster if name == "mi300x-roce" else example_cluster(name)
    links, ends = found.plan.links, np.arange(len(found.plan.cables.end_link))
    for i, rows in enumerate(found.end_rows):
        assert (links.segment[found.plan.cables.end_link[rows]] == i).all()
    assert sorted(np.concatenate([ends[rows] for rows in found.end_rows]).tolist()) == ends.tolist()


def test_segments_that_share_splitters_take_turns(cluster: Cluster) -> None:
    segment = cluster.plan.links.segment[cluster.plan.cables.end_link].tolist()
    assert any(before > after for before, after in pairwise(segment))


def test_runs_are_as_long_in_blocks_as_at_once(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, floor = cluster.plan, cluster.design.loaded.blueprint.floor
    ends = plan.devices, plan.racks, floor, plan.links.a_device, plan.links.b_device
    whole = routes.measure_device_runs(*ends)
    monkeypatch.setattr(routes, "BLOCK", 7)
    assert (routes.measure_device_runs(*ends) == whole).all()
