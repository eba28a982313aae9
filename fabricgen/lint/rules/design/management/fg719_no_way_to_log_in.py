"""FG719: nobody can log in to the switches, or change them, once they are configured."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import find_nos_path, list_managed_fabrics, name_tiers


class NoWayToLogIn(DesignRule):
    """Switches get a configuration with no account that may log in, or none that may change anything, on a NOS where
    it replaces those there were.

    On Arista EOS, a session of `configure replace` with such a file leaves `admin` without a password, whom SSH does
    not let in (`aaa authentication policy local allow-nopassword-remote-login` is off): what is left is the serial
    console of every switch. Where all `users` are operators, everybody may look and nobody mend. SONiC's configuration
    has no accounts, and those of its image stay; what Cumulus Linux does with its own is not documented: neither is
    judged.

    State `management.users` with an SSH key or the hash of a password, or `management.aaa`.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {
          nos: {spine: eos},  # <-
          tiers: {spine: {switch: 7060x6-64pe, count: 4}}}}
    """
    good = """
        fabrics: {compute: {nos: {spine: eos}, tiers: {spine: {switch: 7060x6-64pe, count: 4}}}}
        management: {users: {ops: {password: "env:FABRICGEN_OPS_HASH"}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers without an admin account and login servers, one finding for each NOS that locks people
        out then.
        """
        tiers_by_lack: dict[tuple[str, str], list[TierDesign]] = {}
        for _, tiers, management in list_managed_fabrics(design):
            if management.aaa or any(user.role == "admin" for user in management.users.values()):
                continue
            lacks = "change" if management.users else "log in to"
            for tier in tiers:
                if design.catalog.naming(tier.nos).configuration.locked_out:
                    tiers_by_lack.setdefault((tier.nos, lacks), []).append(tier)
        for (nos, lacks), locked_tiers in tiers_by_lack.items():
            why = design.catalog.naming(nos).configuration.locked_out
            yield self.flag(
                find_nos_path(design, locked_tiers[0]),
                f"nobody can {lacks} {name_tiers(locked_tiers)} after the push: {why}",
                "state `management.users` with an admin who has an SSH key, or `management.aaa`",
            )
