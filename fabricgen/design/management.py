"""Management ports of switches on the management fabric: who shares whose leaves, and how many a leaf keeps room for.

Switches of a scalable unit, and trays of a rack, go to the management leaves of their own place, in turn. What serves
more than that (spines, cores) fills leaf after leaf with a fixed share each, so that growth moves none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout, PodLayout
from fabricgen.design.scale_up_model import ScaleUpDesign
from fabricgen.design.shape import SCOPES, scope_count, scope_of

SHARED_PORTS = 8
"""Ports that each management leaf keeps for switches that serve more than its own place."""


@dataclass(frozen=True, slots=True)
class Managed:
    """Switches of one tier, or scale-up trays, that have management ports: where they stand and how many they are."""

    fabric: str
    tier: str
    scope: str
    count: int
    slots: int
    """As many as there were if no slot were omitted."""


def managed_devices(
    fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign], own: str
) -> tuple[Managed, ...]:
    """Everything with a management port but the switches of the management fabric `own` itself."""
    tiers = [
        Managed(f.name, t.name, scope_of(t.per), t.switches, t.switches)
        for f in fabrics
        if f.name != own
        for t in f.tiers
    ]
    trays = [Managed(s.name, TRAY_TIER, s.tray_scope, s.trays, s.tray_slots) for s in scale_up if s.trays]
    return (*tiers, *trays)


TRAY_TIER = "switch-tray"
"""What devices.csv calls the tier of scale-up switch trays."""


def shared_scope(switch_scope: str, leaf_scope: str) -> str:
    """The narrowest place that a managed switch and a management leaf both know."""
    return SCOPES[min(SCOPES.index(switch_scope), SCOPES.index(leaf_scope))]


def in_turn(place: str, leaf_scope: str) -> bool:
    """Whether switches of a place are dealt in turn: where the leaves of that place do not become more with growth."""
    return SCOPES.index(place) >= min(SCOPES.index(leaf_scope), SCOPES.index("su"))


class ManagementLoad:
    """Management ports that one fabric takes."""

    def __init__(self, layout: Layout, managed: tuple[Managed, ...]) -> None:
        self._layout, self._managed = layout, managed
        self.devices = sum(m.count for m in managed)

    def share(self, place: str, leaf_scope: str, leaves: int, *, for_reserve: bool) -> int:
        """Most ports of a leaf that switches of a place take; `leaves` is how many there are in the whole fabric.

        Leaves that are sized `for_reserve` have room for switches of wider places as long as there is a single unit.
        """
        mine = [m for m in self._managed if shared_scope(m.scope, leaf_scope) == place]
        if not mine:
            return 0
        most = 0
        for pods in self._places(place):
            ports = sum(self._inside(m.scope, m.slots, place, pods) for m in mine)
            sharing = self._inside(leaf_scope, leaves, place, pods)
            if for_reserve and SCOPES.index(leaf_scope) >= SCOPES.index("su") > SCOPES.index(place):
                sharing = leaves // self._layout.units
            most = max(most, -(-ports // max(1, sharing)))
        return most if in_turn(place, leaf_scope) else max(SHARED_PORTS, most)

    def _places(self, place: str) -> list[tuple[PodLayout, ...]]:
        """The pods of each place that may differ from others of its kind; those below a pod are all alike."""
        pods = self._layout.pods
        if place == "pod":
            return [(pod,) for pod in pods]
        if place == "site":
            return [tuple(p for p in pods if p.site == site) for site in self._layout.sites]
        return [pods]

    def _inside(self, scope: str, count: int, place: str, pods: tuple[PodLayout, ...]) -> int:
        """How many of `count` switches of a scope stand in one place that consists of these pods."""
        if SCOPES.index(place) >= SCOPES.index("su"):
            return -(-count // scope_count(self._layout, place))
        if SCOPES.index(scope) >= SCOPES.index("su"):
            return -(-count // self._layout.units) * sum(pod.su for pod in pods)
        if scope == "pod":
            return count // len(self._layout.pods) * len(pods)
        return -(-count // scope_count(self._layout, place))

    def before(self, place: str, leaf_scope: str, leaves: int, *, for_reserve: bool) -> int:
        """Ports of a leaf kept for switches of narrower places: these come first, so that spines move none of them."""
        narrower = SCOPES[SCOPES.index(place) + 1 :]
        return sum(self.share(other, leaf_scope, leaves, for_reserve=for_reserve) for other in narrower)

    def most(self, leaf_scope: str, groups: int, count: int, for_reserve: bool) -> int:
        """The most management ports that one of `groups` x `count` leaves takes."""
        return sum(self.share(place, leaf_scope, groups * count, for_reserve=for_reserve) for place in SCOPES)
