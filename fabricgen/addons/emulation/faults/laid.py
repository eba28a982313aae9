"""What a fault has laid into a hall, and which plugs a fault may touch."""

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
    """Cords that are dark because of it, as indexes in `Plan.cords`."""
    boxes: frozenset[str] = frozenset()
    """Places whose boxes were exchanged, named wrongly or switched off."""


def is_movable(hall: Hall, socket: Socket) -> bool:
    """Whether a fault may move what is in a socket: a plug with light, so that its place can be told at all."""
    plug = hall.plugged.get(socket)
    return plug is not None and not is_dark(hall, plug.cord) and socket.device not in hall.off


def is_dark(hall: Hall, cord: int) -> bool:
    """Whether some plug of a cord hangs loose or is at a box without power, or the cord itself is bad."""
    plugs = [Plug(cord, end) for end in range(len(hall.plan.cords[cord].homes))]
    return cord in hall.bad or any(hall.at[plug].device in hall.off if plug in hall.at else True for plug in plugs)


def list_dark_places(hall: Hall) -> set[str]:
    """Return the places with a dark cord, or without power."""
    return hall.off | {home.device for n, cord in enumerate(hall.plan.cords) if is_dark(hall, n) for home in cord.homes}


def list_sockets(hall: Hall, device: str) -> list[Socket]:
    """Return the sockets of a place that have a plug with light in them, in the order of its cages."""
    return sort_sockets(s for s in hall.plugged if s.device == device and is_movable(hall, s))


def sort_sockets(sockets: Iterable[Socket]) -> list[Socket]:
    """Return sockets by device, and by the numbers in their cages and connectors."""
    return sorted(sockets, key=lambda s: (s.device, cage_number(s.cage), s.cage, s.connector))


def cage_number(cage: str) -> int:
    """Return the number in the name of a cage, 0 if it has no digits."""
    digits = "".join(c for c in cage if c.isdigit())
    return int(digits) if digits else 0


def list_places(hall: Hall, *tiers: str) -> list[str]:
    """Return the places of boxes that have power, of some tiers; without tiers, of all switches."""
    return sorted(
        place
        for place, row in hall.plan.devices.items()
        if place not in hall.off and (row["tier"] in tiers if tiers else row["tier"] != "node")
    )


def pick_pair(hall: Hall, random: Random, sockets: list[Socket]) -> tuple[Socket, Socket] | None:
    """Return two sockets, by chance, whose plugs fit into each other's; None if there are no such two."""
    shuffled = random.sample(sockets, len(sockets))
    for number, socket in enumerate(shuffled[:8]):
        for other_socket in shuffled[number + 1 :]:
            if hall.plan.take_alike(socket, other_socket):
                return socket, other_socket
    return None
