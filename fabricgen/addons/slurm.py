"""slurm/: where nodes are, for Slurm's topology plugins; on request.

topology.conf is for topology/tree of any version, topology-block.conf for topology/block of 24.05 and later, and
topology.yaml has both for 25.05 and later. Parts that no link joins are trees of their own, and no job spans them. The
block plugin treats all its blocks as one network: if there are several networks, each has a topology of its own in
topology.yaml, and no topology-block.conf is written.

Sources: github.com/SchedMD/slurm@284c3b95: doc/man/man5/topology.conf.5 and topology.yaml.5, CHANGELOG (versions),
src/plugins/topology/tree/switch_record.c (a switch has nodes or switches, never both; a name has at most HOST_NAME_MAX
characters, which are 64), src/plugins/topology/block/block_record.c and eval_nodes_block.c (blocks are joined as they
follow each other, by powers of two; a job above the greatest size takes any blocks),
src/plugins/data_parser/v0.0.45/parsers.c (keys of topology.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from json import dumps

from fabricgen.api import ClusterView, join_hostlist

MOST_NODES = 65_536
"""The most nodes of a Slurm cluster (slurm/slurm.h: MAX_SLURM_NODES)."""


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield the files; raises InputError (FG155) if no fabric joins nodes, or if they are too many."""
    leaves = list_leaves(view)
    networks, block_lists, head = list_trees(view, leaves), list_blocks(view, leaves), write_head(view)
    yield "topology.conf", join_lines(head, _write_tree_lines(networks))
    if len(block_lists) == 1:
        yield "topology-block.conf", join_lines(head, _write_block_lines(block_lists[0]))
    yield "topology.yaml", join_lines(head, write_yaml_lines(networks, block_lists))


def join_lines(*line_groups: Iterable[str]) -> str:
    """Return the text of a file made of several groups of lines."""
    return "\n".join([*chain(*line_groups), ""])


def write_head(view: ClusterView) -> list[str]:
    """Return comment lines for the head of a file: the cluster, and the nodes that the file lacks."""
    nodes = (view.places.group >= 0).sum()
    kinds = " > ".join(dict.fromkeys(reversed(view.groups.tier.tolist())))
    others = view.places.node[view.places.group < 0].tolist()
    absent = [f"# not on the network: {join_hostlist(others)}"] if others else []
    return [f"# {view.name}: {nodes:,} nodes, {kinds}", *absent]


def _write_tree_lines(networks: list[list[Branch]]) -> Iterator[str]:
    """Yield the lines of topology.conf for the plugin topology/tree."""
    yield "# topology/tree: a switch is the leaves that its nodes have in common, or what joins such"
    for number, branches in enumerate(networks, start=1):
        if len(networks) > 1:
            yield f"# network {number} of {len(networks)}: no link joins them"
        for branch in branches:
            key, names = ("Nodes", branch.nodes) if branch.nodes else ("Switches", branch.below)
            yield f"SwitchName={branch.name} {key}={join_hostlist(names)}"


def _write_block_lines(network: list[Block]) -> Iterator[str]:
    """Yield the lines of topology.conf for the plugin topology/block."""
    yield "# topology/block: a block is a scale-up domain of several nodes, or the nodes of a logical leaf"
    for block in network:
        yield f"BlockName={block.name} Nodes={join_hostlist(block.nodes)}"
    yield f"BlockSizes={','.join(map(str, list_block_sizes(network)))}"


def write_yaml_lines(networks: list[list[Branch]], block_lists: list[list[Block]]) -> Iterator[str]:
    """Yield the lines of topology.yaml: a tree, and blocks for each network.

    Texts are in quotes, because a host name may read as a number.
    """
    yield from ("- topology: tree", "  cluster_default: true", "  tree:", "    switches:")
    for branch in (branch for branches in networks for branch in branches):
        key, names = ("nodes", branch.nodes) if branch.nodes else ("children", branch.below)
        yield from (f"      - switch: {dumps(branch.name)}", f"        {key}: {dumps(join_hostlist(names))}")
    for branches, network in zip(networks, block_lists, strict=True):
        name = "block" if len(block_lists) == 1 else f"block-{branches[-1].name}"
        yield from (f"- topology: {dumps(name)}", "  cluster_default: false", "  block:", "    block_sizes:")
        yield from (f"      - {size}" for size in list_block_sizes(network))
        yield "    blocks:"
        for block in network:
            yield from (
                f"      - block: {dumps(block.name)}",
                f"        nodes: {dumps(join_hostlist(block.nodes))}",
            )


# Groups of nodes as a tree for each network: logical leaves with their nodes, and the groups that join them.


@dataclass(frozen=True, slots=True)
class Leaf:
    """A logical leaf: the groups that it is in (rows of `groups`), itself first, and its nodes (rows of `places`)."""

    groups: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A switch in Slurm's tree: a group with the nodes of a logical leaf, or with the branches below it;
    all by name.
    """

    name: str
    nodes: Sequence[str] = ()
    below: Sequence[str] = ()


def list_leaves(view: ClusterView) -> list[Leaf]:
    """Return the leaves of Slurm's tree: each has the groups of switches above its nodes, and the rows of the nodes.

    They are sorted by their groups from the top down. Raises InputError (FG155) if no fabric joins nodes (`view.groups`
    refuses that), or for more nodes than Slurm may have.
    """
    above, nodes_by_group = view.groups.above.tolist(), dict[int, list[int]]()
    for row, group in enumerate(view.places.group.tolist()):
        if group >= 0:
            nodes_by_group.setdefault(group, []).append(row)
    nodes = sum(map(len, nodes_by_group.values()))
    if nodes > MOST_NODES:
        raise view.refuse(
            "FG155",
            f"Slurm has at most {MOST_NODES:,} nodes, and {nodes:,} are on the network",
            path=("pods",),
            hint="several Slurm clusters, each of a blueprint or phase of its own",
        )
    return sorted(
        [Leaf(tuple(_list_groups(above, group)), tuple(nodes)) for group, nodes in nodes_by_group.items()],
        key=lambda leaf: leaf.groups[::-1],
    )


def _list_groups(above: Sequence[int], group: int) -> Iterator[int]:
    """Yield a group and those that it is in, from below; `above` has the group above each group, -1 for none."""
    while group >= 0:
        yield group
        group = above[group]


def _split_networks(leaves: Iterable[Leaf]) -> Iterator[list[Leaf]]:
    """Yield the leaves of each network, which are those with one widest group; `leaves` are sorted by it."""
    return (list(network_leaves) for _, network_leaves in groupby(leaves, lambda leaf: leaf.groups[-1]))


def list_trees(view: ClusterView, leaves: Iterable[Leaf]) -> list[list[Branch]]:
    """Return the branches of each network, lower ones before those above them.

    A group with only one group below it has no branch: the group below stands for both.
    """
    return [list(_list_branches(view, network_leaves)) for network_leaves in _split_networks(leaves)]


def _list_branches(view: ClusterView, network: list[Leaf]) -> Iterator[Branch]:
    """Yield the switches of a tree: leaves with their nodes, then, tier by tier, groups that join several below."""
    names, has_switches, below = view.groups.name, view.groups.switches, dict[str, dict[str, None]]()
    paths = [[names[group] for group in leaf.groups if has_switches[group]] for leaf in network]
    for leaf, path in zip(network, paths, strict=True):
        yield Branch(path[0], nodes=view.places.node[list(leaf.nodes)].tolist())
        for lower, upper in pairwise(path):
            below.setdefault(upper, {})[lower] = None

    def find_fork(name: str) -> str:
        """Return the first group, from `name` down, that is a leaf or has several groups below it."""
        while len(below.get(name, ())) == 1:
            (name,) = below[name]
        return name

    heights = range(1, max(map(len, paths)))
    for name in dict.fromkeys(path[height] for height in heights for path in paths if height < len(path)):
        if len(below[name]) > 1:
            yield Branch(name, below=tuple(map(find_fork, below[name])))


# Nodes in blocks: those of a scale-up domain that several nodes share, else those of a logical leaf.


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Slurm, which is a scale-up domain or a logical leaf: its name, the names of its nodes, and their
    leaves.

    `leaves` has the leaf of each node, in the order of `nodes`.
    """

    name: str
    nodes: list[str]
    leaves: list[Leaf]


def list_blocks(view: ClusterView, leaves: Iterable[Leaf]) -> list[list[Block]]:
    """Return the blocks of each network; those of one group follow one another."""
    return [list(_list_network_blocks(view, network_leaves)) for network_leaves in _split_networks(leaves)]


def _list_network_blocks(view: ClusterView, network: Iterable[Leaf]) -> Iterable[Block]:
    """Return the blocks of a network: nodes by scale-up domain, or by leaf if they have none."""
    groups, places, blocks = view.groups, view.places, dict[str, Block]()
    for leaf in network:
        for row in leaf.nodes:
            name = places.domain[row] or groups.name[leaf.groups[0]]
            block = blocks.setdefault(name, Block(name, [], []))
            block.nodes.append(places.node[row])
            block.leaves.append(leaf)
    return blocks.values()


def list_block_sizes(network: list[Block]) -> list[int]:
    """Return the block sizes of a network, in nodes: the size of the smallest block, times 1 and other powers of two.

    A power is listed if the groups of some tier have that many blocks each. Slurm joins that many blocks that follow
    each other, so that they are those of one group; the last group may have fewer.
    """
    base, heights = min(len(block.nodes) for block in network), range(len(network[0].leaves[0].groups))
    counts = {1, *(count for height in heights for count in _count_group_blocks(height, network))}
    # a power of two has a single bit, which one less does not have
    return [base * count for count in sorted(counts) if count & (count - 1) == 0]


def _count_group_blocks(height: int, network: list[Block]) -> Iterator[int]:
    """Yield how many blocks each group of a height has, if all have equally many and none shares a block with another.

    Only the last group may have fewer. Heights count from the leaves up: groups of a lower one are inside those above.
    Nothing is yielded for other groups.
    """
    groups = [{leaf.groups[height] for leaf in block.leaves} for block in network]
    if any(len(block_groups) > 1 for block_groups in groups):
        return
    counts = [len(list(run)) for _, run in groupby(groups)]
    if len(set(counts[:-1])) <= 1 and counts[-1] <= counts[0]:
        yield counts[0]
