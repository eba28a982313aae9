"""Checks of config_db.json: by the schema of SONiC's YANG models, and of what these do not check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass
from fabricgen.catalog.sonic_models import PlatformCage, SonicPlatform, parse_mode
from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.render.checks.problem import ConfigProblem
from fabricgen.render.checks.relations import check_relations, check_segments, find_overlapping_queues, parse_interface
from fabricgen.render.checks.rows import check_rows
from fabricgen.render.checks.shape import Fields, Tables, join_lists, read_tables

METADATA = "DEVICE_METADATA"


def check_config_db(data: object, catalog: Catalog) -> tuple[ConfigProblem, ...]:
    """Return all problems of a config_db.json, given as parsed JSON.

    The platform is the one in DEVICE_METADATA; if the catalogue has no port table for it, lanes and speeds are not
    checked, and a problem that is not `grave` says so.
    """
    rows, misshapen = read_tables(data)
    tables = join_lists(rows)
    problems = [*misshapen, *check_rows(rows), *check_relations(tables), *check_management(tables)]
    problems += find_overlapping_queues(tables)
    problems += [*check_segments(tables), *_check_platform(tables, catalog)]
    return tuple(dict.fromkeys(problems))


def _check_platform(tables: Tables, catalog: Catalog) -> Iterator[ConfigProblem]:
    """Yield problems with the names of platform and HwSKU, and with lanes if the catalogue has the platform."""
    metadata = tables.get(METADATA, {}).get("localhost", {})
    name, hwsku = metadata.get("platform", ""), metadata.get("hwsku", "")
    face = _load_lanes(catalog, name)
    if face is None:
        message = f"'{name}' has no port table in the catalogue" if name else "the platform is not named"
        yield ConfigProblem(METADATA, "localhost", "platform", message, "lanes and speeds are not checked", grave=False)
        return
    if hwsku not in face.platform.hwskus:
        yield ConfigProblem(METADATA, "localhost", "hwsku", f"'{hwsku}'", did_you_mean(hwsku, face.platform.hwskus))
    yield from check_lanes(tables, face)


@lru_cache(maxsize=64)
def _load_lanes(catalog: Catalog, name: str) -> PlatformLanes | None:
    """Return the lanes of a platform by its name; None if the catalogue does not have it."""
    platform = catalog.find_platform_by_name(name)
    return make_platform_lanes(platform, catalog) if platform else None


# Consistency of the tables of management: what their YANG models ask of other rows and tables.
# Sources: the `must` and `when` statements of sonic-buildimage, src/sonic-yang-models/yang-models, sonic-
# mgmt_interface.yang, sonic-dns.yang, sonic-ntp.yang, sonic-syslog.yang, sonic-snmp.yang, sonic-system-aaa.yang,
# sonic-system-tacacs.yang and sonic-system-radius.yang.


def check_management(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield problems of management that no single row shows: gateways, DNS, logs, VRFs, SNMP, logins and gNMI."""
    yield from _check_gateways(tables)
    yield from _check_dns(tables)
    yield from _check_syslog(tables)
    yield from _check_vrfs(tables)
    yield from _check_snmp(tables)
    yield from _check_logins(tables)
    yield from _check_gnmi(tables)


def _check_gateways(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield gateways of the management network that are not in the subnet of their address."""
    for key, fields in tables.get("MGMT_INTERFACE", {}).items():
        address, gateway = parse_interface(key.partition("|")[2]), parse_interface(fields.get("gwaddr", ""))
        if address and gateway and gateway.ip not in address.network:
            message = f"'{gateway.ip}' is not in the subnet"
            yield ConfigProblem("MGMT_INTERFACE", key, "gwaddr", message, f"an address of {address.network}")


def _check_gnmi(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield gNMI without a port: its server does not start without one (dockers/docker-sonic-gnmi/gnmi-native.sh)."""
    if "port" not in tables.get("GNMI", {}).get("gnmi", {"port": ""}):
        yield ConfigProblem("GNMI", "gnmi", "port", "the field is missing", "a port, such as 8080")


def _check_dns(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield a problem if there are DNS options (DNS_OPTIONS) and no server that resolves names (DNS_NAMESERVER)."""
    if tables.get("DNS_OPTIONS", {}).get("GLOBAL") and not tables.get("DNS_NAMESERVER"):
        yield ConfigProblem(
            "DNS_OPTIONS", "GLOBAL", found="options without a resolver", wanted="a row in DNS_NAMESERVER"
        )


def _check_syslog(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield source addresses of logs that are not of the family of their server's address."""
    for key, fields in tables.get("SYSLOG_SERVER", {}).items():
        source = fields.get("source", "")
        if source and not (("." in source and "." in key) or (":" in source and ":" in key)):
            yield ConfigProblem("SYSLOG_SERVER", key, "source", f"'{source}'", "an address of the server's family")


def _check_vrfs(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield time servers and collectors of logs in a VRF that does not exist."""
    has_mgmt_vrf = tables.get("MGMT_VRF_CONFIG", {}).get("vrf_global", {}).get("mgmtVrfEnabled") == "true"
    for table in ("NTP", "SYSLOG_SERVER"):
        for key, fields in tables.get(table, {}).items():
            vrf = fields.get("vrf", "")
            if vrf == "mgmt" and not has_mgmt_vrf:
                right = "mgmtVrfEnabled true in MGMT_VRF_CONFIG"
                yield ConfigProblem(table, key, "vrf", "'mgmt' without a management VRF", right)
            elif vrf not in ("", "default", "mgmt", *tables.get("VRF", {})):
                yield ConfigProblem(table, key, "vrf", f"'{vrf}' has no row in VRF", "default, mgmt or a row of VRF")


_SNMP_PARTS = {
    "noAuthNoPriv": (),
    "AuthNoPriv": ("AUTH",),
    "Priv": ("AUTH", "ENCRYPTION"),
}
"""Type of a user -> the parts that have a type and a password; the others have none."""


def _check_snmp(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield users of SNMP that lack what their type needs, or have what it does not use."""
    for key, fields in tables.get("SNMP_USER", {}).items():
        kind = fields.get("SNMP_USER_TYPE", "")
        if kind in _SNMP_PARTS:
            yield from _check_snmp_parts(key, kind, fields)


def _check_snmp_parts(key: str, kind: str, fields: Fields) -> Iterator[ConfigProblem]:
    """Yield the types and passwords, of authentication and encryption, that an SNMP user lacks or has without use.

    `key` is the key of the user's row, `kind` the type of the user: noAuthNoPriv, AuthNoPriv or Priv.
    """
    for part in ("AUTH", "ENCRYPTION"):
        for ending in ("TYPE", "PASSWORD"):
            field = f"SNMP_USER_{part}_{ending}"
            if part not in _SNMP_PARTS[kind] and fields.get(field):
                yield ConfigProblem("SNMP_USER", key, field, f"set for a user of type {kind}", "an empty value")
            elif part in _SNMP_PARTS[kind] and not fields.get(field):
                yield ConfigProblem("SNMP_USER", key, field, f"missing or empty for a user of type {kind}", "a value")


def _check_logins(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield login methods whose servers, or whose key, are missing."""
    for key, fields in tables.get("AAA", {}).items():
        words = fields.get("login", "").split(",")
        for word, servers in (("tacacs+", "TACPLUS_SERVER"), ("radius", "RADIUS_SERVER")):
            if word in words and not tables.get(servers):
                yield ConfigProblem("AAA", key, "login", f"'{word}' without servers", f"rows in {servers}")
        has_key = "passkey" in tables.get("TACPLUS", {}).get("global", {})
        if key == "authentication" and "tacacs+" in words and not has_key:
            yield ConfigProblem("AAA", key, "login", "'tacacs+' without a key", "passkey in TACPLUS|global")


# Ports checked against the platform's port table: lanes, names, speeds, indexes and breakout modes.
# SONiC's YANG models accept any lane and any speed; a wrong one keeps the whole switch from starting.

_OF_CLASSES = (
    "DSCP_TO_TC_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "TC_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
)


@dataclass(frozen=True, slots=True)
class PlatformLanes:
    """A platform with the cage of each lane, and the legal speeds (Mb/s) by (class of cage, lanes of a port)."""

    platform: SonicPlatform
    cage_of_lane: dict[int, tuple[PlatformCage, CageClass]]
    speeds: dict[tuple[str, int], frozenset[int]]


def make_platform_lanes(platform: SonicPlatform, catalog: Catalog) -> PlatformLanes:
    """Return the lanes and legal speeds of a platform, whose classes of cages are in the catalogue."""
    classes = catalog.switch(platform.switch).cages
    pairs = zip(platform.cages, (c for c in classes for _ in range(c.count)), strict=True)
    speeds = {(c.form_factor, n): list_legal_mbps(platform, c, n) for c in classes for n in range(1, c.lanes + 1)}
    return PlatformLanes(platform, {lane: pair for pair in pairs for lane in pair[0].lanes}, speeds)


def check_lanes(tables: Tables, face: PlatformLanes) -> Iterator[ConfigProblem]:
    """Yield every port and breakout that the platform does not have."""
    ports = tables.get("PORT", {})
    yield from _check_shared(ports)
    yield from _check_classes(tables)
    for name, fields in ports.items():
        yield from _check_port(name, fields, face) if "lanes" in fields else ()
    for name, fields in tables.get("BREAKOUT_CFG", {}).items():
        yield from _check_breakout(name, fields.get("brkout_mode", ""), ports, face)


def parse_lanes(fields: Fields) -> tuple[int, ...]:
    """Return the lanes of a port; none if they are not comma-separated numbers."""
    parts = fields.get("lanes", "").split(",")
    return tuple(map(int, parts)) if all(part.isascii() and part.isdigit() for part in parts) else ()


def _check_classes(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield classes, priorities, groups and queues that are above 7, or empty.

    YANG accepts empty ones, which orchagent cannot read, and sixteen classes, for chassis; these platforms have eight.
    """
    for table in _OF_CLASSES:
        for key, fields in tables.get(table, {}).items():
            for field, value in fields.items():
                if not value or (value.isdecimal() and 7 < int(value) < 16):
                    yield ConfigProblem(table, key, field, f"'{value}'", "a whole number from 0 to 7")


def _check_shared(ports: dict[str, Fields]) -> Iterator[ConfigProblem]:
    """Yield lanes and aliases that two ports have."""
    lanes, aliases = Counter[int](), Counter[str]()
    for fields in ports.values():
        lanes.update(parse_lanes(fields))
        aliases.update([fields.get("alias", "")])
    for name, fields in ports.items():
        twice = [str(lane) for lane in parse_lanes(fields) if lanes[lane] > 1]
        if twice:
            yield ConfigProblem(
                "PORT", name, "lanes", f"lane {', '.join(twice)} is used twice", "each lane has one port"
            )
        alias = fields.get("alias", "")
        if alias and aliases[alias] > 1:
            yield ConfigProblem("PORT", name, "alias", f"'{alias}' is the alias of two ports", "each port has its own")


def _check_port(name: str, fields: Fields, face: PlatformLanes) -> Iterator[ConfigProblem]:
    """Yield problems with lanes, name, index, subport and speed of a port; if its lanes are wrong, only that."""
    lanes = parse_lanes(fields)
    if not lanes:
        yield ConfigProblem("PORT", name, "lanes", f"'{fields.get('lanes', '')}'", "lane numbers between commas")
        return
    foreign = [str(lane) for lane in lanes if lane not in face.cage_of_lane]
    if foreign:
        right = f"lanes of {face.platform.platform}"
        yield ConfigProblem("PORT", name, "lanes", f"lane {', '.join(foreign)} is not in the platform's table", right)
        return
    cage, cage_class = face.cage_of_lane[lanes[0]]
    position = cage.lanes.index(lanes[0])
    due = cage.lanes[position : position + len(lanes)]
    if due != lanes:
        right = f"lanes in the order of one cage, {','.join(map(str, due))}"
        yield ConfigProblem("PORT", name, "lanes", f"'{fields['lanes']}'", right)
        return
    if len(list_port_positions(cage, lanes)) * len(lanes) > len(cage.lanes) or position % len(lanes):
        yield ConfigProblem("PORT", name, "lanes", f"'{fields['lanes']}'", "lanes from a whole share of the cage")
    due_name = f"Ethernet{cage.port + position}"
    if name != due_name:
        yield ConfigProblem("PORT", name, found=f"lane {lanes[0]} belongs to another port", wanted=due_name)
    if fields.get("index", str(cage.index)) != str(cage.index):
        yield ConfigProblem("PORT", name, "index", f"'{fields['index']}'", f"the cage's, {cage.index}")
    yield from _check_subport(name, fields, position // len(lanes), split=len(lanes) < len(cage.lanes))
    yield from _check_speed(name, fields, len(lanes), cage_class, face)


def list_port_positions(cage: PlatformCage, lanes: tuple[int, ...]) -> range:
    """Return the positions of ports in a cage, from 0, if each port has as many lanes as `lanes`: 0 and 1 for 4 of 8
    lanes.
    """
    return range(len(cage.lanes) // len(lanes))


def _check_subport(name: str, fields: Fields, position: int, *, split: bool) -> Iterator[ConfigProblem]:
    """Yield a subport that is not the position of the port in its cage, from 1; 0 if the cage is not split."""
    subport = fields.get("subport", "")
    due = str(position + 1) if split else "0"
    if subport and subport != due:
        yield ConfigProblem("PORT", name, "subport", f"'{subport}'", f"{due}, its place in the cage")


def _check_speed(
    name: str, fields: Fields, lanes: int, cage_class: CageClass, face: PlatformLanes
) -> Iterator[ConfigProblem]:
    """Yield a problem if the platform does not have the speed of a port with `lanes` lanes in a cage of this class."""
    speed = fields.get("speed", "")
    legal = face.speeds[cage_class.form_factor, lanes]
    if speed.isdigit() and int(speed) not in legal:
        right = "one of " + ", ".join(map(str, sorted(legal))) if legal else "the platform has no such port"
        yield ConfigProblem("PORT", name, "speed", f"'{speed}' over {lanes} lane{'s' * (lanes > 1)}", right)


def list_legal_mbps(platform: SonicPlatform, cage_class: CageClass, lanes: int) -> frozenset[int]:
    """Return the legal speeds (Mb/s) of a port with `lanes` lanes in a cage, by all breakout modes that make such
    ports.

    A HwSKU's own split counts too: a platform without modes has no other, and a gearbox may make lanes faster.
    """
    texts = (text for modes in platform.breakout_modes.values() for text in modes)
    modes = [mode for mode in map(parse_mode, texts) if mode and (mode.lanes or cage_class.lanes) == mode.ways * lanes]
    most = 1000 * cage_class.lane_gbps * lanes
    hwsku_speeds = {
        1000 * run.speed_gbps
        for runs in platform.hwskus.values()
        for run in runs
        if run.ways * lanes == len(platform.cages[run.first - 1].lanes)
    }
    return frozenset(hwsku_speeds.union(speed for mode in modes for speed in mode.speeds_mbps if speed <= most))


def _check_breakout(name: str, mode: str, ports: dict[str, Fields], face: PlatformLanes) -> Iterator[ConfigProblem]:
    """Yield a breakout mode that the platform does not have, or that the ports of its cage do not follow."""
    known_modes = [text for modes in face.platform.breakout_modes.values() for text in modes]
    parsed = parse_mode(mode)
    if mode not in known_modes or parsed is None:
        yield ConfigProblem("BREAKOUT_CFG", name, "brkout_mode", f"'{mode}'", did_you_mean(mode, known_modes))
        return
    lanes = parse_lanes(ports.get(name, {}))
    if name not in ports:
        yield ConfigProblem("BREAKOUT_CFG", name, found=f"'{name}' has no row in PORT", wanted="a row of PORT")
    if not lanes or lanes[0] not in face.cage_of_lane:
        return
    cage, cage_class = face.cage_of_lane[lanes[0]]
    if name != f"Ethernet{cage.port}":
        yield ConfigProblem("BREAKOUT_CFG", name, found="not the first port of a cage", wanted=f"Ethernet{cage.port}")
    elif (parsed.lanes or cage_class.lanes) != parsed.ways * len(lanes):
        actual = f"its port has {len(lanes)} of {cage_class.lanes} lanes"
        yield ConfigProblem("BREAKOUT_CFG", name, "brkout_mode", f"'{mode}', but {actual}", "a mode that splits it so")
