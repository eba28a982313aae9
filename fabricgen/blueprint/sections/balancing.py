"""The language of load balancing: how the switches of a fabric choose among equal paths."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Name

Mode = Literal["hash", "dynamic", "spray", "cluster"]

FLOW_AGING_S = 30
"""After how long a silent flow is forgotten, seconds: a starting value of ours, above a pause between collectives."""

Seed = Annotated[int, Field(ge=0, le=(1 << 32) - 1, description="A seed of the hash, 0 to 4294967295.")]


class LoadBalance(Model):
    """How the switches choose among equal paths, and by what they hash."""

    mode: Mode = Field(
        "hash",
        description="hash: each flow keeps its path; dynamic: flows move to links with less load; spray: every packet "
        "takes the link with the least load, so that NICs have to put packets in order; cluster: the leaf deals the "
        "flows of its hosts over the uplinks in turn (EOS).",
    )
    queue_pairs: bool = Field(
        False,
        description="Hash RoCE by its destination queue pair, too, beside addresses, protocol and ports. Default: no.",
    )
    seeds: Literal["auto"] | Annotated[dict[Name, Seed], Field(min_length=1)] | None = Field(
        None,
        description="What the hash of each tier begins with. auto: another for each tier, so that no tier repeats the "
        "choice of the one below; or numbers by tier. Default: that of the NOS.",
    )
    flow_aging_s: int = Field(
        FLOW_AGING_S,
        ge=1,
        le=2_147_483,
        description="cluster: after how many seconds without a packet a flow is forgotten.",
    )

    @property
    def by_load(self) -> bool:
        """Whether the load of links counts."""
        return self.mode in ("dynamic", "spray")
