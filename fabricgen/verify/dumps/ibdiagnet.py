"""`ibdiagnet2.db_csv`, which ibdiagnet writes about an InfiniBand subnet: tables in CSV, one after the other.

A table begins with a line such as `START_LINKS`, ends with `END_LINKS`, and has its columns in its first row. The
tables NODES (what each GUID is) and LINKS (which ports are joined, each link once) are read, and of PORTS, where it is
there, the active width and speed, as numbers of IBLinkWidth and IBLinkSpeed (ibdm/Fabric.h of ibutils2). Source:
github.com/Mellanox/ufm_sdk_3.0@3e96418e, plugins/UFM_NDT_Plugin/ndt_file_creator.py (sections and columns).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting, find_link_gbps, guid_text

TITLE = "ibdiagnet2.db_csv of ibdiagnet"
IS_JSON = False

NODES, LINKS, PORTS = "NODES", "LINKS", "PORTS"
COLUMNS = {
    NODES: ("NodeDesc", "NodeType", "NodeGUID"),
    LINKS: ("NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"),
    PORTS: ("NodeGuid", "PortNum", "LinkWidthActv", "LinkSpeedActv"),
}
WIDTHS = {"1": "1x", "2": "4x", "4": "8x", "8": "12x", "16": "2x"}
SPEEDS = {
    "1": "SDR",
    "2": "DDR",
    "4": "QDR",
    "256": "FDR",
    "512": "EDR",
    "1024": "HDR",
    "2048": "NDR",
    "65536": "FDR10",
    "16777216": "XDR",
}
SWITCH = "2"
"""The NodeType of a switch (InfiniBand Architecture Specification, NodeInfo)."""
_HINT = "give the whole file, as ibdiagnet wrote it"
_MARK = re.compile(r"(START|END)_(\w+)\s*")
_GUID, _PORT, _NUMBER = re.compile(r"0x[0-9a-fA-F]{1,16}"), re.compile(r"\d{1,3}"), re.compile(r"\d{1,9}")
_CELLS = {NODES: (None, _PORT, _GUID), LINKS: (_GUID, _PORT, _GUID, _PORT), PORTS: (_GUID, _PORT, _NUMBER, _NUMBER)}
"""What the cells of a row are; None is any text."""

Row = tuple[str, ...]


def recognises(text: str) -> bool:
    """Whether a table begins early in the text."""
    return re.search(r"^START_(?:NODES|LINKS|DUMP_INFO|SYSTEM_GENERAL_INFORMATION)\s*$", text[:65536], re.M) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each node, with its links; a switch lists all of its links.

    If the file lacks NODES or LINKS, a fault is added to `content`; PORTS may be missing.
    """
    tables = _read_tables(content)
    for name in (NODES, LINKS):
        if name not in tables:
            content.add_fault(1, 1, f"there is no table {name}", _HINT)
    boxes = {guid_text(guid): Box(name.strip(), guid_text(guid)) for name, _, guid in tables.get(NODES, ())}
    switches = {guid_text(guid) for _, node_type, guid in tables.get(NODES, ()) if node_type == SWITCH}
    rates = {
        (guid_text(guid), int(port)): find_link_gbps(WIDTHS.get(width, ""), SPEEDS.get(speed, ""))
        for guid, port, width, speed in tables.get(PORTS, ())
    }
    sightings: dict[str, list[Sighting]] = {guid: [] for guid in boxes}
    for guid_a, port_a, guid_b, port_b in tables.get(LINKS, ()):
        for near_guid, near_port, far_guid, far_port in (
            (guid_a, port_a, guid_b, port_b),
            (guid_b, port_b, guid_a, port_a),
        ):
            neighbor = boxes.setdefault(guid_text(far_guid), Box("", guid_text(far_guid)))
            gbps = rates.get((guid_text(near_guid), int(near_port)), 0.0)
            sightings.setdefault(guid_text(near_guid), []).append(
                Sighting(str(int(near_port)), neighbor, str(int(far_port)), gbps=gbps)
            )
    for guid, node_sightings in sightings.items():
        yield Dump(boxes[guid], node_sightings, "ib", guid in switches)


def _read_tables(content: DumpContent) -> dict[str, list[Row]]:
    """Return the rows of the tables in COLUMNS, by name of the table, with cells in the order of its columns.

    A table without an end, a table without a column, and a row that does not fit its table are added to `content` as
    faults. In PORTS, which may be missing, a missing column or a bad row is no fault: such rows are left out.
    """
    # the table that is read ("": none), where its columns are in a row, and its first line
    tables, name, cell_indexes, first_line = dict[str, list[Row]](), "", list[int](), 0
    for number, line in content.read_lines():
        if table_mark := _MARK.fullmatch(line):
            if name and table_mark[2] != name:
                content.add_fault(first_line, 1, f"the table {name} has no end", _HINT)
            name, cell_indexes, first_line = (table_mark[2] if table_mark[1] == "START" else ""), [], number
        elif name in COLUMNS and line.strip():
            cells = [cell.strip() for cell in next(csv.reader([line]))]
            if not cell_indexes:
                tables.setdefault(name, [])
                cell_indexes = [cells.index(column) for column in COLUMNS[name] if column in cells]
                if len(cell_indexes) < len(COLUMNS[name]):
                    missing_column = next(column for column in COLUMNS[name] if column not in cells)
                    if name != PORTS:
                        content.add_fault(number, 1, f"the table {name} has no column {missing_column}", _HINT)
                    name = ""
            elif row := _pick_row(name, cells, cell_indexes):
                tables[name].append(row)
            elif name != PORTS:
                content.add_fault(number, 1, f"the row is none of {name}: '{line.strip()[:40]}'", _HINT)
    if name:
        content.add_fault(first_line, 1, f"the table {name} has no end", _HINT)
    return tables


def _pick_row(name: str, cells: list[str], cell_indexes: list[int]) -> Row | None:
    """Return the cells at `cell_indexes`; None if one is missing or not of its kind (GUID, number)."""
    if len(cells) <= max(cell_indexes):
        return None
    row = tuple(cells[index] for index in cell_indexes)
    is_row = all(pattern is None or pattern.fullmatch(cell) for pattern, cell in zip(_CELLS[name], row, strict=True))
    return row if is_row else None
