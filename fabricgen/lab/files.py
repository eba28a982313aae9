"""What a lab is made of, read from a build's files alone: links.csv, devices.csv, addresses.csv and configs."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.nos_rooms import list_nos, load_part
from fabricgen.running.tree import STUMBLES, Notes, explain_error, tolerate_unknown_text
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import (
    ALL_LINKS,
    ONE_LINK,
    Bgp,
    EvpnOverlay,
    OverlayVrf,
    Peer,
    Permit,
    Policy,
    StaticRoute,
)

LOWEST = "lowest.txt"
"""The name of a list that labs add to those of a build: the switches to which hosts are cabled."""


def kernel_name(port: str) -> str:
    """Return a port's name as Linux takes it: without "/" and ":", by which old tools name a second address."""
    return port.replace("/", "_").replace(":", "~")


@dataclass(frozen=True, slots=True)
class BuiltEnd:
    """One end of a link."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True, slots=True)
class Link:
    """A row of links.csv."""

    a: BuiltEnd
    b: BuiltEnd


@dataclass(frozen=True)
class Build:
    """The files of a build by path, and what is read from them; nothing here comes from the plan."""

    files: Mapping[str, str]

    @cached_property
    def devices(self) -> dict[str, dict[str, str]]:
        """Rows of devices.csv by name."""
        return {row["device"]: row for row in _read_rows(self.files["devices.csv"])}

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Rows of links.csv."""
        rows = _read_rows(self.files["links.csv"])
        return tuple(Link(BuiltEnd(r["a_device"], r["a_port"]), BuiltEnd(r["b_device"], r["b_port"])) for r in rows)

    @cached_property
    def far(self) -> dict[BuiltEnd, BuiltEnd]:
        """The far end of every port, by links.csv."""
        return {near: far for link in self.links for near, far in ((link.a, link.b), (link.b, link.a))}

    @cached_property
    def addresses(self) -> dict[BuiltEnd, tuple[str, ...]]:
        """Addresses of each port and loopback, with prefix lengths (addresses.csv)."""
        addresses: dict[BuiltEnd, tuple[str, ...]] = defaultdict(tuple)
        for row in _read_rows(self.files["addresses.csv"]):
            addresses[BuiltEnd(row["device"], row["port"])] += (row["prefix"],)
        return addresses

    def list_lab_addresses(self, end: BuiltEnd) -> tuple[str, ...]:
        """Return the addresses, with prefix lengths, that a port has in a lab: those in the configuration of a switch
        (none for a port in a VRF), or those of a host in addresses.csv.
        """
        if end.device not in self.forms:
            return self.addresses.get(end, ())
        port = self.forms[end.device].interfaces.get(end.port)
        return tuple(sorted(port.addresses)) if port and not port.vrf else ()

    @cached_property
    def tables(self) -> dict[BuiltEnd, int]:
        """The number of the routing table of each port of a host: 1000 for its first port, 1001 for the next, and so
        on.

        Linux keeps 253 to 255 for itself.
        """
        tables_per_host: dict[str, int] = defaultdict(int)
        tables = {}
        for end in self.far:
            if end.device not in self.forms:
                tables[end] = 1000 + tables_per_host[end.device]
                tables_per_host[end.device] += 1
        return tables

    @cached_property
    def kinds(self) -> dict[BuiltEnd, str]:
        """The kind of the first address of each port and loopback (addresses.csv)."""
        # backwards, so that the first row of each port is the one that stays
        rows = reversed(list(_read_rows(self.files["addresses.csv"])))
        return {BuiltEnd(row["device"], row["port"]): row["kind"] for row in rows}

    @cached_property
    def names(self) -> dict[str, tuple[Link, ...]]:
        """The links that each name stands for: DEVICE:PORT of either end, or a cable or link of links.csv.

        A cable may have several links. If names are equal, an end goes before a link, and a link before a cable.
        """
        links_by_name: dict[str, tuple[Link, ...]] = {}
        for column in ("cable", "link"):
            links_by_cell: dict[str, tuple[Link, ...]] = defaultdict(tuple)
            for link, row in zip(self.links, _read_rows(self.files["links.csv"]), strict=True):
                links_by_cell[row[column]] += (link,)
            links_by_name |= links_by_cell
        return links_by_name | {str(end): (link,) for link in self.links for end in (link.a, link.b)}

    @cached_property
    def switches(self) -> tuple[str, ...]:
        """Names of the switches, in the order of devices.csv."""
        return tuple(name for name, row in self.devices.items() if row["tier"] != "node")

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Names of the devices at ends of links that are not switches, in the order of links.csv."""
        devices = (end.device for link in self.links for end in (link.a, link.b))
        return tuple(dict.fromkeys(device for device in devices if device not in self.switches))

    @cached_property
    def lowest(self) -> frozenset[str]:
        """The switches that hosts are cabled to.

        If the files have a list of them (`LOWEST`), it says so: a lab writes it, as the links to some hosts are not in
        the lab.
        """
        if LOWEST in self.files:
            return frozenset(self.files[LOWEST].split())
        switches = set(self.switches)
        return frozenset(far.device for near, far in self.far.items() if near.device not in switches) & switches

    @property
    def forms(self) -> dict[str, Switch]:
        """The model of each switch, read from its configuration; `notes` has what readers do not understand.

        Raises KeyError for a NOS whose files nothing reads, and InputError (FG175) for a configuration that its reader
        cannot read.
        """
        return self._readings[0]

    @property
    def notes(self) -> dict[str, Notes]:
        """What readers do not understand in the files of each switch, such as snippets, by name; switches of which all
        is understood are left out.
        """
        return self._readings[1]

    @cached_property
    def _readings(self) -> tuple[dict[str, Switch], dict[str, Notes]]:
        """What `forms` and `notes` return, read in one pass."""
        forms, notes = {}, {}
        for name in self.switches:
            reader = load_part(self.devices[name]["nos"], "reader")
            try:
                with tolerate_unknown_text() as passed_over:
                    forms[name] = reader.read(self.select_config_files(name))
            except STUMBLES as error:
                why = f"configurations of {name} cannot be read: {explain_error(error)}"
                raise fault("FG175", why, hint="take away the snippet or template that breaks them") from error
            if passed_over != Notes():
                notes[name] = passed_over
        return forms, notes

    def select_config_files(self, name: str) -> dict[str, str]:
        """Return the configuration files of a switch: text by path below its folder."""
        folder = f"configs/{name}/"
        return {path.removeprefix(folder): text for path, text in self.files.items() if path.startswith(folder)}

    def make_frr_config(self, name: str) -> str:
        """Return the text of frr.conf for a switch: that of its NOS if the NOS runs FRR, else one written from its
        model.
        """
        nos = self.devices[name]["nos"]
        if nos in list_nos("routing_daemon"):
            text: str = load_part(nos, "routing_daemon").read_frr_text(self.select_config_files(name))
            return text
        return write_frr_config(self.forms[name], kernel_name)


def _read_rows(text: str) -> Iterable[dict[str, str]]:
    """Return the rows of a CSV file."""
    return csv.DictReader(io.StringIO(text))


# The model of a switch as an frr.conf: how a switch whose NOS is not FRR's takes part in a fabric of FRR daemons.

MAX_PATHS = 256
"""The most equal paths that Debian's FRR supports."""

FRR_BANDWIDTHS = {
    ONE_LINK: "\n set extcommunity bandwidth num-multipaths",
    ALL_LINKS: "\n set extcommunity bandwidth cumulative",
}


def write_frr_config(switch: Switch, kernel: Callable[[str], str]) -> str:
    """Return the routing of a switch as the text of frr.conf; `kernel` returns the name that Linux has for a port."""
    lines = [f"frr defaults traditional\nhostname {switch.hostname}"]
    for (vrf, prefix), route in sorted(switch.routes.items()):
        lines += _write_static_route(vrf, prefix, route, kernel)
    lines += write_vnis(switch)
    lines += _write_source_rules(switch)
    for vrf, bgp in sorted(switch.bgp.items()):
        lines += _write_policies(bgp, vrf)
        lines += _write_bgp_instance(bgp, switch, kernel, vrf)
    return "\n".join([*lines, ""])


def _write_static_route(vrf: str, prefix: str, route: StaticRoute, kernel: Callable[[str], str]) -> Iterator[str]:
    """Yield FRR's lines of a route; `kernel` gives the kernel's name of a port, `vrf` is "" for none."""
    word, within = "ipv6" if ":" in prefix else "ip", f" vrf {vrf}" if vrf else ""
    yield from (f"{word} route {prefix} {hop} {kernel(port)}{within}" for port, hop in sorted(route.hops))
    if route.discard:
        # beside other hops it is the last resort: of distance 250
        yield f"{word} route {prefix} blackhole" + (" 250" if route.hops else "") + within


def _write_source_rules(switch: Switch) -> Iterator[str]:
    """Yield the lines by which what a switch itself sends over routes of BGP has the source address of its DHCPv6
    relay; no lines for a switch whose relays state no source.
    """
    relays = [entry.relay for entry in switch.vlans.values()] + [entry.relay for entry in switch.interfaces.values()]
    for source in sorted({relay.source6 for relay in relays if relay} - {""}):
        yield f"route-map OWN-SOURCE6 permit 10\n set src {source}\nexit\nipv6 protocol bgp route-map OWN-SOURCE6"


def _name_policies(bgp: Bgp, vrf: str) -> dict[Policy, str]:
    """Return the name of the route map for each policy of the sessions of a VRF: `POLICY1` and so on, then the VRF."""
    policies = (policy for peer in bgp.peers.values() for policy in (peer.policy_in, peer.policy_out) if policy)
    return {policy: f"POLICY{n}{vrf}" for n, policy in enumerate(dict.fromkeys(policies), 1)}


def _write_policies(bgp: Bgp, vrf: str) -> Iterator[str]:
    """Yield prefix lists and route maps of the sessions of a VRF, and OWN and ALL, which all VRFs have."""
    yield "bgp as-path access-list OWN seq 5 permit ^$\nroute-map ALL permit 10\nexit"
    for policy, name in _name_policies(bgp, vrf).items():
        bandwidth_clauses = sorted(
            (clause for clause in policy.clauses if clause.bandwidth), key=lambda c: not c.as_paths
        )
        # (prefixes, whether only own routes match, what is set), one for each part of the route map
        bandwidth_parts = [(c.permits, bool(c.as_paths), FRR_BANDWIDTHS[c.bandwidth]) for c in bandwidth_clauses]
        for number, (permits, own_only, settings) in enumerate(
            [(policy.permits, policy.own_only, ""), *bandwidth_parts]
        ):
            yield from _write_map_part(name, number, permits, "\n match as-path OWN" * own_only + settings)


def _write_map_part(name: str, part_number: int, permits: Iterable[Permit], further: str) -> Iterator[str]:
    """Yield a part of a route map: the prefix lists of its prefixes, then an entry for IPv4 and one for IPv6.

    `further` are the lines with what else the entries match and set. Sequence numbers rise by 20 with each part.
    """
    list_ = f"{name}-{part_number}"
    for n, permit in enumerate(sorted(permits, key=str), 1):
        word, length = "ipv6" if ":" in permit.prefix else "ip", int(permit.prefix.rpartition("/")[2])
        bounds = f" ge {permit.shortest}" if permit.shortest > length else ""
        bounds += f" le {permit.longest}" if permit.longest > length else ""
        yield f"{word} prefix-list {list_} seq {n} permit {permit.prefix}{bounds}"
    for seq, word in ((10, "ip"), (20, "ipv6")):
        if any((":" in permit.prefix) == (word == "ipv6") for permit in permits):
            sequence = 20 * part_number + seq
            yield f"route-map {name} permit {sequence}\n match {word} address prefix-list {list_}{further}\nexit"


def _write_bgp_instance(bgp: Bgp, switch: Switch, kernel: Callable[[str], str], vrf: str) -> Iterator[str]:
    """Yield the lines of `router bgp` of a VRF ("" for the default): its sessions, then for IPv4 and IPv6 the prefixes
    that it announces and the sessions that carry the family, then EVPN. `kernel` returns the name that Linux has for a
    port.
    """
    route_maps = _name_policies(bgp, vrf)
    yield f"router bgp {bgp.asn}" + (f" vrf {vrf}" if vrf else "")
    yield f" bgp router-id {bgp.router_id}\n no bgp default ipv4-unicast"
    if bgp.multipath_relax:
        yield " bgp bestpath as-path multipath-relax"
    for key, peer in bgp.peers.items():
        # a peer is known by its address, or by the port that it is at
        name, keyword = (kernel(key), " interface") if key in switch.interfaces else (key, "")
        yield f" neighbor {name}{keyword} remote-as {peer.remote_asn}"
        yield f" neighbor {name} timers {peer.keepalive_s} {peer.hold_s}\n neighbor {name} timers connect 10"
    for family, word in (("v4", "ipv4"), ("v6", "ipv6")):
        yield f" address-family {word} unicast\n  maximum-paths {min(bgp.max_paths, MAX_PATHS)}"
        yield from (f"  network {prefix}" for prefix in sorted(bgp.announced) if (":" in prefix) == (family == "v6"))
        for key, peer in bgp.peers.items():
            if family in peer.families:
                yield from _write_session(kernel(key) if key in switch.interfaces else key, peer, route_maps, family)
        yield " exit-address-family"
    yield from write_evpn(switch, vrf)
    yield "exit"


def _write_session(name: str, peer: Peer, route_maps: dict[Policy, str], family: str) -> Iterator[str]:
    """Yield the lines of a session within a family (`v4` or `v6`); `route_maps` are the names by policy. A direction
    without a policy has the route map `ALL`.
    """
    yield f"  neighbor {name} activate"
    for policy, direction in ((peer.policy_in, "in"), (peer.policy_out, "out")):
        yield f"  neighbor {name} route-map {route_maps[policy] if policy else 'ALL'} {direction}"
    if peer.own_as_in:
        yield f"  neighbor {name} allowas-in {peer.own_as_in}"
    if family in peer.max_prefixes:
        yield f"  neighbor {name} maximum-prefix {peer.max_prefixes[family]}"


# The overlay of the model of a switch in FRR's words.


def write_vnis(switch: Switch) -> Iterator[str]:
    """Yield the route maps of EVPN sessions and the VNI of each VRF; nothing for a switch without an overlay."""
    if switch.overlay:
        yield "bgp as-path access-list OWN seq 5 permit ^$"
        yield "route-map EVPN-ALL permit 10\nexit\nroute-map EVPN-OWN permit 10\n match as-path OWN\nexit"
        yield from (
            f"vrf {vrf}\n vni {overlay_vrf.vni}\nexit-vrf" for vrf, overlay_vrf in sorted(switch.overlay.vrfs.items())
        )


def write_evpn(switch: Switch, vrf: str) -> Iterator[str]:
    """Yield the lines for EVPN of a VRF: the sessions in the default VRF (""), the route targets in a VRF that the
    overlay carries, and nothing in other VRFs.
    """
    if switch.overlay and not vrf:
        yield from _write_evpn_sessions(switch.overlay)
    elif switch.overlay and vrf in switch.overlay.vrfs:
        yield from _write_route_targets(switch.overlay.vrfs[vrf])


def _write_evpn_sessions(overlay: EvpnOverlay) -> Iterator[str]:
    """Yield the lines of the EVPN sessions: each peer with its source address and timers, then the address family with
    the route maps of each peer, and `advertise-all-vni` if the switch has a VTEP.
    """
    for address, peer in overlay.peers.items():
        yield f" neighbor {address} remote-as {peer.remote_asn}\n neighbor {address} update-source {overlay.source}"
        yield f" neighbor {address} ebgp-multihop {peer.multihop}\n neighbor {address} timers connect 10"
        yield f" neighbor {address} timers {peer.keepalive_s} {peer.hold_s}"
    yield " address-family l2vpn evpn"
    for address, peer in overlay.peers.items():
        yield f"  neighbor {address} activate\n  neighbor {address} route-map EVPN-ALL in"
        yield f"  neighbor {address} route-map EVPN-{'OWN' if peer.own_only else 'ALL'} out"
        if peer.keeps_next_hop:
            yield f"  neighbor {address} attribute-unchanged next-hop"
        if peer.own_as_in:
            yield f"  neighbor {address} allowas-in {peer.own_as_in}"
    if overlay.vtep:
        yield "  advertise-all-vni"
    yield " exit-address-family"


def _write_route_targets(overlay_vrf: OverlayVrf) -> Iterator[str]:
    """Yield what a VRF announces into EVPN, and imports from it."""
    yield f" address-family l2vpn evpn\n  rd {overlay_vrf.distinguisher}"
    yield from (f"  advertise ip{family} unicast" for family in sorted(overlay_vrf.families))
    yield from (f"  route-target import {target}" for target in sorted(overlay_vrf.imports))
    yield from (f"  route-target export {target}" for target in sorted(overlay_vrf.exports))
    yield " exit-address-family"
