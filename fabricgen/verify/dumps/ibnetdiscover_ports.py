"""`ibnetdiscover --ports`: a line for each port of an InfiniBand subnet, as exporters of metrics take it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting, find_link_gbps

TITLE = "ibnetdiscover --ports"
IS_JSON = False

_NEAR = r"(?:CA|SW|RT)\s+\d+\s+(\d+)\s+0x([0-9a-f]{16})\s+(\S+)\s+(\S+)"
_FAR = r"(?:CA|SW|RT)\s+\d+\s+(\d+)\s+0x([0-9a-f]{16})\s+\(\s*'(.*)' - '(.*)'\s*\)"
_JOINED, _ALONE = re.compile(f"{_NEAR} - {_FAR}"), re.compile(f"{_NEAR}\\s{{9,}}'?(.*?)'?")
_OTHER = re.compile(r"\s*(?:#|$|ibwarn: |ibpanic: |src/)")
_LONGEST_LINE = 2000
_HINT = "give the whole output of ibnetdiscover --ports, as it was written"


def recognises(text: str) -> bool:
    """Whether a line about a port is early in the text."""
    return re.search(f"^{_NEAR} ", text[:65536], re.MULTILINE) is not None


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each switch and each port of an adapter; GUIDs are those of ports, one for a whole switch."""
    sightings_by_box: dict[Box, list[Sighting]] = {}
    for number, untrimmed in content.read_lines():
        line = untrimmed.strip()
        if len(line) > _LONGEST_LINE:
            content.add_fault(number, 1, f"the line has {len(line):,} characters", _HINT)
        elif joined := _JOINED.fullmatch(line):
            port, guid, *rate, far_port, far_guid, name, far_name = joined.groups()
            far_box, gbps = _make_box(far_name, far_guid), find_link_gbps(*rate)
            sighting = Sighting(str(int(port)), far_box, str(int(far_port)), gbps=gbps)
            sightings_by_box.setdefault(_make_box(name, guid), []).append(sighting)
        elif alone := _ALONE.fullmatch(line):
            port, guid, _, _, name = alone.groups()
            sightings_by_box.setdefault(_make_box(name, guid), []).append(Sighting(str(int(port)), None, state=SILENT))
        elif not _OTHER.match(line):
            content.add_fault(number, 1, f"'{line[:40]}' is no line of ibnetdiscover --ports", _HINT)
    for box, sightings in sightings_by_box.items():
        yield Dump(box, sightings, "ib", lists_all=False)


def _make_box(name: str, guid: str) -> Box:
    return Box(name.strip(), f"0x{guid}")
