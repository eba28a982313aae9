"""Which aisle the ports of switches face, and which they would face so that the fewest cables cross a rack.

The best is one of the whole plan and does not depend on what is stated now, so rules that name a tier because of it
never ask for the opposite once it is followed, whether alone or with others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.floor.port_sides import catalogue_aisle
from fabricgen.wiring.tables import NODE, SWITCH, DeviceClass

# The least cut between both aisles: what is with the hot one, and what with the cold one.

HOT, COLD = "hot", "cold"


def hot_side(edges: Mapping[tuple[str, str], int]) -> set[str]:
    """What is with the hot aisle where the sum of the edges cut between both aisles is the least.

    A minimum cut by shortest augmenting paths (Edmonds and Karp, 1972).
    """
    left: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (a, b), room in edges.items():
        left[a][b] += room
        left[b][a] += room
    while True:
        came, reached = {HOT: ""}, [HOT]
        for place in reached:
            for to, room in left[place].items():
                if room and to not in came:
                    came[to] = place
                    reached.append(to)
        if COLD not in came:
            return set(came)
        path, place = [], COLD
        while place != HOT:
            path.append((came[place], place))
            place = came[place]
        least = min(left[a][b] for a, b in path)
        for a, b in path:
            left[a][b] -= least
            left[b][a] += least


OTHER = {HOT: COLD, COLD: HOT}
AIRFLOW = {COLD: "intake", HOT: "exhaust"}

Pairs = list[tuple[int, int, int, float]]
"""(class, class, cables, what they take to cross a rack, m) of cables that join devices of two classes."""


@dataclass(frozen=True)
class Aisles:
    """The aisles that the classes of devices of a plan face by the catalogue: hot, cold, or "" where nobody says."""

    cluster: Cluster

    @cached_property
    def classes(self) -> Sequence[DeviceClass]:
        """Those of the plan, in their order: numbers below are places here."""
        return self.cluster.plan.devices.classes

    @cached_property
    def now(self) -> tuple[str, ...]:
        """The aisle that each class faces as it is ordered."""
        return tuple(catalogue_aisle(self.cluster.design, (c.fabric, c.tier), c.nos, c.profile) for c in self.classes)

    @cached_property
    def tiers(self) -> dict[str, list[int]]:
        """The classes of each tier that could be ordered with its ports at the other aisle."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, cls in enumerate(self.classes):
            if cls.kind == SWITCH:
                found[f"{cls.fabric} {cls.tier}"].append(number)
        return {t: n for t, n in found.items() if len({self.now[i] for i in n}) == 1 and all(map(self._turns, n))}

    @cached_property
    def pairs(self) -> Pairs:
        """Its cables, by the classes that they join."""
        return _pairs(self.cluster)

    @cached_property
    def racks(self) -> dict[int, dict[int, int]]:
        """How many switches of each class, of those whose aisle is known, each rack without nodes holds."""
        import numpy as np

        devices = self.cluster.plan.devices
        nodes: set[int] = set()
        found: dict[int, dict[int, int]] = defaultdict(dict)
        for number, cls in enumerate(self.classes):
            racks, counts = np.unique(devices.rack[cls.rows], return_counts=True)
            if cls.kind == NODE:
                nodes.update(racks.tolist())
            elif cls.kind == SWITCH and self.now[number]:
                for rack, count in zip(racks.tolist(), counts.tolist(), strict=True):
                    found[rack][number] = count
        return {rack: held for rack, held in sorted(found.items()) if rack not in nodes}

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The aisle that each class faces where the fewest cables cross a rack.

        Of those that are alike in that, where the fewest switches of one rack face apart, and then as most do now.
        """
        of = {number: tier for tier, numbers in self.tiers.items() for number in numbers}
        places = [of.get(number, aisle) for number, aisle in enumerate(self.now)]
        beside = [pair for held in self.racks.values() for pair in combinations(held, 2)]
        rack_weight = len(self.tiers) + 1
        weight = rack_weight * (len(beside) + 1)
        edges: dict[tuple[str, str], int] = defaultdict(int)
        for a, b, cables, _ in self.pairs:
            edges[places[a], places[b]] += cables * weight
        for a, b in beside:
            edges[places[a], places[b]] += rack_weight
        for tier, numbers in self.tiers.items():
            edges[tier, self.now[numbers[0]]] += 1
        hot = hot_side({(a, b): n for (a, b), n in edges.items() if a and b and a != b})
        return tuple((HOT if of[n] in hot else COLD) if n in of else aisle for n, aisle in enumerate(self.now))

    def of_nodes(self, fabric: str) -> str:
        """The aisle that the ports of all nodes of a fabric face, as far as known; "" where they differ."""
        faced = {self.now[n] for n in self.nodes(fabric)} - {""}
        return faced.pop() if len(faced) == 1 else ""

    def nodes(self, fabric: str) -> list[int]:
        """The classes, other than switches, that cables join to switches of a fabric."""
        joined = {(a, b) for first, then, *_ in self.pairs for a, b in ((first, then), (then, first))}
        own = {n for n, cls in enumerate(self.classes) if cls.kind == SWITCH and cls.fabric == fabric}
        return sorted({a for a, b in joined if b in own and self.classes[a].kind != SWITCH})

    def from_nodes(self, fabric: str) -> list[int]:
        """The classes of a fabric that best face the aisle of its nodes, and do not; [] if that spares no cable."""
        wanted = self.of_nodes(fabric)
        mine = (n for n, cls in enumerate(self.classes) if cls.kind == SWITCH and cls.fabric == fabric)
        found = [n for n in mine if self.now[n] != self.best[n] == wanted]
        return found if self.spared(found)[0] else []

    def held(self, fabric: str) -> list[int]:
        """The classes of a fabric away from its nodes of which nothing else is known, and that cables join to these."""
        nodes, wanted = set(self.nodes(fabric)), self.of_nodes(fabric)
        turning = {n for numbers in self.tiers.values() for n in numbers}
        joined = {n for a, b, *_ in self.pairs for n, m in ((a, b), (b, a)) if m in nodes and self.now[m]}
        mine = (n for n in sorted(joined - turning) if self.classes[n].fabric == fabric)
        return [n for n in mine if self.classes[n].kind == SWITCH and wanted and self.now[n] == OTHER[wanted]]

    def spared(self, numbers: Iterable[int]) -> tuple[int, float]:
        """(cables, m) that more cross a rack, all others at their best, while these classes are not."""
        left = [self.now[n] if n in set(numbers) else aisle for n, aisle in enumerate(self.best)]
        apart, then = crossing(self.pairs, left), crossing(self.pairs, self.best)
        return apart[0] - then[0], apart[1] - then[1]

    def _turns(self, number: int) -> bool:
        """Whether the catalogue knows a variant of a switch whose ports face the other aisle, and that `airflow` asks
        for.
        """
        cls, aisle = self.classes[number], self.now[number]
        fabric = self.cluster.design.loaded.blueprint.fabrics.get(cls.fabric)
        spec = fabric.tiers.get(cls.tier) if fabric else None
        if spec is None or not aisle or not isinstance(cls.profile, SwitchProfile):
            return False
        sold = (v for v in cls.profile.variants if v.supply != "dc" and spec.managed in (None, v.managed))
        return any(variant.aisle == OTHER[aisle] for variant in sold)


def crossing(pairs: Pairs, aisles: Sequence[str]) -> tuple[int, float]:
    """(cables, what they take, m) of those that join ports at both aisles."""
    apart = [(n, metres) for a, b, n, metres in pairs if {aisles[a], aisles[b]} == {HOT, COLD}]
    return sum(n for n, _ in apart), sum(metres for _, metres in apart)


def crossing_text(cables: int, metres: float) -> str:
    """What findings say of cables that cross a rack because of what they name."""
    return f"{cables} cable{'s cross' if cables != 1 else ' crosses'} a rack for it, which takes {metres:.0f} m"


def named(words: Iterable[str]) -> str:
    """Each once, in their order: `leaf, agg and spine`."""
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last


def _pairs(cluster: Cluster) -> Pairs:
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
