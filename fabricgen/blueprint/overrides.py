"""The language of single devices: numbers that they have instead of those they would be given."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from fabricgen.blueprint.asn import Asn
from fabricgen.blueprint.base import Model


def _address(text: str) -> str:
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        raise ValueError(f"'{text}' is not an IPv4 address such as 10.0.0.1, without a prefix length") from None
    bad = address.is_multicast or address.is_loopback or address.is_unspecified or address.is_link_local
    if bad or address.is_reserved or int(address) >> 24 == 0:
        raise ValueError(f"{address} is reserved and cannot be the address of a device (RFC 6890)")
    return str(address)


Address = Annotated[
    str,
    AfterValidator(_address),
    WithJsonSchema({"type": "string", "pattern": r"^\d+\.\d+\.\d+\.\d+$", "examples": ["10.0.0.1"]}),
]
"""An IPv4 address of a single device."""


class Override(Model):
    """What a single device has instead of what it would be given; all else follows from it."""

    asn: Asn | None = Field(None, description="AS number of a switch.")
    loopback: Address | None = Field(None, description="Router id of a switch; it need not lie in a pool.")
    mgmt: Address | None = Field(None, description="Management address, in the subnet where it is managed.")
    links: dict[str, Address] = Field(
        default_factory=dict,
        description="Addresses by port: of a link between switches, whose far end takes the other address of the /31, "
        "or of a bridged node in its subnet.",
    )
