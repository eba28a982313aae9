"""The way from dumps to what a person has to do, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.consequences.costs import with_consequences
from fabricgen.verify.diagnosis.diagnosing import diagnose
from fabricgen.verify.identity.identify import check_hall, identities_of, with_hardware
from fabricgen.verify.identity.names import Identities
from fabricgen.verify.optics.verifying import devices_of, with_optics
from fabricgen.verify.planned import Planned
from fabricgen.verify.reading import AllRead, read_all
from fabricgen.verify.report import Asked, Report, report_on
from fabricgen.verify.resolve import seen_of
from fabricgen.verify.sightings import Sightings


class Verified(NamedTuple):
    """What a verification found, and what dumps said of which device."""

    report: Report
    sightings: Sightings
    identities: Identities


def verify(planned: Planned, dumps: Sequence[str], asked: Asked, jobs: int = 0) -> Verified:
    """Judge the hall by its dumps; raises InputError for what cannot be read (FG065) or is not planned (FG066)."""
    plan, cluster = planned.cabling, planned.cluster
    catalogue = cluster.design.catalog if cluster else Catalog()
    read = read_all(dumps, jobs, optics=asked.optics)
    sightings = read.sightings
    identities = identities_of(plan, sightings, planned.addresses, catalogue)
    devices = devices_of(plan, read.reports, sightings, identities, planned.addresses)
    check_hall(plan, devices, dumps)
    seen, notes = seen_of(plan, sightings, identities, catalogue)
    diagnosis = with_consequences(plan, diagnose(plan, seen), cluster, seen)
    diagnosis = with_hardware(plan, diagnosis, sightings, identities)
    looked_at = frozenset[str]()
    if asked.optics:
        diagnosis, looked_at = with_optics(plan, diagnosis, read.reports, devices, identities, catalogue)
    told = (*_of_ignored(read), *identities.notes, *notes, *diagnosis.notes)
    report = report_on(planned, replace(diagnosis, notes=told), asked, looked_at)
    return Verified(report, sightings, identities)


def _of_ignored(read: AllRead) -> tuple[str, ...]:
    notes = []
    if read.ignored:
        more = f" and {len(read.ignored) - 3:,} more" if len(read.ignored) > 3 else ""
        notes.append(f"no dumps that are known: {', '.join(read.ignored[:3])}{more}")
    if read.optics_files and not read.reports:
        notes.append(f"{read.optics_files:,} dumps tell of modules and ports: --optics judges these")
    return tuple(notes)
