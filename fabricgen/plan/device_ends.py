"""Ends of links by device: which links a device has, in the order of its face."""

from __future__ import annotations

import numpy as np

from fabricgen.design.ports import PortRun
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import Ints, Plan, Wide

_WORD_BITS = 63


def ends_by_device(plan: Plan) -> tuple[Wide, Wide, Wide]:
    """(row pointer per device, link, 0 for the a end and 1 for b), ends sorted by device and place on its face.

    All but those of scale-up links, which no switch with a configuration has; int64.
    """
    links = plan.links
    keep = np.array([not isinstance(s.b, ScaleUpPort) for s in links.segments], dtype=bool)
    order = np.zeros((2, len(links)), dtype=np.int64)
    for i, segment in enumerate(links.segments):
        rows = links.rows_of(i)
        for end, (side, port) in enumerate(((segment.a, links.a_port), (segment.b, links.b_port))):
            order[end, rows] = _on_face(side, port[rows]) if isinstance(side, PortRun) else port[rows]
    kept = np.flatnonzero(keep[links.segment])
    device = np.concatenate([links.a_device[kept], links.b_device[kept]])
    link = np.concatenate([kept, kept])
    at_b = np.repeat(np.array([0, 1]), len(kept))
    by = sorted_by(device, order[:, kept].ravel())
    pointer = np.searchsorted(device[by], np.arange(len(plan.devices) + 1))
    return pointer, link[by], at_b[by]


def sorted_by(major: Ints | Wide, minor: Wide) -> Wide:
    """Row numbers, sorted by two columns of numbers from 0; rows that are alike stay in their order.

    Numbers that fit into one word with that of the row are sorted as such, which takes a fraction of the time.
    """
    rows = np.arange(len(major))
    minor_bits, row_bits = int(minor.max(initial=0)).bit_length(), len(rows).bit_length()
    if int(major.max(initial=0)).bit_length() + minor_bits + row_bits > _WORD_BITS:
        return np.lexsort((minor, major))
    words = (major.astype(np.int64) << minor_bits | minor) << row_bits | rows
    return np.sort(words) & ((1 << row_bits) - 1)


def _on_face(run: PortRun, ports: Ints) -> Wide:
    """Where ports of a run lie on the face, to sort by; int64."""
    cages = np.array(run.cages, dtype=np.int64)
    return cages[ports // run.ways] * 64 + ports % run.ways
