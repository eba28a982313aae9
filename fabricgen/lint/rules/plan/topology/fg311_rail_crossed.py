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
        """Compare the rail and plane of every link with those of the switches at its ends."""
        import numpy as np

        from fabricgen.wiring.arrays import unique_values
        from fabricgen.wiring.tables import ManagementPort

        links, devices = cluster.plan.links, cluster.plan.devices
        crossed = np.zeros(len(links), dtype=bool)
        for i, segment in enumerate(links.segments):
            rows = links.find_rows(i)
            # management ports are of switches on any rail: only the switch above them is compared
            columns = [links.b_device] if isinstance(segment.a, ManagementPort) else [links.b_device, links.a_device]
            for column in columns if rows.start < rows.stop else ():
                crossed[rows] |= _find_crossed(links.rail[rows], devices.rail, column[rows])
                crossed[rows] |= _find_crossed(links.plane[rows], devices.plane, column[rows])
        for cable in sorted(set(links.cable[crossed].tolist()) & cluster.planned.overrides.keys()):
            of_cable = np.flatnonzero(crossed & (links.cable == cable))
            # told by cable, and not again with the other links of its segment
            crossed[of_cable] = False
            a, b = cluster.names[links.a_device[of_cable[0]]], cluster.names[links.b_device[of_cable[0]]]
            yield self.flag(
                ("cable_of", cluster.cable_ids[cable]),
                f"as built, this cable joins {a} and {b}, which are of different rails or planes",
                "pull it to where it is planned",
            )
        for i in unique_values(links.segment[crossed]):
            of_segment, s = np.flatnonzero(crossed & (links.segment == i)), links.segments[i]
            a, b = cluster.names[links.a_device[of_segment[0]]], cluster.names[links.b_device[of_segment[0]]]
            yield self.flag(
                s.path,
                f"{len(of_segment)} {s.fabric} {s.key} links cross rails or planes, for example {a} to {b}",
            )


def _find_crossed(required: Ints, of_device: Ints, ends: Ints) -> Flags | bool:
    """Return a flag for each of some links: whether it ends on a device of another rail or plane; False for no link.

    `required` has the number of each link from 1 (0 for none), `of_device` that of each device from 0 (-1 for none or
    several), and `ends` the device at the end of each link.
    """
    first_device = int(ends.min())
    window = of_device[first_device : int(ends.max()) + 1]
    # the devices of a segment lie together, and mostly all of them are of no rail, or of one
    if window.max() < 0:
        return False
    # `of_device` counts from 0 and `required` from 1
    actual = window[ends - first_device] if window.min() < window.max() else window[:1]
    crossed: Flags = (required > 0) & (actual >= 0) & (actual + 1 != required)
    return crossed
