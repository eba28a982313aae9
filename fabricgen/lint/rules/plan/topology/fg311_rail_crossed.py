"""FG311: a link ends on a switch of another rail or plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.arrays import Flags, Ints


class RailCrossed(PlanRule):
    """A NIC port of one rail or plane is wired to a switch that serves another.

    Rail-optimized collectives keep the traffic of the n-th GPUs on the n-th leaves; a crossed rail costs a hop
    through the spines in every step, and a crossed plane makes the planes depend on each other.

    Planned wiring follows the coordinates of both ends, so only `cable_of` can cause this, by NIC ports that are
    swapped or a cable on another leaf: have those cables pulled as planned, or waive it. Otherwise it is a defect of
    fabricgen; report it with the blueprint.
    """

    severity = Severity.ERROR
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:1": {a_cage: {"p1-su01-n001:OSFP4": OSFP3}}  # <-
          "compute-leaf-p1-su01-r2-01:1": {a_cage: {"p1-su01-n001:OSFP3": OSFP4}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare rail and plane of every link with those of the switches at its ends (-1: a switch of several)."""
        import numpy as np

        from fabricgen.wiring.arrays import unique_values
        from fabricgen.wiring.tables import ManagementPort

        links, devices = cluster.plan.links, cluster.plan.devices
        crossed = np.zeros(len(links), dtype=bool)
        for i, segment in enumerate(links.segments):
            segment_rows = links.find_rows(i)
            # management ports are of switches on any rail: only the switch above them is compared
            ends = [links.b_device[segment_rows]] + [links.a_device[segment_rows]] * (
                not isinstance(segment.a, ManagementPort)
            )
            for end in ends if segment_rows.start < segment_rows.stop else ():
                crossed[segment_rows] |= _find_crossed(links.rail[segment_rows], devices.rail, end)
                crossed[segment_rows] |= _find_crossed(links.plane[segment_rows], devices.plane, end)
        for cable in sorted(set(links.cable[crossed].tolist()) & cluster.planned.overrides.keys()):
            rows = np.flatnonzero(crossed & (links.cable == cable))
            # told by cable: not again with the others of its segment
            crossed[rows] = False
            a, b = cluster.names[links.a_device[rows[0]]], cluster.names[links.b_device[rows[0]]]
            yield self.flag(
                ("cable_of", cluster.cable_ids[cable]),
                f"as built, this cable joins {a} and {b}, which are of different rails or planes",
                "pull it to where it is planned",
            )
        for i in unique_values(links.segment[crossed]):
            rows = np.flatnonzero(crossed & (links.segment == i))
            crossing = links.segments[i]
            a, b = cluster.names[links.a_device[rows[0]]], cluster.names[links.b_device[rows[0]]]
            yield self.flag(
                crossing.path,
                f"{len(rows)} {crossing.fabric} {crossing.key} links cross rails or planes, for example {a} to {b}",
            )


def _find_crossed(required: Ints, of_device: Ints, end: Ints) -> Flags | bool:
    """Which links end on a device of another rail or plane: `required` from 1 (0: none), devices from 0 (-1: none)."""
    first = int(end.min())
    window = of_device[first : int(end.max()) + 1]
    # quick ways out: devices of a segment lie together, and most are of no rail, or all of one
    if window.max() < 0:
        return False
    actual = window[end - first] if window.min() < window.max() else window[:1]
    crossed: Flags = (required > 0) & (actual >= 0) & (actual + 1 != required)
    return crossed
