"""The cage and the connector of ports that the plan does not use, inferred from the names of planned ports.

The planned ports are those of the same device, or of others of its model. Most systems number ports by cage:
`Ethernet33/1`, `swp33s0`, `33/1` have the cage in their name. SONiC counts lanes: `Ethernet256` and `Ethernet264` are
neighbouring cages. If a name fits neither, its cage is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.cabling import PlannedCabling

MOST_ALIKE = 256
"""The most devices of one model that are searched, to bound time: devices of a model are cabled much alike."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


class CageConnector(NamedTuple):
    """A cage and a connector of it as printed on the front: `33` and `33/2`, or `33` twice if it has one connector."""

    cage: str
    connector: str


Front = Mapping[str, CageConnector]
"""The sockets of planned ports, by name of the port."""


@dataclass
class Fronts:
    """Looks up sockets by device (row of devices) and name of a port; results are cached."""

    cabling: PlannedCabling
    _named: dict[int, Front] = field(default_factory=dict)
    _by_model: dict[tuple[int, int], Front] = field(default_factory=dict)

    def find_socket(self, device: int, name: str, plug_port: int = -1) -> CageConnector:
        """Find the socket of a port of a device; its texts are "" if it is not known.

        `plug_port` is a planned port of the plug that sits in the socket (-1: not known). The plug takes as much of
        this cage as of the cage that it is planned in: all of it, or one connector.
        """
        for front in (self._list_planned_sockets(device), self._list_sockets_of_model(device)):
            if name in front:
                return front[name]
            if cage_lane := _find_lane_by_name(front, name) or _find_lane_by_number(front, name):
                suffix = self._find_connector_suffix(front, cage_lane.lane, plug_port)
                return CageConnector(cage_lane.cage, cage_lane.cage + suffix)
        return CageConnector("", "")

    def _find_connector_suffix(self, front: Front, lane: str | int, plug_port: int) -> str:
        """Return what follows the cage in the name of the connector at a lane: `/2`, or "" for the whole cage.

        `plug_port` is as for `find_socket`.
        """
        if plug_port >= 0:
            cage = self.cabling.find_cage(plug_port)
            if self.cabling.connector_text(plug_port) == cage:
                return ""
            home = self._list_planned_sockets(int(self.cabling.device[plug_port]))
            of_cage = {name: socket for name, socket in home.items() if socket.cage == cage}
            if suffix := _list_connector_suffixes(home, of_cage).get(lane):
                return suffix
        return _list_connector_suffixes(front, front).get(lane, "")

    def _list_planned_sockets(self, device: int) -> Front:
        # the sockets of a device's planned ports, by name of the port
        if device not in self._named:
            cabling = self.cabling
            self._named[device] = {
                cabling.port_text(port): CageConnector(cabling.find_cage(port), cabling.connector_text(port))
                for port in cabling.list_device_ports(device).tolist()
            }
        return self._named[device]

    def _list_sockets_of_model(self, device: int) -> Front:
        """Return the sockets of planned ports of all devices of the same model and NOS, which use more of the ports."""
        columns = [self.cabling.devices[name].codes for name in ("model", "nos")]
        model_and_nos = int(columns[0][device]), int(columns[1][device])
        if model_and_nos not in self._by_model:
            devices_alike = np.flatnonzero((columns[0] == model_and_nos[0]) & (columns[1] == model_and_nos[1]))[
                :MOST_ALIKE
            ]
            fronts = map(self._list_planned_sockets, devices_alike.tolist())
            self._by_model[model_and_nos] = {name: socket for front in fronts for name, socket in front.items()}
        return self._by_model[model_and_nos]


class _CageLane(NamedTuple):
    """A cage, and which of its ports: the end of the port's name, or the number of the port within the cage."""

    cage: str
    lane: str | int


def _list_connector_suffixes(front: Front, ports: Front) -> dict[str | int, str]:
    """Return, by lane, what follows the cage in the name of the connector, read off some `ports` of a front."""
    suffixes: dict[str | int, str] = {}
    for name, socket in ports.items():
        if cage_lane := _find_lane_by_name(front, name) or _find_lane_by_number(front, name):
            # a cable that fills its cage names no connector (""): a cable that names one tells more
            suffixes[cage_lane.lane] = max(suffixes.get(cage_lane.lane, ""), socket.connector.removeprefix(socket.cage))
    if any(suffixes.values()):
        for nth, lane in enumerate(sorted(suffixes, key=lambda lane_name: make_natural_key(str(lane_name))), start=1):
            suffixes[lane] = suffixes[lane] or f"/{nth}"  # a lane that only cables filling their cage use
    return suffixes


def _find_lane_by_name(front: Front, name: str) -> _CageLane | None:
    """Find the cage and lane of a port from its name, if all planned names that begin alike contain their cage."""
    head = _read_head(name)
    suffixes = set()
    for planned_name, socket in front.items():
        if _read_head(planned_name) == head:
            suffix = planned_name[len(head) + len(socket.cage) :]
            # `Ethernet8` of cage 2 does not begin with `Ethernet2`; and if a digit follows, as in `Ethernet24` of cage
            # 2, it begins so by chance. Then lanes are counted, and names do not contain their cage.
            if not planned_name.startswith(head + socket.cage) or suffix[:1].isdigit():
                return None
            suffixes.add(suffix)
    # the longest ending first: a port of a whole cage ends with "", and so does any name
    for suffix in sorted(suffixes, key=lambda suffix_text: (-len(suffix_text), suffix_text)):
        cage = name[len(head) : len(name) - len(suffix)]
        if name.endswith(suffix) and re.fullmatch(r"\d{1,9}(/\d{1,9})*", cage):
            return _CageLane(cage, suffix)
    return None


def _read_head(name: str) -> str:
    """Return what stands before the first digit of a name."""
    return re.split(r"\d", name, maxsplit=1)[0]


def _find_lane_by_number(front: Front, name: str) -> _CageLane | None:
    """Find the cage and lane of a port whose number counts lanes or ports over the front.

    The cage is interpolated between the planned cages on both sides of the port, or extrapolated from the last two.
    """
    parsed_name = _NUMBERED.fullmatch(name)
    firsts: dict[int, int] = {}
    for planned_name, socket in front.items():
        parsed = _NUMBERED.fullmatch(planned_name)
        if parsed and parsed_name and parsed[1] == parsed_name[1] and socket.cage.isdigit():
            cage = int(socket.cage)
            firsts[cage] = min(int(parsed[2]), firsts.get(cage, int(parsed[2])))
    if not parsed_name or len(firsts) < 2:
        return None
    number, numbered_cages = int(parsed_name[2]), sorted(firsts.items())
    spans = list(pairwise(numbered_cages))
    # a number beyond the last planned cage goes on as the last two cages do
    (low_cage, low_number), (high_cage, high_number) = next((span for span in spans if number < span[1][1]), spans[-1])
    # cages between two planned ones must take a whole number of lanes each, or ports of various widths lie between
    step, remainder = divmod(high_number - low_number, high_cage - low_cage)
    if remainder or step < 1:
        return None
    cages, lane = divmod(number - low_number, step)
    return _CageLane(str(low_cage + cages), lane) if low_cage + cages > 0 else None
