"""From sightings to what is plugged where: what both ends of each link see is joined, port by port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import DOWN, HEARD, SEEN
from fabricgen.verify.identity.names import Identities, SightedEnds, number_ends
from fabricgen.verify.port_numbers import UNKNOWN
from fabricgen.verify.sightings import Conflict, SeenPorts, Sightings, SparePort, Stranger, cap_notes, describe_box
from fabricgen.wiring.arrays import Flags, Ints, Ints64

MANY_NEIGHBORS = 200
"""An agent that lists this many neighbours may have lost others (sonic-net/sonic-buildimage#24685: above 211 ports)."""


def resolve_sightings(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, catalog: Catalog | None = None
) -> tuple[SeenPorts, tuple[str, ...]]:
    """Find what is plugged where; return it with notes (sentences).

    Notes tell of agents that lose neighbours, of dumps without a neighbour, and of dumps that contradict each other
    about one device. `catalog` serves to tell which planned ports an agent would list.
    """
    ends = number_ends(sightings, identities)
    numbers = _number_ports(cabling, ends, identities, sightings.state == SEEN)
    pairs = _pair_ports(numbers)
    joined_to, conflicts = _join_ports(pairs, numbers)
    looped_ports = np.unique(numbers.near[(numbers.near >= 0) & (numbers.near == numbers.far)]).tolist()
    conflicts += tuple(Conflict(port, port, port) for port in looped_ports if joined_to[port] < 0)
    # if the far port is not known, the device alone
    towards = _find_devices_seen(joined_to, numbers, ends)
    sees_neighbor = _flag_ports(numbers, numbers.near[sightings.state == SEEN])
    is_dumped, is_down = _find_dumped_ports(cabling, sightings, identities, numbers, catalog or Catalog())
    strangers = _list_strangers(joined_to, towards, numbers, ends, sightings)
    sees_stranger = _flag_ports(numbers, np.array([stranger.port for stranger in strangers], dtype=np.int32))
    is_silent = is_dumped & ~sees_neighbor & ~sees_stranger & ~is_down
    is_doubtful, notes = _find_doubtful_ports(cabling, sightings, identities, numbers, is_silent, joined_to)
    # a port where a MAC was heard may be silent by LLDP, and is joined all the same
    is_doubtful |= _flag_ports(numbers, numbers.near[sightings.state == HEARD])
    is_doubtful &= (joined_to < 0) & (towards < 0)
    seen_ports = SeenPorts(joined_to, towards, is_dumped, is_down, is_doubtful, numbers.spare, strangers, conflicts)
    notes += _note_empty_dumps(cabling, sightings, identities)
    notes += _note_contradictions(cabling, sightings, numbers)
    return seen_ports, notes


@dataclass(frozen=True)
class _PortNumbering:
    """The ports of sightings as numbers: planned ports first, then spare ones; -1 if not known.

    `near` and `far` (int32) have one entry for each sighting. `device` (int32, by port) is the row of the device,
    `spare` the spare ports in order, and `planned` the number of planned ports.
    """

    near: Ints
    far: Ints
    device: Ints
    spare: tuple[SparePort, ...]
    planned: int


def _number_ports(cabling: PlannedCabling, ends: SightedEnds, identities: Identities, sees: Flags) -> _PortNumbering:
    """Number the ports of sightings; `sees` (bool, by sighting) says which sightings have a neighbour.

    Planned ports keep their numbers, and spare ports follow them, sorted by device. A spare port is numbered
    if it joins two devices of the plan, or if a planned switch sees a stranger there. Other spare ports of hosts are
    left out (-1): hosts may be in networks that are not in the plan.
    """
    nos_column = cabling.devices["nos"]
    is_switch = np.r_[nos_column.vocabulary[nos_column.codes] != "", False]  # the last entry is read for -1, no device
    names = identities.ports.spare_names()
    name_count = max(len(names), 1)
    # for near ends, then for far ends: (rows of sightings whose port is spare, key of each spare port)
    spare_ends = []
    for port, device, other_device in (
        (ends.near, ends.near_device, ends.far_device),
        (ends.far, ends.far_device, ends.near_device),
    ):
        is_spare = (port < UNKNOWN) & sees & ((other_device >= 0) | is_switch[device])
        # (device, name) as one number: the name of a spare port v has the number -2 - v, see `spare_names`
        spare_ends.append(
            (np.flatnonzero(is_spare), device[is_spare].astype(np.int64) * name_count - 2 - port[is_spare])
        )
    (near_rows, near_keys), (far_rows, far_keys) = spare_ends
    # `key_index` has the near ends first, then the far ones
    distinct_keys, key_index = np.unique(np.concatenate([near_keys, far_keys]), return_inverse=True)
    near_ports, far_ports = np.maximum(ends.near, -1), np.maximum(ends.far, -1)
    near_ports[near_rows] = cabling.ports + key_index[: len(near_rows)]
    far_ports[far_rows] = cabling.ports + key_index[len(near_rows) :]
    spare_ports = tuple(
        SparePort(spare_key // name_count, names[spare_key % name_count]) for spare_key in distinct_keys.tolist()
    )
    device_of_port = np.concatenate(
        [cabling.device, np.array([spare_port.device for spare_port in spare_ports], dtype=np.int32)]
    )
    return _PortNumbering(near_ports, far_ports, device_of_port, spare_ports, cabling.ports)


def _flag_ports(numbers: _PortNumbering, ports: Ints) -> Flags:
    flags = np.zeros(len(numbers.device), dtype=bool)
    flags[ports[ports >= 0]] = True
    return flags


class _SeenPairs(NamedTuple):
    """Distinct pairs of ports that were seen joined, in order of first sighting; int64.

    `low` is the lower port of a pair, `high` the other. `by_low` (bool): `low` sees `high`; `by_high`: `high` sees
    `low`.
    """

    low: Ints64
    high: Ints64
    by_low: Flags
    by_high: Flags


def _pair_ports(numbers: _PortNumbering) -> _SeenPairs:
    """Return the distinct pairs of ports that are seen joined, and which ports of each pair see the other one.

    Sightings with an unknown port (-1) and ports that see themselves are left out.
    """
    joined_rows = np.flatnonzero((numbers.near >= 0) & (numbers.far >= 0) & (numbers.near != numbers.far))
    near_ports, far_ports = numbers.near[joined_rows].astype(np.int64), numbers.far[joined_rows].astype(np.int64)
    # a pair as one number, the same whichever end tells of it
    pair_key = np.minimum(near_ports, far_ports) * len(numbers.device) + np.maximum(near_ports, far_ports)
    key_order = np.argsort(pair_key, kind="stable")
    pair_key = pair_key[key_order]
    first_of_pair = np.flatnonzero(np.r_[True, pair_key[1:] != pair_key[:-1]][: len(pair_key)])
    is_low = (near_ports < far_ports)[key_order]
    by_low = np.logical_or.reduceat(is_low, first_of_pair) if len(first_of_pair) else np.zeros(0, dtype=bool)
    by_high = np.logical_or.reduceat(~is_low, first_of_pair) if len(first_of_pair) else np.zeros(0, dtype=bool)
    # back to the order of sightings: the sort is stable, so that key_order[first_of_pair] is the first of each pair
    by_sighting = np.argsort(key_order[first_of_pair], kind="stable")
    lower_port, higher_port = np.divmod(pair_key[first_of_pair][by_sighting], len(numbers.device))
    return _SeenPairs(lower_port, higher_port, by_low[by_sighting], by_high[by_sighting])


def _join_ports(pairs: _SeenPairs, numbers: _PortNumbering) -> tuple[Ints, tuple[Conflict, ...]]:
    """Return the port at the other end of each port (int32, -1 if unknown), and the conflicts between dumps, sorted.

    Of pairs that share a port, one is kept: one that both ends state, else one that no dump of its ends denies, else a
    planned one. A spare port whose own dump states the kept neighbour may see other neighbours without a conflict.
    """
    joined_to = np.full(len(numbers.device), -1, dtype=np.int32)
    pairs_of_port = np.bincount(pairs.low, minlength=len(joined_to)) + np.bincount(pairs.high, minlength=len(joined_to))
    # nearly all pairs are undisputed: no other pair has either port
    is_undisputed = (pairs_of_port[pairs.low] == 1) & (pairs_of_port[pairs.high] == 1)
    joined_to[pairs.low[is_undisputed]] = pairs.high[is_undisputed]
    joined_to[pairs.high[is_undisputed]] = pairs.low[is_undisputed]
    disputed = np.flatnonzero(~is_undisputed)
    lower_port, higher_port = pairs.low[disputed], pairs.high[disputed]
    by_low, by_high = pairs.by_low[disputed], pairs.by_high[disputed]
    has_dump = (
        np.bincount(lower_port[by_low], minlength=len(joined_to))
        + np.bincount(higher_port[by_high], minlength=len(joined_to))
        > 0
    )
    is_denied = (~by_low & has_dump[lower_port]) | (~by_high & has_dump[higher_port])
    # `port ^ 1` is the far end of a planned link
    is_planned = (lower_port ^ 1 == higher_port) & (higher_port < numbers.planned)
    said_pairs = {*zip(lower_port[by_low].tolist(), higher_port[by_low].tolist(), strict=True)}
    said_pairs |= {*zip(higher_port[by_high].tolist(), lower_port[by_high].tolist(), strict=True)}
    conflicts: list[Conflict] = []
    # the last key of `lexsort` counts first: pairs that both ends state, then pairs that no end denies, then planned
    # pairs. The first pair to take a port keeps it.
    for pair in np.lexsort((~is_planned, is_denied, ~(by_low & by_high))).tolist():
        low_port, high_port = int(lower_port[pair]), int(higher_port[pair])
        if joined_to[low_port] < 0 and joined_to[high_port] < 0:
            joined_to[low_port], joined_to[high_port] = high_port, low_port
            continue
        for port, sees, says_so in ((low_port, high_port, by_low[pair]), (high_port, low_port, by_high[pair])):
            joined_port, joined_far_port = int(joined_to[port]), int(joined_to[sees])
            if says_so and (port < numbers.planned or (port, joined_port) not in said_pairs):
                conflicts.append(
                    Conflict(port, sees, joined_far_port, (sees, joined_far_port) in said_pairs, joined_port)
                )
    return joined_to, tuple(sorted(conflicts))


def _find_devices_seen(joined_to: Ints, numbers: _PortNumbering, ends: SightedEnds) -> Ints:
    """Return, by port, the device that it sees or that sees it, if its far port is not known; else -1; int32."""
    towards = np.full(len(joined_to), -1, dtype=np.int32)
    # what the dump of a port says is written last, over what dumps of its neighbours say
    for port, far_port, device in (
        (numbers.far, numbers.near, ends.near_device),
        (numbers.near, numbers.far, ends.far_device),
    ):
        rows = np.flatnonzero((port >= 0) & (far_port < 0) & (device >= 0))
        towards[port[rows]] = device[rows]
    # a known far port says more than the device alone
    towards[joined_to >= 0] = -1
    return towards


def _list_strangers(
    joined_to: Ints, towards: Ints, numbers: _PortNumbering, ends: SightedEnds, sightings: Sightings
) -> tuple[Stranger, ...]:
    """Return boxes that are not in the plan, each at the port that sees it or that it sees, in the order of ports.

    There is at most one stranger for a port, and none if the device at the port's far end is known.
    """
    strangers: dict[int, str] = {}
    rows = np.flatnonzero((numbers.near >= 0) & (sightings.neighbor >= 0) & (ends.far_device < 0))
    for row in rows.tolist():
        stranger = describe_box(sightings.boxes[sightings.neighbor[row]], sightings.texts[sightings.far_port[row]])
        strangers.setdefault(int(numbers.near[row]), stranger)
    rows = np.flatnonzero((numbers.far >= 0) & (ends.near_device < 0))
    for row in rows.tolist():
        stranger = describe_box(sightings.boxes[sightings.owner[row]], sightings.texts[sightings.port[row]])
        strangers.setdefault(int(numbers.far[row]), stranger)
    return tuple(
        Stranger(port, stranger)
        for port, stranger in sorted(strangers.items())
        if joined_to[port] < 0 and towards[port] < 0
    )


def _find_dumped_ports(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, numbers: _PortNumbering, catalog: Catalog
) -> tuple[Flags, Flags]:
    """Return two flags for each port: whether a dump says what it sees, and whether a dump says that it is down.

    If the dump of a device lists all its neighbours, it also tells that its unlisted planned ports see nobody: those of
    the kind that the dump's agent covers, with names that the dump would use (`_find_named_ports`).
    """
    is_dumped = _flag_ports(numbers, numbers.near)
    is_down = _flag_ports(numbers, numbers.near[sightings.state == DOWN])
    listed_devices: dict[str, set[int]] = {}
    for box in sightings.lists_all:
        if (device := int(identities.device[box])) >= 0:
            listed_devices.setdefault(sightings.agents.get(box, "list"), set()).add(device)
    coverage = find_coverage(cabling, catalog)
    has_known_name = _find_named_ports(cabling, sightings, identities, numbers)
    for agent, devices in listed_devices.items():
        is_listed = np.zeros(len(cabling.device_names), dtype=bool)
        is_listed[list(devices)] = True
        # if a device lists all its neighbours, the ports that it does not list see nobody
        is_dumped[: cabling.ports] |= is_listed[cabling.device] & coverage.flag_ports(agent) & has_known_name
    return is_dumped, is_down


def _find_named_ports(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, numbers: _PortNumbering
) -> Flags:
    """Flag the planned ports that their dump would list by a known name, so that a missing entry means silence.

    A dump is trusted with its names if fewer than half of them are unknown, in a host's none: then all ports of its
    device are flagged. A port of another device is flagged if any dump has its name for a device of the same kind.
    """
    devices, names, kind = len(cabling.device_names), max(len(cabling.port_texts), 1), identities.ports.kind
    owner, sees = identities.device[sightings.owner], sightings.state == SEEN
    unknown_count = np.bincount(owner[sees & (owner >= 0) & (numbers.near < 0)], minlength=devices)
    known_count = np.bincount(owner[sees & (owner >= 0) & (numbers.near >= 0)], minlength=devices)
    clear = unknown_count == 0
    clear |= (unknown_count < known_count) & (cabling.devices["nos"].vocabulary != "")[cabling.devices["nos"].codes]
    # by (kind of device, name of the port) as one number: whether any dump has that name
    is_found = np.zeros((int(kind.max(initial=-1)) + 1) * names, dtype=bool)
    name = kind[cabling.device].astype(np.int64) * names + cabling.name
    for ports in (numbers.near, numbers.far):
        is_found[name[ports[(ports >= 0) & (ports < cabling.ports)]]] = True
    known_name: Flags = clear[cabling.device] | is_found[name]
    return known_name


def _find_doubtful_ports(
    cabling: PlannedCabling,
    sightings: Sightings,
    identities: Identities,
    numbers: _PortNumbering,
    silent: Flags,
    joined_to: Ints,
) -> tuple[Flags, tuple[str, ...]]:
    """Return flags of the silent ports of devices whose LLDP agent may lose neighbours, and notes about agents that do.

    An agent has lost neighbours if some are seen to be at ports that it does not list; it may have if it lists very
    many.
    """
    devices = len(cabling.device_names)
    lldp = np.zeros(devices, dtype=bool)
    owners = [int(identities.device[box]) for box, agent in sightings.agents.items() if agent == "lldp"]
    lldp[[device for device in owners if device >= 0]] = True
    owner = identities.device[sightings.owner]
    is_listed = (sightings.state == SEEN) & (owner >= 0)
    # (device, name of the port) as one number, so that a port which two dumps list counts once
    listed = _drop_duplicates(owner[is_listed].astype(np.int64) * len(sightings.texts) + sightings.port[is_listed])
    neighbors = np.bincount(listed // max(len(sightings.texts), 1), minlength=devices)
    lost = np.bincount(numbers.device[silent & (joined_to >= 0)], minlength=devices)
    has_lost = lldp & (lost > 0)
    notes = [
        f"the agent of {cabling.device_names[device]} lists {neighbors[device]:,} neighbours and lacks "
        f"{lost[device]:,} that see it: its silence proves nothing"
        for device in np.flatnonzero(has_lost).tolist()
    ]
    doubtful = silent & (has_lost | (lldp & (neighbors >= MANY_NEIGHBORS)))[numbers.device]
    return doubtful, cap_notes(notes, "agents that lose neighbours")


def _drop_duplicates(keys: Ints64) -> Ints64:
    """Return the distinct keys, sorted: a device that was dumped twice does not have twice as many neighbours."""
    keys = np.sort(keys)
    distinct: Ints64 = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    return distinct


def _note_empty_dumps(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> tuple[str, ...]:
    """Return notes about devices whose dump names no neighbour; dumps of BMCs and MAC tables do not count."""
    devices = len(cabling.device_names)
    owner = identities.device[sightings.owner]
    sees = np.bincount(owner[(sightings.state == SEEN) & (owner >= 0)], minlength=devices)
    # a BMC tells of ports and seldom of neighbours, and MAC tables prove only some plugs: neither is an empty dump
    listing = (box for box, agent in sightings.agents.items() if agent not in ("redfish", "mac"))
    dumped = sorted({int(identities.device[box]) for box in listing} - {-1})
    notes = [f"the dump of {cabling.device_names[device]} has no neighbour" for device in dumped if not sees[device]]
    return cap_notes(notes, "dumps without a neighbour")


def _note_contradictions(cabling: PlannedCabling, sightings: Sightings, numbers: _PortNumbering) -> tuple[str, ...]:
    """Return notes about dumps that are taken for one device and contradict each other about its ports."""
    rows = np.flatnonzero((numbers.near >= 0) & (numbers.far >= 0))
    # both ports as one number, so that a pair which several dumps state counts once
    key = numbers.near[rows].astype(np.int64) * len(numbers.device) + numbers.far[rows]
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    distinct = np.r_[True, key[1:] != key[:-1]][: len(key)]
    rows = rows[distinct]
    # a near port with one far port is not in dispute
    several = np.bincount(numbers.near[rows], minlength=len(numbers.device)) > 1
    owners_by_port: dict[int, list[int]] = {}
    for row in rows[several[numbers.near[rows]]].tolist():
        owners_by_port.setdefault(int(numbers.near[row]), []).append(int(sightings.owner[row]))
    contradictions: dict[tuple[int, tuple[int, ...]], int] = {}
    for port, owners in owners_by_port.items():
        boxes = tuple(sorted(set(owners)))
        if len(boxes) > 1:
            subject = int(numbers.device[port]), boxes
            contradictions[subject] = contradictions.get(subject, 0) + 1
    notes = [
        f"{' and '.join(describe_box(sightings.boxes[box]) for box in boxes)} are both taken for "
        f"{cabling.device_names[device]}, and contradict each other at {count:,} of its ports"
        for (device, boxes), count in sorted(contradictions.items())
    ]
    return cap_notes(notes, "devices with dumps that contradict each other")


# Which ports of a device its dump would list: an LLDP agent sees no InfiniBand, and a host does not see its BMC's port.


@dataclass(frozen=True)
class ListedPorts:
    """Flags by planned port: whether an LLDP agent, or the tables of an InfiniBand subnet, would list the port."""

    lldp: Flags
    subnet: Flags

    def flag_ports(self, agent: str) -> Flags:
        """Return flags of the ports that a complete dump by this kind of agent (`Dump.agent`) would list."""
        if agent == "list":
            return np.ones(len(self.lldp), dtype=bool)
        return self.subnet if agent == "ib" else self.lldp


def find_coverage(cabling: PlannedCabling, catalog: Catalog) -> ListedPorts:
    """Find which planned ports dumps would list. Neither kind of dump lists links between nodes (accelerator links)."""
    nos = cabling.devices["nos"]
    is_node = (nos.vocabulary == "")[nos.codes][cabling.device]
    in_subnets = [bool(name) and catalog.naming(name).dumps.in_subnet for name in nos.vocabulary.tolist()]
    managed = np.array(in_subnets, dtype=bool)[nos.codes][cabling.device]
    texts = [str(text).lower() for text in cabling.port_texts.tolist()]
    management = np.array([text.startswith(("mgmt", "eth0")) for text in texts], dtype=bool)[cabling.name]
    bmc = np.array(["bmc" in text for text in texts], dtype=bool)[cabling.name]
    in_subnet = managed & ~management
    # a link is in a subnet if the switch at either end is managed there
    far_port = np.arange(cabling.ports) ^ 1
    subnet = in_subnet | in_subnet[far_port]
    return ListedPorts(lldp=~subnet & ~(is_node & is_node[far_port]) & ~(is_node & bmc), subnet=subnet & ~is_node)
