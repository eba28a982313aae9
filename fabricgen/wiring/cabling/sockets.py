"""Where ports are on a device: numbers of their cages and of the connectors of these.

A number is unique within the device, whatever the side, but numbers have gaps: each kind of port has a range of its
own, so that a switch's management port is in no cage of its face. `end_numbers.number_ends` makes them dense.
"""

from __future__ import annotations

import numpy as np

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.links.scale_up_ports import ScaleUpPort
from fabricgen.wiring.tables import Side

_STRIDE = 1 << 20
"""The range of a device's numbers of cages, or of connectors; the next two divide it. No device has so many."""
_MANAGEMENT = _STRIDE // 4
"""The least number of a management port: beyond all cages on the face of a switch, of NICs, and of scale-up ports."""
_SCALE_UP = _STRIDE // 8
"""The least number of a scale-up port: beyond cages on the face of a switch, from 0, and those of NICs, from 1024."""


def number_connectors(side: Side, ports: Ints) -> Ints:
    """The connector of each port, int32: unique within the device, with gaps."""
    if isinstance(side, PortRun):
        # `%` and `//` bind alike, from the left: the port within its cage, then its connector there
        in_cage = ports % side.ways // side.per_connector
        # two numbers a cage, the most connectors that one has, used or not: runs of a switch may differ in connectors
        return (number_cages_of_ports(side, ports) * 2 + in_cage).astype(np.int32)
    if isinstance(side, Attachment):
        return _number_legs(side, cages=False)[ports]
    return number_cages_of_ports(side, ports)


def number_cages_of_ports(side: Side, ports: Ints) -> Ints:
    """The cage of each port, int32: unique within the device, with gaps."""
    if isinstance(side, PortRun):
        # cages of a run are numbered from 1, as on the front
        return (np.array(side.cages, dtype=np.int32)[ports // side.ways] - 1).astype(np.int32)
    if isinstance(side, Attachment):
        return _number_legs(side, cages=True)[ports]
    if isinstance(side, ScaleUpPort):
        return _SCALE_UP + side.first_cage + ports // side.per_connector
    return ports + _MANAGEMENT


def _number_legs(side: Attachment, *, cages: bool) -> Ints:
    """A number of the connector, or cage, of each leg, int32; NIC roles have disjoint ranges of numbers."""
    keys = [leg.cage if cages else (leg.cage, leg.connector) for leg in side.legs]
    order = sorted(set(keys))
    # no role has as many as 1024 cages, nor a node so many roles that they reach the scale-up ports
    base = 1024 * (1 + sorted(side.profile.roles).index(side.role))
    return np.array([base + order.index(key) for key in keys], dtype=np.int32)
