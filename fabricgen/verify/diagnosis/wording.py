"""What a technician is told: places and steps in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fabricgen.verify.actions import End, Step
from fabricgen.verify.diagnosis.topology import Topology

MOST_LISTED = 12
"""A text names so many places or steps; the rest are counted."""


def end_of(topology: Topology, port: int) -> End:
    """A planned or spare port as a place in the hall."""
    device, text = topology.place(port)
    cabling = topology.cabling
    rack, unit = rack_of(topology, device)
    if port >= topology.planned:
        return End(cabling.device_names[device], text, rack, unit)
    return End(cabling.device_names[device], text, rack, unit, cabling.cage(port), cabling.label(port))


def rack_of(topology: Topology, device: int) -> tuple[str, int]:
    """The rack and the unit of a device ("" and 0: not known)."""
    unit = str(topology.cabling.of_device("u", device))
    return str(topology.cabling.of_device("rack", device)), int(unit) if unit.isdigit() else 0


def box(end: End) -> str:
    """A device with its place: `n012 (rack rk03, U7)`."""
    if not end.rack:
        return end.device
    return f"{end.device} (rack {end.rack}{f', U{end.u}' if end.u else ''})"


def plug(end: End) -> str:
    """A port with its device: `n012:eth1 (rack rk03, U7)`."""
    return box(end).replace(end.device, f"{end.device}:{end.port}", 1) if end.port else box(end)


def listed(texts: Sequence[str]) -> str:
    """Texts as a list in words, cut where it is long."""
    if len(texts) > MOST_LISTED:
        return ", ".join(texts[:MOST_LISTED]) + f" and {len(texts) - MOST_LISTED} more"
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def steps_text(steps: Sequence[Step]) -> str:
    """`A to B, B to C`; on one device by its ports alone."""
    devices = {end.device for step in steps for end in (step.pull, step.put)}
    if len(devices) == 1:
        return listed([f"{step.pull.port} to {step.put.port}" for step in steps])
    return listed([f"{step.pull.device}:{step.pull.port} to {step.put.device}:{step.put.port}" for step in steps])


def where(ends: Iterable[End]) -> str:
    """The one device of some ends with its place, or the racks that they are in; "" if not known."""
    ends = list(ends)
    if len({end.device for end in ends}) == 1:
        return box(ends[0])
    racks = sorted({end.rack for end in ends if end.rack})
    return f"{'rack' if len(racks) == 1 else 'racks'} {listed(racks)}" if racks else ""


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts port names as on the front of a device: eth2 before eth10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part]


def run(names: Sequence[str]) -> str:
    """Consecutive ports: `Ethernet4 to Ethernet12`."""
    return f"{names[0]} to {names[-1]}"
