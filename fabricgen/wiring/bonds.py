"""Bonds of hosts: several ports of a device in one fabric that are one interface by LACP (IEEE 802.1AX).

`bond: node` makes one of all ports of a device in a fabric, `bond: nic` one of the ports of each NIC. External devices
configure their own ports and are left out, and a device with one port there has no bond. The ports of a bond land on
one switch. The number of a bond is that of its first port on the switch, so that no bond depends on another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment, FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.wiring.tables import DeviceTable, Ints, Ints64, LinkTable, Segment


@dataclass(frozen=True, slots=True)
class Bonds:
    """The bonds of a cluster, int32 columns: `of_link` is the bond of each link, -1 for none.

    Per bond, in the order of fabrics and devices: `first` is its link with the lowest port of the device, which has the
    address of the bond; `number` is its number on its switches, from 1; `nic` is the NIC whose ports it has, from 1, or
    0 where it has all ports of the device.
    """

    of_link: Ints
    first: Ints
    number: Ints
    nic: Ints

    def followers(self) -> Ints64:
        """Links of bonds but the first of each: they have no address of their own; int64."""
        links = np.flatnonzero(self.of_link >= 0)
        found: Ints64 = links[self.first[self.of_link[links]] != links]
        return found

    def numbers(self, links: Ints64 | Ints) -> Ints64:
        """The number of the bond of each of some links, 0 for none; int64."""
        return np.append(self.number, 0)[self.of_link[links]].astype(np.int64)

    def at(self, links: Ints64) -> Bonds:
        """The bonds over some links only, which keep their numbers."""
        left, first = self.of_link[links], self._first_of(links)
        kept = np.flatnonzero(first < len(links))
        renumbered = np.full(len(self.first) + 1, -1, dtype=np.int32)
        renumbered[kept] = np.arange(len(kept), dtype=np.int32)
        return Bonds(renumbered[left], first[kept].astype(np.int32), self.number[kept], self.nic[kept])

    def addressed(self, links: Ints64) -> Ints64:
        """The links whose addresses some of the links have: their own, or that of a first one which is not there."""
        found, first = links.copy(), self._first_of(links)
        kept = np.flatnonzero(first < len(links))
        found[first[kept]] = self.first[kept]
        return found

    def _first_of(self, links: Ints64) -> Ints64:
        """By bond, the place among some links of its first one, or of the first that is there; else their number."""
        place = np.full(len(self.of_link), len(links), dtype=np.int64)
        place[links] = np.arange(len(links))
        first, there = np.full(len(self.first), len(links), dtype=np.int64), self.of_link[links] >= 0
        np.minimum.at(first, self.of_link[links][there], np.flatnonzero(there))
        own = place[self.first]
        return np.where(own < len(links), own, first)


def bonds_of(design: Design, devices: DeviceTable, links: LinkTable) -> Bonds | None:
    """The bonds of a cluster; None where the blueprint asks for none.

    Raises InputError (FG044) for a fabric without any bond, and for bonds that its switches cannot have.
    """
    found = [_Members.of(devices, links, fabric) for fabric in design.fabrics if fabric.bond]
    if not found:
        return None
    of_link, count = np.full(len(links), -1, dtype=np.int32), 0
    first, number, nic = [], [], []
    for members in found:
        try:
            members.check()
        except InputError as error:
            raise design.loaded.located(error) from error
        of_link[members.rows] = members.bond + count
        count += members.count
        first.append(members.rows[members.starts])
        number.append(members.numbers())
        nic.append(members.nic[members.starts])
    columns = (np.concatenate(column).astype(np.int32) for column in (first, number, nic))
    return Bonds(of_link, *columns)


@dataclass(frozen=True)
class _Members:
    """The links of the bonds of one fabric, bond by bond and then by port: int64 columns."""

    fabric: FabricDesign
    devices: DeviceTable
    links: LinkTable
    rows: Ints64
    nic: Ints64
    bond: Ints64
    """The bond of each row, counted from 0."""

    @classmethod
    def of(cls, devices: DeviceTable, links: LinkTable, fabric: FabricDesign) -> _Members:
        """The links of a fabric's bonds: of two ports and more."""
        parts = list(_ports(links, fabric))
        none = np.empty(0, dtype=np.int64)
        rows = np.concatenate([none, *(part for part, _ in parts)])
        nic = np.concatenate([none, *(rails for _, rails in parts)]) * (fabric.bond == "nic")
        order = np.lexsort((links.a_port[rows], nic, links.a_device[rows]))
        rows, nic = rows[order], nic[order]
        device = links.a_device[rows]
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (device[1:] != device[:-1]) | (nic[1:] != nic[:-1])
        bond = np.cumsum(new) - 1
        several = np.bincount(bond, minlength=1)[bond] > 1
        bond = np.cumsum(new[several]) - 1
        return cls(fabric, devices, links, rows[several], nic[several], bond)

    @property
    def starts(self) -> Ints64:
        """The row of the first port of each bond."""
        return np.flatnonzero(np.diff(self.bond, prepend=-1))

    @property
    def count(self) -> int:
        """The number of bonds."""
        return len(self.starts)

    def numbers(self) -> Ints64:
        """The number of each bond: that of its first port on the switch."""
        return port_numbers(self.devices, self.links, self.rows[self.starts])

    def check(self) -> None:
        """Raise InputError (FG044) where there is no bond, or one whose ports are on several switches."""
        path = (*self.fabric.path, "bond")
        if not self.count:
            what = "NIC has two ports" if self.fabric.bond == "nic" else "device has two ports"
            other = "state `bond: node`, or take `bond` away" if self.fabric.bond == "nic" else "take `bond` away"
            raise fault("FG044", f"no {what} in {self.fabric.name}: a bond is of two and more", path=path, hint=other)
        switch = self.links.b_device[self.rows]
        most = np.maximum.reduceat(switch, self.starts)
        apart = np.flatnonzero(np.minimum.reduceat(switch, self.starts) != most)
        if len(apart):
            self._raise_apart(int(apart[0]), len(apart))

    def _raise_apart(self, bond: int, count: int) -> None:
        rows = self.rows[self.bond == bond]
        switches = len(np.unique(self.links.b_device[rows]))
        cls = self.devices.classes[self.devices.device_class[self.links.a_device[rows[0]]]]
        raise fault(
            "FG044",
            f"the {len(rows)} ports of a bond of {cls.profile.id} in {self.fabric.name} are on {switches} switches "
            f"({count} of {self.count} bonds are)",
            path=(*self.fabric.path, "bond"),
            hint="let all ports of a bond land on one switch (`spread: block`, `count: 1`, or `bond: nic`), or take "
            "`bond` away",
        )


def _ports(links: LinkTable, fabric: FabricDesign) -> Iterator[tuple[Ints64, Ints64]]:
    """(rows, NIC from 1) of the links of a fabric whose lower ends may be bonded, segment by segment; int64."""
    for i, segment in enumerate(links.segments):
        side = segment.a
        if segment.fabric == fabric.name and isinstance(side, Attachment) and not side.profile.external:
            rows = np.arange(*links.rows_of(i).indices(len(links)), dtype=np.int64)
            rails = np.array([leg.rail for leg in side.legs], dtype=np.int64)
            yield rows, rails[links.a_port[rows]]


def port_numbers(devices: DeviceTable, links: LinkTable, rows: Ints64) -> Ints64:
    """The number of the switch port at the upper end of some links, from 1: that of its cage, and behind all cages
    those of the second part of each, and so on; int64.
    """
    found = np.zeros(len(rows), dtype=np.int64)
    segment, port = links.segment[rows], links.b_port[rows]
    for i in np.unique(segment).tolist():
        here = np.flatnonzero(segment == i)
        run = links.segments[i].b
        assert isinstance(run, PortRun)  # noqa: S101 - nodes are linked to switches
        cage = np.array(run.cages, dtype=np.int64)[port[here] // run.ways]
        found[here] = cage + port[here] % run.ways * _cages(devices, links.segments[i])
    return found


def _cages(devices: DeviceTable, segment: Segment) -> int:
    """The cages of the switches at the upper end of a segment."""
    assert segment.tier is not None  # noqa: S101 - links of nodes
    profile = devices.of_tier(segment.tier).profile
    assert isinstance(profile, SwitchProfile)  # noqa: S101 - a tier is of switches
    return profile.cage_count
