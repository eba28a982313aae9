"""The law of the hall: what `verify` tells of a hall, carried out, gives the plan again with the fewest plugs.

Two thousand halls of one to ten faults, told in the formats of their devices; the model of halls that judges imports
nothing of the package. Carrying out what is told gives the plan again with the optimum of
plugs by assignment; a look mends only what was laid in as dark, at that place; an untouched hall has no action; exit 0
comes only where nothing is lost; and with fewer dumps nothing is told that the full ones contradict.

A failure names the hall by its number: `lay_faults(plan_of(example_of(NUMBER)), NUMBER)` is that hall.
"""

from __future__ import annotations

from random import Random

import pytest

from fabricgen.addons.emulation.dumps import plain
from fabricgen.addons.emulation.faults.laid import Laid
from fabricgen.addons.emulation.model import Hall
from tests.hall.compiled import plan_of, verify
from tests.hall.examples import EXAMPLES
from tests.hall.halls import HALLS, example_of, lay_faults
from tests.hall.verdict import contradictions, mistakes
from tests.laws import law_cases

NOT_YET: dict[int, str] = {}
"""Halls that are told wrongly still, and how. One that is told rightly has to leave the list, or the law fails."""

MENDED = (24, 89, 364, 517, 638, 714, 751, 873, 978, 1165, 1350, 1366, 1613, 1629, 1691, 1960, 2005, 2444, 4216)
"""Halls that were told wrongly once: boxes of two kinds exchanged at once, exchanges that few dumps show or deny, pairs
that went round beside single plugs, dark nodes without cables left for them, rings that share pulls at their other
side, plugs of which as many links are of another box as of their own."""


@pytest.mark.law
@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.tenth
def test_an_untouched_hall_has_no_action(example: str) -> None:
    verdict = verify(example, plain.write(Hall(plan_of(example)).list_sightings()))
    assert (verdict.code, verdict.actions, verdict.errors) == (0, [], "")


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_what_is_told_gives_the_plan_again(example: str) -> None:
    failed: dict[int, str] = {}
    judged = [
        number for number in law_cases("what is told gives the plan again", HALLS) if example_of(number) == example
    ]
    for number in judged:
        if complaints := judge_hall(number):
            failed[number] = complaints
    expected = set(NOT_YET) & set(judged)
    assert not set(failed) - expected, "\n\n".join(text for number, text in failed.items() if number not in NOT_YET)
    assert not expected - set(failed), f"right now, to be taken out of NOT_YET: {sorted(expected - set(failed))}"


@pytest.mark.slow
@pytest.mark.parametrize("number", MENDED)
def test_halls_that_were_told_wrongly_are_told_rightly(number: int) -> None:
    """Whatever tenth the law judges."""
    assert judge_hall(number) == ""


def judge_hall(number: int) -> str:
    """What is wrong with what is told of a hall, of its full dumps and of some of them; "" for nothing."""
    example = example_of(number)
    hall, laid = lay_faults(plan_of(example), number)
    seen = hall.list_sightings()
    verdict = verify(example, plain.write(seen))
    complaints = mistakes(hall, laid, verdict.code, verdict.actions) or list(filter(None, [verdict.errors]))
    fewer = verify(example, plain.write(seen, _some_of(hall.list_devices(), number)))
    complaints += [f"with fewer dumps: {text}" for text in contradictions(hall, fewer.actions)]
    return _words(number, laid, complaints) if complaints else ""


def _some_of(devices: list[str], number: int) -> list[str]:
    random = Random(f"fewer {number}")
    return random.sample(devices, random.randint(1, len(devices)))


def _words(number: int, laid: list[Laid], complaints: list[str]) -> str:
    faults = [f"  {fault.fault}: {fault.text}" for fault in laid]
    return "\n".join([f"hall {number}:", *faults, *(f"  ! {text}" for text in complaints)])
