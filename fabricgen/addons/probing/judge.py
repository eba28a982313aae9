"""The links that results of probes point to, by the tables of the plan by which the probes were sent."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np

from fabricgen.addons.probing.graph import NONE
from fabricgen.addons.probing.plan import DOWN, SPREAD, SPREAD_OVER, UP
from fabricgen.addons.probing.solver import Delays, Losses, Parts, Suspect, find_suspects
from fabricgen.addons.probing.tables import parse_numbers, read_rows, refuse
from fabricgen.api import ClusterView, Flags, Floats, Ints64, rank_within

PROBES, CLASSES = "probes.csv", "classes.csv"
MEASURES = ("sent", "lost", "median_us", "p99_us", "gbps")
LOSS, LATENCY, RATE = "loss", "latency", "rate"
FEW = 3
"""Other parts that are as likely are named up to this many."""
HALF_OF = 4
"""Modules with fewer links than this have no halves, because a half would be a link."""
HALF_WORD = 32
"""Bits of a number that stand for a probe; the bits above stand for a part."""


@dataclass(frozen=True)
class Named:
    """A part that results name as faulty: its kind and name, all links that it may be, and what it does.

    `amounts` has, by measure, the share of packets lost, the microseconds added, or the share of its rate that is
    missing. `gain` is its log-likelihood ratio (`solver.py`); `others` are parts that are nearly as likely, such as
    `switch spine-01`.
    """

    kind: str
    name: str
    links: tuple[str, ...]
    amounts: dict[str, float]
    gain: float
    others: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What results of probes say: the parts that they name, the likeliest first, and what no result covers.

    `name` is that of the cluster; `planned` probes were planned, of which `answered` have results.
    """

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
    """The probes of a folder that `probe plan` wrote, and the parts of the cluster that they cross.

    A direction of a link is a number: twice the row of the link, plus one for downward. A part is a direction, a link,
    a module (what is in one cage), half a module or a switch. Directions that the same probes cross form a class.
    """

    def __init__(self, view: ClusterView, folder: Path) -> None:
        self._view, file = view, folder / PROBES
        self.number: dict[str, int] = {}
        row_by_name = {name: row for row, name in enumerate(view.links.name.tolist())}
        # arrays of numbers: of two million crossings neither words nor lists are kept
        links, lengths, is_spread = array("q"), array("q"), array("b")
        for line, name, protocol, *link_names in read_rows(file, ("probe", "protocol", UP, DOWN)):
            if name in self.number:
                refuse(f"there are several probes '{name}'", file, line)
            self.number[name] = len(self.number)
            is_spread.append(protocol == SPREAD)
            up, down = map(str.split, link_names)
            links.extend(_find_rows(row_by_name, up + down, file, line))
            lengths.extend((len(up), len(down)))
        self._is_spread = np.array(is_spread, dtype=bool)
        # a row for each crossing of a probe and a link
        self._probe, is_down = np.divmod(np.repeat(np.arange(len(lengths)), lengths), 2)
        self._link = np.array(links, dtype=np.int64)
        self._direction = 2 * self._link + is_down
        # by reason and class the directions of links that probes cannot tell apart; of class "" those on no probe
        self._members: dict[tuple[str, str], list[int]] = defaultdict(list)
        for line, cls, name, way, why in read_rows(folder / CLASSES, ("class", "link", "direction", "why")):
            (row,) = _find_rows(row_by_name, [name], folder / CLASSES, line)
            self._members[why, cls].append(2 * row + (way == DOWN))

    def list_unplanned(self) -> dict[str, list[str]]:
        """Return {reason: names of directions of links} for the directions that no probe crosses."""
        lists = {why: directions for (why, cls), directions in self._members.items() if not cls}
        return {why: list(map(self._name_direction, directions)) for why, directions in lists.items()}

    def list_classes(self) -> dict[str, list[tuple[str, int]]]:
        """Return, by reason, the classes of directions that probes cannot tell apart, as (name of the first, how many
        there are).
        """
        classes = defaultdict(list)
        for (why, cls), directions in self._members.items():
            if cls:
                classes[why].append((self._name_direction(min(directions)), len(directions)))
        return classes

    @cached_property
    def gbps(self) -> Floats:
        """By probe, the speed of the slowest link on its path, Gb/s."""
        slowest = np.full(len(self.number), np.inf)
        np.minimum.at(slowest, self._probe, self._view.links.speed_gbps[self._link])
        return slowest

    @cached_property
    def lengths(self) -> Ints64:
        """By probe, the number of links that it crosses."""
        return np.bincount(self._probe, minlength=len(self.number))

    def list_unmeasured(self, is_measured: Flags) -> tuple[str, ...]:
        """Return the directions of links that probes cross, but no measured probe; `is_measured` is a flag for each
        probe.
        """
        is_crossed = np.bincount(self._direction, minlength=2 * len(self._view.links)) > 0
        is_crossed[self._direction[is_measured[self._probe]]] = False
        return tuple(map(self._name_direction, np.flatnonzero(is_crossed).tolist()))

    # Parts are numbered kind by kind: directions of links, links, modules and both halves of each, switches.

    @cached_property
    def _modules(self) -> tuple[Ints64, list[tuple[int, str]]]:
        """(modules of each link, (device, cage) of each socket).

        The modules are int64 of shape (4, links): the module at end a and that at end b, then the half of each that the
        link is on. Socket n has the module 3 n, and the halves 3 n + 1 and 3 n + 2; -1 stands for one with too few
        links to be a part.
        """
        links, numbers = self._view.links, defaultdict[tuple[int, str], int](count().__next__)
        crossed = np.flatnonzero(np.bincount(self._link, minlength=len(links)))
        devices, cages = (
            np.concatenate((a_column[crossed], b_column[crossed])).tolist()
            for a_column, b_column in ((links.a, links.b), (links.a_cage, links.b_cage))
        )
        socket = np.fromiter(map(numbers.__getitem__, zip(devices, cages, strict=True)), np.int64, len(devices))
        # a link whose packets are spread stands for others, which are in other modules
        spread_links = [row // 2 for (why, _), rows in self._members.items() if why == SPREAD_OVER for row in rows]
        is_shared = np.bincount(socket, np.tile(np.isin(crossed, spread_links), 2))[socket] > 0
        links_in_socket = np.where(is_shared, 0, np.bincount(socket)[socket])
        half = 1 + 2 * rank_within(socket) // np.maximum(links_in_socket, 1)
        modules = np.full((4, len(links)), NONE)
        modules_and_halves = [(links_in_socket >= 2, 3 * socket), (links_in_socket >= HALF_OF, 3 * socket + half)]
        modules[:, crossed] = np.concatenate(
            [np.where(is_counted, module_number, NONE) for is_counted, module_number in modules_and_halves]
        ).reshape(4, -1)
        return modules, list(numbers)

    @cached_property
    def _starts(self) -> tuple[int, int, int]:
        """The number of the first link, of the first module and of the first switch among parts, which begin with
        directions.
        """
        links = len(self._view.links)
        return 2 * links, 3 * links, 3 * links + 3 * len(self._modules[1])

    def make_parts(self, is_measured: Flags) -> Parts:
        """Return which measured probes cross which parts; `is_measured` is a flag for each probe.

        A probe counts once for each part. A probe whose packets are spread crosses no switch for certain but its
        leaves.
        """
        links, (first_link, first_module, first_switch) = self._view.links, self._starts
        crossings = np.flatnonzero(is_measured[self._probe])
        probe, link = self._probe[crossings], self._link[crossings]
        # a probe crosses the switch at the upper end of its links; if its packets are spread, only leaves for certain
        is_certain = (self._view.devices.kind != "switch")[links.a[link]] | ~self._is_spread[probe]
        switch = np.where(is_certain, first_switch + links.b[link].astype(np.int64), NONE)
        modules = np.where(self._modules[0] >= 0, first_module + self._modules[0], NONE)[:, link]
        # a number for each pair of part and probe, part first
        parts = (self._direction[crossings], first_link + link, switch, *modules)
        parts_and_probes = np.concatenate([part << HALF_WORD | probe for part in parts])
        parts_and_probes = np.sort(parts_and_probes[parts_and_probes >= 0])
        parts_and_probes = parts_and_probes[
            np.diff(parts_and_probes, prepend=-1) > 0
        ]  # as np.unique, in a quarter of the time
        return Parts(
            parts_and_probes & ((1 << HALF_WORD) - 1),
            parts_and_probes >> HALF_WORD,
            first_switch + len(self._view.devices),
        )

    def describe_part(self, part: int) -> tuple[str, str, tuple[str, ...]]:
        """Return (kind, name, names of the links that are meant) of a part by its number; indistinct directions count
        as meant.
        """
        links, devices = self._view.links, self._view.devices
        first_link, first_module, first_switch = self._starts
        if part < first_link:
            return "direction", self._name_direction(part), self._list_together(part)
        if part < first_module:
            row = part - first_link
            possible_links = (*self._list_together(2 * row), *self._list_together(2 * row + 1))
            return "link", f"{links.name[row]} and {self._name_far(row)}", tuple(dict.fromkeys(possible_links))
        if part < first_switch:
            modules, sockets = self._modules
            socket, half = divmod(part - first_module, 3)
            device, cage = sockets[socket]
            name = f"{devices.name[device]}:{cage}{('', ', first half', ', second half')[half]}"
            rows = np.nonzero(modules == part - first_module)[1]
            return "half" if half else "module", name, tuple(links.name[rows].tolist())
        switch = part - first_switch
        crossed = np.unique(self._link[(links.a[self._link] == switch) | (links.b[self._link] == switch)])
        return "switch", devices.name[switch], tuple(links.name[crossed].tolist())

    @cached_property
    def _class_of_direction(self) -> dict[int, list[int]]:
        """By direction that probes cannot tell from others, all directions of its class."""
        classes = (directions for (_, cls), directions in self._members.items() if cls)
        return {direction: directions for directions in classes for direction in directions}

    def _list_together(self, direction: int) -> tuple[str, ...]:
        """Return the names of the links whose directions are in the class of a direction, its own link included."""
        rows = np.array(sorted(self._class_of_direction.get(direction, [direction]))) // 2
        return tuple(self._view.links.name[rows].tolist())

    def _name_far(self, row: int) -> str:
        return f"{self._view.links.b_device[row]}:{self._view.links.b_port[row]}"

    def _name_direction(self, direction: int) -> str:
        ends = self._view.links.name[direction // 2], self._name_far(direction // 2)
        return " to ".join(reversed(ends) if direction % 2 else ends)


def _find_rows(row_by_name: Mapping[str, int], names: Sequence[str], file: Path, line: int) -> list[int]:
    """Return the rows of links by name; raises InputError (FG181), at a line of a file, for a name of no link."""
    try:
        return [row_by_name[name] for name in names]
    except KeyError as error:
        refuse(
            f"the blueprint has no link '{error.args[0]}'", file, line, hint="plan the probes anew for this blueprint"
        )


def judge_results(view: ClusterView, folder: Path, files: Sequence[Path]) -> Verdict:
    """Return which parts the results of a folder's probes name as lossy or slow, and what they leave open.

    `files` are the tables of results. Raises InputError (FG181) for tables that cannot be used.
    """
    table = ProbeTable(view, folder)
    results = _read_results(table, files)
    measured = {name: ~np.isnan(results[name]) for name in (LOSS, LATENCY, RATE)}
    suspects: list[tuple[str, Suspect]] = []
    for name, is_measured in measured.items():
        if is_measured.any():
            parts = table.make_parts(is_measured)
            group_of_probe = table.lengths if name == LATENCY else table.gbps
            losses = np.nan_to_num(results[LOSS])
            measure = (
                Losses(parts, results["sent"], losses) if name == LOSS else Delays(parts, results[name], group_of_probe)
            )
            suspects += [(name, suspect) for suspect in find_suspects(parts, measure)]
    usual_time = float(np.nanmedian(results[RATE])) if measured[RATE].any() else 0.0
    is_answered = np.any(list(measured.values()), axis=0)
    return Verdict(
        view.name,
        len(table.number),
        int(is_answered.sum()),
        tuple(_join_suspects(table, suspects, usual_time)),
        table.list_unmeasured(is_answered),
        table.list_unplanned(),
        table.list_classes(),
    )


def _join_suspects(table: ProbeTable, suspects: list[tuple[str, Suspect]], usual_time: float) -> Iterable[Named]:
    """Yield the suspects as named parts, the likeliest first; a part that both loses packets and is slow is named once.

    `suspects` are (measure, suspect). The amount of RATE is time that is added for a gigabit; with `usual_time`, the
    usual time for a gigabit, it becomes the share of the rate that is missing. Other parts with the same links are not
    named beside a part.
    """
    suspects_by_part: dict[int, dict[str, Suspect]] = defaultdict(dict)
    # the likeliest first, which orders the parts and the measures of each
    for measure, suspect in sorted(suspects, key=lambda pair: -pair[1].gain):
        suspects_by_part[suspect.part][measure] = suspect
    for part, by_measure in suspects_by_part.items():
        kind, name, links = table.describe_part(part)
        amounts = {measure: suspect.amount for measure, suspect in by_measure.items()}
        amounts |= {RATE: amounts[RATE] / (amounts[RATE] + usual_time)} if RATE in amounts else {}
        likeliest = next(iter(by_measure.values()))
        described = map(table.describe_part, likeliest.others[:FEW])
        other_names = tuple(
            f"{other_kind} {other_name}" for other_kind, other_name, other_links in described if other_links != links
        )
        yield Named(kind, name, links, amounts, likeliest.gain, other_names)


def _read_results(table: ProbeTable, files: Sequence[Path]) -> dict[str, Floats]:
    """Return what was measured by each probe, float64 columns in the order of `table.number`; NaN if it was not.

    `sent` is how many packets were sent (0 if that was not measured), LOSS how many of them were lost, LATENCY the
    median in us (the 99th percentile if no table has medians), RATE the seconds for a gigabit. If a probe has several
    rows, their packets are added up; their latencies and their rates in Gb/s are averaged.

    Raises InputError (FG181) for a probe that is not planned, for numbers that cannot be, and if there are no results.
    """
    sums, rows = (np.zeros((len(MEASURES), len(table.number))) for _ in range(2))
    for file in files:
        cells = [*zip(*read_rows(file, ("probe",), MEASURES), strict=True)] or [()] * (2 + len(MEASURES))
        lines, names, *columns = cells
        probe = np.fromiter((table.number.get(name, NONE) for name in names), np.int64, len(names))
        for row in np.flatnonzero(probe == NONE).tolist():
            refuse(f"there is no probe '{names[row][:80]}' in the plan", file, lines[row])
        values = [parse_numbers(column, name, file, lines) for name, column in zip(MEASURES, columns, strict=True)]
        sent, lost, *_ = values
        for row in np.flatnonzero(lost > sent).tolist():
            refuse(f"{lost[row]:g} packets were lost, of {sent[row]:g} that were sent", file, lines[row])
        for row in np.flatnonzero(np.isnan(lost) != np.isnan(sent)).tolist():
            refuse("sent and lost are known together, or not at all", file, lines[row])
        sums += [np.bincount(probe, np.nan_to_num(column), len(table.number)) for column in values]
        rows += [np.bincount(probe, ~np.isnan(column), len(table.number)) for column in values]
    if not rows.any():
        refuse(
            "there is no result of any probe",
            files[0],
            hint=f"the columns are probe, and some of {', '.join(MEASURES)}",
        )
    _, _, median, p99, gbps = sums / np.where(rows > 0, rows, np.nan)
    lost = np.where(sums[0] > 0, sums[1], np.nan)
    # a probe that came to a standstill counts as one with a thousandth of the speed
    return {
        "sent": sums[0],
        LOSS: lost,
        LATENCY: median if rows[2].any() else p99,
        RATE: 1 / np.maximum(gbps, table.gbps / 1000),
    }
