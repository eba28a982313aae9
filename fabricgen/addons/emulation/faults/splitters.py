"""Splitters and trunks."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from fabricgen.addons.emulation.faults.laid import Laid, is_dark
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug


def _list_splitters(hall: Hall) -> list[int]:
    return [
        n for n, cord in enumerate(hall.plan.cords) if cord.splits and not is_dark(hall, n) and n not in hall.halves
    ]


def tails_permuted(hall: Hall, random: Random) -> Laid | None:
    """Plug the tails of a splitter in another order."""
    splitters = _list_splitters(hall)
    for number in random.sample(splitters, len(splitters))[:8]:
        tails = [hall.at[Plug(number, end)] for end in range(1, len(hall.plan.cords[number].homes))]
        tails = [s for s in tails if hall.plan.take_alike(tails[0], s)]
        if len(tails) >= 2:
            chosen = random.sample(tails, random.randint(2, len(tails)))
            hall.rotate_plugs(chosen)
            return Laid("tails_permuted", " -> ".join(map(str, chosen)))
    return None


def splitter_in_another_cage(hall: Hall, random: Random) -> Laid | None:
    """Exchange the common ends of two splitters of a device."""
    splitters = _list_splitters(hall)
    for number in random.sample(splitters, len(splitters))[:8]:
        first = hall.at[Plug(number, 0)]
        others = [hall.at[Plug(n, 0)] for n in splitters if n != number]
        others = [s for s in others if s.device == first.device and hall.plan.take_alike(first, s)]
        if others:
            other = random.choice(others)
            hall.rotate_plugs([first, other])
            return Laid("splitter_in_another_cage", f"{first} <-> {other}")
    return None


def trunk_crossed(hall: Hall, random: Random) -> Laid | None:
    """Exchange two connectors of a trunk behind the panel of its second end."""
    cord_of = {home: number for number, cord in enumerate(hall.plan.cords) for home in cord.homes if not cord.splits}
    # patches.csv names a socket as labels do: cage and connector, or the cage alone
    printed = {f"{home.device} {home.cage}/{home.connector}": n for home, n in cord_of.items()}
    printed |= {f"{home.device} {home.cage}": n for home, n in cord_of.items() if not home.connector}
    in_trunk: dict[str, set[int]] = defaultdict(set)
    for row in hall.plan.patches:
        for name in (f"{row['device']} {row['socket']}", f"{row['device']} {row['cage']}"):
            if name in printed and not is_dark(hall, printed[name]):
                in_trunk[row["trunk"]].add(printed[name])
                break
    trunks = sorted(trunk for trunk, cords in in_trunk.items() if len(cords) > 1)
    if not trunks:
        return None
    trunk = random.choice(trunks)
    first, other = random.sample(sorted(in_trunk[trunk]), 2)
    ends = [hall.plan.cords[n].homes for n in (first, other)]
    if not all(hall.plan.take_alike(*pair) for pair in zip(*ends, strict=True)):
        return None
    # both halves behind the panel change hands, also where they did before
    hall.halves |= {first: hall.halves.get(other, other), other: hall.halves.get(first, first)}
    return Laid("trunk_crossed", f"{trunk}: the channels of {ends[0][0]} and {ends[1][0]}")


FAULTS = (tails_permuted, splitter_in_another_cage, trunk_crossed)
