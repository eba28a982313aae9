"""In-switch: the switches of a scale-up domain reduce, and a double binary tree joins the domains (NVLink SHARP: NVLS
and NVLSTree of NCCL 2.17 and 2.18).
"""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.collectives.model import CollectiveStage, Team, find_tree_depth, find_turn

KIND = "in_switch"


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """Every rank sends its message to the switches once and gets the sum; each rail carries its part up and down."""
    if collective != "all-reduce" or team.ranks_per_domain == 1 or not team.in_switch_gbps:
        return None
    # of a first tier its switches pass on one sum
    beyond = team.tiers.of_switch
    if team.domains == 1:
        return [CollectiveStage(0, 1, scale_up_bytes=1.0, beyond=beyond, flow=True, in_switch=True)]
    # each of the two trees carries half of the message
    across, network = 2 * find_tree_depth(team.domains), team.busiest / 2 / team.rails
    far = np.array([2 * team.tree_us])
    return [
        CollectiveStage(
            across, 1, network, 1.0, beyond, team.tree, far, flow=True, in_switch=True, turn=find_turn(team.domains)
        )
    ]
