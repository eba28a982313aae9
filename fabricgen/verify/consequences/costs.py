"""What each fault costs until it is mended, and whether planned cables reach the places where their plugs are.

A collective stays on its rail as long as every NIC of the rail is on the leaves of that rail. A NIC on the leaf of
another rail, or a plug on another leaf or spine than planned, still has its bandwidth, but its traffic takes an
unplanned path. Bandwidth is lost only by a cable at which nobody is seen. If the same devices are joined by other
ports, no bandwidth suffers: only addresses and descriptions of ports are wrong.
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
from fabricgen.verify.consequences.places import SPARE, NumberedPort, PortNumbersByName, Reach
from fabricgen.verify.sightings import SeenPorts, find_device
from fabricgen.wiring.arrays import Flags, Ints64, unique_values

_JUDGED = {kind for kind in Kind if kind not in (Kind.OPTIC, Kind.PORT)}
"""Kinds of actions that say where plugs are, and so have a cost."""

Pairs: TypeAlias = "Counter[tuple[int, int]]"
"""How many links join two switches, by (lower row, higher row) of their devices."""


def add_consequences(
    cabling: PlannedCabling, diagnosis: Diagnosis, cluster: Cluster | None, seen_ports: SeenPorts | None = None
) -> Diagnosis:
    """Add to a diagnosis the consequence of each action, and whether the cable of each step reaches.

    `cluster` is None for a built folder, whose floor is not known. Links that work as planned, as `seen_ports` shows,
    cost nothing. A note names the switch that has lost the largest part of its uplinks.
    """
    if not diagnosis.actions:
        return diagnosis
    port_numbers = PortNumbersByName(cabling)
    check_steps = Reach(cabling, port_numbers, cluster).check_steps if cluster else tuple
    lookup = _Lookup(cabling, port_numbers, cluster.design.catalog if cluster else Catalog())
    links = port_numbers.list_links(cable for action in diagnosis.actions for cable in action.concerned)
    after_exchanges = (
        None if seen_ports is None else _exchange_ports(cabling, port_numbers, seen_ports, diagnosis.actions)
    )
    links_named_by = {
        action.id: _find_named_links(cabling, port_numbers, action, links) for action in diagnosis.actions
    }
    # how many actions name each link
    naming_actions = Counter(link for action_links in links_named_by.values() for link in action_links)

    def price_action(action: Action) -> Consequence:
        # the cost, until an action is done, of its links that do not work as planned
        sees = seen_ports if action.renamed else after_exchanges
        costly_links = [
            link
            for cable in action.concerned
            for link in links[cable]
            # if several actions are about one cable, each costs the links that it names
            if (link in links_named_by[action.id] or not naming_actions[link])
            and (sees is None or not _works_as_planned(cabling, sees, link))
        ]
        return _price_links(lookup, action, costly_links, sees)

    actions = tuple(
        replace(
            action,
            consequence=price_action(action),
            steps=check_steps(action.steps),
            alternatives=tuple(
                replace(alternative, steps=check_steps(alternative.steps)) for alternative in action.alternatives
            ),
        )
        for action in diagnosis.actions
    )
    return replace(diagnosis, actions=actions, notes=(*diagnosis.notes, *_note_worst_switch(lookup, actions)))


def _find_named_links(
    cabling: PlannedCabling, places: PortNumbersByName, action: Action, links: Mapping[str, Sequence[int]]
) -> set[int]:
    """Return the links that an action names: those whose plugs it moves, or whose plugs or device it asks to look at.

    `links` has the links of each cable, by cable id.
    """
    if action.kind is not Kind.DARK:
        return {port >> 1 for port in places.find_places(action)}
    boxes = {cabling.device_numbers.get(end.device) for end in action.ends if not end.port}
    plugs = {int(cabling.plug[port]) for end in action.ends if (port := places.find_port(end)) is not None}
    # if all ends are on one device, the plugs at the far ends are not listed, and one listed plug suffices
    needed = all if len({end.device for end in action.ends}) > 1 else any
    return {
        link
        for cable in action.concerned
        for link in links[cable]
        if needed(int(cabling.plug[port]) in plugs for port in (2 * link, 2 * link + 1))
        or any(int(cabling.device[port]) in boxes for port in (2 * link, 2 * link + 1))
    }


def _exchange_ports(
    cabling: PlannedCabling, places: PortNumbersByName, seen_ports: SeenPorts, actions: Iterable[Action]
) -> SeenPorts:
    """Return what will be seen once boxes are exchanged, since all other actions are about that state.

    `seen_ports` is returned if no action exchanges boxes. A copy is made of what is changed.
    """
    exchanges = [action for action in actions if action.renamed]
    seen_at = {port: port_place.port for action in exchanges for port, port_place in places.find_places(action).items()}
    if not seen_at:
        return seen_ports
    row_of_name, stands_for = cabling.device_numbers, np.arange(len(cabling.device_names), dtype=np.int32)
    for action in exchanges:
        for box, name in action.renamed.items():
            stands_for[row_of_name[box]] = row_of_name[name]
    # -1 (no device) reads the last entry here, which `where` then replaces
    towards = np.where(seen_ports.towards < 0, -1, stands_for[seen_ports.towards])
    new_port = {seen_port: port for port, seen_port in seen_at.items() if seen_port != SPARE}
    joined_to, towards_device = seen_ports.joined_to.copy(), towards.copy()
    exchanged_ports = np.array([*new_port, *seen_at], dtype=np.int64)
    # all ports of the ring are cleared before any is filled, since each takes the place of another
    joined_to[exchanged_ports] = towards_device[exchanged_ports] = -1
    for seen_port, port in new_port.items():
        far_port = int(seen_ports.joined_to[seen_port])
        joined_to[port], towards_device[port] = new_port.get(far_port, far_port), towards[seen_port]
        if far_port >= 0 and far_port not in new_port:
            joined_to[far_port] = port
    return replace(seen_ports, joined_to=joined_to, towards=towards_device)


def _works_as_planned(cabling: PlannedCabling, seen_ports: SeenPorts, link: int) -> bool:
    """Whether a link joins its devices: its ends see each other, or an equal parallel port, or one sees the far device.

    A port that sees a parallel one is not enough: its own planned far port must see somebody too, or that link is gone.
    """
    a, b = 2 * link, 2 * link + 1
    far_port, device = int(seen_ports.joined_to[a]), cabling.device
    # the a end sees a port of the device at b, which the plan joins with the device at a
    if 0 <= far_port < cabling.ports and device[far_port] == device[b] and device[far_port ^ 1] == device[a]:
        alike = far_port == b or cabling.are_alike(far_port, b) or cabling.are_alike(far_port ^ 1, a)
        return alike and bool(seen_ports.joined_to[b] >= 0)
    return bool(seen_ports.towards[a] == device[b] or seen_ports.towards[b] == device[a])


class _Lookup:
    """Answers questions about planned devices and links; answers that take long are cached."""

    def __init__(self, cabling: PlannedCabling, places: PortNumbersByName, catalog: Catalog) -> None:
        self.cabling, self.places, self._catalog = cabling, places, catalog
        self._served: dict[tuple[str, str, int], frozenset[str]] = {}
        self._accelerators: dict[str, int] = {}

    def is_node(self, device: int) -> bool:
        """Whether a device is a node or an extra device."""
        return bool(self.cabling.read_device("tier", device) == "node")

    def list_served(self, column: str, fabric: str, device: int) -> frozenset[str]:
        """Return the rails or planes that a device serves in a fabric: those of its planned links there.

        `column` is `rail` or `plane`, a column of links.csv; the numbers are texts, such as `1`. Links of no rail or
        plane add nothing.
        """
        key = column, fabric, device
        if key not in self._served:
            # the ports of link n are 2n and 2n + 1
            links = self.cabling.list_device_ports(device) >> 1
            # a column has a code for each link, and the text of each code in its vocabulary
            fabrics, numbers = self.cabling.links["fabric"], self.cabling.links[column]
            # a device may serve several fabrics, whose rails have the same numbers
            links_of_fabric = links[fabrics.vocabulary[fabrics.codes[links]] == fabric]
            codes = unique_values(numbers.codes[links_of_fabric])
            self._served[key] = frozenset(numbers.vocabulary[codes].tolist()) - {""}
        return self._served[key]

    def list_served_at(self, column: str, fabric: str, place: NumberedPort) -> frozenset[str]:
        """Return the rails or planes (`column`) of a place in a fabric.

        At a planned port of a node it is that of the port alone; anywhere else it is all that the device serves.
        """
        if place.port != SPARE and self.is_node(place.device):
            return frozenset({str(self.cabling.read_link(column, place.port))}) - {""}
        return self.list_served(column, fabric, place.device)

    def pick_served(self, column: str, place: NumberedPort, served: frozenset[str]) -> str:
        """Return the rail or plane (`column`) that is planned at a port if it is in `served`, else the lowest there."""
        planned = "" if place.port == SPARE else str(self.cabling.read_link(column, place.port))
        return planned if planned in served else min(served, key=int)

    def find_fabric(self, port: int) -> str:
        """Return the fabric of the link that is planned at a port."""
        return str(self.cabling.read_link("fabric", port))

    def count_accelerators(self, device: int) -> int:
        """Return the number of accelerators of a node; 0 if the catalogue does not know its model."""
        model = str(self.cabling.read_device("model", device))
        if model not in self._accelerators:
            accelerators = self._catalog.node(model).accelerators if model in self._catalog.ids("nodes") else None
            self._accelerators[model] = accelerators.count if accelerators else 0
        return self._accelerators[model]

    def serves_accelerators(self, links: Sequence[int]) -> bool:
        """Whether any of these links is in a network between accelerators: one that gives nodes most bandwidth."""
        return bool(self._of_accelerators[self.cabling.links["fabric"].codes[list(links)]].any())

    @cached_property
    def _of_accelerators(self) -> Flags:
        """Flags by fabric (code of the column in links.csv): whether it joins accelerators, so far as speeds tell.

        That is so if nodes have at least half as much bandwidth to it as to the fabric to which they have most.
        """
        fabric, speed = self.cabling.links["fabric"], self.cabling.links["speed_gbps"]
        node = (self.cabling.devices["tier"].vocabulary == "node")[self.cabling.devices["tier"].codes]
        gbps = speed.vocabulary.astype(np.float64)[speed.codes] * node[self.cabling.device[0::2]]
        total = np.bincount(fabric.codes, weights=gbps, minlength=len(fabric.vocabulary))
        # accelerators use the widest network; those for storage and management are narrower
        flags: Flags = 2 * total >= total.max(initial=0)
        return flags

    def list_uplinks(self, device: int) -> list[int]:
        """Return the planned ports of a switch to the tier above."""
        ports = self.cabling.list_device_ports(device)
        # the a end of a link (an even number) is at the lower tier
        uplinks: list[int] = ports[(ports & 1 == 0) & self.are_between_tiers(ports)].tolist()
        return uplinks

    def are_between_tiers(self, ports: Ints64) -> Flags:
        """Flag the ports (int64) at either end of links between two tiers of switches of one fabric."""
        # nodes are in no fabric
        device_a, device_b = (self.cabling.device[end] for end in (ports & ~1, ports | 1))
        tier, fabric = (self.cabling.devices[column].codes for column in ("tier", "fabric"))
        flags: Flags = (tier[device_a] != tier[device_b]) & (fabric[device_a] == fabric[device_b])
        return flags

    def list_nodes_below(self, device: int) -> set[int]:
        """Return the nodes that the plan joins to a switch."""
        # `port ^ 1` is the far end of the planned link of a port
        far_devices = unique_values(self.cabling.device[self.cabling.list_device_ports(device) ^ 1])
        return set(filter(self.is_node, far_devices))

    def find_speed(self, link: int) -> float:
        """Return the speed of a link, Gb/s."""
        return float(self.cabling.read_link("speed_gbps", 2 * link))

    def name_tiers(self, link: int) -> str:
        """Return the fabric of a link and the tiers of its a and b end: `compute node-leaf`."""
        tier_a, tier_b = (self.cabling.read_device("tier", device) for device in self.list_devices(link))
        return f"{self.cabling.read_link('fabric', 2 * link)} {tier_a}-{tier_b}"

    def list_devices(self, link: int) -> tuple[int, int]:
        """Return the devices that are planned at the a end and the b end of a link."""
        return int(self.cabling.device[2 * link]), int(self.cabling.device[2 * link + 1])


@dataclass
class _Account:
    """What the links of one action cost, summed up for a `Consequence`.

    `lost` and `astray` are in Gb/s, by fabric and tiers. `crossed` has, for `rail`, `plane` and `fabric`, (fabric,
    planned, seen) in the order of links; `uplinks` has the number of lost uplinks by switch (row), and `nodes` the rows
    of the affected nodes.
    """

    lookup: _Lookup
    lost: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    astray: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    crossed: dict[str, dict[tuple[str, str, str], None]] = field(default_factory=lambda: defaultdict(dict))
    uplinks: Counter[int] = field(default_factory=Counter)
    nodes: set[int] = field(default_factory=set)

    def count_lost(self, link: int) -> None:
        """Count a link at which nobody is seen."""
        self.lost[self.lookup.name_tiers(link)] += self.lookup.find_speed(link)
        # `2 * link` is its a end, the lower one
        if self.lookup.are_between_tiers(np.array([2 * link], dtype=np.int64))[0]:
            self.uplinks[self.lookup.list_devices(link)[0]] += 1
        self._count_affected(link)

    def count_misled(self, link: int) -> None:
        """Count a link that is up, and on a wrong path."""
        self.astray[self.lookup.name_tiers(link)] += self.lookup.find_speed(link)
        self._count_affected(link)

    def _count_affected(self, link: int) -> None:
        device_a, device_b = self.lookup.list_devices(link)
        if not self.lookup.is_node(device_a) and not self.lookup.is_node(device_b):
            self.nodes |= self.lookup.list_nodes_below(device_a)

    def note_crossings(self, link: int, end_ports: tuple[NumberedPort, NumberedPort]) -> bool:
        """Note the rails, planes or fabric that a link with its ends at these ports crosses; return whether it does.

        If the ports are of several fabrics, rails and planes are not compared.
        """
        lookup, planned_fabric = self.lookup, self.lookup.find_fabric(2 * link)
        fabrics = sorted(
            {lookup.find_fabric(end_port.port) for end_port in end_ports if end_port.port != SPARE} or {planned_fabric}
        )
        if len(fabrics) > 1:
            seen_value = next(fabric for fabric in fabrics if fabric != planned_fabric)
            # the dict serves as a set that keeps its order
            self.crossed["fabric"][planned_fabric, planned_fabric, seen_value] = None
            return True
        planned_fabric = fabrics[0]
        has_crossed = False
        for column in ("rail", "plane"):
            near_served, far_served = (
                lookup.list_served_at(column, planned_fabric, end_port) for end_port in end_ports
            )
            if near_served and far_served and not near_served & far_served:
                has_crossed = True
                planned_value, seen_value = (
                    lookup.pick_served(column, end_port, served)
                    for end_port, served in zip(end_ports, (near_served, far_served), strict=True)
                )
                self.crossed[column][planned_fabric, planned_value, seen_value] = None
        return has_crossed


def _price_links(lookup: _Lookup, action: Action, links: Sequence[int], sees: SeenPorts | None) -> Consequence:
    """Compute what `links` of an action cost, by where the plugs of the action are now.

    A link that the action does not move is lost, unless both its ends see other ports: then another action is about it.
    `sees` is None if no sightings are given: then all these links are lost. Actions about modules or ports cost
    nothing.
    """
    if action.kind not in _JUDGED or not links:
        return Consequence()
    account, place_of_port = _Account(lookup), lookup.places.find_places(action)
    places_now: dict[int, tuple[NumberedPort, NumberedPort]] = {}
    for link in links:
        account.nodes.update(filter(lookup.is_node, lookup.list_devices(link)))
        if 2 * link in place_of_port or 2 * link + 1 in place_of_port:
            place_a, place_b = lookup.places.list_link_places(link)
            places_now[link] = place_of_port.get(place_a.port, place_a), place_of_port.get(place_b.port, place_b)
        elif sees is None or sees.joined_to[2 * link] < 0 or sees.joined_to[2 * link + 1] < 0:
            account.count_lost(link)
    pairs_now = _count_pairs(lookup, ((a.device, b.device) for a, b in places_now.values()))
    # how often each pair is joined now: links that are swapped among themselves serve each other's purpose
    join_counts = Counter(_describe_join(lookup, ends) for ends in places_now.values())
    for link, ends in places_now.items():
        planned_join = _describe_join(lookup, lookup.places.list_link_places(link))
        join_counts[planned_join] -= 1
        if account.note_crossings(link, ends) or join_counts[planned_join] < 0:
            account.count_misled(link)
    names = lookup.cabling.device_names
    return Consequence(
        links=len(links),
        lost_gbps=dict(account.lost),
        astray_gbps=dict(account.astray),
        rails=_sort_crossings(account.crossed["rail"]),
        planes=_sort_crossings(account.crossed["plane"]),
        fabrics=tuple(dict.fromkeys((planned, seen_fabric) for _, planned, seen_fabric in account.crossed["fabric"])),
        uplinks=tuple(
            (names[device], lost_links, len(lookup.list_uplinks(device)))
            for device, lost_links in account.uplinks.items()
        ),
        uneven=tuple(
            _list_uneven_pairs(lookup, _count_pairs(lookup, map(lookup.list_devices, places_now)), pairs_now, sees)
        ),
        nodes=len(account.nodes),
        accelerators=sum(map(lookup.count_accelerators, account.nodes)) if lookup.serves_accelerators(links) else 0,
    )


def _sort_crossings(crossed: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, int, int], ...]:
    return tuple(sorted((fabric, int(planned), int(seen)) for fabric, planned, seen in crossed))


def _count_pairs(lookup: _Lookup, joined: Iterable[tuple[int, int]]) -> Pairs:
    """Return how many links join each two switches, by (lower device row, higher one); links of nodes are left out.

    `joined` has the device rows at both ends of each link, in any order.
    """
    sorted_pairs = (tuple(sorted(pair)) for pair in joined)
    return Counter(
        (lower_row, higher_row)
        for lower_row, higher_row in sorted_pairs
        if not lookup.is_node(lower_row) and not lookup.is_node(higher_row)
    )


def _describe_join(lookup: _Lookup, ends: tuple[NumberedPort, NumberedPort]) -> tuple[tuple[int, int], ...]:
    """Return a key of what a link joins, equal for links that serve the same bandwidth: two sorted pairs, one an end.

    The pair of an end is (0, port) at a node, whose ports are not interchangeable, and (1, device) at a switch, whose
    ports are.
    """
    return tuple(sorted((0, end.port) if lookup.is_node(end.device) else (1, end.device) for end in ends))


def _list_uneven_pairs(
    lookup: _Lookup, planned: Pairs, seen_pairs: Pairs, seen_ports: SeenPorts | None
) -> Iterator[tuple[str, str, int, int]]:
    """Yield (lower switch, upper switch, links there are, links planned) of each pair with more or fewer links.

    `planned` and `seen_pairs` count the links of the action, as planned and as they are now. If dumps tell about the
    pair (`seen_ports` is given), their count is used, and a pair with the planned number of links is left out.
    """
    names, device = lookup.cabling.device_names, lookup.cabling.device
    for lower_row, higher_row in sorted(pair for pair in planned | seen_pairs if planned[pair] != seen_pairs[pair]):
        ports = lookup.cabling.list_device_ports(lower_row)
        planned_ports = ports[device[ports ^ 1] == higher_row]
        # the planned links of the pair less those of the action, plus those that the action's plugs make now
        links_there = len(planned_ports) - planned[lower_row, higher_row] + seen_pairs[lower_row, higher_row]
        if seen_ports is not None:
            links_there = _count_links_seen(lookup.cabling, seen_ports, lower_row, higher_row) + _count_unseen(
                seen_ports, planned_ports
            )
            if links_there == len(planned_ports):
                continue
        # `lower_row` is the lower row of devices, and may be the upper switch: then its ports are b ends, which are odd
        is_upper = len(planned_ports) and int(planned_ports[0]) & 1
        yield (
            *((names[higher_row], names[lower_row]) if is_upper else (names[lower_row], names[higher_row])),
            links_there,
            len(planned_ports),
        )


def _count_links_seen(cabling: PlannedCabling, seen_ports: SeenPorts, device_a: int, device_b: int) -> int:
    """Count the links that dumps show between two devices, at planned and at spare ports."""
    spare = [number for number, port in enumerate(seen_ports.spare, cabling.ports) if port.device == device_a]
    ports = np.r_[cabling.list_device_ports(device_a), np.array(spare, dtype=np.int64)]
    far_ports = [far_port for far_port in seen_ports.joined_to[ports].tolist() if far_port >= 0]
    joined = sum(find_device(cabling, seen_ports, far_port) == device_b for far_port in far_ports)
    return joined + int((seen_ports.towards[ports] == device_b).sum())


def _count_unseen(seen_ports: SeenPorts, ports: Ints64) -> int:
    """Count the planned links, given by ports at one of their ends, about which no dump tells anything."""
    blind = (seen_ports.joined_to[ports] < 0) & (seen_ports.joined_to[ports ^ 1] < 0) & (seen_ports.towards[ports] < 0)
    return int((blind & ~seen_ports.dumped[ports] & ~seen_ports.dumped[ports ^ 1]).sum())


def _note_worst_switch(lookup: _Lookup, actions: Iterable[Action]) -> Iterator[str]:
    """Yield a sentence about the switch that has lost the largest part of its uplinks, if any switch has lost some."""
    lost: Counter[str] = Counter()
    for action in actions:
        for name, count, _ in action.consequence.uplinks:
            lost[name] += count  # may count a link twice: as dark, and as one of exchanged boxes
    if not lost:
        return
    number = lookup.cabling.device_numbers
    planned = {name: len(lookup.list_uplinks(number[name])) for name in lost}
    lost = Counter({name: min(count, planned[name]) for name, count in lost.items()})
    # the largest part, and of several switches the first by name
    name = min(lost, key=lambda switch: (-lost[switch] / planned[switch], switch))
    yield (
        f"of all switches {name} has lost the most uplinks: {lost[name]} of {planned[name]}"
        f" ({lost[name] / planned[name]:.1%})" + _describe_oversubscription(lookup, number[name], lost[name])
    )


def _describe_oversubscription(lookup: _Lookup, device: int, lost: int) -> str:
    """Say what the oversubscription of a switch becomes if it loses `lost` uplinks.

    "" if it has no links down, or if no uplink is left.
    """
    ports = lookup.cabling.list_device_ports(device).tolist()
    up_gbps = [lookup.find_speed(port >> 1) for port in lookup.list_uplinks(device)]
    # a switch is the upper end, the odd port, of what hangs below it
    down_gbps = sum(lookup.find_speed(port >> 1) for port in ports if port & 1)
    left_gbps = sum(up_gbps) * (1 - lost / len(up_gbps))
    if not down_gbps or not left_gbps:
        return ""
    return f"; its oversubscription is {down_gbps / left_gbps:.2f}:1 in place of {down_gbps / sum(up_gbps):.2f}:1"
