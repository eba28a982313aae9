"""The language of ways out: routed links of border switches to providers, firewalls and other fabrics."""

import ipaddress
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, wrap_in_list
from fabricgen.blueprint.scalars import Line, Name
from fabricgen.blueprint.sections.asn import Asn
from fabricgen.blueprint.sections.cable_overrides import Addresses, check_one_per_family, parse_address
from fabricgen.blueprint.sections.routing import Bfd, Prefixes, parse_prefix
from fabricgen.blueprint.sections.secret import Secret
from fabricgen.models import forms
from fabricgen.models.forms import make_text_form, one_or_list

EXIT_HOLD_S = 30
"""Hold time of sessions to the outside, s: routers of others are not asked for nine."""
HALF = 16
"""Bits of each half of a community (RFC 1997)."""


def _read_interface(text: str) -> str:
    """Return an address with the length of its subnet, in its usual spelling. Raises ValueError for anything else."""
    address, slash, length = text.partition("/")
    bits = 128 if ":" in address else 32
    if not slash or not length.isdecimal() or not 8 <= int(length) < bits:
        raise ValueError(f"'{text}' is not an address with its prefix length, such as 192.0.2.1/31")
    return f"{parse_address(address)}/{int(length)}"


_INTERFACE_SCHEMA = make_text_form(
    rf"^(?:{forms.IPV4}/(?=\d{{1,2}}$)0*(?:3[01]|[12]\d|[89])|{forms.IPV6}/(?=\d{{1,3}}$)0*(?:12[0-7]|1[01]\d|[1-9]\d|[89]))$",
    "an address with its prefix length, such as 192.0.2.1/31 or 2001:db8::1/127",
    "192.0.2.1/31",
    "2001:db8::1/127",
)


Interfaces = Annotated[
    tuple[Annotated[str, AfterValidator(_read_interface), WithJsonSchema(_INTERFACE_SCHEMA)], ...],
    BeforeValidator(wrap_in_list),
    Field(min_length=1, max_length=2),
    AfterValidator(check_one_per_family),
    WithJsonSchema(
        {
            "description": "An address with its prefix length, or one of each family.",
            **one_or_list(_INTERFACE_SCHEMA, minItems=1, maxItems=2),
        }
    ),
]
"""The address of one end of a link with its prefix length, or one of each family."""


def parse_accepted(text: str) -> tuple[str, int]:
    """Return the prefix, in its usual spelling, and the longest accepted length within it, of a text such as
    `203.0.113.0/24 le 28`. Raises ValueError for anything else.
    """
    prefix, word, longest = (*text.split(), "", "")[:3]
    network = ipaddress.ip_network(parse_prefix(prefix))
    longest_length = int(longest) if longest.isdecimal() else network.prefixlen
    if len(text.split()) not in (1, 3) or word not in ("", "le") or (word and not longest.isdecimal()):
        raise ValueError(f"'{text}' is not a prefix such as 203.0.113.0/24, or `203.0.113.0/24 le 28`")
    if not network.prefixlen <= longest_length <= network.max_prefixlen:
        raise ValueError(f"'{text}': lengths within it are {network.prefixlen} to {network.max_prefixlen}")
    return str(network), longest_length


def _read_accepted(text: str) -> str:
    """Return an accepted prefix in its usual spelling; `le` is left out if only the prefix itself is meant.

    Raises ValueError for text of another form.
    """
    prefix, longest = parse_accepted(text)
    return prefix if longest == ipaddress.ip_network(prefix).prefixlen else f"{prefix} le {longest}"


_ACCEPTED_SCHEMA = make_text_form(
    rf"^\s*(?:{forms.PREFIX})(?:\s+le\s+\d{{1,3}})?\s*$",
    "a prefix, or one with the longest length within it: 203.0.113.0/24 le 28",
    "203.0.113.0/24",
    "203.0.113.0/24 le 28",
)
Accepted = Annotated[
    tuple[Annotated[str, AfterValidator(_read_accepted), WithJsonSchema(_ACCEPTED_SCHEMA)], ...],
    BeforeValidator(wrap_in_list),
    WithJsonSchema(one_or_list(_ACCEPTED_SCHEMA)),
]


def _read_community(text: str) -> str:
    """Return a community of two numbers of 16 bits, without leading zeros. Raises ValueError for anything else."""
    halves = text.split(":")
    if len(halves) != 2 or any(not half.isdecimal() or int(half) >> HALF for half in halves):
        raise ValueError(f"'{text}' is not a community such as 64496:100, two numbers of up to 65535 (RFC 1997)")
    return ":".join(str(int(half)) for half in halves)


_COMMUNITY_SCHEMA = make_text_form(r"^\d{1,5}:\d{1,5}$", "a community such as 64496:100 (RFC 1997)", "64496:100")
Communities = Annotated[
    tuple[Annotated[str, AfterValidator(_read_community), WithJsonSchema(_COMMUNITY_SCHEMA)], ...],
    BeforeValidator(wrap_in_list),
    WithJsonSchema(one_or_list(_COMMUNITY_SCHEMA)),
]


class ExitLink(Model):
    """The addresses of one link to a far device, as its owner gives them."""

    own: Interfaces = Field(description="The switch's address with prefix length, or one of each family.")
    far: Addresses | None = Field(
        None, description="The far device's. Default: the other one of a /31, /30, /127 or /126."
    )


class ExitDevice(Model):
    """What differs at one far device."""

    asn: Asn | None = Field(None, description="Its AS number. Default: that of the exit.")
    password: Secret | None = Field(None, description="Of its sessions (TCP MD5). Default: that of the exit.")
    loopback: Addresses | None = Field(
        None,
        description="Its loopbacks: one session of several hops to each, over static routes, instead of one a link.",
    )
    links: dict[Line, ExitLink] = Field(
        default_factory=dict,
        description="Addresses of its links, by its port as links.csv names it. Default: a /31 or /127 of the pool "
        "`fabric`.",
    )


class Exit(Model):
    """A way out of a fabric: its links to the devices of an `extra` are routed ports of their switches."""

    to: Name = Field(description="The extra devices of the fabric that the links lead to; a tenant's: in its VRF.")
    routing: Literal["ebgp", "static"] = Field(
        "ebgp", description="ebgp: a session on each link and family; static: routes to the far addresses."
    )
    asn: Asn | None = Field(None, description="AS number of the far devices; needed for eBGP.")
    local_as: Asn | None = Field(None, description="AS number that is shown to them. Default: that of the switch.")
    password: Secret | None = Field(
        None, description="Of the sessions (TCP MD5), by reference: env:FABRICGEN_NAME or file:PATH. Default: none."
    )
    devices: dict[Name, ExitDevice] = Field(
        default_factory=dict, description="What differs at single far devices, by name."
    )
    default: bool = Field(
        True,
        description="Whether it is a way to everywhere: the far device's default route is taken (ebgp) or made "
        "(static), and passed down to all switches.",
    )
    accept: Accepted = Field(
        (), description="Further prefixes that lead this way, e.g. 203.0.113.0/24 or 203.0.113.0/24 le 28."
    )
    announce: Prefixes | None = Field(
        None, description="Prefixes of yours that are announced to them, as aggregates. Default: none."
    )
    max_prefixes: int | None = Field(
        None,
        ge=1,
        le=4_000_000,
        description="Prefixes that they may announce before a session is closed. Default: that of the fabric.",
    )
    communities: Communities = Field((), description="Set on what is announced to them, e.g. 64496:100.")
    prefer: Literal["primary", "backup"] = Field(
        "primary", description="backup: used, and announced, only while no primary exit leads there."
    )
    bfd: bool | Bfd | None = Field(None, description="BFD on its sessions: yes, or its timers. Default: no.")
