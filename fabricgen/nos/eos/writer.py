"""Arista EOS: one `DEVICE.cfg`, the startup configuration, named after the device.

The management port is in a VRF of its own, so that its default route never draws fabric traffic; SSH listens there, and
LLDP tells its address. A switch that is managed in-band has no management address and keeps SSH in the default VRF.

Spanning tree runs where hosts are bridged, with BPDU guard towards them, and not on a switch that only routes. A route
is announced once it is in the hardware (`update wait-install`): a booting switch draws no traffic that it would drop.
AVD's designs do so too (eos_designs: `bgp_update_wait_install`).

Static routes name their port beside the next hop, so that this is never looked up through another route. With
`underlay: none`, ports between switches are routed ports without an address: up, and carrying nothing until a
controller says so.

A guest fabric in a VRF has its ports or its SVI there; its routes travel in sessions over 802.1Q sub-interfaces, under
`vrf` in `router bgp`, with route-maps of their own.

Sources: Arista EOS user manual (BGP: `neighbor interface`, RFC 5549; QoS; PFC watchdog); the commands and their nesting
agree with the templates of aristanetworks/avd (pyavd 6.4), which the tests hold them to; the RoCE profile with Arista's
AI Network Fabric Deployment Guide. Marked packets are counted as each chip can: `random-detect ecn count` in a unicast
queue (AMD Instinct cluster networking guide, 7388), `hardware counter feature ecn out` on Jericho.

MACsec has a profile for each encrypted span (pyavd 6.4, mac_security). Without `traffic unprotected allow`, which is
not written, a port carries nothing before its key agreement is done.

MLAG (Arista EOS user manual, Multi-Chassis Link Aggregation): the VLAN of the peers is in a trunk group of the peer
link, and without spanning tree; `peer-address heartbeat` over the management network tells a lost peer link from a lost
peer. The protocol of the pair runs over IPv4: where the fabric has no such address between them, over a link-local one
(RFC 3927) that no route leads to. Hosts have the gateway of both switches (VARP, `ip virtual-router address`), at the
MAC that Arista's designs give it.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Any

from fabricgen.blueprint.sections.management import Aaa, Management, Snmp, User
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass
from fabricgen.nos.eos.writing.host_services import (
    CIRCUIT_TYPE,
    list_circuit_forms,
    list_filters,
    make_gateway_values,
    make_loopback_name,
    make_relay_values,
    make_switchport_values,
    make_vlan_gateway,
)
from fabricgen.nos.eos.writing.routing import (
    make_bgp_values,
    make_bond_segment,
    make_overlay_values,
    make_segment_values,
)
from fabricgen.render.escape import make_one_line, require_token, require_word, split_lines
from fabricgen.render.nos_protocol import Circuits
from fabricgen.render.ports import list_unused_ports
from fabricgen.render.routing import DISCARD_DISTANCE, find_family_word
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.qos import PfcWatchdog, SwitchQos
from fabricgen.switch.routing import StaticRoute
from fabricgen.views.model.forwarding import model_balancing, model_qos
from fabricgen.views.model.ports import count_lanes, model_bonds, model_interface
from fabricgen.views.model.routing import list_loopback_prefixes
from fabricgen.views.model.switch import model_management
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchPort, SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN

GATEWAY_MAC = "00:1c:73:00:dc:01"


def make_pair_values(view: SwitchView) -> dict[str, Any] | None:
    """Return the values of an MLAG pair; None for a switch in none.

    `vlans` run over the peer link alone: the pair's own VLAN, and those of VRFs without hosts on the switch.
    """
    pair, end = view.pair, view.pair_end
    if pair is None or end is None:
        return None
    unnumbered = bool(end.peer_asn) and view.fabric.underlay == "ebgp-unnumbered"
    return {
        "vlans": [
            {
                "vlan": vlan,
                "name": require_token(f"MLAG-{vrf}" if vrf else "MLAG"),
                "vrf": vrf and require_token(vrf),
                "addresses": [(find_family_word(address), address) for address in addresses],
                "link_local": unnumbered and vlan == PAIR_VLAN,
            }
            for vlan, (vrf, addresses) in pair.vlans.items()
        ],
        "vlan": PAIR_VLAN,
        "number": pair.number,
        "description": make_one_line(f"MLAG peer link to {pair.mate}"),
        "mtu": pair.mtu,
        "domain": require_token(pair.name),
        "peer_address": pair.peer,
        "heartbeat": pair.backup[0],
    }


def list_macsec_profiles(view: SwitchView) -> list[tuple[str, str, str, str]]:
    """Return (profile, cipher, name of the key, key of type 7) of the spans that end at a switch."""
    return [(require_token(name), span.cipher, span.ckn, span.cak) for name, span in view.encrypted_spans]


KEEPS_ORDER = True

GATEWAY_MTU = 9214
"""The MTU of the gateways of VLANs, bytes: the largest of EOS."""

MANAGEMENT_VRF = "MGMT"

FEC_WORDS = {"rs": "reed-solomon", "fc": "fire-code", "": ""}

PLACES = ("top", "interfaces", "bgp", "end")
"""Places for a user's own lines."""


def files(view: SwitchView) -> tuple[tuple[str, str], ...]:
    """Return the template and the name of the one file of a switch."""
    return (("DEVICE.cfg.j2", f"{view.name}.cfg"),)


def values(view: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """Return the values for the templates in `templates/eos`."""
    unnumbered = view.fabric.underlay == "ebgp-unnumbered"
    naming = catalog.naming("eos")
    management = [_make_management_row(address, gateway) for address, gateway in view.managements if gateway]
    return {
        "hostname": require_token(view.name),
        "asn": view.asn,
        "router_id": view.router_id,
        "loopbacks": [(find_family_word(prefix), prefix) for prefix in list_loopback_prefixes(view)],
        "vrf_loopbacks": [
            (
                make_loopback_name(loopback.number),
                require_token(loopback.vrf),
                [(find_family_word(prefix), prefix) for prefix in loopback.prefixes],
            )
            for loopback in view.vrf_loopbacks
        ],
        "management": management,
        "routes_v4": view.has_v4,
        "routes_v6": view.has_v6,
        "management_port": naming.find_management_port(view.profile),
        "unnumbered": unnumbered,
        "mtu": GATEWAY_MTU,
        "ports": [_make_port_row(view, port) for port in view.ports],
        "filters": list_filters(view),
        **make_relay_values(view),
        "pair": make_pair_values(view),
        # shared gateways answer from one MAC on all switches that have them
        "gateway_mac": GATEWAY_MAC if view.multihomed or any(s.owns for s in view.services) else "",
        "bonds": _make_bond_rows(view),
        "unused": list_unused_ports(view, naming),
        "vlans": [_make_vlan_row(view, service) for service in view.services if service.gateways],
        "vrfs": [require_token(vrf) for vrf in view.vrfs],
        "subinterfaces": [_make_subinterface_row(p, sub) for p, sub in view.subinterfaces],
        "static_routes": [_make_static_route(prefix, route) for (_, prefix), route in view.routes.items()],
        "discard_distance": DISCARD_DISTANCE,
        "snippets": {place: view.lines_at(place) for place in PLACES},
        "overlay": make_overlay_values(view),
        **make_segment_values(view),
        **make_bgp_values(view),
        **make_balancing_values(view),
        **make_qos_values(view),
        "macsec_profiles": list_macsec_profiles(view),
        **make_management_values(view, MANAGEMENT_VRF if management else ""),
    }


def circuits(view: SwitchView, catalog: Catalog) -> Circuits:  # noqa: ARG001 - one signature for all
    """Return how DHCP requests of hosts name the port that they came in at (`writing/host_services.py`)."""
    return Circuits(list_circuit_forms(view), "Port-Channel{number}", {}, CIRCUIT_TYPE)


def find_default_prefix(address: str) -> str:
    """Return the prefix of a default route in the address family of an address."""
    return "::/0" if ":" in address else "0.0.0.0/0"


def find_speed_word(port: SwitchPort, cage: CageClass) -> str:
    """Return the `speed` of a port, such as 400g-4 (Gb/s and number of lanes); "" for copper, which negotiates."""
    if cage.form_factor == "RJ45":
        return ""
    # up to 25G a port has one lane, of which EOS does not speak
    if port.speed_gbps <= 25:
        return f"{port.speed_gbps}g"
    return f"{port.speed_gbps}g-{count_lanes(port, cage)}"


def _make_management_row(address: str, gateway: str) -> dict[str, str]:
    """Return the values of a management address: word of its family, address, prefix of the default route, gateway."""
    return {
        "word": find_family_word(address),
        "address": address,
        "default": find_default_prefix(address),
        "gateway": gateway,
    }


def _make_vlan_row(view: SwitchView, service: Service) -> dict[str, Any]:
    """Return the values of a VLAN with a gateway; `shared` are the gateways that both switches of a pair have."""
    return {
        "vlan": service.vlan,
        "name": require_token(service.label),
        "addresses": [(find_family_word(address), address) for address in service.owns or service.gateways],
        "anycast": bool(view.multihomed),
        "link_local": bool(view.multihomed and service.gateway6),
        "shared": [
            (find_family_word(gateway), gateway.partition("/")[0]) for gateway in service.gateways if service.owns
        ],
        "vrf": service.vrf and require_token(service.vrf),
        "gateway": make_vlan_gateway(view, service),
    }


def _make_static_route(prefix: str, route: StaticRoute) -> dict[str, Any]:
    """Return the values of a static route; `hops` are (port, address) of its next hops."""
    return {
        "word": find_family_word(prefix),
        "prefix": prefix,
        "hops": [(require_token(port), address) for port, address in route.hops],
        "discard": route.discard,
    }


def _make_port_row(view: SwitchView, port: SwitchPort) -> dict[str, Any]:
    """Return the values of a port, "" or 0 for what it does not have; `addresses` are (word of the family, address)."""
    interface = model_interface(view, port)
    return {
        "name": require_token(port.name),
        "description": make_one_line(interface.description),
        "mtu": interface.mtu,
        "speed": find_speed_word(port, view.profile.find_cage_class(port.cage)),
        "fec": "none" if interface.states_no_fec else FEC_WORDS[interface.fec],
        "bond": port.bond,
        "tracked": "upstream" if interface.tracked else "",
        **make_switchport_values(interface),
        "gateway": make_gateway_values(interface.relay, silent=interface.silent),
        "vrf": interface.vrf and require_token(interface.vrf),
        "addresses": [(find_family_word(address), address) for address in interface.addresses],
        "link_local": interface.link_local,
        "macsec": port.span.settings_name if port.span and port.span.macsec else "",
        "qos_profile": _find_profile_name(view, port.speed_gbps, pauses=port.may_pause),
        "shutdown": not interface.admin_up,
    }


def _make_bond_rows(view: SwitchView) -> list[dict[str, Any]]:
    """Return the values of each port channel of hosts: LACP, MLAG id, Ethernet segment, QoS profile and VLANs."""
    speeds = {port.name: port.speed_gbps for port in view.ports}
    return [
        {
            "number": number,
            "mlag": bond.mlag_id,
            **make_bond_segment(bond),
            "description": make_one_line(bond.description),
            "mtu": bond.mtu,
            "shutdown": not bond.admin_up,
            "fallback": bond.fallback,
            # all members of a bond have one speed
            "qos_profile": _find_profile_name(view, speeds[next(iter(bond.members))], pauses=True),
            **make_switchport_values(bond),
        }
        for number, bond in model_bonds(view).items()
    ]


def _make_subinterface_row(port: SwitchPort, sub: Subinterface) -> dict[str, Any]:
    """Return the values of the sub-interface that carries a VRF over a link."""
    return {
        "name": f"{require_token(port.name)}.{sub.vlan}",
        "description": make_one_line(f"{port.peer} {port.peer_port} vrf {sub.vrf}"),
        "mtu": port.mtu,
        "vlan": sub.vlan,
        "vrf": require_token(sub.vrf),
        "addresses": [(find_family_word(address), address) for address in sub.addresses],
    }


# Values of EOS's quality of service: classes, a profile per port speed, the PFC watchdog; load balancing.
# Every DSCP has its class written out, so that nothing but RoCE data and notifications enters a queue before theirs:
# EOS serves queues by strict priority where nothing else is said, and its own map spreads DSCPs over all of them.
# Queues share a port by `bandwidth percent`, which is what the chips of AI switches take; `bandwidth guaranteed` in
# its place is of others (aristanetworks/avd, issue 1304 and pull request 1331). The watchdog is on wherever its
# default timeout is set, and each profile says so too.
# Sources: Arista AI Network Fabric Deployment Guide; EOS user manual, DCBX and flow control; pyavd 6.4.
# Load is balanced by load, by queue pair, or with the flows of hosts in turn. Hashes of Tomahawk and Trident take
# bytes of a header by their place: the destination queue pair is bytes 5 to 7 of RoCE's base transport header
# (InfiniBand Architecture Specification, volume 1, 9.2), after 8 of UDP; only of UDP packets, since bytes 13 to 15 of
# TCP change within a flow (RFC 9293). Jericho has a profile, in which bytes are counted from the UDP payload and only
# of port 4791. Sources: aristanetworks/avd, issues 4925, 5004 and 5386; pyavd 6.4, whose templates the tests hold
# this to; Arista TOIs `Conditional UDP Payload Hashing` (EOS 4.33.1F) and `Cluster Load Balancing` (EOS 4.32.2F).

UNICAST_QUEUE_CHIPS = ("Tomahawk", "Trident")
"""XGS chips, whose unicast queues are `uc-tx-queue`; on DNX chips a queue is a `tx-queue`."""

WATCHDOG_ACTIONS = {"drop": "drop", "forward": "notify-only"}
"""EOS's words for actions; `notify-only` leaves the queue as it is and only logs."""


def make_qos_values(view: SwitchView) -> dict[str, Any]:
    """Return the classes of RoCE, and a profile for each port speed; no profiles if RoCE has no class of its own."""
    qos = model_qos(view)
    if qos is None:
        return {"profiles": []}
    speeds = tuple(port.speed_gbps for port in view.ports)
    return _make_qos_values(qos, qos.watchdog, speeds, view.profile.asic.startswith(UNICAST_QUEUE_CHIPS))


@lru_cache(maxsize=1024)
def _make_qos_values(
    qos: SwitchQos, watchdog: PfcWatchdog | None, speeds: tuple[int, ...], unicast_queues: bool
) -> dict[str, Any]:
    """Return the template's values of QoS, shared by all switches whose ports have the same QoS and speeds.

    `speeds` has the speed of each of `qos.ports`, in their order, Gb/s; `watchdog` is that of `qos`; `unicast_queues`
    says whether queues are called `uc-tx-queue`.
    """
    lossy_class, cnp_class, roce_class = qos.classes
    port_of_profile = {(speed, not port.pfc): port for speed, port in zip(speeds, qos.ports.values(), strict=True)}
    first_port = next(iter(port_of_profile.values()))
    queues = first_port.queues
    return {
        "profiles": [
            (make_profile_name(speed, pauses=not is_lossy), not is_lossy, port.marking.low, port.marking.high)
            for (speed, is_lossy), port in sorted(port_of_profile.items(), key=itemgetter(0))
        ],
        "dscp_classes": [(dscp, number) for dscp, number in enumerate(qos.class_of) if number != lossy_class],
        "lossy_class": lossy_class,
        "lossy_dscps": [[d for d in range(n, n + 8) if qos.class_of[d] == lossy_class] for n in range(0, 64, 8)],
        "roce_class": roce_class,
        "cnp_class": cnp_class,
        "queue_classes": list(qos.queue_of),
        "roce_percent": queues[roce_class].share,
        "lossy_percent": queues[lossy_class].share,
        "cnp_percent": queues[cnp_class].limit,
        "mark_percent": first_port.marking.percent,
        "unicast_queues": unicast_queues,
        # hundredths of a second, rounded up
        "watchdog": tuple(f"{-(-ms // 10) / 100:.2f}" for ms in (watchdog.detect_ms, watchdog.restore_ms))
        if watchdog
        else (),
        "watchdog_poll": f"{watchdog.poll_ms / 1000:.3f}".removesuffix("0") if watchdog else "",
        "watchdog_action": WATCHDOG_ACTIONS[watchdog.action] if watchdog else "",
    }


def _find_profile_name(view: SwitchView, speed_gbps: int, *, pauses: bool) -> str:
    """Return the name of the QoS profile of a port, which may pause if `pauses`; "" if RoCE has no class."""
    qos = view.fabric.qos
    return make_profile_name(speed_gbps, pauses=pauses and qos.lossless) if qos.marks else ""


def make_profile_name(speed_gbps: int, *, pauses: bool = True) -> str:
    """Return the name of the QoS profile of ports of a speed.

    Ports that never pause are those of lossy fabrics, and ends of spans that drop.
    """
    return f"ROCE-{speed_gbps}G" if pauses else f"ROCE-{speed_gbps}G-LOSSY"


QUEUE_PAIR_AFTER_UDP = (13, 14, 15)
QUEUE_PAIR_OF_PAYLOAD = "5-7"


def make_balancing_values(view: SwitchView) -> dict[str, Any]:
    """Return what `_balancing.j2` names, empty for what is not asked of this chip; `flow_groups`
    are (host, its ports).
    """
    balancing, by_place = model_balancing(view), view.profile.asic.startswith(UNICAST_QUEUE_CHIPS)
    families = [word for word, v in (("IPv4", "v4"), ("IPv6", "v6")) if v in balancing.queue_pairs]
    return {
        "dynamic_load_balance": balancing.by_load,
        "queue_pair_bytes": [(f, n) for f in families for n in QUEUE_PAIR_AFTER_UDP] if by_place else [],
        "queue_pair_payload": QUEUE_PAIR_OF_PAYLOAD if families and not by_place else "",
        "flow_groups": [
            (require_token(host), ",".join(map(require_token, p))) for host, p in sorted(balancing.groups.items())
        ],
        "flow_aging_s": balancing.aging_s,
        "flow_prefix_length": balancing.prefix_length,
    }


# Values for EOS's management: accounts, AAA, servers, telemetry and banners.
# Servers are reached in the VRF of the management port where the switch has one; SNMP then listens there only.
# EOS has a passwordless `admin` by default: where accounts are stated and none has this name, it is removed. A local
# account gets its privilege at login (`aaa authorization exec default local`); without a password it can log in by
# SSH key, and at the console (`nopassword`; EOS denies remote logins without password by default). EOS stores two SSH
# keys for an account.
# Sources: Arista EOS user manual (`username`, `tacacs-server host`, `snmp-server user`, `banner`, `management api
# gnmi`); schema and templates of aristanetworks/avd (pyavd 6.4), against which tests check the text.

ROLES = {"admin": (15, "network-admin"), "operator": (1, "network-operator")}
"""(privilege, role) of EOS."""

SSH_KEYS = 2
"""SSH keys that EOS stores for an account: `ssh-key` and `ssh-key secondary`."""

LEVELS = {
    "error": "errors",
    "warning": "warnings",
    "notice": "notifications",
    "informational": "informational",
    "debug": "debugging",
}
"""Words of `logging trap`."""

PROTOCOLS = {"tacacs": "tacacs+", "radius": "radius"}
"""EOS's built-in groups of all servers of a protocol."""

END_OF_BANNER = "EOF"


def make_management_values(view: SwitchView, vrf: str) -> dict[str, Any]:
    """Return the values of management for the templates; `vrf` is the VRF of the servers, "" for the default one."""
    spec, management = view.fabric.management, model_management(view)
    banners = (("login", management.login_banner), ("motd", management.motd))
    return {
        "server_vrf": vrf,
        "server_source": bool(view.own_source),
        "users": [_make_user_row(name, user) for name, user in sorted(spec.users.items())],
        "without_admin": bool(spec.users) and "admin" not in spec.users,
        "aaa": _make_aaa_row(spec.aaa),
        "ntp_servers": [require_word(server) for server in management.ntp],
        # EOS has priorities 0 to 4
        "name_servers": [(require_word(server), min(rank, 4)) for rank, server in enumerate(management.dns)],
        "dns_domain": require_token(management.domain) if management.domain else "",
        "log_level": LEVELS[management.syslog_level] if management.syslog else "",
        "log_servers": [require_word(server) for server in management.syslog],
        "snmp": _make_snmp_row(spec.snmp, view.site),
        "timezone": require_token(management.timezone) if management.timezone else "",
        "ssl_profile": _make_ssl_row(spec),
        "gnmi": spec.gnmi is not None,
        "gnmi_port": (spec.gnmi.port or 0) if spec.gnmi else 0,
        "banners": [(kind, list_banner_lines(text)) for kind, text in banners if text],
    }


def _make_user_row(name: str, user: User) -> dict[str, Any]:
    """Return the template's values of an account: name, privilege, role, password hash and two SSH keys.

    A hash or key that is not stated is ""; keys beyond SSH_KEYS are left out.
    """
    privilege, role = ROLES[user.role]
    ssh_keys = [" ".join(map(require_word, key.split(" "))) for key in user.ssh_keys[:SSH_KEYS]]
    # filled up, so that there are always two
    first_key, second_key = (*ssh_keys, "", "")[:2]
    return {
        "name": require_token(name),
        "privilege": privilege,
        "role": role,
        "hash": require_word(user.password) if user.password else "",
        "ssh_key": first_key,
        "second_ssh_key": second_key,
    }


def _make_aaa_row(aaa: Aaa | None) -> dict[str, Any] | None:
    """Return the login servers, with "" for a key that is not stated; None without servers."""
    if not aaa:
        return None
    return {
        "protocol": aaa.protocol,
        "group": PROTOCOLS[aaa.protocol],
        "servers": [require_word(server) for server in aaa.servers],
        "key": require_word(aaa.key) if aaa.key else "",
    }


def _make_snmp_row(snmp: Snmp | None, site: str) -> dict[str, Any] | None:
    """Return SNMP with (name, authentication, privacy) of its users; None without SNMP. The location is `site` if none
    is stated; an unknown one, or contact, is "".
    """
    if not snmp:
        return None
    location = snmp.location or site
    return {
        "location": make_one_line(location) if location else "",
        "contact": make_one_line(snmp.contact) if snmp.contact else "",
        "users": [
            (require_token(name), require_word(user.auth), require_word(user.privacy))
            for name, user in sorted(snmp.users.items())
        ],
    }


def _make_ssl_row(management: Management) -> tuple[str, ...]:
    """Return the file names of certificate and key; () if none are stated."""
    return (require_word(management.tls.certificate), require_word(management.tls.key)) if management.tls else ()


def list_banner_lines(text: str) -> list[str]:
    """Return the lines of a banner; a line that would end it is put in brackets."""
    return [f"[{line.strip()}]" if line.strip() == END_OF_BANNER else line for line in split_lines(text)]
