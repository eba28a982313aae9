"""Configuration files of nodes with the same wiring: one text for all, with placeholders for the values of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from fabricgen.blueprint.sections.naming import is_interface_name
from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import DEFAULT_ROLES, NEVER, DefaultRoutes
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.linked import find_fabric_vlan
from fabricgen.design.names.switches import name_bond, name_interface
from fabricgen.export.host_links import FIELDS
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.templates import load_templates
from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
from fabricgen.views.mtu import HOST_MTU
from fabricgen.wiring.tables import Segment

NETPLAN, SYSCTL = "60-fabric.yaml", "90-fabric.conf"
"""File names: netplan and sysctl apply files in order of name, and these come late."""

MTU_ELSEWHERE = 1500
"""MTU of other ports, bytes: they also reach networks with the standard MTU."""

PRIORITY = 1000
"""Priority of rules that select a routing table by source address: before the kernel's main table (32766)."""


class PortKey(NamedTuple):
    """A port with the same text on all nodes of a shape: its segment, its leg, a bit for each field that it has a value
    of, the MTU of the switch port where the blueprint states one, else 0.

    `bond` is the NIC of the bond that it is in, 0 for one of all ports, -1 for none; `leads`: whether it has the
    address of the bond. `tenant` is whose VLANs it is in where fabrics share ports, as an index into those of the
    design; -1 for none.
    """

    segment: int
    leg: int
    flags: int
    at_most: int
    bond: int
    leads: bool
    tenant: int


_SLOT = re.compile("\0(-?[0-9]+)\0")


def _make_slot(number: int) -> str:
    return f"\0{number}\0"


@dataclass(frozen=True, slots=True)
class HostFamily:
    """One address family of a port: placeholders of its fields, "" for none, and the prefixes of all nodes of its
    fabric.
    """

    address: str
    own: str
    gateway: str
    subnet: str
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostShapePort:
    """A port as templates see it; `optional`: booting does not wait for it, `table`: number of its routing table."""

    interface: str
    label: str
    fabric: str
    leaf: str
    leaf_port: str
    mtu: int
    table: int
    metric: int
    priority: int
    is_default: bool
    by_source: bool
    """Whether what it sends from its own address leaves by it: it has a routing table of its own."""
    optional: str
    mac: str
    """Placeholder of its MAC, by which it is found and named; "" where that is not known."""
    families: tuple[HostFamily, ...]
    segment: int
    has_v4: bool
    link: str = ""
    """The interface that carries it, where it is a VLAN; else ""."""
    vlan: int = 0
    members: tuple[str, ...] = ()
    """The interfaces of a bond."""

    @property
    def routed(self) -> tuple[HostFamily, ...]:
        """The families in which it has a gateway."""
        return tuple(family for family in self.families if family.gateway)


class SlotText:
    """A text with numbered placeholders."""

    def __init__(self, text: str) -> None:
        pieces = _SLOT.split(text)
        self._pieces = pieces
        self._slots = [int(number) for number in pieces[1::2]]

    def fill(self, values: Sequence[str]) -> bytes:
        """The text with the placeholders replaced; negative numbers index `values` from the end."""
        pieces = self._pieces.copy()
        pieces[1::2] = [values[slot] for slot in self._slots]
        return "".join(pieces).encode()


@dataclass(frozen=True)
class HostShape:
    """Nodes with the same wiring. Values of a node: for each port its leaf, leaf port and fields; last
    the node's name.
    """

    cluster: Cluster
    keys: tuple[PortKey, ...]
    prefixes: Mapping[tuple[str, str], tuple[str, ...]]
    """By (fabric, family `v4` or `v6`), the prefixes of all its nodes."""
    routes: DefaultRoutes

    @cached_property
    def texts(self) -> tuple[tuple[str, SlotText], ...]:
        """(file name, text) of each file; raises InputError for interface names that Linux does not accept."""
        self._check_interfaces()
        with_arp = [port for port in self.ports if port.has_v4]
        values = {"node": _make_slot(-1), "cluster": self.cluster.design.loaded.blueprint.name}
        files = [(NETPLAN, self.ports), *([(SYSCTL, with_arp)] if with_arp else [])]
        templates = load_templates()
        return tuple(
            (file, SlotText(templates.get_template(f"netplan/{file}.j2").render(values, ports=ports)))
            for file, ports in files
        )

    @cached_property
    def ports(self) -> tuple[HostShapePort, ...]:
        """The ports in order of fabrics, each before the bond that it leads, and these before the VLANs on them."""
        return tuple(
            port for position, key in enumerate(self.keys) for port in self._list_port_interfaces(position, key)
        )

    @cached_property
    def _default_route(self) -> tuple[str, int]:
        """(fabric with the default route, the node's first leg on it); ("", -1) for none."""
        preferences = [
            (
                self.routes.rank_fabric(name, self._find_attachment(key.segment).role, key.tenant, is_shared=i > 0),
                position,
                name,
            )
            for position, key in enumerate(self.keys)
            for i, name in enumerate(self._list_fabrics(key))
        ]
        best_rank, position, fabric = min(preferences, default=(NEVER, 0, ""))
        return (fabric, self.keys[position].leg) if best_rank < NEVER else ("", -1)

    def _find_segment(self, segment: int) -> Segment:
        return self.cluster.plan.links.segments[segment]

    def _find_attachment(self, segment: int) -> Attachment:
        side = self._find_segment(segment).a
        assert isinstance(side, Attachment)  # noqa: S101 - links of nodes have nothing else there
        return side

    @cached_property
    def _sharing_fabrics(self) -> list[str]:
        """The fabrics that have a VLAN on ports of another, in the order of their fields."""
        return [fabric.name for fabric in self.cluster.design.fabrics if fabric.shares_ports]

    @cached_property
    def _sharing_by_segment(self) -> dict[int, tuple[str, ...]]:
        absent = self.cluster.phase.absent if self.cluster.phase else frozenset[str]()
        return find_sharing_fabrics(self.cluster.plan, self.cluster.design, absent)

    def _list_port_interfaces(self, position: int, key: PortKey) -> Iterator[HostShapePort]:
        """A port, or a port in a bond and the bond that it leads; and an interface for each tagged fabric.

        `position` is that of `key` among the keys.
        """
        port = self._make_port(position, key, self._find_segment(key.segment).fabric)
        if key.bond < 0:
            yield from self._list_vlan_interfaces(position, key, port.interface, self._find_largest_mtu(key))
            return
        bond_keys = [other_key for other_key in self.keys if self._identify_bond(other_key) == self._identify_bond(key)]
        mtu = min(map(self._find_largest_mtu, bond_keys))
        yield replace(port, mtu=mtu, families=(), has_v4=False, optional="true")
        if key.leads:
            design, side, name = (
                self.cluster.design,
                self._find_attachment(key.segment),
                name_bond(*self._identify_bond(key)),
            )
            interface = name_interface(design.loaded.blueprint, side.profile.id, name)
            members = tuple(self._make_port(0, bond_key, port.fabric).interface for bond_key in bond_keys)
            for bond_interface in self._list_vlan_interfaces(position, key, interface, mtu):
                yield replace(bond_interface, label=name, mac="", members=() if bond_interface.link else members)

    def _identify_bond(self, key: PortKey) -> tuple[str, int]:
        """(fabric, NIC) of the bond of a port; the NIC is -1 where it is in none."""
        return self._find_segment(key.segment).fabric, key.bond

    def _find_largest_mtu(self, key: PortKey) -> int:
        """The MTU of a port: the largest of its fabrics, unless the switch port has less."""
        most = max(self._list_mtus(key).values())
        return min(most, key.at_most or most)

    def _list_mtus(self, key: PortKey) -> dict[str, int]:
        """By fabric on a port, its own first, the MTU there."""
        own_fabric, side = self._find_segment(key.segment).fabric, self._find_attachment(key.segment)
        return {
            name: self._choose_mtu(name, side.role if name == own_fabric else name) for name in self._list_fabrics(key)
        }

    def _list_fabrics(self, key: PortKey) -> tuple[str, ...]:
        return self._find_segment(key.segment).fabric, *self._sharing_by_segment.get(key.segment, ())

    def _list_vlan_interfaces(self, position: int, key: PortKey, interface: str, mtu: int) -> Iterator[HostShapePort]:
        """An interface with the addresses of the untagged fabric of a port, and one for each tagged fabric."""
        design, names = self.cluster.design, self._list_fabrics(key)
        tagged = [name for name in names if len(names) > 1 and design.fabric(name).tagged]
        untagged = next((name for name in names if name not in tagged), "")
        port = self._make_port(position, key, untagged or names[0])
        yield replace(
            port,
            interface=interface,
            mtu=mtu,
            families=port.families if untagged else (),
            has_v4=port.has_v4 and bool(untagged),
        )
        for name in tagged:
            vlan = self._find_vlan(key, name)
            vlan_port, vlan_mtu = self._make_port(position, key, name), min(self._list_mtus(key)[name], mtu)
            yield replace(
                vlan_port, interface=_name_vlan_interface(interface, vlan), mtu=vlan_mtu, link=interface, vlan=vlan
            )

    def _find_vlan(self, key: PortKey, name: str) -> int:
        """The VLAN of a fabric on a port: that of its tenant, or else that of the fabric."""
        design = self.cluster.design
        if key.tenant >= 0 and name in design.tenants[key.tenant].fabrics:
            return design.tenants[key.tenant].vlans[name][0]
        return find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, name)

    def _choose_mtu(self, fabric: str, role: str) -> int:
        return HOST_MTU if self.cluster.design.fabric(fabric).protocol == "roce" or role == "storage" else MTU_ELSEWHERE

    def _make_port(self, position: int, key: PortKey, name: str) -> HostShapePort:
        """A port as the interface of one fabric, its own or one that shares it."""
        number, leg, flags, *_ = key
        design, side = self.cluster.design, self._find_attachment(number)
        label, families = side.legs[leg].name, self.cluster.addresses.families
        fields_per_fabric = len(FIELDS) * len(families)
        field_count = fields_per_fabric * (1 + len(self._sharing_fabrics))
        # values of a port: leaf, leaf port, its fields, MAC; `flags` has a bit for each field, and the next one for the
        # MAC
        first = position * (3 + field_count)
        fields_before = (
            0
            if name == self._find_segment(number).fabric
            else fields_per_fabric * (1 + self._sharing_fabrics.index(name))
        )
        return HostShapePort(
            interface=name_interface(design.loaded.blueprint, side.profile.id, label),
            label=label,
            fabric=name,
            leaf=_make_slot(first),
            leaf_port=_make_slot(first + 1),
            mtu=0,
            # by the number that the lock keeps for the fabric, whether or not another VLAN is stated: no two fabrics
            # share a table, and none changes when others come or go
            table=design.layout.numbering.held["vlans"][name][0].first * 1000 + leg + 1,
            metric=PRIORITY + leg + 1,
            priority=PRIORITY,
            is_default=name == self._default_route[0],
            by_source=name != self._default_route[0] or side.role not in DEFAULT_ROLES,
            optional="false" if (name, leg) == self._default_route else "true",
            mac=_make_slot(first + 2 + field_count) if flags >> field_count & 1 else "",
            families=tuple(self._list_families(name, first + 2, key, fields_before)),
            segment=number,
            has_v4=bool(flags >> fields_before & 1),
        )

    def _list_families(self, fabric: str, first: int, key: PortKey, fields_before: int) -> list[HostFamily]:
        """The families in which a port has an address; `first` is the placeholder of the first field of the port,
        `fields_before` fields precede those of the fabric.
        """
        families = []
        for i, family in enumerate(self.cluster.addresses.families):
            bits = range(fields_before + i * len(FIELDS), fields_before + (i + 1) * len(FIELDS))
            address, plain_address, gateway, subnet = (
                _make_slot(first + bit) if key.flags >> bit & 1 else "" for bit in bits
            )
            if address:
                beyond = self.routes.list_accepted_prefixes(fabric, key.tenant, v6=family.family.word == "v6")
                prefixes = (*self.prefixes[fabric, family.family.word], *beyond)
                families.append(HostFamily(address, plain_address, gateway, subnet, prefixes))
        return families

    def _check_interfaces(self) -> None:
        # raises InputError (FG041) where two ports would be one interface, or Linux does not take a name
        ports_by_interface: dict[str, HostShapePort] = {}
        for port in self.ports:
            first = ports_by_interface.setdefault(port.interface, port)
            clash = (
                f"ports {first.label} ({first.fabric}) and {port.label} ({port.fabric}) of {{}} are both interface {{}}"
            )
            if first is not port:
                raise self._make_fault(port, clash)
            if not is_interface_name(port.interface):
                raise self._make_fault(port, f"port {port.label} of {{}} cannot be interface {{}}")

    def _make_fault(self, port: HostShapePort, message: str) -> InputError:
        # a fault at the segment of a port; `message` has {} for the model of the node and for the interface
        profile = self._find_attachment(port.segment).profile.id
        error = fault(
            "FG041",
            message.format(profile, port.interface),
            path=self._find_segment(port.segment).path,
            hint=f"say what its operating system calls it: names.interfaces.{profile}.{port.label}",
        )
        return self.cluster.design.loaded.locate_error(error)


def _name_vlan_interface(interface: str, vlan: int) -> str:
    """The name of the interface of a tagged VLAN: `bond0.200`, or `vlan200` where that is too long for Linux."""
    name = f"{interface}.{vlan}"
    return name if is_interface_name(name) else f"vlan{vlan}"
