"""The rack table: racks of units and shared racks, at computed or stated positions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.sections.floor import DevicePlace
from fabricgen.catalog.models import RackProfile
from fabricgen.design.floor.floor_plan import FloorPlan, NetworkRun, RackRun
from fabricgen.design.floor.halls import Hall, find_facing, print_row_number
from fabricgen.design.floor.network_runs import is_in_run, stands_in_run
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.floor.unit_plan import UnitPlan, name_trays
from fabricgen.design.floor.usual_floor import counts_way_inside_racks
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault
from fabricgen.wiring.arrays import Ints, rank_within, unique_values
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, DeviceTable, RackTable

NODE_RACK, NETWORK_RACK = range(2)
"""Kinds of rack: indexes of `RackTable.kinds`; node racks of further kinds of units come after these."""


def find_node_rack_kind(layout: Layout, kind: UnitKind) -> int:
    """Return the index in `RackTable.kinds` of the node racks of a kind of unit."""
    number = layout.kinds.index(kind)
    return NETWORK_RACK + number if number else NODE_RACK


class RackRows(NamedTuple):
    """Some racks: names, and int32 columns of hall, row, column and kind."""

    names: list[str]
    hall: Ints
    row: Ints
    column: Ints
    kind: Ints


def make_rack_table(
    floor: FloorPlan, units: RackRows, shared: Sequence[tuple[RackRun, int]], layout: Layout
) -> RackTable:
    """Return the table of all racks: those of units, shared ones, and new ones that the blueprint states.

    `shared` are (run of racks, index in the run) of each shared rack.
    Raises InputError for a stated place or rack that does not exist (FG016, FG068), and for two racks in one place
    (FG069).
    """
    stated_racks, holding = floor.stated.racks, {position.rack for position in floor.stated.devices.values()}
    names = [*units.names, *(floor.name_shared_rack(run, position) for run, position in shared)]
    existing = set(names)
    new_names = sorted(name for name in stated_racks if name not in existing)
    for name in new_names:
        if name not in holding:
            raise fault(
                "FG068",
                f"there is no rack {name}, and no device is put into a new one of that name",
                path=("floor", "racks", name),
                hint=f"{did_you_mean(name, names)} (names are those of racks.csv)",
            )
    locations = [floor.locate_run_rack(run, position) for run, position in shared]
    row_of_name = {name: i for i, name in enumerate((*names, *new_names))} if stated_racks else {}
    # hall, row and column of shared racks, then of new ones, which are moved to where they are stated
    positions = [(location.hall, location.row, location.column) for location in locations] + [(0, 0, 0)] * len(
        new_names
    )
    hall, row, column = (
        np.concatenate([column_of_units, further])
        for column_of_units, further in zip(
            (units.hall, units.row, units.column), np.array(positions, dtype=np.int32).reshape(-1, 3).T, strict=True
        )
    )
    kind = np.concatenate([units.kind, np.full(len(shared) + len(new_names), NETWORK_RACK, dtype=np.int32)])
    for name, position in stated_racks.items():
        location, i = floor.find_stated_position(name, position), row_of_name[name]
        hall[i], row[i], column[i] = location.hall, location.row, location.column
    # the first kind of node rack, network racks, then the other kinds: NETWORK_RACK is a fixed index
    nodes = [kind.node_rack for kind in layout.kinds]
    kinds = nodes[0], layout.network_rack, *nodes[1:]
    columns = hall, row, column, kind
    table = _build_table(
        floor.halls, kinds, (*names, *new_names), columns, ways_inside=counts_way_inside_racks(layout.lock)
    )
    if stated_racks or any(floor_hall.rows for floor_hall in floor.halls):
        _check_apart(table, frozenset(stated_racks))
    return table


def add_network_racks(racks: RackTable, names: Sequence[str], like: Ints, column: Ints) -> RackTable:
    """Return the rack table with further network racks behind its rows.

    Each stands in the row of the rack `like`, at its own `column`; both are int32 columns by further rack.
    """
    hall, row = (
        np.concatenate([column_of_racks, column_of_racks[like]]) for column_of_racks in (racks.hall, racks.row)
    )
    kind = np.concatenate([racks.kind, np.full(len(names), NETWORK_RACK, dtype=np.int32)])
    columns = hall, row, np.concatenate([racks.column, column]), kind
    return _build_table(racks.halls, racks.kinds, (*racks.names, *names), columns, ways_inside=racks.ways_inside)


def _build_table(
    halls: tuple[Hall, ...],
    kinds: tuple[RackProfile, ...],
    names: tuple[str, ...],
    columns: tuple[Ints, ...],
    *,
    ways_inside: bool,
) -> RackTable:
    # a rack table; `columns` are hall, row, column and kind of each rack, int32. Positions in metres follow from these
    hall, row, column, kind = columns
    x_m, y_m = np.zeros(len(names)), np.zeros(len(names))
    for i, floor_hall in enumerate(halls):
        rows_here = np.flatnonzero(hall == i)
        x_m[rows_here], y_m[rows_here] = floor_hall.find_x(column[rows_here]), floor_hall.find_y(row[rows_here])
    return RackTable(
        names=names,
        halls=halls,
        kinds=kinds,
        site=np.array([floor_hall.site for floor_hall in halls], dtype=np.int32)[hall],
        hall=hall,
        row=row,
        column=column,
        x_m=x_m,
        y_m=y_m,
        faces=find_facing(row).astype(np.int32),
        kind=kind,
        ways_inside=ways_inside,
    )


def _check_apart(racks: RackTable, stated_names: frozenset[str]) -> None:
    """Raise InputError (FG069) if two racks are at one position.

    The error is at the line of `floor.racks` that states one of the two, else at `floor.halls`.
    """
    # racks at one position are neighbours in this order
    order = np.lexsort((racks.column, racks.row, racks.hall))
    is_same = np.ones(max(0, len(order) - 1), dtype=bool)
    for column in (racks.hall, racks.row, racks.column):
        is_same &= column[order[1:]] == column[order[:-1]]
    for i in np.flatnonzero(is_same).tolist():
        first_name, second_name = (racks.names[j] for j in sorted(order[i : i + 2].tolist()))
        # the error goes to the line that states one of the two, not to the computed one
        stated_name = next((name for name in (second_name, first_name) if name in stated_names), None)
        rack = int(order[i])
        hall, row, position = (
            racks.halls[racks.hall[rack]].name,
            print_row_number(int(racks.row[rack])),
            racks.column[rack] + 1,
        )
        raise fault(
            "FG069",
            f"{first_name} and {second_name} stand in one place: hall {hall}, row {row}, place {position}",
            path=("floor", "racks", stated_name) if stated_name else ("floor", "halls"),
            hint="state another place for one of them",
        )


# Placement: the rack of every device, by reserved slot so that growth moves nothing, and its rack unit.
# Node racks of a unit stand side by side with the unit's own network racks; what serves a pod or the whole cluster
# stands in network rows. The design computes the positions (design/floor); this module applies them to columns.


def place_in_racks(design: Design, devices: DeviceTable) -> tuple[DeviceTable, RackTable]:
    """Return the device table with rack and rack unit of every device, and the table of racks.

    Raises InputError if a rack cannot hold what stands in it, or a hall its racks.
    """
    return _Placement(design, devices).place_all()


class _Placement:
    """Gives every device of a design its rack and rack unit, in the columns `rack` and `u`; -1 until it is placed."""

    def __init__(self, design: Design, devices: DeviceTable) -> None:
        self.design, self.layout, self.devices = design, design.layout, devices
        self.floor = FloorPlan(design)
        self.rack = np.full(len(devices), -1, dtype=np.int32)
        self.u = np.full(len(devices), -1, dtype=np.int32)
        self.first_racks = np.array(self.floor.first_racks, dtype=np.int32)
        self.in_run = {t.key: stands_in_run(design, t) for t in design.tiers}

    def place_all(self) -> tuple[DeviceTable, RackTable]:
        """Return the device table with racks and rack units, and the rack table: racks of units first, then shared
        ones.
        """
        for cls in self.devices.classes:
            if cls.count and self._is_in_unit(cls):
                for plan in self.floor.plans:
                    self._place_in_unit(cls, plan)
        shared = self._place_shared()
        table = replace(self.devices, rack=self.rack, u=self.u)
        return table, make_rack_table(self.floor, self._list_unit_racks(), shared, self.layout)

    def _is_in_unit(self, cls: DeviceClass) -> bool:
        """Whether the devices of a class stand in racks of units, not in shared ones."""
        if cls.kind in (NODE, EXTRA):
            return cls.kind == NODE  # extra devices stand in shared racks
        if cls.kind == TRAY:
            return bool((self.devices.rack_in_unit[cls.rows] >= 0).all())
        return not self.in_run[cls.key]

    def _place_in_unit(self, cls: DeviceClass, plan: UnitPlan) -> None:
        """Place the devices of a class in racks of the units of one plan, each at the same position in every unit.

        Sets the rack and, for its lowest rack unit, `u` of these devices.
        """
        devices, plan_of_unit = self.devices, np.array(self.floor.plan_of_unit, dtype=np.int32)
        rows = np.flatnonzero(plan_of_unit[devices.unit[cls.rows]] == self.floor.plans.index(plan)) + cls.first
        if not len(rows):
            return
        first_rack = self.first_racks[devices.unit[rows]]
        if cls.kind == SWITCH:
            positions = np.array(plan.positions[cls.key], dtype=np.int32)
            # every unit has as many of them
            ordinal = devices.ordinal[rows] % len(positions)
            self.rack[rows], self.u[rows] = first_rack + positions[ordinal, 0], positions[ordinal, 1]
            return
        self.rack[rows] = first_rack + devices.rack_in_unit[rows]
        sets_beside = {s.path for s in plan.kind.node_sets if s.per_rack}
        if cls.kind == NODE and cls.path not in sets_beside:
            bottom_units = np.array(plan.node_rack.nodes, dtype=np.int32)
            self.u[rows] = bottom_units[devices.node[rows] % plan.kind.nodes_per_rack]
            return
        name = name_trays(cls.label) if cls.kind == TRAY else cls.label
        bottom_units = np.array(plan.node_rack.beside[name], dtype=np.int32)
        # the n-th of a kind in its rack
        self.u[rows] = bottom_units[rank_within(self.rack[rows])]

    def _place_shared(self) -> list[tuple[RackRun, int]]:
        """Place the devices that serve a pod or the whole cluster, in runs of racks.

        Returns the racks in use, each as (run, index in the run): their rows in the rack table follow those of units.
        """
        racks_so_far: list[tuple[RackRun, int]] = []
        base = self.floor.first_racks[-1]
        for racks_together in self.floor.runs:
            located = [
                self._locate_extras(run) if not run.owner else self._locate_switches(run) for run in racks_together.runs
            ]
            rows, rack, u = (np.concatenate(columns) for columns in zip(*located, strict=True))
            racks = unique_values(rack)
            # a run may have gaps, where the reserve is not there yet: only racks that hold something get a row
            self.rack[rows] = base + len(racks_so_far) + np.searchsorted(np.array(racks, dtype=np.int32), rack)
            self.u[rows] = u
            racks_so_far += [(racks_together, number) for number in racks]
        return racks_so_far

    def _locate_switches(self, run: NetworkRun) -> tuple[Ints, Ints, Ints]:
        """Return (device row, rack in the run, lowest rack unit) of the switches or trays of a run of racks; int32."""
        devices = self.devices
        if run.tier is None:
            (cls,) = (c for c in devices.classes if c.kind == TRAY and c.label == run.owner)
            rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
            # trays of a domain are neighbours; `index` counts within it
            domain = devices.ordinal[rows] // (devices.index[rows].max() + 1)
            in_run = self._find_tray_halls(rows) == run.hall
            rows, group = rows[in_run], domain[in_run]
        else:
            cls = devices.find_tier(run.tier.key)
            rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
            groups = self.floor.shared.find_groups(run.tier)
            index = devices.ordinal[rows] // run.tier.count
            hall, plane = (np.array(column, dtype=np.int32)[index] for column in (groups.hall, groups.plane))
            group = np.array(groups.number, dtype=np.int32)[index]
            in_run = (hall == run.hall) & is_in_run(run, plane, group, devices.index[rows])
            rows, group = rows[in_run], group[in_run]
        rack, u = self.floor.shared.locate_switch(run, group, devices.index[rows], np.where)
        return rows, rack.astype(np.int32), u.astype(np.int32)

    def _find_tray_halls(self, rows: Ints) -> Ints:
        """Return the hall of each of some trays, int32: that of its pod, or of the first site for trays of no pod."""
        halls = self.floor.shared.hall_lookup
        of_pod = [halls.find_hall_of_place(self.layout, "pod", pod) for pod in range(len(self.layout.pods))]
        # pod -1 indexes the last entry
        return np.array([*of_pod, halls.find_hall_of_site(0)], dtype=np.int32)[self.devices.pod[rows]]

    def _locate_extras(self, run: NetworkRun) -> tuple[Ints, Ints, Ints]:
        """Return (device row, rack in the run, lowest rack unit) of the extra devices of a run of racks; int32."""
        positions_of_label = self.floor.shared.find_extra_positions(run.hall)
        classes = [c for c in self.devices.classes if c.kind == EXTRA and c.label in positions_of_label]
        rows = np.concatenate([np.arange(c.first, c.first + c.count, dtype=np.int32) for c in classes])
        rack, u = np.array([at for c in classes for at in positions_of_label[c.label]], dtype=np.int32).T
        return rows, rack, u

    def _list_unit_racks(self) -> RackRows:
        """Return the racks of all units: names, halls, rows, columns and kinds."""
        floor, count = self.floor, self.floor.first_racks[-1]
        hall, row, column, kind = (np.zeros(count, dtype=np.int32) for _ in range(4))
        for part, plan in enumerate(floor.plans):
            units = [unit for unit, number in enumerate(floor.plan_of_unit) if number == part]
            positions = [floor.unit_halls.places[unit] for unit in units]
            rack = np.arange(plan.racks, dtype=np.int32)
            # shape (units, racks of a unit), as are the columns below
            rack_rows = self.first_racks[units][:, None] + rack
            hall[rack_rows] = np.array([position.hall for position in positions], dtype=np.int32)[:, None]
            row[rack_rows], column[rack_rows] = floor.areas.locate_unit_racks(part, positions)
            kind[rack_rows] = np.where(
                rack < plan.kind.racks, find_node_rack_kind(self.layout, plan.kind), NETWORK_RACK
            )
        return RackRows(floor.unit_rack_names, hall, row, column, kind)


# Devices whose rack and rack unit the blueprint states.


def move_stated_devices(
    devices: DeviceTable, racks: RackTable, names: Sequence[str], stated_places: Mapping[str, tuple[DevicePlace, Path]]
) -> DeviceTable:
    """Return the device table with the stated racks and rack units.

    `stated_places` is by device name, each with the path where it is stated. Raises InputError with all faults: an
    unknown device or rack, a rack unit above the top (FG068), or one that another device uses (FG069).
    """
    row_of, rack_of = ({name: i for i, name in enumerate(table_names)} for table_names in (names, racks.names))
    rack, u, faults = devices.rack.copy(), devices.u.copy(), []
    heights = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)[devices.device_class]
    moved: list[tuple[str, int, Path]] = []
    for name, (stated_place, path) in stated_places.items():
        row, rack_row = row_of.get(name), rack_of.get(stated_place.rack)
        if row is None or rack_row is None:
            valid_names, unknown_name = (names, name) if row is None else (racks.names, stated_place.rack)
            message = (
                f"there is no device {name}" if row is None else f"device {name}: there is no rack {stated_place.rack}"
            )
            faults.append(_make_diagnostic("FG068", path, message, did_you_mean(unknown_name, valid_names)))
            continue
        top, units = stated_place.u + int(heights[row]) - 1, int(racks.units[rack_row])
        if top > units:
            message = f"{name} takes rack units {stated_place.u} to {top}, {stated_place.rack} has {units}"
            faults.append(_make_diagnostic("FG068", path, message, f"u: {units - int(heights[row]) + 1} or less"))
        rack[row], u[row] = rack_row, stated_place.u
        moved.append((name, row, path))
    table = replace(devices, rack=rack, u=u)
    tall = heights.tolist()
    faults += [
        overlap for name, row, path in moved for overlap in _find_overlaps(table, tall, names, name, row, racks, path)
    ]
    if faults:
        raise InputError(faults)
    return table


def _find_overlaps(
    devices: DeviceTable,
    heights: Sequence[int],
    names: Sequence[str],
    name: str,
    row: int,
    racks: RackTable,
    path: Path,
) -> list[Diagnostic]:
    """Return a diagnostic (FG069) at `path` if another device uses a rack unit of device `row`, else an empty list.

    `heights` are rack units by device, `names` those of the devices, `name` that of device `row`.
    """
    lowest, highest = int(devices.u[row]), int(devices.u[row]) + heights[row] - 1
    for rival in np.flatnonzero(devices.rack == devices.rack[row]).tolist():
        rival_lowest, rival_highest = int(devices.u[rival]), int(devices.u[rival]) + heights[rival] - 1
        if rival != row and rival_lowest <= highest and rival_highest >= lowest:
            message = (
                f"{name} takes rack units {lowest} to {highest} of {racks.names[int(devices.rack[row])]}, and "
                f"{names[rival]} {rival_lowest} to {rival_highest}"
            )
            return [_make_diagnostic("FG069", path, message, "state another place for one of them")]
    return []


def _make_diagnostic(code: str, path: Path, message: str, hint: str) -> Diagnostic:
    """Return an error at a stated place; if that was adopted, the hint says how to give it up."""
    if path[0] == ADOPTED:
        device = str(path[1]).partition(" ")[0]
        hint = f"`fabricgen lock --release {ADOPTED}/{device}` has it stand where it is planned"
    return Diagnostic(code, Severity.ERROR, message, path, hint)
