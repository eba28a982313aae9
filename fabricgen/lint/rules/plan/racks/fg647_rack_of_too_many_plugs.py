"""FG647: a rack takes more plugs than its cable managers hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

MOST_PLUGS = 1800
"""How many plugs two vertical cable managers of a rack take, one on each side.

Managers of 100 mm by 200 mm, filled to 40%, hold 1777 jumpers of 3 mm. TIA-942-B asks for that fill of pathways
(heathertechnologies.com, "Patch Panel Cable Management: Vertical and Horizontal Routing Best Practices").
"""


class RackOfTooManyPlugs(PlanRule):
    """A rack takes more plugs than the cable managers beside it hold.

    Every jumper, and every tail of a splitter, leaves the rack by a vertical manager. One of 100 mm by 200 mm on each
    side, filled to 40%, holds about 1800 jumpers of 3 mm; behind more of them no switch can be changed, and air
    does not pass. Copper is thicker, so that fewer fit. `lint.limits.rack_plugs` states another number.

    Spread the switches over more racks (`racks: 2` of a tier), let leaves stand in the racks of their nodes, or plan
    wider managers and state what they hold.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        lint: {limits: {rack_plugs: 40}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        lint: {limits: {rack_plugs: 40}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2}, spine: {switch: sn5600, count: 4, racks: 2}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag racks with too many plugs; one finding for all racks in which the same tier has the most switches."""
        import numpy as np

        from fabricgen.bom.plug_counts import count_rack_plugs

        limit = cluster.design.loaded.limits.rack_plugs or MOST_PLUGS
        counts = count_rack_plugs(cluster)
        racks_by_path: dict[Path, list[int]] = {}
        for rack in np.flatnonzero(counts > limit).tolist():
            racks_by_path.setdefault(_find_main_tier(cluster, rack), []).append(rack)
        for path, racks in racks_by_path.items():
            # of equally full racks the first
            fullest = max(racks, key=lambda rack: (int(counts[rack]), -rack))
            name, plugs = cluster.plan.racks.names[fullest], int(counts[fullest])
            others = f", the fullest of {len(racks)} racks" if len(racks) > 1 else ""
            yield self.flag(
                path,
                f"{name} takes {plugs} plugs{others}; the managers of a rack hold "
                f"{limit}{_describe_doubt(cluster, fullest)}",
                f"spread its switches over {-(-plugs // limit)} racks, or plan wider managers and state "
                f"`lint.limits.rack_plugs: {plugs}`",
            )


def _describe_doubt(cluster: Cluster, rack: int) -> str:
    """Return the words that a rack is too narrow for managers of the usual size; "" if it is not, or if a limit is
    stated.
    """
    from fabricgen.bom.accessories import NETWORK_M

    racks = cluster.plan.racks
    width_m = racks.kinds[int(racks.kind[rack])].width_m
    if cluster.design.loaded.limits.rack_plugs or width_m >= NETWORK_M:
        return ""
    return f" where they are 100 mm by 200 mm, for which {1000 * width_m:.0f} mm of width has no room: fewer fit here"


def _find_main_tier(cluster: Cluster, rack: int) -> Path:
    """Return the path of the tier that has the most switches in a rack; the path of the racks of nodes if it
    has none.
    """
    import numpy as np

    from fabricgen.wiring.tables import SWITCH

    devices = cluster.plan.devices
    counts = np.bincount(devices.device_class[devices.rack == rack], minlength=len(devices.classes)).tolist()
    # of equal counts the first class is to win, so that indexes are negative for `max`
    switches = [(count, -i) for i, count in enumerate(counts) if count and devices.classes[i].kind == SWITCH]
    if not switches:
        return ("scalable_unit", "racks")
    cls = devices.classes[-max(switches)[1]]
    return cluster.design.tier(cls.key).path
