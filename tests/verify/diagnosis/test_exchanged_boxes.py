"""Boxes that are exchanged while little is known of them, and the search for the exchanges that explain a hall."""

from __future__ import annotations

from random import Random

import pytest

from fabricgen.verify.actions import Kind
from fabricgen.verify.diagnosis import diagnose, diagnosing
from fabricgen.verify.diagnosis.boxes import BOXES
from fabricgen.verify.diagnosis.exchange_search import Ring, take_rings
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.sightings import SeenPorts
from fabricgen.wiring.arrays import Ints
from tests.verify.diagnosis.faults import FAULTS, boxes
from tests.verify.diagnosis.hall import Hall, cabling


def test_what_a_dump_tells_of_a_box_goes_with_the_box() -> None:
    """Nothing is known of one port of a leaf, so that no port of it is silent for certain, wherever the leaf stands."""
    hall = Hall(cabling("four-tier"))
    leaf, agg, core = (
        hall.cabling.device_numbers[name]
        for name in ("compute-leaf-p1-su01-r1-01", "compute-agg-p1-01", "compute-core-agg1-01")
    )
    port = int(hall.cabling.list_device_ports(leaf)[0])
    dumped = [device for device in range(len(hall.tells)) if device != hall.cabling.device[port ^ 1]]
    as_seen = SeenTopology(hall.cabling, hall.seen(dumped, [(leaf, hall.cabling.port_text(port))]))
    boxed = take_rings(as_seen, BOXES, [{leaf: agg, agg: leaf}])
    assert (as_seen.is_whole[leaf], as_seen.is_whole[agg]) == (False, True)
    assert (boxed.is_whole[leaf], boxed.is_whole[agg]) == (True, False)
    # the core has ports that the leaf has not: nothing is known of these if the leaf stands there
    names = [
        {hall.cabling.port_text(port) for port in hall.cabling.list_device_ports(device).tolist()}
        for device in (leaf, core)
    ]
    assert names[1] - names[0]
    after = take_rings(boxed, BOXES, [{agg: core, core: agg}])
    assert not after.surely_silent[hall.cabling.list_device_ports(core)].any()


def test_peers_that_are_exchanged_need_no_second_tier_to_say_so() -> None:
    """All but one node of two leaves see them exchanged; what joins the leaves to each other says nothing."""
    hall = Hall(cabling("host-vlans"))
    numbers = hall.cabling.device_numbers
    one, other = numbers["inband-leaf-01"], numbers["inband-leaf-02"]
    hall.tells[one], hall.tells[other] = other, one
    node = int(hall.cabling.device[hall.cabling.list_device_ports(one)[0] ^ 1])
    towards_node = [
        (leaf, hall.cabling.port_text(port))
        for leaf in (one, other)
        for port in hall.cabling.list_device_ports(leaf).tolist()
        if hall.cabling.device[port ^ 1] == node
    ]
    dumped = [device for device in range(len(hall.tells)) if device != node]
    (action,) = diagnose(hall.cabling, hall.seen(dumped, towards_node)).actions
    assert (action.kind, action.boxes) == (Kind.EXCHANGE, 2)


def test_no_explanation_is_priced_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exchanges in another order are the same exchanges."""
    hall = Hall(cabling("leaf-spine"))
    random = Random("leaf-spine13")
    for fault in (boxes, boxes, boxes):
        fault(hall, Random(random.randrange(10**6)))
    for _ in range(2):
        random.choice(FAULTS)(hall, Random(random.randrange(10**6)))
    priced: list[frozenset[tuple[int, int]]] = []
    explain_hall = diagnosing._explain_hall

    def record(as_seen: SeenTopology, seen_ports: SeenPorts, states: Ints, exchanges: list[Ring]) -> object:
        priced.append(frozenset(pair for ring in exchanges for pair in ring.items()))
        return explain_hall(as_seen, seen_ports, states, exchanges)

    monkeypatch.setattr(diagnosing, "_explain_hall", record)
    diagnose(hall.cabling, hall.seen())
    assert 1 < len(priced) == len(set(priced))
