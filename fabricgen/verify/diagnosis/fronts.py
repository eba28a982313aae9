"""The cage and the connector of ports that no plan uses, read off how the planned ports of the same device are called.

Most systems number ports by cage: `Ethernet33/1`, `swp33s0`, `33/1` have it in their name, and SONiC counts lanes, so
that `Ethernet256` and `Ethernet264` are neighbouring cages. What fits neither is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.models import natural
from fabricgen.verify.cabling import PlannedCabling

MOST_ALIKE = 256
"""Devices of one model that are looked at."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


class Socket(NamedTuple):
    """A cage, and the connector of it (`33/2`; the cage again where it has one), as printed on the front."""

    cage: str
    connector: str


Front = Mapping[str, Socket]
"""The sockets behind planned ports, by the names of these."""


@dataclass
class Fronts:
    """Looks up sockets by device (row of devices) and name of a port; what was found is kept."""

    cabling: PlannedCabling
    _named: dict[int, Front] = field(default_factory=dict)
    _kinds: dict[tuple[int, int], Front] = field(default_factory=dict)

    def socket(self, device: int, name: str, plug: int = -1) -> Socket:
        """The socket behind a port of a device; empty texts where it is not known.

        `plug` is a planned port of the plug that is in it, which takes as much of this cage as of its own.
        """
        for front in (self._planned(device), self._of_kind(device)):
            if name in front:
                return front[name]
            if place := _in_name(front, name) or _by_number(front, name):
                return Socket(place.cage, place.cage + self._connector(front, place.lane, plug))
        return Socket("", "")

    def _connector(self, front: Front, lane: str | int, plug: int) -> str:
        """What follows the cage in the connector at a lane of it: `/2`, or nothing."""
        if plug >= 0:
            home, cage = self._planned(int(self.cabling.device[plug])), self.cabling.cage(plug)
            if self.cabling.connector_text(plug) == cage:
                return ""
            beside = {name: socket for name, socket in home.items() if socket.cage == cage}
            if told := _connectors(home, beside).get(lane):
                return told
        return _connectors(front, front).get(lane, "")

    def _planned(self, device: int) -> Front:
        if device not in self._named:
            cabling = self.cabling
            self._named[device] = {
                cabling.port_text(port): Socket(cabling.cage(port), cabling.connector_text(port))
                for port in cabling.ports_of_device(device).tolist()
            }
        return self._named[device]

    def _of_kind(self, device: int) -> Front:
        """The sockets of planned ports of other devices of the model and NOS, which have more of them in use."""
        columns = [self.cabling.devices[name].codes for name in ("model", "nos")]
        key = int(columns[0][device]), int(columns[1][device])
        if key not in self._kinds:
            alike = np.flatnonzero((columns[0] == key[0]) & (columns[1] == key[1]))[:MOST_ALIKE]
            fronts = map(self._planned, alike.tolist())
            self._kinds[key] = {name: socket for front in fronts for name, socket in front.items()}
        return self._kinds[key]


class _Place(NamedTuple):
    """A cage, and which of its ports: what its name ends with, or its number within the cage."""

    cage: str
    lane: str | int


def _connectors(front: Front, ports: Front) -> dict[str | int, str]:
    """What follows the cage in the connector at each lane, of some ports of a front."""
    found: dict[str | int, str] = {}
    for name, socket in ports.items():
        if place := _in_name(front, name) or _by_number(front, name):
            found[place.lane] = max(found.get(place.lane, ""), socket.connector.removeprefix(socket.cage))
    if any(found.values()):
        for nth, lane in enumerate(sorted(found, key=lambda each: natural(str(each))), start=1):
            found[lane] = found[lane] or f"/{nth}"  # planned in a cable that fills its cage alone
    return found


def _in_name(front: Front, name: str) -> _Place | None:
    """The place of a port whose cage stands in its name, as it does in all that are planned and begin alike."""
    head = _head(name)
    behinds = set()
    for told, socket in front.items():
        if _head(told) == head:
            behind = told[len(head) + len(socket.cage) :]
            if not told.startswith(head + socket.cage) or behind[:1].isdigit():
                return None
            behinds.add(behind)
    # the longest ending first: `swp1s0` ends as ports of whole cages do, too
    for behind in sorted(behinds, key=lambda each: (-len(each), each)):
        cage = name[len(head) : len(name) - len(behind)]
        if name.endswith(behind) and re.fullmatch(r"\d{1,9}(/\d{1,9})*", cage):
            return _Place(cage, behind)
    return None


def _head(name: str) -> str:
    """What stands before the first digit of a name."""
    found = re.match(r"\D*", name)
    return found[0] if found else ""


def _by_number(front: Front, name: str) -> _Place | None:
    """The place of a port whose number counts lanes or ports over the front, by the planned cages on both its sides, or
    by the nearest two.
    """
    wanted = _NUMBERED.fullmatch(name)
    firsts: dict[int, int] = {}
    for told, socket in front.items():
        found = _NUMBERED.fullmatch(told)
        if found and wanted and found[1] == wanted[1] and socket.cage.isdigit():
            cage = int(socket.cage)
            firsts[cage] = min(int(found[2]), firsts.get(cage, int(found[2])))
    if not wanted or len(firsts) < 2:
        return None
    number, known = int(wanted[2]), sorted(firsts.items())
    spans = list(pairwise(known))
    # a number beyond the last planned cage goes on as the last two cages do
    (one, low), (other, high) = next((span for span in spans if number < span[1][1]), spans[-1])
    step, rest = divmod(high - low, other - one)
    if rest or step < 1:
        return None
    cages, lane = divmod(number - low, step)
    return _Place(str(one + cages), lane) if one + cages > 0 else None
