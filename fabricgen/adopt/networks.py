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
    """All links by what they join: a node and a switch, or two switches.

    `managed` are (switch, the switch that its management port is joined to), `notes` tell of links that are left out.
    """

    of_nodes: Sequence[NodeWire]
    of_switches: Sequence[SwitchWire]
    managed: Sequence[tuple[str, str]]
    notes: Sequence[str]

    @cached_property
    def neighbors(self) -> Mapping[str, Counter[str]]:
        """By switch, how many links it has to each other switch; links of management ports do not count."""
        neighbors: dict[str, Counter[str]] = defaultdict(Counter)
        for (a, b), links in Counter((a, b) for a, _, b, _ in self.of_switches).items():
            neighbors[a][b] += links
            neighbors[b][a] += links
        return neighbors


def sort_wires(facts: Facts, models: Models) -> Wires:
    """Sort links by what they join.

    Left out, and told in notes, are links without a switch, links to a port that a node's profile does not have, and
    links to devices whose profile is not known.
    """
    of_nodes, of_switches, managed = list[NodeWire](), list[SwitchWire](), list[tuple[str, str]]()
    misfits, unknown_links = list[str](), 0
    for first_end, second_end, *_ in facts.links:
        # the switch is called `a`; of two switches, the first
        is_second = first_end.device not in models.switches and second_end.device in models.switches
        (a, a_port), (b, b_port) = (second_end, first_end) if is_second else (first_end, second_end)
        if a not in models.switches:
            misfits.append(f"{a} port {a_port} is joined to {b} port {b_port}, and neither is a switch")
        elif b in models.nodes:
            leg = models.find_leg(b, b_port)
            if leg is None:
                misfits.append(
                    f"{b} is a {models.nodes[b].id}, which has no port {b_port}, joined to {a} port {a_port}"
                )
            else:
                of_nodes.append(NodeWire(b, leg, a, a_port))
        elif b not in models.switches:
            unknown_links += 1
        elif is_management(a_port) or is_management(b_port):
            managed.append((a, b) if is_management(a_port) else (b, a))
        else:
            of_switches.append(SwitchWire(a, a_port, b, b_port))
    notes = cap_notes(misfits, "links that are of no fabric")
    if unknown_links:
        notes = (*notes, f"{unknown_links:,} links lead to devices whose profile is not known")
    return Wires(of_nodes, of_switches, managed, notes)


def find_mode(values: Iterable[T] | Counter[T]) -> tuple[T | None, int, int]:
    """Return (the most frequent value, its count, the count of all values); (None, 0, 0) if there are no values.

    Of equally frequent values, the first as text is returned.
    """
    counts = values if isinstance(values, Counter) else Counter(values)
    if not counts:
        return None, 0, 0
    value = choose_mode(counts)
    return value, counts[value], counts.total()


def choose_mode(values: Iterable[T] | Counter[T]) -> T:
    """Return the most frequent value, of equally frequent values the first as text.

    Raises ValueError if there are no values.
    """
    counts = values if isinstance(values, Counter) else Counter(values)
    return min(counts, key=lambda value: (-counts[value], str(value)))


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
    """Return the named fabrics in the order of their roles in the profiles of nodes; `main` are the nodes of units.

    A switch with node ports is of the fabric for the role of most of these ports, in which ports of nodes in units
    outweigh others; a switch above others is of the fabric of most of its links to them. A switch without links is put
    beside the one with the most similar name. A fabric of switches without any node has the role "".
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
        if similar_switch := _find_similar_switch(name, level, models):
            level[name], owner[name] = level[similar_switch], owner[similar_switch]
    switches = sorted(level, key=make_natural_key)
    role_order = _order_roles(models)
    networks: dict[FabricKey, Network] = {}
    for key in sorted({owner[name] for name in switches}, key=lambda key: (role_order.index(key[0]), *key[1:])):
        members = [name for name in switches if owner[name] == key]
        roles = sum((served[name] for name in members), Counter[str]())
        carried_roles = [
            role
            for role, count in sorted(roles.items(), key=lambda pair: role_order.index(pair[0]))
            if role != key[0] and count >= WEIGHT_OF_MAIN and all(of_switch[0] != role for of_switch in owner.values())
        ]
        networks[key] = Network("", (key[0], *carried_roles), key[1], _split_tiers(members, level))
    _name_networks(networks)
    for key, network in networks.items():
        leaves = set(network.tiers[network.leaf])
        network.manages = any(leaf in leaves for _, leaf in wires.managed)
        fabrics_above = Counter(
            owner[upper] for leaf in leaves for upper in neighbors.get(leaf, ()) if owner[upper] != key
        )
        if fabrics_above and len(network.tiers) == 1:
            above = choose_mode(fabrics_above)
            if role_order.index(key[0]) > role_order.index(above[0]):  # each key begins with the role
                network.below = f"{networks[above].name}.{networks[above].leaf}"
    return list(networks.values())


def _split_generations(
    owner: dict[str, FabricKey],
    wires: Wires,
    neighbors: Mapping[str, Counter[str]],
    models: Models,
    main: frozenset[str],
) -> None:
    """Number the fabrics of one role in `owner`, from 0, if there are several generations.

    Generations have leaves of different models, serve nodes of different profiles, and have no links to each other, but
    for a few stray links. Other fabrics keep the number 0.
    """
    legs: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in wires.of_nodes:
        if wire.node in main and wire.switch in owner and wire.leg.role == owner[wire.switch][0]:
            legs[wire.switch][f"profile {models.nodes[wire.node].id}"] += 1
    joined: nx.Graph[str] = nx.empty_graph(owner)
    for switch, (role, *_) in owner.items():
        inside = Counter({name: n for name, n in neighbors.get(switch, {}).items() if owner.get(name) == owner[switch]})
        # the vertices are switches, and profiles of nodes by role
        for links, prefix in ((inside, ""), (legs[switch], f"{role} ")):
            max_links = max(links.values(), default=0)
            common = [name for name, n in links.items() if n == max_links or (n > 1 and n >= STRAY * links.total())]
            joined.add_edges_from((switch, f"{prefix}{name}") for name in common)
    generations: dict[FabricKey, list[list[str]]] = defaultdict(list)  # members, leaves first
    for component in nx.connected_components(joined):
        if leaves := sorted((name for name in component if legs.get(name)), key=make_natural_key):
            generations[owner[leaves[0]]].append([*leaves, *sorted((component & owner.keys()) - set(leaves))])
    for (role, infiniband, _), of_role in generations.items():
        leaf_models = [{models.switches[name].id for name in members if legs.get(name)} for members in of_role]
        # no model may have leaves in two generations
        if sum(map(len, leaf_models)) == len(set[str]().union(*leaf_models)):
            for number, members in enumerate(sorted(of_role, key=lambda members: make_natural_key(members[0]))):
                owner |= dict.fromkeys(members, (role, infiniband, number))


def _find_similar_switch(name: str, others: Iterable[str], models: Models) -> str:
    """Return the switch with the same profile and the most similar name; "" if no other switch has the profile.

    A switch without links is put into its tier. Names that differ in numbers alone come first, then those with the
    longest common beginning.
    """
    same_profile = [other for other in others if models.switches[other].id == models.switches[name].id]
    shape = re.sub(r"\d+", "#", name)
    same_shape = [other for other in same_profile if re.sub(r"\d+", "#", other) == shape]
    return min(
        same_shape or same_profile, key=lambda other: (-len(find_common_start((other, name))), other), default=""
    )


def _order_roles(models: Models) -> list[str]:
    """Return the NIC roles of all nodes, those of the profile with the most roles first; management and "" are the last
    two.
    """
    profiles = sorted({p.id: p for p in models.nodes.values()}.items(), key=lambda pair: -len(pair[1].roles))
    return list(dict.fromkeys([*(role for _, p in profiles for role in p.roles if role != MANAGEMENT), MANAGEMENT, ""]))


def _find_levels(
    served: Mapping[str, Counter[str]], neighbors: Mapping[str, Counter[str]], models: Models
) -> tuple[dict[str, int], dict[str, FabricKey]]:
    """Return (level, owner) of switches: how many tiers lie below each, and the key of its fabric, with the number 0.

    `served` has the weights of node ports by switch and role, `neighbors` the links between switches. A switch that
    serves nodes of units, or management ports, has level 0; the fabric of a switch above is that of most of its links
    down. Switches that are joined to none of these have level 0 in a fabric with the role "".
    """
    infiniband = {name: profile.protocol == "infiniband" for name, profile in models.switches.items()}
    lowest = {name for name, roles in served.items() if max(roles.values()) >= WEIGHT_OF_MAIN or roles.get(MANAGEMENT)}
    lowest = lowest or set(served)
    level = dict.fromkeys(sorted(lowest), 0)
    owner = {name: (choose_mode(served[name]), infiniband[name], 0) for name in level}
    frontier = set(level)
    while frontier:
        links_by_owner: dict[str, Counter[FabricKey]] = defaultdict(Counter)
        for name in frontier:
            for neighbor, links in neighbors.get(name, {}).items():
                if neighbor not in level:
                    links_by_owner[neighbor][owner[name]] += links
        depth = max(level[name] for name in frontier) + 1
        for name, links_of_owner in links_by_owner.items():
            level[name] = depth
            owner[name] = choose_mode(links_of_owner)
        frontier = set(links_by_owner)
    for name in sorted(neighbors.keys() - level.keys()):
        level[name], owner[name] = 0, ("", infiniband[name], 0)
    return level, owner


def _split_tiers(members: Iterable[str], level: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the switches of a fabric by the usual name of their tier (TIERS), from the lowest tier up."""
    by_level = dict(group_by(members, level))
    return {TIERS[min(rank, len(TIERS) - 1)]: by_level[number] for rank, number in enumerate(sorted(by_level))}


def split_head(name: str) -> tuple[str, ...]:
    """Return the words of a name before its first number: compute-super-spine-01 -> compute, super, spine.

    Of a name that begins with a number, as one of a rack, return all words of three letters and more:
    A09-P1-IBLEAF-01 -> ibleaf.
    """
    if re.match(r"[a-z]{0,2}\d", name.lower()):
        return tuple(word for word in split_words(name) if len(word) > MAX_PLACE_WORD)
    words = list[str]()
    for name_part in re.split(r"[-_.]", name.lower()):
        letters = re.match(r"[a-z]*", name_part)
        word = letters[0] if letters else ""
        if word != name_part:
            return tuple(words or ([word] if word else []))
        words.append(word)
    return tuple(words)


def split_words(name: str) -> list[str]:
    """Return the words of a name without its numbers: p1-su01-host-001 -> p, su, host."""
    return re.findall(r"[a-z]+", name.lower())


def _name_networks(networks: Mapping[FabricKey, Network]) -> None:
    """Name fabrics and tiers, in place, by the words that the names of their switches begin with.

    Words that all tiers of a fabric share are its name, words of one tier are the tier's; words of all fabrics count
    for none. A fabric without such words, or with the name of an earlier one, is called by its role, a tier by its
    level (TIERS). The role that a fabric is called by is moved to the front of its `roles`.
    """
    head_words = {
        (key, tier): set.intersection(*(set(split_head(name)) for name in names))
        for key, network in networks.items()
        for tier, names in network.tiers.items()
    }
    words_of_all = set.intersection(*head_words.values()) if len(networks) > 1 else set[str]()
    taken_names = set[str]()
    for key, network in networks.items():
        words_of_tiers = [head_words[key, tier] - words_of_all for tier in network.tiers]
        common = set.intersection(*words_of_tiers)
        common_words = [word for word in split_head(next(iter(network.tiers.values()))[0]) if word in common]
        if len(words_of_tiers) == 1 and common_words and (len(common_words) > 1 or common_words[-1] in TIERS):
            common = set(common_words := common_words[:-1])
        role = USUAL_NAMES.get(key[0], key[0] or "unattached")
        name = "-".join(common_words) or role
        network.name = (
            name if name not in taken_names else role if role not in taken_names else f"{role}-{len(taken_names)}"
        )
        # of several roles, the fabric is for the one that it is called by
        network.roles = tuple(sorted(network.roles, key=lambda role: role != network.name))
        taken_names.add(network.name)
        tiers = {}
        for level, names in enumerate(network.tiers.values()):
            tier_words = [
                word for word in split_head(names[0]) if word in words_of_tiers[level] - common - {network.name}
            ]
            tiers["-".join(tier_words) or TIERS[min(level, len(TIERS) - 1)]] = names
        if len(tiers) == len(network.tiers):
            network.tiers = tiers
