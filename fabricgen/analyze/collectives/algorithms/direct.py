"""Direct: every rank sends each other one its part at once, as an all-to-all of NCCL's send and receive does."""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.collectives.model import CollectiveStage, Team

KIND = "ring"


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """Return the one stage of an all-to-all; None for other collectives.

    Parts for other domains leave by a rank's own NIC. If rails are networks of their own, parts first cross the domain
    to the rank of their rail. None is returned as well if ranks do not reach their domain.
    """
    if collective != "all-to-all" or not team.reaches_its_domain:
        return None
    # fractions of a rank's message that are for its own domain, and for other domains
    local, remote = (team.ranks_per_domain - 1) / team.ranks, (team.ranks - team.ranks_per_domain) / team.ranks
    detour = team.rails_are_apart and team.ranks_per_domain > 1
    # all traffic for other domains but that of the rank's own rail crosses the domain first
    inside = local + (remote * (team.ranks_per_domain - 1) / team.ranks_per_domain if detour else 0.0)
    farthest = team.beyond_us[min(team.everyone.level, len(team.beyond_us) - 1)] if remote else 0.0
    return [
        CollectiveStage(
            int(remote > 0),
            int(inside > 0) + int(detour),
            remote,
            inside,
            team.tiers.of_all,
            team.everyone,
            np.array([farthest]),
            flow=True,
        )
    ]
