"""`LLDP_ENTRY_TABLE` of SONiC's APPL_DB as JSON, by `redis-dump` or `sonic-db-dump`.

A key is `LLDP_ENTRY_TABLE:Ethernet0`, and its fields may be below `value`; or the table is an object of ports. In a
dump of the whole database, `LLDP_LOC_CHASSIS` tells which device it is, and `PORT_TABLE` which ports are down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, Json, WrongValueError, read_mapping, read_text
from fabricgen.verify.dumps._lldp import make_neighbor
from fabricgen.verify.dumps.sighting import DOWN, Box, Dump, Sighting

TITLE = "SONiC LLDP_ENTRY_TABLE as JSON"
IS_JSON = True

_ENTRIES, _CHASSIS, _PORTS = "LLDP_ENTRY_TABLE", "LLDP_LOC_CHASSIS", "PORT_TABLE"
_ADDRESS = "lldp_rem_man_addr"
_KEY = re.compile(f"(?:{_ENTRIES}|{_PORTS})[:|](.+)", re.DOTALL)


def recognises(value: Json) -> bool:
    """Whether the JSON has a key of one of LLDP's tables."""
    if not isinstance(value, dict):
        return False
    return any(key.startswith((_ENTRIES, _CHASSIS)) for key in value)


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump; its device is told by the dump if that is of the whole database, else by the file."""
    yield Dump(_find_box(content), _read_sightings(content))


def _find_box(content: DumpContent) -> Box:
    """Return the box that the dump is of: by its local chassis, else by the file."""
    with content.note_faults():
        chassis_fields = _read_fields(content.value, _CHASSIS)
        name, chassis, addresses = (
            read_text(chassis_fields, f"lldp_loc_{suffix}") for suffix in ("sys_name", "chassis_id", "man_addr")
        )
        if name or chassis:
            return make_neighbor(name, chassis, *addresses.split(","))
    return content.find_box()


def _read_sightings(content: DumpContent) -> Iterator[Sighting]:
    """Yield the neighbours in a dump, from one table of entries or a key for each, then the ports that are down.

    A port that has a neighbour is not reported as down. Values that cannot be read are added to `content` as faults.
    """
    seen_ports: set[str] = set()
    down_ports: list[str] = []
    for table_key in content.value:
        try:
            if table_key == _ENTRIES:
                for port, sighting in _read_table(content):
                    seen_ports.add(port)
                    yield sighting
            elif match := _KEY.fullmatch(table_key):
                port = match[1]
                fields = _read_fields(content.value, table_key)
                if table_key.startswith(_ENTRIES):
                    seen_ports.add(port)
                    yield _make_sighting(port, fields)
                elif fields.get("oper_status") == "down":
                    down_ports.append(port)
        except WrongValueError as error:
            content.add_value_fault(error)
    yield from (Sighting(port, None, state=DOWN) for port in down_ports if port not in seen_ports)


def _read_table(content: DumpContent) -> Iterator[tuple[str, Sighting]]:
    # (port, sighting) of each row of the table
    table = read_mapping(content.value, _ENTRIES)
    for port in table:
        with content.note_faults():
            yield port, _make_sighting(port, _read_fields(table, port))


def _read_fields(holder: dict[str, Json], key: str) -> dict[str, Json]:
    fields = read_mapping(holder, key)
    return fields["value"] if type(fields.get("value")) is dict else fields


def _make_sighting(port: str, fields: dict[str, Json]) -> Sighting:
    name, chassis, address = (
        read_text(fields, "lldp_rem_sys_name"),
        read_text(fields, "lldp_rem_chassis_id"),
        read_text(fields, _ADDRESS),
    )
    if not name and not chassis:
        raise WrongValueError(
            fields, None, f"the neighbour of {port} has neither lldp_rem_sys_name nor lldp_rem_chassis_id"
        )
    box = make_neighbor(name, chassis, *address.split(",")) if "," in address else make_neighbor(name, chassis, address)
    return Sighting(port, box, read_text(fields, "lldp_rem_port_id"), read_text(fields, "lldp_rem_port_desc"))
