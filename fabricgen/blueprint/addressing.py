"""The language of addresses: families, prefixes and pools."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, as_list

Ip = Literal["v4", "v6", "dual"]
"""Address families of a fabric: IPv4, IPv6, or both on every interface."""


def _prefix(text: str) -> str:
    """A prefix in its usual spelling; IPv6 as RFC 5952 has it."""
    if "%" in text:
        raise ValueError(f"'{text}' names an interface after '%'; a pool is a prefix alone")
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        try:
            start = ipaddress.ip_interface(text).network
        except ValueError:
            raise ValueError(f"'{text}' is not a prefix such as 10.0.0.0/16 or fd00:10::/48") from error
        raise ValueError(f"'{text}' has host bits set; the prefix is {start}") from error
    return str(network)


_PREFIX_SCHEMA = {
    "type": "string",
    "pattern": r"^(\d+\.\d+\.\d+\.\d+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)/\d+$",
    "examples": ["10.0.0.0/16", "fd00:10::/48"],
}
Prefix = Annotated[str, AfterValidator(_prefix), WithJsonSchema(_PREFIX_SCHEMA)]
Prefixes = Annotated[
    tuple[Prefix, ...],
    BeforeValidator(as_list),
    Field(min_length=1),
    WithJsonSchema({"oneOf": [_PREFIX_SCHEMA, {"type": "array", "items": _PREFIX_SCHEMA, "minItems": 1}]}),
]


class Pools(Model):
    """Where addresses come from: each a prefix or a list of prefixes, IPv4 and IPv6 in any order.

    A fabric takes those of its families (`ip`). Where it states none of a family the cluster's hold, and where that
    states none either the defaults do: private space (RFC 1918), and for IPv6 unique local addresses (RFC 4193) that
    are alike in every cluster; state others where clusters meet.
    """

    loopback: Prefixes | None = Field(
        None,
        description="Loopbacks: a /32 or /128 for each routed switch. IPv4 ones are router ids, of IPv6-only switches "
        "too. Default: 10.0.0.0/12, fd00:fab::/48.",
    )
    fabric: Prefixes | None = Field(
        None,
        description="Links between switches: a /31 or /127 each. Default: 10.64.0.0/10, fd00:fab:2::/48.",
    )
    hosts: Prefixes | None = Field(
        None,
        description="Links to nodes: a /31 or /127 each, or subnets of a leaf (a /64 each in IPv6). Default: "
        "10.128.0.0/9, fd00:fab:100::/40.",
    )
    management: Prefixes | None = Field(
        None, description="Switch management ports and BMCs. Default: 10.16.0.0/12, fd00:fab:1::/48."
    )
