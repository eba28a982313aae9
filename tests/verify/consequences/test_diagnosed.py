"""Consequences of what is diagnosed: bandwidth is said to suffer where, counted by hand, other devices are joined."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.verify.actions import Diagnosis, Kind
from fabricgen.verify.consequences.costs import add_consequences
from fabricgen.verify.diagnosis.diagnosing import diagnose
from fabricgen.verify.sightings import SeenPorts
from tests.conftest import example_cluster
from tests.verify.diagnosis.hall import Hall, cabling

NAMES = ("leaf-spine", "small-pair", "four-tier", "rail-only", "mixed-breakouts", "patched-hall")


def judged(name: str, hall: Hall) -> tuple[Diagnosis, SeenPorts]:
    """What is diagnosed of a hall that is known from both ends, with consequences."""
    seen = hall.seen()
    return add_consequences(cabling(name), diagnose(cabling(name), seen), example_cluster(name), seen), seen


def joined(name: str, joined_to: list[int]) -> Counter[tuple[object, object]]:
    """Which device is on which port of each node, and how many links join two switches; ports are of a fabric."""
    plan = cabling(name)

    def place(port: int) -> object:
        device = int(plan.device[port])
        return port if plan.read_device("tier", device) == "node" else device

    pairs = ((port, far) for port, far in enumerate(joined_to) if 0 <= far < plan.ports)
    return Counter((place(port), (int(plan.device[far]), plan.read_link("fabric", far))) for port, far in pairs)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from(NAMES), st.data())
def test_bandwidth_suffers_where_other_devices_are_joined(name: str, data: st.DataObject) -> None:
    hall = Hall(cabling(name))
    plugs = data.draw(st.lists(st.integers(0, hall.plugs - 1), min_size=2, max_size=6, unique=True))
    for one, other in zip(plugs[::2], plugs[1::2], strict=False):
        if len(hall.ports[one]) == len(hall.ports[other]):
            hall.cage[one], hall.cage[other] = hall.cage[other], hall.cage[one]
    if data.draw(st.booleans()):
        hall.cage[plugs[0]] = None
    found, seen = judged(name, hall)
    plan = cabling(name)
    planned = joined(name, [port ^ 1 for port in range(plan.ports)])
    suffers = planned != joined(name, seen.joined_to[: plan.ports].tolist())
    told = [action.consequence for action in found.actions if action.kind is not Kind.PORT]
    assert any(each.lost_gbps or each.astray_gbps for each in told) == suffers
    for each in told:
        assert all(gbps > 0 for gbps in [*each.lost_gbps.values(), *each.astray_gbps.values()])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_swap_of_two_plugs_that_are_next_to_each_other(name: str) -> None:
    """Of one device: a swap at its own end joins the same devices, unless the rails or planes of a node differ."""
    hall = Hall(cabling(name))
    for one in range(0, hall.plugs - 1, max(1, hall.plugs // 12)):
        pair = next((p for p in range(one + 1, hall.plugs) if hall.device[p] == hall.device[one]), None)
        if pair is None or len(hall.ports[pair]) != len(hall.ports[one]):
            continue
        changed = hall.copy()
        changed.cage[one], changed.cage[pair] = pair, one
        found, _ = judged(name, changed)
        node = cabling(name).read_device("tier", hall.device[one]) == "node"
        for action in found.actions:
            assert action.consequence.links
            assert node or not action.consequence.lost_gbps
            assert all(step.reaches is not False for step in action.steps)
