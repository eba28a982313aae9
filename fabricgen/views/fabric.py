"""The view of a whole fabric for the subnet manager: rows for switches, adapters and links, and partitions.

InfiniBand switches have no configuration of their own: a subnet manager routes them all. Ports are numbered from 1 over
the front panel: those of cage 1, then those of cage 2. A box with a cage split further than its connectors numbers all
of its cages so (MLNX-OS user manual, InfiniBand interface: `system profile ib split-ready` is of the whole box).

There is a partition for each tenant and one for the rest. A port of a tenant is a full member of that tenant's
partition alone; an extra device that is of several tenants is in several, and is what they share. Ports of no tenant
are in one more partition: as full members of the default one they would reach every tenant's nodes, which are limited
members of it (InfiniBand Architecture Specification, volume 1, 10.9.3: a full member of a partition talks to the
limited ones).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fabricgen.blueprint.sections.fabric import SUBNET_NOS
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.linked import group_infiniband_fabrics
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.numbering.guids import GuidDevices, Guids, assign_guids, list_guid_rows
from fabricgen.wiring.arrays import Ints, Ints64, join_components
from fabricgen.wiring.tables import EXTRA, SWITCH, Side, WiringPlan
from fabricgen.wiring.tenants import NOBODY, find_device_tenants

REST = 0x7FFE
"""The P_Key of ports of no tenant: the last before the default partition's 0x7fff. Tenants are numbered from 1."""


class TenantPort(NamedTuple):
    """A port of a node, by its GUID, with its tenants ("" is none); `stated`: the GUID is one of real hardware."""

    node: str
    guid: int
    stated: bool
    tenants: tuple[str, ...]


class PartitionMember(NamedTuple):
    """The ports of a node in a partition, by GUID.

    `alone`: they are in no other partition but the default one; `planned`: some GUID is a placeholder.
    """

    node: str
    guids: tuple[int, ...]
    alone: bool
    planned: bool


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: its name, its P_Key without the bit for full members, and its members, in the order of the plan."""

    name: str
    pkey: int
    members: tuple[PartitionMember, ...]


def make_partitions(ports: Iterable[TenantPort], numbers: Mapping[str, int], rest_name: str) -> tuple[Partition, ...]:
    """Return the partitions by P_Key: those of tenants, by their `numbers`, and one for ports of no tenant, named
    `rest_name`.
    """
    ports_by_partition: dict[str, dict[tuple[str, bool], list[TenantPort]]] = {}
    for port in ports:
        for name in port.tenants:
            # by node, and by whether the ports are in no other partition but the default one
            ports_by_partition.setdefault(name, {}).setdefault((port.node, len(port.tenants) == 1), []).append(port)
    return tuple(
        Partition(
            name or rest_name,
            pkey,
            tuple(
                _make_member(*node_and_membership, member_ports)
                for node_and_membership, member_ports in ports_by_partition[name].items()
            ),
        )
        for pkey, name in sorted((numbers.get(name, REST), name) for name in ports_by_partition)
    )


def _make_member(node: str, alone: bool, ports: list[TenantPort]) -> PartitionMember:
    """Return the member of a partition that some ports of a node make."""
    guids = tuple(port.guid for port in ports)
    return PartitionMember(node, guids, alone, not all(port.stated for port in ports))


class FabricSwitch(NamedTuple):
    """A switch: the number of ports on its front panel, `per_cage` in each cage; lanes run at `lane_gbps`.

    `top`: no tier is above it. Switches of the same `subnet` (from 0) reach each other. `stated`: the blueprint states
    its GUID.
    """

    name: str
    model: str
    rack: str
    u: int
    ports: int
    per_cage: int
    lane_gbps: float
    top: bool
    subnet: int
    guid: int
    stated: bool


class FabricAdapter(NamedTuple):
    """A port of the node `name`, which InfiniBand treats as an adapter with one port; `number` counts the node's ports
    from 1.
    """

    name: str
    port: str
    number: int
    rack: str
    u: int
    guid: int
    port_guid: int
    stated: bool


class FabricLink(NamedTuple):
    """A link: its ends are indexes of `FabricView.nodes`, of which `a` is the lower; speeds in Gb/s.

    A port has a number; `cage` counts from 1 and `sub` within the cage, both 0 at an adapter.
    """

    a: int
    a_port: int
    a_cage: int
    a_sub: int
    b: int
    b_port: int
    b_cage: int
    b_sub: int
    speed_gbps: float
    lane_gbps: float


@dataclass(frozen=True, slots=True)
class FabricView:
    """A fabric and those linked with it, which share its switches and subnet manager."""

    name: str
    nos: str
    switches: tuple[FabricSwitch, ...]
    adapters: tuple[FabricAdapter, ...]
    links: tuple[FabricLink, ...]
    """In the order of links.csv."""
    has_high_nodes: bool
    """Whether nodes are connected to other tiers than the lowest."""
    is_tree: bool
    """Whether it has two tiers or more, nodes only on the lowest, no link that skips a tier or is a peer link, and
    equally many between any two switches that meet.
    """
    subnet_manager: str = SUBNET_NOS
    """`opensm` or `ufm`."""
    default_partition: str = "full"
    """Membership of nodes in the default partition: `full` or `limited`."""
    managers: tuple[str, ...] = ()
    """Names of the UFM appliances that attach, in order."""
    has_accelerators: bool = False
    """Whether adapters of accelerators attach."""
    partitions: tuple[Partition, ...] = ()
    """Those of tenants by P_Key, then that of the other nodes; none without tenants."""

    @property
    def nodes(self) -> tuple[FabricSwitch | FabricAdapter, ...]:
        """What the ends of links index: switches, then adapters."""
        return (*self.switches, *self.adapters)

    @property
    def subnets(self) -> int:
        """The number of disconnected parts: rails or planes without a common tier."""
        return 1 + max((switch.subnet for switch in self.switches), default=-1)


def make_fabric_view(design: Design, plan: WiringPlan, names: Sequence[str], name: str) -> FabricView:
    """Return the view of a fabric that `whole_fabrics` names.

    Raises InputError, at its line, for a stated GUID of a device or port that the fabric does not have.
    """
    return _FabricViewBuilder(design, plan, names, name).view()


class _LinkEndColumns(NamedTuple):
    """One end of each link of the fabric, as int64 columns with an entry for each link.

    `node` is the index of the device in `FabricView.nodes`; the others are as in `FabricLink`.
    """

    node: Ints64
    port: Ints64
    cage: Ints64
    sub: Ints64


class _NodePort(NamedTuple):
    """A port of a node: the fabric, the row of its device, its index (`place`) among the ports by which such a node
    attaches to the fabric (legs), and its name.
    """

    fabric: str
    row: int
    place: int
    port: str


class _FabricViewBuilder:
    """Builds the view of one fabric from columns of the wiring plan."""

    def __init__(self, design: Design, plan: WiringPlan, names: Sequence[str], name: str) -> None:
        self._design, self._plan, self._names, self._name = design, plan, names, name
        self._members = group_infiniband_fabrics(design)[name]
        self._spec = design.loaded.blueprint.fabrics[name]
        links = plan.links
        is_of_fabric = [s.fabric in self._members and isinstance(s.b, PortRun) for s in links.segments]
        self._links = np.flatnonzero(np.array(is_of_fabric, dtype=bool)[links.segment])
        self._classes = [c for c in plan.devices.classes if c.kind == SWITCH and c.fabric in self._members]
        self._switches = np.array([row for c in self._classes for row in range(c.first, c.first + c.count)], np.int64)
        # how many numbers each cage has, so that ports are numbered over the face
        self._stride = self._count_ports_by_cage()

    def view(self) -> FabricView:
        """Return the view; ports of nodes are numbered after the switches, in the order in which links have them."""
        legs: list[_NodePort] = []
        a, b = self._find_link_ends(legs, at_b=False), self._find_link_ends(legs, at_b=True)
        guids = self._assign_guids(legs)
        adapters, managers = tuple(self._adapter_rows(guids, legs)), tuple(self._list_managers(legs))
        partitions = self._make_partitions(legs, adapters, managers)
        return FabricView(
            name=self._name,
            nos=self._classes[0].nos,
            switches=tuple(self._switch_rows(guids, _number_subnets(a.node, b.node, len(self._switches)).tolist())),
            adapters=adapters,
            links=tuple(map(FabricLink._make, zip(*self._link_columns(a, b), strict=True))),
            has_high_nodes=self._has_high_nodes(),
            is_tree=self._is_tree(),
            subnet_manager=self._spec.subnet_manager or SUBNET_NOS,
            default_partition=self._spec.default_partition or ("limited" if partitions else "full"),
            managers=managers,
            has_accelerators=any(
                leg.gpu is not None
                for name in self._members
                for _, attached in self._design.fabric(name).attachments
                for leg in attached.legs
            ),
            partitions=partitions,
        )

    def _make_partitions(
        self, legs: list[_NodePort], adapters: Sequence[FabricAdapter], managers: Collection[str]
    ) -> tuple[Partition, ...]:
        """Return the partitions of tenants, () if no tenant is isolated here; UFM of no tenant is in none of them."""
        tenants = [tenant for tenant in self._design.tenants if not set(self._members).isdisjoint(tenant.fabrics)]
        if not tenants:
            return ()
        ports: list[TenantPort] = []
        for adapter, tenants_of_port in zip(adapters, self._list_port_tenants(legs), strict=True):
            if adapter.name not in managers or tenants_of_port != ("",):  # ("",): of no tenant, and shared by none
                ports.append(TenantPort(adapter.name, adapter.port_guid, adapter.stated, tenants_of_port))
        return make_partitions(ports, {tenant.name: tenant.number for tenant in tenants}, self._name)

    def _list_port_tenants(self, legs: list[_NodePort]) -> Iterator[tuple[str, ...]]:
        """Yield the tenants of each port: its own, "" for none, then those that share it."""
        design, devices = self._design, self._plan.devices
        of_device = find_device_tenants(design, devices).tolist()
        for leg in legs:
            tenant = design.tenants[of_device[leg.row]] if of_device[leg.row] != NOBODY else None
            cls = devices.classes[devices.device_class[leg.row]]
            extra = cls.label if cls.kind == EXTRA else ""
            sharing = [t.name for t in design.tenants if extra and extra in t.shared and leg.fabric in t.fabrics]
            # the tenant that owns the port comes first, even where it is ""
            yield (tenant.name if tenant and leg.fabric in tenant.fabrics else "", *sharing)

    def _list_managers(self, legs: list[_NodePort]) -> list[str]:
        """Return the UFM appliances among the nodes, by profile: `ufm`, or `ufm-...` in a user's catalogue."""
        devices = self._plan.devices
        rows = dict.fromkeys(leg.row for leg in legs)
        profiles = {row: devices.classes[devices.device_class[row]].profile.id for row in rows}
        return [self._names[row] for row in sorted(rows) if profiles[row].partition("-")[0] == "ufm"]

    def _assign_guids(self, legs: list[_NodePort]) -> Guids:
        """Return the GUIDs of switches and ports; those stated in the blueprint or the inventory come first."""
        ports: dict[str, list[str]] = {}
        for leg in legs:
            ports.setdefault(self._names[leg.row], []).append(leg.port)
        switches = tuple((c.fabric, name) for c in self._classes for name in self._names[c.rows])
        nodes = tuple(dict.fromkeys((leg.fabric, self._names[leg.row]) for leg in legs))
        stated = self._design.loaded.guids
        rows = [row for m in self._members for row in stated.get(m, ())]
        rows += list_guid_rows(self._design.loaded.inventory, (name for _, name in switches), ports)
        return assign_guids(GuidDevices(switches, nodes, ports), rows)

    def _count_ports_by_cage(self) -> Ints64:
        """Return how many ports each switch numbers in a cage (int64, by row of the device table);
        0 for other devices.
        """
        links, stride = self._plan.links, np.zeros(len(self._plan.devices), dtype=np.int64)
        for cls in self._classes:
            assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - the class is of switches
            stride[cls.rows] = max(cage.connectors for cage in cls.profile.cages)
        for number, segment in enumerate(links.segments):
            rows = self._links[links.segment[self._links] == number]
            for side, device in ((segment.a, links.a_device), (segment.b, links.b_device)):
                if isinstance(side, PortRun):
                    np.maximum.at(stride, device[rows], side.ways)
        # all switches of a class are numbered alike: as the finest split of any of them asks
        for cls in self._classes:
            stride[cls.rows] = stride[cls.rows].max(initial=1)
        return stride

    def _find_link_ends(self, legs: list[_NodePort], *, at_b: bool) -> _LinkEndColumns:
        """Return the columns of the lower ends of the links, or with `at_b` of the upper ends.

        Ports of nodes are added to `legs`, and numbered behind the switches in that order.
        """
        links, rows = self._plan.links, self._links
        devices, ports = (links.b_device, links.b_port) if at_b else (links.a_device, links.a_port)
        switch_number = np.full(len(self._plan.devices), -1, dtype=np.int64)
        switch_number[self._switches] = np.arange(len(self._switches))
        ends = _LinkEndColumns(*(np.zeros(len(rows), dtype=np.int64) for _ in range(4)))
        for number, segment in enumerate(links.segments):
            in_segment = np.flatnonzero(links.segment[rows] == number)
            side = segment.b if at_b else segment.a
            device, port = devices[rows[in_segment]], ports[rows[in_segment]]
            if isinstance(side, Attachment):
                first_number = len(self._switches) + len(legs)
                ends.node[in_segment] = np.arange(first_number, first_number + len(in_segment))
                ends.port[in_segment] = 1
                pairs = zip(device.tolist(), port.tolist(), strict=True)
                legs += [_NodePort(segment.fabric, row, leg, side.legs[leg].name) for row, leg in pairs]
            elif len(in_segment):
                ends.node[in_segment] = switch_number[device]
                face_ports = self._number_face_ports(side, device, port)
                ends.port[in_segment], ends.cage[in_segment], ends.sub[in_segment] = face_ports
        return ends

    def _number_face_ports(self, side: Side, device: Ints, port: Ints) -> tuple[Ints64, Ints64, Ints64]:
        """Return (number on the front panel from 1, cage from 1, index in the cage) of switch ports; int64."""
        assert isinstance(side, PortRun)  # noqa: S101 - the only other side of a link that carries traffic
        cage = np.array(side.cages, dtype=np.int64)[port // side.ways]
        sub = (port % side.ways).astype(np.int64)
        stride = self._stride[device]
        # each cage has as many numbers as the finest split in use: ports of a coarser one have the first of their share
        return (cage - 1) * stride + sub * (stride // side.ways) + 1, cage, sub

    def _locate_device(self, row: int) -> tuple[str, int]:
        """Return (name of the rack, rack unit) of a device."""
        return self._plan.racks.names[self._plan.devices.rack[row]], int(self._plan.devices.u[row])

    def _adapter_rows(self, guids: Guids, legs: list[_NodePort]) -> Iterator[FabricAdapter]:
        """Yield the rows of adapters, one for each port of a node."""
        for leg in legs:
            name = self._names[leg.row]
            rack, u = self._locate_device(leg.row)
            guid = guids.find_port_guids(leg.fabric, name, leg.port, leg.place)
            yield FabricAdapter(name, leg.port, leg.place + 1, rack, u, *guid)

    def _switch_rows(self, guids: Guids, subnet: list[int]) -> Iterator[FabricSwitch]:
        """Yield the rows of switches in the order of the plan; `subnet` is the number of each one's subnet."""
        number = iter(subnet)
        for cls in self._classes:
            assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - the class is of switches
            top = self._design.tier(cls.key).uplink is None
            for row in range(cls.first, cls.first + cls.count):
                yield FabricSwitch(
                    self._names[row],
                    cls.profile.id,
                    *self._locate_device(row),
                    cls.profile.cage_count * int(self._stride[row]),
                    int(self._stride[row]),
                    max(cage.lane_gbps for cage in cls.profile.cages),
                    top,
                    next(number),
                    *guids.find_switch_guid(cls.fabric, self._names[row]),
                )

    def _link_columns(self, a: _LinkEndColumns, b: _LinkEndColumns) -> list[list[Any]]:
        """Return the columns of links: a list of values for each field of `FabricLink`, in the order of the fields."""
        segments, segment = self._plan.links.segments, self._plan.links.segment[self._links]
        speeds = (np.array([getattr(s, key) for s in segments])[segment] for key in ("speed_gbps", "lane_gbps"))
        return [column.tolist() for column in (*a, *b, *speeds)]

    def _has_high_nodes(self) -> bool:
        """Whether nodes are attached above the lowest tier."""
        mine = [s for s in self._plan.links.segments if s.fabric in self._members and isinstance(s.a, Attachment)]
        return any(segment.tier and self._design.levels[segment.tier] for segment in mine)

    def _is_tree(self) -> bool:
        """Whether every link goes from one level to the next, as fat-tree routing needs it."""
        tiers = [tier for name in self._members for tier in self._design.fabric(name).tiers]
        levels, upward = self._design.levels, {tier.key: tier.uplink.upper for tier in tiers if tier.uplink}
        return (
            bool(upward)
            and not self._has_high_nodes()
            and not any(tier.links_inside or (tier.uplink and tier.uplink.uneven) for tier in tiers)
            and all(levels[upper] == levels[lower] + 1 for lower, upper in upward.items())
        )


def _number_subnets(a: Ints64, b: Ints64, switches: int) -> Ints64:
    """Return the connected component of each switch (int64), numbered from 0 in the order of the switches."""
    between = (a < switches) & (b < switches)
    label = join_components(np.arange(switches, dtype=np.int64), a[between], b[between])
    return np.unique(label, return_inverse=True)[1]
