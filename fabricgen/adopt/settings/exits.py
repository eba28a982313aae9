"""Ways out: extra devices with which switches speak BGP, or to which static routes lead; tenants and leaks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import EVERY, Draft, FarEnd, Pair, Stated, find_majority
from fabricgen.adopt.settings.forwarding import find_limit, find_vlans, list_inner_peers, write_bfd
from fabricgen.adopt.settings.services import name_variable
from fabricgen.adopt.words import drop_empty, unwrap_single
from fabricgen.switch.routing import Peer, Permit, Policy, make_permit, prefix_length
from fabricgen.views.exits import DEFAULTS, PREPENDED
from fabricgen.wiring.tables import NODE


class _Link(NamedTuple):
    """A link to a far device: the switch, the device and its port, the own addresses, and what is beyond."""

    pair: Pair
    device: str
    port: str
    own: tuple[str, ...]
    end: FarEnd


def infer_exits(draft: Draft) -> list[Stated]:
    """An exit for each set of extra devices that is led to, with what differs at single far devices."""
    links: dict[tuple[str, str], list[_Link]] = defaultdict(list)
    for pair in draft.iterate_pairs(draft.cluster, EVERY):
        for port in pair.view.ports:
            for end in pair.far_ends.get(port.name, ()) if port.role in ("host", "exit") else ():
                own = tuple(sorted(pair.running.interfaces[port.name].addresses))
                links[port.service, port.peer].append(_Link(pair, port.peer, port.peer_port, own, end))
    stated = list[Stated]()
    for fabric in draft.list_fabrics():
        for extra in fabric.extras:
            if to_extra := [link for device in extra.devices for link in links[fabric.name, device]]:
                name, spec = _write_exit(draft, extra.name, to_extra)
                stated.append(Stated(("fabrics", fabric.name, "exits", name), spec, len(to_extra)))
    return stated


def _write_exit(draft: Draft, extra: str, links: list[_Link]) -> tuple[str, dict[str, Any]]:
    """(name, keys) of an exit; its name is the one that descriptions have, else that of the devices."""
    peers = [link.end.peer for link in links if link.end.peer]
    names = find_majority((p.description, p.description.partition(" exit ")[2]) for p in peers)
    name = names.value.removesuffix(f"-{links[0].end.vrf}") if names and " " not in names.value else ""
    takes = {permit for peer in peers for permit in _list_permits(peer.policy_in)}
    takes |= {make_permit(prefix) for link in links for prefix in link.end.prefixes}
    spec: dict[str, Any] = {"to": extra, "routing": None if peers else "static"}
    spec |= _write_sessions(draft, name or extra, links, peers) if peers else {}
    spec["default"] = None if any(permit.prefix in DEFAULTS for permit in takes) else False
    spec["accept"] = [_write_permit(permit) for permit in sorted(takes) if permit.prefix not in DEFAULTS]
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
    """The keys of an exit with sessions; what is empty is not stated."""
    limit = Counter(map(find_limit, peers)).most_common(1)[0][0]
    inner = {find_limit(peer) for link in links[:8] for peer in list_inner_peers(link.pair)}
    inner.add(links[0].pair.view.fabric.max_prefixes)
    password = f"{name_variable(name)}_PASSWORD" if peers[0].password else ""
    if password:
        draft.tell("unsure", f"exits.{name}.password", f"a secret: set {password} to what sessions have")
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
    """What differs at single far devices: AS numbers, loopbacks, and addresses that no pool of links would give."""
    devices: dict[str, dict[str, Any]] = defaultdict(dict)
    interfaces = [link.pair.running.interfaces.get(port.name) for link in links for port in link.pair.list_links()]
    inner = [ip_interface(address) for interface in interfaces if interface for address in interface.addresses]
    for link in links:
        peer, device, own = link.end.peer, devices[link.device], [ip_interface(address) for address in link.own]
        if peer and peer.remote_asn != asn:
            device["asn"] = peer.remote_asn
        if link.end.loopback:
            device["loopback"] = sorted({*device.get("loopback", []), link.end.loopback})
        alike = {a: sorted(int(i.ip) for i in inner if i.version == a.version) for a in own}
        of_pool = all(numbers and numbers[0] <= int(a.ip) <= numbers[-1] for a, numbers in alike.items())
        if not of_pool or any(a.network.num_addresses > 2 for a in own):
            far = {} if _is_mate(link.end.far, link.own) else {"far": link.end.far}
            device.setdefault("links", {})[link.port] = {"own": unwrap_single(link.own)} | far
    return {name: keys for name, keys in sorted(devices.items()) if keys}


def _is_mate(far: str, own: Iterable[str]) -> bool:
    """Whether a far address is the other one of the subnet of two hosts that an own one is in."""
    networks = [ip_interface(address).network for address in own]
    hosts = [list(network.hosts()) for network in networks if network.num_addresses <= 4]
    return any(len(pair) == 2 and far in map(str, pair) for pair in hosts)


class _Places(NamedTuple):
    """Where a VRF is: (pod, unit, node) slots, sets of extra devices, fabrics, and ports."""

    slots: set[tuple[int, int, int]]
    extras: set[str]
    fabrics: set[str]
    ports: list[str]


def infer_tenants(draft: Draft) -> list[Stated]:
    """Tenants of the page, and leaks between VRFs."""
    design = draft.cluster.design
    of_fabrics = {fabric.vrf for fabric in draft.list_fabrics()}
    places = {vrf: place for vrf, place in _find_places(draft).items() if vrf and vrf not in of_fabrics}
    stated = list[Stated]()
    for vrf, place in sorted(places.items()):
        spec: dict[str, Any] = {}
        if place.slots:
            spec["nodes"] = list(_write_slots(draft, place.slots))
        if place.extras:
            spec["extra"] = sorted(place.extras)
        usual = {f.name for f in draft.cluster.design.fabrics if not f.manages and _attaches(f, place, design)}
        if place.fabrics != usual:
            spec["fabrics"] = [f.name for f in design.fabrics if f.name in place.fabrics]
        stated.append(Stated(("tenants", vrf), spec, len(place.ports)))
    return stated


def _attaches(fabric: Any, place: _Places, design: Any) -> bool:
    owner = design.fabric(fabric.carrier) if fabric.shares_ports else fabric
    return bool(place.slots and owner.node_sets) or any(extra.name in place.extras for extra in fabric.extras)


def _find_places(draft: Draft) -> dict[str, _Places]:
    """By VRF, the ports of hosts that are in it."""
    devices, places = draft.cluster.plan.devices, dict[str, _Places]()
    row_of = {name: row for row, name in enumerate(draft.cluster.names)}
    extras = {(f.name, device): e.name for f in draft.list_fabrics() for e in f.extras for device in e.devices}
    for pair in draft.iterate_pairs(draft.cluster, EVERY):
        for port in pair.view.ports:
            if port.role not in ("host", "exit"):
                continue
            for fabric, vrf in _find_vrfs(pair, port.name, port.service, port.shared):
                place = places.setdefault(vrf, _Places(set(), set(), set(), []))
                place.fabrics.add(fabric)
                place.ports.append(f"{pair.view.name} {port.name}")
                row = row_of[port.peer]
                if devices.classes[devices.device_class[row]].kind == NODE:
                    place.slots.add((int(devices.pod[row]), int(devices.su[row]) + 1, int(devices.node[row]) + 1))
                elif (fabric, port.peer) in extras:
                    place.extras.add(extras[fabric, port.peer])
    return places


def _find_vrfs(pair: Pair, port: str, service: str, shared: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(fabric, VRF) of a port: of its addresses, or of the gateway of each of its VLANs, in the order of these."""
    interface = pair.running.interfaces.get(port)
    if interface is None:
        return
    if interface.addresses:
        yield service, interface.vrf
        return
    untagged, tagged = find_vlans(pair.running, port)
    vlans = [vlan for vlan in (untagged, *tagged) if vlan in pair.running.vlans]
    for fabric, vlan in zip((service, *shared), vlans, strict=False):
        yield fabric, pair.running.vlans[vlan].vrf


def _write_slots(draft: Draft, slots: set[tuple[int, int, int]]) -> Iterator[str]:
    """Slots in the fewest words: whole pods, whole units, a node of all units, single nodes."""
    devices, names = draft.cluster.plan.devices, [pod.name for pod in draft.cluster.design.layout.pods]
    columns, rest = (devices.pod, devices.su, devices.node), set(slots)
    members: dict[tuple[int, str], set[tuple[int, int, int]]] = defaultdict(set)
    for rows in (cls.rows for cls in devices.classes if cls.kind == NODE):
        for pod, su, node in zip(*(column[rows].tolist() for column in columns), strict=True):
            unit, slot = f"{names[pod]}/su-{su + 1}", f"node-{node + 1}"
            for depth, text in enumerate((names[pod], unit, f"{names[pod]}/su-*/{slot}", f"{unit}/{slot}")):
                members[depth, text].add((pod, su + 1, node + 1))
    for (_, text), covered in sorted(members.items(), key=lambda entry: (entry[0][0], min(entry[1]))):
        if covered <= rest:
            rest -= covered
            yield text


def infer_leaks(draft: Draft) -> list[Stated]:
    """Leaks between pairs of VRFs, with the prefixes that are shown where these are not all of a VRF's hosts."""
    shown: dict[tuple[str, str], set[Permit]] = defaultdict(set)
    facts, fabrics = dict[frozenset[str], int](), dict[frozenset[str], set[str]]()
    for pair in draft.list_pairs():
        for vrf, bgp in pair.running.bgp.items():
            for source, policy in bgp.leaks.items():
                both = frozenset((vrf, source))
                facts[both] = facts.get(both, 0) + 1
                fabrics.setdefault(both, set()).add(pair.fabric)
                shown[source, vrf] |= policy.permits
    pools = {prefix for fabric in draft.list_fabrics() for prefix in draft.cluster.intent(fabric).host_pools}
    stated = list[Stated]()
    for both in sorted(facts, key=sorted):
        a, b = sorted(both)
        prefixes = {
            vrf or "default": sorted(permit.prefix for permit in shown[vrf, into])
            for vrf, into in ((a, b), (b, a))
            if {permit.prefix for permit in shown[vrf, into]} - pools
        }
        spec: dict[str, Any] = {"between": [a or "default", b or "default"]}
        if prefixes:
            spec["prefixes"] = prefixes
        stated.append(Stated(("leaks", f"{a or 'default'}-{b or 'default'}"), spec, facts[both]))
    return stated
