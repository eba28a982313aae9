"""Nodes in blocks: those of a scale-up domain that several nodes share, else those of a logical leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from fabricgen.export.locality.model import Locality, Tier


@dataclass(frozen=True, slots=True)
class Block:
    """A block by the name of its domain or logical leaf, and its nodes as indexes into those of the locality."""

    name: str
    nodes: tuple[int, ...]


def blocks(found: Locality) -> list[list[Block]]:
    """The blocks of each network, those of a group beside each other."""
    domain, leaf, root = found.domains, found.tiers[0], found.tiers[-1].group
    held: dict[int, dict[str, list[int]]] = {}
    names = domain.vocabulary[domain.codes].tolist()
    for node in found.order.tolist():
        of = held.setdefault(int(root[node]), {})
        of.setdefault(names[node] or leaf.names[leaf.group[node]], []).append(node)
    return [[Block(name, tuple(nodes)) for name, nodes in of.items()] for of in held.values()]


def block_sizes(found: Locality, network: list[Block]) -> list[int]:
    """Nodes of the least block, and of 2, 4, 8 ... such where each group of a tier is so many blocks.

    Slurm joins blocks as they follow each other, by powers of two; what it joins is one group, or the last one's rest.
    """
    base = min(len(block.nodes) for block in network)
    counts = {1, *(count for tier in found.tiers for count in _each(tier, network))}
    return [base * count for count in sorted(counts) if count & (count - 1) == 0]


def _each(tier: Tier, network: list[Block]) -> Iterator[int]:
    """How many blocks each group of a tier is, if all but the last one are alike and none shares a block."""
    groups = [set(tier.group[list(block.nodes)].tolist()) for block in network]
    if any(len(of) > 1 for of in groups):
        return
    counts = [len(list(run)) for _, run in groupby(groups)]
    if len(set(counts[:-1])) <= 1 and counts[-1] <= counts[0]:
        yield counts[0]
