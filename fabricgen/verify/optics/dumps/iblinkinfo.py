"""`iblinkinfo` and `iblinkinfo --line`: width and speed of links, from the side of the switches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content
from fabricgen.verify.dumps.sighting import Box, guid_text
from fabricgen.verify.optics.dumps._values import number
from fabricgen.verify.optics.report import PortReport

TITLE = "iblinkinfo"
IS_JSON = False

_LINK = re.compile(
    r"""\s*(?:(?P<guid>0x[0-9a-fA-F]{1,16})\s+"\s*(?P<name>[^"]*)"\s+)?(?P<lid>\d+)\s+(?P<port>\d+)\[[^]]{0,4}\]
    \ ==\(\s*(?:(?P<width>\d{1,2})X\s+(?P<speed>[\d.]{1,12})\ Gbps)?
    \s*(?P<state>\w+)/\s*(?P<physical>\w+)\)==>(?P<far>.*)""",
    re.VERBOSE,
)
_SWITCH = re.compile(r"Switch: (0x[0-9a-fA-F]{1,16}) (.*):\s*")
_NODE = re.compile(r"(?:CA|RT|Switch): .*")

_LANES = (2.5, 5.0, 10.0, 14.0, 25.0, 50.0, 100.0, 200.0)
"""Rates of a lane as they are called, Gb/s: SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR; printed as signalling rates."""


def recognises(text: str) -> bool:
    """Whether a link begins early in the text."""
    return re.search(r"\]\s==\(.{0,60}\)==>", text[:65536]) is not None


def reports(content: Content) -> Iterator[PortReport]:
    """A row for each port of a switch; adapters have the other end of the same links."""
    box: Box | None = None
    for line, text in content.lines():
        if found := _LINK.fullmatch(text.rstrip("\r")):
            owner = _owner(found) or (None if found["guid"] else box)
            if owner:
                yield _report(owner, found)
        elif found := _SWITCH.fullmatch(text.rstrip("\r")):
            box = Box(found[2].strip(), guid_text(found[1]))
        elif _NODE.fullmatch(text):
            box = None
        elif "==(" in text and not _adapter(text):
            content.wrong(line, 1, f"'{text.strip()[:40]}' is no line of iblinkinfo", "give its whole output")


def _owner(found: re.Match[str]) -> Box | None:
    """The switch of a line of --line; None for an adapter, whose description has the name of its device last."""
    if not found["guid"] or re.search(r" (?:mlx|ib|rocep|hfi|qib)\w*\d+\s*$", found["name"]):
        return None
    return Box(found["name"].strip(), guid_text(found["guid"]))


def _adapter(text: str) -> bool:
    """Whether a line is of an adapter: it begins with the GUID of the port."""
    return re.match(r"\s*0x[0-9a-fA-F]{1,16}\s+\d+\s+\d+\[", text) is not None


def _report(box: Box, found: re.Match[str]) -> PortReport:
    up = found["physical"].lower() == "linkup"
    lanes, rate = int(found["width"] or 0), number(found["speed"]) or 0.0
    nominal = max((each for each in _LANES if each <= rate * 1.01), default=0.0)
    return PortReport(
        box,
        str(int(found["port"])),
        lanes=lanes if up else 0,
        speed_gbps=lanes * nominal if up else 0.0,
        admin="down" if found["physical"].lower() == "disabled" else "",
        oper="up" if up else "down",
    )
