"""The wiring plan as built: the overrides of `cable_of` applied to the planned one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.cable_overrides.cage_resolver import DOES_NOT_FIT, CageResolver, split_plug
from fabricgen.cable_overrides.ends import CableEnd, CableIndex, PlannedCables
from fabricgen.cable_overrides.moves import EndMove, apply_moves, list_relocations
from fabricgen.cable_overrides.other_device import find_address_faults, refuse_device
from fabricgen.cable_overrides.relocated import (
    apply_lengths_and_media,
    find_patched_faults,
    measure_relocated_runs,
    move_management,
    remake_bonds,
    split_rows,
)
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.tables import DeviceClass, ManagementPort, Side, WiringPlan

UNKNOWN_CABLE = "FG079"

MOST_FAULTS, MOST_HINTS = 50, 5
"""The most faults that are reported, and the most unknown cables for which a similar name is suggested."""


@dataclass(frozen=True, slots=True)
class AsBuilt:
    """The wiring plan with all overrides applied, its port names and addresses, and the plan without overrides."""

    plan: WiringPlan
    port_names: PortNames
    addresses: Addresses
    planned: PlannedCables


def apply_cable_overrides(
    design: Design, plan: WiringPlan, names: Sequence[str], port_names: PortNames, addresses: Addresses
) -> AsBuilt:
    """The cluster as built; links and cables keep their rows, links their addresses.

    Raises InputError with every override of an unknown cable, end or cage (FG079, FG080), onto a device of another kind
    (FG077), into an occupied port (FG081), of an unsuitable cage or medium (FG082, FG083), and of the length or part of
    a patched cable (FG087).
    """
    cables = CableIndex(plan, names, port_names)
    faults: list[Diagnostic] = []
    overrides = dict(_find_known(design.loaded.blueprint.cable_of, cables, faults))
    places = CageResolver(design.catalog, cables)
    moves = list(_find_moves(places, cables, overrides, faults))
    elsewhere = list_relocations(moves)
    built = apply_moves(plan, moves)
    faults += () if faults else find_conflicts(built, moves, names, cables.ids)
    faults += find_address_faults(plan, names, addresses.families, elsewhere)
    faults += find_patched_faults(cables, overrides)
    built = built._replace(cables=apply_lengths_and_media(design.catalog, cables, overrides, faults))
    if moves and not faults:
        built = split_rows(built, cables, places, moves, faults)
    if elsewhere and not faults:
        built = built._replace(cables=measure_relocated_runs(design, built, elsewhere))
        built = remake_bonds(design, built, names, elsewhere, faults)
        addresses = move_management(addresses, plan, elsewhere)
    if faults:
        raise InputError(_limit_faults(faults))
    return AsBuilt(built, PortNames(design, built), addresses, PlannedCables(plan, port_names, overrides))


def _limit_faults(faults: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """The first `MOST_FAULTS` faults and a summary of the rest: a file of another cluster has one in every line."""
    if len(faults) <= MOST_FAULTS:
        return faults
    more = f"{len(faults) - MOST_FAULTS:,} more cables are stated wrongly"
    return [*faults[:MOST_FAULTS], *fault(UNKNOWN_CABLE, more, path=("cable_of",)).diagnostics]


def _find_known(
    overrides: Mapping[str, CableOverride], cables: CableIndex, faults: list[Diagnostic]
) -> Iterator[tuple[int, CableOverride]]:
    """(row of the cable, its override) of each known cable; the others are added to `faults`."""
    for name, override in overrides.items():
        if name in cables.index:
            yield cables.index[name], override
            continue
        device = name.partition(":")[0]
        hint = _suggest_cable(name, device, cables) if len(faults) < MOST_HINTS else ""
        faults += fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics


def list_unknown_devices(overrides: Mapping[str, CableOverride], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Faults of cables that are called after a device that there is not, or said to be on one; what else there is takes
    the wiring.
    """
    existing = frozenset(names)
    wrong = [name for name in overrides if name.partition(":")[0] not in existing]
    for nth, name in enumerate(wrong):
        hint = did_you_mean(name.partition(":")[0], names) if nth < MOST_HINTS else ""
        yield from fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics
    for name, override in overrides.items():
        for field in ("a_cage", "b_cage"):
            for key, text in (getattr(override, field) or {}).items():
                device, colon, _ = text.partition(":")
                if colon and device not in existing:
                    yield from refuse_device(device, names, _make_cage_path(name, field, key)).diagnostics


def _make_cage_path(cable: str, field: str, key: str) -> Path:
    """The path of a stated cage; `key` is "" for the only end of a side."""
    return ("cable_of", cable, field, *((key,) if key else ()))


def _suggest_cable(name: str, device: str, cables: CableIndex) -> str:
    """A hint with a similar cable of the device, or a similar device."""
    device_cables = [cable for cable in cables.ids if cable.startswith(f"{device}:")]
    if device_cables:
        return did_you_mean(name, device_cables)
    return (
        "its cables are called after their other ends" if device in cables.names else did_you_mean(device, cables.names)
    )


def _find_moves(
    places: CageResolver, cables: CableIndex, overrides: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> Iterator[EndMove]:
    """The ends that are plugged in elsewhere than planned."""
    for cable, override in overrides.items():
        for upper, stated_cages in ((False, override.a_cage), (True, override.b_cage)):
            for key, text in (stated_cages or {}).items():
                path = _make_cage_path(cables.ids[cable], "b_cage" if upper else "a_cage", key)
                try:
                    ends = find_ends(cables, cable, key, text, path, upper=upper)
                    positions = [places.find_position(text, end, path) for end in ends]
                except InputError as error:
                    faults += error.diagnostics
                    continue
                for end, position in zip(ends, positions, strict=True):
                    # stated as it is planned: nothing moves
                    if position != places.find_planned_position(end):
                        yield EndMove(cable, end, position, path)


def find_ends(cables: CableIndex, cable: int, key: str, text: str, path: Path, *, upper: bool) -> tuple[CableEnd, ...]:
    """The ends of a cable that a key and the cage stated for it mean: all plugs in a cage where neither names one."""
    ends = cables.list_ends(cable, upper=upper)
    matching = tuple(end for end in ends if key in ("", end.place, end.name))
    if len(matching) > 1 and len({end.place for end in ends}) == 1 and split_plug(text)[1] is None:
        return matching
    return (find_end(cables, cable, key, path, upper=upper),)


def find_end(cables: CableIndex, cable: int, key: str, path: Path, *, upper: bool) -> CableEnd:
    """The end of a cable that a key names: by its planned DEVICE:CAGE or by its device, or "" for the only end.

    Raises InputError (FG079) where that names no end, or several.
    """
    ends = cables.list_ends(cable, upper=upper)
    matching = [end for end in ends if key in ("", end.place, f"{end.place}.{end.connector + 1}", end.name)]
    if len(matching) == 1:
        return matching[0]
    listed = ", ".join(end.place for end in ends)
    name, side = cables.ids[cable], "b" if upper else "a"
    if matching:
        message = f"{name} has {len(matching)} ends at its {side} side; which of them is meant?"
        hint = f"name each by its planned place: {{{matching[0].place}: CAGE}}; there are {listed}"
    else:
        message, hint = f"{name} has no end '{key}' at its {side} side", f"there are {listed}"
    raise fault(UNKNOWN_CABLE, message, path=path, hint=hint)


# Conflicts of moved cable ends: occupied ports, mixed splits in a cage, disabled cages, overloaded pipelines.

TAKEN = "FG081"

MOST_SHOWN = 4
"""The most free cages that a hint lists."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A port in use: the link and which end of it, the port, and (ports, speed, lane rate) of the cage's split."""

    row: int
    upper: bool
    cage: int | str
    sub: int
    split: tuple[int, float, float]


def find_conflicts(
    plan: WiringPlan, moves: Sequence[EndMove], names: Sequence[str], ids: Sequence[str]
) -> Iterator[Diagnostic]:
    """A diagnostic for each moved end that conflicts with another cable, on a plan with all moves applied."""
    paths = {(row, move.end.upper): move.path for move in moves for row in move.end.rows}
    devices = sorted({move.spot.device for move in moves})
    reported: set[Path] = set()
    for device, uses in _list_uses(plan, devices).items():
        cls = plan.devices.classes[plan.devices.device_class[device]]
        for path, conflict in _MovedDevice(plan, cls, names[device], uses, paths, ids).find_conflicts():
            if path not in reported:
                reported.add(path)
                yield conflict


def _list_uses(plan: WiringPlan, devices: Collection[int]) -> dict[int, list[_Use]]:
    """The ports in use of some devices, by device row."""
    links, wanted_devices = plan.links, np.array(sorted(devices), dtype=np.int32)
    uses_by_device: dict[int, list[_Use]] = {device: [] for device in devices}
    for upper, column, port_of in ((False, links.a_device, links.a_port), (True, links.b_device, links.b_port)):
        for row in np.flatnonzero(np.isin(column, wanted_devices)).tolist():
            segment = links.segments[links.segment[row]]
            use = _make_use(row, upper, segment.b if upper else segment.a, int(port_of[row]))
            if use:
                uses_by_device[int(column[row])].append(use)
    return uses_by_device


def _make_use(row: int, upper: bool, side: Side, port: int) -> _Use | None:
    # a port in use by one end of a link; None for ports that no cable is plugged into
    if isinstance(side, PortRun):
        split = (side.ways, float(side.speed_gbps), side.lane_gbps)
        return _Use(row, upper, side.cages[port // side.ways], port % side.ways, split)
    if isinstance(side, Attachment):
        leg = side.legs[port]
        name = f"{side.role} {leg.name}"
        return _Use(row, upper, name, 0, (1, float(side.speed_gbps), side.lane_gbps))
    if isinstance(side, ManagementPort):
        return _Use(row, upper, "of its management", port, (1, 1.0, 1.0))
    return None


@dataclass(frozen=True, slots=True)
class _MovedDevice:
    """A device with moved ends, and all of its ports in use."""

    plan: WiringPlan
    cls: DeviceClass
    name: str
    uses: Sequence[_Use]
    paths: Mapping[tuple[int, bool], Path]
    """The path of the override of each moved (link row, whether it is the upper end)."""
    ids: Sequence[str]

    def find_conflicts(self) -> Iterator[tuple[Path, Diagnostic]]:
        """(path of the override, diagnostic) of each conflict."""
        yield from self._find_taken()
        if isinstance(self.cls.profile, SwitchProfile):
            yield from self._find_mixed()
            yield from self._find_disabled(self.cls.profile)
            yield from self._find_overloaded(self.cls.profile)

    def _find_path(self, use: _Use) -> Path | None:
        return self.paths.get((use.row, use.upper))

    def _find_cable(self, use: _Use) -> str:
        return self.ids[int(self.plan.links.cable[use.row])]

    def _name_cage(self, cage: int | str) -> str:
        if isinstance(self.cls.profile, SwitchProfile) and isinstance(cage, int):
            return f"cage {self.cls.profile.cage_label(cage)}"
        return f"port {str(cage).rpartition(' ')[2]}"

    def _group_by_place(self) -> Iterator[list[_Use]]:
        # the uses of each port, several where cables would meet there
        places: dict[tuple[int | str, int], list[_Use]] = {}
        for use in self.uses:
            places.setdefault((use.cage, use.sub), []).append(use)
        yield from places.values()

    def _find_taken(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Ports that two cables would use."""
        for uses in self._group_by_place():
            for use in uses if len(uses) > 1 else ():
                path = self._find_path(use)
                if path is None:
                    continue
                other_uses = [other_use for other_use in uses if other_use is not use]
                # another cable is told rather than another plug of the same one
                other_use = next((o for o in other_uses if self._find_cable(o) != self._find_cable(use)), other_uses[0])
                stays = "goes there too" if self._find_path(other_use) else "stays there"
                same_cable = self._find_cable(other_use) == self._find_cable(use)
                occupant = "another plug of this cable" if same_cable else f"cable {self._find_cable(other_use)}"
                message = f"{self._name_cage(use.cage)} of {self.name} is taken: {occupant} {stays}"
                hint = (
                    "say where that went as well (a swap is two lines)"
                    f"{self._hint_free_cages(use)}{self._hint_connector(use)}"
                )
                yield path, fault(TAKEN, message, path=path, hint=hint).diagnostics[0]

    def _hint_connector(self, use: _Use) -> str:
        """A hint how the connectors of a twin-port cage are named; "" for other cages."""
        profile = self.cls.profile
        twin = (
            isinstance(profile, SwitchProfile)
            and isinstance(use.cage, int)
            and profile.find_cage_class(use.cage).connectors > 1
        )
        return f"; connectors are named like {self._name_cage(use.cage).rpartition(' ')[2]}.2" if twin else ""

    def _hint_free_cages(self, use: _Use) -> str:
        """A hint with some free cages of the same kind."""
        profile, used = self.cls.profile, {other_use.cage for other_use in self.uses}
        if not isinstance(profile, SwitchProfile) or not isinstance(use.cage, int):
            return ""
        # a cage that is split may switch off the ones beside it
        blocked = {
            cage + i
            for cage, breakout in {(u.cage, u.split[0]) for u in self.uses if isinstance(u.cage, int)}
            for i in range(profile.find_cage_class(cage).block(breakout))
        }
        kind = profile.find_cage_class(use.cage)
        cages = (
            c
            for c in range(1, profile.cage_count + 1)
            if profile.find_cage_class(c) is kind and c not in used | blocked
        )
        free = [profile.cage_label(cage) for cage in islice(cages, MOST_SHOWN)]
        return f"; free are {', '.join(free)}" if free else "; no cage of its kind is free"

    def _find_mixed(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Cages in which cables need different splits; all ports of a cage have the same one."""
        cages: dict[int | str, list[_Use]] = {}
        for use in self.uses:
            cages.setdefault(use.cage, []).append(use)
        for cage, uses in cages.items():
            for use in uses if len({other_use.split for other_use in uses}) > 1 else ():
                path = self._find_path(use)
                if path is None:
                    continue
                other_use = next(o for o in uses if o.split != use.split)
                message = (
                    f"{self._name_cage(cage)} of {self.name} runs {_format_split(other_use)} "
                    f"for cable {self._find_cable(other_use)}; this cable needs {_format_split(use)}"
                )
                yield path, fault(DOES_NOT_FIT, message, path=path, hint="move one of the two elsewhere").diagnostics[0]

    def _find_disabled(self, profile: SwitchProfile) -> Iterator[tuple[Path, Diagnostic]]:
        """Cages that are disabled by the split of a neighbour."""
        used = {use.cage: use for use in self.uses if isinstance(use.cage, int)}
        for cage, use in sorted(used.items()):
            kind = profile.find_cage_class(cage)
            block = kind.block(use.split[0])
            if block == 1:
                continue
            first = next(n for n in range(1, profile.cage_count + 1) if profile.find_cage_class(n) is kind)
            # splits go by blocks of neighbouring cages; only the first of a block may be split
            head = cage - (cage - first) % block
            for number in range(head, head + block):
                if number != cage and (number in used or number == head):
                    yield from self._report_blocked(use, number, used, head)

    def _report_blocked(
        self, use: _Use, number: int, used: Mapping[int, _Use], head: int
    ) -> Iterator[tuple[Path, Diagnostic]]:
        """Report the moved ones of two cages, that of `use` and cage `number`, of which a split allows only one; `used`
        are the uses by cage, `head` is the first cage of the block.
        """
        other_use = used.get(number)
        for moved_use in (use, *((other_use,) if other_use else ())):
            path = self._find_path(moved_use)
            if path is not None:
                message = (
                    f"{self._name_cage(use.cage)} of {self.name} split {_format_split(use)} takes up its neighbour: "
                    f"only {self._name_cage(head)} of the two may be split so, and nothing be in the other"
                )
                yield (
                    path,
                    fault(DOES_NOT_FIT, message, path=path, hint=f"use {self._name_cage(head)} alone").diagnostics[0],
                )

    def _find_overloaded(self, profile: SwitchProfile) -> Iterator[tuple[Path, Diagnostic]]:
        """Pipelines of the ASIC that would have more ports than they support."""
        if profile.pipelines is None:
            return
        ports_in_use: dict[int, int] = {}
        for cage, breakout in sorted({(u.cage, u.split[0]) for u in self.uses if isinstance(u.cage, int)}):
            pipeline = profile.pipelines.of_cage.get(cage)
            if pipeline is not None:
                ports_in_use[pipeline] = ports_in_use.get(pipeline, 0) + breakout
        for use in self.uses:
            path = self._find_path(use)
            pipeline = profile.pipelines.of_cage.get(use.cage) if isinstance(use.cage, int) else None
            if path is not None and pipeline is not None and ports_in_use[pipeline] > profile.pipelines.ports:
                cages = profile.pipelines.cages[pipeline]
                message = (
                    f"{self._name_cage(use.cage)} of {self.name} shares a pipeline of {profile.pipelines.ports} ports, "
                    f"and {ports_in_use[pipeline]} would be in use there"
                )
                hint = f"cages {', '.join(map(profile.cage_label, cages))} share it: use another"
                yield path, fault(DOES_NOT_FIT, message, path=path, hint=hint).diagnostics[0]


def _format_split(use: _Use) -> str:
    breakout, speed, _ = use.split
    return f"{breakout} x {speed:g}G" if breakout > 1 else f"{speed:g}G"
