"""From sightings to what is plugged where: both directions of every link joined, port by port."""

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
"""An agent that lists so many may have lost others (sonic-net/sonic-buildimage#24685: above 211 ports)."""


def resolve_sightings(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, catalog: Catalog | None = None
) -> tuple[SeenPorts, tuple[str, ...]]:
    """(what is plugged where; what is to be said of it): see Seen for its columns."""
    ends = number_ends(sightings, identities)
    numbers = _number_ports(cabling, ends, identities, sightings.state == SEEN)
    pairs = _pair_ports(numbers)
    mate, conflicts = _join_ports(pairs, numbers)
    looped = np.unique(numbers.near[(numbers.near >= 0) & (numbers.near == numbers.far)]).tolist()
    conflicts += tuple(Conflict(port, port, port) for port in looped if mate[port] < 0)
    # where no port is known, the device alone
    towards = _find_devices_seen(mate, numbers, ends)
    listed = _flag_ports(numbers, numbers.near[sightings.state == SEEN])
    dumped, down = _find_dumped_ports(cabling, sightings, identities, numbers, catalog or Catalog())
    strangers = _list_strangers(mate, towards, numbers, ends, sightings)
    strange = _flag_ports(numbers, np.array([stranger.port for stranger in strangers], dtype=np.int32))
    silent = dumped & ~listed & ~strange & ~down
    doubtful, notes = _find_doubtful_ports(cabling, sightings, identities, numbers, silent, mate)
    # who is silent by LLDP and heard otherwise is there
    doubtful |= _flag_ports(numbers, numbers.near[sightings.state == HEARD])
    doubtful &= (mate < 0) & (towards < 0)
    seen_ports = SeenPorts(mate, towards, dumped, down, doubtful, numbers.spare, strangers, conflicts)
    notes += _note_empty_dumps(cabling, sightings, identities)
    notes += _note_contradictions(cabling, sightings, numbers)
    return seen_ports, notes


@dataclass(frozen=True)
class _PortNumbering:
    """Ports of sightings, planned ones and then spare ones; -1 where they are not known. `device` is by port."""

    near: Ints
    far: Ints
    device: Ints
    spare: tuple[SparePort, ...]
    planned: int


def _number_ports(cabling: PlannedCabling, ends: SightedEnds, identities: Identities, sees: Flags) -> _PortNumbering:
    """The ports of sightings as numbers.

    Spare ones have theirs where devices of the plan see each other there, or a switch of it sees a stranger; hosts may
    have ports in networks of which the plan knows nothing.
    """
    nos = cabling.devices["nos"]
    is_switch = np.r_[nos.vocabulary[nos.codes] != "", False]  # the last entry is that of no device, -1
    names = identities.ports.spare_names()
    count = max(len(names), 1)
    keys = []
    for port, device, other_device in (
        (ends.near, ends.near_device, ends.far_device),
        (ends.far, ends.far_device, ends.near_device),
    ):
        spare = (port < UNKNOWN) & sees & ((other_device >= 0) | is_switch[device])
        # (device, name) as one number: the name of a spare port v has the number -2 - v, see `spare_names`
        keys.append((np.flatnonzero(spare), device[spare].astype(np.int64) * count - 2 - port[spare]))
    distinct, inverse = np.unique(np.concatenate([key for _, key in keys]), return_inverse=True)
    near, far = np.maximum(ends.near, -1), np.maximum(ends.far, -1)
    # `inverse` has the near ends first, then the far ones
    split = len(keys[0][0])
    near[keys[0][0]] = cabling.ports + inverse[:split]
    far[keys[1][0]] = cabling.ports + inverse[split:]
    spare_ports = tuple(SparePort(key // count, names[key % count]) for key in distinct.tolist())
    device = np.concatenate(
        [cabling.device, np.array([spare_port.device for spare_port in spare_ports], dtype=np.int32)]
    )
    return _PortNumbering(near, far, device, spare_ports, cabling.ports)


def _flag_ports(numbers: _PortNumbering, ports: Ints) -> Flags:
    flags = np.zeros(len(numbers.device), dtype=bool)
    flags[ports[ports >= 0]] = True
    return flags


class _SeenPairs(NamedTuple):
    """Distinct pairs of ports that were seen joined, the lower first, and by which side; in order of first sighting."""

    low: Ints64
    high: Ints64
    by_low: Flags
    by_high: Flags


def _pair_ports(numbers: _PortNumbering) -> _SeenPairs:
    # each pair of ports that see each other, once, and which of the two says so
    paired = np.flatnonzero((numbers.near >= 0) & (numbers.far >= 0) & (numbers.near != numbers.far))
    near, far = numbers.near[paired].astype(np.int64), numbers.far[paired].astype(np.int64)
    # a pair as one number, alike whichever side tells of it
    key = np.minimum(near, far) * len(numbers.device) + np.maximum(near, far)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
    is_low = (near < far)[order]
    by_low = np.logical_or.reduceat(is_low, first) if len(first) else np.zeros(0, dtype=bool)
    by_high = np.logical_or.reduceat(~is_low, first) if len(first) else np.zeros(0, dtype=bool)
    # from the order of keys back to that of first sightings
    # order[first] is the first sighting of each pair
    back = np.argsort(order[first], kind="stable")
    low, high = np.divmod(key[first][back], len(numbers.device))
    return _SeenPairs(low, high, by_low[back], by_high[back])


def _join_ports(pairs: _SeenPairs, numbers: _PortNumbering) -> tuple[Ints, tuple[Conflict, ...]]:
    """(Mate of every port; conflicts, but for second neighbours of spare ports, of which none is planned.)"""
    mate = np.full(len(numbers.device), -1, dtype=np.int32)
    uses = np.bincount(pairs.low, minlength=len(mate)) + np.bincount(pairs.high, minlength=len(mate))
    # nearly all pairs: nobody says anything else of either port
    clear = (uses[pairs.low] == 1) & (uses[pairs.high] == 1)
    mate[pairs.low[clear]], mate[pairs.high[clear]] = pairs.high[clear], pairs.low[clear]
    rest = np.flatnonzero(~clear)
    low, high = pairs.low[rest], pairs.high[rest]
    by_low, by_high = pairs.by_low[rest], pairs.by_high[rest]
    says = np.bincount(low[by_low], minlength=len(mate)) + np.bincount(high[by_high], minlength=len(mate)) > 0
    denied = (~by_low & says[low]) | (~by_high & says[high])
    planned = (low ^ 1 == high) & (high < numbers.planned)
    said_pairs = {*zip(low[by_low].tolist(), high[by_low].tolist(), strict=True)}
    said_pairs |= {*zip(high[by_high].tolist(), low[by_high].tolist(), strict=True)}
    conflicts: list[Conflict] = []
    # the last key counts first: what both ends say, then what nobody denies, then what is planned. The first to take a
    # port keeps it.
    for i in np.lexsort((~planned, denied, ~(by_low & by_high))).tolist():
        a, b = int(low[i]), int(high[i])
        if mate[a] < 0 and mate[b] < 0:
            mate[a], mate[b] = b, a
            continue
        for port, sees, says_so in ((a, b, by_low[i]), (b, a, by_high[i])):
            kept_mate, instead = int(mate[port]), int(mate[sees])
            if says_so and (port < numbers.planned or (port, kept_mate) not in said_pairs):
                conflicts.append(Conflict(port, sees, instead, (sees, instead) in said_pairs, kept_mate))
    return mate, tuple(sorted(conflicts))


def _find_devices_seen(mate: Ints, numbers: _PortNumbering, ends: SightedEnds) -> Ints:
    """The device that a port without a known mate sees, or is seen by."""
    towards = np.full(len(mate), -1, dtype=np.int32)
    # what a port says of itself is written last, over what others say of it
    for port, far_port, device in (
        (numbers.far, numbers.near, ends.near_device),
        (numbers.near, numbers.far, ends.far_device),
    ):
        rows = np.flatnonzero((port >= 0) & (far_port < 0) & (device >= 0))
        towards[port[rows]] = device[rows]
    # a port that is known says more than the device alone
    towards[mate >= 0] = -1
    return towards


def _list_strangers(
    mate: Ints, towards: Ints, numbers: _PortNumbering, ends: SightedEnds, sightings: Sightings
) -> tuple[Stranger, ...]:
    # boxes that no plan has, at the port that sees them or that they see; at most one a port, none where a device is
    # known
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
        Stranger(port, stranger) for port, stranger in sorted(strangers.items()) if mate[port] < 0 and towards[port] < 0
    )


def _find_dumped_ports(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, numbers: _PortNumbering, catalog: Catalog
) -> tuple[Flags, Flags]:
    """(ports of which a dump says what they see; ports that a dump says are down)"""
    dumped = _flag_ports(numbers, numbers.near)
    down = _flag_ports(numbers, numbers.near[sightings.state == DOWN])
    listed_devices: dict[str, set[int]] = {}
    for box in sightings.lists_all:
        if (device := int(identities.device[box])) >= 0:
            listed_devices.setdefault(sightings.agents.get(box, "list"), set()).add(device)
    coverage, named = find_coverage(cabling, catalog), _find_named_ports(cabling, sightings, identities, numbers)
    for agent, devices in listed_devices.items():
        is_listed = np.zeros(len(cabling.device_names), dtype=bool)
        is_listed[list(devices)] = True
        # a device that lists all its neighbours is silent at every port that it does not list
        dumped[: cabling.ports] |= is_listed[cabling.device] & coverage.flag_ports(agent) & named
    return dumped, down


def _find_named_ports(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, numbers: _PortNumbering
) -> Flags:
    """Planned ports whose silence is theirs: if most ports of a dump have unknown names, it may be one of those.

    A name that was found on another device of its kind is known.
    """
    devices, names, kind = len(cabling.device_names), max(len(cabling.port_texts), 1), identities.ports.kind
    owner, sees = identities.device[sightings.owner], sightings.state == SEEN
    unknown_count = np.bincount(owner[sees & (owner >= 0) & (numbers.near < 0)], minlength=devices)
    known_count = np.bincount(owner[sees & (owner >= 0) & (numbers.near >= 0)], minlength=devices)
    clear = unknown_count == 0
    clear |= (unknown_count < known_count) & (cabling.devices["nos"].vocabulary != "")[cabling.devices["nos"].codes]
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
    mate: Ints,
) -> tuple[Flags, tuple[str, ...]]:
    """(silent ports of devices whose agent loses neighbours, or may; notes that name those that do)"""
    devices = len(cabling.device_names)
    lldp = np.zeros(devices, dtype=bool)
    owners = [int(identities.device[box]) for box, agent in sightings.agents.items() if agent == "lldp"]
    lldp[[device for device in owners if device >= 0]] = True
    owner = identities.device[sightings.owner]
    is_listed = (sightings.state == SEEN) & (owner >= 0)
    listed = _drop_duplicates(owner[is_listed].astype(np.int64) * len(sightings.texts) + sightings.port[is_listed])
    neighbors = np.bincount(listed // max(len(sightings.texts), 1), minlength=devices)
    lost = np.bincount(numbers.device[silent & (mate >= 0)], minlength=devices)
    loses = lldp & (lost > 0)
    notes = [
        f"the agent of {cabling.device_names[device]} lists {neighbors[device]:,} neighbours and lacks "
        f"{lost[device]:,} that see it: its silence proves nothing"
        for device in np.flatnonzero(loses).tolist()
    ]
    doubtful = silent & (loses | (lldp & (neighbors >= MANY_NEIGHBORS)))[numbers.device]
    return doubtful, cap_notes(notes, "agents that lose neighbours")


def _drop_duplicates(keys: Ints64) -> Ints64:
    """Distinct keys, sorted: a device that was dumped twice does not have twice as many neighbours."""
    keys = np.sort(keys)
    distinct: Ints64 = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    return distinct


def _note_empty_dumps(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> tuple[str, ...]:
    # notes on devices whose dump names no neighbour at all
    devices = len(cabling.device_names)
    owner = identities.device[sightings.owner]
    sees = np.bincount(owner[(sightings.state == SEEN) & (owner >= 0)], minlength=devices)
    # a BMC tells of ports, and seldom of neighbours; MACs prove some
    listing = (box for box, agent in sightings.agents.items() if agent not in ("redfish", "mac"))
    dumped = sorted({int(identities.device[box]) for box in listing} - {-1})
    notes = [f"the dump of {cabling.device_names[device]} has no neighbour" for device in dumped if not sees[device]]
    return cap_notes(notes, "dumps without a neighbour")


def _note_contradictions(cabling: PlannedCabling, sightings: Sightings, numbers: _PortNumbering) -> tuple[str, ...]:
    """Dumps that claim to be of one device and say different things of its ports."""
    rows = np.flatnonzero((numbers.near >= 0) & (numbers.far >= 0))
    # both ports as one number, so that a pair which several dumps state counts once
    key = numbers.near[rows].astype(np.int64) * len(numbers.device) + numbers.far[rows]
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    distinct = np.r_[True, key[1:] != key[:-1]][: len(key)]
    rows = rows[distinct]
    # a near port with one far port is beyond dispute
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


# Which ports of a device its dump speaks of: an LLDP agent sees no InfiniBand, and a host no port of its BMC.


@dataclass(frozen=True)
class ListedPorts:
    """Flags, one a planned port: whether LLDP agents, or the tables of an InfiniBand subnet, would list it."""

    lldp: Flags
    subnet: Flags

    def flag_ports(self, agent: str) -> Flags:
        """Ports that see nobody where a complete dump of their device does not list them."""
        if agent == "list":
            return np.ones(len(self.lldp), dtype=bool)
        return self.subnet if agent == "ib" else self.lldp


def find_coverage(cabling: PlannedCabling, catalog: Catalog) -> ListedPorts:
    """What dumps of a plan's devices speak of. Links between nodes, as those of accelerators, are seen by neither."""
    nos = cabling.devices["nos"]
    is_node = (nos.vocabulary == "")[nos.codes][cabling.device]
    in_subnets = [bool(name) and catalog.naming(name).dumps.in_subnet for name in nos.vocabulary.tolist()]
    managed = np.array(in_subnets, dtype=bool)[nos.codes][cabling.device]
    texts = [str(text).lower() for text in cabling.port_texts.tolist()]
    management = np.array([text.startswith(("mgmt", "eth0")) for text in texts], dtype=bool)[cabling.name]
    bmc = np.array(["bmc" in text for text in texts], dtype=bool)[cabling.name]
    in_subnet = managed & ~management
    link = np.arange(cabling.ports) ^ 1
    subnet = in_subnet | in_subnet[link]
    return ListedPorts(lldp=~subnet & ~(is_node & is_node[link]) & ~(is_node & bmc), subnet=subnet & ~is_node)
