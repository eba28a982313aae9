"""The power that racks of the plan draw with their optics, and the sums of figures of racks without nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.bom.optics import OpticsPower, sum_rack_optics
from fabricgen.catalog.loads import HALF_A_WATT, Device
from fabricgen.cluster import Cluster
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.lint.subjects.rack_loads import ROUNDING, Figure, RackLoad, sum_rack_load
from fabricgen.wiring.racks.loads import RackLoads, compute_rack_loads

if TYPE_CHECKING:
    from fabricgen.wiring.arrays import Floats, Ints, Ints64


@dataclass(frozen=True)
class DrawnRack:
    """The rack that draws most of those over a budget: its name, and the power of its devices and of their optics."""

    name: str
    racks: int
    """How many racks exceed the budget."""
    devices_kw: float
    optics_kw: float
    unpowered: int
    """How many optics of the rack have no published power."""

    @property
    def text(self) -> str:
        """The parts of the power: `57.2 kW of devices + 0.544 kW of optics`, and how many optics have no figure."""
        unknown = f"; no figure for {self.unpowered} more optics" if self.unpowered else ""
        return f"{self.devices_kw:g} kW of devices + {self.optics_kw:g} kW of optics{unknown}"

    @property
    def total_kw(self) -> float:
        """The power of devices and optics, in kW."""
        return round(self.devices_kw + self.optics_kw, 4)


class DrawnRacks:
    """The power of devices (`loads`) and of optics (`optics`) in each rack of a cluster, computed once."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.loads: RackLoads = compute_rack_loads(cluster.plan)
        self.optics: OpticsPower = sum_rack_optics(cluster)

    def of_nodes(self, kind: UnitKind) -> Ints64:
        """Return the rows (1-D int64) of the racks that hold nodes of a kind of unit."""
        import numpy as np

        devices, paths = self._cluster.plan.devices, {s.path for s in kind.node_sets}
        held = [devices.rack[cls.rows] for cls in devices.classes if cls.path in paths]
        return np.unique(np.concatenate(held)) if held else np.zeros(0, dtype=np.int64)

    def find_fullest_over(self, rows: Ints64, budget_kw: float, figure: Floats | None = None) -> DrawnRack | None:
        """Return the rack that draws most of those of `rows` that exceed a budget; None if none does.

        `figure` has the watts of the devices of each rack of the plan, in place of their power; optics are added to it.
        """
        import numpy as np

        device_w = self.loads.power_w if figure is None else figure
        kw = (device_w + self.optics.added_w)[rows] / 1000
        is_over = kw > budget_kw + self.loads.devices[rows] * HALF_A_WATT + ROUNDING
        if not is_over.any():
            return None
        row = int(rows[int(np.argmax(np.where(is_over, kw, -1)))])
        return DrawnRack(
            name=self._cluster.plan.racks.names[row],
            racks=int(is_over.sum()),
            devices_kw=round(float(device_w[row]) / 1000, 4),
            optics_kw=round(float(self.optics.added_w[row]) / 1000, 4),
            unpowered=int(self.optics.unpowered[row]),
        )


def sum_network_racks(cluster: Cluster, figure: Figure) -> list[tuple[int, RackLoad]]:
    """Return (row of the rack, load by a figure) for every rack without nodes, in the order of rows."""
    import numpy as np

    from fabricgen.wiring.tables import NODE

    devices, racks = cluster.plan.devices, len(cluster.plan.racks)
    counts: list[tuple[Device, Ints]] = []
    with_nodes = np.zeros(racks, dtype=bool)
    for cls in devices.classes:
        held = np.bincount(devices.rack[cls.rows], minlength=racks).astype(np.int32)
        with_nodes |= (held > 0) & (cls.kind == NODE)
        counts.append((cls.profile, held))
    network_racks = np.flatnonzero(~with_nodes).tolist()
    return [
        (rack, sum_rack_load([(profile, int(held[rack])) for profile, held in counts], figure))
        for rack in network_racks
    ]
