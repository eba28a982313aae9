"""The frozen whole: design, plan and addresses of a cluster, with lazy views of single devices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.allocate.addresses import Addresses, allocate, is_management, underlay
from fabricgen.allocate.names import device_names, site_names
from fabricgen.allocate.pools import DEFAULT_POOLS, dotted
from fabricgen.allocate.ports import PortNames, Strings
from fabricgen.blueprint.fabric import Qos
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.model import Design, FabricDesign, PortRun, TierDesign
from fabricgen.kernel.diagnostics import InputError
from fabricgen.plan.expand import build_plan
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import SWITCH, ManagementPort, Plan, Wide


@dataclass(frozen=True, slots=True)
class QosIntent:
    """Lossless Ethernet as the switches of a fabric are to do it; thresholds in kB, None: by port speed."""

    lossless: bool
    roce_dscp: int
    cnp_dscp: int
    ecn_min_kb: int | None
    ecn_max_kb: int | None


@dataclass(frozen=True, slots=True)
class FabricIntent:
    """What holds for every switch of a fabric."""

    name: str
    underlay: str
    hosts: str
    bfd: bool
    qos: QosIntent
    vlan: int
    loopback_pools: tuple[str, ...]
    """Prefixes that router ids come from."""
    host_pools: tuple[str, ...]
    """Prefixes that links and subnets of nodes come from."""


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """One cabled port of a switch, as a configuration needs it; addresses carry prefix lengths, "" for none.

    `cage` counts from 1, `sub` from 0 within the cage's `ways` ports. `role` is what is at the far end: `up`, `down`
    or `host`. `speed_gbps` is Gb/s.
    """

    name: str
    cage: int
    sub: int
    ways: int
    speed_gbps: int
    role: str
    address: str
    peer: str
    peer_port: str
    peer_address: str
    peer_tier: str
    peer_asn: int
    peer_model: str
    cable: str


@dataclass(frozen=True, slots=True)
class SwitchView:
    """One switch, as a configuration needs it; addresses are dotted, with prefix length where it says so."""

    name: str
    profile: SwitchProfile
    fabric: FabricIntent
    tier: TierDesign
    is_lowest: bool
    level: int
    """Tiers below it."""
    asn: int
    loopback: str
    management: str
    """With prefix length."""
    management_gateway: str
    gateway: str
    """Of the bridged subnet, with prefix length."""
    host_subnet: str
    """The block that holds the addresses of all node links, with prefix length."""
    site: str
    rack: str
    ports: tuple[SwitchPort, ...]

    @property
    def ecmp_width(self) -> int:
        """Equal paths at most: links up, or down where there is no tier above."""
        run = self.tier.up or self.tier.down
        return max(1, run.count)


@dataclass(frozen=True)
class Cluster:
    """Everything about a cluster; nothing in it changes."""

    design: Design
    plan: Plan
    addresses: Addresses
    names: tuple[str, ...]
    sites: tuple[str, ...]
    a_port: Strings
    b_port: Strings

    @cached_property
    def cages(self) -> tuple[Strings, Strings]:
        """Cage names of the a and b ends of every link; object arrays of str."""
        return PortNames(self.design, self.plan).ends(cage=True)

    @cached_property
    def name_column(self) -> Strings:
        """Device names as an object array."""
        return np.array(self.names, dtype=object)

    @cached_property
    def cable_ids(self) -> tuple[str, ...]:
        """A stable name for every cable: the device and connector it hangs on."""
        from fabricgen.plan.cabling import anchor_rows

        links = self.plan.links
        a_cage, b_cage = self.cages
        ids: list[str] = []
        for row, lower, connector in anchor_rows(links, len(self.plan.cables)):
            device = self.names[links.a_device[row] if lower else links.b_device[row]]
            cage = a_cage[row] if lower else b_cage[row]
            ids.append(f"{device}:{cage}" + (f".{connector + 1}" if connector >= 0 else ""))
        return tuple(ids)

    @cached_property
    def _ports_of(self) -> tuple[Wide, Wide, Wide]:
        """(row pointer per device, link, 0 for the a end and 1 for b), ends sorted by device and place on its face."""
        links, plan = self.plan.links, self.plan
        keep = np.array([not isinstance(s.b, ScaleUpPort) for s in links.segments], dtype=bool)
        order = np.zeros((2, len(links)), dtype=np.int64)
        for i, segment in enumerate(links.segments):
            rows = links.segment == i
            for end, (side, port) in enumerate(((segment.a, links.a_port), (segment.b, links.b_port))):
                order[end, rows] = side.first_cage * 64 * 1024 + port[rows] if isinstance(side, PortRun) else port[rows]
        kept = np.flatnonzero(keep[links.segment])
        device = np.concatenate([links.a_device[kept], links.b_device[kept]])
        link = np.concatenate([kept, kept])
        at_b = np.repeat(np.array([0, 1]), len(kept))
        by = np.lexsort((order[at_b, link], device))
        pointer = np.searchsorted(device[by], np.arange(len(plan.devices) + 1))
        return pointer, link[by], at_b[by]

    def switch_rows(self) -> list[int]:
        """Rows of the device table that are switches of Ethernet fabrics, in order."""
        found: list[int] = []
        for cls in self.plan.devices.classes:
            if cls.kind == SWITCH and self.design.fabric(cls.fabric).protocol != "infiniband":
                found += range(cls.first, cls.first + cls.count)
        return found

    def switches(self) -> Iterator[SwitchView]:
        """Views of every switch that has a configuration."""
        return (self.switch(row) for row in self.switch_rows())

    def switch(self, row: int) -> SwitchView:
        """The view of one switch, by its row in the device table."""
        devices, addresses = self.plan.devices, self.addresses
        cls = devices.classes[devices.device_class[row]]
        fabric = self.design.fabric(cls.fabric)
        gateway = self._gateways.get(row, "")
        assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - the row is a switch
        return SwitchView(
            name=self.names[row],
            profile=cls.profile,
            fabric=self.intent(fabric),
            tier=fabric.tier(cls.tier),
            is_lowest=fabric.tiers[0].name == cls.tier,
            level=[t.name for t in fabric.tiers].index(cls.tier),
            asn=int(addresses.asn[row]),
            loopback=dotted(int(addresses.loopback[row])),
            management=with_length(int(addresses.management[row]), int(addresses.management_length[row])),
            management_gateway=address_text(int(addresses.management_gateway[row])),
            gateway=gateway,
            host_subnet=with_length(int(addresses.subnet[row]), int(addresses.subnet_length[row])),
            site=self.sites[row],
            rack=self.plan.racks.names[devices.rack[row]],
            ports=tuple(self._switch_ports(row)),
        )

    @cached_property
    def _gateways(self) -> dict[int, str]:
        a = self.addresses
        rows = zip(a.gateway_device.tolist(), a.gateway_ip.tolist(), a.gateway_length.tolist(), strict=True)
        return {device: with_length(ip, length) for device, ip, length in rows}

    @cached_property
    def _intents(self) -> dict[str, FabricIntent]:
        return {f.name: fabric_intent(self.design, f) for f in self.design.fabrics}

    def intent(self, fabric: FabricDesign) -> FabricIntent:
        """What holds for every switch of a fabric."""
        return self._intents[fabric.name]

    def _switch_ports(self, row: int) -> Iterator[SwitchPort]:
        pointer, link_of, end_of = self._ports_of
        links, addresses, devices = self.plan.links, self.addresses, self.plan.devices
        for place in range(pointer[row], pointer[row + 1]):
            link, at_b = int(link_of[place]), bool(end_of[place])
            segment = links.segments[links.segment[link]]
            side = segment.b if at_b else segment.a
            if not isinstance(side, PortRun):
                continue
            port = int(links.b_port[link] if at_b else links.a_port[link])
            peer = int(links.a_device[link] if at_b else links.b_device[link])
            length = int(addresses.length[link])
            own, far = addresses.b_ip[link], addresses.a_ip[link]
            own, far = (own, far) if at_b else (far, own)
            names = (self.b_port[link], self.a_port[link]) if at_b else (self.a_port[link], self.b_port[link])
            peer_class = devices.classes[devices.device_class[peer]]
            host = segment.lower == "node"
            cable = int(links.cable[link])
            yield SwitchPort(
                name=names[0],
                cage=side.first_cage + port // side.ways,
                sub=port % side.ways,
                ways=side.ways,
                speed_gbps=int(segment.speed_gbps),
                role="host" if host else "down" if at_b else "up",
                address=with_length(int(own), length),
                peer=self.names[peer],
                peer_port=names[1],
                peer_address=with_length(int(far), length),
                peer_tier=peer_class.tier,
                peer_asn=0 if isinstance(segment.a, ManagementPort) else int(addresses.asn[peer]),
                peer_model=peer_class.profile.id,
                cable=self.cable_ids[cable] if cable >= 0 else "",
            )


def address_text(address: int) -> str:
    """An address in dotted form, "" for none."""
    return dotted(address) if address else ""


def with_length(address: int, length: int) -> str:
    """An address with its prefix length, "" for none."""
    return f"{dotted(address)}/{length}" if address else ""


def fabric_intent(design: Design, fabric: FabricDesign) -> FabricIntent:
    """What the blueprint asks of every switch of a fabric: its own settings, the cluster's, then defaults."""
    blueprint = design.loaded.blueprint
    spec = blueprint.fabrics[fabric.name]
    bfd = spec.routing.bfd if spec.routing.bfd is not None else blueprint.routing.bfd
    order = [f.name for f in design.fabrics]
    return FabricIntent(
        name=fabric.name,
        underlay=underlay(design, fabric),
        hosts=fabric.hosts,
        bfd=bool(bfd),
        qos=_qos_intent(fabric.protocol, spec.qos, blueprint.qos),
        vlan=100 + 10 * order.index(fabric.name),
        loopback_pools=_pool(design, fabric, "loopback"),
        host_pools=_pool(design, fabric, "management" if is_management(fabric) else "hosts"),
    )


def _pool(design: Design, fabric: FabricDesign, name: str) -> tuple[str, ...]:
    """Prefixes of a pool: the fabric's own, the cluster's, or the default."""
    blueprint = design.loaded.blueprint
    own: tuple[str, ...] | None = getattr(blueprint.fabrics[fabric.name].pools, name)
    return own or getattr(blueprint.pools, name) or DEFAULT_POOLS[name]


def _qos_intent(protocol: str, own: Qos, shared: Qos) -> QosIntent:
    """Settings of a fabric over those of the cluster; a shared profile concerns RoCE fabrics only."""
    profile = own.profile or (shared.profile if protocol == "roce" else None)
    lossless = profile == "roce-lossless" if profile else protocol == "roce"

    def setting(name: str, default: int | None) -> int | None:
        value = getattr(own, name)
        value = getattr(shared, name) if value is None else value
        return default if value is None else int(value)

    return QosIntent(
        lossless=lossless,
        roce_dscp=setting("roce_dscp", 26) or 0,
        cnp_dscp=setting("cnp_dscp", 48) or 0,
        ecn_min_kb=setting("ecn_min_kb", None),
        ecn_max_kb=setting("ecn_max_kb", None),
    )


def build_cluster(design: Design) -> Cluster:
    """Expand a design and allocate its names and addresses.

    Raises InputError, each with its place, where racks, pools or port tables do not suffice.
    """
    plan = build_plan(design)
    try:
        names = device_names(design, plan.devices)
        addresses = allocate(design, plan)
        a_port, b_port = PortNames(design, plan).ends()
    except InputError as error:
        raise design.loaded.located(error) from error
    return Cluster(design, plan, addresses, tuple(names), tuple(site_names(design, plan.devices)), a_port, b_port)
