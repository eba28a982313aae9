"""SONiC `show interfaces counters fec-stats`: codewords that FEC did not correct, error rates before and after FEC.

Rates came in 2024 (sonic-utilities 3607); before, the table had only counts (sonic-utilities 2027).
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.optics.dumps._text_tables import has_columns, read_rows
from fabricgen.verify.optics.dumps._values import read_count, read_number
from fabricgen.verify.optics.report import PortReport

TITLE = "SONiC show interfaces counters fec-stats"
IS_JSON = False

_STATES = {"U": ("up", "up"), "D": ("up", "down"), "X": ("down", "down")}
"""(administered, running) by the letter of the state (sonic-utilities, scripts/portstat)."""


def recognises(text: str) -> bool:
    """Whether the table begins early in the text."""
    return has_columns(text, "IFACE", "STATE", "FEC_UNCORR", "FEC_SYMBOL_ERR")


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each port. Counters of a port that is down are not used."""
    box = content.find_box()
    last_column = "FEC_POST_BER" if has_columns(content.text, "IFACE", "FEC_POST_BER") else "FEC_SYMBOL_ERR"
    for line, row in read_rows(content.text):
        name = row.get("IFACE", "")
        if not name.startswith("Ethernet"):
            continue
        if last_column not in row:
            content.add_fault(line, 1, f"the row of {name} ends early", "is the file whole? make the dump anew")
            continue
        admin, oper = _STATES.get(row.get("STATE", ""), ("", ""))
        report = PortReport(box, name, admin=admin, oper=oper)
        if oper == "up":
            report = report._replace(
                pre_fec_ber=read_number(row.get("FEC_PRE_BER")),
                post_fec_ber=read_number(row.get("FEC_POST_BER")),
                uncorrected=read_count(row["FEC_UNCORR"]),
            )
        yield report
