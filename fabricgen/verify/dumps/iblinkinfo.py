"""`iblinkinfo`, as it is or with `--line`: every port of an InfiniBand subnet, the ones that are down too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fabricgen.verify.dumps._content import Content
from fabricgen.verify.dumps.sighting import DOWN, SEEN, SILENT, Box, Dump, Sighting, guid_text

TITLE = "iblinkinfo"
IS_JSON = False

_NODE = re.compile(r"(?:Switch:\s+0x([0-9a-f]{1,16})|(?:CA|Router):)\s(.*):\s*")
_NEAR = re.compile(r'(?:0x([0-9a-f]{1,16})\s+)?(?:"(.*?)"\s+)?(\d+)\s+(\d+)\[[\s\d]*\]')
_FAR = re.compile(r'(?:0x([0-9a-f]{1,16})\s+)?(\d+)\s+(\d+)\[[\s\d]*\]\s+"(.*)"\s*\(.*')
_LONGEST_LINE = 2000
_HINT = "give the whole output of iblinkinfo, as it was written"


def recognises(text: str) -> bool:
    """Whether a line of a port stands early in the text."""
    return re.search(r"\d\[[ \d]{0,4}\] ==\(.{0,200}?\)==>", text[:65536]) is not None


@dataclass
class _Node:
    """A switch or adapter; `lid` is its number in the subnet, by which ports elsewhere name it."""

    name: str
    guid: str = ""
    lid: int = 0
    ports: list[tuple[str, int, str, tuple[str, int, str]]] = field(default_factory=list)


def dumps(content: Content) -> Iterator[Dump]:
    """A dump for each switch and adapter; GUIDs are those of ports, which for a switch is that of all its ports."""
    nodes = _nodes(content)
    boxes = {node.lid: _box(node.name, node.guid) for node in nodes if node.lid and node.guid}
    for node in nodes:
        yield Dump(_box(node.name, node.guid), list(_sightings(node, boxes)), "ib", lists_all=False)


def _sightings(node: _Node, boxes: dict[int, Box]) -> Iterator[Sighting]:
    for port, state, far_port, (guid, lid, name) in node.ports:
        if state != SEEN:
            yield Sighting(port, None, state=state)
        else:
            yield Sighting(port, _box(name, guid) if guid else boxes.get(lid, _box(name, "")), far_port)


def _box(name: str, guid: str) -> Box:
    return Box(name.strip(), guid_text(guid) if guid else "")


def _nodes(content: Content) -> list[_Node]:
    """All nodes; warnings of the tool stand between its lines where both went to one file."""
    found: list[_Node] = []
    for number, untrimmed in content.lines():
        line = untrimmed.strip()
        if len(line) > _LONGEST_LINE:
            content.wrong(number, 1, f"the line has {len(line):,} characters", _HINT)
        elif "==(" in line or _NEAR.match(line):
            _read_port(content, number, line, found)
        elif head := _NODE.fullmatch(line):
            found.append(_Node(head[2], head[1] or ""))
    return found


def _read_port(content: Content, number: int, line: str, found: list[_Node]) -> None:
    """Read the line of a port: NEAR ==(WIDTH SPEED STATE/PHYSICAL STATE)==> FAR."""
    near, _, rest = line.partition("==(")
    link, arrow, far = rest.partition("==>")
    state = link.partition("/")[0].split()
    port, there = _NEAR.fullmatch(near.strip()), _FAR.fullmatch(far.strip())
    if not arrow or "/" not in link or not state:
        content.wrong(number, 1, f"'{line[:40]}' is no line of iblinkinfo", _HINT)
    elif port is None or (port[2] is None and not found):
        content.wrong(number, 1, "the line does not say which port it is of", _HINT)
    elif there is None and state[-1] != "Down" and far.strip() != '"Port not available"':
        content.wrong(number, 1, "the line does not say what is at the other end", _HINT)
    else:
        _add_port(found, port, state[-1], there)


def _add_port(found: list[_Node], near: re.Match[str], state: str, far: re.Match[str] | None) -> None:
    """Add a port to the last node, or to a new one where lines have the name of their node and it is another."""
    guid, name, lid, port = near[1] or "", near[2], int(near[3]), str(int(near[4]))
    if name is not None and (not found or (found[-1].name, found[-1].guid, found[-1].lid) != (name.strip(), guid, lid)):
        found.append(_Node(name.strip(), guid, lid))
    node = found[-1]
    node.guid, node.lid = node.guid or guid, lid
    if far is not None and state != "Down":
        node.ports.append((port, SEEN, str(int(far[3])), (far[1] or "", int(far[2]), far[4])))
    else:
        node.ports.append((port, DOWN if state == "Down" else SILENT, "", ("", 0, "")))
