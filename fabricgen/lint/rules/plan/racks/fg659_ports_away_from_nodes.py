"""FG659: switches have their ports at another aisle than the nodes of their fabric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.lint.subjects.aisles import Aisles


class PortsAwayFromNodes(PlanRule):
    """Ports of all nodes of a fabric face one aisle, and those of its switches the other.

    Each cable between both aisles is longer by the depth of a rack, has to find a way through it, and is plugged from
    two aisles. Many switches are sold with air either way; which way is a key of the tier.

    State `airflow` of these tiers. It is named where the fewest cables of the whole plan cross a rack then, and the
    catalogue knows that variant. Where it knows none, the finding counts the cables between nodes and switches that
    cross, and there is nothing to mend. Nodes whose side of ports nobody says count for neither.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300}  # dgx-b300: ports at the front
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {
          switch: sn2201,  # <-
          per: su}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300}
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {
          switch: sn2201, per: su, airflow: intake}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Yield up to two findings for each fabric: on tiers that should turn to the aisle of its nodes, and on others.

        The other tiers would have to turn as well, but no variant of their switches with the ports at that aisle is
        known. Nothing is found if all ports of the plan that are known to face an aisle face the same one.
        """
        from fabricgen.lint.subjects.aisles import AIRFLOW, COLD, HOT, Aisles, join_words, sum_crossing_cables

        aisles = Aisles(cluster)
        if not {HOT, COLD} <= set(aisles.now):
            return
        for fabric in cluster.design.fabrics:
            node_aisle, nodes = aisles.of_nodes(fabric.name), aisles.list_node_classes(fabric.name)
            if turning := aisles.list_misfacing(fabric.name):
                tiers = join_words(aisles.classes[n].tier for n in turning)
                hint = f"`airflow: {AIRFLOW[node_aisle]}` for {tiers}"
                yield self._make_finding(aisles, turning, nodes, aisles.count_spared_cables(turning), hint)
            if unturnable := aisles.list_away_from_nodes(fabric.name):
                # a pair begins with the numbers of the two classes that its cables join
                pairs_with_nodes = [
                    pair for pair in aisles.pairs if set(pair[:2]) & set(unturnable) and set(pair[:2]) & set(nodes)
                ]
                models = join_words(aisles.classes[n].profile.id for n in unturnable)
                hint = f"no variant of {models} with its ports at the {node_aisle} aisle is known"
                yield self._make_finding(
                    aisles, unturnable, nodes, sum_crossing_cables(pairs_with_nodes, aisles.now), hint
                )

    def _make_finding(
        self, aisles: Aisles, switches: list[int], nodes: list[int], crossing: tuple[int, float], hint: str
    ) -> Diagnostic:
        """Return the finding on classes of switches that face another aisle than the node classes of their fabric.

        `crossing` has the number of cables that cross a rack, and the metres that this takes.
        """
        from fabricgen.lint.subjects.aisles import OTHER, describe_crossing, join_words

        first_class, faced_aisle = aisles.classes[switches[0]], aisles.now[switches[0]]
        tiers = join_words(aisles.classes[n].tier for n in switches)
        models, hosts = (
            join_words(aisles.classes[n].profile.id for n in numbers)
            for numbers in (switches, [n for n in nodes if aisles.now[n]])  # "" for a class whose aisle nobody says
        )
        return self.flag(
            (*first_class.path, "switch"),
            f"ports of {models} ({first_class.fabric} {tiers}) face the {faced_aisle} aisle, "
            f"those of {hosts} the {OTHER[faced_aisle]} "
            f"one: {describe_crossing(*crossing)}",
            hint,
        )
