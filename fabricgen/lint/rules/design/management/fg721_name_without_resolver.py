"""FG721: a server is given by name, and no resolver is."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_stated_servers
from fabricgen.lint.subjects.managed import find_setting_path, is_name, list_managed_fabrics


class NameWithoutResolver(DesignRule):
    """A time, log or boot server is given by its name, and the switches have no resolver to look it up with.

    The name stays unresolved and the switch has no time, or no log, without an error that anybody sees. Management
    ports have fixed addresses, so that no DHCP server tells them of resolvers.

    State `management.dns`, or the server's address: many give time servers by address, so that the clock does not
    wait for DNS.
    """

    severity = Severity.WARNING
    bad = """
        management:
          ntp: ntp.example.net  # <-
    """
    good = """
        management: {ntp: ntp.example.net, dns: {servers: 10.32.0.5}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag servers that are given by name in fabrics without resolvers, once for each statement."""
        names_by_path: dict[Path, dict[str, None]] = {}
        for fabric, _, management in list_managed_fabrics(design):
            if management.dns and management.dns.servers:
                continue
            for keys, server in list_stated_servers(management):
                if is_name(server):
                    names_by_path.setdefault(find_setting_path(design, fabric, *map(str, keys)), {})[server] = None
        for path, names in names_by_path.items():
            message = f"{', '.join(names)} cannot be looked up: the switches have no resolver"
            yield self.flag(path, message, "state `management.dns`, or give the server by address")
