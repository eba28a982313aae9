"""FG507: addresses lie in a range for another purpose."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.addressing.fg504_reserved_pool import RESERVED
from fabricgen.lint.subjects.addressing import (
    find_overlapping_range,
    list_override_addresses,
    list_server_addresses,
    list_stated_pools,
)

_SPECIAL = {
    "192.0.0.0/24": "IETF protocol assignments (RFC 6890)",
    "192.0.2.0/24": "documentation (RFC 5737)",
    "192.31.196.0/24": "AS112 (RFC 7535)",
    "192.52.193.0/24": "AMT (RFC 7450)",
    "192.88.99.0/24": "6to4 relays, which are withdrawn (RFC 7526)",
    "192.175.48.0/24": "AS112 (RFC 7534)",
    "198.18.0.0/15": "benchmarks (RFC 2544)",
    "198.51.100.0/24": "documentation (RFC 5737)",
    "203.0.113.0/24": "documentation (RFC 5737)",
    "64:ff9b::/96": "translation from IPv4 (RFC 6052)",
    "64:ff9b:1::/48": "translation from IPv4 (RFC 8215)",
    "2001:db8::/32": "documentation (RFC 3849)",
    "2001::/23": "IETF protocol assignments (RFC 2928)",
    "2002::/16": "6to4 (RFC 3056)",
    "2620:4f:8000::/48": "AS112 (RFC 7534)",
    "3fff::/20": "documentation (RFC 9637)",
    "5f00::/16": "SRv6 segment identifiers (RFC 9602)",
    "fc00::/8": "unique local addresses assigned by a registry that does not exist; use fd00::/8 (RFC 4193, 3.1)",
}

SPECIAL = tuple((ip_network(prefix), what) for prefix, what in _SPECIAL.items())
"""Ranges of IANA's special-purpose registries (RFC 6890) whose addresses work, but have another purpose."""


class SpecialAddresses(DesignRule):
    """A pool, a server or a device's own address lies in space for documentation, benchmarks, translation or the like.

    Such addresses work in a lab. But they are in every bogon list, and a tester or translator beside the fabric may
    use them for their purpose (IANA's special-purpose registries, RFC 6890). Addresses for documentation were
    usually copied with an example. Use private space (RFC 1918, RFC 4193) or your own.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        pools:
          hosts: 198.18.0.0/15  # <-
        management:
          ntp: 192.0.2.1  # <-
    """
    good = """
        pools:
          hosts: [172.16.0.0/12, "fd12:3456:789a::/48"]
        management: {ntp: 10.32.0.2}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated pools, servers and addresses of single devices that lie in a range of `SPECIAL`."""
        for path, prefix in list_stated_pools(design):
            named_range = find_overlapping_range(prefix, SPECIAL)
            if named_range and not find_overlapping_range(prefix, RESERVED):
                yield self.flag(
                    path, f"{prefix} overlaps {named_range[0]}, which is for {named_range[1]}", "use private space"
                )
        device_addresses = ((path, address) for path, _, address in list_override_addresses(design))
        for path, address in (*list_server_addresses(design), *device_addresses):
            if named_range := find_overlapping_range(address, SPECIAL):
                message = f"{address.network_address} is in {named_range[0]}, which is for {named_range[1]}"
                yield self.flag(path, message, "use a real address")
