"""The two address families: width, default pools, and the sizes of subnets and links."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import NamedTuple, TypeAlias

from fabricgen.kernel.units import round_up_to_power_of_two

Network: TypeAlias = IPv4Network | IPv6Network

ROUTER_ID_BITS = 32
"""A BGP identifier has 32 bits whatever the family (RFC 6286)."""


class Family(NamedTuple):
    """An address family.

    `word` is its name in blueprints. A bridged subnet has `subnet_size` addresses; 0 stands for the fewest that its
    hosts need. The first `pairs_from` addresses of a block of point-to-point links stay unused.
    """

    word: str
    bits: int
    subnet_size: int
    pairs_from: int
    default_pools: Mapping[str, tuple[str, ...]]

    @property
    def kind(self) -> str:
        """The kind of number in the lock: `ipv4` or `ipv6`."""
        return f"ip{self.word}"

    @property
    def ending(self) -> str:
        """The suffix of the names of its blocks in the lock: "" for IPv4."""
        return "" if self.bits == ROUTER_ID_BITS else f" {self.word}"

    @property
    def pair_length(self) -> int:
        """Prefix length of a point-to-point link: /31 (RFC 3021) or /127 (RFC 6164)."""
        return self.bits - 1

    def size_pair_block(self, pairs: int) -> int:
        """Return the size of a block for `pairs` point-to-point links, in addresses, a power of two."""
        return round_up_to_power_of_two(self.pairs_from + 2 * pairs)

    def prefix_length(self, size: int) -> int:
        """Return the prefix length of a block of `size` addresses, a power of two."""
        # a power of two has one bit more than its exponent
        return self.bits + 1 - size.bit_length()

    def parse(self, text: str) -> int:
        """Return an address, given as text, as an integer."""
        return int(IPv4Address(text) if self.bits == ROUTER_ID_BITS else IPv6Address(text))

    def network(self, address: int, length: int) -> Network:
        """Return the network with some prefix length that contains an address, given as an integer."""
        network_class = IPv4Network if self.bits == ROUTER_ID_BITS else IPv6Network
        return network_class((address, length), strict=False)


V4 = Family(
    "v4",
    32,
    0,
    0,
    {
        "loopback": ("10.0.0.0/12",),
        "management": ("10.16.0.0/12",),
        "fabric": ("10.64.0.0/10",),
        "hosts": ("10.128.0.0/9",),
    },
)
"""IPv4; defaults are RFC 1918 space."""

V6 = Family(
    "v6",
    128,
    1 << 64,
    2,
    {
        "loopback": ("fd00:fab::/48",),
        "management": ("fd00:fab:1::/48",),
        "fabric": ("fd00:fab:2::/48",),
        "hosts": ("fd00:fab:100::/40",),
        "srv6": ("fcbb:bb00::/32",),
    },
)
"""IPv6; defaults are unique local addresses (RFC 4193) with a fixed global id, so that a build repeats.

Links leave out the first pair of a block, since 64 zero bits would make it a subnet-router anycast address (RFC 6164,
5.2); a bridged subnet is a /64.
"""

FAMILIES = (V4, V6)


def find_family(kind: str) -> Family:
    """Return the family of a kind of number in the lock, `ipv4` or `ipv6`."""
    return next(family for family in FAMILIES if family.kind == kind)


def filter_prefixes(prefixes: tuple[str, ...] | None, family: Family) -> tuple[str, ...]:
    """Return the prefixes of a pool that belong to a family, in their order."""
    return tuple(prefix for prefix in prefixes or () if (":" in prefix) == (family.bits > ROUTER_ID_BITS))
