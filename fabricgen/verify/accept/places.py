"""Places in the hall, by device and port, and the ends of the cables that a cluster has there."""

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
from fabricgen.verify.cabling import PlannedCabling, make_cabling
from fabricgen.wiring.arrays import Ints64


class NamedPort(NamedTuple):
    """A device and a port of it, with the names of links.csv."""

    device: str
    port: str


class NumberedEnd(NamedTuple):
    """An end of a link: the row of the link among the cluster's links, and whether it is its upper (b) end."""

    row: int
    upper: bool


class PortFinder:
    """Finds the links and cable ends that a cluster has at places, with the overrides that it has so far."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.matcher = cluster, Matcher(cluster)

    @cached_property
    def device_rows(self) -> dict[str, int]:
        """The row of every device, by name."""
        return {name: row for row, name in enumerate(self.cluster.names)}

    @cached_property
    def _by_device(self) -> tuple[tuple[Ints64, Ints64], ...]:
        """For the lower and for the upper ends: (rows of links sorted by the device at that end, the index at which
        those of each device begin, by device row).
        """
        links, count = self.cluster.plan.links, len(self.cluster.names)
        tables = []
        for device in (links.a_device, links.b_device):
            order = np.argsort(device, kind="stable")
            tables.append((order, np.searchsorted(device[order], np.arange(count + 1))))
        return tuple(tables)

    def planned_at(self, device: str, port: str) -> NumberedEnd | None:
        """Return the link end that the plan has at a place; None for a spare port."""
        number = self.device_rows.get(device)
        if number is None:
            return None
        for upper, (order, start) in enumerate(self._by_device):
            for row in order[start[number] : start[number + 1]].tolist():
                if self.cluster.port_names.ports[upper][row] == port and self.cluster.plan.links.cable[row] >= 0:
                    return NumberedEnd(row, bool(upper))
        return None

    def find_place(self, end: NumberedEnd) -> NamedPort:
        """Return the place that the plan has for a link end."""
        links = self.cluster.plan.links
        device = int((links.b_device if end.upper else links.a_device)[end.row])
        return NamedPort(self.cluster.names[device], str(self.cluster.port_names.ports[end.upper][end.row]))

    def find_cable(self, end: NumberedEnd) -> str:
        """Return the id of the cable of a link end."""
        return self.cluster.cable_ids[int(self.cluster.plan.links.cable[end.row])]

    def find_cable_end(self, end: NumberedEnd) -> CableEnd:
        """Return the cable end that carries a link end, as first planned."""
        cable = int(self.cluster.plan.links.cable[end.row])
        return next(
            cable_end
            for cable_end in self.matcher.cables.list_ends(cable, upper=end.upper)
            if end.row in cable_end.rows
        )

    @cached_property
    def _plugs(self) -> tuple[PlannedCabling, list[int]]:
        """The planned cabling, and the row of each of its links."""
        return make_cabling(self.cluster), np.flatnonzero(self.cluster.plan.links.cable >= 0).tolist()

    def rows_of_plug(self, end: NumberedEnd) -> list[int]:
        """Return the rows of all links that run through the plug at a link end, in order."""
        cabling, rows = self._plugs
        number = bisect_left(rows, end.row)
        # ports of the cabling are numbered by links that have a cable, two each, with the upper end as the odd one
        return [rows[port >> 1] for port in cabling.list_plug_ports(int(cabling.plug[2 * number + end.upper]))]

    def is_one_plug(self, end: NumberedEnd) -> bool:
        """Whether the cable end that carries a link end is a single plug: a redline moves a whole cable end."""
        return set(self.find_cable_end(end).rows) <= set(self.rows_of_plug(end))

    def find_position(self, place: NamedPort, end: CableEnd) -> CagePosition:
        """Return the cage position of a place, as overrides of a cable end state it.

        Raises InputError (FG077, FG080, FG082) if the cable end cannot be in that place.
        """
        return self.matcher.find_position(f"{place.device}:{place.port}", end)


# Refusals of what cannot be accepted, located at the id that asks for it.

CANNOT = "FG076"


def make_refusal(accepted_id: str, message: str, hint: str = "") -> InputError:
    """Make the error (FG076) located at an id of `--accept`."""
    return fault(CANNOT, message, hint=hint, span=Span(f"--accept {accepted_id}", 1, 1))


# Which actions and harmless cables are accepted, by the ids that a person states.

ALL = "all"

INSTEAD = {
    # only trunks are refused: the steps of a breakout have planned cables
    Kind.SPLITTER: "trunks are exchanged, and an overlay states only where cables end: move the trunks as it says",
    Kind.DARK: "nothing is plugged where the hall could win: plug it in, or replace the cable or the port",
    Kind.OPTIC: "put the right module in; another part or medium that shall stay is stated with `part` or `medium`",
    Kind.PORT: "look at the port, or dump the device at its other end as well, and verify again",
}
"""What to do instead, by kind of an action that cannot be accepted."""


@dataclass(frozen=True)
class Chosen:
    """What is accepted: actions, and harmless cables by id, with the two places that each of their links joins.

    `joined` has the places that harmless links join, accepted or not, in both directions.
    """

    actions: tuple[Action, ...]
    harmless: Mapping[str, tuple[tuple[NamedPort, NamedPort], ...]]
    joined: Mapping[NamedPort, NamedPort]


def choose_actions(places: PortFinder, diagnosis: Diagnosis, ids: Sequence[str]) -> Chosen:
    """Choose the actions and harmless cables that some ids name; `all` names all that can be accepted.

    Raises InputError (FG076) with all ids that are unknown or cannot be accepted.
    """
    actions = {action.id: action for action in diagnosis.actions}
    harmless = _list_harmless(places, diagnosis)
    if ALL in ids:
        acceptable = tuple(
            action for action in diagnosis.actions if _is_acceptable(action) and not keeps_names(diagnosis, action)
        )
        moved = _list_exchanged_boxes(acceptable)
        chosen_harmless = {cable: joined for cable, joined in harmless.items() if not _touches_boxes(joined, moved)}
        return Chosen(acceptable, chosen_harmless, _join_both_ways(diagnosis))
    faults: list[Diagnostic] = []
    for accepted_id in ids:
        if accepted_id in harmless or (accepted_id in actions and _is_acceptable(actions[accepted_id])):
            continue
        error = (
            _refuse_action(accepted_id, actions[accepted_id])
            if accepted_id in actions
            else _refuse_unknown(accepted_id, diagnosis, harmless)
        )
        faults += error.diagnostics
    if faults:
        raise InputError(faults)
    picked = tuple(action for action in diagnosis.actions if action.id in ids)
    moved = _list_exchanged_boxes(picked)
    chosen_harmless = {cable: joined for cable, joined in harmless.items() if cable in ids}
    for cable, joined in chosen_harmless.items():
        if _touches_boxes(joined, moved):
            hint = "accept the exchange alone, and verify again"
            raise make_refusal(
                cable, f"{cable} ends on a box that is accepted as exchanged, and may be elsewhere then", hint
            )
    return Chosen(picked, chosen_harmless, _join_both_ways(diagnosis))


def _join_both_ways(diagnosis: Diagnosis) -> dict[NamedPort, NamedPort]:
    """Return the places that harmless links join, in both directions."""
    return {
        place_a: place_b for joined in _read_pairs(diagnosis.harmless) for place_a, place_b in (joined, joined[::-1])
    }


def _list_exchanged_boxes(actions: Iterable[Action]) -> frozenset[str]:
    """Return the names of all boxes that actions exchange, as the boxes themselves tell them."""
    return frozenset(box for action in actions for box in action.renamed)


def _touches_boxes(joined: Iterable[tuple[NamedPort, NamedPort]], boxes: frozenset[str]) -> bool:
    """Whether a link ends on one of these boxes."""
    return any(place.device in boxes for pair in joined for place in pair)


def keeps_names(diagnosis: Diagnosis, action: Action) -> bool:
    """Whether `all` leaves an exchange out: a box in it tells its planned name, and no MAC or GUID says otherwise."""
    return not action.by_hardware and not diagnosis.named.isdisjoint({*action.renamed, *action.renamed.values()})


def _is_acceptable(action: Action) -> bool:
    """Whether an action exchanges boxes, or moves a plug of a planned cable."""
    return bool(action.renamed) or any(step.cable for step in action.steps)


def _refuse_action(accepted_id: str, action: Action) -> InputError:
    hint = INSTEAD.get(action.kind, "its plugs are of no cable of the plan: pull them")
    return make_refusal(accepted_id, f"{accepted_id} cannot be accepted: {action.text}", hint)


def _refuse_unknown(accepted_id: str, diagnosis: Diagnosis, harmless: Mapping[str, object]) -> InputError:
    """Make the error for an id that names no action and no harmless cable."""
    action_id = next((action.id for action in diagnosis.actions if accepted_id in action.cables), "")
    if action_id:
        return make_refusal(
            accepted_id, f"{accepted_id} is not where it is planned because of {action_id}", f"accept {action_id}"
        )
    known_ids = [*(action.id for action in diagnosis.actions), *harmless, ALL]
    return make_refusal(
        accepted_id, f"nothing of this verification is called '{accepted_id}'", did_you_mean(accepted_id, known_ids)
    )


def _list_harmless(places: PortFinder, diagnosis: Diagnosis) -> dict[str, tuple[tuple[NamedPort, NamedPort], ...]]:
    """Return, by cable id, (place of the lower end, place it is joined to) of the links of harmless cables."""
    by_cable: dict[str, list[tuple[NamedPort, NamedPort]]] = {}
    for joined_places in _read_pairs(diagnosis.harmless):
        planned_ends = [places.planned_at(*lower_place) for lower_place in joined_places]
        if None in planned_ends:
            continue
        # a pair is listed at its lower end
        for link_end, (lower_place, far_place) in zip(planned_ends, (joined_places, joined_places[::-1]), strict=True):
            if link_end is not None and not link_end.upper:
                by_cable.setdefault(places.find_cable(link_end), []).append((lower_place, far_place))
    return {cable: tuple(joined_places) for cable, joined_places in by_cable.items()}


def _read_pairs(texts: Sequence[str]) -> Iterator[tuple[NamedPort, NamedPort]]:
    """Yield the two places of each link that is written `A:p - B:q`."""
    for text in texts:
        near_text, _, far_text = text.partition(" - ")
        yield _read_place(near_text), _read_place(far_text)


def _read_place(text: str) -> NamedPort:
    device, _, port = text.partition(":")
    return NamedPort(device, port)
