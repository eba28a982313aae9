"""What one device says of one of its ports, or of the module in one of its cages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.verify.actions import Kind
from fabricgen.verify.dumps.sighting import Box

NO_LIGHT_DBM = -30.0
"""Received power at and below which a lane is dark, dBm: what EOS shows for no light (ANTA, anta/tests/interfaces.py);
SONiC shows -inf or -40."""


_MOST_WORDS = 1200


class PortReport(NamedTuple):
    """A row of a dump; what it does not tell is "", 0, None or empty. Several rows of a port add up.

    `port` is the port's name on its own device, or its cage's where `is_cage`. Of the module: `present`, `vendor`,
    `part`, `serial`, `told` (all words on what it is, as they stand), `length_m` of a cable with ends of its own, and
    per lane `tx_dbm`, `rx_dbm`, with the module's own `rx_alarm_dbm` for too little. Of the port: `lanes`,
    `speed_gbps`, `fec` (rs, fc, none), `admin` and `oper` (up, down), the bit error rates `pre_fec_ber` and
    `post_fec_ber`, and `uncorrected`, codewords that FEC could not correct since the counters were cleared.
    """

    box: Box
    port: str
    is_cage: bool = False
    present: bool | None = None
    vendor: str = ""
    part: str = ""
    serial: str = ""
    told: str = ""
    length_m: float = 0.0
    tx_dbm: tuple[float, ...] = ()
    rx_dbm: tuple[float, ...] = ()
    rx_alarm_dbm: float | None = None
    lanes: int = 0
    speed_gbps: float = 0.0
    fec: str = ""
    admin: str = ""
    oper: str = ""
    pre_fec_ber: float | None = None
    post_fec_ber: float | None = None
    uncorrected: int | None = None


def add_rows(first: PortReport, second: PortReport) -> PortReport:
    """Two rows of one port as one: what the other tells counts, and what it does not is kept."""
    # a rate of 0 tells something, None does not
    merged = PortReport._make([new if new or old is None else old for old, new in zip(first, second, strict=True)])
    if second.present is False:
        merged = merged._replace(present=False)
    if first.told and second.told:
        words = first.told if second.told in first.told else f"{first.told}; {second.told}"[:_MOST_WORDS]
        merged = merged._replace(told=words)
    return merged


# What is wrong with a cable, its modules or its ports, before it is put together as actions.

BEGINNING = "cable "
"""How the text of an action on modules or ports begins, by which one of kind `port` is told from others."""


def is_of_optics(kind: str, text: str) -> bool:
    """Whether a finding of a report is on modules or ports, so that only --optics can tell what became of it."""
    return kind == Kind.OPTIC.value or (kind == Kind.PORT.value and text.startswith(BEGINNING))


WHOLE = float("inf")
"""As `lost_gbps`: all that a link has."""


@dataclass(frozen=True, slots=True)
class OpticsFinding:
    """One thing that is wrong: `ports` where (planned ports, at least one), `text` a sentence without its full stop.

    `lost_gbps` is what each of their links lacks because of it, at most its speed.
    """

    kind: Kind
    ports: tuple[int, ...]
    text: str
    lost_gbps: float = 0.0


@dataclass
class OpticsFindings:
    """All that is wrong, and what is worth a note: texts with the places that each holds for."""

    faults: list[OpticsFinding] = field(default_factory=list)
    noted: dict[str, list[str]] = field(default_factory=dict)

    def add_fault(self, kind: Kind, ports: tuple[int, ...], text: str, lost_gbps: float = 0.0) -> None:
        """Note what is wrong at some ports, with the Gb/s that each of their links loses by it; 0: none."""
        self.faults.append(OpticsFinding(kind, ports, text, lost_gbps))

    def add_note(self, text: str, place: str) -> None:
        """Note something that holds for a place."""
        self.noted.setdefault(text, []).append(place)


# Limits that modules and ports are held against, and where they come from.

MARGIN = 10.0
"""An error rate within this factor of its limit is told, since dirt and warmth take that much."""

FEC_FROM_GBPS = 100
"""Ports of this speed and more have RS-FEC in the configs of fabricgen, whatever the NOS (nos/*/writing)."""

LENGTH_SLACK_M = 1.0
"""Lengths of cables are told in whole metres (SFF-8636, byte 146), so that a difference below this means nothing."""


class ErrorRate(NamedTuple):
    """The bit error rate before FEC that the FEC of a lane is sure to correct, and the FEC."""

    limit: float
    fec: str


_PAM4 = ErrorRate(2.4e-4, "RS(544,514)")
_NRZ = ErrorRate(5e-5, "RS(528,514)")


def error_rate_after_fec(speed_gbps: float) -> float:
    """The bit error rate after FEC that a port of a speed, Gb/s, may have.

    1e-13 at 200G and more, 1e-12 below, or the frame loss ratio equal to it (objectives of IEEE 802.3bs and bj).
    """
    return 1e-13 if speed_gbps >= 200 else 1e-12


def error_rate(lane_gbps: float) -> ErrorRate:
    """The limit of a lane rate, Gb/s.

    Lanes of 50G and more: 2.4e-4 (IEEE 802.3, 136.1 and alike: www.ieee802.org/3/cd/email/msg00208.html); of 25G: 5e-5
    (clause 95, ibid.).
    """
    return _NRZ if 0 < lane_gbps < 50 else _PAM4
