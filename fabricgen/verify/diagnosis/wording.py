"""What a technician is told: places and steps in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fabricgen.verify.actions import End, Step
from fabricgen.verify.diagnosis.topology import SeenTopology

MOST_LISTED = 12
"""The most places or steps that a text names; the others are counted."""

MOST_STEPS = 4
"""The most steps that the text of an action names; reports list all of them below the text."""


def make_end(topology: SeenTopology, port: int) -> End:
    """Return a planned or spare port as a place in the hall."""
    if port < topology.first_spare:
        return topology.cabling.make_end(port)
    device, text = topology.locate_port(port)
    home = int(topology.joined_to[port]) ^ 1  # where the plug that sits here belongs
    plug_port = home if topology.joined_to[port] >= 0 and home < topology.first_spare else -1
    cage, connector = topology.fronts.find_socket(device, text, plug_port)
    return End(
        topology.cabling.device_names[device], text, *topology.cabling.find_rack(device), cage=cage, connector=connector
    )


def describe_box(end: End) -> str:
    """Return a device with its place: `n012 (rack rk03, U7)`."""
    if not end.rack:
        return end.device
    return f"{end.device} (rack {end.rack}{f', U{end.u}' if end.u else ''})"


def describe_plug(end: End) -> str:
    """Return a port with its device and place: `n012:eth1 (rack rk03, U7)`."""
    return describe_box(end).replace(end.device, f"{end.device}:{end.port}", 1) if end.port else describe_box(end)


def describe_port(end: End) -> str:
    """Return a port without its device, and its connector if the cage has several: `Ethernet256 (33/1)`."""
    return f"{end.port} ({end.connector})" if end.connector not in (end.port, end.cage) else end.port


def describe_cage(end: End) -> str:
    """Return a cage with its device and place: `n012:OSFP1 (rack rk03, U7)`."""
    return describe_plug(replace(end, port=f"cage {end.cage}" if end.cage.isdigit() else end.cage))


def join_in_words(texts: Sequence[str], most: int = MOST_LISTED) -> str:
    """Join texts in words (`a, b and c`); of more than `most` texts the others are counted."""
    if len(texts) > most:
        return ", ".join(texts[:most]) + f" and {len(texts) - most} more"
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def describe_steps(steps: Sequence[Step], most: int = MOST_LISTED) -> str:
    """Return moves in words: `A:1 to B:2, B:2 to C:3`, or `1 to 2, 2 to 3` if all are on one device."""
    devices = {end.device for step in steps for end in (step.pull, step.put)}
    if len(devices) == 1:
        return join_in_words([f"{step.pull.port} to {step.put.port}" for step in steps], most)
    return join_in_words(
        [f"{step.pull.device}:{step.pull.port} to {step.put.device}:{step.put.port}" for step in steps], most
    )


def describe_location(ends: Iterable[End]) -> str:
    """Return the device of some ends with its place if it is the only one, else their racks; "" if none is known."""
    ends = list(ends)
    if len({end.device for end in ends}) == 1:
        return describe_box(ends[0])
    racks = sorted({end.rack for end in ends if end.rack})
    return f"{'rack' if len(racks) == 1 else 'racks'} {join_in_words(racks)}" if racks else ""


def describe_run(names: Sequence[str]) -> str:
    """Return the first and the last of consecutive ports: `Ethernet4 to Ethernet12`."""
    return f"{names[0]} to {names[-1]}"
