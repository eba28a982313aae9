"""All objects of NetBox that a cluster is, kind by kind in the order in which they are made."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.files.addresses import AddressSection
from fabricgen.export.netbox.devices import MAKER, devices, maker_of, makers, places, rack_makers
from fabricgen.export.netbox.kinds import Kind, Reference, slugs
from fabricgen.export.netbox.ports import address_sections, ports
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


def objects(cluster: Cluster) -> list[Kind]:
    """The objects of a cluster; raises InputError (FG163) for a name that is longer than NetBox takes."""
    made = [maker_of(cls.profile) for cls in cluster.plan.devices.classes]
    kinds = [
        makers([MAKER, *made, *rack_makers(cluster)]),
        *places(cluster),
        *devices(cluster),
        *numbers(cluster),
        *ports(cluster),
        *addresses(cluster),
    ]
    for kind in kinds:
        _check(cluster, kind)
    return kinds


def _check(cluster: Cluster, kind: Kind) -> None:
    for name, column in kind.table.columns.items():
        most = LONGEST.get((kind.name, name))
        longest = max(_texts(column), key=len, default="") if most else ""
        if most and len(longest) > most:
            raise cluster.design.loaded.located(
                fault(
                    "FG163",
                    f"{longest} has {len(longest)} characters, and NetBox takes at most {most} as {name} "
                    f"of {kind.name}",
                    path=("name",),
                    hint="shorter names: `names` of the blueprint states how devices are called",
                )
            )


def _texts(column: Sequence[object]) -> Iterator[str]:
    """The texts of a column, each once where it is encoded."""
    if isinstance(column, StackedColumn):
        for part in column.columns:
            yield from _texts(part)
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


def numbers(cluster: Cluster) -> Iterator[Kind]:
    """Registries, AS numbers, VLANs, VRFs where there are any, and prefixes."""
    counts = Counter(int(number) for number in cluster.addresses.asn.tolist() if number)
    registry = {number: _registry(number) for number in sorted(counts)}
    known = sorted(set(registry.values()))
    of_registries = {
        "name": known,
        "slug": slugs(known),
        "is_private": ["true" if name == _registry(PRIVATE[0][0]) else "false" for name in known],
    }
    yield Kind("ipam/rirs", Table("rirs", of_registries), ("name",))
    of_numbers: dict[str, Sequence[Cell]] = {
        "asn": list(registry),
        "rir": list(registry.values()),
        "description": [f"{counts[number]:,} switch{'es' * (counts[number] > 1)}" for number in registry],
    }
    yield Kind("ipam/asns", Table("asns", of_numbers), ("asn",), {"rir": ("rirs", ("rir",))}, SHARED)
    yield _vlans(cluster)
    sections = list(address_sections(cluster))
    names = sorted({name for each in sections for name in set(each.vrfs.texts().tolist())} - {""})
    if names:
        yield Kind("ipam/vrfs", Table("vrfs", {"name": names}), ("name",))
    yield _prefixes(cluster, sections, in_vrfs=bool(names))


def _registry(number: int) -> str:
    return "RFC 6996" if any(first <= number <= last for first, last in PRIVATE) else "public"


def _vlans(cluster: Cluster) -> Kind:
    """The VLANs of bridged nodes: of each fabric, and of its tenants; NetBox's VLAN is the whole fabric's."""
    found: dict[str, int] = {}
    for family in cluster.addresses.families:
        for fabric, subnets in family.subnets.items():
            rows = np.flatnonzero(subnets.gateway.present)
            vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
            for place in range(int(subnets.count[rows].max(initial=0))):
                found[fabric if not place else f"{fabric} {place + 1}"] = vlan + place
    for tenant in cluster.design.tenants:
        for fabric, vlans in tenant.vlans.items():
            for place, vlan in enumerate(vlans):
                found[f"{fabric} {tenant.name}" + f" {place + 1}" * (place > 0)] = vlan
    columns: dict[str, Sequence[Cell]] = {
        "vid": list(found.values()),
        "name": list(found),
        "status": ["active"] * len(found),
    }
    return Kind("ipam/vlans", Table("vlans", columns), ("name",))


def _prefixes(cluster: Cluster, sections: list[AddressSection], *, in_vrfs: bool) -> Kind:
    """The pools that are drawn on, as containers, then subnets with room for several machines.

    The two addresses of a routed link tell its prefix themselves: it has no row.
    """
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for demand in list_pool_demands(cluster.design):
        if demand.now:
            prefixes, name, _ = find_pool_prefixes(
                cluster.design.loaded.blueprint, demand.fabric, demand.pool, demand.family
            )
            found.update((("", prefix), ("container", f"pool {name}")) for prefix in prefixes)
    for each in sections:
        bits = 32 if ":" not in each.addresses.cells()[0] else 128
        rows = np.flatnonzero(each.lengths < bits - 1)
        kinds = each.kinds.take(rows)
        texts = each.addresses[rows].cells(each.lengths[rows])
        for text, kind, vrf in zip(texts, kinds, each.vrfs.take(rows), strict=True):
            found.setdefault((vrf, str(ipaddress.ip_interface(text).network)), ("active", str(kind)))
    networks = sorted(found, key=lambda key: (":" in key[1], ipaddress.ip_network(key[1]), key[0]))
    columns: dict[str, Sequence[Cell]] = {
        "prefix": [network for _, network in networks],
        **({"vrf": [vrf for vrf, _ in networks]} if in_vrfs else {}),
        "status": [found[network][0] for network in networks],
        "description": [found[network][1] for network in networks],
    }
    key, references = (("vrf", "prefix"), VRF) if in_vrfs else (("prefix",), dict[str, Reference]())
    return Kind("ipam/prefixes", Table("prefixes", columns), key, references, SHARED)


def addresses(cluster: Cluster) -> Iterator[Kind]:
    """Addresses: those that are nothing more, those that a device is reached at, and those of its BMC.

    They are three files, since NetBox's form for CSV takes the mark off a device with each row that says false.
    """
    sections = list(address_sections(cluster))
    primary, bmc = _primary(cluster, sections)
    for name, marks, mark in (
        ("ip-addresses", [~(p | b) for p, b in zip(primary, bmc, strict=True)], ""),
        ("ip-addresses-primary", primary, "is_primary"),
        ("ip-addresses-oob", bmc, "is_oob"),
    ):
        yield _addresses(cluster, name, sections, marks, mark)


def _addresses(cluster: Cluster, name: str, sections: list[AddressSection], marks: list[Flags], mark: str) -> Kind:
    stacked: list[tuple[LazyColumn, ...]] = []
    in_vrfs = any(vrf for each in sections for vrf in each.vrfs.vocabulary.tolist())
    for each, marked in zip(sections, marks, strict=True):
        rows = np.flatnonzero(marked)
        ports = object_array(each.ports.texts().tolist())[rows]
        device = np.asarray(each.devices)[rows]
        there = np.array([bool(port) for port in ports], dtype=bool)
        kinds = each.kinds.take(rows)
        roles = object_array([ROLES.get(kind, "") for kind in kinds.vocabulary.tolist()])
        stacked.append(
            (
                each.addresses[rows].cells(each.lengths[rows]),
                repeat_value("active", len(rows)),
                EncodedColumn(roles, kinds.codes),
                EncodedColumn(object_array([*cluster.names, ""]), np.where(there, device, len(cluster.names))),
                encode_column(ports, np.arange(len(rows))),
                kinds,
                *([each.vrfs.take(rows)] if in_vrfs else []),
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
    key, more = (("vrf", "address"), VRF) if in_vrfs else (("address",), {})
    return Kind("ipam/ip-addresses", table, key, references | more)


def _primary(cluster: Cluster, sections: list[AddressSection]) -> tuple[list[Flags], list[Flags]]:
    """Which addresses a switch is reached at: its management address of either family, else its loopback; which are
    of the BMC of a node.
    """
    plan = cluster.plan.devices
    switch = np.array([cls.kind == SWITCH for cls in plan.classes], dtype=bool)[plan.device_class]
    managed, primary, bmc = set[tuple[int, bool]](), list[Flags](), list[Flags]()
    for kind in ("management", "loopback"):
        for number, each in enumerate(sections):
            six = ":" in each.addresses.cells()[0]
            if kind == "management":
                primary.append(np.zeros(len(each.devices), dtype=bool))
                bmc.append(np.zeros(len(each.devices), dtype=bool))
            for row in np.flatnonzero(each.kinds.texts() == kind).tolist():
                device = int(each.devices[row])
                own = bool(switch[device])
                if (device, six) not in managed:
                    managed.add((device, six))
                    (primary if own else bmc)[number][row] = own or not six
    return primary, bmc
