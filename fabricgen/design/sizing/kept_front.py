"""What the lock keeps of the front panel of a lowest tier's switches: the cages of each kind of down port, and which
ports of these nodes and management ports have.

Ports of a kind are numbered through its cages in their order. A cage that another kind has taken since leaves a gap in
that order, so that the ports behind it keep their numbers. What grows past its ports gets the next free ones, and moves
no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.ports import PortKind, PortPlacement, PortRun, SwitchDemand, down_class
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    NoRoomError,
    allocate_intervals,
    count_numbers,
    list_first_numbers,
    list_numbers,
    make_intervals,
)

MANAGEMENT_PORTS = "management"
"""The holder of management ports."""

_EXTRAS = ""
"""Stands for the ports of extra devices, among the holders of a run."""


def nodes_holder(fabric: str, part: str, number: int) -> str:
    """The holder of ports for nodes of a fabric in a part of the cluster; `number` counts its kinds of cables there,
    from 0.
    """
    return f"nodes {number + 1 if number else ''}".rstrip() + f" of {fabric}" + (f"/{part}" if part else "")


def links_holder(lower: TierKey) -> str:
    """The holder of ports for the links of a lower tier's switches."""
    return f"links of {lower.text}"


def beside_nodes(tier: TierKey) -> str:
    """What the lock calls the ports of lower tiers and of management on a tier that nodes attach to, where it says by
    what they are numbered.
    """
    return f"{tier.text} beside nodes"


def run_text(ways: int, kind: PortKind) -> str:
    """A kind of port with its split as the lock has it: `4 x 200 over 100`."""
    rest = " copper" * kind.rj45 + (f" for {kind.purpose}" if kind.purpose else "")
    return f"{ways} x {kind.speed_gbps} over {kind.lane_gbps:g}{rest}"


def name_of(run: PortRun) -> str:
    """The kind of a run's ports as the lock has it."""
    return run_text(run.ways, PortKind(run.speed_gbps, run.lane_gbps, run.form_factor == "RJ45", run.purpose))


def cages_kind(tier: TierKey) -> str:
    """The kind of lock entry for the cages of a tier's switches."""
    return f"cages {tier.text}"


def kept_cages(lock: Lock, tier: TierKey, kind: PortKind) -> list[int]:
    """The cages of a kind of down port on a tier's switches, as the lock has them, however they are split."""
    split = re.compile(r"\d+" + re.escape(run_text(1, kind)[1:]))
    held = (some for name, some in lock.of(cages_kind(tier)).items() if split.fullmatch(name))
    return [cage for some in held for cage in list_numbers(some) if cage]


def ports_kind(tier: TierKey, run: str) -> str:
    """The kind of lock entry for the down ports of one kind on a tier's switches."""
    return f"downlinks {tier.text} {run}"


def extra_ports(lock: Lock, tier: TierKey) -> set[tuple[int, int]]:
    """(cage, port in the cage) of extra devices, present and gone, on any switch of a tier, as the lock has them."""
    texts = (text for text in lock.find_words("extras").values() if text.startswith(f"{tier.text} "))
    found = (re.search(r" cage (\d+)/(\d+)$", text) for text in texts)
    return {(int(m[1]), int(m[2]) - 1) for m in found if m}


class Keep(Enum):
    """How much of what the lock keeps stays, from most to least."""

    ALL = "also for those that are gone"
    NEEDED = "for those that are present, units to come included"
    USED = "for those that are present, no more than they need now"


@dataclass(frozen=True, slots=True)
class Purpose:
    """Down ports in run `run` that one holder needs: `room` of them, from port `first` on where nothing is kept."""

    name: str
    run: int
    first: int
    room: int


class KeptFront:
    """The cages and ports that the lock keeps on the switches of one lowest tier."""

    def __init__(self, lock: Lock, tier: TierKey, profile: SwitchProfile) -> None:
        self._lock, self._tier, self._profile = lock, tier, profile
        self._cages = {name: tuple(list_numbers(some)) for name, some in lock.of(cages_kind(tier)).items()}
        self._extras = extra_ports(lock, tier) if self._cages else set()
        """(cage, port in the cage) of extra devices, present and gone, on any switch of the tier."""

    def place(
        self,
        demand: SwitchDemand,
        purposes: Sequence[Purpose],
        placed: Callable[[SwitchDemand], PortPlacement | None],
    ) -> tuple[SwitchDemand, PortPlacement, dict[str, Intervals], tuple[Intervals, ...]]:
        """Place a demand beside all that is kept, else beside what of it is still needed, then without the ports that
        are kept for units to come, else anew.

        `placed` places the ports of a switch, and must succeed where nothing is kept. Returns the demand with what is
        kept for it, its placement, the ports of each purpose, and those of each run that somebody has.
        """
        for keep in Keep if self._cages else ():
            wanted = self._keeping(demand, purposes, keep)
            placement = placed(wanted)
            laid = placement and self._lay(placement.downs, wanted, purposes, keep)
            if placement and laid:
                return _with_busy(wanted, placement, laid[1]), placement, *laid
        placement = placed(demand)
        assert placement is not None  # noqa: S101 - the caller has tried
        anew = self._lay(placement.downs, demand, purposes, Keep.NEEDED)
        assert anew is not None  # noqa: S101 - one behind the other
        return demand, placement, *anew

    def _keeping(self, demand: SwitchDemand, purposes: Sequence[Purpose], keep: Keep) -> SwitchDemand:
        """A demand with the cages that the lock keeps for it, or for those that are in it no more."""
        downs, mine, rooms = [], set(), {purpose.name: purpose.room for purpose in purposes}
        for wanted in demand.downs:
            chosen = down_class(self._profile, wanted)
            name = chosen and run_text(chosen[1], wanted.kind)
            if not chosen or name not in self._cages:
                downs.append(wanted)
                continue
            mine.add(name)
            held = self._held(name, rooms, keep)
            more = sum(count_numbers(some) for holder, some in held.items() if holder not in rooms)
            busy = self._busy(name, chosen[1], held)
            downs.append(replace(wanted, ports=wanted.needed + more, kept=self._cages[name], busy=busy))
        claimed = set(demand.claimed)
        for name in self._cages.keys() - mine if keep is Keep.ALL else ():
            claimed.update(self._busy(name, int(name.split()[0]), self._lock.of(ports_kind(self._tier, name))))
        return replace(demand, downs=tuple(downs), claimed=tuple(sorted(claimed)))

    def _held(self, name: str, rooms: Mapping[str, int], keep: Keep) -> Allocations:
        """The ports of each holder that are kept; `rooms` has how many each holder that is present needs."""
        held = self._lock.of(ports_kind(self._tier, name))
        if keep is Keep.ALL:
            return held
        present = {holder: some for holder, some in held.items() if holder in rooms}
        if keep is Keep.NEEDED:
            return present
        return {holder: make_intervals(list_first_numbers(some, rooms[holder])) for holder, some in present.items()}

    def _busy(self, name: str, ways: int, held: Allocations) -> tuple[int, ...]:
        """The cages of a kind whose ports somebody has."""
        cages = self._cages[name]
        used = {n // ways for some in held.values() for n in list_numbers(some)}
        busy = {cages[place] for place in used if place < len(cages)}
        return tuple(sorted((busy | {cage for cage, _ in self._extras if cage in cages}) - {0}))

    def _lay(
        self, runs: Sequence[PortRun], demand: SwitchDemand, purposes: Sequence[Purpose], keep: Keep
    ) -> tuple[dict[str, Intervals], tuple[Intervals, ...]] | None:
        """(the ports of each purpose, the ports of each run that somebody has); None where they cannot be as kept.

        A run of which nothing is kept has no ports in the second, and its purposes follow one another.
        """
        found: dict[str, Intervals] = {}
        taken: list[Intervals] = []
        for number, wanted in enumerate(demand.downs):
            run, mine = runs[number], [purpose for purpose in purposes if purpose.run == number]
            if not wanted.kept:
                found |= {one.name: (Interval(one.first, one.room),) for one in mine}
                taken.append(())
                continue
            given = self._lay_run(run, mine, keep)
            if given is None:
                return None
            found |= {one.name: given[one.name] for one in mine}
            taken.append(
                make_intervals(sorted(n for name, some in given.items() if name != _EXTRAS for n in list_numbers(some)))
            )
        return found, tuple(taken)

    def _lay_run(self, run: PortRun, purposes: Sequence[Purpose], keep: Keep) -> dict[str, Intervals] | None:
        """The ports of every holder of a run, the kept ones first; None where not all can be had."""
        per, places = run.per_connector, {cage: i for i, cage in enumerate(run.cages) if cage}
        live = {place * run.ways + sub for place in places.values() for sub in range(run.ways)}
        rooms = {one.name: -(-one.room // per) * per for one in purposes}
        held = dict(self._held(name_of(run), rooms, keep))
        extras = sorted(places[cage] * run.ways + sub for cage, sub in self._extras if cage in places)
        whole = {port // per * per + i for port in extras for i in range(per)}
        busy = {n for some in held.values() for n in list_numbers(some)}
        if not busy <= live or busy & set(extras):
            return None
        windows = make_intervals(sorted(live))
        requests = [AllocationRequest(name, room, windows, per) for name, room in rooms.items()]
        try:
            return {**held, **allocate_intervals({**held, _EXTRAS: make_intervals(sorted(whole - busy))}, requests)}
        except NoRoomError:
            return None


def _with_busy(demand: SwitchDemand, placement: PortPlacement, taken: Sequence[Intervals]) -> SwitchDemand:
    """A demand whose ports must stay in the cages where they have been placed."""
    downs = []
    for wanted, run, ports in zip(demand.downs, placement.downs, taken, strict=True):
        cages = {run.cages[port // run.ways] for port in list_numbers(ports)} if wanted.kept else set()
        kept = run.cages[: max((i + 1 for i, c in enumerate(run.cages) if c in cages), default=0)]
        longer = kept if len(kept) > len(wanted.kept) else wanted.kept
        downs.append(replace(wanted, kept=longer, busy=tuple(sorted({*wanted.busy, *cages}))))
    return replace(demand, downs=tuple(downs))


def placed_cages(kept: Mapping[str, Intervals], runs: Iterable[PortRun]) -> dict[str, Intervals]:
    """The cages of each kind as the lock keeps them, with a gap (0) for each that another kind has taken since."""
    now = {name_of(run): run.cages for run in runs}
    taken = {cage for cages in now.values() for cage in cages}
    gone = {
        name: tuple(cage if cage not in taken else 0 for cage in list_numbers(some))
        for name, some in kept.items()
        if name not in now
    }
    return {name: make_intervals(cages) for name, cages in (gone | now).items() if any(cages)}
