"""Conflicts of moved cable ends: occupied ports, mixed splits in a cage, disabled cages, overloaded pipelines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from fabricgen.cable_overrides.cage_resolver import DOES_NOT_FIT
from fabricgen.cable_overrides.moves import Move
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, Path, fault
from fabricgen.wiring.tables import DeviceClass, ManagementPort, Side, WiringPlan

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


def conflicts(
    plan: WiringPlan, moves: Sequence[Move], names: Sequence[str], ids: Sequence[str]
) -> Iterator[Diagnostic]:
    """A diagnostic for each moved end that conflicts with another cable, on a plan with all moves applied."""
    paths = {(row, move.end.upper): move.path for move in moves for row in move.end.rows}
    devices = sorted({move.spot.device for move in moves})
    told: set[Path] = set()
    for device, uses in _uses(plan, devices).items():
        cls = plan.devices.classes[plan.devices.device_class[device]]
        for path, found in _Device(plan, cls, names[device], uses, paths, ids).faults():
            if path not in told:
                told.add(path)
                yield found


def _uses(plan: WiringPlan, devices: Collection[int]) -> dict[int, list[_Use]]:
    """The ports in use of some devices, by device row."""
    links, wanted = plan.links, np.array(sorted(devices), dtype=np.int32)
    found: dict[int, list[_Use]] = {device: [] for device in devices}
    for upper, column, port_of in ((False, links.a_device, links.a_port), (True, links.b_device, links.b_port)):
        for row in np.flatnonzero(np.isin(column, wanted)).tolist():
            segment = links.segments[links.segment[row]]
            use = _use(row, upper, segment.b if upper else segment.a, int(port_of[row]))
            if use:
                found[int(column[row])].append(use)
    return found


def _use(row: int, upper: bool, side: Side, port: int) -> _Use | None:
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
class _Device:
    """A device with moved ends, and all of its ports in use."""

    plan: WiringPlan
    cls: DeviceClass
    name: str
    uses: Sequence[_Use]
    paths: Mapping[tuple[int, bool], Path]
    """The path of the override of each moved (link row, whether it is the upper end)."""
    ids: Sequence[str]

    def faults(self) -> Iterator[tuple[Path, Diagnostic]]:
        """(path of the override, diagnostic) of each conflict."""
        yield from self._taken()
        if isinstance(self.cls.profile, SwitchProfile):
            yield from self._mixed()
            yield from self._disabled(self.cls.profile)
            yield from self._pipelines(self.cls.profile)

    def _path(self, use: _Use) -> Path | None:
        return self.paths.get((use.row, use.upper))

    def _cable(self, use: _Use) -> str:
        return self.ids[int(self.plan.links.cable[use.row])]

    def _label(self, cage: int | str) -> str:
        if isinstance(self.cls.profile, SwitchProfile) and isinstance(cage, int):
            return f"cage {self.cls.profile.cage_label(cage)}"
        return f"port {str(cage).rpartition(' ')[2]}"

    def _by_place(self) -> Iterator[list[_Use]]:
        places: dict[tuple[int | str, int], list[_Use]] = {}
        for use in self.uses:
            places.setdefault((use.cage, use.sub), []).append(use)
        yield from places.values()

    def _taken(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Ports that two cables would use."""
        for uses in self._by_place():
            for use in uses if len(uses) > 1 else ():
                path = self._path(use)
                if path is None:
                    continue
                others = [other for other in uses if other is not use]
                other = next((o for o in others if self._cable(o) != self._cable(use)), others[0])
                stays = "goes there too" if self._path(other) else "stays there"
                same = self._cable(other) == self._cable(use)
                what = "another plug of this cable" if same else f"cable {self._cable(other)}"
                message = f"{self._label(use.cage)} of {self.name} is taken: {what} {stays}"
                hint = f"say where that went as well (a swap is two lines){self._free(use)}{self._connector(use)}"
                yield path, fault(TAKEN, message, path=path, hint=hint).diagnostics[0]

    def _connector(self, use: _Use) -> str:
        """A hint how the connectors of a twin-port cage are named; "" for other cages."""
        profile = self.cls.profile
        twin = (
            isinstance(profile, SwitchProfile) and isinstance(use.cage, int) and profile.cage(use.cage).connectors > 1
        )
        return f"; connectors are named like {self._label(use.cage).rpartition(' ')[2]}.2" if twin else ""

    def _free(self, use: _Use) -> str:
        """A hint with some free cages of the same kind."""
        profile, used = self.cls.profile, {other.cage for other in self.uses}
        if not isinstance(profile, SwitchProfile) or not isinstance(use.cage, int):
            return ""
        blocked = {
            cage + i
            for cage, ways in {(u.cage, u.split[0]) for u in self.uses if isinstance(u.cage, int)}
            for i in range(profile.cage(cage).block(ways))
        }
        kind = profile.cage(use.cage)
        cages = (c for c in range(1, profile.cage_count + 1) if profile.cage(c) is kind and c not in used | blocked)
        free = [profile.cage_label(cage) for cage in islice(cages, MOST_SHOWN)]
        return f"; free are {', '.join(free)}" if free else "; no cage of its kind is free"

    def _mixed(self) -> Iterator[tuple[Path, Diagnostic]]:
        """Cages in which cables need different splits; all ports of a cage have the same one."""
        cages: dict[int | str, list[_Use]] = {}
        for use in self.uses:
            cages.setdefault(use.cage, []).append(use)
        for cage, uses in cages.items():
            for use in uses if len({other.split for other in uses}) > 1 else ():
                path = self._path(use)
                if path is None:
                    continue
                other = next(o for o in uses if o.split != use.split)
                message = (
                    f"{self._label(cage)} of {self.name} runs {_split(other)} for cable {self._cable(other)}; "
                    f"this cable needs {_split(use)}"
                )
                yield path, fault(DOES_NOT_FIT, message, path=path, hint="move one of the two elsewhere").diagnostics[0]

    def _disabled(self, profile: SwitchProfile) -> Iterator[tuple[Path, Diagnostic]]:
        """Cages that are disabled by the split of a neighbour."""
        used = {use.cage: use for use in self.uses if isinstance(use.cage, int)}
        for cage, use in sorted(used.items()):
            kind = profile.cage(cage)
            block = kind.block(use.split[0])
            if block == 1:
                continue
            first = next(n for n in range(1, profile.cage_count + 1) if profile.cage(n) is kind)
            head = cage - (cage - first) % block
            for number in range(head, head + block):
                if number != cage and (number in used or number == head):
                    yield from self._blocked(use, number, used, head)

    def _blocked(
        self, use: _Use, number: int, used: Mapping[int, _Use], head: int
    ) -> Iterator[tuple[Path, Diagnostic]]:
        """Report the moved ones of two cages of which a split allows only one."""
        other = used.get(number)
        for one in (use, *((other,) if other else ())):
            path = self._path(one)
            if path is not None:
                message = (
                    f"{self._label(use.cage)} of {self.name} split {_split(use)} takes up its neighbour: only "
                    f"{self._label(head)} of the two may be split so, and nothing be in the other"
                )
                yield (
                    path,
                    fault(DOES_NOT_FIT, message, path=path, hint=f"use {self._label(head)} alone").diagnostics[0],
                )

    def _pipelines(self, profile: SwitchProfile) -> Iterator[tuple[Path, Diagnostic]]:
        """Pipelines of the ASIC that would have more ports than they support."""
        if profile.pipelines is None:
            return
        taken: dict[int, int] = {}
        for cage, ways in sorted({(u.cage, u.split[0]) for u in self.uses if isinstance(u.cage, int)}):
            pipeline = profile.pipelines.of_cage.get(cage)
            if pipeline is not None:
                taken[pipeline] = taken.get(pipeline, 0) + ways
        for use in self.uses:
            path = self._path(use)
            pipeline = profile.pipelines.of_cage.get(use.cage) if isinstance(use.cage, int) else None
            if path is not None and pipeline is not None and taken[pipeline] > profile.pipelines.ports:
                cages = profile.pipelines.cages[pipeline]
                message = (
                    f"{self._label(use.cage)} of {self.name} shares a pipeline of {profile.pipelines.ports} ports, and "
                    f"{taken[pipeline]} would be in use there"
                )
                hint = f"cages {', '.join(map(profile.cage_label, cages))} share it: use another"
                yield path, fault(DOES_NOT_FIT, message, path=path, hint=hint).diagnostics[0]


def _split(use: _Use) -> str:
    ways, speed, _ = use.split
    return f"{ways} x {speed:g}G" if ways > 1 else f"{speed:g}G"
