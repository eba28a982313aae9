"""The language of single cables: what was built instead of what is planned."""

import ipaddress
import re
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, wrap_in_list
from fabricgen.blueprint.scalars import Line
from fabricgen.blueprint.sections.asn import Asn
from fabricgen.models import forms
from fabricgen.models.forms import make_text_form, one_or_list

LONGEST_M = 1_000_000
"""The longest cable that may be stated, m: a thousand kilometres of fibre."""
MAX_NOTE = 200
"""The most characters of a note, and of a remark on a sheet."""

MOST_CABLES = 50_000
"""How many cables may differ from the plan."""

MOST_ENDS = 64
"""Far ends of a splitter at most."""

HIGHEST_NUMBER = 99_999
"""The highest cage that is called by a number alone."""

_PLACE = r"[A-Za-z0-9][A-Za-z0-9_./:-]{0,99}"
_PART = r"[A-Za-z0-9][A-Za-z0-9 _./+()#-]{0,63}"


def _read_place(value: Any) -> Any:
    """Return a cage or port as text: 14 becomes "14". Numbers above `HIGHEST_NUMBER` stay numbers, which are refused
    later.
    """
    return str(value) if type(value) is int and value <= HIGHEST_NUMBER else value


def _check_place(text: str) -> str:
    """Refuse a text that is neither a cage nor a port."""
    if not re.fullmatch(_PLACE, text):
        raise ValueError(f"'{text}' is no cage such as 14, 14.2 or OSFP-3, and no port such as Ethernet104")
    return text


def _check_part(text: str) -> str:
    """Refuse a text that does not look like a part number."""
    if not re.fullmatch(_PART, text):
        raise ValueError(f"'{text}' is no part number: letters, digits and _./+()#- after a first letter or digit")
    return text


_PLACE_FORM = make_text_form(
    rf"^{_PLACE}$",
    "a cage such as 14, the second connector of one such as 14.2, or a port; on another device leaf-02:14",
    "14.2",
    type=["string", "integer"],
    minimum=0,
    maximum=HIGHEST_NUMBER,
)
Place = Annotated[str, BeforeValidator(_read_place), AfterValidator(_check_place), WithJsonSchema(_PLACE_FORM)]
"""Where a cable is plugged in: on its device, or with the name of another one before it."""

Places = Annotated[
    dict[str, Place],
    BeforeValidator(lambda value: value if isinstance(value, dict) else {"": value}),
    Field(min_length=1, max_length=MOST_ENDS),
    WithJsonSchema(
        {
            "description": "A cage or port; of several ends of a splitter each by its planned DEVICE:CAGE.",
            "oneOf": [
                _PLACE_FORM,
                {
                    "type": "object",
                    "additionalProperties": _PLACE_FORM,
                    "minProperties": 1,
                    "maxProperties": MOST_ENDS,
                },
            ],
        }
    ),
]
"""Where the ends of a cable are plugged in, by what is planned; by "" for a single end."""

Part = Annotated[
    str,
    AfterValidator(_check_part),
    WithJsonSchema(make_text_form(rf"^{_PART}$", "a part number as it is ordered", "MCP4Y10-N002")),
]
"""A part number."""


class CableOverride(Model):
    """What a single cable has instead of what is planned; its id and its addresses stay as planned."""

    length_m: float | None = Field(None, gt=0, le=LONGEST_M, description="Length as built, m; any, stocked or not.")
    medium: str | None = Field(
        None,
        min_length=1,
        max_length=64,
        description="A medium such as AOC, or a cable profile. Default: as planned, whatever the length.",
    )
    part: Part | None = Field(None, description="The part that was laid. Default: that of the medium and length.")
    a_cage: Places | None = Field(
        None,
        description="Cage or port of the a end on its device, or DEVICE:CAGE of another of its kind; of a splitter by "
        "planned DEVICE:CAGE.",
    )
    b_cage: Places | None = Field(None, description="Likewise of the b end.")
    note: Line = Field("", description="For people.")


CableOverrides = Annotated[dict[str, CableOverride], Field(max_length=MOST_CABLES)]
"""What single cables have of their own, by cable id."""


# The language of single devices: numbers that they have instead of those they would be given.


def parse_address(text: str) -> str:
    """Return an address in its usual spelling, for IPv6 that of RFC 5952. Raises ValueError, in the user's terms,
    for anything else and for addresses that no device can have.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"'{text}' is not an address such as 10.0.0.1 or fd00::1, without a prefix length") from None
    if "%" in text:
        raise ValueError(f"'{text}' names an interface after '%'; state the address alone")
    bad = address.is_multicast or address.is_loopback or address.is_unspecified or address.is_link_local
    # 0.0.0.0/8 is "this network" (RFC 1122), which `ipaddress` counts among private ones
    if bad or address.is_reserved or (address.version == 4 and int(address) >> 24 == 0):
        raise ValueError(f"{address} is reserved and cannot be the address of a device (RFC 6890)")
    return str(address)


def check_one_per_family(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse two addresses of one family."""
    if len({":" in address for address in addresses}) < len(addresses):
        raise ValueError(f"{' and '.join(addresses)} are of one family; state one IPv4 and one IPv6 address at most")
    return addresses


_ADDRESS_SCHEMA = make_text_form(
    rf"^(?:{forms.IPV4}|{forms.IPV6})$", "an address such as 10.0.0.1 or fd00::1", "10.0.0.1", "fd00::1"
)
Address = Annotated[str, AfterValidator(parse_address), WithJsonSchema(_ADDRESS_SCHEMA)]
"""An address of a single device."""

Addresses = Annotated[
    tuple[Address, ...],
    BeforeValidator(wrap_in_list),
    Field(min_length=1, max_length=2),
    AfterValidator(check_one_per_family),
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
