"""Cables with both plugs in cages that the plan leaves free, so that their own place is dark at both ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.verify.actions import Action, Step
from fabricgen.verify.diagnosis.states import find_dark_links
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.diagnosis.wording import describe_location, describe_steps, make_end


def pretend_at_planned_ports(topology: SeenTopology) -> list[Step]:
    """Change the topology as if one plug of each cable between spare ports were moved home; return the moves as steps.

    A cable between spare ports of two devices is taken for a planned cable between the two that is silent at both ends
    and has as many links. The plug at the other end is left to be explained as a misplaced plug.
    """
    cabling, joined_to, device = topology.cabling, topology.joined_to, topology.device
    homes = _list_empty_homes(topology)
    steps = []
    for spare_ports in _group_spare_cables(topology) if homes else ():
        free_homes = homes.get(
            (frozenset(device[[spare_ports[0], joined_to[spare_ports[0]]]].tolist()), len(spare_ports))
        )
        if free_homes:
            # homes between the same two devices are filled in order: nothing tells which one a cable was meant for
            home = [port if device[port] == device[spare_ports[0]] else port ^ 1 for port in free_homes.pop(0)]
            cable = str(cabling.cable_ids[cabling.cable[home[0] >> 1]])
            steps.append(Step(cable, make_end(topology, spare_ports[0]), make_end(topology, home[0])))
            # read before it is overwritten: the far end of the cable stays where it is
            far = joined_to[spare_ports].copy()
            joined_to[spare_ports], joined_to[home], joined_to[far], topology.surely_silent[home] = -1, far, home, False
    return steps


_Home = tuple[frozenset[int], int]
"""What a cable and its planned place must have in common: the devices (rows) at its ends, and the number of links."""


def _list_empty_homes(topology: SeenTopology) -> dict[_Home, list[list[int]]]:
    """Return the planned cables silent at both ends, by `_Home`; each is a list of the a ends of its links."""
    cabling, silent = topology.cabling, topology.surely_silent[: topology.first_spare]
    by_plugs: dict[tuple[int, int], list[int]] = defaultdict(list)
    # even entries of a column by port are a ends, odd ones b ends of the same links
    for port in (2 * np.flatnonzero(find_dark_links(topology) & silent[0::2] & silent[1::2])).tolist():
        by_plugs[int(cabling.plug[port]), int(cabling.plug[port ^ 1])].append(port)
    homes: dict[_Home, list[list[int]]] = defaultdict(list)
    for ports in by_plugs.values():
        # cables of one key may stand for each other: the same two devices, as many links
        homes[frozenset(topology.device[[ports[0], ports[0] ^ 1]].tolist()), len(ports)].append(ports)
    return homes


def _group_spare_cables(topology: SeenTopology) -> list[list[int]]:
    """Return the cables seen between spare ports, one for each pair of connectors, as the lower ports of its links."""
    by_cages: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for port in range(topology.first_spare, topology.size):
        # a pair of spare ports is counted once, at its lower one
        if topology.joined_to[port] > port:
            ends = [make_end(topology, seen_port) for seen_port in (port, int(topology.joined_to[port]))]
            by_cages[tuple((end.device, end.connector or end.cage or end.port) for end in ends)].append(port)
    return list(by_cages.values())


def add_steps_home(actions: Iterable[Action], steps: Sequence[Step]) -> list[Action]:
    """Return actions to which the steps of `pretend_at_planned_ports` for the same cables are added."""
    completed = []
    for action in actions:
        steps_home = tuple(step for step in steps if step.cable in {own_step.cable for own_step in action.steps})
        if not steps_home:
            completed.append(action)
            continue
        pulls = {(step.pull.device, step.pull.cage, step.put.device, step.put.cage) for step in steps_home}
        location = describe_location(step.pull for step in steps_home)
        completed_action = replace(
            action,
            moves=action.moves + len(pulls),
            ends=action.ends + tuple(step.pull for step in steps_home),
            steps=action.steps + steps_home,
            text=f"{action.text} Then, at the other end, {location}: move {describe_steps(steps_home)}.",
            alternatives=(),
        )
        completed.append(completed_action)
    return completed
