"""Management ports of switches on the management fabric: who shares whose leaves, and how many a leaf keeps room for.

Switches of a scalable unit go to that unit's management leaves, in turn. What serves more than the leaves of one
group (spines, cores) fills leaf after leaf with a fixed share each, so that growth moves none of them.
"""

from __future__ import annotations

from fabricgen.design.layout import Layout
from fabricgen.design.model import TierDesign
from fabricgen.design.shape import SCOPES, scope_count, scope_of

SHARED_PORTS = 8
"""Ports that each management leaf keeps for switches that serve more than its own group."""


def shared_scope(switch_scope: str, leaf_scope: str) -> str:
    """The narrowest place that a managed switch and a management leaf both know; racks are not shared."""
    narrowest = min(SCOPES.index(switch_scope), SCOPES.index(leaf_scope), SCOPES.index("su"))
    return SCOPES[narrowest]


def in_turn(place: str, leaf_scope: str) -> bool:
    """Whether switches of a place are dealt in turn: where the leaves of that place do not become more with growth."""
    return SCOPES.index(place) == min(SCOPES.index(leaf_scope), SCOPES.index("su"))


class ManagementLoad:
    """Management ports of the switches of other fabrics."""

    def __init__(self, layout: Layout, tiers: tuple[TierDesign, ...]) -> None:
        self._layout, self._tiers = layout, tiers
        self.switches = sum(tier.switches for tier in tiers)

    def share(self, place: str, leaf_scope: str, leaves: int) -> int:
        """Most ports of a leaf that switches of a place take; `leaves` is how many there are in the whole fabric."""
        managed = sum(t.switches for t in self._tiers if shared_scope(scope_of(t.per), leaf_scope) == place)
        if not managed:
            return 0
        each = -(-managed // scope_count(self._layout, place))
        most = -(-each // max(1, self._fewest(place, leaf_scope, leaves)))
        return most if in_turn(place, leaf_scope) else max(SHARED_PORTS, most)

    def _fewest(self, place: str, leaf_scope: str, leaves: int) -> int:
        """Leaves of the place that has the fewest."""
        if place == "pod" and leaf_scope in ("su", "rack"):
            return leaves // self._layout.units * min(pod.su for pod in self._layout.pods)
        return leaves // scope_count(self._layout, place)

    def most(self, leaf_scope: str, groups: int, count: int) -> int:
        """The most management ports that one of `groups` x `count` leaves takes."""
        return sum(self.share(place, leaf_scope, groups * count) for place in SCOPES)
