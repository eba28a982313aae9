"""Hierarchical: reduce-scatter in each domain, a ring on each rail, all-gather in each domain (Jia et al., Highly
Scalable Deep Learning Training System with Mixed-Precision, 2018).
"""

from __future__ import annotations

from fabricgen.analyze.collectives.model import CollectiveStage, Team

KIND = "ring"


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """Return the stages of an all-reduce, reduce-scatter or all-gather; None for other collectives.

    Each rank of a domain holds its part of the message while that part goes round its rail. None is returned as well
    if domains do not have a rank for each rail, have a single rank, or cannot be reached, or if there is one domain.
    """
    if (
        team.ranks_per_domain != team.rails
        or team.ranks_per_domain == 1
        or team.domains == 1
        or not team.reaches_its_domain
    ):
        return None
    per_domain, domains = team.ranks_per_domain, team.domains
    inside = CollectiveStage(
        scale_up_steps=per_domain - 1, scale_up_bytes=(per_domain - 1) / per_domain, beyond=team.tiers.of_ring
    )
    # a rank holds one part of the message for each rank of its domain, and sends all of that but one domain's share of
    # it
    sent_on_rail = (domains - 1) / domains / per_domain
    steps = domains - 1
    # an all-reduce goes round the rail twice: to reduce, and to gather
    once = CollectiveStage(steps, 0, sent_on_rail, pattern=team.ring, far_us=team.ring_us)
    twice = CollectiveStage(2 * steps, 0, 2 * sent_on_rail, pattern=team.ring, far_us=team.ring_us)
    return {
        "all-reduce": [inside, twice, inside],
        "reduce-scatter": [inside, once],
        "all-gather": [once, inside],
    }.get(collective)
