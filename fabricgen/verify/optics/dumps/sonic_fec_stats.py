"""SONiC `show interfaces counters fec-stats`: the error rate before FEC."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content
from fabricgen.verify.optics.dumps._text_tables import has_columns, rows
from fabricgen.verify.optics.dumps._values import number
from fabricgen.verify.optics.report import PortReport

TITLE = "SONiC show interfaces counters fec-stats"
IS_JSON = False

_STATES = {"U": ("up", "up"), "D": ("up", "down"), "X": ("down", "down")}
"""(administered, running) by the letter of the state (sonic-utilities, scripts/portstat)."""


def recognises(text: str) -> bool:
    """Whether its table begins early in the text."""
    return has_columns(text, "IFACE", "STATE", "FEC_PRE_BER")


def reports(content: Content) -> Iterator[PortReport]:
    """A row for each port. What is counted of a port that is down says nothing."""
    box = content.box()
    for line, row in rows(content.text):
        name = row.get("IFACE", "")
        if not name.startswith("Ethernet"):
            continue
        if "FEC_PRE_BER" not in row:
            content.wrong(line, 1, f"the row of {name} ends early", "is the file whole? make the dump anew")
            continue
        admin, oper = _STATES.get(row.get("STATE", ""), ("", ""))
        rate = number(row["FEC_PRE_BER"]) if oper == "up" else None
        yield PortReport(box, name, admin=admin, oper=oper, pre_fec_ber=rate)
