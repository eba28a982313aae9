"""The steps of a verification, from dumps to what a person has to do, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.consequences.costs import add_consequences
from fabricgen.verify.diagnosis.diagnosing import diagnose
from fabricgen.verify.identity.identify import add_hardware, check_hall, identify_boxes
from fabricgen.verify.identity.names import Identities
from fabricgen.verify.mac_proofs import prove_plugs
from fabricgen.verify.optics.verifying import add_optics, find_devices
from fabricgen.verify.planned import PlannedCluster
from fabricgen.verify.reading import AllRead, read_all
from fabricgen.verify.report import Report, VerifyRequest, make_report
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import Sightings, list_few


class Verified(NamedTuple):
    """What a verification found, what dumps said, and which device each box in them is."""

    report: Report
    sightings: Sightings
    identities: Identities


def verify(planned: PlannedCluster, dumps: Sequence[str], request: VerifyRequest, jobs: int = 0) -> Verified:
    """Judge the hall by its dumps.

    `jobs` is a number of processes, 0 for as many as there are processors. Raises InputError for dumps that cannot be
    read or are of no device of the plan (FG065), and for a requested place that is not in the plan (FG066).
    """
    plan, cluster = planned.cabling, planned.cluster
    catalogue = cluster.design.catalog if cluster else Catalog()
    read = read_all(dumps, jobs, optics=request.optics)
    sightings, not_compared = prove_plugs(plan, read.tables, read.sightings, planned.addresses, catalogue)
    identities = identify_boxes(plan, sightings, planned.addresses, catalogue)
    boxes = [*(report.box for report in read.reports), *(table.box for table in read.tables)]
    devices = find_devices(plan, boxes, sightings, identities, planned.addresses)
    check_hall(plan, devices, dumps)
    seen_ports, notes = resolve_sightings(plan, sightings, identities, catalogue)
    diagnosis = add_consequences(plan, diagnose(plan, seen_ports), cluster, seen_ports)
    diagnosis = add_hardware(plan, diagnosis, sightings, identities)
    looked_at = frozenset[str]()
    if request.optics:
        diagnosis, looked_at = add_optics(plan, diagnosis, read.reports, devices, identities, catalogue)
    all_notes = (*_note_ignored_files(read), *not_compared, *identities.notes, *notes, *diagnosis.notes)
    report = make_report(planned, replace(diagnosis, notes=all_notes), request, looked_at)
    return Verified(report, sightings, identities)


def _note_ignored_files(read: AllRead) -> tuple[str, ...]:
    # sentences about files that were read and not used
    notes = []
    if read.ignored:
        notes.append(f"no dumps that are known: {list_few(read.ignored)}")
    if read.optics_files and not read.reports:
        notes.append(f"{read.optics_files:,} dumps tell of modules and ports: --optics judges these")
    return tuple(notes)
