"""nautobot/: every object of Nautobot that the cluster is, as requests to its REST API in their order; on request.

NVIDIA's Config Manager reads from a Nautobot what it renders, and what it compares the hall with: devices with role,
model and platform below a location of the type Site, interfaces with addresses and their parent prefixes, cables, and
AS numbers as `bgp.asn` of the configuration context (github.com/dsx-ai-factory/nv-config-manager, August 2026:
docs/render/nautobot-data-mapping.mdx; plugins/dcim/nautobot-2x). Fields are those of Nautobot 2.x and 3.x (v3.2.7:
nautobot/dcim/api/serializers.py, nautobot/ipam/api/serializers.py), most of which are NetBox's: `write_body` renames
the others.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from fabricgen.addons.netbox_objects.cables import make_link_cable_kind
from fabricgen.addons.netbox_objects.devices import make_device_kinds, make_manufacturer_kind, make_place_kinds
from fabricgen.addons.netbox_objects.kinds import FLAGS, MARKS, Cell, Kind, Reference
from fabricgen.addons.netbox_objects.numbers import make_address_kinds, make_number_kinds
from fabricgen.addons.netbox_objects.ports import make_port_kinds
from fabricgen.api import ClusterView

SITE = "Site"
"""The type of location that Config Manager looks for above a device."""
AT_SITES = "dcim.device dcim.rack dcim.rackgroup ipam.prefix ipam.vlan"
"""What locations of that type may hold, if the type has to be made."""
GLOBAL = "Global"
"""The namespace of all prefixes, which every Nautobot has."""
TAGGED = (
    "dcim.location dcim.rack dcim.devicetype dcim.device dcim.interface dcim.cable ipam.vlan ipam.prefix ipam.ipaddress"
)
"""The kinds of objects that have tags in Nautobot, among those that are written."""
LONGEST = 32_767
"""The largest number of a length (v3.2.7: nautobot/dcim/models/cables.py, PositiveSmallIntegerField)."""
ONCE = ("status", "color", "content_types", "namespace", "description")
"""Columns that are written only when an object is made."""


def files(view: ClusterView) -> Iterator[tuple[str, str | bytes]]:
    """Yield NN-KIND.json, lists for POST with ids of their own, and README.txt with the paths."""
    kinds = list(filter(len, list_objects(view)))
    paths = {kind.name: kind.path for kind in kinds}
    lines = [f"{view.name} for Nautobot: post these files in this order", ""]
    for number, kind in enumerate(kinds, start=1):
        name = f"{number:02d}-{kind.name}.json"
        lines.append(f"{name:<32} {len(kind):>9,}  /api/{kind.path}/")
        yield name, json.dumps([_make_request(view.name, paths, kind, row) for row in kind.rows()], indent=1) + "\n"
    yield "README.txt", "\n".join(lines) + "\n"


def _make_request(name: str, paths: Mapping[str, str], kind: Kind, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of the request that makes an object of the cluster `name`; `row` has the object by column.

    `paths` are the paths of kinds by name.
    """

    def make_id(path: str, *key: Any) -> str:
        return str(uuid5(NAMESPACE_URL, "\n".join(("fabricgen", name, path, *map(str, key)))))

    # an address may be at ports of one name on several devices, and its key does not tell them apart
    device = (row["device"],) if "device" in row and "device" not in kind.key else ()
    fields: dict[str, Any] = {"id": make_id(kind.path, *(row[column] for column in kind.key), *device)}
    fields |= {column: FLAGS.get(str(row[column]), row[column]) for column in kind.plain if column not in MARKS}
    for field, (target, columns) in kind.references.items():
        key = [row[column] for column in columns]
        # the last part of a key is that of the object itself: "" for none
        fields[field] = make_id(paths[target], *key) if key[-1] else None
    if kind.name == "cables":
        fields = {column: value for column, value in fields.items() if not column.startswith("side_")}
        for end in "ab":
            port = make_id("dcim/interfaces", row[f"side_{end}_device"], row[f"side_{end}_name"])
            fields[f"{end}_terminations"] = [{"object_type": row[f"side_{end}_type"], "object_id": port}]
    return write_body(fields)


def write_body(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of NetBox as Nautobot's API names them: some by name, and one port at an end of a cable."""
    body = dict(fields)
    for name in ("status", "namespace"):
        if body.get(name):
            body[name] = {"name": str(body[name]).capitalize()}
    if "content_types" in body:
        body["content_types"] = body["content_types"].split()
    if "local_config_context_data" in body:
        body["local_config_context_data"] = json.loads(body["local_config_context_data"] or "null")
    if "tags" in body:
        body["tags"] = [{"name": tag["slug"]} for tag in body["tags"]]
    for end in "ab":
        for port in body.pop(f"{end}_terminations", ()):
            body |= {f"termination_{end}_type": port["object_type"], f"termination_{end}_id": port["object_id"]}
    return body


def list_objects(view: ClusterView) -> Iterator[Kind]:
    """Yield the objects of a cluster, kind by kind, in the order in which Nautobot accepts them.

    Halls are groups of racks, and devices are at sites. Transceivers, VRFs and the speed of ports are left out.
    """
    makers = (
        *(make_manufacturer_kind, make_place_kinds, make_device_kinds, make_number_kinds, make_port_kinds),
        make_link_cable_kind,
    )
    given = {kind.name: kind for make_kinds in makers for kind in make_kinds(view)}
    yield from _make_place_kinds(given)
    yield from _make_type_kinds(view, given)
    yield _make_device_kind(view, given["devices"])
    yield _select(given["vlans"], "vid", "name", "status")
    addresses = [
        (row["address"], row["description"], row["device"], row["interface"], bool(row.get("is_primary")))
        for row in chain.from_iterable(kind.rows() for kind in make_address_kinds(view))
    ]
    yield _make_prefix_kind(given["prefixes"], addresses)
    for name in ("bonds", "interfaces"):
        if name in given:
            ports = _select(given[name], *[column for column in given[name].columns if column != "speed"])
            yield _replace(ports, ports.path, {**ports.columns, "status": ["planned"] * len(ports)})
    yield _make_cable_kind(given["cables"])
    yield from _make_address_kinds(addresses)


def _select(kind: Kind, *names: str) -> Kind:
    """Return a kind with some of its columns, and the references that use only these."""
    return _replace(
        kind,
        kind.path,
        {name: kind.columns[name] for name in names},
        {field: reference for field, reference in kind.references.items() if set(reference[1]) <= set(names)},
    )


def _replace(
    kind: Kind,
    path: str,
    columns: Mapping[str, Sequence[Cell]],
    references: Mapping[str, Reference] | None = None,
    key: tuple[str, ...] = (),
) -> Kind:
    """Return a kind with another path and other columns; references and key stay unless others are given."""
    new_references = kind.references if references is None else references
    return Kind(path, kind.name, columns, key or kind.key, new_references, ONCE, joins=kind.joins)


def _make_place_kinds(given: Mapping[str, Kind]) -> Iterator[Kind]:
    """Yield the type of location, sites, halls and racks; `given` are NetBox's kinds by name."""
    yield Kind(
        "dcim/location-types", "location-types", {"name": [SITE], "content_types": [AT_SITES]}, ("name",), {}, ONCE
    )
    sites, halls, racks = given["sites"], given["locations"], given["racks"]
    yield _replace(
        sites,
        "dcim/locations",
        {
            "name": sites.columns["name"],
            "status": sites.columns["status"],
            "location_type": [SITE] * len(sites),
        },
        {"location_type": ("location-types", ("location_type",))},
    )
    site: dict[str, Reference] = {"location": ("sites", ("location",))}
    yield Kind(
        "dcim/rack-groups",
        "rack-groups",
        {"location": halls.columns["site"], "name": halls.columns["name"]},
        ("location", "name"),
        site,
        ONCE,
    )
    types = given["rack-types"].columns
    units = dict(zip(types["model"], types["u_height"], strict=True))
    yield _replace(
        racks,
        racks.path,
        {
            "location": racks.columns["site"],
            "rack_group": racks.columns["location"],
            **{name: racks.columns[name] for name in ("name", "facility_id", "status")},
            "u_height": [units[model] for model in racks.columns["rack_type"]],
        },
        {**site, "rack_group": ("rack-groups", ("location", "rack_group"))},
        ("location", "rack_group", "name"),
    )


def _make_type_kinds(view: ClusterView, given: Mapping[str, Kind]) -> Iterator[Kind]:
    """Yield makers, types, roles and platforms, as Config Manager names them; `given` are NetBox's kinds by name."""
    yield _select(given["manufacturers"], "name")
    yield _select(given["device-types"], "manufacturer", "model", "part_number", "u_height")
    roles = _select(given["device-roles"], "name", "color")
    yield _replace(roles, "extras/roles", {**roles.columns, "content_types": ["dcim.device"] * len(roles)})
    platforms = given["platforms"]
    yield _replace(platforms, platforms.path, {"name": [view.platforms[str(nos)] for nos in platforms.columns["name"]]})


def _make_device_kind(view: ClusterView, kind: Kind) -> Kind:
    """Return the devices at their sites; each switch with an AS number has it in its configuration context."""
    columns = kind.columns
    references = {name: kind.references[name] for name in ("role", "device_type", "platform")}
    place_references = {"location": ("sites", ("location",)), "rack": ("racks", ("location", "rack_group", "rack"))}
    return _replace(
        kind,
        kind.path,
        {
            **{name: columns[name] for name in ("name", "role", "manufacturer", "device_type", "face", "status")},
            "platform": [view.platforms.get(nos, "") for nos in view.devices.nos],
            "location": columns["site"],
            "rack_group": columns["location"],
            "rack": columns["rack"],
            "position": columns["position"],
            "local_config_context_data": [
                json.dumps({"bgp": {"asn": number}}) if number else "" for number in view.devices.asn.tolist()
            ],
        },
        {**references, **place_references},
    )


Address = tuple[str, str, str, str, bool]
"""(address with its length, purpose, device, port, whether the device is reached at it)."""


def _make_prefix_kind(kind: Kind, addresses: Sequence[Address]) -> Kind:
    """Return the kind of prefixes: pools, subnets, and the networks of addresses that are in none of these.

    In Nautobot every address has a parent.
    """
    columns = kind.columns
    networks: dict[str, tuple[str, Cell]] = {}
    for prefix, status, description in zip(columns["prefix"], columns["status"], columns["description"], strict=True):
        networks.setdefault(str(prefix), ("container" if status == "container" else "network", description))
    known_networks = {ipaddress.ip_network(text) for text in networks}
    lengths = {(network.version, network.prefixlen) for network in known_networks}
    for text, purpose, *_ in addresses:
        address = ipaddress.ip_interface(text)
        # a parent is a known network that contains the address: one of the lengths that there are
        possible_parents = (
            ipaddress.ip_network((address.ip, length), strict=False)
            for version, length in lengths
            if version == address.version
        )
        if known_networks.isdisjoint(possible_parents):
            known_networks.add(address.network)
            lengths.add((address.version, address.network.prefixlen))
            networks[str(address.network)] = ("network", purpose)
    return _replace(
        kind,
        kind.path,
        {
            "prefix": list(networks),
            "type": [form for form, _ in networks.values()],
            "status": ["active"] * len(networks),
            "description": [description for _, description in networks.values()],
            "namespace": [GLOBAL] * len(networks),
        },
        {},
        ("prefix",),
    )


def _make_cable_kind(kind: Kind) -> Kind:
    """Return the cables; Nautobot accepts whole numbers as lengths."""
    lengths = [_choose_unit(float(length)) for length in kind.columns["length"]]
    return _replace(
        kind,
        kind.path,
        {
            **kind.columns,
            "length": [length for length, _ in lengths],
            "length_unit": [unit for _, unit in lengths],
        },
    )


def _choose_unit(metres: float) -> tuple[int, str]:
    """Return a length and its unit as Nautobot accepts them, up to LONGEST: 2.5 m are 250 cm, 40,000 m are 40 km."""
    if not metres.is_integer() and metres * 100 <= LONGEST:
        return round(metres * 100), "cm"
    return (round(metres), "m") if metres <= LONGEST else (round(metres / 1000), "km")


def _make_address_kinds(addresses: Sequence[Address]) -> Iterator[Kind]:
    """Yield the addresses, each once although several ports have it, then which port has which address.

    The ports at which devices are reached come last.
    """
    texts: dict[str, tuple[str, str]] = {}
    for text, purpose, *_ in addresses:
        texts.setdefault(text.partition("/")[0], (text, purpose))
    yield Kind(
        "ipam/ip-addresses",
        "ip-addresses",
        {
            "address": [text for text, _ in texts.values()],
            "type": ["host"] * len(texts),
            "status": ["active"] * len(texts),
            "description": [purpose for _, purpose in texts.values()],
            "namespace": [GLOBAL] * len(texts),
        },
        ("address",),
        {},
        (*ONCE, "type"),
    )
    references: dict[str, Reference] = {
        "ip_address": ("ip-addresses", ("ip_address",)),
        "interface": ("interfaces", ("device", "interface")),
    }
    for name, is_marked in (("ip-assignments", False), ("ip-assignments-primary", True)):
        rows = [
            (texts[text.partition("/")[0]][0], device, port)
            for text, _, device, port, is_primary in addresses
            if port and is_primary == is_marked
        ]
        columns = {
            name: [row[position] for row in rows] for position, name in enumerate(("ip_address", "device", "interface"))
        }
        marks = {"is_primary": ["true"] * len(rows)} if is_marked else {}
        identity = ("ip_address", "interface")
        yield Kind(
            "ipam/ip-address-to-interface",
            name,
            {**columns, **marks},
            identity,
            references,
            marked=("ip-addresses", ("ip_address",)) if is_marked else None,
        )
