"""`iblinkinfo` and `iblinkinfo --line`: width and speed of links, from the side of the switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps import iblinkinfo
from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.dumps._values import read_number
from fabricgen.verify.optics.report import PortReport

TITLE, IS_JSON, recognises = iblinkinfo.TITLE, iblinkinfo.IS_JSON, iblinkinfo.recognises

_LANES = (2.5, 5.0, 10.0, 14.0, 25.0, 50.0, 100.0, 200.0)
"""Nominal rates of a lane, Gb/s: SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR. iblinkinfo prints signalling rates."""


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each port of a switch; adapters are the other ends of the same links."""
    for node in iblinkinfo.read_nodes(content):
        if node.is_switch:
            for port in node.ports:
                yield _make_report(node.box, port)


def _make_report(box: Box, port: iblinkinfo.IbPort) -> PortReport:
    """Return the report of a port, with the nominal speed of its lanes: 25.78125 is printed for 25."""
    is_up, printed_rate = port.physical.lower() == "linkup", read_number(port.rate) or 0.0
    lane_gbps = max((lane_rate for lane_rate in _LANES if lane_rate <= printed_rate * 1.01), default=0.0)
    return PortReport(
        box,
        port.port,
        lanes=port.lanes if is_up else 0,
        speed_gbps=port.lanes * lane_gbps if is_up else 0.0,
        admin="down" if port.physical.lower() == "disabled" else "",
        oper="up" if is_up else "down",
    )
