"""The cage and the connector of ports that no plan uses, read off how the planned ports of the same device are called.

Most systems number ports by cage: `Ethernet33/1`, `swp33s0`, `33/1` have it in their name, and SONiC counts lanes, so
that `Ethernet256` and `Ethernet264` are neighbouring cages. What fits neither is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.verify.cabling import PlannedCabling

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

    def socket(self, device: int, name: str) -> Socket:
        """The socket behind a port of a device; empty texts where it is not known."""
        planned = self._planned(device)
        return planned.get(name) or _in_name(planned, name) or _by_number(planned, name) or Socket("", "")

    def _planned(self, device: int) -> dict[str, Socket]:
        if device not in self._named:
            cabling = self.cabling
            self._named[device] = {
                cabling.port_text(port): Socket(cabling.cage(port), cabling.connector_text(port))
                for port in cabling.ports_of_device(device).tolist()
            }
        return self._named[device]


def _in_name(planned: dict[str, Socket], name: str) -> Socket | None:
    """The socket whose cage stands in the name of the port, as it does in those that are planned."""
    shapes: dict[tuple[str, str], str] = {}
    for told, socket in planned.items():
        before, cage, behind = _around(told, socket.cage)
        if cage:
            shapes.setdefault((before, behind), socket.connector.removeprefix(socket.cage))
    for (before, behind), connector in sorted(shapes.items(), key=lambda each: (-len(each[0][1]), each)):
        cage = name[len(before) : len(name) - len(behind)]
        if name.startswith(before) and name.endswith(behind) and re.fullmatch(r"\d+(/\d+)*", cage):
            return Socket(cage, cage + connector)
    return None


def _around(name: str, cage: str) -> tuple[str, str, str]:
    """A name in three: what stands before the cage, the cage ("": it is not in the name), and what is behind."""
    before = re.match(r"\D*", name)
    head = before[0] if before else ""
    rest = name[len(head) :]
    if cage.isdigit() and rest.startswith(cage) and not rest[len(cage) : len(cage) + 1].isdigit():
        return head, cage, rest[len(cage) :]
    if "/" in cage and rest.startswith(f"{cage}/"):
        return head, cage, rest[len(cage) :]
    return "", "", ""


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
    connectors = {number - first - step * at: connector for number, at, connector in known}
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
