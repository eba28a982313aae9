"""Phases to be judged: the one that was asked for, or every one of the blueprint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.phases.selection import Selection
    from fabricgen.phases.presence import Presence


class JudgedPhase(NamedTuple):
    """A phase: its name, what it selects, and which devices and links of the whole cluster are there."""

    name: str
    selection: Selection
    there: Presence


def judged_phases(cluster: Cluster) -> tuple[Cluster, Iterator[JudgedPhase]]:
    """(the whole cluster, its phases to be judged): with `--phase` that one, else all; a lab is none."""
    from fabricgen.design.phases.selection import selection_of
    from fabricgen.phases.presence import presence

    phase = cluster.phase
    whole = phase.whole if phase else cluster
    if phase is None:
        judged = {name: selection_of(whole.design, name) for name in whole.design.loaded.blueprint.phases}
    else:
        judged = {} if phase.lab else {phase.name: phase.selection}
    return whole, (
        JudgedPhase(name, selection, presence(whole.design, whole.plan, selection))
        for name, selection in judged.items()
    )
