"""EOS `show interfaces phy detail | json`: errors before FEC, and codewords that FEC did not correct."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.verify.dumps._content import DumpContent, Json, read_mapping, read_sequence
from fabricgen.verify.optics.dumps._values import read_count, read_number
from fabricgen.verify.optics.report import PortReport

TITLE = "EOS show interfaces phy detail | json"
IS_JSON = True


def recognises(value: Json) -> bool:
    """Whether the JSON has the states of PHYs."""
    return isinstance(value, dict) and isinstance(value.get("interfacePhyStatuses"), dict)


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each interface with errors, those of its outermost PHY: the last that faces the line."""
    box = content.find_box()
    interfaces = content.value["interfacePhyStatuses"]
    for name in interfaces:
        with content.note_faults():
            statuses = read_sequence(read_mapping(interfaces, name), "phyStatuses")
            facing = [status for status in statuses if _faces_the_line(status)]
            rates = [rate for status in facing if (rate := read_number(_read_value(status, "preFecBer"))) is not None]
            counts = [
                codewords
                for status in facing
                if (codewords := read_count(_read_value(status.get("fec"), "uncorrectedCodewords"))) is not None
            ]
            if rates or counts:
                pre_fec_ber, uncorrected = rates[-1] if rates else None, counts[-1] if counts else None
                yield PortReport(box, name, pre_fec_ber=pre_fec_ber, uncorrected=uncorrected)


def _faces_the_line(status: Any) -> bool:
    description = status.get("description") if isinstance(status, dict) else None
    return isinstance(status, dict) and not (isinstance(description, dict) and description.get("location") == "system")


def _read_value(holder: Any, name: str) -> Any:
    """Return the value of an attribute, which is an object that also has the number and the time of changes."""
    attribute = holder.get(name) if isinstance(holder, dict) else None
    return attribute.get("value") if isinstance(attribute, dict) else None
