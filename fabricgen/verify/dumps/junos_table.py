"""`show lldp neighbors` of Junos as a table, and `show lldp neighbors detail` or `interface NAME` as blocks of lines.

The columns of the table begin where its head has them; a port or a name longer than its column moves what follows.
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
    """Whether the head of the table, or that of a block, stands in the text; a prompt may stand before it."""
    return (_HEAD.search(text[:65536]) or _BLOCK.search(text[:65536])) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """One dump: neither says of which device."""
    is_table = _HEAD.search(content.text) is not None
    yield Dump(content.find_box(), _read_rows(content) if is_table else _read_blocks(content), lists_all=is_table)


def _read_rows(content: DumpContent) -> Iterator[Sighting]:
    # the neighbours of a table, whose first two or three columns have no blanks in them
    # how many columns stand before the names, and at which character the system name begins
    fixed, start = 0, 0
    for number, line in content.read_lines():
        if head := _HEAD.match(line):
            # Junos prints a column for the parent interface on some systems; names begin below their head
            fixed, start = (3 if head[1] else 2), line.index("System Name")
        elif fixed and _ROW.match(line):
            words = line.split(maxsplit=fixed)
            if len(words) <= fixed:
                content.add_fault(number, 1, "the row names no neighbour's port", _HINT)
                continue
            port, name = _split_row(line, words[fixed], start)
            yield Sighting(without_unit(words[0]), make_neighbor(name, words[fixed - 1]), without_unit(port))


def _split_row(line: str, rest: str, start: int) -> tuple[str, str]:
    """(the port, the name) at the end of a row, whose names begin at a column unless a port is longer than its own."""
    at = len(line.rstrip()) - len(rest.rstrip())
    if at >= start:
        return "", rest.strip()
    # a port that is longer than its column pushes the name to the right: the last word is the name
    if line[start - 1 : start].strip():
        port, _, name = rest.strip().rpartition(" ")
        return (port.strip(), name) if port else (name, "")
    return line[at:start].strip(), line[start:].strip()


def _read_blocks(content: DumpContent) -> Iterator[Sighting]:
    # the neighbours of a detailed listing: the fields between two rules are one neighbour
    fields: dict[str, str] = {}
    begun = 0
    for number, line in content.read_lines():
        if _BLOCK.match(line):
            yield from _read_block(content, begun, fields)
            fields, begun = {}, number
        elif begun and (field := _FIELD.fullmatch(line)):
            fields.setdefault(field[1].lower(), field[2].strip())
    yield from _read_block(content, begun, fields)


def _read_block(content: DumpContent, number: int, fields: dict[str, str]) -> Iterator[Sighting]:
    """What a block says, which begins at a line; nothing before the first."""
    if not number:
        return
    port, name, chassis = fields.get("local interface", ""), fields.get("system name", ""), fields.get("chassis id", "")
    if not port or not (name or chassis):
        content.add_fault(number, 1, f"the block names no {'neighbour' if port else 'port'}", _HINT)
        return
    box = make_neighbor(name, chassis, fields.get("address", ""))
    yield Sighting(without_unit(port), box, without_unit(fields.get("port id", "")), fields.get("port description", ""))
