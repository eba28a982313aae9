"""FG723: nobody can log in while the login servers do not answer."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import find_setting_path, list_managed_fabrics, name_tiers


class NoAccountWithoutServers(DesignRule):
    """Logins are decided by TACACS+ or RADIUS servers, and there is no local account for when these are silent.

    Login servers are reached over the network that somebody then tries to repair. Without a local account, what is
    left is the serial console. SONiC keeps the accounts of its image beside the servers, and is not judged.

    State one account in `management.users`, with its password in a safe.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {nos: {spine: eos}, tiers: {spine: {switch: 7060x6-64pe, count: 4}}}}
        management:
          aaa: {servers: [10.32.0.2], key: "env:FABRICGEN_TACACS_KEY"}  # <-
    """
    good = """
        fabrics: {compute: {nos: {spine: eos}, tiers: {spine: {switch: 7060x6-64pe, count: 4}}}}
        management:
          aaa: {servers: [10.32.0.2], key: "env:FABRICGEN_TACACS_KEY"}
          users: {safe: {password: "env:FABRICGEN_SAFE_HASH"}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers with login servers and no account, if their NOS keeps no account of its image."""
        tiers_by_path: dict[Path, list[TierDesign]] = {}
        for fabric, tiers, management in list_managed_fabrics(design):
            for tier in tiers if management.aaa and not management.users else ():
                if design.catalog.naming(tier.nos).configuration.locked_out:
                    tiers_by_path.setdefault(find_setting_path(design, fabric, "aaa"), []).append(tier)
        for path, locked_tiers in tiers_by_path.items():
            yield self.flag(
                path,
                f"nobody can log in to {name_tiers(locked_tiers)} while the login servers do not answer",
                "state one account in `management.users`",
            )
