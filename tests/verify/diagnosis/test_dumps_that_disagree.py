"""What is told where dumps disagree, or a cable is missing: nothing that a dump denies."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.verify.actions import Kind
from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.sightings import Conflict, SeenPorts
from tests.verify.diagnosis.hall import Hall, cabling


def _without_links() -> tuple[Hall, SeenPorts, int, int]:
    """A hall as planned, in which the links at two ports of a leaf, those two, are not seen."""
    hall = Hall(cabling("spare-nodes"))
    leaf = hall.cabling.device_numbers["compute-leaf-p1-su01-r1-01"]
    one, other = hall.cabling.list_device_ports(leaf).tolist()[:2]
    seen = hall.seen()
    seen.joined_to[[one, one ^ 1, other, other ^ 1]] = -1
    return hall, seen, one, other


def test_who_sees_whom_is_told_as_dumps_say() -> None:
    """Of a port that two see, of one that two dumps join with others, and of one that sees itself."""
    hall, seen, one, other = _without_links()
    place = hall.cabling.name_port
    texts = {
        Conflict(one, other ^ 1, other, itself=False): f" sees {place(other ^ 1)}, which {place(other)} sees as well: ",
        Conflict(one, other ^ 1, other, beside=one ^ 1): f" is told to be joined to {place(one ^ 1)} and to ",
        Conflict(one, one, one): " sees itself: is a loopback plugged in",
    }
    for conflict, text in texts.items():
        actions = diagnose(hall.cabling, replace(seen, conflicts=(conflict,))).actions
        assert any(action.text.startswith(place(one) + text) for action in actions)
        assert not any("nor anybody else" in action.text and place(one) in action.text for action in actions)


def test_cable_is_missing_whose_place_another_one_took() -> None:
    """One cable joins both ports: one of its plugs is moved, and the other cable is missing, not dark."""
    hall, seen, one, other = _without_links()
    seen.joined_to[one], seen.joined_to[other] = other, one
    move, missing = diagnose(hall.cabling, seen).actions
    assert (move.kind, missing.kind) == (Kind.MOVE, Kind.DARK)
    assert missing.text.endswith("is missing: what is plugged there belongs elsewhere.")
