"""At which phase of the blueprint each device and link is first there."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.design.phase_selection import select_phase
from fabricgen.export.view.source import PageSource, pack_table
from fabricgen.phases.presence import find_presence


def block(source: PageSource) -> dict[str, Any] | None:
    """Names of the phases, and the number of the first of each device and link; None where there are no phases.

    What is only there in the end has the number after the last. Of a cluster at a phase there is only what is there.
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
        "devices": pack_table({"phase": device}),  # type: ignore[dict-item]
        "links": pack_table({"phase": link}),  # type: ignore[dict-item]
    }
