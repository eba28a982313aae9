"""Ethernet segments and link tracking read back (Arista EOS user manual: EVPN multihoming, Link Tracking Groups)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fabricgen.running.tree import Line, Rules, unfit


@dataclass
class Segment:
    """What an interface says of an Ethernet segment, of tracking, and of anycast addresses."""

    words: dict[str, str] = field(default_factory=dict)
    tracked: str = ""
    virtual: list[str] = field(default_factory=list)

    def name(self) -> str:
        """What names the segment, "" for none; raises UnknownTextError where its parts are of several."""
        if not self.words:
            return ""
        plain = {word: text.replace(":", "").replace(".", "") for word, text in self.words.items()}
        mac = plain.get("route-target import", "")
        wanted = {"identifier": f"00000000{mac}", "route-target import": mac, "lacp system-id": mac}
        if plain != wanted or self.tracked != "downstream":
            unfit(f"an Ethernet segment of several: {self.words}, tracked {self.tracked or 'not at all'}")
        return self.words["route-target import"]


class HasSegment(Protocol):
    """An interface that is read into."""

    segment: Segment


_SEGMENT = Rules()


def segment_rules(top: Rules, port: Rules) -> None:
    """Add what is said of segments to the rules of a whole configuration and of an interface."""
    top.line(r"link tracking group (\S+)")(_group)
    port.line("evpn ethernet-segment")(_segment)
    port.line(r"(lacp system-id) (\S+)")(_word)
    port.line(r"link tracking group (\S+) (upstream|downstream)")(_tracked)
    port.line(r"(?:ip|ipv6) address virtual (\S+)")(_virtual)


def _group(box: Any, line: Line, name: str) -> None:
    if not all(child.text.startswith("recovery delay ") for child in line.children):
        unfit(f"link tracking group {name} waits for more than its links")
    box.tracking.add(name)


def _segment(port: HasSegment, line: Line) -> None:
    _SEGMENT.read(line.children, port)


@_SEGMENT.line(r"(identifier|route-target import) (\S+)")
def _word(port: HasSegment, line: Line, word: str, text: str) -> None:
    port.segment.words[word] = text


def _tracked(port: HasSegment, line: Line, group: str, way: str) -> None:
    port.segment.tracked = way


def _virtual(port: HasSegment, line: Line, address: str) -> None:
    port.segment.virtual.append(address)


def check(tracking: set[str], mac: str, ports: Mapping[str, Any]) -> None:
    """Raises UnknownTextError where links are tracked in no group, or none up are, or gateways have no common MAC."""
    ways = {port.segment.tracked for port in ports.values()} - {""}
    if bool(tracking) != (ways == {"upstream", "downstream"}) or (ways and not tracking):
        unfit(f"link tracking groups are {sorted(tracking)}, and links are {sorted(ways)}")
    if any(port.segment.virtual for port in ports.values()) and not mac:
        unfit("anycast gateways have no MAC in common")
