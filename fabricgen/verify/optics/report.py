"""What one device says about one of its ports, or about the module in one of its cages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.verify.actions import Kind
from fabricgen.verify.dumps.sighting import Box

NO_LIGHT_DBM = -30.0
"""Received power at and below which a lane is dark, dBm: what EOS shows for no light (ANTA, anta/tests/interfaces.py);
SONiC shows -inf or -40."""


_MOST_WORDS = 1200
"""The longest text that is kept of what several rows tell about what a module is, characters."""


class PortReport(NamedTuple):
    """A row of a dump; fields that it does not tell are "", 0, None or empty. Several rows of a port add up.

    `port` is the name of the port on its own device, or of its cage if `is_cage`. About the module: `present`,
    `vendor`, `part`, `serial`, `told` (all words about what it is, verbatim), `length_m` (m) of a cable with fixed
    ends, and by lane `tx_dbm` and `rx_dbm` (dBm), with the module's own alarm threshold for too little light,
    `rx_alarm_dbm`. About the port: `lanes`, `speed_gbps`, `fec` (rs, fc, none), `admin` and `oper` (up, down), the bit
    error rates `pre_fec_ber` and `post_fec_ber`, and `uncorrected`, the codewords that FEC could not correct since the
    counters were cleared.
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


def add_rows(first_row: PortReport, second_row: PortReport) -> PortReport:
    """Join two rows of one port: values of the second row count, and values that it lacks are kept from the first.

    A module that the second row says is absent stays absent. What both tell in words (`told`) is joined, up to
    _MOST_WORDS characters.
    """
    # a rate of 0 is a value, None is not
    merged = PortReport._make(
        [
            second_value if second_value or first_value is None else first_value
            for first_value, second_value in zip(first_row, second_row, strict=True)
        ]
    )
    if second_row.present is False:
        merged = merged._replace(present=False)
    if first_row.told and second_row.told:
        told_by_both = (
            first_row.told
            if second_row.told in first_row.told
            else f"{first_row.told}; {second_row.told}"[:_MOST_WORDS]
        )
        merged = merged._replace(told=told_by_both)
    return merged


# Faults of a cable, its modules or its ports, before they are put together as actions.

BEGINNING = "cable "
"""The beginning of the text of an action about modules or ports, which tells it from others of kind `port`."""


def is_of_optics(kind: str, text: str) -> bool:
    """Whether a finding of a report is about modules or ports, so that only --optics can tell what became of it."""
    return kind == Kind.OPTIC.value or (kind == Kind.PORT.value and text.startswith(BEGINNING))


WHOLE = float("inf")
"""A value of `lost_gbps` that means the whole speed of a link."""


@dataclass(frozen=True, slots=True)
class OpticsFinding:
    """One fault at some planned ports (at least one); `text` is a sentence without its full stop.

    `lost_gbps` is the bandwidth that each of their links lacks because of it, Gb/s; at most the speed of the link
    counts.
    """

    kind: Kind
    ports: tuple[int, ...]
    text: str
    lost_gbps: float = 0.0


@dataclass
class OpticsFindings:
    """All faults, and notes: `noted` has texts with the places that each holds for."""

    faults: list[OpticsFinding] = field(default_factory=list)
    noted: dict[str, list[str]] = field(default_factory=dict)

    def add_fault(self, kind: Kind, ports: tuple[int, ...], text: str, lost_gbps: float = 0.0) -> None:
        """Add a fault at some ports, with the bandwidth that each of their links loses by it, Gb/s."""
        self.faults.append(OpticsFinding(kind, ports, text, lost_gbps))

    def add_note(self, text: str, place: str) -> None:
        """Add a note that holds for a place."""
        self.noted.setdefault(text, []).append(place)


# Limits that modules and ports are compared with, and their sources.

MARGIN = 10.0
"""An error rate within this factor of its limit is reported, since dirt and warmth can raise it by as much."""

FEC_FROM_GBPS = 100
"""From this speed on ports have RS-FEC in the configs of fabricgen, whatever the NOS (nos/*/writing)."""

LENGTH_SLACK_M = 1.0
"""Cables tell their lengths in whole metres (SFF-8636, byte 146), so that a smaller difference means nothing."""


class ErrorRate(NamedTuple):
    """The highest bit error rate before FEC that the FEC of a lane certainly corrects, and the name of that FEC."""

    limit: float
    fec: str


_PAM4 = ErrorRate(2.4e-4, "RS(544,514)")
_NRZ = ErrorRate(5e-5, "RS(528,514)")


def find_limit_after_fec(speed_gbps: float) -> float:
    """Return the highest bit error rate after FEC that a port of a speed, Gb/s, may have.

    It is 1e-13 from 200G on, 1e-12 below, or the equal frame loss ratio (objectives of IEEE 802.3bs and bj).
    """
    return 1e-13 if speed_gbps >= 200 else 1e-12


def find_limit_before_fec(lane_gbps: float) -> ErrorRate:
    """Return the highest bit error rate before FEC of a lane rate, Gb/s; 0, an unknown rate, counts as 50G.

    Lanes of 50G and more: 2.4e-4 (IEEE 802.3, 136.1 and similar: www.ieee802.org/3/cd/email/msg00208.html); of 25G:
    5e-5 (clause 95, ibid.).
    """
    return _NRZ if 0 < lane_gbps < 50 else _PAM4
