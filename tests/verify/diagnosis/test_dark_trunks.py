"""Trunks between panels that nothing is seen over."""

from __future__ import annotations

from fabricgen.verify.actions import Kind
from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.diagnosis.trunks import list_trunk_ends
from tests.verify.diagnosis.hall import Hall, cabling


def test_a_trunk_that_is_dark_is_one_cause() -> None:
    """18 links of four nodes to eight leaves: neither a batch of a node nor nine cables."""
    hall = Hall(cabling("patched-hall"))
    ends = list_trunk_ends(hall.cabling)
    assert ends is not None
    seen = hall.seen()
    for port in ends.ports[0].values():
        seen.joined_to[[port, port ^ 1]] = -1
    (action,) = diagnose(hall.cabling, seen).actions
    assert (action.kind, action.moves, len(action.cables)) == (Kind.DARK, 0, 9)
    assert action.text.startswith(
        f"trunk {ends.names[0]} from p1-su01-rk01-pp01 ports 1-18 (rack p1-su01-rk01, U48) to"
    )
    assert "none of the 9 cables through it is up" in action.text
    one = next(iter(ends.ports[0].values()))
    seen.joined_to[[one, one ^ 1]] = one ^ 1, one
    assert not [action for action in diagnose(hall.cabling, seen).actions if action.text.startswith("trunk")]
