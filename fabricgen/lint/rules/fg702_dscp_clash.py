"""data and congestion notifications share a DSCP."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class DscpClash(DesignRule):
    """RoCE data and congestion notification packets are marked alike.

    Notifications must overtake the queue they report on; with the same DSCP they wait in it and senders slow down too
    late. Give them different values, by custom 26 and 48.
    """

    id = "FG702"
    severity = Severity.ERROR
    title = "data and congestion notifications share a DSCP"
    bad = """
        qos: {roce_dscp: 26,
          cnp_dscp: 26}  # <-
    """
    good = """
        qos: {roce_dscp: 26, cnp_dscp: 48}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the effective values of each lossless fabric."""
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            own, shared = blueprint.fabrics[fabric.name].qos, blueprint.qos
            if fabric.protocol != "roce" and own.profile != "roce-lossless":
                continue
            data = next(v for v in (own.roce_dscp, shared.roce_dscp, 26) if v is not None)
            cnp = next(v for v in (own.cnp_dscp, shared.cnp_dscp, 48) if v is not None)
            if data == cnp:
                stated = own.roce_dscp is not None or own.cnp_dscp is not None
                name = "cnp_dscp" if (own if stated else shared).cnp_dscp is not None else "roce_dscp"
                place = (*fabric.path, "qos", name) if stated else ("qos", name)
                yield self.flag(place, f"{fabric.name}: data and notifications both have DSCP {data}", "use 26 and 48")
