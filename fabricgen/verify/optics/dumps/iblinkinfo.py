"""`iblinkinfo` and `iblinkinfo --line`: width and speed of links, from the side of the switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps import iblinkinfo
from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.report import PortReport

TITLE, IS_JSON, recognises = iblinkinfo.TITLE, iblinkinfo.IS_JSON, iblinkinfo.recognises


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each port of a switch; adapters are the other ends of the same links."""
    for node in iblinkinfo.read_nodes(content):
        if node.is_switch:
            for port in node.ports:
                yield _make_report(node.box, port)


def _make_report(box: Box, port: iblinkinfo.IbPort) -> PortReport:
    is_up = port.physical.lower() == "linkup"
    return PortReport(
        box,
        port.port,
        lanes=port.lanes if is_up else 0,
        speed_gbps=port.gbps if is_up else 0.0,
        admin="down" if port.physical.lower() == "disabled" else "",
        oper="up" if is_up else "down",
    )
