"""The first phase of the blueprint in which each device and link is there."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.design.phase_selection import select_phase
from fabricgen.export.view.source import PageSource, pack_table
from fabricgen.phases.presence import find_presence


def block(source: PageSource) -> dict[str, Any] | None:
    """Return the names and texts of the phases, and the number of the first phase of each device and link.

    What no phase has gets the number after the last phase. None if the blueprint has no phases, or if the cluster is
    already that of one phase.
    """
    cluster = source.cluster
    phases = cluster.design.loaded.blueprint.phases
    if not phases or cluster.phase:
        return None
    device = np.full(len(cluster.plan.devices), len(phases), dtype=np.int64)
    link = np.full(len(cluster.plan.links), len(phases), dtype=np.int64)
    for number, name in reversed(list(enumerate(phases))):
        present = find_presence(cluster.design, cluster.plan, select_phase(cluster.design, name))
        device[present.devices] = number
        link[present.links] = number
    return {
        "names": list(phases),
        "words": [phase.description for phase in phases.values()],
        "devices": pack_table({"phase": device}),
        "links": pack_table({"phase": link}),
    }
