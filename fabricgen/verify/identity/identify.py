"""From boxes to devices: what they tell, then what their cables prove, then what most of their cables say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.verify.actions import Action, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps._content import CODE
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.identity.names import (
    DeviceNames,
    How,
    Identities,
    KnownAddress,
    index_device_names,
    list_end_texts,
    number_ends,
)
from fabricgen.verify.identity.votes import Inferred, infer_devices
from fabricgen.verify.port_numbers import UNKNOWN, PortNumbers, is_mac
from fabricgen.verify.sightings import Sightings, cap_notes, describe_box, list_few


def identify_boxes(
    cabling: PlannedCabling,
    sightings: Sightings,
    addresses: Iterable[KnownAddress] = (),
    catalog: Catalog | None = None,
) -> Identities:
    """Which device of the plan each box is. `addresses`: MACs and GUIDs known before; `catalog`: the blueprint's.

    Boxes that name themselves are what they say. Others are inferred from the planned ends of their cables, which is
    said in the notes; what cannot be matched is listed there.
    """
    identities = read_identities(cabling, sightings.boxes, addresses, PortNumbers(cabling, catalog or Catalog()))
    renamed = infer_names(cabling, sightings, identities)
    identities, copies = separate_copies(cabling, sightings, identities)
    identities, inferred = infer_devices(cabling, sightings, identities)
    if inferred:
        renamed = sorted({*renamed, *infer_names(cabling, sightings, identities)})
    # What the plan does not have comes first: a stranger is to be looked at, what was inferred is for the record.
    notes = (
        *_note_unmatched(sightings, identities),
        *_note_copies(cabling, sightings, copies),
        *_note_inferred(cabling, sightings, inferred),
        *cap_notes(renamed, "names of ports that were inferred"),
    )
    return replace(identities, notes=notes)


def _note_copies(cabling: PlannedCabling, sightings: Sightings, copies: list[Inferred]) -> tuple[str, ...]:
    # sentences on boxes that have the name of another and were told by their cables
    notes = [
        f"{describe_box(sightings.boxes[copy.boxes[0]])} has the name of another box, and is inferred to be "
        f"{cabling.device_names[copy.device]}: {copy.votes:,} of {copy.ports:,} ports"
        for copy in copies
    ]
    return cap_notes(notes, "boxes with the name of another")


def _note_inferred(cabling: PlannedCabling, sightings: Sightings, inferred: list[Inferred]) -> tuple[str, ...]:
    # notes on boxes whose device was inferred from their cables: one each, and one for all that rest on a single port
    several = sorted((match for match in inferred if match.ports > 1), key=lambda match: match.votes == match.ports)
    weak = [match for match in inferred if match.ports == 1]
    notes = [
        f"{describe_box(sightings.boxes[match.boxes[0]])} is inferred to be {cabling.device_names[match.device]}: "
        f"{match.votes:,} of {match.ports:,} ports"
        for match in several
    ]
    strong_notes = cap_notes(notes, "boxes that were inferred by most of their ports")
    if not weak:
        return strong_notes
    shown = ", ".join(
        f"{describe_box(sightings.boxes[match.boxes[0]])} for {cabling.device_names[match.device]}"
        for match in weak[:3]
    )
    more = f" and {len(weak) - 3:,} more" if len(weak) > 3 else ""
    return (*strong_notes, f"taken for what is planned there, by a single port each, which is weak: {shown}{more}")


def _note_unmatched(sightings: Sightings, identities: Identities) -> tuple[str, ...]:
    # notes on dumps, and on neighbours, for which no device of the plan was found
    owners = set(sightings.agents)
    unknown = np.flatnonzero(identities.how == How.UNKNOWN).tolist()
    dumps = [
        f"the dump of {describe_box(sightings.boxes[box])} cannot be matched with a device"
        + _hint_at_file(sightings.boxes[box])
        for box in unknown
        if box in owners
    ]
    neighbours = sorted(
        {
            f"{describe_box(sightings.boxes[box])} cannot be matched with a device"
            for box in unknown
            if box not in owners
        }
    )
    return (
        *cap_notes(dumps, "dumps that cannot be matched"),
        *cap_notes(neighbours, "neighbours that cannot be matched"),
    )


def _hint_at_file(box: Box) -> str:
    """What helps where a dump does not say whose it is."""
    return "" if box.name or box.chassis or box.address else ": name the file after the device that it is of"


# What MACs and GUIDs say of boxes that are taken for exchanged: the boxes themselves are, or their names alone.

RENAME = "rename each, or provision it again"


def add_hardware(
    cabling: PlannedCabling, diagnosis: Diagnosis, sightings: Sightings, identities: Identities
) -> Diagnosis:
    """The diagnosis with exchanges that the hardware confirms, or says to be of names alone; and with the devices whose
    own dump has their name, and a note on each box whose hardware is another's.
    """
    names = cabling.device_names
    named_boxes = [box for box in sightings.agents if identities.how[box] == How.NAME]
    named = frozenset(names[device] for device in identities.device[named_boxes].tolist())
    hardware = {
        names[device]: names[is_really]
        for device, is_really in zip(identities.device.tolist(), identities.hardware.tolist(), strict=True)
        if device >= 0 and is_really >= 0
    }
    exchanged = {name for action in diagnosis.actions for name in action.renamed}
    notes = [
        f"the box that calls itself {name} has the MAC or GUID of {real_name}: {RENAME}"
        for name, real_name in sorted(hardware.items())
        if name != real_name and name not in exchanged
    ]
    actions = tuple(_judge_exchange(action, hardware) if action.renamed else action for action in diagnosis.actions)
    notes = [*diagnosis.notes, *cap_notes(notes, "boxes with the hardware of others")]
    return replace(diagnosis, actions=actions, notes=tuple(notes), named=named)


def _judge_exchange(action: Action, hardware: dict[str, str]) -> Action:
    # an exchange with what the hardware says of it: that boxes are swapped, that names are, or nothing
    real_names = {name: hardware.get(name, "") for name in action.renamed}
    if all(is_really == name for name, is_really in real_names.items()):
        alternatives = tuple(
            alternative for alternative in action.alternatives if alternative.kind is not Kind.EXCHANGE
        )
        text = f"{action.text} Their MACs or GUIDs say so, too."
        return replace(action, text=text, alternatives=alternatives, by_hardware=True)
    if all(is_really == action.renamed[name] for name, is_really in real_names.items()):
        boxes = " and ".join(sorted(real_names))
        text = (
            f"the names of {boxes} are exchanged: by their MACs or GUIDs these boxes stand where they should: {RENAME}."
        )
        return replace(action, text=text, boxes=0, alternatives=())
    return action


# Dumps of which no box is a device of the plan: of another hall, or by names that the plan does not have.

_HINT = (
    "is this the blueprint of this hall? what does not say its name is known by its MAC or GUID in the table of "
    "`inventory:`, and a dump also by the name of its file"
)


def check_hall(plan: PlannedCabling, devices: Mapping[Box, int], dumps: Sequence[str]) -> None:
    """Raise InputError (FG065) where no box of dumps is a device of the plan: `devices` has that of each, -1 for none.

    The error has some of what was seen and some of what is planned.
    """
    if not devices or max(devices.values()) >= 0:
        return
    boxes = [text for text in dict.fromkeys(map(describe_box, devices)) if text]
    message = f"no box in the dumps is a device of the plan: they tell of {_shorten_names(boxes)}; the plan has "
    raise fault(CODE, message + _shorten_names(plan.device_names), hint=_HINT, span=Span(dumps[0], 1, 1))


def _shorten_names(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    return list_few([name[:80] for name in names]) or "none"


# Host names that two boxes have, as when a configuration was copied: one of them is another device.
# Hosts may have several chassis with one name, one for each NIC. So a box loses its name only where most of its ports
# say that it is a device that no other box is, while another box of that name stands where that name is planned.


def separate_copies(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities
) -> tuple[Identities, list[Inferred]]:
    """Identities in which copied names are not believed; what is believed instead."""
    shared = _find_shared_names(sightings, identities)
    if not shared:
        return identities, []
    boxes = [box for same_name in shared.values() for box in same_name]
    device = identities.device.copy()
    # first without the copied names: where do the cables of these boxes say that they stand?
    device[boxes] = -1
    _, inferred = infer_devices(cabling, sightings, replace(identities, device=device))
    claimed = set(identities.device.tolist())
    at_home = {match.device for match in inferred if set(match.boxes) <= set(shared.get(match.device, ()))}
    device, how, copies = identities.device.copy(), identities.how.copy(), []
    for match in inferred:
        same_name = {int(identities.device[box]) for box in match.boxes} & set(shared)
        # one of the boxes of this name must be where the name belongs, so that the others are the copies
        if match.votes > 1 and match.device not in claimed and same_name <= at_home and same_name:
            device[list(match.boxes)], how[list(match.boxes)] = match.device, How.INFERRED
            copies.append(match)
    return replace(identities, device=device, how=how), copies


def _find_shared_names(sightings: Sightings, identities: Identities) -> dict[int, list[int]]:
    """Boxes by the device whose name they have, where they have several MACs."""
    boxes_by_device: dict[int, list[int]] = {}
    for box in np.flatnonzero(identities.how == How.NAME).tolist():
        if ":" in sightings.boxes[box].chassis:
            boxes_by_device.setdefault(int(identities.device[box]), []).append(box)
    return {
        device: boxes
        for device, boxes in boxes_by_device.items()
        if len({sightings.boxes[box].chassis for box in boxes}) > 1
    }


# Interfaces that hosts call by names of their own (ens6np0, mlx5_4): which planned port each is.
# All hosts of a model name their interfaces alike, so that most cables tell: the planned port is the one that the
# plan joins with the port where the interface is seen. One host alone proves nothing.

LEAST = 2
"""Devices that have to agree."""


def infer_names(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> list[str]:
    """Find the planned names of unknown interfaces, put them into the ports of `identities`, and say so in notes."""
    ends, end_texts = number_ends(sightings, identities), list_end_texts(sightings, identities)
    ports, names, texts = identities.ports, max(len(cabling.port_texts), 1), end_texts.texts
    parts = []
    for port, device, far_port, text in (
        (ends.near, ends.near_device, ends.far, end_texts.near),
        (ends.far, ends.far_device, ends.near, np.where(end_texts.far > 0, end_texts.far, end_texts.described)),
    ):
        rows = np.flatnonzero((port == UNKNOWN) & (device >= 0) & (far_port >= 0) & (text > 0))
        # the port that the plan joins to the one at the far end, if the cable is right
        planned = far_port[rows] ^ 1
        right = cabling.device[planned] == device[rows]
        parts.append((far_port[rows][right], text[rows][right], planned[right], device[rows][right]))
    far_port, text, planned, device = (np.concatenate(column) for column in zip(*parts, strict=True))
    if not len(far_port):
        return []
    # a link that both ends tell of is one voice
    _, first = np.unique(far_port.astype(np.int64) * len(texts) + text, return_index=True)
    text, planned, device = text[first].astype(np.int64), planned[first], device[first]
    kind = ports.kind[device].astype(np.int64)
    # (kind, text that is said, planned name) as one number
    keys, counts = np.unique((kind * len(texts) + text) * names + cabling.name[planned], return_counts=True)
    notes = []
    named: set[tuple[int, int]] = set()
    subjects, totals = keys // names, dict[int, int]()
    for subject, count in zip(subjects.tolist(), counts.tolist(), strict=True):
        totals[subject] = totals.get(subject, 0) + count
    # most voices first: a planned name is given away once
    for i in np.argsort(-counts, kind="stable").tolist():
        subject, name, count = int(subjects[i]), int(keys[i] % names), int(counts[i])
        of_kind, said_text = divmod(subject, len(texts))
        # more than half of those that have the name must agree; a MAC is of one port, not a name that ports of a kind
        # share
        if count < LEAST or 2 * count <= totals[subject] or (of_kind, name) in named or is_mac(texts[said_text]):
            continue
        named.add((of_kind, name))
        planned_name = str(cabling.port_texts[name])
        ports.renamed[of_kind, texts[said_text]] = planned_name
        model = cabling.read_device("model", int(device[kind == of_kind][0]))
        notes.append(
            f"port {texts[said_text]} of {model} is taken for {planned_name}: "
            f"{count:,} of {totals[subject]:,} devices that have it are joined so"
        )
    return sorted(notes)


# Boxes that say which device they are: by host name, management address, MAC or GUID, or the file of the dump.


def read_identities(
    cabling: PlannedCabling, boxes: Sequence[Box], addresses: Iterable[KnownAddress], ports: PortNumbers
) -> Identities:
    """The boxes that tell their device. Ports of known addresses are put into `ports`."""
    names = index_device_names(cabling)
    chassis = _index_addresses(cabling, addresses, ports)
    device, how = np.full(len(boxes), -1, dtype=np.int32), np.full(len(boxes), How.UNKNOWN, dtype=np.uint8)
    port, adapter = np.full(len(boxes), -1, dtype=np.int32), np.zeros(len(boxes), dtype=np.int32)
    adapters = {"": 0}
    by_name: dict[str, tuple[int, str]] = {}
    for i, box in enumerate(boxes):
        if box.chassis:
            port[i] = ports.by_address.get(box.chassis, -1) if box.chassis.startswith("0x") else -1
        if box.name not in by_name:
            by_name[box.name] = names.find_by_name(box.name)
        named_device, adapter_name = by_name[box.name]
        if adapter_name:
            adapter[i] = adapters.setdefault(adapter_name, len(adapters))
        device[i], how[i] = (named_device, How.NAME) if named_device >= 0 else _identify_otherwise(box, names, chassis)
    # the GUID is known, but of a port of another device than the name says: the name has the word
    wrong = (port >= 0) & (cabling.device[port] != device)
    port[wrong] = -1
    hardware = np.array([chassis.get(box.chassis, -1) if box.chassis else -1 for box in boxes], dtype=np.int32)
    return Identities(device, how, port, hardware, adapter, tuple(adapters), ports)


def _identify_otherwise(box: Box, names: DeviceNames, chassis: dict[str, int]) -> tuple[int, How]:
    # (device, how it is told) of a box whose name tells nothing; -1 for none
    if box.address and (device := names.find_by_address(box.address)) >= 0:
        return device, How.ADDRESS
    if box.chassis and (device := chassis.get(box.chassis, -1)) >= 0:
        return device, How.CHASSIS
    if box.file and (device := names.find_by_file(box.file)) >= 0:
        return device, How.FILE
    return -1, How.UNKNOWN


def _index_addresses(cabling: PlannedCabling, addresses: Iterable[KnownAddress], ports: PortNumbers) -> dict[str, int]:
    """The device of each known address."""
    devices_by_address: dict[str, int] = {}
    with_port: list[tuple[int, KnownAddress]] = []
    for row in addresses:
        device = cabling.device_numbers.get(row.device, -1)
        if device >= 0:
            # of several rows of one address the first counts
            devices_by_address.setdefault(row.address, device)
            if row.port:
                with_port.append((device, row))
    if with_port:
        texts = {"": 0}
        codes = np.array([texts.setdefault(row.port, len(texts)) for _, row in with_port], dtype=np.int32)
        devices = np.array([device for device, _ in with_port], dtype=np.int32)
        numbers = ports.find_ports(devices, codes, tuple(texts)).tolist()
        for number, (_, row) in zip(numbers, with_port, strict=True):
            if number >= 0:
                ports.by_address[row.address] = number
    return devices_by_address
