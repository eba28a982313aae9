"""Infer what tiers are grouped by (`per`), from which switches meet which; their links and cages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from fabricgen.adopt.facts import Inference, PagePath
from fabricgen.adopt.forms import (
    KM_OF_SPAN,
    LEGS,
    PLACES,
    Coordinate,
    Coordinates,
    FabricForm,
    TierForm,
    group_members,
    make_tuple,
)
from fabricgen.adopt.meshes import find_grid, find_mesh, list_tables
from fabricgen.adopt.models import Models
from fabricgen.adopt.networks import STRAY, TIERS, Network, NodeWire, Wires, choose_mode, find_mode, group_by
from fabricgen.adopt.positions import Order
from fabricgen.adopt.units import Units, number_by_names
from fabricgen.blueprint.dimensions import find_dimension
from fabricgen.kernel.intervals import make_intervals

Meets: TypeAlias = dict[str, list[tuple[Coordinates, int]]]
"""By switch the (coordinates, number of links) at the far ends of its links down."""
MAX_RAILS = 8
"""The rails of a node: of evenly many links to each, an eighth is of one rail."""


def find_tiers(network: Network, models: Models, wires: Wires, units: Units, order: Order) -> FabricForm:
    """Infer the tiers of a fabric from the ports of nodes of units on its switches, and from links between them."""
    form = FabricForm(network)
    members = {name for names in network.tiers.values() for name in names}
    legs = [wire for wire in wires.of_nodes if wire.switch in members and wire.node in units.at]
    carried = {role: [wire for wire in legs if wire.leg.role == role] for role in network.roles[1:]}
    legs = [wire for wire in legs if wire.leg.role == network.role]
    neighbors = wires.neighbors
    at_legs, numbers = _number_legs(form, legs, neighbors, units, models)
    served: dict[str, Counter[int]] = defaultdict(Counter)
    for wire, number in zip(legs, numbers, strict=True):
        served[wire.switch][number] += 1
    lower: dict[str, Coordinates] = {}
    for name, switches in network.tiers.items():
        meets: Meets = {switch: [(at_legs[n], links) for n, links in served[switch].items()] for switch in switches}
        for switch in switches if form.tiers else ():
            far_ends = neighbors.get(switch, {}).items()
            meets[switch] = [(lower[far], links) for far, links in far_ends if far in lower]
        members = set(switches)
        peers = [(a, b) for a in switches for b in neighbors.get(a, ()) if b in members]
        form.tiers[name] = _infer_tier(form, name, switches, meets, models, peers, order)
        lower = form.tiers[name].at
    _count_links(form, wires, models)
    if form.rail_groups:
        lowest = form.tiers[network.leaf].at
        form.carried = {role: _group_carried_rails(of_role, lowest) for role, of_role in carried.items()}
    return form


def _group_carried_rails(legs: Sequence[NodeWire], at: Mapping[str, Coordinates]) -> list[list[int]]:
    """Return the rails of a carried role by the rail group whose leaves serve most of each; [] if all share a group."""
    votes: dict[int, Counter[Coordinate]] = defaultdict(Counter)
    for wire in legs:
        if group := at.get(wire.switch, {}).get("rail-group"):
            votes[wire.leg.rail][group] += 1
    groups: dict[Coordinate, list[int]] = defaultdict(list)
    for rail, counts in sorted(votes.items()):
        groups[choose_mode(counts)].append(rail)
    return [groups[group] for group in sorted(groups, key=str)] if len(groups) > 1 else []


def _number_legs(
    form: FabricForm, legs: Sequence[NodeWire], neighbors: Mapping[str, Counter[str]], units: Units, models: Models
) -> tuple[list[Coordinates], list[int]]:
    """Return (distinct coordinates of legs, the row of each leg's coordinates among them).

    Sets `ways`, `leg_gbps` and `planes` of `form`. Coordinates are the place of a leg's node, its rail, and its number
    among the legs of a NIC, from 1. That number is called `plane` if there are several and (nearly) no links between
    switches of different numbers, else `port`.
    """
    members = {name for names in form.network.tiers.values() for name in names}
    form.ways = max((wire.leg.part for wire in legs), default=0) or 1
    if legs:
        role = models.nodes[legs[0].node].roles[legs[0].leg.role]
        form.leg_gbps = role.lanes * role.lane_gbps / form.ways
    number_of_port = {pair: number for number, pair in enumerate(sorted({(w.leg.port, w.leg.part) for w in legs}), 1)}
    numbers = [number_of_port[wire.leg.port, wire.leg.part] for wire in legs]
    dimension = "port"
    if len(number_of_port) > 1 and _are_disjoint(legs, numbers, neighbors, members):
        dimension, form.planes = "plane", len(number_of_port)
    place_of = {node: (at["pod"], at["su"], at["rack"]) for node, at in units.at.items()}
    leg_keys = [(*place_of[wire.node], wire.leg.rail, number) for wire, number in zip(legs, numbers, strict=True)]
    row_of_key = {leg_key: number for number, leg_key in enumerate(dict.fromkeys(leg_keys))}
    distinct_coordinates: list[Coordinates] = []
    for pod, su, rack, rail, number in row_of_key:
        site = units.sites.get(str(pod))
        places: Coordinates = {"pod": pod, "su": (pod, su)} | ({"rack": (pod, su, rack)} if rack else {})
        distinct_coordinates.append({**places, **({"site": site} if site else {}), "rail": rail, dimension: number})
    return distinct_coordinates, [row_of_key[leg_key] for leg_key in leg_keys]


def _are_disjoint(
    legs: Sequence[NodeWire], numbers: Sequence[int], neighbors: Mapping[str, Counter[str]], members: set[str]
) -> bool:
    """Return whether switches that serve legs of different numbers have (nearly) no links to each other.

    `numbers` are those of `legs`, `members` the switches of the fabric. False, too, if more than a few legs are at
    switches that mostly serve another number.
    """
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for wire, number in zip(legs, numbers, strict=True):
        votes[wire.switch][number] += 1
    if sum(max(v.values()) for v in votes.values()) < (1 - STRAY) * len(legs):
        return False
    plane = {switch: choose_mode(v) for switch, v in votes.items()}
    upper_switches = [switch for switch in members if switch not in plane]
    for _ in range(len(TIERS)):
        for switch in upper_switches:
            planes = [plane[far] for far in Counter(neighbors.get(switch, {})).elements() if far in plane]
            if planes:
                plane[switch] = choose_mode(planes)
    pairs = [(plane.get(a), plane.get(b)) for a in members for b in neighbors.get(a, ()) if b in members]
    return sum(a == b for a, b in pairs) >= (1 - STRAY) * len(pairs)


def _infer_tier(
    form: FabricForm,
    name: str,
    switches: Sequence[str],
    meets: Meets,
    models: Models,
    peers: Sequence[tuple[str, str]],
    order: Order,
) -> TierForm:
    """Infer a tier and what it is grouped by: as the names of its switches tell, else the fewest dimensions in which
    all that a switch meets agrees.

    `meets` has, by switch, (coordinates, links) at the far ends of its links down. `peers` are pairs of switches with
    links to each other; they are of one group whatever they meet, unless the links are a mesh. Groups of other sizes
    than most, and other profiles of switches, become notes of `form`, and how the tier is grouped an inference.
    """
    at: dict[str, Coordinates] = {switch: {} for switch in switches if switch not in models.silent}
    path: PagePath = ("fabrics", form.network.name, "tiers", name, "per")
    agreed = _find_agreement(form, meets, at)
    peers = [(a, b) for a, b in peers if at[a].get("site") == at[b].get("site")]
    # most switches with peers have a single one: these are pairs, not a mesh
    are_pairs = bool(peers) and find_mode(Counter(a for a, _ in peers).values())[0] == 1
    dimensions_between_peers = [
        d for d in agreed if are_pairs and 2 * sum(at[a].get(d) != at[b].get(d) for a, b in peers) > len(peers)
    ]
    for dimension in dimensions_between_peers:
        del agreed[dimension]
        if dimension == "rail-group":
            form.rail_groups = []
    per_by_names = _find_named_per(form.network.name, name, at) if order.by_names else None
    per = _find_fewest(agreed, at) if per_by_names is None else per_by_names
    if not per:  # switches without links are of the only group; with several groups, each is as large as most are
        at |= {switch: {} for switch in switches if switch not in at}
    groups = group_members(at, per)
    sizes = Counter(len(members) for members in groups.values())
    group_size = choose_mode(sizes)
    if len(sizes) > 1:
        size_words = " and ".join(map(str, sorted(sizes)))
        form.notes.append(f"{form.network.name} {name}: groups have {size_words} switches; {group_size} were taken")
    number_group_members(at, per, name, group_size, order)
    form.inferences.append(
        Inference(
            path,
            f"[{', '.join(per)}]" if per else "the whole fabric",
            *min((agreed[d] for d in per if d in agreed), default=(len(switches), len(switches))),
            f"{len(groups):,} group{'s' * (len(groups) != 1)} of {group_size}"
            + (", which their names tell" if per_by_names is not None else ""),
        )
    )
    profile = choose_mode(models.switches[s].id for s in switches)
    of_pods = {pod: {models.switches[s].id for s in members} for pod, members in _group_by_pod(at)}
    profile_of_pod = {pod: ids.pop() for pod, ids in of_pods.items() if len(ids) == 1 and ids != {profile}}
    if other_profiles := sorted({models.switches[s].id for s in switches} - {profile, *profile_of_pod.values()}):
        form.notes.append(
            f"{form.network.name} {name}: {', '.join(other_profiles)} stand among {profile}, and are written as that"
        )
    nos, uneven = choose_mode(models.nos[s] for s in switches), sizes[group_size] < (1 - STRAY) * len(groups)
    return TierForm(name, per, at, group_size, profile, nos, uneven=uneven, profile_of_pod=profile_of_pod)


def _group_by_pod(at: Mapping[str, Coordinates]) -> Iterator[tuple[str, list[str]]]:
    """Yield (pod, its switches) for the switches that are of a pod; `at` has the coordinates of switches."""
    pods = {switch: str(values["pod"]) for switch, values in at.items() if "pod" in values}
    yield from group_by(pods, pods)


def _find_agreement(form: FabricForm, meets: Meets, at: dict[str, Coordinates]) -> dict[str, tuple[int, int]]:
    """Fill `at` with the coordinates in which all that a switch meets agrees, a few stray links aside.

    Returns (links that agree, links) by dimension, for the dimensions in which switches differ from each other. If
    switches agree in groups of rails, not in a rail, the dimension is rail-group.
    """
    agreed: dict[str, tuple[int, int]] = {}
    for dimension in dict.fromkeys(d for met in meets.values() for coordinates, _ in met for d in coordinates):
        mode_of_switch = {s: find_mode(_count_values(met, dimension)) for s, met in meets.items() if met and s in at}
        agreeing_links, all_links = (
            sum(counts) for counts in zip(*(mode[1:] for mode in mode_of_switch.values()), strict=True)
        )
        values = {coordinates.get(dimension) for met in meets.values() for coordinates, _ in met}
        if agreeing_links >= (1 - STRAY) * all_links:
            for switch, (value, _, _) in mode_of_switch.items():
                if value is not None:
                    at[switch][dimension] = value
            if len(values) > 1 and dimension != "site":
                agreed[dimension] = agreeing_links, all_links
        elif dimension == "rail":
            _group_rails(form, meets, at, agreed)
    return agreed


def _count_values(
    coordinates_and_links: Sequence[tuple[Coordinates, int]], dimension: str
) -> Counter[Coordinate | None]:
    """Return how many links lead to each value of a dimension."""
    counts = Counter[Coordinate | None]()
    for coordinates, links in coordinates_and_links:
        counts[coordinates.get(dimension)] += links
    return counts


def number_group_members(
    at: Mapping[str, Coordinates], per: Sequence[str], tier: str, count: int, order: Order
) -> None:
    """Put the number of each switch in its group, from 1, into its coordinates under the name of its tier.

    A group has `count` switches with the same coordinates in `per`, numbered in `order`; if one is missing, as it is
    off, the others keep the numbers that their names tell.
    """
    for members in group_members(at, per).values():
        members.sort(key=order.key)
        for switch, number in number_by_names(members, count if order.by_names else 0).items():
            at[switch][tier] = number


def _find_named_per(fabric: str, tier: str, at: Mapping[str, Coordinates]) -> tuple[str, ...] | None:
    """Return the dimensions in the default names of a tier, as compute-leaf-p1-su01-r1-01; None if names are others.

    `at` has the coordinates of switches. At most one of the dimensions is a place, and comes first; of the others as
    many as fit are taken. A few names may differ.
    """
    dimensions = [d for d in set.intersection(*(set(values) for values in at.values())) if d not in (tier, "site")]
    dimensions.sort(key=_order_dimension)
    known_places = [d for d in PLACES if d in dimensions]
    other_dimensions = [d for d in dimensions if d not in PLACES]
    for narrowest_place in (*known_places, ""):  # "" if names begin with no place
        for size in range(len(other_dimensions), -1, -1):
            for chosen_dimensions in combinations(other_dimensions, size):
                fits = sum(
                    _has_default_name(switch, fabric, tier, narrowest_place, chosen_dimensions, values)
                    for switch, values in at.items()
                )
                if fits >= (1 - STRAY) * len(at):
                    return (*((narrowest_place,) if narrowest_place else ()), *chosen_dimensions)
    return None


def _has_default_name(
    switch: str, fabric: str, tier: str, narrowest_place: str, chosen_dimensions: Sequence[str], values: Coordinates
) -> bool:
    """Return whether a switch has the default name of one with its coordinates (`values`), whatever its number.

    The name tells `narrowest_place` with the places around it, none if that is "", and then `chosen_dimensions`.
    """
    coordinate = values[narrowest_place] if narrowest_place else ()
    name_words = [fabric, tier, *([str(values["site"])] if not narrowest_place and "site" in values else [])]
    for dimension, value in zip(reversed(PLACES), make_tuple(coordinate), strict=False):
        name_words.append(find_dimension(dimension).template.format(**{dimension: value}))
    for dimension in chosen_dimensions:
        if dimension in LEGS or dimension == "rail-group":
            name_words.append(f"{find_dimension(dimension).short}{values[dimension]}")
        else:
            name_words.append(f"{dimension}{values[dimension]}")
    return re.fullmatch(re.escape("-".join(name_words)) + r"-\d{2,}", switch) is not None


def _group_rails(
    form: FabricForm,
    meets: Meets,
    at: dict[str, Coordinates],
    agreed: dict[str, tuple[int, int]],
) -> None:
    """Group rails that share switches, if each switch serves several rails and each rail is of one group alone.

    Sets `form.rail_groups`, and the coordinate rail-group in `at` and `agreed`.
    """
    links_by_rail = {switch: _count_values(met, "rail") for switch, met in meets.items() if met}
    rails_of_switch = {
        switch: frozenset(rail for rail, n in links.items() if n >= STRAY * links.total() / MAX_RAILS)
        for switch, links in links_by_rail.items()
    }
    groups = sorted(set(rails_of_switch.values()), key=lambda rails_of_group: sorted(map(str, rails_of_group)))
    if len(groups) < 2 or sum(map(len, groups)) > len(frozenset[object]().union(*groups)):
        return
    form.rail_groups = sorted(sorted(int(str(rail)) for rail in group) for group in groups)
    all_links = sum(links.total() for links in links_by_rail.values())
    for switch, group in rails_of_switch.items():
        at[switch]["rail-group"] = form.rail_groups.index(sorted(int(str(rail)) for rail in group)) + 1
    agreed["rail-group"] = all_links, all_links


def _find_fewest(agreed: Mapping[str, tuple[int, int]], at: Mapping[str, Coordinates]) -> tuple[str, ...]:
    """Return the fewest of the `agreed` dimensions that make the same groups as all of them."""

    def count_groups(dimensions: Sequence[str]) -> int:
        return len(group_members(at, dimensions))

    per = sorted(agreed, key=_order_dimension)
    groups = count_groups(per)
    # narrow places are tried first: of two that make the same groups the wider stays
    for dimension in (*PLACES, *[d for d in per if d not in PLACES]):
        fewer = [d for d in per if d != dimension]
        if dimension in per and count_groups(fewer) == groups:
            per = fewer
    return tuple(per)


def _order_dimension(dimension: str) -> tuple[int, str]:
    order = ("pod", "su", "rack", "rail", "rail-group", "plane", "port")
    return (order.index(dimension), "") if dimension in order else (len(order), dimension)


def _count_links(form: FabricForm, wires: Wires, models: Models) -> None:
    """Set the uplinks, downlinks, peers and mesh of each tier of a form, each as most of its switches have it.

    Links between sites are counted in `form.spans`. Links that pass a tier by are in no form, and become a note.
    """
    level = {s: number for number, tier in enumerate(form.tiers.values()) for s in tier.at}
    site_of = {s: str(at["site"]) for tier in form.tiers.values() for s, at in tier.at.items() if "site" in at}
    counts: dict[str, Counter[str]] = {word: Counter() for word in ("uplinks", "down", "peer")}
    links_past_a_tier = 0
    for switch, neighbor, links in ((s, other, n) for s in level for other, n in wires.neighbors.get(s, {}).items()):
        if neighbor not in level:
            counts["uplinks"][switch] += links if form.network.below else 0
        elif (
            level[switch] == level[neighbor]
            and len(sites_of_link := sorted({site_of.get(s, "") for s in (switch, neighbor)})) > 1
        ):
            form.spans[sites_of_link[0], sites_of_link[1]] += links if switch < neighbor else 0
        elif level[switch] == level[neighbor]:
            counts["peer"][switch] += links
        elif level[neighbor] - level[switch] == 1:
            counts["uplinks"][switch] += links
            counts["down"][neighbor] += links
        elif level[neighbor] > level[switch]:
            links_past_a_tier += links
    if links_past_a_tier:
        form.notes.append(f"{form.network.name}: {links_past_a_tier:,} links pass a tier by, and are in no form")
    _describe_spans(form, models)
    for tier in form.tiers.values():
        _describe_links(form, tier, counts, wires, models)


def _describe_spans(form: FabricForm, models: Models) -> None:
    """Set the speed of links between sites, and tell that their length is not known."""
    last_tier = list(form.tiers.values())[-1]
    cages = models.switches[next(iter(last_tier.at))].cages
    form.span_gbps = max(max(speeds) for cage in cages for speeds in cage.breakouts.values())
    for (a_site, b_site), count in form.spans.items():
        span: PagePath = ("fabrics", form.network.name, "spans", f"{a_site}-{b_site}")
        unknown = f"their length is not told: `km: {KM_OF_SPAN}` stands for it"
        form.inferences.append(Inference(span, f"{count:,} links", count, count, unknown))


def _describe_links(
    form: FabricForm, tier: TierForm, counts: Mapping[str, Counter[str]], wires: Wires, models: Models
) -> None:
    """Set what a page says of a tier's links, from `counts` of those up, down and to peers by switch."""
    of_pod = {pod: choose_mode(counts["uplinks"][s] for s in members) for pod, members in _group_by_pod(tier.at)}
    tier.of_pod = of_pod if len(set(of_pod.values())) > 1 else {}
    modes = {word: find_mode(counts[word][s] for s in tier.at) for word in counts}
    tier.uplinks, tier.downlinks, tier.peers = (links or 0 for links, _, _ in modes.values())
    peers = (
        (a, b, links) for a in tier.at for b, links in wires.neighbors.get(a, {}).items() if a < b and b in tier.at
    )
    pairs = {(a, b): links for a, b, links in peers if tier.at[a].get("site") == tier.at[b].get("site")}
    tier.grid = find_grid(tier, pairs) if tier.peers else {}
    mesh = find_mesh(tier, pairs) if tier.peers else {}
    tier.mesh = {dimension: rule for dimension, rule in mesh.items() if rule is not None}
    cages = models.list_cages(tier.profile, tier.nos)
    tier.tables = {d: list_tables(tier, d, wires.of_switches, cages) for d, rule in mesh.items() if rule is None}
    tier.peers = 0 if tier.tables else tier.peers
    for word, (links, hits, total) in modes.items():
        if links and word != "down":
            path = ("fabrics", form.network.name, "tiers", tier.name, word)
            form.inferences.append(Inference(path, str(links), hits, total, "switches"))


def find_cages(forms: Iterable[FabricForm], wires: Wires, models: Models, units: Units) -> None:
    """Set the cages of each tier by purpose; a cage that few of its switches use for a purpose is taken for a fault."""
    tiers: dict[str, tuple[TierForm, int, FabricForm]] = {}
    for form in forms:
        tiers |= {s: (tier, level, form) for level, tier in enumerate(form.tiers.values()) for s in tier.at}
    tier_of: dict[tuple[str, str], TierForm] = {}
    uses: dict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)  # of cages by fabric, tier and purpose
    for (switch, port, purpose), links in _count_port_uses(wires, tiers, units, models):
        tier, _, form = tiers[switch]
        if cage := models.list_cages(models.switches[switch].id, models.nos[switch]).get(port):
            tier_of[form.network.name, tier.name] = tier
            uses[form.network.name, tier.name, purpose][cage] += links
    for (fabric, name, purpose), counts in uses.items():
        cages = sorted(cage for cage, count in counts.items() if count >= STRAY * max(counts.values()))
        tier_of[fabric, name].cages[purpose] = cages


def _count_port_uses(
    wires: Wires, tiers: Mapping[str, tuple[TierForm, int, FabricForm]], units: Units, models: Models
) -> Iterator[tuple[tuple[str, str, str], int]]:
    """Yield ((switch, port, purpose), links) of ports in use; `tiers` has the tier, level and fabric of switches.

    One switch stands for all of its tier, model and NOS, whose links are added up. The purposes are keys of `cages` in
    a page: down, up, peer, down.FABRIC for what another fabric hangs there, extra.SET.
    """
    switch_of_kind: dict[tuple[int, str, str], str] = {}
    stand_in = {
        s: switch_of_kind.setdefault((id(t[0]), models.switches[s].id, models.nos[s]), s) for s, t in tiers.items()
    }
    label_of = {name: label for label, names in units.extras.items() for name in names}
    ports = ((stand_in.get(switch), port, leg.role, label_of.get(node)) for node, leg, switch, port in wires.of_nodes)
    for (switch, port, role, label), links in Counter(ports).items():
        if switch:
            purpose = "down" if role == tiers[switch][2].network.role else f"down.{role}"
            yield (switch, port, f"extra.{label}" if label else purpose), links
    switch_ends = ((stand_in.get(a), a_port, stand_in.get(b), b_port) for a, a_port, b, b_port in wires.of_switches)
    for (a, a_port, b, b_port), links in Counter(switch_ends).items():
        if a and b:
            (a_tier, a_level, a_form), (b_tier, b_level, b_form) = tiers[a], tiers[b]
            if a_tier is b_tier:
                yield from (((a, a_port, "peer"), links), ((b, b_port, "peer"), links))
                continue
            # the lowest tier of a fabric may hang on one of another fabric
            a_is_lower = a_level < b_level if a_form is b_form else bool(a_form.network.below)
            purpose_at_upper = "down" if a_form is b_form else f"down.{(a_form if a_is_lower else b_form).network.name}"
            yield (a, a_port, "up" if a_is_lower else purpose_at_upper), links
            yield (b, b_port, purpose_at_upper if a_is_lower else "up"), links


def write_ranges(cages: Iterable[int]) -> str:
    """Return the text of cages in a page: 1-32,49."""
    runs = make_intervals(sorted(cages))
    return ",".join(f"{run.first}-{run.end - 1}" if run.size > 1 else str(run.first) for run in runs)


def list_cage_words(tier: TierForm) -> Iterator[dict[str, str]]:
    """Yield what a page could say of the cages of a tier: one purpose, then all of links, then those of extras
    as well.
    """
    words = {purpose: write_ranges(cages) for purpose, cages in sorted(tier.cages.items())}
    for purpose, ranges in words.items():
        yield {purpose: ranges}
    main = {purpose: ranges for purpose, ranges in words.items() if purpose in ("down", "up", "peer")}
    if len(main) > 1:
        yield main
    if len(words) > len(main) > 0:
        yield words
