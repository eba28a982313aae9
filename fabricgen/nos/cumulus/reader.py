"""Cumulus Linux's startup.yaml read back, as NVUE would take it; a key that is not known here is an error.

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
from fabricgen.nos.cumulus.reading.qos import read_seed
from fabricgen.nos.cumulus.reading.routing import Routing
from fabricgen.nos.cumulus.reading.spelling import read_settings, tree_of
from fabricgen.nos.cumulus.reading.system import read_system
from fabricgen.running.policy import connected
from fabricgen.running.tree import only, part, tolerates, unfit
from fabricgen.switch.interfaces import OPEN, PEER_LINK, Bond, Interface, Pair, Relay, Subinterface, Vlan, is_unused
from fabricgen.switch.model import Management, Switch
from fabricgen.switch.qos import Balancing, Qos

Row = Mapping[str, Any]

MANAGEMENT, PORT, PEERLINK = "mgmt", "swp", "peerlink"
PAIR_VLAN = 4094
DEFAULT_MTU = 9216
_FEC = {"rs": "rs", "baser": "fc", "off": ""}
_SHARED = {"state": "enabled", "vrr-state": {"up": {}}}
"""What makes the addresses of a virtual router answer."""
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
"""What may be said of an interface, by its type."""


def read(files: Mapping[str, str]) -> Switch:
    """A switch from its one file; raises UnknownTextError for what is not understood or does not fit together."""
    (text,) = files.values()
    if tolerates():
        tree = tree_of(read_settings(text))
    else:
        (item,) = YAML(typ="safe").load(text)
        only(item, "set")
        tree = item["set"]
    only(tree, "acl", "bridge", "evpn", "interface", "mlag", "nve", "qos", "router", "service", "system", "vrf")
    for name, row in tree["interface"].items():
        if tolerates():
            row.setdefault("type", type_of(name))
        only(row, "type", *_KEYS[row["type"]])
    return _switch(tree, {name: row for name, row in tree["interface"].items() if row["type"] == PORT})


def type_of(name: str) -> str:
    """The type that NVUE takes an interface for by its name; a bond may have any (user guide, Bonding)."""
    if "." in name:
        return "sub"
    word = re.match("[a-z_]*", name)
    return _TYPES.get(word[0] if word else "", "bond")


def _switch(tree: Mapping[str, Any], rows: Mapping[str, Row]) -> Switch:
    split = {name: _split(row) for name, row in rows.items()}
    routing = part("BGP", lambda: Routing(tree.get("router", {}), tree.get("vrf", {})), Routing({}, {}))
    bridged = set(map(int, tree["bridge"]["domain"]["br_default"]["vlan"])) if "bridge" in tree else set()
    whole = [name for name, into in split.items() if not into]
    unknown_port = Interface(True, DEFAULT_MTU, 0)
    ports = {name: part(name, partial(_port, name, rows[name], routing, bridged), unknown_port) for name in whole}
    bonds = part("bonds", lambda: dict(_bonds(tree["interface"], bridged)), dict[int, Bond]())
    part("access of hosts", lambda: _add_access(tree, rows, ports, bonds), None)
    relays = part("DHCP relay", lambda: hosts.relays(tree, routing.sources.get("ipv6", "")), dict[str, Relay]())
    ports = {name: replace(port, relay=relays.get(name)) for name, port in ports.items()}
    others = [row for row in tree["interface"].values() if row["type"] != PORT]
    subs = [row for row in others if row["type"] == "sub"]
    ends = {(row["base-interface"], row["vlan"]): _subinterface(row, tree["interface"]) for row in subs}
    talks = {vlan: (sub.vrf, sub.addresses) for (port, vlan), sub in ends.items() if port == PEERLINK}
    pair = part("MLAG", lambda: _pair(tree, talks), None)
    for name in pair.members if pair else ():
        ports[name] = _in_bond(name, ports[name], PEER_LINK)
    for number, bond in bonds.items():
        ports |= {name: _in_bond(name, ports[name], number) for name in bond.members}
    unused = frozenset(name for name, port in ports.items() if is_unused(port))
    used = {name: port for name, port in ports.items() if name not in unused}
    subinterfaces = {(port, vlan): sub for (port, vlan), sub in ends.items() if port != PEERLINK}
    vlans = {row["vlan"]: _vlan(row, bridged, relays) for row in others if row["type"] == "svi"}
    loopbacks = frozenset(a for row in others if row["type"] == "loopback" for a in _addresses(row))
    by_vrf = {vrf_of(name): addresses for name, addresses in hosts.vrf_loopbacks(tree).items()}
    routes_in = partial(
        connected, interfaces=used, subinterfaces=subinterfaces, vlans=vlans, loopbacks=loopbacks, vrf_loopbacks=by_vrf
    )
    unread = tree.get("system", {}).get("hostname", ""), Management()
    hostname, management = part("management", lambda: read_system(tree["system"], _managements(others)), unread)
    if routing.sources.get("ipv4") and (management.ntp or management.dns or management.syslog):
        from_loopback = any(address.partition("/")[0] == routing.sources["ipv4"] for address in loopbacks)
        management = replace(management, from_loopback=from_loopback)
    blocked = {name for name, into in split.items() if into == "disabled"}
    part("ports of cages", lambda: _check_ports(rows, split, routing, blocked), None)
    return Switch(
        hostname=hostname,
        interfaces=used,
        unused=unused | blocked,
        loopbacks=loopbacks,
        vrf_loopbacks=by_vrf,
        management=management,
        subinterfaces=subinterfaces,
        vlans=vlans,
        bonds=bonds,
        pair=pair,
        vrfs=frozenset(map(vrf_of, tree.get("vrf", {}))) - {""},
        bgp=part("BGP", lambda: routing.bgp(routes_in), {}),
        routes=part("static routes", routing.routes, {}),
        drained=part("maintenance", routing.drained, False),
        qos=part("QoS", lambda: _qos(tree, rows, ports), None),
        trimming=part("packet trimming", lambda: qos.read_trimming(tree, rows), None),
        overlay=part("overlay", lambda: routing.overlay(tree, loopbacks), None),
        balancing=part(
            "load balancing",
            lambda: Balancing(by_load=_dynamic(rows, routing), seed=read_seed(tree["system"])),
            Balancing(),
        ),
    )


def _add_access(
    tree: Mapping[str, Any], rows: Mapping[str, Row], ports: dict[str, Interface], bonds: dict[int, Bond]
) -> None:
    """Add what is asked of the hosts of ports and bonds."""
    known = hosts.filters(tree)
    for name, port in ports.items():
        own = [(rows[name], port.speed_gbps)]
        ports[name] = replace(port, access=hosts.access(rows[name], own, known))
    for number, bond in bonds.items():
        own = [(rows[name], ports[name].speed_gbps) for name in sorted(bond.members)]
        bonds[number] = replace(bond, access=hosts.access(tree["interface"][f"bond{number}"], own, known))


def _qos(tree: Mapping[str, Any], rows: Mapping[str, Row], ports: Mapping[str, Interface]) -> Qos | None:
    if "qos" not in tree or qos.is_map_alone(tree["qos"]):
        return None
    told = {name: row["qos"] for name, row in rows.items() if row.get("qos")}
    return qos.read_qos(tree["qos"], told, {name: port.speed_gbps for name, port in ports.items()})


def vrf_of(name: str) -> str:
    """The blueprint's name of a VRF."""
    return "" if name == "default" else name.removeprefix("vrf_")


def _addresses(row: Row) -> frozenset[str]:
    found = set()
    for word in ("ipv4", "ipv6"):
        family = row.get(word, {})
        only(family, "address", "gateway", "neighbor-discovery", "vrr")
        if any((":" in address) != (word == "ipv6") for address in family.get("address", ())):
            unfit(f"addresses of another family under {word}")
        found |= set(family.get("address", ()))
    return frozenset(found)


def _split(row: Row) -> str:
    """What a cage is split into, `2x` or `disabled`; "" for a port."""
    ways = row.get("link", {}).get("breakout", {})
    if ways and (set(row) | set(row["link"])) - ({"state"} if tolerates() else set()) != {"type", "link", "breakout"}:
        unfit("a split cage is no port")
    return next(iter(ways), "")


def _check_ports(rows: Mapping[str, Row], split: Mapping[str, str], routing: Any, blocked: set[str]) -> None:
    """Raises UnknownTextError for ports that no cage has, and cages whose ports are not all there."""
    of_cage: dict[str, set[str]] = {}
    for name in rows:
        of_cage.setdefault(name.rpartition("s")[0], set()).add(name)
    for name, into in split.items():
        ports = of_cage.get(name, set())
        count = 0 if name in blocked or not into else int(into.removesuffix("x"))
        every = {f"{name}s{n}" for n in range(count)}
        if ports != every and not (tolerates() and ports < every):
            unfit(f"{name} is {into or 'whole'}, with ports {sorted(ports)}")
    if strange := {n for cage in of_cage.keys() - {"", *split} for n in of_cage[cage]}:
        unfit(f"ports of no cage: {sorted(strange)}")
    if strange := {name for name in routing.unnumbered - set(rows) if not name.startswith(f"{PEERLINK}.")}:
        unfit(f"sessions over no port: {sorted(strange)}")


def _port(name: str, row: Row, routing: Any, bridged: set[int]) -> Interface:
    link, addresses = row.get("link", {}) if tolerates() else row["link"], _addresses(row)
    only(link, "fec", "lanes", "mtu", "speed", "state")
    access, tagged = _vlans_of(row.get("bridge", {}), bridged)
    if (access or tagged) and (addresses or "vrf" in row):
        unfit(f"{name} is bridged and routed")
    (state,) = link.get("state", {"up": {}}) if tolerates() else link["state"]
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
        vrf=vrf_of(row.get("vrf", "default")),
        description=row.get("description", ""),
        tracked=bgp.is_tracked(row),
    )


def _bonds(rows: Mapping[str, Row], bridged: set[int]) -> Iterator[tuple[int, Bond]]:
    for name, row in rows.items():
        if row["type"] == "bond":
            own, link = row["bond"], row.get("link", {})
            only(own, "lacp-bypass", "lacp-rate", "member", "mlag", "mode")
            only(link, "mtu", "state")
            if (own.get("lacp-rate", "fast"), own.get("mode", "lacp")) != ("fast", "lacp"):
                unfit(f"{name} is no bond by LACP")
            (state,) = link.get("state", {"up": {}})
            up, vlans = {"up": True, "down": False}[state], _vlans_of(row.get("bridge", {}), bridged)
            members = frozenset(own["member"])
            number, mlag = int(name.removeprefix("bond")), own.get("mlag", {"id": 0, "state": "enabled"})
            if mlag["state"] != "enabled":
                unfit(f"MLAG is off on {name}")
            bypass = {"enabled": True, "disabled": False}[own.get("lacp-bypass", "disabled")]
            yield (
                number,
                Bond(
                    *(members, up, link.get("mtu", DEFAULT_MTU), *vlans, row.get("description", ""), mlag["id"]),
                    fallback=bypass,
                    segment=bgp.segment(row, number),
                ),
            )


def _pair(tree: Mapping[str, Any], vlans: dict[int, tuple[str, Set[str]]]) -> Pair | None:
    """The MLAG pair; raises UnknownTextError where its parts do not fit together."""
    own, row = tree.get("mlag"), tree["interface"].get(PEERLINK)
    if own is None or row is None:
        if own or row or vlans:
            unfit("parts of an MLAG pair without the others")
        return None
    only(own, "backup", "mac-address", "peer-ip", "state")
    fits = (own["peer-ip"], own["state"], row["bridge"], set(row.get("link", {}).get("state", ("up",))))
    if fits != ("linklocal", "enabled", {"domain": {"br_default": {}}}, {"up"}) or PAIR_VLAN not in vlans:
        unfit(f"an MLAG pair that does not come up: {fits}")
    ((address, way),) = own["backup"].items()
    backup = address, "management" if way == {"vrf": MANAGEMENT} else ""
    return Pair(frozenset(row["bond"]["member"]), own["mac-address"], backup, vlans)


def _in_bond(name: str, port: Interface, bond: int) -> Interface:
    if port.bond or port.access_vlan or port.tagged_vlans or port.addresses:
        unfit(f"{name} is in bond{bond}, and has another use")
    return replace(port, bond=bond, access=OPEN)


def _vlans_of(bridge: Row, bridged: set[int]) -> tuple[int, frozenset[int]]:
    """The untagged VLAN of a host port, 0 for none, and the tagged ones."""
    if not bridge:
        return 0, frozenset()
    own = bridge["domain"]["br_default"]
    only(own, *(("untagged", "vlan") if "vlan" in own else ("access",)), "stp")
    untagged = 0 if own.get("untagged") == "none" else int(own["untagged" if "vlan" in own else "access"])
    vlans = frozenset(map(int, own.get("vlan", {untagged: {}})))
    unknown = not vlans <= bridged or untagged not in vlans | {0}
    if unknown or {**own.get("stp", {}), "bpdu-guard": ""} != {"admin-edge": "enabled", "bpdu-guard": ""}:
        unfit(f"no plain host port: {own}")
    return untagged, vlans - {untagged}


def _mtu(row: Row) -> int:
    return int(row.get("link", {}).get("mtu", DEFAULT_MTU))


def _subinterface(row: Row, rows: Mapping[str, Row]) -> Subinterface:
    if _mtu(row) != _mtu(rows.get(row["base-interface"], row)):
        unfit(f"{row['base-interface']}.{row['vlan']} has another MTU than its port")
    return Subinterface(vrf_of(row.get("vrf", "default")), _addresses(row))


def _vlan(row: Row, bridged: set[int], relays: Mapping[str, Relay]) -> Vlan:
    if row["vlan"] not in bridged:
        unfit(f"VLAN {row['vlan']} is not in the bridge")
    vrf = vrf_of(row.get("vrf", "default"))
    shared = [row[word]["vrr"] for word in ("ipv4", "ipv6") if "vrr" in row.get(word, {})]
    if any(
        {**one, "vrr-state": one.get("vrr-state", {"up": {}})} != {"address": one["address"], **_SHARED}
        for one in shared
    ):
        unfit(f"a virtual router that is off: {shared}")
    found = frozenset(address for one in shared for address in one["address"])
    plain = Vlan(found, vrf, _addresses(row)) if found else Vlan(_addresses(row), vrf)
    advertised, silent = hosts.advertised(row)
    return replace(plain, relay=relays.get(f"vlan{row['vlan']}"), advertised=advertised, silent=silent)


def _managements(rows: list[Row]) -> Iterator[tuple[str, str]]:
    for row in rows:
        if row["type"] == "eth":
            if row["vrf"] != MANAGEMENT:
                unfit("management is not in a VRF of its own")
            for address in _addresses(row):
                (gateway,) = row["ipv6" if ":" in address else "ipv4"]["gateway"]
                yield address, gateway


def _dynamic(rows: Mapping[str, Row], routing: Any) -> bool:
    ports = {name for name, row in rows.items() if "router" in row}
    if any(rows[name]["router"] != {"adaptive-routing": {"state": "enabled"}} for name in ports):
        unfit("ports have other things of `router`")
    if bool(ports) != routing.adaptive:
        unfit("adaptive routing of ports and of the switch go together")
    return bool(ports)
