"""Halls of which somebody knows what is wrong with them: results of probes by chance, with a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.addons.probing.graph import make_graph
from fabricgen.addons.probing.paths import Planner
from fabricgen.addons.probing.plan import UDP, Probes
from fabricgen.api import ClusterView

SENT, BACKGROUND = 1000, 1e-5
KINDS = ("single", "double", "link", "module half", "switch")


@dataclass(frozen=True)
class Fault:
    """What is wrong: its kind, the names that may come first, and how much it loses."""

    kind: str
    names: tuple[str, ...]
    loss: float


def plan_exactly(view: ClusterView, fabric: str) -> Probes:
    """The plan of a fabric whose packets can be held to any path, whatever it has."""
    graph = make_graph(view, fabric)
    return Probes(view, fabric, UDP, Planner(graph).make_paths(), "")


def list_crossings(probes: Probes) -> tuple[np.ndarray, np.ndarray]:
    """(path, direction of a link: twice its row, one more downward) of all crossings."""
    path, direction = probes.paths.list_directions()
    return path, 2 * probes.first_links[direction // 2] + direction % 2


def break_hall(
    probes: Probes, kind: str, rng: np.random.Generator, crossings: tuple[np.ndarray, np.ndarray] | None = None
) -> tuple[list[Fault], np.ndarray]:
    """(what is wrong, how many of its packets each probe loses)."""
    links, count = probes.view.links, len(probes.paths)
    path, row = crossings or list_crossings(probes)
    rate, faults = np.full(count, BACKGROUND), []
    candidates = np.unique(row)
    if kind == "module half":  # of links between switches both ends may lie in the same module
        candidates = candidates[probes.view.devices.kind[links.a[candidates // 2]] != "switch"]
    for _ in range(2 if kind == "double" else 1):
        loss, bad = float(10 ** rng.uniform(-2, -0.7)), int(rng.choice(candidates))
        ends = f"{links.name[bad // 2]}", f"{links.b_device[bad // 2]}:{links.b_port[bad // 2]}"
        crossing = row == bad
        names: tuple[str, ...] = (" to ".join(reversed(ends) if bad % 2 else ends),)
        if kind == "link":
            crossing, names = row // 2 == bad // 2, (" and ".join(ends),)
        if kind == "module half":
            # the first or second half of the links of a switch's module, in the order of links.csv
            device, cage = links.b[bad // 2], links.b_cage[bad // 2]
            inside = np.flatnonzero((links.b == device) & (links.b_cage == cage))
            second = np.searchsorted(inside, bad // 2) >= len(inside) / 2
            inside = inside[len(inside) // 2 :] if second else inside[: len(inside) // 2]
            crossing = np.isin(row // 2, inside)
            names = (f"{links.b_device[bad // 2]}:{cage}, {'second' if second else 'first'} half",)
            if len(inside) == 1:  # half of a module with two links is a link
                names = (" and ".join(ends),)
        if kind == "switch":
            switch = links.b[bad // 2]
            crossing = (links.a[row // 2] == switch) | (links.b[row // 2] == switch)
            names = (str(links.b_device[bad // 2]),)
        rate[np.unique(path[crossing])] += loss
        faults.append(Fault(kind, names, loss))
    return faults, rng.binomial(SENT, np.minimum(rate, 1.0))
