"""SONiC `show interfaces status`: lanes, speed, FEC and states of ports, and the type of what is plugged in."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.optics.dumps._text_tables import has_columns, read_rows
from fabricgen.verify.optics.dumps._values import count_lanes, read_fec, read_speed, read_state
from fabricgen.verify.optics.report import PortReport

TITLE = "SONiC show interfaces status"
IS_JSON = False


def recognises(text: str) -> bool:
    """Whether the table begins early in the text."""
    return has_columns(text, "Interface", "Lanes", "Speed", "Oper", "Admin")  # FEC came in 2020 (sonic-utilities 764)


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each port; port channels are left out."""
    box = content.find_box()
    for line, row in read_rows(content.text):
        name = row.get("Interface", "")
        if not name.startswith("Ethernet"):
            continue
        if "Admin" not in row:
            content.add_fault(line, 1, f"the row of {name} ends early", "is the file whole? make the dump anew")
            continue
        yield PortReport(
            box,
            name,
            lanes=count_lanes(row.get("Lanes")),
            speed_gbps=read_speed(row.get("Speed")),
            fec=read_fec(row.get("FEC")),
            oper=read_state(row.get("Oper")),
            admin=read_state(row.get("Admin")),
        )
