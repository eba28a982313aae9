"""The least cut between both aisles: what is with the hot one, and what with the cold one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

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
