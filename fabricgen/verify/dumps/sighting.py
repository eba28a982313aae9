"""What one device says of one of its ports, and what is known of which device it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

SEEN, SILENT, DOWN, HEARD = range(4)
"""States of a port: it sees a neighbour; it is up or of unknown state, and sees nobody; it is down; somebody is there
of whom no more is proven.
"""


class Box(NamedTuple):
    """What a dump or a neighbour's port says of which device it is; texts are "" where it does not say.

    `name` is the host name as told, `chassis` a MAC (aa:bb:cc:dd:ee:ff) or a GUID (0x and 16 digits), lower case,
    `address` a management address. `file` is of the device that a dump is of: where the dump was found, with `/`
    between folders, archives and files, since `lldpctl` and `show` commands do not say whose output it is.
    """

    name: str = ""
    chassis: str = ""
    address: str = ""
    file: str = ""


def is_aggregation_node(box: Box) -> bool:
    """Whether a box is the adapter within an InfiniBand switch that reduces (SHARP), which is no neighbour."""
    return "aggregation node" in box.name.lower()


def guid_text(digits: str) -> str:
    """A GUID as boxes have it, of up to 16 digits with or without 0x."""
    return f"0x{digits.lower().removeprefix('0x'):0>16}"


class Sighting(NamedTuple):
    """One port of a device, and what it sees: a row of a dump.

    `port` is the port's name on its own device. `far_port` is the neighbour's port as it was told (an LLDP port id: a
    name, an alias or a MAC), `far_text` its description; "" where it was not told. `neighbor` is None unless the state
    is SEEN.
    """

    port: str
    neighbor: Box | None
    far_port: str = ""
    far_text: str = ""
    state: int = SEEN


class Dump(NamedTuple):
    """What one device says of its ports. Ports that it does not list see nobody.

    `agent` is how it knows: `lldp` (whose agents lose neighbours when they have many), `ib` (a subnet's own tables),
    `list` (somebody's list of links), `redfish` (a BMC) or `mac` (what MACs prove). A device may have several dumps,
    which are added up. `lists_all`: whether ports that are not listed see nobody; false for the output for a single
    port.
    """

    box: Box
    sightings: Iterable[Sighting]
    agent: str = "lldp"
    lists_all: bool = True


class MacTable(NamedTuple):
    """MACs (aa:bb:cc:dd:ee:ff) at the ports of a device, as (MAC, what it calls the port).

    A switch learnt them there, by frames or ARP; those that were typed in, come over a tunnel or are its own are left
    out. With `of_host` they are those of its ports themselves, as a BMC tells those of its host.
    """

    box: Box
    rows: tuple[tuple[str, str], ...]
    of_host: bool = False
