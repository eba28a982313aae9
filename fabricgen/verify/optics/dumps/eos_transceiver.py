"""EOS `show interfaces transceiver [detail] | json`: media and power, a row a lane or a list of channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.verify.dumps._content import DumpContent, Json, read_mapping
from fabricgen.verify.optics.dumps._values import clean_text, read_number
from fabricgen.verify.optics.report import PortReport

TITLE = "EOS show interfaces transceiver detail | json"
IS_JSON = True

_OURS = ("mediaType", "vendorSn", "parameters", "rxPower")


def recognises(value: Json) -> bool:
    """Whether the JSON has interfaces, one of which tells about its transceiver."""
    interfaces = value.get("interfaces") if isinstance(value, dict) else None
    if not isinstance(interfaces, dict):
        return False
    return any(isinstance(row, dict) and any(key in row for key in _OURS) for row in interfaces.values())


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each interface that tells about a transceiver."""
    box = content.find_box()
    interfaces = content.value["interfaces"]
    for name in interfaces:
        with content.note_faults():
            row = read_mapping(interfaces, name)
            if not any(key in row for key in _OURS):
                continue
            parameters = read_mapping(row, "parameters")
            received, alarm = _read_channels(parameters.get("rxPower"), row.get("rxPower"))
            yield PortReport(
                box,
                name,
                serial=clean_text(row.get("vendorSn")),
                told=clean_text(row.get("mediaType")),
                tx_dbm=_read_channels(parameters.get("txPower"), row.get("txPower"))[0],
                rx_dbm=received,
                rx_alarm_dbm=alarm,
            )


def _read_channels(detail: Any, single_value: Any) -> tuple[tuple[float, ...], float | None]:
    """Return the power of each lane (dBm), and the alarm threshold for too little power (None: not told).

    `detail` has lanes and thresholds if the dump tells them; else `single_value` is the power of the only lane.
    """
    if not isinstance(detail, dict):
        value = read_number(single_value)
        return ((value,) if value is not None else ()), None
    channels, thresholds = detail.get("channels"), detail.get("threshold")
    lanes = channels if isinstance(channels, dict) else {}
    lane_order = sorted(
        (lane_number for lane_number in lanes if lane_number.isdecimal() and len(lane_number) < 4), key=int
    )
    power = tuple(value for lane_number in lane_order if (value := read_number(lanes[lane_number])) is not None)
    return power, read_number(thresholds.get("lowAlarm")) if isinstance(thresholds, dict) else None
