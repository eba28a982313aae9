"""From boxes to devices: what they tell, then what their cables prove, then what most of their cables say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.identity.identities import How, Identities
from fabricgen.verify.identity.known import KnownAddress
from fabricgen.verify.identity.renamed import infer_names
from fabricgen.verify.identity.shared_names import separated
from fabricgen.verify.identity.stated import stated
from fabricgen.verify.identity.votes import Inferred, infer
from fabricgen.verify.notes import box_text, capped
from fabricgen.verify.ports.numbers import PortNumbers
from fabricgen.verify.sightings import Sightings


def identities_of(
    cabling: PlannedCabling,
    sightings: Sightings,
    known: Iterable[KnownAddress] = (),
    catalog: Catalog | None = None,
) -> Identities:
    """Which device of the plan each box is. `known` are MACs and GUIDs known before; `catalog` that of the blueprint.

    Boxes that name themselves are what they say. Others are inferred from the planned ends of their cables, which is
    said in the notes; what cannot be matched is listed there.
    """
    identities = stated(cabling, sightings.boxes, known, PortNumbers(cabling, catalog or Catalog()))
    renamed = infer_names(cabling, sightings, identities)
    identities, copies = separated(cabling, sightings, identities)
    identities, inferred = infer(cabling, sightings, identities)
    if inferred:
        renamed = sorted({*renamed, *infer_names(cabling, sightings, identities)})
    # What the plan does not have comes first: a stranger is to be looked at, what was inferred is for the record.
    notes = (
        *_of_unmatched(sightings, identities),
        *_of_copies(cabling, sightings, copies),
        *_of_inferred(cabling, sightings, inferred),
        *capped(renamed, "names of ports that were inferred"),
    )
    return replace(identities, notes=notes)


def _of_copies(cabling: PlannedCabling, sightings: Sightings, copies: list[Inferred]) -> tuple[str, ...]:
    notes = [
        f"{box_text(sightings.boxes[each.boxes[0]])} has the name of another box, and is inferred to be "
        f"{cabling.device_names[each.device]}: {each.votes:,} of {each.ports:,} ports"
        for each in copies
    ]
    return capped(notes, "boxes with the name of another")


def _of_inferred(cabling: PlannedCabling, sightings: Sightings, inferred: list[Inferred]) -> tuple[str, ...]:
    several = sorted((each for each in inferred if each.ports > 1), key=lambda each: each.votes == each.ports)
    weak = [each for each in inferred if each.ports == 1]
    notes = [
        f"{box_text(sightings.boxes[each.boxes[0]])} is inferred to be {cabling.device_names[each.device]}: "
        f"{each.votes:,} of {each.ports:,} ports"
        for each in several
    ]
    found = capped(notes, "boxes that were inferred by most of their ports")
    if not weak:
        return found
    shown = ", ".join(
        f"{box_text(sightings.boxes[each.boxes[0]])} for {cabling.device_names[each.device]}" for each in weak[:3]
    )
    more = f" and {len(weak) - 3:,} more" if len(weak) > 3 else ""
    return (*found, f"taken for what is planned there, by a single port each, which is weak: {shown}{more}")


def _of_unmatched(sightings: Sightings, identities: Identities) -> tuple[str, ...]:
    owners = set(sightings.agents)
    unknown = np.flatnonzero(identities.how == How.UNKNOWN).tolist()
    dumps = [
        f"the dump of {box_text(sightings.boxes[box])} cannot be matched with a device" + _by_file(sightings.boxes[box])
        for box in unknown
        if box in owners
    ]
    others = sorted(
        {f"{box_text(sightings.boxes[box])} cannot be matched with a device" for box in unknown if box not in owners}
    )
    return (*capped(dumps, "dumps that cannot be matched"), *capped(others, "neighbours that cannot be matched"))


def _by_file(box: Box) -> str:
    """What helps where a dump does not say whose it is."""
    return "" if box.name or box.chassis or box.address else ": name the file after the device that it is of"
