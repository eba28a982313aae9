"""What fabricgen is held to, and whether it was met: in every run, not in the best or the middle one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.cases import HELP, LINT_NORMAL, SUMMARY, TAR, ZST
from benchmarks.measure import Run
from benchmarks.rounds import Row
from benchmarks.sizes import SIZES

LARGE, MILLION, FAMILY = "200k", "1m", ("16k", "1m")


@dataclass(frozen=True, slots=True)
class Target:
    """A limit, the figures of all runs that it is for, and what was in the way of having them."""

    what: str
    unit: str
    limit: float
    found: tuple[float, ...]
    at_least: bool = False
    problem: str = ""

    @property
    def worst(self) -> float | None:
        """The figure of the worst run; none where there is no figure."""
        return (min if self.at_least else max)(self.found) if self.found else None

    @property
    def met(self) -> bool:
        """Whether every run is within the limit."""
        if self.problem or self.worst is None:
            return False
        return self.worst >= self.limit if self.at_least else self.worst <= self.limit


@dataclass(frozen=True, slots=True)
class Peer:
    """What a peer and fabricgen take for the same leaf-spine."""

    name: str
    version: str
    devices: int
    links: int
    theirs: Run
    writes: str
    """What fabricgen writes: configurations alone, as the peer does, or all of its usual parts."""
    ours: Run

    @property
    def times(self) -> float:
        """How many times the processor time of fabricgen the peer takes."""
        return self.theirs.cpu_s / self.ours.cpu_s

    @property
    def problem(self) -> str:
        """What was in the way of a comparison."""
        return self.theirs.problem or self.ours.problem


_PEER_TARGETS = {160: 20.0, 1040: 100.0}
"""By devices: how many times less processor time than pyavd."""

_WALL_S = (
    ("", HELP, 0.15),
    ("", LINT_NORMAL, 0.6),
    (LARGE, "show", 0.7),
    (LARGE, "lint --fast", 0.7),
    (LARGE, "lint", 2),
    (LARGE, SUMMARY, 2),
    (LARGE, TAR, 8),
    (LARGE, ZST, 8),
    (MILLION, TAR, 40),
    (MILLION, ZST, 40),
)
_PEAK_MB = ((LARGE, SUMMARY, 500), (LARGE, TAR, 600), (LARGE, ZST, 600), (MILLION, TAR, 2000), (MILLION, ZST, 2000))


def targets(rows: Sequence[Row], peers: Sequence[Peer]) -> list[Target]:
    """The targets that what was measured can be held to."""
    found = {(row.size, row.name): row for row in rows}
    return [*_simple(found), *_growth(found), *_against(peers)]


def _simple(found: Mapping[tuple[str, str], Row]) -> Iterator[Target]:
    kinds: tuple[tuple[Sequence[tuple[str, str, float]], str, str, Callable[[Run], float]], ...] = (
        (_WALL_S, "", "s", lambda run: run.wall_s),
        (_PEAK_MB, ", memory", "MB", lambda run: run.peak_mb),
    )
    for limits, what, unit, figure in kinds:
        for size, name, limit in limits:
            if row := found.get((size, name)):
                figures = tuple(map(figure, row.runs))
                yield Target(f"{_title(row)}{what}", unit, limit, figures, problem="; ".join(row.problems))


def _title(row: Row) -> str:
    return f"{row.size} {row.name}".strip()


def _growth(found: Mapping[tuple[str, str], Row]) -> Iterator[Target]:
    small, large = (found.get((size, ZST)) for size in FAMILY)
    if small and large:
        links = SIZES[large.size].links / SIZES[small.size].links
        pairs = zip(small.runs, large.runs, strict=False)
        growth = tuple(many.cpu_s / few.cpu_s / links for few, many in pairs)
        problem = "; ".join([*small.problems, *large.problems])
        yield Target(f"{ZST}, CPU a link, {large.size} / {small.size}", "x", 1, growth, problem=problem)


def floor_ratios(row: Row) -> tuple[float, ...]:
    """Wall time of every run that has a floor in multiples of what its floor took, on average before and after."""
    pairs = zip(row.runs, row.floors, strict=False)
    return tuple(run.wall_s * len(floors) / sum(floor.wall_s for floor in floors) for run, floors in pairs if floors)


def _against(peers: Sequence[Peer]) -> Iterator[Target]:
    for peer in peers:
        limit = _PEER_TARGETS.get(peer.devices)
        if peer.name == "pyavd" and limit:
            title = f"CPU of pyavd / fabricgen, {peer.devices:,} devices, {peer.links:,} links, {peer.writes}"
            times = (peer.times,) if not peer.problem else ()
            yield Target(title, "x", limit, times, at_least=True, problem=peer.problem)
