"""Ways out: extra devices with which switches speak BGP, or to which static routes lead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.adopt.settings.draft import EVERY, Draft, Pair, Stated, find_majority
from fabricgen.adopt.settings.far_ends import FarEnd
from fabricgen.adopt.settings.forwarding import list_inner_peers
from fabricgen.adopt.settings.management import REFERENCE
from fabricgen.switch.routing import Peer, Permit, SessionBfd
from fabricgen.views.exits import DEFAULTS, PREPENDED


class _Link(NamedTuple):
    """A link to a far device: the switch, the device and its port, the own addresses, and what is beyond."""

    pair: Pair
    device: str
    port: str
    own: tuple[str, ...]
    end: FarEnd


def infer_exits(draft: Draft) -> list[Stated]:
    """An exit for each set of extra devices that is led to, with what differs at single far devices."""
    stated = list[Stated]()
    for fabric in draft.list_fabrics():
        for extra in fabric.extras:
            links = list(_list_links(draft, fabric.name, frozenset(extra.devices)))
            if links:
                name, spec = _write_exit(draft, extra.name, links)
                stated.append(Stated(("fabrics", fabric.name, "exits", name), spec, len(links)))
    return stated


def _list_links(draft: Draft, fabric: str, devices: frozenset[str]) -> Iterator[_Link]:
    for pair in draft.iterate_pairs(draft.cluster, EVERY):
        for port in pair.view.ports:
            if port.role in ("host", "exit") and port.service == fabric and port.peer in devices:
                interface = pair.running.interfaces.get(port.name)
                for end in pair.far_ends.get(port.name, ()):
                    yield _Link(
                        pair, port.peer, port.peer_port, tuple(sorted(interface.addresses if interface else ())), end
                    )


def _write_exit(draft: Draft, extra: str, links: list[_Link]) -> tuple[str, dict[str, Any]]:
    """(name, keys) of an exit; its name is the one that descriptions have, else that of the devices."""
    peers = [link.end.peer for link in links if link.end.peer]
    names = find_majority((p.description, p.description.partition(" exit ")[2]) for p in peers)
    vrf = links[0].end.vrf
    name = names.value.removesuffix(f"-{vrf}") if names and names.value and " " not in names.value else extra
    spec: dict[str, Any] = {"to": extra}
    takes = _list_takes(links)
    if peers:
        spec |= _write_sessions(draft, name, links, peers)
    else:
        spec["routing"] = "static"
    defaults = {permit.prefix for permit in takes} & set(DEFAULTS)
    if not defaults:
        spec["default"] = False
    accepted = sorted(permit for permit in takes if permit.prefix not in DEFAULTS)
    if accepted:
        spec["accept"] = [_write_permit(permit) for permit in accepted]
    if devices := _write_devices(links, spec):
        spec["devices"] = devices
    return name, spec


def _list_takes(links: Iterable[_Link]) -> set[Permit]:
    """What is taken from far devices, or routed to them."""
    takes = set[Permit]()
    for link in links:
        policy = link.end.peer.policy_in if link.end.peer else None
        if policy:
            takes |= policy.permits | {permit for clause in policy.clauses for permit in clause.permits}
        takes |= {Permit(p, int(p.rpartition("/")[2]), int(p.rpartition("/")[2])) for p in link.end.prefixes}
    return takes


def _write_permit(permit: Permit) -> str:
    length = int(permit.prefix.rpartition("/")[2])
    return permit.prefix if permit.longest == length else f"{permit.prefix} le {permit.longest}"


def _write_sessions(draft: Draft, name: str, links: list[_Link], peers: list[Peer]) -> dict[str, Any]:
    """The keys of an exit with sessions."""
    spec: dict[str, Any] = {}
    asns = find_majority(("", peer.remote_asn) for peer in peers)
    spec["asn"] = asns.value if asns else 0
    if peers[0].local_asn:
        spec["local_as"] = peers[0].local_asn
    if peers[0].password:
        spec["password"] = REFERENCE.format(f"{name.upper().replace('-', '_')}_PASSWORD")
        draft.tell("unsure", f"exits.{name}.password", f"a secret: set {spec['password']} to what sessions have")
    announced = {p.prefix for peer in peers if peer.policy_out for p in _list_permits(peer)}
    if announced:
        spec["announce"] = sorted(announced)
    limits = find_majority(("", max(peer.max_prefixes.values(), default=0)) for peer in peers)
    inner = {max(p.max_prefixes.values(), default=0) for link in links[:8] for p in list_inner_peers(link.pair)}
    if limits and limits.value and limits.value not in inner | {links[0].pair.view.fabric.max_prefixes}:
        spec["max_prefixes"] = limits.value
    clauses = [c for p in peers for policy in (p.policy_in, p.policy_out) if policy for c in policy.clauses]
    if communities := sorted({word for clause in clauses for word in clause.communities}):
        spec["communities"] = communities
    if any(clause.last_as == PREPENDED for clause in clauses):
        spec["prefer"] = "backup"
    if bfd := peers[0].bfd:
        spec["bfd"] = True if bfd == SessionBfd() else {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier}
    return spec


def _list_permits(peer: Peer) -> Iterator[Permit]:
    if peer.policy_out:
        yield from peer.policy_out.permits
        yield from (permit for clause in peer.policy_out.clauses for permit in clause.permits)


def _write_devices(links: list[_Link], spec: dict[str, Any]) -> dict[str, Any]:
    """What differs at single far devices: AS numbers, loopbacks, and addresses that no pool of links would give."""
    devices: dict[str, dict[str, Any]] = defaultdict(dict)
    own_addresses = {a for link in links for i in _list_link_addresses(link.pair) for a in i}
    numbers = sorted(int(ip_interface(a).ip) for a in own_addresses)
    for link in links:
        peer, device = link.end.peer, devices[link.device]
        if peer and peer.remote_asn != spec.get("asn"):
            device["asn"] = peer.remote_asn
        if link.end.loopback:
            device["loopback"] = sorted({*device.get("loopback", []), link.end.loopback})
        inside = all(numbers and numbers[0] <= int(ip_interface(a).ip) <= numbers[-1] for a in link.own)
        if not inside or any(ip_interface(a).network.num_addresses > 2 for a in link.own):
            entry: dict[str, Any] = {"own": _shorten(list(link.own))}
            if not _is_mate(link.end.far, link.own):
                entry["far"] = link.end.far
            device.setdefault("links", {})[link.port] = entry
    return {name: keys for name, keys in sorted(devices.items()) if keys}


def _list_link_addresses(pair: Pair) -> Iterator[Iterable[str]]:
    for port in pair.list_links():
        if port.name in pair.running.interfaces:
            yield pair.running.interfaces[port.name].addresses


def _is_mate(far: str, own: Iterable[str]) -> bool:
    """Whether a far address is the other one of the subnet of two hosts that an own one is in."""
    for address in map(ip_interface, own):
        hosts = list(address.network.hosts()) if address.network.num_addresses <= 4 else []
        if len(hosts) == 2 and any(str(host) == far for host in hosts):
            return True
    return False


def _shorten(values: list[str]) -> Any:
    return values[0] if len(values) == 1 else values
