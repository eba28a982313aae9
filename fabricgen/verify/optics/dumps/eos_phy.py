"""EOS `show interfaces phy detail | json`: errors before FEC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.verify.dumps._content import Content, Json, mapping, sequence
from fabricgen.verify.optics.dumps._values import number
from fabricgen.verify.optics.report import PortReport

TITLE = "EOS show interfaces phy detail | json"
IS_JSON = True


def recognises(value: Json) -> bool:
    """Whether the JSON has the states of PHYs."""
    return isinstance(value, dict) and isinstance(value.get("interfacePhyStatuses"), dict)


def reports(content: Content) -> Iterator[PortReport]:
    """A row for each interface that tells its errors: of its outermost PHY, which is the last that faces the line."""
    box = content.box()
    interfaces = content.value["interfacePhyStatuses"]
    for name in interfaces:
        with content.noting():
            statuses = sequence(mapping(interfaces, name), "phyStatuses")
            rates = [rate for each in statuses if (rate := _rate(each)) is not None]
            if rates:
                yield PortReport(box, name, pre_fec_ber=rates[-1])


def _rate(status: Any) -> float | None:
    if not isinstance(status, dict):
        return None
    description, rate = status.get("description"), status.get("preFecBer")
    if isinstance(description, dict) and description.get("location") == "system":
        return None
    return number(rate.get("value")) if isinstance(rate, dict) else None
