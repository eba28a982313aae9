"""FG504: a pool or server lies in a range that hosts cannot use."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import find_overlapping_range, list_server_addresses, list_stated_pools

_RESERVED = {
    "0.0.0.0/8": "'this network' (RFC 791)",
    "127.0.0.0/8": "loopback (RFC 1122)",
    "169.254.0.0/16": "link-local (RFC 3927)",
    "224.0.0.0/4": "multicast (RFC 5771)",
    "240.0.0.0/4": "reserved (RFC 1112)",
    "::/8": "reserved: unspecified, loopback and IPv4 in IPv6 (RFC 4291)",
    "100::/64": "discard-only (RFC 6666)",
    "fe80::/10": "link-local (RFC 4291)",
    "fec0::/10": "site-local, which is withdrawn (RFC 3879)",
    "ff00::/8": "multicast (RFC 4291)",
}
"""Ranges that no pool may overlap, and what they are for."""

RESERVED = tuple((ip_network(prefix), what) for prefix, what in _RESERVED.items())

LINK_LOCAL = tuple((prefix, what) for prefix, what in RESERVED if what.startswith("link-local"))


class ReservedPool(DesignRule):
    """A pool lies in multicast, loopback, link-local or otherwise reserved space, or a server is link-local.

    Switches drop or misroute such addresses (RFC 6890 lists the ranges). A link-local server can be reached on its
    own link only (RFC 3927, 2.7; RFC 4291, 2.5.6), and no switch knows which link that is. Use private space:
    10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) or 100.64.0.0/10 (RFC 6598), and for IPv6 unique local
    addresses, fd00::/8 (RFC 4193).
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        pools:
          hosts: 224.0.0.0/8  # <-
          loopback: "fe80::/64"  # <-
        management:
          ntp: 169.254.0.1  # <-
    """
    good = """
        pools:
          hosts: [172.16.0.0/12, "fd12:3456:789a::/48"]
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated pools that overlap a reserved range, and management servers with link-local addresses."""
        for path, prefix in list_stated_pools(design):
            if named_range := find_overlapping_range(prefix, RESERVED):
                yield self.flag(
                    path, f"{prefix} overlaps {named_range[0]}, which is {named_range[1]}", "use private space"
                )
        for path, address in list_server_addresses(design):
            if named_range := find_overlapping_range(address, LINK_LOCAL):
                message = f"the server {address.network_address} is {named_range[1]}, so switches cannot route to it"
                yield self.flag(path, message, "use a routable address")
