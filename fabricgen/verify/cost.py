"""What the findings of a verification cost a job: a network as it was found in the hall, beside the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Asked, Job
from fabricgen.analyze.collectives.model import Team
from fabricgen.analyze.collectives.team import team_of
from fabricgen.analyze.network import Network, networks_of
from fabricgen.analyze.reckoned import Reckoning, reckoned
from fabricgen.analyze.sections.collectives import quickest
from fabricgen.cluster import Cluster
from fabricgen.verify.actions import Diagnosis
from fabricgen.verify.beside import beside, figures_as_found, table
from fabricgen.verify.hall import Hall

COLLECTIVES = ("all-reduce", "all-to-all")
EACH = 12
"""Findings that are told one by one, the first of the report; all of them count together."""

FORMULA = (
    "slower: time as found / time as planned - 1, of a message of so many bytes. As found: links end where they were "
    "seen; dark ones, and those that join what no plan joins, carry nothing. bisection: that of the plan, less what "
    "the least cut into halves loses, counted on the wired graph"
)
SOURCE = "dumps as `verify` reads them; cuts: Besag, On the Statistical Analysis of Dirty Pictures, 1986"
RECKONING: tuple[Reckoning, ...] = (
    (
        "formula",
        (
            "+x% = time as found / time as planned - 1, of the largest message",
            "as found = links end where seen; what is dark or joins what no plan joins carries nothing",
            "bisection = the plan's - what the least cut of the halves tried loses on the wired graph",
            "all else = as each section says of the plan, with the same constants",
        ),
    ),
    ("source", (SOURCE, "derived in docs/analyze.md#as-built")),
)
JobOf = Callable[[Network], Job]


def costs(
    planned: Mapping[str, Any], cluster: Cluster, diagnosis: Diagnosis, job_of: JobOf, asked: Asked
) -> dict[str, Any]:
    """By fabric of an analysis as planned: what all findings together change in its sections, and what they cost the
    job, together and the first ones each alone, as shares of more time.

    Findings at ports of which too little was seen are left out and counted in `left_out`; ids of what joins what no
    plan joins, such as a node to a spine, are in `carry_nothing`.
    """
    hall, size = Hall(cluster, diagnosis), max(asked.sizes)
    actions = [action for action in diagnosis.actions if hall.is_told(action)]
    networks, odd = hall.found(), hall.carry_nothing()
    alone = [(action, hall.found(action)) for action in actions[:EACH]]
    told = {name: figures for name, figures in planned.items() if name != "blueprint"}
    found: dict[str, Any] = {}
    for network in networks_of(cluster):
        name = network.fabric.name
        if all(name not in fabrics for fabrics in told.values()):
            continue
        before, here = _times(network, job_of, asked, size), networks[name]
        sections = {section: fabrics[name] for section, fabrics in told.items()}
        as_found = figures_as_found(sections, network, here, job_of(here), asked, runs=_runs(here, job_of, asked))
        found[name] = {
            "bytes": size,
            "left_out": len(diagnosis.actions) - len(actions),
            "carry_nothing": odd,
            "together": _cost(before, here, job_of, asked, size),
            "each": [
                {"id": action.id, "text": action.text.partition("\n")[0]}
                | _cost(before, with_it[name], job_of, asked, size)
                for action, with_it in alone
            ],
            "changed": list(beside(sections, as_found)),
            "sections": as_found,
            "formula": FORMULA,
            "source": SOURCE,
        }
    return found


def _team(network: Network, job_of: JobOf, asked: Asked) -> Team | None:
    """The team of the job; None where a rank of it is cut off, or no network joins neighbours."""
    team = team_of(network, job_of(network), asked.constants)
    unjoined = team.domains > 1 and (not team.rail_gbps or team.ring.level == len(network.levels))
    return None if unjoined else team


def _runs(network: Network, job_of: JobOf, asked: Asked) -> bool:
    return _team(network, job_of, asked) is not None


def _times(network: Network, job_of: JobOf, asked: Asked, size: int) -> dict[str, float]:
    """Time of each collective, us; infinite where it cannot run."""
    team = _team(network, job_of, asked)
    if team is None:
        return dict.fromkeys(COLLECTIVES, float("inf"))
    told = {name: quickest(team, name, size) for name in COLLECTIVES}
    return {name: best[1].us for name, best in told.items() if best}


def _cost(before: Mapping[str, float], network: Network, job_of: JobOf, asked: Asked, size: int) -> dict[str, Any]:
    """How much longer each collective takes, as a share (None where it cannot run), and ranks that are cut off."""
    job = job_of(network)
    after = _times(network, job_of, asked, size)
    slower = {
        name: round(us / before[name] - 1, 4) if np.isfinite(us) else None
        for name, us in after.items()
        if name in before
    }
    return {"slower": slower, "cut_off": int((network.gbps[job.ranks].sum(axis=1) == 0).sum())}


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The costs for people."""
    for fabric, costs_of in found.items():
        yield from ("", f"as built, {fabric}", "-" * (10 + len(fabric)))
        yield f"  together: {_words(costs_of['together'])}"
        yield from (f"  {each['id']}: {_words(each)}: {each['text']}" for each in costs_of["each"])
        if costs_of["carry_nothing"]:
            yield f"  carry nothing, since no plan joins what they join: {', '.join(costs_of['carry_nothing'])}"
        if costs_of["left_out"]:
            many = f"{costs_of['left_out']} finding{'s' * (costs_of['left_out'] != 1)}"
            yield f"  not told: {many} at ports of which too little was seen, which count as planned"
        yield ""
        yield from table(costs_of["changed"], costs_of["sections"])
        yield from ("", *reckoned(RECKONING))


def _words(cost: Mapping[str, Any]) -> str:
    shares = {name: share if share is None or abs(share) >= 0.0005 else 0.0 for name, share in cost["slower"].items()}
    told = [f"{name} {'cannot run' if share is None else f'{share:+.1%}'}" for name, share in shares.items()]
    cut = [f"{cost['cut_off']} rank{'s' * (cost['cut_off'] != 1)} cut off"] if cost["cut_off"] else []
    return ", ".join([*told, *cut]) or "no collective is told"
