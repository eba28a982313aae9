"""The wiring plan as built: the overrides of `cable_of` applied to the planned one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.cable_overrides.cage_resolver import CageResolver, plug_of
from fabricgen.cable_overrides.conflicts import conflicts
from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.cable_overrides.jumpers import with_rows_of_jumpers
from fabricgen.cable_overrides.media import with_lengths_and_media
from fabricgen.cable_overrides.moves import Move, apply_moves, relocated
from fabricgen.cable_overrides.other_device import address_faults, no_device
from fabricgen.cable_overrides.patched import patched_faults
from fabricgen.cable_overrides.planned import Planned
from fabricgen.cable_overrides.relocated import with_bonds, with_managed, with_runs
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.tables import WiringPlan

UNKNOWN_CABLE = "FG079"

MOST_FAULTS, MOST_HINTS = 50, 5
"""The most faults that are reported, and the most unknown cables for which a similar name is suggested."""


@dataclass(frozen=True, slots=True)
class AsBuilt:
    """The wiring plan with all overrides applied, its port names and addresses, and the plan without overrides."""

    plan: WiringPlan
    port_names: PortNames
    addresses: Addresses
    planned: Planned


def as_built(
    design: Design, plan: WiringPlan, names: Sequence[str], port_names: PortNames, addresses: Addresses
) -> AsBuilt:
    """The cluster as built; links and cables keep their rows, links their addresses.

    Raises InputError with every override of an unknown cable, end or cage (FG079, FG080), onto a device of another kind
    (FG077), into an occupied port (FG081), of an unsuitable cage or medium (FG082, FG083), and of the length or part of
    a patched cable (FG087).
    """
    cables = CableIndex(plan, names, port_names)
    faults: list[Diagnostic] = []
    own = dict(_known(design.loaded.blueprint.cable_of, cables, faults))
    places = CageResolver(design.catalog, cables)
    moves = list(_moves(places, cables, own, faults))
    elsewhere = relocated(moves)
    built = apply_moves(plan, moves)
    faults += () if faults else conflicts(built, moves, names, cables.ids)
    faults += address_faults(plan, names, addresses.families, elsewhere)
    faults += patched_faults(cables, own)
    built = replace(built, cables=with_lengths_and_media(design.catalog, cables, own, faults))
    if moves and not faults:
        built = with_rows_of_jumpers(built, cables, places, moves, faults)
    if elsewhere and not faults:
        built = replace(built, cables=with_runs(design, built, elsewhere))
        built = with_bonds(design, built, names, elsewhere, faults)
        addresses = with_managed(addresses, plan, elsewhere)
    if faults:
        raise InputError(_told(faults))
    return AsBuilt(built, PortNames(design, built), addresses, Planned(plan, port_names, own))


def _told(faults: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """The first `MOST_FAULTS` faults and a summary of the rest: a file of another cluster has one in every line."""
    if len(faults) <= MOST_FAULTS:
        return faults
    more = f"{len(faults) - MOST_FAULTS:,} more cables are stated wrongly"
    return [*faults[:MOST_FAULTS], *fault(UNKNOWN_CABLE, more, path=("cable_of",)).diagnostics]


def _known(
    stated: Mapping[str, CableOverride], cables: CableIndex, faults: list[Diagnostic]
) -> Iterator[tuple[int, CableOverride]]:
    """(row of the cable, its override) of each known cable; the others are added to `faults`."""
    for name, own in stated.items():
        if name in cables.index:
            yield cables.index[name], own
            continue
        device = name.partition(":")[0]
        hint = _near(name, device, cables) if len(faults) < MOST_HINTS else ""
        faults += fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics


def unknown_cable_devices(stated: Mapping[str, CableOverride], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Faults of cables that are called after a device that there is not, or said to be on one; what else there is takes
    the wiring.
    """
    known = frozenset(names)
    wrong = [name for name in stated if name.partition(":")[0] not in known]
    for place, name in enumerate(wrong):
        hint = did_you_mean(name.partition(":")[0], names) if place < MOST_HINTS else ""
        yield from fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics
    for name, own in stated.items():
        for field in ("a_cage", "b_cage"):
            for key, text in (getattr(own, field) or {}).items():
                device, colon, _ = text.partition(":")
                if colon and device not in known:
                    yield from no_device(device, names, _cage_path(name, field, key)).diagnostics


def _cage_path(cable: str, field: str, key: str) -> Path:
    """The path of a stated cage; `key` is "" for the only end of a side."""
    return ("cable_of", cable, field, *((key,) if key else ()))


def _near(name: str, device: str, cables: CableIndex) -> str:
    """A hint with a similar cable of the device, or a similar device."""
    known = [cable for cable in cables.ids if cable.startswith(f"{device}:")]
    if known:
        return did_you_mean(name, known)
    return (
        "its cables are called after their other ends" if device in cables.names else did_you_mean(device, cables.names)
    )


def _moves(
    places: CageResolver, cables: CableIndex, own: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> Iterator[Move]:
    """The ends that are plugged in elsewhere than planned."""
    for cable, override in own.items():
        for upper, stated in ((False, override.a_cage), (True, override.b_cage)):
            for key, text in (stated or {}).items():
                path = _cage_path(cables.ids[cable], "b_cage" if upper else "a_cage", key)
                try:
                    ends = ends_of(cables, cable, key, text, path, upper=upper)
                    spots = [places.spot(text, end, path) for end in ends]
                except InputError as error:
                    faults += error.diagnostics
                    continue
                for end, spot in zip(ends, spots, strict=True):
                    if spot != places.planned(end):
                        yield Move(cable, end, spot, path)


def ends_of(cables: CableIndex, cable: int, key: str, text: str, path: Path, *, upper: bool) -> tuple[CableEnd, ...]:
    """The ends of a cable that a key and the cage stated for it mean: all plugs in a cage where neither names one."""
    ends = cables.ends(cable, upper=upper)
    whole = tuple(end for end in ends if key in ("", end.place, end.name))
    if len(whole) > 1 and len({end.place for end in ends}) == 1 and plug_of(text)[1] is None:
        return whole
    return (end_of(cables, cable, key, path, upper=upper),)


def end_of(cables: CableIndex, cable: int, key: str, path: Path, *, upper: bool) -> CableEnd:
    """The end of a cable that a key names: by its planned DEVICE:CAGE or by its device, or "" for the only end.

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
