"""Import of redlined sheets into an overlay: read, match, merge with stated overrides, and build as a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.as_built.claims import Claim, Claims, Outdated, Status, Subject, gather_claims
from fabricgen.as_built.faults import CODE, Faults
from fabricgen.as_built.matching import Matcher
from fabricgen.as_built.stated import (
    CABLE_OF,
    FIELDS,
    OverrideFields,
    StatedOverrides,
    apply_overrides,
    find_stated_value,
    format_overlay,
    merge_overrides,
    put_value,
    read_overrides,
)
from fabricgen.blueprint.sections.cable_overrides import MOST_CABLES
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, make_printable
from fabricgen.kernel.units import format_number


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

    def count_cables(self, status: Status) -> int:
        """Return the number of listed cables with a status."""
        return sum(cable_status is status for cable_status in self.status.values())


def import_sheets(design: Design, sheets: Sequence[str], overlay: str | None, name: str) -> AsBuiltImport:
    """Return what the claims of redlined sheets change in an overlay: its new text, the changes, and the status of the
    work.

    `overlay` is the file to change, which need not exist yet; with None the new text has all overrides of the
    blueprint. `name` is what the text calls itself. Raises InputError with every fault in the sheets (FG084), each at
    its cell, and where the cables as built conflict. Nothing is written.
    """
    overrides = read_overrides(design.loaded, overlay)
    cluster = build_cluster(apply_overrides(design, overrides.merge_fields()))
    matcher, faults = Matcher(cluster), Faults()
    claims = gather_claims(sheets, matcher, faults)
    overlay_overrides, changes = _merge_claims(overrides, claims, matcher, design, faults)
    faults.check()
    if len(overlay_overrides) > MOST_CABLES:
        faults.add(
            f"{len(overlay_overrides):,} cables differ from the plan; {MOST_CABLES:,} are the most", changes[0].span
        )
        faults.check()
    after = cluster
    if changes:
        after = _build_checked(
            apply_overrides(design, merge_overrides(overlay_overrides, overrides.others)), claims, matcher
        )
    ids = matcher.cables.ids
    return AsBuiltImport(
        overlay=format_overlay(overlay_overrides, name, overrides.names),
        included=overrides.included,
        changes=tuple(changes),
        total=len(ids),
        status={ids[cable]: claims.status_of(cable) for cable in claims.status},
        faulty=tuple((ids[cable], *claims.faulty[cable]) for cable in sorted(claims.faulty)),
        # lines that somebody wrote in come first (False sorts before True)
        outdated=tuple(sorted(claims.outdated, key=lambda line: not line.redlined)),
        before=cluster,
        after=after,
    )


def _merge_claims(
    overrides: StatedOverrides, claims: Claims, matcher: Matcher, design: Design, faults: Faults
) -> tuple[dict[str, OverrideFields], list[Changed]]:
    """Return (new overrides of the overlay by cable id, changes): claims replace stated fields, and fields as planned
    are removed. A claim against an override that the blueprint states elsewhere is added to `faults`.
    """
    overlay_overrides = {cable: dict(override) for cable, override in overrides.mine.items()}
    changes: list[Changed] = []
    for subject, claim in sorted(claims.claims.items(), key=_make_order_key):
        cable = matcher.cables.ids[subject.cable]
        elsewhere = overrides.others.get(cable, {}).get(subject.field)
        old = find_stated_value(
            elsewhere if elsewhere is not None else overlay_overrides.get(cable, {}).get(subject.field),
            subject,
            matcher,
        )
        if old == claim.value:
            continue
        if elsewhere is not None:
            stated_at = design.loaded.source.span((CABLE_OF, cable, subject.field))
            faults.add(
                f"{subject.field} of {cable} is '{claim.text}' here; the blueprint states it at {stated_at}, "
                "which wins",
                claim.span,
                "correct it there, or delete it there and import again",
            )
            continue
        put_value(overlay_overrides.setdefault(cable, {}), subject, claim.value, matcher)
        if not overlay_overrides[cable]:
            del overlay_overrides[cable]
        changes.append(Changed(cable, subject.field, subject.key, old, claim.value, claim.span))
    return overlay_overrides, changes


def _make_order_key(subject_and_claim: tuple[Subject, Claim]) -> tuple[int, int, str]:
    subject, _ = subject_and_claim
    return subject.cable, FIELDS.index(subject.field), subject.key


def _build_checked(design: Design, claims: Claims, matcher: Matcher) -> Cluster:
    """Return the cluster of a design; raises InputError with diagnostics at the cells of the sheet that caused them."""
    spans: dict[tuple[str | int, ...], Span] = {}
    for subject, claim in claims.claims.items():
        path = (CABLE_OF, matcher.cables.ids[subject.cable], subject.field, *((subject.key,) if subject.key else ()))
        spans[path] = claim.span
    try:
        return build_cluster(design)
    except InputError as error:
        raise InputError(_locate_fault(d, spans) for d in error.diagnostics) from error


def _locate_fault(diagnostic: Diagnostic, spans: Mapping[tuple[str | int, ...], Span]) -> Diagnostic:
    # a fault of the build at the cell of the sheet that caused it, where there is one
    span = spans.get(diagnostic.path)
    return (
        Diagnostic(CODE, Severity.ERROR, diagnostic.message, diagnostic.path, diagnostic.hint, span)
        if span
        else diagnostic
    )


# The report of an import, as text and as JSON.

MOST_LINES = 40
"""The most changes, and the most faulty cables, that the text lists."""


def format_report(result: AsBuiltImport) -> str:
    """Return the changes and the status of the work, as text."""
    cables = len({change.cable for change in result.changes})
    lines = [f"new changes to {_count_cables(cables)}" if cables else "no new changes"]
    lines += [f"  {_describe_change(change)}" for change in result.changes[:MOST_LINES]]
    if len(result.changes) > MOST_LINES:
        lines.append(f"  and {len(result.changes) - MOST_LINES} more")
    counts = ", ".join(
        f"{result.count_cables(status)} {status.word}" for status in (Status.DONE, Status.OPEN, Status.FAULTY)
    )
    lines.append(f"{_count_cables(len(result.status))} listed of {result.total}: {counts}")
    lines += [f"  faulty: {cable}{f' ({remark})' if remark else ''}" for cable, remark, _ in result.faulty[:MOST_LINES]]
    lines += _list_outdated(result.outdated)
    return "\n".join(make_printable(line) for line in lines)


def _list_outdated(rows: Sequence[Outdated]) -> Iterator[str]:
    """Yield the lines of text on rows of an older plan, those with redlines first; none if there are no such rows."""
    if not rows:
        return
    redlined = sum(row.redlined for row in rows)
    yield f"{len(rows)} row{'' if len(rows) == 1 else 's'} of an older plan not taken, {redlined} with redlines"
    for row in rows[:MOST_LINES]:
        written = ", ".join(f"{column} {text}" for column, text in row.written.items())
        yield f"  {row.span}: {row.cable or 'no cable'}{f' ({written})' if written else ''}: {row.became}"
    if len(rows) > MOST_LINES:
        yield f"  and {len(rows) - MOST_LINES} more"


def _count_cables(number_of: int) -> str:
    return f"{number_of} cable{'' if number_of == 1 else 's'}"


def _describe_change(change: Changed) -> str:
    end = f" at {change.end}" if change.end else ""
    return f"{change.cable}{end}: {change.field} {_format_value(change.old)} -> {_format_value(change.new)}"


def _format_value(value: Any) -> str:
    return "as planned" if value is None else format_number(value) if isinstance(value, float) else f"'{value}'"


def make_json(result: AsBuiltImport) -> dict[str, Any]:
    """Return the documented JSON form: counts, changes and faulty cables, each with the position of its cell."""
    return {
        "cables": {
            "total": result.total,
            "listed": len(result.status),
            **{status.word: result.count_cables(status) for status in (Status.DONE, Status.OPEN, Status.FAULTY)},
        },
        "changes": [
            {"cable": c.cable, "field": c.field, "end": c.end, "old": c.old, "new": c.new, "at": str(c.span)}
            for c in result.changes
        ],
        "faulty": [{"cable": cable, "remark": remark, "at": str(span)} for cable, remark, span in result.faulty],
        "outdated": [
            {"cable": row.cable, "written": dict(row.written), "became": row.became, "at": str(row.span)}
            for row in result.outdated
        ],
    }
