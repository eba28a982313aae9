"""Checks of the plan that no blueprint can fail are shown a plan that was spoilt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.lint.rules.plan.topology.fg310_port_used_twice import PortUsedTwice
from fabricgen.lint.rules.plan.topology.fg311_rail_crossed import RailCrossed
from tests.conftest import EXAMPLES, example_cluster


def spoilt(cluster: Cluster, column: str, row: int, value: int) -> Cluster:
    """The cluster with one number of its links changed."""
    values = getattr(cluster.plan.links, column).copy()
    values[row] = value
    return replace(cluster, plan=cluster.plan._replace(links=replace(cluster.plan.links, **{column: values})))


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_plans_of_examples_are_sound(name: str) -> None:
    cluster = example_cluster(name)
    assert list(PortUsedTwice().check(cluster)) == []
    assert list(RailCrossed().check(cluster)) == []


@pytest.mark.parametrize("column", ["a_port", "b_port"])
def test_a_port_with_two_links_is_found(column: str) -> None:
    cluster = example_cluster("leaf-spine")
    device = getattr(cluster.plan.links, column.replace("port", "device"))
    same = np.flatnonzero((device == device[-1]) & (cluster.plan.links.segment == cluster.plan.links.segment[-1]))
    taken = getattr(cluster.plan.links, column)[same[0]]
    (found,) = PortUsedTwice().check(spoilt(cluster, column, int(same[-1]), int(taken)))
    assert found.message.startswith("1 ports of compute")


def test_a_crossed_rail_is_found() -> None:
    cluster = example_cluster("leaf-spine")
    rail = cluster.plan.links.rail
    (found,) = RailCrossed().check(spoilt(cluster, "rail", 0, 3 - int(rail[0])))
    assert found.path[:2] == ("fabrics", "compute")
    assert "node-leaf" in found.message
