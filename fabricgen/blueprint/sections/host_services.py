"""The language of what a leaf does for its hosts: DHCP relay, router advertisements, guards of their ports."""

import ipaddress
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.sections.management import ServerAddresses
from fabricgen.models import forms
from fabricgen.models.forms import make_text_form, one_or_list

MOST_STORM_PERCENT = 10
"""More of a host port than any broadcast needs; SONiC counts no more than 100 Gb/s (sonic-storm-control.yang)."""

MAX_ADVERTISEMENT_S = 600
"""Default of MaxRtrAdvInterval (RFC 4861, 6.2.1): that of FRR and NVUE, too."""


def _check_v6(servers: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse IPv4 addresses among resolvers that router advertisements name."""
    if wrong := next((server for server in servers if ipaddress.ip_address(server).version == 4), ""):
        raise ValueError(
            f"{wrong} is no IPv6 address; router advertisements name resolvers by IPv6 addresses (RFC 8106)"
        )
    return servers


def _check_decimals(percent: float) -> float:
    """Refuse finer shares than hundredths of a percent, which no NOS takes."""
    if round(percent * 100) != percent * 100:
        raise ValueError(f"{percent} has more than two decimals")
    return percent


V6Resolvers = Annotated[
    ServerAddresses,
    AfterValidator(_check_v6),
    WithJsonSchema(one_or_list(make_text_form(f"^{forms.IPV6}$", "an IPv6 address", "fd00::53"), maxItems=8)),
]
CircuitForm = Annotated[str, Field(pattern=forms.CIRCUIT_ID, max_length=100)]
"""What a circuit id may name: the switch, its port as its NOS and as SONiC's port table call it, and the VLAN."""


def _check_circuit_form(form: str) -> str:
    """Refuse circuit ids that do not tell ports apart."""
    if "{port}" not in form and "{alias}" not in form:
        raise ValueError(f"'{form}' is the same at every port; name the port by {{port}} or {{alias}}")
    return form


Percent = Annotated[float, Field(ge=0, le=MOST_STORM_PERCENT), AfterValidator(_check_decimals)]


class Dhcp(Model):
    """DHCP relay at the gateways of a fabric's hosts."""

    servers: ServerAddresses = Field(
        min_length=1,
        description="DHCP servers by address: IPv4 ones get DHCP, IPv6 ones DHCPv6, each all requests.",
        json_schema_extra={"not": {"const": []}},
    )
    option_82: bool = Field(
        True,
        description="Whether requests say on which switch and port they came in (RFC 3046). SONiC always says so.",
    )
    circuit_id: Annotated[CircuitForm, AfterValidator(_check_circuit_form)] | None = Field(
        None,
        description="How the switches spell that port, for the reservations of DHCP servers, in the fields {switch}, "
        '{port}, {alias} and {vlan}, e.g. "{switch}:{port}". Default: as their NOS does.',
        json_schema_extra={"not": {"type": "string", "not": {"pattern": r"\{(port|alias)\}"}}},
    )


def _check_lifetime(seconds: int) -> int:
    """Raise ValueError unless it is 0, or at least the longest interval between two advertisements (RFC 4861, 6.2.1).

    FRR refuses less.
    """
    if 0 < seconds < MAX_ADVERTISEMENT_S:
        raise ValueError(
            f"{seconds} s end before the next advertisement may come: 0, or {MAX_ADVERTISEMENT_S} and more"
        )
    return seconds


class Advertisements(Model):
    """IPv6 router advertisements of gateways (RFC 4861)."""

    managed: bool | None = Field(
        None, description="Hosts ask DHCPv6 for addresses. Default: where `dhcp` has an IPv6 server."
    )
    other: bool = Field(False, description="Hosts ask DHCPv6 for all else.")
    autoconfig: bool = Field(False, description="Hosts make addresses of the prefix themselves (RFC 4862).")
    lifetime_s: Annotated[int, AfterValidator(_check_lifetime)] = Field(
        1800,
        ge=0,
        le=9000,
        description="How long hosts keep the gateway as default router, s; 0: it is none.",
        json_schema_extra={"not": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": MAX_ADVERTISEMENT_S}},
    )
    resolvers: V6Resolvers = Field((), description="DNS resolvers that are advertised (RFC 8106).")


class StormControl(Model):
    """How much of a host port's speed may come in flooded, percent; the rest is dropped."""

    broadcast: Percent | None = Field(None, description="Broadcasts, percent. Default: no limit.")
    multicast: Percent | None = Field(None, description="Multicasts, percent. Default: no limit.")
    unknown_unicast: Percent | None = Field(
        None, description="Unicasts of unknown addresses, percent. Default: no limit."
    )


class Access(Model):
    """What the ports of bridged hosts refuse."""

    storm_control: StormControl = Field(
        default_factory=StormControl.model_construct, description="Limits of what is flooded."
    )
    bpdu_guard: bool | None = Field(
        None,
        description="A port that receives spanning tree's packets is taken down. Default: where the NOS runs spanning "
        "tree.",
    )
    dhcp_guard: bool = Field(False, description="What DHCP servers send is dropped: no host is one.")
    ra_guard: bool = Field(False, description="Router advertisements of hosts are dropped (RFC 6105).")


def _read_advertisements(value: Any) -> Any:
    """Return `true` as a map without keys, which has all the usual values."""
    return {} if value is True else value


class _TruthAlone:
    """Lets the schema take true or false where a map may stand."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        truth = {"type": "boolean", "description": "Whether gateways advertise themselves, as by default."}
        return {"anyOf": [truth, handler(core)], "examples": [True, {"managed": True}]}


AdvertisementsOf = Annotated[Advertisements | bool, BeforeValidator(_read_advertisements), _TruthAlone()]
"""`true` for the defaults, `false` for none."""
