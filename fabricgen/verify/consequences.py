"""What each thing that is not as planned costs until it is mended, and whether the cables in question reach.

A collective stays on its rail while every NIC of the rail is on the leaves of the rail. A NIC on the leaf of another
rail, or a plug on another leaf or spine than planned, still has its bandwidth, but its traffic takes a path that nobody
has counted on. Only a cable that nobody sees is bandwidth that is lost. Where each cable ends on its own device and
merely in another port, no bandwidth suffers: addresses and descriptions of ports do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.verify.actions import Action, Consequence, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.places import SPARE, Place, Places
from fabricgen.verify.reach import Reach
from fabricgen.verify.seen import Seen

_JUDGED = {kind for kind in Kind if kind not in (Kind.OPTIC, Kind.PORT)}
"""Kinds of actions that say where plugs are."""

Pairs: TypeAlias = "Counter[tuple[int, int]]"
"""How many links join two switches, by their devices in order."""


def with_consequences(
    cabling: PlannedCabling, diagnosis: Diagnosis, cluster: Cluster | None, seen: Seen | None = None
) -> Diagnosis:
    """The diagnosis with the consequence of each action, and whether the cable of each step reaches.

    `cluster` is None for a built folder, whose floor is not known. Links of a breakout that are `seen` as planned cost
    nothing. A note names the switch that has lost most uplinks.
    """
    if not diagnosis.actions:
        return diagnosis
    places = Places(cabling)
    told = Reach(cabling, places, cluster).told if cluster else tuple
    hall = _Hall(cabling, places, cluster.design.catalog if cluster else Catalog())
    links = places.links_of(cable for action in diagnosis.actions for cable in action.cables)
    if seen is not None:
        links = {cable: [link for link in own if not _as_planned(cabling, seen, link)] for cable, own in links.items()}
    actions = tuple(
        replace(
            action,
            consequence=_consequence(hall, action, [link for cable in action.cables for link in links.get(cable, ())]),
            steps=told(action.steps),
            alternatives=tuple(replace(other, steps=told(other.steps)) for other in action.alternatives),
        )
        for action in diagnosis.actions
    )
    return replace(diagnosis, actions=actions, notes=(*diagnosis.notes, *_worst(hall, actions)))


def _as_planned(cabling: PlannedCabling, seen: Seen, link: int) -> bool:
    """Whether the ends of a link see each other, or one the device of the other."""
    a, b = 2 * link, 2 * link + 1
    return bool(seen.mate[a] == b or seen.towards[a] == cabling.device[b] or seen.towards[b] == cabling.device[a])


class _Hall:
    """What is asked of the plan again and again, by device; kept."""

    def __init__(self, cabling: PlannedCabling, places: Places, catalog: Catalog) -> None:
        self.cabling, self.places, self._catalog = cabling, places, catalog
        self._served: dict[tuple[str, str, int], frozenset[str]] = {}
        self._accelerators: dict[str, int] = {}

    def is_node(self, device: int) -> bool:
        """Whether it is a node or an extra device."""
        return bool(self.cabling.of_device("tier", device) == "node")

    def served(self, column: str, fabric: str, device: int) -> frozenset[str]:
        """The rails or planes of the links of a fabric that are planned on a device."""
        key = column, fabric, device
        if key not in self._served:
            own = (port for port in self.cabling.ports_of_device(device).tolist() if self.fabric(port) == fabric)
            self._served[key] = frozenset(str(self.cabling.of_link(column, port)) for port in own) - {""}
        return self._served[key]

    def at(self, column: str, fabric: str, place: Place) -> frozenset[str]:
        """The rails or planes that a port of a node is for, or that a switch serves in a fabric."""
        if place.port != SPARE and self.is_node(place.device):
            return frozenset({str(self.cabling.of_link(column, place.port))}) - {""}
        return self.served(column, fabric, place.device)

    def fabric(self, port: int) -> str:
        """The fabric of the link of a port."""
        return str(self.cabling.of_link("fabric", port))

    def accelerators(self, device: int) -> int:
        """The accelerators of a node."""
        model = str(self.cabling.of_device("model", device))
        if model not in self._accelerators:
            own = self._catalog.node(model).accelerators if model in self._catalog.ids("nodes") else None
            self._accelerators[model] = own.count if own else 0
        return self._accelerators[model]

    def uplinks(self, device: int) -> list[int]:
        """The planned ports of a switch to the tier above."""
        ports = self.cabling.ports_of_device(device).tolist()
        return [port for port in ports if not port & 1 and self.is_uplink(port)]

    def is_uplink(self, port: int) -> bool:
        """Whether the link of a port joins switches of one fabric and of different tiers."""
        low, high = (int(self.cabling.device[end]) for end in (port & ~1, port | 1))
        tiers, fabrics = ({self.cabling.of_device(what, d) for d in (low, high)} for what in ("tier", "fabric"))
        return len(tiers) == 2 and len(fabrics) == 1

    def nodes_below(self, device: int) -> set[int]:
        """The nodes on a switch."""
        far = {int(self.cabling.device[port ^ 1]) for port in self.cabling.ports_of_device(device).tolist()}
        return {one for one in far if self.is_node(one)}

    def gbps(self, link: int) -> float:
        """The speed of a link."""
        return float(self.cabling.of_link("speed_gbps", 2 * link))

    def tiers(self, link: int) -> str:
        """What links of this kind are called: `compute node-leaf`."""
        low, high = (self.cabling.of_device("tier", int(self.cabling.device[2 * link + side])) for side in (0, 1))
        return f"{self.cabling.of_link('fabric', 2 * link)} {low}-{high}"

    def devices(self, link: int) -> tuple[int, int]:
        """The devices at the ends of a link."""
        return int(self.cabling.device[2 * link]), int(self.cabling.device[2 * link + 1])


@dataclass
class _Account:
    """What is summed up over the links of one action: Gb/s, what is crossed, uplinks lost by switch."""

    hall: _Hall
    lost: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    astray: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    crossed: dict[str, dict[tuple[str, str, str], None]] = field(default_factory=lambda: defaultdict(dict))
    uplinks: Counter[int] = field(default_factory=Counter)
    nodes: set[int] = field(default_factory=set)

    def lose(self, link: int) -> None:
        """Count a link that nobody sees."""
        self.lost[self.hall.tiers(link)] += self.hall.gbps(link)
        if self.hall.is_uplink(2 * link):
            self.uplinks[self.hall.devices(link)[0]] += 1
        self._affect(link)

    def mislead(self, link: int) -> None:
        """Count a link that is up, on a wrong path."""
        self.astray[self.hall.tiers(link)] += self.hall.gbps(link)
        self._affect(link)

    def _affect(self, link: int) -> None:
        low, high = self.hall.devices(link)
        if not self.hall.is_node(low) and not self.hall.is_node(high):
            self.nodes |= self.hall.nodes_below(low)

    def crosses(self, link: int, ends: tuple[Place, Place]) -> bool:
        """Note which rail, plane or fabric a link crosses where it lies now; whether it does."""
        hall, planned = self.hall, self.hall.fabric(2 * link)
        others = {hall.fabric(place.port) for place in ends if place.port != SPARE} - {planned}
        if others:
            self.crossed["fabric"][planned, planned, min(others)] = None
            return True
        found = False
        for column in ("rail", "plane"):
            one, other = (hall.at(column, planned, place) for place in ends)
            if one and other and not one & other:
                found = True
                self.crossed[column][planned, min(one, key=int), min(other, key=int)] = None
        return found


def _consequence(hall: _Hall, action: Action, links: Sequence[int]) -> Consequence:
    """What an action's links cost, by where their plugs are now."""
    if action.kind not in _JUDGED or not links:
        return Consequence()
    account, now = _Account(hall), hall.places.now(action)
    seen: dict[int, tuple[Place, Place]] = {}
    for link in links:
        account.nodes.update(filter(hall.is_node, hall.devices(link)))
        if 2 * link in now or 2 * link + 1 in now:
            low, high = hall.devices(link)
            seen[link] = now.get(2 * link, Place(low, 2 * link)), now.get(2 * link + 1, Place(high, 2 * link + 1))
        else:
            account.lose(link)
    pairs = _pairs(hall, ((a.device, b.device) for a, b in seen.values()))
    left = pairs.copy()
    for link, ends in seen.items():
        if account.crosses(link, ends) or not _right(hall, link, ends, left):
            account.mislead(link)
    names = hall.cabling.device_names
    return Consequence(
        links=len(links),
        lost_gbps=dict(account.lost),
        astray_gbps=dict(account.astray),
        rails=_numbers(account.crossed["rail"]),
        planes=_numbers(account.crossed["plane"]),
        fabrics=tuple(dict.fromkeys((one, other) for _, one, other in account.crossed["fabric"])),
        uplinks=tuple((names[device], lost, len(hall.uplinks(device))) for device, lost in account.uplinks.items()),
        uneven=tuple(_uneven(hall, _pairs(hall, map(hall.devices, seen)), pairs)),
        nodes=len(account.nodes),
        accelerators=sum(map(hall.accelerators, account.nodes)),
    )


def _numbers(crossed: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, int, int], ...]:
    return tuple(sorted((fabric, int(one), int(other)) for fabric, one, other in crossed))


def _pairs(hall: _Hall, joined: Iterable[tuple[int, int]]) -> Pairs:
    """How many links join each pair of switches."""
    both = (tuple(sorted(pair)) for pair in joined)
    return Counter((one, other) for one, other in both if not hall.is_node(one) and not hall.is_node(other))


def _right(hall: _Hall, link: int, ends: tuple[Place, Place], left: Pairs) -> bool:
    """Whether a link serves as planned where it lies: a node's port is on its switch, or so many join two switches.

    `left` counts links between switches that were seen; those that serve are taken from it.
    """
    for own, far in (ends, ends[::-1]):
        if hall.is_node(own.device):
            return own.port != SPARE and int(hall.cabling.device[own.port ^ 1]) == far.device
    low, high = sorted(hall.devices(link))
    left[low, high] -= 1
    return left[low, high] >= 0


def _uneven(hall: _Hall, planned: Pairs, seen: Pairs) -> Iterator[tuple[str, str, int, int]]:
    """(switch, other switch, links there are, links planned) of each pair that has other numbers, the switch first that
    is below.
    """
    names, device = hall.cabling.device_names, hall.cabling.device
    for one, other in sorted(pair for pair in planned | seen if planned[pair] != seen[pair]):
        ports = hall.cabling.ports_of_device(one)
        between = ports[device[ports ^ 1] == other]
        there = len(between) - planned[one, other] + seen[one, other]
        upper_first = len(between) and int(between[0]) & 1
        yield (*((names[other], names[one]) if upper_first else (names[one], names[other])), there, len(between))


def _worst(hall: _Hall, actions: Iterable[Action]) -> Iterator[str]:
    """A sentence on the switch that has lost the largest part of its uplinks, if any has lost some."""
    lost: Counter[str] = Counter()
    for action in actions:
        for name, count, _ in action.consequence.uplinks:
            lost[name] += count
    if not lost:
        return
    number = hall.cabling.device_numbers
    planned = {name: len(hall.uplinks(number[name])) for name in lost}
    name = min(lost, key=lambda one: (-lost[one] / planned[one], one))
    yield (
        f"{name} has lost most uplinks: {lost[name]} of {planned[name]} ({lost[name] / planned[name]:.1%})"
        + _oversubscribed(hall, number[name], lost[name])
    )


def _oversubscribed(hall: _Hall, device: int, lost: int) -> str:
    """What that makes of its oversubscription."""
    ports = hall.cabling.ports_of_device(device).tolist()
    up = [hall.gbps(port >> 1) for port in hall.uplinks(device)]
    down = sum(hall.gbps(port >> 1) for port in ports if port & 1)
    left = sum(up) * (1 - lost / len(up))
    if not down or not left:
        return ""
    return f"; its oversubscription is {down / left:.2f}:1 in place of {down / sum(up):.2f}:1"
