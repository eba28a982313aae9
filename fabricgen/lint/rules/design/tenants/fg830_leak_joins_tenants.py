"""FG830: a leak joins two tenants as if they were one."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class LeakJoinsTenants(DesignRule):
    """A leak between two tenants states no prefixes of either: each shows all of its hosts to the other.

    `tenants` keeps them apart, and the leak undoes that. FG821 does not tell of it, as it is stated. Services that are
    shared have a prefix: state in `prefixes` what each side shows, or put the services into a tenant of their own.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        tenants:
          blue: {nodes: [p1/su-1]}
          green: {nodes: [p1/su-2]}
        leaks:
          shared: {between: [blue, green]}  # <-
    """
    good = """
        pools: {hosts: 172.16.0.0/16}
        tenants:
          blue: {nodes: [p1/su-1]}
          green: {nodes: [p1/su-2]}
        leaks:
          shared: {between: [blue, green], prefixes: {blue: 172.16.0.0/28, green: 172.16.0.0/16}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag leaks between two tenants that limit neither of them to prefixes."""
        tenants = {tenant.name for tenant in design.tenants}
        for leak in design.leaks:
            if tenants.issuperset(leak.between) and not leak.prefixes:
                message = f"every host of {leak.between[0]} reaches every host of {leak.between[1]} by {leak.name}"
                yield self.flag(("leaks", leak.name), message, "state the `prefixes` that each is to show")
