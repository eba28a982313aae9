"""What a device says about its ports, and what is known about which device it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

SEEN, SILENT, DOWN, HEARD = range(4)
"""States of a port: it sees a neighbour; it sees nobody, and is not known to be down; it is down; a MAC is heard there
that does not prove which port it is joined to.
"""


class Box(NamedTuple):
    """What a dump or a neighbour tells about which device it is; texts are "" if not told.

    `name` is the host name as told, `chassis` a MAC (aa:bb:cc:dd:ee:ff) or a GUID (0x and 16 digits) in lower case, and
    `address` a management address. `file` is set for the device that a dump is of: where the dump was found, with `/`
    between folders, archives and files, since `lldpctl` and `show` commands do not say whose output it is.
    """

    name: str = ""
    chassis: str = ""
    address: str = ""
    file: str = ""


def is_aggregation_node(box: Box) -> bool:
    """Whether a box is the adapter inside an InfiniBand switch that does reductions (SHARP), which is no neighbour."""
    return "aggregation node" in box.name.lower()


def guid_text(digits: str) -> str:
    """Return a GUID as `Box.chassis` has it, from up to 16 digits with or without 0x."""
    return f"0x{digits.lower().removeprefix('0x'):0>16}"


LANE_GBPS = {
    "SDR": 2.5,
    "DDR": 5.0,
    "QDR": 10.0,
    "FDR10": 10.0,
    "FDR": 14.0,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
"""The nominal rate of an InfiniBand lane, Gb/s, by its name."""


def find_link_gbps(lanes: str = "", lane: str = "") -> float:
    """Return the rate of an InfiniBand link, Gb/s; 0 if its width or the rate of its lanes is not known.

    `lanes` is its width, as 4x, 4X or 4. `lane` is the name of a lane, or its rate in Gb/s; a signalling rate such as
    106.25 is rounded down to the next nominal rate (100).
    """
    width, printed = re.fullmatch(r"(\d{1,2})[xX]?", lanes), LANE_GBPS.get(lane, 0.0)
    if re.fullmatch(r"\d{1,4}(?:\.\d{1,9})?", lane):
        printed = max((gbps for gbps in LANE_GBPS.values() if gbps <= float(lane) * 1.01), default=0.0)
    return int(width[1]) * printed if width else 0.0


class Sighting(NamedTuple):
    """One port of a device, and what it sees: a row of a dump.

    `port` is the name of the port on its own device. `far_port` is the neighbour's port as told (an LLDP port id: a
    name, an alias or a MAC), `far_text` its description; "" if not told. `neighbor` is None unless the state is SEEN.
    `gbps` is the rate of the link, Gb/s, 0 if not told.
    """

    port: str
    neighbor: Box | None
    far_port: str = ""
    far_text: str = ""
    state: int = SEEN
    gbps: float = 0.0


class Dump(NamedTuple):
    """What one device says about its ports. A device may have several dumps, which are added up.

    `agent` is how it knows its neighbours: `lldp` (whose agents lose neighbours when they have many), `ib` (tables of a
    subnet), `list` (a list of links that somebody made), `redfish` (a BMC) or `mac` (what MACs prove). `lists_all`:
    whether ports that are not listed see nobody; False, for example, for the output of a command for a single port.
    """

    box: Box
    sightings: Iterable[Sighting]
    agent: str = "lldp"
    lists_all: bool = True


class MacTable(NamedTuple):
    """MACs (aa:bb:cc:dd:ee:ff) at the ports of a device, as (MAC, name of the port on that device).

    A switch learnt them there, from frames or ARP; MACs that were configured, come over a tunnel or are its own are
    left out. With `of_host` they are the MACs of the ports themselves, such as a BMC tells about its host.
    """

    box: Box
    rows: tuple[tuple[str, str], ...]
    of_host: bool = False
