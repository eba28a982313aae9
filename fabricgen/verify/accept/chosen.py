"""Which actions and harmless cables are accepted, by the ids that a person states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.kernel.diagnostics import Diagnostic, InputError, did_you_mean
from fabricgen.verify.accept.places import Place, Places, refused
from fabricgen.verify.actions import Action, Diagnosis, Kind

ALL = "all"

INSTEAD = {
    Kind.SPLITTER: "trunks are exchanged, and an overlay states only where cables end: move the trunks as it says",
    Kind.DARK: "nothing is plugged where the hall could win: plug it in, or replace the cable or the port",
    Kind.OPTIC: "put the right module in; another part or medium that shall stay is stated with `part` or `medium`",
    Kind.PORT: "look at the port, or dump the device at its other end as well, and verify again",
}
"""What to do about what cannot be accepted."""


@dataclass(frozen=True)
class Chosen:
    """Actions and harmless cables (id, joined places) that are accepted.

    `joined` has all that harmless links join, accepted or not, in both directions.
    """

    actions: tuple[Action, ...]
    harmless: Mapping[str, tuple[tuple[Place, Place], ...]]
    joined: Mapping[Place, Place]


def chosen(places: Places, diagnosis: Diagnosis, ids: Sequence[str]) -> Chosen:
    """What some ids mean: of actions, of cables that are harmless, or `all` that can be accepted.

    Raises InputError with all that are unknown or cannot be accepted (FG076).
    """
    actions = {action.id: action for action in diagnosis.actions}
    harmless = _harmless(places, diagnosis)
    if ALL in ids:
        every = tuple(action for action in diagnosis.actions if _can(action) and not keeps_names(diagnosis, action))
        moved = _exchanged(every)
        mine = {cable: joined for cable, joined in harmless.items() if not _touches(joined, moved)}
        return Chosen(every, mine, _both_ways(diagnosis))
    faults: list[Diagnostic] = []
    for asked in ids:
        if asked in harmless or (asked in actions and _can(actions[asked])):
            continue
        error = _not_acceptable(asked, actions[asked]) if asked in actions else _unknown(asked, diagnosis, harmless)
        faults += error.diagnostics
    if faults:
        raise InputError(faults)
    picked = tuple(action for action in diagnosis.actions if action.id in ids)
    moved = _exchanged(picked)
    mine = {cable: joined for cable, joined in harmless.items() if cable in ids}
    for cable, joined in mine.items():
        if _touches(joined, moved):
            hint = "accept the exchange alone, and verify again"
            raise refused(
                cable, f"{cable} ends on a box that is accepted as exchanged, and may be elsewhere then", hint
            )
    return Chosen(picked, mine, _both_ways(diagnosis))


def _both_ways(diagnosis: Diagnosis) -> dict[Place, Place]:
    """What harmless links join, in both directions."""
    return {one: other for joined in _pairs(diagnosis.harmless) for one, other in (joined, joined[::-1])}


def _exchanged(actions: Iterable[Action]) -> frozenset[str]:
    """The boxes that are exchanged."""
    return frozenset(box for action in actions for box in action.renamed)


def _touches(joined: Iterable[tuple[Place, Place]], boxes: frozenset[str]) -> bool:
    """Whether some links end on one of some boxes."""
    return any(place.device in boxes for pair in joined for place in pair)


def keeps_names(diagnosis: Diagnosis, action: Action) -> bool:
    """Whether `all` leaves an exchange out: its boxes tell their planned names, and no MAC or GUID says otherwise."""
    return not action.by_hardware and not diagnosis.named.isdisjoint({*action.renamed, *action.renamed.values()})


def _can(action: Action) -> bool:
    return bool(action.renamed) or any(step.cable for step in action.steps)


def _not_acceptable(asked: str, action: Action) -> InputError:
    hint = INSTEAD.get(action.kind, "its plugs are of no cable of the plan: pull them")
    return refused(asked, f"{asked} cannot be accepted: {action.text}", hint)


def _unknown(asked: str, diagnosis: Diagnosis, harmless: Mapping[str, object]) -> InputError:
    """The error of an id that is of no action, and of no harmless cable."""
    of = next((action.id for action in diagnosis.actions if asked in action.cables), "")
    if of:
        return refused(asked, f"{asked} is not where it is planned because of {of}", f"accept {of}")
    known = [*(action.id for action in diagnosis.actions), *harmless, ALL]
    return refused(asked, f"nothing of this verification is called '{asked}'", did_you_mean(asked, known))


def _harmless(places: Places, diagnosis: Diagnosis) -> dict[str, tuple[tuple[Place, Place], ...]]:
    """(Place of the lower end, place of the upper end it is joined to) of the links of harmless cables, by cable id."""
    found: dict[str, list[tuple[Place, Place]]] = {}
    for joined in _pairs(diagnosis.harmless):
        spots = [places.planned_at(*place) for place in joined]
        if None in spots:
            continue
        for spot, (place, other) in zip(spots, (joined, joined[::-1]), strict=True):
            if spot is not None and not spot.upper:
                found.setdefault(places.cable_of(spot), []).append((place, other))
    return {cable: tuple(joined) for cable, joined in found.items()}


def _pairs(texts: Sequence[str]) -> Iterator[tuple[Place, Place]]:
    """The two places of each link that is written `A:p - B:q`."""
    for text in texts:
        one, _, other = text.partition(" - ")
        yield _place(one), _place(other)


def _place(text: str) -> Place:
    device, _, port = text.partition(":")
    return Place(device, port)
