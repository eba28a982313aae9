"""Actions for ports at which a person has to look: strangers, contradictions, and what nothing else explains."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.verify.diagnosis.wording import box, end_of, listed, plug
from fabricgen.verify.sightings import Conflict, Seen, place_of


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
