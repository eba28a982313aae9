"""FG702: RoCE data and congestion notifications share a DSCP or class."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.qos import choose_setting
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import merge_fabrics


class DscpClash(DesignRule):
    """RoCE data and congestion notification packets (CNP) have the same DSCP or traffic class.

    Notifications must overtake the queue that they report; with the same DSCP or class they wait in it, and senders
    slow down too late. Use different values; DSCP 26 and 48, classes 3 and 6 are customary.
    """

    id = "FG702"
    counts_ports = False
    severity = Severity.ERROR
    title = "RoCE data and congestion notifications share a DSCP or class"
    bad = """
        qos: {roce_dscp: 26,
          cnp_dscp: 26}  # <-
    """
    good = """
        qos: {roce_dscp: 26, cnp_dscp: 48}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the effective values of each lossless fabric."""
        return merge_fabrics(self._check_fabrics(design))

    def _check_fabrics(self, design: Design) -> Iterator[Diagnostic]:
        """One finding a fabric and value; `check` merges those with one place."""
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            fabric_qos, cluster_qos = blueprint.fabrics[fabric.name].qos, blueprint.qos
            if fabric.protocol != "roce" and fabric_qos.profile != "roce-lossless":
                continue
            for field, names, usual in _ALIKE:
                values = [
                    choose_setting(fabric_qos, cluster_qos, name, default)
                    for name, default in zip(names, usual, strict=True)
                ]
                if values[0] == values[1]:
                    stated = any(getattr(fabric_qos, name) is not None for name in names)
                    name = (
                        names[1] if getattr(fabric_qos if stated else cluster_qos, names[1]) is not None else names[0]
                    )
                    path = (*fabric.path, "qos", name) if stated else ("qos", name)
                    message = f"{fabric.name}: RoCE data and congestion notifications both have {field} {values[0]}"
                    yield self.flag(path, message, f"use {usual[0]} for data and {usual[1]} for notifications")


_ALIKE = (("DSCP", ("roce_dscp", "cnp_dscp"), (26, 48)), ("traffic class", ("roce_class", "cnp_class"), (3, 6)))
