"""An NDT file of UFM: CSV with a row for each link, from StartDevice and StartPort to EndDevice and EndPort.

`ndt_file_creator.py` makes it from a running subnet. Columns may be in any order among others, and the first one may be
`#StartDevice` or `#Fields:StartDevice`. Ports are `Port 21`, `Blade 16_Port 2/20` of a director, or `HOST ibp11s0f0`. A
row without an end is a port that sees nobody if its Domain is Disconnected, else a port whose link is not told.
Source: github.com/Mellanox/ufm_sdk_3.0@3e96418e, plugins/UFM_NDT_Plugin: ndt_file_creator.py, tests/*_ndts, and
ufm_sim_web_service/topo_diff/topo_diff.py.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting

TITLE = "NDT file of UFM"
IS_JSON = False

_NEEDED = ("StartDevice", "StartPort", "EndDevice", "EndPort")
_DOMAIN = "Domain"
_PREFIX = re.compile(r"^#(?:Fields:)?\s*")
_PORT = re.compile(r"Port (\S+)")
_HINT = f"a row has {', '.join(_NEEDED)}; further columns are not read"


def recognises(text: str) -> bool:
    """Whether the first line has the columns of a link, apart from the first one, which may be missing."""
    return {*_NEEDED[1:]}.issubset(_read_header(text.partition("\n")[0]))


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each device; none lists all of its ports, since hosts and switches have separate files."""
    sightings: dict[str, list[Sighting]] = {}
    for near_device, near_port, far_device, far_port in _read_rows(content):
        if not far_device:
            sightings.setdefault(near_device, []).append(Sighting(near_port, None, state=SILENT))
            continue
        # a link has one row, and is added at both ends
        sightings.setdefault(near_device, []).append(Sighting(near_port, Box(far_device), far_port))
        sightings.setdefault(far_device, []).append(Sighting(far_port, Box(near_device), near_port))
    for device, device_sightings in sightings.items():
        yield Dump(Box(device), device_sightings, "list", lists_all=False)


def _read_header(line: str) -> list[str]:
    return [_PREFIX.sub("", name.strip()) for name in line.split(",")]


def _read_rows(content: DumpContent) -> Iterator[tuple[str, str, str, str]]:
    """Yield (device, port, far device, far port) of each row; the last two are "" for a port that sees nobody.

    Rows that are not CSV or name no end of a link, and a table without `StartDevice`, are added as faults.
    """
    column_names: list[str] = []
    for number, line in content.read_lines():
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], strict=True), [])]
        except csv.Error as error:
            content.add_fault(number, 1, f"the row is not CSV: {error}", _HINT)
            continue
        if not column_names:
            column_names = _read_header(line)
            if "StartDevice" not in column_names:
                content.add_fault(number, 1, "there is no column 'StartDevice'", _HINT)
                return
        elif any(cells):
            row = dict(zip(column_names, cells + [""] * (len(column_names) - len(cells)), strict=False))
            near_device, near_port, far_device, far_port = (row[name] for name in _NEEDED)
            if not near_device or not near_port or bool(far_device) != bool(far_port):
                content.add_fault(number, 1, f"the row names no end of a link: '{line.strip()[:40]}'", _HINT)
            elif far_device or row.get(_DOMAIN) == "Disconnected":
                far_end = far_device, _read_port(far_device, far_port)
                yield near_device, _read_port(near_device, near_port), *far_end


def _read_port(device: str, port: str) -> str:
    """Return a port without the word `Port`, or without the name of its device."""
    return numbered[1] if (numbered := _PORT.fullmatch(port)) else port.removeprefix(f"{device} ")
