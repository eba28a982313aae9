"""What is plugged where, as seen: the ports of devices joined in pairs, with what is unknown kept apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.wiring.tables import Flags, Ints


class SparePort(NamedTuple):
    """A port that was seen and that the plan does not use: `device` is a row of devices."""

    device: int
    port: str


class Stranger(NamedTuple):
    """A neighbour that is not a device of the plan: what is seen at a port, in words."""

    port: int
    text: str


class Conflict(NamedTuple):
    """A port of which dumps disagree: `port` sees `sees`, which is joined to `instead` (-1: to nobody).

    `itself`: the dump of `sees` says so, and not that of `instead` alone. `beside`: what `port` is taken for joined to
    (-1: to nobody). Where `sees` is `port`, a port sees itself.
    """

    port: int
    sees: int
    instead: int
    itself: bool = True
    beside: int = -1


@dataclass(frozen=True)
class Seen:
    """What dumps say of the ports of a plan. Ports are numbered as in PlannedCabling; `spare` ports follow those.

    Columns, one entry a port, planned ones first and then the spare ones:

    - `mate`, int32: the port that it is joined to, -1 for none that is known. Symmetric: `mate[mate[p]] == p`.
    - `towards`, int32: the device that it sees where the port there is not known, else -1.
    - `dumped`, bool: a dump says what this port sees; if that is nobody, the port is silent.
    - `down`, bool: the dump says that the port is down.
    - `doubtful`, bool: the port is silent, and its agent has so many neighbours that this proves nothing.
    """

    mate: Ints
    towards: Ints
    dumped: Flags
    down: Flags
    doubtful: Flags
    spare: tuple[SparePort, ...] = ()
    strangers: tuple[Stranger, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def place_of(cabling: PlannedCabling, seen: Seen, port: int) -> str:
    """DEVICE:PORT of a planned or spare port."""
    if port < cabling.ports:
        return cabling.place(port)
    spare = seen.spare[port - cabling.ports]
    return f"{cabling.device_names[spare.device]}:{spare.port}"


def device_of(cabling: PlannedCabling, seen: Seen, port: int) -> int:
    """The device of a planned or spare port."""
    return int(cabling.device[port]) if port < cabling.ports else seen.spare[port - cabling.ports].device


_MANAGEMENT = re.compile(r"eth0|e?mgmt\d*|management[\d/]*|ma[\d/]+", re.IGNORECASE)


def is_outside(cabling: PlannedCabling, seen: Seen, port: int) -> bool:
    """Whether a port is one for management, and the plan has no network of such ports.

    What is seen there is what an unmanaged switch floods: any number of neighbours, none at a cable of the plan.
    """
    if port < cabling.ports or not _MANAGEMENT.fullmatch(seen.spare[port - cabling.ports].port):
        return False
    return not any(_MANAGEMENT.fullmatch(str(text)) for text in cabling.port_texts)
