"""Single plugs in wrong sockets."""

from __future__ import annotations

from random import Random

from fabricgen.addons.emulation.faults.laid import Laid, list_places, list_sockets, pick_pair
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Socket


def swap_at_leaf(hall: Hall, random: Random) -> Laid | None:
    """Exchange two plugs of a leaf."""
    return _swap_at(hall, random, "swap_at_leaf", list_places(hall, "leaf"))


def swap_at_node(hall: Hall, random: Random) -> Laid | None:
    """Exchange two plugs of a node."""
    return _swap_at(hall, random, "swap_at_node", list_places(hall, "node"))


def _swap_at(hall: Hall, random: Random, fault: str, devices: list[str]) -> Laid | None:
    # exchanges two plugs that fit each other's socket, at one of six devices by chance; None where these have no such
    # pair
    for device in random.sample(devices, len(devices))[:6]:
        pair = pick_pair(hall, random, list_sockets(hall, device))
        if pair:
            hall.rotate_plugs(list(pair))
            return Laid(fault, f"{pair[0]} <-> {pair[1]}")
    return None


def swap_across_racks(hall: Hall, random: Random) -> Laid | None:
    """Exchange a plug each of two switches of a tier."""
    tiers = sorted({hall.plan.devices[place]["tier"] for place in list_places(hall)})
    for tier in random.sample(tiers, len(tiers)):
        devices = list_places(hall, tier)
        if len(devices) < 2:
            continue
        first, other = random.sample(devices, 2)
        sockets = list_sockets(hall, first)
        for socket in random.sample(sockets, len(sockets))[:6]:
            others = [s for s in list_sockets(hall, other) if hall.plan.take_alike(socket, s)]
            if others:
                far = random.choice(others)
                hall.rotate_plugs([socket, far])
                return Laid("swap_across_racks", f"{socket} <-> {far}")
    return None


def legs_crossed(hall: Hall, random: Random) -> Laid | None:
    """Cross two legs of a node that are on different rails or planes."""
    devices = list_places(hall, "node")
    for device in random.sample(devices, len(devices))[:6]:
        sockets = [s for s in list_sockets(hall, device) if _find_rail_and_plane(hall, s) != ("", "")]
        for first in random.sample(sockets, len(sockets))[:4]:
            others = [
                s
                for s in sockets
                if _find_rail_and_plane(hall, s) != _find_rail_and_plane(hall, first) and hall.plan.take_alike(first, s)
            ]
            if others:
                other = random.choice(others)
                hall.rotate_plugs([first, other])
                return Laid("legs_crossed", f"{first} <-> {other}")
    return None


def _find_rail_and_plane(hall: Hall, socket: Socket) -> tuple[str, str]:
    """The rail and plane of a socket's first link."""
    first = hall.plan.ports[socket][0]
    row = hall.plan.row_of.get(first, {"rail": "", "plane": ""})
    return row["rail"], row["plane"]


def jumper_in_another_cage(hall: Hall, random: Random) -> Laid | None:
    """Exchange one jumper of a pair with one of another cage of the switch."""
    devices = list_places(hall)
    for device in random.sample(devices, len(devices))[:8]:
        sockets = [s for s in list_sockets(hall, device) if s.connector]
        for first in random.sample(sockets, len(sockets))[:4]:
            others = [s for s in sockets if s.cage != first.cage and hall.plan.take_alike(first, s)]
            if others:
                other = random.choice(others)
                hall.rotate_plugs([first, other])
                return Laid("jumper_in_another_cage", f"{first} <-> {other}")
    return None


def jumpers_crossed(hall: Hall, random: Random) -> Laid | None:
    """Exchange both jumpers of a cage."""
    devices = list_places(hall) + list_places(hall, "node")
    for device in random.sample(devices, len(devices))[:8]:
        sockets = [s for s in list_sockets(hall, device) if s.connector]
        pairs = [
            (first, other)
            for first in sockets
            for other in sockets
            if first.cage == other.cage and first.connector < other.connector and hall.plan.take_alike(first, other)
        ]
        if pairs:
            pair = random.choice(pairs)
            hall.rotate_plugs(list(pair))
            return Laid("jumpers_crossed", f"{pair[0]} <-> {pair[1]}")
    return None


def plug_in_free_cage(hall: Hall, random: Random) -> Laid | None:
    """Put a plug, or both plugs of a cage, into a cage that should be free."""
    free = [s for s in hall.plan.list_free_sockets() if s not in hall.plugged and s.device not in hall.off]
    for target in random.sample(free, min(8, len(free))):
        sockets = [s for s in list_sockets(hall, target.device) if hall.plan.take_alike(s, target)]
        if not sockets:
            continue
        source = random.choice(sockets)
        moves = {source: target}
        if random.random() < 0.4 and source.connector == target.connector:
            moves |= _move_rest_of_cage(source, target, sockets, free)
        hall.put_plugs({hall.plugged[s]: t for s, t in moves.items()})
        return Laid("plug_in_free_cage", ", ".join(f"{s} -> {t}" for s, t in moves.items()))
    return None


def _move_rest_of_cage(
    source: Socket, target: Socket, sockets: list[Socket], free: list[Socket]
) -> dict[Socket, Socket]:
    """The other connectors of a cage, to the same ones of a free cage."""
    beside = {s.connector: s for s in free if (s.device, s.cage) == (target.device, target.cage)}
    others = [s for s in sockets if s.cage == source.cage and s != source]
    return {s: beside[s.connector] for s in others if s.connector in beside}


def ring(hall: Hall, random: Random) -> Laid | None:
    """Let three to six plugs of a device go round."""
    devices = list_places(hall)
    for device in random.sample(devices, len(devices))[:8]:
        sockets = list_sockets(hall, device)
        if not sockets:
            continue
        first = random.choice(sockets)
        others = [s for s in sockets if s != first and hall.plan.take_alike(first, s)]
        if len(others) >= 2:
            chosen = [first, *random.sample(others, min(len(others), random.randint(2, 5)))]
            hall.rotate_plugs(chosen)
            return Laid("ring", " -> ".join(map(str, chosen)))
    return None


FAULTS = (
    swap_at_leaf,
    swap_at_node,
    swap_across_racks,
    jumper_in_another_cage,
    jumpers_crossed,
    plug_in_free_cage,
    ring,
    legs_crossed,
)
