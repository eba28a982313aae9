"""The language of one fabric: its tiers, what attaches to them, and what differs from the cluster's defaults."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from fabricgen.blueprint.scalars import Line, LinksOf, Name, NicModeOf, Ratio, Speed

DIMENSIONS = ("site", "pod", "su", "rack", "rail", "plane", "port")
"""What a tier may be grouped by, besides the tiers below it."""

TIER_LEVELS = {"tor": 1, "leaf": 1, "agg": 2, "spine": 2, "core": 3, "superspine": 3, "super-spine": 3}
"""Where the usual tiers stand; another name says which tier it is `above`."""


class Model(BaseModel):
    """A part of the language: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=False)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _prefix(text: str) -> str:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError as error:
        try:
            start = ipaddress.IPv4Interface(text).network
        except ValueError:
            raise ValueError(f"'{text}' is not an IPv4 prefix such as 10.0.0.0/16") from error
        raise ValueError(f"'{text}' has host bits set; the prefix is {start}") from error
    return str(network)


_PREFIX_SCHEMA = {"type": "string", "pattern": r"^\d+\.\d+\.\d+\.\d+/\d+$", "examples": ["10.0.0.0/16"]}
Prefix = Annotated[str, AfterValidator(_prefix), WithJsonSchema(_PREFIX_SCHEMA)]
Prefixes = Annotated[
    tuple[Prefix, ...],
    BeforeValidator(_as_list),
    Field(min_length=1),
    WithJsonSchema({"oneOf": [_PREFIX_SCHEMA, {"type": "array", "items": _PREFIX_SCHEMA, "minItems": 1}]}),
]


class Pools(Model):
    """Where addresses come from; each a prefix or a list of prefixes."""

    loopback: Prefixes | None = Field(None, description="Router ids: a /32 for each routed switch.")
    fabric: Prefixes | None = Field(None, description="Links between switches: a /31 each.")
    hosts: Prefixes | None = Field(None, description="Links to nodes: a /31 each, or a subnet a leaf.")
    management: Prefixes | None = Field(None, description="Switch management ports and BMCs.")


class AsnPlan(Model):
    """Autonomous system numbers."""

    pool: str = Field(
        "4200000000-4200999999",
        pattern=r"^\d+-\d+$",
        description="First and last number, for example 4200000000-4200099999.",
    )
    plan: Literal["rfc7938", "per-switch"] = Field(
        "rfc7938",
        description="rfc7938: the switches of a group above the leaves share one, every leaf has its own.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> AsnPlan:
        first, last = self.range
        if not 1 <= first <= last <= 4294967294:
            raise ValueError(f"asn pool {self.pool} must run upwards within 1-4294967294")
        return self

    @property
    def range(self) -> tuple[int, int]:
        """First and last number of the pool."""
        first, last = self.pool.split("-")
        return int(first), int(last)


class Routing(Model):
    """How the switches of Ethernet fabrics route."""

    underlay: Literal["ebgp-numbered", "ebgp-unnumbered", "static", "none"] | None = Field(
        None,
        description="eBGP with a /31 on each link or over IPv6 link-local (RFC 5549); static: a /31 on each link, "
        "default routes up and exact routes down; none: links between switches stay bare, for a controller. "
        "Default: ebgp-numbered.",
    )
    asn: AsnPlan | None = Field(None, description="AS numbers of the switches.")
    bfd: bool | None = Field(None, description="Bidirectional forwarding detection on the sessions. Default: no.")


class Qos(Model):
    """Lossless Ethernet: which traffic is RoCE, and when it is marked and paused."""

    profile: Literal["roce-lossless", "best-effort"] | None = Field(
        None, description="Default: roce-lossless in RoCE fabrics, best-effort elsewhere."
    )
    roce_dscp: int | None = Field(None, ge=0, le=63, description="DSCP of RoCE data. Default: 26.")
    cnp_dscp: int | None = Field(None, ge=0, le=63, description="DSCP of congestion notifications. Default: 48.")
    ecn_min_kb: int | None = Field(None, gt=0, description="Marking starts at this queue length, kB.")
    ecn_max_kb: int | None = Field(None, gt=0, description="Everything is marked from this queue length, kB.")

    @model_validator(mode="after")
    def _thresholds(self) -> Qos:
        if self.ecn_min_kb and self.ecn_max_kb and self.ecn_min_kb >= self.ecn_max_kb:
            raise ValueError(f"ecn_min_kb {self.ecn_min_kb} must be below ecn_max_kb {self.ecn_max_kb}")
        return self


NosOf = Annotated[
    dict[Name, str],
    BeforeValidator(lambda value: {"all": value} if isinstance(value, str) else value),
    WithJsonSchema({"type": ["string", "object"], "additionalProperties": {"type": "string"}}),
]
"""Tier -> network operating system; one word for all tiers."""


class Tier(Model):
    """A tier: identical switches, so many per group; a group for each value of `per`."""

    switch: str = Field(description="Switch profile, for example sn5600.")
    per: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_list),
        WithJsonSchema(
            {
                "description": "Dimensions that each have switches of their own; none: one group for the fabric.",
                "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                "examples": [["su", "rail"], "rack", []],
            }
        ),
    ] = ()
    count: int | None = Field(None, gt=0, le=4096, description="Switches in a group. Default: derived.")
    uplinks: LinksOf | None = Field(None, description="Links of each switch to the tier above. Default: derived.")
    breakout: NicModeOf | None = Field(None, description="How downlink cages are split, e.g. 2x400. Default: finest.")
    oversubscription: Ratio | None = Field(None, description="Downlink : uplink bandwidth allowed here.")
    above: Name | None = Field(None, description="The tier below; needed only for unusual tier names.")


class Extra(Model):
    """Devices beside the nodes of the scalable units: UFM, management servers, storage, firewalls."""

    device: str = Field(description="Node profile, for example ufm.")
    count: int = Field(1, gt=0, le=4096, description="How many.")
    ports: int | None = Field(None, gt=0, description="Ports of each that attach here. Default: all of the role.")
    to: Name | None = Field(None, description="Tier they attach to. Default: the lowest.")
    attach: Name | None = Field(None, description="Their NIC role. Default: as the fabric's nodes, or the only one.")


class Fabric(Model):
    """One network of the cluster."""

    protocol: Literal["infiniband", "roce", "ethernet"] = Field(
        description="roce: lossless Ethernet, routed hosts; ethernet: bridged hosts; infiniband: a subnet manager."
    )
    attach: Name | None = Field(None, description="NIC role of the nodes that attach. Default: the fabric's name.")
    also: Annotated[
        tuple[Literal["switches"], ...],
        BeforeValidator(_as_list),
        WithJsonSchema(
            {
                "description": "What else attaches: the management ports of all other switches.",
                "enum": ["switches"],
            }
        ),
    ] = ()
    planes: int = Field(1, ge=1, le=8, description="Parallel disjoint copies; each NIC port is split over them.")
    nic: NicModeOf | None = Field(None, description="How a NIC port is run, e.g. 2x400. Default: from planes.")
    speed: Speed | None = Field(None, description="Speed of node links. Default: the NIC's fastest that fits.")
    oversubscription: Ratio | None = Field(None, description='Downlink : uplink bandwidth. Default: "1:1".')
    hosts: Literal["routed", "bridged", "none"] | None = Field(
        None,
        description="routed: a /31 per NIC; bridged: a subnet per leaf. Default: routed for RoCE, else bridged.",
    )
    tiers: dict[Name, Tier] = Field(min_length=1, description="The switch tiers by name: leaf, spine, core.")
    extra: dict[Name, Extra] = Field(default_factory=dict, description="Devices beside the nodes, by name.")
    routing: Routing = Field(default_factory=Routing, description="Overrides the cluster's routing.")
    pools: Pools = Field(default_factory=Pools, description="Pools of this fabric's own.")
    qos: Qos = Field(default_factory=Qos, description="Overrides the cluster's QoS.")
    nos: NosOf = Field(default_factory=dict, description="Overrides the cluster's NOS, by tier.")
    description: Line = Field("", description="For people.")
