"""Reports brought to the cages and ports of the plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.report import PortReport, added
from fabricgen.wiring.tables import Ints, Ints64

if TYPE_CHECKING:
    from fabricgen.numbering.lazy_columns import EncodedColumn

NO_MODULE = ("COPPER", "CPO", "")
"""Media whose ends have no EEPROM: twisted pair, and optics that are part of the switch."""

_EMPTY = PortReport(Box(), "")
_SHORT = re.compile(r"Et(\d)")
_LAST = re.compile(r"(?:Ethernet|Et)(\d+(?:/\d+)*)/\d+")


@dataclass
class Cage:
    """A cage of a planned device: its planned ports (none for a spare one), and what is told of its module."""

    device: int
    cage: str
    ports: list[int]
    module: PortReport = _EMPTY
    lanes_of: dict[str, PortReport] = field(default_factory=dict)

    def told(self, report: PortReport) -> None:
        """Add what a row says of the module; lanes may stand in a row each."""
        plugged = self.module.present or report.present  # SONiC may name a module at one port of its cage alone
        self.module = report if self.module is _EMPTY else added(self.module, report)._replace(present=plugged)
        if report.tx_dbm or report.rx_dbm:
            self.lanes_of[report.port] = report

    def power(self, what: str) -> tuple[float, ...]:
        """`tx_dbm` or `rx_dbm` of all lanes."""
        rows = [getattr(report, what) for _, report in sorted(self.lanes_of.items())]
        widest = max(rows, key=len, default=())
        return widest if len(widest) > 1 else tuple(power for row in rows for power in row)


@dataclass
class Reported:
    """What dumps say of a plan's cages and ports: cages by (device, cage), ports by number; `strange` are left out."""

    cages: dict[tuple[int, str], Cage] = field(default_factory=dict)
    ports: dict[int, PortReport] = field(default_factory=dict)
    cage_of: dict[int, Cage] = field(default_factory=dict)
    strange: set[Box] = field(default_factory=set)


def reported_on(cabling: PlannedCabling, reports: Sequence[PortReport], devices: Ints, ports: Ints) -> Reported:
    """Bring reports to cages and ports.

    `devices` and `ports`, int32: the device of each report (row of devices), and its port; negative where not known.
    """
    reported, faces = Reported(), dict[int, _Face]()
    for report, device, port in zip(reports, devices.tolist(), ports.tolist(), strict=True):
        if device < 0:
            reported.strange.add(report.box)
            continue
        face = faces.get(device)
        if face is None:
            face = faces[device] = _Face(cabling, device)
        planned, name = face.place(report, port)
        cage = reported.cages.get((device, name))
        if cage is None:
            cage = reported.cages[device, name] = Cage(device, name, face.cages.get(name, []))
            reported.cage_of.update(dict.fromkeys(cage.ports, cage))
        cage.told(report)
        if planned >= 0:
            known = reported.ports.get(planned)
            reported.ports[planned] = added(known, report) if known else report
    return reported


class _Face:
    """The planned ports of a device, by name and by cage."""

    def __init__(self, cabling: PlannedCabling, device: int) -> None:
        self.cages: dict[str, list[int]] = {}
        self._names: dict[str, int] = {}
        self._cage: dict[int, str] = {}
        for port in cabling.ports_of_device(device).tolist():
            cage = cabling.cage(port)
            self.cages.setdefault(cage, []).append(port)
            self._names[cabling.port_text(port)] = port
            self._cage[port] = cage

    def place(self, report: PortReport, port: int) -> tuple[int, str]:
        """(planned port or -1, cage) of a row. Lanes of a cage whose port is another are of the cage alone."""
        if report.is_cage:
            return -1, report.port
        if port >= 0:
            return port, self._cage[port]
        name = _SHORT.sub(r"Ethernet\1", report.port)
        port = self._names.get(name, -1)
        if port >= 0:
            return port, self._cage[port]
        lane = _LAST.fullmatch(name)
        return -1, lane[1] if lane and lane[1] in self.cages else name


def planned_cages(cabling: PlannedCabling) -> int:
    """The number of cages with planned cables that take a module or a cable with ends of its own."""
    numbers: dict[str, int] = {}
    medium = _encoded(cabling, "medium")
    pluggable = np.array([text not in NO_MODULE for text in medium.vocabulary.tolist()], dtype=np.bool_)[medium.codes]
    pairs = []
    for side in "ab":
        device, cage = (_numbered(_encoded(cabling, f"{side}_{what}"), numbers) for what in ("device", "cage"))
        pairs.append((device << 32 | cage)[pluggable])
    cages = np.sort(np.concatenate(pairs))
    return int(np.count_nonzero(np.diff(cages))) + min(len(cages), 1)


def _encoded(cabling: PlannedCabling, column: str) -> EncodedColumn:
    return cast("EncodedColumn", cabling.cables[column])


def _numbered(column: EncodedColumn, numbers: dict[str, int]) -> Ints64:
    """The number of each row's text, int64; new texts get the next numbers."""
    codes = [numbers.setdefault(text, len(numbers)) for text in column.vocabulary.tolist()]
    found: Ints64 = np.array(codes, dtype=np.int64)[column.codes]
    return found
