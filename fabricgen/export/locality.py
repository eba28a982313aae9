"""How near nodes are to each other in the network of accelerators: a group of nodes for each tier of it.

The lowest groups are logical leaves: a node with rails is on as many leaves as it has rails, and nodes on the same
leaves are one group. On a higher tier, a group has the nodes that reach the same parts of the network by that tier.
Groups of a tier lie within groups of the next one, and nothing joins groups of the last one: networks that no link
joins have no group in common.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from json import dumps

import numpy as np

from fabricgen.analyze.network import NONE, Level, Network, list_networks
from fabricgen.cluster import Cluster
from fabricgen.export.files.endpoints import make_domain_column
from fabricgen.export.locations import locate_halls
from fabricgen.export.simulators import name_level
from fabricgen.kernel.diagnostics import fault
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings, encode_column
from fabricgen.wiring.arrays import Ints64, join_components
from fabricgen.wiring.tables import NODE

LONGEST = 63
"""The most characters of a group's name: a host name and the value of a Kubernetes label have 63, a Slurm switch 64."""


@dataclass(frozen=True, slots=True)
class LocalityTier:
    """Groups of nodes on one tier: the name of the tier (`kind`), names of the groups, and the group of each node.

    `group` (int64) has indexes into `names`. `has_switches` says by group whether it has switches of the tier; a group
    without any is the same as the group below it.
    """

    kind: str
    names: tuple[str, ...]
    group: Ints64
    has_switches: tuple[bool, ...]


@dataclass(frozen=True)
class Locality:
    """The nodes on the network of accelerators and their groups, tiers from the leaf up.

    `nodes` are ascending rows of the device table, `others` are rows of nodes that are not on the network; both int64.
    """

    cluster: Cluster
    nodes: Ints64
    tiers: tuple[LocalityTier, ...]
    others: Ints64

    @cached_property
    def names(self) -> Strings:
        """Names of the nodes; object array of str."""
        return self.cluster.name_column[self.nodes]

    @cached_property
    def racks(self) -> EncodedColumn:
        """The rack of each node."""
        return encode_column(self.cluster.plan.racks.names, self.cluster.plan.devices.rack[self.nodes])

    @cached_property
    def domains(self) -> EncodedColumn:
        """The scale-up domain that each node shares with other nodes; "" if it shares none."""
        column = make_domain_column(self.cluster).take(self.nodes)
        is_shared = np.bincount(column.codes, minlength=len(column.vocabulary)) > 1
        return EncodedColumn(np.where(is_shared, column.vocabulary, "").astype(object), column.codes)

    @cached_property
    def order(self) -> Ints64:
        """Indexes of nodes sorted by group, from the highest tier down, then as they are listed."""
        return np.lexsort((np.arange(len(self.nodes)), *(tier.group for tier in self.tiers)))


def group_nodes(cluster: Cluster) -> Locality:
    """Return the nodes of a cluster with their groups; raises InputError (FG155) if no fabric joins any."""
    networks = list(list_networks(cluster, meshed=True))
    ports = _list_ports(cluster, networks) if networks else None
    if ports is None or not len(ports.node):
        raise cluster.design.loaded.locate_error(
            fault(
                "FG155",
                "no fabric joins the nodes of scalable units, so that there is nothing to tell a scheduler",
                path=("fabrics",),
                hint="a fabric to which nodes attach, as by `attach: compute`, with links that are there",
            )
        )
    nodes, node = np.unique(ports.node, return_inverse=True)
    kind = np.array([c.kind for c in cluster.plan.devices.classes])[cluster.plan.devices.device_class]
    return Locality(
        cluster, nodes, tuple(_list_tiers(networks, node, ports)), np.setdiff1d(np.flatnonzero(kind == NODE), nodes)
    )


@dataclass(frozen=True, slots=True)
class _PortParts:
    """Ports of nodes, a row each: the row of the node, and the part of the network that the port reaches at each
    height.

    A part is a set of switches that tiers up to that height join. `part` has shape (ports, heights), int64.
    """

    node: Ints64
    part: Ints64


def _list_ports(cluster: Cluster, networks: Sequence[Network]) -> _PortParts:
    """Return the ports of nodes that have a link, and the part of the network that each is in at every height."""
    heights, nodes, parts = max(len(network.levels) for network in networks), [], []
    kind_of_device = np.array([c.kind for c in cluster.plan.devices.classes])[cluster.plan.devices.device_class]
    for network in networks:
        leaf, device = network.leaf.ravel(), np.repeat(network.ranks.device, network.leaf.shape[1])
        is_linked_node = (leaf != NONE) & (kind_of_device[device] == NODE)
        nodes.append(device[is_linked_node])
        parts.append(
            np.stack(
                [_find_level(network, height).component[leaf[is_linked_node]] for height in range(heights)], axis=1
            )
        )
    return _PortParts(np.concatenate(nodes), np.concatenate(parts))


def _find_level(network: Network, height: int) -> Level:
    """Return the level of a network at a height, or its highest one: networks side by side may differ in height."""
    return network.levels[min(height, len(network.levels) - 1)]


def _list_tiers(networks: Sequence[Network], node: Ints64, ports: _PortParts) -> Iterator[LocalityTier]:
    """Yield the tiers from the lowest up. A group of a tier is the nodes that reach the same parts of the network at
    its height; a group of the tier above may hold several groups.

    One more tier follows if different groups of the last tier have a part in common: it joins these groups. `node` is
    the index of the node of each port.
    """
    group, used_names = np.arange(node.max() + 1), set[str]()
    for height in range(ports.part.shape[1]):
        # nodes are in one group only if they reach the same parts: rail-optimized nodes reach a leaf of each rail
        pairs = _find_pairs(group[node], ports.part[:, height])
        group = _number_alike(pairs)[group]
        yield _make_tier(networks, height, group, _find_pairs(group[node], ports.part[:, height]), used_names)
    # vertices: first the parts, then the groups, each joined to the parts that it reaches
    group_of_pair, part_of_pair = _find_pairs(group[node], ports.part[:, -1])
    parts = int(part_of_pair.max()) + 1
    component_of_group = join_components(np.arange(parts + group.max() + 1), part_of_pair, parts + group_of_pair)[
        parts:
    ]
    _, joined_group = np.unique(component_of_group, return_inverse=True)
    if joined_group.max() < group.max():
        joined_pairs = joined_group[group_of_pair], part_of_pair
        yield _make_tier(networks, ports.part.shape[1] - 1, joined_group[group], joined_pairs, used_names)


def _find_pairs(group: Ints64, part: Ints64) -> tuple[Ints64, Ints64]:
    """Return the distinct pairs (group, part), ascending, as two columns; int64."""
    parts = int(part.max()) + 1
    # both numbers as one, which sorts like the pair
    pair = np.unique(group * parts + part)
    return pair // parts, pair % parts


def _number_alike(pairs: tuple[Ints64, Ints64]) -> Ints64:
    """Return a number for each group, from 0, int64: the same number for groups that reach the same parts.

    `pairs` are the columns (group, part) of `_find_pairs`; every group is in a pair.
    """
    group, part = pairs
    number_of_parts: dict[bytes, int] = {}
    # pairs are ascending: the parts of a group are a slice, and equal slices have equal bytes
    bounds = np.searchsorted(group, np.arange(group[-1] + 2)).tolist()
    group_numbers = [
        number_of_parts.setdefault(part[start:end].tobytes(), len(number_of_parts)) for start, end in pairwise(bounds)
    ]
    return np.array(group_numbers, dtype=np.int64)


def _make_tier(
    networks: Sequence[Network], height: int, group: Ints64, pairs: tuple[Ints64, Ints64], used_names: set[str]
) -> LocalityTier:
    """Return the tier at a height, with names for its groups.

    A group is named by what the names of its switches have in common, or else by the kind of tier. `group` is the group
    of each node; `pairs` are the columns (group, part that it reaches). `used_names` are those of lower tiers, which no
    group gets again; the new names are added to it.
    """
    names_by_part: dict[int, list[str]] = {}
    kinds = []
    for network in networks:
        level = _find_level(network, height)
        # a level without a tier of its own is joined by switches of a level below
        lower_tiers = (_find_level(network, lower).tiers for lower in range(height, -1, -1))
        tiers = next(filter(None, lower_tiers), ())
        kinds.append(name_level(network, min(height, len(network.levels) - 1)))
        names = network.cluster.name_column
        for tier_key in tiers:
            rows = network.cluster.plan.devices.find_tier(tier_key).rows
            for part, name in zip(level.component[rows].tolist(), names[rows].tolist(), strict=True):
                names_by_part.setdefault(part, []).append(name)
    switches: list[list[str]] = [[] for _ in range(int(group.max()) + 1)]
    for group_number, part in zip(*(column.tolist() for column in pairs), strict=True):
        switches[group_number] += names_by_part.get(part, ())
    kind = "-".join(dict.fromkeys("/".join(kinds).split("/")))
    group_names = [find_common_name(switch_names) or kind for switch_names in switches]
    return LocalityTier(kind, tuple(_distinguish_names(group_names, used_names)), group, tuple(map(bool, switches)))


def find_common_name(names: Sequence[str]) -> str:
    """Return the words between hyphens that names have in common: `leaf-su01-01` for `leaf-su01-r1-01` and
    `leaf-su01-r2-01`.
    """
    split = [name.split("-") for name in names]
    if len(set(map(len, split))) == 1:
        common_words = (words[0] for words in zip(*split, strict=True) if len(set(words)) == 1)
    else:
        common_words = (words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*split, strict=False)))
    return "-".join(common_words)


def _distinguish_names(names: Sequence[str], used_names: set[str]) -> Iterator[str]:
    """Yield names as they are, or with a number if groups would have the same name; none is longer than LONGEST."""
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
    """A logical leaf: the names of the groups that it is in, its own first, and its nodes as indexes into
    `Locality.nodes`.
    """

    path: tuple[str, ...]
    nodes: tuple[int, ...]


def list_leaves(locality: Locality) -> Iterator[LogicalLeaf]:
    """Yield the logical leaves; those of one group of a higher tier follow one another."""
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
    """Return all names in one text, separated by commas."""
    return ",".join(list_hostlists(names))


def list_hostlists(names: Iterable[str]) -> list[str]:
    """Return names in Slurm's short form: names that differ only in a last number are one text with brackets.

    They are in the order of the first name of each kind.
    """
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        key, number = ((match[1], len(match[2])), int(match[2])) if match else ((name, 0), 0)
        numbers.setdefault(key, []).append(number)
    return [_format_ranges(prefix, width, sorted(group_numbers)) for (prefix, width), group_numbers in numbers.items()]


def _format_ranges(prefix: str, width: int, numbers: list[int]) -> str:
    """Return names of one prefix as Slurm writes them: `n[001-003,007]`; a single name is written out.

    `numbers` are ascending, `width` is their number of digits, 0 for a name without a number.
    """
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{width}d}" if width else prefix
    ranges = (
        f"{first:0{width}d}" + (f"-{last:0{width}d}" if last > first else "") for first, last in _split_runs(numbers)
    )
    return f"{prefix}[{','.join(ranges)}]"


def _split_runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of each run of consecutive numbers; `numbers` are ascending, and at least one."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number > last + 1:
            yield first, last
            first = number
        last = number
    yield first, last


# Labels that say where the nodes of a Kubernetes cluster are, under the keys of a release of a tool.
# Sources: github.com/NVIDIA/topograph: pkg/engines/k8s/labeler.go of v0.1.0 and of v0.3.0 to v0.5.0 (keys by tier; more
# tiers than keys are left out), pkg/topology/topology.go of v1.0.0; too long a value is its 64-bit FNV-1a hash there
# (checkLabel). Region and zone: kubernetes.io, "Well-Known Labels, Annotations and Taints"; rack: Rook's documentation,
# "OSD Topology". Syntax: kubernetes.io, "Labels and Selectors".

_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_BATCH_NODES = 4096


@dataclass(frozen=True, slots=True)
class Preset:
    """The label keys of one release of topograph.

    `tiers` has the key of each tier, from the leaf up; or `form` is the key of any tier, with {} for the tier's number.
    `domain` is the key of scale-up domains.
    """

    name: str
    domain: str
    tiers: tuple[str, ...] = ()
    form: str = ""

    def find_key(self, tier: int) -> str:
        """Return the key of a tier, which counts from 0 at the leaf; "" if the release has none."""
        if self.form:
            return self.form.format(tier)
        return self.tiers[tier] if tier < len(self.tiers) else ""


_NVIDIA = "network.topology.nvidia.com"
PRESETS = (
    Preset("topograph-1.0", "accelerator.topograph.run/domain", form="fabric.topograph.run/tier-{}"),
    Preset("topograph-0.3", f"{_NVIDIA}/accelerator", tuple(f"{_NVIDIA}/{tier}" for tier in ("leaf", "spine", "core"))),
    Preset(
        "topograph-0.1",
        f"{_NVIDIA}/accelerator",
        tuple(f"{_NVIDIA}/{tier}" for tier in ("block", "spine", "datacenter")),
    ),
)
"""Presets by the first release that has the keys; the keys of 0.3 hold up to 0.5."""
REGION, ZONE, RACK = "topology.kubernetes.io/region", "topology.kubernetes.io/zone", "topology.rook.io/rack"


def write_network_labels(locality: Locality, preset: Preset) -> Iterator[bytes]:
    """Yield a file of Node resources labelled with their tiers and scale-up domains."""
    domain = locality.domains.read(0, len(locality.nodes))
    node_labels: list[tuple[int, tuple[tuple[str, str], ...]]] = []
    for leaf in list_leaves(locality):
        tiers = tuple((preset.find_key(tier), name) for tier, name in enumerate(leaf.path) if preset.find_key(tier))
        node_labels += [
            (node, (*tiers, *([(preset.domain, domain[node])] if domain[node] else ()))) for node in leaf.nodes
        ]
    return _write_resources(locality, f"labels of {preset.name.replace('-', ' ')}", node_labels)


def write_place_labels(locality: Locality) -> Iterator[bytes]:
    """Yield a file of Node resources labelled with site, hall and rack."""
    labels = [tuple(zip((REGION, ZONE, RACK), node_place, strict=True)) for node_place in list_node_places(locality)]
    return _write_resources(locality, "site, hall and rack", list(enumerate(labels)))


def list_node_places(locality: Locality) -> list[tuple[str, str, str]]:
    """Return the site, hall and rack of each node."""
    cluster, racks = locality.cluster, locality.cluster.plan.racks
    halls, node_racks = locate_halls(cluster), cluster.plan.devices.rack[locality.nodes].tolist()
    sites = (cluster.sites[row] for row in locality.nodes.tolist())
    return [(site, halls[racks.hall[rack]], racks.names[rack]) for site, rack in zip(sites, node_racks, strict=True)]


def _write_resources(
    locality: Locality, title: str, node_labels: list[tuple[int, tuple[tuple[str, str], ...]]]
) -> Iterator[bytes]:
    """Yield a title, then Node resources in the order of `node_labels` (node, its labels), some thousand at a time."""
    names = [name.lower() for name in locality.names.tolist()]  # as kubelet takes the host's own (--hostname-override)
    texts_by_labels = dict[tuple[tuple[str, str], ...], str]()
    yield f"# {locality.cluster.design.loaded.blueprint.name}: {title} of {len(names):,} nodes\n".encode()
    for start in range(0, len(node_labels), _BATCH_NODES):
        block = []
        for node, labels in node_labels[start : start + _BATCH_NODES]:
            if labels not in texts_by_labels:
                texts_by_labels[labels] = "".join(
                    f"    {key}: {dumps(make_label_value(value))}\n" for key, value in labels
                )
            block.append(
                f"---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {dumps(names[node])}\n"
                f"  labels:\n{texts_by_labels[labels]}"
            )
        yield "".join(block).encode()


def make_label_value(text: str) -> str:
    """Return a text as the value of a label: as it is, or `x` and its hash if it is too long or no valid value."""
    if _VALUE.fullmatch(text):
        return text
    digest = 0xCBF29CE484222325
    for byte in text.encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"x{digest:x}"
