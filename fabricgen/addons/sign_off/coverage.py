"""Which links runs pass: for certain, by chance, or not at all, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fabricgen.addons.sign_off.network import Choice
from fabricgen.addons.sign_off.runs import PING, UPLINKS, Plan, Run

ELSEWHERE = "no run crosses it: no two chosen nodes are joined by it alone"
OF_OTHERS = "no node runs tests on its network"
SCALE_UP = "within a scale-up domain: an all-reduce passes it, no run tests it by itself"
BY_PING = "reached by ping alone, and not loaded"


@dataclass(frozen=True)
class Coverage:
    """By row of a link: runs that load it for certain, flows that may, how probable it is that none does, and why not.

    What is loaded evenly, as by packets that spread, is loaded for certain.
    """

    loaded: Counter[int]
    passes: Mapping[int, float]
    missed: Mapping[int, float]
    untested: Mapping[int, str]


def list_plan_choices(plan: Plan, run: Run) -> list[Choice]:
    """The links from which a run of two ports takes one each."""
    return plan.find_network(run.fabric).list_choices(*run.ends)


def count_coverage(plan: Plan, choices_by_run: Iterable[tuple[Run, Iterable[Choice]]]) -> Coverage:
    """What runs cover, each with the links from which it takes one each; no run of a collective."""
    loaded, passes, pinged = Counter[int](), defaultdict[int, float](float), set[int]()
    missed = defaultdict[int, float](lambda: 1.0)
    groups: Counter[tuple[tuple[int, ...], bool]] = Counter()
    for run, choices in choices_by_run:
        for choice in choices:
            if run.kind == PING:
                pinged.update(choice.links)
            else:
                groups[choice.links, run.kind == UPLINKS] += 1
    for (links, single), count in groups.items():
        certain = len(links) == 1 or not single
        for row in links:
            if certain:
                loaded[row] += count
                missed[row] = 0.0
            else:
                passes[row] += count / len(links)
                missed[row] *= (1 - 1 / len(links)) ** count
    links_of_plan = plan.view.links
    untested: dict[int, str] = {}
    reasons = {row: why for network in plan.networks for row, why in network.untested.items()}
    fabrics, tested = set(plan.view.fabrics), {network.fabric for network in plan.networks}
    for row, fabric in enumerate(links_of_plan.fabric.tolist()):
        if row not in missed:
            other = SCALE_UP if fabric not in fabrics else ELSEWHERE if fabric in tested else OF_OTHERS
            untested[row] = reasons.get(row, BY_PING if row in pinged else other)
    return Coverage(loaded, passes, missed, untested)
