"""Sort the links of a cluster by what they join, and its switches into fabrics and tiers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

import networkx as nx

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.models import Models, NicLeg, find_common_start, is_management
from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.sightings import cap_notes

T = TypeVar("T", bound=Hashable)

FabricKey: TypeAlias = tuple[str, bool, int]
"""What tells fabrics apart: their NIC role, whether they are InfiniBand, and a number among those for one role."""

STRAY = 0.1
"""The largest share of links that may contradict all others and be taken for faults."""


class NodeWire(NamedTuple):
    """A link between a port of a node, or a leg of one, and a port of a switch."""

    node: str
    leg: NicLeg
    switch: str
    port: str


class SwitchWire(NamedTuple):
    """A link between ports of two switches."""

    a: str
    a_port: str
    b: str
    b_port: str


@dataclass(frozen=True)
class Wires:
    """All links by what they join; `managed` are (switch, the one at its management port), `notes` tell of the
    others.
    """

    of_nodes: Sequence[NodeWire]
    of_switches: Sequence[SwitchWire]
    managed: Sequence[tuple[str, str]]
    notes: Sequence[str]

    @cached_property
    def neighbors(self) -> Mapping[str, Counter[str]]:
        """By switch how many links it has to each other switch; management ports do not count."""
        neighbors: dict[str, Counter[str]] = defaultdict(Counter)
        for (a, b), links in Counter((a, b) for a, _, b, _ in self.of_switches).items():
            neighbors[a][b] += links
            neighbors[b][a] += links
        return neighbors


def sort_wires(facts: Facts, models: Models) -> Wires:
    """Sort links by what they join; links of devices without a profile are left out, and counted in a note."""
    of_nodes, of_switches, managed = list[NodeWire](), list[SwitchWire](), list[tuple[str, str]]()
    strange, unknown = list[str](), 0
    for first_end, second_end, _ in facts.links:
        # the switch is called `a`; of two switches, the first
        is_second = first_end.device not in models.switches and second_end.device in models.switches
        (a, a_port), (b, b_port) = (second_end, first_end) if is_second else (first_end, second_end)
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
    """Return (the most frequent value, its count, the count of all values), the least of equals; (None, 0, 0)
    of none.
    """
    counts = values if isinstance(values, Counter) else Counter(values)
    if not counts:
        return None, 0, 0
    value, count = min(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return value, count, counts.total()


def choose_mode(values: Iterable[T] | Counter[T]) -> T:
    """Return the most frequent value, the least of equals; raises ValueError if there are no values."""
    value, count, _ = find_mode(values)
    if value is None or not count:
        raise ValueError("there are no values")
    return value


def group_by(names: Iterable[str], key: Mapping[str, T]) -> Iterator[tuple[T, list[str]]]:
    """Yield (value, the names that have it in `key`), in the order in which values are met."""
    groups: dict[T, list[str]] = {}
    for name in names:
        groups.setdefault(key[name], []).append(name)
    yield from groups.items()


TIERS = ("leaf", "spine", "core", "super-spine", "tier-5", "tier-6")
"""The names of tiers, from the nodes up, if those of their switches do not say them."""
USUAL_NAMES = {"bmc": "oob"}
"""The names of fabrics by the NIC role that they serve, if they are not that of the role."""
MANAGEMENT = "bmc"
"""The NIC role of management ports."""
WEIGHT_OF_MAIN = 100
"""How much a port of a node in a unit counts against one of a device beside the units."""
MAX_PLACE_WORD = 2
"""The most letters of a word that stands for a place, as in p1 and su01."""


@dataclass
class Network:
    """A fabric: the NIC roles that it serves, and the names of its switches by tier, from the nodes up.

    Of `roles` the first is what the fabric is for; the others are carried by its lowest tier. `manages` is whether
    management ports of switches are on it. `below` is FABRIC.TIER of another fabric above its lowest tier, "" if none.
    """

    name: str
    roles: tuple[str, ...]
    infiniband: bool
    tiers: dict[str, list[str]] = field(default_factory=dict)
    manages: bool = False
    below: str = ""

    @property
    def role(self) -> str:
        """The NIC role that the fabric is for."""
        return self.roles[0]

    @property
    def leaf(self) -> str:
        """The name of the lowest tier."""
        return next(iter(self.tiers))


def find_networks(wires: Wires, models: Models, main: frozenset[str]) -> list[Network]:
    """Return the fabrics in the order of their roles in the profiles of nodes; `main` are the nodes of units.

    A switch with node ports is of the fabric for the role of most of these ports; a switch above others is of the
    fabric of most of its links to them. A fabric of switches without any node has the role "".
    """
    served: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in wires.of_nodes:
        # a port of a node in a unit says more of a switch than those of a few devices beside the units
        served[wire.switch][wire.leg.role] += WEIGHT_OF_MAIN if wire.node in main else 1
    for _, leaf in wires.managed:
        served[leaf][MANAGEMENT] += 1
    neighbors = wires.neighbors
    level, owner = _find_levels(served, neighbors, models)
    _split_generations(owner, wires, neighbors, models, main)
    for name in sorted(models.silent & models.switches.keys()):
        if alike := _find_similar_switch(name, level, models):
            level[name], owner[name] = level[alike], owner[alike]
    switches = sorted(level, key=make_natural_key)
    order = _order_roles(models)
    networks: dict[FabricKey, Network] = {}
    for key in sorted({owner[name] for name in switches}, key=lambda key: (order.index(key[0]), *key[1:])):
        members = [name for name in switches if owner[name] == key]
        roles = Counter[str]()
        for name in members:
            roles += Counter({role: count for role, count in served[name].items() if role != key[0]})
        carried_roles = [
            role
            for role, count in sorted(roles.items(), key=lambda pair: order.index(pair[0]))
            if count >= WEIGHT_OF_MAIN and all(of_switch[0] != role for of_switch in owner.values())
        ]
        networks[key] = Network("", (key[0], *carried_roles), key[1], _split_tiers(members, level))
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


def _split_generations(
    owner: dict[str, FabricKey],
    wires: Wires,
    neighbors: Mapping[str, Counter[str]],
    models: Models,
    main: frozenset[str],
) -> None:
    """Number, in place, the fabrics for one role: there are several if their leaves are of different models.

    Besides, no switch of one may serve nodes of a profile that another serves, or have links to its switches; single
    links aside, as faults are.
    """
    legs: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in wires.of_nodes:
        if wire.node in main and wire.switch in owner and wire.leg.role == owner[wire.switch][0]:
            legs[wire.switch][f"profile {models.nodes[wire.node].id}"] += 1
    joined: nx.Graph[str] = nx.Graph()
    joined.add_nodes_from(owner)
    for switch, (role, *_) in owner.items():
        inside = Counter({far: n for far, n in neighbors.get(switch, {}).items() if owner.get(far) == owner[switch]})
        for links, prefix in ((inside, ""), (legs[switch], f"{role} ")):
            most = max(links.values(), default=0)
            common = [far for far, n in links.items() if n == most or (n > 1 and n >= STRAY * links.total())]
            joined.add_edges_from((switch, f"{prefix}{far}") for far in common)
    parts: dict[FabricKey, list[list[str]]] = defaultdict(list)
    for part in nx.connected_components(joined):
        if leaves := sorted((name for name in part if legs.get(name)), key=make_natural_key):
            parts[owner[leaves[0]]].append([*leaves, *sorted((part & owner.keys()) - set(leaves))])
    for (role, infiniband, _), of_role in parts.items():
        leaf_models = [{models.switches[name].id for name in members if legs.get(name)} for members in of_role]
        if sum(map(len, leaf_models)) == len(set[str]().union(*leaf_models)):
            for number, members in enumerate(sorted(of_role, key=lambda members: make_natural_key(members[0]))):
                owner |= dict.fromkeys(members, (role, infiniband, number))


def _find_similar_switch(name: str, others: Iterable[str], models: Models) -> str:
    """Return the switch whose tier one without links is put into: of the same profile, with the most similar name.

    Names that differ in numbers alone come first. Returns "" if no other switch has the profile.
    """
    of_profile = [other for other in others if models.switches[other].id == models.switches[name].id]
    shape = re.sub(r"\d+", "#", name)
    of_shape = [other for other in of_profile if re.sub(r"\d+", "#", other) == shape]
    return min(of_shape or of_profile, key=lambda other: (-len(find_common_start((other, name))), other), default="")


def _order_roles(models: Models) -> list[str]:
    """Return all NIC roles as the profiles of nodes have them, those with most roles first; management and ""
    are last.
    """
    profiles = sorted({p.id: p for p in models.nodes.values()}.items(), key=lambda pair: -len(pair[1].roles))
    return list(dict.fromkeys([*(role for _, p in profiles for role in p.roles if role != MANAGEMENT), MANAGEMENT, ""]))


def _find_levels(
    served: Mapping[str, Counter[str]], neighbors: Mapping[str, Counter[str]], models: Models
) -> tuple[dict[str, int], dict[str, FabricKey]]:
    """Return by switch how many tiers lie below it, and the key of its fabric, numbered 0.

    `served` has the weights of node ports by switch and role, `neighbors` the links between switches. A switch that
    serves nodes of units, or management ports, is lowest.
    """
    infiniband = {name: profile.protocol == "infiniband" for name, profile in models.switches.items()}
    lowest = {name for name, roles in served.items() if max(roles.values()) >= WEIGHT_OF_MAIN or roles.get(MANAGEMENT)}
    lowest = lowest or set(served)
    level = dict.fromkeys(sorted(lowest), 0)
    owner = {name: (choose_mode(served[name]), infiniband[name], 0) for name in level}
    frontier = set(level)
    while frontier:
        above: dict[str, Counter[FabricKey]] = defaultdict(Counter)
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
        level[name], owner[name] = 0, ("", infiniband[name], 0)
    return level, owner


def _split_tiers(members: Iterable[str], level: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the switches of a fabric by the usual name of their tier, from the lowest up."""
    by_level: dict[int, list[str]] = defaultdict(list)
    for name in members:
        by_level[level[name]].append(name)
    return {TIERS[min(place, len(TIERS) - 1)]: by_level[number] for place, number in enumerate(sorted(by_level))}


def split_head(name: str) -> tuple[str, ...]:
    """Return the words of a name before its first number: compute-super-spine-01 -> compute, super, spine.

    Of a name that begins with a number, as one of a rack, return all words of three letters and more:
    A09-P1-IBLEAF-01 -> ibleaf.
    """
    if re.match(r"[a-z]{0,2}\d", name.lower()):
        return tuple(word for word in split_words(name) if len(word) > MAX_PLACE_WORD)
    words = list[str]()
    for part in re.split(r"[-_.]", name.lower()):
        letters = re.match(r"[a-z]*", part)
        word = letters[0] if letters else ""
        if word != part:
            return tuple(words or ([word] if word else []))
        words.append(word)
    return tuple(words)


def split_words(name: str) -> list[str]:
    """Return the words of a name without its numbers: p1-su01-host-001 -> p, su, host."""
    return re.findall(r"[a-z]+", name.lower())


def _name_networks(networks: Mapping[FabricKey, Network]) -> None:
    """Name fabrics and tiers, in place, by the words that the names of their switches begin with.

    Words that all tiers of a fabric share are its name, words of one tier are the tier's. A fabric without such words,
    or with those of another, is called by its role, a tier by its level (TIERS).
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
        # of several roles, the fabric is for the one that it is called by
        network.roles = tuple(sorted(network.roles, key=lambda role: role != network.name))
        taken.add(network.name)
        tiers = {}
        for place, names in enumerate(network.tiers.values()):
            words = [word for word in split_head(names[0]) if word in of_tiers[place] - common - {network.name}]
            tiers["-".join(words) or TIERS[min(place, len(TIERS) - 1)]] = names
        if len(tiers) == len(network.tiers):
            network.tiers = tiers
