"""An index of links by device and port name."""

from __future__ import annotations

import numpy as np

from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.tables import WiringPlan


class LinkEnds:
    """Finds the link at a port; the ports of a device are indexed when it is first asked for."""

    def __init__(self, plan: WiringPlan, ports: tuple[Strings, Strings]) -> None:
        self._links, self._ports = plan.links, ports
        self._of: dict[int, dict[str, tuple[int, bool]]] = {}

    def of(self, row: int) -> dict[str, tuple[int, bool]]:
        """The links of a device by the name of its cabled port: (row, whether the device is the upper end)."""
        if row not in self._of:
            found: dict[str, tuple[int, bool]] = {}
            for device, ports, upper in (
                (self._links.b_device, self._ports[1], True),
                (self._links.a_device, self._ports[0], False),
            ):
                for link in reversed(np.flatnonzero(device == row).tolist()):
                    found[str(ports[link])] = (link, upper)
            self._of[row] = found
        return self._of[row]
