"""Boxes in the wrong place, or with the wrong name."""

from __future__ import annotations

from random import Random

from fabricgen.addons.emulation.faults.laid import Laid, list_dark_places, list_places
from fabricgen.addons.emulation.model import Hall


def boxes_exchanged(hall: Hall, random: Random) -> Laid | None:
    """Rack two boxes of a model in each other's place, each with its name, and plug what belongs to the place."""
    return _exchange_two(hall, random, "boxes_exchanged")


def names_exchanged(hall: Hall, random: Random) -> Laid | None:
    """Provision two boxes of a model with each other's name: without a serial or MAC, as if they had moved."""
    return _exchange_two(hall, random, "names_exchanged")


def _exchange_two(hall: Hall, random: Random, fault: str) -> Laid | None:
    # lets two boxes of one model, tier and fabric change places, or does nothing and gives None; a box with power, not
    # yet moved
    dark = list_dark_places(hall)
    devices = [place for place in list_places(hall) + list_places(hall, "node") if hall.names[place] == place]
    devices = [place for place in devices if place not in dark]
    # eight tries: most boxes may have no other that is alike
    for first in random.sample(devices, len(devices))[:8]:
        row = hall.plan.devices[first]
        others = [
            place
            for place in devices
            if place != first and all(hall.plan.devices[place][key] == row[key] for key in ("model", "tier", "fabric"))
        ]
        if others:
            other = random.choice(others)
            hall.exchange_boxes(first, other)
            return Laid(fault, f"{first} <-> {other}", boxes=frozenset((first, other)))
    return None


FAULTS = (boxes_exchanged, names_exchanged)
