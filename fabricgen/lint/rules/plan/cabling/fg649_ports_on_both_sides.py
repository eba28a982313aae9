"""FG649: cables between ports on both sides of racks are too short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.advice.switches import list_powered_devices
from fabricgen.design.floor.port_sides import find_catalogue_aisle
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.numbering.lazy_columns import EncodedColumn
    from fabricgen.wiring.arrays import Flags, Ints
    from fabricgen.wiring.tables import DeviceClass


class PortsOnBothSides(PlanRule):
    """Ports of one end face the hot aisle, of the other the cold aisle, and the cable has no length to cross the rack.

    Lengths follow the sides of ports as the catalogue knows them: by the airflow that a switch is ordered with, and the
    panel of a node. Where `floor.trays.cold_ports` says otherwise, it wins; and a lock from before lengths knew sides
    keeps the cables that were bought. The cables between both sides are then up to the depth of a rack too short.

    List the profiles at the cold aisle, or leave `cold_ports` out, or order switches with the other `airflow`, so that
    all ports are on one side.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200}  # dgx-b200: ports at the rear
        fabrics: {compute: {tiers: {leaf: {switch: sn5600, airflow: intake}}}}
        floor: {trays: {cold_ports: []}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200}
        fabrics: {compute: {tiers: {leaf: {switch: sn5600, airflow: intake}}}}
        floor: {trays: {cold_ports: [sn5600]}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the length of each cable that crosses a rack, which its length does not allow for, with its run."""
        floor, classes = cluster.design.loaded.blueprint.floor, cluster.plan.devices.classes
        aisles = [find_catalogue_aisle(cluster.design, (c.fabric, c.tier), c.nos, c.profile) for c in classes]
        if not {"hot", "cold"} <= set(aisles) or aisles == [cls.aisle for cls in classes]:
            return
        import numpy as np

        from fabricgen.wiring.cabling.routes import locate_devices

        devices, links, cables = cluster.plan.devices, cluster.plan.links, cluster.plan.cables
        ends = [column[cables.end_link] for column in (links.a_device, links.b_device)]
        classes_of_ends = [devices.device_class[end] for end in ends]
        # cables that cross by the catalogue, and not by the aisles that lengths were computed with (`cls.aisle`)
        crosses = _find_crossing(aisles, *classes_of_ends) & ~_find_crossing(
            [cls.aisle for cls in classes], *classes_of_ends
        )
        for end, cages in enumerate(cluster.port_names.cage_columns):
            crosses &= _is_side_known(classes, classes_of_ends[end], cages.take(cables.end_link))
        depth = locate_devices(devices, cluster.plan.racks, floor).depth
        run = cables.run_m[cables.end_cable] + np.maximum(depth[ends[0]], depth[ends[1]]) * (1 + floor.slack)
        lacks = np.where(crosses, run - cables.length_m[cables.end_cable], 0.0)
        short = np.flatnonzero(lacks > 0)
        if not len(short):
            return
        worst = int(np.argmax(lacks))
        a, b = (cluster.names[int(end[worst])] for end in ends)
        hot, cold = (
            {cls.profile.id for cls, faced in zip(classes, aisles, strict=True) if faced == aisle}
            for aisle in ("hot", "cold")
        )
        listed, remedy = sorted(cold - hot), "order switches with the other `airflow`"
        count, length = len(np.unique(cables.end_cable[short])), float(cables.length_m[cables.end_cable[worst]])
        is_stated = floor.trays.cold_ports is not None
        # (profile, path, how many)
        devices_in_use = (item for item in list_powered_devices(cluster.design) if item[2])
        yield self.flag(
            ("floor", "trays", "cold_ports")
            if is_stated
            else next(path for profile, path, _ in devices_in_use if profile.id in cold),
            f"{count} of {len(cables)} cables join ports at the hot and the cold aisle, and are too short to cross a "
            f"rack: that of {a} and {b} has {length:g} m, and its run {float(run[worst]):.1f} m",
            f"`floor.trays.cold_ports: [{', '.join(listed)}]`, or {remedy}" if listed else remedy,
        )


def _find_crossing(aisles: Sequence[str], a: Ints, b: Ints) -> Flags:
    """Return a flag for each cable end: whether one of the device classes at both ends, `a` and `b`, has its ports at
    the hot aisle and the other at the cold aisle. `aisles` has the aisle of each class.
    """
    import numpy as np

    hot, cold = (np.array([aisle == wanted for aisle in aisles], dtype=bool) for wanted in ("hot", "cold"))
    is_crossing: Flags = (hot[a] & cold[b]) | (cold[a] & hot[b])
    return is_crossing


def _is_side_known(classes: Sequence[DeviceClass], class_of_end: Ints, cages: EncodedColumn) -> Flags:
    """Return a flag for each cable end: whether it is known on which side its cage is. The cages of a node are known if
    its panel lists them, or lists none.
    """
    import numpy as np

    is_known = np.ones(len(class_of_end), dtype=bool)
    for number, cls in enumerate(classes):
        groups = cls.profile.panel.groups if isinstance(cls.profile, NodeProfile) and cls.profile.panel else ()
        if groups:
            listed = [cage for group in groups for cage in group.cages]
            is_known &= (class_of_end != number) | np.isin(cages.vocabulary.astype(str), listed)[cages.codes]
    return is_known
