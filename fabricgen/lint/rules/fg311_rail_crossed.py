"""FG311: a link ends on a switch of another rail or plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class RailCrossed(PlanRule):
    """A NIC port of one rail or plane is wired to a switch that serves another.

    Rail-optimized collectives keep traffic of the n-th GPUs on the n-th leaves; a crossed rail costs a hop through
    the spines on every step, and a crossed plane ends the planes' independence.

    Wiring as planned follows the coordinates of both ends, so that only `cable_of` can bring this about, where it swaps
    NIC ports: have those cables pulled as planned. Anywhere else it is a defect of fabricgen; report it with the
    blueprint.
    """

    id = "FG311"
    severity = Severity.ERROR
    title = "a link ends on a switch of another rail or plane"
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:1": {a_cage: {"p1-su01-n001:OSFP4": OSFP3}}  # <-
          "compute-leaf-p1-su01-r2-01:1": {a_cage: {"p1-su01-n001:OSFP3": OSFP4}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare rail and plane of every link with those of the fabric's switches at its ends, -1 for several."""
        import numpy as np

        from fabricgen.plan.tables import ManagementPort, distinct

        links, devices = cluster.plan.links, cluster.plan.devices
        managed = np.array([isinstance(s.a, ManagementPort) for s in links.segments], dtype=bool)[links.segment]
        crossed = np.zeros(len(links), dtype=bool)
        for of_link, of_device in ((links.rail, devices.rail), (links.plane, devices.plane)):
            for end, counts in ((links.a_device, ~managed), (links.b_device, True)):
                crossed |= counts & (of_link > 0) & (of_device[end] >= 0) & (of_device[end] + 1 != of_link)
        for cable in sorted(set(links.cable[crossed].tolist()) & cluster.planned.own.keys()):
            rows = np.flatnonzero(crossed & (links.cable == cable))
            crossed[rows] = False
            a, b = cluster.names[links.a_device[rows[0]]], cluster.names[links.b_device[rows[0]]]
            yield self.flag(
                ("cable_of", cluster.cable_ids[cable]),
                f"as built, this cable joins {a} and {b} across rails or planes",
                "pull it to the NIC port where it is planned",
            )
        for i in distinct(links.segment[crossed]):
            rows = np.flatnonzero(crossed & (links.segment == i))
            found = links.segments[i]
            a, b = cluster.names[links.a_device[rows[0]]], cluster.names[links.b_device[rows[0]]]
            yield self.flag(
                found.path,
                f"{len(rows)} {found.fabric} {found.key} links cross rails or planes, such as {a} to {b}",
            )
