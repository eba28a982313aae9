"""FG658: switches of one network rack have their ports at both aisles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.lint.subjects.aisles import Aisles


class SwitchesOfBothSides(PlanRule):
    """In a rack without nodes the ports of some switches face the hot aisle, those of others the cold aisle.

    Cables between them cross the rack, both sides need cable managers, and whoever plugs them walks around the row.
    Many switches are sold with air either way: those of one rack are ordered alike, unless more cables cross a rack
    for it elsewhere.

    State `airflow` of the tier that is named. Where turning none would spare a cable or a rack, let the switches of one
    side stand in other racks. Silent where FG659 says what keeps a switch of the rack from the aisle of its nodes, or
    how to turn it.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        scalable_unit: {nodes: 4 x mi300x-8}  # mi300x-8: nobody says where its ports are
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {
          switch: sn2201,  # <-
          per: su, stand: unit-end}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x mi300x-8}  # mi300x-8: nobody says where its ports are
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {
          switch: sn2201, per: su, stand: unit-end, airflow: intake}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag tiers with switches in racks whose switches face both aisles, each with the first such rack.

        They are the tiers that should turn by the best choice of aisles; in a rack in which none should, those of the
        side with fewer switches. Tiers of FG659 are left to it.
        """
        from fabricgen.lint.subjects.aisles import COLD, HOT, Aisles

        aisles = Aisles(cluster)
        if not {HOT, COLD} <= set(aisles.now):
            return
        mixed = {rack: numbers for rack, numbers in aisles.racks.items() if len({aisles.now[n] for n in numbers}) > 1}
        fabrics = [fabric.name for fabric in cluster.design.fabrics]
        of_fg659 = {n for name in fabrics for n in (*aisles.list_misfacing(name), *aisles.list_away_from_nodes(name))}
        # (rack, class of switches) by the path of their tier
        racks_by_path: dict[Path, list[tuple[int, int]]] = {}
        for rack, numbers in mixed.items():
            turning = [n for n in numbers if aisles.now[n] != aisles.best[n]]
            if not turning and not of_fg659 & numbers.keys():
                sums = {a: sum(count for n, count in numbers.items() if aisles.now[n] == a) for a in (COLD, HOT)}
                # of equally many, those at the hot aisle turn: False sorts before True
                fewer = min(sums, key=lambda aisle: (sums[aisle], aisle == COLD))
                turning = [n for n in numbers if aisles.now[n] == fewer]
            for number in turning:
                if number not in of_fg659:
                    racks_by_path.setdefault(aisles.classes[number].path, []).append((rack, number))
        for rows in sorted(racks_by_path.values(), key=lambda entries: entries[0]):
            yield self._make_finding(aisles, *rows[0], len({rack for rack, _ in rows}) - 1)

    def _make_finding(self, aisles: Aisles, rack: int, number: int, other_racks: int) -> Diagnostic:
        """Return the finding on a class of switches, by its number, in a rack and in a number of other racks.

        If fewer cables would cross a rack with the tier turned, the hint is to turn it; else to move switches away.
        """
        from fabricgen.lint.subjects.aisles import AIRFLOW, OTHER, describe_crossing

        cls, faced = aisles.classes[number], aisles.now[number]
        other = aisles.classes[next(n for n in aisles.racks[rack] if aisles.now[n] != faced)]
        racks = aisles.cluster.plan.racks.names[rack]
        racks += f", and in {other_racks} more rack{'s' if other_racks > 1 else ''}" if other_racks else ""
        should_turn = faced != aisles.best[number]
        cables, metres = aisles.count_spared_cables(aisles.tiers[f"{cls.fabric} {cls.tier}"] if should_turn else [])
        return self.flag(
            (*cls.path, "switch"),
            f"in {racks}, ports of {cls.profile.id} ({cls.fabric} {cls.tier}) face the {faced} aisle, those of "
            f"{other.profile.id} ({other.fabric} {other.tier}) the {OTHER[faced]} one"
            + (f": {describe_crossing(cables, metres)}" if cables else ""),
            f"`airflow: {AIRFLOW[OTHER[faced]]}` for this tier"
            if should_turn
            else "let the switches of one of them `stand` elsewhere",
        )
