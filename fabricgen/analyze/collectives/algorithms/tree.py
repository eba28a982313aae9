"""Tree: a double binary tree over domains and a chain in each, both ways at once (Sanders, Speck and Träff, Two-tree
algorithms for full bandwidth broadcast, reduction and scan, 2009; NCCL 2.4).
"""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.collectives.model import CollectiveStage, Team, find_tree_depth, find_turn

KIND = "tree"
AS_CHAINS = 3
"""The number of domains over which both trees are chains, as a ring is."""


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """Return the one stage of an all-reduce, up the trees and down again, or of a broadcast, down alone; else None.

    Each tree carries half of the message. An inner domain of one tree is a leaf of the other: in an all-reduce a domain
    sends to two parents and two children, which is twice the message over its rails (once if there are two domains),
    and in a broadcast to two children (one if there are two domains). The NIC serves both trees in turn, as RDMA NICs
    serve their queue pairs (RdmaEgressQueue::GetNextQindex in qbb-net-device.cc of
    github.com/alibaba-edu/High-Precision-Congestion-Control), and a connection of NCCL holds eight pieces (NCCL_STEPS,
    src/include/device.h): no domain sends all that goes up one tree before it passes on what goes up the other.
    A broadcast over three domains is left to rings: one of them has a child in each tree, and waits for the second.
    None is returned as well if ranks do not reach their domain.
    """
    passes = {"all-reduce": 2, "broadcast": 1}.get(collective)
    if passes is None or not team.reaches_its_domain or (passes == 1 and team.domains == AS_CHAINS):
        return None
    inside, scale_up = passes * (team.ranks_per_domain - 1), float(passes) if team.ranks_per_domain > 1 else 0.0
    if team.domains == 1:
        return [CollectiveStage(0, inside, scale_up_bytes=scale_up, beyond=team.tiers.of_ring, flow=True)]
    turn = find_turn(team.domains) if passes == 2 else None
    # half of the message on each edge
    sent_by_domain = (turn.edges if turn else min(team.domains - 1, 2)) / 2
    across, tree_us = passes * find_tree_depth(team.domains), np.array([passes * team.tree_us])
    sent_on_rail, beyond = sent_by_domain / team.rails, team.tiers.of_ring
    return [CollectiveStage(across, inside, sent_on_rail, scale_up, beyond, team.tree, tree_us, flow=True, turn=turn)]
