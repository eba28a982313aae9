"""Host names that two boxes have, as when a configuration was copied: one of them is another device.

Hosts may have several chassis with one name, one for each NIC. So a box loses its name only where most of its ports say
that it is a device that no other box is, while another box of that name stands where that name is planned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.identity.identities import How, Identities
from fabricgen.verify.identity.votes import Inferred, infer
from fabricgen.verify.sightings import Sightings


def separated(
    cabling: PlannedCabling, sightings: Sightings, identities: Identities
) -> tuple[Identities, list[Inferred]]:
    """Identities in which copied names are not believed; what is believed instead."""
    shared = _shared(sightings, identities)
    if not shared:
        return identities, []
    boxes = [box for own in shared.values() for box in own]
    device = identities.device.copy()
    device[boxes] = -1
    _, found = infer(cabling, sightings, replace(identities, device=device))
    claimed = set(identities.device.tolist())
    at_home = {each.device for each in found if set(each.boxes) <= set(shared.get(each.device, ()))}
    device, how, copies = identities.device.copy(), identities.how.copy(), []
    for each in found:
        own = {int(identities.device[box]) for box in each.boxes} & set(shared)
        if each.votes > 1 and each.device not in claimed and own <= at_home and own:
            device[list(each.boxes)], how[list(each.boxes)] = each.device, How.INFERRED
            copies.append(each)
    return replace(identities, device=device, how=how), copies


def _shared(sightings: Sightings, identities: Identities) -> dict[int, list[int]]:
    """Boxes by the device whose name they have, where they have several MACs."""
    found: dict[int, list[int]] = {}
    for box in np.flatnonzero(identities.how == How.NAME).tolist():
        if ":" in sightings.boxes[box].chassis:
            found.setdefault(int(identities.device[box]), []).append(box)
    return {
        device: boxes for device, boxes in found.items() if len({sightings.boxes[box].chassis for box in boxes}) > 1
    }
