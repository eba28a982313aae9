"""Sessions, policies and routes of a switch, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_interface


@cache
def network_of(address: str) -> str:
    """The subnet that an address with a prefix length is in."""
    return str(ip_interface(address).network)


@dataclass(frozen=True, slots=True)
class Permit:
    """Prefixes inside one, with lengths from `shortest` to `longest`."""

    prefix: str
    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class Clause:
    """Further routes that pass, on terms: one of `as_paths` matches, if there are any. What is set on them follows.

    `last_as`: how often the first AS number of the path is repeated; `prepend`: the AS number that is put before it.
    """

    permits: frozenset[Permit]
    as_paths: frozenset[str] = frozenset()
    communities: frozenset[str] = frozenset()
    last_as: int = 0
    prepend: int = 0


@dataclass(frozen=True, slots=True)
class Policy:
    """Which routes pass: those that a permit of theirs takes; `own_only`: with an empty AS path besides.

    What `denies` takes does not pass. The families of a session are kept apart by the prefixes themselves.
    """

    permits: frozenset[Permit]
    own_only: bool = False
    denies: frozenset[Permit] = frozenset()
    clauses: frozenset[Clause] = frozenset()


@dataclass(frozen=True, slots=True)
class Bfd:
    """Bidirectional forwarding detection: ms between packets, packets missed. FRR's and EOS's defaults are these."""

    interval_ms: int = 300
    multiplier: int = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """One end of a BGP session. `policy_in`, `policy_out`: None lets everything pass.

    `families`: "v4", "v6". `own_as_in`: how often the own AS number may stand in a path. `max_prefixes`: by family,
    absent where there is no limit. Times in seconds.
    """

    remote_asn: int
    families: frozenset[str]
    policy_in: Policy | None
    policy_out: Policy | None
    keepalive_s: int
    hold_s: int
    bfd: Bfd | None = None
    own_as_in: int = 0
    max_prefixes: Mapping[str, int] = field(default_factory=dict)
    description: str = ""
    hops: int = 1
    """How many hops away it may be."""
    from_loopback: bool = False
    """Whether the session is from the loopback, not from the address of the link."""
    local_asn: int = 0
    """The AS number shown to it instead of the switch's, whose own is not added; 0 for none."""
    password: str = ""
    shut: bool = False


@dataclass(frozen=True, slots=True)
class Bgp:
    """BGP in one VRF; `peers` by the peer's address or, unnumbered, the own interface.

    `announced` are the prefixes that this switch originates: what it redistributes or names, out of what it has.
    """

    asn: int
    router_id: str
    max_paths: int
    multipath_relax: bool
    peers: Mapping[str, Peer]
    announced: frozenset[str]
    aggregates: frozenset[str] = frozenset()
    """Prefixes that are made of more specific ones."""
    leaks: Mapping[str, Policy] = field(default_factory=dict)
    """By VRF, what is brought in from it."""


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A route over (own port, next hop) pairs equally; `discard`: what none of them takes is dropped."""

    hops: Set[tuple[str, str]]
    discard: bool
    passed_on: bool = field(default=False, compare=False)
    """Whether it leads to the outside, and other switches learn it: not those to loopbacks of far devices."""
