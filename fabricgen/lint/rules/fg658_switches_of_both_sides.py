"""FG658: switches of one network rack have their ports at both aisles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.floor.port_sides import catalogue_aisle
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import DeviceClass


class SwitchesOfBothSides(PlanRule):
    """In a rack without nodes the ports of some switches face the hot aisle, those of others the cold aisle.

    Cables between them cross the rack, both sides need cable managers, and whoever plugs them walks around the row.
    Switches are sold with air either way: those of one rack are ordered alike.

    State `airflow` of the tier, if the catalogue knows such a variant, or let its switches stand in other racks.
    """

    id = "FG658"
    severity = Severity.INFO
    title = "switches of one network rack have their ports at both aisles"
    bad = """
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {
          switch: sn2201,  # <-
          per: su, stand: unit-end}}}}
    """
    good = """
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {
          switch: sn2201, per: su, stand: unit-end, airflow: intake}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Name each tier once whose switches are the fewer of a rack, with the first such rack."""
        import numpy as np

        from fabricgen.wiring.tables import NODE, SWITCH

        devices = cluster.plan.devices
        nodes = np.zeros(len(cluster.plan.racks), dtype=bool)
        counts: dict[int, dict[int, int]] = {}
        for number, cls in enumerate(devices.classes):
            racks, each = np.unique(devices.rack[cls.rows], return_counts=True)
            nodes[racks] |= cls.kind == NODE
            if cls.kind == SWITCH and _aisle(cluster, cls):
                for rack, count in zip(racks.tolist(), each.tolist(), strict=True):
                    counts.setdefault(rack, {})[number] = count
        told: dict[Path, list[tuple[int, DeviceClass, DeviceClass]]] = {}
        for rack, held in sorted(counts.items()):
            faced = {n: _aisle(cluster, devices.classes[n]) for n in held}
            if nodes[rack] or len(set(faced.values())) < 2:
                continue
            sums = {a: sum(count for n, count in held.items() if faced[n] == a) for a in ("cold", "hot")}
            fewer = min(sums, key=lambda aisle: (sums[aisle], aisle == "cold"))
            other = devices.classes[next(n for n in held if faced[n] != fewer)]
            for cls in (devices.classes[n] for n in held if faced[n] == fewer):
                told.setdefault(cls.path, []).append((rack, cls, other))
        for found in sorted(told.values(), key=lambda found: found[0][0]):
            yield self._finding(cluster, *found[0], len(found) - 1)

    def _finding(self, cluster: Cluster, rack: int, cls: DeviceClass, other: DeviceClass, rest: int) -> Diagnostic:
        more = f", and in {rest} more rack{'s' if rest > 1 else ''}" if rest else ""
        wanted = {"cold": "intake", "hot": "exhaust"}[_aisle(cluster, other)]
        sold = any(v.airflow == wanted for v in getattr(cls.profile, "variants", ()))
        return self.flag(
            (*cls.path, "switch"),
            f"in {cluster.plan.racks.names[rack]}{more}, ports of {cls.profile.id} ({cls.fabric} {cls.tier}) face "
            f"the {_aisle(cluster, cls)} aisle, those of {other.profile.id} ({other.fabric} {other.tier}) the "
            f"{_aisle(cluster, other)} one",
            f"`airflow: {wanted}` for this tier" if sold else "let the switches of one of them `stand` elsewhere",
        )


def _aisle(cluster: Cluster, cls: DeviceClass) -> str:
    return catalogue_aisle(cluster.design, (cls.fabric, cls.tier), cls.nos, cls.profile)
