"""`ibdiagnet2.db_csv`, which ibdiagnet writes about an InfiniBand subnet: tables in CSV, one after the other.

A table begins with a line such as `START_LINKS`, ends with `END_LINKS`, and has its columns in its first row. The
tables NODES (what each GUID is) and LINKS (which ports are joined, each link once) are read. Source:
github.com/Mellanox/ufm_sdk_3.0@3e96418e, plugins/UFM_NDT_Plugin/ndt_file_creator.py (sections and columns).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting, guid_text

TITLE = "ibdiagnet2.db_csv of ibdiagnet"
IS_JSON = False

NODES, LINKS = "NODES", "LINKS"
COLUMNS = {NODES: ("NodeDesc", "NodeType", "NodeGUID"), LINKS: ("NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2")}
SWITCH = "2"
"""The NodeType of a switch (InfiniBand Architecture Specification, NodeInfo)."""
_HINT = "give the whole file, as ibdiagnet wrote it"
_MARK = re.compile(r"(START|END)_(\w+)\s*")
_GUID, _PORT = re.compile(r"0x[0-9a-fA-F]{1,16}"), re.compile(r"\d{1,3}")

Row = tuple[str, ...]


def recognises(text: str) -> bool:
    """Whether a table begins early in the text."""
    return re.search(r"^START_(?:NODES|LINKS|DUMP_INFO|SYSTEM_GENERAL_INFORMATION)\s*$", text[:65536], re.M) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each node, with its links; a switch lists all of its links.

    A table that the file lacks is added to `content` as a fault.
    """
    tables = _read_tables(content)
    for name in COLUMNS:
        if name not in tables:
            content.add_fault(1, 1, f"there is no table {name}", _HINT)
    boxes = {guid_text(guid): Box(name.strip(), guid_text(guid)) for name, _, guid in tables.get(NODES, ())}
    switches = {guid_text(guid) for _, node_type, guid in tables.get(NODES, ()) if node_type == SWITCH}
    sightings: dict[str, list[Sighting]] = {guid: [] for guid in boxes}
    for guid_a, port_a, guid_b, port_b in tables.get(LINKS, ()):
        for near_guid, near_port, far_guid, far_port in (
            (guid_a, port_a, guid_b, port_b),
            (guid_b, port_b, guid_a, port_a),
        ):
            neighbor = boxes.setdefault(guid_text(far_guid), Box("", guid_text(far_guid)))
            sightings.setdefault(guid_text(near_guid), []).append(
                Sighting(str(int(near_port)), neighbor, str(int(far_port)))
            )
    for guid, node_sightings in sightings.items():
        yield Dump(boxes[guid], node_sightings, "ib", guid in switches)


def _read_tables(content: DumpContent) -> dict[str, list[Row]]:
    """Return the rows of the tables in COLUMNS, by name of the table, with cells in the order of its columns.

    A table without an end or without a column, and a row that is not of its table, are added to `content` as faults.
    """
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
                    content.add_fault(number, 1, f"the table {name} has no column {missing_column}", _HINT)
                    name = ""
            elif row := _pick_row(name, cells, cell_indexes):
                tables[name].append(row)
            else:
                content.add_fault(number, 1, f"the row is none of {name}: '{line.strip()[:40]}'", _HINT)
    if name:
        content.add_fault(first_line, 1, f"the table {name} has no end", _HINT)
    return tables


def _pick_row(name: str, cells: list[str], cell_indexes: list[int]) -> Row | None:
    """Return the cells at `cell_indexes`; None if one is missing or not of its kind (GUID, number)."""
    if len(cells) <= max(cell_indexes):
        return None
    row = tuple(cells[index] for index in cell_indexes)
    patterns = (_GUID, _PORT, _GUID, _PORT) if name == LINKS else (None, _PORT, _GUID)
    is_row = all(pattern is None or pattern.fullmatch(cell) for pattern, cell in zip(patterns, row, strict=True))
    return row if is_row else None
