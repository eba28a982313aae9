"""Plugs that are wrong once boxes are exchanged: the actions say so, and what it costs then."""

from __future__ import annotations

import pytest

from fabricgen.verify.actions import Kind
from fabricgen.verify.reports._words import describe_cost
from tests.verify.consequences.test_diagnosed import judged
from tests.verify.diagnosis.hall import Hall, cabling

LEAF = "compute-leaf-p1-su01-r"
BOXES = [
    ("spare-nodes", "p1-su01-n001", "p1-su01-n002"),
    ("spare-nodes", f"{LEAF}1-01", f"{LEAF}1-02"),
    ("leaf-spine", f"{LEAF}1-01", f"{LEAF}2-01"),
]


@pytest.mark.parametrize(("name", "one", "other"), BOXES)
def test_cables_that_are_seen_as_planned_because_of_an_exchange(name: str, one: str, other: str) -> None:
    """The first plugs of two exchanged boxes are swapped as well: these are where they should be, until then."""
    hall = Hall(cabling(name))
    a, b = (hall.cabling.device_numbers[box] for box in (one, other))
    hall.tells[a], hall.tells[b] = b, a
    plugs = [int(hall.cabling.plug[hall.cabling.list_device_ports(box)[0]]) for box in (a, b)]
    hall.cage[plugs[0]], hall.cage[plugs[1]] = plugs[1], plugs[0]
    exchange, swap = judged(name, hall)[0].actions
    assert (exchange.kind, swap.kind) == (Kind.EXCHANGE, Kind.SWAP)
    assert not exchange.text.startswith("after")
    assert swap.text.startswith(f"after the exchange of {one} and {other}: ")
    assert swap.consequence.links >= 2
    assert describe_cost(swap.consequence)


def test_a_swap_elsewhere_waits_for_no_exchange() -> None:
    name, (one, other, third) = "spare-nodes", (f"p1-su01-n00{number}" for number in (1, 2, 3))
    hall = Hall(cabling(name))
    a, b, c = (hall.cabling.device_numbers[box] for box in (one, other, third))
    hall.tells[a], hall.tells[b] = b, a
    plugs = [int(hall.cabling.plug[port]) for port in hall.cabling.list_device_ports(c)[:2]]
    hall.cage[plugs[0]], hall.cage[plugs[1]] = plugs[1], plugs[0]
    exchange, swap = judged(name, hall)[0].actions
    assert (exchange.kind, swap.kind) == (Kind.EXCHANGE, Kind.CROSSED)
    assert swap.text.startswith(third)
