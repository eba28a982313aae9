"""The wiring plan as built: the planned one with the overrides of `cable_of` applied."""

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

MAX_FAULTS, MAX_HINTS = 50, 5
"""How many faults are reported at most, and for how many unknown cables a similar name is suggested."""


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
    """Return the cluster as built; links and cables keep their rows, links their addresses.

    Raises InputError with a fault for every override of an unknown cable, end or cage (FG079, FG080), onto a device of
    another kind (FG077), into an occupied port (FG081), of an unsuitable cage or medium (FG082, FG083), and of the
    length or part of a patched cable (FG087).
    """
    cables = CableIndex(plan, names, port_names)
    faults: list[Diagnostic] = []
    overrides = dict(_select_known_cables(design.loaded.blueprint.cable_of, cables, faults))
    resolver = CageResolver(design.catalog, cables)
    moves = list(_find_moves(resolver, cables, overrides, faults))
    relocations = list_relocations(moves)
    built = apply_moves(plan, moves)
    faults += () if faults else find_conflicts(built, moves, names, cables.ids)
    faults += find_address_faults(plan, names, addresses.families, relocations)
    faults += find_patched_faults(cables, overrides)
    built = built._replace(cables=apply_lengths_and_media(design.catalog, cables, overrides, faults))
    if moves and not faults:
        built = split_rows(built, cables, resolver, moves, faults)
    if relocations and not faults:
        built = built._replace(cables=measure_relocated_runs(design, built, relocations))
        built = remake_bonds(design, built, names, relocations, faults)
        addresses = move_management(addresses, plan, relocations)
    if faults:
        raise InputError(_limit_faults(faults))
    return AsBuilt(built, PortNames(design, built), addresses, PlannedCables(plan, port_names, overrides))


def _limit_faults(faults: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return the first `MAX_FAULTS` faults and a summary of the others: a file of another cluster has a fault in every
    line.
    """
    if len(faults) <= MAX_FAULTS:
        return faults
    message = f"{len(faults) - MAX_FAULTS:,} more cables are stated wrongly"
    return [*faults[:MAX_FAULTS], *fault(UNKNOWN_CABLE, message, path=("cable_of",)).diagnostics]


def _select_known_cables(
    overrides: Mapping[str, CableOverride], cables: CableIndex, faults: list[Diagnostic]
) -> Iterator[tuple[int, CableOverride]]:
    """Yield (row of the cable, its override) for each known cable; faults of unknown cables are added to `faults`."""
    for name, override in overrides.items():
        if name in cables.index:
            yield cables.index[name], override
            continue
        device = name.partition(":")[0]
        hint = _suggest_cable(name, device, cables) if len(faults) < MAX_HINTS else ""
        faults += fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics


def list_unknown_devices(overrides: Mapping[str, CableOverride], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield faults of cables that are named after an unknown device, or stated to be on one.

    These are the faults of overrides that can be told without the wiring.
    """
    existing = frozenset(names)
    unknown_cables = [name for name in overrides if name.partition(":")[0] not in existing]
    for number, name in enumerate(unknown_cables):
        hint = did_you_mean(name.partition(":")[0], names) if number < MAX_HINTS else ""
        yield from fault(UNKNOWN_CABLE, f"there is no cable '{name}'", path=("cable_of", name), hint=hint).diagnostics
    for name, override in overrides.items():
        for field in ("a_cage", "b_cage"):
            for key, text in (getattr(override, field) or {}).items():
                device, colon, _ = text.partition(":")
                if colon and device not in existing:
                    yield from refuse_device(device, names, _make_cage_path(name, field, key)).diagnostics


def _make_cage_path(cable: str, field: str, key: str) -> Path:
    """Return the path of a stated cage; `key` is "" for the only end of a side."""
    return ("cable_of", cable, field, *((key,) if key else ()))


def _suggest_cable(name: str, device: str, cables: CableIndex) -> str:
    """Return a hint with a similar cable of the device, or a similar device."""
    device_cables = [cable for cable in cables.ids if cable.startswith(f"{device}:")]
    if device_cables:
        return did_you_mean(name, device_cables)
    return (
        "its cables are called after their other ends" if device in cables.names else did_you_mean(device, cables.names)
    )


def _find_moves(
    resolver: CageResolver, cables: CableIndex, overrides: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> Iterator[EndMove]:
    """Yield the ends that are plugged in elsewhere than planned; faults of stated ends and cages are added to
    `faults`.
    """
    for cable, override in overrides.items():
        for upper, stated_cages in ((False, override.a_cage), (True, override.b_cage)):
            for key, text in (stated_cages or {}).items():
                path = _make_cage_path(cables.ids[cable], "b_cage" if upper else "a_cage", key)
                try:
                    ends = find_ends(cables, cable, key, text, path, upper=upper)
                    positions = [resolver.find_position(text, end, path) for end in ends]
                except InputError as error:
                    faults += error.diagnostics
                    continue
                for end, position in zip(ends, positions, strict=True):
                    # an end that is stated where it is planned does not move
                    if position != resolver.find_planned_position(end):
                        yield EndMove(cable, end, position, path)


def find_ends(cables: CableIndex, cable: int, key: str, text: str, path: Path, *, upper: bool) -> tuple[CableEnd, ...]:
    """Return the ends of a cable that an entry `key: text` of its `a_cage` or `b_cage` (`upper`) means.

    It is one end (`find_end`). If the cable has several plugs in one cage, and neither key nor text names one, all of
    them move.
    """
    ends = cables.list_ends(cable, upper=upper)
    matching = tuple(end for end in ends if key in ("", end.place, end.name))
    if len(matching) > 1 and len({end.place for end in ends}) == 1 and split_plug(text)[1] is None:
        return matching
    return (find_end(cables, cable, key, path, upper=upper),)


def find_end(cables: CableIndex, cable: int, key: str, path: Path, *, upper: bool) -> CableEnd:
    """Return the end of a cable that a key names: by its planned DEVICE:CAGE or by its device, or "" for the only end.

    Raises InputError (FG079) if the key names no end, or several.
    """
    ends = cables.list_ends(cable, upper=upper)
    matching = [end for end in ends if key in ("", end.place, f"{end.place}.{end.connector + 1}", end.name)]
    if len(matching) == 1:
        return matching[0]
    places = ", ".join(end.place for end in ends)
    name, side = cables.ids[cable], "b" if upper else "a"
    if matching:
        message = f"{name} has {len(matching)} ends at its {side} side; which of them is meant?"
        hint = f"name each by its planned place: {{{matching[0].place}: CAGE}}; there are {places}"
    else:
        message, hint = f"{name} has no end '{key}' at its {side} side", f"there are {places}"
    raise fault(UNKNOWN_CABLE, message, path=path, hint=hint)


# Conflicts of moved cable ends: occupied ports, mixed splits in a cage, disabled cages, overloaded pipelines.

TAKEN = "FG081"

MAX_CAGES_SHOWN = 4
"""How many free cages a hint lists at most."""


@dataclass(frozen=True, slots=True)
class _PortUse:
    """A port in use by one end of a link."""

    row: int
    """The row of the link."""
    upper: bool
    """Whether it is the link's b end."""
    cage: int | str
    sub: int
    """The number of the port in its cage, from 0."""
    split: tuple[int, float, float]
    """(ports, Gb/s of a port, lane rate in Gb/s) of the cage's split."""


def find_conflicts(
    plan: WiringPlan, moves: Sequence[EndMove], names: Sequence[str], ids: Sequence[str]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each moved end that conflicts with another cable; `plan` has all moves applied."""
    paths = {(row, move.end.upper): move.path for move in moves for row in move.end.rows}
    devices = sorted({move.position.device for move in moves})
    reported: set[Path] = set()
    for device, uses in _list_uses(plan, devices).items():
        cls = plan.devices.classes[plan.devices.device_class[device]]
        for path, conflict in _MovedDevice(plan, cls, names[device], uses, paths, ids).find_conflicts():
            if path not in reported:
                reported.add(path)
                yield conflict


def _list_uses(plan: WiringPlan, devices: Collection[int]) -> dict[int, list[_PortUse]]:
    """Return the ports in use of some devices, by device row."""
    links, wanted_devices = plan.links, np.array(sorted(devices), dtype=np.int32)
    uses_by_device: dict[int, list[_PortUse]] = {device: [] for device in devices}
    for upper, column, port_of in ((False, links.a_device, links.a_port), (True, links.b_device, links.b_port)):
        for row in np.flatnonzero(np.isin(column, wanted_devices)).tolist():
            segment = links.segments[links.segment[row]]
            use = _make_use(row, upper, segment.b if upper else segment.a, int(port_of[row]))
            if use:
                uses_by_device[int(column[row])].append(use)
    return uses_by_device


def _make_use(row: int, upper: bool, side: Side, port: int) -> _PortUse | None:
    """Return a port in use by one end of a link; None for ports that no cable is plugged into."""
    if isinstance(side, PortRun):
        split = (side.ways, float(side.speed_gbps), side.lane_gbps)
        return _PortUse(row, upper, side.cages[port // side.ways], port % side.ways, split)
    if isinstance(side, Attachment):
        leg = side.legs[port]
        name = f"{side.role} {leg.name}"
        return _PortUse(row, upper, name, 0, (1, float(side.speed_gbps), side.lane_gbps))
    if isinstance(side, ManagementPort):
        return _PortUse(row, upper, "of its management", port, (1, 1.0, 1.0))
    return None


@dataclass(frozen=True, slots=True)
class _MovedDevice:
    """A device with moved ends, and all of its ports in use."""

    plan: WiringPlan
    cls: DeviceClass
    name: str
    uses: Sequence[_PortUse]
    paths: Mapping[tuple[int, bool], Path]
    """The path of the override of each moved (link row, whether it is the upper end)."""
    ids: Sequence[str]

    def find_conflicts(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Yield (path of the override, diagnostic) of each conflict."""
        yield from self._find_occupied_ports()
        if isinstance(self.cls.profile, SwitchProfile):
            yield from self._find_mixed_splits()
            yield from self._find_disabled_cages(self.cls.profile)
            yield from self._find_overloaded_pipelines(self.cls.profile)

    def _find_path(self, use: _PortUse) -> Path | None:
        return self.paths.get((use.row, use.upper))

    def _find_cable(self, use: _PortUse) -> str:
        return self.ids[int(self.plan.links.cable[use.row])]

    def _name_cage(self, cage: int | str) -> str:
        if isinstance(self.cls.profile, SwitchProfile) and isinstance(cage, int):
            return f"cage {self.cls.profile.cage_label(cage)}"
        return f"port {str(cage).rpartition(' ')[2]}"

    def _group_by_port(self) -> Iterator[list[_PortUse]]:
        """Yield the uses of each port, several if cables would meet there."""
        uses_by_port: dict[tuple[int | str, int], list[_PortUse]] = {}
        for use in self.uses:
            uses_by_port.setdefault((use.cage, use.sub), []).append(use)
        yield from uses_by_port.values()

    def _find_occupied_ports(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Yield a conflict for each port that two cables would use."""
        for uses in self._group_by_port():
            for use in uses if len(uses) > 1 else ():
                path = self._find_path(use)
                if path is None:
                    continue
                other_uses = [other_use for other_use in uses if other_use is not use]
                # another cable is named in preference to another plug of the same cable
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

    def _hint_connector(self, use: _PortUse) -> str:
        """Return a hint how the connectors of a twin-port cage are named; "" for other cages."""
        profile = self.cls.profile
        is_twin_port = (
            isinstance(profile, SwitchProfile)
            and isinstance(use.cage, int)
            and profile.find_cage_class(use.cage).connectors > 1
        )
        return f"; connectors are named like {self._name_cage(use.cage).rpartition(' ')[2]}.2" if is_twin_port else ""

    def _hint_free_cages(self, use: _PortUse) -> str:
        """Return a hint with some free cages of the same kind; "" for nodes."""
        profile, used = self.cls.profile, {other_use.cage for other_use in self.uses}
        if not isinstance(profile, SwitchProfile) or not isinstance(use.cage, int):
            return ""
        # a cage that is split may disable the cages beside it
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
        free = [profile.cage_label(cage) for cage in islice(cages, MAX_CAGES_SHOWN)]
        return f"; free are {', '.join(free)}" if free else "; no cage of its kind is free"

    def _find_mixed_splits(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Yield a conflict for each cage in which cables need different splits; all ports of a cage have the same
        split.
        """
        cages: dict[int | str, list[_PortUse]] = {}
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

    def _find_disabled_cages(self, profile: SwitchProfile) -> Iterator[tuple[Path, Diagnostic]]:
        """Yield a conflict for each cage that is disabled by the split of a neighbour."""
        used = {use.cage: use for use in self.uses if isinstance(use.cage, int)}
        for cage, use in sorted(used.items()):
            kind = profile.find_cage_class(cage)
            block = kind.block(use.split[0])
            if block == 1:
                continue
            first_cage = next(n for n in range(1, profile.cage_count + 1) if profile.find_cage_class(n) is kind)
            # cages that may be split form blocks of neighbours; only the first of a block may be split
            first_of_block = cage - (cage - first_cage) % block
            for number in range(first_of_block, first_of_block + block):
                if number != cage and (number in used or number == first_of_block):
                    yield from self._report_blocked(use, number, used, first_of_block)

    def _report_blocked(
        self, use: _PortUse, number: int, used: Mapping[int, _PortUse], first_of_block: int
    ) -> Iterator[tuple[Path, Diagnostic]]:
        """Yield a conflict for each moved cable in two neighbouring cages: that of `use`, which is split, and cage
        `number`, which the split takes up.

        `used` has the uses by cage. A block is the cages of which one can be split while the others stay empty:
        `first_of_block`, the first of them.
        """
        other_use = used.get(number)
        for moved_use in (use, *((other_use,) if other_use else ())):
            path = self._find_path(moved_use)
            if path is not None:
                message = (
                    f"{self._name_cage(use.cage)} of {self.name} split {_format_split(use)} takes up its neighbour: "
                    f"only {self._name_cage(first_of_block)} of the two may be split so, and nothing be in the other"
                )
                yield (
                    path,
                    fault(
                        DOES_NOT_FIT, message, path=path, hint=f"use {self._name_cage(first_of_block)} alone"
                    ).diagnostics[0],
                )

    def _find_overloaded_pipelines(self, profile: SwitchProfile) -> Iterator[tuple[Path, Diagnostic]]:
        """Yield a conflict for each pipeline of the ASIC that would have more ports than it supports."""
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


def _format_split(use: _PortUse) -> str:
    breakout, speed, _ = use.split
    return f"{breakout} x {speed:g}G" if breakout > 1 else f"{speed:g}G"
