"""What MAC tables prove about plugs: that a host's port is plugged directly into a switch's port.

A MAC that a switch learnt at a port may be behind another switch there. So it proves a plug only if all of this holds:

- by the inventory or a BMC, the MAC is that of one port of one host, and no switch has it at another port that could
  be the plug;
- no MAC of another host port, of a switch or of a stranger is at the same switch port (MACs that software makes up,
  "locally administered" in IEEE 802, belong to machines on the host and do not count);
- no other switch is between: LLDP sees none at the port, and either the switch's LLDP table is complete and lacks the
  port, or all Ethernet switches gave their MAC tables, so that one in between would show the MAC as well;
- the switch port is a single port, up, not for management, and not in a bond, whose ports share a MAC.

MACs that prove nothing are reported in notes, by reason.
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
"""What MAC tables have in place of a port for MACs behind a tunnel, and for the switch's own MACs."""

_PASSED_ON = (BELOW, IS_DOWN)
"""Reasons for which a MAC is certainly not plugged into the port where it was learnt."""

_SwitchPort = tuple[int, int]
"""A port of a switch: the row of its device, and the number that `PortNumbers.find_ports` returns."""
_HostPort = tuple[int, str]
"""A port of a host: the row of its device, and its name. For a switch the name is ""."""


class _Nic(NamedTuple):
    """The owner of a MAC: a port of a host, or a switch (`port` ""). `device` is a row, `box` the box of the owner."""

    device: int
    port: str
    box: Box


class _Learnt(NamedTuple):
    """The MACs that a switch (`box`) learnt at a port; `port` is the name in its table."""

    box: Box
    port: str
    macs: set[str]


@dataclass
class _Heard:
    """What LLDP tells about ports of switches.

    `sees` has the devices (rows; -1: a stranger) that a port sees or that see it. `down` are ports that are down,
    `silent` those whose dump says that they see nobody, and `whole` the devices whose LLDP table is complete.
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
    """Add to `sightings` the plugs that MAC tables prove, and the ports where a MAC is heard that proves no plug.

    `addresses` are MACs of ports and switches that are known before. Also returns notes (sentences) about MACs that
    prove nothing, by reason.
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
            # all known MACs here are of one port: the lowest of them is told
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
    """Decides for each switch port whether its MACs prove a plug.

    `nics` has the owner of each known MAC (None: several claim it), `heard` what LLDP tells. `has_all`: all Ethernet
    switches gave MAC tables.
    """

    cabling: PlannedCabling
    nics: Mapping[str, _Nic | None]
    heard: _Heard
    has_all: bool

    @cached_property
    def bonded(self) -> set[tuple[str, str]]:
        """(host, fabric) of each bond, read off the names that `design/names/switches.py:name_bond` gives."""
        columns, fabrics = self.cabling.addresses(), self.cabling.links["fabric"].vocabulary.tolist()
        bonds = {
            (str(device), str(port).partition(".")[0].removeprefix("bond-"))
            for device, port in zip(columns["device"], columns["port"], strict=True)
            if str(port).startswith("bond-")
        }
        return {(host, fabric) for host, bond in bonds for fabric in fabrics if f"{bond}-".startswith(f"{fabric}-")}

    def list_bond_ports(self, device: int) -> Iterator[int]:
        """Yield the planned ports of a switch to bonds of hosts that speak no LLDP.

        The switch learns the MACs of a bond at the bond, not at its ports.
        """
        cabling, speaking = self.cabling, set().union(*self.heard.sees.values())
        for port in cabling.list_device_ports(device).tolist():
            host = int(cabling.device[port ^ 1])
            bond = cabling.device_names[host], str(cabling.read_link("fabric", port))
            if bond in self.bonded and host not in speaking:
                yield port

    def list_host_ports(self, entry: _Learnt) -> set[_HostPort]:
        """Return the ports of hosts (and switches) whose MACs were learnt at a port."""
        return {nic[:2] for mac in entry.macs if (nic := self.nics.get(mac))}

    def find_reason(self, switch_port: _SwitchPort, entry: _Learnt, host_ports: set[_HostPort]) -> str:
        """Return why the MACs at a port prove no plug; "" if they prove that of the only port in `host_ports`.

        The reasons are the texts at the head of the module, from BELOW to UNSURE.
        """
        cabling, hosts = self.cabling, {device for device, _ in host_ports}
        other_devices = self.heard.sees.get(switch_port, set()) - hosts
        leads_on = any(device >= 0 and cabling.read_device("nos", device) for device in other_devices | hosts)
        if leads_on or MANAGEMENT.fullmatch(entry.port):
            return BELOW
        if switch_port in self.heard.down:
            return IS_DOWN
        fabric = "" if switch_port[1] < 0 else cabling.read_link("fabric", switch_port[1])
        host_names = {cabling.device_names[device] for device in hosts}
        bonded_fabrics = {bond_fabric for host, bond_fabric in self.bonded if host in host_names}
        if other_devices or (bonded_fabrics and fabric in ("", *bonded_fabrics)):
            return OTHER
        # the second lowest bit of the first byte marks MACs that software made up
        has_unknown_hardware = any(mac not in self.nics and not int(mac[1], 16) & 2 for mac in entry.macs)
        if not host_ports:
            return UNKNOWN_MACS
        if (
            len(host_ports) > 1
            or has_unknown_hardware
            or any(mac in self.nics and not self.nics[mac] for mac in entry.macs)
        ):
            return SEVERAL
        is_asked = (
            switch_port in self.heard.sees or switch_port in self.heard.silent or switch_port[0] in self.heard.whole
        )
        return "" if is_asked or self.has_all else UNSURE


def _find_why_idle(table: MacTable, device: int, nos: Sequence[str]) -> str:
    """Return why a MAC table is of no use; "" if it is of use."""
    if device < 0:
        return "it is no device of the plan by its name or file"
    if not table.rows:
        return "no port has one; save each resource, or members with them" if table.of_host else "none was learnt"
    return "" if table.of_host or nos[device] else "it is a host, and no switch"


def _list_nics(
    cabling: PlannedCabling, used: Iterable[tuple[MacTable, int]], addresses: Iterable[KnownAddress]
) -> dict[str, _Nic | None]:
    """Return the owner of each MAC by the inventory, else by BMCs; None if two devices or two ports claim it."""
    nics: dict[str, _Nic | None] = {}
    for address, name, port in addresses:
        if (device := cabling.device_numbers.get(name, -1)) >= 0 and is_mac(address):
            nics.setdefault(address, _Nic(device, port, Box(chassis=address)))
    stated = dict(nics)
    for table, device in used:
        for mac, port in table.rows if table.of_host else ():
            owner = nics.setdefault(mac, _Nic(device, port, table.box))
            if owner and owner.device == device and (owner.port == port or mac in stated):
                continue
            nics[mac] = None
    return nics


def _collect_learnt(
    used: Iterable[tuple[MacTable, int]], ports: PortNumbers
) -> tuple[dict[_SwitchPort, _Learnt], list[tuple[int, str]]]:
    """Return the MACs learnt at each port of a switch that can have a cable, and the other ports as (device, name)."""
    rows = [
        (table.box, row, mac, without_unit(port))
        for table, row in used
        if not table.of_host
        for mac, port in table.rows
    ]
    # text 0 stands for none in `find_ports`
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
    """Return what LLDP tells about the ports of some switches (rows of devices).

    Only boxes that tell their device themselves are used, as none was inferred yet. A switch is `whole` if its dump
    lists all its neighbours, by port names that are known, and not so many that its agent may have lost some.
    """
    identities = read_identities(cabling, sightings.boxes, addresses, ports)
    sighted_ends, heard = number_ends(sightings, identities), _Heard()
    switch_rows = np.array(sorted(switches), dtype=np.int32)
    for sighting in np.flatnonzero(np.isin(sighted_ends.near_device, switch_rows)).tolist():
        switch_port = int(sighted_ends.near_device[sighting]), int(sighted_ends.near[sighting])
        if sightings.state[sighting] == SEEN:
            heard.sees[switch_port].add(int(sighted_ends.far_device[sighting]))
        else:
            (heard.down if sightings.state[sighting] == DOWN else heard.silent).add(switch_port)
    for sighting in np.flatnonzero(
        np.isin(sighted_ends.far_device, switch_rows) & (sighted_ends.far != UNKNOWN)
    ).tolist():
        heard.sees[int(sighted_ends.far_device[sighting]), int(sighted_ends.far[sighting])].add(
            int(sighted_ends.near_device[sighting])
        )
    # a table with an unknown port name is not complete: that port may be any
    with_unknown_port = {device for device, number in heard.sees if number == UNKNOWN}
    neighbor_counts = np.bincount(
        sighted_ends.near_device[sighted_ends.near_device >= 0], minlength=len(cabling.device_names)
    )
    for box in sightings.lists_all:
        device = int(identities.device[box])
        if (
            device in switches - with_unknown_port
            and sightings.agents.get(box) == "lldp"
            and neighbor_counts[device] < MANY_NEIGHBORS
        ):
            heard.whole.add(device)
    return heard
