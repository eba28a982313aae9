"""Infer racks, units and pods from leaves that nodes share and from names; and the scale-up domains of nodes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, zip_longest
from typing import NamedTuple

import networkx as nx

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.forms import PLACES
from fabricgen.adopt.models import Models, find_common_start
from fabricgen.adopt.networks import Network, NodeWire, Wires, choose_mode, find_mode, group_by, split_words
from fabricgen.adopt.positions import Order
from fabricgen.blueprint.models import make_natural_key
from fabricgen.catalog.loader import Catalog

SHARED = 0.25
"""The share of its nodes that the smaller of two leaves has in common with the other, if both serve one place."""
MOST_UNITS = 52
"""The rack units of the highest racks; a group of nodes that needs more is no rack."""
MAX_NAME = 32
"""The most characters of a name in a page."""
_PLACE_OF_WORD = {
    "rack": "rack",
    "rk": "rack",
    "su": "su",
    "unit": "su",
    "pod": "pod",
    "p": "pod",
    "block": "su",
}
_TOKEN = re.compile(r"([A-Za-z]*)[-_.]?(\d+)")

Partition = dict[str, str]
"""The group of each node, called by the name of one of its members."""


class UnitKind(NamedTuple):
    """A kind of scalable units: (profile, nodes per unit) by node set, and nodes per rack, 0 if that is not known.

    A node set that is alone is called "".
    """

    sets: dict[str, tuple[str, int]]
    per_rack: int


@dataclass
class Units:
    """The scalable units that were inferred.

    `at` has for each node the name of its pod, and its su, rack (in the unit) and node (in the unit), numbered from 1;
    `set_of` has its node set. `kinds` are the kinds of units by name (a kind that is alone is called ""), `kind_of` has
    that of each pod, `pods` the number of units of each pod, in order. `omitted` are paths of slots without a node.
    `extras` are the names of all other devices by set.
    """

    at: dict[str, dict[str, str | int]] = field(default_factory=dict)
    set_of: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, UnitKind] = field(default_factory=dict)
    kind_of: dict[str, str] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)
    """The site of each pod, if there are several sites."""
    omitted: list[str] = field(default_factory=list)
    extras: dict[str, list[str]] = field(default_factory=dict)
    scale_up: dict[str, tuple[dict[str, str | int], list[str]]] = field(default_factory=dict)
    """By name of a scale-up domain: its section of a page, and the names of its switch trays in order."""
    in_racks: dict[str, tuple[str, dict[str, Sequence[str | int]]]] = field(default_factory=dict)
    """By set of devices that stand in every rack of nodes: their profile, and by name (pod, unit, rack, number)
    from 1.
    """
    notes: list[str] = field(default_factory=list)


def choose_main(models: Models) -> frozenset[str]:
    """Return the names of the nodes in units: those with accelerators, else those of the most frequent profile."""
    with_accelerators = {name for name, profile in models.nodes.items() if profile.accelerators}
    if with_accelerators or not models.nodes:
        return frozenset(with_accelerators)
    profile = choose_mode([p.id for p in models.nodes.values() if not p.external] or ["external"])
    return frozenset(name for name, p in models.nodes.items() if p.id == profile)


def find_units(
    facts: Facts, models: Models, wires: Wires, networks: Sequence[Network], main: frozenset[str], order: Order
) -> Units:
    """Infer the units from which nodes share leaves, and from names; `main` are the names of the nodes in units."""
    units = Units()
    units.extras = _name_extras(sorted(models.nodes.keys() - main, key=order.key), models)
    # where ports tell the order, nodes without links get the slots that are left: see `matching`
    nodes = sorted(main if order.by_names else main - models.silent, key=order.key)
    if not nodes:
        return units
    partitions = _list_partitions([n for n in nodes if n not in models.silent], wires, networks)
    for partition, _ in partitions:
        _add_silent(partition, nodes)
    by_name = _list_places_of_names(nodes) if order.by_names else {}
    per_rack = MOST_UNITS // max(models.nodes[n].rack_units or 1 for n in nodes)
    places = _assign_places(nodes, partitions, by_name, units, per_rack)
    _number_nodes(nodes, places, facts, models, units, order)
    _find_devices_in_racks(facts, models, units)
    return units


def _find_devices_in_racks(facts: Facts, models: Models, units: Units) -> None:
    """Move extra devices from `units.extras` to `units.in_racks` if every rack of nodes has equally many of their
    profile.

    This takes lists that tell the rack of every node. Sets of extras that become empty are dropped.
    """
    place_of_rack = {
        facts.devices[node].rack: (coordinates["pod"], coordinates["su"], coordinates["rack"])
        for node, coordinates in units.at.items()
    }
    extras_in_racks = [
        name for names in units.extras.values() for name in names if facts.devices[name].rack in place_of_rack
    ]
    for profile, names in group_by(extras_in_racks, {name: models.nodes[name].id for name in extras_in_racks}):
        by_rack = dict(group_by(names, {name: facts.devices[name].rack for name in names}))
        if (
            "" in place_of_rack
            or by_rack.keys() != place_of_rack.keys()
            or len({len(of_rack) for of_rack in by_rack.values()}) > 1
        ):
            continue
        label = split_words(names[0])[-1]
        place_of_device: dict[str, Sequence[str | int]] = {}
        for rack, of_rack in by_rack.items():
            place_of_device |= {name: (*place_of_rack[rack], n) for n, name in enumerate(of_rack, 1)}
        units.in_racks[label] = profile, place_of_device
        remaining = {
            set_label: [name for name in names if name not in place_of_device]
            for set_label, names in units.extras.items()
        }
        units.extras = {set_label: names for set_label, names in remaining.items() if names}


def _list_partitions(nodes: Sequence[str], wires: Wires, networks: Sequence[Network]) -> list[tuple[Partition, bool]]:
    """Return (partition, whether upper tiers tell it) for each way in which fabrics group nodes, the finest first.

    `nodes` have links. A partition into one group, or into a group for each node, is left out, and so are repetitions.
    """
    linked_nodes, by_name = frozenset(nodes), {network.name: network for network in networks}
    found_partitions: dict[tuple[tuple[str, ...], ...], tuple[Partition, bool]] = {}
    neighbors = wires.neighbors
    # fabrics for one role serve different nodes, and group nodes together
    for of_role in (names for _, names in group_by(by_name, {name: n.role for name, n in by_name.items()})):
        levels = zip_longest(*(by_name[name].tiers.values() for name in of_role), fillvalue=())
        tiers = [list(chain.from_iterable(switches)) for switches in levels]
        leaves = set(tiers[0])
        legs = [wire for wire in wires.of_nodes if wire.node in linked_nodes and wire.switch in leaves]
        part_of_leaf = _join_leaves(legs)
        for depth in range(len(tiers)):
            if depth and depth == len(tiers) - 1 and len(tiers) > 1:
                break
            if depth:
                _join_below(part_of_leaf, tiers[depth], neighbors)
            partition = _part_nodes(nodes, legs, part_of_leaf)
            groups = tuple(sorted(tuple(names) for _, names in group_by(nodes, partition)))
            if 1 < len(groups) < len(nodes):
                found_partitions.setdefault(groups, (partition, depth > 0))
    return sorted(found_partitions.values(), key=lambda pair: -len(set(pair[0].values())))


def _add_silent(partition: Partition, nodes: Sequence[str]) -> None:
    """Put each node without links into the group of the linked node before or after it in `nodes`, whichever has the
    more similar name.

    `nodes` are sorted by name; `partition` is filled in place.
    """
    linked = [(position, node) for position, node in enumerate(nodes) if node in partition]
    for position, silent in [
        (position, node) for position, node in enumerate(nodes) if node not in partition and linked
    ]:
        node_before = [node for linked_position, node in linked if linked_position < position][-1:]
        node_after = [node for linked_position, node in linked if linked_position > position][:1]
        similar_node = max(node_before + node_after, key=lambda node: len(find_common_start((node, silent))))
        partition[silent] = partition[similar_node]


def _join_leaves(legs: Sequence[NodeWire]) -> dict[str, str]:
    """Return the group of each leaf: leaves that share SHARED of their nodes are of one group."""
    leaves_of: dict[str, set[str]] = defaultdict(set)
    for wire in legs:
        leaves_of[wire.node].add(wire.switch)
    nodes_of, shared = Counter[str](), Counter[tuple[str, str]]()
    # most nodes of a place have the same leaves
    for leaves, nodes in Counter(map(frozenset, leaves_of.values())).items():
        nodes_of.update(dict.fromkeys(leaves, nodes))
        shared.update(dict.fromkeys(combinations(sorted(leaves), 2), nodes))
    joined: nx.Graph[str] = nx.empty_graph(nodes_of)
    joined.add_edges_from((a, b) for (a, b), n in shared.items() if n >= SHARED * min(nodes_of[a], nodes_of[b]))
    return _label_parts(joined)


def _label_parts(joined: nx.Graph[str]) -> dict[str, str]:
    """Return the connected component of each vertex, called by the first of its names."""
    return {member: min(part) for part in nx.connected_components(joined) for member in part}


def _join_below(group_of_switch: dict[str, str], uppers: Sequence[str], neighbors: Mapping[str, Counter[str]]) -> None:
    """Join, in place, the groups of switches below each switch of the next tier, and add that switch to its largest
    group.

    Groups are joined if each has at least SHARED of the links that the group with most has; `uppers` are the next tier.
    """
    joined: nx.Graph[str] = nx.empty_graph(group_of_switch.values())
    for upper in uppers:
        links = Counter[str]()
        for neighbor, count in neighbors.get(upper, {}).items():
            if neighbor in group_of_switch:
                links[group_of_switch[neighbor]] += count
        max_links = max(links.values(), default=0)
        nx.add_path(joined, sorted(group for group, count in links.items() if count >= SHARED * max_links))
        if links:
            group_of_switch[upper] = choose_mode(links)
    labels = _label_parts(joined)
    for name, group in group_of_switch.items():
        group_of_switch[name] = labels[group]


def _part_nodes(nodes: Sequence[str], legs: Sequence[NodeWire], part_of_leaf: Mapping[str, str]) -> Partition:
    """Return the group of each node: that of most of its leaves; a node without a leaf is a group of its own."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in legs:
        votes[wire.node][part_of_leaf[wire.switch]] += 1
    return {node: max(sorted(votes[node]), key=votes[node].__getitem__) if node in votes else node for node in nodes}


def _assign_places(
    nodes: Sequence[str],
    partitions: Sequence[tuple[Partition, bool]],
    by_names: Mapping[str, Partition],
    units: Units,
    per_rack: int,
) -> dict[str, Partition]:
    """Return the partitions of nodes by place, "rack", "su" or "pod": as names tell, else by how partitions nest.

    `partitions` are (partition, whether upper tiers tell it), the finest first; `by_names` has the partitions that
    names tell by place; `per_rack` is the most nodes of a rack. A partition that does not nest in wider ones, or for
    which no place is left, becomes a note of `units`.
    """
    places: dict[str, Partition] = {}
    nested_partitions: list[tuple[Partition, bool]] = []
    for number, (partition, is_upper) in enumerate(partitions):
        if all(_nests_in(partition, wider) for wider, _ in partitions[number + 1 :]):
            nested_partitions.append((partition, is_upper))
            continue
        groups = len(set(partition.values()))
        units.notes.append(f"{groups:,} groups of nodes that share leaves do not nest in wider ones: left out")
    for place, by_name in by_names.items():
        narrower = [places[p] for p in PLACES[: PLACES.index(place)] if p in places]
        wider = [places[p] for p in PLACES[PLACES.index(place) + 1 :] if p in places]
        fits = all(_nests_in(p, by_name) for p in narrower) and all(_nests_in(by_name, p) for p in wider)
        if len(set(by_name.values())) < len(nodes) and fits:
            places[place] = by_name
    # partitions that nest with all named places in one direction alone: those in both are the same
    unnamed = [
        (partition, is_upper)
        for partition, is_upper in nested_partitions
        if all(_nests_in(partition, named) != _nests_in(named, partition) for named in places.values())
    ]
    widest = {is_upper: id(partition) for partition, is_upper in unnamed}
    preferences = ["pod" if u else "su" if id(p) == widest[u] else "rack" for p, u in unnamed]
    # what may be racks comes last: groups that are too large for racks must not take the place of wider ones
    by_preference = sorted(zip(unnamed, preferences, strict=True), key=lambda pair: pair[1] == "rack")
    for (partition, _), preferred in by_preference:
        ranks_inside = [PLACES.index(place) for place in places if _nests_in(places[place], partition)]
        ranks_around = [PLACES.index(place) for place in places if _nests_in(partition, places[place])]
        # it may be any place between those that nest in it and those that it nests in
        narrowest, too_wide = max(ranks_inside, default=-1) + 1, min(ranks_around, default=len(PLACES))
        free_places = [place for place in PLACES[narrowest:too_wide] if place not in places]
        if max(Counter(partition.values()).values()) > per_rack and "rack" in free_places:
            free_places.remove("rack")
        if free_places:
            places[preferred if preferred in free_places else free_places[-1]] = partition
        else:
            units.notes.append(
                f"{len(set(partition.values())):,} groups of nodes share leaves, and are no racks, units or pods"
            )
    return places


def _nests_in(fine: Partition, coarse: Partition) -> bool:
    """Whether each group of one partition is within a group of another, for nine of ten nodes."""
    pairs = Counter((fine[node], coarse[node]) for node in fine)
    largest: dict[str, int] = defaultdict(int)
    for (group, _), count in pairs.items():
        largest[group] = max(largest[group], count)
    return sum(largest.values()) >= 0.9 * len(fine)


def _list_places_of_names(nodes: Sequence[str]) -> dict[str, Partition]:
    """Return the partitions that names tell by place: p1-su01-n3 is of the pod `p1` and of the unit `p1-su01`."""
    parsed = {node: [(m[1].lower(), m.end()) for m in _TOKEN.finditer(node)] for node in nodes}
    shape = choose_mode(tuple(word for word, _ in tokens) for tokens in parsed.values())
    partition_of_place: dict[str, Partition] = {}
    for number, word in enumerate(shape[:-1]):
        place = _PLACE_OF_WORD.get(word, "")
        if place and place not in partition_of_place:
            partition_of_place[place] = {
                node: node[: tokens[number][1]] if len(tokens) > number else node for node, tokens in parsed.items()
            }
    return partition_of_place


def _number_nodes(
    nodes: Sequence[str],
    places: Mapping[str, Partition],
    facts: Facts,
    models: Models,
    units: Units,
    order: Order,
) -> None:
    """Fill `units` with the place of each node, numbered in `order`, and with the kinds of units and pods."""
    undivided = dict.fromkeys(nodes, "")
    by_pod, by_unit = places.get("pod", undivided), places.get("su", places.get("pod", undivided))
    listed_racks = {node: facts.devices[node].rack for node in nodes}
    racks = listed_racks if all(listed_racks.values()) else places.get("rack") or listed_racks
    profiles: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        profiles[by_unit[node]].add(models.nodes[node].id)
    kind_of = {node: "-".join(sorted(profiles[by_unit[node]]))[:MAX_NAME].strip("-") for node in nodes}
    if len(set(kind_of.values())) == 1:
        kind_of = undivided
    for kind, members in group_by(nodes, kind_of):
        per_rack = find_mode(Counter(racks[n] for n in members if racks[n]).values())[0] or 0
        units.kinds[kind] = UnitKind(_name_sets(members, models, by_unit, units, order), per_rack)
    # a pod has units of one kind
    pods = list(group_by(nodes, {node: (by_pod[node], kind_of[node]) for node in nodes}))
    of_pods = [members for _, members in pods]
    default_names = [f"p{number}" for number in range(1, len(pods) + 1)]
    group_of_pod = dict(zip(_name_pods(of_pods, default_names) if order.by_names else default_names, pods, strict=True))
    sites = {pod: choose_mode(facts.devices[n].site for n in group_of_pod[pod][1]) for pod in group_of_pod}
    units.sites = sites if len(set(sites.values())) > 1 and all(sites.values()) else {}
    for pod in sorted(group_of_pod, key=make_natural_key):
        (_, kind), members = group_of_pod[pod]
        unit_groups = list(group_by(members, by_unit))
        units.pods[pod], units.kind_of[pod] = len(unit_groups), kind
        for su, (_, of_unit) in enumerate(unit_groups, 1):
            _number_unit(pod, su, of_unit, units, order)


def _number_unit(pod: str, su: int, nodes: Sequence[str], units: Units, order: Order) -> None:
    """Number the nodes of a unit, set after set, and add slots without a node to `units.omitted`."""
    first_slot, per_rack = 1, units.kinds[units.kind_of[pod]].per_rack
    for label, (_, count) in units.kinds[units.kind_of[pod]].sets.items():
        nodes_of_set = [n for n in nodes if units.set_of[n] == label]
        numbers = number_by_names(nodes_of_set, count if order.by_names else 0)
        for node in nodes_of_set:
            number = first_slot + numbers[node] - 1
            rack = (number - 1) // per_rack + 1 if per_rack else 0
            units.at[node] = {"pod": pod, "su": su, "rack": rack, "node": number}
        missing_numbers = sorted(set(range(1, count + 1)) - set(numbers.values())) if order.by_names else []
        units.omitted += [f"{pod}/su-{su}/node-{first_slot + number - 1}" for number in missing_numbers]
        first_slot += count


def number_by_names(names: Sequence[str], count: int) -> dict[str, int]:
    """Return the numbers, from 1, of devices in a group of `count`: their places in `names` if none is missing.

    If some are missing, the numbers at the end of their names, if these are all different and within the group; less
    those of the groups before it, if names are numbered through several groups.
    """
    if len(names) < count:
        last_numbers = {name: int(found[-1]) for name in names if (found := re.findall(r"\d+", name))}
        for offset in (0, (min(last_numbers.values(), default=1) - 1) // count * count):
            numbers = {name: number - offset for name, number in last_numbers.items()}
            if len(set(numbers.values())) == len(names) and all(1 <= n <= count for n in numbers.values()):
                return numbers
    return {name: number for number, name in enumerate(names, 1)}


def _name_pods(pods: Sequence[Sequence[str]], default_names: list[str]) -> list[str]:
    """Return names of pods: the first word with a number that all node names of a pod share, and no other pod has.

    Returns `default_names` if a pod has no such word. `pods` are the node names of each pod.
    """
    words_of_pods = [set.intersection(*(set(re.split(r"[-_.]", name)) for name in nodes)) for nodes in pods]
    names = []
    for number, words in enumerate(words_of_pods):
        of_others = set().union(*(words_of_pods[:number] + words_of_pods[number + 1 :]))
        ordered = [word for word in re.split(r"[-_.]", pods[number][0]) if word in words - of_others]
        names.append(next((word for word in ordered if re.fullmatch(r"[a-z]+\d+", word)), ""))
    return names if all(names) and len(set(names)) == len(pods) else default_names


def _name_sets(
    nodes: Sequence[str], models: Models, by_unit: Partition, units: Units, order: Order
) -> dict[str, tuple[str, int]]:
    """Return (profile, nodes per unit) by label of node set, and fill `units.set_of` with the label of each node.

    Nodes are of one set by their profile and the words of their names, if each unit has nodes of each set; else by
    their profile alone. A label is the last word that tells the names of a set from others, with its number if they
    share one (b300), else the profile; the only set has the label "".
    """
    kinds = {node: (models.nodes[node].id, tuple(split_words(node)) if order.by_names else ()) for node in nodes}
    groups = list(group_by(nodes, kinds))
    unit_count = len({by_unit[node] for node in nodes})
    if len(groups) > 1 and any(len(m) < 2 or len({by_unit[n] for n in m}) < unit_count for _, m in groups):
        # words of names tell pods or units apart, not sets
        groups = list(group_by(nodes, {node: (kind[0], ()) for node, kind in kinds.items()}))
    common = set.intersection(*(set(kind[1]) for kind, _ in groups)) if len(groups) > 1 else set()
    sets: dict[str, tuple[str, int]] = {}
    for (profile, set_words), members in groups:
        distinct = [word for word in set_words if word not in common]
        # b300 in p1-su01-b300-001, whose word is b
        shared = set.intersection(*(set(re.split(r"[-_.]", name.lower())) for name in members))
        numbered_parts = sorted(
            name_part for name_part in shared if distinct and re.fullmatch(distinct[-1] + r"\d*", name_part)
        )
        label = "" if len(groups) == 1 else [*numbered_parts, *distinct[-1:], profile][0]
        sets[label] = profile, max(Counter(by_unit[n] for n in members).values())
        units.set_of |= dict.fromkeys(members, label)
    return sets


def _name_extras(names: Iterable[str], models: Models) -> dict[str, list[str]]:
    """Return the devices beside the nodes by set: a set is called as its devices are, without the number at their end.

    Devices of one profile that are not numbered from 1 are one set, called by the first word of the profile.
    """
    by_stem: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        stem = re.sub(r"(?:[-_.]?\d+|[-_.][a-z])$", "", name)
        stem = re.sub(r"[^a-z0-9-]+", "-", stem.lower()).strip("-") or "extra"
        by_stem[stem, models.nodes[name].id].append(name)
    sets: dict[str, list[str]] = {}
    for (stem, profile), members in by_stem.items():
        is_numbered = members == [f"{stem}-{n}" for n in range(1, len(members) + 1)]
        word = profile.partition("-")[0]
        is_alone = sum(other == stem for other, _ in by_stem) == 1
        label = stem if is_alone and (is_numbered or any(word == other for other, _ in by_stem)) else word
        sets.setdefault(label, []).extend(members)
    return sets


def find_scale_up(trays: Mapping[str, str], units: Units, profiles: Sequence[str], catalog: Catalog) -> None:
    """Fill `units.scale_up` by switch trays, `trays` (their models by name); `profiles` are those of all nodes.

    Of several domains with a tray, the one is taken that has most words in common with the profiles: nvl72-gb200 for
    gb200-tray. Trays that fit no domain become a note. If a domain joins others that have no trays, these get the label
    `within`.
    """
    rack_count = len({(at["pod"], at["su"], at["rack"]) for at in units.at.values() if at["rack"]})
    counts = {"cluster": 1, "pod": len(units.pods), "su": sum(units.pods.values()), "rack": rack_count}
    profile_words = {word for profile in profiles for word in re.split(r"\W", profile)}
    for model, names in group_by(sorted(trays, key=make_natural_key), trays):
        domains = [domain for name in catalog.ids("scale_up") if (domain := catalog.scale_up(name)).tray == model]
        best_domain = max(domains, key=lambda d: len(profile_words & set(re.split(r"\W", d.id))), default=None)
        domain_count = (
            len(names) * (best_domain.switches_per_tray or 1) // best_domain.switches
            if best_domain and best_domain.switches
            else 0
        )
        # p1-su01-rk02-nvswitch-01: as many places as a domain is `per`, then its name
        name_words = re.sub(r"[-_.]?\d+$", "", names[0]).lower().split("-")
        place_words = len([word for word in name_words if word in units.pods or re.fullmatch(r"(?:su|rk)\d+", word)])
        per = next(
            (place for place in (list(counts)[min(place_words, 3)], *counts) if counts[place] == domain_count), "rack"
        )
        if best_domain is None or not domain_count or (per == "rack" and (not rack_count or rack_count % domain_count)):
            units.notes.append(f"{len(names):,} {model} are of no scale-up domain that fits, and are left out")
            continue
        shared = {"racks": rack_count // domain_count} if rack_count > domain_count and per == "rack" else {}
        label = "-".join(name_words[place_words:])
        label = label if re.fullmatch(r"[a-z][a-z0-9-]{0,31}", label) else "scale-up"
        units.scale_up[label] = {"domain": best_domain.id, "per": per} | shared, names
    # a second tier joins domains whose own trays are there, or else those that have none: boards of nodes
    joining = {
        label: joins
        for label, (at, _) in units.scale_up.items()
        if (joins := catalog.scale_up(str(at["domain"])).joins)
    }
    for label, joins in joining.items():
        if not (joined := next((other for other, (at, _) in units.scale_up.items() if at["domain"] in joins), "")):
            inner = max(joins, key=lambda name: len(profile_words & set(re.split(r"\W", name))))
            joined, units.scale_up = "within", {"within": ({"domain": inner, "per": "node"}, []), **units.scale_up}
        units.scale_up[label][0]["joins"] = joined
