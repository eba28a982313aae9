"""`iblinkinfo`, with or without `--line`: every port of an InfiniBand subnet, including those that are down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import DOWN, SEEN, SILENT, Box, Dump, Sighting, find_link_gbps, guid_text

TITLE = "iblinkinfo"
IS_JSON = False

_NODE = re.compile(r"(?:Switch:\s+0x([0-9a-fA-F]{1,16})|(?:CA|RT|Router):)\s(.*):\s*")
_NEAR = re.compile(r'(?:0x([0-9a-fA-F]{1,16})\s+)?(?:"(.*?)"\s+)?(\d+)\s+(\d+)\[[\s\d]*\]')
_RATE = re.compile(r"\s*(\d{1,2})X\s+([\d.]{1,12})\s+Gbps")
_ADAPTER = re.compile(r" (?:mlx|ib|rocep|hfi|qib)\w*\d+\s*$")
_FAR = re.compile(r'(?:0x([0-9a-fA-F]{1,16})\s+)?(\d+)\s+(\d+)\[[\s\d]*\]\s+"(.*)"\s*\(.*')
_LONGEST_LINE = 2000
_HINT = "give the whole output of iblinkinfo, as it was written"


def recognises(text: str) -> bool:
    """Whether a line about a port is early in the text."""
    return re.search(r"\d\[[ \d]{0,4}\] ==\(.{0,200}?\)==>", text[:65536]) is not None


class IbPort(NamedTuple):
    """A port; `far` is (GUID, LID, name) of its neighbour, `gbps` the rate of all its lanes, Gb/s (0: not told).

    `state` is SEEN, SILENT or DOWN (`dumps.sighting`), `physical` the physical state as iblinkinfo writes it.
    """

    port: str
    state: int
    far_port: str
    far: tuple[str, int, str]
    lanes: int
    gbps: float
    physical: str


@dataclass
class IbNode:
    """A switch or adapter; `lid` is its number in the subnet, by which the lines of other nodes refer to it."""

    name: str
    guid: str
    lid: int
    is_switch: bool
    ports: list[IbPort] = field(default_factory=list)

    @property
    def box(self) -> Box:
        """The node as dumps name it."""
        return _make_box(self.name, self.guid)


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each switch and adapter; GUIDs are those of ports, and all ports of a switch have the same."""
    all_nodes = read_nodes(content)
    boxes = {node.lid: node.box for node in all_nodes if node.lid and node.guid}
    for node in all_nodes:
        yield Dump(node.box, list(_list_sightings(node, boxes)), "ib", lists_all=False)


def _list_sightings(node: IbNode, boxes: dict[int, Box]) -> Iterator[Sighting]:
    # what each port of a node sees; `boxes`, by LID, identify far ends that are told without a GUID
    for port, state, far_port, (guid, lid, name), _, gbps, _ in node.ports:
        if state != SEEN:
            yield Sighting(port, None, state=state)
        else:
            far_box = _make_box(name, guid) if guid else boxes.get(lid, _make_box(name, ""))
            yield Sighting(port, far_box, far_port, gbps=gbps)


def _make_box(name: str, guid: str) -> Box:
    return Box(name.strip(), guid_text(guid) if guid else "")


def read_nodes(content: DumpContent) -> list[IbNode]:
    """Read all nodes with their ports; other lines, such as warnings that went to the same file, are ignored."""
    all_nodes: list[IbNode] = []
    for number, untrimmed in content.read_lines():
        line = untrimmed.strip()
        if len(line) > _LONGEST_LINE:
            content.add_fault(number, 1, f"the line has {len(line):,} characters", _HINT)
        elif "==(" in line or _NEAR.match(line):
            _read_port(content, number, line, all_nodes)
        elif head := _NODE.fullmatch(line):
            all_nodes.append(IbNode(head[2], head[1] or "", 0, is_switch=bool(head[1])))
    return all_nodes


def _read_port(content: DumpContent, line_number: int, line: str, known_nodes: list[IbNode]) -> None:
    """Read the line of a port, `NEAR ==(WIDTH SPEED STATE/PHYSICAL STATE)==> FAR`, and add the port to its node.

    The node is the last of `known_nodes`, or is added to them. A line that is not of this form is added as a fault.
    """
    near_text, _, link_and_far = line.partition("==(")
    link_text, arrow, far_text = link_and_far.partition("==>")
    states, _, physical_state = link_text.partition("/")
    state_words = states.split()
    near_end, far_end = _NEAR.fullmatch(near_text.strip()), _FAR.fullmatch(far_text.strip())
    if not arrow or "/" not in link_text or not state_words:
        content.add_fault(line_number, 1, f"'{line[:40]}' is no line of iblinkinfo", _HINT)
    elif near_end is None or (near_end[2] is None and not known_nodes):
        content.add_fault(line_number, 1, "the line does not say which port it is of", _HINT)
    elif far_end is None and state_words[-1] != "Down" and far_text.strip() != '"Port not available"':
        content.add_fault(line_number, 1, "the line does not say what is at the other end", _HINT)
    else:
        is_up = far_end is not None and state_words[-1] != "Down"
        far_port = str(int(far_end[3])) if far_end and is_up else ""
        far_node = (far_end[1] or "", int(far_end[2]), far_end[4]) if far_end and is_up else ("", 0, "")
        port_state = SEEN if is_up else DOWN if state_words[-1] == "Down" else SILENT
        rate = _RATE.match(states)
        lanes = (int(rate[1]), find_link_gbps(*rate.groups())) if rate else (0, 0.0)
        node = _find_node(known_nodes, near_end)
        node.ports.append(
            IbPort(str(int(near_end[4])), port_state, far_port, far_node, *lanes, physical_state.strip(" )"))
        )


def _find_node(known_nodes: list[IbNode], near: re.Match[str]) -> IbNode:
    """Return the node that the line of a port is of: the last one, or a new one if the line names another node.

    With `--line` there are no headers of nodes. Then a node is taken for an adapter if its description ends with the
    name of a device such as `mlx5_0`.
    """
    guid, name, lid = near[1] or "", near[2], int(near[3])
    if name is not None and (
        not known_nodes
        or (known_nodes[-1].name, known_nodes[-1].guid, known_nodes[-1].lid) != (name.strip(), guid, lid)
    ):
        known_nodes.append(IbNode(name.strip(), guid, lid, is_switch=not _ADAPTER.search(name)))
    node = known_nodes[-1]
    node.guid, node.lid = node.guid or guid, lid
    return node
