"""Faults that people make, put into a hall by chance; each tells how many plugs it moved."""

from __future__ import annotations

from random import Random

from tests.verify.diagnosis.hall import Hall


def _rotate(hall: Hall, plugs: list[int], by: int = 1) -> int:
    cages = [hall.cage[plug] for plug in plugs]
    for at, plug in enumerate(plugs):
        hall.cage[plug] = cages[(at + by) % len(cages)]
    return len(plugs)


def _is_common(hall: Hall, plug: int) -> bool:
    return len(hall.far_plugs(plug)) > 1


def _alike(hall: Hall, random: Random, plugs: list[int], count: int) -> list[int]:
    """Plugs of one width that are plugged in and not common."""
    there = [plug for plug in plugs if hall.cage[plug] is not None and not _is_common(hall, plug)]
    if not there:
        return []
    width = len(hall.ports[random.choice(there)])
    same = [plug for plug in there if len(hall.ports[plug]) == width]
    return random.sample(same, min(count, len(same)))


def _on_one_device(hall: Hall, random: Random) -> list[int]:
    device = random.choice(hall.device)
    return [plug for plug in range(hall.plugs) if hall.device[plug] == device]


def swap(hall: Hall, random: Random) -> int:
    """Two plugs anywhere."""
    plugs = _alike(hall, random, list(range(hall.plugs)), 2)
    return _rotate(hall, plugs) if len(plugs) == 2 else 0


def near_swap(hall: Hall, random: Random) -> int:
    """Two plugs of one device."""
    plugs = _alike(hall, random, _on_one_device(hall, random), 2)
    return _rotate(hall, plugs) if len(plugs) == 2 else 0


def ring(hall: Hall, random: Random) -> int:
    plugs = _alike(hall, random, list(range(hall.plugs)), random.randint(3, 6))
    return _rotate(hall, plugs) if len(plugs) > 2 else 0


def shift(hall: Hall, random: Random) -> int:
    """A run of one device, round or into a spare cage."""
    plugs = sorted(_alike(hall, random, _on_one_device(hall, random), 10**6))
    if len(plugs) < 3:
        return 0
    count = random.randint(3, min(8, len(plugs)))
    start = random.randint(0, len(plugs) - count)
    run = plugs[start : start + count]
    if random.random() < 0.5:
        return _rotate(hall, run, random.choice((1, -1)))
    cages = [hall.cage[plug] for plug in run]
    for plug, cage in zip(run, [*cages[1:], _spare(hall, run[-1])], strict=True):
        hall.cage[plug] = cage
    return len(run)


def _spare(hall: Hall, plug: int) -> tuple[int, tuple[str, ...]]:
    cage = hall.cage[plug]
    assert cage is not None
    device = hall.device_of(cage)
    number = sum(isinstance(each, tuple) for each in hall.cage)
    while any(isinstance(each, tuple) and each[1][0] == f"spare{number}/0" for each in hall.cage):
        number += 1
    return device, tuple(f"spare{number}/{lane}" for lane in range(8))


def move(hall: Hall, random: Random) -> int:
    """A plug into a spare cage."""
    plugs = _alike(hall, random, list(range(hall.plugs)), 1)
    for plug in plugs:
        hall.cage[plug] = _spare(hall, plug)
    return len(plugs)


def dark(hall: Hall, random: Random) -> int:
    hall.cage[random.randrange(hall.plugs)] = None
    return 0


def boxes(hall: Hall, random: Random) -> int:
    """Two boxes of one model and tier; as dear as all their plugs."""
    sorts = [hall.cabling.devices[column].codes for column in ("model", "fabric", "tier")]
    one = random.choice(hall.device)
    same = [each for each in sorted(set(hall.device)) if each != one and all(s[each] == s[one] for s in sorts)]
    if not same:
        return 0
    other = random.choice(same)
    hall.tells[one], hall.tells[other] = hall.tells[other], hall.tells[one]
    return sum(device in (one, other) for device in hall.device)


def rolled(hall: Hall, random: Random) -> int:
    """The tails of a breakout in another order."""
    common = [plug for plug in range(hall.plugs) if _is_common(hall, plug)]
    if not common:
        return 0
    tails = [plug for plug in hall.far_plugs(random.choice(common)) if hall.cage[plug] is not None]
    return _rotate(hall, tails) if len({len(hall.ports[plug]) for plug in tails}) == 1 and len(tails) > 1 else 0


def splitter(hall: Hall, random: Random) -> int:
    """Two common plugs in each other's cage, or one in a spare cage."""
    common = [plug for plug in range(hall.plugs) if _is_common(hall, plug) and hall.cage[plug] is not None]
    if not common:
        return 0
    one = random.choice(common)
    if random.random() < 0.3:
        hall.cage[one] = _spare(hall, one)
        return 1
    others = [plug for plug in common if len(hall.ports[plug]) == len(hall.ports[one]) and plug != one]
    return _rotate(hall, [one, random.choice(others)]) if others else 0


FAULTS = (swap, near_swap, ring, shift, move, dark, boxes, rolled, splitter)
