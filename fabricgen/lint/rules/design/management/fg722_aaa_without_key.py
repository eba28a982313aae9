"""FG722: login servers share no key with the switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import find_setting_path, list_managed_fabrics


class AaaWithoutKey(DesignRule):
    """Switches ask TACACS+ or RADIUS servers about logins without a shared key.

    A RADIUS server answers no client without one (RFC 2865, 3), and TACACS+ then sends every password in the clear
    (RFC 8907, 4.5: deployments must not use the unencrypted form), where any box on the way reads it or answers in
    the server's place.

    State where the key is kept: `key: env:FABRICGEN_TACACS_KEY` or `key: file:secrets/tacacs`.
    """

    severity = Severity.WARNING
    bad = """
        management:
          aaa: {servers: [10.32.0.2]}  # <-
    """
    good = """
        management:
          aaa: {servers: [10.32.0.2], key: "env:FABRICGEN_TACACS_KEY"}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag login servers without a key, once for each statement."""
        protocols = {}
        for fabric, _, management in list_managed_fabrics(design):
            if management.aaa and not management.aaa.key:
                protocols[find_setting_path(design, fabric, "aaa")] = management.aaa.protocol
        for path, protocol in protocols.items():
            effects = {"tacacs": "TACACS+ sends passwords in the clear", "radius": "RADIUS servers answer nobody"}
            yield self.flag(
                path, f"without a shared key, {effects[protocol]}", "state `key`, as a reference to a secret"
            )
