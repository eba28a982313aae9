"""Which class carries what, as writers ask the model of a switch."""

from __future__ import annotations

import pytest

from fabricgen.switch.qos import Ecn, PortQos, Queue, SwitchQos

LOSSY, ROCE, NOTIFICATIONS = Queue(False, 57), Queue(False, 43, Ecn(311, 907, 71)), Queue(True, limit=7)


@pytest.mark.parametrize(
    ("queues", "classes"),
    [
        ({5: ROCE, 2: NOTIFICATIONS, 1: LOSSY}, (1, 2, 5)),
        ({0: LOSSY, 6: ROCE}, (0, 6, 6)),
    ],
    ids=["of-their-own", "shared"],
)
def test_classes_go_by_what_their_queues_do(queues: dict[int, Queue], classes: tuple[int, int, int]) -> None:
    port = PortQos(frozenset({classes[-1]}), frozenset(), queues)
    assert SwitchQos((classes[0],) * 64, {number: number for number in queues}, {"swp1": port}, None).classes == classes
