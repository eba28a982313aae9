"""Boxes that stand in each other's places: the places take their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fabricgen.as_built.stated import CABLE_OF, NAMES, OverrideFields, StatedOverrides
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.numbering.names import adopted_names, usual_names
from fabricgen.verify.accept.cables import renamed_text
from fabricgen.verify.accept.chosen import Chosen
from fabricgen.verify.accept.faults import CANNOT, refused
from fabricgen.verify.accept.places import Places
from fabricgen.verify.actions import Action


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
    usual = usual_names(cluster.design, cluster.plan.devices) if new else []
    adopted = bool(new) and bool(adopted_names(cluster.design))
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
