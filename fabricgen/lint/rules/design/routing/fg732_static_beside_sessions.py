"""FG732: a static exit takes the traffic of an exit with sessions."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from itertools import product

from fabricgen.design.extras.exits import ExitDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_within
from fabricgen.lint.subjects.ways_out import group_exits
from fabricgen.numbering.blocks.family import Network


class StaticBesideSessions(DesignRule):
    """A static exit and a primary eBGP one lead to the same prefix in one VRF: traffic takes the static one.

    On the switch that has both, a static route wins by its distance (1 against 20 of eBGP). On all others it wins by
    its AS path, which is shorter by the AS number of the far device. Nothing withdraws it while its link is up, so
    that the provider with the sessions is paid for and idle, and a dead router behind the static exit takes the
    traffic along.

    Give both exits sessions, let the static one lead to other prefixes alone (`default: false` and `accept`), or state
    that the exit with sessions is the backup (`prefer: backup`).
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            extra:
              wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}
              old: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}
            exits:
              internet: {to: wan, asn: 64496}
              old:
                to: old
                routing: static  # <-
    """
    good = """
        fabrics:
          compute:
            extra:
              wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}
              old: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}
            exits:
              internet: {to: wan, asn: 64496}
              old: {to: old, routing: static, default: false, accept: 203.0.113.0/24}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag static exits that have routes which primary exits with sessions in the same VRF may announce as well."""
        for exits in group_exits(design):
            static = [exit_ for exit_ in exits if exit_.spec.routing == "static"]
            primary = [exit_ for exit_ in exits if exit_.spec.routing == "ebgp" and exit_.spec.prefer == "primary"]
            for static_exit, provider in product(static, primary):
                if prefix := _find_shared_prefix(static_exit, provider):
                    from fabricgen.views.exits import DEFAULTS

                    route = "the default route" if prefix in DEFAULTS else prefix
                    reason = f"{static_exit.name} has {route} as a static route, which wins"
                    hint = f"give {static_exit.name} sessions, or let one of the two not lead there"
                    yield self.flag(
                        (*static_exit.path, "routing"), f"{reason}: {provider.name} is not used for it", hint
                    )


def _find_shared_prefix(static: ExitDesign, provider: ExitDesign) -> str:
    """Return the first prefix of a static exit, adjacent prefixes joined, that the far devices of another exit may
    announce as well; "" if there is none.
    """
    from fabricgen.views.exits import list_accepted_prefixes

    # (prefix, the longest prefix within it that is accepted)
    offered = [
        (prefix := ip_network(o.prefix), max(o.longest, prefix.prefixlen)) for o in list_accepted_prefixes(provider)
    ]
    routes = [ip_network(route.prefix) for route in list_accepted_prefixes(static)]
    v4, v6 = [r for r in routes if isinstance(r, IPv4Network)], [r for r in routes if isinstance(r, IPv6Network)]
    joined: list[Network] = [*collapse_addresses(v4), *collapse_addresses(v6)]
    return next((str(route) for route in joined if any(is_within(route, *offer) for offer in offered)), "")
