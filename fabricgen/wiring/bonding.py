"""Which ports of hosts are bonded, and which switches are MLAG pairs for it.

`bond: node` makes one bond of all ports of a device in a fabric, `bond: nic` one of the ports of each NIC. External
devices configure their own ports and are left out, and a device with one port there has no bond. The ports of a bond
land on one switch, or on two that peer links make a pair; then all pairs of that tier are MLAG pairs.

The number of a bond is that of its first port on its switch, or on the first switch of its pair, so that no bond's
number depends on others. Bonds of the second switch alone are numbered behind all ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.linked import find_fabric_overlay, find_fabric_vlan, is_multihomed
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, Path, fault
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.bonds import LACP, MLAG, PAIR_VLAN, PEER, Bonds
from fabricgen.wiring.tables import DeviceTable, LinkTable, Segment

FAULT = "FG044"


def make_bonds(design: Design, devices: DeviceTable, links: LinkTable) -> Bonds | None:
    """The bonds of a cluster; None where the blueprint asks for none.

    Raises InputError (FG044) for a fabric without any bond, and for bonds that its switches cannot have.
    """
    bonded = [fabric for fabric in design.fabrics if fabric.bond]
    if not bonded:
        return None
    # the switch that each switch has peer links to, -1 for none
    peer = _find_linked_peers(devices, links)
    try:
        # `join_pairs` adds to `peer`: multihomed pairs need no links between them
        hosts = [_BondMembers.select_fabric(devices, links, fabric) for fabric in bonded]
        for members in hosts:
            join_pairs(design, devices, members.ends, peer)
        for members in hosts:
            members.check(peer)
        mlag_peer = _find_mlag_peers(design, devices, hosts, peer)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    parts = [members.number_bonds(mlag_peer) for members in hosts]
    parts.append(_make_peer_bonds(devices, links, mlag_peer))
    of_link, count = np.full(len(links), -1, dtype=np.int32), 0
    # parts number their bonds from 0 each
    for part in parts:
        of_link[part.rows] = part.bond + count
        count += len(part.first)
    columns = (
        np.concatenate(column).astype(np.int32) for column in zip(*(part.columns for part in parts), strict=True)
    )
    return Bonds(of_link, mlag_peer, *columns)


class _SomeBonds(NamedTuple):
    """Some bonds: the links of all, the bond of each of these from 0, and by bond what `Bonds` has; int64."""

    rows: Ints64
    bond: Ints64
    first: Ints64
    number: Ints64
    nic: Ints64
    kind: Ints64

    @property
    def columns(self) -> tuple[Ints64, ...]:
        """The columns that `Bonds` has by bond, in the order of its fields."""
        return self.first, self.number, self.nic, self.kind


def _find_linked_peers(devices: DeviceTable, links: LinkTable) -> Ints:
    """The switch that each device has peer links to, -1 for none; int32. Links to other sites make no pair."""
    peer = np.full(len(devices), -1, dtype=np.int32)
    for i, segment in enumerate(links.segments):
        if is_peer(segment):
            rows = links.find_rows(i)
            # both ways at once; several links between two switches write the same peer
            peer[links.a_device[rows]], peer[links.b_device[rows]] = links.b_device[rows], links.a_device[rows]
    return peer


def _find_mlag_peers(design: Design, devices: DeviceTable, hosts: list[_BondMembers], peer: Ints) -> Ints:
    """The other switch of the MLAG pair of each device, -1 for none; int32.

    Raises InputError where the switches of a tier cannot be pairs.
    """
    mlag_peer = np.full_like(peer, -1)
    for members in hosts:
        low, high = members.ends
        # only tiers with a bond over two switches have to be pairs
        for number in np.unique(devices.device_class[low[low != high]]).tolist():
            cls = devices.classes[number]
            _check_pairs(design, members.fabric, design.tier(cls.key))
            mlag_peer[cls.rows] = peer[cls.rows]
    return mlag_peer


def _check_pairs(design: Design, fabric: FabricDesign, tier: TierDesign) -> None:
    """Raise InputError where the switches of a tier cannot be MLAG pairs: by their NOS, or by what else they carry."""
    path = (*fabric.path, "bond")
    if is_multihomed(design.loaded.blueprint, tier.key):
        check_multihoming(design, tier)
        return
    catalog, name = design.catalog, f"{tier.fabric} {tier.name}"
    refusal = catalog.naming(tier.nos).configuration.explain_refusal("mlag", tier.profile.asic)
    if refusal:
        able = [
            n
            for n in tier.profile.nos
            if not catalog.naming(n).configuration.explain_refusal("mlag", tier.profile.asic)
        ]
        others = f"run {' or '.join(sorted(able))} on them" if able else "take switches of another NOS"
        message = f"bonds of {fabric.name} are on two switches of {name}, and {tier.nos} makes no MLAG pair: {refusal}"
        raise fault(FAULT, message, path=path, hint=f"{others}, or let all ports of a bond land on one switch")
    for other in design.fabrics:
        if tier.key not in other.leaves and not any(extra.tier == tier.key for extra in other.extras):
            continue
        if other.hosts == "rail-subnets":
            message = (
                f"{name} are MLAG pairs for the bonds of {fabric.name}, and {other.name} has a subnet for each rail"
            )
            raise fault(FAULT, message, path=path, hint=f"state `hosts: bridged` of {other.name}, or other switches")
        if find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, other.name) == PAIR_VLAN:
            message = f"{other.name} has VLAN {PAIR_VLAN}, in which the MLAG pairs of {name} talk to each other"
            raise fault(FAULT, message, path=path, hint=f"state another `vlan` of {other.name}")


class _BondMembers(NamedTuple):
    """The links of some bonds, bond by bond and then by port of the lower end: int64 columns."""

    fabric: FabricDesign
    devices: DeviceTable
    links: LinkTable
    rows: Ints64
    nic: Ints64
    bond: Ints64
    """The bond of each row, counted from 0."""

    @classmethod
    def select_fabric(cls, devices: DeviceTable, links: LinkTable, fabric: FabricDesign) -> _BondMembers:
        """The links of a fabric's bonds: of two ports and more."""
        parts = list(_list_bonded_ports(links, fabric))
        none = np.empty(0, dtype=np.int64)
        rows = np.concatenate([none, *(part for part, _ in parts)])
        # of a bond over all ports of a host the number is 0 everywhere, so that its ports are one group below
        nic = np.concatenate([none, *(rails for _, rails in parts)]) * (fabric.bond == "nic")
        # by host, then by NIC: ports of a bond are neighbours, in the order of the host
        order = np.lexsort((links.a_port[rows], nic, links.a_device[rows]))
        rows, nic = rows[order], nic[order]
        device = links.a_device[rows]
        # a bond begins where host or NIC changes, and `cumsum` counts beginnings
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (device[1:] != device[:-1]) | (nic[1:] != nic[:-1])
        bond = np.cumsum(new) - 1
        # `minlength`: with no links there is a count to index all the same
        several = np.bincount(bond, minlength=1)[bond] > 1
        # a single port is no bond; the others are numbered anew without it
        return cls(fabric, devices, links, rows[several], nic[several], np.cumsum(new[several]) - 1)

    @property
    def starts(self) -> Ints64:
        """The row of the first port of each bond."""
        return np.flatnonzero(np.diff(self.bond, prepend=-1))

    @property
    def ends(self) -> tuple[Ints64, Ints64]:
        """(lowest, highest) switch of each bond."""
        switch = self.links.b_device[self.rows].astype(np.int64)
        # a bond on one switch has the same one twice
        return np.minimum.reduceat(switch, self.starts), np.maximum.reduceat(switch, self.starts)

    def number_bonds(self, mate: Ints) -> _SomeBonds:
        """These bonds with their numbers."""
        low, high = self.ends
        switch = self.links.b_device[self.rows]
        # bond by bond, ports at the lower switch first: both switches of a pair have to give a bond the same number,
        # that of its port on the first
        on_first = np.lexsort((self.links.a_port[self.rows], switch != low[self.bond], self.bond))
        number = _number_ports(self.devices, self.links, self.rows[on_first[self.starts]])
        # bonds at the second switch of a pair alone are numbered behind all those of the first, where numbers are
        # shared
        alone = (low == high) & (mate[low] >= 0) & (mate[low] < low)
        number += alone * _count_ports(self.devices, low)
        kind = np.where(low == high, LACP, MLAG)
        return _SomeBonds(self.rows, self.bond, self.rows[self.starts], number, self.nic[self.starts], kind)

    def check(self, peer: Ints) -> None:
        """Raise InputError where there is no bond, or one whose ports are neither on one switch nor on a pair."""
        name, path = self.fabric.name, (*self.fabric.path, "bond")
        if not len(self.rows):
            what = "NIC has two ports" if self.fabric.bond == "nic" else "device has two ports"
            other = "state `bond: node`, or take `bond` away" if self.fabric.bond == "nic" else "take `bond` away"
            raise fault(FAULT, f"no {what} in {name}: a bond is of two and more", path=path, hint=other)
        self._check_left()
        low, high = self.ends
        switch = self.links.b_device[self.rows]
        # a port that is neither on the lowest nor on the highest switch: the bond is on three or more
        more = np.bincount(self.bond, (switch != low[self.bond]) & (switch != high[self.bond])) > 0
        apart = np.flatnonzero(more | ((low != high) & (peer[low] != high)))
        if len(apart):
            self._raise_apart(int(apart[0]), len(apart), peer)

    def _check_left(self) -> None:
        """Raise InputError for hosts of several ports, of which `bond: nic` bonds none: they would have an address on
        each in one subnet.
        """
        for side in (s.a for s in self.links.segments if s.fabric == self.fabric.name and self.fabric.bond == "nic"):
            if not isinstance(side, Attachment) or side.profile.external:
                continue
            count = len(side.legs)
            if count == len({leg.rail for leg in side.legs}) > 1:
                raise fault(
                    FAULT,
                    f"the {count} ports of a {side.profile.id} in {self.fabric.name} are of {count} NICs: `bond: nic` "
                    "bonds none of them, and each would have an address in one subnet",
                    path=(*self.fabric.path, "bond"),
                    hint="state `bond: node`, or let these nodes `skip` the fabric",
                )

    def _raise_apart(self, bond: int, count: int, peer: Ints) -> None:
        # raise the InputError of the first of `count` bonds whose ports land on switches that are no pair, with the way
        # out
        rows, devices = self.rows[self.bond == bond], self.devices
        switches = np.unique(self.links.b_device[rows])
        profile = devices.classes[devices.device_class[self.links.a_device[rows[0]]]].profile.id
        tiers = sorted({devices.classes[number].tier for number in devices.device_class[switches].tolist()})
        one = "or let them land on one switch (`count: 1`, `spread: block`)"
        if len(switches) > TWO:
            what, hint = (
                "a bond is on one switch, or on the two of a pair",
                f"use two switches with `peer` links, {one}",
            )
            if self.fabric.bond == "node" and 1 < len(np.unique(self.links.rail[rows])) < len(rows):
                hint = f"state `bond: nic`, {hint}"
        elif (peer[switches] < 0).all():
            what, hint = "these have no peer links", f"state `peer` of {tiers[0]}, such as `peer: 2 x 100G`, {one}"
        else:
            what, hint = "these two are no pair", f"let the ports of a bond land on one pair (`spread: stripe`), {one}"
        raise fault(
            FAULT,
            f"{len(rows)} ports of a {profile} are one bond in {self.fabric.name}, and on {len(switches)} switches of "
            f"{' and '.join(tiers)}: {what} ({count} of {len(self.starts)} bonds)",
            path=(*self.fabric.path, "bond"),
            hint=hint,
        )


TWO = 2
"""Switches of a pair."""


def _make_peer_bonds(devices: DeviceTable, links: LinkTable, mate: Ints) -> _SomeBonds:
    """The peer links of MLAG pairs, a bond for each pair, with the number of its first port; `mate` is the other switch
    of each one's pair, -1 for none.
    """
    peers = [np.arange(*links.find_rows(i).indices(len(links))) for i, s in enumerate(links.segments) if is_peer(s)]
    rows = np.concatenate([np.empty(0, dtype=np.int64), *peers])
    rows = rows[mate[links.a_device[rows]] >= 0]
    rows = rows[np.lexsort((links.a_port[rows], links.a_device[rows]))]
    # a bond begins where the device changes; -1 is before the first
    starts = np.flatnonzero(np.diff(links.a_device[rows], prepend=-1))
    first = rows[starts]
    bond = np.searchsorted(starts, np.arange(len(rows)), side="right") - 1
    none = np.zeros_like(first)
    return _SomeBonds(rows, bond, first, _number_ports(devices, links, first), none, none + PEER)


def is_peer(segment: Segment) -> bool:
    """Whether links are between the two switches of a pair; those to other sites are not."""
    return segment.mesh is not None and segment.mesh.word == "peer"


def _list_bonded_ports(links: LinkTable, fabric: FabricDesign) -> Iterator[tuple[Ints64, Ints64]]:
    """(rows, NIC from 1) of the links of a fabric whose lower ends may be bonded, segment by segment; int64."""
    for i, segment in enumerate(links.segments):
        side = segment.a
        if segment.fabric == fabric.name and isinstance(side, Attachment) and not side.profile.external:
            rows = np.arange(*links.find_rows(i).indices(len(links)), dtype=np.int64)
            rails = np.array([leg.rail for leg in side.legs], dtype=np.int64)
            yield rows, rails[links.a_port[rows]]


def _number_ports(devices: DeviceTable, links: LinkTable, rows: Ints64) -> Ints64:
    """The number of the switch port at the upper end of some links, from 1: that of its cage, and behind all cages
    those of the second part of each, and so on; int64.
    """
    port_numbers = np.zeros(len(rows), dtype=np.int64)
    segment, port = links.segment[rows], links.b_port[rows]
    for i in np.unique(segment).tolist():
        here = np.flatnonzero(segment == i)
        run, tier = links.segments[i].b, links.segments[i].tier
        assert isinstance(run, PortRun) and tier is not None  # noqa: S101, PT018 - links that carry traffic
        profile = devices.find_tier(tier).profile
        assert isinstance(profile, SwitchProfile)  # noqa: S101 - a tier is of switches
        cage = np.array(run.cages, dtype=np.int64)[port[here] // run.ways]
        port_numbers[here] = cage + port[here] % run.ways * profile.cage_count
    return port_numbers


def _count_ports(devices: DeviceTable, switches: Ints64) -> Ints64:
    """The most ports that each of some switches can have, of which `_number_ports` gives numbers; int64."""
    counts = [
        cls.profile.cage_count * max(max(cage.breakouts) for cage in cls.profile.cages)
        if isinstance(cls.profile, SwitchProfile)
        else 0
        for cls in devices.classes
    ]
    return np.array(counts, dtype=np.int64)[devices.device_class[switches]]


# Bonds over two switches by EVPN multihoming (RFC 7432, section 8), for which the two need no link between them.

MULTIHOMING_FAULT = "FG099"


def join_pairs(design: Design, devices: DeviceTable, ends: tuple[Ints64, Ints64], peer: Ints) -> None:
    """Make the two switches of a bond each other's `peer` where their tier is multihomed, unless they are another's.

    `ends` are the lowest and the highest switch of each bond.
    """
    blueprint, classes = design.loaded.blueprint, devices.classes
    pairs = np.unique(np.stack(ends, axis=1), axis=0)
    for low, high in pairs[pairs[:, 0] < pairs[:, 1]].tolist():
        first, second = (int(devices.device_class[end]) for end in (low, high))
        if first == second and is_multihomed(blueprint, classes[first].key) and (peer[[low, high]] < 0).all():
            peer[low], peer[high] = high, low


def check_multihoming(design: Design, tier: TierDesign) -> None:
    """Raise InputError (FG099) where switches with EVPN multihoming have no overlay, no tier above, or peer links."""
    blueprint = design.loaded.blueprint
    where, spec = f"{tier.fabric} {tier.name}", blueprint.fabrics[tier.fabric].tiers[tier.name]
    path: Path = (*tier.path, "pair")
    no_overlay = find_fabric_overlay(blueprint, tier.fabric) != "evpn"
    for refused, reason, hint in (
        (no_overlay, ", and no overlay", "state `routing: {overlay: evpn}`"),
        (tier.up is None, ", and no tier above to reach each other over", "use `peer` links"),
        (spec.peer, " and peer links", "take `peer` away, or `pair`"),
    ):
        if refused:
            raise fault(MULTIHOMING_FAULT, f"{where} have `pair: evpn`{reason}", path=path, hint=hint)
