"""Which aisle the ports of switches face, hot or cold, and which aisle they would face so that the fewest cables cross
a rack.

The best aisles are computed for the whole plan and do not depend on what is ordered now, so that rules which advise
them never ask for the opposite once their advice is followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.floor.port_sides import find_catalogue_aisle
from fabricgen.wiring.tables import NODE, SWITCH, DeviceClass

HOT, COLD = "hot", "cold"


def find_hot_side(edges: Mapping[tuple[str, str], int]) -> set[str]:
    """Divide all vertices into a side of `HOT` and a side of `COLD`, so that the edges between both sides weigh least
    together; return the vertices on the side of `HOT`.

    `edges` has the weight of each pair of vertices. This is a minimum cut, found by shortest augmenting paths (Edmonds
    and Karp, 1972).
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
        # no path with capacity is left: what was reached lies on the hot side of the least cut
        if COLD not in came_from:
            return set(came_from)
        path, vertex = [], COLD
        while vertex != HOT:
            path.append((came_from[vertex], vertex))
            vertex = came_from[vertex]
        # as much as the narrowest edge of the path takes flows along it
        least = min(residual[a][b] for a, b in path)
        for a, b in path:
            residual[a][b] -= least
            # what flows may be taken back later
            residual[b][a] += least


OTHER = {HOT: COLD, COLD: HOT}
AIRFLOW = {COLD: "intake", HOT: "exhaust"}

Pairs = list[tuple[int, int, int, float]]
"""(class, class, cables, metres) of cables that join devices of two classes: how many they are, and by how many metres
all of them together grow if they cross a rack. Classes are given by their index."""


class Aisles:
    """The aisles that the classes of devices of a plan face by the catalogue: `hot`, `cold`, or "" if it is unknown.

    A class is given by its index in `classes`.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    @cached_property
    def classes(self) -> Sequence[DeviceClass]:
        """The classes of devices of the plan."""
        return self.cluster.plan.devices.classes

    @cached_property
    def now(self) -> tuple[str, ...]:
        """The aisle that each class faces as it is ordered."""
        design = self.cluster.design
        return tuple(find_catalogue_aisle(design, (c.fabric, c.tier), c.nos, c.profile) for c in self.classes)

    @cached_property
    def tiers(self) -> dict[str, list[int]]:
        """The tiers whose switches could all be ordered with ports at the other aisle: their classes, by `FABRIC TIER`.

        Tiers whose classes now face different aisles are left out.
        """
        classes_of_tier: dict[str, list[int]] = defaultdict(list)
        for number, cls in enumerate(self.classes):
            if cls.kind == SWITCH:
                classes_of_tier[f"{cls.fabric} {cls.tier}"].append(number)
        return {
            tier: classes
            for tier, classes in classes_of_tier.items()
            if len({self.now[number] for number in classes}) == 1 and all(map(self._can_turn, classes))
        }

    @cached_property
    def pairs(self) -> Pairs:
        """The cables of the plan by the two classes that they join."""
        return _list_pairs(self.cluster)

    @cached_property
    def racks(self) -> dict[int, dict[int, int]]:
        """For each rack without nodes, how many switches of each class it holds; classes of unknown aisle are
        left out.
        """
        import numpy as np

        devices = self.cluster.plan.devices
        node_racks: set[int] = set()
        switches_of_rack: dict[int, dict[int, int]] = defaultdict(dict)
        for number, cls in enumerate(self.classes):
            racks, counts = np.unique(devices.rack[cls.rows], return_counts=True)
            if cls.kind == NODE:
                node_racks.update(racks.tolist())
            elif cls.kind == SWITCH and self.now[number]:
                for rack, count in zip(racks.tolist(), counts.tolist(), strict=True):
                    switches_of_rack[rack][number] = count
        return {rack: held for rack, held in sorted(switches_of_rack.items()) if rack not in node_racks}

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The aisle that each class would face so that the fewest cables cross a rack.

        Of several such choices it is the one in which the fewest pairs of classes in a rack face different aisles, and
        then the one in which the fewest tiers turn.
        """
        tier_of_class = {number: tier for tier, numbers in self.tiers.items() for number in numbers}
        vertices = [tier_of_class.get(number, aisle) for number, aisle in enumerate(self.now)]
        rack_mates = [pair for held in self.racks.values() for pair in combinations(held, 2)]
        # one cable outweighs all pairs of classes in racks, and such a pair outweighs all tiers that turn
        rack_weight = len(self.tiers) + 1
        cable_weight = rack_weight * (len(rack_mates) + 1)
        edges: dict[tuple[str, str], int] = defaultdict(int)
        for a, b, cables, _ in self.pairs:
            edges[vertices[a], vertices[b]] += cables * cable_weight
        for a, b in rack_mates:
            edges[vertices[a], vertices[b]] += rack_weight
        # a tier that turns is cut from the aisle that it faces now
        for tier, numbers in self.tiers.items():
            edges[tier, self.now[numbers[0]]] += 1
        hot = find_hot_side({(a, b): n for (a, b), n in edges.items() if a and b and a != b})
        return tuple(
            (HOT if tier_of_class[n] in hot else COLD) if n in tier_of_class else aisle
            for n, aisle in enumerate(self.now)
        )

    def of_nodes(self, fabric: str) -> str:
        """Return the aisle that the ports of a fabric's nodes face; "" if it is unknown or differs between nodes."""
        faced = {self.now[n] for n in self.list_node_classes(fabric)} - {""}
        return faced.pop() if len(faced) == 1 else ""

    def list_node_classes(self, fabric: str) -> list[int]:
        """Return the classes other than switches that cables join to switches of a fabric."""
        joined = {(a, b) for one, other, *_ in self.pairs for a, b in ((one, other), (other, one))}
        switches = {n for n, cls in enumerate(self.classes) if cls.kind == SWITCH and cls.fabric == fabric}
        return sorted({a for a, b in joined if b in switches and self.classes[a].kind != SWITCH})

    def list_misfacing(self, fabric: str) -> list[int]:
        """Return the classes of a fabric's switches that do not face the aisle of its nodes, and would by the best
        choice of aisles (`best`); [] if fewer cables would not cross a rack then.
        """
        node_aisle = self.of_nodes(fabric)
        switches = (n for n, cls in enumerate(self.classes) if cls.kind == SWITCH and cls.fabric == fabric)
        misfacing = [n for n in switches if self.now[n] != self.best[n] == node_aisle]
        return misfacing if self.count_spared_cables(misfacing)[0] else []

    def list_away_from_nodes(self, fabric: str) -> list[int]:
        """Return the classes of a fabric's switches that face away from its nodes and cannot be turned.

        They are joined to the nodes by cables, face the other aisle than these, and the catalogue has no variant of
        them that faces the nodes' aisle.
        """
        nodes, node_aisle = set(self.list_node_classes(fabric)), self.of_nodes(fabric)
        turning = {n for numbers in self.tiers.values() for n in numbers}
        # a pair of classes has no direction: either of them may be the nodes
        joined = {n for a, b, *_ in self.pairs for n, m in ((a, b), (b, a)) if m in nodes and self.now[m]}
        candidates = (n for n in sorted(joined - turning) if self.classes[n].fabric == fabric)
        return [
            n for n in candidates if self.classes[n].kind == SWITCH and node_aisle and self.now[n] == OTHER[node_aisle]
        ]

    def count_spared_cables(self, numbers: Iterable[int]) -> tuple[int, float]:
        """Return (cables, metres of cable) that need not cross a rack if the classes `numbers` face their best aisle.

        All other classes are taken to face their best aisle already.
        """
        faced = [self.now[n] if n in set(numbers) else aisle for n, aisle in enumerate(self.best)]
        (cables, metres), (best_cables, best_metres) = (
            sum_crossing_cables(self.pairs, aisles) for aisles in (faced, self.best)
        )
        return cables - best_cables, metres - best_metres

    def _can_turn(self, number: int) -> bool:
        """Whether the switches of a class could be ordered with their ports at the other aisle.

        That takes a variant for sale which the tier's setting `managed` allows, and which is not fed by DC.
        """
        cls, aisle = self.classes[number], self.now[number]
        fabric = self.cluster.design.loaded.blueprint.fabrics.get(cls.fabric)
        spec = fabric.tiers.get(cls.tier) if fabric else None
        if spec is None or not aisle or not isinstance(cls.profile, SwitchProfile):
            return False
        sold = (v for v in cls.profile.variants if v.supply != "dc" and spec.managed in (None, v.managed))
        return any(variant.aisle == OTHER[aisle] for variant in sold)


def sum_crossing_cables(pairs: Pairs, aisles: Sequence[str]) -> tuple[int, float]:
    """Return (cables, metres) of the pairs whose classes face different aisles; `aisles` has the aisle of
    each class.
    """
    crossing = [(cables, metres) for a, b, cables, metres in pairs if {aisles[a], aisles[b]} == {HOT, COLD}]
    return sum(cables for cables, _ in crossing), sum(metres for _, metres in crossing)


def describe_crossing(cables: int, metres: float) -> str:
    """Return the words for cables that cross a rack: `2 cables cross a rack for it, which takes 3 m`."""
    return f"{cables} cable{'s cross' if cables != 1 else ' crosses'} a rack for it, which takes {metres:.0f} m"


def join_words(words: Iterable[str]) -> str:
    """Return distinct words in their order as `leaf, agg and spine`; raises ValueError for no words."""
    *leading, last = dict.fromkeys(words)
    return f"{', '.join(leading)} and {last}" if leading else last


def _list_pairs(cluster: Cluster) -> Pairs:
    """Return the cables of a plan by the classes of the devices that they join: (class, class, cables, metres).

    The metres are what all of these cables grow by if they cross a rack: each by the depth of the deeper of both racks,
    and slack. Patched cables are left out, since panels are mounted as suits the devices that they join.
    """
    import numpy as np

    from fabricgen.wiring.cabling.routes import locate_devices

    floor, plan = cluster.design.loaded.blueprint.floor, cluster.plan
    devices, cables = plan.devices, plan.cables
    rows = cables.find_first_rows()
    if plan.patching:
        rows = rows[plan.patching.policy[cables.end_cable[rows]] < 0]
    ends = [column[cables.end_link[rows]] for column in (plan.links.a_device, plan.links.b_device)]
    depth = locate_devices(devices, plan.racks, floor).depth
    metres = np.maximum(depth[ends[0]], depth[ends[1]]) * (1 + floor.slack)
    a, b = (devices.device_class[end].astype(np.int64) for end in ends)
    # the two classes of a cable as one number, so that equal pairs are counted together
    keys, key_of_cable = np.unique(a * len(devices.classes) + b, return_inverse=True)
    counts, sums = np.bincount(key_of_cable), np.bincount(key_of_cable, weights=metres)
    pair_classes = (divmod(int(key), len(devices.classes)) for key in keys)
    return [(*pair, int(n), float(m)) for pair, n, m in zip(pair_classes, counts, sums, strict=True)]
