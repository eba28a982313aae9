"""All objects of NetBox that a cluster is, kind by kind in the order in which they are made."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.files.addresses import AddressSection
from fabricgen.export.netbox.devices import (
    MAKER,
    find_manufacturer,
    list_manufacturers,
    list_rack_manufacturers,
    make_device_kinds,
    make_place_kinds,
)
from fabricgen.export.netbox.kinds import Kind, Reference, make_slugs
from fabricgen.export.netbox.ports import list_address_sections, make_port_kinds
from fabricgen.export.table import Cell, Table
from fabricgen.kernel.diagnostics import fault
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    StackedColumn,
    encode_column,
    object_array,
    repeat_value,
)
from fabricgen.wiring.arrays import Flags
from fabricgen.wiring.tables import SWITCH

LONGEST = {
    ("sites", "name"): 100,
    ("locations", "name"): 100,
    ("racks", "name"): 100,
    ("racks", "facility_id"): 50,
    ("device-roles", "name"): 100,
    ("devices", "name"): 64,
    ("interfaces", "name"): 64,
    ("interfaces", "label"): 64,
    ("vlans", "name"): 64,
    ("vrfs", "name"): 100,
    ("module-types", "model"): 100,
    ("module-bays", "name"): 64,
    ("cables", "label"): 100,
}
"""(kind, column) -> characters that NetBox takes (v4.4.10: netbox/dcim/models)."""


def list_objects(cluster: Cluster) -> list[Kind]:
    """The objects of a cluster; raises InputError (FG163) for a name that is longer than NetBox takes."""
    manufacturers = [find_manufacturer(cls.profile) for cls in cluster.plan.devices.classes]
    kinds = [
        list_manufacturers([MAKER, *manufacturers, *list_rack_manufacturers(cluster)]),
        *make_place_kinds(cluster),
        *make_device_kinds(cluster),
        *make_number_kinds(cluster),
        *make_port_kinds(cluster),
        *make_address_kinds(cluster),
    ]
    for kind in kinds:
        _check_lengths(cluster, kind)
    return kinds


def _check_lengths(cluster: Cluster, kind: Kind) -> None:
    for name, column in kind.table.columns.items():
        most = LONGEST.get((kind.name, name))
        longest = max(_list_texts(column), key=len, default="") if most else ""
        if most and len(longest) > most:
            raise cluster.design.loaded.locate_error(
                fault(
                    "FG163",
                    f"{longest} has {len(longest)} characters, and NetBox takes at most {most} as {name} "
                    f"of {kind.name}",
                    path=("name",),
                    hint="shorter names: `names` of the blueprint states how devices are called",
                )
            )


def _list_texts(column: Sequence[object]) -> Iterator[str]:
    """The texts of a column, each once where it is encoded."""
    if isinstance(column, StackedColumn):
        for part in column.columns:
            yield from _list_texts(part)
    elif isinstance(column, EncodedColumn):
        yield from map(str, column.vocabulary.tolist())
    else:
        assert isinstance(column, LazyColumn | ConcatenatedColumn | list | tuple)  # noqa: S101 - all kinds of column
        yield from map(str, column)


# AS numbers, VLANs, prefixes and addresses.

PRIVATE = ((64_512, 65_534), (4_200_000_000, 4_294_967_294))
"""AS numbers for private use (RFC 6996)."""

SHARED = ("status", "description")
"""Columns that are written once of what several clusters may have in common."""

ROLES = {"loopback": "loopback", "vrf-loopback": "loopback", "gateway": "anycast"}
"""What NetBox calls addresses of some kinds."""


VRF: dict[str, Reference] = {"vrf": ("vrfs", ("vrf",))}


def make_number_kinds(cluster: Cluster) -> Iterator[Kind]:
    """Registries, AS numbers, VLANs, VRFs where there are any, and prefixes."""
    counts = Counter(int(number) for number in cluster.addresses.asn.tolist() if number)
    registry = {number: _find_registry(number) for number in sorted(counts)}
    registries = sorted(set(registry.values()))
    registry_columns = {
        "name": registries,
        "slug": make_slugs(registries),
        "is_private": ["true" if name == _find_registry(PRIVATE[0][0]) else "false" for name in registries],
    }
    yield Kind("ipam/rirs", Table("rirs", registry_columns), ("name",))
    asn_columns: dict[str, Sequence[Cell]] = {
        "asn": list(registry),
        "rir": list(registry.values()),
        "description": [f"{counts[number]:,} switch{'es' * (counts[number] > 1)}" for number in registry],
    }
    yield Kind("ipam/asns", Table("asns", asn_columns), ("asn",), {"rir": ("rirs", ("rir",))}, SHARED)
    yield _make_vlan_kind(cluster)
    sections = list(list_address_sections(cluster))
    names = sorted({name for section in sections for name in set(section.vrfs.texts().tolist())} - {""})
    if names:
        yield Kind("ipam/vrfs", Table("vrfs", {"name": names}), ("name",))
    yield _make_prefix_kind(cluster, sections, in_vrfs=bool(names))


def _find_registry(number: int) -> str:
    return "RFC 6996" if any(first <= number <= last for first, last in PRIVATE) else "public"


def _make_vlan_kind(cluster: Cluster) -> Kind:
    """The VLANs of bridged nodes: of each fabric, and of its tenants; NetBox's VLAN is the whole fabric's."""
    vlan_by_name: dict[str, int] = {}
    for family in cluster.addresses.families:
        for fabric, subnets in family.subnets.items():
            rows = np.flatnonzero(subnets.gateway.present)
            vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
            for index in range(int(subnets.count[rows].max(initial=0))):
                vlan_by_name[fabric if not index else f"{fabric} {index + 1}"] = vlan + index
    for tenant in cluster.design.tenants:
        for fabric, vlans in tenant.vlans.items():
            for index, vlan in enumerate(vlans):
                vlan_by_name[f"{fabric} {tenant.name}" + f" {index + 1}" * (index > 0)] = vlan
    columns: dict[str, Sequence[Cell]] = {
        "vid": list(vlan_by_name.values()),
        "name": list(vlan_by_name),
        "status": ["active"] * len(vlan_by_name),
    }
    return Kind("ipam/vlans", Table("vlans", columns), ("name",))


def _make_prefix_kind(cluster: Cluster, sections: list[AddressSection], *, in_vrfs: bool) -> Kind:
    """The pools that are drawn on, as containers, then subnets with room for several machines.

    The two addresses of a routed link tell its prefix themselves: it has no row.
    """
    prefix_texts: dict[tuple[str, str], tuple[str, str]] = {}
    for demand in list_pool_demands(cluster.design):
        if demand.now:
            prefixes, name, _ = find_pool_prefixes(
                cluster.design.loaded.blueprint, demand.fabric, demand.pool, demand.family
            )
            prefix_texts.update((("", prefix), ("container", f"pool {name}")) for prefix in prefixes)
    for section in sections:
        bits = 32 if ":" not in section.addresses.cells()[0] else 128
        rows = np.flatnonzero(section.lengths < bits - 1)
        kinds = section.kinds.take(rows)
        texts = section.addresses[rows].cells(section.lengths[rows])
        for text, kind, vrf in zip(texts, kinds, section.vrfs.take(rows), strict=True):
            prefix_texts.setdefault((vrf, str(ipaddress.ip_interface(text).network)), ("active", str(kind)))
    networks = sorted(prefix_texts, key=lambda key: (":" in key[1], ipaddress.ip_network(key[1]), key[0]))
    columns: dict[str, Sequence[Cell]] = {
        "prefix": [network for _, network in networks],
        **({"vrf": [vrf for vrf, _ in networks]} if in_vrfs else {}),
        "status": [prefix_texts[network][0] for network in networks],
        "description": [prefix_texts[network][1] for network in networks],
    }
    key, references = (("vrf", "prefix"), VRF) if in_vrfs else (("prefix",), dict[str, Reference]())
    return Kind("ipam/prefixes", Table("prefixes", columns), key, references, SHARED)


def make_address_kinds(cluster: Cluster) -> Iterator[Kind]:
    """Addresses: those that are nothing more, those that a device is reached at, and those of its BMC.

    They are three files, since NetBox's form for CSV takes the mark off a device with each row that says false.
    """
    sections = list(list_address_sections(cluster))
    primary, bmc = _find_primary(cluster, sections)
    for name, marks, mark in (
        ("ip-addresses", [~(p | b) for p, b in zip(primary, bmc, strict=True)], ""),
        ("ip-addresses-primary", primary, "is_primary"),
        ("ip-addresses-oob", bmc, "is_oob"),
    ):
        yield _make_address_kind(cluster, name, sections, marks, mark)


def _make_address_kind(
    cluster: Cluster, name: str, sections: list[AddressSection], marks: list[Flags], mark: str
) -> Kind:
    stacked: list[tuple[LazyColumn, ...]] = []
    in_vrfs = any(vrf for section in sections for vrf in section.vrfs.vocabulary.tolist())
    for section, marked in zip(sections, marks, strict=True):
        rows = np.flatnonzero(marked)
        ports = object_array(section.ports.texts().tolist())[rows]
        device = np.asarray(section.devices)[rows]
        has_port = np.array([bool(port) for port in ports], dtype=bool)
        kinds = section.kinds.take(rows)
        roles = object_array([ROLES.get(kind, "") for kind in kinds.vocabulary.tolist()])
        stacked.append(
            (
                section.addresses[rows].cells(section.lengths[rows]),
                repeat_value("active", len(rows)),
                EncodedColumn(roles, kinds.codes),
                EncodedColumn(object_array([*cluster.names, ""]), np.where(has_port, device, len(cluster.names))),
                encode_column(ports, np.arange(len(rows))),
                kinds,
                *([section.vrfs.take(rows)] if in_vrfs else []),
                *([repeat_value("true", len(rows))] if mark else []),
            )
        )
    names = (
        "address",
        "status",
        "role",
        "device",
        "interface",
        "description",
        *(["vrf"] if in_vrfs else []),
        *([mark] if mark else []),
    )
    columns = zip(*stacked, strict=True) if stacked else [()] * len(names)
    table = Table(name, dict(zip(names, map(StackedColumn, columns), strict=True)))
    references: dict[str, Reference] = {"assigned_object_id": ("interfaces", ("device", "interface"))}
    key, vrf_reference = (("vrf", "address"), VRF) if in_vrfs else (("address",), {})
    return Kind("ipam/ip-addresses", table, key, references | vrf_reference)


def _find_primary(cluster: Cluster, sections: list[AddressSection]) -> tuple[list[Flags], list[Flags]]:
    """Which addresses a switch is reached at: its management address of either family, else its loopback; which are
    of the BMC of a node.
    """
    plan = cluster.plan.devices
    switch = np.array([cls.kind == SWITCH for cls in plan.classes], dtype=bool)[plan.device_class]
    managed, primary, bmc = set[tuple[int, bool]](), list[Flags](), list[Flags]()
    for kind in ("management", "loopback"):
        for number, section in enumerate(sections):
            is_v6 = ":" in section.addresses.cells()[0]
            if kind == "management":
                primary.append(np.zeros(len(section.devices), dtype=bool))
                bmc.append(np.zeros(len(section.devices), dtype=bool))
            for row in np.flatnonzero(section.kinds.texts() == kind).tolist():
                device = int(section.devices[row])
                is_switch = bool(switch[device])
                if (device, is_v6) not in managed:
                    managed.add((device, is_v6))
                    (primary if is_switch else bmc)[number][row] = is_switch or not is_v6
    return primary, bmc
