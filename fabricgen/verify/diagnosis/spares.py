"""Cables of which both plugs are in cages that the plan leaves free: their own place is dark at both ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.verify.actions import Action, Step
from fabricgen.verify.diagnosis.states import dark_links
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.verify.diagnosis.wording import end_of, steps_text, where


def bring_home(topology: Topology) -> list[Step]:
    """Take one plug of each such cable for the one that is planned; the steps that make it so, one a cable.

    Such are links between spare ports of two devices, as many from cage to cage as those of a planned cable between
    the two that is empty at both ends. What is left to be told is the plug at the other end.
    """
    cabling, mate, device = topology.cabling, topology.mate, topology.device
    by_plug: dict[tuple[int, int], list[int]] = defaultdict(list)
    empty = topology.empty[: topology.planned]
    for port in (2 * np.flatnonzero(dark_links(topology) & empty[0::2] & empty[1::2])).tolist():
        by_plug[int(cabling.plug[port]), int(cabling.plug[port + 1])].append(port)
    homes: dict[tuple[frozenset[int], int], list[list[int]]] = defaultdict(list)
    for ports in by_plug.values():
        homes[frozenset(device[[ports[0], ports[0] + 1]].tolist()), len(ports)].append(ports)
    by_cage: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for port in range(topology.planned, topology.size):
        if mate[port] > port and homes:
            ends = [end_of(topology, each) for each in (port, int(mate[port]))]
            by_cage[tuple((end.device, end.connector or end.cage or end.port) for end in ends)].append(port)
    steps = []
    for spares in by_cage.values():
        waiting = homes.get((frozenset(device[[spares[0], mate[spares[0]]]].tolist()), len(spares)))
        if waiting:
            home = [port if device[port] == device[spares[0]] else port + 1 for port in waiting.pop(0)]
            cable = str(cabling.cable_ids[cabling.cable[home[0] >> 1]])
            steps.append(Step(cable, end_of(topology, spares[0]), end_of(topology, home[0])))
            far = mate[spares].copy()
            mate[spares], mate[home], mate[far], topology.empty[home] = -1, far, home, False
    return steps


def with_both_ends(actions: Iterable[Action], steps: Sequence[Step]) -> list[Action]:
    """Actions that move the other plugs of cables that were brought home, with the steps that do."""
    found = []
    for action in actions:
        more = tuple(step for step in steps if step.cable in {other.cable for other in action.steps})
        if not more:
            found.append(action)
            continue
        pulls = {(step.pull.device, step.pull.cage, step.put.device, step.put.cage) for step in more}
        told = replace(
            action,
            moves=action.moves + len(pulls),
            ends=action.ends + tuple(step.pull for step in more),
            steps=action.steps + more,
            text=f"{action.text} Then, at the other end, {where(step.pull for step in more)}: move {steps_text(more)}.",
            alternatives=(),
        )
        found.append(told)
    return found
