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
from fabricgen.design.floor.port_sides import find_catalogue_aisle
from fabricgen.wiring.tables import NODE, SWITCH, DeviceClass

# The least cut between both aisles: what is with the hot one, and what with the cold one.

HOT, COLD = "hot", "cold"


def find_hot_side(edges: Mapping[tuple[str, str], int]) -> set[str]:
    """What is with the hot aisle where the sum of the edges cut between both aisles is the least.

    A minimum cut by shortest augmenting paths (Edmonds and Karp, 1972).
    """
    residual: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (a, b), capacity in edges.items():
        residual[a][b] += capacity
        residual[b][a] += capacity
    while True:
        came_from, reached = {HOT: ""}, [HOT]
        # the list grows while it is walked: breadth first
        for vertex in reached:
            for neighbor, capacity in residual[vertex].items():
                if capacity and neighbor not in came_from:
                    came_from[neighbor] = vertex
                    reached.append(neighbor)
        # no path with room is left: what was reached lies on the hot side of the least cut
        if COLD not in came_from:
            return set(came_from)
        path, vertex = [], COLD
        while vertex != HOT:
            path.append((came_from[vertex], vertex))
            vertex = came_from[vertex]
        least = min(residual[a][b] for a, b in path)
        for a, b in path:
            residual[a][b] -= least
            # what flows may be taken back later
            residual[b][a] += least


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
        return tuple(
            find_catalogue_aisle(self.cluster.design, (c.fabric, c.tier), c.nos, c.profile) for c in self.classes
        )

    @cached_property
    def tiers(self) -> dict[str, list[int]]:
        """The classes of each tier that could be ordered with its ports at the other aisle."""
        classes_of_tier: dict[str, list[int]] = defaultdict(list)
        for number, cls in enumerate(self.classes):
            if cls.kind == SWITCH:
                classes_of_tier[f"{cls.fabric} {cls.tier}"].append(number)
        return {
            t: n
            for t, n in classes_of_tier.items()
            if len({self.now[i] for i in n}) == 1 and all(map(self._can_turn, n))
        }

    @cached_property
    def pairs(self) -> Pairs:
        """Its cables, by the classes that they join."""
        return _list_pairs(self.cluster)

    @cached_property
    def racks(self) -> dict[int, dict[int, int]]:
        """How many switches of each class, of those whose aisle is known, each rack without nodes holds."""
        import numpy as np

        devices = self.cluster.plan.devices
        nodes: set[int] = set()
        switches_of_rack: dict[int, dict[int, int]] = defaultdict(dict)
        for number, cls in enumerate(self.classes):
            racks, counts = np.unique(devices.rack[cls.rows], return_counts=True)
            if cls.kind == NODE:
                nodes.update(racks.tolist())
            elif cls.kind == SWITCH and self.now[number]:
                for rack, count in zip(racks.tolist(), counts.tolist(), strict=True):
                    switches_of_rack[rack][number] = count
        return {rack: held for rack, held in sorted(switches_of_rack.items()) if rack not in nodes}

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The aisle that each class faces where the fewest cables cross a rack.

        Of those that are alike in that, where the fewest switches of one rack face apart, and then as most do now.
        """
        tier_of_class = {number: tier for tier, numbers in self.tiers.items() for number in numbers}
        vertices = [tier_of_class.get(number, aisle) for number, aisle in enumerate(self.now)]
        beside = [pair for held in self.racks.values() for pair in combinations(held, 2)]
        # one cable outweighs all pairs of switches in racks, and one such pair all tiers that turn
        rack_weight = len(self.tiers) + 1
        weight = rack_weight * (len(beside) + 1)
        edges: dict[tuple[str, str], int] = defaultdict(int)
        for a, b, cables, _ in self.pairs:
            edges[vertices[a], vertices[b]] += cables * weight
        for a, b in beside:
            edges[vertices[a], vertices[b]] += rack_weight
        for tier, numbers in self.tiers.items():
            edges[tier, self.now[numbers[0]]] += 1
        hot = find_hot_side({(a, b): n for (a, b), n in edges.items() if a and b and a != b})
        return tuple(
            (HOT if tier_of_class[n] in hot else COLD) if n in tier_of_class else aisle
            for n, aisle in enumerate(self.now)
        )

    def of_nodes(self, fabric: str) -> str:
        """The aisle that the ports of all nodes of a fabric face, as far as known; "" where they differ."""
        faced = {self.now[n] for n in self.list_node_classes(fabric)} - {""}
        return faced.pop() if len(faced) == 1 else ""

    def list_node_classes(self, fabric: str) -> list[int]:
        """The classes, other than switches, that cables join to switches of a fabric."""
        joined = {(a, b) for first, then, *_ in self.pairs for a, b in ((first, then), (then, first))}
        switches = {n for n, cls in enumerate(self.classes) if cls.kind == SWITCH and cls.fabric == fabric}
        return sorted({a for a, b in joined if b in switches and self.classes[a].kind != SWITCH})

    def list_misfacing(self, fabric: str) -> list[int]:
        """The classes of a fabric that best face the aisle of its nodes, and do not; [] if that spares no cable."""
        node_aisle = self.of_nodes(fabric)
        switches = (n for n, cls in enumerate(self.classes) if cls.kind == SWITCH and cls.fabric == fabric)
        misfacing = [n for n in switches if self.now[n] != self.best[n] == node_aisle]
        return misfacing if self.count_spared_cables(misfacing)[0] else []

    def list_away_from_nodes(self, fabric: str) -> list[int]:
        """The classes of a fabric away from its nodes of which nothing else is known, and that cables join to these."""
        nodes, node_aisle = set(self.list_node_classes(fabric)), self.of_nodes(fabric)
        turning = {n for numbers in self.tiers.values() for n in numbers}
        joined = {n for a, b, *_ in self.pairs for n, m in ((a, b), (b, a)) if m in nodes and self.now[m]}
        candidates = (n for n in sorted(joined - turning) if self.classes[n].fabric == fabric)
        return [
            n for n in candidates if self.classes[n].kind == SWITCH and node_aisle and self.now[n] == OTHER[node_aisle]
        ]

    def count_spared_cables(self, numbers: Iterable[int]) -> tuple[int, float]:
        """(cables, m) that more cross a rack, all others at their best, while these classes are not."""
        faced = [self.now[n] if n in set(numbers) else aisle for n, aisle in enumerate(self.best)]
        apart, least = sum_crossing_cables(self.pairs, faced), sum_crossing_cables(self.pairs, self.best)
        return apart[0] - least[0], apart[1] - least[1]

    def _can_turn(self, number: int) -> bool:
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


def sum_crossing_cables(pairs: Pairs, aisles: Sequence[str]) -> tuple[int, float]:
    """(cables, what they take, m) of those that join ports at both aisles."""
    apart = [(n, metres) for a, b, n, metres in pairs if {aisles[a], aisles[b]} == {HOT, COLD}]
    return sum(n for n, _ in apart), sum(metres for _, metres in apart)


def describe_crossing(cables: int, metres: float) -> str:
    """What findings say of cables that cross a rack because of what they name."""
    return f"{cables} cable{'s cross' if cables != 1 else ' crosses'} a rack for it, which takes {metres:.0f} m"


def join_words(words: Iterable[str]) -> str:
    """Each once, in their order: `leaf, agg and spine`."""
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last


def _list_pairs(cluster: Cluster) -> Pairs:
    """The cables of a plan by the classes of the devices that they join; a crossing takes the deeper rack and slack."""
    import numpy as np

    from fabricgen.wiring.cabling.routes import locate_devices

    floor, plan = cluster.design.loaded.blueprint.floor, cluster.plan
    devices, cables = plan.devices, plan.cables
    rows = cables.find_first_rows()
    if plan.patching:  # panels are mounted as suits what they join
        rows = rows[plan.patching.policy[cables.end_cable[rows]] < 0]
    ends = [column[cables.end_link[rows]] for column in (plan.links.a_device, plan.links.b_device)]
    depth = locate_devices(devices, plan.racks, floor).depth
    metres = np.maximum(depth[ends[0]], depth[ends[1]]) * (1 + floor.slack)
    a, b = (devices.device_class[end].astype(np.int64) for end in ends)
    keys, key_of_cable = np.unique(a * len(devices.classes) + b, return_inverse=True)
    counts, sums = np.bincount(key_of_cable), np.bincount(key_of_cable, weights=metres)
    pair_classes = (divmod(int(key), len(devices.classes)) for key in keys)
    return [(*pair, int(n), float(m)) for pair, n, m in zip(pair_classes, counts, sums, strict=True)]
