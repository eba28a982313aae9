"""What MACs and GUIDs say of boxes that are taken for exchanged: the boxes themselves are, or their names alone."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.verify.actions import Action, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.identity.identities import How, Identities
from fabricgen.verify.notes import capped
from fabricgen.verify.sightings import Sightings

RENAME = "rename each, or provision it again"


def with_hardware(
    cabling: PlannedCabling, diagnosis: Diagnosis, sightings: Sightings, identities: Identities
) -> Diagnosis:
    """The diagnosis with exchanges that the hardware confirms, or says to be of names alone; and with the devices whose
    own dump has their name, and a note on each box whose hardware is another's.
    """
    names = cabling.device_names
    own = [box for box in sightings.agents if identities.how[box] == How.NAME]
    named = frozenset(names[device] for device in identities.device[own].tolist())
    hardware = {
        names[device]: names[is_really]
        for device, is_really in zip(identities.device.tolist(), identities.hardware.tolist(), strict=True)
        if device >= 0 and is_really >= 0
    }
    told = {name for action in diagnosis.actions for name in action.renamed}
    notes = [
        f"the box that calls itself {name} has the MAC or GUID of {other}: {RENAME}"
        for name, other in sorted(hardware.items())
        if name != other and name not in told
    ]
    actions = tuple(_judged(action, hardware) if action.renamed else action for action in diagnosis.actions)
    notes = [*diagnosis.notes, *capped(notes, "boxes with the hardware of others")]
    return replace(diagnosis, actions=actions, notes=tuple(notes), named=named)


def _judged(action: Action, hardware: dict[str, str]) -> Action:
    known = {name: hardware.get(name, "") for name in action.renamed}
    if all(is_really == name for name, is_really in known.items()):
        others = tuple(other for other in action.alternatives if other.kind is not Kind.EXCHANGE)
        text = f"{action.text} Their MACs or GUIDs say so, too."
        return replace(action, text=text, alternatives=others, by_hardware=True)
    if all(is_really == action.renamed[name] for name, is_really in known.items()):
        boxes = " and ".join(sorted(known))
        text = (
            f"the names of {boxes} are exchanged: by their MACs or GUIDs these boxes stand where they should: {RENAME}."
        )
        return replace(action, text=text, boxes=0, alternatives=())
    return action
