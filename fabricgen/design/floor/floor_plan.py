"""The floor plan: which rack every switch stands in, where that rack stands, and its power feeds; from the design
alone.

The wiring plan uses it too, with arrays in place of single numbers. Switches of a unit stand alike in the racks of all
units of its part of the cluster; switches that serve more stand in runs of shared network racks, one for each tier,
plane and hall. Positions in the lock stay.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from fabricgen.blueprint.beside.sized import STACKED
from fabricgen.blueprint.sections.floor import Floor, RackPlace, is_rack_name
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.hall_areas import HallAreas
from fabricgen.design.floor.hall_units import UnitHalls, find_stated_halls, name_rows_holder, place_units
from fabricgen.design.floor.halls import Hall, make_halls, print_row_number
from fabricgen.design.floor.network_runs import (
    NetworkRun,
    RackRun,
    count_racks_of_tier,
    find_stand,
    name_usual_rack,
    split_group_number,
)
from fabricgen.design.floor.run_places import RunPlaces, SwitchIndex
from fabricgen.design.floor.unit_plan import UnitPlan
from fabricgen.design.floor.unit_racks import UnitPosition
from fabricgen.design.floor.usual_floor import Laying, choose_row_length, list_layings
from fabricgen.design.model import Design
from fabricgen.design.names.templates import (
    NETWORK,
    NODES,
    PANELS,
    RACK_FIELDS,
    RACK_WORDS,
    SHARED,
    USUAL_RACKS,
    Naming,
    PatchRack,
    UnitRack,
    Values,
    allocate_rack_blocks,
    count_racks,
    list_block_numbers,
)
from fabricgen.design.shape import spans_units
from fabricgen.kernel.diagnostics import InputError, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs
from fabricgen.kernel.intervals import Allocations

__all__ = [
    "FloorPlan",
    "NetworkRun",
    "RackPosition",
    "RackRun",
    "SwitchIndex",
    "count_racks_of_tier",
    "split_group_number",
]


class RackPosition(NamedTuple):
    """Where a rack stands, from 0: index of its site, row (negative for rows before the first), column, and index of
    its hall in `FloorPlan.halls`.
    """

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
        self.stated: Floor = design.loaded.blueprint.floor
        """What the blueprint states of the floor, as positions of racks and devices by name."""
        self.halls: tuple[Hall, ...] = make_halls(
            self.stated,
            design.layout.sites,
            design.loaded.blueprint.site,
            choose_row_length(design, max(plan.racks for plan in self.plans)),
        )
        self.shared = RunPlaces(design, self.halls)
        self.names = RackNames(design, self)

    @property
    def runs(self) -> tuple[RackRun, ...]:
        """The runs of shared network racks."""
        return self.shared.rack_runs

    @cached_property
    def plans(self) -> tuple[UnitPlan, ...]:
        """What stands in the racks of units, one plan for each part of the cluster."""
        return tuple(UnitPlan(self._design, part) for part in self._layout.parts)

    @cached_property
    def plan_of_unit(self) -> tuple[int, ...]:
        """For each unit of the cluster, the index of its plan in `plans`: all units of a part have the same plan."""
        numbers = {part.name: number for number, part in enumerate(self._layout.parts)}
        return tuple(numbers[pod.part] for pod in self._layout.pods for _ in range(pod.su))

    @cached_property
    def unit_in_part(self) -> tuple[int, ...]:
        """For each unit of the cluster, its number (from 0) among the units of its part."""
        units = [
            (unit, number_in_part)
            for plan in self.plans
            for number_in_part, unit in enumerate(plan.layout.cluster_units)
        ]
        return tuple(number_in_part for _, number_in_part in sorted(units))

    def find_plan(self, unit: int) -> UnitPlan:
        """Return the plan of what stands in the racks of a unit, by the unit's number in the cluster."""
        return self.plans[self.plan_of_unit[unit]]

    @cached_property
    def first_racks(self) -> tuple[int, ...]:
        """For each unit, how many racks the units before it have, which is the number of its first rack; the last
        element is how many racks all units have.
        """
        return tuple(accumulate((self.plans[number].racks for number in self.plan_of_unit), initial=0))

    @cached_property
    def positions(self) -> Mapping[TierKey, tuple[UnitPosition, ...]]:
        """For each tier in racks of units, the (rack of the unit, rack unit) of every switch of one unit, in the
        switches' order.
        """
        return {key: positions for plan in self.plans for key, positions in plan.positions.items()}

    @property
    def areas(self) -> HallAreas:
        """The rows of every hall: which of them are network rows, and where in them each run of network racks has its
        places.
        """
        return self._laid_out[0]

    @property
    def unit_halls(self) -> UnitHalls:
        """Where every unit stands, and the lock entries of these places."""
        return self._laid_out[1]

    @cached_property
    def _laid_out(self) -> tuple[HallAreas, UnitHalls]:
        """The rows of every hall and the units in them, laid out in the first way of `list_layings` that fits.

        Raises InputError (FG067, FG068) if none fits, with the faults of the last way.
        """
        hall_of_pod = find_stated_halls(
            self._design.loaded.blueprint.expand_pods(self._layout.lock.find_allocations("pods")),
            self._layout,
            self.halls,
        )
        *preferred_layings, last_laying = list_layings(self._design)
        for laying in preferred_layings:
            with suppress(InputError):
                return self._lay_out_units(hall_of_pod, laying)
        return self._lay_out_units(hall_of_pod, last_laying)

    def _lay_out_units(self, hall_of_pod: Mapping[str, int], laying: Laying) -> tuple[HallAreas, UnitHalls]:
        """Return the rows of every hall, and the units in them, for one way of laying them out.

        `hall_of_pod` is the index of the hall that a pod states, by the pod's name. Raises InputError (FG067, FG068) if
        the racks do not fit.
        """
        areas = HallAreas(self._design, self.halls, self.shared, self.plans, laying)
        return areas, place_units(self._layout, self.halls, areas.rooms, hall_of_pod)

    def locate_unit_rack(self, unit: int, rack: int) -> RackPosition:
        """Return where a rack of a unit stands. Racks are numbered within the unit from 0, node racks before network
        racks.
        """
        stated_position = self._find_stated_position(self.name_unit_rack(unit, rack))
        if stated_position:
            return stated_position
        unit_place = self.unit_halls.places[unit]
        row, column = self.areas.locate_unit_rack(self.plan_of_unit[unit], unit_place, rack)
        return RackPosition(self.halls[unit_place.hall].site, row, column, unit_place.hall)

    def name_unit_rack(self, unit: int, rack: int) -> str:
        """Return the name of a rack of a unit, by its number in the unit from 0, node racks before network racks."""
        return self.unit_rack_names[self.first_racks[unit] + rack]

    @cached_property
    def unit_rack_names(self) -> list[str]:
        """The names of the racks of all units, unit by unit, in the order of the rack table."""
        return self.names.name_all_unit_racks()

    def name_shared_rack(self, run: RackRun, rack: int) -> str:
        """Return the name of a rack of a run, by its number in the run from 0."""
        return self.names.name_run_rack(run, rack) if self.names.stated else name_usual_rack(run, rack)

    def locate_run_rack(self, run: RackRun, rack: int) -> RackPosition:
        """Return where a rack of a run stands, by its number in the run from 0."""
        stated_position = self._find_stated_position(self.name_shared_rack(run, rack))
        return stated_position or RackPosition(
            self.halls[run.hall].site, *self.areas.locate_run_rack(run, rack), run.hall
        )

    def _find_stated_position(self, name: str) -> RackPosition | None:
        rack_place = self.stated.racks.get(name)
        return self.find_stated_position(name, rack_place) if rack_place else None

    def find_stated_position(self, name: str, rack_place: RackPlace) -> RackPosition:
        """Return the position that `rack_place` states for the rack `name`; its row and column count from 1.

        Raises InputError: FG016 if no hall, or more than one, is meant; FG068 if the hall has no such row or column.
        """
        path = ("floor", "racks", name)
        halls_of_name = [i for i, hall in enumerate(self.halls) if rack_place.hall in (None, hall.name)]
        if len(halls_of_name) != 1:
            names = sorted({hall.name for hall in self.halls})
            problem = (
                f"there is no hall '{rack_place.hall}'" if rack_place.hall else f"there are {len(halls_of_name)} halls"
            )
            raise fault("FG016", f"rack {name}: {problem}", path=path, hint=did_you_mean(rack_place.hall or "", names))
        hall = self.halls[halls_of_name[0]]
        if (hall.rows and rack_place.row > hall.rows) or rack_place.column > hall.racks_per_row:
            size = f"{hall.rows} rows of {hall.racks_per_row}" if hall.rows else f"rows of {hall.racks_per_row}"
            raise fault(
                "FG068",
                f"rack {name} stands at row {rack_place.row}, place {rack_place.column}; {hall.name} has {size}",
                path=path,
                hint="state a place inside, or a larger hall",
            )
        return RackPosition(hall.site, rack_place.row - 1, rack_place.column - 1, halls_of_name[0])

    def list_unit_racks_at_risk(self, unit: int) -> Iterator[tuple[int, list[tuple[TierDesign, int]]]]:
        """Yield (number in the unit, switches) of the racks of a unit whose loss takes more than the nodes in them:
        network racks, and node racks with switches that serve other racks too. Each switch is (tier, its number
        within the unit).
        """
        plan = self.find_plan(unit)
        by_rack = group_pairs(
            (rack, (t.tier, switch))
            for t in plan.tiers
            for switch, (rack, _) in enumerate(plan.positions[t.tier.key])
            if rack >= plan.kind.racks or "rack" not in t.tier.per
        )
        yield from sorted(by_rack.items(), key=lambda rack_and_switches: rack_and_switches[0])

    def list_switches_by_rack(self, run: RackRun) -> Iterator[Mapping[TierKey, Sequence[SwitchIndex]]]:
        """Yield, for each rack of a run in order, its switches by tier; an empty mapping for a rack without
        switches.
        """
        racks = self.shared.list_rack_switches(run)
        for number in range(max(racks, default=-1) + 1):
            yield racks.get(number, {})

    def is_in_network_row(self, position: RackPosition) -> bool:
        """Whether a rack at this position stands in a network row."""
        area = self.areas.areas[position.hall]
        return position.row < 0 or area.first <= position.row < area.first + area.rows

    def check(self) -> None:
        """Raise InputError if racks, units or devices do not fit (FG067, FG068, FG601), if switches of several units
        are to stand in the racks of one (FG068), or for a name of racks (FG016, FG039, FG040).
        """
        for tier in self._design.tiers:
            stand = find_stand(self._design, tier)
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

    def feeds_of(self, position: RackPosition) -> tuple[str, ...]:
        """Return the power feeds of a rack at this position, one for each cord; empty if the blueprint states no feeds.

        The cords of a rack take the feeds in turn; with which feed they begin depends on the rack's row and column, its
        row or its site, as `feed_per` says.
        """
        feeds, cords = self.stated.feeds, self.stated.cords
        if not feeds:
            return ()
        # by rack, feeds alternate along rows and across them, so that neighbours in both directions differ
        first_feed = {"rack": position.row + position.column, "row": position.row, "site": position.site}[
            self.stated.feed_per
        ]
        return tuple(feeds[(first_feed + cord) % len(feeds)] for cord in range(cords))

    def list_lock_entries(self) -> dict[str, Allocations]:
        """Return what a lock keeps of the floor plan, by kind of entry, including entries of devices and racks that are
        gone.
        """
        racked = {plan.lock_kind: plan.list_lock_entries() for plan in self.plans}
        return {**racked, **self.shared.list_lock_entries(), **self.areas.list_lock_entries(), **self.unit_halls.held}

    def list_lock_holders(self) -> frozenset[tuple[str, str]]:
        """Return (kind, holder) of all lock entries of the floor plan that are still in use.

        All other entries belong to devices, racks, pods or kinds of units that are gone.
        """
        holders = {(plan.lock_kind, t.holder) for plan in self.plans for t in plan.tiers}
        holders |= self.shared.list_joined()
        holders |= {(STACKED, name) for name in self.shared.list_lock_words()}
        holders |= {
            (self.areas.find_lock_kind(i, name), name)
            for i, racks_wanted in enumerate(self.areas.wanted)
            for name in racks_wanted
        }
        holders |= {holder for i in range(len(self.halls)) for holder in self.shared.list_shelved(i)}
        pods_and_kinds = {pod.name for pod in self._layout.pods} | {
            name_rows_holder(kind) for kind in self._layout.kinds
        }
        return frozenset(
            holders
            | {(kind, name) for kind, held in self.unit_halls.held.items() for name in held if name in pods_and_kinds}
        )


class RackNames:
    """Names of all racks of a floor plan."""

    def __init__(self, design: Design, floor: FloorPlan) -> None:
        self._design, self._layout, self._floor = design, design.layout, floor
        stated = design.loaded.blueprint.names.racks
        self.stated = bool(stated)
        self._naming: dict[str, Naming] = {}
        for kind, default_template in USUAL_RACKS.items():
            template_key = next((template_key for template_key in (kind, "all") if template_key in stated), "")
            template = stated.get(template_key, "").replace("{default}", default_template) or default_template
            self._naming[kind] = Naming(
                RACK_WORDS[kind], template, ("names", "racks", template_key) if template_key else ("floor",)
            )

    def check(self) -> None:
        """Raise InputError at the template: FG016 for an unknown kind of racks, FG039 if two racks would have one name,
        FG040 for a text that cannot name a rack.
        """
        stated = self._design.loaded.blueprint.names.racks
        for key in stated:
            if key not in (*USUAL_RACKS, "all"):
                hint = did_you_mean(key, (*USUAL_RACKS, "all"))
                raise fault("FG016", f"there are no racks '{key}' to name", path=("names", "racks", key), hint=hint)
        racks_named = Counter(run.name for run in self._floor.runs)
        for name in (name for name, count in racks_named.items() if count > 1):
            hint = "give the tier, or the kind of units that it serves, another name"
            raise fault("FG039", f"two runs of racks would be named net-{name}", path=("fabrics",), hint=hint)
        if not stated:
            return
        for kind, naming in self._naming.items():
            naming.check(*RACK_FIELDS[kind], ())
        self._check_distinct(self._list_all_names())

    def _check_distinct(self, named: Iterable[tuple[str, str]]) -> None:
        """Raise InputError at the template if two of the racks, each (kind, name), have one name (FG039), or if a text
        cannot name a rack (FG040).
        """
        names: set[str] = set()
        for kind, name in named:
            if name in names:
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
            names.add(name)

    def _list_all_names(self) -> Iterator[tuple[str, str]]:
        """Yield (kind, name) of every rack of units and of runs; for runs, also of places that hold no rack yet."""
        for name, rack in zip(self.name_all_unit_racks(), self._unit_racks, strict=True):
            yield rack.kind, name
        for run in self._floor.runs:
            for number in range(self._floor.shared.count_racks(run)):
                yield SHARED, self.name_run_rack(run, number)

    def name_all_unit_racks(self) -> list[str]:
        """Return the names of the racks of all units, unit by unit."""
        racks = [(rack, rack.kind) for rack in self._unit_racks]
        # names of each kind are filled for all of its racks at once, and dealt out in the order of the racks
        next_names = {
            kind: iter(self._fill_names(kind, [rack for rack, rack_kind in racks if rack_kind == kind]))
            for kind in (NODES, NETWORK)
        }
        return [next(next_names[kind]) for _, kind in racks]

    @cached_property
    def _unit_racks(self) -> list[UnitRack]:
        """The racks of all units, unit by unit."""
        racks_of_plan = [(plan.kind.racks, plan.racks) for plan in self._floor.plans]
        return [
            UnitRack(unit, rack, node_racks)
            for unit, plan_number in enumerate(self._floor.plan_of_unit)
            for node_racks, racks in (racks_of_plan[plan_number],)
            for rack in range(racks)
        ]

    def _fill_names(self, kind: str, racks: Sequence[UnitRack]) -> list[str]:
        """Return the names of racks of units, all of one kind, by the template of that kind."""
        layout, naming = self._layout, self._naming[kind]
        pods = [self._pods[rack.unit] for rack in racks]
        fillers: dict[str, Callable[[], Values]] = {
            "cluster": lambda: self._design.loaded.blueprint.name,
            "site": lambda: [layout.pods[pod].site for pod in pods],
            "pod": lambda: [layout.pods[pod].name for pod in pods],
            "su": lambda: [r.unit - layout.pods[pod].first_su + 1 for r, pod in zip(racks, pods, strict=True)],
            "rack": lambda: [r.rack - (0 if kind == NODES else r.node_racks) + 1 for r in racks],
            "index": lambda: self._number_racks(racks, pods),
            "hall": lambda: [self._floor.halls[self._floor.unit_halls.places[r.unit].hall].name for r in racks],
            "row": lambda: [print_row_number(self._find_usual_position(r)[0]) for r in racks],
            "column": lambda: [print_row_number(self._find_usual_position(r)[1]) for r in racks],
        }
        return naming.make_names(fillers, len(racks))

    def _number_racks(self, racks: Sequence[UnitRack], pods: Sequence[int]) -> list[int]:
        """Return the running number of each node rack, from 1; `pods` has the index of each rack's pod."""
        layout = self._layout
        blocks = allocate_rack_blocks(self._design.loaded.blueprint, layout)
        numbers, of_pods = list_block_numbers(blocks, count_racks(layout)), [layout.pods[pod] for pod in pods]
        return [
            numbers[pod.name][(r.unit - pod.first_su) * r.node_racks + r.rack] + 1
            for r, pod in zip(racks, of_pods, strict=True)
        ]

    def name_run_rack(self, run: RackRun, number: int) -> str:
        """Return the name of a rack of a run, by its number in the run from 0."""
        naming, areas = self._naming[SHARED], self._floor.areas
        hall = self._floor.halls[run.hall]
        fillers: dict[str, Callable[[], Values]] = {
            "cluster": lambda: self._design.loaded.blueprint.name,
            "site": lambda: self._layout.sites[hall.site],
            "hall": lambda: hall.name,
            "run": lambda: run.name,
            "n": lambda: [number + 1],
            "row": lambda: [print_row_number(areas.locate_run_rack(run, number)[0])],
            "column": lambda: [print_row_number(areas.locate_run_rack(run, number)[1])],
        }
        return naming.make_names(fillers, 1)[0]

    def name_panel_racks(self, racks: Sequence[PatchRack]) -> list[str]:
        """Return the names of racks of patch panels.

        Raises InputError at the template: FG039 if two racks have one name, FG040 if a text cannot name a rack.
        """
        naming = self._naming[PANELS]
        halls = [self._floor.halls[rack.hall] for rack in racks]
        fillers: dict[str, Callable[[], Values]] = {
            "cluster": lambda: self._design.loaded.blueprint.name,
            "site": lambda: [self._layout.sites[hall.site] for hall in halls],
            "hall": lambda: [hall.name for hall in halls],
            "rule": lambda: [rack.rule for rack in racks],
            "place": lambda: [rack.place for rack in racks],
            "n": lambda: [rack.number + 1 for rack in racks],
            "row": lambda: [print_row_number(rack.row) for rack in racks],
            "column": lambda: [print_row_number(rack.column) for rack in racks],
        }
        names = naming.make_names(fillers, len(racks))
        if self.stated:
            self._check_distinct((*self._list_all_names(), *((PANELS, name) for name in names)))
        return names

    def _find_usual_position(self, rack: UnitRack) -> tuple[int, int]:
        """Return the (row, column) of a rack of a unit as if the blueprint stated no position for it by name."""
        unit_place = self._floor.unit_halls.places[rack.unit]
        return self._floor.areas.locate_unit_rack(self._floor.plan_of_unit[rack.unit], unit_place, rack.rack)

    @cached_property
    def _pods(self) -> list[int]:
        """For each unit, the index of its pod."""
        return [index for index, pod in enumerate(self._layout.pods) for _ in range(pod.su)]
