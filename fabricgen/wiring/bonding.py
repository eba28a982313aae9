"""Which ports of hosts are bonded, and which switches are MLAG pairs for it.

`bond: node` makes one bond of all ports of a device in a fabric, `bond: nic` one of the ports of each NIC. External
devices configure their own ports and are left out, and a device with one port there has no bond. The ports of a bond
land on one switch, or on two that peer links make a pair; then all pairs of that tier are MLAG pairs.

The number of a bond is that of its first port on its switch, or on the first switch of its pair, so that no bond's
number depends on others. Bonds of the second switch alone are numbered behind all ports.
"""

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
    """Return the bonds of a cluster; None if the blueprint asks for none.

    Raises InputError for a fabric without any bond, and for bonds that its hosts, its switches or their NOS cannot have
    (FG044, or FG099 for EVPN multihoming).
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
            members.refuse_impossible_bonds(peer)
        mlag_peer = _find_mlag_peers(design, devices, hosts, peer)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    bond_sets = [members.number_bonds(mlag_peer) for members in hosts]
    bond_sets.append(_make_peer_bonds(devices, links, mlag_peer))
    of_link, bonds_so_far = np.full(len(links), -1, dtype=np.int32), 0
    # each set numbers its bonds from 0
    for bond_set in bond_sets:
        of_link[bond_set.rows] = bond_set.bond + bonds_so_far
        bonds_so_far += len(bond_set.first)
    columns = (
        np.concatenate(column).astype(np.int32)
        for column in zip(*(bond_set.columns for bond_set in bond_sets), strict=True)
    )
    return Bonds(of_link, mlag_peer, *columns)


class _SomeBonds(NamedTuple):
    """Some of the cluster's bonds, int64 columns: `rows`, the link rows of all of them; `bond`, the bond of each of
    these rows, counted from 0; and by bond, as in `Bonds`: `first`, `number`, `nic`, `kind`.
    """

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
    """Return the switch that each device has peer links to, -1 for none; int32. Links to other sites make no pair."""
    peer = np.full(len(devices), -1, dtype=np.int32)
    for i, segment in enumerate(links.segments):
        if is_peer(segment):
            rows = links.find_rows(i)
            # both ways at once; several links between two switches write the same peer
            peer[links.a_device[rows]], peer[links.b_device[rows]] = links.b_device[rows], links.a_device[rows]
    return peer


def _find_mlag_peers(design: Design, devices: DeviceTable, hosts: list["_BondMembers"], peer: Ints) -> Ints:
    """Return the other switch of the MLAG pair of each device, -1 for none; int32.

    If any bond of `hosts` is on two switches, all switches of their tier are pairs: each with its `peer`, the switch
    that each device has peer links to or is multihomed with (-1 for none). Raises InputError (FG044, FG099) if they
    cannot be.
    """
    mlag_peer = np.full_like(peer, -1)
    for members in hosts:
        lowest, highest = members.ends
        # only tiers with a bond over two switches have to be pairs
        for class_index in np.unique(devices.device_class[lowest[lowest != highest]]).tolist():
            cls = devices.classes[class_index]
            _check_pairs(design, members.fabric, design.tier(cls.key))
            mlag_peer[cls.rows] = peer[cls.rows]
    return mlag_peer


def _check_pairs(design: Design, fabric: FabricDesign, tier: TierDesign) -> None:
    """Raise InputError if the switches of a tier cannot be pairs for the bonds of a fabric.

    Switches with EVPN multihoming are refused as `check_multihoming` says (FG099). Others are refused (FG044) if their
    NOS makes no MLAG pair, or if any fabric whose hosts they serve has a subnet for each rail or has the VLAN in which
    the switches of a pair talk (`PAIR_VLAN`).
    """
    path = (*fabric.path, "bond")
    if is_multihomed(design.loaded.blueprint, tier.key):
        check_multihoming(design, tier)
        return
    catalog, name = design.catalog, f"{tier.fabric} {tier.name}"
    refusal = catalog.naming(tier.nos).configuration.explain_refusal("mlag", tier.profile.asic)
    if refusal:
        able_noses = [
            n
            for n in tier.profile.nos
            if not catalog.naming(n).configuration.explain_refusal("mlag", tier.profile.asic)
        ]
        remedy = f"run {' or '.join(sorted(able_noses))} on them" if able_noses else "take switches of another NOS"
        message = f"bonds of {fabric.name} are on two switches of {name}, and {tier.nos} makes no MLAG pair: {refusal}"
        raise fault(FAULT, message, path=path, hint=f"{remedy}, or let all ports of a bond land on one switch")
    for served in design.fabrics:
        if tier.key not in served.leaves and not any(extra.tier == tier.key for extra in served.extras):
            continue
        if served.hosts == "rail-subnets":
            message = (
                f"{name} are MLAG pairs for the bonds of {fabric.name}, and {served.name} has a subnet for each rail"
            )
            raise fault(FAULT, message, path=path, hint=f"state `hosts: bridged` of {served.name}, or other switches")
        if find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, served.name) == PAIR_VLAN:
            message = f"{served.name} has VLAN {PAIR_VLAN}, in which the MLAG pairs of {name} talk to each other"
            raise fault(FAULT, message, path=path, hint=f"state another `vlan` of {served.name}")


class _BondMembers(NamedTuple):
    """The links of some bonds, bond by bond and then by port of the lower end: int64 columns.

    `rows` are link rows; `nic` is the NIC of each, from 1, or 0 where a bond is of all ports of a host.
    """

    fabric: FabricDesign
    devices: DeviceTable
    links: LinkTable
    rows: Ints64
    nic: Ints64
    bond: Ints64
    """The bond of each row, counted from 0."""

    @classmethod
    def select_fabric(cls, devices: DeviceTable, links: LinkTable, fabric: FabricDesign) -> "_BondMembers":
        """Return the links of a fabric's bonds, bond by bond and then by port of the host.

        A bond is of all ports of a host (`bond: node`) or of one NIC (`bond: nic`); ports that are alone there are left
        out.
        """
        rows_and_nics = list(_list_bonded_ports(links, fabric))
        no_rows = np.empty(0, dtype=np.int64)
        rows = np.concatenate([no_rows, *(rows_of_segment for rows_of_segment, _ in rows_and_nics)])
        # with `bond: node` every NIC is 0, so that all ports of a host are one group below
        nic = np.concatenate([no_rows, *(nics for _, nics in rows_and_nics)]) * (fabric.bond == "nic")
        # by host, then by NIC: ports of a bond are neighbours, in the order of the host
        order = np.lexsort((links.a_port[rows], nic, links.a_device[rows]))
        rows, nic = rows[order], nic[order]
        device = links.a_device[rows]
        # a bond begins where host or NIC changes, and `cumsum` counts beginnings
        starts_bond = np.ones(len(rows), dtype=bool)
        starts_bond[1:] = (device[1:] != device[:-1]) | (nic[1:] != nic[:-1])
        bond = np.cumsum(starts_bond) - 1
        # `minlength`: with no links there is a count to index all the same
        has_further_port = np.bincount(bond, minlength=1)[bond] > 1
        # a single port is no bond; the others are numbered anew without it
        return cls(
            fabric,
            devices,
            links,
            rows[has_further_port],
            nic[has_further_port],
            np.cumsum(starts_bond[has_further_port]) - 1,
        )

    @property
    def starts(self) -> Ints64:
        """The index among the rows of the first port of each bond; int64."""
        return np.flatnonzero(np.diff(self.bond, prepend=-1))

    @property
    def ends(self) -> tuple[Ints64, Ints64]:
        """(lowest, highest) switch of each bond, as device rows; int64."""
        switch = self.links.b_device[self.rows].astype(np.int64)
        # a bond on one switch has the same one twice
        return np.minimum.reduceat(switch, self.starts), np.maximum.reduceat(switch, self.starts)

    def number_bonds(self, mlag_peer: Ints) -> _SomeBonds:
        """Return these bonds as columns, with their numbers on the switches.

        A bond has the number of its first port on its lowest switch. If it is on the second switch of a pair alone, it
        is numbered behind all ports. `mlag_peer` is the other switch of the MLAG pair of each device, -1 for none.
        """
        lowest, highest = self.ends
        switch = self.links.b_device[self.rows]
        # bond by bond, ports at the lower switch first: both switches of a pair have to give a bond the same number,
        # that of its port on the first
        on_first = np.lexsort((self.links.a_port[self.rows], switch != lowest[self.bond], self.bond))
        number = _number_ports(self.devices, self.links, self.rows[on_first[self.starts]])
        # bonds at the second switch of a pair alone are numbered behind all those of the first, where numbers are
        # shared
        on_second_alone = (lowest == highest) & (mlag_peer[lowest] >= 0) & (mlag_peer[lowest] < lowest)
        number += on_second_alone * _count_ports(self.devices, lowest)
        kind = np.where(lowest == highest, LACP, MLAG)
        return _SomeBonds(self.rows, self.bond, self.rows[self.starts], number, self.nic[self.starts], kind)

    def refuse_impossible_bonds(self, peer: Ints) -> None:
        """Raise InputError (FG044) if the fabric has no bond, if `bond: nic` leaves all ports of a host unbonded, or if
        the ports of a bond are neither on one switch nor on two that are each other's `peer`.

        `peer` is the switch that each device makes a pair with, by peer links or multihoming, -1 for none.
        """
        name, path = self.fabric.name, (*self.fabric.path, "bond")
        if not len(self.rows):
            missing = "NIC has two ports" if self.fabric.bond == "nic" else "device has two ports"
            remedy = "state `bond: node`, or take `bond` away" if self.fabric.bond == "nic" else "take `bond` away"
            raise fault(FAULT, f"no {missing} in {name}: a bond is of two and more", path=path, hint=remedy)
        self._refuse_unbonded_hosts()
        lowest, highest = self.ends
        switch = self.links.b_device[self.rows]
        # a port that is neither on the lowest nor on the highest switch: the bond is on three or more
        on_third_switch = np.bincount(self.bond, (switch != lowest[self.bond]) & (switch != highest[self.bond])) > 0
        scattered_bonds = np.flatnonzero(on_third_switch | ((lowest != highest) & (peer[lowest] != highest)))
        if len(scattered_bonds):
            self._raise_scattered(int(scattered_bonds[0]), len(scattered_bonds), peer)

    def _refuse_unbonded_hosts(self) -> None:
        """Raise InputError (FG044) if `bond: nic` is stated and a kind of host has several NICs with one port each.

        None of these ports would be bonded, and each would have an address in the same subnet.
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

    def _raise_scattered(self, bond: int, bond_count: int, peer: Ints) -> None:
        # raise InputError (FG044), with a way out, for the first of `bond_count` bonds whose ports land on several
        # switches that are no pair
        rows, devices = self.rows[self.bond == bond], self.devices
        switches = np.unique(self.links.b_device[rows])
        profile = devices.classes[devices.device_class[self.links.a_device[rows[0]]]].profile.id
        tiers = sorted({devices.classes[number].tier for number in devices.device_class[switches].tolist()})
        one_switch_hint = "or let them land on one switch (`count: 1`, `spread: block`)"
        if len(switches) > TWO:
            reason, hint = (
                "a bond is on one switch, or on the two of a pair",
                f"use two switches with `peer` links, {one_switch_hint}",
            )
            if self.fabric.bond == "node" and 1 < len(np.unique(self.links.rail[rows])) < len(rows):
                hint = f"state `bond: nic`, {hint}"
        elif (peer[switches] < 0).all():
            reason, hint = (
                "these have no peer links",
                f"state `peer` of {tiers[0]}, such as `peer: 2 x 100G`, {one_switch_hint}",
            )
        else:
            reason, hint = (
                "these two are no pair",
                f"let the ports of a bond land on one pair (`spread: stripe`), {one_switch_hint}",
            )
        raise fault(
            FAULT,
            f"{len(rows)} ports of a {profile} are one bond in {self.fabric.name}, and on {len(switches)} switches of "
            f"{' and '.join(tiers)}: {reason} ({bond_count} of {len(self.starts)} bonds)",
            path=(*self.fabric.path, "bond"),
            hint=hint,
        )


TWO = 2
"""The number of switches in a pair."""


def _make_peer_bonds(devices: DeviceTable, links: LinkTable, mlag_peer: Ints) -> _SomeBonds:
    """Return the bonds of peer links, one for each MLAG pair, each with the number of its first port as its own.

    `mlag_peer` is the other switch of the MLAG pair of each device, -1 for none; peer links of other switches are no
    bond.
    """
    rows_of_segments = [
        np.arange(*links.find_rows(i).indices(len(links))) for i, s in enumerate(links.segments) if is_peer(s)
    ]
    rows = np.concatenate([np.empty(0, dtype=np.int64), *rows_of_segments])
    rows = rows[mlag_peer[links.a_device[rows]] >= 0]
    rows = rows[np.lexsort((links.a_port[rows], links.a_device[rows]))]
    # a bond begins where the device changes; -1 is before the first
    starts = np.flatnonzero(np.diff(links.a_device[rows], prepend=-1))
    first_link = rows[starts]
    bond = np.searchsorted(starts, np.arange(len(rows)), side="right") - 1
    zeros = np.zeros_like(first_link)
    return _SomeBonds(rows, bond, first_link, _number_ports(devices, links, first_link), zeros, zeros + PEER)


def is_peer(segment: Segment) -> bool:
    """Whether the links of a segment are peer links, between the two switches of a pair at one site."""
    return segment.mesh is not None and segment.mesh.word == "peer"


def _list_bonded_ports(links: LinkTable, fabric: FabricDesign) -> Iterator[tuple[Ints64, Ints64]]:
    """Yield (link rows, NIC of each from 1) for each segment of a fabric whose lower ends are hosts that may bond
    ports; int64. External devices may not.
    """
    for i, segment in enumerate(links.segments):
        lower_side = segment.a
        if segment.fabric == fabric.name and isinstance(lower_side, Attachment) and not lower_side.profile.external:
            rows = np.arange(*links.find_rows(i).indices(len(links)), dtype=np.int64)
            rails = np.array([leg.rail for leg in lower_side.legs], dtype=np.int64)
            yield rows, rails[links.a_port[rows]]


def _number_ports(devices: DeviceTable, links: LinkTable, rows: Ints64) -> Ints64:
    """Return the number, from 1, of the switch port at the upper end of some links; int64.

    The first port of a cage has the number of the cage; second ports are numbered behind all cages, third ones behind
    these.
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
    """Return the greatest number that `_number_ports` gives on each of some switches; 0 for other devices; int64."""
    counts = [
        cls.profile.cage_count * max(max(cage.breakouts) for cage in cls.profile.cages)
        if isinstance(cls.profile, SwitchProfile)
        else 0
        for cls in devices.classes
    ]
    return np.array(counts, dtype=np.int64)[devices.device_class[switches]]


# Bonds over two switches by EVPN multihoming (RFC 7432, section 8), for which the two need no link between them.

MULTIHOMING_FAULT = "FG099"


def join_pairs(design: Design, devices: DeviceTable, switches_of_bonds: tuple[Ints64, Ints64], peer: Ints) -> None:
    """Make the two switches of each bond each other's `peer`, in place, if they are of one multihomed tier.

    Switches that have a peer already keep it. `switches_of_bonds` are the lowest and the highest switch of each bond.
    """
    blueprint, classes = design.loaded.blueprint, devices.classes
    pairs = np.unique(np.stack(switches_of_bonds, axis=1), axis=0)
    for lowest, highest in pairs[pairs[:, 0] < pairs[:, 1]].tolist():
        lowest_class, highest_class = (int(devices.device_class[switch]) for switch in (lowest, highest))
        if (
            lowest_class == highest_class
            and is_multihomed(blueprint, classes[lowest_class].key)
            and (peer[[lowest, highest]] < 0).all()
        ):
            peer[lowest], peer[highest] = highest, lowest


def check_multihoming(design: Design, tier: TierDesign) -> None:
    """Raise InputError (FG099) if a tier with EVPN multihoming has no EVPN overlay, no tier above, or peer links."""
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
