"""Breakouts of two rings in free cages: what is wrong only once a ring is put right is told with that ring."""

from __future__ import annotations

from fabricgen.verify.actions import Action
from fabricgen.verify.diagnosis import diagnose
from tests.verify.diagnosis.hall import Cage, Hall, cabling

LEAVES = ("storage-leaf-01", "storage-leaf-02")


def _plug(hall: Hall, device: str, cage: str) -> int:
    number = hall.cabling.device_numbers[device]
    return next(
        int(hall.cabling.plug[port])
        for port in hall.cabling.list_device_ports(number).tolist()
        if hall.cabling.find_cage(port) == cage
    )


def _find_action(actions: tuple[Action, ...], cable: str) -> Action:
    (action,) = [action for action in actions if cable in action.cables]
    return action


def test_a_link_that_one_ring_breaks_is_told_with_that_ring_not_with_the_first() -> None:
    hall = Hall(cabling("two-generations"))

    def find_spare_cage(plug: int, number: int) -> Cage:
        return hall.device[plug], tuple(f"spare{number}/{lane}" for lane in range(4))

    # the breakout of cage 62 of leaf 1 in a free cage, that of leaf 2 in its place, and nothing there; so with cage 61
    first, first_other, second, second_other = (_plug(hall, leaf, cage) for cage in ("62", "61") for leaf in LEAVES)
    hall.cage[first], hall.cage[first_other] = find_spare_cage(first, 0), first
    hall.cage[second], hall.cage[second_other] = find_spare_cage(second, 1), second
    # but in cage 61 of leaf 2 there is a plug that goes to the right node by chance, whose own tail is elsewhere
    tail = int(hall.cabling.plug[hall.ports[second_other][0] ^ 1])
    stray = _plug(hall, LEAVES[0], "63")
    (stray_end,) = hall.far_plugs(stray)
    hall.cage[stray], hall.cage[stray_end], hall.cage[tail] = second_other, tail, stray_end
    # and a chain goes on to a free port behind that of the stray plug, so that it is told from the free cage on
    beyond = _plug(hall, "p1-su02-h100-012", "OSFP2")
    (beyond_end,) = hall.far_plugs(beyond)
    hall.cage[beyond], hall.cage[beyond_end] = stray, find_spare_cage(beyond_end, 2)

    actions = diagnose(hall.cabling, hall.seen()).actions
    assert " Then " not in _find_action(actions, "storage-leaf-01:62").text
    joined = _find_action(actions, "storage-leaf-01:61")
    assert " Then " in joined.text
    assert "storage-leaf-01:63" in joined.cables
