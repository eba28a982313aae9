"""In-switch: the switches of a scale-up domain reduce, and a double binary tree joins the domains (NVLink SHARP: NVLS
and NVLSTree of NCCL 2.17 and 2.18).
"""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.collectives.model import CollectiveStage, Team, find_tree_depth, find_turn

KIND = "in_switch"


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """Return the one stage of an all-reduce; None for other collectives, or if the domain's switches do not reduce.

    Every rank sends its message to the switches of its domain once and gets the sum. Of several domains, each rail
    carries its part of the sums up a tree and down again.
    """
    if collective != "all-reduce" or team.ranks_per_domain == 1 or not team.in_switch_gbps:
        return None
    # the switches of a first tier pass on one sum for all ranks below them
    beyond = team.tiers.of_switch
    if team.domains == 1:
        return [CollectiveStage(0, 1, scale_up_bytes=1.0, beyond=beyond, flow=True, in_switch=True)]
    # each of the two trees carries half of the message
    across, sent_on_rail = 2 * find_tree_depth(team.domains), team.busiest / 2 / team.rails
    tree_us = np.array([2 * team.tree_us])  # up and down
    return [
        CollectiveStage(
            across,
            1,
            sent_on_rail,
            1.0,
            beyond,
            team.tree,
            tree_us,
            flow=True,
            in_switch=True,
            turn=find_turn(team.domains),
        )
    ]
