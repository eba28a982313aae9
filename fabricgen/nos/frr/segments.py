"""EVPN multihoming in FRR's words: what an frr.conf says of Ethernet segments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.tree import Line, Rules


@dataclass
class SegmentLines:
    """What FRR is told: MAC and number of each bond's segment, the ports that are tracked, seconds at the start."""

    macs: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    tracked: set[str] = field(default_factory=set)
    startup_s: int = 0


_PORT = Rules()


def segment_rules(top: Rules) -> None:
    """Add what is said of segments to the rules of an frr.conf."""
    top.line(r"evpn mh startup-delay (\d+)")(_startup)
    top.line(r"interface (\S+)")(_interface)


def _startup(found: Any, line: Line, seconds: str) -> None:
    found.segments.startup_s = int(seconds)


def _interface(found: Any, line: Line, name: str) -> None:
    _PORT.read(line.children, found.segments, name)


@_PORT.line(r"evpn mh es-id (\d+)")
def _number(found: SegmentLines, name: str, line: Line, number: str) -> None:
    found.numbers[name] = int(number)


@_PORT.line(r"evpn mh es-sys-mac (\S+)")
def _mac(found: SegmentLines, name: str, line: Line, mac: str) -> None:
    found.macs[name] = mac


@_PORT.line("evpn mh uplink")
def _uplink(found: SegmentLines, name: str, line: Line) -> None:
    found.tracked.add(name)
