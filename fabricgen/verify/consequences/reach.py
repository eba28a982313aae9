"""Whether planned cables could be where their plugs were found: their lengths against the runs through the hall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.cluster import Cluster
from fabricgen.verify.actions import Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.consequences.places import Places
from fabricgen.wiring.cabling.routes import Positions, device_positions, way_between
from fabricgen.wiring.tables import Floats

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
        return way_between(self._positions, self._cluster.plan.racks, self._floor, a, b)

    @property
    def _floor(self) -> Floor:
        return self._cluster.design.loaded.blueprint.floor

    @cached_property
    def _positions(self) -> Positions:
        return device_positions(self._cluster.plan.devices, self._cluster.plan.racks, self._floor)

    @cached_property
    def _patched(self) -> frozenset[str]:
        """Ids of the cables that go through patch panels: their plugs are those of jumpers."""
        patching = self._cluster.plan.patching
        if patching is None:
            return frozenset()
        ids = self._cluster.cable_ids
        return frozenset(ids[i] for i in np.flatnonzero(patching.policy >= 0).tolist())
