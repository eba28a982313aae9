"""Whatever is done wrong in a hall, what is reported mends it, with no more work than was done."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.verify.actions import CableState, Kind
from fabricgen.verify.diagnosis import diagnose
from tests.verify.diagnosis.faults import FAULTS
from tests.verify.diagnosis.hall import NAMES, Hall, cabling

faults = st.lists(st.tuples(st.sampled_from(FAULTS), st.integers(0, 10**6)), min_size=1, max_size=8)


@pytest.mark.slow
@given(name=st.sampled_from(NAMES), made=faults)
def test_actions_mend_the_hall(name, made):
    check_mended(cabling(name), made)


def check_mended(cabling, made):
    """The law for a hall that is cabled in some way but for the faults made."""
    hall = Hall(cabling)
    work = sum(fault(hall, Random(seed)) for fault, seed in made)
    if not hall.is_legible():
        return
    found = diagnose(hall.cabling, hall.seen())
    check_cables(hall, found)
    moves = sum(action.moves for action in found.actions)
    assert moves <= work
    mended = hall.copy()
    mended.apply(found.actions)
    dark = {cable for action in found.actions if action.kind is Kind.DARK for cable in action.cables}
    assert mended.wrong() <= dark


def check_cables(hall, found):
    """Every cable that is not as planned is in an action, and no other is."""
    faulty = {str(hall.cabling.cable_ids[at]) for at in (found.states >= CableState.DARK).nonzero()[0]}
    told = {cable for action in found.actions for cable in action.cables}
    assert faulty <= told
    for action in found.actions:
        assert len(set(action.cables)) == len(action.cables)
        assert action.ends
        assert len({a.id for a in found.actions}) == len(found.actions)
