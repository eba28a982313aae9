"""What the lock keeps of the front panel of a lowest tier's switches: the cages of each kind of down port, and the
ports of nodes and management in them.

Ports of a kind are numbered through its cages in their order. A cage that another kind has taken since leaves a gap in
that order, so that the ports behind it keep their numbers. A holder is what ports are for, by its name in the lock:
`nodes of compute`, `links of compute leaf`, `management`. One that grows past its ports gets the next free ones, and
moves no others.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.ports import PortKind, PortPlacement, PortRun, SwitchDemand, find_down_class
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


def name_nodes_holder(fabric: str, part: str, number: int) -> str:
    """Return the holder of ports for nodes of a fabric in a part of the cluster; `number` counts their kinds of ports,
    from 0: `nodes of compute`, `nodes 2 of compute/b300`.
    """
    return f"nodes {number + 1 if number else ''}".rstrip() + f" of {fabric}" + (f"/{part}" if part else "")


def name_links_holder(lower: TierKey) -> str:
    """Return the holder of ports for the links of a lower tier's switches: `links of compute leaf`."""
    return f"links of {lower.text}"


def name_ports_beside_nodes(tier: TierKey) -> str:
    """Return the lock's name for the ports of lower tiers and of management on a tier that nodes attach to, under which
    it keeps whether they are numbered by slot or by unit.
    """
    return f"{tier.text} beside nodes"


def spell_run(ways: int, kind: PortKind) -> str:
    """Return a kind of port with its split as the lock spells it: `4 x 200 over 100`."""
    suffix = " copper" * kind.rj45 + (f" for {kind.purpose}" if kind.purpose else "")
    return f"{ways} x {kind.speed_gbps} over {kind.lane_gbps:g}{suffix}"


def name_run(run: PortRun) -> str:
    """Return the kind of a run's ports, with their split, as the lock spells it."""
    return spell_run(run.ways, PortKind(run.speed_gbps, run.lane_gbps, run.form_factor == "RJ45", run.purpose))


def name_cages_kind(tier: TierKey) -> str:
    """Return the kind of lock entry for the cages of a tier's switches: `cages compute leaf`."""
    return f"cages {tier.text}"


def list_kept_cages(lock: Lock, tier: TierKey, kind: PortKind) -> list[int]:
    """Return the cages that the lock keeps for a kind of down port on a tier's switches, however they are split."""
    split = re.compile(r"\d+" + re.escape(spell_run(1, kind)[1:]))
    intervals_kept = (
        intervals for name, intervals in lock.find_allocations(name_cages_kind(tier)).items() if split.fullmatch(name)
    )
    return [cage for intervals in intervals_kept for cage in list_numbers(intervals) if cage]


def name_ports_kind(tier: TierKey, run: str) -> str:
    """Return the kind of lock entry for the down ports of one kind on a tier's switches, by the name of their run:
    `downlinks compute leaf 2 x 400 over 100`.
    """
    return f"downlinks {tier.text} {run}"


def list_extra_ports(lock: Lock, tier: TierKey) -> set[tuple[int, int]]:
    """Return (cage, port in the cage) of extra devices, present and gone, on any switch of a tier, as the lock has
    them.
    """
    texts = (text for text in lock.find_words("extras").values() if text.startswith(f"{tier.text} "))
    matches = (re.search(r" cage (\d+)/(\d+)$", text) for text in texts)
    return {(int(m[1]), int(m[2]) - 1) for m in matches if m}


class Keep(Enum):
    """How much of what the lock keeps stays, from most to least."""

    ALL = "also for those that are gone"
    NEEDED = "for those that are present, units to come included"
    USED = "for those that are present, no more than they need now"


class Purpose(NamedTuple):
    """`ports` down ports of the run with index `run` that the holder `name` needs, from port `first` on if the lock
    keeps none.
    """

    name: str
    run: int
    first: int
    ports: int


class KeptFront:
    """The cages and ports that the lock keeps on the switches of one lowest tier."""

    def __init__(self, lock: Lock, tier: TierKey, profile: SwitchProfile) -> None:
        self._lock, self._tier, self._profile = lock, tier, profile
        self._cages = {
            name: tuple(list_numbers(intervals))
            for name, intervals in lock.find_allocations(name_cages_kind(tier)).items()
        }
        """For each kind of down port, by name, its cages in the order of their ports."""
        self._extras = list_extra_ports(lock, tier) if self._cages else set()
        """(cage, port in the cage) of extra devices, present and gone, on any switch of the tier."""

    def place_demand(
        self,
        demand: SwitchDemand,
        purposes: Sequence[Purpose],
        place: Callable[[SwitchDemand], PortPlacement | None],
    ) -> tuple[SwitchDemand, PortPlacement, dict[str, Intervals], tuple[Intervals, ...]]:
        """Return (the demand with its kept cages, its placement, the ports of each purpose by name, for each run the
        ports that have a holder).

        The demand is placed beside all that the lock keeps, else beside what is kept for holders that are present, else
        beside the ports that they use now, else anew. `place` places the ports of a switch, and must succeed for the
        demand without kept cages.
        """
        for keep in Keep if self._cages else ():
            kept_demand = self._add_kept_cages(demand, purposes, keep)
            placement = place(kept_demand)
            ports_laid = placement and self._lay_purposes(placement.downs, kept_demand, purposes, keep)
            if placement and ports_laid:
                return _mark_busy(kept_demand, placement, ports_laid[1]), placement, *ports_laid
        placement = place(demand)
        assert placement is not None  # noqa: S101 - the caller has tried
        laid_anew = self._lay_purposes(placement.downs, demand, purposes, Keep.NEEDED)
        assert laid_anew is not None  # noqa: S101 - purposes follow one another
        return demand, placement, *laid_anew

    def _add_kept_cages(self, demand: SwitchDemand, purposes: Sequence[Purpose], keep: Keep) -> SwitchDemand:
        """Return a demand with the cages that the lock keeps for it; with `Keep.ALL`, cages of kinds that it no longer
        has are claimed too.
        """
        downs, kept_kinds, ports_needed = [], set(), {purpose.name: purpose.ports for purpose in purposes}
        for demanded in demand.downs:
            class_and_ways = find_down_class(self._profile, demanded)
            name = class_and_ways and spell_run(class_and_ways[1], demanded.kind)
            if not class_and_ways or name not in self._cages:
                downs.append(demanded)
                continue
            kept_kinds.add(name)
            ports_by_holder = self._select_kept_ports(name, ports_needed, keep)
            other_ports = sum(
                count_numbers(intervals) for holder, intervals in ports_by_holder.items() if holder not in ports_needed
            )
            busy = self._find_busy_cages(name, class_and_ways[1], ports_by_holder)
            downs.append(replace(demanded, ports=demanded.needed + other_ports, kept=self._cages[name], busy=busy))
        claimed = set(demand.claimed)
        # Such a kind is known only by its text, which starts with how many ports a cage is split into (`spell_run`).
        for name in self._cages.keys() - kept_kinds if keep is Keep.ALL else ():
            claimed.update(
                self._find_busy_cages(
                    name, int(name.split()[0]), self._lock.find_allocations(name_ports_kind(self._tier, name))
                )
            )
        return demand._replace(downs=tuple(downs), claimed=tuple(sorted(claimed)))

    def _select_kept_ports(self, name: str, ports_needed: Mapping[str, int], keep: Keep) -> Allocations:
        """Return the kept ports of each holder; `ports_needed` has how many each holder that is present needs."""
        ports_by_holder = self._lock.find_allocations(name_ports_kind(self._tier, name))
        if keep is Keep.ALL:
            return ports_by_holder
        present = {holder: intervals for holder, intervals in ports_by_holder.items() if holder in ports_needed}
        if keep is Keep.NEEDED:
            return present
        return {
            holder: make_intervals(list_first_numbers(intervals, ports_needed[holder]))
            for holder, intervals in present.items()
        }

    def _find_busy_cages(self, name: str, ways: int, ports_by_holder: Allocations) -> tuple[int, ...]:
        """Return the cages of a kind in which a holder or an extra device has ports."""
        cages = self._cages[name]
        used = {n // ways for intervals in ports_by_holder.values() for n in list_numbers(intervals)}
        busy = {cages[index] for index in used if index < len(cages)}
        return tuple(sorted((busy | {cage for cage, _ in self._extras if cage in cages}) - {0}))

    def _lay_purposes(
        self, runs: Sequence[PortRun], demand: SwitchDemand, purposes: Sequence[Purpose], keep: Keep
    ) -> tuple[dict[str, Intervals], tuple[Intervals, ...]] | None:
        """Return (the ports of each purpose by name, for each run the ports that have a holder); None if kept ports do
        not fit.

        In a run without kept cages purposes follow one another, and its entry is an empty tuple.
        """
        ports_by_purpose: dict[str, Intervals] = {}
        taken_by_run: list[Intervals] = []
        for number, down in enumerate(demand.downs):
            run, purposes_of_run = runs[number], [purpose for purpose in purposes if purpose.run == number]
            if not down.kept:
                ports_by_purpose |= {
                    purpose.name: (Interval(purpose.first, purpose.ports),) for purpose in purposes_of_run
                }
                taken_by_run.append(())
                continue
            ports_given = self._lay_run(run, purposes_of_run, keep)
            if ports_given is None:
                return None
            ports_by_purpose |= {purpose.name: ports_given[purpose.name] for purpose in purposes_of_run}
            taken_by_run.append(
                make_intervals(
                    sorted(
                        n for name, intervals in ports_given.items() if name != _EXTRAS for n in list_numbers(intervals)
                    )
                )
            )
        return ports_by_purpose, tuple(taken_by_run)

    def _lay_run(self, run: PortRun, purposes: Sequence[Purpose], keep: Keep) -> dict[str, Intervals] | None:
        """Return the ports of every holder of a run: kept ports, then new ones if `purposes` need more. None if there
        are too few, if the cage of a kept port is gone, or if an extra device has a kept port.
        """
        per, index_of_cage = run.links_per_connector, {cage: i for i, cage in enumerate(run.cages) if cage}
        ports_in_run = {index * run.ways + sub for index in index_of_cage.values() for sub in range(run.ways)}
        # whole connectors: a breakout cable serves one purpose
        ports_needed = {purpose.name: -(-purpose.ports // per) * per for purpose in purposes}
        ports_by_holder = dict(self._select_kept_ports(name_run(run), ports_needed, keep))
        extras = sorted(index_of_cage[cage] * run.ways + sub for cage, sub in self._extras if cage in index_of_cage)
        ports_of_extras = {port // per * per + i for port in extras for i in range(per)}
        busy = {n for intervals in ports_by_holder.values() for n in list_numbers(intervals)}
        # if a cage is there no longer, or one port has two holders, nothing of this run can stay
        if not busy <= ports_in_run or busy & set(extras):
            return None
        windows = make_intervals(sorted(ports_in_run))
        requests = [AllocationRequest(name, count, windows, per) for name, count in ports_needed.items()]
        try:
            return {
                **ports_by_holder,
                **allocate_intervals(
                    {**ports_by_holder, _EXTRAS: make_intervals(sorted(ports_of_extras - busy))}, requests
                ),
            }
        except NoRoomError:
            return None


def _mark_busy(demand: SwitchDemand, placement: PortPlacement, taken_by_run: Sequence[Intervals]) -> SwitchDemand:
    """Return a demand with the cages where its ports were placed as cages that they keep (`kept`) and fill (`busy`).

    `taken_by_run` has, for each run of down ports, the ports that have a holder: only their cages count.
    """
    downs = []
    for demanded, run, ports in zip(demand.downs, placement.downs, taken_by_run, strict=True):
        cages_in_use = {run.cages[port // run.ways] for port in list_numbers(ports)} if demanded.kept else set()
        cages_up_to_last = run.cages[
            : max((index + 1 for index, cage in enumerate(run.cages) if cage in cages_in_use), default=0)
        ]
        kept_cages = cages_up_to_last if len(cages_up_to_last) > len(demanded.kept) else demanded.kept
        downs.append(replace(demanded, kept=kept_cages, busy=tuple(sorted({*demanded.busy, *cages_in_use}))))
    return demand._replace(downs=tuple(downs))


def record_cages(kept: Mapping[str, Intervals], runs: Iterable[PortRun]) -> dict[str, Intervals]:
    """Return the cages of each kind as the lock keeps them, with a gap (0) for each cage that another kind has taken
    since.
    """
    cages_now = {name_run(run): run.cages for run in runs}
    cages_taken = {cage for cages in cages_now.values() for cage in cages}
    former_cages = {
        name: tuple(cage if cage not in cages_taken else 0 for cage in list_numbers(intervals))
        for name, intervals in kept.items()
        if name not in cages_now
    }
    return {name: make_intervals(cages) for name, cages in (former_cages | cages_now).items() if any(cages)}
