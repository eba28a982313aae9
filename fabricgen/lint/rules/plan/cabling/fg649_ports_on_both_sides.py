"""FG649: cables between ports on both sides of their racks are bought as if all ports were on one side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.advice.switches import list_powered_devices
from fabricgen.design.floor.port_sides import find_catalogue_aisle
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
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

    id = "FG649"
    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    title = "cables between ports on both sides of racks are too short"
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
        """Compare the length of each cable with its run where that crosses a rack."""
        floor, classes = cluster.design.loaded.blueprint.floor, cluster.plan.devices.classes
        aisles = [find_catalogue_aisle(cluster.design, (c.fabric, c.tier), c.nos, c.profile) for c in classes]
        if not {"hot", "cold"} <= set(aisles) or aisles == [cls.aisle for cls in classes]:
            return
        import numpy as np

        from fabricgen.wiring.cabling.routes import locate_devices

        devices, links, cables = cluster.plan.devices, cluster.plan.links, cluster.plan.cables
        ends = [column[cables.end_link] for column in (links.a_device, links.b_device)]
        classes_of_ends = [devices.device_class[end] for end in ends]
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
            {c.profile.id for c, faced in zip(classes, aisles, strict=True) if faced == a} for a in ("hot", "cold")
        )
        listed, remedy = sorted(cold - hot), "order switches with the other `airflow`"
        count, length = len(np.unique(cables.end_cable[short])), float(cables.length_m[cables.end_cable[worst]])
        stated = floor.trays.cold_ports is not None
        yield self.flag(
            ("floor", "trays", "cold_ports") if stated else _find_first_path(cluster, cold),
            f"{count} of {len(cables)} cables join ports at the hot and the cold aisle, and are too short to cross a "
            f"rack: that of {a} and {b} has {length:g} m, and its run {float(run[worst]):.1f} m",
            f"`floor.trays.cold_ports: [{', '.join(listed)}]`, or {remedy}" if listed else remedy,
        )


def _find_crossing(aisles: Sequence[str], a: Ints, b: Ints) -> Flags:
    """Whether classes `a` and `b` of devices have ports at different aisles, one of which each of them faces."""
    import numpy as np

    hot, cold = (np.array([aisle == side for aisle in aisles], dtype=bool) for side in ("hot", "cold"))
    across: Flags = (hot[a] & cold[b]) | (cold[a] & hot[b])
    return across


def _is_side_known(classes: Sequence[DeviceClass], class_of_end: Ints, cages: EncodedColumn) -> Flags:
    """Whether it is known on which side each cage is: of a node, where its panel lists it, or lists none."""
    import numpy as np

    is_known = np.ones(len(class_of_end), dtype=bool)
    for number, cls in enumerate(classes):
        groups = cls.profile.panel.groups if isinstance(cls.profile, NodeProfile) and cls.profile.panel else ()
        if groups:
            listed = [cage for group in groups for cage in group.cages]
            is_known &= (class_of_end != number) | np.isin(cages.vocabulary.astype(str), listed)[cages.codes]
    return is_known


def _find_first_path(cluster: Cluster, profiles: set[str]) -> Path:
    """The line of the first of some profiles."""
    return next(
        path for profile, path, count in list_powered_devices(cluster.design) if count and profile.id in profiles
    )
