"""Optics as a part of a verification: reports brought to the devices that neighbours were brought to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.actions import Diagnosis
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.identity.identities import Identities
from fabricgen.verify.identity.known import KnownAddress
from fabricgen.verify.identity.stated import stated
from fabricgen.verify.optics.judge import optic_actions
from fabricgen.verify.optics.report import PortReport
from fabricgen.verify.sightings import Sightings


def with_optics(
    plan: PlannedCabling,
    diagnosis: Diagnosis,
    reports: Sequence[PortReport],
    devices: dict[Box, int],
    identities: Identities,
    catalogue: Catalog,
) -> tuple[Diagnosis, frozenset[str]]:
    """(the diagnosis with what is wrong of modules and ports; cables of which dumps tell these)."""
    judged = optic_actions(
        plan,
        catalogue,
        reports,
        lambda box: devices.get(box, -1),
        identities.ports.find,
        diagnosis.states,
    )
    actions = (*diagnosis.actions, *judged.actions)
    return replace(diagnosis, actions=actions, notes=(*diagnosis.notes, *judged.notes)), judged.looked_at


def devices_of(
    plan: PlannedCabling,
    reports: Iterable[PortReport],
    sightings: Sightings,
    identities: Identities,
    known: Iterable[KnownAddress],
) -> dict[Box, int]:
    """The device of each box of reports, -1 for none: as it was found by its neighbours, else as it tells itself."""
    found = dict(zip(sightings.boxes, identities.device.tolist(), strict=True))
    others = [box for box in dict.fromkeys(report.box for report in reports) if found.get(box, -1) < 0]
    if others:
        found |= dict(zip(others, stated(plan, others, known, identities.ports).device.tolist(), strict=True))
    return found
