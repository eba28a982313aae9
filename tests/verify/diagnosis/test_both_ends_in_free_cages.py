"""A cable whose plugs are both in free cages: two moves, no look at where it should be."""

from __future__ import annotations

from fabricgen.verify.actions import CableState, Kind
from fabricgen.verify.diagnosis import diagnose
from tests.verify.diagnosis.hall import Hall, cabling


def test_both_plugs_are_moved_and_the_cable_is_not_extra() -> None:
    hall = Hall(cabling("leaf-spine"))
    numbers = hall.cabling.device_numbers
    leaf, spine = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
    port = hall.numbers[numbers[leaf], "Ethernet224"]
    for device, name, planned in ((leaf, "Ethernet16", port), (spine, "Ethernet232", port ^ 1)):
        hall.cage[int(hall.cabling.plug[planned])] = (numbers[device], (name,))
    found = diagnose(hall.cabling, hall.seen())
    (move,) = found.actions
    assert (move.kind, move.moves, found.extra) == (Kind.MOVE, 2, ())
    assert [(step.pull.device, step.pull.port, step.put.port) for step in move.steps] == [
        (spine, "Ethernet232", "Ethernet0"),
        (leaf, "Ethernet16", "Ethernet224"),
    ]
    assert move.text.endswith(
        f"Then, at the other end, {leaf} (rack p1-su01-net01, U46): move Ethernet16 to Ethernet224."
    )
    assert found.states[hall.cabling.cable[port >> 1]] == CableState.ELSEWHERE
