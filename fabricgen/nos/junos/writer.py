"""Junos OS Evolved: one `juniper.conf`, the whole configuration in braces, as `load override` and ZTP take it.

The text follows Juniper's validated designs of AI data centres (github.com/Juniper/jvd, data_center/aidc), which the
tests hold the reader to: `number-of-sub-ports` and `speed` under `interfaces`, the physical MTU and that of a family
apart, external groups with `multipath multiple-as`, load balancing by a policy of the forwarding table, a class without
loss by `congestion-notification-profile`, LLDP with the names of interfaces, and `management-instance`.

The MTU of a port is that of its frames: 14 bytes more than a packet's, and 4 for a tag. FEC is stated, since Junos
chooses it by the optics otherwise (CLI reference, `fec (ether)`: `fec91` is RS-FEC at 25G to 400G). A policy ends with
a term that rejects, as BGP takes and passes on everything otherwise. Junos has no statement that redistributes: what a
switch originates is named in the policies of its sessions, `from protocol direct`, and for all of BGP in `CONNECTED`.

`root` has a hash that no password has: "you will not be able to log in to the device as root" (CLI reference,
`root-authentication`); without any a configuration is not committed.

Unnumbered sessions are `peer-auto-discovery` by neighbour discovery, a group for each AS number, since the list of
those that a neighbour may have is the group's (BGP User Guide, BGP Auto-Discovered Neighbors; Juniper's network
configuration example 225). They take router advertisements on the port.

Access ports run no spanning tree; a port that hears one is shut (`layer2-control bpdu-block`, Spanning-Tree Protocols
User Guide, BPDU protection on interfaces without spanning tree).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from fabricgen.blueprint.sections.management import Aaa, Snmp, User
from fabricgen.catalog.loader import Catalog
from fabricgen.nos.junos.reading.text import quote_word
from fabricgen.nos.junos.writing.hosts import list_advertisements, list_relays
from fabricgen.nos.junos.writing.routing import make_bgp_values
from fabricgen.render.escape import make_one_line, require_token, require_word, split_lines
from fabricgen.render.ports import list_unused_ports
from fabricgen.switch.interfaces import Bond, Interface
from fabricgen.switch.qos import PfcWatchdog, SwitchQos
from fabricgen.views.model.forwarding import model_balancing, model_qos
from fabricgen.views.model.hosts import model_vlan
from fabricgen.views.model.ports import model_bonds, model_interface
from fabricgen.views.model.routing import list_loopback_prefixes
from fabricgen.views.model.switch import model_management
from fabricgen.views.switch import SwitchPort, SwitchView

KEEPS_ORDER = True

FRAME_BYTES = 18
"""Bytes of a frame besides its packet: addresses and type, and a tag."""

GATEWAY_MTU = 9198
"""The MTU of the gateways of VLANs, bytes: the largest of a port."""

FEC_WORDS = {"rs": "fec91", "fc": "fec74", "": ""}

FAMILIES = {False: "inet", True: "inet6"}
"""Junos's word for a family, by whether it is IPv6."""

PLACES = ("end",)
"""Places for a user's own lines."""


def files(view: SwitchView) -> tuple[tuple[str, str], ...]:  # noqa: ARG001 - one signature for all
    """Return the template and the name of the one file of a switch."""
    return (("juniper.conf.j2", "juniper.conf"),)


def values(view: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """Return the values for the templates in `templates/junos`."""
    naming, bonds, mac_vrf = catalog.naming("junos"), model_bonds(view), make_mac_vrf(view)
    fallbacks = list_fallbacks(bonds)
    return {
        "hostname": require_token(view.name),
        "asn": view.asn,
        "router_id": view.router_id,
        "loopbacks": [
            (0, list_family_rows(list_loopback_prefixes(view))),
            *((loopback.number, list_family_rows(loopback.prefixes)) for loopback in view.vrf_loopbacks),
        ],
        "cages": _list_cage_rows(view),
        "ports": [
            *(_make_port_row(view, port, forced_up=port.name in fallbacks) for port in view.ports),
            *(_make_switched_row(view, bond) | make_bond_row(number, bond) for number, bond in bonds.items()),
        ],
        "aggregates": max(bonds, default=-1) + 1,
        "mac_vrf": mac_vrf,
        "unused": list_unused_ports(view, naming),
        "vlans": _list_vlan_rows(view, mac_vrf["of_vlan"] if mac_vrf else {}),
        "frame_mtu": GATEWAY_MTU + FRAME_BYTES,
        "gateway_mtu": GATEWAY_MTU,
        "relays": list_relays(view, ""),
        "advertising": list(list_advertisements(view)),
        "management_port": naming.find_management_port(view.profile),
        "snippets": {place: view.lines_at(place) for place in PLACES},
        **make_bgp_values(view),
        **make_qos_values(view),
        **make_management_values(view),
    }


def list_family_rows(addresses: tuple[str, ...] | list[str]) -> list[tuple[str, list[str]]]:
    """Return (word of a family, addresses of it), IPv4 before IPv6, without families that have none."""
    addresses_of_family = [
        (word, [address for address in addresses if (":" in address) == v6]) for v6, word in FAMILIES.items()
    ]
    return [(word, family_addresses) for word, family_addresses in addresses_of_family if family_addresses]


def _list_cage_rows(view: SwitchView) -> list[tuple[str, int, int]]:
    """Return (cage, number of ports, Gb/s of each) of split cages, whose ports state no speed of their own."""
    port_of_cage = {port.cage: port for port in view.ports if port.ways > 1}
    return [
        (require_token(port.name.rpartition(":")[0]), port.ways, port.speed_gbps)
        for _, port in sorted(port_of_cage.items())
    ]


def _make_port_row(view: SwitchView, port: SwitchPort, *, forced_up: bool) -> dict[str, Any]:
    """Return the values of a port, "" or 0 for what it does not have.

    `forced_up`: whether it carries traffic before the host of its bond speaks LACP.
    """
    interface = model_interface(view, port)
    families = list_family_rows([*interface.addresses])
    if interface.link_local:
        words = [FAMILIES[family == "v6"] for family in view.fabric.families]
        families = [(word, []) for word in dict.fromkeys([*words, "inet6"])]
    return {
        **_make_switched_row(view, interface),
        "name": require_token(port.name),
        "description": quote_word(make_one_line(interface.description)),
        "frame_mtu": 0 if interface.bond else interface.mtu + FRAME_BYTES,
        "mtu": interface.mtu,
        "bond": interface.bond,
        "forced_up": forced_up,
        "speed": interface.speed_gbps if port.ways == 1 else 0,
        "fec": "none" if interface.states_no_fec else FEC_WORDS[interface.fec],
        "families": families,
        "shutdown": not interface.admin_up,
    }


def _make_switched_row(view: SwitchView, interface: Interface | Bond) -> dict[str, Any]:
    """Return the fields of a port or bond that say its VLANs, its BPDU guard and the MTU of its frames.

    The fields of routed ports, and those that only ports or only bonds have, are empty, for the caller to fill in.
    """
    names = {service.vlan: require_token(service.label) for service in view.services}
    tagged = [names[vlan] for vlan in interface.trunk_vlans]
    return {
        "speed": 0,
        "fec": "",
        "families": [],
        "bond": 0,
        "lacp": False,
        "frame_mtu": interface.mtu + FRAME_BYTES,
        "mode": "trunk" if tagged else "access" if interface.access_vlan else "",
        "native": interface.access_vlan if tagged else 0,
        "members": tagged or [names[vlan] for vlan in (interface.access_vlan,) if vlan],
        "guarded": interface.access.bpdu_guard and bool(interface.access_vlan or tagged),
    }


def _list_vlan_rows(view: SwitchView, over_evpn: Mapping[int, tuple[int, str]]) -> list[dict[str, Any]]:
    """Return the VLANs of hosts with their gateways; `over_evpn` has (VNI, target) of those that go over EVPN, by
    number.
    """
    rows = []
    for service in view.services:
        if service.gateways:
            vni, target = over_evpn.get(service.vlan, (0, ""))
            mac = GATEWAY_MAC if model_vlan(view, service).anycast else ""
            row = {"name": require_token(service.label), "vlan": service.vlan, "vni": vni, "target": target}
            rows.append(row | {"mac": mac, "families": list_family_rows(service.gateways)})
    return rows


# Bonds of Junos, and VLANs over EVPN, as values.
# Those of Juniper's five-stage design (github.com/Juniper/jvd, data_center/adc/5stage_evpn_vxlan, storage-leaf1, a
# QFX5130-32CD): an aggregated Ethernet interface with LACP, over two leaves with an ESI of type 0 (0, the MAC that
# hosts see as the system of LACP, and a number) and all links active; one `mac-vrf` for all VLANs, a target for each
# VNI and one for segments; gateways of one address and MAC on both. A leaf whose last session for EVPN is gone takes
# such bonds down by itself (EVPN User Guide, core isolation). `force-up` keeps one port up without LACP (YANG,
# junos-conf-interfaces).

GATEWAY_MAC = "00:1c:73:00:00:01"
"""The MAC of gateways that two switches have: that of Juniper's designs."""


def make_bond_row(number: int, bond: Bond) -> dict[str, Any]:
    """Return the fields of a bond to lay over those of `_make_switched_row`: name, description, LACP, whether it is
    shut.

    `system` and `esi` are the LACP system and the ESI of its Ethernet segment, "" for none.
    """
    return {
        "name": f"ae{number}",
        "description": quote_word(make_one_line(bond.description)),
        "lacp": True,
        "system": bond.segment,
        "esi": spell_segment(bond.segment, number) if bond.segment else "",
        "shutdown": not bond.admin_up,
    }


def spell_segment(mac: str, number: int) -> str:
    """Return the ESI of a bond: ten bytes of type 0, from the MAC of the segment and the number of the bond."""
    return ":".join(["00", mac, *(f"{byte:02x}" for byte in number.to_bytes(3, "big"))])


def list_fallbacks(bonds: Mapping[int, Bond]) -> set[str]:
    """Return the ports that carry traffic before their host speaks LACP, one of each bond that asks for it."""
    return {next(iter(bond.members)) for bond in bonds.values() if bond.fallback}


def make_mac_vrf(view: SwitchView) -> dict[str, Any] | None:
    """Return the settings that all VLANs share over EVPN; None if none goes over it.

    `of_vlan` has (VNI, target) of each VLAN by its number.
    """
    vlans = view.overlay.vlans if view.overlay else {}
    if not vlans:
        return None
    (distinguisher,) = {vlan.distinguisher for vlan in vlans.values()}
    number = distinguisher.rpartition(":")[2]
    return {
        "distinguisher": distinguisher,
        "target": f"{view.multihomed}:{number}",
        "of_vlan": {vlan: (over.vni, over.target) for vlan, over in vlans.items()},
    }


# The class of RoCE of Junos as values: classes, schedulers, a congestion notification profile, and buffers.
# The shape and the shares of buffers are those of Juniper's validated design (github.com/Juniper/jvd,
# aiml_multitenancy_backend: `class-of-service`). Junos marks by how full a queue is, in percent, and has no
# thresholds in kB (YANG, junos-conf-class-of-service, `drop-profiles`): fill levels are that design's, too. The
# watchdog finds a queue that was paused for so many polls (`pfc-watchdog`: `poll-interval`, `detection`, `recovery`,
# `watchdog-action`).
# The headroom of a queue that pauses is worked out by Junos, of the length of the cable and the largest frame (CLI
# reference, `mru (Congestion Notification Profiles)`; YANG, `cable-length`, metres): ports at a long span have a
# profile of their own, which says both.
# A lossy class has another name, no `no-loss` and nothing that pauses; the buffer then is shared as Juniper
# recommends for networks of mostly best-effort unicast traffic (Traffic Management User Guide for QFX Series,
# Example: Recommended Configuration of the Shared Buffer Pool for Networks with Mostly Best-Effort Unicast Traffic;
# lossless is 5 % at least).
# Load is balanced by that of the links (`ecmp-dlb`): flowlet by flowlet with that design's figures, or packet by
# packet.

SPRAY = "spray"

ALL_PORTS = "et-*"
"""The name that stands for every port, if all are alike."""

NO_LOSS, LOSSY = "NO-LOSS", "LOSSY-ROCE"
"""The class of RoCE data, by whether it is paused or dropped."""

PROFILE = "ROCE"
"""The congestion notification profile of ports whose cables are as Junos takes them to be."""


def make_qos_values(view: SwitchView) -> dict[str, Any]:
    """Return the classes of RoCE with the profiles of ports, and how equal paths are chosen.

    `qos` is None if RoCE has no class of its own, and `by_load` is None if paths are chosen by hash alone.
    """
    qos, balancing = model_qos(view), model_balancing(view)
    bond_of = {port.name: f"ae{port.bond}" for port in view.ports if port.bond}
    families = [word for word, v in (("ipv4", "v4"), ("ipv6", "v6")) if v in view.fabric.families]
    by_load = {"sprays": view.fabric.balancing.mode == SPRAY, "families": families} if balancing.by_load else None
    return {
        "qos": _make_class_values(qos, qos.watchdog)
        | {"ports": _list_port_rows(qos, bond_of), "profiles": _list_profiles(qos) if qos.watchdog else []}
        if qos
        else None,
        "by_load": by_load,
    }


@lru_cache(maxsize=256)
def _make_class_values(qos: SwitchQos, watchdog: PfcWatchdog | None) -> dict[str, Any]:
    """Return the template's values of classes, shared by all switches whose ports have the same QoS.

    `watchdog` is that of `qos`, None without one; it is an argument so that the cache tells it apart.
    """
    lossy_class, cnp_class, roce_class = qos.classes
    queues = next(iter(qos.ports.values())).queues
    pauses: dict[str, Any] = (
        {
            "poll": watchdog.poll_ms,
            # Junos counts polls; rounded up
            "detection": -(-watchdog.detect_ms // watchdog.poll_ms),
            "recovery": watchdog.restore_ms,
            "action": watchdog.action,
        }
        if watchdog
        else {}
    )
    return {
        "roce_name": NO_LOSS if watchdog else LOSSY,
        "cnp_points": _list_code_points(qos.class_of, cnp_class),
        "roce_points": _list_code_points(qos.class_of, roce_class),
        "cnp_queue": cnp_class,
        "roce_queue": roce_class,
        # a code point of IEEE 802.1p is three bits
        "priority": f"{roce_class:03b}",
        "lossy_percent": queues[lossy_class].share,
        "roce_percent": queues[roce_class].share,
        "cnp_percent": queues[cnp_class].limit,
        "marking": next(iter(qos.ports.values())).marking,
        "pauses": pauses,
    }


def _list_port_rows(qos: SwitchQos, bond_of: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (port, its congestion notification profile or ""): one row for all ports if they are alike.

    A switch with bonds has a row for each port or bond. The row of a bond stands for its ports, since these take no
    such setting (YANG, junos-conf-interfaces, `bundle`: "scheduler-map config can not be applied on ae child").
    """
    profiles = {
        bond_of.get(name, name): _name_profile(port.length_m) if port.pfc else "" for name, port in qos.ports.items()
    }
    usual = PROFILE if qos.watchdog else ""
    return list(profiles.items()) if bond_of or {*profiles.values()} != {usual} else [(ALL_PORTS, usual)]


def _list_profiles(qos: SwitchQos) -> list[tuple[str, int]]:
    """Return (name, metres of fibre that its headroom is for) of each profile; 0 m leaves the length to Junos."""
    lengths = sorted({0, *(port.length_m for port in qos.ports.values() if port.pfc)})
    return [(_name_profile(length), length) for length in lengths]


def _name_profile(length_m: int) -> str:
    """Return the name of the profile for a length of cable, 0 for the default."""
    return f"{PROFILE}-{length_m}M" if length_m else PROFILE


def _list_code_points(class_of: Sequence[int], number: int) -> list[str]:
    """Return the DSCPs of class `number` as Junos writes them, such as `011010` for 26; `class_of` has the class of
    each DSCP.
    """
    return [f"{dscp:06b}" for dscp, class_ in enumerate(class_of) if class_ == number]


# Junos's management as values: accounts, AAA, servers, SNMP and banners.
# The management port is in a routing instance of Junos's own, `mgmt_junos`, in which servers are reached. Accounts
# are of Junos's classes `super-user` and `read-only`; SNMPv3 hashes its passphrases when they are committed. What a
# switch sends itself comes from its loopback by `default-address-selection`, where it has no management port (CLI
# reference: `login`, `snmp v3`, `tacplus-server`, `syslog`, `management-instance`). gNMI takes a certificate, which
# is loaded on the switch under the name `gnmi` (Junos Telemetry Interface User Guide, gRPC: `local-certificate`,
# `use-pki`).

INSTANCE = "mgmt_junos"

CLASSES = {"admin": "super-user", "operator": "read-only"}

SEVERITIES = {"informational": "info", "debug": "any"}
"""Junos's words for levels of logs that it calls otherwise."""

PROTOCOLS = {"tacacs": "tacplus", "radius": "radius"}


def make_management_values(view: SwitchView) -> dict[str, Any]:
    """Return the values of management for the templates."""
    spec, management = view.fabric.management, model_management(view)
    gateways = [(address, gateway) for address, gateway in view.managements if gateway]
    return {
        "managements": [("inet6" if ":" in address else "inet", address, gateway) for address, gateway in gateways],
        "instance": INSTANCE if gateways else "",
        "from_loopback": management.from_loopback,
        "users": [_make_user_row(name, user) for name, user in sorted(spec.users.items())],
        "aaa": _make_login_servers(spec.aaa),
        "ntp_servers": [require_word(server) for server in management.ntp],
        "name_servers": [require_word(server) for server in management.dns],
        "dns_domain": require_token(management.domain) if management.domain else "",
        "log_level": SEVERITIES.get(management.syslog_level, management.syslog_level),
        "log_servers": [require_word(server) for server in management.syslog],
        "snmp": _make_snmp_values(spec.snmp, view.site),
        "gnmi_port": management.gnmi_port,
        "timezone": require_token(management.timezone) if management.timezone else "",
        "message": _quote_banner(management.login_banner),
        "announcement": _quote_banner(management.motd),
    }


def _quote_banner(banner: str) -> str:
    """Return a banner of several lines in quotes; "" for none."""
    return quote_word("\n".join(split_lines(banner))) if banner else ""


def _make_user_row(name: str, user: User) -> dict[str, Any]:
    """Return the template's values of an account: name, class, password hash ("" without a password), and (type, quoted
    text) of each SSH key.
    """
    kinds = [ssh_key.partition(" ")[0] for ssh_key in user.ssh_keys]
    key_types = ["ssh-ecdsa" if kind.startswith(("ecdsa", "sk-")) else kind for kind in kinds]
    quoted_keys = [quote_word(" ".join(map(require_word, ssh_key.split(" ")))) for ssh_key in user.ssh_keys]
    return {
        "name": require_token(name),
        "class": CLASSES[user.role],
        "hash": quote_word(require_word(user.password)) if user.password else "",
        "keys": list(zip(key_types, quoted_keys, strict=True)),
    }


def _make_login_servers(aaa: Aaa | None) -> dict[str, Any] | None:
    """Return the login servers and their key, "" if none is stated; None without servers."""
    if not aaa:
        return None
    servers, key = (
        [require_word(server) for server in aaa.servers],
        quote_word(require_word(aaa.key)) if aaa.key else "",
    )
    return {"word": PROTOCOLS[aaa.protocol], "servers": servers, "key": key}


def _make_snmp_values(snmp: Snmp | None, site: str) -> dict[str, Any] | None:
    """Return SNMP with (name, authentication, privacy) of its users, "" for an unknown location or contact; None
    without SNMP.
    """
    if not snmp:
        return None
    location = snmp.location or site
    return {
        "location": quote_word(make_one_line(location)) if location else "",
        "contact": quote_word(make_one_line(snmp.contact)) if snmp.contact else "",
        "users": [
            (require_token(name), quote_word(require_word(user.auth)), quote_word(require_word(user.privacy)))
            for name, user in sorted(snmp.users.items())
        ],
    }
