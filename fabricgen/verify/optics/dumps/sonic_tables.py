"""SONiC tables of ports and transceivers as JSON, as `sonic-db-dump` and redis dumps write them.

`TRANSCEIVER_INFO|Ethernet0` in STATE_DB, `PORT_TABLE:Ethernet0` in APPL_DB; the fields of a row stand in it, or below
`value`. A table may also be an object of its own: {"TRANSCEIVER_INFO": {"Ethernet0": {...}}}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fabricgen.verify.dumps._content import DumpContent, Json, read_mapping
from fabricgen.verify.optics.dumps._values import (
    clean_text,
    count_lanes,
    join_words,
    read_fec,
    read_number,
    read_power,
    read_speed,
    read_state,
)
from fabricgen.verify.optics.report import PortReport

TITLE = "SONiC STATE_DB and APPL_DB tables"
IS_JSON = True

_TABLES = frozenset({"TRANSCEIVER_INFO", "TRANSCEIVER_DOM_SENSOR", "TRANSCEIVER_DOM_THRESHOLD", "PORT_TABLE"})
_KEY = re.compile(r"(TRANSCEIVER_INFO|TRANSCEIVER_DOM_SENSOR|TRANSCEIVER_DOM_THRESHOLD|PORT_TABLE)[|:](Ethernet\d+)")
_MEDIA = re.compile(r"""['"]module_media_interface_id['"]: ['"]([^'"]{1,80})['"]""")
_WORDS = ("specification_compliance", "connector", "media_interface_technology")
_COPPER_MEDIA = re.compile(r"""['"]host_electrical_interface_id['"]: ['"]([^'"]{1,80}GBASE-CR\d?[^'"]{0,40})['"]""")


def recognises(value: Json) -> bool:
    """Whether the JSON has a key of these tables."""
    return isinstance(value, dict) and any(key in _TABLES or _KEY.fullmatch(key) for key in value)


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each entry.

    If the dump has ports and transceivers, a port without an entry in TRANSCEIVER_INFO has no module plugged in.
    """
    box = content.find_box()
    with_module, ports = set[str](), set[str]()
    for table, port, row in _list_rows(content):
        with content.note_faults():
            fields = read_mapping(row, "value") if isinstance(row.get("value"), dict) else row
            if table == "TRANSCEIVER_INFO":
                with_module.add(port)
                yield _fill_module(PortReport(box, port), fields)
            elif table == "TRANSCEIVER_DOM_SENSOR":
                lanes = {name: read_power(fields, f"{name}{{}}power") for name in ("tx", "rx")}
                yield PortReport(box, port, tx_dbm=lanes["tx"], rx_dbm=lanes["rx"])
            elif table == "TRANSCEIVER_DOM_THRESHOLD":
                yield PortReport(box, port, rx_alarm_dbm=read_number(fields.get("rxpowerlowalarm")))
            else:
                ports.add(port)
                yield _fill_port(PortReport(box, port), fields)
    if with_module:
        yield from (PortReport(box, port, present=False) for port in sorted(ports - with_module))


def _list_rows(content: DumpContent) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (table, port, fields) of each row of the tables that are read."""
    for key in content.value:
        with content.note_faults():
            if match := _KEY.fullmatch(key):
                yield match[1], match[2], read_mapping(content.value, key)
            elif key in _TABLES:
                table = read_mapping(content.value, key)
                for port in table:
                    if re.fullmatch(r"Ethernet\d+", port):
                        yield key, port, read_mapping(table, port)


def _fill_module(report: PortReport, fields: dict[str, Any]) -> PortReport:
    """Return a report filled from a row of TRANSCEIVER_INFO: maker, part, serial number, length (m) and medium."""
    applications = fields.get("application_advertisement")
    application_text = applications[:20_000] if isinstance(applications, str) else ""
    media_of_applications = [*_MEDIA.findall(application_text), *_COPPER_MEDIA.findall(application_text)]
    medium_texts = [
        *(clean_text(fields.get(field_name), 200) for field_name in _WORDS),
        *map(clean_text, media_of_applications),
    ]
    return report._replace(
        present=True,
        vendor=clean_text(fields.get("manufacturer") or fields.get("manufacturename")),
        part=clean_text(fields.get("model") or fields.get("modelname")),
        serial=clean_text(fields.get("serial") or fields.get("serialnum")),
        told=join_words(medium_texts),
        length_m=max(read_number(fields.get("cable_length")) or 0.0, 0.0),
    )


def _fill_port(report: PortReport, fields: dict[str, Any]) -> PortReport:
    """Return a report filled from a row of PORT_TABLE, in which a speed without a unit is in Mb/s."""
    speed = fields.get("speed")
    megabits = read_number(speed) if isinstance(speed, str) and speed.isdecimal() else None
    return report._replace(
        lanes=count_lanes(fields.get("lanes")),
        speed_gbps=megabits / 1000 if megabits else read_speed(speed),
        fec=read_fec(fields.get("fec")),
        admin=read_state(fields.get("admin_status")),
        oper=read_state(fields.get("oper_status") or fields.get("netdev_oper_status")),
    )
