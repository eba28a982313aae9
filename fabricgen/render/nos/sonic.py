"""SONiC: a `config_db.json` for the box and, where SONiC's own templates fall short, an `frr.conf` for its routing.

Who configures FRR is said in DEVICE_METADATA, `docker_routing_config_mode`:

- `separated`: bgpcfgd renders sessions from BGP_NEIGHBOR, for numbered links. It announces Loopback0 and the subnets
  of VLAN_INTERFACE, not connected /31s (dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2: no `redistribute connected`
  on a fixed switch). So a leaf with routed hosts has their whole block as a discard route in STATIC_ROUTE, which
  bgpcfgd announces (managers_static_rt.py: tag 1 unless `advertise` is false); the /31s below it forward. One route
  a leaf also keeps tables small. Newer images turn the word into `unified` by themselves (docker_init.sh).
- `split-unified`: FRR reads the frr.conf of this folder (/etc/sonic/frr/frr.conf) and SONiC generates none. Needed for
  unnumbered sessions, which images before mid-2026 refuse in BGP_NEIGHBOR (sonic-buildimage pull 27370), and for BFD,
  whose daemon the bgp container starts only with `frr_mgmt_framework_config` (supervisord.conf.j2). Some images lose
  the file when they reload (sonic-buildimage issue 27014): provision it after `config reload`, then restart bgp. The
  file has no `end`, since docker_init.sh appends zebra's FPM lines to it.
  Routes are announced once they are in the hardware (`bgp suppress-fib-pending`), as bgpd.main.conf.j2 has it.

With IPv6 beside IPv4 bgpcfgd has a session for each (its groups PEER_V4 and PEER_V6), and announces the IPv6 loopback
as a /64 unless `bgp_adv_lo_prefix_as_128` says otherwise. A switch without IPv4 has no Loopback0 that bgpcfgd could
take a router id from (`bgp_router_id` is not in all images), so that it takes an frr.conf.

Without BGP there is no AS number and bgpcfgd has STATIC_ROUTE alone: lists of one length, a next hop with its port, so
that it is never looked up through another route, and where a default route leads away again a last entry that drops
what the others do not take (managers_static_rt.py, IpNextHopSet). With `underlay: none` the bgp container is off, and
ports between switches are in neither INTERFACE nor VLAN_MEMBER: a controller gives them their use.

A guest fabric's hosts may live in a VRF (VRF, `vrf_name`; its name begins with Vrf, sonic-vrf.yang). Its routes travel
in sessions over 802.1Q sub-interfaces (VLAN_SUB_INTERFACE; HLD doc/subport). bgpcfgd takes BGP_NEIGHBOR rows with the
VRF in the key, and announces there what STATIC_ROUTE says and nothing else: a VRF with a VLAN needs an frr.conf.
BGP_GLOBALS is for the YANG models, where those keys refer to it; bgpcfgd does not read it.

A session has one owner: with an frr.conf there are no BGP_NEIGHBOR rows, since bgpcfgd runs in every mode and would put
those peers into its own permit-all group if it came first (managers_bgp.py, add_peer).

VERSIONS says which schema the tables have, so that db_migrator (sonic-utilities, scripts/db_migrator.py) takes the file
for what it is and not for one of unknown age. It is the oldest schema with these tables, since an image refuses one
that is newer than itself; a newer image migrates it.

bgpcfgd's templates know no prefix limits: `max_prefixes` holds where FRR reads an frr.conf (templates/general/*.j2).

Buffers are those that the platform publishes, else the image's own (`_sonic_buffers.py`).
Tables and fields: sonic-buildimage, src/sonic-yang-models/doc/Configuration.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.kernel.diagnostics import fault
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.render.escape import json_text, one_line, token
from fabricgen.render.nos._sonic_buffers import buffer_lengths_m, buffer_tables, cabled_ports
from fabricgen.render.nos._sonic_buffers import length_tables as buffers_by_length
from fabricgen.render.nos._sonic_management import TABLES as MANAGEMENT_TABLES
from fabricgen.render.nos._sonic_management import management_values
from fabricgen.render.nos._sonic_ports import Face, FacePort, face_of, fec_of
from fabricgen.render.nos._sonic_qos import qos_values
from fabricgen.render.nos._sonic_routing import owns_frr, router_type, routing_values, vrf_name
from fabricgen.render.nos_protocol import Shared
from fabricgen.render.trees import first_at_fault, merged, read_data
from fabricgen.views.switch import AS_PLANNED, PlacedSnippet, SwitchPort, SwitchView

MTU = 9216
SCHEMA_VERSION = "version_202305_01"
"""Of the tables, as db_migrator.py names it."""

KERNEL_NAME = 15
"""Longest name of an interface in Linux."""


def files(switch: SwitchView) -> tuple[tuple[str, str], ...]:
    """`config_db.json`, and `frr.conf` where FRR is not left to bgpcfgd."""
    box = ("config_db.json.j2", "config_db.json")
    return (box, ("frr.conf.j2", "frr.conf")) if owns_frr(switch) else (box,)


def values(switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """What the templates of `templates/sonic` name."""
    platform = _platform_of(switch, catalog)
    face, open_tables = face_of(switch, platform), _open_tables(switch, catalog)
    cabled = {port.name: port for port in switch.ports}
    found = {
        **_device(switch, platform, face),
        **_interfaces(switch),
        **routing_values(switch),
        **management_values(switch),
        "breakouts": [(json_text(port), json_text(mode)) for port, mode in face.breakouts],
        "ports": sorted(_port_row(port, cabled.get(port.name)) for port in face.ports),
        "own_buffers": _template("BUFFER_POOL") in open_tables,
    }
    filled = [_template(table) for table, rows in _WHERE_FILLED.items() if found[rows]]
    tables = sorted([*map(_template, _ALWAYS), *filled, *open_tables])
    return {**found, "tables": [(table, table == tables[-1], open_tables.get(table)) for table in tables]}


def _platform_of(switch: SwitchView, catalog: Catalog) -> SonicPlatform:
    platform = catalog.sonic_platform(switch.profile.id)
    if platform is None:
        raise fault(
            "FG026", f"the SONiC port table of {switch.profile.id} is not in the catalogue", path=switch.tier.path
        )
    return platform


def _template(table: str) -> str:
    return f"sonic/tables/{table}.j2"


def shared(switch: SwitchView, lengths_m: Sequence[float], catalog: Catalog) -> Shared:
    """The tables of a lossless switch's queues and buffers, by their templates."""
    platform = _platform_of(switch, catalog)
    qos, face = qos_values(switch), face_of(switch, platform)
    ports = cabled_ports(switch, lengths_m, platform, face)
    buffers = buffer_tables(switch, ports, platform, face)
    lossless = [t for t in _LOSSLESS if t != _SPECTRUM_ONLY or qos["pfc_to_group"]] if qos else []
    tables = {_template(t): rows for t, rows in sorted({**dict.fromkeys(lossless, qos or {}), **buffers}.items())}
    return Shared(tables, tuple(str(port.length_m) for port in ports))


def length_tables(switch: SwitchView, lengths: Sequence[str], catalog: Catalog) -> Mapping[str, Mapping[str, Any]]:
    """The tables of cable lengths and priority groups, by their templates."""
    platform = _platform_of(switch, catalog)
    found = buffers_by_length(switch, lengths, platform, face_of(switch, platform))
    return {_template(table): rows for table, rows in found.items()}


def _open_tables(switch: SwitchView, catalog: Catalog) -> Mapping[str, Mapping[str, Any]]:
    """All of these tables that there are: priority groups only where buffers are sized."""
    found, lengths = shared(switch, [port.cable_m for port in switch.ports], catalog)
    by_length = length_tables(switch, lengths, catalog)
    sized = _template("BUFFER_POOL") in found
    return {**found, **{table: by_length[table] for table in by_length if sized or table != _template("BUFFER_PG")}}


def length_steps_m(switch: SwitchView, catalog: Catalog) -> tuple[float, ...]:
    """Lengths of cables that the platform publishes buffers for."""
    platform = _platform_of(switch, catalog)
    return buffer_lengths_m(platform, face_of(switch, platform))


def _device(switch: SwitchView, platform: SonicPlatform, face: Face) -> dict[str, Any]:
    own_frr = owns_frr(switch)
    return {
        "hostname": token(switch.name),
        "hwsku": json_text(face.hwsku),
        "platform": json_text(platform.platform),
        "router_type": router_type(switch.level),
        "asn": switch.asn,
        "router_id": switch.router_id,
        "loopbacks": _loopbacks(switch),
        "dual": switch.has_v4 and switch.has_v6,
        "routing_mode": "split-unified" if own_frr else "separated",
        "mgmt_framework": "true" if own_frr and switch.fabric.bfd else "false",
        "bgp_state": "disabled" if switch.fabric.underlay == "none" else "enabled",
        "schema_version": SCHEMA_VERSION,
        "management": sorted((address, gateway) for address, gateway in switch.managements if gateway),
    }


def _loopbacks(switch: SwitchView) -> list[str]:
    """Addresses of Loopback0 with prefix lengths, in the order of their keys."""
    own = ((switch.loopback, 32), (switch.loopback6, 128))
    return sorted(f"{address}/{length}" for address, length in own if address)


def _port_row(port: FacePort, peer: SwitchPort | None) -> tuple[str, ...]:
    """(name, admin, alias, negotiates, description, fec, index, lanes, mtu, Mb/s, subport); "" for no field."""
    own = peer.settings if peer else AS_PLANNED
    return (
        json_text(port.name),
        "up" if peer and not own.shutdown else "down",
        json_text(port.alias),
        "on" if port.copper else "",
        json_text(one_line(peer.label if peer else "unused", 255)),
        own.fec or fec_of(port),
        str(port.index),
        port.lanes,
        str(own.mtu or MTU),
        str(port.speed_gbps * 1000),
        str(port.subport) if port.subport else "",
    )


def _interfaces(switch: SwitchView) -> dict[str, Any]:
    """Routed ports as (key, VRF, whether IPv6 link-local only), VLANs and their members, sub-interfaces, VRFs."""
    rows: list[tuple[str, str, bool]] = []
    members: list[tuple[str, str]] = []
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered"
    for port in switch.ports:
        name, service = json_text(port.name), switch.service_of(port)
        if port.role == "host" and not port.addresses:
            members += [(f"Vlan{service.vlan}", name)] if service and service.gateways else []
            continue
        if port.addresses or unnumbered:
            rows.append((name, vrf_name(service.vrf) if service else "", not port.addresses))
        rows += [(f"{name}|{address}", "", False) for address in port.addresses]
    return {
        "interfaces": sorted(rows),
        "vlans": sorted(
            (f"Vlan{s.vlan}", s.vlan, sorted(s.gateways), vrf_name(s.vrf)) for s in switch.services if s.gateways
        ),
        "vlan_members": sorted(members),
        "vrfs": [vrf_name(vrf) for vrf in switch.vrfs],
        "subinterfaces": sorted(
            (subinterface_name(port.name, sub.vlan), sub.vlan, sorted(sub.addresses), vrf_name(sub.vrf))
            for vrf in switch.vrfs
            for port, sub in switch.links_in(vrf)
        ),
    }


def subinterface_name(port: str, vlan: int) -> str:
    """SONiC's name of a sub-interface; the short form where the kernel would not take the long one."""
    name = f"{port}.{vlan}"
    return name if len(name) <= KERNEL_NAME else name.replace("Ethernet", "Eth", 1)


_ALWAYS = ("DEVICE_METADATA", "FEATURE", "LOOPBACK_INTERFACE", "MGMT_PORT", "PORT", "VERSIONS")
_WHERE_FILLED = {
    **MANAGEMENT_TABLES,
    "BGP_GLOBALS": "bgp_vrfs",
    "BGP_NEIGHBOR": "bgp_neighbors",
    "BREAKOUT_CFG": "breakouts",
    "DEVICE_NEIGHBOR": "neighbors",
    "DEVICE_NEIGHBOR_METADATA": "neighbor_types",
    "INTERFACE": "interfaces",
    "MGMT_INTERFACE": "management",
    "STATIC_ROUTE": "static_routes",
    "VLAN": "vlans",
    "VLAN_INTERFACE": "vlans",
    "VLAN_MEMBER": "vlan_members",
    "VLAN_SUB_INTERFACE": "subinterfaces",
    "VRF": "vrfs",
}
_LOSSLESS = (
    "DSCP_TO_TC_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "PFC_WD",
    "PORT_QOS_MAP",
    "QUEUE",
    "SCHEDULER",
    "TC_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
    "WRED_PROFILE",
)

_SPECTRUM_ONLY = "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"


def with_trees(file: str, text: str, snippets: tuple[PlacedSnippet, ...], judge: Catalog | None) -> str:
    """A config_db.json with the user's tables laid over it; with a catalogue to judge it by, checked as a whole.

    Numbers and truth values become text, as every value of config_db is. Raises InputError (FG052) where a snippet
    is not table, key, field, or leaves something that SONiC would not take.
    """
    if file != "config_db.json":
        return text
    plain = read_data(file, text)
    tables = _laid_over(plain, snippets)
    if judge is not None:
        _require_sound(plain, tables, snippets, judge)
    return json.dumps(tables, indent=4, sort_keys=True) + "\n"


def _laid_over(tables: dict[str, Any], snippets: tuple[PlacedSnippet, ...]) -> dict[str, Any]:
    for snippet in snippets:
        tables = merged(tables, _as_text(snippet.tree), snippet)
    return tables


def _require_sound(
    plain: dict[str, Any], tables: dict[str, Any], snippets: tuple[PlacedSnippet, ...], catalog: Catalog
) -> None:
    """Raise InputError where tables have a problem that they did not have without the user's hand."""
    before = set(check_config_db(plain, catalog))
    faults = [problem for problem in check_config_db(tables, catalog) if problem.grave and problem not in before]
    if faults:
        own = first_at_fault(snippets, lambda some: faults[0] in check_config_db(_laid_over(plain, some), catalog))
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        message = f"snippet '{own.name}': {faults[0].place}: {faults[0].found}{more}"
        raise fault("FG052", message, path=own.path, hint=faults[0].hint)


def _as_text(value: Any) -> Any:
    """A tree of YAML as config_db has it: keys and scalars as text."""
    if isinstance(value, Mapping):
        return {str(key): _as_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner) for inner in value]
    return str(value).lower() if isinstance(value, bool) else value if value is None else str(value)
