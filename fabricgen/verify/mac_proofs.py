"""What MAC tables prove of plugs: that a port of a host is plugged into a port of a switch, and nothing between.

A MAC that a switch learnt at a port may be behind another switch there. So it proves a plug only where all this holds:

- it is that of one port of one host, by the inventory or a BMC, and no switch that was asked has it at another such
  port;
- no MAC of another port, of a switch or of a stranger is at the same port; those that software makes up (IEEE 802:
  locally administered) are of machines on the host;
- no switch is there: LLDP tells none at the port, and either the switch's own LLDP table, which is whole, lacks the
  port, or all switches of Ethernet gave their MAC tables, of which one between would show the MAC as well;
- the port is a single one, up, not for management, and not of a bond, whose ports share a MAC.

What proves nothing is told, by its reason.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.junos import without_unit
from fabricgen.verify.dumps.sighting import DOWN, HEARD, SEEN, Box, Dump, MacTable, Sighting
from fabricgen.verify.identity.identify import read_identities
from fabricgen.verify.identity.names import KnownAddress, number_ends
from fabricgen.verify.port_numbers import UNKNOWN, PortNumbers, is_mac
from fabricgen.verify.resolve import MANY_NEIGHBORS
from fabricgen.verify.sightings import (
    MANAGEMENT,
    Sightings,
    SightingsBuilder,
    cap_notes,
    describe_box,
    join_sightings,
    list_few,
)

ELSEWHERE = "ports that no cable has by that name, as of bonds and tunnels"
BELOW = "ports that lead to other switches"
IS_DOWN = "ports that are down"
OTHER = "ports of bonds, and ports that see another by LLDP"
UNKNOWN_MACS = "ports with MACs that no inventory and no BMC tells"
SEVERAL = "ports with several MACs, as if something were between"
UNSURE = "ports where a switch could be between: give its LLDP table, or the MAC tables of all switches"
TWICE = "ports of hosts, each seen at several ports"

_NO_PORT = re.compile(r"vx|vtep|vni|vlan|cpu|router|irb|not learned", re.IGNORECASE)
"""What tables have in place of a port for MACs behind a tunnel, and for the switch's own."""

_PASSED_ON = (BELOW, IS_DOWN)
"""Where a MAC is learnt for certain that is not plugged there."""

_SwitchPort = tuple[int, int]
"""A port of a switch: the row of its device, and its number as `PortNumbers.find_ports` has it."""
_HostPort = tuple[int, str]
"""A port of a host by the row of its device and its name; of a switch the name is ""."""


class _Nic(NamedTuple):
    """A port of a host that has a MAC, or a switch (`port` ""): the row of the device, and how its box is told."""

    device: int
    port: str
    box: Box


class _Learnt(NamedTuple):
    """What a switch learnt at a port, which it calls `port`."""

    box: Box
    port: str
    macs: set[str]


@dataclass
class _Heard:
    """What LLDP tells of ports of switches: the devices that each sees, or that see it (-1: a stranger), ports that are
    down, those that say themselves that they see nobody, and devices whose tables lack nobody.
    """

    sees: defaultdict[_SwitchPort, set[int]] = field(default_factory=lambda: defaultdict(set))
    down: set[_SwitchPort] = field(default_factory=set)
    silent: set[_SwitchPort] = field(default_factory=set)
    whole: set[int] = field(default_factory=set)


def prove_plugs(
    cabling: PlannedCabling,
    tables: Sequence[MacTable],
    sightings: Sightings,
    addresses: Sequence[KnownAddress],
    catalog: Catalog,
) -> tuple[Sightings, tuple[str, ...]]:
    """(`sightings`, with the plugs that tables prove, and ports at which somebody is heard; what these do not prove, in
    sentences).

    `addresses`: MACs of ports and switches that were known before.
    """
    if not tables:
        return sightings, ()
    ports, boxes = PortNumbers(cabling, catalog), list(dict.fromkeys(table.box for table in tables))
    rows = read_identities(cabling, boxes, addresses, ports).device.tolist()
    devices, nos = dict(zip(boxes, rows, strict=True)), cabling.devices["nos"].texts().tolist()
    idle = {table: why for table in tables if (why := _find_why_idle(table, devices[table.box], nos))}
    used = [(table, devices[table.box]) for table in tables if table not in idle]
    nics = _list_nics(cabling, used, addresses)
    learnt, unnamed = _collect_learnt(used, ports)
    ethernet = {row for row, name in enumerate(nos) if name and not catalog.naming(name).dumps.in_subnet}
    has_all = ethernet <= {device for table, device in used if not table.of_host}
    judge = _Judge(cabling, nics, _hear_lldp(cabling, sightings, addresses, ports, {key[0] for key in learnt}), has_all)
    reasons, seen_at = defaultdict[str, list[str]](list), defaultdict[_HostPort, list[_SwitchPort]](list)
    clear: dict[_SwitchPort, _HostPort] = {}
    for key, entry in sorted(learnt.items()):
        host_ports = judge.list_host_ports(entry)
        if reason := judge.find_reason(key, entry, host_ports):
            reasons[reason].append(f"{cabling.device_names[key[0]]}:{entry.port}")
        else:
            clear[key] = next(iter(host_ports))
        for host_port in host_ports if reason not in _PASSED_ON else ():
            seen_at[host_port].append(key)
    reasons[ELSEWHERE] += [f"{cabling.device_names[device]}:{port}" for device, port in unnamed]
    proven = {key for key, host_port in clear.items() if len(seen_at[host_port]) == 1}
    twice = dict.fromkeys(host_port for key, host_port in clear.items() if key not in proven)
    reasons[TWICE] += [f"{cabling.device_names[row]}:{port}" for row, port in twice]
    builder = SightingsBuilder()
    for key, entry in learnt.items():
        sighting = Sighting(entry.port, None, state=HEARD)
        if key in proven:
            mac, nic = min((mac, nic) for mac in entry.macs if (nic := nics.get(mac)))
            sighting = Sighting(entry.port, nic.box, nic.port, mac)
        builder.add_dump(Dump(entry.box, [sighting], "mac", lists_all=False))
    for box, device in {device: (table.box, device) for table, device in used if not table.of_host}.values():
        if any(row == device and not _NO_PORT.match(port) for row, port in unnamed):
            heard = [Sighting(cabling.port_text(port), None, state=HEARD) for port in judge.list_bond_ports(device)]
            builder.add_dump(Dump(box, heard, "mac", lists_all=False))
    notes = [f"the MACs of {describe_box(table.box)} are not compared: {why}" for table, why in idle.items()]
    notes += [
        f"not compared by MACs: {len(names):,} {why}: {list_few(names)}" for why, names in reasons.items() if names
    ]
    # how a box knows is told by its last dump: LLDP's silence means more than that of MACs
    return join_sightings([builder.make_sightings(), sightings]), cap_notes(notes, "notes on MACs")


@dataclass
class _Judge:
    """Says of each port whether it proves a plug. `has_all`: every switch of Ethernet gave its MAC table."""

    cabling: PlannedCabling
    nics: Mapping[str, _Nic | None]
    heard: _Heard
    has_all: bool

    @cached_property
    def bonded(self) -> set[tuple[str, str]]:
        """(host, fabric) of each bond: these are called so by `design/names/switches.py:name_bond`."""
        columns, fabrics = self.cabling.addresses(), self.cabling.links["fabric"].vocabulary.tolist()
        bonds = {
            (str(device), str(port).partition(".")[0].removeprefix("bond-"))
            for device, port in zip(columns["device"], columns["port"], strict=True)
            if str(port).startswith("bond-")
        }
        return {(host, fabric) for host, bond in bonds for fabric in fabrics if f"{bond}-".startswith(f"{fabric}-")}

    def list_bond_ports(self, device: int) -> Iterator[int]:
        """Planned ports of a switch to bonds of hosts that speak no LLDP: their MACs are learnt at no port of these."""
        cabling, speaking = self.cabling, set().union(*self.heard.sees.values())
        for port in cabling.list_device_ports(device).tolist():
            host = int(cabling.device[port ^ 1])
            bond = cabling.device_names[host], str(cabling.read_link("fabric", port))
            if bond in self.bonded and host not in speaking:
                yield port

    def list_host_ports(self, entry: _Learnt) -> set[_HostPort]:
        """The ports of hosts whose MACs were learnt at a port."""
        return {nic[:2] for mac in entry.macs if (nic := self.nics.get(mac))}

    def find_reason(self, key: _SwitchPort, entry: _Learnt, host_ports: set[_HostPort]) -> str:
        """Why a port proves no plug; "" for one that does, of the only one in `host_ports`."""
        cabling, hosts = self.cabling, {device for device, _ in host_ports}
        others = self.heard.sees.get(key, set()) - hosts
        leads_on = any(device >= 0 and cabling.read_device("nos", device) for device in others | hosts)
        if leads_on or MANAGEMENT.fullmatch(entry.port):
            return BELOW
        if key in self.heard.down:
            return IS_DOWN
        fabric = "" if key[1] < 0 else cabling.read_link("fabric", key[1])
        bonded = {of for host, of in self.bonded if host in {cabling.device_names[device] for device in hosts}}
        if others or (bonded and fabric in ("", *bonded)):
            return OTHER
        # the second lowest bit of the first byte marks what software made up
        strange = any(mac not in self.nics and not int(mac[1], 16) & 2 for mac in entry.macs)
        if not host_ports:
            return UNKNOWN_MACS
        if len(host_ports) > 1 or strange or any(mac in self.nics and not self.nics[mac] for mac in entry.macs):
            return SEVERAL
        is_asked = key in self.heard.sees or key in self.heard.silent or key[0] in self.heard.whole
        return "" if is_asked or self.has_all else UNSURE


def _find_why_idle(table: MacTable, device: int, nos: Sequence[str]) -> str:
    """Why a table is of no use; "" for one that is."""
    if device < 0:
        return "it is no device of the plan by its name or file"
    if not table.rows:
        return "no port has one; save each resource, or members with them" if table.of_host else "none was learnt"
    return "" if table.of_host or nos[device] else "it is a host, and no switch"


def _list_nics(
    cabling: PlannedCabling, used: Iterable[tuple[MacTable, int]], addresses: Iterable[KnownAddress]
) -> dict[str, _Nic | None]:
    """Whose each MAC is, as the inventory says, else a BMC; None where two devices, or two BMCs, have it."""
    nics: dict[str, _Nic | None] = {}
    for address, name, port in addresses:
        if (device := cabling.device_numbers.get(name, -1)) >= 0 and is_mac(address):
            nics.setdefault(address, _Nic(device, port, Box(chassis=address)))
    stated = dict(nics)
    for table, device in used:
        for mac, port in table.rows if table.of_host else ():
            known = nics.setdefault(mac, _Nic(device, port, table.box))
            if known and known.device == device and (known.port == port or mac in stated):
                continue
            nics[mac] = None
    return nics


def _collect_learnt(
    used: Iterable[tuple[MacTable, int]], ports: PortNumbers
) -> tuple[dict[_SwitchPort, _Learnt], list[tuple[int, str]]]:
    """(What was learnt at each port that has a cable or could have one; others, by device and name.)"""
    rows = [
        (table.box, row, mac, without_unit(port))
        for table, row in used
        if not table.of_host
        for mac, port in table.rows
    ]
    texts = {"": 0}
    codes = np.array([texts.setdefault(port, len(texts)) for *_, port in rows], dtype=np.int32)
    numbers = ports.find_ports(np.array([row for _, row, *_ in rows], dtype=np.int32), codes, tuple(texts))
    learnt, unnamed = dict[_SwitchPort, _Learnt](), dict[tuple[int, str], None]()
    for (box, device, mac, port), number in zip(rows, numbers.tolist(), strict=True):
        if number == UNKNOWN:
            unnamed[device, port] = None
        else:
            learnt.setdefault((device, number), _Learnt(box, port, set())).macs.add(mac)
    return learnt, list(unnamed)


def _hear_lldp(
    cabling: PlannedCabling,
    sightings: Sightings,
    addresses: Sequence[KnownAddress],
    ports: PortNumbers,
    switches: set[int],
) -> _Heard:
    """What LLDP tells of the ports of some switches; boxes count that say themselves who they are."""
    identities = read_identities(cabling, sightings.boxes, addresses, ports)
    ends, heard, asked = number_ends(sightings, identities), _Heard(), np.array(sorted(switches), dtype=np.int32)
    for row in np.flatnonzero(np.isin(ends.near_device, asked)).tolist():
        key = int(ends.near_device[row]), int(ends.near[row])
        if sightings.state[row] == SEEN:
            heard.sees[key].add(int(ends.far_device[row]))
        else:
            (heard.down if sightings.state[row] == DOWN else heard.silent).add(key)
    for row in np.flatnonzero(np.isin(ends.far_device, asked) & (ends.far != UNKNOWN)).tolist():
        heard.sees[int(ends.far_device[row]), int(ends.far[row])].add(int(ends.near_device[row]))
    # of a table in which a port has a name that is not known, that may be any port
    unknown = {device for device, number in heard.sees if number == UNKNOWN}
    counts = np.bincount(ends.near_device[ends.near_device >= 0], minlength=len(cabling.device_names))
    for box in sightings.lists_all:
        device = int(identities.device[box])
        if device in switches - unknown and sightings.agents.get(box) == "lldp" and counts[device] < MANY_NEIGHBORS:
            heard.whole.add(device)
    return heard
