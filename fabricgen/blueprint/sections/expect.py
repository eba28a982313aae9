"""The language of expected figures: what the author of a blueprint believes of it."""

from typing import Annotated

from pydantic import Field

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Ratio

Count = Annotated[int, Field(ge=0)]

_BY_TIER = "by tier ({leaf: 32}), by fabric ({compute: 48}) or by both ({compute: {leaf: 32}})"
_BY_PAIR = "in all, by fabric, or as summary.json has them ({compute: {node-leaf: 1024}})"


class Expect(Model):
    """Figures that the author expects, as `show` has them. Where one is not so, nothing is built."""

    gpus: Count | None = Field(None, description="Accelerators.")
    nodes: Count | None = Field(None, description="Nodes of the scalable units; extra devices do not count.")
    switches: Count | dict[str, Count | dict[str, Count]] | None = Field(
        None, description=f"Switches, in all, {_BY_TIER}."
    )
    links: Count | dict[str, Count | dict[str, Count]] | None = Field(None, description=f"Links, {_BY_PAIR}.")
    cables: Count | dict[str, Count | dict[str, Count]] | None = Field(None, description=f"Cables, {_BY_PAIR}.")
    oversubscription: dict[str, Ratio | dict[str, Ratio]] | None = Field(
        None,
        description=f"Downlink : uplink bandwidth, {_BY_TIER.replace('32', '1').replace('48', '1')}; "
        "of a fabric from its nodes up to its narrowest point.",
    )
    power_w: float | None = Field(None, ge=0, description="Greatest power of all devices without optics, W.")
