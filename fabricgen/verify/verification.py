"""The way from dumps to what a person has to do, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fabricgen.verify.consequences import with_consequences
from fabricgen.verify.diagnosis.diagnosing import diagnose
from fabricgen.verify.identity.identify import identities_of
from fabricgen.verify.planned import Planned
from fabricgen.verify.reading import read_dumps
from fabricgen.verify.report import Asked, Report, report_on
from fabricgen.verify.resolve import seen_of


def verify(planned: Planned, dumps: Sequence[str], asked: Asked, jobs: int = 0) -> Report:
    """Judge the hall by its dumps; raises InputError for what cannot be read (FG065) or is not planned (FG066)."""
    plan, cluster = planned.cabling, planned.cluster
    sightings, ignored, _ = read_dumps(dumps, jobs)
    identities = identities_of(plan, sightings, planned.addresses, cluster.design.catalog if cluster else None)
    seen, notes = seen_of(plan, sightings, identities)
    diagnosis = with_consequences(plan, diagnose(plan, seen), cluster, seen)
    told = (*_of_ignored(ignored), *identities.notes, *notes, *diagnosis.notes)
    return report_on(planned, replace(diagnosis, notes=told), asked)


def _of_ignored(files: Sequence[str]) -> tuple[str, ...]:
    if not files:
        return ()
    more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
    return (f"no dumps that are known: {', '.join(files[:3])}{more}",)
