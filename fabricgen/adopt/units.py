"""Where nodes belong: racks, units and pods, by shared leaves and by names; and the scale-up domains that they form."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import networkx as nx

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.models import Models, find_common_start
from fabricgen.adopt.networks import (
    Network,
    NodeWire,
    Wires,
    choose_mode,
    find_mode,
    group_by,
    split_words,
)
from fabricgen.adopt.positions import Order
from fabricgen.blueprint.models import make_natural_key
from fabricgen.catalog.loader import Catalog

SHARED = 0.25
"""Two leaves are of one place if they share so much of the nodes of the one with fewer; faults share few."""
MOST_UNITS = 52
"""The rack units of the highest racks: groups that need more are no racks."""
MOST_CHARACTERS = 32
"""Of a name in a page."""
PLACES = ("rack", "su", "pod")
"""Places that nest, from narrow to wide."""
_HINTS = {"rack": "rack", "rk": "rack", "r": "", "su": "su", "unit": "su", "pod": "pod", "p": "pod", "block": "su"}
_TOKEN = re.compile(r"([A-Za-z]*)[-_.]?(\d+)")

Partition = dict[str, str]
"""A part, by what one of its members is called, of each node."""


class UnitKind(NamedTuple):
    """What units of a kind are: node sets by name (one that is called "" where it is alone), with their profile and
    nodes per unit; and how many stand in a rack, 0 where nobody tells.
    """

    sets: dict[str, tuple[str, int]]
    per_rack: int


@dataclass
class Units:
    """Nodes of scalable units. `at` has pod (its name), su, rack (in the unit) and node (in the unit) of each, from 1.

    `kinds` are the kinds of units by name (one that is called "" where it is alone), `kind_of` that of each pod; `pods`
    have units by pod, in order. `extras` are all other devices by set.
    """

    at: dict[str, dict[str, str | int]] = field(default_factory=dict)
    set_of: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, UnitKind] = field(default_factory=dict)
    kind_of: dict[str, str] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)
    """The site of each pod, where these are of several."""
    omitted: list[str] = field(default_factory=list)
    extras: dict[str, list[str]] = field(default_factory=dict)
    scale_up: dict[str, tuple[dict[str, str | int], list[str]]] = field(default_factory=dict)
    """By name of a scale-up domain, what a page says of it, and its switch trays in order."""
    in_racks: dict[str, tuple[str, dict[str, Sequence[str | int]]]] = field(default_factory=dict)
    """By set of devices in every rack of nodes: their profile; pod, unit, rack and number of each, from 1."""
    notes: list[str] = field(default_factory=list)


def choose_main(models: Models) -> frozenset[str]:
    """The nodes of scalable units: those with accelerators, else those of the profile of which there are most."""
    with_accelerators = {name for name, profile in models.nodes.items() if profile.accelerators}
    if with_accelerators or not models.nodes:
        return frozenset(with_accelerators)
    profile = choose_mode([p.id for p in models.nodes.values() if not p.external] or ["external"])
    return frozenset(name for name, p in models.nodes.items() if p.id == profile)


def find_units(
    facts: Facts, models: Models, wires: Wires, networks: Sequence[Network], main: frozenset[str], order: Order
) -> Units:
    """The units that explain which nodes share leaves; names say what links do not, where they say anything."""
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
    """Take from the extra devices those of which every rack of nodes has as many, where lists tell all racks."""
    racks = {facts.devices[node].rack: (at["pod"], at["su"], at["rack"]) for node, at in units.at.items()}
    others = [name for names in units.extras.values() for name in names if facts.devices[name].rack in racks]
    for profile, names in group_by(others, {name: models.nodes[name].id for name in others}):
        by_rack = dict(group_by(names, {name: facts.devices[name].rack for name in names}))
        if "" in racks or by_rack.keys() != racks.keys() or len({len(of_rack) for of_rack in by_rack.values()}) > 1:
            continue
        label = split_words(names[0])[-1]
        places: dict[str, Sequence[str | int]] = {}
        for rack, of_rack in by_rack.items():
            places |= {name: (*racks[rack], n) for n, name in enumerate(of_rack, 1)}
        units.in_racks[label] = profile, places
        left = {key: [name for name in of if name not in places] for key, of in units.extras.items()}
        units.extras = {key: of for key, of in left.items() if of}


def _list_partitions(nodes: Sequence[str], wires: Wires, networks: Sequence[Network]) -> list[tuple[Partition, bool]]:
    """(nodes by part, whether upper tiers make it) that fabrics make of nodes, the finest first, each once."""
    known = frozenset(nodes)
    found: dict[tuple[tuple[str, ...], ...], tuple[Partition, bool]] = {}
    neighbors = wires.map_neighbors()
    for network in networks:
        leaves = set(network.tiers[network.leaf])
        legs = [wire for wire in wires.of_nodes if wire.node in known and wire.switch in leaves]
        part_of_leaf = _join_leaves(legs)
        tiers = list(network.tiers.values())
        for depth in range(len(tiers)):
            if depth and depth == len(tiers) - 1 and len(tiers) > 1:
                break
            if depth:
                _join_below(part_of_leaf, tiers[depth], neighbors)
            partition = _part_nodes(nodes, legs, part_of_leaf)
            parts = tuple(sorted(tuple(names) for _, names in group_by(nodes, partition)))
            if 1 < len(parts) < len(nodes):
                found.setdefault(parts, (partition, depth > 0))
    return sorted(found.values(), key=lambda pair: -len(set(pair[0].values())))


def _add_silent(partition: Partition, nodes: Sequence[str]) -> None:
    """Put in the nodes without links, by their neighbours in the order of names: the one that is called more alike."""
    linked = [node for node in nodes if node in partition]
    for place, node in enumerate(nodes):
        if node not in partition and linked:
            at = sum(other in partition for other in nodes[:place])
            around = [*linked[max(at - 1, 0) : at], *linked[at : at + 1]]
            partition[node] = partition[max(around, key=lambda other: len(find_common_start((other, node))))]


def _join_leaves(legs: Sequence[NodeWire]) -> dict[str, str]:
    """The part of each leaf: leaves are of one that share more nodes than faults make them share."""
    nodes_of: dict[str, set[str]] = defaultdict(set)
    leaves_of: dict[str, set[str]] = defaultdict(set)
    for wire in legs:
        nodes_of[wire.switch].add(wire.node)
        leaves_of[wire.node].add(wire.switch)
    shared = Counter(pair for leaves in leaves_of.values() for pair in combinations(sorted(leaves), 2))
    joined: nx.Graph[str] = nx.Graph()
    joined.add_nodes_from(nodes_of)
    for (a, b), count in shared.items():
        if count >= SHARED * min(len(nodes_of[a]), len(nodes_of[b])):
            joined.add_edge(a, b)
    return _label_parts(joined)


def _label_parts(joined: nx.Graph[str]) -> dict[str, str]:
    """By member the part that it is joined to, each called by the first of its members."""
    return {member: min(part) for part in nx.connected_components(joined) for member in part}


def _join_below(part_of_leaf: dict[str, str], uppers: Sequence[str], neighbors: Mapping[str, Counter[str]]) -> None:
    """Join the parts of switches below a tier, of which each of its switches has a fair share."""
    joined: nx.Graph[str] = nx.Graph()
    joined.add_nodes_from(part_of_leaf.values())
    for upper in uppers:
        links = Counter[str]()
        for far, count in neighbors.get(upper, {}).items():
            if far in part_of_leaf:
                links[part_of_leaf[far]] += count
        most = max(links.values(), default=0)
        nx.add_path(joined, sorted(part for part, count in links.items() if count >= SHARED * most))
        if links:
            part_of_leaf[upper] = choose_mode(links)
    labels = _label_parts(joined)
    for name, part in part_of_leaf.items():
        part_of_leaf[name] = labels[part]


def _part_nodes(nodes: Sequence[str], legs: Sequence[NodeWire], part_of_leaf: Mapping[str, str]) -> Partition:
    """The part of each node: that of most of its leaves; of one without any, its own name."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for wire in legs:
        votes[wire.node][part_of_leaf[wire.switch]] += 1
    return {node: max(sorted(votes[node]), key=votes[node].__getitem__) if node in votes else node for node in nodes}


def _assign_places(
    nodes: Sequence[str],
    partitions: Sequence[tuple[Partition, bool]],
    named: Mapping[str, Partition],
    units: Units,
    per_rack: int,
) -> dict[str, Partition]:
    """Which partition is that of racks, of units and of pods: as names say, else by how they nest."""
    places: dict[str, Partition] = {}
    chain = [
        pair for place, pair in enumerate(partitions) if all(_nests_in(pair[0], o[0]) for o in partitions[place + 1 :])
    ]
    for pair in partitions:
        if pair not in chain:
            units.notes.append(
                f"{len(set(pair[0].values())):,} groups of nodes that share leaves do not nest in wider ones: left out"
            )
    for place, by_name in named.items():
        if len(set(by_name.values())) < len(nodes) and _fits_place(place, by_name, places):
            places[place] = by_name
    open_pairs = [
        pair
        for pair in chain
        if not any(
            _is_same(pair[0], p) or not (_nests_in(pair[0], p) or _nests_in(p, pair[0])) for p in places.values()
        )
    ]
    for partition, upper in open_pairs:
        narrower = [p for p in PLACES if p in places and _nests_in(places[p], partition)]
        wider = [p for p in PLACES if p in places and _nests_in(partition, places[p])]
        low = max((PLACES.index(place) + 1 for place in narrower), default=0)
        high = min((PLACES.index(place) for place in wider), default=len(PLACES))
        free = [place for place in PLACES[low:high] if place not in places]
        if max(Counter(partition.values()).values()) > per_rack and "rack" in free:
            free.remove("rack")
        is_widest = partition is [p for p, u in open_pairs if u == upper][-1]
        wish = "pod" if upper else "su" if is_widest else "rack"
        if free:
            places[wish if wish in free else free[-1]] = partition
        else:
            units.notes.append(
                f"{len(set(partition.values())):,} groups of nodes share leaves, and are no racks, units or pods"
            )
    return places


def _fits_place(place: str, partition: Partition, places: Mapping[str, Partition]) -> bool:
    """Whether a partition nests between those of narrower and of wider places."""
    at = PLACES.index(place)
    narrower = all(_nests_in(places[p], partition) for p in PLACES[:at] if p in places)
    return narrower and all(_nests_in(partition, places[p]) for p in PLACES[at + 1 :] if p in places)


def _nests_in(fine: Partition, coarse: Partition) -> bool:
    """Whether each part of one partition is within a part of another; strays aside."""
    pairs = Counter((fine[node], coarse[node]) for node in fine)
    most: dict[str, int] = defaultdict(int)
    for (part, _), count in pairs.items():
        most[part] = max(most[part], count)
    return sum(most.values()) >= 0.9 * len(fine)


def _is_same(one: Partition, other: Partition) -> bool:
    return _nests_in(one, other) and _nests_in(other, one)


def _list_places_of_names(nodes: Sequence[str]) -> dict[str, Partition]:
    """Partitions by place that the numbers in names make: su01 and what stands before it."""
    parsed = {node: [(m[1].lower(), m.end()) for m in _TOKEN.finditer(node)] for node in nodes}
    shape = choose_mode(tuple(word for word, _ in tokens) for tokens in parsed.values())
    found: dict[str, Partition] = {}
    for number, word in enumerate(shape[:-1]):
        place = _HINTS.get(word, "")
        if place and place not in found:
            found[place] = {
                node: node[: tokens[number][1]] if len(tokens) > number else node for node, tokens in parsed.items()
            }
    return found


def _number_nodes(
    nodes: Sequence[str],
    places: Mapping[str, Partition],
    facts: Facts,
    models: Models,
    units: Units,
    order: Order,
) -> None:
    """Give each node its pod, unit, rack and number, in their order; and the sets and sizes of units."""
    whole = dict.fromkeys(nodes, "")
    by_pod, by_unit = places.get("pod", whole), places.get("su", places.get("pod", whole))
    told = {n: facts.devices[n].rack for n in nodes}
    racks = told if all(told.values()) else places.get("rack") or told
    profiles: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        profiles[by_unit[node]].add(models.nodes[node].id)
    kind_of = {node: "-".join(sorted(profiles[by_unit[node]]))[:MOST_CHARACTERS].strip("-") for node in nodes}
    if len(set(kind_of.values())) == 1:
        kind_of = whole
    for kind, members in group_by(nodes, kind_of):
        per_rack = find_mode(Counter(racks[n] for n in members if racks[n]).values())[0] or 0
        units.kinds[kind] = UnitKind(_name_sets(members, models, by_unit, units, order), per_rack)
    # a pod has units of one kind
    pods = list(group_by(nodes, {node: (by_pod[node], kind_of[node]) for node in nodes}))
    of_pods = [members for _, members in pods]
    usual = [f"p{number}" for number in range(1, len(pods) + 1)]
    named = dict(zip(_name_pods(of_pods, usual) if order.by_names else usual, pods, strict=True))
    sites = {pod: choose_mode(facts.devices[n].site for n in named[pod][1]) for pod in named}
    units.sites = sites if len(set(sites.values())) > 1 and all(sites.values()) else {}
    for pod in sorted(named, key=make_natural_key):
        (_, kind), members = named[pod]
        unit_groups = list(group_by(members, by_unit))
        units.pods[pod], units.kind_of[pod] = len(unit_groups), kind
        for su, (_, of_unit) in enumerate(unit_groups, 1):
            _number_unit(pod, su, of_unit, units, order)


def _number_unit(pod: str, su: int, nodes: Sequence[str], units: Units, order: Order) -> None:
    """Give the nodes of a unit their numbers in it, set after set; slots without a node are omitted."""
    first, per_rack = 1, units.kinds[units.kind_of[pod]].per_rack
    for label, (_, count) in units.kinds[units.kind_of[pod]].sets.items():
        of_set = [n for n in nodes if units.set_of[n] == label]
        numbers = number_by_names(of_set, count if order.by_names else 0)
        for node in of_set:
            number = first + numbers[node] - 1
            rack = (number - 1) // per_rack + 1 if per_rack else 0
            units.at[node] = {"pod": pod, "su": su, "rack": rack, "node": number}
        missing = sorted(set(range(1, count + 1)) - set(numbers.values())) if order.by_names else []
        units.omitted += [f"{pod}/su-{su}/node-{first + number - 1}" for number in missing]
        first += count


def number_by_names(names: Sequence[str], count: int) -> dict[str, int]:
    """The numbers of devices among the `count` of their group: the last ones of their names, where these are within it;
    else their order, as where none is missing.

    Where names count on over groups, by how far they are from the first.
    """
    if len(names) < count:
        last = {name: int(match[-1]) for name in names if (match := re.findall(r"\d+", name))}
        for offset in (0, (min(last.values(), default=1) - 1) // count * count):
            numbers = {name: number - offset for name, number in last.items()}
            if len(set(numbers.values())) == len(names) and all(1 <= n <= count for n in numbers.values()):
                return numbers
    return {name: number for number, name in enumerate(names, 1)}


def _name_pods(pods: Sequence[Sequence[str]], usual: list[str]) -> list[str]:
    """Names of pods: the first word with its number that all names of a pod, and of no other, have; else the usual."""
    common = [set.intersection(*(set(re.split(r"[-_.]", name)) for name in names)) for names in pods]
    names = []
    for place, tokens in enumerate(common):
        others = set().union(*(common[o] for o in range(len(common)) if o != place))
        own = [t for t in re.split(r"[-_.]", pods[place][0]) if t in tokens - others and re.fullmatch(r"[a-z]+\d+", t)]
        names.append(own[0] if own else "")
    return names if all(names) and len(set(names)) == len(pods) else usual


def _name_sets(
    nodes: Sequence[str], models: Models, by_unit: Partition, units: Units, order: Order
) -> dict[str, tuple[str, int]]:
    """Node sets by profile and by the words of names, where each unit has some of each, with nodes per unit."""
    kinds = {node: (models.nodes[node].id, tuple(split_words(node)) if order.by_names else ()) for node in nodes}
    groups = list(group_by(nodes, kinds))
    parts = len({by_unit[node] for node in nodes})
    if len(groups) > 1 and any(len(m) < 2 or len({by_unit[n] for n in m}) < parts for _, m in groups):
        # words differ between pods and units as well: profiles alone tell sets apart
        groups = list(group_by(nodes, {node: (kind[0], ()) for node, kind in kinds.items()}))
    common = set.intersection(*(set(kind[1]) for kind, _ in groups)) if len(groups) > 1 else set()
    sets: dict[str, tuple[str, int]] = {}
    for (profile, words), members in groups:
        own = [word for word in words if word not in common]
        label = "" if len(groups) == 1 else own[-1] if own else profile
        sets[label] = profile, max(Counter(by_unit[n] for n in members).values())
        units.set_of |= dict.fromkeys(members, label)
    return sets


def _name_extras(names: Iterable[str], models: Models) -> dict[str, list[str]]:
    """Devices beside the nodes by set: by their name without the number, or the letter, at its end.

    Those of one profile that are not numbered so are one set, called after it: sets take ports in the order of their
    names, and usual ones are called so.
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


def find_scale_up(trays: Mapping[str, str], units: Units, nodes: Iterable[str], catalog: Catalog) -> None:
    """Put into units the scale-up domains that trays (their models by name) are of; `nodes` are profiles of nodes.

    Of domains with the same tray that is taken whose name the nodes' have most of: nvl72-gb200 for gb200-tray.
    """
    racks = len({(at["pod"], at["su"], at["rack"]) for at in units.at.values() if at["rack"]})
    counts = {"cluster": 1, "pod": len(units.pods), "su": sum(units.pods.values()), "rack": racks}
    words = {word for profile in nodes for word in re.split(r"\W", profile)}
    for model, names in group_by(sorted(trays, key=make_natural_key), trays):
        domains = [domain for name in catalog.ids("scale_up") if (domain := catalog.scale_up(name)).tray == model]
        best = max(domains, key=lambda d: len(words & set(re.split(r"\W", d.id))), default=None)
        number = len(names) * (best.switches_per_tray or 1) // best.switches if best and best.switches else 0
        words_of = re.sub(r"[-_.]?\d+$", "", names[0]).lower().split("-")
        depth = len([word for word in words_of if word in units.pods or re.fullmatch(r"(?:su|rk)\d+", word)])
        per = next((place for place in (list(counts)[min(depth, 3)], *counts) if counts[place] == number), "rack")
        if best is None or not number or (per == "rack" and (not racks or racks % number)):
            units.notes.append(f"{len(names):,} {model} are of no scale-up domain that fits, and are left out")
            continue
        shared = {"racks": racks // number} if racks > number and per == "rack" else {}
        stated = {"domain": best.id, "per": per} | shared | ({"joins": "within"} if best.joins else {})
        if best.joins:
            inner = max(best.joins, key=lambda name: len(words & set(re.split(r"\W", name))))
            units.scale_up["within"] = {"domain": inner, "per": "node"}, []
        label = "-".join(words_of[depth:])
        units.scale_up[label if re.fullmatch(r"[a-z][a-z0-9-]{0,31}", label) else "scale-up"] = stated, names
