"""The runs of an acceptance test in rounds: runs of one round share no port, and do not fill a link beyond its
capacity.

Ports are tested first: each against its neighbours on its switch, in both directions at once, so that a slow port is in
two slow runs with different partners. Then links between switches are tested. If switches choose links by the hash of a
flow, a run is one flow, as fast as a port, from and to other switches in every round: whichever link the hash takes,
nothing else is on it, and after enough rounds no link is left out except with a stated probability (balls into bins:
Raab and Steger, RANDOM 1998). If switches choose by load or packet, all ports of two switches fill the links between
them. Collectives come last.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice, zip_longest
from math import ceil, log
from typing import Any, NamedTuple

from fabricgen.addons.sign_off.network import NOT_ASKED, Choice, Network, Port, read_networks
from fabricgen.api import ClusterView

PING, PORTS, UPLINKS, LOAD, COLLECTIVE = "ping", "ports", "uplinks", "load", "collective"
"""What runs are for."""
TOOLS = {PING: "ping", PORTS: "ib_write_bw", UPLINKS: "ib_write_bw", LOAD: "ib_write_bw", COLLECTIVE: "all_reduce_perf"}
START_SECONDS = 2
"""Time that a run takes besides its traffic, s: the server is up before the client starts."""
COLLECTIVE_SECONDS = 60
"""Time of a run of nccl-tests, s, most of it for starting its ranks."""
COLLECTIVE_BYTES = 2**33
MISSED = 0.05
"""Accepted probability that hashes leave out any link of a fabric at one height."""
LEAST_OF_EXPECTED, LEAST_WITH_REMARK, MOST_OF_EXPECTED = 0.75, 0.4, 1.25
"""Range of measured bandwidths of collectives of large messages, as shares of what `analyze` says: docs/collectives.md,
whose rows lie between 0.77 and 1.08, for racks of NVL72 down to 0.43.
"""
QUEUE_PAIRS = {PORTS: 16, UPLINKS: 1, LOAD: 16}
"""Queue pairs of a run of two ports: a single flow, or the most for which `analyze` tells load balance."""
_MOST_ROUNDS = 2
"""Rounds for each pass that is needed, at most: a switch with one port is in one of two rounds."""
_FILLED = 0.9
"""Links count as full if ports fill this share, about the part of a rate that is reached."""
_HASH_CROWD = 8
"""Above the first switches, a component has one run at a time for this many links that leave it."""


class Run(NamedTuple):
    """One run, of two ports (sender and receiver) or as a collective of nodes.

    `least` and `most` are in Gb/s, GB/s or percent, as `unit` says. `label` is the flow label that sets its UDP source
    port, 0 for none; `job` names a collective as `analyze --job` does.
    """

    name: str
    round: int
    kind: str
    fabric: str
    least: float
    most: float
    unit: str
    ends: tuple[Port, ...] = ()
    nodes: tuple[str, ...] = ()
    label: int = 0
    remark: str = ""
    job: str = ""

    @property
    def tool(self) -> str:
        """The program that it starts."""
        return TOOLS[self.kind]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The nodes that take part in it."""
        return self.nodes or tuple(port.host for port in self.ends)


@dataclass(frozen=True)
class Coverage:
    """What runs cover, by row of a link.

    `loaded` is the number of runs that cross it for certain; a run whose packets are spread over links counts at all
    of them. `passes` is the expected number of flows that hashes lead over it. `missed` is the probability that no run
    crosses it, and `untested` the reason why it is not tested.
    """

    loaded: Mapping[int, float]
    passes: Mapping[int, float]
    missed: Mapping[int, float]
    untested: Mapping[int, str]


@dataclass(frozen=True)
class Plan:
    """All runs by round, and the kind of each round.

    `seconds` is how long a run of two ports sends. `notes` are sentences on what the runs cannot test or show.
    """

    view: ClusterView
    networks: tuple[Network, ...]
    runs: tuple[Run, ...]
    seconds: int
    round_kinds: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def total_seconds(self) -> int:
        """The time of all rounds, s."""
        return sum(map(self.time_round, self.round_kinds))

    def time_round(self, kind: str) -> int:
        """Return how long a round of a kind takes, s."""
        return COLLECTIVE_SECONDS if kind == COLLECTIVE else self.seconds + START_SECONDS

    def list_choices(self, run: Run) -> list[Choice]:
        """Return the choices of a run of two ports, each the links of which it takes one; [] for a collective."""
        network = next(network for network in self.networks if network.fabric == run.fabric)
        return network.list_choices(*run.ends) if run.ends else []

    def count_coverage(self, choices_by_run: Iterable[tuple[Run, Iterable[Choice]]] | None = None) -> Coverage:
        """Return what some runs cover; by default all runs of the plan, as planned.

        `choices_by_run` are (run, choices): a choice is the links of which the run takes one.
        """
        if choices_by_run is None:
            choices_by_run = ((run, self.list_choices(run)) for run in self.runs)
        # `crossed` has, by (links of a choice, whether a hash picks one of them), how many runs cross it
        pinged, crossed = set[int](), Counter[tuple[Choice, bool]]()
        for run, choices in choices_by_run:
            if run.kind == PING:
                pinged.update(*choices)
            else:
                crossed.update((links, run.kind == UPLINKS and len(links) > 1) for links in choices)
        loaded, passes = (defaultdict[int, float](float) for _ in range(2))
        missed: dict[int, float] = defaultdict(lambda: 1.0)
        for (links, is_by_chance), count in crossed.items():
            flows, ways = (passes, len(links)) if is_by_chance else (loaded, 1)
            for row in links:
                missed[row] *= (1 - 1 / ways) ** count
                flows[row] += count / ways
        uncrossed = "no run crosses it: no two chosen nodes are joined by it alone"
        why_by_fabric = dict.fromkeys(self.view.fabrics, "no node runs tests on its network")
        why_by_fabric |= {network.fabric: uncrossed for network in self.networks}
        why_by_link = dict.fromkeys(pinged, "reached by ping alone, and not loaded")
        why_by_link |= {row: why for network in self.networks for row, why in network.untested.items()}
        untested = {
            row: why_by_link.get(
                row,
                why_by_fabric.get(
                    fabric, "within a scale-up domain: an all-reduce passes it, no run tests it by itself"
                ),
            )
            for row, fabric in enumerate(self.view.links.fabric.tolist())
            if row not in missed
        }
        return Coverage(loaded, passes, missed, untested)


Pair = tuple[Port, Port, float]
"""Two ports, and what goes from the first to the second at line rate, Gb/s."""


def plan_runs(view: ClusterView, only: Sequence[str] = (), seconds: int = 3, seed: int = 0) -> Plan:
    """Return the runs that test a cluster, or the part of it that `only` names; another `seed` gives flows other
    labels.

    `seconds` is how long a run of two ports sends. Raises InputError (FG178) if nothing of it can be tested.
    """
    networks = tuple(read_networks(view, only))
    fast = [network for network in networks if view.protocols[network.fabric] != "ethernet"]
    addressed = [network for network in networks if view.protocols[network.fabric] != "infiniband"]
    stages = [
        (PING, addressed, _meet_on_switches),
        (PORTS, fast, _meet_on_switches),
        (UPLINKS, [network for network in fast if view.balancing[network.fabric] == "hash"], _cross_by_hash),
        (LOAD, [network for network in fast if view.balancing[network.fabric] != "hash"], _cross_by_load),
    ]
    runs, kinds = list[Run](), list[str]()
    for kind, tested, list_rounds in stages:
        # networks share no port, so that a round has those of all
        for rounds in zip_longest(*map(list_rounds, tested), fillvalue=()):
            kinds.append(kind)
            for network, pairs in zip(tested, rounds, strict=True):
                runs += [_make_run(view, network, kind, len(kinds), pair, seed) for pair in pairs]
    notes = [note for network in fast for note in _tell_limits(view, network)]
    for run in _plan_collectives(view, fast, notes):
        kinds.append(COLLECTIVE)
        runs.append(run._replace(round=len(kinds), name=f"{len(kinds):03}-{run.name}"))
    if not runs:
        raise view.refuse(
            "FG178", f"{view.name} has no two ports of nodes that tests could run between", hint="choose more by --only"
        )
    plan = Plan(view, networks, tuple(runs), seconds, tuple(kinds), tuple(notes))
    return replace(plan, notes=(*notes, *_tell_uncrossed(plan, {network.fabric for network in fast})))


def _tell_uncrossed(plan: Plan, fabrics: set[str]) -> Iterator[str]:
    """Yield a sentence for each fabric and reason: how many of its links no run loads, and why.

    Only `fabrics` are told, without links that nobody asked for and management links.
    """
    links = plan.view.links
    untested = plan.count_coverage().untested.items()
    uncrossed = Counter((links.fabric[row], why) for row, why in untested if not links.a_management[row])
    for (fabric, why), count in uncrossed.items():
        if fabric in fabrics and why != NOT_ASKED:
            yield f"{fabric}: {count:,} links are not loaded: {why}"


def _tell_limits(view: ClusterView, network: Network) -> Iterator[str]:
    """Yield what runs of a network cannot show about the links between its switches."""
    fastest = max(port.gbps for port in network.ports)
    faster = [gbps for gbps in network.gbps.values() if gbps > fastest]
    if view.balancing[network.fabric] != "hash" and network.gbps:
        filled = min(_find_filled(network, leaf) for leaf in network.ports_by_leaf)
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
    """Return which share of the capacity of the links above a switch its ports can fill, at most 1."""
    carried = sum(network.gbps[row] for row in network.out[0].get(leaf, ()))
    return min(1.0, sum(port.gbps for port in network.ports_by_leaf[leaf]) / carried) if carried else 1.0


def _make_run(view: ClusterView, network: Network, kind: str, number: int, pair: Pair, seed: int) -> Run:
    """Return the run of a pair of ports in round `number`, with the range of figures in which it is right."""
    *two_ports, gbps = pair
    ports = "-".join(re.sub(r"[^\w.-]", ".", port.name.replace(":", "-")) for port in two_ports)
    run = Run(f"{number:03}-{kind}-{ports}", number, kind, network.fabric, 100.0, 100.0, "%", tuple(two_ports))
    if kind == PING:
        return run
    # all but single flows are measured in both directions at once, and their figure is the sum
    line_gbps, label = (gbps if kind == UPLINKS else 2 * gbps), 0
    if kind == UPLINKS and view.protocols[network.fabric] == "roce":
        # 14 bits, which the RDMA drivers of Linux take for the UDP source port as they are
        label = 1 + int.from_bytes(sha256(f"{seed} {run.name}".encode()).digest()[:4], "big") % 0x3FFF
    min_gbps = round(line_gbps * view.reached[network.fabric], 3)
    return run._replace(least=min_gbps, most=round(line_gbps, 3), unit="Gb/s", label=label)


def _meet_neighbors(groups: Iterable[Sequence[Any]], pair: Callable[[Any, Any], Iterable[Pair]]) -> list[list[Pair]]:
    """Return rounds of pairs in which each member of a group meets both of its neighbours in a ring of the group.

    There are 2 rounds, or 3 if a group has an odd number of members. `pair` returns the pairs of ports of two members.
    """
    rounds: dict[int, list[Pair]] = {0: [], 1: [], 2: []}
    for members in groups:
        size = len(members)
        for number in range(size if size > 2 else size - 1):
            # the last of an odd ring meets the first when both are done with their other neighbour
            is_odd_end = size % 2 and number == size - 1
            rounds[2 if is_odd_end else number % 2] += pair(members[number], members[(number + 1) % size])
    return [pairs for pairs in rounds.values() if pairs]


def _meet_on_switches(network: Network) -> list[list[Pair]]:
    """Return rounds in which each port at a switch meets two others there; ports of one node do not meet."""

    def pair_ports(a: Port, b: Port) -> list[Pair]:
        return [(a, b, min(a.gbps, b.gbps))] if a.may_meet(b) else []

    return _meet_neighbors(network.ports_by_leaf.values(), pair_ports)


class Member(NamedTuple):
    """A member of a group of components: its number, its switches that nodes are cabled to, and the links that lead up
    from it.
    """

    component: int
    leaves: list[int]
    out: Choice


def _list_groups(network: Network, level: int) -> list[list[Member]]:
    """Return groups of components that are joined at a level and not below; the members of a group run against each
    other.

    At the first level, a group has the switches of one rail, if switches have one. Groups of only one or two members
    are put together: if two members met nobody else, the links of a switch above both could not be told apart.
    """
    below, joined, out = network.components[level - 1], network.components[level], network.out[level - 1]
    # {(component of the level, rail or 0): {component below: its leaves}}, which are groups and their members
    leaves_by_group: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for leaf, ports in sorted(
        network.ports_by_leaf.items(), key=lambda leaf_and_ports: (leaf_and_ports[1][0].rail, leaf_and_ports[0])
    ):
        rails = {port.rail for port in ports}
        rail = rails.pop() if level == 1 and len(rails) == 1 else 0
        leaves_by_group[joined[leaf], rail][below[leaf]].append(leaf)
    groups, small_groups = list[list[Member]](), defaultdict[int, list[Member]](list)
    for (component, _), leaves_by_member in leaves_by_group.items():
        members = [Member(number, leaves, out.get(number, ())) for number, leaves in leaves_by_member.items()]
        if len(members) > 2:
            groups.append(members)
        else:
            small_groups[component] += members
    return groups + [members for members in small_groups.values() if len(members) > 1]


def _cross_by_hash(network: Network) -> Iterator[list[Pair]]:
    """Yield rounds of single flows that cross each height, so many that the probability that they leave out any link is
    at most `MISSED`.
    """
    for level in range(1, len(network.components)):
        groups = [(members, _count_flows(network, level, members)) for members in _list_groups(network, level)]
        below, out = network.components[level - 1], network.out[level - 1]
        links = sum(len(out.get(component, ())) for component in {below[leaf] for leaf in network.ports_by_leaf})
        needed = {member.component: _count_passes(len(member.out), links) for group, _ in groups for member in group}
        crossings = Counter[int]()
        for number in range(_MOST_ROUNDS * max(needed.values(), default=0)):
            # a component that meets nobody, such as one in a VRF of its own, is not waited for once all have had a turn
            had_turns = number >= 2 * len(needed)
            if all(crossings[name] >= passes or (had_turns and not crossings[name]) for name, passes in needed.items()):
                break
            pairs = [pair for members, flows in groups for pair in _cross_group(network, members, flows, number)]
            crossings.update(below[port.leaf] for pair in pairs for port in pair[:2])
            yield pairs


def _count_flows(network: Network, level: int, members: Sequence[Member]) -> int:
    """Return how many flows leave, and enter, each member of a group in a round.

    The flows of a switch at nodes do not fill a link even if all take the same; above, few are likely to take the same
    link.
    """
    if level > 1:
        return max(1, min(min(len(member.out) // _HASH_CROWD, len(member.leaves)) for member in members))
    ports = [network.ports_by_leaf[leaf] for member in members for leaf in member.leaves]
    fastest = max(port.gbps for of_leaf in ports for port in of_leaf)
    slowest = min(network.gbps[row] for member in members for row in member.out)
    return max(1, min(int(slowest // fastest), *(len(of_leaf) // 2 for of_leaf in ports)))


def _count_passes(out: int, links: int) -> int:
    """Return how many flows have to cross the `out` links that leave a member, so that it is probable that each carries
    one.

    `links` is the number of links of the whole level: with probability `MISSED` at most, one of them is left out.
    """
    return 1 if out < 2 else ceil(log(MISSED / links) / log(1 - 1 / out))


def _cross_group(network: Network, members: Sequence[Member], flows: int, number: int) -> Iterator[Pair]:
    """Yield the flows of round `number` between members of a group: `flows` from each member, if ports are free.

    All flows of a member go to the same member. It is as many places further on as the round says, so that in time each
    member meets all others.
    """
    used: set[Port] = set()
    full_rounds, shift = divmod(number, len(members) - 1)
    for step in range(len(members)):
        # the order is turned, because the members that come first send if a switch has one port
        sender = (step + full_rounds) % len(members)
        sending, receiving = members[sender].leaves, members[(sender + shift + 1) % len(members)].leaves
        for flow in range(number * flows, (number + 1) * flows):
            sources = _list_free_ports(network, sending[flow % len(sending)], number, used)
            targets = _list_free_ports(network, receiving[flow % len(receiving)], number + 1, used)
            meeting = ((a, b) for a in sources for b in targets if a.may_meet(b))
            for source, target in islice(meeting, 1):
                used |= {source, target}
                yield source, target, network.carry_flow(source, target)


def _list_free_ports(network: Network, leaf: int, turn: int, used: set[Port]) -> list[Port]:
    """Return the ports of a switch that are not in `used`, in their order, which begins at port `turn`,
    counted round.
    """
    ports = network.ports_by_leaf[leaf]
    start = turn % len(ports)
    return [port for port in ports[start:] + ports[:start] if port not in used]


def _cross_by_load(network: Network) -> Iterator[list[Pair]]:
    """Yield rounds in which switches fill the links between them, each with two others at every level."""
    for level in range(1, len(network.components)):
        yield from _meet_neighbors(_list_groups(network, level), partial(_fill_between, network, level))


def _fill_between(network: Network, level: int, member: Member, neighbor: Member) -> Iterator[Pair]:
    """Yield pairs of ports of two members: of each switch as many ports as the links above it carry at full rate."""
    for leaves in zip(member.leaves, neighbor.leaves, strict=False):
        carried = min(_count_carried(network, level, leaf) for leaf in leaves)
        sources, targets = (network.ports_by_leaf[leaf][: max(1, int(carried))] for leaf in leaves)
        # if the same nodes have ports at both switches, each port meets that of the next node
        if not all(map(Port.may_meet, sources, targets)):
            targets = targets[1:] + targets[:1]
        for source, target in zip(sources, targets, strict=False):
            if source.may_meet(target):
                yield source, target, min(source.gbps, target.gbps) * min(1.0, carried)


def _count_carried(network: Network, level: int, leaf: int) -> float:
    """Return how many ports of a switch can send at full rate over the links above it, up to a level.

    Links that lead up from a component are shared evenly by the switches in it.
    """
    carried = float(len(network.ports_by_leaf[leaf]))
    for components, out in zip(network.components[:level], network.out, strict=False):
        leaves = sum(components[switch] == components[leaf] for switch in network.ports_by_leaf)
        carried = min(
            carried,
            sum(network.gbps[row] for row in out[components[leaf]]) / leaves / network.ports_by_leaf[leaf][0].gbps,
        )
    return carried


def _plan_collectives(view: ClusterView, networks: Sequence[Network], notes: list[str]) -> Iterator[Run]:
    """Yield an all-reduce of each unit whose nodes are all there and reach each other, then one of all nodes.

    A sentence for each unit that has none is added to `notes`.
    """
    devices, links = view.devices, view.links
    for network in networks:
        vrf_by_node = {port.device: port.vrf for port in network.ports}
        units: dict[tuple[str, int], list[int]] = defaultdict(list)
        for row in sorted(set(links.a[(links.fabric == network.fabric) & ~links.a_management].tolist())):
            if devices.kind[row] == "node":
                units[str(devices.pod[row]), int(devices.su[row])].append(row)
        jobs, numbers = list[tuple[str, str, list[int]]](), Counter[str]()
        for (pod, unit), nodes in units.items() if len(units) > 1 else ():
            numbers[pod] += 1  # `analyze` counts the units of a pod that are there
            jobs.append((f"all@{pod}/su{numbers[pod]}", f"{pod}/su{unit}", nodes))
        for job, scope, nodes in [*jobs, ("all", "all", [row for rows in units.values() for row in rows])]:
            expected = view.expect_busbw("all-reduce", COLLECTIVE_BYTES, job, fabric=network.fabric)
            if expected is None or vrf_by_node.keys().isdisjoint(nodes):
                continue
            if not vrf_by_node.keys() >= set(nodes) or len({vrf_by_node[row] for row in nodes}) > 1:
                why = "they do not reach each other" if vrf_by_node.keys() >= set(nodes) else "not all are chosen"
                notes.append(f"no all-reduce of the nodes of {network.fabric} in {scope}: {why}")
                continue
            name = f"{COLLECTIVE}-{network.fabric}-{scope.replace('/', '-')}"
            rates = find_busbw_range(expected.gbytes, expected.remark)
            yield Run(
                name,
                0,
                COLLECTIVE,
                network.fabric,
                *rates,
                "GB/s",
                nodes=tuple(str(devices.name[row]) for row in nodes),
                remark=expected.remark,
                job=job,
            )


def find_busbw_range(gbytes: float, remark: str) -> tuple[float, float]:
    """Return the least and the most bus bandwidth, GB/s, at which a collective of large messages is right.

    `gbytes` is the expected bandwidth; an expectation with a `remark` has a wider range.
    """
    return round(gbytes * (LEAST_WITH_REMARK if remark else LEAST_OF_EXPECTED), 1), round(gbytes * MOST_OF_EXPECTED, 1)
