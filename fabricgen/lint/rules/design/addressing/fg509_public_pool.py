"""FG509: addresses lie in public IPv4 space."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.addressing.fg504_reserved_pool import RESERVED
from fabricgen.lint.rules.design.addressing.fg507_special_addresses import SPECIAL
from fabricgen.lint.subjects.addressing import find_overlapping_range, list_override_addresses, list_stated_pools

PRIVATE = tuple(IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
"""Private (RFC 1918) and shared address space (RFC 6598)."""


class PublicPool(DesignRule):
    """A pool or a device's own address belongs to somebody else: it is IPv4, and not private space.

    The fabric cannot reach whoever owns them, and routes that leak are dropped or blamed on the owner. A prefix
    that is one bit too short does this unnoticed: 192.168.0.0/15 includes 192.169.0.0/16, which is public. Use
    10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) or 100.64.0.0/10 (RFC 6598), and waive this for space of
    your own.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        pools:
          hosts: 172.0.0.0/8  # <-
          management: 11.0.0.0/16  # <-
        address_of:
          compute-spine-01: {loopback: 8.8.8.8}  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/12, management: 100.64.0.0/16}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag IPv4 pools and addresses of single devices that are not wholly in a private range; reserved ranges are
        left to FG504 and FG507.
        """
        device_addresses = ((path, address) for path, _, address in list_override_addresses(design))
        for path, prefix in (*list_stated_pools(design), *device_addresses):
            if not isinstance(prefix, IPv4Network) or any(prefix.subnet_of(private) for private in PRIVATE):
                continue
            if find_overlapping_range(prefix, (*RESERVED, *SPECIAL)) is None:
                private_part = next((private for private in PRIVATE if private.subnet_of(prefix)), None)
                hint = "use private space, or waive this for space of your own"
                hint = f"only {private_part} of it is private" if private_part else hint
                verdict = "is not all private space" if private_part else "is public, not private space"
                shown = prefix.network_address if prefix.prefixlen == prefix.max_prefixlen else prefix
                yield self.flag(path, f"{shown} {verdict}", hint)
