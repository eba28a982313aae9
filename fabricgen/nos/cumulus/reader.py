"""Cumulus Linux's startup.yaml read back, as NVUE would take it.

A key that is not known here, or what does not fit together, raises UnknownTextError in tests, which hold readers to
what is written. Whatever else calls `read` does so within `tolerate_unknown_text` (`running/tree.py`): there both are
noted, and reading goes on.

Words: NVUE Command Reference and user guide, Cumulus Linux 5.15 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from ruamel.yaml import YAML

from fabricgen.nos.cumulus.reading import hosts, qos
from fabricgen.nos.cumulus.reading import routing as bgp
from fabricgen.nos.cumulus.reading.routing import CumulusRouting
from fabricgen.nos.cumulus.reading.spelling import make_tree, read_settings
from fabricgen.nos.cumulus.reading.system import read_system
from fabricgen.running.policy import OwnRoute, list_connected_routes
from fabricgen.running.tree import allow_fields, is_tolerant, read_part, report_misfit
from fabricgen.switch.interfaces import (
    OPEN,
    PEER_LINK,
    Bond,
    Interface,
    MlagPair,
    Relay,
    Subinterface,
    Vlan,
    separate_unused,
)
from fabricgen.switch.model import Switch, SwitchManagement
from fabricgen.switch.qos import Balancing, SwitchQos

Row = Mapping[str, Any]

MANAGEMENT, PORT, PEERLINK = "mgmt", "swp", "peerlink"
PAIR_VLAN = 4094
DEFAULT_MTU = 9216
_FEC = {"rs": "rs", "baser": "fc", "off": ""}
_SHARED = {"state": "enabled", "vrr-state": {"up": {}}}
"""Settings that a virtual router needs besides its addresses to answer for them."""
_TYPES = {"swp": PORT, "vlan": "svi", "eth": "eth", "lo": "loopback", "peerlink": "peerlink"}
_KEYS = {
    PORT: (
        *("acl", "bridge", "description", "evpn", "ipv4", "ipv6", "link", "packet-trim", "qos", "router"),
        *("storm-control", "vrf"),
    ),
    "bond": ("acl", "bond", "bridge", "description", "evpn", "link"),
    "peerlink": ("bond", "bridge", "description", "link"),
    "sub": ("base-interface", "description", "ipv4", "ipv6", "link", "vlan", "vrf"),
    "svi": ("description", "ipv4", "ipv6", "link", "vlan", "vrf"),
    "loopback": ("description", "ipv4", "ipv6"),
    "eth": ("description", "ipv4", "ipv6", "vrf"),
}
"""The keys that an interface may have, by its type."""


def read(files: Mapping[str, str]) -> Switch:
    """Return a switch from its one file; raises UnknownTextError for text that is not understood or does not fit
    together.
    """
    (text,) = files.values()
    if is_tolerant():
        tree = make_tree(read_settings(text))
    else:
        (document,) = YAML(typ="safe").load(text)
        allow_fields(document, "set")
        tree = document["set"]
    allow_fields(tree, "acl", "bridge", "evpn", "interface", "mlag", "nve", "qos", "router", "service", "system", "vrf")
    for name, row in tree["interface"].items():
        if is_tolerant():
            row.setdefault("type", find_type(name))
        allow_fields(row, "type", *_KEYS[row["type"]])
    return _make_switch(tree, {name: row for name, row in tree["interface"].items() if row["type"] == PORT})


def find_type(name: str) -> str:
    """Return the type that NVUE takes an interface for by its name; a bond may have any name (user guide, Bonding)."""
    if "." in name:
        return "sub"
    word = re.match("[a-z_]*", name)
    return _TYPES.get(word[0] if word else "", "bond")


def _make_switch(tree: Mapping[str, Any], rows: Mapping[str, Row]) -> Switch:
    """Return the model of a switch from NVUE's tree; `rows` are those of its switch ports, by name."""
    breakout_of = {name: _find_breakout(row) for name, row in rows.items()}
    routing = read_part(
        "BGP", lambda: CumulusRouting(tree.get("router", {}), tree.get("vrf", {})), CumulusRouting({}, {})
    )
    # a bridge may leave its VLANs to the defaults of NVUE
    bridged = set(map(int, tree["bridge"]["domain"]["br_default"].get("vlan", ()))) if "bridge" in tree else set()
    unsplit = [name for name, into in breakout_of.items() if not into]
    unknown_port = Interface(True, DEFAULT_MTU, 0)
    ports = {
        name: read_part(name, partial(_make_port, name, rows[name], routing, bridged), unknown_port) for name in unsplit
    }
    bonds = read_part("bonds", lambda: dict(_make_bonds(tree["interface"], bridged)), dict[int, Bond]())
    read_part("access of hosts", lambda: _add_access(tree, rows, ports, bonds), None)
    relays = read_part(
        "DHCP relay", lambda: hosts.list_relays(tree, routing.sources.get("ipv6", "")), dict[str, Relay]()
    )
    ports = {name: replace(port, relay=relays.get(name)) for name, port in ports.items()}
    further_rows = [row for row in tree["interface"].values() if row["type"] != PORT]
    subs = [row for row in further_rows if row["type"] == "sub"]
    ends = {(row["base-interface"], row["vlan"]): _make_subinterface(row, tree["interface"]) for row in subs}
    pair_vlans = {vlan: (sub.vrf, sub.addresses) for (port, vlan), sub in ends.items() if port == PEERLINK}
    pair = read_part("MLAG", lambda: _make_pair(tree, pair_vlans), None)
    _put_members_into_bonds(ports, bonds, pair)
    used, unused = separate_unused(ports)
    subinterfaces = {(port, vlan): sub for (port, vlan), sub in ends.items() if port != PEERLINK}
    vlans = {row["vlan"]: _make_vlan(row, bridged, relays) for row in further_rows if row["type"] == "svi"}
    loopbacks = frozenset(a for row in further_rows if row["type"] == "loopback" for a in _list_addresses(row))
    loopbacks_by_vrf = {
        bgp.find_vrf_name(name): addresses for name, addresses in hosts.list_vrf_loopbacks(tree).items()
    }

    def routes_in(vrf: str) -> Iterator[OwnRoute]:
        return list_connected_routes(vrf, used, subinterfaces, vlans, loopbacks, loopbacks_by_vrf)

    hostname, management = _read_management(tree, routing.sources, further_rows, loopbacks)
    blocked = {name for name, into in breakout_of.items() if into == "disabled"}
    read_part("ports of cages", lambda: _check_ports(rows, breakout_of, routing, blocked), None)
    return Switch(
        hostname=hostname,
        interfaces=used,
        unused=unused | blocked,
        loopbacks=loopbacks,
        vrf_loopbacks=loopbacks_by_vrf,
        management=management,
        subinterfaces=subinterfaces,
        vlans=vlans,
        bonds=bonds,
        pair=pair,
        vrfs=frozenset(map(bgp.find_vrf_name, tree.get("vrf", {}))) - {""},
        bgp=read_part("BGP", lambda: routing.make_bgp(routes_in), {}),
        routes=read_part("static routes", routing.make_static_routes, {}),
        drained=read_part("maintenance", routing.is_drained, False),
        qos=read_part("QoS", lambda: _make_qos(tree, rows, ports), None),
        trimming=read_part("packet trimming", lambda: qos.read_trimming(tree, rows), None),
        overlay=read_part("overlay", lambda: routing.make_overlay(tree, loopbacks), None),
        balancing=read_part("load balancing", lambda: _read_balancing(tree, rows, routing), Balancing()),
    )


def _read_balancing(tree: Mapping[str, Any], rows: Mapping[str, Row], routing: CumulusRouting) -> Balancing:
    """Return how equal paths are chosen: by load (`_is_adaptive`) or by hash, and the seed of the hash.

    `rows` are those of the switch ports, by name.
    """
    return Balancing(by_load=_is_adaptive(rows, routing), seed=qos.read_seed(tree["system"]))


def _put_members_into_bonds(ports: dict[str, Interface], bonds: Mapping[int, Bond], pair: MlagPair | None) -> None:
    """Mark in `ports` which bond each port is a member of, the peer link of a pair among them."""
    bond_of = {name: number for number, bond in bonds.items() for name in bond.members}
    bond_of |= dict.fromkeys(pair.members if pair else (), PEER_LINK)
    for name, number in bond_of.items():
        # a member that has the defaults of a port in all else need not be stated
        port = ports.get(name, Interface(True, DEFAULT_MTU, 0)) if is_tolerant() else ports[name]
        ports[name] = _put_into_bond(name, port, number)


def _read_management(
    tree: Mapping[str, Any], sources: Mapping[str, str], rows: list[Row], loopbacks: Set[str]
) -> tuple[str, SwitchManagement]:
    """Return (host name, management); `rows` are those of the switch's interfaces other than switch ports.

    `sources` are the addresses that its packets come from, by family ("ipv4", "ipv6"). It speaks to servers from its
    loopback if the IPv4 one is in `loopbacks`.
    """
    unread = tree.get("system", {}).get("hostname", ""), SwitchManagement()
    hostname, management = read_part("management", lambda: read_system(tree["system"], _list_managements(rows)), unread)
    if sources.get("ipv4") and (management.ntp or management.dns or management.syslog):
        from_loopback = any(address.partition("/")[0] == sources["ipv4"] for address in loopbacks)
        management = replace(management, from_loopback=from_loopback)
    return hostname, management


def _add_access(
    tree: Mapping[str, Any], rows: Mapping[str, Row], ports: dict[str, Interface], bonds: dict[int, Bond]
) -> None:
    """Add to `ports` and `bonds`, in place, what they refuse; `rows` are those of the switch ports, by name."""
    filters = hosts.list_filters(tree)
    for name, port in ports.items():
        members = [(rows[name], port.speed_gbps)]
        ports[name] = replace(port, access=hosts.make_access(rows[name], members, filters))
    for number, bond in bonds.items():
        members = [(rows[name], ports[name].speed_gbps) for name in sorted(bond.members)]
        bonds[number] = replace(bond, access=hosts.make_access(tree["interface"][f"bond{number}"], members, filters))


def _make_qos(tree: Mapping[str, Any], rows: Mapping[str, Row], ports: Mapping[str, Interface]) -> SwitchQos | None:
    """Return QoS; None if the tree has none, or only the map of DSCPs that packet trimming needs."""
    if "qos" not in tree or qos.is_map_alone(tree["qos"]):
        return None
    qos_of_port = {name: row["qos"] for name, row in rows.items() if row.get("qos")}
    return qos.read_qos(tree["qos"], qos_of_port, {name: port.speed_gbps for name, port in ports.items()})


def _list_addresses(row: Row) -> frozenset[str]:
    """Return the addresses of an interface in both families; raises UnknownTextError for one under the other family."""
    addresses = set()
    for word in ("ipv4", "ipv6"):
        family = row.get(word, {})
        allow_fields(family, "address", "gateway", "neighbor-discovery", "vrr")
        if any((":" in address) != (word == "ipv6") for address in family.get("address", ())):
            report_misfit(f"addresses of another family under {word}")
        addresses |= set(family.get("address", ()))
    return frozenset(addresses)


def _find_breakout(row: Row) -> str:
    """Return what a cage is split into, such as `2x`, or `disabled`; "" for a port."""
    breakout = row.get("link", {}).get("breakout", {})
    if breakout and (set(row) | set(row["link"])) - ({"state"} if is_tolerant() else set()) != {
        "type",
        "link",
        "breakout",
    }:
        report_misfit("a split cage is no port")
    return next(iter(breakout), "")


def _check_ports(rows: Mapping[str, Row], breakout_of: Mapping[str, str], routing: Any, blocked: set[str]) -> None:
    """Refuse ports that no cage has, cages whose ports are not all there, and sessions over no port.

    `breakout_of` is what each cage is split into, such as `2x`, or ""; `blocked` are disabled cages. Raises
    UnknownTextError.
    """
    of_cage: dict[str, set[str]] = {}
    for name in rows:
        # `swp1s0` is the first port of the split cage `swp1`; a whole cage has "" here
        of_cage.setdefault(name.rpartition("s")[0], set()).add(name)
    for name, into in breakout_of.items():
        ports = of_cage.get(name, set())
        count = 0 if name in blocked or not into else int(into.removesuffix("x"))
        expected = {f"{name}s{n}" for n in range(count)}
        if ports != expected and not (is_tolerant() and ports < expected):
            report_misfit(f"{name} is {into or 'whole'}, with ports {sorted(ports)}")
    if strange := {n for cage in of_cage.keys() - {"", *breakout_of} for n in of_cage[cage]}:
        report_misfit(f"ports of no cage: {sorted(strange)}")
    if strange := {name for name in routing.unnumbered - set(rows) if not name.startswith(f"{PEERLINK}.")}:
        report_misfit(f"sessions over no port: {sorted(strange)}")


def _make_port(name: str, row: Row, routing: Any, bridged: set[int]) -> Interface:
    """Return a switch port; `bridged` are the VLANs of the bridge.

    Raises UnknownTextError for a port that is bridged and routed.
    """
    link, addresses = row.get("link", {}) if is_tolerant() else row["link"], _list_addresses(row)
    allow_fields(link, "fec", "lanes", "mtu", "speed", "state")
    access, tagged = _list_vlans(row.get("bridge", {}), bridged)
    if (access or tagged) and (addresses or "vrf" in row):
        report_misfit(f"{name} is bridged and routed")
    (state,) = link.get("state", {"up": {}}) if is_tolerant() else link["state"]
    return Interface(
        admin_up={"up": True, "down": False}[state],
        mtu=link.get("mtu", DEFAULT_MTU),
        speed_gbps=int(link.get("speed", "0G").removesuffix("G")),
        fec=_FEC[link.get("fec", "off")],
        states_no_fec=link.get("fec") == "off",
        negotiates="speed" not in link,
        addresses=addresses,
        link_local=name in routing.unnumbered,
        access_vlan=access,
        tagged_vlans=tagged,
        vrf=bgp.find_vrf_name(row.get("vrf", "default")),
        description=row.get("description", ""),
        tracked=bgp.is_tracked(row),
    )


def _make_bonds(rows: Mapping[str, Row], bridged: set[int]) -> Iterator[tuple[int, Bond]]:
    """Yield (number, bond) of each interface of type bond; raises UnknownTextError for one without LACP, or with its
    MLAG off.
    """
    for name, row in rows.items():
        if row["type"] == "bond":
            settings, link = row["bond"], row.get("link", {})
            allow_fields(settings, "lacp-bypass", "lacp-rate", "member", "mlag", "mode")
            allow_fields(link, "mtu", "state")
            if (settings.get("lacp-rate", "fast"), settings.get("mode", "lacp")) != ("fast", "lacp"):
                report_misfit(f"{name} is no bond by LACP")
            (state,) = link.get("state", {"up": {}})
            up, vlans = {"up": True, "down": False}[state], _list_vlans(row.get("bridge", {}), bridged)
            members = frozenset(settings["member"])
            number, mlag = int(name.removeprefix("bond")), settings.get("mlag", {"id": 0, "state": "enabled"})
            if mlag["state"] != "enabled":
                report_misfit(f"MLAG is off on {name}")
            bypass = {"enabled": True, "disabled": False}[settings.get("lacp-bypass", "disabled")]
            yield (
                number,
                Bond(
                    *(members, up, link.get("mtu", DEFAULT_MTU), *vlans, row.get("description", ""), mlag["id"]),
                    fallback=bypass,
                    segment=bgp.find_segment(row, number),
                ),
            )


def _make_pair(tree: Mapping[str, Any], vlans: dict[int, tuple[str, Set[str]]]) -> MlagPair | None:
    """Return the MLAG pair, None without it; `vlans` are (VRF, addresses) of the VLANs of the peer link.

    Raises UnknownTextError if its parts do not fit together.
    """
    mlag, row = tree.get("mlag"), tree["interface"].get(PEERLINK)
    if mlag is None or row is None:
        if mlag or row or vlans:
            report_misfit("parts of an MLAG pair without the others")
        return None
    allow_fields(mlag, "backup", "mac-address", "peer-ip", "state")
    conditions = (mlag["peer-ip"], mlag["state"], row["bridge"], set(row.get("link", {}).get("state", ("up",))))
    if conditions != ("linklocal", "enabled", {"domain": {"br_default": {}}}, {"up"}) or PAIR_VLAN not in vlans:
        report_misfit(f"an MLAG pair that does not come up: {conditions}")
    ((address, reached_over),) = mlag["backup"].items()
    backup = address, "management" if reached_over == {"vrf": MANAGEMENT} else ""
    return MlagPair(frozenset(row["bond"]["member"]), mlag["mac-address"], backup, vlans)


def _put_into_bond(name: str, port: Interface, bond: int) -> Interface:
    """Return a port as a member of a bond; raises UnknownTextError if it has another use."""
    if port.bond or port.access_vlan or port.tagged_vlans or port.addresses:
        report_misfit(f"{name} is in bond{bond}, and has another use")
    return replace(port, bond=bond, access=OPEN)


def _list_vlans(bridge: Row, bridged: set[int]) -> tuple[int, frozenset[int]]:
    """Return (untagged VLAN or 0, tagged VLANs) of a port; `bridged` are the VLANs of the bridge.

    Raises UnknownTextError if the port is in a VLAN that the bridge does not have, or if its spanning tree is not that
    of a port of hosts (`admin-edge`).
    """
    if not bridge:
        return 0, frozenset()
    domain = bridge["domain"]["br_default"]
    allow_fields(domain, *(("untagged", "vlan") if "vlan" in domain else ("access",)), "stp")
    untagged = 0 if domain.get("untagged") == "none" else int(domain["untagged" if "vlan" in domain else "access"])
    # an access port has no VLAN but the untagged one
    vlans = frozenset(map(int, domain.get("vlan", {untagged: {}})))
    unknown = not vlans <= bridged or untagged not in vlans | {0}
    # BPDU guard may be anything here: it is part of what the port refuses
    if unknown or {**domain.get("stp", {}), "bpdu-guard": ""} != {"admin-edge": "enabled", "bpdu-guard": ""}:
        report_misfit(f"no plain host port: {domain}")
    return untagged, vlans - {untagged}


def _find_mtu(row: Row) -> int:
    """Return the MTU of an interface, bytes."""
    return int(row.get("link", {}).get("mtu", DEFAULT_MTU))


def _make_subinterface(row: Row, rows: Mapping[str, Row]) -> Subinterface:
    """Return a sub-interface; raises UnknownTextError if its MTU differs from that of its port."""
    if _find_mtu(row) != _find_mtu(rows.get(row["base-interface"], row)):
        report_misfit(f"{row['base-interface']}.{row['vlan']} has another MTU than its port")
    return Subinterface(bgp.find_vrf_name(row.get("vrf", "default")), _list_addresses(row))


def _make_vlan(row: Row, bridged: set[int], relays: Mapping[str, Relay]) -> Vlan:
    """Return the VLAN of an SVI: its gateways are shared addresses (VRR) if it has any, else its own."""
    if row["vlan"] not in bridged:
        report_misfit(f"VLAN {row['vlan']} is not in the bridge")
    vrf = bgp.find_vrf_name(row.get("vrf", "default"))
    shared = [row[word]["vrr"] for word in ("ipv4", "ipv6") if "vrr" in row.get(word, {})]
    if any(
        {**router, "vrr-state": router.get("vrr-state", {"up": {}})} != {"address": router["address"], **_SHARED}
        for router in shared
    ):
        report_misfit(f"a virtual router that is off: {shared}")
    gateways = frozenset(address for router in shared for address in router["address"])
    plain = Vlan(gateways, vrf, _list_addresses(row)) if gateways else Vlan(_list_addresses(row), vrf)
    advertised, silent = hosts.read_advertised(row)
    return replace(plain, relay=relays.get(f"vlan{row['vlan']}"), advertised=advertised, silent=silent)


def _list_managements(rows: list[Row]) -> Iterator[tuple[str, str]]:
    """Yield (address, gateway) of the management port, which must be in the VRF `mgmt`."""
    for row in rows:
        if row["type"] == "eth":
            if row["vrf"] != MANAGEMENT:
                report_misfit("management is not in a VRF of its own")
            for address in _list_addresses(row):
                (gateway,) = row["ipv6" if ":" in address else "ipv4"]["gateway"]
                yield address, gateway


def _is_adaptive(rows: Mapping[str, Row], routing: Any) -> bool:
    """Whether ports choose among paths by load, which NVUE states at each port and once for the switch.

    Raises UnknownTextError if only one of them states it.
    """
    router_settings = {name: row["router"] for name, row in rows.items() if "router" in row}
    if any(settings != {"adaptive-routing": {"state": "enabled"}} for settings in router_settings.values()):
        report_misfit("ports have other things of `router`")
    ports = [name for name, settings in router_settings.items() if "adaptive-routing" in settings]
    if bool(ports) != routing.adaptive:
        report_misfit("adaptive routing of ports and of the switch go together")
    return bool(ports)
