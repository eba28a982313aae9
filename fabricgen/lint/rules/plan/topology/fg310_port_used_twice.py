"""FG310: a port has two links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Side


def make_port_key(side: Side) -> tuple[object, ...]:
    """Return a key that two sides of segments share if they are the same ports of a device: by a run of cages, a NIC
    role, or a kind of port.
    """
    if isinstance(side, PortRun):
        return "cages", side.cages[:1], side.ways
    if isinstance(side, Attachment):
        return "role", side.role
    return "other", type(side).__name__, getattr(side, "role", ""), getattr(side, "first_cage", 0)


class PortUsedTwice(PlanRule):
    """A port of a device has more than one link.

    A port takes one cable. Where no other error explains it (FG306 reports fabrics that share NIC ports), this is a
    defect of fabricgen, not of the blueprint.

    Do not build from it: report it with the blueprint.
    """

    severity = Severity.ERROR
    impossible = True
    waivable = False
    bad = """
        fabrics:
          second: {protocol: roce, attach: compute,  # <-
            tiers: {leaf: {switch: sn5600, per: [su, rail]}}}
    """
    good = """
        fabrics:
          second: {protocol: roce, attach: storage,
            tiers: {leaf: {switch: sn5600, per: [su, rail]}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag ports with several links, one finding for each run of links that the later ones are of."""
        import numpy as np

        from fabricgen.wiring.arrays import unique_values
        from fabricgen.wiring.cabling.end_numbers import number_ends

        links = cluster.plan.links
        kinds: dict[tuple[object, ...], int] = {}
        # a port has the number of its kind from bit 20 on, and its number among the ports of that kind in the lower
        # bits
        numbers = number_ends(
            cluster.plan.devices,
            links,
            lambda side, port: (kinds.setdefault(make_port_key(side), len(kinds)) << 20) + port,
        )
        used = np.zeros(numbers.count, dtype=bool)
        for end in (numbers.a, numbers.b):
            used[end.astype(np.int64)] = True
        if np.count_nonzero(used) == 2 * len(links):
            return
        # a ends first, then b ends: row i of both is of link i % len(links)
        ends = np.concatenate([numbers.a, numbers.b])
        shared = np.flatnonzero((np.bincount(ends) > 1)[ends])
        # sorted by port, then link: an end with the port of the end before it is of a later link
        order = shared[np.lexsort((shared % max(1, len(links)), ends[shared]))]
        later = order[1:][ends[order[1:]] == ends[order[:-1]]]
        device = np.concatenate([links.a_device, links.b_device])
        segment = links.segment[later % max(1, len(links))]
        for i in unique_values(segment):
            rows, s = later[segment == i], links.segments[i]
            yield self.flag(
                s.path,
                f"{len(rows)} ports of {s.fabric} {s.key} links already have another link, "
                f"for example on {cluster.names[device[rows[0]]]}",
            )
