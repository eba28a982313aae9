"""The hall wins: actions that are accepted become redlines of cables, and names of boxes, in an overlay.

A redline says where the end of a planned cable really is; a box that stands in the place of another keeps its name, and
the place takes it. The blueprint that includes the overlay then verifies as planned with the same dumps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.as_built.claims import Subject
from fabricgen.as_built.stated import (
    CABLE_OF,
    NAMES,
    OverrideFields,
    StatedOverrides,
    merged_overrides,
    overlay_text,
    put_value,
    read_stated,
    stated_value,
    with_overrides,
)
from fabricgen.cable_overrides.cage_resolver import CagePosition
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.cable_overrides.other_device import Relocation, address_faults
from fabricgen.cluster import build_cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.numbering.names import list_usual_names, read_adopted_names
from fabricgen.verify.accept.places import CANNOT, Chosen, LinkEnd, Place, Places, chosen, refused
from fabricgen.verify.actions import Action

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.model import Design
    from fabricgen.verify.actions import Diagnosis


OVERLAY = "as-built.yaml"


def accepted(
    cluster: Cluster, diagnosis: Diagnosis, ids: Sequence[str], overlay: str | None = None, name: str = OVERLAY
) -> bytes:
    """The overlay (YAML) that accepts some actions and harmless cables, by id, or `all` that can be accepted.

    It has what `overlay`, a file that may not exist, states already; without one, all that the blueprint states of
    cables and names. `name` is what the overlay says of itself.

    Raises InputError (FG076) for ids that there are not, for what cannot be accepted, and where the blueprint states
    something else, which wins.
    """
    whole = cluster.phase.whole if cluster.phase else cluster
    stated = read_stated(whole.design.loaded, overlay)
    places = Places(whole)
    picked = chosen(places, diagnosis, ids)
    ends = accepted_ends(places, picked)
    names = accepted_names(places, picked, stated)
    redlines = Redlines(places, stated)
    redlines.add(ends)
    mine = names.renamed(redlines.mine, stated.others)
    asked_by = {renamed_text(places.cable_of(each.link), names.new): each.asked for each in ends}
    design = with_overrides(whole.design, merged_overrides(mine, stated.others), names.devices)
    _check_cluster(design, asked_by, ids)
    return overlay_text(mine, name, names.own).encode()


def _check_cluster(design: Design, asked_by: Mapping[str, str], ids: Sequence[str]) -> None:
    """Build the cluster with what is accepted; raises InputError (FG076) at the ids for which that cannot be.

    `asked_by` has the id by which each cable is accepted, by cable id.
    """
    try:
        build_cluster(design)
    except InputError as error:
        faults = [_of_id(found, asked_by, ids) for found in error.diagnostics]
        raise InputError(dict.fromkeys(faults)) from error


def _of_id(found: Diagnostic, asked_by: Mapping[str, str], ids: Sequence[str]) -> Diagnostic:
    """A fault of the cluster as accepted, at the id that asked for it, or at all of them."""
    cable = str(found.path[1]) if found.path[:1] == (CABLE_OF,) and len(found.path) > 1 else ""
    asked = asked_by.get(cable, "")
    what = f"{asked} cannot be accepted" if asked else "this cannot be accepted together"
    return refused(asked or ",".join(ids), f"{what}: {found.message}", "move the plugs as it says").diagnostics[0]


# Boxes that stand in each other's places: the places take their names.


@dataclass(frozen=True, slots=True)
class Names:
    """Names of single devices, by the name that they would have: `own` of the overlay, `devices` of the blueprint.

    `new` has the new name of each device that takes another one, by its present name.
    """

    places: Places
    own: Mapping[str, str]
    devices: Mapping[str, str]
    new: Mapping[str, str]

    def renamed(
        self, mine: Mapping[str, OverrideFields], others: Mapping[str, OverrideFields]
    ) -> dict[str, OverrideFields]:
        """Overrides of cables by the new names of devices.

        Raises InputError (FG076) where the blueprint states some of a device that is renamed, which stay as they are.
        """
        if not self.new:
            return dict(mine)
        faults: list[Diagnostic] = []
        for cable, own in others.items():
            if self._override(own) != own or renamed_text(cable, self.new) != cable:
                faults += self._stated_elsewhere(cable)
        if faults:
            raise InputError(faults)
        return {renamed_text(cable, self.new): self._override(own) for cable, own in mine.items()}

    def _override(self, own: OverrideFields) -> OverrideFields:
        return {
            field: {renamed_text(end, self.new): self._cage(cage) for end, cage in value.items()}
            if field.endswith("_cage")
            else value
            for field, value in own.items()
        }

    def _cage(self, cage: str) -> str:
        return renamed_text(cage, self.new) if ":" in cage else cage

    def _stated_elsewhere(self, cable: str) -> tuple[Diagnostic, ...]:
        loaded = self.places.cluster.design.loaded
        listed = " and ".join(sorted(self.new))
        message = f"{listed} would take other names, and '{cable}' is stated here by the old ones"
        hint = "move this line to the overlay, or swap the boxes"
        return fault(CANNOT, message, span=loaded.source.span((CABLE_OF, cable)), hint=hint).diagnostics


def accepted_names(places: Places, picked: Chosen, stated: StatedOverrides) -> Names:
    """The names that accepted exchanges give; raises InputError (FG076) for those that cannot be."""
    cluster, new = places.cluster, dict[str, str]()
    for action in picked.actions:
        if action.renamed:
            _check_alike(places, action)
            new |= _closed(action.renamed)
    own, devices = dict(stated.names), dict(cluster.design.loaded.blueprint.names.devices)
    usual = list_usual_names(cluster.design, cluster.plan.devices) if new else []
    adopted = bool(new) and bool(read_adopted_names(cluster.design))
    faults: list[Diagnostic] = []
    for place, name in new.items():
        key = usual[places.device_rows[place]]
        if key in devices and key not in stated.names:
            faults += _named_elsewhere(places, key, name)
        for names in (own, devices):
            names[key] = name
            if name == key and not adopted:
                del names[key]
    if faults:
        raise InputError(faults)
    return Names(places, own, devices, {place: name for place, name in new.items() if place != name})


def _closed(renamed: Mapping[str, str]) -> dict[str, str]:
    """The new name of each place; a place whose box went to one that nobody left takes the name that is left over."""
    found = {place: box for box, place in renamed.items()}
    for box, place in renamed.items():
        if box not in found:
            end = place
            while end in renamed:
                end = renamed[end]
            found[box] = end
    return found


def _check_alike(places: Places, action: Action) -> None:
    """Raise InputError (FG076) for boxes of different models: names alone cannot tell that."""
    devices, rows = places.cluster.plan.devices, places.device_rows
    for box, place in action.renamed.items():
        models = [devices.classes[devices.device_class[rows[name]]].profile.id for name in (box, place)]
        if models[0] != models[1]:
            message = f"{action.id} cannot be accepted: {box} is a {models[0]}, and a {models[1]} is planned at {place}"
            raise refused(action.id, message, "swap the boxes, or change the plan")


def _named_elsewhere(places: Places, key: str, name: str) -> tuple[Diagnostic, ...]:
    loaded = places.cluster.design.loaded
    message = f"the blueprint names {key} here, which wins; the box that stands there is {name}"
    span = loaded.source.span((NAMES, "devices", key))
    return fault(CANNOT, message, span=span, hint="correct it here, or delete it here and accept again").diagnostics


# Cable ends that are accepted where they are, and the redlines that say so.


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
