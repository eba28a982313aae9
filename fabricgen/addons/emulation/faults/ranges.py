"""Neighbouring plugs that are wrong together: blocks, uplinks, whole nodes."""

from __future__ import annotations

from random import Random

from fabricgen.addons.emulation.faults.laid import Laid, cage_number, is_movable, list_places, list_sockets
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Socket


def _list_runs(hall: Hall, device: str) -> list[list[Socket]]:
    """Return the runs of three or more neighbouring cages of a device whose sockets take the same plugs.

    A cage has a lit plug in its first connector, and is listed by that socket. Cages with consecutive numbers are
    neighbours.
    """
    runs: list[list[Socket]] = []
    for socket in [s for s in list_sockets(hall, device) if s.connector in ("", "1")]:
        last = runs[-1][-1] if runs else None
        if (
            last
            and cage_number(socket.cage) == cage_number(last.cage) + 1
            and hall.plan.take_alike(last, socket)
            and cage_number(socket.cage)
        ):
            runs[-1].append(socket)
        else:
            runs.append([socket])
    return [run for run in runs if len(run) >= 3]


def _select_in_cages(hall: Hall, sockets: list[Socket]) -> list[Socket]:
    """Return, of the cages that some sockets are in, all sockets with a plug that a fault may move."""
    cages = {(s.device, s.cage) for s in sockets}
    return [s for s in hall.plugged if (s.device, s.cage) in cages and is_movable(hall, s)]


def _move_socket(socket: Socket, cages: dict[str, str]) -> Socket:
    return socket._replace(cage=cages[socket.cage])


def block_shifted(hall: Hall, random: Random) -> Laid | None:
    """Displace neighbouring cages of a switch by one to three, into free cages or round the block."""
    devices = list_places(hall)
    # eight tries: most devices have no room for it, and a hall may have none that has
    for device in random.sample(devices, len(devices))[:8]:
        runs = _list_runs(hall, device)
        if not runs:
            continue
        run = random.choice(runs)
        length = random.randint(3, min(8, len(run)))
        start = random.randint(0, len(run) - length)
        block = run[start : start + length]
        if random.random() < 0.5:
            offset = random.choice([-3, -2, -1, 1, 2, 3])
            if _shift_block(hall, block, offset):
                return Laid("block_shifted", f"{block[0]} to {block[-1]} by {offset} cages, open")
        offset = random.randint(1, length - 1)
        if _rotate_cages(hall, [s.cage for s in block], _select_in_cages(hall, block), offset):
            return Laid("block_shifted", f"{block[0]} to {block[-1]} by {offset} cages, round")
    return None


def _rotate_cages(hall: Hall, names: list[str], sockets: list[Socket], offset: int) -> bool:
    """Move the plugs in some sockets on by a number of cages, round all cages with these names, if they fit there.

    Return whether they were moved.
    """
    cages = dict(zip(names, names[offset:] + names[:offset], strict=True))
    moves = {s: _move_socket(s, cages) for s in sockets}
    if not all(target in sockets and hall.plan.take_alike(source, target) for source, target in moves.items()):
        return False
    hall.put_plugs({hall.plugged[source]: target for source, target in moves.items()})
    return True


def _shift_block(hall: Hall, block: list[Socket], offset: int) -> bool:
    """Move the plugs of whole cages by an offset, if all cages that they come into are free or of the block.

    Return whether they were moved.
    """
    numbers = {cage_number(s.cage): s.cage for s in hall.plan.ports if s.device == block[0].device}
    cages = {s.cage: numbers.get(cage_number(s.cage) + offset, "") for s in block}
    moves = {s: _move_socket(s, cages) for s in _select_in_cages(hall, block)}
    for source, target in moves.items():
        if target not in hall.plan.ports or not hall.plan.take_alike(source, target):
            return False
        if target in hall.plugged and target not in moves:
            return False
    hall.put_plugs({hall.plugged[s]: t for s, t in moves.items()})
    return True


def first_jumpers_shifted(hall: Hall, random: Random) -> Laid | None:
    """Let the first jumpers of up to eight neighbouring twin-port cages go on by a cage, the last to the first."""
    devices = list_places(hall)
    for device in random.sample(devices, len(devices))[:8]:
        runs = [run for run in _list_runs(hall, device) if run[0].connector]
        if runs:
            run = random.choice(runs)
            length = min(8, len(run))
            start = random.randint(0, len(run) - length)
            hall.rotate_plugs(run[start : start + length])
            return Laid("first_jumpers_shifted", f"{run[start]} to {run[start + length - 1]}, round")
    return None


def uplinks_low(hall: Hall, random: Random) -> Laid | None:
    """Put all uplinks of a leaf the same number of cages lower: into free cages, or round the uplinks."""
    devices = list_places(hall, "leaf")
    for device in random.sample(devices, len(devices))[:8]:
        ups = list_uplinks(hall, device)
        if len(ups) < 2 or len(_select_in_cages(hall, ups)) != len(ups):
            continue
        # one socket stands for its cage: blocks move cage by cage
        firsts = [s for s in ups if s.connector in ("", ups[0].connector)]
        for offset in random.sample([-1, -2, -3, -4], 4):
            if _shift_block(hall, firsts, offset):
                return Laid("uplinks_low", f"{ups[0]} to {ups[-1]} by {offset} cages, open")
        names = list(dict.fromkeys(s.cage for s in ups))
        if len(names) > 2:
            offset = random.randint(1, len(names) - 1)
            if _rotate_cages(hall, names, ups, offset):
                return Laid("uplinks_low", f"{ups[0]} to {ups[-1]} by {offset} cages, round")
    return None


def list_uplinks(hall: Hall, device: str) -> list[Socket]:
    """Return the sockets of a leaf whose planned links go to another tier of switches."""
    ups = []
    for socket in list_sockets(hall, device):
        row = hall.plan.row_of.get(hall.plan.ports[socket][0])
        if row is not None:
            far = row["b_device"] if row["a_device"] == device else row["a_device"]
            if hall.plan.devices[far]["tier"] not in ("node", "leaf"):
                ups.append(socket)
    return ups


def rail_groups_exchanged(hall: Hall, random: Random) -> Laid | None:
    """Plug the legs of a node in pairs the wrong way round: 1<->2, 3<->4, ..."""
    devices = list_places(hall, "node")
    for device in random.sample(devices, len(devices))[:8]:
        by_rail: dict[tuple[int, str], Socket] = {}
        for socket in list_sockets(hall, device):
            row = hall.plan.row_of.get(hall.plan.ports[socket][0])
            if row is not None and row["rail"]:
                by_rail.setdefault((int(row["rail"]), row["plane"]), socket)
        pairs = [
            (socket, by_rail[rail + 1, plane])
            for (rail, plane), socket in by_rail.items()
            if rail % 2 and (rail + 1, plane) in by_rail and hall.plan.take_alike(socket, by_rail[rail + 1, plane])
        ]
        if len(pairs) >= 2:
            for pair in pairs:
                hall.rotate_plugs(list(pair))
            return Laid("rail_groups_exchanged", ", ".join(f"{first} <-> {other}" for first, other in pairs))
    return None


FAULTS = (block_shifted, first_jumpers_shifted, uplinks_low, rail_groups_exchanged)
