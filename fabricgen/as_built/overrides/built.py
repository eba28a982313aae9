"""The plan as it was built: `cable_of` laid over what is planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fabricgen.as_built.overrides.ends import CableEnd, Cables
from fabricgen.as_built.overrides.media import recut
from fabricgen.as_built.overrides.moves import Move, moved
from fabricgen.as_built.overrides.patched import patched_faults
from fabricgen.as_built.overrides.places import Places
from fabricgen.as_built.overrides.planned import Planned
from fabricgen.as_built.overrides.room import crowded
from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.tables import WiringPlan

UNKNOWN_CABLE = "FG079"

MOST_FAULTS, MOST_HINTS = 50, 5
"""How many faults are told, and for how many unknown cables the nearest is looked for."""


def as_built(
    design: Design, plan: WiringPlan, names: Sequence[str], port_names: PortNames
) -> tuple[WiringPlan, PortNames, Planned]:
    """(the plan with what single cables have of their own, its port names, what was planned).

    Links and cables keep their rows. Raises InputError with every override that names nothing (FG079, FG080), has no
    room (FG081), fits no cage or lanes (FG082, FG083), or is of a
    patched cable that it would make one piece (FG087).
    """
    cables = Cables(plan, names, port_names)
    faults: list[Diagnostic] = []
    own = dict(_known(design.loaded.blueprint.cable_of, cables, faults))
    moves = list(_moves(Places(design.catalog, frozenset(names)), cables, own, faults))
    built = moved(plan, moves)
    faults += () if faults else crowded(built, moves, names, cables.ids)
    faults += patched_faults(cables, own)
    built = replace(built, cables=recut(design.catalog, cables, own, faults))
    if faults:
        raise InputError(_told(faults))
    return built, PortNames(design, built), Planned(plan, port_names, own)


def _told(faults: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Faults within reason: a file of another cluster has one in every line."""
    if len(faults) <= MOST_FAULTS:
        return faults
    more = f"{len(faults) - MOST_FAULTS:,} more cables are stated wrongly"
    return [*faults[:MOST_FAULTS], *fault(UNKNOWN_CABLE, more, path=("cable_of",)).diagnostics]


def _known(
    stated: Mapping[str, CableOverride], cables: Cables, faults: list[Diagnostic]
) -> Iterator[tuple[int, CableOverride]]:
    """(row, what it has of its own) of cables that there are."""
    for name, own in stated.items():
        if name in cables.index:
            yield cables.index[name], own
            continue
        device = name.partition(":")[0]
        hint = _near(name, device, cables) if len(faults) < MOST_HINTS else ""
        faults += fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics


def _near(name: str, device: str, cables: Cables) -> str:
    """The nearest cable of a device, or the nearest device; cables may be called after their other ends."""
    known = [cable for cable in cables.ids if cable.startswith(f"{device}:")]
    if known:
        return did_you_mean(name, known)
    return (
        "its cables are called after their other ends" if device in cables.names else did_you_mean(device, cables.names)
    )


def _moves(
    places: Places, cables: Cables, own: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> Iterator[Move]:
    """Ends that are plugged in elsewhere than planned."""
    for cable, override in own.items():
        for upper, stated in ((False, override.a_cage), (True, override.b_cage)):
            for key, text in (stated or {}).items():
                path: Path = ("cable_of", cables.ids[cable], "b_cage" if upper else "a_cage", *((key,) if key else ()))
                try:
                    end = end_of(cables, cable, key, path, upper=upper)
                    spot = places.spot(text, end, path)
                except InputError as error:
                    faults += error.diagnostics
                    continue
                if spot != places.planned(end):
                    yield Move(cable, end, spot, path)


def end_of(cables: Cables, cable: int, key: str, path: Path, *, upper: bool) -> CableEnd:
    """The end that a key names, by its planned DEVICE:CAGE or its device; "" the only one.

    Raises InputError (FG079) where that names no end, or several.
    """
    ends = cables.ends(cable, upper=upper)
    found = [end for end in ends if key in ("", end.place, f"{end.place}.{end.connector + 1}", end.name)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(end.place for end in ends)
    name, side = cables.ids[cable], "b" if upper else "a"
    if found:
        message = f"{name} has {len(found)} ends at its {side} side; which of them is meant?"
        hint = f"name each by its planned place: {{{found[0].place}: CAGE}}; there are {listed}"
    else:
        message, hint = f"{name} has no end '{key}' at its {side} side", f"there are {listed}"
    raise fault(UNKNOWN_CABLE, message, path=path, hint=hint)
