"""Light at the two ends of a link: lanes that are dark or weak, and on which side."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabricgen.blueprint.models import natural
from fabricgen.verify.actions import Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.optics.cages import Cage, Reported
from fabricgen.verify.optics.findings import WHOLE, Findings
from fabricgen.verify.optics.modules import Parts
from fabricgen.verify.optics.report import NO_LIGHT_DBM

_BANDWIDTH = re.compile(r"-(\d+)g(?:-flat)?$")


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of a module that a port may use: (lane from 1, dBm). `idle`: how many of them nothing is planned on."""

    power: tuple[tuple[int, float], ...] = ()
    idle: int = 0

    @property
    def dark(self) -> int:
        """The number of dark lanes, if more are dark than may be; else 0."""
        dark = sum(power <= NO_LIGHT_DBM for _, power in self.power)
        return dark if dark > self.idle else 0


def judge_light(
    cabling: PlannedCabling, parts: Parts, reported: Reported, port: int, silent: bool, found: Findings
) -> None:
    """Add what is wrong with the light that a planned port receives from its mate.

    `silent`: its cable is called dark already, so that no light is worth a word only if its mate tells what it sends.
    """
    cage, report = reported.cage_of.get(port), reported.ports.get(port)
    up = report is not None and report.oper == "up"
    if cage is None or not cage.lanes_of or (up and cage.module.rx_alarm_dbm is None):
        return
    own, place = lanes_of(cabling, parts, cage, port, "rx_dbm"), cabling.place(port)
    if own.dark and not up:
        lanes = f" on {own.dark} of {len(own.power)} lanes" if own.dark < len(own.power) else ""
        _dark(cabling, parts, reported, port, silent, f"{place} receives no light{lanes}", found)
        return
    alarm = cage.module.rx_alarm_dbm
    weak = [(power, lane) for lane, power in own.power if alarm is not None and NO_LIGHT_DBM < power < alarm]
    if weak:
        power, lane = min(weak)
        of = f" on lane {lane}" if len(own.power) > 1 else ""
        text = f"receives {power:.1f} dBm{of}, below the alarm of its module at {alarm:.1f} dBm"
        found.add(Kind.OPTIC, (port,), f"{place} {text}: clean both ends, then look for a bent fibre")


def _dark(
    cabling: PlannedCabling, parts: Parts, reported: Reported, port: int, silent: bool, what: str, found: Findings
) -> None:
    """No light arrives: say whether some is sent."""
    mate = port ^ 1
    far, sent = cabling.place(mate), lanes_of(cabling, parts, reported.cage_of.get(mate), mate, "tx_dbm")
    if not sent.power and silent:
        return
    if not sent.power:
        found.add(Kind.OPTIC, (port,), f"{what}; what {far} sends is not told", WHOLE)
    elif sent.dark:
        found.add(Kind.OPTIC, (port, mate), f"{what}, and {far} sends none: look at its port and its module", WHOLE)
    else:
        best = max(power for _, power in sent.power)
        why = "a dirty, bent or broken fibre, or a plug that is not home"
        found.add(Kind.OPTIC, (port, mate), f"{what}, though {far} sends {best:.1f} dBm: {why}", WHOLE)


def lanes_of(cabling: PlannedCabling, parts: Parts, cage: Cage | None, port: int, what: str) -> Lanes:
    """`tx_dbm` or `rx_dbm` of a port: its share of the lanes of its cage where these are all in use, else all."""
    if cage is None:
        return Lanes()
    power = tuple(enumerate(cage.power(what), start=1))
    if not power:
        return Lanes()
    ports = sorted(cage.ports, key=lambda each: natural(cabling.port_text(each)))
    planned, whole = sum(float(cabling.of_link("speed_gbps", each)) for each in ports), _capacity(cabling, parts, port)
    if whole > planned:
        return Lanes(power, len(power) - 1 if len(ports) > 1 else len(power) - int(len(power) * planned / whole))
    share, rest = divmod(len(power), len(ports))
    if rest or not share:
        return Lanes(power, max(len(power) - 1, 0) if len(ports) > 1 else 0)
    at = ports.index(port) * share
    return Lanes(power[at : at + share])


def _capacity(cabling: PlannedCabling, parts: Parts, port: int) -> float:
    """What the module planned at a port carries, Gb/s; 0 where that is not known."""
    part = str(cabling.of_cable("b_transceiver" if port & 1 else "a_transceiver", port))
    if written := _BANDWIDTH.search(part):
        return float(written[1])
    kind = parts.kind(part) if part else None
    return kind.gbps if kind else 0.0
