"""The planned ports that an action speaks of, and where the plugs of their cables are now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.cluster import Cluster
from fabricgen.verify.actions import Action, End, Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.wiring.arrays import Floats
from fabricgen.wiring.cabling.routes import Positions, locate_devices, measure_ways_between

SPARE = -1


class NumberedPort(NamedTuple):
    """A port of a device of the plan, as numbers; SPARE for a port that the plan does not use."""

    device: int
    port: int


class PortNumbersByName:
    """Looks up ports by name, and links by cable. What was looked up is kept: actions share devices."""

    def __init__(self, cabling: PlannedCabling) -> None:
        self._cabling = cabling
        self._ports: dict[int, dict[str, int]] = {}

    def index_ports(self, device: int) -> dict[str, int]:
        """The planned ports of a device, by name."""
        if device not in self._ports:
            cabling = self._cabling
            self._ports[device] = {cabling.port_text(p): p for p in cabling.list_device_ports(device).tolist()}
        return self._ports[device]

    def find_port(self, end: End) -> int | None:
        """The planned port at an end; None where the plan has none."""
        device = self._cabling.device_numbers.get(end.device)
        return None if device is None else self.index_ports(device).get(end.port)

    def list_link_places(self, link: int) -> tuple[NumberedPort, NumberedPort]:
        """Where the ends of a link are planned."""
        a, b = (NumberedPort(int(self._cabling.device[port]), port) for port in (2 * link, 2 * link + 1))
        return a, b

    def find_places(self, action: Action) -> dict[int, NumberedPort]:
        """Where the plug planned in a port is now, of the plugs that an action has to put there.

        A plug of several ports is at as many ports; for exchanged boxes, those of the same name on the other box.
        """
        places_now: dict[int, NumberedPort] = {}
        for step in action.steps:
            places_now.update(self._place_step(step))
        for box_name, stands_for in action.renamed.items():
            box, place = (self._cabling.device_numbers.get(name) for name in (box_name, stands_for))
            if box is not None and place is not None:
                own_ports = self.index_ports(box)
                for name, port in self.index_ports(place).items():
                    places_now[port] = NumberedPort(box, own_ports.get(name, SPARE))
        return places_now

    def _place_step(self, step: Step) -> Iterable[tuple[int, NumberedPort]]:
        # (Planned port, where its plug is now) of each lane of the plug that a step moves; nothing for an unknown place
        put_port, pull_port = self.find_port(step.put), self.find_port(step.pull)
        device = self._cabling.device_numbers.get(step.pull.device)
        if put_port is None or device is None or not step.cable:
            return
        plug = self._cabling.list_plug_ports(int(self._cabling.plug[put_port]))
        current_ports = [] if pull_port is None else self._cabling.list_plug_ports(int(self._cabling.plug[pull_port]))
        if len(plug) != len(current_ports):  # into a free cage, or one that is split otherwise
            current_ports = [SPARE if pull_port is None else pull_port] * len(plug)
        for port, now in zip(plug, current_ports, strict=True):
            yield port, NumberedPort(device, now)

    def list_links(self, cables: Iterable[str]) -> dict[str, list[int]]:
        """The links of some cables, by id, in order; none of an id that the plan does not have."""
        cabling, wanted_ids = self._cabling, set(cables)
        numbers = {number: name for number, name in enumerate(cabling.cable_ids.tolist()) if name in wanted_ids}
        is_wanted = np.zeros(len(cabling.cable_ids), dtype=bool)
        is_wanted[list(numbers)] = True
        links_by_cable: dict[str, list[int]] = {name: [] for name in wanted_ids}
        for link in np.flatnonzero(is_wanted[cabling.cable]).tolist():
            links_by_cable[numbers[int(cabling.cable[link])]].append(link)
        return links_by_cable


# Whether planned cables could be where their plugs were found: their lengths against the runs through the hall.

ROUNDING_M = 1e-6


class Reach:
    """The runs of a cluster's halls."""

    def __init__(self, cabling: PlannedCabling, places: PortNumbersByName, cluster: Cluster) -> None:
        self._cabling, self._places, self._cluster = cabling, places, cluster

    def check_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Steps that say whether the planned cable reaches from its other end to where its plug is now."""
        checked_steps, runs = list(steps), [self._measure_step(step) for step in steps]
        known_runs = [(i, run) for i, run in enumerate(runs) if run]
        if known_runs:
            run_m = self._measure_runs([(a, b) for _, (a, b, _) in known_runs])
            for (i, (_, _, length_m)), metres in zip(known_runs, run_m.tolist(), strict=True):
                checked_steps[i] = replace(steps[i], reaches=length_m >= metres - ROUNDING_M)
        return tuple(checked_steps)

    def _measure_step(self, step: Step) -> tuple[int, int, float] | None:
        """(the device at the plug's other end, the device where it is found, the cable's length, m); None: unknown."""
        put_port, cabling = self._places.find_port(step.put), self._cabling
        device = cabling.device_numbers.get(step.pull.device)
        if put_port is None or device is None or not step.cable or step.cable in self._patched:
            return None
        far, length = int(cabling.device[put_port ^ 1]), str(cabling.read_cable("length_m", put_port))
        same_site = cabling.read_device("site", far) == cabling.read_device("site", device)
        return (far, device, float(length)) if length and same_site else None

    def _measure_runs(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """The shortest way of a cable between pairs of devices, m."""
        a, b = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
        return measure_ways_between(self._positions, self._cluster.plan.racks, self._floor, a, b)

    @property
    def _floor(self) -> Floor:
        return self._cluster.design.loaded.blueprint.floor

    @cached_property
    def _positions(self) -> Positions:
        return locate_devices(self._cluster.plan.devices, self._cluster.plan.racks, self._floor)

    @cached_property
    def _patched(self) -> frozenset[str]:
        """Ids of the cables that go through patch panels: their plugs are those of jumpers."""
        patching = self._cluster.plan.patching
        if patching is None:
            return frozenset()
        ids = self._cluster.cable_ids
        return frozenset(ids[i] for i in np.flatnonzero(patching.policy >= 0).tolist())
