"""Single plugs in wrong sockets, tails and common ends of splitters among them, and channels of trunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from random import Random

from fabricgen.addons.emulation.faults.laid import Laid, is_dark, list_places, list_sockets, pick_pair
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug, Socket


def swap_at_leaf(hall: Hall, random: Random) -> Laid | None:
    """Exchange two plugs of a leaf."""
    return _swap_at(hall, random, "swap_at_leaf", list_places(hall, "leaf"))


def swap_at_node(hall: Hall, random: Random) -> Laid | None:
    """Exchange two plugs of a node."""
    return _swap_at(hall, random, "swap_at_node", list_places(hall, "node"))


def _swap_at(hall: Hall, random: Random, fault: str, devices: list[str]) -> Laid | None:
    """Exchange two plugs that fit each other's socket, at one of `devices`, of which six are tried by chance.

    Returns the fault; None if these have no such pair.
    """
    for device in random.sample(devices, len(devices))[:6]:
        pair = pick_pair(hall, random, list_sockets(hall, device))
        if pair:
            hall.rotate_plugs(list(pair))
            return Laid(fault, f"{pair[0]} <-> {pair[1]}")
    return None


def swap_across_racks(hall: Hall, random: Random) -> Laid | None:
    """Exchange a plug of one switch with a plug of another switch of its tier; None if no two fit in a few tries."""
    tiers = sorted({hall.plan.devices[switch]["tier"] for switch in list_places(hall)})
    for tier in random.sample(tiers, len(tiers)):
        devices = list_places(hall, tier)
        if len(devices) < 2:
            continue
        first_switch, second_switch = random.sample(devices, 2)
        sockets = list_sockets(hall, first_switch)
        for socket in random.sample(sockets, len(sockets))[:6]:
            fitting_sockets = [s for s in list_sockets(hall, second_switch) if hall.plan.take_alike(socket, s)]
            if laid := _exchange_plugs(hall, random, "swap_across_racks", socket, fitting_sockets):
                return laid
    return None


def _exchange_plugs(
    hall: Hall, random: Random, fault: str, first_socket: Socket, other_sockets: list[Socket]
) -> Laid | None:
    """Exchange the plug in a socket with that in one of the other sockets, drawn by chance; None if there are none."""
    if not other_sockets:
        return None
    second_socket = random.choice(other_sockets)
    hall.rotate_plugs([first_socket, second_socket])
    return Laid(fault, f"{first_socket} <-> {second_socket}")


def _exchange_at(
    hall: Hall,
    random: Random,
    fault: str,
    devices: list[str],
    is_candidate: Callable[[Socket], bool],
    is_other: Callable[[Socket, Socket], bool],
) -> Laid | None:
    """Exchange two plugs of one of some devices that fit each other's socket; None if no device has such a pair.

    `is_candidate` says which sockets may take part; `is_other(other, first)` says whether a candidate may go with the
    first socket that was drawn.
    """
    for device in devices:
        sockets = [s for s in list_sockets(hall, device) if is_candidate(s)]
        for first_socket in random.sample(sockets, len(sockets))[:4]:
            fitting_sockets = [
                s for s in sockets if is_other(s, first_socket) and hall.plan.take_alike(first_socket, s)
            ]
            if laid := _exchange_plugs(hall, random, fault, first_socket, fitting_sockets):
                return laid
    return None


def legs_crossed(hall: Hall, random: Random) -> Laid | None:
    """Cross two legs of a node that are on different rails or planes."""
    devices, find = list_places(hall, "node"), partial(_find_rail_and_plane, hall)
    return _exchange_at(
        hall,
        random,
        "legs_crossed",
        random.sample(devices, len(devices))[:6],
        lambda s: find(s) != ("", ""),
        lambda s, first: find(s) != find(first),
    )


def _find_rail_and_plane(hall: Hall, socket: Socket) -> tuple[str, str]:
    """Return the rail and plane of a socket's first link, as text; "" for none."""
    row = hall.plan.row_of.get(hall.plan.ports[socket][0], {"rail": "", "plane": ""})
    return row["rail"], row["plane"]


def jumper_in_another_cage(hall: Hall, random: Random) -> Laid | None:
    """Exchange one jumper of a pair with one of another cage of the switch."""
    devices = list_places(hall)
    return _exchange_at(
        hall,
        random,
        "jumper_in_another_cage",
        random.sample(devices, len(devices))[:8],
        lambda s: bool(s.connector),
        lambda s, first: s.cage != first.cage,
    )


def jumpers_crossed(hall: Hall, random: Random) -> Laid | None:
    """Exchange both jumpers of a cage."""
    devices = list_places(hall) + list_places(hall, "node")
    for device in random.sample(devices, len(devices))[:8]:
        sockets = [s for s in list_sockets(hall, device) if s.connector]
        pairs = [
            (socket, higher_socket)
            for socket in sockets
            for higher_socket in sockets
            if socket.cage == higher_socket.cage
            and socket.connector < higher_socket.connector
            and hall.plan.take_alike(socket, higher_socket)
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
    """Return {socket: free socket} for the other plugs of the cage of `source`, so that they follow it to the cage of
    `target`.

    Each goes to the connector of the same number; plugs for which `free` has none stay.
    """
    free_by_connector = {s.connector: s for s in free if (s.device, s.cage) == (target.device, target.cage)}
    other_connectors = [s for s in sockets if s.cage == source.cage and s != source]
    return {s: free_by_connector[s.connector] for s in other_connectors if s.connector in free_by_connector}


def ring(hall: Hall, random: Random) -> Laid | None:
    """Let three to six plugs of a device go round."""
    devices = list_places(hall)
    for device in random.sample(devices, len(devices))[:8]:
        sockets = list_sockets(hall, device)
        if not sockets:
            continue
        first_socket = random.choice(sockets)
        fitting_sockets = [s for s in sockets if s != first_socket and hall.plan.take_alike(first_socket, s)]
        if len(fitting_sockets) >= 2:
            sockets_in_turn = [
                first_socket,
                *random.sample(fitting_sockets, min(len(fitting_sockets), random.randint(2, 5))),
            ]
            hall.rotate_plugs(sockets_in_turn)
            return Laid("ring", " -> ".join(map(str, sockets_in_turn)))
    return None


def _list_splitters(hall: Hall) -> list[int]:
    """Return the splitters that carry light and are on no crossed trunk, as indexes of cords."""
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
            sockets_in_turn = random.sample(tails, random.randint(2, len(tails)))
            hall.rotate_plugs(sockets_in_turn)
            return Laid("tails_permuted", " -> ".join(map(str, sockets_in_turn)))
    return None


def splitter_in_another_cage(hall: Hall, random: Random) -> Laid | None:
    """Exchange the common ends of two splitters of a device."""
    splitters = _list_splitters(hall)
    for number in random.sample(splitters, len(splitters))[:8]:
        first_socket = hall.at[Plug(number, 0)]
        other_sockets = [hall.at[Plug(n, 0)] for n in splitters if n != number]
        other_sockets = [
            s for s in other_sockets if s.device == first_socket.device and hall.plan.take_alike(first_socket, s)
        ]
        if laid := _exchange_plugs(hall, random, "splitter_in_another_cage", first_socket, other_sockets):
            return laid
    return None


def trunk_crossed(hall: Hall, random: Random) -> Laid | None:
    """Exchange two connectors of a trunk behind the panel of its second end."""
    cord_of = {home: number for number, cord in enumerate(hall.plan.cords) for home in cord.homes if not cord.splits}
    # patches.csv names a socket as labels do: cage and connector, or the cage alone
    cord_of_label = {f"{home.device} {home.cage}/{home.connector}": n for home, n in cord_of.items()}
    cord_of_label |= {f"{home.device} {home.cage}": n for home, n in cord_of.items() if not home.connector}
    cords_of_trunk: dict[str, set[int]] = defaultdict(set)
    for row in hall.plan.patches:
        for name in (f"{row['device']} {row['socket']}", f"{row['device']} {row['cage']}"):
            if name in cord_of_label and not is_dark(hall, cord_of_label[name]):
                cords_of_trunk[row["trunk"]].add(cord_of_label[name])
                break
    trunks = sorted(trunk for trunk, cords in cords_of_trunk.items() if len(cords) > 1)
    if not trunks:
        return None
    trunk = random.choice(trunks)
    first_cord, second_cord = random.sample(sorted(cords_of_trunk[trunk]), 2)
    homes_of_cords = [hall.plan.cords[n].homes for n in (first_cord, second_cord)]
    if not all(hall.plan.take_alike(*pair) for pair in zip(*homes_of_cords, strict=True)):
        return None
    # both halves behind the panel are exchanged, even if they were exchanged before
    hall.halves |= {
        first_cord: hall.halves.get(second_cord, second_cord),
        second_cord: hall.halves.get(first_cord, first_cord),
    }
    return Laid("trunk_crossed", f"{trunk}: the channels of {homes_of_cords[0][0]} and {homes_of_cords[1][0]}")


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
SPLITTER_FAULTS = (tails_permuted, splitter_in_another_cage, trunk_crossed)
