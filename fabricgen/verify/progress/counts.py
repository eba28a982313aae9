"""Progress of each unit and each rack: `p1/su3: 1,988 of 2,048 verified`."""

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
    """The number of cables of a place by CableState; `earlier` counts unseen ones that earlier reports verified."""

    name: str
    states: tuple[int, ...]
    earlier: int = 0

    @property
    def total(self) -> int:
        """The number of cables of the place."""
        return sum(self.states)

    @property
    def verified(self) -> int:
        """The number of cables that are right: as planned or harmless, now or in an earlier report."""
        return self.states[CableState.AS_PLANNED] + self.states[CableState.HARMLESS] + self.earlier

    def count_cables(self, state: CableState) -> int:
        """Return the number of cables in a state."""
        return self.states[state]

    @property
    def unseen(self) -> int:
        """The number of cables that neither a dump nor an earlier report shows."""
        return self.states[CableState.UNSEEN] - self.earlier


def count_total(scope: Scope, states: Ints, earlier: Flags) -> Progress:
    """Count the cables of the scope; `states` and `earlier` are by cable."""
    states_here = states[scope.cables]
    counts = np.bincount(states_here, minlength=len(CableState)).tolist()
    return Progress("", tuple(counts), int(np.count_nonzero(earlier & scope.cables)))


def count_by_unit(plan: PlannedCabling, scope: Scope, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    """Count each cable of the scope once: in the unit of an end, else in the pod of an end, else in the tier."""
    names, unit, depth = _list_units(plan)
    a, b = plan.device[0::2], plan.device[1::2]
    # the end in the smaller place, so that a cable from a leaf to a spine counts for the unit of the leaf
    unit_of_link = np.where(depth[b] > depth[a], unit[b], unit[a])
    unit_of_cable = np.zeros(len(plan.cable_ids), dtype=np.int64)
    unit_of_cable[plan.cable] = unit_of_link
    cables = np.flatnonzero(scope.cables)
    return _count_places(names, unit_of_cable[cables], cables, states, earlier)


def count_by_rack(plan: PlannedCabling, scope: Scope, states: Ints, earlier: Flags) -> tuple[Progress, ...]:
    """Count the cables of the scope by rack, each cable once in every rack where it ends.

    If the scope has devices, only ends at these count: a scope that is a fabric has none.
    """
    names, rack_of_device = list_racks(plan)
    # flags by port: a link has two
    is_counted = np.repeat(scope.cables[plan.cable], 2)
    if scope.devices.any():
        is_counted &= scope.devices[plan.device]
    is_counted &= np.array([bool(name) for name in names], dtype=bool)[rack_of_device][plan.device]
    rack = rack_of_device[plan.device[is_counted]].astype(np.int64)
    # (rack, cable) as one number: a cable with several links, or with both ends in a rack, counts once there
    pairs = np.sort(rack * len(plan.cable_ids) + np.repeat(plan.cable, 2)[is_counted])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # np.unique takes eight times as long
    return _count_places(names, pairs // len(plan.cable_ids), pairs % len(plan.cable_ids), states, earlier)


def list_racks(plan: PlannedCabling) -> tuple[list[str], Ints]:
    """Return the names of racks in the order of devices, and the rack of each device as an index into them (int32)."""
    numbers: dict[str, int] = {}
    rack = [numbers.setdefault(name, len(numbers)) for name in plan.devices["rack"].texts().tolist()]
    return list(numbers), np.array(rack, dtype=np.int32)


def name_units(plan: PlannedCabling) -> dict[str, str]:
    """Return the name of the unit, pod or tier of each device, by the device's name."""
    names, unit, _ = _list_units(plan)
    return {device: names[row] for device, row in zip(plan.device_names, unit.tolist(), strict=True)}


def _list_units(plan: PlannedCabling) -> tuple[list[str], Ints, Ints]:
    """Return the names of units, pods and tiers in the order of devices, and two int32 columns by device.

    The first is an index into the names; the second is 2 for a unit, 1 for a pod and 0 for a tier.
    """
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
    """Return the progress of each group (a unit or a rack) that has cables.

    `group` and `cable` (int64) have an entry for each cable that counts in a group; `states` and `earlier`, which flags
    cables that were verified before, are by cable.
    """
    state_count = len(CableState)
    # a table of groups by states, counted as one column
    counts_by_state = np.bincount(group * state_count + states[cable], minlength=len(names) * state_count).reshape(
        -1, state_count
    )
    earlier_counts = np.bincount(group[earlier[cable]], minlength=len(names))
    rows = zip(names, counts_by_state.tolist(), earlier_counts.tolist(), strict=True)
    return tuple(Progress(name, tuple(counts), count_earlier) for name, counts, count_earlier in rows if sum(counts))


# Where racks stand, in an order in which a technician walks past each once.


@dataclass(frozen=True)
class RackOrder:
    """The position of each rack in a walk, and where it stands (`h1.R03.07`, if known), by name of the rack."""

    order: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def make_key(self, rack: str) -> tuple[int, str]:
        """Return the sort key of a rack: its position in the walk; unknown racks come last, by name."""
        return self.order.get(rack, len(self.order)), rack


def find_rack_order(cluster: Cluster) -> RackOrder:
    """Find the order of the racks of a compiled blueprint, the same as in the technician's workbook."""
    from fabricgen.export.locations import locate_racks, rank_racks

    racks = cluster.plan.racks
    order = rank_racks(racks).tolist()
    places = locate_racks(cluster).tolist()
    return RackOrder(dict(zip(racks.names, order, strict=True)), dict(zip(racks.names, places, strict=True)))


def read_rack_order(plan: PlannedCabling) -> RackOrder:
    """Return the racks of a built folder in the order of its list of devices."""
    return RackOrder({name: at for at, name in enumerate(list_racks(plan)[0])})


# Which part of a plan a verification is about: `--only p1/su3`.
# A cable is in a place if one of its ends is, and in a fabric if it belongs to the fabric.

_UNIT_OR_RACK = re.compile(r"^(su|rack)-?(\d{1,9}|last)$")


@dataclass(frozen=True)
class Scope:
    """The places that are asked for (none: the whole plan), and what is in them.

    `devices` (bool, by row) and `names` are the devices in the scope; `cables` (bool, by cable of PlannedCabling) and
    `cable_ids` its cables. `places` are the names of devices of which everything is asked for. The switches of a fabric
    are not among these: of a fabric only its cables are asked for, not what else is plugged into its switches. The
    three sets of names are empty if the whole plan is asked for.
    """

    requested: tuple[str, ...]
    devices: Flags
    cables: Flags
    names: frozenset[str]
    places: frozenset[str]
    cable_ids: frozenset[str]

    def holds_action(self, action: Action) -> bool:
        """Whether an action touches the scope: it is about a cable in the scope, or one of its ends is there."""
        return (
            not self.requested
            or not self.cable_ids.isdisjoint(action.cables)
            or any(end.device in self.places for end in action.ends)
        )

    def names_device(self, text: str) -> bool:
        """Whether a sentence names a device in the scope as DEVICE:PORT."""
        return not self.requested or any(word.partition(":")[0] in self.names for word in text.split())


def find_scope(plan: PlannedCabling, requested: Sequence[str]) -> Scope:
    """Find the scope of some places.

    A place is a site, a pod, a unit (p1/su3), a rack of a unit (p1/su3/rack2), a rack, a device, a fabric, or a tier
    (compute.spine). Raises InputError (FG066) for a place that is not in the plan.
    """
    wired = np.bincount(plan.cable, minlength=len(plan.cable_ids)) > 0
    if not requested:
        return Scope((), np.ones(len(plan.device_names), dtype=bool), wired, frozenset(), frozenset(), frozenset())
    devices, places = (np.zeros(len(plan.device_names), dtype=bool) for _ in range(2))
    links = np.zeros(len(plan.cable), dtype=bool)
    for text in requested:
        in_place, fabric_links = _find_devices(plan, text), _match_text(plan.links["fabric"], text)
        switches = _match_text(plan.devices["fabric"], text)
        if not in_place.any() and not fabric_links.any() and not switches.any():
            hint = did_you_mean(text, _list_places(plan))
            raise fault("FG066", f"the plan has no place '{text}' to verify", hint=hint)
        places |= in_place
        devices |= in_place | switches
        # one row for each link: either of its ends is in the place
        links |= fabric_links | in_place[plan.device].reshape(-1, 2).any(axis=1)
    cables = np.zeros(len(plan.cable_ids), dtype=bool)
    cables[plan.cable[links]] = True
    names = np.array(plan.device_names, dtype=object)
    scope_names, place_names = (frozenset(names[rows].tolist()) for rows in (devices, places))
    return Scope(
        tuple(requested), devices, cables, scope_names, place_names, frozenset(plan.cable_ids[cables].tolist())
    )


def _find_devices(plan: PlannedCabling, text: str) -> Flags:
    """Flag the devices of a place, by row; none for a fabric, since other cables of its switches are not its own."""
    columns = plan.devices
    flags = np.zeros(len(plan.device_names), dtype=bool)
    for name in ("device", "rack", "pod", "site"):
        flags |= _match_text(columns[name], text)
    fabric, _, tier = text.partition(".")
    flags |= _match_text(columns["fabric"], fabric) & _match_text(columns["tier"], tier)
    pod, *steps = text.split("/")
    matches = [_UNIT_OR_RACK.match(step) for step in steps]
    if [match and match[1] for match in matches] in (["su"], ["su", "rack"]):
        flags |= _find_unit(plan, _match_text(columns["pod"], pod), *(match[2] for match in matches if match))
    return flags


def _find_unit(plan: PlannedCabling, pod: Flags, unit: str, rack: str = "") -> Flags:
    """Flag the devices of a unit of a pod, or of one of its racks; both are numbers, or `last`.

    Racks are counted from 1 among those with nodes of the unit, in the order of the plan.
    """
    flags = pod & _find_numbered(plan, "su", pod, unit)
    if not rack:
        return flags
    nodes = flags & _match_text(plan.devices["tier"], "node")
    column = plan.devices["rack"]
    racks = list(dict.fromkeys(column.codes[nodes].tolist()))
    number = len(racks) if rack == "last" else int(rack)
    return flags & (column.codes == racks[number - 1]) if 0 < number <= len(racks) else np.zeros_like(flags)


def _find_numbered(plan: PlannedCabling, name: str, pod: Flags, number: str) -> Flags:
    # the devices whose column has a number; `last` is the highest one in the pod
    column = plan.devices[name]
    numbers = [int(text) for text in column.vocabulary[unique_values(column.codes[pod])].tolist() if text]
    return _match_text(column, str(max(numbers, default=0) if number == "last" else int(number)))


def _match_text(column: EncodedColumn, text: str) -> Flags:
    is_equal = np.array([bool(text) and value == text for value in column.vocabulary.tolist()], dtype=bool)
    flags: Flags = is_equal[column.codes] if len(is_equal) else np.zeros(len(column), dtype=bool)
    return flags


def _list_places(plan: PlannedCabling) -> set[str]:
    """Return all names of places that a person may have meant, for a hint."""
    names: set[str] = set(plan.links["fabric"].vocabulary.tolist())
    for column in ("device", "rack", "pod", "site", "fabric"):
        names |= set(plan.devices[column].vocabulary.tolist())
    rows = (plan.devices[name].texts().tolist() for name in ("pod", "su", "fabric", "tier"))
    for pod, su, fabric, tier in set(zip(*rows, strict=True)):
        names |= {f"{pod}/su{su}" if pod and su else "", f"{fabric}.{tier}" if fabric else ""}
    return names - {""}
