"""What tiers are grouped by: the dimensions that explain which switches meet which; their links and cages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

from fabricgen.adopt.facts import Inference, PagePath
from fabricgen.adopt.models import Models
from fabricgen.adopt.networks import STRAY, Network, NodeWire, Wires, choose_mode, find_mode, group_by
from fabricgen.adopt.positions import Order
from fabricgen.adopt.units import Units, number_by_names
from fabricgen.blueprint.dimensions import find_dimension
from fabricgen.kernel.intervals import make_intervals

PLACES = ("rack", "su", "pod")
LEGS = ("rail", "plane", "port")
At: TypeAlias = str | int | tuple[str | int, ...]
Values: TypeAlias = dict[str, At]
"""What a device has by dimension; a place by all that tells it apart: ("p1", 2) is the second unit of pod p1."""


@dataclass
class TierForm:
    """A tier: what it is grouped by, and the coordinates of its switches, with their number in the group as its name.

    `uplinks`, `peers` and `downlinks` are links of each switch up, to others of its tier and to the tier below; 0 for
    none.
    """

    name: str
    per: tuple[str, ...]
    at: dict[str, Values]
    count: int
    profile: str
    nos: str
    uplinks: int = 0
    peers: int = 0
    downlinks: int = 0
    of_pod: dict[str, int] = field(default_factory=dict)
    """Links up of each switch by pod, where pods differ; the page leaves those of all to be derived then."""
    uneven: bool = False
    """Whether many of its groups have other than `count` switches; the page leaves them to be derived then."""
    mesh: dict[str, Any] = field(default_factory=dict)
    cages: dict[str, list[int]] = field(default_factory=dict)
    """The cages that its switches use, by purpose as in `cages` of a page."""


@dataclass
class FabricForm:
    """A fabric: its tiers, and what its node legs are."""

    network: Network
    tiers: dict[str, TierForm] = field(default_factory=dict)
    rail_groups: list[list[int]] = field(default_factory=list)
    planes: int = 1
    ways: int = 1
    """Legs of a NIC port where it is split, each of `leg_gbps`."""
    leg_gbps: float = 0
    carried: dict[str, list[list[int]]] = field(default_factory=dict)
    """By further role that its lowest tier serves, the rails of each of its groups where these tell rails apart."""
    inferences: list[Inference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def find_tiers(network: Network, models: Models, wires: Wires, units: Units, order: Order) -> FabricForm:
    """The form of a fabric, by the legs of the nodes of units on its switches."""
    form = FabricForm(network)
    members = {name for names in network.tiers.values() for name in names}
    legs = [wire for wire in wires.of_nodes if wire.switch in members and wire.node in units.at]
    carried = {role: [wire for wire in legs if wire.leg.role == role] for role in network.roles[1:]}
    legs = [wire for wire in legs if wire.leg.role == network.role]
    neighbors = wires.map_neighbors()
    leg_at = _number_legs(form, legs, neighbors, units, models)
    served: dict[str, list[Values]] = defaultdict(list)
    for wire, values in zip(legs, leg_at, strict=True):
        served[wire.switch].append(values)
    below: dict[str, Values] = {}
    for name, switches in network.tiers.items():
        if not form.tiers:
            meets = {switch: served[switch] for switch in switches}
        else:
            meets = {
                switch: [
                    below[far] for far, count in neighbors.get(switch, {}).items() if far in below for _ in range(count)
                ]
                for switch in switches
            }
        members = set(switches)
        peers = [(a, b) for a in switches for b in neighbors.get(a, ()) if b in members]
        tier = _form_tier(form, name, switches, meets, models, peers, order)
        form.tiers[name] = tier
        below = tier.at
    _count_links(form, wires)
    if form.rail_groups:
        lowest = form.tiers[network.leaf].at
        form.carried = {role: _group_carried_rails(of_role, lowest) for role, of_role in carried.items()}
    return form


def _group_carried_rails(legs: Sequence[NodeWire], at: Mapping[str, Values]) -> list[list[int]]:
    """The rails of a further role by the rail group whose leaves serve most of each; none where they share one."""
    votes: dict[int, Counter[At]] = defaultdict(Counter)
    for wire in legs:
        if group := at.get(wire.switch, {}).get("rail-group"):
            votes[wire.leg.rail][group] += 1
    groups: dict[At, list[int]] = defaultdict(list)
    for rail, counts in sorted(votes.items()):
        groups[choose_mode(counts)].append(rail)
    return [groups[group] for group in sorted(groups, key=str)] if len(groups) > 1 else []


def _number_legs(
    form: FabricForm, legs: Sequence[NodeWire], neighbors: Mapping[str, Counter[str]], units: Units, models: Models
) -> list[Values]:
    """The coordinates of each leg: of its node, its rail, and its number among the legs of its NIC.

    These are planes where no switch joins legs of two numbers, else ports.
    """
    members = {name for names in form.network.tiers.values() for name in names}
    form.ways = max((wire.leg.part for wire in legs), default=0) or 1
    if legs:
        role = models.nodes[legs[0].node].roles[legs[0].leg.role]
        form.leg_gbps = role.lanes * role.lane_gbps / form.ways
    number_of = {pair: number for number, pair in enumerate(sorted({(w.leg.port, w.leg.part) for w in legs}), 1)}
    numbers = [number_of[wire.leg.port, wire.leg.part] for wire in legs]
    apart = "port"
    if len(number_of) > 1 and _are_disjoint(legs, numbers, neighbors, members):
        apart, form.planes = "plane", len(number_of)
    result: list[Values] = []
    for wire, number in zip(legs, numbers, strict=True):
        at = units.at[wire.node]
        place: Values = {"pod": at["pod"], "su": (at["pod"], at["su"])}
        if at["rack"]:
            place["rack"] = (at["pod"], at["su"], at["rack"])
        result.append({**place, "rail": wire.leg.rail, apart: number})
    return result


def _are_disjoint(
    legs: Sequence[NodeWire], numbers: Sequence[int], neighbors: Mapping[str, Counter[str]], members: set[str]
) -> bool:
    """Whether the switches that serve legs of different numbers have nearly no way to each other."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for wire, number in zip(legs, numbers, strict=True):
        votes[wire.switch][number] += 1
    if sum(max(v.values()) for v in votes.values()) < (1 - STRAY) * len(legs):
        return False
    plane = {switch: choose_mode(v) for switch, v in votes.items()}
    pending = [switch for switch in members if switch not in plane]
    for _ in range(6):
        for switch in pending:
            known = [plane[far] for far, n in neighbors.get(switch, {}).items() if far in plane for _ in range(n)]
            if known:
                plane[switch] = choose_mode(known)
    pairs = [(plane.get(a), plane.get(b)) for a in members for b in neighbors.get(a, ()) if b in members]
    return sum(a == b for a, b in pairs) >= (1 - STRAY) * len(pairs)


def _form_tier(
    form: FabricForm,
    name: str,
    switches: Sequence[str],
    meets: Mapping[str, Sequence[Values]],
    models: Models,
    peers: Sequence[tuple[str, str]],
    order: Order,
) -> TierForm:
    """What a tier is grouped by: the fewest dimensions in which what its switches meet agrees.

    `peers` are pairs with links to each other, which are of one group whatever they meet, unless they are of a mesh.
    """
    at: dict[str, Values] = {switch: {} for switch in switches if switch not in models.silent}
    of: PagePath = ("fabrics", form.network.name, "tiers", name, "per")
    dimensions = list(dict.fromkeys(d for rows in meets.values() for row in rows for d in row))
    agreed: dict[str, tuple[int, int]] = {}
    for dimension in dimensions:
        modes = {s: find_mode(row.get(dimension) for row in rows) for s, rows in meets.items() if rows and s in at}
        hits, total = sum(m[1] for m in modes.values()), sum(m[2] for m in modes.values())
        values = {row.get(dimension) for rows in meets.values() for row in rows}
        if total and hits >= (1 - STRAY) * total:
            for switch, mode in modes.items():
                if mode[0] is not None:
                    at[switch][dimension] = mode[0]
            if len(values) > 1:
                agreed[dimension] = hits, total
        elif dimension == "rail":
            _group_rails(form, meets, at, agreed)
    met = Counter(a for a, _ in peers)
    paired = len(peers) if met and find_mode(met.values())[0] == 1 else 0
    for dimension in [d for d in agreed if paired and sum(at[a].get(d) != at[b].get(d) for a, b in peers) > paired / 2]:
        del agreed[dimension]
        if dimension == "rail-group":
            form.rail_groups = []
    by_name = _find_named_per(form.network.name, name, at) if order.by_names else None
    per = _drop_idle(agreed, at) if by_name is None else by_name
    if not per:  # those without links are of the one group that there is; of several, each is as large as most
        at |= {switch: {} for switch in switches if switch not in at}
    groups = dict(group_by(at, {s: tuple(values.get(d) for d in per) for s, values in at.items()}))
    sizes = Counter(len(members) for members in groups.values())
    count = choose_mode(sizes)
    if len(sizes) > 1:
        form.notes.append(f"{form.network.name} {name}: groups have {_list_sizes(sizes)} switches; {count} were taken")
    number_group_members(at, per, name, count, order)
    form.inferences.append(
        Inference(
            of,
            f"[{', '.join(per)}]" if per else "the whole fabric",
            *min((agreed[d] for d in per if d in agreed), default=(len(switches), len(switches))),
            f"{len(groups):,} groups of {count}" + (", which their names tell" if by_name is not None else ""),
        )
    )
    profile = choose_mode(models.switches[s].id for s in switches)
    if others := sorted({models.switches[s].id for s in switches} - {profile}):
        form.notes.append(
            f"{form.network.name} {name}: {', '.join(others)} stand among {profile}, and are written as that"
        )
    nos, uneven = choose_mode(models.nos[s] for s in switches), sizes[count] < (1 - STRAY) * len(groups)
    return TierForm(name, per, at, count, profile, nos, uneven=uneven)


def number_group_members(at: Mapping[str, Values], per: Sequence[str], tier: str, count: int, order: Order) -> None:
    """Put in the number of each switch among the `count` that agree in some dimensions, in their order.

    Where one is missing that may be off, the others keep the numbers that their names tell.
    """
    for _, members in group_by(at, {s: tuple(values.get(d) for d in per) for s, values in at.items()}):
        members.sort(key=order.key)
        for switch, number in number_by_names(members, count if order.by_names else 0).items():
            at[switch][tier] = number


def _find_named_per(fabric: str, tier: str, at: Mapping[str, Values]) -> tuple[str, ...] | None:
    """The dimensions that usual names of a tier tell, as `compute-leaf-p1-su01-r1-01`; None where they are others."""
    known = [d for d in set.intersection(*(set(values) for values in at.values())) if d != tier]
    known.sort(key=_order_dimension)
    places = [d for d in PLACES if d in known]
    inner = [d for d in known if d not in PLACES]
    for place in (*places, ""):
        for size in range(len(inner), -1, -1):
            for chosen in combinations(inner, size):
                fits = sum(_begins_usual(switch, fabric, tier, place, chosen, values) for switch, values in at.items())
                if fits >= (1 - STRAY) * len(at):
                    return (*((place,) if place else ()), *chosen)
    return None


def _begins_usual(switch: str, fabric: str, tier: str, place: str, chosen: Sequence[str], values: Values) -> bool:
    """Whether a name is the usual one of a switch with some coordinates, but for the number at its end."""
    parts = values[place] if place else ()
    told = parts if isinstance(parts, tuple) else (parts,)
    words = [fabric, tier]
    for dimension, value in zip(("pod", "su", "rack"), told, strict=False):
        words.append(find_dimension(dimension).template.format(**{dimension: value}))
    for dimension in chosen:
        if dimension in LEGS or dimension == "rail-group":
            words.append(f"{find_dimension(dimension).short}{values[dimension]}")
        else:
            words.append(f"{dimension}{values[dimension]}")
    return re.fullmatch(re.escape("-".join(words)) + r"-\d{2,}", switch) is not None


def _list_sizes(sizes: Mapping[int, int]) -> str:
    return " and ".join(str(size) for size in sorted(sizes))


def _group_rails(
    form: FabricForm, meets: Mapping[str, Sequence[Values]], at: dict[str, Values], agreed: dict[str, tuple[int, int]]
) -> None:
    """Rails that share switches, where each switch serves several that no other group of switches serves."""
    rails = {
        s: frozenset(r for r, n in Counter(row["rail"] for row in rows).items() if n >= STRAY * len(rows) / 8)
        for s, rows in meets.items()
        if rows
    }
    groups = sorted(set(rails.values()), key=lambda g: sorted(map(str, g)))
    if len(groups) < 2 or sum(map(len, groups)) > len(frozenset[object]().union(*groups)):
        return
    form.rail_groups = sorted(sorted(int(str(rail)) for rail in group) for group in groups)
    total = sum(map(len, meets.values()))
    for switch, group in rails.items():
        at[switch]["rail-group"] = form.rail_groups.index(sorted(int(str(rail)) for rail in group)) + 1
    agreed["rail-group"] = total, total


def _drop_idle(agreed: Mapping[str, tuple[int, int]], at: Mapping[str, Values]) -> tuple[str, ...]:
    """The fewest dimensions that make the same groups: a wide place within a narrow one tells nothing more."""

    def count_groups(dimensions: Sequence[str]) -> int:
        return len({tuple(values.get(d) for d in dimensions) for values in at.values()})

    per = sorted(agreed, key=_order_dimension)
    whole = count_groups(per)
    # wide places first: a narrow one implies them; of two that make the same groups the wider stays
    for dimension in ("rack", "su", "pod", *[d for d in per if d not in PLACES]):
        rest = [d for d in per if d != dimension]
        if dimension in per and count_groups(rest) == whole:
            per = rest
    return tuple(per)


def _order_dimension(dimension: str) -> tuple[int, str]:
    order = ("pod", "su", "rack", "rail", "rail-group", "plane", "port")
    return (order.index(dimension), "") if dimension in order else (len(order), dimension)


def _count_links(form: FabricForm, wires: Wires) -> None:
    """Count the links of each switch up, down and to its pair, of which the most frequent number is taken."""
    level = {s: place for place, tier in enumerate(form.tiers.values()) for s in tier.at}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    pairs: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for wire in wires.of_switches:
        inside = [switch for switch in sorted((wire.a, wire.b)) if switch in level]
        low, high = min(inside, key=level.__getitem__, default=""), max(inside, key=level.__getitem__, default="")
        if len(inside) < 2:
            counts["uplinks"][low] += bool(inside and form.network.below)
        elif level[low] == level[high]:
            counts["peer"] += Counter(inside)
            pairs[level[low]][inside[0], inside[1]] += 1
        elif level[high] - level[low] == 1:
            counts["uplinks"][low] += 1
            counts["down"][high] += 1
        else:
            counts["across"][form.network.name] += 1
    for fabric, across in counts["across"].items():
        form.notes.append(f"{fabric}: {across:,} links pass a tier by, and are in no form")
    for place, (name, tier) in enumerate(form.tiers.items()):
        by_pod: dict[str, Counter[int]] = defaultdict(Counter)
        for switch in [switch for switch, values in tier.at.items() if "pod" in values]:
            by_pod[str(tier.at[switch]["pod"])][counts["uplinks"][switch]] += 1
        of_pod = {pod: choose_mode(links) for pod, links in by_pod.items()}
        tier.of_pod = of_pod if len(set(of_pod.values())) > 1 else {}
        modes = {word: find_mode(counts[word][s] for s in tier.at) for word in ("uplinks", "down", "peer")}
        tier.uplinks, tier.downlinks, tier.peers = (
            modes[w][0] or 0 if w in modes else 0 for w in ("uplinks", "down", "peer")
        )
        tier.mesh = find_mesh(tier, pairs[place]) if tier.peers else {}
        for word in [word for word in ("uplinks", "peer") if modes[word][0]]:
            links, hits, total = modes[word]
            of = ("fabrics", form.network.name, "tiers", name, word)
            form.inferences.append(Inference(of, str(links), hits, total, "switches"))


def find_mesh(tier: TierForm, pairs: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    """What a page says of links within a tier, by the dimension in which its switches differ; none of mere pairs."""
    straight: dict[str, Counter[int]] = defaultdict(Counter)
    steps: dict[str, Counter[int]] = defaultdict(Counter)
    between: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    dealt = Counter[str]()
    for (a, b), links in pairs.items():
        one, other = tier.at[a], tier.at[b]
        differ = [d for d in tier.per if one[d] != other[d]]
        dimension = differ[0] if differ else tier.name
        if len(differ) > 1:
            continue
        numbers = [values[-1] if isinstance(values, tuple) else values for values in (one[dimension], other[dimension])]
        straight[dimension][links] += 1
        if all(isinstance(number, int) for number in numbers):
            steps[dimension][abs(int(numbers[0]) - int(numbers[1]))] += links
        if differ:
            dealt[dimension] += one[tier.name] != other[tier.name]
            groups = [str([values.get(d) for d in tier.per]) for values in (one, other)]
            between[dimension][min(groups), max(groups)] += links
    if straight.keys() <= {tier.name} and tier.count <= 2:
        return {}
    mesh: dict[str, Any] = {}
    for dimension, counts in straight.items():
        links = choose_mode(counts)
        if dealt[dimension] > STRAY * counts.total():
            mesh[dimension] = {"links": choose_mode(between[dimension].values()), "spread": True}
            continue
        size = tier.count if dimension == tier.name else len({values[dimension] for values in tier.at.values()})
        most = max(steps[dimension].values(), default=0)
        common = [step for step, count in steps[dimension].items() if count >= STRAY * most]
        reach = max((min(step, size - step) for step in common), default=size)
        mesh[dimension] = {"links": links, "reach": reach} if reach < size // 2 else links
    return mesh


def find_cages(forms: Iterable[FabricForm], wires: Wires, models: Models, units: Units) -> None:
    """Put into each tier the cages that its switches use, by what for; cages that few switches use so are faults."""
    tiers: dict[str, tuple[TierForm, int, FabricForm]] = {}
    for form in forms:
        tiers |= {s: (tier, level, form) for level, tier in enumerate(form.tiers.values()) for s in tier.at}
    used: dict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    known: dict[int, TierForm] = {}
    for switch, port, purpose in _list_uses(wires, tiers, units):
        tier = tiers[switch][0]
        cage = models.list_cages(models.switches[switch].id, models.nos[switch]).get(port)
        if cage:
            known[id(tier)] = tier
            used[id(tier), purpose][cage] += 1
    for (key, purpose), counts in used.items():
        known[key].cages[purpose] = sorted(c for c, n in counts.items() if n >= STRAY * max(counts.values()))


def _list_uses(
    wires: Wires, tiers: Mapping[str, tuple[TierForm, int, FabricForm]], units: Units
) -> Iterator[tuple[str, str, str]]:
    """(switch, port, purpose) of each port of a switch of some tier that is in use."""
    label_of = {name: label for label, names in units.extras.items() for name in names}
    for wire in wires.of_nodes:
        if wire.switch in tiers:
            own = tiers[wire.switch][2].network.role
            purpose = "down" if wire.leg.role == own else f"down.{wire.leg.role}"
            yield wire.switch, wire.port, f"extra.{label_of[wire.node]}" if wire.node in label_of else purpose
    for a, a_port, b, b_port in wires.of_switches:
        if a in tiers and b in tiers:
            (one, level, form), (other, far_level, far_form) = tiers[a], tiers[b]
            if one is other:
                yield from ((a, a_port, "peer"), (b, b_port, "peer"))
                continue
            # leaves of another fabric hang on this one as a tier below does
            a_is_lower = level < far_level if form is far_form else bool(form.network.below)
            low, high = "down" if form is far_form else f"down.{(form if a_is_lower else far_form).network.name}", "up"
            yield a, a_port, high if a_is_lower else low
            yield b, b_port, low if a_is_lower else high


def write_ranges(cages: Iterable[int]) -> str:
    """Cages as a page has them: 1-32,49."""
    runs = make_intervals(sorted(cages))
    return ",".join(f"{run.first}-{run.end - 1}" if run.size > 1 else str(run.first) for run in runs)


def list_cage_words(tier: TierForm) -> Iterator[dict[str, str]]:
    """What a page could say of the cages of a tier, the shortest first: of one purpose, of all links, of all."""
    words = {purpose: write_ranges(cages) for purpose, cages in sorted(tier.cages.items())}
    for purpose, ranges in words.items():
        yield {purpose: ranges}
    main = {purpose: ranges for purpose, ranges in words.items() if purpose in ("down", "up", "peer")}
    if len(main) > 1:
        yield main
    if len(words) > len(main) > 0:
        yield words
