"""Random halls: an example and one to ten faults, the same for a number on every machine."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fabricgen.addons.emulation.faults import FAULTS
from fabricgen.addons.emulation.faults.laid import Laid
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plan
from tests.hall.examples import EXAMPLES

HALLS = range(2000)


def example_of(number: int) -> str:
    """The example of a hall: each comes as often as the others."""
    return list(EXAMPLES)[number % len(EXAMPLES)]


def lay_faults(plan: Plan, number: int) -> tuple[Hall, list[Laid]]:
    """The hall of a number, with what was laid into it."""
    random = Random(f"hall {number}")
    hall, laid = Hall(plan), []
    faults: list[Callable[[Hall, Random], Laid | None]] = list(FAULTS.values())
    for fault in random.choices(faults, k=random.randint(1, 10)):
        laid += filter(None, [fault(hall, random)])
    while not laid:
        laid += filter(None, [random.choice(faults)(hall, random)])
    return hall, laid
