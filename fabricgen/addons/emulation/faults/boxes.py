"""Boxes and cords that are wrong themselves: exchanged boxes, wrong names, no power, no light."""

from __future__ import annotations

from random import Random

from fabricgen.addons.emulation.faults.laid import Laid, is_dark, list_dark_places, list_places
from fabricgen.addons.emulation.faults.ranges import list_uplinks
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug


def boxes_exchanged(hall: Hall, random: Random) -> Laid | None:
    """Rack two boxes of a model in each other's place, each with its name, and plug what belongs to the place."""
    return _exchange_two(hall, random, "boxes_exchanged")


def names_exchanged(hall: Hall, random: Random) -> Laid | None:
    """Provision two boxes of a model with each other's name: without a serial or MAC, as if they had moved."""
    return _exchange_two(hall, random, "names_exchanged")


def _exchange_two(hall: Hall, random: Random, fault: str) -> Laid | None:
    """Exchange two boxes of one model, tier and fabric that have power and were not moved yet.

    Returns the fault; None if no such two are found in eight tries.
    """
    dark = list_dark_places(hall)
    devices = [device for device in list_places(hall) + list_places(hall, "node") if hall.names[device] == device]
    devices = [device for device in devices if device not in dark]
    # eight tries: most boxes may have no other of their kind
    for first_device in random.sample(devices, len(devices))[:8]:
        row = hall.plan.devices[first_device]
        like_devices = [
            device
            for device in devices
            if device != first_device
            and all(hall.plan.devices[device][field] == row[field] for field in ("model", "tier", "fabric"))
        ]
        if like_devices:
            second_device = random.choice(like_devices)
            hall.exchange_boxes(first_device, second_device)
            return Laid(fault, f"{first_device} <-> {second_device}", boxes=frozenset((first_device, second_device)))
    return None


def _list_right_cords(hall: Hall) -> list[int]:
    """Return the cords that are plugged as planned into the right boxes, as indexes.

    If a dark cord is astray, nobody can see where it belongs.
    """
    return [
        number
        for number, cord in enumerate(hall.plan.cords)
        if not is_dark(hall, number)
        and hall.halves.get(number, number) == number
        and all(hall.at[Plug(number, end)] == home for end, home in enumerate(cord.homes))
        and all(hall.names[home.device] == home.device for home in cord.homes)
    ]


def cable_unplugged(hall: Hall, random: Random) -> Laid | None:
    """Pull one plug of a cord, or all of them."""
    right = _list_right_cords(hall)
    if not right:
        return None
    number = random.choice(right)
    cord = hall.plan.cords[number]
    # all plugs or one; a splitter is pulled at all of its ends
    ends = range(len(cord.homes)) if random.random() < 0.5 or cord.splits else [random.randrange(len(cord.homes))]
    for end in ends:
        hall.pull_plug(Plug(number, end))
    text = " and ".join(str(cord.homes[end]) for end in ends)
    return Laid("cable_unplugged", f"{text} hangs loose", frozenset((number,)))


def cable_dark(hall: Hall, random: Random) -> Laid | None:
    """Let a cord carry no light: one of a cage, both, or all uplinks of a leaf, as of a batch of wrong polarity."""
    right = set(_list_right_cords(hall))
    if not right:
        return None
    leaves = list_places(hall, "leaf")
    if leaves and random.random() < 0.2:
        leaf = random.choice(leaves)
        # a batch that was made wrong fails together, which two cables would not show
        cords = frozenset(hall.plugged[s].cord for s in list_uplinks(hall, leaf))
        if len(cords) > 2 and cords <= right:
            hall.bad |= cords
            return Laid("cable_dark", f"all uplinks of {leaf}", cords)
    number = random.choice(sorted(right))
    cable = hall.plan.cords[number].cable
    both = {n for n in right if hall.plan.cords[n].cable == cable} if random.random() < 0.5 else set()
    cords = frozenset({number} | both)
    hall.bad |= cords
    return Laid("cable_dark", ", ".join(str(hall.plan.cords[n].homes[0]) for n in sorted(cords)), cords)


def device_off(hall: Hall, random: Random) -> Laid | None:
    """Take the power from a leaf or a node all of whose cords are as planned."""
    right = set(_list_right_cords(hall))
    devices = list_places(hall, "leaf", "node")
    for device in random.sample(devices, len(devices))[:8]:
        cords = {n for n, cord in enumerate(hall.plan.cords) if any(home.device == device for home in cord.homes)}
        others = {plug.cord for socket, plug in hall.plugged.items() if socket.device == device}
        if cords and cords == others and cords <= right and hall.names[device] == device:
            hall.off.add(device)
            return Laid("device_off", device, frozenset(cords), frozenset((device,)))
    return None


FAULTS = (boxes_exchanged, names_exchanged, cable_unplugged, cable_dark, device_off)
