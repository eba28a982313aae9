"""Ends of links by switch: which links a switch has, in the order of its face."""

from __future__ import annotations

import numpy as np

from fabricgen.design.ports import PortRun
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import Ints, Plan, Wide

_WORD_BITS = 63


def switch_ends(plan: Plan) -> tuple[Wide, Wide, Wide]:
    """(row pointer per device, link, 0 for the a end and 1 for b), ends sorted by device and place on its face.

    Those at ports of switches with a configuration, so none at nodes or management ports or of scale-up links; int64.
    """
    links = plan.links
    columns = (links.a_device, links.a_port), (links.b_device, links.b_port)
    device, face, link, at_b = ([np.empty(0, dtype=np.int64)] for _ in range(4))
    for end, (devices, ports) in enumerate(columns):
        for i, segment in enumerate(links.segments):
            side = (segment.a, segment.b)[end]
            if isinstance(side, PortRun) and not isinstance(segment.b, ScaleUpPort):
                rows = links.rows_of(i)
                device.append(devices[rows].astype(np.int64))
                face.append(_on_face(side, ports[rows]))
                link.append(np.arange(rows.start, rows.stop))
                at_b.append(np.full(rows.stop - rows.start, end))
    of = np.concatenate(device)
    by = sorted_by(of, np.concatenate(face))
    pointer = np.searchsorted(of.take(by), np.arange(len(plan.devices) + 1))
    return pointer, np.concatenate(link).take(by), np.concatenate(at_b).take(by)


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
    return (cages[:, None] * 64 + np.arange(run.ways)).ravel().take(ports)
