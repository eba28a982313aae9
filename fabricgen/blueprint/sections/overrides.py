"""The language of single devices: numbers that they have instead of those they would be given."""

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, as_list
from fabricgen.blueprint.sections.asn import Asn
from fabricgen.models import forms
from fabricgen.models.forms import one_or_list, text_form


def parse_address(text: str) -> str:
    """An address in its usual spelling; IPv6 as RFC 5952 has it. Raises ValueError, in the user's terms."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"'{text}' is not an address such as 10.0.0.1 or fd00::1, without a prefix length") from None
    if "%" in text:
        raise ValueError(f"'{text}' names an interface after '%'; state the address alone")
    bad = address.is_multicast or address.is_loopback or address.is_unspecified or address.is_link_local
    if bad or address.is_reserved or (address.version == 4 and int(address) >> 24 == 0):
        raise ValueError(f"{address} is reserved and cannot be the address of a device (RFC 6890)")
    return str(address)


def _one_a_family(addresses: tuple[str, ...]) -> tuple[str, ...]:
    if len({":" in address for address in addresses}) < len(addresses):
        raise ValueError(f"{' and '.join(addresses)} are of one family; state one IPv4 and one IPv6 address at most")
    return addresses


_ADDRESS_SCHEMA = text_form(
    rf"^(?:{forms.IPV4}|{forms.IPV6})$", "an address such as 10.0.0.1 or fd00::1", "10.0.0.1", "fd00::1"
)
Address = Annotated[str, AfterValidator(parse_address), WithJsonSchema(_ADDRESS_SCHEMA)]
"""An address of a single device."""

Addresses = Annotated[
    tuple[Address, ...],
    BeforeValidator(as_list),
    Field(min_length=1, max_length=2),
    AfterValidator(_one_a_family),
    WithJsonSchema(
        {"description": "An address, or one of each family.", **one_or_list(_ADDRESS_SCHEMA, minItems=1, maxItems=2)}
    ),
]
"""An address of a single device, or one of each family."""


class Override(Model):
    """What a single device has instead of what it would be given; all else follows from it.

    Addresses are IPv4 or IPv6, or a list with one of each; the family that is not stated stays as it is.
    """

    asn: Asn | None = Field(None, description="AS number of a switch.")
    loopback: Addresses | None = Field(
        None, description="Loopbacks of a switch, the IPv4 one is its router id; they need not lie in a pool."
    )
    management: Addresses | None = Field(
        None,
        validation_alias=AliasChoices("management", "mgmt"),
        description="Management addresses, in the subnets where it is managed.",
    )
    links: dict[str, Addresses] = Field(
        default_factory=dict,
        description="Addresses by port: of a link between switches, whose far end takes the other address of the /31 "
        "or /127, or of a bridged node in its subnet.",
    )
