"""The language of expected figures: what the author of a blueprint believes of it."""

from typing import Annotated

from pydantic import Field

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.bounds import BoundOf, Collective, Pattern, ShareBoundOf, Size
from fabricgen.blueprint.scalars import Ratio

Count = Annotated[int, Field(ge=0)]

_BY_TIER = "by tier ({leaf: 32}), by fabric ({compute: 48}) or by both ({compute: {leaf: 32}})"
_BY_PAIR = "in all, by fabric, or as summary.json has them ({compute: {node-leaf: 1024}})"
_OF_FABRICS = "of every fabric{which}, or by fabric ({{compute: {example}}})."
_JOINING = " that joins accelerators"

OF_THE_PLAN = ("hops", "paths", "latency_us", "slowdown", "busbw_gbytes")
"""What the wired plan is needed for."""


class Expect(Model):
    """Figures that the author expects, as `show` and `analyze` have them. Where one is not so, nothing is built."""

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
    bisection_gbps_per_accelerator: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="What each accelerator of one half can send to the other half at once, Gb/s, "
        + _OF_FABRICS.format(which=_JOINING, example=400),
    )
    left_after_switch: ShareBoundOf | dict[str, ShareBoundOf] | None = Field(
        None,
        description="Share of the bisection that is left after the loss of any one switch, of whatever tier, "
        + _OF_FABRICS.format(which=" that is not for management", example="93.75%"),
    )
    hops: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="Switches on a shortest path between the accelerators that are farthest apart, "
        + _OF_FABRICS.format(which=_JOINING, example=3),
    )
    paths: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="Fewest equal shortest paths between accelerators that share no leaf, "
        + _OF_FABRICS.format(which=_JOINING, example=64),
    )
    latency_us: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="Latency of switches and cables between the accelerators that are farthest apart, one way, us, "
        + _OF_FABRICS.format(which=_JOINING, example='"<= 1"'),
    )
    slowdown: dict[Pattern, BoundOf] | None = Field(
        None,
        description="Times that crowded uplinks make a pattern of traffic between all accelerators slower than their "
        'ports, 1 where nothing is crowded ({ring: 1, everyone: "<= 2"}).',
    )
    busbw_gbytes: dict[Collective, dict[Size, BoundOf]] | None = Field(
        None,
        description="Bus bandwidth of collectives of all accelerators by size of message, GB/s as nccl-tests has it "
        '({all-reduce: {8G: ">= 380"}}).',
    )

    @property
    def needs_the_plan(self) -> bool:
        """Whether a figure is expected that only the wired plan has."""
        return not self.model_fields_set.isdisjoint(OF_THE_PLAN)
