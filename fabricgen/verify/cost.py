"""What the findings of a verification cost a job: collectives on the hall as it was found, beside the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Asked, Job
from fabricgen.analyze.collectives.team import team_of
from fabricgen.analyze.network import Network, networks_of
from fabricgen.analyze.sections.collectives import quickest
from fabricgen.cluster import Cluster
from fabricgen.verify.accept.accepting import accepted_cluster
from fabricgen.verify.accept.chosen import INSTEAD
from fabricgen.verify.actions import Action, Diagnosis, Kind
from fabricgen.wiring.tables import Ints64

COLLECTIVES = ("all-reduce", "all-to-all")
EACH = 12
"""Findings that are told one by one, the first of the report; all of them count together."""

JobOf = Callable[[Network], Job]


def costs(cluster: Cluster, diagnosis: Diagnosis, job_of: JobOf, asked: Asked, fabric: str | None) -> dict[str, Any]:
    """By fabric: what all findings together cost the job, and the first ones each alone, as shares of more time.

    Cables that are dark carry nothing; others end where they were found. What only a person can judge (modules, ports,
    exchanged trunks) is left out and counted in `left_out`. Raises InputError where findings do not go together.
    """
    size = max(asked.sizes)
    planned = {network.fabric.name: _times(network, job_of, asked, size) for network in networks_of(cluster)}
    actions = [action for action in diagnosis.actions if action.kind is Kind.DARK or action.kind not in INSTEAD]
    found = {}
    for name, before in planned.items():
        if fabric in (None, name):
            found[name] = {
                "bytes": size,
                "left_out": len(diagnosis.actions) - len(actions),
                "together": _cost(before, _found(cluster, diagnosis, actions, name), job_of, asked, size),
                "each": [
                    {"id": action.id, "text": action.text.partition("\n")[0]}
                    | _cost(before, _found(cluster, diagnosis, [action], name), job_of, asked, size)
                    for action in actions[:EACH]
                ],
            }
    return found


def _found(cluster: Cluster, diagnosis: Diagnosis, actions: Sequence[Action], fabric: str) -> Network:
    """The network of a fabric as some actions found it."""
    moved = [action.id for action in actions if action.kind is not Kind.DARK]
    here = accepted_cluster(cluster, diagnosis, moved) if moved else cluster
    dark = _dark(cluster, [action for action in actions if action.kind is Kind.DARK])
    return next(network for network in networks_of(here, dark) if network.fabric.name == fabric)


def _dark(cluster: Cluster, actions: Sequence[Action]) -> Ints64:
    """Rows of the links that end on ports of dark cables."""
    ends = {(end.device, end.port) for action in actions for end in action.ends}
    links, names = cluster.plan.links, cluster.names
    devices = np.array([names.index(device) for device in sorted({device for device, _ in ends})], dtype=np.int64)
    rows = []
    for device, ports in ((links.a_device, cluster.a_port), (links.b_device, cluster.b_port)):
        mine = np.flatnonzero(np.isin(device, devices))
        rows += [row for row in mine.tolist() if (names[int(device[row])], str(ports[row])) in ends]
    return np.array(sorted(set(rows)), dtype=np.int64)


def _times(network: Network, job_of: JobOf, asked: Asked, size: int) -> dict[str, float]:
    """Time of each collective, us; infinite where a rank of the job is cut off, or no network joins neighbours."""
    team = team_of(network, job_of(network), asked.constants)
    unjoined = team.domains > 1 and (not team.rail_gbps or team.ring.level == len(network.levels))
    if unjoined:
        return dict.fromkeys(COLLECTIVES, float("inf"))
    told = {name: quickest(team, name, size) for name in COLLECTIVES}
    return {name: best[1].us for name, best in told.items() if best}


def _cost(before: Mapping[str, float], network: Network, job_of: JobOf, asked: Asked, size: int) -> dict[str, Any]:
    """How much longer each collective takes, as a share (None where it cannot run), and ranks that are cut off."""
    job = job_of(network)
    after = _times(network, job_of, asked, size)
    slower = {name: round(us / before[name] - 1, 4) if np.isfinite(us) else None for name, us in after.items()}
    return {"slower": slower, "cut_off": int((network.gbps[job.ranks].sum(axis=1) == 0).sum())}


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The costs for people."""
    for fabric, costs_of in found.items():
        yield from ("", f"as built, {fabric}", "-" * (10 + len(fabric)))
        yield f"  together: {_words(costs_of['together'])}"
        yield from (f"  {each['id']}: {_words(each)}: {each['text']}" for each in costs_of["each"])
        if costs_of["left_out"]:
            yield f"  not told: {costs_of['left_out']} findings of modules, ports or trunks"


def _words(cost: Mapping[str, Any]) -> str:
    told = [f"{name} {'cannot run' if share is None else f'{share:+.1%}'}" for name, share in cost["slower"].items()]
    cut = [f"{cost['cut_off']} ranks cut off"] if cost["cut_off"] else []
    return ", ".join([*told, *cut])
