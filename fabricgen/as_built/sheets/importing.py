"""Redlined sheets into an overlay of the blueprint: read, matched, merged with what is stated, and tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fabricgen.as_built.sheets.claims import Claim, Claims, Subject, gather
from fabricgen.as_built.sheets.faults import CODE, Faults
from fabricgen.as_built.sheets.matching import Matcher
from fabricgen.as_built.sheets.redlines import Status
from fabricgen.as_built.sheets.stated import CABLE_OF, FIELDS, Own, Stated, overlay_text, read_stated, together
from fabricgen.blueprint.sections.cable_overrides import MOST_CABLES, CableOverride
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span


@dataclass(frozen=True, slots=True)
class Changed:
    """One field of an override that is other than before; None where nothing is stated."""

    cable: str
    field: str
    end: str
    """The planned DEVICE:CAGE of one of several ends; "" for the only one."""
    old: Any
    new: Any
    span: Span


@dataclass(frozen=True, slots=True)
class AsBuiltImport:
    """What sheets say: the overlay that holds it, what it changes, and how far the work is."""

    overlay: str
    included: bool
    """Whether the blueprint takes the overlay already."""
    changes: tuple[Changed, ...]
    total: int
    """Cables of the cluster."""
    status: Mapping[str, Status]
    """By cable, of those that are listed."""
    faulty: tuple[tuple[str, str, Span], ...]
    """(cable, remark, place) of those that are called faulty."""

    def count(self, status: Status) -> int:
        """How many of the listed cables are so far."""
        return sum(found is status for found in self.status.values())


def import_sheets(design: Design, sheets: Sequence[str], overlay: str | None, name: str) -> AsBuiltImport:
    """Take sheets into an overlay (a file that may be there already; None for all that is stated), called `name`.

    Raises InputError with every fault in the sheets (FG084), each at its cell, and where cables as built would have no
    room. Nothing is written.
    """
    stated = read_stated(design.loaded, overlay)
    cluster = build_cluster(_with(design, stated.effective()))
    matcher, faults = Matcher(cluster), Faults()
    claims = gather(sheets, matcher, faults)
    mine, changes = _merged(stated, claims, matcher, design, faults)
    faults.check()
    if len(mine) > MOST_CABLES:
        faults.add(f"{len(mine):,} cables differ from the plan; {MOST_CABLES:,} are the most", changes[0].span)
        faults.check()
    if changes:
        _try(_with(design, together(mine, stated.others)), claims, matcher)
    ids = matcher.cables.ids
    return AsBuiltImport(
        overlay=overlay_text(mine, name),
        included=stated.included,
        changes=tuple(changes),
        total=len(ids),
        status={ids[cable]: claims.status_of(cable) for cable in claims.status},
        faulty=tuple((ids[cable], *claims.faulty[cable]) for cable in sorted(claims.faulty)),
    )


def _with(design: Design, stated: Mapping[str, Own]) -> Design:
    """The design with other overrides of cables, which its size does not depend on."""
    cable_of = {cable: CableOverride.model_validate(own) for cable, own in stated.items()}
    blueprint = design.loaded.blueprint.model_copy(update={CABLE_OF: cable_of})
    return replace(design, loaded=replace(design.loaded, blueprint=blueprint))


def _merged(
    stated: Stated, claims: Claims, matcher: Matcher, design: Design, faults: Faults
) -> tuple[dict[str, Own], list[Changed]]:
    """(what the overlay is to hold, what of it is new): claims over what it holds, fields as planned left out."""
    mine = {cable: dict(own) for cable, own in stated.mine.items()}
    changes: list[Changed] = []
    for subject, claim in sorted(claims.claims.items(), key=_order):
        cable = matcher.cables.ids[subject.cable]
        elsewhere = stated.others.get(cable, {}).get(subject.field)
        old = _of(elsewhere if elsewhere is not None else mine.get(cable, {}).get(subject.field), subject, matcher)
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
        _put(mine.setdefault(cable, {}), subject, claim.value, matcher)
        if not mine[cable]:
            del mine[cable]
        changes.append(Changed(cable, subject.field, subject.key, old, claim.value, claim.span))
    return mine, changes


def _order(item: tuple[Subject, Claim]) -> tuple[int, int, str]:
    subject, _ = item
    return subject.cable, FIELDS.index(subject.field), subject.key


def _of(value: Any, subject: Subject, matcher: Matcher) -> Any:
    """The part of a field that a claim is about, written as claims write it."""
    if not subject.field.endswith("_cage") or value is None:
        return value
    return dict(_cages(value, subject, matcher)).get(subject.key)


def _cages(value: Mapping[str, str], subject: Subject, matcher: Matcher) -> Iterator[tuple[str, str]]:
    """(key, cage) of ends that are stated, spelled as claims are; those that are as planned are left out."""
    upper = subject.field == "b_cage"
    for end in matcher.cables.ends(subject.cable, upper=upper):
        key = matcher.key(end, subject.cable)
        texts = (value.get(word) for word in ("", key, end.place, f"{end.place}.{end.connector + 1}", end.name))
        text = next((text for text in texts if text is not None), None)
        spot = matcher.spot(text, end) if text is not None else None
        if spot is not None and spot != matcher.planned(end):
            yield key, matcher.label(spot, end)


def _put(own: Own, subject: Subject, value: Any, matcher: Matcher) -> None:
    """Change a field, or take it away where it is as planned."""
    if subject.field.endswith("_cage"):
        cages = dict(_cages(own.get(subject.field, {}), subject, matcher))
        cages.pop(subject.key, None)
        value = {**cages, subject.key: value} if value is not None else cages
    if value is None or value == {}:
        own.pop(subject.field, None)
    else:
        own[subject.field] = value


def _try(design: Design, claims: Claims, matcher: Matcher) -> Cluster:
    """Build it; raises InputError with what is wrong at the cells of the sheets that asked for it."""
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
