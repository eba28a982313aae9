"""NVIDIA Cumulus Linux: one `startup.yaml`, the object tree of NVUE, as /etc/nvue.d/startup.yaml holds it.

The tree is that of Cumulus Linux 5.15 and later, where addresses moved under `ipv4` and `ipv6`, a VRF to `vrf` of the
interface, LLDP and SSH under `system`, and `enable: on` became `state: enabled` (user guide 5.15, "New and Changed NVUE
Commands"; nesting and values: NVUE Command Reference, and the startup.yaml files that the user guide prints). Older
releases take another tree and are not served. Every catalogued model runs 5.15, an SN6600_LD from 5.18.2 (knowledge
base, "Minimum Cumulus Linux Release for Each Switch Model").

Text is quoted as JSON strings, which are double-quoted scalars of YAML; so are addresses, since eight decimal groups
of IPv6 are a number to YAML 1.1, and keys that NVUE holds to be names though they look like numbers.

A split cage has a row of its own, which holds `link breakout`; its ports are interfaces beside it. Where a split takes
up the next cage too, that one is `disabled` (user guide, "Switch Port Attributes"). A switch without a management
address keeps SSH in the default VRF; others serve it in `mgmt`, where the management port and its gateway are.

VRFs keep their names but for those that would clash with what the kernel has; these get `vrf_` in front, which no
blueprint's VRF begins with.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import Any

from fabricgen.blueprint.sections.management import Management
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.naming import NosNaming
from fabricgen.nos.cumulus.writing.host_services import (
    announce_neighbors,
    count_packets_a_second,
    list_circuit_forms,
    list_filters,
    make_bridge_values,
    make_relay_values,
)
from fabricgen.nos.cumulus.writing.routing import (
    find_family_word,
    make_overlay_values,
    make_routing_values,
    make_segment_values,
)
from fabricgen.render.escape import escape_yaml, make_one_line, require_token
from fabricgen.render.nos_protocol import Circuits
from fabricgen.render.ports import find_blocked_cages, list_unused_ports, number_cages
from fabricgen.render.trees import merge_tree, read_data, write_yaml
from fabricgen.switch.interfaces import Bond, Subinterface
from fabricgen.switch.qos import Balancing, PacketTrimming, SwitchQos
from fabricgen.views.exits import EXIT
from fabricgen.views.model.forwarding import model_balancing, model_qos, model_trimming
from fabricgen.views.model.hosts import model_access, model_vlan
from fabricgen.views.model.ports import count_lanes, model_bonds, model_interface
from fabricgen.views.model.routing import list_loopback_prefixes, model_bgp
from fabricgen.views.model.switch import model_management
from fabricgen.views.service import Service
from fabricgen.views.switch import PlacedSnippet, SwitchPort, SwitchView

KEEPS_ORDER = True
"""See `render/nos_protocol.py:Nos`, which also says what values may depend on."""

GATEWAY_MTU = 9216
"""The MTU of the gateways of VLANs, bytes."""

ADAPTIVE_UP_TO_GBPS = {"Spectrum-4": 400}
"""Chip -> the fastest ports with adaptive routing, for chips that do not support it at every speed (user guide, "Equal
Cost Multipath Load Sharing").
"""

_COMMENTS = re.compile(r"\A(?:#.*\n)*")

_FEC = {"rs": "rs", "fc": "baser", "": ""}

_TAKEN = re.compile(r"default|mgmt|lo|bridge|vlan[0-9]*|(eth|swp|bond|dummy|vxlan)[0-9].*")
"""Names that a VRF cannot have, as it is an interface in the kernel."""


def files(view: SwitchView) -> tuple[tuple[str, str], ...]:  # noqa: ARG001 - every switch has the same file
    """Return the template and the name of the one file of a switch."""
    return (("startup.yaml.j2", "startup.yaml"),)


def values(view: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """Return the values for the templates in `templates/cumulus`."""
    naming = catalog.naming("cumulus")
    qos, balancing, trimming = model_qos(view), model_balancing(view), model_trimming(view)
    instances = model_bgp(view) if view.asn else {}
    return {
        "hostname": require_token(view.name),
        "mtu": GATEWAY_MTU,
        "management_port": naming.find_management_port(view.profile),
        # without a gateway nobody outside of the subnet is reached
        "management": [(find_family_word(a), a, gateway) for a, gateway in view.managements if gateway],
        "loopbacks": [(find_family_word(prefix), prefix) for prefix in list_loopback_prefixes(view)],
        "breakouts": _list_breakouts(view, naming),
        "ports": [_make_port_row(view, port, qos, trimming, by_load=balancing.by_load) for port in view.ports],
        "filters": list_filters(view),
        **make_relay_values(view, make_vrf_name),
        "pair": _make_pair_values(view),
        "bonds": [_make_bond_row(number, bond) for number, bond in model_bonds(view).items()],
        "unused": _list_unused_ports(view, naming),
        "vlans": [_make_vlan_row(view, service) for service in view.services if service.gateways],
        "subinterfaces": [_make_subinterface_row(port, sub) for port, sub in view.subinterfaces],
        "qos": _make_qos_values(qos, tuple(port.speed_gbps for port in view.ports)) if qos else None,
        "trim": make_trim_values(trimming),
        **make_balancing_values(balancing),
        **make_system_values(view),
        "overlay": make_overlay_values(view, instances),
        **make_segment_values(view),
        **make_routing_values(view, instances, make_vrf_name),
    }


def circuits(view: SwitchView, catalog: Catalog) -> Circuits:  # noqa: ARG001 - one signature for all
    """Return how DHCP requests of hosts name the port that they came in at (`writing/host_services.py`)."""
    return Circuits(list_circuit_forms(view), "bond{number}", {})


def with_trees(
    file: str,
    text: str,
    snippets: tuple[PlacedSnippet, ...],
    judge: Catalog | None,  # noqa: ARG001 - what NVUE takes is not known here
) -> str:
    """Return the rendered tree with the trees of snippets merged in, written anew below the comments at its head."""
    # the file is one document, whose `set` is the tree
    (document,) = read_data(file, text)
    tree = document["set"]
    for snippet in snippets:
        tree = merge_tree(tree, snippet.tree, snippet)
    return "".join(_COMMENTS.findall(text)[:1]) + write_yaml([{**document, "set": tree}])


def make_vrf_name(vrf: str) -> str:
    """Return the name of a VRF in Cumulus Linux, "" for the default one."""
    return f"vrf_{vrf}" if _TAKEN.fullmatch(vrf) else vrf and require_token(vrf)


def _list_breakouts(view: SwitchView, naming: NosNaming) -> list[tuple[str, str, int]]:
    """Return (interface of the cage, breakout mode, lanes of each port) of split cages, and of cages that these
    disable.
    """
    # all ports of a cage have the split of the cage, so that any of them tells it
    breakout_of_cage, blocked = {port.cage: port.ways for port in view.ports}, find_blocked_cages(view)
    return [
        (
            require_token(naming.name_port(number, 0, 1, cage, None, view.profile.find_slot(number))),
            "disabled" if number in blocked else f"{breakout_of_cage[number]}x",
            0 if number in blocked else cage.lanes // breakout_of_cage[number],
        )
        for number, cage in number_cages(view.profile)
        if number in blocked or breakout_of_cage.get(number, 1) > 1
    ]


def _list_unused_ports(view: SwitchView, naming: NosNaming) -> list[str]:
    """Return the ports to shut down, without those of cages that are `disabled` since a neighbour's split takes their
    lanes.
    """
    disabled = {name for name, mode, _ in _list_breakouts(view, naming) if mode == "disabled"}
    return [require_token(name) for name in list_unused_ports(view, naming) if name not in disabled]


def _make_vlan_row(view: SwitchView, service: Service) -> dict[str, Any]:
    """Return the values of a VLAN with a gateway; `shared` are gateways of an MLAG pair with the switch's own
    addresses.
    """
    return {
        "vlan": service.vlan,
        "description": escape_yaml(f"gateway of {service.label}"),
        "addresses": [(find_family_word(gateway), gateway) for gateway in service.gateways],
        "shared": [
            (find_family_word(address), address, gate)
            for address, gate in zip(service.owns, service.gateways, strict=False)
        ],
        "vrf": make_vrf_name(service.vrf),
        "discovery": announce_neighbors(model_vlan(view, service)),
    }


def _make_port_row(
    view: SwitchView, port: SwitchPort, qos: SwitchQos | None, trimming: PacketTrimming | None, *, by_load: bool
) -> dict[str, Any]:
    """Return the values of a port, "" and 0 for what it does not have; `addresses` are (family, address).

    Lanes are given for a port that leaves some of its cage's lanes unused. Storms are limited at each port of a bond.
    `qos` and `trimming` are those of the switch, `by_load` whether it chooses paths by their load.
    """
    # `interface` is what every NOS is told; the rest of the row is how NVUE says it
    cage, interface = view.profile.find_cage_class(port.cage), model_interface(view, port)
    lanes, storm = count_lanes(port, cage), model_access(view, port).storm
    return {
        "name": require_token(port.name),
        "description": escape_yaml(make_one_line(interface.description)),
        "mtu": interface.mtu,
        "speed_gbps": interface.speed_gbps,
        "lanes": lanes if lanes < cage.lanes // port.ways else 0,
        "fec": "off" if interface.states_no_fec else _FEC[interface.fec],
        "state": "up" if interface.admin_up else "down",
        "bond": port.bond,
        **make_bridge_values(interface),
        "storm": [(kind, count_packets_a_second(percent, port.speed_gbps)) for kind, percent in storm.items()],
        "vrf": make_vrf_name(interface.vrf),
        "addresses": [(find_family_word(address), address) for address in interface.addresses],
        "speed_profile": make_speed_profile_name(port.speed_gbps) if qos else "",
        "pfc_profile": make_pfc_profile_name(qos.ports[port.name].length_m) if qos and qos.ports[port.name].pfc else "",
        "trimmed": sorted(trimming.ports.get(port.name, ())) if trimming else [],
        "tracked": interface.tracked,
        "adaptive": by_load
        and port.role not in ("host", EXIT)
        and port.speed_gbps <= _find_adaptive_limit(view.profile.asic),
    }


def _make_bond_row(number: int, bond: Bond) -> dict[str, Any]:
    """Return the values of a bond of hosts: its name and ports, LACP, MLAG id, Ethernet segment, VLANs and what it
    refuses.

    `mlag` is 0 and `segment` None for a bond without them.
    """
    return {
        "name": f"bond{number}",
        "mlag": bond.mlag_id,
        "segment": {"number": number, "mac": bond.segment} if bond.segment else None,
        "members": [require_token(name) for name in bond.members],
        "description": escape_yaml(make_one_line(bond.description)),
        "mtu": bond.mtu,
        "state": "up" if bond.admin_up else "down",
        "fallback": bond.fallback,
        **make_bridge_values(bond),
    }


def _make_pair_values(view: SwitchView) -> dict[str, Any] | None:
    """Return the values of an MLAG pair; None for a switch in none."""
    pair = view.pair
    if pair is None:
        return None
    return {
        "members": [require_token(name) for name in pair.members],
        "description": escape_yaml(make_one_line(f"MLAG peer link to {pair.mate}")),
        "mtu": pair.mtu,
        "links": [
            (vlan, make_vrf_name(vrf), [(find_family_word(address), address) for address in addresses])
            for vlan, (vrf, addresses) in pair.vlans.items()
        ],
        "mac": pair.name,
        "backup": pair.backup[0],
        "in_management": bool(pair.backup[1]),
    }


def _find_adaptive_limit(asic: str) -> int:
    """Return the fastest port, Gb/s, on which a chip supports adaptive routing."""
    return next((gbps for chip, gbps in ADAPTIVE_UP_TO_GBPS.items() if asic.startswith(chip)), 1 << 20)


def _make_subinterface_row(port: SwitchPort, sub: Subinterface) -> dict[str, Any]:
    """Return the values of the sub-interface that carries a VRF over a link."""
    return {
        "name": f"{require_token(port.name)}.{sub.vlan}",
        "port": require_token(port.name),
        "description": escape_yaml(make_one_line(f"{port.peer} {port.peer_port} vrf {sub.vrf}")),
        "mtu": port.mtu,
        "vlan": sub.vlan,
        "vrf": make_vrf_name(sub.vrf),
        "addresses": [(find_family_word(address), address) for address in sub.addresses],
    }


# Management of a Cumulus Linux switch: NVUE's `system` tree.
# Nesting and words: NVUE Command Reference (System Configuration, User Account, SNMP Server, Syslog, gNMI) and the
# user guide 5.16 (TACACS, RADIUS AAA, SSH for Remote Access, Network Time Protocol, Configure SNMP). Roles and their
# classes are stated beside the users that have them, since a startup.yaml replaces the shipped one, which defines
# them. The shipped control-plane ACLs are stated for the same reason.
# Certificates are referred to by the id under which `nv action import system security certificate` imported them; it
# is the stated file name without its suffix.

_ROLES = {"admin": "system-admin", "operator": "nvue-monitor"}
_SEVERITIES = {"informational": "info", "warning": "warn"}


def make_system_values(view: SwitchView) -> dict[str, Any]:
    """Return the values for the templates of the `system` tree; "" and empty for what is not configured."""
    spec, management = view.fabric.management, model_management(view)
    port_addresses = [address.partition("/")[0] for address, gateway in view.managements if gateway]
    return {
        **_make_login_values(spec),
        "ntp_servers": management.ntp,
        "dns_servers": list(enumerate(management.dns, 1)),
        "domain": management.domain,
        "syslog_servers": management.syslog,
        "syslog_level": _SEVERITIES.get(management.syslog_level, management.syslog_level),
        **_make_snmp_values(spec, view),
        "vrf_of_servers": "mgmt" if port_addresses else "default",
        "own_addresses": port_addresses or [address for address in (view.loopback, view.loopback6) if address],
        "certificate": escape_yaml(spec.tls.certificate.rpartition(".")[0] or spec.tls.certificate) if spec.tls else "",
        "timezone": management.timezone,
        "gnmi_port": management.gnmi_port,
        "pre_login": escape_yaml(management.login_banner) if spec.banner else "",
        "post_login": escape_yaml(management.motd) if spec.banner else "",
    }


def _make_login_values(spec: Management) -> dict[str, Any]:
    """Return users, with (id, type, key) of their SSH keys, and numbered login servers, None without servers."""
    aaa = spec.aaa
    return {
        "users": [
            {
                "name": name,
                "hash": escape_yaml(user.password or ""),
                "role": _ROLES[user.role],
                "ssh_keys": [(f"key{number}", *key.split(" ")) for number, key in enumerate(user.ssh_keys, 1)],
            }
            for name, user in sorted(spec.users.items())
        ],
        "aaa": aaa
        and {
            "protocol": aaa.protocol,
            "servers": list(enumerate(aaa.servers, 1)),
            "key": escape_yaml(aaa.key or ""),
        },
    }


def _make_snmp_values(spec: Management, view: SwitchView) -> dict[str, Any]:
    """Return the values of SNMPv3: users with their keys, contact, and location, which is the site
    if none is stated.
    """
    snmp = spec.snmp
    return {
        "snmp_users": [
            (name, escape_yaml(user.auth), escape_yaml(user.privacy))
            for name, user in (sorted(snmp.users.items()) if snmp else ())
        ],
        "snmp_contact": escape_yaml(make_one_line(snmp.contact)) if snmp and snmp.contact else "",
        "snmp_location": escape_yaml(make_one_line((snmp and snmp.location) or view.site)) if snmp else "",
    }


# RoCE's class, lossless or lossy, as NVUE's QoS objects have it, load balancing and packet trimming.
# Our traffic class is NVUE's `switch-priority`, and our queue its `traffic-class`; classes that carry something have
# the queue of their own number, the others that of lossy packets.
# `qos roce` would set all of it in one line, with NVIDIA's numbers and none of ours to be seen; the objects below are
# what it stands for (user guide, "Quality of Service" and "RDMA over Converged Ethernet"; NVUE Command Reference,
# QoS): profiles that ports refer to, one map of priorities to queues for the whole switch, and half of the buffer for
# lossless traffic, as both chapters have it. `pfc` and ECN say `enable` where newer objects say `enabled`; the
# watchdog takes `enable` in the reference, though prose of 5.16 and later writes `enabled`.
# The watchdog waits `robustness` polls before it acts, and gives the queue back after a poll without pause frames:
# there is no restoration time to set.
# Adaptive routing sends each packet to the port with the least load, of RoCE packets whose NIC says that they may
# (user guide, Equal Cost Multipath Load Sharing; Spectrum-X is what sets NICs up for it). Without a seed, switchd
# draws one at random (the same page, Unique Hash Seed), so that no two switches hash alike.
# Lossy traffic is what `qos roce mode lossy` stands for (the same page of the user guide): the classes, queues and
# marks of lossless traffic, no PFC, and all of the buffer for what may be dropped. `lossy-multi-tc`, NVIDIA's QoS for
# MRC, trims as well; its seven classes are ours to name by DSCP, and it has no class of notifications.
# Packet trimming is there from 5.14 and Spectrum-4 on. Words: user guide, Quality of Service, Packet Trimming; NVUE
# Command Reference, Packet Trimming. The switch that trims a packet puts the rest of it into the class of `switch-
# priority`. The next one knows it by its DSCP alone, so that ports trust DSCPs, and a map puts all others into class
# 0, as without a map. What leads out of the fabric is as it was.

PRIORITIES = range(8)
"""All of NVUE's switch priorities, our traffic classes: it wants a queue for each."""

KBPS_PER_GBPS = 1_000_000
LOSSLESS_MEMORY, LOSSY_MEMORY = 50, 50
"""Shares of the buffer, percent: the user guide's, under "Flow Control Buffers"; those of `qos roce` too. The model of
a switch does not have them, so that drift tells a difference by its path."""


@lru_cache(maxsize=256)
def _make_qos_values(qos: SwitchQos, speeds: tuple[int, ...]) -> dict[str, Any]:
    """Return the template's values of QoS: the same mapping for all switches whose ports have the same QoS and speeds,
    so that its text is rendered once.

    `speeds` has the speed of each of `qos.ports`, in their order, Gb/s.
    """
    watchdog = qos.watchdog  # none: nothing is paused, no PFC profile and no lossless buffer is needed
    lossy_class, cnp_class, roce_class = qos.classes
    # thresholds depend on the speed alone, so that any port of a speed stands for it; `model_qos` keeps ports in the
    # order of the switch, and profiles are written by speed
    port_of_speed = sorted(dict(zip(speeds, qos.ports.values(), strict=True)).items(), key=itemgetter(0))
    first_port = port_of_speed[0][1]
    shaped_percent = first_port.queues[cnp_class].limit
    return {
        "dscp_classes": list(enumerate(qos.class_of)),
        "class_queues": [(number, qos.queue_of.get(number, lossy_class)) for number in PRIORITIES],
        "shares": [(number, queue.share) for number, queue in sorted(first_port.queues.items()) if not queue.strict],
        # none if lint was overruled, and notifications share the queue of data, which keeps its share
        "strict_queues": [number for number, queue in sorted(first_port.queues.items()) if queue.strict],
        "cnp_class": cnp_class,
        "roce_class": roce_class,
        "ecn_profiles": [
            # NVUE takes bytes
            (make_speed_profile_name(speed), 1000 * port.marking.low, 1000 * port.marking.high)
            for speed, port in port_of_speed
        ],
        "shapers": [
            (make_speed_profile_name(speed), speed * shaped_percent * KBPS_PER_GBPS // 100)
            for speed, _ in port_of_speed
            if shaped_percent
        ],
        "mark_percent": first_port.marking.percent,
        "pfc_profiles": [
            (make_pfc_profile_name(length_m), length_m)
            # 0: the profile of usual cables, whose length is not stated
            for length_m in (sorted({0, *(p.length_m for p in qos.ports.values())}) if watchdog else ())
        ],
        "poll_ms": watchdog.poll_ms if watchdog else 0,
        # rounded up to whole polls, so that a reader finds 300 ms where 250 ms and polls of 100 ms are asked for: that
        # is what the switch does, and what `adopt` puts on its page; `poll_ms` is above 0, as Cumulus claims
        # watchdog-poll
        "polls": -(-watchdog.detect_ms // watchdog.poll_ms) if watchdog else 0,
        "memory": [("default-lossless", LOSSLESS_MEMORY), ("default-lossy", LOSSY_MEMORY)]
        if watchdog
        else [("default-lossy", LOSSLESS_MEMORY + LOSSY_MEMORY)],
    }


def make_speed_profile_name(speed_gbps: int) -> str:
    """Return the name of the profile of a port speed, for congestion control and for the shaper of notifications."""
    return f"ROCE-{speed_gbps}G"


def make_pfc_profile_name(length_m: int) -> str:
    """Return the name of the PFC profile of ports that pause over `length_m` metres of fibre, or over a usual cable
    (0).

    ROCE is the name of a scheduler and of a map in the templates as well: each kind of profile has names of its own.
    """
    return f"ROCE-{length_m}M" if length_m else "ROCE"


def make_balancing_values(balancing: Balancing) -> dict[str, Any]:
    """Return the template's values of load balancing; `hash_seed` is None if switchd draws one."""
    return {"adaptive": balancing.by_load, "hash_seed": balancing.seed}


def make_trim_values(trimming: PacketTrimming | None) -> dict[str, Any] | None:
    """Return the values of packet trimming; None for a switch that trims nothing: not asked to, or its chip cannot."""
    if trimming is None:
        return None
    return {
        "dscp": trimming.dscp,
        "size": trimming.size,
        "traffic_class": trimming.traffic_class,
        "dscp_classes": list(enumerate(trimming.class_of)),
    }
