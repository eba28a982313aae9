"""The runs of an acceptance test in rounds: those of a round share no port, nor fill a link beyond what it carries.

Ports first: each against its neighbours on its switch, in both directions at once, so that a slow one is in two slow
runs with different partners. Then links between switches. Where switches choose by the hash of a flow, a run is one
flow, as fast as a port, from and to other switches in every round: whichever link the hash takes, nothing else is on
it, and after enough rounds none is left out but by a chance that is stated (balls into bins: Raab and Steger, RANDOM
1998). Where they choose by load or packet, all ports of two switches fill what is between them. Collectives come last.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice, zip_longest
from math import ceil, log
from typing import NamedTuple

from fabricgen.addons.sign_off.network import NOT_ASKED, Choice, Network, Port, read_networks
from fabricgen.api import ClusterView

PING, PORTS, UPLINKS, LOAD, COLLECTIVE = "ping", "ports", "uplinks", "load", "collective"
"""What runs are for."""
TOOLS = {PING: "ping", PORTS: "ib_write_bw", UPLINKS: "ib_write_bw", LOAD: "ib_write_bw", COLLECTIVE: "all_reduce_perf"}
START_SECONDS = 2
"""What a run takes beside its traffic: the server is up before the client starts."""
COLLECTIVE_SECONDS = 60
"""A run of nccl-tests, most of it the start of its ranks."""
COLLECTIVE_BYTES = 2**33
MISSED = 0.05
"""How probable it may be that hashes leave out any link of a fabric at one height."""
LEAST_OF_EXPECTED, LEAST_WITH_REMARK, MOST_OF_EXPECTED = 0.75, 0.4, 1.25
"""What collectives of large messages are measured at, over what `analyze` says: docs/collectives.md, whose rows lie
between 0.77 and 1.08, of racks of NVL72 down to 0.43.
"""
QUEUE_PAIRS = 16
"""Of a run that is not a single flow: the most that `analyze` tells load balance for."""
_MOST_ROUNDS = 2
"""As many rounds for each pass that is needed: a switch with one port has one in two of them."""
_FILLED = 0.9
"""Links are full of which ports fill this share, about what is reached of a rate."""
_HASH_CROWD = 8
"""Above the first switches, runs at a time from a component are this part of the links that leave it."""


class Run(NamedTuple):
    """One run: of two ports, or of a collective of nodes. `least` and `most` in Gb/s, GB/s or percent, as `unit` says.

    `label` is the flow label that sets its UDP source port, 0 for none; `queue_pairs` 0 for what has none.
    """

    name: str
    round: int
    kind: str
    fabric: str
    source: Port | None
    target: Port | None
    nodes: tuple[str, ...]
    least: float
    most: float
    unit: str
    label: int = 0
    queue_pairs: int = 0
    remark: str = ""
    job: str = ""
    """The job of a collective, as `analyze --job` has it."""

    @property
    def ends(self) -> tuple[Port, ...]:
        """Its two ports; none of a collective."""
        return (self.source, self.target) if self.source and self.target else ()

    @property
    def tool(self) -> str:
        """The program that it starts."""
        return TOOLS[self.kind]


ELSEWHERE = "no run crosses it: no two chosen nodes are joined by it alone"
OF_OTHERS = "no node runs tests on its network"
SCALE_UP = "within a scale-up domain: an all-reduce passes it, no run tests it by itself"
BY_PING = "reached by ping alone, and not loaded"


@dataclass(frozen=True)
class Coverage:
    """By row of a link: runs that load it for certain, flows that may, how probable it is that none does, and why not.

    What is loaded evenly, as by packets that spread, is loaded for certain.
    """

    loaded: Counter[int]
    passes: Mapping[int, float]
    missed: Mapping[int, float]
    untested: Mapping[int, str]


@dataclass(frozen=True)
class Plan:
    """All runs by round, and how long each round takes, s. `seconds` is the traffic of a run of two ports."""

    view: ClusterView
    networks: tuple[Network, ...]
    runs: tuple[Run, ...]
    seconds: int
    round_kinds: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def total_seconds(self) -> int:
        """The time of all rounds, s."""
        return sum(map(self.time_round, self.round_kinds))

    def time_round(self, kind: str) -> int:
        """How long a round of a kind takes, s."""
        return COLLECTIVE_SECONDS if kind == COLLECTIVE else self.seconds + START_SECONDS

    def find_network(self, fabric: str) -> Network:
        """The network of a fabric."""
        return next(network for network in self.networks if network.fabric == fabric)

    def list_choices(self, run: Run) -> list[Choice]:
        """The links from which a run of two ports takes one each; none of a collective."""
        return self.find_network(run.fabric).list_choices(*run.ends) if run.ends else []

    def count_coverage(self, choices_by_run: Iterable[tuple[Run, Iterable[Choice]]] | None = None) -> Coverage:
        """What runs cover, each with the links from which it takes one each; by default all runs, as planned."""
        loaded, passes, pinged = Counter[int](), defaultdict[int, float](float), set[int]()
        missed, crossed = defaultdict[int, float](lambda: 1.0), Counter[tuple[Choice, bool]]()
        planned = ((run, self.list_choices(run)) for run in self.runs)
        for run, choices in planned if choices_by_run is None else choices_by_run:
            if run.kind == PING:
                pinged.update(*choices)
            else:
                crossed.update((links, run.kind == UPLINKS and len(links) > 1) for links in choices)
        for (links, by_chance), count in crossed.items():
            for row in links:
                missed[row] *= (1 - 1 / len(links)) ** count if by_chance else 0.0
                if by_chance:
                    passes[row] += count / len(links)
                else:
                    loaded[row] += count
        reasons = dict.fromkeys(pinged, BY_PING) | {
            row: why for network in self.networks for row, why in network.untested.items()
        }
        tested = {network.fabric for network in self.networks}
        others = {fabric: ELSEWHERE if fabric in tested else OF_OTHERS for fabric in self.view.fabrics}
        untested = {
            row: reasons.get(row, others.get(fabric, SCALE_UP))
            for row, fabric in enumerate(self.view.links.fabric.tolist())
            if row not in missed
        }
        return Coverage(loaded, passes, missed, untested)


Pair = tuple[Port, Port, float]
"""Two ports, and what goes from one to the other at line rate, Gb/s."""
Crossed = list[Pair]


def plan_runs(view: ClusterView, only: Sequence[str] = (), seconds: int = 3, seed: int = 0) -> Plan:
    """The runs that test a cluster, or what `only` names of it; `seed` gives flows other labels.

    Raises InputError (FG178) where nothing of it can be tested.
    """
    networks = tuple(read_networks(view, only))
    if not networks:
        raise view.refuse(
            "FG178", f"{view.name} has no port of a node that tests could start from", hint="choose more by --only"
        )
    fast = [network for network in networks if view.protocols[network.fabric] != "ethernet"]
    addressed = [network for network in networks if view.protocols[network.fabric] != "infiniband"]
    stages = [
        (PING, [(network, _pair_ports(network)) for network in addressed]),
        (PORTS, [(network, _pair_ports(network)) for network in fast]),
        (UPLINKS, [(n, list(_cross_by_hash(n))) for n in fast if view.balancing[n.fabric] == "hash"]),
        (LOAD, [(n, list(_cross_by_load(n))) for n in fast if view.balancing[n.fabric] != "hash"]),
    ]
    runs, kinds = list[Run](), list[str]()
    for kind, parts in stages:
        # networks share no port, so that a round has those of all
        for crossed in zip_longest(*(rounds for _, rounds in parts), fillvalue=()):
            kinds.append(kind)
            for (network, _), pairs in zip(parts, crossed, strict=True):
                runs += [_make_run(view, network, kind, len(kinds), pair, seed) for pair in pairs]
    notes = [note for network in fast for note in _tell_limits(view, network)]
    for collective_round in _plan_collectives(view, fast, notes):
        kinds.append(COLLECTIVE)
        runs += [run._replace(round=len(kinds), name=f"{len(kinds):03}-{run.name}") for run in collective_round]
    plan = Plan(view, networks, tuple(runs), seconds, tuple(kinds), tuple(notes))
    return replace(plan, notes=(*notes, *_tell_uncrossed(plan, {network.fabric for network in fast})))


def _tell_uncrossed(plan: Plan, fabrics: set[str]) -> Iterator[str]:
    """How many links of some fabrics no run loads, and why, but for those that nobody asked for."""
    links = plan.view.links
    untested = plan.count_coverage().untested.items()
    uncrossed = Counter((links.fabric[row], why) for row, why in untested if not links.a_management[row])
    for (fabric, why), count in uncrossed.items():
        if fabric in fabrics and why != NOT_ASKED:
            yield f"{fabric}: {count:,} links are not loaded: {why}"


def _tell_limits(view: ClusterView, network: Network) -> Iterator[str]:
    """What runs of a network cannot show of the links between its switches."""
    fastest = max(port.gbps for port in network.ports)
    faster = [gbps for gbps in network.gbps.values() if gbps > fastest]
    filled = min((_find_filled(network, leaf) for leaf in network.ports_by_leaf), default=1.0)
    if view.balancing[network.fabric] != "hash" and network.gbps:
        if filled < _FILLED:
            yield (
                f"{network.fabric}: the ports that are tested fill {filled:.0%} of the links above a switch: one "
                "that still carries as much is not seen"
            )
        yield (
            f"{network.fabric} chooses paths by load or packet: a slow link between switches shows as a slow switch, "
            "or not at all, where others take its load"
        )
    elif faster:
        yield (
            f"{network.fabric}: flows load {len(faster):,} links of {min(faster):g} Gb/s with {fastest:g} Gb/s, as "
            "ports have: one that still carries as much is not seen"
        )


def _find_filled(network: Network, leaf: int) -> float:
    """The share of the links above a switch that its ports fill, of 1 at most."""
    carried = sum(network.gbps[row] for row in network.out[0].get(leaf, ()))
    return min(1.0, sum(port.gbps for port in network.ports_by_leaf[leaf]) / carried) if carried else 1.0


def _make_run(view: ClusterView, network: Network, kind: str, number: int, pair: Pair, seed: int) -> Run:
    source, target, gbps = pair
    ends = "-".join(re.sub(r"[^\w.-]", ".", port.name.replace(":", "-")) for port in (source, target))
    name = f"{number:03}-{kind}-{ends}"
    if kind == PING:
        return Run(name, number, kind, network.fabric, source, target, (), 100.0, 100.0, "%")
    # all but single flows are measured in both directions at once, and told as the sum
    line, queue_pairs = (gbps, 1) if kind == UPLINKS else (2 * gbps, QUEUE_PAIRS)
    least, label = line * view.reached[network.fabric], 0
    if kind == UPLINKS and view.protocols[network.fabric] == "roce":
        # 14 bits, which the RDMA drivers of Linux take for the UDP source port as they are
        label = 1 + int.from_bytes(sha256(f"{seed} {name}".encode()).digest()[:4], "big") % 0x3FFF
    rates = round(least, 3), round(line, 3)
    return Run(name, number, kind, network.fabric, source, target, (), *rates, "Gb/s", label, queue_pairs)


def _pair_in_rings(number: int) -> list[list[tuple[int, int]]]:
    """Rounds in which each of so many numbers meets both neighbours in a ring: 2, of an odd number 3."""
    first, second = ([(at, at + 1) for at in range(start, number - 1, 2)] for start in (0, 1))
    closing = [(number - 1, 0)] if number > 2 else []
    rounds = [first, second, closing] if number % 2 else [first, second + closing]
    return [pairs for pairs in rounds if pairs]


def _pair_ports(network: Network) -> list[Crossed]:
    """Rounds in which the ports at each switch meet two others there; those of one node do not meet."""
    rounds: list[Crossed] = [[], [], []]
    for ports in network.ports_by_leaf.values():
        for number, neighbors in enumerate(_pair_in_rings(len(ports))):
            pairs = [(ports[a], ports[b]) for a, b in neighbors]
            rounds[number] += [(a, b, min(a.gbps, b.gbps)) for a, b in pairs if a.may_meet(b)]
    return [pairs for pairs in rounds if pairs]


def _list_groups(network: Network, level: int) -> list[list[list[int]]]:
    """Switches at nodes by what joins them first at a level: groups, of components of the level below, of switches.

    At the first level, those of one rail meet each other. Of one or two, all such meet: the links of a switch above two
    that meet nobody else could not be told apart.
    """
    parts: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for leaf, ports in sorted(network.ports_by_leaf.items(), key=lambda item: (item[1][0].rail, item[0])):
        rails = {port.rail for port in ports}
        rail = rails.pop() if level == 1 and len(rails) == 1 else 0
        parts[network.components[level][leaf], rail][network.components[level - 1][leaf]].append(leaf)
    groups, alone = list[list[list[int]]](), defaultdict[int, list[list[int]]](list)
    for (component, _), part in parts.items():
        if len(part) > 2:
            groups.append(list(part.values()))
        else:
            alone[component] += part.values()
    return groups + [part for part in alone.values() if len(part) > 1]


def _cross_by_hash(network: Network) -> Iterator[Crossed]:
    """Rounds of single flows that cross each height, so many that no link is left out but by the chance `MISSED`."""
    for level in range(1, len(network.components)):
        groups = [(group, _count_flows(network, level, group)) for group in _list_groups(network, level)]
        component, done = network.components[level - 1], Counter[int]()
        needed = {component[part[0]]: _count_passes(network, level, part) for group, _ in groups for part in group}
        for number in range(_MOST_ROUNDS * max(needed.values(), default=0)):
            # what meets nobody, as it is in a VRF of its own, is not waited for once all have had a turn
            waits = number < 2 * len(needed)
            if all(done[name] >= passes or not (waits or done[name]) for name, passes in needed.items()):
                break
            pairs = [pair for group, flows in groups for pair in _cross_group(network, group, flows, number)]
            done.update(component[port.leaf] for pair in pairs for port in pair[:2])
            yield pairs


def _find_out(network: Network, level: int, part: Sequence[int]) -> tuple[int, ...]:
    """The links that leave the component below a level that some switches are in."""
    return network.out[level - 1][network.components[level - 1][part[0]]]


def _count_flows(network: Network, level: int, group: list[list[int]]) -> int:
    """Flows that leave, and that enter, each component of a group in a round.

    Those of a switch at nodes do not fill a link even if all take the same; above, few are likely to take the same.
    """
    if level > 1:
        return max(1, min(min(len(_find_out(network, level, part)) // _HASH_CROWD, len(part)) for part in group))
    ports_by_leaf, leaves = network.ports_by_leaf, [leaf for part in group for leaf in part]
    fastest = max(port.gbps for leaf in leaves for port in ports_by_leaf[leaf])
    slowest = min(network.gbps[row] for part in group for row in _find_out(network, level, part))
    return max(1, min(int(slowest // fastest), *(len(ports_by_leaf[leaf]) // 2 for leaf in leaves)))


def _count_passes(network: Network, level: int, part: Sequence[int]) -> int:
    """Flows, out or in, that are to cross the links that leave a component below a level."""
    below, out = network.components[level - 1], network.out[level - 1]
    total = sum(len(out.get(component, ())) for component in {below[leaf] for leaf in network.ports_by_leaf})
    links = len(_find_out(network, level, part))
    return 1 if links < 2 else ceil(log(MISSED / total) / log(1 - 1 / links))


def _cross_group(network: Network, group: list[list[int]], flows: int, number: int) -> Iterator[Pair]:
    """The flows of a round: from each component to the one so many components further, which changes with the round."""
    used: set[Port] = set()
    turns, shift = divmod(number, len(group) - 1)
    for step in range(len(group)):
        # the order is turned, since where a switch has one port those that come first send
        at = (step + turns) % len(group)
        part, far = group[at], group[(at + shift + 1) % len(group)]
        for turn in range(number * flows, (number + 1) * flows):
            sources = _list_free_ports(network, part[turn % len(part)], number, used)
            targets = _list_free_ports(network, far[turn % len(far)], number + 1, used)
            meeting = ((a, b) for a in sources for b in targets if a.may_meet(b))
            for source, target in islice(meeting, 1):
                used |= {source, target}
                yield source, target, network.carry_flow(source, target)


def _list_free_ports(network: Network, leaf: int, turn: int, used: set[Port]) -> list[Port]:
    """The ports of a switch that the round does not use yet, another first in each turn."""
    ports = network.ports_by_leaf[leaf]
    first = turn % len(ports)
    return [port for port in ports[first:] + ports[:first] if port not in used]


def _cross_by_load(network: Network) -> Iterator[Crossed]:
    """Rounds in which switches fill what is between them, each with two others at every level."""
    for level in range(1, len(network.components)):
        rounds: list[Crossed] = [[], [], []]
        for group in _list_groups(network, level):
            for number, neighbors in enumerate(_pair_in_rings(len(group))):
                for a, b in neighbors:
                    rounds[number] += _fill_between(network, level, group[a], group[b])
        yield from (pairs for pairs in rounds if pairs)


def _fill_between(network: Network, level: int, part: list[int], far: list[int]) -> Iterator[Pair]:
    """Ports of two components in pairs, as many at each switch as the links above it carry."""
    for a, b in zip(part, far, strict=False):
        carried = min(_count_carried(network, level, leaf) for leaf in (a, b))
        ports, others = (network.ports_by_leaf[leaf][: max(1, int(carried))] for leaf in (a, b))
        # where it is the same nodes that have ports at both, each meets the next one
        turned = others if all(map(Port.may_meet, ports, others)) else others[1:] + others[:1]
        for source, target in zip(ports, turned, strict=False):
            if source.may_meet(target):
                yield source, target, min(source.gbps, target.gbps) * min(1.0, carried)


def _count_carried(network: Network, level: int, leaf: int) -> float:
    """How many ports of a switch the links above it carry at full rate, up to a level."""
    carried = float(len(network.ports_by_leaf[leaf]))
    for components, out in zip(network.components[:level], network.out, strict=False):
        leaves = sum(components[other] == components[leaf] for other in network.ports_by_leaf)
        gbps = sum(network.gbps[row] for row in out[components[leaf]])
        carried = min(carried, gbps / leaves / network.ports_by_leaf[leaf][0].gbps)
    return carried


def _plan_collectives(view: ClusterView, networks: Sequence[Network], notes: list[str]) -> Iterator[list[Run]]:
    """Rounds of an all-reduce: of each unit whose nodes are all there and reach each other, then of all nodes."""
    devices, links = view.devices, view.links
    for network in networks:
        if view.expect_busbw("all-reduce", COLLECTIVE_BYTES, fabric=network.fabric) is None:
            continue
        vrf_by_node = {port.device: port.vrf for port in network.ports}
        rows = set(links.a[(links.fabric == network.fabric) & ~links.a_management].tolist())
        units: dict[tuple[str, int], list[int]] = defaultdict(list)
        for row in (row for row in sorted(rows) if devices.kind[row] == "node"):
            units[str(devices.pod[row]), int(devices.su[row])].append(row)
        jobs = {f"{pod}/su{su}": rows for (pod, su), rows in units.items()} if len(units) > 1 else {}
        for scope, nodes in {**jobs, "all": [row for rows in units.values() for row in rows]}.items():
            if vrf_by_node.keys().isdisjoint(nodes):
                continue
            if not vrf_by_node.keys() >= set(nodes) or len({vrf_by_node[row] for row in nodes}) > 1:
                why = "they do not reach each other" if vrf_by_node.keys() >= set(nodes) else "not all are chosen"
                notes.append(f"no all-reduce of the nodes of {network.fabric} in {scope}: {why}")
                continue
            pod, _, su = scope.partition("/su")
            at = sorted(number for name, number in units if name == pod).index(int(su)) + 1 if su else 0
            yield [_make_collective(view, network.fabric, f"all@{pod}/su{at}" if su else "all", scope, nodes)]


def _make_collective(view: ClusterView, fabric: str, job: str, scope: str, rows: Sequence[int]) -> Run:
    expected = view.expect_busbw("all-reduce", COLLECTIVE_BYTES, job, fabric=fabric)
    assert expected is not None  # noqa: S101 - the fabric has accelerators
    least, most = find_busbw_range(expected.gbytes, expected.remark)
    names = tuple(str(view.devices.name[row]) for row in rows)
    name = f"{COLLECTIVE}-{fabric}-{scope.replace('/', '-')}"
    return Run(name, 0, COLLECTIVE, fabric, None, None, names, least, most, "GB/s", remark=expected.remark, job=job)


def find_busbw_range(gbytes: float, remark: str) -> tuple[float, float]:
    """Between which bus bandwidths, GB/s, a collective of large messages is right of which so much is expected."""
    least = LEAST_WITH_REMARK if remark else LEAST_OF_EXPECTED
    return round(gbytes * least, 1), round(gbytes * MOST_OF_EXPECTED, 1)
