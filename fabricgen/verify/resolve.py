"""From sightings to what is plugged where: both directions of every link joined, port by port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import DOWN, SEEN
from fabricgen.verify.identity.names import Ends, Identities, ends_of
from fabricgen.verify.port_numbers import UNKNOWN
from fabricgen.verify.sightings import Conflict, Seen, Sightings, SparePort, Stranger, box_text, capped
from fabricgen.wiring.arrays import Flags, Ints, Ints64

MANY_NEIGHBORS = 200
"""An agent that lists so many may have lost others (sonic-net/sonic-buildimage#24685: above 211 ports)."""


def seen_of(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, catalog: Catalog | None = None
) -> tuple[Seen, tuple[str, ...]]:
    """(what is plugged where; what is to be said of it): see Seen for its columns."""
    ends = ends_of(sightings, identities)
    numbers = _numbered(cabling, ends, identities, sightings.state == SEEN)
    pairs = _pairs(numbers)
    mate, conflicts = _joined(pairs, numbers)
    looped = np.unique(numbers.own[(numbers.own >= 0) & (numbers.own == numbers.far)]).tolist()
    conflicts += tuple(Conflict(port, port, port) for port in looped if mate[port] < 0)
    towards = _towards(mate, numbers, ends)
    listed = _flags(numbers, numbers.own[sightings.state == SEEN])
    dumped, down = _dumped(cabling, sightings, identities, numbers, catalog or Catalog())
    strangers = _strangers(mate, towards, numbers, ends, sightings)
    strange = _flags(numbers, np.array([stranger.port for stranger in strangers], dtype=np.int32))
    silent = dumped & ~listed & ~strange & ~down
    doubtful, notes = _doubtful(cabling, sightings, identities, numbers, silent, mate)
    doubtful &= (mate < 0) & (towards < 0)
    seen = Seen(mate, towards, dumped, down, doubtful, numbers.spare, strangers, conflicts)
    notes += _notes_of_dumps(cabling, sightings, identities)
    notes += _notes_of_contradictions(cabling, sightings, numbers)
    return seen, notes


@dataclass(frozen=True)
class _Numbers:
    """Ports of sightings, planned ones and then spare ones; -1 where they are not known. `device` is by port."""

    own: Ints
    far: Ints
    device: Ints
    spare: tuple[SparePort, ...]
    planned: int


def _numbered(cabling: PlannedCabling, ends: Ends, identities: Identities, sees: Flags) -> _Numbers:
    """The ports of sightings as numbers.

    Spare ones have theirs where devices of the plan see each other there, or a switch of it sees a stranger; hosts may
    have ports in networks of which the plan knows nothing.
    """
    nos = cabling.devices["nos"]
    is_switch = np.r_[nos.vocabulary[nos.codes] != "", False]  # the last entry is that of no device, -1
    names = identities.ports.spare_names()
    count = max(len(names), 1)
    keys = []
    for port, device, other in (
        (ends.own, ends.own_device, ends.far_device),
        (ends.far, ends.far_device, ends.own_device),
    ):
        spare = (port < UNKNOWN) & sees & ((other >= 0) | is_switch[device])
        keys.append((np.flatnonzero(spare), device[spare].astype(np.int64) * count - 2 - port[spare]))
    distinct, inverse = np.unique(np.concatenate([key for _, key in keys]), return_inverse=True)
    own, far = np.maximum(ends.own, -1), np.maximum(ends.far, -1)
    split = len(keys[0][0])
    own[keys[0][0]] = cabling.ports + inverse[:split]
    far[keys[1][0]] = cabling.ports + inverse[split:]
    spare_ports = tuple(SparePort(key // count, names[key % count]) for key in distinct.tolist())
    device = np.concatenate([cabling.device, np.array([each.device for each in spare_ports], dtype=np.int32)])
    return _Numbers(own, far, device, spare_ports, cabling.ports)


def _flags(numbers: _Numbers, ports: Ints) -> Flags:
    found = np.zeros(len(numbers.device), dtype=bool)
    found[ports[ports >= 0]] = True
    return found


class _Pairs(NamedTuple):
    """Distinct pairs of ports that were seen joined, the lower first, and by which side; in order of first sighting."""

    low: Ints64
    high: Ints64
    by_low: Flags
    by_high: Flags


def _pairs(numbers: _Numbers) -> _Pairs:
    both = np.flatnonzero((numbers.own >= 0) & (numbers.far >= 0) & (numbers.own != numbers.far))
    own, far = numbers.own[both].astype(np.int64), numbers.far[both].astype(np.int64)
    key = np.minimum(own, far) * len(numbers.device) + np.maximum(own, far)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
    is_low = (own < far)[order]
    by_low = np.logical_or.reduceat(is_low, first) if len(first) else np.zeros(0, dtype=bool)
    by_high = np.logical_or.reduceat(~is_low, first) if len(first) else np.zeros(0, dtype=bool)
    back = np.argsort(order[first], kind="stable")
    low, high = np.divmod(key[first][back], len(numbers.device))
    return _Pairs(low, high, by_low[back], by_high[back])


def _joined(pairs: _Pairs, numbers: _Numbers) -> tuple[Ints, tuple[Conflict, ...]]:
    """(Mate of every port; conflicts, but for second neighbours of spare ports, of which none is planned.)"""
    mate = np.full(len(numbers.device), -1, dtype=np.int32)
    uses = np.bincount(pairs.low, minlength=len(mate)) + np.bincount(pairs.high, minlength=len(mate))
    clear = (uses[pairs.low] == 1) & (uses[pairs.high] == 1)
    mate[pairs.low[clear]], mate[pairs.high[clear]] = pairs.high[clear], pairs.low[clear]
    rest = np.flatnonzero(~clear)
    low, high = pairs.low[rest], pairs.high[rest]
    by_low, by_high = pairs.by_low[rest], pairs.by_high[rest]
    says = np.bincount(low[by_low], minlength=len(mate)) + np.bincount(high[by_high], minlength=len(mate)) > 0
    denied = (~by_low & says[low]) | (~by_high & says[high])
    planned = (low ^ 1 == high) & (high < numbers.planned)
    said = {*zip(low[by_low].tolist(), high[by_low].tolist(), strict=True)}
    said |= {*zip(high[by_high].tolist(), low[by_high].tolist(), strict=True)}
    conflicts: list[Conflict] = []
    for i in np.lexsort((~planned, denied, ~(by_low & by_high))).tolist():
        a, b = int(low[i]), int(high[i])
        if mate[a] < 0 and mate[b] < 0:
            mate[a], mate[b] = b, a
            continue
        for port, other, says_so in ((a, b, by_low[i]), (b, a, by_high[i])):
            kept, instead = int(mate[port]), int(mate[other])
            if says_so and (port < numbers.planned or (port, kept) not in said):
                conflicts.append(Conflict(port, other, instead, (other, instead) in said, kept))
    return mate, tuple(sorted(conflicts))


def _towards(mate: Ints, numbers: _Numbers, ends: Ends) -> Ints:
    """The device that a port without a known mate sees, or is seen by."""
    towards = np.full(len(mate), -1, dtype=np.int32)
    for port, other, device in (
        (numbers.far, numbers.own, ends.own_device),
        (numbers.own, numbers.far, ends.far_device),
    ):
        at = np.flatnonzero((port >= 0) & (other < 0) & (device >= 0))
        towards[port[at]] = device[at]
    towards[mate >= 0] = -1
    return towards


def _strangers(mate: Ints, towards: Ints, numbers: _Numbers, ends: Ends, sightings: Sightings) -> tuple[Stranger, ...]:
    found: dict[int, str] = {}
    at = np.flatnonzero((numbers.own >= 0) & (sightings.neighbor >= 0) & (ends.far_device < 0))
    for row in at.tolist():
        told = box_text(sightings.boxes[sightings.neighbor[row]], sightings.texts[sightings.far_port[row]])
        found.setdefault(int(numbers.own[row]), told)
    at = np.flatnonzero((numbers.far >= 0) & (ends.own_device < 0))
    for row in at.tolist():
        told = box_text(sightings.boxes[sightings.owner[row]], sightings.texts[sightings.port[row]])
        found.setdefault(int(numbers.far[row]), told)
    return tuple(Stranger(port, told) for port, told in sorted(found.items()) if mate[port] < 0 and towards[port] < 0)


def _dumped(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, numbers: _Numbers, catalog: Catalog
) -> tuple[Flags, Flags]:
    """(ports of which a dump says what they see; ports that a dump says are down)"""
    dumped = _flags(numbers, numbers.own)
    down = _flags(numbers, numbers.own[sightings.state == DOWN])
    whole: dict[str, set[int]] = {}
    for box in sightings.lists_all:
        if (device := int(identities.device[box])) >= 0:
            whole.setdefault(sightings.agents.get(box, "list"), set()).add(device)
    coverage, named = coverage_of(cabling, catalog), _named(cabling, sightings, identities, numbers)
    for agent, devices in whole.items():
        mine = np.zeros(len(cabling.device_names), dtype=bool)
        mine[list(devices)] = True
        dumped[: cabling.ports] |= mine[cabling.device] & coverage.of_agent(agent) & named
    return dumped, down


def _named(cabling: PlannedCabling, sightings: Sightings, identities: Identities, numbers: _Numbers) -> Flags:
    """Planned ports whose silence is theirs: if most ports of a dump have unknown names, it may be one of those.

    A name that was found on another device of its kind is known.
    """
    devices, names, kind = len(cabling.device_names), max(len(cabling.port_texts), 1), identities.ports.kind
    own, sees = identities.device[sightings.owner], sightings.state == SEEN
    unknown = np.bincount(own[sees & (own >= 0) & (numbers.own < 0)], minlength=devices)
    known = np.bincount(own[sees & (own >= 0) & (numbers.own >= 0)], minlength=devices)
    clear = unknown == 0
    clear |= (unknown < known) & (cabling.devices["nos"].vocabulary != "")[cabling.devices["nos"].codes]
    found = np.zeros((int(kind.max(initial=-1)) + 1) * names, dtype=bool)
    name = kind[cabling.device].astype(np.int64) * names + cabling.name
    for ports in (numbers.own, numbers.far):
        found[name[ports[(ports >= 0) & (ports < cabling.ports)]]] = True
    known_name: Flags = clear[cabling.device] | found[name]
    return known_name


def _doubtful(
    cabling: PlannedCabling,
    sightings: Sightings,
    identities: Identities,
    numbers: _Numbers,
    silent: Flags,
    mate: Ints,
) -> tuple[Flags, tuple[str, ...]]:
    """(silent ports of devices whose agent loses neighbours, or may; notes that name those that do)"""
    devices = len(cabling.device_names)
    lldp = np.zeros(devices, dtype=bool)
    owners = [int(identities.device[box]) for box, agent in sightings.agents.items() if agent == "lldp"]
    lldp[[device for device in owners if device >= 0]] = True
    own = identities.device[sightings.owner]
    lists = (sightings.state == SEEN) & (own >= 0)
    listed = _distinct(own[lists].astype(np.int64) * len(sightings.texts) + sightings.port[lists])
    neighbors = np.bincount(listed // max(len(sightings.texts), 1), minlength=devices)
    lost = np.bincount(numbers.device[silent & (mate >= 0)], minlength=devices)
    loses = lldp & (lost > 0)
    notes = [
        f"the agent of {cabling.device_names[device]} lists {neighbors[device]:,} neighbours and lacks "
        f"{lost[device]:,} that see it: its silence proves nothing"
        for device in np.flatnonzero(loses).tolist()
    ]
    doubtful = silent & (loses | (lldp & (neighbors >= MANY_NEIGHBORS)))[numbers.device]
    return doubtful, capped(notes, "agents that lose neighbours")


def _distinct(keys: Ints64) -> Ints64:
    """Distinct keys, sorted: a device that was dumped twice does not have twice as many neighbours."""
    keys = np.sort(keys)
    found: Ints64 = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    return found


def _notes_of_dumps(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> tuple[str, ...]:
    devices = len(cabling.device_names)
    own = identities.device[sightings.owner]
    sees = np.bincount(own[(sightings.state == SEEN) & (own >= 0)], minlength=devices)
    dumped = sorted({int(identities.device[box]) for box in sightings.agents} - {-1})
    notes = [f"the dump of {cabling.device_names[each]} has no neighbour" for each in dumped if not sees[each]]
    return capped(notes, "dumps without a neighbour")


def _notes_of_contradictions(cabling: PlannedCabling, sightings: Sightings, numbers: _Numbers) -> tuple[str, ...]:
    """Dumps that claim to be of one device and say different things of its ports."""
    rows = np.flatnonzero((numbers.own >= 0) & (numbers.far >= 0))
    key = numbers.own[rows].astype(np.int64) * len(numbers.device) + numbers.far[rows]
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    distinct = np.r_[True, key[1:] != key[:-1]][: len(key)]
    rows = rows[distinct]
    several = np.bincount(numbers.own[rows], minlength=len(numbers.device)) > 1
    said: dict[int, list[int]] = {}
    for row in rows[several[numbers.own[rows]]].tolist():
        said.setdefault(int(numbers.own[row]), []).append(int(sightings.owner[row]))
    found: dict[tuple[int, tuple[int, ...]], int] = {}
    for port, owners in said.items():
        boxes = tuple(sorted(set(owners)))
        if len(boxes) > 1:
            what = int(numbers.device[port]), boxes
            found[what] = found.get(what, 0) + 1
    notes = [
        f"{' and '.join(box_text(sightings.boxes[box]) for box in boxes)} are both taken for "
        f"{cabling.device_names[device]}, and contradict each other at {count:,} of its ports"
        for (device, boxes), count in sorted(found.items())
    ]
    return capped(notes, "devices with dumps that contradict each other")


# Which ports of a device its dump speaks of: an LLDP agent sees no InfiniBand, and a host no port of its BMC.


@dataclass(frozen=True)
class Coverage:
    """Flags, one a planned port: whether LLDP agents, or the tables of an InfiniBand subnet, would list it."""

    lldp: Flags
    subnet: Flags

    def of_agent(self, agent: str) -> Flags:
        """Ports that see nobody where a complete dump of their device does not list them."""
        if agent == "list":
            return np.ones(len(self.lldp), dtype=bool)
        return self.subnet if agent == "ib" else self.lldp


def coverage_of(cabling: PlannedCabling, catalog: Catalog) -> Coverage:
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
    return Coverage(lldp=~subnet & ~(is_node & is_node[link]) & ~(is_node & bmc), subnet=subnet & ~is_node)
