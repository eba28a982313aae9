"""Names of racks: the usual ones, or as templates have them, from where a rack stands and what it is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.sections.floor import is_rack_name
from fabricgen.design.floor.halls import row_number
from fabricgen.design.names.templates import Naming, Values
from fabricgen.kernel.diagnostics import did_you_mean, fault

if TYPE_CHECKING:
    from fabricgen.design.floor.floor_plan import FloorPlan
    from fabricgen.design.floor.network_runs import NetworkRun
    from fabricgen.design.model import Design

NODES, NETWORK, SHARED = "nodes", "network", "shared"
"""Keys of templates: racks of nodes, network racks of a unit, and network racks that serve more than a unit."""

USUAL = {
    NODES: "{pod}-su{su:02}-rk{rack:02}",
    NETWORK: "{pod}-su{su:02}-net{rack:02}",
    SHARED: "net-{run}-{n:02}",
}
_TEXTS = ("cluster", "site", "hall")
_NUMBERS = ("row", "column")
_FIELDS = {
    NODES: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack", "index")),
    NETWORK: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack")),
    SHARED: ((*_TEXTS, "run"), (*_NUMBERS, "n")),
}
"""Fields of templates that are texts, and numbers. Only units' node racks have a running number: a tier that comes adds
network racks to every unit."""


class UnitRack(NamedTuple):
    """A rack of a unit: the unit in the cluster, and its number there, node racks before network racks; from 0."""

    unit: int
    rack: int


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
            who = {NODES: "racks of nodes", NETWORK: "network racks of units", SHARED: "shared network racks"}[kind]
            self._naming[kind] = Naming(who, template, ("names", "racks", key) if key else ("floor",))

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
        self._check_distinct()

    def _check_distinct(self) -> None:
        seen: set[str] = set()
        for kind, name in self._all():
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
