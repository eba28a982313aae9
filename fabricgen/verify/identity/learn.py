"""The hardware table of a hall, from its dumps: which MAC and GUID each device and port has.

A switch's MAC is a row without a port. A host has no such row (numbering/guids.py refuses MACs without a port there),
so that only MACs of its ports are learnt. Planned GUIDs are no hardware, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.beside.tables import INVENTORY_COLUMNS, OPTIONAL_COLUMNS, PLANNED, PLANNED_BITS, Hardware
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span
from fabricgen.reports.table import Table
from fabricgen.reports.tables.csv import write
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.identity.names import How, Identities, number_ends
from fabricgen.verify.sightings import Sightings, cap_notes, list_few
from fabricgen.wiring.arrays import unique_values

CODE = "FG070"
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
_GUID = re.compile(r"0x[0-9a-f]{16}")

Place = tuple[str, str]
"""(device, port); the port is "" for the device itself."""


class LearntInventory(NamedTuple):
    """The table as CSV, as `parse_inventory` reads it, and sentences about addresses that are left out, and why."""

    table: bytes
    left_out: tuple[str, ...]


def learn_hardware(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities, inventory: Sequence[Hardware]
) -> LearntInventory:
    """Make a hardware table of the rows of `inventory` and the MACs and GUIDs that dumps add.

    Devices are in the order of the plan. Addresses of boxes that were inferred from a single port are not learnt, nor
    addresses that dumps tell about several devices. Raises InputError (FG070) for each line of `inventory` that the
    dumps contradict.
    """
    found_addresses = _find_macs(cabling, sightings, identities), _find_guids(cabling, sightings, identities)
    macs, guids = map(_keep_clear, found_addresses)
    left_out = [
        address
        for name, addresses in zip(("MAC", "GUID"), found_addresses, strict=True)
        for address in _list_unclear(addresses, name)
    ]
    faults = [*_find_contradictions(inventory, macs, "mac"), *_find_contradictions(inventory, guids, "guid")]
    if faults:
        raise InputError(faults)
    # MAC, GUID and serial number of each place; a row of the inventory may have optional columns behind these
    rows = {port_place: ["", "", ""] for port_place in (*macs, *guids)}
    for row in inventory:
        _, _, *figures = row.figures
        rows[row.device, row.port] = list(figures)
    # addresses in the inventory stay where they are, and are not learnt for another place as well
    inventory_addresses = {address for figures in rows.values() for address in figures if address}
    for column, addresses in enumerate((macs, guids)):
        for port_place, address in addresses.items():
            if not rows[port_place][column] and address not in inventory_addresses:
                rows[port_place][column] = address
    plan_order = cabling.device_numbers
    # devices that are not in the plan come last
    ordered_places = sorted(rows, key=lambda port_place: (plan_order.get(port_place[0], len(plan_order)), port_place))
    figure_count = max((len(figures) for figures in rows.values()), default=3)
    table_rows = [
        (*port_place, *rows[port_place], *[""] * (figure_count - len(rows[port_place])))
        for port_place in ordered_places
        if any(rows[port_place])
    ]
    column_names = (*INVENTORY_COLUMNS, *OPTIONAL_COLUMNS)[: figure_count + 2]
    table = Table(
        "inventory", {name: [row[column_index] for row in table_rows] for column_index, name in enumerate(column_names)}
    )
    return LearntInventory(write(table), cap_notes(left_out, "addresses that are not learnt"))


def _find_macs(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> set[tuple[Place, str]]:
    """Find the MACs that dumps tell, as (place, MAC): of switches, and of ports whose MAC is not that of a switch.

    Boxes whose device is not sure (How.WEAK) are left out. A port may have several MACs here (see `_keep_clear`).
    """
    addresses: set[tuple[Place, str]] = set()
    is_switch = [bool(nos) for nos in cabling.devices["nos"].texts().tolist()]
    for box in np.flatnonzero((identities.device >= 0) & (identities.how < How.WEAK)).tolist():
        device, chassis = int(identities.device[box]), sightings.boxes[box].chassis
        if is_switch[device] and _is_mac(chassis):
            addresses.add(((cabling.device_names[device], ""), chassis))
    switch_macs = {mac for _, mac in addresses}
    text_is_mac = np.array([_is_mac(text) for text in sightings.texts], dtype=bool)
    far_ports = number_ends(sightings, identities).far
    is_sure = (sightings.neighbor >= 0) & (identities.how[sightings.neighbor] < How.WEAK)
    # a port tells its MAC as its id, or as its description
    mac_text = np.where(text_is_mac[sightings.far_port], sightings.far_port, sightings.far_text)
    rows = np.flatnonzero((far_ports >= 0) & text_is_mac[mac_text] & is_sure)
    text_count = len(sightings.texts)
    # (port, text) as one number, each pair once
    for port_and_text in unique_values(far_ports[rows].astype(np.int64) * text_count + mac_text[rows]):
        port, text = divmod(port_and_text, text_count)
        # a port that tells the MAC of a switch has no MAC of its own
        if sightings.texts[text] not in switch_macs:
            addresses.add(
                ((cabling.device_names[cabling.device[port]], cabling.port_text(port)), sightings.texts[text])
            )
    return addresses


def _find_guids(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> set[tuple[Place, str]]:
    """Find the GUIDs that dumps tell, as (place, GUID): of switches, and of the ports of nodes.

    Each port of a node is an adapter of its own. Boxes whose device is not sure (How.WEAK) are left out.
    """
    addresses: set[tuple[Place, str]] = set()
    sighted_ends = number_ends(sightings, identities)
    for boxes, ports in ((sightings.owner, sighted_ends.near), (sightings.neighbor, sighted_ends.far)):
        rows = np.flatnonzero((boxes >= 0) & (ports >= 0))
        box_count = len(sightings.boxes)
        # (port, box) as one number, each pair once
        for port_and_box in unique_values(ports[rows].astype(np.int64) * box_count + boxes[rows]):
            port, box = divmod(port_and_box, box_count)
            if guid := _read_real_guid(sightings.boxes[box].chassis):
                device = int(cabling.device[port])
                is_switch = bool(cabling.read_device("nos", device))
                guid_place = (cabling.device_names[device], "" if is_switch else cabling.port_text(port))
                if identities.how[box] < How.WEAK:
                    addresses.add((guid_place, guid))
    return addresses


def _keep_clear(addresses: Iterable[tuple[Place, str]]) -> dict[Place, str]:
    """Return, by place, the address of each place that has a single one; sorted by place.

    An address that several places have is left out.
    """
    places_by_text, texts_by_place = _group_by_text(addresses), _group_by_place(addresses)
    only_address = {
        place: next(iter(place_texts)) for place, place_texts in texts_by_place.items() if len(place_texts) == 1
    }
    return {
        place: only_address[place] for place in sorted(only_address) if len(places_by_text[only_address[place]]) == 1
    }


def _list_unclear(addresses: Iterable[tuple[Place, str]], name: str) -> Iterator[str]:
    """Yield sentences about addresses of several devices, and about places with several addresses.

    There is none about an address of several ports of one device: the ports of a bond may share their MAC.
    """
    for address, address_places in sorted(_group_by_text(addresses).items()):
        if len({device for device, _ in address_places}) > 1:
            owner_names = list_few([_name_place(*place) for place in sorted(address_places)])
            yield f"{name} {address} is told of {owner_names}: it is not learnt"
    for place, place_addresses in sorted(_group_by_place(addresses).items()):
        if len(place_addresses) > 1:
            yield f"{_name_place(*place)} tells several {name}s, {list_few(sorted(place_addresses))}: none is learnt"


def _group_by_text(addresses: Iterable[tuple[Place, str]]) -> dict[str, set[Place]]:
    """Return the places that tell each address."""
    places_by_text: dict[str, set[Place]] = {}
    for place, text in addresses:
        places_by_text.setdefault(text, set()).add(place)
    return places_by_text


def _group_by_place(addresses: Iterable[tuple[Place, str]]) -> dict[Place, set[str]]:
    """Return the addresses that each place tells."""
    texts_by_place: dict[Place, set[str]] = {}
    for place, text in addresses:
        texts_by_place.setdefault(place, set()).add(text)
    return texts_by_place


def _is_mac(text: str) -> bool:
    """Whether a text is the MAC of one machine: not zero, and not a group address."""
    return bool(_MAC.fullmatch(text)) and not int(text[:2], 16) & 1 and text != "00:00:00:00:00:00"


def _read_real_guid(chassis: str) -> str:
    """Return the sixteen digits of a GUID that hardware may have; "" for a MAC, a planned GUID, or no GUID."""
    if not _GUID.fullmatch(chassis):
        return ""
    number = int(chassis, 16)
    # devices without a GUID tell all zeros or all ones; GUIDs that the plan made up are not of hardware
    return "" if number in (0, (1 << 64) - 1) or number >> PLANNED_BITS == PLANNED >> PLANNED_BITS else chassis[2:]


def _find_contradictions(inventory: Sequence[Hardware], addresses: dict[Place, str], column: str) -> list[Diagnostic]:
    """Return a fault for each line with another address than in the dumps, or with one that they have elsewhere.

    `addresses` are those of the dumps; `column` is `mac` or `guid`.
    """
    place_by_address = {text: place for place, text in addresses.items()}
    faults = []
    for row in inventory:
        # the fourth column of an inventory is the GUID as it is written there
        stated_address = row.mac if column == "mac" else row.figures[3]
        stated_place = row.device, row.port
        seen_address = addresses.get(stated_place, "")
        seen_place = place_by_address.get(stated_address, stated_place) if stated_address else stated_place
        owner = _name_place(*stated_place)
        span: Span = row.cells.get(column, row.cells["device"])
        if stated_address and seen_address and stated_address != seen_address:
            message = f"{owner} has {column.upper()} {stated_address} here and {seen_address} in the dumps"
        elif seen_place != stated_place:
            message = f"{column.upper()} {stated_address} is of {owner} here, of {_name_place(*seen_place)} there"
        else:
            continue
        hint = "correct the line where hardware was replaced, or the cables where two boxes were exchanged"
        faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, span))
    return faults


def _name_place(device: str, port: str) -> str:
    return f"{device}:{port}" if port else device
