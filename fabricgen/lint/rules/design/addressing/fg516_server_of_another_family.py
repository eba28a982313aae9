"""FG516: management ports have no address of a server's family."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_management_servers
from fabricgen.lint.subjects.managed import list_management_families


class ServerOfAnotherFamily(DesignRule):
    """A management server has an IPv4 address and the management ports IPv6 alone, or the other way round.

    No packet gets there: the switches have neither an address nor a route of that family, and NTP, syslog and logins
    fail in silence. The family of management ports is the `ip` of the fabric that takes them (`also: switches`), or
    the cluster's where none does.

    State the server's address in the family of the management ports, or give that fabric `ip: dual`.
    """

    severity = Severity.ERROR
    bad = """
        ip: v6
        management:
          ntp: 10.32.0.2  # <-
          syslog: {servers: "fd00:32::3"}
    """
    good = """
        ip: v6
        management: {ntp: "fd00:32::2", syslog: {servers: "fd00:32::3"}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the address family of each stated server with the families of management ports."""
        words = list_management_families(design)
        for path, server in list_management_servers(design):
            if f"v{server.version}" not in words:
                yield self.flag(
                    path,
                    f"{server.network_address} cannot be reached: management ports have IP{words[0]} addresses only",
                    "use an address of that family, or `ip: dual` where management ports attach",
                )
