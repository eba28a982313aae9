"""The joints of a cluster by what they are: nodes to switches, switches to switches, management ports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.models import Models, NicLeg, is_management
from fabricgen.verify.sightings import cap_notes

T = TypeVar("T", bound=Hashable)

STRAY = 0.1
"""The share of links that may contradict what all others of a switch say, and be taken for faults."""


class NodeWire(NamedTuple):
    """A leg of a node and the switch port that it is joined to."""

    node: str
    leg: NicLeg
    node_port: str
    switch: str
    port: str
    speed_gbps: float


class SwitchWire(NamedTuple):
    """Two switch ports that are joined."""

    a: str
    a_port: str
    b: str
    b_port: str
    speed_gbps: float


@dataclass(frozen=True)
class Wires:
    """All joints. `managed` are (switch, switch that its management port is joined to), `notes` tell of all else."""

    of_nodes: Sequence[NodeWire]
    of_switches: Sequence[SwitchWire]
    managed: Sequence[tuple[str, str]]
    notes: Sequence[str]

    def map_neighbors(self) -> dict[str, Counter[str]]:
        """The switches that each switch is joined to, with the number of links."""
        neighbors: dict[str, Counter[str]] = defaultdict(Counter)
        for wire in self.of_switches:
            neighbors[wire.a][wire.b] += 1
            neighbors[wire.b][wire.a] += 1
        return neighbors


def sort_wires(facts: Facts, models: Models) -> Wires:
    """What each joint is; joints of devices without a profile are left out, and counted in a note."""
    of_nodes, of_switches, managed = list[NodeWire](), list[SwitchWire](), list[tuple[str, str]]()
    strange, unknown = list[str](), 0
    for one, two, speed, _ in facts.joints:
        turned = one.device not in models.switches and two.device in models.switches
        (a, a_port), (b, b_port) = (two, one) if turned else (one, two)
        if a not in models.switches:
            strange.append(f"{a} port {a_port} is joined to {b} port {b_port}, and neither is a switch")
        elif b in models.nodes:
            leg = models.find_leg(b, b_port)
            if leg is None:
                strange.append(
                    f"{b} is a {models.nodes[b].id}, which has no port {b_port}, joined to {a} port {a_port}"
                )
            else:
                of_nodes.append(NodeWire(b, leg, b_port, a, a_port, speed))
        elif b not in models.switches:
            unknown += 1
        elif is_management(a_port) or is_management(b_port):
            managed.append((a, b) if is_management(a_port) else (b, a))
        else:
            of_switches.append(SwitchWire(a, a_port, b, b_port, speed))
    notes = cap_notes(strange, "links that are of no fabric")
    if unknown:
        notes = (*notes, f"{unknown:,} links lead to devices whose profile is not known")
    return Wires(of_nodes, of_switches, managed, notes)


def find_mode(values: Iterable[T] | Counter[T]) -> tuple[T | None, int, int]:
    """(the most frequent of some values, how often it is there, how many there are); the least of equals."""
    counts = values if isinstance(values, Counter) else Counter(values)
    if not counts:
        return None, 0, 0
    value, count = min(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return value, count, counts.total()


def choose_mode(values: Iterable[T] | Counter[T]) -> T:
    """The most frequent of some values, the least of equals; raises ValueError where there are none."""
    value, count, _ = find_mode(values)
    if value is None or not count:
        raise ValueError("there are no values")
    return value


def group_by(names: Iterable[str], key: Mapping[str, T]) -> Iterator[tuple[T, list[str]]]:
    """Names by their value, in the order of the first of each."""
    groups: dict[T, list[str]] = {}
    for name in names:
        groups.setdefault(key[name], []).append(name)
    yield from groups.items()
