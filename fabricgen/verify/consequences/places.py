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


class Place(NamedTuple):
    """A port of a device of the plan, as numbers; SPARE for a port that the plan does not use."""

    device: int
    port: int


class Places:
    """Looks up ports by name, and links by cable. What was looked up is kept: actions share devices."""

    def __init__(self, cabling: PlannedCabling) -> None:
        self._cabling = cabling
        self._ports: dict[int, dict[str, int]] = {}

    def ports_of(self, device: int) -> dict[str, int]:
        """The planned ports of a device, by name."""
        if device not in self._ports:
            cabling = self._cabling
            self._ports[device] = {cabling.port_text(p): p for p in cabling.ports_of_device(device).tolist()}
        return self._ports[device]

    def port(self, end: End) -> int | None:
        """The planned port at an end; None where the plan has none."""
        device = self._cabling.device_numbers.get(end.device)
        return None if device is None else self.ports_of(device).get(end.port)

    def of_link(self, link: int) -> tuple[Place, Place]:
        """Where the ends of a link are planned."""
        a, b = (Place(int(self._cabling.device[port]), port) for port in (2 * link, 2 * link + 1))
        return a, b

    def now(self, action: Action) -> dict[int, Place]:
        """Where the plug planned in a port is now, of the plugs that an action has to put there.

        A plug of several ports is at as many ports; for exchanged boxes, those of the same name on the other box.
        """
        found: dict[int, Place] = {}
        for step in action.steps:
            found.update(self._of_step(step))
        for told, stands_for in action.renamed.items():
            box, place = (self._cabling.device_numbers.get(name) for name in (told, stands_for))
            if box is not None and place is not None:
                own = self.ports_of(box)
                for name, port in self.ports_of(place).items():
                    found[port] = Place(box, own.get(name, SPARE))
        return found

    def _of_step(self, step: Step) -> Iterable[tuple[int, Place]]:
        put, pull = self.port(step.put), self.port(step.pull)
        device = self._cabling.device_numbers.get(step.pull.device)
        if put is None or device is None or not step.cable:
            return
        plug = self._cabling.ports_of_plug(int(self._cabling.plug[put]))
        there = [] if pull is None else self._cabling.ports_of_plug(int(self._cabling.plug[pull]))
        if len(plug) != len(there):  # into a free cage, or one that is split otherwise
            there = [SPARE if pull is None else pull] * len(plug)
        for port, now in zip(plug, there, strict=True):
            yield port, Place(device, now)

    def links_of(self, cables: Iterable[str]) -> dict[str, list[int]]:
        """The links of some cables, by id, in order; none of an id that the plan does not have."""
        cabling, wanted = self._cabling, set(cables)
        numbers = {number: name for number, name in enumerate(cabling.cable_ids.tolist()) if name in wanted}
        mine = np.zeros(len(cabling.cable_ids), dtype=bool)
        mine[list(numbers)] = True
        found: dict[str, list[int]] = {name: [] for name in wanted}
        for link in np.flatnonzero(mine[cabling.cable]).tolist():
            found[numbers[int(cabling.cable[link])]].append(link)
        return found


# Whether planned cables could be where their plugs were found: their lengths against the runs through the hall.

ROUNDING_M = 1e-6


class Reach:
    """The runs of a cluster's halls."""

    def __init__(self, cabling: PlannedCabling, places: Places, cluster: Cluster) -> None:
        self._cabling, self._places, self._cluster = cabling, places, cluster

    def checked(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Steps that say whether the planned cable reaches from its other end to where its plug is now."""
        found, runs = list(steps), [self._run(step) for step in steps]
        known = [(i, run) for i, run in enumerate(runs) if run]
        if known:
            run_m = self._lengths([(a, b) for _, (a, b, _) in known])
            for (i, (_, _, length_m)), metres in zip(known, run_m.tolist(), strict=True):
                found[i] = replace(steps[i], reaches=length_m >= metres - ROUNDING_M)
        return tuple(found)

    def _run(self, step: Step) -> tuple[int, int, float] | None:
        """(the device at the plug's other end, the device where it is found, the cable's length, m); None: unknown."""
        put, cabling = self._places.port(step.put), self._cabling
        here = cabling.device_numbers.get(step.pull.device)
        if put is None or here is None or not step.cable or step.cable in self._patched:
            return None
        far, length = int(cabling.device[put ^ 1]), str(cabling.of_cable("length_m", put))
        same_site = cabling.of_device("site", far) == cabling.of_device("site", here)
        return (far, here, float(length)) if length and same_site else None

    def _lengths(self, pairs: Sequence[tuple[int, int]]) -> Floats:
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
