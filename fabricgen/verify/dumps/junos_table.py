"""`show lldp neighbors` of Junos as a table, and `show lldp neighbors detail` or `interface NAME` as blocks of lines.

The columns of the table begin below the words of its head; a port that is longer than its column moves the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps._lldp import make_neighbor
from fabricgen.verify.dumps.junos import without_unit
from fabricgen.verify.dumps.sighting import Dump, Sighting

TITLE = "Junos show lldp neighbors"
IS_JSON = False

_HEAD = re.compile(r"^Local Interface +(Parent Interface +)?Chassis Id +Port info +System Name\s*$", re.MULTILINE)
_BLOCK = re.compile(r"^LLDP Neighbor Information:\s*$", re.MULTILINE)
_FIELD = re.compile(r"\s*([A-Z][A-Za-z ]*?)\s*: ?(.*)")
_ROW = re.compile(r"[a-z]+-?[\w/:.-]*\d")
_HINT = "give the whole output of `show lldp neighbors`, of one device a file"


def recognises(text: str) -> bool:
    """Whether the head of the table, or of a block, is early in the text; a prompt may come before it."""
    return (_HEAD.search(text[:65536]) or _BLOCK.search(text[:65536])) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump; neither form tells its device."""
    is_table = _HEAD.search(content.text) is not None
    yield Dump(content.find_box(), _read_rows(content) if is_table else _read_blocks(content), lists_all=is_table)


def _read_rows(content: DumpContent) -> Iterator[Sighting]:
    """Yield the neighbours in a table; a row without the neighbour's port is added as a fault.

    The first columns of a row (two, or three with a parent interface) have no blanks in them; the last one, the system
    name, begins at a fixed character.
    """
    columns_before_port, name_start = 0, 0
    for number, line in content.read_lines():
        if head_of_table := _HEAD.match(line):
            columns_before_port, name_start = (3 if head_of_table[1] else 2), line.index("System Name")
        elif columns_before_port and _ROW.match(line):
            columns = line.split(maxsplit=columns_before_port)
            if len(columns) <= columns_before_port:
                content.add_fault(number, 1, "the row names no neighbour's port", _HINT)
                continue
            *own_columns, chassis, port_and_name = columns
            port, name = _split_port_and_name(line, port_and_name, name_start)
            yield Sighting(without_unit(own_columns[0]), make_neighbor(name, chassis), without_unit(port))


def _split_port_and_name(line: str, port_and_name: str, name_start: int) -> tuple[str, str]:
    """Split the end of a line into (port, name); names begin at a fixed character unless the port is longer."""
    port_start = len(line.rstrip()) - len(port_and_name.rstrip())
    # a row without a port: the name stands in its own column
    if port_start >= name_start:
        return "", port_and_name.strip()
    # a port that is longer than its column pushes the name to the right: the last word is the name
    if line[name_start - 1 : name_start].strip():
        port, _, name = port_and_name.strip().rpartition(" ")
        return (port.strip(), name) if port else (name, "")
    return line[port_start:name_start].strip(), line[name_start:].strip()


def _read_blocks(content: DumpContent) -> Iterator[Sighting]:
    """Yield the neighbours of a detailed listing, one for each block of fields."""
    fields: dict[str, str] = {}
    first_line = 0
    for number, line in content.read_lines():
        if _BLOCK.match(line):
            yield from _read_block(content, first_line, fields)
            fields, first_line = {}, number
        elif first_line and (field := _FIELD.fullmatch(line)):
            fields.setdefault(field[1].lower(), field[2].strip())
    yield from _read_block(content, first_line, fields)


def _read_block(content: DumpContent, number: int, fields: dict[str, str]) -> Iterator[Sighting]:
    """Yield the neighbour of a block that begins at line `number`; nothing for 0, before the first block."""
    if not number:
        return
    port, name, chassis = fields.get("local interface", ""), fields.get("system name", ""), fields.get("chassis id", "")
    if not port or not (name or chassis):
        content.add_fault(number, 1, f"the block names no {'neighbour' if port else 'port'}", _HINT)
        return
    box = make_neighbor(name, chassis, fields.get("address", ""))
    yield Sighting(without_unit(port), box, without_unit(fields.get("port id", "")), fields.get("port description", ""))
