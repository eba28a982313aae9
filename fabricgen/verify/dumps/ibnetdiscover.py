"""`ibnetdiscover`: the topology file of an InfiniBand subnet, with a paragraph for each switch, adapter and router."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, split_lines
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting, find_link_gbps, guid_text

TITLE = "ibnetdiscover"
IS_JSON = False

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([SHR])-([0-9a-fA-F]{1,16})"\s*(?:#\s*"(.*)")?')
_PORT = re.compile(r'\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s+"[SHR]-([0-9a-fA-F]{1,16})"\s*\[(\d+)\](.*)')
_NAME = re.compile(r'"(.*)"(?: lid \d+ )?((?:\d{1,2}x)?)(\w*)')
"""The description of a neighbour, and the width and name of the lanes: `"n1 mlx5_0" lid 4 4xNDR`."""
_KNOWN = re.compile(
    r"\s*(?:#|$|(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|ibwarn: |ibpanic: |src/)"
    r"|Chassis\b|Non-Chassis Nodes\b|Hostname: "
)
"""Lines that are skipped; the last three come with `-g`, which groups by chassis (ibnetdiscover.c, dump_topology)."""

_LONGEST_LINE = 2000
_HINT = "give the whole output of ibnetdiscover, as it was written"


def recognises(text: str) -> bool:
    """Whether a paragraph of a node begins early in the text."""
    return re.search(r'^(?:Switch|Ca|Rt)\s+\d+\s+"[SHR]-', text[:65536], re.MULTILINE) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each node. Names are node descriptions: those of adapters are HOST ADAPTER."""
    names = _read_names(content.text)
    boxes: dict[str, Box] = {}
    node, sightings = "", list[Sighting]()
    is_switch = False
    for number, line in content.read_lines():
        if len(line) > _LONGEST_LINE:
            content.add_fault(number, 1, f"the line has {len(line):,} characters", _HINT)
        elif match := _PORT.match(line):
            port, far, far_port, comment = match.groups()
            if not node:
                content.add_fault(number, 1, "a port before any Switch, Ca or Rt", _HINT)
                continue
            name, *rate = far_words.groups() if (far_words := _NAME.search(comment)) else ("",)
            far_box, gbps = _make_box(boxes, names, far, name), find_link_gbps(*rate)
            sightings.append(Sighting(str(int(port)), far_box, str(int(far_port)), gbps=gbps))
        elif match := _NODE.match(line):
            if node:
                yield Dump(_make_box(boxes, names, node), sightings, "ib", is_switch)
            node, sightings = match[4], []
            is_switch = match[1] == "Switch"
        elif not _KNOWN.match(line):
            content.add_fault(number, 1, f"'{line.strip()[:40]}' is no line of ibnetdiscover", _HINT)
    if node:
        yield Dump(_make_box(boxes, names, node), sightings, "ib", is_switch)


def _read_names(text: str) -> dict[str, str]:
    """Return the description of each node that has a paragraph, by GUID."""
    return {
        guid_text(match[4]): (match[5] or "").strip()
        for _, line in split_lines(text)
        if (match := _NODE.match(line[:_LONGEST_LINE]))
    }


def _make_box(boxes: dict[str, Box], names: dict[str, str], digits: str, name: str = "") -> Box:
    """Return the box of a GUID, with the name in its own paragraph if it has one, else `name`."""
    guid = guid_text(digits)
    if guid not in boxes:
        boxes[guid] = Box(names.get(guid, name.strip()), guid)
    return boxes[guid]
