"""FG760: gNMI is to listen on the port of another service."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_stated_managements

_SERVICES = {
    22: "SSH (RFC 4253)",
    80: "HTTP (RFC 9110)",
    123: "NTP (RFC 5905)",
    161: "SNMP (RFC 3417)",
    179: "BGP (RFC 4271)",
    443: "HTTPS (RFC 9110)",
    830: "NETCONF over SSH (RFC 6242)",
    6379: "Redis, the database of SONiC",
    8765: "the API of NVUE",
}
"""Ports on which switches listen for another service, and that service."""


class GnmiPortTaken(DesignRule):
    """gNMI is given the TCP port of another service of the switch.

    One of the two does not start: with 22 nobody can log in over SSH, with 179 no BGP session is accepted. The port
    of gNMI is 9339 (IANA); EOS takes 6030 and SONiC 8080 where none is stated.
    """

    severity = Severity.ERROR
    bad = """
        management:
          gnmi: {port: 179}  # <-
    """
    good = """
        management: {gnmi: {port: 9339}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated ports of gNMI that belong to another service."""
        for path, management in list_stated_managements(design):
            port = management.gnmi.port if management.gnmi else None
            if port in _SERVICES:
                hint = "9339 is the port of gNMI (IANA)"
                yield self.flag((*path, "gnmi", "port"), f"port {port} is that of {_SERVICES[port]}", hint)
