"""Interfaces, transceivers as modules in bays, and cables.

A cable goes from port to port: that of a splitter is one for each of its links, and they share its id as their label.
NetBox then traces each port to the one at its far end; of one cable with several ends on both sides it does not know
which lanes belong together (v4.4.10: netbox/dcim/models/cables.py). Links of a backplane have no cable.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster
from fabricgen.export.files.addresses import AddressSection, after_links, before_links, link_addresses
from fabricgen.export.host_links import bond_ports
from fabricgen.export.netbox.devices import MAKER
from fabricgen.export.netbox.kinds import Kind, Reference
from fabricgen.export.palette import cluster_swatches
from fabricgen.export.table import Table
from fabricgen.numbering.lazy_columns import (
    EncodedColumn,
    LazyColumn,
    StackedColumn,
    encode_column,
    object_array,
    repeat_value,
)
from fabricgen.wiring.arrays import Ints64, unique_combinations
from fabricgen.wiring.bonds import LACP, MLAG
from fabricgen.wiring.tables import ManagementPort, Segment, Side

KBITS = 1_000_000
"""Kbit/s of one Gb/s."""


def cabled(cluster: Cluster) -> Ints64:
    """Rows of the links that have a cable."""
    return np.flatnonzero(cluster.plan.links.cable >= 0)


def ports(cluster: Cluster) -> Iterator[Kind]:
    """Bonds of hosts, interfaces, types of module, bays, modules and cables."""
    device: dict[str, Reference] = {"device": ("devices", ("device",))}
    bonds = _bonds(cluster)
    if len(bonds):
        yield Kind("dcim/interfaces", bonds, ("device", "name"), device)
    interfaces = _interfaces(cluster, bonded=bool(len(bonds)))
    of_bonds: dict[str, Reference] = {"lag": ("bonds", ("device", "lag"))} if len(bonds) else {}
    yield Kind("dcim/interfaces", interfaces, ("device", "name"), device | of_bonds)
    yield from _modules(cluster)
    yield Kind("dcim/cables", _cables(cluster), ("side_a_device", "side_a_name"))


def _bond_of(cluster: Cluster, rows: Ints64) -> EncodedColumn:
    """The bond of a host that the lower end of each link is in, "" for none; switches name theirs by their NOS."""
    names, bonds = bond_ports(cluster, rows), cluster.plan.bonds
    inside = np.isin(bonds.kinds(rows), (LACP, MLAG)) if bonds else np.zeros(len(rows), dtype=bool)
    vocabulary = np.append(names.vocabulary, np.array([""], dtype=object))
    return EncodedColumn(vocabulary, np.where(inside, names.codes, len(names.vocabulary)))


def _bonds(cluster: Cluster) -> Table:
    """The bonds of hosts; they are there before the ports that refer to them."""
    links, rows = cluster.plan.links, cabled(cluster)
    names = _bond_of(cluster, rows)
    inside = np.flatnonzero(names.codes < len(names.vocabulary) - 1)
    first = inside[np.sort(unique_combinations(links.a_device[rows][inside], names.codes[inside])[0])]
    columns = {
        "device": EncodedColumn(cluster.name_column, links.a_device[rows][first]),
        "name": names.take(first),
        "type": repeat_value("lag", len(first)),
        "mgmt_only": repeat_value("false", len(first)),
    }
    return Table("bonds", columns)


def _interfaces(cluster: Cluster, *, bonded: bool) -> Table:
    """Ports of cables, then what has an address and no cable: loopbacks, VLANs, idle management ports."""
    links, rows = cluster.plan.links, cabled(cluster)
    segment = links.segment[rows]
    sections: list[tuple[LazyColumn, ...]] = []
    devices, names_of = (links.a_device, links.b_device), cluster.port_names
    ends = zip(devices, names_of.port_columns, names_of.cage_columns, strict=True)
    for upper, (device, port, cage) in enumerate(ends):
        sides = [s.b if upper else s.a for s in links.segments]
        managing = [isinstance(side, ManagementPort) or getattr(side, "role", "") == "bmc" for side in sides]
        sections.append(
            (
                EncodedColumn(cluster.name_column, device[rows]),
                port.take(rows),
                cage.take(rows),
                encode_column([port_type(s, side) for s, side in zip(links.segments, sides, strict=True)], segment),
                encode_column([int(s.speed_gbps * KBITS) for s in links.segments], segment),
                encode_column(["true" if each else "false" for each in managing], segment),
                repeat_value("", len(rows)) if upper else _bond_of(cluster, rows),
            )
        )
    sections.append(_without_cable(cluster))
    names = ("device", "name", "label", "type", "speed", "mgmt_only", "lag")
    columns = dict(zip(names, map(StackedColumn, zip(*sections, strict=True)), strict=True))
    return Table("interfaces", columns if bonded else {name: columns[name] for name in names[:-1]})


def _without_cable(cluster: Cluster) -> tuple[LazyColumn, ...]:
    """The interfaces that have an address and no cable and are no bonds of hosts, in the order of addresses.csv."""
    links, rows, known = cluster.plan.links, cabled(cluster), dict[str, int]()
    ports = cluster.port_names.port_columns
    seen = [
        _pairs(device[rows], port.take(rows), known)
        for device, port in zip((links.a_device, links.b_device), ports, strict=True)
    ]
    seen.append(_pairs(links.a_device[rows], _bond_of(cluster, rows), known))
    found = [(_pairs(each.devices, each.ports, known), each.kinds) for each in address_sections(cluster)]
    pairs = np.concatenate([pair for pair, _ in found]) if found else np.zeros(0, dtype=np.int64)
    managing = np.concatenate([kinds.texts() == "management" for _, kinds in found]) if found else pairs > 0
    first = np.zeros(len(pairs), dtype=bool)
    first[np.unique(pairs, return_index=True)[1]] = True
    names = list(known)
    named = np.array([name != "" for name in names], dtype=bool)
    keep = first & ~np.isin(pairs, np.concatenate(seen)) & named[pairs % _MOST]
    device, name = pairs[keep] // _MOST, pairs[keep] % _MOST
    idle = managing[keep].astype(np.int64)
    return (
        EncodedColumn(cluster.name_column, device),
        encode_column(names, name),
        repeat_value("", len(device)),
        encode_column(["virtual", "1000base-t"], idle),
        repeat_value("", len(device)),
        encode_column(["false", "true"], idle),
        repeat_value("", len(device)),
    )


_MOST = 1 << 32
"""More than there are names of ports."""


def _pairs(devices: Ints64 | object, ports: LazyColumn, known: dict[str, int]) -> Ints64:
    """(device, port) as one number each; `known` numbers the names of ports."""
    if isinstance(ports, EncodedColumn):
        numbers = np.array([known.setdefault(name, len(known)) for name in ports.vocabulary.tolist()], dtype=np.int64)
        codes = numbers[ports.codes]
    else:
        codes = np.array([known.setdefault(name, len(known)) for name in ports], dtype=np.int64)
    pairs: Ints64 = np.asarray(devices, dtype=np.int64) * _MOST + codes
    return pairs


def address_sections(cluster: Cluster) -> Iterator[AddressSection]:
    """All addresses, in the order of addresses.csv."""
    for found in cluster.addresses.families:
        for each in (*before_links(cluster, found), link_addresses(cluster, found), *after_links(cluster, found)):
            if len(each.devices):
                yield each


def _modules(cluster: Cluster) -> Iterator[Kind]:
    """Transceivers: one for each cage that has any, however many cables are in it."""
    links, cables = cluster.plan.links, cluster.plan.cables
    optics, known = CableParts(cluster).transceivers(), dict[str, int]()
    devices, cages, parts = [], [], []
    for device, column, optic in zip(
        (links.a_device, links.b_device), cluster.port_names.cage_columns, optics, strict=True
    ):
        own = np.array([known.setdefault(part, len(known)) for part in optic.vocabulary.tolist()], dtype=np.int64)
        devices.append(device[cables.end_link])
        cages.append(column.take(cables.end_link))
        parts.append(own[optic.codes])
    device, part = np.concatenate(devices), np.concatenate(parts)
    cage = EncodedColumn(cages[0].vocabulary, np.concatenate([column.codes for column in cages]))
    names = object_array(list(known))
    there = np.flatnonzero(names[part] != "") if len(part) else part
    first = there[np.sort(unique_combinations(device[there], cage.codes[there])[0])]
    used = [names[code] for code in sorted(set(part[first].tolist()))]
    of_types = {"manufacturer": [MAKER] * len(used), "model": used, "part_number": [each[:50] for each in used]}
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/module-types", Table("module-types", of_types), ("model",), maker)
    held = {"device": EncodedColumn(cluster.name_column, device[first]), "name": cage.take(first)}
    of_device = {"device": ("devices", ("device",))}
    yield Kind("dcim/module-bays", Table("module-bays", held), ("device", "name"), of_device)
    of_modules = {
        "device": held["device"],
        "module_bay": held["name"],
        "module_type": EncodedColumn(names, part[first]),
        "status": repeat_value("planned", len(first)),
    }
    references = {
        **of_device,
        "module_bay": ("module-bays", ("device", "module_bay")),
        "module_type": ("module-types", ("module_type",)),
    }
    yield Kind("dcim/modules", Table("modules", of_modules), ("device", "module_bay"), references)


def _cables(cluster: Cluster) -> Table:
    links, rows, plan = cluster.plan.links, cabled(cluster), cluster.plan.cables
    cable, swatches = links.cable[rows], cluster_swatches(cluster)
    ends: dict[str, LazyColumn] = {}
    for side, device, port in zip("ab", (links.a_device, links.b_device), cluster.port_names.port_columns, strict=True):
        ends |= {
            f"side_{side}_site": encode_column(cluster.sites, device[rows]),
            f"side_{side}_device": EncodedColumn(cluster.name_column, device[rows]),
            f"side_{side}_type": repeat_value("dcim.interface", len(rows)),
            f"side_{side}_name": port.take(rows),
        }
    lengths = [round(length, 2) for length in plan.length_m.tolist()]
    fills = [swatches[s.fabric].fill[1:].lower() if s.fabric in swatches else "" for s in links.segments]
    columns = {
        **ends,
        "type": encode_column([cable_type(medium) for medium in plan.media], plan.medium[cable]),
        "status": repeat_value("planned", len(rows)),
        "label": cluster.cable_id_columns.of(cable),
        "color": encode_column(fills, links.segment[rows]),
        "length": encode_column(lengths, cable),
        "length_unit": repeat_value("m", len(rows)),
    }
    return Table("cables", columns)


# What NetBox calls ports and cables.
# Source: github.com/netbox-community/netbox v4.4.10, netbox/dcim/choices.py (InterfaceTypeChoices, CableTypeChoices).
# It has no type above 800 Gb/s, none for NVLink, and none for active copper but `dac-active`.

OTHER = "other"
ETHERNET = {
    10: ("sfpp",),
    25: ("sfp28",),
    40: ("qsfpp",),
    50: ("sfp56", "sfp28"),
    100: ("qsfp28", "qsfpdd", "sfpdd", "dsfp"),
    200: ("qsfp56", "qsfpdd"),
    400: ("qsfpdd", "osfp", "qsfp112"),
    800: ("osfp", "qsfpdd"),
}
"""Gb/s -> form factors that a port of that speed has a type for, the one that others are called by first."""

TWISTED = {1: "1000base-t", 2.5: "2.5gbase-t", 5: "5gbase-t", 10: "10gbase-t", 25: "25gbase-t"}
LANES = {14: "fdr", 25: "edr", 50: "hdr", 100: "ndr", 200: "xdr"}
"""InfiniBand: Gb/s of a lane -> generation."""

FORMS = {"SFP+": "sfpp", "QSFP+": "qsfpp", "QSFP-DD800": "qsfpdd", "QSFP56-DD": "qsfpdd", "QSFP-DD": "qsfpdd"}

MEDIA = {"DAC": "dac-passive", "ACC": "dac-active", "AEC": "dac-active", "AOC": "aoc", "COPPER": "cat6a"}
"""Media whose type the fibre does not tell."""


def port_type(segment: Segment, side: Side) -> str:
    """The type of the ports at one end of links; `other` where NetBox has none."""
    if segment.protocol == "infiniband" and side.form_factor != "RJ45":
        return f"infiniband-{LANES[int(segment.lane_gbps)]}" if int(segment.lane_gbps) in LANES else OTHER
    if side.form_factor == "RJ45":
        return TWISTED.get(segment.speed_gbps, OTHER)
    if not segment.protocol:
        return OTHER
    forms = ETHERNET.get(int(segment.speed_gbps), ())
    form = FORMS.get(side.form_factor, side.form_factor.lower())
    found = form if form in forms else next(iter(forms), "")
    return f"{int(segment.speed_gbps)}gbase-x-{found}" if found else OTHER


def cable_type(medium: CableProfile) -> str:
    """The type of a cable."""
    return MEDIA.get(medium.medium) or medium.fibre or "smf-os2"
