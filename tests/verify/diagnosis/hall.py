"""A hall as it was cabled: which plug is in which cage, which name each box tells, and what its dumps would say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.cabling import PlannedCabling, make_cabling
from fabricgen.verify.sightings import SeenPorts, SparePort
from tests.conftest import example_cluster

Cage = int | tuple[int, tuple[str, ...]]
"""Where a plug sits: the number of the plug that is planned there, or (device, names of ports) of a spare cage."""

NAMES = ("leaf-spine", "mixed-breakouts", "small-pair", "collapsed-pair", "four-tier", "dual-stack", "bonded-pair")
NAMES += ("patched-hall", "rail-only", "two-generations", "mixed-speeds")


@cache
def cabling(name: str) -> PlannedCabling:
    return make_cabling(example_cluster(name))


@dataclass
class Hall:
    """`cage` of each plug (None: it hangs loose), `tells` the device whose name each box tells."""

    cabling: PlannedCabling
    cage: list[Cage | None] = field(default_factory=list)
    tells: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.plugs = int(self.cabling.plug.max()) + 1
        self.ports = [self.cabling.list_plug_ports(plug) for plug in range(self.plugs)]
        self.device = [int(self.cabling.device[ports[0]]) for ports in self.ports]
        self.cage = self.cage or list(range(self.plugs))
        self.tells = self.tells or list(range(len(self.cabling.device_names)))
        self.numbers = {
            (int(self.cabling.device[port]), self.cabling.port_text(port)): port for port in range(self.cabling.ports)
        }

    def copy(self) -> Hall:
        other = object.__new__(Hall)
        other.__dict__.update(self.__dict__)
        other.cage, other.tells = list(self.cage), list(self.tells)
        return other

    def far_plugs(self, plug: int) -> list[int]:
        return sorted({int(self.cabling.plug[port ^ 1]) for port in self.ports[plug]})

    def device_of(self, cage: Cage) -> int:
        return cage[0] if isinstance(cage, tuple) else self.device[cage]

    def port(self, plug: int, lane: int) -> tuple[int, str] | None:
        """Device (as it tells its name) and port text that a lane of a plug is in."""
        cage = self.cage[plug]
        if cage is None:
            return None
        if isinstance(cage, tuple):
            return (self.tells[cage[0]], cage[1][lane]) if lane < len(cage[1]) else None
        ports = self.ports[cage]
        if lane >= len(ports):
            return None
        return self.tells[self.device[cage]], self.cabling.port_text(ports[lane])

    def seen(self, dumped: Collection[int] | None = None, lost: Collection[tuple[int, str]] = ()) -> SeenPorts:
        """What dumps say of the boxes that tell these names (None: all); `lost`: ports whose agent forgot them."""
        every = range(len(self.cabling.device_names))
        dumped = set(every if dumped is None else dumped)
        spare: dict[tuple[int, str], int] = {}
        joined = []

        def number(place: tuple[int, str]) -> int:
            if place in self.numbers:
                return self.numbers[place]
            return spare.setdefault(place, self.cabling.ports + len(spare))

        for one in range(0, self.cabling.ports, 2):
            places = [
                self.port(int(self.cabling.plug[end]), self.ports[self.cabling.plug[end]].index(end))
                for end in (one, one + 1)
            ]
            if None in places:
                continue
            if any(place[0] in dumped and place not in lost for place in places):  # type: ignore[index]
                joined.append((number(places[0]), number(places[1])))
        size = self.cabling.ports + len(spare)
        joined_to = np.full(size, -1, dtype=np.int32)
        for a, b in joined:
            joined_to[a], joined_to[b] = b, a
        device = np.r_[self.cabling.device, np.array([place[0] for place in spare], dtype=np.int32)]
        is_dumped = np.isin(device, sorted(dumped))
        doubtful = np.zeros(size, dtype=bool)
        for place in lost:
            if place in self.numbers and joined_to[self.numbers[place]] < 0:
                doubtful[self.numbers[place]] = True
        none = np.zeros(size, dtype=bool)
        spares = tuple(SparePort(*place) for place in spare)
        return SeenPorts(joined_to, np.full(size, -1, dtype=np.int32), is_dumped, none, doubtful, spares)

    def right(self) -> list[tuple[int, int]]:
        """The ports that are joined as planned, or swapped with parallel ones; all of the hall is known."""
        joined_to = self.seen().joined_to.tolist()
        device, planned = self.cabling.device, self.cabling.ports
        found = []
        for port in range(planned):
            far = joined_to[port]
            if port < far < planned and (
                far == port ^ 1 or (device[far] == device[port ^ 1] and device[far ^ 1] == device[port])
            ):
                found.append((port, far))
        return found

    def wrong(self) -> set[str]:
        """The cables with a link that is neither as planned nor swapped with a parallel one."""
        right = {end >> 1 for joined in self.right() for end in joined}
        links = set(range(self.cabling.ports // 2)) - right
        return {str(self.cabling.cable_ids[self.cabling.cable[link]]) for link in links}

    def is_legible(self) -> bool:
        """Whether each common plug in a spare cage has a tail by which it can be told."""
        return all(
            not isinstance(cage, tuple)
            or len(tails := self.far_plugs(plug)) == 1
            or any(self.cage[t] == t for t in tails)
            for plug, cage in enumerate(self.cage)
        )

    def exchange(self, renamed: Mapping[str, str]) -> None:
        numbers = self.cabling.device_numbers
        ours = {numbers[found]: numbers[planned] for found, planned in renamed.items()}
        told = [ours.get(device, device) for device in self.tells]
        twice = [
            place for place, device in enumerate(self.tells) if device not in ours and device in set(ours.values())
        ]
        for place, device in zip(twice, sorted(set(self.tells) - set(told)), strict=True):
            told[place] = device
        self.tells = told

    def place(self, end: End) -> Cage:
        """The cage of a place as an action names it: the box there tells its name."""
        named = self.cabling.device_numbers[end.device]
        device = self.tells.index(named)
        if (device, end.port) in self.numbers:
            return int(self.cabling.plug[self.numbers[device, end.port]])
        for cage in self.cage:
            if isinstance(cage, tuple) and cage[0] == device and end.port in cage[1]:
                return cage
        assert (named, end.port) in self.numbers, end
        ports = self.ports[self.cabling.plug[self.numbers[named, end.port]]]
        return device, tuple(self.cabling.port_text(port) for port in ports)

    def apply(self, actions: Iterable[Action], names: Iterable[Action] = ()) -> None:
        """Do what actions say: boxes first, then all plugs at once; a plug in the way is put where there is room then.

        `names`: exchanges of boxes that are not done, but after which places are named.
        """
        actions = list(actions)
        named = self.copy()
        for action in [*actions, *(each for each in names if each not in actions)]:
            if action.kind is Kind.EXCHANGE:
                named.exchange(action.renamed)
        for action in actions:
            if action.kind is Kind.EXCHANGE:
                self.exchange(action.renamed)
        steps = [step for action in actions for step in action.steps]
        sits = {cage: plug for plug, cage in enumerate(self.cage) if cage is not None}
        moves = [(sits[named.place(step.pull)], named.place(step.put)) for step in steps]
        moved, targets = {plug for plug, _ in moves}, {target for _, target in moves}
        free = [self.cage[plug] for plug, _ in moves if self.cage[plug] not in targets]
        in_the_way = [sits[target] for _, target in moves if target in sits and sits[target] not in moved]
        for plug in in_the_way:
            self.cage[plug] = free.pop() if free else None
        for plug, target in moves:
            self.cage[plug] = target
