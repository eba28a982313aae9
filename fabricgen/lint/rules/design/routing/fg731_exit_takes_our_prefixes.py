"""FG731: an exit accepts prefixes of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.blueprint.sections.exits import parse_accepted
from fabricgen.design.extras.exits import list_exits
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_overlapping, list_drawn_prefixes
from fabricgen.lint.subjects.ways_out import make_entry_path


class ExitTakesOurPrefixes(DesignRule):
    """An exit accepts a prefix of a pool in use, or one around it with lengths that reach into it.

    The more specific route wins wherever it comes from: a provider that announces a part of your pool, by mistake or
    not, draws traffic between your own hosts out. Accept what lies outside of the pools; a larger prefix without `le`
    is harmless, since everything of yours is more specific.
    """

    severity = Severity.ERROR
    bad = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits:
              internet:
                to: wan
                asn: 64496
                accept: 172.16.0.0/12 le 24  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496, accept: 203.0.113.0/24 le 28}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag accepted prefixes that take in a pool in use, or a part of it."""
        pools = [prefix for _, prefix in list_drawn_prefixes(design)]
        for exit_ in list_exits(design):
            for index, text in enumerate(exit_.spec.accept):
                prefix, longest = parse_accepted(text)
                reached = (p for p in pools if longest >= p.prefixlen and is_overlapping(p, ip_network(prefix)))
                pool = next(reached, None)
                if pool is not None:
                    path = make_entry_path(exit_, "accept", index, len(exit_.spec.accept))
                    yield self.flag(
                        path, f"{text} reaches into the pool {pool}", "accept what lies outside of your pools"
                    )
