"""Whatever is accepted of a hall, the plan that takes it finds nothing of it any more in the same dumps."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.accept.places import ALL
from fabricgen.verify.actions import CableState, Diagnosis, Kind
from tests.verify.accept.halls import Site
from tests.verify.diagnosis.faults import boxes, near_swap, rolled
from tests.verify.diagnosis.hall import Hall

NAMES = ("leaf-spine", "small-pair", "rail-only", "dual-stack")


def same_kind(hall: Hall, random: Random) -> int:
    """Two or three plugs of one model of device, in cages of which the plan uses the same kind."""
    cabling = hall.cabling
    model, fabric = cabling.devices["model"].codes, cabling.links["fabric"].codes
    keys = [
        (model[hall.device[plug]], fabric[ports[0] >> 1], ports[0] & 1, len(ports), len(hall.far_plugs(plug)))
        for plug, ports in enumerate(hall.ports)
    ]
    one = random.randrange(hall.plugs)
    alike = [plug for plug in range(hall.plugs) if keys[plug] == keys[one]]
    plugs = random.sample(alike, min(len(alike), random.choice((2, 3))))
    cages = [hall.cage[plug] for plug in plugs]
    for plug, cage in zip(plugs, [*cages[1:], cages[0]], strict=True):
        hall.cage[plug] = cage
    return len(plugs)


FAULTS = (near_swap, boxes, rolled, same_kind, same_kind)
made = st.lists(st.tuples(st.sampled_from(FAULTS), st.integers(0, 10**6)), min_size=1, max_size=4)


@pytest.mark.slow
@settings(max_examples=30)
@given(name=st.sampled_from(NAMES), made=made)
def test_what_is_accepted_is_found_no_more(tmp_path_factory, name, made):
    site = Site(tmp_path_factory.mktemp("site"), name)
    for fault, seed in made:
        fault(site.hall, Random(seed))
    before = site.verify()
    codes, after = outcome(site)
    assert codes <= {"FG076"}
    if not codes:
        assert {action.kind for action in after.actions} <= {Kind.DARK}
        assert int((after.states == CableState.DARK).sum()) <= int((before.states >= CableState.DARK).sum())
        assert not after.harmless or outcome(site)[1].harmless == ()  # exchanged boxes had hidden some


def outcome(site: Site) -> tuple[set[str], Diagnosis]:
    """(the codes with which all of a hall is refused, none where it is accepted; what is found then)."""
    try:
        return set(), site.accept(ALL)[1]
    except InputError as error:
        return {found.code for found in error.diagnostics}, site.verify()
