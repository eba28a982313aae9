"""An index of link ends by switch, in the order of the ports on its front panel."""

from __future__ import annotations

import numpy as np

from fabricgen.design.ports import PortRun
from fabricgen.wiring.links.scale_up_ports import ScaleUpPort
from fabricgen.wiring.tables import Flags, Ints, Ints64, WiringPlan

_WORD_BITS = 63


def switch_ends(plan: WiringPlan) -> tuple[Ints64, Ints, Flags]:
    """(row pointer per device, link, whether the device is its upper end): int64, int32 and bool, in CSR form.

    Ends are sorted by device and then by port on the front panel. Ends at nodes, at management ports and of scale-up
    links are left out.
    """
    links = plan.links
    columns = (links.a_device, links.a_port), (links.b_device, links.b_port)
    none = np.empty(0, dtype=np.int32)
    device, face, link, upper = [none], [none], [none], [none.astype(bool)]
    for end, (devices, ports) in enumerate(columns):
        for i, segment in enumerate(links.segments):
            side = (segment.a, segment.b)[end]
            if isinstance(side, PortRun) and not isinstance(segment.b, ScaleUpPort):
                rows = links.rows_of(i)
                device.append(devices[rows])
                face.append(_on_face(side, ports[rows]))
                link.append(np.arange(rows.start, rows.stop, dtype=np.int32))
                upper.append(np.full(rows.stop - rows.start, end == 1))
    of = np.concatenate(device)
    by = sorted_by(of, np.concatenate(face))
    pointer = np.searchsorted(of.take(by), np.arange(len(plan.devices) + 1, dtype=np.int32))
    return pointer, np.concatenate(link).take(by), np.concatenate(upper).take(by)


def sorted_by(major: Ints | Ints64, minor: Ints | Ints64) -> Ints64:
    """Row numbers sorted by two columns of integers from 0; a stable sort, int64.

    Both values and the row number are packed into one 64-bit word where they fit, which is much faster than lexsort.
    """
    minor_bits, row_bits = int(minor.max(initial=0)).bit_length(), len(major).bit_length()
    if int(major.max(initial=0)).bit_length() + minor_bits + row_bits > _WORD_BITS:
        return np.lexsort((minor, major))
    words = major.astype(np.int64)
    words <<= minor_bits
    words |= minor
    words <<= row_bits
    words |= np.arange(len(words))
    words.sort()
    words &= (1 << row_bits) - 1
    return words


def _on_face(run: PortRun, ports: Ints) -> Ints:
    """A sort key of the ports of a run by their position on the front panel; int32."""
    places = np.array([[64 * cage + way for way in range(run.ways)] for cage in run.cages], dtype=np.int32)
    return places.ravel().take(ports)
