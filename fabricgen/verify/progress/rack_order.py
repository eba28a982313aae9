"""Where racks stand, so that one walks past each once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.cluster import Cluster
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.progress.counts import racks_of


@dataclass(frozen=True)
class RackOrder:
    """The position of each rack in a walk, and where it stands (`h1.R03.07`), by name; no places where not known."""

    order: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def of(self, rack: str) -> tuple[int, str]:
        """Sort key of a rack."""
        return self.order.get(rack, len(self.order)), rack


def rack_order_of(cluster: Cluster) -> RackOrder:
    """The hall of a compiled blueprint, walked as the technician's workbook does."""
    from fabricgen.export.locations import rack_order, rack_places

    racks = cluster.plan.racks
    order = rack_order(racks).tolist()
    places = rack_places(cluster).tolist()
    return RackOrder(dict(zip(racks.names, order, strict=True)), dict(zip(racks.names, places, strict=True)))


def rack_order_in(plan: PlannedCabling) -> RackOrder:
    """The racks of a built folder, in the order of its list of devices."""
    return RackOrder({name: at for at, name in enumerate(racks_of(plan)[0])})
