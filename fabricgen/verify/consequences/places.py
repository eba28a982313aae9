"""The planned ports that an action is about, and where the plugs of their cables are now."""

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
"""Stands in place of the number of a port that the plan does not use."""


class NumberedPort(NamedTuple):
    """A planned device (row) and a port of it; the port is SPARE if the plan does not use it."""

    device: int
    port: int


class PortNumbersByName:
    """Looks up ports by name, and links by cable. Names are cached by device, since actions share devices."""

    def __init__(self, cabling: PlannedCabling) -> None:
        self._cabling = cabling
        self._ports: dict[int, dict[str, int]] = {}

    def index_ports(self, device: int) -> dict[str, int]:
        """Return the planned ports of a device, by name."""
        if device not in self._ports:
            cabling = self._cabling
            self._ports[device] = {cabling.port_text(p): p for p in cabling.list_device_ports(device).tolist()}
        return self._ports[device]

    def find_port(self, end: End) -> int | None:
        """Return the planned port at an end; None if the plan has none there."""
        device = self._cabling.device_numbers.get(end.device)
        return None if device is None else self.index_ports(device).get(end.port)

    def list_link_places(self, link: int) -> tuple[NumberedPort, NumberedPort]:
        """Return where the a end and the b end of a link are planned."""
        a, b = (NumberedPort(int(self._cabling.device[port]), port) for port in (2 * link, 2 * link + 1))
        return a, b

    def find_places(self, action: Action) -> dict[int, NumberedPort]:
        """Return, by planned port, where its plug is now, for all plugs that an action moves.

        A plug with several ports has an entry for each. If box A stands in the place of device B, the plug planned in a
        port of B is in the port of that name on A.
        """
        places_now: dict[int, NumberedPort] = {}
        for step in action.steps:
            places_now.update(self._place_step(step))
        for box_name, stands_for in action.renamed.items():
            box, planned = (self._cabling.device_numbers.get(name) for name in (box_name, stands_for))
            if box is not None and planned is not None:
                box_ports = self.index_ports(box)
                for name, port in self.index_ports(planned).items():
                    places_now[port] = NumberedPort(box, box_ports.get(name, SPARE))
        return places_now

    def _place_step(self, step: Step) -> Iterable[tuple[int, NumberedPort]]:
        """Yield, for each lane of the plug that a step moves, the planned port and the port where its plug is now.

        If the plug is in a free cage, or in a cage that is split differently, each lane is at the port of the step.
        Nothing is yielded if a port or the device is unknown, or if the step is for no planned cable.
        """
        put_port, pull_port = self.find_port(step.put), self.find_port(step.pull)
        device = self._cabling.device_numbers.get(step.pull.device)
        if put_port is None or device is None or not step.cable:
            return
        planned_ports = self._cabling.list_plug_ports(int(self._cabling.plug[put_port]))
        current_ports = [] if pull_port is None else self._cabling.list_plug_ports(int(self._cabling.plug[pull_port]))
        if len(planned_ports) != len(current_ports):  # the plug is in a free cage, or in one that is split differently
            current_ports = [SPARE if pull_port is None else pull_port] * len(planned_ports)
        for port, current_port in zip(planned_ports, current_ports, strict=True):
            yield port, NumberedPort(device, current_port)

    def list_links(self, cables: Iterable[str]) -> dict[str, list[int]]:
        """Return the links of some cables, by cable id, in order; [] for an id that the plan does not have."""
        cabling, wanted_ids = self._cabling, set(cables)
        numbers = {number: name for number, name in enumerate(cabling.cable_ids.tolist()) if name in wanted_ids}
        is_wanted = np.zeros(len(cabling.cable_ids), dtype=bool)
        is_wanted[list(numbers)] = True
        links_by_cable: dict[str, list[int]] = {name: [] for name in wanted_ids}
        for link in np.flatnonzero(is_wanted[cabling.cable]).tolist():
            links_by_cable[numbers[int(cabling.cable[link])]].append(link)
        return links_by_cable


# Whether planned cables are long enough to be where their plugs were found.

ROUNDING_M = 1e-6
"""By how much a way may be longer than a cable that reaches, m: ways are sums of rounded numbers."""


class Reach:
    """Compares the lengths of planned cables with the ways between devices in a cluster's halls."""

    def __init__(self, cabling: PlannedCabling, places: PortNumbersByName, cluster: Cluster) -> None:
        self._cabling, self._places, self._cluster = cabling, places, cluster

    def check_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Return steps that say whether the planned cable reaches from its other end to where its plug is now."""
        checked_steps, runs = list(steps), [self._find_run(step) for step in steps]
        known_runs = [(i, run) for i, run in enumerate(runs) if run]
        if known_runs:
            run_m = self._measure_runs([(a, b) for _, (a, b, _) in known_runs])
            for (i, (_, _, length_m)), metres in zip(known_runs, run_m.tolist(), strict=True):
                checked_steps[i] = replace(steps[i], reaches=length_m >= metres - ROUNDING_M)
        return tuple(checked_steps)

    def _find_run(self, step: Step) -> tuple[int, int, float] | None:
        """Return (device at the plug's other end, device where the plug is found, length of the planned cable, m).

        None if a place or the length is not known, the cable is patched, or the devices are at different sites.
        """
        put_port, cabling = self._places.find_port(step.put), self._cabling
        device = cabling.device_numbers.get(step.pull.device)
        if put_port is None or device is None or not step.cable or step.cable in self._patched:
            return None
        far_device, length = int(cabling.device[put_port ^ 1]), str(cabling.read_cable("length_m", put_port))
        same_site = cabling.read_device("site", far_device) == cabling.read_device("site", device)
        return (far_device, device, float(length)) if length and same_site else None

    def _measure_runs(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return the shortest way of a cable between each pair of devices, m; float64."""
        a, b = (np.array(devices, dtype=np.int64) for devices in zip(*pairs, strict=True))
        return measure_ways_between(self._positions, self._cluster.plan.racks, self._floor, a, b)

    @property
    def _floor(self) -> Floor:
        return self._cluster.design.loaded.blueprint.floor

    @cached_property
    def _positions(self) -> Positions:
        return locate_devices(self._cluster.plan.devices, self._cluster.plan.racks, self._floor)

    @cached_property
    def _patched(self) -> frozenset[str]:
        """Ids of the cables that go through patch panels: their plugs belong to jumpers."""
        patching = self._cluster.plan.patching
        if patching is None:
            return frozenset()
        ids = self._cluster.cable_ids
        return frozenset(ids[i] for i in np.flatnonzero(patching.policy >= 0).tolist())
