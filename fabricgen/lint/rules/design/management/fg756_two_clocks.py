"""FG756: switches have two time servers."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import find_setting_path, list_managed_fabrics


class TwoClocks(DesignRule):
    """The switches have exactly two time servers.

    Two is the one number at which a wrong clock cannot be told: where they disagree, neither is in the majority, and
    switches follow one or the other, or none. One server is at least the same for all; of three, two outvote a wrong
    one as long as all run; with four one may fail besides (RFC 8633, 3.2, Use Enough Time Sources).

    State four time servers in `management.ntp`.
    """

    severity = Severity.WARNING
    bad = """
        management: {syslog: {servers: 10.32.0.6},
          ntp: [10.32.0.4, 10.32.0.5]}  # <-
    """
    good = """
        management: {ntp: [10.32.0.4, 10.32.0.5, 10.32.0.10, 10.32.0.11], syslog: {servers: 10.32.0.6}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag statements of exactly two time servers; one finding names all fabrics that a statement holds for."""
        # (time servers, fabrics that they hold for) of each statement
        paired: dict[Path, tuple[tuple[str, ...], list[str]]] = {}
        for fabric, _, management in list_managed_fabrics(design):
            if len(set(management.ntp)) == len(management.ntp) == 2:
                paired.setdefault(find_setting_path(design, fabric, "ntp"), (management.ntp, []))[1].append(fabric.name)
        for path, (servers, fabrics) in paired.items():
            yield self.flag(
                path,
                f"the switches of {', '.join(fabrics)} have two time servers, {' and '.join(servers)}: where these "
                "disagree, nothing tells which is wrong",
                "state four, or one alone",
            )
