"""Nodes by how near they are in the network of accelerators: a logical leaf, what each tier above joins, domain, rack.

A node with rails is on as many leaves as it has rails; nodes on the same leaves are one group, the logical leaf, and
on a tier above those are that reach the same parts of the network by it. Groups of a tier lie within groups of the next
one, and nothing joins groups of the last one: networks that no link joins have no group in common.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

import numpy as np

from fabricgen.analyze.network import NONE, Level, Network, list_networks
from fabricgen.cluster import Cluster
from fabricgen.export.files.endpoints import make_domain_column
from fabricgen.export.simulators.dimensions import name_level
from fabricgen.kernel.diagnostics import fault
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings, encode_column
from fabricgen.wiring.arrays import Ints64, join_components
from fabricgen.wiring.tables import NODE

LONGEST = 63
"""Characters of a group's name: those of a host name, of a Slurm switch (64) and of the value of a Kubernetes label."""


@dataclass(frozen=True, slots=True)
class LocalityTier:
    """Groups of nodes: what their tier is called, names of groups, by node its group (int64).

    `has_switches` says whether a group has switches of the tier; one that has none is the group below it.
    """

    kind: str
    names: tuple[str, ...]
    group: Ints64
    has_switches: tuple[bool, ...]


@dataclass(frozen=True)
class Locality:
    """`nodes` (int64, rows of the device table, ascending) on the network of accelerators; tiers from the leaf up.

    `others` are rows of the nodes that are not on it.
    """

    cluster: Cluster
    nodes: Ints64
    tiers: tuple[LocalityTier, ...]
    others: Ints64

    @cached_property
    def names(self) -> Strings:
        """Names of the nodes; object array."""
        names: Strings = self.cluster.name_column[self.nodes]
        return names

    @cached_property
    def racks(self) -> EncodedColumn:
        """The rack of each node."""
        return encode_column(self.cluster.plan.racks.names, self.cluster.plan.devices.rack[self.nodes])

    @cached_property
    def domains(self) -> EncodedColumn:
        """The scale-up domain that a node shares with other nodes; "" where it shares none."""
        column = make_domain_column(self.cluster).take(self.nodes)
        several = np.bincount(column.codes, minlength=len(column.vocabulary)) > 1
        names = np.where(several, column.vocabulary, "").astype(object)
        return EncodedColumn(names, column.codes)

    @cached_property
    def order(self) -> Ints64:
        """Indexes of nodes by group, from the top down, then as they are listed."""
        return np.lexsort((np.arange(len(self.nodes)), *(tier.group for tier in self.tiers)))


def group_nodes(cluster: Cluster) -> Locality:
    """Group the nodes of a cluster; raises InputError (FG155) where no fabric joins any."""
    networks = list(list_networks(cluster, meshed=True))
    ports = _list_ports(cluster, networks) if networks else None
    if ports is None or not len(ports.node):
        error = fault(
            "FG155",
            "no fabric joins the nodes of scalable units, so that there is nothing to tell a scheduler",
            path=("fabrics",),
            hint="a fabric to which nodes attach, as by `attach: compute`, with links that are there",
        )
        raise cluster.design.loaded.locate_error(error)
    nodes, node = np.unique(ports.node, return_inverse=True)
    kind = np.array([c.kind for c in cluster.plan.devices.classes])[cluster.plan.devices.device_class]
    unattached = np.setdiff1d(np.flatnonzero(kind == NODE), nodes)
    return Locality(cluster, nodes, tuple(_list_tiers(networks, node, ports)), unattached)


@dataclass(frozen=True, slots=True)
class _PortParts:
    """Ports of nodes: row of the node, and at each height the part of the network that it reaches [ports, heights]."""

    node: Ints64
    part: Ints64


def _list_ports(cluster: Cluster, networks: Sequence[Network]) -> _PortParts:
    # the ports of nodes with a link: node rows, and for each the part that it is in at every level (height columns)
    height, node, part = max(len(n.levels) for n in networks), [], []
    kind = np.array([c.kind for c in cluster.plan.devices.classes])[cluster.plan.devices.device_class]
    for network in networks:
        leaf, device = network.leaf.ravel(), np.repeat(network.ranks.device, network.leaf.shape[1])
        lit = (leaf != NONE) & (kind[device] == NODE)
        node.append(device[lit])
        part.append(np.stack([_find_level(network, h).component[leaf[lit]] for h in range(height)], axis=1))
    return _PortParts(np.concatenate(node), np.concatenate(part))


def _find_level(network: Network, height: int) -> Level:
    """The level at a height, or its last one: networks beside each other may differ in height."""
    return network.levels[min(height, len(network.levels) - 1)]


def _list_tiers(networks: Sequence[Network], node: Ints64, ports: _PortParts) -> Iterator[LocalityTier]:
    """The tiers; above them one that joins groups with some of their parts in common, if there are such."""
    group, used_names = np.arange(node.max() + 1), set[str]()
    for height in range(ports.part.shape[1]):
        # nodes are in one group only if they reach the same parts: rail-optimized nodes reach a leaf of each rail
        pairs = _find_pairs(group[node], ports.part[:, height])
        group = _number_alike(pairs)[group]
        yield _make_tier(networks, height, group, _find_pairs(group[node], ports.part[:, height]), used_names)
    # vertices: first the parts, then the groups, each joined to the parts that it reaches
    member, part = pairs = _find_pairs(group[node], ports.part[:, -1])
    rows = int(part.max()) + 1
    label = join_components(np.arange(rows + group.max() + 1), part, rows + member)[rows:]
    _, joined = np.unique(label, return_inverse=True)
    if joined.max() < group.max():
        yield _make_tier(networks, ports.part.shape[1] - 1, joined[group], (joined[member], part), used_names)


def _find_pairs(group: Ints64, part: Ints64) -> tuple[Ints64, Ints64]:
    """The distinct pairs (group, part), ascending, as two columns; int64."""
    width = int(part.max()) + 1
    # both numbers as one, which sorts like the pair
    pair = np.unique(group * width + part)
    return pair // width, pair % width


def _number_alike(pairs: tuple[Ints64, Ints64]) -> Ints64:
    """Number groups by the parts that they reach, those that reach the same with one number, in their order."""
    group, part = pairs
    numbers: dict[bytes, int] = {}
    # pairs are ascending: the parts of a group are a slice, and equal slices have equal bytes
    bounds = np.searchsorted(group, np.arange(group[-1] + 2)).tolist()
    group_numbers = [numbers.setdefault(part[a:b].tobytes(), len(numbers)) for a, b in pairwise(bounds)]
    return np.array(group_numbers, dtype=np.int64)


def _make_tier(
    networks: Sequence[Network], height: int, group: Ints64, pairs: tuple[Ints64, Ints64], used_names: set[str]
) -> LocalityTier:
    """A tier whose groups are called by what the names of their switches have in common."""
    names_by_part: dict[int, list[str]] = {}
    kinds = []
    for network in networks:
        level = _find_level(network, height)
        # a level that no tier of its own makes is joined by switches of one below
        below = (_find_level(network, lower).tiers for lower in range(height, -1, -1))
        tiers = next((tiers for tiers in below if tiers), ())

        kinds.append(name_level(network, min(height, len(network.levels) - 1)))
        names = network.cluster.name_column
        for key in tiers:
            rows = network.cluster.plan.devices.find_tier(key).rows
            for part, name in zip(level.component[rows].tolist(), names[rows].tolist(), strict=True):
                names_by_part.setdefault(part, []).append(name)
    switches: list[list[str]] = [[] for _ in range(int(group.max()) + 1)]
    for number, part in zip(*(column.tolist() for column in pairs), strict=True):
        switches[number] += names_by_part.get(part, ())
    kind = "-".join(dict.fromkeys("/".join(kinds).split("/")))
    group_names = [find_common_name(switch_names) or kind for switch_names in switches]
    return LocalityTier(kind, tuple(_distinguish_names(group_names, used_names)), group, tuple(map(bool, switches)))


def find_common_name(names: Sequence[str]) -> str:
    """What names between hyphens have in common: `leaf-su01-01` of `leaf-su01-r1-01` and `leaf-su01-r2-01`."""
    split = [name.split("-") for name in names]
    if len(set(map(len, split))) == 1:
        common_words = (words[0] for words in zip(*split, strict=True) if len(set(words)) == 1)
    else:
        common_words = (words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*split, strict=False)))
    return "-".join(common_words)


def _distinguish_names(names: Sequence[str], used_names: set[str]) -> Iterator[str]:
    """Names as they are, or with numbers where groups would have one name; none longer than LONGEST."""
    times = Counter(names)
    numbers = dict.fromkeys(times, 0)
    for name in names:
        unique_name = name
        while unique_name in used_names or (unique_name == name and times[name] > 1):
            numbers[name] += 1
            ending = f"-g{numbers[name]:02d}"
            unique_name = name[: LONGEST - len(ending)] + ending
        used_names.add(unique_name)
        yield unique_name


# Logical leaves with their nodes.


@dataclass(frozen=True, slots=True)
class LogicalLeaf:
    """A logical leaf: names of the groups that it is in, itself first, and its nodes by index."""

    path: tuple[str, ...]
    nodes: tuple[int, ...]


def list_leaves(locality: Locality) -> Iterator[LogicalLeaf]:
    """The logical leaves, those of a group beside each other."""
    nodes_by_group: dict[int, list[int]] = {}
    for node, group in zip(locality.order.tolist(), locality.tiers[0].group[locality.order].tolist(), strict=True):
        nodes_by_group.setdefault(group, []).append(node)
    for nodes in nodes_by_group.values():
        groups = [(tier, int(tier.group[nodes[0]])) for tier in locality.tiers]
        yield LogicalLeaf(tuple(tier.names[group] for tier, group in groups if tier.has_switches[group]), tuple(nodes))


# Names in Slurm's short form: `n[001-031,033]`.
# Source: github.com/SchedMD/slurm@284c3b95: src/common/hostlist.c (_hostlist_create_bracketed, _parse_single_range: a
# range keeps the width of its lower end, MAX_RANGE). Brackets are at the end of a name only, as Slurm 22.05 refuses
# them elsewhere.

_MOST_DIGITS = 9
_NUMBERED = re.compile(rf"(.*?)([0-9]{{1,{_MOST_DIGITS}}})")


def join_hostlist(names: Iterable[str]) -> str:
    """All names in one text, between commas."""
    return ",".join(list_hostlists(names))


def list_hostlists(names: Iterable[str]) -> list[str]:
    """All names, those that differ in a last number only in brackets, in the order of the first one of each kind."""
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        key, number = ((match[1], len(match[2])), int(match[2])) if match else ((name, 0), 0)
        numbers.setdefault(key, []).append(number)
    return [_format_ranges(prefix, width, sorted(group_numbers)) for (prefix, width), group_numbers in numbers.items()]


def _format_ranges(prefix: str, width: int, numbers: list[int]) -> str:
    # names of one prefix and width as Slurm writes them: `n[001-003,007]`
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{width}d}" if width else prefix
    ranges = (f"{low:0{width}d}" + (f"-{high:0{width}d}" if high > low else "") for low, high in _split_runs(numbers))
    return f"{prefix}[{','.join(ranges)}]"


def _split_runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of consecutive numbers."""
    low = high = numbers[0]
    for number in numbers[1:]:
        if number > high + 1:
            yield low, high
            low = number
        high = number
    yield low, high
