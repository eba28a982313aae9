"""Cables and fibres: one for each cable however many far ends it has, and every jumper of a patched one."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, Part, joined, needs_of
from fabricgen.bom.sets import JOINT
from fabricgen.cluster import Cluster
from fabricgen.wiring.groups import unique_combinations
from fabricgen.wiring.tables import Ints64


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """One piece for each cable, or for each part that it consists of."""
    names, descriptions = cables.parts
    known = {name: i for i, name in enumerate(dict.fromkeys(names.vocabulary.tolist()))}
    number = np.array([known[name] for name in names.vocabulary.tolist()], dtype=np.int32)
    row, code = unique_combinations(number[names.codes])
    power = [_power_w(cluster, cables, cable) for cable in row.tolist()]
    made = [
        [Part(part, text, "cable", watts) for part, text in _pieces(names[cable], descriptions[cable])]
        for cable, watts in zip(row.tolist(), power, strict=True)
    ]
    most = max(map(len, made), default=0)
    return joined([_nth(made, nth, code) for nth in range(most)])


def _pieces(name: str, description: str) -> list[tuple[str, str]]:
    """(part, description) of each part that a cable consists of."""
    names, texts = name.split(JOINT), description.split(JOINT)
    return list(zip(names, texts if len(texts) == len(names) else [description] * len(names), strict=True))


def _nth(made: list[list[Part]], nth: int, code: Ints64) -> Needs:
    """The n-th parts of all cables that consist of that many."""
    has = np.array([len(parts) > nth for parts in made], dtype=bool)
    place = np.cumsum(has) - 1
    rows = np.flatnonzero(has[code]).astype(np.int32)
    return needs_of([parts[nth] for parts in made if len(parts) > nth], place[code[rows]], cable=rows)


def _power_w(cluster: Cluster, cables: CableParts, cable: int) -> float | None:
    """Power of a cable with its fixed ends, W; transceivers are counted for themselves. None where no
    figure is known.
    """
    table = cluster.plan.cables
    medium = table.media[table.medium[cable]]
    if not medium.attached:
        return 0.0
    kinds, *ends = cables.kinds
    first, last = np.searchsorted(table.end_cable, np.array([cable, cable + 1], dtype=np.int32)).tolist()
    plugs = (kinds[number] for end in ends for number in end[first:last].tolist())
    each = [medium.end_power_w(plug.gbps / plug.lane_gbps) for plug in plugs]
    known = [watts for watts in each if watts is not None]
    return sum(known) if known and len(known) == len(each) else None
