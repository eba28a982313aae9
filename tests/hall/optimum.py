"""The fewest plugs that have to be pulled so that a hall is as planned again: an assignment of cords to planned cords.

A cord may become any planned cord of its form. It costs as many plugs as are not in the sockets of that one, so the
fewest plugs are those of the assignment that leaves the most where they are. Where several leave as many, the one
counts that moves the most pairs: both plugs of a cage that go to one cage are one pull.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import networkx as nx

from fabricgen.addons.emulation.faults.laid import is_dark
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug, Socket
from tests.hall.judge import pull_of

EXCHANGE = 4
"""How many plugs an exchange of two boxes is worth: of less, plugs are moved (docs/verify.md)."""


def fewest_pulls(hall: Hall) -> int:
    """How many pulls make all links as planned, with each box where its name says. Dark cords stay: they are looked at.

    It is the least that is known, not proven the least: ties between assignments are broken one part at a time.
    """
    graph = _fitting(hall)
    parts = [part for nodes in nx.connected_components(graph) if _astray(part := graph.subgraph(nodes))]
    astray = {number for part in parts for kind, number in part.nodes if kind == "cord"}
    ways = [_assignments(part) for part in parts]
    return min(_descend(hall, astray, ways, [way[start] for way in ways]) for start in (0, 1))


def _astray(part: nx.Graph) -> bool:
    """Whether not every plug of a part is where it belongs."""
    return part.number_of_nodes() != 2 or any(not data["whole"] for _, _, data in part.edges(data=True))


def _fitting(hall: Hall) -> nx.Graph:
    """Which cord has plugs in the sockets of which planned cord: the edges have the ends that would stay."""
    graph = nx.Graph()
    lit = [number for number in range(len(hall.plan.cords)) if not is_dark(hall, number)]
    role_at = {(home, end): number for number in lit for end, home in enumerate(hall.plan.cords[number].homes)}
    for number in lit:
        graph.add_node(("cord", number))
        graph.add_node(("role", number))
        cord = hall.plan.cords[number]
        plugs = _plugs(hall, number)
        kept: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
        for way in [tuple(range(len(plugs)))] if cord.splits else [(0, 1), (1, 0)]:
            for plug, end in zip(plugs, way, strict=True):
                role = role_at.get((named_socket(hall, plug), end))
                if role is not None and _same_form(hall, role, number):
                    kept[role, way].append(end)
        for (role, way), ends in kept.items():
            edge = ("cord", number), ("role", role)
            if not graph.has_edge(*edge) or len(graph.edges[edge]["kept"]) < len(ends):
                graph.add_edge(*edge, kept=ends, way=way, whole=len(ends) == len(plugs) and role == number)
    return graph


def _same_form(hall: Hall, role: int, number: int) -> bool:
    near, far = hall.plan.cords[role], hall.plan.cords[number]
    return near.splits == far.splits and len(near.homes) == len(far.homes)


Assignment = dict[int, tuple[int, tuple[int, ...]]]
"""Which planned cord each cord becomes, and which of its ends each of its plugs becomes."""


def _assignments(part: nx.Graph) -> tuple[Assignment, Assignment]:
    """The assignments of a part that leave the most plugs: those that rather leave first ends, or last ones."""
    ways = []
    for first in (True, False):
        for _, _, data in part.edges(data=True):
            stay = sum(1 for end in data["kept"] if (end == 0) == first)
            data["weight"] = 1000 * len(data["kept"]) + stay
        ways.append(_assignment(part))
    return ways[0], ways[1]


def _assignment(part: nx.Graph) -> Assignment:
    pairs = nx.max_weight_matching(part) if part.number_of_edges() > 1 else set(part.edges)
    chosen: Assignment = {}
    for near, far in pairs:
        cord, role = (near, far) if near[0] == "cord" else (far, near)
        chosen[cord[1]] = (role[1], part.edges[near, far]["way"])
    return chosen


def _descend(hall: Hall, astray: set[int], ways: list[tuple[Assignment, Assignment]], chosen: list[Assignment]) -> int:
    """Let each part take the assignment that goes best with the others, until nothing gets better."""
    least = _pulls(hall, astray, chosen)
    better = True
    while better:
        better = False
        for at, way in enumerate(ways):
            if way[0] == way[1]:
                continue
            for far in way:
                tried = [*chosen[:at], far, *chosen[at + 1 :]]
                pulls = _pulls(hall, astray, tried)
                if pulls < least:
                    chosen, least, better = tried, pulls, True
    return least


def _pulls(hall: Hall, astray: set[int], chosen: list[Assignment]) -> int:
    """The pulls of an assignment; cords that nothing was chosen for take the places that are left, their own first."""
    become = {number: taken for part in chosen for number, taken in part.items()}
    left = astray - {role for role, _ in become.values()}
    for number in sorted(astray - set(become), key=lambda n: (n not in left, n)):
        role = number if number in left else next(r for r in sorted(left) if _same_form(hall, r, number))
        left.discard(role)
        become[number] = (role, tuple(range(len(hall.plan.cords[number].homes))))
    pulls = set()
    for number, (role, way) in become.items():
        homes = hall.plan.cords[role].homes
        for plug, end in zip(_plugs(hall, number), way, strict=True):
            source, target = named_socket(hall, plug), homes[end]
            if source != target:
                pulls.add(pull_of(source, target))
    return len(pulls)


def fewest_with_boxes(hall: Hall, pairs: list[frozenset[str]]) -> int:
    """The same, where boxes of some pairs of places may be exchanged at the price of four plugs each pair."""
    least = fewest_pulls(hall)
    for count in range(1, len(pairs) + 1):
        for exchanged in combinations(pairs, count):
            for near, far in map(sorted, exchanged):
                hall.exchange_boxes(near, far)
            least = min(least, EXCHANGE * count + fewest_pulls(hall))
            for near, far in map(sorted, reversed(exchanged)):
                hall.exchange_boxes(near, far)
    return least


def _plugs(hall: Hall, number: int) -> list[Plug]:
    """The plugs of what light takes for one cord: of crossed trunks the far half of another."""
    ends = range(len(hall.plan.cords[number].homes))
    return [Plug(hall.halves.get(number, number) if end else number, end) for end in ends]


def named_socket(hall: Hall, plug: Plug) -> Socket:
    """Where a plug is by the name of the box: what a person is told."""
    socket = hall.at[plug]
    return socket._replace(device=hall.names[socket.device])
