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
from fabricgen.export.files.addresses import (
    AddressSection,
    list_leading_sections,
    list_trailing_sections,
    make_link_section,
)
from fabricgen.export.host_links import name_bond_ports
from fabricgen.export.netbox.devices import MAKER
from fabricgen.export.netbox.kinds import Kind, Reference
from fabricgen.export.palette import choose_cluster_swatches
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


def find_cabled_links(cluster: Cluster) -> Ints64:
    """Rows of the links that have a cable."""
    return np.flatnonzero(cluster.plan.links.cable >= 0)


def make_port_kinds(cluster: Cluster) -> Iterator[Kind]:
    """Bonds of hosts, interfaces, types of module, bays, modules and cables."""
    device: dict[str, Reference] = {"device": ("devices", ("device",))}
    bonds = _make_bond_table(cluster)
    if len(bonds):
        yield Kind("dcim/interfaces", bonds, ("device", "name"), device)
    interfaces = _make_interface_table(cluster, bonded=bool(len(bonds)))
    bond_reference: dict[str, Reference] = {"lag": ("bonds", ("device", "lag"))} if len(bonds) else {}
    yield Kind("dcim/interfaces", interfaces, ("device", "name"), device | bond_reference)
    yield from _make_module_kinds(cluster)
    yield Kind("dcim/cables", _make_cable_table(cluster), ("side_a_device", "side_a_name"))


def _name_bonds(cluster: Cluster, rows: Ints64) -> EncodedColumn:
    """The bond of a host that the lower end of each link is in, "" for none; switches name theirs by their NOS."""
    names, bonds = name_bond_ports(cluster, rows), cluster.plan.bonds
    inside = np.isin(bonds.kinds(rows), (LACP, MLAG)) if bonds else np.zeros(len(rows), dtype=bool)
    vocabulary = np.append(names.vocabulary, np.array([""], dtype=object))
    return EncodedColumn(vocabulary, np.where(inside, names.codes, len(names.vocabulary)))


def _make_bond_table(cluster: Cluster) -> Table:
    """The bonds of hosts; they are there before the ports that refer to them."""
    links, rows = cluster.plan.links, find_cabled_links(cluster)
    names = _name_bonds(cluster, rows)
    inside = np.flatnonzero(names.codes < len(names.vocabulary) - 1)
    first = inside[np.sort(unique_combinations(links.a_device[rows][inside], names.codes[inside])[0])]
    columns = {
        "device": EncodedColumn(cluster.name_column, links.a_device[rows][first]),
        "name": names.take(first),
        "type": repeat_value("lag", len(first)),
        "mgmt_only": repeat_value("false", len(first)),
    }
    return Table("bonds", columns)


def _make_interface_table(cluster: Cluster, *, bonded: bool) -> Table:
    """Ports of cables, then what has an address and no cable: loopbacks, VLANs, idle management ports."""
    links, rows = cluster.plan.links, find_cabled_links(cluster)
    segment = links.segment[rows]
    sections: list[tuple[LazyColumn, ...]] = []
    devices, port_names = (links.a_device, links.b_device), cluster.port_names
    ends = zip(devices, port_names.port_columns, port_names.cage_columns, strict=True)
    for upper, (device, port, cage) in enumerate(ends):
        sides = [s.b if upper else s.a for s in links.segments]
        managing = [isinstance(side, ManagementPort) or getattr(side, "role", "") == "bmc" for side in sides]
        sections.append(
            (
                EncodedColumn(cluster.name_column, device[rows]),
                port.take(rows),
                cage.take(rows),
                encode_column(
                    [choose_port_type(s, side) for s, side in zip(links.segments, sides, strict=True)], segment
                ),
                encode_column([int(s.speed_gbps * KBITS) for s in links.segments], segment),
                encode_column(["true" if is_managing else "false" for is_managing in managing], segment),
                repeat_value("", len(rows)) if upper else _name_bonds(cluster, rows),
            )
        )
    sections.append(_list_uncabled_interfaces(cluster))
    names = ("device", "name", "label", "type", "speed", "mgmt_only", "lag")
    columns = dict(zip(names, map(StackedColumn, zip(*sections, strict=True)), strict=True))
    return Table("interfaces", columns if bonded else {name: columns[name] for name in names[:-1]})


def _list_uncabled_interfaces(cluster: Cluster) -> tuple[LazyColumn, ...]:
    """The interfaces that have an address and no cable and are no bonds of hosts, in the order of addresses.csv."""
    links, rows, codes_by_name = cluster.plan.links, find_cabled_links(cluster), dict[str, int]()
    ports = cluster.port_names.port_columns
    listed_pairs = [
        _number_pairs(device[rows], port.take(rows), codes_by_name)
        for device, port in zip((links.a_device, links.b_device), ports, strict=True)
    ]
    listed_pairs.append(_number_pairs(links.a_device[rows], _name_bonds(cluster, rows), codes_by_name))
    section_pairs = [
        (_number_pairs(section.devices, section.ports, codes_by_name), section.kinds)
        for section in list_address_sections(cluster)
    ]
    pairs = np.concatenate([pair for pair, _ in section_pairs]) if section_pairs else np.zeros(0, dtype=np.int64)
    managing = (
        np.concatenate([kinds.texts() == "management" for _, kinds in section_pairs]) if section_pairs else pairs > 0
    )
    first = np.zeros(len(pairs), dtype=bool)
    first[np.unique(pairs, return_index=True)[1]] = True
    names = list(codes_by_name)
    has_name = np.array([name != "" for name in names], dtype=bool)
    keep = first & ~np.isin(pairs, np.concatenate(listed_pairs)) & has_name[pairs % _NAME_LIMIT]
    device, name = pairs[keep] // _NAME_LIMIT, pairs[keep] % _NAME_LIMIT
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


_NAME_LIMIT = 1 << 32
"""More than there are names of ports."""


def _number_pairs(devices: Ints64 | object, ports: LazyColumn, codes_by_name: dict[str, int]) -> Ints64:
    """(device, port) as one number each; `known` numbers the names of ports."""
    if isinstance(ports, EncodedColumn):
        numbers = np.array(
            [codes_by_name.setdefault(name, len(codes_by_name)) for name in ports.vocabulary.tolist()], dtype=np.int64
        )
        codes = numbers[ports.codes]
    else:
        codes = np.array([codes_by_name.setdefault(name, len(codes_by_name)) for name in ports], dtype=np.int64)
    pairs: Ints64 = np.asarray(devices, dtype=np.int64) * _NAME_LIMIT + codes
    return pairs


def list_address_sections(cluster: Cluster) -> Iterator[AddressSection]:
    """All addresses, in the order of addresses.csv."""
    for allocated in cluster.addresses.families:
        for section in (
            *list_leading_sections(cluster, allocated),
            make_link_section(cluster, allocated),
            *list_trailing_sections(cluster, allocated),
        ):
            if len(section.devices):
                yield section


def _make_module_kinds(cluster: Cluster) -> Iterator[Kind]:
    """Transceivers: one for each cage that has any, however many cables are in it."""
    links, cables = cluster.plan.links, cluster.plan.cables
    optics, part_codes = CableParts(cluster).transceivers(), dict[str, int]()
    devices, cages, parts = [], [], []
    for device, column, optic in zip(
        (links.a_device, links.b_device), cluster.port_names.cage_columns, optics, strict=True
    ):
        codes = np.array(
            [part_codes.setdefault(part, len(part_codes)) for part in optic.vocabulary.tolist()], dtype=np.int64
        )
        devices.append(device[cables.end_link])
        cages.append(column.take(cables.end_link))
        parts.append(codes[optic.codes])
    device, part = np.concatenate(devices), np.concatenate(parts)
    cage = EncodedColumn(cages[0].vocabulary, np.concatenate([column.codes for column in cages]))
    names = object_array(list(part_codes))
    occupied = np.flatnonzero(names[part] != "") if len(part) else part
    first = occupied[np.sort(unique_combinations(device[occupied], cage.codes[occupied])[0])]
    used = [names[code] for code in sorted(set(part[first].tolist()))]
    type_columns = {
        "manufacturer": [MAKER] * len(used),
        "model": used,
        "part_number": [part_name[:50] for part_name in used],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/module-types", Table("module-types", type_columns), ("model",), maker)
    bay_columns = {"device": EncodedColumn(cluster.name_column, device[first]), "name": cage.take(first)}
    device_reference = {"device": ("devices", ("device",))}
    yield Kind("dcim/module-bays", Table("module-bays", bay_columns), ("device", "name"), device_reference)
    module_columns = {
        "device": bay_columns["device"],
        "module_bay": bay_columns["name"],
        "module_type": EncodedColumn(names, part[first]),
        "status": repeat_value("planned", len(first)),
    }
    references = {
        **device_reference,
        "module_bay": ("module-bays", ("device", "module_bay")),
        "module_type": ("module-types", ("module_type",)),
    }
    yield Kind("dcim/modules", Table("modules", module_columns), ("device", "module_bay"), references)


def _make_cable_table(cluster: Cluster) -> Table:
    links, rows, plan = cluster.plan.links, find_cabled_links(cluster), cluster.plan.cables
    cable, swatches = links.cable[rows], choose_cluster_swatches(cluster)
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
        "type": encode_column([choose_cable_type(medium) for medium in plan.media], plan.medium[cable]),
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


def choose_port_type(segment: Segment, side: Side) -> str:
    """The type of the ports at one end of links; `other` where NetBox has none."""
    if segment.protocol == "infiniband" and side.form_factor != "RJ45":
        return f"infiniband-{LANES[int(segment.lane_gbps)]}" if int(segment.lane_gbps) in LANES else OTHER
    if side.form_factor == "RJ45":
        return TWISTED.get(segment.speed_gbps, OTHER)
    if not segment.protocol:
        return OTHER
    forms = ETHERNET.get(int(segment.speed_gbps), ())
    form = FORMS.get(side.form_factor, side.form_factor.lower())
    port_form = form if form in forms else next(iter(forms), "")
    return f"{int(segment.speed_gbps)}gbase-x-{port_form}" if port_form else OTHER


def choose_cable_type(medium: CableProfile) -> str:
    """The type of a cable."""
    return MEDIA.get(medium.medium) or medium.fibre or "smf-os2"
