"""Configuration files of nodes with the same wiring: one text for all of them, with placeholders for the values of
each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fabricgen.blueprint.sections.naming import is_interface_name
from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import DEFAULT_ROLES, NEVER, DefaultRoutes
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.linked import find_fabric_vlan
from fabricgen.design.names.switches import name_bond, name_interface
from fabricgen.export.host_links import FIELDS, split_by_device
from fabricgen.export.table import File
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.templates import load_templates
from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
from fabricgen.views.mtu import HOST_MTU
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import Segment

NETPLAN, SYSCTL = "60-fabric.yaml", "90-fabric.conf"
"""File names: netplan and sysctl apply files in the order of their names, and these names come late."""

MTU_ELSEWHERE = 1500
"""MTU in bytes of ports that carry neither RoCE nor storage: they also reach networks with the standard MTU."""

PRIORITY = 1000
"""Priority of rules that select a routing table by source address: before the kernel's main table (32766)."""


BATCH_NODES = 1024
"""Nodes whose values are computed together: enough for array operations to pay, and few enough to keep memory low."""

FLAGS_IN_A_NUMBER = 63
"""Bits of an int64 without its sign."""


class PortKey(NamedTuple):
    """A port that has the same text on all nodes of a shape, which are nodes with the same wiring.

    `segment` is the index of its link's segment in the plan, `leg` the index of the port among the legs (logical ports)
    of the nodes' attachment. `flags` has bit n set if the port has a value of field n; `at_most` is the MTU of the
    switch port if the blueprint states one, else 0. `bond` is the NIC of the bond that the port is in, 0 for a bond of
    all ports, -1 for none; `leads` says whether the port has the address of the bond. `tenant` is the index, in
    `design.tenants`, of the tenant whose VLANs the port is in if fabrics share ports; -1 for none.
    """

    segment: int
    leg: int
    flags: int
    at_most: int
    bond: int
    leads: bool
    tenant: int


_SLOT = re.compile("\0(-?[0-9]+)\0")
"""A placeholder, as `make_slot` writes it, with its index as the group."""


def make_slot(number: int) -> str:
    """Return the placeholder of a value: its index among the values of a node, between two NUL characters.

    Negative indexes count from the end: -1 is the name of the node.
    """
    return f"\0{number}\0"


@dataclass(frozen=True, slots=True)
class HostFamily:
    """One address family of a port as placeholders, "" for a missing value: the `FIELDS` of `host_links`.

    `address` has a prefix length, `own` is the same without it. `prefixes` are not placeholders, but the prefixes of
    all nodes of the fabric.
    """

    address: str
    own: str
    gateway: str
    subnet: str
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostShapePort:
    """A port as templates see it.

    `label` is its name in the plan, `interface` what Linux calls it. `leaf`, `leaf_port`, `mac` and what `families`
    have are placeholders. `optional`, `true` or `false`, says that booting does not wait for it; `table` is the number
    of its routing table, `priority` that of the rule which selects the table, `metric` that of its routes in the main
    table. `segment` is the index of its link's segment.
    """

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
    """Whether packets from its own address leave by it: it then has a routing table of its own."""
    optional: str
    mac: str
    """Placeholder of the MAC by which it is found and named; "" if the MAC is not known."""
    families: tuple[HostFamily, ...]
    segment: int
    has_v4: bool
    link: str = ""
    """For a VLAN, the interface that carries it; else ""."""
    vlan: int = 0
    """The number of its VLAN; 0 for a port or bond."""
    members: tuple[str, ...] = ()
    """The interfaces of a bond."""

    @property
    def routed(self) -> tuple[HostFamily, ...]:
        """The families in which it has a gateway."""
        return tuple(family for family in self.families if family.gateway)


class SlotText:
    """A text with placeholders, in which `make_slot(n)` stands for value n of a node.

    It is split at them once, so that filling it in for a node is a single join. `str.format` would read it for each
    node, and take braces of the files themselves (mappings in netplan, variables in rdma-setup) for placeholders.
    """

    def __init__(self, text: str) -> None:
        self._pieces = _SLOT.split(text)
        self._slots = [int(number) for number in self._pieces[1::2]]

    def fill(self, values: Sequence[str]) -> bytes:
        """Return the text, encoded, with its placeholders replaced; negative numbers index `values` from the end."""
        pieces = self._pieces.copy()
        pieces[1::2] = [values[slot] for slot in self._slots]
        return "".join(pieces).encode()


@dataclass(frozen=True)
class NodeShape:
    """Nodes with the same wiring: their files are alike but for the values of each node."""

    cluster: Cluster

    def find_segment(self, segment: int) -> Segment:
        """Return a segment of the plan's links by its number."""
        return self.cluster.plan.links.segments[segment]

    def find_attachment(self, segment: int) -> Attachment:
        """Return the attachment of nodes at the lower end of a segment."""
        side = self.find_segment(segment).a
        assert isinstance(side, Attachment)  # noqa: S101 - links of nodes have nothing else there
        return side

    @cached_property
    def sharing_by_segment(self) -> dict[int, tuple[str, ...]]:
        """By segment, the fabrics that have a VLAN on its ports and no ports of their own."""
        absent = self.cluster.phase.absent if self.cluster.phase else frozenset[str]()
        return find_sharing_fabrics(self.cluster.plan, self.cluster.design, absent)


def flag_values(columns: Iterable[Sequence[str]]) -> list[int]:
    """Return, by row, a number with bit n set if the row has a value in column n."""
    has_value = [np.array(column, dtype=object).astype(bool) for column in columns]
    flag_type = np.int64 if len(has_value) < FLAGS_IN_A_NUMBER else object
    flags: list[int] = np.sum([c.astype(flag_type) << bit for bit, c in enumerate(has_value)], axis=0).tolist()
    return flags


def write_node_files(
    cluster: Cluster,
    rows: Ints64,
    keys: Sequence[Any],
    fields: Sequence[Sequence[str]],
    make_texts: Callable[[tuple[Any, ...]], Iterable[tuple[str, SlotText]]],
) -> Iterator[File]:
    """Yield the files hosts/NODE/FILE of some nodes.

    `rows` are all links of these nodes, sorted by node; `keys` and the columns `fields` have an entry for each of them.
    `make_texts` returns (file name, text) for the keys of a node; the values of a node are its fields, link by link,
    and then its name.
    """
    device, values = cluster.plan.links.a_device[rows], list(zip(*fields, strict=True))
    for start, end in split_by_device(device, 1):
        name = cluster.names[device[start]]
        node_values = [*chain.from_iterable(values[start:end]), name]
        for file, text in make_texts(tuple(keys[start:end])):
            yield f"hosts/{name}/{file}", text.fill(node_values)


@dataclass(frozen=True)
class HostShape(NodeShape):
    """The network configuration of nodes with the same wiring.

    The values of a node are, for each port, its leaf, leaf port and fields; then the node's name.
    """

    keys: tuple[PortKey, ...]
    prefixes: Mapping[tuple[str, str], tuple[str, ...]]
    """By (fabric, family `v4` or `v6`), the prefixes of all its nodes."""
    routes: DefaultRoutes

    @cached_property
    def texts(self) -> tuple[tuple[str, SlotText], ...]:
        """The (file name, text) of each file.

        Raises InputError (FG041) for interface names that Linux does not accept, or that two ports share.
        """
        self._check_interfaces()
        with_arp = [port for port in self.ports if port.has_v4]
        values = {"node": make_slot(-1), "cluster": self.cluster.design.loaded.blueprint.name}
        files = [(NETPLAN, self.ports), *([(SYSCTL, with_arp)] if with_arp else [])]
        return tuple(
            (file, SlotText(load_templates().get_template(f"netplan/{file}.j2").render(values, ports=ports)))
            for file, ports in files
        )

    @cached_property
    def ports(self) -> tuple[HostShapePort, ...]:
        """The ports in the order of fabrics: each port, then the bond that it leads, then the VLANs on them."""
        return tuple(
            port for position, key in enumerate(self.keys) for port in self._list_port_interfaces(position, key)
        )

    @cached_property
    def _default_route(self) -> tuple[str, int]:
        """(the fabric with the default route, the node's first leg on it as an index in its attachment); ("", -1) for
        none.
        """
        preferences = [
            (
                self.routes.rank_fabric(name, self.find_attachment(key.segment).role, key.tenant, is_shared=i > 0),
                position,
                name,
            )
            for position, key in enumerate(self.keys)
            for i, name in enumerate(self._list_fabrics(key))
        ]
        best_rank, position, fabric = min(preferences, default=(NEVER, 0, ""))
        return (fabric, self.keys[position].leg) if best_rank < NEVER else ("", -1)

    @cached_property
    def _sharing_fabrics(self) -> list[str]:
        """The fabrics that have a VLAN on ports of another fabric, in the order in which their fields follow those of
        the port's own fabric.
        """
        return [fabric.name for fabric in self.cluster.design.fabrics if fabric.shares_ports]

    def _list_port_interfaces(self, position: int, key: PortKey) -> Iterator[HostShapePort]:
        """Yield a port, or a port in a bond and the bond that it leads; then an interface for each tagged fabric.

        `position` is the index of `key` among the keys.
        """
        port = self._make_port(position, key, self.find_segment(key.segment).fabric)
        if key.bond < 0:
            yield from self._list_vlan_interfaces(position, key, port.interface, self._find_largest_mtu(key))
            return
        bond_keys = [other_key for other_key in self.keys if self._identify_bond(other_key) == self._identify_bond(key)]
        mtu = min(map(self._find_largest_mtu, bond_keys))
        # a port in a bond has no addresses: the bond has them, and comes once, after the port that leads it
        yield replace(port, mtu=mtu, families=(), has_v4=False, optional="true")
        if key.leads:
            profile, name = self.find_attachment(key.segment).profile.id, name_bond(*self._identify_bond(key))
            interface = name_interface(self.cluster.design.loaded.blueprint, profile, name)
            # position 0 stands for any: only the name of the interface is read
            members = tuple(self._make_port(0, bond_key, port.fabric).interface for bond_key in bond_keys)
            for bond_interface in self._list_vlan_interfaces(position, key, interface, mtu):
                yield replace(bond_interface, label=name, mac="", members=() if bond_interface.link else members)

    def _identify_bond(self, key: PortKey) -> tuple[str, int]:
        """Return the fabric and the NIC of the bond of a port; the NIC is -1 if the port is in no bond."""
        return self.find_segment(key.segment).fabric, key.bond

    def _find_largest_mtu(self, key: PortKey) -> int:
        """Return the MTU of a port in bytes: the largest of its fabrics, unless the switch port has less."""
        largest_mtu = max(self._list_mtus(key).values())
        return min(largest_mtu, key.at_most or largest_mtu)

    def _list_mtus(self, key: PortKey) -> dict[str, int]:
        """Return the MTU in bytes of each fabric on a port, the port's own fabric first."""
        own_fabric, attachment = self.find_segment(key.segment).fabric, self.find_attachment(key.segment)
        return {
            # a fabric that shares the port has its name as its role
            name: self._choose_mtu(name, attachment.role if name == own_fabric else name)
            for name in self._list_fabrics(key)
        }

    def _list_fabrics(self, key: PortKey) -> tuple[str, ...]:
        return self.find_segment(key.segment).fabric, *self.sharing_by_segment.get(key.segment, ())

    def _list_vlan_interfaces(self, position: int, key: PortKey, interface: str, mtu: int) -> Iterator[HostShapePort]:
        """Yield an interface with the addresses of the untagged fabric of a port, and one for each tagged fabric.

        `position` is the index of `key` among the keys; `interface` and `mtu` are those of the port, or of its bond.
        """
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
            vlan_name, vlan_mtu = _name_vlan_interface(interface, vlan), min(self._list_mtus(key)[name], mtu)
            yield replace(
                self._make_port(position, key, name), interface=vlan_name, mtu=vlan_mtu, link=interface, vlan=vlan
            )

    def _find_vlan(self, key: PortKey, name: str) -> int:
        """Return the VLAN of a fabric on a port: that of the port's tenant, else that of the fabric."""
        design = self.cluster.design
        if key.tenant >= 0 and name in design.tenants[key.tenant].fabrics:
            return design.tenants[key.tenant].vlans[name][0]
        return find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, name)

    def _choose_mtu(self, fabric: str, role: str) -> int:
        return HOST_MTU if self.cluster.design.fabric(fabric).protocol == "roce" or role == "storage" else MTU_ELSEWHERE

    def _make_port(self, position: int, key: PortKey, fabric: str) -> HostShapePort:
        """Return a port as the interface of a fabric: the port's own fabric, or one that shares the port.

        Values of a node are placeholders, of which each port has a range; `position` is that of the port among the
        keys.
        """
        segment, leg, flags, *_ = key
        design, attachment = self.cluster.design, self.find_attachment(segment)
        label, families = attachment.legs[leg].name, self.cluster.addresses.families
        fields_per_fabric = len(FIELDS) * len(families)
        field_count = fields_per_fabric * (1 + len(self._sharing_fabrics))
        # values of a port: leaf, leaf port, its fields, MAC; `flags` has a bit for each field, then one for the MAC
        first_slot = position * (3 + field_count)
        is_own = fabric == self.find_segment(segment).fabric
        fields_before = 0 if is_own else fields_per_fabric * (1 + self._sharing_fabrics.index(fabric))
        return HostShapePort(
            interface=name_interface(design.loaded.blueprint, attachment.profile.id, label),
            label=label,
            fabric=fabric,
            leaf=make_slot(first_slot),
            leaf_port=make_slot(first_slot + 1),
            mtu=0,
            # made of the number that the lock keeps for the fabric, even if another VLAN is stated: no two fabrics have
            # the same table, and no table changes when other fabrics come or go
            table=design.layout.numbering.held["vlans"][fabric][0].first * 1000 + leg + 1,
            metric=PRIORITY + leg + 1,
            priority=PRIORITY,
            is_default=fabric == self._default_route[0],
            by_source=fabric != self._default_route[0] or attachment.role not in DEFAULT_ROLES,
            optional="false" if (fabric, leg) == self._default_route else "true",
            mac=make_slot(first_slot + 2 + field_count) if flags >> field_count & 1 else "",
            families=tuple(self._list_families(fabric, first_slot + 2, key, fields_before)),
            segment=segment,
            has_v4=bool(flags >> fields_before & 1),
        )

    def _list_families(self, fabric: str, first_slot: int, key: PortKey, fields_before: int) -> list[HostFamily]:
        """Return the address families in which a port has an address on a fabric, with placeholders for their values.

        `first_slot` is the number of the placeholder for the first field of the port; the port has `fields_before`
        fields before those of this fabric.
        """
        families = []
        for i, family in enumerate(self.cluster.addresses.families):
            bits = range(fields_before + i * len(FIELDS), fields_before + (i + 1) * len(FIELDS))
            address, plain_address, gateway, subnet = (
                make_slot(first_slot + bit) if key.flags >> bit & 1 else "" for bit in bits
            )
            if address:
                accepted = self.routes.list_accepted_prefixes(fabric, key.tenant, v6=family.family.word == "v6")
                families.append(
                    HostFamily(
                        address, plain_address, gateway, subnet, (*self.prefixes[fabric, family.family.word], *accepted)
                    )
                )
        return families

    def _check_interfaces(self) -> None:
        """Raise InputError (FG041) if two ports would be one interface, or if Linux does not accept a name."""
        ports_by_interface: dict[str, HostShapePort] = {}
        for port in self.ports:
            first_port = ports_by_interface.setdefault(port.interface, port)
            if first_port is not port:
                ports = f"ports {first_port.label} ({first_port.fabric}) and {port.label} ({port.fabric})"
                raise self._make_fault(port, f"{ports} of {{}} are both interface {{}}")
            if not is_interface_name(port.interface):
                raise self._make_fault(port, f"port {port.label} of {{}} cannot be interface {{}}")

    def _make_fault(self, port: HostShapePort, message: str) -> InputError:
        """Return FG041 at the segment of a port; `message` has {} for the model of the node and for the interface."""
        profile = self.find_attachment(port.segment).profile.id
        return self.cluster.design.loaded.locate_error(
            fault(
                "FG041",
                message.format(profile, port.interface),
                path=self.find_segment(port.segment).path,
                hint=f"say what its operating system calls it: names.interfaces.{profile}.{port.label}",
            )
        )


def _name_vlan_interface(interface: str, vlan: int) -> str:
    """Return the name of the interface of a tagged VLAN: `bond0.200`, or `vlan200` if that is too long for Linux."""
    name = f"{interface}.{vlan}"
    return name if is_interface_name(name) else f"vlan{vlan}"
