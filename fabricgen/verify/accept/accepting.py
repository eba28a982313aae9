"""Accept the hall as it is: accepted actions become redlines of cables, and names of devices, in an overlay.

A redline says where the end of a planned cable really is. A box that stands in the place of another keeps its name, and
the planned device takes that name. A blueprint that includes the overlay then verifies as planned with the same dumps.
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
    apply_overrides,
    find_stated_value,
    format_overlay,
    merge_overrides,
    put_value,
    read_overrides,
)
from fabricgen.cable_overrides.cage_resolver import CagePosition
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.cable_overrides.other_device import Relocation, find_address_faults
from fabricgen.cluster import build_cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.numbering.names import list_usual_names, read_adopted_names
from fabricgen.verify.accept.places import (
    CANNOT,
    Chosen,
    NamedPort,
    NumberedEnd,
    PortFinder,
    choose_actions,
    make_refusal,
)
from fabricgen.verify.actions import Action

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.model import Design
    from fabricgen.verify.actions import Diagnosis


OVERLAY = "as-built.yaml"


def make_overlay(
    cluster: Cluster, diagnosis: Diagnosis, ids: Sequence[str], overlay: str | None = None, name: str = OVERLAY
) -> bytes:
    """Return the overlay, YAML in UTF-8, that accepts actions and harmless cables of a diagnosis; no file is written.

    The arguments are those of `accept_actions`; `name` is the file name that the overlay gives in its header.
    """
    overrides, names = accept_actions(cluster, diagnosis, ids, overlay)
    return format_overlay(overrides, name, names).encode()


def accept_actions(
    cluster: Cluster, diagnosis: Diagnosis, ids: Sequence[str], overlay: str | None = None
) -> tuple[dict[str, OverrideFields], Mapping[str, str]]:
    """Return (overrides by cable, names of devices) that accept actions and harmless cables of a diagnosis.

    `ids` are theirs, or `all` for all that can be accepted. What the file `overlay` (which need not exist) states
    already is repeated, or without one all that the blueprint states about cables and names.

    Raises InputError (FG076) for unknown ids, for actions that cannot be accepted, and where the blueprint states
    something else, which wins over an overlay.
    """
    whole_cluster = cluster.phase.whole if cluster.phase else cluster
    overrides = read_overrides(whole_cluster.design.loaded, overlay)
    port_finder = PortFinder(whole_cluster)
    picked = choose_actions(port_finder, diagnosis, ids)
    accepted_ends = list_accepted_ends(port_finder, picked)
    names = list_accepted_names(port_finder, picked, overrides)
    redlines = Redlines(port_finder, overrides)
    redlines.state_ends(accepted_ends)
    overlay_overrides = names.rename_cables(redlines.overrides, overrides.others)
    ids_by_cable = {
        rename_device(port_finder.find_cable(accepted_end.link), names.new): accepted_end.accepted_id
        for accepted_end in accepted_ends
    }
    design = apply_overrides(whole_cluster.design, merge_overrides(overlay_overrides, overrides.others), names.devices)
    # refuse what cannot be built
    _check_cluster(design, ids_by_cable, ids)
    return overlay_overrides, names.overlay_names


def _check_cluster(design: Design, ids_by_cable: Mapping[str, str], ids: Sequence[str]) -> None:
    """Build the cluster as accepted; raises InputError (FG076), at the ids concerned, if that is not possible.

    `ids_by_cable` has, by cable id, the id that accepts the cable.
    """
    try:
        build_cluster(design)
    except InputError as error:
        faults = [_locate_at_id(diagnostic, ids_by_cable, ids) for diagnostic in error.diagnostics]
        # several cables that one id accepts may have the same fault
        raise InputError(dict.fromkeys(faults)) from error


def _locate_at_id(diagnostic: Diagnostic, ids_by_cable: Mapping[str, str], ids: Sequence[str]) -> Diagnostic:
    """Return a fault of the cluster as accepted, located at the id that caused it, or at all ids if that is unknown."""
    cable = str(diagnostic.path[1]) if diagnostic.path[:1] == (CABLE_OF,) and len(diagnostic.path) > 1 else ""
    accepted_id = ids_by_cable.get(cable, "")
    subject = f"{accepted_id} cannot be accepted" if accepted_id else "this cannot be accepted together"
    return make_refusal(
        accepted_id or ",".join(ids), f"{subject}: {diagnostic.message}", "move the plugs as it says"
    ).diagnostics[0]


# Boxes that stand in each other's places: the places take their names.


@dataclass(frozen=True, slots=True)
class AcceptedNames:
    """Names given to single devices: by the overlay (`overlay_names`), and by blueprint and overlay (`devices`).

    Both are keyed by the name that the device would have if none were given to it. `new` maps the present name of each
    device that is renamed to its new name.
    """

    places: PortFinder
    overlay_names: Mapping[str, str]
    devices: Mapping[str, str]
    new: Mapping[str, str]

    def rename_cables(
        self, overlay_overrides: Mapping[str, OverrideFields], blueprint_overrides: Mapping[str, OverrideFields]
    ) -> dict[str, OverrideFields]:
        """Return the overrides of cables in the overlay with the new names of devices.

        Raises InputError (FG076) if the blueprint itself has an override with a device that is renamed, since it cannot
        be changed here.
        """
        if not self.new:
            return dict(overlay_overrides)
        faults: list[Diagnostic] = []
        for cable, override in blueprint_overrides.items():
            if self._rename_override(override) != override or rename_device(cable, self.new) != cable:
                faults += self._refuse_stated(cable)
        if faults:
            raise InputError(faults)
        return {
            rename_device(cable, self.new): self._rename_override(override)
            for cable, override in overlay_overrides.items()
        }

    def _rename_override(self, override: OverrideFields) -> OverrideFields:
        # an override with the new names of devices; only its `*_cage` fields contain names
        return {
            field: {rename_device(end, self.new): self._rename_cage(cage) for end, cage in value.items()}
            if field.endswith("_cage")
            else value
            for field, value in override.items()
        }

    def _rename_cage(self, cage: str) -> str:
        return rename_device(cage, self.new) if ":" in cage else cage

    def _refuse_stated(self, cable: str) -> tuple[Diagnostic, ...]:
        """Return the fault (FG076) that the blueprint itself states a cable by a name that a device will lose."""
        loaded = self.places.cluster.design.loaded
        listed = " and ".join(sorted(self.new))
        message = f"{listed} would take other names, and '{cable}' is stated here by the old ones"
        hint = "move this line to the overlay, or swap the boxes"
        return fault(CANNOT, message, span=loaded.source.span((CABLE_OF, cable)), hint=hint).diagnostics


def list_accepted_names(places: PortFinder, picked: Chosen, overrides: StatedOverrides) -> AcceptedNames:
    """Return the names that devices have once exchanges of boxes are accepted: those to state in the overlay, and all
    that hold with it.

    A name that the device would have anyway is left out. Raises InputError (FG076) for boxes of different models, and
    for devices that the blueprint itself names.
    """
    cluster, new_names = places.cluster, dict[str, str]()
    for action in picked.actions:
        if action.renamed:
            _check_alike(places, action)
            new_names |= _close_names(action.renamed)
    overlay_names, effective_names = dict(overrides.names), dict(cluster.design.loaded.blueprint.names.devices)
    usual_names = list_usual_names(cluster.design, cluster.plan.devices) if new_names else []
    has_adopted_names = bool(new_names) and bool(read_adopted_names(cluster.design))
    faults: list[Diagnostic] = []
    for planned_name, name in new_names.items():
        # `names.devices` is keyed by the name that a device would have without any
        usual_name = usual_names[places.device_rows[planned_name]]
        if usual_name in effective_names and usual_name not in overrides.names:
            faults += _refuse_named(places, usual_name, name)
        # both in what the overlay states and in what holds with it
        for name_table in (overlay_names, effective_names):
            name_table[usual_name] = name
            # a box in its usual place needs no stated name, unless the lock has names and would give another one
            if name == usual_name and not has_adopted_names:
                del name_table[usual_name]
    if faults:
        raise InputError(faults)
    return AcceptedNames(
        places,
        overlay_names,
        effective_names,
        {planned_name: name for planned_name, name in new_names.items() if planned_name != name},
    )


def _close_names(renamed: Mapping[str, str]) -> dict[str, str]:
    """Return the new name of each device that an exchange of boxes concerns.

    `renamed` maps the name of each box to the device in whose place it stands: that device takes the name of the box. A
    device whose own box left, and whose place no box took, gets the name that is left over: of `{A: B, B: C}`, B
    becomes A, C becomes B, and A becomes C.
    """
    new_names = {planned_name: box for box, planned_name in renamed.items()}
    for box, planned_name in renamed.items():
        if box not in new_names:
            last_name = planned_name
            # from place to place along the boxes that moved, up to the one whose own box did not move
            while last_name in renamed:
                last_name = renamed[last_name]
            new_names[box] = last_name
    return new_names


def _check_alike(places: PortFinder, action: Action) -> None:
    """Raise InputError (FG076) for exchanged boxes of different models, which other names cannot put right."""
    devices, rows = places.cluster.plan.devices, places.device_rows
    for box, planned_name in action.renamed.items():
        models = [devices.classes[devices.device_class[rows[name]]].profile.id for name in (box, planned_name)]
        if models[0] != models[1]:
            planned = f"a {models[1]} is planned at {planned_name}"
            message = f"{action.id} cannot be accepted: {box} is a {models[0]}, and {planned}"
            raise make_refusal(action.id, message, "swap the boxes, or change the plan")


def _refuse_named(port_finder: PortFinder, usual_name: str, name: str) -> tuple[Diagnostic, ...]:
    """Return the fault (FG076) of a device that the blueprint itself names: an overlay cannot overrule it."""
    loaded = port_finder.cluster.design.loaded
    message = f"the blueprint names {usual_name} here, which wins; the box that stands there is {name}"
    span = loaded.source.span((NAMES, "devices", usual_name))
    return fault(CANNOT, message, span=span, hint="correct it here, or delete it here and accept again").diagnostics


# Cable ends that are accepted where they are, and the redlines that say so.


@dataclass(frozen=True, slots=True)
class Accepted:
    """A cable end that is accepted where it is.

    `accepted_id` is the id that accepts it, `link` the planned end of one of its links, `end` the cable end as planned,
    `place` where it is, and `position` its cage there.
    """

    accepted_id: str
    link: NumberedEnd
    end: CableEnd
    place: NamedPort
    position: CagePosition


def list_accepted_ends(places: PortFinder, picked: Chosen) -> list[Accepted]:
    """List all cable ends that are accepted where they are; raises InputError (FG076) for ends that cannot be there.

    If a plug is in the place of a cable that was not seen, that cable takes the place that the plug left free.
    """
    by_end: dict[tuple[int, bool], Accepted] = {}
    faults: list[Diagnostic] = []
    for action in picked.actions:
        try:
            for accepted_end in _accept_action(places, action, picked.joined):
                # a cable end is known by its first link and whether it is the upper end, so that a plug with several
                # links is stated once
                by_end[accepted_end.end.rows[0], accepted_end.end.upper] = accepted_end
        except InputError as error:
            faults += error.diagnostics
    for cable, joined in picked.harmless.items():
        for lower, upper in joined:
            accepted_end = _accept_harmless(places, cable, lower, upper)
            # if an action is about the same end, the action counts
            by_end.setdefault((accepted_end.end.rows[0], accepted_end.end.upper), accepted_end)
    if faults:
        raise InputError(faults)
    moved_ends = list(by_end.values())
    return [*moved_ends, *_displace_ends(places, moved_ends)]


def _accept_end(places: PortFinder, accepted_id: str, link: NumberedEnd, place: NamedPort) -> Accepted:
    """Accept one end of a cable in the place where it was seen; raises InputError (FG076) if it cannot be there."""
    cable_end = places.find_cable_end(link)
    try:
        return Accepted(accepted_id, link, cable_end, place, places.find_position(place, cable_end))
    except InputError as error:
        reason = error.diagnostics[0]
        message = f"{accepted_id} cannot be accepted with a plug in {place.device}:{place.port}: {reason.message}"
        raise make_refusal(accepted_id, message, reason.hint) from error


def _accept_harmless(places: PortFinder, cable: str, lower: NamedPort, upper: NamedPort) -> Accepted:
    """Accept a harmless link as it is: the place `lower` is joined to the place `upper`.

    Either the upper end of the cable planned at `lower` is accepted at `upper`, or the lower end of the cable planned
    at `upper` is accepted at `lower`: the cable end with fewer links, so that the common plug of a breakout stays.
    """
    lower_end, upper_end = places.planned_at(*lower), places.planned_at(*upper)
    assert lower_end is not None and upper_end is not None  # noqa: S101, PT018 - harmless links join planned places
    far_link_ends = NumberedEnd(lower_end.row, upper=True), NumberedEnd(upper_end.row, upper=False)
    if len(places.find_cable_end(far_link_ends[0]).rows) > len(places.find_cable_end(far_link_ends[1]).rows):
        return _accept_end(places, cable, far_link_ends[1], lower)
    return _accept_end(places, cable, far_link_ends[0], upper)


def _accept_action(places: PortFinder, action: Action, joined: Mapping[NamedPort, NamedPort]) -> list[Accepted]:
    """Return the cable ends to accept for an action, each where it was seen.

    They are the ends at which the action moves plugs. If a host would lose its address by that, or if a plug is only
    one jumper of its cable end, they are the other ends of the same cables. Raises InputError (FG076) if neither is
    possible.
    """
    moved_ends = []
    for step in action.steps:
        link = places.planned_at(step.put.device, step.put.port)
        if step.cable and link is not None:
            link = _find_link_behind(places, link, joined)
            moved_ends.append(_accept_end(places, action.id, link, NamedPort(step.pull.device, step.pull.port)))
    refusals = [fault.message for fault in _list_address_faults(places, moved_ends)]
    refusals += [
        _describe_shared_end(places, accepted_end)
        for accepted_end in moved_ends
        if not places.is_one_plug(accepted_end.link)
    ]
    if not refusals:
        return moved_ends
    # the same cabling, told by the other ends of the cables
    other_ends = _move_to_other_ends(places, action.id, moved_ends)
    if (
        other_ends is None
        or _list_address_faults(places, other_ends)
        or not all(places.is_one_plug(accepted_end.link) for accepted_end in other_ends)
    ):
        raise make_refusal(action.id, f"{action.id} cannot be accepted: {refusals[0]}", "move the plugs as it says")
    return other_ends


def _describe_shared_end(places: PortFinder, accepted_end: Accepted) -> str:
    cable = places.find_cable(accepted_end.link)
    end_place = accepted_end.place
    return f"one jumper of {cable} would be in {end_place.device}:{end_place.port}, and an overlay moves all of an end"


def _find_link_behind(places: PortFinder, link: NumberedEnd, joined: Mapping[NamedPort, NamedPort]) -> NumberedEnd:
    """Return the end of the link that a plug really carries: `link`, or a parallel link swapped with it harmlessly.

    `link` is planned where the plug belongs. If the planned place of its other end is joined to the port of a parallel
    link instead, the plug carries that parallel link. `joined` has what harmless links join, in both directions.
    """
    for _ in range(len(joined)):
        far_place = joined.get(places.find_place(NumberedEnd(link.row, not link.upper)))
        planned_link = places.planned_at(*far_place) if far_place else None
        if planned_link is None or planned_link.upper != link.upper:
            break
        link = planned_link
    return link


def _list_address_faults(places: PortFinder, ends: Iterable[Accepted]) -> list[Diagnostic]:
    """Return a fault for each moved end that puts a host on another leaf than the one that announces its address."""
    cluster = places.cluster
    relocations = [
        Relocation(
            row,
            accepted_end.end.upper,
            accepted_end.end.device,
            accepted_end.position.device,
            (accepted_end.accepted_id, accepted_end.end.rows[0]),
        )
        for accepted_end in ends
        for row in accepted_end.end.rows
        if accepted_end.position.device != accepted_end.end.device
    ]
    return find_address_faults(cluster.planned.plan, cluster.names, cluster.addresses.families, relocations)


def _move_to_other_ends(places: PortFinder, accepted_id: str, ends: list[Accepted]) -> list[Accepted] | None:
    """Describe the same cabling by moving the other ends of the cables; None if that is not possible.

    Say a link is seen from port x to the place of another cable. Then it may as well be that other cable, with its
    other end at x instead of where it is planned.
    """
    moved_rows = {row for accepted_end in ends for row in places.rows_of_plug(accepted_end.link)}
    accepted_by_end: dict[tuple[int, bool], Accepted] = {}
    for accepted_end in ends:
        planned_end = places.planned_at(*accepted_end.place)
        if planned_end is None or planned_end.upper != accepted_end.end.upper or planned_end.row not in moved_rows:
            return None
        for row, other_row in zip(
            places.rows_of_plug(accepted_end.link), places.rows_of_plug(planned_end), strict=False
        ):
            far_place = places.find_place(NumberedEnd(row, not accepted_end.end.upper))
            other_end = _accept_end(places, accepted_id, NumberedEnd(other_row, not accepted_end.end.upper), far_place)
            accepted_by_end.setdefault((other_end.end.rows[0], other_end.end.upper), other_end)
    return [
        accepted_end
        for accepted_end in accepted_by_end.values()
        if places.find_place(accepted_end.link) != accepted_end.place
    ]


def _displace_ends(places: PortFinder, ends: list[Accepted]) -> list[Accepted]:
    """Return further ends to accept: those of the cables in whose planned places the accepted `ends` are.

    Each is accepted in the place that the end which took its place has left; if that is taken as well, in the place
    that is left in turn.
    """
    moved_ends = {(accepted_end.end.rows[0], accepted_end.end.upper) for accepted_end in ends}
    place_left_from = {
        (accepted_end.place, accepted_end.end.upper): places.find_place(accepted_end.link) for accepted_end in ends
    }
    displaced = []
    for accepted_end in ends:
        planned_end = places.planned_at(*accepted_end.place)
        if planned_end is None or planned_end.upper != accepted_end.end.upper:
            continue
        displaced_end = places.find_cable_end(planned_end)
        if (displaced_end.rows[0], displaced_end.upper) in moved_ends:
            continue
        free_place, visited_places = accepted_end.place, set[NamedPort]()
        # the place that a plug left may be taken by another plug in turn; `visited_places` ends a ring
        while (free_place, accepted_end.end.upper) in place_left_from and free_place not in visited_places:
            visited_places.add(free_place)
            free_place = place_left_from[free_place, accepted_end.end.upper]
        displaced.append(_accept_end(places, accepted_end.accepted_id, planned_end, free_place))
    return displaced


class Redlines:
    """The overrides of cables in an overlay, to which redlines are added."""

    def __init__(self, places: PortFinder, overrides: StatedOverrides) -> None:
        self._places, self._others = places, overrides.others
        self.overrides: dict[str, OverrideFields] = {
            cable: dict(override) for cable, override in overrides.mine.items()
        }

    def state_ends(self, ends: Iterable[Accepted]) -> None:
        """State where cable ends are; raises InputError (FG076) if the blueprint states something else, which wins."""
        faults: list[Diagnostic] = []
        for accepted_end in ends:
            faults += self._add_end(accepted_end)
        if faults:
            raise InputError(faults)

    def _add_end(self, accepted_end: Accepted) -> tuple[Diagnostic, ...]:
        """Add the end of a cable to the overrides, or take its override out if the end is back in its planned place.

        Return a fault (FG076) instead if another file than the overlay states another place; none if it states the
        same.
        """
        matcher, end = self._places.matcher, accepted_end.end
        cable = int(self._places.cluster.plan.links.cable[accepted_end.link.row])
        name = matcher.cables.ids[cable]
        subject = Subject(cable, f"{end.word}_cage", matcher.find_override_key(end, cable))
        stated_cage = (
            None
            if accepted_end.position == matcher.find_planned_position(end)
            else matcher.format_position(accepted_end.position, end)
        )
        # what files other than the overlay state about the same end
        stated_elsewhere: Any = self._others.get(name, {}).get(subject.field)
        if stated_elsewhere is not None:
            if find_stated_value(stated_elsewhere, subject, matcher) == stated_cage:
                return ()
            return self._refuse_stated(accepted_end, name, subject)
        override = self.overrides.setdefault(name, {})
        put_value(override, subject, stated_cage, matcher)
        if not override:
            del self.overrides[name]
        return ()

    def _refuse_stated(self, accepted_end: Accepted, name: str, subject: Subject) -> tuple[Diagnostic, ...]:
        """Return the fault (FG076) of an end for which the blueprint itself states another cage, which wins."""
        loaded = self._places.cluster.design.loaded
        place = f"{accepted_end.place.device}:{accepted_end.place.port}"
        message = f"{accepted_end.accepted_id} has the {accepted_end.end.word} end of {name} in {place}; "
        message += f"the blueprint states `{subject.field}` of it here, which wins"
        span = loaded.source.span((CABLE_OF, name, subject.field))
        hint = "correct it here, or delete it here and accept again"
        return fault(CANNOT, message, span=span, hint=hint).diagnostics


def rename_device(text: str, names: Mapping[str, str]) -> str:
    """Return DEVICE or DEVICE:CAGE with the new name of the device."""
    device, colon, cage = text.partition(":")
    return f"{names.get(device, device)}{colon}{cage}"
