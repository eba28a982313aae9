"""What racks draw with their optics, from the plan, and which racks hold the nodes of a kind of unit."""

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
    """The fullest of some racks: what its devices and added optics draw, kW, and how many optics have no figure."""

    name: str
    racks: int
    devices_kw: float
    optics_kw: float
    unpowered: int

    @property
    def text(self) -> str:
        """The two parts: `57.2 kW of devices + 0.544 kW of optics`, and optics without a figure."""
        bare = f"; no figure for {self.unpowered} more optics" if self.unpowered else ""
        return f"{self.devices_kw:g} kW of devices + {self.optics_kw:g} kW of optics{bare}"

    @property
    def total_kw(self) -> float:
        """What both parts add up to, kW."""
        return round(self.devices_kw + self.optics_kw, 4)


class DrawnRacks:
    """Devices and optics of all racks of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.loads: RackLoads = compute_rack_loads(cluster.plan)
        self.optics: OpticsPower = sum_rack_optics(cluster)

    def of_nodes(self, kind: UnitKind) -> Ints64:
        """Rows of the racks that hold nodes of a kind of unit."""
        import numpy as np

        devices, paths = self._cluster.plan.devices, {s.path for s in kind.node_sets}
        held = [devices.rack[cls.rows] for cls in devices.classes if cls.path in paths]
        return np.unique(np.concatenate(held)) if held else np.zeros(0, dtype=np.int64)

    def find_fullest_over(self, rows: Ints64, budget_kw: float, figure: Floats | None = None) -> DrawnRack | None:
        """The fullest of those racks that exceed a budget with the power (or another `figure`, W) of their devices
        and with their optics; None where none does.
        """
        import numpy as np

        watts = self.loads.power_w if figure is None else figure
        kw = (watts + self.optics.added_w)[rows] / 1000
        over = kw > budget_kw + self.loads.devices[rows] * HALF_A_WATT + ROUNDING
        if not over.any():
            return None
        row = int(rows[int(np.argmax(np.where(over, kw, -1)))])
        return DrawnRack(
            name=self._cluster.plan.racks.names[row],
            racks=int(over.sum()),
            devices_kw=round(float(watts[row]) / 1000, 4),
            optics_kw=round(float(self.optics.added_w[row]) / 1000, 4),
            unpowered=int(self.optics.unpowered[row]),
        )


def sum_network_racks(cluster: Cluster, figure: Figure) -> list[tuple[int, RackLoad]]:
    """(row of the rack, sum of a figure of its devices) of every rack without nodes, in their order."""
    import numpy as np

    from fabricgen.wiring.tables import NODE

    devices, racks = cluster.plan.devices, len(cluster.plan.racks)
    counts: list[tuple[Device, Ints]] = []
    with_nodes = np.zeros(racks, dtype=bool)
    for cls in devices.classes:
        held = np.bincount(devices.rack[cls.rows], minlength=racks).astype(np.int32)
        with_nodes |= (held > 0) & (cls.kind == NODE)
        counts.append((cls.profile, held))
    others = np.flatnonzero(~with_nodes).tolist()
    return [(rack, sum_rack_load([(profile, int(held[rack])) for profile, held in counts], figure)) for rack in others]
