"""From boxes to planned devices: by what boxes tell, then by what their cables prove, then by what most cables say."""

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
from fabricgen.wiring.arrays import Ints, unique_combinations


def identify_boxes(
    cabling: PlannedCabling,
    sightings: Sightings,
    addresses: Iterable[KnownAddress] = (),
    catalog: Catalog | None = None,
) -> Identities:
    """Find which planned device each box is.

    `addresses` are MACs and GUIDs that are known before; `catalog` is the one of the blueprint. Boxes that name
    themselves are what they say. Other boxes are inferred from the planned ends of their cables. Notes say what was
    inferred, and which boxes cannot be matched.
    """
    identities = read_identities(cabling, sightings.boxes, addresses, PortNumbers(cabling, catalog or Catalog()))
    renamed = learn_port_names(cabling, sightings, identities)
    identities, copies = separate_copies(cabling, sightings, identities)
    identities, inferred = infer_devices(cabling, sightings, identities)
    if inferred:
        renamed = sorted({*renamed, *learn_port_names(cabling, sightings, identities)})
    # boxes that are not in the plan come first, since somebody has to look at them; inferences are for the record
    notes = (
        *_note_unmatched(sightings, identities),
        *_note_copies(cabling, sightings, copies),
        *_note_inferred(cabling, sightings, inferred),
        *cap_notes(renamed, "names of ports that were inferred"),
    )
    return replace(identities, notes=notes)


def _note_copies(cabling: PlannedCabling, sightings: Sightings, copies: list[Inferred]) -> tuple[str, ...]:
    # sentences about boxes that have the name of another box and were identified by their cables
    notes = [
        f"{describe_box(sightings.boxes[copy.boxes[0]])} has the name of another box, and is inferred to be "
        f"{cabling.device_names[copy.device]}: {copy.votes:,} of {copy.ports:,} ports"
        for copy in copies
    ]
    return cap_notes(notes, "boxes with the name of another")


def _note_inferred(cabling: PlannedCabling, sightings: Sightings, inferred: list[Inferred]) -> tuple[str, ...]:
    """Return notes about boxes that were inferred from their cables.

    There is a note for each box that several ports see, first for boxes on which the ports disagree, and one note for
    all boxes that rest on a single port.
    """
    # False sorts first: boxes on which ports disagree
    several_port_matches = sorted(
        (match for match in inferred if match.ports > 1), key=lambda match: match.votes == match.ports
    )
    single_port_matches = [match for match in inferred if match.ports == 1]
    notes = [
        f"{describe_box(sightings.boxes[match.boxes[0]])} is inferred to be {cabling.device_names[match.device]}: "
        f"{match.votes:,} of {match.ports:,} ports"
        for match in several_port_matches
    ]
    strong_notes = cap_notes(notes, "boxes that were inferred by most of their ports")
    if not single_port_matches:
        return strong_notes
    examples = ", ".join(
        f"{describe_box(sightings.boxes[match.boxes[0]])} for {cabling.device_names[match.device]}"
        for match in single_port_matches[:3]
    )
    count_of_others = f" and {len(single_port_matches) - 3:,} more" if len(single_port_matches) > 3 else ""
    return (
        *strong_notes,
        f"taken for what is planned there, by a single port each, which is weak: {examples}{count_of_others}",
    )


def _note_unmatched(sightings: Sightings, identities: Identities) -> tuple[str, ...]:
    """Return notes about dumps, and about neighbours, for which no planned device was found."""
    owners = set(sightings.agents)
    unknown_boxes = np.flatnonzero(identities.how == How.UNKNOWN).tolist()
    dump_notes = [
        f"the dump of {describe_box(sightings.boxes[box])} cannot be matched with a device"
        + _hint_at_file(sightings.boxes[box])
        for box in unknown_boxes
        if box in owners
    ]
    neighbour_notes = sorted(
        {
            f"{describe_box(sightings.boxes[box])} cannot be matched with a device"
            for box in unknown_boxes
            if box not in owners
        }
    )
    return (
        *cap_notes(dump_notes, "dumps that cannot be matched"),
        *cap_notes(neighbour_notes, "neighbours that cannot be matched"),
    )


def _hint_at_file(box: Box) -> str:
    """Return a hint (for the end of a sentence) on a dump that does not say which device it is of; "" for others."""
    return "" if box.name or box.chassis or box.address else ": name the file after the device that it is of"


# What MACs and GUIDs say about boxes that seem to be exchanged: the boxes themselves are, or only their names.

RENAME = "rename each, or provision it again"


def add_hardware(
    cabling: PlannedCabling, diagnosis: Diagnosis, sightings: Sightings, identities: Identities
) -> Diagnosis:
    """Add to a diagnosis what MACs and GUIDs say about exchanges: the boxes are exchanged, or only their names.

    Also adds the devices whose own dump tells their name (`named`), and a note for each box that has the MAC or GUID of
    another device and is in no exchange.
    """
    names = cabling.device_names
    named_boxes = [box for box in sightings.agents if identities.how[box] == How.NAME]
    named = frozenset(names[device] for device in identities.device[named_boxes].tolist())
    # the device whose MAC or GUID a box has, by the device that the box is taken for
    hardware = {
        names[device]: names[hardware_device]
        for device, hardware_device in zip(identities.device.tolist(), identities.hardware.tolist(), strict=True)
        if device >= 0 and hardware_device >= 0
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
    """Return an exchange of boxes, changed by what the hardware of the boxes says.

    `hardware` has, by the name that a box gives, the device to which its MACs and GUIDs belong. Either the boxes are
    exchanged, or only their names, or (if not all of them are known) the action stays as it is.
    """
    real_names = {name: hardware.get(name, "") for name in action.renamed}
    if all(real_name == name for name, real_name in real_names.items()):
        alternatives = tuple(
            alternative for alternative in action.alternatives if alternative.kind is not Kind.EXCHANGE
        )
        text = f"{action.text} Their MACs or GUIDs say so, too."
        return replace(action, text=text, alternatives=alternatives, by_hardware=True)
    if all(real_name == action.renamed[name] for name, real_name in real_names.items()):
        boxes = " and ".join(sorted(real_names))
        text = (
            f"the names of {boxes} are exchanged: by their MACs or GUIDs these boxes stand where they should: {RENAME}."
        )
        return replace(action, text=text, boxes=0, alternatives=())
    return action


# Dumps in which no box is a planned device: they are of another hall, or have other names than the plan.

_HINT = (
    "is this the blueprint of this hall? what does not say its name is known by its MAC or GUID in the table of "
    "`inventory:`, and a dump also by the name of its file"
)


def check_hall(plan: PlannedCabling, devices: Mapping[Box, int], dumps: Sequence[str]) -> None:
    """Raise InputError (FG065) if no box in the dumps is a planned device; the error names some boxes and devices.

    `devices` has the device (row) of each box, -1 for none.
    """
    if not devices or max(devices.values()) >= 0:
        return
    boxes = [text for text in dict.fromkeys(map(describe_box, devices)) if text]
    message = f"no box in the dumps is a device of the plan: they tell of {_shorten_names(boxes)}; the plan has "
    raise fault(CODE, message + _shorten_names(plan.device_names), hint=_HINT, span=Span(dumps[0], 1, 1))


def _shorten_names(names: Sequence[str]) -> str:
    """Return the first three names, each cut to 80 characters, and how many more there are; `none` for no names."""
    return list_few([name[:80] for name in names]) or "none"


# Host names that two boxes have, such as when a configuration was copied: one of them is another device.
# Hosts may have several chassis with one name, one for each NIC. So a box loses its name only if most of its ports say
# that it is a device that no other box is, while another box with that name stands where that name is planned.


def separate_copies(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities
) -> tuple[Identities, list[Inferred]]:
    """Identify boxes that have the name of another device, as if copied from it, by their cables instead.

    Return the identities, and what was inferred so. A name counts as copied if several boxes have it and the cables of
    one of them say that it is the device of that name.
    """
    shared = _find_shared_names(sightings, identities)
    if not shared:
        return identities, []
    boxes = [box for same_name in shared.values() for box in same_name]
    device = identities.device.copy()
    # first without the names that several boxes have: where do their cables say that these boxes stand?
    device[boxes] = -1
    _, inferred = infer_devices(cabling, sightings, replace(identities, device=device))
    claimed = set(identities.device.tolist())
    at_home = {match.device for match in inferred if set(match.boxes) <= set(shared.get(match.device, ()))}
    device, how, copies = identities.device.copy(), identities.how.copy(), []
    for match in inferred:
        same_name = {int(identities.device[box]) for box in match.boxes} & set(shared)
        # one of the boxes with this name must be where the name belongs, so that the others have copied it
        if match.votes > 1 and match.device not in claimed and same_name <= at_home and same_name:
            device[list(match.boxes)], how[list(match.boxes)] = match.device, How.INFERRED
            copies.append(match)
    return replace(identities, device=device, how=how), copies


def _find_shared_names(sightings: Sightings, identities: Identities) -> dict[int, list[int]]:
    """Return the boxes that share a name although their MACs differ, by the device (row) that has this name."""
    boxes_by_device: dict[int, list[int]] = {}
    for box in np.flatnonzero(identities.how == How.NAME).tolist():
        if ":" in sightings.boxes[box].chassis:
            boxes_by_device.setdefault(int(identities.device[box]), []).append(box)
    return {
        device: boxes
        for device, boxes in boxes_by_device.items()
        if len({sightings.boxes[box].chassis for box in boxes}) > 1
    }


# Interfaces that hosts name differently from the plan (ens6np0, mlx5_4): which planned port each of them is. All hosts
# of a model name their interfaces alike, so that the majority of cables tells: the planned port is the one that the
# plan joins with the port where the interface is seen. One host alone proves nothing.

LEAST = 2
"""The least devices that have to agree on the planned name of an interface."""


def learn_port_names(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> list[str]:
    """Add the planned names of unknown interfaces to `identities.ports.renamed`; return notes about them, sorted.

    Devices of one kind (model, NOS, fabric and tier) name their ports alike, so that all links of an interface of a
    kind vote for its planned name. An interface gets the name that has more than half of its votes, and at least LEAST
    of them. Each planned name is given to one interface of a kind.
    """
    texts, ports = list_end_texts(sightings, identities).texts, identities.ports
    text, device, planned_port = _list_name_votes(cabling, sightings, identities)
    kind, name = ports.kind[device], cabling.name[planned_port]
    interface_of_vote = unique_combinations(kind, text)[1]
    # a candidate is an interface and a planned name that it has votes for; the first of these votes stands for it
    first_votes, candidate_of_vote = unique_combinations(kind, text, name)
    counts, totals = np.bincount(candidate_of_vote), np.bincount(interface_of_vote)
    notes = []
    given_away: set[tuple[int, int]] = set()
    # most votes first: each planned name is given away once
    for candidate in np.argsort(-counts, kind="stable").tolist():
        vote, count = int(first_votes[candidate]), int(counts[candidate])
        total, interface = int(totals[interface_of_vote[vote]]), texts[int(text[vote])]
        kind_and_name = int(kind[vote]), int(name[vote])
        # more than half of the devices with this interface must agree; a MAC belongs to one port, and is not a name
        # that devices of a kind share
        if count < LEAST or 2 * count <= total or kind_and_name in given_away or is_mac(interface):
            continue
        given_away.add(kind_and_name)
        planned_name = str(cabling.port_texts[name[vote]])
        ports.renamed[int(kind[vote]), interface] = planned_name
        notes.append(
            f"port {interface} of {cabling.read_device('model', int(device[vote]))} is taken for {planned_name}: "
            f"{count:,} of {total:,} devices that have it are joined so"
        )
    return sorted(notes)


def _list_name_votes(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> tuple[Ints, Ints, Ints]:
    """Return the votes of links for the planned names of unknown interfaces, int32 columns: (text of the interface, a
    code of `list_end_texts`; its device; the planned port that it is if the link is as planned).

    A link votes if its far port is known, and the plan joins that port with the device that has the interface.
    """
    ends, end_texts = number_ends(sightings, identities), list_end_texts(sightings, identities)
    votes = []
    for port, device, far_port, text in (
        (ends.near, ends.near_device, ends.far, end_texts.near),
        (ends.far, ends.far_device, ends.near, np.where(end_texts.far > 0, end_texts.far, end_texts.described)),
    ):
        # text 0 is "", no name
        rows = np.flatnonzero((port == UNKNOWN) & (device >= 0) & (far_port >= 0) & (text > 0))
        # the ports of planned link n are 2n and 2n + 1: this is the other one of the link at the far port
        planned = far_port[rows] ^ 1
        agrees = cabling.device[planned] == device[rows]
        votes.append((far_port[rows][agrees], text[rows][agrees], device[rows][agrees], planned[agrees]))
    far_port, text, device, planned = (np.concatenate(column) for column in zip(*votes, strict=True))
    # a link that both ends tell about is one vote
    first_rows = unique_combinations(far_port, text)[0]
    return text[first_rows], device[first_rows], planned[first_rows]


# Boxes that tell which device they are: by host name, management address, MAC or GUID, or the file of the dump.


def read_identities(
    cabling: PlannedCabling, boxes: Sequence[Box], addresses: Iterable[KnownAddress], ports: PortNumbers
) -> Identities:
    """Identify the boxes that tell their device. The ports of known addresses are added to `ports.by_address`."""
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
    # if the GUID is that of a port of another device than the name says, the name counts
    wrong = (port >= 0) & (cabling.device[port] != device)
    port[wrong] = -1
    hardware = np.array([chassis.get(box.chassis, -1) if box.chassis else -1 for box in boxes], dtype=np.int32)
    return Identities(device, how, port, hardware, adapter, tuple(adapters), ports)


def _identify_otherwise(box: Box, names: DeviceNames, chassis: dict[str, int]) -> tuple[int, How]:
    # (device, how it is known) of a box whose name tells nothing; -1 for none
    if box.address and (device := names.find_by_address(box.address)) >= 0:
        return device, How.ADDRESS
    if box.chassis and (device := chassis.get(box.chassis, -1)) >= 0:
        return device, How.CHASSIS
    if box.file and (device := names.find_by_file(box.file)) >= 0:
        return device, How.FILE
    return -1, How.UNKNOWN


def _index_addresses(cabling: PlannedCabling, addresses: Iterable[KnownAddress], ports: PortNumbers) -> dict[str, int]:
    """Return the device (row) of each known address, and add ports of known addresses to `ports.by_address`."""
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
