"""What each thing that is not as planned costs until it is mended, and whether the cables in question reach.

A collective stays on its rail while every NIC of the rail is on the leaves of the rail. A NIC on the leaf of another
rail, or a plug on another leaf or spine than planned, still has its bandwidth, but its traffic takes a path that nobody
has counted on. Only a cable that nobody sees is bandwidth that is lost. Where the same devices are joined, merely by
other ports, no bandwidth suffers: addresses and descriptions of ports do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.verify.actions import Action, Consequence, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.consequences.places import SPARE, Place, Places, Reach
from fabricgen.verify.sightings import Seen, device_of
from fabricgen.wiring.arrays import Flags, Ints64, unique_values

_JUDGED = {kind for kind in Kind if kind not in (Kind.OPTIC, Kind.PORT)}
"""Kinds of actions that say where plugs are."""

Pairs: TypeAlias = "Counter[tuple[int, int]]"
"""How many links join two switches, by their devices in order."""


def with_consequences(
    cabling: PlannedCabling, diagnosis: Diagnosis, cluster: Cluster | None, seen: Seen | None = None
) -> Diagnosis:
    """The diagnosis with the consequence of each action, and whether the cable of each step reaches.

    `cluster` is None for a built folder, whose floor is not known. Links of a breakout that are `seen` to serve cost
    nothing. A note names the switch that has lost most uplinks.
    """
    if not diagnosis.actions:
        return diagnosis
    places = Places(cabling)
    checked = Reach(cabling, places, cluster).checked if cluster else tuple
    lookup = _Lookup(cabling, places, cluster.design.catalog if cluster else Catalog())
    links = places.links_of(cable for action in diagnosis.actions for cable in action.concerned)
    then = None if seen is None else _exchanged(cabling, places, seen, diagnosis.actions)
    named = {action.id: _named_links(cabling, places, action, links) for action in diagnosis.actions}
    claims = Counter(link for of_action in named.values() for link in of_action)

    def costs(action: Action) -> Consequence:
        sees = seen if action.renamed else then
        own = [link for cable in action.concerned for link in links[cable]]
        # of a cable that several actions tell, each costs the links that it names
        own = [link for link in own if link in named[action.id] or not claims[link]]
        own = own if sees is None else [link for link in own if not _serves(cabling, sees, link)]
        return _consequence(lookup, action, own, sees)

    actions = tuple(
        replace(
            action,
            consequence=costs(action),
            steps=checked(action.steps),
            alternatives=tuple(replace(other, steps=checked(other.steps)) for other in action.alternatives),
        )
        for action in diagnosis.actions
    )
    return replace(diagnosis, actions=actions, notes=(*diagnosis.notes, *_worst(lookup, actions)))


def _named_links(
    cabling: PlannedCabling, places: Places, action: Action, links: Mapping[str, Sequence[int]]
) -> set[int]:
    """The links whose plugs an action moves, or whose plugs or box are those at which it sends somebody to look."""
    if action.kind is not Kind.DARK:
        return {port >> 1 for port in places.now(action)}
    boxes = {cabling.device_numbers.get(end.device) for end in action.ends if not end.port}
    plugs = {int(cabling.plug[port]) for end in action.ends if (port := places.port(end)) is not None}
    # where all ends are of one device, the plugs at the others are not listed
    joins = all if len({end.device for end in action.ends}) > 1 else any
    return {
        link
        for cable in action.concerned
        for link in links[cable]
        if joins(int(cabling.plug[port]) in plugs for port in (2 * link, 2 * link + 1))
        or any(int(cabling.device[port]) in boxes for port in (2 * link, 2 * link + 1))
    }


def _exchanged(cabling: PlannedCabling, places: Places, seen: Seen, actions: Iterable[Action]) -> Seen:
    """What will be seen once boxes are exchanged: what all other actions are about."""
    exchanges = [action for action in actions if action.renamed]
    told_at = {port: place.port for action in exchanges for port, place in places.now(action).items()}
    if not told_at:
        return seen
    number, stands_for = cabling.device_numbers, np.arange(len(cabling.device_names), dtype=np.int32)
    for action in exchanges:
        for box, name in action.renamed.items():
            stands_for[number[box]] = number[name]
    towards = np.where(seen.towards < 0, -1, stands_for[seen.towards])
    now = {told: port for port, told in told_at.items() if told != SPARE}
    mate, sees = seen.mate.copy(), towards.copy()
    moved = np.array([*now, *told_at], dtype=np.int64)
    mate[moved] = sees[moved] = -1
    for told, port in now.items():
        far = int(seen.mate[told])
        mate[port], sees[port] = now.get(far, far), towards[told]
        if far >= 0 and far not in now:
            mate[far] = port
    return replace(seen, mate=mate, towards=sees)


def _serves(cabling: PlannedCabling, seen: Seen, link: int) -> bool:
    """Whether the ends of a link see each other, one the device of the other, or parallel links of the two devices.

    Where one end of parallel links sees nobody, one of them is gone.
    """
    a, b = 2 * link, 2 * link + 1
    far, device = int(seen.mate[a]), cabling.device
    if 0 <= far < cabling.ports and device[far] == device[b] and device[far ^ 1] == device[a]:
        alike = far == b or cabling.are_alike(far, b) or cabling.are_alike(far ^ 1, a)
        return alike and bool(seen.mate[b] >= 0)
    return bool(seen.towards[a] == device[b] or seen.towards[b] == device[a])


class _Lookup:
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
            links = self.cabling.ports_of_device(device) >> 1
            of, found = self.cabling.links["fabric"], self.cabling.links[column]
            codes = found.codes[links[of.vocabulary[of.codes[links]] == fabric]]
            self._served[key] = frozenset(found.vocabulary[unique_values(codes)].tolist()) - {""}
        return self._served[key]

    def at(self, column: str, fabric: str, place: Place) -> frozenset[str]:
        """The rails or planes that a port of a node is for, or that a switch serves in a fabric."""
        if place.port != SPARE and self.is_node(place.device):
            return frozenset({str(self.cabling.of_link(column, place.port))}) - {""}
        return self.served(column, fabric, place.device)

    def nearest(self, column: str, place: Place, served: frozenset[str]) -> str:
        """Which of the rails or planes that are served at a place its port is for: a switch may have several."""
        told = "" if place.port == SPARE else str(self.cabling.of_link(column, place.port))
        return told if told in served else min(served, key=int)

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

    def serves_accelerators(self, links: Sequence[int]) -> bool:
        """Whether any of some links is of the network between accelerators: that which gives nodes most bandwidth."""
        return bool(self._of_accelerators[self.cabling.links["fabric"].codes[list(links)]].any())

    @cached_property
    def _of_accelerators(self) -> Flags:
        """By fabric, whether nodes have at least half as much bandwidth to it as to any."""
        fabric, speed = self.cabling.links["fabric"], self.cabling.links["speed_gbps"]
        node = (self.cabling.devices["tier"].vocabulary == "node")[self.cabling.devices["tier"].codes]
        gbps = speed.vocabulary.astype(np.float64)[speed.codes] * node[self.cabling.device[0::2]]
        total = np.bincount(fabric.codes, weights=gbps, minlength=len(fabric.vocabulary))
        found: Flags = 2 * total >= total.max(initial=0)
        return found

    def uplinks(self, device: int) -> list[int]:
        """The planned ports of a switch to the tier above."""
        ports = self.cabling.ports_of_device(device)
        found: list[int] = ports[(ports & 1 == 0) & self.are_uplinks(ports)].tolist()
        return found

    def are_uplinks(self, ports: Ints64) -> Flags:
        """Whether the link of each port joins switches of one fabric and of different tiers."""
        low, high = (self.cabling.device[end] for end in (ports & ~1, ports | 1))
        tier, fabric = (self.cabling.devices[what].codes for what in ("tier", "fabric"))
        found: Flags = (tier[low] != tier[high]) & (fabric[low] == fabric[high])
        return found

    def nodes_below(self, device: int) -> set[int]:
        """The nodes on a switch."""
        far = unique_values(self.cabling.device[self.cabling.ports_of_device(device) ^ 1])
        return set(filter(self.is_node, far))

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

    lookup: _Lookup
    lost: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    astray: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    crossed: dict[str, dict[tuple[str, str, str], None]] = field(default_factory=lambda: defaultdict(dict))
    uplinks: Counter[int] = field(default_factory=Counter)
    nodes: set[int] = field(default_factory=set)

    def lose(self, link: int) -> None:
        """Count a link that nobody sees."""
        self.lost[self.lookup.tiers(link)] += self.lookup.gbps(link)
        if self.lookup.are_uplinks(np.array([2 * link], dtype=np.int64))[0]:
            self.uplinks[self.lookup.devices(link)[0]] += 1
        self._affect(link)

    def mislead(self, link: int) -> None:
        """Count a link that is up, on a wrong path."""
        self.astray[self.lookup.tiers(link)] += self.lookup.gbps(link)
        self._affect(link)

    def _affect(self, link: int) -> None:
        low, high = self.lookup.devices(link)
        if not self.lookup.is_node(low) and not self.lookup.is_node(high):
            self.nodes |= self.lookup.nodes_below(low)

    def crosses(self, link: int, ends: tuple[Place, Place]) -> bool:
        """Note which rail, plane or fabric a link crosses where it lies now; whether it does."""
        lookup, planned = self.lookup, self.lookup.fabric(2 * link)
        fabrics = sorted({lookup.fabric(place.port) for place in ends if place.port != SPARE} or {planned})
        if len(fabrics) > 1:
            other = next(fabric for fabric in fabrics if fabric != planned)
            self.crossed["fabric"][planned, planned, other] = None
            return True
        planned = fabrics[0]
        found = False
        for column in ("rail", "plane"):
            own, far = (lookup.at(column, planned, place) for place in ends)
            if own and far and not own & far:
                found = True
                one, other = (lookup.nearest(column, place, at) for place, at in zip(ends, (own, far), strict=True))
                self.crossed[column][planned, one, other] = None
        return found


def _consequence(lookup: _Lookup, action: Action, links: Sequence[int], sees: Seen | None) -> Consequence:
    """What an action's links cost, by where their plugs are now; those of its cables that it does not move are lost,
    unless both ends see others, which another action tells.
    """
    if action.kind not in _JUDGED or not links:
        return Consequence()
    account, now = _Account(lookup), lookup.places.now(action)
    seen: dict[int, tuple[Place, Place]] = {}
    for link in links:
        account.nodes.update(filter(lookup.is_node, lookup.devices(link)))
        if 2 * link in now or 2 * link + 1 in now:
            low, high = lookup.places.of_link(link)
            seen[link] = now.get(low.port, low), now.get(high.port, high)
        elif sees is None or sees.mate[2 * link] < 0 or sees.mate[2 * link + 1] < 0:
            account.lose(link)
    pairs = _pairs(lookup, ((a.device, b.device) for a, b in seen.values()))
    served = Counter(_joins(lookup, ends) for ends in seen.values())
    for link, ends in seen.items():
        wanted = _joins(lookup, lookup.places.of_link(link))
        served[wanted] -= 1
        if account.crosses(link, ends) or served[wanted] < 0:
            account.mislead(link)
    names = lookup.cabling.device_names
    return Consequence(
        links=len(links),
        lost_gbps=dict(account.lost),
        astray_gbps=dict(account.astray),
        rails=_numbers(account.crossed["rail"]),
        planes=_numbers(account.crossed["plane"]),
        fabrics=tuple(dict.fromkeys((one, other) for _, one, other in account.crossed["fabric"])),
        uplinks=tuple((names[device], lost, len(lookup.uplinks(device))) for device, lost in account.uplinks.items()),
        uneven=tuple(_uneven(lookup, _pairs(lookup, map(lookup.devices, seen)), pairs, sees)),
        nodes=len(account.nodes),
        accelerators=sum(map(lookup.accelerators, account.nodes)) if lookup.serves_accelerators(links) else 0,
    )


def _numbers(crossed: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, int, int], ...]:
    return tuple(sorted((fabric, int(one), int(other)) for fabric, one, other in crossed))


def _pairs(lookup: _Lookup, joined: Iterable[tuple[int, int]]) -> Pairs:
    """How many links join each pair of switches."""
    both = (tuple(sorted(pair)) for pair in joined)
    return Counter((one, other) for one, other in both if not lookup.is_node(one) and not lookup.is_node(other))


def _joins(lookup: _Lookup, ends: tuple[Place, Place]) -> tuple[tuple[int, int], ...]:
    """What a link joins, as far as bandwidth is concerned: any port of a switch will do, but of a node that one."""
    return tuple(sorted((0, end.port) if lookup.is_node(end.device) else (1, end.device) for end in ends))


def _uneven(lookup: _Lookup, planned: Pairs, seen: Pairs, sees: Seen | None) -> Iterator[tuple[str, str, int, int]]:
    """(switch, other switch, links there are, links planned) of each pair that has other numbers, the switch first that
    is below. Where dumps tell of the pair, they have the word.
    """
    names, device = lookup.cabling.device_names, lookup.cabling.device
    for one, other in sorted(pair for pair in planned | seen if planned[pair] != seen[pair]):
        ports = lookup.cabling.ports_of_device(one)
        between = ports[device[ports ^ 1] == other]
        there = len(between) - planned[one, other] + seen[one, other]
        if sees is not None:
            there = _links_seen(lookup.cabling, sees, one, other) + _unseen(sees, between)
            if there == len(between):
                continue
        upper_first = len(between) and int(between[0]) & 1
        yield (*((names[other], names[one]) if upper_first else (names[one], names[other])), there, len(between))


def _links_seen(cabling: PlannedCabling, sees: Seen, one: int, other: int) -> int:
    """How many links dumps show between two devices, at planned and at spare ports."""
    spare = [number for number, port in enumerate(sees.spare, cabling.ports) if port.device == one]
    ports = np.r_[cabling.ports_of_device(one), np.array(spare, dtype=np.int64)]
    mates = [device_of(cabling, sees, mate) for mate in sees.mate[ports].tolist() if mate >= 0]
    return mates.count(other) + int((sees.towards[ports] == other).sum())


def _unseen(sees: Seen, ports: Ints64) -> int:
    """How many planned links, by the ports at one of their ends, no dump tells of."""
    blind = (sees.mate[ports] < 0) & (sees.mate[ports ^ 1] < 0) & (sees.towards[ports] < 0)
    return int((blind & ~sees.dumped[ports] & ~sees.dumped[ports ^ 1]).sum())


def _worst(lookup: _Lookup, actions: Iterable[Action]) -> Iterator[str]:
    """A sentence on the switch that has lost the largest part of its uplinks, if any has lost some."""
    lost: Counter[str] = Counter()
    for action in actions:
        for name, count, _ in action.consequence.uplinks:
            lost[name] += count  # two actions may tell the same link: one that is dark, of boxes that are exchanged
    if not lost:
        return
    number = lookup.cabling.device_numbers
    planned = {name: len(lookup.uplinks(number[name])) for name in lost}
    lost = Counter({name: min(count, planned[name]) for name, count in lost.items()})
    name = min(lost, key=lambda one: (-lost[one] / planned[one], one))
    yield (
        f"of all switches {name} has lost the most uplinks: {lost[name]} of {planned[name]}"
        f" ({lost[name] / planned[name]:.1%})" + _oversubscribed(lookup, number[name], lost[name])
    )


def _oversubscribed(lookup: _Lookup, device: int, lost: int) -> str:
    """What that makes of its oversubscription."""
    ports = lookup.cabling.ports_of_device(device).tolist()
    up = [lookup.gbps(port >> 1) for port in lookup.uplinks(device)]
    down = sum(lookup.gbps(port >> 1) for port in ports if port & 1)
    left = sum(up) * (1 - lost / len(up))
    if not down or not left:
        return ""
    return f"; its oversubscription is {down / left:.2f}:1 in place of {down / sum(up):.2f}:1"
