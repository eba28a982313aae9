"""The links that results of probes name, by the tables of the plan that they were sent by."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.addons.probing.graph import NONE
from fabricgen.addons.probing.paths import number_in_owner
from fabricgen.addons.probing.plan import DOWN, SPREAD, SPREAD_OVER, UP
from fabricgen.addons.probing.solver import Delays, Losses, Measure, Parts, Suspect, find_suspects
from fabricgen.addons.probing.tables import parse_numbers, read_rows, refuse

if TYPE_CHECKING:
    from fabricgen.addons.probing.graph import Flags, Floats, Ints
    from fabricgen.api import ClusterView

PROBES, CLASSES = "probes.csv", "classes.csv"
MEASURES = ("sent", "lost", "median_us", "p99_us", "gbps")
LOSS, LATENCY, RATE = "loss", "latency", "rate"
FEW = 3
"""Other parts that are as likely are named up to so many."""
HALF_OF = 4
"""Halves of a module with fewer links are links."""
HALF_WORD = 32
"""Bits of a number that stand for a probe; those above for a part."""


@dataclass(frozen=True)
class Named:
    """A part that results name: its kind and name, all links that are meant, and what it does, by measure.

    `amounts` are shares of packets lost, microseconds added, and the share of its rate that is missing.
    """

    kind: str
    name: str
    links: tuple[str, ...]
    amounts: dict[str, float]
    gain: float
    others: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What results of probes say: the parts that they name, the likeliest first, and what no result covers."""

    name: str
    planned: int
    answered: int
    named: tuple[Named, ...]
    unmeasured: tuple[str, ...]
    """Directions of links of which no probe has a result."""
    unplanned: dict[str, list[str]]
    """Directions of links that no probe crosses, by the reason."""
    together: dict[str, list[tuple[str, int]]]
    """Directions of links that all probes have in common, by the reason: the first of each class, and how many."""


class ProbeTable:
    """The probes of a folder that `probe plan` wrote, and the parts of the cluster that they cross."""

    def __init__(self, view: ClusterView, folder: Path) -> None:
        self._view, file = view, folder / PROBES
        self.number: dict[str, int] = {}
        rows = {name: row for row, name in enumerate(view.links.name.tolist())}
        # arrays of numbers: of two million crossings neither words nor lists are kept
        links, lengths, spread = array("q"), array("q"), array("b")
        for line, name, protocol, *ways in read_rows(file, ("probe", "protocol", UP, DOWN)):
            if name in self.number:
                refuse(f"there are several probes '{name}'", file, line)
            self.number[name] = len(self.number)
            spread.append(protocol == SPREAD)
            up, down = map(str.split, ways)
            links.extend(_find_rows(rows, up + down, file, line))
            lengths.extend((len(up), len(down)))
        self._is_spread = np.array(spread, dtype=bool)
        self._link = np.array(links, dtype=np.int64)
        self._probe, self._side = np.divmod(np.repeat(np.arange(len(lengths)), lengths), 2)
        self._read_classes(folder / CLASSES, rows)

    def _read_classes(self, file: Path, rows: dict[str, int]) -> None:
        # classes.csv: a class is a set of directions of links that the probes cannot tell apart. `_class` has its
        # number by direction (-1 for none), `_why` its reason by number, `_is_shared` says by link whether packets are
        # spread, and `unplanned` has by reason the directions that no probe crosses
        numbers = defaultdict[str, int](count().__next__)
        self._class, self._why = np.full(2 * len(rows), NONE), dict[int, str]()
        self._is_shared = np.zeros(len(rows), dtype=bool)
        self.unplanned: dict[str, list[str]] = defaultdict(list)
        for line, cls, link, direction, why in read_rows(file, ("class", "link", "direction", "why")):
            (row,) = _find_rows(rows, [link], file, line)
            direction_row = 2 * row + (direction == DOWN)
            if cls:
                self._class[direction_row] = numbers[cls]
                self._why[numbers[cls]] = why
                self._is_shared[row] |= why == SPREAD_OVER
            else:
                self.unplanned[why].append(self._name_direction(direction_row))

    def list_classes(self) -> dict[str, list[tuple[str, int]]]:
        """By reason the directions of links that stand together: the first of each class, and how many there are."""
        classes, at = defaultdict(list), np.flatnonzero(self._class >= 0)
        numbers, first, sizes = np.unique(self._class[at], return_index=True, return_counts=True)
        for number, direction, size in zip(numbers.tolist(), at[first].tolist(), sizes.tolist(), strict=True):
            classes[self._why[number]].append((self._name_direction(direction), size))
        return classes

    @cached_property
    def gbps(self) -> Floats:
        """By probe, the speed of the slowest link on its path."""
        slowest = np.full(len(self.number), np.inf)
        np.minimum.at(slowest, self._probe, self._view.links.speed_gbps[self._link])
        return slowest

    @cached_property
    def lengths(self) -> Ints:
        """By probe, how many links it crosses."""
        return np.bincount(self._probe, minlength=len(self.number))

    @cached_property
    def directions(self) -> Ints:
        """By crossing of a probe and a link, the direction of the link: twice its row, one more downward."""
        return 2 * self._link + self._side

    def list_unmeasured(self, measured: Flags) -> tuple[str, ...]:
        """Directions of links on probes of which none is measured."""
        is_crossed = np.bincount(self.directions, minlength=len(self._class)) > 0
        is_crossed[self.directions[measured[self._probe]]] = False
        return tuple(map(self._name_direction, np.flatnonzero(is_crossed).tolist()))

    # Parts are numbered kind by kind: directions of links, links, modules and both halves of each, switches.

    @cached_property
    def _modules(self) -> tuple[Ints, list[tuple[int, str]]]:
        # ([modules and halves at end a and b, links], -1 for none: three times its socket, one or two more for a half;
        # device and socket of each)
        links, numbers = self._view.links, defaultdict[tuple[int, str], int](count().__next__)
        crossed = np.flatnonzero(np.bincount(self._link, minlength=len(links)))
        devices, cages = (
            np.concatenate((near[crossed], far[crossed])).tolist()
            for near, far in ((links.a, links.b), (links.a_cage, links.b_cage))
        )
        socket = np.fromiter(map(numbers.__getitem__, zip(devices, cages, strict=True)), np.int64, len(devices))
        size = np.bincount(socket)[socket]
        # links whose packets are spread stand for others, in other modules
        shared = np.bincount(socket, np.tile(self._is_shared[crossed], 2))[socket]
        half = 1 + 2 * number_in_owner(socket, np.arange(len(socket))) // np.maximum(size, 1)
        modules = np.full((2, 2, len(links)), NONE)
        for column, added, least in ((modules[0], half & 0, 2), (modules[1], half, HALF_OF)):
            column[:, crossed] = np.where((size >= least) & (shared == 0), 3 * socket + added, NONE).reshape(2, -1)
        return modules.reshape(4, -1), list(numbers)

    @cached_property
    def _first(self) -> tuple[int, int, int, int]:
        # where links, modules, switches begin, and an end
        links = len(self._view.links)
        switches = 3 * links + 3 * len(self._modules[1])
        return 2 * links, 3 * links, switches, switches + len(self._view.devices)

    def make_parts(self, measured: Flags) -> Parts:
        """The parts that measured probes cross, each once a probe."""
        links, (first_link, first_module, first_switch, count) = self._view.links, self._first
        here = measured[self._probe]
        probe, link, direction = self._probe[here], self._link[here], self.directions[here]
        # a switch is the upper end of links upward, and of those downward; where packets are spread, a leaf alone
        certain = (self._view.devices.kind != "switch")[links.a[link]] | ~self._is_spread[probe]
        columns = [direction, first_link + link, np.where(certain, first_switch + links.b[link].astype(np.int64), NONE)]
        columns += [np.where(column >= 0, first_module + column, NONE)[link] for column in self._modules[0]]
        # a number for each pair of part and probe, part first
        pairs = np.concatenate([column << HALF_WORD | probe for column in columns])
        pairs = np.sort(pairs[pairs >= 0])
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # as np.unique, in a quarter of the time
        return Parts(pairs & ((1 << HALF_WORD) - 1), pairs >> HALF_WORD, count)

    def describe_part(self, part: int) -> tuple[str, str, tuple[str, ...]]:
        """(kind, name, links that are meant) of a part."""
        links, devices = self._view.links, self._view.devices
        first_link, first_module, first_switch, _ = self._first
        if part < first_link:
            return "direction", self._name_direction(part), self._list_together(part)
        if part < first_module:
            row = part - first_link
            both = (*self._list_together(2 * row), *self._list_together(2 * row + 1))
            return "link", f"{links.name[row]} and {self._name_far(row)}", tuple(dict.fromkeys(both))
        if part < first_switch:
            columns, sockets = self._modules
            socket, half = divmod(part - first_module, 3)
            device, cage = sockets[socket]
            name = f"{devices.name[device]}:{cage}" + (f", {('first', 'second')[half - 1]} half" if half else "")
            rows = np.nonzero(columns == part - first_module)[1]
            return "half" if half else "module", name, tuple(links.name[rows].tolist())
        row = part - first_switch
        crossed = np.unique(self._link[(links.a[self._link] == row) | (links.b[self._link] == row)])
        return "switch", devices.name[row], tuple(links.name[crossed].tolist())

    def _list_together(self, direction: int) -> tuple[str, ...]:
        """Links that stand together with one in a direction, all where they have no class."""
        cls = self._class[direction]
        rows = np.flatnonzero(self._class == cls) // 2 if cls >= 0 else [direction // 2]
        return tuple(self._view.links.name[rows].tolist())

    def _name_far(self, row: int) -> str:
        return f"{self._view.links.b_device[row]}:{self._view.links.b_port[row]}"

    def _name_direction(self, direction: int) -> str:
        ends = self._view.links.name[direction // 2], self._name_far(direction // 2)
        return " to ".join(reversed(ends) if direction % 2 else ends)


def _find_rows(rows: Mapping[str, int], names: Sequence[str], file: Path, line: int) -> list[int]:
    try:
        return [rows[name] for name in names]
    except KeyError as error:
        hint = "plan the probes anew for this blueprint"
        refuse(f"the blueprint has no link '{error.args[0]}'", file, line, hint=hint)


def judge_results(view: ClusterView, folder: Path, files: Sequence[Path]) -> Verdict:
    """What results of the probes of a folder say; raises InputError (FG181) for tables that cannot be used."""
    table = ProbeTable(view, folder)
    results = _read_results(table, files)
    measured = {name: ~np.isnan(results[name]) for name in (LOSS, LATENCY, RATE)}
    suspects: list[tuple[str, Suspect]] = []
    for name, answered in measured.items():
        if not answered.any():
            continue
        parts = table.make_parts(answered)
        if name == LOSS:
            measure: Measure = Losses(parts, results["sent"], np.nan_to_num(results[LOSS]))
        else:
            measure = Delays(parts, results[name], table.lengths if name == LATENCY else table.gbps)
        suspects += [(name, suspect) for suspect in find_suspects(parts, measure)]
    usual = float(np.nanmedian(results[RATE])) if measured[RATE].any() else 0.0
    answered = np.any(list(measured.values()), axis=0)
    return Verdict(
        view.name,
        len(table.number),
        int(answered.sum()),
        tuple(_join_suspects(table, suspects, usual)),
        table.list_unmeasured(answered),
        table.unplanned,
        table.list_classes(),
    )


def _join_suspects(table: ProbeTable, suspects: list[tuple[str, Suspect]], usual: float) -> Iterable[Named]:
    # a part that loses packets and is slow is named once; amounts of time are told as the rate that is missing
    by_part: dict[int, list[tuple[str, Suspect]]] = defaultdict(list)
    for name, suspect in sorted(suspects, key=lambda pair: -pair[1].gain):
        by_part[suspect.part].append((name, suspect))
    for part, of_part in by_part.items():
        kind, name, links = table.describe_part(part)
        others = [table.describe_part(other) for other in of_part[0][1].others[:FEW]]
        amounts = {
            measure: suspect.amount if measure != RATE else suspect.amount / (suspect.amount + usual)
            for measure, suspect in of_part
        }
        near = tuple(f"{kind_of_other} {other}" for kind_of_other, other, meant in others if meant != links)
        yield Named(kind, name, links, amounts, of_part[0][1].gain, near)


def _read_results(table: ProbeTable, files: Sequence[Path]) -> dict[str, Floats]:
    """By probe: `sent` packets, `loss` of them, `latency` in us, and `rate` as time for a gigabit; NaN for none.

    Rows of one probe are added up; of times they are the mean.
    """
    probes = len(table.number)
    sums, rows = (np.zeros((len(MEASURES), probes)) for _ in range(2))
    for file in files:
        lines, names, *columns = [*zip(*read_rows(file, ("probe",), MEASURES), strict=True)] or [()] * (
            2 + len(MEASURES)
        )
        at = np.fromiter((table.number.get(name, NONE) for name in names), np.int64, len(names))
        if (strange := np.flatnonzero(at == NONE)).size:
            refuse(f"there is no probe '{names[strange[0]][:80]}' in the plan", file, lines[strange[0]])
        values = [parse_numbers(cells, m, file, lines) for m, cells in zip(MEASURES, columns, strict=True)]
        sent, lost = values[:2]
        for row in np.flatnonzero((lost > sent) | (np.isnan(lost) != np.isnan(sent)))[:1].tolist():
            known = f"{lost[row]:g} packets were lost, of {sent[row]:g} that were sent"
            refuse(
                known if lost[row] > sent[row] else "sent and lost are known together, or not at all", file, lines[row]
            )
        sums += [np.bincount(at, np.nan_to_num(column), probes) for column in values]
        rows += [np.bincount(at, ~np.isnan(column), probes) for column in values]
    if not rows.any():
        hint = f"the columns are probe, and some of {', '.join(MEASURES)}"
        refuse("there is no result of any probe", files[0], hint=hint)
    _, _, median, p99, gbps = sums / np.where(rows > 0, rows, np.nan)
    lost = np.where(sums[0] > 0, sums[1], np.nan)
    latency = median if rows[2].any() else p99
    # what came to a standstill is taken for a thousandth of the speed
    return {"sent": sums[0], LOSS: lost, LATENCY: latency, RATE: 1 / np.maximum(gbps, table.gbps / 1000)}
