"""How the switches of a fabric choose among equal paths: what the blueprint states, then defaults.

A switch that hashes like the one below it finds all packets that come up its links in one bucket: it uses few of its
own links (polarisation). Seeds of their own for each tier prevent that. Those of `auto` follow from the level of a tier
alone, so that growth changes none, and are at most 15, which every chip takes (sonic-buildimage,
dockers/docker-orchagent/switch.json.j2: "the range of hash_seed is 0-15").
"""

from __future__ import annotations

from fabricgen.blueprint.sections.routing import LoadBalance, Routing

_FIRST, _STEP, _RANGE = 3, 5, 16
"""Of the seeds of `auto`: the step has no divisor with the range, so that sixteen levels have sixteen seeds."""


def find_balancing(of_fabric: Routing, of_cluster: Routing) -> LoadBalance:
    """What a fabric's settings ask as a whole, else the cluster's; a word alone is its mode."""
    stated = of_fabric.load_balance or of_cluster.load_balance or "hash"
    return LoadBalance.model_construct(mode=stated) if isinstance(stated, str) else stated


def choose_hash_seed(balancing: LoadBalance, tier: str, level: int) -> int | None:
    """The seed of a tier with so many tiers below it; None where the NOS's own holds."""
    if balancing.seeds == "auto":
        return (_FIRST + _STEP * level) % _RANGE
    return balancing.seeds.get(tier) if balancing.seeds else None
