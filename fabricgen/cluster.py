"""The frozen whole: design, plan and addresses of a cluster, with lazy views of single devices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.allocate.addresses import Addresses, allocate
from fabricgen.allocate.asn import shares_asn
from fabricgen.allocate.names import device_names, site_names
from fabricgen.allocate.overrides import with_overrides
from fabricgen.allocate.pools import dotted
from fabricgen.allocate.ports import PortNames, Strings
from fabricgen.allocate.sessions import check_sessions
from fabricgen.blueprint.lock import Lock
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.remembered import in_use, with_remembered
from fabricgen.intent import FabricIntent, fabric_intent
from fabricgen.kernel.diagnostics import InputError
from fabricgen.plan.expand import build_plan
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import SWITCH, Flags, Ints, ManagementPort, Plan, Wide
from fabricgen.static_routes import Reachability
from fabricgen.switch_view import Service, Subinterface, SwitchPort, SwitchView, address_text, with_length


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
    def lock(self) -> Lock:
        """All that is given and to be remembered, by this build and earlier ones."""
        return with_remembered(self.design, self.addresses.lock)

    @cached_property
    def holders(self) -> frozenset[tuple[str, str]]:
        """(kind, name) of every holder in the lock that is in use."""
        return self.addresses.used | in_use(self.design)

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
        row, lower, connector = anchor_rows(links, len(self.plan.cables))
        device = self.name_column[np.where(lower, links.a_device[row], links.b_device[row])]
        cage = np.where(lower, a_cage[row], b_cage[row])
        connectors, place = np.unique(connector, return_inverse=True)
        tails = np.array([f".{n + 1}" if n >= 0 else "" for n in connectors.tolist()], dtype=object)
        return tuple((device + (":" + cage + tails[place])).tolist())

    @cached_property
    def _ports_of(self) -> tuple[Wide, Wide, Wide]:
        """(row pointer per device, link, 0 for the a end and 1 for b), ends sorted by device and place on its face."""
        links, plan = self.plan.links, self.plan
        keep = np.array([not isinstance(s.b, ScaleUpPort) for s in links.segments], dtype=bool)
        order = np.zeros((2, len(links)), dtype=np.int64)
        for i, segment in enumerate(links.segments):
            rows = links.segment == i
            for end, (side, port) in enumerate(((segment.a, links.a_port), (segment.b, links.b_port))):
                order[end, rows] = _on_face(side, port[rows]) if isinstance(side, PortRun) else port[rows]
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
        assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - the row is a switch
        return SwitchView(
            name=self.names[row],
            profile=cls.profile,
            fabric=self.intent(fabric),
            tier=fabric.tier(cls.tier),
            is_lowest=fabric.tier(cls.tier).lowest,
            level=self.design.levels[fabric.tier(cls.tier).key],
            asn=int(addresses.asn[row]),
            loopback=dotted(int(addresses.loopback[row])),
            management=with_length(int(addresses.management[row]), int(addresses.management_length[row])),
            management_gateway=address_text(int(addresses.management_gateway[row])),
            services=self._services(row, fabric),
            site=self.sites[row],
            rack=self.plan.racks.names[devices.rack[row]],
            ports=tuple(self._switch_ports(row)),
            routes=self._reachability.routes(row) if self.intent(fabric).underlay == "static" else (),
            shares_asn=bool(self._shares_asn[row]),
        )

    @cached_property
    def _shares_asn(self) -> Flags:
        switches = [c for c in self.plan.devices.classes if c.kind == SWITCH]
        tiers = [(c.rows, self.design.fabric(c.fabric).tier(c.tier)) for c in switches]
        return shares_asn(tiers, self.addresses.asn)

    @cached_property
    def _reachability(self) -> Reachability:
        shared = [f.name for f in self.design.fabrics if not f.vrf]
        return Reachability(self.plan, self.addresses, self.a_port, self.b_port, shared)

    def _services(self, row: int, owner: FabricDesign) -> tuple[Service, ...]:
        """The owning fabric, and those it carries: where their nodes attach, and where their VRF passes."""
        found = [self._service(row, owner)]
        for guest in self.design.fabrics:
            if guest.carrier == owner.name:
                service = self._service(row, guest)
                if service.host_subnet or (owner.name, guest.vrf) in self.addresses.vrf_links:
                    found.append(service)
        return tuple(found)

    def _service(self, row: int, fabric: FabricDesign) -> Service:
        """What a fabric is to one of the switches that it uses."""
        intent, subnets = self.intent(fabric), self.addresses.subnets.get(fabric.name)
        base, length, gateway = (
            (int(column[row]) for column in (subnets.base, subnets.length, subnets.gateway)) if subnets else (0, 0, 0)
        )
        return Service(
            fabric=intent.name,
            vlan=intent.vlan,
            vrf=intent.vrf,
            hosts=intent.hosts,
            gateway=with_length(gateway, length),
            host_subnet=with_length(base, length),
            host_pools=intent.host_pools,
        )

    def _subinterfaces(self, link: int, peer: int, *, at_b: bool) -> Iterator[Subinterface]:
        """What a link between switches carries of each VRF, seen from one end."""
        for (carrier, vrf), pairs in self.addresses.vrf_links.items():
            upper = int(pairs[link])
            if upper:
                own, far = (upper, upper + 1) if at_b else (upper + 1, upper)
                guest = next(f for f in self.design.fabrics if (f.carrier, f.vrf) == (carrier, vrf))
                yield Subinterface(
                    vlan=self.intent(guest).vlan,
                    vrf=vrf,
                    address=with_length(own, 31),
                    peer_address=with_length(far, 31),
                    peer_asn=int(self.addresses.asn[peer]),
                )

    @cached_property
    def _intents(self) -> dict[str, FabricIntent]:
        return {f.name: fabric_intent(self.design, f, self.addresses.own_loopbacks) for f in self.design.fabrics}

    def intent(self, fabric: FabricDesign) -> FabricIntent:
        """What holds for every switch of a fabric."""
        return self._intents[fabric.name]

    def _switch_ports(self, row: int) -> Iterator[SwitchPort]:
        pointer, link_of, end_of = self._ports_of
        links, addresses, devices = self.plan.links, self.addresses, self.plan.devices
        cls = devices.classes[devices.device_class[row]]
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
                cage=side.cages[port // side.ways],
                sub=port % side.ways,
                ways=side.ways,
                speed_gbps=int(segment.speed_gbps),
                lane_gbps=side.lane_gbps,
                role="host" if host else "peer" if peer_class is cls else "down" if at_b else "up",
                address=with_length(int(own), length),
                peer=self.names[peer],
                peer_port=names[1],
                peer_address=with_length(int(far), length),
                peer_tier=peer_class.tier,
                peer_asn=0 if isinstance(segment.a, ManagementPort) else int(addresses.asn[peer]),
                peer_model=peer_class.profile.id,
                cable=self.cable_ids[cable] if cable >= 0 else "",
                service=segment.fabric if host else "",
                subinterfaces=() if host else tuple(self._subinterfaces(link, peer, at_b=at_b)),
            )


def _on_face(run: PortRun, ports: Ints) -> Wide:
    """Where ports of a run lie on the face, to sort by; int64."""
    cages = np.array(run.cages, dtype=np.int64)
    return cages[ports // run.ways] * 64 + ports % run.ways


def build_cluster(design: Design) -> Cluster:
    """Expand a design and allocate its names and addresses.

    Raises InputError, each with its place, where racks, pools or port tables do not suffice.
    """
    plan = build_plan(design)
    try:
        names = device_names(design, plan.devices)
        addresses = allocate(design, plan)
        a_port, b_port = PortNames(design, plan).ends()
        addresses = with_overrides(design, plan, names, (a_port, b_port), addresses)
        check_sessions(design, plan, names, addresses.asn)
    except InputError as error:
        raise design.loaded.located(error) from error
    return Cluster(design, plan, addresses, tuple(names), tuple(site_names(design, plan.devices)), a_port, b_port)
