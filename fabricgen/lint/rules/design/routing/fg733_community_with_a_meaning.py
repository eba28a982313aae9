"""FG733: a community asks the far side to drop, or to keep to itself, what is announced."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.extras.exits import list_exits
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.ways_out import make_entry_path

WELL_KNOWN = {
    0: ("GRACEFUL_SHUTDOWN (RFC 8326)", "makes the route their last choice, for good"),
    6: ("LLGR_STALE (RFC 9494)", "makes the route their last choice, for good"),
    666: ("BLACKHOLE (RFC 7999)", "drops all traffic to your prefixes"),
    65281: ("NO_EXPORT (RFC 1997)", "tells nobody beyond their own AS, so that no answer comes from there"),
    65282: ("NO_ADVERTISE (RFC 1997)", "tells no other router, not even their own"),
    65283: ("NO_EXPORT_SUBCONFED (RFC 1997)", "tells nobody beyond their own AS, so that no answer comes from there"),
    65284: ("NOPEER (RFC 3765)", "tells none of their peers, who then have no way back"),
}
"""For each well-known community 65535:N, by N, (its name, what a router that hears a route with it does)."""

BLACKHOLE = 666
"""The second number of the communities for blackholes that providers had below their own AS number (RFC 7999, 1)."""


class CommunityWithAMeaning(DesignRule):
    """An exit announces its prefixes with a community by which the far side drops, hides or avoids them.

    Well-known communities are heeded by every router, whatever was agreed (IANA, BGP Well-known Communities):
    `65535:666` throws away all traffic to the prefix, `65535:65281` keeps it inside of the neighbour's AS, and
    `65535:0` makes it the last choice. `AS:666` is by custom the blackhole of the provider with that AS number.
    The sessions are up and the routes are sent, so that everything looks right from inside.

    Remove it. To drain a switch, state `maintenance` in `config_of`. Waive this where only the neighbour itself is to
    reach you.
    """

    severity = Severity.WARNING
    bad = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits:
              internet:
                to: wan
                asn: 64496
                announce: 172.16.0.0/16
                communities: "65535:666"  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496, announce: 172.16.0.0/16, communities: "64496:100"}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag communities with a known meaning, of exits that announce something."""
        for exit_ in (exit_ for exit_ in list_exits(design) if exit_.spec.announce):
            stated = exit_.spec.communities
            for position, community in enumerate(stated):
                name, effect = _explain_community(community)
                if name:
                    message = f"{community} is {name}: who hears it {effect}"
                    yield self.flag(make_entry_path(exit_, "communities", position, len(stated)), message, "remove it")


def _explain_community(community: str) -> tuple[str, str]:
    """Return (name, what a router that hears it does) for a community such as 65535:666; ("", "") if it has no known
    meaning.
    """
    number, value = map(int, community.split(":"))
    if number == 0xFFFF:
        return WELL_KNOWN.get(value, ("", ""))
    if value == BLACKHOLE:
        return f"by custom the blackhole of AS {number}", WELL_KNOWN[BLACKHOLE][1]
    return "", ""
