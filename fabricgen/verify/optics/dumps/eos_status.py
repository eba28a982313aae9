"""EOS `show interfaces status | json`: whether ports are up, how fast, and with which media."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, Json, read_mapping
from fabricgen.verify.optics.dumps._values import clean_text, read_number
from fabricgen.verify.optics.report import PortReport

TITLE = "EOS show interfaces status | json"
IS_JSON = True

_STATES = {
    "connected": ("up", "up"),
    "notconnect": ("up", "down"),
    "disabled": ("down", "down"),
    "errdisabled": ("up", "down"),
}
"""(administered, running) by link status."""


def recognises(value: Json) -> bool:
    """Whether the JSON has the states of interfaces."""
    return isinstance(value, dict) and isinstance(value.get("interfaceStatuses"), dict)


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each Ethernet interface. The bandwidth of an interface that is not up is not used."""
    box = content.find_box()
    statuses = content.value["interfaceStatuses"]
    for name in statuses:
        with content.note_faults():
            row = read_mapping(statuses, name)
            if not name.startswith("Et"):
                continue
            admin, oper = _STATES.get(str(row.get("linkStatus")), ("", ""))
            bandwidth = read_number(row.get("bandwidth")) or 0.0
            kind = row.get("interfaceType")
            empty = isinstance(kind, str) and kind.strip().lower() == "not present"
            yield PortReport(
                box,
                name,
                present=False if empty and oper != "up" else None,
                told=clean_text(kind),
                admin=admin,
                oper=oper,
                speed_gbps=bandwidth / 1e9 if oper == "up" else 0.0,
            )
