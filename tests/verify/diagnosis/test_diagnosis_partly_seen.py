"""Where little is known of a hall, nothing that is reported makes it worse."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.verify.actions import Kind
from fabricgen.verify.diagnosis import diagnose
from tests.verify.diagnosis.hall import NAMES, Hall, cabling
from tests.verify.diagnosis.test_diagnosis_laws import check_cables, faults

known = st.tuples(st.sampled_from([0.1, 0.3, 0.6, 0.9, 1.0]), st.booleans(), st.booleans(), st.integers(0, 10**6))


def _partly_seen(hall, share, one_tier, forgetful, seed):
    """What is known if some boxes were dumped, and their agents forgot some ports."""
    random = Random(seed)
    tiers = hall.cabling.devices["tier"].codes
    tier = random.choice(tiers.tolist())
    dumped = [
        device for device in range(len(tiers)) if (tiers[device] == tier if one_tier else random.random() < share)
    ]
    lost = [place for place in hall.numbers if forgetful and place[0] in dumped and random.random() < 0.2]
    return hall.seen(dumped, lost)


@pytest.mark.slow
@given(name=st.sampled_from(NAMES), made=faults, known=known)
def test_no_action_makes_it_worse_where_little_is_known(name, made, known):
    check_none_makes_it_worse(cabling(name), made, known)


def check_none_makes_it_worse(cabling, made, known):
    """The law for a hall that is cabled in some way but for the faults made."""
    hall = Hall(cabling)
    for fault, seed in made:
        fault(hall, Random(seed))
    found = diagnose(hall.cabling, _partly_seen(hall, *known))
    check_cables(hall, found)
    before = len(hall.right())
    exchanges = [action for action in found.actions if action.kind is Kind.EXCHANGE]
    for action in found.actions:
        needed = [] if action.kind is Kind.EXCHANGE else _needed(hall, action, exchanges)
        mended = hall.copy()
        mended.apply([*needed, action], names=exchanges)
        assert len(mended.right()) >= before, action


def _needed(hall, action, exchanges):
    """The exchanges of boxes that have to be done too: of those at whose cables an action is."""
    numbers = {str(cable): at for at, cable in enumerate(hall.cabling.cable_ids)}
    cables = {numbers[cable] for cable in [*action.cables, *(step.cable for step in action.steps)] if cable}
    links = [link for link, cable in enumerate(hall.cabling.cable.tolist()) if cable in cables]
    devices = {hall.cabling.device_names[hall.cabling.device[2 * link + end]] for link in links for end in (0, 1)}
    devices |= {end.device for step in action.steps for end in (step.pull, step.put)}
    return [exchange for exchange in exchanges if devices & exchange.renamed.keys()]
