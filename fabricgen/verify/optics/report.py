"""What one device says of one of its ports, or of the module in one of its cages."""

from __future__ import annotations

from typing import NamedTuple

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


def added(one: PortReport, other: PortReport) -> PortReport:
    """Two rows of one port as one: what the other tells counts, and what it does not is kept."""
    # a rate of 0 tells something, None does not
    both = PortReport._make([new if new or old is None else old for old, new in zip(one, other, strict=True)])
    if other.present is False:
        both = both._replace(present=False)
    if one.told and other.told:
        words = one.told if other.told in one.told else f"{one.told}; {other.told}"[:_MOST_WORDS]
        both = both._replace(told=words)
    return both
