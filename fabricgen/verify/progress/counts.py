"""How far each unit and each rack is: `p1/su3: 1,988 of 2,048 verified`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.verify.actions import CableState
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.progress.scope import Scope
from fabricgen.wiring.tables import Flags, Ints, Ints64


@dataclass(frozen=True, slots=True)
class Progress:
    """The cables of one place by state; `earlier` are those that no dump shows now and an earlier report verified."""

    name: str
    states: tuple[int, ...]
    earlier: int = 0

    @property
    def total(self) -> int:
        """Cables of the place."""
        return sum(self.states)

    @property
    def verified(self) -> int:
        """Cables that are right: as planned or harmless, now or in an earlier report."""
        return self.states[CableState.AS_PLANNED] + self.states[CableState.HARMLESS] + self.earlier

    def of(self, state: CableState) -> int:
        """Cables of a state."""
        return self.states[state]

    @property
    def unseen(self) -> int:
        """Cables that neither a dump nor an earlier report shows."""
        return self.states[CableState.UNSEEN] - self.earlier


def whole(scope: Scope, states: Ints, earlier: Flags) -> Progress:
    """The cables of the scope."""
    here = states[scope.cables]
    counts = np.bincount(here, minlength=len(CableState)).tolist()
    return Progress("", tuple(counts), int(np.count_nonzero(earlier & scope.cables)))


def by_unit(plan: PlannedCabling, scope: Scope, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    """Each cable of the scope counted once: in the unit of an end, else in the pod of one, else in the tier."""
    names, unit, depth = _units(plan)
    a, b = plan.device[0::2], plan.device[1::2]
    of_link = np.where(depth[b] > depth[a], unit[b], unit[a])
    of_cable = np.zeros(len(plan.cable_ids), dtype=np.int64)
    of_cable[plan.cable] = of_link
    cables = np.flatnonzero(scope.cables)
    return _counted(names, of_cable[cables], cables, states, earlier)


def by_rack(plan: PlannedCabling, scope: Scope, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    """Each cable of the scope counted once in every rack in which it ends; only racks of the scope, if it has some."""
    names, of_device = racks_of(plan)
    port = np.repeat(scope.cables[plan.cable], 2)
    if scope.devices.any():
        port &= scope.devices[plan.device]
    port &= np.array([bool(name) for name in names], dtype=bool)[of_device][plan.device]
    rack = of_device[plan.device[port]].astype(np.int64)
    pairs = np.sort(rack * len(plan.cable_ids) + np.repeat(plan.cable, 2)[port])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # np.unique takes eight times as long
    return _counted(names, pairs // len(plan.cable_ids), pairs % len(plan.cable_ids), states, earlier)


def racks_of(plan: PlannedCabling) -> tuple[list[str], Ints]:
    """(names of racks in the order of devices, which of them each device is in; int32)."""
    known: dict[str, int] = {}
    rack = [known.setdefault(name, len(known)) for name in plan.devices["rack"].texts().tolist()]
    return list(known), np.array(rack, dtype=np.int32)


def unit_names(plan: PlannedCabling) -> dict[str, str]:
    """The unit, pod or tier of each device, by name."""
    names, unit, _ = _units(plan)
    return {device: names[row] for device, row in zip(plan.device_names, unit.tolist(), strict=True)}


def _units(plan: PlannedCabling) -> tuple[list[str], Ints, Ints]:
    """(names of units, pods and tiers in the order of devices; which of them each device is in, and how deep)."""
    known: dict[str, int] = {}
    unit, depth = [], []
    rows = (plan.devices[name].texts().tolist() for name in ("pod", "su", "fabric", "tier"))
    for pod, su, fabric, tier in zip(*rows, strict=True):
        name = f"{pod}/su{su}" if pod and su else pod or (f"{fabric}.{tier}" if fabric else tier)
        unit.append(known.setdefault(name, len(known)))
        depth.append(2 if pod and su else 1 if pod else 0)
    return list(known), np.array(unit, dtype=np.int32), np.array(depth, dtype=np.int32)


def _counted(names: Sequence[str], group: Ints64, cable: Ints64, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    kinds = len(CableState)
    table = np.bincount(group * kinds + states[cable], minlength=len(names) * kinds).reshape(-1, kinds)
    before = np.bincount(group[earlier[cable]], minlength=len(names))
    rows = zip(names, table.tolist(), before.tolist(), strict=True)
    return tuple(Progress(name, tuple(counts), old) for name, counts, old in rows if sum(counts))


# Where racks stand, so that one walks past each once.


@dataclass(frozen=True)
class RackOrder:
    """The position of each rack in a walk, and where it stands (`h1.R03.07`), by name; no places where not known."""

    order: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def of(self, rack: str) -> tuple[int, str]:
        """Sort key of a rack."""
        return self.order.get(rack, len(self.order)), rack


def rack_order_of(cluster: Cluster) -> RackOrder:
    """The hall of a compiled blueprint, walked as the technician's workbook does."""
    from fabricgen.export.locations import rack_order, rack_places

    racks = cluster.plan.racks
    order = rack_order(racks).tolist()
    places = rack_places(cluster).tolist()
    return RackOrder(dict(zip(racks.names, order, strict=True)), dict(zip(racks.names, places, strict=True)))


def rack_order_in(plan: PlannedCabling) -> RackOrder:
    """The racks of a built folder, in the order of its list of devices."""
    return RackOrder({name: at for at, name in enumerate(racks_of(plan)[0])})
