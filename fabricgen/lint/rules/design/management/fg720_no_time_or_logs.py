"""FG720: switches have no time server, or send their logs nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import list_managed_fabrics


class NoTimeOrLogs(DesignRule):
    """The blueprint names no time server for the switches, or no server for their logs.

    Clocks drift by seconds a day. What two switches logged of one event can then not be put in order, certificates
    are refused, and telemetry does not line up with the jobs. Logs that stay on a switch are gone with it, and a
    switch that reboots in a loop is the one whose logs are needed.

    State `management.ntp` and `management.syslog`; where both are the business of another tool, waive the finding.
    """

    severity = Severity.WARNING
    bad = """
        management:
          ntp: []  # <-
    """
    good = """
        management: {ntp: 10.32.0.2, syslog: {servers: 10.32.0.4}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag fabrics without time servers or servers for logs; one finding names all fabrics that lack the same."""
        fabrics_by_lack: dict[tuple[str, ...], list[str]] = {}
        for fabric, _, management in list_managed_fabrics(design):
            logs = bool(management.syslog and management.syslog.servers)
            lacking = [key for key, is_stated in (("ntp", bool(management.ntp)), ("syslog", logs)) if not is_stated]
            if lacking:
                fabrics_by_lack.setdefault(tuple(lacking), []).append(fabric.name)
        words = {"ntp": "have no time server", "syslog": "send their logs nowhere"}
        for keys, fabrics in fabrics_by_lack.items():
            yield self.flag(
                self._find_path(design, keys[0], fabrics[0]),
                f"the switches of {', '.join(fabrics)} {' and '.join(words[key] for key in keys)}",
                f"state {' and '.join(f'`management.{key}`' for key in keys)}",
            )

    @staticmethod
    def _find_path(design: Design, key: str, fabric: str) -> Path:
        """Return the path of a management setting: in the fabric if it states it, else in the cluster's management, or
        of the fabric if that states nothing.
        """
        if key in design.loaded.blueprint.fabrics[fabric].management.model_fields_set:
            return "fabrics", fabric, "management", key
        if design.loaded.blueprint.management.model_fields_set:
            return "management", key
        return "fabrics", fabric
