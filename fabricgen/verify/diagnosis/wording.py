"""What a technician is told: places and steps in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.verify.actions import Action, End, Kind, Step
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.verify.sightings import Conflict, Seen, place_of

MOST_LISTED = 12
"""A text names so many places or steps; the rest are counted."""

MOST_STEPS = 4
"""The text of an action names so many of its steps, which reports list below it."""


def end_of(topology: Topology, port: int) -> End:
    """A planned or spare port as a place in the hall."""
    if port < topology.planned:
        return topology.cabling.end(port)
    device, text = topology.place(port)
    belongs = int(topology.mate[port]) ^ 1
    plug_there = belongs if topology.mate[port] >= 0 and belongs < topology.planned else -1
    cage, connector = topology.fronts.socket(device, text, plug_there)
    rack = topology.cabling.rack_of(device)
    return End(topology.cabling.device_names[device], text, *rack, cage=cage, connector=connector)


def box(end: End) -> str:
    """A device with its place: `n012 (rack rk03, U7)`."""
    if not end.rack:
        return end.device
    return f"{end.device} (rack {end.rack}{f', U{end.u}' if end.u else ''})"


def plug(end: End) -> str:
    """A port with its device: `n012:eth1 (rack rk03, U7)`."""
    return box(end).replace(end.device, f"{end.device}:{end.port}", 1) if end.port else box(end)


def spot_on_device(end: End) -> str:
    """A port on its device, with the connector of a cage that has several: `Ethernet256 (33/1)`."""
    return f"{end.port} ({end.connector})" if end.connector not in (end.port, end.cage) else end.port


def cage_text(end: End) -> str:
    """A cage with its device: `n012:OSFP1 (rack rk03, U7)`."""
    return plug(replace(end, port=f"cage {end.cage}" if end.cage.isdigit() else end.cage))


def listed(texts: Sequence[str], most: int = MOST_LISTED) -> str:
    """Texts as a list in words, cut where it is long."""
    if len(texts) > most:
        return ", ".join(texts[:most]) + f" and {len(texts) - most} more"
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def steps_text(steps: Sequence[Step], most: int = MOST_LISTED) -> str:
    """`A to B, B to C`; on one device by its ports alone."""
    devices = {end.device for step in steps for end in (step.pull, step.put)}
    if len(devices) == 1:
        return listed([f"{step.pull.port} to {step.put.port}" for step in steps], most)
    return listed([f"{step.pull.device}:{step.pull.port} to {step.put.device}:{step.put.port}" for step in steps], most)


def where(ends: Iterable[End]) -> str:
    """The one device of some ends with its place, or the racks that they are in; "" if not known."""
    ends = list(ends)
    if len({end.device for end in ends}) == 1:
        return box(ends[0])
    racks = sorted({end.rack for end in ends if end.rack})
    return f"{'rack' if len(racks) == 1 else 'racks'} {listed(racks)}" if racks else ""


def run(names: Sequence[str]) -> str:
    """Consecutive ports: `Ethernet4 to Ethernet12`."""
    return f"{names[0]} to {names[-1]}"


# Actions for ports at which a person has to look: strangers, contradictions, and what nothing else explains.


def _action(topology: Topology, ports: list[int], text: str, cables: list[str] | None = None) -> Action:
    cabling = topology.cabling
    if cables is None:
        cables = sorted({str(cabling.cable_ids[cabling.cable[port >> 1]]) for port in ports if port < topology.planned})
    return Action(Kind.PORT, 0, tuple(cables), tuple(end_of(topology, port) for port in ports), text)


def stranger_actions(topology: Topology, seen: Seen) -> list[Action]:
    """Planned ports that see a device that is not in the plan: one action where it stands for one device."""
    met: dict[tuple[str, int], list[int]] = defaultdict(list)
    for port, told in seen.strangers:
        if port < topology.planned:
            met[told, int(topology.cabling.device[port ^ 1])].append(port)
    actions = []
    for (told, device), ports in sorted(met.items()):
        planned = box(End(topology.cabling.device_names[device], "", *topology.cabling.rack_of(device)))
        if len(ports) == 1:
            end = plug(end_of(topology, ports[0]))
            text = f"{end} sees {told}, which is not in the plan, instead of {topology.cabling.place(ports[0] ^ 1)}."
        else:
            text = f"{len(ports)} ports that should see {planned} see {told}, which is not in the plan."
        actions.append(_action(topology, ports, text))
    return actions


def conflict_actions(topology: Topology, seen: Seen) -> list[Action]:
    """Ports of which dumps disagree; both sides of one disagreement are one action."""
    actions, met = [], set[frozenset[int]]()
    for conflict in seen.conflicts:
        pair = frozenset((conflict.port, conflict.sees))
        if pair not in met:
            met.add(pair)
            ends = [port for port in dict.fromkeys(conflict[:2]) if port >= 0]
            actions.append(_action(topology, ends, _disagreement(topology, seen, conflict)))
    return [action for action in actions if action.cables]


def _disagreement(topology: Topology, seen: Seen, conflict: Conflict) -> str:
    """What dumps say of a port that cannot all be so."""
    place, other, instead, beside = (
        place_of(topology.cabling, seen, port) if port >= 0 else "" for port in (*conflict[:3], conflict.beside)
    )
    if conflict.port == conflict.sees:
        return f"{place} sees itself: is a loopback plugged in, or are both fibres of one plug joined?"
    sees = f"{place} is told to be joined to {beside} and to {other}" if beside else f"{place} sees {other}"
    if instead and not conflict.itself:
        return f"{sees}, which {instead} sees as well: dumps of different times, or two boxes of one name."
    says = (f", which itself sees {instead}" if instead else ", which itself sees nobody") * conflict.itself
    return f"{sees}{says}: dumps of different times, or fibres that are crossed."


def half_known_actions(topology: Topology) -> list[Action]:
    """Ports that see a device other than planned, at a port of it that is not known."""
    cabling, planned = topology.cabling, topology.planned
    port = np.flatnonzero((topology.mate[:planned] < 0) & (topology.towards[:planned] >= 0) & ~topology.odd[:planned])
    port = port[topology.towards[port] != cabling.device[port ^ 1]]
    actions = []
    for each in port.tolist():
        sees = cabling.device_names[topology.towards[each]]
        planned_there = cabling.place(each ^ 1)
        text = f"{plug(end_of(topology, each))} sees {sees}, at a port that is not told, instead of {planned_there}."
        actions.append(_action(topology, [each], text))
    return actions


def unclear_actions(topology: Topology, unclear: list[int]) -> list[Action]:
    """Cables of several links whose links tell different stories."""
    ends: dict[str, int] = {}
    for end in sorted(unclear):
        ends.setdefault(str(topology.cabling.cable_ids[topology.cabling.cable[end >> 1]]), end)
    return [
        _action(
            topology,
            [end],
            f"{plug(end_of(topology, end))}: the links of one plug see different ones: look at the cable.",
        )
        for end in ends.values()
    ]


def left_over(topology: Topology, cables: list[int]) -> list[Action]:
    """Cables that are not as planned and that nothing above explains."""
    first = dict[int, int]()
    wanted = np.flatnonzero(np.isin(topology.cabling.cable, np.array(cables, dtype=np.int64)))
    for link in wanted.tolist():
        first.setdefault(int(topology.cabling.cable[link]), 2 * link)
    return [
        _action(
            topology,
            [port, port + 1],
            f"look at {plug(end_of(topology, port))} and {plug(end_of(topology, port + 1))}.",
        )
        for port in first.values()
    ]


def hopeless(cables: list[str]) -> Action:
    """One action for a hall that has little in common with the plan."""
    devices = listed(sorted({cable.partition(":")[0] for cable in cables})[:3])
    text = f"{len(cables)} cables are elsewhere, among them those of {devices}: is this the plan of this hall?"
    return Action(Kind.PORT, 0, tuple(cables), (), text)
