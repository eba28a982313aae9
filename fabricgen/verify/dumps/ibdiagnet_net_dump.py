"""`ibdiagnet2.net_dump`, which ibdiagnet writes about an InfiniBand subnet: a block for each switch, a row by port.

A block begins with `"NAME", VENDOR, 0xGUID, LID N`; then come the names of its columns, with colons between, and its
ports, including those that are down. `#` is the switch's name of a port, `IB#` its number in the subnet; `N#` may be
either for the neighbour. A switch with several ASICs has a block for each, all with its name.
Source: github.com/Mellanox/ufm_sdk_3.0@3e96418e, plugins/UFM_NDT_Plugin/ndt_file_creator.py (the command that makes
it); headers and rows as tools that read it quote them, since no file of NVIDIA's is public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import DOWN, SILENT, Box, Dump, Sighting, find_link_gbps, guid_text

TITLE = "ibdiagnet2.net_dump of ibdiagnet"
IS_JSON = False

_BLOCK = re.compile(r'"([^"]{0,200})",[^,"]{0,60},\s*0x([0-9a-fA-F]{1,16}),\s*LID\s+\d+.*')
_COLUMNS = re.compile(r"^ *#\s*:\s*IB#\s*:.*Neighbor Guid\s*:", re.IGNORECASE | re.MULTILINE)
_GUID = re.compile(r"(?:0x[0-9a-fA-F]{1,16}|N/A)?")
_READ = ("#", "ib#", "sta", "neighbor guid", "n#", "neighbor description")
_RATE = ("lwa", "lsa")
"""The columns of the width (4x) and of the rate of a lane (100, or FDR10); a table may lack them."""
_LONGEST_LINE = 2000
_HINT = "give the whole file, as ibdiagnet wrote it"


@dataclass
class _Block:
    """A switch, or one ASIC of it, and the cells of its ports in the order of `_READ` and `_RATE`."""

    box: Box
    rows: list[tuple[str, ...]] = field(default_factory=list)


def recognises(text: str) -> bool:
    """Whether the header of a block is early in the text."""
    return _COLUMNS.search(text[:65536]) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each block; a name of a neighbour's port is replaced by the number in the neighbour's block."""
    blocks = list(_read_blocks(content))
    numbers = {(block.box.chassis, row[0]): row[1] for block in blocks for row in block.rows}
    for block in blocks:
        yield Dump(block.box, [_make_sighting(row, numbers) for row in block.rows], "ib")


def _make_sighting(row: tuple[str, ...], numbers: dict[tuple[str, str], str]) -> Sighting:
    # what a port sees; `numbers` are those of ports in the subnet by (GUID, name)
    _, number, state, guid, far_port, description, *rate = row
    if guid in ("", "N/A") or int(guid, 16) == 0:
        return Sighting(number, None, state=DOWN if state.upper().startswith("DOWN") else SILENT)
    far = Box(description.strip('"').strip(), guid_text(guid))
    return Sighting(number, far, numbers.get((far.chassis, far_port), far_port), gbps=find_link_gbps(*rate))


def _read_blocks(content: DumpContent) -> Iterator[_Block]:
    """Yield the switches in the file, each with the cells of its rows in the order of _READ and _RATE.

    Faults are added for a line that is too long, a table that lacks a column of _READ, and a row that is not about a
    port.
    """
    block, cell_indexes, column_count = None, list[int](), 0
    for line_number, line in content.read_lines():
        if len(line) > _LONGEST_LINE:
            content.add_fault(line_number, 1, f"the line has {len(line):,} characters", _HINT)
        elif block_head := _BLOCK.fullmatch(line.strip()):
            if block:
                yield block
            block, cell_indexes = _Block(Box(block_head[1].strip(), guid_text(block_head[2]))), []
        elif block and _COLUMNS.match(line):
            names = [name.strip().lower() for name in line.split(":")]
            # if a version of the format lacks a column, no row can be read
            cell_indexes, column_count = [names.index(name) for name in (*_READ, *_RATE) if name in names], len(names)
            if missing_columns := [name for name in _READ if name not in names]:
                content.add_fault(line_number, 1, f"there is no column '{missing_columns[0]}'", _HINT)
                cell_indexes = []
        elif block and cell_indexes and ":" in line:
            # the description, which is last, may contain colons
            cells = [cell.strip() for cell in line.split(":", column_count - 1)]
            row = tuple(cells[index] for index in cell_indexes) if len(cells) == column_count else ()
            if row and row[1].isdecimal() and len(row[1]) < 4 and _GUID.fullmatch(row[3]):
                block.rows.append(row)
            else:
                content.add_fault(line_number, 1, f"the row is none of a port: '{line.strip()[:40]}'", _HINT)
    if block:
        yield block
