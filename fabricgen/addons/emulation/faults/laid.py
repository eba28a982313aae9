"""What a fault has laid into a hall, and which plugs it may touch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug, Socket


@dataclass(frozen=True)
class Laid:
    """One fault, in words that let a person lay it in again."""

    fault: str
    text: str
    cords: frozenset[int] = frozenset()
    """Cords that are dark because of it."""
    boxes: frozenset[str] = frozenset()
    """Places whose boxes were exchanged, named wrongly or switched off."""


def is_movable(hall: Hall, socket: Socket) -> bool:
    """Whether a fault may move what is in a socket: something lit, so that its place can be told by any means."""
    plug = hall.plugged.get(socket)
    return plug is not None and not is_dark(hall, plug.cord) and socket.device not in hall.off


def is_dark(hall: Hall, cord: int) -> bool:
    """Whether some plug of a cord hangs loose, is at a box without power, or the cord itself is bad."""
    plugs = [Plug(cord, end) for end in range(len(hall.plan.cords[cord].homes))]
    return cord in hall.bad or any(hall.at[plug].device in hall.off if plug in hall.at else True for plug in plugs)


def list_dark_places(hall: Hall) -> set[str]:
    """Places with a cord that is dark, or without power."""
    cords = hall.plan.cords
    return hall.off | {home.device for n, cord in enumerate(cords) if is_dark(hall, n) for home in cord.homes}


def list_sockets(hall: Hall, device: str) -> list[Socket]:
    """The sockets of a place with something lit in them, in the order of its cages."""
    return sort_sockets(s for s in hall.plugged if s.device == device and is_movable(hall, s))


def sort_sockets(sockets: Iterable[Socket]) -> list[Socket]:
    """Sockets by device, and by the numbers in their cages and connectors."""
    return sorted(sockets, key=lambda s: (s.device, cage_number(s.cage), s.cage, s.connector))


def cage_number(cage: str) -> int:
    """The number of a cage, that of its digits."""
    digits = "".join(c for c in cage if c.isdigit())
    return int(digits) if digits else 0


def list_places(hall: Hall, *tiers: str) -> list[str]:
    """Places of boxes with power of some tiers; of all switches without any."""
    rows = hall.plan.devices.items()
    return sorted(
        place
        for place, row in rows
        if place not in hall.off and (row["tier"] in tiers if tiers else row["tier"] != "node")
    )


def pick_pair(hall: Hall, random: Random, sockets: list[Socket]) -> tuple[Socket, Socket] | None:
    """Two sockets that a plug fits into alike, by chance."""
    shuffled = random.sample(sockets, len(sockets))
    for number, first in enumerate(shuffled[:8]):
        for other in shuffled[number + 1 :]:
            if hall.plan.take_alike(first, other):
                return first, other
    return None
