"""Actions for ports at which a person has to look: strangers, contradictions, and faults that nothing else explains."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.diagnosis.wording import describe_box, describe_plug, join_in_words, make_end
from fabricgen.verify.sightings import Conflict, SeenPorts, name_port


def _make_action(topology: SeenTopology, ports: list[int], text: str) -> Action:
    # an action to look at some ports, about the cables that are planned there
    cabling = topology.cabling
    cables = sorted({str(cabling.cable_ids[cabling.cable[port >> 1]]) for port in ports if port < topology.first_spare})
    return Action(Kind.PORT, 0, tuple(cables), tuple(make_end(topology, port) for port in ports), text)


def list_stranger_actions(topology: SeenTopology, seen_ports: SeenPorts) -> list[Action]:
    """List actions for planned ports that see devices which are not in the plan.

    Ports that see the same stranger instead of the same planned device are one action.
    """
    ports_by_stranger: dict[tuple[str, int], list[int]] = defaultdict(list)
    for port, stranger in seen_ports.strangers:
        if port < topology.first_spare:
            ports_by_stranger[stranger, int(topology.cabling.device[port ^ 1])].append(port)
    actions = []
    for (stranger, device), ports in sorted(ports_by_stranger.items()):
        planned = describe_box(End(topology.cabling.device_names[device], "", *topology.cabling.find_rack(device)))
        if len(ports) == 1:
            end = describe_plug(make_end(topology, ports[0]))
            planned_port = topology.cabling.name_port(ports[0] ^ 1)
            text = f"{end} sees {stranger}, which is not in the plan, instead of {planned_port}."
        else:
            text = f"{len(ports)} ports that should see {planned} see {stranger}, which is not in the plan."
        actions.append(_make_action(topology, ports, text))
    return actions


def list_conflict_actions(topology: SeenTopology, seen_ports: SeenPorts) -> list[Action]:
    """List actions for ports about which dumps disagree; both sides of one disagreement are one action."""
    actions, done_pairs = [], set[frozenset[int]]()
    for conflict in seen_ports.conflicts:
        pair = frozenset((conflict.port, conflict.sees))
        if pair not in done_pairs:
            done_pairs.add(pair)
            # a port that sees itself is one end
            ends = [port for port in dict.fromkeys((conflict.port, conflict.sees)) if port >= 0]
            actions.append(_make_action(topology, ends, _describe_conflict(topology, seen_ports, conflict)))
    # contradictions between spare ports concern no cable of the plan
    return [action for action in actions if action.cables]


def _describe_conflict(topology: SeenTopology, seen_ports: SeenPorts, conflict: Conflict) -> str:
    """Say which statements of dumps about the port `conflict.port` contradict each other.

    - `sees`: the port that a dump of `conflict.port` names as its neighbour; equal to `conflict.port` if it sees itself
    - `instead`: the port that `sees` is believed to be joined to instead (-1: to none)
    - `beside`: the port that `conflict.port` is believed to be joined to, in spite of that dump (-1: to none)
    - `itself`: whether the dump of `sees` names `instead`, and not only that of `instead` names `sees`
    """
    port, seen_port, instead, beside = (
        name_port(topology.cabling, seen_ports, port) if port >= 0 else ""
        for port in (conflict.port, conflict.sees, conflict.instead, conflict.beside)
    )
    if conflict.port == conflict.sees:
        return f"{port} sees itself: is a loopback plugged in, or are both fibres of one plug joined?"
    sighting = f"{port} is told to be joined to {beside} and to {seen_port}" if beside else f"{port} sees {seen_port}"
    if instead and not conflict.itself:
        return f"{sighting}, which {instead} sees as well: dumps of different times, or two boxes of one name."
    # `itself`: the dump of the port that is seen denies it
    says = (f", which itself sees {instead}" if instead else ", which itself sees nobody") if conflict.itself else ""
    return f"{sighting}{says}: dumps of different times, or fibres that are crossed."


def list_half_known_actions(topology: SeenTopology) -> list[Action]:
    """List actions for ports that see another device than planned, at an unknown port of it."""
    cabling, first_spare = topology.cabling, topology.first_spare
    ports = np.flatnonzero(
        (topology.joined_to[:first_spare] < 0) & (topology.towards[:first_spare] >= 0) & ~topology.odd[:first_spare]
    )
    # `ports ^ 1` are the planned far ports
    ports = ports[topology.towards[ports] != cabling.device[ports ^ 1]]
    actions = []
    for port in ports.tolist():
        seen_device = cabling.device_names[topology.towards[port]]
        plug, planned_there = describe_plug(make_end(topology, port)), cabling.name_port(port ^ 1)
        text = f"{plug} sees {seen_device}, at a port that is not told, instead of {planned_there}."
        actions.append(_make_action(topology, [port], text))
    return actions


def list_unclear_actions(topology: SeenTopology, unclear: list[int]) -> list[Action]:
    """List actions for cables whose links contradict each other; `unclear` are ports at their ends."""
    ends: dict[str, int] = {}
    for end in sorted(unclear):
        ends.setdefault(str(topology.cabling.cable_ids[topology.cabling.cable[end >> 1]]), end)
    return [
        _make_action(
            topology,
            [end],
            f"{describe_plug(make_end(topology, end))}: the links of one plug see different ones: look at the cable.",
        )
        for end in ends.values()
    ]


def list_left_over_actions(topology: SeenTopology, cables: list[int]) -> list[Action]:
    """List actions for cables that are not as planned and that no other action explains."""
    first_ports = dict[int, int]()
    links = np.flatnonzero(np.isin(topology.cabling.cable, np.array(cables, dtype=np.int64)))
    for link in links.tolist():
        first_ports.setdefault(int(topology.cabling.cable[link]), 2 * link)
    return [
        _make_action(
            topology,
            [port, port ^ 1],
            f"look at {describe_plug(make_end(topology, port))} and {describe_plug(make_end(topology, port ^ 1))}.",
        )
        for port in first_ports.values()
    ]


def make_hopeless_action(cables: list[str]) -> Action:
    """Make the single action for a hall that has little in common with the plan."""
    devices = join_in_words(sorted({cable.partition(":")[0] for cable in cables})[:3])
    text = f"{len(cables)} cables are elsewhere, among them those of {devices}: is this the plan of this hall?"
    return Action(Kind.PORT, 0, tuple(cables), (), text)
