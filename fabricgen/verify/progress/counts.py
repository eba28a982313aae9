"""How far each unit and each rack is: `p1/su3: 1,988 of 2,048 verified`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.numbering.lazy_columns import EncodedColumn
from fabricgen.verify.actions import Action, CableState
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_values


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
    from fabricgen.export.locations import locate_racks, rank_racks

    racks = cluster.plan.racks
    order = rank_racks(racks).tolist()
    places = locate_racks(cluster).tolist()
    return RackOrder(dict(zip(racks.names, order, strict=True)), dict(zip(racks.names, places, strict=True)))


def rack_order_in(plan: PlannedCabling) -> RackOrder:
    """The racks of a built folder, in the order of its list of devices."""
    return RackOrder({name: at for at, name in enumerate(racks_of(plan)[0])})


# What part of a plan a verification is about: `--only p1/su3`.
# A cable is in a place when either of its ends is, and in a fabric when it is the fabric's. What no dump shows is
# counted within the scope alone.

_PART = re.compile(r"^(su|rack)-?(\d{1,9}|last)$")


@dataclass(frozen=True)
class Scope:
    """The places asked for (none: the whole plan), and what is in them: devices by row, cables by PlannedCabling.

    `names` are the devices in them, `places` those of them that are there by place: of a fabric only its cables are
    asked for, not what else its switches have.
    """

    asked: tuple[str, ...]
    devices: Flags
    cables: Flags
    names: frozenset[str]
    places: frozenset[str]
    cable_ids: frozenset[str]

    def holds(self, action: Action) -> bool:
        """Whether an action touches the scope: a cable in it is wrong because of it, or one has to go there."""
        return (
            not self.asked
            or not self.cable_ids.isdisjoint(action.cables)
            or any(end.device in self.places for end in action.ends)
        )

    def tells(self, text: str) -> bool:
        """Whether a sentence names a device in the scope as DEVICE:PORT."""
        return not self.asked or any(word.partition(":")[0] in self.names for word in text.split())


def scope_of(plan: PlannedCabling, asked: Sequence[str]) -> Scope:
    """The scope of some places.

    Each is a site, a pod, a unit (p1/su3), a rack of it (p1/su3/rack2), a rack, a device, a fabric, or a tier
    (compute.spine). Raises InputError (FG066) for one that the plan does not have.
    """
    wired = np.bincount(plan.cable, minlength=len(plan.cable_ids)) > 0
    if not asked:
        return Scope((), np.ones(len(plan.device_names), dtype=bool), wired, frozenset(), frozenset(), frozenset())
    devices, places = (np.zeros(len(plan.device_names), dtype=bool) for _ in range(2))
    links = np.zeros(len(plan.cable), dtype=bool)
    for text in asked:
        here, own = _devices(plan, text), _equal(plan.links["fabric"], text)
        switches = _equal(plan.devices["fabric"], text)
        if not here.any() and not own.any() and not switches.any():
            hint = did_you_mean(text, _places(plan))
            raise fault("FG066", f"the plan has no place '{text}' to verify", hint=hint)
        places |= here
        devices |= here | switches
        links |= own | here[plan.device].reshape(-1, 2).any(axis=1)
    cables = np.zeros(len(plan.cable_ids), dtype=bool)
    cables[plan.cable[links]] = True
    names = np.array(plan.device_names, dtype=object)
    told, there = (frozenset(names[rows].tolist()) for rows in (devices, places))
    return Scope(tuple(asked), devices, cables, told, there, frozenset(plan.cable_ids[cables].tolist()))


def _devices(plan: PlannedCabling, text: str) -> Flags:
    """The devices of a place, by row; none of a fabric, whose cables are its own, not all of its switches."""
    columns = plan.devices
    found = np.zeros(len(plan.device_names), dtype=bool)
    for name in ("device", "rack", "pod", "site"):
        found |= _equal(columns[name], text)
    fabric, _, tier = text.partition(".")
    found |= _equal(columns["fabric"], fabric) & _equal(columns["tier"], tier)
    pod, *rest = text.split("/")
    parts = [match.groups() if (match := _PART.match(part)) else ("", part) for part in rest]
    if [kind for kind, _ in parts] in (["su"], ["su", "rack"]):
        found |= _unit(plan, _equal(columns["pod"], pod), parts)
    return found


def _unit(plan: PlannedCabling, pod: Flags, parts: Sequence[tuple[str, ...]]) -> Flags:
    """The devices of a unit of a pod, or of one of its racks, which are counted from 1 where the unit has nodes."""
    found = pod & _nth(plan, "su", pod, parts[0][1])
    if len(parts) == 1:
        return found
    nodes = found & _equal(plan.devices["tier"], "node")
    column = plan.devices["rack"]
    racks = list(dict.fromkeys(column.codes[nodes].tolist()))
    number = len(racks) if parts[1][1] == "last" else int(parts[1][1])
    return found & (column.codes == racks[number - 1]) if 0 < number <= len(racks) else np.zeros_like(found)


def _nth(plan: PlannedCabling, name: str, pod: Flags, number: str) -> Flags:
    column = plan.devices[name]
    there = [int(text) for text in column.vocabulary[unique_values(column.codes[pod])].tolist() if text]
    return _equal(column, str(max(there, default=0) if number == "last" else int(number)))


def _equal(column: EncodedColumn, text: str) -> Flags:
    same = np.array([bool(text) and each == text for each in column.vocabulary.tolist()], dtype=bool)
    found: Flags = same[column.codes] if len(same) else np.zeros(len(column), dtype=bool)
    return found


def _places(plan: PlannedCabling) -> set[str]:
    """Every name of a place that a person may have meant."""
    names: set[str] = set(plan.links["fabric"].vocabulary.tolist())
    for column in ("device", "rack", "pod", "site", "fabric"):
        names |= set(plan.devices[column].vocabulary.tolist())
    rows = (plan.devices[name].texts().tolist() for name in ("pod", "su", "fabric", "tier"))
    for pod, su, fabric, tier in set(zip(*rows, strict=True)):
        names |= {f"{pod}/su{su}" if pod and su else "", f"{fabric}.{tier}" if fabric else ""}
    return names - {""}
