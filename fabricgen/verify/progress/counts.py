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

    def count_cables(self, state: CableState) -> int:
        """Cables of a state."""
        return self.states[state]

    @property
    def unseen(self) -> int:
        """Cables that neither a dump nor an earlier report shows."""
        return self.states[CableState.UNSEEN] - self.earlier


def count_total(scope: Scope, states: Ints, earlier: Flags) -> Progress:
    """The cables of the scope."""
    states_here = states[scope.cables]
    counts = np.bincount(states_here, minlength=len(CableState)).tolist()
    return Progress("", tuple(counts), int(np.count_nonzero(earlier & scope.cables)))


def count_by_unit(plan: PlannedCabling, scope: Scope, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    """Each cable of the scope counted once: in the unit of an end, else in the pod of one, else in the tier."""
    names, unit, depth = _list_units(plan)
    a, b = plan.device[0::2], plan.device[1::2]
    # the end in the smaller place, so that a cable from a leaf to a spine counts for the unit of the leaf
    of_link = np.where(depth[b] > depth[a], unit[b], unit[a])
    of_cable = np.zeros(len(plan.cable_ids), dtype=np.int64)
    of_cable[plan.cable] = of_link
    cables = np.flatnonzero(scope.cables)
    return _count_places(names, of_cable[cables], cables, states, earlier)


def count_by_rack(plan: PlannedCabling, scope: Scope, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    """Each cable of the scope counted once in every rack in which it ends; only racks of the scope, if it has some."""
    names, of_device = list_racks(plan)
    # two ports a link
    port = np.repeat(scope.cables[plan.cable], 2)
    if scope.devices.any():
        port &= scope.devices[plan.device]
    port &= np.array([bool(name) for name in names], dtype=bool)[of_device][plan.device]
    rack = of_device[plan.device[port]].astype(np.int64)
    # (rack, cable) as one number: a cable of several links, or with both ends in a rack, counts once there
    pairs = np.sort(rack * len(plan.cable_ids) + np.repeat(plan.cable, 2)[port])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # np.unique takes eight times as long
    return _count_places(names, pairs // len(plan.cable_ids), pairs % len(plan.cable_ids), states, earlier)


def list_racks(plan: PlannedCabling) -> tuple[list[str], Ints]:
    """(names of racks in the order of devices, which of them each device is in; int32)."""
    numbers: dict[str, int] = {}
    rack = [numbers.setdefault(name, len(numbers)) for name in plan.devices["rack"].texts().tolist()]
    return list(numbers), np.array(rack, dtype=np.int32)


def unit_names(plan: PlannedCabling) -> dict[str, str]:
    """The unit, pod or tier of each device, by name."""
    names, unit, _ = _list_units(plan)
    return {device: names[row] for device, row in zip(plan.device_names, unit.tolist(), strict=True)}


def _list_units(plan: PlannedCabling) -> tuple[list[str], Ints, Ints]:
    """(names of units, pods and tiers in the order of devices; which of them each device is in, and how deep)."""
    numbers: dict[str, int] = {}
    unit, depth = [], []
    rows = (plan.devices[name].texts().tolist() for name in ("pod", "su", "fabric", "tier"))
    for pod, su, fabric, tier in zip(*rows, strict=True):
        name = f"{pod}/su{su}" if pod and su else pod or (f"{fabric}.{tier}" if fabric else tier)
        unit.append(numbers.setdefault(name, len(numbers)))
        depth.append(2 if pod and su else 1 if pod else 0)
    return list(numbers), np.array(unit, dtype=np.int32), np.array(depth, dtype=np.int32)


def _count_places(
    names: Sequence[str], group: Ints64, cable: Ints64, states: Ints, earlier: Flags
) -> tuple[Progress, ...]:
    # the progress of each group (a unit or a rack): its cables by state, and those of them that were verified before
    kinds = len(CableState)
    # a table of places by states, counted as one column
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

    def make_key(self, rack: str) -> tuple[int, str]:
        """Sort key of a rack: its position in the walk; racks that the walk does not know come last, by name."""
        return self.order.get(rack, len(self.order)), rack


def find_rack_order(cluster: Cluster) -> RackOrder:
    """The hall of a compiled blueprint, walked as the technician's workbook does."""
    from fabricgen.export.locations import locate_racks, rank_racks

    racks = cluster.plan.racks
    order = rank_racks(racks).tolist()
    places = locate_racks(cluster).tolist()
    return RackOrder(dict(zip(racks.names, order, strict=True)), dict(zip(racks.names, places, strict=True)))


def read_rack_order(plan: PlannedCabling) -> RackOrder:
    """The racks of a built folder, in the order of its list of devices."""
    return RackOrder({name: at for at, name in enumerate(list_racks(plan)[0])})


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

    requested: tuple[str, ...]
    devices: Flags
    cables: Flags
    names: frozenset[str]
    places: frozenset[str]
    cable_ids: frozenset[str]

    def holds_action(self, action: Action) -> bool:
        """Whether an action touches the scope: a cable in it is wrong because of it, or one has to go there."""
        return (
            not self.requested
            or not self.cable_ids.isdisjoint(action.cables)
            or any(end.device in self.places for end in action.ends)
        )

    def names_device(self, text: str) -> bool:
        """Whether a sentence names a device in the scope as DEVICE:PORT."""
        return not self.requested or any(word.partition(":")[0] in self.names for word in text.split())


def find_scope(plan: PlannedCabling, requested: Sequence[str]) -> Scope:
    """The scope of some places.

    Each is a site, a pod, a unit (p1/su3), a rack of it (p1/su3/rack2), a rack, a device, a fabric, or a tier
    (compute.spine). Raises InputError (FG066) for one that the plan does not have.
    """
    wired = np.bincount(plan.cable, minlength=len(plan.cable_ids)) > 0
    if not requested:
        return Scope((), np.ones(len(plan.device_names), dtype=bool), wired, frozenset(), frozenset(), frozenset())
    devices, places = (np.zeros(len(plan.device_names), dtype=bool) for _ in range(2))
    links = np.zeros(len(plan.cable), dtype=bool)
    for text in requested:
        in_place, of_fabric = _find_devices(plan, text), _match_text(plan.links["fabric"], text)
        switches = _match_text(plan.devices["fabric"], text)
        if not in_place.any() and not of_fabric.any() and not switches.any():
            hint = did_you_mean(text, _list_places(plan))
            raise fault("FG066", f"the plan has no place '{text}' to verify", hint=hint)
        places |= in_place
        devices |= in_place | switches
        # a row a link: either of its ends is in the place
        links |= of_fabric | in_place[plan.device].reshape(-1, 2).any(axis=1)
    cables = np.zeros(len(plan.cable_ids), dtype=bool)
    cables[plan.cable[links]] = True
    names = np.array(plan.device_names, dtype=object)
    scope_names, place_names = (frozenset(names[rows].tolist()) for rows in (devices, places))
    return Scope(
        tuple(requested), devices, cables, scope_names, place_names, frozenset(plan.cable_ids[cables].tolist())
    )


def _find_devices(plan: PlannedCabling, text: str) -> Flags:
    """The devices of a place, by row; none of a fabric, whose cables are its own, not all of its switches."""
    columns = plan.devices
    flags = np.zeros(len(plan.device_names), dtype=bool)
    for name in ("device", "rack", "pod", "site"):
        flags |= _match_text(columns[name], text)
    fabric, _, tier = text.partition(".")
    flags |= _match_text(columns["fabric"], fabric) & _match_text(columns["tier"], tier)
    pod, *rest = text.split("/")
    parts = [match.groups() if (match := _PART.match(part)) else ("", part) for part in rest]
    if [kind for kind, _ in parts] in (["su"], ["su", "rack"]):
        flags |= _find_unit(plan, _match_text(columns["pod"], pod), parts)
    return flags


def _find_unit(plan: PlannedCabling, pod: Flags, parts: Sequence[tuple[str, ...]]) -> Flags:
    """The devices of a unit of a pod, or of one of its racks, which are counted from 1 where the unit has nodes."""
    flags = pod & _find_numbered(plan, "su", pod, parts[0][1])
    if len(parts) == 1:
        return flags
    nodes = flags & _match_text(plan.devices["tier"], "node")
    column = plan.devices["rack"]
    # in the order of the plan, in which racks of a unit are counted
    racks = list(dict.fromkeys(column.codes[nodes].tolist()))
    number = len(racks) if parts[1][1] == "last" else int(parts[1][1])
    return flags & (column.codes == racks[number - 1]) if 0 < number <= len(racks) else np.zeros_like(flags)


def _find_numbered(plan: PlannedCabling, name: str, pod: Flags, number: str) -> Flags:
    column = plan.devices[name]
    numbers = [int(text) for text in column.vocabulary[unique_values(column.codes[pod])].tolist() if text]
    return _match_text(column, str(max(numbers, default=0) if number == "last" else int(number)))


def _match_text(column: EncodedColumn, text: str) -> Flags:
    is_equal = np.array([bool(text) and value == text for value in column.vocabulary.tolist()], dtype=bool)
    flags: Flags = is_equal[column.codes] if len(is_equal) else np.zeros(len(column), dtype=bool)
    return flags


def _list_places(plan: PlannedCabling) -> set[str]:
    """Every name of a place that a person may have meant."""
    names: set[str] = set(plan.links["fabric"].vocabulary.tolist())
    for column in ("device", "rack", "pod", "site", "fabric"):
        names |= set(plan.devices[column].vocabulary.tolist())
    rows = (plan.devices[name].texts().tolist() for name in ("pod", "su", "fabric", "tier"))
    for pod, su, fabric, tier in set(zip(*rows, strict=True)):
        names |= {f"{pod}/su{su}" if pod and su else "", f"{fabric}.{tier}" if fabric else ""}
    return names - {""}
