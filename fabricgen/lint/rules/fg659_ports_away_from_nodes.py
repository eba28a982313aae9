"""FG659: switches have their ports at another aisle than the nodes of their fabric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.floor.port_sides import catalogue_aisle
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import DeviceClass

_Pairs = list[tuple[int, int, int, float]]
"""(class, class, cables, what they take to cross a rack, m) of cables that join devices of two classes."""

_AIRFLOW = {"cold": "intake", "hot": "exhaust"}


class PortsAwayFromNodes(PlanRule):
    """Ports of all nodes of a fabric face one aisle, and its switches could be ordered with theirs there, and are not.

    Each cable between both aisles is longer by the depth of a rack, has to find a way through it, and is plugged from
    two aisles. Switches are sold with air either way; which way is a key of the tier.

    State `airflow` of these tiers. It is said where fewer cables cross a rack then, those to other fabrics counted, and
    of models of which the catalogue knows that variant. Nodes whose side of ports nobody says count for neither.
    """

    id = "FG659"
    severity = Severity.INFO
    title = "switches have their ports at another aisle than the nodes of their fabric"
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
        """Name each fabric once, at the first of its tiers."""
        classes = cluster.plan.devices.classes
        aisles = [catalogue_aisle(cluster.design, (c.fabric, c.tier), c.nos, c.profile) for c in classes]
        if not {"hot", "cold"} <= set(aisles):
            return
        pairs = _pairs(cluster)
        for fabric in cluster.design.fabrics:
            nodes = _nodes_of(classes, pairs, fabric.name)
            faced = {aisles[n] for n in nodes} - {""}
            if len(faced) != 1:
                continue
            wanted = faced.pop()
            away = [n for n, c in enumerate(classes) if c.fabric == fabric.name and aisles[n] not in ("", wanted)]
            away = [n for n in away if _is_sold(classes[n], wanted)]
            turned = [wanted if n in away else aisle for n, aisle in enumerate(aisles)]
            spared, metres = (
                now - then for now, then in zip(_across(pairs, aisles), _across(pairs, turned), strict=True)
            )
            if spared > 0:
                known = [classes[n] for n in nodes if aisles[n]]
                yield self._finding([classes[n] for n in away], known, wanted, f"{spared:.0f}", metres)

    def _finding(
        self, away: list[DeviceClass], nodes: list[DeviceClass], wanted: str, spared: str, metres: float
    ) -> Diagnostic:
        tiers, models = _named(c.tier for c in away), _named(c.profile.id for c in away)
        hosts = _named(c.profile.id for c in nodes)
        other = {"cold": "hot", "hot": "cold"}[wanted]
        return self.flag(
            (*away[0].path, "switch"),
            f"ports of {models} ({away[0].fabric} {tiers}) face the {other} aisle, those of {hosts} the {wanted} one: "
            f"{spared} cables cross a rack for it, which takes {metres:.0f} m",
            f"`airflow: {_AIRFLOW[wanted]}` for {tiers}",
        )


def _pairs(cluster: Cluster) -> _Pairs:
    """The cables of a plan by the classes of the devices that they join; a crossing takes the deeper rack and slack."""
    import numpy as np

    from fabricgen.wiring.cabling.routes import device_positions

    floor, plan = cluster.design.loaded.blueprint.floor, cluster.plan
    devices, cables = plan.devices, plan.cables
    rows = cables.first_rows()
    if plan.patching:  # panels are mounted as suits what they join
        rows = rows[plan.patching.policy[cables.end_cable[rows]] < 0]
    ends = [column[cables.end_link[rows]] for column in (plan.links.a_device, plan.links.b_device)]
    depth = device_positions(devices, plan.racks, floor).depth
    metres = np.maximum(depth[ends[0]], depth[ends[1]]) * (1 + floor.slack)
    a, b = (devices.device_class[end].astype(np.int64) for end in ends)
    found, which = np.unique(a * len(devices.classes) + b, return_inverse=True)
    counts, sums = np.bincount(which), np.bincount(which, weights=metres)
    both = (divmod(int(key), len(devices.classes)) for key in found)
    return [(*pair, int(n), float(m)) for pair, n, m in zip(both, counts, sums, strict=True)]


def _nodes_of(classes: Sequence[DeviceClass], pairs: _Pairs, fabric: str) -> list[int]:
    """The classes, other than switches, that cables join to switches of a fabric."""
    from fabricgen.wiring.tables import SWITCH

    joined = {(a, b) for first, then, *_ in pairs for a, b in ((first, then), (then, first))}
    own = {n for n, cls in enumerate(classes) if cls.kind == SWITCH and cls.fabric == fabric}
    return sorted({a for a, b in joined if b in own and classes[a].kind != SWITCH})


def _across(pairs: _Pairs, aisles: Sequence[str]) -> tuple[float, float]:
    """(cables, what they take, m) of those that join ports at both aisles."""
    apart = [(n, metres) for a, b, n, metres in pairs if {aisles[a], aisles[b]} == {"hot", "cold"}]
    return float(sum(n for n, _ in apart)), sum(metres for _, metres in apart)


def _is_sold(cls: DeviceClass, aisle: str) -> bool:
    """Whether the catalogue knows a variant of a switch whose ports face an aisle."""
    return isinstance(cls.profile, SwitchProfile) and any(v.aisle == aisle for v in cls.profile.variants)


def _named(words: Iterable[str]) -> str:
    """Each once, in their order: `leaf, agg and spine`."""
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last
