"""Infer exits (extra devices with BGP sessions or behind static routes), tenants, and leaks between VRFs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import ALL_SWITCHES, ComparedSwitch, Draft, FarEnd, Setting, find_majority
from fabricgen.adopt.settings.forwarding import find_limit, find_vlans, list_inner_peers, write_bfd
from fabricgen.adopt.settings.services import name_variable
from fabricgen.adopt.words import drop_empty, unwrap_single
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.switch.routing import Peer, Permit, Policy, make_permit, prefix_length
from fabricgen.views.exits import DEFAULTS, PREPENDED
from fabricgen.wiring.tables import NODE


class _Link(NamedTuple):
    """A link of a switch to an extra device, with that device's port and the addresses of the switch's own port."""

    switch: ComparedSwitch
    device: str
    port: str
    addresses: tuple[str, ...]
    end: FarEnd


def infer_exits(draft: Draft) -> Iterator[Setting]:
    """Yield an exit for each set of extra devices to which sessions or static routes lead."""
    links: dict[tuple[str, str], list[_Link]] = defaultdict(list)
    for switch in draft.iterate_switches(draft.cluster, ALL_SWITCHES):
        for port in switch.view.ports:
            for end in switch.far_ends.get(port.name, ()) if port.role in ("host", "exit") else ():
                addresses = tuple(sorted(switch.running.interfaces[port.name].addresses))
                links[port.service, port.peer].append(_Link(switch, port.peer, port.peer_port, addresses, end))
    for fabric, extra in ((f, extra) for f in draft.list_fabrics() for extra in f.extras):
        if to_extra := [link for device in extra.devices for link in links[fabric.name, device]]:
            name, spec = _write_exit(draft, extra.name, to_extra)
            yield Setting(("fabrics", fabric.name, "exits", name), spec, len(to_extra))


def _write_exit(draft: Draft, extra: str, links: list[_Link]) -> tuple[str, dict[str, Any]]:
    """Return (name, keys) of an exit; the name is that in descriptions of sessions, else that of the extra devices."""
    peers = [link.end.peer for link in links if link.end.peer]
    names = find_majority((p.description, p.description.partition(" exit ")[2]) for p in peers)
    name = names.value.removesuffix(f"-{links[0].end.vrf}") if names and " " not in names.value else ""
    accepted = {permit for peer in peers for permit in _list_permits(peer.policy_in)}
    accepted |= {make_permit(prefix) for link in links for prefix in link.end.prefixes}
    spec: dict[str, Any] = {"to": extra, "routing": None if peers else "static"}
    spec |= _write_sessions(draft, name or extra, links, peers) if peers else {}
    spec["default"] = None if any(permit.prefix in DEFAULTS for permit in accepted) else False
    spec["accept"] = [_write_permit(permit) for permit in sorted(accepted) if permit.prefix not in DEFAULTS]
    spec["devices"] = _write_devices(links, spec.get("asn"))
    return name or extra, drop_empty(**spec)


def _list_permits(policy: Policy | None) -> Iterator[Permit]:
    if policy:
        yield from policy.permits
        yield from (permit for clause in policy.clauses for permit in clause.permits)


def _write_permit(permit: Permit) -> str:
    is_single = permit.longest == prefix_length(permit.prefix)
    return permit.prefix if is_single else f"{permit.prefix} le {permit.longest}"


def _write_sessions(draft: Draft, name: str, links: list[_Link], peers: list[Peer]) -> dict[str, Any]:
    """Return the keys of an exit with BGP sessions; empty values are not to be stated."""
    limit = Counter(map(find_limit, peers)).most_common(1)[0][0]
    inner = {find_limit(peer) for link in links[:8] for peer in list_inner_peers(link.switch)}
    inner.add(links[0].switch.view.fabric.max_prefixes)
    password = f"{name_variable(name)}_PASSWORD" if peers[0].password else ""
    if password:
        draft.add_remark("unsure", f"exits.{name}.password", f"a secret: set {password} to what sessions have")
    clauses = [c for peer in peers for policy in (peer.policy_in, peer.policy_out) if policy for c in policy.clauses]
    return {
        "asn": Counter(peer.remote_asn for peer in peers).most_common(1)[0][0],
        "local_as": peers[0].local_asn,
        "password": password,
        "announce": sorted({permit.prefix for peer in peers for permit in _list_permits(peer.policy_out)}),
        "max_prefixes": None if limit in inner else limit,
        "communities": sorted({word for clause in clauses for word in clause.communities}),
        "prefer": "backup" if any(clause.last_as == PREPENDED for clause in clauses) else "",
        "bfd": write_bfd(peers[0].bfd) or None,
    }


def _write_devices(links: list[_Link], asn: int | None) -> dict[str, Any]:
    """Return `devices` of an exit by name: AS numbers other than `asn`, loopbacks, and addresses of links.

    Addresses are stated if they are outside the range of the switches' other link addresses, or in a subnet of more
    than two. Devices without anything to state are left out.
    """
    devices: dict[str, dict[str, Any]] = defaultdict(dict)
    interfaces = [link.switch.running.interfaces.get(port.name) for link in links for port in link.switch.list_links()]
    inner_addresses = [
        ip_interface(address) for interface in interfaces if interface for address in interface.addresses
    ]
    for link in links:
        peer, device, near_addresses = (
            link.end.peer,
            devices[link.device],
            [ip_interface(address) for address in link.addresses],
        )
        if peer and peer.remote_asn != asn:
            device["asn"] = peer.remote_asn
        if link.end.loopback:
            device["loopback"] = sorted({*device.get("loopback", []), link.end.loopback})
        inner_of_address = {
            near: sorted(int(inner.ip) for inner in inner_addresses if inner.version == near.version)
            for near in near_addresses
        }
        is_in_pool = all(
            numbers and numbers[0] <= int(near.ip) <= numbers[-1] for near, numbers in inner_of_address.items()
        )
        if not is_in_pool or any(near.network.num_addresses > 2 for near in near_addresses):
            far_words = {} if _is_derivable(link.end.address, link.addresses) else {"far": link.end.address}
            device.setdefault("links", {})[link.port] = {"own": unwrap_single(link.addresses)} | far_words
    return {name: device_words for name, device_words in sorted(devices.items()) if device_words}


def _is_derivable(far: str, addresses: Iterable[str]) -> bool:
    """Whether a far address follows from the near ones: it is the other of the two hosts of a near subnet."""
    networks = [ip_interface(address).network for address in addresses]
    hosts_of_subnets = [list(network.hosts()) for network in networks if network.num_addresses <= 4]
    return any(len(hosts) == 2 and far in map(str, hosts) for hosts in hosts_of_subnets)


class _Members(NamedTuple):
    """The members of a VRF: node slots as (pod from 0, unit from 1, node from 1), extra devices by set, ports."""

    slots: set[tuple[int, int, int]]
    extras: set[str]
    fabrics: set[str]
    ports: list[str]


def infer_tenants(draft: Draft) -> Iterator[Setting]:
    """Yield a tenant for each VRF of hosts that is not the VRF of a whole fabric."""
    design = draft.cluster.design
    of_fabrics = {fabric.vrf for fabric in draft.list_fabrics()}
    tenants = {vrf: members for vrf, members in _find_members(draft).items() if vrf and vrf not in of_fabrics}
    for vrf, members in sorted(tenants.items()):
        spec = drop_empty(nodes=list(_write_slots(draft, members.slots)), extra=sorted(members.extras))
        attaching = {f.name for f in design.fabrics if not f.manages and _attaches(f, members, design)}
        if members.fabrics != attaching:
            spec["fabrics"] = [fabric.name for fabric in design.fabrics if fabric.name in members.fabrics]
        yield Setting(("tenants", vrf), spec, len(members.ports))


def _attaches(fabric: FabricDesign, members: _Members, design: Design) -> bool:
    """Whether any member of a VRF has ports on a fabric."""
    owner = design.fabric(fabric.carrier) if fabric.shares_ports and fabric.carrier else fabric
    return bool(members.slots and owner.node_sets) or any(extra.name in members.extras for extra in fabric.extras)


def _find_members(draft: Draft) -> dict[str, _Members]:
    """Return the members of each VRF by their ports on switches; "" is the default VRF."""
    devices, members = draft.cluster.plan.devices, dict[str, _Members]()
    row_of = {name: row for row, name in enumerate(draft.cluster.names)}
    extras = {(f.name, device): e.name for f in draft.list_fabrics() for e in f.extras for device in e.devices}
    for switch in draft.iterate_switches(draft.cluster, ALL_SWITCHES):
        for port in switch.view.ports:
            if port.role not in ("host", "exit"):
                continue
            for fabric, vrf in _find_vrfs(switch, port.name, port.service, port.shared):
                of_vrf = members.setdefault(vrf, _Members(set(), set(), set(), []))
                of_vrf.fabrics.add(fabric)
                of_vrf.ports.append(f"{switch.view.name} {port.name}")
                row = row_of[port.peer]
                if devices.classes[devices.device_class[row]].kind == NODE:
                    of_vrf.slots.add((int(devices.pod[row]), int(devices.su[row]) + 1, int(devices.node[row]) + 1))
                elif (fabric, port.peer) in extras:
                    of_vrf.extras.add(extras[fabric, port.peer])
    return members


def _find_vrfs(switch: ComparedSwitch, port: str, service: str, shared: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (fabric, VRF) of a host port: one if it has addresses, else one for each of its VLANs, untagged first.

    `service` is the fabric of the first VLAN, `shared` those of the others.
    """
    interface = switch.running.interfaces.get(port)
    if interface is None:
        return
    if interface.addresses:
        yield service, interface.vrf
        return
    untagged, tagged = find_vlans(switch.running, port)
    vlans = [vlan for vlan in (untagged, *tagged) if vlan in switch.running.vlans]
    for fabric, vlan in zip((service, *shared), vlans, strict=False):
        yield fabric, switch.running.vlans[vlan].vrf


def _write_slots(draft: Draft, slots: set[tuple[int, int, int]]) -> Iterator[str]:
    """Yield paths of slots, few: pods and units that are whole, then nodes of all units of a pod, then single nodes."""
    devices, names = draft.cluster.plan.devices, [pod.name for pod in draft.cluster.design.layout.pods]
    columns, uncovered = (devices.pod, devices.su, devices.node), set(slots)
    members: dict[tuple[int, str], set[tuple[int, int, int]]] = defaultdict(set)
    for rows in (cls.rows for cls in devices.classes if cls.kind == NODE):
        for pod, su, node in zip(*(column[rows].tolist() for column in columns), strict=True):
            unit, slot = f"{names[pod]}/su-{su + 1}", f"node-{node + 1}"
            for depth, path in enumerate((names[pod], unit, f"{names[pod]}/su-*/{slot}", f"{unit}/{slot}")):
                members[depth, path].add((pod, su + 1, node + 1))
    for (_, path), covered in sorted(members.items(), key=lambda entry: (entry[0][0], min(entry[1]))):
        if covered <= uncovered:
            uncovered -= covered
            yield path


def infer_leaks(draft: Draft) -> Iterator[Setting]:
    """Yield a leak for each two VRFs that import routes of each other; with prefixes if these are not the host
    pools.
    """
    shown: dict[tuple[str, str], set[Permit]] = defaultdict(set)
    facts = Counter[frozenset[str]]()
    for switch in draft.list_switches():
        for vrf, bgp in switch.running.bgp.items():
            for source, policy in bgp.leaks.items():
                facts[frozenset((vrf, source))] += 1
                shown[source, vrf] |= policy.permits
    pools = {prefix for fabric in draft.list_fabrics() for prefix in draft.cluster.intent(fabric).host_pools}
    for vrfs in sorted(facts, key=sorted):
        a, b = sorted(vrfs)
        prefixes = {
            source or "default": sorted(permit.prefix for permit in shown[source, importer])
            for source, importer in ((a, b), (b, a))
            if {permit.prefix for permit in shown[source, importer]} - pools
        }
        spec = drop_empty(between=[a or "default", b or "default"], prefixes=prefixes)
        yield Setting(("leaks", "-".join(spec["between"])), spec, facts[vrfs])
