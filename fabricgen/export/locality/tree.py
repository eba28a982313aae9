"""Groups of nodes as a tree for each network: logical leaves with their nodes, and what joins several of them."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.export.locality.model import Locality


@dataclass(frozen=True, slots=True)
class Branch:
    """A group with the nodes of a logical leaf, or with the names of the branches that it joins."""

    name: str
    kind: str
    nodes: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def trees(found: Locality) -> list[list[Branch]]:
    """The branches of each network, lower ones first; a group that joins but one below it is not there."""
    order, leaf, names = found.order, found.tiers[0], found.names
    held: dict[int, list[int]] = {}
    for node in order.tolist():
        held.setdefault(int(leaf.group[node]), []).append(node)
    under = {group: Branch(leaf.names[group], leaf.kind, tuple(names[own].tolist())) for group, own in held.items()}
    rising = {group: (own[0], under[group]) for group, own in held.items()}
    root = found.tiers[-1].group
    of_root: dict[int, list[Branch]] = {int(root[node]): [] for node, _ in rising.values()}
    for node, branch in rising.values():
        of_root[int(root[node])].append(branch)
    for tier in found.tiers[1:]:
        joined: dict[int, list[tuple[int, Branch]]] = {}
        for node, branch in rising.values():
            joined.setdefault(int(tier.group[node]), []).append((node, branch))
        rising = {group: parts[0] for group, parts in joined.items()}
        for group, parts in joined.items():
            if len(parts) > 1:
                above = Branch(tier.names[group], tier.kind, below=tuple(branch.name for _, branch in parts))
                rising[group] = parts[0][0], above
                of_root[int(root[parts[0][0]])].append(above)
    return list(of_root.values())
