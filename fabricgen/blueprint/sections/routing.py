"""The language of routing, address families and pools."""

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, wrap_in_list
from fabricgen.blueprint.scalars import Name
from fabricgen.blueprint.sections.asn import AsnOrRange, AsnRange
from fabricgen.models import forms
from fabricgen.models.forms import make_text_form, one_or_list

# The language of load balancing: how the switches of a fabric choose among equal paths.

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
        """Whether switches choose among equal paths by the load of links: `dynamic` and `spray`."""
        return self.mode in ("dynamic", "spray")


Ip = Literal["v4", "v6", "dual"]
"""Address families of a fabric: IPv4, IPv6, or both on every interface."""


def parse_prefix(text: str) -> str:
    """Return a prefix in its usual spelling, for IPv6 that of RFC 5952. Raises ValueError, in the user's terms, for
    anything else.
    """
    if "%" in text:
        raise ValueError(f"'{text}' names an interface after '%'; a pool is a prefix alone")
    if not re.search(r"/\d{1,3}$", text, re.ASCII):
        raise ValueError(f"'{text}' is not a prefix such as 10.0.0.0/16 or fd00:10::/48")
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        try:
            start = ipaddress.ip_interface(text).network
        except ValueError:
            raise ValueError(f"'{text}' is not a prefix such as 10.0.0.0/16 or fd00:10::/48") from error
        raise ValueError(f"'{text}' has host bits set; the prefix is {start}") from error
    return str(network)


_PREFIX_SCHEMA = make_text_form(
    rf"^(?:{forms.PREFIX})$",
    "a prefix such as 10.0.0.0/16 or fd00:10::/48",
    "10.0.0.0/16",
    "fd00:10::/48",
)
Prefix = Annotated[str, AfterValidator(parse_prefix), WithJsonSchema(_PREFIX_SCHEMA)]
Prefixes = Annotated[
    tuple[Prefix, ...],
    BeforeValidator(wrap_in_list),
    Field(min_length=1),
    WithJsonSchema(one_or_list(_PREFIX_SCHEMA, minItems=1)),
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
    srv6: Prefixes | None = Field(
        None,
        description="The block that all SRv6 identifiers begin with: one IPv6 prefix as long as `routing.srv6.format` "
        "says. Default: fcbb:bb00::/32.",
    )


class AsnPlan(Model):
    """Autonomous system numbers."""

    pool: AsnRange = Field(
        "4200000000-4200999999",
        description="First and last number, for example 4200000000-4200099999 or, dotted, 65000.1-65000.500.",
    )
    plan: Literal["rfc7938", "per-switch", "per-rack"] = Field(
        "rfc7938",
        description="rfc7938: the switches of a group above the leaves share one, every leaf has its own; per-rack: "
        "so do the leaves of a rack and plane (of the unit, pod or site where a leaf serves more); per-switch: nobody.",
    )
    tiers: dict[Name, AsnOrRange] = Field(
        default_factory=dict,
        description="Numbers by tier: one that all of its switches share, or a range that is dealt as the plan says.",
    )


KEEPALIVE_S, HOLD_S, CONNECT_RETRY_S = 3, 9, 10
"""Session timers, seconds: the `datacenter` profile of FRR (docs.frrouting.org, bgpd: `frr defaults datacenter`)."""


class Bfd(Model):
    """Bidirectional forwarding detection: how soon a silent neighbour is given up."""

    interval_ms: int = Field(300, ge=50, le=60000, description="Between packets sent and expected, ms.")
    multiplier: int = Field(3, ge=3, le=50, description="Packets missed until the session is down.")


class Srv6(Model):
    """Compressed identifiers of SRv6 (NEXT-C-SID, RFC 9800), by which NICs name the switches of a path."""

    format: Literal["f3216", "f4816"] = Field(
        "f3216", description="Bits of the block, and of each identifier behind it: 32 and 16, or 48 and 16."
    )
    links: bool = Field(
        False,
        description="Identifiers for links (uA) beside those of switches (uN), by which paths name each of several "
        "parallel links. Default: no.",
    )

    @property
    def block_bits(self) -> int:
        """Bits of the block, the first two digits of the format."""
        return int(self.format[1:3])


class Routing(Model):
    """How the switches of Ethernet fabrics route."""

    underlay: Literal["ebgp-numbered", "ebgp-unnumbered", "static", "srv6", "none"] | None = Field(
        None,
        description="eBGP with a /31 or /127 on each link or over IPv6 link-local (RFC 5549); static: the "
        "same links, default routes up and exact routes down; srv6: NICs name the switches of each path, which have "
        "routes to their neighbours alone; none: links between switches stay bare, for a controller. Default: "
        "ebgp-numbered.",
    )
    srv6: Srv6 | None = Field(None, description="Identifiers of `underlay: srv6`.")
    asn: AsnPlan | None = Field(None, description="AS numbers of the switches.")
    bfd: bool | Bfd | None = Field(
        None, description="Bidirectional forwarding detection on the sessions: yes, or its timers. Default: no."
    )
    max_prefixes: int | None = Field(
        None,
        ge=0,
        le=4_000_000,
        description="Prefixes that a neighbour may announce before its session is closed; 0: any number. Default: the "
        "next power of two above twice what the fabric can hold, at least 4,096.",
    )
    overlay: Literal["none", "evpn"] | None = Field(
        None,
        description="How VRFs pass from switch to switch. none: over links between switches, each in an 802.1Q "
        "sub-interface with a session of its own; evpn: in VXLAN between the switches with ports in them, by EVPN "
        "routes of type 5 (RFC 9136). Default: none.",
    )
    first_vni: int | None = Field(
        None,
        ge=1,
        le=61_440,
        description="VNI of the first VRF over EVPN; each has one of the 4,095 from here on. Default: 10000.",
    )
    load_balance: Mode | LoadBalance | None = Field(
        None,
        description="Over equal paths. hash: by flow; dynamic: by the load of the links too, where the chip can "
        "(dynamic load balancing, adaptive routing); spray: by packet; cluster: flows in turn (EOS). With more than "
        "the word, a mapping. Default: hash.",
    )
    weights: Literal["none", "link-bandwidth"] | None = Field(
        None,
        description="Over paths with unequal links behind them. none: as many flows over each; link-bandwidth: as many "
        "over each as links lead on from there, which BGP tells in the link bandwidth community (RFC 10005). Default: "
        "none.",
    )
