"""Places in the hall, by device and port, as ends of the cables that a cluster has there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.as_built.matching import Matcher
from fabricgen.cable_overrides.cage_resolver import CagePosition
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Span, did_you_mean, fault
from fabricgen.verify.actions import Action, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling, cabling_of
from fabricgen.wiring.arrays import Ints64


class Place(NamedTuple):
    """A port of a device, as links.csv calls it."""

    device: str
    port: str


class LinkEnd(NamedTuple):
    """An end of a link: the row of the link, and whether it is its upper end."""

    row: int
    upper: bool


class Places:
    """Finds what a cluster has at places: its links as they are now, with the overrides so far."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.matcher = cluster, Matcher(cluster)

    @cached_property
    def device_rows(self) -> dict[str, int]:
        """The row of every device, by name."""
        return {name: row for row, name in enumerate(self.cluster.names)}

    @cached_property
    def _by_device(self) -> tuple[tuple[Ints64, Ints64], ...]:
        """For the lower and the upper ends: (rows of links sorted by device, where those of each device begin)."""
        links, count = self.cluster.plan.links, len(self.cluster.names)
        found = []
        for device in (links.a_device, links.b_device):
            order = np.argsort(device, kind="stable")
            found.append((order, np.searchsorted(device[order], np.arange(count + 1))))
        return tuple(found)

    def planned_at(self, device: str, port: str) -> LinkEnd | None:
        """The link end that the plan has at a place; None for a spare port."""
        number = self.device_rows.get(device)
        if number is None:
            return None
        for upper, (order, start) in enumerate(self._by_device):
            for row in order[start[number] : start[number + 1]].tolist():
                if self.cluster.port_names.ports[upper][row] == port and self.cluster.plan.links.cable[row] >= 0:
                    return LinkEnd(row, bool(upper))
        return None

    def place_of(self, end: LinkEnd) -> Place:
        """Where the plan has a link end now."""
        links = self.cluster.plan.links
        device = int((links.b_device if end.upper else links.a_device)[end.row])
        return Place(self.cluster.names[device], str(self.cluster.port_names.ports[end.upper][end.row]))

    def cable_of(self, end: LinkEnd) -> str:
        """The id of the cable of a link end."""
        return self.cluster.cable_ids[int(self.cluster.plan.links.cable[end.row])]

    def end_of(self, end: LinkEnd) -> CableEnd:
        """The end of the cable that carries a link, by its original plan."""
        cable = int(self.cluster.plan.links.cable[end.row])
        return next(each for each in self.matcher.cables.ends(cable, upper=end.upper) if end.row in each.rows)

    @cached_property
    def _plugs(self) -> tuple[PlannedCabling, list[int]]:
        """The planned cabling, and the row of each of its links."""
        return cabling_of(self.cluster), np.flatnonzero(self.cluster.plan.links.cable >= 0).tolist()

    def rows_of_plug(self, end: LinkEnd) -> list[int]:
        """The rows of the links that run through the plug at the end of one of them, in their order."""
        cabling, rows = self._plugs
        number = bisect_left(rows, end.row)
        return [rows[port >> 1] for port in cabling.ports_of_plug(int(cabling.plug[2 * number + end.upper]))]

    def is_one_plug(self, end: LinkEnd) -> bool:
        """Whether the end of the cable that carries a link is one plug: a redline moves the whole end."""
        return set(self.end_of(end).rows) <= set(self.rows_of_plug(end))

    def spot(self, place: Place, end: CableEnd) -> CagePosition:
        """The position that a place is for an end of a cable; raises InputError (FG077, FG080, FG082) for none."""
        return self.matcher.spot(f"{place.device}:{place.port}", end)


# Refusals of what cannot be accepted, located at the id that asks for it.

CANNOT = "FG076"


def refused(asked: str, message: str, hint: str = "") -> InputError:
    """The error (FG076) of an id of `--accept`."""
    return fault(CANNOT, message, hint=hint, span=Span(f"--accept {asked}", 1, 1))


# Which actions and harmless cables are accepted, by the ids that a person states.

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
