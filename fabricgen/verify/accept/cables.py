"""Cable ends that are accepted where they are, and the redlines that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fabricgen.as_built.claims import Subject
from fabricgen.as_built.merging import put_value, stated_value
from fabricgen.as_built.stated import CABLE_OF, OverrideFields, StatedOverrides
from fabricgen.cable_overrides.cage_resolver import CagePosition
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.cable_overrides.other_device import Relocation, address_faults
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.verify.accept.chosen import Chosen
from fabricgen.verify.accept.faults import CANNOT, refused
from fabricgen.verify.accept.places import LinkEnd, Place, Places
from fabricgen.verify.actions import Action


@dataclass(frozen=True, slots=True)
class Accepted:
    """A cable end that is where it is: the id that accepts it, a link of it, the end as planned, and the place."""

    asked: str
    link: LinkEnd
    end: CableEnd
    place: Place
    spot: CagePosition


def accepted_ends(places: Places, picked: Chosen) -> list[Accepted]:
    """All cable ends that are to be where they are; raises InputError (FG076) for those that cannot be there.

    Where a plug is in the place of a cable that nobody has seen, that cable takes the place which is left free.
    """
    found: dict[tuple[int, bool], Accepted] = {}
    faults: list[Diagnostic] = []
    for action in picked.actions:
        try:
            for each in _of_action(places, action, picked.joined):
                found[each.end.rows[0], each.end.upper] = each
        except InputError as error:
            faults += error.diagnostics
    for cable, joined in picked.harmless.items():
        for lower, upper in joined:
            each = _harmless(places, cable, lower, upper)
            found.setdefault((each.end.rows[0], each.end.upper), each)
    if faults:
        raise InputError(faults)
    ends = list(found.values())
    return [*ends, *_displaced(places, ends)]


def _accepted(places: Places, asked: str, link: LinkEnd, place: Place) -> Accepted:
    end = places.end_of(link)
    try:
        return Accepted(asked, link, end, place, places.spot(place, end))
    except InputError as error:
        first = error.diagnostics[0]
        message = f"{asked} cannot be accepted with a plug in {place.device}:{place.port}: {first.message}"
        raise refused(asked, message, first.hint) from error


def _harmless(places: Places, cable: str, lower: Place, upper: Place) -> Accepted:
    """The end that says that a lower place is joined to an upper one: that of fewer links, as common plugs stay."""
    here, there = places.planned_at(*lower), places.planned_at(*upper)
    assert here is not None and there is not None  # noqa: S101, PT018 - harmless links join planned places
    ends = LinkEnd(here.row, upper=True), LinkEnd(there.row, upper=False)
    if len(places.end_of(ends[0]).rows) > len(places.end_of(ends[1]).rows):
        return _accepted(places, cable, ends[1], lower)
    return _accepted(places, cable, ends[0], upper)


def _of_action(places: Places, action: Action, joined: Mapping[Place, Place]) -> list[Accepted]:
    """The cable ends of an action, at the side where its plugs would be moved; or at the other, where they must be."""
    ends = []
    for step in action.steps:
        link = places.planned_at(step.put.device, step.put.port)
        if step.cable and link is not None:
            link = _behind(places, link, joined)
            ends.append(_accepted(places, action.id, link, Place(step.pull.device, step.pull.port)))
    unreachable = [fault.message for fault in _address_faults(places, ends)]
    unreachable += [_shared_end(places, each) for each in ends if not places.is_one_plug(each.link)]
    if not unreachable:
        return ends
    turned = _turned(places, action.id, ends)
    if turned is None or _address_faults(places, turned) or not all(places.is_one_plug(each.link) for each in turned):
        raise refused(action.id, f"{action.id} cannot be accepted: {unreachable[0]}", "move the plugs as it says")
    return turned


def _shared_end(places: Places, each: Accepted) -> str:
    cable = places.cable_of(each.link)
    return (
        f"one jumper of {cable} would be in {each.place.device}:{each.place.port}, and an overlay moves all of an end"
    )


def _behind(places: Places, link: LinkEnd, joined: Mapping[Place, Place]) -> LinkEnd:
    """The link that a plug is of: a plug may belong where it has to go, and yet be of a link swapped with that one.

    Then what is planned at its other end is joined, harmlessly, to the place of the link that it is of.
    """
    for _ in range(len(joined)):
        far = joined.get(places.place_of(LinkEnd(link.row, not link.upper)))
        other = places.planned_at(*far) if far else None
        if other is None or other.upper != link.upper:
            break
        link = other
    return link


def _address_faults(places: Places, ends: Iterable[Accepted]) -> list[Diagnostic]:
    """Faults of hosts whose leaf would be another one than that which announces them."""
    cluster = places.cluster
    moved = [
        Relocation(row, each.end.upper, each.end.device, each.spot.device, (each.asked, each.end.rows[0]))
        for each in ends
        for row in each.end.rows
        if each.spot.device != each.end.device
    ]
    return address_faults(cluster.planned.plan, cluster.names, cluster.addresses.families, moved)


def _turned(places: Places, asked: str, ends: list[Accepted]) -> list[Accepted] | None:
    """The same cabling with the other ends of the cables moved; None where that cannot say it.

    A link that is seen from x to the place of another cable, whose other end is planned at y, is that cable with its
    other end at x.
    """
    rows = {row for each in ends for row in places.rows_of_plug(each.link)}
    found: dict[tuple[int, bool], Accepted] = {}
    for each in ends:
        there = places.planned_at(*each.place)
        if there is None or there.upper != each.end.upper or there.row not in rows:
            return None
        for row, other in zip(places.rows_of_plug(each.link), places.rows_of_plug(there), strict=False):
            stays = places.place_of(LinkEnd(row, not each.end.upper))
            turned = _accepted(places, asked, LinkEnd(other, not each.end.upper), stays)
            found.setdefault((turned.end.rows[0], turned.end.upper), turned)
    return [each for each in found.values() if places.place_of(each.link) != each.place]


def _displaced(places: Places, ends: list[Accepted]) -> list[Accepted]:
    """Ends of cables whose planned places are taken by others, in the places that these leave free."""
    mine = {(each.end.rows[0], each.end.upper) for each in ends}
    leads = {(each.place, each.end.upper): places.place_of(each.link) for each in ends}
    found = []
    for each in ends:
        there = places.planned_at(*each.place)
        if there is None or there.upper != each.end.upper:
            continue
        end = places.end_of(there)
        if (end.rows[0], end.upper) in mine:
            continue
        free, met = each.place, set[Place]()
        while (free, each.end.upper) in leads and free not in met:
            met.add(free)
            free = leads[free, each.end.upper]
        found.append(_accepted(places, each.asked, there, free))
    return found


class Redlines:
    """The overrides of an overlay, to which redlines are added."""

    def __init__(self, places: Places, stated: StatedOverrides) -> None:
        self._places, self._others = places, stated.others
        self.mine: dict[str, OverrideFields] = {cable: dict(own) for cable, own in stated.mine.items()}

    def add(self, ends: Iterable[Accepted]) -> None:
        """State where ends are; raises InputError (FG076) where the blueprint states something else, which wins."""
        faults: list[Diagnostic] = []
        for each in ends:
            faults += self._add(each)
        if faults:
            raise InputError(faults)

    def _add(self, each: Accepted) -> tuple[Diagnostic, ...]:
        matcher, end = self._places.matcher, each.end
        cable = int(self._places.cluster.plan.links.cable[each.link.row])
        name = matcher.cables.ids[cable]
        subject = Subject(cable, f"{end.word}_cage", matcher.key(end, cable))
        value = None if each.spot == matcher.planned(end) else matcher.label(each.spot, end)
        elsewhere: Any = self._others.get(name, {}).get(subject.field)
        if elsewhere is not None:
            if stated_value(elsewhere, subject, matcher) == value:
                return ()
            return self._stated_elsewhere(each, name, subject)
        own = self.mine.setdefault(name, {})
        put_value(own, subject, value, matcher)
        if not own:
            del self.mine[name]
        return ()

    def _stated_elsewhere(self, each: Accepted, name: str, subject: Subject) -> tuple[Diagnostic, ...]:
        loaded = self._places.cluster.design.loaded
        message = f"{each.asked} has the {each.end.word} end of {name} in {each.place.device}:{each.place.port}; "
        message += f"the blueprint states `{subject.field}` of it here, which wins"
        span = loaded.source.span((CABLE_OF, name, subject.field))
        hint = "correct it here, or delete it here and accept again"
        return fault(CANNOT, message, span=span, hint=hint).diagnostics


def renamed_text(text: str, names: Mapping[str, str]) -> str:
    """DEVICE or DEVICE:CAGE with the device by its new name."""
    device, colon, cage = text.partition(":")
    return f"{names.get(device, device)}{colon}{cage}"
