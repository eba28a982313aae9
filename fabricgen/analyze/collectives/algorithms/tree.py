"""Tree: a double binary tree over domains and a chain in each, both ways at once (Sanders, Speck and Träff, Two-tree
algorithms for full bandwidth broadcast, reduction and scan, 2009; NCCL 2.4).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from fabricgen.analyze.collectives.model import Stage, Team, depth

KIND = "tree"


def stages(collective: str, team: Team) -> list[Stage] | None:
    """Up the trees and down again, or down alone; each tree carries half of the message.

    Inner places of one tree are leaves of the other: in an all-reduce a domain sends to two parents and two children,
    which is twice the message over its rails, and once where there are two domains. Over 2^k + 1 domains pieces of the
    two trees wait for each other at one of them, and large messages take some 5 % longer than is told.
    """
    ways = {"all-reduce": 2, "broadcast": 1}.get(collective)
    if ways is None or not team.reaches_its_domain:
        return None
    inside, scale_up = ways * (team.each - 1), float(ways) if team.each > 1 else 0.0
    if team.domains == 1:
        return [Stage(0, inside, scale_up_bytes=scale_up, flow=True)]
    sent = team.busiest / 2 if ways == 2 else max(Counter(parent for _, parent in team.edges).values()) / 2
    across, far = ways * depth(team.domains), np.array([ways * team.tree_us])
    return [Stage(across, inside, sent / team.rails, scale_up, team.tree, far, flow=True)]
