"""The compiled cluster: design, wiring plan, names and addresses, with lazy views of single devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.beside.lock import Lock
from fabricgen.cable_overrides.ends import PlannedCables
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.intervals import Intervals
from fabricgen.numbering.addresses.allocate import Addresses, allocate_numbers
from fabricgen.numbering.addresses.shared_ports import check_leaks
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.numbering.names import find_stated_places, list_site_names, name_devices
from fabricgen.numbering.ports import PortNames
from fabricgen.numbering.switch_asns import check_sessions
from fabricgen.views.configuration import check_configurations
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.expand import build_wiring_plan
from fabricgen.wiring.tables import SWITCH, WiringPlan

if TYPE_CHECKING:
    from fabricgen.cable_overrides.ends import CableIds
    from fabricgen.views.fabric import FabricView
    from fabricgen.views.intent import FabricIntent
    from fabricgen.views.switch import SwitchView
    from fabricgen.views.switches import SwitchViews


class AtPhase(NamedTuple):
    """Which rows of the whole cluster's devices, links, cables and cable ends a cluster at a phase has; int64."""

    name: str
    whole: Cluster
    devices: Ints64
    links: Ints64
    cables: Ints64
    ends: Ints64
    absent: frozenset[str]
    """The fabrics that are not there."""
    selection: Selection
    lab: bool = False
    """Whether it is a part of the cluster for a lab, and not a phase of the blueprint."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Everything that is known of a cluster; immutable. `names` are those of all devices, by row."""

    design: Design
    plan: WiringPlan
    addresses: Addresses
    names: tuple[str, ...]
    port_names: PortNames
    planned: PlannedCables
    """The planned wiring, without the overrides of single cables that `plan` has applied."""
    phase: AtPhase | None = None
    """Which rows of the whole cluster this one has, at a phase or in a lab; None for the whole cluster."""

    @cached_property
    def sites(self) -> tuple[str, ...]:
        """The name of each device's site, by row of the device table."""
        return tuple(list_site_names(self.design, self.plan.devices))

    @property
    def a_port(self) -> Strings:
        """Port names of the lower ends of links, one for each link; object array of str."""
        return self.port_names.ports[0]

    @property
    def b_port(self) -> Strings:
        """Port names of the upper ends of links, one for each link; object array of str."""
        return self.port_names.ports[1]

    @property
    def cages(self) -> tuple[Strings, Strings]:
        """Cage names of the a and b ends of every link; object arrays of str."""
        return self.port_names.cages

    @cached_property
    def lock(self) -> Lock:
        """The lock to write: all numbers and choices to be remembered, of this build and earlier ones."""
        from fabricgen.design.kept.remembered import add_remembered

        return add_remembered(self.design, self.addresses.lock)

    def holes_of(self, lock: Lock) -> dict[tuple[str, str], Intervals]:
        """Return the holes of a lock: the numbers that it keeps for holders that no longer exist, by (kind, holder).

        A holder is what a lock says has numbers of a kind, such as `p1`, or `compute leaf` for a tier.
        """
        from fabricgen.design.kept.release import find_holes
        from fabricgen.design.kept.remembered import count_positions_needed

        return find_holes(lock, self.holders, self.design.layout, count_positions_needed(self.design))

    @cached_property
    def holders(self) -> frozenset[tuple[str, str]]:
        """(kind of number, name) of every holder in the lock that is still in use."""
        from fabricgen.design.kept.remembered import list_holders_in_use

        return self.addresses.used | list_holders_in_use(self.design)

    @cached_property
    def name_column(self) -> Strings:
        """The name of each device, by row, as an object array."""
        return np.array(self.names, dtype=object)

    @cached_property
    def cable_ids(self) -> tuple[str, ...]:
        """The stable id of each cable, by row: the planned `device:connector` of its common end."""
        return self.cable_id_columns.list_ids()

    @cached_property
    def cable_id_columns(self) -> CableIds:
        """The ids of all cables, by row, as two encoded columns: device and connector."""
        from fabricgen.cable_overrides.ends import CableIds, make_cable_ids

        if self.phase:
            whole = self.phase.whole.cable_id_columns
            return CableIds(whole.device.take(self.phase.cables), whole.connector.take(self.phase.cables))
        return make_cable_ids(self.planned.plan, self.name_column, self.planned.port_names.cage_columns)

    @cached_property
    def end_rows(self) -> tuple[slice | Ints64, ...]:
        """The cable end rows of each segment of links: a slice, or int64 indexes."""
        segment = self.plan.links.segment[self.plan.cables.end_link]
        numbers = range(len(self.plan.links.segments))
        # in the order of segments slices are enough, which copy nothing
        if (segment[1:] < segment[:-1]).any():
            return tuple(np.flatnonzero(segment == i) for i in numbers)
        bounds = np.searchsorted(segment, np.arange(len(numbers) + 1, dtype=np.int32)).tolist()
        return tuple(slice(*bounds[i : i + 2]) for i in numbers)

    def switch_rows(self) -> list[int]:
        """Rows of the device table that are switches of Ethernet fabrics, in order."""
        rows: list[int] = []
        for cls in self.plan.devices.classes:
            if cls.kind == SWITCH and self.design.fabric(cls.fabric).protocol != "infiniband":
                rows += range(cls.first, cls.first + cls.count)
        return rows

    def whole_fabrics(self) -> list[str]:
        """Return the names of the InfiniBand fabrics with switches, in order.

        Fabrics that are linked with each other have one subnet manager: only the first of them with tiers is named.
        """
        from fabricgen.design.linked import group_infiniband_fabrics

        built_fabrics = {cls.fabric for cls in self.plan.devices.classes if cls.kind == SWITCH and cls.count}
        parts = group_infiniband_fabrics(self.design)
        return [name for name, part in parts.items() if built_fabrics.intersection(part)]

    def whole_fabric(self, name: str) -> FabricView:
        """Return the view of one of `whole_fabrics`, by its name."""
        from fabricgen.views.fabric import make_fabric_view

        return make_fabric_view(self.design, self.plan, self.names, name)

    def switches(self) -> Iterator[SwitchView]:
        """Views of every switch that has a configuration."""
        return (self.switch(row) for row in self.switch_rows())

    @cached_property
    def _intents(self) -> dict[str, FabricIntent]:
        from fabricgen.views.intent import make_fabric_intent

        return {f.name: make_fabric_intent(self.design, f, self.addresses.own_loopbacks) for f in self.design.fabrics}

    def intent(self, fabric: FabricDesign) -> FabricIntent:
        """The settings that all switches of a fabric share."""
        return self._intents[fabric.name]

    def switch(self, row: int) -> SwitchView:
        """The view of one switch, by its row in the device table."""
        return self.views.switch(row)

    @cached_property
    def views(self) -> SwitchViews:
        """The builder of views of single switches."""
        from fabricgen.views.switches import SwitchViews

        ports, cables = self.port_names.port_columns, self.cable_id_columns
        shared = self.phase.whole.views.shares_asn[self.phase.devices] if self.phase else None
        absent = self.phase.absent if self.phase else frozenset[str]()
        return SwitchViews(
            self.design, self.plan, self.addresses, self.names, self.sites, ports, cables, self._intents, shared, absent
        )


def build_cluster(design: Design) -> Cluster:
    """Expand a design and allocate its names and addresses.

    Raises InputError, with the place of each finding, if racks or pools do not suffice, or if what is stated of single
    devices, ports and cables does not fit the plan.
    """
    plan = build_wiring_plan(design, find_stated_places)
    try:
        names = name_devices(design, plan.devices)
        addresses = allocate_numbers(design, plan)
        port_names = PortNames(design, plan)
        if design.loaded.blueprint.address_of or design.layout.lock.find_words(ADOPTED):
            from fabricgen.numbering.overrides import apply_overrides

            addresses = apply_overrides(design, plan, names, port_names, addresses)
        planned = PlannedCables(plan, port_names, {})
        if design.loaded.blueprint.cable_of:
            from fabricgen.cable_overrides.built import apply_cable_overrides

            built = apply_cable_overrides(design, plan, names, port_names, addresses)
            plan, port_names, addresses, planned = built.plan, built.port_names, built.addresses, built.planned
        if design.leaks:
            check_leaks(design, plan, names)
        check_sessions(design, plan, names, addresses.asn)
        if design.loaded.guids:
            _check_guids(design, plan, names)
        if design.loaded.inventory:
            from fabricgen.numbering.guids import check_inventory

            check_inventory(design.loaded.inventory, plan, names, port_names.ports)
        check_configurations(design, plan, names, port_names)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    return Cluster(design, plan, addresses, tuple(names), port_names, planned)


def _check_guids(design: Design, plan: WiringPlan, names: Sequence[str]) -> None:
    """Raise InputError for a stated GUID of a device or port that its fabric does not have."""
    from fabricgen.design.linked import group_infiniband_fabrics
    from fabricgen.views.fabric import make_fabric_view

    for name in group_infiniband_fabrics(design):
        make_fabric_view(design, plan, names, name)
