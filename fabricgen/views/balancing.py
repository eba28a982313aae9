"""How the switches of a fabric choose among equal paths: what the blueprint states, then defaults.

A switch that hashes like the one below it finds all packets that come up its links in one bucket: it uses few of its
own links (polarisation). Seeds of their own for each tier prevent that. Those of `auto` follow from the level of a tier
alone, so that growth changes none, and are at most 15, which every chip takes (sonic-buildimage,
dockers/docker-orchagent/switch.json.j2: "the range of hash_seed is 0-15").
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.blueprint.sections.balancing import LoadBalance
from fabricgen.blueprint.sections.routing import Routing

_FIRST, _STEP, _RANGE = 3, 5, 16
"""Of the seeds of `auto`: the step has no divisor with the range, so that sixteen levels have sixteen seeds."""


@dataclass(frozen=True, slots=True)
class Balancing:
    """How switches choose among equal paths; `mode` as in the blueprint."""

    mode: str = "hash"
    queue_pairs: bool = False
    seeds: tuple[tuple[str, int], ...] = ()
    """(tier, seed) as stated."""
    own_seeds: bool = False
    """Whether each tier has a seed of its own that nobody stated (`auto`)."""
    flow_aging_s: int = 0

    @property
    def by_load(self) -> bool:
        """Whether the load of links counts."""
        return self.mode in ("dynamic", "spray")

    def seed(self, tier: str, level: int) -> int | None:
        """The seed of a tier with so many tiers below it; None where the NOS's own holds."""
        return (_FIRST + _STEP * level) % _RANGE if self.own_seeds else dict(self.seeds).get(tier)


def stated_balancing(own: Routing, shared: Routing) -> LoadBalance:
    """What a fabric's settings ask, else the cluster's; a word alone is its mode."""
    stated = own.load_balance or shared.load_balance or "hash"
    return LoadBalance.model_construct(mode=stated) if isinstance(stated, str) else stated


def balancing_of(own: Routing, shared: Routing) -> Balancing:
    """How the switches of a fabric choose: its own settings as a whole, else the cluster's."""
    asked = stated_balancing(own, shared)
    return Balancing(
        mode=asked.mode,
        queue_pairs=asked.queue_pairs,
        seeds=tuple(sorted(asked.seeds.items())) if isinstance(asked.seeds, dict) else (),
        own_seeds=asked.seeds == "auto",
        flow_aging_s=asked.flow_aging_s if asked.mode == "cluster" else 0,
    )
