"""The joints of a cluster by what they are, and its fabrics: which switches are of each, in which tier, what for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.models import Models, NicLeg, is_management
from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.sightings import cap_notes

T = TypeVar("T", bound=Hashable)

STRAY = 0.1
"""The share of links that may contradict what all others of a switch say, and be taken for faults."""


class NodeWire(NamedTuple):
    """A leg of a node and the switch port that it is joined to."""

    node: str
    leg: NicLeg
    switch: str
    port: str


class SwitchWire(NamedTuple):
    """Two switch ports that are joined."""

    a: str
    a_port: str
    b: str
    b_port: str


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
    for one, two, _ in facts.joints:
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
                of_nodes.append(NodeWire(b, leg, a, a_port))
        elif b not in models.switches:
            unknown += 1
        elif is_management(a_port) or is_management(b_port):
            managed.append((a, b) if is_management(a_port) else (b, a))
        else:
            of_switches.append(SwitchWire(a, a_port, b, b_port))
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


TIERS = ("leaf", "spine", "core", "super-spine", "tier-5", "tier-6")
"""What tiers are called, from the nodes up, where the names of their switches do not say it."""
USUAL_NAMES = {"bmc": "oob"}
"""What fabrics are called by the role of the ports that they serve, where that is not the role itself."""
MANAGEMENT = "bmc"
SHORT = 2
"""Words of so many letters stand for a place, as in p1 and su01."""


@dataclass
class Network:
    """A fabric: the role of the node ports that it serves, and its switches by tier, from the nodes up.

    `roles` are all roles that its lowest tier serves, the first of which is its own. `below` has, for a fabric whose
    lowest tier hangs on that of another, the other.
    """

    name: str
    roles: tuple[str, ...]
    infiniband: bool
    tiers: dict[str, list[str]] = field(default_factory=dict)
    manages: bool = False
    below: str = ""

    @property
    def role(self) -> str:
        """The role of the ports that it is for."""
        return self.roles[0]

    @property
    def leaf(self) -> str:
        """The name of its lowest tier."""
        return next(iter(self.tiers))


def find_networks(wires: Wires, models: Models, main: frozenset[str]) -> list[Network]:
    """The fabrics, in the order of their roles in the profiles of nodes. `main` are the nodes of scalable units.

    Switches that serve node ports are of the fabric of the role that they serve most; the others of that of most of
    the switches below them.
    """
    served: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in wires.of_nodes:
        # what nodes of units attach says more of a switch than a few devices beside them
        served[wire.switch][wire.leg.role] += 100 if wire.node in main else 1
    for _, leaf in wires.managed:
        served[leaf][MANAGEMENT] += 1
    neighbors = wires.map_neighbors()
    level, owner = _find_levels(served, neighbors, models)
    for name in sorted(models.silent & models.switches.keys()):
        if like := _find_like(name, level, models):
            level[name], owner[name] = level[like], owner[like]
    switches = sorted(level, key=make_natural_key)
    order = _order_roles(models)
    networks: dict[tuple[str, bool], Network] = {}
    for key in sorted({owner[name] for name in switches}, key=lambda key: (order.index(key[0]), key[1])):
        members = [name for name in switches if owner[name] == key]
        roles = Counter[str]()
        for name in members:
            roles += Counter({role: count for role, count in served[name].items() if role != key[0]})
        own = [
            role
            for role, count in sorted(roles.items(), key=lambda pair: order.index(pair[0]))
            if count >= 100 and not _has_own(role, owner)
        ]
        networks[key] = Network("", (key[0], *own), key[1], _split_tiers(members, level))
    _name_networks(networks)
    for key, network in networks.items():
        leaves = set(network.tiers[network.leaf])
        network.manages = any(leaf in leaves for _, leaf in wires.managed)
        upper = Counter(owner[far] for leaf in leaves for far in neighbors.get(leaf, ()) if owner[far] != key)
        if upper and len(network.tiers) == 1:
            far = choose_mode(upper)
            if order.index(key[0]) > order.index(far[0]):
                network.below = f"{networks[far].name}.{networks[far].leaf}"
    return list(networks.values())


def _find_like(name: str, others: Iterable[str], models: Models) -> str:
    """A switch that one without links is like: of its model, and called so but for the numbers; "" for none.

    Where none is called so, any of the model.
    """
    alike = [other for other in others if models.switches[other].id == models.switches[name].id]
    shape = re.sub(r"\d+", "#", name)
    called_so = [other for other in alike if re.sub(r"\d+", "#", other) == shape]
    return min(called_so or alike, key=lambda other: (-count_common_letters(other, name), other), default="")


def _has_own(role: str, owner: Mapping[str, tuple[str, bool]]) -> bool:
    return any(of_switch[0] == role for of_switch in owner.values())


def _order_roles(models: Models) -> list[str]:
    """All roles: those of the nodes in the order of their profiles, and the others."""
    profiles = sorted({p.id: p for p in models.nodes.values()}.items(), key=lambda pair: -len(pair[1].roles))
    return list(dict.fromkeys([*(role for _, p in profiles for role in p.roles if role != MANAGEMENT), MANAGEMENT, ""]))


def _find_levels(
    served: Mapping[str, Counter[str]], neighbors: Mapping[str, Counter[str]], models: Models
) -> tuple[dict[str, int], dict[str, tuple[str, bool]]]:
    """How many tiers lie below each switch, and (role, whether it is InfiniBand) of its fabric.

    A switch that serves nodes of units is lowest, unless most of its links lead to switches below it.
    """
    infiniband = {name: profile.protocol == "infiniband" for name, profile in models.switches.items()}
    lowest = {name for name, roles in served.items() if max(roles.values()) >= 100 or roles.get(MANAGEMENT)}
    lowest = lowest or set(served)
    level = dict.fromkeys(sorted(lowest), 0)
    owner = {name: (choose_mode(served[name]), infiniband[name]) for name in level}
    frontier = set(level)
    while frontier:
        above: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
        for name in frontier:
            for far, links in neighbors.get(name, {}).items():
                if far not in level:
                    above[far][owner[name]] += links
        depth = max(level[name] for name in frontier) + 1
        for name, owners in above.items():
            level[name] = depth
            owner[name] = choose_mode(owners)
        frontier = set(above)
    for name in sorted(neighbors.keys() - level.keys()):
        level[name], owner[name] = 0, ("", infiniband[name])
    return level, owner


def _split_tiers(members: Iterable[str], level: Mapping[str, int]) -> dict[str, list[str]]:
    """Members by tier, from the lowest up, under usual names."""
    by_level: dict[int, list[str]] = defaultdict(list)
    for name in members:
        by_level[level[name]].append(name)
    return {TIERS[min(place, len(TIERS) - 1)]: by_level[number] for place, number in enumerate(sorted(by_level))}


def split_head(name: str) -> tuple[str, ...]:
    """The words of a name before its first number: compute-super-spine-01 -> compute, super, spine.

    Of one that begins with a number, as of a rack, all words of three letters and more: A09-P1-IBLEAF-01 -> ibleaf.
    """
    if re.match(r"[a-z]{0,2}\d", name.lower()):
        return tuple(word for word in split_words(name) if len(word) > SHORT)
    words = list[str]()
    for part in re.split(r"[-_.]", name.lower()):
        letters = re.match(r"[a-z]*", part)
        word = letters[0] if letters else ""
        if word != part:
            return tuple(words or ([word] if word else []))
        words.append(word)
    return tuple(words)


def count_common_letters(one: str, other: str) -> int:
    """How many letters two names begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def split_words(name: str) -> list[str]:
    """The words of a name without the numbers in it: p1-su01-host-001 -> p, su, host."""
    return re.findall(r"[a-z]+", name.lower())


def _name_networks(networks: Mapping[tuple[str, bool], Network]) -> None:
    """Name fabrics and tiers by the words that names of switches begin with, else by roles and places.

    Words that all tiers of a fabric have are its name, those that one tier has are the tier's.
    """
    heads = {
        (key, tier): set.intersection(*(set(split_head(name)) for name in names))
        for key, network in networks.items()
        for tier, names in network.tiers.items()
    }
    everywhere = set.intersection(*heads.values()) if len(networks) > 1 else set[str]()
    taken = set[str]()
    for key, network in networks.items():
        of_tiers = [heads[key, tier] - everywhere for tier in network.tiers]
        common = set.intersection(*of_tiers)
        ordered = [word for word in split_head(next(iter(network.tiers.values()))[0]) if word in common]
        if len(of_tiers) == 1 and ordered and (len(ordered) > 1 or ordered[-1] in TIERS):
            common = set(ordered := ordered[:-1])
        role = USUAL_NAMES.get(key[0], key[0] or "unattached")
        name = "-".join(ordered) or role
        network.name = name if name not in taken else role if role not in taken else f"{role}-{len(taken)}"
        taken.add(network.name)
        tiers = {}
        for place, names in enumerate(network.tiers.values()):
            words = [word for word in split_head(names[0]) if word in of_tiers[place] - common]
            tiers["-".join(words) or TIERS[min(place, len(TIERS) - 1)]] = names
        if len(tiers) == len(network.tiers):
            network.tiers = tiers
