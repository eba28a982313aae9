"""FG661: it is not known on which side nodes have their ports; lengths take no cable of theirs across a rack."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class SideOfPortsUnknown(PlanRule):
    """A profile of nodes has no `panel`, which says on which side its ports are, and switches that it is cabled to have
    one: lengths take its ports to be on their side.

    If they are on the other, each of these cables has to find its way through a rack, and is too short by its depth: of
    copper, which is ordered by the half metre, all of them.

    Add `panel: {side: front}` or `rear` to a profile of your own, or name the profiles whose ports face the cold aisle
    in `floor.trays.cold_ports`.
    """

    severity = Severity.INFO
    to_do = ToDo.STATE_FACTS
    bad = """
        scalable_unit:
          nodes: 4 x generic-server  # <-
        fabrics: {compute: {tiers: {leaf: {switch: sn4700, per: su}, spine: {switch: sn4700, count: 4}}}}
    """
    good = """
        scalable_unit:
          nodes: 4 x generic-server
        fabrics: {compute: {tiers: {leaf: {switch: sn4700, per: su}, spine: {switch: sn4700, count: 4}}}}
        floor: {trays: {cold_ports: [sn4700, generic-server]}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Count the cables from each node profile of unknown side to switches of known side, by the aisle of these."""
        from fabricgen.catalog.models import NodeProfile
        from fabricgen.lint.subjects.aisles import Aisles

        if cluster.design.loaded.blueprint.floor.trays.cold_ports is not None:
            return
        aisles = Aisles(cluster)
        cables, paths = defaultdict[str, Counter[str]](Counter), dict[str, Path]()
        metres = 0.0
        for first, second, count, crossing_m in aisles.pairs:
            for node, switch in ((first, second), (second, first)):
                cls = aisles.classes[node]
                if isinstance(cls.profile, NodeProfile) and not aisles.now[node] and aisles.now[switch]:
                    paths.setdefault(cls.profile.id, cls.path)
                    metres += crossing_m
                    cables[cls.profile.id][aisles.now[switch]] += count
        if cables:
            listed = ", ".join(f"{name} ({_describe_cables(by_aisle)})" for name, by_aisle in sorted(cables.items()))
            main_profile = max(sorted(cables), key=lambda name: cables[name].total())
            have = "have" if len(cables) > 1 else "has"
            yield self.flag(
                paths[main_profile],
                f"nobody says at which aisle {listed} {have} ports: lengths assume that of the switches; at "
                f"the other the cables take {metres:,.0f} m more",
                "state `panel` with its `side`, front (cold) or rear (hot), in a profile of your own",
            )


def _describe_cables(by_aisle: Counter[str]) -> str:
    """Return the numbers of cables by the aisle of the switches that they lead to: `16 cables: hot`."""
    return ", ".join(f"{count:,} cable{'s' * (count != 1)}: {aisle}" for aisle, count in sorted(by_aisle.items()))
