"""Import of redlined sheets into an overlay: read, match, merge with stated overrides, and build as a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.as_built.claims import Claim, Claims, Outdated, Status, Subject, gather
from fabricgen.as_built.faults import CODE, Faults
from fabricgen.as_built.matching import Matcher
from fabricgen.as_built.merging import put_value, stated_value, with_overrides
from fabricgen.as_built.stated import (
    CABLE_OF,
    FIELDS,
    OverrideFields,
    StatedOverrides,
    merged_overrides,
    overlay_text,
    read_stated,
)
from fabricgen.blueprint.sections.cable_overrides import MOST_CABLES
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span


@dataclass(frozen=True, slots=True)
class Changed:
    """One changed field of an override; `old` or `new` is None where nothing is stated."""

    cable: str
    field: str
    end: str
    """The planned DEVICE:CAGE of one of several ends; "" for the only one."""
    old: Any
    new: Any
    span: Span


@dataclass(frozen=True, slots=True)
class AsBuiltImport:
    """The result of an import: the new overlay, its changes, and the status of the work."""

    overlay: str
    included: bool
    """Whether the blueprint includes the overlay already."""
    changes: tuple[Changed, ...]
    total: int
    """Cables of the cluster."""
    status: Mapping[str, Status]
    """The status of each listed cable, by id."""
    faulty: tuple[tuple[str, str, Span], ...]
    """(cable, remark, position of the cell) of each cable that is reported as faulty."""
    outdated: tuple[Outdated, ...]
    """Lines of an older plan, which were not taken; those with redlines first."""
    before: Cluster
    after: Cluster
    """The cluster with the overrides before and after the import."""

    def count(self, status: Status) -> int:
        """The number of listed cables with a status."""
        return sum(found is status for found in self.status.values())


def import_sheets(design: Design, sheets: Sequence[str], overlay: str | None, name: str) -> AsBuiltImport:
    """Import sheets into an overlay file, which may exist, called `name`; without `overlay`, into all overrides.

    Raises InputError with every fault in the sheets (FG084), each at its cell, and where the cables as built conflict.
    Nothing is written.
    """
    stated = read_stated(design.loaded, overlay)
    cluster = build_cluster(with_overrides(design, stated.effective()))
    matcher, faults = Matcher(cluster), Faults()
    claims = gather(sheets, matcher, faults)
    mine, changes = _merged(stated, claims, matcher, design, faults)
    faults.check()
    if len(mine) > MOST_CABLES:
        faults.add(f"{len(mine):,} cables differ from the plan; {MOST_CABLES:,} are the most", changes[0].span)
        faults.check()
    after = cluster
    if changes:
        after = _try(with_overrides(design, merged_overrides(mine, stated.others)), claims, matcher)
    ids = matcher.cables.ids
    return AsBuiltImport(
        overlay=overlay_text(mine, name, stated.names),
        included=stated.included,
        changes=tuple(changes),
        total=len(ids),
        status={ids[cable]: claims.status_of(cable) for cable in claims.status},
        faulty=tuple((ids[cable], *claims.faulty[cable]) for cable in sorted(claims.faulty)),
        outdated=tuple(sorted(claims.outdated, key=lambda line: not line.redlined)),
        before=cluster,
        after=after,
    )


def _merged(
    stated: StatedOverrides, claims: Claims, matcher: Matcher, design: Design, faults: Faults
) -> tuple[dict[str, OverrideFields], list[Changed]]:
    """(new overrides of the overlay, changes): claims replace stated fields, and fields as planned are removed."""
    mine = {cable: dict(own) for cable, own in stated.mine.items()}
    changes: list[Changed] = []
    for subject, claim in sorted(claims.claims.items(), key=_order):
        cable = matcher.cables.ids[subject.cable]
        elsewhere = stated.others.get(cable, {}).get(subject.field)
        old = stated_value(
            elsewhere if elsewhere is not None else mine.get(cable, {}).get(subject.field), subject, matcher
        )
        if old == claim.value:
            continue
        if elsewhere is not None:
            place = design.loaded.source.span((CABLE_OF, cable, subject.field))
            faults.add(
                f"{subject.field} of {cable} is '{claim.text}' here; the blueprint states it at {place}, which wins",
                claim.span,
                "correct it there, or delete it there and import again",
            )
            continue
        put_value(mine.setdefault(cable, {}), subject, claim.value, matcher)
        if not mine[cable]:
            del mine[cable]
        changes.append(Changed(cable, subject.field, subject.key, old, claim.value, claim.span))
    return mine, changes


def _order(item: tuple[Subject, Claim]) -> tuple[int, int, str]:
    subject, _ = item
    return subject.cable, FIELDS.index(subject.field), subject.key


def _try(design: Design, claims: Claims, matcher: Matcher) -> Cluster:
    """Build the cluster; raises InputError with each diagnostic at the cell of the sheet that caused it."""
    spans: dict[tuple[str | int, ...], Span] = {}
    for subject, claim in claims.claims.items():
        path = (CABLE_OF, matcher.cables.ids[subject.cable], subject.field, *((subject.key,) if subject.key else ()))
        spans[path] = claim.span
    try:
        return build_cluster(design)
    except InputError as error:
        raise InputError(_placed(d, spans) for d in error.diagnostics) from error


def _placed(found: Diagnostic, spans: Mapping[tuple[str | int, ...], Span]) -> Diagnostic:
    span = spans.get(found.path)
    return Diagnostic(CODE, Severity.ERROR, found.message, found.path, found.hint, span) if span else found
