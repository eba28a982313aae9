"""The floor plan: which rack every switch stands in, where that rack stands, and its power feeds; from the design
alone.

The wiring plan uses it too, with arrays in place of single numbers. Switches of a unit stand alike in the racks of all
units of its part of the cluster; switches that serve more stand in runs of shared network racks, one for each tier,
plane and hall. Positions in the lock stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from fabricgen.blueprint.beside.stacked import STACKED
from fabricgen.blueprint.sections.floor import DevicePlace, Floor, RackPlace, is_rack_name
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.hall_areas import HallAreas
from fabricgen.design.floor.hall_units import UnitHalls, rows_holder, stated_halls, unit_halls
from fabricgen.design.floor.halls import Hall, halls_of, row_number
from fabricgen.design.floor.network_runs import NetworkRun, inner_values, racks_of, shared_name, stated_stand
from fabricgen.design.floor.run_places import RunPlaces, SwitchIndex
from fabricgen.design.floor.unit_plan import UnitPlan
from fabricgen.design.floor.unit_racks import UnitSpot
from fabricgen.design.floor.usual_floor import Laying, layings, row_length
from fabricgen.design.model import Design
from fabricgen.design.names.templates import Naming, Values
from fabricgen.design.shape import spans_units
from fabricgen.kernel.diagnostics import InputError, did_you_mean, fault
from fabricgen.kernel.intervals import Allocations

__all__ = ["FloorPlan", "NetworkRun", "RackPosition", "SwitchIndex", "inner_values", "racks_of"]


class RackPosition(NamedTuple):
    """Where a rack stands: site, row (negative for rows before the first), column and hall, from 0."""

    site: int
    row: int
    column: int
    hall: int


class FloorPlan:
    """The racks of a design and what stands in them; computed on demand, so that its size does not grow with the
    cluster.
    """

    def __init__(self, design: Design) -> None:
        self._design, self._layout = design, design.layout
        self._floor: Floor = design.loaded.blueprint.floor
        self.halls: tuple[Hall, ...] = halls_of(
            self._floor,
            design.layout.sites,
            design.loaded.blueprint.site,
            row_length(design, max(plan.racks for plan in self.plans)),
        )
        self.shared = RunPlaces(design, self.halls)
        self.names = RackNames(design, self)

    @property
    def runs(self) -> tuple[NetworkRun, ...]:
        """The runs of shared network racks."""
        return self.shared.runs

    @cached_property
    def plans(self) -> tuple[UnitPlan, ...]:
        """What stands in the racks of units, by part of the cluster."""
        return tuple(UnitPlan(self._design, part) for part in self._layout.parts)

    @cached_property
    def plan_of_unit(self) -> tuple[int, ...]:
        """By unit, the number of its plan."""
        numbers = {part.name: number for number, part in enumerate(self._layout.parts)}
        return tuple(numbers[pod.part] for pod in self._layout.pods for _ in range(pod.su))

    @cached_property
    def unit_in_part(self) -> tuple[int, ...]:
        """By unit, its number among those of its part of the cluster."""
        units = [(unit, own) for plan in self.plans for own, unit in enumerate(plan.layout.cluster_units)]
        return tuple(own for _, own in sorted(units))

    def plan_of(self, unit: int) -> UnitPlan:
        """What stands in the racks of a unit."""
        return self.plans[self.plan_of_unit[unit]]

    @cached_property
    def first_racks(self) -> tuple[int, ...]:
        """By unit, how many racks the units before it have; at the end, how many all units have."""
        return tuple(accumulate((self.plans[number].racks for number in self.plan_of_unit), initial=0))

    @cached_property
    def spots(self) -> Mapping[TierKey, tuple[UnitSpot, ...]]:
        """(rack of the unit, rack unit) of every switch of a unit by tier, in their order."""
        return {key: spots for plan in self.plans for key, spots in plan.spots.items()}

    @property
    def areas(self) -> HallAreas:
        """The rows of every hall: which are network rows, and which racks have which of their places."""
        return self._laid_out[0]

    @property
    def unit_halls(self) -> UnitHalls:
        """The hall of every unit and its number there."""
        return self._laid_out[1]

    @cached_property
    def _laid_out(self) -> tuple[HallAreas, UnitHalls]:
        """The rows of every hall and the units in them: whole units in rows where that goes into the halls.

        Raises InputError (FG067, FG068) where nothing does.
        """
        stated = stated_halls(
            self._design.loaded.blueprint.expand_pods(self._layout.lock.of("pods")), self._layout, self.halls
        )
        *firsts, last = layings(self._design)
        for laying in firsts:
            with suppress(InputError):
                return self._with_units(stated, laying)
        return self._with_units(stated, last)

    def _with_units(self, stated: Mapping[str, int], laying: Laying) -> tuple[HallAreas, UnitHalls]:
        areas = HallAreas(self._design, self.halls, self.shared, self.plans, laying)
        return areas, unit_halls(self._layout, self.halls, areas.rooms, stated)

    def unit_spot(self, unit: int, rack: int) -> RackPosition:
        """Where a rack of a unit stands; node racks are numbered before network racks, both from 0."""
        stated = self._stated(self.unit_rack_name(unit, rack))
        if stated:
            return stated
        place = self.unit_halls.places[unit]
        row, column = self.areas.unit_spot(self.plan_of_unit[unit], place, rack)
        return RackPosition(self.halls[place.hall].site, row, column, place.hall)

    def unit_rack_name(self, unit: int, rack: int) -> str:
        """The name of a rack of a unit."""
        if self.names.stated:
            return self.names.of_unit(unit, rack)
        pod = next(p for p in self._layout.pods if p.first_su <= unit < p.first_su + p.su)
        return rack_name(pod.name, unit - pod.first_su, rack, self.plan_of(unit).kind.racks)

    def unit_rack_names(self) -> list[str]:
        """The names of the racks of all units, unit by unit."""
        if self.names.stated:
            return self.names.of_units()
        pods, found = self._layout.pods, list[str]()
        most = {part: max(pod.su for pod in pods if pod.part == part) for part in {pod.part for pod in pods}}
        ends = {
            plan.part.name: [
                rack_name("", su, rack, plan.kind.racks)
                for su in range(most[plan.part.name])
                for rack in range(plan.racks)
            ]
            for plan in self.plans
        }
        for pod in pods:
            each = len(ends[pod.part]) // most[pod.part]
            found += [pod.name + end for end in ends[pod.part][: pod.su * each]]
        return found

    def shared_rack_name(self, run: NetworkRun, place: int) -> str:
        """The name of a rack of a run, by its number in the run from 0."""
        return self.names.of_run(run, place) if self.names.stated else shared_name(run, place)

    def shared_spot(self, run: NetworkRun, place: int) -> RackPosition:
        """Where a rack of a run stands, by its number in the run from 0."""
        stated = self._stated(self.shared_rack_name(run, place))
        return stated or RackPosition(self.halls[run.hall].site, *self.areas.shared_spot(run, place), run.hall)

    @property
    def stated_racks(self) -> Mapping[str, RackPlace]:
        """Where the blueprint puts racks, by name."""
        return self._floor.racks

    @property
    def stated_devices(self) -> Mapping[str, DevicePlace]:
        """Where the blueprint puts devices, by name."""
        return self._floor.devices

    def _stated(self, name: str) -> RackPosition | None:
        place = self._floor.racks.get(name)
        return self.spot_of(name, place) if place else None

    def spot_of(self, name: str, place: RackPlace) -> RackPosition:
        """The position stated for a rack; raises InputError (FG016, FG068) where there is no such place."""
        path = ("floor", "racks", name)
        found = [i for i, hall in enumerate(self.halls) if place.hall in (None, hall.name)]
        if len(found) != 1:
            names = sorted({hall.name for hall in self.halls})
            what = f"there is no hall '{place.hall}'" if place.hall else f"there are {len(found)} halls"
            raise fault("FG016", f"rack {name}: {what}", path=path, hint=did_you_mean(place.hall or "", names))
        hall = self.halls[found[0]]
        if (hall.rows and place.row > hall.rows) or place.column > hall.racks_per_row:
            size = f"{hall.rows} rows of {hall.racks_per_row}" if hall.rows else f"rows of {hall.racks_per_row}"
            raise fault(
                "FG068",
                f"rack {name} stands at row {place.row}, place {place.column}; {hall.name} has {size}",
                path=path,
                hint="state a place inside, or a larger hall",
            )
        return RackPosition(hall.site, place.row - 1, place.column - 1, found[0])

    def unit_racks(self, unit: int) -> Iterator[tuple[int, list[tuple[TierDesign, int]]]]:
        """(number in the unit, switches) of those of a unit's racks whose switches serve more than one of its racks, or
        that are network racks; each switch as (tier, number within the unit).
        """
        found: dict[int, list[tuple[TierDesign, int]]] = {}
        plan = self.plan_of(unit)
        for t in plan.tiers:
            for ordinal, (rack, _) in enumerate(plan.spots[t.tier.key]):
                if rack >= plan.kind.racks or "rack" not in t.tier.per:
                    found.setdefault(rack, []).append((t.tier, ordinal))
        yield from sorted(found.items(), key=lambda item: item[0])

    def shared_racks(self, run: NetworkRun) -> Iterator[list[SwitchIndex]]:
        """The switches in each rack of a run; an empty list for a rack without any."""
        racks = self.shared.racks(run)
        for number in range(max(racks, default=-1) + 1):
            yield racks.get(number, [])

    def is_network_row(self, spot: RackPosition) -> bool:
        """Whether a position is in a network row."""
        area = self.areas.areas[spot.hall]
        return spot.row < 0 or area.first <= spot.row < area.first + area.rows

    def check(self) -> None:
        """Raise InputError (FG067, FG068, FG601) where something does not fit."""
        for tier in self._design.tiers:
            stand = stated_stand(self._design, tier)
            if stand not in ("network-row", "row-end") and spans_units(tier.per):
                raise fault(
                    "FG068",
                    f"{tier.fabric} {tier.name} serves more than a scalable unit, and does not stand in the racks of "
                    f"one ({stand})",
                    path=(*tier.path, "stand"),
                    hint="let it `stand: network-row` or `row-end`, or state `su` or `rack` in its `per`",
                )
        _ = [plan.node_rack for plan in self.plans], self.unit_halls  # computed here to raise for what does not fit
        self.names.check()

    def feeds_of(self, spot: RackPosition) -> tuple[str, ...]:
        """The power feeds of a rack; empty where none are stated."""
        feeds, cords = self._floor.feeds, self._floor.cords
        if not feeds:
            return ()
        turn = {"rack": spot.row + spot.column, "row": spot.row, "site": spot.site}[self._floor.feed_per]
        return tuple(feeds[(turn + cord) % len(feeds)] for cord in range(cords))

    def held(self) -> dict[str, Allocations]:
        """The floor plan's entries in a lock, by kind, including those of what is gone."""
        racked = {plan.lock_kind: plan.in_lock() for plan in self.plans}
        return {**racked, **self.shared.held(), **self.areas.held(), **self.unit_halls.held}

    def holders(self) -> frozenset[tuple[str, str]]:
        """(kind, holder) of all lock entries that are still in use."""
        found = {(plan.lock_kind, t.holder) for plan in self.plans for t in plan.tiers}
        found |= {(STACKED, name) for name in self.shared.words()}
        found |= {(self.areas.kind_of(i, name), name) for i, wanted in enumerate(self.areas.wanted) for name in wanted}
        found |= {holder for i in range(len(self.halls)) for holder in self.shared.shelved(i)}
        names = {pod.name for pod in self._layout.pods} | {rows_holder(kind) for kind in self._layout.kinds}
        return frozenset(
            found | {(kind, name) for kind, held in self.unit_halls.held.items() for name in held if name in names}
        )


def rack_name(pod: str, su: int, rack: int, node_racks: int) -> str:
    """The name of a rack of a unit, given numbers from 0: `p1-su01-rk03`, `p1-su01-net01`."""
    own = f"rk{rack + 1:02d}" if rack < node_racks else f"net{rack - node_racks + 1:02d}"
    return f"{pod}-su{su + 1:02d}-{own}"


# Names of racks: the usual ones, or as templates have them, from where a rack stands and what it is for.

NODES, NETWORK, SHARED, PANELS = "nodes", "network", "shared", "panels"
"""Keys of templates: racks of nodes, network racks of a unit and those that serve more than one, and patch racks."""

USUAL = {
    NODES: "{pod}-su{su:02}-rk{rack:02}",
    NETWORK: "{pod}-su{su:02}-net{rack:02}",
    SHARED: "net-{run}-{n:02}",
    PANELS: "patch-{rule}-{place}-{n:02}",
}
_WHO = {
    NODES: "racks of nodes",
    NETWORK: "network racks of units",
    SHARED: "shared network racks",
    PANELS: "racks of patch panels",
}
_TEXTS = ("cluster", "site", "hall")
_NUMBERS = ("row", "column")
_FIELDS = {
    NODES: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack", "index")),
    NETWORK: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack")),
    SHARED: ((*_TEXTS, "run"), (*_NUMBERS, "n")),
    PANELS: ((*_TEXTS, "rule", "place"), (*_NUMBERS, "n")),
}
"""Fields of templates that are texts, and numbers. Only units' node racks have a running number: a tier that comes adds
network racks to every unit."""


class UnitRack(NamedTuple):
    """A rack of a unit: the unit in the cluster, and its number there, node racks before network racks; from 0."""

    unit: int
    rack: int


class PatchRack(NamedTuple):
    """A rack of patch panels: the rule of `cabling.patching` and the row it is for, and where it stands, from 0."""

    rule: str
    place: str
    number: int
    hall: int
    row: int
    column: int


class RackNames:
    """Names of all racks of a floor plan."""

    def __init__(self, design: Design, floor: FloorPlan) -> None:
        self._design, self._layout, self._floor = design, design.layout, floor
        stated = design.loaded.blueprint.names.racks
        self.stated = bool(stated)
        self._naming: dict[str, Naming] = {}
        for kind, usual in USUAL.items():
            key = next((key for key in (kind, "all") if key in stated), "")
            template = stated.get(key, "").replace("{default}", usual) or usual
            self._naming[kind] = Naming(_WHO[kind], template, ("names", "racks", key) if key else ("floor",))

    def check(self) -> None:
        """Raise InputError (FG016, FG039), at the template, for what is no name of racks, or of two of them."""
        stated = self._design.loaded.blueprint.names.racks
        for key in stated:
            if key not in (*USUAL, "all"):
                hint = did_you_mean(key, (*USUAL, "all"))
                raise fault("FG016", f"there are no racks '{key}' to name", path=("names", "racks", key), hint=hint)
        runs = Counter(run.name for run in self._floor.runs)
        for name in (name for name, count in runs.items() if count > 1):
            hint = "give the tier, or the kind of units that it serves, another name"
            raise fault("FG039", f"two runs of racks would be named net-{name}", path=("fabrics",), hint=hint)
        if not stated:
            return
        for kind, naming in self._naming.items():
            naming.check(*_FIELDS[kind], ())
        self._check_distinct(self._all())

    def _check_distinct(self, named: Iterable[tuple[str, str]]) -> None:
        """Raise InputError (FG039, FG040) for (kind, name) of racks of which two are alike, or one is no such name."""
        seen: set[str] = set()
        for kind, name in named:
            if name in seen:
                raise fault(
                    "FG039",
                    f"two racks would be named {name}",
                    path=self._naming[kind].path,
                    hint="add a field that tells them apart, or write {default} for the default name",
                )
            if not is_rack_name(name):
                raise fault(
                    "FG040",
                    f"{name[:120]} is no name of a rack",
                    path=self._naming[kind].path,
                    hint="lower-case letters, digits and '-' inside, at most 100 characters",
                )
            seen.add(name)

    def _all(self) -> Iterator[tuple[str, str]]:
        """(kind, name) of every rack of units and of runs; of a run, also of places that are free."""
        for name, rack in zip(self.of_units(), self._of_units, strict=True):
            yield self._kind(rack), name
        for run in self._floor.runs:
            for place in range(self._floor.shared.rack_count(run)):
                yield SHARED, self.of_run(run, place)

    def of_units(self) -> list[str]:
        """The names of the racks of all units, unit by unit."""
        names = [""] * len(self._of_units)
        for kind in (NODES, NETWORK):
            at = [number for number, rack in enumerate(self._of_units) if self._kind(rack) == kind]
            for number, name in zip(at, self._named(kind, [self._of_units[number] for number in at]), strict=True):
                names[number] = name
        return names

    @cached_property
    def _of_units(self) -> list[UnitRack]:
        """The racks of all units, unit by unit."""
        units = range(self._layout.units)
        return [UnitRack(unit, rack) for unit in units for rack in range(self._floor.plan_of(unit).racks)]

    def _node_racks(self, rack: UnitRack) -> int:
        """How many node racks the unit of a rack has."""
        return self._floor.plan_of(rack.unit).kind.racks

    def _kind(self, rack: UnitRack) -> str:
        return NODES if rack.rack < self._node_racks(rack) else NETWORK

    def of_unit(self, unit: int, rack: int) -> str:
        """The name of one rack of a unit."""
        one = UnitRack(unit, rack)
        return self._named(self._kind(one), [one])[0]

    def _named(self, kind: str, racks: Sequence[UnitRack]) -> list[str]:
        layout, naming = self._layout, self._naming[kind]
        pods = [self._pods[rack.unit] for rack in racks]
        made: dict[str, Callable[[], Values]] = {
            "cluster": lambda: self._design.loaded.blueprint.name,
            "site": lambda: [layout.pods[pod].site for pod in pods],
            "pod": lambda: [layout.pods[pod].name for pod in pods],
            "su": lambda: [r.unit - layout.pods[pod].first_su + 1 for r, pod in zip(racks, pods, strict=True)],
            "rack": lambda: [r.rack - (0 if kind == NODES else self._node_racks(r)) + 1 for r in racks],
            "index": lambda: [self._slots[r.unit] * self._node_racks(r) + r.rack + 1 for r in racks],
            "hall": lambda: [self._floor.halls[self._floor.unit_halls.places[r.unit].hall].name for r in racks],
            "row": lambda: [row_number(self._usual_spot(r)[0]) for r in racks],
            "column": lambda: [row_number(self._usual_spot(r)[1]) for r in racks],
        }
        return naming.names(_filled(naming, made), len(racks))

    def of_run(self, run: NetworkRun, place: int) -> str:
        """The name of a rack of a run, by its number in the run from 0."""
        naming, areas = self._naming[SHARED], self._floor.areas
        hall = self._floor.halls[run.hall]
        made: dict[str, Callable[[], Values]] = {
            "cluster": lambda: self._design.loaded.blueprint.name,
            "site": lambda: self._layout.sites[hall.site],
            "hall": lambda: hall.name,
            "run": lambda: run.name,
            "n": lambda: [place + 1],
            "row": lambda: [row_number(areas.shared_spot(run, place)[0])],
            "column": lambda: [row_number(areas.shared_spot(run, place)[1])],
        }
        return naming.names(_filled(naming, made), 1)[0]

    def of_panels(self, racks: Sequence[PatchRack]) -> list[str]:
        """The names of racks of patch panels; raises InputError (FG039, FG040), at the template, for what is none."""
        naming = self._naming[PANELS]
        halls = [self._floor.halls[rack.hall] for rack in racks]
        made: dict[str, Callable[[], Values]] = {
            "cluster": lambda: self._design.loaded.blueprint.name,
            "site": lambda: [self._layout.sites[hall.site] for hall in halls],
            "hall": lambda: [hall.name for hall in halls],
            "rule": lambda: [rack.rule for rack in racks],
            "place": lambda: [rack.place for rack in racks],
            "n": lambda: [rack.number + 1 for rack in racks],
            "row": lambda: [row_number(rack.row) for rack in racks],
            "column": lambda: [row_number(rack.column) for rack in racks],
        }
        names = naming.names(_filled(naming, made), len(racks))
        if self.stated:
            self._check_distinct((*self._all(), *((PANELS, name) for name in names)))
        return names

    def _usual_spot(self, rack: UnitRack) -> tuple[int, int]:
        """(row, column) where a rack stands unless the blueprint moves it by its name."""
        place = self._floor.unit_halls.places[rack.unit]
        return self._floor.areas.unit_spot(self._floor.plan_of_unit[rack.unit], place, rack.rack)

    @cached_property
    def _pods(self) -> list[int]:
        """The pod of every unit, by its index."""
        return [at for at, pod in enumerate(self._layout.pods) for _ in range(pod.su)]

    @cached_property
    def _slots(self) -> tuple[int, ...]:
        """The number of every unit in the cluster, reserved slots counted, so that growth changes none."""
        return self._layout.unit_numbers("all", by_slot=True)


def _filled(naming: Naming, made: Mapping[str, Callable[[], Values]]) -> dict[str, Values]:
    wanted: Iterable[str] = naming.fields
    return {field: made[field]() for field in wanted}
