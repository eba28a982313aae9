"""The cage and the connector of ports that no plan uses, read off how the planned ports of the same device are called.

Most systems number ports by cage: `Ethernet33/1`, `swp33s0`, `33/1` have it in their name, and SONiC counts lanes, so
that `Ethernet256` and `Ethernet264` are neighbouring cages. What fits neither is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.models import natural
from fabricgen.verify.cabling import PlannedCabling

MOST_ALIKE = 256
"""Devices of one model that are looked at."""
_NUMBERED = re.compile(r"(.*?)(\d+)")


class Socket(NamedTuple):
    """A cage, and the connector of it (`33/2`; the cage again where it has one), as printed on the front."""

    cage: str
    connector: str


@dataclass
class Fronts:
    """Looks up sockets by device (row of devices) and name of a port; what was found is kept."""

    cabling: PlannedCabling
    _named: dict[int, dict[str, Socket]] = field(default_factory=dict)
    _kinds: dict[tuple[int, int], dict[str, Socket]] = field(default_factory=dict)

    def socket(self, device: int, name: str) -> Socket:
        """The socket behind a port of a device; empty texts where it is not known."""
        for planned in (self._planned(device), self._of_kind(device)):
            if socket := planned.get(name) or _in_name(planned, name) or _by_number(planned, name):
                return socket
        return Socket("", "")

    def _of_kind(self, device: int) -> dict[str, Socket]:
        """The sockets of planned ports of other devices of the model and NOS, which have more of them in use."""
        columns = [self.cabling.devices[name].codes for name in ("model", "nos")]
        key = int(columns[0][device]), int(columns[1][device])
        if key not in self._kinds:
            alike = np.flatnonzero((columns[0] == key[0]) & (columns[1] == key[1]))[:MOST_ALIKE]
            self._kinds[key] = {name: socket for each in alike.tolist() for name, socket in self._planned(each).items()}
        return self._kinds[key]

    def _planned(self, device: int) -> dict[str, Socket]:
        if device not in self._named:
            cabling = self.cabling
            self._named[device] = {
                cabling.port_text(port): Socket(cabling.cage(port), cabling.connector_text(port))
                for port in cabling.ports_of_device(device).tolist()
            }
        return self._named[device]


def _in_name(planned: dict[str, Socket], name: str) -> Socket | None:
    """The socket whose cage stands in the name of the port, as it does in all that are planned and begin alike."""
    head = _head(name)
    alike = [(told, socket) for told, socket in planned.items() if _head(told) == head]
    shapes: dict[str, str] = {}
    for told, socket in alike:
        behind = told[len(head) + len(socket.cage) :]
        if not told.startswith(head + socket.cage) or behind[:1].isdigit():
            return None
        shapes[behind] = max(shapes.get(behind, ""), socket.connector.removeprefix(socket.cage))
    for nth, behind in enumerate(sorted(shapes, key=natural), start=1):
        if any(shapes.values()) and not shapes[behind]:  # planned in cables that fill their cage alone
            shapes[behind] = f"/{nth}"
    for behind, connector in sorted(shapes.items(), key=lambda each: (-len(each[0]), each)):
        cage = name[len(head) : len(name) - len(behind)]
        if name.endswith(behind) and re.fullmatch(r"\d+(/\d+)*", cage):
            return Socket(cage, cage + connector)
    return None


def _head(name: str) -> str:
    """What stands before the first digit of a name."""
    found = re.match(r"\D*", name)
    return found[0] if found else ""


def _by_number(planned: dict[str, Socket], name: str) -> Socket | None:
    """The socket of a port whose number counts lanes or ports over the whole front."""
    wanted = _NUMBERED.fullmatch(name)
    if not wanted:
        return None
    known = [
        (int(found[2]), int(socket.cage), socket.connector.removeprefix(socket.cage))
        for told, socket in planned.items()
        if (found := _NUMBERED.fullmatch(told)) and found[1] == wanted[1] and socket.cage.isdigit()
    ]
    step = _ports_per_cage(known)
    if not step:
        return None
    first = min(number - step * cage for number, cage, _ in known)
    cage, lane = divmod(int(wanted[2]) - first, step)
    connectors = {number - first - step * at: connector for number, at, connector in sorted(known, key=lambda k: k[2])}
    return Socket(str(cage), f"{cage}{connectors.get(lane, '')}") if cage > 0 else None


def _ports_per_cage(known: Iterable[tuple[int, int, str]]) -> int:
    """By how much the numbers of ports rise from cage to cage, the same all over the front; 0 where they do not."""
    firsts: dict[int, int] = {}
    for number, cage, _ in known:
        firsts[cage] = min(number, firsts.get(cage, number))
    if len(firsts) < 2:
        return 0
    (one, low), *rest = sorted(firsts.items())
    steps = {(number - low) / (cage - one) for cage, number in rest}
    step = steps.pop()
    return int(step) if not steps and step >= 1 and step == int(step) else 0
