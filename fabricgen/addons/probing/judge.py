"""The links that results of probes name, by the tables of the plan that they were sent by."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.addons.probing.graph import NONE
from fabricgen.addons.probing.plan import DOWN, SPREAD, SPREAD_OVER, UP
from fabricgen.addons.probing.solver import Delays, Losses, Measure, Parts, Suspect, find_suspects
from fabricgen.addons.probing.tables import parse_number, read_rows, refuse

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
    unplanned: dict[str, int]
    """Directions of links that no probe crosses, by the reason."""


class ProbeTable:
    """The probes of a folder that `probe plan` wrote, and the parts of the cluster that they cross."""

    def __init__(self, view: ClusterView, folder: Path) -> None:
        self._view, file = view, folder / PROBES
        table = list(read_rows(file, ("probe", "protocol", UP, DOWN)))
        self.number = {name: number for number, (_, (name, *_)) in enumerate(table)}
        if len(self.number) < len(table):
            line, name = next((line, name) for n, (line, (name, *_)) in enumerate(table) if self.number[name] != n)
            refuse(f"there are several probes '{name}'", file, line)
        self._is_spread = np.array([cells[1] == SPREAD for _, cells in table], dtype=bool)
        rows = {name: row for row, name in enumerate(view.links.name.tolist())}
        probe, link, side = [], [], []
        for number in (0, 1):
            words = [cells[2 + number].split() for _, cells in table]
            counts = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
            probe.append(np.repeat(np.arange(len(words)), counts))
            link.append(np.array([rows.get(word, NONE) for word in chain.from_iterable(words)], dtype=np.int64))
            side.append(np.full(len(link[-1]), number))
        columns: list[Ints] = [np.concatenate(column) for column in (probe, link, side)]
        self._probe, self._link, self._side = columns
        if (strange := np.flatnonzero(self._link == NONE)).size:
            line, (_, _, *ways) = table[self._probe[strange[0]]]
            word = next(word for text in ways for word in text.split() if word not in rows)
            refuse(f"the blueprint has no link '{word}'", file, line, hint="plan the probes anew for this blueprint")
        self._read_classes(folder / CLASSES)

    def _read_classes(self, file: Path) -> None:
        # who stands together with whom, and what is on no probe
        together: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.together: dict[tuple[str, str], list[str]] = {}
        self.unplanned: dict[str, int] = {}
        self._shared: set[str] = set()
        for _, (cls, link, direction, why) in read_rows(file, ("class", "link", "direction", "why")):
            if cls:
                self.together[link, direction] = together[cls, direction]
                together[cls, direction].append(link)
            else:
                self.unplanned[why] = self.unplanned.get(why, 0) + 1
            if why == SPREAD_OVER:
                self._shared.add(link)

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
        unmeasured = np.setdiff1d(self.directions, self.directions[measured[self._probe]])
        return tuple(map(self._name_direction, unmeasured.tolist()))

    # Parts are numbered kind by kind: directions of links, links, modules, halves of modules, switches.

    @cached_property
    def _modules(self) -> tuple[list[Ints], list[tuple[int, str, int]]]:
        # (by end of a link its module, and its half of one, -1 for none; device, socket and half, 0 for all, of each)
        links = self._view.links
        number: dict[tuple[int, str, int], int] = {}
        members: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
        crossed = np.unique(self._link)
        for end, (device, cage) in enumerate(((links.a, links.a_cage), (links.b, links.b_cage))):
            for row, at, socket in zip(crossed.tolist(), device[crossed].tolist(), cage[crossed].tolist(), strict=True):
                members[at, socket].append((end, row))
        columns = [np.full(len(links), -1) for _ in range(4)]
        for (at, socket), ends in members.items():
            # links whose packets are spread stand for others, in other modules
            if len(ends) == 1 or any(links.name[row] in self._shared for _, row in ends):
                continue
            for place, (end, row) in enumerate(ends):
                columns[end][row] = number.setdefault((at, socket, 0), len(number))
                if len(ends) >= HALF_OF:
                    half = 1 + 2 * place // len(ends)
                    columns[2 + end][row] = number.setdefault((at, socket, half), len(number))
        return columns, list(number)

    @cached_property
    def _first(self) -> tuple[int, int, int, int]:
        # where links, modules, switches begin, and an end
        links = len(self._view.links)
        modules = 3 * links + len(self._modules[1])
        return 2 * links, 3 * links, modules, modules + len(self._view.devices)

    def make_parts(self, measured: Flags) -> Parts:
        """The parts that measured probes cross, each once a probe."""
        links, (first_link, first_module, first_switch, count) = self._view.links, self._first
        probe, link = self._probe, self._link
        columns = [(probe, self.directions), (probe, first_link + link)]
        for column in self._modules[0]:
            inside = column[link] >= 0
            columns.append((probe[inside], first_module + column[link[inside]]))
        # a switch is the upper end of links upward, and of those downward; where packets are spread, a leaf alone
        kind = self._view.devices.kind
        from_node = kind[links.a[link]] != "switch"
        certain = from_node | ~self._is_spread[probe]
        columns.append((probe[certain], first_switch + links.b[link[certain]].astype(np.int64)))
        probes, parts = (np.concatenate(column) for column in zip(*columns, strict=True))
        kept = measured[probes]
        # a number for each pair of part and probe, part first; 9,490,689 pairs of 2,517,037 parts stay below 2**63
        both = np.sort(parts[kept] * len(self.number) + probes[kept])
        both = both[np.diff(both, prepend=-1) > 0]  # as np.unique, in a quarter of the time
        return Parts(both % len(self.number), both // len(self.number), count)

    def describe_part(self, part: int) -> tuple[str, str, tuple[str, ...]]:
        """(kind, name, links that are meant) of a part."""
        links, devices = self._view.links, self._view.devices
        first_link, first_module, first_switch, _ = self._first
        if part < first_link:
            name, direction = links.name[part // 2], (UP, DOWN)[part % 2]
            return "direction", self._name_direction(part), tuple(self.together.get((name, direction), [name]))
        if part < first_module:
            name = links.name[part - first_link]
            both = [*self.together.get((name, UP), [name]), *self.together.get((name, DOWN), [name])]
            return "link", f"{name} and {self._name_far(part - first_link)}", tuple(dict.fromkeys(both))
        if part < first_switch:
            device, socket, half = self._modules[1][part - first_module]
            rows = [
                row
                for end in (0, 1)
                for row in np.flatnonzero(self._modules[0][end + 2 * (half > 0)] == part - first_module)
            ]
            name = f"{devices.name[device]}:{socket}" + (f", {('first', 'second')[half - 1]} half" if half else "")
            return "half" if half else "module", name, tuple(links.name[row] for row in rows)
        row = part - first_switch
        crossed = np.unique(self._link[(links.a[self._link] == row) | (links.b[self._link] == row)])
        return "switch", devices.name[row], tuple(links.name[crossed].tolist())

    def _name_far(self, row: int) -> str:
        return f"{self._view.links.b_device[row]}:{self._view.links.b_port[row]}"

    def _name_direction(self, direction: int) -> str:
        ends = self._view.links.name[direction // 2], self._name_far(direction // 2)
        return " to ".join(reversed(ends) if direction % 2 else ends)


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
    sums = {name: np.zeros(len(table.number)) for name in MEASURES}
    rows = {name: np.zeros(len(table.number)) for name in MEASURES}
    for file in files:
        for line, (name, *cells) in read_rows(file, ("probe",), MEASURES):
            if name not in table.number:
                refuse(f"there is no probe '{name[:80]}' in the plan", file, line)
            values = {m: parse_number(cell, m, file, line) for m, cell in zip(MEASURES, cells, strict=True)}
            if values["lost"] > values["sent"]:
                refuse(f"{values['lost']:g} packets were lost, of {values['sent']:g} that were sent", file, line)
            if math.isnan(values["lost"]) != math.isnan(values["sent"]):
                refuse("sent and lost are known together, or not at all", file, line)
            for measure, value in values.items():
                if not math.isnan(value):
                    sums[measure][table.number[name]] += value
                    rows[measure][table.number[name]] += 1
    if not any(counts.any() for counts in rows.values()):
        hint = f"the columns are probe, and some of {', '.join(MEASURES)}"
        refuse("there is no result of any probe", files[0], hint=hint)
    with np.errstate(invalid="ignore"):
        means = {name: sums[name] / np.where(rows[name] > 0, rows[name], np.nan) for name in MEASURES}
    latency = means["median_us"] if rows["median_us"].any() else means["p99_us"]
    lost = np.where(sums["sent"] > 0, sums["lost"], np.nan)
    # what came to a standstill is taken for a thousandth of the speed
    return {"sent": sums["sent"], LOSS: lost, LATENCY: latency, RATE: 1 / np.maximum(means["gbps"], table.gbps / 1000)}
