"""slurm/: where nodes are, for Slurm's topology plugins; on request.

topology.conf is for topology/tree of any version, topology-block.conf for topology/block of 24.05 and later, and
topology.yaml has both for 25.05 and later. What no link joins are trees of their own, and no job spans them. The block
plugin takes all its blocks as one network: where there are several, each has a topology of its own in topology.yaml,
and no topology-block.conf is written.

Sources: github.com/SchedMD/slurm@284c3b95: doc/man/man5/topology.conf.5 and topology.yaml.5, CHANGELOG (versions),
src/plugins/topology/tree/switch_record.c (a switch has nodes or switches, never both; a name has at most HOST_NAME_MAX
characters, which are 64), src/plugins/topology/block/block_record.c and eval_nodes_block.c (blocks are joined as they
follow each other, by powers of two; a job above the greatest size takes any blocks), src/plugins/data_parser/v0.0.45/
parsers.c (keys of topology.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.locality.model import MOST_NODES, Branch, Locality, Tier, group_nodes, join_hostlist, list_trees
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import fault

ON_REQUEST = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the files; raises InputError (FG155) where no fabric joins nodes, or where they are too many."""
    locality_groups = group_nodes(cluster)
    if len(locality_groups.nodes) > MOST_NODES:
        error = fault(
            "FG155",
            f"Slurm has at most {MOST_NODES:,} nodes, and {len(locality_groups.nodes):,} are on the network",
            path=("pods",),
            hint="several Slurm clusters, each of a blueprint or phase of its own",
        )
        raise cluster.design.loaded.locate_error(error)
    networks, block_lists = list_trees(locality_groups), list_blocks(locality_groups)
    yield "slurm/topology.conf", _write_file(locality_groups, _write_tree_lines(locality_groups, networks)).encode()
    if len(block_lists) == 1:
        yield (
            "slurm/topology-block.conf",
            _write_file(locality_groups, _write_block_lines(locality_groups, block_lists[0])).encode(),
        )
    yield (
        "slurm/topology.yaml",
        _write_file(locality_groups, _write_yaml_lines(locality_groups, networks, block_lists)).encode(),
    )


def rows(cluster: Cluster) -> int:
    """Work, in rows of links.csv: about as many as there are devices."""
    return len(cluster.plan.devices)


def _write_file(locality_groups: Locality, lines: Iterable[str]) -> str:
    """What a file is of and which nodes it lacks, then its lines."""
    kinds = " > ".join(dict.fromkeys(tier.kind for tier in reversed(locality_groups.tiers)))
    head = [f"# {locality_groups.cluster.design.loaded.blueprint.name}: {len(locality_groups.nodes):,} nodes, {kinds}"]
    if len(locality_groups.others):
        head.append(
            "# not on the network: "
            f"{join_hostlist(locality_groups.cluster.name_column[locality_groups.others].tolist())}"
        )
    return "\n".join([*head, *lines, ""])


def _write_tree_lines(locality_groups: Locality, networks: list[list[Branch]]) -> Iterator[str]:
    yield "# topology/tree: a switch is the leaves that its nodes have in common, or what joins such"
    for number, branches in enumerate(networks, start=1):
        if len(networks) > 1:
            yield f"# network {number} of {len(networks)}: no link joins them"
        for branch in branches:
            members = (
                f"Nodes={_join_hosts(locality_groups, branch.nodes)}"
                if branch.nodes
                else f"Switches={join_hostlist(branch.below)}"
            )
            yield f"SwitchName={branch.name} {members}"


def _write_block_lines(locality_groups: Locality, network: list[Block]) -> Iterator[str]:
    yield "# topology/block: a block is a scale-up domain of several nodes, or the nodes of a logical leaf"
    for block in network:
        yield f"BlockName={block.name} Nodes={_join_hosts(locality_groups, block.nodes)}"
    yield f"BlockSizes={','.join(map(str, list_block_sizes(locality_groups, network)))}"


def _write_yaml_lines(
    locality_groups: Locality, networks: list[list[Branch]], block_lists: list[list[Block]]
) -> Iterator[str]:
    """Texts are in quotes: a host name may read as a number."""
    yield from ("- topology: tree", "  cluster_default: true", "  tree:", "    switches:")
    for branch in (branch for branches in networks for branch in branches):
        key, members = (
            ("nodes", _join_hosts(locality_groups, branch.nodes))
            if branch.nodes
            else ("children", join_hostlist(branch.below))
        )
        yield from (f"      - switch: {dumps(branch.name)}", f"        {key}: {dumps(members)}")
    for branches, network in zip(networks, block_lists, strict=True):
        name = "block" if len(block_lists) == 1 else f"block-{branches[-1].name}"
        yield from (f"- topology: {dumps(name)}", "  cluster_default: false", "  block:", "    block_sizes:")
        yield from (f"      - {size}" for size in list_block_sizes(locality_groups, network))
        yield "    blocks:"
        for block in network:
            yield from (
                f"      - block: {dumps(block.name)}",
                f"        nodes: {dumps(_join_hosts(locality_groups, block.nodes))}",
            )


def _join_hosts(locality_groups: Locality, nodes: Sequence[int]) -> str:
    return join_hostlist(locality_groups.names[list(nodes)].tolist())


# Nodes in blocks: those of a scale-up domain that several nodes share, else those of a logical leaf.


@dataclass(frozen=True, slots=True)
class Block:
    """A block by the name of its domain or logical leaf, and its nodes as indexes into those of the locality."""

    name: str
    nodes: tuple[int, ...]


def list_blocks(locality_groups: Locality) -> list[list[Block]]:
    """The blocks of each network, those of a group beside each other."""
    domain, leaf, root = locality_groups.domains, locality_groups.tiers[0], locality_groups.tiers[-1].group
    nodes_by_block: dict[int, dict[str, list[int]]] = {}
    names = domain.vocabulary[domain.codes].tolist()
    for node in locality_groups.order.tolist():
        network_blocks = nodes_by_block.setdefault(int(root[node]), {})
        network_blocks.setdefault(names[node] or leaf.names[leaf.group[node]], []).append(node)
    return [
        [Block(name, tuple(nodes)) for name, nodes in network_blocks.items()]
        for network_blocks in nodes_by_block.values()
    ]


def list_block_sizes(locality_groups: Locality, network: list[Block]) -> list[int]:
    """Nodes of the least block, and of 2, 4, 8 ... such where each group of a tier is so many blocks.

    Slurm joins blocks as they follow each other, by powers of two; what it joins is one group, or the last one's rest.
    """
    base = min(len(block.nodes) for block in network)
    counts = {1, *(count for tier in locality_groups.tiers for count in _count_group_blocks(tier, network))}
    return [base * count for count in sorted(counts) if count & (count - 1) == 0]


def _count_group_blocks(tier: Tier, network: list[Block]) -> Iterator[int]:
    """How many blocks each group of a tier is, if all but the last one are alike and none shares a block."""
    groups = [set(tier.group[list(block.nodes)].tolist()) for block in network]
    if any(len(block_groups) > 1 for block_groups in groups):
        return
    counts = [len(list(run)) for _, run in groupby(groups)]
    if len(set(counts[:-1])) <= 1 and counts[-1] <= counts[0]:
        yield counts[0]
